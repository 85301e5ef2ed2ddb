"""Compiling and calling: a program is captured and compiled once per signature, then called with
buffers.

The signature is the dtype and shape of every tensor input and the value of every static one.
Parameters and tensors captured from around the function are inputs of the compiled code, read at
each call.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
import types
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cellgrad import _native
from cellgrad.capture import given as _given
from cellgrad.capture.changes import repeated, repeating, take_back
from cellgrad.capture.raises import ends, raise_unless
from cellgrad.compile import cache as _cache
from cellgrad.compile import instrument as _instrument
from cellgrad.compile import probes as _probes
from cellgrad.compile import recompile as _recompile
from cellgrad.compile import resident as _resident
from cellgrad.compile.compiled import Compiled
from cellgrad.compile.failures import (
    compile_error,
    endless,
    naming_nans,
    naming_places,
    reproducers,
    without_own_frames,
)
from cellgrad.compile.fallback import call as _or_plain
from cellgrad.compile.fallback import refusing
from cellgrad.compile.lowered import in_precision
from cellgrad.compile.printing import print_hook
from cellgrad.compile.results import builder
from cellgrad.compile.scratch import fresh_path
from cellgrad.compile.tables import PerObject
from cellgrad.core import dtype as mstype
from cellgrad.core import hooks as _hooks
from cellgrad.core import log as _log
from cellgrad.core import state as _state
from cellgrad.core.context import current as _current
from cellgrad.core.context import prefix as _prefix
from cellgrad.core.dtype import Type
from cellgrad.core.errors import NotCompilable
from cellgrad.core.exact import Identity
from cellgrad.core.guards import ABSENT, unchanged
from cellgrad.core.inputs import argument_of, collect, inputs_of, substitute, with_constants
from cellgrad.core.lost_digits import tell
from cellgrad.core.open_shape import without_elements
from cellgrad.core.parameter import Parameter
from cellgrad.core.progress import waiting as _waiting
from cellgrad.core.record import splat
from cellgrad.core.scope import NeedsIdentity, Scope, ScopeGuard, Trace
from cellgrad.core.storage import Signature
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import NeedsElements
from cellgrad.core.tree import tensors as tensors_of

__all__ = ["Program", "call_cell"]

_RECURSION = 10000  # Python frames while capturing; evaluating one call takes about ten
compiling = threading.RLock()
_first_changed = _native.first_changed
_call_known = _native.call_known


class Program:
    """Something to compile: `run` is called with tracers while a scope is current."""

    asks = False  # whether it is called again with elements that are needed while compiling
    fixes = True  # whether it is compiled for integers of its inputs that shapes depend on
    stand_in = 0  # the first dimension of tensors of any size: see `any_batch`

    __slots__ = (
        *(
            "__weakref__",
            "by_identity",
            "cache",
            "constants",
            "divisible",
            "dynamic",
            "known",
            "name",
            "precision",
        ),
        *("recomputed", "run", "shared", "stale", "variants"),
    )

    def __init__(
        self,
        run: Callable[..., Any],
        name: str,
        shared: tuple[dict[Any, Any], Any] | None = None,
        divisible: bool = False,
    ):
        self.run = run
        self.name = name
        self.shared = shared  # the table it is found in, and its key there
        # Whether it can run as ordinary Python where it cannot be compiled: see `fallback`.
        self.divisible = divisible
        self.cache: dict[Any, Compiled] = {}
        # Cells, by identity, that the adjoint computes again beside those that say so.
        self.recomputed: frozenset[int] = frozenset()
        self.precision: Type | None = (
            None  # what `core.precision` says that its operations compute in
        )
        # Whether it matters which Parameters the arguments are: it writes one of them.
        self.by_identity = False
        # Arguments whose tensors of integers it is compiled for, by place or name.
        self.constants: set[Any] = set()
        # Whether it runs as ordinary Python, because its code cannot be compiled.
        self.dynamic = False
        # Whether a Cell it read was changed; "mode" where only training flags were.
        self.stale: bool | str = False
        self.variants: dict[Any, list[Compiled]] = {}  # all that is compiled, for any flags
        # Calls with tensors alone, for `native/KnownCalls.cpp`. Another list whenever anything else changes
        # than is looked at there: who began to look before then adds to a list that nobody reads.
        self.known: list[Any] = []

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        known, tape = self.known, _state.current.tape
        if _state.current.precision is not self.precision and not self.asks:
            return in_precision(self, _state.current.precision)(args, kwargs)
        if known and not kwargs and tape is None:
            out = _call_known(known, args)
            if out is not ABSENT:
                return out
        given = args, kwargs  # whose containers the code may change
        if self.constants:
            args, kwargs = with_constants(args, kwargs, self.constants)
        key = _prefix.copy()
        buffers: list[Any] = []
        for a in args:
            kind = type(a)
            if kind is Tensor or kind is Parameter:
                key.append(a._sig)
                buffers.append(a._buf)
            else:
                tensors: list[Tensor] = []
                collect(a, key, tensors)
                buffers.extend([t._buf for t in tensors])
        if kwargs:
            tensors = []
            for name, value in kwargs.items():  # their order is that of a function's **kwargs
                key.append(name)
                collect(value, key, tensors)
            buffers.extend([t._buf for t in tensors])
        if self.by_identity:
            key += [Identity(t) for t in tensors_of((args, kwargs)) if type(t) is Parameter]
        if _hooks.registered:
            key.extend(_hooks.key(inputs_of(args, kwargs)))
        signature = tuple(key)
        compiled = self.cache.get(signature)
        if (
            compiled is None
            or self.stale
            or (compiled.guards and _first_changed(compiled.guards) >= 0 and not compiled.holds())
            or (compiled.elements and compiled.changed_elements())
        ):
            try:
                compiled = self._compile(signature, args, kwargs)
            except NeedsIdentity:
                self.by_identity = True
                return self(*given)
            except NeedsElements as e:
                self._fix(e, args, kwargs)
                return self(*given)
        compiled.used = True
        if compiled.widened:
            tell(compiled.widened, inputs_of(args, kwargs))
        for t, sig in compiled.captures:
            if t._sig is not sig:
                try:
                    compiled = self._compile(signature, args, kwargs)
                except NeedsElements as e:
                    self._fix(e, args, kwargs)
                    return self(*given)
                break
        for p in compiled.written:
            if any(b is p._buf for b in buffers):
                if not self.by_identity:
                    self.by_identity = True
                    return self(*given)
                # The code takes the Parameter itself, and this input for what it was before.
                buffers = [b.copy() if b is p._buf else b for b in buffers]
        if compiled.captures:
            buffers.extend([t._buf for t, _ in compiled.captures])
        if tape is not None:
            return tape.run(self, compiled, args, kwargs, buffers)
        if type(compiled) is Compiled and not (kwargs or self.by_identity):
            compiled.add_to(known, signature, args)
        return compiled.run(buffers, *given)

    def _fix(self, needs: NeedsElements, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Notes that the call is to be made again, with the tensors of one of the arguments as constants."""
        self.constants.add(argument_of(needs.place, args, kwargs))

    def prepare(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Compiles for arguments like these, unless that is done, and does not run."""
        if self.constants:
            args, kwargs = with_constants(args, kwargs, self.constants)
        key: list[Any] = _prefix.copy()
        tensors: list[Tensor] = []
        for a in args:
            collect(a, key, tensors)
        for name, value in kwargs.items():
            key.append(name)
            collect(value, key, tensors)
        if self.by_identity:
            key += [Identity(t) for t in tensors if type(t) is Parameter]
        if _hooks.registered:
            key.extend(_hooks.key(tensors))
        compiled = self.cache.get(tuple(key))
        if compiled is None or self.stale or not compiled.fits():
            try:
                self._compile(tuple(key), args, kwargs)
            except NeedsIdentity:
                self.by_identity = True
                self.prepare(args, kwargs)
            except NeedsElements as e:
                self._fix(e, args, kwargs)
                self.prepare(args, kwargs)

    def _compile(self, signature: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Compiled:
        with compiling:
            self.known = []
            before, stale = self.cache, self.stale
            if self.stale:
                if self.stale != "mode":
                    self.variants.clear()
                fits = [(k, c) for k, listed in self.variants.items() for c in listed]
                self.cache = {k: c for k, c in fits if c.modes_hold()}
                self.stale = False
            found = self.cache.get(signature)
            if found is not None and found.fits():
                return found
            _recompile.note(self.name, signature, before, stale, stale == "mode")
            compiled = self._capture_and_compile(args, kwargs)
            self.cache[signature] = compiled
            others = [c for c in self.variants.get(signature, ()) if not c.modes_hold()]
            self.variants[signature] = [*others, compiled]
            _resident.add(self, signature, compiled)
            return compiled

    def outdate(self, mode: bool) -> None:
        """Has the next call look whether to compile again, as a Cell that was read has changed; `mode`: only its
        training flag.
        """
        if not mode:
            self.stale = True
        elif not self.stale:
            self.stale = "mode"
        self.known = []

    def drop(self, signature: Any, compiled: Compiled) -> None:
        """Forgets what was compiled for a signature."""
        self.known = []
        others = [c for c in self.variants.pop(signature, ()) if c is not compiled]
        if others:
            self.variants[signature] = others
        if self.cache.get(signature) is compiled:
            del self.cache[signature]
        if not self.variants and self.shared is not None:
            table, key = self.shared
            if table.get(key) is self:
                del table[key]

    def clear(self) -> None:
        """Forgets everything that was compiled."""
        self.known = []
        self.cache.clear()
        self.variants.clear()

    def captured(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Trace, Captured | Exception]:
        """The graph of a call, or where the program is divisible why there is none. Raises
        NeedsIdentity where `by_identity` must be set first.
        """
        trace = Trace(self.name)
        trace.asks = self.asks
        trace.fixes = self.fixes
        trace.stand_in = self.stand_in
        trace.by_identity = self.by_identity
        trace.recomputed = self.recomputed
        found: Captured | Exception
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _RECURSION))
        began = time.process_time()
        before = _state.saved()
        _state.put("precision", None)
        try:
            found = capture(trace, self.name, self.run, args, kwargs)
        except RecursionError as e:
            found = without_own_frames(endless(e, self.name))
            if not self.divisible:
                raise found from None
        except NeedsIdentity:
            raise
        except Exception as e:
            found = without_own_frames(e)
            if not (self.divisible and isinstance(e, NotCompilable)):
                raise found from e.__cause__
        finally:
            # A handler of a signal may raise where a block of a scope ends, which then does not put back what was
            # there before it.
            _state.current.__dict__.update(before)
            trace.closed = True
            sys.setrecursionlimit(limit)
        if _log.wanted("compile"):
            ms = 1e3 * (time.process_time() - began)
            _log.write("compile", f"'{self.name}' is captured, {ms:.3f} ms")
        return trace, found

    def _finish(self, trace: Trace, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The machine code of what was captured."""
        return compile_entry(trace, self.name, self.asks)

    def _capture_and_compile(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Compiled:
        with _probes.compiling(self.name):
            trace, found = self.captured(args, kwargs)
            for cell in trace.cells.values():
                cell._dependents.add(self)
            if isinstance(found, Exception):
                captured = Captured([], lambda buffers: None, [])
                entry: Any = refusing(found)
            else:
                captured = found
                entry = self._finish(trace, args, kwargs)
        guards = [g for g in trace.guards.values() if unchanged(g)]
        compiled = Compiled(
            entry,
            captured.captures,
            captured.build,
            captured.written,
            guards,
            list(trace.elements.values()),
        )
        compiled.given = trace.returned
        compiled.changes = bool(trace.returned and trace.actions)
        compiled.widened = tuple(trace.widened)
        compiled.modes = [(weakref.ref(c), c.training) for c in trace.cells.values()]
        return compiled


@dataclass
class Captured:
    """An entry function: what it takes beside its inputs, and how it gives Python values."""

    captures: list[tuple[Tensor, Signature]]
    build: Callable[[list[Any]], Any]
    written: list[Parameter]


def capture(
    trace: Trace,
    name: str,
    run: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    input_names: list[str] | None = None,
    result_names: Callable[[Any], list[str] | None] | None = None,
    skipped: str | None = None,
) -> Captured:
    """Captures a call as the public function `name` of a trace's graph. The result named `skipped`,
    if it is a bool without dimensions, tells the caller that the update was left out.

    The body is a private function, because what it captures is known only at its end; the public
    one around it has all arguments, with donation for the Parameters that are written.
    """
    tensors = inputs_of(args, kwargs)
    for t in tensors:
        if any(n < 0 for n in t._sig.shape):
            raise without_elements(t._sig.shape)
    unknown = _native.Loc("<call>", 0, 0, "")
    body = Scope(trace, name + "_body", [t._sig for t in tensors], None, unknown)
    body.name = name
    body.roots = list(range(len(tensors)))
    trace.plain = [t._sig if type(t) is Tensor else None for t in tensors]
    pairs = zip(body.inputs, () if trace.bake else tensors)  # a model's inputs are only that
    own = {id(v): t for v, t in pairs if type(t) is Parameter}
    trace.origins.update(own)
    if trace.by_identity:
        body.given = own
    _hooks.carry(tensors, body.inputs)
    tracers = iter(body.inputs)
    with ScopeGuard(body):
        new_args = tuple([substitute(a, tracers) for a in args])
        named = {k: substitute(v, tracers) for k, v in kwargs.items()}
        if not trace.bake:
            copies = (*new_args, *named.values())
            _given.note(trace, (*args, *kwargs.values()), copies, (*range(len(args)), *named))
            _given.note_constants(trace, (*args, *kwargs.values()), copies)
        try:
            try:
                out = run(*new_args, **named)
            except Exception as e:
                if not ends(e, body):
                    raise
                raise_unless(splat(False, mstype.bool_, ()), e)
                out = None
            leaves: list[Any] = []
            build = builder(out, body, leaves)
            if trace.actions and not trace.bake:  # an exported model has results only
                build = repeating(build, repeated(trace, body, lambda v: builder(v, body, leaves)))
        finally:
            take_back(trace)
        names = [f"out{i}" for i in range(len(leaves))]
        labels = None if result_names is None else result_names(out)
        if labels is not None:
            values = [body.value(t) for t in tensors_of(out)]
            names = [labels[values.index(leaf)] for leaf in leaves]
    written = list(body.written.values())
    written_at = {id(p): i for i, p in enumerate(written)}
    if own and not trace.by_identity and any(id(p) in written_at for p in own.values()):
        raise NeedsIdentity
    body.fn.ret(leaves + [body.store[id(p)] for p in written])

    arguments: list[Any] = []
    for i, t in enumerate(tensors):
        label = input_names[i] if input_names else f"x{i}"
        arguments.append((t.dtype.native, t._sig.held, label, "input", None, unknown))
    for what, _ in body.captures:
        is_parameter = isinstance(what, Parameter)
        donate = None
        if id(what) in written_at:
            donate = len(leaves) + written_at[id(what)]
        label = what.name if is_parameter else f"const{len(arguments)}"
        role = "state" if donate is not None else "parameter"
        arguments.append((what.dtype.native, what._sig.held, label, role, donate, unknown))
    entry = trace.graph.function(trace.unique(name), args=arguments, public=True)
    results = entry.call(body.fn.name, entry.args)
    told = names.index(skipped) if skipped in names else None
    if told is not None and (results[told].dtype, results[told].shape) != ("bool", ()):
        told = None
    entry.ret(results, names + [p.name for p in written], skipped=told)
    return Captured([(what, what._sig) for what, _ in body.captures], build, written)


# --- to machine code --------------------------------------------------------------------------


_native.set_print_hook(print_hook)


def compile_entry(trace: Trace, name: str, eager: bool = False) -> Any:
    """Compiles a graph with one public function to a shared object and loads it.

    The text of the IR, by which stored code is found, has locations only where code that fails
    names them: other code is the same wherever it was written. An `eager` program is that of one
    operation, wherever it is called.
    """
    path = fresh_path()
    place = _current[0]
    options: dict[str, Any] = {**_instrument.options(), **place.options()}

    def build(**more: str) -> None:
        more = {**options, **more, "reproducers": reproducers()}
        with _waiting(f"compiling '{name}'"):
            timings = _native.compile_graph(
                trace.graph,
                path,
                "m",
                {
                    **more,
                    "threads": _native.num_threads(),
                    "verify_each": _instrument.VERIFY_EACH,
                },
            )
        if _log.wanted("compile"):
            _log.write("compile", f"'{name}'\n{timings}")

    try:
        if _log.wanted("plan"):  # which stored code does not have
            plan = path + ".plan"
            build(plan=plan)
            _log.write("plan", f"'{name}'\n{Path(plan).read_text()}")
            os.unlink(plan)
        else:
            text = trace.graph.text()
            _cache.shared_object(
                trace.graph.text(locations=True) if options or "cell.check" in text else text,
                " ".join(["m", *options, place.chip]),
                path,
                build,
            )
        model = _native.Model(path, place.device_id)
    except _native.CompileError as e:
        raise compile_error(f"'{name}'", e) from None
    finally:
        if os.path.exists(path):
            os.unlink(path)
    described = model.signature["entries"][0]
    entry: Any = model.entry(described["name"])
    if "profile" in options:
        entry = _probes.timed(entry, name, described.get("kernels", []))
    if trace.checks:
        entry = naming_places(entry, trace.checks)
    return naming_nans(entry, eager) if "check_nans" in options else entry


# --- entry points -----------------------------------------------------------------------------

_to_clear: list[Callable[[], None]] = []


def at_exit(clear: Callable[[], None]) -> None:
    """Has something that holds programs let go of them before the interpreter ends."""
    _to_clear.append(clear)


@atexit.register
def _release() -> None:
    """Lets go of compiled code before the interpreter ends, so that the native module frees it."""
    _native.set_print_hook(None)
    for clear in _to_clear:
        clear()


def cell_runner(cell: Any) -> Callable[..., Any]:
    """What a Cell computes, for a program that does not keep the Cell alive."""
    ref = weakref.ref(cell)

    def run(*a: Any, **k: Any) -> Any:
        return ref()._inlined(a, k)  # type: ignore[union-attr]

    return run


def cell_program(cell: Any) -> Program:
    """The compiled code of a Cell."""
    program: Program | None = cell.__dict__.get("_jit_program")
    if program is None:
        program = Program(cell_runner(cell), type(cell).__name__, divisible=True)
        object.__setattr__(cell, "_jit_program", program)
    return program


def call_cell(cell: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls a Cell through compiled code."""
    return _or_plain(cell_program(cell), cell._plain, cell.__dict__.get("_lax"), args, kwargs)


_programs = PerObject()
at_exit(_programs.clear)


def program_for(
    function: Any, flavor: Any, make: Callable[[Callable[[], Any]], Callable[..., Any]], name: str
) -> Program:
    """The program that does `flavor` to a function, shared by all who ask while the function lives.

    `make` gets a way to reach the function (weak, so that programs do not keep it alive) and gives
    what to run.
    """
    owner, tag = function, None
    if _state.current.tape is not None:
        _state.current.tape.keep(function)
    if isinstance(function, types.MethodType):
        owner, tag = function.__self__, function.__func__
    try:
        table = _programs.of(owner)
        ref: Any = weakref.ref(owner)
    except TypeError:
        return Program(make(lambda: function), name)

    def reach() -> Any:
        alive = ref()
        return alive if tag is None else types.MethodType(tag, alive)

    found = table.get((tag, flavor))
    if found is None:
        key = (tag, flavor)
        found = table[key] = Program(make(reach), name, (table, key))
    return found


def function_name(function: Any) -> str:
    """A name for messages and symbols."""
    name = getattr(function, "__name__", None) or type(function).__name__
    return "lambda" if name == "<lambda>" else str(name)
