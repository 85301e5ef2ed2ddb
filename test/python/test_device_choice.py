"""What asks for a device that is not there: an error, or a warning where scripts for MindSpore have to run."""

import os
import subprocess
import sys

import pytest
from device import DRIVER

import cellgrad as ms
from cellgrad import Tensor, nn

START = """
import cellgrad as ms
from cellgrad import Tensor, nn, ops
x = Tensor([1.0, 2.0])
def said(run):
    try:
        run()
    except Exception as error:
        print(type(error).__name__, " ".join(str(error).split()))
    else:
        print("no error")
"""


@pytest.fixture
def without_driver(tmp_path):
    """The environment of a machine without a driver, also where there is one."""
    (tmp_path / "libcuda.so.1").write_text("no library")
    env = {k: v for k, v in os.environ.items() if not k.startswith("CELLGRAD_")}
    return {**env, "LD_LIBRARY_PATH": str(tmp_path)}


def ran(program, env, **more):
    command = [sys.executable, "-c", START + program]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env={**env, **more})


ASKED = {
    "ms.set_device('GPU')": "device_target='GPU' with device_id=0: no CUDA driver: ",
    "ms.set_device('GPU', 3)": "device_target='GPU' with device_id=3: no CUDA driver: ",
    "x.to('GPU')": "For 'to', device 'GPU' with device_id=0: no CUDA driver: ",
    "x.to('GPU:1')": "For 'to', device 'GPU:1' with device_id=1: no CUDA driver: ",
    "ms.jit(lambda x: x.to('GPU') + 1)(x)": "For 'to', device 'GPU' with device_id=0: no CUDA",
    "ms.set_device('Ascend')": "device_target='Ascend' has no back end in this version.",
    "x.to('Ascend')": "For 'to', device 'Ascend' has no back end in this version.",
}


def test_asking_for_a_device_that_is_not_there_is_an_error(without_driver):
    program = "".join(f"said(lambda: {text})\n" for text in ASKED)
    program += "print(ms.get_context('device_target'), ms.get_context('device_id'), (x * 2).device)"
    done = ran(program, without_driver)
    *said, then = done.stdout.splitlines()
    for line, (text, wanted) in zip(said, ASKED.items(), strict=True):
        assert line.startswith(f"RuntimeError {wanted}"), text
        assert 'File "' in line or " at <string>:" in line, text
        assert "device_target='CPU' computes on the CPU" in line, text
        assert "CELLGRAD_CUDA_DRIVER" in line or "Ascend" in text, text
    assert then == "CPU 0 CPU" and done.stderr == ""


def test_set_context_warns_and_computes_on_the_cpu(without_driver):
    """As scripts do that were written on another machine."""
    program = """
ms.set_context(device_target="GPU")
ms.set_context(device_id=1, device_target="GPU")
ms.set_context(device_id=0)
print((x * 2).asnumpy(), (x * 2).device)
said(lambda: x.to("GPU"))
ms.set_context(device_target="Ascend")
"""
    done = ran(program, without_driver)
    assert done.returncode == 0, done.stderr
    first, then = done.stdout.splitlines()
    assert first == "[2. 4.] CPU" and then.startswith("RuntimeError For 'to', device 'GPU'")
    gpu, ascend = done.stderr.splitlines()
    assert gpu.startswith("[WARNING] cellgrad: device_target='GPU': no CUDA driver: ")
    assert gpu.endswith("; the CPU is used.")
    assert ascend.endswith("'Ascend' has no back end in this version; the CPU is used.")


@pytest.mark.parametrize("value, fails", [("1", True), ("0", False), ("", False)])
def test_a_device_can_be_required(without_driver, value, fails):
    program = """
said(lambda: ms.set_context(device_target="GPU"))
said(lambda: ms.set_context(device_target="Ascend"))
"""
    done = ran(program, without_driver, CELLGRAD_REQUIRE_GPU=value)
    gpu, ascend = done.stdout.splitlines()
    assert (
        gpu.startswith("RuntimeError device_target='GPU' with device_id=0: no CUDA driver: ")
        == fails
    )
    assert ascend.startswith("RuntimeError device_target='Ascend' has no back end") == fails
    assert ("the CPU is used" in done.stderr) != fails


def test_export_for_a_device_needs_no_driver_and_load_does(without_driver, tmp_path):
    program = f"""
files = ms.export(nn.Dense(2, 1), Tensor([[1.0, 2.0]]), file_name={str(tmp_path / "net")!r}, device="cuda")
said(lambda: ms.load(files[0]))
"""
    done = ran(program, without_driver)
    assert done.stdout.startswith("RuntimeError ") and "no CUDA driver: " in done.stdout, (
        done.stderr
    )
    assert "computes on an NVIDIA GPU, which cannot be used" in done.stdout


# --- with a driver ----------------------------------------------------------------------------


@pytest.fixture
def gpu(monkeypatch):
    monkeypatch.setenv("CELLGRAD_CUDA_DRIVER", str(DRIVER))
    before = ms.get_context("device_target")
    ms.set_device("GPU")
    yield
    ms.set_context(device_target=before)


def test_to_moves_elements(gpu):
    x = Tensor([1.0, 2.0])
    for name in ("GPU", "GPU:0"):
        assert x.to(name) is x and x.device == "GPU:0"
        assert x.to("CPU") is x and x.device == "CPU"
    np_view = x.asnumpy()
    assert x.to("GPU").device == "CPU"  # which others see, and write
    np_view[0] = 5
    seen = []

    @ms.jit
    def double(x):
        seen.append(x.device)
        return x.to("GPU").to("CPU") * 2

    assert double(x).asnumpy().tolist() == [10, 4] and seen == ["GPU:0"]
    ms.set_device("CPU")
    with pytest.raises(RuntimeError, match="programs compute on CPU"):
        double(x)


def test_to_where_programs_do_not_compute(gpu):
    ms.set_device("CPU")
    with pytest.raises(RuntimeError, match="device is 'GPU', but programs compute on CPU") as said:
        Tensor([1.0]).to("GPU")
    assert "ms.set_device('GPU', 0)" in str(said.value)
    with pytest.raises(RuntimeError, match="no CUDA device 7: the number of devices is 1"):
        Tensor([1.0]).to("GPU:7")
    with pytest.raises(
        ValueError, match="'device' must be such as 'CPU' or 'GPU:0', but got 'GPU:x'"
    ):
        Tensor([1.0]).to("GPU:x")


def test_to_of_what_another_library_shares(gpu):
    x = ms.ops.ones(2) * 2
    shared = Tensor.from_dlpack(x)
    assert x.device == shared.device == "GPU:0"
    with pytest.raises(
        RuntimeError, match="others share the tensor's memory on CUDA device 0"
    ) as said:
        x.to("CPU")
    assert "x.copy()" in str(said.value)
    assert x.copy().to("CPU").device == "CPU" and x.to("GPU").device == "GPU:0"


@pytest.mark.parametrize("made", [lambda: Tensor([1.0]), lambda: nn.Dense(1, 1)])
def test_names_of_another_library_are_no_silent_cpu(made):
    with pytest.raises(AttributeError, match=r"ms\.set_device\('GPU'\)"):
        made().cuda()
