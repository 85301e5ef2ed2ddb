"""What a program was compiled for, around its function: guards, which are compared at each call.

A guard is where a value was found, its name there, and the value. Where it was found is the dictionary
of a module or object, a list or dictionary (its name is the index or key), a closure cell (the name is
None), a weak reference to a function, or an object whose class has the value. With the name None, a
list, dictionary, set or array is compared as a whole: by its elements, each by identity or as the number
that it is.
"""

from __future__ import annotations

import collections
import sys
import types
import weakref
from typing import Any

import numpy as np

from cellgrad import _native
from cellgrad.core.exact import same

Guard = tuple[Any, Any, Any]

# The value of a name that was looked up and not found.
ABSENT = _native.ABSENT
CONTAINERS = (list, dict, set, collections.deque, np.ndarray)
_LIBRARIES = {"cellgrad", "numpy", "mindspore", *sys.stdlib_module_names} - {"__main__"}
_NOT_FOUND = (AttributeError, KeyError, IndexError, ValueError)


def is_library(module: Any) -> bool:
    """Whether a module, by its name, is a library's, whose names nobody assigns anew."""
    return isinstance(module, str) and module.partition(".")[0] in _LIBRARIES


def is_cell(value: Any) -> bool:
    """Whether a value is a Cell, which tells programs itself when an attribute of it changes."""
    # `super()` shows the dictionary of the object it stands for.
    return type(value) is not super and "_dependents" in getattr(value, "__dict__", ())


def contents(container: Any) -> tuple[Any, ...]:
    """What is in a container, in its order."""
    if isinstance(container, dict):
        return tuple([part for item in container.items() for part in item])
    if isinstance(container, np.ndarray):
        return container.dtype.str, container.shape, container.tobytes()
    return tuple(container)


def value_of(where: Any, name: Any) -> Any:
    """What a guard's name leads to now."""
    if type(where) is weakref.ReferenceType:
        where = where()
    try:
        if name is None:
            return where.cell_contents if type(where) is types.CellType else contents(where)
        return where[name] if type(where) in (dict, list) else getattr(where, name)
    except _NOT_FOUND:
        return ABSENT


def unchanged(guard: Guard) -> bool:
    """Whether a guard's name leads to what is the same to compiled code."""
    where, name, value = guard
    return same(value_of(where, name), value)


def all_unchanged(guards: list[Guard]) -> bool:
    """Whether all names lead to what is the same to compiled code."""
    at = _native.first_changed(guards)
    while at >= 0:  # another object, which may be the same number
        if not unchanged(guards[at]):
            return False
        at = _native.first_changed(guards, at + 1)
    return True
