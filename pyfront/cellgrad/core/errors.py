"""Errors that name the user's line.

Every error raised on purpose goes through `error`: its text is the message, the place in the user's
code (file, line, column, enclosing function, path of the Cell) with the source line, and what to do
instead. The class is the one MindSpore raises for the same mistake.
"""

from __future__ import annotations

import difflib
import functools
import itertools
import linecache
import os
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar, cast

E = TypeVar("E", bound=BaseException)

# The package's folders: sources, and the build's for generated modules (`cellgrad/__init__.py` adds
# those).
PACKAGES: tuple[str, ...] = (os.path.dirname(os.path.abspath(__file__)) + os.sep,)


class CompileError(RuntimeError):
    """The compiler refused a program that the front end accepted."""


class NotCompilable(TypeError):
    """A TypeError for code that is fine as ordinary Python, but cannot be compiled: it needs elements that
    are known only when the code runs, or values whose types depend on them.
    """


NotCompilable.__name__ = NotCompilable.__qualname__ = "TypeError"
NotCompilable.__module__ = "builtins"


class CompiledThere(NotCompilable):
    """A TypeError for code that is not compiled here, and that MindSpore compiles at its level STRICT, too."""


CompiledThere.__name__ = CompiledThere.__qualname__ = "TypeError"
CompiledThere.__module__ = "builtins"


class UnknownShape(CompiledThere):
    """A TypeError for code whose shapes depend on elements that are known only when it runs."""


UnknownShape.__name__ = UnknownShape.__qualname__ = "TypeError"
UnknownShape.__module__ = "builtins"


class NotEvaluated(NotCompilable, NotImplementedError):
    """A NotImplementedError for syntax and builtins that are fine as ordinary Python, and that compiled code
    has not got.
    """


NotEvaluated.__name__ = NotEvaluated.__qualname__ = "NotImplementedError"
NotEvaluated.__module__ = "builtins"


class _ReadableKeyError(KeyError):
    """A KeyError that prints its text, where Python's prints the text's repr, in one line."""

    def __str__(self) -> str:
        return str(self.args[0])


_ReadableKeyError.__name__ = _ReadableKeyError.__qualname__ = "KeyError"
_ReadableKeyError.__module__ = "builtins"


@functools.cache
def either(*kinds: type[Exception]) -> type[Exception]:
    """An exception that is of several classes: Python's class for a mistake, first, and MindSpore's.

    Its name is that of the first, of which it is a copy after pickling.
    """
    first = kinds[0]

    def reduced(self: Exception) -> tuple[Any, ...]:
        return first, self.args

    return type(first.__name__, kinds, {"__module__": "builtins", "__reduce__": reduced})


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


_MOST_COLUMNS = 100_000  # a process may make code without end
_columns: dict[tuple[int, int], tuple[types.CodeType, int]] = {}


def _column(code: types.CodeType, instruction: int) -> int:
    """The 1-based column of an instruction, or 0."""
    key = (id(code), instruction)
    known = _columns.get(key)
    if known is None:
        start = None
        if instruction >= 0:
            _, _, start, _ = next(itertools.islice(code.co_positions(), instruction // 2, None))
        if len(_columns) >= _MOST_COLUMNS:
            _columns.clear()
        # The code object is kept, so that its identity stays its own.
        known = _columns[key] = (code, 0 if start is None else start + 1)
    return known[1]


def stack_position() -> Position | None:
    """The innermost Python frame outside this package."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        file = code.co_filename
        if not file.startswith(PACKAGES) and not file.startswith("<frozen"):
            name = "" if code.co_name == "<module>" else code.co_name
            return Position(file, frame.f_lineno, _column(code, frame.f_lasti), name, "")
        frame = frame.f_back
    return None


# The place of what is being captured; `state` knows it.
where: Callable[[], Position | None] = lambda: None


def error(kind: type[E], message: str, hint: str = "", position: Position | None = None) -> E:
    """An exception of class `kind` whose text ends with the user's position and a hint.

    The position is the one of the expression being captured or, outside a capture, of the caller.
    """
    if position is None:
        position = where() or stack_position()
    text = message
    if position is not None:
        text += position_text(position)
    if hint:
        text += f"\n  hint: {hint}"
    exception = cast(E, _ReadableKeyError(text)) if kind is KeyError else kind(text)
    exception.__cellgrad_located__ = True  # type: ignore[attr-defined]
    return exception


def not_defined(owner: object, method: str, hint: str = "") -> NotImplementedError:
    """The error of a method that a subclass must define."""
    name = type(owner).__name__
    hint = (
        hint or f"'{name}' is a base: define {method} in your class, or use one of its subclasses"
    )
    return error(NotImplementedError, f"For '{name}', '{method}' is not defined.", hint)


def nearest(name: str, known: Iterable[str]) -> str:
    """What to write instead of a name that does not exist: the most similar public ones."""
    public = sorted({k for k in known if not k.startswith("_")})
    low, by_lower = name.lower(), {k.lower(): k for k in public}
    found = difflib.get_close_matches(name, public, 3, 0.6)
    found += [by_lower[k] for k in difflib.get_close_matches(low, list(by_lower), 3, 0.6)]
    found += [k for k in public if len(k) > 3 and (k.lower() in low or low in k.lower())]
    found = list(dict.fromkeys(found))[:3]
    return "nearest: " + ", ".join(found) if found else "there is nothing like it"
