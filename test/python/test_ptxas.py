"""Generated PTX is what ptxas assembles, into registers alone."""

import os
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from device import BUILD, ROOT, Kernels, as_kernels, on_buffers
from test_device_programs import SHAPES, blocks, reduction

INPUTS = ROOT / "test" / "lower" / "gpu" / "Inputs"
CHIPS = ("sm_80", "sm_90")


def find_ptxas():
    """That of the environment, of a CUDA toolkit, or of PyPI's nvidia-cuda-nvcc."""
    if named := os.environ.get("PTXAS") or shutil.which("ptxas"):
        return Path(named)
    package = find_spec("nvidia")
    folders = package.submodule_search_locations if package else []
    return next((p for folder in folders or [] for p in Path(folder).glob("*/bin/ptxas")), None)


PTXAS = find_ptxas()
pytestmark = pytest.mark.skipif(PTXAS is None, reason="no ptxas: pip install nvidia-cuda-nvcc")


def assemble(folder, ptx, chip):
    """Registers of each kernel; fails where one spills or has a stack."""
    source = folder / "k.ptx"
    source.write_text(ptx)
    done = subprocess.run(
        [PTXAS, f"-arch={chip}", "-v", "-o", folder / "k.cubin", source],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    frames = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+)", done.stderr)
    names = re.findall(r"Compiling entry function '(\w+)'", done.stderr)
    used = re.findall(r"Used (\d+) registers", done.stderr)
    assert set(frames) == {("0", "0", "0")}
    return dict(zip(names, map(int, used), strict=True))


# What ptxas 13.5 takes, and a few more. GEMM fills what two blocks a multiprocessor leave each.
LIMITS = {
    "bf16": {"bf16": 24},
    "column_sum": {"column_sum_1": 40, "column_sum_2": 40},
    "elementwise": {"elementwise": 64},
    "gemm_simt": {"gemm_simt": 128},
    "scatter_add": {"scatter_add": 24},
    "softmax": {"softmax": 32},
    "transpose": {"transpose": 32},
    "while_block": {"newton": 32},
}


def test_every_kernel_has_limits():
    assert {path.stem for path in INPUTS.glob("*.mlir")} == set(LIMITS)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("name", LIMITS)
def test_kernels(tmp_path, name, chip):
    ptx = tmp_path / "k.ptx"
    source = INPUTS / f"{name}.mlir"
    subprocess.run(
        [BUILD / "bin" / "cellc", source, "--emit=ptx", f"--chip={chip}", "-o", ptx], check=True
    )
    used = assemble(tmp_path, ptx.read_text(), chip)
    assert used.keys() == LIMITS[name].keys()
    assert {kernel: n for kernel, n in used.items() if n > LIMITS[name][kernel]} == {}


FACTORIZATION = """
func.func @main(%a: tensor<9x9xf64>) -> tensor<9x9xf64> {
  %0 = cell.cholesky %a : tensor<9x9xf64>
  return %0 : tensor<9x9xf64>
}"""


@pytest.mark.parametrize("chip", ("sm_75", *CHIPS))
@pytest.mark.parametrize("program", ["rows", "large rows", "factorization", *SHAPES])
def test_programs(tmp_path, program, chip):
    text = {"rows": blocks(1100), "large rows": blocks(13000)}.get(program)
    if text is None:
        tensors = (
            reduction("f32", "arith.addf", "0.0", *SHAPES[program])
            if program in SHAPES
            else FACTORIZATION
        )
        text = on_buffers(tensors)
    (registers,) = assemble(tmp_path, Kernels(as_kernels(text), chip).ptx, chip).values()
    assert registers <= 64
