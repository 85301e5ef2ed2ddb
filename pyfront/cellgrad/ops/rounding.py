"""Rounding, remainders and bits: what the records' wrappers do not say themselves."""

from __future__ import annotations

from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import check_dtype, check_int
from cellgrad.core.dtype import float32
from cellgrad.core.record import cast_to, check_tensor, emit, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import _generated as gen
from cellgrad.ops._public import public


@public(
    "Tensor.round(decimals)",
    "mint.round",
    "mint.special.round(input)",
)
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """The nearest integers, the even one of two; its derivative is zero.

    Args:
        input: a Tensor of any dtype; integers stay as they are.
        decimals: how many decimal places to keep; negative for places before the point.

    Raises:
        TypeError: `input` is not a Tensor, or `decimals` is not an int.

    >>> print(ops.round(Tensor([0.5, 1.5, -1.2])))
    [ 0.  2. -1.]
    """
    decimals = check_int(decimals, "round", "decimals")
    out: Tensor = _round(check_tensor(input, "round", "input"), decimals)
    return out


@operation
def _round(x: Tensor, decimals: int) -> Tensor:
    if decimals == 0 or x.dtype.kind in "iub":
        return ew.unary("cell.round", x)
    scale = 10.0 ** abs(decimals)
    if decimals > 0:
        return ew.unary("cell.round", x * scale) / scale
    return ew.unary("cell.round", x / scale) * scale


@public()
class Round(ew.Primitive):
    """The nearest integers: the class form of `round`.

    >>> print(ops.Round()(Tensor([0.5, 1.5, -1.2])))
    [ 0.  2. -1.]
    """

    def __call__(self, input_x: Tensor) -> Tensor:
        return round(input_x)


@public(
    "Tensor.remainder(other=None, *, divisor=None) = "
    "ops.remainder(self, divisor if other is None else other)",
    "mint.remainder",
)
def remainder(input: TensorLike, other: TensorLike) -> Tensor:
    """The remainder of `input` / `other` with the sign of `other`; same as `floor_mod`.

    >>> print(ops.remainder(Tensor([5.0, -5.0]), 3.0))
    [2. 1.]
    """
    return gen.floor_mod(input, other)


@public(
    "Tensor.fmod",
    "mint.fmod",
)
def fmod(input: TensorLike, other: TensorLike) -> Tensor:
    """The remainder of `input` / `other` with the sign of `input`; same as `truncate_mod`, but a
    number below 0 does not wrap beside unsigned integers.

    >>> print(ops.fmod(Tensor([5.0, -5.0]), 3.0))
    [ 2. -2.]
    """
    if type(other) is int and other < 0 and isinstance(input, Tensor) and input.dtype.kind == "u":
        other = -other  # whose remainders are the same
    return gen.truncate_mod(input, other)


@public(
    "Tensor.floor_divide",
    "mint.floor_divide",
)
def floor_divide(input: TensorLike, other: TensorLike) -> Tensor:
    """The largest integers not above `input` / `other`; same as `floor_div`.

    >>> print(ops.floor_divide(Tensor([5.0, -5.0]), 3.0))
    [ 1. -2.]
    """
    return gen.floor_div(input, other)


@public()
@operation
def truncate_div(x: TensorLike, y: TensorLike) -> Tensor:
    """`x` divided by `y`, rounded towards 0; an integer divided by 0 is 0.

    Raises:
        TypeError: an operand that is neither Tensor nor number.
        ValueError: shapes that do not broadcast.

    >>> print(ops.truncate_div(Tensor([5, -5], ms.int32), Tensor([3, 3], ms.int32)))
    [ 1 -1]
    """
    quotient = gen.floor_div(x, y)
    if quotient.dtype.kind == "f":
        # A quotient rounded to half precision may be the next whole number.
        half = quotient.dtype.itemsize == 2
        a, b = (cast_to(v, float32) if half and isinstance(v, Tensor) else v for v in (x, y))
        return cast_to(gen.trunc(ew.binary("cell.div", a, b, True)), quotient.dtype)
    # The floor is one too low where it is negative and leaves a remainder.
    exact = gen.equal(gen.truncate_mod(x, y), 0)
    low = gen.logical_and(gen.less(quotient, 0), gen.logical_not(exact))
    return gen.add(quotient, low.astype(quotient.dtype))


@public()
class TruncateDiv(ew.Primitive):
    """Division rounded towards 0: the class form of `truncate_div`.

    >>> print(ops.TruncateDiv()(Tensor([5, -5], ms.int32), Tensor([3, 3], ms.int32)))
    [ 1 -1]
    """

    def __call__(self, x: TensorLike, y: TensorLike) -> Tensor:
        out: Tensor = truncate_div(x, y)
        return out


@public()
class Mod(ew.Primitive):
    """The remainder with the sign of the first operand, as in MindSpore; see `fmod`.

    >>> print(ops.Mod()(Tensor([5.0, -5.0]), 3.0))
    [ 2. -2.]
    """

    def __call__(self, x: TensorLike, y: TensorLike) -> Tensor:
        return fmod(x, y)


@public(
    "Tensor.frac",
    "mint.frac(input)",
)
@operation
def frac(x: Tensor) -> Tensor:
    """The fractional part, with the sign of `x`; its derivative is one.

    >>> print(ops.frac(Tensor([1.5, -2.25])))
    [ 0.5  -0.25]
    """
    return check_tensor(x, "frac", "x") - gen.trunc(x)


@public(
    "Tensor.bitwise_not",
    "Tensor.invert",
    "mint.bitwise_not",
)
@operation
def bitwise_not(input: Tensor) -> Tensor:
    """All bits of integers inverted; the logical opposite of bools.

    Raises:
        TypeError: `input` is not a Tensor of integers or bools.

    >>> print(ops.bitwise_not(Tensor([0, 5], ms.int16)))
    [-1 -6]
    """
    x = check_tensor(input, "bitwise_not", "input")
    if x.dtype.kind == "b":
        return emit("cell.logical_not", [x])
    return emit("cell.bitwise_not", [check_dtype(x, "bitwise_not", "input", "biu")])


@public()
class Invert(ew.Primitive):
    """All bits inverted: the class form of `bitwise_not`.

    >>> print(ops.Invert()(Tensor([0, 5], ms.int16)))
    [-1 -6]
    """

    def __call__(self, x: Tensor) -> Tensor:
        out: Tensor = bitwise_not(x)
        return out
