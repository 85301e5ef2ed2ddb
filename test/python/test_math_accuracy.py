"""Elementary functions of compiled models: ulp errors against mpmath, special values against C.

`bench/math_sweep.py` looks at many more arguments; its findings are in docs/math-accuracy.md.
"""

import ctypes
import itertools
import math

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
        for dtype in elementary.DTYPES
        for library in [elementary.build(names, dtype, SIZE, folder)]
        for name in names
    }


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_error_against_mpmath(functions, name, dtype):
    rng = np.random.default_rng(len(name))
    kind = elementary.DTYPES[dtype]
    if name in UNARY:
        args = [elementary.arguments(name, kind, rng, 100)]
    else:
        args = list(elementary.pair_arguments(name, kind, rng, 100))
    results = functions[name, dtype](*args)
    error = elementary.errors(name, results, args)
    worst = int(np.argmax(error))
    at = [float(a[worst]) for a in args]
    assert error[worst] <= BOUND.get(name, BOUND_OTHERS), f"{name}{at} = {results[worst]}"


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
