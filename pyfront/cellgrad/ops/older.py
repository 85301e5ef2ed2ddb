"""MindSpore's older operations, in terms of those that came after them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, Axis, ShapeLike, TensorLike
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_dtype,
    check_int,
    check_ndim,
    check_one_of,
    check_same_dtype,
    check_shape,
)
from cellgrad.core.dtype import Type
from cellgrad.core.record import axis_of, check_float, check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import indexing, reductions
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops._static import known, known_int, known_ints
from cellgrad.ops.contractions import matmul
from cellgrad.ops.creation import eye
from cellgrad.ops.gathering import index_tensor, needs_elements
from cellgrad.ops.interpolation import interpolate
from cellgrad.ops.joining import concat
from cellgrad.ops.limits import clip
from cellgrad.ops.scattering import added_along, scatter_nd
from cellgrad.ops.searching import unique
from cellgrad.ops.selection import assigned, cast, full, select, zeros
from cellgrad.ops.shapes import broadcast_to, reshape
from cellgrad.ops.sparse import COOTensor
from cellgrad.ops.sparse_rows import dense_of
from cellgrad.ops.spectral import pinv

_HINT = "the length of the result depends on it: call it outside of compiled code"

# --- counts ---------------------------------------------------------------------------------------


@public()
class Bincount(Primitive):
    """The sums of the weights where each whole number from 0 to before `size` is; numbers beyond count
    nowhere. Without weights, a tensor of no elements, how often it is there.

    Raises:
        TypeError: numbers that are no int32.
        ValueError: weights of another shape, or `size` below 0.

    >>> counted = ops.Bincount()(Tensor([1, 2, 2], ms.int32), Tensor(4, ms.int32), ops.ones(3))
    >>> print(counted)
    [0. 1. 2. 0.]
    """

    def __call__(self, array: Tensor, size: Tensor, weights: Tensor) -> Tensor:
        at = check_dtype(check_tensor(array, self.name, "array"), self.name, "array", "i")
        count = check_int(known_int(size, self.name, "size"), self.name, "size", at_least=0)
        new = check_tensor(weights, self.name, "weights")
        if not new.size:
            new = full(at.shape, 1, dtype=new.dtype)
        check_shape(new, self.name, "weights", at.shape, "that of 'array'")
        flat, added = reshape(at, (-1,)), reshape(new, (-1,))
        inside = gen.logical_and(gen.greater_equal(flat, 0), gen.less(flat, count))
        place = select(inside, flat, count)  # one more, which goes
        found = scatter_nd(reshape(place, (-1, 1)), added, (count + 1,))
        return found[:count]


@public()
class ConfusionMatrix(Primitive):
    """How often each class, a row, is taken for each, a column; or the sums of weights.

    Args:
        num_classes: how many classes there are.
        dtype: the dtype of the result, by its name.

    Raises:
        TypeError: `num_classes` is no int, or labels are no integers.
        ValueError: shapes that differ.

    >>> labels, found = Tensor([0, 1, 1, 2]), Tensor([0, 1, 2, 2])
    >>> print(ops.ConfusionMatrix(3)(labels, found))
    [[1 0 0]
     [0 1 1]
     [0 0 1]]
    """

    def __init__(self, num_classes: int, dtype: str = "int32"):
        super().__init__()
        self.num_classes = check_int(num_classes, self.name, "num_classes", at_least=1)
        names = {t.name: t for t in mstype.TENSOR_TYPES}
        self.dtype = names[check_one_of(dtype, self.name, "dtype", tuple(names))]

    def __call__(
        self, labels: Tensor, predictions: Tensor, weights: TensorLike | None = None
    ) -> Tensor:
        rows = check_ndim(index_tensor(labels, self.name, "labels"), self.name, "labels", 1)
        columns = index_tensor(predictions, self.name, "predictions")
        check_shape(columns, self.name, "predictions", rows.shape, "that of 'labels'")
        new = full(rows.shape, 1, dtype=self.dtype) if weights is None else weights
        new = cast(check_tensor(new, self.name, "weights"), self.dtype)
        check_shape(new, self.name, "weights", rows.shape, "that of 'labels'")
        kind = mstype.promote(rows.dtype, columns.dtype)
        at = concat([reshape(cast(v, kind), (-1, 1)) for v in (rows, columns)], 1)
        return scatter_nd(at, new, (self.num_classes, self.num_classes))


@public()
class HistogramFixedWidth(Primitive):
    """How many elements are in each of `nbins` parts of equal width of a range; those outside are in
    the first and the last.

    Raises:
        TypeError: `nbins` is no int, or tensors of other dtypes.
        ValueError: `nbins` below 1, a `dtype` other than "int32", or a range of other than two numbers.

    >>> x, ends = Tensor([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0]), Tensor([0.0, 5.0])
    >>> print(ops.HistogramFixedWidth(5)(x, ends))
    [2 1 1 0 2]
    """

    def __init__(self, nbins: int, dtype: str = "int32"):
        super().__init__()
        self.nbins = check_int(nbins, self.name, "nbins", at_least=1)
        check_one_of(dtype, self.name, "dtype", ("int32",))

    def __call__(self, x: Tensor, range: Tensor) -> Tensor:
        given = reshape(check_tensor(x, self.name, "x"), (-1,))
        ends = check_tensor(range, self.name, "range")
        check_same_dtype(given, ends, self.name, ("x", "range"))
        check_shape(ends, self.name, "range", (2,), "two numbers")
        low, high = (cast(ends[k], mstype.float64) for k in (0, 1))
        part = (cast(given, mstype.float64) - low) / (high - low) * float(self.nbins)
        at = cast(gen.floor(clip(part, 0.0, float(self.nbins - 1))), mstype.int32)
        ones = full(at.shape, 1, dtype=mstype.int32)
        return scatter_nd(reshape(at, (-1, 1)), ones, (self.nbins,))


# --- parts ----------------------------------------------------------------------------------------


@public()
class IndexPut(Primitive):
    """`x1` with the elements that the tensors of places name replaced by those of `x2`, or, with
    ``accumulate=1``, these added to them.

    Raises:
        TypeError: dtypes that differ, or `indices` that is no tuple or list of Tensors.
        ValueError: `accumulate` other than 0 and 1, or shapes that do not fit.

    >>> x, at = Tensor([[1, 2], [3, 4]]), (Tensor([0, 0]), Tensor([0, 1]))
    >>> print(ops.IndexPut(accumulate=1)(x, Tensor([5]), at))
    [[6 7]
     [3 4]]
    """

    def __init__(self, accumulate: int = 0):
        super().__init__()
        self.accumulate = check_one_of(accumulate, self.name, "accumulate", (0, 1))

    def __call__(self, x1: Tensor, x2: Tensor, indices: ArrayLike) -> Tensor:
        x, new = check_tensor(x1, self.name, "x1"), check_tensor(x2, self.name, "x2")
        check_same_dtype(x, new, self.name, ("x1", "x2"))
        check_ndim(new, self.name, "x2", 1)
        if not isinstance(indices, tuple | list):
            raise argument_error(TypeError, self.name, "indices", "a tuple of Tensors", indices)
        at = tuple(index_tensor(i, self.name, "indices") for i in indices)
        put = indexing.add_elements if self.accumulate else indexing.setitem
        return put(x, at, new)


@public(
    "ops.InplaceIndexAdd(axis)(var, indices, updates) = "
    "ops.inplace_index_add(var, indices, updates, axis)"
)
def inplace_index_add(var: Tensor, indices: Tensor, updates: Tensor, axis: int) -> Tensor:
    """Adds `updates` to the parts of `var` along an axis that `indices` name, in place.

    Raises:
        TypeError: no Tensors, or dtypes that differ.
        ValueError: shapes that do not fit, or `axis` out of range.

    >>> x = Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="x")
    >>> _ = ops.inplace_index_add(x, Tensor([0], ms.int32), Tensor([[10.0, 20.0]]), 0)
    >>> print(x.value())
    [[11. 22.]
     [ 3.  4.]]
    """
    x = check_tensor(var, "inplace_index_add", "var")
    return assigned(x, added_along(x, indices, updates, axis), "inplace_index_add")


@public()
class ListDiff(Primitive):
    """The elements of `x` that are not in `y`, and their places; both must be known while compiling.

    Raises:
        TypeError: no integers, dtypes that differ, or elements that are not known while compiling.
        ValueError: other than one dimension, or an `out_idx` other than int32 and int64.

    >>> kept, places = ops.ListDiff()(Tensor([1, 2, 3, 2]), Tensor([1, 3]))
    >>> print(kept, places)
    [2 2] [1 3]
    """

    def __init__(self, out_idx: Type = mstype.int32):
        super().__init__()
        self.out_idx = check_one_of(out_idx, self.name, "out_idx", (mstype.int32, mstype.int64))

    def __call__(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        given, other = check_tensor(x, self.name, "x"), check_tensor(y, self.name, "y")
        for value, name in ((given, "x"), (other, "y")):
            check_ndim(check_dtype(value, self.name, name, "iu"), self.name, name, 1)
        check_same_dtype(given, other, self.name, ("x", "y"))
        values = needs_elements(given, self.name, _HINT)
        kept = np.flatnonzero(~np.isin(values, needs_elements(other, self.name, _HINT)))
        return known(values[kept], given.dtype), known(kept, self.out_idx)


@public("ops.UniqueWithPad", "Tensor.unique_with_pad")
def unique_with_pad(x: Tensor, pad_num: TensorLike) -> tuple[Tensor, Tensor]:
    """The distinct elements of a vector in the order of their first appearance, filled up to its length,
    and which of them each element is. The elements must be known while compiling.

    Raises:
        TypeError: elements that are not known while compiling.
        ValueError: other than one dimension.

    >>> values, places = ops.unique_with_pad(Tensor([1, 1, 5, 5], ms.int32), 9)
    >>> print(values, places)
    [1 5 9 9] [0 0 1 1]
    """
    given = check_ndim(check_tensor(x, "unique_with_pad", "x"), "unique_with_pad", "x", 1)
    found, places = unique(given)
    pad = pad_num.asnumpy().item() if isinstance(pad_num, Tensor) else pad_num
    rest = full((given.size - found.size,), pad, dtype=given.dtype)
    return concat((found, rest), 0), places


@public("ops.Coalesce")
def coalesce(x_indices: Tensor, x_values: Tensor, x_shape: Tensor) -> tuple[Tensor, ...]:
    """Elements at coordinates, [rank, n], in the order of their places, those at one place added; the
    coordinates, the elements and the shape.

    Raises:
        TypeError: coordinates that are no integers, or not known while compiling.
        ValueError: shapes that do not fit, or coordinates out of range.

    >>> at, values, _ = ops.coalesce(Tensor([[0, 0], [1, 1]]), Tensor([1.0, 5.0]), Tensor([3, 3]))
    >>> print(at.shape, values)
    (2, 1) [6.]
    """
    at = check_ndim(check_tensor(x_indices, "coalesce", "x_indices"), "coalesce", "x_indices", 2)
    sizes = tuple(known_ints(x_shape, "coalesce", "x_shape"))
    out = COOTensor(at.T, x_values, sizes).coalesce()
    return out.indices.T, out.values, x_shape


# --- matrices -------------------------------------------------------------------------------------


@public()
class MatrixSolveLs(Primitive):
    """The solutions of least squares of ``matrix x = rhs``, with `l2_regularizer` times the square of
    x added. Of several solutions, the one of least norm.

    Args:
        fast: a bool, without effect: the method, by singular values, is the same.

    Raises:
        TypeError: `fast` is not a bool, or tensors of no floating-point numbers.
        ValueError: shapes that do not fit, or a negative `l2_regularizer`.

    >>> a, b = Tensor([[3.0, 0.0], [2.0, 1.0]]), Tensor([[6.0], [5.0]])
    >>> print(ops.MatrixSolveLs()(a, b, Tensor(0.0, ms.float64)))
    [[2.]
     [1.]]
    """

    def __init__(self, fast: bool = True):
        super().__init__()
        check_bool(fast, self.name, "fast")

    def __call__(self, matrix: Tensor, rhs: Tensor, l2_regularizer: Tensor) -> Tensor:
        a, b = check_float(matrix, self.name, "matrix"), check_float(rhs, self.name, "rhs")
        check_ndim(a, self.name, "matrix", at_least=2)
        check_same_dtype(a, b, self.name, ("matrix", "rhs"))
        check_shape(b, self.name, "rhs", (*a.shape[:-1], b.shape[-1]), "as many rows as 'matrix'")
        by = float(needs_elements(l2_regularizer, self.name, _HINT))
        if by < 0:
            raise argument_error(ValueError, self.name, "l2_regularizer", "at least 0", by)
        if by:  # the rows sqrt(l2) I below, with 0 on the right side
            n = a.shape[-1]
            below = broadcast_to(eye(n, n, a.dtype) * math.sqrt(by), (*a.shape[:-2], n, n))
            a = concat((a, below), -2)
            b = concat((b, zeros((*b.shape[:-2], n, b.shape[-1]), b.dtype)), -2)
        return matmul(pinv(a), b)


@public()
class TridiagonalMatMul(Primitive):
    """The product of matrices with three diagonals, each [..., 1, m], and matrices [..., m, n]. The
    last element above and the first one below count nowhere.

    Raises:
        TypeError: dtypes that differ.
        ValueError: shapes that do not fit.

    >>> above, middle, below = Tensor([[1.0, 9.0]]), Tensor([[2.0, 3.0]]), Tensor([[9.0, 4.0]])
    >>> print(ops.TridiagonalMatMul()(above, middle, below, Tensor([[1.0], [10.0]])))
    [[12.]
     [34.]]
    """

    def __call__(self, superdiag: Tensor, maindiag: Tensor, subdiag: Tensor, rhs: Tensor) -> Tensor:
        x = check_ndim(check_tensor(rhs, self.name, "rhs"), self.name, "rhs", at_least=2)
        m, names = x.shape[-2], ("superdiag", "maindiag", "subdiag")
        columns = []
        for value, name in zip((superdiag, maindiag, subdiag), names, strict=True):
            given = check_tensor(value, self.name, name)
            check_same_dtype(given, x, self.name, (name, "rhs"))
            check_shape(given, self.name, name, (*x.shape[:-2], 1, m), "one for each row of 'rhs'")
            columns.append(reshape(given, (*x.shape[:-2], m, 1)))
        above, middle, below = columns
        none = zeros((*x.shape[:-2], 1, x.shape[-1]), x.dtype)
        after = concat((x[..., 1:, :], none), -2)
        before = concat((none, x[..., : m - 1, :]), -2)
        # Where there is no row, what stands on the diagonal must not count, be it infinite or NaN.
        first = known(np.arange(m)[:, None] == 0, mstype.bool_)
        last = known(np.arange(m)[:, None] == m - 1, mstype.bool_)
        return middle * x + select(last, 0, above) * after + select(first, 0, below) * before


@public()
def batch_dot(x1: Tensor, x2: Tensor, axes: Axis = None) -> Tensor:
    """Products of the elements of two batches, summed over a dimension of each.

    Args:
        x1, x2: of two dimensions or more; the first is that of the batch.
        axes: the dimension of each, or one int for both; the last of `x1`, and the last but one of
            `x2`, or its last if there are two.

    Raises:
        TypeError: no Tensors of floating-point numbers.
        ValueError: shapes that do not fit, or dimensions out of range.

    >>> print(ops.batch_dot(ops.ones((2, 1, 3)), ops.ones((2, 3, 2))).shape)
    (2, 1, 2)
    """
    op = "batch_dot"
    a, b = check_float(x1, op, "x1"), check_float(x2, op, "x2")
    for x, name in ((a, "x1"), (b, "x2")):
        check_ndim(x, op, name, at_least=2)
    if axes is None:
        axes = (a.ndim - 1, b.ndim - 2 if b.ndim > 2 else b.ndim - 1)
    listed = [axes, axes] if isinstance(axes, int) else list(axes)
    if len(listed) != 2:
        raise argument_error(ValueError, op, "axes", "an int or two", axes)
    i, j = axis_of(listed[0], a.ndim, op), axis_of(listed[1], b.ndim, op)
    if not i or not j or a.shape[0] != b.shape[0] or a.shape[i] != b.shape[j]:
        raise argument_error(
            ValueError, op, "axes", f"dimensions that fit {a.shape} and {b.shape}", tuple(listed)
        )
    left = [d for d in range(1, a.ndim) if d != i]
    right = [d for d in range(1, b.ndim) if d != j]
    n, k = a.shape[0], a.shape[i]
    first = reshape(a.transpose((0, *left, i)), (n, math.prod(a.shape[d] for d in left), k))
    second = reshape(b.transpose((0, j, *right)), (n, k, math.prod(b.shape[d] for d in right)))
    shape = (n, *(a.shape[d] for d in left), *(b.shape[d] for d in right))
    return reshape(matmul(first, second), shape if len(shape) > 1 else (n, 1))


# --- arrangement ----------------------------------------------------------------------------------


@public()
class ConjugateTranspose(Primitive):
    """The tensor with its dimensions in another order, and complex numbers conjugated.

    Raises:
        TypeError, ValueError: as `ops.transpose`.

    >>> print(ops.ConjugateTranspose()(Tensor([[1.0, 2.0]]), (1, 0)))
    [[1.]
     [2.]]
    """

    def __call__(self, x: Tensor, perm: tuple[int, ...]) -> Tensor:
        turned: Any = check_tensor(x, self.name, "x").transpose(perm)
        out: Tensor = turned.conj() if turned.dtype.kind == "c" else turned
        return out


@public()
class Expand(Primitive):
    """See `ops.broadcast_to`; the shape may be a Tensor that is known while compiling.

    >>> print(ops.Expand()(Tensor([1.0, 2.0]), Tensor([2, 2])))
    [[1. 2.]
     [1. 2.]]
    """

    def __call__(self, x: Tensor, shape: ShapeLike) -> Tensor:
        return broadcast_to(x, tuple(known_ints(shape, self.name, "shape")))


@public()
class CompareAndBitpack(Primitive):
    """Whether elements are larger than a threshold, eight along the last dimension as a uint8.

    Raises:
        TypeError: dtypes that differ.
        ValueError: a threshold that is no scalar, or a last dimension that 8 does not divide.

    >>> print(ops.CompareAndBitpack()(ops.arange(8.0), Tensor(5.0)))
    [3]
    """

    def __call__(self, x: Tensor, threshold: Tensor) -> Tensor:
        given = check_ndim(check_tensor(x, self.name, "x"), self.name, "x", at_least=1)
        limit = check_ndim(
            check_tensor(threshold, self.name, "threshold"), self.name, "threshold", 0
        )
        check_same_dtype(given, limit, self.name, ("x", "threshold"))
        n = given.shape[-1]
        if n % 8:
            raise argument_error(ValueError, self.name, "x", "of a last dimension divided by 8", n)
        bits = reshape(gen.greater(given, limit), (*given.shape[:-1], n // 8, 8))
        weights = known(2 ** np.arange(7, -1, -1), mstype.int32)
        return cast(reductions.sum(cast(bits, mstype.int32) * weights, -1), mstype.uint8)


@public()
class SparseTensorDenseAdd(Primitive):
    """The sum of values at coordinates and a dense tensor.

    Raises:
        TypeError: coordinates that are no integers, or dtypes that differ.
        ValueError: shapes that do not fit.

    >>> at, values = Tensor([[0, 1]]), Tensor([5.0])
    >>> print(ops.SparseTensorDenseAdd()(at, values, (1, 2), ops.ones((1, 2))))
    [[1. 6.]]
    """

    def __call__(
        self, x1_indices: Tensor, x1_values: Tensor, x1_shape: ShapeLike, x2: Tensor
    ) -> Tensor:
        dense = dense_of(self.name, x1_indices, x1_values, x1_shape)
        other = check_shape(check_tensor(x2, self.name, "x2"), self.name, "x2", dense.shape)
        check_same_dtype(dense, other, self.name, ("x1_values", "x2"))
        return dense + other


@public()
class ResizeLinear1D(Primitive):
    """The last of three dimensions resized by linear interpolation; see `ops.interpolate`.

    Args:
        coordinate_transformation_mode: "align_corners": the first and last points stay in place;
            "half_pixel": the borders of the first and last cells do.

    Raises:
        TypeError: `x` is no Tensor of floating-point numbers.
        ValueError: another mode, other than three dimensions, or sizes that are not one int.

    >>> print(ops.ResizeLinear1D()(Tensor([[[1.0, 3.0]]]), (3,)))
    [[[1. 2. 3.]]]
    """

    def __init__(self, coordinate_transformation_mode: str = "align_corners"):
        super().__init__()
        modes = ("align_corners", "half_pixel")
        name = "coordinate_transformation_mode"
        check_one_of(coordinate_transformation_mode, self.name, name, modes)
        self.aligned = coordinate_transformation_mode == "align_corners"

    def __call__(self, x: Tensor, size: ShapeLike) -> Tensor:
        sizes = tuple(known_ints(size, self.name, "size"))
        out: Tensor = interpolate(x, sizes, mode="linear", align_corners=self.aligned)
        return out
