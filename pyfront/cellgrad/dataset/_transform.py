"""The base of what `map` applies to the arrays of a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cellgrad.core.aliases import ArrayLike, Columns
from cellgrad.core.arguments import check_number, check_sequence
from cellgrad.core.errors import error
from cellgrad.dataset import config
from cellgrad.dataset._arrays import as_array

Array = np.ndarray[Any, Any]


class Transform:
    """A function of the arrays of a row. Random ones draw from the generator they are given: inside of
    `map` that of the row, so that results do not depend on threads.
    """

    _own: np.random.Generator | None = None

    def __call__(self, *values: ArrayLike | str) -> Columns:
        if self._own is None:
            self._own = np.random.default_rng(config.get_seed())
        return self.drawn(self._own, *values)

    def drawn(self, random: np.random.Generator, *values: ArrayLike | str) -> Columns:
        """The result, with random numbers of a generator; by default each array by itself."""
        out = tuple(self.one(as_array(v)) for v in values)
        return out if len(out) > 1 else out[0]

    def one(self, value: Array) -> Columns:
        """The result for one array; each transform has its own.

        Raises:
            NotImplementedError: a class of your own without it.
        """
        raise error(
            NotImplementedError,
            f"For '{self.name}', 'one' is not defined.",
            "define one(self, value), which gives the result for one array, or drawn(self, random, *values)",
        )

    @property
    def name(self) -> str:
        """The name errors show."""
        return type(self).__name__


class Drawing(Transform):
    """A transform that happens with a probability."""

    def __init__(self, prob: float = 0.5):
        self.prob = check_number(prob, self.name, "prob", at_least=0, at_most=1)

    def drawn(self, random: np.random.Generator, *values: ArrayLike | str) -> Columns:
        if random.random() < self.prob:
            return super().drawn(random, *values)
        return values if len(values) > 1 else values[0]


def applied(function: Any, random: np.random.Generator, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The results of a function of columns, as a tuple."""
    out = function.drawn(random, *values) if isinstance(function, Transform) else function(*values)
    return out if isinstance(out, tuple) else (out,)


def functions(listed: Any, owner: str) -> list[Any]:
    """The argument `transforms`."""
    return list(check_sequence(listed, owner, "transforms", "functions", Callable))


def chain(
    listed: Sequence[Any], random: np.random.Generator, values: tuple[Any, ...]
) -> tuple[Any, ...]:
    """The results of functions applied one after the other."""
    for function in listed:
        values = applied(function, random, values)
    return values
