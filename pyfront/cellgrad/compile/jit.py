"""`jit`: functions that run compiled."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from cellgrad import _native
from cellgrad.capture import calls
from cellgrad.compile import fallback
from cellgrad.compile.any_batch import BatchProgram
from cellgrad.compile.program import Program, function_name
from cellgrad.core import context, state
from cellgrad.core.aliases import Function
from cellgrad.core.arguments import check_bool, check_callable, check_one_of
from cellgrad.core.guards import ABSENT
from cellgrad.core.tree import with_tensors

if TYPE_CHECKING:
    from cellgrad.core.aliases import Constructs

__all__ = ["jit"]

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound="Constructs[..., Any]")
F = TypeVar("F", bound="Function[..., Any]")
call_known = _native.call_known
# Options with a few values.
_CHOICES = {
    "capture_mode": ("ast", "bytecode", "trace"),
    "jit_level": ("O0", "O1"),
    "dynamic": (0, 1),
    "exec_order": ("bfs", "dfs"),
    "infer_boost": ("on", "off"),
    "auto_offload": ("weight", "activation", "all"),
}


def _check_options(options: dict[str, Any]) -> None:
    """Checks the values of MindSpore's options; others are taken, as there."""
    for name, value in options.items():
        if name in _CHOICES:
            check_one_of(value, "jit", name, _CHOICES[name])
        elif name in ("fullgraph", "disable_format_transform", "dynamic_batch"):
            check_bool(value, "jit", name)


class _Jit:
    """A function that runs compiled; see `jit`."""

    def __init__(
        self, function: Callable[..., Any], lax: bool | None = None, dynamic_batch: bool = False
    ):
        functools.update_wrapper(self, function, updated=())
        self.function = function
        self.lax = lax
        self.dynamic_batch = dynamic_batch
        self.program = (BatchProgram if dynamic_batch else Program)(
            lambda *a, **k: calls.call(function, a, k), function_name(function), divisible=True
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        known = self.program.known
        usual = state.current.usual
        if usual and known and not (kwargs or context.eager_flag[0]):
            # As `Program` begins, without two calls of Python, which take as long as the compiled code.
            out = call_known(known, args)
            if out is not ABSENT:
                return out
        if state.current.scope is not None:
            return calls.call(self.function, args, kwargs)
        if context.eager():
            return self.function(*with_tensors(args), **with_tensors(kwargs))
        return fallback.call(self.program, self.function, self.lax, args, kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<jit {self.function!r}>"

    def __reduce__(self) -> Any:
        # A decorated function is found by its name, which no longer leads to what it decorates.
        name = getattr(self, "__qualname__", "")
        found: Any = sys.modules.get(getattr(self, "__module__", ""))
        for part in name.split("."):
            found = getattr(found, part, None)
        return (
            name
            if found is self
            else (
                _Jit,
                (self.function, self.lax, self.dynamic_batch),
            )
        )


def is_jit(value: object) -> bool:
    """Whether a value is what `jit` gives."""
    return isinstance(value, _Jit)


@overload
def jit(function: C, **options: object) -> C: ...
@overload  # not F to F: a lambda, whose parameters tell no type, would stay untyped
def jit(function: Callable[P, R], **options: object) -> Callable[P, R]: ...
@overload
def jit(function: None = None, **options: object) -> Callable[[F], F]: ...
def jit(function: Any = None, **options: Any) -> Any:
    """Compiles a function: captured and compiled once per signature of its inputs.

    Tensors are inputs; numbers, strings and other Python values are part of the signature.
    Parameters and tensors from around the function are read at each call. May be used as a
    decorator, with or without options.

    Args:
        function: the function, method or Cell, or a class of Cells, whose `construct` is compiled.
        options: MindSpore's. ``fullgraph=True``: a function that cannot be compiled as a whole is an error;
            ``fullgraph=False``, and ``capture_mode="bytecode"`` without it: it runs operation by operation,
            and a warning says why, once. Without these the context's ``jit_syntax_level`` says which
            (an error, unless it is `LAX`). ``dynamic_batch=True``, which MindSpore does not have: each Tensor
            of the inputs that has dimensions has the batch as its first, and one program is compiled for all
            batch sizes; the size of the first call has code of its own. `jit_level`, `dynamic`, `backend` and
            others are kept for scripts and have no effect.

    Raises:
        TypeError: `function` is not callable, or `fullgraph` is not a bool.
        ValueError: a value of an option that MindSpore does not have.
        CompileError: when it is called, for what cannot be compiled; with `dynamic_batch` also for what
            cannot be compiled for any batch size.

    >>> @ms.jit
    ... def f(x):
    ...     return x * x
    >>> @ms.jit(fullgraph=True, jit_level="O1")
    ... def g(x):
    ...     return f(x) + 1
    >>> print(g(Tensor(3.0)))
    10.0
    """
    _check_options(options)
    if function is None:
        return lambda given: jit(given, **options)
    check_callable(function, "jit", "function", "a function")
    whole = options.get("fullgraph")
    if whole is None and options.get("capture_mode") == "bytecode":
        whole = False
    lax = None if whole is None else not whole
    if isinstance(function, type) and hasattr(function, "construct"):
        # Cells of the class are made and used as before.
        compiled: Any = _Jit(function.construct, lax, options.get("dynamic_batch", False))
        function.construct = compiled
        return function
    return _Jit(function, lax, options.get("dynamic_batch", False))
