"""Interfaces under MindSpore's ``mint``: operations and layers with ``dim`` and ``keepdim``, and
optimizers. What each function is, is in ``mint/_table.py`` and ``mint/nn/_table.py``.
"""

from typing import TYPE_CHECKING, Any

from cellgrad.mint import linalg, nn, optim, special
from cellgrad.mint._table import FUNCTIONS

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


globals().update(FUNCTIONS)

__all__ = ["linalg", "nn", "optim", "special", *FUNCTIONS]
