"""Data types."""

from cellgrad.core.dtype import *  # noqa: F403
from cellgrad.core.dtype import TensorType as TensorType
from cellgrad.core.dtype import __all__  # noqa: F401
from cellgrad.core.dtype import get_py_obj_dtype as get_py_obj_dtype
