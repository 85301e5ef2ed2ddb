"""Estimate stiffness, damping and noise of an oscillator from positions, through a Kalman filter.

The filter is a loop over the measurements (`ops.Scan`), and its log likelihood is differentiated
through the loop. The likelihood is compared with the density of all measurements at once: they are
jointly normal, with a covariance that numpy builds without a filter.
"""

import argparse
import sys
from pathlib import Path

import matplotlib
import numpy as np

import cellgrad as ms
from cellgrad import Tensor, nn, ops

matplotlib.use("Agg")
from matplotlib import pyplot as plt

STEP = 0.1
TRUTH = np.array([4.0, 0.3, 0.5, 0.2])  # stiffness, damping, noise of the force and of measurements
NAMES = ("stiffness", "damping", "force noise", "measurement noise")
START_VARIANCE = 1.0

State = tuple[Tensor, Tensor, Tensor]  # mean, variance and loss after some measurements


class Filter(nn.Cell):
    """The negative log likelihood of measured positions (T,), for its parameters."""

    def __init__(self, start: np.ndarray) -> None:
        super().__init__()
        self.log_p = ms.Parameter(Tensor(np.log(start)), name="log_p")

    def construct(self, measured: Tensor) -> tuple[Tensor, Tensor]:
        """The negative log likelihood, and the filtered positions and their variances (T,)."""
        stiffness, damping, force, noise = ops.exp(self.log_p)
        one, zero = ops.ones_like(stiffness), ops.zeros_like(stiffness)
        # Position and velocity after a step; the force acts on the velocity.
        rows = (one, one * STEP, -STEP * stiffness, one - STEP * damping)
        move = ops.reshape(ops.stack(rows), (2, 2))
        spread = ops.reshape(ops.stack((zero, zero, zero, STEP * force**2)), (2, 2))

        def step(state: State, y: Tensor) -> tuple[State, Tensor]:
            mean, variance, loss = state
            total = variance[0, 0] + noise**2
            error = y - mean[0]
            loss = loss + 0.5 * (ops.log(2 * np.pi * total) + error**2 / total)
            gain = variance[:, 0] / total
            mean = mean + gain * error
            variance = variance - ops.outer(gain, variance[0])
            seen = ops.stack((mean[0], variance[0, 0]))
            new = (move @ mean, move @ variance @ ops.transpose(move, (1, 0)) + spread, loss)
            return new, seen

        mean = ops.zeros((2,), measured.dtype)
        variance = START_VARIANCE * ops.eye(2, dtype=measured.dtype)
        (_, _, loss), seen = ops.Scan()(step, (mean, variance, zero), measured)
        return loss, seen


def matrices(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    move = np.array([[1, STEP], [-STEP * p[0], 1 - STEP * p[1]]])
    return move, np.diag([0, STEP * p[2] ** 2])


def simulate(steps: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """True and measured positions (T,)."""
    random = np.random.default_rng(seed)
    move, spread = matrices(TRUTH)
    state = random.standard_normal(2)
    passed: list[float] = []
    for _ in range(steps):
        passed.append(state[0])
        state = move @ state + np.sqrt(np.diag(spread)) * random.standard_normal(2)
    positions = np.array(passed)
    return positions, positions + TRUTH[3] * random.standard_normal(steps)


def joint_density(p: np.ndarray, measured: np.ndarray) -> float:
    """The negative log likelihood from the covariance of all measurements, without a filter."""
    move, spread = matrices(p)
    count = len(measured)
    variances = [START_VARIANCE * np.eye(2)]
    for _ in range(count - 1):
        variances.append(move @ variances[-1] @ move.T + spread)
    covariance = p[3] ** 2 * np.eye(count)
    for i, variance in enumerate(variances):
        for j in range(i, count):
            covariance[i, j] += variance[0, 0]
            if j > i:
                covariance[j, i] = covariance[i, j]
            variance = move @ variance
    _, log_det = np.linalg.slogdet(covariance)
    error = measured @ np.linalg.solve(covariance, measured)
    return float(0.5 * (error + log_det + count * np.log(2 * np.pi)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=400, help="measurements")
    parser.add_argument("--lbfgs", type=int, default=60, help="evaluations of L-BFGS")
    parser.add_argument("--out", type=Path, default=Path("build/kalman"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    positions, measured = simulate(options.steps, 0)
    start = np.array([2.0, 1.0, 1.0, 0.5])
    net, data = Filter(start), Tensor(measured)
    parameters = net.trainable_params()
    gradient = ms.value_and_grad(net, None, parameters, has_aux=True)
    losses: list[float] = []

    def closure() -> tuple[Tensor, tuple[Tensor, ...]]:
        (value, _), gradients = gradient(data)
        losses.append(float(value))
        return value, gradients

    optimizer = nn.LBFGS(
        parameters,
        max_iter=options.lbfgs,
        max_eval=options.lbfgs,
        tolerance_change=0.0,
        tolerance_grad=1e-7,
        line_search_fn="strong_wolfe",
    )
    optimizer(closure)
    found = np.exp(net.log_p.asnumpy())
    print(f"{len(losses)} evaluations: {losses[0]:.3f} -> {losses[-1]:.6f}")
    for name, truth, value in zip(NAMES, TRUTH, found, strict=True):
        print(f"{name}: {value:.3f} (truth {truth})")

    loss, seen = net(data)
    wanted = joint_density(found, measured)
    difference = abs(float(loss) - wanted) / abs(wanted)
    print(f"difference to the density of all measurements: {difference:.1e}")
    # The joint density around the optimum, without a filter: it may not fall anywhere.
    around = [found * np.exp(s * 1e-3 * d) for d in np.eye(4) for s in (-1, 1)]
    lowest = min(joint_density(p, measured) for p in around) >= wanted
    filtered, variance = seen.asnumpy().T
    error, raw = (np.sqrt(np.mean((x - positions) ** 2)) for x in (filtered, measured))
    print(f"error of positions: {raw:.3f} measured, {error:.3f} filtered")

    shown, time = slice(0, 150), STEP * np.arange(options.steps)
    figure, axes = plt.subplots(figsize=(6, 3.4))
    band = 2 * np.sqrt(variance)
    axes.fill_between(time[shown], (filtered - band)[shown], (filtered + band)[shown], alpha=0.3)
    axes.plot(time[shown], filtered[shown], label="filtered, two standard deviations")
    axes.plot(time[shown], measured[shown], "k.", markersize=3, label="measured")
    axes.plot(time[shown], positions[shown], "k--", linewidth=0.8, label="truth")
    axes.set(xlabel="time", ylabel="position")
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(options.out / "kalman.png", dpi=120)
    plt.close(figure)
    if difference > 1e-9 or not lowest or error > 0.8 * raw:
        print("error: the filter's likelihood is wrong, or not at its optimum", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
