"""Programs as kernels of a GPU, run through the driver that CELLGRAD_CUDA_DRIVER names: the emulated one, or a real one."""

import ctypes as C
import os
import re
import subprocess
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLGRAD_BUILD_DIR", ROOT / "build"))
DRIVER = Path(os.environ.get("CELLGRAD_CUDA_DRIVER", BUILD / "test" / "emulator" / "libcuda.so.1"))
BUFFERS = "cell-sequential-to-loops,cell-fuse-pipeline,cell-place-pipeline,cell-buffer-pipeline"


class Refused(Exception):
    """A program that kernels cannot hold yet: the op that is to blame."""


def run(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if refused := re.search(
        r"error: '(\S+)' op cannot run in a kernel on the device yet", done.stderr
    ):
        raise Refused(refused[1])
    if done.returncode:
        raise RuntimeError(done.stderr[:3000])
    return done.stdout


def on_buffers(text):
    """A module on tensors, or of cell ops, as linalg on buffers."""
    first = "cell-to-linalg-pipeline," if "cell." in text else ""
    pipeline = f"builtin.module({first}{BUFFERS})"
    return run(BUILD / "bin" / "cell-opt", f"--pass-pipeline={pipeline}", text=text)


def as_kernels(text):
    """The entries of a module on buffers as programs of the device."""
    text = re.sub(r"func\.func @", "func.func private @", text)
    return text.replace(
        "attributes {cell.signature", "attributes {cell.device_kernel, cell.signature"
    )


class Kernels:
    """The kernels of a module of programs on buffers."""

    def __init__(self, text, chip="sm_80"):
        pipeline = f"builtin.module(cell-gpu-pipeline,gpu.module(cell-emit-ptx{{chip={chip}}}))"
        lowered = run(BUILD / "bin" / "cell-opt", f"--pass-pipeline={pipeline}", text=text)
        quoted = re.search(rf'{chip} = "((?:[^"\\]|\\.)*)"', lowered)[1]
        self.ptx = re.sub(r"\\([0-9A-F]{2}|.)", unquote, quoted)
        self.launches = {}
        for name, attributes in re.findall(
            r"llvm\.func @(\w+)\(.*?attributes \{(.*gpu\.kernel.*)\}", lowered
        ):
            block, grid = (
                int(re.search(rf"known_{what}_size = array<i32: (\d+)", attributes)[1])
                for what in ("block", "grid")
            )
            scratch = re.search(r"cell\.scratch_bytes = (\d+)", attributes)
            self.launches[name] = grid, block, int(scratch[1]) if scratch else 0


def unquote(match):
    code = match[1]
    return chr(int(code, 16)) if len(code) == 2 else code


class Device:
    """The first device of the driver; raises where a call fails."""

    def __init__(self, driver=DRIVER):
        self.driver = C.CDLL(str(driver))
        self.call("cuInit", 0)
        context = C.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", C.byref(context), 0)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *args):
        status = getattr(self.driver, name)(*args)
        if status:
            text = C.c_char_p()
            self.driver.cuGetErrorString(status, C.byref(text))
            raise RuntimeError(f"{name}: {status}: {(text.value or b'').decode()}")

    def __call__(self, kernels, name, arrays):
        """Runs a kernel on arrays, which it reads and writes."""
        module, function = C.c_void_p(), C.c_void_p()
        self.call("cuModuleLoadData", C.byref(module), kernels.ptx.encode() + b"\0")
        self.call("cuModuleGetFunction", C.byref(function), module, name.encode())
        grid, block, scratch = kernels.launches[name]
        extra = [np.full(grid * scratch, 0xA5, np.uint8)] if scratch else []
        pointers = []
        for array in [*arrays, *extra]:
            pointer = C.c_uint64()
            self.call("cuMemAlloc_v2", C.byref(pointer), C.c_size_t(max(array.nbytes, 1)))
            self.call(
                "cuMemcpyHtoD_v2",
                pointer,
                array.ctypes.data_as(C.c_void_p),
                C.c_size_t(array.nbytes),
            )
            pointers.append(pointer)
        packed = (C.c_void_p * len(pointers))(*[C.cast(C.pointer(p), C.c_void_p) for p in pointers])
        self.call("cuLaunchKernel", function, grid, 1, 1, block, 1, 1, 0, None, packed, None)
        self.call("cuCtxSynchronize")
        for array, pointer in zip(arrays, pointers):
            self.call(
                "cuMemcpyDtoH_v2",
                array.ctypes.data_as(C.c_void_p),
                pointer,
                C.c_size_t(array.nbytes),
            )
        for pointer in pointers:
            self.call("cuMemFree_v2", pointer)
        self.call("cuModuleUnload", module)
