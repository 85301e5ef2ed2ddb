"""Products that sum over a shared dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import argument_error, check_ndim
from cellgrad.core.errors import either, error
from cellgrad.core.record import (
    axis_of,
    broadcast_shapes,
    broadcast_to_shape,
    cast_to,
    check_tensor,
    emit,
    operation,
    reshape_to,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops._public import public
from cellgrad.ops.einsums import Term, contract


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
            either(ValueError, RuntimeError),
            f"For '{op}' the input dimensions must be equal, but got {m} in the first shape "
            f"{list(a.shape)} and {n} in the "
            f"second shape {list(b.shape)}{flags}.",
            "transpose an operand (x.T, transpose_b=True), or check the order of the operands",
        )


def _matmul(a: Tensor, b: Tensor, transpose_a: bool, transpose_b: bool) -> Tensor:
    return emit("cell.matmul", [a, b], {"transpose_a": transpose_a, "transpose_b": transpose_b})


def promoted(
    op: str, x: Any, y: Any, names: tuple[str, str] = ("input", "other")
) -> tuple[Tensor, Tensor]:
    """Two operands in their common dtype; bools are counted in int64."""
    a, b = check_tensor(x, op, names[0]), check_tensor(y, op, names[1])
    dtype = mstype.promote(a.dtype, b.dtype)
    dtype = mstype.int64 if dtype.kind == "b" else dtype
    return cast_to(a, dtype), cast_to(b, dtype)


@public(
    "Tensor.matmul(tensor2=None, *, other=None) = "
    "ops.matmul(self, tensor2 if other is None else other)",
    "mint.matmul",
)
@operation
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The matrix product, with numpy's rules: vectors are rows or columns as needed, leading
    dimensions broadcast.

    Raises:
        TypeError: an operand that is not a Tensor.
        ValueError: 0-d operands, or dimensions that do not fit.

    >>> print(ops.matmul(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])))
    [[11.]]
    """
    a, b = promoted("matmul", input, other)
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


@public()
@operation
def mat_mul(
    input: Tensor, mat2: Tensor, transpose_a: bool = False, transpose_b: bool = False
) -> Tensor:
    """`ops.MatMul`: the product of two matrices, each optionally transposed.

    Raises:
        ValueError: operands that are not matrices, or dimensions that do not fit.

    >>> x = Tensor([[1.0, 2.0]])
    >>> print(ops.mat_mul(x, x, transpose_b=True))
    [[5.]]
    """
    a, b = promoted("MatMul", input, mat2)
    if a.ndim != 2 or b.ndim != 2:
        raise error(
            ValueError,
            "MatMul inputs should have the same dimension size and equal to 2, "
            f"but got shapes {list(a.shape)} and {list(b.shape)}.",
            "use ops.BatchMatMul or ops.matmul for other ranks",
        )
    _check_shared("MatMul", a, b, transpose_a, transpose_b)
    return _matmul(a, b, transpose_a, transpose_b)


@public()
@operation
def batch_mat_mul(
    x: Tensor, y: Tensor, transpose_a: bool = False, transpose_b: bool = False
) -> Tensor:
    """`ops.BatchMatMul`: products of the last two dimensions; the leading ones broadcast.

    Raises:
        ValueError: operands of rank < 2, or dimensions that do not fit.

    >>> x = Tensor([[[1.0, 2.0]], [[3.0, 4.0]]])
    >>> print(ops.batch_mat_mul(x, x, transpose_b=True).flatten())
    [ 5. 25.]
    """
    a, b = promoted("BatchMatMul", x, y)
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


@public(
    "Tensor.bmm",
    "mint.bmm(input, mat2)",
)
def bmm(input_x: Tensor, mat2: Tensor) -> Tensor:
    """Products of the last two dimensions; the leading ones broadcast.

    >>> x, y = ops.ones((2, 1, 3)), ops.ones((2, 3, 2))
    >>> print(ops.bmm(x, y).shape)
    (2, 1, 2)
    """
    out: Tensor = batch_mat_mul(input_x, mat2)
    return out


@public(
    "Tensor.mm",
    "mint.mm",
)
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices.

    >>> print(ops.mm(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])))
    [[11.]]
    """
    out: Tensor = mat_mul(input, mat2)
    return out


def check_ranks(op: str, *checks: tuple[str, Tensor, int]) -> None:
    """Every tensor has the rank it needs."""
    for name, x, rank in checks:
        check_ndim(x, op, name, rank)


@public("mint.mv(input, vec)")
@operation
def mv(mat: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix [n, m] and a vector [m]: a vector [n].

    Raises:
        TypeError: an operand that is not a Tensor.
        ValueError: other ranks, or sizes that do not fit.

    >>> print(ops.mv(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0])))
    [21. 43.]
    """
    a, b = promoted("mv", mat, vec, ("mat", "vec"))
    check_ranks("mv", ("mat", a, 2), ("vec", b, 1))
    _check_shared("mv", a, reshape_to(b, (*b.shape, 1)), False, False)
    return contract(Term(a, (0, 1)), Term(b, (1,)), {0}).x


# --- a product added to a tensor --------------------------------------------------------------


def _scale(op: str, name: str, value: Any) -> Any:
    if not isinstance(value, int | float | np.number):
        raise argument_error(TypeError, op, name, "an int or float", value)
    return value.item() if isinstance(value, np.number) else value


def add_product(op: str, x: Any, product: Tensor, beta: Any, alpha: Any) -> Tensor:
    """beta * x + alpha * product; factors of 1 cost nothing, and beta 0 ignores x."""
    beta, alpha = _scale(op, "beta", beta), _scale(op, "alpha", alpha)
    x = check_tensor(x, op, "input")
    if alpha != 1:
        product = ew.binary("cell.mul", product, alpha)
    if broadcast_shapes(x.shape, product.shape, op) != product.shape:
        raise error(
            ValueError,
            f"For '{op}', 'input' of shape {list(x.shape)} cannot be broadcast to the product, "
            f"{list(product.shape)}.",
        )
    if beta == 0:
        return product
    if beta != 1:
        x = ew.binary("cell.mul", x, beta)
    return ew.binary("cell.add", x, product)


@public(
    "Tensor.addmm",
    "Tensor.addmm_",
    "mint.addmm",
)
@operation
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: TensorLike = 1, alpha: TensorLike = 1
) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``; `beta` 0 ignores the input.

    Raises:
        TypeError: operands that are not Tensors, factors that are not numbers.
        ValueError: shapes that do not fit.

    >>> x, y = Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])
    >>> print(ops.addmm(Tensor([[1.0]]), x, y, alpha=2))
    [[23.]]
    """
    a, b = promoted("addmm", mat1, mat2, ("mat1", "mat2"))
    check_ranks("addmm", ("mat1", a, 2), ("mat2", b, 2))
    _check_shared("addmm", a, b, False, False)
    return add_product("addmm", input, _matmul(a, b, False, False), beta, alpha)


@public(
    "Tensor.addmv(mat, vec, beta, alpha)",
    "mint.addmv",
)
@operation
def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: TensorLike = 1, alpha: TensorLike = 1
) -> Tensor:
    """``beta * input + alpha * (mat @ vec)``; `beta` 0 ignores the input.

    Raises:
        TypeError: operands that are not Tensors, factors that are not numbers.
        ValueError: shapes that do not fit.

    >>> matrix, vector = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 1.0])
    >>> print(ops.addmv(Tensor([10.0, 20.0]), matrix, vector))
    [13. 27.]
    """
    return add_product("addmv", input, mv(mat, vec), beta, alpha)


def _batches(op: str, batch1: Any, batch2: Any) -> tuple[Tensor, Tensor]:
    a, b = promoted(op, batch1, batch2, ("batch1", "batch2"))
    check_ranks(op, ("batch1", a, 3), ("batch2", b, 3))
    _check_shared(op, a, b, False, False)
    if a.shape[0] != b.shape[0]:
        raise error(
            ValueError,
            f"For '{op}', the batches must hold as many matrices, but got shapes {list(a.shape)} "
            f"and {list(b.shape)}.",
        )
    return a, b


@public(
    "Tensor.baddbmm(batch1, batch2, *, beta, alpha)",
    "mint.baddbmm",
)
@operation
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, beta: TensorLike = 1, alpha: TensorLike = 1
) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2)`` of 3-D batches; `beta` 0 ignores the input.

    Raises:
        TypeError: operands that are not Tensors, factors that are not numbers.
        ValueError: shapes that do not fit.

    >>> x, y = ops.ones((2, 1, 3)), ops.ones((2, 3, 2))
    >>> print(ops.baddbmm(ops.ones((2, 1, 2)), x, y).flatten())
    [4. 4. 4. 4.]
    """
    a, b = _batches("baddbmm", batch1, batch2)
    return add_product("baddbmm", input, _matmul(a, b, False, False), beta, alpha)


@public(
    "Tensor.addbmm",
    "mint.addbmm",
)
@operation
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: TensorLike = 1, alpha: TensorLike = 1
) -> Tensor:
    """``beta * input + alpha * sum(batch1 @ batch2)`` over the batch; `beta` 0 ignores the input.

    Raises:
        TypeError: operands that are not Tensors, factors that are not numbers.
        ValueError: shapes that do not fit.

    >>> x, y = ops.ones((2, 1, 3)), ops.ones((2, 3, 2))
    >>> print(ops.addbmm(Tensor([[1.0, 2.0]]), x, y))
    [[7. 8.]]
    """
    a, b = _batches("addbmm", batch1, batch2)
    product = contract(Term(a, (0, 1, 2)), Term(b, (0, 2, 3)), {1, 3}, (1, 3)).x
    return add_product("addbmm", input, product, beta, alpha)


# --- sums over chosen dimensions --------------------------------------------------------------


def _contract_dims(a: Tensor, b: Tensor, dims_a: list[int], dims_b: list[int]) -> Tensor:
    """The sum over pairs of dimensions; those left of `a` come first."""
    labels_a = tuple(range(a.ndim))
    labels_b = [a.ndim + i for i in range(b.ndim)]
    for i, j in zip(dims_a, dims_b, strict=True):
        labels_b[j] = i
    out = (
        *(v for v in labels_a if v not in dims_a),
        *(v for v in labels_b if v >= a.ndim),
    )
    return contract(Term(a, labels_a), Term(b, tuple(labels_b)), out, out).x


def _fit(op: str, a: Tensor, b: Tensor, dims_a: list[int], dims_b: list[int]) -> None:
    for i, j in zip(dims_a, dims_b, strict=True):
        if a.shape[i] != b.shape[j]:
            raise error(
                ValueError,
                f"For '{op}', the dimensions that are summed over must be equal, but dimension {i} "
                f"of {list(a.shape)} is {a.shape[i]} and dimension {j} of {list(b.shape)} is "
                f"{b.shape[j]}.",
            )


@public(
    "Tensor.dot",
    "mint.dot",
    "mint.vdot(input, other) = ops.dot(ops.conj(input), other)",
)
@operation
def dot(input: Tensor, other: Tensor) -> Tensor:
    """Numpy's dot: the sum over the last dimension of one and the last but one of the other.

    Args:
        input: Tensor of shape [..., n].
        other: Tensor of shape [n] or [..., n, m].

    Returns:
        Tensor of the remaining dimensions of `input`, then those of `other`.

    Raises:
        TypeError: an operand that is not a Tensor.
        ValueError: 0-d operands, or dimensions that do not fit.

    >>> print(ops.dot(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[1.0], [1.0]])))
    [[3.]
     [7.]]
    """
    a, b = promoted("dot", input, other)
    if a.ndim == 0 or b.ndim == 0:
        raise error(
            ValueError,
            f"For 'dot', operands must have dimensions, but got shapes {list(a.shape)} and "
            f"{list(b.shape)}.",
            "use ops.mul",
        )
    dims = [a.ndim - 1], [max(b.ndim - 2, 0)]
    _fit("dot", a, b, *dims)
    return _contract_dims(a, b, *dims)


@public("Tensor.inner")
@operation
def inner(input: Tensor, other: Tensor) -> Tensor:
    """The sum of products over the last dimensions; with a 0-d operand, the product.

    Raises:
        TypeError: an operand that is not a Tensor.
        ValueError: last dimensions that differ.

    >>> print(ops.inner(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0])))
    [21. 43.]
    """
    a, b = promoted("inner", input, other)
    if a.ndim == 0 or b.ndim == 0:
        return ew.binary("cell.mul", a, b)
    dims = [a.ndim - 1], [b.ndim - 1]
    _fit("inner", a, b, *dims)
    return _contract_dims(a, b, *dims)


@public()
@operation
def tensor_dot(
    x1: Tensor, x2: Tensor, axes: int | Sequence[int] | Sequence[Sequence[int]]
) -> Tensor:
    """The sum of products over chosen dimensions.

    Args:
        x1: Tensor.
        x2: Tensor.
        axes: an int k for the last k dimensions of `x1` and the first k of `x2`, or a pair: the
            dimensions of `x1` and those of `x2`, each an int or a sequence.

    Returns:
        Tensor of the remaining dimensions of `x1`, then those of `x2`.

    Raises:
        TypeError: operands that are not Tensors, `axes` of another type.
        ValueError: dimensions that are out of range, named twice, of different number or size.

    >>> print(ops.tensor_dot(ops.ones((2, 3)), ops.ones((3, 2)), 1))
    [[3. 3.]
     [3. 3.]]
    """
    a, b = promoted("tensor_dot", x1, x2, ("x1", "x2"))
    if isinstance(axes, int) and not isinstance(axes, bool):
        if not 0 <= axes <= min(a.ndim, b.ndim):
            wanted = f"from 0 to the rank of both operands, of shapes {list(a.shape)} and {list(b.shape)}"
            raise argument_error(ValueError, "tensor_dot", "axes", wanted, axes)
        dims_a, dims_b = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    else:
        if not isinstance(axes, tuple | list) or len(axes) != 2:
            raise argument_error(
                TypeError, "tensor_dot", "axes", "an int or a pair of ints or sequences", axes
            )
        listed = [tuple(v) if isinstance(v, tuple | list) else (v,) for v in axes]
        dims_a = [axis_of(v, a.ndim, "tensor_dot") for v in listed[0]]
        dims_b = [axis_of(v, b.ndim, "tensor_dot") for v in listed[1]]
        if (
            len(dims_a) != len(dims_b)
            or len(set(dims_a)) != len(dims_a)
            or len(set(dims_b)) != len(dims_b)
        ):
            raise error(
                ValueError,
                f"For 'tensor_dot', 'axes' must name as many dimensions of both operands, each "
                f"once, but got {axes!r}.",
            )
    _fit("tensor_dot", a, b, dims_a, dims_b)
    return _contract_dims(a, b, dims_a, dims_b)


@public()
def tensordot(
    x1: Tensor, x2: Tensor, axes: int | Sequence[int] | Sequence[Sequence[int]] = 2
) -> Tensor:
    """Same as `tensor_dot`, with numpy's name and default.

    >>> print(ops.tensordot(ops.ones((2, 3, 4)), ops.ones((3, 4, 2))))
    [[12. 12.]
     [12. 12.]]
    """
    out: Tensor = tensor_dot(x1, x2, axes)
    return out


@public()
@operation
def vecdot(x: Tensor, y: Tensor, *, axis: int = -1) -> Tensor:
    """The sum of products over one dimension of the broadcast operands. Integers are summed as int64.

    Raises:
        TypeError: an operand that is not a Tensor, an axis that is not an int.
        ValueError: an axis out of range, or shapes that do not broadcast.

    >>> print(ops.vecdot(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[1.0, 1.0], [2.0, 2.0]])))
    [ 3. 14.]
    """
    a, b = promoted("vecdot", x, y, ("x", "y"))
    product = ew.binary("cell.mul", a, b)
    product = cast_to(product, mstype.summed(product.dtype))
    d = axis_of(axis, product.ndim, "vecdot")
    return emit("cell.reduce_sum", [product], {"dims": [d]})
