"""Layers that look rows up, and layers that arrange elements: embedding, padding, blocks of pixels."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import InitLike, PaddingLike, ShapeLike
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_instance,
    check_int,
    check_one_of,
)
from cellgrad.core.dtype import Type
from cellgrad.core.initializer import initializer
from cellgrad.core.parameter import Parameter
from cellgrad.core.record import axis_of
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell
from cellgrad.ops._static import is_int, known_ints

T = TypeVar("T")

__all__ = [
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Embedding",
    "Flatten",
    "Identity",
    "OneHot",
    "Pad",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "Unflatten",
    "ZeroPad2d",
]


class Embedding(Cell):
    """A table of rows that indices pick.

    Args:
        vocab_size: the number of rows.
        embedding_size: their length.
        use_one_hot: whether rows are picked by a product with one-hot vectors; the numbers are the
            same.
        embedding_table: a Tensor of shape (vocab_size, embedding_size), an initializer, its name, or
            a number.
        dtype: the dtype of the one-hot vectors.
        padding_idx: a row that starts as zeros.

    Inputs:
        ids: integers, of any shape.

    Outputs:
        shape (*ids.shape, embedding_size).

    Raises:
        TypeError: arguments of a wrong type.
        ValueError: `padding_idx` out of range, or initial values of a wrong shape.
        IndexError: an id, known while compiling, that is not in [-vocab_size, vocab_size).

    >>> nn.Embedding(10, 4)(Tensor([1, 2, 3])).shape
    (3, 4)
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        use_one_hot: bool = False,
        embedding_table: InitLike = "normal",
        dtype: Type | None = None,
        padding_idx: int | None = None,
    ):
        super().__init__()
        vocab_size = check_int(vocab_size, "Embedding", "vocab_size")
        embedding_size = check_int(embedding_size, "Embedding", "embedding_size")
        check_bool(use_one_hot, "Embedding", "use_one_hot")
        self.vocab_size, self.embedding_size = vocab_size, embedding_size
        self.use_one_hot, self.dtype, self.padding_idx = (
            use_one_hot,
            mstype.or_default(dtype),
            padding_idx,
        )
        table = initializer(embedding_table, (vocab_size, embedding_size))
        if padding_idx is not None:
            if not is_int(padding_idx) or not 0 <= padding_idx < vocab_size:
                raise argument_error(
                    ValueError, "Embedding", "padding_idx", f"in [0, {vocab_size})", padding_idx
                )
            values = np.array(table.asnumpy())
            values[padding_idx] = 0
            table = Tensor(values)
        self.embedding_table = Parameter(table, name="embedding_table")

    def construct(self, ids: Tensor) -> Tensor:
        if not self.use_one_hot:
            return ops.gather(self.embedding_table, ids, 0)
        on, off = Tensor(1.0, self.dtype), Tensor(0.0, self.dtype)
        hot = ops.one_hot(ids.reshape(-1), self.vocab_size, on, off)
        rows = ops.matmul(hot, self.embedding_table)
        return rows.reshape(*ids.shape, self.embedding_size)

    def extend_repr(self) -> str:
        return (
            f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, "
            f"use_one_hot={self.use_one_hot}, embedding_table={self.embedding_table}, "
            f"dtype={self.dtype}, padding_idx={self.padding_idx}"
        )


class OneHot(Cell):
    """One-hot vectors of length `depth`; see `ops.one_hot`.

    >>> print(nn.OneHot(depth=3)(Tensor([0, 2], ms.int32)))
    [[1. 0. 0.]
     [0. 0. 1.]]
    """

    def __init__(
        self,
        axis: int = -1,
        depth: int = 1,
        on_value: float = 1.0,
        off_value: float = 0.0,
        dtype: Type | None = None,
    ):
        super().__init__()
        self.axis, self.depth = axis, depth
        self.on_value, self.off_value, self.dtype = on_value, off_value, mstype.or_default(dtype)

    def construct(self, indices: Tensor) -> Tensor:
        on, off = Tensor(self.on_value, self.dtype), Tensor(self.off_value, self.dtype)
        return ops.one_hot(indices, self.depth, on, off, self.axis)


class Flatten(Cell):
    """Dimensions joined, by default all but the first; see `ops.flatten`.

    Raises:
        TypeError: `start_dim` or `end_dim` is not an int.
        ValueError: the input does not have these dimensions.

    >>> nn.Flatten()(ops.ones((2, 3, 4))).shape
    (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x: Tensor) -> Tensor:
        for dim in (self.start_dim, self.end_dim):
            axis_of(dim, x.ndim, "Flatten")
        return ops.flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)


class Identity(Cell):
    """The input itself; any arguments of the layer are ignored.

    >>> print(nn.Identity()(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    def __init__(self, *args: object, **kwargs: object):
        super().__init__()

    def construct(self, input: T) -> T:
        return input


class Unflatten(Cell):
    """A dimension split into several, as `unflattened_size` says.

    Raises:
        TypeError: `axis` is not an int, or `unflattened_size` not a tuple or list.

    >>> print(nn.Unflatten(1, (2, 3))(ops.ones((4, 6))).shape)
    (4, 2, 3)
    """

    def __init__(self, axis: int, unflattened_size: ShapeLike):
        super().__init__()
        axis = check_int(axis, "Unflatten", "axis")
        self.axis = axis
        self.unflattened_size = known_ints(unflattened_size, "Unflatten", "unflattened_size")

    def construct(self, input_x: Tensor) -> Tensor:
        after = () if self.axis == -1 else input_x.shape[self.axis + 1 :]
        return ops.reshape(input_x, (*input_x.shape[: self.axis], *self.unflattened_size, *after))


# --- padding ----------------------------------------------------------------------------------


class Pad(Cell):
    """Elements before and after those of each dimension, ``paddings[i]`` of dimension i: zeros
    (``"CONSTANT"``), or mirrored without (``"REFLECT"``) or with (``"SYMMETRIC"``) the one at the edge.

    Raises:
        TypeError: `paddings` is not a tuple of tuples.
        ValueError: another mode, or a part of `paddings` that is no pair.

    >>> print(nn.Pad(paddings=((0, 0), (1, 2)))(Tensor([[1.0, 2.0]])))
    [[0. 1. 2. 0. 0.]]
    """

    def __init__(self, paddings: PaddingLike, mode: str = "CONSTANT"):
        super().__init__()
        check_one_of(mode, "Pad", "mode", ("CONSTANT", "REFLECT", "SYMMETRIC"))
        check_instance(paddings, "Pad", "paddings", tuple)
        for part in paddings:  # type: ignore[union-attr]
            if not isinstance(part, tuple | list):
                raise argument_error(TypeError, "Pad", "paddings", "a tuple of pairs", paddings)
            if len(part) != 2:
                raise argument_error(ValueError, "Pad", "paddings", "a tuple of pairs", paddings)
        self.paddings, self.mode = paddings, mode

    def construct(self, x: Tensor) -> Tensor:
        if self.mode == "CONSTANT":
            return ops.Pad(self.paddings)(x)
        return ops.MirrorPad(self.mode)(x, self.paddings)


class _PadNd(Cell):
    """Padding of the last dimensions: by one number all around, or by (before, after) of the last
    dimension, then of the one before it, and so on.

    Raises:
        TypeError: a padding that is neither an int nor a tuple of ints.
        ValueError: an odd number of them, or a negative one where elements are mirrored.
    """

    dims = 1
    mode = "constant"

    def __init__(self, padding: PaddingLike):
        super().__init__()
        whole = (padding,) * (2 * self.dims) if is_int(padding) else padding
        self.padding = known_ints(whole, self.cls_name, "padding")
        if len(self.padding) % 2:
            wanted = "(before, after) of each dimension, an even number of ints"
            raise argument_error(ValueError, self.cls_name, "padding", wanted, padding)
        if self.mode == "reflect" and min(self.padding, default=0) < 0:
            raise argument_error(
                ValueError, self.cls_name, "padding", "ints of at least 0", padding
            )
        self.value: Any = None

    def construct(self, x: Tensor) -> Tensor:
        return ops.pad(x, self.padding, self.mode, self.value)


class _ConstantPadNd(_PadNd):
    def __init__(self, padding: PaddingLike, value: float):
        super().__init__(padding)
        self.value = value


class ConstantPad1d(_ConstantPadNd):
    """A number before and after the last dimension; see `ops.pad`.

    >>> print(nn.ConstantPad1d((1, 2), 9.0)(Tensor([[1.0, 2.0]])))
    [[9. 1. 2. 9. 9.]]
    """


class ConstantPad2d(_ConstantPadNd):
    """A number around the last two dimensions; see `ops.pad`.

    >>> print(nn.ConstantPad2d((1, 0, 0, 1), 9.0)(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
    [[[[9. 1. 2.]
       [9. 3. 4.]
       [9. 9. 9.]]]]
    """

    dims = 2


class ConstantPad3d(_ConstantPadNd):
    """A number around the last three dimensions; see `ops.pad`.

    >>> print(nn.ConstantPad3d(1, 9.0)(ops.ones((1, 1, 2, 3, 4))).shape)
    (1, 1, 4, 5, 6)
    """

    dims = 3


class ZeroPad2d(_PadNd):
    """Zeros around the last two dimensions; see `ops.pad`.

    >>> print(nn.ZeroPad2d((1, 0, 0, 1))(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
    [[[[0. 1. 2.]
       [0. 3. 4.]
       [0. 0. 0.]]]]
    """

    dims = 2


class ReflectionPad1d(_PadNd):
    """Elements mirrored at the ends of the last dimension; see `ops.pad`.

    >>> print(nn.ReflectionPad1d(2)(Tensor([[1.0, 2.0, 3.0]])))
    [[3. 2. 1. 2. 3. 2. 1.]]
    """

    mode = "reflect"


class ReflectionPad2d(ReflectionPad1d):
    """Elements mirrored around the last two dimensions; see `ops.pad`.

    >>> print(nn.ReflectionPad2d((1, 0, 0, 1))(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
    [[[[2. 1. 2.]
       [4. 3. 4.]
       [2. 1. 2.]]]]
    """

    dims = 2


class ReflectionPad3d(ReflectionPad1d):
    """Elements mirrored around the last three dimensions; see `ops.pad`.

    >>> print(nn.ReflectionPad3d(1)(ops.ones((1, 1, 2, 3, 4))).shape)
    (1, 1, 4, 5, 6)
    """

    dims = 3


class ReplicationPad1d(_PadNd):
    """The elements at the ends of the last dimension repeated; see `ops.pad`.

    >>> print(nn.ReplicationPad1d(2)(Tensor([[[1.0, 2.0, 3.0]]])))
    [[[1. 1. 1. 2. 3. 3. 3.]]]
    """

    mode = "replicate"


class ReplicationPad2d(ReplicationPad1d):
    """The elements around the last two dimensions repeated; see `ops.pad`.

    >>> print(nn.ReplicationPad2d((1, 0, 0, 1))(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
    [[[[1. 1. 2.]
       [3. 3. 4.]
       [3. 3. 4.]]]]
    """

    dims = 2


class ReplicationPad3d(ReplicationPad1d):
    """The elements around the last three dimensions repeated; see `ops.pad`.

    >>> print(nn.ReplicationPad3d(1)(ops.ones((1, 1, 2, 3, 4))).shape)
    (1, 1, 4, 5, 6)
    """

    dims = 3
