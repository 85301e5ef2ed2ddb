"""Convolution layers, plain and transposed."""

from __future__ import annotations

import math
from typing import Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Dims, InitLike, PaddingLike
from cellgrad.core.arguments import argument_error, check_bool, check_shape
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.initializer import HeUniform, Uniform, initializer
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell
from cellgrad.ops import convolutions
from cellgrad.ops._sliding import check_rank, pad_mode_of, pairs, per_dim
from cellgrad.ops.classes.window import check_format, transpose_by_mode

__all__ = [
    "Conv1d",
    "Conv1dTranspose",
    "Conv2d",
    "Conv2dTranspose",
    "Conv3d",
    "Conv3dTranspose",
]


class _Conv(Cell):
    """The Parameters and checked arguments of a convolution over `dims` dimensions."""

    # Dimensions of size 1 that the weight has before those of the window.
    height: tuple[int, ...] = ()

    def __init__(
        self,
        dims: int,
        in_channels: int,
        out_channels: int,
        kernel_size: Dims,
        stride: Dims,
        pad_mode: str,
        padding: PaddingLike,
        dilation: Dims,
        group: int,
        has_bias: bool,
        weight_init: InitLike | None,
        bias_init: InitLike | None,
        dtype: Type | None,
        transposed: bool = False,
    ):
        super().__init__()
        dtype = mstype.or_default(dtype)
        name = self.cls_name
        self.in_channels = per_dim(in_channels, 1, name, "in_channels")[0]
        self.out_channels = per_dim(out_channels, 1, name, "out_channels")[0]
        self.kernel_size = per_dim(kernel_size, dims, name, "kernel_size")
        self.stride = per_dim(stride, dims, name, "stride")
        self.pad_mode = pad_mode_of(pad_mode, name)
        self.padding = padding
        self.pads = pairs(padding, dims, name, "padding")
        if self.pad_mode != "pad" and any(p != (0, 0) for p in self.pads):
            wanted = "zero when 'pad_mode' is not 'pad'"
            raise argument_error(
                ValueError, name, "padding", wanted, padding, "write pad_mode='pad'"
            )
        self.dilation = per_dim(dilation, dims, name, "dilation")
        self.group = per_dim(group, 1, name, "group")[0]
        for what, channels in (("in", self.in_channels), ("out", self.out_channels)):
            if channels % self.group:
                raise error(
                    ValueError,
                    f"For '{name}', the '{what}_channels' must be divisible by 'group', but got "
                    f"{channels} and {self.group}.",
                )
        self.has_bias = check_bool(has_bias, name, "has_bias")
        first, second = self.out_channels, self.in_channels // self.group
        if transposed:
            first, second = self.in_channels, self.out_channels // self.group
        shape = (first, second, *self.kernel_size)
        self.weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        weight = _initial(self.weight_init, shape, dtype, "weight", name)
        if self.height:
            weight = weight.reshape((first, second, *self.height, *self.kernel_size))
        self.weight = Parameter(weight, name="weight")
        self.bias_init = bias_init
        self.bias: Parameter | None = None
        if has_bias:
            if bias_init is None:
                self.bias_init = Uniform(1 / math.sqrt(second * math.prod(self.kernel_size)))
            bias = _initial(self.bias_init, (self.out_channels,), dtype, "bias", name)
            self.bias = Parameter(bias, name="bias")

    def _window(self) -> Tensor:
        """The weight without its dimensions of size 1."""
        weight: Tensor = self.weight
        if self.height:
            weight = ops.reshape(weight, (*weight.shape[:2], *self.kernel_size))
        return weight

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
            f"padding={self.padding}, dilation={self.dilation}, group={self.group}, "
            f"has_bias={self.has_bias}, weight_init={self.weight_init}, "
            f"bias_init={self.bias_init}"
        )


def _initial(init: Any, shape: tuple[int, ...], dtype: Type, name: str, owner: str) -> Tensor:
    if isinstance(init, Tensor):
        check_shape(init, owner, f"{name}_init", shape)
    return Tensor(initializer(init, shape, dtype), dtype)


class _Forward(_Conv):
    def construct(self, x: Tensor) -> Tensor:
        dims = len(self.kernel_size)
        function = (convolutions.conv1d, convolutions.conv2d, convolutions.conv3d)[dims - 1]
        x = check_rank(x, (dims + 2,), self.cls_name, "x")
        pads = tuple(p for pair in self.pads for p in pair)
        weight = self._window()
        return function(
            x, weight, self.bias, self.stride, self.pad_mode, pads, self.dilation, self.group
        )


class Conv1d(_Forward):
    """A convolution of sequences: [N, in_channels, L] to [N, out_channels, L'].

    Args:
        in_channels: the channels of the input.
        out_channels: the filters, that is, the channels of the output.
        kernel_size: elements of a window.
        stride: distance of two windows.
        pad_mode: 'same' (ceil(L / stride) windows), 'valid' (only whole ones) or 'pad'.
        padding: zeros around the input in mode 'pad'; an int, or (before, after) each dimension.
        dilation: distance of two elements of a window.
        group: groups of channels with filters of their own.
        has_bias: whether there is a bias.
        weight_init: a Tensor of shape (out_channels, in_channels / group, kernel_size), an
            initializer, its name, or a number; by default `HeUniform(sqrt(5))`.
        bias_init: a Tensor of shape (out_channels,), an initializer, its name, or a number; by
            default uniform on ±1/sqrt(elements of a filter).
        dtype: the dtype of the Parameters.

    As in MindSpore, the Parameter `weight` is that of a convolution of images of height 1: its shape
    is (out_channels, in_channels / group, 1, kernel_size).

    Raises:
        TypeError, ValueError: arguments of a wrong type, or that do not fit each other.

    >>> nn.Conv1d(3, 8, 3)(ops.ones((1, 3, 16))).shape
    (1, 8, 16)
    """

    height: tuple[int, ...] = (1,)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Dims,
        stride: Dims = 1,
        pad_mode: str = "same",
        padding: PaddingLike = 0,
        dilation: Dims = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: InitLike | None = None,
        bias_init: InitLike | None = None,
        dtype: Type | None = None,
    ):
        super().__init__(
            1,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
            dtype,
        )


class Conv2d(_Forward):
    """A convolution of images: [N, in_channels, H, W] to [N, out_channels, H', W'].

    `kernel_size`, `stride` and `dilation` are ints or (height, width), `padding` an int or (top,
    bottom, left, right). Else as `Conv1d`.

    Raises:
        TypeError, ValueError: arguments of a wrong type, or that do not fit each other.

    >>> nn.Conv2d(3, 8, 3)(ops.ones((1, 3, 16, 16))).shape
    (1, 8, 16, 16)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Dims,
        stride: Dims = 1,
        pad_mode: str = "same",
        padding: PaddingLike = 0,
        dilation: Dims = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: InitLike | None = None,
        bias_init: InitLike | None = None,
        data_format: str = "NCHW",
        dtype: Type | None = None,
    ):
        check_format(data_format, "NCHW", "Conv2d")
        super().__init__(
            2,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
            dtype,
        )


class Conv3d(_Forward):
    """A convolution of volumes: [N, in_channels, D, H, W] to [N, out_channels, D', H', W'].

    `kernel_size`, `stride` and `dilation` are ints or (depth, height, width), `padding` an int or
    (head, tail, top, bottom, left, right). Else as `Conv1d`.

    Raises:
        TypeError, ValueError: arguments of a wrong type, or that do not fit each other.

    >>> layer = nn.Conv3d(3, 4, kernel_size=3)
    >>> print(layer(ops.ones((1, 3, 5, 5, 5))).shape)
    (1, 4, 5, 5, 5)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Dims,
        stride: Dims = 1,
        pad_mode: str = "same",
        padding: PaddingLike = 0,
        dilation: Dims = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: InitLike | None = None,
        bias_init: InitLike | None = None,
        data_format: str = "NCDHW",
        dtype: Type | None = None,
    ):
        check_format(data_format, "NCDHW", "Conv3d")
        super().__init__(
            3,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
            dtype,
        )


class _Transposed(_Conv):
    def _set_output_padding(self, output_padding: Any) -> None:
        name = self.cls_name
        extra = per_dim(output_padding, len(self.stride), name, "output_padding", 0)
        for e, s, d in zip(extra, self.stride, self.dilation, strict=True):
            if e >= max(s, d):
                wanted = "less than the stride or the dilation"
                raise argument_error(ValueError, name, "output_padding", wanted, output_padding)
        if self.pad_mode != "pad" and any(extra):
            wanted = "zero when 'pad_mode' is not 'pad'"
            raise argument_error(ValueError, name, "output_padding", wanted, output_padding)
        self.output_padding = extra

    def _transposed(self, x: Tensor, output_padding: tuple[int, ...]) -> Tensor:
        return transpose_by_mode(
            self.cls_name,
            x,
            self._window(),
            self.bias,
            self.group,
            self.stride,
            self.pad_mode,
            self.pads,
            output_padding,
            self.dilation,
        )

    def construct(self, x: Tensor) -> Tensor:
        return self._transposed(x, self.output_padding)


class Conv1dTranspose(_Transposed):
    """A transposed convolution of sequences: [N, in_channels, L] to [N, out_channels, L'].

    In mode 'same' L' is L * stride, in mode 'valid' L * stride + max(span - stride, 0) with
    span = dilation * (kernel_size - 1) + 1, in mode 'pad' (L - 1) * stride + span - padding on both
    sides. `weight_init` has shape (in_channels, out_channels / group, kernel_size), the Parameter a 1
    before the last dimension. Else as `Conv1d`.

    Raises:
        TypeError, ValueError: arguments of a wrong type, or that do not fit each other.

    >>> layer = nn.Conv1dTranspose(3, 4, kernel_size=2, stride=2)
    >>> print(layer(ops.ones((1, 3, 5))).shape)
    (1, 4, 10)
    """

    height: tuple[int, ...] = (1,)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Dims,
        stride: Dims = 1,
        pad_mode: str = "same",
        padding: PaddingLike = 0,
        dilation: Dims = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: InitLike | None = None,
        bias_init: InitLike | None = None,
        dtype: Type | None = None,
    ):
        super().__init__(
            1,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
            dtype,
            transposed=True,
        )
        self._set_output_padding(0)


class Conv2dTranspose(_Transposed):
    """A transposed convolution of images; see `Conv1dTranspose` and `Conv2d`. In mode 'pad', the
    result is followed by `output_padding` rows and columns of zeros, as MindSpore has it.

    Raises:
        TypeError, ValueError: arguments of a wrong type, or that do not fit each other.

    >>> layer = nn.Conv2dTranspose(3, 4, kernel_size=2, stride=2)
    >>> print(layer(ops.ones((1, 3, 5, 5))).shape)
    (1, 4, 10, 10)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Dims,
        stride: Dims = 1,
        pad_mode: str = "same",
        padding: PaddingLike = 0,
        output_padding: Dims = 0,
        dilation: Dims = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: InitLike | None = None,
        bias_init: InitLike | None = None,
        dtype: Type | None = None,
    ):
        super().__init__(
            2,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
            dtype,
            transposed=True,
        )
        self._set_output_padding(output_padding)

    def construct(self, x: Tensor) -> Tensor:
        below, right = self.output_padding
        y = self._transposed(x, (0, 0))
        return ops.pad(y, (0, right, 0, below)) if below or right else y


class Conv3dTranspose(_Transposed):
    """A transposed convolution of volumes; see `Conv2dTranspose` and `Conv3d`.

    Raises:
        TypeError, ValueError: arguments of a wrong type, or that do not fit each other.

    >>> layer = nn.Conv3dTranspose(3, 4, kernel_size=2, stride=2)
    >>> print(layer(ops.ones((1, 3, 5, 5, 5))).shape)
    (1, 4, 10, 10, 10)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Dims,
        stride: Dims = 1,
        pad_mode: str = "same",
        padding: PaddingLike = 0,
        dilation: Dims = 1,
        group: int = 1,
        output_padding: Dims = 0,
        has_bias: bool = False,
        weight_init: InitLike | None = None,
        bias_init: InitLike | None = None,
        data_format: str = "NCDHW",
        dtype: Type | None = None,
    ):
        check_format(data_format, "NCDHW", "Conv3dTranspose")
        super().__init__(
            3,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
            dtype,
            transposed=True,
        )
        self._set_output_padding(output_padding)
