"""Discrete Fourier transforms as tensor operations: products with small matrices, and twiddle factors.

A transform of length n = p m is one of length p along rows, a product with twiddle factors, and one of length m along
columns (Cooley and Tukey, 1965); p is a product of primes up to about 32. Lengths with a larger prime
factor than `_LARGEST` are convolutions of a length that is a power of two (Bluestein, 1970). All factors are
constants, computed in float64 of angles whose whole turns are taken off exactly.

Data is one real tensor of shape [batch, 2, n]: real parts, then imaginary parts. A product with a real
matrix of twice the length is one of complex numbers.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from cellgrad.core.dtype import Type
from cellgrad.core.record import broadcast_to_shape, emit, reshape_to
from cellgrad.core.tensor import Tensor
from cellgrad.ops._static import known

_RADIX = 32  # lengths of the small transforms, as products of primes
_LARGEST = 64  # prime factor that is a small transform of its own

Pair = tuple[Tensor, Tensor]


def _roots(exponents: np.ndarray[Any, Any], n: int, sign: int) -> np.ndarray[Any, Any]:
    """``exp(sign 2 pi i k / n)``, each from the nearest eighth of a turn: of angles up to pi / 4."""
    k = exponents % n
    eighth = (8 * k + n // 2) // n  # the nearest one
    rest = (8 * k - eighth * n) * (np.pi / 4 / n)
    half = np.sqrt(0.5)
    turns = np.array([1, half + half * 1j, 1j, -half + half * 1j], complex)
    turns = np.concatenate([turns, -turns, turns[:1]])
    found: np.ndarray[Any, Any] = turns[eighth] * (np.cos(rest) + 1j * np.sin(rest))
    quarter = eighth % 2 == 0  # exact: these turns exchange the parts and their signs
    exact = np.array([1, 1j, -1, -1j, 1])[eighth // 2] * (np.cos(rest) + 1j * np.sin(rest))
    found = np.where(quarter, exact, found)
    return found if sign > 0 else found.conj()


def _primes(n: int) -> list[int]:
    out = []
    p = 2
    while p * p <= n:
        while n % p == 0:
            out.append(p)
            n //= p
        p += 1
    return [*out, n] if n > 1 else out


@functools.lru_cache(256)
def radices(n: int) -> tuple[int, ...]:
    """The lengths of the small transforms whose product is n; none where n has a large prime factor."""
    if n <= _LARGEST:
        return (n,)
    primes = _primes(n)
    if primes[-1] > _LARGEST:
        return ()
    out: list[int] = []
    for p in reversed(primes):
        fits = [i for i, r in enumerate(out) if r * p <= _RADIX]
        if fits:
            out[min(fits, key=lambda i: out[i])] *= p
        else:
            out.append(p)
    return tuple(sorted(out, reverse=True))


@functools.lru_cache(256)
def _matrix(p: int, sign: int, real_in: bool, real_out: bool) -> np.ndarray[Any, Any]:
    """The transform of length p, of parts one after the other: [parts in and p, parts out and p]."""
    k = np.arange(p)
    w = _roots(np.outer(k, k), p, sign)
    rows = [np.hstack([w.real, w.imag]), np.hstack([-w.imag, w.real])]
    full = np.vstack(rows[:1] if real_in else rows)
    return full[:, :p] if real_out else full


def part(x: Tensor, i: int) -> Tensor:
    """Real (0) or imaginary (1) parts of data: [batch, 2, ...] to [batch, ...]."""
    region = {
        "starts": [0, i] + [0] * (x.ndim - 2),
        "limits": [x.shape[0], i + 1, *x.shape[2:]],
        "strides": [1] * x.ndim,
    }
    return reshape_to(emit("cell.slice", [x], region), (x.shape[0], *x.shape[2:]))


def _times(x: Pair, factors: np.ndarray[Any, Any], dtype: Type) -> Pair:
    """Products with constants, of the trailing dimensions."""
    a, b = x
    c, d = (broadcast_to_shape(known(f, dtype), a.shape) for f in (factors.real, factors.imag))
    real = emit("cell.sub", [emit("cell.mul", [a, c]), emit("cell.mul", [b, d])])
    return real, emit("cell.add", [emit("cell.mul", [a, d]), emit("cell.mul", [b, c])])


def _joined(parts: Pair, dim: int) -> Tensor:
    """Both parts, along a new dimension."""
    shape = parts[0].shape
    listed = [reshape_to(x, (*shape[:dim], 1, *shape[dim:])) for x in parts]
    return emit("cell.concat", listed, {"dim": dim})


def transform(x: Tensor, sign: int, real_out: bool = False) -> Tensor:
    """``sum_j x[j] exp(sign 2 pi i j k / n)`` for each k.

    Args:
        x: [batch, parts, n] of float32 or float64, with one part where the data is real.
        real_out: whether only the real parts of the result are wanted.

    Returns:
        [batch, parts, n], one part if they are wanted.
    """
    n = x.shape[2]
    lengths = radices(n)
    if not lengths:
        return _by_convolution(x, sign, real_out)
    batch, dtype = x.shape[0], x.dtype
    rest, done = n, 1
    for p in lengths[:-1]:
        parts, rest = x.shape[1], rest // p
        matrix = known(_matrix(p, sign, parts == 1, False).T, dtype)
        rows = reshape_to(x, (batch * done, parts * p, rest))
        y = emit("cell.matmul", [broadcast_to_shape(matrix, (batch * done, *matrix.shape)), rows])
        y = reshape_to(y, (batch * done, 2, p, rest))
        turned = _roots(np.outer(np.arange(p), np.arange(rest)), p * rest, sign)
        done *= p
        x = _joined(_times((part(y, 0), part(y, 1)), turned, dtype), 2)
        x = reshape_to(x, (batch * done, 2, rest))
    p, parts = lengths[-1], x.shape[1]
    matrix = known(_matrix(p, sign, parts == 1, real_out), dtype)
    y = emit("cell.matmul", [reshape_to(x, (batch * done, parts * p)), matrix])
    kept = 1 if real_out else 2
    if done == 1:
        return reshape_to(y, (batch, kept, p))
    # The first digit of an index is the last one of its frequency.
    count = len(lengths)
    y = reshape_to(y, (batch, *lengths[:-1], kept, p))
    order = [0, count, count + 1, *range(count - 1, 0, -1)]
    return reshape_to(emit("cell.transpose", [y], {"perm": order}), (batch, kept, n))


def _by_convolution(x: Tensor, sign: int, real_out: bool) -> Tensor:
    """A transform of any length, as j k = (j^2 + k^2 - (k - j)^2) / 2 makes it a convolution."""
    batch, parts, n = x.shape
    dtype = x.dtype
    length = 1 << (2 * n - 2).bit_length()
    j = np.arange(n, dtype=np.int64)
    chirp = _roots(j * j, 2 * n, sign)
    kernel = np.zeros(length, complex)
    kernel[:n] = chirp.conj()
    kernel[length - n + 1 :] = chirp[:0:-1].conj()
    if parts == 1:
        real = reshape_to(x, (batch, n))
        start = [
            emit("cell.mul", [real, broadcast_to_shape(known(f, dtype), real.shape)])
            for f in (chirp.real, chirp.imag)
        ]
        moved = _joined((start[0], start[1]), 1)
    else:
        moved = _joined(_times((part(x, 0), part(x, 1)), chirp, dtype), 1)
    none = [0, 0, 0]
    wide = {"low": none, "high": [0, 0, length - n], "interior": none}
    moved = emit("cell.pad", [moved], wide)
    y = transform(moved, -1)
    y = _joined(_times((part(y, 0), part(y, 1)), np.fft.fft(kernel) / length, dtype), 1)
    y = transform(y, 1)
    region = {"starts": none, "limits": [batch, 2, n], "strides": [1, 1, 1]}
    y = emit("cell.slice", [y], region)
    found = _times((part(y, 0), part(y, 1)), chirp, dtype)
    return reshape_to(found[0], (batch, 1, n)) if real_out else _joined(found, 1)
