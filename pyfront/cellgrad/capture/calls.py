"""What evaluated code does to the rest of the world: calls, attributes, elements, globals.

Calls into the user's own Python functions are evaluated in turn; everything else is called with
tracers.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import operator
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cellgrad.capture.changes import BLIND, CHANGING, changing, known
from cellgrad.capture.given import checked
from cellgrad.capture.ranges import TensorRange
from cellgrad.capture.source import without_source
from cellgrad.core import absent, state
from cellgrad.core.dynamic import dynamic
from cellgrad.core.effects import assign, print_tensors
from cellgrad.core.errors import error
from cellgrad.core.foreign import unknown_argument
from cellgrad.core.frame import Closure, Code, Frame, run_code
from cellgrad.core.guards import ABSENT, CONTAINERS, is_cell, is_library, value_of
from cellgrad.core.parameter import Parameter
from cellgrad.core.partial import read
from cellgrad.core.scope import VALUES, NeedsIdentity, as_number, created, used
from cellgrad.core.tensor import Tensor
from cellgrad.core.text import formatted, holds_text, join
from cellgrad.core.tracer import Tracer
from cellgrad.ops import indexing


def _not_yet(function: types.FunctionType) -> Code | None:
    raise RuntimeError("functions cannot be evaluated before cellgrad is fully imported")


# The compiled form of a user's function, or None for one that is called as it is. `statements`, which
# compiles them, sets it: what it makes comes back here for every call.
code_of: Callable[[types.FunctionType], Code | None] = _not_yet

if TYPE_CHECKING:
    from cellgrad.core.scope import Scope, Trace

# What a class has that gives the same value, or the same method, whenever it is looked up.
_PLAIN_LOOKUPS = (types.FunctionType, types.MemberDescriptorType, staticmethod, classmethod)
# Builtins that `reflection` replaces; those that call functions; those that look at no attribute.
_REPLACED = {getattr, hasattr, setattr, delattr, globals, locals, vars, dir, eval, exec, breakpoint}
_CALLERS = {
    *(map, filter, sorted, min, max, functools.reduce, itertools.accumulate, itertools.starmap),
    *(itertools.takewhile, itertools.dropwhile, itertools.filterfalse, itertools.groupby),
}
# What stands for them; `reflection` fills it.
replaced: dict[Any, Callable[..., Any]] = {}
_LOOKING = {isinstance, issubclass, callable, id, type, super, *_REPLACED}
# Builtins that take computed tensors; `builtin_forms` has them.
_OF_TENSORS = {isinstance, type, bool, int, float, max, min, any, all, str, repr}
# What is read of these by a simple index or key is guarded by itself, not with all the others.
_INDEXED = {list, dict}
_SIMPLE_INDICES = {bool, int, float, str}
_NATIVE_TYPES = (
    types.BuiltinFunctionType,
    types.MethodWrapperType,
    types.MethodDescriptorType,
    type,
)


def call(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls `f`, evaluating it where it is the user's code."""
    kind = type(f)
    if kind is types.FunctionType:
        return call_function(f, args, kwargs)
    if kind is types.MethodType:
        inner = f.__func__
        if type(inner) is types.FunctionType:
            return call_function(inner, (f.__self__, *args), kwargs)
        return call(inner, (f.__self__, *args), kwargs)
    if kind in _NATIVE_TYPES:
        return call_native(f, args, kwargs)
    if kind is functools.partial:
        if state.current.scope is not None:
            state.current.scope.trace.guard_contents((f.args, f.keywords))
        return call(f.func, f.args + args, {**f.keywords, **kwargs})
    if kind is Closure:
        return f(*args, **kwargs)
    method = getattr(kind, "__call__", None)  # noqa: B004
    if type(method) is types.FunctionType:
        return call_function(method, (f, *args), kwargs)
    if method is None:
        raise error(TypeError, f"'{kind.__name__}' object is not callable")
    used(*args, *kwargs.values())
    return created(f(*args, **kwargs)) if isinstance(f, type) else f(*args, **kwargs)


def call_as_around(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls `f` as the code around is run: evaluated under capture, else as ordinary Python."""
    return f(*args, **kwargs) if state.current.scope is None else call(f, args, kwargs)


def call_native(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls a builtin function or a class."""
    if f is builtins.print:
        return print_tensors(*args, **kwargs)
    if f is range and any(isinstance(a, Tensor) for a in args):
        return TensorRange(*args)
    if f in _REPLACED or (state.current.scope is not None and f in _OF_TENSORS):
        return replaced[f](*args, **kwargs)
    return call_plain(f, args, kwargs)


def call_plain(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls a builtin function or a class that is the same in compiled code."""
    if f in _CALLERS or getattr(f, "__name__", "") == "sort":
        args = tuple([_evaluated(a) for a in args])
        kwargs = {k: _evaluated(v) for k, v in kwargs.items()}
    owner = getattr(f, "__self__", None)
    if type(owner) is str and f.__name__ in _TEXT_METHODS:
        text = _TEXT_METHODS[f.__name__](owner, args, kwargs)
        if text is not None:
            return text
    if f is next:
        changing(args[0], next)
    elif isinstance(owner, CONTAINERS):
        if f.__name__ in CHANGING:
            changing(owner, f, *args, kwargs=kwargs)
    elif type(f) is types.MethodDescriptorType and args and isinstance(args[0], CONTAINERS):
        used(*args[1:], *kwargs.values())
        if f.__name__ in CHANGING:  # list.append(items, value)
            changing(args[0], f, *args, kwargs=kwargs)
    elif f not in _LOOKING:
        used(*args, *kwargs.values())
    if type(f) is not type:
        return f(*args, **kwargs)
    init: Any = getattr(f, "__init__", None)
    plain = type(init) is types.FunctionType and f.__new__ is object.__new__
    if not plain or is_library(f.__module__) or hasattr(f, "construct"):
        return created(f(*args, **kwargs))
    made = created(object.__new__(f))
    call_function(init, (made, *args), kwargs)
    return made


def _format(owner: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return formatted(owner, args, kwargs) if holds_text([*args, *kwargs.values()]) else None


def _join(owner: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return join(owner, list(args[0])) if len(args) == 1 and holds_text(args[0]) else None


_TEXT_METHODS = {"format": _format, "join": _join}


def _evaluated(f: Any) -> Any:
    """A function of the user's that is evaluated when a library calls it."""
    if type(f) in (types.FunctionType, types.MethodType, functools.partial):
        return lambda *args, **kwargs: call(f, args, kwargs)
    return f


def call_function(f: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Evaluates a Python function of the user's, calls any other."""
    code = code_of(f)
    if code is None:
        if state.current.scope is not None and f in replaced:
            return replaced[f](*args, **kwargs)
        if state.current.scope is not None and not is_library(f.__module__):
            state.current.scope.trace.guard_names(f)
        used(*args, *kwargs.values())
        try:
            return f(*args, **kwargs)
        except Exception as e:
            wanted = unknown_argument(e, f) if isinstance(e, TypeError) and _of_call(e) else e
            hint = without_source(f) if state.current.scope is not None else ""
            if hint and hint not in getattr(wanted, "__notes__", ()):
                wanted.add_note(hint)
            raise wanted from e.__cause__
    if state.current.scope is not None:
        state.current.scope.trace.guard_function(f)
    bound = code.parameters.bind(args, kwargs, f.__defaults__ or (), f.__kwdefaults__ or {})
    cells = f.__closure__
    closure = dict(zip(f.__code__.co_freevars, cells, strict=True)) if cells else {}
    return run_code(code, Frame(code, bound, f.__globals__, closure, None))


def _of_call(e: TypeError) -> bool:
    """Whether an error is that of the call itself, not of what was called."""
    return e.__traceback__ is not None and e.__traceback__.tb_next is None


def enter(child: Frame, level: Callable[[int], None], frame: Frame) -> None:
    """Runs a comprehension's loops with its own frame current."""
    current = state.current
    current.frame = child
    try:
        level(0)
    finally:
        current.frame = frame


def bare_super(frame: Frame) -> Any:
    """`super()` without arguments."""
    root = frame
    while root.parent is not None:
        root = root.parent
    cell = root.closure.get("__class__")
    first = root.code.parameters.positional[:1]
    if cell is None or not first:
        raise error(RuntimeError, "super(): no arguments")
    return super(cell.cell_contents, root.locals[first[0]])


def load_attribute(owner: Any, name: str) -> Any:
    """`owner.name`; a Cell that is read is remembered, as the compiled code depends on it."""
    scope = state.current.scope
    if is_cell(owner) and scope is not None:
        scope.trace.cells[id(owner)] = owner
    try:
        if type(owner) is Tracer and scope is not None and name in _OF_PARAMETERS:
            return _of_parameter(scope, owner, name)
        if scope is None or type(owner) is Tracer:
            return getattr(owner, name)
        if isinstance(owner, Tensor):
            value = getattr(owner, name)
            if name in owner.__dict__:  # the program's own
                scope.trace.guard(owner.__dict__, name, value)
            return value
        if type(owner) in _INDEXED:
            if name == "has_key" and type(owner) is dict:  # MindSpore's graph mode has it
                name = "__contains__"
            if name not in BLIND[type(owner)]:
                read_all(owner)
            return getattr(owner, name)
        if known(owner, name):
            return getattr(owner, name)
        raw, kind = _in_class(owner, name)
        getter = raw.fget if type(raw) is property and not isinstance(owner, type) else None
        if type(getter) is types.FunctionType and not is_library(kind.__module__):
            scope.trace.guard(kind, name, raw)
            return _attribute(owner, name, lambda: call_function(getter, (owner,), {}))
        value = _attribute(owner, name)
        if id(owner) not in scope.trace.created:
            _guard_attribute(scope.trace, owner, name, value, raw, kind)
        return value
    except AttributeError as e:
        # Lists and dictionaries have no attributes of their own: a guard's name is an index or key there.
        fixed = type(owner) is Tracer or type(owner) in _INDEXED
        if scope is not None and not (fixed or id(owner) in scope.trace.created):
            where = owner.__dict__ if isinstance(owner, Tensor) else owner
            scope.trace.guard(where, name, ABSENT)
        message, _, hint = str(e).partition("\n  hint: ")
        if isinstance(owner, types.ModuleType) and owner.__name__.startswith("cellgrad"):
            path = owner.__name__.removeprefix("cellgrad").removeprefix(".")
            hint = hint or absent.hint(path or "mindspore", name, dir(owner))
        raise error(AttributeError, message, hint) from None


_OF_PARAMETERS = {"name", "requires_grad", "layerwise_parallel"}


def _of_parameter(scope: Scope, tracer: Tracer, name: str) -> Any:
    """What a Parameter that is an argument says of itself."""
    parameter = scope.trace.origins.get(id(tracer))
    if parameter is None:
        return getattr(tracer, name)
    if not scope.trace.by_identity:
        raise NeedsIdentity
    value = getattr(parameter, name)
    scope.trace.guard(parameter, name, value)
    return value


def _attribute(owner: Any, name: str, read: Callable[[], Any] | None = None) -> Any:
    """``getattr(owner, name)``, with a `__getattr__` of the user's evaluated; `read` takes the place of
    the look-up before that.
    """
    kind = type(owner)
    fallback = getattr(kind, "__getattr__", None)
    if type(fallback) is not types.FunctionType or is_library(fallback.__module__):
        return getattr(owner, name) if read is None else read()
    try:
        if read is not None:
            return read()
        return kind.__getattribute__(owner, name)  # type: ignore[call-arg]
    except AttributeError:
        return call_function(fallback, (owner, name), {})


def _in_class(owner: Any, name: str) -> tuple[Any, Any]:
    """What the class of an object has under a name, and the class that has it."""
    for kind in owner.__mro__ if isinstance(owner, type) else type(owner).__mro__:
        raw = kind.__dict__.get(name, ABSENT)
        if raw is not ABSENT:
            return raw, kind
    return ABSENT, None


def _guard_attribute(trace: Trace, owner: Any, name: str, value: Any, raw: Any, kind: Any) -> None:
    """Guards an attribute that was read, if reading it again runs no code."""
    own = getattr(owner, "__dict__", None)
    own = own if type(own) is dict else None
    cell = is_cell(owner)
    if name == "__dict__" and type(value) is dict:
        trace.outer[id(value)] = value
    elif own is not None and name in own:
        if not cell or name in own.get("_assigned", ()):
            trace.guard(own, name, value)
        elif type(value) in _INDEXED:  # a Cell says itself when it gets another one
            trace.outer[id(value)] = value
        elif type(value) in CONTAINERS:
            trace.guard_contents(value)
    elif (raw is value or type(raw) in _PLAIN_LOOKUPS) and not is_library(kind.__module__):
        if isinstance(owner, type) or type(raw) is types.MemberDescriptorType:
            trace.guard(owner, name, value)
            return
        # The object itself is not kept alive.
        trace.guard(type(owner), name, getattr(type(owner), name))
        if own is not None and not cell:
            trace.guard(own, name, ABSENT)


def settled(value: Any) -> Any:
    """A variable that is read: not what a differentiated function was given and changed."""
    if isinstance(value, Tensor):
        return value
    scope = state.current.scope
    return value if scope is None else checked(scope.trace, value)


def read_all(value: Any) -> Any:
    """A value that was read and may be used in any way: guards all that such a container holds."""
    if type(value) in _INDEXED:
        scope = state.current.scope
        if scope is not None and id(value) in scope.trace.outer:
            scope.trace.guard_contents(value)
    return value


# How elements are read and assigned at computed indices; `choices` fills it.
at_tensor: list[Callable[..., Any]] = []


def load_element(container: Any, index: Any) -> Any:
    """`container[index]`."""
    kind = type(container)
    if type(index) is Tracer and kind is not Tracer:
        return at_tensor[0](container, index)
    if kind in _INDEXED and known(container, index):
        return container[index]
    if kind in _INDEXED:
        scope = state.current.scope
        if scope is not None and id(container) in scope.trace.outer:
            if type(index) not in _SIMPLE_INDICES:
                scope.trace.guard_contents(container)
                return container[index]
            value = value_of(container, index)
            scope.trace.guard(container, index, value)
            if value is not ABSENT:
                return value
    elif kind not in VALUES:
        used(container)
    return read(container[index], container, index)


def store_attribute(owner: Any, name: str, value: Any) -> None:
    """`owner.name = value`: of a Cell's attributes only Parameters can be written."""
    if state.current.scope is not None:
        if is_cell(owner):
            before = owner.__dict__.get("_params", {}).get(name)
            if before is value and before is not None:
                return
            if before is not None and isinstance(value, Parameter):
                raise error(
                    TypeError,
                    f"Attribute '{name}' of a {type(owner).__name__} is assigned Parameter "
                    f"'{value.name}' itself. In plain Python both names would then stand for one "
                    "Parameter, which compiled code cannot do.",
                    "assign its value, as .value() gives it; that works for two Parameters that swap "
                    "places, too",
                )
            if before is not None and isinstance(value, Tensor):
                assign(before, value)
                return
            _store_in_cell(owner, name, value)
            return
        if isinstance(owner, types.ModuleType):
            raise dynamic(
                error(
                    TypeError,
                    f"The global variable '{name}' of module '{owner.__name__}' is assigned in compiled "
                    "code, which would happen only once, while compiling.",
                    "return the value and assign it outside, or make it state: a Parameter of a Cell",
                )
            )
        if isinstance(owner, Tensor):
            raise dynamic(
                error(
                    TypeError,
                    f"Attribute '{name}' of a tensor cannot be assigned in compiled code.",
                )
            )
        changing(owner, setattr, owner, name, value, key=name, attribute=True)
    setattr(owner, name, value)


def _store_in_cell(cell: Any, name: str, value: Any) -> None:
    """Assigns an attribute of a Cell that is no Parameter: at each call, when it is done."""
    held = [cell.__dict__.get(kind, ()) for kind in ("_params", "_cells", "_buffers")]
    if isinstance(value, Parameter) or is_cell(value) or any(name in names for names in held):
        raise error(
            TypeError,
            f"Attribute '{name}' of a {type(cell).__name__} is assigned in compiled code, and is, or "
            f"was, a {type(value).__name__ if is_cell(value) else 'Parameter'}: what a Cell consists of "
            "cannot change there.",
            "assign it in __init__",
        )
    trace = state.current.scope.trace  # type: ignore[union-attr]
    assigned = cell.__dict__.setdefault("_assigned", set())
    if name not in assigned and id(cell) not in trace.created:
        # What read it before relied on being told of a change: from now on it compares.
        assigned.add(name)
        cell._changed()
        trace.guard(cell.__dict__, name, cell.__dict__.get(name, ABSENT))
    changing(cell, object.__setattr__, cell, name, value, key=name, attribute=True)
    object.__setattr__(cell, name, value)


def store_element(container: Any, index: Any, value: Any) -> None:
    """`container[index] = value`."""
    if type(index) is Tracer and type(container) is list:
        index, value = slice(None), at_tensor[1](container, index, value)
    if not isinstance(container, Tensor):
        _changing_element(container, index, value)
    container[index] = value


def _changing_element(container: Any, index: Any, value: Any) -> None:
    key = index if type(container) in _INDEXED and not isinstance(index, slice) else ABSENT
    changing(container, operator.setitem, container, index, value, key=key)


def delete_element(container: Any, index: Any) -> None:
    """`del container[index]`."""
    changing(container, operator.delitem, container, index)
    del container[index]


def augment_element(
    function: Callable[[Any, Any], Any], container: Any, index: Any, value: Any
) -> None:
    """`container[index] op= value`."""
    if isinstance(container, Tensor) and state.current.scope is not None:
        indexing.assign_elements(container, index, value, function)
    else:
        store_element(container, index, augmented(function, load_element(container, index), value))


def unbound(name: str) -> Exception:
    """The error for a local variable without a value."""
    return error(
        UnboundLocalError,
        f"cannot access local variable '{name}' where it is not associated with a value",
    )


def global_changed(frame: Frame, name: str, what: str) -> Exception:
    """The error for a change of a `global`, or of a `nonlocal` of a function that is not being
    evaluated.
    """
    kind = "nonlocal" if name in frame.closure else "global"
    return dynamic(
        error(
            TypeError,
            f"The {kind} variable '{name}' {what} in compiled code, which would happen only once, while "
            "compiling.",
            "return the value and assign it outside, or make it state: a Parameter of a Cell",
        )
    )


def augmented(function: Callable[[Any, Any], Any], before: Any, value: Any) -> Any:
    """`before op= value`; lists and others change in place, tensors never do."""
    if isinstance(before, Tensor) or not hasattr(
        type(before), f"__i{function.__name__.strip('_')}__"
    ):
        return as_number(function(before, value), before, value)
    in_place: Any = getattr(operator, f"i{function.__name__.strip('_')}")
    changing(before, in_place, before, value)
    return in_place(before, value)
