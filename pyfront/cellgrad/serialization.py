"""Checkpoints and exported models: saving and loading."""

from cellgrad.checkpoints import serialization as _serialization
from cellgrad.checkpoints.serialization import *  # noqa: F403
from cellgrad.export.export import export as export

__all__ = [*_serialization.__all__, "export"]
