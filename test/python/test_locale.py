"""Nothing that is printed, compiled, written or read depends on the locale's decimal point."""

import os
import subprocess
import sys

import comma_locale
import pytest

SCRIPT = """
import locale, sys, tempfile
if len(sys.argv) > 1:
    locale.setlocale(locale.LC_NUMERIC, sys.argv[1])
    assert locale.localeconv()["decimal_point"] != "."
import numpy as np
import cellgrad as ms
from cellgrad import Tensor, _native, nn, ops

ms.set_seed(0)
for dtype in (ms.float16, ms.bfloat16, ms.float32, ms.float64):
    x = Tensor([[0.1, -2.5, 3e10], [1.25e-7, np.inf, 1e4]], dtype)
    print(x, repr(x), repr(x[0, 0]), float(x[0, 1]), x * 0.3, sep="\\n", flush=True)

@ms.jit
def shown(x):
    print("x is", x, "and", 1.5)
    return ops.sin(x) * 0.1 + 2.5

print(shown(Tensor([0.5, 1.5, 1e-6])))
print(ms.grad(lambda v: (v**2.5 * 0.1).sum())(Tensor([1.0, 2.0])))
folder = tempfile.mkdtemp()
net = nn.Dense(2, 1, 0.25)
text = ms.export(net, Tensor([[0.5, 1.5]]), file_name=folder + "/m", file_format="MLIR")
print(open(text[0]).read())
files = ms.export(net, Tensor([[0.5, 1.5]]), file_name=folder + "/m", target="x86-64-v2")
print(open(files[1]).read(), ms.load(files[0]).forward(Tensor([[0.5, 1.5]])))
for format in ("ckpt", "safetensors"):
    ms.save_checkpoint(net, f"{folder}/a.{format}", format=format)
    print(ms.load_checkpoint(f"{folder}/a.{format}", format=format)["weight"].value())
PRINTS = '''
func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = cell.constant dense<0.1> : tensor<f64>
  %1 = cell.broadcast %0 along [0] : tensor<f64> -> tensor<3xf64>
  %2 = cell.mul %x, %1 : tensor<3xf64>
  cell.print "from C {}" (%2 : tensor<3xf64>)
  return %2 : tensor<3xf64>
}
'''
x = np.array([0.25, 1e-9, 1234567.5])
_native.compile_text(PRINTS, folder + "/p.so", "p")
_native.set_print_hook(None)
_native.Model(folder + "/p.so").entry("f")([x])
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("locales")
    comma_locale.write(folder)
    return folder


def run(folder, *locales):
    script = folder / "script.py"
    script.write_text(SCRIPT)
    return subprocess.run(
        [sys.executable, script, *locales],
        env={**os.environ, "LOCPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.fixture(scope="module")
def plain(folder):
    out = run(folder)
    assert "x is [5.0e-01 1.5e+00 1.0e-06] and 1.5" in out
    assert "from C [0.025 1.0000000000000002e-10 123456.75]" in out
    return out


@pytest.mark.parametrize("name", comma_locale.POINTS)
def test_another_decimal_point_changes_nothing(folder, plain, name):
    assert run(folder, name) == plain
