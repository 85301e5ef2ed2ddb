"""What a user is told when the compiler itself fails, here on an op that nothing lowers."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from on_gpu import ON_GPU

import cellgrad as ms
from cellgrad import Tensor, nn, ops
from cellgrad._native import CompileError
from cellgrad.common import dtype as mstype
from cellgrad.core import state
from cellgrad.core.storage import Signature
from cellgrad.interop import mlir

X = Tensor([1.0, 2.0])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CELLGRAD_CACHE", "1")
    monkeypatch.setenv("CELLGRAD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "failures"


def bits(x):
    """An op that MLIR knows and that cannot be compiled."""
    return state.current.scope.emit("tensor.bitcast", [x], None, Signature(mstype.int32, (2,)))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def construct(self, x):
        return self.inner(ops.tanh(x)) + 1


class Inner(nn.Cell):
    def construct(self, x):
        return bits(x) * 2


def fails(call, title):
    """The reproducer's path, from the message."""
    with pytest.raises(ms.CompileError) as caught:
        call()
    text = str(caught.value)
    assert text.startswith(
        f"{title} could not be compiled: the compiler failed on 'tensor.bitcast'. "
        "This is a fault of cellgrad, not of your program.\n"
    )
    assert "bufferiz" not in text and "op was" not in text
    found = re.search(
        r"\n  hint: please report it with (\S+), which fails in the same way: (.*)", text
    )
    return text, *found.groups()


def line_of(words):
    with open(__file__) as file:
        return next(i for i, line in enumerate(file, 1) if words in line)


def test_a_function_that_is_called(folder):
    text, path, command = fails(lambda: ms.jit(bits)(X), "'bits'")
    assert f"at {__file__}:{line_of('scope.emit(')}:" in text and "return state.current" in text
    assert os.path.dirname(path) == str(folder)
    device = " --device=cuda --chip=sm_90" if ON_GPU else ""
    assert command == f"cellc --name=m --target=native -O2{device} {path}"


def test_a_cell_is_named_by_its_path(folder):
    text, path, _ = fails(lambda: Net()(X), "'Net'")
    assert "(cell 'inner')" in text and os.path.exists(path)


def test_export(folder, tmp_path):
    files = str(tmp_path / "net")
    _, path, command = fails(
        lambda: ms.export(Net(), X, file_name=files, value_and_grad=False), "'net'"
    )
    assert "cellgrad-failure-net-" in path and "--name=net" in command
    assert not os.path.exists(files + ".so")


def test_a_module_from_elsewhere(folder):
    module = """
    func.func @f(%x: tensor<2xf32>) -> tensor<2xi32> {
      %y = tensor.bitcast %x : tensor<2xf32> to tensor<2xi32> loc("their.py":7:3)
      return %y : tensor<2xi32>
    }"""
    text, _, _ = fails(lambda: mlir.from_mlir(module), "The module")
    assert "\n  at their.py:7:3" in text


def test_the_reproducer_fails_in_the_same_way(folder):
    _, path, command = fails(lambda: ms.jit(bits)(X), "'bits'")
    build = os.environ.get(
        "CELLGRAD_BUILD_DIR", os.path.join(os.path.dirname(__file__), "../../build")
    )
    environment = os.environ | {"PATH": f"{build}/bin:{os.environ['PATH']}"}
    run = subprocess.run(
        f"{command} -o {folder}/again.so --reproducers={folder}",
        shell=True,
        capture_output=True,
        text=True,
        env=environment,
    )
    assert run.returncode == 2
    assert f"{__file__}:{line_of('scope.emit(')}:" in run.stderr
    assert "error: 'tensor.bitcast' could not be compiled: one-shot-bufferize failed" in run.stderr
    assert "// Said: " in Path(path).read_text()


def test_equal_programs_leave_one_file(folder):
    for _ in range(3):
        fails(lambda: ms.jit(bits)(X), "'bits'")
    assert len(list(folder.iterdir())) == 1


def test_without_a_cache_the_file_is_a_temporary_one(tmp_path, monkeypatch):
    monkeypatch.setenv("CELLGRAD_CACHE", "0")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    _, path, _ = fails(lambda: ms.jit(bits)(X), "'bits'")
    assert os.path.dirname(path) == str(tmp_path)


def test_mistakes_of_the_user_are_not_called_failures(folder):
    f = ms.custom_rule(lambda x: x * x, vjp=lambda x, out, dout: 2 * x * dout)
    with pytest.raises(ms.CompileError) as caught:
        ms.jvp(f, (X,), (X,))
    assert "fault of cellgrad" not in str(caught.value)
    assert not folder.exists()


def test_the_native_error_tells_of_the_failure(tmp_path):
    from cellgrad import _native

    text = "func.func @f(%x: tensor<2xf32>) -> tensor<2xi32> { %y = tensor.bitcast %x : tensor<2xf32> to "
    text += "tensor<2xi32> return %y : tensor<2xi32> }"
    options = {"reproducers": str(tmp_path), "opt_level": 3}
    with pytest.raises(CompileError) as caught:
        _native.compile_text(text, str(tmp_path / "f.so"), "f", options)
    failure = caught.value.failure
    assert failure["stage"] == "one-shot-bufferize" and "-O3" in failure["command"]
    assert os.listdir(tmp_path) == [os.path.basename(failure["reproducer"])]
    with pytest.raises(CompileError) as caught:
        _native.compile_text("nonsense", str(tmp_path / "f.so"), "f")
    assert caught.value.failure is None
