"""What generate.py knows of each elementwise op.

f       the function, in mpmath
points  where value, vjp and jvp are evaluated; second: where second derivatives are
special for a point (its repr: -0.0 is not 0.0), the derivatives that mpmath cannot give, by order:
        (0,) the value, (1,) the first, (1, 0) the first in the first operand, ...
vjp     the adjoint as nested ops of X (or A, B), Y (the result) and CT, one for each operand;
        jvp likewise, of the tangents T and U
"""

import math

import mpmath as mp

INF, NAN = math.inf, math.nan
ORDINARY = [0.5, -2.0, 1.25, 3.0]


def special1(point, value, first, second=None):
    entry = {(0,): value, (1,): first}
    if second is not None:
        entry[(2,)] = second
    return {repr(point): entry}


def table(*rows):
    merged = {}
    for row in rows:
        merged.update(row)
    return merged


def unary(f, vjp, points, second, special=None, note=""):
    return {
        "f": f,
        "vjp": [vjp],
        "jvp": vjp.replace("CT", "T"),
        "points": points,
        "second": second,
        "special": special or {},
        "note": note,
    }


UNARY = {
    "neg": unary(
        lambda x: -x,
        "neg(CT)",
        [0.5, -2.0, 0.0, -0.0, INF, -INF, NAN],
        [0.5, -2.0],
        table(
            special1(0.0, -0.0, -1.0),
            special1(-0.0, 0.0, -1.0),
            special1(INF, -INF, -1.0),
            special1(-INF, INF, -1.0),
            special1(NAN, NAN, -1.0),
        ),
    ),
    "abs": unary(
        abs,
        "mul(CT, sign(X))",
        [0.5, -2.0, 0.0, -0.0, INF, -INF, NAN],
        [0.5, -2.0, 0.0],
        table(
            # sign(-0) is -0
            special1(0.0, 0.0, 0.0, 0.0),
            special1(-0.0, 0.0, -0.0),
            special1(INF, INF, 1.0),
            special1(-INF, INF, -1.0),
            special1(NAN, NAN, NAN),
        ),
        "0 at the corner.",
    ),
    "square": unary(
        lambda x: x * x,
        "mul(CT, mul(X, 2))",
        [0.5, -3.0, 0.0, -0.0, INF, NAN],
        [0.5, -3.0, 0.0],
        table(
            special1(0.0, 0.0, 0.0, 2.0),
            special1(-0.0, 0.0, -0.0),
            special1(INF, INF, INF),
            special1(NAN, NAN, NAN),
        ),
    ),
    "sqrt": unary(
        mp.sqrt,
        "div(mul(CT, 0.5), Y)",
        [0.25, 2.0, 0.0, -0.0, -1.0, INF, NAN],
        [0.25, 2.0, 3.0],
        table(
            # 1 / (2 sqrt(x)); the root of -0 is -0
            special1(0.0, 0.0, INF),
            special1(-0.0, -0.0, -INF),
            special1(-1.0, NAN, NAN),
            special1(INF, INF, 0.0),
            special1(NAN, NAN, NAN),
        ),
        "Infinite at 0.",
    ),
    "rsqrt": unary(
        lambda x: 1 / mp.sqrt(x),
        "div(mul(mul(CT, -0.5), Y), X)",
        [0.25, 2.0, 0.0, -1.0, INF, NAN],
        [0.25, 2.0, 3.0],
        table(
            special1(0.0, INF, -INF),
            special1(-1.0, NAN, NAN),
            special1(INF, 0.0, -0.0),
            special1(NAN, NAN, NAN),
        ),
    ),
    "reciprocal": unary(
        lambda x: 1 / x,
        "neg(mul(CT, square(Y)))",
        [0.5, -4.0, 0.0, -0.0, INF, NAN],
        [0.5, -4.0, 3.0],
        table(
            special1(0.0, INF, -INF),
            special1(-0.0, -INF, -INF),
            special1(INF, 0.0, -0.0),
            special1(NAN, NAN, NAN),
        ),
    ),
    "exp": unary(
        mp.exp,
        "mul(CT, Y)",
        [*ORDINARY, 0.0, 800.0, INF, -INF, NAN],
        ORDINARY,
        table(
            special1(800.0, INF, INF),
            special1(INF, INF, INF),
            special1(-INF, 0.0, 0.0),
            special1(NAN, NAN, NAN),
        ),
    ),
    "log": unary(
        mp.log,
        "div(CT, X)",
        [0.5, 1.0, 10.0, 0.0, -0.0, -2.0, INF, NAN],
        [0.5, 1.0, 10.0],
        table(
            # 1/x holds beyond the domain, as in MindSpore
            special1(0.0, -INF, INF),
            special1(-0.0, -INF, -INF),
            special1(-2.0, NAN, -0.5),
            special1(INF, INF, 0.0),
            special1(NAN, NAN, NAN),
        ),
    ),
    "sigmoid": unary(
        lambda x: 1 / (1 + mp.exp(-x)),
        "mul(CT, sigmoid_slope(X))",
        [*ORDINARY, 0.0, 40.0, -40.0, INF, -INF, NAN],
        [*ORDINARY, 40.0],
        table(special1(INF, 1.0, 0.0), special1(-INF, 0.0, 0.0), special1(NAN, NAN, NAN)),
    ),
    "sigmoid_slope": unary(
        lambda x: (mp.sech(x / 2) / 2) ** 2,
        "mul(CT, mul(Y, tanh(mul(X, -0.5))))",
        [*ORDINARY, 0.0, -40.0, INF, -INF, NAN],
        [*ORDINARY, -40.0],
        table(
            special1(0.0, 0.25, -0.0),
            special1(INF, 0.0, -0.0),
            special1(-INF, 0.0, 0.0),
            special1(NAN, NAN, NAN),
        ),
    ),
    "sin": unary(
        mp.sin,
        "mul(CT, cos(X))",
        [*ORDINARY, 0.0, -0.0, INF, NAN],
        ORDINARY,
        table(special1(-0.0, -0.0, 1.0), special1(INF, NAN, NAN), special1(NAN, NAN, NAN)),
    ),
    "cos": unary(
        mp.cos,
        "neg(mul(CT, sin(X)))",
        [*ORDINARY, 0.0, INF, NAN],
        ORDINARY,
        table(special1(0.0, 1.0, -0.0), special1(INF, NAN, NAN), special1(NAN, NAN, NAN)),
    ),
    "tan": unary(
        mp.tan,
        "mul(CT, add(square(Y), 1))",
        [*ORDINARY, 0.0, -0.0, INF, NAN],
        ORDINARY,
        table(special1(-0.0, -0.0, 1.0), special1(INF, NAN, NAN), special1(NAN, NAN, NAN)),
    ),
    "sinh": unary(
        mp.sinh,
        "mul(CT, cosh(X))",
        [*ORDINARY, 0.0, -0.0, INF, NAN],
        ORDINARY,
        table(special1(-0.0, -0.0, 1.0), special1(INF, INF, INF), special1(NAN, NAN, NAN)),
    ),
    "cosh": unary(
        mp.cosh,
        "mul(CT, sinh(X))",
        [*ORDINARY, 0.0, INF, -INF, NAN],
        ORDINARY,
        table(
            special1(0.0, 1.0, 0.0),
            special1(INF, INF, INF),
            special1(-INF, INF, -INF),
            special1(NAN, NAN, NAN),
        ),
    ),
    "tanh": unary(
        mp.tanh,
        "mul(CT, sech_squared(X))",
        [*ORDINARY, 0.0, -0.0, 25.0, INF, -INF, NAN],
        [*ORDINARY, 25.0],
        table(
            special1(-0.0, -0.0, 1.0),
            special1(INF, 1.0, 0.0),
            special1(-INF, -1.0, 0.0),
            special1(NAN, NAN, NAN),
        ),
    ),
    "sech_squared": unary(
        lambda x: 1 / mp.cosh(x) ** 2,
        "mul(CT, mul(mul(Y, tanh(X)), -2))",
        [*ORDINARY, 0.0, -25.0, INF, -INF, NAN],
        [*ORDINARY, -25.0],
        table(
            special1(0.0, 1.0, -0.0),
            special1(INF, 0.0, -0.0),
            special1(-INF, 0.0, 0.0),
            special1(NAN, NAN, NAN),
        ),
    ),
    "atanh": unary(
        mp.atanh,
        "div(CT, one_minus_square(X))",
        [0.5, -0.25, 0.0, 1.0, -1.0, NAN],
        [0.5, -0.25, 0.75, 1.0, -1.0],
        table(
            special1(1.0, INF, INF, INF),
            special1(-1.0, -INF, INF, -INF),
            special1(NAN, NAN, NAN),
        ),
    ),
    "relu": unary(
        lambda x: max(x, mp.mpf(0)),
        "select(greater(Y, 0), CT, 0)",
        [0.5, -2.0, 0.0, -0.0, INF, -INF, NAN],
        [0.5, -2.0, 0.0],
        table(
            # a comparison with NaN does not hold
            special1(0.0, 0.0, 0.0, 0.0),
            special1(-0.0, 0.0, 0.0),
            special1(INF, INF, 1.0),
            special1(-INF, 0.0, 0.0),
            special1(NAN, NAN, 0.0),
        ),
        "0 at the corner.",
    ),
}


def special2(point, value, first_x, first_y, second=None, tangent=None):
    """`tangent` is that of both operands, where the sum of the partial derivatives is not defined."""
    entry = {(0, 0): value, (1, 0): first_x, (0, 1): first_y, "tangent": tangent}
    if second is not None:
        entry |= {(2, 0): second, (1, 1): second, (0, 2): second}
    return {repr(point): entry}


def binary(f, vjp, jvp, points, second, special=None, note=""):
    return {
        "f": f,
        "vjp": vjp,
        "jvp": jvp,
        "points": points,
        "second": second,
        "special": special or {},
        "note": note,
    }


PAIRS = [(2.0, 3.0), (-1.5, 0.5), (0.25, -4.0)]
TIE, NOTIE = (1.5, 1.5), [(2.0, 3.0), (3.0, -2.0)]


def choice(f, keep):
    """Of maximum or minimum; `keep` is the zero that wins."""
    half = {(1, 0): 0.5, (0, 1): 0.5, (2, 0): 0.0, (1, 1): 0.0, (0, 2): 0.0}
    nan = {(0, 0): NAN, (1, 0): 1.0, (0, 1): 1.0}
    end = f(-INF, 2.0)
    return table(
        {repr(TIE): {(0, 0): 1.5, **half}},
        {repr((0.0, -0.0)): {(0, 0): keep, **half}},
        {repr((-0.0, 0.0)): {(0, 0): keep, **half}},
        {repr((INF, INF)): {(0, 0): INF, **half}},
        {repr((NAN, 1.0)): nan},
        {repr((1.0, NAN)): nan},
        special2((-INF, 2.0), end, float(end == -INF), float(end == 2.0)),
    )


CHOICE_POINTS = [
    *NOTIE,
    TIE,
    (0.0, -0.0),
    (-0.0, 0.0),
    (INF, INF),
    (-INF, 2.0),
    (NAN, 1.0),
    (1.0, NAN),
]
CHOICE_NOTE = (
    "One half to each operand at a tie, all to both where one is NaN, as MindSpore has it."
)

POW_BASE = "select(equal(B, 0), 0, mul(B, pow(A, select(equal(B, 0), 1, sub(B, 1)))))"
POW_EXPONENT = "mul(Y, log(select(logical_and(equal(A, 0), greater_equal(B, 0)), 1, A)))"

BINARY = {
    "add": binary(
        lambda x, y: x + y,
        ["CT", "CT"],
        "add(T, U)",
        [*PAIRS, (INF, -INF), (NAN, 1.0), (-0.0, -0.0)],
        PAIRS,
        table(
            special2((INF, -INF), NAN, 1.0, 1.0),
            special2((NAN, 1.0), NAN, 1.0, 1.0),
            special2((-0.0, -0.0), -0.0, 1.0, 1.0),
        ),
    ),
    "sub": binary(
        lambda x, y: x - y,
        ["CT", "neg(CT)"],
        "sub(T, U)",
        [*PAIRS, (INF, INF), (NAN, 1.0), (0.0, 0.0)],
        PAIRS,
        table(
            special2((INF, INF), NAN, 1.0, -1.0),
            special2((NAN, 1.0), NAN, 1.0, -1.0),
            special2((0.0, 0.0), 0.0, 1.0, -1.0),
        ),
    ),
    "mul": binary(
        lambda x, y: x * y,
        ["mul(CT, B)", "mul(CT, A)"],
        "add(mul(T, B), mul(A, U))",
        [*PAIRS, (0.0, INF), (NAN, 0.0), (-0.0, 2.0)],
        PAIRS,
        table(
            special2((0.0, INF), NAN, INF, 0.0),
            special2((NAN, 0.0), NAN, 0.0, NAN),
            special2((-0.0, 2.0), -0.0, 2.0, -0.0),
        ),
    ),
    "div": binary(
        lambda x, y: x / y,
        ["div(CT, B)", "neg(mul(div(CT, B), Y))"],
        "div(sub(T, mul(U, Y)), B)",
        [*PAIRS, (1.0, 0.0), (-1.0, 0.0), (0.0, 0.0), (1.0, INF), (NAN, 1.0)],
        PAIRS,
        table(
            special2((1.0, 0.0), INF, INF, -INF, tangent=-INF),
            special2((-1.0, 0.0), -INF, INF, INF, tangent=INF),
            special2((0.0, 0.0), NAN, INF, NAN),
            special2((1.0, INF), 0.0, 0.0, -0.0),
            special2((NAN, 1.0), NAN, 1.0, NAN),
        ),
    ),
    "pow": binary(
        lambda x, y: x**y,
        [f"mul(CT, {POW_BASE})", f"mul(CT, {POW_EXPONENT})"],
        f"add(mul(T, {POW_BASE}), mul(U, {POW_EXPONENT}))",
        [
            (2.0, 3.0),
            (0.5, -1.5),
            (1.5, 0.0),
            (0.0, 0.0),
            (0.0, 1.0),
            (0.0, 2.0),
            (0.0, 0.5),
            (0.0, -1.0),
            (-2.0, 3.0),
            (-2.0, 0.5),
            (NAN, 0.0),
            (1.0, NAN),
            (NAN, 1.0),
            (INF, 2.0),
        ],
        [(2.0, 3.0), (0.5, -1.5), (1.5, 2.0), (0.0, 0.0)],
        table(
            # x^0 = 1 for every x, NaN included, so its derivative in x is 0; 0^y = 0 for every
            # y > 0, so its derivative in y is 0; a negative base has no derivative in the
            # exponent: NaN, as in MindSpore.
            special2((1.5, 0.0), 1.0, 0.0, float(mp.log(1.5))),
            special2((0.0, 0.0), 1.0, 0.0, 0.0, 0.0),
            special2((0.0, 1.0), 0.0, 1.0, 0.0),
            special2((0.0, 2.0), 0.0, 0.0, 0.0),
            special2((0.0, 0.5), 0.0, INF, 0.0),
            special2((0.0, -1.0), INF, -INF, -INF),
            special2((-2.0, 3.0), -8.0, 12.0, NAN),
            special2((-2.0, 0.5), NAN, NAN, NAN),
            special2((NAN, 0.0), 1.0, 0.0, NAN),
            special2((1.0, NAN), 1.0, NAN, 0.0),
            special2((NAN, 1.0), NAN, 1.0, NAN),
            special2((INF, 2.0), INF, INF, INF),
        ),
        "Zero in the base for exponent 0; zero in the exponent for base 0 and exponent >= 0.",
    ),
    "maximum": binary(
        max,
        [
            "select(equal(A, B), mul(CT, 0.5), select(less(A, B), 0, CT))",
            "select(equal(A, B), mul(CT, 0.5), select(less(B, A), 0, CT))",
        ],
        "add(select(equal(A, B), mul(T, 0.5), select(less(A, B), 0, T)), "
        "select(equal(A, B), mul(U, 0.5), select(less(B, A), 0, U)))",
        CHOICE_POINTS,
        [*NOTIE, TIE],
        choice(max, 0.0),
        CHOICE_NOTE,
    ),
    "minimum": binary(
        min,
        [
            "select(equal(A, B), mul(CT, 0.5), select(less(B, A), 0, CT))",
            "select(equal(A, B), mul(CT, 0.5), select(less(A, B), 0, CT))",
        ],
        "add(select(equal(A, B), mul(T, 0.5), select(less(B, A), 0, T)), "
        "select(equal(A, B), mul(U, 0.5), select(less(A, B), 0, U)))",
        CHOICE_POINTS,
        [*NOTIE, TIE],
        choice(min, -0.0),
        CHOICE_NOTE,
    ),
}
