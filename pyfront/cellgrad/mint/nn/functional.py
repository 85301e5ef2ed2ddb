"""Functions of layers under MindSpore's ``mint.nn.functional``; see ``mint/nn/_table.py``."""

from typing import TYPE_CHECKING, Any

from cellgrad.mint.nn._table import FUNCTIONS

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


globals().update(FUNCTIONS)

__all__ = [*FUNCTIONS]
