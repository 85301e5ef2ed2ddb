"""Class forms of the random functions: ``ops.StandardNormal(seed=1)((2, 3))``."""

from __future__ import annotations

from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops.random import (
    Stream,
    multinomial,
    rand,
    shuffle,
    standard_laplace,
    standard_normal,
    uniform,
)
from cellgrad.ops.selection import cast


class _Seeded(Primitive):
    """An operation with seeds: with one that is not 0, its numbers do not depend on `ms.set_seed`, and
    those of two operations with the same seeds are the same.
    """

    def __init__(self, seed: int = 0, seed2: int = 0):
        super().__init__()
        for value in (seed, seed2):
            if isinstance(value, bool) or not isinstance(value, int):
                raise error(
                    TypeError,
                    f"For '{self.name}', the seeds must be ints, but got {type(value).__name__}.",
                )
            if value < 0:
                raise error(
                    ValueError, f"For '{self.name}', the seeds must be >= 0, but got {value}."
                )
        self._stream = Stream(seed, seed2)


@public()
class StandardNormal(_Seeded):
    """The class form of `standard_normal`.

    >>> print(ops.StandardNormal()((2, 3)).shape)
    (2, 3)
    """

    def __call__(self, shape: Any) -> Tensor:
        return standard_normal(shape, self._stream.next())


@public()
class StandardLaplace(_Seeded):
    """The class form of `standard_laplace`.

    >>> print(ops.StandardLaplace()((2, 3)).shape)
    (2, 3)
    """

    def __call__(self, shape: Any) -> Tensor:
        return standard_laplace(shape, self._stream.next())


@public()
class UniformReal(_Seeded):
    """Uniform numbers in [0, 1), float32.

    >>> print(ops.UniformReal()((2, 3)).dtype)
    Float32
    """

    def __call__(self, shape: Any) -> Tensor:
        return rand(tuple(shape), seed=self._stream.next())


@public()
class UniformInt(_Seeded):
    """Integers in [minval, maxval), int32.

    >>> print(ops.UniformInt()((4,), Tensor(5, ms.int32), Tensor(6, ms.int32)))
    [5 5 5 5]
    """

    def __call__(self, shape: Any, minval: Tensor, maxval: Tensor) -> Tensor:
        out: Tensor = uniform(shape, minval, maxval, self._stream.next(), mstype.int32)
        return out


@public()
class RandomShuffle(_Seeded):
    """The class form of `shuffle`.

    >>> print(ops.sort(ops.RandomShuffle()(Tensor([1.0, 2.0, 3.0])))[0])
    [1. 2. 3.]
    """

    def __call__(self, x: Tensor) -> Tensor:
        out: Tensor = shuffle(x, self._stream.next())
        return out


@public()
class Multinomial(_Seeded):
    """The class form of `multinomial`, with replacement.

    >>> print(ops.Multinomial()(Tensor([0.0, 1.0, 0.0]), 4))
    [1 1 1 1]
    """

    def __init__(self, seed: int = 0, seed2: int = 0, dtype: Type = mstype.int32):
        super().__init__(seed, seed2)
        self.dtype = dtype

    def __call__(self, x: Tensor, num_samples: int) -> Tensor:
        return cast(multinomial(x, num_samples, True, self._stream.next()), self.dtype)
