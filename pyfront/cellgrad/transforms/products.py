"""Products with Jacobians: ``vjp``, ``jvp``, ``linearize``. They are made as gradients are: see `transforms.grad`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, TypeVarTuple, cast, overload

import numpy as np

from cellgrad.capture import calls
from cellgrad.compile import program as _jit
from cellgrad.core import state
from cellgrad.core.aliases import Function, Weights
from cellgrad.core.arguments import argument_error, check_bool, check_callable, check_instance
from cellgrad.core.foreign import hinting
from cellgrad.core.tensor import Tensor
from cellgrad.transforms.differentiate import pull_back, push_forward
from cellgrad.transforms.grad import _check_weights
from cellgrad.transforms.on_tape import Recorded, compiled_or_not, push_on_tape
from cellgrad.transforms.past import Written, call_noting_writes, past
from cellgrad.transforms.request import Request, constant_positions, frozen_positions

if TYPE_CHECKING:
    from cellgrad.core.aliases import Derivative

__all__ = ["jvp", "linearize", "vjp"]

R = TypeVar("R")
Inputs = TypeVarTuple("Inputs")


@overload
def vjp(
    fn: Callable[[*Inputs], R],
    *inputs: *Inputs,
    weights: None = None,
    has_aux: Literal[False] = False,
) -> tuple[R, Derivative[..., tuple[*Inputs]]]: ...
@overload
def vjp(
    fn: Function[..., R], *inputs: object, weights: Weights = None, has_aux: Literal[False] = False
) -> tuple[R, Derivative[..., Any]]: ...
@overload
def vjp(
    fn: Function[..., tuple[object, ...]],
    *inputs: object,
    weights: Weights = None,
    has_aux: Literal[True],
) -> tuple[Any, Derivative[..., Any], Any]: ...
@hinting  # type: ignore[misc]
def vjp(fn: Any, *inputs: Any, weights: Weights = None, has_aux: bool = False) -> Any:
    """The output of `fn` and a function from cotangents to gradients.

    Args:
        fn: a Cell or function.
        inputs: its inputs; the gradient is taken by all of them.
        weights: Parameters to differentiate by as well.
        has_aux: whether outputs after the first are not differentiated.

    Returns:
        ``(out, vjp_fn)``, or ``(out, vjp_fn, aux)``. ``vjp_fn(*cotangents)`` takes one cotangent
        per output and returns a tuple over inputs or, with weights, ``((inputs), (weights))``. It
        computes `fn` with the state from before this call, writes no Parameter and prints nothing.

    Raises:
        TypeError: an input that is a number, a string or None.
        TypeError, ValueError: as `grad`; cotangents that do not fit the outputs.

    >>> out, pull_back = ms.vjp(lambda x: x * x, Tensor([1.0, 2.0]))
    >>> print(out, pull_back(Tensor([1.0, 10.0])))
    [1. 4.] (Tensor(shape=[2], dtype=Float32, value= [ 2.00000000e+00,  4.00000000e+01]),)
    """
    check_callable(fn, "vjp", "fn", "a Cell or a function")
    for i, x in enumerate(inputs):
        if x is None or isinstance(x, str | int | float | complex | np.generic):
            hint = "give numbers to the function by a lambda, or as Tensors"
            raise argument_error(TypeError, "vjp", f"inputs[{i}]", "a Tensor", x, hint)
    by = _check_weights(weights, "vjp")
    check_bool(has_aux, "vjp", "has_aux")
    constant = constant_positions(inputs)
    request = Request("all", by, has_aux, False, False, "vjp").at(None, constant)

    def pull(
        asked: Request, function: Any, inputs: Any, sens: Any, written: Written, before: Any
    ) -> Any:
        with past(written, before):
            out = pull_back(function, inputs, {}, asked, sens)
        return out[0] if has_aux else out

    def vjp_fn(*cotangents: Any) -> Any:
        sens = cotangents[0] if len(cotangents) == 1 else cotangents
        if isinstance(forward, Recorded):
            gradients = forward.gradients(sens, again=True)
            return gradients[0] if has_aux else gradients
        if state.current.scope is not None:
            return pull(request, fn, inputs, sens, written, before)
        asked = request.at(frozen_positions(inputs), constant)
        program = _jit.program_for(
            fn,
            (asked.key(), "pull"),
            lambda reach: lambda *a: pull(asked, reach(), *a),
            f"vjp_{_jit.function_name(fn)}",
        )
        return program((inputs, sens, written, before), {})

    if state.current.scope is not None:
        forward: Any = call_noting_writes(fn, inputs)
    else:
        forward = compiled_or_not(
            lambda: _jit.program_for(
                fn,
                "forward",
                lambda reach: lambda *a: call_noting_writes(reach(), a),
                _jit.function_name(fn),
            ),
            fn,
            inputs,
            {},
            lambda: Recorded(fn, inputs, {}, request.at(frozen_positions(inputs), constant)),
        )
    if isinstance(forward, Recorded):
        out = forward.out
    else:
        out, written, before = forward
    if has_aux:
        return out[0], vjp_fn, (out[1] if len(out) == 2 else tuple(out[1:]))
    return out, vjp_fn


@overload
def jvp(
    fn: Function[..., R], inputs: object, v: object, has_aux: Literal[False] = False
) -> tuple[R, R]: ...
@overload
def jvp(
    fn: Function[..., object], inputs: object, v: object, has_aux: Literal[True]
) -> tuple[Any, Any, Any]: ...
@hinting
def jvp(fn: Any, inputs: Any, v: Any, has_aux: bool = False) -> Any:
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

    >>> print(*ms.jvp(lambda x: x * x, Tensor(3.0), Tensor(1.0)))
    9.0 6.0
    """
    check_callable(fn, "jvp", "fn", "a Cell or a function")
    check_bool(has_aux, "jvp", "has_aux")
    args = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    if isinstance(v, tuple | list) and not isinstance(inputs, tuple | list):
        raise argument_error(TypeError, "jvp", "v", "a Tensor, as inputs is one", v)
    directions = tuple(v) if isinstance(v, tuple | list) else (v,)
    if state.current.scope is not None:
        return push_forward(fn, args, directions, has_aux)
    return compiled_or_not(
        lambda: _jit.program_for(
            fn,
            ("jvp", has_aux),
            lambda reach: lambda a, t: push_forward(reach(), a, t, has_aux),
            f"jvp_{_jit.function_name(fn)}",
        ),
        fn,
        (args, directions),
        {},
        lambda: push_on_tape(fn, args, directions, has_aux),
    )


def linearize(
    fn: Function[..., R], inputs: Tensor | Sequence[Tensor]
) -> tuple[R, Callable[[Tensor | Sequence[Tensor]], R]]:
    """The output of `fn`, and a function from directions to the derivative of the output along them.

    Args:
        fn: a Cell or function.
        inputs: a Tensor, or a tuple or list of them.

    Returns:
        ``(out, jvp_fn)``. ``jvp_fn(v)`` is ``jvp(fn, inputs, v)[1]``.

    Raises:
        TypeError: `inputs` are no Tensors; tangents that do not fit them.

    >>> out, along = ops.linearize(lambda x: x * x, Tensor([1.0, 2.0]))
    >>> print(out, along(Tensor([1.0, 10.0])))
    [1. 4.] [ 2. 40.]
    """
    check_callable(fn, "linearize", "fn", "a Cell or a function")
    args = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    for i, x in enumerate(args):
        check_instance(x, "linearize", f"inputs[{i}]", Tensor)
    if state.current.scope is not None:
        out = calls.call(fn, args, {})
    else:
        out = compiled_or_not(
            lambda: _jit.program_for(
                fn,
                "linearize",
                lambda reach: lambda *a: calls.call(reach(), a, {}),
                _jit.function_name(fn),
            ),
            fn,
            args,
            {},
            lambda: cast(Any, fn)(*args),
        )
    return out, lambda v: jvp(fn, args, v)[1]
