"""Bindings that cannot be made are refused in words; a Python module is imported, not its library."""

import subprocess
import sys
from pathlib import Path

import pytest

import cellgrad as ms
from cellgrad import ops

CELLC = Path(__file__).resolve().parents[2] / "build" / "bin" / "cellc"


def export(path, **options):
    return ms.export(ops.tanh, ms.Tensor([1.0]), file_name=str(path), **options)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (r"'bindings' must be .*hpp.*'java'", {"bindings": ("hpp", "java")}),
        (r"'weights' must be .*file.*embed", {"weights": "inside"}),
        (r"'MLIR' has no bindings", {"bindings": "hpp", "file_format": "MLIR"}),
        (r"'MLIR' has its weights in a file", {"weights": "embed", "file_format": "MLIR"}),
        (r"take 'm.so' for the module 'm.py'(.|\n)*file_name='libm'", {"bindings": ("hpp", "py")}),
    ],
)
def test_mistakes_of_export(tmp_path, words, options):
    with pytest.raises(ValueError, match=words):
        export(tmp_path / "m", **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("output", [[], ["-o", "m.so"]])
def test_cellc_does_not_hide_the_module(tmp_path, output):
    export(tmp_path / "m", file_format="MLIR")
    done = subprocess.run(
        [CELLC, "m.mlir", "--emit=so,py", *output], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "'m.so' for the module 'm.py' beside it: name the library with -o libm.so" in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["m.mlir"]


def test_the_module_is_imported(tmp_path):
    files = export(tmp_path / "libtangent", bindings="py", value_and_grad=False)
    assert [Path(file).name for file in files] == [
        "libtangent.so",
        "tangent.h",
        "tangent.safetensors",
        "tangent.py",
    ]
    code = "import numpy as np, tangent as m; print(m.Tangent().forward(np.float32([0.5])))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stdout == "[0.46211717]\n", done.stderr
