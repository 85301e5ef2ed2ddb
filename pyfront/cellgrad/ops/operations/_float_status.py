"""Primitives by which Ascend processors say that numbers overflowed, in training steps of older scripts.

A network may have them; calling one is an error, as on MindSpore's CPU.
"""

from __future__ import annotations

from typing import NoReturn

from cellgrad.core.errors import error
from cellgrad.ops._elementwise import Primitive

__all__ = ["NPUAllocFloatStatus", "NPUClearFloatStatus", "NPUGetFloatStatus"]


class _FloatStatus(Primitive):
    def __call__(self, *args: object) -> NoReturn:
        raise error(
            RuntimeError,
            f"'{self.name}' asks an Ascend processor, and cellgrad computes on others.",
            "ops.isfinite(x).all() says whether all numbers are finite, and amp.all_finite of gradients",
        )


class NPUAllocFloatStatus(_FloatStatus):
    """Memory for the status.

    Raises:
        RuntimeError: always.
    """


class NPUGetFloatStatus(_FloatStatus):
    """The status.

    Raises:
        RuntimeError: always.
    """


class NPUClearFloatStatus(_FloatStatus):
    """No overflow from here on.

    Raises:
        RuntimeError: always.
    """
