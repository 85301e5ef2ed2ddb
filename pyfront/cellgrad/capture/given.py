"""Lists, dictionaries and dataclasses among the arguments of compiled code.

The code sees copies of them, with tracers for their tensors. What it changes in place is done again, after
each call, to what that call was given. A function that is differentiated or mapped sees copies of the
copies: its changes reach the caller as well, and the code around it may not read what it gave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cellgrad.core import state
from cellgrad.core.context import stands_for_mindspore
from cellgrad.core.errors import Position, error
from cellgrad.core.guards import CONTAINERS
from cellgrad.core.mutable import CONTAINERS as MUTABLE
from cellgrad.core.nodes import fields_of, is_record
from cellgrad.core.tensor import ConstantTensor, Tensor
from cellgrad.core.tracer import Tracer
from cellgrad.core.tree import tensors

if TYPE_CHECKING:
    from cellgrad.core.scope import Trace

# Steps from a call to one of its containers: the position or name of an argument, then for each step
# whether it is an attribute, and the index, key or name.
Path = tuple[Any, ...]


class Given:
    """A container of the arguments, as the code sees it."""

    __slots__ = ("container", "inside", "parents", "path", "refused")

    def __init__(self, container: Any, path: Path | None, refused: bool):
        self.container = container  # so that its id stays its own
        self.path = path  # where it is in the call; None where the call does not have it
        self.parents: list[Any] = []  # what the code around a differentiated function gave for it
        self.refused = refused  # whether its changes would be lost
        self.inside = "a function that is differentiated or mapped"

    def change(self, trace: Trace) -> None:
        """Notes that it is about to be changed."""
        if self.refused:
            raise error(
                TypeError,
                f"A {type(self.container).__name__} that is part of an argument is changed in place, inside "
                f"{self.inside}: the caller's would stay as it is.",
                "change a copy, list(x) or dict(x), and return what the caller needs",
            )
        for parent in self.parents:
            trace.stale.setdefault(id(parent), (parent, state.position()))
            before = trace.given.get(id(parent))
            if before is not None:
                before.change(trace)


def note(trace: Trace, values: Any, copies: Any, paths: Any) -> None:
    """Notes the containers among the arguments of the entry; `paths` are where these begin."""
    for value, copy, first in zip(values, copies, paths, strict=True):
        for _, own, path in _containers(value, copy, (first,)):
            trace.given[id(own)] = Given(own, path, path is None)
    for t in tensors(copies):
        if type(t) is Tracer:
            trace.inputs[id(t)] = (t, t._value)


def note_inner(trace: Trace, values: Any, copies: Any) -> None:
    """Notes copies of arguments for a function that is differentiated or mapped."""
    # Called by code of the user's, which could read what it gave.
    inside = state.current.frame is not None
    for value, copy in zip(values, copies, strict=True):
        for outer, own, _ in _containers(value, copy, ()):
            before = trace.given.get(id(outer))
            lost = id(outer) in trace.outer or (id(outer), None) in trace.guards
            refused = lost or not inside or outer is own if before is None else before.refused
            found = Given(own, None if before is None else before.path, refused)
            if before is not None:
                found.inside = before.inside
            if inside or (before is not None and before.parents):
                found.parents = [outer, *([value] if value is not outer else [])]
            if outer is not own:
                trace.given[id(own)] = found


def note_constants(trace: Trace, values: Any, copies: Any, entry: bool = True) -> None:
    """Notes tuples, lists and dictionaries among the arguments by which no gradient is given, where this package
    stands for MindSpore: at the entry those that are not `mutable`, and Tensors with `const_arg`; in a function
    what stands for them.
    """
    if not stands_for_mindspore():
        return
    for value, copy in zip(values, copies, strict=True):
        nested = isinstance(copy, tuple | list | dict)
        fixed = not isinstance(value, MUTABLE) if nested else isinstance(value, ConstantTensor)
        if fixed if entry else id(value) in trace.constants:
            trace.constants[id(copy)] = copy
        if nested and id(copy) in trace.constants:
            outer, own = (list(c.values() if isinstance(c, dict) else c) for c in (value, copy))
            note_constants(trace, outer, own, entry)


def note_lost(trace: Trace, copies: Any, inside: str) -> None:
    """Notes copies of arguments whose changes nothing would see."""
    for copy in copies:
        for _, own, _ in _containers(copy, copy, ()):
            trace.given[id(own)] = Given(own, None, True)
            trace.given[id(own)].inside = inside


def _containers(value: Any, copy: Any, path: Path | None) -> list[tuple[Any, Any, Path | None]]:
    """The containers of an argument: each, its copy, and where it is in the call."""
    if isinstance(value, Tensor) or not (
        isinstance(value, tuple | list | dict) or is_record(value)
    ):
        return []
    found = [] if isinstance(value, tuple) else [(value, copy, path)]
    attribute = False
    if isinstance(value, tuple | list):
        parts: Any = [(i, v, copy[i]) for i, v in enumerate(value)]
    elif isinstance(value, dict):
        parts = [(k, v, copy[k]) for k, v in value.items()]
    else:
        attribute, inner = True, fields_of(copy)
        parts = [(n, v, inner[n]) for n, v in fields_of(value).items()]
    for name, v, own in parts:
        step = None
        if path is not None and not (attribute and getattr(value, str(name), None) is not v):
            step = (*path, (attribute, name))
        found += _containers(v, own, step)
    return found


def at(trace: Trace, container: Any) -> int | None:
    """Where the results of a call, see `with_given`, have the caller's container of which this is a
    copy, from their end.
    """
    found = trace.given.get(id(container))
    if found is None or found.path is None:
        return None
    if found.path not in trace.returned:
        trace.returned.append(found.path)
    return -1 - trace.returned.index(found.path)


def with_given(
    buffers: Any, paths: list[Path], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[Any]:
    """The results of a call, and containers of its arguments."""
    out = []
    for first, *steps in paths:
        value = kwargs[first] if isinstance(first, str) else args[first]
        for attribute, name in steps:
            value = getattr(value, name) if attribute else value[name]
        out.append(value)
    return [*buffers, *reversed(out)]


def as_given(trace: Trace, container: Any) -> bool:
    """Whether the tensors of the arguments in a container have the elements they were given."""
    found = [trace.inputs[id(t)] for t in tensors(container) if id(t) in trace.inputs]
    return all(t._value is before for t, before in found)


def checked(trace: Trace, value: Any) -> Any:
    """A value that is read, which a differentiated function must not have changed."""
    open_, seen = [value] if trace.stale else [], set()
    while open_:
        v = open_.pop()
        if id(v) in seen:
            continue
        seen.add(id(v))
        if id(v) in trace.stale and trace.stale[id(v)][0] is v:
            _, place = trace.stale[id(v)]
            raise _read_after(v, place)
        if isinstance(v, dict):
            open_ += v.values()
        elif isinstance(v, tuple | list):
            open_ += v
        elif not isinstance(v, (Tensor, *CONTAINERS)) and is_record(v):
            open_ += fields_of(v).values()
    return value


def _read_after(value: Any, place: Position | None) -> Exception:
    line = f" (line {place.line})" if place is not None else ""
    return error(
        TypeError,
        f"A {type(value).__name__} is read after a function that is differentiated or mapped was given it "
        f"and changed it in place{line}: what it holds now is known inside that function only.",
        "give the function a copy, list(x) or dict(x), or return what is needed as an auxiliary output "
        "(has_aux=True)",
    )
