"""Loss scalers and `all_finite`."""

from __future__ import annotations

from typing import Any, TypeVar

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import argument_error, check_int, check_number
from cellgrad.core.errors import not_defined
from cellgrad.core.parameter import Parameter
from cellgrad.core.record import operation
from cellgrad.core.tensor import Tensor
from cellgrad.core.tree import map_tensors, tensors
from cellgrad.nn.wrap.finite import all_finite

T = TypeVar("T")

__all__ = ["DynamicLossScaler", "LossScaler", "StaticLossScaler", "all_finite"]


@operation
def _scaled(scale: Tensor, inputs: Any) -> Any:
    return map_tensors(lambda t: t * ops.cast(scale, t.dtype), inputs)


@operation
def _unscaled(scale: Tensor, inputs: Any) -> Any:
    inverse = ops.reciprocal(scale)
    return map_tensors(lambda t: t * ops.cast(inverse, t.dtype), inputs)


class LossScaler:
    """Base of loss scalers: `scale`, `unscale` and `adjust`.

    >>> class Doubling(ms.amp.LossScaler):
    ...     def scale(self, inputs):
    ...         return inputs * 2
    ...     def unscale(self, inputs):
    ...         return inputs / 2
    ...     def adjust(self, grads_finite):
    ...         return True
    >>> print(Doubling(2.0).scale(Tensor(3.0)))
    6.0
    """

    scale_value: Parameter

    def __init__(self, scale_value: int | float):
        owner = type(self).__name__
        scale_value = check_number(scale_value, owner, "scale_value", at_least=1.0)
        self.scale_value = Parameter(Tensor(scale_value, dtype=mstype.float32), name="scale_value")

    def scale(self, inputs: T) -> T:
        """A loss, or nested tuples and lists of tensors, times the scale."""
        return _scaled(self.scale_value, _checked(inputs, "scale"))

    def unscale(self, inputs: T) -> T:
        """A loss, or nested tuples and lists of gradients, divided by the scale."""
        return _unscaled(self.scale_value, _checked(inputs, "unscale"))

    def adjust(self, grads_finite: Tensor) -> bool:
        """Updates the scale after a step; whether this kind of scaler does."""
        raise not_defined(self, "adjust")


def _checked(inputs: Any, name: str) -> Any:
    if not any(True for _ in tensors(inputs)):
        raise argument_error(TypeError, name, "inputs", "a Tensor or hold Tensors", inputs)
    return inputs


class StaticLossScaler(LossScaler):
    """A loss scaler with a fixed scale.

    Args:
        scale_value: the scale, at least 1.

    Raises:
        TypeError, ValueError: a scale that is not a number, or less than 1.

    >>> scaler = ms.amp.StaticLossScaler(scale_value=1024)
    >>> print(scaler.unscale(scaler.scale(Tensor(3.0))))
    3.0
    """

    def adjust(self, grads_finite: Tensor) -> bool:
        """Does nothing; returns False."""
        return False


class DynamicLossScaler(LossScaler):
    """A loss scaler that grows its scale after steps with finite gradients and shrinks it after
    overflow.

    Args:
        scale_value: the first scale, at least 1.
        scale_factor: what the scale is multiplied or divided by; it never falls below 1.
        scale_window: the number of steps without overflow after which the scale grows.

    Raises:
        TypeError, ValueError: arguments that are not positive numbers.

    >>> scaler = ms.amp.DynamicLossScaler(scale_value=1024, scale_factor=2, scale_window=1)
    >>> _ = scaler.adjust(Tensor(False))
    >>> print(scaler.scale(Tensor(1.0)))
    512.0
    """

    def __init__(self, scale_value: int | float, scale_factor: int, scale_window: int):
        super().__init__(scale_value)
        owner = type(self).__name__
        self.scale_factor = check_int(scale_factor, owner, "scale_factor", at_least=1)
        self.scale_window = check_int(scale_window, owner, "scale_window", at_least=1)
        self.scale_factor = scale_factor
        self.scale_window = scale_window
        self.counter = Parameter(Tensor(0, dtype=mstype.int32), name="counter")

    def adjust(self, grads_finite: Tensor) -> bool:
        """Updates the scale and the count of clean steps; returns True."""
        grads_finite = (
            grads_finite if isinstance(grads_finite, Tensor) else Tensor(bool(grads_finite))
        )
        scale, counter = _adjusted(
            self.scale_value, self.counter, grads_finite, self.scale_factor, self.scale_window
        )
        ops.assign(self.scale_value, scale)
        ops.assign(self.counter, counter)
        return True


@operation
def _adjusted(
    scale: Tensor, counter: Tensor, finite: Tensor, factor: int, window: int
) -> tuple[Tensor, Tensor]:
    grown = scale * factor
    grown = ops.select(ops.isfinite(grown), grown, scale)
    full = ops.equal(counter, window - 1)
    shrunk = ops.maximum(scale / factor, 1.0)
    new_scale = ops.select(finite, ops.select(full, grown, scale), shrunk)
    new_counter = ops.select(ops.logical_and(finite, ops.logical_not(full)), counter + 1, 0)
    return new_scale, new_counter
