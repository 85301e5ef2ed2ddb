"""Sums, products and extrema of all elements up to each one.

Sums, products and extrema are primitives; derivatives hold no quotients. For logarithms of sums,
elements at distances 1, 2, 4, ... are combined, so that a result takes the logarithm of the length in
steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import argument_error, check_dtype, check_ndim
from cellgrad.core.dtype import Type
from cellgrad.core.record import (
    axis_of,
    cast_to,
    check_tensor,
    emit,
    emit_several,
    operation,
    splat,
    widened,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import pointwise
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops._static import known_int
from cellgrad.ops.segments import extreme


def _part(x: Tensor, dim: int, start: int, limit: int) -> Tensor:
    starts, limits = [0] * x.ndim, list(x.shape)
    starts[dim], limits[dim] = start, limit
    return emit("cell.slice", [x], {"starts": starts, "limits": limits, "strides": [1] * x.ndim})


def _joined(parts: list[Tensor], dim: int) -> Tensor:
    return emit("cell.concat", parts, {"dim": dim})


Combine = Callable[[list[Tensor], list[Tensor]], list[Tensor]]


def scan(values: list[Tensor], dim: int, combine: Combine, reverse: bool = False) -> list[Tensor]:
    """Combines all elements up to each one, or from it on, of tensors of one shape.

    `combine` takes what comes first and what comes after, and is associative.
    """
    n, distance = values[0].shape[dim], 1
    while distance < n:
        first = [_part(v, dim, 0, n - distance) for v in values]
        after = [_part(v, dim, distance, n) for v in values]
        both = combine(first, after)
        if reverse:
            ends = [_part(v, dim, n - distance, n) for v in values]
            values = [_joined([b, e], dim) for b, e in zip(both, ends, strict=True)]
        else:
            ends = [_part(v, dim, 0, distance) for v in values]
            values = [_joined([e, b], dim) for b, e in zip(both, ends, strict=True)]
        distance *= 2
    return values


def _input(x: Any, axis: Any, op: str, name: str, kinds: str = "iufc") -> tuple[Tensor, int]:
    tensor = check_dtype(check_tensor(x, op, name), op, name, kinds)
    check_ndim(tensor, op, name, at_least=1)
    return tensor, axis_of(axis, tensor.ndim, op)


# --- functions ------------------------------------------------------------------------------------


def _shifted(y: Tensor, dim: int, neutral: Any, reverse: bool) -> Tensor:
    """What is accumulated before each element, or behind it."""
    n = y.shape[dim]
    if not n:
        return y
    edge = splat(neutral, y.dtype, tuple(1 if i == dim else k for i, k in enumerate(y.shape)))
    parts = [_part(y, dim, 1, n), edge] if reverse else [edge, _part(y, dim, 0, n - 1)]
    return _joined(parts, dim)


@operation
def _cumsum(x: Tensor, axis: int, dtype: Type | None, exclusive: bool, reverse: bool) -> Tensor:
    y, dim = _input(x, axis, "cumsum", "x")
    target = dtype or y.dtype
    attrs = {"dim": dim, "exclusive": exclusive, "reverse": reverse}
    return emit("cell.cumsum", [cast_to(y, target)], attrs)


@public("mint.cumsum(input, dim, dtype)")
def cumsum(x: Tensor, axis: int, dtype: Type | None = None) -> Tensor:
    """The sums of all elements up to each one along `axis`; integers keep their dtype.

    Raises:
        TypeError: `x` is not a Tensor of numbers, or `axis` not an int.
        ValueError: `axis` is out of range, or `x` a scalar.

    >>> print(ops.cumsum(Tensor([1.0, 2.0, 3.0]), 0))
    [1. 3. 6.]
    """
    out: Tensor = _cumsum(x, axis, dtype, False, False)
    return out


@operation
def _cumprod(input: Tensor, dim: int, dtype: Type | None, exclusive: bool, reverse: bool) -> Tensor:
    of_bools = dtype is mstype.bool_
    given, d = _input(input, dim, "cumprod", "input", "iufc" if of_bools else "biufc")
    if of_bools:
        raise argument_error(TypeError, "cumprod", "dtype", "a type of numbers", dtype)
    target = dtype or (given.dtype if given.dtype.kind in "fc" else mstype.int64)
    y = widened(cast_to(given, target))
    attrs = {"dim": d, "exclusive": exclusive, "reverse": reverse}
    return cast_to(emit("cell.cumprod", [y], attrs), target)


@public(
    "Tensor.cumprod",
    "mint.cumprod",
)
def cumprod(input: Tensor, dim: int, dtype: Type | None = None) -> Tensor:
    """The products of all elements up to each one along `dim`; integers and bools as int64. Derivatives
    are exact where elements are zero.

    Raises:
        TypeError: `input` is not a Tensor, or `dim` not an int.
        ValueError: `dim` is out of range, or `input` a scalar.

    >>> print(ops.cumprod(Tensor([1.0, 2.0, 3.0]), 0))
    [1. 2. 6.]
    """
    out: Tensor = _cumprod(input, dim, dtype, False, False)
    return out


@public("Tensor.logcumsumexp")
def logcumsumexp(input: Tensor, axis: int) -> Tensor:
    """The logarithms of sums of exponentials of all elements up to each one, without overflow.

    Raises:
        TypeError: `input` is not a Tensor of floats, or `axis` not an int.
        ValueError: `axis` is out of range, or `input` a scalar.

    >>> print(ops.logcumsumexp(Tensor([0.0, 1.0, 2.0]), 0))
    [0.        1.3132617 2.4076061]
    """
    out: Tensor = _logcumsumexp(input, axis, False, False)
    return out


@operation
def _logcumsumexp(input: Tensor, axis: int, exclusive: bool, reverse: bool) -> Tensor:
    given, dim = _input(input, axis, "logcumsumexp", "input")
    check_dtype(given, "logcumsumexp", "input", "f")
    (y,) = scan([widened(given)], dim, lambda a, b: [pointwise.logaddexp(a[0], b[0])], reverse)
    y = cast_to(y, given.dtype)
    return _shifted(y, dim, extreme(given.dtype, True), reverse) if exclusive else y


def _extremum(input: Any, axis: Any, name: str, dtype: Type) -> tuple[Tensor, Tensor]:
    x, dim = _input(input, axis, name, "input")
    values, positions = emit_several(f"cell.{name}", [x], {"dim": dim})
    return values, cast_to(positions, dtype)


@public(
    "ops.Cummax(axis)(input)",
    "Tensor.cummax",
    "mint.cummax(input, dim) = h.long(ops.cummax(input, dim))",
)
@operation
def cummax(input: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """The largest of all elements up to each one along `axis`, and its position (int64): the last of
    several, which gets the whole derivative. From a NaN on all are NaN.

    Raises:
        TypeError: `input` is not a Tensor of numbers, or `axis` not an int.
        ValueError: `axis` is out of range, or `input` a scalar.

    >>> values, indices = ops.cummax(Tensor([1.0, 3.0, 2.0]), 0)
    >>> print(values, indices)
    [1. 3. 3.] [0 1 1]
    """
    return _extremum(input, axis, "cummax", mstype.int64)


@public(
    "ops.Cummin(axis)(input)",
    "Tensor.cummin",
    "mint.cummin(input, dim) = h.long(ops.cummin(input, dim))",
)
@operation
def cummin(input: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """The smallest of all elements up to each one along `axis`, and its position (int32): the last
    of several, which gets the whole derivative. From a NaN on all are NaN.

    Raises:
        TypeError: `input` is not a Tensor of numbers, or `axis` not an int.
        ValueError: `axis` is out of range, or `input` a scalar.

    >>> values, indices = ops.cummin(Tensor([3.0, 1.0, 2.0]), 0)
    >>> print(values, indices)
    [3. 1. 1.] [0 1 1]
    """
    return _extremum(input, axis, "cummin", mstype.int32)


# --- classes ------------------------------------------------------------------------------------


@public()
class CumSum(Primitive):
    """`cumsum`, without the element itself if `exclusive`, from the end if `reverse`.

    >>> print(ops.CumSum(exclusive=True)(Tensor([1.0, 2.0, 3.0]), 0))
    [0. 1. 3.]
    """

    def __init__(self, exclusive: bool = False, reverse: bool = False):
        super().__init__()
        self.exclusive, self.reverse = exclusive, reverse

    def __call__(self, input: Tensor, axis: int) -> Tensor:
        out: Tensor = _cumsum(input, axis, None, self.exclusive, self.reverse)
        return out


@public()
class CumProd(CumSum):
    """`cumprod`, without the element itself if `exclusive`, from the end if `reverse`.

    >>> print(ops.CumProd()(Tensor([1.0, 2.0, 3.0]), 0))
    [1. 2. 6.]
    """

    def __call__(self, input: Tensor, axis: int) -> Tensor:
        dtype = input.dtype if isinstance(input, Tensor) else None
        out: Tensor = _cumprod(input, axis, dtype, self.exclusive, self.reverse)
        return out


@public()
class CumulativeLogsumexp(CumSum):
    """`logcumsumexp`, from the end if `reverse`; if `exclusive` without the element itself, and the
    least finite number where there is no other.

    >>> print(ops.CumulativeLogsumexp()(Tensor([0.0, 1.0, 2.0]), Tensor(0)))
    [0.        1.3132617 2.4076061]
    """

    def __call__(self, x: Tensor, axis: int) -> Tensor:  # type: ignore[override]
        if isinstance(axis, Tensor):
            axis = known_int(axis, "CumulativeLogsumexp", "axis")
        out: Tensor = _logcumsumexp(x, axis, self.exclusive, self.reverse)
        return out
