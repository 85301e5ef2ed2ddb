"""Collectives and messages that write into the tensors they are given, and the groups of their ranks.

`ops` has the same functions, but `gather` and `scatter`, which are others there.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cellgrad.core import absent, ranks
from cellgrad.core.arguments import argument_error
from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.ops.collectives import CommHandle
from cellgrad.ops.exchanged_objects import (
    all_gather_object,
    broadcast_object_list,
    gather_object,
    recv_object_list,
    scatter_object_list,
    send_object_list,
)
from cellgrad.ops.exchanged_parts import (
    all_to_all,
    all_to_all_single,
    reduce_scatter,
    reduce_scatter_tensor,
    reduce_scatter_tensor_uneven,
    scattered,
)
from cellgrad.ops.exchanges import (
    all_gather,
    all_gather_into_tensor,
    all_gather_into_tensor_uneven,
    all_reduce,
    barrier,
    broadcast,
    gathered,
    handle_of,
    reduce,
    team,
    tensors_of,
    write,
)
from cellgrad.ops.messages import P2POp, batch_isend_irecv, irecv, isend, recv, send
from cellgrad.ops.process_groups import (
    destroy_process_group,
    get_backend,
    get_global_rank,
    get_group_rank,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    init_process_group,
    is_available,
    is_initialized,
    member,
    new_group,
)

__all__ = [
    "P2POp",
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_into_tensor_uneven",
    "all_gather_object",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "broadcast_object_list",
    "destroy_process_group",
    "gather",
    "gather_object",
    "get_backend",
    "get_global_rank",
    "get_group_rank",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "init_process_group",
    "irecv",
    "is_available",
    "is_initialized",
    "isend",
    "new_group",
    "recv",
    "recv_object_list",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "reduce_scatter_tensor_uneven",
    "scatter",
    "scatter_object_list",
    "send",
    "send_object_list",
]

if not TYPE_CHECKING:
    __getattr__ = absent.attributes(__name__)


def _alike(tensors: list[Tensor], like: Tensor, op: str, argument: str) -> list[Tensor]:
    for x in tensors:
        if x.shape != like.shape:
            expected = f"Tensors of the shape {list(like.shape)} of 'tensor'"
            raise argument_error(ValueError, op, argument, expected, list(x.shape))
    return tensors


def gather(
    tensor: Tensor,
    gather_list: Sequence[Tensor] | None,
    dst: int = 0,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Puts the tensors of all ranks, which have one shape, into those of a list on rank `dst`.

    Args:
        tensor: what this rank gives.
        gather_list: a Tensor for each rank, on rank `dst`; the others need none.
        dst: a number among all ranks.
        group: whose ranks take part, instead of all.
        async_op: whether a handle to `wait` for is returned, instead of None.

    Raises:
        TypeError: something else than Tensors of one dtype that can be exchanged, or `dst` is not an int.
        ValueError: another number of them or shape, or `dst` or this rank is not in the group.

    >>> whole = [Tensor([0.0, 0.0])]
    >>> mint.distributed.gather(Tensor([1.0, 2.0]), whole)
    >>> print(whole[0])
    [1. 2.]
    """
    handle, (name, members, _) = handle_of(async_op, "gather"), team(group, "gather")
    own, to = check_tensor(tensor, "gather", "tensor"), member(dst, name, "gather", "dst")
    outputs: list[Tensor] = []
    if ranks.rank() == to:
        given = tensors_of(gather_list, len(members), "gather", "gather_list", own)
        outputs = _alike(given, own, "gather", "gather_list")
    found = gathered([own] * len(members), own, name)
    for out, value in zip(outputs, found, strict=False):
        write(out, value, "gather", "gather_list")
    return handle


def scatter(
    tensor: Tensor,
    scatter_list: Sequence[Tensor] | None,
    src: int = 0,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Puts this rank's of the tensors of a list of rank `src`, which have one shape, into one.

    Args:
        tensor: what is written to.
        scatter_list: a Tensor for each rank, on rank `src`; the others need none.
        src: a number among all ranks.
        group: whose ranks take part, instead of all.
        async_op: whether a handle to `wait` for is returned, instead of None.

    Raises:
        TypeError: something else than Tensors of one dtype that can be exchanged, or `src` is not an int.
        ValueError: another number of them or shape, or `src` or this rank is not in the group.

    >>> part = Tensor([0.0, 0.0])
    >>> mint.distributed.scatter(part, [Tensor([1.0, 2.0])])
    >>> print(part)
    [1. 2.]
    """
    handle, (name, members, _) = handle_of(async_op, "scatter"), team(group, "scatter")
    out, root = check_tensor(tensor, "scatter", "tensor"), member(src, name, "scatter", "src")
    parts = None
    if ranks.rank() == root:
        given = tensors_of(scatter_list, len(members), "scatter", "scatter_list", out)
        parts = _alike(given, out, "scatter", "scatter_list")
    write(out, scattered(parts, out, root, name), "scatter", "tensor")
    return handle
