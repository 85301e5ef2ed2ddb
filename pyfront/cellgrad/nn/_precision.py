"""`Cell.to_float`: a Cell computes in another floating-point type than its Parameters have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cellgrad import ops
from cellgrad.capture import calls
from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import check_one_of
from cellgrad.core.dtype import Type
from cellgrad.core.precision import computing_in
from cellgrad.core.tree import map_tensors

if TYPE_CHECKING:
    from cellgrad.nn.cell import Cell

__all__ = ["cast_floats", "follow_flags", "to_float"]

_FLAGS = {"fp16": mstype.float16, "bf16": mstype.bfloat16, "fp32": mstype.float32}
_ALLOWED = (mstype.float16, mstype.bfloat16, mstype.float32)


def cast_floats(tree: Any, dtype: Type) -> Any:
    """Nested values with their floating-point Tensors converted to `dtype`."""
    return map_tensors(lambda t: ops.cast(t, dtype) if t.dtype.kind == "f" else t, tree)


class _Casts(dict[str, Any]):
    """The Parameters of a Cell: those that train are read in another type, and written as they are."""

    def __init__(self, given: dict[str, Any], dtype: Type):
        super().__init__(given)
        self.dtype = dtype
        self.read: list[Any] = []

    def __getitem__(self, name: str) -> Any:
        p = super().__getitem__(name)
        # Parameters that are no weights, such as running means, are state: they keep their type.
        if p is None or not p.requires_grad:
            return p
        read = cast_floats(p, self.dtype)
        if read is not p:
            read._cast_of = p
            self.read.append(read)
        return read


class _Construct:
    """Takes the place of a Cell's `construct`: inputs and trainable Parameters are converted."""

    def __init__(self, cell: Cell, dtype: Type):
        self.cell = cell
        self.dtype = dtype

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        cell = self.cell
        given = cell._params
        inputs, keywords = cast_floats(args, self.dtype), cast_floats(kwargs, self.dtype)
        function = type(cell).construct.__get__(cell)
        casts = _Casts(given, self.dtype)
        object.__setattr__(cell, "_params", casts)
        try:
            with computing_in(None):  # of the two ways to say it, this one is closer
                return calls.call_as_around(function, inputs, keywords)
        finally:
            object.__setattr__(cell, "_params", given)
            for read in casts.read:  # what it returns is a tensor like others
                del read._cast_of


def to_float(cell: Cell, dst_type: Any) -> Cell:
    """See `Cell.to_float`."""
    check_one_of(dst_type, "to_float", "dst_type", _ALLOWED)
    for _, each in cell.cells_and_names():
        _compute_in(each, dst_type)
    return cell


def _compute_in(cell: Cell, dtype: Type | None) -> None:
    """Makes one Cell compute in a type; None, in that of what it is given."""
    if dtype is not None:
        object.__setattr__(cell, "construct", _Construct(cell, dtype))
    elif type(cell.__dict__.get("construct")) is _Construct:
        object.__delattr__(cell, "construct")
    object.__setattr__(cell, "to_float_type", dtype)
    cell._changed()


def follow_flags(cell: Any, flags: dict[str, Any]) -> None:
    """Does what flags say of the type that a Cell computes in, as older scripts set them."""
    named = [flags[name] for name in _FLAGS if name in flags]
    if not named:
        return
    chosen = [_FLAGS[name] for name in _FLAGS if flags.get(name)]
    _compute_in(cell, chosen[0] if chosen else None)
