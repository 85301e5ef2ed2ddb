"""What compiled code does to lists, dictionaries, arrays and objects from around it.

A change is made while the function is evaluated, which sees it; when that is done it is taken back.
What was done is noted, and done again after each call of the compiled code, with the tensors that the
call computed.
"""

from __future__ import annotations

import collections
import copy
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from cellgrad.core import state
from cellgrad.core.errors import Position, error
from cellgrad.core.guards import ABSENT, CONTAINERS, contents
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer
from cellgrad.core.tree import find_inside

if TYPE_CHECKING:
    from cellgrad.core.scope import Scope, Trace

# Methods of containers that change them, and those among them that read nothing.
CHANGING = {
    *("append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update"),
    *("setdefault", "popitem", "add", "discard", "difference_update", "intersection_update"),
    *("symmetric_difference_update", "appendleft", "extendleft", "popleft", "rotate"),
    *("fill", "put", "itemset", "partition", "resize"),
}
BLIND: dict[Any, set[str]] = {
    list: {"append", "extend", "insert", "clear"},
    dict: {"update", "clear"},
}


class Change:
    """A container or object that is changed in place, with what it held before."""

    def __init__(self, container: Any):
        self.container = container
        self.position: Position | None = state.position()
        self.held = container
        if not isinstance(container, CONTAINERS):
            self.held = getattr(container, "__dict__", None)
        self.before = copy.copy(self.held) if isinstance(self.held, CONTAINERS) else None
        self.attributes: dict[str, Any] = {}  # those that are not in its dictionary, as they were
        self.known: set[Any] = set()  # keys and names that were assigned here
        self.keyed = True  # whether nothing else was done
        self.read = False  # whether more is read of it than these

    def restore(self) -> None:
        """Gives it what it held before."""
        held, before = self.held, self.before
        if isinstance(held, list):
            held[:] = before  # type: ignore[assignment]
        elif isinstance(held, np.ndarray):
            held[...] = before
        elif isinstance(held, collections.deque):
            held.clear()
            held.extend(before)  # type: ignore[arg-type]
        elif before is not None:
            held.clear()
            held.update(before)
        for name, value in self.attributes.items():
            if value is ABSENT:
                delattr(self.container, name)
            else:
                setattr(self.container, name, value)


# What is done again after a call: a function, what it is given, and the place in the user's code.
Action = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], "Position | None"]


def was_there(trace: Trace, thing: Any) -> bool:
    """Whether a container or object is from around the compiled code."""
    if id(thing) in trace.outer or (id(thing), None) in trace.guards or id(thing) in trace.changes:
        return True
    return not isinstance(thing, (*CONTAINERS, Iterator)) and id(thing) not in trace.created


def changing(
    container: Any,
    function: Callable[..., Any],
    *args: Any,
    key: Any = ABSENT,
    attribute: bool = False,
    kwargs: dict[str, Any] | None = None,
) -> None:
    """Notes that ``function(*args)`` is about to change a container or object in place: the element
    `key` or, with `attribute`, the attribute, or anything.
    """
    current = state.current.scope
    if isinstance(container, list) and isinstance(key, int):
        key = key % max(len(container), 1)
    scope = current
    while scope is not None and not scope.apart:
        scope = scope.parent
    if scope is not None:
        if id(container) not in scope.touched:
            scope.touched[id(container)] = Change(container)
        return
    if current is None:
        return
    trace = current.trace
    while isinstance(container, np.ndarray) and not was_there(trace, container):
        if not isinstance(container.base, np.ndarray):
            break
        container = container.base  # of which it is a part
    if not was_there(trace, container):
        return
    change = trace.changes.get(id(container))
    if change is None:
        change = trace.changes[id(container)] = Change(container)
        if attribute and change.held is not None:
            trace.changes[id(change.held)] = change
    if attribute and (not isinstance(change.held, dict) or key in _slots(container)):
        kind = isinstance(container, type)
        before = vars(container).get(key, ABSENT) if kind else getattr(container, key, ABSENT)
        change.attributes.setdefault(key, before)
    if key is ABSENT:
        change.keyed = False
        change.known.clear()
    elif change.keyed:
        change.known.add(key)
    if not trace.again:
        trace.actions.append((function, args, kwargs or {}, state.position()))


def _slots(container: Any) -> set[str]:
    """The attributes of an object that its dictionary does not have."""
    return {n for kind in type(container).__mro__ for n in kind.__dict__.get("__slots__", ())}


def known(container: Any, key: Any) -> bool:
    """Whether an element or attribute was assigned in the code that is being compiled: to read it reads
    nothing from around it.
    """
    scope = state.current.scope
    change = scope.trace.changes.get(id(container)) if scope is not None else None
    if change is None:
        return False
    if isinstance(container, list) and isinstance(key, int):
        key = key % max(len(container), 1)
    if change.keyed:
        return key in change.known
    change.read = True
    return True


def take_back(trace: Trace) -> None:
    """Takes back all changes, and guards what was read of changed containers: what they held before."""
    for change in {id(c): c for c in trace.changes.values()}.values():
        change.restore()
        if change.read and change.before is not None:
            key = (id(change.held), None)
            trace.guards[key] = (change.held, None, contents(change.held))


def repeated(
    trace: Trace, scope: Scope, build: Callable[[Any], Callable[[list[Any]], Any]]
) -> list[Callable[[list[Any]], Any]]:
    """What makes the changes again, from the results of a call; `build` makes a value from these."""
    made: dict[int, Callable[[list[Any]], Any]] = {}

    def value(v: Any, position: Position | None) -> Callable[[list[Any]], Any]:
        if isinstance(v, Tensor):
            there = type(v) is not Tracer and id(v) not in scope.elements
        else:
            there = not isinstance(v, tuple) and was_there(trace, v)
        if there or not _holds(trace, v):
            return lambda buffers: v
        if id(v) not in made:
            try:
                made[id(v)] = build(v)
            except (TypeError, RuntimeError) as e:
                kind = "Tensor" if isinstance(v, Tensor) else type(v).__name__
                raise error(
                    TypeError,
                    f"A {kind} is kept in a list, dictionary or object from around the compiled code, "
                    "and belongs to a function that is differentiated or mapped, or holds tensors and "
                    "is no container that compiled code can return.",
                    "return the tensors, as auxiliary outputs (has_aux=True), and keep them outside",
                    position,
                ) from e
        return made[id(v)]

    actions: list[Callable[[list[Any]], Any]] = []
    for function, args, kwargs, position in trace.actions:
        values = [value(a, position) for a in args]
        named = {k: value(v, position) for k, v in kwargs.items()}

        def act(
            buffers: list[Any], function: Any = function, values: Any = values, named: Any = named
        ) -> None:
            function(*[v(buffers) for v in values], **{k: v(buffers) for k, v in named.items()})

        actions.append(act)
    return actions


def repeating(
    build: Callable[[list[Any]], Any], actions: list[Callable[[list[Any]], Any]]
) -> Callable[[list[Any]], Any]:
    """`build`, with the changes made again after it."""

    def run(buffers: list[Any]) -> Any:
        out = build(buffers)
        for act in actions:
            act(buffers)
        return out

    return run


def _holds(trace: Trace, value: Any) -> bool:
    """Whether a value is, or holds, something made while compiling."""
    if isinstance(value, Tracer | list | dict | set):
        return True
    return find_inside(value, lambda v: isinstance(v, Tracer) and v._scope.trace is trace, ())
