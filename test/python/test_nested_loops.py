"""Loops in loops with branches: they compile, and their values and derivatives are right.

What a loop carries is swapped, changed in part and handed on unchanged; derivatives are compared with
central differences of the same function run by Python in float64.
"""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops

X = np.array([0.3, -0.7, 0.8, 0.4])


def inner_branch(x):
    s = x
    for _i in range(3):
        t = s * 0.5
        for _j in range(2):
            if ops.sum(t) > 0.1:
                t = t * s + x
            else:
                t = ops.sin(t)
        s = s + t * 0.25
    return ops.sum(s * s)


def while_in_while(x):
    s, t, n = x, x, Tensor(0)
    while n < 3:
        t, m = s, Tensor(0)
        while m < n + 1:
            if t[0] > 0.0:
                t = t * 0.9 + s * s * 0.1
            m = m + 1
        s, n = t + x * 0.1, n + 1
    return ops.sum(s * t * x)


def swapped(x):
    a, b, n = x, x * x, Tensor(0)
    while n < 4:
        a, b = b, a
        k = Tensor(0)
        while k < 2:
            if ops.sum(a) > ops.sum(b):
                a, b = b * 0.5 + a, a
            else:
                b = b * a
            k = k + 1
        n = n + 1
    return ops.sum(a - b * b)


def part_by_part(x):
    s, n = x, Tensor(0)
    while n < 4:
        old = s[n]
        if old > 0.2:
            s[n] = old * old + s[0]
        k = Tensor(0)
        while k < n:
            s[k] = s[k] * 0.5 + s[n]
            k = k + 1
        n = n + 1
    return ops.sum(s * x)


def first_of_each(x):
    rows, n = ops.zeros((3, 4), ms.float64), Tensor(0)
    while n < 3:
        row, k = x * (n + 1), Tensor(0)
        while k < 4:
            if row[k] < 0:
                row[k] = row[k] * row[k]
            else:
                rows[n, k] = row[k] * 2
            k = k + 1
        rows[n] = rows[n] + row
        n = n + 1
    return ops.sum(rows * rows)


def loop_in_branch(x):
    s, n = x, Tensor(0)
    while n < 3:
        if ops.sum(s) > 0:
            k = Tensor(0)
            while k < 2:
                s = s * x + 0.1
                k = k + 1
        else:
            s = -s
        n = n + 1
    return ops.sum(ops.exp(s))


def old_and_new(x):
    """What was carried is read after its successor is made."""
    s, keep, n = x, x, Tensor(0)
    while n < 3:
        new, k = s, Tensor(0)
        while k < 2:
            if keep[1] < 0:
                new = new * 0.5 + s * keep
            k = k + 1
        keep, s = s * new, new + keep
        n = n + 1
    return ops.sum(s * keep)


PROGRAMS = [
    inner_branch,
    while_in_while,
    swapped,
    part_by_part,
    first_of_each,
    loop_in_branch,
    old_and_new,
]


def differences(function, x):
    """Central differences of a function of an array, one row for each element of `x`."""
    step = 1e-6
    sides = [[function(x + sign * step * e) for sign in (1, -1)] for e in np.eye(len(x))]
    return np.array([(above - below) / (2 * step) for above, below in sides])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_value_and_derivatives(program):
    """The value beside Python, where every op runs on its own; derivatives beside differences."""
    value, slope = ms.value_and_grad(program)(Tensor(X))
    assert value.asnumpy() == pytest.approx(program(Tensor(X)).asnumpy(), rel=1e-12)
    wanted = differences(lambda x: program(Tensor(x)).asnumpy(), X)
    np.testing.assert_allclose(slope.asnumpy(), wanted, rtol=1e-6, atol=1e-7)
    wanted = differences(lambda x: ms.grad(program)(Tensor(x)).asnumpy(), X)
    for mixed in (ms.jacfwd(ms.grad(program)), ms.jacrev(ms.grad(program))):
        np.testing.assert_allclose(mixed(Tensor(X)).asnumpy(), wanted, rtol=1e-6, atol=1e-6)
