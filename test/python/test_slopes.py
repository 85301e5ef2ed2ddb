"""First and second derivatives that are nearly 0, relative to themselves, against mpmath.

test_sweep.py has the first derivatives of all functions over all numbers of a type; here are the second
ones, of the functions whose textbook rules cancel, and float64.
"""

import mpmath as mp
import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops

ROOT_PI = mp.sqrt(mp.pi)
COUNT = 150
FIRST, SECOND = 3.6, 8.0  # ulp


def wide(rng, dtype):
    """Numbers of all sizes."""
    return np.exp(rng.uniform(-20, 40, COUNT)) * rng.choice([-1, 1], COUNT)


def above_one(rng, dtype):
    return 1 + np.exp(rng.uniform(-15 if dtype == "float32" else -30, 40, COUNT))


def near_one(rng, dtype):
    x = 1 - np.exp(-rng.uniform(0, 15 if dtype == "float32" else 34, COUNT))
    return x * rng.choice([-1, 1], COUNT)


def up_to(float32, float64):
    """Numbers that keep the derivatives from being subnormal."""
    ends = {"float32": float32, "float64": float64}
    return lambda rng, dtype: rng.uniform(-ends[dtype], ends[dtype], COUNT)


def slope_of_sigmoid(x):
    return mp.exp(-x) / (1 + mp.exp(-x)) ** 2


def slope_of_erfinv(x):
    return ROOT_PI / 2 * mp.exp(mp.erfinv(x) ** 2)


CASES = {
    "tanh": (
        lambda x: mp.sech(x) ** 2,
        lambda x: -2 * mp.tanh(x) * mp.sech(x) ** 2,
        up_to(42, 350),
    ),
    "sigmoid": (
        slope_of_sigmoid,
        lambda x: -mp.tanh(x / 2) * slope_of_sigmoid(x),
        up_to(84, 700),
    ),
    "erf": (
        lambda x: 2 / ROOT_PI * mp.exp(-x * x),
        lambda x: -4 * x / ROOT_PI * mp.exp(-x * x),
        up_to(9.2, 26),
    ),
    "erfc": (
        lambda x: -2 / ROOT_PI * mp.exp(-x * x),
        lambda x: 4 * x / ROOT_PI * mp.exp(-x * x),
        up_to(9.2, 26),
    ),
    "erfinv": (
        slope_of_erfinv,
        lambda x: 2 * mp.erfinv(x) * slope_of_erfinv(x) ** 2,
        near_one,
    ),
    "atan": (lambda x: 1 / (1 + x * x), lambda x: -2 * x / (1 + x * x) ** 2, wide),
    "asinh": (lambda x: (1 + x * x) ** -0.5, lambda x: -x * (1 + x * x) ** -1.5, wide),
    "acosh": (lambda x: (x * x - 1) ** -0.5, lambda x: -x * (x * x - 1) ** -1.5, above_one),
}


def worst(given, exact, x, dtype):
    """The largest error, in units of the last place of the exact value, and where it is."""
    info = np.finfo(dtype)
    errors = []
    for a, b in zip(x, given, strict=True):
        e = exact(mp.mpf(float(a)))
        unit = mp.ldexp(1, max(mp.frexp(e)[1] - 1, info.minexp) - info.nmant)
        errors.append(float(abs(mp.mpf(float(b)) - e) / unit))
    return max(zip(errors, map(float, x), strict=True))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CASES)
def test_derivatives_in_ulp(name, dtype):
    first, second, draw = CASES[name]
    f = getattr(ops, name)
    x = draw(np.random.default_rng(3), dtype).astype(dtype)
    arg, one = Tensor(x), Tensor(np.ones(COUNT, dtype))
    slope = lambda x: ms.jvp(f, x, one)[1]
    with mp.workprec(300):
        error, at = worst(slope(arg).asnumpy(), first, x, dtype)
        assert error <= FIRST, f"{name}'({at}) is off by {error} ulp"
        error, at = worst(ms.jvp(slope, arg, one)[1].asnumpy(), second, x, dtype)
        assert error <= SECOND, f"{name}''({at}) is off by {error} ulp"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["tanh", "sigmoid"])
def test_slopes_beside_their_function(name, dtype):
    """Where one loop needs both, the slope shares the exponential. Down to the smallest numbers."""
    f, (first, _, draw) = getattr(ops, name), CASES[name]

    @ms.jit
    def choose(is_value, x):
        return ops.select(is_value, f(x), ms.grad(lambda v: f(v).sum())(x))

    rng = np.random.default_rng(5)
    x = np.concatenate([draw(rng, dtype) * 1.3, rng.uniform(-4, 4, 3 * COUNT)]).astype(dtype)
    x[:3] = np.inf, -np.inf, np.nan
    value = choose(Tensor(np.ones(x.shape, bool)), Tensor(x)).asnumpy()
    assert value.tobytes() == f(Tensor(x)).asnumpy().tobytes()
    slope = choose(Tensor(np.zeros(x.shape, bool)), Tensor(x)).asnumpy()
    assert slope[:2].tolist() == [0, 0] and np.isnan(slope[2])
    with mp.workprec(300):
        error, at = worst(slope[3:], first, x[3:], dtype)
        assert error <= 2.5, f"{name}'({at}) is off by {error} ulp"
