"""Gradients of code that runs as ordinary Python in `PYNATIVE_MODE`, because it cannot be compiled. Values that a comment calls
golden are MindSpore 2.10's.
"""

import numpy as np
import pytest
from both_modes import numbers

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops
from cellgrad.core import state

CALLS = 0


@pytest.fixture(autouse=True)
def pynative():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    yield
    assert state.current.tape is None
    ms.set_context(mode=ms.GRAPH_MODE)


def three(values=(1.0, 2.0, 3.0)):
    return Tensor(list(values))


def test_elements_decide():
    kept = []

    def f(x):
        y = x * x
        if float(y.asnumpy().sum()) > 3:
            y = y * 3
        kept.append(y)
        return y * x[0]

    plain = lambda x: x * x * 3 * x[0]
    assert numbers(ms.grad(f)(three())) == numbers(ms.grad(plain)(three()))
    assert numbers(kept[0]) == [3, 12, 27]  # outside of it, with its elements
    again = lambda function: ms.grad(lambda x: ms.grad(function)(x).sum())(three())
    assert numbers(again(f)) == numbers(again(plain))  # second order, golden: 48, 18, 24
    assert numbers(again(f)) == [48, 18, 24]


def branches(x):
    y = x * 2
    found = []
    while y.sum() < 100:
        y = y * x
        found.append(y)
    return y + len(found)


def masks(x):
    y = x * x
    return y[y > 2].sum() * 3 + ops.masked_select(x, x > 1.5).sum()


def elements(x):
    y = x * 2
    y.asnumpy()
    y[0] = 5.0
    out = ops.zeros(3)
    out[1:] = y[1:] * x[0]
    return y * y + out


def rows(x):
    x.asnumpy()
    total = 0
    for row in x:
        total = total + row * row
    return total + x[Tensor([0, 2])].sum() * x[-1]


def in_place(x):
    y = x * 3
    y.asnumpy()
    y.add_(x)
    return y * y


def copies(x):
    x.asnumpy()
    return x.copy() * x.astype(ms.float32) * ops.stop_gradient(x)


def shapes(x):
    return x * ops.unique(x.astype(ms.int32))[0].shape[0]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: branches(x.sum()), [216, 216, 216]),
        (masks, [0, 13, 19]),
        (elements, [10, 18, 26]),
        (rows, [5, 4, 13]),
        (in_place, [32, 64, 96]),
        (copies, [2, 8, 18]),
        (shapes, [3, 3, 3]),
    ],
)
def test_what_python_does(function, expected):
    assert numbers(ms.grad(function)(three())) == expected


@ms.jit
def compiled(x, y):
    return x * y + ops.sin(x)


def test_compiled_functions_and_gradients_inside():
    def f(x):
        scale = float(x.asnumpy())
        return compiled(x, x * scale) + ms.grad(lambda z: z * z * x)(x)

    # x (x c) + sin(x) + 2 x x with c = 2: 4 x + cos(x) + 4 x
    np.testing.assert_allclose(ms.grad(f)(Tensor(2.0)).asnumpy(), 16 + np.cos(2), rtol=1e-6)
    second = ms.grad(lambda x: ms.grad(f)(x))(Tensor(2.0))
    np.testing.assert_allclose(second.asnumpy(), 8 - np.sin(2), rtol=1e-6)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(2.0), name="w")
        self.count = 0
        self.drop = nn.Dropout(p=0.5)
        self.drop.set_train()

    def construct(self, x):
        self.count += int(x.shape[0] + x.asnumpy()[0])
        y = self.w * x
        ops.assign(self.w, self.w + 1)
        self.mask = self.drop(x * 0 + 1)
        return y * self.w * self.mask


def test_parameters_and_state():
    """Each operation has the values that were there when it ran, and one mask of a dropout."""
    net = Net()
    by_x, (by_w,) = ms.grad(net, 0, [net.w])(three([3.0] * 64))
    mask = net.mask.asnumpy()
    assert set(mask) == {0.0, 2.0}
    assert (by_x.asnumpy() == 6 * mask).all()
    assert by_w.asnumpy() == (15 * mask).sum()  # golden without the mask
    assert (net.w.value(), net.count) == (3, 67)
    net.w.requires_grad = False
    assert numbers(ms.grad(net, None, net.w)(three())) == 0


def test_batch_norm():
    net = nn.BatchNorm1d(2)
    net.set_train()
    x = Tensor([[1.0, 2.0], [3.0, 5.0]])
    gradient = ms.grad(lambda x: (x.asnumpy(), net(x) * x)[1])(x)
    golden = [[-1.00000501, -1.00000226], [1.00000501, 1.00000226]]
    np.testing.assert_allclose(gradient.asnumpy(), golden, rtol=1e-6)
    np.testing.assert_allclose(net.moving_mean.asnumpy(), [0.2, 0.35], rtol=1e-6)


def test_what_gradient_functions_return():
    def f(x):
        x.asnumpy()
        return x * x, x + 1

    x = Tensor(2.0)
    gradient, (aux,) = ms.grad(f, has_aux=True)(x)
    assert (numbers(gradient), numbers(aux)) == (4, 3)
    sens = (Tensor(1.0), Tensor(10.0))
    assert numbers(ops.GradOperation(get_all=True, sens_param=True)(f)(x, sens)[0]) == 14
    (value, _), gradient = ms.value_and_grad(f)(x)
    assert (numbers(value), numbers(gradient)) == (4, 5)
    with pytest.raises(ValueError, match="must have the shape of the output"):
        ms.grad(f, sens_param=True)(x, (Tensor([1.0, 2.0]), Tensor(1.0)))
    # one tensor given twice is two inputs, as in compiled code
    by_both = ms.grad(lambda a, b: (a.asnumpy(), a * a * b)[1], (0, 1))
    assert [numbers(g) for g in by_both(x, x)] == [8, 4]


def test_hooks_are_python():
    """They read elements, keep gradients, write globals; golden."""
    kept = []

    class Doubled(nn.Cell):
        def construct(self, x):
            return x * x

    def hook(cell, inputs, outputs):
        global CALLS
        CALLS += 1
        kept.append((inputs[0], outputs[0]))
        return Tensor(inputs[0].asnumpy() * 2)

    net = Doubled()
    net.register_backward_hook(hook)
    net.register_backward_pre_hook(lambda cell, outputs: outputs[0] + float(outputs[0].asnumpy()))
    tap = ops.HookBackward(lambda gradients: kept.append(gradients[0].asnumpy()))
    step = ops.InsertGradientOf(lambda gradient: gradient * float(gradient.asnumpy()))

    def f(x):
        y = x * 3
        y.register_hook(lambda gradient: Tensor(gradient.asnumpy() + 1))
        return net(tap(step(y)))

    # y = 3: 2 times 2 y, doubled, squared, one more, by x
    assert numbers(ms.grad(f)(Tensor(1.0))) == (24.0**2 + 1) * 3
    assert CALLS == 1
    assert numbers(kept[0][0]) == 12 and numbers(kept[0][1]) == 2 and kept[1] == 24


class WithRule(nn.Cell):
    def construct(self, x, y):
        return x * y, 3

    def bprop(self, x, y, out, dout):
        return Tensor(x.asnumpy() * 10) * dout[0], y + out[0]


def test_rules_are_python():
    rule = ms.custom_rule(lambda x: x * x, vjp=lambda x, out, dout: Tensor(dout.asnumpy()) * 5)
    net = WithRule()
    f = lambda x, y: net(x, y)[0] * 2 + rule(x)
    found = ms.grad(f, (0, 1))(Tensor(3.0), Tensor(4.0))
    assert [numbers(g) for g in found] == [3 * 10 * 2 + 5, 4 + 12]
    wrong = ms.custom_rule(lambda x: x, vjp=lambda x, out, dout: (Tensor(dout.asnumpy()), dout))
    with pytest.raises(TypeError, match="gives 2 gradients for 1 arguments"):
        ms.grad(wrong)(Tensor(3.0))
    shape = ms.custom_rule(lambda x: x, vjp=lambda x, out, dout: Tensor(dout.asnumpy()).reshape(1))
    with pytest.raises(ValueError, match=r"a gradient of shape \[1\]"):
        ms.grad(shape)(Tensor(3.0))


VIEWS = {
    "of a constant": lambda x: _written(Tensor(np.arange(1.0, 4.0)), x, lambda a: a[1:], 5.0),
    "of a value": lambda x: _written(x * 2, x, lambda a: a[1:], 5.0),
    "transposed": lambda x: _written((x * 2).reshape(3, 1), x, lambda a: a.reshape(-1), x[1]),
    "a value of another": lambda x: _written(
        Tensor(np.arange(1.0, 4.0)), x, lambda a: a[1:], x[0] * 3
    ),
    "of a view": lambda x: _written(x * 2, x, lambda a: a[1:][:1], x[2]),
    "by a list": lambda x: _written(x * 2, x, lambda a: a[[1, 2]], x[2] * x[0]),
}


def _written(a, x, view, value):
    part = view(a)
    part[0] = value
    part.mul_(x[1])
    a[2] = x[0] * 7
    return (a.reshape(-1) * x).sum() + (part * part).sum()


@pytest.mark.parametrize("name", VIEWS)
def test_writes_to_views_reach_what_they_are_views_of(name):
    """Golden: differences of what the same code gives as ordinary Python."""
    f = VIEWS[name]
    at = np.array([1.0, 2.0, 4.0])
    steps = 1e-6 * np.eye(3)
    wanted = [(f(Tensor(at + e)) - f(Tensor(at - e))).asnumpy() / 2e-6 for e in steps]

    def peeks(x):
        x.asnumpy()
        return f(x)

    for gradient in (ms.grad(peeks)(Tensor(at)), _eager(lambda: ms.grad(f)(Tensor(at)))):
        np.testing.assert_allclose(gradient.asnumpy(), wanted, rtol=1e-6)


def _eager(call):
    with ms.debug.eager():
        return call()


def test_the_first_error_stays():
    """Where a tape cannot follow, or in graph mode."""

    def f(x):
        y = x * 2
        y.asnumpy()
        y.expand((2, 3))[0] = 1.0
        return y

    def g(x):
        jvp = ms.custom_rule(lambda x: x, jvp=lambda xs, ts: (xs[0], ts[0]))
        return jvp(x * float(x.asnumpy()))

    with pytest.raises(TypeError, match=r"float\(\) needs|asnumpy\(\) needs the elements"):
        ms.grad(g)(Tensor(3.0))
    with pytest.raises(TypeError, match=r"asnumpy\(\) needs the elements"):
        ms.grad(f)(three())
    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.raises(TypeError, match=r"asnumpy\(\) needs the elements"):
        ms.grad(f)(three())


def test_the_functions_errors_are_its_own():
    def f(x):
        raise KeyError(str(x.asnumpy()))

    with pytest.raises(KeyError, match="3"):
        ms.grad(f)(Tensor(3.0))


class Scaled(ms._Function):
    """Broadcasts y; its derivative is none, so that nothing else can pass."""

    @staticmethod
    def forward(ctx, x, y, n):
        assert ctx.needs_input_grad in ((True, True, False), (False, False, False))
        ctx.save_for_backward(x)
        ctx.n = n
        return x * y * n, n, x

    @staticmethod
    def backward(ctx, gradient, none, unused):
        (x,) = ctx.saved_tensors
        assert none is None and numbers(unused) == [0, 0, 0]
        return Tensor(gradient.asnumpy() * 10), x * gradient * ctx.n, None


class Wrong(ms._Function):
    gives = None

    @staticmethod
    def forward(ctx, x, n):
        return x * n

    @staticmethod
    def backward(ctx, gradient):
        return Wrong.gives(gradient)


def test_functions_with_a_derivative_of_their_own():
    x, y = three(), Tensor([2.0])
    assert numbers(Scaled.apply(x, y, 3)[0]) == [6, 12, 18]
    found = ms.grad(lambda x, y: Scaled.apply(x * x, y, 3)[0], (0, 1))(x, y)
    assert [numbers(g) for g in found] == [[20, 40, 60], [42]]
    for gives, message in [
        (lambda g: g, "wrong number of gradients"),
        (lambda g: (g, g), "Input is not tensor, but gradient is not none"),
        (lambda g: (4, None), "Gradient should be none or tensor"),
        (lambda g: (g.sum(), None), r"has shape \[\], but the argument has \[3\]"),
    ]:
        Wrong.gives = gives
        with pytest.raises(RuntimeError, match=message):
            ms.grad(Wrong.apply)(x, 2)
    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.raises(TypeError, match="'Wrong' runs as ordinary Python"):
        ms.grad(Wrong.apply)(x, 2)
    ms.set_context(jit_syntax_level=ms.LAX)
    Wrong.gives = lambda g: (g * 5, None)
    with pytest.warns(UserWarning, match="operation by operation"):
        assert numbers(ms.grad(Wrong.apply)(x, 2)) == [5, 5, 5]
    ms.set_context(jit_syntax_level=ms.STRICT)


class Grown(ms._Function):
    """Writes to x; its derivative is none, so that nothing else can pass."""

    @staticmethod
    def forward(ctx, x, y):
        x.add_(1)
        ctx.mark_dirty(x)
        return x * y, x

    @staticmethod
    def backward(ctx, gradient, by_x):
        return gradient * 10 + by_x, gradient * 100


class GrownAlone(Grown):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 10, gradient * 100


class GrownUnsaid(GrownAlone):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x * y


def test_functions_that_write_to_arguments():
    """By hand: at a = 2 x + 1 and z = a y, gradients 2 z of z and 4 of a."""
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])

    def f(x, y):
        a = x * 2
        before = a * a
        z, b = Grown.apply(a, y)
        assert b is a
        return z * z + a * 3 + b, before

    found = ms.grad(lambda x, y: f(x, y)[0], (0, 1))(x, y)
    assert [numbers(g) for g in found] == [[368, 808], [1800, 4000]]
    # What was computed before has the slope that it had then: (2 x)^2.
    assert numbers(ms.grad(lambda x: f(x, y)[1])(x)) == [8, 16]

    def part(x, y):
        a = x * 2
        GrownAlone.apply(a[:1], y[:1])
        return a * a

    # a = [2 x + y, 2 x]: the rule's 10 and 100 of 2 a; MindSpore 2.10 does not write on the CPU.
    found = ms.grad(part, (0, 1))(x, y)
    assert [numbers(g) for g in found] == [[200, 16], [1000, 0]]

    def constant(x, y):
        c = Tensor([1.0, 1.0])
        return GrownAlone.apply(c, y) + c * x

    # c = 1 + y has the gradient 1 + x.
    found = ms.grad(constant, (0, 1))(x, y)
    assert [numbers(g) for g in found] == [[4, 5], [200, 300]]


@pytest.mark.parametrize(
    "program, words",
    [
        (lambda x: GrownUnsaid.apply(x * 2, x), "must all be outputs of the forward"),
        (lambda x: GrownAlone.apply(x, x * 2), "A leaf tensor that need grad is being used"),
        (lambda x: Grown.apply((x * 2)[:1], x[:1])[0], "A view is one of output"),
    ],
)
def test_writes_to_arguments_without_a_derivative(program, words):
    with pytest.raises(RuntimeError, match=words):
        ms.grad(program)(Tensor([1.0, 2.0]))


def test_writes_without_a_gradient_leave_records_as_they_were():
    """By hand: the slope of a^2 at a = 2 x, and w."""
    w = Parameter(Tensor([5.0, 6.0]), name="w")
    double = ms.jit(lambda: ops.assign(w, w * 2))

    def f(x):
        a = x * 2
        out = a * a + w * x
        with ms._no_grad():
            a.add_(1)
            double()
        assert numbers(a) == [3, 5] and numbers(w.value()) == [10, 12]
        return out

    assert numbers(ms.grad(f)(Tensor([1.0, 2.0]))) == [13, 22]


def test_no_grad():
    """Golden: 375 of (w x + b)^2 w without the one in the middle."""
    w, b, x = Parameter(Tensor([5.0]), name="w"), Tensor([5.0]), Tensor([2.0])

    def f(x):
        y = w * x + b
        with ms._no_grad():
            m = y * w
        return m * y

    assert numbers(ms.grad(f)(x)) == [375]
    assert numbers(ms.grad(lambda x: x * x + ms._no_grad()(f)(x))(x)) == [4]
    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.raises(TypeError, match="'_no_grad' runs as ordinary Python"):
        ms.grad(f)(x)
    ms.set_context(jit_syntax_level=ms.LAX)
    with pytest.warns(UserWarning, match="operation by operation"):
        assert numbers(ms.grad(f)(x)) == numbers(ms.jit(lambda x: ms.grad(f)(x))(x)) == [375]
    ms.set_context(jit_syntax_level=ms.STRICT)


def test_no_gradient_is_taken_in_a_block_of_no_grad():
    """MindSpore 2.10 refuses it in these words."""
    slope, x = ms.grad(lambda x: x * x), Tensor(3.0)

    def f(x):
        with ms._no_grad():
            return slope(x)

    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert float(slope(x)) == 6  # a call that is known
    for call in (f, ms.grad(f), ms._no_grad()(ms.value_and_grad(f))):
        with pytest.raises(RuntimeError, match="In no_grad context, you can not calculate"):
            call(x)
    assert float(slope(x)) == 6
    ms.set_context(mode=ms.GRAPH_MODE)


def test_a_call_that_is_known_already_is_on_the_tape():
    f = ms.jit(lambda x: x * x * 3)
    x = ms.Tensor(2.0)
    assert (float(f(x)), float(f(x)), len(f.program.known)) == (12, 12, 1)

    def g(x):
        return f(x) * float(x.asnumpy())  # runs as Python

    assert float(ms.grad(g)(x)) == 24  # the number is none of its inputs


def test_a_call_that_is_known_already_runs_as_python_where_all_does():
    from cellgrad.core import context

    f = ms.jit(lambda x: x * x)
    x = ms.Tensor(3.0)
    assert (float(f(x)), float(f(x)), len(f.program.known)) == (9, 9, 1)
    f.function = lambda x: x  # what the compiled code does not know
    eager = context.run_eagerly(True)
    try:
        assert float(f(x)) == 3
    finally:
        context.run_eagerly(eager)
