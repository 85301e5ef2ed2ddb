"""Primitives that MindSpore has in modules of `ops.operations`, and not in `ops`."""

from __future__ import annotations

from typing import Any

from cellgrad.core.arguments import argument_error, check_bool, check_dtype, check_int
from cellgrad.core.dtype import Type
from cellgrad.core.record import cast_to, check_tensor, complex_forms, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import complex_spectra, linalg, random, spectral
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._static import known_ints
from cellgrad.ops.sparse import CSRTensor
from cellgrad.ops.sparse_elements import csr_softmax

__all__ = ["Eigh", "SparseMatrixSoftmax", "Uniform"]


@operation
def _eigh(x: Tensor, lower: bool) -> tuple[Tensor, Tensor]:
    if check_tensor(x, "Eigh", "A").dtype.kind == "c":
        return complex_spectra.eigh(x, lower)
    given, dtype = linalg.matrices("Eigh", x, "A", square=True)
    w, v = spectral.eigh(given, lower)
    return cast_to(w, dtype), cast_to(v, dtype)


complex_forms["_unlisted._eigh"] = True


class Eigh(Primitive):
    """Eigenvalues of symmetric or Hermitian matrices, ascending, and eigenvectors as columns if
    `compute_eigenvectors`; one triangle is read.

    Raises:
        TypeError: no Tensor of floating-point or complex numbers.
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


class Uniform(Primitive):
    """Uniform numbers between two floats, of the shape and dtype of a Tensor. `seed` and `offset` are kept for
    scripts: `ms.set_seed` seeds the one generator.

    Raises:
        TypeError: limits that are no floats, or no Tensor of floats.
        ValueError: a limit below 0, or `minval` above `maxval`.
    """

    def __init__(self, minval: float = 0.0, maxval: float = 1.0, seed: int = 0, offset: int = 0):
        super().__init__()
        for name, value in (("minval", minval), ("maxval", maxval)):
            if not isinstance(value, float):
                raise argument_error(TypeError, self.name, name, "a float", value)
            if value < 0:
                raise argument_error(ValueError, self.name, name, "at least 0", value)
        if minval > maxval:
            raise argument_error(ValueError, self.name, "minval", f"at most {maxval}", minval)
        check_int(seed, self.name, "seed")
        check_int(offset, self.name, "offset")
        self.minval, self.maxval = minval, maxval

    def __call__(self, x: Tensor) -> Tensor:
        given = check_dtype(check_tensor(x, self.name, "x"), self.name, "x", "f")
        drawn = random.rand(*given.shape, dtype=given.dtype)
        out: Tensor = drawn * (self.maxval - self.minval) + self.minval
        return out
