"""What operators of Python's syntax do."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from cellgrad.capture.membership import contains, lacks
from cellgrad.core.errors import NotCompilable, error
from cellgrad.core.tracer import Tracer


def _is(a: Any, b: Any) -> bool:
    """``a is b``.

    Raises:
        TypeError: a tensor that may stand for a Python number, and a number.
    """
    for x, other in ((a, b), (b, a)):
        if type(x) is Tracer and not x.shape and type(other) in (bool, int, float):
            raise error(
                NotCompilable,
                f"'is' compares {other!r} with a number that is known only when the compiled code runs.",
                "compare numbers with ==",
            )
    return a is b


BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
UNARY: dict[type, Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}
COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: _is,
    ast.IsNot: lambda a, b: not _is(a, b),
    ast.In: contains,
    ast.NotIn: lacks,
}
