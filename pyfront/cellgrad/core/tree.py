"""Nested inputs and outputs: tensors are leaves of tuples, lists, dicts, dataclasses and registered classes."""

from __future__ import annotations

import gc
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cellgrad.core.errors import error
from cellgrad.core.nodes import fields_of, is_record, with_fields
from cellgrad.core.tensor import Tensor

_NUMBERS = (bool, int, float, complex, np.number, np.bool_)
_LEAVES = (Tensor, np.ndarray, *_NUMBERS)


def plain_number(value: Any) -> Any:
    """A number of numpy's as one of Python's; any other value as it is.

    Raises:
        TypeError: a number wider than Python's, such as numpy's longdouble.
    """
    out = value.item() if isinstance(value, np.generic) else value
    if isinstance(out, np.generic):
        raise error(
            TypeError,
            f"A number of numpy's {out.dtype} is wider than any dtype of a tensor.",
            "convert it: float(value)",
        )
    return out


def holds_tensors(tree: Any) -> bool:
    """Whether a nested value has tensors or arrays among its leaves."""
    return any(isinstance(v, Tensor | np.ndarray) for _, v in leaves(tree))


def leaves(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """All leaves of a nested value, in order, with the Python text that leads to each."""
    if isinstance(tree, tuple | list):
        names = getattr(tree, "_fields", None)
        for i, v in enumerate(tree):
            yield from leaves(v, f"{path}.{names[i]}" if names else f"{path}[{i}]")
    elif isinstance(tree, dict):
        for k, v in tree.items():
            yield from leaves(v, f"{path}[{k!r}]")
    elif is_record(tree):
        for k, v in fields_of(tree).items():
            yield from leaves(v, f"{path}.{k}")
    else:
        yield path, tree


def numbers(tree: Any) -> Iterator[tuple[str, Any]]:
    """The Python and numpy numbers of a nested value, with the text that leads to each."""
    for path, value in leaves(tree):
        if isinstance(value, _NUMBERS):
            yield path, value


def tensors(tree: Any) -> Iterator[Tensor]:
    """The tensors of a nested value, in order."""
    if isinstance(tree, Tensor):
        yield tree
    elif isinstance(tree, tuple | list):
        for v in tree:
            yield from tensors(v)
    elif isinstance(tree, dict):
        for v in tree.values():
            yield from tensors(v)
    elif is_record(tree):
        yield from tensors(fields_of(tree))


def map_tensors(
    function: Callable[[Tensor], Any], tree: Any, other: Callable[[Any], Any] | None = None
) -> Any:
    """The same structure with `function` applied to every tensor, and `other` to every other leaf."""
    if isinstance(tree, Tensor):
        return function(tree)
    if isinstance(tree, tuple):
        items = [map_tensors(function, v, other) for v in tree]
        return type(tree)(*items) if hasattr(tree, "_fields") else tuple(items)
    if isinstance(tree, list):
        return [map_tensors(function, v, other) for v in tree]
    if isinstance(tree, dict):
        return {k: map_tensors(function, v, other) for k, v in tree.items()}
    if is_record(tree) and holds_tensors(tree):
        return with_fields(type(tree), map_tensors(function, fields_of(tree), other))
    return tree if other is None else other(tree)


def with_tensors(tree: Any) -> Any:
    """The same structure with a tensor for every array, as compiled code takes them."""

    def one(value: Any) -> Any:
        return Tensor(value) if isinstance(value, np.ndarray) else value

    return map_tensors(lambda t: t, tree, one)


class Mismatch(Exception):
    """Two nested values of different structure."""


def pairs(tree: Any, like: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """For each tensor and number of `like`: the text that leads to it, what `tree` has in its place,
    and itself. Dicts may list their keys in any order.

    Raises:
        Mismatch: `tree` has another structure.
    """
    if isinstance(like, tuple | list):
        if not isinstance(tree, tuple | list) or len(tree) != len(like):
            raise Mismatch
        names = getattr(like, "_fields", None)
        for i, (a, b) in enumerate(zip(tree, like, strict=True)):
            yield from pairs(a, b, f"{path}.{names[i]}" if names else f"{path}[{i}]")
    elif isinstance(like, dict):
        if not isinstance(tree, dict) or tree.keys() != like.keys():
            raise Mismatch
        for k, v in like.items():
            yield from pairs(tree[k], v, f"{path}[{k!r}]")
    elif is_record(like):
        if type(tree) is not type(like):
            raise Mismatch
        fields = fields_of(tree)
        for k, v in fields_of(like).items():
            yield from pairs(fields.get(k), v, f"{path}.{k}")
    elif isinstance(tree, tuple | list | dict) or is_record(tree):
        raise Mismatch
    elif isinstance(like, _LEAVES):
        yield path, tree, like


def matching(tree: Any, like: Any) -> list[Any]:
    """What `tree` has in the places of the tensors of `like`; all its tensors and numbers, in order,
    where it has another structure.
    """
    try:
        return [t for _, t, x in pairs(tree, like) if not isinstance(x, _NUMBERS)]
    except Mismatch:
        return [v for _, v in leaves(tree) if isinstance(v, _LEAVES)]


def zero_of(value: Any) -> Any:
    """The derivative of what is no tensor: zero for a number, else the value itself."""
    return type(value)(0) if isinstance(value, _NUMBERS) else value


# What an object refers to by being part of a program, not by holding it as data.
_NOT_DATA = (type, types.ModuleType, types.CodeType, types.FrameType, types.TracebackType)
_MOST_OBJECTS = 100_000


def find_inside(value: Any, wanted: Callable[[Any], bool], opaque: tuple[type, ...] = ()) -> bool:
    """Whether a value holds, in whatever way, an object that is `wanted`; objects of the classes
    `opaque` are not looked into.
    """
    seen: set[int] = set()
    open_: list[Any] = [value]
    kept: list[Any] = []  # so that ids stay those of these objects
    while open_ and len(seen) < _MOST_OBJECTS:
        v = open_.pop()
        if id(v) in seen:
            continue
        seen.add(id(v))
        kept.append(v)
        if wanted(v):
            return True
        if isinstance(v, np.ndarray):
            open_ += v.reshape(-1).tolist() if v.dtype == object else []
        elif isinstance(v, types.FunctionType):
            open_ += [v.__defaults__, v.__kwdefaults__, v.__closure__, v.__dict__]
        elif not isinstance(v, (*_NOT_DATA, *opaque)):
            open_ += gc.get_referents(v)
    return False
