"""An installed wheel, alone: no LLVM on the machine, no checkout on the path. Run by tools/wheel/test.sh."""

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import nn, ops
from cellgrad.compile import cache

HERE = Path(ms.__file__).parent


def command(*words, **more):
    return subprocess.run(
        [Path(sys.executable).parent / "cellgrad", *words], capture_output=True, text=True, **more
    )


def test_it_is_the_wheel_and_nothing_else():
    assert HERE.is_relative_to(sys.prefix)
    assert not list(Path("/usr/lib").glob("llvm-*/lib/*")), "LLVM's packages are not hidden"
    ms.grad(lambda x: x * x)(ms.Tensor(3.0))
    mapped = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines()}
    assert not [name for name in mapped if "LLVM" in name or "MLIR" in name]


def test_only_what_it_declares_is_needed():
    shown = subprocess.run(
        [sys.executable, "-m", "pip", "inspect", "--local"],
        capture_output=True,
        text=True,
        check=True,
    )
    (us,) = (
        p["metadata"]
        for p in json.loads(shown.stdout)["installed"]
        if p["metadata"]["name"] == "cellgrad"
    )
    needed = {n.partition(">")[0] for n in us["requires_dist"] if "extra" not in n}
    assert needed == {"numpy", "safetensors", "tqdm"}


def test_the_compiler_is_known_by_its_build_id():
    """Or every process would read and digest all of the module before it first compiles: 0.14 s."""
    assert len(cache.compiler_id()) == 20


def test_doctor():
    done = command("doctor")
    assert done.returncode == 0 and "FAILED" not in done.stdout, done.stdout + done.stderr


def test_a_script_for_mindspore(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import mindspore as ms\n"
        "from mindspore import ops\n"
        "print(ms.grad(ms.grad(lambda x: ops.sin(x) * x))(ms.Tensor(0.5)))\n"
    )
    done = command("run", script)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == pytest.approx(2 * np.cos(0.5) - 0.5 * np.sin(0.5), rel=1e-6)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = ms.Parameter(ms.Tensor([[0.5, -1.0], [2.0, 0.25]]), name="weight")

    def construct(self, x):
        return ops.tanh(x @ self.weight)


def test_training_takes_the_steps_of_the_formula():
    x = np.array([[1.0, 2.0], [-0.5, 0.75], [0.1, -0.2]], np.float32)
    wanted = np.array([[0.5, -1.0], [2.0, 0.25]])
    net = Net()
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1)
    )
    for _ in range(5):
        out = np.tanh(x @ wanted)
        loss = step(ms.Tensor(x), ops.zeros((3, 2), ms.float32))
        np.testing.assert_allclose(float(loss), (out**2).mean(), rtol=1e-5)
        wanted = wanted - 0.1 * x.T @ (2 * out / out.size * (1 - out**2))
    np.testing.assert_allclose(net.weight.asnumpy(), wanted, rtol=1e-5)


def test_an_exported_gradient_runs_without_python(tmp_path):
    x = np.array([1.0, 2.0, 3.0], np.float32)
    ms.export(
        ms.grad(lambda x: (x * x * x).sum()),
        ms.Tensor(x),
        file_name=str(tmp_path / "cube"),
        file_format="SO",
    )
    library = ctypes.CDLL(str(tmp_path / "cube.so"))
    out = np.zeros(3, np.float32)
    # cg_cube_forward_args: {x, grad_x}
    given = (ctypes.c_void_p * 2)(x.ctypes.data, out.ctypes.data)
    assert library.cg_cube_forward(given, None) == 0
    np.testing.assert_array_equal(out, 3 * x * x)
    assert "cg_cube_forward_args" in (tmp_path / "cube.h").read_text()


# Objects of Python that the stable ABI reads in other ways than a module of one version.
SCALE = 2.0
BIAS = [1.0, 5.0]


def scaled(x):
    return x * SCALE + BIAS[0]


def test_what_compiled_code_read_is_looked_up_again():
    global SCALE
    f, x = ms.jit(scaled), ms.Tensor(3.0)
    assert float(f(x)) == 7.0
    SCALE = 4.0
    assert float(f(x)) == 13.0
    BIAS[0] = -1.0
    assert float(f(x)) == 11.0


def test_cells_of_closures_and_bound_methods_are_looked_up_again():
    factor = 2.0

    class Holder:
        def __init__(self, by):
            self.by = by

        def apply(self, x):
            return x * self.by

    holder = Holder(3.0)

    @ms.jit
    def f(x):
        return holder.apply(x) * factor

    x = ms.Tensor(1.0)
    assert float(f(x)) == 6.0
    factor = 5.0
    assert float(f(x)) == 15.0
    holder.by = 4.0
    assert float(f(x)) == 20.0
    holder = Holder(1.0)
    assert float(f(x)) == 5.0


def test_code_without_source_is_captured_from_bytecode():
    names = {"ops": ops}
    exec("def f(x):\n    return ops.exp(x) if x.ndim == 0 else x", names)
    assert float(ms.grad(names["f"])(ms.Tensor(1.0))) == pytest.approx(np.e, rel=1e-6)


def test_errors_name_the_line():
    def wrong(x):
        return ops.matmul(x, x)  # this line

    with pytest.raises(Exception) as e:
        ms.jit(wrong)(ops.ones((2, 3), ms.float32))
    said = str(e.value) + "".join(getattr(e.value, "__notes__", []))
    assert os.path.basename(__file__) in said and "this line" in said


def test_other_machines_are_refused_in_words(tmp_path):
    words = "no back end for aarch64: wheels have that of their machine only; build cellgrad from source"
    with pytest.raises(ms.CompileError, match=words):
        ms.export(
            lambda x: x * x, ms.Tensor([1.0]), file_name=str(tmp_path / "m"), target="aarch64"
        )
    files = ms.export(
        lambda x: x * x,
        ms.Tensor([1.0]),
        file_name=str(tmp_path / "m"),
        target="x86-64-v2,x86-64-v3",
    )
    assert Path(files[0]).exists()
