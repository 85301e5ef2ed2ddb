"""Gradients of functions that run as ordinary Python; see `transforms.tape`."""

from __future__ import annotations

from typing import Any

from cellgrad.compile import program as _jit
from cellgrad.core import hooks, state
from cellgrad.core.context import pynative_mode
from cellgrad.core.dynamic import Untaped
from cellgrad.core.parameter import Parameter
from cellgrad.core.record import splat
from cellgrad.core.tensor import ConstantTensor, Tensor
from cellgrad.core.tracer import Tracer
from cellgrad.core.tree import map_tensors, tensors
from cellgrad.transforms.cotangents import cotangents_of, has_gradient
from cellgrad.transforms.differentiate import Request, nested, part_of, positions_of
from cellgrad.transforms.tape import Tape, through


def differentiate_on_tape(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], request: Request, sens: Any
) -> Any:
    """As `pull_back`, outside of compiled code: calls the function, and goes back through what it ran.

    Raises:
        Untaped: it writes to a tensor that has a gradient, or an operation reads elements of one.
    """
    name = _jit.function_name(function)
    outer = state.current.tape
    parameters: list[tuple[Parameter, Any]] = []

    def one(t: Tensor) -> Tensor:
        """An input as a tensor of its own. One that is given twice is two inputs; what the function reads of it
        from around itself is no input; and what it writes to it stays inside, as in compiled code.
        """
        if isinstance(t, ConstantTensor):
            return t
        own = Tensor._wrap(t._buf.copy(), t._sig)
        if isinstance(t, Parameter):
            own = t._standing(own)
            parameters.append((own, own._buf))
        if outer is not None:
            outer.link(own, t)
        hooks.carry([t], [own])
        return own

    args, kwargs = map_tensors(one, args), map_tensors(one, kwargs)
    listed = (*args, *kwargs.values())
    positions = positions_of(request, listed, request.name)
    frozen = request.frozen or ()
    weights = request.weights or ()
    wanted = [t for p in positions if p not in frozen for t in tensors(listed[p])]
    fixes = pynative_mode()  # Parameters that ask for no gradient have none
    wanted += [w for w in weights if w.requires_grad or not fixes]
    tape = Tape()
    slots = {id(t): tape.watch(t) for t in wanted if has_gradient(t)}
    with tape:
        out = function(*args, **kwargs)
    if any(own._buf is not buffer for own, buffer in parameters):
        raise Untaped  # the Parameter itself would have to be written
    part = part_of(request, out, name)
    results = [t for t in tensors(part) if has_gradient(t)]
    seeds = _SEEDS((part, sens, request.name, name), {})
    found = tape.pull_back(list(zip(results, seeds, strict=True)))

    def gradient(like: Tensor) -> Tensor:
        slot = slots.get(id(like))
        gradient = None if slot is None else found.get(slot)
        stopped = fixes and isinstance(like, Parameter) and not like.requires_grad  # by now
        if gradient is None or (stopped and any(like is w for w in weights)):
            return splat(0, like.dtype, like.shape)
        return through(hooks.of(like), gradient)

    return nested(request, out, listed, positions, gradient)


def _seeds(part: Any, sens: Any, name: str, function: str) -> list[Tensor]:
    """The cotangent of each result that has a gradient."""
    scope = state.current.scope
    assert scope is not None
    results = [t for t in tensors(part) if has_gradient(t)]
    values = cotangents_of(scope, results, part, sens, name, function)
    return [Tracer(v, scope, t._sig) for v, t in zip(values, results, strict=True)]


_SEEDS = _jit.Program(_seeds, "cotangents")
_jit.at_exit(_SEEDS.cache.clear)
