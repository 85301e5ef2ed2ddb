"""MindSpore's primitives of connectionist temporal classification, in terms of `ops.ctc_loss`."""

from __future__ import annotations

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_dtype,
    check_ndim,
    check_one_of,
    check_shape,
)
from cellgrad.core.record import check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.nn.loss.ctc_loss import ctc_loss
from cellgrad.ops._elementwise import Primitive
from cellgrad.transforms.products import vjp

__all__ = ["CTCLoss", "CTCLossV2"]


class CTCLossV2(Primitive):
    """The loss of each text of a batch; see `ops.ctc_loss`.

    Args:
        blank: the class that stands for no letter.
        reduction: "none".
        zero_infinity: whether impossible texts have loss 0 instead of infinity.

    Inputs:
        log_probs: shape (T, N, C).
        targets: shape (N, S).
        input_lengths, target_lengths: shape (N).

    Outputs:
        the losses, shape (N); the logarithms of the probabilities of all beginnings, shape
        (N, T, 2 * S + 1).

    Raises:
        TypeError, ValueError: as `ops.ctc_loss`, or another `reduction`.

    >>> log_probs = ops.log_softmax(ops.zeros((3, 1, 3)), -1)
    >>> lengths = Tensor([3], ms.int32), Tensor([2], ms.int32)
    >>> print(ops.CTCLossV2()(log_probs, Tensor([[1, 2]], ms.int32), *lengths)[0])
    [1.686399]
    """

    def __init__(self, blank: int = 0, reduction: str = "none", zero_infinity: bool = False):
        super().__init__()
        check_one_of(reduction, self.name, "reduction", ("none",))
        self.blank, self.reduction = blank, reduction
        self.zero_infinity = check_bool(zero_infinity, self.name, "zero_infinity")

    def __call__(
        self,
        log_probs: Tensor,
        targets: Tensor,
        input_lengths: TensorLike,
        target_lengths: TensorLike,
    ) -> tuple[Tensor, Tensor]:
        return ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )


@operation
def _sparse_ctc(
    x: Tensor, indices: Tensor, values: Tensor, lengths: Tensor, zero_infinity: bool
) -> tuple[Tensor, Tensor]:
    steps, batch, classes = x.shape
    ones = ops.ones(values.shape, mstype.int32)
    texts = ops.scatter_nd(indices, values, (batch, steps))
    counts = ops.scatter_nd(indices, ones, (batch, steps)).sum(1).astype(mstype.int32)

    def losses(logits: Tensor) -> Tensor:
        log_probs = ops.log_softmax(logits, -1)
        return ctc_loss(log_probs, texts, lengths, counts, classes - 1, "none", zero_infinity)[0]

    loss, pull = vjp(losses, x)
    return loss, pull(ops.ones_like(loss))[0]


class CTCLoss(Primitive):
    """The loss of each text of a batch, and its gradient; the texts are those of a sparse matrix, and the
    last class stands for no letter.

    Args:
        preprocess_collapse_repeated, ctc_merge_repeated: only False and True, as no text is changed.
        ignore_longer_outputs_than_inputs: whether texts longer than their steps have loss 0.

    Inputs:
        x: values before softmax, floating point, shape (T, N, C).
        labels_indices: int64, shape (L, 2): the text, and the place in it, of each letter.
        labels_values: the letters, int32, shape (L).
        sequence_length: how many steps of each count, int32, shape (N).

    Outputs:
        the losses, shape (N); their gradient by `x`, shape (T, N, C).

    Raises:
        TypeError: arguments of another type or dtype.
        ValueError: shapes that do not fit, or another setting.

    >>> at, letters = Tensor([[0, 0], [0, 1]], ms.int64), Tensor([0, 1], ms.int32)
    >>> loss, slope = ops.CTCLoss()(ops.zeros((3, 1, 3)), at, letters, Tensor([3], ms.int32))
    >>> print(loss, slope.shape)
    [1.686399] (3, 1, 3)
    """

    def __init__(
        self,
        preprocess_collapse_repeated: bool = False,
        ctc_merge_repeated: bool = True,
        ignore_longer_outputs_than_inputs: bool = False,
    ):
        super().__init__()
        for name, value, wanted in (
            ("preprocess_collapse_repeated", preprocess_collapse_repeated, False),
            ("ctc_merge_repeated", ctc_merge_repeated, True),
        ):
            if check_bool(value, self.name, name) != wanted:
                hint = "merge repeated letters of the texts before the call"
                raise argument_error(ValueError, self.name, name, str(wanted), value, hint)
        self.ignore = check_bool(
            ignore_longer_outputs_than_inputs, self.name, "ignore_longer_outputs_than_inputs"
        )

    def __call__(
        self, x: Tensor, labels_indices: Tensor, labels_values: Tensor, sequence_length: Tensor
    ) -> tuple[Tensor, Tensor]:
        name = self.name
        logits = check_ndim(check_dtype(check_tensor(x, name, "x"), name, "x", "f"), name, "x", 3)
        at = check_tensor(labels_indices, name, "labels_indices")
        values = check_ndim(
            check_tensor(labels_values, name, "labels_values"), name, "labels_values", 1
        )
        lengths = check_tensor(sequence_length, name, "sequence_length")
        kinds = (("labels_indices", at, mstype.int64), ("labels_values", values, mstype.int32))
        for what, given, kind in (*kinds, ("sequence_length", lengths, mstype.int32)):
            check_one_of(given.dtype, name, what, (kind,), TypeError)
        check_shape(at, name, "labels_indices", (values.shape[0], 2))
        check_shape(lengths, name, "sequence_length", (logits.shape[1],))
        out: tuple[Tensor, Tensor] = _sparse_ctc(logits, at, values, lengths, self.ignore)
        return out
