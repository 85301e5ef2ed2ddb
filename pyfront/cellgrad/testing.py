"""Checks of derivatives."""

from cellgrad.transforms.check_grads import *  # noqa: F403
from cellgrad.transforms.check_grads import __all__  # noqa: F401
