"""Learn the forces of a cluster of atoms: an energy network whose gradient is fitted to forces.

Thirteen atoms with Lennard-Jones interactions are shaken around their icosahedron; energies and
forces of the snapshots are the data. The network gives an energy for each atom from the distances
to the others; forces are minus its gradient by the positions, inside the loss, so that training
differentiates a gradient.
"""

import argparse
import sys
import time
from pathlib import Path

import matplotlib
import numpy as np
from tqdm import tqdm

import cellgrad as ms
from cellgrad import Tensor, nn, ops

matplotlib.use("Agg")
from matplotlib import pyplot as plt

ATOMS, FEATURES = 13, 24


def energy_and_forces(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lennard-Jones energies (F,) and forces (F, N, 3) of frames (F, N, 3), in reduced units."""
    difference = x[:, :, None] - x[:, None]
    square = (difference**2).sum(-1) + 1e6 * np.eye(x.shape[1])
    sixth = square**-3
    energy = 2 * (sixth**2 - sixth).sum((1, 2))
    forces = (24 * (2 * sixth**2 - sixth) / square)[..., None] * difference
    return energy, forces.sum(2)


def frames(count: int, seed: int) -> np.ndarray:
    """Snapshots of a Monte Carlo walk of the icosahedron at temperature 0.2."""
    golden = (1 + 5**0.5) / 2
    corners = [(0, s, t * golden) for s in (-1, 1) for t in (-1, 1)]
    shell = [np.roll(p, k) for k in range(3) for p in corners]
    start = np.array([np.zeros(3), *shell]) * 1.08 / np.hypot(1, golden)
    random = np.random.default_rng(seed)
    walkers = np.repeat(start[None], 64, 0)
    energy, _ = energy_and_forces(walkers)
    out: list[np.ndarray] = []
    for step in tqdm(range(200 + 20 * -(-count // 64)), desc="data", disable=None):
        trial = walkers + 0.02 * random.standard_normal(walkers.shape)
        new, _ = energy_and_forces(trial)
        accepted = random.random(64) < np.exp(np.minimum((energy - new) / 0.2, 0))
        walkers = np.where(accepted[:, None, None], trial, walkers)
        energy = np.where(accepted, new, energy)
        if step >= 200 and step % 20 == 0:
            out.append(walkers.copy())
    return np.concatenate(out)[:count]


class Energy(nn.Cell):
    """The energy of each frame (F, N, 3): a sum over atoms of a network of its surroundings."""

    def __init__(self) -> None:
        super().__init__()
        self.centres = Tensor(np.linspace(0.7, 2.6, FEATURES), ms.float32)
        self.others = Tensor(1 - np.eye(ATOMS), ms.float32)
        self.network = nn.SequentialCell(
            nn.Dense(FEATURES, 48, activation="tanh"),
            nn.Dense(48, 48, activation="tanh"),
            nn.Dense(48, 1),
        )

    def construct(self, x: Tensor) -> Tensor:
        difference = ops.expand_dims(x, 2) - ops.expand_dims(x, 1)
        # An atom's distance to itself is set to one, where the root has a derivative.
        distance = ops.sqrt(ops.sum(ops.square(difference), -1) + (1.0 - self.others))
        bumps = ops.exp(-40.0 * ops.square(ops.expand_dims(distance, -1) - self.centres))
        surroundings = ops.sum(bumps * ops.expand_dims(self.others, -1), 2)
        return ops.sum(self.network(surroundings), (1, 2))


class Loss(nn.Cell):
    """The mean square error of forces and, with less weight, of energies."""

    def __init__(self, energy: Energy, mean: float) -> None:
        super().__init__()
        self.energy = energy
        self.mean = mean

    def construct(self, x: Tensor, energy: Tensor, forces: Tensor) -> Tensor:
        wrong_forces = -ms.grad(self.energy)(x) - forces
        wrong_energy = self.energy(x) + self.mean - energy
        return ops.mean(ops.square(wrong_forces)) + 0.1 * ops.mean(ops.square(wrong_energy)) / ATOMS


def plot(losses: list[float], found: np.ndarray, wanted: np.ndarray, path: Path) -> None:
    figure, (loss, parity) = plt.subplots(1, 2, figsize=(9, 3.6))
    loss.semilogy(losses, linewidth=0.6)
    loss.set(xlabel="step", ylabel="loss", title="Training")
    parity.plot(wanted.ravel(), found.ravel(), ".", markersize=1)
    parity.axline((0, 0), slope=1, color="k", linewidth=0.5)
    parity.set(xlabel="force", ylabel="force of the network", title="Frames held out")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=2000)
    parser.add_argument("--epochs", type=int, default=150)
    parser.add_argument("--tolerance", type=float, default=0.05, help="allowed error of forces")
    parser.add_argument("--out", type=Path, default=Path("build/lennard_jones"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    x, held_out = frames(options.frames, 0), frames(256, 1)
    energy, forces = energy_and_forces(x)
    rows = ms.dataset.NumpySlicesDataset(tuple(a.astype(np.float32) for a in (x, energy, forces)))
    data = rows.batch(32, drop_remainder=True)

    ms.set_seed(0)
    net = Energy()
    loss = Loss(net, float(energy.mean()))
    steps = options.epochs * data.get_dataset_size()
    optimizer = nn.Adam(net.trainable_params(), nn.CosineDecayLR(1e-5, 5e-3, steps))
    step = nn.TrainOneStepCell(loss, optimizer)

    start = time.perf_counter()
    losses: list[float] = []
    for _ in tqdm(range(options.epochs), desc="training", unit="epoch", disable=None):
        losses += [float(step(*batch)) for batch in data]
    seconds = time.perf_counter() - start
    print(f"{len(losses)} steps in {seconds:.1f} s: loss {losses[0]:.3g} -> {losses[-1]:.3g}")

    _, wanted = energy_and_forces(held_out)
    found = -ms.grad(net)(Tensor(held_out, ms.float32)).asnumpy()
    error = np.sqrt(np.mean((found - wanted) ** 2) / np.mean(wanted**2))
    print(f"relative error of the forces held out: {error:.2%}")
    print(f"largest sum of a frame's forces: {abs(found.sum(1)).max():.1e}")
    plot(losses, found, wanted, options.out / "forces.png")
    if error > options.tolerance:
        print(f"error: the error is above {options.tolerance:.0%}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
