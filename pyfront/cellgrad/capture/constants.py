"""Decorators of MindSpore's that say how its compiler takes a function, and `mutable`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from cellgrad.capture import calls
from cellgrad.core import state
from cellgrad.core.arguments import check_callable
from cellgrad.core.context import stands_for_mindspore
from cellgrad.core.errors import error
from cellgrad.core.mutable import marked, mutable_container
from cellgrad.core.tensor import ConstantTensor, Tensor
from cellgrad.core.tracer import Tracer
from cellgrad.core.tree import tensors

__all__ = ["constexpr", "lazy_inline", "mutable", "no_inline"]

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


class _Constant:
    """A function whose results are constants of compiled code; see `constexpr`."""

    def __init__(self, function: Callable[..., Any], name: str, tensors_too: bool):
        self.function = function
        self.name = name
        self.tensors_too = tensors_too
        self.__doc__ = function.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if state.current.scope is None:
            return self.function(*args, **kwargs)
        if not self.tensors_too and any(type(t) is Tracer for t in tensors((args, kwargs))):
            raise error(
                TypeError,
                f"The arguments of '{self.name}', a constexpr, must be known while compiling, but "
                "one holds a tensor that the compiled code computes.",
                "give it shapes and Python values, or leave the decorator out",
            )
        return calls.call(self.function, args, kwargs)

    def __repr__(self) -> str:
        return f"<constexpr {self.name}>"


@overload
def constexpr(
    fn: F,
    get_instance: bool = True,
    name: str | None = None,
    reuse_result: bool = True,
    check: bool = True,
) -> F: ...
@overload
def constexpr(
    fn: None = None,
    get_instance: bool = True,
    name: str | None = None,
    reuse_result: bool = True,
    check: bool = True,
) -> Callable[[F], F]: ...
def constexpr(
    fn: Any = None,
    get_instance: bool = True,
    name: str | None = None,
    reuse_result: bool = True,
    check: bool = True,
) -> Any:
    """A decorator of functions that are computed while compiling, from shapes and Python values.

    Args:
        fn: the function; left out where options are given.
        get_instance: False gives a class, to be made without arguments.
        name: what messages call it.
        reuse_result, check: kept for scripts.

    Raises:
        TypeError: `fn` is not callable; or, when it is called in compiled code, an argument holds
            a tensor that the compiled code computes.

    >>> @ms.constexpr
    ... def half(n):
    ...     return n // 2
    >>> print(ms.jit(lambda x: x[: half(x.shape[0])])(Tensor([1.0, 2.0, 3.0, 4.0])))
    [1. 2.]
    """
    return _decorated(fn, get_instance, name, False)


def _primexpr(
    fn: Callable[..., Any] | None = None,
    get_instance: bool = True,
    name: str | None = None,
    reuse_result: bool = True,
) -> Any:
    """Like `constexpr`, but takes tensors that compiled code computes."""
    return _decorated(fn, get_instance, name, True)


def _decorated(fn: Any, get_instance: bool, name: str | None, tensors_too: bool) -> Any:
    def decorate(function: Any) -> Any:
        check_callable(function, "constexpr", "fn", "a function")
        known = str(name or getattr(function, "__name__", type(function).__name__))
        if get_instance:
            return _Constant(function, known, tensors_too)
        return lambda: _Constant(function, known, tensors_too)

    return decorate if fn is None else decorate(fn)


@overload
def no_inline(fn: F) -> F: ...
@overload
def no_inline(fn: None = None) -> Callable[[F], F]: ...
def no_inline(fn: Any = None) -> Any:
    """The function itself, kept for scripts: equal parts of compiled code share one function anyway.

    Raises:
        TypeError: `fn` is not callable.

    >>> @ms.no_inline
    ... def double(x):
    ...     return x * 2
    >>> print(ms.jit(double)(Tensor(3.0)))
    6.0
    """
    if fn is None:
        return no_inline
    return check_callable(fn, "no_inline", "fn", "a function")


@overload
def lazy_inline(fn: F, attrs: object = None, policy: str | None = None) -> F: ...
@overload
def lazy_inline(
    fn: None = None, attrs: object = None, policy: str | None = None
) -> Callable[[F], F]: ...
def lazy_inline(fn: Any = None, attrs: object = None, policy: str | None = None) -> Any:
    """The function itself, kept for scripts: decorates the ``__init__`` of a Cell, with or without
    options, and has no effect.

    Raises:
        TypeError: `fn` is not callable.

    >>> class Double(nn.Cell):
    ...     @ms.lazy_inline
    ...     def __init__(self):
    ...         super().__init__()
    ...     def construct(self, x):
    ...         return x * 2
    >>> print(Double()(Tensor(3.0)))
    6.0
    """
    if fn is None:
        return lazy_inline
    return check_callable(fn, "lazy_inline", "fn", "a function")


def mutable(input_data: T, dynamic_len: bool = False) -> T:
    """The argument, whose tensors and numbers are no constants of a gradient.

    Every tensor in an input is a run-time value here, and its gradient is given. That of a number, an int or
    a float, is given if it is marked so, in GRAPH_MODE and in compiled code: as a number.
    In a script that imports the package as ``mindspore``, tuples, lists and dictionaries from outside of compiled
    code are constants of a gradient unless they are marked; and, as there, outside of compiled code in PYNATIVE_MODE
    if they are, too.

    Args:
        input_data: a Tensor, number, or tuple, list or dict of those.
        dynamic_len: kept for scripts; lengths are part of the signature.

    Raises:
        TypeError: another `input_data`, a `dynamic_len` that is not a bool, or True for what is no
            tuple or list.

    >>> ms.mutable((1, 2))
    (1, 2)
    """
    if not isinstance(dynamic_len, bool):
        raise error(
            TypeError,
            f"For 'mutable', the second input should be bool, but got: {type(dynamic_len).__name__}",
        )
    if dynamic_len and not isinstance(input_data, tuple | list):
        raise error(
            TypeError,
            "For 'mutable', when dynamic_len is True, the first input should be list or tuple, but "
            f"got: {type(input_data).__name__}",
        )
    if not _may_change(input_data):
        raise error(
            TypeError,
            "For 'mutable', the 'input_data' should be one of (bool, int, float, Tensor, tuple, "
            "list, dict) or their nested structures with no self-reference, but got "
            f"{type(input_data).__name__}: {input_data}.",
        )
    if stands_for_mindspore():
        scope = state.current.scope
        if isinstance(input_data, Tensor):
            known = scope is not None and id(input_data) in scope.trace.constants
            return (
                _no_constant(input_data)
                if known or type(input_data) is ConstantTensor
                else input_data
            )
        return mutable_container(input_data, scope is not None)
    return marked(input_data)


def _no_constant(tensor: Any) -> Any:
    """The same tensor as one that is no constant."""
    if isinstance(tensor, Tracer):
        return Tracer(tensor._value, tensor._scope, tensor._sig)
    out: Any = Tensor._wrap(tensor._buf, tensor._sig)
    out.__ms_origin_object__ = tensor
    return out


def _may_change(value: Any, around: tuple[int, ...] = ()) -> bool:
    """Whether a value is nested of tensors and numbers, and no container holds itself."""
    if isinstance(value, tuple | list | dict):
        parts = value.values() if isinstance(value, dict) else value
        inside = (*around, id(value))
        return id(value) not in around and all(_may_change(v, inside) for v in parts)
    return isinstance(value, Tensor | int | float)
