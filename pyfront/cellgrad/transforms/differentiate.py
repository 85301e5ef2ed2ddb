"""One step of differentiation: capture, one ``cell.vjp`` or ``cell.jvp`` op, results.

The function is captured as a private function of the graph. Tensors of the surrounding code that it
uses are arguments of that function, so that outer gradients flow through them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cellgrad.capture import calls
from cellgrad.capture.given import note_constants, note_inner
from cellgrad.capture.hooks import through
from cellgrad.capture.raises import ends, raise_unless
from cellgrad.compile import program as _jit
from cellgrad.core import dtype as mstype
from cellgrad.core import hooks, state
from cellgrad.core import inputs as _inputs
from cellgrad.core.errors import either, error
from cellgrad.core.lost_digits import root_of
from cellgrad.core.nodes import fields_of, is_record
from cellgrad.core.parameter import Parameter
from cellgrad.core.record import splat
from cellgrad.core.scope import Scope, ScopeGuard, as_number
from cellgrad.core.storage import Signature
from cellgrad.core.tensor import ConstantTensor, Tensor
from cellgrad.core.tracer import Tracer
from cellgrad.core.tree import (
    map_tensors,
    numbers,
    tensors,
    zero_of,
)
from cellgrad.transforms import cotangents
from cellgrad.transforms.cotangents import cotangents_of, has_gradient, tangents_of
from cellgrad.transforms.request import Request
from cellgrad.transforms.unused import tell_empty, tell_unused

_MAX_NESTING = 100


class Differentiated:
    """A function captured for differentiation, and the operands of a call to it."""

    keeps_hooks = True  # whether its inputs have the hooks of what they stand for
    has_own = staticmethod(lambda parameter: False)  # whether it writes one in place of a Parameter

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]):
        scope = state.current.scope
        assert scope is not None
        self.outer = scope
        self.function = function
        self.name = _jit.function_name(function)
        key: list[Any] = []
        self.inputs: list[Tensor] = []
        # The tensors of each argument, and where they begin among the inputs: those given by
        # position, then those by name, in the order of the call.
        self.leaves: list[list[Tensor]] = []
        self.starts: list[int] = []
        names = sorted(kwargs)
        for i in (*range(len(args)), *names):
            found: list[Tensor] = []
            if isinstance(i, str):
                key.append(i)
            _collect_traced(kwargs[i] if isinstance(i, str) else args[i], key, found)
            self.leaves.append(found)
            self.starts.append(len(self.inputs))
            self.inputs.extend(found)
        at = {k: i for i, k in enumerate(names, len(args))}
        order = [*range(len(args)), *[at[k] for k in kwargs]]
        self.leaves = [self.leaves[i] for i in order]
        self.starts = [self.starts[i] for i in order]
        marker = (identity(function), *key)
        active = scope.trace.active
        if marker in active or len(active) >= _MAX_NESTING:
            raise error(
                RecursionError,
                f"The gradient of '{self.name}' is taken inside itself with the same kinds of "
                f"arguments, without end.",
                "end the recursion on a Python value, for example an argument that counts the "
                "order down",
            )
        signatures = [self.signature_of(i, t) for i, t in enumerate(self.inputs)]
        self.scope = Scope(scope.trace, self.name, signatures, scope, state.location())
        self.scope.differentiated = True
        self.scope.roots = [root_of(t) for t in self.inputs]
        for i, (tracer, t) in enumerate(zip(self.scope.inputs, self.inputs, strict=True)):
            known = _parameter_of(t)
            if known is not None:
                self.name_input(i, tracer, known)
            elif id(t) in scope.trace.origins:
                scope.trace.origins[id(tracer)] = scope.trace.origins[id(t)]
        if self.keeps_hooks:
            hooks.carry(self.inputs, self.scope.inputs)
        active.append(marker)
        try:
            with ScopeGuard(self.scope):
                tracers = iter(self.scope.inputs)
                new_args = tuple([_inputs.substitute(a, tracers) for a in args])
                by_name = {k: _inputs.substitute(kwargs[k], tracers) for k in sorted(kwargs)}
                copies = (*new_args, *by_name.values())
                given = (*args, *[kwargs[k] for k in by_name])
                note_inner(scope.trace, given, copies)
                note_constants(scope.trace, given, copies, False)
                self.out = calls.call(function, new_args, {k: by_name[k] for k in kwargs})
                self.results = [
                    Tracer(self.scope.value(t), self.scope, t._sig) for t in tensors(self.out)
                ]
        except Exception as e:
            # Not where it takes elements of a batch: the checks of one are then not called.
            if ends(e, self.scope) and signatures == [t._sig for t in self.inputs]:
                self._run_checks(e)
            raise
        finally:
            active.pop()
        self.written = [p for p in self.scope.written.values() if not self.has_own(p)]
        stored = [self.scope.store[id(p)] for p in self.written]
        self.scope.fn.ret([t._value for t in self.results] + stored + self.parts())

    def name_input(self, index: int, tracer: Tracer, known: Tensor) -> None:
        """Notes that an input is a Parameter: writing to it in the function writes the Parameter."""
        if isinstance(known, Parameter):
            self.scope.given[id(tracer)] = known

    def parts(self) -> list[Any]:
        """What the captured function returns after its results and what it writes."""
        return []

    def _run_checks(self, exception: Exception) -> None:
        """Calls the function for the checks before an exception that is always raised: one of these may be
        the error.
        """
        with ScopeGuard(self.scope):
            raise_unless(splat(False, mstype.bool_, ()), exception)
        self.scope.fn.ret([])
        self.outer.fn.call(self.scope.fn.name, self.operands(), state.location())
        exception.__cellgrad_scope__ = self.outer  # type: ignore[attr-defined]

    def signature_of(self, index: int, tensor: Tensor) -> Signature:
        """What the captured function takes for an input."""
        return tensor._sig

    def operands(self) -> list[Any]:
        """The arguments of the captured function, as values of the surrounding scope."""
        captured = [self.outer.value(what) for what, _ in self.scope.captures]
        return [self.outer.value(t) for t in self.inputs] + captured

    def argument_of(self, parameter: Tensor) -> int | None:
        """The argument that a Parameter, or a tensor from around the function, is, or None where the
        function does not read it.
        """
        for i, (what, _) in enumerate(self.scope.captures):
            if what is parameter:
                return len(self.inputs) + i
        return None

    def results_of(self, part: Any) -> list[int]:
        """Indices of the results with a derivative that a part of the output consists of."""
        places: dict[int, list[int]] = {}  # a tensor may be there more than once
        for i, t in enumerate(tensors(self.out)):
            places.setdefault(id(t), []).append(i)
        listed = [t for t in tensors(part) if has_gradient(t)]
        return [at.pop(0) if len(at) > 1 else at[0] for at in (places[id(t)] for t in listed)]

    def primal(self, values: list[Any]) -> Any:
        """The function's output in the surrounding scope, from the transform's results."""
        for p, value in zip(
            self.written,
            values[len(self.results) : len(self.results) + len(self.written)],
            strict=True,
        ):
            self.outer.write(p, value)
        remaining = iter(values)
        return map_tensors(lambda t: Tracer(next(remaining), self.outer, t._sig), self.out)


def _parameter_of(tensor: Tensor) -> Tensor | None:
    """The Parameter that an input is, also where a tracer stands for it, or the tracer of a part of one."""
    if isinstance(tensor, Parameter) or type(tensor) is not Tracer:
        return tensor if isinstance(tensor, Parameter) else None
    of = tensor._scope
    return tensor if id(tensor) in of.mapped else of.given.get(id(tensor))


def _collect_traced(value: Any, key: list[Any], found: list[Tensor]) -> None:
    """As `_jit.collect`, for values that may be tracers."""
    if isinstance(value, ConstantTensor):
        _inputs.collect(value, key, found)
    elif isinstance(value, Tensor):
        key.append(value._sig)
        found.append(value)
    elif isinstance(value, tuple | list):
        key.append((type(value), len(value)))
        for v in value:
            _collect_traced(v, key, found)
    elif isinstance(value, dict):
        key.append((dict, tuple(value)))
        for v in value.values():
            _collect_traced(v, key, found)
    elif is_record(value):
        key.append(type(value))
        _collect_traced(fields_of(value), key, found)
    else:
        _inputs.collect(value, key, found)


def identity(function: Any) -> Any:
    """What a function or bound method is known by."""
    bound = getattr(function, "__self__", None)
    if bound is not None and hasattr(function, "__func__"):
        return (id(bound), id(function.__func__))
    return id(function)


# --- reverse mode -----------------------------------------------------------------------------


def pull_back(
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    request: Request,
    sens: Any,
    numbers: Sequence[Tensor] = (),
) -> Any:
    """The gradient of a call in the current scope, nested as the request says; by `numbers`, as a number."""
    name = request.name
    d = Differentiated(function, args, kwargs)
    request = request.by_those_read(what for what, _ in d.scope.captures)
    args = (*args, *kwargs.values())  # those given by name have the positions after
    positions = positions_of(request, args, name)
    part = part_of(request, d.out, d.name)
    of = d.results_of(part)
    given = cotangents_of(d.outer, [d.results[i] for i in of], part, sens, name, d.name)

    # The argument of the captured function for every gradient asked for, or -1 for zeros.
    wanted: list[int] = []
    for p in positions:
        for k, leaf in enumerate(d.leaves[p]):
            flows = has_gradient(leaf) and p not in (request.frozen or ())
            wanted.append(d.starts[p] + k if flows else -1)
    unread: list[Parameter] = []  # their gradients are zero, and go through their hooks
    for w in request.weights or ():
        stops = request.stops_at(w) or not has_gradient(w)
        argument = None if stops else d.argument_of(w)
        wanted.append(-1 if argument is None else argument)
        if argument is None and not stops:
            unread.append(w)
    tell_unused(d.name, [w for w in request.weights or () if d.argument_of(w) is None])
    wrt = [a for a in dict.fromkeys(wanted) if a >= 0]
    if not any(a >= 0 for a in wanted) and request.weights is None and positions:
        require_numbers(d.name, [t for p in positions for t in d.leaves[p]])
    values = d.outer.fn.vjp(
        d.scope.fn.name, d.operands(), given, of=of, wrt=wrt, loc=state.location()
    )
    gradients = dict(zip(wrt, values[len(d.results) + len(d.written) :], strict=True))
    out = d.primal(values)

    order = iter(wanted)

    def gradient(like: Tensor) -> Tensor:
        argument = next(order)
        if argument < 0:
            found = splat(0, like.dtype, like.shape)
        else:
            found = Tracer(gradients[argument], d.outer, like._sig)
        if any(like is n for n in numbers):
            as_number(found)
            return found
        if argument < 0 and not any(like is w for w in unread):
            return found
        own = isinstance(like, Tracer)
        return through(hooks.of(like) if own else hooks.guarded(d.outer.trace, like), found)

    return nested(request, out, args, positions, gradient)


def part_of(request: Request, out: Any, name: str) -> Any:
    """What is differentiated of the output of a function."""
    part = out
    if request.has_aux:
        if not isinstance(out, tuple | list) or len(out) < 2:
            raise error(
                either(ValueError, RuntimeError),
                f"When has_aux is True, '{name}' must return more than one output: the one to "
                f"differentiate and others.",
                "return (loss, aux), or leave has_aux out",
            )
        part = out[0]
    if not any(has_gradient(t) for t in tensors(part)):
        _check_results(name, part)
    return part


def nested(
    request: Request,
    out: Any,
    args: tuple[Any, ...],
    positions: list[int],
    gradient: Callable[[Tensor], Tensor],
) -> Any:
    """What a gradient function returns, of the gradient by each tensor: it asks for them in order."""
    by_position: list[Any] = []
    for p in positions:
        g = map_tensors(gradient, _tensor_part(args[p]), zero_of)
        by_position.append((p, g) if request.ids else g)
    parts: list[Any] = []
    if request.positions is not None:
        one = len(by_position) == 1 and request.positions != "all"
        parts.append(by_position[0] if one else tuple(by_position))
    if request.weights is not None:
        by_weight: list[Any] = [gradient(w) for w in request.weights]
        if request.ids:
            by_weight = [(w.name, g) for w, g in zip(request.weights, by_weight)]
        parts.append(by_weight[0] if request.one_weight else tuple(by_weight))
    result = parts[0] if len(parts) == 1 else tuple(parts)
    if request.value:
        return (out, result)
    if request.has_aux:
        return (result, tuple(out[1:]))
    return result


def _tensor_part(argument: Any) -> Any:
    """A positional argument, with arrays as the tensors they became."""
    return Tensor(argument) if isinstance(argument, np.ndarray) else argument


def positions_of(
    request: Request, args: tuple[Any, ...], name: str, strict: bool = False
) -> list[int]:
    """The positions asked for, without those of values that hold no Tensors, unless `strict`."""
    if request.positions is None:
        return []
    has = [any(True for _ in tensors(a)) or isinstance(a, np.ndarray) for a in args]
    has = [h and i not in request.constant for i, h in enumerate(has)]
    if request.positions == "all":
        listed = [i for i, h in enumerate(has) if h]
        for p in listed:
            _refuse_floats(args[p], p)
        return listed
    if name == "GradOperation" and not args:  # it has no position to correct
        return []
    for p in request.positions:
        if p >= len(args):
            raise error(
                either(IndexError, ValueError if strict else RuntimeError),
                f"Position index {p} is exceed input size: '{name}' was called with {len(args)} "
                f"arguments.",
                "correct grad_position; defaults that are not passed have no position",
            )
        if (strict or cotangents.STRICT) and not has[p]:
            raise error(
                TypeError,
                f"The input at grad_position {p} is {args[p]!r} ({type(args[p]).__name__}), not a "
                f"Tensor: Python values are "
                "constants of the compiled code and have no gradient.",
                f"pass ms.Tensor({args[p]!r})"
                if isinstance(args[p], int | float)
                else "choose the position of a Tensor",
            )
        if has[p]:
            _refuse_floats(args[p], p)
    found = [p for p in request.positions if has[p]]
    if not found and request.weights is None and request.positions:
        tell_empty(name, args[request.positions[0]], request.positions[0])
    return found


def _refuse_floats(argument: Any, position: int) -> None:
    """Refuses a nested input that holds a float, which has no gradient; that of an int is zero."""
    for path, value in numbers(argument):
        if isinstance(value, int | np.integer | np.bool_):
            continue
        raise error(
            TypeError,
            f"The input at grad_position {position} holds the number {value!r} "
            f"({type(value).__name__}) at {path}: Python values are constants of the compiled code "
            "and have no gradient.",
            f"make it a Tensor, ms.Tensor({value!r}), or pass it in an argument of its own",
        )


def require_numbers(name: str, leaves: list[Tensor]) -> None:
    """Refuses, if gradients are strict, to differentiate by integers and bools alone."""
    if not cotangents.STRICT or any(has_gradient(t) for t in leaves):
        return
    kinds = [t.dtype.title for t in leaves]
    raise error(
        TypeError,
        f"'{name}' is differentiated by inputs of dtype {', '.join(kinds)}, not floating-point.",
        "make the input a float, for example ms.Tensor([1, 2], ms.float32) or x.astype(ms.float32)",
    )


def _check_results(name: str, part: Any) -> None:
    """Refuses what has no derivative, or warns that it is zero where that looks like a mistake."""
    if cotangents.STRICT:
        raise error(
            TypeError,
            f"'{name}' must return a Tensor of floating-point numbers to be differentiated, but "
            f"it returns {_kind(part)}.",
            "return the tensor to differentiate; is a return statement missing?"
            if part is None
            else "",
        )
    if part is None:
        warnings.warn(
            f"'{name}' returns None, so all its gradients are zero; is a return statement missing?",
            stacklevel=2,
        )


def _kind(value: Any) -> str:
    listed = list(tensors(value))
    if listed:
        return f"only Tensors of dtype {', '.join(sorted({t.dtype.title for t in listed}))}"
    return "None" if value is None else f"no Tensor but {type(value).__name__}"


# --- forward mode -----------------------------------------------------------------------------


def push_forward(
    function: Any, args: tuple[Any, ...], directions: tuple[Any, ...], has_aux: bool
) -> Any:
    trace = state.current.scope.trace  # type: ignore[union-attr]
    before = trace.hooks
    d = Differentiated(function, args, {})
    given = tangents_of(args, d.inputs, directions)
    moving = [i for i, x in enumerate(d.inputs) if has_gradient(x)]
    part = d.out
    if has_aux:
        if not isinstance(d.out, tuple | list) or len(d.out) < 2:
            raise error(
                either(ValueError, RuntimeError),
                f"When has_aux is True, '{d.name}' must return more than one output.",
            )
        part = d.out[0]
    of = d.results_of(part)
    if not of:
        _check_results(d.name, part)
    if trace.hooks > before or any(hooks.of(t) for t in d.inputs):
        return _forward_by_reverse(d, args, given, part, has_aux)
    operands = [d.outer.value(given[i]) for i in moving]
    values = d.outer.fn.jvp(
        d.scope.fn.name, d.operands(), operands, of=of, wrt=moving, loc=state.location()
    )
    count = len(d.results) + len(d.written)
    tangents = iter(values[count:])
    out = d.primal(values)

    def tangent(t: Tensor) -> Tensor:
        if not has_gradient(t):
            return splat(0, t.dtype, t.shape)
        return Tracer(next(tangents), d.outer, t._sig)

    pushed = map_tensors(tangent, part, zero_of)
    if has_aux:
        return out[0], pushed, (out[1] if len(out) == 2 else tuple(out[1:]))
    return out, pushed


def _forward_by_reverse(
    d: Differentiated, args: tuple[Any, ...], directions: list[Tensor], part: Any, has_aux: bool
) -> Any:
    """Forward mode of a function with hooks, which are functions of cotangents: the derivative of its
    gradient by the cotangent, at one, as MindSpore's.
    """
    if d.written:
        raise error(
            TypeError,
            f"Forward mode of '{d.name}', which has hooks, takes its gradient, but it writes Parameter "
            f"'{d.written[0].name}', which would be written several times.",
            "take the hooks off, or return the new value instead",
        )
    request = Request("all", None, False, False, False, "jvp")
    outputs = list(tensors(part))
    moving = [t for t in outputs if has_gradient(t)]

    def pulled(*given: Tensor) -> tuple[Tensor, ...]:
        found = iter(given)
        sens = [next(found) if has_gradient(t) else _zeros(t) for t in outputs]
        picked = First(d.function) if has_aux else d.function
        gradients = tensors(pull_back(picked, args, {}, request, tuple(sens)))
        return tuple([g for g in gradients if has_gradient(g)])

    ones = tuple([splat(1, t.dtype, t.shape) for t in moving])
    along = tuple([t for t in directions if has_gradient(t)])
    pushed = iter(pull_back(pulled, ones, {}, request, along))
    out = d.primal(d.outer.fn.call(d.scope.fn.name, d.operands(), state.location()))
    tangents = map_tensors(lambda t: next(pushed) if has_gradient(t) else _zeros(t), part, zero_of)
    if has_aux:
        return out[0], tangents, (out[1] if len(out) == 2 else tuple(out[1:]))
    return out, tangents


def _zeros(like: Tensor) -> Tensor:
    return splat(0, like.dtype, like.shape)


class First:
    """A function's first output."""

    def __init__(self, fn: Any):
        self.fn = fn
        self.__name__ = _jit.function_name(fn)

    def __call__(self, *args: Any) -> Any:
        return calls.call_as_around(self.fn, args, {})[0]
