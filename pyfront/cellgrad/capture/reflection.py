"""Builtins that look at the program itself: attributes by name, `globals`, `locals`, `eval` and others.

Called as they are, they would see the evaluator. `globals` gives a view of the function's globals, in
which what is read is guarded, `locals` the variables of its frame; `eval` and `exec` need a dictionary.
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any, NoReturn

from cellgrad.capture import calls
from cellgrad.capture.merge import Unbound
from cellgrad.core import state
from cellgrad.core.errors import NotCompilable, NotEvaluated, error
from cellgrad.core.frame import Frame
from cellgrad.core.guards import ABSENT, is_cell
from cellgrad.core.scope import used


class Globals(MutableMapping[str, Any]):
    """The globals of a function that is being evaluated, as `globals()` gives them."""

    def __init__(self, frame: Frame):
        self._frame = frame

    def _all(self) -> dict[str, Any]:
        _guard_contents(self._frame.globals)
        return self._frame.globals

    def __getitem__(self, name: str) -> Any:
        value = self._frame.global_value(name)
        if value is ABSENT:
            raise KeyError(name)
        return value

    def __setitem__(self, name: str, value: Any) -> NoReturn:
        raise calls.global_changed(self._frame, name, "is assigned")

    def __delitem__(self, name: str) -> NoReturn:
        raise calls.global_changed(self._frame, name, "is deleted")

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def _guard_contents(value: Any) -> None:
    scope = state.current.scope
    if scope is not None:
        scope.trace.guard_contents(value)


def _globals() -> Any:
    frame = state.current.frame
    return builtins.globals() if frame is None else Globals(frame)


def _locals() -> dict[str, Any]:
    frame = state.current.frame
    if frame is None or frame.parent is not None:
        raise error(
            NotEvaluated,
            "locals(), and vars() and dir() without an argument, are not supported in a "
            "comprehension or in a function that is defined in compiled code.",
            "name the variables, as in {'x': x}",
        )
    found: dict[str, Any] = {}
    for name, value in frame.locals.items():
        if isinstance(value, Unbound):
            raise value.fail(name)
        if name.isidentifier():  # others are the evaluator's
            found[name] = value
    for name in frame.closure:
        value = frame.closure_value(name)
        if value is not ABSENT:
            found[name] = value
    return found


def _getattr(owner: Any, name: str, *default: Any) -> Any:
    try:
        return calls.load_attribute(owner, name)
    except AttributeError:
        if len(default) != 1:
            raise
        return default[0]


def _hasattr(owner: Any, name: str) -> bool:
    return _getattr(owner, name, ABSENT) is not ABSENT


def _delattr(owner: Any, name: str) -> NoReturn:
    raise error(
        NotEvaluated,
        f"The attribute '{name}' of a {type(owner).__name__} is deleted in compiled code, which would "
        "happen only once, while compiling.",
        "delete it outside",
    )


def _vars(*owner: Any) -> Any:
    if not owner:
        return _locals()
    values = builtins.vars(*owner)
    if is_cell(owner[0]):
        used(owner[0])
    elif type(values) is dict:
        _guard_contents(values)
    return values


def _dir(*owner: Any) -> list[str]:
    if not owner:
        return sorted(_locals())
    if isinstance(owner[0], types.ModuleType):
        _guard_contents(vars(owner[0]))
    used(owner[0])
    return builtins.dir(*owner)


def _needs_dictionary(function: Callable[..., Any]) -> Callable[..., Any]:
    name = function.__name__

    def run(source: Any, *spaces: Any) -> Any:
        if not spaces or spaces[0] is None:
            raise error(
                NotEvaluated,
                f"{name}() without a dictionary is not supported in compiled code: it would not "
                "see the names of the function it stands in.",
                f"write the code as it is, or give the names: {name}(source, {{'x': x}})",
            )
        first, *rest = spaces
        return function(source, dict(first) if isinstance(first, Globals) else first, *rest)

    return run


def _stops(*args: Any, **kwargs: Any) -> Any:
    raise error(
        NotCompilable,
        "A breakpoint is in compiled code, whose values are known only when it runs.",
        "CELLGRAD_EAGER=1, or a block 'with ms.debug.eager():', runs everything as ordinary Python, gradients "
        "too; ms.debug.print shows values of compiled code",
    )


calls.replaced |= {
    builtins.breakpoint: _stops,
    builtins.globals: _globals,
    builtins.locals: _locals,
    builtins.vars: _vars,
    builtins.dir: _dir,
    builtins.getattr: _getattr,
    builtins.hasattr: _hasattr,
    builtins.setattr: calls.store_attribute,
    builtins.delattr: _delattr,
    builtins.eval: _needs_dictionary(builtins.eval),
    builtins.exec: _needs_dictionary(builtins.exec),
}
