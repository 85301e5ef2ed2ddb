"""Assignments to elements of elements: ``x[i][j] = v``.

In plain Python ``x[i]`` of an array is a part of `x`. While compiling it is a tensor of its own, so it is
put back into `x` when an element of it was assigned.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from cellgrad.capture import calls
from cellgrad.core.frame import Frame, Run
from cellgrad.core.partial import is_part
from cellgrad.core.tensor import Tensor

# A container, and the containers and indices that it was read with, from inside to outside.
Place = tuple[Any, list[tuple[Any, Any]]]


def place_of(
    node: ast.expr, indexed: Callable[[ast.expr], Run], expression: Callable[[ast.expr], Run]
) -> Callable[[Frame], Place]:
    """The container of which an element is assigned, given what compiles expressions."""
    if not isinstance(node, ast.Subscript):
        container = indexed(node)
        return lambda frame: (container(frame), [])
    outer, index = place_of(node.value, indexed, expression), expression(node.slice)

    def run(frame: Frame) -> Place:
        container, around = outer(frame)
        i = index(frame)
        frame.node = node
        return calls.load_element(container, i), [(container, i), *around]

    return run


def put_back(place: Place) -> None:
    """Puts a changed part of a tensor back where it was read."""
    part, around = place
    for container, index in around:
        if not isinstance(part, Tensor) or not isinstance(container, Tensor):
            return
        if not is_part(part, container):
            calls.store_element(container, index, part)
        part = container
