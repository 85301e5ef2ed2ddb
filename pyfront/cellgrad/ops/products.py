"""Products of all elements with all others, cross products, traces and powers of vectors."""

from __future__ import annotations

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import check_int
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
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
from cellgrad.core.scope import constant
from cellgrad.core.storage import signature
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops._public import public
from cellgrad.ops.contractions import add_product, check_ranks, promoted
from cellgrad.ops.einsums import diagonal_of
from cellgrad.ops.selection import pow as tensor_pow


@public(
    "Tensor.addr(vec1, vec2, beta, alpha)",
    "mint.addr_(input, vec1, vec2, beta, alpha)",
)
@operation
def addr(
    x: Tensor, vec1: Tensor, vec2: Tensor, *, beta: TensorLike = 1, alpha: TensorLike = 1
) -> Tensor:
    """``beta * x + alpha * outer(vec1, vec2)``; `beta` 0 ignores `x`.

    Raises:
        TypeError: operands that are not Tensors, factors that are not numbers.
        ValueError: shapes that do not fit.

    >>> print(ops.addr(ops.ones((2, 2)), Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
    [[4. 5.]
     [7. 9.]]
    """
    return add_product("addr", x, ger(vec1, vec2), beta, alpha)


@public(
    "Tensor.outer",
    "mint.outer",
)
@operation
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """The products of all elements of a vector [n] with those of another [m]: [n, m].

    As in MindSpore, the operands are not checked to be vectors: `input` is flattened to a column.

    Raises:
        TypeError: an operand that is not a Tensor.
        ValueError: shapes that do not broadcast.

    >>> print(ops.outer(Tensor([1, 2]), Tensor([3, 4])))
    [[3 4]
     [6 8]]
    """
    a, b = check_tensor(input, "outer", "input"), check_tensor(vec2, "outer", "vec2")
    return ew.binary("cell.mul", reshape_to(a, (a.size, 1)), b)


@public(
    "ops.Ger(x, vec2)",
    "Tensor.ger",
)
@operation
def ger(input: Tensor, vec2: Tensor) -> Tensor:
    """The products of all elements of a vector [n] with those of another [m]: [n, m].

    Raises:
        TypeError: an operand that is not a Tensor.
        ValueError: operands that are not vectors.

    >>> print(ops.ger(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
    [[3. 4.]
     [6. 8.]]
    """
    a, b = check_tensor(input, "ger", "input"), check_tensor(vec2, "ger", "vec2")
    check_ranks("ger", ("input", a, 1), ("vec2", b, 1))
    return ew.binary("cell.mul", reshape_to(a, (a.size, 1)), b)


@public()
@operation
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: a block of `other` for each element of `input`.

    Returns:
        Tensor of the larger rank; its sizes are the products of the operands' sizes.

    Raises:
        TypeError: an operand that is not a Tensor.

    >>> print(ops.kron(Tensor([[1, 2]]), Tensor([[1, 1], [0, 1]])))
    [[1 1 2 2]
     [0 1 0 2]]
    """
    a, b = check_tensor(input, "kron", "input"), check_tensor(other, "kron", "other")
    rank = max(a.ndim, b.ndim)
    rows = (*([1] * (rank - a.ndim)), *a.shape)
    columns = (*([1] * (rank - b.ndim)), *b.shape)
    shape_a = tuple(n for m in rows for n in (m, 1))
    shape_b = tuple(n for m in columns for n in (1, m))
    product = ew.binary("cell.mul", reshape_to(a, shape_a), reshape_to(b, shape_b))
    return reshape_to(product, tuple(m * n for m, n in zip(rows, columns, strict=True)))


@public(
    "ops.Cross(dim=-65530)(input, other) = ops.cross(input, other, None if dim == -65530 else dim)",
    "Tensor.cross",
    "mint.cross",
)
@operation
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product of vectors of length 3 along a dimension.

    Args:
        input: Tensor.
        other: Tensor of a shape that broadcasts with it.
        dim: dimension of length 3; the first one where None.

    Returns:
        The products, in the dtype of `input`.

    Raises:
        TypeError: an operand that is not a Tensor, a `dim` that is not an int.
        ValueError: shapes that do not broadcast, or a dimension that is not of length 3.

    >>> print(ops.cross(Tensor([1.0, 0.0, 0.0]), Tensor([0.0, 1.0, 0.0])))
    [0. 0. 1.]
    """
    a, b = promoted("cross", input, other)
    shape = broadcast_shapes(a.shape, b.shape, "cross")
    dtype = input.dtype if isinstance(input, Tensor) and input.dtype.kind != "b" else a.dtype
    a, b = (broadcast_to_shape(cast_to(x, dtype), shape) for x in (a, b))
    if dim is None and 3 not in a.shape:
        raise error(
            ValueError,
            f"For 'cross', a dimension of length 3 is needed, but got shape {list(a.shape)}.",
        )
    d = a.shape.index(3) if dim is None else axis_of(dim, a.ndim, "cross")
    if a.shape[d] != 3:
        raise error(
            ValueError,
            f"For 'cross', dimension {dim} must have length 3, but got shape {list(a.shape)}.",
        )

    def part(x: Tensor, start: int, limit: int) -> Tensor:
        starts, limits = [0] * x.ndim, list(x.shape)
        starts[d], limits[d] = start, limit
        attrs = {"starts": starts, "limits": limits, "strides": [1] * x.ndim}
        return emit("cell.slice", [x], attrs)

    def rolled(x: Tensor, by: int) -> Tensor:
        return emit("cell.concat", [part(x, by, 3), part(x, 0, by)], {"dim": d})

    first = ew.binary("cell.mul", rolled(a, 1), rolled(b, 2))
    return ew.binary("cell.sub", first, ew.binary("cell.mul", rolled(a, 2), rolled(b, 1)))


# --- diagonals and powers ---------------------------------------------------------------------


@operation
def trace_of(x: Tensor, offset: int, axis1: int, axis2: int, dtype: Type | None) -> Tensor:
    """The sum over a diagonal of two dimensions, which are dropped."""
    if x.ndim < 2:
        raise error(ValueError, f"For 'trace', a matrix is needed, but got shape {list(x.shape)}.")
    offset = check_int(offset, "trace", "offset")
    first, second = axis_of(axis1, x.ndim, "trace"), axis_of(axis2, x.ndim, "trace")
    if first == second:
        raise error(ValueError, f"For 'trace', the axes must differ, but got {axis1} and {axis2}.")
    perm = [*(i for i in range(x.ndim) if i not in (first, second)), first, second]
    if x.dtype.kind == "b":
        x = cast_to(x, mstype.int64)
    x = x if dtype is None else cast_to(x, dtype)
    x = x if perm == sorted(perm) else emit("cell.transpose", [x], {"perm": perm})
    diagonal = diagonal_of(x, offset)
    return emit("cell.reduce_sum", [diagonal], {"dims": [diagonal.ndim - 1]})


@public(
    "ops.Trace",
    "mint.trace",
)
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix; `Tensor.trace` takes other dimensions and diagonals.

    Raises:
        TypeError: something that is not a Tensor.
        ValueError: another rank than 2.

    >>> print(ops.trace(Tensor([[1.0, 2.0], [3.0, 4.0]])))
    5.0
    """
    x = check_tensor(input, "trace", "input")
    check_ranks("trace", ("input", x, 2))
    out: Tensor = trace_of(x, 0, 0, 1, None)
    return out


@public()
@operation
def vander(x: Tensor, N: int | None = None) -> Tensor:
    """The Vandermonde matrix of a vector [n]: column i is ``x ** (N - 1 - i)``.

    Args:
        x: Tensor of shape [n].
        N: number of columns; n where None.

    Returns:
        Tensor of shape [n, N].

    Raises:
        TypeError: something that is not a Tensor, an `N` that is not an int.
        ValueError: another rank than 1, an `N` below 1.

    >>> print(ops.vander(Tensor([1, 2, 3])))
    [[1 1 1]
     [4 2 1]
     [9 3 1]]
    """
    x = check_tensor(x, "vander", "x")
    check_ranks("vander", ("x", x, 1))
    count = x.size if N is None else N
    count = check_int(count, "vander", "N", at_least=1)
    powers = np.arange(count - 1, -1, -1)
    exponents = constant(powers, signature(mstype.int64, powers.shape))
    return tensor_pow(reshape_to(x, (x.size, 1)), exponents)
