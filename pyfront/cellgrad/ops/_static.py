"""Arguments that must be known while compiling, and tensors made of them."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.arguments import argument_error, check_int
from cellgrad.core.dtype import Type
from cellgrad.core.errors import either, error
from cellgrad.core.record import emit
from cellgrad.core.scope import constant
from cellgrad.core.storage import signature
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import elements


def is_int(value: Any) -> TypeGuard[int]:
    """Whether a value is an int, of Python or numpy, and no bool."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _read(x: Tensor, what: str) -> np.ndarray[Any, Any]:
    """Elements that are a size, a place or the like. No derivative goes through these, so a tape need not stop."""
    if x.dtype.kind in "iu" and state.current.scope is None:
        x = Tensor._wrap(x._buf, x._sig)
    return elements(x, what)


def known_int(
    value: Any, op: str, argument: str, *, at_least: int | None = None, below: int | None = None
) -> int:
    """An int within bounds from an int or a tensor of one; its elements must be known.

    Raises:
        TypeError: something else, or a tensor that is being compiled.
        ValueError: an int outside of the bounds.
    """
    if isinstance(value, Tensor) and value.size == 1 and value.dtype.kind in "iu":
        value = int(_read(value, f"'{argument}' of {op}").reshape(()))
    return int(check_int(value, op, argument, at_least=at_least, below=below))


def known_ints(value: Any, op: str, argument: str) -> tuple[int, ...]:
    """Ints from a tuple, list, array or tensor of them; its elements must be known.

    Raises:
        TypeError: something else, or a tensor that is being compiled; a ValueError, too, for several dimensions.
    """
    if isinstance(value, Tensor):
        value = _read(value, f"'{argument}' of {op}")
    if isinstance(value, np.ndarray):
        if value.ndim > 1:
            raise error(
                either(TypeError, ValueError),
                f"For '{op}', '{argument}' must be a vector of ints, but has shape {list(value.shape)}.",
            )
        value = value.tolist() if value.ndim else [value.item()]
    if not isinstance(value, tuple | list) or not all(
        is_int(v) or isinstance(v, Tensor) for v in value
    ):
        raise argument_error(TypeError, op, argument, "a tuple or list of ints", value)
    return tuple(known_int(v, op, argument) for v in value)


def known(array: np.ndarray[Any, Any], dtype: Type) -> Tensor:
    """A tensor of elements that are known: a constant of the compiled code."""
    return constant(array, signature(dtype, array.shape))


def iota(length: int, dtype: Type = mstype.int32) -> Tensor:
    """0, 1, ... `length` - 1."""
    return emit("cell.iota", [], {"dim": 0}, dtype, (length,))
