"""CELLGRAD_DEBUG_NANS=1: the first op that gives NaN is an error that names it and its line."""

import os
import re
import subprocess
import sys

import pytest
from device import DRIVER

PROGRAM = """\
import cellgrad as ms; ms.set_context(device_target="DEVICE")
from cellgrad import Tensor, nn, ops

class Inner(nn.Cell):
    def construct(self, x):
        y = x * x
        z = ops.sqrt(y)
        return z.sum()

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def construct(self, x):
        return self.inner(x) + ops.log(x + 1).sum()

def loop(x):
    while x < 10:
        x = x * 2
        if x > 7:
            x = ops.sqrt(x - 100)
    return x

net = Net()
print(net(Tensor([1.0, 0.0])))
"""


STATEMENTS = [
    ("net(Tensor([1.0, -2.0]))", 16, "NaN in log "),
    ("ms.grad(net)(Tensor([1.0, 0.0]))", 6, r"NaN in the vjp of mul at 'inner' "),
    ("ms.jit(loop)(Tensor(1.0))", 22, "NaN in sqrt "),
    ("ops.log(Tensor([-1.0]))", 27, "NaN in log "),
]


@pytest.mark.parametrize("statement, line, words", STATEMENTS)
def test_the_first_nan_is_named(tmp_path, statement, line, words):
    check(tmp_path, "CPU", statement, line, words)


@pytest.mark.parametrize("statement, line, words", STATEMENTS[1:3])
def test_the_first_nan_on_a_device_is_named(tmp_path, statement, line, words):
    check(tmp_path, "GPU", statement, line, words)


def check(folder, device, statement, line, words):
    (folder / "program.py").write_text(PROGRAM.replace("DEVICE", device) + statement + "\n")
    for debug in ("1", "0"):
        env = {
            **os.environ,
            "CELLGRAD_DEBUG_NANS": debug,
            "CELLGRAD_CACHE": "0",
            "CELLGRAD_CUDA_DRIVER": str(DRIVER.resolve()),
        }
        command = [sys.executable, "program.py"]
        run = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
        assert run.stdout == "1.6931472\n"
        if debug == "0":
            assert run.stderr == ""
            continue
        said = next(t for t in run.stderr.splitlines() if t.startswith("FloatingPointError"))
        assert re.search(words, said), said
        assert f"(program.py:{line})" in said
        assert 'program.py", line 27' in run.stderr or "program.py:27" in run.stderr
