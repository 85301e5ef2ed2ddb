"""Linear algebra under MindSpore's ``mint.linalg``."""

from typing import TYPE_CHECKING

from cellgrad.core import absent
from cellgrad.mint._linalg_forms import *  # noqa: F403
from cellgrad.mint._linalg_forms import __all__  # noqa: F401

if not TYPE_CHECKING:
    __getattr__ = absent.attributes(__name__)
