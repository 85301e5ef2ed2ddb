"""The environment variables of cellgrad: one table, from which all of the package reads.

A name that is not in it is an error when the package is imported, as a misspelt one would do nothing.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from cellgrad.core.errors import error, nearest

PREFIX = "CELLGRAD_"


class Variable(NamedTuple):
    """An environment variable: its name without the prefix, what it may be, and what it does."""

    name: str
    values: str  # as the page says them
    meaning: str
    names: tuple[str, ...] = ()  # those that it may list, separated by commas; empty for any text


_FLAG = "`0`, `1`"
LOGS = ("recompile", "cache", "plan", "compile", "recompute")

# In the order of the page. Those that only C reads are here for their names.
USERS = (
    Variable(
        "EAGER", _FLAG, "everything runs operation by operation, as ordinary Python (debugging.md)"
    ),
    Variable("DEBUG_NANS", _FLAG, "the first operation that gives NaN is an error (debugging.md)"),
    Variable(
        "LOG",
        ", ".join(f"`{kind}`" for kind in LOGS) + ", separated by commas",
        "notes on standard error: why something is compiled, what the cache does, the kernels, what each "
        "stage costs, what is computed again for a budget of memory (python.md, performance.md)",
        LOGS,
    ),
    Variable(
        "PROGRESS",
        _FLAG,
        "`0`: no progress bars, and no note on what is being compiled, on a terminal (training.md)",
    ),
    Variable("FULL_TRACEBACK", _FLAG, "tracebacks keep the frames of this package"),
    Variable("DEFAULT_DTYPE", "`float32`, `float64`", "what Python floats become"),
    Variable("STRICT_GRAD", _FLAG, "a gradient by integers is an error (sharp-bits.md)"),
    Variable(
        "NUM_THREADS",
        "1 to 1024",
        "the threads that a call computes on (python.md); exported models read it, too",
    ),
    Variable("CACHE", _FLAG, "`0`: no cache on disk"),
    Variable("CACHE_DIR", "a folder", "where the cache on disk is (`~/.cache/cellgrad`)"),
    Variable("CACHE_SIZE", "MiB", "the limit of the cache on disk (1024)"),
    Variable("MAX_PROGRAMS", "1 or more", "how many compiled programs are kept in memory (1024)"),
    Variable(
        "MAX_OPS", "1 or more", "how many operations a program may have (100000): sharp-bits.md"
    ),
    Variable("RANK", "0 or more", "the number of this rank, set by launchers (distributed.md)"),
    Variable("RANKS", "1 to 64", "the number of ranks, set by launchers (distributed.md)"),
    Variable("GROUP", "a name", "what tells the ranks of two programs apart (distributed.md)"),
    Variable("COMM_TIMEOUT", "seconds", "how long a rank waits for another (300): distributed.md"),
    Variable(
        "COMM_THREAD",
        _FLAG,
        "`0`: no thread; collectives are done where they are waited for; `1`: one also where all "
        "processors compute (distributed.md)",
    ),
    Variable("MPI_LIBRARY", "a file", "the MPI library, where it is another than is found"),
    Variable("NCCL_LIBRARY", "a file", "the NCCL library, where it is another than is found"),
    Variable("REQUIRE_GPU", _FLAG, "the CPU never computes what was meant for a GPU (gpu.md)"),
    Variable("CUDA_DRIVER", "a file", "the CUDA driver, where it is not found by itself (gpu.md)"),
    Variable("CUDA_SYNC", _FLAG, "each kernel is waited for, so that an error names it (gpu.md)"),
)
DEVELOPERS = (
    Variable(
        "VERIFY_EACH", _FLAG, "the compiler verifies its IR after every pass (architecture.md)"
    ),
    Variable(
        "COMM_NETWORK",
        "us, MB/s",
        "a network that ranks of one machine play: a delay and a speed (distributed.md)",
    ),
    Variable(
        "COMM_POISON",
        _FLAG,
        "what is on its way between ranks is NaN, and nobody may write to it (lowering-nets.md)",
    ),
    Variable("SANITIZE", "`address`", "compiled code is checked by AddressSanitizer (safety.md)"),
    Variable("BUILD_DIR", "a folder", "the build that tests and tools use (`build`)"),
    Variable("TEST_DEVICE", "`GPU`", "`make test-gpu`: tests compute on a GPU"),
    Variable("JAX_PYTHON", "a file", "the Python that has JAX, for comparisons"),
    Variable("MINDSPORE_PYTHON", "a file", "the Python that has MindSpore, for comparisons"),
    Variable("TORCH_PYTHON", "a file", "the Python that has PyTorch, for comparisons"),
)
_BY_NAME = {v.name: v for v in (*USERS, *DEVELOPERS)}


def text(name: str) -> str:
    """The text of a variable; empty where it is not set."""
    return os.environ.get(PREFIX + _BY_NAME[name].name, "")


def flag(name: str, default: bool = False) -> bool:
    """Whether a variable is 1.

    Raises:
        ValueError: it is neither 0 nor 1, nor empty.
    """
    given = text(name)
    if given not in ("", "0", "1"):
        raise error(ValueError, f"{PREFIX}{name} must be 0 or 1, but is {given!r}.")
    return default if not given else given == "1"


def count(name: str, default: int) -> int:
    """The number that a variable says, from 1 on.

    Raises:
        ValueError: it is no such number.
    """
    given = text(name)
    if not given:
        return default
    if not given.isascii() or not given.isdecimal() or int(given) < 1:
        raise error(
            ValueError, f"{PREFIX}{name} must be an integer of at least 1, but is {given!r}."
        )
    return int(given)


def listed(name: str) -> tuple[str, ...]:
    """The names that a variable lists.

    Raises:
        ValueError: one that it does not know.
    """
    found = tuple([part for part in text(name).split(",") if part])
    known = _BY_NAME[name].names
    for part in found:
        if part not in known:
            raise error(
                ValueError,
                f"{PREFIX}{name} may list {', '.join(known)}, but has {part!r}.",
                nearest(part, known),
            )
    return found


def check() -> None:
    """Refuses variables of the environment that have the prefix and are not in the table, and values
    that are not of those that a variable may have.

    Raises:
        ValueError: there is one.
    """
    for given in sorted(os.environ):
        name = given.removeprefix(PREFIX)
        if name == given:
            continue
        if name not in _BY_NAME:
            hint = nearest(name, _BY_NAME)
            known = ", ".join(PREFIX + v.name for v in USERS)
            head, colon, names = hint.partition(": ")
            named = ", ".join(PREFIX + n for n in names.split(", ")) if colon else ""
            raise error(
                ValueError,
                f"The environment variable {given} is not one of cellgrad, and would do nothing.",
                f"{head}: {named}" if colon else f"unset it; there are {known}",
            )
        if _BY_NAME[name].values == _FLAG:
            flag(name)
        elif _BY_NAME[name].names:
            listed(name)
