"""`Cell.to_float`: a Cell computes in another floating-point type than its Parameters have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cellgrad import ops
from cellgrad.capture import calls
from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.arguments import check_one_of
from cellgrad.core.dtype import Type
from cellgrad.core.tree import map_tensors

if TYPE_CHECKING:
    from cellgrad.nn.cell import Cell

__all__ = ["cast_floats", "to_float"]

_ALLOWED = (mstype.float16, mstype.bfloat16, mstype.float32)


def cast_floats(tree: Any, dtype: Type) -> Any:
    """Nested values with their floating-point Tensors converted to `dtype`."""
    return map_tensors(lambda t: ops.cast(t, dtype) if t.dtype.kind == "f" else t, tree)


class _Construct:
    """Takes the place of a Cell's `construct`: inputs and trainable Parameters are converted."""

    def __init__(self, cell: Cell, dtype: Type):
        self.cell = cell
        self.dtype = dtype

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        cell = self.cell
        given = cell._params
        # Parameters that are no weights, such as running means, are state: they keep their type.
        seen = {
            n: p if p is None or not p.requires_grad else cast_floats(p, self.dtype)
            for n, p in given.items()
        }
        inputs, keywords = cast_floats(args, self.dtype), cast_floats(kwargs, self.dtype)
        function = type(cell).construct.__get__(cell)
        object.__setattr__(cell, "_params", seen)
        try:
            if state.current.scope is not None:
                return calls.call(function, inputs, keywords)
            return function(*inputs, **keywords)
        finally:
            object.__setattr__(cell, "_params", given)


def to_float(cell: Cell, dst_type: Any) -> Cell:
    """See `Cell.to_float`."""
    check_one_of(dst_type, "to_float", "dst_type", _ALLOWED)
    for _, each in cell.cells_and_names():
        object.__setattr__(each, "construct", _Construct(each, dst_type))
        object.__setattr__(each, "to_float_type", dst_type)
        each._changed()
    return cell
