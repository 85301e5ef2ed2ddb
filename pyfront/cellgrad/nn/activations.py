"""Activations as Cells; each is the function of `ops` it names."""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "FastGelu",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "ReLU6",
    "SeLU",
    "SiLU",
    "SoftShrink",
    "Softmin",
    "Softsign",
    "Tanhshrink",
    "Threshold",
]


class CELU(Cell):
    """See `ops.celu`.

    >>> print(nn.CELU()(Tensor([-1.0, 0.0, 2.0])))
    [-0.63212055  0.          2.        ]
    """

    def __init__(self, alpha: float = 1.0):
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Tensor) -> Tensor:
        return ops.celu(x, self.alpha)


class ELU(Cell):
    """See `ops.elu`.

    >>> print(nn.ELU()(Tensor([-1.0, 0.0, 2.0])))
    [-0.63212055  0.          2.        ]
    """

    def __init__(self, alpha: float = 1.0):
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Tensor) -> Tensor:
        return ops.elu(x, self.alpha)


class GELU(Cell):
    """See `ops.gelu`; by default with the approximation by tanh.

    >>> print(nn.GELU()(Tensor([-1.0, 0.0, 2.0])))
    [-0.158808   0.         1.9545978]
    """

    def __init__(self, approximate: bool = True):
        super().__init__()
        if not isinstance(approximate, bool):
            raise error(
                TypeError,
                f"For 'GELU', 'approximate' must be bool, but got {type(approximate).__name__}.",
            )
        self.approximate = approximate

    def construct(self, x: Tensor) -> Tensor:
        return ops.gelu(x, "tanh" if self.approximate else "none")


class FastGelu(Cell):
    """See `ops.fast_gelu`.

    >>> print(nn.FastGelu()(Tensor([-1.0, 0.0, 2.0])))
    [-0.15420423  0.          1.9356586 ]
    """

    def construct(self, x: Tensor) -> Tensor:
        return ops.fast_gelu(x)


class GLU(Cell):
    """See `ops.glu`.

    >>> print(nn.GLU()(Tensor([[1.0, 2.0, 0.0, 0.0]])))
    [[0.5 1. ]]
    """

    def __init__(self, axis: int = -1):
        super().__init__()
        self.axis = axis

    def construct(self, x: Tensor) -> Tensor:
        return ops.glu(x, self.axis)


class HShrink(Cell):
    """See `ops.hardshrink`.

    >>> print(nn.HShrink()(Tensor([-1.0, 0.0, 2.0])))
    [-1.  0.  2.]
    """

    def __init__(self, lambd: float = 0.5):
        super().__init__()
        self.lambd = lambd

    def construct(self, input_x: Tensor) -> Tensor:
        return ops.hardshrink(input_x, self.lambd)


class SoftShrink(Cell):
    """See `ops.softshrink`.

    >>> print(nn.SoftShrink()(Tensor([-1.0, 0.0, 2.0])))
    [-0.5  0.   1.5]
    """

    def __init__(self, lambd: float = 0.5):
        super().__init__()
        self.lambd = lambd

    def construct(self, input_x: Tensor) -> Tensor:
        return ops.softshrink(input_x, self.lambd)


class HSigmoid(Cell):
    """See `ops.hardsigmoid`.

    >>> print(nn.HSigmoid()(Tensor([-1.0, 0.0, 2.0])))
    [0.3333333 0.5       0.8333334]
    """

    def construct(self, input_x: Tensor) -> Tensor:
        return ops.hardsigmoid(input_x)


class HSwish(Cell):
    """See `ops.hardswish`.

    >>> print(nn.HSwish()(Tensor([-1.0, 0.0, 2.0])))
    [-0.33333334  0.          1.6666666 ]
    """

    def construct(self, x: Tensor) -> Tensor:
        return ops.hardswish(x)


class Hardtanh(Cell):
    """See `ops.hardtanh`.

    Raises:
        ValueError: `min_val` is not less than `max_val`.

    >>> print(nn.Hardtanh()(Tensor([-1.0, 0.0, 2.0])))
    [-1.  0.  1.]
    """

    def __init__(self, min_val: Any = -1.0, max_val: Any = 1.0):
        super().__init__()
        if not min_val < max_val:
            raise error(
                ValueError,
                f"For 'Hardtanh', the 'min_val' must be less than the 'max_val', but got {min_val} "
                f"and {max_val}.",
            )
        self.min_val, self.max_val = min_val, max_val

    def construct(self, x: Tensor) -> Tensor:
        return ops.hardtanh(x, self.min_val, self.max_val)


class LeakyReLU(Cell):
    """See `ops.leaky_relu`.

    >>> print(nn.LeakyReLU()(Tensor([-1.0, 0.0, 2.0])))
    [-0.2  0.   2. ]
    """

    def __init__(self, alpha: float = 0.2):
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Tensor) -> Tensor:
        return ops.leaky_relu(x, self.alpha)


class LogSigmoid(Cell):
    """See `ops.logsigmoid`.

    >>> print(nn.LogSigmoid()(Tensor([-1.0, 0.0, 2.0])))
    [-1.3132617 -0.6931472 -0.126928 ]
    """

    def construct(self, input_x: Tensor) -> Tensor:
        return ops.logsigmoid(input_x)


class LogSoftmax(Cell):
    """See `ops.log_softmax`.

    >>> print(nn.LogSoftmax()(Tensor([[0.0, 0.0]])))
    [[-0.6931472 -0.6931472]]
    """

    def __init__(self, axis: int = -1):
        super().__init__()
        self.axis = axis

    def construct(self, x: Tensor) -> Tensor:
        return ops.log_softmax(x, self.axis)


class Softmin(Cell):
    """See `ops.softmin`.

    >>> print(nn.Softmin()(Tensor([0.0, 0.0])))
    [0.5 0.5]
    """

    def __init__(self, axis: int = -1):
        super().__init__()
        self.axis = axis

    def construct(self, x: Tensor) -> Tensor:
        return ops.softmin(x, self.axis)


class Mish(Cell):
    """See `ops.mish`.

    >>> print(nn.Mish()(Tensor([-1.0, 0.0, 2.0])))
    [-0.30340147  0.          1.943959  ]
    """

    def construct(self, input_x: Tensor) -> Tensor:
        return ops.mish(input_x)


class PReLU(Cell):
    """See `ops.prelu`: the slopes are a Parameter.

    Args:
        channel: the number of slopes, 1 or the length of dimension 1 of the input.
        w: the slopes to begin with: a number for all, or a Tensor or list of one a channel.

    Raises:
        TypeError: `channel` is not an int.
        ValueError: `channel` is not positive, or `w` has another length.

    >>> print(nn.PReLU()(Tensor([-1.0, 0.0, 2.0])))
    [-0.25  0.    2.  ]
    """

    def __init__(self, channel: int = 1, w: Any = 0.25):
        super().__init__()
        if isinstance(channel, bool) or not isinstance(channel, int):
            raise error(
                TypeError,
                f"For 'PReLU', 'channel' must be an int, but got {type(channel).__name__}.",
            )
        if channel <= 0:
            raise error(ValueError, f"For 'PReLU', 'channel' must be positive, but got {channel}.")
        slopes = [w] * channel if isinstance(w, int | float) else w
        start = Tensor(slopes, mstype.float32)
        if start.shape != (channel,):
            raise error(
                ValueError,
                f"For 'PReLU', 'w' must have shape ({channel},), but got {list(start.shape)}.",
            )
        self.w = Parameter(start, name="a")

    def construct(self, x: Tensor) -> Tensor:
        return ops.prelu(x, self.w)


class ReLU6(Cell):
    """See `ops.relu6`.

    >>> print(nn.ReLU6()(Tensor([-1.0, 0.0, 2.0])))
    [0. 0. 2.]
    """

    def construct(self, x: Tensor) -> Tensor:
        return ops.relu6(x)


class SeLU(Cell):
    """See `ops.selu`.

    >>> print(nn.SeLU()(Tensor([-1.0, 0.0, 2.0])))
    [-1.1113307  0.         2.101402 ]
    """

    def construct(self, input_x: Tensor) -> Tensor:
        return ops.selu(input_x)


class SiLU(Cell):
    """See `ops.silu`.

    >>> print(nn.SiLU()(Tensor([-1.0, 0.0, 2.0])))
    [-0.26894143  0.          1.761594  ]
    """

    def construct(self, x: Tensor) -> Tensor:
        return ops.silu(x)


class Softsign(Cell):
    """See `ops.softsign`.

    >>> print(nn.Softsign()(Tensor([-1.0, 0.0, 2.0])))
    [-0.5        0.         0.6666667]
    """

    def construct(self, x: Tensor) -> Tensor:
        return ops.softsign(x)


class Tanhshrink(Cell):
    """See `ops.tanhshrink`.

    >>> print(nn.Tanhshrink()(Tensor([-1.0, 0.0, 2.0])))
    [-0.23840582  0.          1.0359724 ]
    """

    def construct(self, x: Tensor) -> Tensor:
        return ops.tanhshrink(x)


class Threshold(Cell):
    """See `ops.threshold`.

    >>> print(nn.Threshold(0.1, 20.0)(Tensor([-1.0, 0.0, 2.0])))
    [20. 20.  2.]
    """

    def __init__(self, threshold: Any, value: Any):
        super().__init__()
        self.threshold, self.value = threshold, value

    def construct(self, input_x: Tensor) -> Tensor:
        return ops.threshold(input_x, self.threshold, self.value)


ACTIVATIONS: dict[str, type[Cell]] = {
    "elu": ELU,
    "fast_gelu": FastGelu,
    "gelu": GELU,
    "hardtanh": Hardtanh,
    "hshrink": HShrink,
    "hsigmoid": HSigmoid,
    "hswish": HSwish,
    "leakyrelu": LeakyReLU,
    "logsigmoid": LogSigmoid,
    "logsoftmax": LogSoftmax,
    "mish": Mish,
    "prelu": PReLU,
    "relu6": ReLU6,
    "silu": SiLU,
    "softmin": Softmin,
    "softshrink": SoftShrink,
    "softsign": Softsign,
    "tanhshrink": Tanhshrink,
}
