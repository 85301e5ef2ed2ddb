"""Loss scales for `Model` and `amp.build_train_network`."""

from __future__ import annotations

from cellgrad.core.arguments import check_bool, check_int
from cellgrad.core.errors import not_defined
from cellgrad.nn.cell import Cell
from cellgrad.nn.optim.optimizer import float_of
from cellgrad.nn.wrap.loss_scale import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell

__all__ = ["DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager"]


class LossScaleManager:
    """The base: a scale, and a Cell that updates it.

    >>> issubclass(ms.FixedLossScaleManager, ms.LossScaleManager)
    True
    """

    def get_loss_scale(self) -> float:
        """The scale."""
        raise not_defined(self, "get_loss_scale")

    def update_loss_scale(self, overflow: bool) -> None:
        """Counts a step."""

    def get_drop_overflow_update(self) -> bool:
        """Whether steps with an overflow are skipped."""
        return True

    def get_update_cell(self) -> Cell | None:
        """The Cell that a training step updates the scale with, or None."""
        raise not_defined(self, "get_update_cell")


class FixedLossScaleManager(LossScaleManager):
    """A scale that stays.

    Args:
        loss_scale: at least 1. Without `drop_overflow_update` the optimizer's `loss_scale` must be
            the same number.
        drop_overflow_update: whether steps with an overflow are skipped.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> ms.FixedLossScaleManager(1024.0).get_loss_scale()
    1024.0
    """

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True):
        self._loss_scale = float_of(loss_scale, type(self).__name__, "loss_scale", 1.0)
        self._drop = check_bool(drop_overflow_update, type(self).__name__, "drop_overflow_update")

    def get_loss_scale(self) -> float:
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        return self._drop

    def get_update_cell(self) -> Cell | None:
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drop else None


class DynamicLossScaleManager(LossScaleManager):
    """A scale that shrinks after overflow and grows after `scale_window` steps without.

    Args:
        init_loss_scale: the first scale, at least 1.
        scale_factor: an int above 1.
        scale_window: a positive int.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> manager = ms.DynamicLossScaleManager(init_loss_scale=1024, scale_factor=2, scale_window=3)
    >>> manager.update_loss_scale(True)
    >>> manager.get_loss_scale()
    512.0
    """

    def __init__(
        self, init_loss_scale: float = 2**24, scale_factor: int = 2, scale_window: int = 2000
    ):
        owner = type(self).__name__
        self.loss_scale = float_of(init_loss_scale, owner, "init_loss_scale", 1.0)
        self.scale_factor = check_int(scale_factor, owner, "scale_factor", at_least=2)
        self.increase_ratio, self.decrease_ratio = float(scale_factor), 1.0 / scale_factor
        self.scale_window = check_int(scale_window, owner, "scale_window", at_least=1)
        self.cur_iter, self.last_overflow_iter, self.bad_step = 1, 0, 0

    def get_loss_scale(self) -> float:
        return self.loss_scale

    def update_loss_scale(self, overflow: bool) -> None:
        """Shrinks the scale on overflow, grows it after a window without; counts the step."""
        if overflow:
            self.loss_scale = max(1.0, self.loss_scale * self.decrease_ratio)
            self.last_overflow_iter = self.cur_iter
        elif (self.cur_iter - self.last_overflow_iter) % self.scale_window == 0:
            self.loss_scale *= self.increase_ratio
        self.cur_iter += 1

    def get_update_cell(self) -> Cell | None:
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)
