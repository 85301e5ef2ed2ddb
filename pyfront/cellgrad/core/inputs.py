"""What a program is called with: its signature, its tensors, and tracers in their place."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core.errors import error
from cellgrad.core.exact import number_key, static_key
from cellgrad.core.nodes import fields_of, is_record, with_fields
from cellgrad.core.parameter import Parameter
from cellgrad.core.scope import created
from cellgrad.core.tensor import ConstantTensor, Tensor
from cellgrad.core.tracer import Tracer, leaked, says_how
from cellgrad.core.tree import holds_tensors, map_tensors, plain_number, with_tensors

_STATIC = (bool, int, str, type(None))


def collect(value: Any, key: list[Any], tensors: list[Tensor]) -> None:
    """Appends the signature of an input to `key`, and its tensors to `tensors`.

    Raises:
        RecursionError: a list, dictionary or dataclass that contains itself.
    """
    try:
        _collect(value, key, tensors)
    except RecursionError:
        raise error(
            RecursionError,
            f"Detect recursion when converting python object. The {type(value).__name__} that is an "
            f"argument of compiled code contains itself, or is nested too deep.",
            "give the code the parts that it needs",
        ) from None


def _collect(value: Any, key: list[Any], tensors: list[Tensor]) -> None:
    kind = type(value)
    if kind is Tensor or kind is Parameter:
        key.append(value._sig)
        tensors.append(value)
    elif isinstance(value, Tensor):
        if isinstance(value, Tracer):
            raise leaked(value)
        if isinstance(value, ConstantTensor):
            key.append((kind, value._sig, value._buf.view().tobytes()))
            return
        key.append(value._sig)
        tensors.append(value)
    elif kind in _STATIC:
        key.append(kind)
        key.append(value)
    elif kind is float:
        key.append(kind)
        key.append(number_key(value))
    elif isinstance(value, tuple | list):
        key.append((kind, len(value)))
        for v in value:
            _collect(v, key, tensors)
    elif isinstance(value, dict):
        key.append((kind, tuple([k if type(k) is str else static_key(k) for k in value])))
        for v in value.values():
            _collect(v, key, tensors)
    elif isinstance(value, np.ndarray):
        _collect(Tensor(value), key, tensors)
    elif isinstance(value, np.generic):
        _collect(plain_number(value), key, tensors)
    elif is_record(value):
        fields = fields_of(value)
        key.append((kind, tuple(fields)))
        for v in fields.values():
            _collect(v, key, tensors)
    else:
        key.append(static_key(value))


def with_constants(
    args: tuple[Any, ...], kwargs: dict[str, Any], which: set[Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments of which those in `which`, by place or name, have their tensors of integers as constants."""
    new_args = tuple([_constant(v) if i in which else v for i, v in enumerate(args)])
    return new_args, {k: _constant(v) if k in which else v for k, v in kwargs.items()}


def _constant(value: Any) -> Any:
    """An argument with its tensors of integers as constants."""

    def one(t: Tensor) -> Tensor:
        if type(t) is not Tensor or not says_how(t):
            return t
        out = Tensor._wrap(t._buf, t._sig)
        out.__class__ = ConstantTensor
        return out

    return map_tensors(one, with_tensors(value))


def argument_of(place: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The argument, by its place or name, that a tensor of a call is in."""
    tensors: list[Tensor] = []
    for k, v in (*enumerate(args), *kwargs.items()):
        collect(v, [], tensors)
        if len(tensors) > place:
            return k
    raise AssertionError("no such tensor")


def inputs_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Tensor]:
    """The tensors of a call, in the order of `collect`."""
    tensors: list[Tensor] = []
    for value in (*args, *kwargs.values()):
        collect(value, [], tensors)
    return tensors


def substitute(value: Any, tracers: Any) -> Any:
    """The input with its tensors replaced by tracers, in the order of `collect`."""
    if isinstance(value, ConstantTensor):
        return Tensor(value)  # made of known elements in the compiled code
    if isinstance(value, Tensor | np.ndarray):
        return next(tracers)
    if isinstance(value, tuple):
        items = [substitute(v, tracers) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, list):
        return [substitute(v, tracers) for v in value]
    if isinstance(value, dict):
        return {k: substitute(v, tracers) for k, v in value.items()}
    if isinstance(value, np.generic):
        return value.item()
    if is_record(value) and holds_tensors(value):
        return created(with_fields(type(value), substitute(fields_of(value), tracers)))
    return value
