"""Programs inside of `amp.auto_mixed_precision` at level "auto": each has other code there."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from cellgrad.compile.tables import PerObject
from cellgrad.core.dtype import Type
from cellgrad.core.precision import computing_in

if TYPE_CHECKING:
    from cellgrad.compile.program import Program

_twins = PerObject()


def in_precision(program: Program, lower: Type) -> Program:
    """The same program with listed operations in a lower precision."""
    table = _twins.of(program)
    found: Program | None = table.get(lower)
    if found is None:
        run = program.run

        def lowered(*args: Any, **kwargs: Any) -> Any:
            with computing_in(lower):
                return run(*args, **kwargs)

        found = table[lower] = copy.copy(program)
        found.run, found.precision, found.shared = lowered, lower, None
        found.cache, found.variants, found.known, found.constants = {}, {}, [], set()
    return found
