"""Images of files, by Pillow, which this part of the package alone needs."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from cellgrad.core.errors import error


def images_of_pillow(what: str) -> Any:
    """Pillow's module of images.

    Raises:
        ImportError: Pillow is not installed.
    """
    try:
        from PIL import Image
    except ImportError:
        raise error(
            ImportError,
            f"{what} needs Pillow, which is not installed.",
            "pip install pillow",
        ) from None
    return Image


def decoded(data: np.ndarray[Any, Any], what: str) -> np.ndarray[Any, Any]:
    """The image that encoded bytes are: uint8 of [height, width, 3].

    Raises:
        ImportError: Pillow is not installed.
        RuntimeError: the bytes are no image.
    """
    pillow = images_of_pillow("Reading images")
    try:
        with pillow.open(io.BytesIO(data.tobytes())) as image:
            return np.asarray(image.convert("RGB"))
    except (pillow.UnidentifiedImageError, OSError, ValueError, SyntaxError) as e:
        raise error(RuntimeError, f"{what} is no image that can be read: {e}.") from None
