"""Gradients by numbers that `mutable` has marked."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.capture import calls
from cellgrad.compile.program import function_name
from cellgrad.core import dtype as mstype
from cellgrad.core import state
from cellgrad.core.mutable import MUTABLE, holds_mutable
from cellgrad.core.record import splat
from cellgrad.core.scope import as_number
from cellgrad.core.tensor import Tensor
from cellgrad.core.tree import map_tensors, tensors
from cellgrad.ops._static import known
from cellgrad.transforms.differentiate import pull_back
from cellgrad.transforms.on_tape import differentiate_on_tape
from cellgrad.transforms.request import Request

__all__ = ["by_numbers", "by_numbers_on_tape", "numbers_asked"]


def numbers_asked(args: tuple[Any, ...], request: Request) -> list[int]:
    """Those positions asked for whose arguments hold numbers that `mutable` has marked."""
    asked = range(len(args)) if request.positions == "all" else request.positions or ()
    return [i for i in asked if i < len(args) and holds_mutable(args[i])]


def by_numbers(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], request: Request, cotangent: Any
) -> Any:
    """`pull_back` of arguments with numbers that `mutable` has marked: where their gradients are asked for they
    are tensors, which are numbers to the function, and their gradients are numbers. Others stay constants, which
    every operation takes.
    """
    given, listed, places = _as_tensors(args, request)
    found: list[bool] = []  # which results are numbers

    def of_numbers(*own: Any, **named: Any) -> Any:
        for i, t in enumerate(tensors(own)):
            if i in places:
                as_number(t)
        out = calls.call(function, own, named)
        scope = state.current.scope
        assert scope is not None
        found.extend(id(t) in scope.trace.numbers for t in tensors(out))
        return out

    of_numbers.__name__ = function_name(function)
    if isinstance(cotangent, int | float):
        cotangent = _scalar(cotangent)
    out = pull_back(of_numbers, given, kwargs, request, cotangent, listed)
    if request.value:
        for t, is_number in zip(tensors(out[0]), found, strict=True):
            if is_number:
                as_number(t)
    return out


def by_numbers_on_tape(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], request: Request, cotangent: Any
) -> Any:
    """`by_numbers` of a function that runs as ordinary Python: it is called with tensors for these numbers, and what
    it computes of them are tensors."""
    given, _, places = _as_tensors(args, request)
    return differentiate_on_tape(function, given, kwargs, request, cotangent, places)


def _as_tensors(
    args: tuple[Any, ...], request: Request
) -> tuple[tuple[Any, ...], list[Tensor], set[int]]:
    """Arguments with tensors for the numbers that gradients are asked for by; these tensors, and their places."""
    asked = numbers_asked(args, request)
    listed: list[Tensor] = []

    def tensor(value: Any) -> Any:
        if not isinstance(value, MUTABLE):
            return value
        listed.append(_scalar(value))
        return listed[-1]

    given = tuple(
        [map_tensors(lambda t: t, a, tensor) if i in asked else a for i, a in enumerate(args)]
    )
    return given, listed, {i for i, t in enumerate(tensors(given)) if any(t is n for n in listed)}


def _scalar(value: float) -> Tensor:
    if isinstance(value, float):
        return splat(value, mstype.default_float(), ())
    return known(np.array(value), mstype.int64)
