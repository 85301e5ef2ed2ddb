"""Conditions of loops that change something: once each time they are evaluated, as in Python.

Oracle of values: the same function run by Python on numbers.
"""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn


def tensor(value):
    return Tensor(np.asarray(value, np.float64))


def condition_that_assigns(x):
    steps = 0
    while (x := x - 1) > 0:
        if x == 1.5:
            continue
        if x > 9:
            break
        steps = steps + x
    return steps * 10 + x


def condition_that_counts(x):
    count = 0

    def more():
        nonlocal count
        count = count + 1
        return count * 1.5 < x

    total = 0.0
    while more():
        total = total + x
    else:
        total = total + 0.5
    return total * 100 + count


@pytest.mark.parametrize("function", [condition_that_assigns, condition_that_counts])
@pytest.mark.parametrize("x", [-4.0, 0.25, 1.0, 2.5, 4.0, 6.0, 12.0])
def test_same_as_python(function, x):
    got = ms.jit(function)(tensor(x))
    np.testing.assert_allclose(got.asnumpy(), function(x), rtol=1e-14)


class Budget(nn.Cell):
    """Its condition is a method that writes a Parameter and prints."""

    def __init__(self):
        super().__init__()
        self.left = Parameter(Tensor(4, ms.int32), name="left", requires_grad=False)

    def more(self, x):
        self.left -= 1
        print("left", self.left)
        return self.left > 0 and x < 100

    def construct(self, x):
        while self.more(x):
            x = x * x
        return x


def test_a_condition_with_effects_has_them_once_each_time(capsys):
    net = Budget()
    assert float(net(tensor(2.0))) == 256.0
    assert int(net.left.asnumpy()) == 0
    assert capsys.readouterr().out == "left 3\nleft 2\nleft 1\nleft 0\n"
    net.left.set_data(Tensor(10, ms.int32))
    assert float(ms.grad(net)(tensor(2.0))) == 8 * 2.0**7
    assert int(net.left.asnumpy()) == 6


def triangular(x, n):
    total = x * 0
    for i in range(n):
        for j in range(i):
            total = total + x * j
    return total


def test_loops_in_loops_mapped_differentiated_and_computed_again():
    xs, n = tensor([1.0, 2.0, 3.0]), Tensor(4)
    np.testing.assert_array_equal(ms.vmap(triangular, (0, None))(xs, n).asnumpy(), [4, 8, 12])
    np.testing.assert_array_equal(
        ms.vmap(ms.grad(triangular), (0, None))(xs, n).asnumpy(), [4, 4, 4]
    )
    again = ms.grad(lambda x, n: ms.recompute(triangular, x * x, n))
    assert float(again(tensor(3.0), n)) == 4 * 2 * 3.0
    got = ms.vmap(condition_that_assigns)(tensor([2.5, 6.0, 12.0]))
    expected = [condition_that_assigns(x) for x in (2.5, 6.0, 12.0)]
    np.testing.assert_allclose(got.asnumpy(), expected, rtol=1e-14)
