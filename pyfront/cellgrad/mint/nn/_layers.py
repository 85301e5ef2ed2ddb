"""Layers of ``mint.nn``: Cells around its functions, and those with Parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from cellgrad import nn, ops
from cellgrad.core.dtype import Type, float32
from cellgrad.core.initializer import Normal, initializer
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
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


def _max_pool2d(
    input: Any,
    kernel_size: Any = 1,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Any:
    return F["max_pool2d"](input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


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
    "CrossEntropyLoss": _layer("CrossEntropyLoss", F["cross_entropy"]),
    "ELU": _layer("ELU", F["elu"]),
    "Flatten": _layer("Flatten", F["flatten"], start_dim=1),
    "Fold": _layer("Fold", F["fold"], True),
    "GELU": _layer("GELU", F["gelu"]),
    "GLU": _layer("GLU", F["glu"]),
    "Hardshrink": _layer("Hardshrink", F["hardshrink"]),
    "Hardsigmoid": _layer("Hardsigmoid", F["hardsigmoid"]),
    "Hardswish": _layer("Hardswish", F["hardswish"]),
    "Hardtanh": _layer("Hardtanh", F["hardtanh"]),
    "Identity": nn.Identity,
    "KLDivLoss": _layer("KLDivLoss", F["kl_div"]),
    "L1Loss": _layer("L1Loss", F["l1_loss"]),
    "LogSigmoid": _layer("LogSigmoid", F["logsigmoid"]),
    "LogSoftmax": _layer("LogSoftmax", lambda input, dim=None: F["log_softmax"](input, dim)),
    "MSELoss": _layer("MSELoss", F["mse_loss"]),
    "MaxPool2d": _layer("MaxPool2d", _max_pool2d),
    "MaxUnpool2d": _layer("MaxUnpool2d", F["max_unpool2d"]),
    "Mish": _layer("Mish", F["mish"]),
    "NLLLoss": _layer("NLLLoss", F["nll_loss"]),
    "PixelShuffle": _layer("PixelShuffle", F["pixel_shuffle"]),
    "ReLU": _layer("ReLU", lambda input: ops.relu(input)),
    "ReLU6": _layer("ReLU6", F["relu6"]),
    "SELU": _layer("SELU", F["selu"]),
    "SiLU": _layer("SiLU", F["silu"]),
    "Sigmoid": _layer("Sigmoid", ops.sigmoid),
    "SmoothL1Loss": _layer("SmoothL1Loss", F["smooth_l1_loss"]),
    "SoftMarginLoss": _layer("SoftMarginLoss", F["soft_margin_loss"]),
    "Softmax": _layer("Softmax", lambda input, dim=None: F["softmax"](input, dim)),
    "Softshrink": _layer("Softshrink", F["softshrink"]),
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


class LayerNorm(nn.Cell):
    """Normalisation over the last dimensions; see `mint.nn.functional.layer_norm`.

    Args:
        normalized_shape: the sizes of these dimensions, an int or a tuple of ints.
        eps: added to the variance.
        elementwise_affine: whether there is a `weight`, which starts with ones.
        bias: whether there is a `bias` beside it, which starts with zeros.
        dtype: of both, float32 unless given.

    >>> print(mint.nn.LayerNorm(2)(Tensor([[1.0, 3.0]])))
    [[-0.999995  0.999995]]
    """

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-05,
        elementwise_affine: bool = True,
        bias: bool = True,
        dtype: Type | None = None,
    ):
        super().__init__()
        sizes = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape = tuple(sizes)
        self.eps = eps
        self.weight = self.bias = None
        if elementwise_affine:
            self.weight = Parameter(ops.ones(self.normalized_shape, dtype or float32), "weight")
            if bias:
                self.bias = Parameter(ops.zeros(self.normalized_shape, dtype or float32), "bias")

    def construct(self, input: Any) -> Any:
        return F["layer_norm"](input, self.normalized_shape, self.weight, self.bias, self.eps)


class Embedding(nn.Cell):
    """Rows of a table; see `mint.nn.functional.embedding`.

    Args:
        num_embeddings, embedding_dim: the shape of the table `weight`, which starts with normal
            random numbers.
        padding_idx: the number of a row that is zero and gets no gradient.
        max_norm: must be None.
        norm_type: has no effect then.
        scale_grad_by_freq, sparse: must be False.
        _weight: a table to start with.
        _freeze: whether the table is no trainable Parameter.
        dtype: of the table, float32 unless given.

    Raises:
        ValueError: a setting that is not there.

    >>> print(mint.nn.Embedding(2, 3, _weight=ops.ones((2, 3)))(Tensor([1])))
    [[1. 1. 1.]]
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Any = None,
        _freeze: bool = False,
        dtype: Type | None = None,
    ):
        super().__init__()
        h.only(max_norm, None, "Embedding", "max_norm")
        h.only(scale_grad_by_freq, False, "Embedding", "scale_grad_by_freq")
        h.only(sparse, False, "Embedding", "sparse")
        table = _weight
        if table is None:
            shape = (num_embeddings, embedding_dim)
            table = Tensor(initializer(Normal(1.0), shape, dtype or float32), dtype or float32)
            if padding_idx is not None:
                table[padding_idx] = 0
        self.padding_idx = padding_idx
        self.weight = Parameter(table, "weight", requires_grad=not _freeze)

    def construct(self, input: Any) -> Any:
        return F["embedding"](input, self.weight, self.padding_idx)


class Dropout(nn.Cell):
    """Zeros in the place of elements, with probability `p`, while the Cell trains.

    >>> print(mint.nn.Dropout(0.5).set_train(False)(ops.ones(3)))
    [1. 1. 1.]
    """

    function = "dropout"

    def __init__(self, p: float = 0.5, inplace: bool = False):
        super().__init__()
        self.p, self.inplace = p, inplace

    def construct(self, input: Any) -> Any:
        return F[self.function](input, self.p, self.training, self.inplace)


class Dropout2d(Dropout):
    """Zeros in the place of channels, with probability `p`, while the Cell trains.

    >>> print(mint.nn.Dropout2d(0.5).set_train(False)(ops.ones((1, 2, 1, 1))).shape)
    (1, 2, 1, 1)
    """

    function = "dropout2d"
