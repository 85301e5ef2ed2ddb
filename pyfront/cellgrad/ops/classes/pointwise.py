"""Class forms of activations and of pointwise functions: ``ops.Elu(alpha=1.0)(x)``."""

from __future__ import annotations

from typing import Any

from cellgrad.core.aliases import TensorLike
from cellgrad.core.record import operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops.selection import div, select


@operation
def _mul_no_nan(x: Any, y: Any) -> Tensor:
    return select(gen.equal(y, 0), 0, gen.mul(x, y))


@operation
def _div_no_nan(x: Any, y: Any) -> Tensor:
    return select(gen.equal(y, 0), 0, div(x, y))


@public()
class MulNoNan(Primitive):
    """`x` times `y`, but 0 where `y` is 0, also for `x` infinite or NaN.

    >>> print(ops.MulNoNan()(Tensor([1.0, float("inf")]), Tensor([2.0, 0.0])))
    [2. 0.]
    """

    def __call__(self, x: TensorLike, y: TensorLike) -> Tensor:
        out: Tensor = _mul_no_nan(x, y)
        return out


@public()
class DivNoNan(Primitive):
    """`x` divided by `y`, but 0 where `y` is 0.

    >>> print(ops.DivNoNan()(Tensor([1.0, 3.0]), Tensor([0.0, 2.0])))
    [0.  1.5]
    """

    def __call__(self, x: TensorLike, y: TensorLike) -> Tensor:
        out: Tensor = _div_no_nan(x, y)
        return out
