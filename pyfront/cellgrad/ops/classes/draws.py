"""MindSpore's older random operations: normal numbers within bounds, any integers, padded orders."""

from __future__ import annotations

import math
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_dtype,
    check_int,
    check_ndim,
    check_one_of,
    check_same_dtype,
)
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor, operation, shape_of
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import keys
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops._static import known_int, known_ints
from cellgrad.ops.classes.random import Seeded
from cellgrad.ops.next_keys import fixed_key, next_key
from cellgrad.ops.padding import pad
from cellgrad.ops.random import multinomial, randperm
from cellgrad.ops.selection import cast, select
from cellgrad.ops.shapes import reshape

_FAR, _LEAST = 37.0, 1e-300  # where the share of the numbers beyond is no float64


def _shape(value: Any, op: str) -> tuple[int, ...]:
    given = check_ndim(check_tensor(value, op, "shape"), op, "shape", 1)
    shape = shape_of(known_ints(given, op, "shape"), op)
    if not all(shape):
        raise argument_error(ValueError, op, "shape", "a Tensor of ints above 0", list(shape))
    return shape


def _below(x: Tensor) -> Tensor:
    """The share of standard normal numbers below x."""
    return gen.erfc(gen.mul(x, -math.sqrt(0.5))) * 0.5


def _quantile(share: Tensor) -> Tensor:
    """The number that a share of the standard normal ones are below: far out, by Newton's method on logarithms,
    since the inverse of erf is of differences to 1.
    """
    far = gen.less(share, 0.02)
    inner: Any = gen.erfinv(select(far, 0.5, share) * 2.0 - 1.0) * math.sqrt(2.0)
    log = gen.log(select(far, share, 0.01))
    twice: Any = log * -2.0
    x = gen.neg(gen.sqrt(twice - gen.log(twice * (2 * math.pi))))
    for _ in range(4):
        below = _below(x)
        ratio = below * gen.exp(gen.mul(x, x) * 0.5) * math.sqrt(2 * math.pi)
        x = x - (gen.log(below) - log) * ratio
    return select(far, x, inner)


@operation
def _within(seed: Any, low: Tensor, high: Tensor, shape: tuple[int, ...], op: str) -> Tensor:
    """Standard normal numbers between two bounds, float64.

    The inverse of the distribution takes them from the lower tail, where no digits are lost: bounds
    that are more above 0 than below are mirrored.
    """
    mirrored = gen.greater(low + high, 0.0)
    a, b = select(mirrored, gen.neg(high), low), select(mirrored, gen.neg(low), high)
    below, share = _below(a), _below(b) - _below(a)
    u = keys.unit_uniform(next_key(seed, op), shape, mstype.float64) * share + below
    found = _quantile(gen.maximum(u, _LEAST))
    inside = select(gen.less(b, -_FAR), b, gen.maximum(gen.minimum(found, b), a))
    return select(mirrored, gen.neg(inside), inside)


@public()
class TruncatedNormal(Seeded):
    """Normal numbers of mean 0 and deviation 1 that are within [-2, 2].

    Args:
        dtype: float16, float32 or float64.
        seed, seed2: seeds of its own, if one is not 0.

    Raises:
        TypeError: `shape` is no Tensor of integers.
        ValueError: another `dtype`, or lengths below 1.

    >>> x = ops.TruncatedNormal()(Tensor([100, 2]))
    >>> print(x.shape, bool((x.abs() <= 2).all()))
    (100, 2) True
    """

    def __init__(self, dtype: Type = mstype.float32, seed: int = 0, seed2: int = 0):
        super().__init__(seed, seed2)
        kinds = (mstype.float16, mstype.float32, mstype.float64)
        self.dtype = check_one_of(dtype, self.name, "dtype", kinds)

    def __call__(self, shape: Tensor) -> Tensor:
        low, high = (Tensor(v, mstype.float64) for v in (-2.0, 2.0))
        sizes = _shape(shape, self.name)
        return cast(_within(self._stream.next(), low, high, sizes, self.name), self.dtype)


@public()
class ParameterizedTruncatedNormal(Seeded):
    """Normal numbers within bounds. The parameters are numbers, or one for each element of the first
    dimension. Where both bounds are more than 37 deviations away, the number is the nearer bound.

    Inputs:
        shape: a Tensor of at least two ints.
        mean, stdevs, min, max: Tensors of one floating-point dtype.

    Raises:
        TypeError: no Tensors, or dtypes that differ.
        ValueError: other shapes, a deviation that is not above 0, or `min` that is not below `max`.

    >>> mean, one = Tensor([5.0]), Tensor([1.0])
    >>> draw = ops.ParameterizedTruncatedNormal()
    >>> x = draw(Tensor([100, 2]), mean, one, mean, mean + 1)
    >>> print(x.shape, bool(((x >= 5) & (x <= 6)).all()))
    (100, 2) True
    """

    def __call__(
        self, shape: Tensor, mean: Tensor, stdevs: Tensor, min: Tensor, max: Tensor
    ) -> Tensor:
        sizes = _shape(shape, self.name)
        if len(sizes) < 2:
            raise argument_error(ValueError, self.name, "shape", "at least two ints", list(sizes))
        named = {"mean": mean, "stdevs": stdevs, "min": min, "max": max}
        given = [
            check_dtype(check_tensor(v, self.name, k), self.name, k, "f") for k, v in named.items()
        ]
        for k, v in zip(named, given, strict=True):
            check_same_dtype(given[0], v, self.name, ("mean", k))
            if v.size not in (1, sizes[0]) or v.ndim > 1:
                raise error(
                    ValueError,
                    f"For '{self.name}', '{k}' must be a number or have one element for each of the "
                    f"{sizes[0]} of the first dimension, but got shape {list(v.shape)}.",
                )
        column = (-1, *(1,) * (len(sizes) - 1))
        centre, spread, low, high = (reshape(cast(v, mstype.float64), column) for v in given)
        low, high = (low - centre) / spread, (high - centre) / spread
        drawn: Any = _within(self._stream.next(), low, high, sizes, self.name)
        return cast(drawn * spread + centre, given[0].dtype)


@operation
def _bits(shape: tuple[int, ...], dtype: Type) -> Tensor:
    return keys.bits(next_key(None, "NonDeterministicInts"), shape, dtype)


@public()
class NonDeterministicInts(Primitive):
    """Integers of which every one of the dtype is as likely.

    Args:
        dtype: int32 or int64.

    Raises:
        TypeError: `shape` is no Tensor of integers.
        ValueError: another `dtype`, less than two dimensions, or lengths below 1.

    >>> print(ops.NonDeterministicInts(ms.int32)(Tensor([2, 3])).shape)
    (2, 3)
    """

    def __init__(self, dtype: Type = mstype.int64):
        super().__init__()
        self.dtype = check_one_of(dtype, self.name, "dtype", (mstype.int32, mstype.int64))

    def __call__(self, shape: Tensor) -> Tensor:
        sizes = _shape(shape, self.name)
        if len(sizes) < 2:
            raise argument_error(ValueError, self.name, "shape", "at least two ints", list(sizes))
        out: Tensor = _bits(sizes, self.dtype)
        return out


@public()
class Randperm(Primitive):
    """The ints from 0 to before `n` in random order, then `pad` up to a length.

    Args:
        max_length: the length.
        pad: what follows them.
        dtype: the dtype of the result.

    Raises:
        TypeError: `max_length` or `pad` is no int, or `n` is not known while compiling.
        ValueError: `n` below 0 or above `max_length`.

    >>> print(ops.sort(ops.Randperm(4, -1)(Tensor([3])))[0])
    [-1  0  1  2]
    """

    def __init__(self, max_length: int = 1, pad: int = -1, dtype: Type = mstype.int32):
        super().__init__()
        self.max_length = check_int(max_length, self.name, "max_length", at_least=1)
        self.pad = check_int(pad, self.name, "pad")
        self.dtype = dtype

    def __call__(self, n: Tensor) -> Tensor:
        count = known_int(n, self.name, "n", at_least=0, below=self.max_length + 1)
        order = randperm(max(count, 1), dtype=self.dtype)[:count]
        return pad(order, (0, self.max_length - count), value=self.pad)


@public(
    "ops.MultinomialWithReplacement(numsamples, replacement=False)(x, seed: TensorLike, offset: TensorLike) = "
    "ops.multinomial_with_replacement(x, seed, offset, numsamples, replacement)",
)
def multinomial_with_replacement(
    x: Tensor, seed: TensorLike, offset: TensorLike, numsamples: int, replacement: bool = False
) -> Tensor:
    """Indices drawn with probabilities proportional to the rows of `x`, int64.

    Args:
        x: weights, not negative, of shape (n,) or (m, n).
        seed, offset: ints or Tensors of one; if one of them is not 0, the numbers are the same at each
            call.
        numsamples: how many to draw for each row.
        replacement: whether an index may be drawn again.

    Raises:
        TypeError: no Tensor of floating-point numbers, or no ints.
        ValueError: another rank, `numsamples` below 1, or more than there are without replacement.

    >>> print(ops.multinomial_with_replacement(Tensor([0.0, 1.0, 0.0]), 2, 5, 3, True))
    [1 1 1]
    """
    op = "multinomial_with_replacement"
    again = check_bool(replacement, op, "replacement")
    words = [known_int(v, op, k) for k, v in (("seed", seed), ("offset", offset))]
    stream = (max(words[0], 0) * 0x9E3779B1 + words[1]) & 0x7FFFFFFF
    key: Any = fixed_key(stream, op) if stream else None
    return cast(multinomial(x, numsamples, again, key), mstype.int64)
