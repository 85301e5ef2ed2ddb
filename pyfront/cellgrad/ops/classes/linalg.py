"""Class forms of factorizations and solves: ``ops.Cholesky(upper=True)(x)``."""

from __future__ import annotations

from cellgrad.core.arguments import check_bool, check_ndim, check_one_of
from cellgrad.core.errors import error
from cellgrad.core.record import cast_to, check_float, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import einsums, linalg, spectral
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops.creation import eye
from cellgrad.ops.diagonals import tril, triu
from cellgrad.ops.shapes import broadcast_to


@public()
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


@public()
class Lstsq(Primitive):
    """See `ops.lstsq`.

    Args:
        fast: a bool, without effect: the method is the same.
        l2_regularizer: must be 0.0, as on MindSpore's CPU.

    Raises:
        TypeError: `fast` is not a bool, or `l2_regularizer` another number.

    >>> x = Tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    >>> print(ops.Lstsq()(x, Tensor([[1.0], [4.0], [5.0]])))
    [[1.]
     [2.]]
    """

    def __init__(self, fast: bool = True, l2_regularizer: float = 0.0):
        super().__init__()
        check_bool(fast, "Lstsq", "fast")
        check_one_of(l2_regularizer, "Lstsq", "l2_regularizer", (0.0,), TypeError)

    def __call__(self, x: Tensor, a: Tensor) -> Tensor:
        out: Tensor = spectral.lstsq(x, a)
        return out


@public()
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


@public()
class Einsum(Primitive):
    """See `ops.einsum`; the operands are given as a tuple.

    >>> x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    >>> print(ops.Einsum("i,j->ij")((x, y)))
    [[3. 4.]
     [6. 8.]]
    """

    def __init__(self, equation: str):
        super().__init__()
        if not isinstance(equation, str):
            raise error(
                TypeError,
                f"For 'Einsum', the equation must be a str, but got {type(equation).__name__}.",
            )
        self.equation = equation

    def __call__(self, inputs: object) -> Tensor:
        if not isinstance(inputs, tuple | list):
            raise error(
                TypeError,
                f"For 'Einsum', the operands must be a tuple or list of Tensors, but got "
                f"{type(inputs).__name__}.",
            )
        out: Tensor = einsums.einsum(self.equation, *inputs)
        return out


@public("Tensor.triangular_solve", "mint.triangular_solve")
def triangular_solve(
    b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Tensor, Tensor]:
    """The solution of ``A X = b``, or of ``A.T X = b``, for a triangular matrix, and the matrix. With
    `unitriangular` its diagonal counts as ones.

    Raises:
        TypeError: no Tensors.
        ValueError: less than two dimensions, shapes that do not fit.

    >>> print(ops.triangular_solve(Tensor([[4.0], [2.0]]), Tensor([[2.0, 1.0], [0.0, 2.0]]))[0])
    [[1.5]
     [1. ]]
    """
    right, a = check_float(b, "triangular_solve", "b"), check_float(A, "triangular_solve", "A")
    for x, name in ((right, "b"), (a, "A")):
        check_ndim(x, "triangular_solve", name, at_least=2)
    n = a.shape[-1]
    if a.shape[-2] != n or right.shape[-2] != n:
        given = f"{right.shape} and {a.shape}"
        raise error(
            ValueError, f"For 'triangular_solve', the shapes of 'b' and 'A' do not fit: {given}."
        )
    factor = triu(a) if upper else tril(a)
    if unitriangular:
        one = eye(n, n, a.dtype)
        factor = gen.add(gen.mul(factor, gen.sub(1, one)), one)
    around = right.shape[:-2] if right.ndim >= a.ndim else a.shape[:-2]
    factor = broadcast_to(factor, (*around, n, n))
    right = broadcast_to(right, (*around, *right.shape[-2:]))
    return MatrixTriangularSolve(not upper, transpose)(factor, right), A
