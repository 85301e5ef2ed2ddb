"""Linear algebra with SciPy's names and arguments, as in ``mindspore.scipy.linalg``.

All functions take batches in leading dimensions, and are differentiable. Arguments that allow to
overwrite or not to check have no effect: nothing is overwritten, and what is not finite gives
results that are not finite.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from cellgrad.core import absent
from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import argument_error, check_bool, check_ndim, check_one_of
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import (
    broadcast_to_shape,
    cast_to,
    check_tensor,
    complex_forms,
    emit,
    emit_several,
    operation,
    reshape_to,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import (
    _generated,
    complex_spectra,
    contractions,
    determinants,
    joining,
    reductions,
    selection,
    shapes,
    spectral,
)
from cellgrad.ops import linalg as ops

__all__ = [
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "det",
    "eigh",
    "inv",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "solve_triangular",
]

if not TYPE_CHECKING:
    __getattr__ = absent.attributes(__name__)


def _floating(op: str, a: Any) -> Tensor:
    """The argument; integers become float64."""
    x = check_tensor(a, op, "a")
    return x if x.dtype.kind in "fc" else cast_to(x, mstype.float64)


def _flags(op: str, **given: Any) -> None:
    """Refuses what is not True or False, with a TypeError."""
    for name, value in given.items():
        check_bool(value, op, name)


def block_diag(*arrs: Tensor) -> Tensor:
    """A matrix with the given matrices along its diagonal; a vector is a row. Of none, a row without elements.

    Raises:
        TypeError: an input that is not a Tensor.
        ValueError: a tensor of more than two dimensions.

    >>> from cellgrad.scipy import linalg
    >>> print(linalg.block_diag(Tensor([[1, 2]]), Tensor([[3]])))
    [[1 2 0]
     [0 0 3]]
    """
    return joining.block_diag(*arrs) if arrs else Tensor(np.zeros((1, 0), np.float32))


def cholesky(
    a: Tensor, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Tensor:
    """The upper or lower triangular Cholesky factor; see `ops.cholesky`.

    Raises:
        TypeError: something that is not a Tensor.
        ValueError: matrices that are not square.

    >>> from cellgrad.scipy import linalg
    >>> print(linalg.cholesky(Tensor([[4.0, 2.0], [2.0, 5.0]]), lower=True))
    [[2. 0.]
     [1. 2.]]
    """
    _flags("cholesky", lower=lower, overwrite_a=overwrite_a, check_finite=check_finite)
    out: Tensor = ops.cholesky(_floating("cholesky", a), not lower)
    return out


def cho_factor(
    a: Tensor, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Tensor, bool]:
    """The Cholesky factor, and whether it is the lower one: what `cho_solve` takes.

    Raises:
        TypeError: something that is not a Tensor.
        ValueError: matrices that are not square.

    >>> from cellgrad.scipy import linalg
    >>> factor, lower = linalg.cho_factor(Tensor([[4.0, 2.0], [2.0, 5.0]]), lower=True)
    >>> print(linalg.cho_solve((factor, lower), Tensor([6.0, 7.0])), lower)
    [1. 1.] True
    """
    _flags("cho_factor", lower=lower, overwrite_a=overwrite_a, check_finite=check_finite)
    return cholesky(a, lower), lower


def cho_solve(
    c_and_lower: tuple[Tensor, bool],
    b: Tensor,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Tensor:
    """The solution of ``a x = b``, from what `cho_factor` gives.

    Args:
        c_and_lower: the factor, and whether it is the lower one.
        b: Tensor of shape [..., n] or [..., n, m].

    Raises:
        TypeError: something that is not a Tensor.
        ValueError: shapes that do not fit.

    >>> from cellgrad.scipy import linalg
    >>> factor = linalg.cho_factor(Tensor([[4.0, 2.0], [2.0, 5.0]]))
    >>> print(linalg.cho_solve(factor, Tensor([6.0, 7.0])))
    [1. 1.]
    """
    c, lower = c_and_lower
    out: Tensor = _cho_solve(c, b, bool(lower))
    return out


def _columns(a: Tensor, b: Tensor) -> Tensor:
    """The right-hand side as columns: a vector for each matrix is one."""
    is_vector = b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1])
    return reshape_to(b, (*b.shape, 1)) if is_vector else b


@operation
def _cho_solve(c: Tensor, b: Tensor, lower: bool) -> Tensor:
    factor, right = _floating("cho_solve", c), check_tensor(b, "cho_solve", "b")
    columns = _columns(factor, right)
    out: Tensor = ops.cholesky_solve(_floating("cho_solve", columns), factor, not lower)
    return out if columns is right else reshape_to(out, out.shape[:-1])


@operation
def det(a: Tensor, overwrite_a: bool = False, check_finite: bool = True) -> Tensor:
    """The determinant; see `ops.det`. Integers are converted to float64.

    Raises:
        TypeError: something that is not a Tensor.
        ValueError: matrices that are not square.

    >>> from cellgrad.scipy import linalg
    >>> print(linalg.det(Tensor([[4.0, 2.0], [2.0, 5.0]])))
    16.0
    """
    _flags("det", overwrite_a=overwrite_a, check_finite=check_finite)
    out: Tensor = determinants.det(_floating("det", a))
    return out


@operation
def inv(a: Tensor, overwrite_a: bool = False, check_finite: bool = True) -> Tensor:
    """The inverse; see `ops.inverse`. Integers are converted to float64, as in MindSpore.

    Raises:
        TypeError: something that is not a Tensor.
        ValueError: matrices that are not square.

    >>> from cellgrad.scipy import linalg
    >>> print(linalg.inv(Tensor([[2.0, 0.0], [0.0, 4.0]])))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    _flags("inv", overwrite_a=overwrite_a, check_finite=check_finite)
    x = check_tensor(a, "inv", "a")
    out: Tensor = ops.inverse(x if x.dtype.kind in "fc" else cast_to(x, mstype.float64))
    return out


# --- LU ---------------------------------------------------------------------------------------


def _lu(op: str, a: Any) -> tuple[Tensor, Tensor, Type]:
    x, dtype = ops.matrices(op, _floating(op, a), "a", square=True)
    packed, pivots = emit_several("cell.lu", [x])
    return packed, pivots, dtype


@operation
def lu_factor(
    a: Tensor, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Tensor, Tensor]:
    """U, with L without its unit diagonal below it, and the pivots: what `lu_solve` takes.

    Args:
        a: Tensor of shape [..., n, n].

    Returns:
        A Tensor of shape [..., n, n], and one of int32 and shape [..., n]: row i was exchanged with
        row ``pivots[i]``, in order.

    Raises:
        TypeError: something that is not a Tensor.
        ValueError: matrices that are not square.

    >>> from cellgrad.scipy import linalg
    >>> lu, pivots = linalg.lu_factor(Tensor([[4.0, 2.0], [2.0, 5.0]]))
    >>> print(lu, pivots)
    [[4.  2. ]
     [0.5 4. ]] [0 1]
    """
    _flags("lu_factor", overwrite_a=overwrite_a, check_finite=check_finite)
    packed, pivots, dtype = _lu("lu_factor", a)
    return cast_to(packed, dtype), pivots


def _columns_of(x: Tensor, start: int, limit: int) -> Tensor:
    first = [0] * x.ndim
    starts, limits = [*first[:-1], start], [*x.shape[:-1], limit]
    return emit("cell.slice", [x], {"starts": starts, "limits": limits, "strides": [1] * x.ndim})


@operation
def lu(
    a: Tensor, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Tensor, ...]:
    """The factors of ``a = P L U``; with `permute_l`, P L and U.

    Args:
        a: Tensor of shape [..., m, n] with m at most n.
        permute_l: whether to multiply P and L.

    Returns:
        Tensors of shape [..., m, m], and U of shape [..., m, n]. P is of int32, as in MindSpore.

    Raises:
        TypeError: something that is not a Tensor, or another flag than True and False.
        ValueError: matrices with more rows than columns.

    >>> from cellgrad.scipy import linalg
    >>> p, l, u = linalg.lu(Tensor([[4.0, 2.0], [2.0, 5.0]]))
    >>> print(l)
    [[1.  0. ]
     [0.5 1. ]]
    >>> print(u)
    [[4. 2.]
     [0. 4.]]
    """
    _flags("lu", permute_l=permute_l, overwrite_a=overwrite_a, check_finite=check_finite)
    x = check_ndim(_floating("lu", a), "lu", "a", at_least=2)
    m, n = x.shape[-2:]
    if m > n:
        raise error(
            ValueError,
            f"For 'lu', 'a' must have at most as many rows as columns, but got shape {list(x.shape)}.",
        )
    packed, pivots, dtype = _lu("lu", _columns_of(x, 0, m) if n > m else x)
    unit = ops.identity(packed, packed.shape[-1])
    lower = ew.binary("cell.add", ops.triangle(packed, True, -1), unit)
    upper = cast_to(ops.triangle(packed, False), dtype)
    if n > m:  # P A = L U holds for each part of the columns
        rest = cast_to(_columns_of(x, m, n), packed.dtype)
        rest = ops.solve_triangular(
            lower, emit("cell.swap_rows", [rest, pivots]), True, False, True
        )
        parts = [upper, cast_to(rest, dtype)]
        upper = emit("cell.concat", parts, {"dim": x.ndim - 1})
    back = {"inverse": True}
    if permute_l:
        return cast_to(emit("cell.swap_rows", [lower, pivots], back), dtype), upper
    p = emit("cell.swap_rows", [cast_to(unit, mstype.int32), pivots], back)
    return p, cast_to(lower, dtype), upper


def lu_solve(
    lu_and_piv: tuple[Tensor, Tensor],
    b: Tensor,
    trans: int = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Tensor:
    """The solution of ``a x = b``, or of ``a^T x = b``, from what `lu_factor` gives.

    Args:
        lu_and_piv: the factors and the pivots.
        b: Tensor of shape [..., n] or [..., n, m].
        trans: 0 for a, 1 or 2 for its transpose.

    Raises:
        TypeError: something that is not a Tensor.
        ValueError: shapes that do not fit, another `trans`.

    >>> from cellgrad.scipy import linalg
    >>> lu = linalg.lu_factor(Tensor([[4.0, 2.0], [2.0, 5.0]]))
    >>> print(linalg.lu_solve(lu, Tensor([6.0, 7.0])))
    [1. 1.]
    """
    check_one_of(trans, "lu_solve", "trans", (0, 1, 2))
    packed, pivots = lu_and_piv
    out: Tensor = _lu_solve(packed, pivots, b, trans != 0)
    return out


@operation
def _lu_solve(packed: Tensor, pivots: Tensor, b: Tensor, transposed: bool) -> Tensor:
    name = "lu_solve"
    factors, dtype = ops.matrices(name, packed, "lu", square=True)
    given = check_tensor(b, name, "b")
    columns = _columns(factors, given)
    factors, right, dtype = ops.right_hand_side(name, factors, columns, "b", dtype)
    swaps = broadcast_to_shape(check_tensor(pivots, name, "piv"), factors.shape[:-1])
    swaps = cast_to(swaps, mstype.int32)
    if transposed:
        y = ops.solve_triangular(factors, right, False, True)
        y = ops.solve_triangular(factors, y, True, True, True)
        out = emit("cell.swap_rows", [y, swaps], {"inverse": True})
    else:
        y = emit("cell.swap_rows", [right, swaps])
        y = ops.solve_triangular(factors, y, True, False, True)
        out = ops.solve_triangular(factors, y, False)
    out = cast_to(out, dtype)
    return out if columns is given else reshape_to(out, out.shape[:-1])


# --- eigenvalues ------------------------------------------------------------------------------


def eigh(
    a: Tensor,
    b: Tensor | None = None,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    turbo: bool = True,
    eigvals: object = None,
    type: int = 1,
    check_finite: bool = True,
) -> Tensor | tuple[Tensor, Tensor]:
    """Eigenvalues, ascending, and orthonormal eigenvectors of a symmetric or Hermitian matrix.

    Eigenvalues are real. By Jacobi's method. Of the elements of an eigenvector that have at least 0.9 of the largest
    magnitude, the first is positive. Integers are converted to float64, as in MindSpore.

    Args:
        a: Tensor of shape [..., n, n], of real or complex numbers; its other triangle is not read.
        b: None: the generalized problem is not supported.
        lower: which triangle is read.
        eigvals_only: whether to give eigenvalues alone.
        eigvals: None: all are computed.

    Returns:
        Tensors of shape [..., n] and [..., n, n], whose columns are the eigenvectors; or the former.

    Raises:
        TypeError: something that is not a Tensor, or another flag than True and False.
        ValueError: matrices that are not square; `b` or `eigvals`.

    >>> from cellgrad.scipy import linalg
    >>> print(linalg.eigh(Tensor([[2.0, 1.0], [1.0, 2.0]]), eigvals_only=True))
    [1. 3.]
    """
    flags = {"overwrite_a": overwrite_a, "overwrite_b": overwrite_b, "check_finite": check_finite}
    _flags("eigh", lower=lower, eigvals_only=eigvals_only, turbo=turbo, **flags)
    for name, value in (("b", b), ("eigvals", eigvals)):
        if value is not None:
            raise argument_error(ValueError, "eigh", name, "None", value)
    w, v = _eigh(a, lower)
    return w if eigvals_only else (w, v)


@operation
def _eigh(a: Tensor, lower: bool) -> tuple[Tensor, Tensor]:
    given = check_tensor(a, "eigh", "a")
    if given.dtype.kind == "c":
        return complex_spectra.eigh(given, lower)
    wide = given if given.dtype.kind == "f" else cast_to(given, mstype.float64)
    x, dtype = ops.matrices("eigh", wide, "a", square=True)
    w, v = spectral.eigh(x, lower)
    return cast_to(w, dtype), cast_to(v, dtype)


for _name in ("_eigh", "det", "inv"):
    complex_forms[f"linalg.{_name}"] = True


# --- triangular systems -----------------------------------------------------------------------

_TRANSPOSED = {0: False, "N": False, 1: True, "T": True, 2: True, "C": True}


@operation
def solve_triangular(
    a: Tensor,
    b: Tensor,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    debug: object = None,
    check_finite: bool = True,
) -> Tensor:
    """The solution of ``a x = b`` for triangular `a`.

    Args:
        a: Tensor of shape [..., n, n]; its other triangle is not read.
        b: Tensor of shape [..., n] or [..., n, m].
        trans: 0 or "N" for a, 1, 2, "T" or "C" for its transpose.
        lower: which triangle is read.
        unit_diagonal: take the diagonal as 1.

    Raises:
        TypeError: something that is not a Tensor of floating-point elements.
        ValueError: shapes that do not fit, another `trans`.

    >>> from cellgrad.scipy import linalg
    >>> x = Tensor([[2.0, 0.0], [1.0, 4.0]])
    >>> print(linalg.solve_triangular(x, Tensor([2.0, 9.0]), lower=True))
    [1. 2.]
    """
    name = "solve_triangular"
    check_one_of(trans, name, "trans", _TRANSPOSED)
    _flags(name, lower=lower, unit_diagonal=unit_diagonal)
    matrix, dtype = ops.matrices(name, a, "a", square=True)
    given = check_tensor(b, name, "b")
    columns = _columns(matrix, given)
    matrix, right, dtype = ops.right_hand_side(name, matrix, columns, "b", dtype)
    out = ops.solve_triangular(matrix, right, lower, _TRANSPOSED[trans], unit_diagonal)
    out = cast_to(out, dtype)
    return out if columns is given else reshape_to(out, out.shape[:-1])


# --- least squares ----------------------------------------------------------------------------

_DRIVERS = (None, "gels", "gelsy", "gelss", "gelsd")


def lstsq(
    A: Tensor, B: Tensor, rcond: float | None = None, driver: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The solution of ``A x = B`` with the least residual, of these the one of least norm, and what is known of it.

    By singular values, whatever the driver is, which only says what is given beside the solution, as in MindSpore.
    The derivative of the solution is that of `pinv`.

    Args:
        A: Tensor of shape [..., m, n], of real or complex numbers.
        B: Tensor of shape [..., m, k], or [..., m] with one dimension less than `A`, of the dtype of `A`.
        rcond: singular values up to this times the largest one are taken as zero; None is max(m, n) times the
            precision of the dtype.
        driver: "gels", "gelsy", "gelss" or "gelsd"; None is "gelsy".

    Returns:
        The solution of shape [..., n, k] or [..., n]. The sums of the squares of the residuals, of shape [..., k] or
        [...], for "gels", "gelss" and "gelsd" where m > n. The rank, an int64 of shape [...], but for "gels". The
        singular values, descending, of shape [..., min(m, n)], for "gelss" and "gelsd". What is not given is a Tensor
        without elements.

    Raises:
        TypeError: something that is not a Tensor of floating-point or complex elements, or two dtypes.
        ValueError: shapes that do not fit, a rank of `A` below 2, another driver.

    >>> from cellgrad.scipy import linalg
    >>> x = Tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    >>> solution, residual, rank, _ = linalg.lstsq(x, Tensor([1.0, 4.0, 5.0]), driver="gelss")
    >>> print(solution, residual, rank)
    [1. 2.] 25.0 2
    """
    check_one_of(driver, "lstsq", "driver", _DRIVERS)
    a, b = check_tensor(A, "lstsq", "A"), check_tensor(B, "lstsq", "B")
    if a.dtype != b.dtype:
        raise error(
            TypeError,
            f"For 'lstsq', 'A' and 'B' must have the same dtype, but got {a.dtype.title} and {b.dtype.title}.",
        )
    check_ndim(a, "lstsq", "A", at_least=2)
    columns = b[..., None] if b.ndim == a.ndim - 1 else b
    if columns.ndim != a.ndim or columns.shape[:-1] != a.shape[:-1]:
        raise error(
            ValueError,
            f"For 'lstsq', 'B' must have as many rows as 'A' and the same batch, but 'A' has shape {list(a.shape)} and "
            f"'B' {list(b.shape)}.",
        )
    if rcond is None:
        solution = spectral.lstsq(a, columns)
    else:
        solution = contractions.matmul(spectral.pinv(a, rtol=rcond), columns)
    m, n = a.shape[-2:]
    values = residual = selection.zeros((0,), mstype.real_of(a.dtype))
    rank = selection.zeros((0,), mstype.int64)
    if m > n and driver not in (None, "gelsy"):
        left = _generated.abs(contractions.matmul(a, solution) - columns)
        residual = reductions.sum(left * left, -2)
        residual = residual if b is columns else residual[..., 0]
    if driver != "gels":
        s = cast(Tensor, spectral.svd(a, compute_uv=False))
        share = max(m, n) * float(np.finfo(s.dtype.native).eps) if rcond is None else rcond
        limit = shapes.broadcast_to(s[..., :1] * share, s.shape)
        rank = reductions.sum(selection.cast(s > limit, mstype.int64), -1)
        values = s if driver in ("gelss", "gelsd") else values
    return solution if b is columns else solution[..., 0], residual, rank, values
