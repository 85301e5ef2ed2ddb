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


def test_marked_numbers_are_numbers_elsewhere():
    assert mutable(2) + mutable(3.0) == 5.0
    assert repr(mutable(2.5)) == "2.5"

    @ms.jit
    def f(x, n):
        return x[: int(n)] * n

    assert f(Tensor([1.0, 2.0, 3.0]), mutable(2)).asnumpy().tolist() == [2.0, 4.0]
