"""Checks programs for any batch size that take elements by the numbers of samples, put samples behind each other, and
take extrema of segments.

A program is random steps and a loss of samples and weights. Steps name an element of each sample by its number in
many ways: by arrays, lists and tuples, by hand in the flattened tensor. It is compiled once for any batch, with its
gradients, and compared with programs of fixed sizes, which do not know of samples, in double precision.

    python test/fuzz/any_batch_elements.py --first=0 --count=20
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np

import cellgrad as ms
from cellgrad import ops

SIZES = (1, 2, 3, 5, 7, 9, 17, 23, 33, 75, 100, 129, 257)
OWN = (1, 32, 64, 128)  # sizes that have programs of their own, beside the first


def _rows(draw: random.Random, whole: bool) -> Callable[[Any], Any]:
    """The numbers of the samples; not of numpy or Python where they are not `whole` arrays by themselves."""
    forms: list[Callable[[Any], Any]] = [
        lambda n: ops.arange(n),
        lambda n: ops.arange(n).astype(ms.int32),
        lambda n: ops.arange(0, n, 1) + 0,
        lambda n: ops.arange(n) * 3 - 2 * ops.arange(n),
        lambda n: ms.Tensor(np.arange(n)),
    ]
    if whole:
        forms += [lambda n: np.arange(n), lambda n: list(range(n))]
    return draw.choice(forms)


class _Step:
    """Elements of samples of a shape, read or changed by their numbers and other indices."""

    def __init__(self, draw: random.Random, shape: tuple[int, ...]):
        self.shape = shape
        self.how = draw.choice(("get", "set", "add", "tuples", "put tuples", "flat", "columns"))
        self.count = draw.randint(1, len(shape))  # dimensions beside the batch that are indexed
        self.rows = _rows(draw, self.how in ("get", "set"))
        self.kinds = [draw.choice(("ids", "shifted", "known", "best")) for _ in range(self.count)]
        self.value = draw.choice((0.25, None))

    def places(self, x: Any, ids: Any) -> list[Any]:
        """Indices of the dimensions behind the batch."""
        made: list[Any] = []
        for k, (kind, size) in enumerate(zip(self.kinds, self.shape, strict=False)):
            if kind == "ids":
                made.append(ids[:, k] % size)
            elif kind == "shifted":  # from the end
                made.append(ids[:, k] % size - (size if self.how in ("get", "set", "add") else 0))
            elif kind == "known":
                made.append(ops.zeros_like(ids[:, 0]) + size // 2)
            else:
                made.append(x.reshape(x.shape[0], -1).argmax(axis=1).astype(ms.int32) % size)
        if self.how in ("tuples", "put tuples", "flat"):
            made = [p % size for p, size in zip(made, self.shape, strict=False)]
        return made

    def __call__(self, x: Any, w: Any, ids: Any) -> Any:
        n, numbers, places = x.shape[0], self.rows(x.shape[0]), self.places(x, ids)
        if self.how == "columns":  # two elements of each sample
            pair = ops.stack([places[0], ids[:, 3] % self.shape[0]], 1)
            taken = x[numbers.reshape(-1, 1), pair]
            return x + taken.sum(axis=1).reshape(n, -1)[:, :1].reshape(n, *[1] * len(self.shape))
        index = (numbers, *places)
        if self.how == "get":
            taken = x[index]
        elif self.how in ("set", "add"):
            changed = x * 1
            value = ops.sin(x[:, 0]) if self.value is None else self.value
            if self.value is None and self.count > 1:
                value = value.reshape(n, -1)[:, 0].reshape(n, *[1] * (len(self.shape) - self.count))
            if self.how == "set":
                changed[index] = value
            else:
                changed[index] += value
            return changed
        elif self.how == "flat":
            at = numbers
            for place, size in zip(places, self.shape, strict=False):
                at = at * size + place
            rest = self.shape[self.count :]
            taken = ops.gather(x.reshape(-1, *rest), at.astype(ms.int32), 0)
        else:
            tuples = ops.stack([numbers.astype(ms.int32), *places], 1)
            if self.how == "put tuples":
                added = x.reshape(n, -1)[:, :1].reshape(n, *[1] * (len(self.shape) - self.count))
                added = ops.broadcast_to(added, (n, *self.shape[self.count :]))
                return ops.tensor_scatter_add(x, tuples, added * 0.5)
            taken = ops.gather_nd(x, tuples)
        return x * 0.5 + taken.reshape(n, *[1] * self.count, *self.shape[self.count :])


def _numbered(x: Any, w: Any, ids: Any) -> Any:
    """The numbers of samples in what is computed of them."""
    numbers = ops.arange(x.shape[0]).astype(x.dtype).reshape(-1, *[1] * (x.ndim - 1))
    third = ops.arange(x.shape[0]) % 3 == 1
    return ops.where(third.reshape(numbers.shape), x, x * ops.cos(numbers * w[0]))


def _views(x: Any, w: Any, ids: Any) -> Any:
    """Samples behind each other, with statistics of all, and apart again."""
    n = x.shape[0]
    both = ops.concat([x, ops.tanh(x) * w[1], x * 0.5], 0)
    both = both - both.mean(axis=0) * w[2]
    first, second, third = both[:n], both[n : 2 * n], both[2 * n :]
    turned = ops.concat([third, first], 0).reshape(2, *x.shape).sum(axis=0)
    return turned + second * 0.1


def _folded_views(x: Any, w: Any, ids: Any) -> Any:
    """The same of rows of samples, several of each."""
    rows = x.reshape(-1, x.shape[-1])
    made = ops.tanh(ops.concat([rows, rows * w[0]], 0))
    first, second = ops.chunk(made, 2, 0)
    return (first - 0.5 * second).reshape(x.shape)


def _segmented(x: Any, w: Any, ids: Any) -> Any:
    """Extrema of the samples of a class, and what a class has more than they."""
    own, flat = ids[:, 1] % 3, x.reshape(x.shape[0], -1)
    most = ops.unsorted_segment_max(flat, own, 4)
    least = ops.unsorted_segment_min(flat, own, 4)
    table = ops.tensor_scatter_add(ops.ones_like(most), own.reshape(-1, 1), flat * 0.01)
    spread = ops.gather(ops.tanh(most - least) + table * 0.1, own, 0)
    return x * 0.5 + spread.reshape(x.shape) * w[3]


def _scaled(x: Any, w: Any, ids: Any) -> Any:
    """Roots and squares of the number of samples."""
    n = x.shape[0]
    return x + (x.sum(axis=0) / math.sqrt(n)).tanh() * w[0] + x.sum(axis=0) / n**2


def _dropped(x: Any, w: Any, ids: Any) -> Any:
    """Random numbers for samples behind another dimension."""
    turned = x.reshape(x.shape[0], -1).transpose(1, 0)
    return ops.dropout(turned, 0.3, True).transpose(1, 0).reshape(x.shape) + 0.1 * x


def _best(x: Any, w: Any, ids: Any) -> Any:
    """Samples that attain extrema, equal ones among them, and where they are."""
    flat = x.reshape(x.shape[0], -1)
    rounded = ops.round(flat)
    first = rounded.argmax(axis=0) + rounded.argmin(axis=0) + rounded.argmax()
    most, least = ops.max(rounded + 0.5 * flat, 0)[0], ops.min(flat, 0)[0]
    made = flat * 0.5 + (most - least) * w[1] * 0.1 + ops.cos(first.astype(x.dtype))
    return made.reshape(x.shape)


STEPS: tuple[Callable[..., Any], ...] = (
    *(_numbered, _views, _folded_views, _segmented, _scaled, _dropped, _best),
)


class Program:
    """Steps drawn by a seed."""

    def __init__(self, seed: int):
        draw = random.Random(seed)
        self.shape = tuple(draw.randint(2, 4) for _ in range(draw.randint(1, 3)))
        self.steps: list[Any] = []
        for _ in range(draw.randint(1, 3)):
            own = _Step(draw, self.shape)
            self.steps.append(own if draw.random() < 0.6 else draw.choice(STEPS))
        self.what = [s.how if isinstance(s, _Step) else s.__name__ for s in self.steps]
        self.by_input = draw.random() < 0.5

    def value(self, x: Any, w: Any, ids: Any) -> Any:
        for step in self.steps:
            x = step(x, w, ids)
        return ops.sin(x + w.sum()).square().mean(), x

    def outputs(self, x: Any, w: Any, ids: Any) -> Any:
        """Samples, and the loss with its gradient, of weights or of samples."""
        by = 0 if self.by_input else 1
        (loss, made), slope = ms.value_and_grad(self.value, by, has_aux=True)(x, w, ids)
        return loss, made, slope


def check(seed: int, sizes: tuple[int, ...]) -> None:
    """Raises AssertionError where a program for any batch gives other numbers than one for a size. The first of
    `sizes` has a program of its own.
    """
    program = Program(seed)
    state = np.random.default_rng(seed)
    with ms.default_dtype(ms.float64):
        w = ms.Tensor(state.standard_normal(4) * 0.7)
        any_batch = ms.jit(lambda x, ids: program.outputs(x, w, ids), dynamic_batch=True)
        for n in sizes:
            x = ms.Tensor(state.standard_normal((n, *program.shape)))
            ids = ms.Tensor(state.integers(0, 60, (n, 4)).astype(np.int32))
            ms.set_seed(n)
            fixed = ms.jit(lambda x, ids: program.outputs(x, w, ids))(x, ids)
            ms.set_seed(n)
            for k, (a, b) in enumerate(zip(any_batch(x, ids), fixed, strict=True)):
                what = f"{seed}: {program.what}, {program.shape}: {n}, result {k}"
                a, b = a.asnumpy(), b.asnumpy()
                if n == sizes[0] or n in OWN:
                    np.testing.assert_array_equal(a, b, what)
                bound = 1e-11 * max(1.0, float(np.abs(b).max()))
                np.testing.assert_allclose(a, b, 1e-11, bound, err_msg=what)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10)
    given = parser.parse_args()
    for seed in range(given.first, given.first + given.count):
        check(seed, tuple(random.Random(-seed).sample(SIZES, 3)))
    print(f"{given.count} programs")


if __name__ == "__main__":
    main()
