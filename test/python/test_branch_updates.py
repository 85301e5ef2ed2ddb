"""Parameters assigned in branches: compiled code writes them in place, and every read sees what plain
Python would have read.
"""

import importlib.util
import itertools
import random

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


EXPRESSIONS = [
    "{x} * 0.5 + {y}",
    "ops.tanh({x}) * {y}",
    "ops.flip({x}, (1,))",
    "{x} + {y}.sum(0, keepdims=True) * 0.1",
    "ops.matmul({x}, {y}.T) @ {x} * 0.05",
    "{x} + 0",
    "{x}.reshape(-1).reshape(3, 5)",
    "ops.concat(({x}[1:], {y}[:1]))",
]
CONDITIONS = ["c", "d", "s.a.sum() > 0", "s.b[0, 0] > s.a[0, 1]"]


def program(draw):
    """A function of assignments, values that are kept, and nested branches."""
    lines, count = [], itertools.count()

    def value(known):
        x, y = draw.choice(known), draw.choice(known)
        return draw.choice(EXPRESSIONS).format(x=x, y=y)

    def block(depth, pad, known):
        for _ in range(draw.randint(1, 3)):
            kind = draw.random()
            if kind < 0.2:
                lines.append(f"{pad}t{next(count)} = {value(known)}")
                known = [*known, lines[-1].split()[0]]
            elif kind < 0.6 or depth == 0:
                lines.append(f"{pad}ops.assign(s.{draw.choice('ab')}, {value(known)})")
            else:
                lines.append(f"{pad}if {draw.choice(CONDITIONS)}:")
                block(depth - 1, pad + "    ", known)
                if draw.random() < 0.5:
                    lines.append(f"{pad}else:")
                    block(depth - 1, pad + "    ", known)
        return known

    known = ["s.a", "s.b"]
    for _ in range(draw.randint(2, 4)):
        known = block(2, "    ", known)
    body = "\n".join(lines)
    result = " + ".join(draw.sample(known, 2))
    return f"from cellgrad import ops\n\ndef f(s, c, d):\n{body}\n    return {result}\n"


@pytest.mark.parametrize("seed", range(24))
def test_random_programs(seed, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(program(random.Random(seed)))
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    test_compiled_code_is_plain_python(module.f)
