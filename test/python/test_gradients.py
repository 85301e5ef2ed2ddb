"""Derivatives against mpmath to high order, numpy in float64, and identities."""

import mpmath
import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, ParameterTuple, Tensor, nn, ops

RNG = np.random.default_rng(7)


def f64(*shape, low=-1.0, high=1.0):
    return Tensor(RNG.uniform(low, high, shape))


def nth_grad(f, n):
    for _ in range(n):
        f = ms.grad(f)
    return f


ELEMENTWISE = {
    "exp": (mpmath.exp, -0.7),
    "log": (mpmath.log, 0.7),
    "sqrt": (mpmath.sqrt, 0.7),
    "rsqrt": (lambda x: 1 / mpmath.sqrt(x), 0.7),
    "reciprocal": (lambda x: 1 / x, 0.7),
    "square": (lambda x: x * x, 0.7),
    "neg": (lambda x: -x, 0.7),
    "abs": (lambda x: abs(x), -0.7),
    "sin": (mpmath.sin, 0.7),
    "cos": (mpmath.cos, 0.7),
    "tan": (mpmath.tan, 0.7),
    "sinh": (mpmath.sinh, 0.7),
    "cosh": (mpmath.cosh, 0.7),
    "tanh": (mpmath.tanh, 0.7),
    "atanh": (mpmath.atanh, 0.4),
    "sigmoid": (lambda x: 1 / (1 + mpmath.exp(-x)), 0.7),
    "relu": (lambda x: max(x, 0), 0.7),
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise_to_third_order(name):
    oracle, at = ELEMENTWISE[name]
    function = getattr(ops, name)
    with mpmath.workdps(40):
        for order in range(4):
            wanted = mpmath.diff(oracle, mpmath.mpf(at), order) if order else oracle(mpmath.mpf(at))
            for dtype, tolerance in ((ms.float64, 1e-12), (ms.float32, 2e-6 * 10**order)):
                got = float(nth_grad(function, order)(Tensor(at, dtype)))
                assert got == pytest.approx(float(wanted), rel=tolerance, abs=1e-12), (order, dtype)


def test_sin_exp_to_order_six():
    with mpmath.workdps(40):
        for order in range(7):
            wanted = mpmath.diff(lambda t: mpmath.sin(t) * mpmath.exp(t), mpmath.mpf(0.5), order)
            got = nth_grad(lambda x: ops.sin(x) * ops.exp(x), order)(Tensor(0.5, ms.float64))
            assert float(got) == pytest.approx(float(wanted), rel=1e-12)


def test_power_by_base_and_exponent():
    x, y = Tensor(1.3, ms.float64), Tensor(2.4, ms.float64)
    dx, dy = ms.grad(lambda a, b: a**b, (0, 1))(x, y)
    with mpmath.workdps(40):
        wanted = [
            mpmath.diff(lambda a: mpmath.power(a, 2.4), 1.3),
            mpmath.diff(lambda b: mpmath.power(1.3, b), 2.4),
        ]
    np.testing.assert_allclose([float(dx), float(dy)], [float(w) for w in wanted], rtol=1e-12)
    for n in (1, 2, 3, 4, -1, 0.5, 2.0):
        got = ms.grad(lambda a: a**n)(x)  # noqa: B023
        assert float(got) == pytest.approx(n * 1.3 ** (n - 1), rel=1e-12)


# Functions of two matrices whose Jacobian-vector products must agree in both modes.
PAIRS = {
    "matmul": lambda a, b: a @ b,
    "transposed": lambda a, b: ops.MatMul(transpose_a=True, transpose_b=True)(b, a),
    "batched": lambda a, b: ops.matmul(ops.stack([a, a * 2]), b),
    "vector": lambda a, b: a[0] @ b,
    "broadcast": lambda a, b: a[:, :1] * b[0] + b.sum(0, keepdims=True),
    "quotient": lambda a, b: a / (2 + b.T * b.T),
    "reductions": lambda a, b: a.mean(0) * b.max(axis=1) + a.sum() - b.min(),
    "softmax": lambda a, b: ops.softmax(a @ b, 0),
    "variance": lambda a, b: a.var(1, ddof=1)[:, None] + b.std(),
    "shapes": lambda a, b: ops.concat([a.T.reshape(-1), b.flatten()[::2], a[1:, ::-1].ravel()]),
    "squeezes": lambda a, b: ops.squeeze(
        a[None, :, :, None] + b.T[:, None, :, None].swapaxes(0, 1)
    ),
    "selection": lambda a, b: ops.where(a > 0, a * b.T, ops.maximum(a, b.T) - ops.minimum(a, 0.1)),
    "clip": lambda a, b: ops.clip(a, -0.5, 0.5) * ops.clip_by_global_norm([b], 0.5)[0].T,
    "mse": lambda a, b: nn.MSELoss()(a, b.T),
}


@pytest.mark.parametrize("name", PAIRS)
def test_both_modes_agree_and_the_hessian_is_symmetric(name):
    f = PAIRS[name]
    a, b, ta, tb = f64(4, 3), f64(3, 4), f64(4, 3), f64(3, 4)
    out, tangent = ms.jvp(f, (a, b), (ta, tb))
    ct = f64(*out.shape)
    value, pull = ms.vjp(f, a, b)
    da, db = pull(ct)
    np.testing.assert_allclose(value.asnumpy(), out.asnumpy(), rtol=1e-12)
    forward = float((tangent * ct).sum())
    reverse = float((da * ta).sum() + (db * tb).sum())
    assert forward == pytest.approx(reverse, rel=1e-10, abs=1e-12)
    # The derivative itself, by a central difference in float64.
    h = 1e-6
    ahead, behind = f(a + h * ta, b + h * tb), f(a - h * ta, b - h * tb)
    slope = ((ahead - behind) / (2 * h)).asnumpy()
    np.testing.assert_allclose(tangent.asnumpy(), slope, rtol=1e-6, atol=1e-8)

    def directional(u, v):
        return lambda p, q: (ms.grad(lambda r, s: (f(r, s) * ct).sum(), (0,))(p, q) * u).sum() + v

    first = ms.grad(directional(ta, 0.0), 0)(a, b)
    second = ms.grad(directional(da, 0.0), 0)(a, b)
    assert float((first * da).sum()) == pytest.approx(
        float((second * ta).sum()), rel=1e-9, abs=1e-10
    )


def test_the_branch_not_taken_gives_no_nan():
    # The untaken branch is not finite in value; its cotangent is an exact zero.
    f = lambda x: ops.where(x < 100, x * x, ops.exp(x) * x).sum()
    x = Tensor([3.0, 50.0], ms.float32)
    np.testing.assert_allclose(ms.grad(f)(x).asnumpy(), [6, 100])
    second = ms.grad(lambda v: ms.grad(f)(v).sum())(x)
    np.testing.assert_allclose(second.asnumpy(), [2, 2])


def test_subgradients():
    x = Tensor([0.0, -0.0], ms.float64)
    for f in (ops.abs, ops.relu):
        np.testing.assert_array_equal(ms.grad(f)(x).asnumpy(), [0, 0])
    np.testing.assert_array_equal(ms.grad(ops.sqrt)(Tensor([0.0])).asnumpy(), [np.inf])


def test_stop_gradient_at_every_order():
    f = lambda x: ops.stop_gradient(x * x) * x
    x = Tensor(3.0)
    assert float(ms.grad(f)(x)) == 9
    assert float(nth_grad(f, 2)(x)) == 0


def test_nested_gradients_through_captured_tensors():
    # d/dv [d/du (u u v) at u = v] = d/dv 2 v v = 4 v
    assert float(ms.grad(lambda v: ms.grad(lambda u: u * u * v)(v))(Tensor(3.0))) == 12

    def f(x, y):
        return ms.grad(lambda a: ms.grad(lambda b: a * a * b * b * y)(x))(x).sum() * y

    # inner: 2 a a b y at b = x; outer by a: 4 a b y at a = x -> 4 x x y, times y
    dx, dy = ms.grad(f, (0, 1))(Tensor(2.0), Tensor(3.0))
    assert float(dx) == 8 * 2 * 9
    assert float(dy) == 8 * 4 * 3


class Potential(nn.Cell):
    def __init__(self):
        super().__init__()
        self.k = Parameter(Tensor(2.0), name="k")

    def energy(self, x):
        return self.k * (x * x * x).sum()

    def force(self, x):
        return -ms.grad(self.energy)(x)

    def construct(self, x):
        return (self.force(x) ** 2).sum()


def test_gradients_of_methods_inside_cells_and_by_weights():
    net, x = Potential(), Tensor([1.0, 2.0])
    # force = -3 k x x; loss = sum 9 k k x^4; by k: 18 k x^4; by x: 36 k k x^3
    dx, (dk,) = ms.grad(net, 0, net.trainable_params())(x)
    np.testing.assert_allclose(dx.asnumpy(), 36 * 4 * np.array([1.0, 8.0]))
    assert float(dk) == 18 * 2 * 17
    np.testing.assert_allclose(ms.grad(net.force)(x).asnumpy(), -12 * np.array([1.0, 2.0]))


class Mlp(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(3, 5), nn.Dense(5, 5), nn.Dense(5, 1)])

    def construct(self, x):
        for layer in self.layers:
            x = ops.tanh(layer(x))
        return x.sum()


def numpy_mlp(weights, x):
    for w, b in zip(weights[::2], weights[1::2]):
        x = np.tanh(x @ w.T + b)
    return x.sum()


def test_mlp_gradient_by_all_weights_against_differences_in_float64():
    ms.set_seed(3)
    net, x = Mlp(), RNG.normal(size=(4, 3)).astype(np.float32)
    params = net.trainable_params()
    value, grads = ms.value_and_grad(net, None, params)(Tensor(x))
    weights = [p.asnumpy().astype(np.float64) for p in params]
    assert float(value) == pytest.approx(numpy_mlp(weights, x), rel=1e-5)
    for k, g in enumerate(grads):
        for index in [(0,) * g.ndim, tuple(n - 1 for n in g.shape)]:
            slopes = []
            for h in (1e-6, -1e-6):
                moved = [w.copy() for w in weights]
                moved[k][index] += h
                slopes.append(numpy_mlp(moved, x))
            wanted = (slopes[0] - slopes[1]) / 2e-6
            assert g.asnumpy()[index] == pytest.approx(wanted, rel=1e-4, abs=1e-6)


def test_one_gradient_function_serves_many_signatures():
    g = ms.grad(lambda x, n=2, flag=None: x**n if flag is None else x * 0)
    for shape in ((), (2,), (2, 3)):
        for dtype in (ms.float16, ms.float32, ms.float64):
            x = Tensor(np.full(shape, 3.0), dtype)
            got = g(x)
            assert got.dtype is dtype and got.shape == shape
            np.testing.assert_allclose(got.asnumpy(), 6)
    np.testing.assert_allclose(g(x, 3).asnumpy(), 27)
    np.testing.assert_allclose(g(x, n=4).asnumpy(), 108)
    np.testing.assert_allclose(g(x, 2, "zero").asnumpy(), 0)


def test_nested_structures_of_inputs():
    f = lambda t: (t["a"] * t["b"][0]).sum()
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    g = ms.grad(f)({"a": x, "b": (y, 5)})
    np.testing.assert_allclose(g["a"].asnumpy(), [3, 4])
    np.testing.assert_allclose(g["b"][0].asnumpy(), [1, 2])


def test_sens_of_several_outputs_and_numbers():
    f = lambda x, y: (x * y, x + y, 3)
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    g = ops.GradOperation(get_all=True, sens_param=True)(f)
    dx, dy = g(x, y, (Tensor([1.0, 1.0]), Tensor([10.0, 0.0])))
    np.testing.assert_allclose(dx.asnumpy(), [13, 4])
    np.testing.assert_allclose(dy.asnumpy(), [11, 2])
    scalar = ops.GradOperation(sens_param=True)(lambda a: (a * a).sum())
    np.testing.assert_allclose(scalar(x, 0.5).asnumpy(), [1, 2])


@pytest.mark.parametrize("by_name", [False, True])
def test_sens_param_of_grad_and_value_and_grad(by_name):
    """In place of ones: after the inputs, or by name; with aux, that of the first output."""
    x, y, sens = Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor([10.0, 100.0])
    args, named = ((x, y), {"sens": sens}) if by_name else ((x, y, sens), {})
    f = lambda a, b: a * a * b
    np.testing.assert_allclose(ms.grad(f, sens_param=True)(*args, **named).asnumpy(), [60, 1600])
    both = ms.grad(f, (0, 1), sens_param=True)
    dx, dy = ms.jit(lambda *a, **k: both(*a, **k))(*args, **named)
    np.testing.assert_allclose(dx.asnumpy(), [60, 1600])
    np.testing.assert_allclose(dy.asnumpy(), [10, 400])
    value, dy = ms.value_and_grad(f, 1, sens_param=True)(*args, **named)
    np.testing.assert_allclose(value.asnumpy(), [3, 16])
    np.testing.assert_allclose(dy.asnumpy(), [10, 400])
    aux = ms.value_and_grad(lambda a, b: (a * b, b), 0, None, True, sens_param=True)
    np.testing.assert_allclose(aux(*args, **named)[1].asnumpy(), [30, 400])
    operation = ops.GradOperation(sens_param=True)(f)
    np.testing.assert_allclose(operation(*args, **named).asnumpy(), [60, 1600])


def test_vjp_and_jvp_with_weights_and_aux():
    w = Parameter(Tensor([2.0, 3.0]), name="w")
    x = Tensor([1.0, 4.0])
    out, pull, aux = ms.vjp(lambda a: ((a * w).sum(), a * 2), x, weights=w, has_aux=True)
    assert float(out) == 14
    np.testing.assert_allclose(aux.asnumpy(), [2, 8])
    (dx,), dw = pull(Tensor(1.0))
    np.testing.assert_allclose(dx.asnumpy(), [2, 3])
    np.testing.assert_allclose(dw.asnumpy(), [1, 4])
    out, tangent, aux = ms.jvp(
        lambda a: ((a * w).sum(), a * 2), x, Tensor([1.0, 1.0]), has_aux=True
    )
    assert (float(out), float(tangent)) == (14, 5)
    np.testing.assert_allclose(aux.asnumpy(), [2, 8])


def test_forward_over_reverse_and_reverse_over_forward():
    f = lambda x: (ops.sin(x) * x).sum()
    x, t = f64(3), f64(3)
    over = ms.jvp(ms.grad(f), x, t)[1]
    under = ms.grad(lambda v: ms.jvp(f, v, t)[1])(x)
    np.testing.assert_allclose(over.asnumpy(), under.asnumpy(), rtol=1e-12)
    second = (2 * np.cos(x.asnumpy()) - x.asnumpy() * np.sin(x.asnumpy())) * t.asnumpy()
    np.testing.assert_allclose(over.asnumpy(), second, rtol=1e-12)


def test_weights_set_after_compilation_are_seen():
    net = nn.Dense(2, 1, weight_init="ones", has_bias=False)
    g = ms.grad(net)
    x = Tensor([[1.0, 2.0]])
    np.testing.assert_allclose(g(x).asnumpy(), [[1, 1]])
    net.weight.set_data(Tensor([[5.0, 6.0]]))
    np.testing.assert_allclose(g(x).asnumpy(), [[5, 6]])
    assert float(net(x)[0, 0]) == 17


def test_requires_grad_false_leaves_the_list_but_not_the_gradient():
    net = nn.Dense(2, 1, weight_init="ones")
    net.bias.requires_grad = False
    assert [p.name for p in net.trainable_params()] == ["weight"]
    (db,) = ms.grad(net, None, ParameterTuple([net.bias]))(Tensor([[1.0, 2.0]]))
    np.testing.assert_allclose(db.asnumpy(), [1])


def test_zero_size_tensors():
    x = Tensor(np.zeros((0, 3), np.float32))
    assert ms.grad(lambda v: (v * 2).sum())(x).shape == (0, 3)
    assert float(x.sum()) == 0
    assert (x @ Tensor(np.ones((3, 2), np.float32))).shape == (0, 2)
    y = Tensor(np.ones((2, 0), np.float32)) @ Tensor(np.ones((0, 2), np.float32))
    np.testing.assert_array_equal(y.asnumpy(), np.zeros((2, 2)))


def test_infinities_and_nan_propagate():
    x = Tensor([np.inf, -np.inf, np.nan, 1.0])
    np.testing.assert_array_equal((x * 2).asnumpy(), [np.inf, -np.inf, np.nan, 2])
    np.testing.assert_array_equal(ops.exp(x).asnumpy()[:3], [np.inf, 0, np.nan])
    np.testing.assert_array_equal(ops.isfinite(x).asnumpy(), [False, False, False, True])
    assert np.isnan(float(x.max())) and np.isnan(float(x.sum()))
    np.testing.assert_array_equal(
        ms.grad(lambda v: v * v)(x).asnumpy(), [np.inf, -np.inf, np.nan, 2]
    )


def test_halves_are_added_in_float32():
    x = Tensor(np.ones(100000), ms.float16)
    assert float(x.mean()) == 1
    assert float((x * 0.01).sum()) == pytest.approx(1000, rel=1e-3)
    assert float(x.var()) == 0
    assert float(ops.softmax(x[:1000])[0]) == pytest.approx(1e-3, rel=1e-2)
    np.testing.assert_allclose(ms.grad(lambda v: v.mean())(x).asnumpy(), 1e-5, rtol=1e-2)


def test_the_mode_may_change_between_calls_of_one_gradient():
    ran = []

    def square(x):
        ran.append(type(x))
        return x * x

    gradient = ms.grad(square)
    fixed = Parameter(Tensor(3.0), name="fixed", requires_grad=False)
    for _ in range(2):
        assert gradient(fixed).asnumpy() == 6
        ms.set_context(mode=ms.PYNATIVE_MODE)
        try:
            assert gradient(fixed).asnumpy() == 0
        finally:
            ms.set_context(mode=ms.GRAPH_MODE)
        ran.clear()
        with ms.debug.eager():
            gradient(Tensor(3.0))
        assert ran == [Tensor]


def test_what_else_stop_gradient_takes():
    """Numbers and structures, as MindSpore 2.10 does in both of its modes."""

    def f(x, y):
        pair, other = ops.stop_gradient(((x, 2), {"a": [y, None]}))
        return pair[0] * pair[1] * x + other["a"][0] * y * ops.stop_gradient(3)

    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        found = ms.grad(f, (0, 1))(Tensor(2.0), Tensor(5.0))
        assert [float(g) for g in found] == [4.0, 15.0]
    assert [ops.stop_gradient(v) for v in (1, 2.5, True, None)] == [1, 2.5, True, None]
