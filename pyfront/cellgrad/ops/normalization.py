"""Normalisation: elements less their mean, divided by their standard deviation.

Variances are means of squared differences to the mean, not differences of means of squares; halves
are computed in float32.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cellgrad.core import ranks
from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import argument_error, check_int, check_ndim, check_one_of, check_shape
from cellgrad.core.errors import error
from cellgrad.core.number import real
from cellgrad.core.parameter import Parameter
from cellgrad.core.record import (
    axis_of,
    broadcast_to_shape,
    cast_to,
    check_float,
    check_tensor,
    emit,
    operation,
    reshape_to,
    widened,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops.collectives import all_reduce
from cellgrad.ops.selection import write_to


def _mean(x: Tensor, axes: list[int]) -> Tensor:
    """The mean over dimensions, which stay with size 1."""
    kept = tuple(1 if i in axes else n for i, n in enumerate(x.shape))
    count = math.prod(x.shape[i] for i in axes)
    total = reshape_to(emit("cell.reduce_sum", [x], {"dims": axes}), kept)
    return ew.binary("cell.div", total, float(count), True)


def _moments(x: Tensor, axes: list[int], over_ranks: bool = False) -> tuple[Tensor, Tensor, Tensor]:
    """Differences to the mean, the mean and the variance; of the elements of all ranks, if wanted."""

    def mean_of(values: Tensor) -> Tensor:
        mean = _mean(values, axes)
        return all_reduce(mean, "mean") if over_ranks else mean

    mean = mean_of(x)
    centred = ew.binary("cell.sub", x, mean)
    return centred, mean, mean_of(emit("cell.square", [centred]))


def _scaled(centred: Tensor, variance: Tensor, eps: float) -> Tensor:
    scale = emit("cell.rsqrt", [ew.binary("cell.add", variance, real(eps))])
    return emit("cell.mul", [centred, broadcast_to_shape(scale, centred.shape)])


def _affine(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    """x weight + bias, of shapes that broadcast to that of x."""
    if weight is not None:
        weight = broadcast_to_shape(cast_to(weight, x.dtype), x.shape)
        x = emit("cell.mul", [x, weight])
    if bias is not None:
        x = emit("cell.add", [x, broadcast_to_shape(cast_to(bias, x.dtype), x.shape)])
    return x


def _per_channel(value: Any, x: Tensor, op: str, name: str) -> Tensor | None:
    """One number a channel, in a shape that broadcasts along dimension 1 of x."""
    if value is None:
        return None
    tensor = check_tensor(value, op, name)
    check_shape(tensor, op, name, (x.shape[1],), "one element for each channel of the input")
    return reshape_to(tensor, (1, x.shape[1]) + (1,) * (x.ndim - 2))


# --- batch norm -----------------------------------------------------------------------------------


@operation
def _batch_norm_inference(
    input: Tensor, mean: Tensor, variance: Tensor, weight: Any, bias: Any, eps: float
) -> Tensor:
    given = check_float(input, "batch_norm", "input_x")
    check_ndim(given, "batch_norm", "input", at_least=2)
    x = widened(given)
    centre = _per_channel(mean, x, "batch_norm", "running_mean")
    spread = _per_channel(variance, x, "batch_norm", "running_var")
    assert centre is not None and spread is not None
    centred = ew.binary("cell.sub", x, cast_to(centre, x.dtype))
    y = _scaled(centred, cast_to(spread, x.dtype), eps)
    w, b = (_per_channel(v, x, "batch_norm", n) for v, n in ((weight, "weight"), (bias, "bias")))
    return cast_to(_affine(y, w, b), given.dtype)


@operation
def _batch_norm_training(
    input: Tensor, weight: Any, bias: Any, eps: float, over_ranks: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """The result, and the mean and unbiased variance of each channel."""
    given = check_float(input, "batch_norm", "input_x")
    check_ndim(given, "batch_norm", "input", at_least=2)
    x = widened(given)
    axes = [i for i in range(x.ndim) if i != 1]
    centred, mean, variance = _moments(x, axes, over_ranks)
    y = _scaled(centred, variance, eps)
    w, b = (_per_channel(v, x, "batch_norm", n) for v, n in ((weight, "weight"), (bias, "bias")))
    count = math.prod(x.shape[i] for i in axes) * (ranks.size() if over_ranks else 1)
    unbiased = ew.binary("cell.mul", variance, count / max(count - 1, 1))
    channels = (x.shape[1],)
    statistics = (reshape_to(mean, channels), reshape_to(unbiased, channels))
    return cast_to(_affine(y, w, b), given.dtype), *statistics


@operation
def _moved(old: Tensor, new: Tensor, momentum: float) -> Tensor:
    """What is kept of the old, and `momentum` of the new."""
    kept = cast_to(ew.binary("cell.mul", old, 1 - momentum), old.dtype)
    # Statistics carry no derivative to later steps.
    added = emit("cell.stop_gradient", [ew.binary("cell.mul", new, momentum)])
    return ew.binary("cell.add", kept, cast_to(added, old.dtype))


def update_statistics(
    running: tuple[Any, Any], new: tuple[Tensor, Tensor], momentum: float, op: str
) -> None:
    """Moves the running mean and variance, which are Parameters, towards those of a batch."""
    for parameter, value, name in zip(running, new, ("mean", "variance"), strict=True):
        if not isinstance(parameter, Parameter):
            raise error(
                TypeError,
                f"For '{op}', the running {name} must be a Parameter in training, because it is "
                f"updated, but got {type(parameter).__name__}.",
                "make it a Parameter(..., requires_grad=False) of a Cell, or use nn.BatchNorm2d",
            )
        if parameter.shape != value.shape:
            raise error(
                ValueError,
                f"For '{op}', the running {name} has shape {list(parameter.shape)}, but there are "
                f"{value.shape[0]} channels.",
            )
        write_to(parameter, _moved(parameter, value, momentum))


@public()
def batch_norm(
    input_x: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    weight: TensorLike,
    bias: TensorLike,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel less its mean, divided by its deviation, times `weight` plus `bias`.

    Args:
        input_x: shape (N, C, ...), floating point.
        running_mean, running_var: shape (C,), used where `training` is False; where it is True
            they are Parameters, which become ``(1 - momentum) old + momentum new`` of the batch's
            mean and its variance with N - 1 in the denominator.
        weight, bias: shape (C,), or None.
        training: whether mean and variance are those of the batch; derivatives go through them.
        momentum: the weight of the batch in the running statistics.
        eps: added to the variance.

    Raises:
        TypeError: `input_x` is not a Tensor, or running statistics not Parameters in training.
        ValueError: shapes that do not fit.

    >>> x, one, zero = Tensor([[1.0], [3.0]]), Tensor([1.0]), Tensor([0.0])
    >>> print(ops.batch_norm(x, Tensor([2.0]), one, one, zero))
    [[-0.999995]
     [ 0.999995]]
    """
    if not training:
        y: Tensor = _batch_norm_inference(input_x, running_mean, running_var, weight, bias, eps)
        return y
    y, mean, variance = _batch_norm_training(input_x, weight, bias, eps)
    update_statistics((running_mean, running_var), (mean, variance), momentum, "batch_norm")
    return y


def sync_batch_norm(
    x: Tensor, running: tuple[Any, Any], weight: Any, bias: Any, momentum: float, eps: float
) -> Tensor:
    """As `batch_norm` in training, with mean and variance of the batches of all ranks."""
    y, mean, variance = _batch_norm_training(x, weight, bias, eps, True)
    update_statistics(running, (mean, variance), momentum, "sync_batch_norm")
    return y  # type: ignore[no-any-return]


# --- layer, group, instance, RMS norm -----------------------------------------------------------


def _trailing(x: Tensor, shape: Any, op: str) -> list[int]:
    """The last dimensions of x, which have the sizes `shape`."""
    if not isinstance(shape, tuple | list) or not shape:
        raise argument_error(TypeError, op, "normalized_shape", "a tuple or list of ints", shape)
    if x.shape[x.ndim - len(shape) :] != tuple(shape) or len(shape) > x.ndim:
        raise error(
            ValueError,
            f"For '{op}', the 'normalized_shape' {tuple(shape)} must be that of the last "
            f"dimensions of the input, whose shape is {list(x.shape)}.",
        )
    return list(range(x.ndim - len(shape), x.ndim))


def _like_trailing(value: Any, shape: tuple[int, ...], op: str, name: str) -> Tensor | None:
    if value is None:
        return None
    return check_shape(check_tensor(value, op, name), op, name, shape)


@public("mint.nn.functional.layer_norm")
@operation
def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: TensorLike | None = None,
    bias: TensorLike | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """The elements of the last dimensions less their mean, divided by their deviation, times
    `weight` plus `bias`.

    Args:
        input: floating point.
        normalized_shape: a tuple or list, the sizes of the last dimensions.
        weight, bias: of that shape, or None.
        eps: added to the variance.

    Raises:
        TypeError: `input` is not a Tensor, or `normalized_shape` not a tuple or list.
        ValueError: shapes that do not fit.

    >>> print(ops.layer_norm(Tensor([[1.0, 3.0]]), (2,)))
    [[-0.999995  0.999995]]
    """
    given = check_float(input, "layer_norm", "input")
    x = widened(given)
    axes = _trailing(x, normalized_shape, "layer_norm")
    centred, _, variance = _moments(x, axes)
    shape = tuple(normalized_shape)
    w, b = (
        _like_trailing(v, shape, "layer_norm", n) for v, n in ((weight, "weight"), (bias, "bias"))
    )
    return cast_to(_affine(_scaled(centred, variance, eps), w, b), given.dtype)


@public("mint.nn.functional.group_norm")
@operation
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: TensorLike | None = None,
    bias: TensorLike | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Each group of channels of each sample less its mean, divided by its deviation, times
    `weight` plus `bias` of the channel.

    Args:
        input: shape (N, C, ...), floating point.
        num_groups: how many groups there are, a divisor of C.
        weight, bias: shape (C,), or None.
        eps: added to the variance.

    Raises:
        TypeError: `input` is not a Tensor, or `num_groups` not an int.
        ValueError: shapes that do not fit.

    >>> x = Tensor([[[1.0], [3.0], [5.0], [9.0]]])
    >>> print(ops.group_norm(x, num_groups=2, eps=1.0).shape)
    (1, 4, 1)
    """
    given = check_float(input, "group_norm", "input")
    check_ndim(given, "group_norm", "input", at_least=2)
    num_groups = check_int(num_groups, "group_norm", "num_groups")
    if num_groups < 1 or given.shape[1] % num_groups:
        raise error(
            ValueError,
            f"For 'group_norm', the number of channels must be divided by 'num_groups', but got "
            f"{given.shape[1]} channels and {num_groups} groups.",
        )
    x = widened(given)
    w, b = (_per_channel(v, x, "group_norm", n) for v, n in ((weight, "weight"), (bias, "bias")))
    groups = reshape_to(x, (x.shape[0], num_groups, -(-x.size // max(x.shape[0] * num_groups, 1))))
    centred, _, variance = _moments(groups, [2])
    y = reshape_to(_scaled(centred, variance, eps), x.shape)
    return cast_to(_affine(y, w, b), given.dtype)


@public()
@operation
def instance_norm(
    input: Tensor,
    weight: TensorLike | None = None,
    bias: TensorLike | None = None,
    eps: float = 1e-5,
) -> tuple[Tensor, Tensor, Tensor]:
    """Each channel of each sample less its mean, divided by its deviation, times `weight` plus
    `bias`; the second and third results are the channels' mean and unbiased variance, averaged over
    the samples.

    Args:
        input: shape (N, C, ...), floating point, with at least one dimension after the channels.
        weight, bias: shape (C,), or None.
        eps: added to the variance.

    Raises:
        TypeError: `input` is not a Tensor.
        ValueError: shapes that do not fit.

    >>> y, *_ = ops.instance_norm(Tensor([[[[1.0, 3.0]]]]), Tensor([1.0]), Tensor([0.0]))
    >>> print(y)
    [[[[-0.999995  0.999995]]]]
    """
    given = check_float(input, "instance_norm", "input")
    check_ndim(given, "instance_norm", "input", at_least=3)
    x = widened(given)
    axes = list(range(2, x.ndim))
    centred, mean, variance = _moments(x, axes)
    w, b = (_per_channel(v, x, "instance_norm", n) for v, n in ((weight, "weight"), (bias, "bias")))
    count = math.prod(x.shape[2:])
    unbiased = ew.binary("cell.mul", variance, count / max(count - 1, 1))
    averages = [reshape_to(_mean(v, [0]), (x.shape[1],)) for v in (mean, unbiased)]
    y = cast_to(_affine(_scaled(centred, variance, eps), w, b), given.dtype)
    return y, averages[0], averages[1]


@public("ops.RmsNorm(epsilon)(x, gamma)")
@operation
def rms_norm(x: Tensor, gamma: Tensor, epsilon: float = 1e-6) -> tuple[Tensor, Tensor]:
    """The elements of the last dimensions divided by their root mean square, times `gamma`; the
    second result is the reciprocal of the divisor.

    Args:
        x: floating point.
        gamma: of the shape of the last dimensions, which it names.
        epsilon: added to the mean square.

    Returns:
        A Tensor of the shape of `x`, and one whose last dimensions are 1.

    Raises:
        TypeError: `x` or `gamma` is not a Tensor.
        ValueError: shapes that do not fit.

    >>> y, reciprocal = ops.rms_norm(Tensor([[4.0, 4.0]]), Tensor([1.0, 2.0]))
    >>> print(y, reciprocal)
    [[1. 2.]] [[0.25]]
    """
    given = check_float(x, "rms_norm", "x")
    weight = check_tensor(gamma, "rms_norm", "gamma")
    wide = widened(given)
    axes = _trailing(wide, weight.shape, "rms_norm")
    square = _mean(emit("cell.square", [wide]), axes)
    scale = emit("cell.rsqrt", [ew.binary("cell.add", square, real(epsilon))])
    y = emit("cell.mul", [wide, broadcast_to_shape(scale, wide.shape)])
    return cast_to(_affine(y, weight, None), given.dtype), scale


# --- classes ------------------------------------------------------------------------------------


@public()
class BatchNorm(Primitive):
    """`batch_norm` with its statistics: results y, mean, variance, mean, variance.

    `momentum` is the weight of the batch in the running statistics.

    >>> x, one, zero = Tensor([[1.0], [3.0]]), Tensor([1.0]), Tensor([0.0])
    >>> y, *_ = ops.BatchNorm(is_training=False)(x, one, zero, Tensor([2.0]), one)
    >>> print(y)
    [[-0.999995]
     [ 0.999995]]
    """

    def __init__(
        self,
        is_training: bool = False,
        epsilon: float = 1e-5,
        momentum: float = 0.1,
        data_format: str = "NCHW",
    ):
        super().__init__()
        check_one_of(data_format, "BatchNorm", "data_format", ("NCHW",))
        self.is_training, self.epsilon, self.momentum = is_training, epsilon, momentum

    def __call__(
        self, input_x: Tensor, scale: Tensor, bias: Tensor, mean: Tensor, variance: Tensor
    ) -> tuple[Tensor, ...]:
        if not self.is_training:
            y: Tensor = _batch_norm_inference(input_x, mean, variance, scale, bias, self.epsilon)
            return y, mean, variance, mean, variance
        y, m, v = _batch_norm_training(input_x, scale, bias, self.epsilon)
        update_statistics((mean, variance), (m, v), self.momentum, "BatchNorm")
        return y, m, v, m, v


@operation
def _layer_norm_with_statistics(
    x: Tensor, gamma: Tensor, beta: Tensor, norm_axis: int, params_axis: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    given = check_float(x, "LayerNorm", "input_x")
    wide = widened(given)
    axes = list(range(axis_of(norm_axis, wide.ndim, "LayerNorm"), wide.ndim))
    shape = wide.shape[axis_of(params_axis, wide.ndim, "LayerNorm") :]
    w, b = (_like_trailing(v, shape, "LayerNorm", n) for v, n in ((gamma, "gamma"), (beta, "beta")))
    centred, mean, variance = _moments(wide, axes)
    y = _affine(_scaled(centred, variance, eps), w, b)
    return cast_to(y, given.dtype), mean, variance


@public()
class LayerNorm(Primitive):
    """Layer normalisation over the dimensions from `begin_norm_axis` on: results y, mean, variance.

    `gamma` and `beta` have the shape of the dimensions from `begin_params_axis` on.

    >>> x = Tensor([[1.0, 3.0]])
    >>> y, mean, variance = ops.LayerNorm()(x, Tensor([1.0, 1.0]), Tensor([0.0, 0.0]))
    >>> print(y, mean, variance)
    [[-1.  1.]] [[2.]] [[1.]]
    """

    def __init__(self, begin_norm_axis: int = 1, begin_params_axis: int = 1, epsilon: float = 1e-7):
        super().__init__()
        self.begin_norm_axis, self.begin_params_axis = begin_norm_axis, begin_params_axis
        self.epsilon = epsilon

    def __call__(
        self, input_x: Tensor, gamma: Tensor, beta: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        out: tuple[Tensor, Tensor, Tensor] = _layer_norm_with_statistics(
            input_x, gamma, beta, self.begin_norm_axis, self.begin_params_axis, self.epsilon
        )
        return out
