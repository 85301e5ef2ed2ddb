"""Learn to learn: the gradient through gradient steps (model-agnostic meta-learning).

Each task is a sine wave of its own amplitude and phase, known at ten points. The meta-learned
weights are those from which a few steps of gradient descent on the ten points give the best curve;
their gradient goes through these steps. All tasks of a batch are one compiled function, by `vmap`.
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

POINTS, HIDDEN, RATE, TASKS = 10, 40, 0.02, 16


def tasks(random: np.random.Generator, count: int) -> list[np.ndarray]:
    """Known and held-out points of `count` sine waves: x, y, x, y, each (count, POINTS, 1)."""
    amplitude = random.uniform(0.5, 3, (count, 1, 1))
    phase = random.uniform(0, np.pi, (count, 1, 1))
    out: list[np.ndarray] = []
    for _ in range(2):
        x = random.uniform(-5, 5, (count, POINTS, 1))
        out += [x, amplitude * np.sin(x + phase)]
    return [a.astype(np.float32) for a in out]


def network(w: list[Tensor], x: Tensor) -> Tensor:
    h = ops.tanh(ops.matmul(x, w[0]) + w[1])
    h = ops.tanh(ops.matmul(h, w[2]) + w[3])
    return ops.matmul(h, w[4]) + w[5]


def error(w: list[Tensor], x: Tensor, y: Tensor) -> Tensor:
    return ops.mean(ops.square(network(w, x) - y))


def adapted(w: list[Tensor], x: Tensor, y: Tensor, steps: int) -> list[Tensor]:
    """The weights after some steps of gradient descent on a task's known points."""
    for _ in range(steps):
        gradients = ms.grad(error)(w, x, y)
        w = [a - RATE * g for a, g in zip(w, gradients)]
    return w


class MetaLoss(nn.Cell):
    """The error on held-out points after adaptation, averaged over tasks."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        random = np.random.default_rng(0)
        sizes = [(1, HIDDEN), (HIDDEN,), (HIDDEN, HIDDEN), (HIDDEN,), (HIDDEN, 1), (1,)]
        self.w = ms.ParameterTuple(
            ms.Parameter(
                (random.standard_normal(s) * (len(s) > 1) / np.sqrt(s[0])).astype(np.float32),
                name=f"w{i}",
            )
            for i, s in enumerate(sizes)
        )
        self.steps = steps

    def one(self, x: Tensor, y: Tensor, x_test: Tensor, y_test: Tensor) -> Tensor:
        return error(adapted(list(self.w), x, y, self.steps), x_test, y_test)

    def construct(self, x: Tensor, y: Tensor, x_test: Tensor, y_test: Tensor) -> Tensor:
        return ops.mean(ms.vmap(self.one)(x, y, x_test, y_test))


def plot(losses: list[float], w: list[Tensor], path: Path) -> None:
    figure, (loss, curves) = plt.subplots(1, 2, figsize=(9, 3.6))
    loss.semilogy(losses, linewidth=0.6)
    loss.set(xlabel="meta step", ylabel="error after adaptation", title="Meta-training")
    x, y, *_ = (a[0] for a in tasks(np.random.default_rng(7), 1))
    grid = np.linspace(-5, 5, 200, dtype=np.float32)[:, None]
    for steps in (0, 1, 3, 10):
        fitted = adapted(w, Tensor(x), Tensor(y), steps)
        curves.plot(grid, network(fitted, Tensor(grid)).asnumpy(), label=f"{steps} steps")
    curves.plot(x, y, "k.", label="known points")
    curves.set(xlabel="x", title="A new task")
    curves.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--meta-steps", type=int, default=10000)
    parser.add_argument("--inner-steps", type=int, default=3)
    parser.add_argument("--tolerance", type=float, default=0.5, help="allowed error of new tasks")
    parser.add_argument("--out", type=Path, default=Path("build/maml"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    loss = MetaLoss(options.inner_steps)
    rate = nn.CosineDecayLR(1e-5, 2e-3, options.meta_steps)
    step = nn.TrainOneStepCell(loss, nn.Adam(loss.trainable_params(), rate))
    random = np.random.default_rng(1)
    start = time.perf_counter()
    losses: list[float] = []
    for _ in tqdm(range(options.meta_steps), desc="meta-training", disable=None):
        losses.append(float(step(*map(Tensor, tasks(random, TASKS)))))
    seconds = time.perf_counter() - start
    print(f"{len(losses)} meta steps in {seconds:.1f} s")

    new = [Tensor(a) for a in tasks(np.random.default_rng(2), 500)]
    after = float(loss(*new))
    untrained = float(MetaLoss(options.inner_steps)(*new))
    print(f"error of new tasks after {options.inner_steps} steps: {after:.3f}")
    print(f"... from untrained weights: {untrained:.3f}")
    plot(losses, [Tensor(p) for p in loss.w], options.out / "maml.png")
    if after > options.tolerance:
        print(f"error: the error is above {options.tolerance}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
