"""What cannot be compiled, but is done by code that runs as ordinary Python."""

from __future__ import annotations

from typing import TypeVar

from cellgrad.core.errors import NotCompilable

E = TypeVar("E", bound=BaseException)


def dynamic(exception: E) -> E:
    """Marks an error of a capture that ordinary Python has not: elements are read, a global is written."""
    exception.__cellgrad_dynamic__ = True  # type: ignore[attr-defined]
    return exception


def is_dynamic(exception: BaseException) -> bool:
    """Whether an error is so marked, or says so by its class."""
    return isinstance(exception, NotCompilable) or hasattr(exception, "__cellgrad_dynamic__")


class Untaped(Exception):
    """Something happened to a tensor that the record of operations cannot follow."""
