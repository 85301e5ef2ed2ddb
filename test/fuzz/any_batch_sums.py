"""Checks programs for any batch size that add up over the batch: random ones with gradients, statistics and loops.

A program is a loss of samples and weights. It is compiled once for any batch, with its gradients, and compared with
programs of fixed sizes, which do not know of tiles and phases, in double precision. Sizes with programs of their own
must have their bits.

    python test/fuzz/any_batch_sums.py --first=0 --count=20
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from typing import Any

import numpy as np

import cellgrad as ms
from cellgrad import ops

WIDTH = 4  # features of a sample, which all steps keep
WORDS = 9  # rows of the table
OWN = (1, 32, 64, 128)  # sizes that have programs of their own, beside the first


def _dense(x: Any, w: Any) -> Any:
    return ops.tanh(x @ w[:WIDTH] + w[WIDTH])


def _folded(x: Any, w: Any) -> Any:
    """Two rows a sample, and back."""
    rows = x.reshape(-1, WIDTH // 2)
    return (rows @ w[: WIDTH // 2, : WIDTH // 2]).reshape(-1, WIDTH) + 0.5 * x


def _turned(x: Any, w: Any) -> Any:
    """The batch as the second dimension, and folded with the first."""
    columns = ops.sin(x.transpose(1, 0).reshape(-1) * w[0, 0])
    return columns.reshape(WIDTH, -1).transpose(1, 0) + x


def _attended(x: Any, w: Any) -> Any:
    heads = x.reshape(-1, 2, WIDTH // 2)
    scores = ops.softmax(ops.matmul(heads, heads.transpose(0, 2, 1)), -1)
    return ops.matmul(scores, heads).reshape(-1, WIDTH) * w[1]


def _windows(x: Any, w: Any) -> Any:
    """A convolution with one channel in two groups, and the largest of neighbours."""
    image = ops.stack([x, 0.5 * x], 1)
    made = ops.conv1d(image, w[:2, :3].reshape(2, 1, 3), pad_mode="pad", padding=1, groups=2)
    return made[:, 0] + ops.maximum(made[:, 1], 0.1 * x)


def _solved(x: Any, w: Any) -> Any:
    """A matrix for each sample, and one for all."""
    pairs = x.reshape(-1, 2, WIDTH // 2)
    own = ops.matmul(pairs, pairs.transpose(0, 2, 1)) + ops.eye(2, dtype=x.dtype)
    shared = ops.tanh(w[:WIDTH]) + 3 * ops.eye(WIDTH, dtype=x.dtype)
    found = ops.solve(own, pairs).reshape(-1, WIDTH)
    return found + ops.solve(shared, x.transpose(1, 0)).transpose(1, 0)


def _centred(x: Any, w: Any) -> Any:
    return x - x.mean(axis=0) * w[2]


def _normed(x: Any, w: Any) -> Any:
    """As batch normalisation in training."""
    mean = x.mean(axis=0)
    variance = ((x - mean) ** 2).sum(axis=0) / (x.shape[0] + 1)
    return (x - mean) / ops.sqrt(variance + 0.1) * w[0]


def _activated(x: Any, w: Any) -> Any:
    """Elementwise functions, so many that phases keep what they end with."""
    y = ops.relu(ops.exp(-((x * w[0]) ** 2)) * 2 - 0.5) + 0.1 * x
    return ops.tanh(y) * ops.sigmoid(y + w[1]) + y * y * 0.1


def _ranged(x: Any, w: Any) -> Any:
    """Scaled by extrema of the batch."""
    return x / (1 + ops.stop_gradient(x.max(axis=0) - x.min())) + w[1, 1]


def _looped(x: Any, w: Any) -> Any:
    """A loop that carries samples; its adjoint adds up gradients of weights."""

    def trip(carried: Any, _: Any) -> Any:
        new = ops.tanh(carried @ w[:WIDTH] + x)
        return new, new.sum(axis=1)

    last, sums = ops.Scan()(trip, x, None, 3)
    return last + sums[1].reshape(-1, 1)


def _looked_up(x: Any, w: Any, ids: Any) -> Any:
    return x + ops.gather(w, ids % (WIDTH + 1), 0)


def _dropped(x: Any, w: Any) -> Any:
    """Random numbers for each element of a sample, and one for a sample."""
    kept = ops.dropout(x, 0.3, True) * w[0, 0]
    return kept + ops.rand(x.shape[0], 1, dtype=x.dtype) * w[3]


STEPS: tuple[Callable[..., Any], ...] = (
    *(_dense, _folded, _turned, _attended, _windows),
    *(_solved, _centred, _normed, _activated, _ranged, _looped, _looked_up, _dropped),
)


def _loss(kind: str, x: Any, ids: Any) -> Any:
    if kind == "mean":
        return x.square().mean()
    if kind == "sum":
        return ops.cos(x).sum()
    if kind == "classes":
        return ops.cross_entropy(x, ids % WIDTH)
    if kind == "pairs":  # products along the batch
        return ((x.transpose(1, 0) @ ops.tanh(x)) ** 2).sum() / x.shape[0] ** 2
    return (x.sum(axis=1) * ids.astype(ms.float64)).max() + x.var(axis=0, ddof=0).sum()


class Program:
    """Steps and a loss drawn by a seed."""

    def __init__(self, seed: int):
        draw = random.Random(seed)
        self.steps = [draw.choice(STEPS) for _ in range(draw.randint(1, 4))]
        self.loss = draw.choice(("mean", "sum", "classes", "pairs", "extremum"))
        if self.loss == "pairs":  # Python computes n ** 2, which is no fraction of n
            self.loss = "mean" if draw.random() < 0.5 else "inner"
        self.twice = draw.random() < 0.2
        self.by_input = draw.random() < 0.4

    def value(self, x: Any, w: Any, ids: Any) -> Any:
        for i, step in enumerate(self.steps):
            own = w[i]
            x = step(x, own, ids) if step is _looked_up else step(x, own)
        if self.loss == "inner":
            return ((x.transpose(1, 0) @ ops.tanh(x)) / x.shape[0]).square().sum()
        return _loss(self.loss, x, ids)

    def outputs(self, x: Any, w: Any, ids: Any) -> Any:
        """The value and its gradient; of weights twice, and of samples, as drawn."""
        value, slope = ms.value_and_grad(self.value, 1)(x, w, ids)
        more = []
        if self.twice:
            more.append(ms.grad(lambda w: (ms.grad(self.value, 1)(x, w, ids) * 0.1).sum())(w))
        if self.by_input:
            more.append(ms.grad(self.value, 0)(x, w, ids))
        return value, slope, *more


def check(seed: int, sizes: tuple[int, ...]) -> None:
    """Raises AssertionError where a program for any batch gives other numbers than one for a size. The
    first of `sizes` has a program of its own.
    """
    program = Program(seed)
    state = np.random.default_rng(seed)
    what = f"{seed}: {[s.__name__ for s in program.steps]}, {program.loss}"
    with ms.default_dtype(ms.float64):
        w = ms.Tensor(state.standard_normal((4, WIDTH + 1, WIDTH)) * 0.7)
        any_batch = ms.jit(lambda x, ids: program.outputs(x, w, ids), dynamic_batch=True)
        for n in sizes:
            x = ms.Tensor(state.standard_normal((n, WIDTH)))
            ids = ms.Tensor(state.integers(0, 60, (n,)).astype(np.int32))
            ms.set_seed(n)
            fixed = ms.jit(lambda x, ids: program.outputs(x, w, ids))(x, ids)
            ms.set_seed(n)
            for k, (a, b) in enumerate(zip(any_batch(x, ids), fixed, strict=True)):
                a, b = a.asnumpy(), b.asnumpy()
                if n == sizes[0] or n in OWN:
                    np.testing.assert_array_equal(a, b, f"{what}: {n}, result {k}")
                bound = 1e-11 * max(1.0, float(np.abs(b).max()))
                np.testing.assert_allclose(a, b, 1e-11, bound, err_msg=f"{what}: {n}, result {k}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10)
    given = parser.parse_args()
    for seed in range(given.first, given.first + given.count):
        draw = random.Random(-seed)
        large = draw.random() < 0.2  # around 1,024, up to which samples are kept
        size = draw.randint(1000, 1100) if large else draw.randint(2, 270)
        check(seed, draw.choice(((1, 3, size), (size, draw.choice(OWN), draw.randint(2, 270)))))
    print(f"{given.count} programs")


if __name__ == "__main__":
    main()
