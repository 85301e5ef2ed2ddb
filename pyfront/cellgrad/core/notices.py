"""Warnings that name the user's line, each given once in a process."""

from __future__ import annotations

import warnings
from collections.abc import Hashable

from cellgrad.core import errors

_given: set[Hashable] = set()


def warn_once(key: Hashable, message: str, hint: str, kind: type[Warning] = UserWarning) -> None:
    """Gives a warning, unless one was given under the same key."""
    if key in _given:
        return
    _given.add(key)
    position = errors.where() or errors.stack_position()
    text = f"{message}\n  hint: {hint}"
    if position is None:
        warnings.warn(text, kind, stacklevel=2)
    else:
        warnings.warn_explicit(text, kind, position.file, position.line)


def was_given(key: Hashable) -> bool:
    """Whether a warning was given under a key."""
    return key in _given


def forget() -> None:
    """Lets every warning be given again."""
    _given.clear()
