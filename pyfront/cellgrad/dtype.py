"""Data types under the name scripts use: ``from cellgrad import dtype as mstype``."""

from cellgrad.common.dtype import *  # noqa: F403
from cellgrad.common.dtype import __all__  # noqa: F401
