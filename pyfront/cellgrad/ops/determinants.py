"""The LU decomposition of matrices, and what is computed by it: determinants and solutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import check_dtype, check_shape
from cellgrad.core.dtype import Type
from cellgrad.core.record import (
    broadcast_to_shape,
    cast_to,
    check_tensor,
    emit,
    emit_several,
    operation,
    reshape_to,
    splat,
)
from cellgrad.core.scope import constant
from cellgrad.core.storage import signature
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops._public import public
from cellgrad.ops.einsums import diagonal_of
from cellgrad.ops.linalg import identity, matrices, right_hand_side, solve_triangular, triangle


def _lu(x: Tensor) -> tuple[Tensor, Tensor]:
    packed, pivots = emit_several("cell.lu", [x])
    return packed, pivots


def _parity(pivots: Tensor, also: Tensor | None, dtype: Type) -> Tensor:
    """-1 or 1 for an odd or even number of exchanges of rows, and of what is true in `also`."""
    n = pivots.shape[-1]
    own = constant(np.arange(n), signature(mstype.int32, (n,)))
    count = cast_to(ew.compare("cell.not_equal", pivots, own), mstype.int32)
    if also is not None:
        count = ew.binary("cell.add", count, cast_to(also, mstype.int32))
    total = emit("cell.reduce_sum", [count], {"dims": [pivots.ndim - 1]})
    odd = cast_to(ew.binary("cell.bitwise_and", total, 1), dtype)
    return ew.binary("cell.sub", 1.0, ew.binary("cell.mul", odd, 2.0))


def _product_of_elements(x: Tensor) -> Tensor:
    """The product over the last dimension, in pairs: its derivative divides by nothing."""
    while x.shape[-1] > 1:
        n = x.shape[-1]
        half = n // 2
        pairs = ew.binary("cell.mul", _columns(x, 0, half), _columns(x, half, 2 * half))
        if n % 2:
            pairs = emit("cell.concat", [pairs, _columns(x, n - 1, n)], {"dim": x.ndim - 1})
        x = pairs
    return reshape_to(x, x.shape[:-1])


def _columns(x: Tensor, start: int, limit: int) -> Tensor:
    starts, limits = [0] * x.ndim, list(x.shape)
    starts[-1], limits[-1] = start, limit
    return emit("cell.slice", [x], {"starts": starts, "limits": limits, "strides": [1] * x.ndim})


def _small_determinant(x: Tensor) -> Tensor:
    """The polynomial in the elements of matrices of up to three rows."""
    n = x.shape[-1]
    flat = reshape_to(x, (*x.shape[:-2], n * n))
    e = [reshape_to(_columns(flat, i, i + 1), flat.shape[:-1]) for i in range(n * n)]

    def minor(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> Tensor:
        return ew.binary("cell.sub", ew.binary("cell.mul", a, d), ew.binary("cell.mul", b, c))

    if n == 1:
        return e[0]
    if n == 2:
        return minor(*e)
    first = ew.binary("cell.mul", e[0], minor(e[4], e[5], e[7], e[8]))
    second = ew.binary("cell.mul", e[1], minor(e[3], e[5], e[6], e[8]))
    third = ew.binary("cell.mul", e[2], minor(e[3], e[4], e[6], e[7]))
    return ew.binary("cell.add", ew.binary("cell.sub", first, second), third)


@public(
    "ops.MatrixDeterminant",
    "ops.matrix_determinant(input)",
    "Tensor.det",
    "Tensor.matrix_determinant",
)
@operation
def det(input: Tensor) -> Tensor:
    """The determinant of each matrix.

    From four rows on it is computed by LU decomposition, and its derivative by the inverse: at a
    singular matrix the derivative is infinite or NaN.

    Args:
        input: Tensor of shape [..., n, n].

    Returns:
        Tensor of shape [...].

    Raises:
        TypeError: something that is not a Tensor of floating-point elements.
        ValueError: matrices that are not square.

    >>> print(ops.det(ms.Tensor([[1.0, 2.0], [3.0, 5.0]])))
    -1.0
    """
    x, dtype = matrices("det", input, "input", square=True)
    if x.shape[-1] == 0:
        return splat(1, dtype, x.shape[:-2])
    if x.shape[-1] <= 3:
        return cast_to(_small_determinant(x), dtype)
    packed, pivots = _lu(x)
    magnitude = _product_of_elements(diagonal_of(packed))
    return cast_to(ew.binary("cell.mul", _parity(pivots, None, x.dtype), magnitude), dtype)


@public(
    "ops.LogMatrixDeterminant",
    "ops.log_matrix_determinant(input)",
    "Tensor.log_matrix_determinant",
    "Tensor.slogdet",
)
@operation
def slogdet(input: Tensor) -> tuple[Tensor, Tensor]:
    """The sign of the determinant of each matrix, and the logarithm of its magnitude.

    Args:
        input: Tensor of shape [..., n, n]; where it is singular, the sign is 0 and the logarithm
            -inf.

    Returns:
        Two Tensors of shape [...]. The sign has no gradient.

    Raises:
        TypeError: something that is not a Tensor of floating-point elements.
        ValueError: matrices that are not square.

    >>> sign, log = ops.slogdet(Tensor([[2.0, 0.0], [0.0, -4.0]]))
    >>> print(sign, log)
    -1.0 2.0794415
    """
    x, dtype = matrices("slogdet", input, "input", square=True)
    if x.shape[-1] == 0:
        return splat(1, dtype, x.shape[:-2]), splat(0, dtype, x.shape[:-2])
    packed, pivots = _lu(x)
    diagonal = diagonal_of(packed)
    last = {"dims": [diagonal.ndim - 1]}
    negative = ew.compare("cell.less", diagonal, 0.0)
    nonzero = cast_to(ew.compare("cell.not_equal", diagonal, 0.0), x.dtype)
    regular = emit("cell.reduce_min", [nonzero], last)
    sign = ew.binary("cell.mul", regular, _parity(pivots, negative, x.dtype))
    logarithms = emit("cell.log", [emit("cell.abs", [diagonal])])
    return cast_to(sign, dtype), cast_to(emit("cell.reduce_sum", [logarithms], last), dtype)


@public("Tensor.logdet")
@operation
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant of each matrix; NaN where that is negative.

    Args:
        input: Tensor of shape [..., n, n].

    Returns:
        Tensor of shape [...].

    Raises:
        TypeError: something that is not a Tensor of floating-point elements.
        ValueError: matrices that are not square.

    >>> print(ops.logdet(Tensor([[2.0, 0.0], [0.0, 4.0]])))
    2.0794415
    """
    sign, logarithm = slogdet(input)
    nan = splat(float("nan"), logarithm.dtype, logarithm.shape)
    return emit("cell.select", [ew.compare("cell.less", sign, 0.0), nan, logarithm])


# --- given LU decompositions ------------------------------------------------------------------


def _pivots(op: str, packed: Tensor, value: Any) -> Tensor:
    """Pivots that count from 1, as LAPACK's, counted from 0."""
    pivots = check_dtype(check_tensor(value, op, "LU_pivots"), op, "LU_pivots", "iu")
    check_shape(pivots, op, "LU_pivots", packed.shape[:-1], "a pivot for each row of 'LU_data'")
    return ew.binary("cell.sub", cast_to(pivots, mstype.int32), 1)


@public(
    "ops.LuSolve(x, lu_data, lu_pivots)",
    "Tensor.lu_solve",
)
@operation
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """The solution of ``A y = b``, from the LU decomposition of A.

    Args:
        b: Tensor of shape [..., n, m].
        LU_data: Tensor of shape [..., n, n]: U, and L without its diagonal below it.
        LU_pivots: Tensor of integers of shape [..., n]: row i was exchanged with row
            ``LU_pivots[i] - 1``, in order.

    Raises:
        TypeError: Tensors of other dtypes.
        ValueError: shapes that do not fit.

    >>> lu, pivots = Tensor([[2.0, 0.0], [0.5, 4.0]]), Tensor([1, 2], ms.int32)
    >>> print(ops.lu_solve(Tensor([[2.0], [9.0]]), lu, pivots))
    [[1.]
     [2.]]
    """
    packed, dtype = matrices("lu_solve", LU_data, "LU_data", square=True)
    pivots = _pivots("lu_solve", packed, LU_pivots)
    packed, right, dtype = right_hand_side("lu_solve", packed, b, "b", dtype)
    pivots = broadcast_to_shape(pivots, packed.shape[:-1])
    y = emit("cell.swap_rows", [right, pivots])
    y = solve_triangular(packed, y, lower=True, unit_diagonal=True)
    return cast_to(solve_triangular(packed, y, lower=False), dtype)


@public("ops.LuUnpack(unpack_data, unpack_pivots)(LU_data, LU_pivots)")
@operation
def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """The factors of ``A = P L U``, from its LU decomposition.

    Args:
        LU_data: Tensor of shape [..., n, n]: U, and L without its diagonal below it.
        LU_pivots: Tensor of integers of shape [..., n], which count from 1.
        unpack_data: whether to give L and U.
        unpack_pivots: whether to give P.

    Returns:
        P, L and U, of shape [..., n, n]; None for what was not asked for.

    Raises:
        TypeError: Tensors of other dtypes.
        ValueError: shapes that do not fit.

    >>> p, l, u = ops.lu_unpack(Tensor([[2.0, 1.0], [0.5, 4.0]]), Tensor([2, 2], ms.int32))
    >>> print(l)
    [[1.  0. ]
     [0.5 1. ]]
    >>> print(u)
    [[2. 1.]
     [0. 4.]]
    """
    packed, dtype = matrices("lu_unpack", LU_data, "LU_data", square=True)
    pivots = _pivots("lu_unpack", packed, LU_pivots)
    unit = identity(packed, packed.shape[-1])
    p = lower = upper = None
    if unpack_pivots:
        p = cast_to(emit("cell.swap_rows", [unit, pivots], {"inverse": True}), dtype)
    if unpack_data:
        lower = cast_to(ew.binary("cell.add", triangle(packed, True, -1), unit), dtype)
        upper = cast_to(triangle(packed, False), dtype)
    return p, lower, upper
