"""Loops whose test and body are functions of one nested value: ``ops.WhileLoop`` and the like.

They are captured as the loops of the language are (see `loops`), in a frame of their own whose only
variable is that value.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, cast

from cellgrad import ops
from cellgrad.capture.branches import child_scope, run_apart
from cellgrad.capture.loops import Loop, TensorRange
from cellgrad.capture.merge import Conflict, Merged, merge, whole
from cellgrad.capture.raises import Raised, refused
from cellgrad.core import state
from cellgrad.core.errors import error
from cellgrad.core.frame import Code, Frame, Parameters, Run

_VALUE = "<value>"
_NOBODY = ast.parse("lambda: 0", mode="eval").body


class _Loop(Loop):
    """A loop of an operation, which its messages name."""

    def __init__(self, frame: Frame, test: Run, body: Run, owner: str, what: str):
        super().__init__(frame, test, body)
        self.owner = owner
        self.value_name = what

    def _merge(self, what: str, before: Any, after: Any, known: Merged | None) -> Merged:
        if what != f"'{_VALUE}'":
            return super()._merge(what, before, after, known)
        return next_form(*self.ends(before, after, known), self.owner, self.value_name)


def next_form(before: Any, after: Any, owner: str, what: str) -> Merged:
    """The common form of what a trip of a loop is given and what it returns.

    Args:
        owner, what: the operation, and what messages call its body.

    Raises:
        ValueError: another structure, or another shape.
    """
    try:
        return merge(before, after)
    except Conflict as e:
        raise error(
            ValueError,
            f"For '{owner}', '{what}' must return values of the structure and "
            f"shapes that it is given, but it is {e} (given, and returned).",
            "give the first value its final shape and structure, for example with ops.zeros",
        ) from None


def _frame(owner: str, value: Any) -> Frame:
    """A frame inside the one that is being evaluated, if there is one."""
    outer = state.current.frame
    if outer is None:
        lambda_ = cast(ast.Lambda, _NOBODY)
        code = Code("<cellgrad>", owner, 0, Parameters(owner, lambda_.args))
        frame = Frame(code, {_VALUE: value}, {}, {}, None)
        frame.node = lambda_
        return frame
    frame = Frame(outer.code, {_VALUE: value}, {}, {}, outer)
    frame.node = outer.node
    return frame


def repeat_while(
    test: Callable[[Any], Any], body: Callable[[Any], Any], value: Any, owner: str, what: str
) -> Any:
    """`value` after ``while test(value): value = body(value)``, as one loop of the program.

    Args:
        test, body: are called with a nested value of tensors while capturing.
        owner, what: the operation, and what messages call its `body`.

    Raises:
        ValueError: `body` changes a shape, or the structure.
    """
    frame = _frame(owner, value)

    def trip(f: Frame) -> None:
        f.locals[_VALUE] = body(f.locals[_VALUE])

    try:
        _Loop(frame, lambda f: test(f.locals[_VALUE]), trip, owner, what).capture()
    except Raised as e:
        raise refused(e.exception) from e
    return frame.locals[_VALUE]


def repeat(
    start: Any, stop: Any, body: Callable[[Any, Any], Any], value: Any, owner: str, what: str
) -> Any:
    """`value` after ``for i in range(start, stop): value = body(i, value)``, as one loop.

    Args:
        start, stop: ints, or integer tensors without dimensions; the index is an Int64 tensor.
        body, value, owner, what: as for `repeat_while`.
    """
    bounds = TensorRange(start, stop)

    def trip(carried: Any) -> Any:
        i, inner = carried
        return ops.add(i, 1), body(i, inner)

    def going(carried: Any) -> Any:
        return ops.less(carried[0], bounds.stop)

    return repeat_while(going, trip, (bounds.start, value), owner, what)[1]


def form_of(function: Callable[[], Any], owner: str) -> Any:
    """The form of what a function gives, found by a run whose program is dropped."""
    scope = state.current.scope
    assert scope is not None
    frame = _frame(owner, None)
    made = scope.trace.mark()

    def run(f: Frame) -> None:
        f.locals[_VALUE] = function()

    outcome = run_apart(frame, child_scope(frame, "form"), run)
    form = whole(outcome.locals[0][_VALUE])
    scope.trace.discard(made)
    return form
