"""Normalisation layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import InitLike
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_instance,
    check_int,
    check_ndim,
    check_number,
    check_one_of,
    check_sequence,
)
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.initializer import initializer
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell
from cellgrad.ops.normalization import sync_batch_norm, update_statistics

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "GroupNorm",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LayerNorm",
    "RmsNorm",
    "SyncBatchNorm",
]


def _check_rank(x: Any, ranks: tuple[int, ...], owner: str) -> None:
    check_ndim(check_instance(x, owner, "x", Tensor), owner, "x", *ranks)


class _Statistics(Cell):
    """gamma, beta and moving statistics of each channel."""

    ranks: tuple[int, ...] = ()

    def __init__(
        self,
        num_features: int,
        eps: float,
        momentum: float,
        affine: bool,
        inits: tuple[InitLike, InitLike, InitLike, InitLike],
        dtype: Type | None,
    ):
        super().__init__()
        dtype = mstype.or_default(dtype)
        self.num_features = check_int(num_features, self.cls_name, "num_features", at_least=1)
        self.eps = check_number(eps, self.cls_name, "eps", above=0, at_most=1)
        self.momentum = check_number(momentum, self.cls_name, "momentum", at_least=0, at_most=1)
        check_bool(affine, self.cls_name, "affine")
        gamma, beta, mean, variance = [
            Tensor(initializer(v, (num_features,), dtype), dtype) for v in inits
        ]
        self.moving_mean = Parameter(mean, name="mean", requires_grad=False)
        self.moving_variance = Parameter(variance, name="variance", requires_grad=False)
        self.gamma = Parameter(gamma, name="gamma", requires_grad=affine)
        self.beta = Parameter(beta, name="beta", requires_grad=affine)

    def extend_repr(self) -> str:
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"gamma={self.gamma}, beta={self.beta}, moving_mean={self.moving_mean}, "
            f"moving_variance={self.moving_variance}"
        )


class _BatchNorm(_Statistics):
    """Batch normalisation of (N, C, ...); see `ops.batch_norm`.

    Mean and variance are those of the batch in training mode and the moving ones otherwise, or as
    `use_batch_statistics` says. Where the batch's are used, the moving ones become
    ``momentum old + (1 - momentum) new``, inside compiled code as well.

    Args:
        num_features: C.
        eps: added to the variance.
        momentum: what stays of the moving statistics at each step.
        affine: whether gamma and beta are trainable.
        gamma_init, beta_init, moving_mean_init, moving_var_init: Tensors of shape (C,),
            initializers, their names, or numbers.
        use_batch_statistics: True or False instead of the mode.
        data_format: 'NCHW'.
        dtype: the dtype of the Parameters.

    Raises:
        TypeError, ValueError: arguments of wrong types or out of range, inputs of another rank.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: InitLike = "ones",
        beta_init: InitLike = "zeros",
        moving_mean_init: InitLike = "zeros",
        moving_var_init: InitLike = "ones",
        use_batch_statistics: bool | None = None,
        data_format: str = "NCHW",
        dtype: Type | None = None,
    ):
        inits = (gamma_init, beta_init, moving_mean_init, moving_var_init)
        super().__init__(num_features, eps, momentum, affine, inits, dtype)
        check_one_of(data_format, self.cls_name, "data_format", ("NCHW",))
        if use_batch_statistics is not None and not isinstance(use_batch_statistics, bool):
            wanted = "a boolean value or None"
            raise argument_error(
                ValueError, self.cls_name, "use_batch_statistics", wanted, use_batch_statistics
            )
        self.use_batch_statistics = use_batch_statistics

    def construct(self, x: Tensor) -> Tensor:
        _check_rank(x, self.ranks, self.cls_name)
        of_batch = self.use_batch_statistics
        if of_batch is None:
            of_batch = self.training
        return ops.batch_norm(
            x,
            self.moving_mean,
            self.moving_variance,
            self.gamma,
            self.beta,
            of_batch,
            1 - self.momentum,
            self.eps,
        )


def _documented(base: type[Cell], shape: str, example: str) -> str:
    """What a class says about its inputs, of one shape, and an example."""
    return (base.__doc__ or "").rstrip().replace("(N, C, ...)", shape) + "\n" + example


class BatchNorm1d(_BatchNorm):
    __doc__ = _documented(
        _BatchNorm,
        "(N, C) or (N, C, L)",
        """
    >>> print(nn.BatchNorm1d(2).set_train()(Tensor([[1.0, 2.0], [3.0, 4.0]])))
    [[-0.999995 -0.999995]
     [ 0.999995  0.999995]]
    """,
    )
    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    __doc__ = _documented(
        _BatchNorm,
        "(N, C, H, W)",
        """
    >>> layer = nn.BatchNorm2d(3).set_train()
    >>> print(layer(ops.ones((2, 3, 4, 4))).sum(), layer.moving_mean.value())
    0.0 [0.1 0.1 0.1]
    """,
    )
    ranks = (4,)


class BatchNorm3d(Cell):
    """Batch normalisation of (N, C, D, H, W); see `BatchNorm2d`.

    Its Parameters belong to a sub-Cell `bn2d`, and bear that in their names, as in MindSpore.

    >>> layer = nn.BatchNorm3d(3)
    >>> print(layer(ops.ones((2, 3, 4, 4, 4))).shape)
    (2, 3, 4, 4, 4)
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: InitLike = "ones",
        beta_init: InitLike = "zeros",
        moving_mean_init: InitLike = "zeros",
        moving_var_init: InitLike = "ones",
        use_batch_statistics: bool | None = None,
        dtype: Type | None = None,
    ):
        super().__init__()
        inits = (gamma_init, beta_init, moving_mean_init, moving_var_init)
        self.bn2d = BatchNorm2d(
            num_features, eps, momentum, affine, *inits, use_batch_statistics, dtype=dtype
        )

    def construct(self, x: Tensor) -> Tensor:
        _check_rank(x, (5,), self.cls_name)
        n, c, d, h, w = x.shape
        out: Tensor = ops.reshape(self.bn2d(ops.reshape(x, (n, c, d * h, w))), x.shape)
        return out


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation of (N, C) or (N, C, H, W) as one batch of all ranks, whose batches have
    one size; see `BatchNorm2d`. `process_groups` must be None: the group of all ranks is the only one.

    >>> print(nn.SyncBatchNorm(3)(ops.ones((2, 3, 4, 4))).shape)
    (2, 3, 4, 4)
    """

    ranks = (2, 4)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: InitLike = "ones",
        beta_init: InitLike = "zeros",
        moving_mean_init: InitLike = "zeros",
        moving_var_init: InitLike = "ones",
        use_batch_statistics: bool | None = None,
        process_groups: object = None,
        dtype: Type | None = None,
    ):
        inits = (gamma_init, beta_init, moving_mean_init, moving_var_init)
        super().__init__(
            num_features, eps, momentum, affine, *inits, use_batch_statistics, dtype=dtype
        )
        if process_groups is not None:
            raise error(
                ValueError,
                f"For 'SyncBatchNorm', the 'process_groups' must be None, but got "
                f"{process_groups!r}: the group of all ranks is the only one.",
            )

    def construct(self, x: Tensor) -> Tensor:
        of_batch = self.use_batch_statistics
        if not (self.training if of_batch is None else of_batch):
            return super().construct(x)
        _check_rank(x, self.ranks, self.cls_name)
        running = (self.moving_mean, self.moving_variance)
        return sync_batch_norm(x, running, self.gamma, self.beta, 1 - self.momentum, self.eps)


class _InstanceNorm(_Statistics):
    """Normalisation of each channel of each sample of (N, C, ...); see `ops.instance_norm`.

    The moving statistics are not used; in training mode they become
    ``(1 - momentum) new + momentum old``.

    Args:
        num_features: C.
        eps: added to the variance.
        momentum: what stays of the moving statistics at each step.
        affine: whether gamma and beta are trainable.
        gamma_init, beta_init: Tensors of shape (C,), initializers, their names, or numbers.
        dtype: the dtype of the Parameters.

    Raises:
        TypeError, ValueError: arguments of wrong types or out of range, inputs of another rank.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        gamma_init: InitLike = "ones",
        beta_init: InitLike = "zeros",
        dtype: Type | None = None,
    ):
        inits = (gamma_init, beta_init, "zeros", "ones")
        super().__init__(num_features, eps, momentum, affine, inits, dtype)

    def construct(self, x: Tensor) -> Tensor:
        _check_rank(x, self.ranks, self.cls_name)
        y, mean, variance = ops.instance_norm(x, self.gamma, self.beta, self.eps)
        if self.training:
            moving = (self.moving_mean, self.moving_variance)
            update_statistics(moving, (mean, variance), 1 - self.momentum, self.cls_name)
        out: Tensor = y
        return out


class InstanceNorm1d(_InstanceNorm):
    __doc__ = _documented(
        _InstanceNorm,
        "(N, C, L)",
        """
    >>> print(nn.InstanceNorm1d(1)(Tensor([[[1.0, 3.0]]])))
    [[[-0.999995  0.999995]]]
    """,
    )
    ranks = (3,)


class InstanceNorm2d(_InstanceNorm):
    __doc__ = _documented(
        _InstanceNorm,
        "(N, C, H, W)",
        """
    >>> print(nn.InstanceNorm2d(1)(Tensor([[[[1.0, 3.0]]]])))
    [[[[-0.999995  0.999995]]]]
    """,
    )
    ranks = (4,)


class InstanceNorm3d(_InstanceNorm):
    __doc__ = _documented(
        _InstanceNorm,
        "(N, C, D, H, W)",
        """
    >>> print(nn.InstanceNorm3d(2)(ops.ones((1, 2, 3, 3, 3))).sum())
    0.0
    """,
    )
    ranks = (5,)


class LayerNorm(Cell):
    """Layer normalisation over the dimensions from `begin_norm_axis` on; see `ops.layer_norm`.

    Args:
        normalized_shape: a tuple or list, the shape of gamma and beta.
        begin_norm_axis: the first dimension that is normalised.
        begin_params_axis: the first dimension of gamma and beta.
        gamma_init, beta_init: Tensors, initializers, their names, or numbers.
        epsilon: added to the variance.
        dtype: the dtype of the Parameters.

    Raises:
        TypeError: `normalized_shape` is not a tuple or list.
        ValueError: it is empty, or does not fit the input.

    >>> print(nn.LayerNorm((2,))(Tensor([[1.0, 3.0]])).shape)
    (1, 2)
    """

    def __init__(
        self,
        normalized_shape: Sequence[int],
        begin_norm_axis: int = -1,
        begin_params_axis: int = -1,
        gamma_init: InitLike = "ones",
        beta_init: InitLike = "zeros",
        epsilon: float = 1e-7,
        dtype: Type | None = None,
    ):
        super().__init__()
        dtype = mstype.or_default(dtype)
        checked = check_sequence(normalized_shape, self.cls_name, "normalized_shape", "ints")
        self.normalized_shape = tuple(checked)
        self.begin_norm_axis = begin_norm_axis
        self.begin_params_axis = begin_params_axis
        self.epsilon = epsilon
        gamma, beta = (
            Tensor(initializer(v, self.normalized_shape, dtype), dtype)
            for v in (gamma_init, beta_init)
        )
        self.gamma = Parameter(gamma, name="gamma")
        self.beta = Parameter(beta, name="beta")
        self.layer_norm = ops.LayerNorm(begin_norm_axis, begin_params_axis, epsilon)

    def construct(self, input_x: Tensor) -> Tensor:
        y, _, _ = self.layer_norm(input_x, self.gamma, self.beta)
        out: Tensor = y
        return out

    def extend_repr(self) -> str:
        return (
            f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma{self.gamma}, beta={self.beta}"
        )


class GroupNorm(Cell):
    """Normalisation of groups of channels of (N, C, ...); see `ops.group_norm`.

    Args:
        num_groups: how many groups, a divisor of `num_channels`.
        num_channels: C.
        eps: added to the variance.
        affine: whether gamma and beta are trainable.
        gamma_init, beta_init: Tensors of shape (C,), initializers, their names, or numbers.
        dtype: the dtype of the Parameters.

    Raises:
        TypeError, ValueError: arguments that are not positive ints, or do not divide.

    >>> print(nn.GroupNorm(2, 4)(ops.ones((1, 4, 2, 2))).sum())
    0.0
    """

    gamma: Parameter
    beta: Parameter
    names = ("gamma", "beta")  # of the Parameters

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        gamma_init: InitLike = "ones",
        beta_init: InitLike = "zeros",
        dtype: Type | None = None,
    ):
        super().__init__()
        dtype = mstype.or_default(dtype)
        num_groups = check_int(num_groups, self.cls_name, "num_groups", at_least=1)
        num_channels = check_int(num_channels, self.cls_name, "num_channels", at_least=1)
        if num_channels % num_groups:
            raise error(
                ValueError,
                f"For '{self.cls_name}', the 'num_channels' must be divided by 'num_groups', but "
                f"got 'num_channels': {num_channels}, 'num_groups': {num_groups}.",
            )
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        for name, init in zip(self.names, (gamma_init, beta_init), strict=True):
            value = Tensor(initializer(init, (num_channels,), dtype), dtype)
            setattr(self, name, Parameter(value, name=name, requires_grad=affine))

    def construct(self, x: Tensor) -> Tensor:
        gamma, beta = (getattr(self, name) for name in self.names)
        out: Tensor = ops.group_norm(x, self.num_groups, gamma, beta, self.eps)
        return out

    def extend_repr(self) -> str:
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"


class RmsNorm(Cell):
    """Division of the last dimensions by their root mean square, times gamma; see `ops.rms_norm`.

    Args:
        normalized_shape: a tuple or list, the shape of the last dimensions and of gamma.
        gamma_init: a Tensor, an initializer, its name, or a number.
        epsilon: added to the mean square.
        dtype: the dtype of gamma.

    Raises:
        TypeError: `normalized_shape` is not a tuple or list.
        ValueError: it is empty, or does not fit the input.

    >>> print(nn.RmsNorm([2])(Tensor([[4.0, 4.0]])))
    [[1. 1.]]
    """

    def __init__(
        self,
        normalized_shape: Sequence[int],
        gamma_init: InitLike = "ones",
        epsilon: float = 1e-6,
        dtype: Type | None = None,
    ):
        super().__init__()
        dtype = mstype.or_default(dtype)
        checked = check_sequence(normalized_shape, self.cls_name, "normalized_shape", "ints")
        self.normalized_shape = tuple(checked)
        self.epsilon = epsilon
        gamma = Tensor(initializer(gamma_init, self.normalized_shape, dtype), dtype)
        self.gamma = Parameter(gamma, name="gamma")

    def construct(self, x: Tensor) -> Tensor:
        y, _ = ops.rms_norm(x, self.gamma, self.epsilon)
        out: Tensor = y
        return out

    def extend_repr(self) -> str:
        return f"normalized_shape={self.normalized_shape}, epsilon={self.epsilon}"
