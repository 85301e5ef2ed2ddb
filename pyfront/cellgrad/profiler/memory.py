"""`memory_report`: what a program needs of memory, and what for, without running it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from cellgrad.capture import calls
from cellgrad.compile import memory as _memory
from cellgrad.compile.program import Program, function_name
from cellgrad.core.aliases import Function
from cellgrad.core.arguments import argument_error, check_callable
from cellgrad.transforms.grad import value_and_grad

__all__ = ["MemoryReport", "Value", "memory_report"]


@dataclass(frozen=True)
class Value:
    """A temporary that is needed when most bytes are. `offset` is its place in the arena; `op` is
    empty for what belongs to no single operation.
    """

    bytes: int
    offset: int
    dtype: str
    shape: tuple[int, ...]
    op: str
    phase: str  # "forward", "adjoint" or "tangent"
    file: str
    line: int
    cell: str


@dataclass(frozen=True)
class MemoryReport:
    """Bytes that a call of a compiled program needs on one thread.

    `peak` is the sum of `arguments`, `parameters` (with the optimizer's states), `results` (those
    that are not written in place) and `arena`, the memory of temporaries, which is what the call
    is lent. `alive` bytes of the arena are needed at the same time, by `values`; the rest is between
    them. Each further thread takes `thread` bytes. Where `grows`, loops of unknown length keep more
    for their gradient, by the trips they make.
    """

    name: str
    peak: int
    arguments: int
    parameters: int
    results: int
    arena: int
    thread: int
    alive: int
    temporaries: int
    grows: bool
    operations: int
    nanoseconds: int  # an estimate for one core
    values: tuple[Value, ...]
    text: str

    def __str__(self) -> str:
        return self.text

    def to_json(self) -> str:
        """All of it but the text, as JSON."""
        told = {**vars(self), "values": [vars(value) for value in self.values]}
        del told["text"]
        return json.dumps(told)


def memory_report(
    function: Function[..., object], *inputs: object, grad: bool = False, **kwargs: object
) -> MemoryReport:
    """Says what a call needs of memory and which values take it, at compile time.

    The program is captured and its memory planned, as a call would; nothing runs.

    Args:
        function: a Cell, a function, or what `ms.grad` and `ms.value_and_grad` return.
        inputs: what it would be called with: Tensors for their dtypes and shapes.
        grad: True for the value and the gradient by the trainable Parameters of a Cell, or by the
            first input of what has none.
        kwargs: further arguments of the call.

    Raises:
        TypeError: `function` is not callable, or `grad` is not a bool.
        RuntimeError: code is made for a GPU.
        CompileError: the compiler refused the program.

    >>> x = ops.ones((4, 256), ms.float32)
    >>> report = ms.memory_report(lambda x: ops.tanh(x @ x.T).sum(), x)
    >>> report.arguments, report.results
    (4096, 4)
    """
    check_callable(function, "memory_report", "function", "a Cell or a function")
    if not isinstance(grad, bool):
        raise argument_error(TypeError, "memory_report", "grad", "a bool", grad)
    if grad:
        trainable: list[Any] = getattr(function, "trainable_params", list)()
        function = (
            value_and_grad(function, None, trainable) if trainable else value_and_grad(function, 0)
        )
    program = Program(lambda *a, **k: calls.call(function, a, k), function_name(function))
    told, _ = _memory.planned(program, inputs, kwargs)
    values = tuple(Value(**{**value, "shape": tuple(value["shape"])}) for value in told["values"])
    return MemoryReport(**{**told, "values": values})
