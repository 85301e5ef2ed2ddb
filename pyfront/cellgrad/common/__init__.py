"""Tensors, Parameters, dtypes and initial values."""

from cellgrad.common.dtype import *  # noqa: F403
from cellgrad.common.initializer import get_seed, set_seed
from cellgrad.common.parameter import Parameter, ParameterTuple
from cellgrad.common.tensor import Tensor, tensor

__all__ = ["Parameter", "ParameterTuple", "Tensor", "get_seed", "set_seed", "tensor"]
