"""Methods of Tensor for products and decompositions, in terms of ``cellgrad.ops``."""

from __future__ import annotations

from typing import Any

from cellgrad import ops as _ops
from cellgrad.core.dtype import Type
from cellgrad.core.tensor import Tensor

# The `self` of these classes is no Tensor to type checkers.
ops: Any = _ops


class LinalgMethods:
    """Methods."""

    __slots__ = ()

    # --- products -----------------------------------------------------------------------------

    def matmul(self, tensor2: Tensor) -> Tensor:
        """See `ops.matmul`.

        >>> print(Tensor([[1.0, 2.0]]).matmul(Tensor([[3.0], [4.0]])))
        [[11.]]
        """
        return ops.matmul(self, tensor2)

    def mm(self, mat2: Tensor) -> Tensor:
        """See `ops.mm`.

        >>> print(Tensor([[1.0, 2.0]]).mm(Tensor([[3.0], [4.0]])))
        [[11.]]
        """
        return ops.mm(self, mat2)

    def dot(self, other: Tensor) -> Tensor:
        """See `ops.dot`.

        >>> print(Tensor([[1.0, 2.0], [3.0, 4.0]]).dot(Tensor([[1.0], [1.0]])))
        [[3.]
         [7.]]
        """
        return ops.dot(self, other)

    def bmm(self, mat2: Tensor) -> Tensor:
        """See `ops.bmm`.

        >>> print(ops.ones((2, 1, 3)).bmm(ops.ones((2, 3, 2))).shape)
        (2, 1, 2)
        """
        return ops.bmm(self, mat2)

    def outer(self, vec2: Tensor) -> Tensor:
        """See `ops.outer`.

        >>> print(Tensor([1, 2]).outer(Tensor([3, 4])))
        [[3 4]
         [6 8]]
        """
        return ops.outer(self, vec2)

    def ger(self, vec2: Tensor) -> Tensor:
        """See `ops.ger`.

        >>> print(Tensor([1.0, 2.0]).ger(Tensor([3.0, 4.0])))
        [[3. 4.]
         [6. 8.]]
        """
        return ops.ger(self, vec2)

    def inner(self, other: Tensor) -> Tensor:
        """See `ops.inner`.

        >>> print(Tensor([[1.0, 2.0], [3.0, 4.0]]).inner(Tensor([1.0, 10.0])))
        [21. 43.]
        """
        return ops.inner(self, other)

    def cross(self, other: Tensor, dim: int | None = None) -> Tensor:
        """See `ops.cross`.

        >>> print(Tensor([1.0, 0.0, 0.0]).cross(Tensor([0.0, 1.0, 0.0])))
        [0. 0. 1.]
        """
        return ops.cross(self, other, dim)

    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """See `ops.addmm`.

        >>> x, y = Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])
        >>> print(Tensor([[1.0]]).addmm(x, y, alpha=2))
        [[23.]]
        """
        return ops.addmm(self, mat1, mat2, beta=beta, alpha=alpha)

    def addmv(self, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """See `ops.addmv`.

        >>> matrix, vector = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 1.0])
        >>> print(Tensor([10.0, 20.0]).addmv(matrix, vector))
        [13. 27.]
        """
        return ops.addmv(self, mat, vec, beta=beta, alpha=alpha)

    def addr(self, vec1: Tensor, vec2: Tensor, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """See `ops.addr`.

        >>> print(ops.ones((2, 2)).addr(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
        [[4. 5.]
         [7. 9.]]
        """
        return ops.addr(self, vec1, vec2, beta=beta, alpha=alpha)

    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """See `ops.baddbmm`.

        >>> print(ops.ones((2, 1, 2)).baddbmm(ops.ones((2, 1, 3)), ops.ones((2, 3, 2))).flatten())
        [4. 4. 4. 4.]
        """
        return ops.baddbmm(self, batch1, batch2, beta=beta, alpha=alpha)

    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """See `ops.addbmm`.

        >>> x, y = ops.ones((2, 1, 3)), ops.ones((2, 3, 2))
        >>> print(Tensor([[1.0, 2.0]]).addbmm(x, y))
        [[7. 8.]]
        """
        return ops.addbmm(self, batch1, batch2, beta=beta, alpha=alpha)

    def trace(
        self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Type | None = None
    ) -> Tensor:
        """The sum of a diagonal of two dimensions, which are dropped.

        >>> print(Tensor([[1.0, 2.0], [3.0, 4.0]]).trace())
        5.0
        """
        return ops.products.trace_of(self, offset, axis1, axis2, dtype)

    # --- factorizations -----------------------------------------------------------------------

    def cholesky(self, upper: bool = False) -> Tensor:
        """See `ops.cholesky`.

        >>> print(Tensor([[4.0, 2.0], [2.0, 5.0]]).cholesky())
        [[2. 0.]
         [1. 2.]]
        """
        return ops.cholesky(self, upper)

    def cholesky_inverse(self, upper: bool = False) -> Tensor:
        """See `ops.cholesky_inverse`.

        >>> print(Tensor([[2.0, 0.0], [0.0, 4.0]]).cholesky_inverse())
        [[0.25   0.    ]
         [0.     0.0625]]
        """
        return ops.cholesky_inverse(self, upper)

    def cholesky_solve(self, input2: Tensor, upper: bool = False) -> Tensor:
        """See `ops.cholesky_solve`.

        >>> print(Tensor([[8.0], [16.0]]).cholesky_solve(Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [[2.]
         [1.]]
        """
        return ops.cholesky_solve(self, input2, upper)

    def inverse(self) -> Tensor:
        """See `ops.inverse`.

        >>> print(Tensor([[2.0, 0.0], [0.0, 4.0]]).inverse())
        [[0.5  0.  ]
         [0.   0.25]]
        """
        return ops.inverse(self)

    def det(self) -> Tensor:
        """See `ops.det`.

        >>> print(Tensor([[4.0, 2.0], [2.0, 5.0]]).det())
        16.0
        """
        return ops.det(self)

    def logdet(self) -> Tensor:
        """See `ops.logdet`.

        >>> print(Tensor([[2.0, 0.0], [0.0, 4.0]]).logdet())
        2.0794415
        """
        return ops.logdet(self)

    def slogdet(self) -> tuple[Tensor, Tensor]:
        """See `ops.slogdet`.

        >>> sign, log = Tensor([[2.0, 0.0], [0.0, -4.0]]).slogdet()
        >>> print(sign, log)
        -1.0 2.0794415
        """
        return ops.slogdet(self)

    def matrix_power(self, n: int) -> Tensor:
        """See `ops.matrix_power`.

        >>> print(Tensor([[1.0, 1.0], [0.0, 1.0]]).matrix_power(3))
        [[1. 3.]
         [0. 1.]]
        """
        return ops.matrix_power(self, n)

    def qr(self, some: bool = True) -> tuple[Tensor, Tensor]:
        """See `ops.qr`; without `some`, the complete decomposition.

        >>> q, r = Tensor([[3.0, 1.0], [4.0, 2.0]]).qr()
        >>> print(ops.abs(r))
        [[5.         2.2       ]
         [0.         0.39999998]]
        """
        return ops.qr(self, "reduced" if some else "complete")

    def lstsq(self, A: Tensor) -> Tensor:
        """See `ops.lstsq`.

        >>> x = Tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
        >>> print(x.lstsq(Tensor([[1.0], [4.0], [5.0]])))
        [[1.]
         [2.]]
        """
        return ops.lstsq(self, A)

    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """See `ops.lu_solve`.

        >>> lu, pivots = Tensor([[2.0, 0.0], [0.5, 4.0]]), Tensor([1, 2], ms.int32)
        >>> print(Tensor([[2.0], [9.0]]).lu_solve(lu, pivots))
        [[1.]
         [2.]]
        """
        return ops.lu_solve(self, LU_data, LU_pivots)
