"""Tuples, lists and dictionaries as inputs of gradient functions, where the package stands for MindSpore: those that
are not `mutable` are constants. The results are MindSpore 2.10's.
"""

import pytest

import cellgrad as ms
from cellgrad import Tensor, nn, ops
from cellgrad.core import context


@pytest.fixture(autouse=True)
def as_there():
    context.strict_as_there(True)
    yield
    context.strict_as_there(False)


def numbers(tree):
    if isinstance(tree, tuple | list):
        return type(tree)(numbers(v) for v in tree)
    return {k: numbers(v) for k, v in tree.items()} if isinstance(tree, dict) else float(tree)


def product(t, x):
    return t[0] * t[1] * x


def several(x, t, d):
    return t[0] * d["a"] * x * x


class Net(nn.Cell):
    def construct(self, t, x):
        return t[0] * t[1] * x


class Gradient(nn.Cell):
    def __init__(self, change=lambda t: t):
        super().__init__()
        self.net, self.change = Net(), change
        self.grad = ops.GradOperation(get_all=True)

    def construct(self, *inputs):
        return self.grad(self.net)(self.change(inputs[0]), *inputs[1:])


PAIR = (Tensor(2.0), Tensor(3.0))
X = Tensor(4.0)
EVERY = ops.GradOperation(get_all=True)


def test_constants(mode):
    assert numbers(ms.grad(product)(PAIR, X)) == ()
    assert numbers(ms.grad(product, (0, 1))(PAIR, X)) == 6
    assert numbers(ms.grad(product, (1, 0))(list(PAIR), X)) == 6
    assert numbers(ops.GradOperation()(product)(PAIR, X)) == ()
    assert numbers(EVERY(product)(PAIR, X)) == (6,)
    assert numbers(EVERY(ms.jit(product))(t=PAIR, x=X)) == (6,)
    assert numbers(EVERY(several)(X, PAIR, {"a": Tensor(5.0)})) == (80,)
    assert numbers(ms.value_and_grad(product, (0, 1))(PAIR, X)) == (24, 6)
    assert numbers(ms.vjp(product, PAIR, X)[1](Tensor(1.0))) == (6,)
    assert numbers(ops.GradOperation(True, True)(Net(), [])(PAIR, X)) == ((6,), ())


def test_mutable_inputs(mode):
    """In PyNative mode these are constants as well."""
    graph = mode == ms.GRAPH_MODE
    pair, both = ms.mutable(PAIR), ((12, 8), 6)
    assert numbers(ms.grad(product, (0, 1))(pair, X)) == (both if graph else 6)
    assert numbers(ms.grad(product)(ms.mutable(list(PAIR)), X)) == ([12, 8] if graph else ())
    found = EVERY(several)(X, pair, ms.mutable({"a": Tensor(5.0)}))
    assert numbers(found) == ((80, (80, 0), {"a": 32}) if graph else (80,))
    assert pair == PAIR and pair.__ms_origin_object__ is PAIR
    assert numbers(EVERY(Net())(pair, X)) == (both if graph else (6,))


def test_gradients_inside_of_cells(mode):
    graph = mode == ms.GRAPH_MODE
    both = ((12, 8), 6) if graph else (6,)
    assert numbers(Gradient()(PAIR, X)) == numbers(Gradient()(list(PAIR), X)) == (6,)
    assert numbers(Gradient()(ms.mutable(PAIR), X)) == both
    assert numbers(Gradient(ms.mutable)(PAIR, X)) == both
    assert numbers(Gradient(lambda t: t[0])((PAIR, X), X)) == (6,)


def test_what_is_made_in_compiled_code_is_no_constant():
    made = ms.jit(lambda x: EVERY(product)((x, 2 * x), x))
    assert numbers(made(X)) == ((32, 16), 32)
    passed = ms.jit(lambda t, x: EVERY(lambda t, x: EVERY(product)(t, x)[0])(t, x))
    assert numbers(passed(PAIR, X)) == (0,)
    inner = ms.jit(lambda t, x: EVERY(lambda t, x: EVERY(product)(t, x)[0])(ms.mutable(t), x))
    assert numbers(inner(PAIR, X)) == ((4, 4), 5)


def test_constant_tensors(mode):
    """MindSpore 2.10 leaves them out in graph mode alone."""
    graph = mode == ms.GRAPH_MODE

    def times(a, b):
        return a * b

    class Inner(nn.Cell):
        def construct(self, a, b):
            return EVERY(times)(a, b)

    fixed = Tensor(3.0, const_arg=True)
    assert numbers(ms.grad(times)(fixed, X)) == (() if graph else 4)
    assert numbers(EVERY(times)(fixed, X)) == ((3,) if graph else (4, 3))
    assert numbers(Inner()(fixed, X)) == ((3,) if graph else (4, 3))
    free = ms.mutable(fixed)
    assert free.__ms_origin_object__ is fixed
    assert numbers(EVERY(times)(free, X)) == numbers(Inner()(free, X)) == (4, 3)
    inner = ms.jit(lambda a, b: EVERY(times)(ms.mutable(a), b))
    assert numbers(inner(fixed, X)) == (4, 3)


def test_scripts_of_this_package_have_inputs():
    context.strict_as_there(False)
    assert numbers(EVERY(product)(PAIR, X)) == ((12, 8), 6)
    assert ms.mutable(PAIR) is PAIR
