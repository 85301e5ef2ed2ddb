"""Functions that cannot be compiled as a whole, run operation by operation where that is asked for: as
MindSpore does at its syntax level LAX.

A program notes that its code cannot be compiled in place of the compiled code, under the same guards:
where what it read changes, it is compiled again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from cellgrad.core import state
from cellgrad.core.context import syntax_is_lax
from cellgrad.core.errors import CompiledThere
from cellgrad.core.notices import warn_once

__all__ = ["NotCompiled", "call", "refusing", "tell"]


class NotCompiled(Exception):
    """A program's code cannot be compiled; `error` says why."""

    def __init__(self, error: Exception):
        super().__init__(error)
        self.error = error


def refusing(error: Exception) -> Callable[[list[Any]], NoReturn]:
    """What stands for the compiled code of a program that has none."""

    def entry(buffers: list[Any]) -> NoReturn:
        raise NotCompiled(error)

    return entry


def call(
    program: Any,
    plain: Callable[..., Any],
    lax: bool | None,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """A call of a program, or of `plain`, the same as ordinary Python, where it cannot be compiled.

    Args:
        lax: whether it may run so; None: as the context says.
    """
    try:
        return program(args, kwargs)
    except NotCompiled as e:
        error = e.error
    if not (syntax_is_lax(isinstance(error, CompiledThere)) if lax is None else lax):
        raise error.with_traceback(error.__traceback__)
    tell(program.name, error)
    if not isinstance(error, RecursionError):
        return plain(*args, **kwargs)
    # Cells that are made at each call would each be compiled down to the end of the recursion.
    before = state.current.plain
    state.put("plain", True)
    try:
        return plain(*args, **kwargs)
    finally:
        state.put("plain", before)


def tell(name: str, error: Exception) -> None:
    """Warns once that a function runs operation by operation, and why."""
    warn_once(
        ("fallback", name, str(error)),
        f"'{name}' runs operation by operation, as it cannot be compiled: {error}",
        "jit(fullgraph=True) and set_context(jit_syntax_level=STRICT) make this an error",
    )
