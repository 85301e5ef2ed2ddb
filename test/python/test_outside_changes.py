"""Lists, dictionaries, arrays and objects from around compiled code that it changes: each call does what
Python does.
"""

import collections
from types import SimpleNamespace

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, nn, ops


class Thing:
    """An object without methods."""


class Slotted:
    __slots__ = ("n",)


LIST: list = []
DICT: dict = {}
SET: set = set()
QUEUE: collections.deque = collections.deque(maxlen=3)
ARRAY = np.zeros(3)
THING = Thing()
SLOTTED = Slotted()


def reset():
    LIST[:] = [1, 2, 3]
    DICT.clear()
    DICT["a"] = 1
    SET.clear()
    QUEUE.clear()
    ARRAY[...] = 0
    THING.__dict__.clear()
    THING.n, THING.items, THING.rows = 0, [1], [[0]]
    SLOTTED.n = 0
    Thing.shared = 0


def setting(x):
    LIST[0] = 9
    LIST[-1] += 1
    return x + LIST[0] + LIST[2]


def reading_after(x):
    LIST.append(5)
    return x * LIST[-1] * len(LIST)


def through_a_name(x):
    items = LIST
    items.append(3)
    return x + len(items)


def in_a_loop(x):
    for i in range(3):
        LIST.append(i)
    return x


def tensors(x):
    y = x * 2
    LIST.append(y)
    DICT["y"] = (y, [x + 1, "text"])
    THING.y = y
    return y + DICT["y"][1][0] + THING.y


def in_place(x):
    global_list = THING.items
    global_list += [7]
    THING.n += 1
    DICT["a"] -= 3
    return x + THING.n + DICT["a"]


def arrays(x):
    THING.array = ARRAY
    ARRAY[0] += 1
    THING.array += 1
    ARRAY[1:] *= 2
    return x + float(ARRAY.sum())


def attributes(x):
    THING.n = THING.n + 1
    SLOTTED.n += 2
    THING.m = THING.n * 10
    return x + THING.n + THING.m + SLOTTED.n + (0 if hasattr(THING, "other") else 100)


def of_a_class(x):
    Thing.shared = getattr(Thing, "shared", 0) + 1
    return x + Thing.shared


def deleting(x):
    if len(LIST) > 1:
        del LIST[0]
    DICT.pop("a", None)
    return x + LIST[0] + len(DICT)


def others(x):
    SET.add(len(SET))
    QUEUE.append(x * len(SET))
    return x + len(SET)


def nested(x):
    THING.rows[0].append(1)
    THING.rows.append([x])
    row = []
    LIST.append(row)
    row.append(x * 3)
    return x + len(THING.rows[0])


def a_memo(x):
    if "memo" not in DICT:
        DICT["memo"] = x * 3
        THING.n += 1
    return DICT["memo"] + x


CASES = [
    *(
        lambda x: (LIST.append(7), list.append(LIST, x), x)[2],
        lambda x: (LIST.extend([3, 4]), x + len(LIST))[1],
    ),
    *(lambda x: x + LIST.pop(), lambda x: (LIST.insert(0, 8), x + LIST[0])[1]),
    *(lambda x: (LIST.reverse(), x + LIST[0])[1], lambda x: (LIST.clear(), x)[1]),
    *(lambda x: (DICT.update(a=5, b=x), x + DICT["a"])[1], setting, reading_after, through_a_name),
    *(
        lambda x: x + DICT.setdefault("c", 4),
        lambda x: (LIST.sort(key=lambda v: -v), x + LIST[0])[1],
    ),
    *(
        in_a_loop,
        tensors,
        in_place,
        arrays,
        attributes,
        deleting,
        others,
        nested,
        a_memo,
        of_a_class,
    ),
]


def plain(value):
    """A value as nested lists of numbers."""
    if isinstance(value, Tensor | np.ndarray):
        return np.asarray(value).tolist()
    if isinstance(value, list | tuple | collections.deque):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return plain(vars(value)) if isinstance(value, Thing) else value


def after_three_calls(function):
    reset()
    results = [plain(function(Tensor(float(i)))) for i in (1, 2, 3)]
    return results, plain([LIST, DICT, QUEUE, ARRAY, THING, SLOTTED.n]), set(SET)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_each_call_does_what_python_does(number):
    function = CASES[number]
    assert after_three_calls(ms.jit(function)) == after_three_calls(function)


def test_gradient_functions_and_cells():
    def f(x):
        LIST.append(7)
        THING.n += 1
        return x * THING.n

    reset()
    gradient = ms.grad(f)
    assert [float(gradient(Tensor(1.0))) for _ in range(3)] == [1, 2, 3]
    assert LIST == [1, 2, 3, 7, 7, 7]

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.seen = []
            self.last = {}

        def construct(self, x):
            self.seen.append(x.shape)
            self.last["x"] = x * 2
            return self.last["x"] + 1

    net = Net()
    for i in range(3):
        assert float(net(Tensor(float(i)))) == 2 * i + 1
        assert float(net.last["x"]) == 2 * i
    assert net.seen == [(), (), ()]


def test_what_is_only_written_compiles_once():
    runs = []

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.losses = []

        def construct(self, x):
            self.losses.append(x.mean())
            THING.last = x
            return x + ops.rand(1).shape[0]

    net = Net()
    for i in range(4):
        net(Tensor([float(i)]))
        runs.append(len(net._jit_program.cache))
    assert runs == [1, 1, 1, 1]
    assert [float(v) for v in net.losses] == [0, 1, 2, 3]
    assert float(THING.last) == 3


def test_nothing_is_left_of_what_cannot_be_compiled():
    def f(x):
        LIST.append(1)
        THING.n = 5
        return x @ x

    reset()
    with pytest.raises((TypeError, ValueError)):
        ms.jit(f)(Tensor(1.0))
    assert (LIST, THING.n) == ([1, 2, 3], 0)


def test_a_pull_back_changes_nothing_again():
    def f(x):
        LIST.append(x * 2)
        return x * x

    reset()
    _, pull = ms.vjp(f, Tensor(3.0))
    assert [float(pull(Tensor(1.0))[0]) for _ in range(2)] == [6, 6]
    assert [float(v) for v in LIST] == [1, 2, 3, 6]


def test_a_tensor_of_a_differentiated_function_is_kept():
    def f(x):
        LIST.append((x * 2, 5))
        return x * x

    reset()
    assert float(ms.grad(f)(Tensor(3.0))) == 6
    assert float(ms.grad(ms.grad(f))(Tensor(4.0))) == 2
    kept = LIST[3:]
    assert float(kept[0][0]) == 6
    assert {float(v) for v, _ in kept[1:]} == {8}
    assert all(n == 5 for _, n in kept)


DERIVED = {
    "grad": ms.grad,
    "jvp": lambda f: lambda x: ms.jvp(f, x, x),
    "grad of grad": lambda f: ms.grad(lambda x: ms.grad(f)(x).sum()),
    "jit": ms.jit,
}


@pytest.mark.parametrize("way", DERIVED)
def test_elements_and_attributes_of_differentiated_code(way):
    table, row, thing = {}, [0, 0], SimpleNamespace(v=None)

    def f(x):
        table["a"] = x * 2
        row[1] = x * 3
        thing.v = (x * 4, [x, "five"])
        table.update(b=x * 5)
        return (x * x).sum()

    DERIVED[way](f)(Tensor([1.0, 2.0]))
    first, (second, word) = thing.v
    found = [table["a"], row[1], first, second, table["b"]]
    assert [type(v) for v in found] == [Tensor] * 5
    assert [v.asnumpy().tolist() for v in found] == [[2, 4], [3, 6], [4, 8], [1, 2], [5, 10]]
    assert (row[0], word) == (0, "five")


@pytest.mark.parametrize("way", DERIVED)
def test_branches_of_differentiated_code_change_what_is_outside(way):
    found, table, thing = [], {"a": Tensor([0.0, 0.0])}, SimpleNamespace(v=Tensor([0.0, 0.0]))

    def f(x):
        if x.sum() > 0:
            found.append(x)
            table["a"] = x * 2
            thing.v = x * 3
        else:
            found.append(-x)
            table["a"] = x
            thing.v = -x
        return (x * x).sum()

    for x, wanted in (
        ([1.0, 2.0], [[1, 2], [2, 4], [3, 6]]),
        ([1.0, -2.0], [[-1, 2], [1, -2], [-1, 2]]),
    ):
        DERIVED[way](f)(Tensor(x))
        assert [v.asnumpy().tolist() for v in (found[-1], table["a"], thing.v)] == wanted


def test_a_tensor_of_a_mapped_function_is_refused():
    def f(x):
        LIST.append(x * 2)
        return x * x

    reset()
    with pytest.raises(TypeError, match="vmap"):
        ms.vmap(f)(Tensor([1.0, 2.0]))


def test_branches_on_tensors_are_refused():
    def f(x):
        if x > 0:
            ARRAY[0] += 1
        return x

    def g(x):
        if x > 0:
            QUEUE.append(1)
        return x

    reset()
    for function in (f, g):
        with pytest.raises(TypeError, match="changed in place inside a branch"):
            ms.jit(function)(Tensor(1.0))
    assert ARRAY[0] == 0
    assert not QUEUE


def test_a_list_or_dictionary_from_around_is_returned_itself():
    items, table = [1, 2, [3]], {"a": 1, "b": Tensor([1.0])}

    @ms.jit
    def f(x):
        items.reverse()
        table["a"] = x * 2
        return items, [x, table], items[0], {"in": items}

    out = f(Tensor([2.0]))
    assert out[0] is items and out[1][1] is table and out[3]["in"] is items
    assert items == [[3], 2, 1] and out[2] is items[0]
    assert table["a"].asnumpy().tolist() == [4]
    again = f(Tensor([3.0]))
    assert again[0] is items and items == [1, 2, [3]] and again[2] == 1
    assert table["a"].asnumpy().tolist() == [6]
    inside = ms.jit(lambda x: [x])
    assert inside(Tensor(1.0)) is not inside(Tensor(1.0))
