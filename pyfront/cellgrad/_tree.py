"""Nested inputs and outputs: tensors are leaves of tuples, lists and dicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from cellgrad.common.tensor import Tensor


def tensors(tree: Any) -> Iterator[Tensor]:
    """The tensors of a nested value, in order."""
    if isinstance(tree, Tensor):
        yield tree
    elif isinstance(tree, tuple | list):
        for v in tree:
            yield from tensors(v)
    elif isinstance(tree, dict):
        for v in tree.values():
            yield from tensors(v)


def map_tensors(function: Callable[[Tensor], Any], tree: Any) -> Any:
    """The same structure with `function` applied to every tensor; static leaves are kept."""
    if isinstance(tree, Tensor):
        return function(tree)
    if isinstance(tree, tuple):
        items = [map_tensors(function, v) for v in tree]
        return type(tree)(*items) if hasattr(tree, "_fields") else tuple(items)
    if isinstance(tree, list):
        return [map_tensors(function, v) for v in tree]
    if isinstance(tree, dict):
        return {k: map_tensors(function, v) for k, v in tree.items()}
    return tree
