"""Identify an unknown filter from C: the training step of an adaptive filter, exported.

A microphone hears a loudspeaker through a room: 16 numbers, its impulse response. A filter of 16
numbers learns it sample by sample (the least mean squares rule: one step of gradient descent for
each sample). The step is exported; adapt.c calls it 4,000 times and writes the filter after each.
The same steps are made in numpy by their formula, and the filter found is that of the room.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np

import cellgrad as ms
from cellgrad import Tensor, nn, ops

matplotlib.use("Agg")
from matplotlib import pyplot as plt

HERE = Path(__file__).resolve().parent
TAPS, SAMPLES, RATE, NOISE = 16, 4000, 0.005, 0.01


class Echo(nn.Cell):
    """The square of what the filter's prediction leaves of a sample."""

    def __init__(self) -> None:
        super().__init__()
        self.taps = ms.Parameter(ops.zeros(TAPS, ms.float32), name="taps")

    def construct(self, window: Tensor, heard: Tensor) -> Tensor:
        return ops.square(ops.sum(self.taps * window) - heard)


def signals(samples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The room's response (TAPS,), windows of what was played (samples, TAPS), what was heard."""
    random = np.random.default_rng(0)
    room = np.exp(-np.arange(TAPS) / 4) * random.standard_normal(TAPS)
    played = random.standard_normal(samples + TAPS - 1)
    windows = np.lib.stride_tricks.sliding_window_view(played, TAPS)[:, ::-1]
    heard = windows @ room + NOISE * random.standard_normal(samples)
    return room, windows.astype(np.float32), heard.astype(np.float32)


def by_formula(windows: np.ndarray, heard: np.ndarray) -> np.ndarray:
    """The filter after each sample (samples, TAPS), in float64."""
    taps = np.zeros(TAPS)
    out: list[np.ndarray] = []
    for window, sample in zip(windows.astype(float), heard.astype(float), strict=True):
        taps = taps - RATE * 2 * (taps @ window - sample) * window
        out.append(taps)
    return np.array(out)


def in_c(out: Path, samples: int) -> np.ndarray:
    """Compiles adapt.c against the generated header and runs it; returns the filters."""
    command = [os.environ.get("CC", "cc"), "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"]
    command += ["-I", str(out), str(HERE / "adapt.c"), str(out / "echo.so")]
    subprocess.run([*command, f"-Wl,-rpath,{out}", "-o", str(out / "adapt")], check=True)
    sys.stdout.flush()
    subprocess.run([out / "adapt", out / "samples.bin", out / "taps.bin"], check=True)
    return np.fromfile(out / "taps.bin", np.float32).reshape(samples, TAPS)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--out", type=Path, default=HERE.parents[1] / "build" / "filter")
    options = parser.parse_args()
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)

    room, windows, heard = signals(options.samples)
    echo = Echo()
    step = nn.TrainOneStepCell(echo, nn.SGD(echo.trainable_params(), RATE))
    first = Tensor(windows[0]), Tensor(heard[0])
    ms.export(echo, *first, file_name=str(out / "echo"), value_and_grad=False, step=(step, *first))
    size = (out / "echo.so").stat().st_size
    print(f"echo.so: {size / 1000:.1f} kB")
    np.concatenate([windows, heard[:, None]], 1).tofile(out / "samples.bin")

    found, wanted = in_c(out, options.samples), by_formula(windows, heard)
    difference = abs(found - wanted).max()
    error = np.linalg.norm(found - room, axis=1) / np.linalg.norm(room)
    print(f"largest difference to the formula: {difference:.1e}")
    print(f"error of the filter: {error[-1]:.1e}")

    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2))
    left.semilogy(error, linewidth=0.8)
    left.set(xlabel="sample", ylabel="relative error of the filter")
    right.stem(room, basefmt=" ", label="room")
    right.plot(found[-1], "C1x", label="filter found from C")
    right.set(xlabel="tap")
    right.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(out / "filter.png", dpi=120)
    plt.close(figure)
    if difference > 1e-5 or error[-1] > 0.01:
        print("error: the filter is not the formula's, or not the room's", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
