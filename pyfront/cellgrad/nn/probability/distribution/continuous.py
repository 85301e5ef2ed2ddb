"""Distributions of all real numbers, and the uniform one."""

from __future__ import annotations

import math

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import TensorLike
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.nn.probability._parameters import check_elements
from cellgrad.nn.probability.distribution.base import Distribution, parameter
from cellgrad.ops._index import is_known

_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)


class Normal(Distribution):
    """The normal distribution.

    Args:
        mean, sd: mean and standard deviation, `sd` above 0.
        seed, dtype, name: see `Distribution`.

    Raises:
        TypeError, ValueError: as `Distribution`; an `sd` that is not above 0.

    >>> normal = nn.probability.distribution.Normal(1.0, 2.0)
    >>> print(normal.cdf(Tensor([1.0, 3.0])))
    [0.5        0.84134471]
    """

    def __init__(
        self,
        mean: TensorLike | None = None,
        sd: TensorLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "Normal",
    ):
        self._made(seed, dtype, name, "f", {"mean": mean, "sd": sd})
        self._positive("sd")

    def _mean(self, mean: Tensor, sd: Tensor) -> Tensor:
        return mean

    _mode = _mean

    def _sd(self, mean: Tensor, sd: Tensor) -> Tensor:
        return sd

    def _entropy(self, mean: Tensor, sd: Tensor) -> Tensor:
        return ops.log(sd) + (_HALF_LOG_2PI + 0.5)

    def _log_prob(self, value: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        return -0.5 * ops.square((value - mean) / sd) - ops.log(sd) - _HALF_LOG_2PI

    def _cdf(self, value: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        return 0.5 * ops.erfc((mean - value) / (sd * math.sqrt(2)))

    def _survival_function(self, value: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        return 0.5 * ops.erfc((value - mean) / (sd * math.sqrt(2)))

    def _kl_loss(self, dist: str, mean_b: Tensor, sd_b: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        ratio = ops.log(sd) - ops.log(sd_b)
        return 0.5 * ops.square((mean - mean_b) / sd_b) + 0.5 * ops.expm1(2 * ratio) - ratio

    def _sample(self, shape: tuple[int, ...], mean: Tensor, sd: Tensor) -> Tensor:
        return mean + sd * self._normal(shape + mean.shape)


class Uniform(Distribution):
    """The uniform distribution between two numbers.

    Args:
        low, high: the ends, `low` below `high`.
        seed, dtype, name: see `Distribution`.

    Raises:
        TypeError, ValueError: as `Distribution`; a `low` that is not below `high`.

    >>> uniform = nn.probability.distribution.Uniform(0.0, 4.0)
    >>> print(uniform.cdf(Tensor([-1.0, 1.0, 5.0])), uniform.entropy())
    [0.   0.25 1.  ] 1.3862944
    """

    def __init__(
        self,
        low: TensorLike | None = None,
        high: TensorLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "Uniform",
    ):
        self._made(seed, dtype, name, "f", {"low": low, "high": high})
        if self.high is not None and self.low is not None and is_known(self.low):
            above = self.low.asnumpy()
            check_elements(
                self.high, name, "high", f"greater than low, {above}", lambda v: v > above
            )

    low = parameter("low", "The lower end.")
    high = parameter("high", "The upper end.")

    def _range(self, low: Tensor, high: Tensor) -> Tensor:
        return high - low

    def _mean(self, low: Tensor, high: Tensor) -> Tensor:
        return (low + high) / 2

    def _var(self, low: Tensor, high: Tensor) -> Tensor:
        return ops.square(high - low) / 12

    def _entropy(self, low: Tensor, high: Tensor) -> Tensor:
        return ops.log(high - low)

    def _inside(self, value: Tensor, low: Tensor, high: Tensor) -> Tensor:
        return ops.logical_and(value >= low, value <= high)

    def _prob(self, value: Tensor, low: Tensor, high: Tensor) -> Tensor:
        return ops.where(self._inside(value, low, high), 1 / (high - low), 0.0)

    def _log_prob(self, value: Tensor, low: Tensor, high: Tensor) -> Tensor:
        return ops.where(self._inside(value, low, high), -ops.log(high - low), -math.inf)

    def _cdf(self, value: Tensor, low: Tensor, high: Tensor) -> Tensor:
        share = (value - low) / (high - low)
        return ops.where(value < low, 0.0, ops.where(value < high, share, 1.0))

    def _kl_loss(
        self, dist: str, low_b: Tensor, high_b: Tensor, low: Tensor, high: Tensor
    ) -> Tensor:
        inside = ops.logical_and(low_b <= low, high <= high_b)
        return ops.where(inside, ops.log(high_b - low_b) - ops.log(high - low), math.inf)

    def _sample(self, shape: tuple[int, ...], low: Tensor, high: Tensor) -> Tensor:
        return low + (high - low) * self._uniform(shape + low.shape)


class Cauchy(Distribution):
    """The Cauchy distribution. It has no mean and no variance.

    Args:
        loc, scale: its middle, and half of the width in which half of the numbers are, above 0.
        seed, dtype, name: see `Distribution`.

    Raises:
        TypeError, ValueError: as `Distribution`; a `scale` that is not above 0; its mean or variance.

    >>> print(nn.probability.distribution.Cauchy(0.0, 1.0).cdf(Tensor([-1.0, 0.0])))
    [0.25 0.5 ]
    """

    def __init__(
        self,
        loc: TensorLike | None = None,
        scale: TensorLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "Cauchy",
    ):
        self._made(seed, dtype, name, "f", {"loc": loc, "scale": scale})
        self._positive("scale")

    loc = parameter("loc", "The middle.")
    scale = parameter("scale", "Half of the width in which half of the numbers are.")

    def _undefined(self, what: str) -> ValueError:
        return error(ValueError, f"{what} is undefined for Cauchy distribution.")

    def _mean(self, loc: Tensor, scale: Tensor) -> Tensor:
        raise self._undefined("mean")

    def _sd(self, loc: Tensor, scale: Tensor) -> Tensor:
        raise self._undefined("standard deviation")

    def _var(self, loc: Tensor, scale: Tensor) -> Tensor:
        raise self._undefined("variance")

    def _mode(self, loc: Tensor, scale: Tensor) -> Tensor:
        return loc

    def _entropy(self, loc: Tensor, scale: Tensor) -> Tensor:
        return ops.log(scale) + math.log(4 * math.pi)

    def _log_prob(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return -ops.log1p(ops.square((value - loc) / scale)) - ops.log(math.pi * scale)

    def _cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        # By atan2, small probabilities keep their digits.
        z = (value - loc) / scale
        return ops.atan2(ops.ones_like(z), -z) / math.pi

    def _survival_function(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        z = (value - loc) / scale
        return ops.atan2(ops.ones_like(z), z) / math.pi

    def _kl_loss(
        self, dist: str, loc_b: Tensor, scale_b: Tensor, loc: Tensor, scale: Tensor
    ) -> Tensor:
        total = ops.square(scale + scale_b) + ops.square(loc - loc_b)
        return ops.log(total) - math.log(4.0) - ops.log(scale) - ops.log(scale_b)

    def _sample(self, shape: tuple[int, ...], loc: Tensor, scale: Tensor) -> Tensor:
        u = self._uniform(shape + loc.shape)
        return loc + scale * ops.tan(math.pi * (u - 0.5))


class Logistic(Distribution):
    """The logistic distribution.

    Args:
        loc, scale: its mean, and its scale, above 0.
        seed, dtype, name: see `Distribution`.

    Raises:
        TypeError, ValueError: as `Distribution`; a `scale` that is not above 0.

    >>> print(nn.probability.distribution.Logistic(0.0, 1.0).log_cdf(Tensor([0.0, -100.0])))
    [  -0.6931472 -100.       ]
    """

    def __init__(
        self,
        loc: TensorLike | None = None,
        scale: TensorLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "Logistic",
    ):
        self._made(seed, dtype, name, "f", {"loc": loc, "scale": scale})
        self._positive("scale")

    loc = parameter("loc", "The mean.")
    scale = parameter("scale", "The scale.")

    def _mean(self, loc: Tensor, scale: Tensor) -> Tensor:
        return loc

    _mode = _mean

    def _sd(self, loc: Tensor, scale: Tensor) -> Tensor:
        return scale * (math.pi / math.sqrt(3))

    def _entropy(self, loc: Tensor, scale: Tensor) -> Tensor:
        return ops.log(scale) + 2.0

    def _log_prob(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        z = (value - loc) / scale
        return ops.logsigmoid(z) + ops.logsigmoid(-z) - ops.log(scale)

    def _cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return ops.sigmoid((value - loc) / scale)

    def _log_cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return ops.logsigmoid((value - loc) / scale)

    def _survival_function(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return ops.sigmoid((loc - value) / scale)

    def _log_survival(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return ops.logsigmoid((loc - value) / scale)

    def _sample(self, shape: tuple[int, ...], loc: Tensor, scale: Tensor) -> Tensor:
        u = self._uniform(shape + loc.shape)
        return loc + scale * (ops.log(u) - ops.log1p(-u))


class Laplace(Distribution):
    """The Laplace distribution, of which MindSpore has the density alone.

    Args:
        mean, sd: its mean, and its scale, above 0; the name is MindSpore's, the standard deviation is
            ``sqrt(2)`` times as large.
        seed, dtype, name: see `Distribution`.

    Raises:
        TypeError, ValueError: as `Distribution`; an `sd` that is not above 0.

    >>> print(nn.probability.distribution.Laplace(0.0, 1.0).prob(Tensor([0.0])))
    [0.5]
    """

    def __init__(
        self,
        mean: TensorLike | None = None,
        sd: TensorLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "Laplace",
    ):
        self._made(seed, dtype, name, "f", {"mean": mean, "sd": sd})
        self._positive("sd")

    def _mean(self, mean: Tensor, sd: Tensor) -> Tensor:
        return mean

    _mode = _mean

    def _sd(self, mean: Tensor, sd: Tensor) -> Tensor:
        return sd * math.sqrt(2)

    def _entropy(self, mean: Tensor, sd: Tensor) -> Tensor:
        return ops.log(2 * sd) + 1.0

    def _log_prob(self, value: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        return -ops.abs((value - mean) / sd) - ops.log(2 * sd)

    def _cdf(self, value: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        z = (value - mean) / sd
        tail = 0.5 * ops.exp(-ops.abs(z))
        return ops.where(z < 0, tail, 1 - tail)

    def _survival_function(self, value: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        return self._cdf(2 * mean - value, mean, sd)

    def _sample(self, shape: tuple[int, ...], mean: Tensor, sd: Tensor) -> Tensor:
        u = self._uniform(shape + mean.shape)
        side = ops.where(u < 0.5, ops.log(2 * u), -ops.log(2 * (1 - u)))
        return mean + sd * side


class StudentT(Distribution):
    """Student's t distribution, of which MindSpore has the density alone.

    Args:
        df: degrees of freedom, above 0.
        mean, sd: its middle, and its scale, above 0.
        seed, dtype, name: see `Distribution`.

    Raises:
        TypeError, ValueError: as `Distribution`; a `df` or `sd` that is not above 0.

    >>> print(nn.probability.distribution.StudentT(1.0, 0.0, 1.0).prob(Tensor([0.0])))
    [0.31830987]
    """

    def __init__(
        self,
        df: TensorLike | None = None,
        mean: TensorLike | None = None,
        sd: TensorLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "StudentT",
    ):
        self._made(seed, dtype, name, "f", {"df": df, "mean": mean, "sd": sd})
        self._positive("sd", "df")

    def _mode(self, df: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        return mean

    def _log_prob(self, value: Tensor, df: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        z = (value - mean) / sd
        scale = ops.log(sd) + 0.5 * ops.log(df) + 0.5 * math.log(math.pi)
        scale = scale + ops.lgamma(0.5 * df) - ops.lgamma(0.5 * (df + 1))
        return -0.5 * (df + 1) * ops.log1p(ops.square(z) / df) - scale
