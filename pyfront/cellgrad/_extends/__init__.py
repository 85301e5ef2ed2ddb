"""What programs take from ``mindspore._extends``: settings of its compiler, and a decorator."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from cellgrad._extends import compile_config as compile_config

__all__ = ["cell_attr_register"]


def cell_attr_register(fn: Any = None, attrs: list[str] | str | None = None) -> Any:
    """Decorates ``__init__`` of a Cell, as ``@cell_attr_register`` or with ``attrs=``; without effect. In MindSpore
    it says which Cells can share compiled code, which is found by their code here.

    >>> from cellgrad._extends import cell_attr_register
    >>> class Net(nn.Cell):
    ...     @cell_attr_register
    ...     def __init__(self, n):
    ...         super().__init__()
    ...         self.n = n
    >>> Net(2).n
    2
    """

    def decorated(init: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(init)
        def call(self: Any, *args: Any, **kwargs: Any) -> None:
            init(self, *args, **kwargs)

        return call

    return decorated if fn is None else decorated(fn)
