"""Class forms of collectives."""

from __future__ import annotations

from cellgrad.core import ranks
from cellgrad.core.arguments import check_int, check_one_of
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.ops import collectives
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public

__all__ = [
    "AllGather",
    "AllReduce",
    "AlltoAll",
    "Barrier",
    "Broadcast",
    "ReduceOp",
    "ReduceScatter",
]


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
        group: the group of all ranks, which is the only one.

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
        out: Tensor = collectives.all_reduce(input_x, self.op)
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
        out: Tensor = collectives.all_gather(input_x)
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
        out: Tensor = collectives.reduce_scatter(input_x, self.op)
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
        return tuple(collectives.broadcast(x, self.root_rank) for x in input_x)


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
        if (split_count, split_dim, concat_dim) != (ranks.size(), 0, 0):
            raise error(
                ValueError,
                f"For 'AlltoAll', 'split_count' must be the number of ranks, {ranks.size()}, and "
                f"'split_dim' and 'concat_dim' 0, but got {split_count}, {split_dim} and {concat_dim}.",
                "ops.transpose before and after exchanges other dimensions",
            )

    def __call__(self, input_x: Tensor) -> Tensor:
        out: Tensor = collectives.all_to_all(input_x)
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
        collectives.barrier()
