"""Optimizers whose state is in parts, one for each rank: the same numbers as with whole state."""

import numpy as np
import pytest
from rank_groups import on_ranks, values

import cellgrad as ms
from cellgrad import nn, ops
from cellgrad.nn.optim import _shards

DRAW = np.random.default_rng(5000)
X = DRAW.uniform(-1, 1, (4, 12, 5)).astype(np.float32)
Y = (X.sum(axis=2, keepdims=True) ** 2).astype(np.float32)


class Net(nn.Cell):
    """Parameters of sizes that no number of ranks divides, among them one of one element."""

    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = nn.Dense(5, 7), nn.LayerNorm((7,)), nn.Dense(7, 1)

    def construct(self, x, y):
        return ((self.last(ops.tanh(self.norm(self.first(x)))) - y) ** 2).mean()


def context(divided, **more):
    ms.set_auto_parallel_context(
        parallel_mode="data_parallel",
        gradients_mean=True,
        enable_parallel_optimizer=divided,
        **more,
    )


def trained(make, rank, count, divided, steps=3, step_of=nn.TrainOneStepCell):
    context(divided)
    ms.set_seed(3)
    net = Net()
    optimizer = make(net.trainable_params())
    assert (optimizer.shards is not None) == divided
    step = step_of(net, optimizer)
    step.set_train()
    rows = slice(12 // count * rank, 12 // count * (rank + 1))
    for x, y in zip(X[:steps], Y[:steps], strict=True):
        step(ms.Tensor(x[rows]), ms.Tensor(y[rows]))
    return net, optimizer, step


def arrays(cell):
    return [p.asnumpy() for p in cell.get_parameters()]


RATES = [0.1, 0.05, 0.02]
ELEMENTWISE = {
    "sgd": lambda p: nn.SGD(p, 0.1),
    "sgd dampened": lambda p: nn.SGD(p, RATES, momentum=0.9, dampening=0.2, weight_decay=0.1),
    "momentum": lambda p: nn.Momentum(p, 0.05, 0.9, use_nesterov=True, loss_scale=4.0),
    "adam": lambda p: nn.Adam(p, RATES, weight_decay=0.01),
    "amsgrad": lambda p: nn.Adam(p, 0.01, use_amsgrad=True),
    "adam decoupled": lambda p: nn.AdamWeightDecay(p, 0.01, weight_decay=0.1),
    "adamax": lambda p: nn.AdaMax(p, 0.01),
    "adagrad": lambda p: nn.Adagrad(p, 0.1, 0.01),
    "rmsprop": lambda p: nn.RMSProp(p, 0.01, momentum=0.5, centered=True),
    "adadelta": lambda p: nn.Adadelta(p, 0.1),
    "ftrl": lambda p: nn.FTRL(p, learning_rate=0.1, l1=0.01, l2=0.01),
    "rprop": lambda p: nn.Rprop(p, 0.01),
    "asgd": lambda p: nn.ASGD(p, 0.1, t0=1.0),
    "groups": lambda p: nn.Adam(
        [
            {"params": [w for w in p if w.ndim > 1], "lr": 0.02, "weight_decay": 0.1},
            {"params": [w for w in p if w.ndim == 1]},
            {"order_params": p},
        ],
        0.01,
    ),
}


THREE = ["adam", "groups"]


@pytest.mark.parametrize(("count", "names"), [(2, list(ELEMENTWISE)), (3, THREE)])
def test_the_same_bits_as_with_whole_state(count, names):
    def body(rank):
        return {
            name: [arrays(trained(ELEMENTWISE[name], rank, count, d)[0]) for d in (False, True)]
            for name in names
        }

    found = values(count, body, timeout=600)
    for each in found:
        for name, (whole, parts) in each.items():
            for a, b, c in zip(whole, parts, found[0][name][0], strict=True):
                assert np.isfinite(a).all()
                np.testing.assert_array_equal(a, b, err_msg=name)
                np.testing.assert_array_equal(a, c, err_msg=name)


class OwnStep(nn.Cell):
    """As scripts write it: the optimizer gets whole, reduced gradients, which may be clipped."""

    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer = network, optimizer
        self.grad_reducer = nn.DistributedGradReducer(optimizer.parameters)

    def construct(self, *inputs):
        loss, grads = ms.value_and_grad(self.network, None, self.optimizer.parameters)(*inputs)
        grads = ops.clip_by_global_norm(self.grad_reducer(grads), 0.5)
        self.optimizer(grads)
        return loss


def test_lamb_has_norms_of_whole_parameters_and_own_steps_whole_gradients():
    lamb = lambda p: nn.Lamb(p, 0.02, weight_decay=0.1)
    returns = lambda net, optimizer: nn.TrainOneStepCell(net, optimizer, return_grad=True)

    def body(rank):
        found = [arrays(trained(lamb, rank, 2, divided)[0]) for divided in (False, True)]
        for step_of in (OwnStep, returns):
            for divided in (False, True):
                net, *_ = trained(ELEMENTWISE["adam"], rank, 2, divided, step_of=step_of)
                found.append(arrays(net))
        return found

    first, second = values(2, body, timeout=300)
    for a, b in zip(first, second, strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_array_equal(x, y)
    # Norms add their squares in another order.
    for whole, parts in zip(first[0], first[1], strict=True):
        np.testing.assert_allclose(parts, whole, rtol=2e-6, atol=1e-7)
    for whole, parts in (first[2:4], first[4:6]):
        for x, y in zip(whole, parts, strict=True):
            np.testing.assert_array_equal(x, y)


def state_bytes(optimizer):
    own = {id(p) for p in optimizer.parameters}
    return sum(p.asnumpy().nbytes for p in optimizer.get_parameters() if id(p) not in own)


def test_each_rank_keeps_its_part_of_the_state():
    def body(rank):
        found = []
        for divided in (False, True):
            context(divided)
            net = nn.SequentialCell(nn.Dense(100, 90), nn.Dense(90, 10))
            found.append(state_bytes(nn.Adam(net.trainable_params(), 0.01)))
        return found

    for whole, part in values(4, body):
        # Two moments of each Parameter; scalars, and less than a rank's filling of each, beside.
        assert whole > 2 * 4 * 10_000 and abs(part - whole / 4) <= 2 * 4 * 4 * 3 + 64


def test_checkpoints_have_whole_state_for_any_number_of_ranks(tmp_path):
    adam = ELEMENTWISE["adam"]
    path, other = str(tmp_path / "step.ckpt"), str(tmp_path / "two.ckpt")

    def write(rank):
        _, optimizer, step = trained(adam, rank, 3, True)
        ms.save_checkpoint(step, path)
        whole = trained(adam, rank, 3, False)[2]
        again = [[p.name, p.asnumpy()] for p in whole.get_parameters()]
        return again, [p.name for p in optimizer.get_parameters() if p.part is not None]

    states = values(3, write, timeout=300)
    want, divided = states[0]
    held = ms.load_checkpoint(path)
    assert len(divided) == 12 and set(divided) < set(held)
    for name, array in want:
        np.testing.assert_array_equal(held[name].asnumpy(), array, err_msg=name)

    def read(rank):
        step = trained(adam, rank, 2, True, steps=0)[2]
        assert ms.load_param_into_net(step, ms.load_checkpoint(path)) == ([], [])
        ms.save_checkpoint(step, other)  # one of them writes, and both may read
        return {k: v.asnumpy() for k, v in ms.load_checkpoint(other).items()}

    for found in values(2, read, timeout=300):
        for name, array in want:
            np.testing.assert_array_equal(found[name], array, err_msg=name)


def test_a_checkpoint_of_one_rank_alone_is_an_error_with_words(tmp_path):
    def body(rank):
        _, _, step = trained(ELEMENTWISE["momentum"], rank, 2, True, steps=1)
        if rank == 0:
            ms.save_checkpoint(step, str(tmp_path / "net.ckpt"))
        else:
            step(ms.Tensor(X[0]), ms.Tensor(Y[0]))

    first, _ = on_ranks(2, body)
    assert isinstance(first, RuntimeError)
    assert not list(tmp_path.iterdir())


def test_overflow_on_one_rank_skips_the_step_of_all():
    scaled = lambda net, optimizer: nn.TrainOneStepWithLossScaleCell(
        net, optimizer, nn.DynamicLossScaleUpdateCell(2.0**10, 2, 1000)
    )

    def body(rank):
        net, _, step = trained(ELEMENTWISE["adam"], rank, 2, True, steps=1, step_of=scaled)
        before = arrays(net)
        x = X[0].copy()
        x[0, 0] = np.inf if rank == 1 else 0
        _, overflow, factor = step(ms.Tensor(x), ms.Tensor(Y[0]))
        same = all((a == b).all() for a, b in zip(arrays(net), before, strict=True))
        after = step(ms.Tensor(X[0]), ms.Tensor(Y[0]))[1].item()
        return overflow.item(), factor.item(), same, after, arrays(net)

    first, second = values(2, body, timeout=300)
    for found in (first, second):
        assert found[:4] == (True, 2.0**9, True, False)
    for a, b in zip(first[4], second[4], strict=True):
        np.testing.assert_array_equal(a, b)


def test_what_takes_parameters_as_a_whole_is_refused():
    class Descent(nn.Optimizer):
        def construct(self, gradients):
            return gradients

    def body(rank):
        context(True)
        w = ms.Parameter(ms.Tensor(np.ones((3, 16), np.float32)), name="w")
        with pytest.raises(RuntimeError, match="has a 'construct' of its own"):
            Descent(0.1, [w])
        with pytest.raises(ValueError, match="does not go with 'grad_centralization'"):
            nn.SGD([{"params": [w], "grad_centralization": True}], 0.1)
        c = ms.Parameter(ms.Tensor(np.ones(3, np.complex64)), name="c")
        with pytest.raises(TypeError, match="'c' is of Complex64"):
            nn.SGD([c], 0.1)
        context(False)
        net = Net()
        optimizer = nn.Adam(net.trainable_params(), 0.1)
        context(True)
        with pytest.raises(TypeError, match="'Adam' keeps its whole state on every rank"):
            nn.TrainOneStepCell(net, optimizer)
        return True

    assert values(2, body) == [True, True]
    with pytest.raises(TypeError, match="enable_parallel_optimizer"):
        ms.set_auto_parallel_context(enable_parallel_optimizer=1)


# --- mistakes that the tests above have to see ---------------------------------------------------


def differs(plant, monkeypatch):
    """Whether two ranks with a mistake train otherwise than without parts, or end."""
    plant(monkeypatch)

    def body(rank):
        return [arrays(trained(ELEMENTWISE["adam"], rank, 2, d)[0]) for d in (False, True)]

    for found in on_ranks(2, body, timeout=300):
        if isinstance(found, Exception):
            return True
        if any((a != b).any() for a, b in zip(*found, strict=True)):
            return True
    return False


def of_next_rank(monkeypatch):
    own = _shards.Shards.own

    def shifted(self, tensors):
        parts = own(self, tensors).tensors
        return _shards.Parts([ops.roll(p, 1) if p.shape[0] > 1 else p for p in parts])

    monkeypatch.setattr(_shards.Shards, "own", shifted)


def not_gathered(monkeypatch):
    gathered = lambda parts, shapes, count: tuple(
        ops.tile(p, (count,))[: int(np.prod(s))].reshape(s)
        for p, s in zip(parts, shapes, strict=True)
    )
    monkeypatch.setattr(_shards.rank_parts, "gathered", gathered)


def not_divided(monkeypatch):
    monkeypatch.setattr(_shards.rank_parts, "divided", lambda parts, degree: parts)


@pytest.mark.parametrize("plant", [of_next_rank, not_gathered, not_divided])
def test_planted_mistakes_are_seen(plant, monkeypatch):
    assert differs(plant, monkeypatch)
