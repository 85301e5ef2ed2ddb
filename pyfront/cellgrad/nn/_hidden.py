"""A warning about Cells in plain lists, whose Parameters are not among those of the Cell around them."""

from __future__ import annotations

from typing import Any

from cellgrad.core.guards import is_cell
from cellgrad.core.notices import warn_once

_PLAIN = (list, tuple, dict)


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
