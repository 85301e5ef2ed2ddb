"""Factorizations of matrices, and what is computed by them: solutions and inverses.

Matrices are the last two dimensions; all others are a batch. float16 and bfloat16 are computed in
float32. A matrix that is singular, or not positive definite where it must be, gives infinities or
NaN, not an error, as its values are not known before the compiled code runs.
"""

from __future__ import annotations

from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import check_dtype, check_int, check_one_of
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import (
    broadcast_shapes,
    broadcast_to_shape,
    cast_to,
    check_tensor,
    emit,
    emit_several,
    operation,
    splat,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops._public import public
from cellgrad.ops.joining import piece

# --- matrices ---------------------------------------------------------------------------------


def matrices(op: str, value: Any, name: str, square: bool = False) -> tuple[Tensor, Type]:
    """The matrices in float32 or float64, and the dtype that results have.

    Raises:
        TypeError: something that is not a Tensor of floating-point elements.
        ValueError: a rank below 2, or matrices that are not `square`.
    """
    x = check_dtype(check_tensor(value, op, name), op, name, "f")
    if x.ndim < 2 or (square and x.shape[-1] != x.shape[-2]):
        raise error(
            ValueError,
            f"For '{op}', '{name}' must hold {'square ' if square else ''}matrices in its last two "
            f"dimensions, but got shape {list(x.shape)}.",
        )
    dtype = x.dtype
    return (x if dtype is mstype.float64 else cast_to(x, mstype.float32)), dtype


def right_hand_side(
    op: str, a: Tensor, value: Any, name: str, dtype: Type
) -> tuple[Tensor, Tensor, Type]:
    """The matrix and the right-hand side of an equation, in one dtype and with one batch."""
    b, other = matrices(op, value, name)
    if b.shape[-2] != a.shape[-2]:
        raise error(
            ValueError,
            f"For '{op}', '{name}' must have as many rows as the matrix, but the matrix has shape "
            f"{list(a.shape)} and '{name}' {list(b.shape)}.",
        )
    common = mstype.promote(a.dtype, b.dtype)
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2], op)
    a = broadcast_to_shape(cast_to(a, common), (*batch, *a.shape[-2:]))
    b = broadcast_to_shape(cast_to(b, common), (*batch, *b.shape[-2:]))
    return a, b, mstype.promote(dtype, other)


def flipped(x: Tensor) -> Tensor:
    """Rows as columns."""
    perm = list(range(x.ndim))
    perm[-2:] = perm[:-3:-1]
    return emit("cell.transpose", [x], {"perm": perm})


def triangle(x: Tensor, lower: bool, diagonal: int = 0) -> Tensor:
    """A triangle of each matrix, zero elsewhere."""
    return emit("cell.triangle", [x], {"lower": lower, "diagonal": diagonal})


def identity(like: Tensor, n: int) -> Tensor:
    """An identity matrix for each matrix of a batch: ones without what is off the diagonal."""
    ones = splat(1, like.dtype, (*like.shape[:-2], n, n))
    return triangle(triangle(ones, True), False)


def solve_triangular(
    a: Tensor, b: Tensor, lower: bool, transpose: bool = False, unit_diagonal: bool = False
) -> Tensor:
    """The solution y of ``a y = b``, or of ``a^T y = b``, by one triangle of `a`."""
    attrs = {"lower": lower, "transpose": transpose, "unit_diagonal": unit_diagonal}
    return emit("cell.triangular_solve", [a, b], attrs)


def product(a: Tensor, b: Tensor, transpose_a: bool = False, transpose_b: bool = False) -> Tensor:
    """The matrix product of each pair."""
    return emit("cell.matmul", [a, b], {"transpose_a": transpose_a, "transpose_b": transpose_b})


def singular_factors(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """u, s and v with ``x = u diag(s) v^T``, of matrices in float32 or float64."""
    u, s, v = emit_several("cell.svd", [x])
    return u, s, v


def singular_values(x: Tensor) -> Tensor:
    """Of matrices in float32 or float64, descending."""
    return singular_factors(x)[1]


# --- Cholesky ---------------------------------------------------------------------------------


@public(
    "ops.Cholesky(upper)(input_x)",
    "Tensor.cholesky",
)
@operation
def cholesky(input_x: Tensor, upper: bool = False) -> Tensor:
    """The triangular matrix whose product with its transpose is the input.

    The mean of the input and its transpose is factorized, so that the gradient is symmetric.

    Args:
        input_x: Tensor of shape [..., n, n], symmetric and positive definite; where it is not
            positive definite, the triangle is NaN.
        upper: for ``U^T U`` rather than ``L L^T``.

    Returns:
        Tensor of shape [..., n, n].

    Raises:
        TypeError: something that is not a Tensor of floating-point elements.
        ValueError: matrices that are not square.

    >>> print(ops.cholesky(ms.Tensor([[4.0, 2.0], [2.0, 2.0]])))
    [[2. 0.]
     [1. 1.]]
    """
    x, dtype = matrices("cholesky", input_x, "input_x", square=True)
    mean = ew.binary("cell.mul", ew.binary("cell.add", x, flipped(x)), 0.5)
    factor = emit("cell.cholesky", [mean])
    return cast_to(flipped(factor) if upper else factor, dtype)


@public(
    "ops.CholeskyInverse(upper)(input_x)",
    "Tensor.cholesky_inverse",
)
@operation
def cholesky_inverse(input_x: Tensor, upper: bool = False) -> Tensor:
    """The inverse of a matrix, from its Cholesky factor.

    Args:
        input_x: Tensor of shape [..., n, n]; its other triangle is not read.
        upper: whether the factor is the upper triangular one.

    Raises:
        TypeError: something that is not a Tensor of floating-point elements.
        ValueError: matrices that are not square.

    >>> print(ops.cholesky_inverse(Tensor([[2.0, 0.0], [0.0, 4.0]])))
    [[0.25   0.    ]
     [0.     0.0625]]
    """
    x, dtype = matrices("cholesky_inverse", input_x, "input_x", square=True)
    half = solve_triangular(x, identity(x, x.shape[-1]), not upper, upper)
    return cast_to(product(half, half, transpose_a=True), dtype)


@public(
    "ops.CholeskySolve(upper)(x1, x2)",
    "Tensor.cholesky_solve",
)
@operation
def cholesky_solve(input: Tensor, input2: Tensor, upper: bool = False) -> Tensor:
    """The solution of ``A y = input``, from the Cholesky factor of A.

    Args:
        input: Tensor of shape [..., n, m].
        input2: the factor, of shape [..., n, n]; its other triangle is not read.
        upper: whether the factor is the upper triangular one.

    Raises:
        TypeError: something that is not a Tensor of floating-point elements.
        ValueError: shapes that do not fit.

    >>> factor = Tensor([[2.0, 0.0], [0.0, 4.0]])
    >>> print(ops.cholesky_solve(Tensor([[8.0], [16.0]]), factor))
    [[2.]
     [1.]]
    """
    factor, dtype = matrices("cholesky_solve", input2, "input2", square=True)
    factor, b, dtype = right_hand_side("cholesky_solve", factor, input, "input", dtype)
    y = solve_triangular(factor, b, not upper, upper)
    return cast_to(solve_triangular(factor, y, not upper, not upper), dtype)


# --- solutions and inverses -------------------------------------------------------------------


@public("ops.MatrixSolve(adjoint)(matrix, rhs)")
@operation
def matrix_solve(matrix: Tensor, rhs: Tensor, adjoint: bool = False) -> Tensor:
    """The solution of ``matrix y = rhs``, by LU decomposition with partial pivoting.

    Args:
        matrix: Tensor of shape [..., n, n].
        rhs: Tensor of shape [..., n, m].
        adjoint: solve with the transposed matrix.

    Returns:
        Tensor of shape [..., n, m].

    Raises:
        TypeError: something that is not a Tensor of floating-point elements.
        ValueError: shapes that do not fit.

    >>> print(ops.matrix_solve(ms.Tensor([[2.0, 0.0], [0.0, 4.0]]), ms.Tensor([[2.0], [2.0]])))
    [[1. ]
     [0.5]]
    """
    a, dtype = matrices("matrix_solve", matrix, "matrix", square=True)
    a, b, dtype = right_hand_side("matrix_solve", a, rhs, "rhs", dtype)
    return cast_to(emit("cell.solve", [a, b], {"transpose": bool(adjoint)}), dtype)


@public()
def solve(a: Tensor, b: Tensor) -> Tensor:
    """The solution of ``a x = b``, by LU decomposition with partial pivoting; see `matrix_solve`.

    Args:
        a: shape [..., n, n].
        b: shape [n], or [..., n, m].

    Raises:
        TypeError: something that is not a Tensor of floating-point elements.
        ValueError: shapes that do not fit.

    >>> print(ops.solve(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([2.0, 2.0])))
    [1.  0.5]
    """
    rhs = check_tensor(b, "solve", "b")
    if rhs.ndim != 1:
        return matrix_solve(a, rhs)  # type: ignore[no-any-return]
    matrix = check_tensor(a, "solve", "a")
    columns = rhs.reshape((*[1] * (matrix.ndim - 2), -1, 1))
    if matrix.ndim > 2:
        columns = columns.broadcast_to((*matrix.shape[:-2], *columns.shape[-2:]))
    out: Tensor = matrix_solve(matrix, columns)
    return out.reshape(out.shape[:-1])


@public(
    "Tensor.inverse",
    "mint.inverse",
    "mint.linalg.inv",
)
@operation
def inverse(input: Tensor) -> Tensor:
    """The inverse of each matrix, by LU decomposition with partial pivoting.

    Args:
        input: Tensor of shape [..., n, n].

    Raises:
        TypeError: something that is not a Tensor of floating-point elements.
        ValueError: matrices that are not square.

    >>> print(ops.inverse(Tensor([[2.0, 0.0], [0.0, 4.0]])))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    x, dtype = matrices("inverse", input, "input", square=True)
    return cast_to(emit("cell.solve", [x, identity(x, x.shape[-1])]), dtype)


@public(
    "ops.MatrixPower(n)(x)",
    "Tensor.matrix_power",
)
@operation
def matrix_power(input: Tensor, n: int) -> Tensor:
    """The product of `n` times each matrix; of its inverse for negative `n`.

    Args:
        input: Tensor of shape [..., m, m].
        n: the exponent; 0 gives the identity matrix.

    Raises:
        TypeError: something that is not a Tensor of floating-point elements, an `n` that is not an
            int.
        ValueError: matrices that are not square.

    >>> print(ops.matrix_power(Tensor([[1.0, 1.0], [0.0, 1.0]]), 3))
    [[1. 3.]
     [0. 1.]]
    """
    x, dtype = matrices("matrix_power", input, "input", square=True)
    n = check_int(n, "matrix_power", "n")
    if n < 0:
        x, n = emit("cell.solve", [x, identity(x, x.shape[-1])]), -n
    out: Tensor | None = None
    while n:
        if n & 1:
            out = x if out is None else product(out, x)
        n >>= 1
        x = product(x, x) if n else x
    return cast_to(identity(x, x.shape[-1]) if out is None else out, dtype)


# --- QR ---------------------------------------------------------------------------------------


def _qr(x: Tensor, complete: bool = False) -> tuple[Tensor, Tensor]:
    q, r = emit_several("cell.qr", [x], {"complete": complete})
    return q, r


@public(
    "Tensor.qr(some=True) = ops.qr(self, 'reduced' if some else 'complete')",
    "ops.Qr(full_matrices=False)(x) = ops.qr(x, 'complete' if full_matrices else 'reduced')",
    "mint.linalg.qr(A, mode)",
)
@operation
def qr(input: Tensor, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    """Orthonormal columns and an upper triangular matrix whose product is the input.

    Signs are those of LAPACK. Differentiable where the first min(m, n) columns are independent, but for
    "complete" with m > n.

    Args:
        input: Tensor of shape [..., m, n].
        mode: "reduced" or "complete".

    Returns:
        Two Tensors, of shapes [..., m, k] and [..., k, n], where k is min(m, n), or m for
        "complete".

    Raises:
        TypeError: something that is not a Tensor of floating-point elements, another mode.
        ValueError: a rank below 2.

    >>> q, r = ops.qr(Tensor([[3.0, 1.0], [4.0, 2.0]]))
    >>> print(ops.abs(r))
    [[5.         2.2       ]
     [0.         0.39999998]]
    """
    x, dtype = matrices("qr", input, "input")
    check_one_of(mode, "qr", "mode", ("reduced", "complete"), TypeError)
    rows, columns = x.shape[-2:]
    if not 0 < rows < columns:
        q, r = _qr(x, mode == "complete")
    else:  # q is that of the square in front, and so are the derivatives
        q, r = _qr(piece(x, x.ndim - 1, 0, rows))
        others = product(q, piece(x, x.ndim - 1, rows, columns), transpose_a=True)
        r = emit("cell.concat", [r, others], {"dim": x.ndim - 1})
    return cast_to(q, dtype), cast_to(r, dtype)
