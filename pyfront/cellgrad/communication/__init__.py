"""The ranks of a program: processes that run it together (docs/distributed.md)."""

from __future__ import annotations

from collections.abc import Sequence

from cellgrad.core import groups as _groups
from cellgrad.core import ranks as _ranks
from cellgrad.core.arguments import check_int as _check_int
from cellgrad.core.errors import error as _error
from cellgrad.core.ranks import init, is_initialized
from cellgrad.ops.collectives import GROUP as _GROUP

__all__ = [
    "GlobalComm",
    "create_group",
    "destroy_group",
    "get_group_rank_from_world_rank",
    "get_group_size",
    "get_local_rank",
    "get_local_rank_size",
    "get_process_group_ranks",
    "get_rank",
    "get_world_rank_from_group_rank",
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


def release() -> None:
    """Leaves the other ranks, and forgets groups. Programs that end do so by themselves."""
    _groups.forget()
    _ranks.release()


def _joined(name: str) -> None:
    if not is_initialized():
        raise _error(
            RuntimeError,
            f"'{name}' needs the ranks of the program.",
            "call communication.init() first",
        )


def create_group(group: str, rank_ids: Sequence[int], options: object = None) -> None:
    """Makes a group of some ranks, which collectives name: `ops.AllReduce(group="pair")`.

    The ranks of the group call it with the same arguments; nothing is communicated. Parts lie in the order
    of `rank_ids`.

    Args:
        group: the name. It keeps its ranks as long as the process runs, as compiled code has them in it.
        rank_ids: numbers among all ranks.
        options: kept for scripts.

    Raises:
        RuntimeError: `init` has not been called.
        TypeError: `group` is not a str, or `rank_ids` not a list of ints.
        ValueError: a rank is there twice or not at all, or the name has other ranks.
    """
    _joined("create_group")
    _groups.create(group, rank_ids, "create_group")


def destroy_group(group: str) -> None:
    """Forgets a group.

    Raises:
        RuntimeError: `init` has not been called.
        ValueError: there is no such group, or it is that of all ranks.
    """
    _joined("destroy_group")
    _groups.destroy(group, "destroy_group")


def get_rank(group: str = _GROUP) -> int:
    """The number of this rank, from 0; its place in a group.

    Raises:
        RuntimeError: `init` has not been called.
        ValueError: there is no such group, or this rank is not in it.
    """
    _joined("get_rank")
    return _groups.taking_part(group, "get_rank").index(_ranks.rank())


def get_group_size(group: str = _GROUP) -> int:
    """The number of ranks of a group.

    Raises:
        RuntimeError: `init` has not been called.
        ValueError: there is no such group.
    """
    _joined("get_group_size")
    return len(_groups.members(group, "get_group_size"))


def get_process_group_ranks(group: str = _GROUP) -> list[int]:
    """The ranks of a group, by their numbers among all.

    Raises:
        RuntimeError: `init` has not been called.
        ValueError: there is no such group.
    """
    _joined("get_process_group_ranks")
    return list(_groups.members(group, "get_process_group_ranks"))


def get_world_rank_from_group_rank(group: str, group_rank_id: int) -> int:
    """The number among all ranks of the one at that place of a group.

    Raises:
        RuntimeError: `init` has not been called.
        TypeError: `group_rank_id` is not an int.
        ValueError: there is no such group or place.
    """
    _joined("get_world_rank_from_group_rank")
    members = _groups.members(group, "get_world_rank_from_group_rank")
    return members[
        _check_int(
            group_rank_id,
            "get_world_rank_from_group_rank",
            "group_rank_id",
            at_least=0,
            below=len(members),
        )
    ]


def get_group_rank_from_world_rank(world_rank_id: int, group: str) -> int:
    """The place in a group of the rank of that number among all.

    Raises:
        RuntimeError: `init` has not been called.
        ValueError: there is no such group, or the rank is not in it.
    """
    _joined("get_group_rank_from_world_rank")
    members = _groups.members(group, "get_group_rank_from_world_rank")
    if world_rank_id not in members:
        raise _error(
            ValueError,
            f"For 'get_group_rank_from_world_rank', 'world_rank_id' is {world_rank_id!r}, and the group "
            f"{group!r} has the ranks {list(members)}.",
        )
    return members.index(world_rank_id)


def get_local_rank(group: str = _GROUP) -> int:
    """The number of this rank among those of its machine.

    Raises:
        RuntimeError: `init` has not been called.
        ValueError: another group than that of all ranks.
    """
    _joined("get_local_rank")
    _of_all(group, "get_local_rank")
    return _ranks.local_rank()


def get_local_rank_size(group: str = _GROUP) -> int:
    """How many ranks the machine has.

    Raises:
        RuntimeError: `init` has not been called.
        ValueError: another group than that of all ranks.
    """
    _joined("get_local_rank_size")
    _of_all(group, "get_local_rank_size")
    return _ranks.local_size()


def _of_all(group: str, name: str) -> None:
    if not _groups.is_world(group):
        raise _error(
            ValueError,
            f"For '{name}', 'group' is {group!r}; which ranks of a group share a machine is not known.",
            "leave 'group' out",
        )
