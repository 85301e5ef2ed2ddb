"""Checks products of all rows of a batch of any size: dense layers and their gradients, against exact sums in int64.

Inputs and weights are small whole numbers, so each sum is exact in float32, in any order: results must have all bits.
Layers are of random widths, their rows samples or several for each. Sizes are those where plans change: few rows, blocks of a sum, and
batches whose samples are no longer kept, or are computed part by part.

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

    def values(self, x: Any, *weights: Any) -> list[Any]:
        """What each layer gives, as rows."""
        if not self.first:
            x = x.transpose(1, 0, 2)
        h, found = x.reshape(-1, self.widths[0]), []
        for k, w in enumerate(weights):
            found.append(STEPS[self.steps[k]][0](ops.matmul(h, w.T)))
            h = ops.clamp(found[-1], -2, 2)
        return found

    def forward(self, x: Any, *weights: Any) -> tuple[Any, ...]:
        """What each layer gives, or the last one, for each sample."""
        found = self.values(x, *weights)[0 if self.all else -1 :]
        if self.first:
            return tuple(h.reshape(-1, self.rows, h.shape[1]) for h in found)
        return tuple(h.reshape(self.rows, -1, h.shape[1]).transpose(1, 0, 2) for h in found)

    def loss(self, x: Any, c: Any, *weights: Any) -> Any:
        if not self.first:
            c = c.transpose(1, 0, 2)
        total = 0
        for k, h in enumerate(self.values(x, *weights)):
            if self.all or k == len(weights) - 1:
                total = total + ops.sum(h * c.reshape(-1, len(weights))[:, k : k + 1])
        return total

    def exact(self, x: Any, c: Any, weights: Any) -> tuple[list[Any], list[Any]]:
        """What `forward` gives, and the gradients by the input and the weights, in int64."""
        h, made, given = x.reshape(-1, self.widths[0]), [], []
        for name, w in zip(self.steps, weights, strict=True):
            y = h @ w.T
            z = STEPS[name][1](y)
            made.append((h, STEPS[name][2](y), ((z >= -2) & (z <= 2)).astype(np.int64)))
            given.append(z.reshape(len(x), self.rows, -1))
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
        slopes.append(back.reshape(x.shape))
        return given[0 if self.all else -1 :], slopes[::-1]


def check(seed: int, sizes: tuple[int, ...]) -> None:
    """Raises AssertionError where a layer or a gradient is not the exact sum."""
    draw, state = random.Random(seed), np.random.default_rng(seed)
    layers = Layers(draw)
    count = len(layers.steps)

    def whole(*shape: int) -> Any:
        return state.integers(-1, 2, shape)

    weights = [whole(b, a) for a, b in zip(layers.widths, layers.widths[1:], strict=False)]
    gradient = ms.grad(layers.loss, (0, *range(2, 2 + count)))
    any_batch = ms.jit(lambda *args: gradient(*args), dynamic_batch=True)
    forward = ms.jit(layers.forward, dynamic_batch=True)
    parameters = [
        ms.Parameter(ms.Tensor(w.astype(layers.dtype)), name=f"w{k}") for k, w in enumerate(weights)
    ]
    for n in sizes:
        x = whole(n, layers.rows, layers.widths[0])
        c = whole(n * layers.rows, count)
        # The batch comes first in all that is given.
        tensors = [ms.Tensor(v.astype(layers.dtype)) for v in (x, c.reshape(n, layers.rows, count))]
        values, slopes = layers.exact(x, c, weights)
        for what, found, wanted in (
            ("result", forward(tensors[0], *parameters), values),
            ("gradient", any_batch(*tensors, *parameters), slopes),
        ):
            for k, (a, b) in enumerate(zip(found, wanted, strict=True)):
                assert np.abs(b).max() < 1 << 24
                np.testing.assert_array_equal(
                    a.asnumpy(), b, f"{seed}: {layers}, batch {n}, {what} {k}"
                )


# A layer of the rows of a sample; 65521 samples stand in for any number of them, {b} times {r} rows. Its weights lie either way.
LAYER = """
module attributes {{cell.batch = {{max = 2147483647 : i64, size = 65521 : i64}}}} {{
  func.func @main(%x: tensor<65521x{r}x{m}x{t}>, %w: tensor<{w}x{t}>) -> tensor<65521x{r}x{n}x{t}> {{
    %h = cell.reshape %x : tensor<65521x{r}x{m}x{t}> -> tensor<{b}x{m}x{t}>
    %a = cell.abs %h : tensor<{b}x{m}x{t}>
    %y = cell.matmul %{input}, %w {{transpose_b = {turned}}} : (tensor<{b}x{m}x{t}>, tensor<{w}x{t}>) -> tensor<{b}x{n}x{t}>
    %p = cell.relu %y : tensor<{b}x{n}x{t}>
    %z = cell.reshape %p : tensor<{b}x{n}x{t}> -> tensor<65521x{r}x{n}x{t}>
    return %z : tensor<65521x{r}x{n}x{t}>
  }}
}}
"""

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
    if draw.random() < 0.4:

        def draws(batch: int) -> tuple[list[Any], Any]:
            x, y = (state.integers(-3, 4, (batch, width)) for width in (m, n))
            return [x, y], np.abs(x).T @ np.maximum(y, 0)

        what, text = f"{m} x {n}", FILE.format(m=m, n=n, t=t)
    else:
        rows, turned, positive = draw.choice((1, 1, 2, 5)), draw.random() < 0.5, draw.random() < 0.5

        def draws(batch: int) -> tuple[list[Any], Any]:
            x = state.integers(-3, 4, (batch, rows, m))
            w = state.integers(-3, 4, (n, m) if turned else (m, n))
            y = (np.abs(x) if positive else x) @ (w.T if turned else w)
            return [x, w], np.maximum(y, 0)

        names = {"r": rows, "b": 65521 * rows, "m": m, "n": n, "t": t}
        text = LAYER.format(
            **names,
            w=f"{n}x{m}" if turned else f"{m}x{n}",
            turned=str(turned).lower(),
            input="a" if positive else "h",
        )
        what = f"{rows} rows of {m} to {n}, turned {turned}, positive {positive}"
    target, shuffled = TARGETS[seed % len(TARGETS)], guarded.Shuffled(draw.randint(2, 4), seed)
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / "products.so"
        _native.compile_text(text, str(path), "products", {"target": target})
        entry = guarded.Model(path).entry("main")
        for batch in (*draw.sample(SIZES, 5), draw.choice(LARGE)):
            given, wanted = draws(batch)
            # A program for the size has its workers' memory elsewhere than the model says of all programs.
            for pool in (None,) if batch in OWN else (None, shuffled):
                (found,) = entry([v.astype(dtype) for v in given], pool)
                np.testing.assert_array_equal(
                    found, wanted, f"{seed}: {what}, batch {batch}, {target}"
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
