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
    ConvTranspose2d,
    Dropout,
    Dropout2d,
    Embedding,
    GroupNorm,
    LayerNorm,
    Linear,
    PReLU,
    UpsamplingBilinear2d,
    UpsamplingNearest2d,
    ZeroPad1d,
    ZeroPad3d,
)
from cellgrad.mint.nn._norms import BatchNorm1d, BatchNorm2d, BatchNorm3d
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
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose2d",
    "Dropout",
    "Dropout2d",
    "Embedding",
    "GroupNorm",
    "Identity",
    "LayerNorm",
    "Linear",
    "PReLU",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
    "functional",
    *_forms.__all__,
]

if not TYPE_CHECKING:
    __getattr__ = absent.attributes(__name__)
