"""Class forms of operations by index: ``ops.Gather()(x, indices, axis)``."""

from __future__ import annotations

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike
from cellgrad.core.dtype import Type
from cellgrad.core.record import (
    broadcast_to_shape,
    check_tensor,
    emit,
    operation,
    reshape_to,
    splat,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import searching
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._index import gathered
from cellgrad.ops._public import public
from cellgrad.ops.gathering import index_tensor


@public()
class EmbeddingLookup(Primitive):
    """The rows of a tensor that the indices, less `offset`, name; zeros where there is none.

    >>> print(ops.EmbeddingLookup()(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1, 0], ms.int32), 0))
    [[3. 4.]
     [1. 2.]]
    """

    def __call__(self, input_params: Tensor, input_indices: Tensor, offset: int) -> Tensor:
        x = check_tensor(input_params, "EmbeddingLookup", "input_params")
        index = index_tensor(input_indices, "EmbeddingLookup", "input_indices")
        out: Tensor = _lookup(x, index, offset)
        return out


@operation
def _lookup(x: Tensor, index: Tensor, offset: int) -> Tensor:
    at = ew.binary("cell.sub", index, offset)
    n = x.shape[0]
    inside = [ew.compare("cell.greater_equal", at, 0), ew.compare("cell.less", at, n)]
    out = gathered(x, at if at.dtype is mstype.int64 else at.astype(mstype.int32), 0)
    ok = emit("cell.logical_and", inside)
    ok = broadcast_to_shape(reshape_to(ok, (*ok.shape, *(1,) * (x.ndim - 1))), out.shape)
    return emit("cell.select", [ok, out, splat(0, x.dtype, out.shape)])


@public()
class SearchSorted(Primitive):
    """See `ops.searchsorted`.

    >>> print(ops.SearchSorted()(Tensor([1.0, 3.0, 5.0]), Tensor([3.0, 4.0])))
    [1 2]
    """

    def __init__(self, dtype: Type = mstype.int64, right: bool = False):
        super().__init__()
        self.dtype, self.right = dtype, right

    def __call__(
        self, sorted_sequence: Tensor, values: ArrayLike, sorter: Tensor | None = None
    ) -> Tensor:
        out = searching.searchsorted(sorted_sequence, values, right=self.right, sorter=sorter)
        return out.astype(self.dtype)
