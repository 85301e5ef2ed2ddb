"""Messages between two ranks, into the tensors they are given, as in `mint.distributed`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cellgrad.core.arguments import argument_error, check_one_of
from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.ops import collectives
from cellgrad.ops._public import public
from cellgrad.ops.collectives import CommHandle
from cellgrad.ops.exchanges import write
from cellgrad.ops.process_groups import group_name, member


@public()
def send(tensor: Tensor, dst: int = 0, group: str | None = None, tag: int = 0) -> None:
    """Sends the tensor to rank `dst`, whose number is that among all; see `ops.Send`.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged, `dst` or `tag` not an int.
        ValueError: `dst` is this rank or not in the group, or another `tag` than 0 to 2**31 - 1.

    >>> if ops.get_world_size() == 2:
    ...     ops.send(Tensor([1.0]), 1 - ops.get_rank())
    """
    name = group_name(group, "send")
    collectives.send(tensor, member(dst, name, "send", "dst"), tag)


@public()
def recv(tensor: Tensor, src: int = 0, group: str | None = None, tag: int = 0) -> int:
    """Puts what rank `src` sends by the same tag into the tensor, which has its shape and dtype; returns 0.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged, `src` or `tag` not an int.
        ValueError: `src` is this rank or not in the group, or another `tag` than 0 to 2**31 - 1.

    >>> if ops.get_world_size() == 2:
    ...     done = ops.recv(Tensor([0.0]), 1 - ops.get_rank())
    """
    name = group_name(group, "recv")
    source = member(src, name, "recv", "src")
    write(tensor, collectives.receive(tensor, source, tag), "recv", "tensor")
    return 0


@public()
def isend(tensor: Tensor, dst: int = 0, group: str | None = None, tag: int = 0) -> CommHandle:
    """Sends the tensor to rank `dst`, as `ops.send`; the handle's `wait` returns at once.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged, `dst` or `tag` not an int.
        ValueError: `dst` is this rank or not in the group, or another `tag` than 0 to 2**31 - 1.

    >>> if ops.get_world_size() == 2:
    ...     ops.isend(Tensor([1.0]), 1 - ops.get_rank()).wait()
    """
    send(check_tensor(tensor, "isend", "tensor"), dst, group, tag)
    return CommHandle()


@public()
def irecv(tensor: Tensor, src: int = 0, group: str | None = None, tag: int = 0) -> CommHandle:
    """Puts what rank `src` sends into the tensor once the handle is waited for, which is what receives it.

    Messages of one rank and tag come in the order in which handles are waited for.

    Raises:
        TypeError: `tensor` is not a Tensor that can be exchanged, or `src` not an int.
        ValueError: `src` is not in the group.

    >>> handle = ops.irecv(Tensor([1.0]), 0)
    """
    check_tensor(tensor, "irecv", "tensor")
    member(src, group_name(group, "irecv"), "irecv", "src")
    return CommHandle(lambda: recv(tensor, src, group, tag))


@public()
class P2POp:
    """A message of `ops.batch_isend_irecv`.

    Args:
        op: `ops.isend` or `ops.irecv`, or its name.
        tensor: what is sent, or what is received into.
        peer: the other rank, by its number among all.
        group: that both are in.
        tag: from 0 to 2**31 - 1.

    Raises:
        TypeError: another `op`, `tensor` is not a Tensor, or `peer` not an int.
        ValueError: `peer` is not in the group.

    >>> message = ops.P2POp("isend", Tensor([1.0]), 0)
    """

    def __init__(
        self,
        op: str | Callable[..., object],
        tensor: Tensor,
        peer: int,
        group: str | None = None,
        tag: int = 0,
    ):
        name = op if isinstance(op, str) else getattr(op, "__name__", "")
        self.op = check_one_of(name, "P2POp", "op", ("isend", "irecv"), TypeError)
        self.tensor = check_tensor(tensor, "P2POp", "tensor")
        self.peer = member(peer, group_name(group, "P2POp"), "P2POp", "peer")
        self.group, self.tag = group, tag


@public()
def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[CommHandle]:
    """Sends and receives several messages: all are sent, then all received, in the order of the list.

    Returns:
        One handle, which is done.

    Raises:
        TypeError: something else than a list of `ops.P2POp`, or none.
        ValueError: messages of several groups, or one with this rank.

    >>> if ops.get_world_size() == 2:
    ...     peer, came = 1 - ops.get_rank(), Tensor([0.0])
    ...     both = [ops.P2POp("isend", Tensor([1.0]), peer), ops.P2POp("irecv", came, peer)]
    ...     (handle,) = ops.batch_isend_irecv(both)
    """
    op = "batch_isend_irecv"
    if not (
        isinstance(p2p_op_list, list | tuple)
        and p2p_op_list
        and all(isinstance(message, P2POp) for message in p2p_op_list)
    ):
        raise argument_error(TypeError, op, "p2p_op_list", "a list of P2POp", p2p_op_list)
    if any(message.group != p2p_op_list[0].group for message in p2p_op_list):
        found = [message.group for message in p2p_op_list]
        raise argument_error(ValueError, op, "p2p_op_list", "messages of one group", found)
    for kind, act in (("isend", send), ("irecv", recv)):
        for message in p2p_op_list:
            if message.op == kind:
                act(message.tensor, message.peer, message.group, message.tag)
    return [CommHandle()]
