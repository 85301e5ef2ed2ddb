"""The base of losses."""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import check_one_of
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell

__all__ = ["LossBase"]


class LossBase(Cell):
    """Base of losses: `get_loss` reduces elementwise losses.

    Args:
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Raises:
        ValueError: another reduction.

    >>> class Error(nn.LossBase):
    ...     def construct(self, logits, labels):
    ...         return self.get_loss(ops.abs(logits - labels))
    >>> print(Error(reduction="sum")(Tensor([1.0, 2.0]), Tensor([1.5, 4.0])))
    2.5
    """

    def __init__(self, reduction: str = "mean"):
        super().__init__()
        check_one_of(reduction, self.cls_name, "reduction", ("mean", "sum", "none"))
        self.average = reduction == "mean"
        self.reduce = reduction != "none"

    def get_axis(self, x: Tensor) -> tuple[int, ...]:
        """All dimensions of `x`."""
        return tuple(range(x.ndim))

    def get_loss(self, x: Tensor, weights: TensorLike = 1.0) -> Tensor:
        """The weighted, reduced loss, computed in float32 at least, in the dtype of `x`."""
        if x.dtype.kind == "c":
            raise error(
                TypeError,
                f"For '{self.cls_name}', the loss must be real, but it is of {x.dtype.title}.",
                "give the loss ops.view_as_real of predictions and labels, or their absolute values",
            )
        out = x if x.dtype is mstype.float64 else ops.cast(x, mstype.float32)
        if not (isinstance(weights, int | float) and weights == 1):
            out = ops.mul(weights, out)
        if self.reduce:
            out = ops.mean(out) if self.average else ops.sum(out)
        return ops.cast(out, x.dtype)

    def construct(self, *inputs: Any, **kwargs: Any) -> Tensor:
        raise error(
            NotImplementedError, f"For '{self.cls_name}', the method 'construct' is not defined."
        )
