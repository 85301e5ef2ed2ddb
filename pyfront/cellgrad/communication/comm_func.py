"""Collectives and messages as functions, with MindSpore's arguments: what they give is returned."""

from __future__ import annotations

from typing import Any

from cellgrad.core import groups as _groups
from cellgrad.core import ranks as _ranks
from cellgrad.core.errors import error as _error
from cellgrad.core.tensor import Tensor
from cellgrad.ops import collectives as _collectives
from cellgrad.ops.collectives import GROUP as _GROUP
from cellgrad.ops.collectives import CommHandle

__all__ = [
    "CommHandle",
    "all_gather_into_tensor",
    "all_reduce",
    "barrier",
    "broadcast",
    "gather_into_tensor",
    "irecv",
    "isend",
    "recv",
    "reduce",
    "reduce_scatter_tensor",
    "scatter_tensor",
    "send",
]


def _with_handle(out: Tensor, async_op: bool) -> Any:
    return (out, CommHandle()) if async_op else out


def all_reduce(tensor: Tensor, op: str = "sum", group: str = _GROUP, async_op: bool = False) -> Any:
    """Each element combined over all ranks, on all; see `ops.AllReduce`.

    With `async_op`, a handle that is done is returned, too.
    """
    return _with_handle(_collectives.all_reduce(tensor, op, group=group), async_op)


def all_gather_into_tensor(tensor: Tensor, group: str = _GROUP, async_op: bool = False) -> Any:
    """The tensors of all ranks along dimension 0, on all; see `ops.AllGather`."""
    return _with_handle(_collectives.all_gather(tensor, group), async_op)


def reduce_scatter_tensor(
    tensor: Tensor, op: str = "sum", group: str = _GROUP, async_op: bool = False
) -> Any:
    """Combines over all ranks; each gets its part; see `ops.ReduceScatter`."""
    return _with_handle(_collectives.reduce_scatter(tensor, op, group), async_op)


def broadcast(tensor: Tensor, src: int = 0, group: str = _GROUP) -> Tensor:
    """The tensor of rank `src`, on all; see `ops.Broadcast`."""
    out: Tensor = _collectives.broadcast(tensor, src, group)
    return out


def barrier(group: str = _GROUP) -> None:
    """Waits until all ranks are here; see `ops.Barrier`."""
    _collectives.barrier(group)


def _in_group(rank: int, group: str, op: str, argument: str) -> None:
    members = _groups.taking_part(group, op)
    if rank not in members:
        raise _error(
            ValueError,
            f"For '{op}', '{argument}' is {rank!r}, and the group {group!r} has the ranks {list(members)}.",
            "give the number of a rank among all ranks",
        )


def reduce(tensor: Tensor, dst: int, op: str = "sum", group: str = _GROUP) -> Tensor:
    """Each element combined over all ranks, on rank `dst`; the others get their tensor back.

    Raises:
        ValueError: `dst` is not in the group, or `op` is another.
    """
    _in_group(dst, group, "reduce", "dst")
    total: Tensor = _collectives.all_reduce(tensor, op, group=group)
    return total if _ranks.rank() == dst else tensor


def gather_into_tensor(tensor: Tensor, dst: int = 0, group: str = _GROUP) -> Tensor:
    """The tensors of all ranks along dimension 0, on rank `dst`; the others get zeros.

    Raises:
        ValueError: `dst` is not in the group, or the tensor has no dimension.
    """
    _in_group(dst, group, "gather_into_tensor", "dst")
    whole: Tensor = _collectives.all_gather(tensor, group)
    return whole if _ranks.rank() == dst else whole * 0


def scatter_tensor(tensor: Tensor, src: int = 0, group: str = _GROUP) -> Tensor:
    """This rank's part along dimension 0 of the tensor of rank `src`.

    Raises:
        ValueError: `src` is not in the group, or dimension 0 cannot be divided.
    """
    _in_group(src, group, "scatter_tensor", "src")
    members = _groups.members(group, "scatter_tensor")
    return _collectives.all_to_all(tensor, group)[
        members.index(src) * (tensor.shape[0] // len(members)) :
    ][: tensor.shape[0] // len(members)]


def send(tensor: Tensor, dst: int = 0, group: str = _GROUP, tag: int = 0) -> None:
    """Sends the tensor to rank `dst`; see `ops.Send`.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged.
        ValueError: `dst` is not in the group, or is this rank.
    """
    _in_group(dst, group, "send", "dst")
    _collectives.send(tensor, dst, tag)


def recv(tensor: Tensor, src: int = 0, group: str = _GROUP, tag: int = 0) -> Tensor:
    """What rank `src` sends, of the shape and dtype of the tensor; see `ops.Receive`.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged.
        ValueError: `src` is not in the group, or is this rank.
    """
    _in_group(src, group, "recv", "src")
    out: Tensor = _collectives.receive(tensor, src, tag)
    return out


def isend(tensor: Tensor, dst: int = 0, group: str = _GROUP, tag: int = 0) -> CommHandle:
    """Sends the tensor to rank `dst`: the handle's `wait` returns at once.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged.
        ValueError: `dst` is not in the group, or is this rank.
    """
    send(tensor, dst, group, tag)
    return CommHandle()


def irecv(
    tensor: Tensor, src: int = 0, group: str = _GROUP, tag: int = 0
) -> tuple[Tensor, CommHandle]:
    """What rank `src` sends, once the handle has been waited for, which is what receives it.

    Messages of one rank and tag come in the order in which handles are waited for.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged.
        ValueError: `src` is not in the group, or is this rank.
    """
    _in_group(src, group, "irecv", "src")
    out = tensor.copy()
    return out, CommHandle(lambda: out.assign_value(recv(tensor, src, group, tag)))
