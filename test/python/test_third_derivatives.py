"""Third and fourth derivatives of every elementwise op, against mpmath with 50 digits.

Those of order 1 and 2 are in test/rules. A function of two arguments is taken along two lines, on
which all its partial derivatives have a part.
"""

import mpmath as mp
import numpy as np
import op_examples
import pytest

import cellgrad as ms
from cellgrad import Tensor

REAL = [0.3, -0.55, 1.8, -2.6]
POSITIVE = [0.3, 0.9, 2.5, 14.0]
NEGATIVE_TOO = [*POSITIVE, -0.4, -2.7]

UNARY = {
    "abs": (abs, REAL),
    "acos": (mp.acos, [0.3, -0.55, 0.8]),
    "acosh": (mp.acosh, [1.2, 2.5, 40.0]),
    "asin": (mp.asin, [0.3, -0.55, 0.8]),
    "asinh": (mp.asinh, [*REAL, 40.0]),
    "atan": (mp.atan, [*REAL, 40.0]),
    "atanh": (mp.atanh, [0.3, -0.55, 0.8]),
    "cos": (mp.cos, REAL),
    "cosh": (mp.cosh, REAL),
    "digamma": (mp.digamma, NEGATIVE_TOO),
    "erf": (mp.erf, REAL),
    "erfc": (mp.erfc, REAL),
    "erfinv": (mp.erfinv, [0.3, -0.55, 0.8]),
    "exp": (mp.exp, REAL),
    "exp_square": (lambda x: mp.exp(x * x), REAL),
    "exp2": (lambda x: mp.power(2, x), REAL),
    "expm1": (mp.expm1, REAL),
    "gaussian": (lambda x: mp.exp(-x * x), REAL),
    "lgamma": (lambda x: mp.log(abs(mp.gamma(x))), NEGATIVE_TOO),
    "log": (mp.log, POSITIVE),
    "log10": (lambda x: mp.log(x) / mp.log(10), POSITIVE),
    "log1p": (mp.log1p, [*POSITIVE, -0.6]),
    "log2": (lambda x: mp.log(x) / mp.log(2), POSITIVE),
    "neg": (lambda x: -x, REAL),
    "one_minus_square": (lambda x: 1 - x * x, REAL),
    "reciprocal": (lambda x: 1 / x, REAL),
    "relu": (lambda x: max(x, mp.mpf(0)), REAL),
    "rsqrt": (lambda x: 1 / mp.sqrt(x), POSITIVE),
    "sech_squared": (lambda x: mp.sech(x) ** 2, REAL),
    "sigmoid": (lambda x: 1 / (1 + mp.exp(-x)), REAL),
    "sin": (mp.sin, REAL),
    "sinh": (mp.sinh, REAL),
    "softplus": (lambda x: mp.log1p(mp.exp(x)), REAL),
    "sqrt": (mp.sqrt, POSITIVE),
    "square": (lambda x: x * x, REAL),
    "tan": (mp.tan, REAL),
    "tanh": (mp.tanh, REAL),
}
BINARY = {
    "add": (lambda x, y: x + y, REAL, POSITIVE),
    "atan2": (mp.atan2, REAL, [0.7, -0.45, 3.0, -20.0]),
    "div": (lambda x, y: x / y, REAL, [0.7, -0.45, 3.0, -20.0]),
    "floor_mod": (lambda x, y: x - y * mp.floor(x / y), REAL, [0.7, 0.45, 3.0, 20.0]),
    "hypot": (mp.hypot, REAL, [0.7, -0.45, 3.0, -20.0]),
    "maximum": (max, REAL, [0.5, 0.55, 0.8, 0.05]),
    "minimum": (min, REAL, [0.5, 0.55, 0.8, 0.05]),
    "mul": (lambda x, y: x * y, REAL, POSITIVE),
    "pow": (mp.power, POSITIVE, REAL),
    "sub": (lambda x, y: x - y, REAL, POSITIVE),
    "trunc_mod": (lambda x, y: x - y * int(x / y), REAL, [0.7, 0.45, 3.0, 20.0]),
}
OTHERS = {"guard", "select"}  # of a choice, which test/rules has at every kind of element
PATHS = ["rrr", "rff", "frr", "fff", "rfrf"]


def derive(f, path):
    """The derivative of an elementwise function, the first mode of `path` taken last."""
    for mode in reversed(path):
        f = (
            (lambda t, f=f: ms.grad(lambda s: f(s).sum())(t))
            if mode == "r"
            else (lambda t, f=f: ms.jvp(f, t, Tensor(np.ones(t.shape)))[1])
        )
    return f


def compare(along, exact, count):
    """`along` is a function of steps of `count` elements, `exact` one for each element."""
    for path in PATHS:
        given = derive(along, path)(Tensor(np.zeros(count))).asnumpy()
        with mp.workdps(50):
            wanted = [mp.diff(f, 0, len(path)) for f in exact]
        np.testing.assert_allclose(
            given, [float(w) for w in wanted], rtol=2e-12, atol=1e-13, err_msg=path
        )


@pytest.mark.parametrize("op", UNARY)
def test_one_argument(op):
    oracle, points = UNARY[op]
    x, f = Tensor(np.array(points)), op_examples.call(op)
    compare(lambda t: f(x + t), [lambda t, p=p: oracle(p + t) for p in points], len(points))


@pytest.mark.parametrize("op", BINARY)
@pytest.mark.parametrize("line", [(1.0, 0.5), (-0.75, 1.0)])
def test_two_arguments(op, line):
    oracle, left, right = BINARY[op]
    points = list(zip(left, right, strict=True))
    x, y, f = Tensor(np.array(left)), Tensor(np.array(right)), op_examples.call(op)
    a, b = line
    compare(
        lambda t: f(x + a * t, y + b * t),
        [lambda t, p=p, q=q: oracle(p + a * t, q + b * t) for p, q in points],
        len(points),
    )


def test_every_elementwise_op_is_here():
    smooth = {
        r["op"].removeprefix("cell.")
        for r in op_examples.RECORDS
        if r["elementwise"] and r["derivative"] not in ("zero", "none")
    }
    assert smooth == set(UNARY) | set(BINARY) | OTHERS
