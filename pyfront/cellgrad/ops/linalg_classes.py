"""Class forms of factorizations and solves: ``ops.Cholesky(upper=True)(x)``."""

from __future__ import annotations

from typing import Any

from cellgrad.common.tensor import Tensor
from cellgrad.ops import linalg
from cellgrad.ops._core import cast_to, operation
from cellgrad.ops._elementwise import Primitive

__all__ = [
    "Cholesky",
    "CholeskyInverse",
    "CholeskySolve",
    "LogMatrixDeterminant",
    "LuSolve",
    "LuUnpack",
    "MatrixDeterminant",
    "MatrixInverse",
    "MatrixPower",
    "MatrixSolve",
    "MatrixTriangularSolve",
    "Qr",
]


class _Upper(Primitive):
    def __init__(self, upper: bool = False):
        super().__init__()
        self.upper = upper


class Cholesky(_Upper):
    """See `ops.cholesky`."""

    def __call__(self, input_x: Tensor) -> Tensor:
        out: Tensor = linalg.cholesky(input_x, self.upper)
        return out


class CholeskyInverse(_Upper):
    """See `ops.cholesky_inverse`."""

    def __call__(self, input_x: Tensor) -> Tensor:
        out: Tensor = linalg.cholesky_inverse(input_x, self.upper)
        return out


class CholeskySolve(_Upper):
    """See `ops.cholesky_solve`."""

    def __call__(self, x1: Tensor, x2: Tensor) -> Tensor:
        out: Tensor = linalg.cholesky_solve(x1, x2, self.upper)
        return out


class MatrixDeterminant(Primitive):
    """See `ops.det`."""

    def __call__(self, input: Tensor) -> Tensor:
        out: Tensor = linalg.det(input)
        return out


class LogMatrixDeterminant(Primitive):
    """See `ops.slogdet`."""

    def __call__(self, input: Tensor) -> tuple[Tensor, Tensor]:
        out: tuple[Tensor, Tensor] = linalg.slogdet(input)
        return out


class MatrixInverse(Primitive):
    """See `ops.inverse`; `adjoint` transposes the result."""

    def __init__(self, adjoint: bool = False):
        super().__init__()
        self.adjoint = adjoint

    def __call__(self, x: Tensor) -> Tensor:
        out: Tensor = _adjoint_inverse(x) if self.adjoint else linalg.inverse(x)
        return out


@operation
def _adjoint_inverse(x: Tensor) -> Tensor:
    return linalg.flipped(linalg.inverse(x))


class MatrixPower(Primitive):
    """See `ops.matrix_power`."""

    def __init__(self, n: int):
        super().__init__()
        self.n = n

    def __call__(self, x: Tensor) -> Tensor:
        out: Tensor = linalg.matrix_power(x, self.n)
        return out


class MatrixSolve(Primitive):
    """See `ops.matrix_solve`."""

    def __init__(self, adjoint: bool = False):
        super().__init__()
        self.adjoint = adjoint

    def __call__(self, matrix: Tensor, rhs: Tensor) -> Tensor:
        out: Tensor = linalg.matrix_solve(matrix, rhs, self.adjoint)
        return out


class MatrixTriangularSolve(Primitive):
    """The solution of ``matrix y = rhs`` by one triangle of the matrix.

    Args:
        lower: which triangle is read.
        adjoint: solve with the transposed matrix.
    """

    def __init__(self, lower: bool = True, adjoint: bool = False):
        super().__init__()
        self.lower = lower
        self.adjoint = adjoint

    def __call__(self, matrix: Tensor, rhs: Tensor) -> Tensor:
        out: Tensor = _triangular_solve(matrix, rhs, self.lower, self.adjoint)
        return out


@operation
def _triangular_solve(matrix: Tensor, rhs: Tensor, lower: bool, adjoint: bool) -> Tensor:
    name = "MatrixTriangularSolve"
    a, dtype = linalg.matrices(name, matrix, "matrix", square=True)
    a, b, dtype = linalg.right_hand_side(name, a, rhs, "rhs", dtype)
    return cast_to(linalg.solve_triangular(a, b, lower, adjoint), dtype)


class LuSolve(Primitive):
    """See `ops.lu_solve`."""

    def __call__(self, x: Tensor, lu_data: Tensor, lu_pivots: Tensor) -> Tensor:
        out: Tensor = linalg.lu_solve(x, lu_data, lu_pivots)
        return out


class LuUnpack(Primitive):
    """See `ops.lu_unpack`."""

    def __init__(self, unpack_data: bool = True, unpack_pivots: bool = True):
        super().__init__()
        self.unpack_data = unpack_data
        self.unpack_pivots = unpack_pivots

    def __call__(self, LU_data: Tensor, LU_pivots: Tensor) -> Any:
        return linalg.lu_unpack(LU_data, LU_pivots, self.unpack_data, self.unpack_pivots)


class Qr(Primitive):
    """See `ops.qr`."""

    def __init__(self, full_matrices: bool = False):
        super().__init__()
        self.full_matrices = full_matrices

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        mode = "complete" if self.full_matrices else "reduced"
        out: tuple[Tensor, Tensor] = linalg.qr(x, mode)
        return out
