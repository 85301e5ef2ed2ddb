"""Primitives that MindSpore has in modules of `ops.operations`, and not in `ops`."""

from __future__ import annotations

from typing import Any

from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_dtype,
    check_int,
    check_ndim,
    check_shape,
)
from cellgrad.core.record import (
    as_tensor,
    axis_of,
    cast_to,
    check_float,
    check_tensor,
    complex_forms,
    operation,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import complex_spectra, linalg, random, spectral
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops.class_losses import cross_entropy
from cellgrad.ops.contractions import matmul
from cellgrad.ops.diagonals import one_hot
from cellgrad.ops.eigenvalues import eig
from cellgrad.ops.joining import concat, piece
from cellgrad.ops.linalg import inverse
from cellgrad.ops.reductions import softmax
from cellgrad.ops.selection import cast
from cellgrad.ops.shapes import broadcast_to, expand_dims, reshape

__all__ = [
    *("Eigh", "Load", "MatrixLogarithm", "Shift"),
    *("SparseSoftmaxCrossEntropyWithLogitsV2", "Uniform"),
]


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


class MatrixLogarithm(Primitive):
    """The principal logarithm of square matrices of complex numbers, by their eigenvectors: NaN, infinite or without
    digits for matrices without a full set of them.

    Raises:
        TypeError: no Tensor of complex numbers.
        ValueError: matrices that are not square.
    """

    def __call__(self, x: Tensor) -> Tensor:
        given = check_dtype(check_tensor(x, self.name, "x"), self.name, "x", "c")
        values, vectors = eig(given)
        scaled = vectors * expand_dims(gen.log(values), -2)
        out: Tensor = matmul(scaled, inverse(vectors))
        return out


class Shift(Primitive):
    """The elements moved along a dimension, and `fill_value` where there are none: ahead, or back where `periods`
    is below 0.

    Raises:
        TypeError: no ints, or no Tensor.
        ValueError: an axis out of range.
    """

    def __init__(self, periods: int = 1, axis: int = -1):
        super().__init__()
        self.periods = check_int(periods, self.name, "periods")
        self.axis = check_int(axis, self.name, "axis")

    def __call__(self, x: Tensor, fill_value: TensorLike) -> Tensor:
        given = check_tensor(x, self.name, "x")
        dim = axis_of(self.axis, given.ndim, self.name)
        out: Tensor = _shifted(given, fill_value, self.periods, dim)
        return out


@operation
def _shifted(x: Tensor, fill_value: TensorLike, periods: int, dim: int) -> Tensor:
    length = x.shape[dim]
    count = min(abs(periods), length)
    shape = (*x.shape[:dim], count, *x.shape[dim + 1 :])
    value = as_tensor(fill_value, "Shift", x.dtype)
    fill = broadcast_to(reshape(cast_to(value, x.dtype), (1,) * x.ndim), shape)
    kept = piece(x, dim, *((0, length - count) if periods > 0 else (count, length)))
    return concat((fill, kept) if periods > 0 else (kept, fill), dim)


class SparseSoftmaxCrossEntropyWithLogitsV2(Primitive):
    """The cross entropy of each row of logits and its label, and the gradient of their sum by the logits.

    Raises:
        TypeError: no Tensors of floats and of integers.
        ValueError: shapes that do not fit.
    """

    def __call__(self, logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        x = check_ndim(check_float(logits, self.name, "logits"), self.name, "logits", 2)
        at = check_shape(
            check_dtype(check_tensor(labels, self.name, "labels"), self.name, "labels", "i"),
            self.name,
            "labels",
            x.shape[:1],
        )
        hot = one_hot(at, x.shape[1], 1.0, 0.0)
        loss: Tensor = cross_entropy(x, at, reduction="none")
        return loss, softmax(x, -1) - cast(hot, x.dtype)


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


class Load(Primitive):
    """The value that a Parameter has, as `Parameter.value` gives it.

    Raises:
        TypeError: no Tensor.

    >>> from cellgrad.ops.operations import Load
    >>> print(Load()(ms.Parameter(Tensor([1.0, 2.0]))))
    [1. 2.]
    """

    def __call__(self, variable: Tensor, *_: object) -> Tensor:
        return check_tensor(variable, "Load", "variable").value()
