"""Names of an exported model's inputs and results."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from cellgrad import nn
from cellgrad.core.nodes import fields_of, is_record
from cellgrad.core.tensor import Tensor
from cellgrad.core.tree import map_tensors, tensors
from cellgrad.transforms.differentiate import positions_of
from cellgrad.transforms.request import Request

__all__ = ["input_names", "result_names", "step_result_names", "with_tensors"]


def with_tensors(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Example inputs with Tensors for numpy arrays, also inside of nested ones."""

    def tensor(value: Any) -> Any:
        return Tensor(value) if isinstance(value, np.ndarray) else value

    return tuple([map_tensors(lambda t: t, value, tensor) for value in inputs])


def input_names(function: Any, inputs: tuple[Any, ...]) -> list[list[str]]:
    """Names for the tensors of every input: the parameter's, where it holds several with the keys and
    fields that lead to them, or numbered.
    """
    inner = getattr(function, "function", function)
    call = getattr(inner, "construct", inner)
    if isinstance(inner, nn.TrainOneStepCell) and _passes_on(type(inner).construct):
        call = inner.network.construct
    try:
        names = [
            p.name
            for p in inspect.signature(call).parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        names = []
    out: list[list[str]] = []
    for i, value in enumerate(inputs):
        name = names[i] if i < len(names) else f"x{i}"
        out.append(_named(name, value, "_"))
    return out


def _named(name: str, value: Any, separator: str = "") -> list[str]:
    """Names for the tensors of a value."""
    parts = _parts(value)
    count = len(list(tensors(value)))
    if parts is None or count < 2:
        return _numbered(name, count, separator)
    return [n for key, v in parts.items() for n in _named(f"{name}_{key}", v, "_")]


def _parts(value: Any) -> dict[Any, Any] | None:
    """The parts of a value that have names."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return dict(zip(value._fields, value, strict=True))
    if is_record(value):
        return fields_of(value)
    return value if isinstance(value, dict) else None


def _numbered(name: str, count: int, separator: str = "") -> list[str]:
    return [name] if count == 1 else [f"{name}{separator}{k}" for k in range(count)]


def result_names(function: Any, inputs: tuple[Any, ...]) -> Any:
    """How results are named: ``value`` and ``grad_<input or Parameter>`` for a gradient; by their keys
    or fields those of another function; None otherwise.
    """
    request = getattr(function, "request", None)
    if not isinstance(request, Request):
        return _field_names
    if function.sens:
        inputs = inputs[:-1]

    def names(out: Any) -> list[str]:
        value, gradients = out if request.value else ((), out)
        gradients, aux = gradients if request.has_aux and not request.value else (gradients, ())
        by_input = input_names(function, inputs)
        wanted = [n for p in positions_of(request, inputs, request.name) for n in by_input[p]]
        wanted += [w.name for w in request.weights or ()]
        return [
            *_named("value", value),
            *[f"grad_{n}" for n in wanted],
            *_named("aux", aux),
        ]

    return names


def _field_names(out: Any) -> list[str] | None:
    parts = _parts(out)
    if parts is None:
        return None
    return [n for key, value in parts.items() for n in _named(str(key), value, "_")]


def _passes_on(construct: Callable[..., Any]) -> bool:
    """Whether a training Cell has its inputs' names from its network."""
    own = (nn.TrainOneStepCell.construct, nn.TrainOneStepWithLossScaleCell.construct)
    return construct in own


def step_result_names(function: Any, inputs: tuple[Any, ...]) -> Any:
    """How the results of a training step are named: by the keys of a dict; ``loss``, ``overflow``
    and ``loss_scale`` where it is a training Cell of `nn` or derived from one.
    """
    inner = getattr(function, "function", function)

    def names(out: Any) -> list[str]:
        if isinstance(out, dict):
            parts = [(str(key), value) for key, value in out.items()]
        elif isinstance(inner, nn.TrainOneStepWithLossScaleCell) and _is_loss_overflow_scale(out):
            parts = list(zip(("loss", "overflow", "loss_scale"), out, strict=True))
        elif isinstance(inner, nn.TrainOneStepCell) and isinstance(out, Tensor):
            parts = [("loss", out)]
        else:
            return [f"out{i}" for i, _ in enumerate(tensors(out))]
        return [n for name, value in parts for n in _numbered(name, len(list(tensors(value))))]

    return names


def _is_loss_overflow_scale(out: Any) -> bool:
    return isinstance(out, tuple) and len(out) == 3 and all(isinstance(t, Tensor) for t in out[1:])
