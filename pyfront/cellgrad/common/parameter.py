"""Parameter and ParameterTuple."""

from cellgrad.core.parameter import *  # noqa: F403
from cellgrad.core.parameter import Buffer as _Buffer  # noqa: F401
from cellgrad.core.parameter import __all__  # noqa: F401
from cellgrad.core.parameter import is_generated as _is_parameter_generated  # noqa: F401
