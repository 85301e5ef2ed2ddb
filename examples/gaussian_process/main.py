"""Fit the length, amplitude and noise of a Gaussian process by gradients of its log likelihood.

The negative log marginal likelihood goes through a Cholesky factor; its gradient and Hessian by the
three parameters are compiled. Both are compared with the closed form in numpy, and the likelihood
with scipy's density of a multivariate normal.
"""

import argparse
import math
import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib
import numpy as np
import scipy.stats

import cellgrad as ms
from cellgrad import Tensor, ops

matplotlib.use("Agg")
from matplotlib import pyplot as plt

START = np.log([0.3, 0.5, 0.3])  # logarithms of length, amplitude, noise

Function = Callable[[Tensor], Tensor]


def covariance(log_p: Tensor, x: Tensor) -> Tensor:
    """The covariance of values at x (N,): a squared exponential, and independent noise."""
    p = ops.exp(log_p)
    far = ops.square((ops.expand_dims(x, 1) - ops.expand_dims(x, 0)) / p[0])
    return p[1] ** 2 * ops.exp(-0.5 * far) + p[2] ** 2 * ops.eye(x.shape[0], dtype=x.dtype)


def loss(log_p: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """The negative log marginal likelihood of y at x."""
    factor = ops.cholesky(covariance(log_p, x))
    white = ops.MatrixTriangularSolve()(factor, ops.expand_dims(y, 1))
    half_log_det = ops.sum(ops.log(ops.diagonal(factor)))
    return 0.5 * ops.sum(ops.square(white)) + half_log_det + 0.5 * len(y) * math.log(2 * math.pi)


def closed_form(log_p: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The gradient of the loss: (tr(K^-1 dK) - a dK a) / 2 with a = K^-1 y."""
    length, amplitude, noise = np.exp(log_p)
    far = ((x[:, None] - x) / length) ** 2
    smooth = amplitude**2 * np.exp(-0.5 * far)
    inverse = np.linalg.inv(smooth + noise**2 * np.eye(len(x)))
    a = inverse @ y
    slopes = (far * smooth, 2 * smooth, 2 * noise**2 * np.eye(len(x)))
    return np.array([0.5 * (np.sum(inverse * s) - a @ s @ a) for s in slopes])


def newton(
    value: Function, gradient: Function, hessian: Function, p: np.ndarray
) -> tuple[np.ndarray, list[float]]:
    """Newton steps on the loss, damped until it falls; returns the parameters and the losses."""
    losses, damping = [float(value(Tensor(p)))], 1.0
    for _ in range(50):
        g, h = gradient(Tensor(p)).asnumpy(), hessian(Tensor(p)).asnumpy()
        if np.linalg.norm(g) < 1e-9:
            break
        # A Hessian with a direction of negative curvature is no model of a minimum: turn it round.
        scale, axes = np.linalg.eigh(h)
        step = axes @ ((axes.T @ g) / (abs(scale) + damping))
        new = float(value(Tensor(p - step)))
        if new <= losses[-1] + 1e-12:
            p, damping = p - step, damping / 10
            losses.append(new)
        else:
            damping *= 10
    return p, losses


def predict(
    p: np.ndarray, x: np.ndarray, y: np.ndarray, at: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of the process at other points, given y at x."""
    everywhere = covariance(Tensor(p), Tensor(np.concatenate([x, at]))).asnumpy()
    n = len(x)
    known, between, there = everywhere[:n, :n], everywhere[n:, :n], everywhere[n:, n:]
    weights = np.linalg.solve(known, between.T).T
    variance = np.diag(there) - np.sum(weights * between, 1) - np.exp(2 * p[2])
    return weights @ y, np.sqrt(np.maximum(variance, 0))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=60)
    parser.add_argument("--out", type=Path, default=Path("build/gaussian_process"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    random = np.random.default_rng(3)
    x: np.ndarray = np.sort(random.uniform(0.0, 6.0, (options.points,)))
    y = np.sin(2 * x) + 0.3 * x - 0.9 + 0.2 * random.standard_normal(x.size)
    xs, ys = Tensor(x), Tensor(y)

    def of_data(log_p: Tensor) -> Tensor:
        return loss(log_p, xs, ys)

    value, gradient, hessian = ms.jit(of_data), ms.grad(of_data), ms.jit(ms.hessian(of_data))

    p, losses = newton(value, gradient, hessian, START)
    print(f"{len(losses) - 1} Newton steps: {losses[0]:.3f} -> {losses[-1]:.6f}")
    print("length {:.4f}, amplitude {:.4f}, noise {:.4f}".format(*np.exp(p)))

    k = covariance(Tensor(START), xs).asnumpy()
    wanted = -scipy.stats.multivariate_normal(np.zeros(x.size), k).logpdf(y)
    value_error = abs(losses[0] - wanted) / abs(wanted)
    slope = closed_form(START, x, y)
    slope_error = abs(gradient(Tensor(START)).asnumpy() - slope).max() / abs(slope).max()
    print(f"difference to scipy's density: {value_error:.1e}")
    print(f"difference to the closed form of the gradient: {slope_error:.1e}")
    print(f"closed form of the gradient at the end: {abs(closed_form(p, x, y)).max():.1e}")

    at = np.linspace(0, 6, 241)
    mean, deviation = predict(p, x, y, at)
    figure, axes = plt.subplots(figsize=(6, 3.4))
    axes.fill_between(at, mean - 2 * deviation, mean + 2 * deviation, alpha=0.25)
    axes.plot(at, mean, label="mean, and two standard deviations")
    axes.plot(x, y, "k.", markersize=3, label="data")
    axes.plot(at, np.sin(2 * at) + 0.3 * at - 0.9, "k--", linewidth=0.8, label="truth")
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(options.out / "gaussian_process.png", dpi=120)
    plt.close(figure)
    if max(value_error, slope_error) > 1e-9 or abs(closed_form(p, x, y)).max() > 1e-6:
        print("error: the compiled derivatives differ from the closed form", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
