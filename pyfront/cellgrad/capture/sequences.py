"""What `mindspore.ops.functional` has for tuples, lists, dictionaries and choices, as functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from typing import Any, TypeVar

from cellgrad.capture import branches, calls
from cellgrad.capture.choices import branch_value, element_at
from cellgrad.capture.maps import _call
from cellgrad.capture.merge import truth
from cellgrad.core.arguments import check_sequence
from cellgrad.core.tensor import Tensor

T = TypeVar("T")
K = TypeVar("K")

__all__ = [
    "bool_and",
    "bool_eq",
    "bool_not",
    "bool_or",
    "dict_getitem",
    "dict_setitem",
    "in_dict",
    "is_",
    "is_not",
    "list_equal",
    "list_getitem",
    "list_len",
    "list_setitem",
    "make_dict",
    "make_list",
    "make_range",
    "make_slice",
    "make_tuple",
    "not_in_dict",
    "scalar_ne",
    "string_concat",
    "string_eq",
    "switch",
    "switch_layer",
    "tuple_equal",
    "tuple_getitem",
    "tuple_len",
    "tuple_reversed",
    "tuple_setitem",
]


def make_tuple(*items: T) -> tuple[T, ...]:
    """A tuple of its arguments.

    >>> ops.make_tuple(1, 2)
    (1, 2)
    """
    return items


def make_list(*items: T) -> list[T]:
    """A list of its arguments.

    >>> ops.make_list(1, 2)
    [1, 2]
    """
    return list(items)


def make_dict(keys: Iterable[K], values: Iterable[T]) -> dict[K, T]:
    """A dictionary of keys and their values.

    Raises:
        ValueError: not as many values as keys.

    >>> ops.make_dict(("a", "b"), (1, 2))
    {'a': 1, 'b': 2}
    """
    return dict(zip(keys, values, strict=True))


def make_range(*bounds: int) -> tuple[int, ...]:
    """The numbers of a range, as a tuple.

    >>> ops.make_range(3)
    (0, 1, 2)
    """
    return tuple(range(*bounds))


def make_slice(start: object, stop: object, step: object) -> slice:
    """A slice.

    >>> [1, 2, 3][ops.make_slice(0, 2, 1)]
    [1, 2]
    """
    return slice(start, stop, step)


def tuple_getitem(items: Sequence[T], index: int) -> T:
    """An element of a tuple, list or dictionary.

    >>> ops.tuple_getitem((1, 2), 1)
    2
    """
    return element_at(items, index)


list_getitem = dict_getitem = tuple_getitem


def tuple_setitem(items: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    """A tuple with another element at an index.

    >>> ops.tuple_setitem((1, 2), 1, 7)
    (1, 7)
    """
    changed = list(items)
    changed[index] = value
    return tuple(changed)


def list_setitem(items: list[T], index: int, value: T) -> list[T]:
    """Assigns an element of a list, and gives the list.

    >>> ops.list_setitem([1, 2], 1, 7)
    [1, 7]
    """
    calls.store_element(items, index, value)
    return items


def dict_setitem(items: dict[K, T], key: K, value: T) -> dict[K, T]:
    """Assigns a value of a dictionary, and gives the dictionary.

    >>> ops.dict_setitem({"a": 1}, "b", 7)
    {'a': 1, 'b': 7}
    """
    calls.store_element(items, key, value)
    return items


def tuple_len(items: Sized) -> int:
    """The number of elements.

    >>> ops.tuple_len((1, 2))
    2
    """
    return len(items)


list_len = tuple_len


def tuple_reversed(items: tuple[T, ...]) -> tuple[T, ...]:
    """The elements from the last to the first.

    >>> ops.tuple_reversed((1, 2))
    (2, 1)
    """
    return items[::-1]


def tuple_equal(x: object, y: object) -> bool | Tensor:
    """``x == y``.

    >>> ops.tuple_equal((1, 2), (1, 2))
    True
    """
    return x == y


list_equal = string_eq = bool_eq = tuple_equal


def scalar_ne(x: object, y: object) -> bool | Tensor:
    """``x != y``.

    >>> ops.scalar_ne(1, 2)
    True
    """
    return x != y


def string_concat(x: str, y: str) -> str:
    """``x + y``.

    >>> ops.string_concat("a", "b")
    'ab'
    """
    return x + y


def bool_not(x: object) -> bool | Tensor:
    """``not x``.

    >>> ops.bool_not(True)
    False
    """
    return branches.negated(truth(x))


def bool_and(x: object, y: object) -> bool | Tensor:
    """Whether both are true.

    >>> ops.bool_and(True, False)
    False
    """
    return branches.both(truth(x), truth(y))


def bool_or(x: object, y: object) -> bool | Tensor:
    """Whether one is true.

    >>> ops.bool_or(True, False)
    True
    """
    return branches.any_flag([truth(x), truth(y)])


def is_(x: object, y: object) -> bool:
    """``x is y``.

    >>> ops.is_(None, None)
    True
    """
    return x is y


def is_not(x: object, y: object) -> bool:
    """``x is not y``.

    >>> ops.is_not(None, 1)
    True
    """
    return x is not y


def in_dict(key: object, items: Mapping[K, object]) -> bool:
    """``key in items``.

    >>> ops.in_dict("a", {"a": 1})
    True
    """
    return key in items


def not_in_dict(key: object, items: Mapping[K, object]) -> bool:
    """``key not in items``.

    >>> ops.not_in_dict("b", {"a": 1})
    True
    """
    return key not in items


def switch(condition: Any, true_branch: Any, false_branch: Any) -> Any:
    """One of two values, or of two functions to be called with the same arguments, as a bool or a
    Tensor of one element says.

    Raises:
        TypeError: a Tensor chooses between values of different shape, dtype or structure.

    >>> double, half = lambda x: x * 2, lambda x: x / 2
    >>> print(ops.switch(Tensor(True), double, half)(Tensor(3.0)))
    6.0
    """
    chosen = truth(condition)
    if isinstance(chosen, bool):
        return true_branch if chosen else false_branch
    if callable(true_branch) and callable(false_branch):
        return _Either(chosen, true_branch, false_branch)
    return branch_value(chosen, lambda f: true_branch, lambda f: false_branch)


class _Either:
    """One of two functions, as a tensor says."""

    def __init__(self, condition: Any, first: Callable[..., Any], second: Callable[..., Any]):
        self.condition = condition
        self.functions = (first, second)

    def __call__(self, *args: Any) -> Any:
        first, second = self.functions
        return branch_value(
            self.condition,
            lambda f: _call(first, args),
            lambda f: _call(second, args),
        )


def switch_layer(index: Any, layers: Any) -> Any:
    """The function or Cell of a tuple or list at an index: an int, or a Tensor of one element.

    Raises:
        IndexError: an index out of range.

    >>> print(ops.switch_layer(Tensor(1), (nn.ReLU(), nn.Tanh()))(Tensor(0.0)))
    0.0
    """
    check_sequence(layers, "switch_layer", "layers", "Cells")
    return element_at(layers, index)
