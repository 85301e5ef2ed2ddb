"""Methods of Tensor for special functions, statistics and random numbers, in terms of
``cellgrad.ops``.
"""

from __future__ import annotations

from typing import Any

from cellgrad import ops as _ops
from cellgrad.core.dtype import Type
from cellgrad.core.tensor import Tensor

# The `self` of these classes is no Tensor to type checkers.
ops: Any = _ops


class StatisticsMethods:
    """Methods."""

    __slots__ = ()

    # --- special functions ----------------------------------------------------------------------

    def lgamma(self) -> Tensor:
        """See `ops.lgamma`.

        >>> print(Tensor([1.0, 5.0]).lgamma())
        [0.        3.1780539]
        """
        return ops.lgamma(self)

    def digamma(self) -> Tensor:
        """See `ops.digamma`.

        >>> print(Tensor([1.0, 2.0]).digamma())
        [-0.5772157   0.42278433]
        """
        return ops.digamma(self)

    def mvlgamma(self, p: int) -> Tensor:
        """See `ops.mvlgamma`.

        >>> print(Tensor([3.0, 5.0]).mvlgamma(1))
        [0.6931472 3.1780539]
        """
        return ops.mvlgamma(self, p)

    def erfinv(self) -> Tensor:
        """See `ops.erfinv`.

        >>> print(Tensor([0.0, 0.5]).erfinv())
        [0.         0.47693625]
        """
        return ops.erfinv(self)

    def logit(self, eps: float | None = None) -> Tensor:
        """See `ops.logit`.

        >>> print(Tensor([0.5]).logit())
        [0.]
        """
        return ops.logit(self, eps)

    def ldexp(self, other: Any) -> Tensor:
        """See `ops.ldexp`.

        >>> print(Tensor([1.0, 3.0]).ldexp(Tensor([2, 1])))
        [4. 6.]
        """
        return ops.ldexp(self, other)

    # --- statistics -----------------------------------------------------------------------------

    def norm(
        self, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Type | None = None
    ) -> Tensor:
        """See `ops.norm`.

        >>> print(Tensor([3.0, 4.0]).norm())
        5.0
        """
        return ops.norm(self, ord, dim, keepdim, dtype=dtype)

    def nanmean(
        self, axis: Any = None, keepdims: bool = False, *, dtype: Type | None = None
    ) -> Tensor:
        """See `ops.nanmean`.

        >>> print(Tensor([1.0, float('nan'), 3.0]).nanmean())
        2.0
        """
        return ops.nanmean(self, axis, keepdims, dtype=dtype)

    def aminmax(self, *, axis: Any = 0, keepdims: bool = False) -> tuple[Tensor, Tensor]:
        """See `ops.aminmax`.

        >>> low, high = Tensor([3.0, 1.0, 2.0]).aminmax()
        >>> print(low, high)
        1.0 3.0
        """
        return ops.aminmax(self, axis=axis, keepdims=keepdims)

    # --- order and accumulation -----------------------------------------------------------------

    def cumprod(self, dim: int, dtype: Type | None = None) -> Tensor:
        """See `ops.cumprod`.

        >>> print(Tensor([1.0, 2.0, 3.0]).cumprod(0))
        [1. 2. 6.]
        """
        return ops.cumprod(self, dim, dtype)

    def cummax(self, axis: int) -> tuple[Tensor, Tensor]:
        """See `ops.cummax`.

        >>> values, indices = Tensor([1.0, 3.0, 2.0]).cummax(0)
        >>> print(values, indices)
        [1. 3. 3.] [0 1 1]
        """
        return ops.cummax(self, axis)

    def cummin(self, axis: int) -> tuple[Tensor, Tensor]:
        """See `ops.cummin`.

        >>> values, indices = Tensor([3.0, 1.0, 2.0]).cummin(0)
        >>> print(values, indices)
        [3. 1. 1.] [0 1 1]
        """
        return ops.cummin(self, axis)

    def logcumsumexp(self, axis: int) -> Tensor:
        """See `ops.logcumsumexp`.

        >>> print(Tensor([0.0, 1.0, 2.0]).logcumsumexp(0))
        [0.        1.3132617 2.4076061]
        """
        return ops.logcumsumexp(self, axis)

    # --- random numbers -------------------------------------------------------------------------

    def bernoulli(self) -> Tensor:
        """Ones with the probabilities that the elements are, else zeros; see `ops.bernoulli`.

        >>> print(Tensor([1.0, 0.0, 1.0]).bernoulli())
        [1. 0. 1.]
        """
        return ops.bernoulli(self, self)

    def multinomial(
        self, num_samples: int, replacement: bool = True, seed: int | None = None
    ) -> Tensor:
        """See `ops.multinomial`.

        >>> print(Tensor([0.0, 1.0, 0.0]).multinomial(4))
        [1 1 1 1]
        """
        return ops.multinomial(self, num_samples, replacement, seed)
