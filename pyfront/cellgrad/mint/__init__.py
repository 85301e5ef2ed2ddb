"""Interfaces under MindSpore's ``mint``: operations and layers with ``dim`` and ``keepdim``, and
optimizers. Most are forms of operations; their rows stand above the functions of ``ops``.
"""

__path__ = __import__("pkgutil").extend_path(__path__, __name__)

from typing import TYPE_CHECKING

from cellgrad.core import absent
from cellgrad.mint import _forms, _others, distributed, linalg, nn, optim, special
from cellgrad.mint._forms import *  # noqa: F403
from cellgrad.mint._others import *  # noqa: F403

__all__ = ["distributed", "linalg", "nn", "optim", "special", *_forms.__all__, *_others.__all__]

if not TYPE_CHECKING:
    __getattr__ = absent.attributes(__name__)
