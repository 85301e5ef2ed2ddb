"""Gradients by and of integers: in the dtype of the input, as MindSpore 2.10 computes them.

Expected values are MindSpore 2.10's, of both of its modes unless a comment says otherwise.
"""

import os
import subprocess
import sys

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops


def i(value, dtype=ms.int32):
    return Tensor(np.array(value), dtype)


def f(value, dtype=ms.float32):
    return Tensor(np.array(value), dtype)


def shown(value):
    """A nested result as text: dtype, shape and elements of every tensor."""
    if isinstance(value, Tensor):
        return f"{value.dtype.name}{list(value.shape)}{value.asnumpy().tolist()}"
    if isinstance(value, dict):
        return {k: shown(v) for k, v in value.items()}
    return type(value)(shown(v) for v in value) if isinstance(value, tuple | list) else value


def both(name, function, args, *expected, by=(0, 1)):
    return pytest.param(function, by, args, expected, id=name)


def one(name, function, argument, expected):
    return pytest.param(function, 0, (argument,), expected, id=name)


def integer_power(x):
    y = x
    for _ in range(3):
        y = y * x
    return y


def until_hundred(x):
    y = x
    while y < 100:
        y = y * x
    return y


def counted(x, n):
    y = x
    k = n
    while k > 0:
        y = y * x + k
        k = k - 1
    return y


def left_early(x, y):
    z = x
    while z < 50:
        z = z * y
        if z > 30:
            break
    return z * x


def branches(x, y):
    z = x * y if x > y else x + y
    return z * x


def branch_in_loop(x, y):
    while x < y:
        x = x * x + y
        x = x + 1 if x > 20 else x * 2
    return x


def set_item(x, v):
    x[0] = v
    return x * 3


def elements(x):
    out = x
    for k in range(x.shape[0]):
        out = out + x[k] * k
    return out


def inner_gradient(x, y):
    return ms.grad(lambda a: a * a * y)(x) * x


MIXED = [
    both("issue", lambda x, n: x * n - 6 * n, (f(2.0), i(3)), "float32[]3.0", "int32[]-4"),
    both("truncated", lambda x, n: x * n - 6 * n, (f(2.7), i(3)), "float32[]3.0", "int32[]-4"),
    both("elements", lambda x, n: x * n, (f([1.5, -2.7]), i([3, 4])), "float32[2][3.0, 4.0]", "int32[2][1, -2]"),
    both("broadcast", lambda x, n: x * n, (f([1.6, 1.6]), i(3)), "float32[2][3.0, 3.0]", "int32[]3"),
    both("each use rounds", lambda x, n: x * n + x * n, (f(0.6), i(3)), "float32[]6.0", "int32[]0"),
    both("int64", lambda x, n: x * n, (f(2.5), i(3, ms.int64)), "float32[]3.0", "int64[]2"),
    both("float64", lambda x, n: x * n, (f(3.7, ms.float64), i(4)), "float64[]4.0", "int32[]3"),
    both("quotient", lambda x, n: x / n, (f(12.0), i(2)), "float32[]0.5", "int32[]-3"),
    both("dividend", lambda n, y: n / y, (i(9), f(2.0)), "int32[]0", "float32[]-2.25"),
    both("exponent", lambda x, n: x**n, (f(2.0), i(3)), "float32[]12.0", "int32[]5"),
    both("floor", lambda n, y: n // y, (i(9), f(2.0)), "int32[]0", "float32[]0.0"),
    both("remainder", lambda n, y: n % y, (i(9), f(2.0)), "int32[]1", "float32[]-4.0"),
    both("remainder by n", lambda x, n: x % n, (f([7.0, 9.0]), i([2, 4])), "float32[2][1.0, 1.0]", "int32[2][-3, -2]"),
    both("maximum", lambda n, y: ops.maximum(n, y), (i(9), f(2.0)), "int32[]1", "float32[]0.0"),
    both("unused", lambda x, n: x * 2.0, (f(2.0), i(3)), "float32[]2.0", "int32[]0"),
    both("positions", lambda x, n: x[n], (f([1.0, 2.0, 3.0]), i([0, 2])), "float32[3][1.0, 0.0, 1.0]", "int32[2][0, 0]"),
    both("half", lambda a, b, c: a * b * c, (i(3), i(4, ms.int64), f(2.5, ms.float16)),
         "int32[]8", "int64[]6", "float16[]12.0", by=(0, 1, 2)),
    both("loop", counted, (f(2.5), i(3)), "float32[]79.5", "int32[]9"),
]  # fmt: skip

SEVERAL = [
    both("product", lambda x, y: x * y, (i([3]), i([4], ms.int64)), "int32[1][4]", "int64[1][3]"),
    both("wraps", lambda x, y: x * y, (i([3], ms.int8), i([400])), "int8[1][-112]", "int32[1][3]"),
    both("rows", lambda x, y: x * y, (i([[1, 2], [3, 4]]), i([5, 6])), "int32[2, 2][[5, 6], [5, 6]]", "int32[2][4, 6]"),
    both("matmul", ops.matmul, (i([[1, 2], [3, 4]]), i([[5, 6], [7, 8]])),
         "int32[2, 2][[11, 15], [11, 15]]", "int32[2, 2][[4, 4], [6, 6]]"),
    both("maximum", ops.maximum, (i([2, 5, 3]), i([2, 4, 4])), "int32[3][0, 1, 0]", "int32[3][0, 0, 1]"),
    both("minimum", ops.minimum, (i([2, 5, 3]), i([2, 4, 4])), "int32[3][0, 0, 1]", "int32[3][0, 1, 0]"),
    both("floor", lambda x, y: x // y, (i([7, 9]), i([2, 4])), "int32[2][0, 0]", "int32[2][0, 0]"),
    both("remainder", lambda x, y: x % y, (i([7, -7]), i([-2, 2])), "int32[2][1, 1]", "int32[2][4, 4]"),
    both("truncated", lambda x, y: ops.TruncateMod()(x, y), (i([7, -7]), i([2, 2])), "int32[2][1, 1]", "int32[2][-3, 3]"),
    both("quotient", lambda x, y: x / y, (i([9, 8]), i([2, 3])), "int32[2][0, 0]", "int32[2][-2, 0]"),
    both("choice", lambda x, y: ops.where(x > 1, x * 2, y * 3), (i([1, 2]), i([3, 4])), "int32[2][0, 2]", "int32[2][3, 0]"),
    both("comparison", lambda x, y: x > y, (i([1, 2]), i([3, 1])), "int32[2][0, 0]", "int32[2][0, 0]"),
    both("joined", lambda x, y: ops.cat((x, y)) * i([1, 2, 3]), (i([1, 2]), i([3])), "int32[2][1, 2]", "int32[1][3]"),
    both("stacked", lambda x, y: ops.stack((x, y)) * 2, (i([1, 2]), i([3, 4])), "int32[2][2, 2]", "int32[2][2, 2]"),
    both("added", lambda x, u: ops.tensor_scatter_add(x, i([[0], [1]]), u) * 2, (i([1, 2]), i([3, 4])),
         "int32[2][2, 2]", "int32[2][2, 2]"),
    # In graph mode; PyNative mode refuses the assignment.
    both("set item", set_item, (i([1, 2]), i(5)), "int32[2][0, 3]", "int32[]3"),
    both("branch", branches, (i(3), i(2)), "int32[]12", "int32[]9"),
    both("other branch", branches, (i(1), i(2)), "int32[]4", "int32[]1"),
    both("loop", counted, (i(2), i(3)), "int32[]46", "int32[]7"),
    both("break", left_early, (i(2), i(3)), "int32[]108", "int32[]108"),
    both("branch in loop", branch_in_loop, (i(2), i(7)), "int32[]8", "int32[]2"),
    both("gradient", inner_gradient, (i(2), i(3)), "int32[]24", "int32[]8"),
]  # fmt: skip

SINGLE = [
    one("square", lambda x: x * x, i([1, 2]), "int32[2][2, 4]"),
    one("identity", lambda x: x, i([1, 2]), "int32[2][1, 1]"),
    one("polynomial", lambda x: x * x * 3 - 2 * x + 1, i([1, 2]), "int32[2][4, 10]"),
    one("int8", lambda x: x * x * x, i([50], ms.int8), "int8[1][76]"),
    one("int16", lambda x: x * x, i([3], ms.int16), "int16[1][6]"),
    one("int64", lambda x: x * x, i([3000000000], ms.int64), "int64[1][6000000000]"),
    one("cube", lambda x: x**3, i([1, 2]), "int32[2][3, 12]"),
    one("power", lambda x: x**5, i([2, 3]), "int32[2][80, 405]"),
    one("power 0", lambda x: x**0, i([2, 3]), "int32[2][0, 0]"),
    one("root", lambda x: x**0.5, i([4, 9]), "int32[2][0, 0]"),
    one("negative", lambda x: -x, i([1, 2]), "int32[2][-1, -1]"),
    one("abs", ops.abs, i([1, -2, 0]), "int32[3][1, -1, 0]"),
    one("relu", ops.relu, i([-2, 5, 0]), "int32[3][0, 1, 0]"),
    one("sign", ops.sign, i([-2, 5, 0]), "int32[3][0, 0, 0]"),
    one("clamp", lambda x: ops.clamp(x, 1, 3), i([0, 2, 5]), "int32[3][0, 1, 0]"),
    one("floor", lambda x: x // 2, i([1, 2]), "int32[2][0, 0]"),
    one("remainder", lambda x: x % 3, i([4, 5]), "int32[2][1, 1]"),
    one("bits", lambda x: ops.bitwise_and(x, i([1, 1])), i([1, 2]), "int32[2][0, 0]"),
    one("times float", lambda x: x * 2.5, i([1, 2]), "int32[2][2, 2]"),
    one("each use rounds", lambda x: x * 0.5 + x * 0.5, i(3), "int32[]0"),
    one("rounded once", lambda x: (x * 0.5) * 4, i(3), "int32[]2"),
    one("exp", lambda x: ops.exp(x.astype(ms.float32)), i([1, 2]), "int32[2][2, 7]"),
    one("to float", lambda x: x.astype(ms.float32) * 2.7, i([1, 2]), "int32[2][2, 2]"),
    one("to int64", lambda x: x.astype(ms.int64) * 3, i([1, 2]), "int32[2][3, 3]"),
    one("sum", lambda x: (x * x).sum(), i([1, 2]), "int32[2][2, 4]"),
    one("mean of floats", lambda x: x.astype(ms.float32).mean(), i([1, 2]), "int32[2][0, 0]"),
    one("max", lambda x: x.max(), i([1, 5, 2]), "int32[3][0, 1, 0]"),
    one("max of equals", lambda x: ops.ReduceMax()(x), i([1, 5, 5]), "int32[3][0, 0, 0]"),
    one("prod", lambda x: ops.prod(x, 0), i([[2, 3], [4, 5]]), "int32[2, 2][[4, 5], [2, 3]]"),
    one("prod with zero", lambda x: x.prod(), i([2, 0, 3]), "int32[3][0, 6, 0]"),
    one("cumsum", lambda x: ops.cumsum(x, 0), i([1, 2, 3]), "int32[3][3, 2, 1]"),
    one("cumprod", lambda x: ops.cumprod(x, 0), i([2, 3, 4]), "int32[3][16, 10, 6]"),
    one("sort", lambda x: ops.sort(x)[0] * i([1, 2, 3]), i([3, 2, 1]), "int32[3][3, 2, 1]"),
    one("reshape", lambda x: x.reshape(4) * i([1, 2, 3, 4]), i([[1, 2], [3, 4]]), "int32[2, 2][[1, 2], [3, 4]]"),
    one("transpose", lambda x: x.T * i([[1, 2], [3, 4]]), i([[1, 2], [3, 4]]), "int32[2, 2][[1, 3], [2, 4]]"),
    one("broadcast", lambda x: ops.broadcast_to(x, (3, 2)), i([2, 3]), "int32[2][3, 3]"),
    one("flip", lambda x: ops.flip(x, (0,)) * i([1, 2]), i([1, 2]), "int32[2][2, 1]"),
    one("pad", lambda x: ops.pad(x, (1, 1)) * 2, i([1, 2]), "int32[2][2, 2]"),
    one("slice", lambda x: x[1:] * 3, i([1, 2, 3]), "int32[3][0, 3, 3]"),
    one("index", lambda x: x[1, 0] * x[0, 1], i([[1, 2], [3, 4]]), "int32[2, 2][[0, 3], [2, 0]]"),
    one("gather", lambda x: x[i([0, 2])] * 2, i([1, 2, 3]), "int32[3][2, 0, 2]"),
    one("masked", lambda x: ops.masked_fill(x, x > 1, 0) * 3, i([1, 2]), "int32[2][3, 0]"),
    one("one hot", lambda x: ops.one_hot(x, 3, Tensor(1.0), Tensor(0.0)), i([0, 2]), "int32[2][0, 0]"),
    one("stopped", lambda x: ops.stop_gradient(x) * x, i([2, 3]), "int32[2][2, 3]"),
    one("constant", lambda x: i([5, 6]), i([2, 3]), "int32[2][0, 0]"),
    one("for", integer_power, i([2, 3]), "int32[2][32, 108]"),
    one("while", until_hundred, i(2), "int32[]448"),
    one("elements", elements, i([1, 2, 3]), "int32[3][1, 4, 7]"),
    one("second", ms.grad(lambda x: x * x * x), i([1, 2]), "int32[2][6, 12]"),
    one("third", ms.grad(ms.grad(lambda x: x * x * x)), i([1, 2]), "int32[2][6, 6]"),
]  # fmt: skip


@pytest.mark.parametrize("programs", [MIXED, SEVERAL, SINGLE], ids=["mixed", "several", "single"])
def test_as_mindspore_in_compiled_code(programs):
    """All in one compiled function: each gradient of tensors that are its arguments."""
    listed = [p.values for p in programs]
    gradients = ms.jit(
        lambda *args: [
            ms.grad(function, by)(*a) for (function, by, _, _), a in zip(listed, args, strict=True)
        ]
    )
    got = gradients(*[args for _, _, args, _ in listed])
    wrong = {
        p.id: (shown(g), expected)
        for p, g, (_, _, _, expected) in zip(programs, got, listed, strict=True)
        if shown(g) != expected
    }
    assert not wrong


CALLED = ["issue", "loop", "branch in loop", "prod with zero", "max of equals", "power", "second"]


@pytest.mark.parametrize(
    "function, by, args, expected", [p for p in MIXED + SEVERAL + SINGLE if p.id in CALLED]
)
def test_as_mindspore_when_called(function, by, args, expected):
    assert shown(ms.grad(function, by)(*args)) == expected


# --- structures -------------------------------------------------------------------------------


class IntegerNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(i([2, 3]), name="w")
        self.f = Parameter(f([2.5, 3.5]), name="f")

    def construct(self, x):
        return self.w * x * self.f


def test_integer_parameters():
    net = IntegerNet()
    weights = net.trainable_params()
    dx, dw = ms.grad(net, 0, weights)(i([4, 5]))
    assert shown((dx, dw)) == ("int32[2][4, 9]", ("int32[2][8, 15]", "float32[2][8.0, 15.0]"))
    value, (dx, dw) = ms.value_and_grad(net, 0, weights)(f([4, 5]))
    assert shown(value) == "float32[2][20.0, 52.5]"
    assert shown(dx) == "float32[2][5.0, 10.5]"
    assert shown(dw) == ("int32[2][10, 17]", "float32[2][8.0, 15.0]")


class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = Parameter(i(2), name="n")

    def construct(self, x):
        ops.assign(self.n, x * 5)
        return self.n * x


def test_integer_parameter_is_a_leaf():
    """As one of floats: no derivative flows into what is assigned to it."""
    net = Counter()
    assert shown(ms.grad(net, 0, net.trainable_params())(i(3))) == ("int32[]15", ("int32[]3",))
    assert shown(net.n) == "int32[]15"


class OwnRule(nn.Cell):
    def construct(self, x, n):
        return x * n

    def bprop(self, x, n, out, dout):
        return dout * 7, n + 5


def test_rule_of_a_cell_gives_the_gradient_of_an_integer():
    assert shown(ms.grad(OwnRule(), (0, 1))(f(2.0), i(3))) == ("float32[]7.0", "int32[]8")


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_family_in_both_modes(mode):
    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        x, y = i(3), i(4)
        out = ms.value_and_grad(lambda a, b: (a * b, a + b), (0, 1))(x, y)
        assert shown(out) == (("int32[]12", "int32[]7"), ("int32[]5", "int32[]4"))
        out = ms.value_and_grad(lambda a, b: (a * b, a + b), (0, 1), has_aux=True)(x, y)
        assert shown(out) == (("int32[]12", "int32[]7"), ("int32[]4", "int32[]3"))
        value, pull = ms.vjp(lambda a, b: (a * b, a + b), x, y)
        assert shown(value) == ("int32[]12", "int32[]7")
        assert shown(pull(i(1), i(10))) == ("int32[]14", "int32[]13")
        out = ms.jvp(lambda a, b: a * a * b, (x, y), (i(1), i(2)))
        assert shown(out) == ("int32[]36", "int32[]42")
        out = ms.vmap(ms.grad(lambda a, b: a * b * b, (0, 1)))(i([1, 2]), i([3, 4]))
        assert shown(out) == ("int32[2][9, 16]", "int32[2][6, 16]")
        out = ms.grad(lambda a, b: a * b, (0, 1), return_ids=True)(i(2), f(3.0))
        assert (out[0][0], shown(out[0][1])) == (0, "int32[]3")
        all_of = ops.GradOperation(get_all=True)(lambda a, b: a * b)
        assert shown(all_of(i([1, 2]), i([3, 4]))) == ("int32[2][3, 4]", "int32[2][1, 2]")
        # Of the Hessian and the Jacobians, which MindSpore refuses: by hand.
        assert shown(ms.jacrev(lambda a: a * a)(i([2, 3]))) == "int32[2, 2][[4, 0], [0, 6]]"
        assert shown(ms.jacfwd(lambda a: a * a)(i([2, 3]))) == "int32[2, 2][[4, 0], [0, 6]]"
    finally:
        ms.set_context(mode=before)


@pytest.mark.parametrize(
    "function, x, sens, expected",
    [
        (lambda x: x * x, i(3), i(2), "int32[]12"),
        (lambda x: x * x, f(3.0), f(2.0, ms.float64), "float32[]12.0"),  # PyNative mode
        (lambda x: x * x, i(3), 2, "int32[]12"),  # PyNative mode
        (lambda x: (x * x, x * 2), i(3), (i(2), i(3)), "int32[]18"),
        (lambda x: (x * x, x * 2), f(3.0), [f(2.0), f(3.0)], "float32[]18.0"),  # PyNative mode
        (lambda x: (x * x, 5), f(3.0), (f(2.0), 1), "float32[]12.0"),
        (lambda x: (x * x, None), f(3.0), (f(2.0), None), "float32[]12.0"),
        (lambda x: (x * x, x > 1), f(3.0), (f(2.0), Tensor(True)), "float32[]12.0"),
        (lambda x: {"a": x * x}, f(3.0), {"a": f(2.0)}, "float32[]12.0"),
        # Of equal elements each has its part, rounded towards zero.
        (lambda x: ops.ReduceMax()(x), i([5, 5]), i(3), "int32[2][1, 1]"),
        (lambda x: ops.ReduceMax()(x), i([5, 5]), i(-3), "int32[2][-1, -1]"),
        (lambda x: ops.maximum(x, i([5, 5])), i([5, 5]), i([3, -3]), "int32[2][1, -1]"),
    ],
)
def test_cotangents(function, x, sens, expected):
    assert shown(ops.GradOperation(sens_param=True)(function)(x, sens)) == expected


@pytest.mark.parametrize("x, sens", [(i(3), f(2.5)), (i(3), 2.5), (f(3.0), i(2))])
def test_cotangents_of_another_kind_are_refused(x, sens):
    """As in MindSpore's graph mode; its PyNative mode casts them."""
    with pytest.raises(TypeError, match=r"must have an? (integer|floating-point) dtype"):
        ops.GradOperation(sens_param=True)(lambda x: x * x)(x, sens)


@pytest.mark.parametrize(
    "function, expected",
    [
        (lambda x: 3.0, "float32[]0.0"),
        (lambda x: True, "float32[]0.0"),
        (lambda x: "text", "float32[]0.0"),
        (lambda x: (), "float32[]0.0"),
        (lambda x: x > 1, "float32[]0.0"),
        (lambda x: (x * 2, 3), "float32[]2.0"),
        (lambda x: (x * 2, None), "float32[]2.0"),
        (lambda x: (x * 2, "text"), "float32[]2.0"),
        (lambda x: (x * 2, i(3)), "float32[]2.0"),
        (lambda x: (x * 2, x > 1), "float32[]2.0"),
        (lambda x: [x * 2, "text", None, 3, (x,)], "float32[]3.0"),
        (lambda x: {"a": x * 2, "b": x * 3}, "float32[]5.0"),
    ],
)
def test_outputs_without_gradient(function, expected):
    assert shown(ms.grad(function)(f(3.0))) == expected


def test_no_output():
    with pytest.warns(UserWarning, match="returns None, so all its gradients are zero"):
        assert shown(ms.grad(lambda x: None)(f(3.0))) == "float32[]0.0"


def test_numbers_at_gradient_positions_are_left_out():
    product = lambda x, y: x * y
    assert shown(ms.grad(product, (0, 1))(f(3.0), 2)) == "float32[]2.0"
    assert shown(ms.grad(product, (0, 1))(2.0, f(3.0))) == "float32[]2.0"
    assert ms.grad(product)(2.0, f(3.0)) == ()
    assert ms.grad(product, (0, 1))(3.0, 2.0) == ()
    assert ms.grad(lambda x: x * x)(3) == ()
    assert shown(ms.grad(lambda x, n: x * 2, (0, 1))(f(3.0), None)) == "float32[]2.0"
    assert shown(ms.grad(lambda x, n: x * 2, (0, 1))(f(3.0), True)) == "float32[]2.0"
    three = ms.grad(lambda x, n, y: x * n * y, (0, 1, 2))(f(3.0), 2, f(4.0))
    assert shown(three) == ("float32[]8.0", "float32[]6.0")
    value, gradient = ms.value_and_grad(product, (0, 1))(f(3.0), 2)
    assert shown((value, gradient)) == ("float32[]6.0", "float32[]2.0")
    assert shown(ops.GradOperation(get_all=True)(product)(f(3.0), 2.0)) == ("float32[]2.0",)


def test_rounding_has_no_derivative():
    """Unlike in MindSpore, where the cotangent passes casts to integers, truncated."""
    rounded = lambda x: x.astype(ms.int32).astype(ms.float32) * 2.7
    assert shown(ms.grad(rounded)(f([1.5, 2.5]))) == "float32[2][0.0, 0.0]"
    assert shown(ms.grad(lambda x: x.astype(ms.int32) * x)(f([1.5, 2.5]))) == "float32[2][1.0, 2.0]"
    assert shown(ms.grad(lambda x: (x * 2.7).astype(ms.int32))(i([1, 2]))) == "int32[2][0, 0]"


def test_exported(tmp_path):
    gradient = ms.grad(lambda x, n: x * n - 6 * n, (0, 1))
    ms.export(gradient, f(2.0), i(3), file_name=str(tmp_path / "model"), value_and_grad=False)
    loaded = ms.load(str(tmp_path / "model.so"))
    assert shown(loaded.forward(f(2.0), i(3))) == ("float32[]3.0", "int32[]-4")


def test_strict_gradients():
    program = """
import cellgrad as ms
x, n = ms.Tensor(2.0), ms.Tensor(3, ms.int32)
print(*[g.asnumpy() for g in ms.grad(lambda x, n: x * n - 6 * n, (0, 1))(x, n)])
for call in (lambda: ms.grad(lambda n: n * n)(n), lambda: ms.grad(lambda x: x * x)(2.0),
             lambda: ms.grad(lambda x: 3.0)(x)):
    try:
        call()
    except TypeError as e:
        print(str(e).splitlines()[0])
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "CELLGRAD_STRICT_GRAD": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[0] == "3.0 0"
    assert [line.split(":")[0] for line in done.stdout.splitlines()[1:]] == [
        "'lambda' must return a Tensor of floating-point numbers to be differentiated, but it "
        "returns only Tensors of dtype Int32.",
        "The input at grad_position 0 is 2.0 (float), not a Tensor",
        "'lambda' must return a Tensor of floating-point numbers to be differentiated, but it "
        "returns no Tensor but float.",
    ]
