"""The CUDA driver's interface through ctypes: what the measurements and comparisons of this folder need of it.

Neither a CUDA toolkit nor a framework has to be there. The library is the one that is named, else the one that
CELLGRAD_CUDA_DRIVER names, else libcuda.so.1. All work is on the legacy default stream.
"""

import ctypes as C
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# Numbers of cuDeviceGetAttribute.
SMS, CLOCK_KHZ, MEMORY_CLOCK_KHZ, BUS_BITS, L2_BYTES = 16, 13, 36, 37, 38
MAJOR, MINOR, SHARED_BYTES = 75, 76, 97


class DriverError(RuntimeError):
    """A call that the driver refused, with its words."""


class Driver:
    """A device and its primary context, current for this thread."""

    def __init__(self, path: str | os.PathLike[str] | None = None, ordinal: int = 0) -> None:
        self.path = str(path or os.environ.get("CELLGRAD_CUDA_DRIVER") or "libcuda.so.1")
        try:
            self.library = C.CDLL(self.path)
        except OSError as error:
            raise DriverError(f"no CUDA driver: {error}; CELLGRAD_CUDA_DRIVER names one") from None
        self.call("cuInit", 0)
        self.ordinal = C.c_int()
        self.call("cuDeviceGet", C.byref(self.ordinal), ordinal)
        context = C.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", C.byref(context), self.ordinal)
        self.call("cuCtxSetCurrent", context)

    def call(self, name: str, *args: object) -> None:
        status = getattr(self.library, name)(*args)
        if status:
            words = C.c_char_p()
            self.library.cuGetErrorString(status, C.byref(words))
            raise DriverError(f"{name}: {status}: {(words.value or b'').decode()}")

    def name(self) -> str:
        text = C.create_string_buffer(256)
        self.call("cuDeviceGetName", text, len(text), self.ordinal)
        return text.value.decode()

    def attribute(self, number: int) -> int:
        value = C.c_int()
        self.call("cuDeviceGetAttribute", C.byref(value), number, self.ordinal)
        return value.value

    def version(self) -> str:
        """The highest version of CUDA that the driver knows."""
        value = C.c_int()
        self.call("cuDriverGetVersion", C.byref(value))
        return f"{value.value // 1000}.{value.value % 1000 // 10}"

    def chip(self) -> str:
        return f"sm_{self.attribute(MAJOR)}{self.attribute(MINOR)}"

    # Memory.

    def allocate(self, size: int) -> C.c_uint64:
        place = C.c_uint64()
        self.call("cuMemAlloc_v2", C.byref(place), C.c_size_t(max(size, 1)))
        return place

    def free(self, place: C.c_uint64) -> None:
        self.call("cuMemFree_v2", place)

    def write(self, place: C.c_uint64, array: np.ndarray) -> None:
        if array.nbytes:
            data = array.ctypes.data_as(C.c_void_p)
            self.call("cuMemcpyHtoD_v2", place, data, C.c_size_t(array.nbytes))

    def read(self, array: np.ndarray, place: C.c_uint64) -> None:
        if array.nbytes:
            data = array.ctypes.data_as(C.c_void_p)
            self.call("cuMemcpyDtoH_v2", data, place, C.c_size_t(array.nbytes))

    def upload(self, array: np.ndarray) -> C.c_uint64:
        place = self.allocate(array.nbytes)
        self.write(place, array)
        return place

    # Code.

    def load(self, image: bytes) -> C.c_void_p:
        """A module from the text of PTX or from a cubin."""
        module = C.c_void_p()
        self.call("cuModuleLoadData", C.byref(module), image + b"\0")
        return module

    def unload(self, module: C.c_void_p) -> None:
        self.call("cuModuleUnload", module)

    def launch(
        self,
        module: C.c_void_p,
        kernel: str,
        arguments: Sequence[Any],
        grid: tuple[int, int, int] = (1, 1, 1),
        block: tuple[int, int, int] = (32, 1, 1),
        shared: int = 0,
    ) -> None:
        """Enqueues a kernel; each argument is a number of ctypes of the size of its parameter."""
        function = C.c_void_p()
        self.call("cuModuleGetFunction", C.byref(function), module, kernel.encode())
        if shared > 48 << 10:
            self.call("cuFuncSetAttribute", function, 8, shared)
        packed = (C.c_void_p * len(arguments))(
            *[C.cast(C.pointer(a), C.c_void_p) for a in arguments]
        )
        self.call("cuLaunchKernel", function, *grid, *block, shared, None, packed, None)

    def synchronize(self) -> None:
        self.call("cuCtxSynchronize")

    # Time.

    def milliseconds(self, enqueue: Callable[[], object]) -> float:
        """From the first to the last operation that `enqueue` puts on the stream, by events."""
        begin, end, elapsed = C.c_void_p(), C.c_void_p(), C.c_float()
        for event in (begin, end):
            self.call("cuEventCreate", C.byref(event), 0)
        self.call("cuEventRecord", begin, None)
        enqueue()
        self.call("cuEventRecord", end, None)
        self.call("cuEventSynchronize", end)
        self.call("cuEventElapsedTime", C.byref(elapsed), begin, end)
        for event in (begin, end):
            self.call("cuEventDestroy_v2", event)
        return elapsed.value
