"""Tensor."""

from cellgrad.core.tensor import *  # noqa: F403
from cellgrad.core.tensor import __all__  # noqa: F401
