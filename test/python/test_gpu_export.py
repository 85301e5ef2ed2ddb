"""ms.export for a CUDA device: what it writes is called through the C ABI and through ms.load, on the emulated device."""

import re
from pathlib import Path

import numpy as np
import pytest
from device import DRIVER
from device_models import Model

import cellgrad as ms
from cellgrad import Tensor, nn, ops

RATE = 0.125


def numbers(*shape, seed):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def exported(folder, **options):
    """The files of a linear model with a step of gradient descent, its inputs, and its weights."""
    net = nn.Dense(3, 2)
    net.weight.set_data(Tensor(numbers(2, 3, seed=1)))
    net.bias.set_data(Tensor(numbers(2, seed=2)))
    gradient = ms.value_and_grad(
        lambda x, y: ((net(x) - y) ** 2).sum(), None, [net.weight, net.bias]
    )

    def step(x, y):
        value, (by_weight, by_bias) = gradient(x, y)
        ops.assign(net.weight, net.weight - RATE * by_weight)
        ops.assign(net.bias, net.bias - RATE * by_bias)
        return value

    x, y = numbers(5, 3, seed=3), numbers(5, 2, seed=4)
    files = ms.export(
        net, x, file_name=f"{folder}/m", value_and_grad=False, step=(step, x, y), **options
    )
    return [Path(f) for f in files], x, y, net.weight.asnumpy().copy(), net.bias.asnumpy().copy()


def expected(x, y, weight, bias):
    """The outputs, the loss and the updated weights, by numpy in float64."""
    x, y, weight, bias = (np.float64(a) for a in (x, y, weight, bias))
    out = x @ weight.T + bias
    slope = 2 * (out - y)
    return out, ((out - y) ** 2).sum(), weight - RATE * slope.T @ x, bias - RATE * slope.sum(0)


def test_the_files_are_those_of_cellc(tmp_path):
    files, x, y, weight, bias = exported(tmp_path, device="cuda", chip=("sm_80", "sm_90"))
    assert [f.name for f in files] == ["m.so", "m.h", "m.safetensors"]
    assert re.search(r"int32_t cg_m_open\(", files[1].read_text())
    out, loss, new_weight, new_bias = expected(x, y, weight, bias)
    given = {"x": x, "y": y, "weight": weight, "bias": bias}
    with Model(files[0], "cuda") as model:
        assert model.signature["device"] == {"kind": "cuda", "chips": ["sm_80", "sm_90"]}
        forward, step = model.entries["forward"], model.entries["train_step"]
        for run in (model.run, model.run_on_device):
            order = [given["x" if a["role"] == "input" else a["name"]] for a in forward["args"]]
            status, _, (result,) = run(forward, order)
            assert status == 0
            np.testing.assert_allclose(result, out, rtol=1e-5, atol=1e-6)
            names = iter("xy")
            order = [
                given[next(names) if a["role"] == "input" else a["name"]] for a in step["args"]
            ]
            status, _, results = run(step, order)
            named = dict(zip([r["name"] for r in step["results"]], results, strict=True))
            assert status == 0
            np.testing.assert_allclose(named.pop("out0"), loss, rtol=1e-5)
            np.testing.assert_allclose(named["weight"], new_weight, rtol=1e-5, atol=1e-5)
            np.testing.assert_allclose(named["bias"], new_bias, rtol=1e-5, atol=1e-5)


def test_a_loaded_model_computes_on_the_device(tmp_path, monkeypatch):
    files, x, y, weight, bias = exported(tmp_path, device="cuda")
    with monkeypatch.context() as patched:
        patched.setenv("CELLGRAD_CUDA_DRIVER", str(DRIVER.resolve()))
        model = ms.load(str(files[0]))
    assert model.signature["device"]["chips"] == ["sm_80"]
    out, loss, new_weight, _ = expected(x, y, weight, bias)
    result = model.forward(x)
    assert result.device == "GPU:0"
    np.testing.assert_allclose(result.asnumpy(), out, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(model.train_step(x, y).asnumpy(), loss, rtol=1e-5)
    updated = model.parameters["weight"]
    assert updated.device == "GPU:0"
    np.testing.assert_allclose(updated.asnumpy(), new_weight, rtol=1e-5, atol=1e-5)


def test_for_the_cpu_nothing_changes(tmp_path):
    files = exported(tmp_path, device="cpu")[0]
    assert "device" not in ms.load(str(files[0])).signature
    assert "_open(" not in files[1].read_text()


@pytest.mark.parametrize(
    "options, kind, words",
    [
        ({"device": "gpu"}, ValueError, "'device' must be 'cpu' or 'cuda', but got 'gpu'"),
        ({"chip": "sm_80"}, ValueError, "'chip' must be left out without device='cuda'"),
        ({"ptxas": "ptxas"}, ValueError, "'ptxas' must be left out without device='cuda'"),
        ({"device": "cuda", "ptxas": 1}, TypeError, "'ptxas' must be a path"),
        (
            {"device": "cuda", "ptxas": "/no/ptxas"},
            ms.CompileError,
            "'/no/ptxas' makes no machine code",
        ),
        (
            {"device": "cuda", "chip": "sm_81"},
            ValueError,
            "'chip' must be one of 'sm_75', .*'sm_81'",
        ),
        ({"device": "cuda", "chip": ["sm_80", "a"]}, ValueError, "'chip' must be one of .*'a'"),
        ({"device": "cuda", "chip": ()}, ValueError, "'chip' must not be empty"),
        ({"device": "cuda", "chip": 80}, TypeError, "a tuple or list of names, or one name"),
        ({"device": "cuda", "file_format": "MLIR"}, ValueError, "is of no device"),
    ],
)
def test_names_that_are_wrong(tmp_path, options, kind, words):
    with pytest.raises(kind, match=words):
        ms.export(ops.sqrt, numbers(3, seed=0), file_name=f"{tmp_path}/m", **options)
    assert list(tmp_path.iterdir()) == []
