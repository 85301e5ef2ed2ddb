"""Slices that reach through padding, slices and convolutions keep their numbers.

All small cases are canonicalised by cell-opt and evaluated by the interpreter, which does not simplify; what is
expected comes from numpy.
"""

import itertools
import os
import subprocess
from pathlib import Path

import numpy as np

from cellgrad import _native

BUILD = Path(os.environ.get("CELLGRAD_BUILD_DIR", Path(__file__).parents[2] / "build"))
TOOL = BUILD / "bin" / "cell-opt"


class Cases:
    """One function whose results are all cases: the tensor `x`, of a shape, then others."""

    def __init__(self, **inputs: np.ndarray):
        self.inputs = inputs
        self.ops: list[str] = []
        self.results: list[tuple[str, str]] = []
        self.expected: list[np.ndarray] = []

    def add(self, made: str, bounds: str, kept: np.ndarray) -> None:
        """A slice by `bounds` of what the op `made` gives, which numpy says is `kept`."""
        n = len(self.expected)
        whole = made.rsplit("-> ")[-1]
        self.ops.append(f"  %m{n} = {made}")
        self.ops.append(f"  %s{n} = cell.slice %m{n} {bounds} : {whole} -> {typed(kept)}")
        self.results.append((f"%s{n}", typed(kept)))
        self.expected.append(kept)

    def check(self) -> None:
        arguments = ", ".join(f"%{name}: {typed(x)}" for name, x in self.inputs.items())
        values, types = (", ".join(column) for column in zip(*self.results, strict=True))
        lines = [f"func.func @f({arguments}) -> ({types}) {{", *self.ops]
        text = "\n".join([*lines, f"  return {values} : {types}", "}"])
        command = [TOOL, "--canonicalize"]
        out = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        buffers = [_native.TensorBuffer.from_object(x) for x in self.inputs.values()]
        given = _native.interpret(_native.Graph.parse(out.stdout), "f", buffers)
        for i, (g, kept) in enumerate(zip(given, self.expected, strict=True)):
            np.testing.assert_array_equal(
                np.asarray(g), kept, err_msg="\n".join(self.ops[2 * i :][:2])
            )


def typed(x: np.ndarray) -> str:
    return f"tensor<{'x'.join(map(str, x.shape))}xf32>"


def bounds(size: int) -> list[tuple[int, int, int]]:
    """All starts, limits and strides (1 to 3) of a dimension."""
    return [(s, e, t) for s in range(size) for e in range(s, size + 1) for t in (1, 2, 3)]


def test_slice_of_pad():
    x = np.arange(1, 4, dtype=np.float32)
    cases = Cases(x=x)
    for low, high, interior in itertools.product(range(3), range(3), range(3)):
        padded = np.zeros(low + (len(x) - 1) * (interior + 1) + 1 + high, np.float32)
        padded[low : len(padded) - high : interior + 1] = x
        pad = f"cell.pad %x low [{low}] high [{high}] interior [{interior}]"
        for start, limit, stride in bounds(len(padded)):
            cases.add(
                f"{pad} : {typed(x)} -> {typed(padded)}",
                f"from [{start}] to [{limit}] by [{stride}]",
                padded[start:limit:stride],
            )
    cases.check()


def test_slice_of_slice():
    x = np.arange(6, dtype=np.float32)
    cases = Cases(x=x)
    for start, limit, stride in bounds(len(x)):
        inner = x[start:limit:stride]
        outer = f"cell.slice %x from [{start}] to [{limit}] by [{stride}]"
        for first, last, step in bounds(len(inner)):
            cases.add(
                f"{outer} : {typed(x)} -> {typed(inner)}",
                f"from [{first}] to [{last}] by [{step}]",
                inner[first:last:step],
            )
    cases.check()


def test_slice_of_conv():
    rng = np.random.default_rng(0)
    x = rng.integers(-4, 5, (2, 1, 9)).astype(np.float32)
    w = rng.integers(-4, 5, (1, 1, 3)).astype(np.float32)
    cases = Cases(x=x, w=w)
    for stride, dilation in itertools.product((1, 2, 3), (1, 2)):
        count = (9 - 2 * dilation - 1) // stride + 1
        y = sum(w[0, 0, k] * x[..., k * dilation :][..., ::stride][..., :count] for k in range(3))
        conv = f"cell.conv %x, %w strides [{stride}] dilations [{dilation}] groups 1"
        for start, limit, step in bounds(count):
            cases.add(
                f"{conv} : ({typed(x)}, {typed(w)}) -> {typed(y)}",
                f"from [1, 0, {start}] to [2, 1, {limit}] by [1, 1, {step}]",
                y[1:, :, start:limit:step],
            )
    cases.check()
