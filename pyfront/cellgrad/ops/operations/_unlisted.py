"""Primitives that MindSpore has in modules of `ops.operations`, and not in `ops`."""

from __future__ import annotations

from typing import Any

from cellgrad.core.arguments import check_bool
from cellgrad.core.dtype import Type
from cellgrad.core.record import cast_to, check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import linalg, spectral
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._static import known_ints
from cellgrad.ops.sparse import CSRTensor
from cellgrad.ops.sparse_elements import csr_softmax

__all__ = ["Eigh", "SparseMatrixSoftmax"]


@operation
def _eigh(x: Tensor, lower: bool) -> tuple[Tensor, Tensor]:
    given, dtype = linalg.matrices("Eigh", x, "A", square=True)
    w, v = spectral.eigh(given, lower)
    return cast_to(w, dtype), cast_to(v, dtype)


class Eigh(Primitive):
    """Eigenvalues of symmetric matrices, ascending, and eigenvectors as columns if `compute_eigenvectors`; one
    triangle is read.

    Raises:
        TypeError: no Tensor of floating-point numbers.
        ValueError: matrices that are not square.
    """

    def __init__(self, compute_eigenvectors: bool = True, lower: bool = True):
        super().__init__()
        self.compute_eigenvectors = check_bool(
            compute_eigenvectors, self.name, "compute_eigenvectors"
        )
        self.lower = check_bool(lower, self.name, "lower")

    def __call__(self, A: Tensor) -> Any:
        found = _eigh(A, self.lower)
        return found if self.compute_eigenvectors else found[0]


class SparseMatrixSoftmax(Primitive):
    """The softmax of each row of a `CSRTensor`, which is given and returned as its parts: the shape, the number
    of elements, the places of the rows, the columns and the elements.

    Raises:
        TypeError: parts that are no Tensors.
        ValueError: parts that do not fit.
    """

    def __init__(self, dtype: Type):
        super().__init__()
        self.dtype = dtype

    def __call__(
        self,
        x_dense_shape: Tensor,
        x_batch_pointers: Tensor,
        x_row_pointers: Tensor,
        x_col_indices: Tensor,
        x_values: Tensor,
    ) -> tuple[Tensor, ...]:
        shape = known_ints(x_dense_shape, self.name, "x_dense_shape")
        values = check_tensor(x_values, self.name, "x_values")
        given = CSRTensor(x_row_pointers, x_col_indices, values, shape)
        out = csr_softmax(given, self.dtype)
        return x_dense_shape, x_batch_pointers, out.indptr, out.indices, out.values
