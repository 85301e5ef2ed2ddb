"""Calls made again for their derivative: with the state of the first time, and without its effects."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from cellgrad.capture import calls
from cellgrad.core import state
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer


class Written:
    """The Parameters that a call writes."""

    def __init__(self, parameters: list[Parameter]):
        self.parameters = parameters


def call_noting_writes(
    function: Any, args: tuple[Any, ...]
) -> tuple[Any, Written, tuple[Tensor, ...]]:
    """What a call gives, the Parameters that it writes, and their values before it."""
    scope = state.current.scope
    assert scope is not None
    store = dict(scope.store)
    out = calls.call(function, args, {})
    written, before = [], []
    for key, p in scope.written.items():
        if scope.store[key] is not store.get(key):
            written.append(p)
            value = store.get(key)
            before.append(Tracer(scope.argument(p) if value is None else value, scope, p._sig))
    return out, Written(written), tuple(before)


@contextlib.contextmanager
def past(written: Written, before: Sequence[Tensor]) -> Iterator[None]:
    """Gives Parameters the values that they had `before`, and takes back what happens to state."""
    scope = state.current.scope
    assert scope is not None
    trace = scope.trace
    kept = scope.store, scope.written, trace.again
    scope.store, scope.written, trace.again = dict(scope.store), dict(scope.written), True
    for p, value in zip(written.parameters, before, strict=True):
        scope.store[id(p)] = scope.value(value)
    try:
        yield
    finally:
        scope.store, scope.written, trace.again = kept
