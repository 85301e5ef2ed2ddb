"""`profile`: what compiled code spends its time on."""

from __future__ import annotations

import functools
import json
import os
import tempfile
from collections.abc import Callable
from typing import Any

from cellgrad.core import context
from cellgrad.core.aliases import State
from cellgrad.core.arguments import argument_error, check_bool, check_callable, check_int
from cellgrad.core.errors import error
from cellgrad.core.files import replacing
from cellgrad.profiler import picture as _picture
from cellgrad.profiler.record import Kernel, Record
from cellgrad.profiler.schedule import ProfilerAction
from cellgrad.profiler.table import as_dict, table
from cellgrad.profiler.trace import trace_events

__all__ = ["profile"]

# Of MindSpore's `profile`; they choose what its runtime on Ascend collects.
_IGNORED = {
    "activities",
    "with_stack",
    "profile_memory",
    "data_process",
    "parallel_strategy",
    "hbm_ddr",
    "pcie",
    "sync_enable",
    "record_shapes",
    "experimental_config",
}


class profile:
    """Times the kernels of compiled code: a context manager, and a decorator.

    What is called meanwhile is compiled again, with calls around kernels; results have the same
    bits. Afterwards the code without these calls is used again. The compilation is timed as such.

    Args:
        function: what to profile, for ``profile(function)(*args)`` and ``@ms.profile``: each call is
            added to the profile. Without it: ``with ms.profile() as p:``.
        start_profile: whether `with` and `__call__` start it, or only `start`.
        schedule: for loops that call `step`: which steps are recorded, made by
            `ms.profiler.schedule`. Without it: all.
        on_trace_ready: called with the profile when a part of a schedule, or all of it, is complete.
        options: MindSpore's `activities`, `with_stack`, `profile_memory` and others; kept for
            scripts, without effect.

    Raises:
        TypeError: `function`, `schedule` or `on_trace_ready` is not callable, or an unknown option.
        RuntimeError: on start, where code runs on a GPU: its kernels run after the call that starts
            them has returned.

    >>> x = ops.ones((64, 64), ms.float32)
    >>> with ms.profile() as p:
    ...     y = ops.matmul(x, x)
    >>> [(kernel.kernel, kernel.runs, kernel.operations) for kernel in p.kernels]
    [('product 64x64x64', 1, 524288)]
    """

    def __init__(
        self,
        function: Callable[..., object] | None = None,
        *,
        start_profile: bool = True,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[profile], object] | None = None,
        **options: object,
    ):
        unknown = sorted(set(options) - _IGNORED)
        if unknown:
            raise error(
                TypeError,
                f"For 'profile', got an unexpected option '{unknown[0]}'.",
                f"known are function, start_profile, schedule, on_trace_ready, {sorted(_IGNORED)}",
            )
        self._record = Record()
        self._starts = check_bool(start_profile, "profile", "start_profile")
        for name, given in (("schedule", schedule), ("on_trace_ready", on_trace_ready)):
            if given is not None:
                check_callable(given, "profile", name, "a function")
        self._schedule = schedule
        self._ready = on_trace_ready
        self._number = 0
        self._function = function
        if function is not None:
            check_callable(function, "profile", "function", "a Cell or a function")
            functools.update_wrapper(self, function, updated=())

    # --- when it records -----------------------------------------------------------------------

    def start(self) -> None:
        """Starts to record, or goes on with it; with a schedule, where that says so."""
        if context.current[0].device_id is not None:
            raise error(
                RuntimeError,
                "For 'profile', code runs on a GPU, whose kernels run after the call that starts "
                "them has returned: their time cannot be told from here.",
                "profile on the CPU, after ms.set_device('CPU'), or with NVIDIA Nsight Systems",
            )
        if self._schedule is None or self._records(self._number):
            self._record.start()

    def stop(self) -> None:
        """Ends recording; what was recorded stays."""
        recorded = self._record.begun is not None
        self._record.stop()
        if recorded and self._ready is not None:
            self._ready(self)

    def step(self) -> None:
        """Tells a schedule that the next step begins."""
        if self._schedule is None:
            return
        saved = self._schedule(self._number) is ProfilerAction.RECORD_AND_SAVE
        self._number += 1
        if saved:
            self.stop()
        if self._records(self._number):
            self._record.start()
        else:
            self._record.stop()

    def _records(self, number: int) -> bool:
        assert self._schedule is not None
        return self._schedule(number) in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)

    def __enter__(self) -> profile:
        if self._starts:
            self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __call__(self, *args: object, **kwargs: object) -> Any:
        if self._function is None:  # ``@ms.profile()``
            if len(args) != 1 or kwargs or not callable(args[0]):
                raise argument_error(TypeError, "profile", "function", "a function", args)
            self._function = args[0]
            functools.update_wrapper(self, self._function, updated=())
            return self
        if self._record.begun is not None or not self._starts:
            return self._function(*args, **kwargs)
        with self:
            return self._function(*args, **kwargs)

    # --- what it recorded ----------------------------------------------------------------------

    @property
    def kernels(self) -> list[Kernel]:
        """The kernels that ran, those that took longest first."""
        return self._record.kernels()

    def table(self, most: int = 20) -> str:
        """Totals, and the `most` kernels and lines that took longest, as text."""
        return table(self._record, check_int(most, "profile.table", "most", at_least=1))

    def __str__(self) -> str:
        return self.table()

    def to_dict(self) -> State:
        """All that was measured, for json.dumps; times are in nanoseconds."""
        return as_dict(self._record)

    def trace(self, path: str | os.PathLike[str]) -> None:
        """Writes the runs of kernels, one by one, as a Chrome trace (JSON): for chrome://tracing
        and https://ui.perfetto.dev. Raises OSError where the file cannot be written.
        """
        _write(path, json.dumps(trace_events(self._record)))

    def picture(self, path: str | os.PathLike[str]) -> None:
        """Writes a roofline and a flame chart, by the suffix of the path: ``.html`` (with the
        table) or ``.svg``, which need nothing, or ``.png``, which needs matplotlib.

        Raises:
            ValueError: another suffix.
            ImportError: ``.png``, and matplotlib is not installed.
            OSError: the file cannot be written.
        """
        suffix = os.path.splitext(os.fspath(path))[1]
        if suffix == ".html":
            _write(path, _picture.page(self._record))
        elif suffix == ".svg":
            _write(path, _picture.picture(self._record))
        elif suffix == ".png":
            self._png(os.fspath(path))
        else:
            raise argument_error(
                ValueError,
                "profile.picture",
                "path",
                "a name that ends in .html, .svg or .png",
                path,
            )

    def _png(self, path: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            made = os.path.join(folder, "picture.png")
            try:
                _picture.figure(self._record, made)
            except ImportError:
                raise error(
                    ImportError,
                    "For 'profile.picture', a PNG file needs matplotlib, which is not installed.",
                    "pip install matplotlib, or write a name that ends in .html or .svg",
                ) from None
            with open(made, "rb") as file, replacing(path) as target:
                target.write(file.read())

    def add_metadata(self, key: str, value: str) -> None:
        """Adds a text to what `trace` and `to_dict` give."""
        for name, given in (("key", key), ("value", value)):
            if not isinstance(given, str):
                raise argument_error(TypeError, "profile.add_metadata", name, "a string", given)
        self._record.metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Adds what a text in JSON says. Raises ValueError where it is not JSON."""
        self.add_metadata(key, value)
        self._record.metadata[key] = json.loads(value)


def _write(path: str | os.PathLike[str], text: str) -> None:
    with replacing(os.fspath(path)) as file:
        file.write(text.encode())
