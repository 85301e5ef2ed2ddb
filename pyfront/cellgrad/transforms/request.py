"""What a gradient function is asked for: by which positions and weights, and how its result is nested."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, Literal

from cellgrad.core import state
from cellgrad.core.context import pynative_mode, stands_for_mindspore
from cellgrad.core.mutable import CONTAINERS
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import ConstantTensor
from cellgrad.transforms.cotangents import has_gradient

__all__ = ["Request", "constant_positions", "frozen_positions", "trains"]


class Request:
    """What a gradient function returns: positions, weights and their nesting."""

    def __init__(
        self, positions: Any, weights: Any, has_aux: bool, value: bool, ids: bool, name: str
    ):
        self.name = name
        self.value = value
        self.has_aux = has_aux
        self.ids = ids
        # In PyNative mode outside of compiled code: the positions of Parameters without requires_grad.
        # The gradients by these, and by such weights, are zero there, as in MindSpore.
        self.frozen: tuple[int, ...] | None = None
        self.constant: tuple[int, ...] = ()  # positions that are left out: see `constant_positions`
        self.one_position = isinstance(positions, int) or (
            isinstance(positions, tuple) and len(positions) == 1
        )
        self.positions: tuple[int, ...] | Literal["all"] | None
        if positions is None or positions == "all":
            self.positions = "all" if positions else None
        else:
            self.positions = (positions,) if isinstance(positions, int) else tuple(positions)
        self.one_weight = isinstance(weights, Parameter)
        # Whether the weights are those that the function reads: see `by_those_read`.
        self.read = weights == "read"
        self.weights: tuple[Parameter, ...] | None = (
            None
            if weights is None
            else ()
            if self.read
            else (weights,)
            if isinstance(weights, Parameter)
            else tuple(weights)
        )

    def key(self) -> tuple[Any, ...]:
        weights = None if self.weights is None else tuple(id(w) for w in self.weights)
        return (
            self.positions,
            self.one_position,
            weights,
            self.one_weight,
            self.has_aux,
            self.value,
            self.ids,
            self.name,
            self.frozen,
            self.constant,
            self.read,
        )

    def at(self, frozen: tuple[int, ...] | None, constant: tuple[int, ...]) -> Request:
        """The request with other `frozen` and `constant` positions."""
        request = copy.copy(self)
        request.frozen, request.constant = frozen, constant
        return request

    def by_those_read(self, listed: Iterable[Any]) -> Request:
        """The request with its weights, if it has none yet: the trainable Parameters among what a function read."""
        if not self.read:
            return self
        request = copy.copy(self)
        request.weights = tuple([p for p in listed if isinstance(p, Parameter) and trains(p)])
        return request

    def stops_at(self, weight: Parameter) -> bool:
        """Whether the gradient by a weight is zero because it has no requires_grad."""
        scope = state.current.scope
        if self.frozen is None or scope is None:
            return False
        scope.trace.guard(weight, "requires_grad", weight.requires_grad)
        return not weight.requires_grad


def trains(parameter: Parameter) -> bool:
    """Whether a Parameter has a gradient and asks for it; code that is compiled now depends on that."""
    scope = state.current.scope
    if scope is not None:
        scope.trace.guard(parameter, "requires_grad", parameter.requires_grad)
    return parameter.requires_grad and has_gradient(parameter)


def frozen_positions(args: tuple[Any, ...]) -> tuple[int, ...] | None:
    """What `Request.frozen` is for a call from outside of compiled code."""
    if not pynative_mode():
        return None
    return tuple([i for i, a in enumerate(args) if type(a) is Parameter and not a.requires_grad])


def constant_positions(args: tuple[Any, ...]) -> tuple[int, ...]:
    """Where this package stands for MindSpore, the positions of tuples, lists and dictionaries that are constants,
    and have no gradient: those from outside of compiled code that are not `mutable` and, in PyNative mode, all.
    In graph mode also those of Tensors that are constants (`const_arg`).
    """
    if not stands_for_mindspore():
        return ()
    scope = state.current.scope
    if scope is not None:
        return tuple([i for i, a in enumerate(args) if id(a) in scope.trace.constants])
    kinds = (tuple, list, dict) if pynative_mode() else (tuple, list, dict, ConstantTensor)
    listed = [i for i, a in enumerate(args) if isinstance(a, kinds)]
    return tuple([i for i in listed if pynative_mode() or not isinstance(args[i], CONTAINERS)])
