"""Connectionist temporal classification: the probability of a text under all its alignments.

The sum over alignments is Graves' forward recursion in logarithms, one loop over time; its gradient
is that of the loop.
"""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.capture.repeat import repeat
from cellgrad.capture.rows import Rows
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_dtype,
    check_one_of,
    check_shape,
)
from cellgrad.core.errors import error
from cellgrad.core.record import cast_to, check_tensor, emit, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops._index import check
from cellgrad.ops.losses import check_reduction

__all__ = ["ctc_loss"]

# The logarithm of what is impossible: finite, so that differences of two are, and its derivative.
_NEVER = -1e30
_INTEGERS = (mstype.int32, mstype.int64)


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: TensorLike,
    target_lengths: TensorLike,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> tuple[Tensor, Tensor]:
    """The negative logarithm of the probability that steps over time spell a text.

    Args:
        log_probs: logarithms of probabilities, floating point, shape (T, N, C): T steps of a batch
            of N with C classes.
        targets: the texts, int32 or int64, shape (N, S), without `blank`.
        input_lengths: how many steps of each count, shape (N), a Tensor or tuple of ints in [1, T].
        target_lengths: how many letters of each count, shape (N), in [0, S].
        blank: the class that stands for no letter.
        reduction: "none"; "mean" of the losses over the lengths of their texts; "sum".
        zero_infinity: whether the loss is 0, and has no gradient, where no alignment exists,
            instead of infinite.

    Returns:
        the loss, shape (N) or (); the logarithms of the probabilities of all beginnings, shape
        (N, T, 2 * S + 1).

    Raises:
        TypeError: arguments of another type or dtype.
        ValueError: shapes that do not fit, `blank` outside [0, C), another `reduction`, letters
            outside [0, C), lengths outside [0, T] and [0, S].

    >>> log_probs = ops.log_softmax(ops.zeros((3, 1, 3)), -1)
    >>> lengths = Tensor([3], ms.int32), Tensor([2], ms.int32)
    >>> loss, _ = ops.ctc_loss(log_probs, Tensor([[1, 2]], ms.int32), *lengths)
    >>> print(loss)
    0.8431995
    """
    check_reduction(reduction, "ctc_loss")
    log_probs = check_tensor(log_probs, "ctc_loss", "log_probs")
    targets = check_tensor(targets, "ctc_loss", "targets")
    check_bool(zero_infinity, "ctc_loss", "zero_infinity")
    check_dtype(log_probs, "ctc_loss", "log_probs", "f")
    if log_probs.ndim != 3 or targets.ndim != 2 or targets.shape[0] != log_probs.shape[1]:
        raise error(
            ValueError,
            f"For 'ctc_loss', the 'log_probs' must have shape (T, N, C) and the 'targets' (N, S), "
            f"but got {list(log_probs.shape)} and {list(targets.shape)}.",
        )
    if isinstance(blank, bool) or not isinstance(blank, int) or not 0 <= blank < log_probs.shape[2]:
        raise argument_error(
            ValueError, "ctc_loss", "blank", f"an int in [0, {log_probs.shape[2]})", blank
        )
    batch = targets.shape[0]
    lengths = []
    for name, value in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if isinstance(value, tuple | list):
            value = Tensor(value)  # floats stay, and are refused
        value = check_tensor(value, "ctc_loss", name)
        check_shape(value, "ctc_loss", name, (batch,))
        lengths.append(value)
    for name, value in zip(("targets", "input_lengths", "target_lengths"), (targets, *lengths)):
        check_one_of(value.dtype, "ctc_loss", name, _INTEGERS, TypeError)
    out: tuple[Tensor, Tensor] = _ctc_loss(
        log_probs, targets, lengths[0], lengths[1], blank, reduction, zero_infinity
    )
    return out


def _check_range(x: Tensor, low: int, high: int, what: str) -> None:
    """Ends the call with an error unless all of some integers are in a range."""
    inside = ops.logical_and(x >= low, x <= high)
    check(
        inside,
        f"For 'ctc_loss', {what} must be in [{low}, {high}].",
        ValueError,
        "look at the data",
    )


def _before(alpha: Tensor, places: int) -> Tensor:
    """The beginnings that end some places earlier."""
    batch, size = alpha.shape
    if size <= places:
        return ops.full((batch, size), _NEVER, dtype=alpha.dtype)
    edge = ops.full((batch, places), _NEVER, dtype=alpha.dtype)
    return ops.concat((edge, alpha[:, : size - places]), 1)


def _sum_of_logs(terms: list[Tensor]) -> Tensor:
    top = terms[0]
    for t in terms[1:]:
        top = ops.maximum(top, t)
    top = ops.stop_gradient(top)
    return top + ops.log(sum(ops.exp(t - top) for t in terms))


@operation
def _ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: int,
    reduction: str,
    zero_infinity: bool,
) -> tuple[Tensor, Tensor]:
    steps, batch, classes = log_probs.shape
    letters = targets.shape[1]
    size = 2 * letters + 1
    targets, input_lengths = cast_to(targets, mstype.int64), cast_to(input_lengths, mstype.int64)
    target_lengths = cast_to(target_lengths, mstype.int64)
    _check_range(input_lengths, 0, steps, "the lengths 'input_lengths'")
    _check_range(target_lengths, 0, letters, "the lengths 'target_lengths'")
    counted = ops.arange(letters).astype(mstype.int64) < target_lengths.reshape(batch, 1)
    _check_range(ops.where(counted, targets, 0), 0, classes - 1, "the letters of 'targets'")

    # The text with blanks around its letters: letters at odd places.
    blanks = ops.full((batch, letters, 1), blank, dtype=mstype.int64)
    pairs = ops.concat((blanks, targets.reshape(batch, letters, 1)), 2)
    text = (
        ops.concat((pairs.reshape(batch, 2 * letters), blanks[:, :1, 0]), 1)
        if letters
        else (ops.full((batch, 1), blank, dtype=mstype.int64))
    )
    place = ops.arange(size).astype(mstype.int64).reshape(1, size)
    # A blank between two letters may be left out where they differ.
    other = ops.concat((text[:, :2] * 0 - 1, text[:, : size - 2]), 1) if letters else text
    skips = ops.logical_and(text != blank, text != other)

    spelled = emit(
        "cell.gather",
        [ops.transpose(log_probs, (1, 2, 0)), text],
        {"dim": 1, "batch_dims": 1},
        log_probs.dtype,
        (batch, size, steps),
    )
    spelled = Rows.of(ops.maximum(ops.transpose(spelled, (2, 0, 1)), _NEVER))
    never = ops.full((batch, size), _NEVER, dtype=log_probs.dtype)

    def trip(t: Tensor, carried: Any) -> Any:
        alpha, kept = carried
        ways = [alpha, _before(alpha, 1), ops.where(skips, _before(alpha, 2), never)]
        after = ops.where(
            t == 0, ops.where(place < 2, never * 0, never), ops.maximum(_sum_of_logs(ways), _NEVER)
        )
        after = ops.maximum(after + Rows.read(spelled, t, (batch, size)), _NEVER)
        after = ops.where((input_lengths > t).reshape(batch, 1), after, alpha)
        return after, Rows.write(kept, t, after)

    kept = ops.full((steps, batch * size), _NEVER, dtype=log_probs.dtype)
    alpha, kept = repeat(0, steps, trip, (never, kept), "ctc_loss", "the step")
    # Texts end with their last letter, or with a blank after it.
    end = 2 * target_lengths.reshape(batch, 1)
    ends = [ops.where(place == end - k, alpha, never) for k in (0, 1)]
    total = ops.logsumexp(ops.concat(ends, 1), 1)
    possible = total > 0.5 * _NEVER
    loss = -ops.where(possible, total, ops.zeros_like(total))
    if not zero_infinity:
        loss = ops.where(possible, loss, ops.full_like(loss, float("inf")))
    if reduction == "mean":
        loss = ops.mean(loss / ops.maximum(target_lengths, 1).astype(loss.dtype))
    elif reduction == "sum":
        loss = ops.sum(loss)
    all_alpha = ops.transpose(Rows.slices(kept, (batch, size)), (1, 0, 2))
    infinite = ops.full_like(all_alpha, float("-inf"))
    # Nothing has been spelled past the end of the text, or of the input.
    step = ops.arange(steps).astype(mstype.int64).reshape(1, steps, 1)
    spelt = ops.logical_and(
        (place <= end).reshape(batch, 1, size), step < input_lengths.reshape(batch, 1, 1)
    )
    spelt = ops.logical_and(spelt, all_alpha > 0.5 * _NEVER)
    return loss, ops.where(spelt, all_alpha, infinite)
