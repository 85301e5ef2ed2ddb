"""Branches of which one gives a part of a tensor and the other a constant, an argument or another part.

Each is called on both sides of its condition; the oracle is numpy.
"""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops

F64 = ms.float64
X = np.array([0.7, 0.2, 0.3])


def element_or_constant(x):
    if ops.sum(x) > 0:
        y = (ops.exp(x) * ops.sum(x))[0]
    else:
        y = Tensor(0.5, F64)
    return y


def element_or_number(x):
    if ops.sum(x) > 0:
        y = x[0]
    else:
        y = 0.5
    return y


def part_or_argument(x):
    if ops.sum(x) > 0:
        y = ops.cumsum(ops.concat((x, x)), 0)[1:4]
    else:
        y = x
    return y


def part_or_part(x):
    if ops.sum(x) > 0:
        y = ops.cumsum(x, 0)[1:3]
    else:
        y = x[0:2]
    return y


def part_written_over(x):
    """The part is the last use of the whole: it is changed where it is."""
    y = (x * x)[1:]
    if ops.sum(x) > 0:
        y[0] = 5.0
    else:
        y = ops.zeros(2, F64)
    return y


def nested(x):
    if ops.sum(x) > 0:
        if ops.sum(x) > 2:
            y = ops.ones((), F64)
        else:
            y = ops.cumsum(x, 0)[1]
    else:
        y = x[1]
    return y


def in_a_loop(x):
    s = ops.zeros((), F64)
    for _ in range(Tensor(3)):
        if s > 0.75:
            y = ops.cumsum(x, 0)[1]
        else:
            y = ops.ones((), F64)
        s = s + y
    return s


CASES = {
    element_or_constant: (np.exp(X)[0] * X.sum(), 0.5),
    element_or_number: (X[0], 0.5),
    part_or_argument: (np.cumsum([*X, *X])[1:4], -X),
    part_or_part: (np.cumsum(X)[1:3], -X[:2]),
    part_written_over: ([5.0, X[2] ** 2], [0.0, 0.0]),
    nested: (np.cumsum(X)[1], -X[1]),
    in_a_loop: (1 + 2 * np.cumsum(X)[1], 2 - np.cumsum(X)[1]),
}


@pytest.mark.parametrize("f", CASES)
def test_results(f):
    g = ms.jit(f)
    above, below = CASES[f]
    np.testing.assert_allclose(g(Tensor(X)).asnumpy(), above, rtol=1e-15)
    np.testing.assert_allclose(g(Tensor(-X)).asnumpy(), below, rtol=1e-15)


def test_second_tangent_of_a_branch():
    """The branch taken is x0 |x|², whose second derivative along ones is 4 sum(x) + 2 x0 n."""

    def f(x):
        if ops.sum(x) > 0:
            y = (x * ops.sum(x * x))[0]
        else:
            y = x[0] * 0
        return y

    along_ones = lambda f: lambda x: ms.jvp(f, x, ops.ones_like(x))[1]
    second = ms.jit(along_ones(along_ones(f)))
    assert float(second(Tensor(X))) == pytest.approx(4 * X.sum() + 6 * X[0], rel=1e-15)
    assert float(second(Tensor(-X))) == 0


def in_the_true_branch(x):
    if x > 0:
        y = x
    return y


def in_the_false_branch(x):
    if x > 0:
        x = x + 1
    else:
        y = x
    return y


def in_a_loop(x):
    while x > 0:
        y = x
        x = x - 1
    return y


@pytest.mark.parametrize(
    "function, words",
    [
        (in_the_true_branch, "is not defined in false branch, but defined in true branch."),
        (in_the_false_branch, "is not defined in true branch, but defined in false branch."),
        (in_a_loop, "defined in the 'while' loop body cannot be used outside of the loop body."),
    ],
)
def test_a_name_without_a_value_is_said_as_in_mindspore(function, words):
    with pytest.raises(UnboundLocalError, match=f"The local variable 'y' {words}"):
        ms.jit(function)(ms.Tensor(1.0))
