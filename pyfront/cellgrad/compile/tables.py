"""Tables of what belongs to objects of the user's, for as long as these live."""

from __future__ import annotations

import weakref
from typing import Any


class PerObject:
    """A dictionary for each of some objects, for as long as the object lives. Objects are told apart
    by identity: equal ones need not do the same.
    """

    def __init__(self) -> None:
        self._tables: dict[int, tuple[weakref.ref[Any], dict[Any, Any]]] = {}

    def of(self, owner: Any) -> dict[Any, Any]:
        """The dictionary of an object. Raises TypeError if it cannot be referred to weakly."""
        key = id(owner)
        found = self._tables.get(key)
        if found is None or found[0]() is not owner:
            tables = self._tables

            def drop(ref: weakref.ref[Any]) -> None:
                if key in tables and tables[key][0] is ref:
                    del tables[key]

            found = tables[key] = (weakref.ref(owner, drop), {})
        return found[1]

    def clear(self) -> None:
        self._tables.clear()
