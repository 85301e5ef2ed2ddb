"""Metrics of segmented images: distances between the surfaces of regions.

A surface is what erosion by a cross takes away from a region. Distances are those of all pairs of
elements of the surfaces, which takes memory for each pair.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core.arguments import check_bool, check_instance, check_number, check_one_of
from cellgrad.core.errors import error
from cellgrad.train.metrics.metric import Array, Metric

_METRICS = ("euclidean", "chessboard", "taxicab")


def _surface(region: Array) -> Array:
    """The elements of a region with a neighbour outside of it, or outside of the array."""
    inner = region.copy()
    wide = np.pad(region, 1)
    for axis in range(region.ndim):
        for shift in (0, 2):
            at = [slice(1, -1)] * region.ndim
            at[axis] = slice(shift, shift + region.shape[axis])
            inner &= wide[tuple(at)]
    return region & ~inner


def _distances(of: Array, to: Array, metric: str) -> Array:
    """The distance of each element of one surface to the nearest of another."""
    a, b = np.argwhere(of), np.argwhere(to)
    if not len(a):
        return np.zeros(0)
    if not len(b):
        return np.full(len(a), np.inf)
    apart = np.abs(a[:, None] - b[None]).astype(float)
    if metric == "euclidean":
        found = np.sqrt((apart**2).sum(-1))
    else:
        found = apart.max(-1) if metric == "chessboard" else apart.sum(-1)
    out: Array = found.min(1)
    return out


class _Surfaces(Metric):
    def __init__(self, distance_metric: str):
        super().__init__()
        name = type(self).__name__
        check_instance(distance_metric, name, "distance_metric", str)
        self.distance_metric = check_one_of(distance_metric, name, "distance_metric", _METRICS)
        self.clear()

    def clear(self) -> None:
        self._edges: tuple[Array, Array] | None = None

    def update(self, *inputs: object) -> None:
        name = f"{type(self).__name__}.update"
        if self.indexes is not None:
            inputs = tuple(inputs[i] for i in self.indexes)
        if len(inputs) != 3:
            raise error(
                ValueError,
                f"For '{name}', it needs 3 inputs (predicted value, true value, label index), but "
                f"got {len(inputs)}.",
            )
        label = inputs[2]
        y_pred, y = (self._convert_data(v) for v in inputs[:2])
        if not isinstance(label, int | float):
            raise error(
                ValueError, f"For '{name}', the label index must be a number, but got {label!r}."
            )
        if not y_pred.size or y_pred.shape != y.shape:
            raise error(
                ValueError,
                f"For '{name}', predicted and true values must have one shape, with elements, but "
                f"got {list(y_pred.shape)} and {list(y.shape)}.",
            )
        regions = tuple(v if v.dtype == bool else v == label for v in (y_pred, y))
        if not any(r.any() for r in regions):
            raise error(ValueError, f"For '{name}', no element has the label index {label}.")
        self._edges = (_surface(regions[0]), _surface(regions[1]))

    def _apart(self, swapped: bool = False) -> Array:
        if self._edges is None:
            raise error(
                RuntimeError, "Please call the 'update' method before calling 'eval' method."
            )
        a, b = self._edges[::-1] if swapped else self._edges
        return _distances(a, b, self.distance_metric)


class HausdorffDistance(_Surfaces):
    """The largest distance of a surface's elements to the other surface, of both directions.

    Args:
        distance_metric: "euclidean", "chessboard" or "taxicab".
        percentile: a percentile of the distances, in [0, 100], instead of the largest.
        directed: only from the prediction to the truth.
        crop: accepted, and of no effect on the result.

    Raises:
        TypeError, ValueError: arguments of another kind.

    >>> metric = ms.train.HausdorffDistance()
    >>> metric.clear()
    >>> x, y = Tensor([[1, 1, 0], [0, 0, 0]]), Tensor([[1, 1, 1], [0, 0, 0]])
    >>> metric.update(x, y, 1)
    >>> print(metric.eval())
    1.0
    """

    def __init__(
        self,
        distance_metric: str = "euclidean",
        percentile: float | None = None,
        directed: bool = False,
        crop: bool = True,
    ):
        super().__init__(distance_metric)
        if percentile is not None:
            check_number(percentile, "HausdorffDistance", "percentile", at_least=0, at_most=100)
        self.percentile = percentile
        self.directed = check_bool(directed, "HausdorffDistance", "directed")
        self.crop = check_bool(crop, "HausdorffDistance", "crop")

    def _largest(self, apart: Array) -> Any:
        if not apart.size:
            return np.inf
        return np.percentile(apart, self.percentile) if self.percentile else apart.max()

    def eval(self) -> float:
        """The distance.

        Raises:
            RuntimeError: nothing was seen.
        """
        there = self._largest(self._apart())
        return there if self.directed else max(there, self._largest(self._apart(True)))


class MeanSurfaceDistance(_Surfaces):
    """The mean distance of the elements of the predicted surface to the true one, or with `symmetric`
    the mean of both directions.

    Raises:
        TypeError, ValueError: arguments of another kind.

    >>> metric = ms.train.MeanSurfaceDistance()
    >>> metric.clear()
    >>> x, y = Tensor([[1, 1, 1], [0, 0, 0]]), Tensor([[1, 1, 0], [0, 0, 0]])
    >>> metric.update(x, y, 1)
    >>> print(round(float(metric.eval()), 4))
    0.3333
    """

    def __init__(self, symmetric: bool = False, distance_metric: str = "euclidean"):
        super().__init__(distance_metric)
        self.symmetric = check_bool(symmetric, type(self).__name__, "symmetric")

    def _average(self, apart: Array) -> Any:
        return apart.mean() if apart.size else np.inf

    def eval(self) -> float:
        """The mean.

        Raises:
            RuntimeError: nothing was seen.
        """
        there = self._average(self._apart())
        if not self.symmetric:
            return there
        return np.mean((there, self._average(self._apart(True))))


class RootMeanSquareDistance(MeanSurfaceDistance):
    """The root of the mean of squares of the distances; see `MeanSurfaceDistance`.

    >>> metric = ms.train.RootMeanSquareDistance()
    >>> metric.clear()
    >>> x, y = Tensor([[1, 1, 1], [0, 0, 0]]), Tensor([[1, 1, 0], [0, 0, 0]])
    >>> metric.update(x, y, 1)
    >>> print(round(float(metric.eval()), 4))
    0.5774
    """

    def _average(self, apart: Array) -> Any:
        return (apart**2).mean() if apart.size else np.inf

    def eval(self) -> float:
        """The root; with `symmetric`, of the mean of both directions' squares.

        Raises:
            RuntimeError: nothing was seen.
        """
        return np.sqrt(super().eval())
