"""MindSpore's `Profiler`, and the names that its arguments are made of."""

from __future__ import annotations

import enum
import json
import os
from collections.abc import Callable

from cellgrad.core.arguments import argument_error, check_bool
from cellgrad.core.errors import error
from cellgrad.core.files import replacing
from cellgrad.profiler.profile import profile
from cellgrad.profiler.schedule import ProfilerAction

__all__ = [
    "AicoreMetrics",
    "ExportType",
    "Profiler",
    "ProfilerActivity",
    "ProfilerLevel",
    "tensorboard_trace_handler",
]


class ProfilerLevel(enum.Enum):
    """Kept for scripts; what is recorded does not depend on it."""

    LevelNone = "LevelNone"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class ProfilerActivity(enum.Enum):
    """Kept for scripts; what is recorded does not depend on it."""

    NPU = "NPU"
    GPU = "GPU"
    CPU = "CPU"


class AicoreMetrics(enum.Enum):
    """Kept for scripts; what is recorded does not depend on it."""

    AiCoreNone = "None"
    PipeUtilization = "PipeUtilization"
    ArithmeticUtilization = "ArithmeticUtilization"
    Memory = "Memory"
    MemoryL0 = "MemoryL0"
    MemoryUB = "MemoryUB"
    ResourceConflictRatio = "ResourceConflictRatio"
    L2Cache = "L2Cache"
    MemoryAccess = "MemoryAccess"


class ExportType(enum.Enum):
    """Kept for scripts; what is recorded does not depend on it."""

    Text = "text"
    Db = "db"


class Profiler(profile):
    """MindSpore's class: it records from its making on, and `analyse` writes what it recorded.

    Args:
        output_path: the folder that `analyse` writes to; made where it is missing.
        start_profile: False: it records from `start` on.
        kwargs: those of `ms.profile`, and MindSpore's others, which have no effect.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> profiler = ms.Profiler(output_path=folder)
    >>> y = ops.exp(Tensor([1.0, 2.0]))
    >>> profiler.analyse()
    >>> sorted(os.listdir(folder))
    ['profile.html', 'profile.json', 'profile.txt', 'trace.json']
    """

    def __init__(
        self,
        *,
        output_path: str = "./data",
        start_profile: bool = True,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[profile], object] | None = None,
        **kwargs: object,
    ):
        super().__init__(schedule=schedule, on_trace_ready=on_trace_ready)
        if not isinstance(output_path, str):
            raise argument_error(TypeError, "Profiler", "output_path", "a string", output_path)
        self.output_path = output_path
        if check_bool(start_profile, "Profiler", "start_profile"):
            self.start()

    def analyse(
        self,
        offline_path: str | None = None,
        pretty: bool = False,
        step_list: list[int] | None = None,
        mode: str = "sync",
    ) -> None:
        """Ends recording and writes ``profile.txt`` (the table), ``profile.json``, ``profile.html``
        (the pictures) and ``trace.json`` (for Chrome) to `output_path`.

        Args:
            offline_path: None; data of MindSpore's own runs cannot be read.
            pretty, step_list, mode: kept for scripts; everything is written at once.

        Raises:
            ValueError: an `offline_path`.
            OSError: a file cannot be written.
        """
        if offline_path is not None:
            raise error(
                ValueError,
                "For 'Profiler.analyse', there is nothing to read offline: a profile is in memory "
                "until it is written.",
                "call analyse() after the run, without 'offline_path'",
            )
        self.stop()
        write_all(self, self.output_path)


def write_all(made: profile, folder: str) -> None:
    """Writes a profile in all forms that need nothing else."""
    os.makedirs(folder, exist_ok=True)
    with replacing(os.path.join(folder, "profile.txt")) as file:
        file.write((made.table(most=100) + "\n").encode())
    with replacing(os.path.join(folder, "profile.json")) as file:
        file.write(json.dumps(made.to_dict(), indent=1).encode())
    made.picture(os.path.join(folder, "profile.html"))
    made.trace(os.path.join(folder, "trace.json"))


def tensorboard_trace_handler(
    dir_name: str | None = None,
    worker_name: str | None = None,
    analyse_flag: bool = True,
    async_mode: bool = False,
) -> Callable[[profile], None]:
    """For `on_trace_ready`: writes what was recorded to a folder, as `Profiler.analyse` does.

    Args:
        dir_name: the folder; ``./data`` where it is None.
        worker_name: a folder in it; none where it is None.
        analyse_flag: False writes nothing.
        async_mode: kept for scripts; everything is written at once.

    Raises:
        TypeError: a name that is no string, or an `analyse_flag` that is no bool.
    """
    for name, given in (("dir_name", dir_name), ("worker_name", worker_name)):
        if given is not None and not isinstance(given, str):
            raise argument_error(TypeError, "tensorboard_trace_handler", name, "a string", given)
    check_bool(analyse_flag, "tensorboard_trace_handler", "analyse_flag")
    folder = os.path.join(dir_name or "./data", worker_name or "")
    return lambda made: write_all(made, folder) if analyse_flag else None
