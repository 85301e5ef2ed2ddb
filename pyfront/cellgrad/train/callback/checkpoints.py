"""Callbacks that write files: checkpoints, and the state that training continues from."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import time
from collections.abc import Callable
from typing import Any

from cellgrad.checkpoints import together
from cellgrad.checkpoints.serialization import finish_saving, load_checkpoint, save_checkpoint
from cellgrad.core import dtype as mstype
from cellgrad.core import ranks
from cellgrad.core.aliases import State
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_instance,
    check_int,
    check_one_of,
)
from cellgrad.core.errors import error
from cellgrad.core.generator import get_rng_state, manual_seed, set_rng_state
from cellgrad.core.parameter import Parameter
from cellgrad.core.progress import say
from cellgrad.core.tensor import Tensor
from cellgrad.dataset.sources import rows_of_step
from cellgrad.nn.cell import Cell
from cellgrad.train.callback._callback import (
    Callback,
    CallbackParam,
    RunContext,
    TrainingCallback,
    loss_of,
    step_in_epoch,
)

# What a backup holds besides Parameters: names that begin so.
_KEPT = "backup."
_PLACE, _RANDOM = f"{_KEPT}place", f"{_KEPT}random"

__all__ = ["BackupAndRestore", "CheckpointConfig", "ModelCheckpoint"]


def _whole(value: Any, name: str) -> int:
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        kind = ValueError if isinstance(value, int) else TypeError
        raise argument_error(kind, "CheckpointConfig", name, "a non-negative int", value)
    return value


class CheckpointConfig:
    """When and what `ModelCheckpoint` writes.

    Args:
        save_checkpoint_steps: every so many steps; 0 for none.
        save_checkpoint_seconds: every so many seconds, where steps are not given.
        keep_checkpoint_max: how many files are kept; 0 for all.
        keep_checkpoint_per_n_minutes: where the number is 0, one file for so many minutes is kept.
        async_save: whether files are written in another thread.
        saved_network: what is written, instead of the training network with the optimizer's state.
        append_info: more entries: "epoch_num", "step_num", and dicts.
        format: "ckpt" or "safetensors".
        integrated_save, enc_key, enc_mode, exception_save, crc_check, remove_redundancy: as of
            `save_checkpoint`.

    Raises:
        TypeError, ValueError: arguments of wrong types, or nothing to go by.

    >>> config = ms.train.CheckpointConfig(save_checkpoint_steps=10, keep_checkpoint_max=3)
    >>> config.save_checkpoint_steps, config.keep_checkpoint_max
    (10, 3)
    """

    def __init__(
        self,
        save_checkpoint_steps: int | None = 1,
        save_checkpoint_seconds: int | None = 0,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_per_n_minutes: int | None = 0,
        integrated_save: bool = True,
        async_save: bool | str = False,
        saved_network: Cell | None = None,
        append_info: list[object] | None = None,
        enc_key: bytes | None = None,
        enc_mode: str = "AES-GCM",
        exception_save: bool = False,
        crc_check: bool = False,
        remove_redundancy: bool = False,
        format: str = "ckpt",
        **kwargs: object,
    ):
        self.save_checkpoint_steps = _whole(save_checkpoint_steps, "save_checkpoint_steps")
        seconds: int | None = _whole(save_checkpoint_seconds, "save_checkpoint_seconds")
        self.keep_checkpoint_max = _whole(keep_checkpoint_max, "keep_checkpoint_max")
        minutes: int | None = _whole(keep_checkpoint_per_n_minutes, "keep_checkpoint_per_n_minutes")
        if not self.save_checkpoint_steps and not seconds:
            raise error(
                ValueError,
                "For 'CheckpointConfig', 'save_checkpoint_steps' and 'save_checkpoint_seconds' "
                "can't both be None or 0.",
            )
        # None of what does not count, as in MindSpore.
        self.save_checkpoint_seconds = None if self.save_checkpoint_steps else seconds
        self.keep_checkpoint_per_n_minutes = None if self.keep_checkpoint_max else minutes
        check_instance(saved_network, "CheckpointConfig", "saved_network", Cell | None)
        check_one_of(format, "CheckpointConfig", "format", ("ckpt", "safetensors"))
        self.saved_network = saved_network
        self.format = format
        self.exception_save = check_bool(exception_save, "CheckpointConfig", "exception_save")
        self.numbers: list[str] = []
        self.append_dict: dict[str, Any] = {}
        for item in append_info or []:
            if isinstance(item, dict):
                self.append_dict |= item
            elif item in ("epoch_num", "step_num"):
                self.numbers.append(item)
            else:
                raise error(
                    TypeError,
                    "For 'CheckpointConfig', 'append_info' must hold 'epoch_num', 'step_num' and "
                    f"dicts, but got {item!r}.",
                )
        self.options: dict[str, Any] = {
            "integrated_save": integrated_save,
            "async_save": async_save,
            "enc_key": enc_key,
            "enc_mode": enc_mode,
            "crc_check": crc_check,
        }

    def get_checkpoint_policy(self) -> State:
        """When files are written and how many are kept."""
        return {
            "save_checkpoint_steps": self.save_checkpoint_steps,
            "save_checkpoint_seconds": self.save_checkpoint_seconds,
            "keep_checkpoint_max": self.keep_checkpoint_max,
            "keep_checkpoint_per_n_minutes": self.keep_checkpoint_per_n_minutes,
            "saved_network": self.saved_network,
        }


class ModelCheckpoint(TrainingCallback):
    """Writes checkpoints during training: ``prefix-epoch_step.ckpt``.

    Args:
        prefix: how file names begin; numbered where the directory has files that begin so. Or a function of the
            `CallbackParam` that gives the name of each file, without its ending.
        directory: where; made where it is missing. The working directory by default. Or a function of the
            `CallbackParam` that gives that of each file.
        config: a `CheckpointConfig`.

    Raises:
        TypeError: `config` is not a CheckpointConfig.
        ValueError: a prefix that is no file name, also one that a function gives.

    >>> import os, tempfile
    >>> path = tempfile.mkdtemp()
    >>> import numpy as np
    >>> x = np.ones((4, 2), np.float32)
    >>> data = ms.dataset.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(2)
    >>> net = nn.Dense(2, 1, "ones", has_bias=False)
    >>> model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.25))
    >>> saved = ms.train.ModelCheckpoint("dense", path, ms.train.CheckpointConfig(2))
    >>> model.train(1, data, callbacks=[saved], dataset_sink_mode=False)
    >>> [name for name in os.listdir(path) if name.endswith(".ckpt")]
    ['dense-1_2.ckpt']
    """

    def __init__(
        self,
        prefix: str | Callable[[CallbackParam], str] = "CKP",
        directory: str | Callable[[CallbackParam], str] | None = None,
        config: CheckpointConfig | None = None,
    ):
        if not callable(prefix):
            _check_prefix(prefix)
        check_instance(config, "ModelCheckpoint", "config", CheckpointConfig | None)
        self._config = config or CheckpointConfig()
        self._directory_of = directory if callable(directory) else None
        self._prefix_of = prefix if callable(prefix) else None
        self._directory = _made("." if directory is None or callable(directory) else directory)
        self._prefix = "" if callable(prefix) else prefix
        self._number()
        self._written: list[tuple[str, float]] = []
        self._begun: tuple[str, float] | None = None  # may still be written
        self._last_step = 0
        self._last_time = time.monotonic()
        self._latest = ""

    @property
    def latest_ckpt_file_name(self) -> str:
        """The path of the last file written."""
        return self._latest

    def _number(self) -> None:
        if self._prefix_of is None and self._directory_of is None:
            self._prefix = _free_prefix(self._directory, self._prefix)

    def begin(self, run_context: RunContext) -> None:
        self._number()
        self._last_time = time.monotonic()

    def on_train_begin(self, run_context: RunContext) -> None:
        super().on_train_begin(run_context)
        self._last_step = run_context.original_args().cur_step_num or 0

    def state_dict(self) -> State:
        self._complete()
        files = [path for path, _ in self._written]
        return {"prefix": self._prefix, "last_step": self._last_step, "files": files}

    def load_state_dict(self, state: State) -> None:
        self._prefix, self._last_step = state["prefix"], state["last_step"]
        self._written = [(path, time.monotonic()) for path in state["files"]]

    def step_end(self, run_context: RunContext) -> None:
        args, config = run_context.original_args(), self._config
        if config.save_checkpoint_steps:
            due = args.cur_step_num - self._last_step >= config.save_checkpoint_steps
        else:
            due = time.monotonic() - self._last_time >= (config.save_checkpoint_seconds or 0)
        if due:
            self._save(args)

    def end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        if args.cur_step_num and args.cur_step_num != self._last_step:
            self._save(args)
        self._complete()

    def _save(self, args: Any) -> None:
        config = self._config
        self._complete()
        self._last_step, self._last_time = args.cur_step_num, time.monotonic()
        path = f"{self._path(args)}.{config.format}"
        numbers = {"epoch_num": args.cur_epoch_num, "step_num": args.cur_step_num}
        append = config.append_dict | {n: numbers[n] for n in config.numbers}
        network = config.saved_network or args.train_network or args.network
        save_checkpoint(
            network, path, append_dict=append or None, format=config.format, **config.options
        )
        self._latest, self._begun = path, (path, time.monotonic())
        if not config.options["async_save"]:
            self._complete()

    def _path(self, args: CallbackParam) -> str:
        """Where a file is written, without its ending."""
        if self._directory_of is not None:
            self._directory = _made(self._directory_of(args))
        if self._prefix_of is not None:
            name = _check_prefix(self._prefix_of(args))
        else:
            name = f"{self._prefix}-{args.cur_epoch_num}_{step_in_epoch(args)}"
        return os.path.join(self._directory, name)

    def _complete(self) -> None:
        """Waits for the last file; older ones go only when it is complete."""
        if self._begun is None:
            return
        begun, self._begun = self._begun, None
        finish_saving()
        self._written = [w for w in self._written if w[0] != begun[0]]
        self._written.append(begun)
        self._remove()

    def _remove(self) -> None:
        config = self._config
        if config.keep_checkpoint_max:
            gone = self._written[: -config.keep_checkpoint_max]
        elif config.keep_checkpoint_per_n_minutes and len(self._written) > 1:
            before, last = self._written[-2:]
            kept = self._written[-3][1] if len(self._written) > 2 else -1e9
            soon = last[1] - kept < 60 * config.keep_checkpoint_per_n_minutes
            gone = [before] if soon and len(self._written) > 2 else []
        else:
            gone = []
        for path, _ in gone:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        self._written = [w for w in self._written if w not in gone]


def _check_prefix(prefix: Any) -> str:
    if isinstance(prefix, str) and prefix and "/" not in prefix:
        return prefix
    raise error(
        ValueError,
        "For 'ModelCheckpoint', the argument 'prefix' for checkpoint file name is invalid, it must be callable or "
        f"string that does not contain '/', but got {prefix!r}.",
    )


def _made(directory: str) -> str:
    """The full name of a directory, made where it is missing."""
    found = os.path.abspath(directory)
    os.makedirs(found, exist_ok=True)
    return found


def _free_prefix(directory: str, prefix: str) -> str:
    """The prefix, numbered where files of an earlier run have it."""
    pattern = re.compile(re.escape(prefix) + r"(?:_(\d+))?-\d+_\d+\.(?:ckpt|safetensors)")
    found = [m for m in map(pattern.fullmatch, os.listdir(directory)) if m]
    if not found:
        return prefix
    return f"{prefix}_{max(int(m.group(1) or 0) for m in found) + 1}"


_chg_ckpt_file_name_if_same_exist = _free_prefix  # as programs import it from MindSpore


def _alike(p: Parameter, stored: Any) -> bool:
    wanted = (together.shape_of(p), p.dtype)
    return isinstance(stored, Tensor) and wanted == (stored.shape, stored.dtype)


def _draw_on(drawn: Any) -> None:
    """Has this rank draw on from the states of ranks, a row each."""
    rank, before = ranks.rank(), len(drawn)
    if rank < before or (drawn == drawn[0]).all():  # all ranks draw the same
        set_rng_state(Tensor(drawn[rank % before], mstype.uint8))
    else:
        own = hashlib.sha256(drawn.tobytes() + rank.to_bytes(4, "little")).digest()
        manual_seed(int.from_bytes(own[:4], "little"))


class BackupAndRestore(Callback):
    """Keeps the state of training in a file, and continues from it: Parameters, the optimizer's
    state, the loss scale, the random numbers' state, the place in the data, and what the other
    callbacks give as `Callback.state_dict`. The file is complete at any moment, and a run that was
    killed ends with the same numbers as one that was not, given the same data in the same order
    (the data sets of this package see to that). It is called after all other callbacks, wherever it
    stands among them.

    Of several ranks, the first one of each machine writes; the random numbers' state is kept for each
    rank, other state as that rank has it. Another number of ranks continues with the rows that an epoch has
    left, where batches are whole: rows come from a source with positions through `map`, `batch` and
    `project` alone, and steps have had a number of rows that the new ranks have in whole steps. Anything
    else continues from the end of an epoch. Ranks that were not there before draw numbers of their own.

    Args:
        backup_dir: where; made where it is missing.
        save_freq: "epoch", or every so many steps.
        delete_checkpoint: whether the file is removed when training has ended.

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> import os, tempfile
    >>> path = tempfile.mkdtemp()
    >>> import numpy as np
    >>> x = np.ones((4, 2), np.float32)
    >>> data = ms.dataset.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(2)
    >>> net = nn.Dense(2, 1, "ones", has_bias=False)
    >>> model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.25))
    >>> backup = ms.train.BackupAndRestore(path, delete_checkpoint=False)
    >>> model.train(1, data, callbacks=[backup], dataset_sink_mode=False)
    >>> os.listdir(path)
    ['backup.ckpt']
    """

    _NAME = "backup.ckpt"
    _order = 1

    def __init__(
        self, backup_dir: str, save_freq: str | int = "epoch", delete_checkpoint: bool = True
    ):
        check_instance(backup_dir, "BackupAndRestore", "backup_dir", str)
        if save_freq != "epoch":
            check_int(save_freq, "BackupAndRestore", "save_freq", at_least=1)
        self.save_freq = save_freq
        self.delete_checkpoint = check_bool(
            delete_checkpoint, "BackupAndRestore", "delete_checkpoint"
        )
        os.makedirs(backup_dir, exist_ok=True)
        self.path = os.path.join(os.path.abspath(backup_dir), self._NAME)
        self._writes = True

    def on_train_begin(self, run_context: RunContext) -> None:
        self._writes = together.is_writer(self.path)
        if not os.path.exists(self.path):
            return
        args = run_context.original_args()
        state = load_checkpoint(self.path)
        kept = {n: state.pop(n) for n in list(state) if n.startswith(_KEPT)}
        if not {_PLACE, _RANDOM} <= set(kept):
            raise error(
                ValueError,
                f"'{self.path}' was not written by 'BackupAndRestore'.",
                "remove the file to start anew, or give another folder",
            )
        parameters = args.train_network.parameters_dict()
        differ = sorted(set(parameters) ^ set(state)) or [
            n for n, p in parameters.items() if not _alike(p, state[n])
        ]
        if differ:
            raise error(
                ValueError,
                f"The state in '{self.path}' is of another network or optimizer: they differ in "
                f"{differ[:5]}.",
                "remove the file to start anew",
            )
        place = json.loads(str(kept.pop(_PLACE)))
        callbacks = [type(c).__name__ for c in args.list_callback.callbacks]
        if callbacks != [name for name, _ in place["callbacks"]]:
            raise error(
                ValueError,
                f"The state in '{self.path}' was written with other callbacks: "
                f"{[name for name, _ in place['callbacks']]}, but got {callbacks}.",
                "give the same ones in the same order, or remove the file to start anew",
            )
        drawn = kept.pop(_RANDOM).reshape((-1, 16)).asnumpy()
        step = place["step"]
        if len(drawn) != ranks.size():
            step = self._step_of_ranks(args, place, len(drawn))
        for name, p in parameters.items():
            p.set_data(together.own(p, state[name]))
        _draw_on(drawn)
        for i, c in enumerate(args.list_callback.callbacks):
            own = f"{_KEPT}{i}."
            tensors = {n[len(own) :]: v for n, v in kept.items() if n.startswith(own)}
            c.load_state_dict(place["callbacks"][i][1] | tensors)
        args.resume_epoch, args.resume_step = place["epoch"], step
        args.cur_step_num = place["total"]
        args.net_outputs = Tensor(place["loss"], mstype.float64)
        if place["stop"]:
            run_context.request_stop()
        say(
            f"Continuing from '{self.path}': epoch {args.resume_epoch + 1}, step "
            f"{args.resume_step + 1}"
        )

    def _step_of_ranks(self, args: Any, place: dict[str, Any], before: int) -> int:
        """The step of an epoch at which another number of ranks has had the rows of `before` ranks."""
        step: int = place["step"]
        if step == 0:
            return 0
        if step == place.get("batches") and args.batch_num:
            return int(args.batch_num)
        had, each = place.get("rows"), rows_of_step(args.train_dataset)
        if had is None or each is None:
            why = "which rows those were is known only of a source with positions and `map`, `batch` and `project`"
        elif step * had % each:
            why = f"those had {step * had} rows, which is no whole number of steps of {each} rows"
        else:
            return step * had // each
        raise error(
            ValueError,
            f"The state in '{self.path}' is of {before} ranks, after step {step} of epoch {place['epoch'] + 1}, but "
            f"got {ranks.size()}: {why}.",
            f"start {before} ranks, or give batches whose rows fit; a state of the end of an epoch "
            "(save_freq='epoch') is for any number of ranks",
        )

    def on_train_step_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        if self.save_freq != "epoch" and args.cur_step_num % int(self.save_freq) == 0:
            self._save(run_context, args.cur_epoch_num - 1, args.cur_step_in_epoch)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        if self.save_freq == "epoch":
            self._save(run_context, args.cur_epoch_num, 0)

    def _save(self, run_context: RunContext, epoch: int, step: int) -> None:
        args = run_context.original_args()
        kept: dict[str, Any] = {_RANDOM: together.bytes_of_all(get_rng_state())}
        callbacks = []
        for i, c in enumerate(args.list_callback.callbacks):
            given = c.state_dict()
            kept |= {f"{_KEPT}{i}.{n}": v for n, v in given.items() if isinstance(v, Tensor)}
            rest = {n: v for n, v in given.items() if not isinstance(v, Tensor)}
            callbacks.append((type(c).__name__, rest))
        place = {
            "epoch": epoch,
            "step": step,
            "batches": args.batch_num,
            "rows": rows_of_step(args.train_dataset),
            "total": args.cur_step_num,
            "loss": loss_of(args.net_outputs),
            "stop": run_context.get_stop_requested(),
            "callbacks": callbacks,
        }
        kept[_PLACE] = json.dumps(place, default=lambda v: v.tolist())
        if self._writes or together.has_parts(args.train_network.get_parameters()):
            save_checkpoint(args.train_network, self.path, append_dict=kept)

    def on_train_end(self, run_context: RunContext) -> None:
        if self.delete_checkpoint and self._writes:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path)
