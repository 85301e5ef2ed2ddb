"""Lists, dictionaries and dataclasses that are arguments: compiled code changes the caller's, as Python does."""

import dataclasses

import pytest

import cellgrad as ms
from cellgrad import Tensor, nn, ops


@dataclasses.dataclass
class State:
    value: Tensor
    count: int
    seen: list


@dataclasses.dataclass
class Counter:
    n: int


def both_ends(x, y):
    x.append(y)
    y.append(3)
    x.insert(0, (y,))
    return x[1]


def nested(x, t):
    x[0][0] = t
    x[1]["k"].append(t * 2)
    x[1] = {"new": [t]}
    x[1]["new"].append(t + 1)
    return x[0][0] + 1


def branch(x, t):
    if t > 2:
        x[0] = t
    return x[0] * t


def looped(x, t):
    items = x
    for i in range(3):
        items.append(t * i)
    items += [t]
    return len(x) + t


def state(s, t):
    s.count += 1
    s.value = t * s.count
    s.seen.append(t)
    return s.value + s.count


def several(x, t):
    x[0], x[1] = x[1], x[0]
    x[0] += t
    x.pop()
    x.reverse()
    return t


def table(d, t):
    d["k"] = t
    d.update(z=t + 1)
    del d["a"]
    return d["k"] + d.setdefault("new", 4)


CASES = [
    (lambda x: (x.reverse(), x[0] + 1)[1], lambda t: ([t, t + 1],)),
    (lambda x: x.pop() + 1, lambda t: ([1, 2, t],)),
    (lambda x: (x.clear(), 1)[1], lambda t: ([1, t],)),
    (lambda x: (x.sort(), x)[1], lambda t: ([3, 1, 2],)),
    (lambda x: x, lambda t: ({"k": [t]},)),
    (lambda *x: (x[0].append(1), 1)[1], lambda t: ([t], [2])),
    (both_ends, lambda t: ([1], [t])),
    (nested, lambda t: ([[1, t], {"k": [2]}, ([t],)], t)),
    (branch, lambda t: ([t * 0, 7], t)),
    (looped, lambda t: ([t], t)),
    (state, lambda t: (State(t, 2, [1]), t)),
    (several, lambda t: ([t, t * 2, 5], t)),
    (table, lambda t: ({"a": 1, "k": t}, t)),
]


def plain(value):
    if isinstance(value, Tensor):
        return ["tensor", value.asnumpy().tolist()]
    if isinstance(value, list | tuple):
        return type(value)(plain(v) for v in value)
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return plain(vars(value)) if dataclasses.is_dataclass(value) else value


def calls(function, make):
    out = []
    for number in (1.0, 2.0, 5.0):
        args = make(Tensor(number))
        for _ in range(2):  # the second time with what the first one left
            try:
                result = function(*args)
            except (IndexError, KeyError):
                break
            out.append(
                [plain(result), [result is a for a in args if type(a) is not Tensor], plain(args)]
            )
    return out


@pytest.mark.parametrize("number", range(len(CASES)))
def test_the_caller_sees_what_python_does(number):
    function, make = CASES[number]
    assert calls(ms.jit(function), make) == calls(function, make)


def test_each_call_changes_its_own():
    @ms.jit
    def f(c, t):
        c.n += 1
        return t + c.n

    a, b = Counter(1), Counter(1)
    assert [float(f(c, Tensor(1.0))) for c in (a, b, b)] == [3, 3, 4]
    assert (a.n, b.n) == (2, 3)


def test_what_is_returned_is_the_argument():
    x, y = [Tensor([1.0]), 2], {"a": Tensor([3.0])}
    out = ms.jit(lambda x, *, y: (x, [y], x[0]))(x, y=y)
    assert out[0] is x and out[1][0] is y
    # Not where elements of its tensors were assigned: a tensor that is an argument stays.
    out = ms.jit(lambda x: (x[0].add_(1), x.append(5), x)[2])(x)
    assert plain(out) == [["tensor", [2]], 2, 5]
    assert plain(x) == [["tensor", [1]], 2, 5]


class Net(nn.Cell):
    def construct(self, x, t):
        x.append(t * 2)
        x[0] = t
        return (x[0] * x[-1]).sum()


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize(
    ("derived", "wanted"),
    [
        (lambda f: f, 18),
        (lambda f: ms.grad(f, 1), 12),
        (lambda f: ms.grad(ms.grad(f, 1), 1), 4),
        (lambda f: ms.jit(ms.grad(f, 1)), 12),
        (lambda f: lambda x, t: ms.jvp(lambda t: f(x, t), t, t)[1], 36),
    ],
)
def test_cells_and_derivatives(mode, derived, wanted):
    ms.set_context(mode=mode)
    try:
        x = [Tensor(0.0)]
        assert float(derived(Net())(x, Tensor(3.0))) == wanted
        assert plain(x[-2:]) == [["tensor", 3], ["tensor", 6]]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_inside_of_compiled_code():
    net = Net()

    @ms.jit
    def gradient(x, t):
        return ms.grad(net, 1)(x, t)

    x = [Tensor(0.0)]
    assert float(gradient(x, Tensor(3.0))) == 12
    assert plain(x) == [["tensor", 3], ["tensor", 6]]

    @ms.jit
    def reads(x, t):
        g = ms.grad(net, 1)(x, t)
        return g + x[0]

    @ms.jit
    def own(t):
        x = [t]
        g = ms.grad(net, 1)(x, t)
        return g + len(x)

    for call in (lambda: reads([Tensor(0.0)], Tensor(3.0)), lambda: own(Tensor(3.0))):
        with pytest.raises(TypeError, match=r"A list is read after .* changed it in place \(line"):
            call()


OUTSIDE = [1]


def test_what_would_be_lost_is_refused():
    @ms.jit
    def outside(t):
        return ms.grad(Net(), 1)(OUTSIDE, t)

    with pytest.raises(
        TypeError, match="part of an argument is changed in place, inside a function"
    ):
        outside(Tensor(1.0))
    assert OUTSIDE == [1]
    with pytest.raises(TypeError, match="inside a function whose Jacobian is taken"):
        ms.jacrev(lambda x: (x.append(1), x[0] * 2)[1])([Tensor([1.0])])

    @ms.jit
    def loop(x, t):
        while t > 0:
            x.append(t)
            t = t - 1
        return t

    with pytest.raises(TypeError, match="changed in place inside a branch or loop"):
        loop([1], Tensor(2.0))


def test_mapped_functions():
    def f(x, t):
        x.reverse()
        return x[0] * t

    x = [Tensor(3.0), Tensor(4.0)]
    assert ms.vmap(f, (None, 0))(x, Tensor([1.0, 2.0])).asnumpy().tolist() == [4, 8]
    assert plain(x) == [["tensor", 4], ["tensor", 3]]
    assert float(ops.stop_gradient(x[0])) == 4
