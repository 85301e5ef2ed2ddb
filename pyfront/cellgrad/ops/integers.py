"""Functions of whole numbers: divisors, multiples and bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import check_dtype
from cellgrad.core.record import check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import _generated as gen
from cellgrad.ops._index import is_known
from cellgrad.ops._public import public
from cellgrad.ops.rounding import fmod, truncate_div
from cellgrad.ops.selection import cast, select

# Euclid's algorithm on numbers below 2**63 takes at most 91 steps, below 2**31 at most 45.
_STEPS = {1: 12, 2: 23, 4: 45, 8: 91}


def _whole(op: str, a: Any, b: Any) -> tuple[Tensor, Tensor]:
    x, y = ew._operands(a, b, op)
    target = mstype.promote(x.dtype, y.dtype)
    for value, name in ((x, "input"), (y, "other")):
        check_dtype(value, op, name, "iu" if target.kind == "b" else "biu")
    return cast(x, target), cast(y, target)


@operation
def _divisor(x: Tensor, y: Tensor) -> Tensor:
    a, b = gen.abs(x) + gen.mul(y, 0), gen.abs(y) + gen.mul(x, 0)
    for _ in range(_STEPS[a.dtype.itemsize]):
        done = gen.equal(b, 0)
        rest = fmod(a, select(done, 1, b))
        a, b = select(done, a, b), select(done, b, rest)
    return a


@public("ops.Gcd", "Tensor.gcd", "mint.gcd")
def gcd(input: Tensor, other: Tensor) -> Tensor:
    """Greatest common divisors of integers; a bool beside integers is 0 or 1.

    Raises:
        TypeError: operands that are not integers, or both bools.
        ValueError: shapes that do not broadcast.

    >>> print(ops.gcd(Tensor([4, 6]), Tensor([6, -9])))
    [2 3]
    """
    out: Tensor = _divisor(*_whole("gcd", input, other))
    return out


@operation
def _multiple(x: Tensor, y: Tensor) -> Tensor:
    common: Tensor = _divisor(x, y)
    zero = gen.equal(common, 0)
    return gen.abs(truncate_div(x, select(zero, 1, common)) * y)


@public("ops.Lcm", "Tensor.lcm", "mint.lcm")
def lcm(input: Tensor, other: Tensor) -> Tensor:
    """Least common multiples of integers; a bool beside integers is 0 or 1.

    Raises:
        TypeError: operands that are not integers, or both bools.
        ValueError: shapes that do not broadcast.

    >>> print(ops.lcm(Tensor([4, 6]), Tensor([6, 9])))
    [12 18]
    """
    out: Tensor = _multiple(*_whole("lcm", input, other))
    return out


@public("ops.PopulationCount")
def population_count(input_x: Tensor) -> Tensor:
    """The number of bits that are 1: uint8.

    Raises:
        TypeError: a tensor that is not of integers.

    >>> print(ops.population_count(Tensor([0, 1, 7], ms.int16)))
    [0 1 3]
    """
    x = check_tensor(input_x, "population_count", "input_x")
    check_dtype(x, "population_count", "input_x", "iu")
    if is_known(x):
        bits = np.unpackbits(
            np.ascontiguousarray(x._concrete("population_count"))
            .view(np.uint8)
            .reshape(*x.shape, x.dtype.itemsize),
            axis=-1,
        )
        return Tensor(bits.sum(-1, dtype=np.uint8))
    out: Tensor = _bits(x)
    return out


@operation
def _bits(x: Tensor) -> Tensor:
    wide = cast(x, mstype.int64)
    count: Any = gen.mul(wide, 0)
    for _ in range(8 * x.dtype.itemsize):
        half = gen.floor_div(wide, 2)  # keeps the sign, so that bits of negative numbers come last
        count = count + (wide - half * 2)
        wide = half
    return cast(count, mstype.uint8)
