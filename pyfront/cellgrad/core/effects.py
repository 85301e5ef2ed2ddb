"""What code under capture does beside computing: it assigns Parameters and prints."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from cellgrad.core import state
from cellgrad.core.errors import error
from cellgrad.core.record import as_tensor, cast_to
from cellgrad.core.tensor import Tensor
from cellgrad.core.text import Text, holds_text

if TYPE_CHECKING:
    from cellgrad.core.parameter import Parameter


def whole(variable: Tensor) -> Tensor:
    """The Parameter that was read in a lower precision; others as they are."""
    out: Tensor = getattr(variable, "_cast_of", variable)
    return out


def assign(parameter: Parameter, value: Any) -> None:
    """Writes a Parameter: the value is converted to its dtype and must have its shape."""
    scope = state.current.scope
    assert scope is not None
    tensor = as_tensor(value, "assign", parameter.dtype)
    if tensor.shape != parameter.shape:
        raise error(
            ValueError,
            f"Parameter '{parameter.name}' has shape {list(parameter.shape)}, but a value of "
            f"shape {list(tensor.shape)} "
            "is assigned to it in compiled code.",
        )
    scope.write(parameter, scope.value(cast_to(tensor, parameter.dtype)))


def print_tensors(
    *args: Any, sep: str | None = " ", end: str | None = "\n", file: Any = None, flush: bool = False
) -> None:
    """`print` in compiled code: prints a line when the code runs, in order; takes tensors."""
    scope = state.current.scope
    if scope is None or file is not None:
        builtins.print(*args, sep=sep, end=end, file=file, flush=flush)
        return
    if scope.trace.again:
        return
    operands: list[Any] = []

    def text(value: Any) -> str:
        if isinstance(value, Tensor):
            operands.append(value)
            return "{}"
        if isinstance(value, Text) or (isinstance(value, dict) and holds_text(value)):
            return "".join([part(v) for v in Text.of(value).parts])
        if isinstance(value, tuple | list):
            inner = ", ".join(element(v) for v in value)
            if isinstance(value, tuple):
                return f"({inner},)" if len(value) == 1 else f"({inner})"
            return f"[{inner}]"
        return _literal(str(value))

    def part(value: Any) -> str:
        if isinstance(value, str):
            return _literal(value)
        operands.append(value)
        return "{}"

    def element(value: Any) -> str:
        if isinstance(value, Tensor):
            operands.append(value)
            return f"Tensor(shape={list(value.shape)}, dtype={value.dtype.title}, value= {{}})"
        return text(value) if isinstance(value, tuple | list) else _literal(repr(value))

    line = (" " if sep is None else sep).join(text(a) for a in args)
    if end is not None:
        line += str(end).removesuffix("\n")  # a line of compiled code ends in any case
    scope.trace.prints += 1
    scope.fn.create(
        "cell.print", [scope.value(x) for x in operands], {"format": line}, state.location()
    )


def _literal(text: str) -> str:
    """Text whose `{}` are not operands: a zero-width space keeps the braces apart."""
    return text.replace("{}", "{\u200b}")
