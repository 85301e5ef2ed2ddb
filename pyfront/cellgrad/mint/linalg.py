"""Linear algebra under MindSpore's ``mint.linalg``."""

from typing import Any

from cellgrad import ops
from cellgrad.common.dtype import Type
from cellgrad.common.tensor import Tensor
from cellgrad.ops import norm

__all__ = ["inv", "matrix_norm", "norm", "qr", "vector_norm"]


def inv(input: Tensor) -> Tensor:
    """See `ops.inverse`."""
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
    """See `ops.matrix_norm`."""
    return ops.matrix_norm(A, ord, dim, keepdim, dtype=dtype)


def qr(A: Tensor, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    """See `ops.qr`."""
    out: tuple[Tensor, Tensor] = ops.qr(A, mode)
    return out


def vector_norm(
    x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Type | None = None
) -> Tensor:
    """See `ops.vector_norm`."""
    return ops.vector_norm(x, ord, dim, keepdim, dtype=dtype)
