"""Primitives of MindSpore that programs reach by name: windows, vectors that are filled, factors of matrices, rows
that are replaced."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_dtype,
    check_int,
    check_ndim,
    check_one_of,
    check_same_dtype,
    check_same_shape,
    check_sequence,
)
from cellgrad.core.dtype import Type
from cellgrad.core.errors import either
from cellgrad.core.record import as_tensor, axis_of, cast_to, check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import linalg, reductions
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._index import gathered
from cellgrad.ops._static import known, known_int, known_ints
from cellgrad.ops.gathering import gather
from cellgrad.ops.joining import concat, piece
from cellgrad.ops.scattering import tensor_scatter_update
from cellgrad.ops.selection import full, where, zeros, zeros_like
from cellgrad.ops.shapes import expand_dims, reshape

__all__ = ["QR", "ConcatOffsetV1", "MapUniform", "PadAndShift", "Rolling", "UpdateCache"]


class ConcatOffsetV1(Primitive):
    """Where each of some shapes begins in what they are joined to along an axis: shapes and results are vectors.

    Raises:
        TypeError: no Tensors of integers, or two dtypes.
        ValueError: an axis that is no number, less than two vectors, or other lengths.
    """

    def __call__(self, axis: Tensor, x: Any) -> tuple[Tensor, ...]:
        dim = check_ndim(check_tensor(axis, self.name, "axis"), self.name, "axis", 0)
        given = check_sequence(x, self.name, "x", "Tensors", Tensor)
        if len(given) < 2:
            raise argument_error(ValueError, self.name, "x", "two Tensors at least", len(given))
        check_dtype(dim, self.name, "axis", "i")
        for v in given:
            check_ndim(check_dtype(v, self.name, "x", "i"), self.name, "x", 1)
            check_same_dtype(given[0], v, self.name, ("x[0]", "x"))
            check_same_shape(given[0], v, self.name, ("x[0]", "x"))
        return tuple(_offsets(dim, tuple(given)))


@operation
def _offsets(axis: Tensor, shapes: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    places = known(np.arange(shapes[0].size, dtype=np.int32), mstype.int32)
    at = where(axis < 0, axis + shapes[0].size, axis)
    lengths = [gather(v, at, 0) for v in shapes[:-1]]
    starts = [as_tensor(0, "ConcatOffsetV1", shapes[0].dtype)]
    for n in lengths:
        starts.append(starts[-1] + n)
    return tuple([where(places == at, s, zeros_like(s)) for s in starts])


class MapUniform(Primitive):
    """Integers dealt out to groups in turn: ``x % group_num * per_group_size + x // group_num``.

    Raises:
        TypeError: no Tensor of integers, or no ints.
    """

    def __call__(self, x: Tensor, per_group_size: int, group_num: int) -> Tensor:
        given = check_dtype(check_tensor(x, self.name, "input"), self.name, "input", "i")
        size = check_int(per_group_size, self.name, "per_group_size")
        count = check_int(group_num, self.name, "group_num", at_least=1)
        return given % count * size + given // count


class PadAndShift(Primitive):
    """A vector of -1, into which the first elements of another are copied: from ``cum_sum_arr[shift_idx]`` to
    ``cum_sum_arr[shift_idx + 1]``. The last of `cum_sum_arr`, whose elements must be known, is its length.

    Raises:
        TypeError: no Tensors, the second of integers, or no int.
        ValueError: `shift_idx` out of range, or ends that do not fit.
    """

    def __call__(self, input_x: Tensor, cum_sum_arr: Tensor, shift_idx: int) -> Tensor:
        given = check_ndim(check_tensor(input_x, self.name, "input_x"), self.name, "input_x", 1)
        ends = known_ints(
            check_tensor(cum_sum_arr, self.name, "cum_sum_arr"), self.name, "cum_sum_arr"
        )
        at = check_int(shift_idx, self.name, "shift_idx", at_least=0, below=len(ends) - 1)
        start, end, length = ends[at], ends[at + 1], ends[-1]
        if not 0 <= start <= end <= length or end - start > given.size:
            raise argument_error(
                ValueError,
                self.name,
                "cum_sum_arr",
                f"ends in order, at most {given.size} apart at {at}",
                list(ends),
            )
        return _padded(given, start, end, length)


@operation
def _padded(x: Tensor, start: int, end: int, length: int) -> Tensor:
    before, after = (full((n,), -1, dtype=x.dtype) for n in (start, length - end))
    return concat((before, piece(x, 0, 0, end - start), after), 0)


class QR(Primitive):
    """Orthonormal columns and an upper triangular matrix whose product is the input; see `ops.qr`.

    Args:
        mode: "full" and "r" for square first factors, "economic" for min(m, n) columns.

    Raises:
        TypeError: no Tensor of floating-point numbers.
        ValueError: another mode, or a Tensor with less than two dimensions.
    """

    def __init__(self, mode: str = "full"):
        super().__init__()
        self.mode = check_one_of(mode, self.name, "mode", ("full", "r", "economic"))

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return linalg.qr(x, "reduced" if self.mode == "economic" else "complete")


_METHODS = ("max", "min", "mean", "sum", "std", "var")


class Rolling(Primitive):
    """The largest, smallest, mean, sum, standard deviation or variance of the elements in a window that moves along
    a dimension. Where less than `min_periods` elements are in it, the result is NaN, of integers 0.

    Args:
        window: how many elements it has.
        min_periods: how many there must be.
        center: whether the window lies around its place, and does not end there.
        axis: the dimension.
        closed: the ends that are in it: "right", "left", "both" or "neither".
        method: "max", "min", "mean", "sum", "std" or "var"; the last two divide by one less than the number of elements.

    Raises:
        TypeError: arguments of other types, or no Tensor of floats or integers.
        ValueError: a window or `min_periods` below 1, an axis out of range, other words; windows of one element
            for "std" or "var".
    """

    def __init__(
        self, window: int, min_periods: int, center: bool, axis: int, closed: str, method: str
    ):
        super().__init__()
        self.window = check_int(window, self.name, "window", at_least=1)
        self.min_periods = check_int(min_periods, self.name, "min_periods", at_least=1)
        self.center = check_bool(center, self.name, "center")
        self.axis = check_int(axis, self.name, "axis")
        self.closed = check_one_of(
            closed, self.name, "closed", ("right", "left", "both", "neither")
        )
        self.method = check_one_of(method, self.name, "method", _METHODS)

    def __call__(self, x: Tensor) -> Tensor:
        given = check_dtype(check_tensor(x, self.name, "x"), self.name, "x", "fi")
        dim = axis_of(self.axis, given.ndim, self.name)
        how = self.window, self.center, self.closed
        start, end = _places(given.shape[dim], *how)
        counts = end - start
        if self.method in ("std", "var") and np.any(counts[counts >= self.min_periods] < 2):
            raise argument_error(
                either(ValueError, RuntimeError),
                self.name,
                "min_periods",
                f"at least 2, as method '{self.method}' needs two elements",
                self.min_periods,
            )
        out: Tensor = _rolled(given, dim, how, self.min_periods, self.method)
        return out


def _places(length: int, window: int, center: bool, closed: str) -> tuple[Any, Any]:
    """Where the windows begin and end."""
    end = np.arange(1, length + 1) + ((window - 1) // 2 if center else 0)
    start = end - window - (closed in ("left", "both"))
    end -= closed in ("left", "neither")
    return np.clip(start, 0, length), np.clip(end, 0, length)


@operation
def _rolled(
    x: Tensor, dim: int, how: tuple[int, bool, str], min_periods: int, method: str
) -> Tensor:
    start, end = _places(x.shape[dim], *how)
    enough = end - start >= min_periods
    widest = int((end - start).max(initial=1))
    at = start[:, None] + np.arange(widest)
    inside = (at < end[:, None]) & enough[:, None]
    picked = known(np.where(inside, at, 0).reshape(-1), mstype.int64)
    shape = (*x.shape[:dim], len(start), widest, *x.shape[dim + 1 :])
    windows = reshape(gathered(x, picked, dim), shape)

    def along(values: np.ndarray[Any, Any], ndim: int, dtype: Type) -> Tensor:
        """Values of the places, in a shape that fits the windows, or the results."""
        return known(values.reshape(values.shape + (1,) * (ndim - dim - values.ndim)), dtype)

    def chosen(values: Tensor, other: float) -> Tensor:
        """The values in the windows, and another number around them."""
        around = as_tensor(other, "Rolling", values.dtype)
        return where(along(inside, values.ndim, mstype.bool_), values, around)

    if method in ("max", "min"):
        least, most = mstype.limits(x.dtype) if x.dtype.kind == "i" else (-math.inf, math.inf)
        reduce = reductions.amax if method == "max" else reductions.amin
        out = reduce(chosen(windows, least if method == "max" else most), dim + 1)
    elif method == "sum":
        out = reductions.reduce_sum(chosen(windows, 0), dim + 1)
    else:
        exact = cast_to(windows, mstype.float64) if x.dtype.kind == "i" else windows
        count = along(np.maximum(end - start, 1), x.ndim, exact.dtype)
        mean = reductions.reduce_sum(chosen(exact, 0), dim + 1) / count
        out = mean
        if method != "mean":
            apart = chosen(exact - expand_dims(mean, dim + 1), 0)
            less = along(np.maximum(end - start - 1, 1), x.ndim, exact.dtype)
            out = reductions.reduce_sum(apart * apart, dim + 1) / less
            out = reductions.safe_root(out) if method == "std" else out
    few = as_tensor(0 if x.dtype.kind == "i" else math.nan, "Rolling", x.dtype)
    return where(along(enough, x.ndim, mstype.bool_), cast_to(out, x.dtype), few)


class UpdateCache(Primitive):
    """Rows of a Parameter replaced, but for those whose index is below 0, `max_num` or above; later updates of a row
    count. The result is a zero of shape [1], which stands for nothing.

    Raises:
        IndexError: an index below `max_num` that is no row.
        TypeError: no Tensors, indices that are no integers, or no int.
        ValueError: not one row of `updates` for each index.
    """

    def __call__(self, input_x: Tensor, indices: Tensor, updates: Tensor, max_num: int) -> Tensor:
        x = check_ndim(
            check_tensor(input_x, self.name, "input_x"), self.name, "input_x", at_least=1
        )
        at = check_dtype(check_tensor(indices, self.name, "indices"), self.name, "indices", "i")
        new = check_tensor(updates, self.name, "updates")
        limit = known_int(max_num, self.name, "max_num", at_least=0)
        check_same_dtype(x, new, self.name, ("input_x", "updates"))
        rows = (at.size, *x.shape[1:])
        if new.size != math.prod(rows):
            raise argument_error(
                ValueError, self.name, "updates", f"of the elements of shape {list(rows)}", new
            )
        x[...] = _with_rows(x, reshape(at, (-1,)), reshape(new, rows), limit)
        return zeros((1,), x.dtype)


@operation
def _with_rows(x: Tensor, at: Tensor, new: Tensor, limit: int) -> Tensor:
    """Rows that are not written go to one more row in front, which is cut off."""
    more = concat((zeros((1, *x.shape[1:]), x.dtype), x), 0)
    places = where((at >= 0) & (at < limit), at + 1, zeros_like(at))
    written = tensor_scatter_update(more, expand_dims(places, -1), new)
    return piece(written, 0, 1, x.shape[0] + 1)
