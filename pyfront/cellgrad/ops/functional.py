"""Operations under the name older scripts use: ``cellgrad.ops.functional``."""

from typing import Any

from cellgrad.capture.sequences import *  # noqa: F403
from cellgrad.ops import *  # noqa: F403
from cellgrad.transforms.grad import get_grad, grad, value_and_grad
from cellgrad.transforms.jacobian import jacfwd, jacrev
from cellgrad.transforms.products import jvp, linearize, vjp
from cellgrad.transforms.taylor import derivative, jet
from cellgrad.transforms.vmap import vmap

__all__ = [
    "derivative",
    "get_grad",
    "grad",
    "is_sequence_value_unknown",
    "jacfwd",
    "jacrev",
    "jet",
    "jvp",
    "linearize",
    "value_and_grad",
    "vjp",
    "vmap",
]


def is_sequence_value_unknown(sequence: Any) -> bool:
    """Whether a shape is unknown while compiling: never, as a program is compiled for each shape.

    >>> print(ops.functional.is_sequence_value_unknown(ops.ones((2, 3)).shape))
    False
    """
    return False
