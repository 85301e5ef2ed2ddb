"""Extreme and middle elements along a dimension, with their positions.

A position is that of the first such element, and its value gets the whole derivative. NaN counts as
the extremum, so that it shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core import scope, state
from cellgrad.core.aliases import TensorLike
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import (
    axis_of,
    broadcast_to_shape,
    cast_to,
    check_tensor,
    emit,
    operation,
    reshape_to,
    splat,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated, reductions
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._index import elements_along, order_of
from cellgrad.ops._public import public
from cellgrad.ops.segments import extreme
from cellgrad.ops.selection import cast, select


def _comparable(x: Any, op: str) -> Tensor:
    tensor = check_tensor(x, op, "input")
    return cast_to(tensor, mstype.int32) if tensor.dtype.kind == "b" else tensor


def _dimension(x: Tensor, axis: Any, op: str) -> int:
    """A dimension with elements; 0 of a tensor that has none."""
    dim = axis_of(axis, x.ndim, op)
    if x.ndim and x.shape[dim] == 0:
        raise error(
            ValueError,
            f"For '{op}', the dimension {dim} of a tensor of shape {list(x.shape)} has no elements "
            f"to compare.",
        )
    return dim


def position(op: str, x: Tensor, dims: tuple[int, ...], dtype: Type) -> Tensor:
    """The row-major position over dimensions, which stay with size 1, of the first extremum."""
    kept = tuple(n for d, n in enumerate(x.shape) if d not in dims)
    out = emit(op, [x], {"dims": list(dims)}, dtype, kept)
    return reshape_to(out, tuple(1 if d in dims else n for d, n in enumerate(x.shape)))


def _without(x: Tensor, dim: int, keep: bool) -> Tensor:
    return x if keep else reshape_to(x, x.shape[:dim] + x.shape[dim + 1 :])


def _position_of(
    op: str, name: str, input: Any, axis: int | None, keep: bool, dtype: Type
) -> Tensor:
    x = _comparable(input, name)
    if x.ndim == 0:
        return _zero(dtype)
    if axis is None:
        _dimension(reshape_to(x, (x.size,)), 0, name)
        out = position(op, x, tuple(range(x.ndim)), dtype)
        return out if keep else reshape_to(out, ())
    dim = _dimension(x, axis, name)
    return _without(position(op, x, (dim,), dtype), dim, keep)


def _zero(dtype: Type) -> Tensor:
    return splat(0, dtype, ())


@public("mint.argmax")
@operation
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The first position of the largest element along `dim` (in the flattened tensor by default),
    int64.

    Raises:
        TypeError, ValueError: `input` is not a Tensor, `dim` is out of range or empty.

    >>> print(ops.argmax(Tensor([1.0, 3.0, 2.0])))
    1
    """
    return _position_of("cell.argmax", "argmax", input, dim, keepdim, mstype.int64)


@public(
    "mint.argmin(input, dim=None, keepdim=False) = "
    "ops.argmin(input, dim, keepdim).astype(mstype.int64)",
)
@operation
def argmin(input: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The first position of the smallest element along `axis` (in the flattened tensor by default),
    int32.

    Raises:
        TypeError, ValueError: `input` is not a Tensor, `axis` is out of range or empty.

    >>> print(ops.argmin(Tensor([[1.0, 5.0], [3.0, 2.0]]), axis=1))
    [0 1]
    """
    return _position_of("cell.argmin", "argmin", input, axis, keepdims, mstype.int32)


def _element_at(x: Tensor, found: Tensor, dim: int) -> Tensor:
    """The element at the position of an extremum along a dimension, `found` with size 1 there."""
    current = state.current.scope
    # In a program for any batch size the first dimension may be that, along which nothing is gathered.
    chosen = dim == 0 and current is not None and current.trace.stand_in > 0
    return (_attained if chosen else elements_along)(x, found, dim)


def _attained(x: Tensor, found: Tensor, dim: int) -> Tensor:
    """The element at a position along a dimension, `found` with size 1 there, as the only one that is chosen."""
    number = emit("cell.iota", [], {"dim": dim}, found.dtype, x.shape)
    own = emit("cell.equal", [number, broadcast_to_shape(found, x.shape)])
    least: Any = -math.inf if x.dtype.kind == "f" else extreme(x.dtype, True)
    out = emit("cell.reduce_max", [select(own, x, least)], {"dims": [dim]})
    if x.dtype.kind == "f":
        out = scope.leaf_of(emit("cell.reduce_sum", [select(own, x, 0)], {"dims": [dim]}), out)
    return reshape_to(out, found.shape)


def _with_position(
    op: str, name: str, input: Any, axis: Any, keep: bool, initial: Any, where: Any
) -> tuple[Tensor, Tensor]:
    bound = "cell.maximum" if name == "max" else "cell.minimum"
    given = reductions.chosen(bound, name, check_tensor(input, name, "input"), initial, where)
    if axis is None or given.ndim == 0:
        reduction = reductions.amax if name == "max" else reductions.amin
        return reduction(given, axis, keep), _zero(mstype.int64)
    x = _comparable(given, name)
    dim = _dimension(x, axis, name)
    found = position(op, x, (dim,), mstype.int64)
    value = cast_to(_element_at(x, found, dim), given.dtype)
    return _without(value, dim, keep), _without(found, dim, keep)


@public(
    "mint.max(input, dim=None, keepdim=False) = h.extremum('max', input, dim, keepdim)",
)
@operation
def max(
    input: Tensor,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    initial: TensorLike | None = None,
    where: TensorLike | None = None,
) -> tuple[Tensor, Tensor]:
    """The largest elements along `axis` and their positions (int64); the first of several gets the
    whole derivative. `initial` takes the place of less extreme elements, and of those where `where`
    does not hold. Without `axis` the largest of all, as `amax`, and 0.

    Raises:
        TypeError, ValueError: `input` is not a Tensor, `axis` is out of range or empty.

    >>> value, index = ops.max(Tensor([[1.0, 5.0], [3.0, 2.0]]), axis=1)
    >>> print(value, index)
    [5. 3.] [1 0]

    >>> values, indices = mint.max(Tensor([[1.0, 5.0], [3.0, 2.0]]), dim=1)
    >>> print(values, indices)
    [5. 3.] [1 0]
    """
    return _with_position("cell.argmax", "max", input, axis, keepdims, initial, where)


@public(
    "mint.min(input, dim=None, keepdim=False) = h.extremum('min', input, dim, keepdim)",
)
@operation
def min(
    input: Tensor,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    initial: TensorLike | None = None,
    where: TensorLike | None = None,
) -> tuple[Tensor, Tensor]:
    """The smallest elements along `axis` and their positions (int64); the first of several gets the
    whole derivative. `initial` takes the place of less extreme elements, and of those where `where`
    does not hold. Without `axis` the smallest of all, as `amin`, and 0.

    Raises:
        TypeError, ValueError: `input` is not a Tensor, `axis` is out of range or empty.

    >>> value, index = ops.min(Tensor([[1.0, 5.0], [3.0, 2.0]]), axis=1)
    >>> print(value, index)
    [1. 2.] [0 1]

    >>> values, indices = mint.min(Tensor([[1.0, 5.0], [3.0, 2.0]]), dim=1)
    >>> print(values, indices)
    [1. 2.] [0 1]
    """
    return _with_position("cell.argmin", "min", input, axis, keepdims, initial, where)


@public(
    "Tensor.median(axis, keepdims, *, dim=None, keepdim=False) = "
    "ops.median(self, axis if dim is None else dim, keepdims or keepdim)",
    "mint.median(input, dim=None, keepdim=False) = h.median(input, dim, keepdim)",
)
@operation
def median(input: Tensor, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """The middle elements along `axis` (the lower one of two) and their positions (int64), the whole
    derivative to them; the first NaN where there is one. The derivative of the middle one of all elements, as
    `mint.median` without `dim` has it, is shared by the elements equal to it.

    Raises:
        TypeError, ValueError: `input` is not a Tensor, `axis` is not an int, out of range or empty.

    >>> value, index = ops.median(Tensor([[3.0, 1.0, 2.0]]))
    >>> print(value, index)
    [2.] [2]

    >>> print(mint.median(Tensor([3.0, 1.0, 2.0])))
    2.0
    """
    given = check_tensor(input, "median", "input")
    x = reshape_to(_comparable(given, "median"), given.shape or (1,))
    dim = _dimension(x, axis, "median")
    order = cast_to(order_of(x, dim, False), mstype.int64)
    starts, limits = [0] * x.ndim, list(x.shape)
    starts[dim] = (x.shape[dim] - 1) // 2
    limits[dim] = starts[dim] + 1
    attrs = {"starts": starts, "limits": limits, "strides": [1] * x.ndim}
    found = emit("cell.slice", [order], attrs)
    if x.dtype.kind == "f":
        # NaN is the largest: an argmax that is NaN is the first one.
        top = position("cell.argmax", x, (dim,), mstype.int64)
        found = select(emit("cell.is_nan", [elements_along(x, top, dim)]), top, found)
    value = cast_to(_element_at(x, found, dim), given.dtype)
    if given.ndim == 0:
        return reshape_to(value, ()), reshape_to(found, ())
    return _without(value, dim, keepdims), _without(found, dim, keepdims)


@operation
def shared(x: Tensor, value: Tensor) -> Tensor:
    """A value that is an element of a vector, its derivative shared by all elements equal to it."""
    if x.dtype.kind != "f":
        return value
    at = emit("cell.stop_gradient", [value])
    equal = _generated.logical_or(
        _generated.equal(x, at), _generated.logical_and(_generated.isnan(x), _generated.isnan(at))
    )
    count = reductions.sum(cast_to(equal, mstype.float64))
    zero = splat(0, x.dtype, x.shape)

    def part(of: Tensor) -> Tensor:
        return reductions.sum(select(equal, of, zero)) * cast_to(1 / count, x.dtype)

    # The value itself is exact, also where it is near the largest number.
    return select(_generated.isfinite(at), at + part(x - at), part(x))


@operation
def median_of_all(input: Tensor) -> Tensor:
    """The middle one of all elements, its derivative shared by those equal to it; the first NaN."""
    given = check_tensor(input, "median", "input")
    x = reshape_to(given, (given.size,))
    return shared(x, median(x, 0)[0])


# --- classes ------------------------------------------------------------------------------------


@public()
class Argmax(Primitive):
    """`argmax` along `axis`, in `output_type`.

    >>> print(ops.Argmax()(Tensor([[1.0, 5.0], [3.0, 2.0]])))
    [1 0]
    """

    function: Callable[..., Tensor] = staticmethod(argmax)

    def __init__(self, axis: int = -1, output_type: Type = mstype.int32):
        super().__init__()
        self.axis, self.output_type = axis, output_type

    def __call__(self, input_x: Tensor) -> Tensor:
        return cast(self.function(input_x, self.axis), self.output_type)


@public()
class Argmin(Argmax):
    """`argmin` along `axis`, in `output_type`.

    >>> print(ops.Argmin()(Tensor([[1.0, 5.0], [3.0, 2.0]])))
    [0 1]
    """

    function: Callable[..., Tensor] = staticmethod(argmin)


@public()
class ArgMaxWithValue(Primitive):
    """Positions, then values, of the largest elements along `axis`; see `max`.

    >>> index, value = ops.ArgMaxWithValue(axis=1)(Tensor([[1.0, 5.0], [3.0, 2.0]]))
    >>> print(index, value)
    [1 0] [5. 3.]
    """

    function: Callable[..., tuple[Tensor, Tensor]] = staticmethod(max)

    def __init__(self, axis: int = 0, keep_dims: bool = False):
        super().__init__()
        self.axis, self.keep_dims = axis, keep_dims

    def __call__(self, input: Tensor) -> tuple[Tensor, Tensor]:
        value, where = self.function(input, self.axis, self.keep_dims)
        return where, value


@public()
class ArgMinWithValue(ArgMaxWithValue):
    """Positions, then values, of the smallest elements along `axis`; see `min`.

    >>> index, value = ops.ArgMinWithValue(axis=1)(Tensor([[1.0, 5.0], [3.0, 2.0]]))
    >>> print(index, value)
    [0 1] [1. 2.]
    """

    function: Callable[..., tuple[Tensor, Tensor]] = staticmethod(min)
