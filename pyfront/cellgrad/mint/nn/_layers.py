"""Layers of ``mint.nn``: Cells around its functions, and those with Parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from cellgrad import nn, ops
from cellgrad.common.dtype import Type, float32
from cellgrad.mint import _helpers as h
from cellgrad.mint.nn._examples import LAYERS as EXAMPLES
from cellgrad.mint.nn._table import FUNCTIONS as F

# What a layer is called with, rather than made with.
_CALLED = {"input", "target", "input1", "input2", "indices", "output_size", "training"}


def _layer(name: str, function: Callable[..., Any], made: bool = False, **defaults: Any) -> type:
    """A Cell that keeps the other arguments of a function; `made` has `output_size` among them."""
    called = _CALLED - {"output_size"} if made else _CALLED
    signature = inspect.signature(function)
    kept = [
        p.replace(kind=p.POSITIONAL_OR_KEYWORD, default=defaults.get(p.name, p.default))
        for p in signature.parameters.values()
        if p.name not in called
    ]
    own = inspect.Signature(kept)

    def make(self: Any, *args: Any, **kwargs: Any) -> None:
        nn.Cell.__init__(self)
        bound = own.bind(*args, **kwargs)
        bound.apply_defaults()
        self.settings = dict(bound.arguments)

    def construct(self: Any, *args: Any) -> Any:
        return function(*args, **self.settings)

    same = [key for key, value in F.items() if value is function]
    of = f"`mint.nn.functional.{same[0]}`" if same else f"`nn.{name}`, with the arguments of mint"
    doc = f"The layer of {of}.\n{EXAMPLES[name]}"
    body = {"__init__": make, "construct": construct, "__doc__": doc}
    return type(name, (nn.Cell,), body | {"__module__": "cellgrad.mint.nn", "__signature__": own})


# Layers with the same arguments in `nn`.
SAME = [
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad2d",
]

LAYERS: dict[str, type] = {name: getattr(nn, name) for name in SAME} | {
    "AdaptiveAvgPool1d": _layer("AdaptiveAvgPool1d", F["adaptive_avg_pool1d"], True),
    "AdaptiveAvgPool2d": _layer("AdaptiveAvgPool2d", F["adaptive_avg_pool2d"], True),
    "AdaptiveAvgPool3d": _layer("AdaptiveAvgPool3d", F["adaptive_avg_pool3d"], True),
    "AdaptiveMaxPool1d": _layer("AdaptiveMaxPool1d", F["adaptive_max_pool1d"], True),
    "AdaptiveMaxPool2d": _layer("AdaptiveMaxPool2d", F["adaptive_max_pool2d"], True),
    "AvgPool1d": _layer("AvgPool1d", F["avg_pool1d"]),
    "AvgPool2d": _layer("AvgPool2d", F["avg_pool2d"]),
    "AvgPool3d": _layer("AvgPool3d", F["avg_pool3d"]),
    "BCELoss": _layer("BCELoss", F["binary_cross_entropy"]),
    "BCEWithLogitsLoss": _layer("BCEWithLogitsLoss", F["binary_cross_entropy_with_logits"]),
    "CosineEmbeddingLoss": _layer("CosineEmbeddingLoss", F["cosine_embedding_loss"]),
    "ELU": _layer("ELU", F["elu"]),
    "Flatten": _layer("Flatten", F["flatten"], start_dim=1),
    "Fold": _layer("Fold", F["fold"], True),
    "GELU": _layer("GELU", F["gelu"]),
    "Hardshrink": _layer("Hardshrink", ops.hardshrink),
    "Hardsigmoid": _layer("Hardsigmoid", ops.hardsigmoid),
    "Hardswish": _layer("Hardswish", ops.hardswish),
    "Hardtanh": _layer("Hardtanh", F["hardtanh"]),
    "Identity": nn.Identity,
    "KLDivLoss": _layer("KLDivLoss", F["kl_div"]),
    "L1Loss": _layer("L1Loss", ops.l1_loss),
    "LogSigmoid": _layer("LogSigmoid", F["logsigmoid"]),
    "LogSoftmax": _layer("LogSoftmax", lambda input, dim=None: F["log_softmax"](input, dim)),
    "MSELoss": _layer("MSELoss", F["mse_loss"]),
    "MaxUnpool2d": _layer("MaxUnpool2d", F["max_unpool2d"]),
    "Mish": _layer("Mish", lambda input: ops.mish(input)),
    "PixelShuffle": _layer("PixelShuffle", F["pixel_shuffle"]),
    "ReLU": _layer("ReLU", lambda input: ops.relu(input)),
    "ReLU6": _layer("ReLU6", F["relu6"]),
    "SELU": _layer("SELU", lambda input: ops.selu(input)),
    "SiLU": _layer("SiLU", F["silu"]),
    "Sigmoid": _layer("Sigmoid", ops.sigmoid),
    "SmoothL1Loss": _layer(
        "SmoothL1Loss",
        lambda input, target, reduction="mean", beta=1.0: ops.smooth_l1_loss(
            input, target, beta, reduction
        ),
    ),
    "SoftMarginLoss": _layer("SoftMarginLoss", F["soft_margin_loss"]),
    "Softmax": _layer("Softmax", lambda input, dim=None: F["softmax"](input, dim)),
    "Tanh": _layer("Tanh", ops.tanh),
    "Threshold": _layer("Threshold", F["threshold"]),
    "Unfold": _layer("Unfold", F["unfold"]),
    "Upsample": _layer("Upsample", F["interpolate"]),
}


class Linear(nn.Dense):
    """``input @ weight.T + bias``; see `nn.Dense`.

    >>> layer = mint.nn.Linear(3, 2, weight_init="ones", bias_init="zeros")
    >>> print(layer(Tensor([[1.0, 2.0, 3.0]])))
    [[6. 6.]]
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: Type | None = None,
    ):
        super().__init__(
            in_features, out_features, weight_init, bias_init, bias, dtype=dtype or float32
        )


class GroupNorm(nn.GroupNorm):
    """Normalisation over groups of channels; see `nn.GroupNorm`.

    >>> print(mint.nn.GroupNorm(2, 4)(ops.ones((1, 4, 2, 2))).sum())
    0.0
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-05,
        affine: bool = True,
        dtype: Type | None = None,
    ):
        super().__init__(num_groups, num_channels, eps, affine, dtype=dtype or float32)


def _settings(padding: Any, padding_mode: str, op: str) -> tuple[str, Any]:
    """The padding mode and numbers of a layer of `nn`."""
    h.only(padding_mode, "zeros", op, "padding_mode")
    return (padding, 0) if isinstance(padding, str) else ("pad", padding)


def _mirrored(padding: Any) -> Any:
    """The numbers for both ends of each dimension."""
    return tuple(p for p in padding for _ in range(2)) if isinstance(padding, tuple) else padding


class Conv1d(nn.Conv1d):
    """Convolution of sequences; see `nn.Conv1d`. The weight has shape (out_channels, in_channels /
    groups, kernel_size).

    >>> print(mint.nn.Conv1d(2, 4, 3)(ops.ones((1, 2, 5))).shape)
    (1, 4, 3)
    """

    height = ()

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        dtype: Type | None = None,
    ):
        mode, pad = _settings(padding, padding_mode, "Conv1d")
        super().__init__(
            in_channels,
            out_channels,
            kernel_size[0] if isinstance(kernel_size, tuple) else kernel_size,
            stride[0] if isinstance(stride, tuple) else stride,
            mode,
            pad[0] if isinstance(pad, tuple) else pad,
            dilation[0] if isinstance(dilation, tuple) else dilation,
            groups,
            bias,
            dtype=dtype or float32,
        )


class Conv2d(nn.Conv2d):
    """Convolution of images; see `nn.Conv2d`.

    >>> print(mint.nn.Conv2d(2, 4, 3)(ops.ones((1, 2, 5, 5))).shape)
    (1, 4, 3, 3)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        dtype: Type | None = None,
    ):
        mode, pad = _settings(padding, padding_mode, "Conv2d")
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            mode,
            _mirrored(pad),
            dilation,
            groups,
            bias,
            dtype=dtype or float32,
        )


class Conv3d(nn.Conv3d):
    """Convolution of volumes; see `nn.Conv3d`.

    >>> print(mint.nn.Conv3d(2, 4, 3)(ops.ones((1, 2, 5, 5, 5))).shape)
    (1, 4, 3, 3, 3)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        dtype: Type | None = None,
    ):
        mode, pad = _settings(padding, padding_mode, "Conv3d")
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            mode,
            _mirrored(pad),
            dilation,
            groups,
            bias,
            dtype=dtype or float32,
        )
