"""Derivatives of functions that run as ordinary Python; see `transforms.tape`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from cellgrad.compile import fallback
from cellgrad.compile import program as _jit
from cellgrad.core import hooks, state
from cellgrad.core.context import eager, graph_mode, pynative_mode, syntax_is_lax
from cellgrad.core.dynamic import Untaped, is_dynamic
from cellgrad.core.errors import CompiledThere, NotCompilable, error
from cellgrad.core.parameter import Parameter
from cellgrad.core.record import splat
from cellgrad.core.tensor import ConstantTensor, Tensor
from cellgrad.core.tracer import Tracer
from cellgrad.core.tree import map_tensors, tensors, with_tensors, zero_of
from cellgrad.transforms.cotangents import cotangents_of, has_gradient, tangents_of
from cellgrad.transforms.differentiate import nested, part_of, positions_of
from cellgrad.transforms.request import Request
from cellgrad.transforms.tape import Tape, through

# --- whether ----------------------------------------------------------------------------------


def compiled_or_not(
    find: Callable[[], _jit.Program],
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    as_python: Callable[[], Any],
) -> Any:
    """A call of the program that `find` gives. `as_python` does the same where everything runs as Python and,
    in `PYNATIVE_MODE` or at the syntax level LAX, where the code cannot be compiled.
    """
    if eager():
        return _as_wished(function, as_python)
    program = find()
    if program.dynamic and (not graph_mode() or syntax_is_lax(there=True)):
        return _plainly(as_python)
    try:
        return program(args, kwargs)
    except Exception as e:
        lax = isinstance(e, NotCompilable) and syntax_is_lax(isinstance(e, CompiledThere))
        if not (lax if graph_mode() else is_dynamic(e)):
            raise
        failure = e
    try:
        out = _plainly(as_python)
    except Untaped:
        raise failure from failure.__cause__
    if graph_mode():
        fallback.tell(program.name, failure)
    program.dynamic = True
    return out


def _plainly(as_python: Callable[[], Any]) -> Any:
    """The call with Cells operation by operation, also in graph mode: what cannot be compiled may be in any of them,
    or in the derivative of one.
    """
    before = state.current.plain
    state.put("plain", True)
    try:
        return as_python()
    finally:
        state.put("plain", before)


def _as_wished(function: Any, as_python: Callable[[], Any]) -> Any:
    try:
        return as_python()
    except Untaped:
        name = _jit.function_name(function)
        raise error(
            RuntimeError,
            f"'{name}' is differentiated as ordinary Python, and writes to a view of a tensor that has a "
            "gradient, or an operation reads the elements of one: the record of what runs cannot "
            "follow that.",
            "without CELLGRAD_EAGER=1 and ms.debug.eager() its derivative is compiled",
        ) from None


# --- reverse mode -----------------------------------------------------------------------------


class Recorded:
    """A call of a function as it is, and the record of what it ran: gradients go back through that. Those of
    the tensors whose places are `numbers` are numbers.

    Raises:
        Untaped: it writes to a tensor that has a gradient, or an operation reads elements of one.
    """

    def __init__(
        self,
        function: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        request: Request,
        by_position: bool = True,
        numbers: Collection[int] = (),
    ):
        self.name = _jit.function_name(function)
        self.request = request
        self._fixes = pynative_mode()  # Parameters that ask for no gradient have none
        self._outer = state.current.tape
        parameters: list[tuple[Parameter, Any]] = []

        def one(t: Tensor) -> Tensor:
            own = self._own(t)
            if isinstance(own, Parameter):
                parameters.append((own, own._buf))
            return own

        args, kwargs = with_tensors(args), with_tensors(kwargs)
        args, kwargs = map_tensors(one, args), map_tensors(one, kwargs)
        self.args = (*args, *kwargs.values())
        self.numbers = {id(t) for i, t in enumerate(tensors(args)) if i in numbers}
        if by_position:
            self.positions = positions_of(request, self.args, request.name)
        else:  # all tensors, also beside numbers, which `positions_of` refuses
            self.positions = [*range(len(self.args))]
        frozen = request.frozen or ()
        wanted = [t for p in self.positions if p not in frozen for t in tensors(self.args[p])]
        wanted += [w for w in request.weights or () if w.requires_grad or not self._fixes]
        self.tape = Tape(request.read)
        self.slots = {id(t): self.tape.watch(t) for t in wanted if has_gradient(t)}
        try:
            with self.tape:
                self.out = function(*args, **kwargs)
        finally:  # also where a handler of a signal raises as the block ends
            state.put("tape", self._outer)
        self.request = request.by_those_read(self.tape.read)
        self.slots |= {id(p): self.tape.watch(p) for p in self.request.weights or ()}
        if any(own._buf is not buffer for own, buffer in parameters):
            raise Untaped  # the Parameter itself would have to be written
        self.part = part_of(request, self.out, self.name)
        self.results = [t for t in tensors(self.part) if has_gradient(t)]

    def _own(self, t: Tensor) -> Tensor:
        """An input as a tensor of its own. One that is given twice is two inputs; what the function reads of it
        from around itself is no input; and what it writes to it stays inside, as in compiled code.
        """
        if isinstance(t, ConstantTensor):
            return t
        own = Tensor._wrap(t._buf.copy(), t._sig)
        if isinstance(t, Parameter):
            own = t._standing(own)
        if self._outer is not None:
            self._outer.link(own, t)
        hooks.carry([t], [own])
        return own

    def gradients(self, sens: Any, again: bool = False) -> Any:
        """As `pull_back`; the record is used up, unless it is to be used `again`."""
        seeds = _SEEDS((map_tensors(_unlinked, self.part), sens, self.request.name, self.name), {})
        found = self.tape.pull_back(list(zip(self.results, seeds, strict=True)), again)
        weights = self.request.weights or ()

        def gradient(like: Tensor) -> Any:
            out = one(like)
            return out.item() if id(like) in self.numbers else out

        def one(like: Tensor) -> Tensor:
            slot = self.slots.get(id(like))
            gradient = None if slot is None else found.get(slot)
            stopped = self._fixes and isinstance(like, Parameter) and not like.requires_grad
            stopped = stopped and any(like is w for w in weights)
            if gradient is None or stopped:
                gradient = splat(0, like.dtype, like.shape)
            if slot is None or stopped:
                return gradient
            return through(hooks.of(like), gradient)

        return nested(self.request, self.out, self.args, self.positions, gradient)


def differentiate_on_tape(
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    request: Request,
    sens: Any,
    numbers: Collection[int] = (),
) -> Any:
    """As `pull_back`, outside of compiled code: calls the function, and goes back through what it ran."""
    return Recorded(function, args, kwargs, request, numbers=numbers).gradients(sens)


def _unlinked(tensor: Tensor) -> Tensor:
    """A result as seeds are made for it, which have its shape and nothing of its value: a tape around would take a
    gradient of 0 back from them, and that times an infinite slope is NaN."""
    return Tensor._wrap(tensor._buf, tensor._sig) if type(tensor) is Tensor else tensor


def _seeds(part: Any, sens: Any, name: str, function: str) -> list[Tensor]:
    """The cotangent of each result that has a gradient."""
    scope = state.current.scope
    assert scope is not None
    results = [t for t in tensors(part) if has_gradient(t)]
    values = cotangents_of(scope, results, part, sens, name, function)
    return [Tracer(v, scope, t._sig) for v, t in zip(values, results, strict=True)]


_SEEDS = _jit.Program(_seeds, "cotangents")
_jit.at_exit(_SEEDS.clear)


# --- forward mode -----------------------------------------------------------------------------


def push_on_tape(
    function: Any, args: tuple[Any, ...], directions: tuple[Any, ...], has_aux: bool
) -> Any:
    """As `push_forward`, outside of compiled code. What goes back through the record is linear in the
    cotangents, so its own adjoint, once more reverse mode, is forward mode.
    """
    request = Request("all", None, has_aux, False, False, "jvp")
    run = Recorded(function, args, {}, request, by_position=False)
    inputs = list(tensors(run.args))
    along = tangents_of(args, inputs, directions)
    seeds = [splat(1, t.dtype, t.shape) for t in run.results]
    backward = Tape()
    slots = [backward.watch(s) for s in seeds]
    with backward:
        found = run.tape.pull_back(list(zip(run.results, seeds, strict=True)), linear=True)
        pairs = []
        for t, direction in zip(inputs, along, strict=True):
            slot = run.slots.get(id(t))
            if slot is not None and slot in found:
                pairs.append((through(hooks.of(t), found[slot]), direction))
    pushed = backward.pull_back(pairs)
    order = iter(slots)

    def tangent(t: Tensor) -> Tensor:
        gradient = pushed.get(next(order)) if has_gradient(t) else None
        return splat(0, t.dtype, t.shape) if gradient is None else gradient

    tangents = map_tensors(tangent, run.part, zero_of)
    if has_aux:
        return run.part, tangents, (run.out[1] if len(run.out) == 2 else tuple(run.out[1:]))
    return run.out, tangents
