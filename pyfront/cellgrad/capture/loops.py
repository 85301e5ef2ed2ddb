"""Loops whose end depends on tensors: condition and body are captured as functions of what the
loop carries, and become one ``scf.while``.

What is carried is found by running the body: the variables and Parameters that it changes, until
nothing new is found and no type changes any more.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from cellgrad import ops
from cellgrad.capture.branches import (
    KINDS,
    Exit,
    Outcome,
    any_flag,
    both,
    branch,
    captured_values,
    chain,
    child_scope,
    flag_of,
    negated,
    run_apart,
)
from cellgrad.capture.merge import (
    MISSING,
    Conflict,
    Merged,
    Unbound,
    as_leaf,
    merge,
    truth,
    whole,
    zero,
)
from cellgrad.capture.raises import Raised, raise_unless
from cellgrad.capture.ranges import TensorRange
from cellgrad.capture.rows import Rows
from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.errors import NotCompilable, error
from cellgrad.core.frame import BREAK, CONTINUE, NOTHING, RETURN, Frame, Run
from cellgrad.core.partial import link, may_be, note, write_count
from cellgrad.core.scope import Scope, ScopeGuard
from cellgrad.core.storage import Signature, signature
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer, lost_error

_BOOL = signature(mstype.bool_, ())


class Loop:
    """A loop being captured. `test` gives the condition, `body` a signal, both in a frame."""

    def __init__(self, frame: Frame, test: Run, body: Run):
        self.frame = frame
        self.frames = chain(frame)
        self.test = test
        self.body = body
        self.node = frame.node
        outer = state.current.scope
        assert outer is not None
        self.outer = outer
        # (frame, name) -> the form in which it is carried
        self.variables: dict[tuple[int, str], Merged] = {}
        self.parameters: dict[int, Any] = {}
        self.elements: dict[int, Any] = {}  # tensors that elements are assigned to
        self.result: Merged | None = None
        self.ends_seen: list[list[Any]] = []  # what variables are at the end of a trip
        self.exits = False
        self.endless = False  # it ends by an exit only
        self.emitted = False

    # --- what is carried ----------------------------------------------------------------------

    def signatures(self) -> list[Signature]:
        out = [s for m in self.variables.values() for s in m.signatures]
        out += [p._sig for p in (*self.parameters.values(), *self.elements.values())]
        if self.result is not None:
            out += self.result.signatures
        return out + ([_BOOL, _BOOL] if self.exits else [])

    def bind(self, scope: Scope) -> Callable[[], None]:
        """Sets variables and Parameters to the arguments of `scope`."""

        def prepare() -> None:
            starts = self._leaves([f.locals for f in self.frames])
            for tensor, start in zip(scope.inputs, starts):
                may_be(tensor, (start,))
            for ends in self.ends_seen:
                link(scope.inputs, ends)
                for tensor, end in zip(scope.inputs, ends):
                    may_be(tensor, (end,))
            inputs = iter(scope.inputs)
            for (k, name), merged in self.variables.items():
                self.frames[k].locals[name] = merged.build(inputs)
            for p in self.parameters.values():
                scope.store[id(p)] = next(inputs)._value
            for t in self.elements.values():
                scope.assign(t, next(inputs)._value)
            if self.result is not None:
                self.frame.result = self.result.build(inputs)
            self.flags = list(inputs)

        return prepare

    def find_carried(self) -> Outcome:
        """Runs the body until it changes nothing that is not carried."""
        trace = self.outer.trace
        before = trace.lost
        for _ in range(20):
            made = trace.mark()
            trace.lost = dict(before)
            writes = write_count(self.outer)
            scope = child_scope(self.frame, "body", self.signatures())
            self.frame.node = self.node
            outcome = run_apart(self.frame, scope, self.body, self.bind(scope), may_raise=True)
            self.frame.node = self.node
            if not self._widen(outcome) and not self._new_ends(outcome, writes):
                self._refuse_lost(scope, before)
                return outcome
            trace.discard(made)
        raise error(
            NotCompilable,
            "The variables of a loop that depends on tensors change their shape, dtype or structure "
            "from trip to trip.",
            "give them their final shape and dtype before the loop",
        )

    def _leaves(self, variables: list[dict[str, Any]]) -> list[Any]:
        """The tensors and numbers in the variables that are carried."""
        return [x for (k, name), m in self.variables.items() for x in m.take(variables[k][name])]

    def _new_ends(self, outcome: Outcome, writes: int) -> bool:
        """Whether a trip that writes to elements begins with tensors that were not known to be among its first
        ones: those that the trip before ends with.
        """
        if self.ends_seen or write_count(outcome.scope) == writes:
            return False
        self.ends_seen.append(self._leaves(outcome.locals))
        return any(isinstance(x, Tensor) for x in self.ends_seen[0])

    def _refuse_lost(self, scope: Scope, before: dict[int, Any]) -> None:
        """Refuses a body that reads a tensor from before the loop which an earlier trip may have written under
        another name.
        """
        for number, (tensor, place) in scope.trace.lost.items():
            if number not in before and (scope.captured(tensor) or number in self.elements):
                raise lost_error(place)

    def _widen(self, outcome: Outcome) -> bool:
        """Takes up what a trip has changed; whether there was anything new."""
        changed = False
        for k, (f, after) in enumerate(zip(self.frames, outcome.locals, strict=True)):
            for name, value in after.items():
                known = self.variables.get((k, name))
                before = f.locals.get(name, MISSING)
                if before is MISSING or isinstance(before, Unbound):
                    continue  # of the trip alone
                if known is None and value is before:
                    continue
                if isinstance(value, Unbound):
                    raise value.fail(name)
                merged = self._merge(f"'{name}'", before, value, known)
                if merged.signatures != (known.signatures if known else []):
                    self.variables[k, name] = merged
                    changed = True
        for p in outcome.scope.written.values():
            if id(p) not in self.parameters:
                self.parameters[id(p)] = p
                changed = True
        if changed:  # what another variable is in a trip is not known before all are carried
            self.elements, self.ends_seen = {}, []
            return True
        for t in outcome.scope.changed.values():
            if id(t) not in self.elements:
                self.elements[id(t)] = t
                changed = True
        stops = [flag_of(outcome.signal, kind) is not False for kind in (BREAK, RETURN)]
        if any(stops) and not self.exits:
            self.exits = changed = True
        if stops[1] and self.result is None:
            self.result = whole(outcome.result)
            changed = True
        return changed

    @staticmethod
    def ends(before: Any, after: Any, known: Merged | None) -> tuple[Any, Any]:
        """The two values that a carried one must be able to be."""
        # What it was widened to before counts as well.
        return before if known is None else like(known), after

    def _merge(self, what: str, before: Any, after: Any, known: Merged | None) -> Merged:
        try:
            return merge(*self.ends(before, after, known))
        except Conflict as e:
            raise error(
                NotCompilable,
                f"{what[0].upper()}{what[1:]} changes from trip to trip of a loop that depends on "
                f"tensors: it is {e} (before and after the first trip).",
                "give it its final shape, dtype and structure before the loop, for example with "
                "ops.zeros",
            ) from None

    # --- the loop -----------------------------------------------------------------------------

    def finish_body(self, outcome: Outcome) -> None:
        scope = outcome.scope
        with ScopeGuard(scope):
            leaves = self._leaves(outcome.locals)
            signatures = self.signatures()
            tensors = [as_leaf(v, s) for v, s in zip(leaves, signatures)]
            tensors += [Tracer(scope.current(p), scope, p._sig) for p in self.parameters.values()]
            lost, scope.trace.lost = scope.trace.lost, {}  # handed on, not read
            tensors += [Tracer(scope.value(t), scope, t._sig) for t in self.elements.values()]
            scope.trace.lost = lost
            if self.result is not None:
                values = self.result.take(outcome.result)
                tensors += [as_leaf(v, s) for v, s in zip(values, self.result.signatures)]
            if self.exits:
                tensors += [
                    as_leaf(flag_of(outcome.signal, kind), _BOOL) for kind in (BREAK, RETURN)
                ]
            scope.fn.ret([scope.value(t) for t in tensors])

    def capture_test(self) -> Scope:
        scope = child_scope(self.frame, "while", self.signatures())
        kept: list[Any] = []

        def run(frame: Frame) -> None:
            value = truth(self.test(frame))
            self.endless = value is True
            going = negated(any_flag(self.flags)) if self.exits else True
            if value is False:
                going = False
            elif value is not True:
                going = value if going is True else both(going, value)
            kept.append(as_leaf(going, _BOOL))

        run_apart(self.frame, scope, run, self.bind(scope))
        self.frame.node = self.node
        with ScopeGuard(scope):
            scope.fn.ret([scope.value(kept[0])])
        return scope

    def initial_values(self) -> list[Any]:
        leaves = self._leaves([f.locals for f in self.frames])
        count = sum(len(m.signatures) for m in self.variables.values())
        tensors = [as_leaf(v, s) for v, s in zip(leaves, self.signatures()[:count], strict=True)]
        values = [self.outer.value(t) for t in tensors]
        values += [self.outer.current(p) for p in self.parameters.values()]
        values += [self.outer.value(t) for t in self.elements.values()]
        rest = self.result.signatures if self.result is not None else []
        rest = rest + ([_BOOL, _BOOL] if self.exits else [])
        return values + [self.outer.value(zero(s)) for s in rest]

    def capture(self) -> Any:
        """Emits the loop; gives the signal with which it ends: None or an `Exit`."""
        trace = self.outer.trace
        before = trace.lost
        outcome = self.find_carried()
        self.finish_body(outcome)
        test = self.capture_test()
        body = outcome.scope
        # The loop takes these before its body writes anything.
        lost, trace.lost = trace.lost, before
        starts = self.initial_values()
        trace.lost = lost
        values = self.outer.fn.while_(
            test.fn.name,
            captured_values(self.outer, test),
            body.fn.name,
            captured_values(self.outer, body),
            starts,
            loc=state.location(),
        )
        self.emitted = True
        sigs = self.signatures()
        last = [Tracer(v, self.outer, s) for v, s in zip(values, sigs, strict=True)]
        starts, ends = self._leaves([f.locals for f in self.frames]), self._leaves(outcome.locals)
        for values in (starts, ends):
            link(last, values)
        for out, *own in zip(last, starts, ends):
            may_be(out, own)
        results = iter(last)
        for (k, name), merged in self.variables.items():
            self.frames[k].locals[name] = merged.build(results)
        for f, after in zip(self.frames, outcome.locals, strict=True):
            for name in after:
                if name not in f.locals:
                    kind = "for" if isinstance(self.node, ast.For) else "while"
                    f.locals[name] = Unbound(
                        f"the loop at line {self.node.lineno} gives it one, and may make no trip",
                        f"defined in the '{kind}' loop body cannot be used outside of the loop body",
                    )
        for p in self.parameters.values():
            self.outer.write(p, self.outer.value(next(results)))
        for t in self.elements.values():
            self.outer.assign(t, self.outer.value(next(results)))
        if self.result is not None:
            self.frame.result = self.result.build(results)
        if not self.exits:
            return None
        flags: dict[str, Any] = dict.fromkeys(KINDS, False)
        for kind, flag in zip((BREAK, RETURN), results, strict=True):
            if flag_of(outcome.signal, kind) is not False:
                flags[kind] = flag
        signal = Exit(flags)
        return signal.taken() if self.endless else signal


class _Like:
    """Stands for a tensor of a signature where only that counts."""

    def __new__(cls, sig: Signature) -> Any:
        tracer = Tracer.__new__(Tracer)
        tracer._sig = sig
        return tracer


def like(form: Merged) -> Any:
    """A value of a form, with nothing but signatures in place of the tensors."""
    return form.build(map(_Like, form.signatures))


def tensor_while(frame: Frame, test: Run, body: Run, other: Run) -> Any:
    """`while` with a condition, or an exit, that depends on tensors; gives a signal."""
    scope, node = state.current.scope, frame.node
    assert scope is not None
    mark = scope.trace.mark()
    try:
        signal = Loop(frame, test, body).capture()
    except Raised as e:  # in its first trip
        scope.trace.discard(mark)
        frame.node = node
        raise_unless(negated(truth(test(frame))), e.exception)
        signal = None
    return after_loop(frame, signal, other)


class Snapshot:
    """The variables, Parameters and elements of tensors before some code runs, and its prints."""

    def __init__(self, frame: Frame):
        self.frames = chain(frame)
        self.before = self._now()

    def _now(self) -> list[dict[Any, Any]]:
        scope = state.current.scope
        assert scope is not None
        kept: list[dict[Any, Any]] = [f.locals for f in self.frames]
        kept += [scope.store, scope.elements, {"prints": scope.trace.prints}]
        return [dict(values) for values in kept]

    def changed(self) -> bool:
        """Whether the code has given one of them another value, or prints."""
        return any(
            a.keys() != b.keys() or any(a[k] is not b[k] for k in a)
            for a, b in zip(self.before, self._now(), strict=True)
        )


def effective_while(frame: Frame, value: Any, test: Run, body: Run, other: Run) -> Any:
    """`while` with a condition that changes variables or Parameters: it was evaluated before the
    first trip, with `value`, and is evaluated again at the end of each.
    """
    flag = f"<condition of line {frame.node.lineno}>"
    frame.locals[flag] = value

    def again(f: Frame) -> None:
        f.locals[flag] = truth(test(f))

    def trip(f: Frame) -> Any:
        signal = body(f)
        left = signal.without(CONTINUE) if isinstance(signal, Exit) else signal
        if left is None or left is CONTINUE:
            again(f)
        elif isinstance(left, Exit):
            going = negated(any_flag(list(left.flags.values())))
            if isinstance(going, Tensor):
                branch(f, going, again, NOTHING)
        return left

    signal = tensor_while(frame, lambda f: f.locals[flag], trip, other)
    frame.locals.pop(flag, None)
    return signal


def after_loop(frame: Frame, signal: Any, other: Run) -> Any:
    """The `else` of a loop, and the signal with which the statement ends."""
    if signal is None:
        return other(frame)
    if not isinstance(signal, Exit):
        return None if signal is BREAK else signal
    left = any_flag([signal.flags[BREAK], signal.flags[RETURN]])
    outer = signal.without(BREAK)
    if left is False:
        ended = other(frame)
        return ended if ended is not None else outer
    if other is NOTHING:
        return outer
    # Where the loop can only be left by `return`, leaving it is returning.
    ended = outer.taken() if isinstance(outer, Exit) and signal.flags[BREAK] is False else outer
    return branch(frame, negated(left), other, lambda f: ended)


def tensor_for(
    frame: Frame,
    items: TensorRange,
    store: Callable[[Frame, Any], None],
    body: Run,
    other: Run,
) -> Any:
    """`for` over a range whose bounds are tensors."""
    counter = f"<counter of line {frame.node.lineno}>"
    frame.locals[counter] = items.start
    upward = items.step > 0

    def test(f: Frame) -> Any:
        compare = ops.less if upward else ops.greater
        return compare(f.locals[counter], items.stop)

    def trip(f: Frame) -> Any:
        now = f.locals[counter]
        store(f, now)
        signal = body(f)
        f.locals[counter] = ops.add(now, items.step)
        return signal

    signal = tensor_while(frame, test, trip, other)
    frame.locals.pop(counter, None)
    return signal


class Varies(Exception):
    """A trip over rows changes more than the elements of tensors."""


class _RowLoop(Loop):
    """A loop whose trips change elements of tensors and nothing else."""

    def _merge(self, what: str, before: Any, after: Any, known: Merged | None) -> Merged:
        tensors = isinstance(before, Tensor) and isinstance(after, Tensor)
        if not tensors or before._sig is not after._sig:
            raise Varies
        return super()._merge(what, before, after, known)


def rows_for(frame: Frame, rows: Tensor, store: Callable[[Frame, Any], None], body: Run) -> bool:
    """`for` over all rows of a tensor but the last, as a loop; whether it could be one.

    It can where the body takes tensors to tensors of the same types. The last trip, which the caller
    makes, gives the variables of a trip the values they have afterwards.
    """
    scope = state.current.scope
    assert scope is not None
    before = [dict(f.locals) for f in chain(frame)]
    made = scope.trace.mark()
    counter = f"<row of line {frame.node.lineno}>"
    flat = Rows.of(rows)
    frame.locals[counter] = ops.full((), 0, dtype=mstype.int64)

    def trip(f: Frame) -> Any:
        now = f.locals[counter]
        row = Rows.read(flat, now, rows.shape[1:])
        note(row, rows)
        store(f, row)
        signal = body(f)
        if scope.trace.lost.pop(id(rows), None) is not None:
            raise Varies  # it writes to the row, which trip by trip is a part of the rows
        f.locals[counter] = ops.add(now, 1)
        return signal

    def test(f: Frame) -> Any:
        return ops.less(f.locals[counter], rows.shape[0] - 1)

    lost = dict(scope.trace.lost)
    current = state.saved()
    loop = _RowLoop(frame, test, trip)
    try:
        loop.capture()
    except Exception:  # what is wrong without a loop, too, is said there
        if loop.emitted:  # a handler of a signal raised
            raise
        state.current.__dict__.update(current)  # see `Program.captured`
        scope.trace.discard(made)
        scope.trace.lost = lost
        for f, values in zip(chain(frame), before, strict=True):
            f.locals.clear()
            f.locals.update(values)
        return False
    frame.locals.pop(counter, None)
    return True
