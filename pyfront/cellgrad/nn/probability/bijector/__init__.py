"""Bijectors: functions with inverses, which transform distributions."""

from cellgrad.nn.probability.bijector.base import Bijector
from cellgrad.nn.probability.bijector.bijectors import (
    Exp,
    GumbelCDF,
    Invert,
    PowerTransform,
    ScalarAffine,
    Softplus,
)

__all__ = [
    "Bijector",
    "Exp",
    "GumbelCDF",
    "Invert",
    "PowerTransform",
    "ScalarAffine",
    "Softplus",
]
