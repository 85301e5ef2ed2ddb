"""Distributions of what a bijector makes of the numbers of another distribution."""

from __future__ import annotations

import math
from typing import Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import argument_error, check_instance
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.nn.probability import bijector as bijectors
from cellgrad.nn.probability.bijector import Bijector
from cellgrad.nn.probability.distribution.base import Distribution, parameter
from cellgrad.nn.probability.distribution.continuous import Normal, Uniform

_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)


class TransformedDistribution(Distribution):
    """The distribution of ``bijector.forward(x)``, where x has another distribution. Methods take the
    parameters of that one.

    Args:
        bijector: a Bijector.
        distribution: a Distribution of floating-point numbers.
        seed, name: see `Distribution`.

    Raises:
        TypeError: arguments of other types.
        ValueError: the mean of one whose bijector is not linear.

    >>> from cellgrad.nn.probability import bijector, distribution
    >>> lognormal = distribution.TransformedDistribution(bijector.Exp(), distribution.Normal(0.0, 1.0))
    >>> print(lognormal.cdf(Tensor([1.0])))
    [0.5]
    """

    def __init__(
        self,
        bijector: Bijector,
        distribution: Distribution,
        seed: int | None = None,
        name: str = "transformed_distribution",
    ):
        owner = type(self).__name__
        check_instance(bijector, owner, "bijector", Bijector)
        check_instance(distribution, owner, "distribution", Distribution)
        if distribution.dtype.kind != "f":
            raise argument_error(
                TypeError, owner, "distribution", "one of floating-point numbers", distribution
            )
        super().__init__(seed, distribution.dtype, name, {})
        self._parameters = {"bijector": bijector, "distribution": distribution}
        self._bijector = bijector
        self._distribution = distribution
        self.parameter_type = distribution.parameter_type
        self.parameter_names = list(distribution.parameter_names)
        self._is_scalar_batch = distribution.is_scalar_batch and bijector.is_scalar_batch
        self._batch_shape = distribution.batch_shape

    @property
    def bijector(self) -> Bijector:
        """What the numbers of the other distribution are given to."""
        return self._bijector

    @property
    def distribution(self) -> Distribution:
        """The other distribution."""
        return self._distribution

    @property
    def is_linear_transformation(self) -> bool:
        """Whether the bijector is linear."""
        return self._bijector.is_constant_jacobian

    @property
    def broadcast_shape(self) -> tuple[int, ...] | None:
        """The shape of a number of each distribution of the batch."""
        own, other = self._batch_shape, self._bijector.batch_shape
        if own is None or other is None:
            return None
        return ops.broadcast_to(ops.zeros(own), (ops.zeros(own) + ops.zeros(other)).shape).shape

    def extend_repr(self) -> str:
        """The bijector and the distribution."""
        return f"{self._bijector.name}, {self._distribution.name}"

    def _default(self, name: str) -> Any:
        return self._distribution._default(name)

    def _cdf(self, value: Tensor, *parameters: Tensor) -> Tensor:
        x = self._bijector.inverse(value)
        below = self._distribution.cdf(x, *parameters)
        decreasing = self._bijector._decreasing(value)
        if decreasing is None:
            return below
        return ops.where(decreasing, self._distribution.survival_function(x, *parameters), below)

    def _log_prob(self, value: Tensor, *parameters: Tensor) -> Tensor:
        own = self._distribution.log_prob(self._bijector.inverse(value), *parameters)
        whole = own + self._bijector.inverse_log_jacobian(value)
        return ops.where(own == -math.inf, -math.inf, whole)

    def _mean(self, *parameters: Tensor) -> Tensor:
        if not self.is_linear_transformation:
            raise error(
                ValueError, "mean function must be implemented for non-linear transformation."
            )
        return self._bijector.forward(self._distribution.mean(*parameters))

    def _sample(self, shape: tuple[int, ...], *parameters: Tensor) -> Tensor:
        return self._bijector.forward(self._distribution.sample(shape, *parameters))


Bijector.transformed = TransformedDistribution


class LogNormal(TransformedDistribution):
    """The distribution of numbers whose logarithms are normal.

    Args:
        loc, scale: mean and standard deviation of the logarithm, `scale` above 0.
        seed, dtype, name: see `Distribution`.

    Raises:
        TypeError, ValueError: as `Distribution`; a `scale` that is not above 0.

    >>> print(nn.probability.distribution.LogNormal(0.0, 1.0).mean())
    1.6487212
    """

    def __init__(
        self,
        loc: TensorLike | None = None,
        scale: TensorLike | None = None,
        seed: int | None = 0,
        dtype: Type = mstype.float32,
        name: str = "LogNormal",
    ):
        normal = Normal(loc, scale, seed, dtype)
        super().__init__(bijectors.Exp(), normal, seed, name)
        self.parameter_names = ["loc", "scale"]

    def _default(self, name: str) -> Any:
        return self._distribution._default({"loc": "mean", "scale": "sd"}[name])

    loc = parameter("loc", "The mean of the logarithm.")
    scale = parameter("scale", "The standard deviation of the logarithm.")

    def _mean(self, loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        return ops.exp(loc + 0.5 * ops.square(scale))

    def _mode(self, loc: Tensor, scale: Tensor) -> Tensor:
        return ops.exp(loc - ops.square(scale))

    def _var(self, loc: Tensor, scale: Tensor) -> Tensor:
        square = ops.square(scale)
        return ops.expm1(square) * ops.exp(2 * loc + square)

    def _entropy(self, loc: Tensor, scale: Tensor) -> Tensor:
        return loc + 0.5 + ops.log(scale) + _HALF_LOG_2PI

    def _logarithm(self, value: Tensor) -> Tensor:
        return ops.log(ops.where(value > 0, value, 1.0))

    def _cdf(self, value: Tensor, *parameters: Tensor) -> Tensor:
        own = self._distribution.cdf(self._logarithm(value), *parameters)
        return ops.where(value > 0, own, 0.0)

    def _survival_function(self, value: Tensor, *parameters: Tensor) -> Tensor:
        own = self._distribution.survival_function(self._logarithm(value), *parameters)
        return ops.where(value > 0, own, 1.0)

    def _log_prob(self, value: Tensor, *parameters: Tensor) -> Tensor:
        x = self._logarithm(value)
        own = self._distribution.log_prob(x, *parameters) - x
        return ops.where(value > 0, own, -math.inf)

    def _kl_loss(
        self, dist: str, loc_b: Tensor, scale_b: Tensor, loc: Tensor, scale: Tensor
    ) -> Tensor:
        return self._distribution.kl_loss("Normal", loc_b, scale_b, loc, scale)


class Gumbel(TransformedDistribution):
    """The Gumbel distribution of largest numbers.

    Args:
        loc, scale: its most probable value, and its scale, above 0.
        seed, dtype, name: see `Distribution`.

    Raises:
        TypeError, ValueError: as `Distribution`; a `scale` that is not above 0.

    >>> print(nn.probability.distribution.Gumbel(0.0, 1.0).cdf(Tensor([0.0])))
    [0.36787945]
    """

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        seed: int | None = 0,
        dtype: Type = mstype.float32,
        name: str = "Gumbel",
    ):
        if not isinstance(dtype, Type) or dtype.kind != "f":
            raise argument_error(TypeError, name, "dtype", "a floating-point type", dtype)
        bijector = bijectors.GumbelCDF(loc, scale)
        super().__init__(bijectors.Invert(bijector), Uniform(0.0, 1.0, dtype=dtype), seed, name)
        Distribution.__init__(self, seed, dtype, name, {"param_dict": {"loc": loc, "scale": scale}})
        self._bijector = bijectors.Invert(bijector)
        self._distribution = Uniform(0.0, 1.0, dtype=dtype)
        self._add_parameter(loc, "loc")
        self._add_parameter(scale, "scale")

    def _default(self, name: str) -> Any:
        return getattr(self, f"_{name}_value")

    loc = parameter("loc", "The most probable value.")
    scale = parameter("scale", "The scale.")

    def _mean(self, loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        return loc + scale * 0.5772156649015329  # Euler's constant

    def _mode(self, loc: Tensor, scale: Tensor) -> Tensor:
        return loc

    def _sd(self, loc: Tensor, scale: Tensor) -> Tensor:
        return scale * (math.pi / math.sqrt(6))

    def _entropy(self, loc: Tensor, scale: Tensor) -> Tensor:
        return ops.log(scale) + 1.5772156649015329

    def _log_prob(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        z = (value - loc) / scale
        return -(z + ops.exp(-z)) - ops.log(scale)

    def _cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        return ops.exp(self._log_cdf(value, loc, scale))

    def _log_cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return -ops.exp((loc - value) / scale)

    def _survival_function(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return -ops.expm1(self._log_cdf(value, loc, scale))

    def _kl_loss(
        self, dist: str, loc_b: Tensor, scale_b: Tensor, loc: Tensor, scale: Tensor
    ) -> Tensor:
        ratio = scale / scale_b
        return (
            0.5772156649015329 * (ratio - 1)
            - ops.log(ratio)
            + (loc - loc_b) / scale_b
            + ops.expm1((loc_b - loc) / scale_b + ops.lgamma(ratio + 1))
        )

    def _sample(self, shape: tuple[int, ...], loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        return loc - scale * ops.log(-ops.log(self._uniform(shape + loc.shape)))
