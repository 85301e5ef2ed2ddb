"""Settings of the process, under the name scripts use."""

from cellgrad.core.context import *  # noqa: F403
from cellgrad.core.context import __all__  # noqa: F401
