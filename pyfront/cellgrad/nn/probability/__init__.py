"""Probability: distributions, and transforms of them.

>>> from cellgrad.nn.probability import bijector, distribution
>>> normal = distribution.Normal(0.0, 1.0)
>>> print(normal.log_prob(Tensor(0.0)))
-0.9189385
"""

from cellgrad.nn.probability import bijector, distribution

__all__ = ["bijector", "distribution"]
