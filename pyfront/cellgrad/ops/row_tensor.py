"""Whole rows of a tensor, and which rows they are."""

from __future__ import annotations

from cellgrad.core.aliases import ShapeLike
from cellgrad.core.arguments import argument_error, check_instance
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.ops.sparse_parts import as_nested, places_of, shape_of

__all__ = ["RowTensorInner"]


class RowTensorInner:
    """Rows of a tensor whose other rows are 0: what custom operations may give as the gradient of a table. It is a
    nested value: an input and a result of compiled code, by way of its `values`.

    Args:
        indices: integers of shape [n]: which row each is.
        values: the n rows, shape [n, ...].
        shape: the shape of the tensor, a tuple of ints.
        row_tensor: another one, in place of the rest.

    Raises:
        TypeError: arguments of other types, or rows of another shape than those of the tensor.

    >>> rows = ms.common.RowTensorInner(Tensor([0, 2]), Tensor([[1.0], [2.0]]), (3, 1))
    >>> print(rows.values * 2, rows.dense_shape)
    [[2.]
     [4.]] (3, 1)
    """

    indices: Tensor
    values: Tensor
    shape: tuple[int, ...]

    def __init__(
        self,
        indices: Tensor | None = None,
        values: Tensor | None = None,
        shape: ShapeLike | None = None,
        row_tensor: RowTensorInner | None = None,
    ):
        op = "RowTensorInner"
        if row_tensor is not None:
            check_instance(row_tensor, op, "row_tensor", RowTensorInner)
            if not (indices is None and values is None and shape is None):
                text = f"For '{op}', give 'row_tensor' or the other arguments, not both."
                raise error(TypeError, text)
            indices, values, shape = row_tensor.indices, row_tensor.values, row_tensor.shape
        self.indices = places_of(indices, op, "indices", 1)
        self.values, self.shape = check_tensor(values, op, "values"), shape_of(shape, op, 1)
        if self.values.shape != (self.indices.size, *self.shape[1:]):
            wanted = [self.indices.size, *self.shape[1:]]
            raise argument_error(
                TypeError, op, "values", f"of shape {wanted}", list(self.values.shape)
            )

    @property
    def dense_shape(self) -> tuple[int, ...]:
        """The shape of the tensor."""
        return self.shape

    @property
    def dtype(self) -> Type:
        """The dtype of the elements."""
        return self.values.dtype

    def __repr__(self) -> str:
        return (
            f"RowTensor(shape={list(self.shape)}, dtype={self.dtype}, indices={self.indices!r}, "
            f"values={self.values!r})"
        )


as_nested(RowTensorInner, ("indices", "values"))
