"""Dropout layers, active in training mode."""

from __future__ import annotations

from cellgrad import ops
from cellgrad.core.arguments import check_number
from cellgrad.core.dtype import Type
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell

__all__ = ["Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "RReLU"]


class Dropout(Cell):
    """Sets elements to zero with probability `p` in training mode; see `ops.dropout`.

    Args:
        keep_prob: the probability that an element stays; used where `p` is None.
        p: the probability of a zero, in [0, 1).
        dtype: has no effect.

    Raises:
        TypeError: arguments that are not numbers.
        ValueError: `keep_prob` outside (0, 1], or `p` outside [0, 1).

    >>> print(nn.Dropout(p=0.5).set_train(False)(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    def __init__(self, keep_prob: float = 0.5, p: float | None = None, dtype: Type | None = None):
        super().__init__()
        self.keep_prob = check_number(keep_prob, self.cls_name, "keep_prob")
        self.p = None if p is None else check_number(p, self.cls_name, "p", at_least=0, below=1)
        if p is None:
            check_number(keep_prob, self.cls_name, "keep_prob", above=0, at_most=1)

    def construct(self, x: Tensor) -> Tensor:
        rate = 1 - self.keep_prob if self.p is None else self.p
        out: Tensor = ops.dropout(x, rate, self.training)
        return out

    def extend_repr(self) -> str:
        return f"keep_prob={self.keep_prob}" if self.p is None else f"p={self.p}"


class _DropoutOfChannels(Cell):
    def __init__(self, p: float = 0.5):
        super().__init__()
        self.p = check_number(p, self.cls_name, "p", at_least=0, at_most=1)

    def extend_repr(self) -> str:
        return f"p={self.p}"


class Dropout1d(_DropoutOfChannels):
    """Sets channels of (N, C, L) or (C, L) to zero in training mode; see `ops.dropout1d`.

    >>> layer = nn.Dropout1d(p=0.5).set_train(False)
    >>> print(layer(ops.ones((1, 2, 3))).sum())
    6.0
    """

    def construct(self, x: Tensor) -> Tensor:
        out: Tensor = ops.dropout1d(x, self.p, self.training)
        return out


class Dropout2d(_DropoutOfChannels):
    """Sets channels of (N, C, H, W) to zero in training mode; see `ops.dropout2d`.

    >>> layer = nn.Dropout2d(p=0.5).set_train(False)
    >>> print(layer(ops.ones((1, 2, 3, 3))).sum())
    18.0
    """

    def construct(self, x: Tensor) -> Tensor:
        out: Tensor = ops.dropout2d(x, self.p, self.training)
        return out


class Dropout3d(_DropoutOfChannels):
    """Sets channels of (N, C, D, H, W) to zero in training mode; see `ops.dropout3d`.

    >>> layer = nn.Dropout3d(p=0.5).set_train(False)
    >>> print(layer(ops.ones((1, 2, 3, 3, 3))).sum())
    54.0
    """

    def construct(self, x: Tensor) -> Tensor:
        out: Tensor = ops.dropout3d(x, self.p, self.training)
        return out


class RReLU(Cell):
    """`ops.rrelu` with random slopes in [lower, upper).

    Raises:
        TypeError: a bound that is no number.
        ValueError: `upper` is less than `lower`.

    >>> print(nn.RReLU(0.25, 0.25)(Tensor([-1.0, 0.0, 2.0])))
    [-0.25  0.    2.  ]
    """

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3):
        super().__init__()
        self.lower = check_number(lower, self.cls_name, "lower")
        self.upper = check_number(upper, self.cls_name, "upper", at_least=lower)

    def construct(self, x: Tensor) -> Tensor:
        out: Tensor = ops.rrelu(x, self.lower, self.upper)
        return out

    def extend_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}"
