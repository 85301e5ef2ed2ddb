"""Data types."""

from cellgrad.core.dtype import *  # noqa: F403
from cellgrad.core.dtype import TensorType as TensorType
from cellgrad.core.dtype import __all__  # noqa: F401
