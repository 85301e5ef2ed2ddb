"""Inputs of models for any batch size."""

from __future__ import annotations

from typing import Any

from cellgrad.core.open_shape import OpenElements
from cellgrad.core.storage import signature
from cellgrad.core.tensor import Tensor
from cellgrad.core.tree import map_tensors

__all__ = ["with_batch"]


def with_batch(inputs: Any, size: int) -> Any:
    """The inputs with so many samples where their first dimension is open."""

    def sized(x: Tensor) -> Tensor:
        if not isinstance(x._buf, OpenElements):
            return x
        return Tensor._wrap(x._buf, signature(x.dtype, (size, *x.shape[1:])))

    return map_tensors(sized, inputs)
