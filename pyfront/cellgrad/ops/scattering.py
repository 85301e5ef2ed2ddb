"""Elements replaced or added to, at places that tensors of indices name.

All of these give a new tensor; the argument keeps its elements. Indices are those of `gathering`.
"""

from __future__ import annotations

import math
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Index, ShapeLike, TensorLike
from cellgrad.core.arguments import (
    argument_error,
    check_dtype,
    check_ndim,
    check_one_of,
    check_same_dtype,
)
from cellgrad.core.errors import either, error
from cellgrad.core.record import (
    as_tensor,
    axis_of,
    broadcast_shapes,
    broadcast_to_shape,
    cast_to,
    check_tensor,
    emit,
    is_number,
    no_complex,
    operation,
    reshape_to,
    splat,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _index, indexing
from cellgrad.ops._index import scattered
from cellgrad.ops._public import public
from cellgrad.ops._static import is_int, known_int, known_ints
from cellgrad.ops.gathering import (
    checked_elements,
    checked_tuples,
    counted,
    in_range,
    place_tensor,
    positions,
)
from cellgrad.ops.joining import piece
from cellgrad.ops.selection import cast, updated

# --- masks ------------------------------------------------------------------------------------


@public(
    "ops.MaskedFill",
    "Tensor.masked_fill",
    "Tensor.masked_fill_",
)
def masked_fill(input_x: Tensor, mask: Tensor, value: TensorLike) -> Tensor:
    """`value` where a mask holds, the input elsewhere; both tensors are broadcast.

    Raises:
        TypeError: a mask that is not a Tensor of bools, or a value that is neither number nor
            Tensor.
        ValueError: shapes that do not broadcast, or a value with dimensions.

    >>> print(ops.masked_fill(Tensor([1.0, 2.0]), Tensor([True, False]), 0.0))
    [0. 2.]
    """
    x = check_tensor(input_x, "masked_fill", "input_x")
    truth = check_tensor(mask, "masked_fill", "mask")
    check_dtype(truth, "masked_fill", "mask", "b")
    out: Tensor = _masked_fill(x, truth, _filler(value, x, "masked_fill"))
    return out


def _filler(value: Any, x: Tensor, op: str) -> Tensor:
    """A tensor without dimensions from a number or such a tensor."""
    if not is_number(value) and not isinstance(value, Tensor):
        raise argument_error(TypeError, op, "value", "a number or a Tensor", value)
    filler = as_tensor(value, op, x.dtype if is_number(value) else None)
    return check_ndim(filler, op, "value", 0)


@operation
def _masked_fill(x: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    shape = broadcast_shapes(x.shape, mask.shape, "masked_fill")
    new = broadcast_to_shape(cast_to(value, x.dtype), shape)
    return emit("cell.select", [broadcast_to_shape(mask, shape), new, broadcast_to_shape(x, shape)])


# --- element by element -----------------------------------------------------------------------


@public("mint.scatter(input, dim, index, src)")
def scatter(input: Tensor, axis: int, index: Tensor, src: TensorLike) -> Tensor:
    """The input with the element at i.., with ``index[i..]`` in the place of ``i[axis]``, replaced
    by ``src[i..]``; of equal places, the last one stays.

    Raises:
        IndexError: an index that is not in [-n, n).
        TypeError: indices that are not a Tensor of int16, int32 or int64, or a `src` that is neither Tensor nor
            number, or of another dtype than the input.
        ValueError: `axis` out of range, or ranks or lengths that do not fit.

    >>> x = ops.zeros((2, 2))
    >>> print(ops.scatter(x, 1, Tensor([[1], [0]]), Tensor([[8.0], [9.0]])))
    [[0. 8.]
     [9. 0.]]
    """
    return scatter_elements(input, axis, index, src, "none", "scatter")


@public(
    "ops.TensorScatterElements(axis, reduction)(data, indices, updates)",
    "ops.ScatterAddWithAxis(axis=0)(x, indices, updates) = "
    "ops.tensor_scatter_elements(x, indices, updates, axis, 'add')",
    "mint.scatter_add(input, dim, index, src) = "
    "ops.tensor_scatter_elements(input, index, src, dim, 'add')",
)
def tensor_scatter_elements(
    input_x: Tensor, indices: Tensor, updates: Tensor, axis: int = 0, reduction: str = "none"
) -> Tensor:
    """The input with the element at i.., with ``indices[i..]`` in the place of ``i[axis]``, replaced
    by ``updates[i..]``, or, with reduction ``"add"``, with all of them added.

    Raises:
        IndexError: an index that is not in [-n, n).
        TypeError: indices that are not a Tensor of int32 or int64, or updates of another dtype.
        ValueError: `axis` out of range, ranks or lengths that do not fit, or another reduction.

    >>> x = Tensor([[1, 2], [3, 4]])
    >>> print(ops.tensor_scatter_elements(x, Tensor([[1], [0]]), Tensor([[8], [9]]), axis=1))
    [[1 8]
     [9 4]]

    >>> print(ops.ScatterAddWithAxis(1)(ops.ones((1, 2)), Tensor([[1]]), Tensor([[8.0]])))
    [[1. 9.]]

    >>> print(mint.scatter_add(ops.ones((2, 2)), 1, Tensor([[1], [0]]), Tensor([[8.0], [9.0]])))
    [[ 1.  9.]
     [10.  1.]]
    """
    return scatter_elements(input_x, axis, indices, updates, reduction, "tensor_scatter_elements")


def scatter_elements(
    input: Tensor, axis: int, index: Tensor, src: Any, reduction: str, op: str
) -> Tensor:
    """See `scatter` and `tensor_scatter_elements`."""
    x = check_tensor(input, op, "input")
    at = place_tensor(index, op, "index", narrow=op == "scatter")
    check_one_of(reduction, op, "reduction", ("none", "add"))
    d = checked_elements(x, at, axis, op)
    new = splat(src, x.dtype, at.shape) if is_number(src) else check_tensor(src, op, "src")
    check_same_dtype(x, new, op, ("input", "src"))
    if new.ndim != x.ndim or any(n < m for n, m in zip(new.shape, at.shape)):
        raise error(
            ValueError,
            f"For '{op}', 'src' must have the rank of the input and be at least as long as the "
            f"index in each dimension, but got {list(new.shape)} for an index of {list(at.shape)}.",
        )
    safe = in_range(at, x.shape[d], op)
    combine = "set" if reduction == "none" else "add"
    out: Tensor = _scatter_elements(x, at, new, d, combine, safe, op)
    return out


@operation
def _scatter_elements(
    x: Tensor, index: Tensor, src: Tensor, d: int, combine: str, safe: bool, op: str
) -> Tensor:
    index = counted(index, x.shape[d], op, safe)
    for k, n in enumerate(index.shape):
        src = piece(src, k, 0, n)
    if not index.size:
        return x
    rows = _index.rows_of(x, index, d)
    at = _index.places(x.shape, index, d, rows)
    at, new, flat = (_index.with_rows(v, rows) for v in (at, src, x))
    return reshape_to(scattered(flat, at, new, rows, rows, combine), x.shape)


# --- by tuples of indices ---------------------------------------------------------------------


def checked_updates(
    input_x: Any, indices: Any, updates: Any, op: str
) -> tuple[Tensor, Tensor, Tensor, bool]:
    """A tensor, tuples that index it, updates of the parts they name, and whether the tuples are known
    to be in range.
    """
    x = check_tensor(input_x, op, "input_x")
    at = place_tensor(indices, op, "indices", narrow=op == "scatter_nd")
    check_ndim(at, op, "indices", at_least=2)
    new = check_tensor(updates, op, "updates")
    safe = checked_tuples(x.shape, at, op)
    shape = (*at.shape[:-1], *x.shape[at.shape[-1] :])
    if new.shape != shape:
        raise error(
            ValueError,
            f"For '{op}', 'updates' must have shape {list(shape)} for indices of shape "
            f"{list(at.shape)} into {list(x.shape)}, but have {list(new.shape)}.",
        )
    check_same_dtype(x, new, op, ("input_x", "updates"))
    return x, at, new, safe


def _scatter_tuples(input_x: Any, indices: Any, updates: Any, combine: str, op: str) -> Tensor:
    x, at, new, safe = checked_updates(input_x, indices, updates, op)
    out: Tensor = _scatter_at(x, at, new, combine, safe, op)
    return out


def flat_parts(
    x: Tensor, indices: Tensor, updates: Tensor, op: str, safe: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """The same with the indexed dimensions, and those of the tuples, joined."""
    k = indices.shape[-1]
    at = positions(indices, x.shape, op, safe)
    rest = x.shape[k:]
    return (
        reshape_to(x, (math.prod(x.shape[:k]), *rest)),
        reshape_to(at, (at.size,)),
        reshape_to(updates, (at.size, *rest)),
    )


@operation
def _scatter_at(
    x: Tensor, indices: Tensor, updates: Tensor, combine: str, safe: bool, op: str
) -> Tensor:
    flat, at, new = flat_parts(x, indices, updates, op, safe)
    if combine == "sub":
        new, combine = emit("cell.neg", [new]), "add"
    return reshape_to(scattered(flat, at, new, 0, 0, combine), x.shape)


@public("ops.TensorScatterUpdate")
def tensor_scatter_update(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The input with the parts that the tuples along the last dimension of `indices` name replaced by
    `updates`; of equal tuples, the last one stays.

    Raises:
        IndexError: indices out of range; they are not counted from the end.
        TypeError: indices that are not a Tensor of int32 or int64, or updates of another dtype.
        ValueError: indices of less than two dimensions, or updates of another shape than the parts.

    >>> print(ops.tensor_scatter_update(ops.ones(3), Tensor([[0], [2]]), Tensor([7.0, 8.0])))
    [7. 1. 8.]
    """
    return _scatter_tuples(input_x, indices, updates, "set", "tensor_scatter_update")


@public("ops.TensorScatterAdd")
def tensor_scatter_add(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """As `tensor_scatter_update`, with the updates added.

    >>> print(ops.tensor_scatter_add(ops.ones(3), Tensor([[0], [0]]), Tensor([1.0, 2.0])))
    [4. 1. 1.]
    """
    return _scatter_tuples(input_x, indices, updates, "add", "tensor_scatter_add")


@public(
    "ops.TensorScatterSub",
    "Tensor.scatter_sub",
)
def tensor_scatter_sub(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """As `tensor_scatter_update`, with the updates subtracted.

    >>> print(ops.tensor_scatter_sub(ops.ones(3), Tensor([[0], [0]]), Tensor([1.0, 2.0])))
    [-2.  1.  1.]
    """
    return _scatter_tuples(input_x, indices, updates, "sub", "tensor_scatter_sub")


@public("ops.ScatterNd")
def scatter_nd(indices: Tensor, updates: Tensor, shape: ShapeLike) -> Tensor:
    """Zeros of a shape with `updates` added to the parts that the tuples along the last dimension of
    `indices` name.

    Raises:
        IndexError: indices out of range; they are not counted from the end.
        TypeError: indices that are not a Tensor of int32 or int64, or a shape that is not known.
        ValueError: indices of less than two dimensions, updates of another shape than the parts, or
            a negative size.

    >>> print(ops.scatter_nd(Tensor([[1], [3]]), Tensor([8.0, 9.0]), (4,)))
    [0. 8. 0. 9.]
    """
    new = check_tensor(updates, "scatter_nd", "updates")
    sizes = known_ints(shape, "scatter_nd", "shape")
    if min(sizes, default=0) < 0:
        kind = either(ValueError, RuntimeError)
        raise argument_error(kind, "scatter_nd", "shape", "ints of at least 0", shape)
    if new.dtype is mstype.bool_:  # a sum of truth values is one
        return cast(scatter_nd(indices, cast(new, mstype.int32), sizes), mstype.bool_)
    zeros = splat(0, new.dtype, sizes)
    return _scatter_tuples(zeros, indices, new, "add", "scatter_nd")


# --- along a dimension ------------------------------------------------------------------------


def _fitting(value: Tensor, base: Tensor, op: str) -> Tensor:
    """What is stored, in the dtype of the tensor that it becomes part of."""
    if value.dtype.kind == "c" != base.dtype.kind:
        raise no_complex(op, value.dtype)
    out: Tensor = cast(value, base.dtype)
    return out


@public(
    "ops.IndexAdd(axis, use_lock, check_index_bound)(x, indices, y) = "
    "ops.index_add(x, indices, y, axis)",
    "mint.index_add(input, dim, index, source, *, alpha=1) = "
    "h.index_added(input, dim, index, source, alpha)",
)
def index_add(
    x: Tensor,
    indices: Tensor,
    y: Tensor,
    axis: int,
    use_lock: bool = True,
    check_index_bound: bool = True,
) -> Tensor:
    """`x` with `y` added to the elements along a dimension that a vector of indices names.

    A Parameter `x` takes the new value; a Tensor stays, and so does each `x` of `mint.index_add` and
    `Tensor.index_add`.

    Raises:
        IndexError: an index that is not in [0, n).
        TypeError: indices that are not a Tensor of int32 or int64.
        ValueError: `axis` out of range, indices of more than one dimension, or a `y` of another
            shape than the elements.

    >>> x = Parameter(Tensor([1.0, 2.0, 3.0]), name="x")
    >>> print(ops.index_add(x, Tensor([0, 2], ms.int32), Tensor([10.0, 20.0]), 0))
    [11.  2. 23.]

    >>> print(mint.index_add(Tensor([1.0, 2.0, 3.0]), 0, Tensor([0, 2]), Tensor([10.0, 20.0])))
    [11.  2. 23.]
    """
    return updated(x, added_along(x, indices, y, axis), "index_add")


def added_along(x: Tensor, indices: Tensor, y: Tensor, axis: int) -> Tensor:
    """As `index_add`, of a Tensor or the value of a Parameter, which stays."""
    base, new = check_tensor(x, "index_add", "x"), check_tensor(y, "index_add", "y")
    at = place_tensor(indices, "index_add", "indices")
    d = axis_of(known_int(axis, "index_add", "axis"), base.ndim, "index_add")
    shape = (*base.shape[:d], at.size, *base.shape[d + 1 :])
    if at.ndim != 1 or new.shape != shape:
        raise error(
            ValueError,
            f"For 'index_add', the indices must have one dimension and 'y' the shape {list(shape)}, "
            f"but got shapes {list(at.shape)} and {list(new.shape)}.",
        )
    safe = in_range(at, base.shape[d], "index_add", 0)
    out: Tensor = _along(base, at, _fitting(new, base, "index_add"), d, "add", safe, "index_add")
    return out


@public(
    "ops.IndexFill",
    "Tensor.index_fill",
    "Tensor.index_fill_(dim, index, value)",
)
def index_fill(x: Tensor, axis: int, index: Index, value: TensorLike) -> Tensor:
    """`x` with the elements along a dimension that the indices name replaced by `value`.

    Raises:
        IndexError: an index that is not in [-n, n).
        TypeError: indices that are neither ints nor a Tensor of int32 or int64, or a value that is neither number nor Tensor.
        ValueError: `axis` out of range, indices of more than one dimension, or a value with
            dimensions.

    >>> print(ops.index_fill(Tensor([1.0, 2.0, 3.0]), 0, Tensor([0, 2], ms.int32), 9.0))
    [9. 2. 9.]
    """
    base = check_tensor(x, "index_fill", "x")
    at = place_tensor(
        as_tensor(index, "index_fill") if is_int(index) else index, "index_fill", "index"
    )
    if at.ndim > 1:
        raise error(
            ValueError, f"For 'index_fill', the rank of 'index' must be 0 or 1, but got {at.ndim}."
        )
    d = axis_of(known_int(axis, "index_fill", "axis"), base.ndim, "index_fill")
    safe = in_range(at, base.shape[d], "index_fill")
    filler = _filler(value, base, "index_fill")
    out: Tensor = _along(
        base, at, _fitting(filler, base, "index_fill"), d, "set", safe, "index_fill"
    )
    return out


@operation
def _along(
    x: Tensor, index: Tensor, new: Tensor, d: int, combine: str, safe: bool, op: str
) -> Tensor:
    low = 0 if combine == "add" else None
    at = reshape_to(counted(index, x.shape[d], op, safe, low), (index.size,))
    new = broadcast_to_shape(new, (*x.shape[:d], at.size, *x.shape[d + 1 :]))
    return scattered(x, at, new, d, 0, combine)


# --- known places -----------------------------------------------------------------------------


@public("Tensor.select_scatter")
def select_scatter(input: Tensor, src: Tensor, axis: int, index: int) -> Tensor:
    """The input with the part at `index` along a dimension replaced by `src`.

    Raises:
        IndexError: an index out of range.
        TypeError: an argument of another kind.
        ValueError: `axis` out of range, or a `src` of another shape than the part.

    >>> print(ops.select_scatter(ops.zeros((2, 2)), Tensor([1.0, 2.0]), 0, 1))
    [[0. 0.]
     [1. 2.]]
    """
    x, new = (
        check_tensor(input, "select_scatter", "input"),
        check_tensor(src, "select_scatter", "src"),
    )
    d = axis_of(axis, x.ndim, "select_scatter")
    where = (slice(None),) * d + (known_int(index, "select_scatter", "index"),)
    return _scattered_part(x, new, where, (*x.shape[:d], *x.shape[d + 1 :]), "select_scatter")


@public("Tensor.slice_scatter")
def slice_scatter(
    input: Tensor,
    src: Tensor,
    axis: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    """The input with the slice ``start:end:step`` along a dimension replaced by `src`.

    Raises:
        TypeError: an argument of another kind.
        ValueError: `axis` out of range, a step below 1, or a `src` of another shape than the slice.

    >>> print(ops.slice_scatter(ops.zeros(5), Tensor([1.0, 2.0]), 0, 1, 4, 2))
    [0. 1. 0. 2. 0.]
    """
    x, new = (
        check_tensor(input, "slice_scatter", "input"),
        check_tensor(src, "slice_scatter", "src"),
    )
    d = axis_of(axis, x.ndim, "slice_scatter")
    known_int(step, "slice_scatter", "step", at_least=1)
    part = slice(start, end, step)
    count = len(range(*part.indices(x.shape[d])))
    shape = (*x.shape[:d], count, *x.shape[d + 1 :])
    return _scattered_part(x, new, (slice(None),) * d + (part,), shape, "slice_scatter")


def _scattered_part(x: Tensor, new: Tensor, where: Any, shape: tuple[int, ...], op: str) -> Tensor:
    if new.shape != shape:
        raise error(
            ValueError,
            f"For '{op}', 'src' must have the shape {list(shape)} of the part it replaces, but got "
            f"{list(new.shape)}.",
        )
    return indexing.setitem(x, where, new)
