"""Operations under the name older scripts use: ``cellgrad.ops.functional``."""

from cellgrad.capture.sequences import *  # noqa: F403
from cellgrad.ops import *  # noqa: F403
from cellgrad.transforms.grad import get_grad, grad, jvp, linearize, value_and_grad, vjp
from cellgrad.transforms.jacobian import jacfwd, jacrev
from cellgrad.transforms.taylor import derivative, jet
from cellgrad.transforms.vmap import vmap

__all__ = [
    "derivative",
    "get_grad",
    "grad",
    "jacfwd",
    "jacrev",
    "jet",
    "jvp",
    "linearize",
    "value_and_grad",
    "vjp",
    "vmap",
]
