"""Gradients of losses and distances."""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.core.tensor import Tensor
from cellgrad.transforms.gradients.rows import by_name, of, pulled, row

KLDivLossGrad = row("KLDivLossGrad(reduction='mean')(dout, x, target)", of(ops.KLDivLoss))
SmoothL1LossGrad = row(
    "SmoothL1LossGrad(beta=1.0, reduction='none')(x, target, dout)", of(ops.SmoothL1Loss)
)
BinaryCrossEntropyGrad = row(
    "BinaryCrossEntropyGrad(reduction='mean')(x, target, dout, weight=None)",
    of(ops.BinaryCrossEntropy),
)
SigmoidCrossEntropyWithLogitsGrad = row(
    "SigmoidCrossEntropyWithLogitsGrad()(x, target, dout)", of(ops.SigmoidCrossEntropyWithLogits)
)
SoftMarginLossGrad = row(
    "SoftMarginLossGrad(reduction='mean')(x, target, dout)", of(ops.SoftMarginLoss)
)
MultiMarginLossGrad = row(
    "MultiMarginLossGrad(p=1, margin=1.0, reduction='mean')(dout, x, target, weight=None)",
    of(ops.MultiMarginLoss),
)


def _multilabel(name: str, dout: Any, x: Any, target: Any, is_target: Any, reduction: str) -> Any:
    loss = ops.MultilabelMarginLoss(reduction)
    return pulled(name, lambda v: loss(v, target)[0], dout, x)


MultilabelMarginLossGrad = row(
    "MultilabelMarginLossGrad(reduction='mean')(dout, x, target, is_target)", by_name(_multilabel)
)


def _nll(
    name: str,
    x: Any,
    dout: Any,
    labels: Any,
    weight: Any,
    total_weight: Any,
    reduction: str,
    ignore_index: int,
) -> Any:
    loss = ops.NLLLoss(reduction, ignore_index)
    return pulled(name, lambda v: loss(v, labels, weight)[0], dout, x)


NLLLossGrad = row(
    "NLLLossGrad(reduction='mean', ignore_index=-100)(x, dout, labels, weight, total_weight)",
    by_name(_nll),
)
PdistGrad = row("PdistGrad(p=2.0)(dout, x, out)", of(ops.Pdist))


def _cdist(x: Tensor, y: Tensor, p: float) -> Tensor:
    return ops.Cdist(p)(x, y)


CdistGrad = row("CdistGrad(p=2.0)(dout, x, y, out)", of(_cdist))
