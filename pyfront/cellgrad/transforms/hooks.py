"""Hooks: functions of a gradient, called where reverse mode has it, which may replace it.

In a program a hook is a rule: what is hooked passes through an identity (``cell.custom``) whose
cotangent goes through the hook. So it acts at every order of differentiation, and costs nothing where
nothing is differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from cellgrad.capture import calls
from cellgrad.capture.hooks import replaced, through
from cellgrad.compile import program as _jit
from cellgrad.core import context, hooks, state
from cellgrad.core.aliases import TensorOrTensors
from cellgrad.core.arguments import check_callable, check_instance
from cellgrad.core.dynamic import dynamic
from cellgrad.core.errors import NotCompilable, error
from cellgrad.core.record import call_custom, fresh, splat
from cellgrad.core.scope import Scope, ScopeGuard
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer
from cellgrad.core.tree import map_tensors, matching, tensors
from cellgrad.transforms.differentiate import Differentiated

T = TypeVar("T")

__all__ = ["HookBackward", "InsertGradientOf"]

Cotangents = Callable[[Sequence[Tensor]], Sequence[Tensor]]


def _passed(inputs: Sequence[Tensor], rule: Cotangents, hook: Any) -> list[Tensor]:
    """Tensors of floating-point numbers as they are, with the cotangents that `rule` gives."""
    outer, loc = state.current.scope, state.location()
    assert outer is not None
    name, given = _jit.function_name(hook), [t._sig for t in inputs]
    body = Scope(outer.trace, name, given, outer, loc)
    body.fn.ret([t._value for t in body.inputs])
    rules = Scope(outer.trace, f"{name}_hook", 3 * given, outer, loc)
    with ScopeGuard(rules):
        rules.fn.ret([rules.value(t) for t in rule(rules.inputs[2 * len(given) :])])
    _checked(rules, hook)
    values = call_custom(outer, body, rules, inputs, forward=False)
    return [Tracer(v, outer, t._sig) for v, t in zip(values, inputs, strict=True)]


def _checked(rules: Scope, hook: Any) -> None:
    """Counts a hook that was captured, and refuses one with effects."""
    rules.trace.hooks += 1
    for p in rules.written.values():
        raise error(
            NotCompilable,
            f"The hook '{_jit.function_name(hook)}' writes Parameter '{p.name}': it is part of the "
            "derivative, which cannot change state.",
            "return the gradient, and write the Parameter with what ms.grad gives",
        )


def _differentiating() -> bool:
    """Whether a derivative may be taken of the code that is being captured."""
    scope = state.current.scope
    return scope is not None and bool(scope.trace.active)


def _has_cotangent(tensor: Tensor) -> bool:
    """Whether hooks are called for a tensor: not for bools."""
    return tensor.dtype.kind in "fiuc"


# --- tensors ----------------------------------------------------------------------------------


class _CapturedHandle:
    """What registering a hook of a tensor in compiled code returns in `PYNATIVE_MODE`."""

    def __init__(self, tensor: Tracer, passed: Any, handle: hooks.TensorHookHandle):
        self._tensor, self._passed, self._handle = tensor, passed, handle

    def remove(self) -> None:
        """Takes the hook off again, also where the tensor has been used since; a second call does
        nothing.
        """
        tensor, scope = self._tensor, self._tensor._scope
        if scope is not state.current.scope:
            raise dynamic(
                error(
                    ValueError,
                    "A hook is removed in another function or branch than the one that made its tensor.",
                    "remove it where the tensor is made",
                )
            )
        self._handle.drop()
        if self._passed is None:
            return
        _, raw, chain = scope.hooked[id(tensor)]
        at = chain.index(self._passed)
        below = chain[at + 1] if at + 1 < len(chain) else raw
        scope.fn.replace(self._passed, below)
        if tensor._value == self._passed:
            tensor._value = below
        del chain[at]
        self._passed = None


def _register(tensor: Any, hook: hooks.Hook) -> Any:
    """Registers a hook; see `Tensor.register_hook`."""
    check_callable(hook, "register_hook", "hook", "a function")
    if tensor._is_parameter and not tensor.requires_grad:
        raise error(
            RuntimeError,
            "The tensor requires grad is false, which can not register tensor hook: Parameter "
            f"'{tensor.name}' has no gradient.",
            "set its requires_grad to True first",
        )
    scope = state.current.scope
    made = scope is not None and not tensor._is_parameter and id(tensor) in scope.trace.made
    if scope is None or made:
        return hooks.note(tensor, hook)
    if not isinstance(tensor, Tracer):
        kind = "Parameter" if tensor._is_parameter else "Tensor from outside"
        raise dynamic(
            error(
                ValueError,
                f"Register hook for {kind} inside graph is not supported. It would be registered once, "
                "while compiling.",
                "register it outside of the compiled code, for example in __init__",
            )
        )
    if tensor._scope is not scope:
        raise dynamic(
            error(
                ValueError,
                "A hook is registered in another function, branch or loop than the one that made its "
                "tensor.",
                "register it where the tensor is made",
            )
        )
    passed = _hook_captured(tensor, hook, scope) if _has_cotangent(tensor) else None
    handle = hooks.note(tensor, hook)  # where it is an input of a gradient in this code
    return tensor if context.graph_mode() else _CapturedHandle(tensor, passed, handle)


def _hook_captured(tensor: Tracer, hook: hooks.Hook, scope: Scope) -> Any:
    """Gives the cotangent of a tensor to a hook, that of what was computed from it before as well;
    the value that it passes through the hook as, None where nothing is differentiated.
    """
    if not _differentiating():
        return None
    used = tensor._used
    kept, raw, chain = scope.hooked.get(id(tensor), (tensor, tensor._value, []))
    if not chain or tensor._value != chain[0]:  # the first hook, or one after an assignment
        raw, chain = tensor._value, []
    else:  # what was registered before is called before
        used = True
    now, tensor._value = tensor._value, raw
    passed = _passed([tensor], lambda douts: [through([hook], douts[0])], hook)
    after = scope.value(passed[0])
    if used and (raw in scope.shared or not scope.fn.replace(raw, after)):
        raise dynamic(
            error(
                ValueError,
                f"The hook '{_jit.function_name(hook)}' is registered after its tensor was used: by a "
                "copy of it, or before something that the hook reads was computed.",
                "register the hook right after the tensor is made",
            )
        )
    tensor._value = now if chain else after
    chain.append(after)
    scope.hooked[id(tensor)] = kept, raw, chain
    return after


hooks.register = _register


class InsertGradientOf:
    """Makes an identity whose gradient goes through a function: ``InsertGradientOf(f)(x)``.

    Args:
        f: called with the gradient; what it returns takes its place, None leaves it.

    Raises:
        TypeError: `f` is not callable.

    >>> clip = ops.InsertGradientOf(lambda gradient: ops.clamp(gradient, -1, 1))
    >>> print(ms.grad(lambda x: clip(x) * 5)(Tensor(2.0)))
    1.0
    """

    def __init__(self, f: Callable[..., object]):
        self.f = check_callable(f, "InsertGradientOf", "f", "a function")

    def __call__(self, input_x: T) -> T:
        if state.current.scope is None and state.current.tape is None:
            return input_x
        inputs = list(tensors(input_x))

        def rule(douts: Sequence[Tensor]) -> Sequence[Tensor]:
            found = iter(douts)
            given = calls.call_as_around(self.f, (map_tensors(lambda t: next(found), input_x),), {})
            if given is None:
                return douts
            name, listed = _jit.function_name(self.f), matching(given, input_x)
            if len(listed) != len(douts):
                raise error(
                    TypeError,
                    f"For 'InsertGradientOf', '{name}' returned {len(listed)} gradients, but was "
                    f"called with {len(douts)}.",
                    "return what has the structure of its argument, or None",
                )
            return [replaced(v, g, name) for v, g in zip(listed, douts, strict=True)]

        out = iter(_hooked(inputs, rule, self.f))
        same: T = map_tensors(lambda t: next(out), input_x)
        return same


class HookBackward:
    """Makes an identity of one or more tensors, with a hook for their gradients:
    ``HookBackward(hook_fn)(x)``.

    Args:
        hook_fn: called with the tuple of the gradients; it returns the new ones, a Tensor for one of
            them, or None.

    Raises:
        TypeError: `hook_fn` is not callable, or an input is not a Tensor.

    >>> double = ops.HookBackward(lambda gradients: gradients[0] * 2)
    >>> print(ms.grad(lambda x: double(x) * 5)(Tensor(2.0)))
    10.0
    """

    def __init__(self, hook_fn: Callable[..., object], cell_id: str = ""):
        self.hook_fn = check_callable(hook_fn, "HookBackward", "hook_fn", "a function")
        self.cell_id = cell_id

    def __call__(self, *inputs: T) -> TensorOrTensors:
        out = [check_instance(t, "HookBackward", "input", Tensor) for t in inputs]
        if state.current.scope is not None or state.current.tape is not None:
            call = lambda grads: calls.call_as_around(self.hook_fn, (grads,), {})
            rule = lambda douts: _run(call, douts, "HookBackward", self.hook_fn)
            out = _hooked(out, rule, self.hook_fn)
        return out[0] if len(out) == 1 else tuple(out)


def _hooked(inputs: Sequence[Tensor], rule: Cotangents, hook: Any) -> list[Tensor]:
    """The tensors, with the gradients that `rule` gives; bools have none, and zero where the hook is
    called with all.
    """
    tape = state.current.tape
    if tape is not None and state.current.scope is None:
        return _on_tape(tape, inputs, rule)
    out = [fresh(t) for t in inputs]
    places = [i for i, t in enumerate(inputs) if _has_cotangent(t)]
    if not places or not _differentiating():
        return out

    def pull(douts: Sequence[Tensor]) -> Sequence[Tensor]:
        found = iter(douts)
        full = [next(found) if i in places else _zero(t) for i, t in enumerate(inputs)]
        given = rule(full)
        return [given[i] for i in places]

    hooked = _passed([inputs[i] for i in places], pull, hook)
    for i, t in zip(places, hooked, strict=True):
        out[i] = t
    return out


def _on_tape(
    tape: Any, inputs: Sequence[Tensor], rule: Cotangents, always: bool = False
) -> list[Tensor]:
    """As `_hooked`, where the code runs as ordinary Python; see `Tape.rule` for `always`."""
    out = [Tensor._wrap(t._buf.copy(), t._sig) for t in inputs]

    def pull(douts: Sequence[Tensor | None]) -> Sequence[Tensor]:
        pairs = zip(douts, inputs, strict=True)
        return rule([_zero(t) if d is None else d for d, t in pairs])

    tape.rule(inputs, out, pull, always=always)
    return out


def _zero(like: Tensor) -> Tensor:
    return splat(0, like.dtype, like.shape)


def _run(
    call: Callable[[tuple[Tensor, ...]], Any], gradients: Sequence[Tensor], op: str, hook: Any
) -> list[Tensor]:
    """The gradients after a hook that is called with all of them."""
    given = call(tuple(gradients))
    if given is None:
        return list(gradients)
    listed = given if isinstance(given, tuple) else (given,)
    name = _jit.function_name(hook)
    if len(listed) != len(gradients):
        raise error(
            TypeError,
            f"For '{op}', the hook '{name}' returned {len(listed)} gradients, but was called with "
            f"{len(gradients)}.",
            "return a tuple of as many, in their order, or None to leave them as they are",
        )
    return [replaced(v, g, name) for v, g in zip(listed, gradients, strict=True)]


# --- Cells ------------------------------------------------------------------------------------


def before_backward(cell: Any, listed: Sequence[Callable[..., Any]], output: Any) -> Any:
    """What a Cell gives, with the gradients that its backward pre-hooks make of those of its
    outputs.
    """

    def rule(douts: Sequence[Tensor]) -> Sequence[Tensor]:
        for hook in listed:
            call = lambda grads, hook=hook: calls.call_as_around(hook, (cell, grads), {})
            douts = _run(call, douts, "register_backward_pre_hook", hook)
        return douts

    own = _own(output)
    if not own or not (_differentiating() or state.current.tape is not None):
        return output
    return _with_own(output, _hooked(own, rule, listed[0]))


def after_backward(
    cell: Any,
    listed: Sequence[Callable[..., Any]],
    run: Callable[..., Any],
    args: tuple[Any, ...],
) -> Any:
    """``run(*args)``, with the gradients that backward hooks make of those of the arguments.

    The Cell becomes a function with a rule: its own derivative, then the hooks. What it takes from
    around it, such as Parameters, is among its arguments, and has gradients as before.
    """
    tape = state.current.tape
    if tape is not None and state.current.scope is None:
        return _after_backward_on_tape(tape, cell, listed, run, args)
    if not any(_has_cotangent(t) for t in _own(args)) or not _differentiating():
        return run(*args)
    d = Differentiated(run, args, {})
    for inner, before in zip(d.scope.inputs, d.scope.fn.args, strict=False):
        _, _, chain = d.scope.hooked.get(id(inner), (None, None, []))
        if inner._value != (chain[0] if chain else before):
            raise error(
                TypeError,
                f"'{d.name}' assigns to elements of an argument, and has backward hooks: its "
                "arguments are values of their own there, so the assignment would be lost outside.",
                "return the changed tensor, or take the hooks off",
            )
    operands = [*d.inputs, *[what for what, _ in d.scope.captures]]
    results = [*d.results, *d.written]
    of = [i for i, t in enumerate(d.results) if _has_cotangent(t)]
    wrt = [i for i, t in enumerate(operands) if _has_cotangent(t)]
    if not of:
        return d.primal(d.outer.fn.call(d.scope.fn.name, d.operands(), state.location()))
    given = [t._sig for t in [*operands, *results]]
    pulled = [t._sig for t in results if _has_cotangent(t)]
    rules = Scope(d.outer.trace, f"{d.name}_hook", [*given, *pulled], d.outer, state.location())
    with ScopeGuard(rules):
        douts = dict(zip(of, rules.inputs[len(given) :], strict=False))
        values = rules.fn.vjp(
            d.scope.fn.name,
            [t._value for t in rules.inputs[: len(operands)]],
            [t._value for t in douts.values()],
            of=of,
            wrt=wrt,
            loc=state.location(),
        )
        gradients: dict[int, Tensor] = {
            i: Tracer(v, rules, rules.inputs[i]._sig)
            for i, v in zip(wrt, values[len(results) :], strict=True)
        }
        at = {id(t): i for i, t in enumerate(tensors(d.out))}
        received = tuple([douts.get(at[id(t)], _zero(t)) for t in _own(d.out)])
        places = [i for a, i in zip(args, d.starts, strict=True) if isinstance(a, Tensor)]
        found = [gradients.get(i, _zero(operands[i])) for i in places]
        for hook in listed:
            call = lambda grads, hook=hook: calls.call(hook, (cell, grads, received), {})
            found = _run(call, found, "register_backward_hook", hook)
        gradients.update({i: g for i, g in zip(places, found, strict=True) if i in gradients})
        rules.fn.ret([rules.value(gradients[i]) for i in wrt])
    _checked(rules, listed[0])
    return d.primal(
        d.outer.fn.custom(
            d.scope.fn.name,
            d.operands(),
            [],
            rules.fn.name,
            forward=False,
            rule_captures=[d.outer.value(what) for what, _ in rules.captures],
            loc=state.location(),
        )
    )


def _after_backward_on_tape(
    tape: Any,
    cell: Any,
    listed: Sequence[Callable[..., Any]],
    run: Callable[..., Any],
    args: tuple[Any, ...],
) -> Any:
    """As `after_backward`, where the code runs as ordinary Python: the hooks are called where the
    gradients of all arguments are known, after those of the output.
    """
    received: list[Tensor] = []

    def after(douts: Sequence[Tensor]) -> Sequence[Tensor]:
        for hook in listed:
            call = lambda grads, hook=hook: hook(cell, grads, tuple(received))
            douts = _run(call, douts, "register_backward_hook", hook)
        return douts

    def before(douts: Sequence[Tensor]) -> Sequence[Tensor]:
        received[:] = douts
        return douts

    # The hooks are called for a Cell of which only Parameters have gradients, too.
    given = iter(_on_tape(tape, _own(args), after, always=True))
    output = run(*[next(given) if isinstance(a, Tensor) else a for a in args])
    return _with_own(output, _on_tape(tape, _own(output), before))


def _with_own(output: Any, tensors: Sequence[Tensor]) -> Any:
    """An output of a Cell with others in place of its tensors."""
    found = iter(tensors)
    if not isinstance(output, tuple):
        return next(found) if isinstance(output, Tensor) else output
    items = [next(found) if isinstance(v, Tensor) else v for v in output]
    return type(output)(*items) if hasattr(output, "_fields") else tuple(items)


def _own(values: Any) -> list[Tensor]:
    """The tensors among the arguments, or the outputs, of a Cell; not those inside of others."""
    listed = values if isinstance(values, tuple) else (values,)
    return [v for v in listed if isinstance(v, Tensor)]
