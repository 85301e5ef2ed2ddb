"""What is being captured right now, per thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from cellgrad import _native
from cellgrad.core import errors
from cellgrad.core.errors import Position, stack_position

if TYPE_CHECKING:
    from cellgrad.core.frame import Frame
    from cellgrad.core.scope import Scope


class _State(threading.local):
    scope: Scope | None = None
    frame: Frame | None = None
    cell_path: str = ""
    composite: str = ""
    called: Any = None  # is told of each Cell that is captured, and what it gives
    tape: Any = None  # what records the programs that run, see `transforms.tape`
    plain: bool = False  # whether Cells run operation by operation in graph mode, too
    fixed: bool = False  # whether a block of `_no_grad` is open, in which no gradient is taken
    precision: Any = None  # the dtype of a mixed precision at level "auto", see `core.precision`
    usual: bool = (
        True  # no scope, no tape, no such block and no such precision: one look for a call
    )


current = _State()
_NAMES = (
    "scope",
    "frame",
    "cell_path",
    "composite",
    "called",
    "tape",
    "plain",
    "fixed",
    "precision",
    "usual",
)
_stack_locations: dict[Any, Any] = {}
_MOST_LOCATIONS = 100_000  # a process may make code without end


def follows(tensor: Any) -> bool:
    """Whether code that is compiled or differentiated computes a tensor, so that a copy has its derivatives."""
    if current.scope is not None:
        return bool(tensor._is_traced or tensor._is_parameter)
    return current.tape is not None and bool(current.tape.follows((tensor,)))


def put(name: str, value: Any) -> None:
    """Makes a scope, a tape, a precision and the like the current one of this thread."""
    setattr(current, name, value)
    current.usual = (
        current.scope is None
        and current.tape is None
        and current.precision is None
        and not current.fixed
    )


def saved() -> dict[str, Any]:
    """All that is current in this thread, for ``current.__dict__.update``."""
    return {name: getattr(current, name) for name in _NAMES}


def position() -> Position | None:
    """The place in the user's code that is being evaluated, or None outside a capture."""
    frame = current.frame
    if frame is None:
        return stack_position() if current.scope is not None else None
    node = frame.node
    if node is None:
        return Position(frame.code.filename, frame.code.line, 0, frame.code.name, current.cell_path)
    return Position(
        frame.code.filename, node.lineno, node.col_offset + 1, frame.code.name, current.cell_path
    )


errors.where = position


def location() -> Any:
    """The native `Loc` of the op about to be built: file, line, column, `Cell path/composition`."""
    if current.scope is not None:
        current.scope.trace.count()
    name = current.cell_path
    if current.composite:
        name = f"{name}/{current.composite}" if name else current.composite
    frame = current.frame
    if frame is None:
        where = stack_position()
        if where is None:
            return _native.Loc("<unknown>", 0, 0, name)
        place = (where, name)
        loc = _stack_locations.get(place)
        if loc is None:
            if len(_stack_locations) >= _MOST_LOCATIONS:
                _stack_locations.clear()
            loc = _stack_locations[place] = _native.Loc(where.file, where.line, where.column, name)
        return loc
    node = frame.node
    if node is None:
        return _native.Loc(frame.code.filename, frame.code.line, 0, name)
    cache = frame.code.locations
    key = (node.lineno, node.col_offset, name)
    loc = cache.get(key)
    if loc is None:
        loc = cache[key] = _native.Loc(frame.code.filename, node.lineno, node.col_offset + 1, name)
    return loc
