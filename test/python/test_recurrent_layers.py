"""Recurrent layers: values and names against real MindSpore, gradients against torch and
differences; the loop over time in the program; training and export.

See `goldens/record_recurrent.py` for how the numbers were recorded.
"""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from messages import said
from on_gpu import assert_same_sums

import cellgrad as ms
from cellgrad import Tensor, nn, ops
from cellgrad.testing import check_grads

GOLDENS = Path(__file__).parent / "goldens"
sys.path.insert(0, str(GOLDENS))
import record_recurrent as cases  # noqa: E402

*RECORDED, SEEDED = json.loads((GOLDENS / "recurrent.json").read_text())
GRADIENTS = json.loads((GOLDENS / "recurrent_gradients.json").read_text())
RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((5, 3, 2))


def layer(kind, options, dtype=ms.float32):
    net = getattr(nn, kind)(cases.INPUT, cases.HIDDEN, dtype=dtype, **options)
    for k, p in enumerate(net.get_parameters()):
        p.set_data(Tensor(cases.weights(k, p.shape), dtype))
    return net


def arguments(kind, options, has_state, dtype=ms.float32):
    x, h, c = (Tensor(a, dtype) for a in cases.inputs(options))
    return x, None if not has_state else (h, c) if kind == "LSTM" else h


@pytest.mark.parametrize("number", range(len(cases.CASES)))
def test_values_and_names(number):
    kind, options, has_state, has_lengths = cases.CASES[number]
    names, results = RECORDED[number]
    net = layer(kind, options)
    assert [[p.name, list(p.shape)] for p in net.get_parameters()] == names
    lengths = Tensor(cases.LENGTHS) if has_lengths else None
    found = cases.arrays_of(net(*arguments(kind, options, has_state), lengths))
    assert len(found) == len(results)
    for a, (shape, values) in zip(found, results):
        assert list(a.shape) == shape
        np.testing.assert_allclose(a.asnumpy().ravel(), values, rtol=2e-6, atol=1e-6)


def test_initial_values():
    kind, sizes = cases.SEEDED
    ms.set_seed(3)
    for p, wanted in zip(getattr(nn, kind)(*sizes).get_parameters(), SEEDED, strict=True):
        np.testing.assert_array_equal(p.asnumpy().ravel(), np.float32(wanted))


@pytest.mark.parametrize("number", range(len(GRADIENTS)))
def test_gradients_against_torch(number):
    plain = [c for c in cases.CASES if not c[3]]
    kind, options, has_state, _ = plain[number]
    net = layer(kind, options, ms.float64)
    x, state = arguments(kind, options, has_state, ms.float64)

    def total(x):
        return sum(ops.sum(ops.square(a)) for a in cases.arrays_of(net(x, state)))

    by_input, by_weights = ms.grad(total, 0, list(net.get_parameters()))(x)
    for found, wanted in zip((by_input, *by_weights), GRADIENTS[number], strict=True):
        np.testing.assert_allclose(found.asnumpy().ravel(), wanted, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_derivatives(kind):
    net = getattr(nn, kind)(2, 3, bidirectional=True, dtype=ms.float64)
    lengths = Tensor(np.array([5, 1, 3]), ms.int64)
    state = RANDOM.standard_normal((2, 3, 3))

    def f(x, h):
        result = net(x, (h, ops.sin(h)) if kind == "LSTM" else h, lengths)
        return sum(ops.sum(ops.square(a)) for a in cases.arrays_of(result))

    check_grads(f, (Tensor(X), Tensor(state)), order=2)


def program(net, steps, folder):
    """The text of a layer's program."""
    name = str(folder / f"p{steps}")
    x = Tensor(np.zeros((steps, 3, 2), np.float32))
    ms.export(net, x, file_name=name, file_format="MLIR", value_and_grad=False)
    return Path(name + ".mlir").read_text()


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_the_loop_stays_a_loop(kind, tmp_path):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = getattr(nn, kind)(2, 4, 2, bidirectional=True)

        def construct(self, x):
            return ops.sum(self.layers(x)[0])

    net = Net()
    ops_of = {n: re.findall(r"= ([a-z]+\.[a-z_]+)", program(net, n, tmp_path)) for n in (3, 7, 500)}
    assert ops_of[7] == ops_of[3] == ops_of[500]
    assert ops_of[7].count("scf.while") == 4  # one for each layer and direction
    # For each: what the input contributes is one product outside; the state's is before the first trip
    # and at the end of each, so that it is carried, and the derivative has no need to compute it again.
    assert ops_of[7].count("cell.matmul") == 12


def test_dropout_is_between_layers_and_in_training():
    ms.set_seed(0)
    net = nn.GRU(2, 64, 2, dropout=0.5)
    x = Tensor(X, ms.float32)
    net.set_train(False)
    still = net(x)[0].asnumpy()
    np.testing.assert_array_equal(still, net(x)[0].asnumpy())
    net.set_train()
    first, second = net(x)[0].asnumpy(), net(x)[0].asnumpy()
    assert (first != second).any()
    assert not (first == 0).any()  # the last layer's outputs are not dropped
    one = nn.GRU(2, 4, 1, dropout=0.5)
    one.set_train()
    np.testing.assert_array_equal(one(x)[0].asnumpy(), one(x)[0].asnumpy())


def test_lower_precision_is_that_of_the_input():
    net = nn.LSTM(2, 4)
    output, (h, c) = net(Tensor(X, ms.float16))
    assert {output.dtype, h.dtype, c.dtype} == {ms.float16}
    wide = net(Tensor(X, ms.float32))[0].asnumpy()
    np.testing.assert_allclose(output.asnumpy(), wide, atol=2e-3)


def test_a_training_step_is_one_function():
    """The last output learns the sum of the sequence's signs."""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.rnn = nn.LSTM(1, 16, batch_first=True)
            self.head = nn.Dense(16, 1)

        def construct(self, x):
            return self.head(self.rnn(x)[0][:, -1])

    ms.set_seed(1)
    net = Net()
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.01)
    )
    x = RANDOM.standard_normal((32, 10, 1)).astype(np.float32)
    y = np.sign(x).mean(1)
    losses = [step(Tensor(x), Tensor(y)).item() for _ in range(150)]
    assert losses[-1] < 0.1 * losses[0]
    by_op = [float(nn.MSELoss()(net(Tensor(x)), Tensor(y)))]
    ms.set_context(mode=ms.PYNATIVE_MODE)
    try:
        by_op.append(float(nn.MSELoss()(net(Tensor(x)), Tensor(y))))
    finally:
        ms.set_context(mode=ms.GRAPH_MODE)
    assert by_op[0] == pytest.approx(by_op[1], rel=1e-6)


def test_export(tmp_path):
    net = nn.GRU(2, 4, bidirectional=True)
    x = Tensor(X, ms.float32)
    ms.export(net, x, file_name=str(tmp_path / "gru"), value_and_grad=False)
    for a, b in zip(ms.load(str(tmp_path / "gru")).forward(x), net(x), strict=True):
        assert_same_sums(a.asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-6)


X32 = Tensor(X, ms.float32)


@pytest.mark.parametrize(
    "kind, words, call",
    [
        (ValueError, "'input_size'", lambda: nn.LSTM(0, 4)),
        (ValueError, "'num_layers'", lambda: nn.LSTM(2, 4, 0)),
        (TypeError, "'has_bias' must be a bool", lambda: nn.GRU(2, 4, has_bias=1)),
        (TypeError, "'dropout' must be a float", lambda: nn.GRU(2, 4, dropout=0)),
        (ValueError, "must be in [0, 1)", lambda: nn.GRU(2, 4, dropout=1.0)),
        (ValueError, "'nonlinearity' must be 'tanh' or 'relu'", lambda: nn.RNN(2, 4, nonlinearity="sigmoid")),
        (TypeError, "'x' must be a Tensor", lambda: nn.RNN(2, 4)(3.0)),
        (TypeError, "floating-point", lambda: nn.RNN(2, 4)(X32.astype(ms.int32))),
        (ValueError, "(time, batch, 3)", lambda: nn.RNN(3, 4)(X32)),
        (ValueError, "(batch, time, 3)", lambda: nn.RNN(3, 4, batch_first=True)(X32)),
        (TypeError, "a tuple (h, c)", lambda: nn.LSTM(2, 4)(X32, X32)),
        (TypeError, "as 'x' is", lambda: nn.GRU(2, 4)(X32, Tensor(np.zeros((1, 3, 4))))),
        (ValueError, "must have shape [1, 3, 4]", lambda: nn.GRU(2, 4)(X32, Tensor(np.zeros((2, 3, 4)), ms.float32))),
        (TypeError, "int32 or int64", lambda: nn.GRU(2, 4)(X32, None, X32)),
        (ValueError, "must have shape [3], one element for each sequence", lambda: nn.GRU(2, 4)(X32, None, Tensor([1, 2]))),
    ],
)  # fmt: skip
def test_mistakes_are_named(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    assert words in said(caught.value)
