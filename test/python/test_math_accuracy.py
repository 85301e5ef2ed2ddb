"""Elementary functions of compiled models: ulp errors against mpmath, special values against C.

`bench/math_sweep.py` looks at many more arguments; its findings are in docs/math-accuracy.md.
"""

import ctypes
import itertools
import math
import subprocess
import sys

import elementary
import numpy as np
import pytest
from elementary import BINARY, UNARY, Function

SIZE = 1024
# No function may be further from the exact value than this many ulp.
BOUND = {"rsqrt": 1.5, "atan2": 1.4, "asinh": 1.4}
BOUND_OTHERS = 1.2


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    folder = tmp_path_factory.mktemp("math")
    names = [*UNARY, *BINARY]
    return {
        (name, dtype): Function(library, name, dtype, SIZE)
        for dtype in ("f16", "f32", "f64")
        for library in [elementary.build(names, dtype, SIZE, folder)]
        for name in names
    }


@pytest.fixture(scope="module")
def functions_without_fma(tmp_path_factory):
    folder = tmp_path_factory.mktemp("math_v2")
    names = [*UNARY, *BINARY]
    return {
        (name, dtype): Function(library, name, dtype, SIZE)
        for dtype in ("f32", "f64")
        for library in [elementary.build(names, dtype, SIZE, folder, "x86-64-v2")]
        for name in names
    }


def check_errors(function, name, dtype, count):
    rng = np.random.default_rng(len(name))
    kind = elementary.DTYPES[dtype]
    if name in UNARY:
        args = [elementary.arguments(name, kind, rng, count)]
    else:
        args = list(elementary.pair_arguments(name, kind, rng, count))
    results = function(*args)
    error = elementary.errors(name, results, args)
    worst = int(np.argmax(error))
    at = [float(a[worst]) for a in args]
    assert error[worst] <= BOUND.get(name, BOUND_OTHERS), f"{name}{at} = {results[worst]}"


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_error_against_mpmath(functions, name, dtype):
    check_errors(functions[name, dtype], name, dtype, 100)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_error_on_a_cpu_without_fma(functions_without_fma, name, dtype):
    check_errors(functions_without_fma[name, dtype], name, dtype, 50)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_error_against_mpmath_at_many_arguments(functions, name, dtype):
    check_errors(functions[name, dtype], name, dtype, 5000)


@pytest.mark.sweep
def test_coefficients_are_those_of_the_generator():
    generator = elementary.ROOT / "tools" / "minimax" / "generate.py"
    made = subprocess.run([sys.executable, generator], capture_output=True, text=True, check=True)
    committed = elementary.ROOT / "passes" / "lower" / "math" / "Coefficients.inc"
    assert made.stdout == committed.read_text()


def special_values(kind):
    info = np.finfo(kind)
    one = kind(1)
    positive = [
        0, 0.5, 1, 1.5, 2, 3, 100, 1000, 1e-10, 1e30, np.inf,
        info.smallest_subnormal, info.tiny, info.max, np.nextafter(one, kind(0)),
        np.nextafter(one, kind(2)), 2.0**info.nmant + 1, 2.0 ** (info.nmant + 1) - 1,
    ]  # fmt: skip
    values = np.array([float(v) for v in positive], kind)
    return np.concatenate([values, -values, np.array([np.nan], kind)])


def c_function(name):
    """The function of the C library, in double."""
    if name == "rsqrt":
        return lambda x: math.nan if x < 0 else math.copysign(math.inf, x) if x == 0 else x**-0.5
    function = getattr(ctypes.CDLL("libm.so.6"), {"powf": "pow"}.get(name, name))
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_double] * (2 if name in BINARY else 1)
    return function


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_special_values_are_those_of_c(functions, name, dtype):
    kind = elementary.DTYPES[dtype]
    values = special_values(kind)
    points = list(itertools.product(values, repeat=2 if name in BINARY else 1))
    results = functions[name, dtype](*(np.array(column) for column in zip(*points)))
    reference = c_function(name)
    wrong = []
    for point, got in zip(points, results):
        with np.errstate(all="ignore"):
            want = kind(reference(*map(float, point)))
        same_sign = np.isnan(want) or np.signbit(got) == np.signbit(want)
        if np.isfinite(want) and want != 0:
            same = np.isclose(float(got), float(want), rtol=4 * np.finfo(kind).eps, atol=0)
        else:
            same = np.array_equal(got, want, equal_nan=True)
        if not (same and same_sign):
            wrong.append(f"{name}{[float(v) for v in point]} = {got}, not {want}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", [n for n in UNARY if UNARY[n][1]])
def test_every_f16_value(functions, name):
    """f16 rounds an accurate f32 result: half an ulp, and a little in a near tie."""
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    got = functions[name, "f16"](x)
    with np.errstate(all="ignore"):
        want = UNARY[name][1](x.astype(np.float64))
        rounded = want.astype(np.float16)
        regular = np.isfinite(rounded) & (rounded != 0)
        error = np.abs(got.astype(np.float64) - want)[regular]
        ulp = np.spacing(np.abs(rounded[regular])).astype(np.float64)
    assert np.max(error / ulp) < 0.51
    np.testing.assert_array_equal(got[~regular], rounded[~regular])


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "powf"])
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_a_result_does_not_depend_on_its_neighbours(functions, name, dtype):
    kind = elementary.DTYPES[dtype]
    function = functions[name, dtype]
    x = np.linspace(0.1, 50, SIZE, dtype=kind)
    y = [np.full(SIZE, 1.7, kind)] if name in BINARY else []
    alone = function(x, *y)
    mixed = x.copy()
    mixed[::3] = np.resize(np.array([1e30, -2.5, np.inf, np.nan], kind), len(mixed[::3]))
    among = function(mixed, *y)
    kept = np.arange(SIZE) % 3 != 0
    np.testing.assert_array_equal(among[kept], alone[kept])


def compile_one(tmp_path, op, inputs, result):
    text = elementary.elementwise("f", op, inputs, result, SIZE)
    return Function(elementary.compile_text(text, tmp_path / "one.so"), "f", result, SIZE)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("integer", ["i32", "i64"])
def test_integer_powers_of_floats(tmp_path, dtype, integer):
    op = f"%r = math.fpowi %x0, %x1 : {dtype}, {integer}"
    function = compile_one(tmp_path, op, [dtype, integer], dtype)
    kind = elementary.DTYPES[dtype]
    bases = [0.0, -0.0, 1, -1, 2, -2, 3, -3, 0.5, 1.1, -1.1, 1e-5, np.inf, -np.inf, np.nan]
    largest = np.iinfo(elementary.DTYPES[integer]).max
    exponents = [0, 1, 2, 3, 4, 5, 7, 10, 31, 64, 101, largest - 1, largest]
    exponents += [-n for n in exponents]
    x, n = zip(*itertools.product(bases, exponents))
    got = function(np.array(x, kind), np.array(n, elementary.DTYPES[integer]))
    for base, exponent, value in zip(np.array(x, kind), n, got):
        with np.errstate(all="ignore"):
            # Python's integers keep the parity that a float exponent loses.
            magnitude = np.float64(abs(base)) ** np.float64(exponent)
            negative = np.signbit(base) and exponent % 2 == 1
            want = kind(-magnitude if negative else magnitude)
        close = np.isclose(value, want, rtol=4 * np.finfo(kind).eps, atol=0, equal_nan=True)
        sign = np.isnan(want) or np.signbit(value) == np.signbit(want)
        assert close and sign, f"{base} ** {exponent} = {value}, not {want}"


@pytest.mark.parametrize("dtype", ["i32", "i64"])
def test_integer_powers_of_integers(tmp_path, dtype):
    function = compile_one(tmp_path, f"%r = math.ipowi %x0, %x1 : {dtype}", [dtype, dtype], dtype)
    kind = elementary.DTYPES[dtype]
    width = np.iinfo(kind).bits
    cases = list(itertools.product(range(-7, 8), [*range(-3, 40), 1000001]))
    x, n = (np.array(column, kind) for column in zip(*cases))
    got = function(x, n)
    for (base, exponent), value in zip(cases, got):
        if exponent < 0:
            if base == 0:
                continue  # undefined
            want = base ** (exponent % 2) if abs(base) == 1 else 0
        else:
            want = pow(base, exponent, 1 << width)
            want -= (want >> (width - 1)) << width
        assert value == want, f"{base} ** {exponent}"


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0, 3.0, -1.0, 0.5, -0.5, 2.5])
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_constant_powers(tmp_path, dtype, exponent):
    op = f"%c = arith.constant {exponent} : {dtype}\n    %r = math.powf %x0, %c : {dtype}"
    kind = elementary.DTYPES[dtype]
    x = special_values(kind)
    got = compile_one(tmp_path, op, [dtype], dtype)(x)
    power = c_function("powf")
    with np.errstate(all="ignore"):
        want = np.array([kind(power(float(v), exponent)) for v in x])
    np.testing.assert_allclose(got, want, rtol=2 * np.finfo(kind).eps, atol=0)
    regular = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(got[regular]), np.signbit(want[regular]))


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_round_is_away_from_zero_in_a_tie(tmp_path, dtype):
    kind = elementary.DTYPES[dtype]
    x = np.concatenate([special_values(kind), np.arange(-20, 20, 0.25, dtype=kind)])
    x = np.append(x, np.nextafter(kind(0.5), kind(0)))
    got = compile_one(tmp_path, f"%r = math.round %x0 : {dtype}", [dtype], dtype)(x)
    whole = np.trunc(np.abs(x))
    want = np.copysign(np.where(np.abs(x) >= whole + 0.5, whole + 1, whole), x)
    want = np.where(np.abs(x) >= 2.0 ** np.finfo(kind).nmant, x, want)
    np.testing.assert_array_equal(got, want)


def test_sincos_is_sin_and_cos(functions, tmp_path):
    op = "%s, %c = math.sincos %x0 : f32\n    %r = arith.subf %s, %c : f32"
    x = np.linspace(-1e6, 1e6, SIZE, dtype=np.float32)
    got = compile_one(tmp_path, op, ["f32"], "f32")(x)
    np.testing.assert_array_equal(got, functions["sin", "f32"](x) - functions["cos", "f32"](x))
