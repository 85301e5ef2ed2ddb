"""What compiled code read from around its function is noticed when it changes, wherever it is kept.

Each case is a function, what it reads, and a change: the compiled function must give what the function
itself gives, before and after, and must not be compiled again where nothing it read has changed.
"""

import collections
import dataclasses
import functools
import importlib
import itertools
import math
import operator
import sys
import types

import numpy as np
import pytest
from evaluations import Evaluations

import cellgrad as ms
from cellgrad import Tensor, nn, ops

X = Tensor([-1.0, 2.0, 3.0])
LIST, DICT, SET, NESTED = [2.0], {"rate": 2.0, "step": 0}, {2.0}, {"a": [1.0, {"b": 2.0}], "n": 0}
RECENT = collections.deque([2.0], 3)
ARRAY, TUPLE, ACTIVATION, MODULE, FACTOR = np.array([2.0]), ([2.0],), ops.relu, math, 2.0


class Holder:
    kind = "class"

    def __init__(self, factor=2.0):
        self._factor = factor
        self.items = [factor]

    @property
    def factor(self):
        return self._factor

    @staticmethod
    def apart(x):
        return x * 2.0

    def method(self, x):
        return x * 2.0

    def construct(self, x):  # as Cells have it
        return self.method(x)

    def __getattr__(self, name):
        if name == "computed":
            return self._factor * 2
        raise AttributeError(name)

    def __mul__(self, other):
        return other * self._factor

    def __getitem__(self, index):
        return self._factor

    def __len__(self):
        return int(self._factor)

    def __bool__(self):
        return self._factor > 2.5

    def __iter__(self):
        return iter([self._factor])

    def __contains__(self, value):
        return value < self._factor

    def __eq__(self, other):
        return self._factor == other

    __hash__ = None

    def __float__(self):
        return self._factor

    def __neg__(self):
        return -self._factor

    def __format__(self, spec):
        return str(self._factor)


class Made:
    def __init__(self):
        self.factor = FACTOR


@dataclasses.dataclass
class Settings:
    factor: float = 2.0
    items: list = dataclasses.field(default_factory=lambda: [2.0])


class Slotted:
    __slots__ = ("factor",)


HOLDER, OTHER, SETTINGS, SLOTTED = Holder(), Holder(), Settings(), Slotted()
SLOTTED.factor = 2.0
UFUNC = np.frompyfunc(lambda settings: settings.factor, 1, 1)


def helper(x, factor=2.0, *, offset=0.0):
    return x * factor + offset


def other_helper(x, factor=2.0, *, offset=0.0):
    return x * factor - 7


PARTIAL = functools.partial(helper, factor=2.0)


def weigh(value):
    return value * FACTOR


def iterated(x):
    for v in LIST:
        x = x * v
    return x


def generated():
    yield FACTOR * LIST[0]


def attribute_or(x):
    try:
        return x * HOLDER.late
    except AttributeError:
        return x


def name_or(x):
    try:
        return x * LATE
    except NameError:
        return x


def assigned(name, value):
    return lambda: globals().__setitem__(name, value)


CASES = {
    "element of a list": (lambda x: x * LIST[0], lambda: operator.setitem(LIST, 0, 3.0)),
    "last of a list": (lambda x: x * LIST[-1], lambda: LIST.append(4.0)),
    "length": (lambda x: x * len(LIST), lambda: LIST.append(5.0)),
    "iteration": (iterated, lambda: LIST.append(6.0)),
    "sum": (lambda x: x * sum(LIST), lambda: LIST.clear()),
    "value of a dict": (lambda x: x * DICT["rate"], lambda: operator.setitem(DICT, "rate", 3.0)),
    "dict.get": (lambda x: x * DICT.get("rate"), lambda: operator.setitem(DICT, "rate", 4.0)),
    "in a dict": (lambda x: x * ("t" in DICT), lambda: operator.setitem(DICT, "t", 4.0)),
    "set": (lambda x: x * max(SET), lambda: SET.add(3.0)),
    "array": (lambda x: x * Tensor(ARRAY), lambda: operator.setitem(ARRAY, 0, 3.0)),
    "element of an array": (lambda x: x * float(ARRAY[0]), lambda: operator.setitem(ARRAY, 0, 4.0)),
    "array of an operation": (lambda x: ops.mul(x, ARRAY), lambda: operator.setitem(ARRAY, 0, 5.0)),
    "list in a tuple": (lambda x: x * TUPLE[0][0], lambda: operator.setitem(TUPLE[0], 0, 3.0)),
    "nested": (
        lambda x: x * NESTED["a"][1]["b"],
        lambda: operator.setitem(NESTED["a"][1], "b", 3.0),
    ),
    "attribute that is a list": (
        lambda x: x * HOLDER.items[0],
        lambda: operator.setitem(HOLDER.items, 0, 3.0),
    ),
    "attribute": (lambda x: x * HOLDER._factor, lambda: setattr(HOLDER, "_factor", 2.5)),
    "property": (lambda x: x * HOLDER.factor, lambda: setattr(HOLDER, "_factor", 3.0)),
    "__getattr__": (lambda x: x * HOLDER.computed, lambda: setattr(HOLDER, "_factor", 4.0)),
    "operator": (lambda x: HOLDER * x, lambda: setattr(HOLDER, "_factor", 5.0)),
    "unary operator": (lambda x: x * -HOLDER, lambda: setattr(HOLDER, "_factor", 5.5)),
    "__getitem__": (lambda x: x * HOLDER[0], lambda: setattr(HOLDER, "_factor", 6.0)),
    "__len__": (lambda x: x * len(HOLDER), lambda: setattr(HOLDER, "_factor", 7.0)),
    "__float__": (lambda x: x * float(HOLDER), lambda: setattr(HOLDER, "_factor", 8.0)),
    "__iter__": (lambda x: x * sum(v * 1 for v in HOLDER), lambda: setattr(HOLDER, "_factor", 9.0)),
    "unpacking": (lambda x: x * (lambda v: v)(*HOLDER), lambda: setattr(HOLDER, "_factor", 9.5)),
    "__bool__": (lambda x: x * (3 if OTHER else 2), lambda: setattr(OTHER, "_factor", 3.0)),
    "__contains__": (lambda x: x * (3.5 in OTHER), lambda: setattr(OTHER, "_factor", 4.0)),
    "ufunc": (lambda x: x * float(UFUNC(SETTINGS)), lambda: setattr(SETTINGS, "factor", 4.5)),
    "__eq__": (lambda x: x * (OTHER == 5.0), lambda: setattr(OTHER, "_factor", 5.0)),
    "format": (lambda x: x * float(f"{OTHER}"), lambda: setattr(OTHER, "_factor", 6.0)),
    "made while compiling": (lambda x: x * Made().factor, assigned("FACTOR", 3.0)),
    "map": (lambda x: x * sum(map(weigh, [1.0])), assigned("FACTOR", 4.0)),
    "key of max": (lambda x: x * max([1.0, -1.0], key=weigh), assigned("FACTOR", -1.0)),
    "reduce": (
        lambda x: x * functools.reduce(lambda a, b: a * b * FACTOR, [1.0, 1.0]),
        assigned("FACTOR", 5.0),
    ),
    "accumulate": (
        lambda x: x * list(itertools.accumulate([1.0, 1.0], lambda a, b: a + FACTOR))[-1],
        assigned("FACTOR", 6.0),
    ),
    "generator": (lambda x: x * next(generated()), assigned("FACTOR", 7.0)),
    "list of a generator": (lambda x: x * sum(generated()), lambda: operator.setitem(LIST, 0, 8.0)),
    "deque": (lambda x: x * RECENT[0], lambda: RECENT.appendleft(4.0)),
    "default": (lambda x: helper(x), lambda: setattr(helper, "__defaults__", (3.0,))),
    "keyword default": (
        lambda x: helper(x),
        lambda: operator.setitem(helper.__kwdefaults__, "offset", 1.0),
    ),
    "code": (lambda x: helper(x), lambda: setattr(helper, "__code__", other_helper.__code__)),
    "partial": (lambda x: PARTIAL(x), lambda: operator.setitem(PARTIAL.keywords, "factor", 3.0)),
    "method": (lambda x: OTHER.method(x), lambda: setattr(Holder, "method", lambda _, x: x * 3.0)),
    "method of the object": (
        lambda x: OTHER.method(x),
        lambda: setattr(OTHER, "method", lambda x: x * 4.0),
    ),
    "static method": (
        lambda x: Holder.apart(x),
        lambda: setattr(Holder, "apart", staticmethod(lambda x: x * 3.0)),
    ),
    "slot": (lambda x: x * SLOTTED.factor, lambda: setattr(SLOTTED, "factor", 3.0)),
    "builtin": (lambda x: x * abs(-2.0), assigned("abs", lambda v: 7.0)),
    "library function": (lambda x: ACTIVATION(x), assigned("ACTIVATION", ops.neg)),
    "module": (lambda x: x * MODULE.e, assigned("MODULE", types.SimpleNamespace(e=3.0))),
    "getattr": (
        lambda x: x * SETTINGS.factor,
        lambda: setattr(SETTINGS, "factor", 3.0),
    ),
    "hasattr": (lambda x: x * hasattr(SETTINGS, "new"), lambda: setattr(SETTINGS, "new", 1)),
    "vars": (lambda x: x * vars(SETTINGS)["factor"], lambda: setattr(SETTINGS, "factor", 4.0)),
    "__dict__": (
        lambda x: x * SETTINGS.__dict__["factor"],
        lambda: setattr(SETTINGS, "factor", 5.0),
    ),
    "asdict": (
        lambda x: x * dataclasses.asdict(SETTINGS)["factor"],
        lambda: setattr(SETTINGS, "factor", 6.0),
    ),
    "attribute that comes later": (attribute_or, lambda: setattr(HOLDER, "late", 3.0)),
    "name that comes later": (name_or, assigned("LATE", 3.0)),
}


@pytest.fixture
def namespace(monkeypatch):
    """The names of this module, and what is in them, as they are without a test."""
    fresh = {
        "LIST": [2.0],
        "DICT": {"rate": 2.0, "step": 0},
        "SET": {2.0},
        "NESTED": {"a": [1.0, {"b": 2.0}], "n": 0},
        "ARRAY": np.array([2.0]),
        "TUPLE": ([2.0],),
        "HOLDER": Holder(),
        "OTHER": Holder(),
        "SETTINGS": Settings(),
        "ACTIVATION": ops.relu,
        "MODULE": math,
        "FACTOR": 2.0,
        "RECENT": collections.deque([2.0], 3),
        "PARTIAL": functools.partial(helper, factor=2.0),
    }
    for name, value in fresh.items():
        monkeypatch.setattr(sys.modules[__name__], name, value)
    monkeypatch.setattr(Holder, "method", Holder.method)
    monkeypatch.setattr(Holder, "apart", staticmethod(Holder.apart))
    monkeypatch.setattr(helper, "__code__", helper.__code__)
    monkeypatch.setattr(helper, "__defaults__", helper.__defaults__)
    monkeypatch.setattr(helper, "__kwdefaults__", dict(helper.__kwdefaults__))
    for name in ("abs", "LATE"):
        monkeypatch.delitem(globals(), name, raising=False)
    yield
    for name in ("abs", "LATE"):
        globals().pop(name, None)


@pytest.mark.parametrize("case", CASES)
def test_a_change_is_noticed(case, namespace):
    function, change = CASES[case]
    counted = Evaluations()
    compiled = ms.jit(lambda x: (counted(), function(x))[1])
    for _ in range(2):
        np.testing.assert_array_equal(compiled(X).asnumpy(), function(X).asnumpy())
    assert counted.count == 1
    before = function(X).asnumpy()
    change()
    after = function(X).asnumpy()
    assert not np.array_equal(before, after)
    np.testing.assert_array_equal(compiled(X).asnumpy(), after)
    assert counted.count == 2


def test_what_is_not_read_may_change(namespace):
    counted = Evaluations()

    @ms.jit
    def f(x):
        counted()
        return x * DICT["rate"] * NESTED["a"][0] * HOLDER.factor * LIST[0] * globals()["FACTOR"]

    for k in range(4):
        f(X)
        DICT["step"] = NESTED["n"] = HOLDER.seen = k
        LIST.append(k)
        LIST[0] = 1.0 + 1.0  # another object, the same number
        globals()["COUNTER"] = k
    assert counted.count == 1


class Net(nn.Cell):
    mode = "a"

    def __init__(self):
        super().__init__()
        self.items, self.table = [2.0], {"rate": 2.0}
        self.inner = nn.CellList([Scale(2.0)])
        self.read = lambda: 0.0

    @property
    def of_inner(self):
        return self.inner[0].factor

    def scaled(self, x):
        return x * 2.0

    def construct(self, x):
        for cell in self.inner:
            x = cell(x)
        return x * self.read()


class Scale(nn.Cell):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def construct(self, x):
        return x * self.factor


CELL_CASES = {
    "list": (lambda net: net.items[0], lambda net: operator.setitem(net.items, 0, 3.0)),
    "dict": (lambda net: net.table["rate"], lambda net: operator.setitem(net.table, "rate", 3.0)),
    "property": (lambda net: net.of_inner, lambda net: setattr(net.inner[0], "factor", 3.0)),
    "method": (lambda net: net.scaled(1.0), lambda net: None),
    "container": (lambda net: 1.0, lambda net: net.inner.append(Scale(3.0))),
    "length": (lambda net: len(net.inner), lambda net: net.inner.append(Scale(1.0))),
    "hasattr": (lambda net: hasattr(net, "new"), lambda net: setattr(net, "new", 1.0)),
    "vars": (
        lambda net: vars(net)["table"]["rate"],
        lambda net: setattr(net, "table", {"rate": 5}),
    ),
}


@pytest.mark.parametrize("case", CELL_CASES)
def test_a_change_of_a_cell_is_noticed(case, monkeypatch):
    read, change = CELL_CASES[case]
    net = Net()
    net.read = lambda: read(net)
    before = net(X).asnumpy()
    np.testing.assert_array_equal(before, net.construct(X).asnumpy())
    change(net)
    if case == "method":
        monkeypatch.setattr(Net, "scaled", lambda self, x: x * 3.0)
    after = net.construct(X).asnumpy()
    assert not np.array_equal(before, after)
    np.testing.assert_array_equal(net(X).asnumpy(), after)


def test_another_construct_is_noticed(monkeypatch):
    net = Scale(2.0)
    assert net(X).asnumpy().tolist() == [-2, 4, 6]
    monkeypatch.setattr(Scale, "construct", lambda self, x: x * 5)
    assert net(X).asnumpy().tolist() == [-5, 10, 15]


def test_gradients_notice_changes(namespace):
    def f(x):
        return (x * x * LIST[0] * DICT.get("rate")).sum()

    gradient = ms.grad(f)
    assert gradient(X).asnumpy().tolist() == [-8, 16, 24]
    LIST[0], DICT["rate"] = 3.0, 1.0
    assert gradient(X).asnumpy().tolist() == [-6, 12, 18]


# --- builtins that look at the program ------------------------------------------------------------


def test_globals_and_locals_are_those_of_the_function(namespace):
    inner = 5.0

    @ms.jit
    def f(x, factor=3.0):
        y = x * factor
        named = locals()
        kept = sorted(named)
        scale = globals()["FACTOR"] * globals().get("MISSING", 1.0) * ("MISSING" in globals())
        return (
            named["y"] * inner,
            vars()["x"],
            len(kept),
            kept == sorted(["x", "factor", "y", "inner"]),
            scale,
        )

    y, x, count, same, scale = f(X)
    assert y.asnumpy().tolist() == [-15, 30, 45] and x.asnumpy().tolist() == [-1, 2, 3]
    assert (count, same, scale) == (4, True, 0.0)
    globals()["MISSING"] = 2.0
    try:
        assert f(X)[-1] == 4.0
    finally:
        del globals()["MISSING"]
    assert f(X)[-1] == 0.0


def test_names_in_the_directory():
    f = ms.jit(lambda x: x * len(dir(SETTINGS)) + ("factor" in dir(SETTINGS)) + ("x" in dir()))
    plain = len(dir(SETTINGS))
    assert f(ops.ones(1)).asnumpy() == plain + 2
    SETTINGS.another = 1
    try:
        assert f(ops.ones(1)).asnumpy() == plain + 3
    finally:
        del SETTINGS.another


def nested_locals(x):
    return [locals() for _ in range(2)]


def eval_of_names(x):
    return eval("x * 2")


def exec_of_names(x):
    exec("y = x * 2")
    return x


def globals_assigned(x):
    globals()["FACTOR"] = 3.0
    return x


def attribute_deleted(x):
    delattr(SETTINGS, "factor")
    return x


def attribute_set(x, net):
    setattr(net, "factor", 3.0)  # noqa: B010
    return net(x)


def locals_of_a_branch(x):
    if x.sum() > 0:
        y = x
    return locals()["x"]


REFUSED = {
    nested_locals: (NotImplementedError, "locals()"),
    eval_of_names: (NotImplementedError, "eval() without a dictionary"),
    exec_of_names: (NotImplementedError, "exec() without a dictionary"),
    globals_assigned: (TypeError, "global variable 'FACTOR' is assigned"),
    attribute_deleted: (NotImplementedError, "'factor' of a Settings is deleted"),
    locals_of_a_branch: (UnboundLocalError, "'y' may have no value here"),
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_what_would_see_the_evaluator_is_refused_with_its_line(function):
    kind, words = REFUSED[function]
    with pytest.raises(kind) as caught:
        ms.jit(function)(X)
    text = str(caught.value) + "".join(getattr(caught.value, "__notes__", []))
    assert words in text and f"in {function.__name__}" in text and "test_changes_noticed.py" in text


def test_setattr_of_a_cell_is_an_assignment():
    scale = Scale(2.0)
    f = ms.jit(attribute_set)
    for _ in range(2):
        f(X, scale)
    assert scale.factor == 3.0


def test_eval_with_a_dictionary_is_evaluated():
    f = ms.jit(lambda x: eval("x * k", {"x": x, "k": 3.0}) + eval("FACTOR", globals()))
    assert f(X).asnumpy().tolist() == [-1, 8, 11]


# --- source files that change ---------------------------------------------------------------------

SOURCE = """
def scaled(x):
    return x * {factor}

def apart(x):
    return x + {factor}
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / f"edited_{tmp_path.name}.py"
    path.write_text(SOURCE.format(factor=2.0))
    return path, importlib.import_module(path.stem)


def test_a_module_that_is_edited_and_reloaded(module):
    path, loaded = module
    assert ms.jit(loaded.scaled)(X).asnumpy().tolist() == [-2, 4, 6]
    path.write_text(SOURCE.format(factor=3.5))
    loaded = importlib.reload(loaded)
    assert ms.jit(loaded.scaled)(X).asnumpy().tolist() == [-3.5, 7, 10.5]


def test_a_module_that_is_edited_after_it_was_loaded(module):
    path, loaded = module
    path.write_text(SOURCE.format(factor=3.5))
    with pytest.raises(RuntimeError, match=r"source of 'scaled' \(.*:2\) was changed after"):
        ms.jit(loaded.scaled)(X)
    path.write_text(SOURCE.format(factor=2.0) + "# a comment\n")
    assert ms.jit(loaded.scaled)(X).asnumpy().tolist() == [-2, 4, 6]
    path.write_text(SOURCE.format(factor=3.5))  # the text as it was loaded is known by now
    assert ms.jit(loaded.apart)(X).asnumpy().tolist() == [1, 4, 5]
