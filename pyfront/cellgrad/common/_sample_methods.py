"""Methods of Tensor for counts, quantiles and parts, in terms of ``cellgrad.ops``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cellgrad.common.tensor import Tensor


class _LazyOps:
    """``cellgrad.ops``, imported on first use: it is built on Tensor."""

    def __getattr__(self, name: str) -> Any:
        global ops
        from cellgrad import ops as loaded

        ops = loaded
        return getattr(loaded, name)


ops: Any = _LazyOps()


class SampleMethods:
    """Methods."""

    __slots__ = ()

    # --- samples --------------------------------------------------------------------------------

    def bincount(self, weights: Any = None, minlength: int = 0) -> Tensor:
        """See `ops.bincount`."""
        return ops.bincount(self, weights, minlength)

    def histc(self, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Tensor:
        """See `ops.histc`."""
        return ops.histc(self, bins, min, max)

    def quantile(self, q: Any, axis: int | None = None, keepdims: bool = False) -> Tensor:
        """See `ops.quantile`."""
        return ops.quantile(self, q, axis, keepdims)

    def nanquantile(self, q: Any, axis: int | None = None, keepdims: bool = False) -> Tensor:
        """See `ops.nanquantile`."""
        return ops.nanquantile(self, q, axis, keepdims)

    def nanmedian(self, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, Tensor]:
        """See `ops.nanmedian`."""
        return ops.nanmedian(self, axis, keepdims)

    def diff(self, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
        """See `ops.diff`."""
        return ops.diff(self, n, axis, prepend, append)

    def cov(self, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
        """See `ops.cov`."""
        return ops.cov(self, correction=correction, fweights=fweights, aweights=aweights)

    def ptp(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """The largest elements less the smallest over `axis`; see `ops.amax`."""
        return ops.sub(ops.amax(self, axis, keepdims), ops.amin(self, axis, keepdims))

    # --- extrema --------------------------------------------------------------------------------

    def argmax_with_value(self, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
        """See `ops.ArgMaxWithValue`."""
        return ops.ArgMaxWithValue(axis, keep_dims)(self)

    def argmin_with_value(self, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
        """See `ops.ArgMinWithValue`."""
        return ops.ArgMinWithValue(axis, keep_dims)(self)

    def top_k(self, k: int, sorted: bool = True) -> tuple[Tensor, Tensor]:
        """See `ops.topk`."""
        return ops.top_k(self, k, sorted)

    def kthvalue(self, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
        """The `k`-th smallest elements along `dim` and their positions (int64).

        Raises:
            ValueError: `k` or `dim` out of range.
        """
        from cellgrad.mint._helpers import kth

        return kth(self, k, dim, keepdim)  # type: ignore[arg-type]

    def allclose(
        self, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
    ) -> bool:
        """Whether all elements are near those of another tensor; see `ops.isclose`."""
        return bool(ops.all(ops.isclose(self, other, rtol, atol, equal_nan)))

    # --- matrices and kinds ---------------------------------------------------------------------

    @property
    def mT(self) -> Tensor:
        """Matrices transposed; see `ops.adjoint`."""
        return ops.adjoint(self)

    mH = mT

    def adjoint(self) -> Tensor:
        """See `ops.adjoint`."""
        return ops.adjoint(self)

    def matrix_determinant(self) -> Tensor:
        """See `ops.det`."""
        return ops.det(self)

    def log_matrix_determinant(self) -> tuple[Tensor, Tensor]:
        """See `ops.slogdet`."""
        return ops.slogdet(self)

    def isreal(self) -> Tensor:
        """See `ops.isreal`."""
        return ops.isreal(self)

    def real(self) -> Tensor:
        """See `ops.real`."""
        return ops.real(self)

    def conj(self) -> Tensor:
        """See `ops.conj`."""
        return ops.conj(self)
