"""Bands of matrices: diagonals that are cut out, put together, replaced and filled."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, Dims, TensorLike
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_ndim,
    check_number,
    check_one_of,
    check_shape,
)
from cellgrad.core.errors import error
from cellgrad.core.record import as_tensor, broadcast_to_shape, check_tensor, is_number, operation
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import elements
from cellgrad.ops import _generated as gen
from cellgrad.ops._index import gathered, is_known, scattered
from cellgrad.ops._public import public
from cellgrad.ops._static import is_int, known, known_int
from cellgrad.ops.diagonals import below_diagonal
from cellgrad.ops.selection import cast, select
from cellgrad.ops.shapes import reshape

_ALIGNS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")
Array = np.ndarray[Any, Any]


@public("ops.MatrixBandPart()(x, lower, upper)")
def matrix_band_part(x: Tensor, lower: TensorLike, upper: TensorLike) -> Tensor:
    """Matrices with zeros outside of a band of `lower` diagonals below and `upper` above the main one;
    a negative number, and one beyond the matrix, keeps the whole triangle.

    Raises:
        TypeError: `lower` or `upper` is not an int or a Tensor of one.
        ValueError: a tensor of less than two dimensions.

    >>> print(ops.matrix_band_part(ops.ones((3, 3)), 1, 0))
    [[1. 0. 0.]
     [1. 1. 0.]
     [0. 1. 1.]]
    """
    given = check_ndim(
        check_tensor(x, "matrix_band_part", "x"), "matrix_band_part", "x", at_least=2
    )
    rows, columns = given.shape[-2:]
    width = [
        _width(lower, rows, "lower"),
        _width(upper, columns, "upper"),
    ]
    if any(isinstance(w, Tensor) for w in width):
        computed: Tensor = _computed_band(given, *[as_tensor(w, "", mstype.int64) for w in width])
        return computed
    out: Tensor = _band(given, *width)
    return out


def _width(value: TensorLike, most: int, name: str) -> Any:
    """How many diagonals stay: an int, or what code computes."""
    if isinstance(value, Tensor) and value.dtype.kind in "iu" and not is_known(value):
        return reshape(cast(value, mstype.int64), ())
    count = known_int(value, "matrix_band_part", name)
    return min(count, most) if count >= 0 else most


@operation
def _computed_band(x: Tensor, below: Tensor, above: Tensor) -> Tensor:
    rows, columns = x.shape[-2:]
    # Where a diagonal is, above the main one; a width below 0 keeps all.
    place = known(np.arange(columns) - np.arange(rows)[:, None], mstype.int64)
    low = gen.logical_or(gen.less(below, 0), gen.less_equal(-place, below))
    high = gen.logical_or(gen.less(above, 0), gen.less_equal(place, above))
    return _kept(gen.logical_and(low, high), x)


@operation
def _band(x: Tensor, below: int, above: int) -> Tensor:
    rows, columns = x.shape[-2:]
    inside = gen.logical_and(
        below_diagonal(rows, columns, above),
        gen.logical_not(below_diagonal(rows, columns, -below - 1)),
    )
    return _kept(inside, x)


def _kept(inside: Tensor, x: Tensor) -> Tensor:
    none = False if x.dtype is mstype.bool_ else 0
    return select(broadcast_to_shape(inside, x.shape), x, none)


# --- stacked diagonals ------------------------------------------------------------------------


def _range_of(k: Any, op: str) -> tuple[int, int]:
    """The lowest and the highest diagonal."""
    if isinstance(k, Tensor):
        k = elements(k, f"'k' of {op}").reshape(-1).tolist()
    listed = (k,) if is_int(k) else tuple(k) if isinstance(k, tuple | list) else None
    if listed is None or not all(is_int(v) for v in listed) or len(listed) not in (1, 2):
        raise argument_error(TypeError, op, "k", "an int or two, or a Tensor of them", k)
    low, high = int(listed[0]), int(listed[-1])
    if low > high:
        raise error(ValueError, f"For '{op}', k[0] must be at most k[1], but got {listed}.")
    return low, high


def _places(
    rows: int, columns: int, low: int, high: int, align: str
) -> tuple[Array, Array, tuple[int, int]]:
    """Where elements of stacked diagonals are: positions in the stack, and in the matrix.

    A shorter diagonal is at the left or right of its row, as `align` says: first for those above the
    main one, then for those below.
    """
    above, below = align.split("_")
    lengths = [max(min(rows + min(d, 0), columns - max(d, 0)), 0) for d in range(low, high + 1)]
    width = max(lengths, default=0)
    stack, matrix = [], []
    for row, d in enumerate(range(high, low - 1, -1)):
        length = lengths[d - low]
        side = above if d > 0 else below if d < 0 else "LEFT"
        start = width - length if side == "RIGHT" else 0
        at = np.arange(length)
        stack.append(row * width + start + at)
        matrix.append((at - min(d, 0)) * columns + at + max(d, 0))
    return np.concatenate(stack), np.concatenate(matrix), (high - low + 1, width)


def _check_range(op: str, low: int, high: int, rows: int, columns: int) -> None:
    if not (-rows < low and high < columns) and not (low == high == 0):
        raise error(
            ValueError,
            f"For '{op}', the diagonals must be in ({-rows}, {columns}) for matrices of shape "
            f"[{rows}, {columns}], but got {low} and {high}.",
        )


def _padding(value: Any, x: Tensor, op: str) -> Tensor:
    if not is_number(value) and not isinstance(value, Tensor):
        raise argument_error(TypeError, op, "padding_value", "a number or a Tensor of one", value)
    return cast(as_tensor(value, op, x.dtype), x.dtype).reshape(())


@operation
def _spread(source: Tensor, onto: Tensor, read: Tensor, written: Tensor, rank: int) -> Tensor:
    """Elements of the last dimensions of `source`, laid out in a row, put onto those of `onto`."""
    batch = source.shape[: source.ndim - rank]
    flat = source.reshape(*batch, -1)
    values = gathered(flat, read, len(batch))
    base = onto.reshape(*onto.shape[: len(batch)], -1)
    return scattered(base, written, values, len(batch), 0, "set").reshape(onto.shape)


@public(
    "ops.MatrixDiagPartV3(align)(x, k, padding_value: Any)",
)
def matrix_diag_part(
    x: Tensor, k: TensorLike, padding_value: TensorLike, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Diagonals of matrices, from the highest to the lowest, each a row of the longest's length; a
    single diagonal has no dimension of rows. Shorter ones are filled with `padding_value`.

    Args:
        x: matrices, of at least two dimensions.
        k: a diagonal, or the lowest and the highest one: ints, or a Tensor of them that is known
            while compiling.
        padding_value: a number or a Tensor of one.
        align: on which sides shorter diagonals above and below the main one are, as in
            "RIGHT_LEFT".

    Raises:
        TypeError: arguments of another kind.
        ValueError: diagonals outside of the matrices, or another `align`.

    >>> x = Tensor([[1, 2], [3, 4]])
    >>> print(ops.matrix_diag_part(x, (-1, 0), 9))
    [[1 4]
     [3 9]]
    """
    op = "matrix_diag_part"
    given = check_ndim(check_tensor(x, op, "x"), op, "x", at_least=2)
    check_one_of(align, op, "align", _ALIGNS)
    low, high = _range_of(k, op)
    *batch, rows, columns = given.shape
    _check_range(op, low, high, rows, columns)
    stack, matrix, (count, width) = _places(rows, columns, low, high, align)
    shape = (*batch, width) if count == 1 else (*batch, count, width)
    filler = _padding(padding_value, given, op)
    out: Tensor = _spread(
        given,
        broadcast_to_shape_eagerly(filler, (*batch, count * width)),
        known_numbers(matrix),
        known_numbers(stack),
        2,
    )
    return out.reshape(shape)


@operation
def broadcast_to_shape_eagerly(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Numpy's broadcasting, as an operation of its own."""
    return broadcast_to_shape(x, shape)


def known_numbers(values: Array) -> Tensor:
    """Positions as a tensor."""
    return known(values.astype(np.int32), mstype.int32)


@public(
    "ops.MatrixDiagV3(align)(x, k: Any, num_rows: Any, num_cols: Any, padding_value: Any)",
)
def matrix_diag(
    x: Tensor,
    k: TensorLike = 0,
    num_rows: Dims = -1,
    num_cols: Dims = -1,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with given diagonals and `padding_value` elsewhere: the inverse of `matrix_diag_part`.
    Numbers of rows and columns of -1 are the smallest that fit.

    Raises:
        TypeError: arguments of another kind; see `matrix_diag_part`.
        ValueError: diagonals that do not fit into the matrix.

    >>> print(ops.matrix_diag(Tensor([1, 2]), 1))
    [[0 1 0]
     [0 0 2]
     [0 0 0]]

    >>> print(ops.MatrixDiagV3()(Tensor([1, 2]), 1, -1, -1, 0))
    [[0 1 0]
     [0 0 2]
     [0 0 0]]
    """
    op = "matrix_diag"
    given = check_ndim(check_tensor(x, op, "x"), op, "x", at_least=1)
    check_one_of(align, op, "align", _ALIGNS)
    low, high = _range_of(k, op)
    rank = 1 if low == high else 2
    check_ndim(given, op, "x", at_least=rank)
    batch, width = given.shape[: given.ndim - rank], given.shape[-1]
    rows, columns = known_int(num_rows, op, "num_rows"), known_int(num_cols, op, "num_cols")
    least_rows, least_columns = width - min(high, 0), width + max(low, 0)
    if rows == -1 and columns == -1:
        rows = columns = max(least_rows, least_columns)
    rows = least_rows if rows == -1 else rows
    columns = least_columns if columns == -1 else columns
    _check_range(op, low, high, rows, columns)
    stack, matrix, (count, longest) = _places(rows, columns, low, high, align)
    wanted = (*batch, longest) if rank == 1 else (*batch, count, longest)
    if given.shape != wanted:
        raise error(
            ValueError,
            f"For '{op}', diagonals {low} to {high} of matrices of shape [{rows}, {columns}] have "
            f"the shape {list(wanted)}, but 'x' has {list(given.shape)}.",
        )
    filler = broadcast_to_shape_eagerly(_padding(padding_value, given, op), (*batch, rows, columns))
    out: Tensor = _spread(given, filler, known_numbers(stack), known_numbers(matrix), rank)
    return out


@public("ops.MatrixSetDiagV3(align)(x, diagonal, k: Any)")
def matrix_set_diag(
    x: Tensor, diagonal: Tensor, k: TensorLike = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Matrices with given diagonals replaced; see `matrix_diag_part` for their order.

    Raises:
        TypeError: arguments of another kind; see `matrix_diag_part`.
        ValueError: diagonals of another shape than those of the matrices.

    >>> print(ops.matrix_set_diag(Tensor([[1, 2], [3, 4]]), Tensor([8, 9])))
    [[8 2]
     [3 9]]

    >>> print(ops.MatrixSetDiagV3()(Tensor([[1, 2], [3, 4]]), Tensor([8, 9]), 0))
    [[8 2]
     [3 9]]
    """
    op = "matrix_set_diag"
    given = check_ndim(check_tensor(x, op, "x"), op, "x", at_least=2)
    new = check_tensor(diagonal, op, "diagonal")
    check_one_of(align, op, "align", _ALIGNS)
    low, high = _range_of(k, op)
    *batch, rows, columns = given.shape
    _check_range(op, low, high, rows, columns)
    stack, matrix, (count, width) = _places(rows, columns, low, high, align)
    shape = (*batch, width) if count == 1 else (*batch, count, width)
    check_shape(new, op, "diagonal", shape, "that of the diagonals")
    rank = 1 if count == 1 else 2
    out: Tensor = _spread(
        cast(new, given.dtype), given, known_numbers(stack), known_numbers(matrix), rank
    )
    return out


# --- filling ----------------------------------------------------------------------------------


@public(
    "ops.FillDiagonal(fill_value, wrap)(input_x)",
    "Tensor.fill_diagonal(fill_value, wrap)",
    "Tensor.fill_diagonal_(fill_value, wrap)",
)
def fill_diagonal(input: Tensor, fill_value: ArrayLike, wrap: bool = False) -> Tensor:
    """The input with its main diagonal filled; with `wrap`, a tall matrix's starts again after each
    square and an empty row.

    Raises:
        TypeError: `fill_value` is not a number, or `wrap` not a bool.
        ValueError: a tensor of less than two dimensions, or of different ones if they are more.

    >>> print(ops.fill_diagonal(ops.zeros((2, 3)), 5.0))
    [[5. 0. 0.]
     [0. 5. 0.]]
    """
    x = check_ndim(
        check_tensor(input, "fill_diagonal", "input"), "fill_diagonal", "input", at_least=2
    )
    value = check_number(fill_value, "fill_diagonal", "fill_value")
    check_bool(wrap, "fill_diagonal", "wrap")
    if x.ndim > 2 and len(set(x.shape)) != 1:
        raise error(
            ValueError,
            f"For 'fill_diagonal', dimensions must be equal if they are more than two, but got "
            f"shape {list(x.shape)}.",
        )
    mask = np.zeros(x.shape, bool)
    np.fill_diagonal(mask, True, wrap)
    out: Tensor = _filled(x, known(mask, mstype.bool_), as_tensor(value, "fill_diagonal", x.dtype))
    return out


@operation
def _filled(x: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    return select(mask, cast(value, x.dtype), x)
