"""Layers of images: similarity measures, differences of neighbours, and crops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike
from cellgrad.core.arguments import check_instance, check_int, check_number
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell

__all__ = ["MSSSIM", "PSNR", "SSIM", "CentralCrop", "ImageGradients"]


def _images(value: Tensor, op: str, argument: str) -> Tensor:
    check_instance(value, op, argument, Tensor)
    if value.ndim != 4:
        raise error(
            ValueError,
            f"For '{op}', '{argument}' must have the shape [N, C, H, W], but got "
            f"{list(value.shape)}.",
        )
    return value


def _pair(img1: Tensor, img2: Tensor, op: str) -> tuple[Tensor, Tensor]:
    """Both images; those of integers as float32, in which differences and squares do not wrap."""
    a, b = _images(img1, op, "img1"), _images(img2, op, "img2")
    if a.shape != b.shape or a.dtype is not b.dtype:
        raise error(
            TypeError if a.dtype is not b.dtype else ValueError,
            f"For '{op}', both images must have one shape and dtype, but got "
            f"{a.dtype.title}{list(a.shape)} and {b.dtype.title}{list(b.shape)}.",
        )
    if a.dtype.kind != "f":
        a, b = a.astype(mstype.float32), b.astype(mstype.float32)
    return a, b


def _positive(value: Any, op: str, argument: str) -> float:
    return float(check_number(value, op, argument, above=0))


class PSNR(Cell):
    """Peak signal-to-noise ratio of images [N, C, H, W], in decibels: one number an image.

    Raises:
        TypeError: no Tensors of one dtype.
        ValueError: other ranks, different shapes, or `max_val` not above 0.

    >>> x = ops.zeros((1, 1, 2, 2))
    >>> print(nn.PSNR()(x, x + 0.1))
    [20.]
    """

    def __init__(self, max_val: float = 1.0):
        super().__init__()
        self.max_val = _positive(max_val, "PSNR", "max_val")

    def construct(self, img1: Tensor, img2: Tensor) -> Tensor:
        a, b = _pair(img1, img2, "PSNR")
        error_ = ops.square(a - b).mean((1, 2, 3))
        return ops.log(self.max_val**2 / error_) * (10.0 / math.log(10.0))


class _Structure(Cell):
    """Means of luminance and of contrast and structure under a Gaussian window (Wang et al. 2004)."""

    def __init__(self, max_val: float, filter_size: int, filter_sigma: float, k1: float, k2: float):
        super().__init__()
        self.max_val = _positive(max_val, self.cls_name, "max_val")
        self.filter_size = check_int(filter_size, self.cls_name, "filter_size", at_least=1)
        sigma = _positive(filter_sigma, self.cls_name, "filter_sigma")
        self.k1 = float(check_number(k1, self.cls_name, "k1"))
        self.k2 = float(check_number(k2, self.cls_name, "k2"))
        offsets = np.arange(filter_size) - filter_size // 2
        weights = np.exp(-(offsets**2) / (2 * sigma**2))
        window = np.outer(weights, weights) / weights.sum() ** 2
        self.window = Tensor(window.reshape(1, 1, filter_size, filter_size), mstype.float32)

    def _check(self, img1: Tensor, img2: Tensor) -> tuple[Tensor, Tensor]:
        a, b = _pair(img1, img2, self.cls_name)
        if min(a.shape[2:]) < self.filter_size:
            raise error(
                ValueError,
                f"For '{self.cls_name}', images must be at least as high and wide as the window, "
                f"{self.filter_size}, but got shape {list(a.shape)}.",
            )
        return a, b

    def _averaged(self, x: Tensor) -> Tensor:
        flat = x.reshape(-1, 1, *x.shape[2:])
        out = ops.conv2d(flat, self.window.astype(x.dtype))
        return out.reshape(*x.shape[:2], *out.shape[2:])

    def measures(self, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        """The means over each image of similarity, and of contrast and structure alone: [N, C]."""
        c1, c2 = (self.k1 * self.max_val) ** 2, (self.k2 * self.max_val) ** 2
        mean_a, mean_b = self._averaged(a), self._averaged(b)
        product, squares = mean_a * mean_b, ops.square(mean_a) + ops.square(mean_b)
        luminance = (2 * product + c1) / (squares + c1)
        shared = self._averaged(a * b) * 2 - 2 * product
        apart = self._averaged(ops.square(a) + ops.square(b)) - squares
        structure = (shared + c2) / (apart + c2)
        return (luminance * structure).mean((2, 3)), structure.mean((2, 3))


class SSIM(_Structure):
    """Structural similarity of images [N, C, H, W]: one number an image (Wang et al. 2004).

    Args:
        max_val: the range of pixels.
        filter_size: the size of the Gaussian window.
        filter_sigma: its standard deviation.
        k1, k2: constants that keep the quotients stable.

    Raises:
        TypeError: no Tensors of one dtype.
        ValueError: other ranks, images smaller than the window, or arguments out of range.

    >>> x = ops.arange(256.0).reshape(1, 1, 16, 16) / 256
    >>> print(nn.SSIM()(x, x))
    [1.]
    """

    def __init__(
        self,
        max_val: float = 1.0,
        filter_size: int = 11,
        filter_sigma: float = 1.5,
        k1: float = 0.01,
        k2: float = 0.03,
    ):
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)

    def construct(self, img1: Tensor, img2: Tensor) -> Tensor:
        a, b = self._check(img1, img2)
        return self.measures(a, b)[0].mean(-1)


class MSSSIM(_Structure):
    """Structural similarity at several scales, each half of the one before (Wang et al. 2003): the
    product of powers of their measures; see `SSIM`.

    Raises:
        TypeError: no Tensors of one dtype, or `power_factors` is not a tuple or list.
        ValueError: other ranks, images smaller than the window at the last scale, or arguments out of
            range.

    >>> x = ops.arange(256.0).reshape(1, 1, 16, 16) / 256
    >>> print(nn.MSSSIM(power_factors=(0.5, 0.5), filter_size=3)(x, x))
    [1.]
    """

    def __init__(
        self,
        max_val: float = 1.0,
        power_factors: ArrayLike = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
        filter_size: int = 11,
        filter_sigma: float = 1.5,
        k1: float = 0.01,
        k2: float = 0.03,
    ):
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        if not isinstance(power_factors, tuple | list):
            raise error(
                TypeError,
                f"For 'MSSSIM', 'power_factors' must be a tuple or list of numbers, but got "
                f"{power_factors!r}.",
            )
        self.power_factors = [
            float(check_number(v, "MSSSIM", "power_factors")) for v in power_factors
        ]

    def construct(self, img1: Tensor, img2: Tensor) -> Tensor:
        out: Any = 1.0
        last = len(self.power_factors) - 1
        a, b = img1, img2
        for level, power in enumerate(self.power_factors):
            a, b = self._check(a, b)
            similarity, structure = self.measures(a, b)
            measure = similarity if level == last else structure
            out = out * ops.pow(ops.relu(measure), power)
            if level < last:
                a, b = (ops.avg_pool2d(v, kernel_size=2, stride=2) for v in (a, b))
        return out.mean(-1)


class ImageGradients(Cell):
    """Differences to the pixel below, and to the right; the last ones are 0.

    Raises:
        TypeError: no Tensor.
        ValueError: another shape than [N, C, H, W].

    >>> dy, dx = nn.ImageGradients()(Tensor([[[[1.0, 2.0], [4.0, 8.0]]]]))
    >>> print(dx)
    [[[[1. 0.]
       [4. 0.]]]]
    """

    def construct(self, images: Tensor) -> tuple[Tensor, Tensor]:
        x = _images(images, "ImageGradients", "images")
        dy, dx = ops.zeros_like(x[:, :, :1]), ops.zeros_like(x[:, :, :, :1])
        down = ops.concat((x[:, :, 1:] - x[:, :, :-1], dy), 2)
        right = ops.concat((x[:, :, :, 1:] - x[:, :, :, :-1], dx), 3)
        return down, right


class CentralCrop(Cell):
    """The middle of images, [C, H, W] or [N, C, H, W]: a fraction of height and width.

    Raises:
        TypeError: `central_fraction` is not a float.
        ValueError: it is not in (0, 1], or another rank.

    >>> print(nn.CentralCrop(0.5)(ops.ones((3, 4, 8))).shape)
    (3, 2, 4)
    """

    def __init__(self, central_fraction: float):
        super().__init__()
        check_instance(central_fraction, "CentralCrop", "central_fraction", float)
        check_number(central_fraction, "CentralCrop", "central_fraction", above=0, at_most=1)
        self.central_fraction = central_fraction

    def construct(self, image: Tensor) -> Tensor:
        if image.ndim not in (3, 4):
            raise error(
                ValueError,
                f"For 'CentralCrop', the image must have 3 or 4 dimensions, but got shape "
                f"{list(image.shape)}.",
            )
        height, width = image.shape[-2:]
        top, left = (int((n - n * self.central_fraction) / 2) for n in (height, width))
        return image[..., top : height - top, left : width - left]
