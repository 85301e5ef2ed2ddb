"""Random numbers from keys."""

from cellgrad.ops.keys import *  # noqa: F403
from cellgrad.ops.keys import __all__  # noqa: F401
