"""The ranks of a program: processes that run it together (docs/distributed.md)."""

from __future__ import annotations

from cellgrad.core import ranks as _ranks
from cellgrad.core.errors import error as _error
from cellgrad.core.ranks import init, is_initialized, release
from cellgrad.ops.collectives import GROUP as _GROUP
from cellgrad.ops.collectives import check_group as _check_group

__all__ = [
    "GlobalComm",
    "get_group_size",
    "get_rank",
    "init",
    "is_initialized",
    "release",
]


class GlobalComm:
    """What is known of the group of all ranks.

    >>> print(ms.communication.GlobalComm.WORLD_COMM_GROUP)
    world
    """

    WORLD_COMM_GROUP = _GROUP


def _joined(name: str) -> None:
    if not is_initialized():
        raise _error(
            RuntimeError,
            f"'{name}' needs the ranks of the program.",
            "call communication.init() first",
        )


def get_rank(group: str = _GROUP) -> int:
    """The number of this rank, from 0.

    Raises:
        RuntimeError: `init` has not been called.
        ValueError: another group than that of all ranks.
    """
    _check_group(group, "get_rank")
    _joined("get_rank")
    return _ranks.rank()


def get_group_size(group: str = _GROUP) -> int:
    """The number of ranks.

    Raises:
        RuntimeError: `init` has not been called.
        ValueError: another group than that of all ranks.
    """
    _check_group(group, "get_group_size")
    _joined("get_group_size")
    return _ranks.size()
