"""Random numbers for initial values: counter-based, and the same as MindSpore's for the same seed.

The generator is Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
2011). Its key and the upper half of its counter are the seed; the distributions are formed in
float64 and rounded to float32.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
_PI = float(np.float32(3.1415926))
_ROOT_TWO = float(np.float32(1.4142135))
_LEAST = float(np.float32(1e-7))


def fresh_seed() -> int:
    """A seed drawn from numpy's global generator, which `set_seed` seeds."""
    return int(np.random.randint(low=1, high=1 << 63, dtype=np.int64))


def _or_fresh(seed: int | None) -> int:
    return fresh_seed() if seed is None else seed


def words(seed: int, count: int) -> Array:
    """The first `count` 32-bit words of a seed's stream, as uint64."""
    blocks = -(-count // 4)
    index = np.arange(blocks, dtype=np.uint64)
    low, high = seed & 0xFFFFFFFF, seed >> 32
    c0, c1 = index & _LOW, index >> _SHIFT
    c2, c3 = np.full(blocks, low, np.uint64), np.full(blocks, high, np.uint64)
    for step in range(10):
        k0 = np.uint64((low + step * _KEY_STEPS[0]) & 0xFFFFFFFF)
        k1 = np.uint64((high + step * _KEY_STEPS[1]) & 0xFFFFFFFF)
        t0, t1 = _MULTIPLIERS[0] * c0, _MULTIPLIERS[1] * c2
        c0, c1 = (t1 >> _SHIFT) ^ c1 ^ k0, t1 & _LOW
        c2, c3 = (t0 >> _SHIFT) ^ c3 ^ k1, t0 & _LOW
    return np.stack([c0, c1, c2, c3], axis=1).reshape(-1)[:count]


def _shaped(values: Array, shape: Sequence[int]) -> Array:
    return values.astype(np.float32).reshape(tuple(shape))


def _single(value: float) -> float:
    return float(np.float32(value))


def uniform(low: float, high: float, shape: Sequence[int], seed: int | None = None) -> Array:
    """Float32 values uniform on [low, high)."""
    low, high = _single(low), _single(high)
    unit = words(_or_fresh(seed), math.prod(shape)) / 2.0**32
    return _shaped((high - low) * unit + low, shape)


def normal(mean: float, sigma: float, shape: Sequence[int], seed: int | None = None) -> Array:
    """Float32 values of a normal distribution, two at a time by the method of Box and Muller."""
    count = math.prod(shape)
    pairs = words(_or_fresh(seed), count + count % 2).astype(np.uint32)
    # The 23 low bits are the mantissa of a number in [1, 2).
    unit = ((pairs & 0x7FFFFF) | 0x3F800000).view(np.float32) - np.float32(1)
    unit = np.maximum(unit.astype(np.float64), _LEAST)
    radius = np.sqrt(-2.0 * np.log(unit[0::2])) * _single(sigma)
    angle = 2.0 * _PI * unit[1::2]
    both = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).reshape(-1)
    return _shaped(_single(mean) + both[:count], shape)


def truncated_normal(
    low: float,
    high: float,
    mean: float,
    sigma: float,
    shape: Sequence[int],
    seed: int | None = None,
) -> Array:
    """Float32 values of a normal distribution kept within [low, high], by inversion."""
    mean, sigma = _single(mean), _single(sigma)

    def below(bound: float) -> float:
        return math.erfc(-((_single(bound) - mean) / sigma) / _ROOT_TWO) / 2

    unit = words(_or_fresh(seed), math.prod(shape)) / 2.0**32
    p = below(low) + unit * (below(high) - below(low))
    p = np.clip(p, 1e-45, 1 - 2.0**-53)
    quantiles = np.fromiter(map(NormalDist().inv_cdf, p.tolist()), np.float64, p.size)
    return _shaped(mean + quantiles * (_ROOT_TWO / math.sqrt(2.0)) * sigma, shape)
