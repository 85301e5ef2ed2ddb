"""Class forms of the random functions: ``ops.StandardNormal(seed=1)((2, 3))``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ShapeLike
from cellgrad.core.arguments import (
    argument_error,
    check_dtype,
    check_int,
    check_ndim,
    check_number,
    check_one_of,
)
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import check_float, check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import keys, reductions
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._index import order_of
from cellgrad.ops._public import public
from cellgrad.ops._static import iota
from cellgrad.ops.joining import stack
from cellgrad.ops.next_keys import Stream, fixed_key, next_key
from cellgrad.ops.padding import pad
from cellgrad.ops.random import (
    multinomial,
    rand,
    randn_like,
    shuffle,
    standard_laplace,
    standard_normal,
    uniform,
)
from cellgrad.ops.selection import cast, select
from cellgrad.ops.shapes import swapaxes


class Seeded(Primitive):
    """An operation with seeds: with one that is not 0, its numbers do not depend on `ms.set_seed`, and
    those of two operations with the same seeds are the same.
    """

    _below_zero = False  # whether seeds may be

    def __init__(self, seed: int = 0, seed2: int = 0):
        super().__init__()
        for value in (seed, seed2):
            if isinstance(value, bool) or not isinstance(value, int):
                raise error(
                    TypeError,
                    f"For '{self.name}', the seeds must be ints, but got {type(value).__name__}.",
                )
            if value < 0 and not self._below_zero:
                raise error(
                    ValueError, f"For '{self.name}', the seeds must be >= 0, but got {value}."
                )
        self._stream = Stream(seed, seed2)


@public()
class StandardNormal(Seeded):
    """The class form of `standard_normal`.

    >>> print(ops.StandardNormal()((2, 3)).shape)
    (2, 3)
    """

    def __call__(self, shape: ShapeLike) -> Tensor:
        return standard_normal(shape, self._stream.next())


@public()
class StandardLaplace(Seeded):
    """The class form of `standard_laplace`.

    >>> print(ops.StandardLaplace()((2, 3)).shape)
    (2, 3)
    """

    def __call__(self, shape: ShapeLike) -> Tensor:
        return standard_laplace(shape, self._stream.next())


@public()
class UniformReal(Seeded):
    """Uniform numbers in [0, 1), float32.

    >>> print(ops.UniformReal()((2, 3)).dtype)
    Float32
    """

    def __call__(self, shape: Sequence[int]) -> Tensor:
        return rand(tuple(shape), seed=self._stream.next())


@public()
class UniformInt(Seeded):
    """Integers in [minval, maxval), int32.

    >>> print(ops.UniformInt()((4,), Tensor(5, ms.int32), Tensor(6, ms.int32)))
    [5 5 5 5]
    """

    def __call__(self, shape: ShapeLike, minval: Tensor, maxval: Tensor) -> Tensor:
        out: Tensor = uniform(shape, minval, maxval, self._stream.next(), mstype.int32)
        return out


@public()
class RandomShuffle(Seeded):
    """The class form of `shuffle`.

    >>> print(ops.sort(ops.RandomShuffle()(Tensor([1.0, 2.0, 3.0])))[0])
    [1. 2. 3.]
    """

    def __call__(self, x: Tensor) -> Tensor:
        out: Tensor = shuffle(x, self._stream.next())
        return out


@public()
class Multinomial(Seeded):
    """The class form of `multinomial`, with replacement.

    >>> print(ops.Multinomial()(Tensor([0.0, 1.0, 0.0]), 4))
    [1 1 1 1]
    """

    def __init__(self, seed: int = 0, seed2: int = 0, dtype: Type = mstype.int32):
        super().__init__(seed, seed2)
        self.dtype = dtype

    def __call__(self, x: Tensor, num_samples: int) -> Tensor:
        return cast(multinomial(x, num_samples, True, self._stream.next()), self.dtype)


@public()
class Cauchy(Primitive):
    """Numbers of the Cauchy distribution, float32.

    Args:
        size: the shape, a list of ints.
        median, sigma: where half of the numbers are below, and half the width where half are within.

    Raises:
        TypeError: `median` or `sigma` is no number.
        ValueError: a `sigma` that is not positive.

    >>> print(ops.Cauchy([2, 3])().shape)
    (2, 3)
    """

    def __init__(self, size: Sequence[int], median: float = 0.0, sigma: float = 1.0):
        super().__init__()
        self.size = tuple(size)
        self.median = check_number(median, self.name, "median")
        self.sigma = check_number(sigma, self.name, "sigma")
        if not sigma > 0:
            raise argument_error(ValueError, self.name, "sigma", "positive", sigma)

    def __call__(self) -> Tensor:
        turn = (rand(self.size, dtype=mstype.float32) - 0.5) * math.pi
        return gen.tan(turn) * self.sigma + self.median


@public()
class LogNormalReverse(Primitive):
    """Numbers whose logarithms are normal, in the shape and dtype of a tensor.

    Args:
        mean, std: of the logarithms.

    Raises:
        TypeError: `mean` or `std` is no number, or the tensor not of floating-point numbers.
        ValueError: a negative `std`.

    >>> print(ops.LogNormalReverse(0.0, 0.0)(ops.zeros(2)))
    [1. 1.]
    """

    def __init__(self, mean: float = 1.0, std: float = 2.0):
        super().__init__()
        self.mean = check_number(mean, self.name, "mean")
        self.std = check_number(std, self.name, "std")
        if std < 0:
            raise argument_error(ValueError, self.name, "std", "at least 0", std)

    def __call__(self, input: Tensor) -> Tensor:
        x = check_dtype(check_tensor(input, self.name, "input"), self.name, "input", "f")
        return gen.exp(randn_like(x) * self.std + self.mean)


@public("Tensor.random_categorical")
def random_categorical(
    logits: Tensor, num_sample: int, seed: int = 0, dtype: Type = mstype.int64
) -> Tensor:
    """Indices drawn with probabilities proportional to ``exp(logits)``, for each row.

    Args:
        logits: [rows, n], floating point.
        num_sample: how many to draw for each row.
        seed: the numbers are the same at each call; with 0 others at each.
        dtype: int16, int32 or int64.

    Raises:
        TypeError: no Tensor of floating-point numbers, or numbers that are no ints.
        ValueError: other than two dimensions, `num_sample` below 1, or another dtype.

    >>> print(ops.random_categorical(Tensor([[0.0, 200.0, 0.0]]), 3))
    [[1 1 1]]
    """
    number = check_int(seed, "random_categorical", "seed", at_least=0)
    return _classes(logits, num_sample, number, dtype)


@public()
class RandomCategorical(Primitive):
    """The class form of `random_categorical`. With a seed that is not 0 the first numbers of two operations
    are the same, and each call of an operation has others.

    >>> print(ops.RandomCategorical()(Tensor([[0.0, 200.0, 0.0]]), 3))
    [[1 1 1]]
    """

    def __init__(self, dtype: Type = mstype.int64):
        super().__init__()
        self.dtype = dtype
        self._stream = Stream(1, 0)

    def __call__(self, logits: Tensor, num_sample: int, seed: int = 0) -> Tensor:
        number = check_int(seed, self.name, "seed", at_least=0)
        return _classes(logits, num_sample, self._stream.next(number) if number else 0, self.dtype)


def _classes(logits: Tensor, num_sample: int, seed: Any, dtype: Type) -> Tensor:
    op = "random_categorical"
    x = check_ndim(check_float(logits, op, "logits"), op, "logits", 2)
    count = check_int(num_sample, op, "num_sample", at_least=1)
    check_one_of(dtype, op, "dtype", (mstype.int16, mstype.int32, mstype.int64))
    return cast(_drawn(x, count, seed), dtype)


@operation
def _drawn(x: Tensor, count: int, seed: Any) -> Tensor:
    drawn = keys.categorical(fixed_key(seed, "random_categorical"), x, (count,))
    return swapaxes(drawn, 0, 1)


@public()
def choice_with_mask(
    input_x: Tensor, count: int = 256, seed: int | None = None
) -> tuple[Tensor, Tensor]:
    """The places of true elements, drawn without replacement, in any order.

    Args:
        input_x: bool, of at least one dimension.
        count: how many to draw.
        seed: selects another stream.

    Returns:
        the places, int32 of shape (count, dimensions), 0 where there are no more true elements; and
        whether each is one, bool of shape (count,).

    Raises:
        TypeError: `input_x` is no Tensor of bools, `count` no int.
        ValueError: no dimensions, or a `count` below 1.

    >>> places, found = ops.choice_with_mask(Tensor([[False, False], [False, True]]), 2)
    >>> print(places, found)
    [[1 1]
     [0 0]] [ True False]
    """
    op = "choice_with_mask"
    x = check_dtype(check_tensor(input_x, op, "input_x"), op, "input_x", "b")
    check_ndim(x, op, "input_x", at_least=1)
    out: tuple[Tensor, Tensor] = _chosen(x, check_int(count, op, "count", at_least=1), seed)
    return out


@operation
def _chosen(x: Tensor, count: int, seed: Any) -> tuple[Tensor, Tensor]:
    flat = x.reshape(-1)
    n = flat.shape[0]
    # True elements come first, in the order of the numbers drawn for them.
    u = keys.unit_uniform(next_key(seed, "choice_with_mask"), (n,), mstype.float64)
    order = order_of(select(flat, u, 1.0), 0, False, min(count, n))
    order = pad(order, (0, count - order.shape[0]))
    there = gen.less(iota(count), reductions.sum(cast(flat, mstype.int32)))
    order = select(there, order, 0)
    places: list[Tensor] = []
    for length in reversed(x.shape):
        places.insert(0, gen.floor_mod(order, length))
        order = gen.floor_div(order, length)
    return stack(places, 1), there


@public()
class RandomChoiceWithMask(Seeded):
    """The class form of `choice_with_mask`.

    >>> print(ops.RandomChoiceWithMask(2)(Tensor([False, True]))[1])
    [ True False]
    """

    _below_zero = True

    def __init__(self, count: int = 256, seed: int = 0, seed2: int = 0):
        super().__init__(seed, seed2)
        self.count = count

    def __call__(self, input_x: Tensor) -> tuple[Tensor, Tensor]:
        out: tuple[Tensor, Tensor] = choice_with_mask(input_x, self.count, self._stream.next())
        return out
