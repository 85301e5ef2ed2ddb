"""Branches on tensors: both ways are captured as functions, and become one ``scf.if``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cellgrad import ops
from cellgrad.capture.changed import (
    Changed,
    add_changes,
    changes_of,
    refuse_changes,
    refuse_entangled,
)
from cellgrad.capture.merge import (
    MISSING,
    Conflict,
    Merged,
    Unbound,
    as_leaf,
    merge,
    zero,
)
from cellgrad.capture.raises import Raised, raise_unless, refused, was_raised
from cellgrad.core import state
from cellgrad.core.errors import NotCompilable, error
from cellgrad.core.frame import BREAK, CONTINUE, RETURN, Frame, Run
from cellgrad.core.partial import link, may_be
from cellgrad.core.scope import Scope, ScopeGuard
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer
from cellgrad.core.tree import map_tensors

KINDS = (RETURN, BREAK, CONTINUE)


class Exit:
    """A statement that may or may not leave its block, which is known at run time only.

    `flags` says for each way to leave whether it is taken: False, True or a Bool tensor.
    """

    __slots__ = ("flags",)

    def __init__(self, flags: dict[str, Any]):
        self.flags = flags

    def require_return(self, frame: Frame) -> None:
        """Refuses a function that returns in some cases and ends without a value in others."""
        if self.flags[RETURN] is not True and frame.result is not None:
            raise error(
                NotCompilable,
                f"'{frame.code.name}' returns a value only where a condition on a tensor holds; "
                "elsewhere it ends without return, and gives None.",
                "return a value of the same shape and dtype at the end as well",
            )

    def unless(self, frame: Frame, rest: Run) -> Any:
        """Runs the remaining trips of a loop unless it was left by this one."""
        going = negated(any_flag(list(self.flags.values())))
        left = self.taken()
        ended = left.without(BREAK) if isinstance(left, Exit) else None if left is BREAK else left
        if going is False:
            return ended
        return branch(frame, going, rest, lambda f: ended)

    def taken(self) -> Any:
        """The signal where it is known that one of the ways to leave is taken."""
        possible = [k for k, f in self.flags.items() if f is not False]
        return possible[0] if len(possible) == 1 else self

    def without(self, *kinds: str) -> Any:
        """The signal with some ways to leave handled; None where nothing is left."""
        flags = {k: False if k in kinds else f for k, f in self.flags.items()}
        return None if not any(f is not False for f in flags.values()) else Exit(flags)


def flag_of(signal: Any, kind: str) -> Any:
    """Whether a signal is of a kind: False, True or a Bool tensor."""
    if isinstance(signal, Exit):
        return signal.flags[kind]
    return signal == kind


def _ops() -> Any:
    """The operations, which are built on this package."""
    return ops


def any_flag(flags: list[Any]) -> Any:
    """The disjunction of flags in the current scope."""
    ops = _ops()
    out: Any = False
    for f in flags:
        if f is True:
            return True
        if f is not False:
            out = f if out is False else ops.logical_or(out, f)
    return out


def both(first: Any, second: Any) -> Any:
    """The conjunction of two truths in the current scope."""
    ops = _ops()
    if isinstance(first, Tensor) or isinstance(second, Tensor):
        return ops.logical_and(first, second)
    return first and second


def negated(flag: Any) -> Any:
    """The opposite of a flag in the current scope."""
    ops = _ops()
    return ops.logical_not(flag) if isinstance(flag, Tensor) else not flag


class Containers:
    """The lists and dicts that variables hold, and what was in them."""

    def __init__(self, frames: list[Frame]):
        self.held: list[tuple[str, Any, Any]] = []
        for f in frames:
            for name, value in f.locals.items():
                if type(value) is list or type(value) is dict:
                    self.held.append((name, value, value.copy()))

    def changed(self) -> str | None:
        """The name of one that was changed in place."""
        for name, value, before in self.held:
            if len(value) != len(before):
                return name
            pairs = (
                zip(value, before)
                if type(value) is list
                else ((value.get(k, MISSING), v) for k, v in before.items())
            )
            if any(a is not b for a, b in pairs):
                return name
        return None

    def restore(self) -> None:
        for _, value, before in self.held:
            if type(value) is list:
                value[:] = before
            else:
                value.clear()
                value.update(before)


class Outcome:
    """What running some code in a scope of its own has done."""

    __slots__ = ("changes", "locals", "lost", "result", "scope", "signal")

    def __init__(self, scope: Scope, frames: list[Frame], signal: Any):
        self.scope = scope
        self.locals = [f.locals for f in frames]
        self.result = frames[0].result if frames else None
        self.signal = signal
        self.changes: list[Changed] = []
        self.lost = scope.trace.lost  # what may not be read after it


def chain(frame: Frame) -> list[Frame]:
    """The frame and those around it, whose variables its code can assign."""
    out = []
    f: Frame | None = frame
    while f is not None:
        out.append(f)
        f = f.parent
    return out


def run_apart(
    frame: Frame,
    scope: Scope,
    run: Run,
    prepare: Callable[[], None] | None = None,
    may_raise: bool = False,
    may_change: bool = False,
) -> Outcome:
    """Runs code in `scope`, on copies of the variables; `prepare` may set some first. With `may_change`,
    the outcome has what lists, dictionaries and objects hold that were there before it; they are restored.

    Raises:
        Raised: with `may_raise`, the code always ends with an exception of the user's.
    """
    frames = chain(frame)
    before = [(f, f.locals) for f in frames]
    result = frame.result
    containers = Containers(frames)
    node = frame.node
    try:
        for f in frames:
            f.locals = dict(f.locals)
        with ScopeGuard(scope):
            if prepare is not None:
                prepare()
            try:
                signal = run(frame)
            except Exception as e:
                for touched in scope.touched.values():
                    touched.restore()
                if not was_raised(e):
                    raise
                raise Raised(e) if may_raise else refused(e) from e
        outcome = Outcome(scope, frames, signal)
        if may_change:
            outcome.changes = changes_of(scope, [values for _, values in before])
    finally:
        for f, values in before:
            f.locals = values
        frame.result = result
    name = containers.changed()
    if name is not None:
        containers.restore()
        frame.node = node
        raise error(
            NotCompilable,
            f"'{name}' is changed in place inside a branch or loop that depends on a tensor: the "
            "choice is made when the code runs, but the change would be made while compiling.",
            f"build a new value instead, for example {name} = [*{name}, x] with the same length in "
            "both cases, or keep tensors in a tensor",
        )
    refuse_changes(changes_of(scope, [values for _, values in before]) if not may_change else [])
    return outcome


def child_scope(frame: Frame, name: str, inputs: list[Any] | None = None) -> Scope:
    """A scope for a part of the function that is being captured."""
    outer = state.current.scope
    assert outer is not None
    scope = Scope(outer.trace, f"{frame.code.name}_{name}", inputs or [], outer, state.location())
    scope.apart = True
    return scope


def captured_values(outer: Scope, scope: Scope) -> list[Any]:
    """What a finished scope takes from `outer`, as native values there."""
    return [outer.value(what) for what, _ in scope.captures]


class _Selection:
    """The values that the two ways hand on, and what becomes of them."""

    def __init__(self, a: Outcome, b: Outcome):
        self.sides = (a, b)
        self.leaves: tuple[list[Any], list[Any]] = ([], [])
        self.signatures: list[Any] = []
        self.stores: list[tuple[Merged, Callable[[Any], None]]] = []

    def add(self, values: tuple[Any, Any], store: Callable[[Any], None]) -> None:
        merged = merge(*values)
        for side, value in zip(self.leaves, values, strict=True):
            side.extend(merged.take(value))
        self.signatures.extend(merged.signatures)
        self.stores.append((merged, store))

    def finish(self, outer: Scope, condition: Tensor) -> None:
        trace = outer.trace
        after, trace.lost = trace.lost, {}  # what is handed on is not read yet
        for outcome, leaves in zip(self.sides, self.leaves, strict=True):
            scope = outcome.scope
            with ScopeGuard(scope):
                tensors = [as_leaf(v, s) for v, s in zip(leaves, self.signatures, strict=True)]
                scope.fn.ret([scope.value(t) for t in tensors])
        a, b = (o.scope for o in self.sides)
        values = outer.fn.if_(
            outer.value(condition),
            a.fn.name,
            captured_values(outer, a),
            b.fn.name,
            captured_values(outer, b),
            loc=state.location(),
        )
        chosen = [Tracer(v, outer, s) for v, s in zip(values, self.signatures, strict=True)]
        trace.lost = after
        for leaves in self.leaves:
            link(chosen, leaves)
        for out, *ways in zip(chosen, *self.leaves, strict=True):
            may_be(out, ways)
            for outcome, leaf in zip(self.sides, ways, strict=True):
                if id(leaf) in outcome.lost:
                    after[id(out)] = (out, outcome.lost[id(leaf)][1])
        results = iter(chosen)
        for merged, store in self.stores:
            store(merged.build(results))


def branch(frame: Frame, condition: Tensor, then: Run, other: Run) -> Any:
    """Runs one of two pieces of code as a tensor says; gives the signal of both together."""
    outer = state.current.scope
    assert outer is not None
    node = frame.node
    mark = outer.trace.mark()
    ways = []
    before = outer.trace.lost
    lost = dict(before)
    for name, run in (("then", then), ("else", other)):
        outer.trace.lost = dict(before)
        try:
            ways.append(run_apart(frame, child_scope(frame, name), run, None, True, True))
        except Raised as e:  # what is left is the other way, with a check that it is taken
            outer.trace.discard(mark)
            outer.trace.lost = before
            frame.node = node
            raise_unless(negated(condition) if run is then else condition, e.exception)
            return (other if run is then else then)(frame)
        finally:
            lost |= outer.trace.lost
        frame.node = node
    a, b = ways
    selection = _Selection(a, b)
    try:
        refuse_entangled(frame, a, b)
        add_changes(selection.add, a, b, _in_place_of)
        _add_variables(selection, frame, a, b)
        _add_parameters(selection, outer, a, b)
        _add_elements(selection, outer, a, b)
        signal = _add_signals(selection, frame, a, b)
    except Conflict as e:
        raise error(
            NotCompilable,
            f"The two branches of a condition that depends on a tensor give different kinds of "
            f"values: {e}.",
            "give both the same shape and dtype, for example with ops.zeros_like or astype",
        ) from None
    outer.trace.lost = lost
    selection.finish(outer, condition)
    return signal if not isinstance(signal, _Flags) else signal.exit()


def perform_where(condition: Tensor, action: Callable[[], Any]) -> None:
    """Does `action`, which assigns to Parameters and elements, where `condition` holds."""
    outer = state.current.scope
    assert outer is not None
    ways = []
    for name, run in (("performed", action), ("left_out", lambda: None)):
        scope = Scope(outer.trace, f"{outer.name}_{name}", [], outer, state.location())
        scope.apart = True
        with ScopeGuard(scope):
            run()
        ways.append(Outcome(scope, [], None))
    selection = _Selection(*ways)
    _add_parameters(selection, outer, *ways)
    _add_elements(selection, outer, *ways)
    selection.finish(outer, condition)


def _add_variables(selection: _Selection, frame: Frame, a: Outcome, b: Outcome) -> None:
    for f, la, lb in zip(chain(frame), a.locals, b.locals, strict=True):
        for name in dict.fromkeys((*la, *lb)):
            before = f.locals.get(name, MISSING)
            va, vb = la.get(name, MISSING), lb.get(name, MISSING)
            if va is before and vb is before:
                continue
            # A way that returns has no say in what follows.
            if a.signal is RETURN and b.signal is not RETURN:
                va = _in_place_of(vb, b.scope, a.scope)
            elif b.signal is RETURN and a.signal is not RETURN:
                vb = _in_place_of(va, a.scope, b.scope)
            if va is MISSING and vb is MISSING:
                f.locals.pop(name, None)
            elif va is MISSING or vb is MISSING:
                without, has = ("true", "false") if va is MISSING else ("false", "true")
                f.locals[name] = Unbound(
                    f"only one branch of the condition at line {frame.node.lineno} gives it one",
                    f"is not defined in {without} branch, but defined in {has} branch",
                )
            elif isinstance(va, Unbound) or isinstance(vb, Unbound):
                f.locals[name] = va if isinstance(va, Unbound) else vb
            else:
                try:
                    selection.add((va, vb), _to_local(f, name))
                except Conflict as e:
                    raise Conflict(f"'{name}' is {e}") from None


def _in_place_of(value: Any, owner: Scope, other: Scope) -> Any:
    """A value for `other`, which never gets to use it: zeros for the tensors that only `owner` has."""

    def stand_in(t: Tensor) -> Tensor:
        if type(t) is not Tracer or t._scope is not owner:
            return t
        with ScopeGuard(other):
            return zero(t._sig)

    return map_tensors(stand_in, value)


def _to_local(f: Frame, name: str) -> Callable[[Any], None]:
    def store(value: Any) -> None:
        f.locals[name] = value

    return store


def _add_parameters(selection: _Selection, outer: Scope, a: Outcome, b: Outcome) -> None:
    for p in {**a.scope.written, **b.scope.written}.values():
        x, y = (Tracer(s.current(p), s, p._sig) for s in (a.scope, b.scope))

        def store(value: Any, p: Any = p) -> None:
            outer.write(p, outer.value(value))

        selection.add((x, y), store)


def _add_elements(selection: _Selection, outer: Scope, a: Outcome, b: Outcome) -> None:
    """Merges the tensors that elements were assigned to."""
    for t in {**a.scope.changed, **b.scope.changed}.values():
        x, y = (Tracer(s.value(t), s, t._sig) for s in (a.scope, b.scope))

        def store(value: Any, t: Any = t) -> None:
            outer.assign(t, outer.value(value))

        selection.add((x, y), store)


class _Flags:
    """The flags of a merged signal, filled in when the values are there."""

    def __init__(self) -> None:
        self.flags: dict[str, Any] = {}

    def exit(self) -> Exit:
        return Exit({k: self.flags[k] for k in KINDS})


def _add_signals(selection: _Selection, frame: Frame, a: Outcome, b: Outcome) -> Any:
    """Merges how both ways end, and what they return."""
    before = frame.result
    returns = [flag_of(o.signal, RETURN) is not False for o in (a, b)]
    if any(returns):
        ra, rb = a.result, b.result
        if not returns[0]:
            ra = _in_place_of(rb, b.scope, a.scope)
        if not returns[1]:
            rb = _in_place_of(ra, a.scope, b.scope)

        def to_result(value: Any) -> None:
            frame.result = value

        try:
            selection.add((ra, rb), to_result)
        except Conflict as e:
            raise Conflict(f"what is returned is {e}") from None
    else:
        frame.result = before
    if not isinstance(a.signal, Exit) and a.signal == b.signal:
        return a.signal
    merged = _Flags()
    for kind in KINDS:

        def to_flag(value: Any, kind: str = kind) -> None:
            merged.flags[kind] = value

        selection.add((flag_of(a.signal, kind), flag_of(b.signal, kind)), to_flag)
    return merged


def branch_value(frame: Frame, condition: Tensor, then: Run, other: Run) -> Any:
    """The value of one of two expressions, as a tensor says."""
    name = f"<value {id(then)}>"

    def keep(expression: Run) -> Run:
        def run(f: Frame) -> None:
            f.locals[name] = expression(f)

        return run

    branch(frame, condition, keep(then), keep(other))
    value = frame.locals.pop(name)
    if isinstance(value, Unbound):
        raise value.fail("value")
    return value


def after_exit(frame: Frame, signal: Exit, rest: Run) -> Any:
    """Runs the rest of a block unless it was left."""
    condition = negated(any_flag(list(signal.flags.values())))
    if condition is False:
        return signal.taken()
    return branch(frame, condition, rest, lambda f: signal.taken())
