"""Losses of classes: cross entropies and multi-class margins."""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import check_number
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.nn.loss.base import LossBase
from cellgrad.ops.class_losses import one_hot
from cellgrad.ops.classes.loss import sparse_cross_entropy

__all__ = [
    "CrossEntropyLoss",
    "FocalLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "MultilabelMarginLoss",
    "NLLLoss",
    "SoftmaxCrossEntropyWithLogits",
]


def _check_weight(weight: Any, owner: str) -> None:
    if weight is not None and not isinstance(weight, Tensor):
        raise error(
            TypeError,
            f"For '{owner}', the 'weight' must be a Tensor or None, but got "
            f"{type(weight).__name__}.",
        )


class CrossEntropyLoss(LossBase):
    """Cross entropy of logits with class indices or probabilities; see `ops.cross_entropy`.

    Args:
        weight: one factor a class, shape (C,).
        ignore_index: a class index that does not count.
        reduction: "mean", "sum" or "none".
        label_smoothing: in [0, 1].

    Inputs:
        logits: shape (C,), (N, C) or (N, C, d1, ...).
        labels: class indices of that shape without C, or probabilities of the same shape.

    Raises:
        TypeError: arguments of wrong types.
        ValueError: shapes that do not fit.

    >>> print(nn.CrossEntropyLoss()(Tensor([[100.0, 0.0]]), Tensor([0], ms.int32)))
    0.0
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ):
        super().__init__(reduction)
        _check_weight(weight, self.cls_name)
        self.weight = weight
        self.ignore_index = ignore_index
        self.reduction = reduction
        self.label_smoothing = label_smoothing

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.cross_entropy(  # type: ignore[no-any-return]
            logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )


class NLLLoss(LossBase):
    """Negative log-likelihood of class indices; see `ops.nll_loss`.

    >>> print(nn.NLLLoss()(Tensor([[-1.0, -0.5], [-0.25, -2.0]]), Tensor([1, 0], ms.int32)))
    0.375
    """

    def __init__(
        self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean"
    ):
        super().__init__(reduction)
        _check_weight(weight, self.cls_name)
        self.weight = weight
        self.ignore_index = ignore_index
        self.reduction = reduction

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return ops.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)  # type: ignore[no-any-return]


class SoftmaxCrossEntropyWithLogits(LossBase):
    """Cross entropy of logits, one loss a row by default.

    Args:
        sparse: whether labels are class indices, not probabilities.
        reduction: "none" (the default), "mean" or "sum".

    Inputs:
        logits: shape (N, C), or (N, ..., C) with `sparse`.
        labels: with `sparse` of the shape of `logits` without C, else (N, C).

    Raises:
        TypeError: inputs of wrong types.
        ValueError: shapes that do not fit.

    >>> loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
    >>> print(loss(Tensor([[0.0, 0.0]]), Tensor([1], ms.int32)))
    [0.6931472]
    """

    def __init__(self, sparse: bool = False, reduction: str = "none"):
        super().__init__(reduction)
        if not isinstance(sparse, bool):
            raise error(
                TypeError,
                f"For '{self.cls_name}', the 'sparse' must be bool, but got "
                f"{type(sparse).__name__}.",
            )
        self.sparse = sparse
        self.reduction = reduction

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        if self.sparse:
            return sparse_cross_entropy(logits, labels, self.reduction, self.cls_name)  # type: ignore[no-any-return]
        if not isinstance(labels, Tensor) or labels.shape != logits.shape:
            given = list(labels.shape) if isinstance(labels, Tensor) else type(labels).__name__
            raise error(
                ValueError,
                f"For '{self.cls_name}', 'labels' must have the shape of 'logits', "
                f"{list(logits.shape)}, but got {given}.",
                "class indices need sparse=True",
            )
        return self.get_loss(ops.SoftmaxCrossEntropyWithLogits()(logits, labels)[0])


class FocalLoss(LossBase):
    """Cross entropy times ``(1 - probability) ** gamma``, so that easy elements count less.

    Args:
        weight: one factor a class, shape (C,).
        gamma: the exponent.
        reduction: "mean", "sum" or "none".

    Inputs:
        logits: shape (N, C), (N, C, L) or (N, C, H, W), C > 1.
        labels: class indices of the same shape but C = 1, or probabilities of the same shape. With
            fewer indices along another dimension, the first elements of `logits` count.

    Raises:
        TypeError: arguments of wrong types.
        ValueError: shapes that do not fit.

    >>> print(nn.FocalLoss()(Tensor([[0.0, 0.0]]), Tensor([[1]])))
    0.1732868
    """

    def __init__(self, weight: Tensor | None = None, gamma: float = 2.0, reduction: str = "mean"):
        super().__init__(reduction)
        _check_weight(weight, self.cls_name)
        if weight is not None and weight.ndim != 1:
            raise error(
                ValueError,
                f"For '{self.cls_name}', the dimension of 'weight' must be 1, but got "
                f"{weight.ndim}.",
            )
        self.weight = weight
        self.gamma = float(check_number(gamma, self.cls_name, "gamma"))

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        if not 2 <= logits.ndim <= 4 or labels.ndim != logits.ndim or logits.shape[1] == 1:
            raise error(
                ValueError,
                f"For '{self.cls_name}', 'logits' must be (N, C), (N, C, L) or (N, C, H, W) with "
                f"C > 1 and 'labels' have as many dimensions, but got {list(logits.shape)} and "
                f"{list(labels.shape)}.",
            )
        if labels.shape[1] not in (1, logits.shape[1]):
            raise error(
                ValueError,
                f"For '{self.cls_name}', 'labels'.shape[1] must be one or equal to "
                f"'logits'.shape[1]: {logits.shape[1]}, but got {labels.shape[1]}.",
            )
        n, c = logits.shape[:2]
        logits, labels = logits.reshape(n, c, -1), labels.reshape(*labels.shape[:2], -1)
        log_p = ops.log_softmax(logits, 1)
        indices = labels.shape[1] == 1
        if indices:
            rows, columns = labels.shape[::2]
            if rows > n or columns > logits.shape[2]:
                raise error(
                    ValueError,
                    f"For '{self.cls_name}', 'labels' must not be longer than 'logits' along any "
                    f"dimension, but there are {rows} rows for {n}, each of {columns} for "
                    f"{logits.shape[2]}.",
                )
            log_p = log_p[:rows, :, :columns]  # what a gather of these indices reads
            labels = one_hot(labels[:, 0].astype(mstype.int32), c, log_p.dtype, self.cls_name)
        factor = ops.pow(1.0 - ops.exp(log_p), self.gamma)
        if self.weight is not None:
            log_p = log_p * self.weight.reshape(1, c, 1)
        loss = -factor * labels.astype(log_p.dtype) * log_p
        return self.get_loss(ops.mean(ops.sum(loss, 1), 1) if indices else ops.mean(loss, -1))


class MultiMarginLoss(LossBase):
    """See `ops.multi_margin_loss`.

    >>> print(nn.MultiMarginLoss()(Tensor([[0.5, 0.25, 1.0]]), Tensor([2])))
    0.25
    """

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        reduction: str = "mean",
        weight: Tensor | None = None,
    ):
        super().__init__(reduction)
        _check_weight(weight, self.cls_name)
        self.p, self.margin, self.reduction, self.weight = p, margin, reduction, weight

    def construct(self, x: Tensor, target: Tensor, weight: Tensor | None = None) -> Tensor:
        weight = self.weight if self.weight is not None else weight
        return ops.multi_margin_loss(x, target, self.p, self.margin, weight, self.reduction)  # type: ignore[no-any-return]


class MultilabelMarginLoss(LossBase):
    """See `ops.multilabel_margin_loss`.

    >>> x = Tensor([[0.5, 0.25, 1.0]])
    >>> print(nn.MultilabelMarginLoss()(x, Tensor([[2, -1, 0]], ms.int32)))
    0.25
    """

    def __init__(self, reduction: str = "mean"):
        super().__init__(reduction)
        self.reduction = reduction

    def construct(self, x: Tensor, target: Tensor) -> Tensor:
        return ops.multilabel_margin_loss(x, target, self.reduction)  # type: ignore[no-any-return]


class MultiLabelSoftMarginLoss(LossBase):
    """See `ops.multilabel_soft_margin_loss`.

    >>> print(nn.MultiLabelSoftMarginLoss()(Tensor([[0.0, 0.0]]), Tensor([[1.0, 0.0]])))
    0.6931472
    """

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean"):
        super().__init__(reduction)
        _check_weight(weight, self.cls_name)
        self.weight, self.reduction = weight, reduction

    def construct(self, x: Tensor, target: Tensor) -> Tensor:
        return ops.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)  # type: ignore[no-any-return]
