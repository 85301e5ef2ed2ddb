"""Parameter and ParameterTuple."""

from cellgrad.core.parameter import *  # noqa: F403
from cellgrad.core.parameter import __all__  # noqa: F401
