"""Incomplete gamma and beta functions, and the zeta function of Hurwitz.

The incomplete functions are a few terms of their series and an integral over a smooth function, which
Gauss' rule of 64 points gives to the last digits of float64: no loop depends on the arguments, and the
derivatives by every argument are those of the formula. All is computed in float64.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.dtype import Type
from cellgrad.core.record import (
    as_tensor,
    broadcast_shapes,
    broadcast_to_shape,
    check_float,
    is_number,
    operation,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops._static import known
from cellgrad.ops.reductions import reduce_sum
from cellgrad.ops.selection import cast, select, stop_gradient
from cellgrad.ops.shapes import expand_dims

_TERMS = 10  # of the series before the integral, which make its integrand smooth at its end
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)
_PLACES, _WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2  # between 0 and 1


def _operands(op: str, names: tuple[str, ...], given: tuple[Any, ...]) -> tuple[list[Tensor], Type]:
    """The arguments as float64 of one shape, and the dtype of the result, that of the Tensors."""
    number = mstype.default_float()
    tensors = [
        as_tensor(v, op, number) if is_number(v) else check_float(v, op, name)
        for v, name in zip(given, names, strict=True)
    ]
    own = [t.dtype for t, v in zip(tensors, given, strict=True) if not is_number(v)] or [number]
    shape: tuple[int, ...] = ()
    for t in tensors:
        shape = broadcast_shapes(shape, t.shape, op)
    wide = [cast(broadcast_to_shape(t, shape), mstype.float64) for t in tensors]
    return wide, functools.reduce(mstype.promote, own)


def _undefined(*operands: Tensor) -> Tensor:
    """NaN, also as the derivative by each operand."""
    return functools.reduce(gen.add, operands) * math.nan


def _integral(log_integrand: Any, end: Tensor) -> Tensor:
    """The integral from 0 to `end`, beyond which nothing is left, of the exponential of a function: in
    steps of a square root, as it may be steep at 0."""
    width = expand_dims(stop_gradient(end), -1)
    weights = width * known(2 * _PLACES * _WEIGHTS, mstype.float64)
    at = width * known(_PLACES * _PLACES, mstype.float64)
    return reduce_sum(gen.exp(log_integrand(at)) * weights, -1)


def _lower(a: Tensor, x: Tensor) -> Tensor:
    """P(a, x) for x up to about a."""
    inside = gen.less(x, 1.0)
    small, large = select(inside, x, 1.0), select(inside, 1.0, x)
    logarithm = gen.neg(gen.lgamma(a + 1.0))
    term = select(
        inside,
        small**a * gen.exp(logarithm - small),
        gen.exp(a * gen.log(large) - large + logarithm),
    )
    total = term
    for k in range(1, _TERMS):
        term = term * x / (a + float(k))
        total = total + term
    order, rate = expand_dims(a, -1) + (_TERMS - 1.0), expand_dims(x, -1)
    end = gen.minimum(10.0 / gen.sqrt(a + float(_TERMS)), 1.0)
    rest = _integral(lambda v: order * gen.log1p(gen.neg(v)) + rate * v, end)
    return total + term * x * rest


def _upper(a: Tensor, x: Tensor) -> Tensor:
    """Q(a, x) for x from a + 1 on."""
    factor = gen.exp(a * gen.log(x) - x - gen.lgamma(a))
    beyond = gen.maximum(a - 1.0, 1e-30)
    end = gen.minimum(
        45.0 / gen.minimum(x, x - a + 1.0),
        (45.0 + gen.sqrt(45.0 * 45.0 + 90.0 * beyond)) / beyond,
    )
    order, rate = expand_dims(a, -1) - 1.0, expand_dims(x, -1)
    return factor * _integral(lambda u: order * gen.log1p(u) - rate * u, end)


def _gamma(op: str, input: Any, other: Any, upper: bool) -> Tensor:
    (a, x), dtype = _operands(op, ("input", "other"), (input, other))
    known_there = gen.logical_and(gen.greater(a, 0.0), gen.greater_equal(x, 0.0))
    order = select(known_there, a, 1.0)
    place = select(gen.logical_and(known_there, gen.less(x, math.inf)), x, 0.0)
    right = gen.greater(place, order + 1.0)
    lower = _lower(order, select(right, 0.5, place))
    other_part = _upper(select(right, order, 1.0), select(right, place, 4.0))
    out = (
        select(right, other_part, 1.0 - lower) if upper else select(right, 1.0 - other_part, lower)
    )
    out = select(gen.equal(x, math.inf), 0.0 if upper else 1.0, out)
    out = select(known_there, out, _undefined(a, x))
    return cast(out, dtype)


@public("ops.Igamma(a, x)", "Tensor.igamma(other)", "nn.IGamma(a, x)")
@operation
def igamma(input: Tensor, other: Tensor) -> Tensor:
    """The regularized lower incomplete gamma function P(a, x): the integral of ``t**(a - 1) exp(-t)`` from
    0 to x over that to infinity. NaN unless a > 0 and x >= 0.

    Args:
        input: a, floating point (integers are converted to float32), or a number.
        other: x, of a shape that broadcasts with it, or a number.

    Raises:
        TypeError: an argument is neither a Tensor nor a number.
        ValueError: shapes that do not broadcast.

    >>> print(ops.igamma(Tensor([2.0, 4.0]), Tensor([2.0, 3.0])))
    [0.5939942  0.35276812]
    """
    return _gamma("igamma", input, other, False)


@public("ops.Igammac(a, x)", "Tensor.igammac(other)")
@operation
def igammac(input: Tensor, other: Tensor) -> Tensor:
    """The regularized upper incomplete gamma function Q(a, x) = 1 - P(a, x), with all its digits where it
    is small; see `igamma`.

    Args:
        input: a, floating point (integers are converted to float32), or a number.
        other: x, of a shape that broadcasts with it, or a number.

    Raises:
        TypeError: an argument is neither a Tensor nor a number.
        ValueError: shapes that do not broadcast.

    >>> print(ops.igammac(Tensor([2.0, 4.0]), Tensor([2.0, 3.0])))
    [0.40600583 0.6472319 ]
    """
    return _gamma("igammac", input, other, True)


def _beta_left(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    """I_x(a, b) for x up to about a / (a + b)."""
    logarithm = b * gen.log1p(gen.neg(x)) + gen.lgamma(a + b) - gen.lgamma(a + 1.0) - gen.lgamma(b)
    zero = gen.equal(x, 0.0)  # where the derivative of a logarithm is none
    term = select(
        zero,
        select(zero, x, 0.0) ** a * gen.exp(gen.minimum(logarithm, 700.0)),
        gen.exp(a * gen.log(select(zero, 1.0, x)) + logarithm),
    )
    total = term
    for k in range(1, _TERMS):
        term = term * x * (a + b + (k - 1.0)) / (a + float(k))
        total = total + term
    quotient = x / (1.0 - x)
    curvature = a + float(_TERMS) + gen.maximum(b - 1.0, 0.0) * quotient * quotient
    end = gen.minimum(10.0 / gen.sqrt(curvature), 1.0)
    order, power, rate = (
        expand_dims(a, -1) + (_TERMS - 1.0),
        expand_dims(b, -1) - 1.0,
        expand_dims(quotient, -1),
    )
    rest = _integral(lambda v: order * gen.log1p(gen.neg(v)) + power * gen.log1p(rate * v), end)
    return total + term * quotient * (a + b + (_TERMS - 1.0)) * rest


@operation
def _betainc(a: Any, b: Any, x: Any) -> Tensor:
    (a, b, x), dtype = _operands("Betainc", ("a", "b", "x"), (a, b, x))
    positive = gen.logical_and(gen.greater(a, 0.0), gen.greater(b, 0.0))
    there = gen.logical_and(
        positive, gen.logical_and(gen.greater_equal(x, 0.0), gen.less_equal(x, 1.0))
    )
    p, q, at = select(there, a, 1.0), select(there, b, 1.0), select(there, x, 0.5)
    right = gen.greater(at, (p + 1.0) / (p + q + 2.0))
    part = _beta_left(select(right, q, p), select(right, p, q), select(right, 1.0 - at, at))
    return cast(select(there, select(right, 1.0 - part, part), _undefined(a, b, x)), dtype)


@public()
class Betainc(Primitive):
    """The regularized incomplete beta function I_x(a, b): the integral of ``t**(a - 1) (1 - t)**(b - 1)``
    from 0 to x over that to 1. NaN unless a and b are positive and x is in [0, 1].

    Inputs:
        a, b, x: floating point (integers are converted to float32), of shapes that broadcast, or numbers.

    Raises:
        TypeError: an argument is neither a Tensor nor a number.
        ValueError: shapes that do not broadcast.

    >>> print(ops.Betainc()(Tensor([2.0]), Tensor([3.0]), Tensor([0.25])))
    [0.26171875]
    """

    def __call__(self, a: Tensor, b: Tensor, x: Tensor) -> Tensor:
        out: Tensor = _betainc(a, b, x)
        return out


# B(2j) / (2j)! of Euler's and Maclaurin's sum.
_BERNOULLI = (
    1 / 12,
    -1 / 720,
    1 / 30240,
    -1 / 1209600,
    1 / 47900160,
    -691 / 1307674368000,
    1 / 74724249600,
    -3617 / 10670622842880000,
    43867 / 5109094217170944000,
)
_SHIFT = 12


def _hurwitz(x: Tensor, place: Tensor) -> Tensor:
    """The zeta function for x above 1 and places above 0, by Euler and Maclaurin."""
    total = gen.exp(gen.neg(x) * gen.log(place))
    for k in range(1, _SHIFT):
        total = total + gen.exp(gen.neg(x) * gen.log(place + float(k)))
    end = place + float(_SHIFT)
    last = gen.exp(gen.neg(x) * gen.log(end))
    total = total + last * end / (x - 1.0) + 0.5 * last
    factor = x * last / end
    for j, coefficient in enumerate(_BERNOULLI):
        total = total + coefficient * factor
        factor = factor * (x + (2 * j + 1.0)) * (x + (2 * j + 2.0)) / (end * end)
    return total


@public("ops.Zeta(x, q)")
@operation
def zeta(input: Tensor, other: Tensor) -> Tensor:
    """The zeta function of Hurwitz: the sum of ``(q + k) ** -s`` over k = 0, 1, 2, ...

    It is infinite at s = 1 and where q is 0, -1, -2, ...; NaN for s below 1, and for other q below 0 unless
    s is whole, as powers of negative numbers are not real. There the derivative by s is the real part.

    Args:
        input: s, floating point (integers are converted to float32), or a number.
        other: q, of a shape that broadcasts with it, or a number.

    Raises:
        TypeError: an argument is neither a Tensor nor a number.
        ValueError: shapes that do not broadcast.

    >>> print(ops.zeta(Tensor([2.0, 4.0]), Tensor([1.0, 1.0])))
    [1.644934  1.0823232]
    """
    (s, q), dtype = _operands("zeta", ("input", "other"), (input, other))
    below = gen.less(q, 0.0)
    whole = gen.equal(gen.floor(q), q)
    single = gen.logical_or(gen.logical_not(below), gen.equal(gen.floor(s), s))
    there = gen.logical_and(
        gen.logical_and(gen.greater(s, 1.0), single), gen.logical_or(gen.greater(q, 0.0), below)
    )
    there = gen.logical_and(there, gen.logical_or(gen.logical_not(below), gen.logical_not(whole)))
    x = select(there, s, 2.0)
    # Of q below 0, the terms of numbers below 0 are a sum of their own, which ends: with t = -q and its
    # part f in (0, 1) it is (-1)^s times that of f, f + 1, ..., t.
    part = q - gen.floor(q)
    usual = _hurwitz(x, select(there, select(below, part, q), 1.0))
    turned = gen.logical_and(there, below)
    ended = _hurwitz(x, select(turned, 1.0 - part, 1.0)) - _hurwitz(x, select(turned, 1.0 - q, 1.0))
    sign = 1.0 - 2.0 * (x - 2.0 * gen.floor(x * 0.5))
    total = usual + select(turned, sign * ended, 0.0)
    pole = gen.logical_and(gen.less_equal(q, 0.0), whole)
    infinite = gen.logical_or(gen.equal(s, 1.0), gen.logical_and(gen.greater(s, 1.0), pole))
    out = select(there, total, select(infinite, math.inf, _undefined(s, q)))
    return cast(out, dtype)
