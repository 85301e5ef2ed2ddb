"""`amp.auto_mixed_precision` at level "auto": what each operation computes in, and where that ends.

dtypes and numbers are MindSpore 2.10's, whose two modes agree to three digits.
"""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, amp, nn, ops

F16, BF16, F32, F64 = ms.float16, ms.bfloat16, ms.float32, ms.float64
A = np.array([[0.3, 0.4], [0.5, 0.6]])
LABELS = Tensor([0, 1], ms.int32)

LOWER = {
    "matmul": ops.matmul,
    "MatMul": ops.MatMul(),
    "bmm": lambda x, y: ops.bmm(x[None], y[None]),
    "mv": lambda x, y: ops.mv(x, y[0]),
    "prelu": lambda x, y: ops.prelu(x, y[0]),
    "einsum": lambda x, y: ops.einsum("ij,jk->ik", x, y),
    "dense": ops.dense,
    "inner": ops.inner,
    "@": lambda x, y: x @ y,
    "conv2d": lambda x, y: ops.conv2d(x[None, None], y[None, None]),
    "conv1d": lambda x, y: ops.conv1d(x[None], y[None]),
}
FULL = {
    "pow": ops.pow,
    "square": lambda x, y: x**2,
    "acos": lambda x, y: ops.acos(x),
    "exp": lambda x, y: ops.exp(x),
    "log": lambda x, y: x.log(),
    "rsqrt": lambda x, y: ops.rsqrt(x),
    "softmax": lambda x, y: ops.softmax(x),
    "log_softmax": lambda x, y: nn.LogSoftmax()(x),
    "sum": lambda x, y: x.sum(),
    "prod": lambda x, y: ops.prod(x),
    "cumsum": lambda x, y: ops.cumsum(x, 0),
    "var": lambda x, y: ops.var(x),
    "group_norm": lambda x, y: ops.group_norm(x, 1, y[0], y[1]),
    "smooth_l1": ops.smooth_l1_loss,
    "cross_entropy": lambda x, y: ops.cross_entropy(x, LABELS),
    "kl_div": ops.kl_div,
    "cdist": ops.cdist,
    "renorm": lambda x, y: ops.renorm(x, 2, 0, 1.0),
}
AS_GIVEN = {
    "atan": lambda x, y: ops.atan(x),
    "tanh": lambda x, y: ops.tanh(x),
    "mean": lambda x, y: ops.mean(x),
    "relu": lambda x, y: ops.relu(x),
    "sqrt": lambda x, y: ops.sqrt(x),
    "add": lambda x, y: x + y,
    "concat": lambda x, y: ops.concat([x, y]),
    "addn": lambda x, y: ops.addn([x, y]),
}


def pair(first, second):
    return Tensor(A, first), Tensor(A, second)


@pytest.mark.parametrize("name", [*LOWER, *FULL, *AS_GIVEN])
def test_each_operation(name):
    function = {**LOWER, **FULL, **AS_GIVEN}[name]
    listed = amp.auto_mixed_precision(lambda x, y: function(x, y), "auto")
    for given in ((F32, F32), (F16, F16), (F16, F32), (F64, F64)):
        x, y = pair(*given)
        widest = F64 if F64 in given else F32 if given != (F16, F16) else F16
        if name in ("atan", "tanh", "mean", "relu", "sqrt"):
            widest = given[0]
        wanted = F16 if name in LOWER else F32 if name in FULL else widest
        for run in (listed, ms.jit(listed)):
            out = run(x, y)
            assert out.dtype is wanted
        exact = function(*pair(F64, F64)).asnumpy()
        np.testing.assert_allclose(
            out.asnumpy(), exact, 4e-3 if F16 in (*given, wanted) else 2e-5, 2e-4
        )
        if given == (F32, F32):
            assert function(x, y).dtype is F32  # as before, outside of it


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.arange(12).reshape(4, 3) / 7 - 0.7, F32), name="w")
        self.b = Parameter(Tensor([0.1, 0.2, 0.3], F32), name="b")

    def construct(self, x):
        h = ops.tanh(ops.matmul(x, self.w))
        return ops.log(ops.softmax(h + self.b, -1)), h


def test_gradients_are_mindspores(mode):
    x = Tensor(np.arange(8).reshape(2, 4) / 9 - 0.3, F32)
    net = amp.auto_mixed_precision(Net(), "auto")
    logarithms, h = net(x)
    assert logarithms.dtype is F32 and h.dtype is F16
    wanted = [[-1.12595367, -1.09809732, -1.07249916], [-1.38061404, -1.11423266, -0.86652720]]
    np.testing.assert_allclose(logarithms.asnumpy(), wanted, 1e-3)
    wanted = [[0.26220703, 0.19006348, 0.11566162], [0.16540527, 0.33178711, 0.47949219]]
    np.testing.assert_allclose(h.asnumpy(), wanted, 2e-3)
    (by_x,), (by_w, by_b) = ops.GradOperation(get_all=True, get_by_list=True)(
        net, net.trainable_params()
    )(x)
    assert {by_x.dtype, by_w.dtype, by_b.dtype} == {F32}
    wanted = [
        [-1.60449219, -0.36987305, 0.86474609, 2.09960938],
        [-1.58789063, -0.43701172, 0.71337891, 1.86425781],
    ]
    np.testing.assert_allclose(by_x.asnumpy(), wanted, 2e-3)
    wanted = [
        [-0.11199951, -0.15856934, -0.20605469],
        [0.12915039, 0.04910278, -0.03598022],
        [0.37011719, 0.25659180, 0.13391113],
        [0.61083984, 0.46386719, 0.30371094],
    ]
    np.testing.assert_allclose(by_w.asnumpy(), wanted, 2e-3, 4e-4)
    np.testing.assert_allclose(by_b.asnumpy(), [0.27269927, 0.01498424, -0.28768378], 2e-3, 4e-4)


def product(x, y):
    return ops.matmul(x, y)


compiled = ms.jit(product)
gradient = ms.grad(lambda x, y: ops.matmul(x, y).astype(F32).sum())


def test_it_holds_in_what_is_called_and_ends_there(mode):
    """Compiled functions and gradients have other code inside, and the old one again outside."""
    ones = ops.ones((2, 2))
    third = Tensor(np.full((2, 2), 1 / 3), F32)
    rounded = np.full((2, 2), 2 * float(np.float16(1 / 3)))

    def f(x, y):
        return compiled(x, y), product(x, y), gradient(x, y)

    inside = amp.auto_mixed_precision(f, "auto")
    for _ in range(2):
        assert [v.dtype for v in f(ones, third)] == [F32, F32, F32]
        *outs, slope = inside(ones, third)
        assert [v.dtype for v in outs] == [F16, F16] and slope.dtype is F32
        np.testing.assert_allclose(slope.asnumpy(), rounded, 1e-6)  # not 2/3, 3e-4 off
        np.testing.assert_allclose(gradient(ones, third).asnumpy(), np.full((2, 2), 2 / 3), 1e-6)
        assert [v.dtype for v in ms.jit(f)(ones, third)] == [F32, F32, F32]
        assert [v.dtype for v in ms.jit(inside)(ones, third)][:2] == [F16, F16]
    half = ms.jit(lambda x, y: (amp.auto_mixed_precision(product, "auto")(x, y), product(x, y)))
    assert [v.dtype for v in half(ones, third)] == [F16, F32]

    def fails(x):
        return ops.matmul(x, ops.ones((3, 3)))

    with pytest.raises(ValueError, match="dimensions must be equal"):
        amp.auto_mixed_precision(fails, "auto")(ones)
    assert product(ones, third).dtype is F32


def test_under_vmap_and_in_loops(mode):
    def steps(x, w):
        for _ in range(3):
            x = ops.exp(ops.matmul(x, w)) * 0.25
        return x

    x, w = Tensor(np.arange(12).reshape(2, 3, 2) / 10, F32), Tensor(A, F32)
    listed = amp.auto_mixed_precision(steps, "auto", BF16)
    out = ms.vmap(listed, (0, None))(x, w)
    assert out.dtype is F32
    exact = x.asnumpy().astype(np.float64)
    for _ in range(3):
        exact = np.exp(exact @ A) * 0.25
    np.testing.assert_allclose(out.asnumpy(), exact, 0.02)
    assert np.abs(out.asnumpy() / exact - 1).max() > 1e-5  # it did compute in bfloat16
    np.testing.assert_allclose(out.asnumpy()[1], listed(x[1], w).asnumpy(), 1e-6)


def test_to_float_goes_first(mode):
    class Inner(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(2, 2).to_float(F32)

        def construct(self, x):
            return self.dense(x), ops.matmul(x, x)

    net = amp.auto_mixed_precision(Inner(), "auto")
    assert [v.dtype for v in net(Tensor(A, F16))] == [F32, F16]


def test_training(mode):
    """The loss is of float32, as MindSpore makes it, and its steps lead where those without it do."""
    x = Tensor(np.random.default_rng(0).standard_normal((8, 4)), F32)
    y = Tensor(np.eye(3)[[0, 1, 2, 0, 1, 2, 0, 1]], F32)
    losses = {}
    for level in ("O0", "auto"):
        ms.set_seed(1)
        net = nn.SequentialCell(nn.Dense(4, 3), nn.BatchNorm1d(3), nn.Dense(3, 3))
        optimizer = nn.SGD(net.trainable_params(), 0.1)
        step = amp.build_train_network(net, optimizer, nn.MSELoss(), level)
        losses[level] = [step(x, y) for _ in range(4)]
    assert {v.dtype for v in losses["auto"]} == {F32}
    first, second = ([float(v) for v in losses[level]] for level in losses)
    assert first != second
    np.testing.assert_allclose(first, second, 5e-3)
    model = ms.Model(nn.Dense(4, 3), nn.MSELoss(), optimizer, amp_level="auto")
    assert model.eval_network(x, y)[1].dtype is F32


def test_functions_at_other_levels_are_refused():
    with pytest.raises(TypeError, match="must be a Cell"):
        amp.auto_mixed_precision(product, "O1")
    with pytest.raises(TypeError, match="must be a Cell or a function"):
        amp.auto_mixed_precision(3, "auto")
