"""Cholesky and QR factors, determinants and exponentials of complex matrices.

Cholesky and QR are those of real matrices of twice the size in which each element a + ib is a block [[a, -b], [b, a]]:
their triangles are made of such blocks, whose diagonal is real, so derivatives are those of the real operations.
"""

from __future__ import annotations

import math
from typing import Any

from cellgrad.core.arguments import check_one_of
from cellgrad.core.record import emit, emit_several, splat
from cellgrad.core.tensor import Tensor
from cellgrad.ops import (
    _generated,
    _loops,
    contractions,
    creation,
    diagonals,
    extrema,
    joining,
    kinds,
    linalg,
    reductions,
    reflectors,
    selection,
    shapes,
    spectral,
)
from cellgrad.ops.complex_linalg import conjugate, embedded, first_columns, matrices
from cellgrad.ops.complex_rules import both_parts, complex_tensor
from cellgrad.ops.complex_spectra import attached


def _blocks(z: Tensor) -> Tensor:
    """The real matrices of blocks."""
    a, b = both_parts(z)
    rows = [joining.stack((a, _generated.neg(b)), -1), joining.stack((b, a), -1)]
    *lead, m, n = z.shape
    return shapes.reshape(joining.stack(rows, -3), (*lead, 2 * m, 2 * n))


def _part(x: Tensor, row: int, column: int) -> Tensor:
    """One element of each block."""
    starts, steps = [0] * (x.ndim - 2) + [row, column], [1] * (x.ndim - 2) + [2, 2]
    return emit("cell.slice", [x], {"starts": starts, "limits": list(x.shape), "strides": steps})


# --- Cholesky ---------------------------------------------------------------------------------------


def cholesky(input_x: Tensor, upper: bool = False) -> Tensor:
    """`ops.cholesky` of Hermitian matrices: ``L L^H``, or ``U^H U``. The mean of the input and its adjoint counts."""
    x = matrices("cholesky", input_x, "input_x", square=True)
    factor: Tensor = linalg.cholesky(_blocks(x))
    real, imag = _part(factor, 0, 0), _part(factor, 1, 0)
    low = complex_tensor(real, emit("cell.triangle", [imag], {"lower": True, "diagonal": -1}))
    return conjugate(low) if upper else low


# --- QR ---------------------------------------------------------------------------------------------


def _tall_qr(x: Tensor) -> tuple[Tensor, Tensor]:
    """Of at least as many rows as columns. Numbers, and the signs on the diagonal, are those of reflections; derivatives
    are those of the real factors, which exist for triangles, too.
    """
    y, tau = reflectors.geqrf(selection.stop_gradient(x))
    q, r = reflectors.orgqr(y, tau), diagonals.triu(joining.narrow(y, y.ndim - 2, 0, x.shape[-1]))
    u, t = emit_several("cell.qr", [_blocks(x)], {"complete": False})
    u_near = complex_tensor(_part(u, 0, 0), _part(u, 1, 0))
    r_near = complex_tensor(_part(t, 0, 0), _generated.neg(_part(t, 0, 1)))
    same = kinds.real(_diagonal(r)) * selection.stop_gradient(kinds.real(_diagonal(r_near))) >= 0
    signs = selection.select(same, 1.0, splat(-1.0, t.dtype, same.shape))
    return (
        attached(q, u_near * signs[..., None, :]),
        attached(r, diagonals.triu(r_near * signs[..., None])),
    )


def _diagonal(x: Tensor) -> Tensor:
    return diagonals.diagonal(x, 0, -2, -1)


def qr(input: Tensor, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    """`ops.qr` of complex matrices: the diagonal of r is real."""
    x = matrices("qr", input, "input")
    check_one_of(mode, "qr", "mode", ("reduced", "complete"), TypeError)
    *lead, m, n = x.shape
    if m == 0 or n == 0:
        columns = m if mode == "complete" else 0
        unit = shapes.broadcast_to(creation.eye(m, columns, x.dtype), (*lead, m, columns))
        return unit, selection.zeros((*lead, columns, n), x.dtype)
    if mode == "complete" and m > n:
        y, tau = reflectors.geqrf(x)
        unit = shapes.broadcast_to(creation.eye(m, m, x.dtype), (*lead, m, m))
        return reflectors.ormqr(y, tau, unit), diagonals.triu(y)
    if m >= n:
        return _tall_qr(x)
    q, r = _tall_qr(joining.narrow(x, x.ndim - 1, 0, m))
    others = contractions.matmul(conjugate(q), joining.narrow(x, x.ndim - 1, m, n - m))
    return q, joining.concat((r, others), -1)


# --- determinants -----------------------------------------------------------------------------------


def _pivots(x: Tensor) -> Tensor:
    """The pivots of Gaussian elimination of [B, n, n], the largest element of what is left each time, as [B, n]: their
    product is the determinant, with its sign.

    Where a pivot is 0, so is all that is left, and the first derivative of the product is right.
    """
    batch, n, _ = x.shape
    numbers = creation.arange(n)
    row, column = numbers[None, :, None], numbers[None, None, :]

    def exchanged(x: Tensor, here: Tensor, there: Tensor, axis: int) -> Tensor:
        nothing = selection.zeros_like(x)
        first = reductions.sum(selection.select(here, x, nothing), axis, True)
        second = reductions.sum(selection.select(there, x, nothing), axis, True)
        return selection.select(here, second, selection.select(there, first, x))

    def trip(k: Tensor, carried: Any) -> Any:
        x, found = carried
        size = _generated.abs(selection.stop_gradient(x))
        left = _generated.logical_and(row >= k, column >= k)
        place = extrema.argmax(
            shapes.reshape(selection.select(left, size, -1.0), (batch, n * n)), 1
        )
        i, j = place // n, place % n
        x = exchanged(x, row == k, row == i[:, None, None], 1)
        x = exchanged(x, column == k, column == j[:, None, None], 2)
        nothing = selection.zeros_like(x)
        top = reductions.sum(selection.select(row == k, x, nothing), 1, True)
        side = reductions.sum(selection.select(column == k, x, nothing), 2, True)
        pivot = reductions.sum(
            selection.select(column == k, top, selection.zeros_like(top)), 2, True
        )
        safe = selection.select(pivot == 0, selection.ones_like(pivot), pivot)
        after = x - (side / safe) * top
        x = selection.select(_generated.logical_and(row > k, column > k), after, x)
        odd = (i == k) != (j == k)
        signed = selection.select(odd[:, None], -pivot[:, 0], pivot[:, 0])
        return x, selection.select(numbers == k, signed, found)

    start = (x, selection.zeros((batch, n), x.dtype))
    if not n:
        return start[1]
    return _loops.ForiLoop()(0, n, trip, start)[1]


def _flat_pivots(op: str, value: Tensor) -> tuple[Tensor, Tensor]:
    x = matrices(op, value, "input", square=True)
    return x, _pivots(shapes.reshape(x, (math.prod(x.shape[:-2]), *x.shape[-2:])))


def det(input: Tensor) -> Tensor:
    """`ops.det` of complex matrices."""
    x, pivots = _flat_pivots("det", input)
    return shapes.reshape(_product(pivots), x.shape[:-2])


def _product(x: Tensor) -> Tensor:
    """Over the last dimension, in pairs: its derivative divides by nothing."""
    while x.shape[-1] > 1:
        n = x.shape[-1]
        half = n // 2
        pairs = joining.narrow(x, 1, 0, half) * joining.narrow(x, 1, half, half)
        x = joining.concat((pairs, joining.narrow(x, 1, n - 1, 1)), 1) if n % 2 else pairs
    return x if x.shape[-1] else selection.ones((x.shape[0], 1), x.dtype)


def slogdet(input: Tensor) -> tuple[Tensor, Tensor]:
    """`ops.slogdet` of complex matrices: a number of size 1, or 0, which has a gradient, and a real logarithm."""
    x, pivots = _flat_pivots("slogdet", input)
    size = _generated.abs(pivots)
    zero = size == 0
    sign = _product(pivots / selection.select(zero, 1.0, size))
    logarithm = reductions.sum(_generated.log(size), 1)
    return shapes.reshape(sign, x.shape[:-2]), shapes.reshape(logarithm, x.shape[:-2])


def logdet(input: Tensor) -> Tensor:
    """`ops.logdet` of complex matrices: the logarithm with the angle of the determinant in (-pi, pi]."""
    sign, logarithm = slogdet(input)
    return complex_tensor(logarithm, kinds.angle(sign))


# --- exponential ------------------------------------------------------------------------------------


def matrix_exp(input: Tensor) -> Tensor:
    """`ops.matrix_exp` of complex matrices."""
    x = matrices("matrix_exp", input, "input", square=True)
    return first_columns(spectral.matrix_exp(embedded(x))) if 0 not in x.shape else x
