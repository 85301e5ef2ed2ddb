"""Gradients of several devices."""

from __future__ import annotations

from typing import Any

from cellgrad.nn.cell import Cell

__all__ = ["DistributedGradReducer"]


class DistributedGradReducer(Cell):
    """Sums or averages gradients over devices; on one device, it returns them as they are.

    Args:
        parameters: the Parameters the gradients belong to.
        mean, degree, fusion_type, group: kept for scripts; there is one device.

    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> print(nn.DistributedGradReducer([w])((Tensor([2.0]),))[0])
    [2.]
    """

    def __init__(
        self,
        parameters: Any,
        mean: bool | None = None,
        degree: int | None = None,
        fusion_type: int = 1,
        group: str = "",
    ):
        super().__init__(auto_prefix=False)

    def construct(self, grads: Any) -> Any:
        return grads
