"""Order: sorting, and the largest elements.

Sorting is stable, and NaN counts as larger than any number. Derivatives flow through the values;
indices have none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import check_bool, check_int, check_ndim
from cellgrad.core.errors import error
from cellgrad.core.record import axis_of, broadcast_to_shape, check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops._index import elements_along, order_of
from cellgrad.ops._public import public
from cellgrad.ops._static import known, known_int
from cellgrad.ops.joining import narrow
from cellgrad.ops.selection import cast
from cellgrad.ops.shapes import squeeze


def _sortable(x: Any, axis: Any, op: str, argument: str) -> tuple[Tensor, int]:
    tensor = check_ndim(check_tensor(x, op, argument), op, argument, at_least=1)
    if tensor.dtype.kind == "b":
        raise error(
            TypeError, f"For '{op}', bools have no order.", "convert them first: x.astype(ms.int32)"
        )
    return tensor, axis_of(known_int(axis, op, "axis"), tensor.ndim, op)


@public(
    "ops.Sort(axis, descending)(x)",
    "Tensor.sort(axis, descending, stable=False, *, dim=None) = "
    "ops.sort(self, axis if dim is None else dim, descending)",
    "mint.sort(input, *, dim=-1, descending, stable=False) = h.sort(input, dim, descending)",
)
@operation
def sort(input_x: Tensor, axis: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    """The elements in order along a dimension, and where they were: int32.

    Raises:
        TypeError: bools, or `descending` is not a bool.
        ValueError: `axis` out of range, or a tensor without dimensions.

    >>> print(*ops.sort(Tensor([2.0, 1.0, 3.0])))
    [1. 2. 3.] [1 0 2]

    >>> print(*mint.sort(Tensor([True, False])))
    [False  True] [1 0]
    """
    x, d = _sortable(input_x, axis, "sort", "input_x")
    order = order_of(x, d, check_bool(descending, "sort", "descending"))
    return elements_along(x, order, d), order


@public(
    "Tensor.argsort(axis, descending, stable=False, *, dim=None) = "
    "ops.argsort(self, axis if dim is None else dim, descending)",
    "mint.argsort(input, dim=-1, descending=False, stable=False) = "
    "h.argsort(input, dim, descending)",
)
@operation
def argsort(input: Tensor, axis: int = -1, descending: bool = False) -> Tensor:
    """Where the elements in order along a dimension are: int32.

    Raises:
        TypeError: bools, or `descending` is not a bool.
        ValueError: `axis` out of range, or a tensor without dimensions.

    >>> print(ops.argsort(Tensor([3.0, 1.0, 2.0])))
    [1 2 0]

    >>> print(mint.argsort(Tensor([3.0, 1.0, 2.0])))
    [1 2 0]
    """
    x, d = _sortable(input, axis, "argsort", "input")
    return order_of(x, d, check_bool(descending, "argsort", "descending"))


@public("Tensor.msort")
def msort(input: Tensor) -> Tensor:
    """The elements in ascending order along the first dimension.

    >>> print(ops.msort(Tensor([[3.0, 1.0], [2.0, 4.0]])))
    [[2. 1.]
     [3. 4.]]
    """
    out: Tensor = sort(input, 0)[0]
    return out


@public(
    "ops.TopK(sorted)(input_x, k)",
    "ops.top_k(input_x, k, sorted) = ops.topk(input_x, k, None, True, sorted)",
    "Tensor.top_k(k, sorted) = ops.topk(self, k, None, True, sorted)",
    "Tensor.topk",
    "mint.topk(input, k, dim=-1, largest=True, sorted=True) = "
    "h.long(ops.topk(input, k, dim, largest, sorted))",
)
@operation
def topk(
    input: Tensor, k: int, dim: int | None = None, largest: bool = True, sorted: bool = True
) -> tuple[Tensor, Tensor]:
    """The `k` largest (or smallest) elements along a dimension, by default the last, and where they
    are: int32. They are in order also where `sorted` is False, but for all elements: these stay in their places.

    Raises:
        TypeError: bools, or arguments of another kind.
        ValueError: `dim` out of range, `k` not in [1, n], or a tensor without dimensions.

    >>> print(*ops.topk(Tensor([2.0, 1.0, 3.0]), 2))
    [3. 2.] [2 0]
    """
    x, d = _sortable(input, -1 if dim is None else dim, "topk", "input")
    n = x.shape[d]
    count = check_int(known_int(k, "topk", "k"), "topk", "k", at_least=1, at_most=n)
    check_bool(largest, "topk", "largest")
    if not check_bool(sorted, "topk", "sorted") and count == n:  # as MindSpore's kernel
        along = tuple(n if i == d else 1 for i in range(x.ndim))
        places = known(np.arange(n, dtype=np.int32).reshape(along), mstype.int32)
        order = broadcast_to_shape(places, x.shape)
    else:
        order = order_of(x, d, largest, count)
    return elements_along(x, order, d), order


def kth(input: Tensor, k: int, dim: int, keepdim: bool) -> tuple[Tensor, Tensor]:
    """The `k`-th smallest elements along `dim` and their positions (int64).

    Raises:
        ValueError: `k` or `dim` out of range.
    """
    x = check_tensor(input, "kthvalue", "input")
    n = x.shape[axis_of(dim, x.ndim, "kthvalue")] if x.ndim else 1
    k = check_int(k, "kthvalue", "k", at_least=1, at_most=n)
    values, places = sort(x, dim)
    parts = [narrow(v, dim, k - 1, 1) for v in (values, cast(places, mstype.int64))]
    value, at = parts if keepdim else [squeeze(v, dim) for v in parts]
    return value, at
