"""Class forms of activations and of pointwise functions: ``ops.Elu(alpha=1.0)(x)``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from cellgrad.core.record import operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import activations, exponentials, pointwise
from cellgrad.ops._elementwise import Primitive, class_examples
from cellgrad.ops.selection import div, select

__all__ = [
    "Addcdiv",
    "Addcmul",
    "CeLU",
    "DivNoNan",
    "Elu",
    "FastGeLU",
    "GeLU",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "Heaviside",
    "Hypot",
    "Inv",
    "Lerp",
    "LogSoftmax",
    "Mish",
    "MulNoNan",
    "NanToNum",
    "PReLU",
    "ReLU6",
    "SeLU",
    "Sinc",
    "SoftShrink",
    "Softplus",
    "Softsign",
    "Xdivy",
    "Xlogy",
]


def class_of(name: str, function: Callable[..., Any]) -> type[Primitive]:
    """The class form of a function without attributes."""

    def call(self: Primitive, *args: Any) -> Tensor:
        out: Tensor = function(*args)
        return out

    doc = f"The class form of `{function.__name__}`.{class_examples(function, name)}"
    module = sys._getframe(1).f_globals["__name__"]  # where it is assigned
    return type(name, (Primitive,), {"__call__": call, "__doc__": doc, "__module__": module})


Addcdiv = class_of("Addcdiv", pointwise.addcdiv)
Addcmul = class_of("Addcmul", pointwise.addcmul)
FastGeLU = class_of("FastGeLU", activations.fast_gelu)
HSigmoid = class_of("HSigmoid", activations.hardsigmoid)
HSwish = class_of("HSwish", activations.hardswish)
Heaviside = class_of("Heaviside", pointwise.heaviside)
Hypot = class_of("Hypot", pointwise.hypot)
Inv = class_of("Inv", pointwise.inv)
Lerp = class_of("Lerp", pointwise.lerp)
Mish = class_of("Mish", activations.mish)
PReLU = class_of("PReLU", activations.prelu)
ReLU6 = class_of("ReLU6", activations.relu6)
SeLU = class_of("SeLU", activations.selu)
Sinc = class_of("Sinc", pointwise.sinc)
Softsign = class_of("Softsign", activations.softsign)
Xdivy = class_of("Xdivy", pointwise.xdivy)
Xlogy = class_of("Xlogy", pointwise.xlogy)


class Elu(Primitive):
    """The class form of `elu`.

    >>> print(ops.Elu()(Tensor([-1.0, 0.0, 2.0])))
    [-0.63212055  0.          2.        ]
    """

    def __init__(self, alpha: float = 1.0):
        super().__init__()
        self.alpha = alpha

    def __call__(self, input_x: Tensor) -> Tensor:
        out: Tensor = activations.elu(input_x, self.alpha)
        return out


class CeLU(Elu):
    """The class form of `celu`.

    >>> print(ops.CeLU(alpha=2.0)(Tensor([-1.0, 0.0, 2.0])))
    [-0.78693867  0.          2.        ]
    """

    def __call__(self, x: Tensor) -> Tensor:
        out: Tensor = activations.celu(x, self.alpha)
        return out


class GeLU(Primitive):
    """The class form of `gelu` with the approximation by tanh.

    >>> print(ops.GeLU()(Tensor([-1.0, 0.0, 2.0])))
    [-0.158808   0.         1.9545978]
    """

    def __call__(self, x: Tensor) -> Tensor:
        out: Tensor = activations.gelu(x, "tanh")
        return out


class Softplus(Primitive):
    """The class form of `softplus` with its default arguments.

    >>> print(ops.Softplus()(Tensor([0.0, 30.0])))
    [ 0.6931472 30.       ]
    """

    def __call__(self, x: Tensor) -> Tensor:
        out: Tensor = activations.softplus(x)
        return out


class HShrink(Primitive):
    """The class form of `hardshrink`.

    >>> print(ops.HShrink()(Tensor([-1.0, 0.25, 2.0])))
    [-1.  0.  2.]
    """

    def __init__(self, lambd: float = 0.5):
        super().__init__()
        self.lambd = lambd

    def __call__(self, input_x: Tensor) -> Tensor:
        out: Tensor = activations.hardshrink(input_x, self.lambd)
        return out


class SoftShrink(HShrink):
    """The class form of `softshrink`.

    >>> print(ops.SoftShrink()(Tensor([-1.0, 0.25, 2.0])))
    [-0.5  0.   1.5]
    """

    def __call__(self, input_x: Tensor) -> Tensor:
        out: Tensor = activations.softshrink(input_x, self.lambd)
        return out


class LogSoftmax(Primitive):
    """The class form of `log_softmax`.

    >>> print(ops.LogSoftmax()(Tensor([0.0, 0.0])))
    [-0.6931472 -0.6931472]
    """

    def __init__(self, axis: int = -1):
        super().__init__()
        self.axis = axis

    def __call__(self, logits: Tensor) -> Tensor:
        out: Tensor = exponentials.log_softmax(logits, self.axis)
        return out


class NanToNum(Primitive):
    """The class form of `nan_to_num`.

    >>> print(ops.NanToNum(nan=0.0, posinf=9.0)(Tensor([float("nan"), float("inf"), 1.0])))
    [0. 9. 1.]
    """

    def __init__(self, nan: Any = None, posinf: Any = None, neginf: Any = None):
        super().__init__()
        self.numbers = nan, posinf, neginf

    def __call__(self, x: Tensor) -> Tensor:
        out: Tensor = pointwise.nan_to_num(x, *self.numbers)
        return out


@operation
def _mul_no_nan(x: Any, y: Any) -> Tensor:
    return select(gen.equal(y, 0), 0, gen.mul(x, y))


@operation
def _div_no_nan(x: Any, y: Any) -> Tensor:
    return select(gen.equal(y, 0), 0, div(x, y))


class MulNoNan(Primitive):
    """`x` times `y`, but 0 where `y` is 0, also for `x` infinite or NaN.

    >>> print(ops.MulNoNan()(Tensor([1.0, float("inf")]), Tensor([2.0, 0.0])))
    [2. 0.]
    """

    def __call__(self, x: Any, y: Any) -> Tensor:
        out: Tensor = _mul_no_nan(x, y)
        return out


class DivNoNan(Primitive):
    """`x` divided by `y`, but 0 where `y` is 0.

    >>> print(ops.DivNoNan()(Tensor([1.0, 3.0]), Tensor([0.0, 2.0])))
    [0.  1.5]
    """

    def __call__(self, x: Any, y: Any) -> Tensor:
        out: Tensor = _div_no_nan(x, y)
        return out
