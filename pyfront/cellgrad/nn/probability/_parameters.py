"""Parameters of distributions and bijectors: what they are made of, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import argument_error
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.ops._index import is_known


def as_parameter(value: Any, owner: str, name: str, dtype: Type) -> Tensor:
    """A Tensor of `dtype` from a number, list, array or Tensor; a Parameter stays what it is.

    Raises:
        TypeError: something else.
    """
    if isinstance(value, Tensor):
        return value if value.dtype is dtype else ops.cast(value, dtype)
    if isinstance(value, bool) or not isinstance(value, int | float | list | np.ndarray):
        raise argument_error(
            TypeError, owner, name, "a number, a list, an array or a Tensor", value
        )
    return Tensor(np.array(value), dtype)


def broadcast(values: list[Tensor]) -> list[Tensor]:
    """The tensors, broadcast with each other."""
    shape = np.broadcast_shapes(*[v.shape for v in values])
    return [v if v.shape == shape else ops.broadcast_to(v, shape) for v in values]


def check_elements(
    value: Tensor | None, owner: str, name: str, expected: str, holds: Callable[[Any], Any]
) -> None:
    """Refuses a parameter with an element that does not fit, where its elements are known.

    Raises:
        ValueError: there is one.
    """
    if value is None or not is_known(value):
        return
    elements = value.asnumpy()
    if not np.all(holds(elements)):
        raise error(ValueError, f"For '{owner}', '{name}' must be {expected}, but got {elements}.")


def check_positive(value: Tensor | None, owner: str, name: str) -> None:
    """Refuses a parameter that is not above 0 everywhere; see `check_elements`."""
    check_elements(value, owner, name, "greater than zero", lambda v: v > 0)


def check_probability(value: Tensor | None, owner: str, name: str) -> None:
    """Refuses a parameter that is not between 0 and 1 everywhere; see `check_elements`."""
    check_elements(
        value, owner, name, "greater than zero and less than one", lambda v: (v > 0) & (v < 1)
    )


def parameter_type(values: dict[str, Any], dtype: Type | None, owner: str) -> Type:
    """What parameters are computed in: the floating-point type that they have in common, or that of the
    distribution where they are plain numbers.

    Raises:
        TypeError: two of them have different dtypes.
    """
    own = dtype if isinstance(dtype, Type) and dtype.kind == "f" else mstype.float32
    common = None
    for name, value in values.items():
        if not isinstance(value, Tensor | np.ndarray):
            continue
        found = Tensor(value).dtype if isinstance(value, np.ndarray) else value.dtype
        if common is not None and found is not common:
            raise error(
                TypeError,
                f"For '{owner}', '{name}' must have the dtype of the other parameters, {common.title}, but "
                f"has {found.title}.",
            )
        common = found
    if common is None:
        return own
    if common.kind != "f" or common is mstype.float64:
        return mstype.float64 if own is mstype.float64 else mstype.float32
    return common
