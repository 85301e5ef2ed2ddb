"""Failures of the compiler and of compiled code as errors that name the user's line, and tracebacks of
the user's frames.
"""

from __future__ import annotations

import os
import sys
import tempfile
import types
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from cellgrad import _native
from cellgrad.capture.raises import with_elements
from cellgrad.compile import cache as _cache
from cellgrad.core import errors as _errors
from cellgrad.core import variables
from cellgrad.core.errors import CompileError, Position, error, position_text
from cellgrad.core.foreign import late_hint


def reproducers() -> str:
    """The folder for programs on which the compiler fails: in the cache, or that for temporary files."""
    cache = _cache.folder()
    return tempfile.gettempdir() if cache is None else str(cache / "failures")


def compile_error(title: str, e: _native.CompileError) -> CompileError:
    """The error for a program that the compiler refused, or on which it failed: then it names the
    construct, the user's line, and the file to report.
    """
    failure = e.failure
    if failure is None:
        return error(CompileError, f"{title} could not be compiled:\n{e}")
    first = e.diagnostics[0]
    position = None
    if first["file"]:
        position = Position(first["file"], first["line"], first["column"], "", first["name"])
    on = failure["construct"] or "this"
    hint = "no reproducer could be written; please report it with the program"
    if failure["reproducer"]:
        hint = (
            f"please report it with {failure['reproducer']}, which fails in the same way: "
            f"{failure['command']}"
        )
    return error(
        CompileError,
        f"{title} could not be compiled: the compiler failed on {on}. This is a fault of cellgrad, "
        "not of your program.",
        hint,
        position,
    )


class Checked:
    """An entry whose failures are explained: `explain` takes the exception and the buffers of the call, and
    raises the error for the user. `native/KnownCalls.cpp` calls what it needs of both.
    """

    __slots__ = ("entry", "explain")

    def __init__(self, entry: Any, explain: Callable[[IndexError, Sequence[Any]], NoReturn]):
        self.entry = entry
        self.explain = explain

    def __call__(self, buffers: list[Any]) -> Any:
        try:
            return self.entry(buffers)
        except IndexError as e:
            failure = e
        try:
            self.explain(failure, buffers)
        finally:
            del failure  # its traceback has this frame: with it, a cycle would keep the buffers


def naming_places(
    entry: Any, places: dict[str, tuple[Position, type[Exception] | Exception, str]]
) -> Checked:
    """An entry whose failed checks are errors with the user's line and Cell, or exceptions of the
    user's.

    `places` has them by what compiled code says: a message, and a file and line in parentheses.
    """

    def explain(e: Exception, buffers: Sequence[Any]) -> NoReturn:
        try:
            said = str(e)
            if said not in places:
                raise e
            message = said.rpartition(" (")[0].removesuffix(".")
            place, kind, hint = places[said]
            if isinstance(kind, Exception):
                e = with_elements(kind, buffers)
                e.add_note(position_text(place).lstrip("\n"))
                raise without_own_frames(e)
            hint = f"the check was made when the code ran: {hint}"
            raise without_own_frames(error(kind, f"{message}.", hint, place))
        finally:
            del e, buffers  # as above

    return Checked(entry, explain)


def naming_nans(entry: Any, eager: bool) -> Checked:
    """An entry whose failed checks for NaN are FloatingPointErrors; the place in the code of an `eager` one
    is that of its first call, and the place of this call is the one that the error has anyway.
    """

    def explain(e: Exception, buffers: Sequence[Any]) -> NoReturn:
        try:
            if not str(e).startswith("NaN in "):
                raise e
            place = _errors.stack_position() if eager else None
            raise nan_at(e, place)
        finally:
            del e, buffers  # as above

    return Checked(entry, explain)


def nan_at(e: Exception, place: Position | None) -> FloatingPointError:
    """The error for a NaN, at another place than the one that compiled code says."""
    said = str(e).partition("\n")[0].removesuffix(".")
    if place is not None:
        said = f"{said.partition(' (')[0]} ({os.path.basename(place.file)}:{place.line})"
    return error(FloatingPointError, f"{said}.", position=place)


def endless(e: RecursionError, name: str) -> Exception:
    """The error for a function that calls itself without end, with the user's place."""
    if getattr(e, "__cellgrad_located__", False) and not getattr(e, "__notes__", None):
        return e
    where = "".join(getattr(e, "__notes__", []))
    text = (
        f"'{name}' calls itself without end while it is compiled: a recursion must end on a Python "
        f"value, as all of it becomes part of the compiled code.\n{where}"
    )
    return RecursionError(text)


def without_own_frames(e: Exception) -> Exception:
    """The exception without the frames of this package; CELLGRAD_FULL_TRACEBACK=1 keeps them."""
    if variables.flag("FULL_TRACEBACK"):
        return e
    kept = []
    tb = e.__traceback__
    while tb is not None:
        if not tb.tb_frame.f_code.co_filename.startswith((*_errors.PACKAGES, "<frozen importlib")):
            kept.append(tb)
        tb = tb.tb_next
    chain = None
    for t in reversed(kept):
        chain = types.TracebackType(chain, t.tb_frame, t.tb_lasti, t.tb_lineno)
    return e.with_traceback(chain)


def for_users(e: BaseException) -> BaseException:
    """The exception as users see it: errors made for them, and exceptions of their code while it is compiled,
    without the frames of this package; others with a hint, where there is one.
    """
    if isinstance(e, Exception) and getattr(e, "__cellgrad_located__", False):
        return without_own_frames(e)
    hint = late_hint(e)
    if hint:
        e.add_note(f"  hint: {hint}")
    return e


def show(kind: type[BaseException], e: BaseException, tb: types.TracebackType | None) -> None:
    """What Python shows of an exception that ends a program."""
    e = for_users(e)
    sys.__excepthook__(kind, e, e.__traceback__)


def show_in_notebook(
    shell: Any,
    kind: type[BaseException],
    e: BaseException,
    tb: types.TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    """The same of an exception that ends a cell of IPython."""
    e = for_users(e)
    shell.showtraceback((kind, e, e.__traceback__), tb_offset=tb_offset)


def install() -> None:
    """Makes `show` what ends a program, and `show_in_notebook` a cell, unless another hook is there already."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = show
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    if shell and not shell.custom_exceptions:
        shell.set_custom_exc((Exception,), show_in_notebook)
