"""Gradients of several ranks."""

from __future__ import annotations

from cellgrad.core.aliases import Gradients, ParameterGroups
from cellgrad.core.arguments import check_bool, check_int
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell
from cellgrad.ops.collectives import broadcast, check_group, reduced_gradients
from cellgrad.parallel._utils import _get_gradients_mean

__all__ = ["DistributedGradReducer", "broadcast_parameters"]


class DistributedGradReducer(Cell):
    """Sums or averages gradients over the ranks; on one rank, it returns them as they are.

    Args:
        parameters: the Parameters the gradients belong to.
        mean: whether to average; None: as `set_auto_parallel_context` says by `gradients_mean`.
        degree: what the sums are divided by; None: the number of ranks of the group.
        fusion_type: kept for scripts; gradients are reduced together in any case.
        group: of `communication.create_group`; all ranks where it is left out.

    Raises:
        TypeError, ValueError: arguments of wrong types, or no such group.

    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> print(nn.DistributedGradReducer([w])((Tensor([2.0]),))[0])
    [2.]
    """

    def __init__(
        self,
        parameters: ParameterGroups,
        mean: bool | None = None,
        degree: int | None = None,
        fusion_type: int = 1,
        group: str = "",
    ):
        super().__init__(auto_prefix=False)
        if mean is None:
            mean = _get_gradients_mean()
        self.mean = check_bool(mean, self.cls_name, "mean")
        self.degree = degree
        if degree is not None:
            check_int(degree, self.cls_name, "degree", at_least=1)
        self.group = check_group(group, self.cls_name)

    def construct(self, grads: Gradients) -> tuple[Tensor, ...]:
        return reduced_gradients(grads, self.mean, self.degree, self.group)


def broadcast_parameters(*cells: Cell) -> None:
    """Sets all Parameters of the cells, optimizer states and buffers too, to those of rank 0; not those of
    which each rank has a part.
    """
    done: set[int] = set()
    for cell in cells:
        for parameter in cell.get_parameters():
            if id(parameter) not in done and parameter.part is None:
                done.add(id(parameter))
                parameter.set_data(broadcast(parameter.value()))
