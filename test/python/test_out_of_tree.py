"""cellgrad is installed, and the example of another project with an op and a pass of its own is built against it."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLGRAD_BUILD_DIR", ROOT / "build")).resolve()

SOURCE = """
func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = nets.swish %x : tensor<3xf64>
  return %0 : tensor<3xf64>
}
"""


def run(*command, given=None):
    done = subprocess.run([str(c) for c in command], input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.rebuild
def test_a_project_with_an_op_and_a_pass(tmp_path):
    prefix, build = tmp_path / "prefix", tmp_path / "build"
    run("cmake", "--install", BUILD, "--component", "compiler", "--prefix", prefix)
    run(
        "cmake", "-G", "Ninja", "-S", ROOT / "examples" / "out_of_tree", "-B", build,
        f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_CXX_COMPILER=clang++-22", "-DCMAKE_C_COMPILER=clang-22",
        "-DCMAKE_BUILD_TYPE=Release",
    )  # fmt: skip
    # What is installed is enough: nothing of the checkout is named.
    assert str(ROOT / "dialect") not in (build / "build.ninja").read_text()
    run("cmake", "--build", build)
    cell = run(build / "nets-opt", "--nets-to-cell", given=SOURCE)
    assert "cell.sigmoid" in cell and "nets" not in cell
    numbers = run(
        prefix / "bin" / "cell-run", "-", "--arg=dense<[0.0, 1.0, -2.0]> : tensor<3xf64>",
        "--digits=6", given=cell,
    )  # fmt: skip
    assert numbers == "result 0: tensor<3xf64> [0.0, 0.731059, -0.238406]\n"  # x / (1 + exp(-x))
    llvm = run(build / "nets-opt", "--nets-to-cell", "--cell-to-llvm-pipeline", given=SOURCE)
    assert "llvm.func" in llvm
