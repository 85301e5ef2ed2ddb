"""Distributions of positive numbers, and of those between 0 and 1."""

from __future__ import annotations

import math
from typing import Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import argument_error
from cellgrad.core.dtype import Type
from cellgrad.core.tensor import Tensor
from cellgrad.nn import random_draws
from cellgrad.nn.probability.distribution.base import Distribution, parameter


def _no_number(value: Any, owner: str, name: str) -> None:
    """As MindSpore's, some distributions take no plain numbers."""
    if isinstance(value, int | float):
        hint = f"write ms.Tensor([{value}])"
        raise argument_error(TypeError, owner, name, "a list, an array or a Tensor", value, hint)


class Exponential(Distribution):
    """The exponential distribution.

    Args:
        rate: the inverse of the mean, above 0.
        seed, dtype, name: see `Distribution`.

    Raises:
        TypeError, ValueError: as `Distribution`; a `rate` that is not above 0.

    >>> print(nn.probability.distribution.Exponential(2.0).cdf(Tensor([-1.0, 0.5])))
    [0.        0.6321206]
    """

    def __init__(
        self,
        rate: TensorLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "Exponential",
    ):
        self._made(seed, dtype, name, "f", {"rate": rate})
        self._positive("rate")

    rate = parameter("rate", "The inverse of the mean.")

    def _mean(self, rate: Tensor) -> Tensor:
        return 1 / rate

    _sd = _mean

    def _mode(self, rate: Tensor) -> Tensor:
        return ops.zeros(rate.shape, self.dtype)

    def _entropy(self, rate: Tensor) -> Tensor:
        return 1 - ops.log(rate)

    def _log_prob(self, value: Tensor, rate: Tensor) -> Tensor:
        return ops.where(value < 0, -math.inf, ops.log(rate) - rate * value)

    def _cdf(self, value: Tensor, rate: Tensor) -> Tensor:
        return ops.where(value < 0, 0.0, -ops.expm1(-rate * value))

    def _log_survival(self, value: Tensor, rate: Tensor) -> Tensor:
        return ops.where(value < 0, 0.0, -rate * value)

    def _kl_loss(self, dist: str, rate_b: Tensor, rate: Tensor) -> Tensor:
        return ops.log(rate) - ops.log(rate_b) + rate_b / rate - 1

    def _sample(self, shape: tuple[int, ...], rate: Tensor) -> Tensor:
        return -ops.log(self._uniform(shape + rate.shape)) / rate


class Gamma(Distribution):
    """The gamma distribution. What is sampled has derivatives by `rate`, none by `concentration`.

    Args:
        concentration, rate: its shape and inverse scale, above 0; no plain numbers.
        seed, dtype, name: see `Distribution`.

    Raises:
        TypeError, ValueError: as `Distribution`; a parameter that is not above 0.

    >>> print(nn.probability.distribution.Gamma([2.0], [4.0]).mean())
    [0.5]
    """

    def __init__(
        self,
        concentration: TensorLike | None = None,
        rate: TensorLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "Gamma",
    ):
        _no_number(concentration, name, "concentration")
        _no_number(rate, name, "rate")
        self._made(seed, dtype, name, "f", {"concentration": concentration, "rate": rate})
        self._positive("concentration", "rate")

    concentration = parameter("concentration", "The shape parameter.")
    rate = parameter("rate", "The inverse scale.")

    def _mean(self, concentration: Tensor, rate: Tensor) -> Tensor:
        return concentration / rate

    def _var(self, concentration: Tensor, rate: Tensor) -> Tensor:
        return concentration / ops.square(rate)

    def _sd(self, concentration: Tensor, rate: Tensor) -> Tensor:
        return ops.sqrt(concentration) / rate

    def _mode(self, concentration: Tensor, rate: Tensor) -> Tensor:
        return ops.where(concentration > 1, (concentration - 1) / rate, math.nan)

    def _entropy(self, concentration: Tensor, rate: Tensor) -> Tensor:
        return (
            concentration
            - ops.log(rate)
            + ops.lgamma(concentration)
            + (1 - concentration) * ops.digamma(concentration)
        )

    def _log_prob(self, value: Tensor, concentration: Tensor, rate: Tensor) -> Tensor:
        inside = value >= 0
        x = ops.where(inside, value, 1.0)
        own = (concentration - 1) * ops.log(x) - rate * x
        scale = ops.lgamma(concentration) - concentration * ops.log(rate)
        return ops.where(inside, own - scale, -math.inf)

    def _cdf(self, value: Tensor, concentration: Tensor, rate: Tensor) -> Tensor:
        return ops.igamma(concentration, rate * ops.relu(value))

    def _survival_function(self, value: Tensor, concentration: Tensor, rate: Tensor) -> Tensor:
        return ops.igammac(concentration, rate * ops.relu(value))

    def _kl_loss(
        self,
        dist: str,
        concentration_b: Tensor,
        rate_b: Tensor,
        concentration: Tensor,
        rate: Tensor,
    ) -> Tensor:
        return (
            (concentration - concentration_b) * ops.digamma(concentration)
            + ops.lgamma(concentration_b)
            - ops.lgamma(concentration)
            + concentration_b * (ops.log(rate) - ops.log(rate_b))
            + concentration * (rate_b / rate - 1)
        )

    def _sample(self, shape: tuple[int, ...], concentration: Tensor, rate: Tensor) -> Tensor:
        whole = shape + concentration.shape
        return random_draws.gamma(whole, concentration, rate, self._stream.next())


def _lbeta(a: Tensor, b: Tensor) -> Tensor:
    return ops.lgamma(a) + ops.lgamma(b) - ops.lgamma(a + b)


class Beta(Distribution):
    """The beta distribution. What is sampled has no derivatives.

    Args:
        concentration1, concentration0: the powers of ``x`` and ``1 - x``, plus one: above 0, no plain
            numbers.
        seed, dtype, name: see `Distribution`.

    Raises:
        TypeError, ValueError: as `Distribution`; a parameter that is not above 0.

    >>> print(nn.probability.distribution.Beta([2.0], [3.0]).mean())
    [0.4]
    """

    def __init__(
        self,
        concentration1: TensorLike | None = None,
        concentration0: TensorLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "Beta",
    ):
        _no_number(concentration1, name, "concentration1")
        _no_number(concentration0, name, "concentration0")
        given = {"concentration1": concentration1, "concentration0": concentration0}
        self._made(seed, dtype, name, "f", given)
        self._positive("concentration1", "concentration0")

    concentration1 = parameter("concentration1", "The power of x, plus one.")
    concentration0 = parameter("concentration0", "The power of 1 - x, plus one.")

    def _mean(self, a: Tensor, b: Tensor) -> Tensor:
        return a / (a + b)

    def _var(self, a: Tensor, b: Tensor) -> Tensor:
        return a * b / (ops.square(a + b) * (a + b + 1))

    def _mode(self, a: Tensor, b: Tensor) -> Tensor:
        inner = ops.logical_and(a > 1, b > 1)
        total = ops.where(inner, a + b - 2, 1.0)
        return ops.where(inner, (a - 1) / total, math.nan)

    def _entropy(self, a: Tensor, b: Tensor) -> Tensor:
        return (
            _lbeta(a, b)
            - (a - 1) * ops.digamma(a)
            - (b - 1) * ops.digamma(b)
            + (a + b - 2) * ops.digamma(a + b)
        )

    def _log_prob(self, value: Tensor, a: Tensor, b: Tensor) -> Tensor:
        inside = ops.logical_and(value >= 0, value <= 1)
        x = ops.where(inside, value, 0.5)
        own = (a - 1) * ops.log(x) + (b - 1) * ops.log1p(-x)
        return ops.where(inside, own - _lbeta(a, b), -math.inf)

    def _cdf(self, value: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return ops.Betainc()(a, b, ops.clamp(value, 0.0, 1.0))

    def _survival_function(self, value: Tensor, a: Tensor, b: Tensor) -> Tensor:
        # Of the end that is nearer, as 1 - x loses the digits of a small x.
        x = ops.clamp(value, 0.0, 1.0)
        right = x >= 0.5
        p, q = ops.where(right, b, a), ops.where(right, a, b)
        part = ops.Betainc()(p, q, ops.where(right, 1 - x, x))
        return ops.where(right, part, 1 - part)

    def _kl_loss(self, dist: str, a_b: Tensor, b_b: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return (
            _lbeta(a_b, b_b)
            - _lbeta(a, b)
            - ops.digamma(a) * (a_b - a)
            - ops.digamma(b) * (b_b - b)
            + ops.digamma(a + b) * (a_b + b_b - a - b)
        )

    def _sample(self, shape: tuple[int, ...], a: Tensor, b: Tensor) -> Tensor:
        one = ops.ones((), a.dtype)
        whole = shape + a.shape
        x = random_draws.gamma(whole, a, one, self._stream.next())
        y = random_draws.gamma(whole, b, one, self._stream.next())
        return x / (x + y)


class HalfNormal(Distribution):
    """The size of a normal number of mean 0, moved by `mean`; MindSpore has its density alone.

    Args:
        mean, sd: where it begins, and the standard deviation of the normal number, above 0.
        seed, dtype, name: see `Distribution`.

    Raises:
        TypeError, ValueError: as `Distribution`; an `sd` that is not above 0.

    >>> print(nn.probability.distribution.HalfNormal(0.0, 1.0).prob(Tensor([-1.0, 0.0])))
    [0.        0.7978846]
    """

    def __init__(
        self,
        mean: TensorLike | None = None,
        sd: TensorLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "HalfNormal",
    ):
        self._made(seed, dtype, name, "f", {"mean": mean, "sd": sd})
        self._positive("sd")

    def _prob(self, value: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        density = math.sqrt(2 / math.pi) / sd * ops.exp(-0.5 * ops.square((value - mean) / sd))
        return ops.where(value < mean, 0.0, density)

    def _log_prob(self, value: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        own = 0.5 * math.log(2 / math.pi) - ops.log(sd) - 0.5 * ops.square((value - mean) / sd)
        return ops.where(value < mean, -math.inf, own)
