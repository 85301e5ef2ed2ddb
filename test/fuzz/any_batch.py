"""Checks models for any batch size: random networks, exported once for any batch and for fixed ones.

Rows of a sample must have the same bits whatever the batch is, from 2 on, those of models for 128
samples. Batches of 1, and those that are named, must have the bits of models for their size.

    python test/fuzz/any_batch.py --first=0 --count=20
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import cellgrad as ms
from cellgrad import nn, ops

EQUAL = 128
MOST = 270


class Net(nn.Cell):
    """Layers drawn by a seed, which keep samples apart; inputs are vectors, images, words or
    sequences."""

    def __init__(self, seed: int):
        super().__init__()
        draw = random.Random(seed)
        self.kind = draw.choice(("vector", "image", "words", "sequence", "text"))
        self.activation = draw.choice((ops.relu, ops.tanh, ops.gelu, ops.sigmoid))
        self.width = draw.choice((3, 5, 8, 16, 17, 33, 130))
        self.length = draw.choice((3, 7, 16))
        self.head = draw.choice(("softmax", "log_softmax", "mean", "plain", "positions", "best"))
        if self.kind == "vector":
            self.inner = draw.choice((4, 20, 64, 130, 1100))
            self.first = nn.Dense(self.inner, self.width)
        elif self.kind == "image":
            padding = draw.choice(("same", "valid"))
            self.first = nn.Conv2d(2, self.width, draw.choice((1, 3)), pad_mode=padding)
            self.norm2d = nn.BatchNorm2d(self.width)
        elif self.kind == "sequence":
            self.first = nn.Dense(6, 3 * self.width)
        else:
            self.first = nn.Embedding(40, self.width)
            if self.kind == "text":
                heads = draw.choice([n for n in (1, 2, 3, 5, 8, 11) if self.width % n == 0])
                self.layer = nn.TransformerEncoderLayer(
                    self.width, heads, 2 * self.width, batch_first=True
                )
                self.causal = draw.random() < 0.5
        self.norm = nn.LayerNorm((self.width,)) if draw.random() < 0.6 else None
        self.last = nn.Dense(self.width, draw.choice((1, 4, 10)))

    def inputs(self, samples: int, random_state: Any) -> Any:
        """The input for so many samples; None for any number."""
        shape: tuple[Any, ...]
        dtype = ms.float32
        if self.kind == "vector":
            shape = (samples, self.inner)
        elif self.kind == "image":
            shape = (samples, 2, 8, 8)
        elif self.kind == "sequence":
            shape = (samples, self.length, 6)
        else:
            shape, dtype = (samples, self.length), ms.int32
        if samples is None:
            return ms.Tensor(shape=shape, dtype=dtype)
        if dtype == ms.int32:
            return ms.Tensor(random_state.integers(0, 40, shape), dtype)
        return ms.Tensor(random_state.standard_normal(shape), dtype)

    def construct(self, x):
        x = self.first(x)
        if self.kind == "image":
            x = self.activation(self.norm2d(x)).max(axis=(2, 3))
        elif self.kind == "words":
            x = x.sum(axis=1)
        elif self.kind == "sequence":
            q, k, v = ops.split(x, self.width, axis=2)
            weights = ops.softmax(ops.matmul(q, k.transpose(0, 2, 1)) / self.width**0.5, -1)
            x = ops.matmul(weights, v).mean(axis=1)
        elif self.kind == "text":
            later = ops.triu(ops.ones((self.length, self.length)), 1).bool()
            x = self.layer(x, later if self.causal else None).max(axis=1)
        if self.norm is not None:
            x = self.norm(x)
        y = self.last(self.activation(x))
        if self.head == "softmax":
            return ops.softmax(y, -1)
        if self.head == "log_softmax":
            return ops.log_softmax(y, -1), x
        if self.head == "mean":
            return y.mean(axis=1), (x * x).sum(axis=1)
        if self.head == "positions":
            return ops.argmax(y, 1), ops.cumsum(x, 1)
        if self.head == "best":
            values, places = ops.topk(x, 2)
            picked = ops.gather_elements(ops.tanh(x), 1, places)
            return values, ops.tensor_scatter_elements(x, places, picked, axis=1), ops.sort(x)[1]
        return y


def arrays(results: Any) -> list[Any]:
    return [t.asnumpy() for t in (results if isinstance(results, tuple) else (results,))]


def check(seed: int, folder: Path, fixed: tuple[int, ...]) -> None:
    """Raises AssertionError where a model for any batch is another than for one. It has programs of their own
    for sizes of `fixed`.
    """
    ms.set_seed(seed)
    net = Net(seed)
    net.set_train(False)
    random_state = np.random.default_rng(seed)

    def export(samples: int | None) -> Any:
        name = str(folder / f"net{seed}_{samples}")
        named = tuple(n for n in fixed if n != EQUAL) if samples is None else ()
        inputs = net.inputs(samples, random_state)
        ms.export(net, inputs, file_name=name, value_and_grad=False, batch_sizes=named)
        return ms.load(name).forward

    model, x = export(None), net.inputs(MOST, random_state)
    whole = arrays(model(x))
    for samples in sorted({*fixed, 2, 3, 5, 6, 7, 9, 37, 100, 129}):
        part = ms.Tensor(x.asnumpy()[:samples])
        found = arrays(model(part))
        if samples not in fixed or samples == EQUAL:
            for a, b in zip(found, whole, strict=True):
                np.testing.assert_array_equal(a, b[:samples], f"{seed}: {samples} of {MOST}")
        if samples not in fixed:
            continue
        for a, b in zip(found, arrays(export(samples)(part)), strict=True):
            np.testing.assert_array_equal(a, b, f"{seed}: {samples} fixed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(given.first, given.first + given.count):
            check(seed, Path(folder), (1, 8, 37, 128))
    print(f"{given.count} networks")


if __name__ == "__main__":
    main()
