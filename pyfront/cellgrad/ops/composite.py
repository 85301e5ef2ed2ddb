"""Under the name older scripts use: ``from cellgrad.ops import composite as C``."""

from typing import TypeVar

from cellgrad.capture.maps import HyperMap, Map, MultitypeFuncGraph
from cellgrad.core.arguments import check_instance
from cellgrad.core.errors import error
from cellgrad.ops import (
    count_nonzero,
    cummin,
    dot,
    laplace,
    matmul,
    mm,
    multinomial,
    normal,
    ones_like,
    repeat_elements,
    repeat_interleave,
    sequence_mask,
    tensor_dot,
    uniform,
    vecdot,
    zeros_like,
)
from cellgrad.ops.composites import clip_by_global_norm
from cellgrad.ops.selection import clip_by_value
from cellgrad.transforms.grad import GradOperation

T = TypeVar("T")

__all__ = [
    "GradOperation",
    "HyperMap",
    "Map",
    "MultitypeFuncGraph",
    "clip_by_global_norm",
    "clip_by_value",
    "count_nonzero",
    "cummin",
    "dot",
    "laplace",
    "matmul",
    "mm",
    "multinomial",
    "normal",
    "ones_like",
    "repeat_elements",
    "repeat_interleave",
    "sequence_mask",
    "tail",
    "tensor_dot",
    "uniform",
    "vecdot",
    "zeros_like",
]


def tail(sequence: tuple[T, ...]) -> tuple[T, ...]:
    """A tuple without its first element.

    Raises:
        TypeError: no tuple.
        ValueError: an empty one.

    >>> ops.composite.tail((1, 2, 3))
    (2, 3)
    """
    given = check_instance(sequence, "tail", "sequence", tuple)
    if not given:
        raise error(ValueError, "For 'tail', the tuple must have an element, but it is empty.")
    return given[1:]
