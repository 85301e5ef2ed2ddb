"""Parameters assigned in branches: compiled code writes them in place, and every read sees what plain
Python would have read.
"""

import itertools

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, ops

SHAPE = (3, 5)


class State:
    def __init__(self):
        random = np.random.default_rng(0)
        self.a, self.b = (
            Parameter(Tensor(random.standard_normal(SHAPE), ms.float32), name=n) for n in "ab"
        )

    def values(self):
        return [p.asnumpy().copy() for p in (self.a, self.b)]


def one_way(s, c, d):
    if c:
        ops.assign(s.a, s.a * 2 + s.b)
    return s.a.sum()


def both_ways(s, c, d):
    if c:
        ops.assign(s.a, s.a * 2)
    else:
        ops.assign(s.a, s.a - 1)
    return s.a + s.b


def swap(s, c, d):
    if c:
        a, b = s.a + 0, s.b + 0
        ops.assign(s.a, b)
        ops.assign(s.b, a)
    return s.a - s.b


def rotate(s, c, d):
    if c:
        a = s.a + 0
        ops.assign(s.a, s.b)
        ops.assign(s.b, a * 3)
    return s.a[0]


def old_value_afterwards(s, c, d):
    old = s.a + 0
    if c:
        ops.assign(s.a, s.a * 2)
    return old * s.a


def old_view_afterwards(s, c, d):
    old = s.a.reshape(-1)
    if c:
        ops.assign(s.a, s.a * 2)
    return old + 1


def nested(s, c, d):
    if c:
        ops.assign(s.a, s.a + s.b)
        if d:
            ops.assign(s.b, s.a * s.b)
            ops.assign(s.a, s.a - 1)
    return s.b.max()


def in_turn(s, c, d):
    if c:
        ops.assign(s.a, s.a + 1)
    if d:
        ops.assign(s.a, s.a * 3)
    ops.assign(s.b, s.b + s.a)
    return s.a.mean() + s.b.mean()


def crossed(s, c, d):
    if c:
        ops.assign(s.a, s.b * 2)
    if d:
        ops.assign(s.b, s.a + 1)
    return s.a @ s.b.T


def gives_and_assigns(s, c, d):
    x = s.b * 2
    if c:
        ops.assign(s.a, s.a.sum(0, keepdims=True) + x)
        x = s.a * s.b
    return x


def slices(s, c, d):
    if c:
        ops.assign(s.a, ops.concat((s.a[1:], s.b[:1])))
        ops.assign(s.b, ops.flip(s.b, (1,)))
    return s.a


def in_a_loop(s, c, d):
    for i in range(3):
        if c and s.a.sum() > i - 2:
            ops.assign(s.a, s.a * 0.5 - s.b)
        if d:
            ops.assign(s.b, s.b + s.a)
    return s.a.sum()


CASES = [
    one_way,
    both_ways,
    swap,
    rotate,
    old_value_afterwards,
    old_view_afterwards,
    nested,
    in_turn,
]
CASES += [crossed, gives_and_assigns, slices, in_a_loop]


@pytest.mark.parametrize("case", CASES, ids=lambda f: f.__name__)
def test_compiled_code_is_plain_python(case):
    plain, compiled = State(), State()
    run = ms.jit(lambda c, d: case(compiled, c, d))
    for c, d in itertools.product((True, False), repeat=2):
        wanted = case(plain, c, d)
        got = run(Tensor(c), Tensor(d))
        np.testing.assert_allclose(got.asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-5)
        for x, y in zip(compiled.values(), plain.values()):
            np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-5)


def test_prints_keep_their_order(capfd):
    s = State()
    ops.assign(s.a, ops.ones_like(s.a))

    @ms.jit
    def f(c):
        print("before", s.a[0, 0])
        old = s.a[0, 0] + 0
        if c:
            ops.assign(s.a, s.a * 2)
        print("after", s.a[0, 0], old)

    f(Tensor(True))
    f(Tensor(False))
    out = capfd.readouterr().out
    assert " ".join(out.split()) == "before 1.0 after 2.0 1.0 before 2.0 after 2.0 2.0"
