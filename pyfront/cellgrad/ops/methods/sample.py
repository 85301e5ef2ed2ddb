"""Methods of Tensor for counts, quantiles and parts, in terms of ``cellgrad.ops``."""

from __future__ import annotations

from typing import Any

from cellgrad import ops as _ops
from cellgrad.core.tensor import Tensor
from cellgrad.ops.sorting import kth

# The `self` of these classes is no Tensor to type checkers.
ops: Any = _ops


class SampleMethods:
    """Methods."""

    __slots__ = ()

    # --- samples --------------------------------------------------------------------------------

    def bincount(self, weights: Any = None, minlength: int = 0) -> Tensor:
        """See `ops.bincount`.

        >>> print(Tensor([1, 1, 3]).bincount())
        [0. 2. 0. 1.]
        """
        return ops.bincount(self, weights, minlength)

    def histc(self, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Tensor:
        """See `ops.histc`.

        >>> print(Tensor([1.0, 2.0, 1.0]).histc(bins=4, min=0.0, max=3.0))
        [0. 2. 1. 0.]
        """
        return ops.histc(self, bins, min, max)

    def quantile(self, q: Any, axis: int | None = None, keepdims: bool = False) -> Tensor:
        """See `ops.quantile`.

        >>> print(Tensor([0.0, 1.0, 2.0, 4.0]).quantile(0.5))
        1.5
        """
        return ops.quantile(self, q, axis, keepdims)

    def nanquantile(self, q: Any, axis: int | None = None, keepdims: bool = False) -> Tensor:
        """See `ops.nanquantile`.

        >>> print(Tensor([1.0, float('nan'), 2.0]).nanquantile(0.5))
        1.5
        """
        return ops.nanquantile(self, q, axis, keepdims)

    def nanmedian(self, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, Tensor]:
        """See `ops.nanmedian`.

        >>> value, index = Tensor([3.0, float('nan'), 1.0, 2.0]).nanmedian()
        >>> print(value, index)
        2.0 3
        """
        return ops.nanmedian(self, axis, keepdims)

    def diff(self, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
        """See `ops.diff`.

        >>> print(Tensor([1, 4, 9]).diff())
        [3 5]
        """
        return ops.diff(self, n, axis, prepend, append)

    def cov(self, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
        """See `ops.cov`.

        >>> print(Tensor([[0.0, 2.0, 4.0], [1.0, 0.0, -1.0]]).cov())
        [[ 4. -2.]
         [-2.  1.]]
        """
        return ops.cov(self, correction=correction, fweights=fweights, aweights=aweights)

    def ptp(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """The largest elements less the smallest over `axis`; see `ops.amax`.

        >>> print(Tensor([[1.0, 5.0], [3.0, 2.0]]).ptp(axis=1))
        [4. 1.]
        """
        return ops.sub(ops.amax(self, axis, keepdims), ops.amin(self, axis, keepdims))

    # --- extrema --------------------------------------------------------------------------------

    def argmax_with_value(self, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
        """The largest elements along `axis` and their positions (int32), in this order, while
        `ops.ArgMaxWithValue` gives the positions first.

        >>> value, index = Tensor([[1.0, 5.0], [3.0, 2.0]]).argmax_with_value(axis=1)
        >>> print(value, index)
        [5. 3.] [1 0]
        """
        index, value = ops.ArgMaxWithValue(axis, keep_dims)(self)
        return value, index

    def argmin_with_value(self, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
        """The smallest elements along `axis` and their positions (int32), in this order, while
        `ops.ArgMinWithValue` gives the positions first.

        >>> value, index = Tensor([[1.0, 5.0], [3.0, 2.0]]).argmin_with_value(axis=1)
        >>> print(value, index)
        [1. 2.] [0 1]
        """
        index, value = ops.ArgMinWithValue(axis, keep_dims)(self)
        return value, index

    def top_k(self, k: int, sorted: bool = True) -> tuple[Tensor, Tensor]:
        """See `ops.topk`.

        >>> values, indices = Tensor([1.0, 4.0, 2.0, 3.0]).top_k(2)
        >>> print(values, indices)
        [4. 3.] [1 3]
        """
        return ops.top_k(self, k, sorted)

    def kthvalue(self, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
        """The `k`-th smallest elements along `dim` and their positions (int64).

        Raises:
            ValueError: `k` or `dim` out of range.

        >>> value, index = Tensor([3.0, 1.0, 2.0]).kthvalue(2)
        >>> print(value, index)
        2.0 2
        """
        return kth(self, k, dim, keepdim)  # type: ignore[arg-type]

    def allclose(
        self, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
    ) -> bool:
        """Whether all elements are near those of another tensor; see `ops.isclose`.

        >>> print(Tensor([1.0]).allclose(Tensor([1.000001])))
        True
        """
        return bool(ops.all(ops.isclose(self, other, rtol, atol, equal_nan)))

    # --- matrices and kinds ---------------------------------------------------------------------

    @property
    def mT(self) -> Tensor:
        """Matrices transposed; see `ops.adjoint`.

        >>> print(Tensor([[1, 2], [3, 4]]).mT)
        [[1 3]
         [2 4]]
        """
        return ops.adjoint(self)

    mH = mT

    def adjoint(self) -> Tensor:
        """See `ops.adjoint`.

        >>> print(Tensor([[1.0, 2.0], [3.0, 4.0]]).adjoint())
        [[1. 3.]
         [2. 4.]]
        """
        return ops.adjoint(self)

    def matrix_determinant(self) -> Tensor:
        """See `ops.det`.

        >>> print(Tensor([[2.0, 1.0], [1.0, 2.0]]).matrix_determinant())
        3.0
        """
        return ops.det(self)

    def log_matrix_determinant(self) -> tuple[Tensor, Tensor]:
        """See `ops.slogdet`.

        >>> sign, log = Tensor([[2.0, 0.0], [0.0, -4.0]]).log_matrix_determinant()
        >>> print(sign, log)
        -1.0 2.0794415
        """
        return ops.slogdet(self)

    def isreal(self) -> Tensor:
        """See `ops.isreal`.

        >>> print(Tensor([1.0, -2.0]).isreal())
        [ True  True]
        """
        return ops.isreal(self)

    def real(self) -> Tensor:
        """See `ops.real`.

        >>> print(Tensor([1.0, -2.0]).real())
        [ 1. -2.]
        """
        return ops.real(self)

    def conj(self) -> Tensor:
        """See `ops.conj`.

        >>> print(Tensor([1.0, -2.0]).conj())
        [ 1. -2.]
        """
        return ops.conj(self)
