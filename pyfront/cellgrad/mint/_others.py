"""Functions of ``mint`` that are no forms of one operation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ShapeLike, TensorLike
from cellgrad.core.arguments import check_ndim
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import check_float
from cellgrad.core.tensor import Tensor
from cellgrad.mint import _helpers as h
from cellgrad.ops.sorting import kth

__all__ = [
    "clone",
    "empty",
    "empty_like",
    "kthvalue",
    "normal",
    "randint",
    "randint_like",
    "triangular_solve",
]


def clone(input: Tensor) -> Tensor:
    """A copy of the tensor, through which gradients flow.

    >>> print(mint.clone(Tensor([1.0, 2.0])))
    [1. 2.]
    """
    return input.copy()


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The k-th smallest elements along a dimension, and their positions.

    >>> values, positions = mint.kthvalue(Tensor([3.0, 1.0, 2.0]), 2)
    >>> print(values, positions)
    2.0 2
    """
    return kth(input, k, dim, keepdim)


def empty(
    *size: int | Sequence[int],
    dtype: Type | None = None,
    device: str | None = None,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of a shape; its elements are 0.

    Raises:
        TypeError, ValueError: sizes that are no ints, or negative.

    >>> mint.empty(2, 3).shape
    (2, 3)
    """
    shape: Any = size[0] if len(size) == 1 and isinstance(size[0], tuple | list) else size
    return h.drawn(ops.zeros(tuple(shape), dtype or mstype.float32), None, device)


def empty_like(
    input: Tensor, *, dtype: Type | None = None, device: str | None = None, pin_memory: bool = False
) -> Tensor:
    """A tensor of another one's shape and, unless `dtype` says otherwise, dtype; its elements are 0.

    >>> mint.empty_like(Tensor([1.0, 2.0])).shape
    (2,)
    """
    return h.drawn(ops.zeros_like(input, dtype=dtype), None, device)


def normal(
    mean: TensorLike = 0.0,
    std: TensorLike = 1.0,
    size: ShapeLike | None = None,
    *,
    generator: object = None,
) -> Tensor:
    """Normal numbers of means and deviations that are Tensors of one shape, or numbers; of two numbers
    in the shape `size`.

    Raises:
        TypeError: two numbers without a size.

    >>> print(mint.normal(Tensor([1.0, 2.0]), 0.0))
    [1. 2.]
    """
    return h.drawn(h.normal(mean, std, size), generator)


def randint(
    *args: object, generator: object = None, dtype: Type | None = None, device: str | None = None
) -> Tensor:
    """Integers drawn evenly: ``randint(high, size)`` or ``randint(low, high, size)``; int64 by default.

    Raises:
        TypeError: other arguments.
        ValueError: there is no integer between the bounds.

    >>> print(mint.randint(5, 6, (3,)))
    [5 5 5]
    """
    if len(args) not in (2, 3):
        raise error(
            TypeError, f"For 'randint', expected (low, high, size), but got {len(args)} arguments."
        )
    low, high = (args[0], None) if len(args) == 2 else args[:2]
    return h.drawn(h.integers(low, high, args[-1], dtype), generator, device)


def randint_like(
    input: Tensor,
    low: int,
    high: int | None = None,
    *,
    dtype: Type | None = None,
    device: str | None = None,
) -> Tensor:
    """As `randint`, in the shape and, unless `dtype` says otherwise, dtype of a tensor.

    >>> print(mint.randint_like(Tensor([1, 2]), 5, 6))
    [5 5]
    """
    drawn = h.integers(low, high, input.shape, None)
    return h.drawn(ops.cast(drawn, dtype or input.dtype), None, device)


def triangular_solve(
    b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Tensor, Tensor]:
    """The solution of ``A X = b``, or of ``A.T X = b``, for a triangular matrix, and the matrix. With
    `unitriangular` its diagonal counts as ones.

    Raises:
        TypeError: no Tensors.
        ValueError: less than two dimensions, shapes that do not fit.

    >>> print(mint.triangular_solve(Tensor([[4.0], [2.0]]), Tensor([[2.0, 1.0], [0.0, 2.0]]))[0])
    [[1.5]
     [1. ]]
    """
    right, a = check_float(b, "triangular_solve", "b"), check_float(A, "triangular_solve", "A")
    for x, name in ((right, "b"), (a, "A")):
        check_ndim(x, "triangular_solve", name, at_least=2)
    n = a.shape[-1]
    if a.shape[-2] != n or right.shape[-2] != n:
        shapes = f"{right.shape} and {a.shape}"
        raise error(
            ValueError, f"For 'triangular_solve', the shapes of 'b' and 'A' do not fit: {shapes}."
        )
    factor = ops.triu(a) if upper else ops.tril(a)
    if unitriangular:
        one = ops.eye(n, n, a.dtype)
        factor = ops.add(ops.mul(factor, ops.sub(1, one)), one)
    around = right.shape[:-2] if right.ndim >= a.ndim else a.shape[:-2]
    factor = ops.broadcast_to(factor, (*around, n, n))
    right = ops.broadcast_to(right, (*around, *right.shape[-2:]))
    return ops.MatrixTriangularSolve(not upper, transpose)(factor, right), A
