"""Operators of Tensor, in terms of ``cellgrad.ops``."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad import ops as _ops
from cellgrad.core.aliases import Array, Index, Operand
from cellgrad.core.dtype import NUMBERS
from cellgrad.core.tensor import Tensor

# The `self` of these classes is no Tensor to type checkers.
ops: Any = _ops

_UFUNCS = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "power": "pow",
    "matmul": "matmul",
    "remainder": "floor_mod",
    "floor_divide": "floor_div",
    "bitwise_and": "bitwise_and",
    "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor",
    "equal": "equal",
    "not_equal": "not_equal",
    "less": "less",
    "less_equal": "less_equal",
    "greater": "greater",
    "greater_equal": "greater_equal",
}

# These know what they are beside a Tensor, on either side.
_SPARSE = frozenset((_ops.sparse.COOTensor, _ops.sparse.CSRTensor))


def _compared(other: Any) -> bool:
    """Whether a tensor is compared with a value element by element; it is not equal to any other, as in Python."""
    if isinstance(other, (Tensor, *NUMBERS)):
        return True
    if isinstance(other, np.ndarray):
        return other.dtype.kind in "biufcV"
    return isinstance(other, tuple | list) and all(map(_compared, other))


class Operators:
    """Python's operators, and numpy's beside a Tensor."""

    __slots__ = ()

    def __neg__(self) -> Tensor:
        return ops.neg(self)

    def __pos__(self) -> Tensor:
        return self  # type: ignore[return-value]

    def __abs__(self) -> Tensor:
        return ops.abs(self)

    def __round__(self) -> Tensor:
        return ops.round(self)

    def __invert__(self) -> Tensor:
        return ops.logical_not(self)

    def __add__(self, other: Operand) -> Tensor:
        return NotImplemented if type(other) in _SPARSE else ops.add(self, other)

    def __radd__(self, other: Operand) -> Tensor:
        return ops.add(other, self)

    def __sub__(self, other: Operand) -> Tensor:
        return NotImplemented if type(other) in _SPARSE else ops.sub(self, other)

    def __rsub__(self, other: Operand) -> Tensor:
        return ops.sub(other, self)

    def __mul__(self, other: Operand) -> Tensor:
        return NotImplemented if type(other) in _SPARSE else ops.mul(self, other)

    def __rmul__(self, other: Operand) -> Tensor:
        return ops.mul(other, self)

    def __truediv__(self, other: Operand) -> Tensor:
        return ops.div(self, other)

    def __rtruediv__(self, other: Operand) -> Tensor:
        return ops.div(other, self)

    def __pow__(self, other: Operand) -> Tensor:
        return ops.pow(self, other)

    def __rpow__(self, other: Operand) -> Tensor:
        return ops.pow(other, self)

    def __matmul__(self, other: Operand) -> Tensor:
        return ops.matmul(self, other)

    def __rmatmul__(self, other: Operand) -> Tensor:
        return ops.matmul(other, self)

    def __eq__(self, other: object) -> Tensor:  # type: ignore[override]
        if not _compared(other):
            return NotImplemented
        return ops.equal(self, other)

    def __ne__(self, other: object) -> Tensor:  # type: ignore[override]
        if not _compared(other):
            return NotImplemented
        return ops.not_equal(self, other)

    def __lt__(self, other: Operand) -> Tensor:
        return ops.less(self, other)

    def __le__(self, other: Operand) -> Tensor:
        return ops.less_equal(self, other)

    def __gt__(self, other: Operand) -> Tensor:
        return ops.greater(self, other)

    def __ge__(self, other: Operand) -> Tensor:
        return ops.greater_equal(self, other)

    def __getitem__(self, index: Index) -> Tensor:
        return ops.getitem(self, index)

    def __mod__(self, other: Operand) -> Tensor:
        return ops.floor_mod(self, other)

    def __rmod__(self, other: Operand) -> Tensor:
        return ops.floor_mod(other, self)

    def __floordiv__(self, other: Operand) -> Tensor:
        return ops.floor_div(self, other)

    def __rfloordiv__(self, other: Operand) -> Tensor:
        return ops.floor_div(other, self)

    def __and__(self, other: Operand) -> Tensor:
        return ops.bitwise_and(self, other)

    __rand__ = __and__

    def __or__(self, other: Operand) -> Tensor:
        return ops.bitwise_or(self, other)

    __ror__ = __or__

    def __xor__(self, other: Operand) -> Tensor:
        return ops.bitwise_xor(self, other)

    __rxor__ = __xor__

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **kwargs: object
    ) -> Tensor | Array | tuple[Array, ...]:
        """Numpy's operators beside a Tensor give a Tensor; other numpy functions give arrays."""
        name = _UFUNCS.get(ufunc.__name__)
        if name is not None and method == "__call__" and len(inputs) == 2 and not kwargs:
            return getattr(ops, name)(*inputs)
        arrays = [np.asarray(v) if isinstance(v, Tensor) else v for v in inputs]
        return getattr(ufunc, method)(*arrays, **kwargs)
