"""Learn a differential equation through an adaptive solver: a neural ODE.

A network is the right-hand side of y' = f(y). The equation is solved by an embedded Runge-Kutta
pair of orders 3 and 2 whose step adapts to the error: a `while` loop on tensors, with a number of
trips that is known only when it runs. The loss is differentiated through the loop, and loop,
gradient and Adam's update are one compiled function.
"""

import argparse
import sys
import time
from pathlib import Path

import matplotlib
import numpy as np
import scipy.integrate
from tqdm import tqdm

import cellgrad as ms
from cellgrad import Tensor, nn, ops

matplotlib.use("Agg")
from matplotlib import pyplot as plt

TOLERANCE, SPAN, STARTS, SPANS = 1e-4, 0.5, 256, 20
MATRIX = np.array([[-0.1, 2.0], [-2.0, -0.1]])


def truth(times: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The spiral y' = A y^3 from a start (2,), at some times."""
    solution = scipy.integrate.solve_ivp(
        lambda t, y: MATRIX @ y**3, (0, times[-1]), start, t_eval=times, rtol=1e-9, atol=1e-9
    )
    path: np.ndarray = solution.y.T.astype(np.float32)
    return path


class Field(nn.Cell):
    """The right-hand side: a network of the cubes of y."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Dense(2, 50, activation="tanh")
        self.out = nn.Dense(50, 2)

    def construct(self, y: Tensor) -> Tensor:
        return self.out(self.hidden(y * y * y))


class Solver(nn.Cell):
    """y(t + span) from y(t), for rows of y, by Bogacki and Shampine's pair."""

    def __init__(self, field: Field) -> None:
        super().__init__()
        self.field = field

    def construct(self, y: Tensor, span: Tensor) -> tuple[Tensor, Tensor]:
        t = ops.zeros_like(span)
        h = 0.2 * span
        trips = ops.zeros_like(span)
        while t < span:
            h = ops.minimum(h, span - t)
            k1 = self.field(y)
            k2 = self.field(y + 0.5 * h * k1)
            k3 = self.field(y + 0.75 * h * k2)
            new = y + h / 9.0 * (2.0 * k1 + 3.0 * k2 + 4.0 * k3)
            k4 = self.field(new)
            wrong = h * (5.0 / 72.0 * k1 - k2 / 12.0 - k3 / 9.0 + k4 / 8.0)
            error = ops.stop_gradient(ops.amax(ops.abs(wrong))) / TOLERANCE
            ok = error <= 1.0
            y = ops.select(ok, new, y)
            t = ops.select(ok, t + h, t)
            h = h * ops.clip_by_value(0.9 * (error + 1e-6) ** (-1.0 / 3.0), 0.2, 5.0)
            trips = trips + 1.0
        return y, trips


class Loss(nn.Cell):
    """The error of y after a span, and how often the loop went round."""

    def __init__(self, solver: Solver) -> None:
        super().__init__()
        self.solver = solver

    def construct(self, y: Tensor, span: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        found, trips = self.solver(y, span)
        return ops.mean(ops.abs(found - target)), trips


def plot(
    losses: list[float], trips: list[float], found: np.ndarray, wanted: np.ndarray, path: Path
) -> None:
    figure, (loss, count, phase) = plt.subplots(1, 3, figsize=(13, 3.6))
    loss.semilogy(losses, linewidth=0.6)
    loss.set(xlabel="step", ylabel="mean error", title="Training")
    count.plot(trips, linewidth=0.6)
    count.set(xlabel="step", title="Trips of the solver's loop")
    phase.plot(*wanted.T, "k", linewidth=3, alpha=0.3, label="truth")
    phase.plot(*found.T, linewidth=1, label="learned")
    phase.set(title="From one start to the end")
    phase.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--tolerance", type=float, default=0.1, help="allowed error at the end")
    parser.add_argument("--out", type=Path, default=Path("build/neural_ode"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    starts = np.random.default_rng(0).uniform(-2, 2, (STARTS, 2)).astype(np.float32)
    ends = np.array([truth(np.array([0, SPAN]), start)[-1] for start in starts])
    y, target, span = Tensor(starts), Tensor(ends), Tensor(SPAN, ms.float32)

    ms.set_seed(0)
    field = Field()
    loss = Loss(Solver(field))
    optimizer = nn.Adam(field.trainable_params(), nn.CosineDecayLR(1e-5, 1e-2, options.steps))
    gradient = ms.value_and_grad(loss, None, optimizer.parameters, has_aux=True)

    @ms.jit
    def step(y: Tensor, span: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        (value, trips), gradients = gradient(y, span, target)
        optimizer(gradients)
        return value, trips

    start = time.perf_counter()
    losses: list[float] = []
    trips: list[float] = []
    for _ in tqdm(range(options.steps), desc="training", disable=None):
        value, count = step(y, span, target)
        losses.append(value.item())
        trips.append(count.item())
    seconds = time.perf_counter() - start
    print(
        f"{len(losses)} steps in {seconds:.1f} s: error {losses[0]:.3g} -> {losses[-1]:.3g}, "
        f"{min(trips):.0f} to {max(trips):.0f} trips of the loop"
    )

    times = SPAN * np.arange(SPANS + 1)
    wanted = truth(times, np.array([2.0, 0.0]))
    path = [wanted[:1]]
    for _ in range(SPANS):
        path.append(loss.solver(Tensor(path[-1]), span)[0].asnumpy().copy())
    found = np.concatenate(path)
    error = float(np.abs(found - wanted).mean())
    print(f"mean error from (2, 0) to t = {times[-1]:.0f}: {error:.4f}")
    plot(losses, trips, found, wanted, options.out / "neural_ode.png")
    if error > options.tolerance:
        print(f"error: the error is above {options.tolerance}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
