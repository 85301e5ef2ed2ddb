"""device_target="GPU": programs of Python on a CUDA device, the emulated one unless CELLGRAD_CUDA_DRIVER names another."""

import copy
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, _native, nn, ops
from cellgrad.compile import program
from cellgrad.core import context
from cellgrad.interop.mlir import from_mlir

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLGRAD_BUILD_DIR", ROOT / "build")).resolve()
DRIVER = os.environ.get("CELLGRAD_CUDA_DRIVER") or str(BUILD / "test" / "emulator" / "libcuda.so.1")


@pytest.fixture(autouse=True)
def gpu(monkeypatch):
    # For this test alone: what other tests start must not find a driver.
    monkeypatch.setenv("CELLGRAD_CUDA_DRIVER", DRIVER)
    before = ms.get_context("device_target")
    ms.set_context(device_target="GPU")
    yield
    ms.set_context(device_target=before)


def transfers():
    """Copies to the device, and from it, so far."""
    uploads, _, downloads, _ = _native.device_transfers()
    return uploads, downloads


def on_both(function, *args):
    """What a function of arrays gives on the CPU and on the device."""
    given = []
    for device in ("CPU", "GPU"):
        ms.set_context(device_target=device)
        result = function(*[Tensor(a) for a in args])
        results = result if isinstance(result, tuple) else (result,)
        given.append([r.asnumpy().copy() for r in results])
    return given


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def test_maps_have_the_bits_of_the_cpu():
    x = numbers(7, 33)

    def function(x):
        y = ops.tanh(x) * ops.exp(-x) + ops.erf(x)
        return y, ms.grad(lambda x: (ops.tanh(x) * ops.sin(x)).sum())(x)

    for on_cpu, on_gpu in zip(*on_both(function, x), strict=True):
        np.testing.assert_array_equal(on_cpu, on_gpu)


def test_sums_products_sorts_and_factors():
    x = numbers(6, 24)

    def function(x):
        square = x @ x.T + 6 * ops.eye(6, 6)
        order, positions = ops.sort(x)
        return ops.softmax(x), square, ops.cholesky(square), order, positions, ops.cumsum(x, 1)

    exact = (3, 4)
    for i, (on_cpu, on_gpu) in enumerate(zip(*on_both(function, x), strict=True)):
        if i in exact:
            np.testing.assert_array_equal(on_cpu, on_gpu)
        np.testing.assert_allclose(on_gpu, on_cpu, rtol=2e-6, atol=2e-6)


def trained(steps):
    """Losses and weights of a small net, and the transfers of each step."""
    ms.set_seed(3)
    x, y = Tensor(numbers(16, 8)), Tensor(np.arange(16, dtype=np.int32) % 3)
    net = nn.SequentialCell(nn.Dense(8, 12), nn.ReLU(), nn.LayerNorm((12,)), nn.Dense(12, 3))
    optimizer, loss = nn.Adam(net.trainable_params(), 1e-2), nn.CrossEntropyLoss()
    value_and_grad = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)

    @ms.jit
    def step(x, y):
        value, gradients = value_and_grad(x, y)
        optimizer(gradients)
        return value

    losses, moved = [], []
    for _ in range(steps):
        before = transfers()
        losses.append(step(x, y))
        moved.append(tuple(b - a for a, b in zip(before, transfers(), strict=True)))
    weights = [p.asnumpy().copy() for p in net.trainable_params()]
    return [float(value.asnumpy()) for value in losses], weights, moved


def test_training_stays_on_the_device():
    losses, weights, moved = trained(4)
    assert moved[0][0] > 0 and moved[1:] == [(0, 0)] * 3
    ms.set_context(device_target="CPU")
    expected, expected_weights, _ = trained(4)
    np.testing.assert_allclose(losses, expected, rtol=1e-6)
    for given, wanted in zip(weights, expected_weights, strict=True):
        np.testing.assert_allclose(given, wanted, atol=1e-6)


def test_only_what_is_asked_for_is_copied_back():
    x = Tensor(numbers(5))
    y = x * 2
    z = y + 1
    before = transfers()
    z.asnumpy()
    z.asnumpy()
    assert transfers() == (before[0], before[1] + 1)
    y * y  # which nobody has looked at: still there
    assert transfers() == (before[0], before[1] + 1)
    assert (y.device, z.device) == ("GPU:0", "CPU")
    assert str(y) == str(Tensor(x.asnumpy() * 2))


def test_changes_on_the_host_are_seen():
    """Of memory that is lent, and of memory that is borrowed, also while others see it."""
    array = numbers(4)
    borrowed = Tensor.from_numpy(array)
    assert np.array_equal((borrowed + 1).asnumpy(), array + 1)
    array[:] = 5
    assert np.array_equal((borrowed + 1).asnumpy(), array + 1)
    own = Tensor(numbers(4))
    np.testing.assert_array_equal((own * 2).asnumpy(), numbers(4) * 2)
    own._buf.view()[0] = 7
    assert (own * 2).asnumpy()[0] == 14


def test_updates_are_seen_in_memory_that_others_see():
    weight = Parameter(Tensor(np.ones(3, np.float32)), name="w")

    @ms.jit
    def step(x):
        ops.assign(weight, weight + x)
        return weight.sum()

    view = weight._buf.view()
    step(Tensor(np.ones(3, np.float32)))
    np.testing.assert_array_equal(view, [2, 2, 2])
    view[0] = 10
    assert step(Tensor(np.ones(3, np.float32))).asnumpy() == 11 + 3 + 3


def test_tensors_move_between_cpu_and_device():
    x = Tensor(numbers(3, 4))
    first = (x @ x.T).asnumpy()
    y = x * 2  # on the device
    ms.set_context(device_target="CPU")
    np.testing.assert_array_equal((y * 0.5).asnumpy(), x.asnumpy())
    ms.set_context(device_target="GPU")
    np.testing.assert_allclose(first, (x @ x.T).asnumpy())
    copied = pickle.loads(pickle.dumps(y))
    np.testing.assert_array_equal(copied.asnumpy(), x.asnumpy() * 2)
    np.testing.assert_array_equal(np.from_dlpack(y + 0, device="cpu"), x.asnumpy() * 2)


@pytest.mark.parametrize("first, then", [("CPU", "GPU"), ("GPU", "CPU")])
def test_operations_with_numbers_are_compiled_for_each_device(first, then):
    """One program takes any number, but is of one device."""
    x = numbers(4)
    for target in (first, then):
        ms.set_context(device_target=target)
        for bound in (0.5, 0.25, 0.125):
            result = ops.clamp(Tensor(x), bound)
            assert result.device == ("CPU" if target == "CPU" else "GPU:0")
            np.testing.assert_array_equal(result.asnumpy(), np.maximum(x, np.float32(bound)))


def test_the_reason_for_compiling_names_the_device(capfd, monkeypatch):
    monkeypatch.setenv("CELLGRAD_LOG", "recompile")
    f, x, wide = ms.jit(lambda x: x + 1), Tensor(numbers(4)), Tensor(numbers(5))

    def reason(target, x):
        ms.set_context(device_target=target)
        f(x)
        return capfd.readouterr().err.removeprefix("[cellgrad] recompile: 'lambda': ").strip()

    assert reason("CPU", x) == "first call"
    assert reason("GPU", x) == "the device was CPU, is GPU:0"
    assert reason("GPU", x) == ""
    assert reason("GPU", wide) == "input tensor 0 was Float32[4], is Float32[5]"
    assert reason("CPU", wide) == "input tensor 0 was Float32[4], is Float32[5]"
    longer = Tensor(numbers(6))
    assert reason("CPU", longer) == "input tensor 0 was Float32[4], is Float32[6]"
    f = ms.jit(lambda x: x + 2)
    assert reason("CPU", x) == "first call"
    wanted = "the device was CPU, is GPU:0; input tensor 0 was Float32[4], is Float32[5]"
    assert reason("GPU", wide) == wanted


def test_a_failed_check_leaves_parameters_as_they_were():
    weight = Parameter(Tensor(np.ones(3, np.float32)), name="w")

    @ms.jit
    def step(x, i):
        ops.assign(weight, weight + 1)
        return x[i] + weight.sum()

    x = Tensor(np.arange(4, dtype=np.float32))
    assert step(x, Tensor(np.int32(2))).asnumpy() == 2 + 6
    with pytest.raises(IndexError, match=r"test_gpu\.py"):
        step(x, Tensor(np.int32(9)))
    np.testing.assert_array_equal(weight.asnumpy(), [2, 2, 2])
    assert step(x, Tensor(np.int32(3))).asnumpy() == 3 + 9


def test_prints_and_loops_of_unknown_length(capfd):
    def function(x):
        i = Tensor(np.int32(0))
        while (x * x).sum() < 1000:
            x = x * 2
            i = i + 1
        print("trips", i)
        return x

    x = Tensor(np.ones(4, np.float32))
    np.testing.assert_array_equal(ms.jit(function)(x).asnumpy(), np.full(4, 16))
    assert "trips 4" in capfd.readouterr().out


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_checkpoints_of_what_is_on_the_device(tmp_path, format):
    net, x = nn.Dense(3, 2), Tensor(numbers(4, 3))
    step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 0.125))
    step(x)
    assert net.weight.device == "GPU:0"
    before = net.weight.asnumpy().copy()
    expected = net(x).asnumpy().copy()
    path = f"{tmp_path}/net.{format}"
    ms.save_checkpoint(step, path, format=format)
    step(x)
    assert not np.array_equal(net.weight.asnumpy(), before)
    step(x)  # what is loaded replaces what is on the device
    assert net.weight.device == "GPU:0"
    ms.load_param_into_net(step, ms.load_checkpoint(path, format=format))
    np.testing.assert_array_equal(net(x).asnumpy(), expected)
    moments = {p.name: p.asnumpy().copy() for p in step.get_parameters()}
    ms.set_context(device_target="CPU")
    for name, value in ms.load_checkpoint(path, format=format).items():
        np.testing.assert_array_equal(value.asnumpy(), moments[name])
    np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-6)


def test_pickles_and_copies_of_what_is_on_the_device():
    net, x = nn.Dense(3, 2), Tensor(numbers(4, 3))
    nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.125))(x)
    for made in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert made.weight.name == net.weight.name
        np.testing.assert_array_equal(made.weight.asnumpy(), net.weight.asnumpy())
        np.testing.assert_array_equal(made(x).asnumpy(), net(x).asnumpy())


def test_stored_code_is_of_a_device_and_a_chip(tmp_path, monkeypatch):
    monkeypatch.setenv("CELLGRAD_CACHE", "1")
    monkeypatch.setenv("CELLGRAD_CACHE_DIR", str(tmp_path))
    x, compiled = Tensor(numbers(4)), []
    original = _native.compile_graph
    monkeypatch.setattr(
        _native, "compile_graph", lambda *args: compiled.append(1) or original(*args)
    )

    def entries():
        result = ms.jit(lambda x: x * 3)(x)
        np.testing.assert_array_equal(result.asnumpy(), numbers(4) * 3)
        return len(compiled), len(list(tmp_path.glob("??/*.so")))

    assert entries() == (1, 1)
    ms.set_context(device_target="CPU")
    assert entries() == (2, 2)
    ms.set_context(device_target="GPU")
    assert entries() == (2, 2)
    monkeypatch.setattr(context, "current", [context.Placement(0, "sm_80")])
    monkeypatch.setattr(program, "_current", context.current)
    assert entries() == (3, 3)


def test_a_module_from_elsewhere_computes_on_the_device():
    text = """
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = cell.mul %x, %x : tensor<4xf32>
      return %y : tensor<4xf32>
    }"""
    result = from_mlir(text)(Tensor(numbers(4)))
    assert result.device == "GPU:0"
    np.testing.assert_array_equal(result.asnumpy(), numbers(4) ** 2)


def test_a_device_that_is_not_there():
    with pytest.raises(RuntimeError, match="no CUDA device 7: the number of devices is") as said:
        ms.set_context(device_target="GPU", device_id=7)
    assert "device_target='CPU'" in str(said.value)
    assert ms.get_context("device_id") == 0
    with pytest.raises(ValueError, match="device_id"):
        ms.set_context(device_id=-1)


def test_no_driver_is_an_error():
    """Nothing runs on the CPU instead."""
    program = "import cellgrad as ms\nms.set_context(device_target='GPU')\nprint('went on')"
    env = {
        **os.environ,
        "CELLGRAD_CUDA_DRIVER": "/nowhere/libcuda.so.1",
        "CELLGRAD_TEST_DEVICE": "",
    }
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True)
    assert done.returncode == 1 and "went on" not in done.stdout
    assert "no CUDA driver: /nowhere/libcuda.so.1: cannot open shared object file" in done.stderr


class Endless(nn.Cell):
    def construct(self, x):
        while ops.sum(x) > -1.0:
            x = ops.abs(x)
        return x


def test_a_loop_without_an_end_can_be_cancelled():
    """By another thread, which runs while the call waits."""
    ended = threading.Event()

    def cancel():
        while not ended.wait(0.2):  # the call may not have begun
            ms.cancel_calls()

    thread = threading.Thread(target=cancel)
    thread.start()
    ms.set_context(max_trips=1_000_000)  # ends, if nothing else ends it
    try:
        with pytest.raises(RuntimeError, match="Endless: the call was cancelled"):
            Endless()(Tensor(numbers(3)))
    finally:
        ended.set()
        ms.set_context(max_trips=0)
        thread.join()


def test_threads_take_turns():
    """One compiled program, many calls at once: a handle serves one of them at a time."""
    program = ms.jit(lambda x: ops.tanh(x) * 2 + ops.softmax(x))
    given = [numbers(5, 7, seed=i) for i in range(4)]
    wanted = [program(Tensor(x)).asnumpy().copy() for x in given]

    def work(i):
        return [program(Tensor(given[i])).asnumpy().copy() for _ in range(10)]

    with ThreadPoolExecutor(4) as pool:
        for i, found in enumerate(pool.map(work, range(4))):
            for y in found:
                np.testing.assert_array_equal(y, wanted[i])
