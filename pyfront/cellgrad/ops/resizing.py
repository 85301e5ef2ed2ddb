"""MindSpore's older operations that resize images: by area, and by cubic convolution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ShapeLike
from cellgrad.core.arguments import check_bool, check_dtype, check_ndim
from cellgrad.core.record import check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops.interpolation import _applied, _cubic, _weights
from cellgrad.ops.sampling import _new_size, _points
from cellgrad.ops.selection import cast


def _areas(n: int, length: int, align: bool) -> np.ndarray[Any, Any]:
    """The matrix of means over the cells of the new points; what is beyond the end counts for the last
    element.
    """
    width = (n - 1) / (length - 1) if align and length > 1 else n / length
    out = np.zeros((length, n))
    for i in range(length):
        low, high = i * width, (i + 1) * width
        for k in range(math.floor(low), math.ceil(high)):
            out[i, min(k, n - 1)] += (min(k + 1, high) - max(k, low)) / width
    return out


def _cubics(n: int, length: int, align: bool, half: bool) -> np.ndarray[Any, Any]:
    if half:
        return _weights(n, length, None, "bicubic", False, False)
    out = np.zeros((length, n))
    for row, at in zip(out, _points(n, length, align, False), strict=True):
        base = math.floor(at)
        for k in range(base - 1, base + 3):
            row[min(max(k, 0), n - 1)] += _cubic(at - k, -0.75)
    return out


@operation
def _resized(x: Tensor, first: int, matrices: Any) -> Tensor:
    for d, weights in enumerate(matrices, first):
        x = _applied(x, d, np.array(weights))
    return x


def _rows(matrix: np.ndarray[Any, Any]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in matrix.tolist())


@public()
class ResizeArea(Primitive):
    """Images [N, H, W, C] resized by means over the cells of the new pixels, float32.

    Args:
        align_corners: whether the ratio of the sizes is that between the centres of the corners.

    Raises:
        TypeError: `images` is no Tensor of numbers.
        ValueError: other than four dimensions, or sizes that are not two ints above 0.

    >>> x = ops.arange(4.0).reshape(1, 2, 2, 1)
    >>> print(ops.ResizeArea()(x, (1, 1)))
    [[[[1.5]]]]
    """

    def __init__(self, align_corners: bool = False):
        super().__init__()
        self.align_corners = check_bool(align_corners, self.name, "align_corners")

    def __call__(self, images: Tensor, size: ShapeLike) -> Tensor:
        x = check_dtype(check_tensor(images, self.name, "images"), self.name, "images", "iuf")
        sizes = _new_size(self.name, x, size, self.align_corners, False)
        wide = mstype.float64 if x.dtype is mstype.float64 else mstype.float32
        pairs = zip(x.shape[1:3], sizes, strict=True)
        matrices = tuple(_rows(_areas(n, length, self.align_corners)) for n, length in pairs)
        out: Tensor = _resized(cast(x, wide), 1, matrices)
        return cast(out, mstype.float32)


@public()
class ResizeBicubic(Primitive):
    """Images [N, C, H, W] resized by cubic convolution (Keys 1981), with the coefficient -3/4, or -1/2 with
    `half_pixel_centers`.

    Args:
        align_corners: whether the corners stay.
        half_pixel_centers: whether pixels are squares, not points at multiples of the ratio of sizes.

    Raises:
        TypeError: `images` is no Tensor of numbers.
        ValueError: both settings, other than four dimensions, or sizes that are not two ints above 0.

    >>> x = Tensor([[[[0.0, 2.0]]]])
    >>> print(ops.ResizeBicubic(align_corners=True)(x, (1, 3)))
    [[[[0. 1. 2.]]]]
    """

    def __init__(self, align_corners: bool = False, half_pixel_centers: bool = False):
        super().__init__()
        self.align_corners = check_bool(align_corners, self.name, "align_corners")
        self.half_pixel_centers = check_bool(half_pixel_centers, self.name, "half_pixel_centers")

    def __call__(self, images: Tensor, size: ShapeLike) -> Tensor:
        x = check_ndim(check_tensor(images, self.name, "images"), self.name, "images", 4)
        check_dtype(x, self.name, "images", "iuf")
        settings = (self.align_corners, self.half_pixel_centers)
        sizes = _new_size(self.name, x, size, *settings)
        pairs = zip(x.shape[2:], sizes, strict=True)
        matrices = tuple(_rows(_cubics(n, length, *settings)) for n, length in pairs)
        wide = x if x.dtype in (mstype.float32, mstype.float64) else cast(x, mstype.float32)
        out: Tensor = _resized(wide, 2, matrices)
        return cast(out, x.dtype) if x.dtype.kind == "f" else out
