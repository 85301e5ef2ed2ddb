"""TensorBuffer: memory in and out by the buffer protocol and DLPack, shared where it can be."""

import gc
import os
import re
import threading

import numpy as np
import pytest
from messages import said

from cellgrad._native import TensorBuffer

DTYPES = {
    "bool": np.bool_,
    "int8": np.int8,
    "int16": np.int16,
    "int32": np.int32,
    "int64": np.int64,
    "uint8": np.uint8,
    "float16": np.float16,
    "float32": np.float32,
    "float64": np.float64,
}


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 4), (0, 5), (1, 1, 1, 1, 1, 1, 1, 1)])
def test_numpy_and_back_without_a_copy(name, shape):
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(DTYPES[name])
    buffer = TensorBuffer.from_object(array)
    assert (buffer.dtype, buffer.shape, buffer.nbytes) == (name, shape, array.nbytes)
    assert buffer.address == array.ctypes.data
    for back in (buffer.view(), np.from_dlpack(buffer), np.asarray(memoryview(buffer))):
        assert back.dtype == array.dtype and back.shape == shape
        np.testing.assert_array_equal(back, array)


def advice(address):
    """What the system was told of the memory at that address."""
    inside = False
    with open("/proc/self/smaps") as file:
        for line in file:
            if found := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
                inside = int(found[1], 16) <= address < int(found[2], 16)
            elif inside and line.startswith("VmFlags:"):
                return line.split()[1:]
    raise AssertionError("no such memory")


def test_large_memory_asks_for_large_pages():
    buffer = TensorBuffer("float32", (3 << 20,))
    assert buffer.address % (2 << 20) == 0
    # A kernel that is built without them keeps no note of the wish.
    asked = {"hg"} if os.path.exists("/sys/kernel/mm/transparent_hugepage") else set()
    assert asked <= set(advice(buffer.address))


def test_owned_memory_is_aligned_and_outlives_the_buffer():
    for size in (1, 100, 10_000, 1_000_000):
        buffer = TensorBuffer("float32", (size,))
        assert buffer.address % 64 == 0
        array = buffer.view()
        array[:] = size
        del buffer
        gc.collect()
        again = TensorBuffer("float32", (size,)).view()
        again[:] = 0
        assert array[0] == array[-1] == size


def test_small_memory_is_aligned_and_nobody_elses():
    """Blocks of a few elements are kept by the thread that lets go of them, whichever made them."""
    made = {}

    def make(name):
        made[name] = [TensorBuffer("float32", (n % 70,)) for n in range(200)]

    for name in range(3):
        thread = threading.Thread(target=make, args=(name,))
        thread.start()
        thread.join()
    del made[1]
    make(3)
    buffers = [(name, i, b) for name, given in made.items() for i, b in enumerate(given)]
    for name, i, buffer in buffers:
        buffer.view()[:] = 1000 * name + i
    for name, i, buffer in buffers:
        assert buffer.address % 64 == 0
        assert (buffer.view() == 1000 * name + i).all()


def test_borrowed_memory_keeps_its_owner():
    buffer = TensorBuffer.from_object(np.full(1000, 7.0))
    through_dlpack = TensorBuffer.from_object(ByDLPack(np.full(1000, 8.0)))
    gc.collect()
    filler = [np.zeros(1000) for _ in range(100)]
    assert buffer.view()[500] == 7 and through_dlpack.view()[500] == 8
    del filler


class ByDLPack:
    """An array that knows DLPack only, of the old or the new version."""

    def __init__(self, array, version=(1, 0), device=(1, 0)):
        self.array, self.version, self.device = array, version, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        if self.version < (1, 0):
            if options:
                raise TypeError("unexpected keyword")
            return self.array.__dlpack__()
        return self.array.__dlpack__(max_version=options["max_version"])


@pytest.mark.parametrize("version", [(0, 8), (1, 0)])
def test_dlpack_import_shares_memory(version):
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    buffer = TensorBuffer.from_object(ByDLPack(array, version))
    assert buffer.address == array.ctypes.data and not buffer.readonly
    buffer.view()[1, 2] = 50
    assert array[1, 2] == 50


def test_dlpack_read_only_travels():
    array = np.arange(3.0)
    array.flags.writeable = False
    buffer = TensorBuffer.from_object(ByDLPack(array))
    assert buffer.readonly
    assert not np.from_dlpack(buffer).flags.writeable
    with pytest.raises(BufferError, match="read-only"):
        buffer.__dlpack__()
    with pytest.raises(BufferError):
        buffer.__dlpack__(dl_device=(2, 0))
    assert np.from_dlpack(buffer, copy=True).flags.writeable


def test_other_device_is_refused():
    with pytest.raises(ValueError, match=r"device of another kind .*10.*copy it to the CPU"):
        TensorBuffer.from_object(ByDLPack(np.zeros(2), device=(10, 0)))


def test_strided_memory_is_copied_unless_forbidden():
    base = np.arange(24, dtype=np.float32).reshape(4, 6)
    for view in (base[:, ::2], base.T, base[::-1], np.broadcast_to(base[0], (3, 6))):
        buffer = TensorBuffer.from_object(view)
        np.testing.assert_array_equal(buffer.view(), view)
        assert not np.shares_memory(buffer.view(), base)
        with pytest.raises(ValueError, match="not contiguous"):
            TensorBuffer.from_object(view, copy=False)
    column = base[:, :1]  # strided by a dimension of one element only
    assert TensorBuffer.from_object(base[:1, :]).address == base.ctypes.data
    np.testing.assert_array_equal(TensorBuffer.from_object(column).view(), column)


def test_unaligned_memory_is_copied():
    raw = np.zeros(17, np.uint8)
    unaligned = raw[1:17].view(np.float64)
    assert TensorBuffer.from_object(unaligned).address % 8 == 0
    with pytest.raises(ValueError, match="not aligned"):
        TensorBuffer.from_object(unaligned, copy=False)


def test_copy_true_always_copies():
    array = np.arange(3.0)
    buffer = TensorBuffer.from_object(array, copy=True)
    assert buffer.address != array.ctypes.data
    assert buffer.copy().address != buffer.address
    np.testing.assert_array_equal(buffer.copy().view(), array)


def test_bfloat16_by_its_bits():
    bits = np.array([0x3F80, 0xC000], np.uint16)
    buffer = TensorBuffer.from_object(bits, dtype="bfloat16")
    assert buffer.dtype == "bfloat16"
    np.testing.assert_array_equal(buffer.view(), bits)
    np.testing.assert_array_equal(buffer.copy().view(), bits)
    again = TensorBuffer.from_object(ByDLPackBuffer(buffer))
    assert again.dtype == "bfloat16" and again.address == buffer.address


class ByDLPackBuffer:
    """Hides the buffer protocol of a TensorBuffer."""

    def __init__(self, buffer):
        self.__dlpack__, self.__dlpack_device__ = buffer.__dlpack__, buffer.__dlpack_device__


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: TensorBuffer("float31", (2,)), ValueError, "unknown dtype.*float32"),
        (lambda: TensorBuffer("float32", (-1,)), ValueError, "negative"),
        (
            lambda: TensorBuffer("float32", (1 << 40, 1 << 40)),
            MemoryError,
            "more bytes than a process can address",
        ),
        (lambda: TensorBuffer.from_object(3.5), TypeError, "expected a tensor.*float"),
        (lambda: TensorBuffer.from_object(np.zeros(2, complex)), ValueError, "format"),
        (lambda: TensorBuffer.from_object(np.zeros(2, ">f4")), ValueError, "byte order"),
        (lambda: TensorBuffer.from_object(np.zeros(2), dtype="int32"), ValueError, "float64"),
        (lambda: TensorBuffer.from_object(np.array(["a"])), ValueError, "format"),
    ],
)
def test_errors(make, error, words):
    with pytest.raises(error) as caught:
        make()
    assert re.search(words, said(caught.value))
