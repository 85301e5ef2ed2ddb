"""Pointwise functions composed of the records' ops."""

from __future__ import annotations

import math
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, TensorLike
from cellgrad.core.arguments import argument_error, check_number
from cellgrad.core.number import real
from cellgrad.core.record import (
    as_tensor,
    cast_to,
    check_float,
    check_tensor,
    emit,
    is_number,
    operation,
    widened,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import _generated as gen
from cellgrad.ops._public import public
from cellgrad.ops.selection import select


def _floats(x: Any, y: Any, op: str) -> tuple[Tensor, Tensor]:
    """Two operands of one floating-point dtype and shape."""
    of_number = not (isinstance(x, Tensor) and isinstance(y, Tensor))
    a, b = ew._operands(x, y, f"cell.{op}", True)
    if of_number:
        a, b = ew.as_float(a), ew.as_float(b)
    dtype = mstype.promote(a.dtype, b.dtype)
    if dtype.kind not in "fc":
        dtype = mstype.default_float()
    return ew._broadcast(cast_to(a, dtype), cast_to(b, dtype), op)


# --- sums of products -------------------------------------------------------------------------


@public(
    "ops.Addcmul",
    "Tensor.addcmul",
    "mint.addcmul(input, tensor1, tensor2, *, value)",
)
@operation
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: TensorLike = 1) -> Tensor:
    """``input + value * tensor1 * tensor2``, broadcast.

    Raises:
        TypeError: an argument is not a Tensor, or `value` is neither Tensor nor number.
        ValueError: shapes that do not broadcast.

    >>> one = Tensor([1.0, 1.0])
    >>> print(ops.addcmul(one, Tensor([4.0, 6.0]), Tensor([2.0, 3.0]), 0.5))
    [ 5. 10.]
    """
    a = check_tensor(tensor1, "addcmul", "tensor1")
    b = check_tensor(tensor2, "addcmul", "tensor2")
    product = gen.mul(a, b)
    if isinstance(value, Tensor) or value != 1:
        product = gen.mul(product, value)
    return gen.add(check_tensor(input, "addcmul", "input"), product)


@public(
    "ops.Addcdiv",
    "Tensor.addcdiv",
    "mint.addcdiv(input, tensor1, tensor2, *, value)",
)
@operation
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: TensorLike = 1) -> Tensor:
    """``input + value * tensor1 / tensor2``, broadcast.

    Raises:
        TypeError: an argument is not a Tensor, or `value` is neither Tensor nor number.
        ValueError: shapes that do not broadcast.

    >>> one = Tensor([1.0, 1.0])
    >>> print(ops.addcdiv(one, Tensor([4.0, 6.0]), Tensor([2.0, 3.0]), 0.5))
    [2. 2.]
    """
    a = check_tensor(tensor1, "addcdiv", "tensor1")
    quotient = ew.binary("cell.div", a, check_tensor(tensor2, "addcdiv", "tensor2"), True)
    if isinstance(value, Tensor) or value != 1:
        quotient = gen.mul(quotient, value)
    return gen.add(check_tensor(input, "addcdiv", "input"), quotient)


@public(
    "ops.LerpScalar",
    "ops.Lerp",
    "Tensor.lerp",
    "mint.lerp",
)
@operation
def lerp(input: Tensor, end: Tensor, weight: TensorLike) -> Tensor:
    """``input + weight * (end - input)``, broadcast.

    Raises:
        TypeError: `input` or `end` is not a Tensor, or `weight` is neither Tensor nor number.
        ValueError: shapes that do not broadcast.

    >>> print(ops.lerp(Tensor([1.0, 2.0]), Tensor([3.0, 6.0]), 0.5))
    [2. 4.]
    """
    start, last = check_float(input, "lerp", "input"), check_float(end, "lerp", "end")
    dtype = start.dtype
    if last.dtype is dtype and (not isinstance(weight, Tensor) or weight.dtype is dtype):
        start, last = widened(start), widened(last)  # the terms may cancel
        weight = widened(weight) if isinstance(weight, Tensor) else weight
        return cast_to(start + (last - start) * weight, dtype)
    return start + (last - start) * weight


# --- exponentials and logarithms --------------------------------------------------------------


def _log_of_sum(x: Any, y: Any, op: str, scale: float) -> Tensor:
    a, b = _floats(x, y, op)
    first = gen.greater_equal(a, b)
    # A sum with NaN is NaN, whichever operand is the larger.
    high = select(gen.isnan(b), b, select(first, a, b))
    low = select(gen.isnan(b), a, select(first, b, a))
    difference = low - high
    # Equal infinities differ by 0, not by NaN.
    equal = gen.logical_and(gen.equal(low, high), gen.isinf(high))
    difference = select(equal, 0.0, difference)
    if scale == 1:
        return high + emit("cell.softplus", [difference])
    return high + emit("cell.softplus", [difference * scale]) / scale


@public(
    "Tensor.logaddexp",
    "mint.logaddexp",
)
@operation
def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """``log(exp(input) + exp(other))``, without overflow.

    Raises:
        TypeError: an operand that is neither Tensor nor number.
        ValueError: shapes that do not broadcast.

    >>> print(ops.logaddexp(Tensor([100.0]), Tensor([100.0])))
    [100.693146]
    """
    return _log_of_sum(input, other, "logaddexp", 1.0)


@public(
    "Tensor.logaddexp2",
    "mint.logaddexp2",
)
@operation
def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """``log2(2**input + 2**other)``, without overflow.

    Raises:
        TypeError: an operand that is neither Tensor nor number.
        ValueError: shapes that do not broadcast.

    >>> print(ops.logaddexp2(Tensor([2.0]), Tensor([2.0])))
    [3.]
    """
    return _log_of_sum(input, other, "logaddexp2", math.log(2))


@public(
    "ops.Xlogy",
    "Tensor.xlogy",
    "mint.xlogy",
)
@operation
def xlogy(input: TensorLike, other: TensorLike) -> Tensor:
    """``input * log(other)``, and 0 where `input` is 0 and `other` is 0 or negative.

    Raises:
        TypeError: an operand that is neither Tensor nor number.
        ValueError: shapes that do not broadcast.

    >>> print(ops.xlogy(Tensor([0.0, 2.0]), Tensor([2.0, 1.0])))
    [0. 0.]
    """
    x, y = _floats(input, other, "xlogy")
    outside = gen.logical_and(gen.equal(x, 0.0), gen.less_equal(y, 0.0))
    return x * gen.log(select(outside, 1.0, y))


@public(
    "ops.Xdivy",
    "Tensor.xdivy",
)
@operation
def xdivy(x: TensorLike, y: TensorLike) -> Tensor:
    """``x / y``, and 0 where both are 0.

    Raises:
        TypeError: an operand that is neither Tensor nor number.
        ValueError: shapes that do not broadcast.

    >>> print(ops.xdivy(Tensor([0.0, 3.0]), Tensor([0.0, 2.0])))
    [0.  1.5]
    """
    a, b = _floats(x, y, "xdivy")
    outside = gen.logical_and(gen.equal(a, 0.0), gen.equal(b, 0.0))
    return a / select(outside, 1.0, b)


@public(
    "Tensor.float_power(other)",
    "mint.float_power",
)
@operation
def float_power(input: TensorLike, exponent: TensorLike) -> Tensor:
    """`input` to the power `exponent`, computed in float64 or complex128.

    >>> print(ops.float_power(Tensor([2, 3]), 2))
    [4. 9.]
    """
    x, y = as_tensor(input, "float_power"), as_tensor(exponent, "float_power")
    is_complex = "c" in (x.dtype.kind, y.dtype.kind)
    dtype = mstype.complex128 if is_complex else mstype.float64
    return ew.power(cast_to(x, dtype), cast_to(y, dtype))


# --- geometry ---------------------------------------------------------------------------------


@public(
    "ops.Hypot",
    "Tensor.hypot",
)
@operation
def hypot(input: Tensor, other: Tensor) -> Tensor:
    """``sqrt(input**2 + other**2)``, where neither square overflows or underflows.

    The derivative at (0, 0) is NaN.

    Raises:
        TypeError: an operand that is neither Tensor nor number.
        ValueError: shapes that do not broadcast.

    >>> print(ops.hypot(Tensor([3.0, 5.0]), Tensor([4.0, 12.0])))
    [ 5. 13.]
    """
    a, b = _floats(input, other, "hypot")
    return emit("cell.hypot", [a, b])


_SINC_TERMS = 9


@public(
    "ops.Sinc",
    "Tensor.sinc",
    "mint.sinc",
    "mint.special.sinc",
)
@operation
def sinc(input: Tensor) -> Tensor:
    """``sin(pi x) / (pi x)``, and 1 at 0, with all derivatives there.

    >>> print(ops.sinc(Tensor([0.0, 0.5])))
    [1.         0.63661975]
    """
    x = check_float(input, "sinc", "input") * math.pi
    near = gen.less(gen.abs(x), 1.0)
    # The quotient and its derivatives cancel near 0: a polynomial in x*x takes over.
    series = sinc_series(select(near, x, 0.0))
    far = select(near, 1.0, x)
    return select(near, series, gen.sin(far) / far)


def sinc_series(x: Tensor) -> Any:
    """``sin(x) / x`` for sizes of up to 1."""
    square = gen.square(x)
    series: Any = (-1.0) ** _SINC_TERMS / math.factorial(2 * _SINC_TERMS + 1)
    for k in reversed(range(_SINC_TERMS)):
        series = square * series + (-1.0) ** k / math.factorial(2 * k + 1)
    return series


@public("Tensor.deg2rad")
@operation
def deg2rad(x: Tensor) -> Tensor:
    """Degrees to radians.

    >>> print(ops.deg2rad(Tensor([0.0, 180.0])))
    [0.        3.1415927]
    """
    return check_float(x, "deg2rad", "x") * (math.pi / 180)


@public("Tensor.rad2deg")
@operation
def rad2deg(x: Tensor) -> Tensor:
    """Radians to degrees.

    >>> print(ops.rad2deg(Tensor([0.0, 3.1415927])))
    [  0. 180.]
    """
    return check_float(x, "rad2deg", "x") * (180 / math.pi)


# --- signs and choices ------------------------------------------------------------------------


@public(
    "ops.Heaviside",
    "Tensor.heaviside",
)
@operation
def heaviside(input: Tensor, values: ArrayLike) -> Tensor:
    """0 where `input` is negative, `values` where it is 0, 1 where it is positive.

    Raises:
        TypeError: an operand that is neither Tensor nor number.
        ValueError: shapes that do not broadcast.

    >>> print(ops.heaviside(Tensor([-1.5, 0.0, 2.0]), Tensor([0.5])))
    [0.  0.5 1. ]
    """
    a, b = ew._operands(input, values, "cell.heaviside")
    dtype = mstype.promote(a.dtype, b.dtype)
    a, b = ew._broadcast(cast_to(a, dtype), cast_to(b, dtype), "heaviside")
    step = cast_to(gen.greater(a, 0), dtype)
    if dtype.kind == "f":
        step = select(gen.isnan(a), emit("cell.stop_gradient", [a]), step)
    return select(gen.equal(a, 0), b, step)


@public("Tensor.signbit")
@operation
def signbit(input: Tensor) -> Tensor:
    """Whether the sign is negative, that of zero included.

    >>> print(ops.signbit(Tensor([-2.5, 0.0, 3.0])))
    [ True False False]
    """
    x = check_tensor(input, "signbit", "input")
    if x.dtype.kind != "f":
        return gen.less(x, 0)
    zero = gen.logical_and(gen.equal(x, 0.0), gen.less(gen.reciprocal(x), 0.0))
    return gen.logical_or(gen.less(x, 0.0), zero)


@public("Tensor.copysign")
@operation
def copysign(x: TensorLike, other: TensorLike) -> Tensor:
    """The magnitude of `x` with the sign of `other`.

    Raises:
        TypeError: an operand that is neither Tensor nor number.
        ValueError: shapes that do not broadcast.

    >>> print(ops.copysign(Tensor([1.0, -2.0]), Tensor([-1.0, 3.0])))
    [-1.  2.]
    """
    a, b = _floats(x, other, "copysign")
    size = gen.abs(a)
    return select(signbit(b), -size, size)


def _chosen(a: Tensor, b: Tensor, first: Any, of_bools: Any) -> Tensor:
    """`a` where ``first(a, b)`` holds or `b` is NaN, `b` elsewhere."""
    if a.dtype.kind == b.dtype.kind == "b":
        return of_bools(a, b)  # type: ignore[no-any-return]
    chosen = first(a, b)
    if b.dtype.kind == "f":
        chosen = gen.logical_or(chosen, gen.isnan(b))
    out: Tensor = select(chosen, a, b)
    return out


@public(
    "ops.Fmax",
    "Tensor.fmax",
)
@operation
def fmax(input: TensorLike, other: TensorLike) -> Tensor:
    """The larger of two elements; the other one where one is NaN. Of equal ones it is the first, which
    has all of the gradient.

    Raises:
        TypeError: an operand that is neither Tensor nor number.
        ValueError: shapes that do not broadcast.

    >>> print(ops.fmax(Tensor([1.0, float("nan")]), Tensor([2.0, 3.0])))
    [2. 3.]
    """
    return _chosen(*ew._operands(input, other, "cell.fmax"), gen.greater_equal, gen.maximum)


@public(
    "ops.Fmin",
    "Tensor.fmin",
)
@operation
def fmin(input: TensorLike, other: TensorLike) -> Tensor:
    """The smaller of two elements; the other one where one is NaN. Of equal ones it is the first, which
    has all of the gradient.

    Raises:
        TypeError: an operand that is neither Tensor nor number.
        ValueError: shapes that do not broadcast.

    >>> print(ops.fmin(Tensor([1.0, float("nan")]), Tensor([2.0, 3.0])))
    [1. 3.]
    """
    return _chosen(*ew._operands(input, other, "cell.fmin"), gen.less_equal, gen.minimum)


_LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38}


@public(
    "ops.NanToNum(nan, posinf, neginf)(x)",
    "Tensor.nan_to_num",
    "mint.nan_to_num",
)
@operation
def nan_to_num(
    input: Tensor,
    nan: TensorLike | None = None,
    posinf: TensorLike | None = None,
    neginf: TensorLike | None = None,
) -> Tensor:
    """Numbers in place of NaN (0 by default) and infinities (the largest finite ones by default).

    The derivative is 0 at the elements replaced.

    Raises:
        TypeError: `input` is not a Tensor, or a number argument is not a number.

    >>> print(ops.nan_to_num(Tensor([float("nan"), float("inf"), 1.0]), 0.0, 9.0))
    [0. 9. 1.]
    """
    x = check_tensor(input, "nan_to_num", "input")
    largest = _LARGEST.get(x.dtype.name, 1.7976931348623157e308)
    values: list[Any] = []
    given = (("nan", nan, 0.0), ("posinf", posinf, largest), ("neginf", neginf, -largest))
    for name, value, default in given:
        if isinstance(value, Tensor) and not value.ndim:  # such as a number that is mutable
            values.append(cast_to(value, x.dtype))
        elif value is not None:
            check_number(value, "nan_to_num", name)
            values.append(real(value))
        else:
            values.append(default)
    if x.dtype.kind != "f":
        return x
    out = select(gen.isnan(x), values[0], x)
    out = select(gen.equal(x, math.inf), values[1], out)
    return select(gen.equal(x, -math.inf), values[2], out)


@public("Tensor.isposinf")
@operation
def isposinf(input: Tensor) -> Tensor:
    """Whether elements are infinite and positive.

    >>> print(ops.isposinf(Tensor([float("-inf"), float("inf"), 1.0])))
    [False  True False]
    """
    return gen.equal(check_float(input, "isposinf", "input"), math.inf)


@public(
    "Tensor.isneginf",
    "mint.isneginf",
)
@operation
def isneginf(input: Tensor) -> Tensor:
    """Whether elements are infinite and negative.

    >>> print(ops.isneginf(Tensor([float("-inf"), float("inf"), 1.0])))
    [ True False False]
    """
    return gen.equal(check_float(input, "isneginf", "input"), -math.inf)


@public(
    "ops.IsClose(rtol, atol, equal_nan)(input, other)",
    "Tensor.isclose(other=None, rtol=1e-05, atol=1e-08, equal_nan=False, *, x2=None) = "
    "ops.isclose(self, other if x2 is None else x2, rtol, atol, equal_nan)",
    "mint.allclose(input, other, rtol, atol, equal_nan) = "
    "bool(ops.all(ops.isclose(input, other, rtol, atol, equal_nan)))",
    "mint.isclose",
)
@operation
def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Whether ``|input - other| <= atol + rtol * |other|``; equal infinities are close.

    Raises:
        TypeError: an operand that is neither Tensor nor number.
        ValueError: shapes that do not broadcast.

    >>> print(ops.isclose(Tensor([1.0, 2.0]), Tensor([1.000001, 2.1])))
    [ True False]

    >>> print(mint.allclose(Tensor([1.0]), Tensor([1.000001])))
    True
    """
    a, b = _floats(input, other, "isclose")
    near = gen.less_equal(gen.abs(a - b), gen.abs(b) * rtol + atol)
    near = gen.logical_and(near, gen.isfinite(b))
    near = gen.logical_or(near, gen.equal(a, b))
    if isinstance(equal_nan, Tensor) or equal_nan:
        both = gen.logical_and(gen.isnan(a), gen.isnan(b))
        if isinstance(equal_nan, Tensor):  # a bool that is mutable
            both = gen.logical_and(both, equal_nan)
        near = gen.logical_or(near, both)
    return near


@public("Tensor.positive")
@operation
def positive(input: Tensor) -> Tensor:
    """The tensor itself.

    >>> print(ops.positive(Tensor([1.0, -2.0])))
    [ 1. -2.]
    """
    return check_tensor(input, "positive", "input")


@public("Tensor.sgn")
def sgn(input: Tensor) -> Tensor:
    """The sign of real numbers, see `sign`; ``x / abs(x)`` of complex ones, and 0 at 0.

    >>> print(ops.sgn(Tensor([-2.5, 0.0, 3.0])))
    [-1.  0.  1.]
    """
    x = check_tensor(input, "sgn", "input")
    if x.dtype.kind != "c":
        return gen.sign(x)
    size = gen.abs(x)
    return x / select(gen.equal(size, 0.0), 1.0, size)


@public(
    "ops.Inv",
    "Tensor.inv",
)
def inv(x: Tensor) -> Tensor:
    """Same as `reciprocal`.

    >>> print(ops.inv(Tensor([0.25, 2.0])))
    [4.  0.5]
    """
    return gen.reciprocal(x)


@public("mint.sub")
def subtract(input: TensorLike, other: TensorLike, *, alpha: TensorLike = 1) -> Tensor:
    """``input - alpha * other``.

    Raises:
        TypeError: no argument is a Tensor, or `alpha` is no number and no Tensor without dimensions.

    >>> print(ops.subtract(Tensor([5.0, 6.0]), Tensor([1.0, 2.0]), alpha=2))
    [3. 2.]
    """
    if not is_number(alpha) and not (isinstance(alpha, Tensor) and alpha.ndim == 0):
        raise argument_error(TypeError, "subtract", "alpha", "a number", alpha)
    return gen.sub(input, scaled(input, other, alpha))


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, Tensor) and value.dtype is mstype.bool_)


def scaled(input: Any, other: Any, alpha: TensorLike) -> Any:
    """``alpha * other`` for a sum with `input`, in the dtype of the sum."""
    if is_number(alpha) and _is_bool(input) and _is_bool(other):
        return other if alpha else other & False  # a sum of truth values is one
    if isinstance(alpha, int) and alpha == 1:
        return other
    if is_number(other) and is_number(alpha):
        return other * alpha  # stays a number, which takes the tensor's dtype
    if isinstance(input, Tensor) and isinstance(other, Tensor):
        other = cast_to(other, mstype.promote(input.dtype, other.dtype))
    return gen.mul(other, alpha)
