"""Transforms of the colours of images, and turning them; see `dataset.vision`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad.core.aliases import ArrayLike, Columns
from cellgrad.core.arguments import argument_error, check_int, check_number
from cellgrad.core.errors import error
from cellgrad.dataset._decode import images_of_pillow
from cellgrad.dataset._transform import Array, Transform


def _bytes(value: Array, owner: str, channels: tuple[int, ...] = (1, 3)) -> Array:
    shown = value.shape[2] if value.ndim == 3 else 1
    if value.ndim not in (2, 3) or value.dtype != np.uint8 or shown not in channels:
        raise error(
            TypeError,
            f"For '{owner}', an image must be an array of uint8, "
            f"{'[height, width, 3]' if channels == (3,) else '[height, width] or [height, width, 1 or 3]'}, but "
            f"got shape {list(value.shape)} of {value.dtype}.",
            "apply it before Rescale, Normalize and ToTensor",
        )
    return value


def _mixed(value: Array, other: Any, factor: float) -> Array:
    """The image and another one, in parts that add up to one."""
    out = np.rint(value.astype(float) * factor + other * (1 - factor))
    return np.clip(out, 0, 255).astype(np.uint8)


def _grey(value: Array) -> Array:
    """The luma of a colour image (ITU-R BT.601)."""
    return np.rint(value.astype(float) @ np.array([0.299, 0.587, 0.114]))


class _Adjust(Transform):
    argument = ""

    def __init__(self, factor: float):
        self.factor = check_number(factor, self.name, self.argument, at_least=0)

    def one(self, value: Array) -> Array:
        return self.adjusted(_bytes(value, self.name, (3,)), self.factor)

    @staticmethod
    def adjusted(value: Array, factor: float) -> Array:
        """The image, adjusted by a factor."""
        raise NotImplementedError


class AdjustBrightness(_Adjust):
    """Elements times a factor, within 0 and 255. Images are uint8 [height, width, 3].

    >>> import numpy as np
    >>> from cellgrad.dataset import vision
    >>> vision.AdjustBrightness(1.5)(np.array([[[10, 101, 200]]], np.uint8)).tolist()
    [[[15, 152, 255]]]
    """

    argument = "brightness_factor"

    def __init__(self, brightness_factor: float):
        super().__init__(brightness_factor)

    @staticmethod
    def adjusted(value: Array, factor: float) -> Array:
        return _mixed(value, 0.0, factor)


class AdjustContrast(_Adjust):
    """Elements moved from (factor above 1) or to the mean luma of the image. Images are uint8
    [height, width, 3].

    >>> import numpy as np
    >>> from cellgrad.dataset import vision
    >>> vision.AdjustContrast(0.5)(np.array([[[100, 100, 100], [200, 200, 200]]], np.uint8)).tolist()
    [[[125, 125, 125], [175, 175, 175]]]
    """

    argument = "contrast_factor"

    def __init__(self, contrast_factor: float):
        super().__init__(contrast_factor)

    @staticmethod
    def adjusted(value: Array, factor: float) -> Array:
        return _mixed(value, np.floor(_grey(value).mean() + 0.5), factor)


class AdjustSaturation(_Adjust):
    """Elements moved from (factor above 1) or to the luma of their pixel. Images are uint8
    [height, width, 3].

    >>> import numpy as np
    >>> from cellgrad.dataset import vision
    >>> vision.AdjustSaturation(0.0)(np.array([[[10, 101, 200]]], np.uint8)).tolist()
    [[[85, 85, 85]]]
    """

    argument = "saturation_factor"

    def __init__(self, saturation_factor: float):
        super().__init__(saturation_factor)

    @staticmethod
    def adjusted(value: Array, factor: float) -> Array:
        return _mixed(value, _grey(value)[..., None], factor)


class RandomColorAdjust(Transform):
    """Brightness, contrast and saturation by random factors, each from its range, in random order.

    Args:
        brightness, contrast, saturation: the least and the largest factor, or a number d for factors from
            ``max(0, 1 - d)`` to ``1 + d``.

    Raises:
        TypeError: an image that is not uint8 [height, width, 3], or an argument of another type.
        ValueError: a negative number, or a range whose end is below its start.

    >>> import numpy as np
    >>> from cellgrad.dataset import vision
    >>> image = np.array([[[10, 101, 200]]], np.uint8)
    >>> vision.RandomColorAdjust(brightness=(2, 2))(image).tolist()
    [[[20, 202, 255]]]
    """

    def __init__(
        self,
        brightness: float | Sequence[float] = (1, 1),
        contrast: float | Sequence[float] = (1, 1),
        saturation: float | Sequence[float] = (1, 1),
    ):
        self._ranges = [
            (AdjustBrightness, self._range(brightness, "brightness")),
            (AdjustContrast, self._range(contrast, "contrast")),
            (AdjustSaturation, self._range(saturation, "saturation")),
        ]

    def _range(self, given: Any, argument: str) -> tuple[float, float]:
        if isinstance(given, int | float) and not isinstance(given, bool):
            wide = check_number(given, self.name, argument, at_least=0)
            return max(0.0, 1 - wide), 1 + wide
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise argument_error(TypeError, self.name, argument, "a number or two numbers", given)
        low, high = (check_number(v, self.name, argument, at_least=0) for v in given)
        if low > high:
            raise error(
                ValueError,
                f"For '{self.name}', '{argument}' is a range from {low} to {high}, which is empty.",
            )
        return low, high

    def drawn(self, random: np.random.Generator, *values: ArrayLike | str) -> Columns:
        chosen = [self._ranges[i] for i in random.permutation(3)]
        steps = [kind(random.uniform(*between)) for kind, between in chosen if between != (1, 1)]
        out = values
        for step in steps:
            out = tuple([step.one(_bytes(np.asarray(v), self.name, (3,))) for v in out])
        return out if len(out) > 1 else out[0]


class Solarize(Transform):
    """Elements from one value to another (255 for one number) become 255 minus themselves.

    >>> import numpy as np
    >>> from cellgrad.dataset import vision
    >>> vision.Solarize((100, 200))(np.array([[10, 101, 200, 201]], np.uint8)).tolist()
    [[10, 154, 55, 201]]
    """

    def __init__(self, threshold: float | Sequence[float]):
        pair = threshold if isinstance(threshold, tuple | list) else (threshold, 255)
        if len(pair) != 2:
            raise argument_error(TypeError, self.name, "threshold", "a number or two", threshold)
        low, high = (check_number(v, self.name, "threshold", at_least=0, at_most=255) for v in pair)
        if low > high:
            raise error(
                ValueError,
                f"For '{self.name}', 'threshold' begins at {low}, above its end, {high}.",
            )
        self.threshold = low, high

    def one(self, value: Array) -> Array:
        low, high = self.threshold
        value = _bytes(value, self.name)
        return np.where((value >= low) & (value <= high), 255 - value, value)


class Posterize(Transform):
    """Keeps the `bits` highest bits of each element, 0 to 8.

    >>> import numpy as np
    >>> from cellgrad.dataset import vision
    >>> vision.Posterize(2)(np.array([[10, 101, 200, 255]], np.uint8)).tolist()
    [[0, 64, 192, 192]]
    """

    def __init__(self, bits: int):
        self.bits = check_int(bits, self.name, "bits", at_least=0, at_most=8)

    def one(self, value: Array) -> Array:
        return _bytes(value, self.name) & np.uint8(256 - (1 << (8 - self.bits)) & 255)


class Rotate(Transform):
    """Turns an image counterclockwise about its middle; each element is that of the nearest place. The size
    stays: what turns out of the image is cut off.

    Args:
        degrees: the angle.
        fill_value: the elements that no place of the image turns to, 0 to 255.

    Raises:
        TypeError: an image that is not uint8, or an argument of another type.

    >>> import numpy as np
    >>> from cellgrad.dataset import vision
    >>> vision.Rotate(90)(np.array([[1, 2], [3, 4]], np.uint8)).tolist()
    [[2, 4], [1, 3]]
    """

    def __init__(self, degrees: float, *, fill_value: int = 0):
        self.degrees = check_number(degrees, self.name, "degrees")
        self.fill_value = check_int(fill_value, self.name, "fill_value", at_least=0, at_most=255)

    def one(self, value: Array) -> Array:
        return self._turned(_bytes(value, self.name), self.degrees)

    def _turned(self, value: Array, degrees: float) -> Array:
        pillow = images_of_pillow(self.name)
        planes = value.reshape(*value.shape[:2], -1)
        turned = [
            np.asarray(
                pillow.fromarray(np.ascontiguousarray(planes[..., c])).rotate(
                    degrees, pillow.Resampling.NEAREST, fillcolor=self.fill_value
                )
            )
            for c in range(planes.shape[2])
        ]
        return np.stack(turned, axis=-1).reshape(value.shape)


class RandomRotation(Rotate):
    """`Rotate` by an angle drawn from a range: from the first to the second, or from -d to d for a number d.

    >>> import numpy as np
    >>> from cellgrad.dataset import vision
    >>> vision.RandomRotation((180, 180))(np.array([[1, 2], [3, 4]], np.uint8)).tolist()
    [[4, 3], [2, 1]]
    """

    def __init__(self, degrees: float | Sequence[float], *, fill_value: int = 0):
        super().__init__(0.0, fill_value=fill_value)
        if isinstance(degrees, int | float) and not isinstance(degrees, bool):
            wide = check_number(degrees, self.name, "degrees", at_least=0)
            degrees = (-wide, wide)
        if not isinstance(degrees, tuple | list) or len(degrees) != 2:
            raise argument_error(
                TypeError, self.name, "degrees", "a number or two numbers", degrees
            )
        self.between = tuple([check_number(v, self.name, "degrees") for v in degrees])

    def drawn(self, random: np.random.Generator, *values: ArrayLike | str) -> Columns:
        low, high = self.between
        angle = random.uniform(low, high)
        out = tuple([self._turned(_bytes(np.asarray(v), self.name), angle) for v in values])
        return out if len(out) > 1 else out[0]
