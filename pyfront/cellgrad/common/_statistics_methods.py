"""Methods of Tensor for special functions, statistics and random numbers, in terms of
``cellgrad.ops``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cellgrad.common.dtype import Type
    from cellgrad.common.tensor import Tensor


class _LazyOps:
    """``cellgrad.ops``, imported on first use: it is built on Tensor."""

    def __getattr__(self, name: str) -> Any:
        global ops
        from cellgrad import ops as loaded

        ops = loaded
        return getattr(loaded, name)


ops: Any = _LazyOps()


class StatisticsMethods:
    """Methods."""

    __slots__ = ()

    # --- special functions ----------------------------------------------------------------------

    def lgamma(self) -> Tensor:
        """See `ops.lgamma`."""
        return ops.lgamma(self)

    def digamma(self) -> Tensor:
        """See `ops.digamma`."""
        return ops.digamma(self)

    def mvlgamma(self, p: int) -> Tensor:
        """See `ops.mvlgamma`."""
        return ops.mvlgamma(self, p)

    def erfinv(self) -> Tensor:
        """See `ops.erfinv`."""
        return ops.erfinv(self)

    def logit(self, eps: float | None = None) -> Tensor:
        """See `ops.logit`."""
        return ops.logit(self, eps)

    def ldexp(self, other: Any) -> Tensor:
        """See `ops.ldexp`."""
        return ops.ldexp(self, other)

    # --- statistics -----------------------------------------------------------------------------

    def norm(
        self, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Type | None = None
    ) -> Tensor:
        """See `ops.norm`."""
        return ops.norm(self, ord, dim, keepdim, dtype=dtype)

    def nanmean(
        self, axis: Any = None, keepdims: bool = False, *, dtype: Type | None = None
    ) -> Tensor:
        """See `ops.nanmean`."""
        return ops.nanmean(self, axis, keepdims, dtype=dtype)

    def aminmax(self, *, axis: Any = 0, keepdims: bool = False) -> tuple[Tensor, Tensor]:
        """See `ops.aminmax`."""
        return ops.aminmax(self, axis=axis, keepdims=keepdims)

    # --- order and accumulation -----------------------------------------------------------------

    def cumprod(self, dim: int, dtype: Type | None = None) -> Tensor:
        """See `ops.cumprod`."""
        return ops.cumprod(self, dim, dtype)

    def cummax(self, axis: int) -> tuple[Tensor, Tensor]:
        """See `ops.cummax`."""
        return ops.cummax(self, axis)

    def cummin(self, axis: int) -> tuple[Tensor, Tensor]:
        """See `ops.cummin`."""
        return ops.cummin(self, axis)

    def logcumsumexp(self, axis: int) -> Tensor:
        """See `ops.logcumsumexp`."""
        return ops.logcumsumexp(self, axis)

    # --- random numbers -------------------------------------------------------------------------

    def bernoulli(self) -> Tensor:
        """Ones with the probabilities that the elements are, else zeros; see `ops.bernoulli`."""
        return ops.bernoulli(self, self)

    def multinomial(
        self, num_samples: int, replacement: bool = True, seed: int | None = None
    ) -> Tensor:
        """See `ops.multinomial`."""
        return ops.multinomial(self, num_samples, replacement, seed)
