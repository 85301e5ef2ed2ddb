"""Shifts of the bits of integers: products with powers of two, and quotients by them."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core.aliases import TensorLike
from cellgrad.core.errors import error
from cellgrad.core.record import as_index, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import _generated as gen
from cellgrad.ops import gathering, selection
from cellgrad.ops._public import public
from cellgrad.ops.limits import clip


def _operands(input: Any, other: Any, op: str) -> tuple[Tensor, Tensor]:
    """Both as tensors of one integer dtype and shape."""
    input, other = ew._operands(input, other, op)
    zero = gen.mul(gen.bitwise_xor(input, input), other)
    if zero.dtype.kind not in "iu":
        raise error(
            TypeError,
            f"For '{op}', 'input' and 'other' must be integers, but got {zero.dtype.title}.",
        )
    return gen.add(zero, input), gen.add(zero, other)


def _power(other: Tensor) -> Tensor:
    """Two to the `other`, in its dtype: the power that sets a sign is the smallest number."""
    bits = other.dtype.itemsize * 8
    powers = (1 << np.arange(bits, dtype=np.uint64)).astype(f"uint{bits}").view(other.dtype.name)
    return gathering.gather(Tensor(powers), as_index(clip(other, 0, bits - 1)), 0)


@public("Tensor.bitwise_left_shift")
@operation
def bitwise_left_shift(input: TensorLike, other: TensorLike) -> Tensor:
    """The bits of `input` moved to the left by `other`; 0 where `other` is negative or has as many
    as the dtype.

    Raises:
        TypeError: an operand that is neither a Tensor of integers nor an int.
        ValueError: shapes that do not broadcast.

    >>> print(ops.bitwise_left_shift(Tensor([1024, 2]), Tensor([2, 1])))
    [4096    4]
    """
    x, by = _operands(input, other, "bitwise_left_shift")
    bits = x.dtype.itemsize * 8
    inside = gen.logical_and(gen.greater_equal(by, 0), gen.less(by, bits))
    return selection.where(inside, gen.mul(x, _power(by)), 0)


@public("Tensor.bitwise_right_shift")
@operation
def bitwise_right_shift(input: TensorLike, other: TensorLike) -> Tensor:
    """The bits of `input` moved to the right by `other`, with the sign of `input`; 0 where `other`
    is negative.

    Raises:
        TypeError: an operand that is neither a Tensor of integers nor an int.
        ValueError: shapes that do not broadcast.

    >>> print(ops.bitwise_right_shift(Tensor([1024, -3]), Tensor([2, 1])))
    [256  -2]
    """
    x, by = _operands(input, other, "bitwise_right_shift")
    # All bits but the sign.
    last = x.dtype.itemsize * 8 - (x.dtype.kind == "i")
    sign = selection.where(gen.less(x, 0), -1, 0).astype(x.dtype)
    inside = selection.where(gen.less(by, last), gen.floor_div(x, _power(by)), sign)
    return selection.where(gen.greater_equal(by, 0), inside, 0)


@public()
class LeftShift(ew.Primitive):
    """Bits moved to the left: the class form of `bitwise_left_shift`.

    >>> print(ops.LeftShift()(Tensor([1, 2]), Tensor([3, 1])))
    [8 4]
    """

    def __call__(self, x1: Tensor, x2: Tensor) -> Tensor:
        return bitwise_left_shift(x1, x2)


@public()
class RightShift(ew.Primitive):
    """Bits moved to the right: the class form of `bitwise_right_shift`.

    >>> print(ops.RightShift()(Tensor([8, -3]), Tensor([3, 1])))
    [ 1 -2]
    """

    def __call__(self, input_x: Tensor, input_y: Tensor) -> Tensor:
        return bitwise_right_shift(input_x, input_y)
