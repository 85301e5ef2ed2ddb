"""What an index means: its parts checked against a shape, and the regions and gathers they lower to.

An index is read once into a `Plan`: slices, whole numbers and new dimensions become a region that is
sliced, and what is left are arrays of whole numbers, one for each dimension they index, that become
one gather.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.errors import either, error
from cellgrad.core.record import (
    as_index,
    broadcast_to_shape,
    cast_to,
    emit,
    emit_several,
    reshape_to,
)
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer, elements
from cellgrad.ops import _elementwise as ew
from cellgrad.ops._static import is_int, known
from cellgrad.ops.joining import pad_to, piece, reverse_dims, stack


class Region(NamedTuple):
    """A box of elements with steps; dimensions in `flips` are read from the end."""

    starts: tuple[int, ...]
    limits: tuple[int, ...]
    strides: tuple[int, ...]
    flips: tuple[int, ...]
    shape: tuple[int, ...]  # of the result, with dimensions dropped and added


@dataclasses.dataclass(frozen=True, eq=False)
class Plan:
    """An index of a tensor of known shape; one object for each, compared by identity."""

    region: Region
    dims: tuple[int, ...]  # dimensions of the tensor that arrays index, one each
    places: tuple[int, ...]  # the same in the region
    first: bool  # whether the arrays' dimensions come first in the result, as numpy has it


class Mask(NamedTuple):
    """A mask of truth values that are not known while compiling."""

    truth: Tensor
    before: int  # dimensions before those it covers


# --- parts ------------------------------------------------------------------------------------


_TRUE = ("true",)


def parts_of(index: Any) -> tuple[list[Any], list[Any]]:
    """The parts of an index as static data, and the arrays in it.

    A part is an int, a slice's ("slice", start, stop, step), None, Ellipsis, or ("array", k) for array
    k: numpy integers, known bools, or a Tensor. True is an array of one element, for no dimension: ("true",)
    beside others, and None where there are only numbers. A list with a Tensor, a slice or the like in it is a tuple,
    as in MindSpore and PyTorch.
    """
    listed = index if isinstance(index, tuple) or _is_several(index) else (index,)
    parts: list[Any] = []
    arrays: list[Any] = []
    for i in listed:
        if type(i) is int or i is None or i is Ellipsis:
            parts.append(i)
        elif isinstance(i, bool | np.bool_):
            if not i:
                raise error(
                    IndexError,
                    "When tensor is indexed by a bool object, the value only support 'True'.",
                )
            parts.append(_TRUE)
        elif is_int(i):
            parts.append(int(i))
        elif isinstance(i, slice):
            bounds = (None if p is None else _bound(p) for p in (i.start, i.stop, i.step))
            parts.append(("slice", *bounds))
        else:
            array = _array(i)
            if isinstance(array, np.ndarray) and array.dtype.kind == "b" and not array.ndim:
                parts_of(bool(array))  # which refuses False
                parts.append(_TRUE)
                continue
            parts.append(("array", len(arrays)))
            arrays.append(array)
    if _TRUE in parts and not any(a.ndim for a in arrays):
        parts = _with_dimension(parts)
    return parts, arrays


def names_nothing(index: Any) -> bool:
    """Whether False is one of the parts of an index, which then names no element."""
    listed = index if isinstance(index, tuple) else (index,)
    return any(isinstance(i, bool | np.bool_) and not i for i in listed)


def _is_several(index: Any) -> bool:
    """Whether an index is a list of parts: of what makes no array, or has a Tensor in it."""
    if not isinstance(index, list):
        return False
    nested = {isinstance(v, list | tuple) for v in index}
    return len(nested) == 2 or any(
        v is None or v is Ellipsis or isinstance(v, Tensor | slice) for v in index
    )


def _with_dimension(parts: list[Any]) -> list[Any]:
    """An index of True and numbers, with None where the dimension that they have together is in the result."""
    joined = [k for k, i in enumerate(parts) if isinstance(i, int) or i == _TRUE or _is_array(i)]
    rest = [i for i in parts if i != _TRUE]
    return [*rest[: joined[0]], None, *rest[joined[0] :]] if _adjacent(joined) else [None, *rest]


def _is_array(part: Any) -> bool:
    return isinstance(part, tuple) and part[0] == "array"


def _adjacent(places: list[int]) -> bool:
    return places[-1] - places[0] == len(places) - 1


def _bound(value: Any) -> int:
    if is_int(value):
        return int(value)
    if isinstance(value, Tensor) and value.size == 1 and value.dtype.kind in "iu":
        return int(elements(value, "a slice").reshape(()))
    raise error(
        either(IndexError, TypeError),
        f"Only integers, None and known tensors of one integer may bound a slice, but got "
        f"{value!r} with type {type(value).__name__}.",
    )


def _array(value: Any) -> Any:
    """An array of whole numbers or truth values: of numpy where it is known, else a Tensor."""
    if isinstance(value, list | tuple | range):
        items = list(value)
        if _holds_tensors(items):
            value = stack(
                [v if isinstance(v, Tensor) else known(np.asarray(v), mstype.int64) for v in items]
            )
        else:
            try:
                value = np.asarray(items)
            except ValueError:
                value = np.asarray(None)
            if value.size == 0:
                value = value.astype(np.int64)
    if isinstance(value, Tensor):
        kind = value.dtype.kind
        if kind in "iub" and is_known(value):
            return value._concrete("an index")
    elif isinstance(value, np.ndarray):
        kind = value.dtype.kind
    else:
        kind = ""
    if kind not in tuple("iub"):
        raise error(
            IndexError,
            f"Only support integers, slices(`:`), ellipsis(`...`), None, bool, and tensors, lists "
            f"and arrays of integers or bools as index, but got {value!r} with type "
            f"{type(value).__name__}.",
        )
    return value


def _holds_tensors(items: Any) -> bool:
    if isinstance(items, list | tuple):
        return any(_holds_tensors(v) for v in items)
    return isinstance(items, Tensor)


def is_known(x: Tensor) -> bool:
    """Whether the elements of a tensor can be read now, and stay what they are."""
    scope = state.current.scope
    return scope is None or (not isinstance(x, Tracer) and scope.made_here(x))


# --- plans ------------------------------------------------------------------------------------


@functools.lru_cache(4096)
def plan_of(parts: tuple[Any, ...], arrays: int, shape: tuple[int, ...]) -> Plan:
    """Checks an index of `arrays` arrays against a shape; there are no masks any more.

    Raises:
        IndexError: more parts than dimensions, two ellipses, or a number out of range.
        ValueError: a slice of step 0.
    """
    starts: list[int] = []
    limits: list[int] = []
    strides: list[int] = []
    out: list[int] = []
    flips: list[int] = []
    dims: list[int] = []
    places: list[int] = []
    runs = 0  # of numbers and arrays that are not interrupted
    before = False
    for i in _expanded(parts, shape, [1] * arrays):
        d = len(starts)
        if i is Ellipsis:
            pass
        elif i is None:
            out.append(1)
        elif i == _TRUE:
            pass
        elif isinstance(i, int):
            at = checked_index(i, shape[d], d)
            _append((starts, at), (limits, at + 1), (strides, 1))
        elif i[0] == "slice":
            lo, hi, step, count = slice_bounds(i[1:], shape[d])
            if step < 0:
                # Read forward from the last element taken, then reversed.
                lo, hi, step = lo + (count - 1) * step, lo + 1, -step
                flips.append(d)
            _append((starts, lo), (limits, hi), (strides, step), (out, count))
        else:
            _append((dims, d), (places, len(out)))
            _append((starts, 0), (limits, shape[d]), (strides, 1), (out, shape[d]))
        joins = isinstance(i, int) or (isinstance(i, tuple) and i[0] != "slice")
        runs += joins and not before
        before = joins
    region = Region(tuple(starts), tuple(limits), tuple(strides), tuple(flips), tuple(out))
    return Plan(region, tuple(dims), tuple(places), bool(places) and runs > 1)


def _append(*pairs: tuple[list[int], int]) -> None:
    for values, value in pairs:
        values.append(value)


def _expanded(parts: Sequence[Any], shape: tuple[int, ...], widths: list[int]) -> list[Any]:
    """The parts with ``...`` written out; array k takes ``widths[k]`` dimensions."""
    used = 0
    for i in parts:
        if isinstance(i, tuple):
            used += widths[i[1]] if i[0] == "array" else i[0] == "slice"
        elif isinstance(i, int):
            used += 1
    if used > len(shape):
        raise error(
            # MindSpore raises the second: of masks with more dimensions, of tensors without any.
            either(IndexError, ValueError if shape else TypeError),
            f"too many indices for tensor of dimension {len(shape)}: {used} given for shape "
            f"{list(shape)}.",
        )
    at = [k for k, i in enumerate(parts) if i is Ellipsis]
    if len(at) > 1:
        raise error(IndexError, "an index can only have a single ellipsis('...')")
    # One that stands for nothing stays: it still separates arrays.
    rest: list[Any] = [("slice", None, None, None)] * (len(shape) - used) or [Ellipsis]
    return [*parts[: at[0]], *rest, *parts[at[0] + 1 :]] if at else [*parts, *rest]


def checked_index(i: int, n: int, d: int) -> int:
    """A number from the start."""
    if not -n <= i < n:
        raise error(
            IndexError, f"index {i} is out of bounds for dimension with size {n} (dimension {d})"
        )
    return i % n


def slice_bounds(bounds: tuple[Any, ...], n: int) -> tuple[int, int, int, int]:
    """Start, limit, step and count of a Python slice; an empty one reads an empty range."""
    if bounds[2] == 0:
        raise error(ValueError, "slice step cannot be zero")
    lo, hi, step = slice(*bounds).indices(n)
    count = len(range(lo, hi, step))
    return (0, 0, 1, 0) if count == 0 else (lo, hi, step, count)


def without_masks(
    parts: list[Any], arrays: list[Any], shape: tuple[int, ...]
) -> tuple[list[Any], list[Any], Mask | None]:
    """The index with known masks as arrays of whole numbers, and the one unknown mask if there is.

    Raises:
        IndexError: a mask that does not fit the dimensions it covers; MindSpore's ValueError, too.
    """
    widths = [a.ndim if _is_bool(a) else 1 for a in arrays]
    if not any(_is_bool(a) for a in arrays):
        return parts, arrays, None
    d, new_parts = 0, []
    new_arrays: list[Any] = []
    mask = None
    for i in _expanded(parts, shape, widths):
        if not isinstance(i, tuple) or i[0] != "array":
            d += not (i is None or i is Ellipsis or i == _TRUE)
            new_parts.append(i)
            continue
        a, width = arrays[i[1]], widths[i[1]]
        if _is_bool(a):
            if a.shape != shape[d : d + width]:
                raise error(
                    either(IndexError, ValueError),
                    f"A mask must have the shape of the dimensions it covers, "
                    f"{list(shape[d : d + width])}, but has {list(a.shape)}.",
                )
            if isinstance(a, Tensor):
                if mask is not None:
                    raise error(
                        TypeError,
                        "Two masks that are not known while compiling cannot be in one index.",
                        "combine them with ops.logical_and",
                    )
                mask = Mask(a, d)
                found: Sequence[Any] = [a] * width
            else:
                found = np.nonzero(a)
        else:
            found = [a]
        for v in found:
            new_parts.append(("array", len(new_arrays)))
            new_arrays.append(v)
        d += width
    return new_parts, new_arrays, mask


def _is_bool(a: Any) -> bool:
    return bool(a.dtype.kind == "b")


# --- regions ----------------------------------------------------------------------------------


def take_region(x: Tensor, region: Region) -> Tensor:
    """The elements of a region."""
    starts, limits, strides = list(region.starts), list(region.limits), list(region.strides)
    if starts != [0] * x.ndim or limits != list(x.shape) or strides != [1] * x.ndim:
        x = emit("cell.slice", [x], {"starts": starts, "limits": limits, "strides": strides})
    return reshape_to(reverse_dims(x, list(region.flips)), region.shape)


def put_region(x: Tensor, region: Region, value: Tensor) -> Tensor:
    """The tensor with the elements of a region replaced by `value`, which has the region's shape."""
    bounds = list(zip(region.starts, region.limits, region.strides, strict=True))
    counts = tuple(len(range(*b)) for b in bounds)
    value = reverse_dims(reshape_to(value, counts), list(region.flips))
    return _put(x, bounds, value) if value.size else x


def _put(x: Tensor, bounds: list[tuple[int, int, int]], value: Tensor) -> Tensor:
    for d, (lo, hi, step) in enumerate(bounds):
        n = x.shape[d]
        hi = lo + (value.shape[d] - 1) * step + 1
        if (lo, hi) == (0, n) or step > 1:
            continue
        # What lies before and after stays; what lies between is replaced along other dimensions.
        inner = [*bounds[:d], (0, hi - lo, 1), *bounds[d + 1 :]]
        middle = _put(piece(x, d, lo, hi), inner, value)
        parts = [piece(x, d, 0, lo), middle, piece(x, d, hi, n)]
        return emit("cell.concat", [p for p in parts if p.shape[d]], {"dim": d})
    spread = [d for d, b in enumerate(bounds) if b[2] > 1 and x.shape[d] != value.shape[d]]
    if not spread:
        return value
    low, high, interior = [0] * x.ndim, [0] * x.ndim, [0] * x.ndim
    truth = None
    for d in spread:
        lo, _, step = bounds[d]
        low[d], interior[d] = lo, step - 1
        high[d] = x.shape[d] - lo - ((value.shape[d] - 1) * step + 1)
        taken = np.zeros(x.shape[d], np.bool_)
        taken[lo::step][: value.shape[d]] = True
        along = known(taken.reshape(-1, *(1,) * (x.ndim - d - 1)), mstype.bool_)
        wide = broadcast_to_shape(along, x.shape)
        truth = wide if truth is None else emit("cell.logical_and", [truth, wide])
    return emit("cell.select", [truth, pad_to(value, low, high, interior), x])


# --- arrays of whole numbers ------------------------------------------------------------------


def check_bounds(array: np.ndarray[Any, Any], n: int, where: str) -> None:
    """Refuses known numbers out of range."""
    bad = array[(array < -n) | (array >= n)]
    if bad.size:
        raise error(IndexError, f"index {bad[0]} is out of bounds for {where} with size {n}")


def settled(array: Any, n: int, where: str) -> tuple[Tensor, bool]:
    """Numbers as a tensor, and whether they are known to be in [0, `n`).

    Raises:
        IndexError: known numbers out of range.
    """
    if isinstance(array, Tensor):
        if not is_known(array):
            if n == 0 and array.size:
                raise error(IndexError, f"no index is in bounds for {where} with size 0")
            return array, False
        array = array._concrete("an index")
    check_bounds(array, n, where)
    dtype = mstype.int64 if array.dtype.itemsize > 4 or array.dtype.kind == "u" else mstype.int32
    array = array.astype(np.int64)
    return known(np.where(array < 0, array + n, array), dtype), True


def wrapped(index: Tensor, n: int, where: str) -> Tensor:
    """Numbers counted from the start; one out of range is an IndexError when the code runs."""
    index = as_index(index)
    inside = [ew.compare("cell.greater_equal", index, -n), ew.compare("cell.less", index, n)]
    check(emit("cell.logical_and", inside), f"an index is out of bounds for {where} with size {n}")
    negative = ew.compare("cell.less", index, 0)
    return emit("cell.select", [negative, ew.binary("cell.add", index, n), index])


_LIMIT = "limit the index with ops.clamp, or check it before"
# Of indices that operations are given: Python's class for it, and that of MindSpore's kernels.
OUT_OF_RANGE = either(IndexError, RuntimeError, ValueError)


def check(
    ok: Tensor, message: str, kind: type[Exception] = OUT_OF_RANGE, hint: str = _LIMIT
) -> None:
    """Ends the call with an error where an element of `ok` is false."""
    scope, place = state.current.scope, state.position()
    if scope is not None and place is not None:
        said = f"{message} ({os.path.basename(place.file)}:{place.line})"
        scope.trace.checks.setdefault(said, (place, kind, hint))
    emit_several("cell.check", [ok], {"message": message})


def linear(arrays: list[Tensor], sizes: Sequence[int], shape: tuple[int, ...]) -> Tensor:
    """Row-major positions in dimensions of the given sizes, of numbers broadcast to `shape`."""
    wide = any(a.dtype is mstype.int64 for a in arrays) or math.prod(sizes) >= 2**31
    dtype = mstype.int64 if wide else mstype.int32
    out: Any = None
    for a, n in zip(arrays, sizes, strict=True):
        a = broadcast_to_shape(cast_to(a, dtype), shape)
        out = a if out is None else emit("cell.add", [out * n, a])
    assert isinstance(out, Tensor)
    return out


# --- gather, scatter and order -----------------------------------------------------------------


def gathered(x: Tensor, index: Tensor, dim: int, batch_dims: int = 0) -> Tensor:
    """``x[b.., p.., index[b.., i..], r..]`` for indices that are in range."""
    return emit("cell.gather", [x, index], {"dim": dim, "batch_dims": batch_dims})


def scattered(
    x: Tensor, index: Tensor, updates: Tensor, dim: int, batch_dims: int, combine: str
) -> Tensor:
    """`x` with `updates` put in ("set", the last one stays) or added to ("add") the places that indices
    in range name along a dimension.
    """
    if not updates.size:
        return x
    attrs = {"dim": dim, "batch_dims": batch_dims, "combine": combine}
    return emit("cell.scatter", [x, index, updates], attrs)


def rows_of(x: Tensor, index: Tensor, d: int) -> int:
    """How many dimensions before `d` are of equal length in both, from the first on. An element there is one
    of its own row, which in a program for any batch size is its sample's.
    """
    alike = (n == m for n, m in zip(x.shape[:d], index.shape[:d], strict=True))
    return next((k for k, same in enumerate(alike) if not same), d)


def places(shape: tuple[int, ...], index: Tensor, d: int, rows: int = 0) -> Tensor:
    """Row-major positions in a tensor of some shape, in the part that the first `rows` dimensions leave: the
    index's elements along `d`, and along other dimensions their own.
    """
    own = index.shape
    alone = [
        emit("cell.iota", [], {"dim": k}, index.dtype, own) if k != d else index
        for k in range(rows, index.ndim)
    ]
    return linear(alone, shape[rows:], own)


def with_rows(x: Tensor, rows: int) -> Tensor:
    """All but the first `rows` dimensions as one."""
    lead = x.shape[:rows]
    return reshape_to(x, (*lead, math.prod(x.shape[rows:])))


def elements_along(x: Tensor, index: Tensor, d: int) -> Tensor:
    """Element i.. is the one at i.. of `x` with ``index[i..]`` in the place of ``i[d]``; in range."""
    rows = rows_of(x, index, d)
    return gathered(with_rows(x, rows), places(x.shape, index, d, rows), rows, rows)


def order_of(x: Tensor, dim: int, descending: bool, count: int | None = None) -> Tensor:
    """Where the elements along a dimension are in order: int32; equal ones keep theirs, and NaN is
    larger than any number. The first `count` only, if that is given.
    """
    attrs = {"dim": dim, "descending": descending}
    shape = list(x.shape)
    shape[dim] = shape[dim] if count is None else count
    return emit("cell.argsort", [x], attrs, mstype.int32, tuple(shape))
