"""Checks models for any batch size: random networks, exported once for any batch and for fixed ones.

Rows of a sample must have the same bits whatever the batch is, from 2 on, those of models for 128
samples, and be as near as roundings to those of models for other batches.

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
    """Layers drawn by a seed, which keep samples apart; inputs are vectors, images or words."""

    def __init__(self, seed: int):
        super().__init__()
        draw = random.Random(seed)
        self.kind = draw.choice(("vector", "image", "words"))
        self.activation = draw.choice((ops.relu, ops.tanh, ops.gelu, ops.sigmoid))
        self.width = draw.choice((3, 5, 8, 16, 17, 33))
        self.length = draw.choice((3, 7, 16))
        self.head = draw.choice(("softmax", "log_softmax", "mean", "plain", "positions"))
        if self.kind == "vector":
            self.inner = draw.choice((4, 20, 64, 130))
            self.first = nn.Dense(self.inner, self.width)
        elif self.kind == "image":
            padding = draw.choice(("same", "valid"))
            self.first = nn.Conv2d(2, self.width, draw.choice((1, 3)), pad_mode=padding)
            self.norm2d = nn.BatchNorm2d(self.width)
        else:
            self.first = nn.Embedding(40, self.width)
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
        else:
            shape, dtype = (samples, self.length), ms.int32
        if samples is None:
            return ms.Tensor(shape=shape, dtype=dtype)
        if self.kind == "words":
            return ms.Tensor(random_state.integers(0, 40, shape), dtype)
        return ms.Tensor(random_state.standard_normal(shape), dtype)

    def construct(self, x):
        x = self.first(x)
        if self.kind == "image":
            x = self.activation(self.norm2d(x)).max(axis=(2, 3))
        elif self.kind == "words":
            x = x.sum(axis=1)
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
        return y


def arrays(results: Any) -> list[Any]:
    return [t.asnumpy() for t in (results if isinstance(results, tuple) else (results,))]


def check(seed: int, folder: Path, fixed: tuple[int, ...]) -> None:
    """Raises AssertionError where a model for any batch is another than for one."""
    ms.set_seed(seed)
    net = Net(seed)
    net.set_train(False)
    random_state = np.random.default_rng(seed)

    def export(samples: int | None) -> Any:
        name = str(folder / f"net{seed}_{samples}")
        ms.export(net, net.inputs(samples, random_state), file_name=name, value_and_grad=False)
        return ms.load(name).forward

    model, x = export(None), net.inputs(MOST, random_state)
    whole = arrays(model(x))
    for samples in sorted({*fixed, 2, 3, 7, 9, 37, 100, 129}):
        part = ms.Tensor(x.asnumpy()[:samples])
        found = arrays(model(part))
        if samples > 1:
            for a, b in zip(found, whole, strict=True):
                np.testing.assert_array_equal(a, b[:samples], f"{seed}: {samples} of {MOST}")
        if samples not in fixed:
            continue
        for a, b in zip(found, arrays(export(samples)(part)), strict=True):
            if samples == EQUAL:
                np.testing.assert_array_equal(a, b, f"{seed}: {samples} fixed")
            else:
                np.testing.assert_allclose(a, b, 2e-5, 2e-6, err_msg=f"{seed}: {samples} fixed")


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
