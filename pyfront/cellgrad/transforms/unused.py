"""A warning about weights that nothing reads."""

from __future__ import annotations

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
