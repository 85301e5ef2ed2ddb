"""Linear algebra under MindSpore's ``mint.linalg``."""

from typing import Any

from cellgrad import ops
from cellgrad.core.dtype import Type
from cellgrad.core.tensor import Tensor
from cellgrad.ops import norm

__all__ = ["inv", "matrix_norm", "norm", "qr", "vector_norm"]


def inv(input: Tensor) -> Tensor:
    """See `ops.inverse`.

    >>> print(mint.linalg.inv(Tensor([[2.0, 0.0], [0.0, 4.0]])))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    out: Tensor = ops.inverse(input)
    return out


def matrix_norm(
    A: Tensor,
    ord: Any = "fro",
    dim: Any = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: Type | None = None,
) -> Tensor:
    """See `ops.matrix_norm`.

    >>> print(mint.linalg.matrix_norm(Tensor([[3.0, 0.0], [0.0, 4.0]])))
    5.0
    """
    return ops.matrix_norm(A, ord, dim, keepdim, dtype=dtype)


def qr(A: Tensor, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    """See `ops.qr`.

    >>> q, r = mint.linalg.qr(Tensor([[3.0, 1.0], [4.0, 2.0]]))
    >>> print(ops.abs(r))
    [[5.         2.2       ]
     [0.         0.39999998]]
    """
    out: tuple[Tensor, Tensor] = ops.qr(A, mode)
    return out


def vector_norm(
    x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Type | None = None
) -> Tensor:
    """See `ops.vector_norm`.

    >>> print(mint.linalg.vector_norm(Tensor([3.0, 4.0])))
    5.0
    """
    return ops.vector_norm(x, ord, dim, keepdim, dtype=dtype)
