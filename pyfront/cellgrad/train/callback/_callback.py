"""The base of callbacks, and what they are told."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from cellgrad.core.aliases import State
from cellgrad.core.arguments import check_instance
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor

__all__ = ["Callback", "CallbackManager", "CallbackParam", "LambdaCallback", "RunContext"]


class CallbackParam(dict[str, Any]):
    """What is known of a run, as attributes and by key; missing ones are None.

    ``cur_epoch_num`` and ``cur_step_num`` (from 1), ``epoch_num``, ``batch_num`` (None where it is
    not known), ``net_outputs``, ``network``, ``train_network``, ``eval_network``, ``optimizer``,
    ``loss_fn``, ``mode`` ("train" or "eval"), ``metrics``, ``eval_results``, ``train_dataset``,
    ``valid_dataset``, ``list_callback``.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class RunContext:
    """A run as callbacks see it.

    Args:
        original_args: what is known of it.

    >>> import numpy as np
    >>> x = np.ones((4, 2), np.float32)
    >>> data = ms.dataset.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(2)
    >>> net = nn.Dense(2, 1, "ones", has_bias=False)
    >>> model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.25))
    >>> stop = ms.train.LambdaCallback(on_train_epoch_end=lambda run: run.request_stop())
    >>> history = ms.train.History()
    >>> model.train(9, data, callbacks=[stop, history], dataset_sink_mode=False)
    >>> len(history.epoch["epoch"])
    1

    Raises:
        TypeError: `original_args` is no CallbackParam.
    """

    def __init__(self, original_args: CallbackParam):
        check_instance(original_args, "RunContext", "original_args", CallbackParam)
        self._original_args = original_args
        self._stop_requested = False

    def original_args(self) -> CallbackParam:
        """What is known of the run, a `CallbackParam`."""
        return self._original_args

    def request_stop(self) -> None:
        """Ends the run after this step or epoch."""
        self._stop_requested = True

    def get_stop_requested(self) -> bool:
        """Whether an end was asked for."""
        return self._stop_requested


class Callback:
    """The base of callbacks. A run calls `on_train_begin`, `on_train_epoch_begin`,
    `on_train_step_begin` and their ends, and the same for `eval`; by default these call the older
    `begin`, `epoch_begin`, `step_begin` and their ends.

    >>> class Steps(ms.train.Callback):
    ...     def on_train_end(self, run_context):
    ...         print(run_context.original_args().cur_step_num)
    >>> import numpy as np
    >>> x = np.ones((4, 2), np.float32)
    >>> data = ms.dataset.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(2)
    >>> net = nn.Dense(2, 1, "ones", has_bias=False)
    >>> model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.25))
    >>> model.train(1, data, callbacks=[Steps()], dataset_sink_mode=False)
    2
    """

    # Callbacks of a higher number are called after all others.
    _order = 0

    def state_dict(self) -> State:
        """What `BackupAndRestore` keeps of this callback: Tensors, and what JSON can hold, by name."""
        return {}

    def load_state_dict(self, state: State) -> None:
        """Goes on from a `state_dict`: called after `on_train_begin`, where training continues."""

    def __enter__(self) -> Callback:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def begin(self, run_context: RunContext) -> None:
        """Before a run."""

    def epoch_begin(self, run_context: RunContext) -> None:
        """Before an epoch."""

    def epoch_end(self, run_context: RunContext) -> None:
        """After an epoch."""

    def step_begin(self, run_context: RunContext) -> None:
        """Before a step."""

    def step_end(self, run_context: RunContext) -> None:
        """After a step."""

    def end(self, run_context: RunContext) -> None:
        """After a run."""

    def on_train_begin(self, run_context: RunContext) -> None:
        """Before training."""
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Before an epoch of training."""
        self.epoch_begin(run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """After an epoch of training, and its evaluation."""
        self.epoch_end(run_context)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Before a training step."""
        self.step_begin(run_context)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """After a training step."""
        self.step_end(run_context)

    def on_train_end(self, run_context: RunContext) -> None:
        """After training."""
        self.end(run_context)

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Before an evaluation."""
        self.begin(run_context)

    def on_eval_epoch_begin(self, run_context: RunContext) -> None:
        """Before the batches of an evaluation."""
        self.epoch_begin(run_context)

    def on_eval_epoch_end(self, run_context: RunContext) -> None:
        """After the batches of an evaluation."""
        self.epoch_end(run_context)

    def on_eval_step_begin(self, run_context: RunContext) -> None:
        """Before a batch of an evaluation."""
        self.step_begin(run_context)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """After a batch of an evaluation."""
        self.step_end(run_context)

    def on_eval_end(self, run_context: RunContext) -> None:
        """After an evaluation."""
        self.end(run_context)


class TrainingCallback(Callback):
    """A callback of training alone: what it does stands under the older names, by which loops of programs and classes
    derived from it know it, and evaluations do not call these."""

    def on_eval_begin(self, run_context: RunContext) -> None: ...

    def on_eval_epoch_begin(self, run_context: RunContext) -> None: ...

    def on_eval_epoch_end(self, run_context: RunContext) -> None: ...

    def on_eval_step_begin(self, run_context: RunContext) -> None: ...

    def on_eval_step_end(self, run_context: RunContext) -> None: ...

    def on_eval_end(self, run_context: RunContext) -> None: ...


_OLDER = ("begin", "epoch_begin", "epoch_end", "step_begin", "step_end", "end")
_EVENTS = [f"on_{mode}_{what}" for mode in ("train", "eval") for what in _OLDER]


class LambdaCallback(Callback):
    """A callback of functions, one an event, each of the `RunContext`.

    Args:
        on_train_epoch_begin, ...: a function for each event, or None.

    >>> import numpy as np
    >>> x = np.ones((4, 2), np.float32)
    >>> data = ms.dataset.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(2)
    >>> net = nn.Dense(2, 1, "ones", has_bias=False)
    >>> model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.25))
    >>> shown = ms.train.LambdaCallback(
    ...     on_train_epoch_end=lambda run: print(run.original_args().cur_epoch_num)
    ... )
    >>> model.train(2, data, callbacks=[shown], dataset_sink_mode=False)
    1
    2
    """

    def __init__(
        self,
        on_train_epoch_begin: Callable[[RunContext], object] | None = None,
        on_train_epoch_end: Callable[[RunContext], object] | None = None,
        on_train_step_begin: Callable[[RunContext], object] | None = None,
        on_train_step_end: Callable[[RunContext], object] | None = None,
        on_train_begin: Callable[[RunContext], object] | None = None,
        on_train_end: Callable[[RunContext], object] | None = None,
        on_eval_epoch_begin: Callable[[RunContext], object] | None = None,
        on_eval_epoch_end: Callable[[RunContext], object] | None = None,
        on_eval_step_begin: Callable[[RunContext], object] | None = None,
        on_eval_step_end: Callable[[RunContext], object] | None = None,
        on_eval_begin: Callable[[RunContext], object] | None = None,
        on_eval_end: Callable[[RunContext], object] | None = None,
    ):
        given = locals()
        for event in _EVENTS:
            function = given[event]
            setattr(self, event, function if function is not None else lambda run_context: None)


class CallbackManager(contextlib.ExitStack):
    """Passes events on to callbacks, in order."""

    def __init__(self, callbacks: Any):
        super().__init__()
        if callbacks is None:
            callbacks = []
        listed = list(callbacks) if isinstance(callbacks, Iterable) else [callbacks]
        for c in listed:
            if not isinstance(c, Callback):
                raise error(
                    TypeError,
                    f"When the 'callbacks' is a list, its elements must be 'Callback' functions, "
                    f"but got {type(c).__name__}.",
                )
        self.callbacks: list[Callback] = listed

    def __enter__(self) -> CallbackManager:
        super().__enter__()
        for c in self.callbacks:
            self.enter_context(c)
        return self

    def __getattr__(self, event: str) -> Callable[[RunContext], None]:
        """An event as a method, which a callback finds in ``list_callback``."""
        if event not in _EVENTS and event not in _OLDER:
            raise AttributeError(f"CallbackManager has no attribute '{event}'")
        return functools.partial(self.call, event)

    def call(self, event: str, run_context: RunContext) -> None:
        """Calls a method of all callbacks."""
        for c in sorted(self.callbacks, key=lambda c: c._order):
            getattr(c, event)(run_context)


def step_in_epoch(args: CallbackParam) -> int:
    """Which step of its epoch a run is at, from 1; a loop of one's own says how many an epoch has."""
    if args.cur_step_in_epoch is None and args.batch_num:
        return int((args.cur_step_num - 1) % args.batch_num + 1)
    return int(args.cur_step_in_epoch)


def loss_of(outputs: Any) -> float:
    """The loss among what a network gave: the first Tensor, averaged."""
    first = outputs
    while isinstance(first, tuple | list) and first:
        first = first[0]
    if isinstance(first, Tensor):
        return float(np.mean(first.asnumpy()))
    return float(first)


_handle_loss = loss_of  # the name that callbacks written for MindSpore import
