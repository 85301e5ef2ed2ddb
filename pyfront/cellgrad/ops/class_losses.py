"""Losses of classes: cross entropies and multi-class margins.

A class index selects by comparison with the numbers of the classes: the selection fuses with what
it selects from, and its derivative needs no scatter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import check_int, check_number, check_one_of, check_shape
from cellgrad.core.errors import error
from cellgrad.core.record import (
    cast_to,
    check_float,
    check_tensor,
    emit,
    operation,
    reshape_to,
    splat,
)
from cellgrad.core.scope import constant
from cellgrad.core.storage import signature
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import _generated as gen
from cellgrad.ops import _index, reductions
from cellgrad.ops._public import public
from cellgrad.ops.exponentials import log_softmax
from cellgrad.ops.losses import check_reduction, positive, reduced
from cellgrad.ops.selection import select


def is_class(labels: Tensor, classes: int, dim: int) -> Tensor:
    """Whether each label is each class: a bool Tensor with a new dimension `dim` of classes."""
    shape = [1] * (labels.ndim + 1)
    shape[dim] = classes
    numbers = np.arange(classes).reshape(shape)
    column = reshape_to(labels, (*labels.shape[:dim], 1, *labels.shape[dim:]))
    return gen.equal(column, constant(numbers, signature(labels.dtype, tuple(shape))))


def _check_classes(labels: Tensor, classes: int, op: str, ignored: int | None = None) -> None:
    """Ends the call with an IndexError where a label is neither a class nor `ignored`."""
    inside = [ew.compare("cell.greater_equal", labels, 0), ew.compare("cell.less", labels, classes)]
    good = emit("cell.logical_and", inside)
    text = f"For '{op}', class indices must be in the range [0, {classes})"
    if ignored is not None and not 0 <= ignored < classes:
        good = emit("cell.logical_or", [good, ew.compare("cell.equal", labels, ignored)])
        text += f", or be the ignore_index {ignored}"
    _index.check(good, f"{text}.")


@operation
def one_hot(labels: Tensor, classes: int, dtype: Any, op: str) -> Tensor:
    """1 at the class of each label, 0 elsewhere, with a new dimension 1 of classes.

    Raises:
        IndexError: a label that is no class, when the code runs.
    """
    _check_classes(labels, classes, op)
    return cast_to(is_class(labels, classes, 1), dtype)


def _of_classes(weight: Any, classes: int, rank: int, dim: int, dtype: Any, op: str) -> Tensor:
    """Weights of the classes, to broadcast along dimension `dim`."""
    w = check_tensor(weight, op, "weight")
    check_shape(w, op, "weight", (classes,), "one element a class")
    return reshape_to(cast_to(w, dtype), (1,) * dim + (classes,) + (1,) * (rank - dim - 1))


def _weighted_dtype(x: Tensor, weight: Any, op: str) -> mstype.Type:
    """The dtype of a loss with weights: that of a product."""
    return mstype.promote(x.dtype, check_tensor(weight, op, "weight").dtype)


def _smoothing(value: Any, op: str) -> float:
    return float(check_number(value, op, "label_smoothing", at_least=0, at_most=1))


def _check_labels(x: Tensor, labels: Tensor, dim: int, op: str) -> None:
    wanted = x.shape[:dim] + x.shape[dim + 1 :]
    if labels.dtype.kind != "i":
        raise error(
            TypeError,
            f"For '{op}', class indices must be integers, but got {labels.dtype.title}.",
            "convert them: labels.astype(ms.int32); probabilities have the shape of the input",
        )
    if labels.shape != wanted:
        raise error(
            ValueError,
            f"For '{op}', 'target' must hold class indices of shape {list(wanted)}, but got "
            f"{list(labels.shape)} with an input of shape {list(x.shape)}.",
        )


def _nll(
    log_p: Tensor,
    labels: Tensor,
    weight: Any,
    ignore_index: int | None,
    reduction: str,
    smoothing: float,
    op: str,
) -> Tensor:
    """The negative log-likelihood of classes, smoothed, weighted, without ignored elements."""
    dim = 0 if log_p.ndim == 1 else 1
    classes = log_p.shape[dim]
    _check_labels(log_p, labels, dim, op)
    _check_classes(labels, classes, op, ignore_index)
    chosen = is_class(labels, classes, dim)
    counts = splat(1, log_p.dtype, labels.shape)
    if weight is not None:
        kind = _weighted_dtype(log_p, weight, op)
        w = _of_classes(weight, classes, log_p.ndim, dim, kind, op)
        log_p = cast_to(log_p, kind) * w
        counts = reductions.sum(select(chosen, w, 0.0), dim)
    loss = -reductions.sum(select(chosen, log_p, 0.0), dim)
    if smoothing:
        smooth = -reductions.sum(log_p, dim)
        loss = loss * (1.0 - smoothing) + smooth * (smoothing / classes)
    if ignore_index is not None:
        ignored = gen.equal(labels, ignore_index)
        loss, counts = select(ignored, 0.0, loss), select(ignored, 0.0, counts)
    if reduction == "mean":
        return reductions.sum(loss) / reductions.sum(counts)  # type: ignore[no-any-return]
    return reduced(loss, reduction)


def _checked(
    input: Any, target: Any, ignore_index: Any, reduction: Any, smoothing: Any, op: str
) -> tuple[Tensor, Tensor, float]:
    check_reduction(reduction, op)
    if ignore_index is not None:
        check_int(ignore_index, op, "ignore_index")
    x, t = check_float(input, op, "input"), check_tensor(target, op, "target")
    if not x.ndim:
        raise error(ValueError, f"For '{op}', the input must have a dimension of classes.")
    return x, t, _smoothing(smoothing, op)


@public(
    "mint.nn.CrossEntropyLoss(weight, ignore_index, reduction, label_smoothing)(input, target)",
    "mint.nn.functional.cross_entropy",
)
@operation
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Cross entropy of ``softmax(input)``, without overflow or underflow.

    Args:
        input: logits of shape (C,), (N, C) or (N, C, d1, ...).
        target: class indices of that shape without C, int32 or int64, or probabilities of the same
            shape as `input`.
        weight: one factor a class, shape (C,), or None; the loss has the dtype of its product with
            `input`.
        ignore_index: a class index whose elements count neither in the loss nor in the mean.
        reduction: "mean" (of class indices, divided by the sum of their weights), "sum", or "none".
        label_smoothing: in [0, 1]; how much of the target is spread evenly over the classes.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: shapes that do not fit, or another reduction.
        IndexError: an index that is neither a class nor `ignore_index`, when the code runs.

    >>> print(ops.cross_entropy(Tensor([[100.0, 0.0]]), Tensor([0], ms.int32)))
    0.0
    """
    op = "cross_entropy"
    x, t, smoothing = _checked(input, target, ignore_index, reduction, label_smoothing, op)
    dim = 0 if x.ndim == 1 else 1
    log_p = log_softmax(x, dim)
    if t.shape != x.shape or t.dtype.kind == "i":
        return _nll(log_p, t, weight, ignore_index, reduction, smoothing, op)
    classes = x.shape[dim]
    p = cast_to(t, x.dtype)
    if smoothing:
        p = p * (1.0 - smoothing) + smoothing / classes
    product = log_p * p
    if weight is not None:
        kind = _weighted_dtype(x, weight, op)
        product = cast_to(product, kind) * _of_classes(weight, classes, x.ndim, dim, kind, op)
    loss = -reductions.sum(product, dim)
    if reduction == "mean":
        return reductions.sum(loss) / (x.size / classes)  # type: ignore[no-any-return]
    return reduced(loss, reduction)


@public(
    "mint.nn.NLLLoss(weight, ignore_index, reduction)(input, target)",
    "mint.nn.functional.nll_loss(input, target, weight, ignore_index, reduction)",
)
@operation
def nll_loss(
    inputs: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Negative log-likelihood of class indices under log-probabilities; see `cross_entropy`.

    Args:
        inputs: logarithms of probabilities, shape (C,), (N, C) or (N, C, d1, ...).
        target: class indices of that shape without C.
        weight, ignore_index, reduction, label_smoothing: as for `cross_entropy`.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: shapes that do not fit, or another reduction.
        IndexError: an index that is neither a class nor `ignore_index`, when the code runs.

    >>> logits = ops.log_softmax(Tensor([[1.0, 2.0], [3.0, 1.0]]), 1)
    >>> print(ops.nll_loss(logits, Tensor([1, 0], ms.int32)))
    0.22009486
    """
    op = "nll_loss"
    x, t, smoothing = _checked(inputs, target, ignore_index, reduction, label_smoothing, op)
    return _nll(x, t, weight, ignore_index, reduction, smoothing, op)


@operation
def total_weight(inputs: Tensor, target: Tensor, weight: Tensor, ignore_index: int) -> Tensor:
    """The sum of the weights of the targets: what the mean of `nll_loss` divides by."""
    dim = 0 if inputs.ndim == 1 else 1
    w = _of_classes(weight, inputs.shape[dim], inputs.ndim, dim, inputs.dtype, "NLLLoss")
    counts = reductions.sum(select(is_class(target, inputs.shape[dim], dim), w, 0.0), dim)
    return reductions.sum(select(gen.equal(target, ignore_index), 0.0, counts))  # type: ignore[no-any-return]


@public("ops.MultiMarginLoss(p, margin=1.0, reduction='mean')(x, target, weight)")
@operation
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: int | float = 1,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """For each row, ``sum over i != target of weight[target] * max(0, margin - x[target] + x[i])**p
    / C``.

    Args:
        input: shape (N, C).
        target: class indices, shape (N,).
        p: 1 or 2.
        weight: one factor a class, shape (C,), or None.
        reduction: "mean", "sum", or "none" for the rows.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: shapes that do not fit, another `p` or another reduction.
        IndexError: an index that is no class, when the code runs.

    >>> print(ops.multi_margin_loss(Tensor([[0.5, 0.25, 1.0]]), Tensor([2])))
    0.25
    """
    op = "multi_margin_loss"
    check_reduction(reduction, op)
    check_one_of(p, op, "p", (1, 2))
    x, t = check_float(input, op, "input"), check_tensor(target, op, "target")
    if x.ndim != 2:
        raise error(ValueError, f"For '{op}', 'input' must be (N, C), but got {list(x.shape)}.")
    classes = x.shape[1]
    _check_labels(x, t, 1, op)
    _check_classes(t, classes, op)
    chosen = is_class(t, classes, 1)
    own = reductions.sum(select(chosen, x, 0.0), 1, True)
    gap = gen.relu(positive(margin, op, "margin", zero=True) - own + x)
    gap = gap if p == 1 else gen.square(gap)
    if weight is not None:
        w = _of_classes(weight, classes, 2, 1, x.dtype, op)
        gap = gap * reductions.sum(select(chosen, w, 0.0), 1, True)
    return reduced(reductions.sum(select(chosen, 0.0, gap), 1) / classes, reduction)


def _labels(target: Tensor) -> tuple[Tensor, Tensor]:
    """Of rows of labels that end at the first -1: whether an entry is one, shape (N, C, 1), and
    which class it is, shape (N, C, C).
    """
    rows, n = target.shape
    upto = constant(np.tril(np.ones((n, n), bool)), signature(mstype.bool_, (n, n)))
    ends = gen.logical_and(gen.less(reshape_to(target, (rows, 1, n)), 0), upto)
    valid = gen.logical_not(reductions.any(ends, 2, True))
    return valid, gen.logical_and(is_class(target, n, 2), valid)


@operation
def label_mask(input: Tensor, target: Tensor) -> Tensor:
    """Which classes are labels: int32, of the target's shape."""
    n = target.shape[-1]
    _, chosen = _labels(reshape_to(target, (target.size // n, n)))
    return reshape_to(cast_to(reductions.any(chosen, 1), mstype.int32), target.shape)


@public()
@operation
def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """For each row, ``sum over labels j and classes i that are no label of
    max(0, 1 - (x[j] - x[i])) / C``.

    Args:
        input: shape (N, C) or (C,).
        target: class indices of the same shape; a row ends at its first -1.
        reduction: "mean", "sum", or "none" for the rows.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: shapes that do not fit, or another reduction.

    >>> x = Tensor([[0.5, 0.25, 1.0]])
    >>> print(ops.multilabel_margin_loss(x, Tensor([[2, -1, 0]], ms.int32)))
    0.25
    """
    op = "multilabel_margin_loss"
    check_reduction(reduction, op)
    x, t = check_float(input, op, "input"), check_tensor(target, op, "target")
    if x.ndim not in (1, 2) or x.shape != t.shape or t.dtype.kind != "i":
        raise error(
            ValueError,
            f"For '{op}', expected (N, C) or (C,) and integers of the same shape, but got "
            f"{list(x.shape)} and {list(t.shape)} of {t.dtype.title}.",
        )
    n = x.shape[-1]
    rows = reshape_to(x, (x.size // n, 1, n))
    valid, chosen = _labels(reshape_to(t, (x.size // n, n)))
    own = reductions.sum(select(chosen, rows, 0.0), 2, True)
    other = gen.logical_not(reductions.any(chosen, 1, True))
    gap = gen.relu(1.0 - own + rows)
    loss = reductions.sum(select(gen.logical_and(other, valid), gap, 0.0), (1, 2)) / n
    return reduced(loss if x.ndim == 2 else reshape_to(loss, ()), reduction)


@public()
@operation
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """``target * log(1 + exp(-x)) + (1 - target) * log(1 + exp(x))``, averaged over the last
    dimension.

    Args:
        input: shape (N, C).
        target: 0 or 1, of the same shape.
        weight: a Tensor that broadcasts to them, or None.
        reduction: "mean", "sum", or "none" for the rows.

    Raises:
        TypeError: an argument is not a Tensor.
        ValueError: shapes that do not broadcast, or another reduction.

    >>> print(ops.multilabel_soft_margin_loss(Tensor([[1.0, -1.0]]), Tensor([[1.0, 0.0]])))
    0.3132617
    """
    op = "multilabel_soft_margin_loss"
    check_reduction(reduction, op)
    x, t = check_float(input, op, "input"), check_tensor(target, op, "target")
    y = cast_to(t, x.dtype)
    loss = y * emit("cell.softplus", [-x]) + (1.0 - y) * emit("cell.softplus", [x])
    if weight is not None:
        loss = loss * cast_to(check_tensor(weight, op, "weight"), x.dtype)
    return reduced(reductions.mean(loss, x.ndim - 1), reduction)
