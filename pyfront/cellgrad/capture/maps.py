"""Functions over functions and sequences: `MultitypeFuncGraph`, `HyperMap`, `Map`, `partial`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from cellgrad.capture import calls
from cellgrad.core import state
from cellgrad.core.arguments import check_callable
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error, not_defined
from cellgrad.core.tensor import Tensor
from cellgrad.ops._elementwise import Primitive

R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])

__all__ = ["HyperMap", "Map", "MultitypeFuncGraph", "Partial", "partial"]


def _call(function: Any, args: tuple[Any, ...]) -> Any:
    """Calls a function of the user's: evaluated where code is being captured."""
    if state.current.scope is not None:
        return calls.call(function, args, {})
    return function(*args)


def partial(func: Callable[..., R], *args: object, **kwargs: object) -> Callable[..., R]:
    """`func` with its first arguments given, and those that have these names.

    Raises:
        TypeError: `func` is not callable.

    >>> double = ops.partial(ops.mul, 2.0)
    >>> print(double(Tensor([1.0, 3.0])))
    [2. 6.]
    """
    check_callable(func, "partial", "func")
    return functools.partial(func, *args, **kwargs)


class Partial(Primitive):
    """`partial` as a class.

    >>> print(ops.Partial()(ops.sub, 2.0)(Tensor([1.0, 3.0])))
    [ 1. -1.]
    """

    def __call__(self, func: Callable[..., R], *args: object, **kwargs: object) -> Callable[..., R]:
        return partial(func, *args, **kwargs)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _of_ops(*names: str) -> Callable[[Any], bool]:
    """Whether a value is of a class of `ops`, which imports this module."""
    return lambda v: type(v).__name__ in names and type(v).__module__.startswith("cellgrad.ops.")


# The names of types that functions are registered for.
_TYPES: dict[str, Callable[[Any], bool]] = {
    "Tensor": lambda v: isinstance(v, Tensor),
    "Number": lambda v: _is_number(v) or isinstance(v, bool),
    "Int": lambda v: _is_number(v) and isinstance(v, int),
    "Int64": lambda v: _is_number(v) and isinstance(v, int),
    "Float": lambda v: isinstance(v, float),
    "Float32": lambda v: isinstance(v, float),
    "Bool": lambda v: isinstance(v, bool),
    "String": lambda v: isinstance(v, str),
    "Tuple": lambda v: isinstance(v, tuple),
    "List": lambda v: isinstance(v, list),
    "Dictionary": lambda v: isinstance(v, dict),
    "None": lambda v: v is None,
    "NoneType": lambda v: v is None,
    "Function": lambda v: callable(v) and not isinstance(v, Tensor),
    "Dtype": lambda v: isinstance(v, Type),
    "TypeType": lambda v: isinstance(v, Type),
    "COOTensor": _of_ops("COOTensor"),
    "CSRTensor": _of_ops("CSRTensor"),
    "RowTensor": _of_ops("RowTensorInner"),
}


class MultitypeFuncGraph:
    """A function with one implementation for each list of argument types.

    Args:
        name: what messages call it.
        read_value: kept for scripts; Parameters are read where they are used.

    >>> scale = ops.MultitypeFuncGraph("scale")
    >>> @scale.register("Tensor", "Tensor")
    ... def scale_tensor(factor, x):
    ...     return factor * x
    """

    def __init__(self, name: str, read_value: bool = False):
        self.name = name
        self.entries: list[tuple[tuple[str, ...], Callable[..., Any]]] = []

    def register(self, *type_names: object) -> Callable[[F], F]:
        """A decorator that adds an implementation.

        Args:
            type_names: one name an argument: "Tensor", "Number", "Int", "Float", "Bool", "String",
                "Tuple", "List", "Dictionary", "Function", "None", "Dtype", "COOTensor", "CSRTensor",
                "RowTensor".

        Raises:
            TypeError: an unknown name.
        """
        names = tuple(t if isinstance(t, str) else getattr(t, "title", str(t)) for t in type_names)
        for name in names:
            if name not in _TYPES:
                raise error(
                    TypeError,
                    f"For '{self.name}', a function can be registered for {sorted(_TYPES)}, but "
                    f"got '{name}'.",
                )

        def add(function: F) -> F:
            self.entries.append((names, function))
            return function

        return add

    def find(self, args: tuple[object, ...]) -> Callable[..., object] | None:
        """The implementation for such arguments, if there is one."""
        # An exact list of types wins over one with "Number".
        for loose in (False, True):
            for names, function in self.entries:
                if len(names) != len(args) or ("Number" in names) is not loose:
                    continue
                if all(_TYPES[n](a) for n, a in zip(names, args)):
                    return function
        return None

    def __call__(self, *args: object) -> Any:
        found = self.find(args)
        if found is not None:
            return _call(found, args)
        given = ", ".join(_title(a) for a in args)
        known = "; ".join("(" + ", ".join(n) + ")" for n, _ in self.entries)
        raise error(
            TypeError,
            f"For '{self.name}', there is no function for the types ({given}).",
            f"registered are {known or 'none'}",
        )

    def __repr__(self) -> str:
        return f"MultitypeFuncGraph({self.name!r})"


def _title(value: Any) -> str:
    if isinstance(value, Tensor):
        return "Tensor"
    return next((n for n in _TYPES if n != "Number" and _TYPES[n](value)), type(value).__name__)


class _Mapping:
    """The base of `HyperMap` and `Map`."""

    def __init__(self, ops: Callable[..., object] | None = None, reverse: bool = False):
        if ops is not None:
            check_callable(ops, type(self).__name__, "ops")
        self.ops = ops
        self.reverse = reverse

    def __call__(self, *args: object) -> Any:
        function, sequences = (self.ops, args) if self.ops is not None else (args[0], args[1:])
        if not callable(function) or not sequences:
            raise error(
                TypeError,
                f"For '{type(self).__name__}', expected a function and sequences, but got "
                f"{[type(a).__name__ for a in args]}.",
            )
        return self._map(function, sequences)

    def _map(self, function: Callable[..., Any], sequences: tuple[Any, ...]) -> Any:
        raise not_defined(self, "_map")

    def _items(self, sequences: tuple[Any, ...], one: Callable[[tuple[Any, ...]], Any]) -> Any:
        """The results of `one` on the first elements, the second elements, ..."""
        lengths = [len(s) if isinstance(s, tuple | list) else -1 for s in sequences]
        if len(set(lengths)) != 1:
            text = ["not a sequence" if n < 0 else str(n) for n in lengths]
            raise error(
                TypeError,
                f"For '{type(self).__name__}', all arguments must be sequences of one length, but "
                f"got lengths {', '.join(text)}.",
                "give what is the same for all elements with ops.partial(function, value)",
            )
        order = range(lengths[0])
        found = {
            i: one(tuple(s[i] for s in sequences)) for i in (order[::-1] if self.reverse else order)
        }
        items = [found[i] for i in order]
        # As in MindSpore, a tuple outside of compiled code.
        listed = isinstance(sequences[0], list) and state.current.scope is not None
        return items if listed else tuple(items)

    def _values(self, sequences: tuple[Any, ...], one: Callable[[tuple[Any, ...]], Any]) -> Any:
        """The results of `one` on the values of each key of dictionaries."""
        keys = sequences[0].keys()
        if any(not isinstance(s, dict) or s.keys() != keys for s in sequences):
            raise error(
                TypeError,
                f"For '{type(self).__name__}', a dictionary is mapped beside dictionaries of the same "
                "keys only.",
            )
        return {k: one(tuple(s[k] for s in sequences)) for k in keys}


class HyperMap(_Mapping):
    """Applies a function to the leaves of nested sequences: ``hyper_map(f, xs, ys)``. In compiled code
    also to those of dictionaries, and the results of lists are lists; elsewhere they are tuples.

    Args:
        ops: the function; else it is the first argument of each call.
        reverse: whether to go from the last element to the first; the result is in order.

    Raises:
        TypeError: `ops` is not callable, or sequences of different lengths.

    >>> x, y = Tensor([1.0]), Tensor([2.0])
    >>> doubled = ops.HyperMap()(lambda a: a * 2, (x, (x, y)))
    >>> print(doubled[0], doubled[1][1])
    [2.] [4.]
    """

    def _map(self, function: Callable[..., Any], sequences: tuple[Any, ...]) -> Any:
        if isinstance(sequences[0], dict) and state.current.scope is not None:
            return self._values(sequences, lambda items: self._map(function, items))
        if not any(isinstance(s, tuple | list) for s in sequences):
            return _call(function, sequences)
        leaf = not isinstance(sequences[0], tuple | list)  # a tensor beside a tuple, for example
        if (
            leaf
            and isinstance(function, MultitypeFuncGraph)
            and function.find(sequences) is not None
        ):
            return function(*sequences)
        return self._items(sequences, lambda items: self._map(function, items))


class Map(_Mapping):
    """Applies a function to the elements of sequences: ``map_(f, xs, ys)``; see `HyperMap`.

    >>> x, y = Tensor([1.0]), Tensor([2.0])
    >>> first, second = ops.Map()(lambda a, b: a + b, (x, y), (y, y))
    >>> print(first, second)
    [3.] [4.]
    """

    def _map(self, function: Callable[..., Any], sequences: tuple[Any, ...]) -> Any:
        return self._items(sequences, lambda items: _call(function, items))
