"""Kernels are functions on buffers: those of whole programs, run on the device and through the emitters of the CPU.

cell-outline-device-kernels makes them. Each is launched alone, on random numbers in all its buffers, and called as an
entry of a CPU model that is compiled from the same text. What adds nothing up has the same bits.
"""

import ctypes
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from device import BUFFERS, BUILD, Device, Kernels, run
from test_device_programs import CPU

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

OUTLINE = "cell-cuda-kernel-pipeline{kernel-bytes=1 fewest-nanoseconds=0}"
TYPES = {"f64": "float64", "f32": "float32", "f16": "float16"}
TYPES |= {"i1": "bool", **{f"i{n}": f"int{n}" for n in (8, 16, 32, 64)}}


@pytest.fixture(scope="module")
def device():
    return Device()


def kernels_of(text):
    """The constants of a program, and the text and types of arguments of each kernel."""
    pipeline = f"builtin.module(cell-to-linalg-pipeline,{BUFFERS},{OUTLINE})"
    tool = [BUILD / "bin" / "cell-opt", "-", f"--pass-pipeline={pipeline}"]
    outlined = run(*tool, "--mlir-print-local-scope", text=text)
    constants = "\n".join(re.findall(r"^  memref\.global .*$", outlined, re.M))
    found = {}
    for body in re.findall(r"^  func\.func private .*?^  \}$", outlined, re.M | re.S):
        head = body[: body.index("\n")]
        if "cell.device_kernel" in head:
            types = re.findall(r"%\w+: memref<((?:\d+x)*)(\w+)>", head)
            assert len(types) == head.count("%"), head
            shapes = [tuple(map(int, shape.split("x")[:-1])) for shape, _ in types]
            name = re.search(r"@(\w+)\(", head)[1]
            found[name] = body, [(s, TYPES[t]) for s, (_, t) in zip(shapes, types, strict=True)]
    return constants, found


def as_entry(body, arguments):
    """The same function as an entry of a model for the CPU, which writes what it is given."""
    spec = ", ".join(
        f'{{dtype = "{dtype}", name = "x{i}", role = "input", shape = array<i64{":" if s else ""} {", ".join(map(str, s))}>}}'
        for i, (s, dtype) in enumerate(arguments)
    )
    signature = f"cell.signature = {{args = [{spec}], results = []}}"
    body = body.replace("func.func private @", "func.func @", 1)
    return body.replace("cell.device_kernel", signature, 1)


def numbers(rng, shape, dtype):
    if dtype.startswith("float"):
        return rng.normal(size=shape).astype(dtype)
    # Positions that every dimension has.
    return np.zeros(shape, dtype) if dtype != "bool" else rng.integers(0, 2, shape).astype(bool)


def run_both_ways(text, folder, device, seed):
    """Returns how many kernels had the same bits, and how many were compared as sums."""
    constants, found = kernels_of(text)
    if not found:  # a program without elements
        return np.zeros(2, int)
    source, library = folder / f"{seed}.mlir", folder / f"{seed}.so"
    entries = [as_entry(*kernel) for kernel in found.values()]
    source.write_text("\n".join(["module {", constants, *entries, "}"]))
    command = [BUILD / "bin" / "cellc", source, "-o", library, "--name=m", "--target=x86-64-v3"]
    run(*command, f"--pipeline={CPU}")
    cpu = ctypes.CDLL(str(library))
    counts = [0, 0]
    for name, (body, arguments) in found.items():
        kernels = Kernels("\n".join(["module {", constants, body, "}"]))
        rng = np.random.default_rng(seed)
        given = [numbers(rng, *argument) for argument in arguments]
        called = [a.copy() for a in given]
        device(kernels, name, given)
        pointers = (ctypes.c_void_p * len(called))(*[a.ctypes.data for a in called])
        assert getattr(cpu, f"cg_m_{name}")(pointers, None) == 0
        adds = '"reduction"' in body
        counts[adds] += 1
        for i, (a, b) in enumerate(zip(given, called, strict=True)):
            what = f"argument {i} of\n{body}"
            if adds and a.dtype.kind == "f":
                scale = np.abs(b[np.isfinite(b)]).max(initial=1)
                eps = float(np.finfo(a.dtype).eps)
                np.testing.assert_allclose(a, b, 1e4 * eps, 1e3 * eps * scale, err_msg=what)
            else:
                np.testing.assert_array_equal(a, b, err_msg=what)
    return np.array(counts)


@pytest.mark.parametrize("kind", ["forward", "rows", "conv"])
def test_kernels_of_random_programs(tmp_path, device, kind):
    import on_device

    counts = np.zeros(2, int)
    for seed in range(8):
        drawn = on_device.draw(kind, seed)
        if drawn is not None:
            counts += run_both_ways(drawn[0].graph.text(), tmp_path, device, seed)
    assert counts.min() >= 3, counts


TRAIN = """
func.func @step(%x: tensor<40x30xf32>, %y: tensor<40x7xf32>, %w: tensor<7x30xf32> {cell.donate = 0 : i64}) -> (tensor<7x30xf32>, tensor<f32>) {
  %one = cell.constant dense<1.0> : tensor<f32>
  %rate = cell.constant dense<0.01> : tensor<7x30xf32>
  %0:2 = cell.vjp @loss(%x, %y, %w) cotangents(%one) of [0] wrt [2] : (tensor<40x30xf32>, tensor<40x7xf32>, tensor<7x30xf32>, tensor<f32>) -> (tensor<f32>, tensor<7x30xf32>)
  %1 = cell.mul %rate, %0#1 : tensor<7x30xf32>
  %2 = cell.sub %w, %1 : tensor<7x30xf32>
  return %2, %0#0 : tensor<7x30xf32>, tensor<f32>
}
func.func private @loss(%x: tensor<40x30xf32>, %y: tensor<40x7xf32>, %w: tensor<7x30xf32>) -> tensor<f32> {
  %0 = cell.matmul %x, %w {transpose_b = true} : (tensor<40x30xf32>, tensor<7x30xf32>) -> tensor<40x7xf32>
  %1 = cell.tanh %0 : tensor<40x7xf32>
  %2 = cell.sub %1, %y : tensor<40x7xf32>
  %3 = cell.mul %2, %2 : tensor<40x7xf32>
  %4 = cell.reduce_sum %3 over [0, 1] : tensor<40x7xf32> -> tensor<f32>
  return %4 : tensor<f32>
}
"""


def test_kernels_of_a_training_step(tmp_path, device):
    counts = run_both_ways(TRAIN, tmp_path, device, 0)
    assert counts.sum() >= 2, counts
