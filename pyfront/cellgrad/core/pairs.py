"""Complex numbers as compiled code has them: pairs of real numbers, along a last dimension.

The IR has real types only. A tracer of complex numbers has as its value a real tensor with one dimension
more, of the real and the imaginary part; in memory, that is numpy's order and C's. What is computed
of complex numbers is computed of their parts, which are joined where a value of the pair is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cellgrad.core import dtype as mstype
from cellgrad.core.dtype import Type
from cellgrad.core.storage import signature
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer

if TYPE_CHECKING:
    from cellgrad.core.scope import Scope


def as_pairs(x: Tensor) -> Tensor:
    """Complex elements as real ones with a last dimension of 2, in the same memory; others as they are."""
    if x.dtype.kind != "c":
        return x
    return Tensor._wrap(x._buf, signature(mstype.real_of(x.dtype), x._sig.held))


def joined(scope: Scope, real: Tensor, imag: Tensor, dtype: Type) -> Tracer:
    """The complex numbers with these parts."""
    shape = real.shape
    part = signature(real.dtype, (*shape, 1))
    parts = [scope.emit("cell.reshape", [x], None, part) for x in (real, imag)]
    value = scope.emit("cell.concat", parts, {"dim": len(shape)})._value
    out = Tracer(value, scope, signature(dtype, shape))
    out._parts = (value, real, imag, True)
    return out


def held(scope: Scope, x: Tensor) -> Tracer | None:
    """The pairs of complex numbers, as real numbers, where they lie in memory: arguments, what loops carry, what an op
    on pairs has made. None of numbers that were joined of their parts.
    """
    value = scope.value(x)
    known = x._parts if type(x) is Tracer else None
    if known is not None and known[0] == value and known[3]:
        return None
    return Tracer(value, scope)


def of_pairs(scope: Scope, pair: Tensor, dtype: Type) -> Tracer:
    """The complex numbers that these pairs are."""
    return Tracer(scope.value(pair), scope, signature(dtype, pair.shape[:-1]))


def split(scope: Scope, x: Tensor) -> tuple[Tensor, Tensor]:
    """The real and the imaginary parts of complex numbers."""
    value = scope.value(x)
    known = x._parts if type(x) is Tracer else None
    if known is not None and known[0] == value:
        return known[1], known[2]
    shape = x.shape
    pair = Tracer(value, scope)
    part = signature(mstype.real_of(x.dtype), shape)
    found = []
    for i in range(2):
        attrs = {
            "starts": [0] * len(shape) + [i],
            "limits": [*shape, i + 1],
            "strides": [1] * (len(shape) + 1),
        }
        at = scope.emit("cell.slice", [pair], attrs)
        found.append(scope.emit("cell.reshape", [at], None, part))
    if type(x) is Tracer and x._scope is scope:
        x._parts = (value, *found, False)
    return found[0], found[1]
