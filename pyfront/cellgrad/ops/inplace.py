"""Rows of a tensor replaced, added to or subtracted from: results of their own, in spite of the names
that MindSpore gives these functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike
from cellgrad.core.arguments import check_int, check_same_dtype, check_shape
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _index
from cellgrad.ops._public import public
from cellgrad.ops._static import is_int, known
from cellgrad.ops.gathering import index_tensor


def _prepared(op: str, x: Any, v: Any, indices: Any) -> tuple[Tensor, Tensor, Tensor]:
    given, rows = check_tensor(x, op, "x"), check_tensor(v, op, "v")
    if isinstance(indices, Tensor):
        at = index_tensor(indices, op, "indices")
    else:
        listed = (indices,) if is_int(indices) else indices
        if not isinstance(listed, tuple | list) or not all(is_int(i) for i in listed):
            raise error(
                TypeError,
                f"For '{op}', 'indices' must be an int, a tuple of ints or a Tensor, but got "
                f"{indices!r}.",
            )
        for i in listed:
            check_int(i, op, "indices", at_least=0, below=given.shape[0])
        at = known(np.array(listed, np.int64).reshape(-1), mstype.int32)
    check_same_dtype(given, rows, op, ("x", "v"))
    check_shape(rows, op, "v", (*at.shape, *given.shape[1:]), "one row for each index")
    return given, rows, at


@operation
def _update_rows(x: Tensor, v: Tensor, at: Tensor, combine: str) -> Tensor:
    index, _ = _index.settled(at, x.shape[0], "axis 0")
    return _index.scattered(x, index, v, 0, 0, combine)


@public("ops.InplaceAdd(indices)(x, input_v) = ops.inplace_add(x, input_v, indices)")
def inplace_add(x: Tensor, v: Tensor, indices: ArrayLike) -> Tensor:
    """`x` with the rows of `v` added to the rows that `indices` name.

    Raises:
        TypeError: `indices` is not an int, a tuple of ints or a Tensor of integers, or `v` of another
            dtype than `x`.
        ValueError: an index out of range, or `v` of another shape than these rows.

    >>> x, v = Tensor([[1, 2], [3, 4]]), Tensor([[10, 20]])
    >>> print(ops.inplace_add(x, v, (1,)))
    [[ 1  2]
     [13 24]]
    """
    out: Tensor = _update_rows(*_prepared("inplace_add", x, v, indices), "add")
    return out


@public("ops.InplaceSub(indices)(x, input_v) = ops.inplace_sub(x, input_v, indices)")
def inplace_sub(x: Tensor, v: Tensor, indices: ArrayLike) -> Tensor:
    """`x` with the rows of `v` subtracted from the rows that `indices` name; see `inplace_add`.

    >>> print(ops.inplace_sub(Tensor([[1, 2], [3, 4]]), Tensor([[1, 1]]), 0))
    [[0 1]
     [3 4]]
    """
    given, rows, at = _prepared("inplace_sub", x, v, indices)
    out: Tensor = _update_rows(given, -rows, at, "add")
    return out


@public(
    "ops.InplaceUpdate(indices)(x, v) = ops.inplace_update(x, v, indices)",
    "ops.InplaceUpdateV2()(x, indices, v) = ops.inplace_update(x, v, indices)",
    "Tensor.inplace_update(v, indices)",
)
def inplace_update(x: Tensor, v: Tensor, indices: ArrayLike) -> Tensor:
    """`x` with the rows that `indices` name replaced by the rows of `v`; see `inplace_add`.

    >>> print(ops.inplace_update(Tensor([[1, 2], [3, 4]]), Tensor([[7, 8]]), 0))
    [[7 8]
     [3 4]]

    >>> print(ops.InplaceUpdateV2()(Tensor([[1, 2], [3, 4]]), 0, Tensor([[7, 8]])))
    [[7 8]
     [3 4]]
    """
    out: Tensor = _update_rows(*_prepared("inplace_update", x, v, indices), "set")
    return out
