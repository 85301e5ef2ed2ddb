"""Gradients of losses and distances."""

from __future__ import annotations

import math
from typing import Any

from cellgrad import ops
from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.transforms.gradients.rows import by_name, of, pulled, row


def _kl(x: Tensor, target: Tensor, reduction: str) -> Tensor:
    """The loss, with the slope that MindSpore's kernel and PyTorch give it where the target is below 0, and the
    value is 0 all the same.
    """
    loss = ops.KLDivLoss(reduction)
    out: Tensor = loss(x, target) - loss(x, ops.relu(-target))
    return out


KLDivLossGrad = row("KLDivLossGrad(reduction='mean')(dout, x, target)", of(_kl))
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


def _cdist(name: str, dout: Any, x: Any, y: Any, out: Any, p: float) -> Any:
    """As MindSpore's kernel divides by powers of `out`: another one than the distances has its effect."""
    distances = ops.Cdist(p)
    given, kept = check_tensor(dout, name, "dout"), check_tensor(out, name, "out")
    if p not in (0, 1, math.inf):
        true = distances(x, y)
        none = ops.logical_or(kept == 0, true == 0)
        ratio = ops.where(none, 1.0, true) / ops.where(none, 1.0, kept)
        given = ops.where(none, 0.0, given * ratio ** (p - 1))
    return pulled(name, distances, given, x, y)


CdistGrad = row("CdistGrad(p=2.0)(dout, x, y, out)", by_name(_cdist))
