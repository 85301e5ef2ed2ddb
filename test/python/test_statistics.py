"""Products, norms, normalisation: against MindSpore (see `goldens/record_statistics.py`), and
derivatives against exact ones.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from messages import said
from test_goldens import NUMBER, normal

import cellgrad as ms
from cellgrad import Parameter, ParameterTuple, Tensor, mint, nn, ops
from cellgrad.testing import check_grads

GOLDENS = Path(__file__).parent / "goldens"
sys.path.insert(0, str(GOLDENS))
import statistics_cases as cases  # noqa: E402

RECORDED = json.loads((GOLDENS / "statistics.json").read_text())


@pytest.fixture(scope="module")
def setup_code(tmp_path_factory):
    path = tmp_path_factory.mktemp("goldens") / "setup.py"
    path.write_text(cases.SETUP)
    return compile(cases.SETUP, str(path), "exec")


@pytest.mark.parametrize("group, expression", [(g, e) for g, es in cases.ALL.items() for e in es])
def test_golden(group, expression, setup_code):
    names = {"ms": ms, "np": np, "nn": nn, "ops": ops, "Tensor": Tensor}
    names |= {"Parameter": Parameter, "ParameterTuple": ParameterTuple}
    exec(setup_code, names)
    wanted = normal(RECORDED[group][expression])
    try:
        result = repr(eval(expression, names))
    except Exception as e:
        result = f"!{type(e).__name__}"
    assert NUMBER.sub("#", result).split() == NUMBER.sub("#", wanted).split()
    got, exact = (np.array(NUMBER.findall(t), float) for t in (result, wanted))
    rtol, atol = cases.TOLERANCE[group]
    np.testing.assert_allclose(got, exact, rtol=rtol, atol=atol)


# --- products -----------------------------------------------------------------------------------


def gradient_of_product(values):
    return np.array([np.prod(np.delete(values, i)) for i in range(len(values))])


@pytest.mark.parametrize("zeros", [[], [2], [0, 4], [1, 2, 3]])
def test_derivatives_of_products_are_exact_with_zeros(zeros):
    values = np.array([1.5, -2.0, 3.0, 0.5, 4.0])
    values[zeros] = 0
    x = Tensor(values)
    np.testing.assert_allclose(ms.grad(ops.prod)(x).asnumpy(), gradient_of_product(values))
    hessian = ms.hessian(ops.prod)(x).asnumpy()
    for i in range(5):
        row = np.array([0 if i == j else np.prod(np.delete(values, [i, j])) for j in range(5)])
        np.testing.assert_allclose(hessian[i], row, atol=1e-15)


@pytest.mark.parametrize("length", [0, 1, 2, 3, 7, 8, 33])
def test_products_of_any_length(length):
    values = np.linspace(0.5, 1.5, 2 * length).reshape(2, length)
    np.testing.assert_allclose(ops.prod(Tensor(values), 1).asnumpy(), values.prod(1), rtol=1e-14)


def test_product_of_several_dimensions_keeps_what_is_asked():
    x = Tensor(np.arange(1.0, 25).reshape(2, 3, 4))
    assert ops.prod(x, (0, 2)).shape == (3,)
    assert ops.prod(x, (0, 2), True).shape == (1, 3, 1)
    np.testing.assert_allclose(ops.prod(x, (0, 2)).asnumpy(), x.asnumpy().prod((0, 2)))


# --- norms --------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [None, 2, 1, 3, 2.5, 0.5, float("inf")])
def test_norms_of_zero_have_finite_derivatives(order):
    zero = Tensor(np.zeros(3))
    first = ms.grad(lambda x: ops.norm(x, order, 0))(zero).asnumpy()
    second = ms.grad(lambda x: (ms.grad(lambda y: ops.norm(y, order, 0))(x) * x).sum())(zero)
    assert np.isfinite(first).all() and np.isfinite(second.asnumpy()).all()
    if order != float("inf"):
        np.testing.assert_array_equal(first, np.zeros(3))


def test_deviation_of_equal_elements_has_derivative_zero():
    x = Tensor(np.full(4, 2.5))
    np.testing.assert_array_equal(ms.grad(ops.std)(x).asnumpy(), np.zeros(4))


@pytest.mark.parametrize("order", [None, 2, 1, 3, 1.5, -2, -1.5])
def test_derivatives_of_norms(order):
    x = Tensor(np.array([[1.5, -0.7, 2.0], [0.3, -1.1, 0.9]]))
    check_grads(lambda v: ops.norm(v, order, 1), (x,), order=2)


@pytest.mark.parametrize("order", ["fro", 1, -1, float("inf"), float("-inf")])
def test_derivatives_of_matrix_norms(order):
    x = Tensor(np.array([[1.5, -0.7, 2.0], [0.3, -1.2, 0.9]]))
    check_grads(lambda v: ops.matrix_norm(v, order), (x,), order=2)


def test_norms_do_not_see_the_derivative_of_powers_at_zero():
    x = Tensor(np.array([0.0, 3.0, -4.0]))
    for order in (1.5, 2, 3):
        gradient = ms.grad(lambda v, p=order: ops.norm(v, p))(x).asnumpy()
        size = (3**order + 4**order) ** (1 / order)
        exact = np.sign(x.asnumpy()) * (np.abs(x.asnumpy()) / size) ** (order - 1)
        np.testing.assert_allclose(gradient, exact, rtol=1e-12)


ERRORS = [
    (lambda x: ops.norm(x, 1, (0, 0)), ValueError, "two different dimensions"),
    (lambda x: ops.norm(x, 1, (0, 5)), ValueError, "axis"),
    (lambda x: ops.norm(x, "fro", 1), ValueError, "number for vectors"),
    (lambda x: ops.norm(x, dtype=ms.int32), ValueError, "float type"),
    (lambda x: ops.matrix_norm(x[0]), ValueError, "at least 2 dimensions"),
    (lambda x: ops.norm(3), TypeError, "must be a Tensor"),
    (lambda x: ops.max(x[:, :0], 1), ValueError, "no elements to compare"),
    (lambda x: ops.argmax(x[:, :0]), ValueError, "no elements to compare"),
    (lambda x: ops.median(x, (0, 1)), TypeError, "axis must be an int"),
    (lambda x: ops.cumsum(x, 2), ValueError, "axis value must be in"),
    (lambda x: ops.cumsum(x > 1, 0), TypeError, "must be of numbers"),
    (lambda x: ops.cumprod(Tensor(2.0), 0), ValueError, "must have at least one dimension"),
    (lambda x: ops.cumprod(x, 0, ms.bool_), TypeError, "'dtype' must be a type of numbers"),
    (lambda x: ops.CumProd()(x > 1, 0), TypeError, "must be of numbers"),
    (lambda x: ops.logcumsumexp(Tensor([1, 2]), 0), TypeError, "must be of floating-point numbers"),
    (lambda x: ops.prod(x, 2), ValueError, "axis value must be in"),
    (lambda x: ops.polygamma(1.5, x), TypeError, "must be an int"),
    (lambda x: ops.polygamma(Tensor([1.0]), x), TypeError, "a Tensor of one int"),
    (lambda x: ops.polygamma(101, x), ValueError, "in [0, 100]"),
    (lambda x: ops.polygamma(-1, x), ValueError, "in [0, 100]"),
    (lambda x: ops.mvlgamma(x, 0), ValueError, "must be positive"),
    (lambda x: ops.mvlgamma(x, 1.5), TypeError, "must be an int"),
    (lambda x: ops.logit(x, "a"), TypeError, "must be a number"),
    (lambda x: ops.batch_norm(x[0], x, x, x, x), ValueError, "at least 2 dimensions"),
    (lambda x: ops.batch_norm(x, x, x, None, None), ValueError, "one element for each channel"),
    (lambda x: ops.batch_norm(x, x[0], x[0], None, None, True), TypeError, "must be a Parameter"),
    (lambda x: ops.layer_norm(x, 3), TypeError, "tuple or list"),
    (lambda x: ops.layer_norm(x, (2,)), ValueError, "that of the last"),
    (lambda x: ops.layer_norm(x, (3,), x), ValueError, "must have shape [3]"),
    (lambda x: ops.group_norm(x, 2), ValueError, "divided by 'num_groups'"),
    (lambda x: ops.group_norm(x, 1.0), TypeError, "must be an int"),
    (lambda x: ops.instance_norm(x), ValueError, "at least 3 dimensions"),
    (lambda x: ops.rms_norm(x, x[0, :2]), ValueError, "that of the last"),
    (lambda x: ops.BatchNorm(data_format="NHWC"), ValueError, "NCHW"),
    (lambda x: nn.BatchNorm2d(4, data_format="NHWC"), ValueError, "NCHW"),
    (lambda x: nn.BatchNorm2d(4.0), TypeError, "'num_features' must be an int"),
    (lambda x: nn.BatchNorm2d(4, momentum="a"), TypeError, "'momentum' must be a number"),
    (lambda x: nn.BatchNorm2d(4, eps="a"), TypeError, "'eps' must be a number"),
    (lambda x: nn.BatchNorm2d(4, eps=-1e-5), ValueError, "'eps' must be in (0, 1]"),
    (lambda x: nn.InstanceNorm1d(4, eps=0.0), ValueError, "'eps' must be in (0, 1]"),
    (lambda x: nn.BatchNorm2d(4, affine=1), TypeError, "'affine' must be a bool"),
    (lambda x: nn.BatchNorm2d(4, use_batch_statistics=1), ValueError, "boolean value or None"),
    (lambda x: nn.SyncBatchNorm(3, process_groups=[[0]]), ValueError, "the group of all ranks"),
    (lambda x: nn.SyncBatchNorm(3)(x[None]), ValueError, "must have 2 or 4 dimensions"),
    (lambda x: nn.Softmax2d()(x), ValueError, "must have 3 or 4 dims"),
    (lambda x: nn.BatchNorm1d(3)(3), TypeError, "must be a Tensor"),
    (lambda x: nn.LayerNorm(()), ValueError, "must not be empty"),
    (lambda x: nn.GroupNorm(0, 4), ValueError, "must be positive"),
    (lambda x: nn.GroupNorm(1.0, 4), TypeError, "must be an int"),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(number):
    function, kind, text = ERRORS[number]
    with pytest.raises(kind) as caught:
        function(Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)))
    assert text in said(caught.value)


# --- order and accumulation -------------------------------------------------------------------------


def test_the_first_extremum_has_the_whole_derivative():
    x = Tensor(np.array([[1.0, 5.0, 5.0], [np.nan, 7.0, np.nan]]))
    for function in (ops.max, ops.median):
        values, where = function(x, 1)
        gradient = ms.grad(lambda v, f=function: f(v, 1)[0].sum())(x).asnumpy()
        at = np.zeros((2, 3))
        np.put_along_axis(at, where.asnumpy()[:, None], 1, 1)
        np.testing.assert_array_equal(gradient, at)
        assert np.isnan(values.asnumpy()[1]) and where.asnumpy()[1] == 0
    ties = Tensor([[2.0, 2.0, 1.0, 1.0]])
    for part, wanted in enumerate(([0, 0, 1, 0], [1, 0, 0, 0])):
        gradient = ms.grad(lambda v, k=part: ops.aminmax(v, axis=1)[k].sum())(ties)
        np.testing.assert_array_equal(gradient.asnumpy(), [wanted])
    check_grads(lambda v: ops.max(v, 0)[0] * ops.min(v, 0)[0], (Tensor(X[:, :, 0]),), order=2)


@pytest.mark.parametrize("zeros", [[], [1], [0, 3], [2, 3, 4]])
def test_derivatives_of_running_products_are_exact_with_zeros(zeros):
    values = np.array([1.5, -2.0, 3.0, 0.5, 4.0])
    values[zeros] = 0
    jacobian = ms.jacrev(lambda v: ops.cumprod(v, 0))(Tensor(values)).asnumpy()
    for i in range(5):
        exact = [np.prod(np.delete(values[: i + 1], j)) if j <= i else 0 for j in range(5)]
        np.testing.assert_allclose(jacobian[i], exact, atol=1e-15)


@pytest.mark.parametrize("zeros", [[], [2], [0, 3], [1, 2]])
@pytest.mark.parametrize("reverse", [False, True])
def test_second_derivatives_of_running_products_are_exact_with_zeros(zeros, reverse):
    values = np.array([1.5, -2.0, 3.0, 0.5])
    values[zeros] = 0
    total = lambda v: ops.CumProd(False, reverse)(v, 0).sum()
    hessian = ms.hessian(total)(Tensor(values)).asnumpy()
    exact = np.zeros((4, 4))
    for i in range(4):
        part = list(range(i, 4) if reverse else range(i + 1))
        for j in part:
            for k in part:
                if j != k:
                    exact[j, k] += np.prod([values[m] for m in part if m not in (j, k)])
    np.testing.assert_allclose(hessian, exact, atol=1e-15)


# With what stands before and behind the dimension, rows of many vectors and of few elements.
SCANNED = [
    ((37,), 0),
    ((5, 40), 1),
    ((40, 5), 0),
    ((3, 9, 67), 1),
    ((2, 3, 1), 1),
    ((4, 0), 1),
    ((3, 0), 0),
]


@pytest.mark.parametrize("shape, axis", SCANNED)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int32, np.int8])
def test_running_extrema_are_those_of_numpy(shape, axis, dtype):
    x = np.random.default_rng(5).integers(-9, 9, shape).astype(dtype)
    for function, accumulate in ((ops.cummax, np.maximum), (ops.cummin, np.minimum)):
        values, where = function(Tensor(x), axis)
        np.testing.assert_array_equal(values.asnumpy(), accumulate.accumulate(x, axis))
        # The last position of each value, as all equal ones up to an element are found again.
        equal = np.expand_dims(np.moveaxis(x, axis, -1), -2) == np.expand_dims(
            np.moveaxis(values.asnumpy(), axis, -1), -1
        )
        last = (np.tril(equal) * np.arange(x.shape[axis])).max(-1, initial=0)
        np.testing.assert_array_equal(np.moveaxis(where.asnumpy(), axis, -1), last)


@pytest.mark.parametrize("shape, axis", SCANNED)
def test_running_extrema_keep_the_first_nan(shape, axis):
    rng = np.random.default_rng(6)
    x = rng.standard_normal(shape).astype(np.float32)
    x[rng.random(shape) < 0.1] = np.nan
    x[rng.random(shape) < 0.1] = -np.inf
    for function, accumulate in ((ops.cummax, np.maximum), (ops.cummin, np.minimum)):
        values, where = (y.asnumpy() for y in function(Tensor(x), axis))
        np.testing.assert_array_equal(values, accumulate.accumulate(x, axis))
        np.testing.assert_array_equal(np.take_along_axis(x, where, axis), values)
        gradient = ms.grad(lambda v, f=function: f(v, axis)[0].sum())(Tensor(x)).asnumpy()
        counts = np.zeros(shape)
        for at in np.ndindex(*shape):
            to = list(at)
            to[axis] = where[at]
            counts[tuple(to)] += 1
        np.testing.assert_array_equal(gradient, counts)


def test_derivatives_of_running_extrema_keep_infinities_apart():
    """The derivative of sqrt is infinite at 0, and only there."""
    x = Tensor(np.array([0.0, 1.0, 4.0, 1.0]))
    largest = lambda v: ops.cummax(ops.sqrt(v), 0)[0]
    _, tangent = ms.jvp(largest, x, Tensor(np.ones(4)))
    np.testing.assert_array_equal(tangent.asnumpy(), [np.inf, 0.5, 0.25, 0.25])
    gradient = ms.grad(lambda v: largest(v).sum())(x).asnumpy()
    np.testing.assert_array_equal(gradient, [np.inf, 0.5, 0.5, 0])


@pytest.mark.parametrize("shape, axis", SCANNED)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("exclusive", [False, True])
def test_running_products_are_those_of_numpy(shape, axis, reverse, exclusive):
    x = np.random.default_rng(7).uniform(0.7, 1.4, shape)
    line = np.flip(x, axis) if reverse else x
    exact = line.cumprod(axis)
    if exclusive and shape[axis]:
        exact = np.roll(exact, 1, axis)
        exact[tuple(0 if d == axis else slice(None) for d in range(x.ndim))] = 1
    exact = np.flip(exact, axis) if reverse else exact
    got = ops.CumProd(exclusive, reverse)(Tensor(x), axis).asnumpy()
    np.testing.assert_allclose(got, exact, rtol=1e-13)


def test_running_combinations_under_vmap():
    x = np.random.default_rng(8).uniform(-1.5, 1.5, (4, 3, 5))
    for function in (
        lambda v: ops.cumprod(v, 1),
        lambda v: ops.cummax(v, 0)[0],
        lambda v: ops.cummin(v, 1)[1],
        ms.grad(lambda v: (ops.cumprod(v, 1) * v).sum()),
        ms.grad(lambda v: (ops.cummax(v, 0)[0] * v).sum()),
        lambda v: ops.topk(v, 2, 0)[0],
    ):
        got = ms.vmap(function)(Tensor(x)).asnumpy()
        exact = [function(Tensor(row)).asnumpy() for row in x]
        np.testing.assert_allclose(got, np.stack(exact), rtol=1e-14)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: ops.cumsum(x, 1),
        lambda x: ops.CumSum(True, True)(x, 0),
        lambda x: ops.cumprod(x, 1),
        lambda x: ops.CumProd(True, True)(x, 0),
        lambda x: ops.logcumsumexp(x, 1),
        lambda x: ops.cummax(x, 1)[0],
        lambda x: ops.cummin(x, 0)[0],
        lambda x: ops.median(x, 1)[0],
    ],
)
def test_derivatives_of_accumulations(function):
    check_grads(function, (Tensor(X[:, :, 1]),), order=3)


@pytest.mark.parametrize("function", [ops.cumprod, ms.mint.cumprod, Tensor.cumprod])
def test_running_products_of_bools_are_integers(function):
    """int64, as in MindSpore 2.10 and of integers."""
    x = np.array([[True, False], [True, True]])
    for axis in (0, -1):
        for run in (function, ms.jit(lambda v, axis=axis: function(v, axis))):
            out = run(Tensor(x), axis) if run is function else run(Tensor(x))
            assert out.dtype is ms.int64
            np.testing.assert_array_equal(out.asnumpy(), np.cumprod(x, axis))
    assert ops.cumprod(Tensor(x), 0, ms.float32).dtype is ms.float32


def test_accumulations_of_any_length():
    for n in (0, 1, 2, 5, 8, 33):
        x = np.linspace(-1.5, 1.2, 2 * n).reshape(2, n)
        np.testing.assert_allclose(ops.cumprod(Tensor(x), 1).asnumpy(), x.cumprod(1), rtol=1e-13)
        best, where = ops.cummin(Tensor(x), 1)
        np.testing.assert_array_equal(best.asnumpy(), np.minimum.accumulate(x, 1))
        np.testing.assert_array_equal(np.take_along_axis(x, where.asnumpy(), 1), best.asnumpy())
        total = ops.logcumsumexp(Tensor(x + 1000), 1).asnumpy()
        np.testing.assert_allclose(total, np.logaddexp.accumulate(x + 1000, 1), rtol=1e-13)


# --- special functions ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function", [ops.lgamma, ops.digamma, lambda x: ops.polygamma(3, x), ops.logit, ops.erfinv]
)
def test_derivatives_of_special_functions(function):
    check_grads(function, (Tensor(np.array([0.2, 0.55, 0.83])),), order=3)


def test_lgamma_is_differentiable_to_any_order():
    from scipy.special import polygamma

    x = np.array([0.7, 2.5, 9.0])
    function = ops.lgamma
    for order in range(1, 7):
        function = ms.grad(function)
        exact = polygamma(order - 1, x)
        np.testing.assert_allclose(function(Tensor(x)).asnumpy(), exact, rtol=1e-13)


# --- normalisation ----------------------------------------------------------------------------------


def normalised(x, axes, eps):
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps)


X = np.random.default_rng(3).normal(1, 2, (3, 4, 5))


def test_instance_norm():
    y, mean, variance = ops.instance_norm(Tensor(X), eps=0.01)
    np.testing.assert_allclose(y.asnumpy(), normalised(X, (2,), 0.01), rtol=1e-12)
    np.testing.assert_allclose(mean.asnumpy(), X.mean((0, 2)), rtol=1e-12)
    np.testing.assert_allclose(variance.asnumpy(), X.var(2, ddof=1).mean(0), rtol=1e-12)
    cell = nn.InstanceNorm1d(4, momentum=0.25)
    cell.set_train()
    x = X.astype(np.float32)
    np.testing.assert_allclose(cell(Tensor(x)).asnumpy(), normalised(x, (2,), 1e-5), atol=1e-5)
    np.testing.assert_allclose(cell.moving_mean.asnumpy(), 0.75 * x.mean((0, 2)), rtol=1e-5)
    cell.set_train(False)
    before = cell.moving_mean.asnumpy().copy()
    cell(Tensor(x))
    np.testing.assert_array_equal(cell.moving_mean.asnumpy(), before)


def test_layer_norm_and_rms_norm():
    w, b = np.linspace(1, 2, 20).reshape(4, 5), np.linspace(-1, 1, 20).reshape(4, 5)
    y = ops.layer_norm(Tensor(X), (4, 5), Tensor(w), Tensor(b)).asnumpy()
    np.testing.assert_allclose(y, normalised(X, (1, 2), 1e-5) * w + b, rtol=1e-12, atol=1e-12)
    y, scale = ops.rms_norm(Tensor(X), Tensor(w[0]))
    exact = 1 / np.sqrt((X**2).mean(2, keepdims=True) + 1e-6)
    np.testing.assert_allclose(scale.asnumpy(), exact, rtol=1e-12)
    np.testing.assert_allclose(y.asnumpy(), X * exact * w[0], rtol=1e-12)
    cell = nn.RmsNorm((5,))
    np.testing.assert_allclose(cell(Tensor(X)).asnumpy(), X * exact, rtol=1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, w, b: ops.layer_norm(x, (5,), w, b),
        lambda x, w, b: ops.rms_norm(x, w)[0] + b,
        lambda x, w, b: ops.group_norm(x, 2, w[:4], b[:4]),
        lambda x, w, b: ops.instance_norm(x, w[:4], b[:4])[0],
    ],
    ids=["layer", "rms", "group", "instance"],
)
def test_derivatives_of_normalisation(function):
    w, b = np.linspace(0.5, 2, 5), np.linspace(-1, 1, 5)
    check_grads(function, (Tensor(X), Tensor(w), Tensor(b)), order=2)


def test_derivatives_of_batch_norm_go_through_the_statistics():
    from cellgrad.ops.normalization import _batch_norm_training

    weight = np.random.default_rng(4).normal(size=X.shape)
    check_grads(
        lambda x: (_batch_norm_training(x, None, None, 1e-3)[0] * Tensor(weight)).sum(),
        (Tensor(X),),
        order=2,
    )


def test_variance_of_a_large_mean_keeps_its_digits():
    x = (1e4 + X).astype(np.float32)
    y = ops.layer_norm(Tensor(x), (5,)).asnumpy()
    np.testing.assert_allclose(y, normalised(x.astype(np.float64), (2,), 1e-5), atol=2e-3)


def test_halves_are_normalised_in_float32():
    x = (300 * X).astype(np.float16)
    y = ops.layer_norm(Tensor(x), (5,))
    assert y.dtype is ms.float16
    np.testing.assert_allclose(y.asnumpy(), normalised(x.astype(float), (2,), 1e-5), atol=2e-3)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(4, momentum=0.5)
        self.dense = nn.Dense(4, 2)

    def construct(self, x):
        return self.dense(self.bn(x)).sum()


def test_statistics_move_once_a_compiled_training_step():
    x = X[:, :, 0].astype(np.float32)
    net = Net()
    net.set_train()
    step = ms.value_and_grad(net, None, net.trainable_params())
    for _ in range(2):
        step(Tensor(x))
    mean = x.mean(0) * 0.75
    np.testing.assert_allclose(net.bn.moving_mean.asnumpy(), mean, rtol=1e-5)
    variance = 0.25 + 0.75 * x.var(0, ddof=1)
    np.testing.assert_allclose(net.bn.moving_variance.asnumpy(), variance, rtol=1e-5)
    net.set_train(False)
    net(Tensor(x))
    np.testing.assert_allclose(net.bn.moving_mean.asnumpy(), mean, rtol=1e-5)


def test_one_sample_has_variance_zero_not_nan():
    cell = nn.BatchNorm1d(4)
    cell.set_train()
    y = cell(Tensor(X[:1, :, 0].astype(np.float32))).asnumpy()
    np.testing.assert_array_equal(y, np.zeros((1, 4)))
    assert np.isfinite(cell.moving_variance.asnumpy()).all()


def test_on_one_device_batches_are_normalised_as_ever():
    x = Tensor(np.random.default_rng(0).standard_normal((4, 3, 2, 5)).astype(np.float32))
    one, all_ = nn.BatchNorm2d(3).set_train(), nn.SyncBatchNorm(3).set_train()
    np.testing.assert_array_equal(one(x).asnumpy(), all_(x).asnumpy())
    np.testing.assert_array_equal(one.moving_mean.asnumpy(), all_.moving_mean.asnumpy())


def test_softmax_over_channels():
    x = np.random.default_rng(0).standard_normal((2, 3, 4, 5)).astype(np.float32)
    wanted = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    np.testing.assert_allclose(nn.Softmax2d()(Tensor(x)).asnumpy(), wanted, rtol=1e-5)
    np.testing.assert_allclose(nn.Softmax2d()(Tensor(x[0])).asnumpy(), wanted[0], rtol=1e-5)


def test_any_and_all_of_nothing():
    nothing = Tensor(np.zeros((2, 0), bool))
    for axis in (None, 1, (0, 1)):
        np.testing.assert_array_equal(
            ops.any(nothing, axis).asnumpy(), np.any(nothing.asnumpy(), axis)
        )
        np.testing.assert_array_equal(
            ops.all(nothing, axis).asnumpy(), np.all(nothing.asnumpy(), axis)
        )
    some = np.array([[0.0, -2.0], [0.0, 0.0]], np.float32)
    np.testing.assert_array_equal(ops.any(Tensor(some), 1, True).asnumpy(), [[True], [False]])


def test_the_middle_of_no_numbers():
    """As numpy's; along a dimension that has elements, as many medians as there are lines: none."""
    for ignore in (False, True):
        none = Tensor(np.zeros((2, 0), np.float32))
        assert np.isnan(ops.Median(True, ignore_nan=ignore)(none)[0].item())
        value, place = ops.Median(axis=0, ignore_nan=ignore)(none)
        assert value.shape == place.shape == (0,)


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.float64])
@pytest.mark.parametrize(
    "middle",
    [
        mint.median,
        lambda x: ops.Median(True)(x)[0],
        lambda x: ops.Median(True, 0, False, True)(x)[0],
    ],
)
def test_the_derivative_of_the_median_of_all_is_shared(mode, middle, dtype):
    x = Tensor([[2.0, 4.0, 1.0, 5.0, 6.0], [0.0, 4.0, 1.0, 9.0, 2.0]], dtype)
    value, slope = ms.value_and_grad(middle)(x)
    assert value.item() == 2 and value.dtype is dtype
    assert slope.asnumpy().tolist() == [[0.5, 0, 0, 0, 0], [0, 0, 0, 0, 0.5]]  # golden
    three = ms.grad(middle)(Tensor([1.0, 1.0, 1.0], dtype)).asnumpy()
    np.testing.assert_array_equal(three, np.full(3, 1 / 3).astype(three.dtype))
    for number in (np.inf, np.finfo(three.dtype).max):
        value, slope = ms.value_and_grad(middle)(Tensor([number, number, 0.0], dtype))
        assert value.item() == number and slope.asnumpy().tolist() == [0.5, 0.5, 0]
    second = ms.grad(ms.grad(lambda t: middle(t) ** 3))(Tensor([2.0, 7.0, 1.0], dtype))
    assert second.asnumpy().tolist() == [12, 0, 0]
