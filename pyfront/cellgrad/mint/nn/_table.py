"""The functions of ``mint.nn.functional``: which operation each is, and the arguments it takes there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cellgrad import ops
from cellgrad.mint import _helpers as h
from cellgrad.mint.nn._examples import FUNCTIONS as EXAMPLES

# Operations with the same arguments in `ops`.
SAME = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool2d",
    "conv_transpose2d",
    "cosine_embedding_loss",
    "cross_entropy",
    "embedding",
    "fold",
    "group_norm",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "interpolate",
    "l1_loss",
    "layer_norm",
    "mse_loss",
    "prelu",
    "relu",
    "sigmoid",
    "soft_margin_loss",
    "softplus",
    "softshrink",
    "tanh",
    "unfold",
]


def _adaptive_max_pool1d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    h.only(return_indices, False, "adaptive_max_pool1d", "return_indices")
    return ops.adaptive_max_pool1d(input, output_size)


def _avg_pool(dims: int) -> Callable[..., Any]:
    function = getattr(ops, f"avg_pool{dims}d")
    return (
        lambda input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None: (
            function(
                input,
                kernel_size,
                kernel_size if stride is None else stride,
                padding,
                ceil_mode,
                count_include_pad,
                divisor_override or 0,
            )
        )
    )


def _avg_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    far = kernel_size if stride is None else stride
    return ops.avg_pool1d(input, kernel_size, far, padding, ceil_mode, count_include_pad)


def _convolution(dims: int) -> Callable[..., Any]:
    function = getattr(ops, f"conv{dims}d")
    return lambda input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1: h.convolved(
        function, input, weight, bias, stride, padding, dilation, groups
    )


OTHER: dict[str, Callable[..., Any]] = {
    "adaptive_max_pool1d": _adaptive_max_pool1d,
    "avg_pool1d": _avg_pool1d,
    "avg_pool2d": _avg_pool(2),
    "avg_pool3d": _avg_pool(3),
    "binary_cross_entropy": lambda input, target, weight=None, reduction="mean": (
        ops.binary_cross_entropy(input, target, weight, reduction)
    ),
    "binary_cross_entropy_with_logits": lambda input, target, weight=None, reduction="mean", pos_weight=None: (
        ops.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)
    ),
    "conv1d": _convolution(1),
    "conv2d": _convolution(2),
    "conv3d": _convolution(3),
    "dropout": lambda input, p=0.5, training=True, inplace=False: h.into(
        input, ops.dropout(input, p, training), inplace
    ),
    "dropout2d": lambda input, p=0.5, training=True, inplace=False: h.into(
        input, ops.dropout2d(input, p, training), inplace
    ),
    "elu": lambda input, alpha=1.0, inplace=False: h.into(
        input,
        ops.where(ops.greater(input, 0), input, ops.mul(ops.expm1(ops.minimum(input, 0)), alpha)),
        inplace,
    ),
    "elu_": lambda input, alpha=1.0: OTHER["elu"](input, alpha, True),
    "flatten": lambda input, start_dim=0, end_dim=-1: ops.flatten(
        input, start_dim=start_dim, end_dim=end_dim
    ),
    "gelu": lambda input, *, approximate="none": ops.gelu(input, approximate),
    "glu": lambda input, dim=-1: ops.glu(input, dim),
    "hardtanh": lambda input, min_val=-1.0, max_val=1.0, inplace=False: h.into(
        input, ops.hardtanh(input, min_val, max_val), inplace
    ),
    "hardtanh_": lambda input, min_val=-1, max_val=1: h.into(
        input, ops.hardtanh(input, min_val, max_val)
    ),
    "kl_div": lambda input, target, reduction="mean", log_target=False: h.kl_div(
        input, target, reduction, log_target
    ),
    "leaky_relu": lambda input, negative_slope=0.01: ops.leaky_relu(input, negative_slope),
    "linear": lambda input, weight, bias=None: h.linear(input, weight, bias),
    "log_softmax": lambda input, dim=None, *, dtype=None: ops.log_softmax(
        h.to(input, dtype), h.implied(input, dim)
    ),
    "logsigmoid": lambda input: ops.logsigmoid(input),
    "max_pool2d": lambda input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False: (
        ops.max_pool2d(input, kernel_size, stride, padding, dilation, return_indices, ceil_mode)
    ),
    "max_unpool2d": lambda input, indices, kernel_size, stride=None, padding=0, output_size=None: (
        ops.max_unpool2d(input, indices, kernel_size, stride, padding, output_size)
    ),
    "mish": lambda input: ops.mish(input),
    "nll_loss": lambda input, target, weight=None, ignore_index=-100, reduction="mean": (
        ops.nll_loss(input, target, weight, ignore_index, reduction)
    ),
    "normalize": lambda input, p=2.0, dim=1, eps=1e-12: h.normalized(input, p, dim, eps),
    "one_hot": lambda tensor, num_classes=-1: h.classes(tensor, num_classes),
    "pad": lambda input, pad, mode="constant", value=None: ops.pad(input, pad, mode, value),
    "pixel_shuffle": lambda input, upscale_factor: ops.pixel_shuffle(input, upscale_factor),
    "relu6": lambda input, inplace=False: h.into(input, ops.relu6(input), inplace),
    "relu_": lambda input: h.into(input, ops.relu(input)),
    "selu": lambda input: ops.selu(input),
    "sigmoid_": lambda input: h.into(input, ops.sigmoid(input)),
    "silu": lambda input, inplace=False: h.into(input, ops.silu(input), inplace),
    "smooth_l1_loss": lambda input, target, reduction="mean", beta=1.0: ops.smooth_l1_loss(
        input, target, beta, reduction
    ),
    "softmax": lambda input, dim=None, dtype=None: ops.softmax(
        input, h.implied(input, dim), dtype=dtype
    ),
    "threshold": lambda input, threshold, value, inplace=False: h.into(
        input, ops.threshold(input, threshold, value), inplace
    ),
    "threshold_": lambda input, threshold, value: h.into(
        input, ops.threshold(input, threshold, value)
    ),
    "upsample": lambda input, size=None, scale_factor=None, mode="nearest", align_corners=None: (
        ops.interpolate(input, size, scale_factor, mode, align_corners)
    ),
}

FUNCTIONS = {name: getattr(ops, name) for name in SAME} | h.named(
    OTHER, "cellgrad.mint.nn.functional", EXAMPLES
)
