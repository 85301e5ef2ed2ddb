"""Class forms of factorizations and solves: ``ops.Cholesky(upper=True)(x)``."""

from __future__ import annotations

from typing import Any

from cellgrad.core.record import cast_to, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import determinants, linalg
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
    """See `ops.cholesky`.

    >>> print(ops.Cholesky()(Tensor([[4.0, 2.0], [2.0, 5.0]])))
    [[2. 0.]
     [1. 2.]]
    """

    def __call__(self, input_x: Tensor) -> Tensor:
        out: Tensor = linalg.cholesky(input_x, self.upper)
        return out


class CholeskyInverse(_Upper):
    """See `ops.cholesky_inverse`.

    >>> print(ops.CholeskyInverse()(Tensor([[2.0, 0.0], [0.0, 4.0]])))
    [[0.25   0.    ]
     [0.     0.0625]]
    """

    def __call__(self, input_x: Tensor) -> Tensor:
        out: Tensor = linalg.cholesky_inverse(input_x, self.upper)
        return out


class CholeskySolve(_Upper):
    """See `ops.cholesky_solve`.

    >>> print(ops.CholeskySolve()(Tensor([[8.0], [16.0]]), Tensor([[2.0, 0.0], [0.0, 4.0]])))
    [[2.]
     [1.]]
    """

    def __call__(self, x1: Tensor, x2: Tensor) -> Tensor:
        out: Tensor = linalg.cholesky_solve(x1, x2, self.upper)
        return out


class MatrixDeterminant(Primitive):
    """See `ops.det`.

    >>> print(ops.MatrixDeterminant()(Tensor([[2.0, 1.0], [1.0, 2.0]])))
    3.0
    """

    def __call__(self, input: Tensor) -> Tensor:
        out: Tensor = determinants.det(input)
        return out


class LogMatrixDeterminant(Primitive):
    """See `ops.slogdet`.

    >>> sign, log = ops.LogMatrixDeterminant()(Tensor([[2.0, 0.0], [0.0, -4.0]]))
    >>> print(sign, log)
    -1.0 2.0794415
    """

    def __call__(self, input: Tensor) -> tuple[Tensor, Tensor]:
        out: tuple[Tensor, Tensor] = determinants.slogdet(input)
        return out


class MatrixInverse(Primitive):
    """See `ops.inverse`; `adjoint` transposes the result.

    >>> print(ops.MatrixInverse()(Tensor([[2.0, 0.0], [0.0, 4.0]])))
    [[0.5  0.  ]
     [0.   0.25]]
    """

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
    """See `ops.matrix_power`.

    >>> print(ops.MatrixPower(n=2)(Tensor([[[1.0, 1.0], [0.0, 1.0]]])).flatten())
    [1. 2. 0. 1.]
    """

    def __init__(self, n: int):
        super().__init__()
        self.n = n

    def __call__(self, x: Tensor) -> Tensor:
        out: Tensor = linalg.matrix_power(x, self.n)
        return out


class MatrixSolve(Primitive):
    """See `ops.matrix_solve`.

    >>> print(ops.MatrixSolve()(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([[2.0], [8.0]])))
    [[1.]
     [2.]]
    """

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

    >>> x = Tensor([[2.0, 0.0], [1.0, 4.0]])
    >>> print(ops.MatrixTriangularSolve()(x, Tensor([[2.0], [9.0]])))
    [[1.]
     [2.]]
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
    """See `ops.lu_solve`.

    >>> lu, pivots = Tensor([[2.0, 0.0], [0.5, 4.0]]), Tensor([1, 2], ms.int32)
    >>> print(ops.LuSolve()(Tensor([[2.0], [9.0]]), lu, pivots))
    [[1.]
     [2.]]
    """

    def __call__(self, x: Tensor, lu_data: Tensor, lu_pivots: Tensor) -> Tensor:
        out: Tensor = determinants.lu_solve(x, lu_data, lu_pivots)
        return out


class LuUnpack(Primitive):
    """See `ops.lu_unpack`.

    >>> p, l, u = ops.LuUnpack()(Tensor([[2.0, 1.0], [0.5, 4.0]]), Tensor([2, 2], ms.int32))
    >>> print(p)
    [[0. 1.]
     [1. 0.]]
    """

    def __init__(self, unpack_data: bool = True, unpack_pivots: bool = True):
        super().__init__()
        self.unpack_data = unpack_data
        self.unpack_pivots = unpack_pivots

    def __call__(self, LU_data: Tensor, LU_pivots: Tensor) -> Any:
        return determinants.lu_unpack(LU_data, LU_pivots, self.unpack_data, self.unpack_pivots)


class Qr(Primitive):
    """See `ops.qr`.

    >>> q, r = ops.Qr()(Tensor([[3.0, 1.0], [4.0, 2.0]]))
    >>> print(ops.abs(r))
    [[5.         2.2       ]
     [0.         0.39999998]]
    """

    def __init__(self, full_matrices: bool = False):
        super().__init__()
        self.full_matrices = full_matrices

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        mode = "complete" if self.full_matrices else "reduced"
        out: tuple[Tensor, Tensor] = linalg.qr(x, mode)
        return out
