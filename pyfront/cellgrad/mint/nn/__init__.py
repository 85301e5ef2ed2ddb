"""Layers under MindSpore's ``mint.nn``."""

from cellgrad.mint.nn import functional
from cellgrad.mint.nn._layers import (
    LAYERS,
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

globals().update(LAYERS)

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "Dropout",
    "Dropout2d",
    "Embedding",
    "GroupNorm",
    "LayerNorm",
    "Linear",
    "functional",
    *LAYERS,
]
