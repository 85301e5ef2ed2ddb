"""Products that sum over a shared dimension."""

from __future__ import annotations

from typing import Any

from cellgrad._errors import error
from cellgrad.common import dtype as mstype
from cellgrad.common.tensor import Tensor
from cellgrad.ops._core import (
    broadcast_shapes,
    broadcast_to_shape,
    cast_to,
    check_tensor,
    emit,
    operation,
    reshape_to,
)

__all__ = [
    "batch_mat_mul",
    "bmm",
    "dot",
    "mat_mul",
    "matmul",
    "mm",
]


def _check_shared(op: str, a: Tensor, b: Tensor, transpose_a: bool, transpose_b: bool) -> None:
    m = a.shape[-2 if transpose_a else -1]
    n = b.shape[-1 if transpose_b else -2]
    if m != n:
        flags = (
            f" with transpose_a={transpose_a}, transpose_b={transpose_b}"
            if transpose_a or transpose_b
            else ""
        )
        raise error(
            ValueError,
            f"For '{op}' the input dimensions must be equal, but got {m} in the first shape "
            f"{list(a.shape)} and {n} in the "
            f"second shape {list(b.shape)}{flags}.",
            "transpose an operand (x.T, transpose_b=True), or check the order of the operands",
        )


def _matmul(a: Tensor, b: Tensor, transpose_a: bool, transpose_b: bool) -> Tensor:
    return emit("cell.matmul", [a, b], {"transpose_a": transpose_a, "transpose_b": transpose_b})


def _pair(op: str, x: Any, y: Any) -> tuple[Tensor, Tensor]:
    a, b = check_tensor(x, op, "input"), check_tensor(y, op, "other")
    dtype = mstype.promote(a.dtype, b.dtype)
    dtype = mstype.int64 if dtype.kind == "b" else dtype
    return cast_to(a, dtype), cast_to(b, dtype)


@operation
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The matrix product, with numpy's rules: vectors are rows or columns as needed, leading
    dimensions broadcast.

    Raises:
        TypeError: an operand that is not a Tensor.
        ValueError: 0-d operands, or dimensions that do not fit.
    """
    a, b = _pair("matmul", input, other)
    if a.ndim == 0 or b.ndim == 0:
        raise error(
            ValueError,
            f"For 'matmul', operands must have dimensions, but got shapes {list(a.shape)} and "
            f"{list(b.shape)}.",
        )
    row, column = a.ndim == 1, b.ndim == 1
    if row:
        a = reshape_to(a, (1, *a.shape))
    if column:
        b = reshape_to(b, (*b.shape, 1))
    _check_shared("matmul", a, b, False, False)
    if a.ndim > 2 and b.ndim == 2:
        # One product with the leading dimensions as rows.
        lead = a.shape[:-1]
        rows = 1
        for n in lead:
            rows *= n
        out = _matmul(reshape_to(a, (rows, a.shape[-1])), b, False, False)
        out = reshape_to(out, (*lead, b.shape[-1]))
    else:
        batch = broadcast_shapes(a.shape[:-2], b.shape[:-2], "matmul")
        a = broadcast_to_shape(a, (*batch, *a.shape[-2:]))
        b = broadcast_to_shape(b, (*batch, *b.shape[-2:]))
        out = _matmul(a, b, False, False)
    shape = out.shape
    if column:
        shape = shape[:-1]
    if row:
        shape = shape[:-2] + shape[-1:] if not column else shape[:-1]
    return reshape_to(out, shape)


@operation
def mat_mul(
    input: Tensor, mat2: Tensor, transpose_a: bool = False, transpose_b: bool = False
) -> Tensor:
    """`ops.MatMul`: the product of two matrices, each optionally transposed.

    Raises:
        ValueError: operands that are not matrices, or dimensions that do not fit.
    """
    a, b = _pair("MatMul", input, mat2)
    if a.ndim != 2 or b.ndim != 2:
        raise error(
            ValueError,
            "MatMul inputs should have the same dimension size and equal to 2, "
            f"but got shapes {list(a.shape)} and {list(b.shape)}.",
            "use ops.BatchMatMul or ops.matmul for other ranks",
        )
    _check_shared("MatMul", a, b, transpose_a, transpose_b)
    return _matmul(a, b, transpose_a, transpose_b)


@operation
def batch_mat_mul(
    x: Tensor, y: Tensor, transpose_a: bool = False, transpose_b: bool = False
) -> Tensor:
    """`ops.BatchMatMul`: products of the last two dimensions; the leading ones broadcast.

    Raises:
        ValueError: operands of rank < 2, or dimensions that do not fit.
    """
    a, b = _pair("BatchMatMul", x, y)
    if a.ndim < 2 or b.ndim < 2:
        raise error(
            ValueError,
            f"For 'BatchMatMul', operands need rank >= 2, but got shapes {list(a.shape)} and "
            f"{list(b.shape)}.",
        )
    _check_shared("BatchMatMul", a, b, transpose_a, transpose_b)
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2], "BatchMatMul")
    a = broadcast_to_shape(a, (*batch, *a.shape[-2:]))
    b = broadcast_to_shape(b, (*batch, *b.shape[-2:]))
    return _matmul(a, b, transpose_a, transpose_b)


def bmm(input_x: Tensor, mat2: Tensor) -> Tensor:
    """Products of the last two dimensions; the leading ones broadcast."""
    out: Tensor = batch_mat_mul(input_x, mat2)
    return out


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices."""
    out: Tensor = mat_mul(input, mat2)
    return out


def dot(input: Tensor, other: Tensor) -> Tensor:
    """Numpy's dot, of ranks to 2."""
    if isinstance(input, Tensor) and isinstance(other, Tensor) and max(input.ndim, other.ndim) > 2:
        raise error(
            ValueError,
            f"For 'dot', ranks to 2 are supported, but got shapes {list(input.shape)} and "
            f"{list(other.shape)}.",
            "use ops.matmul",
        )
    out: Tensor = matmul(input, other)
    return out
