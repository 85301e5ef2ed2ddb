"""Resizing of images and other grids."""

from __future__ import annotations

from collections.abc import Sequence

from cellgrad import ops
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell

__all__ = ["Upsample"]


class Upsample(Cell):
    """The spatial dimensions of its input resized; see `ops.interpolate`.

    Args:
        size, scale_factor, mode, align_corners, recompute_scale_factor: as of `ops.interpolate`.

    >>> print(nn.Upsample(size=(2, 4))(Tensor([[[[1.0, 2.0]]]])))
    [[[[1. 1. 2. 2.]
       [1. 1. 2. 2.]]]]
    """

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ):
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def construct(self, x: Tensor) -> Tensor:
        return ops.interpolate(
            x,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            self.recompute_scale_factor,
        )
