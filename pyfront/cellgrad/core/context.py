"""Execution context: ``set_context``, ``get_context``, ``GRAPH_MODE``, ``PYNATIVE_MODE``."""

from __future__ import annotations

import functools
import sys
from typing import Any, cast

from cellgrad import _native
from cellgrad.core import variables
from cellgrad.core.arguments import argument_error, check_instance, check_int, check_one_of
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error

__all__ = [
    "COMPATIBLE",
    "GRAPH_MODE",
    "LAX",
    "PYNATIVE_MODE",
    "STRICT",
    "ParallelMode",
    "cancel_calls",
    "get_context",
    "get_num_threads",
    "set_context",
    "set_device",
    "set_num_threads",
]

GRAPH_MODE = 0
"""A Cell's call compiles ``construct`` once per signature and runs the compiled code (the default).
"""

PYNATIVE_MODE = 1
"""A Cell's call runs ``construct`` as ordinary Python, one compiled operation at a time."""

STRICT, COMPATIBLE, LAX = 0, 1, 2
"""Values of ``jit_syntax_level``: what becomes of functions that cannot be compiled as a whole. At `LAX` they
run operation by operation, else they are errors.
"""

_DEVICES = ("CPU", "GPU", "Ascend")
_DRIVER = "CUDA_DRIVER"


class ParallelMode:
    """Names of the ways to use several devices; this version runs on one.

    >>> ms.ParallelMode.STAND_ALONE
    'stand_alone'
    """

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"


# Accepted for scripts written for MindSpore; they tune its runtime and mean nothing here.
# With the value that each has there until it is set.
_IGNORED: dict[str, Any] = {
    "aoe_config": {},
    "aoe_tune_mode": "",
    "ascend_config": {},
    "auto_tune_mode": "",
    "check_bprop": False,
    "compile_cache_path": "",
    "debug_level": 0,
    "deterministic": "OFF",
    "disable_format_transform": False,
    "enable_auto_mixed_precision": False,
    "enable_compile_cache": None,
    "enable_graph_kernel": False,
    "enable_profiling": False,
    "enable_reduce_precision": True,
    "enable_sparse": False,
    "env_config_path": "",
    "exec_order": "bfs",
    "gpu_config": {},
    "graph_kernel_flags": "",
    "infer_boost": "off",
    "inter_op_parallel_num": 0,
    "jit_config": {},
    "jit_level": "",
    "max_call_depth": 1000,
    "max_device_memory": 1024.0,
    "memory_optimize_level": 0,
    "mempool_block_size": 1.0,
    "op_timeout": 900,
    "precompile_only": False,
    "print_file_path": "",
    "profiling_options": "",
    "pynative_synchronize": False,
    "reserve_class_name_in_scope": True,
    "save_graphs": 0,
    "save_graphs_path": ".",
    "support_binary": False,
    "variable_memory_max_size": "0",
}

_context: dict[str, Any] = {
    "mode": GRAPH_MODE,
    "device_target": "CPU",
    "device_id": 0,
    "max_trips": 0,
    "max_stash_bytes": 0,
    "jit_syntax_level": STRICT,
    "max_programs": variables.count("MAX_PROGRAMS", 1024),
}
# The least value of each setting that is a number.
_COUNTS = {"max_trips": 0, "max_stash_bytes": 0, "max_programs": 1}
_THREADS = "runtime_num_threads"
_SET_CONTEXT = "context.set_context"
_warned: set[str] = set()


class Device:
    """A CUDA device in signatures of programs: one object each, compared by identity."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def __repr__(self) -> str:
        return f"GPU:{self.number}"


_device = functools.cache(Device)


class Placement:
    """Where compiled programs run: on the CPU, or on a CUDA device of some chip."""

    __slots__ = ("chip", "device_id", "key")

    def __init__(self, device_id: int | None = None, chip: str = "") -> None:
        self.device_id = device_id
        self.chip = chip
        self.key: tuple[Device, ...] = () if device_id is None else (_device(device_id),)

    def __str__(self) -> str:
        return str(self.key[0]) if self.key else "CPU"

    def options(self) -> dict[str, Any]:
        """The compile options for it."""
        return {} if self.device_id is None else {"chips": [self.chip]}


_CPU = Placement()
current = [_CPU]
# What signatures of programs begin with: the key of the current one, and the default dtype if that is
# another than float32. To be copied; see `_place`.
prefix: list[Any] = []
_dtype: list[Type] = []
# What `eager` says, to be read without a call.
eager_flag = [variables.flag("EAGER")]
# Whether calls run compiled code: what `graph_mode` says, to be read without a call.
compiled = [not eager_flag[0]]
_marks: dict[str, None] = {}
_is_numbered = [False]  # the user has said which GPU


def _place(placement: Placement) -> None:
    current[0] = placement
    prefix[:] = [*placement.key, *_dtype, *_marks]


def note(mark: str, wanted: bool) -> None:
    """Makes it part of the signatures of programs what compiled code does beside computing: ``"probes"``, its
    kernels are timed; ``"nans"``, it looks for NaN.
    """
    if wanted:
        _marks[mark] = None
    else:
        _marks.pop(mark, None)
    _place(current[0])


def noted(mark: str) -> bool:
    """Whether what is compiled now has a mark, see `note`."""
    return mark in _marks


def run_eagerly(wanted: bool) -> bool:
    """Has everything run as ordinary Python, operation by operation, or not; what it was before."""
    before = eager_flag[0]
    eager_flag[0] = wanted
    compiled[0] = graph_mode()
    return before


def eager() -> bool:
    """Whether everything runs as ordinary Python: functions under `jit`, Cells in any mode, gradients."""
    return eager_flag[0]


def note_dtype(*dtype: Type) -> None:
    """Makes a default dtype part of the signatures of programs; none is float32."""
    _dtype[:] = dtype
    _place(current[0])


def _cuda(device_id: int, asked: str, or_cpu: bool = False) -> Placement:
    """The GPU that a call asked for, or the CPU where there is no driver and `or_cpu`."""
    try:
        name, found, chip = _native.open_device(device_id)
    except _native.DeviceError as e:
        # A driver that is named has to be there.
        has_none = str(e).startswith("no CUDA driver") and not variables.text(_DRIVER)
        if or_cpu and has_none and not _is_device_required():
            _warn_once("GPU", f"{asked}: {e}; the CPU is used.")
            return _CPU
        raise error(
            RuntimeError,
            f"{asked} with device_id={device_id}: {e}.",
            f"An NVIDIA driver of CUDA 12.0 or later is needed; {variables.PREFIX}{_DRIVER} names one that "
            "is not found by itself. device_target='CPU' computes on the CPU.",
        ) from None
    if chip is None:
        raise error(
            RuntimeError,
            f"{asked}: {name} ({found}) is older than {_native.gpu_chips()[0]}, the oldest "
            "chip that code is generated for.",
        )
    return Placement(device_id, chip)


def _is_device_required() -> bool:
    """Whether the CPU is never to compute what was meant for another device."""
    return variables.flag("REQUIRE_GPU")


def check_placed(name: str, operation: str) -> int | None:
    """The number of the device with a name (``"CPU"``, ``"GPU"``, ``"GPU:1"``), on which programs compute;
    None for the host, which every program can take elements from.

    Raises:
        ValueError: no name of a device.
        RuntimeError: there is no such device, or programs compute elsewhere.
    """
    kind, colon, digits = name.partition(":")
    if (kind not in _DEVICES and kind != "cpu") or (colon and not digits.isdecimal()):
        raise argument_error(ValueError, operation, "device", "such as 'CPU' or 'GPU:0'", name)
    if kind in ("CPU", "cpu"):
        return None
    if kind == "Ascend":
        raise _no_back_end(f"For '{operation}', device '{name}'")
    number = int(digits) if digits else _context["device_id"]
    placement = _cuda(number, f"For '{operation}', device '{name}'")
    if current[0].key != placement.key:
        raise error(
            RuntimeError,
            f"For '{operation}', device is '{name}', but programs compute on {current[0]}.",
            f"ms.set_device('GPU', {number}) has them compute there; tensors move as they are needed",
        )
    return number


def _no_back_end(asked: str) -> RuntimeError:
    return error(
        RuntimeError,
        f"{asked} has no back end in this version.",
        "device_target='CPU' computes on the CPU, and 'GPU' on an NVIDIA GPU",
    )


def _warn_once(key: str, text: str) -> None:
    if key not in _warned:
        _warned.add(key)
        print(f"[WARNING] cellgrad: {text}", file=sys.stderr)


def set_context(**kwargs: object) -> None:
    """Sets the execution context.

    Args:
        mode: `GRAPH_MODE` or `PYNATIVE_MODE`.
        device_target: ``"CPU"``, or ``"GPU"`` for an NVIDIA GPU. ``"Ascend"``, and ``"GPU"`` on a
            machine without a driver, are accepted so that scripts run, and mean the CPU: one warning
            line says so, and with CELLGRAD_REQUIRE_GPU=1 it is an error, as it is for `set_device`.
        device_id: the number of the GPU, from 0.
        jit_syntax_level: `STRICT` (the default): code that cannot be compiled as a whole is an error.
            `LAX`: functions under `jit` and Cells with such code run operation by operation, and a
            warning says why, once. Gradients are compiled in any case.
        max_trips: how many trips the ``while`` loops of one call may make together; 0 (the default):
            any number. A call that makes more raises RuntimeError.
        max_stash_bytes: how many bytes they may keep at a time for the gradient; 0 (the default):
            as many as there are. A call that needs more raises MemoryError.
        max_programs: how many compiled programs are kept in memory, at least 1 (1024, or what
            CELLGRAD_MAX_PROGRAMS says). One more drops one that was not used for long.
        runtime_num_threads: as for `set_num_threads`.

    A call that raises has changed no Parameter. MindSpore's settings for its own runtime
    (``save_graphs``, ``jit_level``, ...) are accepted and have no effect.

    Raises:
        ValueError: an unknown setting, mode or device.
        TypeError: a number that is not an int.
        RuntimeError: there is no GPU of that number, CELLGRAD_CUDA_DRIVER names no driver, or
            CELLGRAD_REQUIRE_GPU=1 and there is no such device.

    >>> ms.set_context(mode=ms.GRAPH_MODE)
    >>> ms.get_context("mode") == ms.GRAPH_MODE
    True
    """
    if "device_target" in kwargs:  # with its number, whatever their order
        target: Any = kwargs.pop("device_target")
        number: Any = kwargs.pop("device_id", None)
        _choose(_SET_CONTEXT, target, number)
    for key, value in kwargs.items():
        if key == "mode":
            if isinstance(value, bool) or value not in (GRAPH_MODE, PYNATIVE_MODE):
                wanted = "context.GRAPH_MODE (0) or context.PYNATIVE_MODE (1)"
                raise argument_error(ValueError, "context.set_context", "mode", wanted, value)
            _context["mode"] = int(value)
            compiled[0] = graph_mode()
        elif key == "device_id":
            _choose(_SET_CONTEXT, _context["device_target"], cast(Any, value))
        elif key == _THREADS:
            _use_threads("context.set_context", key, value)
        elif key in _COUNTS:
            value = check_int(value, "context.set_context", key, at_least=_COUNTS[key])
            if value >= 2**63:
                raise argument_error(ValueError, "context.set_context", key, "below 2**63", value)
            _context[key] = value
            _native.set_call_limits(_context["max_trips"], _context["max_stash_bytes"])
        elif key == "jit_syntax_level":
            if value not in (STRICT, COMPATIBLE, LAX):
                wanted = "context.STRICT (0), context.COMPATIBLE (1) or context.LAX (2)"
                raise argument_error(ValueError, "context.set_context", key, wanted, value)
            _context[key] = int(value)
        elif key in _IGNORED:
            _context[key] = value
            if key == "jit_config" and isinstance(value, dict):
                _context["jit_level"] = value.get("jit_level", "")
        else:
            known = ", ".join(["mode", "device_target", "device_id", *_COUNTS, _THREADS])
            raise error(
                ValueError,
                f"For 'context.set_context', the keyword argument {key} is not recognized! "
                f"Settings with an effect: {known}.",
            )


def set_device(device_target: str, device_id: int | None = None) -> None:
    """Chooses where programs run: ``"CPU"``, or ``"GPU"`` for the NVIDIA GPU of a number.

    Tensors move when a program needs them.

    Raises:
        ValueError: an unknown device.
        RuntimeError: there is no driver, no GPU of that number, or no back end for the device. What
            was chosen before is as it was.

    >>> ms.set_device("CPU")
    >>> ms.get_context("device_target")
    'CPU'
    """
    _choose("set_device", device_target, device_id)


def _choose(function: str, target: str, device_id: int | None) -> None:
    check_instance(target, function, "device_target", str)
    check_one_of(target, function, "device_target", _DEVICES)
    if device_id is None:
        device_id = _context["device_id"]
    else:
        _is_numbered[0] = True
    device_id = check_int(device_id, function, "device_id", at_least=0)
    if device_id >= 2**31:
        raise argument_error(ValueError, function, "device_id", "below 2**31", device_id)
    # MindSpore's older function, by which scripts name the device that they were written on.
    or_cpu, asked = function == _SET_CONTEXT, f"device_target={target!r}"
    if target == "Ascend":
        if not or_cpu or _is_device_required():
            raise _no_back_end(asked)
        _warn_once(target, f"{asked} has no back end in this version; the CPU is used.")
    _place(_cuda(device_id, asked, or_cpu) if target == "GPU" else _CPU)
    _context["device_target"], _context["device_id"] = target, device_id


def prefer_device(device_id: int) -> None:
    """Programs compute on the GPU of that number, if there is one and the user has named no other."""
    if not _is_numbered[0] and _native.has_device(device_id):
        _choose("set_device", "GPU", device_id)
        _is_numbered[0] = False


def get_context(attr_key: str) -> Any:
    """The value of one setting, for example ``get_context("mode")``.

    Raises:
        ValueError: an unknown key.

    >>> ms.get_context("device_target")
    'CPU'
    """
    if attr_key == _THREADS:
        return get_num_threads()
    known = _IGNORED | _context
    if attr_key not in known:
        raise error(
            ValueError,
            f"For 'context.get_context', the argument {attr_key} is not recognized! Known: "
            f"{sorted([*known, _THREADS])}.",
        )
    return known[attr_key]


def _use_threads(function: str, name: str, count: Any) -> None:
    count = check_int(count, function, name)
    if not 0 <= count <= _native.MOST_THREADS:
        expected = f"from 1 to {_native.MOST_THREADS}, or 0 for as many as the process may use"
        raise argument_error(ValueError, function, name, expected, count)
    _native.set_num_threads(count)


def set_num_threads(num_threads: int) -> None:
    """Sets how many threads a compiled call computes on, the calling one included.

    Results have the same bits for every number. Threads start when a call first has work for them;
    calls that run keep those that they began with.

    Args:
        num_threads: from 1 to 1024. 0, as before any call of this function: what the environment
            variable CELLGRAD_NUM_THREADS says, or as many as the processors of the affinity mask,
            but no more than the quota of the process's control groups is worth.

    Raises:
        TypeError: no int.
        ValueError: another number.

    >>> ms.set_num_threads(2)
    >>> ms.get_num_threads()
    2
    >>> ms.set_num_threads(0)
    """
    _use_threads("set_num_threads", "num_threads", num_threads)


def get_num_threads() -> int:
    """How many threads a compiled call computes on: see `set_num_threads`.

    Raises:
        ValueError: CELLGRAD_NUM_THREADS is not a number from 1 to 1024.

    >>> ms.set_context(runtime_num_threads=3)
    >>> ms.get_num_threads(), ms.get_context("runtime_num_threads")
    (3, 3)
    >>> ms.set_num_threads(0)
    """
    return _native.num_threads()


def cancel_calls() -> None:
    """Ends the compiled calls that other threads run, where they have a ``while`` loop or print.

    Each raises RuntimeError, and has changed no Parameter. In the main thread Ctrl-C does it.

    >>> ms.cancel_calls()
    """
    _native.cancel_calls()


# Whether the level STRICT is MindSpore's.
_strict_as_there = [False]


def strict_as_there(wanted: bool) -> None:
    """Says whether the level STRICT is of syntax alone, as in MindSpore: what it compiles there and is not compiled
    here, such as shapes that depend on elements, runs operation by operation.
    """
    _strict_as_there[0] = wanted


def stands_for_mindspore() -> bool:
    """Whether this package is imported as MindSpore: see `dropin`."""
    return _strict_as_there[0]


def syntax_is_lax(there: bool = False) -> bool:
    """Whether what cannot be compiled as a whole runs operation by operation.

    Args:
        there: whether MindSpore compiles it at its level STRICT, too.
    """
    return bool(_context["jit_syntax_level"] == LAX) or (there and _strict_as_there[0])


def pynative_mode() -> bool:
    """Whether the mode is PYNATIVE_MODE, which also says what gradients of Parameters mean."""
    return bool(_context["mode"] == PYNATIVE_MODE)


def graph_mode() -> bool:
    """Whether calling a Cell compiles it."""
    return not pynative_mode() and not eager_flag[0]
