"""The loss of texts that are not aligned with what spells them."""

from __future__ import annotations

from cellgrad import ops
from cellgrad.core.arguments import check_instance
from cellgrad.core.tensor import Tensor
from cellgrad.nn.loss.base import LossBase

__all__ = ["CTCLoss"]


class CTCLoss(LossBase):
    """Connectionist temporal classification; see `ops.ctc_loss`.

    Args:
        blank: the class that stands for no letter.
        reduction: "none", "mean" or "sum".
        zero_infinity: whether impossible texts have loss 0 instead of infinity.

    Inputs:
        log_probs: shape (T, N, C), or (T, C) for one text.
        targets: shape (N, S), or (S).
        input_lengths, target_lengths: shape (N).

    Outputs:
        the loss.

    Raises:
        TypeError, ValueError: as `ops.ctc_loss`.

    >>> log_probs = ops.log_softmax(ops.zeros((3, 1, 3)), -1)
    >>> lengths = Tensor([3], ms.int32), Tensor([2], ms.int32)
    >>> print(nn.CTCLoss()(log_probs, Tensor([[1, 2]], ms.int32), *lengths))
    0.8431995
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False):
        super().__init__()
        self.blank, self.reduction, self.zero_infinity = blank, reduction, zero_infinity

    def construct(
        self,
        log_probs: Tensor,
        targets: Tensor,
        input_lengths: Tensor,
        target_lengths: Tensor,
    ) -> Tensor:
        for name, value in (("log_probs", log_probs), ("targets", targets)):
            check_instance(value, "CTCLoss", name, Tensor)
        single = log_probs.ndim == 2
        if single:
            log_probs = ops.expand_dims(log_probs, 1)
            targets = ops.expand_dims(targets, 0) if targets.ndim == 1 else targets
        loss: Tensor = ops.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )[0]
        return loss.squeeze(0) if single and loss.ndim else loss
