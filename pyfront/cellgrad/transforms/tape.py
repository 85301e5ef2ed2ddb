"""Reverse mode of code that runs as ordinary Python, in `PYNATIVE_MODE`.

Gradient functions are compiled. Where their code needs what only Python has while it runs, such as
elements of tensors in a hook, the function is called as it is and a tape records the programs that it
runs: operations, compiled functions, other gradients. Going back, the derivative of each is a program,
compiled once for each signature.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

from cellgrad.capture.hooks import replaced
from cellgrad.compile import program as _jit
from cellgrad.compile.compiled import Compiled
from cellgrad.compile.failures import nan_at
from cellgrad.compile.tables import PerObject
from cellgrad.core import hooks, state
from cellgrad.core.context import noted
from cellgrad.core.dynamic import Untaped
from cellgrad.core.errors import error, stack_position
from cellgrad.core.inputs import inputs_of
from cellgrad.core.parameter import Parameter
from cellgrad.core.record import splat
from cellgrad.core.tensor import ConstantTensor, Tensor
from cellgrad.core.tracer import Tracer
from cellgrad.core.tree import map_tensors, tensors
from cellgrad.transforms import tape_views
from cellgrad.transforms.cotangents import has_gradient
from cellgrad.transforms.differentiate import Differentiated
from cellgrad.transforms.past import Written, past

Gradients = list[Tensor | None]


class Slot:
    """A value with a gradient, and the tensor that has it."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Tensor):
        self.tensor = tensor  # kept, so that its identity stays its own


class Node:
    """What made some values of others, and how their gradients go back."""

    __slots__ = ("inputs", "outputs", "pull", "ruled")

    def __init__(
        self,
        inputs: list[Slot | None],
        outputs: list[Slot | None],
        pull: Callable[[Gradients], Gradients],
        ruled: str = "",
    ):
        self.inputs = inputs
        self.outputs = outputs
        self.pull = pull
        self.ruled = (
            ruled  # the function that `pull` is the user's own rule of: it need not be linear
        )


class Tape:
    """The record of a call, made while it is the current one."""

    def __init__(self, finds: bool = False) -> None:
        self.outer: Tape | None = None
        self.slots: dict[int, Slot] = {}
        self.finds = finds  # whether Parameters have gradients once they are read
        self.read: list[Parameter] = []  # those, in the order of their first use
        self._alive: list[Any] = []  # tensors that are known by identity, and functions
        self.nodes: list[Node] = []

    def __enter__(self) -> Self:
        self.outer = state.current.tape
        state.put("tape", self)
        return self

    def __exit__(self, *exc: Any) -> None:
        state.put("tape", self.outer)

    def watch(self, tensor: Tensor) -> Slot:
        """Gives a tensor a gradient."""
        found = self.slots.get(id(tensor))
        if found is None:
            found = self.slots[id(tensor)] = Slot(tensor)
        return found

    def tapes(self) -> Iterator[Tape]:
        """This one and those around it."""
        tape: Tape | None = self
        while tape is not None:
            yield tape
            tape = tape.outer

    # --- while the code runs ------------------------------------------------------------------

    def run(
        self,
        program: _jit.Program,
        compiled: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        buffers: list[Any],
    ) -> Any:
        """Runs a program, and records it where it depends on something with a gradient."""
        for p in compiled.written:  # a new buffer: records have the one from before
            self.writing(p)
            before = p._buf
            p._buf = before.copy()
            buffers = [p._buf if b is before else b for b in buffers]
        given = inputs_of(args, kwargs)
        all_captured = isinstance(compiled, Compiled)  # else numbers among them
        captured = [t for t, _ in compiled.captures if all_captured or t._is_parameter]
        for tape in self.tapes():
            tape._find([*given, *captured])
        recording = [
            tape for tape in self.tapes() if any(id(t) in tape.slots for t in [*given, *captured])
        ]
        if not recording:
            return compiled.run(buffers, args, kwargs)
        if getattr(compiled, "changes", False):
            raise error(
                TypeError,
                f"'{program.name}' is compiled and changes a list, dictionary or dataclass that it is given, "
                "inside a function that is differentiated and runs as Python: what it keeps there would have "
                "no gradient.",
                "return the tensors, and change the list outside of the compiled function",
            )

        def kept(tensor: Tensor) -> Tensor:  # an argument may be a Parameter that is written, too
            return self.kept(tensor, any(tensor is p for p in compiled.written))

        kept_args, kept_kwargs = map_tensors(kept, args), map_tensors(kept, kwargs)
        values = tuple([kept(t) for t in captured])
        out = compiled.run(buffers, args, kwargs)
        outputs = list(tensors(out))
        for tape in recording:
            tape._record(program, given, captured, outputs, (kept_args, kept_kwargs, values))
        return out

    def _find(self, used: list[Tensor]) -> None:
        """Watches Parameters among what is used, if all that are read have gradients."""
        for t in used if self.finds else ():
            if not isinstance(t, Parameter) or not t.requires_grad or id(t) in self.slots:
                continue
            if has_gradient(t):
                self.read.append(t)
                self.watch(t)

    def kept(self, tensor: Tensor, written: bool = False) -> Tensor:
        """A tensor with the elements that one has now."""
        if isinstance(tensor, ConstantTensor):
            return tensor
        out = Tensor._wrap(tensor._buf.copy() if written else tensor._buf, tensor._sig)
        self.link(out, tensor)
        return out

    def link(self, out: Tensor, tensor: Tensor) -> None:
        """Says that a tensor is the value of another one: gradients by it are by that."""
        for tape in self.tapes():
            if id(tensor) in tape.slots:
                tape.slots[id(out)] = tape.slots[id(tensor)]
                tape._alive.append(out)

    def _record(
        self,
        program: _jit.Program,
        given: list[Tensor],
        captured: list[Tensor],
        outputs: list[Tensor],
        call: tuple[Any, Any, Any],
    ) -> None:
        args, kwargs, values = call
        before = [*given, *captured]
        inputs = [self.slots.get(id(t)) for t in before]
        inputs = [s if has_gradient(t) else None for s, t in zip(inputs, before, strict=True)]
        wrt = tuple([i for i, s in enumerate(inputs) if s is not None])
        held = _held_of(program, captured)
        made = [self.watch(t) if has_gradient(t) else None for t in outputs]
        place = stack_position() if noted("nans") else None

        def pull(douts: Gradients) -> Gradients:
            of = tuple([i for i, d in enumerate(douts) if d is not None])
            try:
                found = _puller(program)(
                    (args, kwargs, of, wrt, [douts[i] for i in of], held, values), {}
                )
            except FloatingPointError as e:
                if place is None or not program.asks:
                    raise
                # The code of an operation names the place of its first call, not of this one.
                raise nan_at(e, place) from None
            by_input = dict(zip(wrt, found, strict=True))
            return [by_input.get(i) for i in range(len(inputs))]

        self.nodes.append(Node(inputs, made, pull))

    def tracks(self, value: Any) -> bool:
        """Whether a value is a tensor with a gradient."""
        return any(id(value) in tape.slots for tape in self.tapes())

    def is_leaf(self, tensor: Tensor) -> bool:
        """Whether a tensor has a gradient, and nothing that is recorded has made it."""
        return any(
            slot is not None and not any(slot in node.outputs for node in tape.nodes)
            for tape in self.tapes()
            for slot in [tape.slots.get(id(tensor))]
        )

    def keep(self, function: Any) -> None:
        """Keeps a function alive: programs do not, and its derivative is asked for later."""
        for tape in self.tapes():
            tape._alive.append(function)

    def writing(self, tensor: Tensor) -> None:
        """Says that a tensor is written to; Parameters always say so."""

    def follows(self, values: tuple[Tensor, Any]) -> bool:
        """Whether a tensor that is written to, or the value, has a gradient, or is a view of one that has: not to
        be done in memory.
        """
        found = list(tensors(values))
        for t in found[:1]:
            self.writing(t)
        found += [root for root, at in map(tape_views.root_of, found) if at is not None]
        for t in found:
            t._buf = t._buf.copy()  # records have the elements from before
        return any(id(t) in tape.slots for t in found for tape in self.tapes())

    def write(self, tensor: Tensor, value: Any, index: Any = ...) -> None:
        """Gives a tensor a value with other elements at an index, in place."""
        tape_views.write(self, tensor, value, index)

    def replace(self, tensor: Tensor, value: Tensor) -> None:
        """Gives a tensor another value in place, whatever it is linked to. A Parameter is a leaf: what is
        computed with it later has a gradient by it, not by what the value was made of.
        """
        tensor._buf = value._buf
        if isinstance(tensor, Parameter):
            return
        for tape in self.tapes():
            slot = tape.slots.get(id(value))
            tape.slots[id(tensor)] = Slot(tensor) if slot is None else slot
            tape._alive.append(tensor)

    def reading(self, tensor: Tensor) -> None:
        """Says that an operation reads the elements of a tensor outside of a program."""
        if self.tracks(tensor):
            raise Untaped

    def detached(self, tensor: Tensor) -> Tensor:
        """A view of all of a tensor, without a gradient."""
        with suspended():
            return tensor[...]

    def alias(self, tensor: Tensor) -> Tensor:
        """The same value as a tensor of its own."""
        out = Tensor._wrap(tensor._buf.copy(), tensor._sig)
        self.rule([tensor], [out], list)
        return out

    def rule(
        self,
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        pull: Callable[[Gradients], Gradients],
        ruled: str = "",
        always: bool = False,
    ) -> None:
        """Records that tensors were made of others, with a derivative of their own; `ruled` is the name of a
        function whose rule of reverse mode the user wrote. With `always`, also where none of the others has a
        gradient: `pull` may be waited for.
        """
        for tape in self.tapes():
            slots = [tape.slots.get(id(t)) for t in inputs]
            if always or any(s is not None for s in slots):
                made = [tape.watch(t) if has_gradient(t) else None for t in outputs]
                tape.nodes.append(Node(slots, made, pull, ruled))

    # --- afterwards ---------------------------------------------------------------------------

    def pull_back(
        self, seeds: Sequence[tuple[Tensor, Tensor]], again: bool = False, linear: bool = False
    ) -> dict[Slot, Tensor]:
        """The gradient of each value, from those of the results. The record is used up, which gives its
        memory back on the way, unless it is to be gone through `again`. Where it has to be `linear` in
        the seeds, rules that users wrote are refused.
        """
        found: dict[Slot, Tensor] = {}

        def add(slot: Slot | None, gradient: Tensor | None) -> None:
            if slot is not None and gradient is not None:
                found[slot] = found[slot] + gradient if slot in found else gradient

        for tensor, seed in seeds:
            add(self.slots.get(id(tensor)), seed)
        nodes = self.nodes.copy() if again else self.nodes
        while nodes:
            node = nodes.pop()
            if not any(s in found for s in node.outputs if s is not None):
                continue
            if linear and node.ruled:
                raise error(
                    RuntimeError,
                    f"'{node.ruled}' has a vjp rule only, from which forward mode cannot be derived.",
                    "give the rule as jvp=, which serves both modes",
                )
            douts = [None if s is None else self._complete(s, found) for s in node.outputs]
            for slot, gradient in zip(node.inputs, node.pull(douts), strict=True):
                add(slot, gradient)
        return found

    def _complete(self, slot: Slot, found: dict[Slot, Tensor]) -> Tensor | None:
        gradient = found.pop(slot, None)
        return None if gradient is None else through(hooks.of(slot.tensor), gradient)


@contextlib.contextmanager
def suspended() -> Iterator[None]:
    """Records nothing for a while. What is written to in memory has new memory, as on a tape: records of before
    keep the elements that they have.
    """
    tape = state.current.tape
    state.put("tape", None if tape is None else Tape())
    try:
        yield
    finally:
        state.put("tape", tape)


def through(listed: Sequence[hooks.Hook], gradient: Tensor) -> Tensor:
    """The gradient after hooks, each called with what the one before gave."""
    for hook in listed:
        gradient = replaced(hook(gradient), gradient, _jit.function_name(hook))
    return gradient


# --- the derivative of a program --------------------------------------------------------------


class _Held:
    """What a program reads that is no argument: Parameters, and tensors from around it."""

    def __init__(self, tensors: list[Tensor]):
        self.tensors = tensors


_tables = PerObject()
_jit.at_exit(_tables.clear)


def _held_of(program: _jit.Program, captured: list[Tensor]) -> _Held:
    """One object for each list, as it is a constant of a compiled program."""
    table = _tables.of(program)
    key = tuple([id(t) for t in captured])
    found = table.get(key)
    if found is None:
        found = table[key] = _Held(captured)
    return found


def _puller(program: _jit.Program) -> _jit.Program:
    """The program that goes back through another one."""
    table = _tables.of(program)
    found: _jit.Program | None = table.get("pull")
    if found is None:
        found = table["pull"] = _jit.Program(_Pull(program.run), f"vjp_{program.name}")
    return found


class _Pull:
    """The gradients of a call, from those of its results; called under capture."""

    def __init__(self, function: Callable[..., Any]):
        self.function = function
        self.__name__ = _jit.function_name(function)

    def __call__(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        of: tuple[int, ...],
        wrt: tuple[int, ...],
        given: list[Tensor],
        held: _Held,
        values: tuple[Tensor, ...],
    ) -> list[Tensor]:
        """Gradients by the arguments' tensors, then by those in `held`, that `wrt` numbers; `given`
        are the cotangents of the results that `of` numbers, and `values` what `held` had.
        """
        scope = state.current.scope
        assert scope is not None

        def known(t: Tensor) -> Tensor:
            """A tensor whose elements the call was compiled for, as one: a shape, for example."""
            if type(t) is not Tensor or not scope.made_here(t):
                return t
            out = Tensor._wrap(t._buf, t._sig)
            out.__class__ = ConstantTensor
            return out

        args, kwargs = map_tensors(known, args), map_tensors(known, kwargs)
        pairs = list(zip(held.tensors, values, strict=True))
        parameters = [(t, v) for t, v in pairs if isinstance(t, Parameter)]
        with past(Written([p for p, _ in parameters]), [v for _, v in parameters]):
            for t, v in pairs:
                if not isinstance(t, Parameter):
                    scope.elements[id(t)] = scope.value(v)
            d = Differentiated(self.function, args, kwargs)
            order = [s + k for s, listed in zip(d.starts, d.leaves) for k in range(len(listed))]
            places: list[int | None] = [
                order[i] if i < len(order) else d.argument_of(held.tensors[i - len(order)])
                for i in wrt
            ]
            asked = [p for p in dict.fromkeys(places) if p is not None]
            cotangents = [scope.value(g) for g in given]
            out = d.outer.fn.vjp(
                d.scope.fn.name,
                d.operands(),
                cotangents,
                of=list(of),
                wrt=asked,
                loc=state.location(),
            )
        found = dict(zip(asked, out[len(d.results) + len(d.written) :], strict=True))
        inputs = [*d.inputs, *[what for what, _ in d.scope.captures]]
        likes = [
            held.tensors[i - len(order)] if i >= len(order) else d.inputs[order[i]] for i in wrt
        ]
        return [
            splat(0, like.dtype, like.shape)
            if p is None
            else Tracer(found[p], scope, inputs[p]._sig)
            for p, like in zip(places, likes, strict=True)
        ]
