"""Hooks of tensors and Parameters, and operations with hooks. Values that a comment calls golden are MindSpore 2.10's; its
modes agree on them unless the comment names one.
"""

import gc

import numpy as np
import pytest
from both_modes import numbers
from messages import said

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops

pytestmark = pytest.mark.usefixtures("mode")


def double(gradient):
    return gradient * 2


def plus_one(gradient):
    return gradient + 1


def times_ten(gradient):
    return gradient * 10


def square(gradient):
    return gradient * gradient


def nothing(gradient):
    pass


PYNATIVE = lambda: ms.get_context("mode") == ms.PYNATIVE_MODE
X, Y = Tensor(1.0), Tensor(2.0)
cube = lambda x: x * x * x


# --- tensors ----------------------------------------------------------------------------------


def hooked_product(*hooks):
    def f(x, y):
        z = x * y
        for hook in hooks:
            z.register_hook(hook)
        return z * y

    return f


def test_a_hook_replaces_the_gradient_of_a_tensor():
    both = lambda f, *args: numbers(ms.grad(f, (0, 1))(*args))
    assert both(hooked_product(double), X, Y) == (8, 6)  # golden
    assert both(hooked_product(nothing), X, Y) == (4, 4)  # golden
    # The first that was registered is called first. Golden of PYNATIVE_MODE; the other refuses two.
    assert both(hooked_product(double, plus_one), X, Y) == (10, 7)
    assert numbers(hooked_product(double)(X, Y)) == 4


def test_a_hook_of_an_argument():
    def f(x, y):
        x.register_hook(double)
        return x * y * x

    assert numbers(ms.grad(f, (0, 1))(Tensor(3.0), Y)) == (24, 9)  # golden


def test_a_hook_gets_the_gradient_of_what_was_computed_before_as_well():
    def f(x, y):
        z = x * y
        w = z + 1
        z.register_hook(double)
        return z * y + w

    def g(x, y):
        a = x * y
        x.register_hook(double)
        return a * x

    assert numbers(ms.grad(f, (0, 1))(X, Y)) == (12, 8)  # golden
    assert numbers(ms.grad(g, (0, 1))(Tensor(3.0), Y)) == (24, 9)  # golden


def test_hooks_are_removed_in_the_code_that_registered_them(mode):
    hooks = [double, plus_one, times_ten]

    def f(x, y, removed):
        z = x * y
        w = z + 1
        handles = [z.register_hook(hook) for hook in hooks]
        out = z * y
        for i in removed:
            handles[i].remove()
        return out + w

    if mode == ms.GRAPH_MODE:  # there registering returns the tensor
        with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'remove'"):
            ms.grad(f)(X, Y, (0,))
        returned = lambda x, y: (x * y).register_hook(double) * y
        assert numbers(ms.grad(returned, (0, 1))(X, Y)) == (8, 6)  # golden
        return
    for removed in [(), (0,), (1,), (2,), (1, 2), (2, 0), (0, 0), (2, 1, 0)]:
        expected = 3.0
        for i, hook in enumerate(hooks):
            expected = expected if i in removed else hook(expected)
        # z has the gradient `expected`; y enters in z y as well.
        assert numbers(ms.grad(f, (0, 1))(X, Y, removed)) == (2 * expected, expected + 2), removed


def test_hooks_at_second_order():
    def f(hook):
        def hooked(x):
            z = x * x
            z.register_hook(hook)
            return z * x

        return hooked

    assert numbers(ms.grad(f(square))(Y)) == 20  # golden
    assert numbers(ms.grad(ms.grad(f(square)))(Y)) == 28  # golden
    assert numbers(ms.grad(f(double))(Y)) == 20  # golden
    assert numbers(ms.grad(ms.grad(f(double)))(Y)) == 24  # golden


def test_hooks_in_loops_branches_and_vmap():
    def unrolled(x):
        for _ in range(3):
            x = x * 2
            x.register_hook(plus_one)
        return x

    def loop(x):
        i = Tensor(0.0)
        while i < 3:
            x = x * 2
            x.register_hook(plus_one)
            i = i + 1
        return x

    def branch(x):
        if x > 0:
            y = x * 3
            y.register_hook(double)
        else:
            y = x * 5
        return y

    # ((1 + 1) 2 + 1) 2 + 1, and 2 of the first product
    assert numbers(ms.grad(unrolled)(X)) == numbers(ms.grad(loop)(X)) == 22
    assert [numbers(ms.grad(branch)(Tensor(v))) for v in (1.0, -1.0)] == [6, 5]

    def element(x):
        y = x * x
        y.register_hook(times_ten)
        return y

    assert numbers(ms.vmap(ms.grad(element))(Tensor([1.0, 2.0]))) == [20, 40]  # golden
    assert numbers(ms.jit(ms.grad(element))(Y)) == 40


def test_hooks_in_forward_mode():
    """It is the derivative of reverse mode by the cotangent, where the hook is called with one."""

    def f(x):
        z = x * x
        z.register_hook(double)
        return z

    assert numbers(ms.jvp(f, Y, X)) == (4, 8)  # golden
    with_aux = ms.jvp(lambda x: (f(x), x + 1), Y, X, has_aux=True)
    assert numbers(with_aux) == (4, 8, 3)
    counter = Parameter(Tensor(0.0), name="counter")

    def counting(x):
        ops.assign(counter, counter + 1)
        return f(x)

    with pytest.raises(
        TypeError, match="has hooks, takes its gradient, but it writes Parameter 'co"
    ):
        ms.jvp(counting, Y, X)


def test_a_hook_that_reads_other_tensors():
    def f(x, scale):
        y = x * 2
        limit = scale * 10
        y.register_hook(lambda gradient: gradient * limit)
        return y * y

    # 2 y, then 10 scale, then 2
    assert numbers(ms.grad(f)(Tensor(3.0), Tensor(0.5))) == 12 * 5 * 2

    def late(x):
        y = x * 2
        total = y.sum()
        y.register_hook(lambda gradient: gradient * total)
        return y

    if PYNATIVE():  # runs as ordinary Python, golden
        assert numbers(ms.grad(late)(Tensor(1.0))) == 4
        return
    with pytest.raises(ValueError, match="is registered after its tensor was used"):
        ms.grad(late)(X)


def test_a_hook_of_a_copy_is_not_one_of_the_tensor():
    def f(x):
        y = x.copy()
        y.register_hook(double)
        return y * x

    assert numbers(ms.grad(f)(Tensor(3.0))) == 3 * 2 + 3

    def g(x):
        y = x.copy()
        x.register_hook(double)
        return y * x

    if PYNATIVE():  # golden
        assert numbers(ms.grad(g)(Tensor(3.0))) == 12
        return
    with pytest.raises(ValueError, match="by a copy of it"):
        ms.grad(g)(Tensor(3.0))


def test_print_in_a_hook(capsys):
    def hook(gradient):
        print("gradient", gradient)
        return gradient * 2

    slope = ms.grad(hooked_product(hook), (0, 1))
    assert numbers((slope(X, Y), slope(Tensor(3.0), Y))) == ((8, 6), (8, 18))  # golden
    hooked_product(hook)(X, Y)  # nothing is differentiated
    assert capsys.readouterr().out == "gradient 2.0\ngradient 2.0\n"


# --- inputs and Parameters --------------------------------------------------------------------


def test_a_hook_of_an_input_until_it_is_removed():
    x = Tensor(3.0)
    f = ms.grad(lambda x, y: x * y * x, (0, 1))
    handle = x.register_hook(double)
    assert numbers(f(x, Y)) == (24, 9)  # golden
    assert numbers(f(Tensor(3.0), Y)) == (12, 9)
    handle.remove()
    handle.remove()
    assert numbers(f(x, Y)) == (12, 9)  # golden


def test_a_hook_of_an_input_in_the_whole_family():
    x = Tensor(2.0)
    handles = [x.register_hook(hook) for hook in (nothing, double)]
    assert numbers(ms.grad(cube)(x)) == 24  # golden
    assert numbers(ms.value_and_grad(cube)(x)) == (8, 24)  # golden
    assert numbers(ops.GradOperation(get_all=True)(cube)(x)) == (24,)  # golden
    assert numbers(ms.vjp(cube, x)[1](X)) == (24,)  # golden
    assert numbers(ms.jvp(cube, x, X)) == (8, 24)  # golden
    assert numbers(ms.grad(ms.grad(cube))(x)) == 48  # golden
    row = Tensor([2.0, 3.0])
    row.register_hook(double)
    assert numbers(ms.jacrev(cube)(row)) == [[12, 0], [0, 27]]  # golden
    assert numbers(ms.jacfwd(cube)(row)) == [[12, 0], [0, 27]]
    for handle in handles:
        handle.remove()
    assert numbers(ms.jvp(cube, x, X)) == (8, 12)


def test_a_hook_of_a_tensor_that_a_gradient_is_taken_by_in_the_code():
    def f(x):
        z = x * x
        z.register_hook(double)
        return ms.grad(cube)(z)

    assert numbers(f(Y)) == 96  # golden
    assert numbers(ms.grad(f)(Y)) == 384  # golden of PYNATIVE_MODE; 192 in the other


class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0]), name="w")
        self.unused = Parameter(Tensor(2.0), name="unused")

    def construct(self, x):
        return x * self.w * self.w


def test_hooks_of_parameters():
    net, x = Scaled(), Tensor([3.0, 4.0])
    gradients = ms.grad(net, 0, [net.w])
    assert numbers(gradients(x)) == ([1, 4], ([6, 16],))
    handle = net.w.register_hook(times_ten)  # seen by what was compiled before
    assert numbers(gradients(x)) == ([1, 4], ([60, 160],))  # golden
    other = net.w.register_hook(plus_one)
    assert numbers(ms.grad(net, None, [net.w])(x)) == ([61, 161],)  # golden
    other.remove()
    handle.remove()
    assert numbers(gradients(x)) == ([1, 4], ([6, 16],))  # golden
    net.unused.register_hook(plus_one)  # it has no gradient: golden of PYNATIVE_MODE
    assert numbers(ms.grad(net, None, net.unused)(x)) == 1


def test_hooks_of_parameters_without_effect_are_called_with_zeros(mode):
    class Reads(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([1.0, 2.0]), name="w")
            self.read = Parameter(Tensor([1.0, 2.0]), name="read")
            self.unread = Parameter(Tensor([1.0, 2.0]), name="unread")

        def construct(self, x):
            ops.relu(x * self.read)
            return x * self.w * self.w

    calls = []

    def keep(gradient):
        calls.append(numbers(gradient))
        return gradient + 1

    x = Tensor([1.0, 2.0])
    for hook in (plus_one, keep) if mode == ms.PYNATIVE_MODE else (plus_one,):
        net = Reads()
        for w in net.trainable_params():
            w.register_hook(hook)
        want = ([3, 9], [1, 1], [1, 1])  # golden of PYNATIVE_MODE
        assert numbers(ms.grad(net, None, net.trainable_params())(x)) == want
        pull = ms.vjp(net, x, weights=net.trainable_params())[1]
        if hook is plus_one:
            assert numbers(pull(x)[1]) == ([3, 17], [1, 1], [1, 1])  # golden of PYNATIVE_MODE
    if mode == ms.PYNATIVE_MODE:
        assert calls == [[2, 8], [0, 0], [0, 0]]  # golden


def test_hooks_of_parameters_at_second_order():
    class Cubed(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(2.0), name="w")

        def construct(self, x):
            return x * self.w * self.w * self.w

    class Slope(nn.Cell):
        def __init__(self, net):
            super().__init__()
            self.net = net

        def construct(self, x):
            return ms.grad(self.net, None, self.net.w)(x)

    net = Cubed()
    net.w.register_hook(double)
    assert numbers(ms.grad(net, None, net.w)(X)) == 24  # golden
    assert numbers(ms.grad(Slope(net), None, net.w)(X)) == 48  # golden


def test_hooked_inputs_share_a_program_and_leave_no_trace():
    from cellgrad.core import hooks

    def triple(gradient):
        return gradient * 3

    f = ms.grad(lambda x: x * x)
    gc.collect()
    others = set(hooks.registered)  # of tests before this one, whose tensors may end at any time
    for _ in range(3):
        x = Tensor(3.0)
        x.register_hook(triple)
        assert numbers(f(x)) == 18
    (program,) = f._programs.values()
    assert len(program.cache) == 1
    del x
    assert not set(hooks.registered) - others


# --- operations -------------------------------------------------------------------------------


def test_insert_gradient_of():
    low, high = Tensor([0.2]), Tensor([1.0])

    def clipped(gradient):
        out = gradient
        if out > high:
            out = high
        if out < low:
            out = low
        return out

    clip, triple = ops.InsertGradientOf(clipped), ops.InsertGradientOf(lambda g: g * 3)
    all_of = ops.GradOperation(get_all=True)(lambda x, y: clip(x) * clip(y))
    np.testing.assert_array_equal(  # golden
        [v.asnumpy() for v in all_of(Tensor([1.1]), Tensor([0.1]))], np.float32([[0.2], [1.0]])
    )
    f = lambda x, y: triple(x) * y
    assert numbers((f(X, Y), ms.jit(f)(X, Y), ms.grad(f, (0, 1))(X, Y))) == (2, 2, (6, 1))  # golden
    assert numbers(ms.grad(lambda x: ops.InsertGradientOf(nothing)(x) * 5)(X)) == 5  # golden
    swap = ops.InsertGradientOf(lambda gradients: (gradients[1], gradients[0]))

    def pair(x, y):
        a, b = swap((x, y))
        return a * b

    assert numbers(ms.grad(pair, (0, 1))(X, Y)) == (1, 2)
    one = ops.InsertGradientOf(lambda gradients: gradients[0])
    with pytest.raises(TypeError, match="returned 1 gradients, but was called with 2"):
        ms.grad(lambda x: one((x, x))[0])(X)


def test_hook_backward(capsys):
    triple = ops.HookBackward(lambda gradients: gradients[0] * 3)
    f = lambda x, y: triple(x * y) * y
    assert numbers((f(X, Y), ms.grad(f, (0, 1))(X, Y))) == (4, (12, 8))  # golden of PYNATIVE_MODE

    def shown(gradients):
        print(len(gradients))
        return gradients[0] * 2, gradients[1] * 3

    both = ops.operations.HookBackward(shown)

    def g(x, y):
        a, b = both(x, y)
        return a * b

    assert numbers(ms.grad(g, (0, 1))(X, Y)) == (4, 3)  # golden of PYNATIVE_MODE
    assert capsys.readouterr().out == "2\n"
    with pytest.raises(TypeError, match="'input' must be a Tensor"):
        both(3.0)


# --- what is refused --------------------------------------------------------------------------

STATE = Parameter(Tensor(0.0), name="state")
OUTSIDE = Tensor(1.0)


def with_hook(hook):
    def f(x):
        z = x * x
        z.register_hook(hook)
        return z

    return f


def writing(gradient):
    ops.assign(STATE, gradient)
    return gradient


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: X.register_hook(3), TypeError, "'hook' must be a function, but got int"),
        (
            lambda: nn.ReLU().register_backward_pre_hook(3),
            TypeError,
            "must be a function, but got i",
        ),
        (lambda: ops.InsertGradientOf(3), TypeError, "'f' must be a function, but got int"),
        (
            lambda: ms.grad(with_hook(lambda g: 3.0))(X),
            RuntimeError,
            "must return a Tensor like the g",
        ),
        (
            lambda: ms.grad(with_hook(lambda g: g.sum()))(Tensor([1.0, 2.0])),
            ValueError,
            r"a gradient of the shape it is called with, \[2\], but returned \[\]",
        ),
    ],
)
def test_refused_hooks(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize(
    ("hook", "message"),
    [
        (writing, "hook 'writing' writes Parameter 'state'"),
        (lambda g: Tensor(g.asnumpy()), r"asnumpy\(\) needs the elements of a tensor"),
    ],
)
def test_hooks_that_only_python_runs(hook, message):
    if PYNATIVE():
        assert numbers(ms.grad(with_hook(hook))(Tensor(3.0))) == 6
        return
    with pytest.raises(TypeError, match=message):
        ms.grad(with_hook(hook))(Tensor(3.0))


def test_hooks_of_a_tensor_are_listed():
    x = Tensor(3.0)
    handles = [x.register_hook(double), x.register_hook(plus_one)]
    assert x.hooks() == [double, plus_one]
    handles[0].remove()
    assert x.hooks() == [plus_one]
    fixed = Parameter(Tensor(1.0), name="fixed", requires_grad=False)
    with pytest.raises(RuntimeError, match="requires grad is false"):
        fixed.register_hook(double)


def registering(what):
    def f(x):
        what(x)
        return x * x

    return f


@pytest.mark.parametrize(
    "what",
    [
        lambda x: STATE.register_hook(double),
        lambda x: OUTSIDE.register_hook(double),
        lambda x: RELU.register_forward_hook(print),
        lambda x: RELU.register_backward_hook(print),
        lambda x: HANDLE.remove(),
        lambda x: TENSOR_HANDLE.remove(),
    ],
)
def test_hooks_of_what_is_outside_are_not_changed_in_compiled_code(what):
    with pytest.raises(ValueError, match="once, while compiling") as e:
        ms.jit(registering(what))(X)
    assert "in registering" in str(e.value) or "test_hooks.py" in str(e.value)


RELU = nn.ReLU()
HANDLE = RELU.register_forward_hook(nothing)
TENSOR_HANDLE = OUTSIDE.register_hook(double)


def test_a_tensor_of_another_function():
    def f(x):
        y = x * 2

        def inner(z):
            y.register_hook(double)
            return z * y

        return ms.grad(inner)(x)

    if PYNATIVE():
        assert numbers(ms.grad(f)(Tensor(3.0))) == 2 * 2
        return
    with pytest.raises(ValueError, match="another function, branch or loop than the one that made"):
        ms.grad(f)(X)


def test_a_rule_that_writes_a_parameter_is_refused():
    """What it wrote was lost."""
    forward = ms.custom_rule(lambda x: x, jvp=lambda xs, ts: (writing(xs[0]), ts[0]))
    reverse = ms.custom_rule(lambda x: x, vjp=lambda x, out, dout: writing(dout))
    for f in (forward, reverse):
        if PYNATIVE() and f is reverse:  # runs as ordinary Python
            assert numbers(ms.grad(f)(Tensor(3.0))) == 1
            continue
        with pytest.raises(TypeError, match="writes Parameter 'state'") as e:
            ms.grad(f)(X)
        assert "the rule of 'lambda'" in said(e.value).lower()
