"""Groups of ranks under the names that `mint.distributed` has for them.

A group is a name, as in `communication`; None is that of all ranks, and "" one that this rank is not in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from cellgrad.core import groups
from cellgrad.core import ranks as _ranks
from cellgrad.core.arguments import argument_error, check_int, check_one_of
from cellgrad.core.errors import error
from cellgrad.ops._public import public

_BACKENDS = ("hccl", "nccl", "mccl")


def group_name(group: Any, op: str) -> str | None:
    """The name of a group that this rank is in, or None for that of all ranks.

    Raises:
        TypeError: `group` is neither a str nor None.
        ValueError: it is "", which `new_group` gives the ranks that are not in the group.
    """
    if group is not None and not isinstance(group, str):
        raise argument_error(TypeError, op, "group", "a str or None", group)
    if group == "":
        raise error(
            ValueError,
            f"For '{op}', 'group' is '', which new_group gives the ranks that are not in the group.",
            "call it on the ranks of the group alone",
        )
    return group


def member(rank: Any, group: str | None, op: str, argument: str) -> int:
    """A number among all ranks, of one in the group.

    Raises:
        TypeError: `rank` is not an int.
        ValueError: it is not in the group.
    """
    rank = check_int(rank, op, argument)
    found = groups.taking_part(group, op)
    if rank not in found:
        raise error(
            ValueError,
            f"For '{op}', '{argument}' is {rank}, and the group has the ranks {list(found)}.",
            "give the number of a rank among all ranks",
        )
    return rank


def _joined(op: str) -> None:
    if not _ranks.is_initialized():
        raise error(
            RuntimeError,
            f"'{op}' needs the ranks of the program.",
            "call init_process_group() first",
        )


@public()
def is_available() -> bool:
    """Whether programs can have several ranks: True.

    >>> ops.is_available()
    True
    """
    return True


@public()
def is_initialized() -> bool:
    """Whether this rank has joined the others.

    >>> ops.is_initialized()
    False
    """
    return _ranks.is_initialized()


@public()
def init_process_group(
    backend: str = "hccl",
    init_method: object = None,
    timeout: object = None,
    world_size: int = -1,
    rank: int = -1,
    store: object = None,
    group_name: str = "",
    pg_options: object = None,
    device_id: object = None,
) -> None:
    """Joins the other ranks of the program; see `communication.init`. A launcher has started them.

    Args:
        backend: "hccl", for what there is; "nccl" or "mccl" as for `communication.init`.
        init_method: None; ranks are found by their launcher.
        timeout: kept for scripts; `CELLGRAD_COMM_TIMEOUT` says how long ranks wait.
        world_size: how many ranks there are, or -1.
        rank: the number of this one, or -1.
        store: None.
        group_name: kept for scripts, as are `pg_options` and `device_id`.

    Raises:
        ValueError: another `backend`, an `init_method` or a `store`, or another `world_size` or `rank`
            than the launcher has given.
        RuntimeError: the ranks cannot be reached.

    >>> ops.init_process_group()
    >>> ops.is_initialized()
    True
    >>> ops.destroy_process_group()
    """
    op = "init_process_group"
    check_one_of(backend, op, "backend", _BACKENDS)
    if init_method is not None or store is not None:
        argument, given = ("init_method", init_method) if store is None else ("store", store)
        raise argument_error(
            ValueError,
            op,
            argument,
            "None",
            given,
            "start the ranks by 'cellgrad run --ranks=2', mpiexec or torchrun: they find each other",
        )
    wanted = check_int(world_size, op, "world_size"), check_int(rank, op, "rank")
    _ranks.init(backend)
    for argument, value, there in (
        ("world_size", wanted[0], _ranks.size()),
        ("rank", wanted[1], _ranks.rank()),
    ):
        if value not in (-1, there):
            raise argument_error(
                ValueError, op, argument, f"-1 or {there}, as the launcher has it", value
            )


@public()
def destroy_process_group(group: str | None = None) -> None:
    """Leaves the other ranks, or forgets a group.

    Raises:
        TypeError: `group` is neither a str nor None.
        ValueError: there is no such group.

    >>> ops.destroy_process_group()
    """
    name = group_name(group, "destroy_process_group")
    if groups.is_world(name):
        groups.forget()
        _ranks.release()
    else:
        groups.destroy(str(name), "destroy_process_group")


@public()
def new_group(
    ranks: Sequence[int] | None = None,
    timeout: object = None,
    backend: str | None = None,
    pg_options: object = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
) -> str:
    """Makes a group of some ranks, in the order of their numbers; returns its name.

    All ranks may call it. Those that are not in the group get "", by which `get_rank` and
    `get_world_size` give -1 and collectives are refused. Nothing is communicated.

    Args:
        ranks: numbers among all ranks; None for all.
        timeout: kept for scripts, as are `pg_options`, `use_local_synchronization` and `group_desc`.
        backend: "hccl", "nccl" or "mccl"; a part of the name.

    Raises:
        RuntimeError: the ranks have not been joined.
        TypeError: `ranks` is not a list of ints.
        ValueError: a rank is there twice or not at all, or another `backend`.

    >>> ops.init_process_group()
    >>> group = ops.new_group([0])
    >>> ops.get_process_group_ranks(group)
    [0]
    >>> ops.destroy_process_group()
    """
    _joined("new_group")
    if ranks is None:
        return groups.WORLD
    kind = "hccl" if backend is None else check_one_of(backend, "new_group", "backend", _BACKENDS)
    if not isinstance(ranks, list | tuple | range) or not all(type(r) is int for r in ranks):
        raise argument_error(TypeError, "new_group", "ranks", "a list of ints", ranks)
    found = sorted(ranks)
    text = hashlib.sha1("_".join(map(str, found)).encode(), usedforsecurity=False).hexdigest()
    name = f"{kind}_{len(found)}_{text}"
    groups.create(name, found, "new_group")
    return name if _ranks.rank() in found else ""


@public()
def get_rank(group: str | None = None) -> int:
    """The number of this rank, from 0; its place in a group, or -1 where it is not in it.

    Raises:
        TypeError: `group` is neither a str nor None.
        ValueError: there is no such group.

    >>> ops.get_rank()
    0
    """
    if group == "":
        return -1
    found = groups.members(group_name(group, "get_rank"), "get_rank")
    return found.index(_ranks.rank()) if _ranks.rank() in found else -1


@public()
def get_world_size(group: str | None = None) -> int:
    """The number of ranks, or of those in a group; -1 where this one is not in it.

    Raises:
        TypeError: `group` is neither a str nor None.
        ValueError: there is no such group.

    >>> ops.get_world_size()
    1
    """
    if group == "":
        return -1
    found = groups.members(group_name(group, "get_world_size"), "get_world_size")
    return len(found) if _ranks.rank() in found else -1


@public()
def get_backend(group: str | None = None) -> str:
    """What ranks communicate by: "nccl" where GPUs have it, else "mccl", through memory of the host.

    Raises:
        TypeError: `group` is neither a str nor None.
        ValueError: there is no such group.

    >>> ops.get_backend()
    'mccl'
    """
    groups.members(group_name(group, "get_backend"), "get_backend")
    return "nccl" if _ranks.kind().startswith("NCCL") else "mccl"


@public()
def get_global_rank(group: str | None, group_rank: int) -> int:
    """The number among all ranks of the one at that place of a group.

    Raises:
        TypeError: `group_rank` is not an int, or `group` neither a str nor None.
        ValueError: there is no such group or place.

    >>> ops.get_global_rank(None, 0)
    0
    """
    op = "get_global_rank"
    found = groups.members(group_name(group, op), op)
    return found[check_int(group_rank, op, "group_rank", at_least=0, below=len(found))]


@public()
def get_group_rank(group: str | None, global_rank: int) -> int:
    """The place in a group of the rank of that number among all.

    Raises:
        TypeError: `global_rank` is not an int, or `group` neither a str nor None.
        ValueError: there is no such group, or the rank is not in it.

    >>> ops.get_group_rank(None, 0)
    0
    """
    op = "get_group_rank"
    rank = check_int(global_rank, op, "global_rank")
    found = groups.members(group_name(group, op), op)
    if rank not in found:
        expected = f"one of the group's ranks {list(found)}"
        raise argument_error(ValueError, op, "global_rank", expected, rank)
    return found.index(rank)


@public()
def get_process_group_ranks(group: str | None = None) -> list[int]:
    """The ranks of a group, by their numbers among all.

    Raises:
        RuntimeError: the ranks have not been joined.
        TypeError: `group` is neither a str nor None.
        ValueError: there is no such group.

    >>> ops.init_process_group()
    >>> ops.get_process_group_ranks()
    [0]
    >>> ops.destroy_process_group()
    """
    _joined("get_process_group_ranks")
    op = "get_process_group_ranks"
    return list(groups.members(group_name(group, op), op))
