"""Activations as Cells; each is the function of `ops` it names."""

from __future__ import annotations

from collections.abc import Sequence

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import TensorLike
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.nn import _forms
from cellgrad.nn.cell import Cell

__all__ = ["GELU", "Hardtanh", "PReLU"]


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


class Hardtanh(Cell):
    """See `ops.hardtanh`.

    Raises:
        ValueError: `min_val` is not less than `max_val`.

    >>> print(nn.Hardtanh()(Tensor([-1.0, 0.0, 2.0])))
    [-1.  0.  1.]
    """

    def __init__(self, min_val: TensorLike = -1.0, max_val: TensorLike = 1.0):
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

    def __init__(self, channel: int = 1, w: TensorLike | Sequence[float] = 0.25):
        super().__init__()
        if isinstance(channel, bool) or not isinstance(channel, int):
            raise error(
                TypeError,
                f"For 'PReLU', 'channel' must be an int, but got {type(channel).__name__}.",
            )
        if channel <= 0:
            raise error(ValueError, f"For 'PReLU', 'channel' must be positive, but got {channel}.")
        slopes = [w] * channel if isinstance(w, int | float) else w
        start = Tensor(slopes, mstype.default_float())
        if start.shape != (channel,):
            raise error(
                ValueError,
                f"For 'PReLU', 'w' must have shape ({channel},), but got {list(start.shape)}.",
            )
        self.w = Parameter(start, name="a")

    def construct(self, x: Tensor) -> Tensor:
        return ops.prelu(x, self.w)


ACTIVATIONS: dict[str, type[Cell]] = {
    "elu": _forms.ELU,
    "fast_gelu": _forms.FastGelu,
    "gelu": GELU,
    "hardtanh": Hardtanh,
    "hshrink": _forms.HShrink,
    "hsigmoid": _forms.HSigmoid,
    "hswish": _forms.HSwish,
    "leakyrelu": _forms.LeakyReLU,
    "logsigmoid": _forms.LogSigmoid,
    "logsoftmax": _forms.LogSoftmax,
    "mish": _forms.Mish,
    "prelu": PReLU,
    "relu6": _forms.ReLU6,
    "silu": _forms.SiLU,
    "softmin": _forms.Softmin,
    "softshrink": _forms.SoftShrink,
    "softsign": _forms.Softsign,
    "tanhshrink": _forms.Tanhshrink,
}
