"""Methods of Tensor for arithmetic and choices that are more than a form of one operation."""

from __future__ import annotations

from typing import Any

from cellgrad import ops as _ops
from cellgrad.core.aliases import TensorLike
from cellgrad.core.tensor import Tensor
from cellgrad.ops.pointwise import scaled

# The `self` of these classes is no Tensor to type checkers.
ops: Any = _ops


class ArithmeticMethods:
    """Methods."""

    __slots__ = ()

    def add(self, other: TensorLike, *, alpha: TensorLike = 1) -> Tensor:
        """The tensor plus `alpha` times `other`; see `ops.add`.

        >>> print(Tensor([1.0, 2.0]).add(Tensor([3.0, 4.0]), alpha=2))
        [ 7. 10.]
        """
        return ops.add(self, scaled(self, other, alpha))

    def sub(self, other: TensorLike, *, alpha: TensorLike = 1) -> Tensor:
        """The tensor minus `alpha` times `other`; see `ops.sub`.

        >>> print(Tensor([1.0, 2.0]).sub(Tensor([3.0, 4.0]), alpha=2))
        [-5. -6.]
        """
        return ops.sub(self, scaled(self, other, alpha))

    subtract = sub

    def select(self, condition: TensorLike, y: TensorLike) -> Tensor:
        """``select(condition, y)``: the tensor's elements where `condition` holds, `y`'s elsewhere;
        ``select(dim, index)``: the part at `index` along dimension `dim`.

        >>> print(Tensor([1, 2]).select(Tensor([True, False]), Tensor([3, 4])))
        [1 4]
        """
        if not isinstance(condition, int):
            return ops.select(condition, self, y)
        where = condition % max(self.ndim, 1)  # type: ignore[attr-defined]
        return ops.getitem(self, (slice(None),) * where + (y,))
