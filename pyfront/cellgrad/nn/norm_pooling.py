"""Layers: pooling by power sums, and maxima put back where they came from."""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.core.aliases import Dims, OptionalDims, PaddingLike
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell

__all__ = ["LPPool1d", "LPPool2d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]


class _LPPool(Cell):
    def __init__(
        self,
        norm_type: float,
        kernel_size: Dims,
        stride: Dims | None = None,
        ceil_mode: bool = False,
    ):
        super().__init__()
        self.norm_type, self.kernel_size = norm_type, kernel_size
        self.stride, self.ceil_mode = stride, ceil_mode

    def extend_repr(self) -> str:
        return f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}"


class LPPool1d(_LPPool):
    """Power sums of windows of sequences; see `ops.lp_pool1d`.

    >>> print(nn.LPPool1d(norm_type=2, kernel_size=2)(Tensor([[[3.0, 4.0, 6.0, 8.0]]])))
    [[[ 5. 10.]]]
    """

    def construct(self, x: Tensor) -> Tensor:
        return ops.lp_pool1d(  # type: ignore[no-any-return]
            x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode
        )


class LPPool2d(_LPPool):
    """Power sums of windows of images; see `ops.lp_pool2d`.

    >>> print(nn.LPPool2d(norm_type=1, kernel_size=2)(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
    [[[[10.]]]]
    """

    def construct(self, x: Tensor) -> Tensor:
        return ops.lp_pool2d(  # type: ignore[no-any-return]
            x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode
        )


class _MaxUnpool(Cell):
    def __init__(self, kernel_size: Dims, stride: Dims | None = None, padding: PaddingLike = 0):
        super().__init__()
        self.kernel_size, self.padding = kernel_size, padding
        self.stride = kernel_size if stride is None else stride

    def _arguments(self, output_size: Any) -> tuple[Any, ...]:
        return self.kernel_size, self.stride, self.padding, output_size


class MaxUnpool1d(_MaxUnpool):
    """See `ops.max_unpool1d`.

    >>> print(nn.MaxUnpool1d(kernel_size=2)(Tensor([[[5.0, 6.0]]]), Tensor([[[1, 2]]])))
    [[[0. 5. 6. 0.]]]
    """

    def construct(self, x: Tensor, indices: Tensor, output_size: OptionalDims = None) -> Tensor:
        return ops.max_unpool1d(x, indices, *self._arguments(output_size))  # type: ignore[no-any-return]


class MaxUnpool2d(_MaxUnpool):
    """See `ops.max_unpool2d`.

    >>> print(nn.MaxUnpool2d(kernel_size=2)(Tensor([[[[5.0]]]]), Tensor([[[[3]]]])))
    [[[[0. 0.]
       [0. 5.]]]]
    """

    def construct(self, x: Tensor, indices: Tensor, output_size: OptionalDims = None) -> Tensor:
        return ops.max_unpool2d(x, indices, *self._arguments(output_size))  # type: ignore[no-any-return]


class MaxUnpool3d(_MaxUnpool):
    """See `ops.max_unpool3d`.

    >>> x, indices = Tensor([[[[[5.0]]]]]), Tensor([[[[[7]]]]])
    >>> print(nn.MaxUnpool3d(kernel_size=2)(x, indices).flatten())
    [0. 0. 0. 0. 0. 0. 0. 5.]
    """

    def construct(self, x: Tensor, indices: Tensor, output_size: OptionalDims = None) -> Tensor:
        return ops.max_unpool3d(x, indices, *self._arguments(output_size))  # type: ignore[no-any-return]
