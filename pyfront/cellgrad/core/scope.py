"""Scopes: functions under construction, what they capture from around them, and the state they
write.

A trace is one compile. Its scopes form a chain: the entry's body, then one private function per
level of differentiation. A value of an outer scope that an inner one uses becomes an argument of
the inner function, so that outer gradients flow through captures. A Parameter is read through the
chain in the same way; a write rebinds the scope's current value and leaves the function as an
additional result.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from cellgrad import _native
from cellgrad.core import dtype as mstype
from cellgrad.core import pairs, state, variables
from cellgrad.core.errors import Position, error
from cellgrad.core.guards import ABSENT, CONTAINERS, Guard, contents, is_cell, is_library, value_of
from cellgrad.core.open_shape import is_constant
from cellgrad.core.storage import Signature, signature
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer, leaked, lost_error, says_how

if TYPE_CHECKING:
    from cellgrad.capture.changes import Action, Change
    from cellgrad.capture.given import Given
    from cellgrad.core.parameter import Parameter
    from cellgrad.core.partial import Part


def _not_yet(leaf: Tensor, value: Tensor) -> Tensor:
    raise RuntimeError("gradients cannot be taken before cellgrad is fully imported")


# `value` with the derivatives of `leaf`; `transforms.custom` sets it.
leaf_of: Callable[[Tensor, Tensor], Tensor] = _not_yet


def _no_complex(op: str, operands: list[Any], attrs: Any, result: Signature | None) -> Tracer:
    raise RuntimeError("operations cannot run before cellgrad is fully imported")


# An op whose operands or result are complex, of real ops; `ops.complex_rules` sets it.
complex_op: Callable[[str, list[Any], Any, Signature | None], Tracer] = _no_complex

# Values of these types hold nothing that code of the user's could read.
VALUES = {bool, int, float, complex, str, bytes, type(None), tuple, list, dict, slice, range, type}
_MOST_OPS = variables.count("MAX_OPS", 100_000)


class Trace:
    """One compile: the native graph, and names already taken in it."""

    def __init__(self, name: str):
        self.graph = _native.Graph(name)
        self.graph_name = name
        self.ops = 0  # appended so far
        self.prints = 0  # among them
        self.hooks = 0  # that are part of it
        # Inputs that were Parameters in the call that is captured.
        self.origins: dict[int, Parameter] = {}
        self.widened: set[int] = set()  # inputs in float32 that meet float64
        self.by_identity = False  # whether it is captured for these Parameters alone
        # Containers and objects from around the function that its code changes, and how.
        self.changes: dict[int, Change] = {}
        self.actions: list[Action] = []
        # Lists, dictionaries and dataclasses of the arguments as the code sees them; `capture.given`.
        self.given: dict[int, Given] = {}
        self.returned: list[tuple[Any, ...]] = []
        self.inputs: dict[int, tuple[Tracer, Any]] = {}  # and the values that they have at first
        self.constants: dict[int, Any] = {}  # those without a gradient
        # Tensors that are parts of others, the places at which each tensor was written, and those that a
        # view that was written is of; see `core.partial`.
        self.parts: dict[int, Part] = {}
        self.writes: dict[int, list[Any]] = {}
        self.lost: dict[int, tuple[Tensor, Position | None]] = {}
        # What a tensor may be, or be a part of, where a branch or loop chose it; and the other way round.
        self.aliases: dict[int, list[tuple[Tensor, bool]]] = {}
        self.names: dict[int, list[Tensor]] = {}
        self.chosen: list[Tensor] = []  # so that ids stay their own
        # Those that a differentiated function was given and changed.
        self.stale: dict[int, tuple[Any, Position | None]] = {}
        self.handlers = 0  # 'try' statements with 'except' around what is captured
        self.again = False  # whether a call is made again, without its effects
        # Tensors with hooks that act where a gradient by them is given; see `core.hooks`.
        self.leaves: dict[int, tuple[Tensor, tuple[Any, ...], tuple[int, ...]]] = {}
        self.closed = False
        self.stand_in = 0  # for the batch of any size, also where that is captured for another
        self.asks = False  # whether elements of an input can be had: by `NeedsElements`
        self.fixes = False  # whether those that a shape depends on can: see `Tracer._fixed`
        self.plain: list[Signature | None] = []  # of the program's inputs that are no Parameters
        # Whether tensors from around the function are constants, not inputs: an exported model.
        self.bake = False
        # Tensors that stand for Python's numbers, such as ``int(x)``: results are numbers again.
        self.numbers: dict[int, Tensor] = {}
        self.cells: dict[int, Any] = {}  # Cells the program depends on
        self.paths: dict[int, str] = {}  # attribute paths of Cells, for locations
        self.recomputed: frozenset[int] = frozenset()  # Cells, by identity, see `Program`
        # Globals, closure variables, attributes and elements that were read; see `_guards`.
        self.guards: dict[tuple[int, Any], Guard] = {}
        # Functions that were evaluated.
        self.evaluated: dict[int, Any] = {}
        # Lists and dictionaries from around the function: what is read from them is guarded.
        self.outer: dict[int, Any] = {}
        # What is being captured to be transformed, from outside to inside; and the rules given by
        # the user that are being captured, each with the number of transforms around it.
        self.active: list[tuple[Any, ...]] = []
        self.rules: list[tuple[Any, int]] = []
        # Tensors made from known elements while compiling, and the scopes that made them.
        self.made: dict[int, tuple[Tensor, Scope]] = {}
        # Objects made while compiling: nothing is compiled again for what they hold.
        self.created: dict[int, Any] = {}
        # Tensors from around the function whose elements were read while compiling, with their types
        # and bytes: the program is compiled for these, as for a number that is read.
        self.elements: dict[int, tuple[Tensor, Signature, bytes]] = {}
        self._names: dict[str, int] = {}
        self.functions: list[Any] = []  # native functions, in the order of their making
        # Modules from elsewhere whose functions are part of the graph: the module, and their names.
        self.included: dict[int, tuple[Any, dict[str, str]]] = {}
        # Checks that may fail at run time, by what compiled code says of them: where they are, the
        # error or its type, and what to do.
        self.checks: dict[str, tuple[Position, type[Exception] | Exception, str]] = {}

    def mark(self) -> int:
        """A point to which `discard` goes back."""
        return len(self.functions)

    def discard(self, mark: int) -> None:
        """Drops the functions made since `mark`: an attempt that is made again."""
        for fn in reversed(self.functions[mark:]):
            fn.discard()
        del self.functions[mark:]

    def count(self) -> None:
        """Counts an operation, so that an endless loop does not capture for ever."""
        self.ops += 1
        if self.ops > _MOST_OPS:
            raise error(
                RuntimeError,
                f"'{self.graph_name}' has more than {_MOST_OPS} operations: a loop over Python "
                "values is unrolled, and this one has many rounds or no end.",
                "compute with whole tensors (ms.vmap), call the compiled function in a loop outside, or set "
                "CELLGRAD_MAX_OPS to a larger number",
            )

    def guard(self, where: Any, name: Any, value: Any) -> None:
        """Notes a value that the program was compiled for: it is compiled again when it changes.

        Args:
            where: the dictionary of a module or object, a list or dictionary, a closure cell (with
                the name None), or an object with a class that has the value.
        """
        key, kind = (id(where), name), type(value)
        if key in self.guards or kind is Tracer:
            return
        if type(where) is dict and is_library(where.get("__name__")):
            return
        self.guards[key] = (where, name, value)
        if kind is list or kind is dict:
            self.outer[id(value)] = value
        elif isinstance(value, (*CONTAINERS, tuple)):
            self.guard_contents(value)
        elif is_cell(value):  # it may be a container of others
            self.cells.setdefault(id(value), value)

    def guard_function(self, function: Any) -> None:
        """Notes that a function is evaluated: another code or default makes it another one. Programs do
        not keep it alive.
        """
        if id(function) in self.evaluated:
            return
        self.evaluated[id(function)] = function
        where = weakref.ref(function)
        for name in ("__code__", "__defaults__", "__kwdefaults__"):
            value = getattr(function, name)
            if value is not None:
                self.guards[id(function), name] = (where, name, value)
                if name != "__code__":
                    self.guard_contents(value)

    def guard_names(self, function: Any) -> None:
        """Notes what a function may read that is called as it is, such as a generator: the globals and
        variables that it names.
        """
        self.guard_function(function)
        space = function.__globals__
        found = [(space, name, space.get(name, ABSENT)) for name in function.__code__.co_names]
        found += [(cell, None, value_of(cell, None)) for cell in function.__closure__ or ()]
        for where, name, value in found:
            self.guard(where, name, value)
            self.guard_contents(value)

    def guard_contents(self, value: Any) -> None:
        """Notes that anything may be read of a value from around the function: of lists, dictionaries,
        sets and arrays, also those inside of others.
        """
        open_ = [value]
        while open_:
            v = open_.pop()
            change = self.changes.get(id(v))
            if change is not None:
                if not change.read:
                    change.read = True
                    open_ += contents(v) if not isinstance(v, np.ndarray) else ()
            elif isinstance(v, tuple):
                open_ += v
            elif (
                isinstance(v, CONTAINERS)
                and (id(v), None) not in self.guards
                and id(v) not in self.created
            ):
                parts = contents(v)
                if any(type(part) is Tracer for part in parts):
                    continue  # made while compiling
                self.guards[id(v), None] = (v, None, parts)
                open_ += () if isinstance(v, np.ndarray) else parts

    def guard_elements(self, tensor: Tensor) -> None:
        """Notes that the elements of a tensor are read; an exported model has them as constants."""
        if not self.bake and id(tensor) not in self.made and id(tensor) not in self.elements:
            self.elements[id(tensor)] = (tensor, tensor._sig, tensor._buf.view().tobytes())

    def add_paths(self, cell: Any) -> None:
        """Notes the attribute paths of a Cell called from outside any other."""
        for path, c in cell.cells_and_names():
            self.paths.setdefault(id(c), path)

    def unique(self, name: str) -> str:
        """`name` as a C identifier, numbered when taken."""
        name = re.sub(r"\W", "_", name) or "f"
        if name[0].isdigit():
            name = "_" + name
        n = self._names.get(name, 0)
        self._names[name] = n + 1
        return self.unique(f"{name}_{n}") if n else name


class Scope:
    """A private function under construction.

    Arguments are the given inputs, then whatever is captured, in order of first use: tracers of
    outer scopes, Parameters, and concrete tensors.
    """

    def __init__(
        self, trace: Trace, name: str, inputs: list[Signature], parent: Scope | None, loc: Any
    ):
        self.trace = trace
        self.parent = parent
        self.name = name
        args = [(s.dtype.native, s.held, f"x{i}", "input", None, loc) for i, s in enumerate(inputs)]
        self.fn = trace.graph.function(trace.unique(name), args=args, public=False)
        trace.functions.append(self.fn)
        self.inputs = [Tracer(v, self, s) for v, s in zip(self.fn.args, inputs, strict=True)]
        self.roots: list[Any] = []  # what they are to the program: see `lost_digits`
        # Each capture: (what, its argument); `what` is a Tracer of an outer scope, a Parameter or a
        # Tensor.
        self.captures: list[tuple[Any, Any]] = []
        self._captured: dict[int, Any] = {}
        self.kept: list[
            Tensor
        ] = []  # tensors known by identity, which must not be reused meanwhile
        self._numbers: dict[tuple[Any, Signature], Any] = {}
        self.shared: list[Any] = []  # values that several tensors have
        # Of each tensor with hooks, its value and those that it passes through as, the last first.
        self.hooked: dict[int, tuple[Tensor, Any, list[Any]]] = {}
        # Current values of Parameters: what reads see, and which were written, in order.
        self.store: dict[int, Any] = {}
        self.written: dict[int, Parameter] = {}
        # Current values of tensors that elements were assigned to: of those made here, and, in the
        # branches and loops of a function, of those from around it, which `changed` lists.
        self.elements: dict[int, Any] = {}
        self.changed: dict[int, Tensor] = {}
        self.apart = False  # whether this is such a branch or loop
        self.differentiated = False  # whether derivatives of this function are asked for
        # What reads of a Parameter see after a write to it, beside the value they were made of.
        self._leaves: dict[int, tuple[Any, Any]] = {}
        self._arguments: dict[int, Tracer] = {}
        # Inputs that are Parameters: a write to the Parameter is a write to them, and the reverse.
        self.given: dict[int, Parameter] = {}
        self.mapped: set[int] = set()  # inputs that are parts of Parameters, see `transforms.vmap`
        # Containers and objects that code of such a branch or loop changes in place.
        self.touched: dict[int, Change] = {}

    def _capture(self, what: Any, sig: Signature, name: str, role: str) -> Any:
        value = self.fn.add_argument(sig.dtype.native, sig.held, name, role, state.location())
        self.captures.append((what, value))
        self._captured[id(what)] = value
        return value

    def encloses(self, scope: Scope) -> bool:
        """Whether this scope is `scope` or around it."""
        s: Scope | None = scope
        while s is not None:
            if s is self:
                return True
            s = s.parent
        return False

    def value(self, tensor: Any) -> Any:
        """The native value of a tensor in this scope, captured from around it where needed."""
        if self.trace.lost and id(tensor) in self.trace.lost:
            raise lost_error(self.trace.lost[id(tensor)][1])
        if type(tensor) is Tracer:
            tensor._used = True
            if tensor._scope.given and id(tensor) in tensor._scope.given:
                found = self._given_value(tensor)
                if found is not None:
                    return found
            if tensor._scope is self:
                return tensor._value
            found = self.elements.get(id(tensor), self._captured.get(id(tensor)))
            if found is not None:
                return found
            if not tensor._scope.encloses(self):
                raise leaked(tensor)
            return self._capture(tensor, tensor._sig, f"c{len(self.captures)}", "input")
        if isinstance(tensor, Tensor):
            if tensor._is_parameter:
                return self.read(cast("Parameter", tensor))
            found = self.elements.get(id(tensor), self._captured.get(id(tensor)))
            if found is not None:
                return found
            if is_constant(self.trace, tensor) and not isinstance(tensor._buf, Overwritten):
                data = tensor._buf.view().tobytes()
                native, held = tensor.dtype.native, tensor._sig.held
                value = self.fn.constant(data, native, held, state.location())
                self._captured[id(tensor)] = value
                self.kept.append(tensor)
                return value
            return self._capture(tensor, tensor._sig, f"const{len(self.captures)}", "parameter")
        raise error(TypeError, f"expected a Tensor, but got {type(tensor).__name__}.")

    def read(self, parameter: Parameter) -> Any:
        """What a read of a Parameter gives: its current value.

        Where derivatives are asked for, a Parameter is a leaf: they are by the Parameter that the
        function took, and do not flow into what was assigned to it.
        """
        value = self.store.get(id(parameter))
        if value is None:
            return self.argument(parameter)
        function = self._function()
        if not function.differentiated or parameter.dtype.kind not in "fic":
            return value
        leaf = function._arguments.get(id(parameter))
        if leaf is None:
            leaf = function._arguments[id(parameter)] = Tracer(
                function.argument(parameter), function, parameter._sig
            )
        return self._with_leaf(parameter, leaf, value)

    def _given_value(self, tensor: Tracer) -> Any:
        """The value of an input that is a Parameter, if this scope has written the Parameter."""
        parameter = tensor._scope.given[id(tensor)]
        value = self.store.get(id(parameter))
        function = self._function()
        if value is None or not function.differentiated or parameter.dtype.kind not in "fic":
            return value
        owner = tensor._scope
        leaf = owner._arguments.setdefault(id(tensor), Tracer(tensor._value, owner, tensor._sig))
        return self._with_leaf(tensor, leaf, value)

    def _function(self) -> Scope:
        """The function that this scope is a branch or loop of, or is."""
        scope = self
        while scope.apart and scope.parent is not None:
            scope = scope.parent
        return scope

    def _with_leaf(self, what: Tensor, leaf: Tracer, value: Any) -> Any:
        """`value` with the derivatives of `leaf`, made once for each value of `what`."""
        known = self._leaves.get(id(what))
        if known is not None and known[0] is value:
            return known[1]
        with ScopeGuard(self):
            out = self.value(leaf_of(leaf, Tracer(value, self, leaf._sig)))
        self._leaves[id(what)] = (value, out)
        return out

    def parameter_of(self, tensor: Any) -> Any:
        """The Parameter that an input is, if it is one, else the input itself."""
        if type(tensor) is not Tracer:
            return tensor
        found = tensor._scope.given.get(id(tensor))
        if found is None and id(tensor) in self.trace.origins:
            raise NeedsIdentity
        return tensor if found is None else found

    def argument(self, parameter: Parameter) -> Any:
        """A Parameter as this function takes it, before any write."""
        found = self._captured.get(id(parameter))
        if found is None:
            found = self._capture(parameter, parameter._sig, parameter.name, "parameter")
        return found

    def current(self, parameter: Parameter) -> Any:
        """The value that a Parameter has."""
        found = self.store.get(id(parameter))
        return self.argument(parameter) if found is None else found

    def write(self, parameter: Parameter, value: Any) -> None:
        """Rebinds a Parameter to a native value; the entry stores it when it returns."""
        self.trace.writes.setdefault(id(parameter), []).append(...)
        self.current(parameter)  # it is an argument as well, so that it can be donated
        self.store[id(parameter)] = value
        self.written[id(parameter)] = parameter

    def made_here(self, tensor: Tensor) -> bool:
        """Whether a tensor was made of known elements in this scope and still has them."""
        made = self.trace.made.get(id(tensor))
        return made is not None and made[1] is self and id(tensor) not in self.elements

    def captured(self, tensor: Tensor) -> bool:
        """Whether code of this scope has a tensor from around it as an operand."""
        return id(tensor) in self._captured

    def copied(self, tensor: Tensor) -> Tracer:
        """A tensor of its own with the value another one has now."""
        value = self.value(tensor)
        self.shared.append(value)
        return Tracer(value, self, tensor._sig)

    def owner_of(self, tensor: Tensor) -> Scope | None:
        """The scope that made a tensor, if it can be assigned to here: this one, or one around it with
        nothing but branches and loops in between.
        """
        made = self.trace.made.get(id(tensor))
        owner = tensor._scope if isinstance(tensor, Tracer) else made[1] if made else None
        scope: Scope | None = self
        while scope is not owner and scope is not None:
            scope = scope.parent if scope.apart else None
        return scope

    def assign(self, tensor: Tensor, value: Any) -> None:
        """Gives a tensor other elements, which only the compiled code knows."""
        if self.owner_of(tensor) is not self:
            self.elements[id(tensor)] = value
            self.changed[id(tensor)] = tensor
        elif isinstance(tensor, Tracer):
            tensor._value = value
        else:
            if id(tensor) not in self.elements:
                before = Tensor._wrap(tensor._buf, tensor._sig)
                self.captures = [(before if w is tensor else w, v) for w, v in self.captures]
                tensor._buf = Overwritten()
            self.elements[id(tensor)] = value

    def number(self, value: Any, sig: Signature) -> Any:
        """A splat constant."""
        if sig.dtype.kind == "c":
            part = signature(mstype.real_of(sig.dtype), sig.shape)
            real, imag = (Tracer(self.number(v, part), self) for v in (value.real, value.imag))
            return pairs.joined(self, real, imag, sig.dtype)._value
        key = (value, sig)
        found = self._numbers.get(key)
        if found is None or value != value or value == 0:  # NaN and signed zeros have no usable key
            found = self.fn.constant(
                _bytes(value, sig), sig.dtype.native, sig.shape, state.location()
            )
            self._numbers[key] = found
        return found

    def emit(
        self,
        op: str,
        operands: list[Any],
        attrs: dict[str, Any] | None = None,
        result: Signature | None = None,
    ) -> Tracer:
        """Appends an op with one result."""
        if self._has_complex(operands) or (result is not None and result.dtype.kind == "c"):
            return complex_op(op, operands, attrs, result)
        native = None if result is None else (result.dtype.native, result.shape)
        return Tracer(self._create(op, operands, attrs, native), self)

    def emit_several(
        self, op: str, operands: list[Any], attrs: dict[str, Any] | None = None
    ) -> list[Tracer]:
        """Appends an op with several results."""
        if self._has_complex(operands):
            return [complex_op(op, operands, attrs, None)]
        return [Tracer(value, self) for value in self._create(op, operands, attrs, None)]

    @staticmethod
    def _has_complex(operands: list[Any]) -> bool:
        return any(isinstance(x, Tensor) and x._sig.dtype.kind == "c" for x in operands)

    def _create(
        self, op: str, operands: list[Any], attrs: dict[str, Any] | None, native: Any
    ) -> Any:
        values = [self.value(x) for x in operands]
        try:
            return self.fn.create(op, values, attrs or {}, state.location(), native)
        except ValueError as e:
            raise error(ValueError, str(e)) from None


def as_number(value: Any, *operands: Any) -> Any:
    """A value that Python makes of numbers, noted as one where a tensor stands for it.

    Args:
        operands: what it is computed from, where that says whether it is a number.
    """
    scope = state.current.scope
    if scope is None or type(value) is not Tracer:
        return value
    numbers = scope.trace.numbers
    if not operands or all(id(v) in numbers or type(v) in _NUMBERS for v in operands):
        numbers[id(value)] = value
    return value


_NUMBERS = (bool, int, float)


class NeedsIdentity(Exception):
    """A program must know which Parameters its arguments are, as it writes one of them."""


class Overwritten:
    """In place of the elements of a tensor that compiled code has assigned to."""

    def __getattr__(self, name: str) -> NoReturn:
        raise error(
            TypeError,
            "The elements of a tensor are read that compiled code has assigned to: they are known "
            "only while the compiled code runs.",
            "keep the computation in ops, or return the tensor from the compiled function",
        )


class ScopeGuard:
    """Makes a scope the current one for a `with` block."""

    def __init__(self, scope: Scope):
        self.scope = scope

    def __enter__(self) -> Scope:
        self.before = state.current.scope
        self.composite = state.current.composite
        state.put("scope", self.scope)
        state.current.composite = ""
        return self.scope

    def __exit__(self, *exc: Any) -> None:
        state.put("scope", self.before)
        state.current.composite = self.composite


def constant(array: Any, sig: Signature) -> Tensor:
    """A tensor from known elements: a graph constant while capturing, else a Tensor."""
    scope = state.current.scope
    if scope is None:
        return Tensor(array, sig.dtype)
    value = scope.fn.constant(_bytes(array, sig), sig.dtype.native, sig.held, state.location())
    out = Tracer(value, scope, sig)
    if says_how(out):
        out._known = Tensor(array, sig.dtype)
    return out


def _bytes(value: Any, sig: Signature) -> bytes:
    """Row-major bytes of an array, or of one element for a splat."""
    view: Any = Tensor(value, sig.dtype)._buf.view()
    out: bytes = view.tobytes()
    return out


def created(value: Any) -> Any:
    """Notes an object that is made while compiling."""
    scope = state.current.scope
    if scope is not None:
        scope.trace.created[id(value)] = value
    return value


def used(*values: Any) -> None:
    """Notes that objects are given to code that is not evaluated, such as a method ``__add__``, and may
    read all that they hold.
    """
    scope = state.current.scope
    if scope is None:
        return
    for v in values:
        kind = type(v)
        if kind in VALUES or isinstance(v, Tensor):
            continue
        if is_cell(v):
            scope.trace.cells[id(v)] = v
        elif not is_library(kind.__module__) and id(v) not in scope.trace.created:
            own = getattr(v, "__dict__", None)
            if type(own) is dict:
                scope.trace.guard_contents(own)
