"""Tensors, Parameters, dtypes and initial values."""

from typing import TYPE_CHECKING

from cellgrad.common import dtype as dtype
from cellgrad.common import generator as generator
from cellgrad.common import initializer as initializer
from cellgrad.common import parameter as parameter
from cellgrad.core import absent
from cellgrad.core.dtype import *  # noqa: F403
from cellgrad.core.initializer import get_seed, set_seed
from cellgrad.core.parameter import Parameter, ParameterTuple
from cellgrad.core.tensor import Tensor, tensor

__all__ = ["Parameter", "ParameterTuple", "Tensor", "get_seed", "set_seed", "tensor"]

if not TYPE_CHECKING:
    __getattr__ = absent.attributes(__name__)
