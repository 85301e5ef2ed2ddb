"""Host memory of tensors, in and out of numpy, and interned signatures."""

from __future__ import annotations

import threading
import weakref
from typing import Any

import numpy as np

from cellgrad import _native
from cellgrad.core import dtype as mstype
from cellgrad.core.dtype import Type


class Signature:
    """The dtype and shape of a tensor; one object per pair, compared by identity."""

    __slots__ = ("__weakref__", "dtype", "held", "shape")

    dtype: Type
    shape: tuple[int, ...]
    held: tuple[int, ...]  # the shape in memory: complex numbers have a last dimension, of parts

    def __init__(self, dtype: Type, shape: tuple[int, ...]):
        self.dtype = dtype
        self.shape = shape
        self.held = (*shape, 2) if dtype.kind == "c" else shape

    def __repr__(self) -> str:
        return f"{self.dtype.title}{list(self.shape)}"


_signatures: weakref.WeakValueDictionary[tuple[Type, tuple[int, ...]], Signature] = (
    weakref.WeakValueDictionary()
)
_making = threading.Lock()


def signature(dtype: Type, shape: tuple[int, ...]) -> Signature:
    """The one `Signature` for a dtype and a shape."""
    key = (dtype, shape)
    found = _signatures.get(key)
    if found is None:
        with _making:
            found = _signatures.setdefault(key, Signature(dtype, shape))
    return found


def _raw(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return array.view(np.uint16) if array.dtype.name == "bfloat16" else array


def _parts(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Dense complex numbers as pairs of real ones."""
    return array.reshape((*array.shape, 1)).view(array.real.dtype)


def from_numpy(array: np.ndarray[Any, Any], dtype: Type) -> Any:
    """A buffer with a copy of the elements, of any strides, converted to `dtype`."""
    if dtype.kind == "c":
        array = _parts(np.asarray(array, mstype.to_numpy(dtype), order="C"))
    buffer = _native.TensorBuffer(dtype.native, array.shape)
    if array.size:
        if dtype is mstype.bfloat16 and array.dtype.name != "bfloat16":
            bits = np.asarray(array, np.float32).view(np.uint32)
            rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
            nan = np.isnan(np.asarray(array, np.float32))
            buffer.view()[...] = np.where(nan, 0x7FC0, rounded).astype(np.uint16)
        else:
            buffer.view()[...] = _raw(array)
    return buffer


def to_numpy(buffer: Any, dtype: Type) -> np.ndarray[Any, Any]:
    """A numpy view of a buffer's elements, which keeps the buffer alive."""
    array: np.ndarray[Any, Any] = buffer.view()
    if dtype is mstype.bfloat16:
        numpy_type = mstype.bfloat16_numpy()
        if numpy_type is None:
            return (array.astype(np.uint32) << 16).view(np.float32)
        return array.view(numpy_type)
    if dtype.kind == "c":
        return array.view(mstype.to_numpy(dtype)).reshape(array.shape[:-1])
    return array
