"""Layers of ``mint.nn`` that have Parameters or settings of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cellgrad import nn, ops
from cellgrad.core.aliases import Dims, PaddingLike, TensorLike
from cellgrad.core.arguments import check_int, check_ints
from cellgrad.core.dtype import Type, or_default
from cellgrad.core.initializer import Normal, Uniform, initializer
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.mint import _helpers as h
from cellgrad.mint.nn import functional as F


class Linear(nn.Linear):
    """``input @ weight.T + bias``; see `nn.Dense`.

    >>> layer = mint.nn.Linear(3, 2, weight_init="ones", bias_init="zeros")
    >>> print(layer(Tensor([[1.0, 2.0, 3.0]])))
    [[6. 6.]]
    """


class GroupNorm(nn.GroupNorm):
    """Normalisation over groups of channels; see `nn.GroupNorm`. Its Parameters are `weight` and `bias`.

    >>> print(mint.nn.GroupNorm(2, 4)(ops.ones((1, 4, 2, 2))).sum())
    0.0
    """

    weight: Parameter
    bias: Parameter
    names = ("weight", "bias")

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-05,
        affine: bool = True,
        dtype: Type | None = None,
    ):
        super().__init__(num_groups, num_channels, eps, affine, dtype=dtype)
        self.affine = affine


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
        kernel_size: Dims,
        stride: Dims = 1,
        padding: PaddingLike = 0,
        dilation: Dims = 1,
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
            dtype=dtype,
        )

    def construct(self, input: Tensor) -> Tensor:
        return h.unbatched(1, super().construct, input)


class Conv2d(nn.Conv2d):
    """Convolution of images; see `nn.Conv2d`.

    >>> print(mint.nn.Conv2d(2, 4, 3)(ops.ones((1, 2, 5, 5))).shape)
    (1, 4, 3, 3)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Dims,
        stride: Dims = 1,
        padding: PaddingLike = 0,
        dilation: Dims = 1,
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
            dtype=dtype,
        )

    def construct(self, input: Tensor) -> Tensor:
        return h.unbatched(2, super().construct, input)


class Conv3d(nn.Conv3d):
    """Convolution of volumes; see `nn.Conv3d`.

    >>> print(mint.nn.Conv3d(2, 4, 3)(ops.ones((1, 2, 5, 5, 5))).shape)
    (1, 4, 3, 3, 3)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Dims,
        stride: Dims = 1,
        padding: PaddingLike = 0,
        dilation: Dims = 1,
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
            dtype=dtype,
        )

    def construct(self, input: Tensor) -> Tensor:
        return h.unbatched(3, super().construct, input)


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
        normalized_shape: Dims,
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
            self.weight = Parameter(ops.ones(self.normalized_shape, or_default(dtype)), "weight")
            if bias:
                self.bias = Parameter(ops.zeros(self.normalized_shape, or_default(dtype)), "bias")

    def construct(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


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
        _weight: TensorLike | None = None,
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
            table = Tensor(initializer(Normal(1.0), shape, or_default(dtype)), or_default(dtype))
            if padding_idx is not None:
                table[padding_idx] = 0
        self.padding_idx = padding_idx
        self.weight = Parameter(table, "weight", requires_grad=not _freeze)

    def construct(self, input: Tensor) -> Tensor:
        return F.embedding(input, self.weight, self.padding_idx)


class Dropout(nn.Cell):
    """Zeros in the place of elements, with probability `p`, while the Cell trains.

    >>> print(mint.nn.Dropout(0.5).set_train(False)(ops.ones(3)))
    [1. 1. 1.]
    """

    function = "dropout"

    def __init__(self, p: float = 0.5, inplace: bool = False):
        super().__init__()
        self.p, self.inplace = p, inplace

    def construct(self, input: Tensor) -> Tensor:
        return getattr(F, self.function)(input, self.p, self.training, self.inplace)


class Dropout2d(Dropout):
    """Zeros in the place of channels, with probability `p`, while the Cell trains.

    >>> print(mint.nn.Dropout2d(0.5).set_train(False)(ops.ones((1, 2, 1, 1))).shape)
    (1, 2, 1, 1)
    """

    function = "dropout2d"


class ConvTranspose2d(nn.Cell):
    """The adjoint of a convolution of images; see `ops.conv_transpose2d`. The weight is of the shape
    (C, O / groups, KH, KW).

    Raises:
        TypeError, ValueError: arguments of a wrong type, or that do not fit each other.

    >>> print(mint.nn.ConvTranspose2d(3, 4, 2, stride=2)(ops.ones((1, 3, 5, 5))).shape)
    (1, 4, 10, 10)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Dims,
        stride: Dims = 1,
        padding: PaddingLike = 0,
        output_padding: Dims = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Dims = 1,
        padding_mode: str = "zeros",
        dtype: Type | None = None,
    ):
        super().__init__()
        h.only(padding_mode, "zeros", "ConvTranspose2d", "padding_mode")
        sizes = check_ints(kernel_size, "ConvTranspose2d", "kernel_size", 2)
        kind = or_default(dtype)
        shape = (in_channels, out_channels // groups, *sizes)
        # PyTorch's start: uniform within the root of 1 over what a weight's element is summed with.
        bound = (shape[1] * sizes[0] * sizes[1]) ** -0.5
        self.weight = Parameter(initializer(Uniform(bound), shape, kind), name="weight")
        made = initializer(Uniform(bound), (out_channels,), kind)
        self.bias = Parameter(made, name="bias") if bias else None
        self.settings = (stride, padding, output_padding, groups, dilation)

    def construct(self, input: Tensor) -> Tensor:
        return F.conv_transpose2d(input, self.weight, self.bias, *self.settings)


class PReLU(nn.Cell):
    """The input where it is positive, `weight` times it elsewhere; see `ops.prelu`.

    >>> print(mint.nn.PReLU()(Tensor([-1.0, 2.0])))
    [-0.25  2.  ]
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, dtype: Type | None = None):
        super().__init__()
        count = check_int(num_parameters, "PReLU", "num_parameters", at_least=1)
        slopes = initializer(init, (count,), or_default(dtype))
        self.weight = Parameter(slopes, name="weight")

    def construct(self, input: Tensor) -> Tensor:
        return ops.prelu(input, self.weight)


class UpsamplingNearest2d(nn.Cell):
    """Images resized with the nearest elements; see `ops.interpolate`.

    >>> print(mint.nn.UpsamplingNearest2d(scale_factor=2)(ops.ones((1, 1, 2, 3))).shape)
    (1, 1, 4, 6)
    """

    settings: tuple[str, bool | None] = ("nearest", None)

    def __init__(
        self, size: Dims | None = None, scale_factor: float | Sequence[float] | None = None
    ):
        super().__init__()
        self.size, self.scale_factor = size, scale_factor

    def construct(self, input: Tensor) -> Tensor:
        factor = self.scale_factor
        scale = float(factor) if isinstance(factor, int) else factor
        return ops.interpolate(input, self.size, scale, *self.settings)


class UpsamplingBilinear2d(UpsamplingNearest2d):
    """Images resized linearly, corners on corners; see `ops.interpolate`.

    >>> print(mint.nn.UpsamplingBilinear2d(size=(1, 3))(Tensor([[[[1.0, 3.0]]]])))
    [[[[1. 2. 3.]]]]
    """

    settings = ("bilinear", True)


class ZeroPad1d(nn.ConstantPad1d):
    """Zeros before and after the last dimension; see `ops.pad`.

    >>> print(mint.nn.ZeroPad1d((1, 2))(Tensor([[1.0, 2.0]])))
    [[0. 1. 2. 0. 0.]]
    """

    def __init__(self, padding: PaddingLike):
        super().__init__(padding, 0.0)


class ZeroPad3d(nn.ConstantPad3d):
    """Zeros around the last three dimensions; see `ops.pad`.

    >>> print(mint.nn.ZeroPad3d(1)(ops.ones((1, 1, 1, 1))).shape)
    (1, 3, 3, 3)
    """

    def __init__(self, padding: PaddingLike):
        super().__init__(padding, 0.0)
