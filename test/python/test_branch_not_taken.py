"""No NaN comes from the branch not taken: at every order, in every sequence of modes, under vmap.

Every function here is its argument wherever its condition does not hold, so that its derivatives there
are 1, and then 0. At a pole of the other branch that is so, too.
"""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops

# A function with an infinite or NaN value or slope at a point, and where it is taken instead.
SINGULAR = {
    "sqrt": (ops.sqrt, 0.0, lambda x: x > 0),
    "xlogx": (lambda x: x * ops.log(x), 0.0, lambda x: x > 0),
    "hypot": (lambda x: ops.hypot(x, 2 * x), 0.0, lambda x: x != 0),
    "atan2": (lambda x: ops.atan2(x, x), 0.0, lambda x: x != 0),
    "digamma": (ops.digamma, 0.0, lambda x: x > 0),
    "polygamma": (lambda x: ops.polygamma(Tensor(1), x), -1.0, lambda x: x > 0),
    "overflow": (lambda x: ops.exp(x) - ops.exp(2 * x), 1000.0, lambda x: x < 100),
}


def programs(g, taken):
    """Where g is used: before the choice, behind it, in loops, branches and calls."""

    def chosen(x, y):
        return ops.where(taken(x), y, x)

    def branch_after(x):
        y = g(x) * x
        if taken(x):
            z = y * 2
        else:
            z = x + 0
        return z

    def branch_inside(x):
        def f(x):
            if x < 1e9:
                z = g(x)
            else:
                z = x + 0
            return z

        return chosen(x, f(x))

    def loop_without_trips(x):
        y = g(x)
        for _ in range(taken(x).astype(ms.int32)):
            x = x * y
        return x

    def loop_before(x):
        y = g(x)
        return chosen(x, loop(0, 2, lambda i, a: a + y, x))

    def choice_in_a_loop_after(x):
        y = g(x)
        return loop(0, 2, lambda i, a: ops.where(taken(x), a * y, a), x)

    loop = ops.ForiLoop()
    rule = ms.custom_rule(lambda v: g(v), jvp=lambda v, t: ms.jvp(g, v, t))
    return [
        lambda x: chosen(x, g(x)),
        lambda x: chosen(x, g(x) * x),
        lambda x: chosen(x, ops.sin(g(x)) * g(x)),
        lambda x: chosen(x, ops.where(x > 1e9, x, g(x)) * x),
        lambda x: loop(0, 2, lambda i, a: chosen(x, g(a) * a), x),
        lambda x: chosen(x, loop(0, 2, lambda i, a: g(a) * a, x)),
        lambda x: chosen(x, ms.recompute(lambda v: g(v) * v, x)),
        lambda x: chosen(x, rule(x)),
        loop_before,
        choice_in_a_loop_after,
        branch_after,
        branch_inside,
        loop_without_trips,
    ]


def derive(f, modes):
    """The derivative of a function of a number, the first mode taken last."""
    for mode in reversed(modes):
        f = ms.grad(f) if mode == "r" else lambda x, f=f: ms.jvp(f, x, ops.ones_like(x))[1]
    return f


def failing(name, modes, batch):
    """Numbers of the programs whose derivative is not what it has to be."""
    g, at, taken = SINGULAR[name]
    found = []
    for number, f in enumerate(programs(g, taken)):
        derivative = derive(f, modes)
        x = np.array([at, 0.75] if batch else at)
        value = (ms.vmap(derivative) if batch else derivative)(Tensor(x)).asnumpy()
        if value.ravel()[0] != (len(modes) == 1):
            found.append(number)
    return found


@pytest.mark.parametrize("modes", ["r", "rr", "fr", "rf", "ffr", "rrr"])
@pytest.mark.parametrize("name", SINGULAR)
def test_derivatives_where_the_branch_is_not_taken(name, modes):
    """All programs at once; which of them fails is found afterwards."""
    g, at, taken = SINGULAR[name]
    listed = programs(g, taken)
    total = derive(lambda x: sum((f(x) for f in listed), ops.zeros_like(x)), modes)
    wanted = len(listed) if len(modes) == 1 else 0
    if float(total(Tensor(np.array(at)))) != wanted:
        assert failing(name, modes, batch=False) == []


@pytest.mark.parametrize("modes", ["r", "fr"])
def test_in_a_batch(modes):
    assert failing("sqrt", modes, batch=True) == []


def test_where_the_branch_is_taken_an_infinite_slope_shows():
    f = lambda x: ops.where(x >= 0, ops.sqrt(x), x)
    assert float(ms.grad(f)(Tensor(0.0))) == np.inf


def test_choices_are_looked_for_once_in_nested_branches():
    """Forty levels: the time of a search at every level inside of every level doubles with each."""

    def deep(x, depth):
        if depth == 0:
            y = x
        elif x < 2.0:
            y = deep(ops.sin(x), depth - 1)
        else:
            y = x
        return y

    value, slope = 1.0, 1.0
    for _ in range(40):
        value, slope = np.sin(value), slope * np.cos(value)
    got = ms.grad(lambda x: deep(x, 40))(Tensor(1.0, ms.float64))
    np.testing.assert_allclose(got.asnumpy(), slope, rtol=1e-13)
