"""Deformable convolutions: each element of a window is read at a place of its own."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Dims, PaddingLike
from cellgrad.core.arguments import (
    check_bool,
    check_dtype,
    check_int,
    check_ints,
    check_ndim,
    check_one_of,
    check_shape,
)
from cellgrad.core.errors import error
from cellgrad.core.record import cast_to, check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._index import gathered
from cellgrad.ops._public import public
from cellgrad.ops._static import known
from cellgrad.ops.contractions import matmul
from cellgrad.ops.limits import clip
from cellgrad.ops.selection import select
from cellgrad.ops.shapes import reshape, transpose


class _Windows(NamedTuple):
    """Where the windows of an image are: sizes of kernel, steps, gaps, padding, groups of channels."""

    op: str
    kernel: tuple[int, ...]
    steps: tuple[int, ...]
    gaps: tuple[int, ...]
    padding: tuple[int, ...]
    groups: int
    mask: bool

    def number(self, x: Tensor) -> tuple[int, int]:
        """How many windows there are, one above the other and side by side."""
        found = []
        for d in (0, 1):
            room = x.shape[2 + d] + sum(self.padding[2 * d : 2 * d + 2])
            found.append((room - self.gaps[d] * (self.kernel[d] - 1) - 1) // self.steps[d] + 1)
        if min(found) < 1:
            raise error(
                ValueError,
                f"For '{self.op}', windows of {self.kernel} do not fit into an image of "
                f"{list(x.shape[2:])} with its padding.",
            )
        return found[0], found[1]

    def places(self, d: int, count: int) -> np.ndarray[Any, Any]:
        """Where elements are along a dimension: [kernel, windows]."""
        of_windows = np.arange(count) * self.steps[d] - self.padding[2 * d]
        return np.arange(self.kernel[d])[:, None] * self.gaps[d] + of_windows


def _windows(
    op: str, kernel: Any, strides: Any, padding: Any, dilations: Any, groups: Any, mask: Any
) -> _Windows:
    sizes = check_ints(kernel, op, "kernel_size", 2, at_least=1)
    steps = check_ints(strides, op, "strides", 4, at_least=1)
    gaps = check_ints(dilations, op, "dilations", 4, at_least=1)
    for name, four in (("strides", steps), ("dilations", gaps)):
        if four[:2] != (1, 1):
            raise error(
                ValueError, f"For '{op}', '{name}' must begin with two ones, but got {four}."
            )
    edges = check_ints(padding, op, "padding", 4, at_least=0)
    count = check_int(groups, op, "deformable_groups", at_least=1)
    factors = check_bool(mask, op, "modulated")
    return _Windows(op, sizes, steps[2:], gaps[2:], edges, count, factors)


def _checked(
    x: Any, offsets: Any, windows: _Windows, fewer: bool = False
) -> tuple[Tensor, Tensor, tuple[int, int]]:
    op = windows.op
    image = check_dtype(check_ndim(check_tensor(x, op, "x"), op, "x", 4), op, "x", "f")
    if image.shape[1] % windows.groups:
        raise error(
            ValueError,
            f"For '{op}', 'deformable_groups' {windows.groups} must divide the {image.shape[1]} "
            "channels of 'x'.",
        )
    rows, columns = windows.number(image)
    if fewer and isinstance(offsets, Tensor) and offsets.ndim == 4:
        rows, columns = min(rows, offsets.shape[2]), min(columns, offsets.shape[3])
    each = windows.groups * windows.kernel[0] * windows.kernel[1]
    shape = (image.shape[0], (3 if windows.mask else 2) * each, rows, columns)
    by = check_shape(check_tensor(offsets, op, "offsets"), op, "offsets", shape)
    return image, check_dtype(by, op, "offsets", "f"), (rows, columns)


def _read(x: Tensor, offsets: Tensor, windows: _Windows, count: tuple[int, int]) -> Tensor:
    """The elements of all windows, [N, C, kernel, kernel, rows, columns], interpolated linearly between
    four neighbours; those outside of the image are 0."""
    n, channels, height, width = x.shape
    groups, (kh, kw), (rows, columns) = windows.groups, windows.kernel, count
    parts = reshape(offsets, (n, -1, groups, kh, kw, rows, columns))
    across = parts[:, 0] + known(windows.places(1, columns)[None, :, None, :], parts.dtype)
    down = parts[:, 1] + known(windows.places(0, rows)[:, None, :, None], parts.dtype)
    image = reshape(x, (n, groups, channels // groups, height * width))
    left, top = gen.floor(across), gen.floor(down)
    total: Any = None
    for row, of_row in ((top, top + 1 - down), (top + 1, down - top)):
        for column, of_column in ((left, left + 1 - across), (left + 1, across - left)):
            inside = gen.logical_and(
                gen.logical_and(gen.greater_equal(row, 0), gen.less(row, height)),
                gen.logical_and(gen.greater_equal(column, 0), gen.less(column, width)),
            )
            at = cast_to(clip(row, 0, height - 1), mstype.int32) * width
            at = at + cast_to(clip(column, 0, width - 1), mstype.int32)
            weight = select(inside, of_row * of_column, 0.0)
            found = gathered(image, reshape(at, (n, groups, -1)), 3, 2)
            term = found * reshape(cast_to(weight, x.dtype), (n, groups, 1, -1))
            total = term if total is None else total + term
    if windows.mask:
        total = total * reshape(cast_to(parts[:, 2], x.dtype), (n, groups, 1, -1))
    return reshape(total, (n, channels, kh, kw, rows, columns))


@operation
def _spread(x: Tensor, offsets: Tensor, windows: _Windows, fewer: bool = False) -> Tensor:
    image, by, (rows, columns) = _checked(x, offsets, windows, fewer)
    found = transpose(_read(image, by, windows, (rows, columns)), (0, 1, 4, 2, 5, 3))
    n, channels = image.shape[:2]
    kh, kw = windows.kernel
    out: Tensor = reshape(found, (n, channels, rows * kh, columns * kw))
    return out


@public()
class DeformableOffsets(Primitive):
    """The elements that the windows of a deformable convolution read, window beside window: shape (N, C,
    rows * kernel height, columns * kernel width). See `ops.deformable_conv2d`.

    Raises:
        TypeError: arguments of another kind.
        ValueError: shapes that do not fit.

    >>> offsets = ops.zeros((1, 12, 2, 2))
    >>> read = ops.DeformableOffsets((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))
    >>> print(read(ops.ones((1, 1, 3, 3)), offsets).shape)
    (1, 1, 4, 4)
    """

    def __init__(
        self,
        strides: Dims,
        pads: PaddingLike,
        ksize: Dims,
        dilations: Dims = (1, 1, 1, 1),
        data_format: str = "NCHW",
        deformable_groups: int = 1,
        modulated: bool = True,
    ):
        super().__init__()
        check_one_of(data_format, self.name, "data_format", ("NCHW",))
        self._windows = _windows(
            self.name, ksize, strides, pads, dilations, deformable_groups, modulated
        )

    def __call__(self, x: Tensor, offsets: Tensor) -> Tensor:
        out: Tensor = _spread(x, offsets, self._windows)
        return out

    def of_first(self, x: Tensor, offsets: Tensor) -> Tensor:
        """The same of the first rows and columns of windows, as many as `offsets` has: MindSpore's
        gradient looks no further."""
        out: Tensor = _spread(x, offsets, self._windows, True)
        return out


@public()
def deformable_conv2d(
    x: Tensor,
    weight: Tensor,
    offsets: Tensor,
    kernel_size: Dims,
    strides: Dims,
    padding: PaddingLike,
    bias: Tensor | None = None,
    dilations: Dims = (1, 1, 1, 1),
    groups: int = 1,
    deformable_groups: int = 1,
    modulated: bool = True,
) -> Tensor:
    """A convolution whose windows read each element at a place that `offsets` moves (Dai et al. 2017), and
    times a number (Zhu et al. 2018). Between elements it interpolates linearly; outside is 0.

    Args:
        x: floating point, shape (N, C, H, W).
        weight: shape (O, C / groups, kernel height, kernel width).
        offsets: shape (N, 3 * deformable_groups * kernel height * kernel width, rows, columns): how far to
            the right, how far down, and factors. Without `modulated`, the first two of the three.
        kernel_size: (kernel height, kernel width).
        strides: (1, 1, down, right): how far the next window is.
        padding: (top, bottom, left, right): rows and columns of zeros.
        bias: shape (O,).
        dilations: (1, 1, down, right): how far the next element of a window is.
        groups: channels are in so many groups, each with outputs of its own.
        deformable_groups: channels are in so many groups, each with offsets of its own.
        modulated: whether `offsets` has factors.

    Returns:
        A Tensor of shape (N, O, rows, columns).

    Raises:
        TypeError: arguments of another kind.
        ValueError: shapes that do not fit.

    >>> x, weight, offsets = ops.ones((1, 1, 3, 3)), ops.ones((1, 1, 2, 2)), ops.ones((1, 12, 2, 2))
    >>> print(ops.deformable_conv2d(x, weight, offsets, (2, 2), (1, 1, 1, 1), (0, 0, 0, 0)))
    [[[[4. 2.]
       [2. 1.]]]]
    """
    op = "deformable_conv2d"
    windows = _windows(op, kernel_size, strides, padding, dilations, deformable_groups, modulated)
    groups = check_int(groups, op, "groups", at_least=1)
    out: Tensor = _convolved(x, weight, offsets, bias, windows, groups)
    return out


@operation
def _convolved(
    x: Tensor, weight: Tensor, offsets: Tensor, bias: Any, windows: _Windows, groups: int
) -> Tensor:
    op = windows.op
    image, by, (rows, columns) = _checked(x, offsets, windows)
    n, channels = image.shape[:2]
    w = check_ndim(check_tensor(weight, op, "weight"), op, "weight", 4)
    outputs = w.shape[0]
    if channels % groups or outputs % groups:
        raise error(
            ValueError,
            f"For '{op}', 'groups' {groups} must divide the {channels} channels of 'x' and the "
            f"{outputs} of 'weight'.",
        )
    check_shape(w, op, "weight", (outputs, channels // groups, *windows.kernel))
    found = reshape(_read(image, by, windows, (rows, columns)), (n, groups, -1, rows * columns))
    matrix = reshape(w, (groups, outputs // groups, -1))
    out: Tensor = reshape(matmul(matrix, found), (n, outputs, rows, columns))
    if bias is None:
        return out
    b = check_shape(check_tensor(bias, op, "bias"), op, "bias", (outputs,))
    return out + reshape(b, (1, outputs, 1, 1))
