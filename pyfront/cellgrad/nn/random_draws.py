"""Poisson and gamma numbers: elements are drawn again until all are accepted, one loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cellgrad import ops
from cellgrad.capture.repeat import repeat_while
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ShapeLike
from cellgrad.core.arguments import argument_error, check_dtype
from cellgrad.core.dtype import Type
from cellgrad.core.errors import either
from cellgrad.core.record import (
    broadcast_shapes,
    broadcast_to_shape,
    cast_to,
    check_tensor,
    operation,
    shape_of,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import keys
from cellgrad.ops._static import known_ints
from cellgrad.ops.classes.random import Seeded
from cellgrad.ops.next_keys import next_key

__all__ = [
    "Gamma",
    "Poisson",
    "RandomGamma",
    "RandomPoisson",
    "gamma",
    "poisson",
    "random_gamma",
    "random_poisson",
]

# Above it, the normal distribution is that of Poisson within float64's rounding of its parameters.
_NORMAL = 1e9


def _until_accepted(
    draw: Callable[[Tensor], tuple[Tensor, Tensor]], shape: tuple[int, ...], key: Tensor, op: str
) -> Tensor:
    """Numbers of which each is the first that was accepted; `draw` makes them of a key, and says which
    are.
    """

    def trip(carried: Any) -> Any:
        number, values, open_ = carried
        drawn, good = draw(keys.fold_in(key, number))
        values = ops.where(ops.logical_and(open_, good), drawn, values)
        return number + 1, values, ops.logical_and(open_, ops.logical_not(good))

    start = (
        ops.zeros((), mstype.int64),
        ops.zeros(shape, mstype.float64),
        ops.zeros(shape, mstype.int32) < 1,
    )
    end: Any = repeat_while(lambda carried: ops.any(carried[2]), trip, start, op, "the step")
    return ops.stop_gradient(end[1])  # type: ignore[no-any-return]


def _uniform(key: Tensor, shape: tuple[int, ...]) -> Tensor:
    """In (0, 1), so that logarithms are finite."""
    return keys.unit_uniform(key, shape, mstype.float64) + 2.0**-54


@operation
def _poisson(rate: Tensor, shape: tuple[int, ...], seed: Any, op: str) -> Tensor:
    """Hoermann's transformed rejection (1993, PTRS) from 10 on, and the count of the factors whose
    product stays above ``exp(-rate)`` below.
    """
    key = next_key(seed, op)
    rate = broadcast_to_shape(cast_to(rate, mstype.float64), shape)
    low = ops.clip(rate, 0.0, 10.0)
    low = ops.where(rate < 10, low, 0.0)
    high = ops.clip(ops.where(rate >= 10, rate, 10.0), 10.0, _NORMAL)

    def factor(carried: Any) -> Any:
        number, count, log_product = carried
        log_product = log_product + ops.log(_uniform(keys.fold_in(key, number), shape))
        return number - 1, count + cast_to(log_product > -low, mstype.float64), log_product

    none = ops.zeros(shape, mstype.float64)
    start: Any = (ops.zeros((), mstype.int64) - 1, none, none)
    counted: Any = repeat_while(
        lambda carried: ops.any(carried[2] > -low), factor, start, op, "the step"
    )

    b = 0.931 + 2.53 * ops.sqrt(high)
    a = -0.059 + 0.02483 * b
    squeeze = 0.9277 - 3.6224 / (b - 2)
    alpha, logarithm = 1.1239 + 1.1328 / (b - 3.4), ops.log(high)

    def draw(k: Tensor) -> tuple[Tensor, Tensor]:
        first, second = (_uniform(keys.fold_in(k, i), shape) for i in range(2))
        u, v = first - 0.5, second
        edge = 0.5 - ops.abs(u)
        n = ops.floor((2 * a / edge + b) * u + high + 0.43)
        inside = n >= 0
        n = ops.where(inside, n, 0.0)
        density = n * logarithm - high - ops.lgamma(n + 1)
        below = ops.log(v * alpha / (a / (edge * edge) + b)) <= density
        possible = ops.logical_and(inside, ops.logical_or(edge >= 0.013, v <= edge))
        sure = ops.logical_and(edge >= 0.07, v <= squeeze)
        good = ops.logical_or(sure, ops.logical_and(possible, below))
        return n, ops.logical_or(good, rate < 10)

    rejected = _until_accepted(draw, shape, keys.fold_in(key, 0), op)
    normal = keys.unit_normal(keys.fold_in(key, 1), shape, mstype.float64)
    wide = ops.where(rate > _NORMAL, rate, _NORMAL)
    wide = ops.floor(wide + ops.sqrt(wide) * normal + 0.5)
    out = ops.where(rate < 10, counted[1], ops.where(rate > _NORMAL, wide, rejected))
    return ops.stop_gradient(  # type: ignore[no-any-return]
        ops.where(ops.logical_and(rate >= 0, rate < float("inf")), out, float("nan"))
    )


@operation
def _gamma(alpha: Tensor, shape: tuple[int, ...], seed: Any, op: str) -> Tensor:
    """Marsaglia and Tsang's rejection (2000); below 1, of alpha + 1, times a power of a uniform number."""
    key = next_key(seed, op)
    alpha = broadcast_to_shape(cast_to(alpha, mstype.float64), shape)
    known = ops.logical_and(alpha > 0, alpha < float("inf"))
    size = ops.where(known, alpha, 1.0)
    d = ops.where(size < 1, size + 1, size) - 1 / 3
    c = 1 / ops.sqrt(9 * d)

    def draw(k: Tensor) -> tuple[Tensor, Tensor]:
        x = keys.unit_normal(keys.fold_in(k, 0), shape, mstype.float64)
        base = 1 + c * x
        positive = base > 0
        base = ops.where(positive, base, 1.0)
        v = base * base * base
        bound = 0.5 * x * x + d * (1 - v + ops.log(v))
        return d * v, ops.logical_and(
            positive, ops.log(_uniform(keys.fold_in(k, 1), shape)) < bound
        )

    drawn = _until_accepted(draw, shape, keys.fold_in(key, 0), op)
    power = ops.exp(ops.log(_uniform(keys.fold_in(key, 1), shape)) / size)
    out = ops.where(size < 1, drawn * power, drawn)
    return ops.stop_gradient(ops.where(known, out, float("nan")))  # type: ignore[no-any-return]


def _shape(shape: Any, op: str) -> tuple[int, ...]:
    return shape_of(known_ints(check_tensor(shape, op, "shape"), op, "shape"), op)


def random_poisson(
    shape: Tensor, rate: Tensor, seed: int | None = None, dtype: Type = mstype.float32
) -> Tensor:
    """Numbers of Poisson distributions. They have no derivative.

    Args:
        shape: how many of each, an integer Tensor of one dimension.
        rate: the means; where one is negative, infinite or NaN the result is NaN (0 in integers).
        seed: selects another stream.
        dtype: float16, float32, float64, int32 or int64.

    Returns:
        Tensor of `dtype`, shape ``(*shape, *rate.shape)``.

    Raises:
        TypeError: `shape` or `rate` is not a Tensor of numbers, or another `dtype`.
        ValueError: another `dtype`, a negative length.

    >>> rates = Tensor([0.0, 5.0])
    >>> print(ops.random_poisson(Tensor([3]), rates, dtype=ms.int32)[:, 0])
    [0 0 0]
    """
    op = "random_poisson"
    mean = check_dtype(check_tensor(rate, op, "rate"), op, "rate", "iuf")
    if not isinstance(dtype, Type) or dtype.kind not in "fi":
        kind = either(TypeError, ValueError)
        raise argument_error(kind, op, "dtype", "a float or int type", dtype)
    out = _poisson(mean, _shape(shape, op) + mean.shape, seed, op)
    return cast_to(out, dtype)


def random_gamma(shape: Tensor, alpha: Tensor, seed: int | None = None) -> Tensor:
    """Numbers of gamma distributions of scale 1. They have no derivative.

    Args:
        shape: how many of each, an integer Tensor of one dimension.
        alpha: the shapes of the distributions, floating point; the result is NaN where one is not
            positive or not finite.
        seed: selects another stream.

    Returns:
        Tensor of the dtype of `alpha`, shape ``(*shape, *alpha.shape)``.

    Raises:
        TypeError: `shape` is not a Tensor of integers, or `alpha` not one of floating-point numbers.
        ValueError: a negative length.

    >>> x = ops.random_gamma(Tensor([1000]), Tensor([2.0]))
    >>> print(x.shape, bool((x > 0).all()))
    (1000, 1) True
    """
    op = "random_gamma"
    a = check_dtype(check_tensor(alpha, op, "alpha"), op, "alpha", "f")
    return cast_to(_gamma(a, _shape(shape, op) + a.shape, seed, op), a.dtype)


def gamma(shape: ShapeLike, alpha: Tensor, beta: Tensor, seed: int | None = None) -> Tensor:
    """Numbers of gamma distributions. They have no derivative.

    Args:
        shape: a tuple of ints, which `alpha` and `beta` are broadcast with.
        alpha: the shapes of the distributions, floating point.
        beta: the inverse scales, floating point.
        seed: selects another stream.

    Raises:
        TypeError: `alpha` or `beta` is not a Tensor of floating-point numbers.
        ValueError: shapes that do not broadcast.

    >>> print(ops.gamma((2, 1), Tensor([1.0, 3.0]), Tensor(1.0)).shape)
    (2, 2)
    """
    op = "gamma"
    a, b = (
        check_dtype(check_tensor(v, op, name), op, name, "f")
        for v, name in ((alpha, "alpha"), (beta, "beta"))
    )
    wanted = shape_of(known_ints(shape, op, "shape"), op)
    whole = broadcast_shapes(broadcast_shapes(wanted, a.shape, op), b.shape, op)
    dtype = mstype.promote(a.dtype, b.dtype)
    drawn = _gamma(a, whole, seed, op) / cast_to(b, mstype.float64)
    return cast_to(drawn, dtype)


class Poisson(Seeded):
    """Numbers of Poisson distributions, int32, of a shape that `mean` is broadcast to.

    >>> print(ops.Poisson()((2,), Tensor([0.0])))
    [0 0]
    """

    def __call__(self, shape: ShapeLike, mean: Tensor) -> Tensor:
        x = check_dtype(check_tensor(mean, self.name, "mean"), self.name, "mean", "f")
        wanted = shape_of(known_ints(shape, self.name, "shape"), self.name)
        whole = broadcast_shapes(wanted, x.shape, self.name)
        drawn = _poisson(x, whole, self._stream.next(), self.name)
        return cast_to(drawn, mstype.int32)


class RandomPoisson(Seeded):
    """The class form of `random_poisson`, int64 by default.

    >>> print(ops.RandomPoisson()(Tensor([2]), Tensor([0.0])))
    [[0]
     [0]]
    """

    def __init__(self, seed: int = 0, seed2: int = 0, dtype: Type = mstype.int64):
        super().__init__(seed, seed2)
        self.dtype = dtype

    def __call__(self, shape: Tensor, rate: Tensor) -> Tensor:
        return random_poisson(shape, rate, self._stream.next(), self.dtype)


def poisson(shape: ShapeLike, mean: Tensor, seed: int | None = None) -> Tensor:
    """Numbers of Poisson distributions, of a shape that `mean` is broadcast with, in its dtype. They have no
    derivative.

    Raises:
        TypeError: `mean` is not a Tensor of floating-point numbers.
        ValueError: shapes that do not broadcast.

    >>> print(ops.poisson((2, 1), Tensor([0.0, 0.0])))
    [[0. 0.]
     [0. 0.]]
    """
    x = check_dtype(check_tensor(mean, "poisson", "mean"), "poisson", "mean", "f")
    wanted = shape_of(known_ints(shape, "poisson", "shape"), "poisson")
    whole = broadcast_shapes(wanted, x.shape, "poisson")
    return cast_to(_poisson(x, whole, seed, "poisson"), x.dtype)


class Gamma(Seeded):
    """The class form of `gamma`.

    >>> print(ops.Gamma()((2,), Tensor([3.0]), Tensor([1.0])).shape)
    (2,)
    """

    def __call__(self, shape: ShapeLike, alpha: Tensor, beta: Tensor) -> Tensor:
        return gamma(shape, alpha, beta, self._stream.next())


class RandomGamma(Seeded):
    """The class form of `random_gamma`.

    >>> print(ops.RandomGamma()(Tensor([2]), Tensor([3.0])).shape)
    (2, 1)
    """

    def __call__(self, shape: Tensor, alpha: Tensor) -> Tensor:
        return random_gamma(shape, alpha, self._stream.next())
