"""Operations under the name older scripts use: ``cellgrad.ops.functional``."""

from cellgrad.grad import get_grad, grad, jvp, value_and_grad, vjp
from cellgrad.ops import *  # noqa: F403

__all__ = ["get_grad", "grad", "jvp", "value_and_grad", "vjp"]
