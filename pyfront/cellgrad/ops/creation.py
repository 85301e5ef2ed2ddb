"""Tensors made from shapes and numbers."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import (
    check_dtype,
    check_instance,
    check_ndim,
    check_number,
    check_sequence,
)
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import (
    broadcast_to_shape,
    cast_to,
    check_tensor,
    emit,
    operation,
    reshape_to,
    splat,
)
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import elements
from cellgrad.ops import _elementwise as ew
from cellgrad.ops._public import public
from cellgrad.ops._static import iota, known, known_int
from cellgrad.ops.selection import cast


def _number(value: Any, op: str, argument: str) -> Any:
    """A number from a number or a tensor of one that is known."""
    if isinstance(value, Tensor) and value.size == 1:
        return elements(value, f"'{argument}' of {op}").reshape(()).item()
    return check_number(value, op, argument)


@public("mint.arange")
def arange(
    start: TensorLike = 0,
    end: TensorLike | None = None,
    step: TensorLike = 1,
    *,
    dtype: Type | None = None,
) -> Tensor:
    """`start`, `start` + `step`, ... below `end`; with one argument, 0, 1, ... below it. The dtype
    is int64 by default, float32 where a number is a float.

    Raises:
        TypeError: an argument that is not a number.
        ValueError: a step of 0, or in the other direction.

    >>> print(ops.arange(0, 6, 2))
    [0 2 4]
    """
    if end is None:
        start, end = 0, start
    first, last, by = (
        _number(v, "arange", n) for v, n in ((start, "start"), (end, "end"), (step, "step"))
    )
    if by == 0 or (last - first) * by < 0:
        raise error(
            ValueError,
            f"For 'arange', 'step' must lead from 'start' to 'end', but got start={first}, "
            f"end={last}, step={by}.",
        )
    whole = all(isinstance(v, int) for v in (first, last, by))
    own = mstype.int64 if whole else mstype.default_float()
    count = -((first - last) // by) if whole else math.ceil((last - first) / by)
    if state.current.scope is None:
        places = np.arange(count, dtype=np.int64 if whole else np.float64)
        return known(first + by * places, dtype or own)
    exact = mstype.int64 if whole else mstype.float64
    steps = emit("cell.mul", [iota(count, exact), splat(by, exact, (count,))])
    return cast_to(emit("cell.add", [steps, splat(first, exact, (count,))]), dtype or own)


@public("ops.Range(maxlen)(start, end, step)")
def range(start: TensorLike, end: TensorLike, step: TensorLike, maxlen: int = 1000000) -> Tensor:
    """Same as `arange`, with at most `maxlen` elements.

    Raises:
        TypeError: an argument that is not a number.
        ValueError: a step of 0 or in the other direction, or more elements than `maxlen`.

    >>> print(ops.range(0, 6, 2))
    [0 2 4]
    """
    out = arange(start, end, step)
    if out.size > known_int(maxlen, "range", "maxlen"):
        raise error(
            ValueError, f"For 'range', {out.size} elements are more than 'maxlen', {maxlen}."
        )
    return out


@public(
    "ops.LinSpace(start, stop, num)",
    "mint.linspace(start, end, steps, *, dtype=None) = h.spaced(start, end, steps, dtype)",
)
def linspace(start: TensorLike, end: TensorLike, steps: int) -> Tensor:
    """`steps` numbers from `start` to `end` at equal distances, both included; float32, or the
    dtype of the tensors given.

    Raises:
        TypeError: `start` or `end` is neither number nor floating-point Tensor, or `steps` is not
            an int.
        ValueError: `steps` below 1, or a tensor with dimensions.

    >>> print(ops.linspace(0, 1, 3))
    [0.  0.5 1. ]

    >>> print(mint.linspace(0, 1, 3, dtype=ms.float64).dtype)
    Float64
    """
    count = known_int(steps, "linspace", "steps", at_least=1)
    if not isinstance(start, Tensor) and not isinstance(end, Tensor):
        first, last = _number(start, "linspace", "start"), _number(end, "linspace", "end")
        return known(np.linspace(first, last, count), mstype.default_float())
    a, b = ew._operands(start, end, "cell.linspace")
    for x, argument in ((a, "start"), (b, "end")):
        check_dtype(check_ndim(x, "linspace", argument, 0), "linspace", argument, "f")
    out: Tensor = _linspace(a, b, count)
    return out


@operation
def _linspace(a: Tensor, b: Tensor, count: int) -> Tensor:
    dtype = mstype.promote(a.dtype, b.dtype)
    # Whole steps from the start, so that round numbers are met exactly; and so is the last one. 16 bits
    # do not count far enough.
    inner = mstype.float64 if dtype is mstype.float64 else mstype.float32
    low, high = (broadcast_to_shape(cast_to(x, inner), (1,)) for x in (a, b))
    if count == 1:
        return cast_to(low, dtype)
    apart = emit("cell.sub", [high, low])
    step = emit("cell.div", [apart, known(np.full((1,), count - 1), inner)])
    steps = broadcast_to_shape(step, (count - 1,))
    places = emit("cell.mul", [steps, known(np.arange(count - 1), inner)])
    out = emit("cell.add", [broadcast_to_shape(low, (count - 1,)), places])
    return cast_to(emit("cell.concat", [out, high], {"dim": 0}), dtype)


@public("ops.LogSpace(steps=10, base=10, dtype: Type | None = None)(start, end)")
def logspace(
    start: TensorLike,
    end: TensorLike,
    steps: int,
    base: TensorLike = 10,
    *,
    dtype: Type | None = None,
) -> Tensor:
    """`base` to the powers of `linspace`.

    Raises:
        TypeError: `start` or `end` is neither number nor floating-point Tensor, or `steps` or
            `base` is not an int.
        ValueError: `steps` below 1, or a tensor with dimensions.

    >>> print(ops.logspace(0, 2, 3))
    [  1.  10. 100.]
    """
    count = known_int(steps, "logspace", "steps", at_least=1)
    of = known_int(base, "logspace", "base")
    if not isinstance(start, Tensor) and not isinstance(end, Tensor):
        first, last = _number(start, "logspace", "start"), _number(end, "logspace", "end")
        return known(np.logspace(first, last, count, base=of), mstype.or_default(dtype))
    powers = ew.power(of, linspace(start, end, count))
    return cast(powers, mstype.or_default(dtype))


def _lengths(n: Any, m: Any, op: str, names: tuple[str, str]) -> tuple[int, int]:
    return known_int(n, op, names[0], at_least=0), known_int(m, op, names[1], at_least=0)


@public(
    "ops.Eye(n, m: int, dtype: Type)",
    "mint.eye",
)
def eye(n: int, m: int | None = None, dtype: Type | None = None) -> Tensor:
    """A matrix of `n` rows and `m` (by default `n`) columns with ones on the diagonal, float32 by
    default.

    Raises:
        TypeError: `n` or `m` is not an int.
        ValueError: `n` or `m` is negative.

    >>> print(ops.eye(2))
    [[1. 0.]
     [0. 1.]]

    >>> print(ops.Eye()(2, 3, ms.int32))
    [[1 0 0]
     [0 1 0]]
    """
    rows, columns = _lengths(n, n if m is None else m, "eye", ("n", "m"))
    if state.current.scope is None:
        return known(np.eye(rows, columns), mstype.or_default(dtype))
    row = broadcast_to_shape(reshape_to(iota(rows), (rows, 1)), (rows, columns))
    column = broadcast_to_shape(iota(columns), (rows, columns))
    return cast_to(emit("cell.equal", [row, column]), mstype.or_default(dtype))


@public()
def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Type = mstype.int64) -> Tensor:
    """Rows and columns, one above the other, of the elements on and below a diagonal.

    Raises:
        TypeError: `row`, `col` or `offset` is not an int.
        ValueError: `row` or `col` is negative.

    >>> print(ops.tril_indices(2, 3))
    [[0 1 1]
     [0 0 1]]
    """
    shape = _lengths(row, col, "tril_indices", ("row", "col"))
    offset = known_int(offset, "tril_indices", "offset")
    return known(np.stack(np.tril_indices(shape[0], offset, shape[1])), dtype)


@public()
def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Type = mstype.int64) -> Tensor:
    """Rows and columns, one above the other, of the elements on and above a diagonal.

    Raises:
        TypeError: `row`, `col` or `offset` is not an int.
        ValueError: `row` or `col` is negative.

    >>> print(ops.triu_indices(2, 3))
    [[0 0 0 1 1]
     [0 1 2 1 2]]
    """
    shape = _lengths(row, col, "triu_indices", ("row", "col"))
    offset = known_int(offset, "triu_indices", "offset")
    return known(np.stack(np.triu_indices(shape[0], offset, shape[1])), dtype)


@public()
def sequence_mask(lengths: Tensor, maxlen: int | None = None) -> Tensor:
    """Where the place along a new last dimension is below the length: bools. `maxlen` is the
    largest length by default, which must then be known.

    Raises:
        TypeError: `lengths` is not a Tensor of ints, or `maxlen` is not an int.

    >>> print(ops.sequence_mask(Tensor([1, 3]), maxlen=3))
    [[ True False False]
     [ True  True  True]]
    """
    x = check_dtype(
        check_tensor(lengths, "sequence_mask", "lengths"), "sequence_mask", "lengths", "iu"
    )
    if maxlen is None:
        maxlen = int(x._concrete("'lengths' of sequence_mask without 'maxlen'").max(initial=0))
    out: Tensor = _sequence_mask(x, known_int(maxlen, "sequence_mask", "maxlen"))
    return out


@operation
def _sequence_mask(x: Tensor, maxlen: int) -> Tensor:
    shape = (*x.shape, maxlen)
    places = broadcast_to_shape(iota(maxlen, x.dtype), shape)
    return emit("cell.less", [places, broadcast_to_shape(reshape_to(x, (*x.shape, 1)), shape)])


@public("ops.TupleToArray")
def tuple_to_array(input_x: Sequence[float]) -> Tensor:
    """A tuple or range of numbers as a tensor: int32 if the first one is an int, float32 otherwise.

    Raises:
        TypeError: `input_x` is no tuple or range of numbers.
        ValueError: it is empty.

    >>> print(ops.tuple_to_array((1, 2, 3)))
    [1 2 3]
    """
    if isinstance(input_x, builtins.range):
        input_x = tuple(input_x)
    check_instance(input_x, "tuple_to_array", "input_x", tuple)
    check_sequence(input_x, "tuple_to_array", "input_x", "numbers")
    numbers = [check_number(v, "tuple_to_array", "input_x") for v in input_x]
    dtype = mstype.int32 if isinstance(numbers[0], int) else mstype.float32
    return known(np.array(numbers), dtype)
