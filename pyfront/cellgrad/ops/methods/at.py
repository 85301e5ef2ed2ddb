"""``x.at[index].set(value)`` and its like: a new tensor with other elements, as JAX writes it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from cellgrad import ops as _ops
from cellgrad.core import dtype as mstype
from cellgrad.core.record import as_tensor, is_number
from cellgrad.core.tensor import Tensor
from cellgrad.ops import indexing

ops: Any = _ops

_PARTS = (slice, int, np.integer, type(None), type(Ellipsis))


class At:
    """What `Tensor.at` gives: its index says which elements."""

    __slots__ = ("_tensor",)

    def __init__(self, tensor: Tensor):
        self._tensor = tensor

    def __getitem__(self, index: Any) -> Elements:
        return Elements(self._tensor, index)


class Elements:
    """The elements of a tensor that an index names; each method gives a new tensor."""

    __slots__ = ("_index", "_tensor")

    def __init__(self, tensor: Tensor, index: Any):
        self._tensor = tensor
        self._index = index

    def get(self) -> Tensor:
        """The elements themselves.

        >>> print(Tensor([1.0, 2.0, 3.0]).at[1:].get())
        [2. 3.]
        """
        out: Tensor = self._tensor[self._index]
        return out

    def set(self, value: Any) -> Tensor:
        """The tensor with `value` in their place.

        >>> print(Tensor([1.0, 2.0, 3.0]).at[1].set(0.0))
        [1. 0. 3.]
        """
        return indexing.setitem(self._tensor, self._index, value)

    def add(self, value: Any) -> Tensor:
        """The tensor with `value` added to them, as often as they are named.

        >>> print(Tensor([1.0, 2.0, 3.0]).at[Tensor([0, 0, 2])].add(10.0))
        [21.  2. 13.]
        """
        return indexing.add_elements(self._tensor, self._index, value)

    def subtract(self, value: Any) -> Tensor:
        """The tensor with `value` subtracted from them, as often as they are named.

        >>> print(Tensor([1.0, 2.0, 3.0]).at[1:].subtract(1.0))
        [1. 1. 2.]
        """
        given = value if is_number(value) else as_tensor(value, "at")
        return indexing.add_elements(self._tensor, self._index, -given)

    def multiply(self, value: Any) -> Tensor:
        """The tensor with them multiplied by `value`, as often as they are named.

        >>> print(Tensor([1.0, 2.0, 3.0]).at[Tensor([0, 0, 2])].multiply(2.0))
        [4. 2. 6.]
        """
        return self._combined(value, operator.mul, "tensor_scatter_mul")

    mul = multiply

    def divide(self, value: Any) -> Tensor:
        """The tensor with them divided by `value`, as often as they are named.

        >>> print(Tensor([1.0, 2.0, 3.0]).at[0].divide(2.0))
        [0.5 2.  3. ]
        """
        return self._combined(value, operator.truediv, "tensor_scatter_div")

    def min(self, value: Any) -> Tensor:
        """The tensor with the smaller of each of them and `value`.

        >>> print(Tensor([1.0, 2.0, 3.0]).at[1:].min(2.5))
        [1.  2.  2.5]
        """
        return self._combined(value, ops.minimum, "tensor_scatter_min")

    def max(self, value: Any) -> Tensor:
        """The tensor with the larger of each of them and `value`.

        >>> print(Tensor([1.0, 2.0, 3.0]).at[1:].max(2.5))
        [1.  2.5 3. ]
        """
        return self._combined(value, ops.maximum, "tensor_scatter_max")

    def _combined(self, value: Any, function: Callable[[Any, Any], Any], scatter: str) -> Tensor:
        x, index = self._tensor, self._index
        parts = index if isinstance(index, tuple) else (index,)
        if all(isinstance(p, _PARTS) or _is_mask(p) for p in parts):
            return indexing.setitem(x, index, value, function)
        # Elements may be named several times: they are combined with all of their values.
        places = ops.arange(x.size, dtype=mstype.int32).reshape(x.shape)[index]
        given = as_tensor(value, "at", x.dtype if is_number(value) else None).astype(x.dtype)
        updates = ops.broadcast_to(given, places.shape).reshape(-1)
        out = getattr(ops, scatter)(x.reshape(-1), places.reshape(-1, 1), updates)
        return out.reshape(x.shape)  # type: ignore[no-any-return]


def _is_mask(part: Any) -> bool:
    if isinstance(part, Tensor):
        return part.dtype is mstype.bool_
    return isinstance(part, bool) or (isinstance(part, np.ndarray) and part.dtype == bool)
