"""A Parameter is a leaf: derivatives are by the Parameter, and do not flow into what was assigned to it.

The numbers are those of MindSpore 2.10 in graph mode.
"""

import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, mint, nn, ops

X, Y = Tensor(3.0), Tensor(5.0)


class State(nn.Cell):
    """A Cell with one Parameter, which the function given changes."""

    def __init__(self, function):
        super().__init__()
        self.w = Parameter(Tensor(2.0), name="w")
        self.function = function

    def construct(self, *args):
        return self.function(self, *args)


def assigned(self, x, y):
    ops.assign(self.w, x * y)
    return self.w * 1.0


def attribute(self, x, y):
    self.w = x * y
    return self.w * 1.0


def result_of_assign(self, x, y):
    return ops.assign(self.w, x * y) * 1.0


def set_data(self, x, y):
    self.w.set_data(x * y)
    return self.w * 1.0


def added(self, x, y):
    self.w += x * y
    return self.w * x


def added_in_place(self, x, y):
    self.w.add_(x * y)
    return self.w * x


def unrolled(self, x, y):
    for _ in range(3):
        self.w = self.w * x
    return self.w * y


def in_while(self, x, y):
    i = Tensor(0)
    while i < 3:
        self.w = self.w * x
        i = i + 1
    return self.w * y


def read_in_while(self, x, y):
    i, total = Tensor(0), x * 0.0
    while i < 3:
        total = total + self.w * x
        self.w = self.w * x + 1.0
        i = i + 1
    return total * self.w


def in_branch(self, x, y):
    b = self.w * x
    if x > y:
        self.w = x * y
        b = b + self.w * y
    else:
        self.w = self.w * y
        b = b + self.w * x
    return b * self.w


def copied(self, x, y):
    return (self.w.copy() + Tensor(self.w) + mint.clone(self.w)) * x * y


def copied_before(self, x, y):
    before = self.w.clone()
    self.w = self.w * x
    return before * y + self.w


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize(
    "function, args, gradients, by_weight, after",
    [
        (copied, (3, 5), (30, 18), 45, 2),
        (copied_before, (3, 5), (0, 2), 6, 6),
        (assigned, (3, 5), (0, 0), 1, 15),
        (attribute, (3, 5), (0, 0), 1, 15),
        (result_of_assign, (3, 5), (0, 0), 1, 15),
        (set_data, (3, 5), (0, 0), 1, 15),  # PyNative; not supported in graph mode there
        (added, (3, 5), (17, 0), 3, 17),
        (added_in_place, (3, 5), (17, 0), 3, 17),
        (unrolled, (3, 5), (0, 54), 5, 54),
        (in_while, (3, 5), (0, 54), 5, 54),
        (read_in_while, (3, 5), (2077, 0), 696, 67),
        (in_branch, (3, 5), (120, 0), 96, 10),
        (in_branch, (5, 3), (30, 225), 175, 15),
    ],
)
def test_nothing_flows_into_what_is_assigned(mode, function, args, gradients, by_weight, after):
    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        net = State(function)
        args = [Tensor(float(a)) for a in args]
        got, weight = ms.grad(net, (0, 1), net.w)(*args)
        compiled = State(function)
        step = ms.jit(lambda *a: ms.grad(compiled, (0, 1), compiled.w)(*a))
        assert [float(g) for g in step(*args)[0]] == list(gradients)
    finally:
        ms.set_context(mode=before)
    assert [float(g) for g in got] == list(gradients)
    assert float(weight) == by_weight
    assert float(net.w) == float(compiled.w) == after


def added_result(self, x, y):
    return ops.assign_add(self.w, (x * y).reshape(1)) * y


def subtracted_result(self, x, y):
    return ops.assign_sub(self.w, (x * y).reshape(1)) * y


def added_result_and_weight(self, x, y):
    return ops.assign_add(self.w, (x * y).reshape(1)) * self.w


def index_added(self, x, y):
    return ops.index_add(self.w, ROW, (x * y).reshape(1), 0) * self.w


def index_added_by_class(self, x, y):
    return ops.IndexAdd(0)(self.w, ROW, (x * y).reshape(1)) * self.w


def index_added_in_place(self, x, y):
    return ops.inplace_index_add(self.w, ROW, (x * y).reshape(1), 0) * self.w


def added_by_method(self, x, y):
    return self.w.add_((x * y).reshape(1)) * self.w


def chained(self, x, y):
    """By both methods the Parameter is written, and the result has the derivatives of both."""
    out = self.w.mul_(x)
    return out.add_(y) * y


ROW = Tensor([0], ms.int32)
BOTH = (85, 51, 34, 17, 289)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize(
    "function, wanted",
    [
        (added_result, (25, 32, 5, 17, 85)),
        (subtracted_result, (-25, -28, 5, -13, -65)),
        (added_result_and_weight, BOTH),
        (index_added, BOTH),
        (index_added_by_class, BOTH),
        (index_added_in_place, BOTH),
        (added_by_method, BOTH),
        (chained, (10, 16, 15, 11, 55)),
    ],
)
def test_what_an_update_returns_is_a_result(mode, function, wanted):
    """It has derivatives by what was added; the Parameter itself is a leaf again."""

    def make():
        net = State(function)
        net.w = Parameter(Tensor([2.0]), name="w")
        return net

    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        net, jitted = make(), make()
        (gx, gy), gw = ms.grad(net, (0, 1), net.w)(X, Y)
        step = ms.jit(lambda x, y: ms.grad(jitted, (0, 1), jitted.w)(x, y))
        (jx, jy), jw = step(X, Y)
        value = make()(X, Y)
    finally:
        ms.set_context(mode=before)
    assert (gx, gy, gw, net.w, value) == wanted
    assert (jx, jy, jw, jitted.w) == wanted[:4]
    assert type(value) is Tensor


def test_index_add_of_tensors_and_its_other_forms_change_nothing():
    p = Parameter(Tensor([2.0, 3.0]), name="p")
    for out in (
        ops.index_add(Tensor([2.0, 3.0]), ROW, Tensor([5.0]), 0),
        ms.mint.index_add(p, 0, ROW, Tensor([5.0])),
        p.index_add(ROW, Tensor([5.0]), 0),
    ):
        assert out.asnumpy().tolist() == [7, 3]
        assert p.asnumpy().tolist() == [2, 3]
    given = Tensor([2.0, 3.0])
    assert ops.inplace_index_add(given, ROW, Tensor([5.0]), 0) is given
    assert given.asnumpy().tolist() == [7, 3]


def squared(self, x, y):
    self.w = x * y
    return self.w * self.w * x


def test_second_order_and_forward_mode():
    def make():
        return State(squared)

    net = make()
    assert [float(g) for g in ms.grad(net, (0, 1))(X, Y)] == [225, 0]
    assert float(ms.grad(net, None, net.w)(X, Y)) == 90
    assert [float(g) for g in ms.grad(ms.grad(make()), (0, 1))(X, Y)] == [0, 0]
    net = make()
    assert float(ms.grad(lambda x: ms.grad(net, None, net.w)(x, Y))(X)) == 30
    assert [float(t) for t in ms.jvp(make(), (X, Y), (Tensor(1.0), Tensor(1.0)))] == [675, 225]


def test_a_gradient_inside_a_call_sees_the_new_value():
    class Inner(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(2.0), name="w")

        def inner(self, z):
            return z * z * self.w

        def construct(self, x, y):
            self.w = x * y
            return ms.grad(self.inner)(x)

    assert float(Inner()(X, Y)) == 90
    net = Inner()
    (gx, gy), gw = ms.grad(net, (0, 1), net.w)(X, Y)
    assert [float(g) for g in (gx, gy, gw)] == [30, 0, 6]


def test_elements_assigned():
    class Elements(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([1.0, 2.0]), name="w")

        def construct(self, x, y):
            self.w[0] = x * y
            return (self.w * x).sum()

    net = Elements()
    (gx, gy), gw = ms.grad(net, (0, 1), net.w)(X, Y)
    assert [float(gx), float(gy), *gw.asnumpy()] == [17, 0, 3, 3]


def test_a_read_keeps_the_value_of_its_time():
    """MindSpore gives 17: it multiplies by what was assigned after the product."""
    net = State(lambda self, x, y: (self.w * x, ops.assign_add(self.w, x * y))[0])
    (gx, gy), gw = ms.grad(net, (0, 1), net.w)(X, Y)
    assert [float(gx), float(gy), float(gw)] == [2, 0, 3]


def test_no_number_comes_from_the_value_before():
    net = State(assigned)
    net.w.set_data(Tensor(float("inf")))
    (gx, gy), gw = ms.grad(net, (0, 1), net.w)(X, Y)
    assert [float(gx), float(gy), float(gw), float(net.w)] == [0, 0, 1, 15]


class Line(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(2.0), name="w", requires_grad=False)
        self.b = Parameter(Tensor(1.0), name="b")

    def construct(self, x):
        return x * self.w + self.b


def floats(value):
    """Nested tensors as numbers."""
    return [floats(v) for v in value] if isinstance(value, tuple) else float(value)


@pytest.mark.parametrize("mode, by_w", [(ms.GRAPH_MODE, 3), (ms.PYNATIVE_MODE, 0)])
def test_weights_without_requires_grad(mode, by_w):
    """MindSpore 2.10: graph mode gives the gradient that was asked for, PyNative mode zero."""
    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        net, x = Line(), Tensor(3.0)
        both = ms.ParameterTuple([net.w, net.b])
        assert floats(ms.grad(net, None, net.w)(x)) == by_w
        assert floats(ms.value_and_grad(net, 0, both)(x)) == [7, [2, [by_w, 1]]]
        assert floats(ops.GradOperation(get_by_list=True)(net, both)(x)) == [by_w, 1]
        assert floats(ms.vjp(net, x, weights=both)[1](Tensor(1.0))) == [[2], [by_w, 1]]
        step = ms.jit(lambda x: ms.grad(net, None, both)(x))
        assert floats(step(x)) == [3, 1]
        gradient = ms.grad(net, None, net.b)
        assert floats(gradient(x)) == 1
        net.b.requires_grad = False
        assert floats(gradient(x)) == (1 if by_w else 0)
        net.b.requires_grad = True
        assert floats(gradient(x)) == 1
        product = ms.grad(lambda w, x: w * x, (0, 1))
        assert floats(product(net.w, x)) == [by_w, 2]
        assert floats(product(net.b, x)) == [3, 1]
    finally:
        ms.set_context(mode=before)


def by_attribute(self, p, x):
    ops.assign(self.w, x * 4.0)
    return p * 1.0 + self.w * 10.0


def by_argument(self, p, x):
    ops.assign(p, x * 4.0)
    return p * 1.0 + self.w * 10.0


def by_branch(self, p, x):
    if x > 0:
        ops.assign(p, x * 4.0)
    return p * 1.0 + self.w * 10.0


def by_loop(self, p, x):
    for _ in range(Tensor(2)):
        ops.assign_add(p, x * 5.0 / 3.0)
    return p * 1.0 + self.w * 10.0


def by_elements(self, p, x):
    p[...] = x * 4.0
    return p * 1.0 + self.w * 10.0


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize(
    "function",
    [by_attribute, by_argument, by_branch, by_loop, by_elements],
    ids=lambda f: f.__name__,
)
def test_a_parameter_as_argument_and_attribute_is_one(mode, function):
    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        net = State(function)
        for run in (net, ms.jit(lambda p, x: net(p, x))):
            net.w.set_data(Tensor(2.0))
            assert float(run(net.w, X)) == pytest.approx(132)
            assert float(net.w) == pytest.approx(12)
        (gp, gx), gw = ms.grad(net, (0, 1), net.w)(net.w, X)
        assert [float(gp), float(gx), float(gw)] == [1, 0, 10]
    finally:
        ms.set_context(mode=before)


def test_other_parameters_get_programs_of_their_own():
    first, second = Parameter(Tensor(1.0), name="a"), Parameter(Tensor(5.0), name="b")

    @ms.jit
    def step(p, q):
        ops.assign_add(p, 1.0)
        return p * 10.0 + q

    assert float(step(first, second)) == 25
    assert float(step(first, first)) == 33
    assert float(step(second, first)) == 63
    assert float(step(first, second)) == 46
    assert [float(first), float(second)] == [4, 6]


def test_an_alias_that_comes_with_a_later_call():
    w = Parameter(Tensor(2.0), name="w")

    @ms.jit
    def f(p, x):
        ops.assign(w, x)
        return p * 1.0

    assert float(f(Tensor(7.0), Tensor(3.0))) == 7
    assert float(f(w, Tensor(4.0))) == 4
    assert float(f(Parameter(Tensor(8.0), name="v"), Tensor(5.0))) == 8


def in_fori_loop(self, x):
    def body(i, a):
        a = a + self.w * x
        self.w = self.w * x + 1.0
        return a

    return ops.ForiLoop()(0, 3, body, x * 0.0) * self.w


def recomputed(self, x):
    def block(x):
        self.w = self.w * x + 1.0
        return self.w * x

    return ms.recompute(block, x) * self.w


def mapped(self, x):
    self.w = self.w + x
    return ms.vmap(lambda t: t * self.w)(ops.stack([x, x * 2])).sum()


# With w after the call w', by hand: 31 w', w' w' x, and 3 x w', where 31 is the sum of w in the trips.
@pytest.mark.parametrize(
    "function, first, second",
    [
        (in_fori_loop, (31 * 67, 3 * (31 + 3 * 67)), (0, 31 + 3 * 67)),
        (recomputed, (49, 42), (0, 14)),
        (mapped, (15, 9), (0, 3)),
    ],
)
def test_leaves_in_other_functions(function, first, second):
    net = State(function)
    assert floats(ms.grad(net, 0, net.w)(X)) == list(first)
    net = State(function)
    assert floats(ms.grad(ms.grad(net), 0, net.w)(X)) == list(second)
