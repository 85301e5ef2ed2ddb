"""What `map` applies to images (``mindspore.dataset.vision``): arrays [height, width] or
[height, width, channels], uint8 or float32.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad.core.aliases import ArrayLike, Columns, Dims, DTypeLike, PaddingLike, ShapeLike
from cellgrad.core.arguments import (
    argument_error,
    check_int,
    check_number,
    check_same_length,
    check_sequence,
)
from cellgrad.core.errors import error
from cellgrad.dataset._colours import (
    AdjustBrightness,
    AdjustContrast,
    AdjustSaturation,
    Posterize,
    RandomColorAdjust,
    RandomRotation,
    Rotate,
    Solarize,
)
from cellgrad.dataset._decode import decoded
from cellgrad.dataset._transform import Array, Drawing, Transform
from cellgrad.dataset.transforms import TypeCast

__all__ = [
    "HWC2CHW",
    "AdjustBrightness",
    "AdjustContrast",
    "AdjustSaturation",
    "Border",
    "CenterCrop",
    "Crop",
    "Decode",
    "HorizontalFlip",
    "Inter",
    "Invert",
    "Normalize",
    "Pad",
    "Posterize",
    "RandomColorAdjust",
    "RandomCrop",
    "RandomCropDecodeResize",
    "RandomHorizontalFlip",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomVerticalFlip",
    "Rescale",
    "Resize",
    "Rotate",
    "Solarize",
    "ToTensor",
    "ToType",
    "VerticalFlip",
]


class Inter(enum.IntEnum):
    """How `Resize` finds elements between those of the image."""

    NEAREST = 0
    BILINEAR = 2
    LINEAR = 2


class Border(enum.StrEnum):
    """What `Pad` fills borders with."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


def _image(value: Array, owner: str) -> Array:
    if value.ndim not in (2, 3) or value.dtype.kind not in "uif":
        raise error(
            TypeError,
            f"For '{owner}', an image must be an array [height, width] or [height, width, channels] "
            f"of numbers, but got shape {list(value.shape)} of {value.dtype}.",
        )
    return value


def _size(size: Any, owner: str) -> tuple[int, int]:
    pair = (size, size) if isinstance(size, int) else size
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        raise argument_error(TypeError, owner, "size", "an int or two ints (height, width)", size)
    height, width = (check_int(n, owner, "size", at_least=1) for n in pair)
    return height, width


class Rescale(Transform):
    """``value * rescale + shift`` in float32.

    >>> import numpy as np
    >>> from cellgrad.dataset import vision
    >>> vision.Rescale(0.5, 1.0)(np.array([[2, 4]], np.uint8))
    array([[2., 3.]], dtype=float32)
    """

    def __init__(self, rescale: float, shift: float):
        self.rescale = np.float32(check_number(rescale, self.name, "rescale"))
        self.shift = np.float32(check_number(shift, self.name, "shift"))

    def one(self, value: Array) -> Array:
        return value.astype(np.float32) * self.rescale + self.shift


class Normalize(Transform):
    """``(value - mean) / std`` of each channel, in float32.

    Args:
        mean, std: a number a channel, or one for all.
        is_hwc: whether channels are the last dimension, else the first.

    Raises:
        TypeError, ValueError: other arguments, or an image of another number of channels.
    """

    def __init__(self, mean: Sequence[float], std: Sequence[float], is_hwc: bool = True):
        for what, values in (("mean", mean), ("std", std)):
            check_sequence(values, self.name, what, "numbers", empty=True)
        check_same_length(mean, std, self.name, ("mean", "std"))
        for s in std:
            check_number(s, self.name, "std", above=0)
        self.mean = np.array([check_number(m, self.name, "mean") for m in mean], np.float32)
        self.std = np.array(std, np.float32)
        self.is_hwc = is_hwc

    def one(self, value: Array) -> Array:
        image = _image(value, self.name).astype(np.float32)
        mean, std = self.mean, self.std
        channels = 1 if image.ndim == 2 else image.shape[-1 if self.is_hwc else 0]
        if len(mean) not in (1, channels):
            raise error(
                ValueError,
                f"For '{self.name}', the image of shape {list(image.shape)} has {channels} channels, "
                f"but 'mean' and 'std' have {len(mean)} numbers.",
            )
        if image.ndim == 3 and not self.is_hwc:
            mean, std = mean[:, None, None], std[:, None, None]
        out: Array = (image - mean) / std
        return out


class HWC2CHW(Transform):
    """Channels first: [height, width, channels] becomes [channels, height, width]."""

    def one(self, value: Array) -> Array:
        image = _image(value, self.name)
        return image if image.ndim == 2 else np.ascontiguousarray(image.transpose(2, 0, 1))


class ToTensor(Transform):
    """Channels first, and elements divided by 255."""

    def __init__(self, output_type: DTypeLike = np.float32):
        self.cast = TypeCast(output_type)

    def one(self, value: Array) -> Array:
        image = _image(value, self.name)
        planes = image[None] if image.ndim == 2 else image.transpose(2, 0, 1)
        return self.cast.one(planes.astype(np.float32) * np.float32(1 / 255))


class ToType(TypeCast):
    """The elements converted to a dtype."""


class Crop(Transform):
    """The part of a size (height, width) from the coordinates (y, x)."""

    def __init__(self, coordinates: Sequence[int], size: ShapeLike):
        self.corner = tuple(check_int(c, self.name, "coordinates", at_least=0) for c in coordinates)
        self.size = _size(size, self.name)

    def one(self, value: Array) -> Array:
        return _part(_image(value, self.name), self.corner[0], self.corner[1], self.size, self.name)


def _part(image: Array, y: int, x: int, size: tuple[int, int], owner: str) -> Array:
    h, w = size
    if y < 0 or x < 0 or y + h > image.shape[0] or x + w > image.shape[1]:
        raise error(
            ValueError,
            f"For '{owner}', a part of {h} by {w} from ({y}, {x}) is not inside of an image of shape "
            f"{list(image.shape)}.",
        )
    return image[y : y + h, x : x + w].copy()


class CenterCrop(Transform):
    """The middle of a size (height, width), or (size, size); smaller images get zeros around them."""

    def __init__(self, size: ShapeLike):
        self.size = _size(size, self.name)

    def one(self, value: Array) -> Array:
        image = _image(value, self.name)
        h, w = self.size
        missing = max(h - image.shape[0], 0), max(w - image.shape[1], 0)
        around = [(m - m // 2, m // 2) for m in missing] + [(0, 0)] * (image.ndim - 2)
        image = np.pad(image, around)
        return _part(
            image, (image.shape[0] - h) // 2, (image.shape[1] - w) // 2, self.size, self.name
        )


class HorizontalFlip(Transform):
    """Left and right changed."""

    def one(self, value: Array) -> Array:
        return _image(value, self.name)[:, ::-1].copy()


class VerticalFlip(Transform):
    """Top and bottom changed."""

    def one(self, value: Array) -> Array:
        return _image(value, self.name)[::-1].copy()


class RandomHorizontalFlip(Drawing):
    """Left and right changed, with a probability.

    Raises:
        TypeError, ValueError: `prob` is not a number in [0, 1].
    """

    def one(self, value: Array) -> Array:
        return _image(value, self.name)[:, ::-1].copy()


class RandomVerticalFlip(Drawing):
    """Top and bottom changed, with a probability.

    Raises:
        TypeError, ValueError: `prob` is not a number in [0, 1].
    """

    def one(self, value: Array) -> Array:
        return _image(value, self.name)[::-1].copy()


class Pad(Transform):
    """More rows and columns around the image.

    Args:
        padding: how many: one number, (left and right, top and bottom), or (left, top, right, bottom).
        fill_value: what `Border.CONSTANT` fills with, also a tuple of a number a channel.
        padding_mode: what to fill with, a `Border`.

    Raises:
        TypeError, ValueError: arguments of wrong types or values.
    """

    def __init__(
        self, padding: PaddingLike, fill_value: Dims = 0, padding_mode: Border = Border.CONSTANT
    ):
        sides = [padding] if isinstance(padding, int) else list(padding)
        sides = [check_int(p, self.name, "padding", at_least=0) for p in sides]
        if len(sides) not in (1, 2, 4):
            raise argument_error(ValueError, self.name, "padding", "1, 2 or 4 numbers", padding)
        left, top, right, bottom = (sides * (4 // len(sides)))[:4]
        self.sides = ((top, bottom), (left, right))
        self.fill_value, self.mode = fill_value, Border(padding_mode)

    def one(self, value: Array) -> Array:
        image = _image(value, self.name)
        around = self.sides + ((0, 0),) * (image.ndim - 2)
        if self.mode is not Border.CONSTANT:
            return np.pad(image, around, mode=self.mode.value)  # type: ignore[call-overload,no-any-return]
        shape = [n + a + b for n, (a, b) in zip(image.shape, around, strict=True)]
        out = np.empty(shape, image.dtype)
        out[...] = self.fill_value
        (top, _), (left, _) = self.sides
        out[top : top + image.shape[0], left : left + image.shape[1]] = image
        return out


class RandomCrop(Transform):
    """A part of a size (height, width), from a random place.

    Args:
        size: an int, or (height, width).
        padding, fill_value, padding_mode: what is added around the image before; see `Pad`.
        pad_if_needed: whether images that are smaller get more around them.

    Raises:
        TypeError, ValueError: arguments of wrong types, or an image smaller than the part.
    """

    def __init__(
        self,
        size: ShapeLike,
        padding: PaddingLike | None = None,
        pad_if_needed: bool = False,
        fill_value: Dims = 0,
        padding_mode: Border = Border.CONSTANT,
    ):
        self.size = _size(size, self.name)
        self.pad = None if padding is None else Pad(padding, fill_value, padding_mode)
        self.pad_if_needed, self.fill_value, self.mode = pad_if_needed, fill_value, padding_mode

    def drawn(self, random: np.random.Generator, *values: ArrayLike | str) -> Columns:
        place = random.random(2)
        out = tuple(self._from(_image(np.asarray(v), self.name), place) for v in values)
        return out if len(out) > 1 else out[0]

    def _from(self, image: Array, place: Array) -> Array:
        if self.pad is not None:
            image = self.pad.one(image)
        if self.pad_if_needed:
            less = [max(s - n, 0) for s, n in zip(self.size, image.shape, strict=False)]
            image = Pad((less[1], less[0]), self.fill_value, self.mode).one(image)
        room = [n - s + 1 for s, n in zip(self.size, image.shape, strict=False)]
        y, x = (int(p * max(r, 1)) for p, r in zip(place, room, strict=True))
        return _part(image, y, x, self.size, self.name)


class Invert(Transform):
    """255 minus the elements."""

    def one(self, value: Array) -> Array:
        image = _image(value, self.name)
        return (255 - image).astype(image.dtype)


class Resize(Transform):
    """The image at another size.

    Args:
        size: (height, width), or the length of the shorter side.
        interpolation: `Inter.BILINEAR` or `Inter.NEAREST`.

    Elements of uint8 are interpolated with 11 bits of fraction, as in OpenCV and MindSpore.

    Raises:
        TypeError, ValueError: other arguments.
    """

    def __init__(self, size: ShapeLike, interpolation: Inter = Inter.BILINEAR):
        self.short = size if isinstance(size, int) else None
        self.size = _size(size, self.name)
        if interpolation not in (Inter.NEAREST, Inter.BILINEAR):
            wanted = "Inter.BILINEAR or Inter.NEAREST in this version"
            raise argument_error(ValueError, self.name, "interpolation", wanted, interpolation)
        self.interpolation = interpolation

    def one(self, value: Array) -> Array:
        image = _image(value, self.name)
        h, w = image.shape[:2]
        to = self.size
        if self.short is not None:
            short = self.short
            to = (short, int(short * w / h)) if h < w else (int(short * h / w), short)
        if self.interpolation == Inter.NEAREST:
            rows, columns = (
                (np.arange(m) * (n / m)).astype(int) for n, m in zip((h, w), to, strict=True)
            )
            return image[rows][:, columns]
        return _bilinear(image, to)


class Decode(Transform):
    """The image that the bytes of a file are (JPEG, PNG, BMP and others, by Pillow): uint8 of [height, width, 3].

    Args:
        to_pil: kept for scripts; only False.

    Raises:
        TypeError: no array of one dimension of bytes.
        RuntimeError: bytes that are no image.
        ImportError: Pillow is not installed.
    """

    def __init__(self, to_pil: bool = False):
        if to_pil is not False:
            raise argument_error(ValueError, self.name, "to_pil", "False in this version", to_pil)

    def one(self, value: Array) -> Array:
        if value.ndim != 1 or value.dtype != np.uint8:
            raise error(
                TypeError,
                f"For 'Decode', an encoded image must be an array of one dimension of uint8, but got shape "
                f"{list(value.shape)} of {value.dtype}.",
            )
        return decoded(value, "The given array of bytes")


class RandomResizedCrop(Transform):
    """A random part of the image, of a random share of its area and a random ratio of width and height, at a size.

    Args:
        size: an int, or (height, width).
        scale: the least and the largest share of the area.
        ratio: the least and the largest ratio of width to height.
        interpolation: as of `Resize`.
        max_attempts: how often a part is drawn until it fits; then it is the largest in the middle with a ratio in the
            range.

    Raises:
        TypeError, ValueError: other arguments.
    """

    def __init__(
        self,
        size: ShapeLike,
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3 / 4, 4 / 3),
        interpolation: Inter = Inter.BILINEAR,
        max_attempts: int = 10,
    ):
        self.resize = Resize(_size(size, self.name), interpolation)
        self.scale, self.ratio = (
            self._range(value, what) for value, what in ((scale, "scale"), (ratio, "ratio"))
        )
        self.attempts = check_int(max_attempts, self.name, "max_attempts", at_least=1)

    def _range(self, value: Any, what: str) -> tuple[float, float]:
        pair = list(value) if isinstance(value, list | tuple) else []
        if len(pair) != 2 or not 0 < pair[0] <= pair[1]:
            expected = "two numbers above 0, the first not above the second"
            raise argument_error(ValueError, self.name, what, expected, value)
        return float(pair[0]), float(pair[1])

    def drawn(self, random: np.random.Generator, *values: ArrayLike | str) -> Columns:
        images = [_image(np.asarray(v), self.name) for v in values]
        y, x, size = self._part(random, *images[0].shape[:2])
        out = tuple(self.resize.one(_part(image, y, x, size, self.name)) for image in images)
        return out if len(out) > 1 else out[0]

    def _part(
        self, random: np.random.Generator, h: int, w: int
    ) -> tuple[int, int, tuple[int, int]]:
        """Where a part of an image begins, and its size."""
        low, high = np.log(self.ratio)
        for _ in range(self.attempts):
            area = random.uniform(*self.scale) * h * w
            ratio = float(np.exp(random.uniform(low, high)))
            height, width = round((area / ratio) ** 0.5), round((area * ratio) ** 0.5)
            if 0 < height <= h and 0 < width <= w:
                y, x = random.integers(0, h - height + 1), random.integers(0, w - width + 1)
                return int(y), int(x), (height, width)
        ratio = min(max(w / h, self.ratio[0]), self.ratio[1])
        height, width = (h, round(h * ratio)) if w / h > ratio else (round(w / ratio), w)
        height, width = min(max(height, 1), h), min(max(width, 1), w)
        return (h - height) // 2, (w - width) // 2, (height, width)


class RandomCropDecodeResize(RandomResizedCrop):
    """`RandomResizedCrop` of the image that the bytes of a file are; see `Decode`."""

    def drawn(self, random: np.random.Generator, *values: ArrayLike | str) -> Columns:
        return super().drawn(random, *[Decode().one(np.asarray(v)) for v in values])


def _between(n: int, m: int) -> tuple[Array, Array, Array]:
    """For each of `m` places in `n` elements the element before, the one after, and the fraction."""
    at = (np.arange(m) + 0.5) * (n / m) - 0.5
    before = np.floor(at).astype(int)
    return np.clip(before, 0, n - 1), np.clip(before + 1, 0, n - 1), at - before


_ONE = 2048  # the fraction 1 of fixed-point numbers


def _bilinear(image: Array, size: tuple[int, int]) -> Array:
    y0, y1, fy = _between(image.shape[0], size[0])
    x0, x1, fx = _between(image.shape[1], size[1])
    fx = np.where(x0 == x1, 0, fx)
    fy, fx = fy.reshape(-1, 1, *[1] * (image.ndim - 2)), fx.reshape(-1, *[1] * (image.ndim - 2))
    if image.dtype != np.uint8:
        rows = image[:, x0] * (1 - fx) + image[:, x1] * fx
        return (rows[y0] * (1 - fy) + rows[y1] * fy).astype(image.dtype)  # type: ignore[no-any-return]
    whole_image = image.astype(np.int64)
    ax, bx, ay, by = (np.rint(f * _ONE).astype(np.int64) for f in (1 - fx, fx, 1 - fy, fy))
    rows = (whole_image[:, x0] * ax + whole_image[:, x1] * bx) >> 4
    sums = ((ay * rows[y0]) >> 16) + ((by * rows[y1]) >> 16)
    return ((sums + 2) >> 2).astype(np.uint8)  # type: ignore[no-any-return]
