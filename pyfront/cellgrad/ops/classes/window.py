"""Class forms of convolution and pooling: ``ops.MaxPool(2, 2)(x)``."""

from __future__ import annotations

from typing import Any

from cellgrad.core.aliases import Dims, PaddingLike, ShapeLike
from cellgrad.core.arguments import (
    check_dtype,
    check_int,
    check_ndim,
    check_same_dtype,
    check_shape,
)
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.ops import convolutions, pooling
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops._sliding import (
    check_rank,
    pad_mode_of,
    padding_of,
    pairs,
    per_dim,
)


def check_format(value: Any, wanted: str, op: str) -> None:
    """Refuses any order of dimensions but the one there is.

    Raises:
        ValueError: another one.
    """
    if value != wanted:
        raise error(
            ValueError,
            f"For '{op}', the 'data_format' must be '{wanted}' on the CPU, but got {value!r}.",
            "transpose the input",
        )


class _Conv(Primitive):
    _dims: int
    _format: str

    def __init__(
        self,
        out_channel: int,
        kernel_size: Dims,
        mode: int = 1,
        pad_mode: str = "valid",
        pad: PaddingLike = 0,
        stride: Dims = 1,
        dilation: Dims = 1,
        group: int = 1,
        data_format: str = "NCHW",
    ):
        super().__init__()
        op = type(self).__name__
        if mode != 1:
            raise error(
                ValueError,
                f"For '{op}', the 'mode' must be 1 (cross-correlation), but got {mode!r}.",
            )
        check_format(data_format, self._format, op)
        self.out_channel = per_dim(out_channel, 1, op, "out_channel")[0]
        self.kernel_size = per_dim(kernel_size, self._dims, op, "kernel_size")
        self.pad_mode = pad_mode_of(pad_mode, op)
        self.pad = pairs(pad, self._dims, op, "pad")
        self.stride = per_dim(stride, self._dims, op, "stride")
        self.dilation = per_dim(dilation, self._dims, op, "dilation")
        self.group = group

    def _check_weight(self, weight: Tensor, channels: int) -> Tensor:
        w = check_rank(weight, (self._dims + 2,), type(self).__name__, "weight")
        if w.shape[0] != channels or w.shape[2:] != self.kernel_size:
            raise error(
                ValueError,
                f"For '{type(self).__name__}', the weight must have {channels} in its first "
                f"dimension and the kernel size {self.kernel_size} in its last ones, but got shape "
                f"{list(w.shape)}.",
            )
        return w


class _ConvForward(_Conv):
    def __call__(self, x: Tensor, weight: Tensor) -> Tensor:
        function = (convolutions.conv2d, convolutions.conv3d)[self._dims - 2]
        pad = tuple(p for pair in self.pad for p in pair)
        w = self._check_weight(weight, self.out_channel)
        return function(x, w, None, self.stride, self.pad_mode, pad, self.dilation, self.group)


@public()
class Conv2D(_ConvForward):
    """See `ops.conv2d`; the kernel size and the number of filters are given beforehand.

    >>> x, weight = ops.ones((1, 2, 3, 3)), ops.ones((4, 2, 2, 2))
    >>> print(ops.Conv2D(out_channel=4, kernel_size=2)(x, weight).shape)
    (1, 4, 2, 2)
    """

    _dims, _format = 2, "NCHW"


@public()
class DepthwiseConv2dNative(Primitive):
    """A convolution of each channel with a kernel of its own: of older scripts, see `ops.conv2d` with groups.

    Args:
        channel_multiplier: results for each channel: 1, as there is one kernel.

    Inputs:
        x: of shape [N, C, H, W].
        weight: of shape [1, C, KH, KW].

    Raises:
        TypeError: no Tensors of numbers, or two dtypes.
        ValueError: shapes that do not fit, or several results for each channel.

    >>> x, weight = ops.ones((1, 2, 3, 3)), ops.ones((1, 2, 2, 2))
    >>> print(ops.DepthwiseConv2dNative(channel_multiplier=1, kernel_size=2)(x, weight).shape)
    (1, 2, 2, 2)
    """

    def __init__(
        self,
        channel_multiplier: int,
        kernel_size: Dims,
        mode: int = 3,
        pad_mode: str = "valid",
        pad: PaddingLike = 0,
        stride: Dims = 1,
        dilation: Dims = 1,
        group: int = 1,
    ):
        super().__init__()
        check_int(mode, self.name, "mode", at_least=3, at_most=3)
        self.channel_multiplier = check_int(
            channel_multiplier, self.name, "channel_multiplier", at_least=1
        )
        self.kernel_size = per_dim(kernel_size, 2, self.name, "kernel_size")
        self.pad_mode = pad_mode_of(pad_mode, self.name)
        self.pad = pairs(pad, 2, self.name, "pad")
        self.stride = per_dim(stride, 2, self.name, "stride")
        self.dilation = per_dim(dilation, 2, self.name, "dilation")
        self.group = check_int(group, self.name, "group", at_least=1)

    def __call__(self, x: Tensor, weight: Tensor) -> Tensor:
        given = check_dtype(check_tensor(x, self.name, "x"), self.name, "x", "iufc")
        w = check_tensor(weight, self.name, "weight")
        check_same_dtype(given, w, self.name, ("x", "weight"))
        channels = check_ndim(given, self.name, "x", 4).shape[1]
        check_shape(w, self.name, "weight", (1, channels, *self.kernel_size))
        if self.channel_multiplier != 1:
            raise error(
                ValueError,
                f"For '{self.name}', 'channel_multiplier' must be 1, but got "
                f"{self.channel_multiplier}.",
                "ops.conv2d takes groups=C and a weight with M kernels for each channel",
            )
        kernels = w.reshape((channels, 1, *self.kernel_size))
        pad = tuple(p for pair in self.pad for p in pair)
        return convolutions.conv2d(
            given, kernels, None, self.stride, self.pad_mode, pad, self.dilation, channels
        )


@public()
class Conv3D(_ConvForward):
    """See `ops.conv3d`; the kernel size and the number of filters are given beforehand.

    >>> x, weight = ops.ones((1, 2, 3, 3, 3)), ops.ones((4, 2, 2, 2, 2))
    >>> print(ops.Conv3D(out_channel=4, kernel_size=2)(x, weight).shape)
    (1, 4, 2, 2, 2)
    """

    _dims, _format = 3, "NCDHW"

    def __init__(
        self,
        out_channel: int,
        kernel_size: Dims,
        mode: int = 1,
        pad_mode: str = "valid",
        pad: PaddingLike = 0,
        stride: Dims = 1,
        dilation: Dims = 1,
        group: int = 1,
        data_format: str = "NCDHW",
    ):
        super().__init__(
            out_channel, kernel_size, mode, pad_mode, pad, stride, dilation, group, data_format
        )


@public()
class Conv2DTranspose(_Conv):
    """The adjoint of `ops.Conv2D` in its input: of the result of shape [N, O, H', W'] and the weight
    [O, C, KH, KW], a tensor of the shape given, [N, C, H, W].

    >>> x, weight = ops.ones((1, 1, 2, 2)), ops.ones((1, 1, 2, 2))
    >>> print(ops.Conv2DTranspose(out_channel=1, kernel_size=2)(x, weight, (1, 1, 3, 3)))
    [[[[1. 2. 1.]
       [2. 4. 2.]
       [1. 2. 1.]]]]
    """

    _dims, _format = 2, "NCHW"

    def __init__(
        self,
        out_channel: int,
        kernel_size: Dims,
        pad_mode: str = "valid",
        pad: PaddingLike = 0,
        pad_list: PaddingLike | None = None,
        mode: int = 1,
        stride: Dims = 1,
        dilation: Dims = 1,
        group: int = 1,
        data_format: str = "NCHW",
    ):
        given = pad if pad_list is None else pad_list
        super().__init__(
            out_channel, kernel_size, mode, pad_mode, given, stride, dilation, group, data_format
        )

    def __call__(self, dout: Tensor, weight: Tensor, input_size: ShapeLike) -> Tensor:
        op = "Conv2DTranspose"
        x = check_rank(dout, (4,), op, "dout")
        w = self._check_weight(weight, self.out_channel)
        sizes = per_dim(input_size, 4, op, "input_size")
        pads = padding_of(
            self.pad_mode, self.pad, sizes[2:], self.kernel_size, self.stride, self.dilation, op
        )
        extra = []
        for i in range(2):
            span = self.dilation[i] * (self.kernel_size[i] - 1) + 1
            extra.append(sizes[2 + i] + sum(pads[i]) - span - (x.shape[2 + i] - 1) * self.stride[i])
        if not all(0 <= e < s for e, s in zip(extra, self.stride, strict=True)) or (
            sizes[0] != x.shape[0] or sizes[1] != w.shape[1] * self.group
        ):
            raise error(
                ValueError,
                f"For '{op}', a convolution of shape {list(sizes)} does not have a result of shape "
                f"{list(x.shape)} with kernel size {self.kernel_size}, stride {self.stride}, "
                f"dilation {self.dilation} and padding {pads}.",
            )
        return convolutions.checked_transpose(
            op, x, w, None, self.group, self.stride, pads, tuple(extra), self.dilation
        )


@public()
class Conv3DTranspose(_Conv):
    """The adjoint of a convolution of volumes: [N, C, D, H, W] and the weight [C, O, KD, KH, KW] to
    [N, O, D', H', W'].

    >>> x, weight = ops.ones((1, 2, 3, 3, 3)), ops.ones((2, 4, 2, 2, 2))
    >>> print(ops.Conv3DTranspose(in_channel=2, out_channel=4, kernel_size=2)(x, weight).shape)
    (1, 4, 4, 4, 4)
    """

    _dims, _format = 3, "NCDHW"

    def __init__(
        self,
        in_channel: int,
        out_channel: int,
        kernel_size: Dims,
        mode: int = 1,
        pad_mode: str = "valid",
        pad: PaddingLike = 0,
        stride: Dims = 1,
        dilation: Dims = 1,
        group: int = 1,
        output_padding: Dims = 0,
        data_format: str = "NCDHW",
    ):
        super().__init__(
            out_channel, kernel_size, mode, pad_mode, pad, stride, dilation, group, data_format
        )
        self.in_channel = per_dim(in_channel, 1, "Conv3DTranspose", "in_channel")[0]
        self.output_padding = per_dim(output_padding, 3, "Conv3DTranspose", "output_padding", 0)
        if self.pad_mode != "pad" and any(self.output_padding):
            raise error(
                ValueError,
                "For 'Conv3DTranspose', the 'output_padding' must be zero when 'pad_mode' is not "
                f"'pad', but got {output_padding!r}.",
            )

    def __call__(self, dout: Tensor, weight: Tensor) -> Tensor:
        w = self._check_weight(weight, self.in_channel)
        return transpose_by_mode(
            "Conv3DTranspose",
            dout,
            w,
            None,
            self.group,
            self.stride,
            self.pad_mode,
            self.pad,
            self.output_padding,
            self.dilation,
        )


@public()
def conv3d_transpose(
    inputs: Tensor,
    weight: Tensor,
    pad_mode: str = "valid",
    padding: PaddingLike = 0,
    stride: Dims = 1,
    dilation: Dims = 1,
    group: int = 1,
    output_padding: Dims = 0,
) -> Tensor:
    """The function form of `ops.Conv3DTranspose`, whose lengths are those of the weight.

    Raises:
        TypeError: no Tensors of floating-point numbers.
        ValueError: shapes that do not fit, or `output_padding` with another `pad_mode` than "pad".

    >>> x, weight = ops.ones((1, 2, 3, 3, 3)), ops.ones((2, 4, 2, 2, 2))
    >>> print(ops.conv3d_transpose(x, weight).shape)
    (1, 4, 4, 4, 4)
    """
    w = check_ndim(
        check_tensor(weight, "conv3d_transpose", "weight"), "conv3d_transpose", "weight", 5
    )
    groups = check_int(group, "conv3d_transpose", "group", at_least=1)
    made = Conv3DTranspose(
        w.shape[0],
        w.shape[1] * groups,
        w.shape[2:],
        pad_mode=pad_mode,
        pad=padding,
        stride=stride,
        dilation=dilation,
        group=groups,
        output_padding=output_padding,
    )
    return made(inputs, w)


def transpose_by_mode(
    op: str,
    x: Any,
    w: Any,
    bias: Any,
    groups: Any,
    strides: tuple[int, ...],
    mode: str,
    given: list[tuple[int, int]],
    extra: tuple[int, ...],
    dilations: tuple[int, ...],
) -> Tensor:
    """A transposed convolution whose result has, in mode 'same', stride times the size of the
    input, in mode 'valid' at least that.

    Raises:
        TypeError: no Tensors of one floating-point dtype, or arguments that are no ints.
        ValueError: shapes or arguments that do not fit each other.
    """
    w = check_rank(w, (len(strides) + 2,), op, "weight")
    pads = padding_of(mode, given, [0] * len(strides), w.shape[2:], strides, dilations, op)
    if mode != "pad":
        spans = [d * (k - 1) + 1 for d, k in zip(dilations, w.shape[2:], strict=True)]
        over = [max(span - s, 0) if mode == "same" else 0 for span, s in zip(spans, strides)]
        pads = [(n // 2, n - n // 2) for n in over]
        extra = tuple(max(s - span, 0) for span, s in zip(spans, strides))
    return convolutions.checked_transpose(op, x, w, bias, groups, strides, pads, extra, dilations)


# --- pooling ----------------------------------------------------------------------------------


@public()
class MaxPool(Primitive):
    """Maximum over windows of images, of modes 'valid' and 'same'; see `ops.max_pool2d`.

    >>> print(ops.MaxPool(kernel_size=2)(ops.arange(9.0).reshape(1, 1, 3, 3)))
    [[[[4. 5.]
       [7. 8.]]]]
    """

    def __init__(
        self,
        kernel_size: Dims = 1,
        strides: Dims = 1,
        pad_mode: str = "valid",
        data_format: str = "NCHW",
    ):
        super().__init__()
        check_format(data_format, "NCHW", "MaxPool")
        self.kernel_size = per_dim(kernel_size, 2, "MaxPool", "kernel_size")
        self.strides = per_dim(strides, 2, "MaxPool", "strides")
        self.pad_mode = _valid_or_same(pad_mode, "MaxPool")

    def __call__(self, x: Tensor) -> Tensor:
        x = check_rank(x, (4,), "MaxPool", "x")
        out: Tensor = max_by_mode("MaxPool", x, self.kernel_size, self.strides, self.pad_mode)
        return out


@public()
class MaxPool3D(Primitive):
    """Maximum over windows of volumes; see `ops.max_pool3d`.

    >>> print(ops.MaxPool3D(kernel_size=2)(ops.ones((1, 2, 3, 3, 3))).shape)
    (1, 2, 2, 2, 2)
    """

    def __init__(
        self,
        kernel_size: Dims = 1,
        strides: Dims = 1,
        pad_mode: str = "VALID",
        pad_list: PaddingLike = 0,
        ceil_mode: bool | None = None,
        data_format: str = "NCDHW",
    ):
        super().__init__()
        check_format(data_format, "NCDHW", "MaxPool3D")
        self.kernel_size = per_dim(kernel_size, 3, "MaxPool3D", "kernel_size")
        self.strides = per_dim(strides, 3, "MaxPool3D", "strides")
        self.pad_mode = pad_mode_of(pad_mode, "MaxPool3D")
        self.pad_list = pairs(pad_list, 3, "MaxPool3D", "pad_list")
        self.ceil_mode = bool(ceil_mode)

    def __call__(self, x: Tensor) -> Tensor:
        if self.pad_mode != "pad":
            x = check_rank(x, (5,), "MaxPool3D", "x")
            out: Tensor = max_by_mode("MaxPool3D", x, self.kernel_size, self.strides, self.pad_mode)
            return out
        pad = tuple(p for pair in self.pad_list for p in pair)
        out = pooling.max_pool(
            "MaxPool3D", 3, x, self.kernel_size, self.strides, pad, 1, False, self.ceil_mode
        )
        return out


def _valid_or_same(pad_mode: Any, op: str) -> str:
    mode = pad_mode_of(pad_mode, op)
    if mode == "pad":
        raise error(ValueError, f"For '{op}', the 'pad_mode' must be 'valid' or 'same'.")
    return mode


def max_by_mode(
    op: str, x: Tensor, kernel: tuple[int, ...], strides: tuple[int, ...], mode: str
) -> Any:
    """Maximum over windows of the last dimensions, of mode 'valid' or 'same'.

    Raises:
        ValueError: windows that do not fit.
    """
    count = len(kernel)
    ones, none = (1,) * count, [(0, 0)] * count
    pads = padding_of(mode, none, x.shape[-count:], kernel, strides, ones, op)
    return pooling.sliding_max(op, x, kernel, strides, ones, pads)


def mean_by_mode(
    op: str, x: Tensor, kernel: tuple[int, ...], strides: tuple[int, ...], mode: str
) -> Tensor:
    """Mean over windows of the last dimensions, of mode 'valid' or 'same'; padding does not count.

    Raises:
        ValueError: windows that do not fit.
    """
    count = len(kernel)
    ones, none = (1,) * count, [(0, 0)] * count
    pads = padding_of(mode, none, x.shape[-count:], kernel, strides, ones, op)
    return pooling.sliding_mean(op, x, kernel, strides, pads, False, False)


@public()
class AvgPool(Primitive):
    """Mean over windows of images, of modes 'valid' and 'same'; padding does not count. See
    `ops.avg_pool2d`.

    >>> print(ops.AvgPool(kernel_size=2)(ops.arange(9.0).reshape(1, 1, 3, 3)))
    [[[[2. 3.]
       [5. 6.]]]]
    """

    def __init__(
        self,
        kernel_size: Dims = 1,
        strides: Dims = 1,
        pad_mode: str = "VALID",
        data_format: str = "NCHW",
    ):
        super().__init__()
        check_format(data_format, "NCHW", "AvgPool")
        self.kernel_size = per_dim(kernel_size, 2, "AvgPool", "kernel_size")
        self.strides = per_dim(strides, 2, "AvgPool", "strides")
        self.pad_mode = _valid_or_same(pad_mode, "AvgPool")

    def __call__(self, x: Tensor) -> Tensor:
        x = check_rank(x, (4,), "AvgPool", "x")
        return mean_by_mode("AvgPool", x, self.kernel_size, self.strides, self.pad_mode)


@public()
class AvgPool3D(Primitive):
    """Mean over windows of volumes; see `ops.avg_pool3d`.

    >>> print(ops.AvgPool3D(kernel_size=2)(ops.ones((1, 2, 3, 3, 3))).shape)
    (1, 2, 2, 2, 2)
    """

    def __init__(
        self,
        kernel_size: Dims = 1,
        strides: Dims = 1,
        pad_mode: str = "valid",
        pad: PaddingLike = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int = 0,
        data_format: str = "NCDHW",
    ):
        super().__init__()
        check_format(data_format, "NCDHW", "AvgPool3D")
        self.kernel_size = per_dim(kernel_size, 3, "AvgPool3D", "kernel_size")
        self.strides = per_dim(strides, 3, "AvgPool3D", "strides")
        self.pad_mode = pad_mode_of(pad_mode, "AvgPool3D")
        self.pad = pairs(pad, 3, "AvgPool3D", "pad")
        self.options = (ceil_mode, count_include_pad, divisor_override)

    def __call__(self, x: Tensor) -> Tensor:
        x = check_rank(x, (5,), "AvgPool3D", "x")
        pads = padding_of(
            self.pad_mode,
            self.pad,
            x.shape[2:],
            self.kernel_size,
            self.strides,
            (1, 1, 1),
            "AvgPool3D",
        )
        flat = tuple(p for pair in pads for p in pair)
        return pooling.avg_pool(
            "AvgPool3D", 3, x, self.kernel_size, self.strides, flat, *self.options
        )
