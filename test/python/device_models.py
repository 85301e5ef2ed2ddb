"""Models with CUDA kernels, called through the C ABI on the device of the driver that device.py names."""

import ctypes as C
import json
import os

import numpy as np
from device import BUILD, DRIVER, run


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
    """The shared object of a program; `device` is "cpu" or "cuda"."""

    def __init__(self, source, device, *flags):
        os.environ.setdefault("CELLGRAD_CUDA_DRIVER", str(DRIVER))
        library = source.with_name(f"{source.stem}-{device}.so")
        run(BUILD / "bin" / "cellc", source, "-o", library, "--name=m", f"--device={device}", *flags)
        self.library = C.CDLL(str(library))
        self.library.cg_m_signature.restype = C.c_char_p
        self.entries = json.loads(self.library.cg_m_signature())["entries"]
        self.context = Context(struct_size=C.sizeof(Context))
        if device == "cuda":
            handle, words = C.c_void_p(), C.create_string_buffer(4096)
            status = self.library.cg_m_open(0, C.byref(handle), words, C.c_uint64(len(words)))
            assert status == 0, words.value.decode()
            self.context.cuda = handle

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.context.cuda:
            self.library.cg_m_close(C.c_void_p(self.context.cuda))

    def message(self):
        self.library.cg_m_cuda_message.restype = C.c_char_p
        return self.library.cg_m_cuda_message(C.c_void_p(self.context.cuda)).decode()

    def __call__(self, entry, args):
        """The status, and the results of an entry; donated arguments hold some of them."""
        args = [a.copy() for a in args]
        results = [np.empty(spec["shape"], spec["dtype"]) for spec in entry["results"] if "donated_arg" not in spec]
        buffers = [a.ctypes.data for a in args + results]
        function = self.library[f"cg_m_{entry['name']}"]
        status = function((C.c_void_p * len(buffers))(*buffers), C.byref(self.context))
        rest = iter(results)
        given = [args[s["donated_arg"]] if "donated_arg" in s else next(rest) for s in entry["results"]]
        return status, given
