"""Eigenvalues and eigenvectors of general matrices, which are complex.

Matrices are the last two dimensions; all others are a batch. Values are computed in complex128: the matrix is made
triangular by unitary matrices (Hessenberg form, then the QR algorithm with Wilkinson's shifts; Golub and Van Loan,
Matrix Computations, 7.4 and 7.5), whose loops have no derivative. What has one is `_refined`: steps of Newton's method
at the solution.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import argument_error, check_ndim
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor, complex_forms, emit, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import (
    _generated,
    _loops,
    contractions,
    creation,
    cumulative,
    diagonals,
    extrema,
    joining,
    kinds,
    linalg,
    reductions,
    selection,
    shapes,
)
from cellgrad.ops._public import public

_EPS = float(np.finfo(np.float64).eps)
_TINY = float(np.finfo(np.float64).tiny)
# Sweeps for each eigenvalue, after which a matrix gives NaN; LAPACK's limit.
_SWEEPS = 30
# After this many sweeps without an eigenvalue, another shift.
_STUCK = 10


def _squares(op: str, value: Any, name: str) -> Tensor:
    x = check_tensor(value, op, name)
    if x.dtype.kind not in "fc" or x.dtype.itemsize == 2:
        raise argument_error(
            TypeError, op, name, "a Tensor of float32, float64, complex64 or complex128", x
        )
    check_ndim(x, op, name, at_least=2)
    if x.shape[-1] != x.shape[-2]:
        raise error(
            ValueError,
            f"For '{op}', '{name}' must hold square matrices in its last two dimensions, but got shape "
            f"{list(x.shape)}.",
        )
    return x


def _eye(n: int) -> Tensor:
    return creation.eye(n, n, mstype.complex128)


# --- the triangular form: matrices of shape [n, n, B], so that a row or column is one slice ---------


def _slice(x: Tensor, i: Tensor, dim: int = 0) -> Tensor:
    """Slice i, which is within bounds."""
    shape = (*x.shape[:dim], *x.shape[dim + 1 :])
    return emit("cell.gather", [x, i], {"dim": dim, "batch_dims": 0}, x.dtype, shape)


def _with_slice(x: Tensor, i: Tensor, value: Tensor, dim: int = 0) -> Tensor:
    attrs = {"dim": dim, "batch_dims": 0, "combine": "set"}
    return emit("cell.scatter", [x, i, value], attrs, x.dtype, x.shape)


def _numbers(n: int, dims: int) -> Tensor:
    """The numbers of the first dimension's elements."""
    return shapes.reshape(creation.arange(n), (n, *[1] * (dims - 1)))


def _size2(z: Tensor) -> Tensor:
    re, im = kinds.real(z), kinds.imag(z)
    return re * re + im * im


def _phase(z: Tensor) -> Tensor:
    """z / |z|; 1 of 0."""
    size = _generated.abs(z)
    zero = size == 0
    return selection.select(zero, selection.ones_like(z), z / selection.select(zero, 1.0, size))


def _hessenberg(x: Tensor) -> tuple[Tensor, Tensor]:
    """q and h with ``x = q h q^H`` and h without elements below the first subdiagonal, by reflections."""
    n = x.shape[0]
    number = _numbers(n, 2)

    def trip(k: Tensor, carried: Any) -> Any:
        h, q = carried
        column = _slice(h, k, 1)
        v = selection.select(number > k, column, selection.zeros_like(column))
        norm = _generated.sqrt(reductions.sum(_size2(v), 0))
        first = _phase(_slice(v, k + 1)) * norm
        v = v + selection.select(
            number == k + 1, shapes.broadcast_to(first, v.shape), selection.zeros_like(v)
        )
        length = reductions.sum(_size2(v), 0)
        factor = selection.select(length > 0, 2.0 / selection.select(length > 0, length, 1.0), 0.0)
        down, across, turned = v[:, None], v[None], kinds.conj(v)
        h = h - down * (factor * reductions.sum(turned[:, None] * h, 0))[None]
        h, q = (
            y - (factor * reductions.sum(y * across, 1))[:, None] * turned[None] for y in (h, q)
        )
        return h, q

    start = (x, shapes.broadcast_to(_eye(n)[:, :, None], x.shape))
    h, q = _loops.ForiLoop()(0, max(n - 2, 0), trip, start) if n > 2 else start
    below = _numbers(n, 3) > shapes.reshape(creation.arange(n), (1, n, 1)) + 1
    return selection.select(below, selection.zeros_like(h), h), q


def _shift(h: Tensor, at: Tensor, stuck: Tensor) -> Tensor:
    """Of the eigenvalues of two rows and columns that end `at` a number, that nearer to the last element."""
    n = h.shape[0]
    number = _numbers(n - 1, 2)

    def element(offset: int, last: bool = False) -> Tensor:
        line = shapes.swapaxes(diagonals.diagonal(h, offset, 0, 1), 0, 1)
        line = line[1:] if last else line[: n - 1]
        return reductions.sum(
            selection.select(number == at - 1, line, selection.zeros_like(line)), 0
        )

    a, b, c, d = element(0), element(1), element(-1), element(0, True)
    half = (a - d) * 0.5
    root = _generated.sqrt(half * half + b * c)
    plus, minus = half + root, half - root
    larger = selection.select(_size2(plus) >= _size2(minus), plus, minus)
    none = _size2(larger) == 0
    near = d - b * c / selection.select(none, selection.ones_like(larger), larger)
    near = selection.select(none, d, near)
    return selection.select(stuck, d + _generated.abs(c), near)


def _sweep(h: Tensor, q: Tensor, shift: Tensor) -> tuple[Tensor, Tensor]:
    """One step of the QR algorithm: rotations of rows, then the same of columns."""
    n = h.shape[0]
    moved = _eye(n)[:, :, None] * shift

    def rows(k: Tensor, carried: Any) -> Any:
        r, cosines, sines = carried
        upper, lower = _slice(r, k), _slice(r, k + 1)
        a, b = _slice(upper, k), _slice(lower, k)
        size = _generated.sqrt(_size2(a) + _size2(b))
        none = size == 0
        size = selection.select(none, 1.0, size)
        c = selection.select(none, selection.ones_like(a), a / size)
        s = b / size
        r = _with_slice(r, k, kinds.conj(c) * upper + kinds.conj(s) * lower)
        r = _with_slice(r, k + 1, c * lower - s * upper)
        return r, _with_slice(cosines, k, c), _with_slice(sines, k, s)

    none = selection.zeros((n - 1, h.shape[2]), mstype.complex128)
    r, cosines, sines = _loops.ForiLoop()(0, n - 1, rows, (h - moved, none, none))

    def columns(k: Tensor, carried: Any) -> Any:
        c, s = _slice(cosines, k), _slice(sines, k)
        turned = []
        for y in carried:
            left, right = _slice(y, k, 1), _slice(y, k + 1, 1)
            y = _with_slice(y, k, c * left + s * right, 1)
            turned.append(_with_slice(y, k + 1, kinds.conj(c) * right - kinds.conj(s) * left, 1))
        return tuple(turned)

    r, q = _loops.ForiLoop()(0, n - 1, columns, (r, q))
    return r + moved, q


def _triangular(x: Tensor) -> tuple[Tensor, Tensor]:
    """q and t with ``x = q t q^H``: q unitary, t with nothing below its diagonal (Schur's form)."""
    n = x.shape[0]
    h, q = _hessenberg(x)
    if n < 2:
        return h, q
    number = _numbers(n - 1, 2)
    rows, columns = _numbers(n, 3), shapes.reshape(creation.arange(n), (1, n, 1))

    def cleared(h: Tensor) -> tuple[Tensor, Tensor]:
        """Without subdiagonal elements that are lost in rounding, and where the last of the others is."""
        on, under = (shapes.swapaxes(diagonals.diagonal(h, k, 0, 1), 0, 1) for k in (0, -1))
        size = _generated.abs(on)
        around = size[1:] + size[:-1]
        around = selection.select(around == 0, 1.0, around)
        stays = _generated.abs(under) > _EPS * around + _TINY
        last = extrema.max(
            selection.select(stays, shapes.broadcast_to(number + 1, stays.shape), 0), 0
        )[0]
        kept = joining.concat((stays[:1], stays), 0)[:, None]
        gone = _generated.logical_and(rows == columns + 1, _generated.logical_not(kept))
        return selection.select(gone, selection.zeros_like(h), h), last

    def going(carried: Any) -> Tensor:
        last, trips = carried[2], carried[4]
        return _generated.logical_and(extrema.max(last)[0] > 0, trips < _SWEEPS * n)

    def trip(carried: Any) -> Any:
        h, q, last, since, trips = carried
        stuck = _generated.floor_mod(since, _STUCK) == _STUCK - 1
        h, q = _sweep(h, q, _shift(h, _generated.maximum(last, 1), stuck))
        h, after = cleared(h)
        return h, q, after, selection.select(after == last, since + 1, 0), trips + 1

    h, last = cleared(h)
    start = (h, q, last, selection.zeros_like(last), Tensor(0))
    h, q, last, *_ = _loops.WhileLoop()(going, trip, start)
    failed = last > 0
    h, q = (selection.select(failed, selection.full_like(y, float("nan")), y) for y in (h, q))
    return selection.select(rows > columns, selection.zeros_like(h), h), q


def _vectors(t: Tensor) -> Tensor:
    """The eigenvectors of triangular matrices, from their last elements up."""
    n = t.shape[0]
    w = shapes.swapaxes(diagonals.diagonal(t, 0, 0, 1), 0, 1)
    number = _numbers(n, 2)

    def trip(k: Tensor, x: Tensor) -> Tensor:
        i = n - 2 - k
        row = _slice(t, i)
        right = selection.select(number > i, row, selection.zeros_like(row))
        against = w - _slice(row, i)
        # Equal eigenvalues without vectors of their own have almost the same one.
        near = _generated.abs(against) < _EPS
        against = selection.select(near, selection.full_like(against, _EPS), against)
        found = reductions.sum(right[:, None] * x, 0) / against
        kept = selection.select(number > i, found, selection.zeros_like(found))
        return _with_slice(x, i, selection.select(number == i, selection.ones_like(kept), kept))

    start = shapes.broadcast_to(_eye(n)[:, :, None], t.shape)
    return _loops.ForiLoop()(0, n - 1, trip, start) if n > 1 else start  # type: ignore[no-any-return]


# --- values, and their derivatives ------------------------------------------------------------------


def _decomposed(a: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues and vectors of complex128 matrices, without a derivative."""
    lead, n = a.shape[:-2], a.shape[-1]
    x = shapes.transpose(shapes.reshape(selection.stop_gradient(a), (-1, n, n)), (1, 2, 0))
    largest = extrema.max(extrema.max(_generated.abs(x), 0)[0], 0)[0]
    scale = selection.select(largest > 0, largest, 1.0)
    t, q = _triangular(x / scale)
    w = diagonals.diagonal(t, 0, 0, 1) * scale[:, None]
    v = contractions.matmul(*(shapes.transpose(y, (2, 0, 1)) for y in (q, _vectors(t))))
    return shapes.reshape(w, (*lead, n)), shapes.reshape(v, a.shape)


def _normed(v: Tensor, like: Tensor) -> Tensor:
    """Columns of length 1. Of those elements of a column of `like` that have at least 0.9 of the largest magnitude,
    the first becomes positive.
    """
    size = _generated.abs(like)
    large = size >= 0.9 * reductions.amax(size, -2, True)
    first = _generated.logical_and(large, cumulative.cumsum(large.astype(mstype.int32), -2) == 1)
    chosen = reductions.sum(selection.select(first, v, selection.zeros_like(v)), -2, keepdim=True)
    norm = _generated.sqrt(reductions.sum(_size2(v), -2, keepdim=True))
    return v / (_phase(chosen) * norm)


def _refined(a: Tensor, w: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues and vectors near those of `a` as a function of `a`: exact up to derivatives of order 7.

    With v at the solution, m = v^-1 a v is diagonal, and v (1 + z) with z_ij = m_ij / (m_jj - m_ii) makes a matrix
    near it diagonal up to the square of what was left.
    """
    n = a.shape[-1]
    one = _eye(n)
    off = 1.0 - kinds.real(one)
    diagonal = diagonals.diag_embed(w)
    for _ in range(3):
        m = linalg.matrix_solve(v, contractions.matmul(a, v))
        m = m - selection.stop_gradient(m) + diagonal
        values = diagonals.diagonal(m, 0, -2, -1)
        gaps = values[..., None, :] - values[..., None] + one
        v = contractions.matmul(v, one + m * off / gaps)
    return values, v


def _attached(value: Tensor, near: Tensor, a: Tensor) -> Tensor:
    """`value` with the derivatives of `near`; NaN as derivative where `near` is no number."""
    known = _generated.isfinite(selection.stop_gradient(near))
    none = _generated.sqrt(0.0 * reductions.sum(kinds.real(a) + kinds.imag(a), (-2, -1)))
    none = shapes.reshape(none, (*none.shape, *[1] * (value.ndim - none.ndim)))
    zero = selection.zeros_like(value)
    slope = selection.select(known, near - selection.stop_gradient(near), zero + none)
    return value + slope


def _eigen(op: str, value: Any, vectors: bool) -> tuple[Tensor, Tensor]:
    given = _squares(op, value, "A")
    small = given.dtype in (mstype.float32, mstype.complex64)
    dtype = mstype.complex64 if small else mstype.complex128
    a = selection.cast(given, mstype.complex128)
    w, v = _decomposed(a)
    v = _normed(v, v)
    w_near, v_near = _refined(a, w, v)
    found = _attached(w, w_near, a)
    if vectors:
        v = _attached(v, _normed(v_near, v), a)
    return selection.cast(found, dtype), selection.cast(v, dtype)


@public("Tensor.eigvals")
@operation
def eigvals(A: Tensor) -> Tensor:
    """The eigenvalues of each matrix, in no particular order.

    By the QR algorithm, in complex128; those of real matrices have imaginary parts of the order of rounding, or come in
    pairs. The derivative is that of simple eigenvalues (Magnus, 1985): NaN or infinite where two are equal.

    Args:
        A: Tensor of shape [..., n, n], of float32, float64, complex64 or complex128.

    Returns:
        Tensor of shape [..., n], complex64 or complex128.

    Raises:
        TypeError: something that is not a Tensor of these dtypes.
        ValueError: matrices that are not square.

    >>> print(ops.real(ops.eigvals(Tensor([[1.0, 3.0], [0.0, 2.0]]))))
    [1. 2.]
    """
    return _eigen("eigvals", A, False)[0]


@public(
    "ops.Eig(compute_v=False)(A) = ops.eig(A) if compute_v else (ops.eigvals(A), ops.eigvals(A))",
)
@operation
def eig(A: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues of each matrix, and vectors of length 1 as columns, with ``A v = v * w``.

    See `eigvals`. Of the elements of a vector that have at least 0.9 of the largest magnitude, the first is positive;
    derivatives are those of vectors that are chosen so. A matrix without as many vectors as rows gives vectors that are
    almost the same, and derivatives that mean nothing.

    Args:
        A: Tensor of shape [..., n, n], of float32, float64, complex64 or complex128.

    Returns:
        the eigenvalues, of shape [..., n], and the vectors, [..., n, n], both complex64 or complex128.

    Raises:
        TypeError: something that is not a Tensor of these dtypes.
        ValueError: matrices that are not square.

    >>> w, v = ops.eig(Tensor([[1.0, 0.0], [0.0, 2.0]]))
    >>> print(ops.real(w))
    [1. 2.]
    """
    return _eigen("eig", A, True)


for _name in ("eig", "eigvals"):
    complex_forms[f"eigenvalues.{_name}"] = True
