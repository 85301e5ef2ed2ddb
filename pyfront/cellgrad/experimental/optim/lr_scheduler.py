"""Learning rates of ``param_groups`` that a program moves on, one step after another.

A step sets the Parameters that hold the rates; compiled training steps read them, and are not
compiled again.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence

from cellgrad.core.aliases import Rate
from cellgrad.core.arguments import argument_error, check_instance, check_int, check_number
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.experimental.optim._schedule import LRScheduler, each, outside, set_rates
from cellgrad.experimental.optim.optimizers import Optimizer

__all__ = [
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]


class StepLR(LRScheduler):
    """Times `gamma` after every `step_size` steps.

    >>> from cellgrad.experimental import optim
    >>> sgd = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=1.0)
    >>> schedule = optim.lr_scheduler.StepLR(sgd, step_size=2, gamma=0.5)
    >>> for _ in range(2):
    ...     _ = schedule.step()
    >>> print(schedule.get_last_lr()[0])
    0.5
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ):
        self.step_size = check_int(step_size, "StepLR", "step_size")
        self.gamma = check_instance(gamma, "StepLR", "gamma", float)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[Rate]:
        due = self.last_epoch > 0 and self.last_epoch % self.step_size == 0
        return self._times(self.gamma if due else 1.0)

    def rates_at(self, epoch: int) -> Sequence[Rate]:
        return self._base_times(self.gamma ** (epoch // self.step_size))


class MultiStepLR(LRScheduler):
    """Times `gamma` at each of the `milestones`.

    >>> from cellgrad.experimental import optim
    >>> sgd = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=1.0)
    >>> schedule = optim.lr_scheduler.MultiStepLR(sgd, milestones=[1, 3], gamma=0.5)
    >>> for _ in range(3):
    ...     _ = schedule.step()
    >>> print(schedule.get_last_lr()[0])
    0.25
    """

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: list[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ):
        self.milestones = check_instance(milestones, "MultiStepLR", "milestones", list)
        for m in milestones:
            check_int(m, "MultiStepLR", "milestones")
        self.gamma = check_number(gamma, "MultiStepLR", "gamma")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[Rate]:
        return self._times(self.gamma ** self.milestones.count(self.last_epoch))

    def rates_at(self, epoch: int) -> Sequence[Rate]:
        return self._base_times(self.gamma ** sum(m <= epoch for m in self.milestones))


class ConstantLR(LRScheduler):
    """Times `factor` for the first `total_iters` steps.

    >>> from cellgrad.experimental import optim
    >>> sgd = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=1.0)
    >>> schedule = optim.lr_scheduler.ConstantLR(sgd, factor=0.5, total_iters=2)
    >>> for _ in range(3):
    ...     _ = schedule.step()
    >>> print(schedule.get_last_lr()[0])
    1.0
    """

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ):
        if not 0 <= factor <= 1:
            raise error(
                ValueError, "Constant multiplicative factor expected to be between 0 and 1."
            )
        self.factor = factor
        self.total_iters = check_int(total_iters, "ConstantLR", "total_iters")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[Rate]:
        if self.last_epoch == 0:
            return self._times(self.factor)
        return self._times(1.0 / self.factor if self.last_epoch == self.total_iters else 1.0)

    def rates_at(self, epoch: int) -> Sequence[Rate]:
        return self._base_times(1.0 if epoch >= self.total_iters else self.factor)


class LinearLR(LRScheduler):
    """Times a factor that goes from `start_factor` to `end_factor` in `total_iters` steps.

    >>> from cellgrad.experimental import optim
    >>> sgd = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=1.0)
    >>> schedule = optim.lr_scheduler.LinearLR(sgd, start_factor=0.5, total_iters=2)
    >>> for _ in range(1):
    ...     _ = schedule.step()
    >>> print(schedule.get_last_lr()[0])
    0.75
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ):
        if not 0 < start_factor <= 1:
            raise error(
                ValueError,
                "Starting multiplicative factor expected to be greater than 0 and less than or "
                "equal to 1.",
            )
        if not 0 <= end_factor <= 1:
            raise error(ValueError, "Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = check_int(total_iters, "LinearLR", "total_iters")
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int) -> float:
        part = min(epoch, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * part

    def get_lr(self) -> Sequence[Rate]:
        if self.last_epoch == 0:
            return self._times(self.start_factor)
        return self._times(self._factor(self.last_epoch) / self._factor(self.last_epoch - 1))

    def rates_at(self, epoch: int) -> Sequence[Rate]:
        return self._base_times(self._factor(epoch))


class ExponentialLR(LRScheduler):
    """Times `gamma` every step.

    >>> from cellgrad.experimental import optim
    >>> sgd = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=1.0)
    >>> schedule = optim.lr_scheduler.ExponentialLR(sgd, gamma=0.5)
    >>> for _ in range(2):
    ...     _ = schedule.step()
    >>> print(schedule.get_last_lr()[0])
    0.25
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1):
        self.gamma = check_instance(gamma, "ExponentialLR", "gamma", float)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[Rate]:
        return self._times(1.0 if self.last_epoch == 0 else self.gamma)

    def rates_at(self, epoch: int) -> Sequence[Rate]:
        return self._base_times(self.gamma**epoch)


class PolynomialLR(LRScheduler):
    """Falls to 0 in `total_iters` steps as a power of what is left of them.

    >>> from cellgrad.experimental import optim
    >>> sgd = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=1.0)
    >>> schedule = optim.lr_scheduler.PolynomialLR(sgd, total_iters=4)
    >>> for _ in range(1):
    ...     _ = schedule.step()
    >>> print(schedule.get_last_lr()[0])
    0.75
    """

    def __init__(
        self,
        optimizer: Optimizer,
        total_iters: int = 5,
        power: float = 1.0,
        last_epoch: int = -1,
    ):
        self.power = check_instance(power, "PolynomialLR", "power", float)
        if power < 0:
            raise argument_error(ValueError, "PolynomialLR", "power", ">= 0", power)
        self.total_iters = check_int(total_iters, "PolynomialLR", "total_iters")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[Rate]:
        epoch, total = self.last_epoch, self.total_iters
        if epoch == 0 or epoch > total:
            return self._times(1.0)
        return self._times(((total - epoch) / (total - epoch + 1)) ** self.power)

    def rates_at(self, epoch: int) -> Sequence[Rate]:
        left = 1.0 - min(epoch, self.total_iters) / self.total_iters
        return self._base_times(left**self.power)


class LambdaLR(LRScheduler):
    """The first rate times what a function gives for the number of the step.

    >>> from cellgrad.experimental import optim
    >>> sgd = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=1.0)
    >>> schedule = optim.lr_scheduler.LambdaLR(sgd, lr_lambda=lambda step: 0.5**step)
    >>> for _ in range(2):
    ...     _ = schedule.step()
    >>> print(schedule.get_last_lr()[0])
    0.25
    """

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ):
        groups = getattr(optimizer, "param_groups", [])
        self.lr_lambdas = each(lr_lambda, len(groups), "lr_lambda")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[Rate]:
        pairs = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [float(base) * float(f(self.last_epoch)) for f, base in pairs]


class MultiplicativeLR(LambdaLR):
    """The present rate times what a function gives for the number of the step.

    >>> from cellgrad.experimental import optim
    >>> sgd = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=1.0)
    >>> schedule = optim.lr_scheduler.MultiplicativeLR(sgd, lr_lambda=lambda step: 0.5)
    >>> for _ in range(2):
    ...     _ = schedule.step()
    >>> print(schedule.get_last_lr()[0])
    0.25
    """

    def get_lr(self) -> Sequence[Rate]:
        if self.last_epoch == 0:
            return self._times(1.0)
        pairs = zip(self.lr_lambdas, self._last_lr, strict=True)
        return [float(rate) * float(f(self.last_epoch)) for f, rate in pairs]


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the first rate to `eta_min` in `T_max` steps, and back.

    >>> from cellgrad.experimental import optim
    >>> sgd = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=1.0)
    >>> schedule = optim.lr_scheduler.CosineAnnealingLR(sgd, T_max=2)
    >>> for _ in range(1):
    ...     _ = schedule.step()
    >>> print(schedule.get_last_lr()[0])
    0.5
    """

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ):
        self.eta_min = check_number(eta_min, "CosineAnnealingLR", "eta_min")
        self.T_max = check_int(T_max, "CosineAnnealingLR", "T_max")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[Rate]:
        epoch, half = self.last_epoch, self.T_max
        if epoch == 0:
            return self._times(1.0)
        if (epoch - 1 - half) % (2 * half) == 0:
            rise = (1 - math.cos(math.pi / half)) / 2
            pairs = zip(self.base_lrs, self._last_lr, strict=True)
            return [float(lr) + (float(base) - self.eta_min) * rise for base, lr in pairs]
        now, before = (1 + math.cos(math.pi * e / half) for e in (epoch, epoch - 1))
        return [now / before * (float(lr) - self.eta_min) + self.eta_min for lr in self._last_lr]

    def rates_at(self, epoch: int) -> Sequence[Rate]:
        part = (1 + math.cos(math.pi * epoch / self.T_max)) / 2
        return [self.eta_min + (float(base) - self.eta_min) * part for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine from the first rate to `eta_min` in `T_0` steps, again and again, each time
    `T_mult` times as long.

    >>> from cellgrad.experimental import optim
    >>> sgd = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=1.0)
    >>> schedule = optim.lr_scheduler.CosineAnnealingWarmRestarts(sgd, T_0=2)
    >>> for _ in range(1):
    ...     _ = schedule.step()
    >>> print(schedule.get_last_lr()[0])
    0.5
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0,
        last_epoch: int = -1,
    ):
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                raise error(ValueError, f"{name} should be a positive integer, but got {value}.")
        self.T_0, self.T_mult = T_0, T_mult
        self.eta_min = check_number(eta_min, "CosineAnnealingWarmRestarts", "eta_min")
        self._place: float = last_epoch  # `last_epoch`, and the part of the next that is over
        super().__init__(optimizer, last_epoch)

    def step(self, epoch: float | None = None) -> bool:
        """Sets the rates of the next step, or of a place that may lie between two: ``step(epoch + i / n)``
        after batch i of n.

        Raises:
            ValueError: `epoch` is below 0.
            RuntimeError: called in compiled code.
        """
        outside()
        if epoch is not None and epoch < 0:
            raise error(ValueError, f"Expected non-negative epoch, but got {epoch}.")
        self._place = self._place + 1 if epoch is None else float(epoch)
        self.last_epoch = math.floor(self._place)
        set_rates(self._last_lr, self.get_lr())
        return True

    def get_lr(self) -> Sequence[Rate]:
        done, length = self._place, self.T_0
        while done >= length:
            done, length = done - length, length * self.T_mult
        part = (1 + math.cos(math.pi * done / length)) / 2
        return [self.eta_min + (float(base) - self.eta_min) * part for base in self.base_lrs]


class CyclicLR(LRScheduler):
    """From `base_lr` to `max_lr` in `step_size_up` steps and back in `step_size_down`; the height
    stays ("triangular"), halves with each cycle ("triangular2"), or shrinks by `gamma` a step
    ("exp_range"), or is what `scale_fn` gives for the cycle or step.

    >>> from cellgrad.experimental import optim
    >>> sgd = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=1.0)
    >>> schedule = optim.lr_scheduler.CyclicLR(sgd, base_lr=0.5, max_lr=1.0, step_size_up=2)
    >>> for _ in range(1):
    ...     _ = schedule.step()
    >>> print(schedule.get_last_lr()[0])
    0.75
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        last_epoch: int = -1,
    ):
        count = len(getattr(optimizer, "param_groups", []))
        self.low = each(base_lr, count, "base_lr")
        self.max_lrs = each(max_lr, count, "max_lr")
        self.scale_fn: Callable[[float], float]
        scales: dict[str, tuple[Callable[[float], float], str]] = {
            "triangular": (lambda x: 1.0, "cycle"),
            "triangular2": (lambda x: 0.5 ** (x - 1), "cycle"),
            "exp_range": (lambda x: gamma**x, "iterations"),
        }
        if scale_fn is None and mode not in scales:
            raise error(ValueError, "mode is invalid and scale_fn is None")
        self.scale_fn, self.scale_mode = (
            scales[mode] if scale_fn is None else (scale_fn, scale_mode)
        )
        down = step_size_up if step_size_down is None else step_size_down
        self.total_step_size = float(step_size_up + down)
        self.step_up_ratio = step_size_up / self.total_step_size
        super().__init__(optimizer, last_epoch)
        self.base_lrs = list(self.low)

    def get_lr(self) -> Sequence[Rate]:
        cycle = math.floor(1 + self.last_epoch / self.total_step_size)
        x = 1 + self.last_epoch / self.total_step_size - cycle
        up = self.step_up_ratio
        height = x / up if x <= up else (x - 1) / (up - 1)
        height *= float(self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch))
        return [a + (b - a) * height for a, b in zip(self.low, self.max_lrs, strict=True)]


class SequentialLR:
    """Schedulers one after another: the next begins at each of the `milestones`.

    Raises:
        ValueError: schedulers of other optimizers, or not one more than milestones.

    >>> from cellgrad.experimental import optim
    >>> sgd = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=1.0)
    >>> first = optim.lr_scheduler.ConstantLR(sgd, factor=0.5, total_iters=2)
    >>> second = optim.lr_scheduler.ExponentialLR(sgd, gamma=0.5)
    >>> schedule = optim.lr_scheduler.SequentialLR(sgd, [first, second], milestones=[2])
    >>> _ = schedule.step()
    >>> print(schedule.get_last_lr()[0])
    0.5
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ):
        if any(s.optimizer is not optimizer for s in schedulers):
            raise error(
                ValueError,
                "Sequential Schedulers expects all schedulers to belong to the same optimizer.",
            )
        if len(milestones) != len(schedulers) - 1:
            raise error(
                ValueError,
                "Sequential Schedulers expects number of schedulers provided to be one more than "
                f"the number of milestone points, but got {len(schedulers)} and "
                f"{len(milestones)}.",
            )
        self.optimizer = optimizer
        self._schedulers, self.milestones = list(schedulers), list(milestones)
        self.last_epoch = last_epoch + 1
        self._last_lr = self._schedulers[0]._last_lr
        set_rates(self._last_lr, [g["initial_lr"] for g in optimizer.param_groups])
        for scheduler in self._schedulers:
            scheduler.last_epoch -= 1
        self._schedulers[0].step()

    def step(self) -> None:
        """Sets the rates of the next step."""
        outside()
        self.last_epoch += 1
        at = bisect_right(self.milestones, self.last_epoch)
        if at > 0 and self.milestones[at - 1] == self.last_epoch:
            self._schedulers[at].step(0)
        else:
            self._schedulers[at].step()

    def get_last_lr(self) -> list[Tensor]:
        """The present rates of the groups."""
        return [rate.value() for rate in self._last_lr]


class ReduceLROnPlateau:
    """Times `factor` where a number has not improved for more than `patience` steps.

    Args:
        optimizer: one of `experimental.optim` or `mint.optim`.
        mode: "min" or "max": which numbers are better.
        factor: below 1.
        patience, cooldown: steps that are waited for an improvement, and after a reduction.
        threshold, threshold_mode: how much is an improvement, relative ("rel") or not ("abs").
        min_lr: what the rates do not fall below; one, or one a group.
        eps: the least change of a rate.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> from cellgrad.experimental import optim
    >>> sgd = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=1.0)
    >>> schedule = optim.lr_scheduler.ReduceLROnPlateau(sgd, factor=0.5, patience=0)
    >>> for loss in (1.0, 2.0, 3.0):
    ...     _ = schedule.step(loss)
    >>> print(sgd.param_groups[0]["lr"])
    Parameter (name=learning_rate_group_0, shape=(), dtype=Float32, requires_grad=True)
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0,
        eps: float = 1e-8,
    ):
        if factor >= 1.0:
            raise error(ValueError, "The lr factor should be less than 1.0.")
        if not isinstance(optimizer, Optimizer):
            raise error(
                TypeError, f"Expected an `Optimizer`, but got type {type(optimizer).__name__}."
            )
        if mode not in ("min", "max"):
            raise error(ValueError, f"`mode` should be 'min' or 'max', but got {mode}.")
        if threshold_mode not in ("rel", "abs"):
            raise error(
                ValueError, f"`threshold mode` should be 'rel' or 'abs', but got {threshold_mode}."
            )
        self.optimizer = optimizer
        self._last_lr: list[Parameter] = [g["lr"] for g in optimizer.param_groups]
        self.min_lrs = each(min_lr, len(self._last_lr), "min_lr")
        self.factor, self.patience, self.cooldown, self.eps = factor, patience, cooldown, eps
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.best = math.inf if mode == "min" else -math.inf
        self.wait = self.cooldown_counter = self.last_epoch = 0

    def step(self, metrics: float | Tensor) -> bool:
        """Counts a step that gave the number `metrics`, and lowers the rates if it is time."""
        outside()
        self.last_epoch += 1
        if self._is_improvement(float(metrics)):
            self.best, self.wait = float(metrics), 0
        else:
            self.wait += 1
        if self.in_cooldown():
            self.cooldown_counter, self.wait = self.cooldown_counter - 1, 0
        if self.wait > self.patience:
            old = [float(rate) for rate in self._last_lr]
            new = [max(r * self.factor, low) for r, low in zip(old, self.min_lrs, strict=True)]
            pairs = zip(old, new, strict=True)
            set_rates(self._last_lr, [b if a > b + self.eps else a for a, b in pairs])
            self.cooldown_counter, self.wait = self.cooldown, 0
        return True

    def in_cooldown(self) -> bool:
        """Whether a reduction was made a short time ago."""
        return self.cooldown_counter > 0

    def _is_improvement(self, value: float) -> bool:
        sign = 1.0 if self.mode == "min" else -1.0
        if self.threshold_mode == "rel":
            return sign * value < sign * self.best * (1 - sign * self.threshold)
        return sign * value < sign * self.best - self.threshold

    def get_last_lr(self) -> list[Tensor]:
        """The present rates of the groups."""
        return [rate.value() for rate in self._last_lr]
