"""The base of what `map` applies to the arrays of a row."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad.core.errors import error
from cellgrad.dataset import config
from cellgrad.dataset._arrays import as_array

Array = np.ndarray[Any, Any]


class Transform:
    """A function of the arrays of a row. Random ones draw from the generator they are given: inside of
    `map` that of the row, so that results do not depend on threads.
    """

    _own: np.random.Generator | None = None

    def __call__(self, *values: Any) -> Any:
        if self._own is None:
            self._own = np.random.default_rng(config.get_seed())
        return self.drawn(self._own, *values)

    def drawn(self, random: np.random.Generator, *values: Any) -> Any:
        """The result, with random numbers of a generator; by default each array by itself."""
        out = tuple(self.one(as_array(v)) for v in values)
        return out if len(out) > 1 else out[0]

    def one(self, value: Array) -> Any:
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
        self.prob = probability(prob, self.name)

    def drawn(self, random: np.random.Generator, *values: Any) -> Any:
        if random.random() < self.prob:
            return super().drawn(random, *values)
        return values if len(values) > 1 else values[0]


def applied(function: Any, random: np.random.Generator, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The results of a function of columns, as a tuple."""
    out = function.drawn(random, *values) if isinstance(function, Transform) else function(*values)
    return out if isinstance(out, tuple) else (out,)


def probability(value: Any, owner: str) -> float:
    """The argument `prob`."""
    if isinstance(value, bool) or not isinstance(value, builtins.int | builtins.float):
        raise error(
            TypeError,
            f"For '{owner}', the 'prob' must be a number, but got {type(value).__name__}.",
        )
    if not 0 <= value <= 1:
        raise error(
            ValueError, f"For '{owner}', the 'prob' must be in [0.0, 1.0], but got {value}."
        )
    return value


def number(value: Any, what: str, owner: str) -> float:
    """A number among the arguments."""
    if isinstance(value, bool) or not isinstance(value, builtins.int | builtins.float | np.number):
        raise error(
            TypeError,
            f"For '{owner}', the '{what}' must be a number, but got {type(value).__name__}.",
        )
    return builtins.float(value)


def whole(value: Any, what: str, owner: str, least: int = 1) -> int:
    """A whole number among the arguments."""
    if isinstance(value, bool) or not isinstance(value, builtins.int | np.integer):
        raise error(
            TypeError, f"For '{owner}', the '{what}' must be int, but got {type(value).__name__}."
        )
    if value < least:
        raise error(
            ValueError, f"For '{owner}', the '{what}' must be at least {least}, but got {value}."
        )
    return builtins.int(value)


def functions(listed: Any, owner: str) -> list[Any]:
    """The argument `transforms`."""
    if not isinstance(listed, list | tuple):
        raise error(
            TypeError,
            f"For '{owner}', the 'transforms' must be a list of functions, but got "
            f"{type(listed).__name__}.",
        )
    if not listed:
        raise error(ValueError, f"For '{owner}', the list of 'transforms' must not be empty.")
    for f in listed:
        if not callable(f):
            raise error(
                TypeError,
                f"For '{owner}', 'transforms' must be functions, but got {type(f).__name__}.",
            )
    return list(listed)


def chain(
    listed: Sequence[Any], random: np.random.Generator, values: tuple[Any, ...]
) -> tuple[Any, ...]:
    """The results of functions applied one after the other."""
    for function in listed:
        values = applied(function, random, values)
    return values
