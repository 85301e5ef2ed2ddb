"""Tensors that say what inputs look like: sizes of theirs are open, and they have no elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cellgrad.core.errors import error

__all__ = ["AnySize", "OpenElements", "open_dims"]

LARGEST = 2**31 - 1  # samples, where no Symbol says how many


class AnySize:
    """A dimension of any size up to `max`; see `Symbol`."""

    max: int = LARGEST


class OpenElements:
    """In the place of the elements of a Tensor with open dimensions; asking for them is an error."""

    __slots__ = ("max",)

    def __init__(self, most: int):
        self.max = most

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise error(
            TypeError,
            "A Tensor whose shape has None says what inputs look like, and has no elements.",
            "give it to ms.export, and call with tensors that have elements",
        )


def open_dims(shape: Sequence[Any] | int) -> tuple[tuple[int, ...], int] | None:
    """The shape with -1 for sizes that are open, and the largest that they may be; None where each size
    is known.
    """
    if isinstance(shape, int) or not any(n is None or isinstance(n, AnySize) for n in shape):
        return None
    most = min([n.max for n in shape if isinstance(n, AnySize)], default=LARGEST)
    return tuple([-1 if n is None or isinstance(n, AnySize) else n for n in shape]), most
