"""Losses of values: regression, probabilities, similarity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cellgrad import ops
from cellgrad.core.arguments import check_instance, check_number
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.nn.loss.base import LossBase

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CosineEmbeddingLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "L1Loss",
    "MAELoss",
    "MSELoss",
    "MarginRankingLoss",
    "PoissonNLLLoss",
    "RMSELoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


class _Reduced(LossBase):
    """A loss that keeps the name of its reduction."""

    def __init__(self, reduction: str = "mean"):
        super().__init__(reduction)
        self.reduction = reduction

    def extend_repr(self) -> str:
        return f"reduction={self.reduction}"


def _check_tensors(owner: str, **inputs: Any) -> None:
    for name, value in inputs.items():
        check_instance(value, owner, name, Tensor)


# --- differences ------------------------------------------------------------------------------


class MSELoss(LossBase):
    """Mean squared error, ``mean((logits - labels) ** 2)``.

    Args:
        reduction: ``"mean"``, ``"sum"`` or ``"none"`` (elementwise, of the broadcast shape).

    Inputs:
        logits, labels: Tensors of shapes that broadcast.

    Raises:
        TypeError: an input that is not a Tensor.
        ValueError: shapes that do not broadcast.

    >>> print(nn.MSELoss()(Tensor([1.0, 2.0]), Tensor([1.0, 4.0])))
    2.0
    """

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        _check_tensors("MSELoss", logits=logits, labels=labels)
        return self.get_loss(ops.square(logits - labels))


class RMSELoss(LossBase):
    """Root of the mean squared error; its gradient is NaN where the error is 0.

    >>> print(nn.RMSELoss()(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
    2.0
    """

    def __init__(self) -> None:
        super().__init__()

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        _check_tensors("RMSELoss", logits=logits, label=label)
        return ops.sqrt(self.get_loss(ops.square(logits - label)))  # type: ignore[no-any-return]


class MAELoss(LossBase):
    """Mean absolute error; arguments as of `MSELoss`.

    >>> print(nn.MAELoss()(Tensor([1.0, 2.0]), Tensor([1.5, 4.0])))
    1.25
    """

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        _check_tensors("MAELoss", logits=logits, label=label)
        return self.get_loss(ops.abs(logits - label))


class L1Loss(_Reduced):
    """Mean absolute error; see `ops.l1_loss`.

    >>> print(nn.L1Loss()(Tensor([1.0, 2.0]), Tensor([1.0, 4.0])))
    1.0
    """

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.l1_loss(logits, labels, self.reduction)  # type: ignore[no-any-return]


class SmoothL1Loss(_Reduced):
    """Quadratic below `beta`, linear above; see `ops.smooth_l1_loss`. Not reduced by default.

    >>> print(nn.SmoothL1Loss()(Tensor([1.0, 2.0]), Tensor([1.5, 4.0])))
    [0.125 1.5  ]
    """

    def __init__(self, beta: float = 1.0, reduction: str = "none"):
        super().__init__(reduction)
        self.beta = beta

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.smooth_l1_loss(logits, labels, self.beta, self.reduction)  # type: ignore[no-any-return]


class HuberLoss(_Reduced):
    """Quadratic below `delta`, linear above; see `ops.huber_loss`.

    >>> print(nn.HuberLoss()(Tensor([1.0, 2.0]), Tensor([1.5, 4.0])))
    0.8125
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0):
        super().__init__(reduction)
        self.delta = delta

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.huber_loss(logits, labels, self.reduction, self.delta)  # type: ignore[no-any-return]


# --- probabilities ----------------------------------------------------------------------------


class BCELoss(_Reduced):
    """Binary cross entropy of probabilities; see `ops.binary_cross_entropy`.

    >>> print(nn.BCELoss()(Tensor([0.5, 0.25]), Tensor([1.0, 0.0])))
    0.49041462
    """

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean"):
        super().__init__(reduction)
        self.weight = weight

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.binary_cross_entropy(logits, labels, self.weight, self.reduction)  # type: ignore[no-any-return]


class BCEWithLogitsLoss(_Reduced):
    """Binary cross entropy of logits; see `ops.binary_cross_entropy_with_logits`.

    Raises:
        TypeError: a weight that is a Parameter.

    >>> print(nn.BCEWithLogitsLoss()(Tensor([0.0, 0.0]), Tensor([1.0, 0.0])))
    0.6931472
    """

    def __init__(
        self,
        reduction: str = "mean",
        weight: Tensor | None = None,
        pos_weight: Tensor | None = None,
    ):
        super().__init__(reduction)
        for name, value in (("weight", weight), ("pos_weight", pos_weight)):
            if isinstance(value, Parameter):
                raise error(
                    TypeError, f"For '{self.cls_name}', the '{name}' can not be a Parameter."
                )
        self.weight = weight
        self.pos_weight = pos_weight

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return ops.binary_cross_entropy_with_logits(  # type: ignore[no-any-return]
            input, target, self.weight, self.pos_weight, self.reduction
        )


class GaussianNLLLoss(_Reduced):
    """Negative log-likelihood under normal distributions; see `ops.gaussian_nll_loss`.

    >>> mean, target, var = Tensor([0.0, 1.0]), Tensor([1.0, 1.0]), Tensor([1.0, 1.0])
    >>> print(nn.GaussianNLLLoss()(mean, target, var))
    0.25
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean"):
        super().__init__(reduction)
        self.full, self.eps = full, eps

    def construct(self, logits: Tensor, labels: Tensor, var: Tensor) -> Tensor:
        return ops.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)  # type: ignore[no-any-return]


class PoissonNLLLoss(_Reduced):
    """Negative log-likelihood of counts; see `ops.poisson_nll_loss`.

    >>> print(nn.PoissonNLLLoss()(Tensor([0.0, 0.0]), Tensor([1.0, 2.0])))
    1.0
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        eps: float = 1e-8,
        reduction: str = "mean",
    ):
        super().__init__(reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return ops.poisson_nll_loss(  # type: ignore[no-any-return]
            input, target, self.log_input, self.full, self.eps, self.reduction
        )


# --- similarity and margins -------------------------------------------------------------------


class CosineEmbeddingLoss(_Reduced):
    """Angles of pairs that belong together or do not; see `ops.cosine_embedding_loss`.

    >>> x, y = Tensor([[3.0, 4.0]]), Tensor([[4.0, 3.0]])
    >>> print(nn.CosineEmbeddingLoss(margin=0.5)(x, y, Tensor([-1], ms.int32)))
    0.45999998
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean"):
        super().__init__(reduction)
        check_number(margin, self.cls_name, "margin", at_least=-1, at_most=1)
        self.margin = float(margin)

    def construct(self, logits_x1: Tensor, logits_x2: Tensor, labels: Tensor) -> Tensor:
        return ops.cosine_embedding_loss(logits_x1, logits_x2, labels, self.margin, self.reduction)  # type: ignore[no-any-return]


class MarginRankingLoss(_Reduced):
    """See `ops.margin_ranking_loss`.

    >>> x, y, target = Tensor([1.0, 2.0]), Tensor([2.0, 1.0]), Tensor([1.0, 1.0])
    >>> print(nn.MarginRankingLoss()(x, y, target))
    0.5
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean"):
        super().__init__(reduction)
        self.margin = margin

    def construct(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return ops.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)  # type: ignore[no-any-return]


class HingeEmbeddingLoss(_Reduced):
    """See `ops.hinge_embedding_loss`.

    >>> print(nn.HingeEmbeddingLoss()(Tensor([0.5, 0.25]), Tensor([1.0, -1.0])))
    0.625
    """

    def __init__(self, margin: float = 1.0, reduction: str = "mean"):
        super().__init__(reduction)
        self.margin = margin

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.hinge_embedding_loss(logits, labels, self.margin, self.reduction)  # type: ignore[no-any-return]


class SoftMarginLoss(_Reduced):
    """See `ops.soft_margin_loss`.

    >>> print(nn.SoftMarginLoss()(Tensor([0.0, 0.0]), Tensor([1.0, -1.0])))
    0.6931472
    """

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.soft_margin_loss(logits, labels, self.reduction)  # type: ignore[no-any-return]


class TripletMarginLoss(_Reduced):
    """See `ops.triplet_margin_loss`.

    >>> anchor, near, far = Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]]), Tensor([[0.0, 5.5]])
    >>> print(ops.round(nn.TripletMarginLoss()(anchor, near, far), decimals=3))
    0.5
    """

    def __init__(
        self,
        p: int = 2,
        swap: bool = False,
        eps: float = 1e-6,
        reduction: str = "mean",
        margin: float = 1.0,
    ):
        super().__init__(reduction)
        self.p, self.swap, self.eps, self.margin = p, swap, eps, margin

    def construct(
        self, x: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0
    ) -> Tensor:
        return ops.triplet_margin_loss(  # type: ignore[no-any-return]
            x,
            positive,
            negative,
            self.margin if self.margin != 1 else margin,
            self.p,
            self.eps,
            self.swap,
            self.reduction,
        )


class TripletMarginWithDistanceLoss(LossBase):
    """`TripletMarginLoss` with a distance of one's own: a function of two Tensors; the Euclidean
    one along dimension 1 by default.

    >>> anchor, near, far = Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]]), Tensor([[0.0, 5.5]])
    >>> loss = nn.TripletMarginWithDistanceLoss(lambda x, y: (x - y).abs().sum(-1))
    >>> print(loss(anchor, near, far))
    2.5
    """

    def __init__(
        self,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        swap: bool = False,
        reduction: str = "mean",
        margin: float = 1.0,
    ):
        super().__init__(reduction)
        self.distance_function = distance_function or _euclidean
        self.swap, self.margin = swap, margin

    def construct(self, x: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        near, far = self.distance_function(x, positive), self.distance_function(x, negative)
        if self.swap:
            far = ops.minimum(far, self.distance_function(positive, negative))
        return self.get_loss(ops.maximum(near - far + self.margin, 0.0))


def _euclidean(x: Tensor, y: Tensor) -> Tensor:
    return ops.sqrt(ops.sum(ops.square(x - y), 1))  # type: ignore[no-any-return]
