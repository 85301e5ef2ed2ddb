"""Gradients of convolutions, pooling and normalization."""

from __future__ import annotations

import math
from typing import Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import check_ndim
from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.ops._static import known_ints
from cellgrad.ops.segments import extreme
from cellgrad.transforms.differentiate import push_forward
from cellgrad.transforms.gradients.rows import by_formula, by_name, of, pulled, row, transposed

# --- convolutions ---------------------------------------------------------------------------------


def _filter(layer: Any, padded: tuple[str, ...]) -> Any:
    """The gradient by the weights of a convolution, which it depends on by their shape only."""

    def compute(name: str, settings: dict[str, Any], operands: dict[str, Any]) -> Any:
        x = check_tensor(operands["x"], name, "x")
        shape = known_ints(operands["filter_size"], name, "filter_size")
        # As in MindSpore, the weights say how many channels there are and how large the kernel is.
        settings = {k: v for k, v in settings.items() if k not in padded}
        settings |= {"out_channel": shape[0], "kernel_size": shape[2:]}
        convolve = layer(**settings)
        return transposed(name, lambda w: convolve(x, w), operands["dout"], shape)

    return compute


def _inner(size: Any, dims: int) -> Any:
    """The sizes of the dimensions of images out of those of all."""
    return size[2:] if isinstance(size, tuple) and len(size) == dims + 2 else size


def _convolution(
    out_channel: int, kernel_size: Any, stride: Any, dilation: Any, **others: Any
) -> Any:
    steps, gaps = _inner(stride, 2), _inner(dilation, 2)
    return ops.Conv2D(out_channel, kernel_size, stride=steps, dilation=gaps, **others)


Conv2DBackpropFilter = row(
    "Conv2DBackpropFilter(out_channel, kernel_size, pad_mode='valid', pad=0, pad_list=(0, 0, 0, 0),"
    " mode=1, stride=(1, 1), dilation=(1, 1, 1, 1), group=1, data_format='NCHW')"
    "(dout, x, filter_size)",
    _filter(_convolution, ("pad_list",)),
)
Conv3DBackpropFilter = row(
    "Conv3DBackpropFilter(out_channel, kernel_size, mode=1, pad_mode='valid', pad=0,"
    " stride=(1, 1, 1), dilation=(1, 1, 1), group=1, data_format='NCDHW')(x, dout, filter_size)",
    _filter(ops.Conv3D, ()),
)


def _bias(dout: Tensor, data_format: str) -> Tensor:
    last = data_format == "NHWC" or dout.ndim < 3
    kept = dout.ndim - 1 if last else 1
    return ops.reduce_sum(dout, tuple(i for i in range(dout.ndim) if i != kept))


BiasAddGrad = row("BiasAddGrad(data_format='NCHW')(dout)", by_formula(_bias), of_complex=True)

# --- pooling --------------------------------------------------------------------------------------

MaxPoolGrad = row(
    "MaxPoolGrad(kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW')(x, out, dout)",
    of(ops.MaxPool),
)


def _pool3(kernel_size: Any, strides: Any, **others: Any) -> Any:
    return ops.MaxPool3D(_inner(kernel_size, 3), _inner(strides, 3), **others)


def _maximum3(x: Tensor, **settings: Any) -> Any:
    return _pool3(**settings)(x)


MaxPool3DGrad = row(
    "MaxPool3DGrad(kernel_size=1, strides=1, pad_mode='valid', pad_list=0, data_format='NCDHW')"
    "(x, out, dout)",
    of(_maximum3),
)
AvgPoolGrad = row(
    "AvgPoolGrad(kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW')(x, out, dout)",
    of(ops.AvgPool),
)


def _of_shape(layer: Any) -> Any:
    """The gradient of a linear layer whose operand is told by its shape."""

    def compute(name: str, settings: dict[str, Any], operands: dict[str, Any]) -> Any:
        shape = known_ints(operands["shape"], name, "shape")
        return transposed(name, layer(**settings), operands["dout"], shape)

    return compute


def _average3(pads: Any, **settings: Any) -> Any:
    return ops.AvgPool3D(pad=pads, **settings)


AvgPool3DGrad = row(
    "AvgPool3DGrad(kernel_size=1, strides=1, pads=0, ceil_mode=False, count_include_pad=True,"
    " divisor_override=0, data_format='NCDHW', pad_mode='pad')(shape, dout)",
    _of_shape(_average3),
)


def _adaptive_average(dims: int, layer: Any) -> Any:
    def compute(name: str, dout: Any, shape: Any) -> Any:
        given = check_tensor(dout, name, "dout")
        pool = layer(given.shape[-dims:])
        return transposed(name, pool, given, known_ints(shape, name, "shape"))

    return by_name(compute)


AdaptiveAvgPool2DGrad = row(
    "AdaptiveAvgPool2DGrad()(dout, shape)", _adaptive_average(2, ops.AdaptiveAvgPool2D)
)
AdaptiveAvgPool3DGrad = row(
    "AdaptiveAvgPool3DGrad()(dout, shape)", _adaptive_average(3, ops.AdaptiveAvgPool3D)
)


def _chosen(x: Tensor, at: Tensor, dims: int) -> Tensor:
    """The elements of each image at the given places in it."""
    lead = x.shape[: x.ndim - dims]
    flat = ops.reshape(x, (*lead, math.prod(x.shape[x.ndim - dims :])))
    places = ops.reshape(at, (*lead, math.prod(at.shape[x.ndim - dims :])))
    return ops.reshape(ops.gather_elements(flat, len(lead), places), at.shape)


def _scattered(dims: int) -> Any:
    """The gradient of pooling that says which elements it took: each cotangent at its place."""

    def compute(name: str, settings: dict[str, Any], operands: dict[str, Any]) -> Any:
        at = check_tensor(operands["at"], name, "at")
        return pulled(name, lambda x: _chosen(x, at, dims), operands["dout"], operands["x"])

    return compute


# Places of the first are those in an image with all its channels.
_IN_IMAGE = "kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW'"
MaxPoolGradWithArgmax = row(f"MaxPoolGradWithArgmax({_IN_IMAGE})(x, dout, at)", _scattered(3))
MaxPoolGradGradWithArgmax = row(
    f"MaxPoolGradGradWithArgmax({_IN_IMAGE})(x, dout, at)",
    by_formula(lambda x, dout, at, **settings: _chosen(dout, at, 3)),
)
MaxPoolGradWithArgmaxV2 = row(
    "MaxPoolGradWithArgmaxV2(kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False,"
    " argmax_type=None)(x, dout, at)",
    _scattered(2),
)
MaxPool3DGradWithArgmax = row(
    "MaxPool3DGradWithArgmax(ksize, strides, pads, dilation=(1, 1, 1), ceil_mode=False,"
    " data_format='NCDHW')(x, dout, at)",
    _scattered(3),
)
AdaptiveMaxPool2DGrad = row("AdaptiveMaxPool2DGrad()(dout, x, at)", _scattered(2))
AdaptiveMaxPool3DGrad = row("AdaptiveMaxPool3DGrad()(dout, x, at)", _scattered(3))
FractionalMaxPoolGradWithFixedKsize = row(
    "FractionalMaxPoolGradWithFixedKsize(data_format='NCHW')(x, dout, at)", _scattered(2)
)
FractionalMaxPool3DGradWithFixedKsize = row(
    "FractionalMaxPool3DGradWithFixedKsize(data_format='NCDHW')(x, dout, at)", _scattered(3)
)


def _along(layer: Any) -> Any:
    """The gradient of a pooling's gradient by its cotangent: of `x` along `dout`."""

    def compute(name: str, settings: dict[str, Any], operands: dict[str, Any]) -> Any:
        x, dout = (check_tensor(operands[k], name, k) for k in ("x", "dout"))
        return push_forward(layer(**settings), (x,), (dout,), False)[1]

    return compute


MaxPoolGradGrad = row(
    "MaxPoolGradGrad(kernel_size=1, strides=1, pad_mode='valid')(x, out, dout)",
    _along(ops.MaxPool),
)
MaxPool3DGradGrad = row(
    "MaxPool3DGradGrad(kernel_size=1, strides=1, pad_mode='valid', data_format='NCDHW')"
    "(x, out, dout)",
    _along(_pool3),
)

# --- normalization --------------------------------------------------------------------------------

LRNGrad = row("LRNGrad(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5)(dout, x, out)", of(ops.LRN))
L2NormalizeGrad = row("L2NormalizeGrad(axis=0, epsilon=1e-4)(x, out, dout)", of(ops.L2Normalize))


def _sums(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    return ops.reduce_sum(x, axes, True)


def _layer_norm(
    x: Tensor,
    dout: Tensor,
    variance: Tensor,
    mean: Tensor,
    gamma: Tensor,
    begin_norm_axis: int,
    begin_params_axis: int,
) -> tuple[Tensor, Tensor, Tensor]:
    """With the mean and variance that are given, and what ops.LayerNorm adds to the variance."""
    axes = tuple(range(begin_norm_axis % x.ndim, x.ndim))
    others = tuple(range(begin_params_axis % x.ndim))
    count = math.prod(x.shape[i] for i in axes)
    around = [*x.shape[: axes[0]], *[1] * len(axes)]
    inverse = ops.rsqrt(ops.reshape(variance, around) + 1e-7)
    centred = x - ops.reshape(mean, around)
    scaled = dout * gamma
    by_variance = _sums(scaled * centred, axes) * inverse * inverse * inverse / -count
    by_mean = (_sums(scaled, axes) * inverse + by_variance * _sums(centred, axes)) / -count
    dx = scaled * inverse + by_variance * centred + by_mean
    dgamma, dbeta = dout * centred * inverse, dout
    if others:  # a sum over no dimensions is one over all
        dgamma, dbeta = ops.reduce_sum(dgamma, others), ops.reduce_sum(dbeta, others)
    return dx, dgamma, dbeta


LayerNormGrad = row(
    "LayerNormGrad(begin_norm_axis=1, begin_params_axis=1)(x, dout, variance, mean, gamma)",
    by_formula(_layer_norm),
)


def _layer_norm_twice(
    name: str,
    x: Tensor,
    dy: Tensor,
    variance: Tensor,
    mean: Tensor,
    gamma: Tensor,
    d_dx: Tensor,
    d_dg: Tensor,
    d_db: Tensor,
    begin_norm_axis: int,
    begin_params_axis: int,
) -> Any:
    """The values of the mean and variance are those given; they have the derivatives of those of `x`."""
    axes = tuple(range(begin_norm_axis % x.ndim, x.ndim))

    def found(x: Tensor, dy: Tensor, gamma: Tensor) -> Tensor:
        of_x = ops.reduce_mean(x, axes)
        spread = ops.reduce_mean(ops.square(x - ops.reduce_mean(x, axes, True)), axes)
        middle, wide = (
            ops.reshape(v, of_x.shape) + (own - ops.stop_gradient(own))
            for v, own in ((mean, of_x), (variance, spread))
        )
        dx, dg, db = _layer_norm(x, dy, wide, middle, gamma, begin_norm_axis, begin_params_axis)
        of_parameters = ops.reduce_sum(dg * d_dg) + ops.reduce_sum(db * d_db)
        return ops.reduce_sum(dx * d_dx) + of_parameters

    return pulled(name, found, ops.ones((), x.dtype), x, dy, gamma, by=3)


LayerNormGradGrad = row(
    "LayerNormGradGrad(begin_norm_axis=1, begin_params_axis=1)"
    "(x, dy, variance, mean, gamma, d_dx, d_dg, d_db)",
    by_name(_layer_norm_twice),
)


def _batch_norm(
    dout: Tensor,
    x: Tensor,
    scale: Tensor,
    mean: Tensor,
    variance: Tensor,
    reserve: Any,
    is_training: bool,
    epsilon: float,
    data_format: str,
) -> tuple[Tensor, Tensor, Tensor]:
    channel = x.ndim - 1 if data_format == "NHWC" else 1
    axes = tuple(i for i in range(x.ndim) if i != channel)
    around = [n if i == channel else 1 for i, n in enumerate(x.shape)]
    count = math.prod(x.shape[i] for i in axes)
    inverse = ops.rsqrt(ops.reshape(variance, around) + epsilon)
    standard = (x - ops.reshape(mean, around)) * inverse
    dscale, doffset = _sums(dout * standard, axes), _sums(dout, axes)
    inner = dout
    if is_training:
        inner = dout - (doffset + standard * dscale) / count
    dx = ops.reshape(scale, around) * inverse * inner
    return dx, ops.reshape(dscale, scale.shape), ops.reshape(doffset, scale.shape)


BatchNormGrad = row(
    "BatchNormGrad(is_training=False, epsilon=1e-5, data_format='NCHW')"
    "(dout, x, scale, mean, variance, reserve)",
    by_formula(_batch_norm),
)


def _inside(sequence: Any, size: int, overlapping: bool, name: str) -> Tensor:
    """A row for each window of a sequence of bounds: which elements are part of it."""
    bounds = ops.cast(check_tensor(sequence, name, "sequence"), mstype.int64)
    at = ops.arange(size).astype(mstype.int64)
    low, high = ops.reshape(bounds[:-1], (-1, 1)), ops.reshape(bounds[1:], (-1, 1))
    return ops.logical_and(at >= low, at <= high if overlapping else at < high)


def _bands(sequence: Any, size: int, overlapping: bool, name: str) -> Tensor:
    """The share of each element in each window, 0 outside."""
    one = ops.cast(_inside(sequence, size, overlapping, name), mstype.float64)
    return one / ops.reduce_sum(one, 1, True)


def _fractional(
    name: str, shape: Any, dout: Any, row_sequence: Any, col_sequence: Any, overlapping: bool
) -> Tensor:
    _, height, width, _ = known_ints(shape, name, "orig_input_tensor_shape")
    given = check_tensor(dout, name, "out_backprop")
    rows, columns = (
        ops.cast(_bands(s, n, overlapping, name), given.dtype)
        for s, n in ((row_sequence, height), (col_sequence, width))
    )
    return ops.einsum("bijc,ih,jw->bhwc", given, rows, columns)


FractionalAvgPoolGrad = row(
    "FractionalAvgPoolGrad(overlapping=False)"
    "(orig_input_tensor_shape, out_backprop, row_pooling_sequence, col_pooling_sequence)",
    by_name(_fractional),
)


def _largest(
    x: Tensor, sequence: Any, dim: int, overlapping: bool, name: str
) -> tuple[Tensor, Tensor]:
    """The largest elements of the windows of a dimension, and their places in it: the first of equal ones."""
    inside = _inside(sequence, x.shape[dim], overlapping, name)
    shape = (*inside.shape, *(1,) * (x.ndim - dim - 1))
    spread = ops.where(ops.reshape(inside, shape), ops.expand_dims(x, dim), extreme(x.dtype, True))
    first = ops.argmax(spread, dim + 1)
    return ops.amax(spread, dim + 1), first.astype(mstype.int64)


def _fractional_largest(
    name: str,
    orig_input: Any,
    orig_output: Any,
    dout: Any,
    row_sequence: Any,
    col_sequence: Any,
    overlapping: bool,
) -> Tensor:
    given = check_ndim(check_tensor(orig_input, name, "orig_input"), name, "orig_input", 4)
    of_rows, column = _largest(given, col_sequence, 2, overlapping, name)
    _, row_ = _largest(of_rows, row_sequence, 1, overlapping, name)
    places = row_ * given.shape[2] + ops.gather_elements(column, 1, row_)
    last = (0, 3, 1, 2)

    def forward(x: Tensor) -> Tensor:
        taken = _chosen(ops.transpose(x, last), ops.transpose(places, last), 2)
        return ops.transpose(taken, (0, 2, 3, 1))

    out: Tensor = transposed(name, forward, dout, given.shape)
    return out


FractionalMaxPoolGrad = row(
    "FractionalMaxPoolGrad(overlapping=False)"
    "(orig_input, orig_output, out_backprop, row_pooling_sequence, col_pooling_sequence)",
    by_name(_fractional_largest),
)
