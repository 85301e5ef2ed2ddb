"""MindSpore's primitives of tuples and lists: in Python, which the operators and methods of theirs are.

``from cellgrad.ops.operations._sequence_ops import SequenceAdd``
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cellgrad.core.dtype import Type
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops.joining import concat, stack, unstack
from cellgrad.ops.selection import cast, zeros_like


def _named(name: str, function: Callable[..., Any], text: str) -> type[Primitive]:
    """A class of primitives without settings."""

    def __call__(self: Primitive, *args: Any) -> Any:
        return function(*args)

    return type(name, (Primitive,), {"__call__": __call__, "__doc__": text, "__module__": __name__})


def _slice_of(sequence: Any, start: int, end: int, step: int) -> Any:
    return sequence[start:end:step]


def _zeros(sequence: Any) -> Any:
    zeros = [zeros_like(v) if isinstance(v, Tensor) else type(v)(0) for v in sequence]
    return type(sequence)(zeros)


def _sum(sequence: Sequence[Any]) -> Any:
    return functools.reduce(operator.add, sequence)


def _largest(sequence: Sequence[Any]) -> Any:
    tensors = isinstance(sequence[0], Tensor)
    return functools.reduce(gen.maximum, sequence) if tensors else max(sequence)


def _smallest(sequence: Sequence[Any]) -> Any:
    tensors = isinstance(sequence[0], Tensor)
    return functools.reduce(gen.minimum, sequence) if tensors else min(sequence)


def _to_tensor(sequence: Any, dtype: Type | None = None) -> Tensor:
    if any(isinstance(v, Tensor) for v in sequence):
        stacked: Tensor = stack(list(sequence), 0)
        return stacked if dtype is None else cast(stacked, dtype)
    return Tensor(np.array(sequence), dtype)


def _elements(x: Tensor) -> list[Any]:
    found: list[Any] = x.tolist()
    return found


def _inserted(sequence: Any, at: int, value: Any) -> Any:
    return type(sequence)([*sequence[:at], value, *sequence[at:]])


SequenceAdd = _named("SequenceAdd", operator.add, "Two sequences joined.")
SequenceMul = _named("SequenceMul", operator.mul, "A sequence repeated.")
SequenceSlice = _named("SequenceSlice", _slice_of, "Elements from a start to an end, in steps.")
InSequence = _named("InSequence", lambda x, s: x in s, "Whether a sequence has an element.")
SequenceCount = _named("SequenceCount", lambda s, x: s.count(x), "How often it has one.")
SequenceIndex = _named("SequenceIndex", lambda s, x, *ends: s.index(x, *ends), "Where it is.")
SequenceZerosLike = _named("SequenceZerosLike", _zeros, "Zeros in place of the elements.")
SequenceAddN = _named("SequenceAddN", _sum, "The sum of the elements.")
SequenceMax = _named("SequenceMax", _largest, "The largest element, or of each place of tensors.")
SequenceMin = _named("SequenceMin", _smallest, "The smallest one.")
ListAppend = _named("ListAppend", lambda s, x: [*s, x], "A list with one element more.")
ListInsert = _named("ListInsert", _inserted, "A list with an element before a place.")
ListToTuple = _named("ListToTuple", tuple, "A tuple of the elements of a list.")
TupleToList = _named("TupleToList", list, "A list of the elements of a tuple.")
TupleToTensor = _named("TupleToTensor", _to_tensor, "A Tensor of a tuple of numbers.")
ListToTensor = _named("ListToTensor", _to_tensor, "A Tensor of a list of numbers.")
TensorToTuple = _named("TensorToTuple", lambda x: tuple(_elements(x)), "The elements, as a tuple.")
TensorToList = _named("TensorToList", _elements, "The elements, as a list.")
TensorToScalar = _named("TensorToScalar", lambda x: x.item(), "The only element.")
sequence_len = _named("sequence_len", len, "How many elements there are.")
make_range = _named("make_range", lambda *ends: tuple(range(*ends)), "A tuple of ints.")
tuple_equal = _named("tuple_equal", operator.eq, "Whether two tuples are equal.")
list_equal = _named("list_equal", operator.eq, "Whether two lists are equal.")
tuple_greater_than = _named("tuple_greater_than", operator.gt, "Whether one is after another.")
tuple_greater_equal = _named(
    "tuple_greater_equal", operator.ge, "Whether one is not before another."
)
list_greater_than = _named("list_greater_than", operator.gt, "Whether one is after another.")
list_greater_equal = _named("list_greater_equal", operator.ge, "Whether one is not before another.")
tuple_lt = _named("tuple_lt", operator.lt, "Whether one is before another.")
tuple_le = _named("tuple_le", operator.le, "Whether one is not after another.")
list_lt = _named("list_lt", operator.lt, "Whether one is before another.")
list_le = _named("list_le", operator.le, "Whether one is not after another.")


class SequenceConcat(Primitive):
    """Tensors joined along a dimension."""

    def __init__(self, axis: int = 0):
        super().__init__()
        self.axis = axis

    def __call__(self, sequence: Any) -> Tensor:
        out: Tensor = concat(list(sequence), self.axis)
        return out


class SequenceStack(Primitive):
    """Tensors of one shape stacked along a new dimension."""

    def __init__(self, axis: int = 0):
        super().__init__()
        self.axis = axis

    def __call__(self, sequence: Any) -> Tensor:
        out: Tensor = stack(list(sequence), self.axis)
        return out


class SequenceUnstack(Primitive):
    """The parts of a tensor along a dimension."""

    def __init__(self, axis: int = 0):
        super().__init__()
        self.axis = axis

    def __call__(self, x: Tensor) -> tuple[Tensor, ...]:
        return tuple(unstack(x, self.axis))
