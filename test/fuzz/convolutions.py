"""Random convolutions and windows with all parameters.

Images and filters are parts of larger tensors, stored with channels first or last, reversed, padded
around and between their elements; strides, dilations and groups are drawn for one to three spatial
dimensions, sizes at the edges of tiles. Filters of 1 x 1 make matrix products of strided parts. What
stands between the product and the sum of windows is drawn as well.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from contractions import Contractions, Dim
from twin import Numbers, Value, summed

CHANNELS = (1, 1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33)
EXTENTS = (1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 18, 31, 32, 33, 130)
WINDOW = (1, 1, 2, 3, 3, 5)
MAX_TERMS = 3_000_000


def windowed(x: np.ndarray, sizes: list[int], strides: list[int], dilations: list[int]) -> Any:
    """All windows of the last dimensions: [B.., S..] to [B.., O.., K..]."""
    n = len(sizes)
    wide = [(k - 1) * d + 1 for k, d in zip(sizes, dilations, strict=True)]
    axes = tuple(range(x.ndim - n, x.ndim))
    view = np.lib.stride_tricks.sliding_window_view(x, wide, axis=axes)
    parts = [slice(None)] * (x.ndim - n)
    parts += [slice(None, None, s) for s in strides] + [slice(None, None, d) for d in dilations]
    return view[tuple(parts)]


def convolved(x: np.ndarray, w: np.ndarray, attributes: dict[str, Any]) -> np.ndarray:
    groups, n = attributes["groups"], w.ndim - 2
    v = windowed(x, list(w.shape[2:]), attributes["strides"], attributes["dilations"])
    v = v.reshape(v.shape[0], groups, v.shape[1] // groups, *v.shape[2:])
    f = w.reshape(groups, w.shape[0] // groups, *w.shape[1:])
    places, taps = "hij"[:n], "pqr"[:n]
    y = np.einsum(f"ngc{places}{taps},goc{taps}->ngo{places}", v, f, optimize=True)
    return y.reshape(y.shape[0], w.shape[0], *y.shape[3:])


class Convolutions(Contractions):
    """Draws one program from a seed."""

    batches: ClassVar = (1, 2, 3)
    extents: ClassVar = EXTENTS
    taps: ClassVar = WINDOW
    strides: ClassVar = (1, 1, 1, 2, 3)
    padded: ClassVar = 0.4
    around: ClassVar = (0, 0, 1, 2)
    between: ClassVar = (0, 0, 0, 1, 2)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dtype.startswith("int") or self.rng.random() < 0.5:
            self.dtype = self.outside = self.rng.choice(["float32", "float32", "float64"])

    def body(self) -> list[Value]:
        value = self.windows() if self.rng.random() < 0.25 else self.convolution()
        results = [value]
        for _ in range(self.rng.choice([0, 0, 1, 1, 2])):
            value = self.epilogue(value)
        if self.rng.random() < 0.15 and len(value.shape) >= 3 and math.prod(value.shape) < 40_000:
            value = self.convolution(value)
        if value is not results[0]:
            results = [value, *(results if self.rng.random() < 0.3 else [])]
        if self.dtype != self.outside:
            results = [self.twin.cast(r, self.outside) for r in results]
        return results

    def ordered(self, sizes: tuple[int, ...]) -> Value:
        """A view of a new argument with these dimensions; channels may be stored last."""
        value, own = self.operand([Dim(i, n, False) for i, n in enumerate(sizes)])
        order = [d.number for d in own]
        if order != sorted(order):
            value = self.twin.transpose(value, [order.index(i) for i in range(len(order))])
        return value

    def pad(self, x: Value, first: int) -> Value:
        """`x` with zeros around and between the elements of dimensions from `first` on."""
        rng = self.rng
        low = [rng.choice(self.around) if d >= first else 0 for d in range(len(x.shape))]
        high = [rng.choice(self.around) if d >= first else 0 for d in range(len(x.shape))]
        interior = [rng.choice(self.between) if d >= first else 0 for d in range(len(x.shape))]

        def padded(v: np.ndarray) -> np.ndarray:
            wide = [a + b + n + (n - 1) * i for a, b, n, i in zip(low, high, v.shape, interior)]
            y = np.zeros(wide)
            y[
                tuple(
                    slice(a, a + n + (n - 1) * i, i + 1) for a, n, i in zip(low, v.shape, interior)
                )
            ] = v
            return y

        attributes = {"low": low, "high": high, "interior": interior}
        return self.twin.view("cell.pad", x, attributes, padded)

    def convolution(self, x: Value | None = None) -> Value:
        rng, t = self.rng, self.twin
        n = len(x.shape) - 2 if x else rng.choice([1, 1, 2, 2, 2, 2, 3])
        while True:
            groups = rng.choice([1, 1, 1, 2, 3])
            batch, channels = (
                x.shape[:2] if x else (rng.choice(self.batches), groups * rng.choice(CHANNELS))
            )
            if channels % groups:
                continue
            filters = groups * rng.choice(CHANNELS)
            extents = x.shape[2:] if x else tuple(rng.choice(self.extents) for _ in range(n))
            point = rng.random() < 0.2
            taps = [1 if point else rng.choice(self.taps) for _ in range(n)]
            dilations = [rng.choice([1, 1, 1, 2, 3]) for _ in range(n)]
            strides = [rng.choice(self.strides) for _ in range(n)]
            terms = batch * filters * channels // groups * math.prod(extents) * math.prod(taps)
            fits = all((k - 1) * d < e for k, d, e in zip(taps, dilations, extents, strict=True))
            if fits and terms <= MAX_TERMS:
                break
        self.terms += terms
        image = x or self.ordered((batch, channels, *extents))
        if rng.random() < self.padded:
            image = self.pad(image, 2)
        w = self.ordered((filters, channels // groups, *taps))
        if rng.random() < 0.15:  # filters between which there are zeros
            wide = self.pad(w, 2)
            if all(
                (k - 1) * d < e
                for k, d, e in zip(wide.shape[2:], dilations, image.shape[2:], strict=True)
            ):
                w = wide
        attributes = {"strides": strides, "dilations": dilations, "groups": groups}
        count = math.prod(w.shape[1:])

        def conv(given: list[Numbers]) -> Numbers:
            (a, ea), (b, eb) = ((g.exact, g.error) for g in given)
            v = convolved(a, b, attributes)
            size = convolved(np.abs(a), np.abs(b), attributes)
            error = convolved(np.abs(a) + ea, np.abs(b) + eb, attributes) - size
            return summed(v, size, error, count + 2, w.dtype)

        return t.make("cell.conv", [image, w], conv, attributes)

    def windows(self) -> Value:
        """A sum over windows of functions of their products with weights, or overlapping ones."""
        rng, t = self.rng, self.twin
        n = rng.choice([1, 2, 2])
        while True:
            lead = tuple(rng.choice((1, 2, 3, 5)) for _ in range(rng.randint(0, 2)))
            extents = tuple(rng.choice(EXTENTS) for _ in range(n))
            sizes = [rng.choice(WINDOW) for _ in range(n)]
            dilations = [rng.choice([1, 1, 2]) for _ in range(n)]
            strides = [rng.choice([1, 1, 2, 3]) for _ in range(n)]
            terms = math.prod(lead) * math.prod(extents) * math.prod(sizes)
            fits = all((k - 1) * d < e for k, d, e in zip(sizes, dilations, extents, strict=True))
            if fits and terms <= MAX_TERMS // 10:
                break
        self.terms += terms
        x = self.ordered((*lead, *extents))
        how = lambda v: windowed(v, sizes, strides, dilations)
        attributes = {"sizes": sizes, "strides": strides, "dilations": dilations}
        v = t.view("cell.windows", x, attributes, how)
        first = len(v.shape) - n
        if rng.random() < 0.7:
            weights = t.broadcast(self.ordered(tuple(sizes)), list(range(first)), v.shape)
            v = t.binary("mul", *rng.sample([v, weights], 2))
        if rng.random() < 0.5:
            v = self.function(v)
        dims = [d for d in range(len(v.shape)) if d >= first or rng.random() < 0.2]
        return t.reduce_sum(v, dims)


class Borders(Convolutions):
    """Windows that slide over more zeros around the image than image, as those of gradients do."""

    batches: ClassVar = (1, 2, 3, 8, 9)
    extents: ClassVar = (1, 2, 3, 4, 5, 7, 8, 9, 10, 14, 16, 17)
    taps: ClassVar = (1, 2, 3, 3, 4, 5, 7)
    strides: ClassVar = (1, 1, 1, 1, 1, 2)
    padded: ClassVar = 1.0
    around: ClassVar = (0, 1, 2, 2, 4, 6)
    between: ClassVar = (0, 0, 0, 0, 0, 1)

    def body(self) -> list[Value]:
        results = [self.convolution()]
        if self.rng.random() < 0.5:
            results = [self.epilogue(results[0])]
        if len(results[0].shape) >= 3 and self.rng.random() < 0.3:
            results.append(self.convolution(results[0]))
        if self.dtype != self.outside:
            results = [self.twin.cast(r, self.outside) for r in results]
        return results


class Equal(Borders):
    """The same convolution of several images: one function for them all, but not for those that lie in memory with
    zeros around them and those that are as large and have none.
    """

    bare = False

    def body(self) -> list[Value]:
        images = self.rng.choice([(False, False), (False, True), (False, False, True)])
        state, results = self.rng.getstate(), []
        for self.bare in images:
            self.rng.setstate(state)
            results.append(self.convolution())
        if self.dtype != self.outside:
            results = [self.twin.cast(r, self.outside) for r in results]
        return results

    def pad(self, x: Value, first: int) -> Value:
        padded = super().pad(x, first)
        return self.argument(padded.shape) if self.bare else padded
