"""A warning where ``Tensor(0.1) * x`` has the digits of float32 although `x` is float64.

It is given when a float32 tensor was made of Python floats without a dtype, which float32 has rounded,
and is an operand beside a float64 tensor: what is lost was written in the program. Tensors that were
computed, read from arrays or made with a dtype are what they are meant to be; numbers that float32
holds exactly lose nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.notices import warn_once, was_given
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer

_KEY = "lost digits"


def beside(x: Tensor, y: Tensor) -> None:
    """Notes that two tensors are operands of one operation."""
    if x.dtype is not y.dtype and not was_given(_KEY):
        narrow, wide = (x, y) if x.dtype is mstype.float32 else (y, x)
        if narrow.dtype is mstype.float32 and wide.dtype is mstype.float64:
            _meets(narrow)


def root_of(tensor: Tensor) -> int | Tensor | None:
    """Which input of the program a tensor is, by its place, or the tensor itself if it has elements."""
    return tensor.root() if isinstance(tensor, Tracer) else tensor


def _meets(narrow: Tensor) -> None:
    root = root_of(narrow)
    if isinstance(root, Tensor):
        _tell(root)
    elif root is not None and isinstance(narrow, Tracer):
        narrow._scope.trace.widened.add(root)


def tell(places: tuple[int, ...], inputs: list[Tensor]) -> None:
    """Gives the warning if one of the inputs of a call at these places, which meet float64 tensors, was
    rounded.
    """
    for i in places:
        if i < len(inputs):
            _tell(inputs[i])


def _tell(tensor: Tensor) -> None:
    rounded: Any = getattr(tensor, "_rounded", None)
    if rounded is None or rounded is not tensor._buf:
        return
    written = np.array2string(np.asarray(tensor.asnumpy()), threshold=4, separator=", ")
    warn_once(
        _KEY,
        f"A float32 tensor made of Python floats ({written}) meets a float64 tensor: it has 7 digits, "
        "and so has the result.",
        "give it a dtype, Tensor(0.1, ms.float64), or write the number itself (0.1 * x); "
        "ms.set_default_dtype(ms.float64) makes float64 of all Python floats",
    )
