"""Elements of tuples and lists at an index that only the compiled code knows."""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.capture import branches, calls
from cellgrad.capture.maps import _call
from cellgrad.core import state
from cellgrad.core.errors import error
from cellgrad.core.guards import is_cell
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer
from cellgrad.ops import _index


def chosen_by_tensor(container: Any, index: Any) -> bool:
    """Whether ``container[index]`` is known only when the code runs."""
    if type(index) is not Tracer:
        return False
    return isinstance(container, tuple | list) or (
        is_cell(container) and hasattr(container, "append")
    )


def element_at(items: Any, index: Any) -> Any:
    """``items[index]``; a computed tensor chooses among elements of one shape, dtype and structure, or
    among functions, to be called with the same arguments.

    Raises:
        TypeError: the index is no integer of one element, or the elements differ.
        IndexError: there are no elements; or, when the code runs, the index is out of range.
    """
    if not chosen_by_tensor(items, index):
        if isinstance(items, dict) and type(index) is Tracer:
            raise error(
                TypeError,
                "A computed tensor is used as the key of a dictionary: which element it names is "
                "known only when the code runs.",
                "choose with ops.where or ops.select, or keep the elements in one tensor "
                "(ops.stack) and index that",
            )
        return items[index]
    elements = tuple(items)
    position = _position(index, len(elements))
    if all(callable(v) and not isinstance(v, Tensor) for v in elements):
        return _Chosen(elements, position)
    return _pick(position, [lambda f, v=v: v for v in elements])


def assign_element_at(items: list[Any], index: Any, value: Any) -> list[Any]:
    """The elements of a list after ``items[index] = value`` with a computed index."""
    position = _position(index, len(items))

    def element(k: int) -> Any:
        here = ops.equal(position, k)
        return branch_value(here, lambda f: value, lambda f: items[k])

    return [element(k) for k in range(len(items))]


def _position(index: Any, count: int) -> Any:
    if index.size != 1 or index.dtype.kind not in "iub":
        raise error(
            TypeError,
            f"An index is a tensor of shape {list(index.shape)} and dtype {index.dtype.title}: tuples "
            "and lists are indexed by an integer of one element.",
        )
    if count == 0:
        raise error(IndexError, "an element of an empty tuple or list is read")
    return _index.wrapped(index.reshape(()), count, "a tuple or list")


def branch_value(condition: Any, then: Any, other: Any) -> Any:
    """The value of one of two expressions, as a tensor says."""
    frame = state.current.frame
    assert frame is not None
    return branches.branch_value(frame, condition, then, other)


def _pick(position: Any, ways: list[Any]) -> Any:
    """What one of several pieces of code gives; the last where no other is meant."""
    first, *rest = ways
    if not rest:
        return first(state.current.frame)
    half = len(ways) // 2
    if half == 1:
        return branch_value(ops.equal(position, 0), first, lambda f: _pick(position - 1, rest))
    return branch_value(
        ops.less(position, half),
        lambda f: _pick(position, ways[:half]),
        lambda f: _pick(position - half, ways[half:]),
    )


class _Chosen:
    """One of several functions, as a tensor says."""

    def __init__(self, functions: tuple[Any, ...], position: Any):
        self.functions = functions
        self.position = position

    def __call__(self, *args: Any) -> Any:
        return _pick(self.position, [lambda f, g=g: _call(g, args) for g in self.functions])


calls.at_tensor += [element_at, assign_element_at]
