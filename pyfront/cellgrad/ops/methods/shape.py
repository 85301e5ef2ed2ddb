"""Methods of Tensor on shapes, in terms of ``cellgrad.ops``."""

from __future__ import annotations

from typing import Any

from cellgrad import ops as _ops
from cellgrad.core.tensor import Tensor

# The `self` of these classes is no Tensor to type checkers.
ops: Any = _ops


def _varargs(values: tuple[Any, ...]) -> Any:
    """`x.reshape(2, 3)` and `x.reshape((2, 3))` alike."""
    if len(values) == 1 and isinstance(values[0], tuple | list):
        return tuple(values[0])
    return values


class ShapeMethods:
    """Methods."""

    __slots__ = ()

    # --- shape --------------------------------------------------------------------------------

    @property
    def T(self) -> Tensor:
        """The tensor with its dimensions in reverse order.

        >>> print(Tensor([[1, 2], [3, 4]]).T)
        [[1 3]
         [2 4]]
        """
        return ops.transpose(self, tuple(range(self.ndim))[::-1])  # type: ignore[attr-defined]

    def t(self) -> Tensor:
        """See `ops.t`.

        >>> print(Tensor([[1, 2], [3, 4]]).t())
        [[1 3]
         [2 4]]
        """
        return ops.t(self)

    def reshape(self, *shape: Any) -> Tensor:
        """See `ops.reshape`; the shape may be given as several ints or one tuple.

        >>> print(Tensor([1, 2, 3, 4]).reshape(2, -1))
        [[1 2]
         [3 4]]
        """
        return ops.reshape(self, _varargs(shape))

    view = reshape

    def reshape_as(self, other: Tensor) -> Tensor:
        """The tensor reshaped to the shape of another.

        >>> print(Tensor([1, 2, 3, 4]).reshape_as(ops.ones((2, 2))))
        [[1 2]
         [3 4]]
        """
        return ops.view_as(self, other)

    view_as = reshape_as

    def flatten(self, order: Any = "C", *end: int, start_dim: int = 0, end_dim: int = -1) -> Tensor:
        """Joins dimensions `start_dim` to `end_dim`, by default all; see `ops.flatten`.

        Ints instead of an order are `start_dim` and `end_dim`.

        >>> print(Tensor([[1, 2], [3, 4]]).flatten())
        [1 2 3 4]
        """
        if not isinstance(order, str):
            order, start_dim, end_dim = "C", order, (*end, end_dim)[0]
        return ops.flatten(self, order, start_dim=start_dim, end_dim=end_dim)

    def ravel(self) -> Tensor:
        """See `ops.ravel`.

        >>> print(Tensor([[1, 2], [3, 4]]).ravel())
        [1 2 3 4]
        """
        return ops.ravel(self)

    def transpose(self, *axes: Any) -> Tensor:
        """See `ops.transpose`; two ints exchange those dimensions, and without arguments the
        dimensions are reversed.

        >>> print(ops.ones((2, 3, 4)).transpose(2, 0, 1).shape)
        (4, 2, 3)
        """
        if len(axes) == 2 and not isinstance(axes[0], tuple | list):
            return ops.swapaxes(self, *axes)
        listed = _varargs(axes)
        return ops.transpose(self, listed or tuple(range(self.ndim))[::-1])  # type: ignore[attr-defined]

    def permute(self, *axis: Any) -> Tensor:
        """See `ops.permute`.

        >>> print(ops.ones((2, 3, 4)).permute(2, 0, 1).shape)
        (4, 2, 3)
        """
        return ops.transpose(self, _varargs(axis))

    def swapaxes(self, axis0: int, axis1: int) -> Tensor:
        """See `ops.swapaxes`.

        >>> print(ops.ones((2, 3, 4)).swapaxes(0, 2).shape)
        (4, 3, 2)
        """
        return ops.swapaxes(self, axis0, axis1)

    def swapdims(self, dim0: int, dim1: int) -> Tensor:
        """See `ops.swapaxes`.

        >>> print(ops.ones((2, 3, 4)).swapdims(0, 2).shape)
        (4, 3, 2)
        """
        return ops.swapaxes(self, dim0, dim1)

    def movedim(self, source: Any, destination: Any) -> Tensor:
        """See `ops.movedim`.

        >>> print(ops.ones((2, 3, 4)).movedim(0, -1).shape)
        (3, 4, 2)
        """
        return ops.movedim(self, source, destination)

    moveaxis = movedim

    def squeeze(self, axis: Any = None) -> Tensor:
        """See `ops.squeeze`.

        >>> print(Tensor([[1, 2]]).squeeze(0))
        [1 2]
        """
        return ops.squeeze(self, axis)

    def expand_dims(self, axis: int) -> Tensor:
        """See `ops.expand_dims`.

        >>> print(Tensor([1, 2]).expand_dims(0))
        [[1 2]]
        """
        return ops.expand_dims(self, axis)

    def unsqueeze(self, dim: Any = None, *, axis: int | None = None) -> Tensor:
        """See `ops.expand_dims`.

        >>> print(Tensor([1, 2]).unsqueeze(1))
        [[1]
         [2]]
        """
        return ops.expand_dims(self, dim if axis is None else axis)

    def broadcast_to(self, *shape: Any) -> Tensor:
        """See `ops.broadcast_to`; the shape may be given as several ints or one tuple.

        >>> print(Tensor([1, 2]).broadcast_to((2, 2)))
        [[1 2]
         [1 2]]
        """
        return ops.broadcast_to(self, _varargs(shape))

    def expand(self, *size: Any) -> Tensor:
        """Same as `broadcast_to`.

        >>> print(Tensor([1, 2]).expand(2, 2))
        [[1 2]
         [1 2]]
        """
        return ops.broadcast_to(self, _varargs(size))

    def expand_as(self, other: Tensor) -> Tensor:
        """The tensor broadcast to the shape of another.

        >>> print(Tensor([1, 2]).expand_as(ops.ones((2, 2))))
        [[1 2]
         [1 2]]
        """
        return ops.expand_as(self, other)

    def dim(self) -> int:
        """The number of dimensions.

        >>> Tensor([[1, 2], [3, 4]]).dim()
        2
        """
        return self.ndim  # type: ignore[attr-defined,no-any-return]

    def numel(self) -> int:
        """The number of elements.

        >>> Tensor([[1, 2], [3, 4]]).numel()
        4
        """
        return self.size  # type: ignore[attr-defined,no-any-return]

    # --- pieces -------------------------------------------------------------------------------

    def split(self, split_size: Any, dim: int = 0, *, axis: int | None = None) -> Any:
        """See `ops.split`.

        >>> x, y = Tensor([1, 2, 3, 4]).split(2)
        >>> print(x, y)
        [1 2] [3 4]
        """
        return ops.split(self, split_size, dim if axis is None else axis)

    def tensor_split(self, indices_or_sections: Any, axis: int = 0) -> Any:
        """See `ops.tensor_split`.

        >>> x, y = Tensor([1, 2, 3]).tensor_split(2)
        >>> print(x, y)
        [1 2] [3]
        """
        return ops.tensor_split(self, indices_or_sections, axis)

    def hsplit(self, indices_or_sections: Any) -> Any:
        """See `ops.hsplit`.

        >>> x, y = Tensor([[1, 2], [3, 4]]).hsplit(2)
        >>> print(y)
        [[2]
         [4]]
        """
        return ops.hsplit(self, indices_or_sections)

    def vsplit(self, indices_or_sections: Any) -> Any:
        """See `ops.vsplit`.

        >>> x, y = Tensor([[1, 2], [3, 4]]).vsplit(2)
        >>> print(x, y)
        [[1 2]] [[3 4]]
        """
        return ops.vsplit(self, indices_or_sections)

    def dsplit(self, indices_or_sections: Any) -> Any:
        """See `ops.dsplit`.

        >>> x, y = ops.ones((1, 2, 4)).dsplit(2)
        >>> print(x.shape, y.shape)
        (1, 2, 2) (1, 2, 2)
        """
        return ops.dsplit(self, indices_or_sections)

    def chunk(self, chunks: int, dim: int = 0, *, axis: int | None = None) -> Any:
        """See `ops.chunk`.

        >>> x, y = Tensor([1, 2, 3, 4]).chunk(2)
        >>> print(x, y)
        [1 2] [3 4]
        """
        return ops.chunk(self, chunks, dim if axis is None else axis)

    def unbind(self, dim: int = 0) -> Any:
        """See `ops.unbind`.

        >>> x, y = Tensor([[1, 2], [3, 4]]).unbind()
        >>> print(x, y)
        [1 2] [3 4]
        """
        return ops.unbind(self, dim)

    def narrow(self, axis: int, start: Any, length: int) -> Tensor:
        """See `ops.narrow`.

        >>> print(Tensor([1, 2, 3, 4]).narrow(0, 1, 2))
        [2 3]
        """
        return ops.narrow(self, axis, start, length)

    # --- repetition and arrangement -----------------------------------------------------------

    def tile(self, *numbers: Any, dims: Any = None, reps: Any = None) -> Tensor:
        """See `ops.tile`; the numbers may be given as several ints, one tuple, `dims` or `reps`.

        >>> print(Tensor([1, 2]).tile((2, 2)))
        [[1 2 1 2]
         [1 2 1 2]]
        """
        named = dims if reps is None else reps
        return ops.tile(self, _varargs(numbers if named is None else (named,)))

    def repeat(self, *repeats: Any) -> Tensor:
        """The tensor repeated ``repeats[i]`` times along dimension i, of which there may be more
        than the tensor has; see `ops.tile`.

        Raises:
            RuntimeError: fewer numbers than dimensions.
            TypeError: numbers that are not ints.

        >>> print(Tensor([1, 2]).repeat(2))
        [1 2 1 2]
        """
        return ops.arrangement.repeat_dims(self, _varargs(repeats))

    def repeat_interleave(self, repeats: Any, dim: int | None = None) -> Tensor:
        """See `ops.repeat_interleave`.

        >>> print(Tensor([[1, 2], [3, 4]]).repeat_interleave(2, 0))
        [[1 2]
         [1 2]
         [3 4]
         [3 4]]
        """
        return ops.repeat_interleave(self, repeats, dim)

    def roll(self, shifts: Any, dims: Any = None) -> Tensor:
        """See `ops.roll`.

        >>> print(Tensor([1, 2, 3, 4]).roll(1))
        [4 1 2 3]
        """
        return ops.roll(self, shifts, dims)

    def flip(self, dims: Any) -> Tensor:
        """See `ops.flip`.

        >>> print(Tensor([1.0, 2.0]).flip((0,)))
        [2. 1.]
        """
        return ops.flip(self, dims)

    def fliplr(self) -> Tensor:
        """See `ops.fliplr`.

        >>> print(Tensor([[1, 2], [3, 4]]).fliplr())
        [[2 1]
         [4 3]]
        """
        return ops.fliplr(self)

    def flipud(self) -> Tensor:
        """See `ops.flipud`.

        >>> print(Tensor([[1, 2], [3, 4]]).flipud())
        [[3 4]
         [1 2]]
        """
        return ops.flipud(self)

    def reverse(self, axis: Any) -> Tensor:
        """See `ops.flip`.

        >>> print(Tensor([[1, 2, 3], [4, 5, 6]]).reverse([1]))
        [[3 2 1]
         [6 5 4]]
        """
        return ops.flip(self, axis)

    def rot90(self, k: int, dims: Any) -> Tensor:
        """See `ops.rot90`.

        >>> print(Tensor([[1, 2], [3, 4]]).rot90(1, [0, 1]))
        [[2 4]
         [1 3]]
        """
        return ops.rot90(self, k, dims)

    # --- diagonals ----------------------------------------------------------------------------

    def tril(self, diagonal: int = 0) -> Tensor:
        """See `ops.tril`.

        >>> print(ops.ones((2, 2)).tril())
        [[1. 0.]
         [1. 1.]]
        """
        return ops.tril(self, diagonal)

    def triu(self, diagonal: int = 0) -> Tensor:
        """See `ops.triu`.

        >>> print(Tensor([[1, 2], [3, 4]]).triu())
        [[1 2]
         [0 4]]
        """
        return ops.triu(self, diagonal)

    def diag(self) -> Tensor:
        """See `ops.diag`.

        >>> print(Tensor([1, 2]).diag())
        [[1 0]
         [0 2]]
        """
        return ops.diag(self)

    def diagflat(self, offset: int = 0) -> Tensor:
        """See `ops.diagflat`.

        >>> print(Tensor([[1, 2], [3, 4]]).diagflat().shape)
        (4, 4)
        """
        return ops.diagflat(self, offset)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
        """See `ops.diagonal`.

        >>> print(Tensor([[1, 2], [3, 4]]).diagonal())
        [1 4]
        """
        return ops.diagonal(self, offset, axis1, axis2)

    def diagonal_scatter(
        self, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
    ) -> Tensor:
        """See `ops.diagonal_scatter`.

        >>> print(Tensor([[1, 2], [3, 4]]).diagonal_scatter(Tensor([0, 0])))
        [[0 2]
         [3 0]]
        """
        return ops.diagonal_scatter(self, src, offset, dim1, dim2)
