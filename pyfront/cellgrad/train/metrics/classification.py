"""Metrics of classes."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from cellgrad.core.aliases import State
from cellgrad.core.arguments import (
    check_bool,
    check_instance,
    check_int,
    check_number,
    check_one_of,
)
from cellgrad.core.errors import either, error
from cellgrad.train.metrics.metric import Array, Metric

__all__ = [
    "F1",
    "Accuracy",
    "ConfusionMatrix",
    "ConfusionMatrixMetric",
    "Fbeta",
    "Precision",
    "Recall",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
]

_EPS = sys.float_info.min


def _indices(y_pred: Array, y: Array) -> Array:
    """Labels as class indices, also from one-hot rows."""
    if y_pred.ndim == y.ndim and y.ndim > 1:
        one_hot = bool(((y == 0) | (y == 1)).all() and (y.sum(axis=1) == 1).all())
        if one_hot:
            return np.asarray(y.argmax(axis=1))
    return y


class _Classes(Metric):
    """Metrics of predictions (N, C, ...) and true values."""

    def __init__(self, eval_type: str = "classification"):
        super().__init__()
        names = ("classification", "multilabel")
        self._type = check_one_of(eval_type, type(self).__name__, "eval_type", names, TypeError)
        self.clear()

    def clear(self) -> None:
        self._class_num = 0

    def _pair(self, inputs: tuple[Any, ...]) -> tuple[Array, Array]:
        """Predictions and true values of fitting shapes."""
        name = type(self).__name__
        y_pred, y = self._taken(inputs, 2)
        if self._type == "classification":
            y = _indices(y_pred, y)
            if y_pred.ndim != y.ndim + 1 or y.shape != y_pred.shape[:1] + y_pred.shape[2:]:
                raise error(
                    ValueError,
                    f"For '{name}', predicted values must be (N, C, ...) and true values (N, ...), "
                    f"but got {list(y_pred.shape)} and {list(y.shape)}.",
                )
        elif y_pred.shape != y.shape or not _binary(y_pred) or not _binary(y):
            raise error(
                ValueError,
                f"For '{name}' of type multilabel, predicted and true values must have one shape "
                f"and be 0 or 1, but got {list(y_pred.shape)} and {list(y.shape)}.",
            )
        classes = y_pred.shape[1]
        if self._class_num not in (0, classes):
            raise error(
                ValueError,
                f"For '{name}.update', class number not match, last input predicted data contain "
                f"{self._class_num} classes, but current predicted data contain {classes} classes.",
            )
        self._class_num = classes
        if self._type == "classification" and y.size and not 0 <= y.min() <= y.max() < classes:
            raise error(
                ValueError,
                f"For '{name}.update', true values must be classes below {classes}, but got "
                f"{y.min()} to {y.max()}.",
            )
        return y_pred, y

    def _one_hot(self, y_pred: Array, y: Array) -> tuple[Array, Array]:
        """Predictions and true values as rows of zeros and ones."""
        if self._type == "multilabel":
            rows = [np.moveaxis(a, 1, -1).reshape(-1, self._class_num) for a in (y_pred, y)]
            return rows[0], rows[1]
        eye = np.eye(self._class_num)
        return eye[y_pred.argmax(axis=1).reshape(-1)], eye[y.astype(int).reshape(-1)]


def _binary(a: Array) -> bool:
    return bool(((a == 0) | (a == 1)).all())


class Accuracy(_Classes):
    """The fraction of correct predictions; of type multilabel, of rows without a mistake.

    Args:
        eval_type: "classification" for scores (N, C, ...) and class indices or one-hot rows, or
            "multilabel" for zeros and ones of one shape.

    >>> metric = ms.train.Accuracy()
    >>> metric.clear()
    >>> metric.update(Tensor([[0.2, 0.8], [0.3, 0.7], [0.9, 0.1]]), Tensor([1, 0, 1], ms.int32))
    >>> print(metric.eval())
    0.3333333333333333
    """

    merged = ("_correct_num", "_total_num")

    def clear(self) -> None:
        super().clear()
        self._correct_num = self._total_num = 0

    def update(self, *inputs: object) -> None:
        y_pred, y = self._one_hot(*self._pair(inputs))
        correct = (y_pred == y).all(axis=1)
        self._correct_num += int(correct.sum())
        self._total_num += len(correct)

    def eval(self) -> float:
        self._counted(self._total_num)
        return self._correct_num / self._total_num


class _Positives(_Classes):
    """Counts of true, predicted and actual positives; by class, or of type multilabel by row."""

    merged = ("_true", "_predicted", "_actual", "_class_num")

    def clear(self) -> None:
        super().clear()
        self._true: Any = 0
        self._predicted: Any = 0
        self._actual: Any = 0

    def update(self, *inputs: object) -> None:
        y_pred, y = self._one_hot(*self._pair(inputs))
        axis = 0 if self._type == "classification" else 1
        counts = [a.sum(axis=axis).astype(float) for a in (y * y_pred, y_pred, y)]
        if axis == 0:
            self._true, self._predicted, self._actual = (
                a + b for a, b in zip((self._true, self._predicted, self._actual), counts)
            )
        else:
            self._true, self._predicted, self._actual = (
                np.concatenate((np.atleast_1d(a) if np.ndim(a) else np.empty(0), b))
                for a, b in zip((self._true, self._predicted, self._actual), counts)
            )

    def merge(self, states: list[State]) -> None:
        states = [s for s in states if s["_class_num"]]
        for name in ("_true", "_predicted", "_actual") if states else ():
            of_all = [s[name] for s in states]
            by_class = self._type == "classification"
            setattr(self, name, sum(of_all) if by_class else np.concatenate(of_all))
        self._class_num = max([s["_class_num"] for s in states], default=0)

    def _part(self, whole: Any, average: bool) -> Any:
        self._counted(self._class_num)
        result = self._true / (whole + _EPS)
        return result.mean() if average else result


class Precision(_Positives):
    """True positives over predicted positives, one number a class (of type multilabel, a row).

    Args:
        eval_type: as of `Accuracy`.

    >>> metric = ms.train.Precision()
    >>> metric.clear()
    >>> metric.update(Tensor([[0.2, 0.8], [0.3, 0.7], [0.9, 0.1]]), Tensor([1, 0, 1], ms.int32))
    >>> print(metric.eval())
    [0.  0.5]
    """

    def eval(self, average: bool = False) -> float | Array:
        return self._part(self._predicted, average)


class Recall(_Positives):
    """True positives over actual positives, one number a class (of type multilabel, a row).

    Args:
        eval_type: as of `Accuracy`.

    >>> metric = ms.train.Recall()
    >>> metric.clear()
    >>> metric.update(Tensor([[0.2, 0.8], [0.3, 0.7], [0.9, 0.1]]), Tensor([1, 0, 1], ms.int32))
    >>> print(metric.eval())
    [0.  0.5]
    """

    def eval(self, average: bool = False) -> float | Array:
        return self._part(self._actual, average)


class Fbeta(_Positives):
    """The weighted harmonic mean of precision and recall, one number a class.

    Args:
        beta: positive; how much recall counts.

    Raises:
        ValueError: `beta` is not positive.

    >>> metric = ms.train.Fbeta(1)
    >>> metric.clear()
    >>> metric.update(Tensor([[0.2, 0.8], [0.3, 0.7], [0.9, 0.1]]), Tensor([1, 0, 1], ms.int32))
    >>> print(metric.eval())
    [0.  0.5]
    """

    def __init__(self, beta: float):
        super().__init__()
        check_number(beta, "Fbeta", "beta", above=0)
        self.beta = beta

    def eval(self, average: bool = False) -> float | Array:
        self._counted(self._class_num)
        square = self.beta**2
        whole = square * self._actual + self._predicted + _EPS
        result = (1.0 + square) * self._true / whole
        return result.mean() if average else result


class F1(Fbeta):
    """`Fbeta` with both counting alike.

    >>> metric = ms.train.F1()
    >>> metric.clear()
    >>> metric.update(Tensor([[0.2, 0.8], [0.3, 0.7], [0.9, 0.1]]), Tensor([1, 0, 1], ms.int32))
    >>> print(metric.eval())
    [0.  0.5]
    """

    def __init__(self) -> None:
        super().__init__(1.0)


class TopKCategoricalAccuracy(Metric):
    """The fraction of rows whose class is among the `k` of the greatest scores.

    Args:
        k: a positive int.

    Raises:
        TypeError, ValueError: `k` is not a positive int.

    >>> metric = ms.train.TopKCategoricalAccuracy(2)
    >>> metric.clear()
    >>> metric.update(Tensor([[0.2, 0.5, 0.3], [0.1, 0.3, 0.6]]), Tensor([2, 0], ms.int32))
    >>> print(metric.eval())
    0.5
    """

    merged = ("_correct_num", "_samples_num")

    def __init__(self, k: int):
        super().__init__()
        self.k = check_int(k, "TopKCategoricalAccuracy", "k", at_least=1)
        self.clear()

    def clear(self) -> None:
        self._correct_num = self._samples_num = 0

    def update(self, *inputs: object) -> None:
        y_pred, y = self._taken(inputs, 2)
        y = _indices(y_pred, y)
        best = np.argsort(-y_pred, axis=1)[:, : self.k]
        self._correct_num += int((best == y.reshape(-1, 1)).sum())
        self._samples_num += len(y_pred)

    def eval(self) -> float:
        self._counted(self._samples_num)
        return self._correct_num / self._samples_num


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """`TopKCategoricalAccuracy` of one.

    >>> metric = ms.train.Top1CategoricalAccuracy()
    >>> metric.clear()
    >>> metric.update(Tensor([[0.2, 0.8], [0.3, 0.7], [0.9, 0.1]]), Tensor([1, 0, 1], ms.int32))
    >>> print(metric.eval())
    0.3333333333333333
    """

    def __init__(self) -> None:
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """`TopKCategoricalAccuracy` of five.

    >>> metric = ms.train.Top5CategoricalAccuracy()
    >>> metric.clear()
    >>> metric.update(ops.arange(12.0).reshape(2, 6), Tensor([5, 0], ms.int32))
    >>> print(metric.eval())
    0.5
    """

    def __init__(self) -> None:
        super().__init__(5)


class ConfusionMatrix(Metric):
    """How often each class (row) is predicted as each (column).

    Args:
        num_classes: a positive int.
        normalize: "no_norm" for counts, or fractions: "target" of rows, "prediction" of columns,
            "all".
        threshold: from where a score of one class counts as 1.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> metric = ms.train.ConfusionMatrix(num_classes=2)
    >>> metric.clear()
    >>> metric.update(Tensor([1, 0, 1], ms.int32), Tensor([1, 0, 0], ms.int32))
    >>> print(metric.eval())
    [[1. 1.]
     [0. 1.]]
    """

    merged = ("confusion_matrix", "_seen")

    def __init__(self, num_classes: int, normalize: str = "no_norm", threshold: float = 0.5):
        super().__init__()
        self.num_classes = check_int(num_classes, "ConfusionMatrix", "num_classes", at_least=1)
        names = ("target", "prediction", "all", "no_norm")
        check_one_of(normalize, "ConfusionMatrix", "normalize", names)
        check_instance(threshold, "ConfusionMatrix", "threshold", float)
        self.normalize, self.threshold = normalize, threshold
        self.clear()

    def clear(self) -> None:
        self.confusion_matrix = np.zeros((self.num_classes, self.num_classes))
        self._seen = 0

    def update(self, *inputs: object) -> None:
        y_pred, y = self._taken(inputs, 2)
        if y_pred.ndim == y.ndim + 1:
            y_pred = y_pred.argmax(axis=1)
        elif y_pred.ndim != y.ndim:
            raise error(
                ValueError,
                "For 'ConfusionMatrix.update', predicted values must have the dimensions of the "
                f"true values, or one more, but got {list(y_pred.shape)} and {list(y.shape)}.",
            )
        if y_pred.dtype.kind == "f":
            y_pred = y_pred >= self.threshold
        n = self.num_classes
        pairs = (y.reshape(-1) * n + y_pred.reshape(-1)).astype(int)
        self.confusion_matrix += np.bincount(pairs, minlength=n * n).reshape(n, n)
        self._seen += len(pairs)

    def eval(self) -> Array:
        self._counted(self._seen)
        matrix = self.confusion_matrix
        if self.normalize == "no_norm":
            return matrix.copy()
        axes = {"target": 1, "prediction": 0, "all": None}
        whole = matrix.sum(axis=axes[self.normalize], keepdims=True)
        return np.divide(matrix, whole, out=np.zeros_like(matrix), where=whole != 0)


_RATES = {
    "sensitivity": lambda tp, fp, tn, fn: tp / (tp + fn),
    "specificity": lambda tp, fp, tn, fn: tn / (tn + fp),
    "precision": lambda tp, fp, tn, fn: tp / (tp + fp),
    "negative predictive value": lambda tp, fp, tn, fn: tn / (tn + fn),
    "miss rate": lambda tp, fp, tn, fn: fn / (fn + tp),
    "fall out": lambda tp, fp, tn, fn: fp / (fp + tn),
    "false discovery rate": lambda tp, fp, tn, fn: fp / (fp + tp),
    "false omission rate": lambda tp, fp, tn, fn: fn / (fn + tn),
    "accuracy": lambda tp, fp, tn, fn: (tp + tn) / (tp + fp + tn + fn),
    "f1 score": lambda tp, fp, tn, fn: 2 * tp / (2 * tp + fp + fn),
    "threat score": lambda tp, fp, tn, fn: tp / (tp + fn + fp),
    "balanced accuracy": lambda tp, fp, tn, fn: (tp / (tp + fn) + tn / (tn + fp)) / 2,
    "matthews correlation coefficient": lambda tp, fp, tn, fn: (
        (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    ),
    "fowlkes mallows index": lambda tp, fp, tn, fn: tp / np.sqrt((tp + fp) * (tp + fn)),
    "informedness": lambda tp, fp, tn, fn: tp / (tp + fn) + tn / (tn + fp) - 1,
    "markedness": lambda tp, fp, tn, fn: tp / (tp + fp) + tn / (tn + fn) - 1,
}
_ALIASES = {
    **dict.fromkeys(("recall", "hit rate", "true positive rate", "tpr"), "sensitivity"),
    **dict.fromkeys(("selectivity", "true negative rate", "tnr"), "specificity"),
    **dict.fromkeys(("positive predictive value", "ppv"), "precision"),
    **dict.fromkeys(("false negative rate", "fnr"), "miss rate"),
    **dict.fromkeys(("false positive rate", "fpr"), "fall out"),
    **dict.fromkeys(("critical success index", "csi", "ts"), "threat score"),
    **dict.fromkeys(("bookmaker informedness", "bm"), "informedness"),
    **dict.fromkeys(("deltap", "mk"), "markedness"),
    "mcc": "matthews correlation coefficient",
    "fm": "fowlkes mallows index",
    "ba": "balanced accuracy",
    "npv": "negative predictive value",
    "fdr": "false discovery rate",
    "for": "false omission rate",
    "acc": "accuracy",
    "f1": "f1 score",
}


class ConfusionMatrixMetric(Metric):
    """A rate from the counts of true and false positives and negatives.

    Args:
        skip_channel: whether class 0 is left out where there are several.
        metric_name: a rate, such as "sensitivity", "specificity", "precision", "accuracy" or "f1
            score".
        calculation_method: whether rates of rows are averaged, instead of counts.
        decrease: "mean" or "sum": how the classes are put together, or "none".

    Inputs:
        y_pred, y: zeros and ones, shape (N, C) or (N, C, ...).

    Raises:
        TypeError: arguments of another type.
        ValueError: an unknown rate, which is also MindSpore's NotImplementedError, or way to put classes together.

    >>> metric = ms.train.ConfusionMatrixMetric(metric_name="recall")
    >>> metric.clear()
    >>> metric.update(Tensor([[[0], [1]], [[1], [0]]]), Tensor([[[0], [1]], [[0], [1]]]))
    >>> print(metric.eval())
    0.5
    """

    merged = ("_counts",)

    def __init__(
        self,
        skip_channel: bool = True,
        metric_name: str = "sensitivity",
        calculation_method: bool = False,
        decrease: str = "mean",
    ):
        super().__init__()
        check_bool(skip_channel, "ConfusionMatrixMetric", "skip_channel")
        check_bool(calculation_method, "ConfusionMatrixMetric", "calculation_method")
        check_instance(metric_name, "ConfusionMatrixMetric", "metric_name", str)
        name = metric_name.lower().replace("_", " ")
        self.metric_name = _ALIASES.get(name, name)
        unknown = either(ValueError, NotImplementedError)
        check_one_of(self.metric_name, "ConfusionMatrixMetric", "metric_name", _RATES, unknown)
        check_one_of(decrease, "ConfusionMatrixMetric", "decrease", ("mean", "sum", "none"))
        self.skip_channel, self.by_row, self.decrease = skip_channel, calculation_method, decrease
        self.clear()

    def clear(self) -> None:
        self._counts: list[Array] = []

    def update(self, *inputs: object) -> None:
        y_pred, y = self._taken(inputs, 2)
        if y_pred.shape != y.shape or y.ndim < 2 or not _binary(y_pred) or not _binary(y):
            raise error(
                ValueError,
                "For 'ConfusionMatrixMetric.update', the inputs must be zeros and ones of one shape "
                f"(N, C, ...), but got {list(y_pred.shape)} and {list(y.shape)}.",
            )
        first = 1 if self.skip_channel and y.shape[1] > 1 else 0
        p, t = (a.reshape(*a.shape[:2], -1)[:, first:].astype(bool) for a in (y_pred, y))
        parts = (p & t, p & ~t, ~p & ~t, ~p & t)
        self._counts.append(np.stack([a.sum(axis=2) for a in parts], axis=-1).astype(float))

    def eval(self) -> float | Array:
        self._counted(len(self._counts))
        counts = np.concatenate(self._counts)
        if not self.by_row:
            counts = counts.sum(axis=0, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            rates = _RATES[self.metric_name](*np.moveaxis(counts, -1, 0))
        rates = np.nanmean(rates, axis=0)
        if self.decrease == "none":
            return rates
        return float(np.nanmean(rates) if self.decrease == "mean" else np.nansum(rates))
