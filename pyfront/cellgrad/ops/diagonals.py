"""Diagonals and triangles of matrices, and one-hot vectors."""

from __future__ import annotations

from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core import views
from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import check_ndim, check_one_of, check_shape
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
    reshape_to,
    splat,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops._public import public
from cellgrad.ops._static import iota, known_int
from cellgrad.ops.joining import pad_to, piece
from cellgrad.ops.selection import select

# --- triangles --------------------------------------------------------------------------------


def below_diagonal(rows: int, columns: int, offset: int) -> Tensor:
    """Where the column is at most the row plus `offset`: a bool matrix."""
    row = broadcast_to_shape(reshape_to(iota(rows), (rows, 1)), (rows, columns))
    column = broadcast_to_shape(iota(columns), (rows, columns))
    if offset:
        row = emit("cell.add", [row, splat(offset, mstype.int32, (rows, columns))])
    return emit("cell.less_equal", [column, row])


def _triangle(input: Any, diagonal: Any, op: str, lower: bool) -> Tensor:
    x = check_tensor(input, op, "input")
    offset = known_int(diagonal, op, "diagonal")
    check_ndim(x, op, "input", at_least=2)
    rows, columns = x.shape[-2:]
    offset = max(-rows - 1, min(offset, columns))
    mask = below_diagonal(rows, columns, offset if lower else offset - 1)
    zeros, mask = splat(0, x.dtype, x.shape), broadcast_to_shape(mask, x.shape)
    return emit("cell.select", [mask, x, zeros] if lower else [mask, zeros, x])


@public(
    "Tensor.tril",
    "mint.tril",
)
@operation
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle of matrices, up to the given diagonal; zeros above it.

    Raises:
        TypeError: `diagonal` is not an int.
        ValueError: a tensor of less than two dimensions.

    >>> print(ops.tril(ops.ones((2, 2))))
    [[1. 0.]
     [1. 1.]]
    """
    return _triangle(input, diagonal, "tril", True)


@public(
    "Tensor.triu",
    "mint.triu",
)
@operation
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangle of matrices, from the given diagonal on; zeros below it.

    Raises:
        TypeError: `diagonal` is not an int.
        ValueError: a tensor of less than two dimensions.

    >>> print(ops.triu(Tensor([[1, 2], [3, 4]])))
    [[1 2]
     [0 4]]
    """
    return _triangle(input, diagonal, "triu", False)


# --- diagonals --------------------------------------------------------------------------------


def _plane(x: Tensor, dim1: Any, dim2: Any, op: str, rank: int) -> tuple[int, int]:
    """Two different dimensions of a tensor of `rank` dimensions."""
    for name, dim in (("dim1", dim1), ("dim2", dim2)):
        known_int(dim, op, name, at_least=-rank, below=rank)
    a, b = dim1 % rank, dim2 % rank
    if a == b:
        raise error(ValueError, f"For '{op}', 'dim1' must not be identical to 'dim2'.")
    return a, b


def _along(rows: int, columns: int, offset: int) -> tuple[int, int]:
    """The first element of a diagonal in a matrix laid out in a row, and its length."""
    length = min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns)
    return (offset if offset >= 0 else -offset * columns), max(length, 0)


@public("Tensor.diagonal(offset, axis1=0, axis2=1)")
@views.view()
@operation
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A diagonal of the matrices that two dimensions make, as the last dimension.

    Raises:
        TypeError: an argument that is not an int.
        ValueError: dimensions out of range, or twice the same.

    >>> print(ops.diagonal(Tensor([[1, 2], [3, 4]])))
    [1 4]
    """
    x = check_tensor(input, "diagonal", "input")
    a, b = _plane(x, dim1, dim2, "diagonal", x.ndim)
    others = [d for d in range(x.ndim) if d not in (a, b)]
    x = _transposed(x, [*others, a, b])
    *batch, rows, columns = x.shape
    start, length = _along(rows, columns, known_int(offset, "diagonal", "offset"))
    flat = reshape_to(x, (*batch, rows * columns))
    if not length:
        return piece(flat, len(batch), 0, 0)
    return piece(flat, len(batch), start, start + (length - 1) * (columns + 1) + 1, columns + 1)


def _transposed(x: Tensor, perm: list[int]) -> Tensor:
    return x if perm == sorted(perm) else emit("cell.transpose", [x], {"perm": perm})


def _embedded(x: Tensor, offset: int) -> Tensor:
    """Square matrices with the last dimension on a diagonal."""
    *batch, length = x.shape
    n = length + abs(offset)
    if not length:
        return splat(0, x.dtype, (*batch, n, n))
    start, _ = _along(n, n, offset)
    nothing = [0] * len(batch)
    after = n * n - start - ((length - 1) * (n + 1) + 1)
    flat = pad_to(x, [*nothing, start], [*nothing, after], [*nothing, n])
    return reshape_to(flat, (*batch, n, n))


@public()
@operation
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices, in the dimensions `dim1` and `dim2` of the result, with the last dimension of the
    input on a diagonal and zeros elsewhere.

    Raises:
        TypeError: an argument that is not an int.
        ValueError: dimensions out of range, or twice the same.

    >>> print(ops.diag_embed(Tensor([1, 2]), offset=1))
    [[0 1 0]
     [0 0 2]
     [0 0 0]]
    """
    x = check_tensor(input, "diag_embed", "input")
    a, b = _plane(x, dim1, dim2, "diag_embed", x.ndim + 1)
    out = _embedded(x, known_int(offset, "diag_embed", "offset"))
    others = iter(range(out.ndim - 2))
    places = {a: out.ndim - 2, b: out.ndim - 1}
    return _transposed(out, [places[d] if d in places else next(others) for d in range(out.ndim)])


@public("Tensor.diagflat")
@operation
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """A square matrix with all elements of the input on a diagonal.

    Raises:
        TypeError: `offset` is not an int.

    >>> print(ops.diagflat(Tensor([[1, 2], [3, 4]])).shape)
    (4, 4)
    """
    x = check_tensor(input, "diagflat", "input")
    return _embedded(reshape_to(x, (x.size,)), known_int(offset, "diagflat", "offset"))


@public(
    "ops.Diag",
    "Tensor.diag",
    "mint.diag(input, diagonal=0) = h.diagonal(input, diagonal)",
)
@operation
def diag(input: Tensor) -> Tensor:
    """A tensor of twice the dimensions with the input on its diagonal: element (i..., i...) is
    element (i...).

    Raises:
        ValueError: a tensor without dimensions.

    >>> print(ops.diag(Tensor([1, 2])))
    [[1 0]
     [0 2]]

    >>> print(mint.diag(Tensor([1, 2])))
    [[1 0]
     [0 2]]
    """
    x = check_ndim(check_tensor(input, "diag", "input"), "diag", "input", at_least=1)
    return reshape_to(_embedded(reshape_to(x, (x.size,)), 0), x.shape + x.shape)


@public("Tensor.diagonal_scatter")
@operation
def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """The input with a diagonal, as `diagonal` gives it, replaced by `src`, in the common dtype.

    Raises:
        TypeError: `input` or `src` is not a Tensor, or another argument not an int.
        ValueError: dimensions out of range, or a `src` of another shape than the diagonal.

    >>> print(ops.diagonal_scatter(Tensor([[1, 2], [3, 4]]), Tensor([0, 0])))
    [[0 2]
     [3 0]]
    """
    x = check_tensor(input, "diagonal_scatter", "input")
    new = check_tensor(src, "diagonal_scatter", "src")
    dtype = mstype.promote(x.dtype, new.dtype)
    x, new = cast_to(x, dtype), cast_to(new, dtype)
    a, b = _plane(x, dim1, dim2, "diagonal_scatter", x.ndim)
    others = [d for d in range(x.ndim) if d not in (a, b)]
    perm = [*others, a, b]
    turned = _transposed(x, perm)
    *batch, rows, columns = turned.shape
    start, length = _along(rows, columns, known_int(offset, "diagonal_scatter", "offset"))
    check_shape(new, "diagonal_scatter", "src", (*batch, length), "that of the diagonal")
    if not length:
        return x
    nothing, step = [0] * len(batch), columns + 1
    after = rows * columns - start - ((length - 1) * step + 1)
    spread = [[*nothing, start], [*nothing, after], [*nothing, columns]]
    placed = reshape_to(pad_to(new, *spread), turned.shape)
    taken = reshape_to(pad_to(splat(1, mstype.int32, new.shape), *spread), turned.shape)
    mask = emit("cell.equal", [taken, splat(1, mstype.int32, turned.shape)])
    out = emit("cell.select", [mask, placed, turned])
    return _transposed(out, [perm.index(d) for d in range(x.ndim)])


# --- one-hot ----------------------------------------------------------------------------------


@public(
    "ops.OneHot(axis)(indices, depth, on_value: Any, off_value: Any)",
    "mint.nn.functional.one_hot(tensor, num_classes=-1) = h.classes(tensor, num_classes)",
)
def one_hot(
    indices: Tensor, depth: int, on_value: TensorLike = 1, off_value: TensorLike = 0, axis: int = -1
) -> Tensor:
    """`on_value` at the place each index names along a new dimension of length `depth`, `off_value`
    elsewhere; an index out of range names none.

    Raises:
        TypeError: `indices` are not int32 or int64, or `depth` or `axis` is not an int.
        ValueError: an axis out of range, or `depth` below 0.

    >>> print(ops.one_hot(Tensor([0, 2]), 3))
    [[1 0 0]
     [0 0 1]]

    >>> print(ops.OneHot()(Tensor([0, 2]), 3, Tensor(1.0), Tensor(0.0)))
    [[1. 0. 0.]
     [0. 0. 1.]]

    >>> print(mint.nn.functional.one_hot(Tensor([0, 2]), 3))
    [[1 0 0]
     [0 0 1]]
    """
    x = check_tensor(indices, "one_hot", "indices")
    check_one_of(x.dtype, "one_hot", "indices", (mstype.int32, mstype.int64), TypeError)
    count = known_int(depth, "one_hot", "depth", at_least=0)
    d = axis_of(axis, x.ndim + 1, "one_hot")
    if is_number(on_value) and is_number(off_value):
        on, off = as_tensor(on_value, "one_hot"), as_tensor(off_value, "one_hot")
    else:
        on, off = ew._operands(on_value, off_value, "cell.one_hot")
    out: Tensor = _one_hot(x, count, on, off, d)
    return out


@operation
def _one_hot(x: Tensor, depth: int, on: Tensor, off: Tensor, d: int) -> Tensor:
    shape = (*x.shape[:d], depth, *x.shape[d:])
    along = reshape_to(iota(depth, x.dtype), (depth, *(1,) * (x.ndim - d)))
    index = reshape_to(x, (*x.shape[:d], 1, *x.shape[d:]))
    mask = emit("cell.equal", [broadcast_to_shape(index, shape), broadcast_to_shape(along, shape)])
    return select(mask, on, off)
