"""Activations: compositions that neither overflow nor lose accuracy, at any order of derivative.

Choices between pieces are made on the arguments as well as on the results, so that the piece not
taken never sees a value it overflows on.
"""

from __future__ import annotations

import math
from typing import Any

from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import check_bool, check_number, check_one_of
from cellgrad.core.errors import error
from cellgrad.core.number import real
from cellgrad.core.record import (
    axis_of,
    cast_to,
    check_float,
    check_tensor,
    emit,
    operation,
    reshape_to,
    widened,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import _generated as gen
from cellgrad.ops._public import public
from cellgrad.ops.selection import select

_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def _number(value: Any, op: str, name: str) -> float:
    return real(check_number(value, op, name))


def _width(lambd: Any, x: Tensor, op: str) -> Any:
    """A number, a bool as one, or a Tensor without dimensions, as ``float(y)`` is while compiling."""
    if isinstance(lambd, Tensor) and lambd.ndim == 0:
        return cast_to(lambd, x.dtype)
    return float(lambd) if isinstance(lambd, bool) else _number(lambd, op, "lambd")


@public(
    "ops.ReLU6",
    "nn.ReLU6",
    "mint.nn.ReLU6(inplace=False)(input) = F.relu6(input, inplace=inplace)",
    "mint.nn.functional.relu6(input, inplace=False) = h.into(input, ops.relu6(input), inplace)",
)
@operation
def relu6(x: Tensor) -> Tensor:
    """min(max(x, 0), 6); the derivative is 0 at 0 and 1 at 6.

    >>> print(ops.relu6(Tensor([-1.0, 3.0, 8.0])))
    [0. 3. 6.]

    >>> print(mint.nn.ReLU6()(Tensor([-1.0, 0.0, 2.0])))
    [0. 0. 2.]
    """
    positive = gen.relu(check_float(x, "relu6", "x"))
    return select(gen.greater(positive, 6.0), 6.0, positive)


@public(
    "nn.LeakyReLU(alpha)(x)",
    "mint.nn.functional.leaky_relu(input, negative_slope=0.01)",
)
@operation
def leaky_relu(input: Tensor, alpha: float = 0.2) -> Tensor:
    """`input` where it is positive, ``alpha * input`` elsewhere; the derivative at 0 is the mean of
    both slopes.

    Raises:
        TypeError: `input` is not a Tensor, or `alpha` is not a number.

    >>> print(ops.leaky_relu(Tensor([-1.0, 0.0, 2.0]), alpha=0.25))
    [-0.25  0.    2.  ]
    """
    x = check_float(input, "leaky_relu", "input")
    slope = _number(alpha, "leaky_relu", "alpha")
    # Not the extremum of both lines: they are equal where x is infinite, too.
    below = select(gen.less(x, 0.0), x * slope, x * ((1.0 + slope) / 2))
    return select(gen.greater(x, 0.0), x, below)


def _exponential_unit(x: Tensor, alpha: float, beta: float) -> Tensor:
    """x where it is not negative, alpha (exp(x / beta) - 1) elsewhere."""
    linear = gen.greater_equal(x, 0.0)
    negative = select(linear, 0.0, x)
    curve = gen.expm1(negative if beta == 1 else negative / beta)
    return select(linear, x, curve if alpha == 1 else curve * alpha)


@public(
    "ops.Elu(alpha)(input_x)",
    "nn.ELU(alpha)(x)",
    "mint.nn.ELU(alpha, inplace=False)(input) = F.elu(input, alpha=alpha, inplace=inplace)",
    "mint.nn.functional.elu(input, alpha, inplace=False) = "
    "h.into(input, h.elu(input, alpha), inplace)",
    "mint.nn.functional.elu_(input, alpha) = h.into(input, h.elu(input, alpha))",
)
@operation
def elu(input_x: Tensor, alpha: float = 1.0) -> Tensor:
    """`input_x` where it is not negative, ``alpha * (exp(input_x) - 1)`` elsewhere; the derivative
    at 0 is 1.

    Raises:
        TypeError: `input_x` is not a Tensor, or `alpha` is not a number.

    >>> print(ops.elu(Tensor([-1.0, 0.0, 2.0])))
    [-0.63212055  0.          2.        ]

    >>> print(mint.nn.ELU()(Tensor([-1.0, 0.0, 2.0])))
    [-0.63212055  0.          2.        ]

    >>> print(mint.nn.functional.elu(Tensor([-1.0, 0.0, 2.0])))
    [-0.63212055  0.          2.        ]

    >>> x = Tensor([-1.0, 0.0, 2.0])
    >>> _ = mint.nn.functional.elu_(x)
    >>> print(x)
    [-0.63212055  0.          2.        ]
    """
    x = check_float(input_x, "elu", "input_x")
    return _exponential_unit(x, _number(alpha, "elu", "alpha"), 1.0)


@public(
    "ops.SeLU",
    "nn.SeLU",
    "mint.nn.SELU()(input)",
    "mint.nn.functional.selu(input)",
)
@operation
def selu(input_x: Tensor) -> Tensor:
    """The scaled exponential linear unit, ``scale * elu(x, alpha)`` with its two constants; the
    derivative at 0 is the scale.

    >>> print(ops.selu(Tensor([-1.0, 0.0, 2.0])))
    [-1.1113307  0.         2.101402 ]
    """
    x = check_float(input_x, "selu", "input_x")
    return _exponential_unit(x, _SELU_ALPHA, 1.0) * _SELU_SCALE


@public(
    "ops.CeLU(alpha)(x)",
    "nn.CELU(alpha)(x)",
)
@operation
def celu(x: Tensor, alpha: float = 1.0) -> Tensor:
    """``max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)``; the derivative at 0 is 1.

    Raises:
        TypeError: `x` is not a Tensor, or `alpha` is not a number.
        ValueError: `alpha` is 0.

    >>> print(ops.celu(Tensor([-1.0, 0.0, 2.0]), alpha=2.0))
    [-0.78693867  0.          2.        ]
    """
    scale = _number(alpha, "celu", "alpha")
    if scale == 0:
        raise error(ValueError, "For 'celu', 'alpha' must not be 0.")
    return _exponential_unit(check_float(x, "celu", "x"), scale, scale)


@public(
    "ops.GeLU(x) = ops.gelu(x, 'tanh')",
    "mint.nn.GELU(approximate)(input)",
    "mint.nn.functional.gelu(input, *, approximate)",
)
@operation
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """``x P(X <= x)`` for a standard normal X.

    Args:
        input: a Tensor.
        approximate: "none" for the error function, "tanh" for
            ``0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))``.

    Raises:
        TypeError: `input` is not a Tensor.
        ValueError: another `approximate`.

    >>> print(ops.gelu(Tensor([0.0])))
    [0.]
    """
    x = check_float(input, "gelu", "input")
    check_one_of(approximate, "gelu", "approximate", ("none", "tanh"))
    # Beyond 100 both forms are 0 or x in every format, and powers of x may overflow.
    low = gen.maximum(x, -100.0)
    near = gen.minimum(low, 100.0)
    if approximate == "none":
        # erfc, not 1 + erf, which cancels for negative x.
        return low * (gen.erfc(near * -math.sqrt(0.5)) * 0.5)
    inner = near * (gen.square(near) * 0.044715 + 1.0)
    return low * gen.sigmoid(inner * math.sqrt(8 / math.pi))


@public(
    "ops.FastGeLU",
    "nn.FastGelu",
)
@operation
def fast_gelu(x: Tensor) -> Tensor:
    """``x * sigmoid(1.702 x)``.

    >>> print(ops.fast_gelu(Tensor([-1.0, 0.0, 2.0])))
    [-0.15420423  0.          1.9356586 ]
    """
    x = check_float(x, "fast_gelu", "x")
    # Beyond 1000 the sigmoid is 0 or 1 in every format; the product would overflow.
    near = gen.minimum(gen.maximum(x, -1000.0), 1000.0)
    return x * gen.sigmoid(near * 1.702)


@public(
    "nn.SiLU(x)",
    "mint.nn.SiLU(inplace=False)(x) = F.silu(x, inplace=inplace)",
    "mint.nn.functional.silu(input, inplace=False) = h.into(input, ops.silu(input), inplace)",
)
@operation
def silu(input: Tensor) -> Tensor:
    """``x * sigmoid(x)``.

    >>> print(ops.silu(Tensor([-1.0, 0.0, 2.0])))
    [-0.26894143  0.          1.761594  ]

    >>> print(mint.nn.SiLU()(Tensor([-1.0, 0.0, 2.0])))
    [-0.26894143  0.          1.761594  ]
    """
    x = check_float(input, "silu", "input")
    return x * gen.sigmoid(x)


@public(
    "ops.Softplus(x)",
    "mint.nn.functional.softplus",
)
@operation
def softplus(input: Tensor, beta: TensorLike = 1, threshold: TensorLike = 20) -> Tensor:
    """``log(1 + exp(beta * x)) / beta``, and x itself where ``beta * x`` is above `threshold`.

    Raises:
        TypeError: `input` is not a Tensor, or a number argument is not a number.
        ValueError: `beta` is 0.

    >>> print(ops.softplus(Tensor([-1.0, 0.0, 30.0])))
    [ 0.3132617  0.6931472 30.       ]
    """
    x = check_float(input, "softplus", "input")
    scale, limit = _number(beta, "softplus", "beta"), _number(threshold, "softplus", "threshold")
    if scale == 0:
        raise error(ValueError, "For 'softplus', 'beta' must not be 0.")
    scaled = x if scale == 1 else x * scale
    curve = emit("cell.softplus", [scaled])
    return select(gen.greater(scaled, limit), x, curve if scale == 1 else curve / scale)


@public(
    "ops.Mish",
    "nn.Mish(input_x)",
    "mint.nn.Mish()(input)",
    "mint.nn.functional.mish(input)",
)
@operation
def mish(x: Tensor) -> Tensor:
    """``x * tanh(log(1 + exp(x)))``.

    >>> print(ops.mish(Tensor([-1.0, 0.0, 2.0])))
    [-0.30340147  0.          1.943959  ]
    """
    x = check_float(x, "mish", "x")
    wx = widened(x)
    # Beyond 100 the factor is 1 in every format, and its derivatives times x may overflow.
    return cast_to(wx * gen.tanh(emit("cell.softplus", [gen.minimum(wx, 100.0)])), x.dtype)


@public(
    "nn.LogSigmoid(input_x)",
    "mint.nn.LogSigmoid()(input)",
    "mint.nn.functional.logsigmoid(input)",
)
@operation
def logsigmoid(x: Tensor) -> Tensor:
    """The logarithm of ``sigmoid(x)``, without overflow: about x for very negative x.

    >>> print(ops.logsigmoid(Tensor([-100.0, 0.0, 1.0])))
    [-100.          -0.6931472   -0.3132617]
    """
    return -emit("cell.softplus", [-check_float(x, "logsigmoid", "x")])


@public(
    "ops.Softsign",
    "nn.Softsign",
)
@operation
def softsign(x: Tensor) -> Tensor:
    """``x / (1 + |x|)``.

    >>> print(ops.softsign(Tensor([-1.0, 0.0, 3.0])))
    [-0.5   0.    0.75]
    """
    x = check_float(x, "softsign", "x")
    return x / (gen.abs(x) + 1.0)


@public(
    "ops.HSigmoid",
    "nn.HSigmoid(input)",
    "mint.nn.Hardsigmoid()(input)",
    "mint.nn.functional.hardsigmoid",
)
@operation
def hardsigmoid(input: Tensor) -> Tensor:
    """``min(max((x + 3) / 6, 0), 1)``; the derivative is 0 at -3 and 3.

    >>> print(ops.hardsigmoid(Tensor([-4.0, 0.0, 1.5])))
    [0.   0.5  0.75]
    """
    x = check_float(input, "hardsigmoid", "input")
    line = cast_to((widened(x) + 3.0) / 6.0, x.dtype)
    upper = select(gen.greater_equal(x, 3.0), 1.0, line)
    return select(gen.less_equal(x, -3.0), 0.0, upper)


@public(
    "ops.HSwish",
    "nn.HSwish(input)",
    "mint.nn.Hardswish()(input)",
    "mint.nn.functional.hardswish",
)
@operation
def hardswish(input: Tensor) -> Tensor:
    """``x * min(max(x + 3, 0), 6) / 6``; the derivative is -1/2 at -3 and 3/2 at 3.

    >>> print(ops.hardswish(Tensor([-4.0, 1.0, 5.0])))
    [0.        0.6666667 5.       ]
    """
    x = check_float(input, "hardswish", "input")
    inside = x * (x + 3.0) / 6.0
    upper = select(gen.greater(x, 3.0), x, inside)
    return select(gen.less(x, -3.0), 0.0, upper)


@public(
    "mint.nn.Hardtanh(min_val, max_val, inplace=False)(input) = "
    "F.hardtanh(input, min_val=min_val, max_val=max_val, inplace=inplace)",
    "mint.nn.functional.hardtanh(input, min_val, max_val, inplace=False) = "
    "h.into(input, ops.hardtanh(input, min_val, max_val), inplace)",
    "mint.nn.functional.hardtanh_(input, min_val=-1, max_val=1)",
)
@operation
def hardtanh(input: Tensor, min_val: TensorLike = -1.0, max_val: TensorLike = 1.0) -> Tensor:
    """`input` limited to [min_val, max_val]; the derivative is one half at both.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> print(ops.hardtanh(Tensor([-3.0, 0.5, 2.0])))
    [-1.   0.5  1. ]

    >>> print(mint.nn.Hardtanh()(Tensor([-1.0, 0.0, 2.0])))
    [-1.  0.  1.]
    """
    x = check_float(input, "hardtanh", "input")
    return gen.minimum(gen.maximum(x, min_val), max_val)


@public(
    "ops.HShrink(lambd)(input_x)",
    "Tensor.hardshrink",
    "nn.HShrink(lambd)(input)",
    "mint.nn.Hardshrink(lambd)(input)",
    "mint.nn.functional.hardshrink",
)
@operation
def hardshrink(input: Tensor, lambd: TensorLike = 0.5) -> Tensor:
    """`input` where its magnitude is above `lambd`, 0 elsewhere.

    >>> print(ops.hardshrink(Tensor([-1.0, 0.25, 2.0])))
    [-1.  0.  2.]
    """
    x = check_float(input, "hardshrink", "input")
    width = _width(lambd, x, "hardshrink")
    return select(gen.less_equal(gen.abs(x), width), 0.0, x)


@public(
    "ops.SoftShrink(lambd)(input_x)",
    "ops.soft_shrink(input, lambd)",
    "Tensor.soft_shrink",
    "nn.SoftShrink(lambd)(input)",
    "mint.nn.Softshrink(lambd)(input)",
    "mint.nn.functional.softshrink",
)
@operation
def softshrink(input: Tensor, lambd: TensorLike = 0.5) -> Tensor:
    """`input` moved towards 0 by `lambd`, and 0 where its magnitude is not above it.

    >>> print(ops.softshrink(Tensor([-1.0, 0.25, 2.0])))
    [-0.5  0.   1.5]
    """
    x = check_float(input, "softshrink", "input")
    width = _width(lambd, x, "softshrink")
    return select(gen.less_equal(gen.abs(x), width), 0.0, x - gen.sign(x) * width)


@public("nn.Tanhshrink(x)")
@operation
def tanhshrink(input: Tensor) -> Tensor:
    """``x - tanh(x)``.

    >>> print(ops.tanhshrink(Tensor([-1.0, 0.0, 2.0])))
    [-0.23840582  0.          1.0359724 ]
    """
    x = check_float(input, "tanhshrink", "input")
    return x - gen.tanh(x)


@public(
    "nn.Threshold(threshold, value)(input_x)",
    "mint.nn.Threshold(threshold, value, inplace=False)(input) = "
    "F.threshold(input, threshold=threshold, value=value, inplace=inplace)",
    "mint.nn.functional.threshold(input, threshold, value, inplace=False) = "
    "h.into(input, ops.threshold(input, threshold, value), inplace)",
    "mint.nn.functional.threshold_(input, threshold, value)",
)
@operation
def threshold(input: Tensor, thr: TensorLike, value: TensorLike) -> Tensor:
    """`input` where it is above `thr`, `value` elsewhere.

    NaN stays.

    >>> print(ops.threshold(Tensor([0.5, 2.0, -1.0]), 1.0, -9.0))
    [-9.  2. -9.]

    >>> print(mint.nn.Threshold(0.1, 20.0)(Tensor([-1.0, 0.0, 2.0])))
    [20. 20.  2.]
    """
    x = check_float(input, "threshold", "input")
    low = gen.less_equal(x, _number(thr, "threshold", "thr"))
    return select(low, _number(value, "threshold", "value"), x)


@public(
    "ops.GLU(axis)(x)",
    "nn.GLU(axis)(x)",
    "mint.nn.GLU(dim=-1)(input)",
    "mint.nn.functional.glu(input, dim=-1)",
)
@operation
def glu(x: Tensor, axis: int = -1) -> Tensor:
    """The first half along `axis` times the sigmoid of the second.

    Raises:
        TypeError: `x` is not a Tensor.
        ValueError: `axis` is out of range, or its length is odd.

    >>> print(ops.glu(Tensor([[1.0, 2.0, 0.0, 0.0]])))
    [[0.5 1. ]]
    """
    x = check_float(x, "glu", "x")
    dim = axis_of(axis, x.ndim, "glu")
    if x.ndim == 0 or x.shape[dim] % 2:
        raise error(
            ValueError,
            f"For 'glu', the length of dimension {axis} must be even, but got shape "
            f"{list(x.shape)}.",
        )
    half = x.shape[dim] // 2
    parts = []
    for start in (0, half):
        starts, limits = [0] * x.ndim, list(x.shape)
        starts[dim], limits[dim] = start, start + half
        attrs = {"starts": starts, "limits": limits, "strides": [1] * x.ndim}
        parts.append(emit("cell.slice", [x], attrs))
    return parts[0] * gen.sigmoid(parts[1])


@public(
    "ops.PReLU",
    "mint.nn.functional.prelu",
)
@operation
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """`input` where it is positive, ``weight * input`` elsewhere.

    Args:
        input: a Tensor; its dimension 1 is the channels, if it has one.
        weight: one slope for all, or one a channel.

    Returns:
        Tensor of the dtype of `input`.

    Raises:
        TypeError: an argument is not a Tensor.
        ValueError: a weight that is not of shape (1,) or (channels,).

    >>> print(ops.prelu(Tensor([[-1.0, 2.0], [3.0, -4.0]]), Tensor([0.5, 0.25])))
    [[-0.5  2. ]
     [ 3.  -1. ]]
    """
    x, w = check_float(input, "prelu", "input"), check_float(weight, "prelu", "weight")
    channels = x.shape[1] if x.ndim > 1 else 1
    if w.ndim > 1 or w.size not in (1, channels):
        raise error(
            ValueError,
            f"For 'prelu', 'weight' must have shape (1,) or ({channels},), but got "
            f"{list(w.shape)}.",
        )
    shape = (w.size,) + (1,) * (x.ndim - 2) if x.ndim > 1 else (1,) * x.ndim
    slopes = ew.binary("cell.mul", x, reshape_to(w, shape))
    return select(gen.greater(x, 0.0), x, cast_to(slopes, x.dtype))


@public(
    "ops.ReLU(input)",
    "nn.ReLU(input)",
    "mint.nn.ReLU()(input)",
    "mint.nn.functional.relu",
    "mint.nn.functional.relu_(input)",
)
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """``max(input, 0)``; NaN for NaN, and derivative 0 at 0. With `inplace` the input takes the result.

    Raises:
        TypeError: `input` is not a Tensor or number, or `inplace` not a bool.

    >>> print(ops.relu(Tensor([-1.0, 0.0, 2.0])))
    [0. 0. 2.]
    """
    check_bool(inplace, "relu", "inplace")
    out = gen.relu(input)
    return check_tensor(input, "relu", "input").copy_(out) if inplace else out
