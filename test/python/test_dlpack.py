"""Memory of a CUDA device that is shared by DLPack, with a producer and a consumer that are written here."""

import ctypes as C
import gc
import re

import numpy as np
import pytest
from device import DRIVER, Device

import cellgrad as ms
from cellgrad import Parameter, Tensor, _native, ops

CPU, CUDA, READ_ONLY, COPIED, NON_BLOCKING, LEGACY = 1, 2, 1, 2, 1, 1


class Described(C.Structure):
    """DLTensor."""

    _fields_ = [
        ("data", C.c_void_p),
        ("device_type", C.c_int32),
        ("device_id", C.c_int32),
        ("ndim", C.c_int32),
        ("code", C.c_uint8),
        ("bits", C.c_uint8),
        ("lanes", C.c_uint16),
        ("shape", C.POINTER(C.c_int64)),
        ("strides", C.POINTER(C.c_int64)),
        ("byte_offset", C.c_uint64),
    ]


class Managed(C.Structure):
    """DLManagedTensor."""

    _fields_ = [("tensor", Described), ("context", C.c_void_p), ("deleter", C.c_void_p)]


class Versioned(C.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = [
        ("major", C.c_uint32),
        ("minor", C.c_uint32),
        ("context", C.c_void_p),
        ("deleter", C.c_void_p),
        ("flags", C.c_uint64),
        ("tensor", Described),
    ]


DELETER = C.CFUNCTYPE(None, C.c_void_p)
new_capsule = C.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = C.py_object, [C.c_void_p, C.c_char_p, C.c_void_p]
pointer_in = C.pythonapi.PyCapsule_GetPointer
pointer_in.restype, pointer_in.argtypes = C.c_void_p, [C.py_object, C.c_char_p]
rename = C.pythonapi.PyCapsule_SetName
rename.argtypes = [C.py_object, C.c_char_p]
# What a consumer may call as long as it likes.
LENT = []
# The consumer's name for a capsule has to outlive it.
USED = {kind: b"used_" + kind for kind in (b"dltensor", b"dltensor_versioned")}


@pytest.fixture(autouse=True)
def gpu(monkeypatch):
    monkeypatch.setenv("CELLGRAD_CUDA_DRIVER", str(DRIVER))
    before = ms.get_context("device_target")
    ms.set_context(device_target="GPU")
    yield
    ms.set_context(device_target=before)


@pytest.fixture
def device(gpu):
    return Device()


def stream_of(device):
    stream = C.c_void_p()
    device.call("cuStreamCreate", C.byref(stream), NON_BLOCKING)
    return stream


def read(device, stream, pointer, array):
    """What the consumer's stream reads, in its order, after nobody else has waited."""
    copied = np.zeros_like(array)
    size = C.c_size_t(array.nbytes)
    device.call("cuMemcpyDtoHAsync_v2", C.c_void_p(copied.ctypes.data), pointer, size, stream)
    device.call("cuStreamSynchronize", stream)
    return copied


class Consumer:
    """Takes a tensor as a library does."""

    def __init__(self, tensor, versioned=True, **options):
        if versioned:
            options["max_version"] = (1, 0)
        name, kind = (b"dltensor_versioned", Versioned) if versioned else (b"dltensor", Managed)
        capsule = tensor.__dlpack__(**options)
        self.managed = C.cast(pointer_in(capsule, name), C.POINTER(kind)).contents
        rename(capsule, USED[name])
        tensor = self.managed.tensor
        self.place = tensor.device_type, tensor.device_id
        self.pointer = C.c_uint64(tensor.data + tensor.byte_offset)
        self.shape = tuple(tensor.shape[: tensor.ndim])

    def drop(self):
        DELETER(self.managed.deleter)(C.addressof(self.managed))


class Producer:
    """A tensor of another library: memory of the device that is filled on a stream of its own."""

    def __init__(
        self, device, array, *, strides=None, offset=0, flags=0, versioned=True, place=(CUDA, 0)
    ):
        self.device, self.array, self.place = device, array, place
        self.flags, self.versioned, self.offset = flags, versioned, offset
        self.stream, self.asked, self.dropped = stream_of(device), [], 0
        self.base = C.c_uint64()
        device.call("cuMemAlloc_v2", C.byref(self.base), C.c_size_t(array.nbytes + 64))
        self.pointer = C.c_uint64(self.base.value + offset)
        size = C.c_size_t(array.nbytes)
        device.call(
            "cuMemcpyHtoDAsync_v2", self.pointer, C.c_void_p(array.ctypes.data), size, self.stream
        )
        self.strides = strides
        self.deleter = DELETER(self.drop)

    def drop(self, _):
        """Uses the memory for something else, on its own stream."""
        self.dropped += 1
        size = C.c_size_t(self.array.nbytes)
        self.device.call("cuMemsetD8Async", self.pointer, C.c_ubyte(0xEE), size, self.stream)
        self.device.call("cuStreamSynchronize", self.stream)

    def __dlpack_device__(self):
        return self.place

    def __dlpack__(self, stream=None, max_version=None):
        self.asked.append((stream, max_version))
        LENT.append(self)
        event = C.c_void_p()
        self.device.call("cuEventCreate", C.byref(event), 2)
        self.device.call("cuEventRecord", event, self.stream)
        self.device.call("cuStreamWaitEvent", C.c_void_p(stream), event, 0)
        shape = self.array.shape
        self.shape = (C.c_int64 * len(shape))(*shape)
        steps = (C.c_int64 * len(shape))(*self.strides) if self.strides else None
        code = {"i": 0, "u": 1, "f": 2}[self.array.dtype.kind]
        described = Described(
            self.base.value,
            *self.place,
            len(shape),
            code,
            8 * self.array.itemsize,
            1,
            self.shape,
            steps,
            self.offset,
        )
        deleter = C.cast(self.deleter, C.c_void_p)
        if self.versioned:
            self.managed = Versioned(1, 0, None, deleter, self.flags, described)
            return new_capsule(C.addressof(self.managed), b"dltensor_versioned", None)
        self.managed = Managed(described, None, deleter)
        return new_capsule(C.addressof(self.managed), b"dltensor", None)

    def now(self):
        """The elements, when all that was enqueued is done."""
        self.device.call("cuCtxSynchronize")
        return read(self.device, self.stream, self.pointer, self.array)


def numbers(*shape):
    return np.random.default_rng(1).normal(size=shape).astype(np.float32)


@ms.jit
def double(x):
    return x * 2


# --- memory that is handed out ----------------------------------------------------------------


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("waits", [True, False])
def test_a_stream_of_the_consumer_waits(device, versioned, waits):
    x = numbers(3, 4)
    y = double(Tensor(x))  # enqueued: nobody has waited for it
    assert y.__dlpack_device__() == (CUDA, 0)
    stream = stream_of(device)
    before = _native.device_transfers()
    consumer = Consumer(y, versioned, stream=stream.value if waits else -1)
    assert (consumer.place, consumer.shape) == ((CUDA, 0), (3, 4))
    given = read(device, stream, consumer.pointer, x)
    assert (given == x * 2).all() if waits else (given != x * 2).all()
    assert _native.device_transfers() == before and y.device == "GPU:0"
    np.testing.assert_array_equal(y.asnumpy(), x * 2)
    consumer.drop()


@pytest.mark.parametrize("stream", [None, 1, 2])
def test_default_streams(device, stream):
    x = numbers(5)
    consumer = Consumer(double(Tensor(x)), stream=stream)
    given = read(device, C.c_void_p(stream or LEGACY), consumer.pointer, x)
    np.testing.assert_array_equal(given, x * 2)
    consumer.drop()


def after_steps():
    """What a consumer has of a Parameter that was updated after it was exported, and is gone."""
    weight = Parameter(Tensor(np.ones(4, np.float32)), name="w")

    @ms.jit
    def step(x):
        ops.assign(weight, weight + x)
        return weight * 0 + 3

    three = step(Tensor(np.ones(4, np.float32)))
    consumer, before = Consumer(weight), _native.device_transfers()
    step(three)
    assert _native.device_transfers() == before
    return consumer


def test_the_consumer_sees_updates_and_keeps_the_memory(device):
    consumer, stream = after_steps(), stream_of(device)
    gc.collect()
    others = [double(Tensor(numbers(4))) for _ in range(5)]
    device.call("cuCtxSynchronize")
    given = read(device, stream, consumer.pointer, np.ones(4, np.float32))
    np.testing.assert_array_equal(given, [5, 5, 5, 5])
    consumer.drop()
    assert len(others) == 5


def test_the_host_has_a_copy_of_what_others_see(device):
    x = numbers(4)
    y = double(Tensor(x))
    consumer = Consumer(y)
    array = y.asnumpy()
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    with pytest.raises(ValueError, match=r"add_\(\) would write to memory that is read-only"):
        y.add_(1)
    with pytest.raises(RuntimeError, match=r"others share the tensor's memory on CUDA device 0"):
        y.data_ptr()
    with pytest.raises(BufferError, match=r"others share .* view\(\) copies it"):
        memoryview(y._buf)
    np.testing.assert_array_equal(np.from_dlpack(y, device="cpu"), x * 2)
    device.call("cuMemsetD8Async", consumer.pointer, C.c_ubyte(0), C.c_size_t(x.nbytes), None)
    np.testing.assert_array_equal(array, x * 2)  # of the time when it was asked for
    np.testing.assert_array_equal(y.asnumpy(), 0)
    consumer.drop()
    y.asnumpy()[0] = 7
    assert double(y).asnumpy()[0] == 14


def test_a_consumer_on_the_host(device):
    x = numbers(4)
    y = double(Tensor(x))
    with pytest.raises(
        BufferError, match=r"memory of CUDA device 0: the host needs a copy, which copy=False"
    ):
        y.__dlpack__(dl_device=(CPU, 0), copy=False)
    shared, copied = np.from_dlpack(y, device="cpu"), np.from_dlpack(y, device="cpu", copy=True)
    shared[0], copied[1] = 5, 6
    assert double(y).asnumpy()[:2].tolist() == [10, 4 * x[1]]
    z = double(Tensor(x))
    consumer = Consumer(z, copy=True)
    assert consumer.managed.flags == COPIED and consumer.place == (CUDA, 0)
    device.call("cuMemsetD8Async", consumer.pointer, C.c_ubyte(0), C.c_size_t(x.nbytes), None)
    np.testing.assert_array_equal(z.asnumpy(), x * 2)
    consumer.drop()


@pytest.mark.parametrize(
    "options, kind, words",
    [
        ({"stream": 0}, ValueError, r"stream 0 is ambiguous: expected -1 for none, 1 for"),
        ({"stream": -2}, ValueError, r"stream -2 is ambiguous"),
        ({"stream": "1"}, TypeError, r"stream: expected an int or None"),
        ({"dl_device": (CUDA, 1)}, BufferError, r"memory of CUDA device 0: cannot export"),
        ({"dl_device": (10, 0)}, BufferError, r"cannot export it to another device"),
    ],
)
def test_what_cannot_be_exported(options, kind, words):
    y = double(Tensor(numbers(3)))
    with pytest.raises(kind, match=words):
        y.__dlpack__(**options)
    np.testing.assert_array_equal(y.asnumpy(), numbers(3) * 2)


def test_a_tensor_of_the_host_is_exported_as_before():
    x = Tensor(numbers(3))
    assert x.__dlpack_device__() == (CPU, 0)
    np.testing.assert_array_equal(np.from_dlpack(x), numbers(3))
    with pytest.raises(BufferError, match="host memory: cannot export"):
        x.__dlpack__(dl_device=(CUDA, 0))


# --- memory that is taken ---------------------------------------------------------------------


@pytest.mark.parametrize("versioned", [True, False])
def test_memory_of_a_producer_is_used_where_it_is(device, versioned):
    x = numbers(3, 4)
    producer = Producer(device, x, versioned=versioned)
    before = _native.device_transfers()
    tensor = Tensor.from_dlpack(producer)
    assert producer.asked == [(LEGACY, (1, 0))]
    assert (tensor.device, tensor.shape, tensor.dtype) == ("GPU:0", (3, 4), ms.float32)
    result = double(tensor)
    assert _native.device_transfers() == before
    del tensor
    assert producer.dropped == 1  # when what computes with it was done
    np.testing.assert_array_equal(result.asnumpy(), x * 2)


def test_writes_are_seen_by_the_producer(device):
    x, state = numbers(4), Parameter(Tensor(numbers(4)), name="state")

    @ms.jit
    def step(x):
        ops.assign(state, state + x)
        return x * 1

    step(Tensor(x))
    entry = next(iter(step.program.cache.values())).entry
    producer = Producer(device, x)
    tensor = Tensor.from_dlpack(producer)
    entry([Tensor(x)._buf, tensor._buf])
    np.testing.assert_array_equal(producer.now(), x + x)
    np.testing.assert_array_equal(tensor.asnumpy(), x + x)
    read_only = Tensor.from_dlpack(Producer(device, x, flags=READ_ONLY))
    with pytest.raises(ValueError, match="memory given is read-only"):
        entry([Tensor(x)._buf, read_only._buf])
    np.testing.assert_array_equal((read_only + 1).asnumpy(), x + 1)
    alias = Tensor.from_dlpack(tensor)
    with pytest.raises(ValueError, match="its memory is also that of 'x0'"):
        entry([alias._buf, tensor._buf])


def test_programs_of_the_host_read_it_and_do_not_write_it(device):
    x = numbers(4)
    tensor = Tensor.from_dlpack(Producer(device, x))
    ms.set_context(device_target="CPU")
    np.testing.assert_array_equal(double(tensor).asnumpy(), x * 2)
    entry = next(c for k, c in double.program.cache.items() if repr(k[0]) != "GPU:0").entry
    with pytest.raises(ValueError, match=r"others share its memory on CUDA device 0: pass a copy"):
        entry([Tensor(x)._buf], out=[tensor._buf])


@pytest.mark.parametrize("offset", [2, 4, 8])
def test_memory_that_is_not_aligned_to_16_bytes_is_copied(device, offset):
    x = numbers(300)
    producer = Producer(device, x, offset=offset)
    tensor = Tensor.from_dlpack(producer)
    assert producer.dropped == 1
    np.testing.assert_array_equal(double(tensor).asnumpy(), x * 2)
    np.testing.assert_allclose(tensor.sum().asnumpy(), x.astype(np.float64).sum(), rtol=1e-5)
    with pytest.raises(ValueError, match="not aligned to 16 bytes: pass a copy"):
        _native.TensorBuffer.from_object(Producer(device, x, offset=offset), copy=False)


def test_copies_of_a_producers_memory(device):
    x = numbers(4)
    producer = Producer(device, x)
    buffer = _native.TensorBuffer.from_object(producer, copy=True)
    assert producer.dropped == 1 and buffer.device == 0
    np.testing.assert_array_equal(buffer.view(), x)
    other = Producer(device, x)
    np.testing.assert_array_equal(Tensor(other).asnumpy(), x)
    assert other.dropped == 1


def test_empty_tensors(device):
    tensor = Tensor.from_dlpack(Producer(device, np.zeros((0, 3), np.float32)))
    assert double(tensor).shape == (0, 3) and tensor.device == "GPU:0"


@pytest.mark.parametrize(
    "more, kind, words",
    [
        (
            {"strides": (1, 3)},
            ValueError,
            r"a test_dlpack.Producer is not contiguous: pass a contiguous copy$",
        ),
        ({"place": (10, 0)}, ValueError, r"device of another kind \(DLPack device type 10\)"),
        ({"place": (CUDA, 7)}, RuntimeError, r"no CUDA device 7: the number of devices is"),
    ],
)
def test_what_cannot_be_taken(device, more, kind, words):
    producer = Producer(device, numbers(3, 4), **more)
    with pytest.raises(kind) as said:
        Tensor.from_dlpack(producer)
    assert re.search(words, str(said.value).split("\n")[0])
    assert producer.dropped == len(producer.asked)  # a capsule that was taken is given back


def test_unsigned_integers(device):
    array = np.array([1, 2**31, 2**32 - 1], np.uint32)
    x = Tensor.from_dlpack(Producer(device, array))
    np.testing.assert_array_equal((x // 2).asnumpy(), array // 2)


def test_capsules(device):
    x = numbers(4)
    y = double(Tensor(x))
    z = Tensor.from_dlpack(y.to_dlpack())
    assert (y.device, z.device) == ("GPU:0", "GPU:0")
    np.testing.assert_array_equal(double(z).asnumpy(), x * 4)
    with pytest.raises((ValueError, TypeError)):
        Tensor.from_dlpack(new_capsule(1, b"no tensor", None))
