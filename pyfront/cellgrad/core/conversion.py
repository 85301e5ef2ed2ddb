"""Arrays as elements of another dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error

__all__ = ["are_rounded", "converted"]


def converted(array: np.ndarray[Any, Any], target: Type) -> np.ndarray[Any, Any]:
    """The array with elements of `target`; integers wrap around, as in C.

    Raises:
        TypeError: complex numbers, and a target that is not.
    """
    if array.dtype.kind == "c" and target.kind in "iuf":
        raise error(
            TypeError,
            f"Complex numbers cannot become elements of {target.title}: imaginary parts would be lost.",
            "take the real parts, ops.real(x) or x.astype(...), or make the target complex",
        )
    if target is mstype.bfloat16:
        return array
    numpy_type = mstype.to_numpy(target)
    if array.dtype == numpy_type:
        return array
    with np.errstate(invalid="ignore", over="ignore"):
        return array.astype(numpy_type)


def are_rounded(data: Any, array: np.ndarray[Any, Any]) -> bool:
    """Whether elements given as Python floats are none of float32."""
    if not isinstance(data, float | list | tuple):
        return False
    with np.errstate(over="ignore"):
        single = array.astype(np.float32)
    return bool(((single != array) & (array == array)).any())
