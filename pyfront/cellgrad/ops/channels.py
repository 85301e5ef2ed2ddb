"""Operations on the channels of images: `lrn`, `channel_shuffle`; and `bidense`."""

from __future__ import annotations

from typing import Any

from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import argument_error, check_instance, check_int, check_one_of
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor, fresh, is_number, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops._generated import square
from cellgrad.ops._public import public
from cellgrad.ops.contractions import matmul
from cellgrad.ops.joining import concat
from cellgrad.ops.reductions import sum as sum_
from cellgrad.ops.selection import pow as power
from cellgrad.ops.selection import zeros_like
from cellgrad.ops.shapes import reshape, swapaxes, transpose


def _check_images(x: Any, op: str) -> Tensor:
    x = check_tensor(x, op, "x")
    if x.ndim != 4 or x.dtype.kind != "f":
        raise error(
            ValueError if x.ndim != 4 else TypeError,
            f"For '{op}', the 'x' must be a floating-point Tensor of shape (N, C, H, W), but got "
            f"{x.dtype.title} {list(x.shape)}.",
        )
    return x


@operation
def _lrn(x: Tensor, radius: int, bias: float, alpha: float, beta: float) -> Tensor:
    squares = square(x)
    channels = x.shape[1]
    total = squares
    for shift in range(1, min(radius, channels - 1) + 1):
        zeros = zeros_like(squares[:, :shift])
        total = total + concat((squares[:, shift:], zeros), 1)
        total = total + concat((zeros, squares[:, : channels - shift]), 1)
    return x * power(bias + alpha * total, -beta)


@public()
def lrn(
    x: Tensor,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    norm_region: str = "ACROSS_CHANNELS",
) -> Tensor:
    """Local response normalisation: ``x / (bias + alpha * sum of squares)^beta``.

    Args:
        x: floating point, shape (N, C, H, W).
        depth_radius: how many channels before and after count.
        bias: positive.
        alpha, beta: floats.
        norm_region: "ACROSS_CHANNELS".

    Returns:
        A Tensor of the shape of `x`.

    Raises:
        TypeError: arguments of another type.
        ValueError: another shape, a negative radius, another region.

    >>> x = Tensor([[[[1.0]], [[2.0]]]])
    >>> print(ops.lrn(x, depth_radius=1).flatten())
    [0.40824828 0.81649655]
    """
    x = _check_images(x, "lrn")
    depth_radius = check_int(depth_radius, "lrn", "depth_radius", at_least=0)
    for name, value in (("bias", bias), ("alpha", alpha), ("beta", beta)):
        check_instance(value, "lrn", name, float)
    check_one_of(norm_region, "lrn", "norm_region", ("ACROSS_CHANNELS",))
    out: Tensor = _lrn(x, int(depth_radius), bias, alpha, beta)
    return out


@public()
class LRN:
    """See `lrn`.

    >>> x = Tensor([[[[1.0]], [[2.0]]]])
    >>> print(ops.LRN(depth_radius=1)(x).flatten())
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
        self.arguments = (depth_radius, bias, alpha, beta, norm_region)

    def __call__(self, x: Tensor) -> Tensor:
        return lrn(x, *self.arguments)


@public(
    "ops.ChannelShuffle(group)(x)",
)
def channel_shuffle(x: Tensor, groups: int) -> Tensor:
    """Channels in the order first of each group, second of each group, ...

    Args:
        x: shape (N, C, ...).
        groups: a divisor of C.

    Returns:
        A Tensor of the shape of `x`.

    Raises:
        TypeError: `groups` is not an int.
        ValueError: fewer than three dimensions, or `groups` does not divide C.

    >>> print(ops.channel_shuffle(ops.arange(4).reshape(1, 4, 1, 1), 2).flatten())
    [0 2 1 3]
    """
    x = check_tensor(x, "channel_shuffle", "x")
    groups = check_int(groups, "channel_shuffle", "groups")
    if x.ndim < 3 or groups < 1 or x.shape[1] % groups:
        raise error(
            ValueError,
            f"For 'channel_shuffle', the 'groups' must divide the channels of an 'x' of shape "
            f"(N, C, ...), but got {groups} and {list(x.shape)}.",
        )
    n, c, *rest = x.shape
    parts = reshape(x, (n, int(groups), c // groups, *rest))
    out: Tensor = reshape(swapaxes(parts, 1, 2), x.shape)
    return fresh(out)


@public()
def bidense(
    input1: Tensor, input2: Tensor, weight: Tensor, bias: TensorLike | None = None
) -> Tensor:
    """A bilinear layer: ``y_k = input1 W_k input2 + b_k``.

    Args:
        input1: floating point, shape (..., in1).
        input2: shape (..., in2).
        weight: shape (out, in1, in2).
        bias: shape (out,), or None.

    Returns:
        A Tensor of shape (..., out).

    Raises:
        TypeError: something that is not a Tensor.
        ValueError: shapes that do not fit.

    >>> x, y = Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]])
    >>> weight = Tensor([[[1.0, 0.0], [0.0, 1.0]]])
    >>> print(ops.bidense(x, y, weight))
    [[11.]]
    """
    input1 = check_tensor(input1, "bidense", "input1")
    input2 = check_tensor(input2, "bidense", "input2")
    weight = check_tensor(weight, "bidense", "weight")
    if is_number(bias):
        raise argument_error(TypeError, "bidense", "bias", "a Tensor or None", bias)
    if (
        weight.ndim != 3
        or not input1.ndim
        or input1.shape[:-1] != input2.shape[:-1]
        or (input1.shape[-1], input2.shape[-1]) != weight.shape[1:]
    ):
        raise error(
            ValueError,
            f"For 'bidense', the inputs must have shapes (..., in1) and (..., in2) and the weight "
            f"(out, in1, in2), but got {list(input1.shape)}, {list(input2.shape)} and "
            f"{list(weight.shape)}.",
        )
    outputs, in1, in2 = weight.shape
    first = reshape(input1, (-1, in1))
    # One product for all outputs, then a sum over the second input.
    flat = reshape(transpose(weight, (1, 0, 2)), (in1, outputs * in2))
    out = reshape(matmul(first, flat), (-1, outputs, in2))
    out = sum_(out * reshape(input2, (-1, 1, in2)), 2)
    if bias is not None:
        out = out + bias
    result: Tensor = reshape(out, (*input1.shape[:-1], outputs))
    return result
