"""Learning rates as functions of the step: Cells for the `learning_rate` of optimizers."""

from __future__ import annotations

import math
from typing import Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import check_bool, check_instance, check_int, check_number
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell

__all__ = [
    "CosineDecayLR",
    "ExponentialDecayLR",
    "InverseDecayLR",
    "LearningRateSchedule",
    "NaturalExpDecayLR",
    "PolynomialDecayLR",
    "WarmUpLR",
]


def check_float(value: Any, owner: str, name: str, zero: bool = False) -> float:
    """A positive (with `zero`, non-negative) Python float."""
    check_instance(value, owner, name, float)
    if zero:
        return check_number(value, owner, name, at_least=0)
    return check_number(value, owner, name, above=0)


class LearningRateSchedule(Cell):
    """The base: `construct` takes the number of steps done, an int32 Tensor, and gives the learning
    rate.

    >>> class Halving(nn.LearningRateSchedule):
    ...     def construct(self, global_step):
    ...         return 0.5 ** global_step.astype(ms.float32)
    >>> print(Halving()(Tensor(3, ms.int32)))
    0.125
    """

    def construct(self, global_step: Tensor) -> Tensor:
        raise error(
            NotImplementedError, f"For '{self.cls_name}', the method 'construct' is not defined."
        )


def _float(step: Tensor) -> Tensor:
    return ops.cast(step, mstype.default_float())


class _Decay(LearningRateSchedule):
    def __init__(
        self, learning_rate: float, decay_rate: float, decay_steps: int, is_stair: bool = False
    ):
        super().__init__()
        self.learning_rate = check_float(learning_rate, self.cls_name, "learning_rate")
        self.decay_rate = check_float(decay_rate, self.cls_name, "decay_rate")
        self.decay_steps = check_int(decay_steps, self.cls_name, "decay_steps", at_least=1)
        self.is_stair = check_bool(is_stair, self.cls_name, "is_stair")

    def _part(self, global_step: Tensor) -> Tensor:
        part = _float(global_step) / self.decay_steps
        return ops.floor(part) if self.is_stair else part


class ExponentialDecayLR(_Decay):
    """``learning_rate * decay_rate ** (step / decay_steps)``.

    Args:
        learning_rate, decay_rate: positive floats.
        decay_steps: a positive int.
        is_stair: whether the quotient is rounded down.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> schedule = nn.ExponentialDecayLR(0.5, 0.25, decay_steps=4)
    >>> print(schedule(Tensor(2, ms.int32)))
    0.25
    """

    def construct(self, global_step: Tensor) -> Tensor:
        return self.learning_rate * ops.exp(self._part(global_step) * math.log(self.decay_rate))


class NaturalExpDecayLR(_Decay):
    """``learning_rate * exp(-decay_rate * step)``, with `is_stair` of the step rounded down to a
    multiple of `decay_steps`; arguments and errors as of `ExponentialDecayLR`.

    >>> schedule = nn.NaturalExpDecayLR(0.5, 1.0, decay_steps=2)
    >>> print(schedule(Tensor(2, ms.int32)))
    0.06766764
    """

    def construct(self, global_step: Tensor) -> Tensor:
        step = self._part(global_step) * self.decay_steps if self.is_stair else _float(global_step)
        return self.learning_rate * ops.exp(step * -self.decay_rate)


class InverseDecayLR(_Decay):
    """``learning_rate / (1 + decay_rate * step / decay_steps)``; arguments and errors as of
    `ExponentialDecayLR`.

    >>> schedule = nn.InverseDecayLR(0.5, 1.0, decay_steps=2)
    >>> print(schedule(Tensor(2, ms.int32)))
    0.25
    """

    def construct(self, global_step: Tensor) -> Tensor:
        return self.learning_rate / (1.0 + self._part(global_step) * self.decay_rate)


class CosineDecayLR(LearningRateSchedule):
    """Half a cosine from `max_lr` down to `min_lr` over `decay_steps`, constant afterwards.

    Raises:
        TypeError: arguments of wrong types.
        ValueError: negative rates, or `min_lr` that is not below `max_lr`.

    >>> schedule = nn.CosineDecayLR(0.0, 1.0, decay_steps=4)
    >>> print(schedule(Tensor(2, ms.int32)))
    0.49999997
    """

    def __init__(self, min_lr: float, max_lr: float, decay_steps: int):
        super().__init__()
        self.min_lr = check_float(min_lr, self.cls_name, "min_lr", zero=True)
        self.max_lr = check_float(max_lr, self.cls_name, "max_lr")
        self.decay_steps = check_int(decay_steps, self.cls_name, "decay_steps", at_least=1)
        if min_lr >= max_lr:
            raise error(
                ValueError,
                f"For '{self.cls_name}', the 'max_lr' must be greater than the 'min_lr', but got "
                f"'max_lr' value: {max_lr}, 'min_lr' value: {min_lr}.",
            )

    def construct(self, global_step: Tensor) -> Tensor:
        part = _float(ops.minimum(global_step, self.decay_steps)) / self.decay_steps
        half = 0.5 * (self.max_lr - self.min_lr)
        return self.min_lr + half * (1.0 + ops.cos(part * math.pi))


class PolynomialDecayLR(LearningRateSchedule):
    """``(learning_rate - end_learning_rate) * (1 - step / decay_steps) ** power +
    end_learning_rate``, constant afterwards or, with `update_decay_steps`, with `decay_steps`
    replaced by its next multiple.

    Raises:
        TypeError, ValueError: arguments that are not positive floats (`end_learning_rate` may be
            0) and ints.

    >>> schedule = nn.PolynomialDecayLR(0.5, 0.0, decay_steps=4, power=1.0)
    >>> print(schedule(Tensor(2, ms.int32)))
    0.25
    """

    def __init__(
        self,
        learning_rate: float,
        end_learning_rate: float,
        decay_steps: int,
        power: float,
        update_decay_steps: bool = False,
    ):
        super().__init__()
        owner = self.cls_name
        self.start_learning_rate = check_float(learning_rate, owner, "learning_rate")
        self.end_learning_rate = check_float(end_learning_rate, owner, "end_learning_rate", True)
        self.decay_steps = check_int(decay_steps, owner, "decay_steps", at_least=1)
        self.power = check_float(power, owner, "power")
        self.update_decay_steps = check_bool(update_decay_steps, owner, "update_decay_steps")

    def construct(self, global_step: Tensor) -> Tensor:
        step, total = _float(global_step), float(self.decay_steps)
        if self.update_decay_steps:
            part = step / (total * ops.maximum(ops.ceil(step / total), 1.0))
        else:
            part = ops.minimum(step, total) / total
        span = self.start_learning_rate - self.end_learning_rate
        return span * ops.pow(1.0 - part, self.power) + self.end_learning_rate


class WarmUpLR(LearningRateSchedule):
    """A line from 0 to `learning_rate` over `warmup_steps`, constant afterwards.

    Raises:
        TypeError, ValueError: arguments that are not a non-negative float and a positive int.

    >>> schedule = nn.WarmUpLR(0.5, warmup_steps=4)
    >>> print(schedule(Tensor(2, ms.int32)))
    0.25
    """

    def __init__(self, learning_rate: float, warmup_steps: int):
        super().__init__()
        self.learning_rate = check_float(learning_rate, self.cls_name, "learning_rate", zero=True)
        self.warmup_steps = check_int(warmup_steps, self.cls_name, "warmup_steps", at_least=1)

    def construct(self, global_step: Tensor) -> Tensor:
        done = _float(ops.minimum(global_step, self.warmup_steps))
        return self.learning_rate * (done / self.warmup_steps)
