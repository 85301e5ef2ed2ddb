"""Layers that arrange elements: padding, blocks of pixels."""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad._errors import error
from cellgrad.common import dtype as mstype
from cellgrad.common.dtype import Type
from cellgrad.common.tensor import Tensor
from cellgrad.nn.cell import Cell
from cellgrad.ops._static import is_int, known_ints

__all__ = [
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Flatten",
    "Identity",
    "OneHot",
    "Pad",
    "PixelShuffle",
    "PixelUnshuffle",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "Roll",
    "Unflatten",
    "ZeroPad2d",
]


class OneHot(Cell):
    """One-hot vectors of length `depth`; see `ops.one_hot`."""

    def __init__(
        self,
        axis: int = -1,
        depth: int = 1,
        on_value: float = 1.0,
        off_value: float = 0.0,
        dtype: Type = mstype.float32,
    ):
        super().__init__()
        self.axis, self.depth = axis, depth
        self.on_value, self.off_value, self.dtype = on_value, off_value, dtype

    def construct(self, indices: Tensor) -> Tensor:
        on, off = Tensor(self.on_value, self.dtype), Tensor(self.off_value, self.dtype)
        return ops.one_hot(indices, self.depth, on, off, self.axis)


class Flatten(Cell):
    """Dimensions joined, by default all but the first; see `ops.flatten`."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x: Tensor) -> Tensor:
        return ops.flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)


class Identity(Cell):
    """The input itself; any arguments of the layer are ignored."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__()

    def construct(self, input: Any) -> Any:
        return input


class Roll(Cell):
    """Elements moved along dimensions; see `ops.roll`."""

    def __init__(self, shift: Any, axis: Any):
        super().__init__()
        self.shift, self.axis = shift, axis

    def construct(self, input_x: Tensor) -> Tensor:
        return ops.roll(input_x, self.shift, self.axis)


class Unflatten(Cell):
    """A dimension split into several, as `unflattened_size` says.

    Raises:
        TypeError: `axis` is not an int, or `unflattened_size` not a tuple or list.
    """

    def __init__(self, axis: int, unflattened_size: Any):
        super().__init__()
        if not is_int(axis):
            raise error(
                TypeError,
                f"For 'Unflatten', the 'axis' must be an int, but got {type(axis).__name__}.",
            )
        self.axis = axis
        self.unflattened_size = known_ints(unflattened_size, "Unflatten", "unflattened_size")

    def construct(self, input_x: Tensor) -> Tensor:
        after = () if self.axis == -1 else input_x.shape[self.axis + 1 :]
        return ops.reshape(input_x, (*input_x.shape[: self.axis], *self.unflattened_size, *after))


class PixelShuffle(Cell):
    """Channels as finer pixels; see `ops.pixel_shuffle`."""

    def __init__(self, upscale_factor: int):
        super().__init__()
        self.upscale_factor = upscale_factor

    def construct(self, input: Tensor) -> Tensor:
        return ops.pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Cell):
    """Pixels as channels; see `ops.pixel_unshuffle`."""

    def __init__(self, downscale_factor: int):
        super().__init__()
        self.downscale_factor = downscale_factor

    def construct(self, input: Tensor) -> Tensor:
        return ops.pixel_unshuffle(input, self.downscale_factor)


# --- padding ----------------------------------------------------------------------------------


class Pad(Cell):
    """Elements before and after those of each dimension, ``paddings[i]`` of dimension i: zeros
    (``"CONSTANT"``), or mirrored without (``"REFLECT"``) or with (``"SYMMETRIC"``) the one at the edge.

    Raises:
        TypeError: `paddings` is not a tuple.
        ValueError: another mode.
    """

    def __init__(self, paddings: Any, mode: str = "CONSTANT"):
        super().__init__()
        if mode not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
            raise error(
                ValueError,
                f"For 'Pad', the 'mode' must be 'CONSTANT', 'REFLECT' or 'SYMMETRIC', but got "
                f"{mode!r}.",
            )
        if not isinstance(paddings, tuple):
            raise error(
                TypeError, f"For 'Pad', the 'paddings' must be a tuple, but got {paddings!r}."
            )
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
    """

    dims = 1
    mode = "constant"

    def __init__(self, padding: Any):
        super().__init__()
        whole = (padding,) * (2 * self.dims) if is_int(padding) else padding
        self.padding = known_ints(whole, self.cls_name, "padding")
        self.value: Any = None

    def construct(self, x: Tensor) -> Tensor:
        return ops.pad(x, self.padding, self.mode, self.value)


class _ConstantPadNd(_PadNd):
    def __init__(self, padding: Any, value: float):
        super().__init__(padding)
        self.value = value


class ConstantPad1d(_ConstantPadNd):
    """A number before and after the last dimension; see `ops.pad`."""


class ConstantPad2d(_ConstantPadNd):
    """A number around the last two dimensions; see `ops.pad`."""

    dims = 2


class ConstantPad3d(_ConstantPadNd):
    """A number around the last three dimensions; see `ops.pad`."""

    dims = 3


class ZeroPad2d(_PadNd):
    """Zeros around the last two dimensions; see `ops.pad`."""

    dims = 2


class ReflectionPad1d(_PadNd):
    """Elements mirrored at the ends of the last dimension; see `ops.pad`."""

    mode = "reflect"


class ReflectionPad2d(ReflectionPad1d):
    """Elements mirrored around the last two dimensions; see `ops.pad`."""

    dims = 2


class ReflectionPad3d(ReflectionPad1d):
    """Elements mirrored around the last three dimensions; see `ops.pad`."""

    dims = 3


class ReplicationPad1d(_PadNd):
    """The elements at the ends of the last dimension repeated; see `ops.pad`."""

    mode = "replicate"


class ReplicationPad2d(ReplicationPad1d):
    """The elements around the last two dimensions repeated; see `ops.pad`."""

    dims = 2


class ReplicationPad3d(ReplicationPad1d):
    """The elements around the last three dimensions repeated; see `ops.pad`."""

    dims = 3
