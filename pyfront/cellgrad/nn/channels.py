"""Layers over channels: `LRN`, `ChannelShuffle`; the bilinear layer `BiDense`."""

from __future__ import annotations

import math

from cellgrad import ops
from cellgrad.core.aliases import InitLike
from cellgrad.core.arguments import check_bool, check_int, check_shape
from cellgrad.core.dtype import Type
from cellgrad.core.initializer import Uniform, initializer
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell

__all__ = ["LRN", "BiDense", "ChannelShuffle"]


class LRN(Cell):
    """Local response normalisation; see `ops.lrn`.

    >>> print(nn.LRN(depth_radius=1)(Tensor([[[[1.0]], [[2.0]]]])).flatten())
    [0.40824828 0.81649655]
    """

    def __init__(
        self,
        depth_radius: int = 5,
        bias: float = 1.0,
        alpha: float = 1.0,
        beta: float = 0.5,
        norm_region: str = "ACROSS_CHANNELS",
    ):
        super().__init__()
        self.lrn_op = ops.LRN(depth_radius, bias, alpha, beta, norm_region)

    def construct(self, input_x: Tensor) -> Tensor:
        return self.lrn_op(input_x)  # type: ignore[no-any-return]


class ChannelShuffle(Cell):
    """Mixes the channels of groups; see `ops.channel_shuffle`.

    >>> print(nn.ChannelShuffle(2)(ops.arange(4).reshape(1, 4, 1, 1)).flatten())
    [0 2 1 3]
    """

    def __init__(self, groups: int):
        super().__init__()
        self.groups = groups

    def construct(self, x: Tensor) -> Tensor:
        return ops.channel_shuffle(x, self.groups)  # type: ignore[no-any-return]

    def extend_repr(self) -> str:
        return f"groups={self.groups}"


class BiDense(Cell):
    """A bilinear layer: ``y_k = x1 W_k x2 + b_k``.

    Args:
        in1_channels, in2_channels: the lengths of the last dimensions of the inputs.
        out_channels: how many outputs.
        weight_init: a Tensor of shape (out_channels, in1_channels, in2_channels), an initializer,
            its name or a number; uniform on ±1/sqrt(in1_channels) where it is None.
        bias_init: of shape (out_channels,), as `weight_init`.
        has_bias: whether there is a bias.
        dtype: of the Parameters.

    Inputs:
        input1: shape (..., in1_channels).
        input2: shape (..., in2_channels).

    Outputs:
        shape (..., out_channels).

    Raises:
        TypeError, ValueError: arguments or inputs of other types or values.

    >>> layer = nn.BiDense(2, 3, 4)
    >>> print(layer(ops.ones((5, 2)), ops.ones((5, 3))).shape)
    (5, 4)
    """

    def __init__(
        self,
        in1_channels: int,
        in2_channels: int,
        out_channels: int,
        weight_init: InitLike | None = None,
        bias_init: InitLike | None = None,
        has_bias: bool = True,
        dtype: Type | None = None,
    ):
        super().__init__()
        self.in1_channels = check_int(in1_channels, self.cls_name, "in1_channels", at_least=1)
        self.in2_channels = check_int(in2_channels, self.cls_name, "in2_channels", at_least=1)
        self.out_channels = check_int(out_channels, self.cls_name, "out_channels", at_least=1)
        self.has_bias = check_bool(has_bias, self.cls_name, "has_bias")
        shape = (out_channels, in1_channels, in2_channels)
        for name, init, wanted in (
            ("weight_init", weight_init, shape),
            ("bias_init", bias_init, (out_channels,)),
        ):
            if isinstance(init, Tensor):
                check_shape(init, "BiDense", name, wanted)
        spread = Uniform(1 / math.sqrt(in1_channels))
        self.weight = Parameter(
            initializer(spread if weight_init is None else weight_init, shape, dtype), "weight"
        )
        self.bias: Parameter | None = None
        if has_bias:
            init = spread if bias_init is None else bias_init
            self.bias = Parameter(initializer(init, (out_channels,), dtype), "bias")

    def construct(self, input1: Tensor, input2: Tensor) -> Tensor:
        return ops.bidense(input1, input2, self.weight, self.bias)  # type: ignore[no-any-return]

    def extend_repr(self) -> str:
        return (
            f"in1_channels={self.in1_channels}, in2_channels={self.in2_channels}, "
            f"out_channels={self.out_channels}, has_bias={self.has_bias}"
        )
