"""The base of schedules of learning rates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cellgrad.core import state
from cellgrad.core.aliases import Rate
from cellgrad.core.arguments import check_int
from cellgrad.core.errors import CompiledThere, either, error
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.experimental.optim.optimizers import Optimizer
from cellgrad.ops.selection import write_to


def each(value: Any, count: int, name: str) -> list[Any]:
    """A value for each group."""
    if not isinstance(value, tuple | list):
        return [value] * count
    if len(value) != count:
        raise error(ValueError, f"Expected {count} values for {name}, but got {len(value)}.")
    return list(value)


def outside() -> None:
    if state.current.scope is not None:
        raise error(
            either(RuntimeError, CompiledThere),
            "A learning-rate scheduler was stepped in compiled code, where that would happen once, "
            "while compiling.",
            "call step() outside; the compiled step reads the new rate",
        )


def set_rates(rates: Sequence[Parameter], values: Sequence[Any]) -> None:
    for rate, value in zip(rates, values, strict=True):
        write_to(rate, Tensor(float(value), rate.dtype))


class LRScheduler:
    """The base. A schedule of one's own defines `get_lr`, which gives the rates of the groups from
    `last_epoch`, `base_lrs` (the first rates) and `_last_lr` (the present ones).

    Args:
        optimizer: one of `experimental.optim` or `mint.optim`.
        last_epoch: the number of the last step; -1 at the start.

    Raises:
        TypeError: `optimizer` is none, or `last_epoch` no int.
        ValueError: `last_epoch` is below -1.

    >>> from cellgrad.experimental import optim
    >>> sgd = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=1.0)
    >>> class Halved(optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [0.5 * group["lr"] for group in self.optimizer.param_groups]
    >>> schedule = Halved(sgd)
    >>> print(schedule.get_last_lr()[0])
    0.5
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1):
        if not isinstance(optimizer, Optimizer):
            raise error(
                TypeError,
                f"{type(optimizer).__name__} is not an Optimizer.",
                "schedulers are for the optimizers of experimental.optim and mint.optim; those of "
                "nn take a schedule as learning_rate",
            )
        if check_int(last_epoch, type(self).__name__, "last_epoch") < -1:
            raise error(ValueError, f"Invalid last_epoch: {last_epoch}.")
        self.optimizer = optimizer
        self._last_lr: list[Parameter] = [g["lr"] for g in optimizer.param_groups]
        for group in optimizer.param_groups:
            if last_epoch >= 0 and "initial_lr" not in group:
                raise error(KeyError, "param 'initial_lr' is not specified in param_groups.")
            group.setdefault("initial_lr", float(group["lr"]))
        self.base_lrs: list[Any] = [g["initial_lr"] for g in optimizer.param_groups]
        self.groups_num = len(self.base_lrs)
        self.last_epoch = last_epoch
        self.step()

    def get_lr(self) -> Sequence[Rate]:
        """The rates of the groups at `last_epoch`."""
        raise error(
            NotImplementedError,
            f"For '{type(self).__name__}', 'get_lr' is not defined.",
            "define get_lr(self), which gives a list with one rate for each group of the optimizer",
        )

    def rates_at(self, epoch: int) -> Sequence[Rate]:
        """The rates of any step, where the schedule knows them; else from the present ones."""
        return self.get_lr()

    def get_last_lr(self) -> list[Tensor]:
        """The present rates of the groups."""
        return [rate.value() for rate in self._last_lr]

    def step(self, epoch: int | None = None) -> bool:
        """Sets the rates of the next step, or of a given one.

        Raises:
            RuntimeError: called in compiled code.
        """
        outside()
        if epoch is None:
            self.last_epoch += 1
            values = self.get_lr()
        else:
            self.last_epoch = int(epoch)
            values = self.rates_at(self.last_epoch)
        set_rates(self._last_lr, values)
        return True

    def _times(self, factor: float) -> list[float]:
        return [float(rate) * factor for rate in self._last_lr]

    def _base_times(self, factor: float) -> list[float]:
        return [float(base) * factor for base in self.base_lrs]
