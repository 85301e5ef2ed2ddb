"""Operations under the name older scripts use: ``cellgrad.ops.functional``."""

from typing import Any

from cellgrad.capture.sequences import *  # noqa: F403
from cellgrad.core import dtype as _dtype
from cellgrad.core.arguments import check_one_of as _check_one_of
from cellgrad.core.tree import map_tensors as _map_tensors
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
    "is_sequence_shape_unknown",
    "is_sequence_value_unknown",
    "jacfwd",
    "jacrev",
    "jet",
    "jvp",
    "linearize",
    "mixed_precision_cast",
    "value_and_grad",
    "vjp",
    "vmap",
]


def is_sequence_shape_unknown(sequence: Any) -> bool:
    """Whether the length of a tuple or list is unknown while compiling: never, as a program is compiled for each.

    >>> print(ops.functional.is_sequence_shape_unknown(ms.mutable((1, 2), dynamic_len=True)))
    False
    """
    return False


def is_sequence_value_unknown(sequence: Any) -> bool:
    """Whether a shape is unknown while compiling: never, as a program is compiled for each shape.

    >>> print(ops.functional.is_sequence_value_unknown(ops.ones((2, 3)).shape))
    False
    """
    return False


def mixed_precision_cast(dst_dtype: Any, x: Any) -> Any:
    """Tensors of floating-point numbers in another such type, also those in tuples, lists and dicts.

    Args:
        dst_dtype: float16, bfloat16 or float32.
        x: a Tensor, or nested values; a list gives a tuple, as in MindSpore.

    Raises:
        ValueError: another type.

    >>> half = ops.functional.mixed_precision_cast(ms.float16, [Tensor([1.0]), Tensor([1])])
    >>> [t.dtype for t in half]
    [cellgrad.float16, cellgrad.int64]
    """
    allowed = (_dtype.float16, _dtype.bfloat16, _dtype.float32)
    _check_one_of(dst_dtype, "mixed_precision_cast", "dst_dtype", allowed)
    if isinstance(x, list):
        x = tuple(x)
    return _map_tensors(lambda t: t.astype(dst_dtype) if t.dtype.kind == "f" else t, x)
