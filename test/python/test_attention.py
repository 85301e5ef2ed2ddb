"""Attention and transformers: outputs against formulas in float64 numpy, masks, names, learning."""

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, nn, ops

RANDOM = np.random.default_rng(0)
E, HEADS, BATCH, QUERIES, KEYS = 6, 2, 3, 4, 5
Q = RANDOM.standard_normal((BATCH, QUERIES, E))
K, V = RANDOM.standard_normal((2, BATCH, KEYS, E))
INF = np.inf


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def filled(cell):
    """Values of every Parameter by name, drawn anew so that biases are not zero."""
    random = np.random.default_rng(1)
    for p in cell.get_parameters():
        p.set_data(Tensor(0.5 * random.standard_normal(p.shape), p.dtype))
    return {p.name: p.asnumpy() for p in cell.get_parameters()}


def attention(w, q, k, v, prefix="", bias_kv=False, zero=False, mask=0.0, padding=0.0):
    """Multi-head attention of (batch, length, E), and its weights (batch, heads, q, k)."""
    if prefix + "in_proj_weight" in w:
        wq, wk, wv = np.split(w[prefix + "in_proj_weight"], 3)
    else:
        wq, wk, wv = (w[f"{prefix}{n}_proj_weight"] for n in "qkv")
    bq, bk, bv = np.split(w.get(prefix + "in_proj_bias", np.zeros(3 * E)), 3)
    q, k, v = q @ wq.T + bq, k @ wk.T + bk, v @ wv.T + bv
    n = len(q)
    extra = []
    if bias_kv:
        extra.append(
            [np.repeat(w[prefix + b], n, 0).reshape(n, 1, E) for b in ("bias_k", "bias_v")]
        )
    if zero:
        extra.append([np.zeros((n, 1, E))] * 2)
    for ek, ev in extra:
        k, v = np.concatenate([k, ek], 1), np.concatenate([v, ev], 1)
    q, k, v = (x.reshape(n, x.shape[1], HEADS, -1).swapaxes(1, 2) for x in (q, k, v))
    scores = q @ k.swapaxes(2, 3) / np.sqrt(E / HEADS)
    for m in (mask, padding):
        if np.ndim(m):
            m = np.broadcast_to(m, (*scores.shape[:-1], m.shape[-1]))
            scores = scores + np.pad(m, [(0, 0)] * 3 + [(0, len(extra))])
    weights = softmax(scores)
    out = (weights @ v).swapaxes(1, 2).reshape(n, -1, E)
    return out @ w[prefix + "out_proj.weight"].T + w.get(prefix + "out_proj.bias", 0.0), weights


def made(**options):
    return nn.MultiheadAttention(E, HEADS, batch_first=True, dtype=ms.float64, **options)


@pytest.mark.parametrize(
    "options, extra",
    [
        ({}, {}),
        ({"has_bias": False}, {}),
        ({"add_bias_kv": True, "add_zero_attn": True}, {"bias_kv": True, "zero": True}),
    ],
)
def test_attention(options, extra):
    cell = made(**options)
    out, weights = cell(*(Tensor(a) for a in (Q, K, V)))
    w = filled(cell)
    out, weights = cell(*(Tensor(a) for a in (Q, K, V)))
    wanted, wanted_weights = attention(w, Q, K, V, **extra)
    np.testing.assert_allclose(out.asnumpy(), wanted, rtol=1e-12)
    np.testing.assert_allclose(weights.asnumpy(), wanted_weights.mean(1), rtol=1e-12)


def test_layouts_and_dimensions():
    cell = made(kdim=7, vdim=4)
    w = filled(cell)
    k, v = RANDOM.standard_normal((BATCH, KEYS, 7)), RANDOM.standard_normal((BATCH, KEYS, 4))
    inputs = [Tensor(a) for a in (Q, k, v)]
    wanted, weights = attention(w, Q, k, v)
    (out,) = cell(*inputs, need_weights=False)
    np.testing.assert_allclose(out.asnumpy(), wanted, rtol=1e-12)
    _, each = cell(*inputs, average_attn_weights=False)
    np.testing.assert_allclose(each.asnumpy(), weights, rtol=1e-12)
    alone, alone_weights = cell(*(x[0] for x in inputs))
    np.testing.assert_allclose(alone.asnumpy(), wanted[0], rtol=1e-12)
    np.testing.assert_allclose(alone_weights.asnumpy(), weights[0].mean(0), rtol=1e-12)
    turned = nn.MultiheadAttention(E, HEADS, kdim=7, vdim=4, dtype=ms.float64)
    for p, value in zip(turned.get_parameters(), w.values()):
        p.set_data(Tensor(value))
    out, _ = turned(*(ops.swapaxes(x, 0, 1) for x in inputs))
    np.testing.assert_allclose(out.asnumpy().swapaxes(0, 1), wanted, rtol=1e-12)


@pytest.mark.parametrize("extra", [{}, {"add_bias_kv": True, "add_zero_attn": True}])
def test_masks(extra):
    cell = made(**extra)
    w = filled(cell)
    known = {"bias_kv": bool(extra), "zero": bool(extra)}
    inputs = [Tensor(a) for a in (Q, K, V)]
    future = np.triu(np.ones((QUERIES, KEYS), bool), 2)
    hidden = np.array([[False] * 5, [True] + [False] * 4, [False] * 3 + [True] * 2])
    added = RANDOM.standard_normal((BATCH * HEADS, QUERIES, KEYS))
    as_float = np.where(future, -INF, 0.0), np.where(hidden, -INF, 0.0)
    for attn, padding, mask, pad in (
        (future, None, as_float[0], 0.0),
        (None, hidden, 0.0, as_float[1][:, None, None]),
        (future, hidden, as_float[0], as_float[1][:, None, None]),
        (*as_float, as_float[0], as_float[1][:, None, None]),
        (added, None, added.reshape(BATCH, HEADS, QUERIES, KEYS), 0.0),
    ):
        wanted, weights = attention(w, Q, K, V, mask=mask, padding=pad, **known)
        out, found = cell(
            *inputs,
            attn_mask=None if attn is None else Tensor(attn),
            key_padding_mask=None if padding is None else Tensor(padding),
        )
        np.testing.assert_allclose(out.asnumpy(), wanted, rtol=1e-12)
        np.testing.assert_allclose(found.asnumpy(), weights.mean(1), rtol=1e-12)


def test_dropout_acts_in_training_mode_alone():
    cell = made(dropout=0.5)
    inputs = [Tensor(a) for a in (Q, K, V)]
    _, weights = cell(*inputs)
    np.testing.assert_allclose(weights.asnumpy().sum(-1), 1, rtol=1e-12)
    cell.set_train()
    _, each = cell(*inputs, average_attn_weights=False)
    zeros = (each.asnumpy() == 0).mean()
    assert 0.3 < zeros < 0.7


def normalised(x, w, name):
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / np.sqrt(var + 1e-5) * w[name + ".gamma"] + w[name + ".beta"]


def dense(x, w, name):
    return x @ w[name + ".weight"].T + w[name + ".bias"]


@pytest.mark.parametrize("norm_first", [False, True])
def test_encoder_and_decoder_layers(norm_first):
    options = {"dropout": 0.0, "batch_first": True, "norm_first": norm_first, "dtype": ms.float64}

    def block(x, w, number, f):
        if norm_first:
            return x + f(normalised(x, w, f"norm{number}"))
        return normalised(x + f(x), w, f"norm{number}")

    def feed_forward(w):
        return lambda x: dense(np.maximum(dense(x, w, "dense1"), 0), w, "dense2")

    encoder = nn.TransformerEncoderLayer(E, HEADS, 8, **options)
    w = filled(encoder)
    x = block(Q, w, 1, lambda x: attention(w, x, x, x, "self_attn.")[0])
    wanted = block(x, w, 2, feed_forward(w))
    np.testing.assert_allclose(encoder(Tensor(Q)).asnumpy(), wanted, rtol=1e-10)
    decoder = nn.TransformerDecoderLayer(E, HEADS, 8, **options)
    w = filled(decoder)
    x = block(Q, w, 1, lambda x: attention(w, x, x, x, "self_attn.")[0])
    x = block(x, w, 2, lambda x: attention(w, x, K, K, "multihead_attn.")[0])
    wanted = block(x, w, 3, feed_forward(w))
    np.testing.assert_allclose(decoder(Tensor(Q), Tensor(K)).asnumpy(), wanted, rtol=1e-10)


def test_stacks():
    layer = nn.TransformerEncoderLayer(E, HEADS, 8, 0.0, "gelu", batch_first=True)
    stack = nn.TransformerEncoder(layer, 2, nn.LayerNorm((E,)))
    names = [p.name for p in stack.get_parameters()]
    assert names[0] == "layers.0.self_attn.in_proj_weight" and names[-1] == "norm.beta"
    assert len({id(p) for p in stack.get_parameters()}) == 2 * 12 + 2
    filled(stack)
    x = Tensor(Q, ms.float32)
    wanted = stack.norm(stack.layers[1](stack.layers[0](x)))
    np.testing.assert_allclose(stack(x).asnumpy(), wanted.asnumpy(), rtol=1e-6)


def test_a_transformer_learns_to_reverse():
    ms.set_seed(3)
    net = nn.Transformer(16, 4, 1, 1, 32, 0.0, batch_first=True)
    table = ms.Parameter(RANDOM.standard_normal((8, 16)).astype(np.float32), name="table")
    out = nn.Dense(16, 8)
    digits = RANDOM.integers(0, 8, (64, 5))
    one_hot = Tensor(np.eye(8, dtype=np.float32)[digits])
    place = Tensor(RANDOM.standard_normal((5, 16)).astype(np.float32))
    labels = Tensor(digits[:, ::-1].reshape(-1).copy(), ms.int32)
    weights = [table, *net.trainable_params(), *out.trainable_params()]
    optimizer = nn.Adam(weights, 5e-3)

    def loss(x):
        embedded = ops.matmul(x, table) + place
        target = ops.broadcast_to(place, embedded.shape)
        logits = out(net(embedded, target))
        return ops.cross_entropy(ops.reshape(logits, (-1, 8)), labels)

    gradient = ms.value_and_grad(loss, None, weights)

    @ms.jit
    def step(x):
        value, gradients = gradient(x)
        optimizer(gradients)
        return value

    losses = [float(step(one_hot)) for _ in range(150)]
    assert losses[0] > 1.5 and losses[-1] < 0.1


X = Tensor(Q)


@pytest.mark.parametrize(
    "kind, words, call",
    [
        (ValueError, "must be divisible", lambda: nn.MultiheadAttention(6, 4)),
        (TypeError, "'num_heads' must be an int", lambda: nn.MultiheadAttention(6, 2.0)),
        (ValueError, "the last of (6, 6, 6)", lambda: made()(X, X[..., :4], X)),
        (ValueError, "as long", lambda: made()(X, X[:, :3], X)),
        (
            ValueError,
            "'attn_mask' must have shape (4, 4)",
            lambda: made()(X, X, X, None, True, X[0]),
        ),
        (
            ValueError,
            "'key_padding_mask' must be of bools",
            lambda: made()(X, X, X, Tensor(np.ones((3, 4), np.int32))),
        ),
        (
            ValueError,
            "'activation' must be",
            lambda: nn.TransformerEncoderLayer(6, 2, 8, 0.0, "tanh"),
        ),
        (
            ValueError,
            "'num_layers'",
            lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8), 0),
        ),
    ],
)
def test_mistakes_are_named(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    assert words in said(caught.value)
