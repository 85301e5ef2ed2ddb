"""What type checkers see of a call of a Cell: it takes and returns what its `construct` does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class _Constructs(Protocol[P, R]):
    @property
    def construct(self) -> Callable[P, R]: ...


class Called(Protocol):
    """Stands for ``Cell.__call__``."""

    def __get__(self, cell: _Constructs[P, R], owner: Any) -> Callable[P, R]: ...
