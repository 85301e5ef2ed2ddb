"""Singular values and eigenvalues of matrices, and what is computed by them.

Matrices are the last two dimensions; all others are a batch. float16 and bfloat16 are computed in
float32. A matrix with an element that is infinite or NaN gives NaN. Vectors of values that are equal
may be turned: gradients of what does not depend on the choice have no part from their difference
(docs/derivatives.md).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import argument_error, check_bool
from cellgrad.core.record import (
    as_tensor,
    broadcast_to_shape,
    cast_to,
    check_tensor,
    emit,
    emit_several,
    is_number,
    operation,
    reshape_to,
    splat,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops._public import public
from cellgrad.ops.linalg import (
    flipped,
    identity,
    inverse,
    matrices,
    product,
    right_hand_side,
    singular_factors,
    singular_values,
)
from cellgrad.ops.selection import select
from cellgrad.ops.statistics import matrix_norm


def _constant(x: Tensor) -> Tensor:
    return emit("cell.stop_gradient", [x])


def _columns(x: Tensor, start: int, limit: int) -> Tensor:
    starts, limits = [0] * x.ndim, list(x.shape)
    starts[-1], limits[-1] = start, limit
    return emit("cell.slice", [x], {"starts": starts, "limits": limits, "strides": [1] * x.ndim})


def _scaled(x: Tensor, factors: Tensor) -> Tensor:
    """Columns times factors."""
    rows = broadcast_to_shape(
        reshape_to(factors, (*factors.shape[:-1], 1, factors.shape[-1])), x.shape
    )
    return emit("cell.mul", [x, rows])


# --- singular values --------------------------------------------------------------------------


@public(
    "ops.Svd(full_matrices=False, compute_uv=True)(x) = ops.svd(x, full_matrices) if compute_uv "
    "else (ops.svd(x, False, False), ops.zeros(1, x.dtype), ops.zeros(1, x.dtype))",
    "Tensor.svd",
)
@operation
def svd(
    input: Tensor, full_matrices: bool = False, compute_uv: bool = True
) -> Tensor | tuple[Tensor, Tensor, Tensor]:
    """Singular values, and vectors with ``input = u diag(s) v^T``.

    By rotations of the rows of the QR factor (Jacobi's method; Drmač and Veselić, 2008). Of the
    elements of a column of v that have at least 0.9 of the largest magnitude, the first is positive.

    Of complex matrices ``input = u diag(s) v^H``, and s is real.

    Args:
        input: Tensor of shape [..., m, n], of real or complex numbers.
        full_matrices: whether u and v are square, with additional columns that are orthogonal to
            the others.
        compute_uv: whether to give vectors.

    Returns:
        s of shape [..., k] with k = min(m, n), descending, u of shape [..., m, k] or [..., m, m], and
        v of shape [..., n, k] or [..., n, n]; or s alone.

    Raises:
        TypeError: something that is not a Tensor of floating-point or complex elements, or a flag that
            is not a bool.
        ValueError: a rank below 2.

    >>> s, u, v = ops.svd(Tensor([[0.0, 2.0], [3.0, 0.0]]))
    >>> print(s)
    [3. 2.]
    >>> print(ops.svd(Tensor([[0.0, 2.0], [3.0, 0.0]]), compute_uv=False))
    [3. 2.]

    >>> s, u, v = ops.Svd()(Tensor([[0.0, 2.0], [3.0, 0.0]]))
    >>> print(s)
    [3. 2.]
    """
    x, dtype = matrices("svd", input, "input")
    check_bool(full_matrices, "svd", "full_matrices")
    check_bool(compute_uv, "svd", "compute_uv")
    u, s, v = singular_factors(x)
    if not compute_uv:
        return cast_to(s, dtype)
    if full_matrices:
        u, v = _completed(u), _completed(v)
    return cast_to(s, dtype), cast_to(u, dtype), cast_to(v, dtype)


def _completed(q: Tensor) -> Tensor:
    """Orthonormal columns, and others that make a square matrix with them.

    A change of the former turns the latter no more than it must.
    """
    m, k = q.shape[-2:]
    if m == k:
        return q
    whole, _ = emit_several("cell.qr", [_constant(q)], {"complete": True})
    others = _columns(_constant(whole), k, m)
    rest = emit("cell.sub", [others, product(q, product(q, others, transpose_a=True))])
    turned, r = emit_several("cell.qr", [rest])
    # The triangular factor has 1 or -1 on its diagonal.
    signs = _constant(product(identity(r, m - k), emit("cell.mul", [r, identity(r, m - k)])))
    added = product(turned, signs)
    return emit("cell.concat", [q, added], {"dim": q.ndim - 1})


# --- pseudo-inverse and least squares ---------------------------------------------------------


def _limit(op: str, value: Any, name: str, s: Tensor) -> Tensor:
    """A tolerance as a tensor beside the singular values."""
    if not is_number(value) and not isinstance(value, Tensor):
        raise argument_error(TypeError, op, name, "a number or a Tensor", value)
    given = cast_to(as_tensor(value, op, s.dtype), s.dtype)
    if given.ndim:
        given = reshape_to(given, (*given.shape, 1))
    return broadcast_to_shape(given, s.shape)


def _largest(s: Tensor) -> Tensor:
    return broadcast_to_shape(_columns(s, 0, 1), s.shape)


def _pseudo_inverse(x: Tensor, b: Tensor | None, limit: Tensor | None, s: Any = None) -> Tensor:
    """The pseudo-inverse, times `b`; singular values up to the limit are taken as zero.

    At the matrix x0 with the factors u, s, v of the others, every x of the same rank near it is
    ``c k^-1 r`` with ``c = x v / s``, ``r = (u / s)^T x`` and ``k = (u / s)^T x v / s``, hence its
    pseudo-inverse is ``r^T (r r^T)^-1 k (c^T c)^-1 c^T`` (a skeleton decomposition; Goreinov,
    Tyrtyshnikov, Zamarashkin, 1997). With constant u, s and v this has all derivatives without
    quotients by differences of singular values. At x0 the matrices that are inverted are identities.
    """
    u, s, v = (_constant(t) for t in (singular_factors(x) if s is None else s))
    m, n = x.shape[-2:]
    if limit is None:
        precision = max(m, n) * float(np.finfo(x.dtype.native).eps)
        limit = ew.binary("cell.mul", _largest(s), precision)
    counts = ew.compare("cell.greater", s, limit)
    factors = select(counts, ew.binary("cell.div", 1.0, select(counts, s, 1.0)), 0.0)
    left, right = _scaled(u, factors), _scaled(v, factors)
    c = product(x, right)
    r = product(left, x, transpose_a=True)
    k = product(left, c, transpose_a=True)
    # Ones for what is taken as zero, whose columns in c and rows in r are zero.
    unit = identity(x, s.shape[-1])
    absent = _scaled(unit, select(counts, 0.0, splat(1.0, s.dtype, s.shape)))
    columns = emit("cell.add", [product(c, c, transpose_a=True), absent])
    rows = emit("cell.add", [product(r, r, transpose_b=True), absent])
    y = flipped(c) if b is None else product(c, b, transpose_a=True)
    y = product(k, emit("cell.solve", [columns, y]))
    return product(r, emit("cell.solve", [rows, y]), transpose_a=True)


@public()
@operation
def pinv(
    x: Tensor,
    *,
    atol: TensorLike | None = None,
    rtol: TensorLike | None = None,
    hermitian: bool = False,
) -> Tensor:
    """The pseudo-inverse, by singular values.

    The derivative is that for matrices of the same rank (Golub and Pereyra, 1973): a change that
    raises the rank has none.

    Args:
        x: Tensor of shape [..., m, n].
        atol: singular values up to this are taken as zero; a number, or a Tensor of one for each
            matrix. 0 by default.
        rtol: likewise, times the largest singular value. By default 0 with `atol`, otherwise
            max(m, n) times the precision of the dtype. The larger of both limits counts.
        hermitian: whether the matrices are symmetric, which makes no difference here.

    Returns:
        Tensor of shape [..., n, m].

    Raises:
        TypeError: something that is not a Tensor of floating-point elements, a tolerance that is
            neither a number nor a Tensor.
        ValueError: a rank below 2, matrices that are not square with `hermitian`.

    >>> print(ops.pinv(Tensor([[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]])))
    [[0.5  0.   0.  ]
     [0.   0.25 0.  ]]
    """
    a, dtype = matrices("pinv", x, "x", square=hermitian)
    factors = singular_factors(a)
    s = _constant(factors[1])
    if atol is None and rtol is None:
        return cast_to(_pseudo_inverse(a, None, None, factors), dtype)
    relative = emit(
        "cell.mul", [_limit("pinv", 0.0 if rtol is None else rtol, "rtol", s), _largest(s)]
    )
    absolute = _limit("pinv", 0.0 if atol is None else atol, "atol", s)
    limit = _constant(ew.binary("cell.maximum", absolute, relative))
    return cast_to(_pseudo_inverse(a, None, limit, factors), dtype)


@public("Tensor.lstsq")
@operation
def lstsq(input: Tensor, A: Tensor) -> Tensor:
    """The solution of ``input y = A`` with the least residual, and of these the one of least norm.

    By singular values; those up to max(m, n) times the precision of the dtype times the largest one
    are taken as zero. The derivative is that of `pinv`.

    Args:
        input: Tensor of shape [m, n].
        A: Tensor of shape [m, k] or [m].

    Returns:
        Tensor of shape [n, k]; [n, 1] for a vector.

    Raises:
        TypeError: something that is not a Tensor of floating-point elements.
        ValueError: shapes that do not fit.

    >>> x = Tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    >>> print(ops.lstsq(x, Tensor([[1.0], [4.0], [5.0]])))
    [[1.]
     [2.]]
    """
    x, dtype = matrices("lstsq", input, "input")
    right = check_tensor(A, "lstsq", "A")
    right = reshape_to(right, (*right.shape, 1)) if right.ndim == 1 else right
    x, b, dtype = right_hand_side("lstsq", x, right, "A", dtype)
    return cast_to(_pseudo_inverse(x, b, None), dtype)


# --- condition --------------------------------------------------------------------------------


@public()
@operation
def cond(A: Tensor, p: float | str | None = None) -> Tensor:
    """The condition number: the norm of each matrix times that of its inverse.

    Args:
        A: Tensor of shape [..., m, n], of square matrices unless `p` is None, 2 or -2.
        p: the norm, as in `matrix_norm`; None is 2. By singular values for 2, -2 and 'nuc': infinite
            for a matrix whose smallest singular value is zero.

    Returns:
        Tensor of shape [...].

    Raises:
        TypeError: something that is not a Tensor of floating-point elements.
        ValueError: matrices that are not square, a norm that matrices do not have.

    >>> print(ops.cond(Tensor([[2.0, 0.0], [0.0, 8.0]])))
    4.0
    """
    p = 2 if p is None else p
    x, dtype = matrices("cond", A, "A", square=p not in (2, -2))
    if p == "nuc":
        s = singular_values(x)
        dims = {"dims": [s.ndim - 1]}
        total = emit("cell.reduce_sum", [s], dims)
        inverses = emit("cell.reduce_sum", [ew.binary("cell.div", 1.0, s)], dims)
        return cast_to(emit("cell.mul", [total, inverses]), dtype)
    if p in (2, -2):
        s = singular_values(x)
        # Not the first and last one: equal ones share the derivative, whatever vectors they have.
        ends = [emit(f"cell.reduce_{end}", [s], {"dims": [s.ndim - 1]}) for end in ("max", "min")]
        return cast_to(emit("cell.div", ends if p == 2 else ends[::-1]), dtype)
    out = emit("cell.mul", [matrix_norm(x, p), matrix_norm(inverse(x), p)])
    return cast_to(out, dtype)


# --- symmetric matrices -----------------------------------------------------------------------


def eigh(x: Tensor, lower: bool) -> tuple[Tensor, Tensor]:
    """Eigenvalues, ascending, and eigenvectors by one triangle of matrices in float32 or float64."""
    w, v = emit_several("cell.eigh", [x if lower else flipped(x)])
    return w, v


# --- exponential ------------------------------------------------------------------------------

# Padé approximants of order 7 and 13, and norms up to which they have the precision of float32 and
# float64 (N. Higham, "The scaling and squaring method for the matrix exponential revisited", 2005).
_PADE_7 = (17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0)
_PADE_13 = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0,
    129060195264000.0, 10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0,
    40840800.0, 960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip
_LARGEST_NORM = {7: 3.925724783138660, 13: 5.371920351148152}
_SQUARINGS = 16


@public("ops.MatrixExp()(x)")
@operation
def matrix_exp(input: Tensor) -> Tensor:
    """The exponential of each matrix, by a Padé approximant, scaling and squaring (Higham, 2005).

    Args:
        input: Tensor of shape [..., n, n]. Where the largest sum of magnitudes in a column is above
            about 2.5e5, the result is NaN.

    Raises:
        TypeError: something that is not a Tensor of floating-point elements.
        ValueError: matrices that are not square.

    >>> print(ops.matrix_exp(Tensor([[0.0, 1.0], [0.0, 0.0]])))
    [[1. 1.]
     [0. 1.]]
    """
    x, dtype = matrices("matrix_exp", input, "input", square=True)
    if 0 in x.shape:
        return cast_to(x, dtype)
    coefficients = _PADE_7 if x.dtype.itemsize == 4 else _PADE_13
    norm = matrix_norm(_constant(x), 1, keepdims=True)
    halve = [
        ew.compare("cell.greater", norm, _LARGEST_NORM[len(coefficients) - 1] * 2.0**i)
        for i in range(_SQUARINGS + 1)
    ]
    factor = splat(1.0, x.dtype, norm.shape)
    for needed in halve[:-1]:
        factor = select(needed, ew.binary("cell.mul", factor, 0.5), factor)
    factor = select(halve[-1], float("nan"), factor)
    y = _pade(emit("cell.mul", [x, broadcast_to_shape(factor, x.shape)]), coefficients)
    for needed in halve[:-1]:
        y = select(broadcast_to_shape(needed, x.shape), product(y, y), y)
    return cast_to(y, dtype)


def _pade(x: Tensor, coefficients: tuple[float, ...]) -> Tensor:
    """``(v - u)^-1 (v + u)`` with the odd powers u and the even powers v."""
    unit = identity(x, x.shape[-1])
    square = product(x, x)
    powers = [unit, square, product(square, square)]
    powers.append(product(powers[2], square))

    def total(of: tuple[float, ...], some: list[Tensor]) -> Tensor:
        terms = [ew.binary("cell.mul", p, c) for p, c in zip(some, of, strict=True)]
        out = terms[0]
        for term in terms[1:]:
            out = emit("cell.add", [out, term])
        return out

    def polynomial(of: tuple[float, ...]) -> Tensor:
        """In the square of x; powers above the sixth of x are products with that."""
        low = total(of[:4], powers)
        if len(of) == 4:
            return low
        return emit("cell.add", [low, product(powers[3], total(of[4:], powers[1:]))])

    u = product(x, polynomial(coefficients[1::2]))
    v = polynomial(coefficients[0::2])
    return emit("cell.solve", [emit("cell.sub", [v, u]), emit("cell.add", [v, u])])
