"""State is all or nothing: a call that fails, while compiling or while it runs, changes nothing."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops


class Net(nn.Cell):
    """Moving statistics, a counter, random state, and a weight that a loop and a branch write."""

    def __init__(self, shared=None):
        super().__init__()
        self.calls = Parameter(Tensor(0, ms.int32), name="calls", requires_grad=False)
        self.w = Parameter(Tensor(np.arange(4, dtype=np.float32)), name="w")
        self.again = self.w if shared else Parameter(ops.ones((4,)), name="again")
        self.norm = nn.BatchNorm1d(4)
        self.drop = nn.Dropout(p=0.5)

    def construct(self, x, rows):
        self.calls += 1
        y = self.drop(self.norm(x)).sum(0)
        k = 0
        while k < 3:
            self.w = self.w * 2
            k = k + 1
        if self.calls > 0:
            self.again += y
        ops.assign(self.w, self.w + y)
        return (self.w * self.again)[rows].sum()


def values(net):
    return {p.name: p.asnumpy().copy() for p in net.get_parameters()}


WAYS = {
    "call": lambda net, x, rows: net(x, rows),
    "jit": lambda net, x, rows: ms.jit(net)(x, rows),
    "grad": lambda net, x, rows: ms.grad(net)(x, rows),
    "by weights": lambda net, x, rows: ms.value_and_grad(net, None, [net.w])(x, rows),
    "nested": lambda net, x, rows: ms.grad(lambda x: ms.grad(net)(x, rows).sum())(x),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shared", [False, True])
def test_a_failure_at_run_time_changes_nothing(way, shared):
    net = Net(shared).set_train()
    x = Tensor(np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32))
    before = values(net)
    state = ms.get_rng_state().asnumpy().copy()
    with pytest.raises(
        IndexError, match=r"with size 4\.\n  at .*test_state.py:\d+:\d+, in construct"
    ):
        WAYS[way](net, x, Tensor([0, 9]))
    for name, value in values(net).items():
        np.testing.assert_array_equal(value, before[name], err_msg=name)
    np.testing.assert_array_equal(ms.get_rng_state().asnumpy(), state)
    WAYS[way](net, x, Tensor([0, 3]))
    assert int(net.calls.asnumpy()) == 1
    assert not np.array_equal(net.norm.moving_mean.asnumpy(), before["norm.moving_mean"])


def test_a_failure_while_compiling_changes_nothing():
    class Broken(Net):
        def construct(self, x, rows):
            super().construct(x, rows)
            return ops.matmul(x, x)

    net = Broken().set_train()
    before = values(net)
    for _ in range(2):
        with pytest.raises(ValueError, match="matmul"):
            net(ops.ones((5, 4)), Tensor([0]))
    for name, value in values(net).items():
        np.testing.assert_array_equal(value, before[name], err_msg=name)


def test_a_parameter_that_two_cells_share_has_one_value():
    class Half(nn.Cell):
        def __init__(self, p):
            super().__init__()
            self.p = p

        def construct(self, x):
            self.p += x
            return self.p * x

    class Pair(nn.Cell):
        def __init__(self):
            super().__init__()
            shared = Parameter(Tensor(1.0), name="shared")
            self.a, self.b = Half(shared), Half(shared)

        def construct(self, x):
            return self.a(x) * self.b(x)

    net = Pair()
    assert len(net.trainable_params()) == 1
    # a: p = 1 + x, gives p x; b: p = 1 + 2 x, gives p x
    assert float(net(Tensor(2.0))) == (3 * 2) * (5 * 2)
    assert float(net.a.p.asnumpy()) == float(net.b.p.asnumpy()) == 5.0
    net.a.p.set_data(Tensor(1.0))
    # d/dp of (p + x) x (p + 2 x) x at p = 1, x = 2
    (gradient,) = ms.grad(net, None, net.trainable_params())(Tensor(2.0))
    assert float(gradient) == 4 * (3 + 5)
    assert float(net.b.p.asnumpy()) == 5.0


class Pair(nn.Cell):
    """Two Parameters, and what `change` does to them."""

    def __init__(self, change):
        super().__init__()
        self.a = Parameter(Tensor([1.0]), name="a")
        self.b = Parameter(Tensor([2.0]), name="b")
        self.change = change

    def construct(self, x):
        self.change(self)
        return 10 * self.a + self.b + x


def swap(net):
    net.a, net.b = net.b, net.a


def swap_by_a_name(net):
    kept = net.a
    net.a = net.b
    net.b = kept


def swap_values(net):
    net.a, net.b = net.b.value(), net.a.value()


def copy(net):
    net.a = net.b.value()


@pytest.mark.parametrize("change", [swap, swap_by_a_name])
def test_a_parameter_in_place_of_another_is_refused(change):
    """It was a copy, so that a swap made both the same: Python swaps the objects."""
    net = Pair(change)
    with pytest.raises(
        TypeError, match=r"assigned Parameter '\w' itself(?s:.*)hint: assign its value"
    ):
        net(Tensor([0.0]))
    assert (net.a.item(), net.b.item()) == (1.0, 2.0)


@pytest.mark.parametrize("change, left", [(swap_values, (2.0, 1.0)), (copy, (2.0, 2.0))])
def test_values_of_parameters_swap_places(change, left):
    net = Pair(change)
    assert net(Tensor([0.0])).item() == 10 * left[0] + left[1]
    assert (net.a.item(), net.b.item()) == left
