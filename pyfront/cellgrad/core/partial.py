"""Tensors of compiled code that are parts of others: what is written to one is written to the other.

A part that was read by ints and slices is put back when its elements are assigned. Of other parts, such as a
transpose, the tensor that they are of may not be read after that. Nor may a tensor that is the one that was written
where a branch or loop says so at run time (``y = x if t else x * 2; y[0] = 1``), or the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from cellgrad.core import state
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter
from cellgrad.core.scope import Scope
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer

if TYPE_CHECKING:
    from cellgrad.core.scope import Trace

_BASIC = (int, np.integer, slice, type(None), type(Ellipsis))


class Part:
    """What a tensor is of another one."""

    __slots__ = ("index", "root", "seen", "tensor")

    def __init__(self, tensor: Tensor, root: Tensor, index: Any, seen: int):
        self.tensor = tensor  # so that its id stays its own
        self.root = root
        self.index = index  # the place it was read at, in a tuple; None where it was read otherwise
        self.seen = seen  # how many writes to the root it has the results of

    def apart_from(self, place: Any) -> bool:
        """Whether it has no elements at a place of the root, as far as a first int says."""
        first, other = _first(self.index[0]), _first(place)
        n = self.root.shape[0] if self.root.shape else 1
        return first is not None and other is not None and first % n != other % n


def _first(index: Any) -> int | None:
    i = index[0] if type(index) is tuple and index else index
    return int(i) if isinstance(i, int | np.integer) and not isinstance(i, bool) else None


def note(out: Any, x: Any, index: tuple[Any, ...] | None = None) -> None:
    """Notes that a tensor of compiled code is a part of `x`."""
    scope = state.current.scope
    if scope is None or out is x or not isinstance(out, Tensor) or not isinstance(x, Tensor):
        return
    trace = scope.trace
    trace.parts.setdefault(id(out), Part(out, x, index, len(trace.writes.get(id(x), ()))))


def read(out: Any, x: Any, index: Any) -> Any:
    """``x[index]``, noted as a part of `x` if it is one."""
    scope = state.current.scope
    if scope is None or not isinstance(x, Tensor):
        return out
    for i in index if type(index) is tuple else (index,):
        known = isinstance(i, _BASIC) and not isinstance(i, bool)
        if not known and not (isinstance(i, Tensor) and id(i) in scope.trace.numbers):
            return out
    note(out, x, (index,))
    return out


def _around(trace: Trace, x: Tensor) -> list[tuple[Tensor, bool]]:
    """The tensors that a tensor may be, or may be a part of, and whether it would be all of it."""
    found = [(x, True), *trace.aliases.get(id(x), ())]
    part = trace.parts.get(id(x))
    if part is not None:
        found += [(other, False) for other, _ in _around(trace, part.root)]
    return found


def may_be(out: Tensor, values: Iterable[Any]) -> None:
    """Notes that a tensor of compiled code is one of `values`, as is known at run time only."""
    scope = state.current.scope
    assert scope is not None
    trace = scope.trace
    for value in values:
        if not isinstance(value, Tensor) or value._sig != out._sig:
            continue  # a copy in another dtype
        for other, whole in _around(trace, value):
            if isinstance(other, Tracer) and not other._scope.encloses(scope):
                continue  # of one way, or of a trip: nothing else reads it
            known = trace.aliases.setdefault(id(out), [])
            if other is not out and all(other is not one for one, _ in known):
                known.append((other, whole))
                if whole:  # parts keep the elements that they were read with
                    trace.names.setdefault(id(other), []).append(out)
                trace.chosen.append(out)


def link(outs: Iterable[Tensor], values: Iterable[Any]) -> None:
    """Notes which of `outs` may be one tensor: those whose `values`, which they are in a trip or way, may be."""
    scope = state.current.scope
    assert scope is not None
    trace = scope.trace
    found: dict[int, list[Tensor]] = {}
    for out, value in zip(outs, values):
        if isinstance(value, Tensor) and value._sig == out._sig:
            for other, whole in _around(trace, value):
                if whole:
                    found.setdefault(id(other), []).append(out)
    for same in found.values():
        for out in same:
            others = trace.names.setdefault(id(out), [])
            others += [o for o in same if o is not out and all(o is not known for known in others)]
        trace.chosen += same


def _tell_aliases(scope: Scope, x: Tensor) -> None:
    """A tensor is written: what it may be, and what may be it or the same one, may not be read after that."""
    trace, here = scope.trace, state.position()
    may = [x, *(other for other, _ in trace.aliases.get(id(x), ()))]
    for other in may[1:]:
        if isinstance(scope.parameter_of(other), Parameter) or scope.owner_of(other) is None:
            raise _outside()
    seen = {id(x)}
    while may:
        other = may.pop()
        may += [o for o in trace.names.get(id(other), ()) if id(o) not in seen]
        seen.update(map(id, may))
        if other is not x:
            trace.lost[id(other)] = (other, here)


def _outside() -> Exception:
    return error(
        TypeError,
        "Elements of a view are assigned, which would change the tensor from around this code that it is a "
        "view of.",
        "assign to elements of that tensor, or to a copy: x.reshape(...).copy()",
    )


def is_part(part: Tensor, x: Tensor) -> bool:
    """Whether a tensor is put back into `x` by itself."""
    scope = state.current.scope
    found = None if scope is None else scope.trace.parts.get(id(part))
    return found is not None and found.root is x and found.index is not None


def skips(part: Tensor) -> bool:
    """Whether a tensor of compiled code was read by ints and slices that leave out elements between its own."""
    scope = state.current.scope
    found = None if scope is None else scope.trace.parts.get(id(part))
    if found is None or found.index is None:
        return False
    index = found.index[0]
    places = index if type(index) is tuple else (index,)
    known = tuple(0 if isinstance(i, Tensor) else i for i in places)
    # Memory that nobody writes takes none.
    part_of = np.asarray(np.empty(found.root.shape, np.bool_)[known])
    return not part_of.flags.c_contiguous


def written(scope: Scope, x: Tensor, index: Any) -> tuple[Tensor, Any] | None:
    """Notes that elements of a tensor were assigned. Gives the tensor that it is a part of, and the place
    in that, if it must be written as well.

    Raises:
        TypeError: that cannot be.
    """
    trace = scope.trace
    trace.writes.setdefault(id(x), []).append(index)
    _tell_aliases(scope, x)
    part = trace.parts.get(id(x))
    if part is None:
        return None
    root, here = part.root, state.position()
    if part.index is None:
        if isinstance(scope.parameter_of(root), Parameter) or scope.owner_of(root) is None:
            raise _outside()
        trace.lost[id(root)] = (root, here)
        _tell_aliases(scope, root)
        return None
    writes = trace.writes.get(id(root), [])
    if not all(part.apart_from(place) for place in writes[part.seen :]):
        raise error(
            TypeError,
            "Elements of a part of a tensor are assigned, and the tensor has changed since the part was "
            "read: in compiled code the part has the elements from before.",
            "read the part again, or make it a copy: y = x[0].copy()",
        )
    part.seen = len(writes) + 1  # the one to come
    return root, part.index[0]


def write_count(scope: Scope) -> int:
    """How often elements were assigned so far."""
    return sum(map(len, scope.trace.writes.values()))
