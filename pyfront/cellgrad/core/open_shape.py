"""Tensors that say what inputs look like: sizes of theirs are open, and they have no elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cellgrad.core.errors import error

__all__ = ["LARGEST", "AnySize", "OpenElements", "is_constant", "open_dims", "without_elements"]

LARGEST = 2**31 - 1  # samples, where no Symbol says how many
_MOST_COUNTED = 1 << 20  # elements of what Python makes of their number


class AnySize:
    """A dimension of any size up to `max`; see `Symbol`."""

    max: int = LARGEST


class OpenElements:
    """In the place of the elements of a Tensor with open dimensions; asking for them is an error."""

    __slots__ = ("max", "shape")

    def __init__(self, shape: Sequence[int], most: int):
        self.shape = shape
        self.max = most

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise without_elements(self.shape)


def without_elements(shape: Sequence[int]) -> Exception:
    """The error for a use that needs elements."""
    return error(
        ValueError,
        f"A tensor of shape {list(shape)} has no elements: lengths that are -1 are not known yet.",
        "give it to ms.export or Cell.set_inputs, and call with other tensors",
    )


def open_dims(shape: Sequence[Any] | int) -> tuple[tuple[int, ...], int] | None:
    """The shape with -1 for sizes that are open, and the largest that they may be; None where each size
    is known.
    """
    if isinstance(shape, int) or not any(n is None or isinstance(n, AnySize) for n in shape):
        return None
    most = min([n.max for n in shape if isinstance(n, AnySize)], default=LARGEST)
    return tuple([-1 if n is None or isinstance(n, AnySize) else n for n in shape]), most


def is_constant(trace: Any, tensor: Any) -> bool:
    """Whether a Tensor is a constant of what is captured: in an exported model, and where Python has made it while a
    program for any batch size is captured, perhaps of the number of samples. It is seen how it follows from that.
    """
    counted = trace.stand_in > 0 and id(tensor) in trace.made and tensor.size <= _MOST_COUNTED
    return trace.bake or counted
