"""Parameters updated at indices, as functions and classes: ``ops.scatter_add(parameter, i, v)``.

The Parameter (or Tensor) gets the new value, in compiled code as part of it, and the function returns
it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.record import cast_to, check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.ops import scattering, segments
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops.gathering import index_tensor

_Update = Callable[[Tensor, Tensor, Tensor], Tensor]


def _rows(op: str, update: _Update, input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Updates the rows that the indices name."""
    x = check_tensor(input_x, op, "input_x")
    at = index_tensor(indices, op, "indices")
    new = _fitting(x, check_tensor(updates, op, "updates"))
    if not at.ndim:
        at, new = at.reshape(1), new.reshape(1, *new.shape)
    out = update(x, at.reshape(*at.shape, 1), new)
    x[...] = out
    return out


def _parts(op: str, update: _Update, input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Updates the parts that the tuples along the last dimension of the indices name."""
    x = check_tensor(input_x, op, "input_x")
    out = update(x, indices, _fitting(x, updates))
    x[...] = out
    return out


def _fitting(x: Tensor, updates: Any) -> Any:
    """Updates in the dtype of what they update, if that holds all of them."""
    if not isinstance(updates, Tensor) or mstype.promote(x.dtype, updates.dtype) is not x.dtype:
        return updates
    return cast_to(updates, x.dtype)


@public(
    "ops.ScatterAdd(use_locking=False)(input_x, indices, updates) = "
    "ops.scatter_add(input_x, indices, updates)",
)
def scatter_add(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The rows of `input_x` that the indices name, with `updates` added.

    Raises:
        IndexError: an index that is not in [0, n).
        TypeError: indices that are not a Tensor of integers, or updates of a wider dtype.
        ValueError: updates of another shape than the parts they update.

    >>> x = Parameter(Tensor([6.0, 2.0]), name="x")
    >>> print(ops.scatter_add(x, Tensor([0], ms.int32), Tensor([3.0])))
    [9. 2.]
    """
    return _rows("scatter_add", scattering.tensor_scatter_add, input_x, indices, updates)


@public()
class ScatterSub(Primitive):
    """The rows of `input_x` that the indices name, with `updates` subtracted; see `ops.scatter_add`.

    >>> x = Parameter(Tensor([6.0, 2.0]), name="x")
    >>> print(ops.ScatterSub()(x, Tensor([0], ms.int32), Tensor([3.0])))
    [3. 2.]
    """

    def __init__(self, use_locking: bool = False):
        super().__init__()

    def __call__(self, input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        return _rows("scatter_sub", scattering.tensor_scatter_sub, input_x, indices, updates)


@public(
    "ops.ScatterUpdate(use_locking=True)(input_x, indices, updates) = "
    "ops.scatter_update(input_x, indices, updates)",
)
def scatter_update(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The rows of `input_x` that the indices name, replaced by `updates`.

    Raises:
        IndexError: an index that is not in [0, n).
        TypeError: indices that are not a Tensor of integers, or updates of a wider dtype.
        ValueError: updates of another shape than the parts they update.

    >>> x = Parameter(Tensor([6.0, 2.0]), name="x")
    >>> print(ops.scatter_update(x, Tensor([0], ms.int32), Tensor([3.0])))
    [3. 2.]
    """
    return _rows("scatter_update", scattering.tensor_scatter_update, input_x, indices, updates)


@public(
    "ops.ScatterMax(use_locking=False)(input_x, indices, updates) = "
    "ops.scatter_max(input_x, indices, updates)",
)
def scatter_max(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The rows of `input_x` that the indices name, each the larger of itself and `updates`.

    Raises:
        IndexError: an index that is not in [0, n).
        TypeError: indices that are not a Tensor of integers, or updates of a wider dtype.
        ValueError: updates of another shape than the parts they update.

    >>> x = Parameter(Tensor([6.0, 2.0]), name="x")
    >>> print(ops.scatter_max(x, Tensor([0], ms.int32), Tensor([3.0])))
    [6. 2.]
    """
    return _rows("scatter_max", segments.tensor_scatter_max, input_x, indices, updates)


@public(
    "ops.ScatterMin(use_locking=False)(input_x, indices, updates) = "
    "ops.scatter_min(input_x, indices, updates)",
)
def scatter_min(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The rows of `input_x` that the indices name, each the smaller of itself and `updates`.

    Raises:
        IndexError: an index that is not in [0, n).
        TypeError: indices that are not a Tensor of integers, or updates of a wider dtype.
        ValueError: updates of another shape than the parts they update.

    >>> x = Parameter(Tensor([6.0, 2.0]), name="x")
    >>> print(ops.scatter_min(x, Tensor([0], ms.int32), Tensor([3.0])))
    [3. 2.]
    """
    return _rows("scatter_min", segments.tensor_scatter_min, input_x, indices, updates)


@public(
    "ops.ScatterMul(use_locking=False)(input_x, indices, updates) = "
    "ops.scatter_mul(input_x, indices, updates)",
)
def scatter_mul(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The rows of `input_x` that the indices name, multiplied by `updates`.

    Raises:
        IndexError: an index that is not in [0, n).
        TypeError: indices that are not a Tensor of integers, or updates of a wider dtype.
        ValueError: updates of another shape than the parts they update.

    >>> x = Parameter(Tensor([6.0, 2.0]), name="x")
    >>> print(ops.scatter_mul(x, Tensor([0], ms.int32), Tensor([3.0])))
    [18. 2.]
    """
    return _rows("scatter_mul", segments.tensor_scatter_mul, input_x, indices, updates)


@public(
    "ops.ScatterDiv(use_locking=False)(input_x, indices, updates) = "
    "ops.scatter_div(input_x, indices, updates)",
)
def scatter_div(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The rows of `input_x` that the indices name, divided by `updates`.

    Raises:
        IndexError: an index that is not in [0, n).
        TypeError: indices that are not a Tensor of integers, or updates of a wider dtype.
        ValueError: updates of another shape than the parts they update.

    >>> x = Parameter(Tensor([6.0, 2.0]), name="x")
    >>> print(ops.scatter_div(x, Tensor([0], ms.int32), Tensor([3.0])))
    [2. 2.]
    """
    return _rows("scatter_div", segments.tensor_scatter_div, input_x, indices, updates)


@public(
    "ops.ScatterNdAdd(use_locking=False)(input_x, indices, updates) = "
    "ops.scatter_nd_add(input_x, indices, updates)",
    "ops.ScatterNonAliasingAdd()(input_x, indices, updates) = "
    "ops.scatter_nd_add(input_x, indices, updates)",
)
def scatter_nd_add(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """The parts of `input_x` that the tuples along the last dimension of `indices` name,
    with `updates` added.

    Raises:
        IndexError: an index that is not in [0, n).
        TypeError: indices that are not a Tensor of integers, or updates of a wider dtype.
        ValueError: indices of less than two dimensions, or updates of another shape than the
            parts they update.

    >>> x = Parameter(Tensor([6.0, 2.0]), name="x")
    >>> print(ops.scatter_nd_add(x, Tensor([[0]], ms.int32), Tensor([3.0])))
    [9. 2.]
    """
    return _parts("scatter_nd_add", scattering.tensor_scatter_add, input_x, indices, updates)


@public(
    "ops.ScatterNdSub(use_locking=False)(input_x, indices, updates) = "
    "ops.scatter_nd_sub(input_x, indices, updates)",
)
def scatter_nd_sub(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """The parts of `input_x` that the tuples along the last dimension of `indices` name,
    with `updates` subtracted.

    Raises:
        IndexError: an index that is not in [0, n).
        TypeError: indices that are not a Tensor of integers, or updates of a wider dtype.
        ValueError: indices of less than two dimensions, or updates of another shape than the
            parts they update.

    >>> x = Parameter(Tensor([6.0, 2.0]), name="x")
    >>> print(ops.scatter_nd_sub(x, Tensor([[0]], ms.int32), Tensor([3.0])))
    [3. 2.]
    """
    return _parts("scatter_nd_sub", scattering.tensor_scatter_sub, input_x, indices, updates)


@public(
    "ops.ScatterNdUpdate(use_locking=True)(input_x, indices, updates) = "
    "ops.scatter_nd_update(input_x, indices, updates)",
)
def scatter_nd_update(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """The parts of `input_x` that the tuples along the last dimension of `indices` name,
    replaced by `updates`.

    Raises:
        IndexError: an index that is not in [0, n).
        TypeError: indices that are not a Tensor of integers, or updates of a wider dtype.
        ValueError: indices of less than two dimensions, or updates of another shape than the
            parts they update.

    >>> x = Parameter(Tensor([6.0, 2.0]), name="x")
    >>> print(ops.scatter_nd_update(x, Tensor([[0]], ms.int32), Tensor([3.0])))
    [3. 2.]
    """
    return _parts("scatter_nd_update", scattering.tensor_scatter_update, input_x, indices, updates)


@public(
    "ops.ScatterNdMax(use_locking=False)(input_x, indices, updates) = "
    "ops.scatter_nd_max(input_x, indices, updates)",
)
def scatter_nd_max(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """The parts of `input_x` that the tuples along the last dimension of `indices` name,
    each the larger of itself and `updates`.

    Raises:
        IndexError: an index that is not in [0, n).
        TypeError: indices that are not a Tensor of integers, or updates of a wider dtype.
        ValueError: indices of less than two dimensions, or updates of another shape than the
            parts they update.

    >>> x = Parameter(Tensor([6.0, 2.0]), name="x")
    >>> print(ops.scatter_nd_max(x, Tensor([[0]], ms.int32), Tensor([3.0])))
    [6. 2.]
    """
    return _parts("scatter_nd_max", segments.tensor_scatter_max, input_x, indices, updates)


@public(
    "ops.ScatterNdMin(use_locking=False)(input_x, indices, updates) = "
    "ops.scatter_nd_min(input_x, indices, updates)",
)
def scatter_nd_min(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """The parts of `input_x` that the tuples along the last dimension of `indices` name,
    each the smaller of itself and `updates`.

    Raises:
        IndexError: an index that is not in [0, n).
        TypeError: indices that are not a Tensor of integers, or updates of a wider dtype.
        ValueError: indices of less than two dimensions, or updates of another shape than the
            parts they update.

    >>> x = Parameter(Tensor([6.0, 2.0]), name="x")
    >>> print(ops.scatter_nd_min(x, Tensor([[0]], ms.int32), Tensor([3.0])))
    [3. 2.]
    """
    return _parts("scatter_nd_min", segments.tensor_scatter_min, input_x, indices, updates)


@public(
    "ops.ScatterNdMul(use_locking=False)(input_x, indices, updates) = "
    "ops.scatter_nd_mul(input_x, indices, updates)",
)
def scatter_nd_mul(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """The parts of `input_x` that the tuples along the last dimension of `indices` name,
    multiplied by `updates`.

    Raises:
        IndexError: an index that is not in [0, n).
        TypeError: indices that are not a Tensor of integers, or updates of a wider dtype.
        ValueError: indices of less than two dimensions, or updates of another shape than the
            parts they update.

    >>> x = Parameter(Tensor([6.0, 2.0]), name="x")
    >>> print(ops.scatter_nd_mul(x, Tensor([[0]], ms.int32), Tensor([3.0])))
    [18. 2.]
    """
    return _parts("scatter_nd_mul", segments.tensor_scatter_mul, input_x, indices, updates)


@public(
    "ops.ScatterNdDiv(use_locking=False)(input_x, indices, updates) = "
    "ops.scatter_nd_div(input_x, indices, updates)",
)
def scatter_nd_div(
    input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
) -> Tensor:
    """The parts of `input_x` that the tuples along the last dimension of `indices` name,
    divided by `updates`.

    Raises:
        IndexError: an index that is not in [0, n).
        TypeError: indices that are not a Tensor of integers, or updates of a wider dtype.
        ValueError: indices of less than two dimensions, or updates of another shape than the
            parts they update.

    >>> x = Parameter(Tensor([6.0, 2.0]), name="x")
    >>> print(ops.scatter_nd_div(x, Tensor([[0]], ms.int32), Tensor([3.0])))
    [2. 2.]
    """
    return _parts("scatter_nd_div", segments.tensor_scatter_div, input_x, indices, updates)
