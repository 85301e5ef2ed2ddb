"""Python programs whose compiled code AddressSanitizer checks."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("sanitize_run", ROOT / "tools/sanitize/run.py")
sanitize = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sanitize)

RIGHT = """
import numpy as np
import cellgrad as ms
from cellgrad import Tensor, ops

def f(x, w):
    return ops.sum(ops.tanh(ops.matmul(x, w)))

x, w = np.ones((5, 7), np.float32), np.full((7, 3), 0.1, np.float32)
print(ms.grad(f, 1)(Tensor(x), Tensor(w)).shape)
print(abs(float(f(Tensor(x), Tensor(w))) - 15 * np.tanh(0.7)) < 1e-5)
"""

# Reads one element beyond its argument.
WRONG = """
import sys
import numpy as np
from cellgrad import Tensor, _native

text = '''
llvm.func @f(%x: !llvm.ptr, %y: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {
    cell.arena_bytes = 0 : i64, cell.signature = {
    args = [{dtype = "float32", name = "x", role = "input", shape = array<i64: 7>}],
    results = [{dtype = "float32", name = "y", shape = array<i64: 7>}]}} {
  %p = llvm.getelementptr %x[7] : (!llvm.ptr) -> !llvm.ptr, f32
  %v = llvm.load %p : !llvm.ptr -> f32
  llvm.store %v, %y : f32, !llvm.ptr
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}'''
_native.compile_text(text, sys.argv[1], "m", {"sanitize_address": True})
entry = _native.Model(sys.argv[1]).entry("f")
entry([Tensor(np.ones(7, np.float32))._buf])
"""


def run(program, *arguments, **environment):
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )


def test_a_program_that_is_right():
    right = run(RIGHT, **sanitize.environment())
    assert right.returncode == 0, right.stderr
    assert right.stdout == "(7, 3)\nTrue\n"


def test_a_read_beyond_a_tensor(tmp_path):
    wrong = run(WRONG, str(tmp_path / "m.so"), **sanitize.environment())
    assert wrong.returncode == 99
    assert "AddressSanitizer: use-after-poison" in wrong.stderr and " in f model" in wrong.stderr


def test_a_process_without_the_runtime():
    without = run(RIGHT, CELLGRAD_SANITIZE="address")
    assert (
        "RuntimeError: CELLGRAD_SANITIZE=address needs AddressSanitizer's runtime" in without.stderr
    )
    assert "LD_PRELOAD=" in without.stderr


def test_another_sanitizer():
    other = run(RIGHT, CELLGRAD_SANITIZE="thread")
    assert (
        "ValueError: CELLGRAD_SANITIZE must be empty or 'address', but is 'thread'." in other.stderr
    )
