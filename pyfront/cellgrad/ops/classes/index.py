"""Class forms of operations by index: ``ops.Gather()(x, indices, axis)``."""

from __future__ import annotations

from typing import Any

from cellgrad.core import dtype as mstype
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
from cellgrad.ops import gathering, scattering, searching
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._index import gathered
from cellgrad.ops.classes.pointwise import class_of
from cellgrad.ops.gathering import index_tensor

__all__ = [
    "EmbeddingLookup",
    "Gather",
    "GatherD",
    "GatherNd",
    "IndexAdd",
    "IndexFill",
    "MaskedFill",
    "MaskedSelect",
    "NonZero",
    "ReverseSequence",
    "ScatterNd",
    "SearchSorted",
    "TensorScatterAdd",
    "TensorScatterElements",
    "TensorScatterSub",
    "TensorScatterUpdate",
    "Unique",
]

GatherD = class_of("GatherD", gathering.gather_d)
GatherNd = class_of("GatherNd", gathering.gather_nd)
IndexFill = class_of("IndexFill", scattering.index_fill)
MaskedFill = class_of("MaskedFill", scattering.masked_fill)
MaskedSelect = class_of("MaskedSelect", gathering.masked_select)
NonZero = class_of("NonZero", gathering.nonzero)
ScatterNd = class_of("ScatterNd", scattering.scatter_nd)
TensorScatterAdd = class_of("TensorScatterAdd", scattering.tensor_scatter_add)
TensorScatterSub = class_of("TensorScatterSub", scattering.tensor_scatter_sub)
TensorScatterUpdate = class_of("TensorScatterUpdate", scattering.tensor_scatter_update)
Unique = class_of("Unique", searching.unique)


class Gather(Primitive):
    """See `ops.gather`.

    >>> print(ops.Gather()(Tensor([[1, 2], [3, 4]]), Tensor([1, 1]), 0))
    [[3 4]
     [3 4]]
    """

    def __init__(self, batch_dims: int = 0):
        super().__init__()
        self.batch_dims = batch_dims

    def __call__(self, input_params: Tensor, input_indices: Tensor, axis: int) -> Tensor:
        return gathering.gather(input_params, input_indices, axis, self.batch_dims)


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


class IndexAdd(Primitive):
    """See `ops.index_add`.

    >>> x = Parameter(Tensor([1.0, 2.0, 3.0]), name="x")
    >>> print(ops.IndexAdd(axis=0)(x, Tensor([0, 2], ms.int32), Tensor([10.0, 20.0])))
    [11.  2. 23.]
    """

    def __init__(self, axis: int, use_lock: bool = True, check_index_bound: bool = True):
        super().__init__()
        self.axis = axis

    def __call__(self, x: Tensor, indices: Tensor, y: Tensor) -> Tensor:
        return scattering.index_add(x, indices, y, self.axis)


class ReverseSequence(Primitive):
    """See `ops.reverse_sequence`.

    >>> print(ops.ReverseSequence(seq_dim=1)(Tensor([[1, 2, 3], [4, 5, 6]]), Tensor([2, 3])))
    [[2 1 3]
     [6 5 4]]
    """

    def __init__(self, seq_dim: int, batch_dim: int = 0):
        super().__init__()
        self.seq_dim, self.batch_dim = seq_dim, batch_dim

    def __call__(self, x: Tensor, seq_lengths: Tensor) -> Tensor:
        return gathering.reverse_sequence(x, seq_lengths, self.seq_dim, self.batch_dim)


class TensorScatterElements(Primitive):
    """See `ops.tensor_scatter_elements`.

    >>> x = Tensor([[1, 2], [3, 4]])
    >>> print(ops.TensorScatterElements(axis=1)(x, Tensor([[1], [0]]), Tensor([[8], [9]])))
    [[1 8]
     [9 4]]
    """

    def __init__(self, axis: int = 0, reduction: str = "none"):
        super().__init__()
        self.axis, self.reduction = axis, reduction

    def __call__(self, data: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        return scattering.tensor_scatter_elements(data, indices, updates, self.axis, self.reduction)


class SearchSorted(Primitive):
    """See `ops.searchsorted`.

    >>> print(ops.SearchSorted()(Tensor([1.0, 3.0, 5.0]), Tensor([3.0, 4.0])))
    [1 2]
    """

    def __init__(self, dtype: Type = mstype.int64, right: bool = False):
        super().__init__()
        self.dtype, self.right = dtype, right

    def __call__(self, sorted_sequence: Tensor, values: Any, sorter: Any = None) -> Tensor:
        out = searching.searchsorted(sorted_sequence, values, right=self.right, sorter=sorter)
        return out.astype(self.dtype)
