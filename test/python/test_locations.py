"""Ops lead back to the Python line that they come from, through every pass."""

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, nn, ops
from cellgrad.compile import program as _jit
from cellgrad.core.scope import Trace

BUILD = Path(os.environ.get("CELLGRAD_BUILD_DIR", Path(__file__).parents[2] / "build"))
TOOL = BUILD / "bin" / "cell-opt"
DIFFERENTIATED = [
    "--inline",
    "--symbol-dce",
    "--cell-differentiate",
    "--inline",
    "--symbol-dce",
    "--cse",
]


class Layer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 2)

    def construct(self, x):
        y = self.fc(x)
        return ops.tanh(y).sum()


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = Layer()

    def construct(self, x):
        return self.body(x) * 2.0


def line_of(text):
    lines = Path(__file__).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


@pytest.fixture(scope="module")
def captured():
    trace, gradient = Trace("g"), ms.grad(Net())
    x = Tensor(np.ones((4, 3), np.float32))
    _jit.capture(trace, "g", lambda v: gradient(v), (x,), {})
    return trace.graph.text(locations=True)


def passes(text, *options):
    command = [TOOL, *options, "--mlir-print-debuginfo", "--mlir-print-local-scope"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def places(ir, op, rule):
    """Cell paths and lines of the ops whose location names a rule."""
    pattern = (
        rf'= "?{op}.*fused<"vjp of cell.{rule}">\["([^"]*)"\("[^"]*{Path(__file__).name}":(\d+)'
    )
    return {(path, int(line)) for path, line in re.findall(pattern, ir)}


def test_adjoint_ops_name_the_line_the_cell_and_the_rule(captured):
    ir = passes(captured, *DIFFERENTIATED)
    tanh, product = line_of("return ops.tanh(y)"), line_of("y = self.fc(x)")
    assert places(ir, r"cell\.\w+", "tanh") == {("body", tanh)}
    assert places(ir, r"cell\.matmul", "matmul") == {("body.fc/mat_mul", product)}


def test_they_still_do_in_the_last_ir(captured):
    ir = passes(captured, "--cell-to-llvm-pipeline")
    assert "cell." not in re.sub(r"loc\(.*", "", ir.replace("cell.signature", ""))
    tanh = line_of("return ops.tanh(y)")
    assert ("body", tanh) in places(ir, r"llvm\.f\w+", "tanh")
