"""device_target="GPU": programs of Python on a CUDA device, the emulated one unless CELLGRAD_CUDA_DRIVER names another."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, _native, nn, ops

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLGRAD_BUILD_DIR", ROOT / "build")).resolve()
os.environ.setdefault("CELLGRAD_CUDA_DRIVER", str(BUILD / "test" / "emulator" / "libcuda.so.1"))


@pytest.fixture(autouse=True)
def gpu():
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
    np.testing.assert_array_equal(np.from_dlpack(y + 0), x.asnumpy() * 2)


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
