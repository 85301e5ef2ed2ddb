"""What compiled code does to lists, dictionaries, arrays and objects from around it.

A change is made while the function is evaluated, which sees it; when that is done it is taken back.
What was done is noted, and done again after each call of the compiled code, with the tensors that the
call computed.
"""

from __future__ import annotations

import collections
import copy
import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from cellgrad.capture.given import at
from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.dynamic import dynamic
from cellgrad.core.effects import assign
from cellgrad.core.errors import Position, error
from cellgrad.core.guards import ABSENT, CONTAINERS, contents, is_cell
from cellgrad.core.parameter import Parameter
from cellgrad.core.storage import Signature, from_numpy
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer
from cellgrad.core.tree import find_inside, map_tensors

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
        if is_cell(container):
            self.held = None
        elif not isinstance(container, CONTAINERS):
            self.held = getattr(container, "__dict__", None)
        self.before = copy.copy(self.held) if isinstance(self.held, CONTAINERS) else None
        self.attributes: dict[str, Any] = {}  # those that are not in its dictionary, as they were
        self.known: set[Any] = set()  # keys and names that were assigned here
        self.keyed = True  # whether nothing else was done
        self.read = False  # whether more is read of it than these

    def note(self, name: str) -> None:
        """Keeps an attribute that is about to be assigned, if it is not in its dictionary."""
        thing = self.container
        if isinstance(self.held, dict) and name not in _slots(thing):
            return
        own = isinstance(thing, type) or is_cell(thing)
        before = vars(thing).get(name, ABSENT) if own else getattr(thing, name, ABSENT)
        self.attributes.setdefault(name, before)

    def now(self) -> Any:
        """What it holds now: a copy of a list or dictionary, or the attributes of an object that changed;
        None of other containers.
        """
        thing, held, before = self.container, self.held, self.before
        if isinstance(thing, CONTAINERS):
            return copy.copy(thing) if type(thing) in (list, dict) else None
        if not self.attributes and not isinstance(held, dict):
            return None  # such as an iterator
        out = {
            n: vars(thing).get(n, ABSENT) if is_cell(thing) else getattr(thing, n, ABSENT)
            for n in self.attributes
        }
        if isinstance(held, dict):
            names = dict.fromkeys((*before, *held))  # type: ignore[misc]
            pairs = {n: (held.get(n, ABSENT), before.get(n, ABSENT)) for n in names}  # type: ignore[union-attr]
            out |= {n: after for n, (after, old) in pairs.items() if after is not old}
        return out

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
        put, remove = setattr, delattr
        if is_cell(self.container):
            put, remove = object.__setattr__, object.__delattr__
        for name, value in self.attributes.items():
            if value is ABSENT:
                remove(self.container, name)
            else:
                put(self.container, name, value)


# What is done again after a call: a function, what it is given, and the place in the user's code.
Action = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], "Position | None"]


def was_there(trace: Trace, thing: Any) -> bool:
    """Whether a container or object is from around the compiled code."""
    given = trace.given.get(id(thing))
    if given is not None:
        return given.path is not None
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
    if current is not None and id(container) in current.trace.given:
        current.trace.given[id(container)].change(current.trace)
    if isinstance(container, list) and isinstance(key, int):
        key = key % max(len(container), 1)
    scope = current
    while scope is not None and not scope.apart:
        scope = scope.parent
    if scope is not None:
        if id(container) not in scope.touched:
            scope.touched[id(container)] = Change(container)
        if attribute:
            scope.touched[id(container)].note(key)
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
    if attribute:
        change.note(key)
    if key is ABSENT:
        change.keyed = False
        change.known.clear()
    elif change.keyed:
        change.known.add(key)
    if not trace.again:
        made = args
        if current.parent is not None and not trace.bake:
            made = tuple([a if a is container else handed_out(current, a) for a in args])
            kwargs = {n: handed_out(current, a) for n, a in (kwargs or {}).items()}
        trace.actions.append((function, tuple(made), kwargs or {}, state.position()))


def handed_out(scope: Scope, value: Any) -> Any:
    """A value in which each tensor of a function that is differentiated is a Parameter that this function
    writes: so it reaches the outside, as all state does.
    """

    def is_inside(v: Any) -> bool:
        return type(v) is Tracer and v._scope.parent is not None

    if not find_inside(value, is_inside, ()):
        return value
    count = 0

    def hand(x: Tensor) -> Tensor:
        nonlocal count
        if type(x) is not Tracer:
            return x
        place = state.position()
        line = f" by line {place.line}" if place is not None else ""
        nth = f".{count}" if count else ""
        count += 1
        kept = Kept.of(x._sig, f"kept{line}, {len(scope.trace.actions)}{nth}")
        assign(kept, x)
        return kept

    return map_tensors(hand, value)


class Kept(Parameter):
    """A tensor on its way out of a function that is differentiated."""

    __slots__ = ()

    @staticmethod
    def of(sig: Signature, name: str) -> Kept:
        """One without elements yet."""
        out = Kept.__new__(Kept)
        kind = np.float32 if sig.dtype is mstype.bfloat16 else mstype.to_numpy(sig.dtype)
        out._buf, out._sig = from_numpy(np.zeros(sig.shape, kind), sig.dtype), sig
        out._name, out._requires_grad, out._layerwise_parallel = name, False, False
        return out

    def taken(self) -> Tensor:
        """What was written, as a tensor."""
        return Tensor._wrap(self._buf.copy(), self._sig)


def _taken(x: Tensor) -> Tensor:
    return x.taken() if isinstance(x, Kept) else x


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
        if change.read and change.before is not None and id(change.container) not in trace.given:
            key = (id(change.held), None)
            trace.guards[key] = (change.held, None, contents(change.held))


def repeated(
    trace: Trace, scope: Scope, build: Callable[[Any], Callable[[list[Any]], Any]]
) -> list[Callable[[list[Any]], Any]]:
    """What makes the changes again, from the results of a call; `build` makes a value from these."""
    made: dict[int, Callable[[list[Any]], Any]] = {}

    def value(v: Any, position: Position | None) -> Callable[[list[Any]], Any]:
        if isinstance(v, Tensor):
            there = type(v) not in (Tracer, Kept) and id(v) not in scope.elements
        else:
            there = not isinstance(v, tuple) and was_there(trace, v)
        if there:
            place = at(trace, v)
            return (lambda buffers: v) if place is None else operator.itemgetter(place)
        if find_inside(v, lambda part: isinstance(part, Kept), ()):
            return lambda buffers: map_tensors(_taken, v)
        if not _holds(trace, v):
            return lambda buffers: v
        if id(v) not in made:
            try:
                made[id(v)] = build(v)
            except (TypeError, RuntimeError) as e:
                kind = "Tensor" if isinstance(v, Tensor) else type(v).__name__
                raise dynamic(
                    error(
                        TypeError,
                        f"A {kind} is kept in a list, dictionary or object from around the compiled code, "
                        "and belongs to a function that is differentiated or mapped, or holds tensors and "
                        "is no container that compiled code can return.",
                        "return the tensors, as auxiliary outputs (has_aux=True), and keep them outside",
                        position,
                    )
                ) from e
        return made[id(v)]

    actions: list[Callable[[list[Any]], Any]] = []
    for function, args, kwargs, position in trace.actions:
        owner = getattr(function, "__self__", None)
        if id(owner) in trace.given:  # a method of an argument's container
            function, args = getattr(type(owner), function.__name__), (owner, *args)
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

    def made(v: Any) -> bool:
        return (isinstance(v, Tracer) and v._scope.trace is trace) or id(v) in trace.given

    return find_inside(value, made, ())
