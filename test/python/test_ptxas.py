"""Generated PTX is what ptxas assembles, into registers alone."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from device import BUILD, DRIVER, ROOT, Kernels, as_kernels, on_buffers, run
from test_device_programs import SHAPES, blocks, reduction
from test_device_rules import FILES, chosen
from test_science_examples import FEW

import cellgrad as ms
from cellgrad import ops

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
NO_PTXAS = "no ptxas: make setup installs nvidia-cuda-nvcc, which has it; PTXAS names another one"


def assemble(folder, ptx, chip, stack=0):
    """Registers of each kernel; fails where one spills or has a stack of more bytes."""
    assert PTXAS, NO_PTXAS
    source = folder / "k.ptx"
    source.write_text(ptx)
    done = subprocess.run(
        [PTXAS, f"-arch={chip}", "-v", "-o", folder / "k.cubin", source],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    frames = re.findall(r"(\d+) bytes stack frame, \d+ bytes spill stores", done.stderr)
    names = re.findall(r"Compiling entry function '(\w+)'", done.stderr)
    used = re.findall(r"Used (\d+) registers", done.stderr)
    assert frames and max(map(int, frames)) <= stack
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
    used = assemble(tmp_path, ptx_of(tmp_path, INPUTS / f"{name}.mlir", chip), chip)
    assert used.keys() == LIMITS[name].keys()
    assert {kernel: n for kernel, n in used.items() if n > LIMITS[name][kernel]} == {}


def ptx_of(folder, source, chip):
    """What the kernels of a program are for a chip."""
    ptx = folder / "k.ptx"
    run(BUILD / "bin" / "cellc", source, "--emit=ptx", f"--chip={chip}", "-o", ptx)
    return ptx.read_text()


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("name", chosen(FILES))
def test_rules(tmp_path, name, chip):
    assert max(assemble(tmp_path, ptx_of(tmp_path, FILES[name], chip), chip).values()) <= 64


@pytest.mark.sweep
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("name", ["digits", *FEW])
def test_examples(tmp_path, name, chip):
    """All that an example loads when it runs, with few steps, on the emulated device."""
    example = ROOT / "examples" / name / "main.py"
    (tmp_path / "ptx").mkdir()
    environment = {
        "CELLGRAD_TEST_DEVICE": "GPU",
        "CELLGRAD_CUDA_DRIVER": str(DRIVER),
        "PYTHONPATH": str(Path(__file__).parent / "on_device"),
        "CELL_EMU_CHIP": chip,
        "CELL_EMU_PTX": str(tmp_path / "ptx"),
    }
    options = FEW.get(name, ["--epochs=1"])
    done = subprocess.run(
        [sys.executable, example, *options, f"--out={tmp_path}"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    # One epoch of digits is too few for what it asks of itself.
    assert done.returncode == 0 or name == "digits", done.stderr
    files = list((tmp_path / "ptx").glob("*.ptx"))
    assert files
    # For sm_80, ptxas would rather spill a register of a kernel of digits than run fewer blocks at a time. The
    # factorization of least_squares is in double.
    for file in files:
        assert max(assemble(tmp_path, file.read_text(), chip).values()) <= 128


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


def test_models_have_machine_code_beside_ptx(tmp_path):
    assert PTXAS, NO_PTXAS
    x = ms.Tensor(np.linspace(0, 1, 64).astype(np.float32))
    options = {"device": "cuda", "chip": ("sm_80", "sm_90"), "ptxas": str(PTXAS)}
    files = ms.export(ops.exp, x, file_name=str(tmp_path / "m"), **options)
    content = Path(files[0]).read_bytes()
    assert content.count(b".target sm_") == 2
    assert content.count(b"\x7fELF") == 3  # the model, and the code of two chips
    script = "import sys, cellgrad as ms; m = ms.load(sys.argv[1]); print(m.forward(ms.Tensor([0.0] * 64))[3])"
    environment = os.environ | {"CELLGRAD_CUDA_DRIVER": str(DRIVER)}
    command = [sys.executable, "-c", script, tmp_path / "m.so"]
    # The emulated driver takes no machine code, as one that is too old: the PTX is loaded.
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1.0\n", "")
