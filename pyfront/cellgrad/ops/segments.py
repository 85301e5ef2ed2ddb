"""Parts combined by their index: the largest, smallest, product or sum of the updates of a place, or of
a segment.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core import scope, state
from cellgrad.core.arguments import check_dtype
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import (
    as_index,
    broadcast_to_shape,
    cast_to,
    check_tensor,
    emit,
    operation,
    reshape_to,
    splat,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import _index
from cellgrad.ops._index import gathered, scattered
from cellgrad.ops._public import public
from cellgrad.ops._static import known_int
from cellgrad.ops.gathering import place_tensor
from cellgrad.ops.joining import piece
from cellgrad.ops.rounding import truncate_div
from cellgrad.ops.scattering import checked_updates, flat_parts

_COMBINE = {"max": "cell.maximum", "min": "cell.minimum", "mul": "cell.mul"}


def combined(x: Tensor, index: Tensor, updates: Tensor, combine: str) -> Tensor:
    """`x` [n, R..] with `updates` [I, R..] combined into the rows that indices [I] name: "add", "max",
    "min" or "mul".

    In ascending order of the indices, each update is combined with those before it of the same index,
    so that the last of equal indices has all of them. Steps double, as in any parallel prefix. All that
    attain an extremum have equal parts of its derivative.
    """
    if combine == "add" or not updates.size:
        return scattered(x, index, updates, 0, 0, combine)
    neutral = {"max": -math.inf, "min": math.inf}.get(combine, 1)
    if combine != "mul" and x.dtype.kind != "f":
        neutral = extreme(x.dtype, combine == "max")
    current = state.current.scope
    if combine != "mul" and current is not None and current.trace.stand_in:
        spread = _selected(x.shape[0], index, updates, combine, neutral)
    else:
        spread = _scanned(splat(neutral, x.dtype, x.shape), index, updates, combine)
    out = emit(_COMBINE[combine], [x, spread])
    return out if combine == "mul" or x.dtype.kind != "f" else _shared(x, index, updates, out)


def _selected(rows: int, index: Tensor, updates: Tensor, combine: str, neutral: Any) -> Tensor:
    """The extremum of the updates of each of the rows, of all that are not its own replaced: there are no
    orders of a batch of any size, but extrema.
    """
    n, rest = index.shape[0], updates.shape[1:]
    number = emit("cell.iota", [], {"dim": 1}, index.dtype, (n, rows))
    own = emit("cell.equal", [broadcast_to_shape(reshape_to(index, (n, 1)), (n, rows)), number])
    shape = (n, rows, *rest)
    own = broadcast_to_shape(reshape_to(own, (n, rows, *(1,) * len(rest))), shape)
    updates = broadcast_to_shape(reshape_to(updates, (n, 1, *rest)), shape)
    chosen = emit("cell.select", [own, updates, splat(neutral, updates.dtype, shape)])
    return emit(f"cell.reduce_{combine}", [chosen], {"dims": [0]})


def _scanned(base: Tensor, index: Tensor, updates: Tensor, combine: str) -> Tensor:
    """`base` with the updates of each row, combined, in its place."""
    order = _index.order_of(index, 0, False)
    index, updates = gathered(index, order, 0), gathered(updates, order, 0)
    n, step = index.shape[0], 1
    while step < n:
        same = emit("cell.equal", [piece(index, 0, step, n), piece(index, 0, 0, n - step)])
        same = reshape_to(same, (n - step, *(1,) * (updates.ndim - 1)))
        later, sooner = piece(updates, 0, step, n), piece(updates, 0, 0, n - step)
        both = emit(_COMBINE[combine], [later, sooner])
        later = emit("cell.select", [broadcast_to_shape(same, later.shape), both, later])
        updates = emit("cell.concat", [piece(updates, 0, 0, step), later], {"dim": 0})
        step *= 2
    return scattered(base, index, updates, 0, 0, "set")


def _shared(x: Tensor, index: Tensor, updates: Tensor, out: Tensor) -> Tensor:
    """The extrema `out` with derivatives in equal parts by those elements and updates that attain them:
    steps that compare two at a time give the last of three the half.
    """

    def attain(t: Tensor, extremum: Tensor) -> Tensor:
        return cast_to(emit("cell.equal", [t, extremum]), x.dtype)

    mine, theirs = attain(x, out), attain(updates, gathered(out, index, 0))
    count = scattered(mine, index, theirs, 0, 0, "add")
    part = emit("cell.div", [splat(1, x.dtype, x.shape), count])
    parts = emit("cell.mul", [theirs, gathered(part, index, 0)])
    own = emit("cell.mul", [x, emit("cell.mul", [mine, part])])
    leaf = scattered(own, index, emit("cell.mul", [updates, parts]), 0, 0, "add")
    return scope.leaf_of(leaf, out)


def extreme(dtype: Type, least: bool) -> Any:
    """The least or the largest finite number of a dtype."""
    if dtype is mstype.bfloat16:
        largest = 255 * 2.0**120
        return -largest if least else largest
    info: Any = (np.finfo if dtype.kind == "f" else np.iinfo)(mstype.to_numpy(dtype))
    return (
        (info.min if least else info.max).item()
        if dtype.kind == "f"
        else (int(info.min if least else info.max))
    )


# --- by tuples of indices ---------------------------------------------------------------------


def _combine_tuples(input_x: Any, indices: Any, updates: Any, combine: str, op: str) -> Tensor:
    x, at, new, safe = checked_updates(input_x, indices, updates, op)
    if combine == "div":
        check_dtype(x, op, "input_x", "f" if x.dtype is mstype.uint64 else "iuf")
    out: Tensor = _combine_at(x, at, new, combine, safe, op)
    return out


@operation
def _combine_at(
    x: Tensor, indices: Tensor, updates: Tensor, combine: str, safe: bool, op: str
) -> Tensor:
    flat, at, new = flat_parts(x, indices, updates, op, safe)
    if combine == "div" and x.dtype.kind != "f":
        return reshape_to(_divided(flat, at, new), x.shape)
    if combine == "div":
        product = combined(splat(1, x.dtype, flat.shape), at, new, "mul")
        return reshape_to(emit("cell.div", [flat, product]), x.shape)
    return reshape_to(combined(flat, at, new, combine), x.shape)


def _divided(x: Tensor, at: Tensor, updates: Tensor) -> Tensor:
    """Integers divided by their updates, each quotient rounded towards zero: as by the product of all,
    which is zero where it is beyond int64.
    """
    wide = cast_to(updates, mstype.int64)
    product = combined(splat(1, mstype.int64, x.shape), at, wide, "mul")
    size = splat(1, mstype.float64, x.shape)
    size = combined(size, at, cast_to(updates, mstype.float64), "mul")
    beyond = ew.compare("cell.greater", emit("cell.abs", [size]), 2.0**62)
    quotient = truncate_div(cast_to(x, mstype.int64), product)
    none = splat(0, mstype.int64, x.shape)
    return cast_to(emit("cell.select", [beyond, none, quotient]), x.dtype)


@public(
    "ops.TensorScatterMax",
    "Tensor.scatter_max",
)
def tensor_scatter_max(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """As `ops.tensor_scatter_update`, with the larger of element and updates.

    >>> print(ops.tensor_scatter_max(ops.ones(3), Tensor([[0], [1]]), Tensor([0.5, 4.0])))
    [1. 4. 1.]
    """
    return _combine_tuples(input_x, indices, updates, "max", "tensor_scatter_max")


@public(
    "ops.TensorScatterMin",
    "Tensor.scatter_min",
)
def tensor_scatter_min(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """As `ops.tensor_scatter_update`, with the smaller of element and updates.

    >>> print(ops.tensor_scatter_min(ops.ones(3), Tensor([[0], [1]]), Tensor([0.5, 4.0])))
    [0.5 1.  1. ]
    """
    return _combine_tuples(input_x, indices, updates, "min", "tensor_scatter_min")


@public(
    "ops.TensorScatterMul",
    "Tensor.scatter_mul",
)
def tensor_scatter_mul(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """As `ops.tensor_scatter_update`, with the elements multiplied by the updates.

    >>> print(ops.tensor_scatter_mul(ops.ones(3), Tensor([[0], [0]]), Tensor([2.0, 4.0])))
    [8. 1. 1.]
    """
    return _combine_tuples(input_x, indices, updates, "mul", "tensor_scatter_mul")


@public(
    "ops.TensorScatterDiv",
    "Tensor.scatter_div",
)
def tensor_scatter_div(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """As `ops.tensor_scatter_update`, with the elements divided by the product of the updates; quotients of
    integers are rounded towards 0, and 0 where one of the updates is 0.

    >>> print(ops.tensor_scatter_div(ops.ones(3), Tensor([[0], [0]]), Tensor([2.0, 4.0])))
    [0.125 1.    1.   ]
    """
    return _combine_tuples(input_x, indices, updates, "div", "tensor_scatter_div")


# --- segments ---------------------------------------------------------------------------------


def _segments(input_x: Any, segment_ids: Any, num_segments: Any, combine: str, op: str) -> Tensor:
    x = check_tensor(input_x, op, "input_x")
    ids = place_tensor(segment_ids, op, "segment_ids", narrow=op == "unsorted_segment_sum")
    count = known_int(num_segments, op, "num_segments")
    if count < 1 or not ids.ndim or x.shape[: ids.ndim] != ids.shape:
        raise error(
            ValueError,
            f"For '{op}', 'num_segments' must be positive and the first dimensions of 'input_x' "
            f"those of 'segment_ids', but got {count} and shapes {list(x.shape)} and "
            f"{list(ids.shape)}.",
        )
    safe = _index.is_known(ids)
    if safe:
        numbers = ids._concrete(op)
        largest = numbers.max() if numbers.size else -1
        if largest >= count:
            raise error(
                _index.OUT_OF_RANGE,
                f"For '{op}', the segment ids must be below 'num_segments', {count}, but got "
                f"{largest}.",
            )
    out: Tensor = _segment(x, ids, count, combine, safe, op)
    return out


@operation
def _segment(x: Tensor, ids: Tensor, count: int, combine: str, safe: bool, op: str) -> Tensor:
    rest = x.shape[ids.ndim :]
    if not safe:
        ok = ew.compare("cell.less", ids, count)
        _index.check(ok, f"For '{op}', the segment ids must be below 'num_segments', {count}.")
    ids = reshape_to(ids, (ids.size,))
    ids = as_index(ids)
    # Negative ids name a segment of their own, which is dropped.
    ids = emit(
        "cell.select",
        [ew.compare("cell.less", ids, 0), splat(count, ids.dtype, ids.shape), ids],
    )
    start = {"add": 0, "mul": 1}.get(combine)
    if start is None:
        start = extreme(x.dtype, combine == "max")
    base = splat(start, x.dtype, (count + 1, *rest))
    out = combined(base, ids, reshape_to(x, (ids.size, *rest)), combine)
    return piece(out, 0, 0, count)


@public("ops.UnsortedSegmentSum")
def unsorted_segment_sum(input_x: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor:
    """The sum of the parts of each segment: row k of the result adds up those whose id is k. Parts
    with a negative id are left out.

    Raises:
        IndexError: an id that is not below `num_segments`.
        TypeError: ids that are not a Tensor of integers.
        ValueError: shapes that do not fit, or `num_segments` below 1.

    >>> print(ops.unsorted_segment_sum(Tensor([1.0, 2.0, 3.0]), Tensor([0, 0, 1]), 2))
    [3. 3.]
    """
    return _segments(input_x, segment_ids, num_segments, "add", "unsorted_segment_sum")


@public(
    "ops.UnsortedSegmentProd",
    "Tensor.unsorted_segment_prod",
)
def unsorted_segment_prod(x: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor:
    """As `unsorted_segment_sum`, with products; 1 for an empty segment.

    >>> print(ops.unsorted_segment_prod(Tensor([2.0, 3.0, 4.0]), Tensor([0, 0, 1]), 2))
    [6. 4.]
    """
    return _segments(x, segment_ids, num_segments, "mul", "unsorted_segment_prod")


@public(
    "ops.UnsortedSegmentMax",
    "Tensor.unsorted_segment_max",
)
def unsorted_segment_max(x: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor:
    """As `unsorted_segment_sum`, with the largest; the least number for an empty segment.

    >>> print(ops.unsorted_segment_max(Tensor([1.0, 2.0, 3.0]), Tensor([0, 0, 1]), 2))
    [2. 3.]
    """
    return _segments(x, segment_ids, num_segments, "max", "unsorted_segment_max")


@public(
    "ops.UnsortedSegmentMin",
    "Tensor.unsorted_segment_min",
)
def unsorted_segment_min(x: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor:
    """As `unsorted_segment_sum`, with the smallest; the largest number for an empty segment.

    >>> print(ops.unsorted_segment_min(Tensor([1.0, 2.0, 3.0]), Tensor([0, 0, 1]), 2))
    [1. 3.]
    """
    return _segments(x, segment_ids, num_segments, "min", "unsorted_segment_min")
