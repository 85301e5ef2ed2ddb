"""Searching: places in sorted sequences, distinct elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, TensorLike, TensorOrTensors
from cellgrad.core.arguments import check_bool
from cellgrad.core.errors import error
from cellgrad.core.record import (
    as_tensor,
    axis_of,
    broadcast_to_shape,
    cast_to,
    check_tensor,
    emit,
    is_number,
    operation,
    splat,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops._index import gathered
from cellgrad.ops._public import public
from cellgrad.ops._static import known
from cellgrad.ops.gathering import gather, gather_elements, needs_elements
from cellgrad.ops.shapes import reshape

# --- places -----------------------------------------------------------------------------------


@public(
    "Tensor.searchsorted(v, side='left', sorter=None) = "
    "ops.searchsorted(self, v, side=side, sorter=sorter, out_int32=True)",
    "mint.searchsorted",
)
def searchsorted(
    sorted_sequence: Tensor,
    values: ArrayLike,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Where along the last dimension of an ascending sequence values belong: before elements equal to
    them, or behind (`right`, or side ``"right"``). int64, or int32.

    Raises:
        TypeError: a sequence that is not a Tensor.
        ValueError: shapes that do not fit, another side, or one that contradicts `right`.

    >>> print(ops.searchsorted(Tensor([1.0, 3.0, 5.0]), Tensor([3.0, 4.0])))
    [1 2]
    """
    s = check_tensor(sorted_sequence, "searchsorted", "sorted_sequence")
    v = as_tensor(values, "searchsorted", s.dtype if is_number(values) else None)
    if side not in (None, "left", "right") or (side == "left" and right):
        raise error(
            ValueError,
            f"For 'searchsorted', 'side' must be None, 'left' or 'right' and agree with 'right', "
            f"but got {side!r} with right={right}.",
        )
    if not s.ndim or (s.ndim > 1 and s.shape[:-1] != v.shape[:-1]):
        raise error(
            ValueError,
            f"For 'searchsorted', the sequence must have one dimension, or all but the last as the "
            f"values, but got {list(s.shape)} and {list(v.shape)}.",
        )
    if sorter is not None:
        s = gather_elements(s, -1, sorter)
    dtype = mstype.int32 if out_int32 else mstype.int64
    out: Tensor = _searchsorted(s, v, right or side == "right", dtype)
    return out


@operation
def _searchsorted(s: Tensor, v: Tensor, right: bool, dtype: Any) -> Tensor:
    n = s.shape[-1]
    common = mstype.promote(s.dtype, v.dtype)
    s, v = cast_to(s, common), cast_to(v, common)
    # Both ends of the interval that holds the place, halved until they meet.
    low = splat(0, mstype.int32, v.shape)
    high = splat(n, mstype.int32, v.shape)
    for _ in range(n.bit_length()):
        middle = ew.binary("cell.floor_div", emit("cell.add", [low, high]), 2)
        at = ew.binary("cell.minimum", middle, n - 1)
        element = gathered(s, at, s.ndim - 1, s.ndim - 1)
        below = emit("cell.less_equal" if right else "cell.less", [element, v])
        below = emit("cell.logical_and", [below, emit("cell.less", [low, high])])
        low, high = (
            emit("cell.select", [below, ew.binary("cell.add", middle, 1), low]),
            emit("cell.select", [below, high, middle]),
        )
    return cast_to(low, dtype)


@public(
    "ops.Bucketize(boundaries: Any)(input) = ops.bucketize(input, boundaries, right=True)",
)
def bucketize(
    input: Tensor, boundaries: Tensor | Sequence[float], *, right: bool = False
) -> Tensor:
    """Between which of the ascending `boundaries` each element lies: their number at or below it
    without `right`, below it with it, as int32.

    Raises:
        TypeError: boundaries that are not a list, tuple or Tensor, or `right` is not a bool.

    >>> print(ops.bucketize(Tensor([0.5, 3.0, 9.0]), [1, 3, 5]))
    [0 1 3]

    >>> print(ops.Bucketize([1, 3, 5])(Tensor([0.5, 3.0, 9.0])))
    [0 2 3]
    """
    x = check_tensor(input, "bucketize", "input")
    edges = boundaries if isinstance(boundaries, Tensor) else Tensor(list(boundaries))
    return searchsorted(edges, x, out_int32=True, right=check_bool(right, "bucketize", "right"))


# --- distinct elements ------------------------------------------------------------------------

_HINT = "call it outside of compiled code, on tensors that hold elements"


@public("ops.Unique")
def unique(input: Tensor) -> tuple[Tensor, Tensor]:
    """The distinct elements in the order of their first appearance, and which of them each element
    is. The elements must be known while compiling. A gradient goes to the first appearance.

    Raises:
        TypeError: elements that are not known while compiling.

    >>> values, indices = ops.unique(Tensor([1, 2, 5, 2], ms.int32))
    >>> print(values, indices)
    [1 2 5] [0 1 2 1]
    """
    x = check_tensor(input, "unique", "input")
    values = needs_elements(x, "unique", _HINT)
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    own = mstype.int64 if x.dtype is mstype.int64 else mstype.int32
    return _chosen(x, first[order], None), known(rank[inverse.reshape(values.shape)], own)


def _chosen(x: Tensor, places: np.ndarray[Any, Any], axis: int | None) -> Tensor:
    """The elements, or the parts along a dimension, at places that are known."""
    given = reshape(x, (-1,)) if axis is None else x
    return gather(given, known(places, mstype.int64), axis or 0)


def unique_sorted(input: Tensor, return_inverse: bool, return_counts: bool, dim: int | None) -> Any:
    """The method `Tensor.unique`; see there."""
    x = check_tensor(input, "unique", "input")
    values = needs_elements(x, "unique", _HINT)
    axis = None if dim is None else axis_of(dim, x.ndim, "unique")
    _, first, inverse, counts = np.unique(values, True, True, True, axis=axis)
    out = [_chosen(x, first, axis)]
    if check_bool(return_inverse, "unique", "return_inverse"):
        shape = values.shape if axis is None else (values.shape[axis],)
        out.append(known(inverse.reshape(shape), mstype.int64))
    if check_bool(return_counts, "unique", "return_counts"):
        out.append(known(counts, mstype.int64))
    return out[0] if len(out) == 1 else tuple(out)


@public(
    "ops.UniqueConsecutive(return_inverse=False, return_counts=False, dim=None)(input) = "
    "ops.unique_consecutive(input, True, True, dim)",
    "Tensor.unique_consecutive",
    "mint.unique_consecutive",
)
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> TensorOrTensors:
    """The elements, or the parts along a dimension, without repetitions of the one before; on demand
    which of them each is, and how many it stands for. The elements must be known while compiling.

    Raises:
        TypeError: elements that are not known while compiling, or flags that are not bools.
        ValueError: `dim` out of range.

    >>> print(ops.unique_consecutive(Tensor([1, 1, 2, 2, 1])))
    [1 2 1]

    >>> print(*ops.UniqueConsecutive()(Tensor([1, 1, 2, 2, 1])))
    [1 2 1] [0 0 1 1 2] [2 2 1]
    """
    x = check_tensor(input, "unique_consecutive", "input")
    values = needs_elements(x, "unique_consecutive", _HINT)
    inverse_shape = values.shape if dim is None else None
    d = 0 if dim is None else axis_of(dim, x.ndim, "unique_consecutive")
    rows = values.reshape(-1) if dim is None else np.moveaxis(values, d, 0)
    n = rows.shape[0]
    flat = rows.reshape(n, rows.size // n if n else 0)
    new = np.ones(n, np.bool_)
    new[1:] = (flat[1:] != flat[:-1]).any(1)
    out = [_chosen(x, np.flatnonzero(new), None if dim is None else d)]
    if check_bool(return_inverse, "unique_consecutive", "return_inverse"):
        inverse = np.cumsum(new) - 1
        out.append(known(inverse.reshape(inverse_shape or (n,)), mstype.int64))
    if check_bool(return_counts, "unique_consecutive", "return_counts"):
        places = np.flatnonzero(new)
        out.append(known(np.diff(np.append(places, n)), mstype.int64))
    return out[0] if len(out) == 1 else tuple(out)


@public()
@operation
def interp(
    x: TensorLike,
    xp: TensorLike,
    fp: TensorLike,
    left: TensorLike | None = None,
    right: TensorLike | None = None,
) -> Tensor:
    """The values at `x` of the function that is linear between the points (`xp`, `fp`).

    Differentiable by `x`, `xp`, `fp`, `left` and `right`: by `x` it is the slope, at a point that of the line
    on its right, at the last point that on its left, and 0 outside.

    Args:
        x: any shape, or a number.
        xp: ascending numbers, shape [n].
        fp: the values there, shape [n].
        left, right: values below the first and above the last of `xp`; by default the values there.

    Returns:
        Tensor of the shape of `x`, in the common floating-point dtype. NaN where `x` is NaN.

    Raises:
        TypeError: something that is neither a number nor a Tensor, array, tuple or list.
        ValueError: shapes other than that.

    >>> print(ops.interp(Tensor([-1.0, 0.5, 2.0]), Tensor([0.0, 1.0, 3.0]), Tensor([0.0, 10.0, 30.0])))
    [ 0.  5. 20.]
    """
    points, values = as_tensor(xp, "interp"), as_tensor(fp, "interp")
    if points.ndim != 1 or points.shape != values.shape or not points.size:
        raise error(
            ValueError,
            "For 'interp', 'xp' and 'fp' must have one dimension of the same length, at least 1, but got "
            f"{list(points.shape)} and {list(values.shape)}.",
        )
    dtype = mstype.promote(points.dtype, values.dtype)
    given = as_tensor(x, "interp", dtype if is_number(x) and dtype.kind == "f" else None)
    dtype = mstype.promote(dtype, given.dtype)
    dtype = dtype if dtype.kind == "f" else mstype.default_float()
    given, points, values = [cast_to(t, dtype) for t in (given, points, values)]
    n, shape = points.size, given.shape
    ends = [
        broadcast_to_shape(cast_to(as_tensor(end, "interp", dtype), dtype), shape)
        if end is not None
        else broadcast_to_shape(values[place], shape)
        for end, place in ((left, 0), (right, n - 1))
    ]
    first, last = (broadcast_to_shape(points[place], shape) for place in (0, n - 1))
    below, above = emit("cell.less", [given, first]), emit("cell.greater", [given, last])
    if n == 1:
        inner = given - given + values[0]  # NaN of NaN
    else:
        # What is outside is not followed: the line there is not the value.
        outside = emit("cell.logical_or", [below, above])
        within = emit("cell.select", [outside, first, given])
        j = _searchsorted(points, emit("cell.stop_gradient", [within]), True, mstype.int32)
        j = ew.binary("cell.minimum", ew.binary("cell.maximum", j, 1), n - 1)
        low, high, start, end = [
            gathered(t, ew.binary("cell.sub", j, k), 0, 0) for t in (points, values) for k in (1, 0)
        ]
        slope = (end - start) / (high - low)
        inner = start + slope * (within - low)
    return emit("cell.select", [below, ends[0], emit("cell.select", [above, ends[1], inner])])
