"""Model: training, evaluation and prediction of a network."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from cellgrad import nn
from cellgrad.core import progress
from cellgrad.core.aliases import MetricValue, TensorOrTensors
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_instance,
    check_int,
    check_one_of,
)
from cellgrad.core.context import ParallelMode
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.dataset._arrays import as_array
from cellgrad.dataset.pipeline import Dataset
from cellgrad.dataset.sources import every_row_once
from cellgrad.nn.cell import Cell
from cellgrad.parallel._utils import _get_device_num, _get_parallel_mode
from cellgrad.train.callback._callback import (
    Callback,
    CallbackManager,
    CallbackParam,
    RunContext,
    loss_of,
)
from cellgrad.train.loss_scale_managers import DynamicLossScaleManager
from cellgrad.train.metrics import Loss, Metric, get_metric_fn
from cellgrad.train.metrics._ranks import merge_over_ranks
from cellgrad.train.mixed_precision import auto_mixed_precision, build_train_network

__all__ = ["Model"]


class Model:
    """A network with what trains and evaluates it.

    Args:
        network: the network; without `loss_fn` it gives its loss.
        loss_fn: of the network's output and a label, or None.
        optimizer: or None for a network that is a training step itself.
        metrics: names, or a dict of names to metrics.
        eval_network: gives what the metrics take; by default the loss, outputs and label of
            `network`.
        eval_indexes: where `eval_network` gives the loss, the predicted and the true values.
        amp_level: as for `amp.auto_mixed_precision`.
        boost_level: kept for scripts.
        kwargs: `loss_scale_manager`; `keep_batchnorm_fp32` is kept for scripts.

    Raises:
        TypeError: arguments of wrong types.
        ValueError: an unknown keyword, or indexes that are not three.

    >>> net = nn.Dense(2, 1)
    >>> data = ms.dataset.NumpySlicesDataset((ops.ones((8, 2)), ops.ones((8, 1))))
    >>> model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), {"mae"})
    >>> model.train(20, data.batch(4))
    >>> model.eval(data.batch(4))["mae"] < 0.01
    True
    """

    def __init__(
        self,
        network: Cell,
        loss_fn: Cell | None = None,
        optimizer: Cell | None = None,
        metrics: Mapping[str, object] | Iterable[str] | None = None,
        eval_network: Cell | None = None,
        eval_indexes: list[int] | None = None,
        amp_level: str = "O0",
        boost_level: str = "O0",
        **kwargs: object,
    ):
        for name, value in (("network", network), ("eval_network", eval_network)):
            if name == "network" or value is not None:
                check_instance(value, "Model", name, Cell)
        unknown = set(kwargs) - {"loss_scale_manager", "keep_batchnorm_fp32"}
        if unknown:
            raise error(ValueError, f"The argument '{min(unknown)}' is not supported by 'Model'.")
        if eval_indexes is not None and (
            not isinstance(eval_indexes, list) or len(eval_indexes) != 3
        ):
            raise argument_error(
                ValueError, "Model", "eval_indexes", "a list of three ints", eval_indexes
            )
        self._network = auto_mixed_precision(network, amp_level)
        self._loss_fn = loss_fn
        self._optimizer = optimizer
        self._metric_fns = _metrics(metrics)
        self._train_network = self._build_train_network(amp_level, kwargs)
        self._eval_network, self._eval_indexes = eval_network, eval_indexes
        if eval_network is None and loss_fn is not None:
            self._eval_network = nn.WithEvalCell(
                self._network, loss_fn, amp_level in ("O2", "O3", "auto")
            )
            self._eval_indexes = [0, 1, 2]
        if self._metric_fns and self._eval_network is None:
            raise _no_evaluation()

    def _build_train_network(self, level: str, options: dict[str, Any]) -> Cell:
        if self._optimizer is None:
            if self._loss_fn is None:
                return self._network
            return nn.WithLossCell(self._network, self._loss_fn)
        default = DynamicLossScaleManager() if level == "O2" else None
        manager = options.get("loss_scale_manager", default)
        optimizer: Any = self._optimizer
        return build_train_network(
            self._network, optimizer, self._loss_fn, loss_scale_manager=manager
        )

    @property
    def train_network(self) -> Cell:
        """The training step."""
        return self._train_network

    @property
    def eval_network(self) -> Cell | None:
        """What gives the values of metrics."""
        return self._eval_network

    @property
    def predict_network(self) -> Cell:
        """The network."""
        return self._network

    # --- training -----------------------------------------------------------------------------

    def train(
        self,
        epoch: int,
        train_dataset: Iterable[object],
        callbacks: Callback | Sequence[Callback] | None = None,
        dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> None:
        """Trains; on a terminal, with a progress bar.

        Args:
            epoch: up to which epoch.
            train_dataset: a data set, or any iterable of batches: tuples, lists or dicts of
                Tensors, numpy arrays or what has DLPack, such as a PyTorch DataLoader's.
            callbacks: a callback or a list of them.
            dataset_sink_mode, sink_size: kept for scripts.
            initial_epoch: how many epochs count as done.

        Raises:
            TypeError, ValueError: arguments of wrong types, or no batches.

        >>> import numpy as np
        >>> x = np.ones((4, 2), np.float32)
        >>> data = ms.dataset.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(2)
        >>> net = nn.Dense(2, 1, "ones", has_bias=False)
        >>> model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.25))
        >>> model.train(1, data, dataset_sink_mode=False)
        >>> print(net.weight.value())
        [[0.5 0.5]]
        """
        check_bool(dataset_sink_mode, "Model.train", "dataset_sink_mode")
        self._fit(epoch, train_dataset, None, 1, callbacks, initial_epoch)

    def fit(
        self,
        epoch: int,
        train_dataset: Iterable[object],
        valid_dataset: Iterable[object] | None = None,
        valid_frequency: int | Sequence[int] = 1,
        callbacks: Callback | Sequence[Callback] | None = None,
        dataset_sink_mode: bool = False,
        valid_dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> None:
        """Trains, and evaluates after epochs; see `train`.

        Args:
            valid_dataset: what is evaluated.
            valid_frequency: every so many epochs, or a list of epochs.

        >>> import numpy as np
        >>> x = np.ones((4, 2), np.float32)
        >>> data = ms.dataset.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(2)
        >>> net = nn.Dense(2, 1, "ones", has_bias=False)
        >>> optimizer = nn.SGD(net.trainable_params(), 0.25)
        >>> model = ms.train.Model(net, nn.MSELoss(), optimizer, metrics={"loss"})
        >>> model.fit(1, data, data, dataset_sink_mode=False, valid_dataset_sink_mode=False)
        >>> print(net.weight.value())
        [[0.5 0.5]]
        """
        check_bool(dataset_sink_mode, "Model.fit", "dataset_sink_mode")
        self._fit(epoch, train_dataset, valid_dataset, valid_frequency, callbacks, initial_epoch)

    def _fit(
        self, epochs: int, data: Any, valid: Any, frequency: Any, callbacks: Any, initial: int
    ) -> None:
        check_int(epochs, "Model.train", "epoch", at_least=1)
        check_int(initial, "Model.train", "initial_epoch", at_least=0, below=epochs)
        if not isinstance(frequency, list):
            frequency = range(
                0, epochs + 1, check_int(frequency, "Model.fit", "valid_frequency", at_least=1)
            )
        args = self._args("train", callbacks)
        args.update(epoch_num=epochs, train_dataset=data, valid_dataset=valid)
        args.batch_num = _number_of_batches(data)
        args.cur_step_num = initial * (args.batch_num or 0)
        args.cur_epoch_num = initial
        context = RunContext(args)
        self._train_network.set_train(True)
        with CallbackManager(callbacks) as manager:
            args.list_callback = manager
            manager.call("on_train_begin", context)
            first, skip = args.resume_epoch, args.resume_step or 0
            later = 0  # by how many epochs the data are ahead
            if first is None and isinstance(data, Dataset) and data.get_init_step():
                begun, skip = data.resumed_at()
                later = begun - initial
            for epoch in range(initial if first is None else first, epochs):
                if context.get_stop_requested() and not skip:  # an end that a backup knows of
                    break
                args.cur_epoch_num = epoch + 1
                self._train_epoch(args, context, manager, epoch, skip, later)
                skip = 0
                if valid is not None and epoch + 1 in frequency:
                    self._evaluate(valid, args, manager)
                    self._train_network.set_train(True)
                manager.call("on_train_epoch_end", context)
                if context.get_stop_requested():
                    break
            manager.call("on_train_end", context)

    def _train_epoch(
        self,
        args: CallbackParam,
        context: RunContext,
        manager: Any,
        epoch: int,
        skip: int,
        later: int,
    ) -> None:
        args.metrics = args.eval_results = None
        args.cur_step_in_epoch = skip
        manager.call("on_train_epoch_begin", context)
        end = skip if context.get_stop_requested() else None
        batches = itertools.islice(_batches(args.train_dataset, epoch + later), skip, end)
        what = f"epoch {epoch + 1}/{args.epoch_num}"
        with progress.bar(args.batch_num, skip, what) as bar:
            for batch in batches:
                self._check_columns(batch)
                args.cur_step_num += 1
                args.cur_step_in_epoch += 1
                args.train_dataset_element = batch
                manager.call("on_train_step_begin", context)
                args.net_outputs = self._train_network(*batch)
                manager.call("on_train_step_end", context)
                if not bar.disable:
                    bar.set_postfix(loss=f"{loss_of(args.net_outputs):.4g}", refresh=False)
                    bar.update()
                if context.get_stop_requested():
                    break
        _ended(args.train_dataset)
        if not args.cur_step_in_epoch:
            raise error(
                ValueError,
                f"The data set has no batches in epoch {epoch + 1}.",
                "an iterator can be read once: pass a data set, a list, or an object with __iter__",
            )

    def _check_columns(self, batch: tuple[Any, ...]) -> None:
        if self._loss_fn is not None and len(batch) != 2:
            raise error(
                TypeError,
                f"With a loss function, batches must have two columns, inputs and labels, but got "
                f"{len(batch)}.",
                "choose them with data.project([...]), or leave 'loss_fn' out and give a network "
                "that takes all columns and returns the loss",
            )

    # --- evaluation and prediction ------------------------------------------------------------

    def eval(
        self,
        valid_dataset: Iterable[object],
        callbacks: Callback | Sequence[Callback] | None = None,
        dataset_sink_mode: bool = False,
    ) -> dict[str, MetricValue]:
        """The metrics over a data set, by name. Ranks that train data-parallel have those of the rows of
        all, where a metric can be merged (`Metric.merged`); all of them call this.

        Raises:
            ValueError: there are no metrics, or no loss function or evaluation network.

        >>> import numpy as np
        >>> x = np.ones((4, 2), np.float32)
        >>> data = ms.dataset.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(2)
        >>> net = nn.Dense(2, 1, "ones", has_bias=False)
        >>> model = ms.train.Model(net, nn.MSELoss(), metrics={"mse"})
        >>> model.eval(data, dataset_sink_mode=False)
        {'mse': 1.0}
        """
        if not self._metric_fns:
            raise error(
                ValueError, "For Model.eval, the model argument 'metrics' can not be None or empty."
            )
        args = self._args("eval", callbacks)
        args.valid_dataset, args.batch_num = valid_dataset, _number_of_batches(valid_dataset)
        with CallbackManager(callbacks) as manager:
            args.list_callback = manager
            return self._evaluate(valid_dataset, args, manager)

    def _evaluate(self, data: Any, args: CallbackParam, manager: Any) -> dict[str, Any]:
        network = self._eval_network
        if network is None:
            raise _no_evaluation()
        before = {k: args.get(k) for k in ("mode", "net_outputs", "batch_num", "cur_step_in_epoch")}
        args.update(mode="eval", batch_num=_number_of_batches(data), cur_step_in_epoch=0)
        context = RunContext(args)
        for metric in self._metric_fns.values():
            metric.clear()
        losses = Loss()
        network.set_train(False)
        manager.call("on_eval_begin", context)
        manager.call("on_eval_epoch_begin", context)
        together = _together()
        with progress.bar(args.batch_num, 0, "evaluating") as bar, every_row_once(data):
            for batch in _batches(data, 0):
                args.cur_step_in_epoch += 1
                manager.call("on_eval_step_begin", context)
                args.net_outputs = outputs = _tuple(network(*batch))
                manager.call("on_eval_step_end", context)
                self._update_metrics(outputs)
                if self._eval_indexes is not None:
                    losses.update(outputs[self._eval_indexes[0]])
                bar.update()
        _ended(data)
        if together:
            merge_over_ranks({**self._metric_fns, "": losses})
        args.metrics = {name: metric.eval() for name, metric in self._metric_fns.items()}
        args.eval_results = dict(args.metrics)
        if self._eval_indexes is not None:
            args.eval_results["eval_loss"] = losses.eval()
        manager.call("on_eval_epoch_end", context)
        manager.call("on_eval_end", context)
        if before["mode"] == "train":
            args.update(before)
        return dict(args.metrics)

    def _update_metrics(self, outputs: tuple[Any, ...]) -> None:
        for metric in self._metric_fns.values():
            if self._eval_indexes is None or metric.indexes is not None:
                metric.update(*outputs)
            elif isinstance(metric, Loss):
                metric.update(outputs[self._eval_indexes[0]])
            else:
                metric.update(*(outputs[i] for i in self._eval_indexes[1:]))

    def predict(
        self, *predict_data: object, backend: str | None = None, config: object = None
    ) -> TensorOrTensors:
        """The network's output for inputs: Tensors, arrays or what has DLPack.

        `backend` is None or "lite", and `config` is for that; both have no effect.

        Raises:
            ValueError: another `backend`.

        >>> net = nn.Dense(2, 1, "ones", has_bias=False)
        >>> print(ms.train.Model(net).predict(Tensor([[1.0, 2.0]])))
        [[3.]]
        """
        check_one_of(backend, "Model.predict", "backend", (None, "lite"))
        self._network.set_train(False)
        return self._network(*(_tensor(v) for v in predict_data))

    def _args(self, mode: str, callbacks: Any) -> CallbackParam:
        return CallbackParam(
            mode=mode,
            network=self._network,
            train_network=self._train_network,
            eval_network=self._eval_network,
            optimizer=self._optimizer,
            loss_fn=self._loss_fn,
            parallel_mode=_get_parallel_mode(),
            device_number=_get_device_num(),
            dataset_sink_mode=False,
            cur_step_num=0,
            cur_epoch_num=0,
        )


def _together() -> bool:
    """Whether other ranks evaluate, too."""
    return _get_parallel_mode() == ParallelMode.DATA_PARALLEL and _get_device_num() > 1


def _metrics(metrics: Any) -> dict[str, Metric]:
    if not metrics:
        return {}
    if isinstance(metrics, dict):
        for name, metric in metrics.items():
            if not isinstance(name, str) or not isinstance(metric, Metric):
                raise error(
                    TypeError,
                    f"For 'Model', 'metrics' must map names to metrics, but got {name!r}: "
                    f"{type(metric).__name__}.",
                )
        return dict(metrics)
    if not isinstance(metrics, set | list | tuple):
        raise error(
            TypeError,
            "The argument 'metrics' should be None, dict, set, list or tuple, but got "
            f"{type(metrics).__name__}.",
        )
    return {name: get_metric_fn(name) for name in metrics}


def _number_of_batches(data: Any) -> int | None:
    if isinstance(data, Dataset):  # not counted: that would read the data once more
        return data.known_size() if data.known_size() > 0 else None
    count: Callable[[], int] | None = getattr(data, "get_dataset_size", None)
    n = count() if count is not None else len(data) if hasattr(data, "__len__") else -1
    return n if n > 0 else None


def _tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def _tensor(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value
    return Tensor(as_array(value))


def _no_evaluation() -> Exception:
    return error(ValueError, "For 'Model', evaluation needs 'loss_fn' or 'eval_network'.")


def _ended(data: Any) -> None:
    """Lets data that counts its batches itself begin anew."""
    again = getattr(data, "reset", None)
    if not isinstance(data, Dataset) and callable(again):
        again()


def _batches(data: Any, epoch: int) -> Iterator[tuple[Any, ...]]:
    """The batches of an epoch, as tuples of Tensors."""
    if isinstance(data, Dataset):
        yield from map(tuple, data.epoch_rows(epoch))
        return
    if not isinstance(data, Iterable):
        raise error(
            TypeError,
            f"A data set must be an iterable of batches, but got {type(data).__name__}.",
        )
    for batch in data:
        values = batch.values() if isinstance(batch, dict) else _tuple(batch)
        yield tuple(_tensor(v) for v in values)
