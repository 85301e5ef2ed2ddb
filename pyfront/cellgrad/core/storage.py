"""Host memory of tensors, in and out of numpy, and interned signatures."""

from __future__ import annotations

import weakref
from _weakref import _remove_dead_weakref  # type: ignore[attr-defined]
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


class _Reference(weakref.ref[Signature]):
    __slots__ = ("key",)
    key: tuple[Type, tuple[int, ...]]


_signatures: dict[tuple[Type, tuple[int, ...]], _Reference] = {}


def _forget(reference: _Reference) -> None:
    _remove_dead_weakref(_signatures, reference.key)


def signature(dtype: Type, shape: tuple[int, ...]) -> Signature:
    """The one `Signature` for a dtype and a shape.

    There is no lock: handlers of signals and finalizers that run in here make tensors, too. Each step of the table is one
    that nothing comes between.
    """
    key = (dtype, shape)
    reference = _signatures.get(key)
    found = None if reference is None else reference()
    while found is None:
        made = Signature(dtype, shape)
        own = _Reference(made, _forget)
        own.key = key
        reference = _signatures.setdefault(key, own)
        found = reference()
        if found is None:  # its callback has not run yet
            _remove_dead_weakref(_signatures, key)
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
            # Of a number, numpy 1 makes a shift by 16 an int64.
            wide: np.ndarray[Any, Any] = np.left_shift(array.astype(np.uint32), np.uint32(16))
            return wide.view(np.float32)
        return array.view(numpy_type)
    if dtype.kind == "c":
        return array.view(mstype.to_numpy(dtype)).reshape(array.shape[:-1])
    return array
