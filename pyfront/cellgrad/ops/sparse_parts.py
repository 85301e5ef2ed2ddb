"""What sparse tensors are made of: checks of parts, and classes as nested values of them.

Each check raises a TypeError or ValueError that names the operation and the argument.
"""

from __future__ import annotations

from typing import Any

from cellgrad.core.arguments import argument_error, check_dtype, check_instance, check_ndim
from cellgrad.core.errors import error
from cellgrad.core.nodes import register_pytree_node
from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import differentiates
from cellgrad.ops._index import is_known
from cellgrad.ops._static import known_ints
from cellgrad.ops.selection import stop_gradient


def places_of(value: Any, op: str, name: str, rank: int) -> Tensor:
    """Integers of so many dimensions, which have no derivative."""
    x = check_ndim(check_dtype(check_tensor(value, op, name), op, name, "i"), op, name, rank)
    return stop_gradient(x) if differentiates(x) else x


def shape_of(value: Any, op: str, least: int) -> tuple[int, ...]:
    """The lengths of at least so many dimensions."""
    sizes = known_ints(check_instance(value, op, "shape", tuple), op, "shape")
    if len(sizes) < least or any(n < 1 for n in sizes):
        raise argument_error(
            ValueError, op, "shape", f"at least {least} positive ints", tuple(sizes)
        )
    return tuple(sizes)


def check_range(x: Tensor, op: str, name: str, limit: Any) -> None:
    """Refuses places that are known and outside of a shape."""
    if is_known(x) and x.size:
        found = x._concrete(op)
        if (found < 0).any() or (found >= limit).any():
            raise error(
                ValueError, f"For '{op}', '{name}' are out of range: the shape ends at {limit}."
            )


def as_nested(kind: type, names: tuple[str, ...]) -> None:
    """Makes a class with a shape a nested value of its attributes of these names."""

    def flatten(x: Any) -> tuple[tuple[Any, ...], Any]:
        return tuple(getattr(x, name) for name in names), x.shape

    def unflatten(shape: Any, parts: tuple[Any, ...]) -> Any:
        out: Any = object.__new__(kind)
        for name, value in zip(names, parts, strict=True):
            setattr(out, name, value)
        out.shape = shape
        return out

    register_pytree_node(kind, flatten, unflatten, names)
