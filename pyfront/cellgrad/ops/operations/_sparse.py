"""Primitives of sparse tensors that MindSpore has in `ops.operations.sparse_ops`, and not in `ops`.

A sparse tensor is given and returned as its parts: coordinates, elements and shape, or for rows in CSR format
the shape, where matrices and rows begin, columns and elements.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_dtype,
    check_int,
    check_ndim,
    check_same_dtype,
    check_shape,
)
from cellgrad.core.dtype import Type
from cellgrad.core.errors import either, error
from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._static import known, known_int, known_ints
from cellgrad.ops.gathering import gather, gather_nd, needs_elements
from cellgrad.ops.kinds import conj
from cellgrad.ops.scattering import scatter_nd
from cellgrad.ops.searching import searchsorted
from cellgrad.ops.segments import unsorted_segment_sum
from cellgrad.ops.selection import cast, div, ones, pow
from cellgrad.ops.shapes import broadcast_to, reshape, swapaxes
from cellgrad.ops.sparse import UNKNOWN, COOTensor, CSRTensor, coo_add, csr_add
from cellgrad.ops.sparse_elements import csr_softmax
from cellgrad.ops.sparse_rows import UnravelIndex

__all__ = [
    "SparseAdd",
    "SparseAddmm",
    "SparseCountSparseOutput",
    "SparseDenseCwiseAdd",
    "SparseDenseCwiseDiv",
    "SparseDenseCwiseMul",
    "SparseMatrixAdd",
    "SparseMatrixMatMul",
    "SparseMatrixSoftmax",
    "SparseReorder",
    "SparseReshape",
    "SparseSegmentMeanWithNumSegments",
    "SparseSegmentSqrtN",
    "SparseSegmentSqrtNWithNumSegments",
    "SparseSegmentSum",
    "SparseSegmentSumWithNumSegments",
    "SparseSparseMaximum",
    "SparseSparseMinimum",
    "SparseTensorToCSRSparseMatrix",
]

# --- elementwise --------------------------------------------------------------------------------------


class _WithDense(Primitive):
    _compute: ClassVar[staticmethod[[Tensor, Tensor], Tensor]]

    def __call__(self, x1_indices: Tensor, x1_values: Tensor, x1_shape: Any, x2: Tensor) -> Tensor:
        sparse = COOTensor(x1_indices, x1_values, known_ints(x1_shape, self.name, "x1_shape"))
        dense = check_tensor(x2, self.name, "x2")
        check_same_dtype(sparse.values, dense, self.name, ("x1_values", "x2"))
        there = gather_nd(broadcast_to(dense, sparse.shape), sparse.indices)
        return type(self)._compute(sparse.values, there)


class SparseDenseCwiseAdd(_WithDense):
    """The elements of a sparse tensor plus those of a dense one at their places, which is broadcast.

    Raises:
        TypeError: coordinates that are no integers, or dtypes that differ.
        ValueError: shapes that do not fit, or coordinates out of range.
    """

    _compute = staticmethod(gen.add)


class SparseDenseCwiseMul(_WithDense):
    """As `SparseDenseCwiseAdd`: their products."""

    _compute = staticmethod(gen.mul)


class SparseDenseCwiseDiv(_WithDense):
    """As `SparseDenseCwiseAdd`: their quotients."""

    _compute = staticmethod(div)


class _OfTwo(Primitive):
    """An element is 0 where one of the two sparse tensors has none."""

    _compute: ClassVar[staticmethod[[Tensor, Tensor], Tensor]]

    def __call__(
        self,
        x1_indices: Tensor,
        x1_values: Tensor,
        x1_shape: Any,
        x2_indices: Tensor,
        x2_values: Tensor,
        x2_shape: Any,
    ) -> tuple[Tensor, Tensor]:
        given = [
            COOTensor(x1_indices, x1_values, known_ints(x1_shape, self.name, "x1_shape")),
            COOTensor(x2_indices, x2_values, known_ints(x2_shape, self.name, "x2_shape")),
        ]
        if given[0].shape != given[1].shape:
            raise error(
                ValueError,
                f"For '{self.name}', the shapes differ: {given[0].shape} and {given[1].shape}.",
            )
        check_same_dtype(given[0].values, given[1].values, self.name, ("x1_values", "x2_values"))
        rows = [needs_elements(x.indices, self.name, UNKNOWN) for x in given]
        places, where = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
        parts = np.split(where.reshape(-1), [len(rows[0])])
        spread = [
            unsorted_segment_sum(x.values, known(at, mstype.int32), len(places))
            for x, at in zip(given, parts, strict=True)
        ]
        return known(places, given[0].indices.dtype), type(self)._compute(*spread)


class SparseSparseMaximum(_OfTwo):
    """The larger of the elements of two sparse tensors, at the places that either has, in their order. What one
    has not counts as 0.

    Raises:
        TypeError: coordinates that are no integers or not known while compiling, or dtypes that differ.
        ValueError: shapes that do not fit, or coordinates out of range.
    """

    _compute = staticmethod(gen.maximum)


class SparseSparseMinimum(_OfTwo):
    """As `SparseSparseMaximum`: the smaller of the elements."""

    _compute = staticmethod(gen.minimum)


class SparseAdd(Primitive):
    """The sum of two sparse tensors; see `ops.coo_add`."""

    def __call__(
        self,
        x1_indices: Tensor,
        x1_values: Tensor,
        x1_shape: Any,
        x2_indices: Tensor,
        x2_values: Tensor,
        x2_shape: Any,
        thresh: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        shape = known_ints(x1_shape, self.name, "x1_shape")
        first = COOTensor(x1_indices, x1_values, shape)
        second = COOTensor(x2_indices, x2_values, known_ints(x2_shape, self.name, "x2_shape"))
        out = coo_add(first, second, thresh)
        return out.indices, out.values, known(np.array(shape), mstype.int64)


# --- places -------------------------------------------------------------------------------------------


class SparseReorder(Primitive):
    """The elements of a sparse tensor, and their coordinates, in the order of these.

    Raises:
        TypeError: coordinates that are no integers, or not known while compiling.
        ValueError: shapes that do not fit, or coordinates out of range.
    """

    def __call__(self, indices: Tensor, values: Tensor, shape: Any) -> tuple[Tensor, Tensor]:
        given = COOTensor(indices, values, known_ints(shape, self.name, "shape"))
        rows = needs_elements(given.indices, self.name, UNKNOWN)
        order = known(np.lexsort(rows.T[::-1]), mstype.int32)
        return gather(given.indices, order, 0), gather(given.values, order, 0)


class SparseReshape(Primitive):
    """The coordinates of elements in another shape, in which one length may be -1, and that shape.

    Raises:
        TypeError: coordinates or lengths that are no integers, or lengths not known while compiling.
        ValueError: shapes that do not fit.
    """

    def __call__(self, indices: Tensor, shape: Any, new_shape: Any) -> tuple[Tensor, Tensor]:
        at = check_ndim(
            check_dtype(check_tensor(indices, self.name, "indices"), self.name, "indices", "i"),
            self.name,
            "indices",
            2,
        )
        before = known_ints(shape, self.name, "shape")
        check_shape(at, self.name, "indices", (at.shape[0], len(before)), "a column a dimension")
        after = list(known_ints(new_shape, self.name, "new_shape"))
        size, rest = int(np.prod(before)), int(np.prod([n for n in after if n != -1]))
        if after.count(-1) == 1 and rest > 0:
            after[after.index(-1)] = size // rest
        if min(after, default=1) < 0 or int(np.prod(after)) != size:
            wanted = f"of {size} elements, as {list(before)}, with one -1 at most"
            raise argument_error(ValueError, self.name, "new_shape", wanted, new_shape)
        strides = np.cumprod([1, *before[:0:-1]])[::-1]
        flat = (at * known(strides.copy(), at.dtype)).sum(1)
        columns = UnravelIndex()(flat, tuple(after))
        return swapaxes(columns, 0, 1), known(np.array(after), mstype.int64)


class SparseTensorToCSRSparseMatrix(Primitive):
    """A matrix, or a batch of them, in CSR format: the shape, how many elements there are before each matrix and
    in all, before each row within its matrix, the columns and the elements. These are in the order of rows.

    Raises:
        TypeError: coordinates that are no integers, or not known while compiling.
        ValueError: other than two or three dimensions, shapes that do not fit, or coordinates out of range.
    """

    def __call__(self, x_indices: Tensor, x_values: Tensor, x_dense_shape: Any) -> Any:
        sizes = known_ints(x_dense_shape, self.name, "x_dense_shape")
        given = COOTensor(x_indices, x_values, sizes)
        if len(sizes) not in (2, 3):
            raise argument_error(
                ValueError, self.name, "x_dense_shape", "two or three lengths", sizes
            )
        places = needs_elements(given.indices, self.name, UNKNOWN)
        batch, rows = sizes[0] if len(sizes) == 3 else 1, sizes[-2]
        matrix = places[:, 0] if len(sizes) == 3 else np.zeros(len(places), np.int64)
        counts = np.zeros((batch, rows + 1), np.int64)
        np.add.at(counts, (matrix, places[:, -2] + 1), 1)
        starts = np.concatenate([[0], np.cumsum(counts.sum(1))])
        kind = given.indices.dtype
        parts = (np.array(sizes), starts, np.cumsum(counts, 1).reshape(-1), places[:, -1].copy())
        return (*[known(p, kind) for p in parts], given.values)


class SparseCountSparseOutput(Primitive):
    """How often each number is in each row of a sparse matrix, or in a sparse vector, as a sparse tensor; with
    weights, the sum of those.

    Args:
        binary_output: whether to give 1 for each number that is there.
        minlength: the last length of the result is at least that, if it is not below 0.
        maxlength: numbers from here on are left out, and the last length is that, if it is above 0.

    Raises:
        TypeError: arguments of other types, or numbers that are not known while compiling.
        ValueError: shapes that do not fit, coordinates out of range, or numbers below 0.
    """

    def __init__(self, binary_output: bool = False, minlength: int = -1, maxlength: int = -1):
        super().__init__()
        self.binary_output = check_bool(binary_output, self.name, "binary_output")
        self.minlength = check_int(minlength, self.name, "minlength")
        self.maxlength = check_int(maxlength, self.name, "maxlength")

    def __call__(
        self, indices: Tensor, values: Tensor, dense_shape: Any, weights: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        sizes = known_ints(dense_shape, self.name, "dense_shape")
        counted = check_tensor(weights, self.name, "weights")
        try:
            given = COOTensor(indices, values, sizes)
            why = "one for each of 'values'"
            check_shape(counted, self.name, "weights", given.values.shape, why)
        except ValueError as e:
            raise either(ValueError, RuntimeError)(*e.args) from None
        if len(sizes) not in (1, 2):
            raise argument_error(ValueError, self.name, "dense_shape", "one or two lengths", sizes)
        numbers = needs_elements(
            check_dtype(given.values, self.name, "values", "i"), self.name, UNKNOWN
        )
        if numbers.size and numbers.min() < 0:
            raise argument_error(ValueError, self.name, "values", "at least 0", numbers.min())
        places = needs_elements(given.indices, self.name, UNKNOWN)
        last = max(int(numbers.max(initial=-1)) + 1, self.minlength)
        kept = np.arange(numbers.size)
        if self.maxlength > 0:
            kept, last = np.flatnonzero(numbers < self.maxlength), self.maxlength
        found, where = np.unique(
            np.concatenate([places[kept, :-1], numbers[kept, None]], 1),
            axis=0,
            return_inverse=True,
        )
        at = known(found.astype(np.int64), mstype.int64)
        shape = known(np.array([*sizes[:-1], last]), mstype.int64)
        if self.binary_output:
            return at, ones((len(found),), counted.dtype), shape
        parts = gather(counted, known(kept, mstype.int32), 0)
        sums = unsorted_segment_sum(parts, known(where.reshape(-1), mstype.int32), len(found))
        return at, sums, shape


# --- products -----------------------------------------------------------------------------------------


def _product(rows: Tensor, columns: Tensor, values: Tensor, dense: Tensor, count: int) -> Tensor:
    """A matrix of `count` rows, of elements at their rows and columns, times a dense one."""
    terms = reshape(values, (-1, 1)) * gather(dense, columns, 0)
    return scatter_nd(reshape(rows, (-1, 1)), terms, (count, dense.shape[1]))


class SparseAddmm(Primitive):
    """``alpha * x1 @ x2 + beta * x3``, where `x1` is sparse.

    Raises:
        TypeError: coordinates that are no integers, or dtypes that differ.
        ValueError: shapes that do not fit, or coordinates out of range.
    """

    def __call__(
        self,
        x1_indices: Tensor,
        x1_values: Tensor,
        x1_shape: Any,
        x2: Tensor,
        x3: Tensor,
        alpha: Tensor,
        beta: Tensor,
    ) -> Tensor:
        left = COOTensor(x1_indices, x1_values, known_ints(x1_shape, self.name, "x1_shape"))
        if left.ndim != 2:
            raise argument_error(ValueError, self.name, "x1_shape", "two lengths", left.shape)
        right = check_ndim(check_tensor(x2, self.name, "x2"), self.name, "x2", 2)
        check_shape(right, self.name, "x2", (left.shape[1], right.shape[1]), "a row a column of x1")
        added = check_tensor(x3, self.name, "x3")
        check_shape(added, self.name, "x3", (left.shape[0], right.shape[1]), "as the product")
        for other, name in ((right, "x2"), (added, "x3")):
            check_same_dtype(left.values, other, self.name, ("x1_values", name))
        found = _product(left.indices[:, 0], left.indices[:, 1], left.values, right, left.shape[0])
        return found * alpha + added * beta


class SparseMatrixMatMul(Primitive):
    """A sparse matrix in CSR format times a dense one, or a batch of them.

    Args:
        transpose_x1, transpose_x2: whether to transpose a factor.
        adjoint_x1, adjoint_x2: whether to transpose it and take conjugates.
        transpose_output, conjugate_output: what to do with the product.

    Raises:
        TypeError: arguments of other types, or dtypes that differ.
        ValueError: shapes that do not fit, or a factor that is to be transposed twice.
    """

    def __init__(
        self,
        transpose_x1: bool = False,
        transpose_x2: bool = False,
        adjoint_x1: bool = False,
        adjoint_x2: bool = False,
        transpose_output: bool = False,
        conjugate_output: bool = False,
    ):
        super().__init__()
        self.transpose_x1 = check_bool(transpose_x1, self.name, "transpose_x1")
        self.transpose_x2 = check_bool(transpose_x2, self.name, "transpose_x2")
        self.adjoint_x1 = check_bool(adjoint_x1, self.name, "adjoint_x1")
        self.adjoint_x2 = check_bool(adjoint_x2, self.name, "adjoint_x2")
        self.transpose_output = check_bool(transpose_output, self.name, "transpose_output")
        self.conjugate_output = check_bool(conjugate_output, self.name, "conjugate_output")
        if (transpose_x1 and adjoint_x1) or (transpose_x2 and adjoint_x2):
            raise error(
                ValueError, f"For '{self.name}', a factor is transposed or adjoint, not both."
            )

    def __call__(
        self,
        x1_dense_shape: Any,
        x1_batch_pointers: Tensor,
        x1_row_pointers: Tensor,
        x1_col_indices: Tensor,
        x1_values: Tensor,
        x2_dense: Tensor,
    ) -> Tensor:
        sizes = known_ints(x1_dense_shape, self.name, "x1_dense_shape")
        values, right = (
            check_tensor(x1_values, self.name, "x1_values"),
            check_tensor(x2_dense, self.name, "x2_dense"),
        )
        check_same_dtype(values, right, self.name, ("x1_values", "x2_dense"))
        if len(sizes) not in (2, 3) or right.ndim != len(sizes):
            wanted = "two or three lengths, as many as dimensions of 'x2_dense'"
            raise argument_error(ValueError, self.name, "x1_dense_shape", wanted, sizes)
        batch, (height, width) = sizes[0] if len(sizes) == 3 else 1, sizes[-2:]
        starts = check_tensor(x1_row_pointers, self.name, "x1_row_pointers")
        before = check_tensor(x1_batch_pointers, self.name, "x1_batch_pointers")
        columns = check_ndim(
            check_tensor(x1_col_indices, self.name, "x1_col_indices"),
            self.name,
            "x1_col_indices",
            1,
        )
        check_shape(starts, self.name, "x1_row_pointers", (batch * (height + 1),))
        check_shape(before, self.name, "x1_batch_pointers", (batch + 1,))
        check_shape(values, self.name, "x1_values", columns.shape, "one for each column")
        # Where each row begins among all elements, so which row an element is part of.
        begin = reshape(starts, (batch, height + 1))[:, :-1] + reshape(before[:-1], (batch, 1))
        place = known(np.arange(columns.shape[0]), mstype.int32)
        row = searchsorted(cast(reshape(begin, (-1,)), mstype.int32), place, right=True) - 1
        if self.adjoint_x1:
            values = conj(values)
        if self.adjoint_x2:
            right = conj(right)
        if self.transpose_x2 or self.adjoint_x2:
            right = swapaxes(right, -1, -2)
        # A batch is one matrix with the others as blocks of its diagonal.
        at = [row, cast(columns, row.dtype) + gen.floor_div(row, height) * width]
        lengths = [height, width]
        if self.transpose_x1 or self.adjoint_x1:
            at.reverse()
            lengths.reverse()
        within = (*sizes[:-2], lengths[1], right.shape[-1])
        check_shape(right, self.name, "x2_dense", within, "a row for each column of x1")
        flat = reshape(right, (batch * lengths[1], right.shape[-1]))
        found = _product(at[0], at[1], values, flat, batch * lengths[0])
        out = reshape(found, (*sizes[:-2], lengths[0], right.shape[-1]))
        out = swapaxes(out, -1, -2) if self.transpose_output else out
        return conj(out) if self.conjugate_output else out


# --- rows ---------------------------------------------------------------------------------------------


class SparseMatrixAdd(Primitive):
    """`ops.csr_add` of the parts of two matrices.

    Raises:
        TypeError: parts that are no Tensors, or other dtypes.
        ValueError: parts that do not fit, other shapes, or a batch of matrices.
    """

    def __call__(
        self,
        x1_dense_shape: Tensor,
        x1_batch_pointers: Tensor,
        x1_row_pointers: Tensor,
        x1_col_indices: Tensor,
        x1_values: Tensor,
        x2_dense_shape: Tensor,
        x2_batch_pointers: Tensor,
        x2_row_pointers: Tensor,
        x2_col_indices: Tensor,
        x2_values: Tensor,
        alpha: Tensor,
        beta: Tensor,
    ) -> tuple[Tensor, ...]:
        sizes = known_ints(x1_dense_shape, self.name, "x1_dense_shape")
        if len(sizes) != 2:
            raise argument_error(ValueError, self.name, "x1_dense_shape", "of two numbers", sizes)
        a = CSRTensor(x1_row_pointers, x1_col_indices, x1_values, sizes)
        sizes = known_ints(x2_dense_shape, self.name, "x2_dense_shape")
        b = CSRTensor(x2_row_pointers, x2_col_indices, x2_values, sizes)
        out = csr_add(a, b, alpha, beta)
        count = Tensor([0, out.values.shape[0]], x1_batch_pointers.dtype)
        return x1_dense_shape, count, out.indptr, out.indices, out.values


class SparseMatrixSoftmax(Primitive):
    """The softmax of each row of a matrix in CSR format.

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


class _Segments(Primitive):
    """The rows of `x` that `indices` name, added up by the numbers in `segment_ids`."""

    _power: ClassVar[float] = 0.0  # sums are divided by this power of the number of rows

    def _reduced(self, x: Tensor, indices: Tensor, segment_ids: Tensor, count: int) -> Tensor:
        given = check_tensor(x, self.name, "x")
        ids = check_ndim(
            check_tensor(segment_ids, self.name, "segment_ids"), self.name, "segment_ids", 1
        )
        picked = gather(given, check_tensor(indices, self.name, "indices"), 0)
        sums = unsorted_segment_sum(picked, ids, count)
        if not self._power:
            return sums
        rows = unsorted_segment_sum(ones(ids.shape, mstype.float32), ids, count)
        number = pow(gen.maximum(rows, 1.0), self._power)
        shape = (count, *(1,) * (given.ndim - 1))
        return cast(sums / reshape(number, shape), given.dtype)


class _Ascending(_Segments):
    def __call__(self, x: Tensor, indices: Tensor, segment_ids: Tensor) -> Tensor:
        ids = needs_elements(
            check_tensor(segment_ids, self.name, "segment_ids"),
            self.name,
            f"use {type(self).__name__}WithNumSegments, with a known length",
        )
        if ids.size and (ids.flat[0] != 0 or not np.isin(np.diff(ids.reshape(-1)), (0, 1)).all()):
            wanted = "numbers from 0 that ascend by 1 at most"
            raise argument_error(ValueError, self.name, "segment_ids", wanted, ids.tolist())
        return self._reduced(x, indices, segment_ids, int(ids.max(initial=-1)) + 1)


class _Numbered(_Segments):
    def __call__(
        self, x: Tensor, indices: Tensor, segment_ids: Tensor, num_segments: Any
    ) -> Tensor:
        count = known_int(num_segments, self.name, "num_segments", at_least=1)
        return self._reduced(x, indices, segment_ids, count)


class SparseSegmentSum(_Ascending):
    """The sums of the rows that `indices` name, by the numbers in `segment_ids`, which ascend from 0 by 1 at most.

    Raises:
        TypeError: no Tensors, or numbers that are not known while compiling.
        ValueError: shapes that do not fit, or other numbers.
    """


class SparseSegmentSqrtN(_Ascending):
    """As `SparseSegmentSum`: the sums divided by the square root of the number of rows."""

    _power = 0.5


class SparseSegmentSumWithNumSegments(_Numbered):
    """As `SparseSegmentSum`, of numbers below `num_segments`, which need not be known while compiling. The sums
    of numbers that are not there are 0.

    Raises:
        IndexError: a number that is not below `num_segments`.
        TypeError: no Tensors.
        ValueError: shapes that do not fit.
    """


class SparseSegmentSqrtNWithNumSegments(_Numbered):
    """As `SparseSegmentSumWithNumSegments`: the sums divided by the square root of the number of rows."""

    _power = 0.5


class SparseSegmentMeanWithNumSegments(_Numbered):
    """As `SparseSegmentSumWithNumSegments`: means."""

    _power = 1.0
