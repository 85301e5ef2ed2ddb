"""Writes the polynomials of ``ops/_bessel_polynomials.py``: fits of Bessel functions by mpmath.

Each is the Chebyshev series of a smooth part of a function on an interval, cut where the rest is below
2^-64 of the largest value, so that its derivatives have 15 digits as well, as a polynomial in t of
[-1, 1], highest power first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import mpmath as mp

mp.mp.dps = 60
_MOST = 96  # points of a series
_FAR = 5  # where J and Y are far from 0


def _series(f: Callable[[Any], Any], count: int) -> list[Any]:
    """The first Chebyshev coefficients of a function on [-1, 1]."""
    at = [mp.cos(mp.pi * (k + mp.mpf(1) / 2) / count) for k in range(count)]
    values = [f(t) for t in at]
    out = []
    for j in range(count):
        total = mp.fsum(
            v * mp.cos(mp.pi * j * (k + mp.mpf(1) / 2) / count) for k, v in enumerate(values)
        )
        out.append(total * (1 if j == 0 else 2) / count)
    return out


def _polynomial(f: Callable[[Any], Any], low: Any, high: Any) -> list[float]:
    """A function on an interval as a polynomial in ``t = (2 z - low - high) / (high - low)``."""
    low, high = mp.mpf(low), mp.mpf(high)
    series = _series(lambda t: f((low + high) / 2 + t * (high - low) / 2), _MOST)
    size = max(abs(c) for c in series)
    while len(series) > 1 and abs(series[-1]) < size * mp.mpf(2) ** -64:
        series.pop()
    # T_{n+1} = 2 t T_n - T_{n-1}, as coefficients of powers.
    before, now = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]
    out = [mp.mpf(0)] * len(series)
    for j, c in enumerate(series):
        chosen = before if j == 0 else now
        for i, a in enumerate(chosen):
            out[i] += c * a
        if j:
            twice = [mp.mpf(0), *[2 * a for a in now]]
            for i, a in enumerate(before):
                twice[i] -= a
            before, now = now, twice
    return [float(c) for c in reversed(out)]


def _amplitudes(n: int) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """P and Q of ``J_n = sqrt(2 / (pi x)) (P cos - Q sin)``, Q divided by 5/x, of ``s = (5/x)^2``."""

    def both(s: Any) -> tuple[Any, Any]:
        s = mp.mpf(s)
        x = _FAR / mp.sqrt(s)
        chi = x - (2 * n + 1) * mp.pi / 4
        size, j, y = mp.sqrt(mp.pi * x / 2), mp.besselj(n, x), mp.bessely(n, x)
        c, d = mp.cos(chi), mp.sin(chi)
        return size * (j * c + y * d), size * (y * c - j * d) / (_FAR / x)

    return lambda s: both(s)[0], lambda s: both(s)[1]


def _zeros(n: int) -> list[Any]:
    return [z for z in (mp.besseljzero(n, k) for k in (1, 2)) if z < _FAR]


def _near(n: int) -> Callable[[Any], Any]:
    """J_n of z = x^2, without its zeros, and without x where n is 1."""

    def f(z: Any) -> Any:
        x = mp.sqrt(mp.mpf(z))
        value = mp.besselj(n, x) / (x if n else 1)
        for r in _zeros(n):
            value /= x * x - r * r
        return value

    return f


def _second(n: int) -> Callable[[Any], Any]:
    """Y_n without its logarithm and pole, of z = x^2; without x where n is 1."""

    def f(z: Any) -> Any:
        x = mp.sqrt(mp.mpf(z))
        rest = mp.bessely(n, x) - 2 / mp.pi * mp.log(x) * mp.besselj(n, x)
        return (rest + 2 / (mp.pi * x)) / x if n else rest

    return f


def _large(function: Callable[..., Any], n: int, sign: int, scale: int) -> Callable[[Any], Any]:
    """``sqrt(x) exp(sign x) f(x)`` of ``u = scale / x``."""

    def f(u: Any) -> Any:
        x = scale / mp.mpf(u)
        return mp.sqrt(x) * mp.exp(sign * x) * function(n, x)

    return f


def _k_small(n: int) -> Callable[[Any], Any]:
    """K_n without its logarithm and pole, of z = x^2; without x where n is 1."""

    def f(z: Any) -> Any:
        x = mp.sqrt(mp.mpf(z))
        if n == 0:
            return mp.besselk(0, x) + mp.log(x) * mp.besseli(0, x)
        return (mp.besselk(1, x) - 1 / x - mp.log(x) * mp.besseli(1, x)) / x

    return f


def _split(value: Any) -> tuple[float, float]:
    high = float(value)
    return high, float(value - mp.mpf(high))


def tables() -> dict[str, list[float]]:
    out: dict[str, list[float]] = {}
    for n in (0, 1):
        p, q = _amplitudes(n)
        out[f"J{n}_NEAR"] = _polynomial(_near(n), 0, _FAR**2)
        out[f"Y{n}_NEAR"] = _polynomial(_second(n), 0, _FAR**2)
        out[f"P{n}"] = _polynomial(p, 0, 1)
        out[f"Q{n}"] = _polynomial(q, 0, 1)
        out[f"I{n}_FAR"] = _polynomial(_large(mp.besseli, n, -1, 8), 0, 1)
        out[f"K{n}_NEAR"] = _polynomial(_k_small(n), 0, 1)
        out[f"K{n}_FAR"] = _polynomial(_large(mp.besselk, n, 1, 1), 0, 1)
    return out


def main() -> None:
    print('"""Polynomials of Bessel functions; ``tools/minimax/bessel.py`` writes this file."""')
    for name, values in tables().items():
        print(f"\n{name} = (")
        for v in values:
            print(f"    {v!r},")
        print(")")
        print(name, len(values), file=sys.stderr)
    for n in (0, 1):
        zeros = "".join(f"{_split(z)!r}," for z in _zeros(n))
        print(f"\n# The zeros of J{n} below {_FAR}, each as a sum of two.\nJ{n}_ZEROS = ({zeros})")


if __name__ == "__main__":
    main()
