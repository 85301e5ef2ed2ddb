"""Losses of values: regression, probabilities, similarity. Those of classes are in class_losses."""

from __future__ import annotations

import math
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_number,
    check_one_of,
    check_same_shape,
)
from cellgrad.core.errors import error
from cellgrad.core.number import real
from cellgrad.core.record import (
    broadcast_shapes,
    cast_to,
    check_float,
    check_tensor,
    emit,
    operation,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import _generated as gen
from cellgrad.ops import reductions
from cellgrad.ops._public import public
from cellgrad.ops.limits import clip
from cellgrad.ops.pointwise import xlogy
from cellgrad.ops.selection import select


def check_reduction(reduction: Any, op: str, allowed: tuple[str, ...] = ()) -> None:
    """Refuses what is none of "none", "mean", "sum" and `allowed`."""
    check_one_of(reduction, op, "reduction", ("none", "mean", "sum", *allowed))


def reduced(loss: Tensor, reduction: str) -> Tensor:
    """The mean or the sum of all elements, or the elements themselves."""
    if reduction == "none":
        return loss
    out: Tensor = reductions.mean(loss) if reduction == "mean" else reductions.sum(loss)
    return out


def positive(value: Any, op: str, name: str, zero: bool = False) -> float:
    """A Python number above (with `zero`, not below) zero."""
    if zero:
        return real(check_number(value, op, name, at_least=0))
    return real(check_number(value, op, name, above=0))


def _pair(input: Any, target: Any, op: str, names: tuple[str, str]) -> tuple[Tensor, Tensor]:
    """Two Tensors of one floating-point dtype whose shapes broadcast."""
    a, b = check_tensor(input, op, names[0]), check_tensor(target, op, names[1])
    broadcast_shapes(a.shape, b.shape, op)
    dtype = mstype.promote(a.dtype, b.dtype)
    dtype = dtype if dtype.kind == "f" else mstype.default_float()
    return cast_to(a, dtype), cast_to(b, dtype)


_NAMES = ("input", "target")


# --- differences ------------------------------------------------------------------------------


@public(
    "mint.nn.MSELoss(reduction)(input, target)",
    "mint.nn.functional.mse_loss",
)
@operation
def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Mean squared error, ``(input - target) ** 2``, of shapes that broadcast.

    Args:
        input, target: Tensors.
        reduction: "mean", "sum", or "none" for the elements.

    Raises:
        TypeError: an argument is not a Tensor.
        ValueError: shapes that do not broadcast, or another reduction.

    >>> print(ops.mse_loss(Tensor([1.0, 2.0]), Tensor([1.0, 4.0])))
    2.0
    """
    check_reduction(reduction, "mse_loss")
    x, y = _pair(input, target, "mse_loss", _NAMES)
    return reduced(gen.square(x - y), reduction)


@public(
    "mint.nn.L1Loss(reduction)(logits, labels)",
    "mint.nn.functional.l1_loss",
)
@operation
def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Mean absolute error, ``|input - target|``; arguments and errors as of `mse_loss`.

    >>> print(ops.l1_loss(Tensor([1.0, 2.0]), Tensor([1.5, 4.0])))
    1.25
    """
    check_reduction(reduction, "l1_loss")
    x, y = _pair(input, target, "l1_loss", _NAMES)
    return reduced(gen.abs(x - y), reduction)


@public(
    "ops.SmoothL1Loss(beta, reduction)(prediction, target)",
    "mint.nn.SmoothL1Loss(reduction='mean', beta=1.0)(input, target)",
    "mint.nn.functional.smooth_l1_loss(input, target, reduction='mean', beta=1.0)",
)
@operation
def smooth_l1_loss(
    input: Tensor, target: Tensor, beta: float = 1.0, reduction: str = "none"
) -> Tensor:
    """``d**2 / (2 beta)`` where ``d = |input - target|`` is below `beta`, else ``d - beta / 2``.

    Args:
        input, target: Tensors of one shape.
        beta: where the parabola ends; 0 gives `l1_loss`.
        reduction: "none" (the default), "mean" or "sum".

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: `beta` is negative, shapes that differ, or another reduction.

    >>> print(ops.smooth_l1_loss(Tensor([1.0, 2.0]), Tensor([1.5, 4.0])))
    [0.125 1.5  ]

    >>> print(mint.nn.SmoothL1Loss()(Tensor([1.0, 2.0]), Tensor([1.5, 4.0])))
    0.8125

    >>> print(mint.nn.functional.smooth_l1_loss(Tensor([1.0, 2.0]), Tensor([1.5, 4.0])))
    0.8125
    """
    check_reduction(reduction, "smooth_l1_loss")
    width = positive(beta, "smooth_l1_loss", "beta", zero=True)
    x, y = _pair(input, target, "smooth_l1_loss", _NAMES)
    check_same_shape(x, y, "smooth_l1_loss", ("input", "target"))
    apart = x - y  # whose square has a second derivative at 0; that of abs has none
    distance = gen.abs(apart)
    if width == 0:
        return reduced(distance, reduction)
    near = gen.less(distance, width)
    return reduced(
        select(near, gen.square(apart) * (0.5 / width), distance - 0.5 * width), reduction
    )


@public()
@operation
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: int | float = 1.0
) -> Tensor:
    """``d**2 / 2`` where ``d = |input - target|`` is below `delta`, else
    ``delta * (d - delta / 2)``.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: `delta` is not positive, shapes that do not broadcast, or another reduction.

    >>> print(ops.huber_loss(Tensor([1.0, 2.0]), Tensor([1.5, 4.0])))
    0.8125
    """
    check_reduction(reduction, "huber_loss")
    width = positive(delta, "huber_loss", "delta")
    x, y = _pair(input, target, "huber_loss", _NAMES)
    apart = x - y
    distance = gen.abs(apart)
    near = gen.less(distance, width)
    curve, line = gen.square(apart) * 0.5, (distance - 0.5 * width) * width
    return reduced(select(near, curve, line), reduction)


# --- probabilities ----------------------------------------------------------------------------

_TINY = 1e-12  # what keeps logarithms of probabilities finite; MindSpore's


@public(
    "mint.nn.BCELoss(weight, reduction)(input, target)",
    "mint.nn.functional.binary_cross_entropy(input, target, weight, reduction)",
)
@operation
def binary_cross_entropy(
    logits: Tensor, labels: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """``-weight * (labels * log(logits) + (1 - labels) * log(1 - logits))``.

    1e-12 is added to what a logarithm is taken of, so that it stays finite.

    Args:
        logits: probabilities in [0, 1], despite the name.
        labels: probabilities, of the same shape.
        weight: a Tensor that broadcasts to them, or None.
        reduction: "mean", "sum", or "none" for the elements.

    Raises:
        TypeError: an argument is not a Tensor.
        ValueError: shapes that differ, or another reduction.

    >>> print(ops.binary_cross_entropy(Tensor([0.5, 0.25]), Tensor([1.0, 0.0])))
    0.49041462
    """
    op = "binary_cross_entropy"
    check_reduction(reduction, op)
    x, y = _pair(logits, labels, op, ("logits", "labels"))
    check_same_shape(x, y, op, ("logits", "labels"))
    # In float32 at least: float16 has no 1e-12.
    wide = mstype.promote(x.dtype, mstype.float32)
    p, q = cast_to(x, wide), cast_to(y, wide)
    loss = -(q * gen.log(p + _TINY) + (1.0 - q) * gen.log(1.0 - p + _TINY))
    if weight is not None:
        loss = loss * cast_to(check_tensor(weight, op, "weight"), wide)
    return cast_to(reduced(loss, reduction), x.dtype)


@public(
    "ops.SigmoidCrossEntropyWithLogits(logits, labels) = "
    "ops.binary_cross_entropy_with_logits(logits, labels, None, None, 'none')",
    "mint.nn.BCEWithLogitsLoss(weight, reduction, pos_weight)(input, target)",
    "mint.nn.functional.binary_cross_entropy_with_logits(input, target, weight, reduction, "
    "pos_weight)",
)
@operation
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Binary cross entropy of ``sigmoid(input)``, without overflow or cancellation:
    ``weight * (pos_weight * target * log(1 + exp(-x)) + (1 - target) * log(1 + exp(x)))``.

    Args:
        input: logits.
        target: probabilities, of the same shape.
        weight, pos_weight: Tensors that broadcast to them, or None.
        reduction: "mean", "sum", or "none" for the elements.

    Raises:
        TypeError: an argument is not a Tensor.
        ValueError: shapes that do not broadcast, or another reduction.

    >>> logits, labels = Tensor([0.0, 0.0]), Tensor([1.0, 0.0])
    >>> print(ops.binary_cross_entropy_with_logits(logits, labels))
    0.6931472

    >>> print(ops.SigmoidCrossEntropyWithLogits()(Tensor([0.0, 0.0]), Tensor([1.0, 0.0])))
    [0.6931472 0.6931472]
    """
    op = "binary_cross_entropy_with_logits"
    check_reduction(reduction, op)
    x, y = _pair(input, target, op, _NAMES)
    ones = y * emit("cell.softplus", [-x])
    if pos_weight is not None:
        ones = ones * cast_to(check_tensor(pos_weight, op, "pos_weight"), x.dtype)
    loss = ones + (1.0 - y) * emit("cell.softplus", [x])
    if weight is not None:
        loss = loss * cast_to(check_tensor(weight, op, "weight"), x.dtype)
    return reduced(loss, reduction)


@public(
    "nn.KLDivLoss(reduction)(logits, labels)",
    "mint.nn.KLDivLoss(reduction, log_target=False)(input, target) = "
    "F.kl_div(input, target, reduction=reduction, log_target=log_target)",
    "mint.nn.functional.kl_div(input, target, reduction, log_target=False) = "
    "h.kl_div(input, target, reduction, log_target)",
)
@operation
def kl_div(logits: Tensor, labels: Tensor, reduction: str = "mean") -> Tensor:
    """Kullback–Leibler divergence of log-probabilities, ``labels * (log(labels) - logits)``.

    Elements are 0 where `labels` is not positive.

    Args:
        logits: logarithms of probabilities.
        labels: probabilities, of the same shape.
        reduction: "mean" (over all elements), "batchmean" (the sum over the first dimension's
            length), "sum" or "none".

    Raises:
        TypeError: an argument is not a Tensor.
        ValueError: shapes that differ, or another reduction.

    >>> print(ops.kl_div(Tensor([-1.0, -0.5]), Tensor([0.5, 0.5]), "sum"))
    0.056852818

    >>> print(mint.nn.KLDivLoss("sum")(Tensor([-1.0, -0.5]), Tensor([0.5, 0.5])))
    0.056852818

    >>> print(mint.nn.functional.kl_div(Tensor([-1.0, -0.5]), Tensor([0.5, 0.5]), "sum"))
    0.056852818
    """
    check_reduction(reduction, "kl_div", ("batchmean",))
    x, y = _pair(logits, labels, "kl_div", ("logits", "labels"))
    check_same_shape(x, y, "kl_div", ("logits", "labels"))
    loss = select(gen.greater(y, 0.0), xlogy(y, y) - y * x, 0.0)
    if reduction == "batchmean":
        if not x.ndim:
            raise error(ValueError, "For 'kl_div', 'batchmean' needs a first dimension.")
        return reductions.sum(loss) / x.shape[0]  # type: ignore[no-any-return]
    return reduced(loss, reduction)


@public()
@operation
def gaussian_nll_loss(
    x: Tensor,
    target: Tensor,
    var: Tensor,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """Negative log-likelihood of `target` under normal distributions,
    ``(log(v) + (x - target)**2 / v) / 2`` with ``v = max(var, eps)``.

    Args:
        x: the expected values.
        target: the samples.
        var: the variances, of the shape of `x`, or that without its last dimension.
        full: whether to add the constant ``log(2 pi) / 2``.
        eps: the least variance.
        reduction: "mean", "sum", or "none" for the elements.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: `eps` is not positive, shapes that do not broadcast, or another reduction.

    >>> mean, target, var = Tensor([0.0, 1.0]), Tensor([1.0, 1.0]), Tensor([1.0, 1.0])
    >>> print(ops.gaussian_nll_loss(mean, target, var))
    0.25
    """
    op = "gaussian_nll_loss"
    check_reduction(reduction, op)
    check_bool(full, op, "full")
    least = positive(eps, op, "eps")
    mean, sample = _pair(x, target, op, ("x", "target"))
    variance = cast_to(check_tensor(var, op, "var"), mean.dtype)
    if variance.shape != mean.shape and variance.shape == mean.shape[:-1]:
        variance = variance.reshape((*variance.shape, 1))
    variance = gen.maximum(variance, least)
    loss = (gen.log(variance) + gen.square(mean - sample) / variance) * 0.5
    return reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


@public()
@operation
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Tensor:
    """Negative log-likelihood of counts: ``exp(input) - target * input``, or without `log_input`
    ``input - target * log(input + eps)``.

    Args:
        input: expected counts, or with `log_input` their logarithms.
        target: counts.
        full: whether to add Stirling's approximation of ``log(target!)`` where the count is above
            1.
        reduction: "mean", "sum", or "none" for the elements.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: `eps` is not positive, shapes that do not broadcast, or another reduction.

    >>> print(ops.poisson_nll_loss(Tensor([0.0, 0.0]), Tensor([1.0, 2.0])))
    1.0
    """
    op = "poisson_nll_loss"
    check_reduction(reduction, op)
    small = positive(eps, op, "eps")
    x, y = _pair(input, target, op, _NAMES)
    loss = gen.exp(x) - y * x if log_input else x - y * gen.log(x + small)
    if full:
        count = select(gen.greater(y, 1.0), y, 1.0)
        stirling = (count + 0.5) * gen.log(count) - count + 0.5 * math.log(2 * math.pi)
        loss = loss + select(gen.greater(y, 1.0), stirling, 0.0)
    return reduced(loss, reduction)


# --- similarity and margins -------------------------------------------------------------------


def _signs(target: Any, op: str, name: str) -> tuple[Tensor, Tensor]:
    """Where a target is positive and where it is negative."""
    t = check_tensor(target, op, name)
    return gen.greater(t, 0), gen.less(t, 0)


@public()
@operation
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along `dim`; the product of norms is limited to `eps` from
    below.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: shapes that do not broadcast, or `dim` out of range.

    >>> print(ops.cosine_similarity(Tensor([[3.0, 4.0]]), Tensor([[4.0, 3.0]])))
    [0.96]
    """
    a, b = _pair(x1, x2, "cosine_similarity", ("x1", "x2"))
    a, b = ew._broadcast(a, b, "cosine_similarity")
    least = positive(eps, "cosine_similarity", "eps", zero=True)
    # The root has no slope at 0.
    tiny = 2.0**-24 if a.dtype is mstype.float16 else 2.0**-126
    squares = [gen.maximum(reductions.sum(gen.square(v), dim), tiny) for v in (a, b)]
    norms = gen.maximum(gen.sqrt(squares[0]) * gen.sqrt(squares[1]), least)
    return reductions.sum(a * b, dim) / norms  # type: ignore[no-any-return]


@public(
    "mint.nn.CosineEmbeddingLoss(margin, reduction)(input1, input2, target)",
    "mint.nn.functional.cosine_embedding_loss",
)
@operation
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """``1 - cos`` where `target` is 1, ``max(0, cos - margin)`` where it is -1, 0 elsewhere.

    Args:
        input1, input2: Tensors of one shape (N, D, ...); angles are taken along D.
        target: shape (N, ...).
        margin: in [-1, 1].
        reduction: "mean", "sum", or "none" for the elements.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: a margin out of range, shapes that do not fit, or another reduction.

    >>> x, y = Tensor([[3.0, 4.0]]), Tensor([[4.0, 3.0]])
    >>> print(ops.cosine_embedding_loss(x, y, Tensor([-1], ms.int32), margin=0.5))
    0.45999998
    """
    op = "cosine_embedding_loss"
    check_reduction(reduction, op)
    margin = check_number(margin, op, "margin", at_least=-1, at_most=1)
    a, b = _pair(input1, input2, op, ("input1", "input2"))
    t = check_tensor(target, op, "target")
    wanted = a.shape[:1] + a.shape[2:]
    if a.shape != b.shape or a.ndim < 2 or t.shape != wanted:
        raise error(
            ValueError,
            f"For '{op}', expected shapes (N, D, ...) twice and (N, ...), but got "
            f"{list(a.shape)}, {list(b.shape)} and {list(t.shape)}.",
        )
    norms = [gen.sqrt(reductions.sum(gen.square(v), 1)) for v in (a, b)]
    cosine = reductions.sum(a * b, 1) / (norms[0] * norms[1])
    apart = gen.maximum(cosine - real(margin), 0.0)
    loss = select(gen.equal(t, 1), 1.0 - cosine, select(gen.equal(t, -1), apart, 0.0))
    return reduced(loss, reduction)


@public()
@operation
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """``max(0, -target * (input1 - input2) + margin)``.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: shapes that do not broadcast, or another reduction.

    >>> x, y, target = Tensor([1.0, 2.0]), Tensor([2.0, 1.0]), Tensor([1.0, 1.0])
    >>> print(ops.margin_ranking_loss(x, y, target))
    0.5
    """
    op = "margin_ranking_loss"
    check_reduction(reduction, op)
    a, b = _pair(input1, input2, op, ("input1", "input2"))
    t = cast_to(check_tensor(target, op, "target"), a.dtype)
    return reduced(clip(-t * (a - b) + real(margin), 0.0), reduction)


@public()
@operation
def hinge_embedding_loss(
    inputs: Tensor, targets: Tensor, margin: float = 1.0, reduction: str = "mean"
) -> Tensor:
    """`inputs` where `targets` is positive, ``max(0, margin - inputs)`` where it is negative.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: shapes that do not broadcast, or another reduction.

    >>> print(ops.hinge_embedding_loss(Tensor([0.5, 0.25]), Tensor([1.0, -1.0])))
    0.625
    """
    op = "hinge_embedding_loss"
    check_reduction(reduction, op)
    x = check_float(inputs, op, "inputs")
    up, down = _signs(targets, op, "targets")
    apart = gen.maximum(real(margin) - x, 0.0)
    return reduced(select(up, x, select(down, apart, 0.0)), reduction)


@public(
    "mint.nn.SoftMarginLoss(reduction)(logits, labels)",
    "mint.nn.functional.soft_margin_loss",
)
@operation
def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """``log(1 + exp(-target * input))``, without overflow.

    Raises:
        TypeError: an argument is not a Tensor.
        ValueError: shapes that do not broadcast, or another reduction.

    >>> print(ops.soft_margin_loss(Tensor([0.0, 0.0]), Tensor([1.0, -1.0])))
    0.6931472
    """
    check_reduction(reduction, "soft_margin_loss")
    x, y = _pair(input, target, "soft_margin_loss", _NAMES)
    return reduced(emit("cell.softplus", [-(y * x)]), reduction)


def _distance(x: Tensor, y: Tensor, p: int, eps: float) -> Tensor:
    """The p-norm of ``x - y + eps`` along dimension 1."""
    difference = gen.abs(x - y + eps)
    if p == 1:
        return reductions.sum(difference, 1)  # type: ignore[no-any-return]
    if p == 2:
        return gen.sqrt(reductions.sum(gen.square(difference), 1))  # type: ignore[no-any-return]
    return reductions.sum(difference**p, 1) ** (1.0 / p)  # type: ignore[no-any-return]


@public(
    "ops.TripletMarginLoss(p=2, swap=False, eps=1e-06, reduction='mean')(x, positive, negative, margin=1.0) = ops.triplet_margin_loss(x, positive, negative, margin, p, eps, swap, reduction)",
)
@operation
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: int = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """``max(0, d(anchor, positive) - d(anchor, negative) + margin)``, where `d` is the p-norm of
    the difference plus `eps` along dimension 1.

    Args:
        anchor, positive, negative: Tensors of one shape (N, D, ...).
        swap: whether the distance of `positive` and `negative` takes the place of the second one
            where it is smaller.
        reduction: "mean", "sum", or "none" for the elements.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: shapes that do not broadcast, or another reduction.

    >>> anchor, near, far = Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]]), Tensor([[0.0, 5.5]])
    >>> print(ops.round(ops.triplet_margin_loss(anchor, near, far), decimals=3))
    0.5
    """
    op = "triplet_margin_loss"
    check_reduction(reduction, op)
    if isinstance(p, bool) or not isinstance(p, int) or p < 1:
        raise argument_error(ValueError, op, "p", "a positive int", p)
    a, near = _pair(anchor, positive, op, ("x", "positive"))
    a, far = _pair(a, negative, op, ("x", "negative"))
    if a.ndim < 2:
        raise error(ValueError, f"For '{op}', expected shapes (N, D, ...), but got {a.shape}.")
    small = real(eps)
    to_far = _distance(a, far, p, small)
    if swap:
        to_far = gen.minimum(to_far, _distance(near, far, p, small))
    gap = _distance(a, near, p, small) - to_far
    return reduced(gen.maximum(gap + real(margin), 0.0), reduction)
