"""Special functions of compiled models against mpmath.

Positive arguments are bounded in ulp. Below 0 lgamma, digamma and the even derivatives cross zero
between any two poles, where terms of opposite sign cancel: there the bound is absolute, in units of
the larger of 1 (of 2 pi^3 for tetragamma, the slope of its mirroring term) and the mirrored term.
"""

import math

import elementary
import mpmath as mp
import numpy as np
import pytest
from elementary import SPECIAL, SPELLING, Function

SIZE = 1024
SLOPES = {"gaussian": 1.1, "exp_square": 1.1, "sech_squared": 2.2, "sigmoid_slope": 2.2}
BOUND = {
    "f32": {**SLOPES, "erfinv": 3.0},
    "f64": {**SLOPES, "erfinv": 3.0, "lgamma": 3.0},
}
BOUND_OTHERS = {"f32": 0.51, "f64": 4.0}
CASES = [(name, dtype) for name in SPECIAL for dtype in ("f32", "f64")]


@pytest.fixture(scope="module", params=["native", "x86-64-v2"])
def functions(tmp_path_factory, request):
    folder = tmp_path_factory.mktemp("special")
    return {
        (name, dtype): Function(library, name, dtype, SIZE)
        for dtype in ("f16", "f32", "f64")
        for library in [elementary.build(list(SPECIAL), dtype, SIZE, folder, request.param)]
        for name in SPECIAL
    }


def check_positive(function, name, dtype, count):
    rng = np.random.default_rng(len(name))
    x = elementary.arguments(name, elementary.DTYPES[dtype], rng, count)
    results = function(x)
    error = elementary.errors(name, results, [x])
    worst = int(np.argmax(error))
    bound = BOUND[dtype].get(name, BOUND_OTHERS[dtype])
    assert error[worst] <= bound, f"{name}({float(x[worst])}) = {results[worst]}"


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_positive_arguments_in_ulp(functions, name, dtype):
    check_positive(functions[name, dtype], name, dtype, 60)


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_positive_arguments_in_ulp_at_many(functions, name, dtype):
    check_positive(functions[name, dtype], name, dtype, 3000)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("name", [n for n in SPECIAL if n not in ("erfinv", "exp_square")])
def test_negative_arguments_absolutely(functions, name, dtype):
    kind = elementary.DTYPES[dtype]
    rng = np.random.default_rng(7)
    x = -np.concatenate(
        [rng.uniform(0, 4, 150), rng.uniform(4, 60, 80), np.exp(rng.uniform(-30, 9, 80))]
    ).astype(kind)
    x = x[x != np.round(x)]
    got = functions[name, dtype](x)
    eps = float(np.finfo(kind).eps)
    with mp.workprec(200):
        function = SPECIAL[name][0]
        for value, result in zip(x, got):
            v = mp.mpf(float(value))
            want = mp.re(function(v))
            least = 2 * mp.pi**3 if name == "tetragamma" else 1
            scale = max(least, abs(want), abs(mp.re(function(1 - v))))
            assert abs(mp.mpf(float(result)) - want) <= 4 * eps * scale, (name, float(value))


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("name", ["gaussian", "exp_square", "sech_squared", "sigmoid_slope"])
def test_even_functions(functions, name, dtype):
    x = np.random.default_rng(8).uniform(0, 30, 300).astype(elementary.DTYPES[dtype])
    np.testing.assert_array_equal(functions[name, dtype](-x), functions[name, dtype](x))


# What C's lgamma gives; the limits from the right or left at zeros, where there is one.
INF, NAN = float("inf"), float("nan")
POINTS = [0.0, -0.0, -1.0, -2.0, -1e30, INF, -INF, NAN]
SPECIAL_VALUES = {
    "lgamma": [INF, INF, INF, INF, INF, INF, INF, NAN],
    "digamma": [-INF, INF, NAN, NAN, NAN, INF, NAN, NAN],
    "trigamma": [INF, INF, INF, INF, INF, 0.0, NAN, NAN],
    "tetragamma": [-INF, INF, NAN, NAN, NAN, -0.0, NAN, NAN],
    "erfinv": [0.0, -0.0, -INF, NAN, NAN, NAN, NAN, NAN],
    "gaussian": [1.0, 1.0, math.exp(-1), math.exp(-4), 0.0, 0.0, 0.0, NAN],
    "exp_square": [1.0, 1.0, math.exp(1), math.exp(4), INF, INF, INF, NAN],
    "sech_squared": [1.0, 1.0, 1 / math.cosh(1) ** 2, 1 / math.cosh(2) ** 2, 0.0, 0.0, 0.0, NAN],
    "sigmoid_slope": [
        0.25,
        0.25,
        *(0.25 / math.cosh(x) ** 2 for x in (0.5, 1)),
        0.0,
        0.0,
        0.0,
        NAN,
    ],
}


@pytest.mark.parametrize("dtype", ["f16", "f32", "f64"])
@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(functions, name, dtype):
    kind = elementary.DTYPES[dtype]
    with np.errstate(over="ignore"):
        points = np.array(
            [p if dtype != "f16" or abs(p) != 1e30 else -2048.0 for p in POINTS], kind
        )
    got = functions[name, dtype](points)
    want = np.array(SPECIAL_VALUES[name], kind)
    exact = np.isin(want, [0, 1]) | ~np.isfinite(want)
    np.testing.assert_array_equal(got[exact], want[exact])
    np.testing.assert_allclose(got, want, rtol=2 * np.finfo(kind).eps)
    known = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(got[known]), np.signbit(want[known]))


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_subnormal_arguments(functions, dtype):
    kind = elementary.DTYPES[dtype]
    tiny = np.finfo(kind).smallest_subnormal
    for sign in (1, -1):
        x = np.array([sign * tiny * 3], kind)
        log = -np.log(3 * np.float64(tiny))
        np.testing.assert_allclose(functions["lgamma", dtype](x), [log], rtol=4e-7)
        np.testing.assert_array_equal(functions["digamma", dtype](x), [-sign * np.inf])
        np.testing.assert_array_equal(functions["trigamma", dtype](x), [np.inf])
        root = np.float64(x[0]) * 0.8862269254527580
        np.testing.assert_array_equal(functions["erfinv", dtype](x), [kind(root)])


def test_one_and_two_are_zeros_of_lgamma(functions):
    for dtype in ("f32", "f64"):
        got = functions["lgamma", dtype](np.array([1, 2], elementary.DTYPES[dtype]))
        np.testing.assert_array_equal(got, [0, 0])


def test_high_orders(tmp_path):
    orders = [4, 7, 20, 60]
    text = [
        elementary.elementwise(f"p{n}", f"%r = special.polygamma %x0 {{order = {n} : i64}} : f64",
                               ["f64"], "f64", SIZE)
        for n in orders
    ]  # fmt: skip
    library = elementary.compile_text("\n".join(text), tmp_path / "orders.so")
    x = np.array([0.3, 1.0, 2.5, 9.0, 40.0, 300.0, -0.3, -7.2])
    for n in orders:
        got = Function(library, f"p{n}", "f64", SIZE)(x)
        want = [float(mp.re(mp.polygamma(n, v))) for v in x]
        np.testing.assert_allclose(got, want, rtol=4e-16 * (n + 4))


def test_every_op_is_covered():
    assert set(SPELLING) == {*SPECIAL, "hypot"}
