"""Distributions: their probabilities, moments, entropies and random numbers, with gradients."""

from cellgrad.nn.probability.distribution.base import Distribution
from cellgrad.nn.probability.distribution.continuous import (
    Cauchy,
    Laplace,
    Logistic,
    Normal,
    StudentT,
    Uniform,
)
from cellgrad.nn.probability.distribution.discrete import (
    Bernoulli,
    Categorical,
    Geometric,
    Poisson,
)
from cellgrad.nn.probability.distribution.positive import Beta, Exponential, Gamma, HalfNormal
from cellgrad.nn.probability.distribution.transformed import (
    Gumbel,
    LogNormal,
    TransformedDistribution,
)

__all__ = [
    "Bernoulli",
    "Beta",
    "Categorical",
    "Cauchy",
    "Distribution",
    "Exponential",
    "Gamma",
    "Geometric",
    "Gumbel",
    "HalfNormal",
    "Laplace",
    "LogNormal",
    "Logistic",
    "Normal",
    "Poisson",
    "StudentT",
    "TransformedDistribution",
    "Uniform",
]
