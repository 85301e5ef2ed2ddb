"""Functions of ``mint`` that are no forms of one operation."""

from __future__ import annotations

from cellgrad.core.tensor import Tensor
from cellgrad.ops.sorting import kth

__all__ = ["clone", "kthvalue"]


def clone(input: Tensor) -> Tensor:
    """A copy of the tensor, through which gradients flow.

    >>> print(mint.clone(Tensor([1.0, 2.0])))
    [1. 2.]
    """
    return input.copy()


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The k-th smallest elements along a dimension, and their positions.

    >>> values, positions = mint.kthvalue(Tensor([3.0, 1.0, 2.0]), 2)
    >>> print(values, positions)
    2.0 2
    """
    return kth(input, k, dim, keepdim)
