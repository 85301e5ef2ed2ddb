"""Warnings about gradients that say nothing: by weights that nothing reads, by numbers."""

from __future__ import annotations

from typing import Any

from cellgrad.core import errors
from cellgrad.core.notices import warn_once
from cellgrad.core.parameter import Parameter


def tell_unused(name: str, unused: list[Parameter]) -> None:
    """Warns, once for each list of them, that gradients by weights are zero as a function reads none."""
    if not unused:
        return
    names = tuple([p.name for p in unused])
    shown = ", ".join(repr(n) for n in names[:5]) + (", ..." if len(names) > 5 else "")
    one = len(names) == 1
    warn_once(
        ("unused", name, names),
        f"'{name}' does not read the weight{'' if one else 's'} {shown}: "
        f"{'its gradient is' if one else 'their gradients are'} zero.",
        f"use {'it' if one else 'them'} in the computation, remove {'it' if one else 'them'}, or set "
        "requires_grad=False",
    )


def tell_empty(name: str, argument: Any, position: int) -> None:
    """Warns, once a line, of a gradient without parts: in other libraries a number has one."""
    value = f"ms.Tensor({argument!r})" if isinstance(argument, int | float) else "Tensors"
    warn_once(
        ("empty", errors.where() or errors.stack_position()),
        f"The gradient of '{name}' is empty: its input at position {position} is of type "
        f"{type(argument).__name__}, a constant of the compiled code.",
        f"pass {value} to differentiate by it",
    )
