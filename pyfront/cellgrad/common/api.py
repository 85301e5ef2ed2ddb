"""What scripts take from MindSpore's ``common.api``: `jit` and the like, and its two executors."""

from __future__ import annotations

import importlib
from typing import Any

from cellgrad.compile.jit import jit
from cellgrad.core.settings import jit_class


class _PyNativeExecutor:
    """Runs operations outside of compiled code."""

    def sync(self) -> None:
        """Nothing: an operation is done when its call returns."""

    def set_grad_flag(self, flag: bool) -> None:
        """Nothing, as `sync`."""

    def set_creation_type(self, tensor: object, creation_type: object) -> None:
        """Nothing: what may be written to does not depend on it."""

    def set_async_for_graph(self, flag: bool) -> None:
        """Nothing, as `sync`."""


class _CellGraphExecutor:
    """Compiles Cells."""

    def compile(
        self, obj: Any, *args: Any, phase: str = "predict", **kwargs: Any
    ) -> tuple[str, bool]:
        """Compiles a Cell for such inputs without running it; see `Cell.compile`. `phase` has no effect."""
        obj.compile(*args, **kwargs)
        return phase, True


def _no_recursive(callable_obj: Any) -> Any:
    """A Cell's class or a function, as it is: MindSpore's compiler is told that it does not call itself."""
    return callable_obj


_pynative_executor = _PyNativeExecutor()
_cell_graph_executor = _CellGraphExecutor()

__all__ = ["jit", "jit_class"]


def __getattr__(name: str) -> Any:  # the other names there are those of the package
    return getattr(importlib.import_module("cellgrad"), name)
