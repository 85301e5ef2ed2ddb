"""Variational Monte Carlo: the ground state of a quartic oscillator by a network.

The Hamiltonian is -1/2 d^2/dx^2 + x^2/2 + x^4 (units where hbar and the mass are 1). The logarithm
of the wave function is a small network; its first two derivatives by x give the local energy, and
walkers follow the Metropolis rule in a compiled loop. The energy is compared with that of the
Hamiltonian as a matrix, in a basis of the harmonic oscillator.
"""

import argparse
import sys
import time
from functools import partial
from pathlib import Path

import matplotlib
import numpy as np
from tqdm import tqdm

import cellgrad as ms
from cellgrad import Tensor, nn, ops

matplotlib.use("Agg")
from matplotlib import pyplot as plt

WALKERS, MOVES, SIZE = 2000, 10, 0.8


class LogWave(nn.Cell):
    """log psi (W, 1) at x (W, 1): even in x, and falling as |x|^3 far out, as the potential asks."""

    def __init__(self) -> None:
        super().__init__()
        dense = partial(nn.Dense, weight_init="XavierUniform", dtype=ms.float64)
        self.layers = nn.SequentialCell(dense(1, 12, activation="tanh"), dense(12, 1))

    def construct(self, x: Tensor) -> Tensor:
        square = ops.square(x)
        return self.layers(square) - 0.4 * square * ops.sqrt(1 + square)


class Step(nn.Cell):
    """Moves the walkers, then changes the network along the gradient of the energy."""

    def __init__(self, wave: LogWave, optimizer: nn.Adam) -> None:
        super().__init__()
        self.wave = wave
        self.optimizer = optimizer
        self.gradient = ms.grad(self.weighted, None, optimizer.parameters)

    def slope(self, x: Tensor) -> Tensor:
        return ms.grad(self.wave)(x)

    def local_energy(self, x: Tensor) -> Tensor:
        """(H psi) / psi, from derivatives of log psi."""
        first, second = self.slope(x), ms.grad(self.slope)(x)
        return -0.5 * (second + first**2) + 0.5 * x**2 + x**4

    def weighted(self, x: Tensor, weights: Tensor) -> Tensor:
        return 2 * ops.mean(weights * self.wave(x))

    def construct(self, x: Tensor, moves: Tensor, chances: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Positions (W, 1), steps (M, W, 1) and logarithms of random numbers (M, W, 1)."""

        def move(
            state: tuple[Tensor, Tensor], given: Tensor
        ) -> tuple[tuple[Tensor, Tensor], Tensor]:
            x, log = state
            trial = x + given[0]
            new = self.wave(trial)
            taken = given[1] < 2 * (new - log)
            return (ops.where(taken, trial, x), ops.where(taken, new, log)), ops.mean(1.0 * taken)

        (x, _), _ = ops.Scan()(move, (x, self.wave(x)), ops.stack((moves, chances), 1))
        energies = self.local_energy(x)
        mean = ops.mean(energies)
        # The walkers are samples: nothing is differentiated through them, or through the energies.
        self.optimizer(self.gradient(x, energies - mean))
        return x, mean, ops.mean(ops.square(energies - mean))


def exact_energy(size: int = 120) -> float:
    """The lowest eigenvalue of the Hamiltonian between states of the harmonic oscillator."""
    n = np.arange(size + 8)
    x = np.diag(np.sqrt(n[1:] / 2), 1)
    x = x + x.T
    hamiltonian = np.diag(n + 0.5) + np.linalg.matrix_power(x, 4)
    return float(np.linalg.eigvalsh(hamiltonian[:size, :size])[0])


def train(wave: LogWave, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the local energy at each step (steps, 2), and the walkers."""
    random = np.random.default_rng(0)
    step = Step(wave, nn.Adam(wave.trainable_params(), nn.CosineDecayLR(1e-4, 0.02, steps)))
    x = Tensor(random.standard_normal((WALKERS, 1)))
    record: list[tuple[float, float]] = []
    for _ in tqdm(range(steps), desc="training", disable=None):
        moves = SIZE * random.standard_normal((MOVES, WALKERS, 1))
        chances = np.log(random.uniform(size=(MOVES, WALKERS, 1)))
        x, energy, variance = step(x, Tensor(moves), Tensor(chances))
        record.append((float(energy), float(variance)))
    return np.array(record), x.asnumpy()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--tolerance", type=float, default=3e-4, help="the error that is allowed")
    parser.add_argument("--out", type=Path, default=Path("build/variational_monte_carlo"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    ms.set_seed(0)
    wave, exact = LogWave(), exact_energy()
    start = time.perf_counter()
    record, x = train(wave, options.steps)
    print(f"{options.steps} steps in {time.perf_counter() - start:.1f} s")
    last = record[-len(record) // 5 :]
    energy, variance = last.mean(0)
    print(
        f"energy {energy:.5f}, of the matrix {exact:.5f}; variance of local energies {variance:.1e}"
    )
    error = abs(energy - exact)
    print(f"error of the energy: {error:.1e}")

    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2))
    left.plot(record[:, 0], linewidth=0.8)
    left.axhline(exact, color="k", linewidth=0.8)
    left.set(xlabel="step", ylabel="energy", ylim=(exact - 0.05, exact + 0.3))
    at = np.linspace(-2.5, 2.5, 201)
    density = np.exp(2 * wave(Tensor(at[:, None])).asnumpy()[:, 0])
    right.hist(x[:, 0], 60, range=(-2.5, 2.5), density=True, alpha=0.4, label="walkers")
    right.plot(at, density / (density.sum() * (at[1] - at[0])), label="square of the wave function")
    right.set(xlabel="x")
    right.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(options.out / "variational_monte_carlo.png", dpi=120)
    plt.close(figure)
    if not error <= options.tolerance:
        print(f"error: the energy is off by more than {options.tolerance}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
