"""Checkpoints: saving and loading."""

from cellgrad.checkpoints.serialization import *  # noqa: F403
from cellgrad.checkpoints.serialization import __all__  # noqa: F401
