"""Groups of ranks: some of the ranks of a program, by a name that those in it share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cellgrad.core import ranks
from cellgrad.core.arguments import argument_error
from cellgrad.core.errors import error

WORLD = "world"
_WORLDS = ("", WORLD, "hccl_world_group", "nccl_world_group", "mccl_world_group")

# Those that can be used, and the ranks of every name so far: compiled code has a group's ranks in it,
# so a name never gets others.
_groups: dict[str, tuple[int, ...]] = {}
_ever: dict[str, tuple[int, ...]] = {}


def is_world(group: str | None) -> bool:
    """Whether the name is one of the group of all ranks."""
    return group is None or group in _WORLDS


def create(group: str, members: Sequence[int], op: str) -> None:
    """Makes a group of such ranks, in that order.

    Raises:
        TypeError: `group` is not a str, or `members` not a list of ints.
        ValueError: a rank is there twice or not at all, or the name has had other ranks.
    """
    if not isinstance(group, str):
        raise argument_error(TypeError, op, "group", "a str", group)
    if not isinstance(members, list | tuple | range) or not all(type(r) is int for r in members):
        raise argument_error(TypeError, op, "rank_ids", "a list of ints", members)
    found, size = tuple(members), ranks.size()
    if not found or len(set(found)) < len(found) or min(found) < 0 or max(found) >= size:
        raise error(
            ValueError,
            f"For '{op}', 'rank_ids' is {list(found)}; expected different ranks, at least one, from 0 to "
            f"{size - 1}.",
        )
    if is_world(group) or _ever.get(group, found) != found:
        before = list(range(size)) if is_world(group) else list(_ever[group])
        raise error(
            ValueError,
            f"For '{op}', the group {group!r} has the ranks {before}, and cannot get {list(found)}.",
            "give another name",
        )
    _groups[group] = _ever[group] = found


def destroy(group: str, op: str) -> None:
    """Forgets a group.

    Raises:
        ValueError: there is none of that name, or it is that of all ranks.
    """
    if is_world(group):
        raise error(ValueError, f"For '{op}', the group of all ranks cannot be destroyed.")
    check(group, op)
    del _groups[group]


def check(group: Any, op: str) -> str:
    """The name of a group.

    Raises:
        ValueError: there is none of that name.
    """
    if is_world(group):
        return WORLD
    if group not in _groups:
        raise error(
            ValueError,
            f"For '{op}', 'group' is {group!r}, but there is no such group on this rank.",
            "leave 'group' out for all ranks, or call communication.create_group first",
        )
    return str(group)


def members(group: str | None, op: str) -> tuple[int, ...]:
    """The ranks of a group, in its order.

    Raises:
        ValueError: there is no such group.
    """
    name = check(group, op)
    return tuple(range(ranks.size())) if name == WORLD else _groups[name]


def taking_part(group: str | None, op: str) -> tuple[int, ...]:
    """The ranks of a group that this one is in.

    Raises:
        ValueError: there is no such group, or this rank is not in it.
    """
    found = members(group, op)
    if ranks.rank() not in found:
        raise error(
            ValueError,
            f"For '{op}', the group {group!r} has the ranks {list(found)}, and this is rank {ranks.rank()}.",
            "call it on the ranks of the group alone",
        )
    return found


def attribute(group: str | None, op: str) -> dict[str, list[int]]:
    """The attribute of an op of the dialect: none for all ranks in their order.

    Raises:
        ValueError: as `taking_part`.
    """
    found = taking_part(group, op)
    return {} if found == tuple(range(ranks.size())) else {"group": list(found)}


def forget() -> None:
    """After the ranks have been left."""
    _groups.clear()
