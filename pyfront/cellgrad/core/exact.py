"""Whether two Python values are the same to compiled code, which equality does not say.

``0.0 == -0.0`` and ``1 == 1.0 == True`` hold, and code compiled for one of them is wrong for the
others; NaN is not equal to itself, and code compiled for it is right.
"""

from __future__ import annotations

import struct
import sys
from typing import Any

import numpy as np

from cellgrad.core.dtype import Type
from cellgrad.core.mutable import MUTABLE, MutableFloat

_SIMPLE = (bool, int, str, bytes, type(None))


class Static:
    """What is kept in a nested value and is no part of it: a constant of compiled code."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)


class Identity:
    """A value that is known by which object it is; it is kept alive."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Identity) and self.value is other.value

    def __repr__(self) -> str:
        return repr(self.value)


def number_key(value: float) -> str:
    """Text that tells floats apart by their bits."""
    return repr(value) if value == value else f"nan ({struct.pack('>d', value).hex()})"


def static_key(value: Any) -> Any:
    """A hashable stand-in for a value that compiled code takes as a constant: equal for values that
    are the same to it, and for no others.

    Numbers are told apart by type and bits, tuples and sets by what they hold. Objects of other
    classes are known by identity, because their ``==`` may pass over what the code reads.
    """
    kind = type(value)
    if kind in _SIMPLE:
        return kind, value
    if kind is float:
        return kind, number_key(value)
    if kind in MUTABLE:
        return kind, number_key(float(value)) if kind is MutableFloat else int(value)
    if kind is complex:
        return kind, number_key(value.real), number_key(value.imag)
    if kind is tuple:
        return kind, tuple([static_key(v) for v in value])
    if kind is frozenset or kind is set:
        return kind, frozenset([static_key(v) for v in value])
    if kind is slice or kind is range:
        return kind, static_key(value.start), static_key(value.stop), static_key(value.step)
    if isinstance(value, np.generic):
        return kind, value.dtype.str, value.tobytes()
    if kind is Static:
        return kind, _content_key(value.value)
    if isinstance(value, Type | np.dtype) or hasattr(value, "__func__"):
        return kind, value  # a bound method is that of one object
    library = kind.__module__.partition(".")[0] in sys.stdlib_module_names
    compares: Any = kind.__eq__
    if library and compares is not object.__eq__ and kind.__hash__ is not None:
        return kind, value, repr(value)
    return Identity(value)


def _content_key(value: Any) -> Any:
    """As `static_key`, with lists, dictionaries and arrays told apart by what they hold now."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return type(value), value.dtype.str, value.shape, value.tobytes()
    if type(value) in (tuple, list):
        return type(value), tuple([_content_key(v) for v in value])
    if type(value) is dict:
        return dict, tuple([(static_key(k), _content_key(v)) for k, v in value.items()])
    return static_key(value)


def same(a: Any, b: Any) -> bool:
    """Whether one value is to compiled code what the other is."""
    if a is b:
        return True
    kind = type(a)
    if kind is not type(b):
        return False
    if kind in _SIMPLE:
        return bool(a == b)
    return bool(static_key(a) == static_key(b))
