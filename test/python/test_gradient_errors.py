"""The gradient family where MindSpore 2.10's own tests use it in other ways: classes of errors, rules of Cells
with Parameters, hooks where only weights are differentiated, sparse tensors. Numbers and classes are
MindSpore's.
"""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import COOTensor, CSRTensor, Parameter, Tensor, nn, ops

MODES = pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
X = Tensor([[1.0, 2.0], [3.0, 4.0]])
product = lambda x, y: x * y


class Cube(nn.Cell):
    def construct(self, x):
        return x**3


WRONG = [
    (TypeError, lambda: ms.vjp(Cube(), 1)),
    (TypeError, lambda: ms.vjp(product, X, 3.0)),
    (TypeError, lambda: ms.vjp(product, X, None)),
    (TypeError, lambda: ms.jvp(Cube(), X, (X,))),
    (ValueError, lambda: ms.jvp(product, (X, X), (X,))),
    (TypeError, lambda: nn.Vjp(Cube())(X, (X,))),
    (TypeError, lambda: nn.Jvp(Cube())(X, (X,))),
    (TypeError, lambda: nn.Jvp(product)((X, X), (X, X))),
    (RuntimeError, lambda: ms.grad(product, 0, has_aux=True)(X, X)),
    (RuntimeError, lambda: ms.grad(product, 5)(X, X)),
    (ValueError, lambda: ms.jacrev(product, 5)(X, X)),
    (ValueError, lambda: ms.jacfwd(product, 5)(X, X)),
    (RuntimeError, lambda: ops.vmap(product, in_axes=(0,))(X, X)),
    (RuntimeError, lambda: ops.vmap(product, in_axes=0.5)(X, X)),
    (ValueError, lambda: Parameter(True, name="a")),
    (TypeError, lambda: Parameter(1, name="a").set_data(1.2)),
]


@MODES
@pytest.mark.parametrize("kind, call", WRONG)
def test_errors_are_of_mindspores_classes(mode, kind, call):
    ms.set_context(mode=mode)
    with pytest.raises(kind):
        call()


class Ruled(nn.Cell):
    """Returns gradients by its output and by that of it, too, as some do."""

    def __init__(self):
        super().__init__()
        self.z = Parameter(Tensor([3.0]), name="z")

    def construct(self, x, y):
        return x * self.z * y

    def bprop(self, x, y, out, dout):
        return dout * 5, dout * 7, out, dout


class Around(nn.Cell):
    def __init__(self, again):
        super().__init__()
        self.net = Ruled()
        self.w = Parameter(Tensor([2.0]), name="w")
        self.again = again

    def construct(self, x, y):
        out = self.net(x * self.w, y)
        return out * self.net.z if self.again else out


@MODES
@pytest.mark.parametrize(
    "again, want", [(False, [10.0, 7.0, 5.0, 0.0]), (True, [30.0, 21.0, 15.0, 24.0])]
)
def test_parameters_in_a_cell_with_a_rule_have_no_gradient_there(mode, again, want):
    ms.set_context(mode=mode)
    net = Around(again)
    operation = ops.GradOperation(get_all=True, get_by_list=True)
    inputs, weights = operation(net, net.trainable_params())(Tensor([1.0]), Tensor([4.0]))
    assert [float(g) for g in (*inputs, *weights)] == want


def test_hooks_are_called_where_only_weights_are_differentiated():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    kept = []

    def hook(cell, grad_input, grad_output):
        kept.append([g.asnumpy().shape for g in (*grad_input, *grad_output)])

    net = nn.SequentialCell(nn.Dense(3, 2), nn.Dense(2, 1))
    net[0].register_backward_hook(hook)
    by_weights = ms.grad(net, None, net.trainable_params())
    by_weights(ops.ones((4, 3), ms.float32))
    assert kept == [[(4, 3), (4, 2)]]


@MODES
def test_places_of_sparse_tensors_have_no_gradient(mode):
    ms.set_context(mode=mode)
    at, values = Tensor([[0, 1], [1, 2]], ms.int32), Tensor([-1.0, 2.0])
    every = ops.GradOperation(get_all=True)

    def coo(part):
        return every(lambda at, v: part(COOTensor(at, v, (3, 4))))(at, values)

    for part, want in (
        (lambda c: c, 1),
        (lambda c: c.indices, 0),
        (lambda c: c.to_tuple()[:2], 1),
        (lambda c: c.to_dense(), 1),
    ):
        by_places, by_values = coo(part)
        assert not by_places.asnumpy().any()
        np.testing.assert_array_equal(by_values.asnumpy(), [want, want])
    pointers, columns = Tensor([0, 1, 2], ms.int32), Tensor([1, 0], ms.int32)
    csr = every(lambda p, c, v: CSRTensor(p, c, v, (2, 3)))(pointers, columns, values)
    assert [g.asnumpy().tolist() for g in csr] == [[0, 0, 0], [0, 0], [1.0, 1.0]]
    assert ops.dtype(COOTensor(at, values, (3, 4))) is ms.float32


def test_shapes_from_tensors_in_code_that_runs_as_python():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    sizes, x = Tensor([2, 3]), ops.arange(6.0)
    for change in (ops.reshape, lambda x, s: ops.broadcast_to(x[:3], s), ops.tile):
        found = ms.grad(lambda x, s, change=change: (change(x, s) * 2).sum())(x, sizes)
        want = ms.grad(lambda x, change=change: (change(x, (2, 3)) * 2).sum())(x)
        np.testing.assert_array_equal(found.asnumpy(), want.asnumpy())


@MODES
def test_gradients_of_a_cells_rule_are_summed_where_the_input_was_broadcast(mode):
    ms.set_context(mode=mode)

    class Sum(nn.Cell):
        def __init__(self, gradient):
            super().__init__()
            self.gradient = gradient

        def construct(self, x, y):
            return x + y

        def bprop(self, x, y, out, dout):
            return self.gradient, dout * 3

    every = ops.GradOperation(get_all=True)
    given = Tensor([[1, 1, 1], [1, 1, 1], [2, 2, 2]], ms.int64)
    x, y = every(Sum(given))(ops.ones(3, ms.float32), ops.ones((3, 3), ms.float32))
    assert x.dtype is ms.float32 and x.asnumpy().tolist() == [4.0, 4.0, 4.0]
    assert y.asnumpy().tolist() == [[3.0] * 3] * 3
    for other in (ops.ones((3, 4), ms.float32), Tensor(5.0)):
        with pytest.raises(RuntimeError, match="gives a gradient of shape"):
            every(Sum(other))(ops.ones(3, ms.float32), ops.ones((3, 3), ms.float32))
