"""Sparse tensors: the elements that are stored, and where they are.

A `COOTensor` has the coordinates of each element, a `CSRTensor` the columns of each, row by row. Both
are nested values: inputs and results of compiled code and of gradients, by way of their `values`. What
is not stored counts as 0, and functions of elements leave it 0.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, ShapeLike, TensorLike, TensorOrTensors
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_instance,
    check_int,
    check_ndim,
    check_same_dtype,
    check_shape,
)
from cellgrad.core.dtype import Type
from cellgrad.core.errors import either, error, not_defined
from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import reductions
from cellgrad.ops._index import is_known
from cellgrad.ops._public import public
from cellgrad.ops._static import known
from cellgrad.ops.contractions import matmul
from cellgrad.ops.gathering import gather, gather_nd, needs_elements
from cellgrad.ops.joining import concat, stack
from cellgrad.ops.scattering import scatter_nd, tensor_scatter_add
from cellgrad.ops.segments import unsorted_segment_sum
from cellgrad.ops.selection import cast, div, stop_gradient
from cellgrad.ops.shapes import broadcast_to, reshape
from cellgrad.ops.sparse_parts import as_nested, check_range, places_of, shape_of

UNKNOWN = (
    "how many elements there are depends on it: make the sparse tensor outside of compiled code"
)


class SparseTensor:
    """What both kinds of sparse tensors have."""

    values: Tensor
    shape: tuple[int, ...]

    def _with(self, values: Tensor) -> Self:
        """Other elements at the same places."""
        raise not_defined(self, "_with")

    def _at(self, dense: Any, op: str) -> Tensor:
        """The elements of a dense tensor at the places of this one."""
        raise not_defined(self, "_at")

    def to_dense(self) -> Tensor:
        """The tensor with all elements; those at one place are added."""
        raise not_defined(self, "to_dense")

    @property
    def dtype(self) -> Type:
        """The dtype of the elements."""
        return self.values.dtype

    @property
    def size(self) -> int:
        """How many elements are stored."""
        return self.values.size

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.values.itemsize

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def abs(self) -> Self:
        """The magnitudes of the elements."""
        return self._with(gen.abs(self.values))

    def astype(self, dtype: Type) -> Self:
        """The elements in another dtype."""
        return self._with(self.values.astype(dtype))

    def __neg__(self) -> Self:
        return self._with(-self.values)

    def __mul__(self, other: TensorLike) -> Self:
        return self._with(self.values * self._at(other, "mul"))

    def __rmul__(self, other: TensorLike) -> Self:
        return self * other

    def __truediv__(self, other: TensorLike) -> Self:
        return self._with(div(self.values, self._at(other, "div")))


def _shown(part: Tensor) -> str:
    start, equals, value = repr(part).partition("value=")
    return start + equals + value.lstrip(" ").replace(",", "")


class COOTensor(SparseTensor):
    """Elements by their coordinates.

    Args:
        indices: integers of shape [n, rank]: the place of each element.
        values: the n elements.
        shape: the lengths of the dimensions, a tuple of ints.
        coo_tensor: another COOTensor, in place of the rest.

    Raises:
        TypeError: arguments of other types.
        ValueError: shapes that do not fit, or places out of range.

    >>> x = ms.COOTensor(Tensor([[0, 1], [1, 2]]), Tensor([1.0, 2.0]), (2, 3))
    >>> print(x.to_dense())
    [[0. 1. 0.]
     [0. 0. 2.]]
    """

    indices: Tensor
    values: Tensor
    shape: tuple[int, ...]

    def __init__(
        self,
        indices: ArrayLike | None = None,
        values: ArrayLike | None = None,
        shape: ShapeLike | None = None,
        coo_tensor: COOTensor | None = None,
    ):
        if coo_tensor is not None:
            check_instance(coo_tensor, "COOTensor", "coo_tensor", COOTensor)
            if not (indices is None and values is None and shape is None):
                raise error(
                    TypeError,
                    "For 'COOTensor', give 'coo_tensor' or the other arguments, not both.",
                )
            indices, values, shape = coo_tensor.to_tuple()
        op = "COOTensor"
        at = places_of(indices, op, "indices", 2)
        new = check_ndim(check_tensor(values, op, "values"), op, "values", 1)
        sizes = shape_of(shape, op, 1)
        if at.shape != (new.size, len(sizes)):
            raise error(
                either(ValueError, TypeError),  # MindSpore: a TypeError for too few columns
                f"For '{op}', 'indices' must have shape {[new.size, len(sizes)]}, a row for each element, "
                f"but got {list(at.shape)}.",
            )
        check_range(at, op, "indices", np.array(sizes))
        self.indices, self.values, self.shape = at, new, sizes

    def __repr__(self) -> str:
        return (
            f"COOTensor(shape={list(self.shape)}, dtype={self.dtype}, indices={_shown(self.indices)}, "
            f"values={_shown(self.values)})"
        )

    def _with(self, values: Tensor) -> COOTensor:
        return COOTensor(self.indices, values, self.shape)

    def _at(self, dense: Any, op: str) -> Tensor:
        x = check_tensor(dense, f"COOTensor.{op}", "other")
        return gather_nd(check_shape(x, f"COOTensor.{op}", "other", self.shape), self.indices)

    def to_tuple(self) -> tuple[Tensor, Tensor, tuple[int, ...]]:
        """The places, the elements and the shape."""
        return self.indices, self.values, self.shape

    def to_dense(self) -> Tensor:
        """The tensor with all elements; those at one place are added.

        >>> x = ms.COOTensor(Tensor([[1], [1]]), Tensor([1.0, 2.0]), (3,))
        >>> print(x.to_dense())
        [0. 3. 0.]
        """
        return scatter_nd(self.indices, self.values, self.shape)

    def coalesce(self) -> COOTensor:
        """The elements in the order of their places, those at one place added.

        Raises:
            TypeError: places that are not known while compiling.

        >>> x = ms.COOTensor(Tensor([[1, 0], [0, 1], [1, 0]]), Tensor([1.0, 2.0, 4.0]), (2, 2))
        >>> print(x.coalesce().values)
        [2. 5.]
        """
        rows = needs_elements(self.indices, "coalesce", UNKNOWN)
        found, inverse = np.unique(rows, axis=0, return_inverse=True)
        where = known(inverse.reshape(-1), mstype.int32)
        values = unsorted_segment_sum(self.values, where, len(found))
        return COOTensor(known(found, self.indices.dtype), values, self.shape)

    def to_csr(self) -> CSRTensor:
        """The matrix by rows; elements of a row keep their order.

        Raises:
            TypeError: places that are not known while compiling.
            ValueError: other than two dimensions.

        >>> x = ms.COOTensor(Tensor([[1, 0], [0, 1]]), Tensor([1.0, 2.0]), (2, 2))
        >>> print(x.to_csr().indptr, x.to_csr().values)
        [0 1 2] [2. 1.]
        """
        if self.ndim != 2:
            raise argument_error(ValueError, "to_csr", "shape", "of two dimensions", self.shape)
        places = needs_elements(self.indices, "to_csr", UNKNOWN)
        order = np.argsort(places[:, 0], kind="stable")
        counts = np.bincount(places[:, 0], minlength=self.shape[0])
        starts = np.concatenate([[0], np.cumsum(counts)])
        kind = self.indices.dtype
        values = gather(self.values, known(order, mstype.int32), 0)
        return CSRTensor(known(starts, kind), known(places[order, 1], kind), values, self.shape)

    def add(self, other: COOTensor, thresh: Tensor) -> COOTensor:
        return coo_add(self, other, thresh)

    def __add__(self, other: TensorLike) -> COOTensor | Tensor:
        if isinstance(other, COOTensor):
            return coo_add(self, other, Tensor(0, self.dtype))
        dense = check_shape(
            check_tensor(other, "COOTensor.add", "other"), "add", "other", self.shape
        )
        return tensor_scatter_add(dense, self.indices, self.values)

    def __radd__(self, other: TensorLike) -> COOTensor | Tensor:
        return self + other

    def __sub__(self, other: TensorLike) -> COOTensor | Tensor:
        return self + -other

    def __rsub__(self, other: TensorLike) -> COOTensor | Tensor:
        return -self + other


class CSRTensor(SparseTensor):
    """The elements of a matrix, row by row.

    Args:
        indptr: integers of shape [rows + 1]: where the elements of each row begin, and the last end.
        indices: integers: the column of each element.
        values: the elements, [n], or parts of further dimensions.
        shape: the lengths of the dimensions, a tuple of ints.
        csr_tensor: another CSRTensor, in place of the rest.

    Raises:
        TypeError: arguments of other types.
        ValueError: shapes that do not fit, or places out of range.

    >>> x = ms.CSRTensor(Tensor([0, 1, 2]), Tensor([1, 2]), Tensor([1.0, 2.0]), (2, 3))
    >>> print(x.to_dense())
    [[0. 1. 0.]
     [0. 0. 2.]]
    """

    indptr: Tensor
    indices: Tensor
    values: Tensor
    shape: tuple[int, ...]

    def __init__(
        self,
        indptr: TensorLike | None = None,
        indices: ArrayLike | None = None,
        values: ArrayLike | None = None,
        shape: ShapeLike | None = None,
        csr_tensor: CSRTensor | None = None,
    ):
        op = "CSRTensor"
        if csr_tensor is not None:
            check_instance(csr_tensor, op, "csr_tensor", CSRTensor)
            if any(v is not None for v in (indptr, indices, values, shape)):
                raise error(
                    TypeError,
                    "For 'CSRTensor', give 'csr_tensor' or the other arguments, not both.",
                )
            indptr, indices, values, shape = csr_tensor.to_tuple()
        starts, columns = places_of(indptr, op, "indptr", 1), places_of(indices, op, "indices", 1)
        new = check_tensor(values, op, "values")
        sizes = shape_of(shape, op, 2)
        check_shape(starts, op, "indptr", (sizes[0] + 1,), "one more than rows")
        check_shape(new, op, "values", (columns.size, *sizes[2:]), "one for each of 'indices'")
        check_range(columns, op, "indices", sizes[1])
        if is_known(starts):
            ends = starts._concrete(op)
            if ends[0] != 0 or ends[-1] != columns.size or (np.diff(ends) < 0).any():
                raise error(
                    ValueError,
                    f"For 'CSRTensor', 'indptr' must rise from 0 to the number of elements, "
                    f"{columns.size}, but is {ends.tolist()}.",
                )
        self.indptr, self.indices, self.values, self.shape = starts, columns, new, sizes

    def __repr__(self) -> str:
        return (
            f"CSRTensor(shape={list(self.shape)}, dtype={self.dtype}, indptr={_shown(self.indptr)}, "
            f"indices={_shown(self.indices)}, values={_shown(self.values)})"
        )

    def _with(self, values: Tensor) -> CSRTensor:
        return CSRTensor(self.indptr, self.indices, values, self.shape)

    def _rows(self) -> Tensor:
        """The row of each element."""
        n = self.indices.size
        if is_known(self.indptr):
            counts = np.diff(self.indptr._concrete("CSRTensor"))
            return known(np.repeat(np.arange(self.shape[0]), counts), self.indices.dtype)
        at = known(np.arange(n)[:, None], self.indptr.dtype)
        after = gen.greater_equal(at, reshape(self.indptr[1:], (1, -1)))
        return cast(reductions.sum(cast(after, mstype.int32), 1), self.indices.dtype)

    def _coordinates(self) -> Tensor:
        return stack((self._rows(), self.indices), 1)

    def _at(self, dense: Any, op: str) -> Tensor:
        x = check_tensor(dense, f"csr_{op}", "y")
        return gather_nd(broadcast_to(x, self.shape), self._coordinates())

    def to_tuple(self) -> tuple[Tensor, Tensor, Tensor, tuple[int, ...]]:
        """Where rows begin, the columns, the elements and the shape."""
        return self.indptr, self.indices, self.values, self.shape

    def to_dense(self) -> Tensor:
        """The tensor with all elements; those at one place are added.

        >>> x = ms.CSRTensor(Tensor([0, 2]), Tensor([0, 2]), Tensor([1.0, 2.0]), (1, 3))
        >>> print(x.to_dense())
        [[1. 0. 2.]]
        """
        return scatter_nd(self._coordinates(), self.values, self.shape)

    def to_coo(self) -> COOTensor:
        """The elements by coordinates; see `ops.csr_to_coo`.

        >>> x = ms.CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([1.0, 2.0]), (2, 2))
        >>> print(x.to_coo().indices)
        [[0 1]
         [1 0]]
        """
        return csr_to_coo(self)

    def mv(self, dense_vector: Tensor) -> Tensor:
        return csr_mv(self, dense_vector)

    def mm(self, matrix: TensorLike) -> TensorOrTensors:
        return csr_mm(self, matrix)

    def sum(self, axis: int) -> Tensor:
        """The sums of rows; see `ops.csr_reduce_sum`."""
        return csr_reduce_sum(self, axis)

    def add(self, b: CSRTensor, alpha: Tensor, beta: Tensor) -> CSRTensor:
        return csr_add(self, b, alpha, beta)

    def __add__(self, other: CSRTensor) -> CSRTensor:
        one = Tensor(1, self.dtype)
        return csr_add(self, other, one, one)

    def __sub__(self, other: CSRTensor) -> CSRTensor:
        return csr_add(self, other, Tensor(1, self.dtype), Tensor(-1, self.dtype))


as_nested(COOTensor, ("indices", "values"))
as_nested(CSRTensor, ("indptr", "indices", "values"))

# --- sums -------------------------------------------------------------------------------


@public()
def coo_add(x1: COOTensor, x2: COOTensor, thresh: Tensor) -> COOTensor:
    """The sum of two sparse tensors, in the order of places. What is smaller than `thresh` goes.

    Raises:
        TypeError: no COOTensors, other dtypes, or elements or places that are not known while
            compiling.
        ValueError: other shapes.

    >>> x = ms.COOTensor(Tensor([[0, 1]]), Tensor([1.0]), (2, 2))
    >>> y = ms.COOTensor(Tensor([[1, 0]]), Tensor([2.0]), (2, 2))
    >>> print(ops.coo_add(x, y, Tensor(0.0)).to_dense())
    [[0. 1.]
     [2. 0.]]
    """
    for x, name in ((x1, "x1"), (x2, "x2")):
        check_instance(x, "coo_add", name, COOTensor)
    check_same_dtype(x1.values, x2.values, "coo_add", ("x1", "x2"))
    if x1.shape != x2.shape:
        raise error(ValueError, f"For 'coo_add', the shapes differ: {x1.shape} and {x2.shape}.")
    # Which elements stay has no derivative.
    least = stop_gradient(check_tensor(thresh, "coo_add", "thresh"))
    limit = needs_elements(least, "coo_add", UNKNOWN)
    places = (x1.indices, cast(x2.indices, x1.indices.dtype))
    out = COOTensor(concat(places, 0), concat((x1.values, x2.values), 0), x1.shape).coalesce()
    if not limit.any():
        return out
    found = needs_elements(stop_gradient(out.values), "coo_add", "give a 'thresh' of 0")
    kept = np.flatnonzero(np.abs(found) >= limit)
    at = known(kept, mstype.int32)
    return COOTensor(gather(out.indices, at, 0), gather(out.values, at, 0), out.shape)


@public()
def csr_add(a: CSRTensor, b: CSRTensor, alpha: Tensor, beta: Tensor) -> CSRTensor:
    """``alpha * a + beta * b`` of two matrices, in the order of places.

    Raises:
        TypeError: no CSRTensors, other dtypes, or places that are not known while compiling.
        ValueError: other shapes.

    >>> x = ms.CSRTensor(Tensor([0, 1, 1]), Tensor([1]), Tensor([3.0]), (2, 2))
    >>> print(ops.csr_add(x, x, Tensor(1.0), Tensor(2.0)).to_dense())
    [[0. 9.]
     [0. 0.]]
    """
    left, right = as_csr(a, "csr_add", "a").to_coo(), as_csr(b, "csr_add", "b").to_coo()
    first, second = left._with(left.values * alpha), right._with(right.values * beta)
    return coo_add(first, second, Tensor(0, left.dtype)).to_csr()


# --- products -------------------------------------------------------------------------------------


def as_csr(value: Any, op: str, name: str = "csr_tensor") -> CSRTensor:
    return check_instance(value, op, name, CSRTensor)


@public()
def csr_mv(csr_tensor: CSRTensor, dense: Tensor) -> Tensor:
    """The product of a sparse matrix and a vector, [n, 1], or [n] where that is given.

    Raises:
        TypeError: no CSRTensor and Tensor, or other dtypes.
        ValueError: shapes that do not fit.

    >>> x = ms.CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
    >>> print(ops.csr_mv(x, Tensor([[1.0], [10.0]])))
    [[20.]
     [ 3.]]
    """
    x = check_tensor(dense, "csr_mv", "dense")
    if x.ndim == 2 and x.shape[1] != 1:
        raise argument_error(ValueError, "csr_mv", "dense", "of the shape [n, 1] or [n]", x.shape)
    column = reshape(x, (-1, 1)) if x.ndim == 1 else x
    out = _product(as_csr(csr_tensor, "csr_mv"), column, "csr_mv", "dense")
    return reshape(out, (-1,)) if x.ndim == 1 else out


def _product(a: CSRTensor, b: Tensor, op: str, name: str) -> Tensor:
    if a.ndim != 2:
        raise argument_error(ValueError, op, "shape", "of two dimensions", a.shape)
    check_ndim(b, op, name, 2)
    check_shape(b, op, name, (a.shape[1], b.shape[1]), "as many rows as columns before")
    check_same_dtype(a.values, b, op, ("values", name))
    terms = reshape(a.values, (-1, 1)) * gather(b, a.indices, 0)
    return unsorted_segment_sum(terms, cast(a._rows(), mstype.int32), a.shape[0])


@public()
def csr_mm(
    a: CSRTensor,
    b: TensorLike,
    trans_a: bool = False,
    trans_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> TensorOrTensors:
    """The product of a sparse matrix and a dense one, or two sparse ones, which is sparse.

    Args:
        a: a CSRTensor.
        b: a Tensor or a CSRTensor.
        trans_a, trans_b, adjoint_a, adjoint_b: whether to transpose; of two sparse ones.

    Raises:
        TypeError: no CSRTensor; for two sparse ones, elements that are not known while compiling.
        ValueError: shapes that do not fit, flags for a dense matrix, or for complex numbers.

    >>> x = ms.CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
    >>> print(ops.csr_mm(x, Tensor([[1.0, 2.0], [10.0, 20.0]])))
    [[20. 40.]
     [ 3.  6.]]
    """
    left = as_csr(a, "csr_mm", "a")
    names = ("trans_a", "trans_b", "adjoint_a", "adjoint_b")
    flags = (trans_a, trans_b, adjoint_a, adjoint_b)
    set_ = [check_bool(f, "csr_mm", n) for f, n in zip(flags, names, strict=True)]
    if not isinstance(b, CSRTensor):
        if any(set_):
            raise error(ValueError, f"For 'csr_mm', {names} are of two sparse matrices.")
        return _product(left, check_tensor(b, "csr_mm", "b"), "csr_mm", "b")
    if any(set_) and left.dtype.kind == "c":
        raise error(ValueError, f"For 'csr_mm', {names} are of real numbers.")
    first = left.to_dense().T if trans_a or adjoint_a else left.to_dense()
    second = b.to_dense().T if trans_b or adjoint_b else b.to_dense()
    return dense_to_sparse_csr(matmul(first, second))


# --- rows -----------------------------------------------------------------------------------------


@public()
def csr_reduce_sum(csr_tensor: CSRTensor, axis: int) -> Tensor:
    """The sums of the rows of a sparse matrix: [rows, 1].

    Raises:
        TypeError: no CSRTensor, or `axis` no int.
        ValueError: an axis other than 1 and -1, as sums of columns are not offered.

    >>> x = ms.CSRTensor(Tensor([0, 2, 3]), Tensor([0, 1, 0]), Tensor([1.0, 2.0, 3.0]), (2, 2))
    >>> print(ops.csr_reduce_sum(x, 1))
    [[3.]
     [3.]]
    """
    x = as_csr(csr_tensor, "csr_reduce_sum")
    if x.ndim != 2 or check_int(axis, "csr_reduce_sum", "axis") not in (1, -1):
        raise argument_error(ValueError, "csr_reduce_sum", "axis", "1, of a matrix", axis)
    out = unsorted_segment_sum(x.values, cast(x._rows(), mstype.int32), x.shape[0])
    return reshape(out, (-1, 1))


# --- conversions ----------------------------------------------------------------------------------


@public()
def csr_to_coo(tensor: CSRTensor) -> COOTensor:
    """A sparse matrix by coordinates.

    Raises:
        TypeError: no CSRTensor.
        ValueError: other than two dimensions.

    >>> x = ms.CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([1.0, 2.0]), (2, 2))
    >>> print(ops.csr_to_coo(x).indices)
    [[0 1]
     [1 0]]
    """
    x = as_csr(tensor, "csr_to_coo", "tensor")
    if x.ndim != 2:
        raise argument_error(ValueError, "csr_to_coo", "shape", "of two dimensions", x.shape)
    return COOTensor(x._coordinates(), x.values, x.shape)


@public("Tensor.to_coo() = ops.dense_to_sparse_coo(self)")
def dense_to_sparse_coo(tensor: Tensor) -> COOTensor:
    """The elements of a matrix that are not 0, by coordinates (int32).

    Raises:
        TypeError: no Tensor, or elements that are not known while compiling.
        ValueError: other than two dimensions.

    >>> print(ops.dense_to_sparse_coo(Tensor([[1.0, 0.0], [-5.0, 0.0]])).indices)
    [[0 0]
     [1 0]]

    >>> print(Tensor([[1.0, 0.0], [-5.0, 0.0]]).to_coo().values)
    [ 1. -5.]
    """
    x = check_ndim(
        check_tensor(tensor, "dense_to_sparse_coo", "tensor"), "dense_to_sparse_coo", "tensor", 2
    )
    found = np.argwhere(needs_elements(x, "dense_to_sparse_coo", UNKNOWN))
    at = known(found, mstype.int32)
    return COOTensor(at, gather_nd(x, at), x.shape)


@public("Tensor.to_csr() = ops.dense_to_sparse_csr(self)")
def dense_to_sparse_csr(tensor: Tensor) -> CSRTensor:
    """The elements of a matrix that are not 0, row by row (int32).

    Raises:
        TypeError: no Tensor, or elements that are not known while compiling.
        ValueError: other than two dimensions.

    >>> print(ops.dense_to_sparse_csr(Tensor([[1.0, 0.0], [-5.0, 0.0]])).indptr)
    [0 1 2]
    >>> print(Tensor([[1.0, 0.0], [-5.0, 0.0]]).to_csr().values)
    [ 1. -5.]
    """
    return dense_to_sparse_coo(tensor).to_csr()
