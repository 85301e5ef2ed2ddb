"""Layers under MindSpore's ``mint.nn``."""

__path__ = __import__("pkgutil").extend_path(__path__, __name__)

from typing import TYPE_CHECKING

from cellgrad.core import absent
from cellgrad.mint.nn import _forms, functional
from cellgrad.mint.nn._forms import *  # noqa: F403
from cellgrad.mint.nn._layers import (
    Conv1d,
    Conv2d,
    Conv3d,
    Dropout,
    Dropout2d,
    Embedding,
    GroupNorm,
    LayerNorm,
    Linear,
)
from cellgrad.nn import (
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    Identity,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad2d,
)

__all__ = [
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "Dropout",
    "Dropout2d",
    "Embedding",
    "GroupNorm",
    "Identity",
    "LayerNorm",
    "Linear",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad2d",
    "functional",
    *_forms.__all__,
]

if not TYPE_CHECKING:
    __getattr__ = absent.attributes(__name__)
