"""Whether gradients are finite."""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.core.errors import error
from cellgrad.core.record import operation
from cellgrad.core.tensor import Tensor
from cellgrad.core.tree import tensors

__all__ = ["all_finite"]


@operation
def _all_finite(inputs: Any) -> Tensor:
    result: Any = None
    for t in tensors(inputs):
        if t.dtype.kind != "f":
            continue
        finite = ops.all(ops.isfinite(t))
        result = finite if result is None else ops.logical_and(result, finite)
    return ops.full((), True) if result is None else result


def all_finite(inputs: object) -> Tensor:
    """Whether all elements of all tensors are finite: a 0-d bool Tensor.

    Args:
        inputs: a Tensor, or nested tuples and lists of them, such as gradients.

    Raises:
        TypeError: `inputs` has no Tensor.

    >>> print(ms.amp.all_finite([Tensor([1.0]), Tensor([float("inf")])]))
    False
    """
    if not any(True for _ in tensors(inputs)):
        raise error(
            TypeError,
            f"For 'all_finite', 'inputs' must hold Tensors, but got {type(inputs).__name__}.",
        )
    out: Tensor = _all_finite(inputs)
    return out
