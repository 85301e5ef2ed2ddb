"""The unary functions of the dialect and their derivatives, as formulas for any arithmetic.

A formula takes the module of an arithmetic: `DOUBLE` (numpy's and scipy's float64, vectorised: its
error of a few 1e-16 is below 1e-7 ulp of a float32) or `EXACT` (mpmath). Derivatives are written
so that nothing cancels in float64; a test compares each with mpmath's numerical differentiation.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import mpmath as mp
import numpy as np
from scipy import special

Formula = Callable[[Any, Any], Any]


def _trigamma(x: np.ndarray) -> np.ndarray:
    """By reflection for negative x, which scipy's polygamma does not know."""
    mirrored = special.polygamma(1, np.where(x < 0, 1 - x, x))
    sine = np.sin(np.pi * (x - np.rint(x)))
    return np.where(x < 0, (np.pi / sine) ** 2 - mirrored, mirrored)


DOUBLE = SimpleNamespace(
    asin=np.arcsin,
    acos=np.arccos,
    atan=np.arctan,
    asinh=np.arcsinh,
    acosh=np.arccosh,
    atanh=np.arctanh,
    round=np.rint,
    erf=special.erf,
    erfc=special.erfc,
    erfinv=special.erfinv,
    lgamma=lambda x: np.where(np.isinf(x), np.inf, special.gammaln(x)),
    digamma=special.digamma,
    trigamma=_trigamma,
    softplus=lambda x: np.logaddexp(x, 0),
)
for _name in (
    *("exp", "expm1", "exp2", "log", "log1p", "log2", "log10", "sqrt", "sin", "cos", "tan"),
    *("sinh", "cosh", "tanh", "ceil", "floor", "trunc", "sign", "abs", "where", "pi"),
):
    setattr(DOUBLE, _name, getattr(np, _name))

EXACT = SimpleNamespace(
    exp2=lambda x: mp.power(2, x),
    log2=lambda x: mp.log(x) / mp.log(2),
    trunc=lambda x: mp.sign(x) * mp.floor(abs(x)),
    round=mp.nint,
    abs=abs,
    where=lambda c, a, b: a if c else b,
    lgamma=lambda x: mp.re(mp.loggamma(x)),
    trigamma=lambda x: mp.psi(1, x),
    softplus=lambda x: mp.log1p(mp.exp(-abs(x))) + max(x, 0),
)
for _name in (
    *("exp", "expm1", "sqrt", "log", "log1p", "log10", "sin", "cos", "tan", "sinh", "cosh", "tanh"),
    *("asin", "acos", "atan", "asinh", "acosh", "atanh", "ceil", "floor", "sign", "pi"),
    *("erf", "erfc", "erfinv", "digamma"),
):
    setattr(EXACT, _name, getattr(mp, _name))

# The function and its derivative; None where that is zero.
UNARY: dict[str, tuple[Formula, Formula | None]] = {
    "abs": (lambda m, x: m.abs(x), lambda m, x: m.sign(x)),
    "acos": (lambda m, x: m.acos(x), lambda m, x: -1 / m.sqrt((1 - x) * (1 + x))),
    "acosh": (lambda m, x: m.acosh(x), lambda m, x: 1 / (m.sqrt(x - 1) * m.sqrt(x + 1))),
    "asin": (lambda m, x: m.asin(x), lambda m, x: 1 / m.sqrt((1 - x) * (1 + x))),
    "asinh": (lambda m, x: m.asinh(x), lambda m, x: 1 / m.sqrt(1 + x * x)),
    "atan": (lambda m, x: m.atan(x), lambda m, x: 1 / (1 + x * x)),
    "atanh": (lambda m, x: m.atanh(x), lambda m, x: 1 / (m.sqrt(1 - x) * m.sqrt(1 + x)) ** 2),
    "ceil": (lambda m, x: m.ceil(x), None),
    "cos": (lambda m, x: m.cos(x), lambda m, x: -m.sin(x)),
    "cosh": (lambda m, x: m.cosh(x), lambda m, x: m.sinh(x)),
    "digamma": (lambda m, x: m.digamma(x), lambda m, x: m.trigamma(x)),
    "erf": (lambda m, x: m.erf(x), lambda m, x: 2 / m.sqrt(m.pi) * m.exp(-x * x)),
    "erfc": (lambda m, x: m.erfc(x), lambda m, x: -2 / m.sqrt(m.pi) * m.exp(-x * x)),
    "erfinv": (
        lambda m, x: m.erfinv(x),
        lambda m, x: m.sqrt(m.pi) / 2 * m.exp(m.erfinv(x) ** 2),
    ),
    "exp": (lambda m, x: m.exp(x), lambda m, x: m.exp(x)),
    "exp2": (lambda m, x: m.exp2(x), lambda m, x: m.exp2(x) * m.log(2 + 0 * x)),
    "exp_square": (lambda m, x: m.exp(x * x), lambda m, x: 2 * x * m.exp(x * x)),
    "expm1": (lambda m, x: m.expm1(x), lambda m, x: m.exp(x)),
    "floor": (lambda m, x: m.floor(x), None),
    "gaussian": (lambda m, x: m.exp(-x * x), lambda m, x: -2 * x * m.exp(-x * x)),
    "lgamma": (lambda m, x: m.lgamma(x), lambda m, x: m.digamma(x)),
    "log": (lambda m, x: m.log(x), lambda m, x: 1 / x),
    "log10": (lambda m, x: m.log10(x), lambda m, x: 1 / (x * m.log(10 + 0 * x))),
    "log1p": (lambda m, x: m.log1p(x), lambda m, x: 1 / (1 + x)),
    "log2": (lambda m, x: m.log2(x), lambda m, x: 1 / (x * m.log(2 + 0 * x))),
    "neg": (lambda m, x: -x, lambda m, x: -1 + 0 * x),
    "reciprocal": (lambda m, x: 1 / x, lambda m, x: -1 / (x * x)),
    "one_minus_square": (lambda m, x: (1 - x) * (1 + x), lambda m, x: -2 * x),
    "relu": (lambda m, x: m.where(x < 0, 0, x), lambda m, x: m.where(x > 0, 1.0, 0.0)),
    "round": (lambda m, x: m.round(x), None),
    "rsqrt": (lambda m, x: 1 / m.sqrt(x), lambda m, x: -1 / (2 * x * m.sqrt(x))),
    "sech_squared": (
        lambda m, x: 1 / m.cosh(x) ** 2,
        lambda m, x: -2 * m.tanh(x) / m.cosh(x) ** 2,
    ),
    "sigmoid": (
        lambda m, x: 1 / (1 + m.exp(-x)),
        lambda m, x: m.exp(-m.abs(x)) / (1 + m.exp(-m.abs(x))) ** 2,
    ),
    "sigmoid_slope": (
        lambda m, x: m.exp(-m.abs(x)) / (1 + m.exp(-m.abs(x))) ** 2,
        lambda m, x: -m.tanh(x / 2) * m.exp(-m.abs(x)) / (1 + m.exp(-m.abs(x))) ** 2,
    ),
    "sign": (lambda m, x: m.sign(x), None),
    "sin": (lambda m, x: m.sin(x), lambda m, x: m.cos(x)),
    "sinh": (lambda m, x: m.sinh(x), lambda m, x: m.cosh(x)),
    "softplus": (lambda m, x: m.softplus(x), lambda m, x: 1 / (1 + m.exp(-x))),
    "sqrt": (lambda m, x: m.sqrt(x), lambda m, x: 1 / (2 * m.sqrt(x))),
    "square": (lambda m, x: x * x, lambda m, x: 2 * x),
    "tan": (lambda m, x: m.tan(x), lambda m, x: 1 + m.tan(x) ** 2),
    "tanh": (lambda m, x: m.tanh(x), lambda m, x: 1 / m.cosh(x) ** 2),
    "trunc": (lambda m, x: m.trunc(x), None),
}
