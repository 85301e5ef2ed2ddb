"""Elements by index: ``x[...]``."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from cellgrad._errors import error
from cellgrad.common.tensor import Tensor
from cellgrad.ops._core import check_tensor, emit, operation, reshape_to
from cellgrad.ops._static import known_ints
from cellgrad.ops.arrangement import reverse_dims

__all__ = ["getitem", "slice", "strided_slice"]


def getitem(x: Tensor, index: Any) -> Tensor:
    """``x[index]`` with ints, slices, None, Ellipsis and tuples of them.

    Raises:
        IndexError: an index out of range, of another kind, or too many of them.
    """
    if isinstance(index, tuple) and len(index) == 1:
        index = index[0]
    listed = index if isinstance(index, tuple) else (index,)
    spec = tuple(_index_of(i) for i in listed)
    out: Tensor = _getitem(x, spec)
    return out


def _index_of(i: Any) -> Any:
    """An index as static data: slices become tuples, so that they can be part of a signature."""
    if isinstance(i, bool):
        return _Bool(i)
    if isinstance(i, builtins.slice):
        return ("slice", *(None if p is None else _int(p) for p in (i.start, i.stop, i.step)))
    if i is None or i is Ellipsis:
        return i
    return _int(i)


class _Bool(int):
    """A bool index: adds a dimension, of length 1 or 0."""


def _int(i: Any) -> int:
    if isinstance(i, int | np.integer):
        return int(i)
    if isinstance(i, Tensor) and i.ndim == 0 and i.dtype.kind in "iu":
        return int(i)
    kind = "Tensor" if isinstance(i, Tensor) else type(i).__name__
    hint = ""
    if isinstance(i, Tensor | list | np.ndarray):
        hint = (
            "indexing by tensors and lists comes in a later version; ops.where or ops.select may do"
        )
    raise error(
        IndexError,
        f"Only support integers, slices(`:`), ellipsis(`...`) and None as index, but got {i!r} "
        f"with type {kind}.",
        hint,
    )


@operation
def _getitem(x: Tensor, spec: tuple[Any, ...]) -> Tensor:
    used = len(
        [i for i in spec if i is not None and i is not Ellipsis and not isinstance(i, _Bool)]
    )
    if used > x.ndim:
        raise error(
            IndexError,
            f"too many indices for tensor of dimension {x.ndim}: {used} given for shape "
            f"{list(x.shape)}.",
        )
    if len([i for i in spec if i is Ellipsis]) > 1:
        raise error(IndexError, "an index can only have a single ellipsis ('...')")
    if Ellipsis not in spec:
        spec = (*spec, Ellipsis)
    starts, limits, strides, shape = [], [], [], []
    flips: list[int] = []
    d = 0
    for i in spec:
        if i is None or isinstance(i, _Bool):
            if isinstance(i, _Bool) and not i:
                raise error(
                    IndexError, "indexing with False selects nothing, which is not supported."
                )
            shape.append(1)
        elif i is Ellipsis:
            for _ in range(x.ndim - used):
                starts.append(0)
                limits.append(x.shape[d])
                strides.append(1)
                shape.append(x.shape[d])
                d += 1
        elif isinstance(i, tuple):
            lo, hi, step, count = _slice_bounds(i[1:], x.shape[d])
            if step < 0 and count:
                # Read forward from the last element taken, then reverse.
                lo, hi, step = lo + (count - 1) * step, lo + 1, -step
                flips.append(d)
            starts.append(lo)
            limits.append(hi)
            strides.append(abs(step))
            shape.append(count)
            d += 1
        else:
            n = x.shape[d]
            if not -n <= i < n:
                raise error(
                    IndexError, f"index {i} is out of bounds for dimension {d} with size {n}"
                )
            starts.append(i % n)
            limits.append(i % n + 1)
            strides.append(1)
            d += 1
    if starts != [0] * x.ndim or limits != list(x.shape) or strides != [1] * x.ndim:
        x = emit("cell.slice", [x], {"starts": starts, "limits": limits, "strides": strides})
    return reshape_to(reverse_dims(x, flips), tuple(shape))


def _slice_bounds(parts: tuple[Any, ...], n: int) -> tuple[int, int, int, int]:
    """Start, limit, step and count of a Python slice; an empty one reads an empty range."""
    if parts[2] == 0:
        raise error(ValueError, "slice step cannot be zero")
    lo, hi, step = builtins.slice(*parts).indices(n)
    count = len(range(lo, hi, step))
    return (0, 0, 1, 0) if count == 0 else (lo, hi, step, count)


# --- slices by numbers ------------------------------------------------------------------------


def slice(input_x: Tensor, begin: Any, size: Any) -> Tensor:
    """``size[i]`` elements from ``begin[i]`` on of each dimension; a size of -1 takes all.

    Raises:
        TypeError: `begin` or `size` is not a sequence of ints known while compiling.
        ValueError: other than one number for each dimension, or one out of range.
    """
    x = check_tensor(input_x, "slice", "input_x")
    starts, sizes = known_ints(begin, "slice", "begin"), known_ints(size, "slice", "size")
    if len(starts) != x.ndim or len(sizes) != x.ndim:
        raise error(
            ValueError,
            f"For 'slice', 'begin' and 'size' must have {x.ndim} elements, one for each dimension, "
            f"but got {len(starts)} and {len(sizes)}.",
        )
    ends = [n if k == -1 else lo + k for lo, k, n in zip(starts, sizes, x.shape, strict=True)]
    for d, (lo, hi, n) in enumerate(zip(starts, ends, x.shape, strict=True)):
        if not 0 <= lo <= hi <= n:
            raise error(
                ValueError,
                f"For 'slice', dimension {d} has {n} elements, but 'begin' is {lo} and 'size' "
                f"{sizes[d]}.",
            )
    return getitem(x, tuple(builtins.slice(lo, hi) for lo, hi in zip(starts, ends, strict=True)))


def strided_slice(
    input_x: Tensor,
    begin: Any,
    end: Any,
    strides: Any,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Tensor:
    """``x[begin:end:strides]`` in each dimension. A bit set in a mask leaves out that begin or end,
    or makes the entry ``...``, ``None`` or the index ``begin``.

    Raises:
        TypeError: `begin`, `end` or `strides` is not a sequence of ints known while compiling.
        ValueError: sequences of different lengths, or a stride of 0.
    """
    x = check_tensor(input_x, "strided_slice", "input_x")
    parts = [
        known_ints(v, "strided_slice", n)
        for v, n in ((begin, "begin"), (end, "end"), (strides, "strides"))
    ]
    if len({len(p) for p in parts}) != 1:
        raise error(
            ValueError,
            f"For 'strided_slice', 'begin', 'end' and 'strides' must have the same length, but got "
            f"{[len(p) for p in parts]}.",
        )
    index: list[Any] = []
    for i, (lo, hi, step) in enumerate(zip(*parts, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            index.append(Ellipsis)
        elif new_axis_mask & bit:
            index.append(None)
        elif shrink_axis_mask & bit:
            index.append(lo)
        else:
            first, last = None if begin_mask & bit else lo, None if end_mask & bit else hi
            index.append(builtins.slice(first, last, step))
    return getitem(x, tuple(index))
