"""Nested inputs and results: dataclasses, numbers among them, dicts in another order; and tensors of
compiled code that would leave it inside something else.
"""

import collections
import dataclasses
import functools
import heapq

import numpy as np
import pytest
from evaluations import Evaluations

import cellgrad as ms
from cellgrad import Tensor, nn, ops

X, Y = Tensor(2.0), Tensor(3.0)


def number(value):
    return value.asnumpy().item()


@dataclasses.dataclass
class State:
    position: Tensor
    speed: Tensor
    label: str = "ball"

    def energy(self):
        return self.speed * self.speed / 2 + self.position


@dataclasses.dataclass(frozen=True)
class Frozen:
    __slots__ = ("inner", "value")
    value: Tensor
    inner: list


def moved(s, dt=1.0):
    return State(s.position + s.speed * dt, s.speed, s.label + "!")


def test_dataclasses_go_in_and_out():
    traced = Evaluations()

    @ms.jit
    def f(s):
        traced()
        return moved(s), Frozen(s.energy(), [s.speed])

    for position in (2.0, 5.0):
        new, frozen = f(State(Tensor(position), Y))
        assert (number(new.position), number(new.speed), new.label) == (position + 3, 3, "ball!")
        assert number(frozen.value) == 4.5 + position and number(frozen.inner[0]) == 3
    assert traced.count == 1
    assert f(State(X, Y, "box"))[0].label == "box!" and traced.count == 2


def test_derivatives_by_dataclasses():
    g = ms.grad(State.energy)(State(X, Y))
    assert (type(g), number(g.position), number(g.speed), g.label) == (State, 1, 3, "ball")
    out, tangent = ms.jvp(moved, State(X, Y), State(Tensor(1.0), Tensor(10.0)))
    assert number(out.position) == 5 and number(tangent.position) == 11
    batch = ms.vmap(moved)(State(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
    assert batch.position.asnumpy().tolist() == [4, 6]


def test_the_callers_object_is_changed():
    @ms.jit
    def f(s):
        s.speed = s.speed * 2
        return s

    before = State(X, Y)
    assert f(before) is before and number(before.speed) == 6


def test_a_dataclass_is_carried_by_branches_and_loops():
    @ms.jit
    def f(s, n):
        for _ in range(n):
            s = State(s.position + s.speed, s.speed, s.label)
        return moved(s, 0.0) if s.position > 100 else s

    with pytest.raises(TypeError, match=r"label|ball"):
        f(State(X, Y), Tensor(3))
    g = ms.jit(lambda s, n: ops.ForiLoop()(0, n, lambda i, v: State(v.position * 2, v.speed), s))
    assert number(g(State(X, Y), Tensor(3)).position) == 16


def test_numbers_among_differentiated_inputs():
    f = lambda d: d["a"] * d["b"][0]
    for transform in (ms.grad, ms.value_and_grad, ms.jacrev, ms.jacfwd, ms.hessian):
        with pytest.raises(TypeError, match=r"holds the number 3.0 \(float\) at \['b'\]\[0\]"):
            transform(f)({"a": X, "b": [3.0]})
    with pytest.raises(TypeError, match=r"at \['b'\]\[0\]"):
        ms.vjp(f, {"a": X, "b": [3.0]})[1](Tensor(1.0))
    with pytest.raises(TypeError, match=r"numpy|float32"):
        ms.grad(f)({"a": X, "b": [np.float32(3)]})
    g = ms.grad(f)({"a": X, "b": [Y, 3, True, None, "text"]})  # integers have zero gradients
    assert number(g["a"]) == 3 and g["b"][1:] == [0, False, None, "text"]


def test_tangents_of_numbers():
    f = lambda x, n: x * n
    with pytest.raises(TypeError, match=r"the input at \[1\] is the number 3.0 \(float\)"):
        ms.jvp(f, (X, 3.0), (Tensor(1.0), 1.0))
    with pytest.raises(TypeError, match=r"the input at \[0\]\['n'\] is the number 3"):
        ms.jvp(lambda d: d["x"] * d["n"], {"x": X, "n": 3}, {"x": Tensor(1.0), "n": Tensor(1.0)})
    with pytest.raises(TypeError, match="tangent 0 must be a Tensor"):
        ms.jvp(lambda x: x, X, 1.0)
    for zero in (0, 0.0, None):
        assert number(ms.jvp(f, (X, 3.0), (Tensor(1.0), zero))[1]) == 3
    assert ms.jvp(lambda x: (x * x, 7.0, 8), X, Tensor(1.0))[1][1:] == (0.0, 0)
    with pytest.raises(TypeError, match=r"returns the number 7.0 at \[1\]"):
        ms.jacrev(lambda x: (x * x, 7.0))(X)


def test_dicts_in_another_order():
    f = lambda d: d["a"] * 10 + d["b"]
    _, tangent = ms.jvp(f, {"a": X, "b": Y}, {"b": Tensor(5.0), "a": Tensor(1.0)})
    assert number(tangent) == 15
    _, pull = ms.vjp(lambda x: {"a": x * 10, "b": x}, X)
    assert number(pull({"b": Tensor(5.0), "a": Tensor(1.0)})[0]) == 15
    assert number(pull({"b": 5.0, "a": 1.0})[0]) == 15

    @functools.partial(ms.custom_rule, vjp=lambda d, out, dout: {"b": dout, "a": dout * 10})
    def ruled(d):
        return d["a"] * 10 + d["b"]

    g = ms.grad(lambda d: ruled(d))({"a": X, "b": Y})
    assert (number(g["a"]), number(g["b"])) == (10, 1)


class Holder:
    def __init__(self, value):
        self.value = value


ESCAPES = {
    "set": lambda x: {x * 2},
    "frozenset": lambda x: frozenset([x * 2]),
    "object": lambda x: Holder(x * 2),
    "object in a list": lambda x: [x, Holder([x * 2])],
    "deque": lambda x: collections.deque([x * 2]),
    "partial": lambda x: functools.partial(Holder, x * 2),
    "method": lambda x: Holder(x * 2).__init__,
    "exception": lambda x: ValueError("bad", x * 2),
    "key": lambda x: {x * 2: 1},
    "array": lambda x: np.array([Holder(x * 2)], dtype=object),
    "slice": lambda x: slice(x * 2),
    "Cell": lambda x: Keeper(x * 2),
}


class Keeper(nn.Cell):
    def __init__(self, value):
        super().__init__()
        self.kept = [value]


@pytest.mark.parametrize("name", ESCAPES)
def test_tensors_cannot_leave_inside_other_objects(name):
    with pytest.raises(TypeError, match=r"(?s)which compiled code cannot return.*return a Tensor"):
        ms.jit(ESCAPES[name])(X)


def test_a_tensor_that_was_kept_says_so():
    kept = []

    @ms.jit
    def f(x):
        heapq.heappush(kept, x * 2)  # what libraries change is not noticed
        return lambda y: y * x

    later = f(Tensor([2.0]))
    uses = [lambda v: v + 1, lambda v: later(Y), np.asarray, list, bool, f, Tensor, "{}".format]
    uses += [lambda v: v._buf, lambda v: ms.grad(lambda x: x * v)(X)]
    for use in uses:
        with pytest.raises(RuntimeError, match="is used outside of it"):
            use(kept[0])
    assert "no elements" in str(kept[0]) and "no elements" in repr(kept)


@pytest.mark.parametrize("kind", [list, dict])
def test_a_container_that_contains_itself_is_refused(kind):
    ring = [X] if kind is list else {"x": X}
    ring.append(ring) if kind is list else ring.update(more=ring)
    for call in (ms.jit(lambda ring, x: x), lambda ring, x: ms.grad(lambda x, ring: x)(x, ring)):
        with pytest.raises(
            RecursionError, match=rf"Detect recursion .* The {kind.__name__} that is"
        ):
            call(ring, X)
