"""Exporting for other machines: which files there are, what they are for, and what is refused."""

import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms

X = ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def square_sum(x):
    return (x * x).sum()


def export(folder, name, target, **options):
    return ms.export(square_sum, X, file_name=str(folder / name), target=target, **options)


@pytest.mark.parametrize(
    ("target", "machine"),
    [("aarch64", 183), ("aarch64+sve", 183), ("riscv64", 243), ("riscv64+v", 243)],
)
def test_elf_files_of_other_machines(tmp_path, target, machine):
    files = export(tmp_path, "m", target)
    assert [file.rpartition("/m")[2] for file in files] == [".so", ".h", ".safetensors"]
    kind, number = struct.unpack_from("<HH", Path(files[0]).read_bytes(), 16)
    assert (kind, number) == (3, machine)
    other = target.partition("+")[0]
    with pytest.raises(RuntimeError, match=f"not an x86-64 shared object, but one for {other}"):
        ms.load(files[0])


def test_headers_are_the_same_on_all_machines(tmp_path):
    texts = []
    for target in ("x86-64-v2", "riscv64"):
        (tmp_path / target).mkdir()
        texts.append(Path(export(tmp_path / target, "m", target)[1]).read_text())
    assert texts[0] == texts[1]


@pytest.mark.parametrize(("suffix", "start"), [(".o", b"\x7fELF"), (".a", b"!<arch>\n")])
def test_the_suffix_says_what_is_made(tmp_path, suffix, start):
    files = export(tmp_path, "libm" + suffix, "x86-64-v3", value_and_grad=False)
    assert files[0].endswith("/libm" + suffix)
    assert Path(files[0]).read_bytes()[: len(start)] == start
    header = Path(files[1]).read_text()
    assert "int32_t cg_m_forward(" in header
    main = tmp_path / "main.c"
    main.write_text(
        '#include "m.h"\n'
        "int main(void) {\n"
        "  float x[6] = {0, 1, 2, 3, 4, 5}, y;\n"
        "  cg_m_forward_args args = {x, &y};\n"
        "  return cg_m_forward(&args, 0) != CG_OK || y != 55;\n"
        "}\n"
    )
    run = str(tmp_path / "run")
    subprocess.run(["cc", "-std=c11", "-I", tmp_path, main, files[0], "-lm", "-o", run], check=True)
    subprocess.run([run], check=True)


def test_a_model_for_several_levels_runs_here(tmp_path):
    files = export(tmp_path, "m", "x86-64-v2,x86-64-v3,x86-64-v4")
    value, gradient = ms.load(files[0]).value_and_grad(X)
    assert float(value) == 55
    assert np.array_equal(gradient.asnumpy(), 2 * X.asnumpy())


@pytest.mark.parametrize(
    ("name", "target", "error", "words"),
    [
        ("m.so", "wasm32", ValueError, "ends in '.so', but target 'wasm32' makes .wasm and .mjs"),
        ("m", "arm64", ms.CompileError, "unknown target 'arm64': expected native, aarch64"),
        ("m", "x86-64-v3,wasm32", ms.CompileError, "'wasm32' is no level of x86-64"),
    ],
)
def test_what_is_refused(tmp_path, name, target, error, words):
    with pytest.raises(error, match=words):
        export(tmp_path, name, target)
    assert list(tmp_path.iterdir()) == []


def test_a_gpu_has_a_host_of_x86(tmp_path):
    with pytest.raises(
        ms.CompileError, match="host program of a model for a GPU is made for x86-64"
    ):
        export(tmp_path, "m", "aarch64", device="cuda")
