"""Solve Burgers' equation with a network: u_t + u u_x = nu u_xx.

The network learns from the equation alone: the loss holds its residual at points inside, with
u_x, u_t and u_xx by nested gradients, and the initial and boundary values. Adam comes first, then
L-BFGS. The error is measured against the exact solution (Cole-Hopf, by Gauss-Hermite quadrature).
"""

import argparse
import itertools
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

NU = 0.01 / np.pi
INSIDE, EDGE = 2000, 100
WEIGHT = 20.0  # of the known values beside the equation


class Solution(nn.Cell):
    """u(x, t): four hidden layers of 20, applied to columns of points."""

    def __init__(self) -> None:
        super().__init__()
        sizes = [2, 20, 20, 20, 20]
        dense = partial(nn.Dense, weight_init="XavierUniform", bias_init="zeros", dtype=ms.float64)
        hidden = [dense(a, b, activation="tanh") for a, b in itertools.pairwise(sizes)]
        self.layers = nn.SequentialCell(*hidden, dense(20, 1))

    def construct(self, x: Tensor, t: Tensor) -> Tensor:
        return self.layers(ops.concat((x, t), 1))


class Loss(nn.Cell):
    """The mean square of the equation's residual, and of the error at known points."""

    def __init__(self, u: Solution) -> None:
        super().__init__()
        self.u = u

    def u_x(self, x: Tensor, t: Tensor) -> Tensor:
        return ms.grad(self.u, 0)(x, t)

    def construct(
        self, x: Tensor, t: Tensor, x_known: Tensor, t_known: Tensor, u_known: Tensor
    ) -> Tensor:
        u = self.u(x, t)
        u_x, u_t = ms.grad(self.u, (0, 1))(x, t)
        u_xx = ms.grad(self.u_x, 0)(x, t)
        residual = u_t + u * u_x - NU * u_xx
        error = self.u(x_known, t_known) - u_known
        return ops.mean(ops.square(residual)) + WEIGHT * ops.mean(ops.square(error))


def exact(x: np.ndarray, t: np.ndarray) -> np.ndarray:
    """The solution that starts as -sin(pi x): a quotient of integrals with a Gaussian weight."""
    nodes, weights = np.polynomial.hermite.hermgauss(100)
    shifted = x[..., None] - np.sqrt(4 * NU * t[..., None]) * nodes
    # The weights of the heat kernel, with the greatest exponent taken out.
    exponent = -np.cos(np.pi * shifted) / (2 * np.pi * NU)
    kernel = weights * np.exp(exponent - exponent.max(-1, keepdims=True))
    u: np.ndarray = -(np.sin(np.pi * shifted) * kernel).sum(-1) / kernel.sum(-1)
    return u


def points() -> list[Tensor]:
    """Random points inside, denser where the front forms, and initial and boundary values."""
    random = np.random.default_rng(0)
    middle = np.clip(0.1 * random.standard_normal((INSIDE // 2, 1)), -1, 1)
    x = np.concatenate([middle, random.uniform(-1, 1, (INSIDE - INSIDE // 2, 1))])
    t = random.uniform(0, 1, (INSIDE, 1))
    x_start = random.uniform(-1, 1, (EDGE, 1))
    t_edge = random.uniform(0, 1, (EDGE, 1))
    x_known = np.concatenate([x_start, np.ones((EDGE // 2, 1)), -np.ones((EDGE // 2, 1))])
    t_known = np.concatenate([np.zeros((EDGE, 1)), t_edge])
    u_known = np.concatenate([-np.sin(np.pi * x_start), np.zeros((EDGE, 1))])
    return [Tensor(a) for a in (x, t, x_known, t_known, u_known)]


def train(u: Solution, adam_steps: int, lbfgs_steps: int) -> list[float]:
    """Minimises the loss; returns its values."""
    data, loss = points(), Loss(u)
    rate = nn.CosineDecayLR(1e-4, 5e-3, max(adam_steps, 1))
    step = nn.TrainOneStepCell(loss, nn.Adam(u.trainable_params(), rate))
    losses = [float(step(*data)) for _ in tqdm(range(adam_steps), desc="Adam", disable=None)]

    gradient = ms.value_and_grad(loss, None, u.trainable_params())
    bar = tqdm(desc="L-BFGS", total=lbfgs_steps, disable=None)

    def closure() -> tuple[Tensor, tuple[Tensor, ...]]:
        value, gradients = gradient(*data)
        losses.append(float(value))
        bar.update()
        return value, gradients

    optimizer = nn.LBFGS(
        u.trainable_params(),
        max_iter=lbfgs_steps,
        max_eval=lbfgs_steps,
        tolerance_change=0.0,
        history_size=50,
        line_search_fn="strong_wolfe",
    )
    if lbfgs_steps:
        optimizer(closure)
    bar.close()
    return losses


def plot(
    u: np.ndarray,
    wanted: np.ndarray,
    x: np.ndarray,
    t: np.ndarray,
    losses: list[float],
    path: Path,
) -> None:
    figure, (loss, field, cut) = plt.subplots(1, 3, figsize=(13, 3.6))
    loss.semilogy(losses, linewidth=0.8)
    loss.set(xlabel="evaluation", ylabel="loss", title="Training")
    image = field.pcolormesh(t, x, u.T, cmap="RdBu", shading="nearest")
    field.set(xlabel="t", ylabel="x", title="u(x, t)")
    figure.colorbar(image, ax=field)
    for moment, colour in ((0.25, "C0"), (0.5, "C1"), (0.9, "C2")):
        row = int(moment * (len(t) - 1))
        cut.plot(x, wanted[row], colour, linewidth=3, alpha=0.3)
        cut.plot(x, u[row], colour, linewidth=1, label=f"t = {t[row]:.2f}")
    cut.set(xlabel="x", ylabel="u", title="Network (thin) and exact (wide)")
    cut.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adam", type=int, default=1500, help="steps of Adam")
    parser.add_argument("--lbfgs", type=int, default=6000, help="evaluations of L-BFGS")
    parser.add_argument("--tolerance", type=float, default=0.01, help="the error that is allowed")
    parser.add_argument("--out", type=Path, default=Path("build/burgers"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    ms.set_seed(1)
    u = Solution()
    start = time.perf_counter()
    losses = train(u, options.adam, options.lbfgs)
    seconds = time.perf_counter() - start
    print(f"{len(losses)} evaluations in {seconds:.1f} s: loss {losses[0]:.3g} -> {losses[-1]:.3g}")

    x, t = np.linspace(-1, 1, 201), np.linspace(0.01, 0.99, 99)
    grid_t, grid_x = np.meshgrid(t, x, indexing="ij")
    columns = [Tensor(a.reshape(-1, 1)) for a in (grid_x, grid_t)]
    found = u(*columns).asnumpy().reshape(grid_x.shape)
    wanted = exact(grid_x, grid_t)
    error = np.linalg.norm(found - wanted) / np.linalg.norm(wanted)
    print(f"relative error of u: {error:.2e}")
    plot(found, wanted, x, t, losses, options.out / "burgers.png")
    if error > options.tolerance:
        print(f"error: the error is above {options.tolerance}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
