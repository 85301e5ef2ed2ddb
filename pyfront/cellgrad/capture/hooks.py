"""Calls of hooks with the gradients that they may replace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cellgrad.capture import calls
from cellgrad.core.errors import error
from cellgrad.core.hooks import Hook
from cellgrad.core.tensor import Tensor


def replaced(given: Any, gradient: Tensor, name: str) -> Tensor:
    """The gradient after a hook that gave `given`."""
    if given is None:
        return gradient
    if not isinstance(given, Tensor):
        raise error(
            RuntimeError,
            f"The hook '{name}' must return a Tensor like the gradient it is called with, or None, "
            f"but returned {type(given).__name__}.",
            "return gradient * 2, for example, or nothing to leave the gradient as it is",
        )
    if given.shape != gradient.shape:
        raise error(
            ValueError,
            f"The hook '{name}' must return a gradient of the shape it is called with, "
            f"{list(gradient.shape)}, but returned {list(given.shape)}.",
        )
    return given if given.dtype is gradient.dtype else given.astype(gradient.dtype)


def through(listed: Sequence[Hook], gradient: Tensor) -> Tensor:
    """The gradient after hooks, each called with what the one before gave."""
    for hook in listed:
        name = getattr(hook, "__name__", type(hook).__name__)
        gradient = replaced(calls.call(hook, (gradient,), {}), gradient, name)
    return gradient
