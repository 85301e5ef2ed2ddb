"""Elements shared with other libraries: DLPack and the buffer protocol."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad import _native
from cellgrad.core import dtype as mstype
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.storage import Signature, signature


def _complex_array(source: Any, dlpack: bool) -> np.ndarray[Any, Any] | None:
    """The elements of an object, if they are complex, as a dense array that shares them if it can."""
    if isinstance(source, np.ndarray):
        array = source
    elif dlpack and "complex" in str(getattr(source, "dtype", "")).lower():
        array = np.from_dlpack(source)
    else:
        return None
    if mstype.from_numpy(array.dtype) not in (mstype.complex64, mstype.complex128):
        return None
    return np.ascontiguousarray(array).reshape(array.shape)


def shared(
    source: Any, where: str, dtype: Type | None = None, dlpack: bool = False
) -> tuple[Any, Signature]:
    """A buffer over the elements of an object, and its signature; `where` names the function. With
    `dlpack` they are read by DLPack: the object's buffer protocol may not know all dtypes.

    Raises:
        TypeError: another object, or elements no Tensor can have.
        ValueError: the elements are in memory of another kind of device, or those of a device are
            not contiguous.
    """
    array = _complex_array(source, dlpack)
    if array is not None:
        source, dtype, dlpack = array.reshape((*array.shape, 1)).view(array.real.dtype), None, False
    try:
        buffer = _native.TensorBuffer.from_object(
            source, dtype=dtype.native if dtype else None, dlpack=dlpack
        )
    except (TypeError, ValueError) as e:
        raise error(type(e), f"For '{where}': {e}") from None
    found = mstype.BY_NATIVE.get(buffer.dtype)
    if found is None:
        raise error(TypeError, f"For '{where}', a Tensor cannot have elements of {buffer.dtype}.")
    if array is not None:
        return buffer, signature(mstype.complex_of(found), array.shape)
    return buffer, signature(found, tuple(buffer.shape))


def exchanged(source: Any, where: str) -> tuple[Any, Signature]:
    """As `shared`, of an object with ``__dlpack__`` or of a capsule."""
    capsule = type(source).__name__ == "PyCapsule"
    if not capsule and not hasattr(source, "__dlpack__"):
        raise error(
            TypeError,
            f"For '{where}', expected an object with __dlpack__, but got {type(source).__name__}.",
        )
    return shared(source, where, dlpack=True)
