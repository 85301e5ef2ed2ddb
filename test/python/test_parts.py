"""Parts of tensors in compiled code: what is written to one is written to the tensor."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops


def _first_row(x):
    y = x[0]
    y[1] = 7.0
    return x


def _twice(x):
    y = x[0]
    y.mul_(y)
    y.add_(1)
    return x + y


def _of_a_part(x):
    y = x[:, 1:]
    z = y[1]
    z.mul_(3)
    return x


def _unpacked(x):
    y, z = x
    z.add_(2)
    y.mul_(z)
    return x


def _rows(x):
    for y in x:
        y.mul_(2)
    return x


def _called(x):
    def bump(v):
        v.add_(1)

    bump(x[0])
    parts = [x[0], x[1]]
    parts[1].mul_(2)
    return x


def _branch(x):
    y = x[-1]
    if x.sum() > 5:
        y.mul_(2)
    else:
        y.add_(1)
    return x


def _while(x):
    n = x[0, 0]
    y = x[1]
    while n < 2.5:
        y.mul_(2)
        n = n + 1
    return x


@pytest.mark.parametrize(
    "program", [_first_row, _twice, _of_a_part, _unpacked, _rows, _called, _branch, _while]
)
def test_compiled_code_writes_parts_through(program):
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    wanted = program(x * 1).asnumpy()
    assert ms.jit(lambda x: program(x * 1))(x).asnumpy().tolist() == wanted.tolist()
    # The derivative of a polynomial by central differences, in float64.
    x = Tensor(x.asnumpy(), ms.float64)
    found = ms.grad(lambda x: (program(x * 1) * x).sum())(x).asnumpy()
    for at in np.ndindex(2, 2):
        e = np.zeros((2, 2))
        e[at] = 1e-5
        ends = [float((program(v * 1) * v).sum()) for v in (Tensor(x.asnumpy() + e), x - Tensor(e))]
        assert found[at] == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-6)


def test_a_part_of_a_parameter_is_written_through():
    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(Tensor([1.0, 2.0]), name="w")

        def construct(self, x):
            first = self.w[0]
            first.add_(x)
            return self.w.sum()

    net = Net()
    assert float(net(Tensor(5.0))) == 8
    assert net.w.asnumpy().tolist() == [6, 2]


@pytest.mark.parametrize(
    "view", [lambda x: x.T, lambda x: x.view(4), lambda x: ops.split(x, 1)[0], lambda x: x.ravel()]
)
def test_a_tensor_is_not_read_after_another_view_of_it_was_written(view):
    def write(x):
        x = x * 1
        y = view(x)
        y.add_(1)
        return x, y

    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    wanted = view(x).asnumpy() + 1
    assert ms.jit(lambda x: write(x)[1])(x).asnumpy().tolist() == wanted.tolist()
    with pytest.raises(TypeError, match="read after elements of a view of it"):
        ms.jit(lambda x: write(x)[0] + 1)(x)
    with pytest.raises(TypeError, match="view are assigned, which would change the tensor from"):
        ms.jit(lambda t: (view(x).add_(t), t)[1])(Tensor(1.0))


def test_a_part_from_before_a_change_is_not_written():
    def f(x):
        x = x * 1
        y = x[0]
        x[0, 0] = 5.0
        y.add_(1)
        return x

    with pytest.raises(TypeError, match="has changed since the part was read"):
        ms.jit(f)(Tensor([[1.0, 2.0]]))


# --- tensors that are one in one way of a branch or loop ----------------------------------------


def _chosen(x, n):
    y = x if n > 1 else x * 2
    y[0] = 9.0
    return x + y


def _behind(x, n):
    y = x if n > 1 else x * 2
    x[0] = 9.0
    return y


def _chosen_view(x, n):
    y = x.T
    if n < 1:
        y = x * 2
    y[0] = 9.0
    return x


def _two_chosen(x, n):
    y = x
    if n > 5:
        x = x * 2
    if n > 6:
        y = x * 3
    y[0] = 9.0
    return x


def _carried(x, n):
    u = kept = x * 1
    for i in range(n):
        u[0] = 5.0 + i
        if x.sum() > i:
            kept = kept * 0.5
    return kept


def _read_in_the_next_trip(x, n):
    u = kept = x * 1
    for _ in range(n):
        x = x + kept
        u[0] = 5.0
        u = u * 0.5
    return x


def _after_a_loop(x, n):
    u = x * 1
    y = x * 1
    for i in range(n):
        if i > 5:
            y = u
    y[0] = 9.0
    return u


def _of_an_attribute(x, n):
    y = HELD if n > 1 else x
    y[0] = 9.0
    return y


HELD = Tensor([1.0, 2.0])


@pytest.mark.parametrize(
    "program",
    [_chosen, _behind, _chosen_view, _two_chosen, _carried, _read_in_the_next_trip, _after_a_loop],
)
def test_what_may_be_the_same_tensor_is_not_read_after_a_write(program):
    with pytest.raises(TypeError, match="one way of a branch or loop, were assigned"):
        ms.jit(lambda x, n: program(x * 1, n))(Tensor([1.0, 2.0]), Tensor(2))


def test_a_tensor_from_outside_is_not_written_where_a_branch_chose_it():
    with pytest.raises(TypeError, match="would change the tensor from around this code"):
        ms.jit(_of_an_attribute)(Tensor([3.0, 4.0]), Tensor(2))


def _alone(x, n):
    y = x if n > 1 else x * 2
    y[0] = 9.0
    return y


def _in_turn(x, n):
    u = x * 1
    if n > 1:
        u = u * 2
    u[0] = 3.0
    for i in range(n):
        u[1] += i
        u = u * 0.5
    return u


def _one_way(x, n):
    y = x if n > 1 else x * 2
    if n > 3:
        y[0] = 9.0
        out = y * 1
    else:
        out = x + y
    return out


def _counted(x, n):
    u = x * 1
    while n > 0:
        n = n - 1
        if u[0] > 0:
            u = u - 0.25
        u[1] = 0.0
    return u


@pytest.mark.parametrize("program", [_alone, _in_turn, _one_way, _counted])
@pytest.mark.parametrize("n", [0, 2, 5])
def test_other_writes_are_as_in_python(program, n):
    x = Tensor([1.0, 2.0])
    wanted = program(x * 1, Tensor(n)).asnumpy().tolist()
    assert ms.jit(lambda x, n: program(x * 1, n))(x, Tensor(n)).asnumpy().tolist() == wanted
