"""Activations and pointwise functions: first and second derivatives against mpmath, extremes, and
elements that a choice discards.
"""

import math

import mpmath as mp
import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, mint, nn, ops

POINTS = [-30.0, -2.5, -1.0, -0.3, 0.7, 1.5, 4.0, 30.0]


def normal_cdf(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def selu(x):
    scale, alpha = mp.mpf("1.0507009873554805"), mp.mpf("1.6732632423543772")
    return scale * (x if x > 0 else alpha * mp.expm1(x))


SMOOTH = {
    "softplus": (lambda x: ops.softplus(x, threshold=700), lambda x: mp.log1p(mp.exp(x))),
    "logsigmoid": (ops.logsigmoid, lambda x: -mp.log1p(mp.exp(-x))),
    "gelu": (ops.gelu, lambda x: x * normal_cdf(x)),
    "gelu_tanh": (
        lambda x: ops.gelu(x, "tanh"),
        lambda x: x / (1 + mp.exp(-2 * mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3))),
    ),
    "silu": (ops.silu, lambda x: x / (1 + mp.exp(-x))),
    "mish": (ops.mish, lambda x: x * mp.tanh(mp.log1p(mp.exp(x)))),
    "elu": (lambda x: ops.elu(x, 0.5), lambda x: x if x > 0 else mp.expm1(x) / 2),
    "celu": (lambda x: ops.celu(x, 2.0), lambda x: x if x > 0 else 2 * mp.expm1(x / 2)),
    "selu": (ops.selu, selu),
    "softsign": (ops.softsign, lambda x: x / (1 + abs(x))),
    "tanhshrink": (ops.tanhshrink, lambda x: x - mp.tanh(x)),
    "sinc": (ops.sinc, lambda x: mp.sincpi(x)),
    "expm1": (ops.expm1, mp.expm1),
    "exp2": (ops.exp2, lambda x: mp.mpf(2) ** x),
    "erf": (ops.erf, mp.erf),
    "erfc": (ops.erfc, mp.erfc),
    "atan": (ops.atan, mp.atan),
    "asinh": (ops.asinh, mp.asinh),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_to_second_order(name):
    ours, exact = SMOOTH[name]
    x = Tensor(np.array(POINTS))
    got = [ours(x), ms.grad(ours)(x), ms.grad(ms.grad(ours))(x)]
    with mp.workdps(50):
        for order, values in enumerate(got):
            wanted = [float(mp.diff(exact, mp.mpf(p), order)) for p in POINTS]
            np.testing.assert_allclose(values.asnumpy(), wanted, rtol=2e-9, atol=1e-14)


def test_smooth_functions_have_all_derivatives_at_zero():
    zero = Tensor(np.array([0.0]))
    for function, first, second in [
        (ops.softplus, 0.5, 0.25),
        (ops.logsigmoid, 0.5, -0.25),
        (ops.gelu, 0.5, math.sqrt(2 / math.pi)),
        (ops.silu, 0.5, 0.5),
        (ops.sinc, 0.0, -(math.pi**2) / 3),
        (ops.softsign, 1.0, 0.0),
    ]:
        np.testing.assert_allclose(ms.grad(function)(zero).asnumpy(), [first], rtol=1e-14)
        np.testing.assert_allclose(ms.grad(ms.grad(function))(zero).asnumpy(), [second], rtol=1e-14)


@pytest.mark.parametrize("alpha", [1.0, 0.5])
def test_all_forms_of_elu_have_slope_one_at_zero(alpha):
    zeros = Tensor(np.array([0.0, -0.0]))
    forms = (lambda x: ops.elu(x, alpha), lambda x: mint.nn.functional.elu(x, alpha))
    for form in (*forms, nn.ELU(alpha), mint.nn.ELU(alpha)):
        assert ms.grad(form)(zeros).asnumpy().tolist() == [1, 1]


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.float64])
def test_activations_are_finite_at_the_extremes(dtype):
    large = 6e4 if dtype is ms.float16 else 1e30
    x = Tensor([-large, -300.0, 300.0, large], dtype)
    names = "relu6 leaky_relu elu celu selu gelu silu mish softplus logsigmoid softsign hardsigmoid"
    for name in [*names.split(), "hardtanh", "tanhshrink", "fast_gelu", "softshrink", "hardshrink"]:
        function = getattr(ops, name)
        for f in (function, ms.grad(function), ms.grad(ms.grad(function))):
            assert np.isfinite(f(x).asnumpy().astype(np.float64)).all(), name
    tanh = lambda x: ops.gelu(x, "tanh")
    np.testing.assert_array_equal(ms.grad(tanh)(x).asnumpy(), [0, 0, 1, 1])


@pytest.mark.parametrize("slope", [0.3, -0.5, 0.0, 2.0])
def test_leaky_relu_where_it_is_infinite(slope):
    x = Tensor(np.array([np.inf, -np.inf, 2.0, -2.0, 0.0]))
    got = ms.grad(lambda x: ops.leaky_relu(x, slope))(x).asnumpy()
    np.testing.assert_array_equal(got, [1, slope, 1, slope, (1 + slope) / 2])


@pytest.mark.parametrize("dtypes", [(ms.float16, ms.float32), (ms.float32, ms.float16)])
def test_prelu_has_the_dtype_of_its_input(dtypes):
    x, slope = Tensor([-2.0, 3.0], dtypes[0]), Tensor([0.5], dtypes[1])
    assert ops.prelu(x, slope).dtype == ops.PReLU()(x, slope).dtype == dtypes[0]
    assert ops.prelu(x, slope).asnumpy().tolist() == [-1, 3]
    assert [g.dtype for g in ms.grad(ops.prelu, (0, 1))(x, slope)] == list(dtypes)


def test_softmax_of_a_scalar():
    x = Tensor(1.5)
    assert [float(ops.softmax(x, axis)) for axis in (0, -1)] == [1, 1]
    assert float(ms.grad(lambda x: ops.softmax(x) * x)(x)) == 1


def forward(f):
    """The derivative of a function of each element, by a tangent."""
    return lambda x: ms.jvp(f, x, ops.ones_like(x))[1]


INF = math.inf
LIMITS = {
    "gelu": ([-INF, -200.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]),
    "asin": ([-1.0, 1.0], [-math.pi / 2, math.pi / 2], [INF, INF], [-INF, INF]),
    "acos": ([-1.0, 1.0], [math.pi, 0.0], [-INF, -INF], [INF, -INF]),
    "acosh": ([1.0], [0.0], [INF], [-INF]),
    "atanh": ([-1.0, 1.0], [-INF, INF], [INF, INF], [-INF, INF]),
    "erfinv": ([-1.0, 1.0], [-INF, INF], [INF, INF], [-INF, INF]),
}


@pytest.mark.parametrize("dtype", [ms.float32, ms.float64])
@pytest.mark.parametrize("name", LIMITS)
def test_limits_in_all_modes(name, dtype):
    """No sequence of modes gives NaN where the derivative has a limit."""
    function, (points, *wanted) = getattr(ops, name), LIMITS[name]
    x, once, modes = Tensor(points, dtype), {0: [function]}, (ms.grad, forward)
    for order in (1, 2):
        once[order] = [mode(f) for mode in modes for f in once[order - 1]]
    for order, functions in once.items():
        for f in functions:
            np.testing.assert_allclose(f(x).asnumpy(), wanted[order], rtol=1e-6)


def test_gelu_tanh_at_minus_infinity():
    tanh = lambda x: ops.gelu(x, "tanh")
    x = Tensor([-INF])
    for f in (tanh, ms.grad(tanh), forward(tanh), forward(forward(tanh))):
        np.testing.assert_array_equal(f(x).asnumpy(), [0])


def test_logsumexp_and_softmax_shift():
    x = Tensor(np.array([1000.0, 1001.0, -1000.0]))
    shares = np.exp([-1.0, 0.0, -2001.0])
    shares /= shares.sum()
    total = lambda x: ops.logsumexp(x, 0)
    np.testing.assert_allclose(total(x).asnumpy(), 1001 + math.log1p(math.exp(-1)), rtol=1e-15)
    np.testing.assert_allclose(ms.grad(total)(x).asnumpy(), shares, rtol=1e-14)
    loss = lambda x: ops.log_softmax(x)[0]
    np.testing.assert_allclose(
        ms.grad(loss)(x).asnumpy(), [1 - shares[0], -shares[1], 0], rtol=1e-14
    )
    # The Hessian of logsumexp is diag(p) - p p^T.
    hessian = ms.grad(lambda x: (ms.grad(total)(x) * Tensor(np.array([1.0, 0.0, 0.0]))).sum())(x)
    wanted = np.array([shares[0], 0, 0]) - shares[0] * shares
    np.testing.assert_allclose(hessian.asnumpy(), wanted, rtol=1e-13, atol=1e-300)


def test_two_operands_to_second_order():
    a, b = np.array([0.5, 3.0, -2.0]), np.array([0.5, -1.0, 4.0])
    for ours, exact in [
        (ops.logaddexp, lambda x, y: mp.log(mp.exp(x) + mp.exp(y))),
        (ops.logaddexp2, lambda x, y: mp.log(2**x + 2**y) / mp.log(2)),
        (ops.hypot, lambda x, y: mp.sqrt(x * x + y * y)),
        (ops.atan2, mp.atan2),
        (lambda x, y: ops.xlogy(x, y * y), lambda x, y: x * mp.log(y * y)),
    ]:
        for i in range(2):
            first = ms.grad(ours, i)
            for j in range(2):
                got = ms.grad(first, j)(Tensor(a), Tensor(b)).asnumpy()
                order = (int(i == 0) + int(j == 0), int(i == 1) + int(j == 1))
                wanted = [float(mp.diff(exact, p, order)) for p in zip(a, b)]
                np.testing.assert_allclose(got, wanted, rtol=1e-7, atol=1e-12)


def test_special_values_of_two_operands():
    inf, nan = math.inf, math.nan
    x = np.array([inf, -inf, 1.0, inf, nan, 1.0])
    y = np.array([inf, -inf, -inf, 1.0, 1.0, nan])
    np.testing.assert_array_equal(
        ops.logaddexp(Tensor(x), Tensor(y)).asnumpy(), [inf, -inf, 1, inf, nan, nan]
    )
    zero, one = Tensor(np.zeros(1)), Tensor(np.ones(1))
    assert ops.xlogy(zero, zero).item() == 0 and ops.xdivy(zero, zero).item() == 0
    assert [g.item() for g in ms.grad(ops.xlogy, (0, 1))(zero, zero)] == [0, 0]
    assert ms.grad(ops.xlogy)(zero, one * 2).item() == math.log(2)
    assert math.isnan(ops.xlogy(zero, one * math.nan).item())
    assert ops.hypot(one * 3e200, one * 4e200).item() == pytest.approx(5e200, rel=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_remainders_against_numpy(dtype):
    rng = np.random.default_rng(1)
    x = (rng.standard_normal(200) * 50).astype(dtype)
    y = (rng.standard_normal(200) * 5).astype(dtype)
    y[y == 0] = 3
    pairs = Tensor(x), Tensor(y)
    np.testing.assert_array_equal(ops.floor_mod(*pairs).asnumpy(), np.mod(x, y))
    np.testing.assert_array_equal(ops.fmod(*pairs).asnumpy(), np.fmod(x, y))
    np.testing.assert_array_equal(ops.floor_div(*pairs).asnumpy(), np.floor_divide(x, y))
    np.testing.assert_array_equal(ops.truncate_div(*pairs).asnumpy(), np.trunc(x / y).astype(dtype))


def test_integer_division_never_traps():
    least = np.iinfo(np.int32).min
    x, y = Tensor(np.array([7, least, -7], np.int32)), Tensor(np.array([0, -1, 0], np.int32))
    assert ops.floor_div(x, y).asnumpy().tolist() == [0, least, 0]
    assert ops.floor_mod(x, y).asnumpy().tolist() == [0, 0, 0]
    assert ops.fmod(x, y).asnumpy().tolist() == [0, 0, 0]


def test_rounding_to_decimals_and_even():
    x = Tensor(np.array([0.5, 1.5, 2.5, -0.5, 1.25, -17.0]))
    assert ops.round(x).asnumpy().tolist() == [0, 2, 2, 0, 1, -17]
    assert ops.round(x, decimals=1).asnumpy().tolist() == [0.5, 1.5, 2.5, -0.5, 1.2, -17]
    assert ops.round(x, decimals=-1).asnumpy().tolist() == [0, 0, 0, 0, 0, -20]
    assert ms.grad(ops.round)(x).asnumpy().tolist() == [0] * 6


def test_bits():
    x, y = np.array([7, -7, 0], np.int32), np.array([3, 5, -1], np.int32)
    a, b = Tensor(x), Tensor(y)
    assert (a & b).asnumpy().tolist() == (x & y).tolist()
    assert (a | b).asnumpy().tolist() == (x | y).tolist()
    assert (a ^ b).asnumpy().tolist() == (x ^ y).tolist()
    assert ops.bitwise_not(a).asnumpy().tolist() == (~x).tolist()
    with pytest.raises(TypeError, match="integers or bools"):
        ops.bitwise_not(Tensor(1.0))
    with pytest.raises(TypeError, match="integers or bools"):
        ops.bitwise_or(Tensor(1.0), 1)


GUARDED = {
    "sqrt": lambda x: ops.where(x > 0, ops.sqrt(x), 0.0),
    "log": lambda x: ops.where(x > 0, ops.log(x), 0.0),
    "entropy": lambda x: ops.where(x > 0, x * ops.log(x), 0.0),
    "quotient": lambda x: ops.where(x > 0, 1.0 / x, 0.0),
    "power": lambda x: ops.where(x > 0, x**0.5, 0.0),
    "composed": lambda x: ops.where(x > 0, ops.sin(ops.sqrt(x)) / x, 0.0),
    "rsqrt": lambda x: ops.where(x > 0, ops.rsqrt(x), 0.0),
    "exp": lambda x: ops.where(x > 0, 0.0, ops.exp(x * -1e30)),
    "atanh": lambda x: (
        ops.where(x > 0, ops.atanh(x / 8), 0.0)
        + ops.where(x > 0, 0.0, ops.atanh(ops.sign(x) * 0.0))
    ),
    "slice": lambda x: ops.sqrt(x)[2:],
}


@pytest.mark.parametrize("name", GUARDED)
def test_no_nan_from_the_branch_not_taken(name):
    function = GUARDED[name]
    x = Tensor(np.array([-1.0, 0.0, 4.0]) if name != "exp" else np.array([0.0, 1.0, 4.0]))
    for order in range(1, 4):
        function = ms.grad(function)
        values = function(x).asnumpy()
        assert np.isfinite(values[-1])
        if name != "exp":
            assert values[:2].tolist() == [0, 0], (name, order)


def test_norm_at_zero_behind_a_choice():
    def norm(x):
        total = (x * x).sum()
        return ops.where(total > 0, ops.sqrt(total), 0.0)

    x = Tensor(np.zeros(3))
    assert ms.grad(norm)(x).asnumpy().tolist() == [0, 0, 0]
    assert ms.grad(ms.grad(norm))(x).asnumpy().tolist() == [0, 0, 0]
    x = Tensor(np.array([3.0, 0.0, 4.0]))
    np.testing.assert_allclose(ms.grad(norm)(x).asnumpy(), [0.6, 0, 0.8])


def test_a_choice_does_not_hide_what_it_takes():
    taken = ms.grad(lambda x: ops.where(x >= 0, ops.sqrt(x), 0.0))
    assert taken(Tensor(np.array([0.0, 4.0]))).asnumpy().tolist() == [math.inf, 0.25]
    assert ms.grad(ops.sqrt)(Tensor(np.array([0.0]))).asnumpy().tolist() == [math.inf]
    # A square whose cotangent is 0 where the root has a finite slope: its second derivative stays.
    f = lambda x: ops.where(x > 0, ops.square(ops.sqrt(x) - 1), 0.0)
    assert ms.grad(ms.grad(f))(Tensor(np.array([1.0]))).asnumpy().tolist() == [0.5]
    overflow = ms.grad(lambda x: ops.where(x > 0, ops.exp(x * x), 0.0))
    assert overflow(Tensor(np.array([1e3]))).asnumpy().tolist() == [math.inf]


# --- division with a rounding mode: MindSpore 2.10's results ------------------------------------


@pytest.mark.parametrize(
    "x, y, floor, trunc, dtype",
    [
        ([7, -7], [2, 2], [3, -4], [3, -3], ms.int64),
        ([7.0, -7.0], [2.0, 2.0], [3, -4], [3, -3], ms.float32),
        ([7, -7], [2.0, 2.0], [3, -4], [3, -3], ms.float32),
        ([7.0, -7.0], [0.0, 0.0], [np.inf, -np.inf], [np.inf, -np.inf], ms.float32),
    ],
)
def test_div_rounds(x, y, floor, trunc, dtype):
    x, y = Tensor(x), Tensor(y)
    for mode, want in (("floor", floor), ("trunc", trunc)):
        for out in (
            ops.div(x, y, rounding_mode=mode),
            x.div(y, rounding_mode=mode),
            x.divide(y, rounding_mode=mode),
            ms.mint.div(x, y, rounding_mode=mode),
        ):
            assert out.dtype == dtype
            np.testing.assert_array_equal(out.asnumpy(), want)


def test_div_rounded_has_no_slope():
    x = Tensor([7.0, -7.5])
    for mode in ("floor", "trunc"):
        grad = ms.grad(lambda v, m=mode: ops.div(v, 2.0, rounding_mode=m))(x)
        np.testing.assert_array_equal(grad.asnumpy(), 0)


def test_div_refuses_another_rounding_mode():
    with pytest.raises(ValueError, match="'rounding_mode' must be None, 'floor' or 'trunc'"):
        ops.div(Tensor([7.0]), 2.0, rounding_mode="up")


def test_assignments_give_a_tensor_of_its_own():
    """As MindSpore: the value, not the Parameter, and later assignments leave it alone."""
    p = ms.Parameter(Tensor([1.0]), name="p")
    first = ops.assign(p, Tensor([2.0]))
    second = ops.assign_add(p, Tensor([2.0]))
    third = ops.AssignSub()(p, Tensor([1.0]))
    assert [type(v) for v in (first, second, third)] == [Tensor] * 3
    assert [v.item() for v in (first, second, third)] == [2.0, 4.0, 3.0]
    assert p.item() == 3.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours(dtype):
    """As C's nextafter, to the bit: at powers of two, subnormal numbers, zeros and infinities."""
    info = np.finfo(dtype)
    powers = 2.0 ** np.arange(info.minexp - info.nmant, info.maxexp, dtype=np.float64)
    powers = powers.astype(dtype)
    least, large = info.smallest_subnormal, info.max
    special = np.array([0, least, info.tiny, info.tiny - least, large, np.inf, np.nan, 1.5], dtype)
    x = np.concatenate([powers, np.nextafter(powers, dtype(0)), special])
    x = np.concatenate([x, -x])
    for end in (-np.inf, 0.0, 1.5, np.inf):
        with np.errstate(over="ignore"):
            expected = np.nextafter(x, dtype(end))
        found = ops.nextafter(Tensor(x), Tensor(np.full_like(x, end))).asnumpy()
        np.testing.assert_array_equal(found, expected)
    assert np.isnan(ops.nextafter(Tensor(x[:2]), Tensor(x[:2] * np.nan)).asnumpy()).all()
    one = Tensor(np.ones(1, dtype))
    slopes = ms.grad(ops.nextafter, (0, 1))(one, one * 2)
    assert [s.asnumpy().item() for s in slopes] == [1.0, 0.0]


def test_neighbours_of_other_dtypes():
    with pytest.raises(TypeError, match="'input' and 'other' must have the same dtype"):
        ops.nextafter(ops.ones(2), ops.ones(2, ms.float64))
    with pytest.raises(TypeError, match="'input' must be of float32 or float64"):
        ops.nextafter(ops.ones(2, ms.float16), ops.ones(2, ms.float16))


@pytest.mark.parametrize("dtype", [ms.float32, ms.int64])
def test_extrema_of_two_at_ties(dtype):
    """MindSpore and PyTorch: the first of two equal ones has the gradient, also of integers."""
    x, y = Tensor([4, 3, 5], dtype), Tensor([4, 4, 4], dtype)
    for function, first in ((ops.fmax, [1, 0, 1]), (ops.fmin, [1, 1, 0])):
        slopes = ms.grad(function, (0, 1))(x, y)
        assert slopes[0].asnumpy().tolist() == first
        assert slopes[1].asnumpy().tolist() == [1 - v for v in first]


HALVES = {
    "mish": (ops.mish, lambda x, y: x * np.tanh(np.log1p(np.exp(x)))),
    "hardsigmoid": (ops.hardsigmoid, lambda x, y: np.clip(x / 6 + 0.5, 0, 1)),
    "lerp": (lambda x: ops.lerp(x, x[::-1], 0.25), lambda x, y: x + (y - x) * 0.25),
    "interpolate": (
        lambda x: ops.interpolate(x.reshape(1, 1, -1), 4000, mode="linear", align_corners=True),
        lambda x, y: np.interp(np.linspace(0, len(x) - 1, 4000), np.arange(len(x)), x),
    ),
}


@pytest.mark.parametrize("name", HALVES)
def test_halves_are_rounded_once(name):
    """A unit of the last digit is more than twice the error of one rounding."""
    function, exact = HALVES[name]
    x = (np.random.default_rng(0).normal(size=1000) * 3).astype(np.float16)
    wide = x.astype(np.float64)
    expected = exact(wide, wide[::-1])
    error = np.abs(function(Tensor(x)).asnumpy().reshape(-1).astype(np.float64) - expected)
    assert np.all(error <= 0.51 * np.spacing(np.abs(expected).astype(np.float16)))


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
def test_whole_quotients_of_half_precision(dtype):
    """Of the exact quotient: that in half precision may be the whole number above."""
    random = np.random.default_rng(0)
    x, y = (ms.Tensor(random.normal(size=3000) * s, dtype) for s in (3, 1))
    exact = x.astype(ms.float64).asnumpy() / y.astype(ms.float64).asnumpy()
    for function, whole in (
        (ops.floor_div, np.floor),
        (lambda a, b: ops.div(a, b, rounding_mode="trunc"), np.trunc),
    ):
        wanted = ms.Tensor(whole(exact), dtype)
        for f in (function, ms.jit(function)):
            out = f(x, y)
            assert out.dtype is dtype and ops.equal(out, wanted).all()
