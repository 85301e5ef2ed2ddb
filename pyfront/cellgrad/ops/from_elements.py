"""Operations that are made of elements, one after another: boxes that are chosen, sequences that are
compared, ranges of several lengths. The elements must be known: outside of compiled code they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_dtype,
    check_int,
    check_ndim,
    check_number,
    check_one_of,
    check_same_dtype,
    check_shape,
)
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops._static import known, known_int, known_ints
from cellgrad.ops.boxes import checked_boxes
from cellgrad.ops.gathering import index_tensor, needs_elements

_HINT = "call it outside of compiled code"

Array = np.ndarray[Any, Any]


def _number(value: Any, op: str, argument: str) -> float:
    if isinstance(value, Tensor) and value.size == 1 and value.dtype.kind == "f":
        value = needs_elements(value, op, _HINT).reshape(()).item()
    return float(check_number(value, op, argument))


def _share(value: Any, op: str, argument: str) -> float:
    share = _number(value, op, argument)
    if not 0 <= share <= 1:
        raise argument_error(ValueError, op, argument, "in [0, 1]", share)
    return share


# --- boxes ----------------------------------------------------------------------------------------


def _overlaps(boxes: Array) -> Array:
    """Intersections over unions of boxes whose corners stand in any order; 0 for boxes without area."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    area = (high - low).prod(1)
    sides = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
    shared = np.maximum(sides, 0).prod(2)
    union = area[:, None] + area[None] - shared
    fine = (area[:, None] > 0) & (area[None] > 0)
    return np.where(fine, shared / np.where(fine, union, 1), 0).astype(boxes.dtype)


def _kept(overlaps: Array, scores: Array, count: int, limit: float, least: float) -> list[int]:
    """The boxes in the order of their scores, without those that one before overlaps by more than
    `limit`.
    """
    out: list[int] = []
    for i in np.argsort(-scores, kind="stable"):
        if len(out) >= count or not scores[i] > least:
            break
        if not any(overlaps[i, k] > limit for k in out):
            out.append(int(i))
    return out


def _scores(value: Any, boxes: Tensor, op: str) -> Tensor:
    x = check_dtype(check_tensor(value, op, "scores"), op, "scores", "f")
    return check_shape(x, op, "scores", boxes.shape[:1], "one score for each box")


@public()
class NonMaxSuppressionV3(Primitive):
    """The numbers of boxes in the order of their scores, int32, without those that a kept one before overlaps
    by more than `iou_threshold`, and those with scores up to `score_threshold`.

    Inputs:
        boxes: shape [N, 4], two opposite corners.
        scores: shape [N].
        max_output_size, iou_threshold, score_threshold: numbers or Tensors of one; at most so many boxes
            are kept, none for a negative number.

    Raises:
        TypeError: no Tensors of floating-point numbers, or elements that are not known while compiling.
        ValueError: other shapes, or an overlap that is not in [0, 1].

    >>> boxes = Tensor([[0.0, 0.0, 9.0, 9.0], [0.0, 0.0, 9.0, 8.0], [20.0, 20.0, 30.0, 30.0]])
    >>> print(ops.NonMaxSuppressionV3()(boxes, Tensor([0.8, 0.9, 0.5]), 3, 0.5, 0.0))
    [1 2]
    """

    def __call__(
        self,
        boxes: Tensor,
        scores: Tensor,
        max_output_size: TensorLike,
        iou_threshold: TensorLike,
        score_threshold: TensorLike,
    ) -> Tensor:
        x = check_dtype(checked_boxes(boxes, self.name, "boxes"), self.name, "boxes", "f")
        ranks = _scores(scores, x, self.name)
        check_same_dtype(x, ranks, self.name, ("boxes", "scores"))
        count = known_int(max_output_size, self.name, "max_output_size")
        limit = _share(iou_threshold, self.name, "iou_threshold")
        least = _number(score_threshold, self.name, "score_threshold")
        found = _overlaps(needs_elements(x, self.name, _HINT))
        kept = _kept(found, needs_elements(ranks, self.name, _HINT), count, limit, least)
        return known(np.array(kept, np.int32), mstype.int32)


@public()
class NonMaxSuppressionWithOverlaps(Primitive):
    """`NonMaxSuppressionV3` of overlaps that are given, [N, N].

    Raises:
        TypeError: no Tensors of floating-point numbers, or elements that are not known while compiling.
        ValueError: other shapes, or `max_output_size` below 0.

    >>> overlaps = Tensor([[1.0, 0.9], [0.9, 1.0]])
    >>> print(ops.NonMaxSuppressionWithOverlaps()(overlaps, Tensor([0.8, 0.9]), 2, 0.5, 0.0))
    [1]
    """

    def __call__(
        self,
        overlaps: Tensor,
        scores: Tensor,
        max_output_size: TensorLike,
        overlap_threshold: TensorLike,
        score_threshold: TensorLike,
    ) -> Tensor:
        x = check_dtype(check_tensor(overlaps, self.name, "overlaps"), self.name, "overlaps", "f")
        check_ndim(x, self.name, "overlaps", 2)
        check_shape(x, self.name, "overlaps", (x.shape[0],) * 2, "a square")
        ranks = _scores(scores, x, self.name)
        count = known_int(max_output_size, self.name, "max_output_size", at_least=0)
        limit = _number(overlap_threshold, self.name, "overlap_threshold")
        least = _number(score_threshold, self.name, "score_threshold")
        found = needs_elements(x, self.name, _HINT)
        kept = _kept(found, needs_elements(ranks, self.name, _HINT), count, limit, least)
        return known(np.array(kept, np.int32), mstype.int32)


@public()
class CombinedNonMaxSuppression(Primitive):
    """The best boxes of several classes: of each class those of `NonMaxSuppressionV3`, all in the order of
    their scores.

    Args:
        pad_per_class: whether there are as many results as the classes may give, if that is less than
            `max_total_size`.
        clip_boxes: whether coordinates are cut to [0, 1].

    Inputs:
        boxes: shape [B, N, Q, 4], Q one or the number of classes.
        scores: shape [B, N, C].
        max_output_size_per_class, max_total_size: ints or Tensors of one.
        iou_threshold, score_threshold: numbers or Tensors of one.

    Outputs:
        boxes [B, M, 4], scores [B, M] and classes [B, M], float32, zeros after the last; how many there
        are, int32 [B].

    Raises:
        TypeError: no Tensors of float32, or elements that are not known while compiling.
        ValueError: other shapes, sizes below 0, or an overlap that is not in [0, 1].

    >>> boxes = Tensor([[[[0.0, 0.0, 0.5, 0.5]], [[0.0, 0.0, 0.5, 0.4]]]])
    >>> found = ops.CombinedNonMaxSuppression()(boxes, Tensor([[[0.8], [0.9]]]), 2, 2, 0.5, 0.0)
    >>> print(found[1], found[3])
    [[0.9 0. ]] [1]
    """

    def __init__(self, pad_per_class: bool = False, clip_boxes: bool = True):
        super().__init__()
        self.pad_per_class = check_bool(pad_per_class, self.name, "pad_per_class")
        self.clip_boxes = check_bool(clip_boxes, self.name, "clip_boxes")

    def __call__(
        self,
        boxes: Tensor,
        scores: Tensor,
        max_output_size_per_class: TensorLike,
        max_total_size: TensorLike,
        iou_threshold: TensorLike,
        score_threshold: TensorLike,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        x, ranks = self._inputs(boxes, scores)
        each = known_int(
            max_output_size_per_class, self.name, "max_output_size_per_class", at_least=0
        )
        total = known_int(max_total_size, self.name, "max_total_size", at_least=0)
        limit = _share(iou_threshold, self.name, "iou_threshold")
        least = _number(score_threshold, self.name, "score_threshold")
        classes = ranks.shape[2]
        length = min(total, each * classes) if self.pad_per_class else total
        out = np.zeros((x.shape[0], length, 6), np.float32)
        counts = np.zeros(x.shape[0], np.int32)
        for b in range(x.shape[0]):
            found = []
            for c in range(classes):
                own, score = x[b, :, c if x.shape[2] > 1 else 0], ranks[b, :, c]
                for i in _kept(_overlaps(own), score, each, limit, least):
                    found.append((*own[i], score[i], c))
            found.sort(key=lambda row: -row[4])
            counts[b] = min(len(found), length)
            out[b, : counts[b]] = np.array(found[:length], np.float32).reshape(-1, 6)
        corners = np.clip(out[..., :4], 0, 1) if self.clip_boxes else out[..., :4]
        parts = (np.ascontiguousarray(v) for v in (corners, out[..., 4], out[..., 5]))
        first, second, third = (known(v, mstype.float32) for v in parts)
        return first, second, third, known(counts, mstype.int32)

    def _inputs(self, boxes: Any, scores: Any) -> tuple[Array, Array]:
        x = check_ndim(check_tensor(boxes, self.name, "boxes"), self.name, "boxes", 4)
        ranks = check_ndim(check_tensor(scores, self.name, "scores"), self.name, "scores", 3)
        check_same_dtype(x, ranks, self.name, ("boxes", "scores"))
        check_dtype(x, self.name, "boxes", "f")
        fits = x.shape[3] == 4 and x.shape[:2] == ranks.shape[:2]
        if not fits or x.shape[2] not in (1, ranks.shape[2]):
            raise error(
                ValueError,
                f"For '{self.name}', 'boxes' must have shape [B, N, 1 or C, 4] and 'scores' [B, N, C], but "
                f"got {list(x.shape)} and {list(ranks.shape)}.",
            )
        return needs_elements(x, self.name, _HINT), needs_elements(ranks, self.name, _HINT)


# --- classes and sequences ------------------------------------------------------------------------


@public()
class ComputeAccidentalHits(Primitive):
    """Where sampled classes are among the true ones: the row, int32, the number of the sample, int64, and the
    most negative float32.

    Args:
        num_true: how many classes a row has.

    Raises:
        TypeError: no Tensors of integers, or elements that are not known while compiling.
        ValueError: `num_true` below 1, or shapes other than [N, num_true] and [S].

    >>> rows, places, _ = ops.ComputeAccidentalHits(2)(Tensor([[1, 2], [0, 4]]), Tensor([4, 1]))
    >>> print(rows, places)
    [0 1] [1 0]
    """

    def __init__(self, num_true: int = 1):
        super().__init__()
        self.num_true = check_int(num_true, self.name, "num_true", at_least=1)

    def __call__(
        self, true_classes: Tensor, sampled_candidates: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        wanted = index_tensor(true_classes, self.name, "true_classes")
        check_ndim(wanted, self.name, "true_classes", 2)
        check_shape(wanted, self.name, "true_classes", (wanted.shape[0], self.num_true))
        drawn = index_tensor(sampled_candidates, self.name, "sampled_candidates")
        check_ndim(drawn, self.name, "sampled_candidates", 1)
        true, samples = (needs_elements(v, self.name, _HINT) for v in (wanted, drawn))
        row, _, place = np.nonzero(true[:, :, None] == samples)
        least = np.full(len(row), np.finfo(np.float32).min, np.float32)
        return (
            known(row.astype(np.int32), mstype.int32),
            known(place.astype(np.int64), mstype.int64),
            known(least, mstype.float32),
        )


def _distance(first: list[Any], second: list[Any]) -> int:
    """How many elements must be added, removed or changed to make one sequence from another."""
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        before, row[0] = row[0], i
        for k, b in enumerate(second, 1):
            before, row[k] = row[k], min(row[k] + 1, row[k - 1] + 1, before + (a != b))
    return row[-1]


@public()
class EditDistance(Primitive):
    """The distances of Levenshtein between sequences, float32: two sparse tensors whose last dimensions hold
    them.

    Args:
        normalize: whether distances are divided by the lengths of `truth`; something from nothing is
            infinite then.

    Inputs:
        hypothesis_indices, hypothesis_values, hypothesis_shape: places [N, R], elements [N] and R lengths.
        truth_indices, truth_values, truth_shape: the same.

    Raises:
        TypeError: no Tensors, or elements that are not known while compiling.
        ValueError: shapes that do not fit.

    >>> at, lengths = Tensor([[0, 0], [0, 1]]), Tensor([1, 2])
    >>> first, second = Tensor([1.0, 2.0]), Tensor([1.0, 3.0])
    >>> print(ops.EditDistance()(at, first, lengths, at, second, lengths))
    [0.5]
    """

    def __init__(self, normalize: bool = True):
        super().__init__()
        self.normalize = check_bool(normalize, self.name, "normalize")

    def __call__(
        self,
        hypothesis_indices: Tensor,
        hypothesis_values: Tensor,
        hypothesis_shape: Tensor,
        truth_indices: Tensor,
        truth_values: Tensor,
        truth_shape: Tensor,
    ) -> Tensor:
        made, sizes = self._sequences(
            "hypothesis", hypothesis_indices, hypothesis_values, hypothesis_shape
        )
        true, others = self._sequences("truth", truth_indices, truth_values, truth_shape)
        if len(sizes) != len(others):
            raise error(
                ValueError,
                f"For '{self.name}', both shapes must have as many lengths, but got {list(sizes)} and "
                f"{list(others)}.",
            )
        out = np.zeros(
            [max(n, m) for n, m in zip(sizes[:-1], others[:-1], strict=True)], np.float32
        )
        for place in {*made, *true}:
            first, second = made.get(place, []), true.get(place, [])
            away = float(_distance(first, second))
            if self.normalize:
                away = away / len(second) if second else float("inf") if away else 0.0
            out[place] = away
        return known(out, mstype.float32)

    def _sequences(
        self, side: str, indices: Any, values: Any, shape: Any
    ) -> tuple[dict[tuple[int, ...], list[Any]], tuple[int, ...]]:
        """The sequence at each place of the leading dimensions, and the shape."""
        places = index_tensor(indices, self.name, f"{side}_indices")
        check_ndim(places, self.name, f"{side}_indices", 2)
        elements = check_tensor(values, self.name, f"{side}_values")
        check_shape(elements, self.name, f"{side}_values", places.shape[:1], "one for each place")
        sizes = known_ints(shape, self.name, f"{side}_shape")
        rows = needs_elements(places, self.name, _HINT)
        if rows.shape[1] != len(sizes) or not ((rows >= 0) & (rows < sizes)).all():
            raise error(
                ValueError,
                f"For '{self.name}', '{side}_indices' must be places in a tensor of shape {list(sizes)}, "
                f"but got {rows.tolist()}.",
            )
        out: dict[tuple[int, ...], list[Any]] = {}
        listed = zip(
            rows.tolist(), needs_elements(elements, self.name, _HINT).tolist(), strict=True
        )
        for place, value in listed:
            out.setdefault(tuple(place[:-1]), []).append(value)
        return out, sizes


@public()
class RaggedRange(Primitive):
    """Ranges one after another: where each begins, with the end of the last, and all elements.

    Args:
        Tsplits: the dtype of the places, int32 or int64.

    Inputs:
        starts, limits, deltas: Tensors of one dtype and shape, of at most one dimension.

    Raises:
        TypeError: no Tensors of numbers, dtypes that differ, or elements that are not known while compiling.
        ValueError: shapes that differ, a step of 0, or another `Tsplits`.

    >>> places, all_of_them = ops.RaggedRange(ms.int64)(
    ...     Tensor([2, 5]), Tensor([4, 2]), Tensor([1, -2])
    ... )
    >>> print(places, all_of_them)
    [0 2 4] [2 3 5 3]
    """

    def __init__(self, Tsplits: Type):
        super().__init__()
        self.Tsplits = check_one_of(Tsplits, self.name, "Tsplits", (mstype.int32, mstype.int64))

    def __call__(self, starts: Tensor, limits: Tensor, deltas: Tensor) -> tuple[Tensor, Tensor]:
        named = {"starts": starts, "limits": limits, "deltas": deltas}
        given = [check_tensor(v, self.name, k) for k, v in named.items()]
        for k, v in zip(named, given, strict=True):
            check_ndim(check_dtype(v, self.name, k, "if"), self.name, k, 0, 1)
            check_same_dtype(given[0], v, self.name, ("starts", k))
            check_shape(v, self.name, k, given[0].shape, "that of 'starts'")
        first, end, step = (np.atleast_1d(needs_elements(v, self.name, _HINT)) for v in given)
        if not step.all():
            raise argument_error(ValueError, self.name, "deltas", "other than 0", step.tolist())
        wide = np.float64 if first.dtype.kind == "f" else np.int64
        parts = []
        for a, b, s in zip(first, end, step, strict=True):
            a, b, s = wide(a), wide(b), wide(s)
            count = max(int(np.ceil((b - a) / s)), 0)
            parts.append((a + s * np.arange(count)).astype(first.dtype))
        places = np.cumsum([0, *(len(p) for p in parts)])
        values = np.concatenate(parts) if parts else first[:0]
        target = np.int32 if self.Tsplits is mstype.int32 else np.int64
        return known(places.astype(target), self.Tsplits), known(values, given[0].dtype)
