"""Writes to tensors with gradients, and to their views, where code runs as ordinary Python.

What `core.views` does in memory is done here by programs, which have derivatives: a write to a view gives the
tensor that it is part of another value, and a write to a tensor its views.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cellgrad.core import record
from cellgrad.core.dynamic import Untaped
from cellgrad.core.record import cast_to
from cellgrad.core.tensor import Tensor
from cellgrad.ops.indexing import known_index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cellgrad.transforms.tape import Tape

Positions = np.ndarray[Any, Any]


def root_of(tensor: Tensor) -> tuple[Tensor, Positions | None]:
    """The tensor that one is a view of, and which elements it has of that; itself where it is none."""
    link: Any = getattr(tensor, "_link", None)
    at = None if link is None else link.positions()
    return (tensor, None) if at is None else (link.root, at)


def write(tape: Tape, tensor: Tensor, value: Any, index: Any = ...) -> None:
    """Gives a tensor a value that differs from its own in the elements of an index, and what is linked to it,
    too.

    Raises:
        Untaped: the value is no Tensor of the same shape, or the view has elements twice.
    """
    if not isinstance(value, Tensor) or value.shape != tensor.shape:
        raise Untaped
    value = cast_to(value, tensor.dtype)
    root, at = root_of(tensor)
    views = list(_views(root, tensor))
    if at is None and not views:
        tape.replace(tensor, value)
        return
    if at is None:
        at = np.arange(root.size).reshape(root.shape)
    elif np.unique(at).size < at.size:
        raise Untaped
    known = index if index is ... else known_index(index, tensor.shape)
    if root is not tensor:  # elements that were not written keep the gradients that they have there
        tape.replace(root, _with(root, at[known], value if index is ... else value[index]))
    tape.replace(tensor, value)
    touched = np.zeros(root.size, bool)
    touched[at[known]] = True
    for view, positions in views:
        if touched[positions].any():
            tape.replace(view, _part(root, positions))


def _views(root: Tensor, but: Tensor) -> Iterator[tuple[Tensor, Positions]]:
    """The views that writes to a tensor reach."""
    known = getattr(root, "_views", None)
    for reference in () if known is None else list(known.references):
        view = reference()
        if view is not None and view is not but and view._link.follows:
            positions = view._link.positions()
            if positions is not None:
                yield view, positions


def _with(root: Tensor, at: Positions, value: Tensor) -> Tensor:
    out: Tensor = record.run_eagerly(_scattered, (root, Tensor(at.reshape(-1)), value), {})
    return out


def _scattered(root: Tensor, at: Tensor, value: Tensor) -> Tensor:
    flat = root.reshape(-1).copy()
    flat[at] = value.reshape(-1)
    return flat.reshape(root.shape)


def _part(root: Tensor, at: Positions) -> Tensor:
    out: Tensor = record.run_eagerly(_gathered, (root, Tensor(at)), {})
    return out


def _gathered(root: Tensor, at: Tensor) -> Tensor:
    return root.reshape(-1)[at]
