"""Callbacks that report: losses, times, history."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from cellgrad.core.aliases import State
from cellgrad.core.arguments import check_bool, check_int
from cellgrad.core.errors import error
from cellgrad.core.progress import say
from cellgrad.train.callback._callback import (
    Callback,
    RunContext,
    TrainingCallback,
    loss_of,
    step_in_epoch,
)

__all__ = ["History", "LossMonitor", "TimeMonitor"]


class LossMonitor(TrainingCallback):
    """Prints the loss of training steps, and the metrics after an evaluation; stops training when
    the loss is not finite.

    Args:
        per_print_times: a line every so many steps; none for 0.

    Raises:
        TypeError, ValueError: `per_print_times` is not a non-negative int; during training, a loss
            that is not finite.

    >>> import numpy as np
    >>> x = np.ones((4, 2), np.float32)
    >>> data = ms.dataset.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(2)
    >>> net = nn.Dense(2, 1, "ones", has_bias=False)
    >>> model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.25))
    >>> model.train(1, data, callbacks=[ms.train.LossMonitor()], dataset_sink_mode=False)
    epoch: 1 step: 1, loss is 1.0
    epoch: 1 step: 2, loss is 0.0
    """

    def __init__(self, per_print_times: int = 1):
        if per_print_times != 0 or isinstance(per_print_times, bool):
            check_int(per_print_times, "LossMonitor", "per_print_times", at_least=1)
        self._per_print_times = per_print_times

    def step_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        loss, step = loss_of(args.net_outputs), step_in_epoch(args)
        if not math.isfinite(loss):
            raise error(
                ValueError,
                f"In epoch: {args.cur_epoch_num} step: {step}, loss is NAN or INF, training "
                f"process cannot continue, terminating training.",
                "lower the learning rate, clip the gradients, or scale the loss",
            )
        if self._per_print_times and args.cur_step_num % self._per_print_times == 0:
            say(f"epoch: {args.cur_epoch_num} step: {step}, loss is {loss}")

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        if args.metrics:
            say(f"Eval result: epoch {args.cur_epoch_num}, metrics: {args.metrics}", flush=False)


class TimeMonitor(Callback):
    """Prints the time of an epoch and of its steps.

    Args:
        data_size: the number of steps, where the data set does not know it.
        data_time: whether to print the time spent waiting for data as well.

    >>> ms.train.TimeMonitor(data_size=100).data_size
    100
    """

    def __init__(self, data_size: int | None = None, data_time: bool = False):
        self.data_size = data_size
        self.data_time = check_bool(data_time, "TimeMonitor", "data_time")
        self._times: dict[str, list[float]] = {}

    def epoch_begin(self, run_context: RunContext) -> None:
        now = time.perf_counter()
        # When the epoch began, when the last step ended, and the time between steps so far.
        self._times[run_context.original_args().mode] = [now, now, 0.0]

    def step_begin(self, run_context: RunContext) -> None:
        times = self._times[run_context.original_args().mode]
        times[2] += time.perf_counter() - times[1]

    def step_end(self, run_context: RunContext) -> None:
        self._times[run_context.original_args().mode][1] = time.perf_counter()

    def epoch_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        steps = args.batch_num or self.data_size or args.cur_step_in_epoch or 1
        start, last, waited = self._times[args.mode]
        total = (last - start) * 1000
        text = (
            f"{(args.mode or 'train').title()} epoch time: {total:5.3f} ms, per step time: "
            f"{total / steps:5.3f} ms"
        )
        if self.data_time:
            text += f" (data time: {waited * 1000 / steps:5.3f} ms)"
        say(text)


class History(TrainingCallback):
    """Keeps the loss of the last step of each epoch and the results of evaluations, in
    ``history``: lists by name.

    >>> import numpy as np
    >>> x = np.ones((4, 2), np.float32)
    >>> data = ms.dataset.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(2)
    >>> net = nn.Dense(2, 1, "ones", has_bias=False)
    >>> model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.25))
    >>> history = ms.train.History()
    >>> model.train(2, data, callbacks=[history], dataset_sink_mode=False)
    >>> len(history.epoch["epoch"])
    2
    """

    def __init__(self) -> None:
        self.history: dict[str, list[Any]] = {}
        self.epoch: dict[str, list[int]] = {}

    def begin(self, run_context: RunContext) -> None:
        self.history, self.epoch = {}, {"epoch": []}

    def state_dict(self) -> State:
        return {"history": self.history, "epoch": self.epoch}

    def load_state_dict(self, state: State) -> None:
        self.epoch = state["epoch"]
        self.history = {
            name: [np.asarray(v) if isinstance(v, list) else v for v in values]
            for name, values in state["history"].items()
        }

    def epoch_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        self.epoch["epoch"].append(args.cur_epoch_num)
        found = {"net_output": loss_of(args.net_outputs), **(args.eval_results or {})}
        for name, value in found.items():
            self.history.setdefault(name, []).append(value)
