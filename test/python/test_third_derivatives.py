"""Third and fourth derivatives of every elementwise op, against mpmath with 50 digits.

Those of order 1 and 2 are in test/rules. A function of two arguments is taken along two lines, on
which all its partial derivatives have a part.
"""

import sys
from pathlib import Path

import mpmath as mp
import numpy as np
import op_examples
import pytest

import cellgrad as ms
from cellgrad import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "rule-tests"))

import special_tables
import tables

UNARY = {op: row["f"] for op, row in (tables.UNARY | special_tables.UNARY).items()}
BINARY = {op: row["f"] for op, row in (tables.BINARY | special_tables.BINARY).items()}

# Of a new op: REAL and PAIR, unless it is not smooth there, or of more interest elsewhere.
REAL = [0.3, -0.55, 1.8, -2.6]
POSITIVE = [0.3, 0.9, 2.5, 14.0]
NEGATIVE_TOO = [*POSITIVE, -0.4, -2.7]
UNIT, FAR = [0.3, -0.55, 0.8], [*REAL, 40.0]
POINTS = {
    **dict.fromkeys(("acos", "asin", "atanh", "erfinv"), UNIT),
    **dict.fromkeys(("asinh", "atan"), FAR),
    **dict.fromkeys(("digamma", "lgamma"), NEGATIVE_TOO),
    **dict.fromkeys(("log", "log10", "log2", "rsqrt", "sqrt"), POSITIVE),
    "acosh": [1.2, 2.5, 40.0],
    "log1p": [*POSITIVE, -0.6],
}
PAIR = (REAL, [0.7, -0.45, 3.0, -20.0])
PAIRS = {
    **dict.fromkeys(("add", "mul", "sub"), (REAL, POSITIVE)),
    **dict.fromkeys(("floor_mod", "trunc_mod"), (REAL, [0.7, 0.45, 3.0, 20.0])),
    **dict.fromkeys(("maximum", "minimum"), (REAL, [0.5, 0.55, 0.8, 0.05])),
    "pow": (POSITIVE, REAL),
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
    oracle, points = UNARY[op], POINTS.get(op, REAL)
    x, f = Tensor(np.array(points)), op_examples.call(op)
    compare(lambda t: f(x + t), [lambda t, p=p: oracle(p + t) for p in points], len(points))


@pytest.mark.parametrize("op", BINARY)
@pytest.mark.parametrize("line", [(1.0, 0.5), (-0.75, 1.0)])
def test_two_arguments(op, line):
    oracle, (left, right) = BINARY[op], PAIRS.get(op, PAIR)
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
