"""Distributions of whole numbers."""

from __future__ import annotations

import math

import numpy as np

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import argument_error, check_ndim
from cellgrad.core.dtype import Type
from cellgrad.core.tensor import Tensor
from cellgrad.nn import random_draws
from cellgrad.nn.probability._parameters import check_elements
from cellgrad.nn.probability.distribution.base import Distribution, parameter


class Bernoulli(Distribution):
    """1 with a probability, else 0.

    Args:
        probs: the probability of 1, between 0 and 1.
        seed, dtype, name: see `Distribution`.

    Raises:
        TypeError, ValueError: as `Distribution`; a probability of 0 or below, of 1 or above.

    >>> print(nn.probability.distribution.Bernoulli(0.25).prob(Tensor([0, 1])))
    [0.75 0.25]
    """

    def __init__(
        self,
        probs: TensorLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.int32,
        name: str = "Bernoulli",
    ):
        self._made(seed, dtype, name, "iuf", {"probs": probs})
        self._probability("probs")

    probs = parameter("probs", "The probability of 1.")

    def _mean(self, probs: Tensor) -> Tensor:
        return probs

    def _mode(self, probs: Tensor) -> Tensor:
        return ops.cast(probs > 0.5, self.dtype)

    def _var(self, probs: Tensor) -> Tensor:
        return probs * (1 - probs)

    def _entropy(self, probs: Tensor) -> Tensor:
        return -(1 - probs) * ops.log1p(-probs) - probs * ops.log(probs)

    def _log_prob(self, value: Tensor, probs: Tensor) -> Tensor:
        # Within rounding of 0 and 1, so that there are no products of 0 and infinity.
        least = float(np.finfo(mstype.to_numpy(probs.dtype)).eps)
        p = ops.clamp(probs, least, 1 - least)
        return ops.log(p) * value + ops.log1p(-p) * (1 - value)

    def _cdf(self, value: Tensor, probs: Tensor) -> Tensor:
        return ops.where(value < 0, 0.0, ops.where(value < 1, 1 - probs, 1.0))

    def _kl_loss(self, dist: str, probs_b: Tensor, probs: Tensor) -> Tensor:
        return probs * ops.log(probs / probs_b) + (1 - probs) * (
            ops.log1p(-probs) - ops.log1p(-probs_b)
        )

    def _sample(self, shape: tuple[int, ...], probs: Tensor) -> Tensor:
        return ops.cast(self._uniform(shape + probs.shape) < probs, self.dtype)


class Geometric(Distribution):
    """The number of failures before the first success.

    Args:
        probs: the probability of a success, between 0 and 1.
        seed, dtype, name: see `Distribution`.

    Raises:
        TypeError, ValueError: as `Distribution`; a probability of 0 or below, of 1 or above.

    >>> print(nn.probability.distribution.Geometric(0.5).prob(Tensor([-1, 0, 2])))
    [0.    0.5   0.125]
    """

    def __init__(
        self,
        probs: TensorLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.int32,
        name: str = "Geometric",
    ):
        self._made(seed, dtype, name, "iuf", {"probs": probs})
        self._probability("probs")

    probs = parameter("probs", "The probability of a success.")

    def _mean(self, probs: Tensor) -> Tensor:
        return (1 - probs) / probs

    def _mode(self, probs: Tensor) -> Tensor:
        return ops.zeros(probs.shape, self.dtype)

    def _var(self, probs: Tensor) -> Tensor:
        return (1 - probs) / ops.square(probs)

    def _entropy(self, probs: Tensor) -> Tensor:
        return (-(1 - probs) * ops.log1p(-probs) - probs * ops.log(probs)) / probs

    def _log_prob(self, value: Tensor, probs: Tensor) -> Tensor:
        own = ops.floor(value) * ops.log1p(-probs) + ops.log(probs)
        return ops.where(value < 0, -math.inf, own)

    def _log_survival(self, value: Tensor, probs: Tensor) -> Tensor:
        return ops.where(value < 0, 0.0, (ops.floor(value) + 1) * ops.log1p(-probs))

    def _kl_loss(self, dist: str, probs_b: Tensor, probs: Tensor) -> Tensor:
        failures = ops.log1p(-probs) - ops.log1p(-probs_b)
        return ops.log(probs / probs_b) + (1 - probs) / probs * failures

    def _sample(self, shape: tuple[int, ...], probs: Tensor) -> Tensor:
        u = self._uniform(shape + probs.shape)
        return ops.floor(ops.log(u) / ops.log1p(-probs))


class Poisson(Distribution):
    """The Poisson distribution.

    Args:
        rate: the mean, above 0; no plain number.
        seed, dtype, name: see `Distribution`.

    Raises:
        TypeError, ValueError: as `Distribution`; a `rate` that is not above 0.

    >>> print(nn.probability.distribution.Poisson([1.0]).prob(Tensor([-1.0, 0.0, 1.0])))
    [0.         0.36787945 0.36787945]
    """

    def __init__(
        self,
        rate: TensorLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.float32,
        name: str = "Poisson",
    ):
        if isinstance(rate, int | float):
            hint = f"write ms.Tensor([{rate}])"
            raise argument_error(TypeError, name, "rate", "a list, array or Tensor", rate, hint)
        self._made(seed, dtype, name, "iuf", {"rate": rate})
        self._positive("rate")

    rate = parameter("rate", "The mean.")

    def _mean(self, rate: Tensor) -> Tensor:
        return rate

    _var = _mean

    def _mode(self, rate: Tensor) -> Tensor:
        return ops.floor(rate)

    def _log_prob(self, value: Tensor, rate: Tensor) -> Tensor:
        x = ops.relu(value)
        own = x * ops.log(rate) - ops.lgamma(x + 1) - rate
        return ops.where(value < 0, -math.inf, own)

    def _cdf(self, value: Tensor, rate: Tensor) -> Tensor:
        return ops.where(value < 0, 0.0, ops.igammac(ops.floor(ops.relu(value)) + 1, rate))

    def _survival_function(self, value: Tensor, rate: Tensor) -> Tensor:
        return ops.where(value < 0, 1.0, ops.igamma(ops.floor(ops.relu(value)) + 1, rate))

    def _sample(self, shape: tuple[int, ...], rate: Tensor) -> Tensor:
        sizes = Tensor(np.array(shape, np.int64))
        return random_draws.random_poisson(sizes, rate, self._stream.next(), self._drawn_in())


class Categorical(Distribution):
    """One of the classes 0, 1, ..., each with its probability.

    Args:
        probs: along the last dimension the probabilities, between 0 and 1, which add up to 1.
        seed, dtype, name: see `Distribution`.

    Raises:
        TypeError, ValueError: as `Distribution`; a probability of 0 or below, of 1 or above; other sums;
            no dimensions.

    >>> print(nn.probability.distribution.Categorical([0.25, 0.75]).prob(Tensor([0, 1, 1])))
    [0.25 0.75 0.75]
    """

    def __init__(
        self,
        probs: TensorLike | None = None,
        seed: int | None = None,
        dtype: Type = mstype.int32,
        name: str = "Categorical",
    ):
        self._made(seed, dtype, name, "iuf", {"probs": probs})
        given = self.probs
        if given is None:
            return
        check_ndim(given, name, "probs", at_least=1)
        self._probability("probs")
        slack = 10 * float(np.finfo(mstype.to_numpy(given.dtype)).eps)
        one = f"{given.shape[-1]} numbers that add up to one"
        check_elements(given, name, "probs", one, lambda v: abs(v.sum(-1) - 1) <= slack)
        self._is_scalar_batch = given.ndim == 1

    probs = parameter("probs", "The probabilities.")

    @property
    def broadcast_shape(self) -> tuple[int, ...] | None:
        """The shape of a number of each distribution of the batch."""
        return None if self.batch_shape is None else self.batch_shape[:-1]

    def _numbers(self, probs: Tensor) -> Tensor:
        return Tensor(np.arange(probs.shape[-1]), probs.dtype)

    def _mean(self, probs: Tensor) -> Tensor:
        return ops.reduce_sum(self._numbers(probs) * probs, -1, True)

    def _var(self, probs: Tensor) -> Tensor:
        away = self._numbers(probs) - self._mean(probs)
        return ops.reduce_sum(ops.square(away) * probs, -1, True)

    def _mode(self, probs: Tensor) -> Tensor:
        return ops.cast(ops.argmax(probs, -1), self.dtype)

    def _entropy(self, probs: Tensor) -> Tensor:
        return -ops.reduce_sum(ops.log(probs) * probs, -1)

    def _kl_loss(self, dist: str, probs_b: Tensor, probs: Tensor) -> Tensor:
        a = ops.log_softmax(ops.log(probs), -1)
        return ops.reduce_sum(ops.exp(a) * (a - ops.log_softmax(ops.log(probs_b), -1)), -1)

    def _at(self, value: Tensor, table: Tensor, below: float, above: float | None) -> Tensor:
        """The element of each row of a table that a value names, and what stands beyond them."""
        count = table.shape[-1]
        # Numbers between -1 and 0 count as 0, as in MindSpore.
        number = ops.where(ops.logical_and(value > -1, value < 0), 0.0, ops.floor(value))
        shape = np.broadcast_shapes(number.shape, table.shape[:-1])
        place = ops.cast(ops.clamp(number, 0.0, count - 1.0), mstype.int32)
        place = ops.expand_dims(ops.broadcast_to(place, shape), -1)
        found = ops.gather_elements(ops.broadcast_to(table, (*shape, count)), len(shape), place)
        out = ops.where(number < 0, below, ops.squeeze(found, -1))
        return out if above is None else ops.where(number > count - 1, above, out)

    def _log_prob(self, value: Tensor, probs: Tensor) -> Tensor:
        return self._at(value, ops.log(probs), math.nan, math.nan)

    def _cdf(self, value: Tensor, probs: Tensor) -> Tensor:
        return self._at(value, ops.cumsum(probs, -1), 0.0, None)

    def _sample(self, shape: tuple[int, ...], probs: Tensor) -> Tensor:
        rows = ops.reshape(probs, (-1, probs.shape[-1]))
        drawn = ops.multinomial(rows, math.prod(shape), True, self._stream.next())
        return ops.reshape(ops.swapaxes(drawn, 0, 1), shape + probs.shape[:-1])
