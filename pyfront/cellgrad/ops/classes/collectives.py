"""Class forms of collectives."""

from __future__ import annotations

from collections.abc import Sequence

from cellgrad.core import groups
from cellgrad.core.arguments import check_int, check_one_of
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.ops import collectives, selection
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public

__all__ = [
    "AllGather",
    "AllReduce",
    "AlltoAll",
    "Barrier",
    "Broadcast",
    "Receive",
    "ReduceOp",
    "ReduceScatter",
    "Send",
]


def _member(place: int, group: str, op: str, argument: str) -> int:
    """The number among all ranks of one of a group."""
    members = groups.members(group, op)
    return members[check_int(place, op, argument, at_least=0, below=len(members))]


@public()
class ReduceOp:
    """How elements of several ranks are combined.

    >>> print(ops.ReduceOp.SUM)
    sum
    """

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"


@public()
class AllReduce(Primitive):
    """Each element of the input combined over all ranks, on all.

    Args:
        op: of `ops.ReduceOp`.
        group: of `communication.create_group`; all ranks where it is left out.

    Raises:
        ValueError: another `op` or `group`.

    >>> print(ops.AllReduce()(Tensor([1.0, 2.0])))  # on one rank
    [1. 2.]
    """

    def __init__(self, op: str = ReduceOp.SUM, group: str = collectives.GROUP):
        super().__init__()
        self.op = check_one_of(op, "AllReduce", "op", ("sum", "prod", "min", "max"))
        self.group = collectives.check_group(group, "AllReduce")

    def __call__(self, input_x: Tensor) -> Tensor:
        out: Tensor = collectives.all_reduce(input_x, self.op, group=self.group)
        return out


@public()
class AllGather(Primitive):
    """The inputs of all ranks, one behind the other along the first dimension, on all.

    >>> print(ops.AllGather()(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    def __init__(self, group: str = collectives.GROUP):
        super().__init__()
        self.group = collectives.check_group(group, "AllGather")

    def __call__(self, input_x: Tensor) -> Tensor:
        out: Tensor = collectives.all_gather(input_x, self.group)
        return out


@public()
class ReduceScatter(Primitive):
    """Combines the inputs of all ranks; each rank gets its part along the first dimension.

    >>> print(ops.ReduceScatter()(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    def __init__(self, op: str = ReduceOp.SUM, group: str = collectives.GROUP):
        super().__init__()
        self.op = check_one_of(op, "ReduceScatter", "op", ("sum", "prod", "min", "max"))
        self.group = collectives.check_group(group, "ReduceScatter")

    def __call__(self, input_x: Tensor) -> Tensor:
        out: Tensor = collectives.reduce_scatter(input_x, self.op, self.group)
        return out


@public()
class Broadcast(Primitive):
    """The inputs of one rank, on all: a tuple of Tensors.

    >>> print(ops.Broadcast(0)((Tensor([1.0, 2.0]),))[0])
    [1. 2.]
    """

    def __init__(self, root_rank: int, group: str = collectives.GROUP):
        super().__init__()
        self.root_rank = check_int(root_rank, "Broadcast", "root_rank", at_least=0)
        self.group = collectives.check_group(group, "Broadcast")

    def __call__(self, input_x: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return tuple(collectives.broadcast(x, self.root_rank, self.group) for x in input_x)


@public()
class AlltoAll(Primitive):
    """Part i of the input goes to rank i.

    Args:
        split_count: the number of parts, which is that of the ranks.
        split_dim, concat_dim: the dimension along which the parts lie, before and after: 0.

    Raises:
        ValueError: other numbers.

    >>> print(ops.AlltoAll(1, 0, 0)(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    def __init__(
        self, split_count: int, split_dim: int, concat_dim: int, group: str = collectives.GROUP
    ):
        super().__init__()
        self.group = collectives.check_group(group, "AlltoAll")
        count = len(groups.members(self.group, "AlltoAll"))
        if (split_count, split_dim, concat_dim) != (count, 0, 0):
            raise error(
                ValueError,
                f"For 'AlltoAll', 'split_count' must be the number of ranks, {count}, and "
                f"'split_dim' and 'concat_dim' 0, but got {split_count}, {split_dim} and {concat_dim}.",
                "ops.transpose before and after exchanges other dimensions",
            )

    def __call__(self, input_x: Tensor) -> Tensor:
        out: Tensor = collectives.all_to_all(input_x, self.group)
        return out


@public()
class Barrier(Primitive):
    """Waits until all ranks are here.

    >>> ops.Barrier()()
    """

    def __init__(self, group: str = collectives.GROUP):
        super().__init__()
        self.group = collectives.check_group(group, "Barrier")

    def __call__(self) -> None:
        collectives.barrier(self.group)


@public()
class Send(Primitive):
    """Sends the input to another rank, which receives it by the same tag; returns the input.

    Args:
        sr_tag: from 0 to 2**31 - 1.
        dest_rank: the receiver, by its place in the group.
        group: of `communication.create_group`; all ranks where it is left out.
        group_back: that of the message back, which goes between the same two ranks.

    Raises:
        ValueError: another tag or rank, or this one.

    Does not wait for the receiver, as long as there is room for the message. A gradient has what comes
    back from the receiver where the result is used in place of the input.

    >>> tagged = ops.Send(sr_tag=3, dest_rank=0)
    """

    def __init__(
        self,
        sr_tag: int,
        dest_rank: int,
        group: str = collectives.GROUP,
        group_back: str = collectives.GROUP,
    ):
        super().__init__()
        self.sr_tag = check_int(sr_tag, "Send", "sr_tag", at_least=0, below=2**31)
        self.group = collectives.check_group(group, "Send")
        self.rank = _member(dest_rank, self.group, "Send", "dest_rank")

    def __call__(self, input_x: Tensor) -> Tensor:
        out: Tensor = collectives.send(input_x, self.rank, self.sr_tag)
        return out


@public()
class Receive(Primitive):
    """The tensor that another rank sends by the same tag.

    Args:
        sr_tag: from 0 to 2**31 - 1.
        src_rank: the sender, by its place in the group.
        shape, dtype: of what is sent.
        group: of `communication.create_group`; all ranks where it is left out.
        group_back: that of the message back, which goes between the same two ranks.

    Called with a Tensor of that shape and dtype, which a gradient is by, the cotangent of the result is
    sent back; the Tensor's elements are of no account.

    Raises:
        TypeError: `shape` or `dtype` is none.
        ValueError: another tag or rank, or this one; the Tensor has another shape or dtype.

    >>> tagged = ops.Receive(sr_tag=3, src_rank=0, shape=[2], dtype=ms.float32)
    """

    def __init__(
        self,
        sr_tag: int,
        src_rank: int,
        shape: Sequence[int],
        dtype: Type,
        group: str = collectives.GROUP,
        group_back: str = collectives.GROUP,
    ):
        super().__init__()
        self.sr_tag = check_int(sr_tag, "Receive", "sr_tag", at_least=0, below=2**31)
        self.group = collectives.check_group(group, "Receive")
        self.rank = _member(src_rank, self.group, "Receive", "src_rank")
        self.shape = tuple(check_int(n, "Receive", "shape", at_least=0) for n in shape)
        self.dtype = dtype

    def __call__(self, input_x: Tensor | None = None) -> Tensor:
        like = selection.zeros(self.shape, self.dtype) if input_x is None else input_x
        if like.shape != self.shape or like.dtype is not self.dtype:
            raise error(
                ValueError,
                f"For 'Receive', the input is {like.dtype} of shape {like.shape}, and what is received "
                f"{self.dtype} of shape {self.shape}.",
                "give a Tensor of the type of what is received",
            )
        out: Tensor = collectives.receive(like, self.rank, self.sr_tag)
        return out
