"""Class forms of operations on shapes: ``ops.Split(axis=1, output_num=2)(x)``."""

from __future__ import annotations

import math
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Axis, Dims, PaddingLike, ShapeLike, TensorLike
from cellgrad.core.arguments import argument_error
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import as_tensor, axis_of, check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import elements
from cellgrad.ops import arrangement, creation, diagonals, indexing, joining
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops._static import is_int, known_ints
from cellgrad.ops.padding import pad, padded


@public()
class ReverseV2(Primitive):
    """See `ops.flip`.

    >>> print(ops.ReverseV2([1])(Tensor([[1, 2], [3, 4]])))
    [[2 1]
     [4 3]]

    Raises:
        TypeError: an axis that is no int, tuple or list.
    """

    def __init__(self, axis: Axis):
        super().__init__()
        if not is_int(axis) and not isinstance(axis, tuple | list):
            raise argument_error(TypeError, "ReverseV2", "axis", "an int, tuple or list", axis)
        self.axis = (axis,) if is_int(axis) else axis

    def __call__(self, input: Tensor) -> Tensor:
        out: Tensor = arrangement.flip(input, self.axis)
        return out


class _Blocks(Primitive):
    def __init__(self, block_size: int):
        super().__init__()
        name = type(self).__name__
        if not is_int(block_size):
            raise error(
                TypeError,
                f"For '{name}', 'block_size' must be an int, but got {type(block_size).__name__}.",
            )
        if block_size < 2:
            raise error(
                ValueError, f"For '{name}', 'block_size' must be at least 2, but got {block_size}."
            )
        self.block_size = int(block_size)

    def _checked(self, input_x: Tensor, units: tuple[int, ...]) -> Tensor:
        x = check_tensor(input_x, type(self).__name__, "input_x")
        if x.ndim != 4 or any(n % unit for n, unit in zip(x.shape, units, strict=True)):
            raise error(
                ValueError,
                f"For '{type(self).__name__}', the input must have 4 dimensions that {units} "
                f"divide, but has shape {list(x.shape)}.",
            )
        return x


@public()
class SpaceToDepth(_Blocks):
    """Blocks of pixels as channels: (N, C, H b, W b) becomes (N, C b b, H, W), the place in the
    block being the outer part of the channel.

    >>> print(ops.SpaceToDepth(2)(ops.arange(4.0).reshape(1, 1, 2, 2)).flatten())
    [0. 1. 2. 3.]
    """

    def __call__(self, input_x: Tensor) -> Tensor:
        b = self.block_size
        out: Tensor = arrangement.space_to_depth(self._checked(input_x, (1, 1, b, b)), b)
        return out


@public()
class DepthToSpace(_Blocks):
    """Channels as blocks of pixels, the inverse of `SpaceToDepth`.

    >>> print(ops.DepthToSpace(2)(ops.arange(4.0).reshape(1, 4, 1, 1)))
    [[[[0. 1.]
       [2. 3.]]]]
    """

    def __call__(self, input_x: Tensor) -> Tensor:
        b = self.block_size
        out: Tensor = arrangement.depth_to_space(self._checked(input_x, (1, b * b, 1, 1)), b)
        return out


# --- joining and splitting --------------------------------------------------------------------


@public()
class Split(Primitive):
    """`output_num` pieces of one length along a dimension.

    >>> x, y = ops.Split(axis=0, output_num=2)(Tensor([1, 2, 3, 4]))
    >>> print(x, y)
    [1 2] [3 4]
    """

    def __init__(self, axis: int = 0, output_num: int = 1):
        super().__init__()
        if not is_int(output_num):
            raise error(
                TypeError,
                f"For 'Split', 'output_num' must be an int, but got {type(output_num).__name__}.",
            )
        self.axis, self.output_num = axis, output_num

    def __call__(self, input_x: Tensor) -> tuple[Tensor, ...]:
        x = check_tensor(input_x, "Split", "input_x")
        n = x.shape[axis_of(self.axis, x.ndim, "Split")]
        if self.output_num < 1 or n % self.output_num:
            raise error(
                ValueError,
                f"For 'Split', dimension {self.axis} of shape {list(x.shape)} must be divisible by "
                f"output_num = {self.output_num}.",
            )
        out: tuple[Tensor, ...] = joining.tensor_split(x, self.output_num, self.axis)
        return out


@public()
class SplitV(Primitive):
    """`num_split` pieces of the given lengths, of which one may be -1, along a dimension.

    >>> x, y = ops.SplitV([1, -1], 0, 2)(Tensor([1, 2, 3, 4], ms.int32))
    >>> print(x, y)
    [1] [2 3 4]
    """

    def __init__(self, size_splits: Dims, split_dim: int, num_split: int):
        super().__init__()
        self.sizes = known_ints(size_splits, "SplitV", "size_splits")
        if len(self.sizes) != num_split or self.sizes.count(-1) > 1:
            raise error(
                ValueError,
                f"For 'SplitV', 'size_splits' must have 'num_split', {num_split}, elements, of "
                f"which one at most is -1, but got {list(self.sizes)}.",
            )
        self.split_dim = split_dim

    def __call__(self, input_x: Tensor) -> tuple[Tensor, ...]:
        x = check_tensor(input_x, "SplitV", "input_x")
        n = x.shape[axis_of(self.split_dim, x.ndim, "SplitV")]
        rest = n - sum(k for k in self.sizes if k != -1)
        sizes = [rest if k == -1 else k for k in self.sizes]
        out: tuple[Tensor, ...] = joining.split(x, sizes, self.split_dim)
        return out


@public()
class StridedSlice(Primitive):
    """See `ops.strided_slice`.

    >>> print(ops.StridedSlice()(Tensor([[1, 2, 3], [4, 5, 6]]), (0, 0), (2, 3), (1, 2)))
    [[1 3]
     [4 6]]
    """

    def __init__(
        self,
        begin_mask: int = 0,
        end_mask: int = 0,
        ellipsis_mask: int = 0,
        new_axis_mask: int = 0,
        shrink_axis_mask: int = 0,
    ):
        super().__init__()
        self.masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)

    def __call__(self, input_x: Tensor, begin: Dims, end: Dims, strides: Dims) -> Tensor:
        return indexing.strided_slice(input_x, begin, end, strides, *self.masks)


# --- padding ----------------------------------------------------------------------------------


def _pairs(paddings: Any, rank: int, op: str) -> list[tuple[int, int]]:
    """A pair (before, after) for each dimension."""
    if isinstance(paddings, Tensor):
        paddings = elements(paddings, f"'paddings' of {op}").tolist()
    pairs = [known_ints(p, op, "paddings") for p in paddings]
    if len(pairs) != rank or any(len(p) != 2 for p in pairs):
        raise error(
            ValueError,
            f"For '{op}', 'paddings' must be a pair for each of the {rank} dimensions, but got "
            f"{pairs}.",
        )
    if min(min(p) for p in pairs) < 0:
        raise error(
            ValueError,
            f"For '{op}', all elements of 'paddings' must be >= 0, but got {pairs}.",
            "x[1:-1] and the like leave elements out, and ops.pad takes numbers below 0",
        )
    return [(p[0], p[1]) for p in pairs]


@public()
class Pad(Primitive):
    """Zeros before and after the elements of each dimension, ``paddings[i]`` of dimension i.

    Raises:
        TypeError: `paddings` is no tuple of pairs of ints.
        ValueError: another number of pairs than of dimensions, or an int below 0.

    >>> print(ops.Pad(((1, 2),))(Tensor([1.0, 2.0])))
    [0. 1. 2. 0. 0.]
    """

    def __init__(self, paddings: PaddingLike):
        super().__init__()
        if not isinstance(paddings, tuple):
            raise error(TypeError, f"For 'Pad', 'paddings' must be a tuple, but got {paddings!r}.")
        self.paddings = paddings

    def __call__(self, input_x: Tensor) -> Tensor:
        x = check_tensor(input_x, "Pad", "input_x")
        out: Tensor = padded(x, _pairs(self.paddings, x.ndim, "Pad"), "constant", None)
        return out


@public()
class MirrorPad(Primitive):
    """Elements mirrored at the edges, with (``"SYMMETRIC"``) or without (``"REFLECT"``) the one at
    the edge; ``paddings[i]`` is (before, after) of dimension i.

    >>> print(ops.MirrorPad()(Tensor([1, 2, 3]), Tensor([[1, 1]])))
    [2 1 2 3 2]
    """

    def __init__(self, mode: str = "REFLECT"):
        super().__init__()
        if mode not in ("REFLECT", "SYMMETRIC"):
            raise error(
                ValueError,
                f"For 'MirrorPad', 'mode' must be 'REFLECT' or 'SYMMETRIC', but got {mode!r}.",
            )
        self.mode = mode

    def __call__(self, input_x: Tensor, paddings: PaddingLike | Tensor) -> Tensor:
        x = check_tensor(input_x, "MirrorPad", "input_x")
        amounts = _pairs(paddings, x.ndim, "MirrorPad")
        out: Tensor = padded(x, amounts, self.mode.lower(), None)
        return out


@public()
class PadV3(Primitive):
    """See `ops.pad`; the modes are ``"constant"``, ``"reflect"``, ``"edge"`` and ``"circular"``.

    Without `paddings_contiguous`, all amounts before come first, then all after.

    >>> print(ops.PadV3()(Tensor([1.0, 2.0]), (1, 2), 9.0))
    [9. 1. 2. 9. 9.]
    """

    def __init__(self, mode: str = "constant", paddings_contiguous: bool = True):
        super().__init__()
        if mode not in ("constant", "reflect", "edge", "circular"):
            raise error(
                ValueError,
                f"For 'PadV3', 'mode' must be one of 'constant', 'reflect', 'edge' and 'circular', "
                f"but got {mode!r}.",
            )
        self.mode = "replicate" if mode == "edge" else mode
        self.paddings_contiguous = paddings_contiguous

    def __call__(
        self, x: Tensor, paddings: PaddingLike, constant_value: TensorLike | None = None
    ) -> Tensor:
        amounts = list(known_ints(paddings, "PadV3", "paddings"))
        if not self.paddings_contiguous:
            half = len(amounts) // 2
            amounts = [n for pair in zip(amounts[:half], amounts[half:]) for n in pair]
        return pad(x, amounts, self.mode, constant_value)


# --- diagonals, one-hot -----------------------------------------------------------------------


class _Triangle(Primitive):
    def __init__(self, diagonal: int = 0):
        super().__init__()
        if not is_int(diagonal):
            raise error(
                TypeError,
                f"For '{type(self).__name__}', 'diagonal' must be an int, but got "
                f"{type(diagonal).__name__}.",
            )
        self.diagonal = diagonal


@public()
class Tril(_Triangle):
    """See `ops.tril`.

    >>> print(ops.Tril()(Tensor([[1, 2], [3, 4]])))
    [[1 0]
     [3 4]]
    """

    def __call__(self, input: Tensor) -> Tensor:
        out: Tensor = diagonals.tril(input, self.diagonal)
        return out


@public()
class Triu(_Triangle):
    """See `ops.triu`.

    >>> print(ops.Triu()(Tensor([[1, 2], [3, 4]])))
    [[1 2]
     [0 4]]
    """

    def __call__(self, input: Tensor) -> Tensor:
        out: Tensor = diagonals.triu(input, self.diagonal)
        return out


@public()
class DiagPart(Primitive):
    """The elements (i..., i...) of a tensor of twice as many dimensions: the inverse of `Diag`.

    >>> print(ops.DiagPart()(Tensor([[1, 2], [3, 4]])))
    [1 4]
    """

    def __call__(self, input_x: Tensor) -> Tensor:
        x = check_tensor(input_x, "DiagPart", "input_x")
        half = x.ndim // 2
        if not x.ndim or x.ndim % 2 or x.shape[:half] != x.shape[half:]:
            raise error(
                ValueError,
                f"For 'DiagPart', the shape must be one shape twice, but got {list(x.shape)}.",
            )
        n = math.prod(x.shape[:half])
        return diagonals.diagonal(x.reshape(n, n)).reshape(x.shape[:half])


# --- creation ---------------------------------------------------------------------------------


@public()
class FillV2(Primitive):
    """A tensor with all elements equal to a tensor of one element.

    >>> print(ops.FillV2()((2,), Tensor(3.0)))
    [3. 3.]
    """

    def __call__(self, shape: ShapeLike, value: TensorLike) -> Tensor:
        x = as_tensor(value, "FillV2")
        return x.reshape(()).broadcast_to(known_ints(shape, "FillV2", "shape"))


@public()
class TrilIndices(Primitive):
    """See `ops.tril_indices`.

    >>> print(ops.TrilIndices(2, 3)())
    [[0 1 1]
     [0 0 1]]
    """

    def __init__(self, row: int, col: int, offset: int = 0, dtype: Type = mstype.int32):
        super().__init__()
        self.bounds, self.dtype = (row, col, offset), dtype

    def __call__(self) -> Tensor:
        return creation.tril_indices(*self.bounds, dtype=self.dtype)


@public()
class TriuIndices(Primitive):
    """See `ops.triu_indices`.

    >>> print(ops.TriuIndices(2, 3)())
    [[0 0 0 1 1]
     [0 1 2 1 2]]
    """

    def __init__(self, row: int, col: int, offset: int = 0, dtype: Type = mstype.int32):
        super().__init__()
        self.bounds, self.dtype = (row, col, offset), dtype

    def __call__(self) -> Tensor:
        return creation.triu_indices(*self.bounds, dtype=self.dtype)
