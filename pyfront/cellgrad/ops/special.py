"""Functions of the gamma family and others, beside the generated `lgamma`, `digamma`, `erfinv`."""

from __future__ import annotations

import math
from typing import Any

from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import check_int, check_number
from cellgrad.core.errors import error
from cellgrad.core.record import as_tensor, check_float, check_tensor, emit, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops.limits import clip


def _order(n: Any) -> int:
    """A derivative's order from an int or a Tensor of one that is known while compiling."""
    if isinstance(n, Tensor):
        if n.size != 1 or n.dtype.kind != "i":
            raise error(TypeError, "For 'polygamma', 'n' must be an int or a Tensor of one int.")
        return int(n.asnumpy())
    return check_int(n, "polygamma", "n")


@public("ops.Polygamma(a, x)")
def polygamma(n: TensorLike, input: Tensor) -> Tensor:
    """The n-th derivative of `digamma`, element by element.

    It is infinite at 0, -1, -2, ... for odd n, and NaN at -1, -2, ... for even n.

    Args:
        n: an int from 0 to 100, or a Tensor that holds one; it is part of the compiled code.
        input: floating point (integers are converted to float32), any shape.

    Raises:
        TypeError: `n` is not an integer, or `input` not a Tensor.
        ValueError: `n` is out of range.

    >>> print(ops.polygamma(Tensor(1), Tensor([1.0])))
    [1.644934]
    """
    order = check_int(_order(n), "polygamma", "n", at_least=0, at_most=100)
    out: Tensor = _polygamma(order, check_tensor(input, "polygamma", "input"))
    return out


@operation
def _polygamma(order: int, x: Tensor) -> Tensor:
    x = check_float(x, "polygamma", "input")
    return emit("cell.polygamma", [x], {"order": order}) if order else emit("cell.digamma", [x])


@public(
    "ops.Mvlgamma(p)(x)",
    "Tensor.mvlgamma",
)
@operation
def mvlgamma(input: Tensor, p: int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension `p`.

    Args:
        input: floating point, above (p - 1) / 2, any shape.
        p: a positive int.

    Raises:
        TypeError: `input` is not a Tensor, or `p` not an int.
        ValueError: `p` is not positive.

    >>> print(ops.mvlgamma(Tensor([3.0, 5.0]), 1))
    [0.6931472 3.1780539]
    """
    x = check_float(input, "mvlgamma", "input")
    p = check_int(p, "mvlgamma", "p", at_least=1)
    total = emit("cell.lgamma", [x])
    for j in range(1, p):
        total = emit("cell.add", [total, emit("cell.lgamma", [ew.binary("cell.sub", x, 0.5 * j)])])
    return ew.binary("cell.add", total, 0.25 * p * (p - 1) * math.log(math.pi))


@public(
    "ops.Logit(eps=-1.0)(input) = ops.logit(input, None if eps < 0 else eps)",
    "Tensor.logit",
)
@operation
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """log(x / (1 - x)), the inverse of `sigmoid`; NaN outside [0, 1].

    Args:
        input: floating point, any shape.
        eps: where given, the input is first clipped to [eps, 1 - eps].

    Raises:
        TypeError: `input` is not a Tensor, or `eps` not a float.

    >>> print(ops.logit(Tensor([0.5])))
    [0.]
    """
    x = check_float(input, "logit", "input")
    if eps is not None:
        eps = check_number(eps, "logit", "eps")
        x = clip(x, eps, 1 - eps)
    # The two logarithms do not lose what 1 - x has lost in a quotient's rounding.
    other = emit("cell.log1p", [emit("cell.neg", [x])])
    return emit("cell.sub", [emit("cell.log", [x]), other])


@public("Tensor.ldexp")
@operation
def ldexp(x: TensorLike, other: TensorLike) -> Tensor:
    """x times two to the power of `other`.

    Args:
        x: any shape; integers are converted to float32.
        other: exponents, of a shape that broadcasts with it.

    Raises:
        TypeError: an argument is neither a Tensor nor a number.
        ValueError: the shapes do not broadcast.

    >>> print(ops.ldexp(Tensor([1.0, 3.0]), Tensor([2, 1])))
    [4. 6.]
    """
    scale = ew.unary("cell.exp2", as_tensor(other, "ldexp"), True)
    return ew.binary("cell.mul", x, scale)


@operation
def _squared_difference(x: Any, y: Any) -> Tensor:
    return emit("cell.square", [ew.binary("cell.sub", x, y)])


@public()
class SquaredDifference(Primitive):
    """(x - y)², broadcast.

    >>> print(ops.SquaredDifference()(Tensor([1.0, 5.0]), Tensor([2.0, 2.0])))
    [1. 9.]
    """

    def __call__(self, x: TensorLike, y: TensorLike) -> Tensor:
        out: Tensor = _squared_difference(x, y)
        return out
