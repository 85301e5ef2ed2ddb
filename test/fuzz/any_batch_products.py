"""Checks products that sum over a batch of any size: gradients of dense layers, against exact sums in int64.

Inputs and weights are small whole numbers, so each sum is exact in float32, in any order: gradients must have all bits.
Layers are of random widths, their rows samples or several for each. Sizes are those where plans change: few rows, blocks of a sum, and
batches whose samples are no longer kept.

Files of one such product are called in guarded memory, whose arena has the bytes that the model says, alone and with workers that take its items
in any order (guarded.py), on vectors of 128, 256 and 512 bits.

    python test/fuzz/any_batch_products.py --first=0 --count=20
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path
from typing import Any

import guarded
import numpy as np
from contractions import TARGETS

import cellgrad as ms
from cellgrad import _native, ops

WIDTHS = (1, 2, 3, 5, 8, 16, 17, 31, 48, 64, 65, 100, 130, 257)
SIZES = (1, 2, 3, 4, 5, 7, 9, 16, 47, 63, 64, 65, 66, 100, 127, 129, 256, 257, 300, 513, 1000)
LARGE = (1023, 1024, 1025, 1100)
OWN = (1, 32, 64, 128)  # sizes that have programs of their own

# Of whole numbers, to whole numbers: in cellgrad, in numpy, and the slope.
STEPS = {
    "same": (lambda x: x, lambda x: x, lambda x: np.ones_like(x)),
    "twice": (lambda x: x + x, lambda x: 2 * x, lambda x: 2 + 0 * x),
    "relu": (ops.relu, lambda x: np.maximum(x, 0), lambda x: (x > 0).astype(x.dtype)),
    "clip": (
        *(lambda x: ops.clamp(x, -2, 2), lambda x: np.clip(x, -2, 2)),
        lambda x: ((x >= -2) & (x <= 2)).astype(x.dtype),
    ),
}


class Layers:
    """Layers w, with x -> step(x w^T) of each, and a loss that is the sum of all they give times whole numbers."""

    def __init__(self, draw: random.Random):
        self.rows = draw.choice((1, 1, 1, 2, 3))  # of a sample
        self.first = draw.random() < 0.7  # samples come before their rows
        self.widths = [draw.choice(WIDTHS) for _ in range(draw.randint(2, 4))]
        self.steps = [draw.choice(sorted(STEPS)) for _ in self.widths[1:]]
        # What each layer gives is in the loss, or only the last one's; a chain of many would leave float32.
        self.all = draw.random() < 0.5
        self.dtype = draw.choice((np.float32, np.float32, np.float64))

    def __repr__(self) -> str:
        what = f"{self.steps}, {np.dtype(self.dtype)}, all {self.all}, first {self.first}"
        return f"{self.rows} x {self.widths}, {what}"

    def loss(self, x: Any, c: Any, *weights: Any) -> Any:
        if not self.first:
            x, c = x.transpose(1, 0, 2), c.transpose(1, 0, 2)
        h, total = x.reshape(-1, self.widths[0]), 0
        for k, w in enumerate(weights):
            h = STEPS[self.steps[k]][0](ops.matmul(h, w.T))
            if self.all or k == len(weights) - 1:
                total = total + ops.sum(h * c.reshape(-1, len(weights))[:, k : k + 1])
            h = ops.clamp(h, -2, 2)
        return total

    def exact(self, x: Any, c: Any, weights: Any) -> list[Any]:
        """The gradients by the weights, in int64."""
        h, made = x.reshape(-1, self.widths[0]), []
        for name, w in zip(self.steps, weights, strict=True):
            y = h @ w.T
            z = STEPS[name][1](y)
            made.append((h, STEPS[name][2](y), ((z >= -2) & (z <= 2)).astype(np.int64)))
            h = np.clip(z, -2, 2)
        slopes, back = [], np.zeros_like(h)
        for k in reversed(range(len(weights))):
            h, slope, inside = made[k]
            back = back * inside
            if self.all or k == len(weights) - 1:
                back = back + c[:, k : k + 1]
            back = back * slope
            slopes.append(back.T @ h)
            back = back @ weights[k]
        return slopes[::-1]


def check(seed: int, sizes: tuple[int, ...]) -> None:
    """Raises AssertionError where a gradient is not the exact sum."""
    draw, state = random.Random(seed), np.random.default_rng(seed)
    layers = Layers(draw)
    count = len(layers.steps)

    def whole(*shape: int) -> Any:
        return state.integers(-1, 2, shape)

    weights = [whole(b, a) for a, b in zip(layers.widths, layers.widths[1:], strict=False)]
    gradient = ms.grad(layers.loss, tuple(range(2, 2 + count)))
    any_batch = ms.jit(lambda *args: gradient(*args), dynamic_batch=True)
    parameters = [
        ms.Parameter(ms.Tensor(w.astype(layers.dtype)), name=f"w{k}") for k, w in enumerate(weights)
    ]
    for n in sizes:
        x = whole(n, layers.rows, layers.widths[0])
        c = whole(n * layers.rows, count)
        # The batch comes first in all that is given.
        tensors = [ms.Tensor(v.astype(layers.dtype)) for v in (x, c.reshape(n, layers.rows, count))]
        found = any_batch(*tensors, *parameters)
        found = found if isinstance(found, tuple) else (found,)
        for k, (a, b) in enumerate(zip(found, layers.exact(x, c, weights), strict=True)):
            assert np.abs(b).max() < 1 << 24
            np.testing.assert_array_equal(
                a.asnumpy(), b, f"{seed}: {layers}, batch {n}, weight {k}"
            )


FILE = """
func.func @main(%x: tensor<?x{m}x{t}>, %y: tensor<?x{n}x{t}>) -> tensor<{m}x{n}x{t}> {{
  %a = cell.abs %x : tensor<?x{m}x{t}>
  %b = cell.relu %y : tensor<?x{n}x{t}>
  %z = cell.matmul %a, %b {{transpose_a = true}} : (tensor<?x{m}x{t}>, tensor<?x{n}x{t}>) -> tensor<{m}x{n}x{t}>
  return %z : tensor<{m}x{n}x{t}>
}}
"""


def check_file(seed: int) -> None:
    """Raises AssertionError where a product of a file is not exact, or guarded.Stray where it writes elsewhere."""
    draw, state = random.Random(seed), np.random.default_rng(seed)
    dtype, t = draw.choice((("float32", "f32"), ("float64", "f64")))
    m, n = (draw.choice((*WIDTHS[1:], 512, 600)) for _ in range(2))
    text = FILE.format(m=m, n=n, t=t)
    target, shuffled = TARGETS[seed % len(TARGETS)], guarded.Shuffled(draw.randint(2, 4), seed)
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / "products.so"
        _native.compile_text(text, str(path), "products", {"target": target})
        entry = guarded.Model(path).entry("main")
        for batch in (*draw.sample(SIZES, 5), draw.choice(LARGE)):
            x, y = (state.integers(-3, 4, (batch, width)) for width in (m, n))
            # A program for the size has its workers' memory elsewhere than the model says of all programs.
            for pool in (None,) if batch in OWN else (None, shuffled):
                (found,) = entry([x.astype(dtype), y.astype(dtype)], pool)
                wanted = np.abs(x).T @ np.maximum(y, 0)
                np.testing.assert_array_equal(
                    found, wanted, f"{seed}: {m} x {n}, batch {batch}, {target}"
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10)
    given = parser.parse_args()
    for seed in range(given.first, given.first + given.count):
        draw = random.Random(-seed - 1)
        check(seed, (draw.choice(SIZES[:9]), *draw.sample(SIZES, 6), draw.choice(LARGE)))
        check_file(seed)
    print(f"{given.count} networks and files")


if __name__ == "__main__":
    main()
