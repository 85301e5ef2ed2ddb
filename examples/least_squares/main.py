"""Exact derivatives in optimisation: Levenberg-Marquardt with Jacobians, Newton with Hessians.

Two decaying oscillations are fitted to noisy measurements: Levenberg-Marquardt takes the Jacobian
of the residuals by forward differentiation, and ends where scipy's does. Then Newton's method with
the exact Hessian of the same sum of squares doubles the number of right digits a step.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib
import numpy as np
import scipy.optimize

import cellgrad as ms
from cellgrad import Tensor, ops

matplotlib.use("Agg")
from matplotlib import pyplot as plt

TRUTH = np.array([1.5, 0.8, 6.0, 0.7, 0.3, 2.5])
START = np.array([1.2, 1.0, 6.5, 0.5, 0.5, 2.9])

Function = Callable[[Tensor], Tensor]


def curve(p: Tensor, t: Tensor) -> Tensor:
    """Two terms a exp(-b t) cos(c t)."""
    first = p[0] * ops.exp(-p[1] * t) * ops.cos(p[2] * t)
    return first + p[3] * ops.exp(-p[4] * t) * ops.cos(p[5] * t)


def make(t: Tensor, y: Tensor) -> tuple[Function, Function, Function, Function]:
    """The residuals, their Jacobian, and the gradient and Hessian of half their square."""

    def residuals(p: Tensor) -> Tensor:
        return curve(p, t) - y

    def half_square(p: Tensor) -> Tensor:
        return 0.5 * ops.sum(ops.square(residuals(p)))

    return (
        ms.jit(residuals),
        ms.jit(ms.jacfwd(residuals)),
        ms.jit(ms.grad(half_square)),
        ms.jit(ms.hessian(half_square)),
    )


def levenberg_marquardt(
    residuals: Function, jacobian: Function, p: np.ndarray
) -> tuple[np.ndarray, list[float]]:
    """Damped Gauss-Newton steps; returns the parameters and half the sum of squares after each."""
    damping, r = 1e-3, residuals(Tensor(p)).asnumpy()
    history = [0.5 * float(r @ r)]
    for _ in range(100):
        j = jacobian(Tensor(p)).asnumpy()
        normal, slope = j.T @ j, j.T @ r
        step = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), -slope)
        new = residuals(Tensor(p + step)).asnumpy()
        if new @ new < r @ r:
            p, r, damping = p + step, new, damping / 5
            history.append(0.5 * float(r @ r))
            if abs(step).max() < 1e-10:
                break
        else:
            damping *= 4
            if damping > 1e10:
                break
    return p, history


def newton(gradient: Function, hessian: Function, p: np.ndarray) -> tuple[np.ndarray, list[float]]:
    """Newton's method; returns the parameters and the gradient's norm before each step."""
    norms: list[float] = []
    for _ in range(8):
        g = gradient(Tensor(p)).asnumpy()
        norms.append(float(np.linalg.norm(g)))
        p = p - np.linalg.solve(hessian(Tensor(p)).asnumpy(), g)
    return p, norms


def plot(
    t: np.ndarray,
    y: np.ndarray,
    fitted: np.ndarray,
    history: list[float],
    norms: list[float],
    path: Path,
) -> None:
    figure, (data, squares, slope) = plt.subplots(1, 3, figsize=(13, 3.6))
    data.plot(t, y, ".", markersize=3, label="measured")
    data.plot(t, fitted, label="fitted")
    data.set(xlabel="t", title="Two decaying oscillations")
    data.legend()
    squares.semilogy(history, "o-", markersize=3)
    squares.set(xlabel="step", ylabel="half the sum of squares", title="Levenberg-Marquardt")
    slope.semilogy(norms, "o-", markersize=3)
    slope.set(xlabel="step", ylabel="norm of the gradient", title="Newton")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/least_squares"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    t = np.linspace(0, 6, 300)
    clean = curve(Tensor(TRUTH), Tensor(t)).asnumpy()
    y = clean + 0.05 * np.random.default_rng(0).standard_normal(t.size)
    residuals, jacobian, gradient, hessian = make(Tensor(t), Tensor(y))

    found, history = levenberg_marquardt(residuals, jacobian, START)
    print(f"Levenberg-Marquardt: {len(history) - 1} steps, {history[0]:.3f} -> {history[-1]:.6f}")
    reference = scipy.optimize.least_squares(
        lambda p: residuals(Tensor(p)).asnumpy().copy(),
        START,
        jac=lambda p: jacobian(Tensor(p)).asnumpy().copy(),
        method="lm",
        xtol=1e-14,
        ftol=1e-14,
    )
    difference = abs(found - reference.x).max()
    print(f"largest difference to scipy's parameters: {difference:.1e}")

    polished, norms = newton(gradient, hessian, found + 0.01)
    print("Newton, norm of the gradient: " + ", ".join(f"{n:.0e}" for n in norms))
    symmetry = hessian(Tensor(found)).asnumpy()
    print(f"asymmetry of the Hessian: {abs(symmetry - symmetry.T).max():.1e}")
    fitted = curve(Tensor(polished), Tensor(t)).asnumpy()
    plot(t, y, fitted, history, norms, options.out / "least_squares.png")
    good = difference < 1e-6 and norms[-1] < 1e-9 and abs(polished - found).max() < 1e-6
    if not good:
        print("error: the methods do not agree", file=sys.stderr)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
