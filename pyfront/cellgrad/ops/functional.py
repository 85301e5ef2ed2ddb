"""Operations under the name older scripts use: ``cellgrad.ops.functional``."""

from cellgrad.ops import *  # noqa: F403
from cellgrad.transforms.grad import get_grad, grad, jvp, value_and_grad, vjp

__all__ = ["get_grad", "grad", "jvp", "value_and_grad", "vjp"]
