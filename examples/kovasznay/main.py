"""Solve the steady Navier-Stokes equations with a network: Kovasznay's flow behind a grid.

The network gives velocities u, v and the pressure p at (x, y). The loss holds both momentum
equations and the continuity equation at points inside, and the velocities on the edge; pressure is
known up to a constant. First and second derivatives are forward derivatives along x and y, nested,
and the loss is differentiated in reverse through them. The error is measured against the exact solution.
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

REYNOLDS = 40.0
INSIDE, EDGE = 1000, 80
WEIGHT = 10.0  # of the known velocities beside the equations


class Flow(nn.Cell):
    """(u, v, p) as columns (N, 3) at columns of points (N, 1)."""

    def __init__(self) -> None:
        super().__init__()
        sizes = [2, 30, 30, 30]
        dense = partial(nn.Dense, weight_init="XavierUniform", bias_init="zeros", dtype=ms.float64)
        hidden = [dense(a, b, activation="tanh") for a, b in itertools.pairwise(sizes)]
        self.layers = nn.SequentialCell(*hidden, dense(30, 3))

    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        return self.layers(ops.concat((x, y), 1))


class Loss(nn.Cell):
    """The mean squares of the equations' residuals, and of the error on the edge."""

    def __init__(self, flow: Flow) -> None:
        super().__init__()
        self.flow = flow

    def along_x(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """The flow and its derivative along x."""
        return ms.jvp(self.flow, (x, y), (ops.ones_like(x), ops.zeros_like(y)))

    def along_y(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return ms.jvp(self.flow, (x, y), (ops.zeros_like(x), ops.ones_like(y)))

    def construct(
        self, x: Tensor, y: Tensor, x_edge: Tensor, y_edge: Tensor, known: Tensor
    ) -> Tensor:
        one, zero = ops.ones_like(x), ops.zeros_like(x)
        (flow, by_x), (_, by_xx) = ms.jvp(self.along_x, (x, y), (one, zero))
        (_, by_y), (_, by_yy) = ms.jvp(self.along_y, (x, y), (zero, one))
        u, v = flow[:, 0], flow[:, 1]
        diffused = (by_xx + by_yy) / REYNOLDS
        momentum_x = u * by_x[:, 0] + v * by_y[:, 0] + by_x[:, 2] - diffused[:, 0]
        momentum_y = u * by_x[:, 1] + v * by_y[:, 1] + by_y[:, 2] - diffused[:, 1]
        continuity = by_x[:, 0] + by_y[:, 1]
        squares = ops.square(momentum_x) + ops.square(momentum_y) + ops.square(continuity)
        error = self.flow(x_edge, y_edge)[:, :2] - known
        return ops.mean(squares) + WEIGHT * ops.mean(ops.square(error))


def exact(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """u, v and p in the last dimension."""
    rate = REYNOLDS / 2 - np.sqrt(REYNOLDS**2 / 4 + 4 * np.pi**2)
    wave = np.exp(rate * x)
    u = 1 - wave * np.cos(2 * np.pi * y)
    v = rate / (2 * np.pi) * wave * np.sin(2 * np.pi * y)
    return np.stack([u, v, 0.5 * (1 - wave**2)], -1)


def points() -> list[Tensor]:
    """Random points inside of [-0.5, 1] x [-0.5, 1.5], and points of the edge with velocities."""
    random = np.random.default_rng(0)
    low, high = np.array([-0.5, -0.5]), np.array([1.0, 1.5])
    inside = random.uniform(low, high, (INSIDE, 2))
    edge = random.uniform(low, high, (4, EDGE, 2))
    for side, (axis, value) in enumerate([(0, low[0]), (0, high[0]), (1, low[1]), (1, high[1])]):
        edge[side, :, axis] = value
    edge = edge.reshape(-1, 2)
    known = exact(edge[:, 0], edge[:, 1])[:, :2]
    columns = [c[:, None] for c in (*inside.T, *edge.T)]
    return [Tensor(np.ascontiguousarray(a)) for a in (*columns, known)]


def train(flow: Flow, adam_steps: int, lbfgs_steps: int) -> list[float]:
    """Minimises the loss; returns its values."""
    data, loss = points(), Loss(flow)
    rate = nn.CosineDecayLR(1e-4, 5e-3, max(adam_steps, 1))
    step = nn.TrainOneStepCell(loss, nn.Adam(flow.trainable_params(), rate))
    losses = [float(step(*data)) for _ in tqdm(range(adam_steps), desc="Adam", disable=None)]

    gradient = ms.value_and_grad(loss, None, flow.trainable_params())
    bar = tqdm(desc="L-BFGS", total=lbfgs_steps, disable=None)

    def closure() -> tuple[Tensor, tuple[Tensor, ...]]:
        value, gradients = gradient(*data)
        losses.append(float(value))
        bar.update()
        return value, gradients

    optimizer = nn.LBFGS(
        flow.trainable_params(),
        max_iter=lbfgs_steps,
        max_eval=lbfgs_steps,
        tolerance_change=0.0,
        history_size=50,
        line_search_fn="strong_wolfe",
    )
    optimizer(closure)
    bar.close()
    return losses


def plot(
    found: np.ndarray,
    wanted: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    losses: list[float],
    path: Path,
) -> None:
    figure, (loss, field, error) = plt.subplots(1, 3, figsize=(12, 4))
    loss.semilogy(losses, linewidth=0.8)
    loss.set(xlabel="evaluation", ylabel="loss", title="Training")
    field.streamplot(x, y, found[..., 0].T, found[..., 1].T, density=1.2, linewidth=0.7)
    field.set(xlabel="x", ylabel="y", title="Flow")
    off = np.linalg.norm((found - wanted)[..., :2], axis=-1)
    figure.colorbar(error.pcolormesh(x, y, off.T, shading="nearest"), ax=error)
    error.set(xlabel="x", ylabel="y", title="Error of the velocity")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adam", type=int, default=1000, help="steps of Adam")
    parser.add_argument("--lbfgs", type=int, default=3000, help="evaluations of L-BFGS")
    parser.add_argument("--tolerance", type=float, default=2e-3, help="the error that is allowed")
    parser.add_argument("--out", type=Path, default=Path("build/kovasznay"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    ms.set_seed(0)
    flow = Flow()
    start = time.perf_counter()
    losses = train(flow, options.adam, options.lbfgs)
    seconds = time.perf_counter() - start
    print(f"{len(losses)} evaluations in {seconds:.1f} s: loss {losses[0]:.3g} -> {losses[-1]:.3g}")

    x, y = np.linspace(-0.5, 1, 61), np.linspace(-0.5, 1.5, 81)
    grid_x, grid_y = np.meshgrid(x, y, indexing="ij")
    columns = [Tensor(a.reshape(-1, 1)) for a in (grid_x, grid_y)]
    found = flow(*columns).asnumpy().reshape(*grid_x.shape, 3)
    wanted = exact(grid_x, grid_y)
    # The equations know the pressure up to a constant.
    found[..., 2] += (wanted - found)[..., 2].mean()
    error = np.linalg.norm(found - wanted, axis=(0, 1)) / np.linalg.norm(wanted, axis=(0, 1))
    print("relative error of u, v, p: " + ", ".join(f"{e:.1e}" for e in error))
    plot(found, wanted, x, y, losses, options.out / "kovasznay.png")
    if error[0] > options.tolerance:
        print(f"error: the error of u is above {options.tolerance}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
