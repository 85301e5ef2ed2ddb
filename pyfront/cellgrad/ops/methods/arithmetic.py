"""Methods of Tensor for arithmetic and choices that are more than a form of one operation."""

from __future__ import annotations

from typing import Any

from cellgrad import ops as _ops
from cellgrad.core.aliases import TensorLike
from cellgrad.core.tensor import Tensor
from cellgrad.ops._static import is_int
from cellgrad.ops.indexing import selected
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

    def sub(
        self,
        other: TensorLike | None = None,
        *,
        alpha: TensorLike = 1,
        y: TensorLike | None = None,
    ) -> Tensor:
        """The tensor minus `alpha` times `other`, which is also called `y`; see `ops.sub`.

        >>> print(Tensor([1.0, 2.0]).sub(Tensor([3.0, 4.0]), alpha=2))
        [-5. -6.]
        """
        return ops.sub(self, scaled(self, other if y is None else y, alpha))

    subtract = sub

    def select(
        self,
        condition: TensorLike | None = None,
        y: TensorLike | None = None,
        *,
        dim: int | None = None,
        index: int | Tensor | None = None,
    ) -> Tensor:
        """``select(condition, y)``: the tensor's elements where `condition` holds, `y`'s elsewhere;
        ``select(dim, index)``: the part at `index` along dimension `dim`, which goes.

        Raises:
            IndexError: a tensor as an index that is out of range.
            TypeError: a condition that is not a Tensor, a `y` that is neither Tensor nor number, or
                an index that is neither an int nor a Tensor of integers.
            ValueError: shapes that do not broadcast, `dim` or an int as an index that is out of
                range, or an index with dimensions.

        >>> print(Tensor([1, 2]).select(Tensor([True, False]), Tensor([3, 4])))
        [1 4]

        >>> print(Tensor([[1, 2], [3, 4]]).select(1, 0))
        [1 3]
        """
        if dim is None and is_int(condition):
            dim, condition = condition, None
        if dim is None:
            return ops.select(condition, self, y)
        return selected(self, dim, y if index is None else index)  # type: ignore[arg-type]
