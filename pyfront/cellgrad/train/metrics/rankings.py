"""Metrics of rankings, texts and explanations: ROC curves, `auc`, BLEU and occlusion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import check_bool, check_int, check_number
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.train.metrics.metric import Array, Metric, rearrange_inputs


def auc(x: TensorLike, y: TensorLike, reorder: bool = False) -> float:
    """The area under a curve, by the trapezoidal rule.

    Args:
        x, y: points of the curve, numpy arrays; x is ascending or descending.
        reorder: whether points are sorted first.

    Raises:
        TypeError: no arrays.
        ValueError: different lengths, less than two points, or x in no order.

    >>> import numpy as np
    >>> print(ms.train.auc(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 1.0])))
    0.75
    """
    if not isinstance(x, np.ndarray) or not isinstance(y, np.ndarray):
        raise error(
            TypeError,
            f"For 'auc', 'x' and 'y' must be numpy arrays, but got {type(x).__name__} and "
            f"{type(y).__name__}.",
        )
    if any(v.ndim != 1 and v.shape[1:] != (1,) for v in (x, y)) or len(x) != len(y) or len(x) < 2:
        raise error(
            ValueError,
            f"For 'auc', 'x' and 'y' must be vectors of one length of at least 2, but got shapes "
            f"{list(x.shape)} and {list(y.shape)}.",
        )
    x, y = np.ravel(x), np.ravel(y)
    sign = 1
    if reorder:
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
    elif (np.diff(x) < 0).any():
        if (np.diff(x) > 0).any():
            raise error(
                ValueError,
                f"For 'auc', 'x' must be increasing or decreasing if it is not reordered, but got "
                f"{x}.",
            )
        sign = -1
    return sign * (np.diff(x) * (y[1:] + y[:-1]) / 2).sum()


def _curve(scores: Array, positive: Array) -> tuple[Array, Array, Array]:
    """False and true positive rates for each threshold, from the highest."""
    order = np.argsort(scores, kind="stable")[::-1]
    scores, positive = scores[order], positive[order].astype(np.int64)
    ends = np.append(np.flatnonzero(np.diff(scores)), scores.size - 1)
    true = np.cumsum(positive)[ends]
    false = 1 + ends - true
    for total, text in ((false[-1], "negative"), (true[-1], "positive")):
        if total <= 0:
            raise error(ValueError, f"For 'ROC.eval', there is no {text} sample in the true value.")
    thresholds = np.concatenate((scores[ends][:1] + 1, scores[ends]))
    return np.append(0, false) / false[-1], np.append(0, true) / true[-1], thresholds


class ROC(Metric):
    """The receiver operating characteristic: false and true positive rates, and their thresholds. Of
    several classes, a list of each.

    Args:
        class_num: the number of classes, for predictions of shape [N, C].
        pos_label: the positive label of two classes, 1 by default.

    Raises:
        TypeError: arguments that are not ints.

    >>> metric = ms.train.ROC(pos_label=1)
    >>> metric.clear()
    >>> metric.update(Tensor([0.1, 0.4, 0.8]), Tensor([0, 1, 1]))
    >>> fpr, tpr, thresholds = metric.eval()
    >>> print(tpr)
    [0.  0.5 1.  1. ]
    """

    def __init__(self, class_num: int | None = None, pos_label: int | None = None):
        super().__init__()
        for value, argument in ((class_num, "class_num"), (pos_label, "pos_label")):
            if value is not None:
                check_int(value, "ROC", argument)
        self.class_num, self.pos_label = class_num, pos_label
        self.clear()

    def clear(self) -> None:
        self._seen: tuple[Array, Array] | None = None

    def update(self, *inputs: object) -> None:
        y_pred, y = self._taken(inputs, 2)
        if y_pred.ndim == y.ndim:
            if self.class_num not in (None, 1):
                raise error(
                    ValueError,
                    f"For 'ROC', 'class_num' must be 1 for predictions of the shape of the true "
                    f"value, but got {self.class_num}.",
                )
            self._seen = (y_pred.ravel(), y.ravel())
            return
        if y_pred.ndim != y.ndim + 1 or self.class_num != y_pred.shape[1]:
            raise error(
                ValueError,
                f"For 'ROC', predictions must have the dimensions of the true value, or one more of "
                f"'class_num' elements, but got shapes {list(y_pred.shape)} and {list(y.shape)}, "
                f"and {self.class_num} classes.",
            )
        if self.pos_label is not None:
            raise error(
                ValueError,
                f"For 'ROC', 'pos_label' must be None for several classes, but got {self.pos_label}.",
            )
        classes = np.moveaxis(y_pred, 1, -1)
        self._seen = (classes.reshape(-1, classes.shape[-1]), y.ravel())

    def eval(self) -> tuple[Array | list[Array], Array | list[Array], Array | list[Array]]:
        """False positive rates, true positive rates and thresholds.

        Raises:
            RuntimeError: nothing was seen.
            ValueError: no positive or no negative samples.
        """
        if self._seen is None:
            raise error(
                RuntimeError, "Please call the 'update' method before calling 'eval' method."
            )
        scores, y = self._seen
        if scores.ndim == 1:
            return _curve(scores, y == (1 if self.pos_label is None else self.pos_label))
        curves = [_curve(scores[:, c], y == c) for c in range(scores.shape[1])]
        return tuple(list(part) for part in zip(*curves, strict=True))  # type: ignore[return-value]


def _n_grams(words: Any, longest: int) -> Counter[tuple[Any, ...]]:
    return Counter(
        tuple(words[j : i + j]) for i in range(1, longest + 1) for j in range(len(words) - i + 1)
    )


class BleuScore(Metric):
    """The BLEU score of translations (Papineni et al. 2002): the geometric mean of precisions of
    n-grams, times a penalty for short ones.

    Args:
        n_gram: the longest n-gram, from 1 to 4.
        smooth: whether 1 is added to counts (Lin and Och 2004).

    Raises:
        TypeError, ValueError: arguments of another kind or range.

    >>> metric = ms.train.BleuScore()
    >>> metric.clear()
    >>> candidate = [["i", "have", "a", "pen", "on", "my", "desk"]]
    >>> metric.update(candidate, [[["i", "have", "a", "pen", "in", "my", "desk"]]])
    >>> print(round(float(metric.eval()), 4))
    0.4889
    """

    merged = ("_found", "_all", "_length", "_wanted", "_seen")

    def __init__(self, n_gram: int = 4, smooth: bool = False):
        super().__init__()
        self.n_gram = check_int(n_gram, "BleuScore", "n_gram", at_least=1, at_most=4)
        self.smooth = check_bool(smooth, "BleuScore", "smooth")
        self.clear()

    def clear(self) -> None:
        self._found, self._all = np.zeros(self.n_gram), np.zeros(self.n_gram)
        self._length = self._wanted = 0
        self._seen = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        if len(inputs) != 2 or len(inputs[0]) != len(inputs[1]):
            raise error(
                ValueError,
                "For 'BleuScore.update', it needs 2 inputs of one length, translations and their "
                f"references, but got {[len(v) for v in inputs]}.",
            )
        for candidate, references in zip(*inputs, strict=True):
            self._length += len(candidate)
            lengths = [len(r) for r in references]
            self._wanted += min(lengths, key=lambda n: abs(len(candidate) - n))
            known: Counter[tuple[Any, ...]] = Counter()
            for reference in references:
                known |= _n_grams(reference, self.n_gram)
            own = _n_grams(candidate, self.n_gram)
            for gram, count in (own & known).items():
                self._found[len(gram) - 1] += count
            for gram, count in own.items():
                self._all[len(gram) - 1] += count
        self._seen = True

    def eval(self) -> float | Array:
        """The score.

        Raises:
            RuntimeError: nothing was seen.
        """
        if not self._seen:
            raise error(
                RuntimeError, "Please call the 'update' method before calling 'eval' method."
            )
        if self._found.min() == 0:
            return np.array(0.0)
        more = 1.0 if self.smooth else 0.0
        precision = (self._found + more) / (self._all + more)
        mean = np.exp(np.log(precision).mean())
        short = self._length <= self._wanted
        return (np.exp(1 - self._wanted / self._length) if short else 1.0) * mean


class OcclusionSensitivity(Metric):
    """How much a classifier's score of a label falls when parts of an image are covered (Zeiler and
    Fergus 2014): for each element, that of a window around it.

    Args:
        pad_val: what covers the window.
        margin: the window reaches from this many elements before to as many after, without the last.
        n_batch: images that are classified at once.
        b_box: the first and last element of each dimension that are covered; -1 is all.

    Raises:
        TypeError, ValueError: arguments of another kind.

    >>> metric = ms.train.OcclusionSensitivity(margin=1)
    >>> metric.clear()
    >>> metric.update(nn.Flatten(), ops.ones((1, 1, 1, 2)), Tensor([0]))
    >>> print(metric.eval())
    [1. 1.]
    """

    def __init__(
        self,
        pad_val: float = 0.0,
        margin: TensorLike = 2,
        n_batch: int = 128,
        b_box: Sequence[int] | None = None,
    ):
        super().__init__()
        self.pad_val = float(check_number(pad_val, "OcclusionSensitivity", "pad_val"))
        self.margin = check_int(margin, "OcclusionSensitivity", "margin", at_least=1)
        self.n_batch = check_int(n_batch, "OcclusionSensitivity", "n_batch", at_least=1)
        self.b_box = b_box
        self.clear()

    def clear(self) -> None:
        self._fall: Array | None = None

    def _bounds(self, sizes: tuple[int, ...]) -> tuple[list[int], list[int]]:
        if self.b_box is None:
            return [0] * len(sizes), [n - 1 for n in sizes]
        if len(self.b_box) != 2 * len(sizes):
            raise error(
                ValueError,
                f"For 'OcclusionSensitivity', 'b_box' must have the first and last element of each "
                f"of {len(sizes)} dimensions, but got {self.b_box}.",
            )
        low = [max(v, 0) for v in self.b_box[::2]]
        high = [n - 1 if v < 0 else v for v, n in zip(self.b_box[1::2], sizes, strict=True)]
        if any(b >= n or a > b for a, b, n in zip(low, high, sizes, strict=True)):
            raise error(
                ValueError,
                f"For 'OcclusionSensitivity', 'b_box' must be within the image of shape "
                f"{list(sizes)}, but got {self.b_box}.",
            )
        return low, high

    @rearrange_inputs
    def update(self, *inputs: object) -> None:
        if len(inputs) != 3 or not callable(inputs[0]):
            raise error(
                ValueError,
                "For 'OcclusionSensitivity.update', it needs 3 inputs: a network, an image, a label.",
            )
        model = inputs[0]
        image, label = (self._convert_data(v) for v in inputs[1:])
        if len(image) != 1 or label.size != 1:
            raise error(
                RuntimeError,
                f"For 'OcclusionSensitivity.update', there must be one image and one label, but got "
                f"shapes {list(image.shape)} and {list(label.shape)}.",
            )
        low, high = self._bounds(image.shape[1:])
        number = int(label.reshape(()))
        covered, scores = [], []
        places = list(np.ndindex(*(b - a + 1 for a, b in zip(low, high, strict=True))))
        for i, place in enumerate(places):
            part = image.copy()
            at = [p + a for p, a in zip(place, low, strict=True)]
            window: Any = (..., *(slice(max(p - self.margin, 0), p + self.margin) for p in at))
            part[window] = self.pad_val
            covered.append(part)
            if len(covered) == self.n_batch or i == len(places) - 1:
                scores.append(model(Tensor(np.concatenate(covered))).asnumpy()[:, number])
                covered = []
        whole = model(Tensor(image)).asnumpy()[0, number]
        shape = [b - a + 1 for a, b in zip(low, high, strict=True)]
        self._fall = np.squeeze(whole - np.concatenate(scores).reshape(shape))

    def eval(self) -> Array:
        """The fall of the score, for each place.

        Raises:
            RuntimeError: nothing was seen.
        """
        if self._fall is None:
            raise error(
                RuntimeError, "Please call the 'update' method before calling 'eval' method."
            )
        return self._fall
