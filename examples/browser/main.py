"""A gradient in the browser: a throw against the wind is aimed by a click, in WebAssembly.

The flight is a loop of steps; how far it misses the target is differentiated through that loop by
the first velocity. Both are exported for wasm32. index.html draws the flight and follows the
gradient while you move the target, aim.mjs does the same steps in node. Those are compared with
derivatives by complex steps in numpy, and the flight with scipy's.
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from scipy.integrate import solve_ivp

import cellgrad as ms
from cellgrad import Tensor, ops

matplotlib.use("Agg")
from matplotlib import pyplot as plt

HERE = Path(__file__).resolve().parent
GRAVITY, DRAG, DURATION, STEPS = 9.81, 0.05, 2.0, 200  # m/s^2, 1/m, s
SLICE = DURATION / STEPS
VELOCITY, WIND, TARGET = [6.0, 12.0], -4.0, [14.0, 5.0]


def flight(velocity: Tensor, wind: Tensor) -> Tensor:
    """Positions (STEPS + 1, 2) of a ball that leaves the origin with `velocity` (2,), by midpoint steps."""
    down, breeze = Tensor([0.0, -GRAVITY], ms.float64), ops.stack((wind, ops.zeros_like(wind)))

    def acceleration(v: Tensor) -> Tensor:
        relative = v - breeze
        return down - DRAG * ops.sqrt(ops.sum(relative * relative)) * relative

    def step(state: tuple[Tensor, Tensor], _: Tensor) -> tuple[tuple[Tensor, Tensor], Tensor]:
        place, v = state
        middle = v + 0.5 * SLICE * acceleration(v)
        place, v = place + SLICE * middle, v + SLICE * acceleration(middle)
        return (place, v), place

    origin = ops.zeros_like(velocity)
    _, places = ops.Scan()(step, (origin, velocity), ops.zeros(STEPS, ms.float64))
    return ops.concat((origin[None], places))


def miss(velocity: Tensor, wind: Tensor, target: Tensor) -> Tensor:
    """The square of the distance between the flight's end and `target` (2,)."""
    return ops.sum(ops.square(flight(velocity, wind)[-1] - target))


def by_complex_steps(
    velocity: Sequence[float], wind: float, target: Sequence[float]
) -> tuple[float, np.ndarray]:
    """The value of `miss` and its slopes by the velocity: numpy, exact up to rounding."""

    def squared(v: np.ndarray) -> complex:
        place = np.zeros(2, complex)

        def acceleration(v: np.ndarray) -> np.ndarray:
            relative = v - np.array([wind, 0])
            drag = DRAG * np.sqrt(np.sum(relative**2)) * relative
            total: np.ndarray = np.array([0, -GRAVITY]) - drag
            return total

        for _ in range(STEPS):
            middle = v + 0.5 * SLICE * acceleration(v)
            place, v = place + SLICE * middle, v + SLICE * acceleration(middle)
        return complex(np.sum((place - target) ** 2))

    tiny = 1e-30
    moved = [squared(np.array(velocity) + 1j * tiny * e) for e in np.eye(2)]
    return moved[0].real, np.array([m.imag for m in moved]) / tiny


def by_scipy(velocity: Sequence[float], wind: float) -> np.ndarray:
    """Where the ball is after DURATION."""

    def slope(_: float, state: np.ndarray) -> np.ndarray:
        relative = state[2:] - np.array([wind, 0])
        pull = np.array([0, -GRAVITY]) - DRAG * np.linalg.norm(relative) * relative
        return np.concatenate((state[2:], pull))

    solved = solve_ivp(slope, (0, DURATION), [0, 0, *velocity], rtol=1e-10, atol=1e-10)
    end: np.ndarray = solved.y[:2, -1]
    return end


def export(out: Path) -> None:
    """Writes throw.wasm and throw.mjs, and copies the page beside them."""
    velocity, wind, target = (Tensor(a, ms.float64) for a in (VELOCITY, WIND, TARGET))
    aimed = (ms.value_and_grad(miss), velocity, wind, target)
    ms.export(
        flight, velocity, wind, file_name=str(out / "throw"), target="wasm32", value_and_grad=aimed
    )
    for name in ("index.html", "aim.mjs"):
        shutil.copy(HERE / name, out)
    print(f"throw.wasm: {(out / 'throw.wasm').stat().st_size / 1000:.1f} kB")


def draw(aims: list[dict[str, Any]], out: Path) -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2))
    chosen = [aims[i] for i in (0, 1, 2, 4, 8) if i < len(aims)] + [aims[-1]]
    for shade, aim in zip(np.linspace(0.25, 1, len(chosen)), chosen, strict=True):
        left.plot(*np.array(aim["path"]).reshape(-1, 2).T, color=plt.cm.Blues(shade))
    left.plot(*TARGET, "C1x", markersize=9, markeredgewidth=2)
    left.set(xlabel="distance (m)", ylabel="height (m)", title=f"wind {WIND} m/s")
    right.semilogy([np.sqrt(a["value"]) for a in aims], "o-", markersize=3)
    right.set(xlabel="step in WebAssembly", ylabel="miss (m)")
    figure.tight_layout()
    figure.savefig(out / "browser.png", dpi=120)
    plt.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE.parents[1] / "build" / "browser")
    out = parser.parse_args().out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    export(out)
    print(f"to see it: python -m http.server -d {out}, then http://localhost:8000")

    node = shutil.which("node")
    if node is None:
        print("error: node is not installed: nothing but the page was made", file=sys.stderr)
        return 1
    told = subprocess.run(
        [node, out / "aim.mjs"],
        input=json.dumps({"velocity": VELOCITY, "wind": WIND, "target": TARGET}),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    aims = json.loads(told.stdout)
    errors: list[float] = []
    for aim in aims:
        value, slopes = by_complex_steps(aim["velocity"], WIND, TARGET)
        errors.append(abs(aim["value"] - value) / max(1, value))
        errors.append(np.abs(aim["gradient"] - slopes).max() / max(1, np.abs(slopes).max()))
    apart = np.abs(aims[-1]["path"][-2:] - by_scipy(aims[-1]["velocity"], WIND)).max()
    print(f"largest difference to complex steps: {max(errors):.1e}")
    print(f"end of the flight, difference to scipy: {1000 * apart:.2f} mm")
    print(f"after {len(aims) - 1} steps it misses by {1000 * np.sqrt(aims[-1]['value']):.2f} mm")
    draw(aims, out)
    if max(errors) > 1e-12 or apart > 1e-3 or aims[-1]["value"] > 1e-6:
        print("error: not the derivative, not the flight, or off the target", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
