"""Class forms of losses: ``ops.SmoothL1Loss(beta=0.5)(x, y)``."""

from __future__ import annotations

from typing import Any

from cellgrad.core.arguments import check_shape
from cellgrad.core.record import check_float, check_tensor, emit, operation, reshape_to
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import class_losses, losses, reductions
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops.exponentials import log_softmax


class _Reduced(Primitive):
    def __init__(self, reduction: str = "mean"):
        super().__init__()
        losses.check_reduction(reduction, self.name, ("batchmean",))
        self.reduction = reduction


@public()
class BinaryCrossEntropy(_Reduced):
    """See `ops.binary_cross_entropy`.

    >>> print(ops.BinaryCrossEntropy()(Tensor([0.5, 0.25]), Tensor([1.0, 0.0])))
    0.49041462
    """

    def __call__(self, input: Tensor, target: Tensor, weight: Tensor | None = None) -> Tensor:
        return losses.binary_cross_entropy(input, target, weight, self.reduction)


@public()
class BCEWithLogitsLoss(_Reduced):
    """See `ops.binary_cross_entropy_with_logits`.

    >>> x, y, ones = Tensor([0.0, 0.0]), Tensor([1.0, 0.0]), ops.ones(2)
    >>> print(ops.BCEWithLogitsLoss()(x, y, ones, ones))
    0.6931472
    """

    def __call__(
        self,
        input: Tensor,
        target: Tensor,
        weight: Tensor | None = None,
        posWeight: Tensor | None = None,
    ) -> Tensor:
        return losses.binary_cross_entropy_with_logits(
            input, target, weight, posWeight, self.reduction
        )


@public()
class KLDivLoss(_Reduced):
    """See `ops.kl_div`.

    >>> print(ops.KLDivLoss("sum")(Tensor([-1.0, -0.5]), Tensor([0.5, 0.5])))
    0.056852818
    """

    def __call__(self, logits: Tensor, labels: Tensor) -> Tensor:
        return losses.kl_div(logits, labels, self.reduction)


@public()
class SoftMarginLoss(_Reduced):
    """See `ops.soft_margin_loss`.

    >>> print(ops.SoftMarginLoss()(Tensor([0.0, 0.0]), Tensor([1.0, -1.0])))
    0.6931472
    """

    def __call__(self, input: Tensor, target: Tensor) -> Tensor:
        return losses.soft_margin_loss(input, target, self.reduction)


@public()
class MultilabelMarginLoss(_Reduced):
    """See `ops.multilabel_margin_loss`; the second result is which classes are labels.

    >>> x, labels = Tensor([[0.5, 0.25, 1.0]]), Tensor([[2, -1, 0]], ms.int32)
    >>> loss, is_label = ops.MultilabelMarginLoss()(x, labels)
    >>> print(loss, is_label)
    0.25 [[0 0 1]]
    """

    def __call__(self, x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        return (
            class_losses.multilabel_margin_loss(x, target, self.reduction),
            class_losses.label_mask(x, target),
        )


@public()
class NLLLoss(Primitive):
    """Negative log-likelihood and the sum of the weights that its mean divides by; see
    `ops.nll_loss`.

    >>> x, weights = Tensor([[-1.0, -0.5], [-0.25, -2.0]]), Tensor([1.0, 3.0])
    >>> loss, total = ops.NLLLoss()(x, Tensor([1, 0], ms.int32), weights)
    >>> print(loss, total)
    0.4375 4.0
    """

    def __init__(self, reduction: str = "mean", ignore_index: int = -100):
        super().__init__()
        losses.check_reduction(reduction, self.name)
        self.reduction, self.ignore_index = reduction, ignore_index

    def __call__(self, logits: Tensor, labels: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        loss = class_losses.nll_loss(logits, labels, weight, self.ignore_index, self.reduction)
        return loss, class_losses.total_weight(logits, labels, weight, self.ignore_index)


@operation
def _softmax_cross_entropy(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    x = check_float(logits, "SoftmaxCrossEntropyWithLogits", "logits")
    y = check_float(labels, "SoftmaxCrossEntropyWithLogits", "labels")
    gradient = emit("cell.stop_gradient", [reductions.softmax(x, 1) - y])
    return -reductions.sum(y * log_softmax(x, 1), 1), gradient


@public()
class SoftmaxCrossEntropyWithLogits(Primitive):
    """Cross entropy of each row with a row of probabilities, and its gradient in the logits.

    Inputs:
        logits, labels: shape (N, C).

    >>> logits, labels = Tensor([[0.0, 0.0]]), Tensor([[0.0, 1.0]])
    >>> loss, gradient = ops.SoftmaxCrossEntropyWithLogits()(logits, labels)
    >>> print(loss, gradient)
    [0.6931472] [[ 0.5 -0.5]]
    """

    def __call__(self, logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        out: tuple[Tensor, Tensor] = _softmax_cross_entropy(logits, labels)
        return out


def class_rows(logits: Any, labels: Any, op: str) -> tuple[Tensor, Tensor]:
    """Logits whose last dimension has the classes as rows, and their class indices one after the other.

    Raises:
        TypeError: no Tensors, or logits that are no floats.
        ValueError: shapes that do not fit.
    """
    x, t = check_float(logits, op, "logits"), check_tensor(labels, op, "labels")
    if x.ndim > 2:
        check_shape(t, op, "labels", x.shape[:-1], "that of 'logits' without the classes")
        x, t = reshape_to(x, (t.size, x.shape[-1])), reshape_to(t, (t.size,))
    return x, t


@operation
def _sparse_gradient(logits: Tensor, labels: Tensor) -> Tensor:
    x, t = class_rows(logits, labels, "SparseSoftmaxCrossEntropyWithLogits")
    chosen = class_losses.is_class(t, x.shape[1], 1)
    slope = (reductions.softmax(x, 1) - chosen.astype(x.dtype)) / x.shape[0]
    return reshape_to(slope, logits.shape)


@operation
def sparse_cross_entropy(logits: Tensor, labels: Tensor, reduction: str, op: str) -> Tensor:
    """The cross entropy of rows, the last dimension of `logits`, with class indices, on behalf of `op`."""
    x, t = class_rows(logits, labels, op)
    loss = class_losses.cross_entropy(x, t, reduction=reduction)
    return loss if reduction != "none" else reshape_to(loss, labels.shape)


@public()
class SparseSoftmaxCrossEntropyWithLogits(Primitive):
    """The mean cross entropy of rows with class indices or, with `is_grad`, its gradient in the
    logits.

    Inputs:
        logits: shape (N, C) or (N, ..., C).
        labels: class indices, of that shape without C.

    >>> logits, labels = Tensor([[0.0, 0.0]]), Tensor([1], ms.int32)
    >>> print(ops.SparseSoftmaxCrossEntropyWithLogits()(logits, labels))
    0.6931472
    """

    def __init__(self, is_grad: bool = False):
        super().__init__()
        self.is_grad = is_grad

    def __call__(self, logits: Tensor, labels: Tensor) -> Tensor:
        if self.is_grad:
            out: Tensor = _sparse_gradient(logits, labels)
            return out
        loss: Tensor = sparse_cross_entropy(logits, labels, "mean", self.name)
        return loss


@public()
class L2Loss(Primitive):
    """Half the sum of squares.

    >>> print(ops.L2Loss()(Tensor([3.0, 4.0])))
    12.5
    """

    def __call__(self, input_x: Tensor) -> Tensor:
        out: Tensor = _half_square(input_x)
        return out


@operation
def _half_square(x: Tensor) -> Tensor:
    return reductions.sum(gen.square(check_float(x, "L2Loss", "input_x"))) * 0.5  # type: ignore[no-any-return]
