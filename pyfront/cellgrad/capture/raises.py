"""Exceptions in branches on tensors, and assertions on tensors: checks that are made when the code runs."""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cellgrad.core import state
from cellgrad.core.errors import NotCompilable, error
from cellgrad.core.frame import Frame
from cellgrad.core.record import emit_several
from cellgrad.core.tensor import Tensor
from cellgrad.core.text import Text, given_parts, known_arguments, places, with_given

if TYPE_CHECKING:
    from cellgrad.core.scope import Scope

_LONGEST = 200  # characters of a message that compiled code has


class Raised(Exception):
    """A branch or loop ends with an exception of the user's, whenever it is reached."""

    def __init__(self, exception: Exception):
        super().__init__(exception)
        self.exception = exception


def raised_by(exception: Any, frame: Frame) -> None:
    """Notes which statement an exception is from."""
    if isinstance(exception, Exception):
        exception.__cellgrad_raised__ = (frame, frame.node)  # type: ignore[attr-defined]
        exception.__cellgrad_scope__ = state.current.scope  # type: ignore[attr-defined]


def was_raised(exception: Exception) -> bool:
    """Whether an exception is from a `raise` or `assert` of code that is evaluated."""
    return hasattr(exception, "__cellgrad_raised__")


def ends(exception: Exception, scope: Scope) -> bool:
    """Whether an exception of the user's ends the code of a scope, after checks that are made when it runs:
    then it is one more of these, as one of them may be the error.
    """
    return bool(scope.trace.checks) and getattr(exception, "__cellgrad_scope__", None) is scope


def refused(exception: Exception) -> Exception:
    """The error for an exception in a place where it cannot become a check."""
    return error(
        NotCompilable,
        f"'raise {type(exception).__name__}' is in a condition, or in a function of a loop operation, "
        "that depends on a tensor: whether it is reached is known only when the code runs.",
        "raise in the body of the loop or in an if statement",
    )


def raise_unless(ok: Any, exception: Exception) -> None:
    """Raises an exception, if a truth does not hold: when the code runs where that is a tensor."""
    frame, node = getattr(exception, "__cellgrad_raised__", (state.current.frame, None))
    if not isinstance(ok, Tensor):
        if not ok:
            raise exception
        return
    scope = state.current.scope
    assert scope is not None
    if scope.trace.handlers:
        raise error(
            NotCompilable,
            f"{type(exception).__name__} is raised where a condition on a tensor holds, inside of a "
            "'try' with 'except': whether it is caught is known only when the code runs.",
            "write the other case as an else branch, or catch the exception outside of the compiled "
            "function",
        )
    again = _rebuilt(exception, known_arguments(exception))
    parts = None
    if not (scope.trace.bake or scope.trace.stand_in):
        parts = given_parts(exception, getattr(exception, "__cellgrad_scope__", scope))
    again.__cellgrad_parts__ = parts  # type: ignore[attr-defined]
    before, own = state.current.frame, None
    if frame is not None:
        own = frame.node
        state.current.frame, frame.node = frame, node or frame.node
    try:
        place = state.position()
        assert place is not None
        words = " ".join(str(again).split())[:_LONGEST]
        message = f"{type(exception).__name__}: {words}" if words else type(exception).__name__
        said = f"{message} ({os.path.basename(place.file)}:{place.line})"
        known: Any = scope.trace.checks.setdefault(said, (place, again, ""))[1]
        if places(getattr(known, "__cellgrad_parts__", None)) != places(parts):
            known.__cellgrad_parts__ = (
                None  # a loop's body is evaluated until its variables are known
            )
        emit_several("cell.check", [ok], {"message": message})
    finally:
        state.current.frame = before
        if frame is not None:
            frame.node = own


def with_elements(exception: Exception, buffers: Sequence[Any]) -> Exception:
    """The exception of a check that failed in a call, with the elements of the inputs that its message has."""
    parts = getattr(exception, "__cellgrad_parts__", None)
    if parts is None:
        return copy.copy(exception)
    args = with_given(parts, buffers)
    fresh = _rebuilt(exception, args)
    said = dict(zip(exception.args, args, strict=True))
    for name, value in vars(fresh).items():  # what its class keeps of them
        if isinstance(value, str) and value in said:
            fresh.__dict__[name] = said[value]
    return fresh


def _rebuilt(exception: Exception, args: Sequence[Any]) -> Exception:
    """The exception without what ties it to the code that is being compiled, with other arguments."""
    try:
        fresh = type(exception)(*args)
    except Exception:
        fresh = exception
        fresh.args = tuple(args)
    for name, value in vars(exception).items():
        if not name.startswith("__cellgrad"):
            fresh.__dict__[name] = str(value) if isinstance(value, Text | Tensor) else value
    fresh.__dict__.pop("__cellgrad_raised__", None)
    fresh.__traceback__ = fresh.__context__ = None
    return fresh
