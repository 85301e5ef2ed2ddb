"""What programs import from ``mindspore._extends.parse.standard_method``: built-in functions, as its compiler names
them, and methods of Tensor and list as functions: ``argmax(x, axis)`` is ``x.argmax(axis)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cellgrad.core.tensor import Tensor
from cellgrad.ops.operations._sequence_ops import ListAppend, ListInsert

ms_len = len
list_append = ListAppend()
list_insert = ListInsert()

__all__ = ["list_append", "list_insert", "ms_len", "tensor_bool"]


def tensor_bool(x: Tensor) -> Tensor:
    """Whether the elements are not 0."""
    return x.bool()


def __getattr__(name: str) -> Callable[..., Any]:
    method: Any = None if name.startswith("_") else getattr(Tensor, name, None)
    if not callable(method):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    found: Callable[..., Any] = method
    return found
