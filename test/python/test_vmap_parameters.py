"""Functions under `vmap` that write to their own part of a Parameter. Numbers of scatters and `Assign` are
MindSpore 2.10's, which refuses optimizers there: those are each row's step alone.
"""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops

W = [[1.0, 2.0], [3.0, 4.0]]
A = [[0.5, 0.5], [1.0, 2.0]]
G = [[0.1, -0.2], [0.3, 0.4]]
ROWS = Tensor([[0], [1]], ms.int32)
MODES = pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])


class Mapped(nn.Cell):
    """An operation mapped over Parameters and inputs."""

    def __init__(self, op, in_axes, *values, out_axes=0):
        super().__init__()
        self.op = op
        self.w = Parameter(Tensor(values[0]), name="w")
        self.rest = [Parameter(Tensor(v), name=f"s{i}") for i, v in enumerate(values[1:])]
        self.mapped = ops.vmap(self.one, in_axes=in_axes, out_axes=out_axes)

    def one(self, *args):
        return self.op(*args)

    def construct(self, *inputs):
        return self.mapped(self.w, *self.rest, *inputs)


@MODES
@pytest.mark.parametrize(
    "op, want",
    [
        (ops.ScatterAdd, [[2.0, 2.0], [3.0, 9.0]]),
        (ops.ScatterUpdate, [[1.0, 2.0], [3.0, 5.0]]),
        (ops.ScatterMax, [[1.0, 2.0], [3.0, 5.0]]),
        (ops.ScatterMul, [[1.0, 2.0], [3.0, 20.0]]),
    ],
)
def test_scatters_write_their_rows(mode, op, want):
    ms.set_context(mode=mode)
    net = Mapped(op(), 0, W)
    out = net(ROWS, Tensor([[1.0], [5.0]]))
    assert out.asnumpy().tolist() == want
    assert net.w.asnumpy().tolist() == want


@MODES
def test_parts_along_another_dimension(mode):
    ms.set_context(mode=mode)
    net = Mapped(ops.Assign(), (1, 0), W, out_axes=1)
    out = net(Tensor([[1.0, 5.0], [7.0, 8.0]]))
    assert out.asnumpy().tolist() == [[1.0, 7.0], [5.0, 8.0]]
    assert net.w.asnumpy().tolist() == [[1.0, 7.0], [5.0, 8.0]]


@MODES
@pytest.mark.parametrize(
    "op, rates",
    [
        (ops.ApplyAdagrad, lambda g: (0.1, g)),
        (ops.ApplyMomentum, lambda g: (0.1, g, 0.9)),
        (ops.ApplyKerasMomentum, lambda g: (0.1, g, 0.9)),
        (ops.ApplyPowerSign, lambda g: (0.1, 0.5, 0.9, 0.9, g)),
    ],
)
def test_optimizers_step_each_row(mode, op, rates):
    ms.set_context(mode=mode)
    given = [Tensor(v) for v in rates(np.array(G, np.float32))]
    axes = (0, 0, *[0 if v.ndim else None for v in given])
    net = Mapped(op(), axes, W, A)
    net(*given)
    for i in range(2):
        w, a = Tensor(W[i]), Tensor(A[i])
        op()(w, a, *rates(Tensor(G[i])))
        np.testing.assert_array_equal(net.w.asnumpy()[i], w.asnumpy())
        np.testing.assert_array_equal(net.rest[0].asnumpy()[i], a.asnumpy())


@MODES
def test_a_parameter_that_is_not_mapped_is_not_written(mode):
    ms.set_context(mode=mode)
    net = Mapped(ops.AssignAdd(), (None, 0), W)
    with pytest.raises(TypeError, match="which has one value and not one per element"):
        net(Tensor([W, W]))
    assert net.w.asnumpy().tolist() == W


@MODES
def test_parts_of_parts_and_steps_in_branches(mode):
    ms.set_context(mode=mode)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(ops.arange(12.0).reshape(2, 3, 2), name="w")
            self.mapped = ops.vmap(ops.vmap(self.one, in_axes=(1, None)), in_axes=(0, 0))

        def one(self, w, x):
            if x.sum() > 4:
                ops.assign_add(w, x)
            return w.sum()

        def construct(self, x):
            return self.mapped(self.w, x)

    net, x = Net(), np.array([[1, 2, 1], [3, 2, 1]], np.float32)
    want = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    want[1] += x[1][:, None]
    out = net(Tensor(x))
    np.testing.assert_array_equal(net.w.asnumpy(), want)
    np.testing.assert_array_equal(out.asnumpy(), want.sum(1))


# --- generators -----------------------------------------------------------------------------------


def test_each_element_of_a_batch_draws_its_own_numbers(mode):
    def noisy(x):
        return ops.dropout(x, 0.5), ops.randn(400), ops.rand(2, 2)

    x = ops.ones((6, 400))
    ms.set_seed(7)
    kept, normal, uniform = (v.asnumpy() for v in ms.vmap(noisy)(x))
    ms.set_seed(7)
    again = ms.vmap(noisy)(x)[1].asnumpy()
    np.testing.assert_array_equal(normal, again)
    assert ((kept == 0) | (kept == 2)).all() and 0.4 < (kept == 0).mean() < 0.6
    # 2400 normal numbers: those of two elements, and of two calls, have nothing to do with each other.
    assert abs(normal.mean()) < 0.08 and 0.94 < normal.std() < 1.06
    others = ms.vmap(noisy)(x)[1].asnumpy()
    related = np.corrcoef(np.concatenate([normal, others]))
    assert np.abs(related - np.eye(12)).max() < 0.25
    assert len(np.unique(uniform)) == 24
    both = ms.vmap(ms.vmap(lambda x: ops.rand(3)))(ops.ones((2, 4))).asnumpy()
    assert both.shape == (2, 4, 3) and len(np.unique(both)) == 24

    # The gradient sees the mask of the forward pass.
    def loss(x):
        out = ops.dropout(x * x, 0.5)
        return out.sum(), out

    slopes, out = ms.vmap(ms.grad(loss, has_aux=True))(x)
    np.testing.assert_array_equal(slopes.asnumpy(), 2 * out[0].asnumpy())


def test_an_operation_with_seeds_of_its_own_is_mapped_too(mode):
    def draws():
        op = ops.UniformReal(seed=3)
        return [ms.vmap(lambda x: op((5,)) * x)(ops.ones((4,))).asnumpy() for _ in range(2)]

    first, second = draws()
    assert len(np.unique([first, second])) == 40
    np.testing.assert_array_equal([first, second], draws())


def test_a_batch_leaves_other_draws_as_they_are():
    """It makes one step of the generator."""
    ms.set_seed(2)
    ops.rand(1)
    wanted = ops.rand(4).asnumpy()
    ms.set_seed(2)
    ms.vmap(lambda x: x * ops.rand(3, 3).sum() + ops.rand(1)[0])(ops.ones((5,)))
    np.testing.assert_array_equal(ops.rand(4).asnumpy(), wanted)
