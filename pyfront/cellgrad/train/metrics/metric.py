"""The base of metrics."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar, cast

import numpy as np

from cellgrad.core.aliases import MetricValue, State
from cellgrad.core.errors import error, not_defined
from cellgrad.core.tensor import Tensor

M = TypeVar("M", bound="Metric")
P = ParamSpec("P")
R = TypeVar("R")

__all__ = ["Array", "Metric", "rearrange_inputs"]

Array = np.ndarray[Any, Any]


class Metric:
    """The base: `clear`, `update` with the values of a batch, `eval`.

    Calling a metric clears it, updates it once and evaluates it.

    `merged` names the attributes of what was seen that `Model.eval` adds up over the ranks of a
    data-parallel program before `eval`; without, a metric is of the rank's own batches.

    >>> class Largest(ms.train.Metric):
    ...     def clear(self):
    ...         self.value = 0.0
    ...     def update(self, *inputs):
    ...         self.value = max(self.value, inputs[0].max().item())
    ...     def eval(self):
    ...         return self.value
    >>> metric = Largest()
    >>> metric.clear()
    >>> metric.update(Tensor([1.0, 3.0]))
    >>> metric.eval()
    3.0
    """

    merged: ClassVar[tuple[str, ...]] = ()

    def __init__(self) -> None:
        self._indexes: list[int] | None = None

    @property
    def indexes(self) -> list[int] | None:
        """Which of the values given to `update` count, in which order."""
        return self._indexes

    def set_indexes(self, indexes: list[int]) -> Metric:
        """Chooses among the values given to `update`.

        Raises:
            ValueError: `indexes` is not a list of ints.
        """
        if not isinstance(indexes, list) or not all(isinstance(i, int) for i in indexes):
            raise error(
                ValueError,
                "For 'set_indexes', the argument 'indexes' must be a list and all its elements must be int, "
                f"please check whether it is correct: got {indexes!r}.",
            )
        self._indexes = indexes
        return self

    def clear(self) -> None:
        """Forgets what was seen."""
        raise not_defined(self, "clear")

    def update(self, *inputs: object) -> None:
        """Takes the values of a batch: Tensors, arrays or lists."""
        raise not_defined(self, "update")

    def eval(self) -> MetricValue:
        """The metric of what was seen."""
        raise not_defined(self, "eval")

    def merge(self, states: list[State]) -> None:
        """Takes what the metrics of all ranks have seen: their attributes in `merged`."""
        for name in self.merged:
            setattr(self, name, functools.reduce(operator.add, [s[name] for s in states]))

    def __call__(self, *inputs: object) -> MetricValue:
        self.clear()
        self.update(*inputs)
        return self.eval()

    def _taken(self, inputs: tuple[Any, ...], count: int) -> list[Array]:
        """The values as arrays; as many as the metric takes."""
        name = type(self).__name__
        if self._indexes is not None:
            inputs = tuple(inputs[i] for i in self._indexes)
        if len(inputs) != count:
            what = "1 input (loss)" if count == 1 else "2 inputs (predicted value, true value)"
            raise error(ValueError, f"For '{name}.update', it needs {what}, but got {len(inputs)}.")
        return [self._convert_data(v) for v in inputs]

    def _convert_data(self, data: Any) -> Array:
        """An array from a Tensor, list or array."""
        if isinstance(data, Tensor):
            return data.asnumpy()
        if isinstance(data, list):
            return np.array(data)
        if isinstance(data, np.ndarray):
            return data
        raise error(
            TypeError,
            f"For '{type(self).__name__}', the input data type must be tensor, list or "
            f"numpy.ndarray, but got {type(data).__name__}.",
        )

    def _counted(self, number: int) -> None:
        if number == 0:
            raise error(
                RuntimeError,
                f"The '{type(self).__name__}' can not be calculated, because the number of samples "
                f"is 0.",
                "call update before eval",
            )


def rearrange_inputs(func: Callable[Concatenate[M, P], R]) -> Callable[Concatenate[M, P], R]:
    """A decorator of `update` in metrics of one's own: applies `set_indexes`.

    >>> class First(ms.train.Metric):
    ...     def clear(self):
    ...         pass
    ...     @ms.train.rearrange_inputs
    ...     def update(self, *inputs):
    ...         print(inputs[0])
    ...     def eval(self):
    ...         pass
    >>> First().set_indexes([1]).update(Tensor([1.0]), Tensor([2.0]))
    [2.]
    """

    @functools.wraps(func)
    def wrapper(self: Metric, *inputs: Any) -> Any:
        if self.indexes is not None:
            inputs = tuple(inputs[i] for i in self.indexes)
        return cast(Any, func)(self, *inputs)

    return cast("Callable[Concatenate[M, P], R]", wrapper)
