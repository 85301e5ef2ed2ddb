"""Collectives as functions, with MindSpore's arguments."""

from __future__ import annotations

from cellgrad.core.tensor import Tensor
from cellgrad.ops import collectives as _collectives
from cellgrad.ops.collectives import GROUP as _GROUP
from cellgrad.ops.collectives import check_group as _check_group

__all__ = [
    "all_gather_into_tensor",
    "all_reduce",
    "barrier",
    "broadcast",
    "reduce_scatter_tensor",
]


def all_reduce(tensor: Tensor, op: str = "sum", group: str = _GROUP) -> Tensor:
    """Each element combined over all ranks, on all; see `ops.AllReduce`."""
    _check_group(group, "all_reduce")
    out: Tensor = _collectives.all_reduce(tensor, op)
    return out


def all_gather_into_tensor(tensor: Tensor, group: str = _GROUP) -> Tensor:
    """The tensors of all ranks along dimension 0, on all; see `ops.AllGather`."""
    _check_group(group, "all_gather_into_tensor")
    out: Tensor = _collectives.all_gather(tensor)
    return out


def reduce_scatter_tensor(tensor: Tensor, op: str = "sum", group: str = _GROUP) -> Tensor:
    """Combines over all ranks; each gets its part; see `ops.ReduceScatter`."""
    _check_group(group, "reduce_scatter_tensor")
    out: Tensor = _collectives.reduce_scatter(tensor, op)
    return out


def broadcast(tensor: Tensor, src: int = 0, group: str = _GROUP) -> Tensor:
    """The tensor of rank `src`, on all; see `ops.Broadcast`."""
    _check_group(group, "broadcast")
    out: Tensor = _collectives.broadcast(tensor, src)
    return out


def barrier(group: str = _GROUP) -> None:
    """Waits until all ranks are here; see `ops.Barrier`."""
    _check_group(group, "barrier")
    _collectives.barrier()
