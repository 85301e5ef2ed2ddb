"""What a program was compiled for is noticed when it changes: by type and by bits, not by ``==``."""

import copy
import dataclasses
import math
import pickle
import struct

import numpy as np
import pytest
from evaluations import Evaluations

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops
from cellgrad.core.exact import same, static_key
from cellgrad.interop import mlir

ONE = Tensor(1.0)
NAN = float("nan")


def number(value):
    return value.asnumpy().item()


@dataclasses.dataclass(frozen=True)
class Rate:
    value: object
    note: object = dataclasses.field(default=None, compare=False)


class Loose:
    """Equal to all of its kind."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, Loose)

    def __hash__(self):
        return 7


DISTINCT = [
    0.0, -0.0, 1, 1.0, True, NAN, -NAN, math.inf, None, "1", b"1", 0j, complex(-0.0, 0.0),
    np.float32(1), np.float64(1), (1,), (1.0,), (0.0, (-0.0,)), frozenset({1}), frozenset({True}),
    slice(1), slice(1.0), range(0), range(1, 1), ms.float32, np.dtype("float32"),
]  # fmt: skip


def test_keys_tell_apart_what_equality_does_not():
    for i, a in enumerate(DISTINCT):
        for j, b in enumerate(DISTINCT):
            assert (static_key(a) == static_key(b)) is (i == j), (a, b)
            assert same(a, b) is (i == j), (a, b)
    assert same(struct.unpack("d", struct.pack("d", NAN))[0], NAN)
    assert not same(Loose(1), Loose(2)) and same((1, "a", None), (1, "a", None))


RATE, KIND, TABLE, STEP = 0.0, ms.float32, np.ones(1, np.float32), abs


def step_of(x):
    return x


class Settings:
    rate = 1.0


def test_variables_from_around_are_compared_by_bits():
    global RATE
    traced, inner = Evaluations(), 0.0

    @ms.jit
    def f(x):
        traced()
        return x / RATE, x / inner

    assert [number(v) for v in f(ONE)] == [math.inf, math.inf]
    RATE = -0.0
    assert [number(v) for v in f(ONE)] == [-math.inf, math.inf]
    inner = -0.0
    assert [number(v) for v in f(ONE)] == [-math.inf, -math.inf]
    RATE = inner = NAN
    f(ONE)
    RATE = float("nan")  # the same bits in another object
    count = traced.count
    assert math.isnan(number(f(ONE)[0])) and traced.count == count
    RATE = True
    assert f(ONE)[0].dtype is ms.float32
    RATE = 0.0


def test_any_value_that_is_assigned_anew_is_noticed():
    global KIND, TABLE, step_of, Settings
    net = nn.Dense(1, 1, "ones", has_bias=False)
    items, settings = [2.0], Settings()
    traced = Evaluations()

    @ms.jit
    def f(x):
        traced()
        table = x * TABLE
        return (x.astype(KIND), table, step_of(x), net(x), x * items[0], x * settings.rate)

    x = ops.ones((1, 1))
    assert [number(v) for v in f(x)] == [1, 1, 1, 1, 2, 1]
    before = KIND, TABLE, step_of
    try:
        KIND = ms.float64
        assert f(x)[0].dtype is ms.float64
        TABLE = np.full(1, 3, np.float32)
        step_of = lambda x: -x
        net = nn.Dense(1, 1, Tensor([[5.0]]), has_bias=False)
        items = [7.0]
        Settings.rate = 4.0  # of the class: the object has no attribute of its own
        assert [number(v) for v in f(x)] == [1, 3, -1, 5, 7, 4]
        settings.rate = 6.0
        assert number(f(x)[-1]) == 6
        count = traced.count
        f(x)
        assert traced.count == count == 4
    finally:
        KIND, TABLE, step_of = before
        Settings.rate = 1.0


class Point:
    def __init__(self, x, label):
        self.x = x
        self.label = label


def test_objects_made_while_compiling_are_not_guarded():
    @ms.jit
    def f(x, rate):
        point = Point(x, "made here")
        return point.x * len(point.label) * rate.value

    f(ONE, Rate(2.0, ONE))
    (compiled,) = f.program.cache.values()
    read = {name for _, name, _ in compiled.guards}
    assert "Point" in read and not read & {"x", "label", "value"}


class Scaled(nn.Cell):
    limit = 1.0

    def __init__(self):
        super().__init__()
        self.scale = 0.0

    def construct(self, x):
        return x / self.scale, x * self.limit


def test_attributes_of_cells_are_compared_by_bits():
    net = Scaled()
    assert number(net(ONE)[0]) == math.inf
    net.scale = -0.0
    assert number(net(ONE)[0]) == -math.inf
    Scaled.limit = 3.0
    assert number(net(ONE)[1]) == 3
    Scaled.limit = 1.0


@pytest.mark.parametrize(
    "first, second",
    [
        (0.0, -0.0),
        ((0.0,), (-0.0,)),
        ({"a": [0.0]}, {"a": [-0.0]}),
        (0j, complex(-0.0, 0.0)),
        (Rate(0.0), Rate(-0.0)),
        (Rate(1, 0.0), Rate(1, -0.0)),
        (Loose(0.0), Loose(-0.0)),
        (np.float32(0.0), np.float32(-0.0)),
    ],
)
def test_arguments_are_told_apart_by_bits(first, second):
    def zero_in(value):
        if isinstance(value, dict):
            return zero_in(value["a"])
        if isinstance(value, tuple | list):
            return value[0]
        if isinstance(value, Rate):
            return value.value if value.note is None else value.note
        if isinstance(value, Loose):
            return value.value
        return value.real if isinstance(value, complex) else value

    f = ms.jit(lambda x, v: x / zero_in(v))
    assert [number(f(ONE, v)) for v in (first, second, first)] == [math.inf, -math.inf, math.inf]
    g = ms.jit(lambda x, v=None: x / zero_in(v))
    assert [number(g(ONE, v=v)) for v in (first, second)] == [math.inf, -math.inf]


def test_dictionary_keys_are_told_apart():
    @ms.jit
    def f(d):
        return d[1] * {int: 1, bool: 2, float: 3}[type(next(iter(d)))]

    assert [number(f({k: ONE})) for k in (1, True, 1.0)] == [1, 2, 3]


def test_named_arguments_keep_their_order():
    f = ms.jit(lambda **named: ops.stack(list(named.values())))
    a, b = Tensor(1.0), Tensor(2.0)
    assert f(a=a, b=b).asnumpy().tolist() == [1, 2]
    assert f(b=b, a=a).asnumpy().tolist() == [2, 1]


def test_equal_callables_are_not_one():
    @dataclasses.dataclass(frozen=True)
    class Power:
        base: float
        n: int = dataclasses.field(compare=False)

        def __call__(self, x):
            return x**self.n / self.base

    square, cube, negative = Power(1.0, 2), Power(1.0, 3), Power(-1.0, 2)
    x = Tensor(3.0)
    for transform in (ms.grad, ms.jacrev, lambda f: lambda x: ms.jvp(f, x, ONE)[1]):
        assert [number(transform(f)(x)) for f in (square, cube, negative)] == [6, 27, -6]
    assert number(ms.vmap(cube)(Tensor([2.0]))) == 8
    assert [number(ms.hvp(f, x, ONE)[1]) for f in (square, cube)] == [2, 18]


def test_a_branch_keeps_the_sign_of_zero():
    f = ms.jit(lambda x, t: x / (0.0 if t > 0 else -0.0))
    assert [number(f(ONE, Tensor(t))) for t in (1, -1)] == [math.inf, -math.inf]


# --- tensors from around the function -----------------------------------------------------------


def test_a_surrounding_tensor_bounds_a_loop_that_stays_one():
    trips = Tensor(3)

    @ms.jit
    def f(x):
        for _ in range(trips):
            x = x + 1
        return x

    assert number(f(ONE)) == 4
    trips.assign_value(Tensor(5))
    assert number(f(ONE)) == 6
    trips = Tensor(1000)
    assert number(f(ONE)) == 1001
    assert len(mlir.text(f, ONE).splitlines()) < 40


def test_a_parameter_bounds_a_loop():
    steps = Parameter(Tensor(2), name="steps", requires_grad=False)

    @ms.jit
    def f(x):
        for _ in range(steps):
            x = x * 2
        return x

    assert number(f(ONE)) == 4
    steps.set_data(Tensor(4))
    assert number(f(ONE)) == 16


def test_a_surrounding_tensor_is_a_condition():
    flag, traced = Tensor(True), Evaluations()

    @ms.jit
    def f(x):
        traced()
        y = x if flag else -x
        if not flag:
            y = y * 10
        return y + 1 if flag and x > 0 else y

    assert number(f(ONE)) == 2
    flag.asnumpy()[...] = False
    assert number(f(ONE)) == -10 and traced.count == 1


def test_elements_that_are_read_while_compiling_are_guarded():
    n, traced = Tensor([2]), Evaluations()

    @ms.jit
    def f(x):
        traced()
        return x[:n].sum() * float(n) + np.asarray(n).sum() + n.item()

    x = ops.ones(9)
    assert number(f(x)) == 8
    assert number(f(x)) == 8 and traced.count == 1
    n.asnumpy()[0] = 3
    assert number(f(x)) == 15 and traced.count == 2


# --- pickling -----------------------------------------------------------------------------------


def cube_of(x):
    return x * x * x


@ms.jit
def jitted(x):
    return x * 2


@pytest.mark.parametrize(
    "make",
    [ms.grad, ms.value_and_grad, ms.jit, ms.vmap, ms.jacrev, ms.jacfwd, ms.hessian],
    ids=lambda f: f.__name__,
)
def test_transforms_pickle_before_and_after_a_call(make):
    function, x = make(cube_of), Tensor([2.0])
    for _ in range(2):
        for clone in (pickle.loads(pickle.dumps(function)), copy.deepcopy(function)):
            assert repr(clone(x)) == repr(function(x))


def test_a_decorated_function_pickles_by_name():
    assert number(jitted(ONE)) == 2
    assert pickle.loads(pickle.dumps(jitted)) is jitted
    assert number(pickle.loads(pickle.dumps(ms.grad(jitted)))(ONE)) == 2


def test_copies_of_parameters_are_parameters_of_their_own():
    parameter = Parameter(Tensor([1.0, 2.0]), name="p", requires_grad=False)
    for clone in (copy.copy(parameter), copy.deepcopy(parameter), parameter.copy()):
        assert type(clone) is Parameter and clone.name == "p" and not clone.requires_grad
        clone[0] = 9.0
        assert parameter.asnumpy().tolist() == [1, 2]


def test_an_attribute_that_a_list_or_dictionary_lacks_is_no_element_of_it():
    listed, named = [1, 2], {"a": 1, "b": 2}

    @ms.jit
    def f(x):
        absent = getattr(listed, "a", 10), getattr(named, "a", 20), hasattr(named, "b")
        return absent, x * named["a"] + named["b"] + listed[0]

    assert str(f(ONE)) == "((10, 20, False), Tensor(shape=[], dtype=Float32, value= 4))"
    named["a"] = 7
    assert str(f(ONE)[1]) == "10.0"
    listed[0] = 5
    assert str(f(ONE)[1]) == "14.0"
