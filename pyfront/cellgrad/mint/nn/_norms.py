"""Batch normalisation of ``mint.nn``, with PyTorch's names of Parameters and meaning of momentum."""

from __future__ import annotations

import numpy as np

from cellgrad import nn, ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import argument_error, check_bool, check_int
from cellgrad.core.dtype import Type, or_default
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.mint import _helpers as h


class _BatchNorm(nn.Cell):
    """Each channel less its mean, divided by its deviation, times `weight` plus `bias`.

    Mean and variance are those of the batch while the Cell trains, and the running ones otherwise,
    which become ``(1 - momentum) old + momentum new`` in training.

    Args:
        num_features: the number of channels.
        eps: added to the variance.
        momentum: the weight of the batch in the running statistics; None for the mean of all batches.
        affine: whether there are `weight` and `bias`.
        track_running_stats: False for no running statistics: those of the batch always. Else the Parameter
            `num_batches_tracked` (int64) counts the batches of training.
        dtype: the dtype of the Parameters.

    Raises:
        TypeError: arguments of wrong types.
        ValueError: `num_features` below 1, or an input of other dimensions.
    """

    ranks: tuple[int, ...] = ()

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        dtype: Type | None = None,
    ):
        super().__init__()
        n = check_int(num_features, self.cls_name, "num_features", at_least=1)
        kind = or_default(dtype)
        self.num_features, self.eps, self.momentum = n, eps, momentum
        self.affine = check_bool(affine, self.cls_name, "affine")
        self.track_running_stats = check_bool(
            track_running_stats, self.cls_name, "track_running_stats"
        )

        def made(value: float, name: str, trained: bool) -> Parameter:
            full = Tensor(np.full(n, value), kind)
            return Parameter(full, name=name, requires_grad=trained)

        self.weight = made(1.0, "weight", True) if affine else None
        self.bias = made(0.0, "bias", True) if affine else None
        self.running_mean = made(0.0, "running_mean", False) if track_running_stats else None
        self.running_var = made(1.0, "running_var", False) if track_running_stats else None
        self.num_batches_tracked = None
        if track_running_stats:
            count = Tensor(0, mstype.int64)
            self.num_batches_tracked = Parameter(
                count, name="num_batches_tracked", requires_grad=False
            )

    def construct(self, input: Tensor) -> Tensor:
        if input.ndim not in self.ranks:
            wanted = f"of {' or '.join(map(str, self.ranks))} dimensions"
            raise argument_error(ValueError, self.cls_name, "input", wanted, input)
        momentum: TensorLike | None = self.momentum
        if self.training and self.num_batches_tracked is not None:
            ops.assign_add(self.num_batches_tracked, 1)
            if momentum is None:
                momentum = ops.div(1.0, self.num_batches_tracked)
        return h.batch_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training,
            momentum,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    __doc__ = (
        (_BatchNorm.__doc__ or "")
        + """
    >>> print(mint.nn.BatchNorm1d(1)(Tensor([[1.0], [3.0]])).shape)
    (2, 1)
    """
    )
    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    __doc__ = (
        (_BatchNorm.__doc__ or "")
        + """
    >>> print(mint.nn.BatchNorm2d(2)(ops.ones((1, 2, 3, 3))).shape)
    (1, 2, 3, 3)
    """
    )
    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    __doc__ = (
        (_BatchNorm.__doc__ or "")
        + """
    >>> print(mint.nn.BatchNorm3d(2)(ops.ones((1, 2, 3, 3, 3))).shape)
    (1, 2, 3, 3, 3)
    """
    )
    ranks = (5,)
