"""The function that `ms.vjp` gives: what the forward call does to state and prints happens once."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops


class Counted(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(2.0), name="w")
        self.calls = Parameter(Tensor(0.0), name="calls", requires_grad=False)

    def construct(self, x):
        self.calls = self.calls + 1.0
        return x * self.w * self.calls


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def mode(request):
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)


def test_a_counter_moves_once(mode):
    net = Counted()
    out, pull = ms.vjp(net, Tensor(3.0), weights=net.w)
    for _ in range(3):
        (gx,), gw = pull(Tensor(1.0))
        assert [float(out), float(gx), float(gw), float(net.calls)] == [6, 2, 3, 1]
    out, pull = ms.vjp(net, Tensor(3.0))
    assert [float(out), float(pull(Tensor(1.0))[0]), float(net.calls)] == [12, 4, 2]


def test_weights_are_read_when_the_gradient_is_taken(mode):
    """As in both modes of MindSpore 2.10."""
    net = Counted()
    _, pull = ms.vjp(net, Tensor(3.0), weights=net.w)
    net.w.set_data(Tensor(100.0))
    (gx,), gw = pull(Tensor(1.0))
    assert [float(gx), float(gw)] == [100, 3]


def test_running_statistics_move_once(mode):
    net = nn.BatchNorm1d(2)
    net.set_train()
    x = Tensor(np.float32([[1, 2], [3, 6]]))
    out, pull = ms.vjp(net, x)
    once = net.moving_mean.asnumpy().copy()
    np.testing.assert_allclose(once, [0.2, 0.4], rtol=1e-6)
    for _ in range(2):
        pull(ops.ones_like(out))
        np.testing.assert_array_equal(net.moving_mean.asnumpy(), once)


def test_random_numbers_are_those_of_the_forward_call(mode):
    x = ops.ones(64)
    out, pull = ms.vjp(nn.Dropout(p=0.5).set_train(), x)
    assert 0 < int((out == 0).sum()) < 64
    for _ in range(2):
        np.testing.assert_array_equal(pull(ops.ones(64))[0].asnumpy(), out.asnumpy())


def test_prints_once(mode, capsys):
    def f(x):
        print("forward", x)
        return x * x

    _, pull = ms.vjp(f, Tensor(3.0))
    assert float(pull(Tensor(1.0))[0]) == float(pull(Tensor(1.0))[0]) == 6
    assert capsys.readouterr().out == "forward 3.0\n"


def test_in_compiled_code():
    net = Counted()

    @ms.jit
    def f(x, flag):
        out, pull = ms.vjp(net, x)
        net.calls += 10.0
        (first,) = pull(Tensor(1.0))
        second = first
        if flag > 0:
            (second,) = pull(Tensor(10.0))
            net.w += net.calls
        return out, first, second, pull(Tensor(1.0))[0]

    assert [float(v) for v in f(Tensor(3.0), Tensor(1.0))] == [6, 2, 20, 13]
    assert [float(net.calls), float(net.w)] == [11, 13]
    assert [float(v) for v in f(Tensor(3.0), Tensor(0.0))] == [468, 156, 156, 156]
    assert [float(net.calls), float(net.w)] == [22, 13]


def test_inside_a_gradient():
    net = Counted()

    def f(x):
        out, pull = ms.vjp(net, x)
        return out * pull(x)[0]

    # (3·2·1) · (3·2·1), and calls is a leaf: 8x
    assert float(ms.grad(f)(Tensor(3.0))) == 24
    assert float(net.calls) == 1
