"""Methods of Tensor for products and decompositions, in terms of ``cellgrad.ops``."""

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


class LinalgMethods:
    """Methods."""

    __slots__ = ()

    # --- products -----------------------------------------------------------------------------

    def matmul(self, tensor2: Tensor) -> Tensor:
        """See `ops.matmul`."""
        return ops.matmul(self, tensor2)

    def mm(self, mat2: Tensor) -> Tensor:
        """See `ops.mm`."""
        return ops.mm(self, mat2)

    def dot(self, other: Tensor) -> Tensor:
        """See `ops.dot`."""
        return ops.dot(self, other)

    def bmm(self, mat2: Tensor) -> Tensor:
        """See `ops.bmm`."""
        return ops.bmm(self, mat2)

    def outer(self, vec2: Tensor) -> Tensor:
        """See `ops.outer`."""
        return ops.outer(self, vec2)

    def ger(self, vec2: Tensor) -> Tensor:
        """See `ops.ger`."""
        return ops.ger(self, vec2)

    def inner(self, other: Tensor) -> Tensor:
        """See `ops.inner`."""
        return ops.inner(self, other)

    def cross(self, other: Tensor, dim: int | None = None) -> Tensor:
        """See `ops.cross`."""
        return ops.cross(self, other, dim)

    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """See `ops.addmm`."""
        return ops.addmm(self, mat1, mat2, beta=beta, alpha=alpha)

    def addmv(self, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """See `ops.addmv`."""
        return ops.addmv(self, mat, vec, beta=beta, alpha=alpha)

    def addr(self, vec1: Tensor, vec2: Tensor, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """See `ops.addr`."""
        return ops.addr(self, vec1, vec2, beta=beta, alpha=alpha)

    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """See `ops.baddbmm`."""
        return ops.baddbmm(self, batch1, batch2, beta=beta, alpha=alpha)

    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """See `ops.addbmm`."""
        return ops.addbmm(self, batch1, batch2, beta=beta, alpha=alpha)

    def trace(
        self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Type | None = None
    ) -> Tensor:
        """The sum of a diagonal of two dimensions, which are dropped."""
        return ops.products.trace_of(self, offset, axis1, axis2, dtype)

    # --- factorizations -----------------------------------------------------------------------

    def cholesky(self, upper: bool = False) -> Tensor:
        """See `ops.cholesky`."""
        return ops.cholesky(self, upper)

    def cholesky_inverse(self, upper: bool = False) -> Tensor:
        """See `ops.cholesky_inverse`."""
        return ops.cholesky_inverse(self, upper)

    def cholesky_solve(self, input2: Tensor, upper: bool = False) -> Tensor:
        """See `ops.cholesky_solve`."""
        return ops.cholesky_solve(self, input2, upper)

    def inverse(self) -> Tensor:
        """See `ops.inverse`."""
        return ops.inverse(self)

    def det(self) -> Tensor:
        """See `ops.det`."""
        return ops.det(self)

    def logdet(self) -> Tensor:
        """See `ops.logdet`."""
        return ops.logdet(self)

    def slogdet(self) -> tuple[Tensor, Tensor]:
        """See `ops.slogdet`."""
        return ops.slogdet(self)

    def matrix_power(self, n: int) -> Tensor:
        """See `ops.matrix_power`."""
        return ops.matrix_power(self, n)

    def qr(self, some: bool = True) -> tuple[Tensor, Tensor]:
        """See `ops.qr`; without `some`, the complete decomposition."""
        return ops.qr(self, "reduced" if some else "complete")

    def lstsq(self, A: Tensor) -> Tensor:
        """See `ops.lstsq`."""
        return ops.lstsq(self, A)

    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """See `ops.lu_solve`."""
        return ops.lu_solve(self, LU_data, LU_pivots)
