"""Models for any batch size: one export computes every batch, and what cannot be so is refused."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import nn, ops

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
import any_batch

X = ms.Tensor(shape=[None, 4], dtype=ms.float32)


def export(tmp_path, function, *inputs, **options):
    ms.export(function, *inputs, file_name=str(tmp_path / "net"), **options)
    return ms.load(str(tmp_path / "net"))


def refused(tmp_path, function, *inputs, kind=ms.CompileError, **options):
    with pytest.raises(kind) as caught:
        export(tmp_path, function, *inputs, **options)
    return str(caught.value)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_random_networks(seed, tmp_path):
    any_batch.check(seed, tmp_path, (37, 128) if seed % 2 else (1, 32))


def test_numbers(tmp_path):
    net = nn.Dense(4, 3)
    model = export(tmp_path, lambda x, s: (ops.tanh(net(x)) * s.reshape(-1, 1), s + 1), X,
                   ms.Tensor(shape=[ms.Symbol(max=50)], dtype=ms.float32))  # fmt: skip
    w, b = (p.asnumpy().astype(np.float64) for p in net.trainable_params())
    state = np.random.default_rng(0)
    for n in (1, 2, 3, 9, 33, 50):
        x, s = state.standard_normal((n, 4)), state.standard_normal(n)
        y, t = model.forward(ms.Tensor(x, ms.float32), ms.Tensor(s, ms.float32))
        np.testing.assert_allclose(y.asnumpy(), np.tanh(x @ w.T + b) * s[:, None], 1e-5, 1e-6)
        np.testing.assert_array_equal(t.asnumpy(), s.astype(np.float32) + np.float32(1))
    entry = model.signature["entries"][0]
    assert entry["max_batch"] == 50
    assert [(a["role"], a["shape"]) for a in entry["args"]][:3] == [
        ("batch", []), ("input", [None, 4]), ("input", [None]),
    ]  # fmt: skip
    ones = ops.ones((9, 4)), ops.ones((8,))
    with pytest.raises(
        ValueError, match=r"is float32\[batch\], but float32\[8\] was given, and the batch is 9"
    ):
        model.forward(*ones)
    with pytest.raises(ValueError, match=r"its batch is 51: 1 to 50"):
        model.forward(ops.ones((51, 4)), ops.ones((51,)))
    with pytest.raises(ValueError, match=r"its batch is 0: 1 to 50"):
        model.forward(ms.Tensor(np.zeros((0, 4), np.float32)), ms.Tensor(np.zeros(0, np.float32)))
    with pytest.raises(ValueError, match=r"takes 'x' as float32\[None, 4\]"):
        model.forward(ops.ones((9, 5)), ops.ones((9,)))


def test_dtypes(tmp_path):
    """Of samples that are bytes and truth values, and results that are the input."""
    pixels = ms.Tensor(shape=[None, 6], dtype=ms.uint8)
    keep = ms.Tensor(shape=[None, 6], dtype=ms.bool_)
    model = export(
        tmp_path, lambda p, k: (p, ops.where(k, p.float() / 255, 0.0).sum(1), k), pixels, keep
    )
    state = np.random.default_rng(0)
    for n in (1, 5, 140):
        p, k = state.integers(0, 256, (n, 6)).astype(np.uint8), state.random((n, 6)) < 0.5
        a, b, c = model.forward(ms.Tensor(p), ms.Tensor(k))
        np.testing.assert_array_equal(a.asnumpy(), p)
        np.testing.assert_allclose(b.asnumpy(), np.where(k, p / 255, 0).sum(1), 1e-5)
        np.testing.assert_array_equal(c.asnumpy(), k)


def test_threads(tmp_path):
    """Tiles that threads share."""
    net = nn.Dense(512, 512)
    model = export(
        tmp_path, lambda x: ops.tanh(net(x)), ms.Tensor(shape=[None, 512], dtype=ms.float32)
    )
    x = ms.Tensor(np.random.default_rng(0).standard_normal((300, 512)).astype(np.float32))
    found = []
    before = ms.get_context("runtime_num_threads")
    for threads in (1, 2):
        ms.set_context(runtime_num_threads=threads)
        found.append(model.forward(x).asnumpy())
    ms.set_context(runtime_num_threads=before)
    np.testing.assert_array_equal(*found)


def test_mlir(tmp_path):
    """The text says which size stands in for the batch."""
    ms.export(nn.ReLU(), X, file_name=str(tmp_path / "relu"), file_format="MLIR")
    text = (tmp_path / "relu.mlir").read_text()
    assert "cell.batch = {max = 2147483647 : i64, size = 65521 : i64}" in text
    assert "tensor<65521x4xf32>" in text


def test_one_sample_may_differ(tmp_path):
    """What Python does for a batch of 1 alone is a part of the model."""
    model = export(tmp_path, lambda x: x if x.shape[0] == 1 else ops.tanh(x), X)
    x = np.random.default_rng(0).standard_normal((9, 4)).astype(np.float32)
    np.testing.assert_array_equal(model.forward(ms.Tensor(x[:1])).asnumpy(), x[:1])
    np.testing.assert_allclose(model.forward(ms.Tensor(x)).asnumpy(), np.tanh(x), 1e-5)
    more = nn.Dense(4, 4)
    said = refused(tmp_path, lambda x: more(x) if x.shape[0] == 1 else x, X)
    assert "has other inputs, Parameters or results for a batch of 1" in said


def scaled_by_number(x):
    return x / x.shape[0]


def two_differ(x):
    return x if x.shape[0] < 3 else ops.tanh(x)


def numbered(x):
    return x + ops.arange(x.shape[0]).reshape(-1, 1).float()


def test_choices_by_the_number(tmp_path):
    assert "depends on the batch size: for a batch of 2" in refused(tmp_path, two_differ, X)


def centred(x):
    return x - x.mean(axis=0)


def flattened(x):
    return ops.tanh(x.reshape(-1)).reshape(x.shape)


def shuffled(x):
    return x[::-1]


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (scaled_by_number, "depends on the batch size"),
        (numbered, "results of a sample depend on the others"),
        (centred, "depends on the batch size"),
        (flattened, "depends on the batch size"),
        (shuffled, "results of a sample depend on the others"),
    ],
)
def test_programs_that_mix_samples(function, why, tmp_path):
    said = refused(tmp_path, function, X)
    line = function.__code__.co_firstlineno + 1
    assert f"test_any_batch.py:{line}" in said, said
    assert why in said


def test_training_mode_mixes_samples(tmp_path):
    net = nn.BatchNorm1d(4)
    net.set_train(True)
    assert "could not be compiled" in refused(tmp_path, net, X)
    net.set_train(False)
    model = export(tmp_path, net, X)
    np.testing.assert_allclose(model.forward(ops.ones((3, 4))).asnumpy(), np.ones((3, 4)), 1e-4)


def test_refused_arguments(tmp_path):
    net = nn.ReLU()
    for options, said in (
        ({"value_and_grad": True}, "'value_and_grad' is given, but the batch"),
        ({"step": (lambda x: x.sum(), X)}, "'step' is given, but the batch"),
        ({"device": "cuda"}, "device='cuda' is given, but the batch"),
    ):
        assert said in refused(tmp_path, net, X, kind=ValueError, **options)
    both = ms.Tensor(shape=[None, None], dtype=ms.float32)
    assert "only the first dimension" in refused(tmp_path, net, both, kind=ValueError)
    assert not list(tmp_path.iterdir())


def test_tensors_without_elements():
    assert X.shape == (-1, 4)
    assert X.dtype == ms.float32
    assert repr(X) == "Tensor(shape=[-1, 4], dtype=Float32, value=\n)"
    for use in (X.asnumpy, lambda: ops.tanh(X), lambda: ms.jit(ops.tanh)(X), lambda: X + 1):
        with pytest.raises(ValueError, match="has no elements"):
            use()


def test_symbols():
    """As MindSpore 2.10 takes and prints them."""
    assert [repr(ms.Symbol()), repr(ms.Symbol(max=10)), repr(ms.Symbol(max=2, min=3))][:2] == [
        "{}",
        "{'max': 10}",
    ]
    for kind, argument, given in (
        (TypeError, "max", "a"),
        (ValueError, "min", 0),
        (ValueError, "divisor", 0),
        (ValueError, "remainder", -1),
        (ValueError, "remainder", 1),
        (TypeError, "unique", 1),
    ):
        with pytest.raises(kind, match=re.escape(f"For 'Symbol', '{argument}' must be")):
            ms.Symbol(**{argument: given})
