"""Recurrent cells: steps against the formulas in float64 numpy, names, gradients, mistakes."""

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, nn, ops
from cellgrad.testing import check_grads

RANDOM = np.random.default_rng(0)
X, H, C = (RANDOM.standard_normal((5, n)) for n in (3, 4, 4))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gates(cell, x, h):
    w_ih, w_hh = cell.weight_ih.asnumpy(), cell.weight_hh.asnumpy()
    if not cell.has_bias:
        return x @ w_ih.T, h @ w_hh.T
    return x @ w_ih.T + cell.bias_ih.asnumpy(), h @ w_hh.T + cell.bias_hh.asnumpy()


# The first two elements of each Parameter of sizes 2 and 1, in MindSpore 2.10 after ms.set_seed(3).
INITIAL = {
    ("RNNCell", True): [[0.0903208032, 0.36843577], [0.944365084], [-0.694666445], [-0.187842801]],
    ("RNNCell", False): [[0.446048081, -0.213527113], [-0.605728924]],
    ("LSTMCell", True): [
        [-0.818421662, 0.481939226],
        [0.195459619, -0.305162251],
        [-0.340308785, -0.516083956],
        [0.852846444, -0.990465283],
    ],
    ("GRUCell", True): [
        [0.488443881, -0.984276891],
        [-0.624884963, 0.463369787],
        [0.568256199, 0.537088752],
        [0.233257189, 0.298207223],
    ],
}


@pytest.mark.parametrize("name, has_bias", INITIAL)
def test_initial_weights_are_those_of_the_seed(name, has_bias):
    ms.set_seed(3)
    cell = getattr(nn, name)(2, 1, has_bias)
    for p, wanted in zip(cell.get_parameters(), INITIAL[name, has_bias], strict=True):
        np.testing.assert_array_equal(p.asnumpy().ravel()[:2], np.float32(wanted))


@pytest.mark.parametrize("has_bias", [True, False])
def test_steps(has_bias):
    x, h, c = (Tensor(a) for a in (X, H, C))
    for kind, f in (("tanh", np.tanh), ("relu", lambda a: np.maximum(a, 0))):
        cell = nn.RNNCell(3, 4, has_bias, kind, ms.float64)
        np.testing.assert_allclose(cell(x, h).asnumpy(), f(sum(gates(cell, X, H))), rtol=1e-13)
    cell = nn.LSTMCell(3, 4, has_bias, ms.float64)
    i, f, g, o = np.split(sum(gates(cell, X, H)), 4, axis=1)
    wanted = sigmoid(f) * C + sigmoid(i) * np.tanh(g)
    h_new, c_new = cell(x, (h, c))
    np.testing.assert_allclose(c_new.asnumpy(), wanted, rtol=1e-12)
    np.testing.assert_allclose(h_new.asnumpy(), sigmoid(o) * np.tanh(wanted), rtol=1e-12)
    cell = nn.GRUCell(3, 4, has_bias, ms.float64)
    (ri, zi, ni), (rh, zh, nh) = (np.split(a, 3, axis=1) for a in gates(cell, X, H))
    new = np.tanh(ni + sigmoid(ri + rh) * nh)
    z = sigmoid(zi + zh)
    np.testing.assert_allclose(cell(x, h).asnumpy(), (1 - z) * new + z * H, rtol=1e-12)


def test_parameters():
    cell = nn.LSTMCell(3, 4)
    shapes = {p.name: p.shape for p in cell.get_parameters()}
    assert shapes == {
        "weight_ih": (16, 3),
        "weight_hh": (16, 4),
        "bias_ih": (16,),
        "bias_hh": (16,),
    }
    assert all(abs(p.asnumpy()).max() <= 0.5 for p in cell.get_parameters())
    assert repr(nn.GRUCell(3, 4)) == "GRUCell(input_size=3, hidden_size=4)"


@pytest.mark.parametrize("kind", [nn.RNNCell, nn.GRUCell])
def test_gradients_through_several_steps(kind):
    cell = kind(3, 4, dtype=ms.float64)

    def run(x, h):
        for _ in range(3):
            h = cell(x, h)
        return ops.sum(ops.square(h))

    check_grads(run, (Tensor(X), Tensor(H)), order=2)


@pytest.mark.parametrize(
    "kind, words, call",
    [
        (ValueError, "'input_size'", lambda: nn.RNNCell(0, 4)),
        (TypeError, "'has_bias' must be a bool", lambda: nn.GRUCell(3, 4, 1)),
        (ValueError, "'tanh' or 'relu'", lambda: nn.RNNCell(3, 4, True, "sigmoid")),
        (TypeError, "a tuple (h, c)", lambda: nn.LSTMCell(3, 4)(Tensor(X), Tensor(H))),
        (ValueError, "(batch, 4)", lambda: nn.GRUCell(3, 4)(Tensor(X), Tensor(X))),
        (ValueError, "(batch, 3)", lambda: nn.GRUCell(3, 4)(Tensor(X[0]), Tensor(H))),
        (TypeError, "must be a Tensor", lambda: nn.RNNCell(3, 4)(Tensor(X), 3.0)),
    ],
)
def test_mistakes_are_named(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    assert words in said(caught.value)
