"""Derivatives that the user gives, and recomputation."""

import re
from contextlib import nullcontext

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops

X, Y = Tensor(3.0), Tensor(5.0)


@ms.custom_rule(vjp=lambda x, out, dout: dout * 7 * x)
def square_by_vjp(x):
    return x * x


@ms.custom_rule(jvp=lambda xs, ts: (xs[0] * xs[1], ts[0] * xs[1] * 10 + xs[0] * ts[1]))
def product_by_jvp(x, y):
    return x * y


def test_vjp_rule_at_every_order():
    assert float(square_by_vjp(X)) == 9
    assert float(ms.grad(square_by_vjp)(X)) == 21
    assert float(ms.grad(ms.grad(square_by_vjp))(X)) == 7
    # The rule holds for the inner function at the outer level too: d/dx (7x * f(x)) = 7 f + 7x * 7x.
    outer = ms.grad(lambda x: ms.grad(square_by_vjp)(x) * square_by_vjp(x))
    assert float(outer(X)) == 7 * 9 + 21 * 21


def test_jvp_rule_serves_both_modes():
    assert [float(g) for g in ms.grad(product_by_jvp, (0, 1))(X, Y)] == [50, 3]
    out, tangent = ms.jvp(product_by_jvp, (X, Y), (Tensor(1.0), Tensor(2.0)))
    assert (float(out), float(tangent)) == (15, 56)
    assert float(ms.grad(ms.grad(product_by_jvp, 0), 1)(X, Y)) == 10


@ms.custom_rule(jvp=lambda xs, ts: (own_jvp(xs[0]), ts[0] * (3 * xs[0] + own_jvp(xs[0]))))
def own_jvp(x):
    return x * x


@ms.custom_rule(vjp=lambda x, out, dout: dout * (3 * x + own_vjp(x)))
def own_vjp(x):
    return x * x


@pytest.mark.parametrize("function", [own_jvp, own_vjp, ms.jit(own_jvp)])
def test_a_rule_that_calls_its_function(function):
    assert float(function(X)) == 9
    first = lambda x: ms.grad(function)(x)
    second = lambda x: ms.grad(first)(x)
    # The slope is 3x + f by the rule, and that of f in it is again by the rule, not 2x.
    assert [float(first(X)), float(second(X)), float(ms.grad(second)(X))] == [18, 21, 21]
    np.testing.assert_array_equal(ms.vmap(second)(Tensor([3.0, 1.0])).asnumpy(), [21, 7])
    in_loop = lambda x: ops.ForiLoop()(0, 1, lambda i, v: function(v), x)
    assert float(ms.grad(ms.grad(in_loop))(X)) == 21


def test_a_rule_that_calls_its_function_in_forward_mode():
    forward = lambda f: lambda x: ms.jvp(f, x, ops.ones_like(x))[1]
    assert float(forward(forward(forward(own_jvp)))(X)) == 21
    assert float(forward(ms.grad(own_jvp))(X)) == float(ms.grad(forward(own_jvp))(X)) == 21


@pytest.mark.parametrize("mode", [nullcontext, ms.debug.eager], ids=["compiled", "eager"])
def test_a_rule_of_another_form_is_refused(mode):
    both = "takes (x, t), but it is called with 3 arguments: too many positional arguments"
    with mode(), pytest.raises(TypeError, match=re.escape(both)) as caught:
        ms.grad(ms.custom_rule(lambda x: x * x, vjp=lambda x, t: t * x))(X)
    assert "hint: a rule is vjp(*args, out, dout)" in said(caught.value)
    assert "test_custom_rules.py" in str(caught.value)


def test_a_rule_of_forward_mode_of_another_form_is_refused():
    with pytest.raises(TypeError, match=r"2 arguments: missing a required argument: 't'") as caught:
        ms.grad(ms.custom_rule(lambda x: x * x, jvp=lambda x, out, t: t * x))(X)
    assert "hint: a rule is jvp(args, tangents), two tuples" in said(caught.value)


class Bprop(nn.Cell):
    def construct(self, x, y):
        return x * y + y

    def bprop(self, x, y, out, dout):
        return x + dout, y * 2


def test_bprop_of_a_cell():
    net = Bprop()
    assert float(net(X, Y)) == 20
    assert [float(g) for g in ms.grad(net, (0, 1))(X, Y)] == [4, 10]
    assert [float(g) for g in ms.grad(ms.jit(lambda x, y: net(x, y) * 3), (0, 1))(X, Y)] == [6, 10]


class TooFew(Bprop):
    def bprop(self, x, y, out, dout):
        return (dout,)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("kind", [TypeError, RuntimeError])
def test_too_few_gradients_of_a_cell_have_mindspores_class(mode, kind):
    """A RuntimeError there, in both modes."""
    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        with pytest.raises(kind, match="gives 1 gradients for 2 arguments"):
            ms.grad(TooFew(), (0, 1))(X, Y)
    finally:
        ms.set_context(mode=before)


def test_nested_arguments_integers_and_none():
    def rule(pair, n, out, dout):
        return (dout[0] * pair[1], dout[0] * 2), None

    @ms.custom_rule(vjp=rule)
    def f(pair, n):
        return pair[0] * pair[1], n + 1

    x = Tensor([1.0, 2.0])
    da, db = ms.grad(lambda a, b: f((a, b), Tensor(3))[0].sum(), (0, 1))(x, x + 1)
    np.testing.assert_array_equal(da.asnumpy(), [2.0, 3.0])
    np.testing.assert_array_equal(db.asnumpy(), [2.0, 2.0])


def test_rule_inside_a_loop():
    def f(x):
        k = 0
        while k < 3:
            x = square_by_vjp(x)
            k = k + 1
        return x

    # 7 x at x = 2, 4, 16.
    assert float(ms.grad(f)(Tensor(2.0))) == 14 * 28 * 112


@pytest.mark.parametrize(
    "program, kind, words",
    [
        (lambda: ms.jvp(square_by_vjp, (X,), (X,)), ms.CompileError, "has a vjp rule only"),
        (lambda: ms.custom_rule(lambda x: x), TypeError, "give one of vjp and jvp"),
        (
            lambda: ms.grad(ms.custom_rule(lambda x: x, vjp=lambda x, out, dout: (x, x)))(X),
            TypeError,
            "gives 2 gradients for 1 arguments",
        ),
        (
            lambda: ms.grad(ms.custom_rule(lambda x: x, vjp=lambda x, out, dout: Tensor([1.0])))(X),
            ValueError,
            r"a gradient of shape \[1\] for argument 0, which has shape \[\]",
        ),
        (
            lambda: ms.grad(ms.custom_rule(lambda x: x, jvp=lambda x, t: x[0]))(X),
            TypeError,
            "must return \\(result, tangent\\)",
        ),
        (
            lambda: ms.grad(ms.custom_rule(lambda x: x, jvp=lambda x, t: ((x, x), (t, t))))(X),
            TypeError,
            "but the function gives",
        ),
        (
            lambda: ms.grad(lambda c: ms.custom_rule(lambda x: x * c, vjp=lambda x, o, d: d)(X))(Y),
            ms.CompileError,
            "captured value",
        ),
    ],
)
def test_errors(program, kind, words):
    with pytest.raises(kind) as caught:
        program()
    assert re.search(words, said(caught.value))


@pytest.mark.parametrize(
    "tangent, words",
    [
        (lambda x, t: 3 * x * x * t * t, "not linear in the tangents"),
        (lambda x, t: ops.sin(t) * x, "not linear in the tangents"),
        (lambda x, t: ops.relu(t), "not linear"),
        (lambda x, t: ops.floor(t) * x, "'cell.floor' of a tangent is not linear"),
        (lambda x, t: ops.stop_gradient(t) * x, "'cell.stop_gradient' of a tangent"),
        (lambda x, t: 3 * x * x, "tangent 0 of its results does not depend on the tangents"),
    ],
)
def test_jvp_rules_that_cannot_be_transposed(tangent, words):
    """Forward mode does as it is told; reverse mode would be something else."""
    rule = lambda xs, ts: (xs[0] ** 3, tangent(xs[0], ts[0]))
    cube = ms.custom_rule(lambda x: x**3, jvp=rule)
    ms.jvp(cube, X, Tensor(1.0))
    with pytest.raises(ms.CompileError, match=words):
        ms.grad(cube)(X)


def test_jvp_rules_that_are_linear_in_other_ways():
    """Choices by the argument, loops, branches, nested rules, tangents that are zero."""

    def looped(xs, ts):
        (x,), (t,), k = xs, ts, 0
        value, tangent = x, t
        while k < 2:
            tangent = tangent * x + value * t
            value = value * x
            k = k + 1
        return value, tangent

    def branched(xs, ts):
        (x,), (t,) = xs, ts
        tangent = 3 * x * x * t if x > 0 else t * 0
        return x**3, tangent

    def nested(xs, ts):
        return ms.jvp(lambda x: product_by_jvp(x, x) * x, xs[0], ts[0])

    for rule, slope in [
        (looped, 27),
        (branched, 27),
        (lambda xs, ts: (xs[0] ** 3, ops.where(xs[0] > 0, 5 * ts[0], ts[0] / xs[0])), 5),
        (lambda xs, ts: (xs[0] ** 3, ops.zeros_like(xs[0])), 0),
        (lambda xs, ts: (xs[0] ** 3, -ts[0]), -1),
        (lambda xs, ts: (xs[0] ** 3, ops.lgamma(xs[0]) * ops.zeros_like(xs[0])), 0),
        (lambda xs, ts: (xs[0] ** 3, ops.where(ops.isfinite(ts[0]), ts[0], 0.0)), 1),
        # d(10 x dx + x dx) x + x^2 dx at x = 3
        (nested, 11 * 9 + 9),
    ]:
        cube = ms.custom_rule(lambda x: x**3, jvp=rule)
        assert float(ms.grad(cube)(Tensor(3.0))) == slope
        assert float(ms.jvp(cube, Tensor(3.0), Tensor(1.0))[1]) == slope


def test_state_in_a_ruled_function_is_refused():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.n = Parameter(Tensor(0.0), name="n")

        def construct(self, x):
            self.n += 1
            return x * 2

        def bprop(self, x, out, dout):
            return dout

    with pytest.raises(TypeError, match="writes Parameter 'n'"):
        ms.grad(Net())(X)


# --- recompute --------------------------------------------------------------------------------


def network():
    layers = []
    for _ in range(3):
        layers += [nn.Dense(8, 8), nn.Tanh()]
    return nn.SequentialCell(*layers)


def gradients(net, x):
    loss = ms.grad(lambda v: ops.sum(net(v) ** 2), 0, net.trainable_params())
    g, weights = loss(x)
    return [g.asnumpy(), *(w.asnumpy() for w in weights)]


def test_recompute_changes_no_number():
    net = network()
    x = Tensor(np.random.default_rng(0).normal(size=(5, 8)).astype(np.float32))
    before = gradients(net, x)
    for cell in net:
        cell.recompute()
    for a, b in zip(before, gradients(net, x), strict=True):
        np.testing.assert_array_equal(a, b)
    second = ms.grad(ms.grad(lambda v: ops.sum(ms.recompute(ops.sin, v))))
    np.testing.assert_allclose(second(X).asnumpy(), -np.sin(3.0), rtol=1e-6)


def test_recompute_writes_state_once():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.n = Parameter(Tensor(0.0), name="n", requires_grad=False)

        def construct(self, x):
            self.n += 1
            return ops.sin(x)

    net = Net()
    net.recompute()
    ms.grad(net)(X)
    assert float(net.n) == 1


def test_rules_hold_under_vmap():
    xs = Tensor([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(ms.vmap(square_by_vjp)(xs).asnumpy(), [1.0, 4.0, 9.0])
    mapped = ms.grad(lambda v: ms.vmap(square_by_vjp)(v).sum())(xs)
    np.testing.assert_array_equal(mapped.asnumpy(), [7.0, 14.0, 21.0])
    np.testing.assert_array_equal(ms.vmap(ms.grad(square_by_vjp))(xs).asnumpy(), [7.0, 14.0, 21.0])
    first, second = ms.grad(lambda a, b: ms.vmap(product_by_jvp, (0, None))(a, b).sum(), (0, 1))(
        xs, Tensor(2.0)
    )
    np.testing.assert_array_equal(first.asnumpy(), [20.0, 20.0, 20.0])
    assert float(second) == 6


def test_a_cell_with_a_rule_returns_an_input_as_a_tensor_of_its_own(mode):
    class Same(nn.Cell):
        def construct(self, x, y):
            return x, x + y

        def bprop(self, x, y, out, dout):
            return 3 * dout[0], y

    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    same, total = Same()(x, y)  # another tensor in MindSpore 2.10 where gradients are taken, too
    same[0] = 7.0
    assert same is not x and x[0] == 1 and total[1] == 6
    assert ms.grad(lambda x: Same()(x, y)[0].sum())(x).asnumpy().tolist() == [3, 3]
