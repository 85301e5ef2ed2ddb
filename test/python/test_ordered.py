"""Training steps whose Parameters have the same bits on any number of ranks."""

import numpy as np
import pytest
from rank_groups import values

import cellgrad as ms
from cellgrad import nn, ops
from cellgrad.nn.wrap import ordered

DRAW = np.random.default_rng(5100)
STEPS, ROWS, TILE = 20, 64, 8
X = DRAW.uniform(-1, 1, (STEPS, ROWS, 6)).astype(np.float32)
Y = np.sin(X.sum(axis=2, keepdims=True)).astype(np.float32)


class Net(nn.Cell):
    def __init__(self, norm=None):
        super().__init__()
        self.first, self.last = nn.Dense(6, 16), nn.Dense(16, 1)
        self.norm = norm or nn.LayerNorm((16,))

    def construct(self, x, y):
        return ((self.last(ops.tanh(self.norm(self.first(x)))) - y) ** 2).mean()


def context(tile=TILE, **more):
    ms.set_auto_parallel_context(
        **{"parallel_mode": "data_parallel", "gradients_mean": True, **more},
        reduction="ordered",
        batch_tile=tile,
    )


@pytest.fixture(autouse=True)
def _reset():
    yield
    ms.reset_auto_parallel_context()


def trained(rank, count, steps=STEPS, rows=ROWS, step_of=nn.TrainOneStepCell, **more):
    context(**more)
    ms.set_seed(3)
    net = Net()
    step = step_of(net, nn.Adam(net.trainable_params(), 0.01, weight_decay=0.01))
    step.set_train()
    own = slice(rows // count * rank, rows // count * (rank + 1))
    losses = []
    for x, y in zip(X[:steps], Y[:steps], strict=True):
        out = step(ms.Tensor(x[own]), ms.Tensor(y[own]))
        losses.append(out[0].item() if isinstance(out, tuple) else out.item())
    return [p.asnumpy() for p in net.get_parameters()], losses


def on(count, **more):
    return values(count, lambda rank: trained(rank, count, **more), timeout=300)


def same(a, b):
    return all((x == y).all() for x, y in zip(a, b, strict=True))


def test_one_two_four_and_eight_ranks_have_the_same_bits():
    alone, losses = trained(0, 1)
    assert losses[-1] < 0.6 * losses[0]
    for count, divided in ((2, False), (2, True), (4, True), (8, False)):
        found = on(count, enable_parallel_optimizer=divided)
        assert all(same(p, alone) for p, _ in found), (count, divided)
        # The loss of a rank is of its own rows; their mean is that of all.
        np.testing.assert_allclose(np.mean([own for _, own in found], axis=0), losses, rtol=1e-5)


def test_three_ranks_and_a_scaled_loss_and_sums():
    scaled = lambda net, optimizer: nn.TrainOneStepWithLossScaleCell(
        net, optimizer, nn.DynamicLossScaleUpdateCell(2.0**10, 2, 3)
    )
    options = {"steps": 5, "rows": 48, "tile": 4, "step_of": scaled, "gradients_mean": False}
    alone, _ = trained(0, 1, **options)
    for p, _ in on(3, **options):
        assert same(p, alone)


def test_numbers_are_those_of_whole_batches():
    found, losses = trained(0, 1, steps=3)
    ms.reset_auto_parallel_context()
    ms.set_seed(3)
    net = Net()
    step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 0.01, weight_decay=0.01))
    plain = [step(ms.Tensor(x), ms.Tensor(y)).item() for x, y in zip(X[:3], Y[:3], strict=True)]
    np.testing.assert_allclose(losses, plain, rtol=1e-6)
    for a, p in zip(found, net.get_parameters(), strict=True):
        # Adam takes signs of gradients near zero.
        np.testing.assert_allclose(a, p.asnumpy(), rtol=1e-3, atol=1e-5)


def test_other_orders_are_seen(monkeypatch):
    """A tree that adds one after the other has other bits."""
    alone, _ = trained(0, 1)
    monkeypatch.setattr(ordered.Sums, "add", lambda self, given: self._levels.append(given))
    wrong, _ = trained(0, 1)
    assert not same(wrong, alone)


def refused(kind, match, net=None, rows=16, step_of=nn.TrainOneStepCell, **more):
    context(**more)
    net = net or Net()
    with pytest.raises(kind, match=match):
        step = step_of(net, nn.SGD(net.trainable_params(), 0.1))
        step.set_train()
        step(ms.Tensor(X[0, :rows]), ms.Tensor(Y[0, :rows]))


class Own(nn.TrainOneStepCell):
    def construct(self, *inputs):
        return super().construct(*inputs)


def test_what_cannot_hold_is_refused():
    refused(ValueError, "the network changes .*moving_mean", net=Net(nn.BatchNorm1d(16)))
    refused(ValueError, "the network changes random_state", net=Net(nn.Dropout(p=0.5)))
    refused(
        ValueError, r"one multiple of 'batch_tile', 8, but got \[\[12, 6\], \[12, 1\]\]", rows=12
    )
    refused(TypeError, "or a 'construct' of its own", step_of=Own)
    gives = lambda net, optimizer: nn.TrainOneStepCell(net, optimizer, return_grad=True)
    refused(TypeError, "does not go with 'return_grad'", step_of=gives)
    refused(ValueError, "is of 'data_parallel', but", parallel_mode="stand_alone")
    inside = lambda net, optimizer: _Called(nn.TrainOneStepCell(net, optimizer))
    refused(RuntimeError, "is called in compiled code, or exported", step_of=inside)
    named = lambda net, optimizer: _Named(nn.TrainOneStepCell(net, optimizer))
    refused(TypeError, "give inputs by position", step_of=named)
    ms.reset_auto_parallel_context()
    with pytest.raises(ValueError, match="'batch_tile' is not set"):
        ms.set_auto_parallel_context(reduction="ordered")
    with pytest.raises(ValueError, match="reduction"):
        ms.set_auto_parallel_context(reduction="tree")


class _Called(nn.Cell):
    def __init__(self, step):
        super().__init__()
        self.step = step

    def construct(self, x, y):
        return self.step(x, y)


class _Named:
    def __init__(self, step):
        self.step = step

    def set_train(self):
        self.step.set_train()

    def __call__(self, x, y):
        return self.step(x, y=y)


def test_tiles_of_a_rank_of_several_are_a_power_of_two():
    def body(rank):
        refused(ValueError, "has 3 tiles of 8", rows=24)
        return True

    assert values(2, body) == [True, True]
