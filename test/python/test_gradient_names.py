"""The rest of the gradient family: `jet`, `derivative`, `linearize`, `nn.Jvp`, `nn.Vjp`, `custom_vjp`,
`get_grad`, and how arguments are given. Values that a comment calls golden are MindSpore 2.10's; its modes
agree on them unless the comment names one.
"""

import contextlib
import functools

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops
from cellgrad.ops import composite as C
from cellgrad.ops import functional as F
from cellgrad.ops.function.grad.grad_func import custom_vjp


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=ms.GRAPH_MODE)


def numbers(tree):
    if isinstance(tree, tuple | list):
        return type(tree)(numbers(v) for v in tree)
    return tree.asnumpy().tolist() if isinstance(tree, Tensor) else tree


def close(tree, expected, rtol=2e-6):
    """Whether nested tensors have these elements, in tuples and lists as these are."""
    if isinstance(expected, tuple) or (isinstance(expected, list) and isinstance(tree, list)):
        assert type(tree) is type(expected) and len(tree) == len(expected)
        for a, b in zip(tree, expected, strict=True):
            close(a, b, rtol)
    else:
        np.testing.assert_allclose(tree.asnumpy(), expected, rtol=rtol)


class Mul(nn.Cell):
    def construct(self, x, y):
        return x * x * y


class Two(nn.Cell):
    def construct(self, x, y):
        return x * x * y, x + y


class OneTwo(nn.Cell):
    def construct(self, x):
        return x * x * x, 2 * x


class SinExp(nn.Cell):
    def construct(self, x):
        return ops.exp(ops.sin(x))


def product(x, y):
    return ops.sin(x) * ops.exp(y)


def two(x):
    return ops.sin(x), ops.exp(x)


cube = lambda x: x * x * x
A, B = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
ONE, STEEP = Tensor([1.0, 1.0]), Tensor([1.0, 10.0])
RATES = (ONE, Tensor([0.0, 1.0]))


def test_every_name_is_where_scripts_look_for_it():
    for name in ("derivative", "get_grad", "grad", "jacfwd", "jacrev", "jet", "jvp", "linearize"):
        assert getattr(ops.functional, name) is getattr(F, name) is getattr(ops, name)
    for name in ("value_and_grad", "vjp", "vmap", "stop_gradient", "GradOperation"):
        assert getattr(ops.functional, name) is getattr(ops, name)
    for name in ("GradOperation", "HyperMap", "zeros_like", "ones_like", "matmul", "normal"):
        assert getattr(ops.composite, name) is getattr(C, name) is getattr(ops, name)
    for name in ("InsertGradientOf", "HookBackward"):
        assert getattr(ops.operations, name) is getattr(ops, name)
    assert nn.grad.Jvp is nn.Jvp and nn.grad.Vjp is nn.Vjp
    assert nn.grad.cell_grad.Jvp is nn.Jvp
    assert ops.custom_vjp is custom_vjp
    assert ops.function.grad.grad_func.grad is ms.grad


# --- jet and derivative -----------------------------------------------------------------------


def test_jet():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    series = Tensor([[[1.0, 1.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]])
    rows = [  # golden
        [[1.2533808, -1.0331169], [-1.1400385, -0.3066661]],
        [[-1.2748204, -1.8274732], [0.966121, 0.5555149]],
        [[-4.0515366, 3.6724353], [0.5053504, -0.520614]],
    ]
    close(ops.jet(SinExp(), x, series), ([[2.319777, 2.4825778], [1.1515628, 0.4691641]], rows))
    curved = Tensor([[2.0, 3.0], [0.5, -1.0], [0.25, 4.0]])
    values = [2.319777, 2.4825778]
    rows = [[2.5067616, -3.0993507], [-4.4725914, -15.4141417], [-35.9234047, 111.4705353]]
    close(ops.jet(SinExp(), A, curved), (values, rows))  # golden
    close(ops.jet(SinExp(), A, ONE), (values, [[1.2533808, -1.0331169]]))  # golden
    whole = ops.jet(SinExp(), Tensor([1, 2], ms.int32), Tensor([[1, 1]], ms.int32))
    close(whole, (values, [[1.2533808, -1.0331169]]))  # golden
    assert whole[0].dtype == ms.float32
    close(ops.jet(SinExp(), Tensor(1.0), Tensor([1.0, 0.0])), (2.319777, [1.2533808, -1.2748204]))


def test_jet_of_several_inputs_and_outputs():
    ahead = Tensor([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    rows = [[27.7536736, 26.9251366], [21.7045364, -45.4417419], [-12.0982761, -144.7337494]]
    close(ops.jet(product, (A, B), (ahead, ahead)), ([16.9014053, 49.6460075], rows))  # golden
    found = ops.jet(two, A, Tensor([[1.0, 1.0], [0.0, 0.0]]))
    sine, power = [0.841471, 0.9092974], [2.7182798, 7.3890600]
    first = [[0.5403023, -0.4161468], [-0.841471, -0.9092974]]
    close(found, ([sine, power], [first, [power, power]]))  # golden, with its lists


def test_jet_against_the_derivatives_of_a_composition():
    """Faà di Bruno's formula for x(t) along given derivatives, in float64."""
    x, (d1, d2, d3) = 0.7, (1.5, -0.4, 2.0)
    f = lambda x: ops.log(x) * x**3 / (1 + x)
    grads = [ms.grad(f)]
    for _ in range(2):
        grads.append(ms.grad(grads[-1]))
    at = Tensor(x, ms.float64)
    f1, f2, f3 = (float(g(at)) for g in grads)
    expected = [f1 * d1, f2 * d1**2 + f1 * d2, f3 * d1**3 + 3 * f2 * d1 * d2 + f1 * d3]
    series = Tensor([d1, d2, d3], ms.float64)
    found = ms.jit(lambda x, s: ops.jet(f, x, s))(at, series)
    close(found[1], expected, 1e-13)
    # It is differentiable itself.
    slope = ms.grad(lambda s: ops.jet(f, at, s)[1][1])(series)
    close(slope, [2 * f2 * d1, f1, 0.0], 1e-13)
    batch = ms.vmap(lambda x: ops.jet(f, x, series)[1])(Tensor([x, x], ms.float64))
    close(batch, [expected, expected], 1e-13)


def test_derivative():
    values, second = [2.319777, 2.4825778], [-1.2748204, -1.8274732]
    close(ops.derivative(SinExp(), A, 1), (values, [1.2533808, -1.0331169]))  # golden
    close(ops.derivative(SinExp(), A, 2), (values, second))  # golden
    close(ops.derivative(SinExp(), (A,), 2), (values, second))  # golden
    close(ops.derivative(SinExp(), Tensor([1, 2], ms.int32), 2), (values, second))  # golden
    both = ([16.9014053, 49.6460075], [21.7045364, -45.4417419])
    close(ops.derivative(product, (A, B), 2), both)  # golden
    sine, power = [0.841471, 0.9092974], [2.7182798, 7.3890600]
    close(ops.derivative(two, A, 2), ([sine, power], [[-s for s in sine], power]))  # golden
    wide = ops.derivative(SinExp(), Tensor([1.0, 2.0], ms.float64), 2)
    close(wide, ([2.319776824715853, 2.4825777280150008], [-1.274820370420696, -1.827473223578829]))
    assert wide[1].dtype == ms.float64
    close(ops.derivative(lambda x: x**3, A, 2), ([1, 8], [6, 12]))  # MindSpore has no rule for **


# --- linearize, Jvp, Vjp ----------------------------------------------------------------------


def test_linearize():
    out, along = ops.linearize(Mul(), (A, B))
    others = along((Tensor([1.0, 0.0]), RATES[1]))
    assert numbers((out, along(RATES), others)) == ([3, 16], [6, 20], [6, 4])  # golden
    out, along = ops.linearize(cube, A)
    assert numbers((out, along(STEEP))) == ([1, 8], [3, 120])  # golden
    out, along = ops.linearize(Two(), [A, B])
    assert numbers((out, along(list(RATES)))) == (([3, 16], [4, 6]), ([6, 20], [1, 2]))  # golden

    @ms.jit
    def inside(x, v):
        out, along = ops.linearize(SinExp(), x)
        return out, along(v)

    close(inside(A, STEEP), ([2.319777, 2.4825778], [1.2533808, -10.331169]))  # golden
    slope = ms.grad(lambda x: ops.linearize(cube, x)[1](STEEP))(A)
    assert numbers(slope) == [6, 120]


def test_jvp_and_vjp_as_cells():
    assert numbers(nn.Jvp(Mul())(A, B, RATES)) == ([3, 16], [6, 20])  # golden
    assert numbers(nn.Jvp(cube)(A, STEEP)) == ([1, 8], [3, 120])  # golden
    assert numbers(nn.Jvp(OneTwo())(A, STEEP)) == (([1, 8], [2, 4]), ([3, 120], [2, 20]))  # golden
    assert numbers(nn.Jvp(Two())(A, B, RATES)) == (([3, 16], [4, 6]), ([6, 20], [1, 2]))  # golden
    assert numbers(nn.Vjp(Mul())(A, B, ONE)) == ([3, 16], ([6, 16], [1, 4]))  # golden
    assert numbers(nn.Vjp(cube)(A, STEEP)) == ([1, 8], [3, 120])  # golden
    pulled = nn.Vjp(Two())(A, B, (ONE, STEEP))
    assert numbers(pulled) == (([3, 16], [4, 6]), ([7, 26], [2, 14]))  # golden
    assert numbers(nn.Vjp(OneTwo())(A, (ONE, STEEP))) == (([1, 8], [2, 4]), [5, 32])  # golden
    with pytest.raises(TypeError, match="the inputs and the direction, but got 1"):
        nn.Jvp(cube)(A)


def test_custom_vjp():
    @custom_vjp
    def scaled(x, y):
        return x * y

    scaled.defbwd(lambda x, y, out, dout: (x * 10 + dout, y * 100))
    x, y = Tensor(2.0), Tensor(3.0)
    assert numbers((scaled(x, y), ms.grad(scaled, (0, 1))(x, y))) == (6, (21, 300))  # golden

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.f = custom_vjp()(lambda x, y: x * y)
            self.f.defbwd(lambda x, y, out, dout: (x * 10 + dout, y * 100))

        def construct(self, x, y):
            return self.f(x, y) * 2

    assert numbers(ms.grad(Net(), (0, 1))(x, y)) == (22, 300)  # golden
    with pytest.raises(TypeError, match="is undefined"):
        ms.grad(custom_vjp(cube))(x)

    @custom_vjp
    def branching(x):
        return x if x > 0 else -x

    def backward(x, out, dout):  # evaluated, as the user's code is
        if x > 0:
            return dout * 5
        return dout * 7

    branching.defbwd(backward)
    assert [numbers(ms.grad(branching)(Tensor(v))) for v in (1.0, -1.0)] == [5, 7]


# --- ids --------------------------------------------------------------------------------------


class Affine(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0]), name="w")
        self.b = Parameter(Tensor([0.0, 1.0]), name="b")

    def construct(self, x, y):
        return x * self.w * y + self.b


def test_get_grad_of_every_form():
    net = Affine()
    x, y, w, b = [3, 8], [1, 4], [3, 8], [1, 1]
    forms = [  # golden
        (0, None, (0, x)),
        ((0,), None, (0, x)),
        ((1, 0), None, ((1, y), (0, x))),
        (None, net.w, ("w", w)),
        (None, [net.w], (("w", w),)),
        (0, net.w, ((0, x), ("w", w))),
        ((0, 1), [net.w, net.b], (((0, x), (1, y)), (("w", w), ("b", b)))),
        (1, [net.b], ((1, y), (("b", b),))),
    ]
    for position, weights, expected in forms:
        found = ms.grad(net, position, weights, return_ids=True)(A, B)
        assert numbers(found) == expected
        text = repr(expected)
        for which, value in ((0, x), (1, y), (net.w, w), (net.b, b)):
            label = repr(which.name) if isinstance(which, Parameter) else str(which)
            if f"({label}, [" in text:
                assert numbers(ms.get_grad(found, which)) == value
            else:
                with pytest.raises(RuntimeError, match="there is no gradient for"):
                    ms.get_grad(found, which)


# --- arguments --------------------------------------------------------------------------------

X, Y, Z = Tensor(2.0), Tensor(3.0), Tensor(4.0)


def starred(*args):
    return args[0] * args[1] + args[2] ** 2


def keyword_only(x, *, y):
    return x * x * y


def plain(x, y):
    return x * x * y


def keywords(x, **named):
    return x * named["b"] * named["a"]


def default(x, y=3.0):
    return x * x * y


def three(x, y, z):
    return x * x * y * z


every = ops.GradOperation(get_all=True)


def test_star_arguments_and_defaults():
    assert numbers(ms.grad(starred, (0, 1, 2))(X, Y, Z)) == (3, 2, 8)  # golden
    assert numbers(every(starred)(X, Y, Z)) == (3, 2, 8)  # golden
    assert numbers(ms.grad(default)(X)) == 12  # golden
    assert numbers(ms.grad(default, (0, 1))(X, Z)) == (16, 4)  # golden
    with pytest.raises(IndexError, match="Position index 1 is exceed input size"):
        ms.grad(default, (0, 1))(X)


def test_inputs_by_name_have_the_positions_after_the_others():
    """Golden of PYNATIVE_MODE; the other takes names with GradOperation only."""
    assert numbers(ms.grad(keyword_only)(X, y=Y)) == 12
    assert numbers(every(keyword_only)(X, y=Y)) == (12, 4)  # golden of both modes
    assert numbers(ms.grad(plain, 1)(X, y=Y)) == 4
    assert numbers(ms.grad(plain, (0, 1))(X, y=Y)) == (12, 4)
    assert numbers(every(plain)(X, y=Y)) == (12, 4)  # golden of both modes
    assert numbers(ms.grad(plain, 0)(x=X, y=Y)) == 12
    assert numbers(ms.grad(plain, (0, 1))(y=Y, x=X)) == (4, 12)
    assert numbers(ms.grad(keywords)(X, a=Y, b=Z)) == 12
    assert numbers(every(keywords)(X, a=Y, b=Z)) == (12, 8, 6)  # golden of both modes
    assert numbers(every(keywords)(X, b=Z, a=Y)) == (12, 6, 8)
    sens = ops.GradOperation(get_all=True, sens_param=True)(plain)
    assert numbers(sens(X, y=Y, sens=Tensor(10.0))) == (120, 40)
    inside = ms.jit(lambda x, y: ms.grad(plain, (1, 0), return_ids=True)(x, y=y))
    assert numbers(inside(X, Y)) == ((1, 4), (0, 12))


class Plain:
    def __init__(self):
        self.k = 3.0

    def method(self, x):
        return x * x * self.k

    def __call__(self, x):
        return x * x * x

    @staticmethod
    def static(x):
        return x * 7

    @classmethod
    def of_class(cls, x):
        return x * x


class Methods(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(3.0), name="w")

    def construct(self, x):
        return self.method(x)

    def method(self, x):
        return x * x * self.w


def test_callables_of_every_kind():
    net = Methods()
    assert numbers(ms.grad(net.method)(X)) == 12  # golden
    assert numbers(ms.grad(net.method, 0, net.trainable_params())(X)) == (12, (4,))  # golden
    assert numbers(ms.grad(Plain().method)(X)) == 12  # golden
    assert numbers((ms.grad(Plain.static)(X), ms.grad(Plain.of_class)(X))) == (7, 4)
    assert numbers(ms.grad(Plain())(X)) == 12
    first, last = functools.partial(three, X), functools.partial(three, z=X)
    assert numbers(ms.grad(first, (0, 1))(Y, Z)) == (16, 12)
    assert numbers(ms.grad(last, (0, 1))(Y, Z)) == (48, 18)
    assert numbers(every(first)(Y, Z)) == (16, 12)

    def nested(x, y):
        def inner(a):
            return a * a * y

        return ms.grad(inner)(x) * x

    assert numbers(ms.grad(nested, (0, 1))(X, Y)) == (24, 8)  # golden

    def power(x, n):
        return ops.ones_like(x) if n == 0 else x * power(x, n - 1)

    assert numbers(ms.grad(power)(X, 3)) == 12  # golden
    w = Parameter(Tensor(2.0), name="w")
    assert numbers(ms.grad(lambda: w * w, None, w)()) == 4  # golden


class Divided(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = Parameter(Tensor(0.5), name="p")
        self.unread = Parameter(Tensor(7.0), name="unread")
        self.frozen = Parameter(Tensor(2.0), name="frozen", requires_grad=False)

    def construct(self, x):
        return x / self.p * self.frozen


class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.q = Parameter(Tensor(0.25), name="q")
        self.net = Divided()

    def construct(self, x):
        return self.net(x + x) * self.q


@pytest.mark.parametrize("how", [contextlib.nullcontext, ms.debug.eager])
def test_weights_that_are_not_given_are_those_that_are_read(how):
    with how():
        weights_that_are_read()


def weights_that_are_read():
    net = Scaled()
    x = Tensor([1.0, 2.0])
    by_weights = ops.GradOperation(get_by_list=True)
    both = ops.GradOperation(get_all=True, get_by_list=True)
    assert numbers(by_weights(net)(x)) == (-12, 24)  # golden, in PyNative mode: p before q
    assert numbers(both(net)(x)) == (([2, 2],), (-12, 24))  # golden, in PyNative mode
    w = Parameter(Tensor(3.0), name="w")
    v = Parameter(Tensor(5.0), name="v")

    def f(x):
        return x * v * w * v

    assert numbers(by_weights(f)(x)) == (90, 75)  # golden, in PyNative mode
    assert numbers(by_weights(lambda x: net(x) * w)(x)) == (-36, 72, 6)  # golden, in PyNative mode
    assert by_weights(lambda x: x * x)(x) == ()  # golden
    assert numbers(ms.jit(lambda x: both(f)(x))(x)) == (([75, 75],), (90, 75))
    net.q.requires_grad = False
    assert numbers(by_weights(net)(x)) == (-12,)
    net.q.requires_grad = True
    assert numbers(by_weights(net)(x)) == (-12, 24)


@pytest.mark.parametrize("how", [contextlib.nullcontext, ms.debug.eager])
def test_lists_of_tensors_beside_a_tensor_have_derivatives(how):
    with how():
        lists_of_tensors()


def lists_of_tensors():
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 5.0])

    def both(f, values, dx, dy):
        assert numbers(f(x, y)) == values
        assert numbers(ms.grad(f, (0, 1))(x, y)) == (dx, dy)

    both(lambda x, y: (x, y) + x * y, [[4, 12], [6, 15]], [7, 11], [3, 5])  # golden
    both(lambda x, y: x * y + (x, y), [[4, 12], [6, 15]], [7, 11], [3, 5])  # golden
    # golden in graph mode, refused in PyNative mode:
    both(lambda x, y: [x, y] * x, [[1, 4], [3, 10]], [5, 9], [1, 2])
    both(lambda x, y: (x, y) / x, [[1, 1], [3, 2.5]], [-3, -1.25], [1, 0.5])
    both(lambda x, y: x * (x[0], y[1]), [1, 10], [2, 5], [0, 2])
    # By hand: d/dx of 4 * x * y - 2 * x - 2 * y.
    nested = [[[2, 8], [0, 5]], [[0, 5], [2, 8]]]
    both(lambda x, y: x * y - ((x, y), (y, x)), nested, [10, 18], [2, 6])
    both(lambda x, y: x * (y[0], 2.0), [3, 4], [3, 2], [1, 0])
    with pytest.raises(ValueError, match=r"tensors\[0\] has shape \[2\] but tensors\[1\] has \[\]"):
        _ = x * (x, 2.0)


def test_cells_without_parameters():
    net = Mul()
    weights = ms.ParameterTuple(net.trainable_params())
    assert numbers(ms.grad(net, (0, 1))(X, Y)) == (12, 4)  # golden
    assert ops.GradOperation(get_by_list=True)(net, weights)(X, Y) == ()  # golden
    both = ops.GradOperation(get_all=True, get_by_list=True)(net, weights)(X, Y)
    assert numbers(both) == ((12, 4), ())  # golden
    for empty in ([], weights):
        assert numbers(ms.grad(net, 0, empty)(X, Y)) == (12, ())  # golden
        assert ms.grad(net, None, empty)(X, Y) == ()  # golden
    assert numbers(ms.value_and_grad(net, None, [])(X, Y)) == (12, ())
    assert numbers(ms.vjp(net, X, Y, weights=[])[1](Tensor(1.0))) == ((12, 4), ())


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: ops.jet(cube, A, Tensor([[1.0, 1.0, 1.0]])),
            ValueError,
            r"the same as the primals, but got series of shape \[1, 3\] for \[2\]",
        ),
        (lambda: ops.jet(cube, A, (ONE,)), TypeError, "must be both Tensor or tuple"),
        (lambda: ops.jet(cube, A, Tensor(np.ones((1, 2)))), TypeError, "must be the same"),
        (lambda: ops.jet(Mul(), (A, B), (ONE,)), ValueError, "lengths of primals and series"),
        (
            lambda: ops.jet(Mul(), (A, B), (Tensor([[1.0, 1.0]]), Tensor(np.ones((2, 2), "f")))),
            ValueError,
            r"one length, at least 1, but got \[1, 2\]",
        ),
        (lambda: ops.jet(cube, [A], [ONE]), TypeError, "must be a Tensor, or a tuple of Tensors"),
        (
            lambda: ops.derivative(cube, Tensor([1.0], ms.float16), 1),
            TypeError,
            "one of the dtypes Int32, Int64, Float32 and Float64, but got Float16",
        ),
        (lambda: ops.derivative(cube, A, 0), ValueError, "'order' must be positive, but got 0"),
        (lambda: ops.derivative(cube, A, 1.0), TypeError, "'order' must be an int, but got float"),
        (lambda: ops.derivative(3, A, 1), TypeError, "'fn' must be a Cell or a function"),
        (lambda: ops.linearize(cube, 3.0), TypeError, r"'inputs\[0\]' must be a Tensor"),
        (lambda: nn.Vjp(3), TypeError, "'fn' must be a Cell or a function"),
        (lambda: custom_vjp(cube).defbwd(3), TypeError, "'bwd' must be a function"),
    ],
)
def test_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_without_inputs_or_positions():
    """Golden of PyNative mode: no input, no gradient; an empty tuple of positions is an error of both classes."""
    net = lambda: Tensor(2.0) * 3
    assert ops.GradOperation()(net)() == ()
    with pytest.raises(IndexError, match="Position index 0 is exceed input size"):
        ms.grad(net)()
    for kind in (ValueError, RuntimeError):
        with pytest.raises(kind, match="grad_position should not be empty when grad by position"):
            ms.grad(net, grad_position=())


def test_hyper_map_of_a_tensor_beside_a_tuple():
    """A function that is registered for them gets them, as in MindSpore."""
    choose = ops.MultitypeFuncGraph("choose")

    @choose.register("Tensor", "Tuple")
    def _choose(x, pair):
        return pair[0] if x > 0 else pair[1]

    mapped = ops.HyperMap(choose)
    x, y, z = Tensor(2.0), Tensor(-3.0), Tensor(0.0)
    f = lambda x, y, z: mapped((x, y), ((z, x), (y, z)))
    assert [float(g) for g in ms.grad(f, (0, 1, 2))(x, y, z)] == [0, 0, 2]
    with pytest.raises(TypeError, match="must be sequences of one length"):
        mapped((x, y), ((z, x), y, z))
