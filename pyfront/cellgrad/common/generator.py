"""The state of random numbers."""

from cellgrad.core.generator import *  # noqa: F403
from cellgrad.core.generator import __all__  # noqa: F401
