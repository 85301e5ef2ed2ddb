"""Dropout: elements or channels set to zero at random, the others scaled up."""

from __future__ import annotations

from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import check_dtype, check_ndim, check_number
from cellgrad.core.number import real
from cellgrad.core.record import (
    broadcast_to_shape,
    cast_to,
    check_tensor,
    emit,
    operation,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import keys as random
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops.next_keys import Stream, next_key


def _rate(p: Any, op: str, one: bool) -> float:
    """The probability of a zero, less than 1 unless `one`."""
    if one:
        return real(check_number(p, op, "p", at_least=0, at_most=1))
    return real(check_number(p, op, "p", at_least=0, below=1))


def _masked(
    x: Tensor, mask_shape: tuple[int, ...], p: float, seed: Any, op: str
) -> tuple[Tensor, Tensor]:
    """The elements that stay, divided by their probability, and the mask as numbers. Integers are
    divided as floats."""
    computed = ew.as_float(x)
    keep = random.keep_mask(next_key(seed, op), mask_shape, 1 - p)
    mask = cast_to(keep, computed.dtype)
    scale = ew.binary("cell.mul", mask, 1 / (1 - p) if p < 1 else 0.0)
    out = emit("cell.mul", [computed, broadcast_to_shape(scale, x.shape)])
    return cast_to(out, x.dtype), mask


@public(
    "mint.nn.functional.dropout(input, p, training, inplace=False) = "
    "h.into(input, h.dropout(input, p, training), inplace)",
)
@operation
def dropout(
    input: Tensor, p: float = 0.5, training: bool = True, seed: int | None = None
) -> Tensor:
    """Sets each element to zero with probability `p` and divides the others by 1 - p.

    Other elements at each call; their derivatives use the same mask. The probability is exact to
    2^-24.

    Args:
        input: floating point, any shape.
        p: in [0, 1).
        training: the input is returned where it is False.
        seed: selects another stream of random numbers.

    Raises:
        TypeError: `input` is not a floating-point Tensor, or `p` not a number.
        ValueError: `p` is outside [0, 1).

    >>> print(ops.dropout(Tensor([1.0, 2.0]), p=0.5, training=False))
    [1. 2.]

    >>> print(mint.nn.functional.dropout(Tensor([1.0, 2.0]), p=1.0))
    [0. 0.]
    """
    x = check_tensor(input, "dropout", "input")
    rate = _rate(p, "dropout", False)
    check_dtype(x, "dropout", "input", "f")
    if not training or rate == 0:
        return x
    return _masked(x, x.shape, rate, seed, "dropout")[0]


def _channels(
    input: Any, p: Any, op: str, ranks: tuple[int, ...]
) -> tuple[Tensor, tuple[int, ...], float]:
    """The input, the shape of a mask of its channels, and the probability of a zero."""
    x = check_tensor(input, op, "input")
    rate = _rate(p, op, True)
    check_ndim(x, op, "input", *ranks)
    lead = x.ndim - (max(ranks) - 2)
    return x, x.shape[:lead] + (1,) * (x.ndim - lead), rate


def _drop_channels(input: Any, p: Any, training: bool, op: str, ranks: tuple[int, ...]) -> Tensor:
    x, mask_shape, rate = _channels(input, p, op, ranks)
    if not training or rate == 0:
        return x
    return _masked(x, mask_shape, rate, None, op)[0]


@public()
@operation
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Sets whole channels of (N, C, L) or (C, L) to zero with probability `p`; see `dropout`.

    Raises:
        TypeError, ValueError: as `dropout`, but `p` may be 1; another rank.

    >>> print(ops.dropout1d(ops.ones((1, 2, 3)), p=0.0))
    [[[1. 1. 1.]
      [1. 1. 1.]]]
    """
    return _drop_channels(input, p, training, "dropout1d", (2, 3))


@public(
    "mint.nn.functional.dropout2d(input, p, training, inplace=False) = "
    "h.into(input, ops.dropout2d(input, p, training), inplace)",
)
@operation
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Sets whole channels of (N, C, H, W) to zero with probability `p`; see `dropout`.

    Raises:
        TypeError, ValueError: as `dropout`, but `p` may be 1; another rank.

    >>> print(ops.dropout2d(ops.ones((1, 2, 3, 3))).shape)
    (1, 2, 3, 3)
    """
    return _drop_channels(input, p, training, "dropout2d", (4,))


@public()
@operation
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Sets whole channels of (N, C, D, H, W) to zero with probability `p`; see `dropout`.

    Raises:
        TypeError, ValueError: as `dropout`, but `p` may be 1; another rank.

    >>> print(ops.dropout3d(ops.ones((1, 2, 3, 3, 3))).shape)
    (1, 2, 3, 3, 3)
    """
    return _drop_channels(input, p, training, "dropout3d", (5,))


@operation
def _with_mask(x: Tensor, p: float, seed: Tensor | None) -> tuple[Tensor, Tensor]:
    x = check_tensor(x, "Dropout", "x")
    return _masked(x, x.shape, p, seed, "Dropout")


@operation
def _channels_with_mask(x: Tensor, p: float, op: str, rank: int) -> tuple[Tensor, Tensor]:
    x, mask_shape, rate = _channels(x, p, op, (rank,))
    out, mask = _masked(x, mask_shape, rate, None, op)
    return out, broadcast_to_shape(cast_to(mask, mstype.bool_), x.shape)


def _check_keep(keep_prob: Any, owner: str, zero: bool) -> float:
    if zero:
        return float(check_number(keep_prob, owner, "keep_prob", at_least=0, at_most=1))
    return float(check_number(keep_prob, owner, "keep_prob", above=0, at_most=1))


@public()
class Dropout(Primitive):
    """Dropout with the mask as second result, in the dtype of the input; see `dropout`.

    >>> output, mask = ops.Dropout(keep_prob=0.5)(ops.ones((2, 3)))
    >>> print(output.shape, mask.shape)
    (2, 3) (2, 3)
    """

    def __init__(self, keep_prob: float = 0.5, Seed0: int = 0, Seed1: int = 0):
        super().__init__()
        self.keep_prob = _check_keep(keep_prob, "Dropout", False)
        self._stream = Stream(Seed0, Seed1)

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        out: tuple[Tensor, Tensor] = _with_mask(x, 1 - self.keep_prob, self._stream.next())
        return out


@public()
class Dropout2D(Primitive):
    """`dropout2d` with the mask (bool) as second result.

    >>> output, mask = ops.Dropout2D(keep_prob=0.5)(ops.ones((1, 2, 3, 3)))
    >>> print(output.shape, mask.dtype)
    (1, 2, 3, 3) Bool
    """

    rank = 4

    def __init__(self, keep_prob: float = 0.5):
        super().__init__()
        self.keep_prob = _check_keep(keep_prob, self.name, True)

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        out: tuple[Tensor, Tensor] = _channels_with_mask(
            x, 1 - self.keep_prob, self.name, self.rank
        )
        return out


@public()
class Dropout3D(Dropout2D):
    """`dropout3d` with the mask (bool) as second result.

    >>> output, mask = ops.Dropout3D(keep_prob=0.5)(ops.ones((1, 2, 3, 3, 3)))
    >>> print(output.shape, mask.dtype)
    (1, 2, 3, 3, 3) Bool
    """

    rank = 5
