"""Gradients: ``grad``, ``value_and_grad``, ``ops.GradOperation``, ``vjp``, ``jvp``, ``get_grad``.

All are the same step: the function is captured as a private function of the graph, and one ``cell.vjp`` or
``cell.jvp`` op refers to it. Tensors of the surrounding code that it uses are arguments of that function, so that outer
gradients flow through them; therefore gradients nest to any order, inside and outside of Cells.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cellgrad import _jit
from cellgrad._errors import error
from cellgrad._tree import map_tensors, tensors
from cellgrad.capture import calls, state
from cellgrad.capture.scope import Scope, ScopeGuard, splat
from cellgrad.capture.tracer import Tracer
from cellgrad.common.parameter import Parameter
from cellgrad.common.tensor import Tensor

__all__ = ["GradOperation", "get_grad", "grad", "jvp", "value_and_grad", "vjp"]

_MAX_NESTING = 100


class Differentiated:
    """A function captured for differentiation, and the operands of a call to it."""

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]):
        scope = state.current.scope
        assert scope is not None
        self.outer = scope
        self.name = _jit.function_name(function)
        key: list[Any] = []
        self.inputs: list[Tensor] = []
        self.leaves: list[list[Tensor]] = []  # the tensors of each positional argument
        for a in args:
            found: list[Tensor] = []
            _collect_traced(a, key, found)
            self.leaves.append(found)
            self.inputs.extend(found)
        for k in sorted(kwargs):
            key.append(k)
            _collect_traced(kwargs[k], key, self.inputs)
        marker = (_identity(function), *key)
        active = scope.trace.active
        if marker in active or len(active) >= _MAX_NESTING:
            raise error(
                RecursionError,
                f"The gradient of '{self.name}' is taken inside itself with the same kinds of arguments, without end.",
                "end the recursion on a Python value, for example an argument that counts the order down",
            )
        self.scope = Scope(scope.trace, self.name, [t._sig for t in self.inputs], scope, state.location())
        active.append(marker)
        try:
            with ScopeGuard(self.scope):
                tracers = iter(self.scope.inputs)
                new_args = tuple([_jit.substitute(a, tracers) for a in args])
                by_name = {k: _jit.substitute(kwargs[k], tracers) for k in sorted(kwargs)}
                self.out = calls.call(function, new_args, {k: by_name[k] for k in kwargs})
                self.results = [Tracer(self.scope.value(t), self.scope) for t in tensors(self.out)]
        finally:
            active.pop()
        self.written = list(self.scope.written.values())
        stored = [self.scope.store[id(p)] for p in self.written]
        self.scope.fn.ret([t._value for t in self.results] + stored)

    def operands(self) -> list[Any]:
        """The arguments of the captured function, as values of the surrounding scope."""
        captured = [self.outer.value(what) for what, _ in self.scope.captures]
        return [self.outer.value(t) for t in self.inputs] + captured

    def argument_of(self, parameter: Parameter) -> int | None:
        """The index of the argument that a Parameter is, or None where the function does not read it."""
        for i, (what, _) in enumerate(self.scope.captures):
            if what is parameter:
                return len(self.inputs) + i
        return None

    def results_of(self, part: Any) -> list[int]:
        """Indices of the floating-point results that a part of the output consists of."""
        order = {id(t): i for i, t in enumerate(tensors(self.out))}
        return [order[id(t)] for t in tensors(part) if t.dtype.kind == "f"]

    def primal(self, values: list[Any]) -> Any:
        """The output of the function in the surrounding scope, from the results of the transform op."""
        for p, value in zip(self.written, values[len(self.results) : len(self.results) + len(self.written)], strict=True):
            self.outer.write(p, value)
        remaining = iter(values)
        return map_tensors(lambda t: Tracer(next(remaining), self.outer), self.out)


def _collect_traced(value: Any, key: list[Any], found: list[Tensor]) -> None:
    """As `_jit.collect`, for values that may be tracers."""
    if isinstance(value, Tensor):
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
    else:
        _jit.collect(value, key, found)


def _identity(function: Any) -> Any:
    bound = getattr(function, "__self__", None)
    if bound is not None and hasattr(function, "__func__"):
        return (id(bound), id(function.__func__))
    return id(function)


# --- reverse mode ------------------------------------------------------------------------------------------------------


class _Request:
    """What a gradient function returns: positions, weights and their nesting."""

    def __init__(self, positions: Any, weights: Any, has_aux: bool, value: bool, ids: bool, name: str):
        self.name = name
        self.value = value
        self.has_aux = has_aux
        self.ids = ids
        self.one_position = isinstance(positions, int) or (isinstance(positions, tuple) and len(positions) == 1)
        self.positions: tuple[int, ...] | None
        if positions is None or positions == "all":
            self.positions = positions
        else:
            self.positions = (positions,) if isinstance(positions, int) else tuple(positions)
        self.one_weight = isinstance(weights, Parameter)
        self.weights: tuple[Parameter, ...] | None = (
            None if weights is None else (weights,) if isinstance(weights, Parameter) else tuple(weights)
        )

    def key(self) -> tuple[Any, ...]:
        weights = None if self.weights is None else tuple(id(w) for w in self.weights)
        return (self.positions, self.one_position, weights, self.one_weight, self.has_aux, self.value, self.ids, self.name)


def _pull_back(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], request: _Request, sens: Any) -> Any:
    """The gradient of a call in the current scope, nested as the request says."""
    name = request.name
    positions = _positions(request, args, name)
    d = Differentiated(function, args, kwargs)
    if request.has_aux:
        if not isinstance(d.out, tuple | list) or len(d.out) < 2:
            raise error(
                ValueError,
                f"When has_aux is True, '{d.name}' must return more than one output: the one to differentiate and others.",
                "return (loss, aux), or leave has_aux out",
            )
        part = d.out[0]
    else:
        part = d.out
    of = d.results_of(part)
    if not of:
        raise error(
            TypeError,
            f"'{d.name}' must return a Tensor of floating-point numbers to be differentiated, but it returns {_kind(part)}.",
            "return the tensor to differentiate; is a return statement missing?" if part is None else "",
        )
    cotangents = _cotangents(d, part, of, sens, name)

    wanted: list[int] = []  # argument of the captured function for every gradient asked for, or -1 for zeros
    starts = [0]
    for found in d.leaves:
        starts.append(starts[-1] + len(found))
    for p in positions:
        for k, leaf in enumerate(d.leaves[p]):
            wanted.append(starts[p] + k if leaf.dtype.kind == "f" else -1)
    for w in request.weights or ():
        argument = d.argument_of(w)
        wanted.append(-1 if argument is None else argument)
    wrt = [a for a in dict.fromkeys(wanted) if a >= 0]
    if not any(a >= 0 for a in wanted) and request.weights is None and positions:
        _require_float(d, positions, name)
    values = d.outer.fn.vjp(d.scope.fn.name, d.operands(), cotangents, of=of, wrt=wrt, loc=state.location())
    gradients = dict(zip(wrt, values[len(d.results) + len(d.written) :], strict=True))
    out = d.primal(values)

    order = iter(wanted)

    def gradient(like: Tensor) -> Tensor:
        argument = next(order)
        if argument < 0:
            return splat(0, like.dtype, like.shape)
        return Tracer(gradients[argument], d.outer)

    by_position: list[Any] = []
    for p in positions:
        g = map_tensors(gradient, _tensor_part(args[p]))
        by_position.append((p, g) if request.ids else g)
    parts: list[Any] = []
    if request.positions is not None:
        parts.append(by_position[0] if request.one_position else tuple(by_position))
    if request.weights is not None:
        by_weight = [(w.name, gradient(w)) if request.ids else gradient(w) for w in request.weights]
        parts.append(by_weight[0] if request.one_weight else tuple(by_weight))
    result = parts[0] if len(parts) == 1 else tuple(parts)
    if request.value:
        return (out, result)
    if request.has_aux:
        return (result, tuple(out[1:]))
    return result


def _tensor_part(argument: Any) -> Any:
    """A positional argument, with arrays as the tensors they became."""
    import numpy as np

    return Tensor(argument) if isinstance(argument, np.ndarray) else argument


def _positions(request: _Request, args: tuple[Any, ...], name: str) -> list[int]:
    if request.positions is None:
        return []
    import numpy as np

    has = [any(True for _ in tensors(a)) or isinstance(a, np.ndarray) for a in args]
    if request.positions == "all":
        return [i for i, h in enumerate(has) if h]
    for p in request.positions:
        if p >= len(args):
            raise error(
                IndexError,
                f"Position index {p} is exceed input size: '{name}' was called with {len(args)} positional arguments.",
                "pass the input by position, or correct grad_position",
            )
        if not has[p]:
            raise error(
                TypeError,
                f"The input at grad_position {p} is {args[p]!r} ({type(args[p]).__name__}), not a Tensor: Python values are "
                "constants of the compiled code and have no gradient.",
                f"pass ms.Tensor({args[p]!r})" if isinstance(args[p], int | float) else "choose the position of a Tensor",
            )
    return list(request.positions)


def _require_float(d: Differentiated, positions: list[int], name: str) -> None:
    kinds = [t.dtype.title for p in positions for t in d.leaves[p]]
    raise error(
        TypeError,
        f"The inputs to differentiate '{d.name}' by have dtype {', '.join(kinds)}: a gradient needs floating-point numbers.",
        "make the input a float, for example ms.Tensor([1, 2], ms.float32) or x.astype(ms.float32)",
    )


def _kind(value: Any) -> str:
    listed = list(tensors(value))
    if listed:
        return f"only Tensors of dtype {', '.join(sorted({t.dtype.title for t in listed}))}"
    return "None" if value is None else f"no Tensor but {type(value).__name__}"


def _cotangents(d: Differentiated, part: Any, of: list[int], sens: Any, name: str) -> list[Any]:
    """Ones for every result, or the given cotangents, checked against the results."""
    outer = d.outer
    if sens is None:
        return [outer.number(1, d.results[i]._sig) for i in of]
    outputs = list(tensors(part))
    if isinstance(sens, int | float) and not isinstance(sens, bool):
        given: list[Any] = [sens]
    else:
        given = list(tensors(sens))
    if len(given) != len(outputs):
        raise error(
            TypeError,
            f"For '{name}', the cotangent (sens) has {len(given)} tensors but '{d.name}' returns {len(outputs)}.",
            "give one cotangent per output, in a tuple that mirrors it",
        )
    out = []
    for t, value in zip(outputs, given, strict=True):
        if t.dtype.kind != "f":
            continue
        if not isinstance(value, Tensor):
            value = splat(value, t.dtype, t.shape)
        if value.dtype.kind != "f":
            raise error(
                TypeError,
                f"For '{name}', the cotangent (sens) must have a floating-point dtype, but got {value.dtype.title}.",
                "write ms.Tensor(..., ms.float32)",
            )
        if value.shape != t.shape:
            raise error(
                ValueError,
                f"For '{name}', the cotangent (sens) must have the shape of the output, {list(t.shape)}, but got "
                f"{list(value.shape)}.",
            )
        from cellgrad.ops._core import cast_to

        out.append(outer.value(cast_to(value, t.dtype)))
    return out


class _GradFunction:
    """The gradient of a function; call it like the function."""

    def __init__(self, function: Any, request: _Request, sens: bool = False):
        self.function = function
        self.request = request
        self.sens = sens
        self.__name__ = f"{request.name}_{_jit.function_name(function)}"
        self._program: _jit.Program | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if state.current.scope is not None:
            return self._traced(self.function, args, kwargs)
        program = self._program
        if program is None:
            program = self._program = self._find_program()
        return program(args, kwargs)

    def _find_program(self) -> _jit.Program:
        request, sens = self.request, self.sens

        def make(reach: Callable[[], Any]) -> Callable[..., Any]:
            return lambda *a, **k: _apply(reach(), a, k, request, sens)

        return _jit.program_for(self.function, (request.key(), sens), make, self.__name__)

    def _traced(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return _apply(function, args, kwargs, self.request, self.sens)

    def __repr__(self) -> str:
        return f"<{self.request.name} of {self.function!r}>"


def _apply(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], request: _Request, sens: bool) -> Any:
    cotangent = None
    if sens:
        if not args:
            raise error(TypeError, f"For '{request.name}', the last argument must be the cotangent (sens_param=True).")
        *rest, cotangent = args
        args = tuple(rest)
    return _pull_back(function, args, kwargs, request, cotangent)


# --- argument checks -----------------------------------------------------------------------------------------------------


def _check_callable(fn: Any, name: str) -> None:
    if not callable(fn):
        raise error(
            TypeError,
            f"For '{name}', the argument 'fn' must be a Cell or a function, but got {type(fn).__name__}.",
            "pass the function itself, not the result of calling it" if isinstance(fn, Tensor) else "",
        )


def _check_flag(value: Any, flag: str, name: str) -> None:
    if not isinstance(value, bool):
        raise error(TypeError, f"For '{name}', the '{flag}' should be bool, but got {type(value).__name__}")


def _check_positions(positions: Any, name: str) -> None:
    if isinstance(positions, bool) or not isinstance(positions, int | tuple):
        raise error(
            TypeError,
            f"For '{name}', the 'grad_position' must be int or tuple of ints, but got {type(positions).__name__}.",
            "use a tuple: grad_position=(0, 1)" if isinstance(positions, list) else "",
        )
    listed = (positions,) if isinstance(positions, int) else positions
    if not listed:
        raise error(ValueError, f"For '{name}', the 'grad_position' should not be empty.")
    for p in listed:
        if isinstance(p, bool) or not isinstance(p, int):
            raise error(TypeError, f"For '{name}', the element in 'grad_position' must be int, but got {type(p).__name__}.")
        if p < 0:
            raise error(ValueError, f"For '{name}', the grad_position must be >= 0, but got {p}.")
    if len(set(listed)) != len(listed):
        raise error(ValueError, f"For '{name}', there are duplicate positions in `grad_position` {positions}.")


def _check_weights(weights: Any, name: str) -> Any:
    if weights is None or isinstance(weights, Parameter):
        return weights
    if isinstance(weights, tuple | list):
        for i, w in enumerate(weights):
            if not isinstance(w, Parameter):
                raise error(
                    TypeError,
                    f"For '{name}', 'weights' must hold Parameters, but weights[{i}] is {type(w).__name__}.",
                    "pass net.trainable_params()",
                )
        if not weights:
            raise error(
                ValueError,
                f"For '{name}', 'weights' is empty.",
                "net.trainable_params() is empty when the net has no Parameter, or none with requires_grad",
            )
        return tuple(weights)
    raise error(
        TypeError,
        f"For '{name}', 'weights' must be a Parameter, ParameterTuple or list of Parameters, but got {type(weights).__name__}.",
        "pass net.trainable_params()",
    )


def _make(fn: Any, positions: Any, weights: Any, has_aux: Any, ids: Any, value: bool, name: str) -> Any:
    _check_callable(fn, name)
    if positions is None and weights is None:
        raise error(ValueError, "`grad_position` and `weight` can not be None at the same time.")
    if positions is not None:
        _check_positions(positions, name)
    weights = _check_weights(weights, name)
    _check_flag(has_aux, "has_aux", name)
    _check_flag(ids, "return_ids", name)
    return _GradFunction(fn, _Request(positions, weights, has_aux, value, ids, name))


# --- the public family ---------------------------------------------------------------------------------------------------


def grad(
    fn: Callable[..., Any],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
) -> Callable[..., Any]:
    """A function that gives the gradient of `fn`.

    The gradient is that of the sum of all elements of all outputs or, with `has_aux`, of the first output.

    Args:
        fn: a Cell or function.
        grad_position: the position of an input, or a tuple of them, to differentiate by; None for weights only.
        weights: a Parameter, or a tuple or list of them, to differentiate by.
        has_aux: whether outputs after the first are not differentiated but returned beside the gradient.
        return_ids: whether each gradient comes in a tuple after its position or its Parameter's name.

    Returns:
        A function of `fn`'s inputs. It returns, by `grad_position` and `weights`: a Tensor for one position (also in a
        1-tuple), a tuple for several; a tuple for a tuple or list of weights, a Tensor for a bare Parameter; and
        ``(inputs' part, weights' part)`` for both. With `has_aux`: ``(gradient, (aux, ...))``. Unused inputs and weights
        have zero gradients.

    Raises:
        ValueError: neither position nor weights; a duplicate, negative or empty position; `has_aux` with one output.
        TypeError: arguments of wrong types; an output that is not a floating-point Tensor.
        IndexError: a position beyond the inputs.

    >>> ms.grad(lambda x: x * x)(ms.Tensor(3.0))
    Tensor(shape=[], dtype=Float32, value= 6)
    """
    return _make(fn, grad_position, weights, has_aux, return_ids, False, "grad")  # type: ignore[no-any-return]


def value_and_grad(
    fn: Callable[..., Any],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
) -> Callable[..., Any]:
    """A function that gives the value of `fn` and its gradient, ``(value, gradient)``; see `grad`.

    With `has_aux` the value is the tuple of all outputs.
    """
    return _make(fn, grad_position, weights, has_aux, return_ids, True, "value_and_grad")  # type: ignore[no-any-return]


class GradOperation:
    """Makes gradient functions: ``GradOperation(...)(fn)(*inputs)``.

    Args:
        get_all: whether to differentiate by all inputs (a tuple, also for one), instead of the first.
        get_by_list: whether to differentiate by the weights given with the function (a tuple for a tuple or list).
        sens_param: whether the gradient function takes the cotangent of the output as its last argument;
            a tuple that mirrors the output, for several.

    Raises:
        TypeError: a flag that is not a bool.
    """

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False):
        _check_flag(get_all, "get_all", "GradOperation")
        _check_flag(get_by_list, "get_by_list", "GradOperation")
        _check_flag(sens_param, "sens_param", "GradOperation")
        self.get_all = get_all
        self.get_by_list = get_by_list
        self.sens_param = sens_param

    def __call__(self, fn: Callable[..., Any], weights: Any = None) -> Callable[..., Any]:
        _check_callable(fn, "GradOperation")
        if self.get_by_list and weights is None:
            listed = getattr(fn, "trainable_params", None)
            if listed is None:
                raise error(
                    ValueError,
                    "For 'GradOperation', get_by_list=True needs the weights.",
                    "call grad_op(fn, ParameterTuple(net.trainable_params()))",
                )
            weights = listed()
        weights = _check_weights(weights, "GradOperation") if self.get_by_list else None
        positions: Any = "all" if self.get_all else None if self.get_by_list else 0
        return _GradFunction(fn, _Request(positions, weights, False, False, False, "GradOperation"), self.sens_param)

    def __repr__(self) -> str:
        return (
            f"GradOperation(get_all={self.get_all}, get_by_list={self.get_by_list}, sens_param={self.sens_param})"
        )


def get_grad(gradients: Any, identifier: int | Parameter) -> Tensor:
    """Picks a gradient by position or Parameter from what a function made with ``return_ids=True`` returned.

    Raises:
        TypeError: `identifier` is neither int nor Parameter, or `gradients` has no ids.
        RuntimeError: there is no such gradient.
    """
    if isinstance(identifier, bool) or not isinstance(identifier, int | Parameter):
        raise error(
            TypeError, f"For 'get_grad', the 'identifier' must be int or Parameter, but got {type(identifier).__name__}."
        )
    wanted = identifier.name if isinstance(identifier, Parameter) else identifier
    found = _search(gradients, wanted)
    if found is None:
        raise error(RuntimeError, f"For 'get_grad', there is no gradient for {wanted!r}.", "was return_ids=True given to grad?")
    return found


def _search(gradients: Any, wanted: int | str) -> Any:
    if not isinstance(gradients, tuple):
        return None
    if len(gradients) == 2 and isinstance(gradients[0], int | str):
        return gradients[1] if gradients[0] == wanted and type(gradients[0]) is type(wanted) else None
    for g in gradients:
        found = _search(g, wanted)
        if found is not None:
            return found
    return None


def vjp(fn: Callable[..., Any], *inputs: Any, weights: Any = None, has_aux: bool = False) -> Any:
    """The output of `fn` and a function from cotangents to gradients.

    Args:
        fn: a Cell or function.
        inputs: its inputs; the gradient is taken by all of them.
        weights: Parameters to differentiate by as well.
        has_aux: whether outputs after the first are not differentiated.

    Returns:
        ``(out, vjp_fn)``, or ``(out, vjp_fn, aux)``. ``vjp_fn(*cotangents)`` takes one cotangent per output and returns a
        tuple over inputs or, with weights, ``((inputs), (weights))``.

    Raises:
        TypeError, ValueError: as `grad`; cotangents that do not fit the outputs.
    """
    _check_callable(fn, "vjp")
    weights = _check_weights(weights, "vjp")
    _check_flag(has_aux, "has_aux", "vjp")
    request = _Request("all", weights, has_aux, False, False, "vjp")

    def pull(function: Any, *args: Any) -> Any:
        out = _pull_back(function, args[0], {}, request, args[1])
        gradients = out[0] if has_aux else out
        return gradients

    def vjp_fn(*cotangents: Any) -> Any:
        sens = cotangents[0] if len(cotangents) == 1 else cotangents
        if state.current.scope is not None:
            return pull(fn, inputs, sens)
        program = _jit.program_for(
            fn, (request.key(), "pull"), lambda reach: lambda i, s: pull(reach(), i, s), f"vjp_{_jit.function_name(fn)}"
        )
        return program((inputs, sens), {})

    if state.current.scope is not None:
        out = calls.call(fn, inputs, {})
    else:
        forward = _jit.program_for(
            fn, "forward", lambda reach: lambda *a: calls.call(reach(), a, {}), _jit.function_name(fn)
        )
        out = forward(inputs, {})
    if has_aux:
        return out[0], vjp_fn, (out[1] if len(out) == 2 else tuple(out[1:]))
    return out, vjp_fn


def jvp(fn: Callable[..., Any], inputs: Any, v: Any, has_aux: bool = False) -> Any:
    """The output of `fn` and its directional derivative along `v` (forward mode).

    Args:
        fn: a Cell or function.
        inputs: a Tensor, or a tuple or list of them.
        v: tangents of the same structure, shapes and dtypes.
        has_aux: whether outputs after the first are not differentiated.

    Returns:
        ``(out, tangent)``, or ``(out, tangent, aux)``.

    Raises:
        TypeError, ValueError: tangents that do not fit the inputs.
    """
    _check_callable(fn, "jvp")
    _check_flag(has_aux, "has_aux", "jvp")
    args = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    directions = tuple(v) if isinstance(v, tuple | list) else (v,)
    if state.current.scope is not None:
        return _push_forward(fn, args, directions, has_aux)
    program = _jit.program_for(
        fn,
        ("jvp", has_aux),
        lambda reach: lambda a, t: _push_forward(reach(), a, t, has_aux),
        f"jvp_{_jit.function_name(fn)}",
    )
    return program((args, directions), {})


def _push_forward(function: Any, args: tuple[Any, ...], directions: tuple[Any, ...], has_aux: bool) -> Any:
    d = Differentiated(function, args, {})
    given = list(tensors(directions))
    if len(given) != len(d.inputs):
        raise error(TypeError, f"For 'jvp', there are {len(d.inputs)} input tensors but {len(given)} tangents.")
    wrt, operands = [], []
    for i, (x, t) in enumerate(zip(d.inputs, given, strict=True)):
        if x.shape != t.shape or x.dtype is not t.dtype:
            raise error(
                ValueError if x.shape != t.shape else TypeError,
                f"For 'jvp', tangent {i} must have the shape and dtype of its input, {x._sig!r}, but got {t._sig!r}.",
            )
        if x.dtype.kind == "f":
            wrt.append(i)
            operands.append(d.outer.value(t))
    part = d.out
    if has_aux:
        if not isinstance(d.out, tuple | list) or len(d.out) < 2:
            raise error(ValueError, f"When has_aux is True, '{d.name}' must return more than one output.")
        part = d.out[0]
    of = d.results_of(part)
    if not of:
        raise error(TypeError, f"'{d.name}' must return a Tensor of floating-point numbers, but it returns {_kind(part)}.")
    values = d.outer.fn.jvp(d.scope.fn.name, d.operands(), operands, of=of, wrt=wrt, loc=state.location())
    count = len(d.results) + len(d.written)
    tangents = iter(values[count:])
    out = d.primal(values)

    def tangent(t: Tensor) -> Tensor:
        if t.dtype.kind != "f":
            return splat(0, t.dtype, t.shape)
        return Tracer(next(tangents), d.outer)

    pushed = map_tensors(tangent, part)
    if has_aux:
        return out[0], pushed, (out[1] if len(out) == 2 else tuple(out[1:]))
    return out, pushed
