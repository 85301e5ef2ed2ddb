"""Lists, dictionaries and objects that a branch on a tensor changes in place.

Each way runs on what they held before. What they hold after the branch is chosen as variables are: they
keep their identity, and need one structure in both cases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cellgrad.capture import calls
from cellgrad.capture.changes import Change, was_there
from cellgrad.capture.merge import Conflict, describe
from cellgrad.core.errors import NotCompilable, Position, error
from cellgrad.core.frame import RETURN, Closure, Frame
from cellgrad.core.guards import ABSENT
from cellgrad.core.scope import Scope
from cellgrad.core.tensor import Tensor
from cellgrad.core.tree import find_inside

if TYPE_CHECKING:
    from cellgrad.capture.branches import Outcome

_ALONE = (Closure, Frame, Scope, Tensor)  # what leads to all that is being compiled


class Changed:
    """A container or object that one way changes, and what it holds at the end of that way."""

    def __init__(self, change: Change):
        self.container = change.container
        self.position: Position | None = change.position
        self.after = change.now()


def changes_of(scope: Scope, variables: list[dict[str, Any]]) -> list[Changed]:
    """What the code of a branch or loop has changed in place of what was there before it, which is
    restored.
    """
    trace = scope.trace

    def before(thing: Any) -> bool:
        return was_there(trace, thing) or find_inside(variables, lambda v: v is thing, _ALONE)

    found = [t for t in scope.touched.values() if before(t.container)]
    out = [Changed(t) for t in found]
    for touched in found:
        touched.restore()
    return out


def refuse_changes(found: list[Changed]) -> None:
    """Refuses changes where they cannot be chosen among."""
    if found:
        kind = type(found[0].container).__name__
        raise error(
            NotCompilable,
            f"A {kind} is changed in place inside a branch or loop that depends on a tensor: the "
            "choice is made when the code runs, but the change would be made while compiling.",
            "assign a new object, or a tensor, to a variable instead",
            found[0].position,
        )


def refuse_entangled(frame: Frame, a: Outcome, b: Outcome) -> None:
    """Refuses that a new value of one way holds what a way changes: what that is depends on the way."""
    changed = {id(c.container): c for c in (*a.changes, *b.changes)}
    if not changed:
        return
    refuse_changes([c for c in changed.values() if c.after is None])
    pairs: list[tuple[Any, Any]] = [(a.result, b.result)]
    for la, lb in zip(a.locals, b.locals, strict=True):
        pairs += [(la.get(n), lb.get(n)) for n in {**la, **lb}]
    for key, one in changed.items():
        held = one.container if type(one.container) in (list, dict) else {}
        ways = [next((c.after for c in o.changes if id(c.container) == key), held) for o in (a, b)]
        if type(held) is list:
            pairs += zip(*ways, strict=False)
        else:
            pairs += [(ways[0].get(n), ways[1].get(n)) for n in {**ways[0], **ways[1]}]
    for pair in pairs:
        if pair[0] is pair[1]:
            continue
        if find_inside(list(pair), lambda v: id(v) in changed, _ALONE):
            refuse_changes(list(changed.values()))


def add_changes(
    add: Callable[[tuple[Any, Any], Callable[[Any], None]], None],
    a: Outcome,
    b: Outcome,
    in_place_of: Callable[[Any, Scope, Scope], Any],
) -> None:
    """Chooses what containers and objects hold after a branch.

    Raises:
        Conflict: the two ways leave different structures.
    """
    trace = a.scope.trace
    listed = {id(c.container): c.container for c in (*a.changes, *b.changes)}
    for key, container in listed.items():
        ways = [next((c.after for c in o.changes if id(c.container) == key), None) for o in (a, b)]
        # A way that returns has no say in what follows.
        left = [o.signal is RETURN for o in (a, b)]
        if left[0] is not left[1] and not was_there(trace, container):
            gone = left.index(True)
            if ways[1 - gone] is None:
                continue
            stays = (a, b)[1 - gone].scope
            ways[gone] = in_place_of(ways[1 - gone], stays, (a, b)[gone].scope)
        try:
            _ADD[type(container) if type(container) in _ADD else object](add, container, ways)
        except Conflict as e:
            raise Conflict(
                f"what is changed in place, a {type(container).__name__}, is {e}"
            ) from None


def _add_list(add: Any, container: list[Any], ways: list[Any]) -> None:
    calls.read_all(container)
    first, second = (container.copy() if w is None else w for w in ways)
    if len(first) != len(second):
        raise Conflict(f"{describe(first)} in one case and {describe(second)} in the other")
    items: list[Any] = [None] * len(first)

    def keep(k: int) -> Callable[[Any], None]:
        def store(value: Any) -> None:
            items[k] = value
            if k + 1 == len(items):
                calls.store_element(container, slice(None), items)

        return store

    for k, pair in enumerate(zip(first, second, strict=True)):
        add(pair, keep(k))
    if not items:
        calls.store_element(container, slice(None), [])


def _add_dict(add: Any, container: dict[Any, Any], ways: list[Any]) -> None:
    calls.read_all(container)
    first, second = (container.copy() if w is None else w for w in ways)
    if first.keys() != second.keys():
        raise Conflict(f"of keys {list(first)} in one case and {list(second)} in the other")
    for key in [k for k in container if k not in first]:
        calls.delete_element(container, key)
    for key in first:
        if first[key] is second[key] and container.get(key, ABSENT) is first[key]:
            continue

        def store(value: Any, key: Any = key) -> None:
            calls.store_element(container, key, value)

        add((first[key], second[key]), store)


def _add_object(add: Any, thing: Any, ways: list[Any]) -> None:
    first, second = (w or {} for w in ways)
    for name in {**first, **second}:
        before = _attribute(thing, name)
        pair = (first.get(name, before), second.get(name, before))
        if pair[0] is ABSENT or pair[1] is ABSENT:
            raise Conflict(f"with an attribute '{name}' in one case only")

        def store(value: Any, name: str = name) -> None:
            calls.store_attribute(thing, name, value)

        add(pair, store)


def _attribute(thing: Any, name: str) -> Any:
    try:
        return calls.load_attribute(thing, name)
    except AttributeError:
        return ABSENT


_ADD: dict[type, Callable[..., None]] = {list: _add_list, dict: _add_dict, object: _add_object}
