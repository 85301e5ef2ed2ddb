"""What generate.py knows of special functions and remainders; see tables.py for the fields."""

import mpmath as mp
from tables import INF, NAN, ORDINARY, PAIRS, binary, special1, special2, table, unary

PI, LN2, LN10 = float(mp.pi), float(mp.log(2)), float(mp.log(10))
NANS = special1(NAN, NAN, NAN)
SLOPE_OF_ERFINV = "mul(exp_square(Y), 0.886226925452758)"
TWO_OVER_ROOT_PI = float(2 / mp.sqrt(mp.pi))

UNARY = {
    "exp2": unary(
        lambda x: mp.mpf(2) ** x,
        "mul(CT, mul(Y, 0.6931471805599453))",
        [*ORDINARY, 0.0, INF, -INF, NAN],
        ORDINARY,
        table(special1(INF, INF, INF), special1(-INF, 0.0, 0.0), NANS),
    ),
    "expm1": unary(
        mp.expm1,
        "mul(CT, exp(X))",
        [*ORDINARY, 1e-20, -40.0, -0.0, INF, -INF, NAN],
        [*ORDINARY, -40.0],
        table(
            special1(-0.0, -0.0, 1.0),
            special1(INF, INF, INF),
            special1(-INF, -1.0, 0.0),
            special1(-40.0, float(mp.expm1(-40)), float(mp.exp(-40)), float(mp.exp(-40))),
            NANS,
        ),
    ),
    "log1p": unary(
        mp.log1p,
        "div(CT, add(X, 1))",
        [0.5, 1e-20, -0.75, -0.0, -1.0, -2.0, INF, NAN],
        [0.5, 10.0, -0.75],
        table(
            special1(-0.0, -0.0, 1.0),
            special1(-1.0, -INF, INF),
            special1(-2.0, NAN, -1.0),
            special1(INF, INF, 0.0),
            NANS,
        ),
    ),
    "log2": unary(
        lambda x: mp.log(x) / mp.log(2),
        "div(mul(CT, 1.4426950408889634), X)",
        [0.3, 1.0, 8.0, 0.0, -2.0, INF, NAN],
        [0.5, 1.0, 10.0],
        table(
            special1(0.0, -INF, INF),
            special1(-2.0, NAN, -0.5 / LN2),
            special1(INF, INF, 0.0),
            NANS,
        ),
    ),
    "log10": unary(
        lambda x: mp.log(x) / mp.log(10),
        "div(mul(CT, 0.4342944819032518), X)",
        [0.3, 1.0, 1000.0, 0.0, -2.0, INF, NAN],
        [0.5, 1.0, 10.0],
        table(
            special1(0.0, -INF, INF),
            special1(-2.0, NAN, -0.5 / LN10),
            special1(INF, INF, 0.0),
            NANS,
        ),
    ),
    "erf": unary(
        mp.erf,
        "mul(CT, mul(gaussian(X), 1.1283791670955126))",
        [*ORDINARY, 0.0, -0.0, INF, -INF, NAN],
        ORDINARY,
        table(
            special1(0.0, 0.0, TWO_OVER_ROOT_PI),
            special1(-0.0, -0.0, TWO_OVER_ROOT_PI),
            special1(INF, 1.0, 0.0),
            special1(-INF, -1.0, 0.0),
            NANS,
        ),
    ),
    "erfc": unary(
        mp.erfc,
        "mul(CT, mul(gaussian(X), -1.1283791670955126))",
        [*ORDINARY, 0.0, 20.0, INF, -INF, NAN],
        ORDINARY,
        table(
            special1(0.0, 1.0, -TWO_OVER_ROOT_PI),
            special1(20.0, float(mp.erfc(20)), float(-2 / mp.sqrt(mp.pi) * mp.exp(-400))),
            special1(INF, 0.0, -0.0),
            special1(-INF, 2.0, -0.0),
            NANS,
        ),
    ),
    "gaussian": unary(
        lambda x: mp.exp(-x * x),
        "mul(CT, mul(mul(X, Y), -2))",
        [*ORDINARY, 0.0, -20.0, 30.0, INF, NAN],
        [*ORDINARY, -20.0],
        table(
            special1(0.0, 1.0, -0.0),
            special1(-20.0, *(float(c * mp.exp(-400)) for c in (1, 40, 1598))),
            special1(30.0, 0.0, -0.0),
            # 0 times infinity
            special1(INF, 0.0, NAN),
            NANS,
        ),
    ),
    "exp_square": unary(
        lambda x: mp.exp(x * x),
        "mul(CT, mul(mul(X, Y), 2))",
        [*ORDINARY, 0.0, 20.0, -30.0, INF, -INF, NAN],
        ORDINARY,
        table(
            special1(0.0, 1.0, 0.0),
            special1(20.0, *(float(c * mp.exp(400)) for c in (1, 40))),
            special1(-30.0, INF, -INF),
            special1(INF, INF, INF),
            special1(-INF, INF, -INF),
            NANS,
        ),
    ),
    "one_minus_square": unary(
        lambda x: 1 - x * x,
        "mul(CT, mul(X, -2))",
        [*ORDINARY, 0.0, 1.0, -1.0, 1 - 2.0**-40, INF, NAN],
        [*ORDINARY, 1.0],
        table(
            special1(0.0, 1.0, -0.0),
            special1(1.0, 0.0, -2.0, -2.0),
            special1(-1.0, 0.0, 2.0),
            # where 1 - x*x has lost half of its digits
            special1(1 - 2.0**-40, 2.0**-39 - 2.0**-80, -2 + 2.0**-39),
            special1(INF, -INF, -INF),
            NANS,
        ),
    ),
    "softplus": unary(
        lambda x: mp.log1p(mp.exp(x)),
        "mul(CT, sigmoid(X))",
        [*ORDINARY, 0.0, -40.0, 800.0, INF, -INF, NAN],
        [*ORDINARY, 0.0],
        table(
            special1(800.0, 800.0, 1.0),
            special1(INF, INF, 1.0),
            special1(-INF, 0.0, 0.0),
            NANS,
        ),
    ),
    "asin": unary(
        mp.asin,
        "div(CT, sqrt(one_minus_square(X)))",
        [0.5, -0.25, 0.0, -0.0, 1.0, -1.0, 2.0, NAN],
        [0.5, -0.25, 1.0, -1.0],
        table(
            special1(-0.0, -0.0, 1.0),
            special1(1.0, PI / 2, INF, INF),
            special1(-1.0, -PI / 2, INF, -INF),
            special1(2.0, NAN, NAN),
            NANS,
        ),
        "Infinite at -1 and 1.",
    ),
    "acos": unary(
        mp.acos,
        "neg(div(CT, sqrt(one_minus_square(X))))",
        [0.5, -0.25, 0.0, 1.0, -1.0, 2.0, NAN],
        [0.5, -0.25, 1.0, -1.0],
        table(
            special1(1.0, 0.0, -INF, -INF),
            special1(-1.0, PI, -INF, INF),
            special1(2.0, NAN, NAN),
            NANS,
        ),
        "Minus infinity at -1 and 1.",
    ),
    "atan": unary(
        mp.atan,
        "mul(CT, square(reciprocal(hypot(X, 1))))",
        [*ORDINARY, 0.0, -0.0, 1e160, INF, -INF, NAN],
        ORDINARY,
        table(
            special1(-0.0, -0.0, 1.0),
            # a square that overflows; the derivative is subnormal
            special1(1e160, PI / 2, 1e-320),
            special1(INF, PI / 2, 0.0),
            special1(-INF, -PI / 2, 0.0),
            NANS,
        ),
    ),
    "asinh": unary(
        mp.asinh,
        "div(CT, hypot(X, 1))",
        [*ORDINARY, 0.0, -0.0, 1e200, INF, -INF, NAN],
        ORDINARY,
        table(
            special1(-0.0, -0.0, 1.0),
            special1(1e200, float(mp.asinh(mp.mpf(10) ** 200)), 1e-200),
            special1(INF, INF, 0.0),
            special1(-INF, -INF, 0.0),
            NANS,
        ),
    ),
    "acosh": unary(
        mp.acosh,
        "mul(CT, mul(rsqrt(sub(X, 1)), rsqrt(add(X, 1))))",
        [1.25, 3.0, 1.0, 0.5, INF, NAN],
        [1.25, 3.0, 10.0, 1.0],
        table(
            special1(1.0, 0.0, INF, -INF),
            special1(0.5, NAN, NAN),
            special1(INF, INF, 0.0),
            NANS,
        ),
        "Infinite at 1.",
    ),
}


def lgamma(x):
    """log |gamma(x)|."""
    return mp.log(abs(mp.gamma(x)))


UNARY |= {
    "lgamma": unary(
        lgamma,
        "mul(CT, digamma(X))",
        [0.5, 1.0, 2.0, 3.75, 10.0, 1e-20, -0.5, -2.5, 0.0, -0.0, -1.0, -3.0, INF, -INF, NAN],
        [0.5, 1.25, 3.75, 10.0, -0.25, -2.5],
        table(
            special1(1e-20, float(lgamma(mp.mpf(1e-20))), -1e20),
            special1(0.0, INF, -INF),
            special1(-0.0, INF, INF),
            special1(-1.0, INF, NAN),
            special1(-3.0, INF, NAN),
            special1(INF, INF, INF),
            special1(-INF, INF, NAN),
            NANS,
        ),
        "NaN at the poles but 0.",
    ),
    "digamma": unary(
        mp.digamma,
        "mul(CT, polygamma(X, order=1))",
        [0.5, 1.0, 3.75, 10.0, 1e-20, -0.5, -2.25, 0.0, -0.0, -1.0, INF, -INF, NAN],
        [0.5, 1.25, 3.75, 10.0, -0.25, -2.5],
        table(
            special1(1e-20, -1e20, 1e40),
            special1(0.0, -INF, INF),
            special1(-0.0, INF, INF),
            special1(-1.0, NAN, INF),
            special1(INF, INF, 0.0),
            special1(-INF, NAN, NAN),
            NANS,
        ),
    ),
    "erfinv": unary(
        mp.erfinv,
        f"mul(CT, mul({SLOPE_OF_ERFINV}, add(stop_gradient(select(is_finite(Y), "
        f"mul(mul(mul(abs(Y), 2), sub(erfc(abs(Y)), sub(1, abs(X)))), {SLOPE_OF_ERFINV}), 0)), 1)))",
        [0.5, -0.25, 0.999, 1e-20, 0.0, -0.0, 1.0, -1.0, 1.5, NAN],
        [0.5, -0.25, 0.75, 1.0, -1.0],
        table(
            special1(1e-20, float(mp.erfinv(mp.mpf(1e-20))), float(mp.sqrt(mp.pi) / 2)),
            special1(-0.0, -0.0, float(mp.sqrt(mp.pi) / 2)),
            special1(1.0, INF, INF, INF),
            special1(-1.0, -INF, INF, -INF),
            special1(1.5, NAN, NAN),
            NANS,
        ),
        "Infinite at -1 and 1.",
    ),
}

LENGTH = "hypot(A, B)"
REMAINDER_POINTS = [
    (7.5, 2.0),
    (-7.5, 2.0),
    (7.5, -2.0),
    (6.0, 2.0),
    (-6.0, 2.0),
    (5.0, INF),
    (1.0, 0.0),
    (NAN, 1.0),
]


def remainder(integer_part, whole, zero):
    """x - y n(x / y): the quotient's integer part `whole` is constant between multiples of y."""
    return binary(
        lambda x, y: x - y * integer_part(x / y),
        ["CT", f"neg(mul(CT, {whole}))"],
        f"sub(T, mul(U, {whole}))",
        REMAINDER_POINTS,
        [(7.5, 2.0), (-7.5, 2.0)],
        table(
            special2((6.0, 2.0), 0.0, 1.0, -3.0),
            special2((-6.0, 2.0), zero, 1.0, 3.0),
            special2((5.0, INF), 5.0, 1.0, -0.0),
            special2((1.0, 0.0), NAN, 1.0, -INF),
            special2((NAN, 1.0), NAN, 1.0, NAN),
        ),
    )


BINARY = {
    "atan2": binary(
        mp.atan2,
        [
            f"mul(CT, div(div(B, {LENGTH}), {LENGTH}))",
            f"neg(mul(CT, div(div(A, {LENGTH}), {LENGTH})))",
        ],
        f"sub(mul(T, div(div(B, {LENGTH}), {LENGTH})), mul(U, div(div(A, {LENGTH}), {LENGTH})))",
        [*PAIRS, (1.0, 0.0), (0.0, 0.0), (0.0, -1.0), (-0.0, -1.0), (3e200, 4e200), (NAN, 1.0)],
        PAIRS,
        table(
            special2((1.0, 0.0), PI / 2, 0.0, -1.0),
            special2((0.0, 0.0), 0.0, NAN, NAN),
            special2((0.0, -1.0), PI, -1.0, -0.0),
            special2((-0.0, -1.0), -PI, -1.0, 0.0),
            special2((3e200, 4e200), float(mp.atan2(3, 4)), 1.6e-201, -1.2e-201),
            special2((NAN, 1.0), NAN, NAN, NAN),
        ),
        "NaN at (0, 0).",
    ),
    "hypot": binary(
        mp.hypot,
        ["mul(CT, div(A, Y))", "mul(CT, div(B, Y))"],
        "add(mul(T, div(A, Y)), mul(U, div(B, Y)))",
        [*PAIRS, (1.0, 0.0), (0.0, 0.0), (3e200, 4e200), (-3e-200, 4e-200), (INF, 1.0), (NAN, 1.0)],
        PAIRS,
        table(
            special2((1.0, 0.0), 1.0, 1.0, 0.0),
            special2((0.0, 0.0), 0.0, NAN, NAN),
            special2((3e200, 4e200), 5e200, 0.6, 0.8),
            special2((-3e-200, 4e-200), 5e-200, -0.6, 0.8),
            special2((INF, 1.0), INF, NAN, 0.0),
            special2((NAN, 1.0), NAN, NAN, NAN),
        ),
        "NaN at (0, 0).",
    ),
    "floor_mod": remainder(mp.floor, "floor_div(A, B)", 0.0),
    "trunc_mod": remainder(
        lambda q: mp.floor(q) if q > 0 else mp.ceil(q), "trunc(div(A, B))", -0.0
    ),
}
