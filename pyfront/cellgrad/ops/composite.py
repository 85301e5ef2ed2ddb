"""Under the name older scripts use: ``from cellgrad.ops import composite as C``."""

from collections.abc import Callable
from typing import Any, TypeVar

from cellgrad.capture.maps import HyperMap, Map, MultitypeFuncGraph
from cellgrad.core.arguments import check_callable, check_instance
from cellgrad.core.errors import error
from cellgrad.ops import (
    add,
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
from cellgrad.ops.limits import clip_by_value
from cellgrad.transforms.grad import GradOperation

T = TypeVar("T")

__all__ = [
    "GradOperation",
    "HyperMap",
    "Map",
    "MultitypeFuncGraph",
    "clip_by_global_norm",
    "clip_by_value",
    "core",
    "count_nonzero",
    "cummin",
    "dot",
    "hyper_add",
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


hyper_add = HyperMap(add)


def core(fn: Callable[..., Any] | None = None, **flags: Any) -> Any:
    """A decorator that gives the function itself. The flags choose how MindSpore's compiler goes about it, and
    change no result.

    Raises:
        TypeError: `fn` is not callable.

    >>> @ops.composite.core(loop_can_unroll=True)
    ... def double(x):
    ...     return x * 2
    >>> print(double(Tensor([1.0])))
    [2.]
    """
    return core if fn is None else check_callable(fn, "core", "fn")
