"""The state of an optimizer in parts, one for each rank: known as ZeRO, stage 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core import ranks
from cellgrad.core.context import ParallelMode
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter, ParameterTuple, Part
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell
from cellgrad.ops import rank_parts
from cellgrad.ops.selection import write_to
from cellgrad.parallel._auto_parallel_context import get_auto_parallel_context

__all__ = ["Parts", "Shards", "wanted"]


def wanted() -> bool:
    """Whether optimizers that are made now keep their state in parts."""
    return (
        ranks.size() > 1
        and get_auto_parallel_context("parallel_mode") == ParallelMode.DATA_PARALLEL
        and bool(get_auto_parallel_context("enable_parallel_optimizer"))
    )


class Parts:
    """Gradients of which this rank has its parts: what `Optimizer.update` takes beside whole ones."""

    def __init__(self, tensors: Sequence[Tensor]):
        self.tensors = tuple(tensors)


class Shards:
    """How the Parameters of an optimizer are divided among the ranks.

    Every rank has all Parameters, and of all that an optimizer keeps for them, its part.
    """

    def __init__(self, parameters: ParameterTuple, owner: str):
        for p in parameters:
            if p.dtype.kind != "f":
                raise error(
                    TypeError,
                    f"For '{owner}', 'enable_parallel_optimizer' needs Parameters of floating-point numbers, but "
                    f"'{p.name}' is of {p.dtype.title}.",
                    "leave it out",
                )
        self.parameters = parameters
        self.ranks = ranks.size()
        self.shapes = tuple(p.shape for p in parameters)

    def slots(self, prefix: str, init: Any) -> ParameterTuple:
        """This rank's part of state of the Parameters' shapes."""
        return ParameterTuple(self._slot(p, prefix, init) for p in self.parameters)

    def _slot(self, p: Parameter, prefix: str, init: Any) -> Parameter:
        value = {"zeros": 0.0, "ones": 1.0}.get(init, init)
        shape = (rank_parts.width(p.shape, self.ranks),)
        out = Parameter(
            Tensor(np.full(shape, value, mstype.to_numpy(mstype.float32)), p.dtype),
            name=f"{prefix}.{p.name}",
            requires_grad=p.requires_grad,
        )
        out.part = Part(p.shape, ranks.rank(), self.ranks)
        return out

    def own(self, tensors: Sequence[Tensor]) -> Parts:
        """This rank's parts of tensors that are equal on all ranks."""
        return Parts(rank_parts.own_parts(tuple(tensors), self.ranks))

    def reduced(self, gradients: Sequence[Tensor], mean: bool, degree: int | None) -> Parts:
        """This rank's parts of the sums of gradients over the ranks; with `mean`, divided by `degree`."""
        parts = rank_parts.scattered_sums(tuple(gradients), self.ranks)
        return Parts(rank_parts.divided(parts, degree) if mean else parts)

    def totals(self, sums: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Sums over whole Parameters, from those over their parts."""
        return rank_parts.summed(tuple(sums))  # type: ignore[no-any-return]

    def assign(self, parts: Sequence[Tensor]) -> None:
        """Sets the Parameters to what the ranks have the parts of."""
        whole = rank_parts.gathered(tuple(parts), self.shapes, self.ranks)
        for p, value in zip(self.parameters, whole, strict=True):
            write_to(p, value)


def check_shardable(optimizer: Cell, base: type) -> None:
    """Refuses what would compute something else on parts of Parameters.

    Raises:
        RuntimeError: the optimizer has a `construct` of its own.
        ValueError: gradients are to be centralised, which takes means over dimensions.
    """
    name = optimizer.cls_name
    construct = type(optimizer).construct
    if construct is not base.construct and not hasattr(construct, "renames"):  # type: ignore[attr-defined]
        raise error(
            RuntimeError,
            f"For '{name}', 'enable_parallel_optimizer' is set, but it has a 'construct' of its own, which may take "
            "Parameters and their state as a whole.",
            "define 'update', which gives the new value of each Parameter from those of 'prepared', where it "
            "is element by element, or leave the setting out",
        )
    if any(getattr(optimizer, "grad_centralization_flags", ())):
        raise error(
            ValueError,
            f"For '{name}', 'enable_parallel_optimizer' does not go with 'grad_centralization': a rank has a part of "
            "each gradient, and no means over its dimensions.",
            "leave one of them out",
        )
