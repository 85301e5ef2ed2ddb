"""Derivatives that the user gives, and values computed twice to save memory.

A function with a rule of its own is a ``cell.custom`` op of the program, one that is recomputed a
``cell.recompute`` op: both stay calls until nothing is left that could differentiate them, so that
rules hold at every order of differentiation, each for the level that meets it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

from cellgrad.capture import calls
from cellgrad.capture.given import note_lost
from cellgrad.compile import program as _jit
from cellgrad.compile.budget import Budgeted
from cellgrad.core import inputs as _inputs
from cellgrad.core import scope as _scope
from cellgrad.core import state
from cellgrad.core.aliases import Function
from cellgrad.core.arguments import check_callable, check_int
from cellgrad.core.dynamic import Untaped
from cellgrad.core.errors import NotCompilable, either, error
from cellgrad.core.parameter import Parameter
from cellgrad.core.record import as_tensor, call_custom, cast_to, splat
from cellgrad.core.scope import Scope, ScopeGuard
from cellgrad.core.tensor import Tensor
from cellgrad.core.tree import map_tensors, matching, tensors, zero_of
from cellgrad.transforms.differentiate import Differentiated, identity
from cellgrad.transforms.tape import suspended

__all__ = ["call_with_rule", "custom_rule", "recompute"]

_RULE = "a function that gives derivatives"

F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")
R = TypeVar("R")


@overload
def custom_rule(
    function: F,
    *,
    vjp: Callable[..., object] | None = None,
    jvp: Callable[..., object] | None = None,
) -> F: ...
@overload
def custom_rule(
    function: None = None,
    *,
    vjp: Callable[..., object] | None = None,
    jvp: Callable[..., object] | None = None,
) -> Callable[[F], F]: ...
def custom_rule(
    function: Any = None,
    *,
    vjp: Callable[..., Any] | None = None,
    jvp: Callable[..., Any] | None = None,
) -> Any:
    """Gives a function a derivative of its own; a decorator, or a call with the function first.

    Args:
        function: of tensors; what it returns may be nested.
        vjp: ``vjp(*args, out, dout)``, as ``Cell.bprop``: gives the cotangents of the arguments, in
            a tuple unless there is one argument. Forward mode is refused, as it cannot be derived.
        jvp: ``jvp(args, tangents)``: gives the result and its tangent. Reverse mode is its
            transpose, and refused for a rule that is not linear in the tangents.

    Tensors that the function or the rule take from around them get no gradient; asking for one is
    an error.

    Raises:
        TypeError: both or neither of `vjp` and `jvp` are given.
        CompileError: forward mode of a `vjp`; reverse mode of a `jvp` that is not linear.

    Examples:
        >>> import cellgrad as ms
        >>> from cellgrad import ops
        >>> @ms.custom_rule(vjp=lambda x, out, dout: ops.clamp(dout * 2 * x, -1, 1))
        ... def clipped_square(x):
        ...     return x * x
        >>> print(ms.grad(clipped_square)(ms.Tensor(3.0)))
        1.0
        >>> @ms.custom_rule(jvp=lambda args, tangents: (ops.sin(args[0]), 2 * tangents[0]))
        ... def steep_sine(x):
        ...     return ops.sin(x)
        >>> print(ms.grad(steep_sine)(ms.Tensor(3.0)))
        2.0
    """
    if (vjp is None) == (jvp is None):
        raise error(
            TypeError,
            "For 'custom_rule', give one of vjp and jvp.",
            "a jvp serves both modes; a vjp serves reverse mode",
        )
    if function is None:
        return functools.partial(custom_rule, vjp=vjp, jvp=jvp)

    taken: set[int] = set()  # numbers of arguments that the rule is known to take

    def check_rule(args: tuple[Any, ...]) -> None:
        if len(args) not in taken:
            _check_takes(function, vjp or jvp, len(args) + 2 if vjp else 2, "vjp" if vjp else "jvp")
            taken.add(len(args))

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if state.current.scope is None:
            if state.current.tape is None:
                return function(*args, **kwargs)
            if vjp is None:
                raise Untaped
            check_rule(args)
            return call_on_tape(function, args, kwargs, vjp)
        check_rule(args)
        bound = functools.partial(function, **kwargs) if kwargs else function
        return call_with_rule(bound, args, vjp or jvp, forward=vjp is None)

    return wrapper


def _check_takes(function: Any, rule: Any, count: int, kind: str) -> None:
    """Refuses a rule that cannot be called with so many arguments, which Python's error would not name."""
    try:
        taken = inspect.signature(rule)
    except (TypeError, ValueError):  # of C
        return
    try:
        taken.bind(*range(count))
    except TypeError as e:
        form = "vjp(*args, out, dout)" if kind == "vjp" else "jvp(args, tangents), two tuples"
        raise error(
            TypeError,
            f"The {kind} rule of '{_jit.function_name(function)}' takes {taken}, but it is called with "
            f"{count} arguments: {e}.",
            f"a rule is {form}",
        ) from None


def call_with_rule(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    rule: Any,
    forward: bool,
    of_cell: bool = False,
) -> Any:
    """The call of a function with a rule, in the program being captured. With `of_cell`, as `bprop` of a Cell
    is in MindSpore: gradients by Parameters that the function uses are zero, and those that were broadcast are
    summed.

    A rule may call the function that it is a rule of: the call has the rule as well, as long as a
    derivative that is being taken around the first of these calls can reach it.
    """
    scope = state.current.scope
    assert scope is not None
    key, active, rules = identity(rule), scope.trace.active, scope.trace.rules
    outside = [levels for of, levels in rules if of == key]
    if outside and len(outside) >= outside[0]:
        return calls.call(function, args, {})
    d = Differentiated(function, args, {})
    if d.written:
        raise error(
            TypeError,
            f"'{d.name}' has a rule for its derivative and writes Parameter "
            f"'{d.written[0].name}': a rule cannot say what happens to state.",
            "return the new value, and write the Parameter outside of the function",
        )
    rules.append((key, len(active)))
    try:
        scope = _capture_jvp(d, args, rule) if forward else _capture_vjp(d, args, rule, of_cell)
    finally:
        rules.pop()
    for p in scope.written.values():
        raise error(
            NotCompilable,
            f"The rule of '{d.name}' writes Parameter '{p.name}': it is part of the derivative, which "
            "cannot change state.",
            "write the Parameter with what the function or ms.grad returns",
        )
    by = (lambda what: isinstance(what, Parameter)) if of_cell else (lambda what: False)
    return d.primal(call_custom(d.outer, d.scope, scope, d.inputs, forward, by))


def _rule_scope(d: Any, signatures: list[Any]) -> Scope:
    return Scope(d.outer.trace, f"{d.name}_rule", signatures, d.outer, state.location())


def _has_slot(tensor: Tensor) -> bool:
    """Whether a rule takes a tensor's tangent or cotangent: `cell.custom` does for all but bools."""
    return tensor.dtype.kind != "b"


def _with_slots(listed: list[Any]) -> list[Any]:
    return [t for t in listed if _has_slot(t)]


def _capture_vjp(d: Any, args: tuple[Any, ...], rule: Any, of_cell: bool) -> Scope:
    """The rule as a function of arguments, results and cotangents."""
    given = [*d.inputs, *d.results, *_with_slots(d.results)]
    scope = _rule_scope(d, [t._sig for t in given])
    with ScopeGuard(scope):
        inputs = iter(scope.inputs)
        own = tuple([_inputs.substitute(a, inputs) for a in args])
        note_lost(scope.trace, own, _RULE)
        out = map_tensors(lambda t: next(inputs), d.out)
        dout = map_tensors(
            lambda t: next(inputs) if _has_slot(t) else splat(0, t.dtype, t.shape),
            d.out,
            zero_of,
        )
        gradients = calls.call(rule, (*own, out, dout), {})
        cotangents = _cotangents(d.name, d.leaves, gradients, args, of_cell)
        scope.fn.ret([scope.value(t) for t in cotangents])
    return scope


def call_on_tape(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    rule: Any,
    of_cell: bool = False,
) -> Any:
    """As `call_with_rule`, for a rule of reverse mode, where the code runs as ordinary Python."""
    tape, name = state.current.tape, _jit.function_name(function)
    with suspended():
        made = function(*args, **kwargs)
    out = map_tensors(lambda t: Tensor._wrap(t._buf.copy(), t._sig), made)
    kept = map_tensors(tape.kept, args)

    def pull(douts: list[Tensor | None]) -> list[Tensor | None]:
        given = iter([splat(0, t.dtype, t.shape) if g is None else g for g, t in pairs(douts)])
        gradients = rule(*kept, out, map_tensors(lambda t: next(given), out, zero_of))
        leaves = [list(tensors(a)) for a in args]
        found = iter(_cotangents(name, leaves, gradients, args, of_cell))
        return [next(found) if _has_slot(t) else None for t in tensors(args)]

    def pairs(douts: list[Tensor | None]) -> Any:
        return zip(douts, tensors(out), strict=True)

    tape.rule(list(tensors(args)), list(tensors(out)), pull, name)
    return out


def call_plainly(
    construct: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], bprop: Any
) -> Any:
    """`construct` of a Cell with `bprop`, where the code runs as ordinary Python. An input that it returns is a
    tensor of its own, as it is where derivatives are taken.
    """
    if state.current.tape is not None:
        return call_on_tape(construct, args, kwargs, bprop, True)
    out = construct(*args, **kwargs)
    given = {id(t) for t in tensors((args, kwargs))}
    own = lambda t: Tensor._wrap(t._buf.copy(), t._sig) if id(t) in given else t
    return map_tensors(own, out)


def _cotangents(
    name: str, leaves: list[list[Tensor]], gradients: Any, args: tuple[Any, ...], of_cell: bool
) -> list[Tensor]:
    """What a rule gives, as a gradient for each tensor of the arguments that takes one."""
    listed = gradients if isinstance(gradients, tuple | list) else (gradients,)
    if (
        of_cell and len(listed) == len(args) + 2
    ):  # as MindSpore takes them: also those by `out` and `dout`
        listed = listed[:-2]
    if len(listed) != len(args):
        raise error(
            either(TypeError, RuntimeError) if of_cell else TypeError,
            f"The rule of '{name}' gives {len(listed)} gradients for {len(args)} arguments.",
            "return a tuple with one gradient for each argument, None for one without",
        )
    out = []
    for position, (own, g) in enumerate(zip(leaves, listed, strict=True)):
        out += _gradients_of(name, position, own, g, args[position], of_cell)
    return out


def _gradients_of(
    name: str, position: int, leaves: list[Tensor], given: Any, argument: Any, of_cell: bool
) -> list[Tensor]:
    """The gradients of an argument's tensors, from what the rule gives for it."""
    if given is None:
        return [splat(0, t.dtype, t.shape) for t in _with_slots(leaves)]
    found = [g for g in matching(given, argument) if g is not None]
    floats = [t for t in leaves if t.dtype.kind in "fc"]
    if len(found) == len(floats) < len(leaves):  # nothing for integers and bools: they have zero
        by_float = iter(found)
        found = [
            next(by_float) if t.dtype.kind in "fc" else splat(0, t.dtype, t.shape) for t in leaves
        ]
    if len(found) != len(leaves):
        raise error(
            TypeError,
            f"The rule of '{name}' gives {len(found)} tensors as the gradient of argument "
            f"{position}, which has {len(leaves)}.",
        )
    out = []
    for g, t in zip(found, leaves, strict=True):
        if not _has_slot(t):
            continue
        g = as_tensor(g, name, t.dtype)
        if of_cell:
            g = _summed(g, t.shape)
        if g.shape != t.shape:
            raise error(
                either(ValueError, RuntimeError) if of_cell else ValueError,
                f"The rule of '{name}' gives a gradient of shape {list(g.shape)} for argument "
                f"{position}, which has shape {list(t.shape)}.",
                "sum it over the dimensions that were broadcast",
            )
        out.append(g if g.dtype is t.dtype else g.astype(t.dtype))
    return out


def _summed(gradient: Tensor, shape: tuple[int, ...]) -> Tensor:
    """A gradient over the dimensions along which a tensor of that shape was broadcast; as it is where it was not."""
    extra = gradient.ndim - len(shape)
    if extra < 0 or any(n not in (1, m) for n, m in zip(shape, gradient.shape[extra:])):
        return gradient
    over = [i for i in range(gradient.ndim) if i < extra or shape[i - extra] != gradient.shape[i]]
    out: Any = gradient.sum(tuple(over)).reshape(shape) if over else gradient
    return out  # type: ignore[no-any-return]


def _capture_jvp(d: Any, args: tuple[Any, ...], rule: Any) -> Scope:
    """The rule as a function of arguments and tangents."""
    moving = _with_slots(d.inputs)
    scope = _rule_scope(d, [t._sig for t in [*d.inputs, *moving]])
    with ScopeGuard(scope):
        inputs = iter(scope.inputs)
        own = tuple([_inputs.substitute(a, inputs) for a in args])
        directions = tuple(
            map_tensors(
                lambda t: next(inputs) if _has_slot(t) else splat(0, t.dtype, t.shape),
                _inputs.substitute(a, iter(leaves)),
                zero_of,
            )
            for a, leaves in zip(args, d.leaves, strict=True)
        )
        note_lost(scope.trace, own, _RULE)
        pair = calls.call(rule, (own, directions), {})
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise error(
                TypeError,
                f"The jvp rule of '{d.name}' must return (result, tangent).",
            )
        results, pushed = (list(tensors(part)) for part in pair)
        wanted = [t._sig for t in d.results]
        if [t._sig for t in results] != wanted or len(pushed) != len(results):
            raise error(
                TypeError,
                f"The jvp rule of '{d.name}' gives {[repr(t._sig) for t in results]} with "
                f"{len(pushed)} tangents, but the function gives {[repr(s) for s in wanted]}.",
                "return the function's result, and a tangent of the same structure",
            )
        for t, r in zip(pushed, results, strict=True):
            if t.shape != r.shape:
                raise error(
                    ValueError,
                    f"The jvp rule of '{d.name}' gives a tangent of shape {list(t.shape)} for a "
                    f"result of shape {list(r.shape)}.",
                )
        given = results + [
            cast_to(t, r.dtype) for t, r in zip(pushed, results, strict=True) if _has_slot(r)
        ]
        scope.fn.ret([scope.value(t) for t in given])
    return scope


def _leaf_of(leaf: Tensor, value: Tensor) -> Tensor:
    out: Tensor = call_with_rule(_assigned, (leaf, value), _of_leaf, forward=True)
    return out


def _assigned(leaf: Tensor, value: Tensor) -> Tensor:
    return value


def _of_leaf(inputs: tuple[Tensor, Tensor], tangents: tuple[Tensor, Tensor]) -> Any:
    return _leaf_of(*inputs), tangents[0]


_scope.leaf_of = _leaf_of


@overload
def recompute(block: Function[P, R], *args: P.args, **kwargs: P.kwargs) -> R: ...
@overload
def recompute(*, budget: int) -> Callable[[F], F]: ...
def recompute(  # type: ignore[misc]
    block: Any = None, *args: Any, budget: int | None = None, **kwargs: Any
) -> Any:
    """Calls a Cell or function whose intermediate values are not kept for the gradient.

    Reverse mode keeps its inputs, and computes it again right before it is needed: memory for time
    (rematerialisation). The result and all derivatives are the same.

    Without a block, ``recompute(budget=bytes)`` is a decorator for a gradient function or a training
    step: when it is compiled, those of its Cells are chosen that must be recomputed so that its
    peak, as `ms.memory_report` says it, is within the budget, for the least time that is found. What
    was chosen, and the time it is estimated to cost, is `choice` of the decorated function.

    Args:
        block: what to call on the other arguments.
        budget: bytes at the peak of the decorated function, on one thread.

    Raises:
        TypeError: neither a block nor a budget, or a budget that is no int.
        ValueError: a budget below 1, or below the least that recomputation reaches; at the call.
        RuntimeError: the decorated function is called in compiled code, or code is made for a GPU.

    >>> net = nn.Dense(2, 1, "ones", has_bias=False)
    >>> print(ms.grad(lambda x: ms.recompute(net, x).sum())(Tensor([[1.0, 2.0]])))
    [[1. 1.]]
    >>> step = ms.recompute(budget=1 << 20)(ms.grad(net))
    >>> print(step(Tensor([[1.0, 2.0]])))
    [[1. 1.]]
    >>> step.choice.cells
    ()
    """
    if block is None:
        return _within(budget)
    if budget is not None:
        kwargs["budget"] = budget
    if state.current.scope is None:
        return block(*args, **kwargs)
    d = Differentiated(block, args, kwargs)
    values = d.outer.fn.recompute(d.scope.fn.name, d.operands(), loc=state.location())
    return d.primal(values)


def _within(budget: int | None) -> Callable[[Callable[..., Any]], Budgeted]:
    if budget is None:
        raise error(
            TypeError,
            "For 'recompute', neither a block to call nor a budget is given.",
            "write recompute(block, *args), or recompute(budget=bytes)(step)",
        )
    most = check_int(budget, "recompute", "budget", at_least=1)
    return lambda function: Budgeted(
        check_callable(function, "recompute", "function", "a Cell or a function"), most
    )
