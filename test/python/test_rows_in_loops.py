"""Loops that read and write a row each trip, and sums of gradients that go through them, against differences."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops

ROWS, WIDTH = 7, 19  # no whole vectors


def loop(body, *state):
    return ops.ForiLoop()(0, ROWS, body, state if len(state) > 1 else state[0])


def recurrence(x, w):
    """Reads rows of an argument."""
    return loop(lambda i, h: ops.tanh(h * w + x[i]), w)


def kept(x, w):
    """The row is needed after another one took its place."""

    def body(i, state):
        y, h = state
        old = y[i]
        y[i] = ops.sin(old + h)
        return y, ops.tanh(h * old + y[i] * w)

    y, h = loop(body, x * 1.0, w)
    return (y * y).sum(0) + h


def added(x, w):
    """A row is read and added to, in two arrays."""

    def body(i, state):
        a, b = state
        a[i] = a[i] + b[i] * w
        b[i] = ops.tanh(a[i]) * b[i]
        return a, b

    a, b = loop(body, x * 1.0, ops.cos(x))
    return (a * b).sum(0)


def around(x, w):
    """The gradient by x has parts of before the loop, of the loop and of after it."""
    before = ops.sin(x).sum(0)
    h = loop(lambda i, h: ops.tanh(h + x[i] * w), before)
    return h + (x * x).sum(0) + x[3] * h


def nested(x, w):
    def outer(i, h):
        return loop(lambda j, g: ops.tanh(g + x[i] * x[j] * w), h)

    return loop(outer, w) + x[0]


def twice(x, w):
    """Two loops, one after the other, add to the same gradient."""
    h = loop(lambda i, h: ops.tanh(h * w + x[i]), w)
    return loop(lambda i, h: ops.sin(h + x[i] * w), h)


def decayed(x, w):
    """The slope by what is carried starts at zero, and is multiplied: it is no sum."""
    z = ops.sin(x[0] * w)
    h, _ = loop(lambda i, s: (s[0] + ops.sin(s[1]) * x[i], s[1] * 0.7), w, z)
    return h + z * z * w


PROGRAMS = [recurrence, kept, added, around, nested, twice, decayed]


@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_of_rows(program):
    rng = np.random.default_rng(2)
    x, w, c = rng.normal(size=(ROWS, WIDTH)), rng.normal(size=WIDTH), rng.normal(size=WIDTH)
    weights = Tensor(c)

    def loss(x, w):
        return (program(x, w) * weights).sum()

    value, (by_x, by_w) = ms.value_and_grad(loss, (0, 1))(Tensor(x), Tensor(w))
    run = ms.jit(loss)
    assert run(Tensor(x), Tensor(w)).asnumpy() == pytest.approx(value.asnumpy(), rel=1e-12)
    for k, slope in enumerate((by_x, by_w)):
        given = [x, w]
        for at in zip(*(rng.integers(0, n, 6) for n in given[k].shape), strict=True):
            moved = []
            for step in (1e-5, -1e-5):
                array = given[k].copy()
                array[at] += step
                moved.append(float(run(*map(Tensor, [*given[:k], array, *given[k + 1 :]]))))
            difference = (moved[0] - moved[1]) / 2e-5
            assert slope.asnumpy()[at] == pytest.approx(difference, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("program", PROGRAMS)
def test_values_of_rows(program):
    """The loops of numpy, which has no loops of ours."""
    rng = np.random.default_rng(3)
    x, w = rng.normal(size=(ROWS, WIDTH)), rng.normal(size=WIDTH)
    want = {
        recurrence: recurrence_numpy, kept: kept_numpy, added: added_numpy,
        around: around_numpy, nested: nested_numpy, twice: twice_numpy,
        decayed: decayed_numpy,
    }[program](x.copy(), w.copy())  # fmt: skip
    np.testing.assert_allclose(
        ms.jit(program)(Tensor(x), Tensor(w)).asnumpy(), want, rtol=1e-11, atol=1e-13
    )


def recurrence_numpy(x, w):
    h = w
    for row in x:
        h = np.tanh(h * w + row)
    return h


def kept_numpy(y, w):
    h = w
    for i in range(ROWS):
        old = y[i].copy()
        y[i] = np.sin(old + h)
        h = np.tanh(h * old + y[i] * w)
    return (y * y).sum(0) + h


def added_numpy(a, w):
    b = np.cos(a)
    for i in range(ROWS):
        a[i] += b[i] * w
        b[i] *= np.tanh(a[i])
    return (a * b).sum(0)


def around_numpy(x, w):
    h = np.sin(x).sum(0)
    for row in x:
        h = np.tanh(h + row * w)
    return h + (x * x).sum(0) + x[3] * h


def nested_numpy(x, w):
    h = w
    for a in x:
        for b in x:
            h = np.tanh(h + a * b * w)
    return h + x[0]


def twice_numpy(x, w):
    h = recurrence_numpy(x, w)
    for row in x:
        h = np.sin(h + row * w)
    return h


def decayed_numpy(x, w):
    h, z = w, np.sin(x[0] * w)
    first = z
    for row in x:
        h, z = h + np.sin(z) * row, z * 0.7
    return h + first * first * w
