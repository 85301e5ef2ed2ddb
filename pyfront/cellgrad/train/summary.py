"""Numbers of a training run in TensorBoard's files, written by tensorboardX, which this part alone needs."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_instance,
    check_int,
    check_one_of,
)
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell
from cellgrad.train.callback._callback import Callback, RunContext, loss_of

__all__ = ["SummaryCollector", "SummaryRecord"]

_KINDS = ("scalar", "histogram", "image")
_COLLECTED = {"collect_metric": True, "histogram_regular": ""}


def _writer(folder: str, suffix: str) -> Any:
    try:
        library = importlib.import_module("tensorboardX")
    except ImportError:
        raise error(
            ImportError,
            "SummaryRecord writes by tensorboardX, which is not installed.",
            "pip install tensorboardX",
        ) from None
    return library.SummaryWriter(folder, filename_suffix=suffix)


class SummaryRecord:
    """Writes numbers of steps to a file in TensorBoard's format: ``tensorboard --logdir`` shows them.

    Args:
        log_dir: the folder, made where it is not there.
        file_suffix: the end of the file's name.
        file_prefix, num_process, network, max_file_size, raise_exception, export_options: kept for scripts.

    Raises:
        ImportError: tensorboardX is not installed.
        ValueError: an empty path.
        OSError: the folder cannot be made.

    >>> import tempfile
    >>> with ms.train.SummaryRecord(tempfile.mkdtemp()) as record:
    ...     for step in range(3):
    ...         record.add_value("scalar", "loss", Tensor(1.0 / (step + 1)))
    ...         written = record.record(step)
    >>> written
    True
    """

    def __init__(
        self,
        log_dir: str,
        file_prefix: str = "events",
        file_suffix: str = "_MS",
        num_process: int = 32,
        network: Cell | None = None,
        max_file_size: int | None = None,
        raise_exception: bool = False,
        export_options: object = None,
    ):
        if not check_instance(log_dir, "SummaryRecord", "log_dir", str):
            raise argument_error(ValueError, "SummaryRecord", "log_dir", "a path", log_dir)
        check_instance(file_suffix, "SummaryRecord", "file_suffix", str)
        check_bool(raise_exception, "SummaryRecord", "raise_exception")
        os.makedirs(log_dir, exist_ok=True)
        self._folder = os.path.realpath(log_dir)
        self._writer: Any = _writer(self._folder, file_suffix)
        self._values: list[tuple[str, str, np.ndarray[Any, Any]]] = []
        self._mode = "train"

    @property
    def log_dir(self) -> str:
        """The folder of the file."""
        return self._folder

    def set_mode(self, mode: str) -> None:
        """Says whether what comes is of training or of evaluation: ``"train"`` or ``"eval"``, whose values have names of
        their own.

        Raises:
            ValueError: another mode.
        """
        self._mode = check_one_of(mode, "SummaryRecord.set_mode", "mode", ("train", "eval"))

    def add_value(self, plugin: str, name: str, value: TensorLike) -> None:
        """Notes a value for the next `record`.

        Args:
            plugin: ``"scalar"``: one number; ``"histogram"``: any shape; ``"image"``: [N, C, H, W]
                with 1 or 3 channels, uint8, or floats from 0 to 1.
            name: its name.
            value: a Tensor, array or number.

        Raises:
            ValueError: another `plugin`, a shape that does not fit, or no name.
            RuntimeError: the record is closed.
        """
        self._open()
        check_one_of(plugin, "SummaryRecord.add_value", "plugin", _KINDS)
        if not isinstance(name, str) or not name:
            raise argument_error(ValueError, "SummaryRecord.add_value", "name", "a string", name)
        array = value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)
        if array.dtype.kind not in "biuf":
            raise argument_error(
                ValueError, "SummaryRecord.add_value", "value", "of numbers", value
            )
        if array.dtype.itemsize == 2 and array.dtype.kind == "f":
            array = array.astype(np.float32)
        if plugin == "scalar" and array.size != 1:
            expected = "a number, or a Tensor of one element"
            raise argument_error(
                ValueError, "SummaryRecord.add_value", "value", expected, list(array.shape)
            )
        if plugin == "image" and (array.ndim != 4 or array.shape[1] not in (1, 3)):
            expected = "of shape [N, C, H, W] with 1 or 3 channels"
            raise argument_error(
                ValueError, "SummaryRecord.add_value", "value", expected, list(array.shape)
            )
        prefix = "eval/" if self._mode == "eval" else ""
        self._values.append((plugin, prefix + name, np.array(array)))

    def record(
        self,
        step: int,
        train_network: Cell | None = None,
        plugin_filter: Callable[[str], object] | None = None,
    ) -> bool:
        """Writes the values that were added since the last call, for a step.

        Args:
            step: its number.
            train_network: kept for scripts.
            plugin_filter: a function of the kind of a value that says whether it is written; None for all.

        Returns:
            Whether something was written.

        Raises:
            TypeError: `step` is not an int.
            RuntimeError: the record is closed.
        """
        self._open()
        check_int(step, "SummaryRecord.record", "step")
        values, self._values = self._values, []
        if plugin_filter is not None:
            values = [v for v in values if plugin_filter(v[0])]
        for kind, name, array in values:
            if kind == "scalar":
                self._writer.add_scalar(name, float(array.item()), step)
            elif kind == "image":
                self._writer.add_images(name, array, step, dataformats="NCHW")
            else:
                self._writer.add_histogram(name, array, step)
        return bool(values)

    def flush(self) -> None:
        """Has what was written reach the file."""
        self._open()
        self._writer.flush()

    def close(self) -> None:
        """Ends the file; a second call does nothing."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _open(self) -> None:
        if self._writer is None:
            raise error(RuntimeError, "The SummaryRecord is closed.", "make a new one")

    def __enter__(self) -> SummaryRecord:
        self._open()
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class SummaryCollector(Callback):
    """Writes the loss of steps, metrics after evaluations, and histograms of Parameters to a file of TensorBoard.

    Args:
        summary_dir: the folder.
        collect_freq: every so many steps.
        collect_specified_data: a dict of ``"collect_metric"`` (a bool: the loss and metrics) and ``"histogram_regular"``
            (a regular expression: names of trainable Parameters whose histograms are written; None for none).
        keep_default_action: whether what the dict does not name is collected: losses, metrics and all histograms.
        num_process, custom_lineage_data, collect_tensor_freq, max_file_size, export_options: kept for scripts.

    Raises:
        TypeError, ValueError: arguments of wrong types, or a name that the dict may not have.
        ImportError: tensorboardX is not installed.
        ValueError: an empty path.

    >>> import numpy as np
    >>> x = np.ones((4, 2), np.float32)
    >>> data = ms.dataset.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(2)
    >>> net = nn.Dense(2, 1, "ones", has_bias=False)
    >>> model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.25))
    >>> import tempfile
    >>> collector = ms.train.SummaryCollector(tempfile.mkdtemp(), 1)
    >>> model.train(1, data, callbacks=[collector], dataset_sink_mode=False)
    """

    def __init__(
        self,
        summary_dir: str,
        collect_freq: int = 10,
        num_process: int = 32,
        collect_specified_data: dict[str, object] | None = None,
        keep_default_action: bool = True,
        custom_lineage_data: object = None,
        collect_tensor_freq: int | None = None,
        max_file_size: int | None = None,
        export_options: object = None,
    ):
        name = "SummaryCollector"
        check_instance(summary_dir, name, "summary_dir", str)
        self._every = check_int(collect_freq, name, "collect_freq", at_least=1)
        check_bool(keep_default_action, name, "keep_default_action")
        given = {} if collect_specified_data is None else collect_specified_data
        check_instance(given, name, "collect_specified_data", dict)
        for key in given:
            check_one_of(key, name, "collect_specified_data", tuple(_COLLECTED))
        chosen = {**(_COLLECTED if keep_default_action else {}), **given}
        self._metric = check_bool(chosen.get("collect_metric", False), name, "collect_metric")
        self._names: Any = chosen.get("histogram_regular")
        if self._names is not None:
            check_instance(self._names, name, "histogram_regular", str)
        self._folder = summary_dir
        self._record: SummaryRecord | None = None

    def __enter__(self) -> SummaryCollector:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._record is not None:
            self._record.close()
            self._record = None

    def _to(self) -> SummaryRecord:
        if self._record is None:
            self._record = SummaryRecord(self._folder)
        return self._record

    def on_train_begin(self, run_context: RunContext) -> None:
        self._to()

    def on_train_step_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        if args.cur_step_num % self._every:
            return
        record = self._to()
        if self._metric:
            record.add_value("scalar", "loss", loss_of(args.net_outputs))
        if self._names is not None:
            pattern = re.compile(self._names)
            for p in args.network.trainable_params():
                if pattern.search(p.name):
                    record.add_value("histogram", p.name, p)
        record.record(args.cur_step_num)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        if self._metric and args.metrics:
            record = self._to()
            for name, value in args.metrics.items():
                if np.asarray(value).size == 1:
                    record.add_value("scalar", f"eval/{name}", value)
            record.record(args.cur_step_num)

    def on_train_end(self, run_context: RunContext) -> None:
        self.__exit__()
