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


@pytest.mark.parametrize("seed", [0, 2, 3, 7, 10])
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


class Encoder(nn.Cell):
    """Words to scores of words, one layer of a transformer with a causal mask."""

    def __init__(self, words, length, width, heads):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.places = ms.Parameter(ops.randn((length, width)), name="places")
        self.layer = nn.TransformerEncoderLayer(width, heads, 2 * width, 0.0, batch_first=True)
        self.scores = nn.Dense(width, words)

    def construct(self, ids, hidden):
        x = self.embedding(ids) + self.places
        later = ops.triu(ops.ones((ids.shape[1], ids.shape[1])), 1).bool()
        return self.scores(self.layer(x, later, hidden))


def encoded(net, ids, hidden):
    """What `Encoder` computes, by numpy in double precision."""
    p = {name: t.asnumpy().astype(np.float64) for name, t in net.parameters_dict().items()}
    (n, length), heads = ids.shape, net.layer.self_attn.num_heads

    def dense(x, name):
        return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]

    def norm(x, name):
        x = x - x.mean(-1, keepdims=True)
        return (
            x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * p[f"{name}.gamma"]
            + p[f"{name}.beta"]
        )

    x = p["embedding.embedding_table"][ids] + p["places"]
    w, b = p["layer.self_attn.in_proj_weight"], p["layer.self_attn.in_proj_bias"]
    q, k, v = (
        part.reshape(n, length, heads, -1).swapaxes(1, 2) for part in np.split(x @ w.T + b, 3, -1)
    )
    scores = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[-1])
    scores[:, :, np.triu(np.ones((length, length), bool), 1)] = -np.inf
    scores = np.where(hidden[:, None, None, :], -np.inf, scores)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    attended = (weights @ v).swapaxes(1, 2).reshape(x.shape)
    x = norm(x + dense(attended, "layer.self_attn.out_proj"), "layer.norm1")
    x = norm(x + dense(np.maximum(dense(x, "layer.dense1"), 0), "layer.dense2"), "layer.norm2")
    return dense(x, "scores")


def test_encoder(tmp_path):
    """Dense layers of sequences fold positions into the batch, and attention takes them out."""
    net = Encoder(words=30, length=7, width=12, heads=3)
    net.set_train(False)
    state = np.random.default_rng(0)
    ids = state.integers(0, 30, (128, 7)).astype(np.int32)
    hidden = state.random((128, 7)) < 0.3
    hidden[:, 0] = False  # each position sees one at least
    expected = encoded(net, ids, hidden)
    model = export(
        tmp_path,
        net,
        ms.Tensor(shape=[None, 7], dtype=ms.int32),
        ms.Tensor(shape=[None, 7], dtype=ms.bool_),
    )
    assert model.signature["entries"][0]["results"][0]["shape"] == [None, 7, 30]
    (tmp_path / "fixed").mkdir()
    fixed = export(tmp_path / "fixed", net, ms.Tensor(ids), ms.Tensor(hidden), value_and_grad=False)
    whole = fixed.forward(ms.Tensor(ids), ms.Tensor(hidden)).asnumpy()
    for n in [*range(1, 41), 128]:
        found = model.forward(ms.Tensor(ids[:n]), ms.Tensor(hidden[:n])).asnumpy()
        np.testing.assert_allclose(found, expected[:n], 1e-4, 1e-5)
        if n > 1:
            np.testing.assert_array_equal(found, whole[:n])


def folded(x):
    y = ops.tanh(x.reshape(-1))
    return (y.reshape(-1, 2).sum(axis=1).reshape(-1, 2) * x[:, ::2]).reshape(-1, 1, 2)


def test_rows_of_a_sample(tmp_path):
    """Samples with 4, 2 and 1 rows."""
    model = export(tmp_path, folded, X)
    for n in (1, 2, 5, 37):
        x = np.random.default_rng(n).standard_normal((n, 4)).astype(np.float32)
        y = np.tanh(x.astype(np.float64)).reshape(n, 1, 2, 2).sum(3) * x[:, None, ::2]
        np.testing.assert_allclose(model.forward(ms.Tensor(x)).asnumpy(), y, 1e-5, 1e-6)


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


def powers_of_the_number(x):
    return x / x.shape[0] ** 0.3


def two_differ(x):
    return x if x.shape[0] < 3 else ops.tanh(x)


def numbered(x):
    return x + ops.linspace(0.0, 1.0, x.shape[0]).reshape(-1, 1)


def test_choices_by_the_number(tmp_path):
    assert "depends on the batch size: for a batch of 2" in refused(tmp_path, two_differ, X)


def sorted_along(x):
    return ops.sort(x, 0)[0]


def pairs(x):
    return x @ (x.T @ x + ops.matmul(x, x.T).sum())


def samples_inside(x):
    return ops.tanh(x.transpose(1, 0).reshape(-1)).reshape(4, -1).transpose(1, 0)


def test_samples_inside(tmp_path):
    """The batch need not be the first dimension on the way."""
    model = export(tmp_path, samples_inside, X)
    for n in (1, 3, 130):
        x = np.random.default_rng(n).standard_normal((n, 4)).astype(np.float32)
        np.testing.assert_allclose(model.forward(ms.Tensor(x)).asnumpy(), np.tanh(x), 1e-5)


def unchanged(x):
    return x


def test_programs_that_compute_nothing(tmp_path):
    """They write the rows that there are, and no others."""
    model = export(tmp_path, unchanged, X)
    assert model.signature["entries"][0]["results"][0]["shape"] == [None, 4]
    for n in (1, 3, 130):
        x = np.random.default_rng(n).standard_normal((n, 4)).astype(np.float32)
        np.testing.assert_array_equal(model.forward(ms.Tensor(x)).asnumpy(), x)


def given_twice(x):
    y = ops.tanh(x)
    return y, y.T.T, y.sum(axis=0), x, x.T.T


def test_a_result_that_is_given_twice(tmp_path):
    model = export(tmp_path, given_twice, X)
    for n in (1, 3, 32, 130):
        x = np.random.default_rng(n).standard_normal((n, 4)).astype(np.float32)
        wanted = np.tanh(x), np.tanh(x), np.tanh(x).sum(0), x, x
        for found, expected in zip(model.forward(ms.Tensor(x)), wanted, strict=True):
            np.testing.assert_allclose(found.asnumpy(), expected, 1e-5, 1e-6)


def every_second_row(x):
    return x[:, :2] + x.reshape(-1, 2)[::2]


def rows_as_results(x):
    return x.reshape(-1, 2)


def test_results_with_several_rows(tmp_path):
    said = refused(tmp_path, rows_as_results, X)
    assert (
        "which has 2 rows for each sample: a program for any batch size takes and gives one" in said
    )


def shuffled(x):
    return x[::-1]


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (powers_of_the_number, "depends on the batch size"),
        (numbered, "has elements for a batch of one size"),
        (sorted_along, "results of a sample depend on the others"),
        (pairs, "gives the shape [batch, batch], which pairs samples with each other"),
        (every_second_row, "takes some samples of the batch"),
        (shuffled, "results of a sample depend on the others"),
    ],
)
def test_programs_that_mix_samples(function, why, tmp_path):
    said = refused(tmp_path, function, X)
    line = function.__code__.co_firstlineno + 1
    assert f"test_any_batch.py:{line}" in said, said
    assert why in said


@pytest.mark.parametrize("rows", [65521, 2 * 65521])
def test_tables_of_the_size_that_stands_in(rows, tmp_path):
    """A table with as many rows as stand for one sample, or several, is no batch."""
    said = refused(tmp_path, nn.Embedding(rows, 1), ms.Tensor(shape=[None, 2], dtype=ms.int32))
    assert "a program for any batch size takes samples" in said or "'cell.gather' op " in said


def test_refused_arguments(tmp_path):
    net = nn.ReLU()
    for options, said in (({"device": "cuda"}, "device='cuda' is given, but the batch"),):
        assert said in refused(tmp_path, net, X, kind=ValueError, **options)
    sizes = {"batch_sizes": (0,)}
    assert "'batch_sizes' has 0, but the batch is 1 to" in refused(
        tmp_path, net, X, kind=ValueError, **sizes
    )
    few = ms.Tensor(shape=[ms.Symbol(max=9), 4], dtype=ms.float32)
    sizes = {"batch_sizes": (3, 10)}
    assert "'batch_sizes' has 10, but the batch is 1 to 9" in refused(
        tmp_path, net, few, kind=ValueError, **sizes
    )
    fixed = ms.Tensor(np.ones((2, 4), np.float32))
    assert "'batch_sizes' is given, but no input has an open batch" in refused(
        tmp_path, net, fixed, kind=ValueError, **sizes
    )
    for sizes in ("9", (9.0,)):
        assert "'batch_sizes'" in refused(tmp_path, net, X, kind=TypeError, batch_sizes=sizes)
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


def test_inputs_of_one_signature_that_are_not_alike():
    """A Parameter has no batch, a Tensor of its signature has one, after each other and both ways round."""
    weights = ms.Parameter(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), name="w")
    rows = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
    x = ms.Tensor([[1.0, 1.0], [0.0, 1.0]])
    any_batch = ms.jit(lambda x, y: x * y.sum(axis=-1, keepdims=True), dynamic_batch=True)
    shared = ms.jit(lambda x, w: ops.matmul(x, w), dynamic_batch=True)
    for _ in range(2):
        np.testing.assert_array_equal(any_batch(x, rows).asnumpy(), [[3.0, 3.0], [0.0, 7.0]])
        np.testing.assert_array_equal(shared(x, weights).asnumpy(), [[4.0, 6.0], [3.0, 4.0]])
        with pytest.raises(ValueError, match="For 'matmul' the input dimensions must be equal"):
            shared(x, rows)
    three = ms.Tensor([[1.0, 1.0], [0.0, 1.0], [2.0, 0.0]])
    np.testing.assert_array_equal(shared(three, weights).asnumpy()[2], [2.0, 4.0])
    with pytest.raises(ValueError, match="the batch is 3"):
        any_batch(three, rows)


def test_many_batch_sizes_are_found_again(monkeypatch):
    """What is known of sizes is forgotten, where there are many, and found once more."""
    monkeypatch.setattr("cellgrad.compile.any_batch._MOST_RESIZED", 3)
    double = ms.jit(lambda x: x * 2, dynamic_batch=True)
    for n in (*range(1, 9), *range(8, 0, -1)):
        np.testing.assert_array_equal(double(ops.ones((n, 2))).asnumpy(), np.full((n, 2), 2.0))
    assert 1 <= len(double.program.resized) <= 3
