"""Primitives of matrices in CSR format: ``from cellgrad.ops.operations import _csr_ops``."""

from __future__ import annotations

from typing import Any

from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._static import known_ints
from cellgrad.ops.gathering import gather_nd
from cellgrad.ops.sparse import CSRTensor

__all__ = ["CSRGather"]


class CSRGather(Primitive):
    """The elements of a dense array at the places that a matrix in CSR format has; dimensions after the second
    are kept.

    Raises:
        TypeError: no Tensors, or places that are no integers.
        ValueError: places that do not fit the shape.
    """

    def __call__(self, indptr: Tensor, indices: Tensor, dense: Tensor, sparse_shape: Any) -> Tensor:
        shape = known_ints(sparse_shape, self.name, "sparse_shape")
        places = CSRTensor(indptr, indices, indices, shape[:2])._coordinates()
        out: Tensor = gather_nd(check_tensor(dense, self.name, "dense"), places)
        return out
