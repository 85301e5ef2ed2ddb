"""What rules for derivatives written for MindSpore import from inside of it: zeros and ones of any value, and the
order of dimensions of what a gather picked.

``from cellgrad.ops.multitype_ops import zeros_like``
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cellgrad.core.arguments import check_int
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.ops import selection

__all__ = ["generate_shape_index", "ones_like", "zeros_like"]


def _like(of_tensor: Callable[[Tensor], Tensor], number: int, name: str, value: Any) -> Any:
    if isinstance(value, Tensor):
        return of_tensor(value)
    if isinstance(value, tuple | list):
        return type(value)(_like(of_tensor, number, name, v) for v in value)
    if isinstance(value, bool | int | float):
        return float(number) if isinstance(value, float) else number
    if value is None:
        return None
    raise error(
        TypeError,
        f"For '{name}', 'x' must be a Tensor, a number, None, or a tuple or list of these, but got "
        f"{type(value).__name__}.",
    )


def zeros_like(x: Any) -> Any:
    """Zeros of a Tensor's shape and dtype; 0 of a number, 0.0 of a float; of a tuple or list, those of its parts; of
    None, None.

    Raises:
        TypeError: any other value.

    >>> from cellgrad.ops.multitype_ops import zeros_like
    >>> zeros_like((2.5, 3, None))
    (0.0, 0, None)
    """
    return _like(selection.zeros_like, 0, "zeros_like", x)


def ones_like(x: Any) -> Any:
    """Ones, as `zeros_like`.

    Raises:
        TypeError: any other value.

    >>> from cellgrad.ops.multitype_ops import ones_like
    >>> ones_like([2.5, 3])
    [1.0, 1]
    """
    return _like(selection.ones_like, 1, "ones_like", x)


def generate_shape_index(
    out_shape: Sequence[int], indices_shape: Sequence[int], axis: int
) -> tuple[int, ...]:
    """The dimensions of what ``gather`` gave, with those of its indices first.

    Args:
        out_shape: the shape of the result.
        indices_shape: the shape of the indices, which begins at `axis` in it.
        axis: the axis of the gather.

    Raises:
        TypeError: an axis that is no int.
        ValueError: an axis out of range.

    >>> from cellgrad.ops.multitype_ops import generate_shape_index
    >>> generate_shape_index((3, 2, 3), (2,), 1)
    (1, 0, 2)
    """
    rank, picked = len(out_shape), len(indices_shape)
    check_int(
        axis, "generate_shape_index", "axis", at_least=picked - rank - 1, at_most=rank - picked
    )
    axis += rank - picked + 1 if axis < 0 else 0
    order = tuple(range(rank))
    return order[axis : axis + picked] + order[:axis] + order[axis + picked :]
