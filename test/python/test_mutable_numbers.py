"""Gradients by numbers that `ms.mutable` marks: what MindSpore 2.10 gives in graph mode with GRAD_FOR_SCALAR
(`2 * 3`: 3 and 2), and the derivative where it gives 0.
"""

import pytest

import cellgrad as ms
from cellgrad import Tensor, mutable, nn, ops


@pytest.fixture(autouse=True)
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)


class Product(nn.Cell):
    def construct(self, x, y):
        return x * y


class Inner(nn.Cell):
    def __init__(self, operation):
        super().__init__()
        self.net = Product()
        self.operation = operation

    def construct(self, x, y):
        return self.operation(self.net)(x, y)


def same(found, want):
    assert type(found) is type(want)
    if isinstance(want, tuple | list):
        assert len(found) == len(want)
        for a, b in zip(found, want):
            same(a, b)
    elif isinstance(want, dict):
        same(list(found.items()), list(want.items()))
    elif isinstance(want, Tensor):
        assert float(found) == float(want)
    else:
        assert found == want


def test_numbers_have_gradients_which_are_numbers():
    every = ops.GradOperation(get_all=True)
    same(Inner(every)(mutable(2), mutable(3)), (3, 2))
    same(Inner(every)(mutable(2.0), mutable(3.0)), (3.0, 2.0))
    same(Inner(ops.GradOperation())(mutable(2), 3), 3)
    same(ms.grad(Product(), (0, 1))(mutable(2.0), mutable(3.0)), (3.0, 2.0))
    same(every(Product())(mutable(2.0), 3.0), (3.0,))
    same(ms.value_and_grad(Product(), (0, 1))(mutable(2.0), mutable(3.0)), (6.0, (3.0, 2.0)))
    with_sens = ops.GradOperation(get_all=True, sens_param=True)
    same(with_sens(Product())(mutable(2.0), mutable(3.0), 10.0), (30.0, 20.0))
    same(ms.jit(lambda x, y: ms.grad(Product())(x, y))(mutable(2.0), mutable(3.0)), 3.0)


def test_numbers_beside_tensors():
    by_both = ms.grad(Product(), (0, 1))
    same(by_both(Tensor(2.0), mutable(3.0)), (Tensor(3.0), 2.0))
    same(by_both(mutable(2.0), Tensor(3.0, ms.float16)), (3.0, Tensor(2.0)))
    assert by_both(mutable(2.0), Tensor(3.0, ms.float16))[1].dtype is ms.float16
    vector = by_both(mutable(2.0), Tensor([3.0, 4.0]))
    same(vector[0], 7.0)


def test_numbers_inside_of_containers():
    pair = lambda t: t[0] * t[1]
    same(ms.grad(pair)(mutable((2.0, 3.0))), (3.0, 2.0))
    same(ms.grad(pair)(mutable([Tensor(2.0), 3.0])), [Tensor(3.0), 2.0])
    by_name = lambda d: d["a"] * d["b"]
    same(ms.grad(by_name)(mutable({"a": Tensor(2.0), "b": 3.0})), {"a": Tensor(3.0), "b": 2.0})


def test_constants_and_pynative_mode_leave_them_out():
    same(ms.grad(Product(), (0, 1))(2.0, mutable(3.0)), 2.0)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    same(ms.grad(Product(), (0, 1))(mutable(2.0), mutable(3.0)), ())
    same(ms.grad(Product(), (0, 1))(Tensor(2.0), mutable(3.0)), Tensor(3.0))


def test_functions_that_run_as_python_have_them_too(recwarn):
    ms.set_context(jit_syntax_level=ms.LAX)
    every, t = ops.GradOperation(get_all=True), Tensor([2.0, 5.0])

    def read(x, t):  # elements are read, which cannot be compiled
        return t * x * float(t.asnumpy()[0])

    def pair(p, t):
        return read(p["a"], t) + p["b"]

    class Greater(nn.Cell):
        def construct(self, x, y):
            return x > y

    zeros = ((0, 0, 0), (0, 0, 0))  # golden
    given = mutable((2, 3, 4)), mutable((2, 2, 3))
    same(every(Greater())(*given), zeros)
    same(ms.jit(every(Greater()))(*given), zeros)
    by_x, by_t = every(read)(mutable(3.0), t)
    same(by_x, 14.0)
    assert by_t.asnumpy().tolist() == [6, 6]
    value, slope = ms.value_and_grad(read)(mutable(3), t)
    assert value.asnumpy().tolist() == [12, 30]
    same(slope, 14)
    same(every(pair)(mutable({"a": 3.0, "b": 1.0}), t)[0], {"a": 14.0, "b": 2.0})
    same(ms.grad(lambda x: ms.grad(read)(x, t) * x)(mutable(3.0)), 14.0)


def test_marked_numbers_are_numbers_elsewhere():
    assert mutable(2) + mutable(3.0) == 5.0
    assert repr(mutable(2.5)) == "2.5"

    @ms.jit
    def f(x, n):
        return x[: int(n)] * n

    assert f(Tensor([1.0, 2.0, 3.0]), mutable(2)).asnumpy().tolist() == [2.0, 4.0]


def test_numbers_whose_gradients_are_not_asked_for_are_taken_by_every_operation():
    x = Tensor([-2.0, 3.0])

    def slope(function, *numbers):
        return ms.grad(function)(x, *map(mutable, numbers)).asnumpy().tolist()

    assert slope(lambda x, a: ops.leaky_relu(x, a), 0.5) == [0.5, 1.0]
    assert slope(lambda x, a: ops.hardshrink(x, a), 2.5) == [0.0, 1.0]
    assert slope(lambda x, a, b: ops.threshold(x, a, b) * a, 2.5, 7.0) == [0.0, 2.5]
    assert slope(lambda x, a: ops.full_like(x, a) * x, 4.0) == [4.0, 4.0]
    assert slope(lambda x, n: x[n:] * 2.0, 1) == [0.0, 2.0]
    assert slope(lambda x, a: ms.grad(lambda x: ops.leaky_relu(x * x, a))(x), 0.5) == [2.0, 2.0]
    by_weight = ms.grad(lambda x, a: ops.elu(x, a) * w, None, w := ms.Parameter(Tensor(2.0)))
    assert float(by_weight(Tensor(3.0), mutable(1.0))) == 3.0
    nan = float("nan")
    assert slope(lambda x, *numbers: ops.nan_to_num(x, *numbers), 1.0, 2.0, 3.0) == [1.0, 1.0]
    every = ops.GradOperation(get_all=True)
    found = every(lambda x, *numbers: ops.nan_to_num(x, *numbers))
    found = found(Tensor([nan, float("inf"), 1.0, nan]), mutable(5.0), mutable(6.0), mutable(7.0))
    assert found[0].asnumpy().tolist() == [0.0, 0.0, 1.0, 0.0] and found[1:] == (2.0, 1.0, 0.0)


def test_a_bool_that_is_mutable_says_whether_nan_are_close():
    x = Tensor([float("nan"), 1.0])
    close = ms.jit(lambda x, nan: x.isclose(x, 1e-5, 1e-8, nan))
    assert close(x, mutable(True)).asnumpy().tolist() == [True, True]
    assert close(x, mutable(False)).asnumpy().tolist() == [False, True]
    asked = ops.isclose(x, x, equal_nan=Tensor(True))
    assert asked.asnumpy().tolist() == [True, True]
