"""Numbers that `mutable` has marked: a gradient by their position counts them."""

from __future__ import annotations

from typing import Any


class MutableInt(int):
    """An int that is no constant of a gradient."""


class MutableFloat(float):
    """A float that is no constant of a gradient."""


MUTABLE = (MutableInt, MutableFloat)


class MutableTuple(tuple[Any, ...]):
    """A tuple that is no constant of a gradient, where this package stands for MindSpore."""

    __ms_origin_object__: Any


class MutableList(list[Any]):
    """A list that is no constant."""

    __ms_origin_object__: Any


class MutableDict(dict[Any, Any]):
    """A dictionary that is no constant."""

    __ms_origin_object__: Any


_OF: dict[type, type] = {tuple: MutableTuple, list: MutableList, dict: MutableDict}
CONTAINERS = (MutableTuple, MutableList, MutableDict)


def mutable_container(origin: Any, inside: bool) -> Any:
    """A tuple, list or dictionary, with its numbers marked, as one that is no constant; `inside` of compiled code,
    where constants are known, another one like it.
    """
    value = marked(origin)
    kind = (
        type(value) if type(value) in _OF else next((k for k in _OF if isinstance(value, k)), None)
    )
    if kind is None or hasattr(value, "_fields"):
        return value
    if inside:
        return {**value} if kind is dict else kind([*value])
    out: Any = _OF[kind](value)
    out.__ms_origin_object__ = origin
    return out


def marked(value: Any) -> Any:
    """The same value with its numbers marked; a bool has no derivative."""
    if isinstance(value, float):
        return MutableFloat(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return MutableInt(value)
    if type(value) in (tuple, list):
        parts = [marked(v) for v in value]
        same = all(a is b for a, b in zip(parts, value, strict=True))
        return value if same else type(value)(parts)
    if type(value) is dict:
        items = {k: marked(v) for k, v in value.items()}
        return value if all(items[k] is value[k] for k in items) else items
    return value


def holds_mutable(value: Any) -> bool:
    """Whether a number in a value is marked."""
    if isinstance(value, tuple | list):
        return any(holds_mutable(v) for v in value)
    if isinstance(value, dict):
        return any(holds_mutable(v) for v in value.values())
    return isinstance(value, MUTABLE)
