"""Arrays from what rows hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor


def stacked(values: Any, column: str) -> np.ndarray[Any, Any]:
    """The rows of a group as one array; ValueError where their shapes differ."""
    shapes = {np.shape(v) for v in values}
    if len(shapes) > 1:
        raise error(
            ValueError,
            f"For 'batch', the rows of a group must have one shape, but those of column "
            f"'{column}' have {sorted(shapes)}.",
            "make them equal with map, or pad them in per_batch_map",
        )
    return np.stack([np.asarray(v) for v in values])


def joint_dtype(array: np.ndarray[Any, Any], value: Any, owner: str, what: str) -> np.dtype[Any]:
    """The dtype of an array in which a value stands, too: wider for strings, else that of the array.

    Raises:
        TypeError: a string and an array of something else, or the other way round.
    """
    kinds = array.dtype.kind, np.asarray(value).dtype.kind
    if value is None or (kinds[0] not in "SU" and kinds[1] not in "SU"):
        return array.dtype
    if kinds[0] != kinds[1]:
        raise error(
            TypeError,
            f"For '{owner}', {what} must be of the kind of the array, {array.dtype}, but got {value!r}.",
        )
    return np.result_type(array.dtype, np.asarray(value).dtype)


def as_array(value: Any) -> np.ndarray[Any, Any]:
    """An array from what rows and operations give: numpy, Tensors, DLPack, numbers, lists."""
    if isinstance(value, Tensor):
        return value.asnumpy()
    if hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray):
        return np.from_dlpack(value)
    return np.asarray(value)
