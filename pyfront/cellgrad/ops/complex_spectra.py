"""Singular values and eigenvalues of complex matrices, by those of real ones of twice the size.

A + iB stands for [[A, -B], [B, A]], whose values come in equal pairs: the two real vectors of a pair are one complex
vector, times 1 and i. So values, and vectors of values that differ, are those of the real operation, with its
derivatives. Vectors of equal values are chosen from the real ones by the Gram-Schmidt method; they have no derivative,
as real ones have none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import check_bool
from cellgrad.core.record import check_tensor, emit, emit_several
from cellgrad.core.tensor import Tensor
from cellgrad.ops import (
    _generated,
    _loops,
    contractions,
    creation,
    cumulative,
    joining,
    kinds,
    linalg,
    reductions,
    selection,
    shapes,
    spectral,
    statistics,
)
from cellgrad.ops.complex_linalg import conjugate, embedded, first_columns, matrices
from cellgrad.ops.complex_rules import both_parts, complex_tensor


def _of_pairs(x: Tensor) -> Tensor:
    """The first of each pair of numbers in the last dimension."""
    starts, steps = [0] * x.ndim, [1] * (x.ndim - 1) + [2]
    return emit("cell.slice", [x], {"starts": starts, "limits": list(x.shape), "strides": steps})


def _means(x: Tensor) -> Tensor:
    """The means of pairs: where more than two values are equal, their sum has the derivative by all vectors."""
    return reductions.mean(shapes.reshape(x, (*x.shape[:-1], x.shape[-1] // 2, 2)), -1)


def _complex_rows(x: Tensor) -> Tensor:
    """Columns [re, im] as complex ones."""
    n = x.shape[-2] // 2
    return complex_tensor(*joining.split(x, n, -2)) if n else complex_tensor(x, x)


def _squares(z: Tensor) -> Tensor:
    re, im = both_parts(z)
    return re * re + im * im


# --- vectors of equal values ------------------------------------------------------------------------


def _orthonormal(given: Tensor, beside: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """`count` orthonormal columns among [B, m, c] by the Gram-Schmidt method, in order, twice for each; and what columns
    `beside` become by the same steps.

    A column counts if a part of it of more than 1 / (2 c) is not in the others: where the squares of what is left of all
    columns add up to 1 or more, as they do of those given here until there are enough, at least one is larger.
    """
    batch, m, columns = given.shape
    least = 0.5 / max(columns, 1)
    numbers = creation.arange(count)

    def trip(j: Tensor, carried: Any) -> Any:
        basis, others, filled = carried
        attrs = {"dim": 2, "batch_dims": 0}
        x = emit("cell.gather", [given, j], attrs, given.dtype, (batch, m))[:, :, None]
        y = emit("cell.gather", [beside, j], attrs, beside.dtype, (batch, beside.shape[1]))
        y = y[:, :, None]
        for _ in range(2):
            part = contractions.matmul(conjugate(basis), x)
            x, y = x - contractions.matmul(basis, part), y - contractions.matmul(others, part)
        square = reductions.sum(_squares(x), 1, True)
        counts = _generated.logical_and(square > least, filled < count)
        length = _generated.sqrt(selection.select(counts, square, 1.0))
        here = _generated.logical_and(numbers == filled, counts)
        place = selection.select(here, selection.ones_like(length), 0.0) / length
        added = counts[:, :, 0].astype(mstype.int64)[:, :, None]
        return basis + x * place, others + y * place, filled + added

    kind = given.dtype
    start = (
        selection.zeros((batch, m, count), kind),
        selection.zeros((batch, beside.shape[1], count), kind),
        selection.zeros((batch, 1, 1), mstype.int64),
    )
    basis, others, _ = _loops.ForiLoop()(0, columns, trip, start)
    return basis, others


def _turned(like: Tensor) -> Tensor:
    """Factors of size 1 for the columns, [..., 1, n]: of those elements of a column that have at least 0.9 of the largest
    magnitude, the first becomes positive.
    """
    size = selection.stop_gradient(_generated.abs(like))
    large = size >= 0.9 * reductions.amax(size, -2, True)
    first = _generated.logical_and(large, cumulative.cumsum(large.astype(mstype.int32), -2) == 1)
    chosen = reductions.sum(selection.select(first, like, selection.zeros_like(like)), -2, True)
    return kinds.conj(chosen) / _generated.abs(chosen)


def attached(value: Tensor, near: Tensor) -> Tensor:
    """`value`, which has no derivative, with that of `near`."""
    return value + (near - selection.stop_gradient(near))


def _flat(x: Tensor) -> Tensor:
    return shapes.reshape(selection.stop_gradient(x), (-1, *x.shape[-2:]))


# --- eigenvalues ------------------------------------------------------------------------------------


def eigh(x: Tensor, lower: bool) -> tuple[Tensor, Tensor]:
    """Eigenvalues, ascending, and eigenvectors by one triangle of Hermitian matrices."""
    x = matrices("eigh", x, "a", square=True)
    a, b = both_parts(x if lower else conjugate(x))
    n = x.shape[-1]
    below = emit("cell.triangle", [b], {"lower": True, "diagonal": -1})
    imag = below - shapes.swapaxes(below, -1, -2)
    w, v = emit_several("cell.eigh", [embedded(complex_tensor(a, imag))], {"paired": True})
    if not n:
        return w, x
    all_vectors = _complex_rows(v)
    flat = _flat(all_vectors)
    found, _ = _orthonormal(flat, flat, n)
    near = _of_pairs_of_columns(v)
    vectors = attached(shapes.reshape(found, near.shape), near)
    return _means(w), vectors * _turned(vectors)


def _of_pairs_of_columns(v: Tensor) -> Tensor:
    return _complex_rows(_of_pairs(v))


# --- singular values --------------------------------------------------------------------------------


def singular_values(x: Tensor) -> Tensor:
    """Of complex matrices, descending; they are real."""
    return _means(emit_several("cell.svd", [embedded(x)], {"paired": True})[1])


def _tall_factors(x: Tensor, full: bool, wide: bool) -> tuple[Tensor, Tensor, Tensor]:
    """s, u and v of at least as many rows as columns; of a `wide` matrix that was turned, u becomes its v."""
    m, n = x.shape[-2:]
    u, s, v = emit_several("cell.svd", [embedded(x)], {"paired": True})
    s_near, u_near, v_near = _means(s), _of_pairs_of_columns(u), _of_pairs_of_columns(v)
    right, left = _orthonormal(_flat(_complex_rows(v)), _flat(_complex_rows(u)), n)
    # Vectors of zeros have nothing to do with each other: those of u are found among the axes.
    values = shapes.reshape(selection.stop_gradient(s_near), (-1, 1, n))
    limit = values[:, :, :1] * (2 * m * float(np.finfo(s.dtype.native).eps))
    left = selection.select(
        shapes.broadcast_to(values > limit, left.shape), left, selection.zeros_like(left)
    )
    axes = selection.cast(creation.eye(m, m, s.dtype), x.dtype)
    axes = shapes.broadcast_to(axes, (left.shape[0], m, m))
    candidates = joining.concat((left, axes), 2)
    columns = m if full else n
    left, _ = _orthonormal(candidates, candidates, columns)
    left = shapes.reshape(left, (*x.shape[:-2], m, columns))
    thin = attached(left[..., :n], u_near)
    vectors = attached(shapes.reshape(right, v_near.shape), v_near)
    factors = _turned(thin if wide else vectors)
    thin, vectors = thin * factors, vectors * factors
    if columns > n:
        others = _others(thin, left[..., n:])
        thin = joining.concat((thin, others * _turned(others)), -1)
    return s_near, thin, vectors


def _others(q: Tensor, rest: Tensor) -> Tensor:
    """The columns `rest`, which are orthonormal and orthogonal to q, with the derivatives of some that stay so: what q
    leaves of them, made orthonormal by steps of Newton's method (Higham, "Functions of matrices", 8.3), each of which is
    right for twice as many derivatives.
    """
    y = rest - contractions.matmul(q, contractions.matmul(conjugate(q), rest))
    for _ in range(2):
        y = 1.5 * y - 0.5 * contractions.matmul(y, contractions.matmul(conjugate(y), y))
    return attached(rest, y)


def svd(
    input: Tensor, full_matrices: bool = False, compute_uv: bool = True
) -> Tensor | tuple[Tensor, Tensor, Tensor]:
    """`ops.svd` of complex matrices, with ``input = u diag(s) v^H``."""
    x = matrices("svd", input, "input")
    check_bool(full_matrices, "svd", "full_matrices")
    if not check_bool(compute_uv, "svd", "compute_uv"):
        return singular_values(x)
    m, n = x.shape[-2:]
    if m >= n:
        return _tall_factors(x, full_matrices, wide=False)
    s, v, u = _tall_factors(conjugate(x), full_matrices, wide=True)
    return s, u, v


# --- what is computed by them -----------------------------------------------------------------------


def _precision(x: Tensor) -> float:
    return max(x.shape[-2:]) * float(np.finfo(mstype.real_of(x.dtype).native).eps)


def pinv(x: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Tensor:
    """`ops.pinv` of complex matrices."""
    z = matrices("pinv", x, "x", square=hermitian)
    if atol is None and rtol is None:
        rtol = _precision(z)
    return first_columns(spectral.pinv(embedded(z), atol=atol, rtol=rtol))


def lstsq(input: Tensor, A: Tensor) -> Tensor:
    """`ops.lstsq` of complex matrices, or of a complex right-hand side."""
    x, b = matrices("lstsq", input, "input"), check_tensor(A, "lstsq", "A")
    dtype = mstype.promote(x.dtype, b.dtype)
    x, b = selection.cast(x, dtype), selection.cast(b, dtype)
    b = shapes.reshape(b, (*b.shape, 1)) if b.ndim == 1 else b
    return first_columns(spectral.lstsq(embedded(x), embedded(b)))


def cond(A: Tensor, p: float | str | None = None) -> Tensor:
    """`ops.cond` of complex matrices."""
    p = 2 if p is None else p
    x = matrices("cond", A, "A", square=p not in (2, -2))
    if p == "nuc":
        s = singular_values(x)
        return reductions.sum(s, -1) * reductions.sum(1.0 / s, -1)
    if p in (2, -2):
        s = singular_values(x)
        most, least = reductions.amax(s, -1), reductions.amin(s, -1)
        return most / least if p == 2 else least / most
    return statistics.matrix_norm(x, p) * statistics.matrix_norm(linalg.inverse(x), p)


def norm_of_values(A: Tensor, order: Any, axes: tuple[int, int], keep: bool) -> Tensor:
    """The sum, largest or smallest of the singular values of matrices in two dimensions."""
    others = [i for i in range(A.ndim) if i not in axes]
    s = singular_values(shapes.transpose(A, (*others, *axes)))
    out = (
        reductions.sum(s, -1)
        if order == "nuc"
        else (reductions.amax if order == 2 else reductions.amin)(s, -1)
    )
    kept = tuple(1 if i in axes else n for i, n in enumerate(A.shape))
    return shapes.reshape(out, kept) if keep else out
