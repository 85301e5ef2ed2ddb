"""What a Cell does not show: what it computes without `construct`, and Parameters of Cells in plain lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cellgrad.compile.jit import is_jit
from cellgrad.core.errors import error
from cellgrad.core.guards import is_cell
from cellgrad.core.notices import warn_once

_PLAIN = (list, tuple, dict)


def in_place_of_construct(cell: Any) -> Callable[..., Any]:
    """What a Cell without `construct` computes: its one method under `ms.jit`.

    Raises:
        AttributeError: there is none, or several.
    """
    kind = type(cell)
    compiled = [n for n in dir(kind) if is_jit(getattr(kind, n, None))]
    if len(compiled) == 1:
        method: Callable[..., Any] = getattr(cell, compiled[0])
        return method
    raise error(
        AttributeError,
        f"For '{kind.__name__}', the method 'construct' is not defined.",
        "rename 'forward' to 'construct'" if hasattr(kind, "forward") else "",
    )


def tell_hidden(cell: Any) -> None:
    """Warns, once for each attribute of a class, about lists and dictionaries that hold Cells with
    Parameters which `get_parameters` does not give.
    """
    known: set[int] | None = None
    for _, c in cell.cells_and_names():
        for attribute, value in vars(c).items():
            if type(value) not in _PLAIN or not value or attribute.startswith("_"):
                continue
            held = [v for v in (value.values() if type(value) is dict else value) if is_cell(v)]
            if not held:
                continue
            if known is None:
                known = {id(p) for p in cell.get_parameters()}
            if any(id(p) not in known for v in held for p in v.get_parameters()):
                _tell(type(c).__name__, attribute, value)


def _tell(owner: str, attribute: str, value: Any) -> None:
    container = "nn.CellDict" if type(value) is dict else "nn.CellList"
    warn_once(
        ("hidden", owner, attribute),
        f"'{attribute}' of {owner} is a {type(value).__name__} that holds Cells: their Parameters are not "
        f"among those of {owner}, so that they are not trained or saved.",
        f"self.{attribute} = {container}({attribute})",
    )
