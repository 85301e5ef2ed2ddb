"""Models for any batch size: what is captured for one size, and is the same program for others.

A program is captured for a batch size that no dimension of a model has. The compiler makes it a program
for any size, and proves that it computes each sample by itself. What Python computed from the number is
not seen there: so the program is captured for other sizes, too, and must be the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cellgrad import _native
from cellgrad.core.errors import CompileError, error
from cellgrad.core.open_shape import OpenElements
from cellgrad.core.scope import Trace
from cellgrad.core.storage import signature
from cellgrad.core.tensor import Tensor
from cellgrad.core.tree import map_tensors, tensors

__all__ = ["largest_batch", "open_batch", "with_batch"]

# A prime: no product of other sizes is a multiple of it.
STAND_IN = 65521
# What the smallest batches, and another prime, tell of choices by the size. For a batch of 1, where
# nothing is broadcast, the program may be another one: the model then has both.
_OTHERS = (2, 3, 32749)


def largest_batch(inputs: Any) -> int | None:
    """The largest batch that inputs with an open first dimension may have; None where all sizes are
    known.

    Raises:
        ValueError: another dimension is open.
    """
    most: int | None = None
    for x in tensors(inputs):
        if not isinstance(x._buf, OpenElements):
            continue
        if -1 in x.shape[1:]:
            raise error(
                ValueError,
                "For 'export', only the first dimension of an input can be open, the batch, but got "
                f"the shape {list(x.shape)}.",
                "give the other dimensions their sizes",
            )
        most = x._buf.max if most is None else min(most, x._buf.max)
    return most


def with_batch(inputs: Any, size: int) -> Any:
    """The inputs with so many samples where their first dimension is open."""

    def sized(x: Tensor) -> Tensor:
        if not isinstance(x._buf, OpenElements):
            return x
        return Tensor._wrap(x._buf, signature(x.dtype, (size, *x.shape[1:])))

    return map_tensors(sized, inputs)


def open_batch(trace: Trace, most: int, capture: Callable[[int], Trace], model: str) -> None:
    """Makes what was captured for the stand-in a program for 1 to `most` samples.

    Raises:
        CompileError: for another size it is another program.
    """
    texts = {size: capture(size).graph.text(locations=True) for size in (1, *_OTHERS)}
    others = [(size, texts[size]) for size in _OTHERS]
    try:
        trace.graph.open_batch(STAND_IN, most, others, texts[1])
    except _native.GraphError as e:
        raise error(CompileError, f"'{model}' could not be compiled:\n{e}") from None
