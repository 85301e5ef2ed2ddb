"""Bessel functions of the orders 0 and 1, computed in float64.

Near 0 they are polynomials in x², times the zeros that lie there, with the logarithm and the pole of the
second kinds apart; far from it amplitudes that are polynomials in 1/x, times sines or exponentials
(Abramowitz and Stegun, Handbook of Mathematical Functions, chapter 9). The polynomials are Chebyshev series
(``tools/minimax/bessel.py``). Derivatives of any order are those of these formulas.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from cellgrad.core import dtype as mstype
from cellgrad.core.record import cast_to, check_float, operation, splat
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _bessel_polynomials as fit
from cellgrad.ops import _generated as gen
from cellgrad.ops._public import public
from cellgrad.ops.selection import select

_WAVES = 5.0  # where J and Y are far; 8 for I, 1 for K
_TERMS = 32  # of the series of I, which has 1e-19 of the sum left at 8


def _wide(x: Tensor, op: str) -> tuple[Tensor, mstype.Type]:
    """The argument in float64, and the dtype of the result."""
    given = check_float(x, op, "x")
    return cast_to(given, mstype.float64), given.dtype


def _polynomial(coefficients: Sequence[float], t: Tensor) -> Tensor:
    out = splat(coefficients[0], mstype.float64, t.shape)
    for c in coefficients[1:]:
        out = out * t + c
    return out


def _apart(x: Tensor, limit: float) -> tuple[Tensor, Tensor, Tensor]:
    """Whether x is near, and x with the limit in place of what is not near, or |x| of what is not far: so
    that neither formula has infinities where the other one is taken, which derivatives would not be
    rid of.
    """
    positive = gen.abs(x)
    near = gen.less_equal(positive, limit)
    return near, select(gen.greater(positive, limit), limit, x), select(near, limit, positive)


def _between_zeros(n: int, x: Tensor) -> Tensor:
    """J_n near 0, without x where n is 1."""
    coefficients, zeros = (fit.J0_NEAR, fit.J0_ZEROS) if n == 0 else (fit.J1_NEAR, fit.J1_ZEROS)
    out = _polynomial(coefficients, x * x / 12.5 - 1.0)
    for high, low in zeros:  # x - high is exact close to it
        out = out * ((x - high) - low) * ((x + high) + low)
    return out


def _waves(n: int, x: Tensor) -> tuple[Tensor, Tensor]:
    """J_n and Y_n far from 0."""
    p, q = (fit.P0, fit.Q0) if n == 0 else (fit.P1, fit.Q1)
    inverse = 5.0 / x
    t = 2.0 * inverse * inverse - 1.0
    size = gen.rsqrt(math.pi * x)  # the root of 2 is that of the angle's cosine and sine
    even, odd = _polynomial(p, t), inverse * _polynomial(q, t)
    c, s = gen.cos(x), gen.sin(x)
    cosine, sine = (c + s, s - c) if n == 0 else (s - c, -s - c)
    return size * (even * cosine - odd * sine), size * (even * sine + odd * cosine)


def _first(n: int, x: Tensor) -> Tensor:
    """J_n."""
    near, x_near, x_far = _apart(x, _WAVES)
    far = select(gen.equal(x_far, math.inf), 0.0, _waves(n, x_far)[0])
    close = _between_zeros(n, x_near)
    if n == 1:
        close, far = x_near * close, gen.sign(x) * far
    return select(near, close, far)


def _second(n: int, x: Tensor) -> Tensor:
    """Y_n."""
    near, x_near, x_far = _apart(x, _WAVES)
    far = select(gen.equal(x_far, math.inf), 0.0, _waves(n, x_far)[1])
    t = x_near * x_near / 12.5 - 1.0
    close = 2 / math.pi * (_logarithm(n, x_near) * _between_zeros(n, x_near))
    if n == 0:
        close = close + _polynomial(fit.Y0_NEAR, t)
    else:
        close = close - 2 / math.pi / gen.abs(x_near) + x_near * _polynomial(fit.Y1_NEAR, t)
    return _of_positive(x, select(near, close, far))


def _logarithm(n: int, x: Tensor) -> Tensor:
    """The logarithm, times x where n is 1: 0 at 0."""
    return gen.log(x) if n == 0 else x * gen.log(select(gen.equal(x, 0.0), 1.0, x))


def _of_positive(x: Tensor, value: Tensor) -> Tensor:
    return value * select(gen.less(x, 0.0), math.nan, splat(1.0, x.dtype, x.shape))


def _series(n: int, x: Tensor) -> Tensor:
    """I_n near 0, without x where n is 1."""
    terms = [0.5**n / (math.factorial(k) * math.factorial(n + k)) for k in range(_TERMS)]
    return _polynomial(terms[::-1], x * x / 4.0)


def _modified(n: int, x: Tensor, scaled: bool) -> Tensor:
    """I_n, times exp(-|x|) if `scaled`."""
    near, x_near, x_far = _apart(x, 8.0)
    coefficients: tuple[float, ...] = fit.I0_FAR if n == 0 else fit.I1_FAR
    if not scaled:  # exp(x) overflows before I(x) does
        coefficients = tuple([c * math.exp(8.0) for c in coefficients])
    far = _polynomial(coefficients, 16.0 / x_far - 1.0) * gen.rsqrt(x_far)
    if not scaled:
        far = select(gen.equal(x_far, math.inf), math.inf, gen.exp(x_far - 8.0) * far)
    close = _series(n, x_near)
    if n == 1:
        close, far = x_near * close, gen.sign(x) * far
    return select(near, close * gen.exp(-gen.abs(x_near)) if scaled else close, far)


def _modified_second(n: int, x: Tensor, scaled: bool) -> Tensor:
    """K_n, times exp(x) if `scaled`."""
    near, x_near, x_far = _apart(x, 1.0)
    far = _polynomial(fit.K0_FAR if n == 0 else fit.K1_FAR, 2.0 / x_far - 1.0) * gen.rsqrt(x_far)
    far = far if scaled else far * gen.exp(-x_far)
    rest = _polynomial(fit.K0_NEAR if n == 0 else fit.K1_NEAR, 2.0 * x_near * x_near - 1.0)
    logarithm = _logarithm(n, x_near) * _series(n, x_near)
    close = rest - logarithm if n == 0 else 1.0 / gen.abs(x_near) + x_near * rest + logarithm
    close = close * gen.exp(x_near) if scaled else close
    return _of_positive(x, select(near, close, far))


@public("ops.BesselJ0")
@operation
def bessel_j0(x: Tensor) -> Tensor:
    """The Bessel function of the first kind and order 0, J₀. All orders of derivatives exist everywhere; it is 0 at infinity.

    Args:
        x: any shape; integers become floating point.

    Raises:
        TypeError: `x` is not a Tensor.

    >>> print(ops.bessel_j0(Tensor([0.0, 1.0, 2.0])))
    [1.         0.7651977  0.22389078]
    """
    wide, dtype = _wide(x, "bessel_j0")
    return cast_to(_first(0, wide), dtype)


@public("ops.BesselJ1")
@operation
def bessel_j1(x: Tensor) -> Tensor:
    """The Bessel function of the first kind and order 1, J₁. All orders of derivatives exist everywhere; it is 0 at infinity.

    Args:
        x: any shape; integers become floating point.

    Raises:
        TypeError: `x` is not a Tensor.

    >>> print(ops.bessel_j1(Tensor([0.0, 1.0, 2.0])))
    [0.         0.44005057 0.5767248 ]
    """
    wide, dtype = _wide(x, "bessel_j1")
    return cast_to(_first(1, wide), dtype)


@public("ops.BesselY0")
@operation
def bessel_y0(x: Tensor) -> Tensor:
    """The Bessel function of the second kind and order 0, Y₀. It is -inf at 0 and NaN below; derivatives are NaN at 0.

    Args:
        x: any shape; integers become floating point.

    Raises:
        TypeError: `x` is not a Tensor.

    >>> print(ops.bessel_y0(Tensor([0.5, 1.0, 2.0])))
    [-0.44451874  0.08825696  0.5103757 ]
    """
    wide, dtype = _wide(x, "bessel_y0")
    return cast_to(_second(0, wide), dtype)


@public("ops.BesselY1")
@operation
def bessel_y1(x: Tensor) -> Tensor:
    """The Bessel function of the second kind and order 1, Y₁. It is -inf at 0 and NaN below; derivatives are NaN at 0.

    Args:
        x: any shape; integers become floating point.

    Raises:
        TypeError: `x` is not a Tensor.

    >>> print(ops.bessel_y1(Tensor([0.5, 1.0, 2.0])))
    [-1.4714724  -0.7812128  -0.10703243]
    """
    wide, dtype = _wide(x, "bessel_y1")
    return cast_to(_second(1, wide), dtype)


@public("ops.BesselI0", "ops.i0", "Tensor.i0")
@operation
def bessel_i0(x: Tensor) -> Tensor:
    """The Bessel function of the first kind and order 0, modified, I₀.

    Args:
        x: any shape; integers become floating point.

    Raises:
        TypeError: `x` is not a Tensor.

    >>> print(ops.bessel_i0(Tensor([0.0, 1.0, 2.0])))
    [1.        1.2660658 2.2795854]
    """
    wide, dtype = _wide(x, "bessel_i0")
    return cast_to(_modified(0, wide, scaled=False), dtype)


@public("ops.BesselI0e")
@operation
def bessel_i0e(x: Tensor) -> Tensor:
    """The Bessel function of the first kind and order 0, modified, times exp(-|x|). The derivative at 0 is 0.

    Args:
        x: any shape; integers become floating point.

    Raises:
        TypeError: `x` is not a Tensor.

    >>> print(ops.bessel_i0e(Tensor([0.0, 1.0, 2.0])))
    [1.         0.4657596  0.30850834]
    """
    wide, dtype = _wide(x, "bessel_i0e")
    return cast_to(_modified(0, wide, scaled=True), dtype)


@public("ops.BesselI1")
@operation
def bessel_i1(x: Tensor) -> Tensor:
    """The Bessel function of the first kind and order 1, modified, I₁.

    Args:
        x: any shape; integers become floating point.

    Raises:
        TypeError: `x` is not a Tensor.

    >>> print(ops.bessel_i1(Tensor([0.0, 1.0, 2.0])))
    [0.        0.5651591 1.5906368]
    """
    wide, dtype = _wide(x, "bessel_i1")
    return cast_to(_modified(1, wide, scaled=False), dtype)


@public("ops.BesselI1e")
@operation
def bessel_i1e(x: Tensor) -> Tensor:
    """The Bessel function of the first kind and order 1, modified, times exp(-|x|).

    Args:
        x: any shape; integers become floating point.

    Raises:
        TypeError: `x` is not a Tensor.

    >>> print(ops.bessel_i1e(Tensor([0.0, 1.0, 2.0])))
    [0.         0.20791042 0.21526928]
    """
    wide, dtype = _wide(x, "bessel_i1e")
    return cast_to(_modified(1, wide, scaled=True), dtype)


@public("ops.BesselK0")
@operation
def bessel_k0(x: Tensor) -> Tensor:
    """The Bessel function of the second kind and order 0, modified, K₀. It is inf at 0 and NaN below; derivatives are NaN at 0.

    Args:
        x: any shape; integers become floating point.

    Raises:
        TypeError: `x` is not a Tensor.

    >>> print(ops.bessel_k0(Tensor([0.5, 1.0, 2.0])))
    [0.92441905 0.42102444 0.11389387]
    """
    wide, dtype = _wide(x, "bessel_k0")
    return cast_to(_modified_second(0, wide, scaled=False), dtype)


@public("ops.BesselK0e")
@operation
def bessel_k0e(x: Tensor) -> Tensor:
    """The Bessel function of the second kind and order 0, modified, times exp(x). It is inf at 0 and NaN below; derivatives are NaN at 0.

    Args:
        x: any shape; integers become floating point.

    Raises:
        TypeError: `x` is not a Tensor.

    >>> print(ops.bessel_k0e(Tensor([0.5, 1.0, 2.0])))
    [1.5241094  1.1444631  0.84156823]
    """
    wide, dtype = _wide(x, "bessel_k0e")
    return cast_to(_modified_second(0, wide, scaled=True), dtype)


@public("ops.BesselK1")
@operation
def bessel_k1(x: Tensor) -> Tensor:
    """The Bessel function of the second kind and order 1, modified, K₁. It is inf at 0 and NaN below; derivatives are NaN at 0.

    Args:
        x: any shape; integers become floating point.

    Raises:
        TypeError: `x` is not a Tensor.

    >>> print(ops.bessel_k1(Tensor([0.5, 1.0, 2.0])))
    [1.6564411  0.60190725 0.13986588]
    """
    wide, dtype = _wide(x, "bessel_k1")
    return cast_to(_modified_second(1, wide, scaled=False), dtype)


@public("ops.BesselK1e")
@operation
def bessel_k1e(x: Tensor) -> Tensor:
    """The Bessel function of the second kind and order 1, modified, times exp(x). It is inf at 0 and NaN below; derivatives are NaN at 0.

    Args:
        x: any shape; integers become floating point.

    Raises:
        TypeError: `x` is not a Tensor.

    >>> print(ops.bessel_k1e(Tensor([0.5, 1.0, 2.0])))
    [2.7310097 1.6361535 1.0334768]
    """
    wide, dtype = _wide(x, "bessel_k1e")
    return cast_to(_modified_second(1, wide, scaled=True), dtype)
