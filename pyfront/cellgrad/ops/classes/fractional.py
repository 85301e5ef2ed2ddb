"""Pooling by windows of random lengths (Graham 2014), of images with the channels last."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import argument_error, check_bool, check_ndim
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor, is_number, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import keys, reductions
from cellgrad.ops._index import gathered
from cellgrad.ops._public import public
from cellgrad.ops._static import iota, known
from cellgrad.ops.classes.random import Seeded
from cellgrad.ops.cumulative import cumsum
from cellgrad.ops.joining import concat
from cellgrad.ops.next_keys import next_key
from cellgrad.ops.selection import cast, select
from cellgrad.ops.shapes import reshape


@operation
def _borders(seed: Any, n: int, count: int, pseudo: bool, fixed: bool) -> Tensor:
    """Where the windows begin, and the end of the last: `count` + 1 ints from 0 to n."""
    key = keys.key(n) if fixed else next_key(seed, "FractionalMaxPool")
    if not pseudo:  # lengths of two kinds, in random order
        lengths = np.full(count, n // count)
        lengths[: n % count] += 1
        drawn = keys.permutation(key, known(lengths, mstype.int64))
        return concat([known(np.zeros(1, np.int64), mstype.int64), cumsum(drawn, 0)], 0)
    ratio, least = n / count, n // count
    room = min((least + 2) / ratio - 1, (n + 1 - least) / ratio - (count - 1))
    u = keys.unit_uniform(key, (1,), mstype.float64) * room
    places: Any = cast(iota(count - 1), mstype.float64) + 1.0
    inner = cast(gen.ceil((places + u) * ratio), mstype.int64) - 1
    ends = [known(np.array([v]), mstype.int64) for v in (0, n)]
    return concat([ends[0], inner, ends[1]], 0)


def _taken(
    x: Tensor, first: Tensor, after: Tensor, dim: int, longest: int
) -> tuple[Tensor, Tensor]:
    """The elements of the windows along a dimension, which becomes two: the windows, and `longest`
    elements of each; and which of them are part of it.
    """
    n, count = x.shape[dim], first.shape[0]
    at: Any = reshape(first, (count, 1)) + reshape(cast(iota(longest), mstype.int64), (1, longest))
    inside = gen.less(at, reshape(after, (count, 1)))
    found = gathered(x, gen.minimum(at, n - 1), dim)
    shape = (*(1,) * dim, count, longest, *(1,) * (x.ndim - dim - 1))
    return found, reshape(inside, shape)


@operation
def _pooled(
    x: Tensor, rows: Tensor, columns: Tensor, lengths: tuple[int, int], overlap: bool, mean: bool
) -> Tensor:
    out = cast(x, mstype.float64) if mean else x
    least = -math.inf if x.dtype.kind == "f" else -(2 ** (8 * x.dtype.itemsize - 1))
    for dim, (borders, longest) in enumerate(zip((rows, columns), lengths, strict=True), 1):
        n, count = out.shape[dim], borders.shape[0] - 1
        after = borders[1:]
        if overlap:  # a window has the first element of the next one, too
            after = gen.minimum(after + 1, n)
        found, inside = _taken(out, borders[:count], after, dim, longest + overlap)
        if mean:
            size = reductions.sum(cast(inside, mstype.float64), dim + 1)
            out = reductions.sum(select(inside, found, 0.0), dim + 1) / size
        else:
            out = reductions.amax(select(inside, found, least), dim + 1)
    return cast(out, x.dtype)


class _Fractional(Seeded):
    _mean = False

    def __init__(
        self,
        pooling_ratio: Sequence[float],
        pseudo_random: bool = False,
        overlapping: bool = False,
        deterministic: bool = False,
        seed: int = 0,
        seed2: int = 0,
    ):
        super().__init__(seed, seed2)
        given = pooling_ratio
        listed = isinstance(given, tuple | list) and len(given) == 4
        if not listed or not all(is_number(v) and v >= 1 for v in given):
            raise argument_error(
                ValueError,
                self.name,
                "pooling_ratio",
                "a list of four numbers of at least 1",
                given,
            )
        if given[0] != 1 or given[3] != 1:
            raise error(
                ValueError,
                f"For '{self.name}', 'pooling_ratio' must be 1.0 for the batch and for the channels, but "
                f"got {list(given)}.",
            )
        self.pooling_ratio = [float(v) for v in given]
        self.pseudo_random = check_bool(pseudo_random, self.name, "pseudo_random")
        self.overlapping = check_bool(overlapping, self.name, "overlapping")
        self._fixed = check_bool(deterministic, self.name, "deterministic")

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        given = check_ndim(check_tensor(x, self.name, "x"), self.name, "x", 4)
        rows, columns = (self._along(given, dim) for dim in (1, 2))
        longest = (rows[1], columns[1])
        args = (rows[0], columns[0], longest, self.overlapping, self._mean)
        out: Tensor = _pooled(given, *args)
        return out, rows[0], columns[0]

    def _along(self, x: Tensor, dim: int) -> tuple[Tensor, int]:
        """Where the windows of a dimension begin, and how many elements one may have."""
        n, ratio = x.shape[dim], self.pooling_ratio[dim]
        count = int(n / ratio)
        if count < 1:
            raise error(
                ValueError,
                f"For '{self.name}', a 'pooling_ratio' of {ratio} leaves nothing of {n} elements.",
            )
        seed = None if self._fixed else self._stream.next()
        borders: Tensor = _borders(seed, n, count, self.pseudo_random, self._fixed)
        return borders, min(n // count + 2, n)


@public()
class FractionalMaxPool(_Fractional):
    """The largest elements of windows of random lengths, of images [N, H, W, C].

    Args:
        pooling_ratio: by how much each dimension shrinks: [1.0, of H, of W, 1.0].
        pseudo_random: whether the lengths come from one random number instead of a random order.
        overlapping: whether a window has the first element of the next one, too.
        deterministic: whether the windows are the same at each call.
        seed, seed2: seeds of its own, if one is not 0.

    Returns:
        the elements, and where the windows begin in H and W, int64, with the end of the last.

    Raises:
        TypeError: `x` is no Tensor.
        ValueError: other ratios, or other than four dimensions.

    >>> x = ops.arange(16.0).reshape(1, 4, 4, 1)
    >>> print(ops.FractionalMaxPool([1.0, 2.0, 2.0, 1.0])(x)[0].reshape(-1))
    [ 5.  7. 13. 15.]
    """


@public()
class FractionalAvgPool(_Fractional):
    """The means of windows of random lengths, of images [N, H, W, C]; see `FractionalMaxPool`. Means of integers
    are cut.

    >>> x = ops.arange(16.0).reshape(1, 4, 4, 1)
    >>> print(ops.FractionalAvgPool([1.0, 2.0, 2.0, 1.0])(x)[0].reshape(-1))
    [ 2.5  4.5 10.5 12.5]
    """

    _mean = True
