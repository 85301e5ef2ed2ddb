"""vmap, Jacobians and Hessians against numpy and closed forms, in every order of nesting."""

import os

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops

RNG = np.random.default_rng(0)
X = RNG.normal(size=(5, 3))
V = RNG.normal(size=(5, 3))
W = RNG.normal(size=(3, 4))
A = RNG.normal(size=(3, 3))


def t(a):
    return Tensor(np.asarray(a, np.float64))


def close(given, expected):
    np.testing.assert_allclose(given.asnumpy(), expected, rtol=1e-12, atol=1e-13)


def energy(x):
    return ops.sum(ops.sin(x) * x)


def d_energy(x):
    return np.cos(x) * x + np.sin(x)


def dd_energy(x):
    return 2 * np.cos(x) - np.sin(x) * x


def quadratic(x):
    return ops.sum(x * ops.matmul(t(A), x.reshape(3, 1)).reshape(3))


def test_rows():
    close(ms.vmap(energy)(t(X)), (np.sin(X) * X).sum(1))


def test_axes():
    close(ms.vmap(lambda a, b: ops.sum(a * b), (1, None))(t(X), t(X[:, 0])), X.T @ X[:, 0])
    close(ms.vmap(lambda a: a * 2, 0, 1)(t(X)), 2 * X.T)
    close(ms.vmap(lambda a: a * 2, -1, -1)(t(X)), 2 * X)
    pair, plain = ms.vmap(lambda p: (p[0] - p[1], p[1]), in_axes=((0, None),))((t(X), t(X[0])))
    close(pair, X - X[0])
    close(plain, np.tile(X[0], (5, 1)))


def test_nested_batches_and_captured_tensors():
    outer = ms.vmap(lambda a: ms.vmap(lambda b: ops.sum(a * b))(t(V)))(t(X))
    close(outer, X @ V.T)


def test_every_op_family():
    def f(a):
        b = ops.concat((a[1:], ops.exp(a[:1])), 0)
        m = ops.matmul(b.reshape(1, 3), t(W)).reshape(4)
        r = ops.where(m > 0, m, ops.square(m))
        return r.max() + ops.mean(r) + ops.cast(r, ms.float64)[::2].sum()

    def g(a):
        m = np.concatenate((a[1:], np.exp(a[:1]))) @ W
        r = np.where(m > 0, m, m * m)
        return r.max() + r.mean() + r[::2].sum()

    close(ms.vmap(f)(t(X)), np.array([g(a) for a in X]))


def test_cells():
    net = nn.Dense(3, 4, weight_init=Tensor(W.T.astype(np.float32)))
    rows = ms.vmap(net)(Tensor(X.astype(np.float32)))
    np.testing.assert_allclose(rows.asnumpy(), X @ W + net.bias.asnumpy(), rtol=1e-5, atol=1e-6)


def test_gradients_in_every_order():
    close(ms.vmap(ms.grad(energy))(t(X)), d_energy(X))
    close(ms.grad(lambda a: ops.sum(ms.vmap(energy)(a)))(t(X)), d_energy(X))
    close(ms.vmap(ms.grad(lambda a: ops.sum(ms.grad(energy)(a))))(t(X)), dd_energy(X))
    _, tangent = ms.jvp(ms.vmap(ms.grad(energy)), t(X), t(V))
    close(tangent, dd_energy(X) * V)


@pytest.mark.parametrize("mode", [ms.jacrev, ms.jacfwd])
def test_jacobian(mode):
    def f(x, w):
        return ops.matmul(x.reshape(1, 3), w).reshape(4)

    close(mode(f)(t(X[0]), t(W)), W.T)
    jx, jw = mode(f, (0, 1))(t(X[0]), t(W))
    close(jx, W.T)
    close(jw, np.einsum("k,ij->ikj", X[0], np.eye(4)))
    close(mode(lambda x: (x * x, 1.0), has_aux=True)(t(X[0]))[0], np.diag(2 * X[0]))
    a, b = mode(lambda x: (x * 2, ops.sum(x)))(t(X[0]))
    close(a, 2 * np.eye(3))
    close(b, np.ones(3))


@pytest.mark.parametrize("mode", [ms.jacrev, ms.jacfwd])
def test_jacobian_by_a_structure(mode):
    """By each Tensor of a dict or tuple, in the structure of the input; one Tensor twice."""
    a, b = X[0], X[1]
    by = mode(lambda d: (d["a"] * d["b"][0], ops.sum(d["a"] ** 2)))({"a": t(a), "b": (t(b), 3)})
    close(by[0]["a"], np.diag(b))
    close(by[0]["b"][0], np.diag(a))
    assert by[0]["b"][1] == 0
    close(by[1]["a"], 2 * a)
    close(by[1]["b"][0], np.zeros(3))
    x = t(a)
    first, second = mode(lambda p, q: p[0] * p[1] * q, 0)((x, x), t(b))
    close(first, np.diag(a * b))
    close(second, np.diag(a * b))
    h = ms.hessian(lambda d: ops.sum(d["a"] ** 2 * d["b"]))({"a": t(a), "b": t(b)})
    close(h["a"]["a"], np.diag(2 * b))
    close(h["a"]["b"], np.diag(2 * a))
    close(h["b"]["a"], np.diag(2 * a))
    close(h["b"]["b"], np.zeros((3, 3)))


def test_hessian():
    close(ms.hessian(energy)(t(X[0])), np.diag(dd_energy(X[0])))
    close(ms.hessian(quadratic)(t(X[0])), A + A.T)
    close(ms.jacrev(ms.jacrev(quadratic))(t(X[0])), A + A.T)
    close(ms.jacfwd(ms.hessian(lambda x: ops.sum(x * x * x)))(t(X[0])).sum(), 18.0)


def test_hessian_vector_product():
    gradient, product = ms.hvp(quadratic, t(X[0]), t(V[0]))
    close(gradient, (A + A.T) @ X[0])
    close(product, (A + A.T) @ V[0])
    _, (hx, hy) = ms.hvp(lambda x, y: ops.sum(x * x * y), (t(X[0]), t(X[1])), (t(V[0]), t(V[1])))
    close(hx, 2 * X[1] * V[0] + 2 * X[0] * V[1])
    close(hy, 2 * X[0] * V[0])


def test_hessian_vector_product_forms_no_matrix():
    n = 200_000  # a Hessian of this size has 3.2e11 bytes
    x = np.linspace(0, 1, n)
    close(ms.hvp(energy, t(x), t(np.ones(n)))[1], dd_energy(x))


def test_results_that_come_out_once(mode):
    run = ms.vmap(lambda x, w: (x * w, w + 1, ops.zeros(2)), (0, None), (1, None, None))
    scaled, moved, zeros = run(t(X), t(X[0]))
    close(scaled, (X * X[0]).T)
    close(moved, X[0] + 1)
    close(zeros, np.zeros(2))
    gradient = ms.grad(lambda x, w: run(x, w)[0].sum() + run(x, w)[1].sum(), 1)(t(X), t(X[0]))
    close(gradient, X.sum(0) + 1)
    # Inside of another batch, they are that batch.
    inner = ms.vmap(lambda w: ms.vmap(lambda x, w: (x * w, w + 1), (0, None), (0, None))(t(X), w))
    close(inner(t(X))[1], X + 1)


def test_inputs_by_name(mode):
    def scaled(x, *, w, shift=None):
        return x * w if shift is None else x * w + shift

    close(ms.vmap(scaled)(t(X), w=t(X[:, 0])), X * X[:, :1])
    close(ms.vmap(scaled)(shift=t(X), x=t(X), w=t(X[:, 0])), X * X[:, :1] + X)
    gradient = ms.grad(lambda w: ms.vmap(scaled)(t(X), w=w).sum())(t(X[:, 0]))
    close(gradient, X.sum(1))


def test_no_identity_in_the_code(tmp_path):
    n = 300  # an identity has 720 kB
    x = np.linspace(-1, 1, n)

    def f(x):
        return ops.sin(x) * x.sum()

    expected = np.diag(np.cos(x) * x.sum()) + np.sin(x)[:, None]
    for transform in (ms.jacrev, ms.jacfwd):
        close(transform(f)(t(x)), expected)
        files = ms.export(transform(f), t(x), file_name=str(tmp_path / "m"), value_and_grad=False)
        assert os.path.getsize(files[0]) < 64 * 1024
    hessian = ms.hessian(lambda x: (x * x * x).sum() * x[0])
    expected = np.diag(6 * x * x[0])
    expected[0] += 3 * x**2
    expected[:, 0] += 3 * x**2
    close(hessian(t(x)), expected)


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (
            lambda: ms.vmap(energy)(t(1.0)),
            ValueError,
            "axis: 0 in 'in_axes' is out of bounds for array of dimension [0,0)",
        ),
        (
            lambda: ms.vmap(energy, 2)(t(X)),
            ValueError,
            "axis: 2 in 'in_axes' is out of bounds for array of dimension [-2,2)",
        ),
        (lambda: ms.vmap(energy, None)(t(X)), ValueError, "no input is mapped"),
        (
            lambda: ms.vmap(energy, "x")(t(X)),
            TypeError,
            "should be a None or a scalar of type Int64Imm, but got a str: 'x'",
        ),
        (lambda: ms.vmap(lambda x, w: x * w)(t(X), w=t(1.0)), ValueError, "'w' is given by name"),
        (
            lambda: ms.vmap(energy, (0, 0))(t(X)),
            ValueError,
            "is 2, but the number of provided arguments is 1",
        ),
        # As MindSpore's, these are a TypeError, or a RuntimeError, as well.
        (
            lambda: ms.vmap(energy, (0, 0))(t(X)),
            TypeError,
            "is 2, but the number of provided arguments is 1",
        ),
        (lambda: ms.vmap(energy, 0, None)(t(X)), RuntimeError, "'out_axes' is None"),
        (
            lambda: ms.vmap(energy, 0, None)(t(X)),
            ValueError,
            "'out_axes' is None for an output of 'energy', but result 0 depends on an input",
        ),
        (
            lambda: ms.vmap(lambda a, b: a)(t(X), t(W)),
            ValueError,
            "should be equal, but got 5 and 3",
        ),
        (lambda: ms.vmap(lambda a: None)(t(X)), TypeError, "must return a Tensor"),
        (lambda: ms.vmap(3), TypeError, "must be a Cell or a function"),
        (lambda: ms.jacrev(energy, 1)(t(X)), IndexError, "exceed input size"),
        (lambda: ms.jacfwd(lambda x: 1)(t(X)), TypeError, "must return a Tensor of numbers"),
        (lambda: ms.jacfwd(lambda a, b: a * b, 1)(t(X), 2.0), TypeError, "grad_position 1 is 2.0"),
        (lambda: ms.jacrev(lambda a, b: a * b, 1)(t(X), 2.0), TypeError, "grad_position 1 is 2.0"),
        (lambda: ms.jacrev(energy, has_aux=True)(t(X)), ValueError, "more than one output"),
    ],
)
def test_errors(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert text in said(caught.value)
    assert text == "must be a Cell or a function" or "test_vmap.py" in str(caught.value)


class Member(nn.Cell):
    def __init__(self, scale):
        super().__init__()
        self.scale = Parameter(Tensor(float(scale)), name="scale")
        self.last = Parameter(Tensor([0.0, 0.0]), name="last")

    def construct(self, x, y=None):
        ops.assign(self.last, x)
        return x * self.scale, (x if y is None else x + y)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_an_ensemble(mode):
    """Each Cell of a list gets one element, as in MindSpore."""
    ms.set_context(mode=mode)
    cells = nn.CellList([Member(2), Member(3), Member(4)])
    x, y = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), Tensor([10.0, 20.0])
    first, second = ms.vmap(cells, (0, None), (1, 0))(x, y)
    assert first.asnumpy().tolist() == [[2, 9, 20], [4, 12, 24]]
    assert second.asnumpy().tolist() == [[11, 22], [13, 24], [15, 26]]
    assert [cell.last.asnumpy().tolist() for cell in cells] == x.asnumpy().tolist()
    assert ms.vmap(cells, None)(y)[0].shape == (3, 2)
    gradient = ms.grad(lambda x: ms.vmap(cells)(x)[0])(x)
    assert gradient.asnumpy().tolist() == [[2, 2], [3, 3], [4, 4]]
    with pytest.raises(
        ValueError, match=r"there are 3 Cells, and the mapped dimensions have the s"
    ):
        ms.vmap(cells)(x[:2])
    ms.set_context(mode=ms.GRAPH_MODE)


def test_one_axis_in_a_tuple_for_one_output():
    x = Tensor(np.arange(6.0).reshape(2, 3))
    got = ms.vmap(lambda v: v * 2, in_axes=(1,), out_axes=(1,))(x)
    np.testing.assert_array_equal(got.asnumpy(), 2 * x.asnumpy())


def test_numbers_among_the_outputs():
    """MindSpore 2.10 gives each number that has an axis once for each element, in both of its modes."""

    class Several(nn.Cell):
        def construct(self, x):
            return ((1, 2.5), 3), x * 2.0, True

    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        mapped = ms.vmap(Several(), 1, ((0, None), 0, -1))
        (pair, three), double, yes = mapped(t(X))
        assert (three, double.shape) == (3, X.T.shape)
        n = X.shape[1]
        for found, wanted in ((pair[0], 1), (pair[1], np.float32(2.5)), (yes, True)):
            expected = np.full(n, wanted)
            assert found.asnumpy().dtype == expected.dtype
            np.testing.assert_array_equal(found.asnumpy(), expected)
        np.testing.assert_array_equal(ms.vmap(lambda x: 7)(t(X)).asnumpy(), np.full(len(X), 7))
        twice = ms.vmap(ms.vmap(lambda x: (x, 7), 0, (0, None)))(t(X))
        np.testing.assert_array_equal(twice[1].asnumpy(), np.full(len(X), 7))
        with pytest.raises(ValueError, match="axis: 1 in 'out_axes' is out of bounds"):
            ms.vmap(lambda x: (x, 7), 0, (0, 1))(t(X))
