"""What evaluated code does to the rest of the world: calls, attributes, elements, globals.

Calls into the user's own Python functions are evaluated in turn; everything else is called with
tracers.
"""

from __future__ import annotations

import builtins
import functools
import types
from collections.abc import Callable
from typing import Any

from cellgrad._errors import error, nearest
from cellgrad.capture import state
from cellgrad.capture.frame import Closure, Frame, run_code
from cellgrad.common.parameter import Parameter
from cellgrad.common.tensor import Tensor

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
        if f is builtins.print:
            return print_tensors(*args, **kwargs)
        if f is range and any(isinstance(a, Tensor) for a in args):
            from cellgrad.capture.loops import TensorRange

            return TensorRange(*args)
        return created(f(*args, **kwargs)) if kind is type else f(*args, **kwargs)
    if kind is functools.partial:
        return call(f.func, f.args + args, {**f.keywords, **kwargs})
    if kind is Closure:
        return f(*args, **kwargs)
    method = getattr(kind, "__call__", None)  # noqa: B004
    if type(method) is types.FunctionType:
        return call_function(method, (f, *args), kwargs)
    if method is None:
        raise error(TypeError, f"'{kind.__name__}' object is not callable")
    return created(f(*args, **kwargs)) if isinstance(f, type) else f(*args, **kwargs)


def created(value: Any) -> Any:
    """Notes an object that is made while compiling."""
    scope = state.current.scope
    if scope is not None:
        scope.trace.created[id(value)] = value
    return value


def call_function(f: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Evaluates a Python function of the user's, calls any other."""
    from cellgrad.capture.statements import code_of

    code = code_of(f)
    if code is None:
        return f(*args, **kwargs)
    bound = code.parameters.bind(args, kwargs, f.__defaults__ or (), f.__kwdefaults__ or {})
    cells = f.__closure__
    closure = dict(zip(f.__code__.co_freevars, cells, strict=True)) if cells else {}
    return run_code(code, Frame(code, bound, f.__globals__, closure, None))


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
    from cellgrad.nn.cell import Cell

    scope = state.current.scope
    if isinstance(owner, Cell) and scope is not None:
        scope.trace.cells[id(owner)] = owner
    try:
        value = getattr(owner, name)
        if scope is not None and id(owner) not in scope.trace.created:
            own = getattr(owner, "__dict__", None)
            if type(own) is not dict or name not in own:
                if is_constant(owner, name, value):
                    scope.trace.guard(owner, name, value)
            elif not isinstance(owner, Cell):  # which says itself when that changes
                scope.trace.guard(own, name, value)
        return value
    except AttributeError as e:
        message, _, hint = str(e).partition("\n  hint: ")
        if isinstance(owner, types.ModuleType) and owner.__name__.startswith("cellgrad"):
            hint = nearest(name, dir(owner))
        raise error(AttributeError, message, hint) from None


def is_constant(owner: Any, name: str, value: Any) -> bool:
    """Whether an attribute is a value that a class, or a slot, holds: reading it runs no code."""
    kinds = owner.__mro__ if isinstance(owner, type) else type(owner).__mro__
    for kind in kinds:
        raw = kind.__dict__.get(name)
        if raw is not None:
            slot = isinstance(raw, types.MemberDescriptorType)
            return slot if raw is not value else not callable(value)
    return False


def store_attribute(owner: Any, name: str, value: Any) -> None:
    """`owner.name = value`: of a Cell's attributes only Parameters can be written."""
    from cellgrad.nn.cell import Cell

    if state.current.scope is not None:
        if isinstance(owner, Cell):
            before = owner.__dict__.get("_params", {}).get(name)
            if before is not None and isinstance(value, Tensor):
                assign(before, value)
                return
            raise error(
                TypeError,
                f"Attribute '{name}' of a {type(owner).__name__} is assigned in compiled code, "
                f"which would happen only once, "
                "while compiling.",
                f"make it state: self.{name} = Parameter(Tensor(...), name='{name}') in __init__; "
                f"assigning it is then part "
                "of the compiled code",
            )
        if isinstance(owner, types.ModuleType):
            raise error(
                TypeError,
                f"The global variable '{name}' of module '{owner.__name__}' is assigned in compiled "
                "code, which would happen only once, while compiling.",
                "return the value and assign it outside, or make it state: a Parameter of a Cell",
            )
        if isinstance(owner, Tensor):
            raise error(
                TypeError, f"Attribute '{name}' of a tensor cannot be assigned in compiled code."
            )
    setattr(owner, name, value)


def store_element(container: Any, index: Any, value: Any) -> None:
    """`container[index] = value`."""
    container[index] = value


def augment_element(
    function: Callable[[Any, Any], Any], container: Any, index: Any, value: Any
) -> None:
    """`container[index] op= value`."""
    if isinstance(container, Tensor) and state.current.scope is not None:
        from cellgrad.ops import indexing

        indexing.assign_elements(container, index, value, function)
    else:
        container[index] = augmented(function, container[index], value)


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
    return error(
        TypeError,
        f"The {kind} variable '{name}' {what} in compiled code, which would happen only once, while "
        "compiling.",
        "return the value and assign it outside, or make it state: a Parameter of a Cell",
    )


def augmented(function: Callable[[Any, Any], Any], before: Any, value: Any) -> Any:
    """`before op= value`; lists and others change in place, tensors never do."""
    if isinstance(before, Tensor) or not hasattr(
        type(before), f"__i{function.__name__.strip('_')}__"
    ):
        return function(before, value)
    import operator

    in_place: Any = getattr(operator, f"i{function.__name__.strip('_')}")
    return in_place(before, value)


def assign(parameter: Parameter, value: Any) -> Any:
    """Writes a Parameter: the value is converted to its dtype and must have its shape."""
    from cellgrad.ops import _core

    scope = state.current.scope
    assert scope is not None
    tensor = _core.as_tensor(value, "assign", parameter.dtype)
    if tensor.shape != parameter.shape:
        raise error(
            ValueError,
            f"Parameter '{parameter.name}' has shape {list(parameter.shape)}, but a value of "
            f"shape {list(tensor.shape)} "
            "is assigned to it in compiled code.",
        )
    scope.write(parameter, scope.value(_core.cast_to(tensor, parameter.dtype)))
    return tensor


def print_tensors(
    *args: Any, sep: str | None = " ", end: str | None = "\n", file: Any = None, flush: bool = False
) -> None:
    """`print` in compiled code: prints when the code runs, in order; takes tensors."""
    scope = state.current.scope
    if scope is None or file is not None:
        builtins.print(*args, sep=sep, end=end, file=file, flush=flush)
        return
    operands: list[Any] = []

    def text(value: Any) -> str:
        if isinstance(value, Tensor):
            operands.append(value)
            return "{}"
        if isinstance(value, tuple | list):
            inner = ", ".join(element(v) for v in value)
            if isinstance(value, tuple):
                return f"({inner},)" if len(value) == 1 else f"({inner})"
            return f"[{inner}]"
        return _literal(str(value))

    def element(value: Any) -> str:
        if isinstance(value, Tensor):
            operands.append(value)
            return f"Tensor(shape={list(value.shape)}, dtype={value.dtype.title}, value= {{}})"
        return text(value) if isinstance(value, tuple | list) else _literal(repr(value))

    line = (" " if sep is None else sep).join(text(a) for a in args)
    if end not in (None, "\n"):
        line += str(end)
    scope.trace.prints += 1
    scope.fn.create(
        "cell.print", [scope.value(x) for x in operands], {"format": line}, state.location()
    )


def _literal(text: str) -> str:
    """Text whose `{}` are not operands: a zero-width space keeps the braces apart."""
    return text.replace("{}", "{\u200b}")
