"""Elementwise functions of complex numbers, as functions of their real and imaginary parts.

Each takes pairs ``(real, imag)``, with None as the imaginary part of a real operand, and gives a pair, or one
tensor where the result is real. What is at zero, at infinities and on branch cuts follows C99 and numpy,
as far as a formula of a few real operations has it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from cellgrad.core.dtype import Type
from cellgrad.core.record import cast_to, emit, splat
from cellgrad.core.tensor import Tensor

Parts = tuple[Tensor, Tensor | None]
Pair = tuple[Tensor, Tensor]


def like(value: float, x: Tensor) -> Tensor:
    """A number in the shape of a tensor."""
    return splat(value, x.dtype, x.shape)


def _op(name: str) -> Callable[..., Tensor]:
    """An op as a function of tensors, and of numbers beside them."""

    def function(*operands: Any) -> Tensor:
        first = next(x for x in operands if isinstance(x, Tensor))
        return emit(
            f"cell.{name}", [x if isinstance(x, Tensor) else like(x, first) for x in operands]
        )

    return function


_add, _sub, _mul, _div = _op("add"), _op("sub"), _op("mul"), _op("div")
_neg, _abs, _sqrt, _square = _op("neg"), _op("abs"), _op("sqrt"), _op("square")
_sin, _cos, _sinh, _cosh = _op("sin"), _op("cos"), _op("sinh"), _op("cosh")
_exp, _expm1, _log, _log1p = _op("exp"), _op("expm1"), _op("log"), _op("log1p")
_hypot, _atan2, _asinh, _reciprocal = _op("hypot"), _op("atan2"), _op("asinh"), _op("reciprocal")
_equal, _less, _both, _either = _op("equal"), _op("less"), _op("logical_and"), _op("logical_or")
_not = _op("logical_not")


def _select(condition: Tensor, x: Any, y: Any) -> Tensor:
    first = x if isinstance(x, Tensor) else y
    return emit(
        "cell.select",
        [condition, *(v if isinstance(v, Tensor) else like(v, first) for v in (x, y))],
    )


# Absolute values, maxima and the like have kinks where the functions below have none. So these choose
# among numbers with their signs, and derivatives of every order are right on the axes and diagonals.


def _negative(x: Tensor) -> Tensor:
    """Whether the sign is negative, that of zero included."""
    return _either(_less(x, 0.0), _both(_equal(x, 0.0), _less(_div(1.0, x), 0.0)))


def _turned_if(condition: Tensor, x: Tensor) -> Tensor:
    return _select(condition, _neg(x), x)


def _product(x: Tensor, y: Tensor) -> Tensor:
    """``x * y``, but 0 where a factor is 0, and the other one no number or infinite."""
    found = _mul(x, y)
    none = _either(_equal(x, 0.0), _equal(y, 0.0))
    return _select(_both(none, emit("cell.is_nan", [found])), 0.0, found)


def _is_zero(z: Pair) -> Tensor:
    return _both(_equal(z[0], 0.0), _equal(z[1], 0.0))


def cast_parts(real: Tensor, imag: Tensor, dtype: Type) -> Pair:
    """Both parts in another floating-point dtype."""
    return cast_to(real, dtype), cast_to(imag, dtype)


def whole(z: Parts) -> Pair:
    """The parts of a number, with 0 for the imaginary one of a real number."""
    return z[0], like(0.0, z[0]) if z[1] is None else z[1]


# --- arithmetic -------------------------------------------------------------------------------


def bilinear(product: Callable[[Tensor, Tensor], Tensor], x: Parts, y: Parts) -> Pair:
    """A bilinear function of complex numbers, by that of their parts."""
    (a, b), (c, d) = x, y
    if b is None:
        assert d is not None
        return product(a, c), product(a, d)
    if d is None:
        return product(a, c), product(b, c)
    return _sub(product(a, c), product(b, d)), _add(product(a, d), product(b, c))


def mul(x: Parts, y: Parts) -> Pair:
    """The product."""
    return bilinear(_mul, x, y)


def square(z: Parts) -> Pair:
    """The square."""
    a, b = whole(z)
    product = _mul(a, b)
    return _mul(_sub(a, b), _add(a, b)), _add(product, product)


def _reduced(z: Pair) -> tuple[Tensor, Tensor, Tensor]:
    """Whether the real part is the larger one, the smaller one by the larger, and the number c for which
    division by z is division by c after an exchange of parts.
    """
    a, b = z
    first = emit("cell.greater_equal", [_abs(a), _abs(b)])
    high, low = _select(first, a, b), _select(first, b, a)
    ratio = _select(_equal(high, 0.0), 0.0, _div(low, high))
    return first, ratio, _add(high, _mul(low, ratio))


def div(x: Parts, y: Parts) -> Pair:
    """The quotient, by Smith's algorithm: no square overflows."""
    if y[1] is None:
        a, b = whole(x)
        return _div(a, y[0]), _div(b, y[0])
    first, ratio, scale = _reduced((y[0], y[1]))
    a, b = whole(x)
    high, low = _select(first, a, b), _select(first, b, a)
    turned = _mul(high, ratio)
    return (
        _div(_add(high, _mul(low, ratio)), scale),
        _div(_select(first, _sub(low, turned), _sub(turned, low)), scale),
    )


def reciprocal(z: Parts) -> Pair:
    """1 / z."""
    first, ratio, scale = _reduced(whole(z))
    high = _reciprocal(scale)
    low = _mul(ratio, high)
    return _select(first, high, low), _neg(_select(first, low, high))


def absolute(z: Parts) -> Tensor:
    """The distance from zero; its derivative there is 0."""
    a, b = whole(z)
    return _select(_is_zero((a, b)), 0.0, _hypot(a, b))


def angle(z: Parts) -> Tensor:
    """The angle in (-pi, pi]; its derivative at zero is 0."""
    a, b = whole(z)
    found = _atan2(b, a)
    return _select(_is_zero((a, b)), emit("cell.stop_gradient", [found]), found)


def sign(z: Parts) -> Pair:
    """z / abs(z), and 0 at zero."""
    a, b = whole(z)
    zero = _is_zero((a, b))
    size = _select(zero, 1.0, _hypot(a, b))
    return _div(a, size), _div(b, size)


def power(x: Parts, y: Parts) -> Pair:
    """``exp(y log(x))``; 0 to the power 0 is 1, and to one with a positive real part 0."""
    a, b = whole(x)
    c, d = whole(y)
    zero = _is_zero((a, b))
    logarithm = log((_select(zero, 1.0, a), b))
    real, imag = exp(mul((c, d), logarithm))
    nothing = _is_zero((c, d))
    at_zero = _select(nothing, 1.0, _select(_less(0.0, c), 0.0, like(math.nan, c)))
    rest = _select(_either(nothing, _less(0.0, c)), 0.0, like(math.nan, c))
    return _select(zero, at_zero, real), _select(zero, rest, imag)


def whole_power(z: Pair, n: int) -> Pair:
    """z to a power of at least 1, by products."""
    out: Pair | None = None
    while True:
        if n & 1:
            out = z if out is None else mul(out, z)
        n >>= 1
        if not n:
            assert out is not None
            return out
        z = square(z)


# --- exponentials and logarithms --------------------------------------------------------------


def _turned(size: Tensor, of: Tensor) -> Pair:
    """``size * (cos(of) + i sin(of))``; where `of` is 0, so is the imaginary part."""
    return _mul(size, _cos(of)), _product(size, _sin(of))


def exp(z: Parts) -> Pair:
    """The exponential."""
    a, b = whole(z)
    real, imag = _turned(_exp(a), b)
    # Nothing is left of any angle at minus infinity.
    gone = _both(_equal(a, -math.inf), _not(emit("cell.is_finite", [b])))
    return _select(gone, 0.0, real), _select(gone, 0.0, imag)


def expm1(z: Parts) -> Pair:
    """exp(z) - 1, accurate near 0."""
    a, b = whole(z)
    real, imag = exp((a, b))
    half = _sin(_mul(b, 0.5))
    near = _less(_abs(a), 1.0)
    return _select(
        near, _sub(_mul(_expm1(a), _cos(b)), _mul(2.0, _square(half))), _sub(real, 1.0)
    ), imag


def exp2(z: Parts) -> Pair:
    """Two to the power z."""
    a, b = whole(z)
    return exp((_mul(a, math.log(2)), _mul(b, math.log(2))))


def log(z: Parts) -> Pair:
    """The logarithm: that of the distance from zero, accurate where that is near 1, and the angle."""
    a, b = whole(z)
    size = _hypot(a, b)
    first = emit("cell.greater_equal", [_abs(a), _abs(b)])
    high, low = _select(first, a, b), _select(first, b, a)
    near = _both(_less(0.5, size), _less(size, 2.0))
    high, low = _select(near, high, 1.0), _select(near, low, 0.0)
    above = _add(_mul(_sub(high, 1.0), _add(high, 1.0)), _square(low))
    return _select(near, _mul(_log1p(above), 0.5), _log(size)), _atan2(b, a)


def _log_scaled(by: float) -> Callable[[Parts], Pair]:
    def function(z: Parts) -> Pair:
        a, b = log(z)
        return _mul(a, by), _mul(b, by)

    return function


def log1p(z: Parts) -> Pair:
    """log(1 + z), accurate near 0."""
    a, b = whole(z)
    near = _both(_less(_abs(a), 0.5), _less(_abs(b), 0.5))
    x, y = _select(near, a, 0.0), _select(near, b, 0.0)
    small = _mul(_log1p(_add(_mul(x, _add(x, 2.0)), _square(y))), 0.5)
    real, imag = log((_add(a, 1.0), b))
    return _select(near, small, real), imag


def sqrt(z: Parts) -> Pair:
    """The square root in the right half plane; its derivative at zero is NaN."""
    a, b = whole(z)
    left, below = _less(a, 0.0), _negative(b)
    t = _sqrt(_add(_mul(_turned_if(left, a), 0.5), _mul(_hypot(a, b), 0.5)))
    zero = _equal(t, 0.0)
    u = _select(zero, _turned_if(below, t), _div(_mul(b, 0.5), _select(zero, 1.0, t)))
    endless = emit("cell.is_inf", [b])
    real = _select(left, _turned_if(below, u), t)
    imag = _select(left, _turned_if(below, t), u)
    return _select(endless, math.inf, real), _select(endless, b, imag)


def rsqrt(z: Parts) -> Pair:
    """1 / sqrt(z)."""
    return reciprocal(sqrt(z))


def sigmoid(z: Parts) -> Pair:
    """1 / (1 + exp(-z)), by an exponential that does not overflow."""
    a, b = whole(z)
    left = _less(a, 0.0)
    real, imag = exp((_neg(_turned_if(left, a)), _neg(_turned_if(left, b))))
    over = reciprocal((_add(real, 1.0), imag))
    other = mul((real, imag), over)
    return _select(left, other[0], over[0]), _select(left, other[1], over[1])


# --- trigonometric and hyperbolic functions ---------------------------------------------------


def sinh(z: Parts) -> Pair:
    """The hyperbolic sine."""
    a, b = whole(z)
    return _product(_sinh(a), _cos(b)), _product(_cosh(a), _sin(b))


def cosh(z: Parts) -> Pair:
    """The hyperbolic cosine."""
    a, b = whole(z)
    return _mul(_cosh(a), _cos(b)), _product(_sinh(a), _sin(b))


def tanh(z: Parts) -> Pair:
    """The hyperbolic tangent: nothing overflows far from the imaginary axis, and no sum of it cancels, nor of
    its derivatives: with tan(b), those at b = pi / 2 are differences of numbers as large as that.
    """
    a, b = whole(z)
    far = _less(20.0, _abs(a))
    x = _select(far, 0.0, a)
    s, sine, cosine = _sinh(x), _sin(b), _cos(b)
    below = _add(_square(s), _square(cosine))
    real, product = _div(_mul(s, _cosh(x)), below), _mul(sine, cosine)
    faded = _mul(_mul(product, 4.0), _exp(_mul(_abs(a), -2.0)))
    faded = _select(emit("cell.is_finite", [b]), faded, 0.0)
    one = _turned_if(_less(a, 0.0), like(1.0, a))
    return _select(far, one, real), _select(far, faded, _div(product, below))


def _rotated(function: Callable[[Parts], Pair]) -> Callable[[Parts], Pair]:
    """``-i f(i z)``, of functions f like the hyperbolic tangent."""

    def rotated(z: Parts) -> Pair:
        a, b = whole(z)
        real, imag = function((_neg(b), a))
        return imag, _neg(real)

    return rotated


def cos(z: Parts) -> Pair:
    """The cosine, cosh(i z)."""
    a, b = whole(z)
    return cosh((_neg(b), a))


# --- inverse functions ------------------------------------------------------------------------


def _roots(z: Parts) -> tuple[Tensor, Tensor, Pair, Pair]:
    """The parts of z, sqrt(1 - z), and sqrt(1 + z)."""
    a, b = whole(z)
    return a, b, sqrt((_sub(1.0, a), _neg(b))), sqrt((_add(1.0, a), b))


def _crossed(x: Pair, y: Pair) -> Tensor:
    """The imaginary part of conj(x) * y."""
    return _sub(_mul(x[0], y[1]), _mul(x[1], y[0]))


def _along(x: Pair, y: Pair) -> Tensor:
    """The real part of x * y."""
    return _sub(_mul(x[0], y[0]), _mul(x[1], y[1]))


def asin(z: Parts) -> Pair:
    """The inverse sine."""
    a, _, less, more = _roots(z)
    return _atan2(a, _along(less, more)), _asinh(_crossed(less, more))


def acos(z: Parts) -> Pair:
    """The inverse cosine."""
    _, _, less, more = _roots(z)
    return _mul(_atan2(less[0], more[0]), 2.0), _asinh(_crossed(more, less))


def acosh(z: Parts) -> Pair:
    """The inverse hyperbolic cosine."""
    a, b = whole(z)
    less, more = sqrt((_sub(a, 1.0), b)), sqrt((_add(a, 1.0), b))
    along = _add(_mul(less[0], more[0]), _mul(less[1], more[1]))
    return _asinh(along), _mul(_atan2(less[1], more[0]), 2.0)


def atanh(z: Parts) -> Pair:
    """The inverse hyperbolic tangent; far from 0 that of 1 / z, a quarter turn away, as squares overflow there."""
    a, b = whole(z)
    left = _negative(a)
    right = _turned_if(left, a)
    distance = _hypot(_sub(1.0, right), b)
    close = _less(distance, 0.5)
    near, far = _select(close, distance, 0.5), _select(close, 1.0, distance)
    logarithm = _sub(_log(_add(_mul(right, 4.0), _square(near))), _mul(_log(near), 2.0))
    size = _div(_mul(_div(right, far), 4.0), far)
    real = _mul(_select(close, logarithm, _log1p(size)), 0.25)
    quarter = _turned_if(_negative(b), like(math.pi / 2, b))
    length = _hypot(a, b)
    remote = _less(1e4, length)
    length = _select(remote, length, 1.0)
    x = _select(remote, _div(_div(a, length), length), a)
    y = _select(remote, _neg(_div(_div(b, length), length)), b)
    angle = _atan2(_mul(y, 2.0), _sub(_mul(_sub(1.0, x), _add(x, 1.0)), _square(y)))
    angle = _mul(angle, 0.5)
    imag = _select(remote, _add(angle, quarter), angle)
    endless = _either(emit("cell.is_inf", [a]), emit("cell.is_inf", [b]))
    return _turned_if(left, _select(endless, 0.0, real)), _select(endless, quarter, imag)


def asinh(z: Parts) -> Pair:
    """The inverse hyperbolic sine, i asin(-i z)."""
    a, b = whole(z)
    real, imag = asin((b, _neg(a)))
    return _neg(imag), real


ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "abs": absolute,
    "acos": acos,
    "acosh": acosh,
    "asin": asin,
    "asinh": asinh,
    "atan": _rotated(atanh),
    "atanh": atanh,
    "cos": cos,
    "cosh": cosh,
    "div": div,
    "exp": exp,
    "exp2": exp2,
    "expm1": expm1,
    "log": log,
    "log10": _log_scaled(1 / math.log(10)),
    "log1p": log1p,
    "log2": _log_scaled(1 / math.log(2)),
    "mul": mul,
    "pow": power,
    "reciprocal": reciprocal,
    "rsqrt": rsqrt,
    "sigmoid": sigmoid,
    "sin": _rotated(sinh),
    "sinh": sinh,
    "sqrt": sqrt,
    "square": square,
    "tan": _rotated(tanh),
    "tanh": tanh,
}
