"""Class forms of the random functions: ``ops.StandardNormal(seed=1)((2, 3))``."""

from __future__ import annotations

from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops.random import (
    bernoulli,
    multinomial,
    rand,
    shuffle,
    standard_laplace,
    standard_normal,
    uniform,
)
from cellgrad.ops.selection import cast

__all__ = [
    "Bernoulli",
    "Multinomial",
    "RandomShuffle",
    "StandardLaplace",
    "StandardNormal",
    "UniformInt",
    "UniformReal",
]


class _Seeded(Primitive):
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
        self.seed = seed * 31 + seed2


class StandardNormal(_Seeded):
    """The class form of `standard_normal`.

    >>> print(ops.StandardNormal()((2, 3)).shape)
    (2, 3)
    """

    def __call__(self, shape: Any) -> Tensor:
        return standard_normal(shape, self.seed)


class StandardLaplace(_Seeded):
    """The class form of `standard_laplace`.

    >>> print(ops.StandardLaplace()((2, 3)).shape)
    (2, 3)
    """

    def __call__(self, shape: Any) -> Tensor:
        return standard_laplace(shape, self.seed)


class UniformReal(_Seeded):
    """Uniform numbers in [0, 1), float32.

    >>> print(ops.UniformReal()((2, 3)).dtype)
    Float32
    """

    def __call__(self, shape: Any) -> Tensor:
        return rand(tuple(shape), seed=self.seed)


class UniformInt(_Seeded):
    """Integers in [minval, maxval), int32.

    >>> print(ops.UniformInt()((4,), Tensor(5, ms.int32), Tensor(6, ms.int32)))
    [5 5 5 5]
    """

    def __call__(self, shape: Any, minval: Tensor, maxval: Tensor) -> Tensor:
        out: Tensor = uniform(shape, minval, maxval, self.seed, mstype.int32)
        return out


class Bernoulli(Primitive):
    """The class form of `bernoulli`.

    >>> print(ops.Bernoulli()(ops.zeros(3), Tensor(1.0)))
    [1. 1. 1.]
    """

    def __init__(self, seed: int = -1, offset: int = 0):
        super().__init__()
        self.seed = seed

    def __call__(self, x: Tensor, p: Any) -> Tensor:
        out: Tensor = bernoulli(x, p, self.seed)
        return out


class RandomShuffle(_Seeded):
    """The class form of `shuffle`.

    >>> print(ops.sort(ops.RandomShuffle()(Tensor([1.0, 2.0, 3.0])))[0])
    [1. 2. 3.]
    """

    def __call__(self, x: Tensor) -> Tensor:
        out: Tensor = shuffle(x, self.seed)
        return out


class Multinomial(_Seeded):
    """The class form of `multinomial`, with replacement.

    >>> print(ops.Multinomial()(Tensor([0.0, 1.0, 0.0]), 4))
    [1 1 1 1]
    """

    def __init__(self, seed: int = 0, seed2: int = 0, dtype: Type = mstype.int32):
        super().__init__(seed, seed2)
        self.dtype = dtype

    def __call__(self, x: Tensor, num_samples: int) -> Tensor:
        return cast(multinomial(x, num_samples, True, self.seed), self.dtype)
