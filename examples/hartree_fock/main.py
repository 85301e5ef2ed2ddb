"""Hartree-Fock from integrals in closed form: the helium atom and the hydrogen molecule.

Energies in hartree, lengths in bohr. Helium: coefficients and exponents of four Gaussians are found
together, by Newton's method on the energy. Hydrogen: the potential curve in the STO-3G basis, with
forces and the force constant as derivatives of the energy by the distance of the nuclei. Both are
compared with published energies.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib
import numpy as np

import cellgrad as ms
from cellgrad import Tensor, ops

matplotlib.use("Agg")
from matplotlib import pyplot as plt

# Four s functions for helium, and their energy: van Duijneveldt 1971; Thijssen, Computational Physics, 4.3.2.
HELIUM_EXPONENTS = [0.298073, 1.242567, 5.782948, 38.474970]
HELIUM_ENERGY = -2.8551604
# Szabo and Ostlund, Modern Quantum Chemistry: the energy of H2 at 1.4 bohr, and the distance of least energy.
HYDROGEN_ENERGY, HYDROGEN_DISTANCE = -1.1167, 1.346
STO3G = np.array([[0.168856, 0.623913, 3.42525], [0.444635, 0.535328, 0.154329]])


def helium(log_exponents: Tensor, c: Tensor) -> Tensor:
    """The energy of two electrons in one orbital, a sum of s Gaussians with coefficients c."""
    a = ops.exp(log_exponents)
    p = ops.expand_dims(a, 1) + ops.expand_dims(a, 0)
    product = ops.expand_dims(a, 1) * ops.expand_dims(a, 0)
    overlap = (np.pi / p) ** 1.5
    core = 3 * np.pi**1.5 * product / p**2.5 - 4 * np.pi / p  # kinetic energy; nucleus of charge 2
    density = ops.expand_dims(c, 1) * ops.expand_dims(c, 0)
    left, right = ops.reshape(p, (-1, 1)), ops.reshape(p, (1, -1))
    repulsion = 2 * np.pi**2.5 / (left * right * ops.sqrt(left + right))
    flat = ops.reshape(density, (-1,))
    norm = ops.sum(density * overlap)
    return 2 * ops.sum(density * core) / norm + ops.sum(flat * (repulsion @ flat)) / norm**2


def boys(t: Tensor) -> Tensor:
    """The integral of exp(-t s^2) for s from 0 to 1, by its series near 0."""
    small = t < 1e-3
    root = ops.sqrt(ops.where(small, ops.ones_like(t), t))
    series = 1 - t / 3 + t**2 / 10 - t**3 / 42
    return ops.where(small, series, 0.5 * np.pi**0.5 * ops.erf(root) / root)


def hydrogen(distance: Tensor) -> Tensor:
    """The energy of H2 in STO-3G: both electrons in the sum of the two atoms' functions."""
    exponents, weights = STO3G
    weights = weights * (2 * exponents / np.pi) ** 0.75
    # Six primitives: three on each nucleus, at 0 and at the distance, all with the same sign.
    a = Tensor(np.tile(exponents, 2))
    c = Tensor(np.tile(weights, 2))
    at = distance * Tensor(np.repeat([0.0, 1.0], 3))

    def pairs(f: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
        return f(ops.expand_dims(a, 1), ops.expand_dims(a, 0))

    p, reduced = pairs(lambda x, y: x + y), pairs(lambda x, y: x * y / (x + y))
    square = ops.square(ops.expand_dims(at, 1) - ops.expand_dims(at, 0))
    density = ops.expand_dims(c, 1) * ops.expand_dims(c, 0) * ops.exp(-reduced * square)
    weighted = a * at
    centre = (ops.expand_dims(weighted, 1) + ops.expand_dims(weighted, 0)) / p

    overlap = density * (np.pi / p) ** 1.5
    kinetic = reduced * (3 - 2 * reduced * square) * overlap
    nuclei = boys(p * ops.square(centre)) + boys(p * ops.square(centre - distance))
    attraction = -2 * np.pi / p * nuclei * density
    flat, p, centre = (ops.reshape(x, (-1, 1)) for x in (density, p, centre))
    q = ops.transpose(p, (1, 0))
    between = ops.square(centre - ops.transpose(centre, (1, 0)))
    repulsion = 2 * np.pi**2.5 / (p * q * ops.sqrt(p + q)) * boys(p * q / (p + q) * between)
    norm = ops.sum(overlap)
    one = 2 * ops.sum(kinetic + attraction) / norm
    return one + ops.sum(flat * (repulsion @ flat)) / norm**2 + 1 / distance


def solve_helium() -> tuple[np.ndarray, list[float]]:
    """Exponents of least energy, and the energies of the steps there."""
    count = len(HELIUM_EXPONENTS)

    def energy(z: Tensor) -> Tensor:
        return helium(z[:count], z[count:])

    @ms.jit
    def step(z: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return energy(z), ms.grad(energy)(z), ms.hessian(energy)(z)

    z = np.concatenate([np.log(0.3 * 4.5 ** np.arange(count)), [0.3, 0.6, 0.6, 0.6]])
    value, g, h = (r.asnumpy() for r in step(Tensor(z)))
    energies, damping = [float(value)], 0.1
    for _ in range(200):
        # The energy does not change with the length of c: that direction has no curvature and no slope.
        curvature, axes = np.linalg.eigh(h)
        trial = z - axes @ ((axes.T @ g) / (abs(curvature) + damping))
        new = [r.asnumpy() for r in step(Tensor(trial))]
        if new[0] <= energies[-1] + 1e-14:
            z, damping, (value, g, h) = trial, max(damping / 4, 1e-9), new
            energies.append(float(value))
            if np.linalg.norm(g) < 1e-8:
                break
        else:
            damping *= 8
    return np.exp(z[:count]), energies


def solve_hydrogen() -> tuple[float, float]:
    """Distance of least energy by Newton's method, and the force constant there."""
    slope = ms.grad(hydrogen)

    @ms.jit
    def both(r: Tensor) -> tuple[Tensor, Tensor]:
        return slope(r), ms.grad(slope)(r)

    distance, second = 1.2, 0.0
    for _ in range(8):
        first, second = (float(r) for r in both(Tensor(distance, ms.float64)))
        distance -= first / second
    return distance, second


def plot(energies: list[float], path: Path) -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2))
    left.semilogy(np.maximum(np.array(energies) - HELIUM_ENERGY, 1e-8))
    left.set(xlabel="Newton step", ylabel="energy above the published one", title="Helium")
    distances = np.linspace(0.8, 4, 65)
    energy, force = ms.jit(hydrogen), ms.grad(hydrogen)
    points = [Tensor(r, ms.float64) for r in distances]
    right.plot(distances, [float(energy(r)) for r in points], label="energy")
    right.plot(distances, [-float(force(r)) for r in points], label="force")
    right.axvline(HYDROGEN_DISTANCE, color="k", linewidth=0.6)
    right.set(xlabel="distance (bohr)", title="H2, STO-3G", ylim=(-1.2, 0.6))
    right.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/hartree_fock"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    exponents, energies = solve_helium()
    print(
        f"helium: {energies[-1]:.7f} after {len(energies) - 1} steps (published: {HELIUM_ENERGY})"
    )
    print("exponents: " + ", ".join(f"{e:.6f}" for e in exponents))
    at = float(ms.jit(hydrogen)(Tensor(1.4, ms.float64)))
    distance, constant = solve_hydrogen()
    print(f"H2 at 1.4 bohr: {at:.5f} (published: {HYDROGEN_ENERGY})")
    print(f"least energy at {distance:.4f} bohr (published: {HYDROGEN_DISTANCE})")
    print(f"force constant: {constant:.4f} hartree/bohr^2")
    plot(energies, options.out / "hartree_fock.png")
    good = (
        abs(energies[-1] - HELIUM_ENERGY) < 1e-6
        # Near the optimum the energy is flat: the published exponents have three digits of it.
        and np.allclose(exponents, HELIUM_EXPONENTS, rtol=5e-3)
        and abs(at - HYDROGEN_ENERGY) < 1e-4
        and abs(distance - HYDROGEN_DISTANCE) < 1e-3
    )
    if not good:
        print("error: an energy is not the published one", file=sys.stderr)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
