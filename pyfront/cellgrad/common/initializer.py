"""Initial values."""

from cellgrad.core.initializer import *  # noqa: F403
from cellgrad.core.initializer import __all__  # noqa: F401
