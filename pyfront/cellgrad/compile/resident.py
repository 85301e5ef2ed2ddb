"""Compiled programs in memory: a limited number of them, those that were used last.

A program that is dropped is compiled again, or loaded from the cache on disk, when it is called
again. Its shared object is unloaded when no call runs in it any more.
"""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any

from cellgrad.core import context

# What was compiled, the program that it belongs to, and for which signature, in the order of its
# making; what is used in the meantime gets a second turn.
_kept: deque[tuple[weakref.ref[Any], weakref.ref[Any], Any]] = deque()


def add(program: Any, signature: Any, compiled: Any) -> None:
    """Notes what was compiled, and lets `program.drop` others that were not used for long."""
    _kept.append((weakref.ref(compiled), weakref.ref(program), signature))
    limit = context.get_context("max_programs")
    while len(_kept) > limit:
        entry = _kept.popleft()
        old, owner = entry[0](), entry[1]()
        if old is None or owner is None:
            continue
        if old.used or old is compiled:
            old.used = False
            _kept.append(entry)
        else:
            owner.drop(entry[2], old)
