"""`Tensor.data` and `Parameter.data`: the tensor without its derivative, as in both of MindSpore's modes."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops

X = [3.0, 4.0]


def times_itself(x):
    return (x.data * x).sum()


def of_a_square(x):
    return ((x * x).data * x).sum()


def in_a_for_loop(x):
    y = x
    for _ in range(3):
        y = y * x.data
    return y.sum()


def in_a_while_loop(x):
    y, i = x, x.sum() * 0
    while i < 2:
        y, i = y * y.data, i + 1
    return y.sum()


def in_a_branch(x):
    y = x * 1
    if x.sum() > 0:
        y = y * y.data
    return y.sum()


def of_one_element(x):
    return (x * x[0].data).sum()


@pytest.mark.parametrize(
    "function, slope",
    [
        (times_itself, [3, 4]),
        (of_a_square, [9, 16]),
        (in_a_for_loop, [27, 64]),
        (in_a_while_loop, [27, 64]),
        (in_a_branch, [3, 4]),
        (of_one_element, [3, 3]),
    ],
)
def test_has_no_derivative(mode, function, slope):
    for f in (function, ms.jit(function)):
        np.testing.assert_array_equal(ms.grad(f)(Tensor(X)).asnumpy(), slope)
    _, tangent = ms.jvp(function, Tensor(X), Tensor([1.0, 0.0]))
    assert tangent == slope[0]


def test_second_derivatives(mode):
    for f in (times_itself, ms.jit(times_itself)):
        np.testing.assert_array_equal(ms.grad(ms.grad(f))(Tensor(X)).asnumpy(), [0, 0])


def test_mapped(mode):
    slopes = ms.vmap(ms.grad(times_itself))(Tensor([X, [1.0, 2.0]]))
    np.testing.assert_array_equal(slopes.asnumpy(), [X, [1, 2]])


class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0]), name="w")


class Read(Scaled):
    def construct(self, x):
        return self.w.data * x * self.w


class Added(Scaled):
    def construct(self, x):
        self.w.data.add_(x)
        return self.w * x


class Assigned(Scaled):
    def construct(self, x):
        ops.assign(self.w.data, x * 2)
        return self.w * x


class Element(Scaled):
    def construct(self, x):
        self.w.data[0] = 7.0
        return self.w * x


@pytest.mark.parametrize(
    "cell, by_x, by_w, left",
    [
        (Read, [1, 4], [3, 8], [1, 2]),
        (Added, [4, 6], X, [4, 6]),
        (Assigned, [6, 8], X, [6, 8]),
        (Element, [7, 2], X, [7, 2]),
    ],
)
def test_of_parameters(mode, cell, by_x, by_w, left):
    net = cell()
    slope, (weight,) = ms.grad(net, 0, net.trainable_params())(Tensor(X))
    np.testing.assert_array_equal(slope.asnumpy(), by_x)
    np.testing.assert_array_equal(weight.asnumpy(), by_w)
    np.testing.assert_array_equal(net.w.asnumpy(), left)
    net = cell()
    net(Tensor(X))
    np.testing.assert_array_equal(net.w.asnumpy(), left)


def element_written(x):
    y = x * 2
    y.data[0] = 5.0
    return (y * x).sum()


def written_and_read(x):
    y = x * 2
    d = y.data
    d[1] = x[0]
    return (y * d * x).sum()


@pytest.mark.parametrize(
    "function, value, slope",
    [
        (element_written, 15 + 32, [5, 16]),
        # Of x = [a, b]: y = [2a, a] and d = [6, a], so that it is 2a 6 a + a a b.
        (written_and_read, 108 + 36, [72 + 24, 9]),
    ],
)
def test_writes_reach_the_tensor(mode, function, value, slope):
    for f in (function, ms.jit(function)):
        assert f(Tensor(X)) == value
        np.testing.assert_array_equal(ms.grad(f)(Tensor(X)).asnumpy(), slope)


def test_outside_of_compiled_code_it_is_the_tensor():
    x = Tensor(X)
    x.data[0] = 5.0
    x.data.add_(1)
    np.testing.assert_array_equal(x.asnumpy(), [6, 5])
    w = Parameter(x, name="w")
    w.data[1] = 9.0
    w.data = w.data * 2
    np.testing.assert_array_equal(w.asnumpy(), [12, 18])
