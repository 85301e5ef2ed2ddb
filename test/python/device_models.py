"""Models with CUDA kernels, called through the C ABI on the device of the driver that device.py names."""

import _ctypes
import ctypes as C
import json
import os
from functools import cache
from unittest.mock import patch

import numpy as np
from device import BUILD, DRIVER, run

# Every op is cut into as many kernels and blocks as it can be.
CUT = (
    "--pipeline=cell-to-cuda-pipeline{target=x86-64-v2 kernel-bytes=1 fewest-nanoseconds=0 "
    "fewest-steps=1 launch-cycles=0}"
)


class Context(C.Structure):
    """cg_context."""

    _fields_ = [
        ("struct_size", C.c_uint32),
        ("flags", C.c_uint32),
        ("arena", C.c_void_p),
        ("arena_bytes", C.c_uint64),
        ("print", C.c_void_p),
        ("print_user", C.c_void_p),
        ("cancel", C.c_void_p),
        ("max_trips", C.c_uint64),
        ("max_stash_bytes", C.c_uint64),
        ("failed_bytes", C.c_void_p),
        ("on_cancel", C.c_void_p),
        ("on_cancel_user", C.c_void_p),
        ("parallel", C.c_void_p),
        ("comm", C.c_void_p),
        ("cuda", C.c_void_p),
        ("stream", C.c_void_p),
        ("reserved", C.c_uint64 * 8),
    ]


class Model:
    """What cellc makes of a program, or a shared object of a model "m", for `device`: "cpu" or "cuda"; with a handle
    on the device.
    """

    def __init__(self, source, device, *flags):
        path = source
        if source.suffix != ".so":
            path = source.with_name(f"{source.stem}-{device}{len(flags)}.so")
            command = BUILD / "bin" / "cellc", source, "-o", path, "--name=m", f"--device={device}"
            run(*command, *flags)
        self.library = C.CDLL(str(path))
        self.library.cg_m_signature.restype = C.c_char_p
        self.signature = json.loads(self.library.cg_m_signature())
        self.entries = {e["name"]: e for e in self.signature["entries"]}
        self.cuda = C.c_void_p()
        if device == "cuda":
            words = C.create_string_buffer(4096)
            # For this call alone: what other tests start must not find a driver.
            with patch.dict(os.environ, CELLGRAD_CUDA_DRIVER=str(DRIVER)):
                opened = self.library.cg_m_open(
                    0, C.byref(self.cuda), words, C.c_uint64(len(words))
                )
            assert opened == 0, words.value.decode()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.cuda:
            self.library.cg_m_close(self.cuda)
        _ctypes.dlclose(self.library._handle)

    def message(self):
        self.library.cg_m_cuda_message.restype = C.c_char_p
        return self.library.cg_m_cuda_message(self.cuda).decode()

    def context(self, **members):
        lent = {
            name: C.cast(m, C.c_void_p) if name in POINTERS else m for name, m in members.items()
        }
        return Context(struct_size=C.sizeof(Context), cuda=self.cuda, **lent)

    def run(self, entry, given, **context):
        """The status, the arguments after the call, and the results, those in donated arguments as well."""
        args = [np.array(a, spec["dtype"]) for a, spec in zip(given, entry["args"], strict=True)]
        new = [s for s in entry["results"] if "donated_arg" not in s]
        made = [np.full(s["shape"], 1, s["dtype"]) for s in new]
        buffers = [a.ctypes.data for a in [*args, *made]]
        lent = self.context(**context)
        status = self.library[entry["symbol"]]((C.c_void_p * len(buffers))(*buffers), C.byref(lent))
        return status, args, results(entry, args, made)

    def run_on_device(self, entry, given, **context):
        """The same with memory of the device, and a wait."""
        args = [np.array(a, spec["dtype"]) for a, spec in zip(given, entry["args"], strict=True)]
        new = [s for s in entry["results"] if "donated_arg" not in s]
        made = [np.full(s["shape"], 1, s["dtype"]) for s in new]
        arrays = [*args, *made]
        places = [device().upload(a) for a in arrays]
        lent = self.context(**context)
        function = self.library[entry["symbol"] + "_device"]
        status = function((C.c_void_p * len(places))(*places), C.byref(lent))
        waited = self.library.cg_m_wait(C.byref(lent))
        for array, place in zip(arrays, places, strict=True):
            device().download(array, place)
        return status or waited, args, results(entry, args, made)


POINTERS = {"print", "cancel", "on_cancel", "failed_bytes"}


def results(entry, args, made):
    rest = iter(made)
    return [args[s["donated_arg"]] if "donated_arg" in s else next(rest) for s in entry["results"]]


@cache
def device():
    return Memory()


class Memory:
    """Memory of the first device, of the caller's."""

    def __init__(self):
        self.driver = C.CDLL(str(DRIVER))
        self.check(self.driver.cuInit(0))
        context = C.c_void_p()
        self.check(self.driver.cuDevicePrimaryCtxRetain(C.byref(context), 0))
        self.check(self.driver.cuCtxSetCurrent(context))

    def check(self, status):
        assert status == 0, status

    def upload(self, array):
        place, size = C.c_uint64(), C.c_size_t(array.nbytes)
        self.check(self.driver.cuMemAlloc_v2(C.byref(place), C.c_size_t(max(array.nbytes, 1))))
        if array.nbytes:
            self.check(self.driver.cuMemcpyHtoD_v2(place, C.c_void_p(array.ctypes.data), size))
        return place.value

    def download(self, array, place):
        at, size = C.c_uint64(place), C.c_size_t(array.nbytes)
        if array.nbytes:
            self.check(self.driver.cuMemcpyDtoH_v2(C.c_void_p(array.ctypes.data), at, size))
        self.check(self.driver.cuMemFree_v2(at))
