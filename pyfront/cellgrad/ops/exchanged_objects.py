"""Python objects that ranks give each other, as bytes of pickle, as in `mint.distributed`.

Who unpickles runs what the sender says: ranks are processes of one program. Bytes are sent in powers of two,
as a program is compiled for each size.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad.core import groups, ranks
from cellgrad.core.arguments import argument_error
from cellgrad.core.tensor import Tensor
from cellgrad.ops import collectives
from cellgrad.ops._public import public
from cellgrad.ops.process_groups import group_name, member

_LEAST = 64


def _room(size: int) -> int:
    return max(_LEAST, 1 << max(size - 1, 0).bit_length())


def _packed(parts: Sequence[bytes], room: int) -> Tensor:
    """Each with as much room."""
    whole = np.zeros((len(parts), room), np.int8)
    for row, part in zip(whole, parts, strict=True):
        row[: len(part)] = np.frombuffer(part, np.int8)
    return Tensor(whole.reshape(-1))


def _unpacked(whole: Any, sizes: Sequence[int], room: int) -> list[Any]:
    data = whole.asnumpy().tobytes()
    return [pickle.loads(data[i * room : i * room + n]) for i, n in enumerate(sizes)]


def _list(given: Any, count: int | None, op: str, argument: str) -> list[Any]:
    """A list to write to, of so many places.

    Raises:
        TypeError: something else.
        ValueError: another number of places, or none.
    """
    if not isinstance(given, list):
        raise argument_error(TypeError, op, argument, "a list", given)
    if not given or len(given) != (count or len(given)):
        expected = f"{count} places, one for each rank" if count else "at least one place"
        raise argument_error(ValueError, op, argument, expected, len(given))
    return given


def _numbers(values: Sequence[int]) -> Tensor:
    return Tensor(np.array(values, np.int64))


def _of_all(obj: object, group: str | None) -> list[Any]:
    """What each of the ranks has."""
    own = pickle.dumps(obj)
    sizes = collectives.all_gather(_numbers([len(own)]), group).asnumpy().tolist()
    room = _room(max(sizes))
    return _unpacked(collectives.all_gather(_packed([own], room), group), sizes, room)


@public()
def all_gather_object(object_list: list[object], obj: object, group: str | None = None) -> None:
    """Puts an object of each rank into a list, on all.

    Args:
        object_list: a list of as many places as there are ranks.
        obj: what pickle can write.
        group: whose ranks take part, instead of all.

    Raises:
        TypeError: `object_list` is not a list.
        ValueError: another number of places, or this rank is not in the group.

    >>> found = [None]
    >>> ops.all_gather_object(found, {"step": 3})
    >>> found
    [{'step': 3}]
    """
    name = group_name(group, "all_gather_object")
    count = len(groups.taking_part(name, "all_gather_object"))
    found = _list(object_list, count, "all_gather_object", "object_list")
    found[:] = _of_all(obj, name)


@public()
def gather_object(
    obj: object,
    object_gather_list: list[object] | None = None,
    dst: int = 0,
    group: str | None = None,
) -> None:
    """Puts an object of each rank into a list of rank `dst`; the others need none.

    Raises:
        TypeError: `object_gather_list` is not a list on rank `dst`, or `dst` not an int.
        ValueError: another number of places, or `dst` or this rank is not in the group.

    >>> found = [None]
    >>> ops.gather_object({"step": 3}, found)
    >>> found
    [{'step': 3}]
    """
    op = "gather_object"
    name = group_name(group, op)
    is_there = ranks.rank() == member(dst, name, op, "dst")
    count = len(groups.members(name, op))
    places = _list(object_gather_list, count, op, "object_gather_list") if is_there else []
    found = _of_all(obj, name)
    if is_there:
        places[:] = found


@public()
def broadcast_object_list(
    object_list: list[object], src: int = 0, group: str | None = None, device: object = None
) -> None:
    """Puts the objects of a list of rank `src` into that of all.

    Args:
        object_list: of as many places on all ranks.
        src: a number among all ranks.
        group: whose ranks take part, instead of all.
        device: kept for scripts.

    Raises:
        TypeError: `object_list` is not a list, or `src` not an int.
        ValueError: no places, or `src` or this rank is not in the group.

    >>> objects = ["a", 1]
    >>> ops.broadcast_object_list(objects)
    >>> objects
    ['a', 1]
    """
    op = "broadcast_object_list"
    name = group_name(group, op)
    root, places = member(src, name, op, "src"), _list(object_list, None, op, "object_list")
    is_root = ranks.rank() == root
    parts = [pickle.dumps(obj) for obj in places] if is_root else [b""] * len(places)
    sizes = _broadcast(_numbers([len(part) for part in parts]), root, name)
    room = _room(max(sizes))
    whole = collectives.broadcast(_packed(parts, room), root, name)
    if not is_root:
        places[:] = _unpacked(whole, sizes, room)


def _broadcast(numbers: Tensor, root: int, group: str | None) -> list[int]:
    found: list[int] = collectives.broadcast(numbers, root, group).asnumpy().tolist()
    return found


@public()
def scatter_object_list(
    scatter_object_output_list: list[object],
    scatter_object_input_list: list[object] | None,
    src: int = 0,
    group: str | None = None,
) -> None:
    """Puts this rank's of the objects of rank `src` into the first place of a list.

    Args:
        scatter_object_output_list: a list of at least one place.
        scatter_object_input_list: an object for each rank, on rank `src`; the others need none.
        src: a number among all ranks.
        group: whose ranks take part, instead of all.

    Raises:
        TypeError: something else than lists, or `src` is not an int.
        ValueError: another number of objects, or `src` or this rank is not in the group.

    >>> found = [None]
    >>> ops.scatter_object_list(found, ["a"])
    >>> found
    ['a']
    """
    op = "scatter_object_list"
    name = group_name(group, op)
    root = member(src, name, op, "src")
    members = groups.members(name, op)
    places = _list(scatter_object_output_list, None, op, "scatter_object_output_list")
    parts = [b""] * len(members)
    if ranks.rank() == root:
        given = _list(scatter_object_input_list, len(members), op, "scatter_object_input_list")
        parts = [pickle.dumps(obj) for obj in given]
    sizes = _broadcast(_numbers([len(part) for part in parts]), root, name)
    room = _room(max(sizes))
    whole = collectives.all_to_all(_packed(parts, room), name)
    first = members.index(root) * room
    size = sizes[members.index(ranks.rank())]
    places[0] = pickle.loads(whole.asnumpy().tobytes()[first : first + size])


@public()
def send_object_list(
    object_list: list[object], dst: int, group: str | None = None, device: object = None
) -> None:
    """Sends the objects of a list to rank `dst`.

    Raises:
        TypeError: `object_list` is not a list, or `dst` not an int.
        ValueError: no objects, or `dst` is this rank or not in the group.

    >>> if ops.get_world_size() == 2:
    ...     ops.send_object_list(["a", 1], 1 - ops.get_rank())
    """
    op = "send_object_list"
    to = member(dst, group_name(group, op), op, "dst")
    parts = [pickle.dumps(obj) for obj in _list(object_list, None, op, "object_list")]
    sizes = [len(part) for part in parts]
    collectives.send(_numbers(sizes), to)
    collectives.send(_packed(parts, _room(max(sizes))), to)


@public()
def recv_object_list(
    object_list: list[object], src: int = 0, group: str | None = None, device: object = None
) -> int:
    """Puts the objects that rank `src` sends into a list of as many places; returns 0.

    Raises:
        TypeError: `object_list` is not a list, or `src` not an int.
        ValueError: no places, or `src` is this rank or not in the group.
        RuntimeError: another number of objects is sent.

    >>> if ops.get_world_size() == 2:
    ...     objects = [None, None]
    ...     done = ops.recv_object_list(objects, 1 - ops.get_rank())
    """
    op = "recv_object_list"
    source = member(src, group_name(group, op), op, "src")
    places = _list(object_list, None, op, "object_list")
    sizes = collectives.receive(_numbers([0] * len(places)), source).asnumpy().tolist()
    room = _room(max(sizes))
    whole = collectives.receive(_packed([b""] * len(places), room), source)
    places[:] = _unpacked(whole, sizes, room)
    return 0
