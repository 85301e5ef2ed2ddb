"""Metrics of values: losses, errors, similarity."""

from __future__ import annotations

import math

import numpy as np

from cellgrad.core.arguments import check_int, check_one_of
from cellgrad.core.errors import either, error, not_defined
from cellgrad.train.metrics.metric import Array, Metric

__all__ = ["MAE", "MSE", "CosineSimilarity", "Dice", "Loss", "Perplexity"]


class Loss(Metric):
    """The mean of the losses of batches.

    >>> metric = ms.train.Loss()
    >>> metric.clear()
    >>> metric.update(Tensor(3.0))
    >>> print(metric.eval())
    3.0
    """

    merged = ("_sum_loss", "_total_num")

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        self._sum_loss = 0.0
        self._total_num = 0

    def update(self, *inputs: object) -> None:
        (loss,) = self._taken(inputs, 1)
        if loss.ndim > 1:
            raise error(
                ValueError,
                "For 'Loss.update', the dimension of your input (loss) must be 0 or 1, but got "
                f"{loss.ndim}.",
            )
        self._sum_loss += float(loss.mean())
        self._total_num += 1

    def eval(self) -> float:
        self._counted(self._total_num)
        return self._sum_loss / self._total_num


class _Errors(Metric):
    merged = ("_sum", "_samples_num")

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        self._sum = 0.0
        self._samples_num = 0

    def _error(self, difference: Array) -> Array:
        raise not_defined(self, "_error")

    def update(self, *inputs: object) -> None:
        y_pred, y = self._taken(inputs, 2)
        if y_pred.size != y.size:
            raise error(
                ValueError,
                f"For '{type(self).__name__}.update', predicted and true values must have as many "
                f"elements, but got {list(y_pred.shape)} and {list(y.shape)}.",
            )
        self._sum += float(self._error(y.reshape(y_pred.shape) - y_pred).sum())
        self._samples_num += len(y)

    def eval(self) -> float:
        self._counted(self._samples_num)
        return self._sum / self._samples_num


class MAE(_Errors):
    """The sum of absolute errors over the number of rows.

    >>> metric = ms.train.MAE()
    >>> metric.clear()
    >>> metric.update(Tensor([1.0, 2.0]), Tensor([1.5, 4.0]))
    >>> print(metric.eval())
    1.25
    """

    def _error(self, difference: Array) -> Array:
        return np.asarray(np.abs(difference))


class MSE(_Errors):
    """The sum of squared errors over the number of rows.

    >>> metric = ms.train.MSE()
    >>> metric.clear()
    >>> metric.update(Tensor([1.0, 2.0]), Tensor([1.5, 4.0]))
    >>> print(metric.eval())
    2.125
    """

    def _error(self, difference: Array) -> Array:
        return np.asarray(np.square(difference))


class Dice(Metric):
    """``2 sum(x y) / (sum(x x) + sum(y y) + smooth)`` of each batch, added up and divided by the number
    of rows, as MindSpore does: for the mean over batches, multiply by the size of a batch.

    Args:
        smooth: positive.

    >>> metric = ms.train.Dice()
    >>> metric.clear()
    >>> metric.update(Tensor([[1.0, 1.0]]), Tensor([[1.0, 1.0]]))
    >>> print(metric.eval())
    0.9999975000062501
    """

    merged = ("_sum", "_rows")

    def __init__(self, smooth: float = 1e-5):
        super().__init__()
        self.smooth = smooth
        self.clear()

    def clear(self) -> None:
        self._sum, self._rows = 0.0, 0

    def update(self, *inputs: object) -> None:
        x, y = self._taken(inputs, 2)
        if x.shape != y.shape:
            raise error(
                ValueError,
                "For 'Dice.update', predicted and true values must have one shape, but got "
                f"{list(x.shape)} and {list(y.shape)}.",
            )
        both, either = float((x * y).sum()), float((x * x).sum() + (y * y).sum())
        self._sum += 2 * both / (either + self.smooth)
        self._rows += len(x)

    def eval(self) -> float:
        self._counted(self._rows)
        return self._sum / self._rows


class CosineSimilarity(Metric):
    """The cosines of the angles between the rows of a matrix; of the last batch.

    Args:
        similarity: "cosine", or "dot" for products.
        reduction: "none" for the matrix, or the "sum" or "mean" of its rows.
        zero_diagonal: whether rows are not compared with themselves.

    Raises:
        ValueError: another similarity or reduction.

    >>> metric = ms.train.CosineSimilarity()
    >>> metric.clear()
    >>> metric.update(Tensor([[3.0, 4.0], [4.0, 3.0]]))
    >>> print(metric.eval())
    [[0.         0.96000004]
     [0.96000004 0.        ]]
    """

    def __init__(
        self, similarity: str = "cosine", reduction: str = "none", zero_diagonal: bool = True
    ):
        super().__init__()
        check_one_of(similarity, "CosineSimilarity", "similarity", ("cosine", "dot"))
        check_one_of(reduction, "CosineSimilarity", "reduction", ("none", "sum", "mean"))
        self.similarity, self.reduction, self.zero_diagonal = similarity, reduction, zero_diagonal
        self.clear()

    def clear(self) -> None:
        self._rows: Array | None = None

    def update(self, *inputs: object) -> None:
        (rows,) = self._taken(inputs, 1)
        self._rows = rows

    def eval(self) -> Array:
        self._counted(0 if self._rows is None else 1)
        rows = np.asarray(self._rows)
        if self.similarity == "cosine":
            rows = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
        matrix = rows @ rows.T
        if self.zero_diagonal:
            np.fill_diagonal(matrix, 0)
        if self.reduction == "none":
            return np.asarray(matrix)
        return np.asarray(matrix.mean(-1) if self.reduction == "mean" else matrix.sum(-1))


class Perplexity(Metric):
    """The exponential of the mean negative logarithm of the probability of the true class.

    Args:
        ignore_label: a class that does not count, or None.

    Raises:
        TypeError: `ignore_label` is neither.

    >>> metric = ms.train.Perplexity()
    >>> metric.clear()
    >>> metric.update(Tensor([[0.25, 0.75], [0.5, 0.5]]), Tensor([1, 0], ms.int32))
    >>> print(metric.eval())
    1.6329931503264186
    """

    merged = ("_sum", "_num")

    def __init__(self, ignore_label: int | None = None):
        super().__init__()
        if ignore_label is not None:
            check_int(ignore_label, "Perplexity", "ignore_label")
        self.ignore_label = ignore_label
        self.clear()

    def clear(self) -> None:
        self._sum, self._num = 0.0, 0

    def update(self, *inputs: object) -> None:
        p, y = self._taken(inputs, 2)
        if p.shape[:-1] != y.shape:
            raise error(
                either(ValueError, RuntimeError),
                "For 'Perplexity.update', expected probabilities (..., C) and classes (...), but "
                f"got {list(p.shape)} and {list(y.shape)}.",
            )
        flat, classes = p.reshape(-1, p.shape[-1]), y.reshape(-1).astype(int)
        chosen = flat[np.arange(len(classes)), classes]
        if self.ignore_label is not None:
            chosen = chosen[classes != self.ignore_label]
        self._sum -= float(np.log(np.maximum(chosen, 1e-10)).sum())
        self._num += len(chosen)

    def eval(self) -> float:
        self._counted(self._num)
        return math.exp(self._sum / self._num)
