"""Functions and layers of mint: arguments are MindSpore's and results PyTorch's, whose functions of these
names mint's are. Both are recorded by goldens/record_mint.py.
"""

import inspect
import json
import re
from pathlib import Path

import numpy as np
import pytest
from goldens import record_mint
from messages import said

import cellgrad as ms
from cellgrad import Tensor, mint
from cellgrad.testing import check_grads

GOLDENS = json.loads((Path(__file__).parent / "goldens" / "mint.json").read_text())


def find(name):
    found = mint
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def arguments(function):
    parts = inspect.signature(function).parameters.values()
    text = [p.name + ("" if p.default is p.empty else f"={p.default!r}") for p in parts]
    return [t.replace("cellgrad.", "") for t in text]


PRESENT = [name for name in GOLDENS["signatures"] if find(name) is not None]


@pytest.mark.parametrize("name", PRESENT)
def test_arguments_are_those_of_mindspore(name):
    assert arguments(find(name)) == GOLDENS["signatures"][name]


def test_most_functions_are_there():
    missing = sorted(set(GOLDENS["signatures"]) - set(PRESENT))
    assert len(missing) < 0.1 * len(GOLDENS["signatures"]), missing
    for module in (mint, mint.nn, mint.nn.functional, mint.linalg, mint.special):
        assert all(hasattr(module, name) for name in module.__all__)


def compare(got, want):
    if isinstance(want, dict):
        assert got["dtype"] == want["dtype"]
        np.testing.assert_allclose(got["values"], want["values"], rtol=1e-11, atol=1e-13)
    elif isinstance(want, list):
        assert len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            compare(g, w)
    else:
        assert got == want


@pytest.mark.parametrize("call", record_mint.CALLS)
def test_results_are_those_of_pytorch(call):
    compare(record_mint.called(call, mint, Tensor), GOLDENS["values"][call])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: mint.mean(x, dim=1, keepdim=True) * x,
        lambda x: mint.sort(x, dim=-1)[0] * mint.std(x),
        lambda x: mint.nn.functional.normalize(x),
        lambda x: mint.nn.functional.log_softmax(x, -1),
        lambda x: mint.kthvalue(x, 2, 0)[0],
    ],
)
def test_derivatives(function):
    check_grads(function, (Tensor(record_mint.TENSORS["m"]),), order=2)


def test_layers_train():
    net = ms.nn.SequentialCell(
        mint.nn.Conv2d(2, 3, 3, padding=1), mint.nn.ReLU(), mint.nn.Flatten()
    )
    head = mint.nn.Linear(108, 1)
    x = Tensor(record_mint.TENSORS["images"].astype(np.float32))
    loss = lambda x: mint.nn.MSELoss()(head(net(x)), mint.zeros((2, 1)))
    parameters = (*net.trainable_params(), *head.trainable_params())
    grads = ms.grad(loss, None, ms.ParameterTuple(parameters))(x)
    assert [g.shape for g in grads] == [(3, 2, 3, 3), (3,), (1, 108), (1,)]
    assert mint.nn.Conv1d(2, 3, (3,), padding=(1,))(x[:, :, 0]).shape == (2, 3, 6)
    assert mint.nn.Conv3d(2, 3, 3, padding=(0, 1, 1))(mint.stack((x, x, x), 2)).shape[2:] == (
        1,
        6,
        6,
    )
    assert mint.nn.GroupNorm(2, 2)(x).shape == x.shape


def test_layers_with_tables_and_modes():
    x = Tensor(record_mint.TENSORS["m"].astype(np.float32))
    layer = mint.nn.LayerNorm(4)
    assert [p.name for p in layer.trainable_params()] == ["weight", "bias"]
    rows = record_mint.TENSORS["m"]
    wanted = (rows - rows.mean(1, keepdims=True)) / np.sqrt(rows.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(layer(x).asnumpy(), wanted, rtol=1e-5)
    assert mint.nn.LayerNorm((3, 4), elementwise_affine=False)(x).shape == (3, 4)
    assert [p.name for p in mint.nn.LayerNorm(4, bias=False).trainable_params()] == ["weight"]
    table = mint.nn.Embedding(200, 50, padding_idx=3)
    assert table.weight.asnumpy()[4:].std() == pytest.approx(1, abs=0.05)
    assert not table(Tensor([3])).asnumpy().any()
    loss = lambda i: (table(i) * 2).sum()
    grad = ms.grad(loss, None, table.trainable_params())(Tensor([3, 5, 5]))[0].asnumpy()
    assert grad[3].max() == 0 and grad[5].min() == 4 and np.abs(grad).sum() == 200
    assert mint.nn.Embedding(2, 3, _weight=mint.ones((2, 3)), _freeze=True).trainable_params() == []
    for kind, ones in ((mint.nn.Dropout, (50, 40)), (mint.nn.Dropout2d, (10, 20, 2, 5))):
        drop = kind(0.25)
        assert (drop.set_train(False)(mint.ones(ones)).asnumpy() == 1).all()
        kept = drop.set_train(True)(mint.ones(ones)).asnumpy()
        assert set(np.unique(kept)) == {0, np.float32(1 / 0.75)}


def test_new_tensors():
    np.testing.assert_array_equal(mint.linspace(0, 1, 3, dtype=ms.float16).asnumpy(), [0, 0.5, 1])
    assert mint.linspace(0, 1, 3, dtype=ms.float16).dtype is ms.float16
    assert mint.ones(3).shape == (3,) and mint.ones((2, 3), dtype=ms.int32).dtype is ms.int32


def test_in_place():
    x = Tensor([-1.0, 2.0])
    mint.nn.functional.relu_(x)
    np.testing.assert_array_equal(x.asnumpy(), [0, 2])
    mint.nn.functional.threshold_(x, 1.0, 5.0)
    np.testing.assert_array_equal(x.asnumpy(), [5, 2])
    mint.nn.functional.hardtanh_(x, -1, 3)
    np.testing.assert_array_equal(x.asnumpy(), [3, 2])
    mint.nn.functional.elu_(x)
    square = mint.zeros((2, 2))
    mint.addr_(square, x, x)
    np.testing.assert_array_equal(square.asnumpy(), [[9, 6], [6, 4]])


def test_random_numbers():
    assert mint.rand(2, 3).shape == mint.randn(2, 3).shape == (2, 3)
    assert mint.rand_like(mint.zeros((4,))).shape == mint.randn_like(mint.zeros((4,))).shape
    assert sorted(mint.randperm(6).asnumpy()) == list(range(6))
    assert mint.multinomial(mint.full((5,), 1.0), 5).shape == (5,)
    assert set(mint.bernoulli(mint.full((50,), 0.5)).asnumpy()) == {0, 1}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mint.kthvalue(mint.zeros((3,)), 4), r"'k' must be in \[1, 3\]"),
        (lambda: mint.rand(2, device="GPU"), "'device' must be None"),
        (lambda: mint.randn(2, device="Ascend"), "'device' must be None"),
        (lambda: mint.nn.Conv2d(1, 1, 3, padding_mode="reflect"), "'padding_mode' must be 'zeros'"),
        (lambda: mint.nn.Embedding(2, 3, max_norm=1.0), "'max_norm' must be None"),
        (lambda: mint.nn.Embedding(2, 3, sparse=True), "'sparse' must be False"),
    ],
)
def test_mistakes_are_named(call, words):
    with pytest.raises(ValueError) as caught:
        call()
    assert re.search(words, said(caught.value))
