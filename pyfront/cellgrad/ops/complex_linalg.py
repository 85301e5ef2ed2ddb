"""Equations of complex matrices, as real ones of twice the size.

A + iB stands for [[A, -B], [B, A]], whose products and inverses are those of the complex matrices. So pivoting,
derivatives and checks are those of the real solver.
"""

from __future__ import annotations

from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import check_int, check_ndim
from cellgrad.core.errors import error
from cellgrad.core.record import broadcast_to_shape, cast_to, check_tensor, emit
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import contractions, kinds, linalg, shapes
from cellgrad.ops.complex_rules import both_parts, complex_tensor


def _stacked(parts: list[Tensor], dim: int) -> Tensor:
    return emit("cell.concat", parts, {"dim": parts[0].ndim + dim})


def embedded(z: Tensor) -> Tensor:
    """The real matrices of twice the size."""
    a, b = both_parts(z)
    return _stacked([_stacked([a, gen.neg(b)], -1), _stacked([b, a], -1)], -2)


def matrices(op: str, value: Any, name: str, square: bool = False) -> Tensor:
    """The argument, if it holds matrices.

    Raises:
        TypeError: no Tensor.
        ValueError: a rank below 2, or matrices that are not `square`.
    """
    x = check_tensor(value, op, name)
    if x.ndim < 2 or (square and x.shape[-1] != x.shape[-2]):
        raise error(
            ValueError,
            f"For '{op}', '{name}' must hold {'square ' if square else ''}matrices in its last two "
            f"dimensions, but got shape {list(x.shape)}.",
        )
    return x


def conjugate(z: Tensor) -> Tensor:
    """The adjoint of each matrix."""
    return kinds.conj(shapes.swapaxes(z, -1, -2))


def _halves(x: Tensor) -> Tensor:
    """The complex numbers whose real parts are the first half of the rows, and imaginary ones the second."""
    n = x.shape[-2] // 2
    parts = []
    for i in range(2):
        starts, limits = [0] * x.ndim, list(x.shape)
        starts[-2], limits[-2] = i * n, (i + 1) * n
        region = {"starts": starts, "limits": limits, "strides": [1] * x.ndim}
        parts.append(emit("cell.slice", [x], region))
    return complex_tensor(parts[0], parts[1])


def first_columns(x: Tensor) -> Tensor:
    """The complex matrix that a real one of twice the size stands for."""
    starts, limits = [0] * x.ndim, list(x.shape)
    limits[-1] //= 2
    region = {"starts": starts, "limits": limits, "strides": [1] * x.ndim}
    return _halves(emit("cell.slice", [x], region))


def matrix_solve(matrix: Tensor, rhs: Tensor, adjoint: bool = False) -> Tensor:
    """`ops.matrix_solve` of complex matrices, or of a complex right-hand side."""
    a = matrices("matrix_solve", matrix, "matrix", square=True)
    b = check_ndim(check_tensor(rhs, "matrix_solve", "rhs"), "matrix_solve", "rhs", at_least=2)
    if a.shape[-1] != b.shape[-2]:
        raise error(
            ValueError,
            f"For 'matrix_solve', 'rhs' must have as many rows as the matrix, but the matrix has shape "
            f"{list(a.shape)} and 'rhs' {list(b.shape)}.",
        )
    dtype = mstype.promote(a.dtype, b.dtype)
    a, b = cast_to(a, dtype), cast_to(b, dtype)
    return _halves(linalg.matrix_solve(embedded(a), _stacked(list(both_parts(b)), -2), adjoint))


def inverse(input: Tensor) -> Tensor:
    """`ops.inverse` of complex matrices."""
    x = matrices("inverse", input, "input", square=True)
    real = both_parts(x)[0]
    one = linalg.identity(real, x.shape[-1])
    nothing = gen.mul(one, 0.0)
    return _halves(linalg.matrix_solve(embedded(x), _stacked([one, nothing], -2)))


def matrix_power(input: Tensor, n: int) -> Tensor:
    """`ops.matrix_power` of complex matrices."""
    x = matrices("matrix_power", input, "input", square=True)
    n = check_int(n, "matrix_power", "n")
    one = linalg.identity(both_parts(x)[0], x.shape[-1])
    out = cast_to(broadcast_to_shape(one, x.shape), x.dtype)
    if n < 0:
        x, n = inverse(x), -n
    while n:
        if n & 1:
            out = contractions.matmul(out, x)
        n >>= 1
        x = contractions.matmul(x, x) if n else x
    return out
