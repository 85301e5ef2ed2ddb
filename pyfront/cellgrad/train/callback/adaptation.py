"""Callbacks that act on what they see: stopping early, changing the learning rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import State
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_callable,
    check_instance,
    check_one_of,
)
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter
from cellgrad.core.progress import say
from cellgrad.core.tensor import Tensor
from cellgrad.nn.optim.optimizer import float_of, fraction_of
from cellgrad.train.callback._callback import Callback, RunContext, TrainingCallback, loss_of

__all__ = ["EarlyStopping", "LearningRateScheduler", "ReduceLROnPlateau"]

# What is better when it is smaller; of all else, more is better.
_SMALLER = ("loss", "eval_loss", "mae", "mse", "perplexity", "MAE", "MSE")


class _Watching(Callback):
    """What both share: a value that should improve."""

    def __init__(self, monitor: str, min_delta: float, patience: int, verbose: bool, mode: str):
        owner = type(self).__name__
        check_instance(monitor, owner, "monitor", str)
        check_one_of(mode, owner, "mode", ("auto", "min", "max"))
        if isinstance(patience, bool) or not isinstance(patience, int) or patience < 0:
            raise argument_error(ValueError, owner, "patience", "a non-negative int", patience)
        self.monitor, self.patience = monitor, patience
        self.min_delta = abs(float(min_delta))
        self.verbose = check_bool(verbose, owner, "verbose")
        self.smaller = mode == "min" or (mode == "auto" and monitor in _SMALLER)
        self._reset()

    def _reset(self) -> None:
        self.wait = 0
        self.best = math.inf if self.smaller else -math.inf

    def on_train_begin(self, run_context: RunContext) -> None:
        self._reset()

    def state_dict(self) -> State:
        return {"wait": self.wait, "best": self.best}

    def load_state_dict(self, state: State) -> None:
        self.wait, self.best = state["wait"], state["best"]

    def _improves(self, value: float, best: float) -> bool:
        return value < best - self.min_delta if self.smaller else value > best + self.min_delta

    def _value(self, run_context: RunContext) -> float | None:
        """The watched value, None (and a line that says so) where there is none."""
        args = run_context.original_args()
        if self.monitor == "loss":
            return loss_of(args.net_outputs)
        results = args.eval_results or {}
        value = results.get(self.monitor)
        if value is None:
            say(
                f"[WARNING] {type(self).__name__} watches '{self.monitor}', which is not available; "
                f"there is {sorted(['loss', *results])}."
            )
            return None
        if np.ndim(value):
            raise error(
                ValueError,
                f"{type(self).__name__} can watch one number, but '{self.monitor}' has shape "
                f"{list(np.shape(value))}.",
            )
        return float(value)


class EarlyStopping(_Watching):
    """Stops training when a value no longer improves.

    Args:
        monitor: "loss", "eval_loss" or the name of a metric.
        min_delta: the least change that counts.
        patience: how many epochs without improvement are waited for.
        verbose: whether to print what happens.
        mode: "min" or "max"; "auto" knows losses and errors.
        baseline: a value that has to be improved on, or None.
        restore_best_weights: whether Parameters of the best epoch are put back at the end.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> import numpy as np
    >>> x = np.ones((4, 2), np.float32)
    >>> data = ms.dataset.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(2)
    >>> net = nn.Dense(2, 1, "ones", has_bias=False)
    >>> model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.25))
    >>> stopping = ms.train.EarlyStopping("loss", patience=1)
    >>> model.train(9, data, callbacks=[stopping], dataset_sink_mode=False)
    >>> stopping.patience
    1
    """

    def __init__(
        self,
        monitor: str = "eval_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: bool = False,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ):
        super().__init__(monitor, min_delta, patience, verbose, mode)
        self.baseline = baseline
        self.restore_best_weights = check_bool(
            restore_best_weights, "EarlyStopping", "restore_best_weights"
        )

    def _reset(self) -> None:
        super()._reset()
        self.stopped_epoch = 0
        self.best_weights: list[tuple[Parameter, Tensor]] = []

    def on_train_begin(self, run_context: RunContext) -> None:
        super().on_train_begin(run_context)
        self._parameters = run_context.original_args().train_network.parameters_dict()

    def state_dict(self) -> State:
        weights = {f"weights.{p.name}": best for p, best in self.best_weights}
        return super().state_dict() | {"stopped_epoch": self.stopped_epoch} | weights

    def load_state_dict(self, state: State) -> None:
        super().load_state_dict(state)
        self.stopped_epoch = state["stopped_epoch"]
        self.best_weights = [
            (p, state[f"weights.{name}"])
            for name, p in self._parameters.items()
            if f"weights.{name}" in state
        ]

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        value = self._value(run_context)
        if value is None:
            return
        self.wait += 1
        if self._improves(value, self.best):
            self.best = value
            if self.restore_best_weights:
                self.best_weights = [(p, Tensor(p)) for p in args.train_network.get_parameters()]
            if self.baseline is None or self._improves(value, self.baseline):
                self.wait = 0
        if self.wait >= self.patience and (self.wait or not self.patience):
            self.stopped_epoch = args.cur_epoch_num
            run_context.request_stop()
            if self.best_weights:
                if self.verbose:
                    say("Restoring model weights from the end of the best epoch.")
                for p, best in self.best_weights:
                    p.set_data(best)

    def on_train_end(self, run_context: RunContext) -> None:
        if self.stopped_epoch and self.verbose:
            say(f"Epoch {self.stopped_epoch:05d}: early stopping")


class ReduceLROnPlateau(_Watching):
    """Lowers the learning rate when a value no longer improves.

    Args:
        monitor, min_delta, patience, verbose, mode: as of `EarlyStopping`.
        factor: in (0, 1); what the rate is multiplied by.
        cooldown: epochs after a change in which nothing is counted.
        min_lr: the least rate.

    Raises:
        TypeError, ValueError: arguments that are not; during training, an optimizer with rates in
            groups or from a schedule.

    >>> import numpy as np
    >>> x = np.ones((4, 2), np.float32)
    >>> data = ms.dataset.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(2)
    >>> net = nn.Dense(2, 1, "ones", has_bias=False)
    >>> model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.125))
    >>> lower = ms.train.ReduceLROnPlateau("loss", factor=0.5, patience=0, min_delta=9.0)
    >>> model.train(3, data, callbacks=[lower], dataset_sink_mode=False)
    >>> print(model.train_network.optimizer.learning_rate.value())
    0.03125
    """

    def __init__(
        self,
        monitor: str = "eval_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: bool = False,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
    ):
        super().__init__(monitor, min_delta, patience, verbose, mode)
        self.factor = fraction_of(factor, "ReduceLROnPlateau", "factor")
        self.cooldown = int(float_of(cooldown, "ReduceLROnPlateau", "cooldown"))
        self.min_lr = float_of(min_lr, "ReduceLROnPlateau", "min_lr")

    def _reset(self) -> None:
        super()._reset()
        self.cooldown_counter = 0

    def state_dict(self) -> State:
        return super().state_dict() | {"cooldown_counter": self.cooldown_counter}

    def load_state_dict(self, state: State) -> None:
        super().load_state_dict(state)
        self.cooldown_counter = state["cooldown_counter"]

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        rate = _rate(args.optimizer, "ReduceLROnPlateau")
        value = self._value(run_context)
        if value is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self._improves(value, self.best):
            self.best, self.wait = value, 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience:
                old = float(rate.asnumpy())
                if old > self.min_lr:
                    new = max(old * self.factor, self.min_lr)
                    ops.assign(rate, Tensor(new, mstype.float32))
                    if self.verbose:
                        say(
                            f"Epoch {args.cur_epoch_num:05d}: ReduceLROnPlateau reducing learning "
                            f"rate to {new:.7g}."
                        )
                self.cooldown_counter, self.wait = self.cooldown, 0


class LearningRateScheduler(TrainingCallback):
    """Sets the learning rate after each step to a function of it and of the number of steps.

    Args:
        learning_rate_function: of the rate and the step number, gives the next rate.

    Raises:
        TypeError: it is no function.
        ValueError: during training, an optimizer with rates in groups or from a schedule.

    >>> import numpy as np
    >>> x = np.ones((4, 2), np.float32)
    >>> data = ms.dataset.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(2)
    >>> net = nn.Dense(2, 1, "ones", has_bias=False)
    >>> model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.25))
    >>> halved = ms.train.LearningRateScheduler(lambda rate, step: rate / 2)
    >>> model.train(1, data, callbacks=[halved], dataset_sink_mode=False)
    >>> print(model.train_network.optimizer.learning_rate.value())
    0.0625
    """

    def __init__(self, learning_rate_function: Callable[[float, int], float]):
        check_callable(
            learning_rate_function, "LearningRateScheduler", "learning_rate_function", "a function"
        )
        self.learning_rate_function = learning_rate_function

    def step_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        rate = _rate(args.optimizer, "LearningRateScheduler")
        old = float(rate.asnumpy())
        new = self.learning_rate_function(old, args.cur_step_num)
        if not math.isclose(old, new, rel_tol=1e-10):
            ops.assign(rate, Tensor(new, mstype.float32))


def _rate(optimizer: Any, owner: str) -> Parameter:
    rate = getattr(optimizer, "learning_rate", None)
    if not isinstance(rate, Parameter):
        raise error(
            ValueError,
            f"{owner} does not support dynamic learning rate and group learning rate.",
            "give the optimizer one number as its learning rate",
        )
    return rate
