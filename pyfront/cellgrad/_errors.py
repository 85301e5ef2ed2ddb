"""Errors that name the user's line.

Every error raised on purpose goes through `error`: its text is the message, the place in the user's
code
(file, line, column, enclosing function, path of the Cell) with the source line, and what to do
instead.
The class is the one MindSpore raises for the same mistake.
"""

from __future__ import annotations

import linecache
import os
import sys
from typing import NamedTuple, TypeVar

E = TypeVar("E", bound=BaseException)

# The package's folders: sources, and the build's for generated modules (`cellgrad/__init__.py` adds
# those).
PACKAGES: tuple[str, ...] = (os.path.dirname(os.path.abspath(__file__)) + os.sep,)


class CompileError(RuntimeError):
    """The compiler refused a program that the front end accepted."""


class Position(NamedTuple):
    """A place in the user's code; `column` is 1-based, or 0 where it is not known."""

    file: str
    line: int
    column: int
    function: str
    cell: str

    def __str__(self) -> str:
        column = f":{self.column}" if self.column else ""
        inside = f", in {self.function}" if self.function else ""
        cell = f" (cell '{self.cell}')" if self.cell else ""
        return f"{self.file}:{self.line}{column}{inside}{cell}"


def position_text(position: Position) -> str:
    """The position and its source line with a caret, indented, for the end of a message."""
    source = linecache.getline(position.file, position.line).rstrip("\n")
    out = f"\n  at {position}"
    if source.strip():
        stripped = source.lstrip()
        out += f"\n      {stripped}"
        if position.column:
            # ast columns count bytes of UTF-8.
            before = source.encode()[: position.column - 1].decode(errors="ignore")
            caret = len(before) - (len(source) - len(stripped))
            out += "\n      " + " " * max(caret, 0) + "^"
    return out


def stack_position() -> Position | None:
    """The innermost Python frame outside this package."""
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGES) and not code.co_filename.startswith("<frozen"):
            column = 0
            if sys.version_info >= (3, 11) and frame.f_lasti >= 0:
                for k, (_, _, start, _) in enumerate(code.co_positions()):
                    if 2 * k == frame.f_lasti:
                        column = (start or 0) + 1 if start is not None else 0
                        break
            name = "" if code.co_name == "<module>" else code.co_name
            return Position(code.co_filename, frame.f_lineno, column, name, "")
        frame = frame.f_back  # type: ignore[assignment]
    return None


def error(kind: type[E], message: str, hint: str = "", position: Position | None = None) -> E:
    """An exception of class `kind` whose text ends with the user's position and a hint.

    The position is the one of the expression being captured or, outside a capture, of the caller.
    """
    if position is None:
        from cellgrad.capture import state

        position = state.position() or stack_position()
    text = message
    if position is not None:
        text += position_text(position)
    if hint:
        text += f"\n  hint: {hint}"
    exception = kind(text)
    exception.__cellgrad_located__ = True  # type: ignore[attr-defined]
    return exception
