"""Parts and other shapes of a tensor outside of compiled code are views of it, as in MindSpore's PyNative
mode: writing to elements of one writes to the other. What is a view is as in MindSpore 2.10.
"""

import gc
import weakref

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, mint, nn, ops

ROWS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def make():
    return Tensor(np.float32(ROWS))


# With what numpy gives, whose views these are; None for functions it has under no name.
VIEWS = {
    "x[1]": (lambda x: x[1], None),
    "x[1:]": (lambda x: x[1:], None),
    "x[:, 1]": (lambda x: x[:, 1], None),
    "x[::2]": (lambda x: x[::2], None),
    "x[None]": (lambda x: x[None], None),
    "x[...]": (lambda x: x[...], None),
    "x[0][1:]": (lambda x: x[0][1:], None),
    "rows": (lambda x: list(x)[1], None),
    "T": (lambda x: x.T, None),
    "T[1]": (lambda x: x.T[1], None),
    "T.T": (lambda x: x.T.T, None),
    "transpose": (lambda x: x.transpose(1, 0), None),
    "permute": (lambda x: x.permute(1, 0), lambda x: x.T),
    "swapaxes": (lambda x: x.swapaxes(0, 1), None),
    "moveaxis": (lambda x: ops.movedim(x, 0, 1), lambda x: x.T),
    "t": (lambda x: x.t(), lambda x: x.T),
    "view": (lambda x: x.view(3, 2), lambda x: x.reshape(3, 2)),
    "reshape": (lambda x: x.reshape(3, 2), None),
    "part reshaped": (lambda x: x[1].reshape(3, 1), None),
    "ravel": (lambda x: x.ravel(), None),
    "flatten": (lambda x: x.flatten(), lambda x: x.reshape(-1)),
    "expand_dims": (lambda x: x.expand_dims(0), lambda x: x[None]),
    "unsqueeze": (lambda x: x.unsqueeze(2), lambda x: x[..., None]),
    "squeeze": (lambda x: x[None].squeeze(0), None),
    "split": (lambda x: ops.split(x, 1)[1], lambda x: x[1:]),
    "chunk": (lambda x: x.chunk(2)[0], lambda x: x[:1]),
    "unbind": (lambda x: ops.unbind(x, 0)[1], lambda x: x[1]),
    "narrow": (lambda x: x.narrow(1, 1, 2), lambda x: x[:, 1:]),
    "diagonal": (lambda x: x.diagonal(), lambda x: x.reshape(-1)[::4]),
    "mint.transpose": (lambda x: mint.transpose(x, 0, 1), lambda x: x.T),
    "ops.Transpose": (lambda x: ops.Transpose()(x, (1, 0)), lambda x: x.T),
    "ops.flatten": (lambda x: ops.flatten(x, start_dim=0), lambda x: x.reshape(-1)),
    "mint.flatten": (lambda x: mint.flatten(x, 1), lambda x: x[...]),
    "adjoint": (lambda x: x.adjoint(), lambda x: x.T),
    "mT": (lambda x: x.mT, lambda x: x.T),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_and_what_they_are_of(name):
    function, same = VIEWS[name]
    same = same or function
    x, plain = make(), np.float32(ROWS)
    y, part = function(x), same(plain)
    np.testing.assert_array_equal(y.asnumpy(), part)
    at = (0,) * y.ndim
    y[at] = 50.0
    part[at] = 50.0
    np.testing.assert_array_equal(x.asnumpy(), plain)
    x[1] = 7.0
    plain[1] = 7.0
    np.testing.assert_array_equal(y.asnumpy(), part)
    other = function(x)
    other += 1  # another tensor from here on, as in both modes there
    y.add_(1.0)
    part += 1
    np.testing.assert_array_equal(x.asnumpy(), plain)
    np.testing.assert_array_equal(y.asnumpy(), part)


COPIES = {
    "copy": lambda x: x.copy(),
    "ops.flatten": lambda x: ops.flatten(x),
    "transposed and reshaped": lambda x: x.T.reshape(-1),
    "computed": lambda x: x * 1,
    "flatten from 1": lambda x: x.flatten(start_dim=1),
    "mint.flatten of a view": lambda x: mint.flatten(x.T),
    "ops.Identity": lambda x: ops.Identity()(x),
    "ops.IdentityN": lambda x: ops.IdentityN()([x])[0],
    "ops.ReduceSum": lambda x: ops.ReduceSum(skip_mode=True)(x, ()),
    "ops.channel_shuffle": lambda x: ops.channel_shuffle(x.reshape(1, 2, 3), 2),
    "numpy.broadcast_to": lambda x: ms.numpy.broadcast_to(x, (2, 3)),
    "numpy.broadcast_arrays": lambda x: ms.numpy.broadcast_arrays(x, x)[0],
    "numpy.flip": lambda x: ms.numpy.flip(x, ()),
    "numpy.diag": lambda x: ms.numpy.diag(x),
    "numpy.sum": lambda x: ms.numpy.sum(x, ()),
    "numpy.amax": lambda x: ms.numpy.amax(x, ()),
    "numpy.meshgrid": lambda x: ms.numpy.meshgrid(x[0], x[0])[0],
}


@pytest.mark.parametrize("name", COPIES)
def test_copies(name):
    x = make()
    y = COPIES[name](x)
    y[(0,) * y.ndim] = 50.0
    np.testing.assert_array_equal(x.asnumpy(), ROWS)
    x[0, 0] = 7.0
    assert y.asnumpy().reshape(-1)[0] == 50


@pytest.mark.parametrize("run", [lambda f: f, ms.jit])
def test_a_tensor_of_its_own_by_identity(run):
    def f(x):
        y = ops.Identity()(x)
        y[0, 0] = 50.0
        return x * y

    np.testing.assert_array_equal(run(f)(make()).asnumpy(), [[50, 4, 9], [16, 25, 36]])
    gradient = ms.grad(lambda x: f(x).sum())(make())
    np.testing.assert_array_equal(gradient.asnumpy(), [[50, 4, 6], [8, 10, 12]])


def nested(x):
    x[0][0] = 9
    x[1][1:] *= 2
    x[[1, 0]][1][1] = 8
    x[Tensor(1)][0] = 7
    x[None][0, 0, 2] += 1
    return x


@pytest.mark.parametrize("run", [lambda f: f, ms.jit])
def test_elements_of_elements(run):
    want = [[9, 8, 4], [7, 10, 12]]
    np.testing.assert_array_equal(run(nested)(make()).asnumpy(), want)


def test_elements_of_elements_have_gradients():
    gradient = ms.grad(lambda x: nested(x))(make())
    np.testing.assert_array_equal(gradient.asnumpy(), [[0, 0, 1], [0, 2, 2]])

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(ops.ones((2, 3)), name="w")

        def construct(self, x):
            if x.sum() > 0:
                self.w[0][1] = 5.0
            return x * self.w

    net = Net()
    np.testing.assert_array_equal(net(make()).asnumpy(), [[1, 10, 3], [4, 5, 6]])
    net.w[1][0] = 3.0
    np.testing.assert_array_equal(net.w.asnumpy(), [[1, 5, 1], [3, 1, 1]])


def test_augmented_arithmetic_makes_another_tensor():
    """As in MindSpore's PyNative mode; in its graph mode the old name has the new value, too."""

    def f(x):
        z = x
        x += 1
        y = x[1]
        y *= 2
        return z, x

    for run in (f, ms.jit(f)):
        x = make()
        z, new = run(x)
        np.testing.assert_array_equal(x.asnumpy(), ROWS)
        np.testing.assert_array_equal(z.asnumpy(), ROWS)
        np.testing.assert_array_equal(new.asnumpy(), np.add(ROWS, 1))


def test_views_of_a_view_and_beside_it():
    x = make()
    row, column, flat = x[0], x[:, 0], x.view(-1)
    flat[0] = 50.0
    assert (float(row[0]), float(column[0]), float(x[0, 0])) == (50, 50, 50)
    row[0] = 60.0
    assert (float(flat[0]), float(column[0])) == (60, 60)
    wide = ops.broadcast_to(x[0, :1], (4,))
    wide[2] = 5.0
    np.testing.assert_array_equal(wide.asnumpy(), [5] * 4)
    assert float(x[0, 0]) == 5


def test_what_is_kept_alive():
    x = make()
    root = weakref.ref(x)
    number = x[0, 1]
    part = x[0]
    del x
    gc.collect()
    assert root() is not None
    part[1] = 3.0
    del part
    gc.collect()
    assert root() is None
    number[...] = 9.0
    assert float(number) == 9


def test_a_parameter_with_another_shape():
    w = Parameter(make(), name="w")
    part = w[0]
    w.set_data(Tensor([1.0, 2.0]))
    part[0] = 9.0
    np.testing.assert_array_equal(w.asnumpy(), [1, 2])
    np.testing.assert_array_equal(part.asnumpy(), [9, 2, 3])


@pytest.mark.parametrize("run", [lambda f: f, ms.jit], ids=["eager", "jit"])
def test_assign_writes_to_tensors(run):
    def f(x, y):
        ops.assign_add(x, y)
        before = x * 1
        x[0].add_(Tensor([5.0, 4.0, 3.0]))  # of a part, in place
        ops.assign_sub(x, 1)
        return before, x

    x = make()
    before, after = run(f)(x, Tensor(np.float32(ROWS)))
    assert before.asnumpy().tolist() == [[2, 4, 6], [8, 10, 12]]
    assert after.asnumpy().tolist() == [[6, 7, 8], [7, 9, 11]]
    with pytest.raises(ValueError, match=r"shape of the Tensor, \[2, 3\], but got \[3\]"):
        run(lambda x: ops.assign(x, x[0]))(x)


def test_the_gradient_of_an_assigned_tensor_is_that_of_its_new_elements():
    def f(x, y):
        h = x * 2
        ops.assign(h, y)
        return h * h

    by_x, by_y = ms.grad(f, (0, 1))(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
    assert by_x.asnumpy().tolist() == [0, 0] and by_y.asnumpy().tolist() == [6, 8]


# MindSpore's strides, offset and whether elements lie one after the other, of views of shape [2, 3, 4].
LAYOUTS = {
    "x": ([12, 4, 1], 0, True),
    "x.transpose(2, 0, 1)": ([1, 12, 4], 0, False),
    "x[1]": ([4, 1], 12, True),
    "x[:, 1]": ([12, 1], 4, False),
    "x[:, :, ::2]": ([12, 4, 2], 0, False),
    "x.chunk(2, 2)[1]": ([12, 4, 1], 2, False),
    "x.swapaxes(0, 2)": ([1, 4, 12], 0, False),
    "x.narrow(1, 1, 2)": ([12, 4, 1], 4, False),
    "x[:1].broadcast_to((2, 3, 4))": ([0, 4, 1], 0, False),
    "x.swapaxes(0, 1).swapaxes(0, 1)": ([12, 4, 1], 0, True),
    "x[:, 1].reshape(-1)": ([1], 0, True),
}


@pytest.mark.parametrize("text", LAYOUTS)
def test_layouts_of_views(text):
    x = Tensor(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
    y = eval(text, {"x": x})
    assert (y.stride(), y.storage_offset(), y.is_contiguous()) == LAYOUTS[text]
    whole = y.contiguous()
    assert whole.is_contiguous() and (whole == y).all()
    assert (whole is y) == y.is_contiguous()


@pytest.mark.parametrize("run", [lambda f: f, ms.jit])
def test_what_is_made_contiguous_is_another_tensor(run):
    """As in MindSpore: a tensor whose elements lie apart is copied, another one is itself."""

    def f(x):
        rows, column = x[0].contiguous(), x[:, 1].contiguous()
        rows[0], column[0] = 5.0, 7.0
        return x * 1.0

    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert run(f)(x).asnumpy().tolist() == [[5, 2], [3, 4]]
    slope = ms.grad(lambda x: (x.T.contiguous() * Tensor([[1.0, 2.0], [3.0, 4.0]])).sum())(x)
    assert slope.asnumpy().tolist() == [[1, 3], [2, 4]]


def test_data_that_is_assigned():
    """Elements, dtype and shape are those of another tensor; views keep what they had. As in MindSpore 2.10, but for
    `z`, with which the tensor shares its memory there."""
    x = Tensor([1.0, 2.0, 3.0])
    same, v, w = x, x[0:2], x[1:]
    z = Tensor([3, 4])
    x.data = z
    assert same.asnumpy().tolist() == [3, 4] and x.dtype is ms.int64 and x.shape == (2,)
    v[1] = 9
    assert (v.asnumpy().tolist(), w.asnumpy().tolist()) == ([1, 9], [9, 3])
    x[0] = 7
    assert (x.asnumpy().tolist(), v.asnumpy().tolist()) == ([7, 4], [1, 9])
    assert z.asnumpy().tolist() == [3, 4]
    whole = Tensor([[1.0, 2.0], [3.0, 4.0]])
    row = whole[0]
    part = row[0:1]
    row.data = Tensor([5.0, 6.0])
    row[0] = 8
    whole[0] = 0
    assert whole.asnumpy().tolist() == [[0, 0], [3, 4]] and row.asnumpy().tolist() == [8, 6]
    assert part.asnumpy().tolist() == [0]


def test_data_is_not_assigned_where_derivatives_are():
    def tripled(x):
        y = x * 1
        y.data = x * 3
        return y

    for f in (ms.grad(tripled), ms.jit(tripled, fullgraph=True)):
        with pytest.raises(TypeError, match="data"):
            f(Tensor(2.0))
    with pytest.raises(TypeError, match="'value' must be a Tensor, but got float"):
        Tensor(2.0).data = 1.0
