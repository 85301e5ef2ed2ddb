"""``x in items`` where tensors are compared, in compiled code."""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.capture import branches
from cellgrad.capture.merge import truth
from cellgrad.core import state
from cellgrad.core.dtype import NUMBERS
from cellgrad.core.scope import as_number
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer


def contains(value: Any, items: Any) -> Any:
    """``value in items``: of tuples and lists with tensors a truth that compiled code computes.

    As in MindSpore's graph mode a tensor of several elements is one of `items` that has its shape and all of
    its elements, where Python says that their truth is ambiguous; one of one element counts as a number.
    """
    if type(items) is Tracer and isinstance(value, (Tensor, *NUMBERS)):
        return as_number(truth((items == value).any()))
    if (
        state.current.scope is None
        or type(items) not in (tuple, list)
        or not (isinstance(value, Tensor) or any(isinstance(v, Tensor) for v in items))
    ):
        return value in items
    return as_number(branches.any_flag([_same(value, v) for v in items]))


def lacks(value: Any, items: Any) -> Any:
    """``value not in items``; see `contains`."""
    return as_number(branches.negated(contains(value, items)))


def _same(a: Any, b: Any) -> Any:
    """Whether one value is the other: True, False, or a tensor of one truth."""
    if a is b:
        return True
    tensors = [t for t in (a, b) if isinstance(t, Tensor)]
    if not tensors:
        return bool(a == b)
    if len(tensors) == 1:
        (tensor,) = tensors
        other = b if a is tensor else a
        number = isinstance(other, bool | int | float | complex)
        return truth(tensor == other) if number and tensor.size == 1 else False
    if a.size == b.size == 1:
        return truth(ops.reshape(a, ()) == ops.reshape(b, ()))
    return truth((a == b).all()) if a.shape == b.shape else False
