"""Elements limited to a range.

A limit that is an int beyond what the dtype of integers holds is the end of that range: -1 beside uint8
is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cellgrad.core.aliases import TensorLike, TensorOrTensors
from cellgrad.core.errors import error
from cellgrad.core.record import as_tensor, cast_to, check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops._public import public
from cellgrad.ops.selection import select


@public()
def clip_by_value(
    x: Tensor | Sequence[Tensor],
    clip_value_min: TensorLike | None = None,
    clip_value_max: TensorLike | None = None,
) -> TensorOrTensors:
    """The elements, limited to [`clip_value_min`, `clip_value_max`]; of a tuple or list, a tuple of what
    each gives. Limits are cast to the dtype of the elements.

    Raises:
        ValueError: both limits are None.

    >>> print(ops.clip_by_value(Tensor([-1.0, 0.5, 3.0]), 0.0, 1.0))
    [0.  0.5 1. ]
    """
    if clip_value_min is None and clip_value_max is None:
        raise error(
            ValueError,
            "For 'clip_by_value', 'clip_value_min' and 'clip_value_max' can not both be None.",
        )
    if isinstance(x, tuple | list):
        return tuple(clip_by_value(v, clip_value_min, clip_value_max) for v in x)
    # Here, as operands of an operation have the dtype of the elements.
    limits = (ew.within(limit, x) for limit in (clip_value_min, clip_value_max))
    out: Tensor = _between(x, *limits)
    return out


@operation
def _between(x: Any, least: TensorLike | None, most: TensorLike | None) -> Tensor:
    out = check_tensor(x, "clip_by_value", "x")
    for op, limit in (("cell.maximum", least), ("cell.minimum", most)):
        if limit is not None:
            bound = as_tensor(limit, "clip_by_value", out.dtype if out.dtype.kind == "f" else None)
            out = ew.binary(op, out, cast_to(bound, out.dtype))
    return out


@public(
    "ops.clamp",
    "Tensor.clamp",
    "mint.clamp",
    "Tensor.clip",
    "mint.clip",
)
def clip(
    input: Tensor | Sequence[Tensor], min: TensorLike | None = None, max: TensorLike | None = None
) -> TensorOrTensors:
    """The elements, limited to [`min`, `max`], `max` where `min` is above it; a tuple or list is
    clipped element by element.

    The derivative is 1 at the limits, where that of `clip_by_value` is one half.

    Raises:
        ValueError: both limits are None.

    >>> print(ops.clip(Tensor([-1.0, 0.5, 2.0]), 0, 1))
    [0.  0.5 1. ]

    >>> print(Tensor([-1.0, 0.5, 3.0]).clip(0.0, 1.0))
    [0.  0.5 1. ]
    """
    if min is None and max is None:
        raise error(ValueError, "For 'clamp', at least one of 'min' or 'max' must not be None.")
    if isinstance(input, tuple | list):
        return type(input)(clip(v, min, max) for v in input)
    out: Tensor = _clip(input, ew.within(min, input), ew.within(max, input))
    return out


@operation
def _clip(x: Any, least: TensorLike | None, most: TensorLike | None) -> Tensor:
    out = check_tensor(x, "clamp", "input")
    if least is not None:
        out = select(ew.compare("cell.less", out, least), least, out)
    if most is not None:
        out = select(ew.compare("cell.greater", out, most), most, out)
    return out
