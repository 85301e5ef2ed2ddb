"""Images sampled at points of a grid (Jaderberg et al. 2015, spatial transformers), and resized."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Dims, ShapeLike
from cellgrad.core.arguments import check_bool, check_one_of
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import rounding
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._index import gathered
from cellgrad.ops._public import public
from cellgrad.ops._sliding import check_rank
from cellgrad.ops._static import known, known_ints
from cellgrad.ops.interpolation import _applied, _pick, interpolate
from cellgrad.ops.joining import stack
from cellgrad.ops.selection import cast, select
from cellgrad.ops.shapes import movedim

# --- grids ------------------------------------------------------------------------------------


@public(
    "ops.GridSampler2D(interpolation_mode='bilinear', padding_mode='zeros', align_corners=False)"
    "(input_x, grid) = ops.grid_sample(input_x, grid, interpolation_mode, padding_mode, align_corners)",
    "ops.GridSampler3D(interpolation_mode='bilinear', padding_mode='zeros', align_corners=False)"
    "(input_x, grid) = ops.grid_sample(input_x, grid, interpolation_mode, padding_mode, align_corners)",
    "mint.nn.functional.grid_sample",
)
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Images [N, C, H, W], or volumes [N, C, D, H, W], at the points of a grid [N, ..., 2 or 3], whose
    coordinates (x, y, z) are -1 and 1 at the ends.

    Args:
        input: floating point.
        grid: of the dtype of `input`.
        mode: "bilinear" (of volumes, trilinear) or "nearest".
        padding_mode: what is outside: "zeros", the nearest element ("border"), or the mirror image
            ("reflection").
        align_corners: whether -1 and 1 are the centres of the first and last element, not their
            outer edges.

    Returns:
        shape [N, C, ...].

    Raises:
        TypeError: no Tensors of floating-point numbers.
        ValueError: shapes that do not fit, or another mode.

    >>> x = ops.arange(4.0).reshape(1, 1, 2, 2)
    >>> print(ops.grid_sample(x, ops.zeros((1, 1, 1, 2))))
    [[[[1.5]]]]
    """
    op = "grid_sample"
    x = check_rank(input, (4, 5), op, "input")
    g = check_tensor(grid, op, "grid")
    check_one_of(mode, op, "mode", ("bilinear", "nearest"))
    check_one_of(padding_mode, op, "padding_mode", ("zeros", "border", "reflection"))
    if g.ndim != x.ndim or g.shape[0] != x.shape[0] or g.shape[-1] != x.ndim - 2:
        raise error(
            ValueError,
            f"For '{op}', the grid of {list(x.shape)} must have {x.ndim} dimensions, the first "
            f"{x.shape[0]} and the last {x.ndim - 2}, but got shape {list(g.shape)}.",
        )
    out: Tensor = _sampled(
        x, g, mode, padding_mode, check_bool(bool(align_corners), op, "align_corners")
    )
    return out


def _mirrored(place: Tensor, low: float, high: float) -> Tensor:
    span = high - low
    if span <= 0:
        return gen.mul(place, 0)
    away = gen.abs(place - low)
    turns = gen.floor(away / span)
    rest = away - turns * span
    even = gen.equal(turns - gen.floor(turns / 2) * 2, 0)
    return select(even, rest + low, high - rest)


@operation
def _sampled(x: Tensor, grid: Tensor, mode: str, padding: str, align: bool) -> Tensor:
    sizes = x.shape[2:]
    rank = len(sizes)
    places = []
    for d, n in enumerate(sizes):
        g = grid[..., rank - 1 - d]
        place = (g + 1) * ((n - 1) / 2) if align else ((g + 1) * n - 1) * 0.5
        if padding == "reflection":
            ends = (0.0, n - 1.0) if align else (-0.5, n - 0.5)
            place = _mirrored(place, *ends)
        if padding != "zeros":
            place = gen.maximum(gen.minimum(place, n - 1.0), 0.0)
        places.append(place)
    flat = movedim(x, 1, -1).reshape(x.shape[0], -1, x.shape[1])

    def taken(points: list[Tensor]) -> Tensor:
        index: Any = None
        inside: Any = None
        for p, n in zip(points, sizes, strict=True):
            here = gen.logical_and(gen.greater_equal(p, 0), gen.less_equal(p, n - 1))
            inside = here if inside is None else gen.logical_and(inside, here)
            at = cast(gen.maximum(gen.minimum(p, n - 1), 0), mstype.int32)
            index = at if index is None else index * n + at
        rows = gathered(flat, index, 1, batch_dims=1)
        return select(inside.reshape(*inside.shape, 1), rows, 0)

    if mode == "nearest":
        # Of two nearest ones the even in images, the later in volumes, as MindSpore has it.
        nearest = [rounding.round(p) if rank == 2 else gen.floor(p + 0.5) for p in places]
        return movedim(taken(nearest), -1, 1)
    first = [gen.floor(p) for p in places]
    share = [p - f for p, f in zip(places, first, strict=True)]
    out: Any = None
    for corner in itertools.product((0, 1), repeat=rank):
        weight: Any = None
        for c, s in zip(corner, share, strict=True):
            one = s if c else 1 - s
            weight = one if weight is None else weight * one
        part = taken([f + c for f, c in zip(first, corner, strict=True)])
        part = part * weight.reshape(*weight.shape, 1)
        out = part if out is None else out + part
    return movedim(out, -1, 1)


@public(
    "ops.AffineGrid(align_corners)(theta, output_size) = "
    "ops.affine_grid(theta, output_size, align_corners)"
)
def affine_grid(theta: Tensor, size: ShapeLike, align_corners: bool = False) -> Tensor:
    """The grid of `grid_sample` for affine maps: [N, 2, 3] and a size (N, C, H, W), or [N, 3, 4] and
    (N, C, D, H, W).

    Raises:
        TypeError: no Tensor of floating-point numbers, or a size that is no tuple of ints.
        ValueError: shapes that do not fit.

    >>> theta = Tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> print(ops.affine_grid(theta, (1, 1, 1, 2)))
    [[[[-0.5  0. ]
       [ 0.5  0. ]]]]
    """
    op = "affine_grid"
    maps = check_rank(theta, (3,), op, "theta")
    sizes = known_ints(size, op, "size")
    rank = len(sizes) - 2
    if rank not in (2, 3) or maps.shape != (sizes[0], rank, rank + 1):
        raise error(
            ValueError,
            f"For '{op}', 'theta' must have the shape [N, 2, 3] for a size of 4 ints, or [N, 3, 4] "
            f"for one of 5, but got {list(maps.shape)} and {size}.",
        )
    check_bool(align_corners, op, "align_corners")
    out: Tensor = _affine(maps, sizes[2:], align_corners)
    return out


@operation
def _affine(maps: Tensor, sizes: tuple[int, ...], align: bool) -> Tensor:
    lines = [
        np.linspace(-1, 1, n) if align and n > 1 else (2 * np.arange(n) + 1) / n - 1 for n in sizes
    ]
    if align:
        lines = [line if n > 1 else np.zeros(1) for line, n in zip(lines, sizes, strict=True)]
    points = np.stack([*np.meshgrid(*lines, indexing="ij")[::-1], np.ones(sizes)], -1)
    base = known(points.reshape(1, -1, 1, len(sizes) + 1), mstype.float64).astype(maps.dtype)
    out = (base * maps.reshape(maps.shape[0], 1, *maps.shape[1:])).sum(-1)
    return out.reshape(maps.shape[0], *sizes, len(sizes))


# --- resizing ---------------------------------------------------------------------------------


def _points(n: int, length: int, align: bool, half: bool) -> np.ndarray[Any, Any]:
    """Where the new points are."""
    k = np.arange(length)
    if half:
        return (k + 0.5) * (n / length) - 0.5
    return k * ((n - 1) / (length - 1) if align and length > 1 else n / length)


@operation
def _linear(x: Tensor, sizes: tuple[int, ...], align: bool, half: bool) -> Tensor:
    for d, length in enumerate(sizes, x.ndim - len(sizes)):
        n = x.shape[d]
        at = np.clip(_points(n, length, align, half), 0, n - 1)
        first = np.floor(at).astype(int)
        weights = np.zeros((length, n))
        weights[np.arange(length), first] += 1 - (at - first)
        weights[np.arange(length), np.minimum(first + 1, n - 1)] += at - first
        x = _applied(x, d, weights)
    return x


@operation
def _closest(x: Tensor, sizes: tuple[int, ...], align: bool, half: bool) -> Tensor:
    for d, length in enumerate(sizes, x.ndim - len(sizes)):
        n = x.shape[d]
        at = _points(n, length, align, half)
        whole = np.floor(at + 0.5) if align or half else np.floor(at)
        x = _pick(x, d, [int(v) for v in np.clip(whole, 0, n - 1)])
    return x


def _new_size(op: str, x: Tensor, size: Any, align: bool, half: bool, count: int = 2) -> Any:
    sizes = known_ints(size, op, "size")
    if x.ndim != count + 2 or len(sizes) != count or min(sizes) < 1:
        raise error(
            ValueError,
            f"For '{op}', the input must have {count + 2} dimensions and 'size' be {count} positive "
            f"ints, but got shape {list(x.shape)} and {size}.",
        )
    if align and half:
        raise error(
            ValueError, f"For '{op}', 'align_corners' and 'half_pixel_centers' cannot both be True."
        )
    return sizes


@public()
class ResizeBilinearV2(Primitive):
    """Images [N, C, H, W] resized by linear interpolation. Pixels are points at multiples of the ratio
    of sizes; with `align_corners` the corners stay, with `half_pixel_centers` pixels are squares.

    Raises:
        ValueError: other shapes, or both settings.

    >>> x = Tensor([[[[0.0, 2.0]]]])
    >>> print(ops.ResizeBilinearV2()(x, (1, 4)))
    [[[[0. 1. 2. 2.]]]]
    """

    def __init__(self, align_corners: bool = False, half_pixel_centers: bool = False):
        super().__init__()
        self.align_corners = check_bool(align_corners, self.name, "align_corners")
        self.half_pixel_centers = check_bool(half_pixel_centers, self.name, "half_pixel_centers")

    def __call__(self, image: Tensor, size: ShapeLike) -> Tensor:
        x = check_rank(image, (4,), self.name, "image")
        settings = (self.align_corners, self.half_pixel_centers)
        out: Tensor = _linear(x, _new_size(self.name, x, size, *settings), *settings)
        return out


@public()
class ResizeNearestNeighborV2(ResizeBilinearV2):
    """Images [N, C, H, W] resized by the nearest element; see `ResizeBilinearV2`.

    >>> x = Tensor([[[[0.0, 2.0]]]])
    >>> print(ops.ResizeNearestNeighborV2()(x, (1, 4)))
    [[[[0. 0. 2. 2.]]]]
    """

    def __call__(self, image: Tensor, size: ShapeLike) -> Tensor:
        x = check_tensor(image, self.name, "image")
        settings = (self.align_corners, self.half_pixel_centers)
        out: Tensor = _closest(x, _new_size(self.name, x, size, *settings), *settings)
        return out


@public()
class ResizeNearestNeighbor(ResizeNearestNeighborV2):
    """`ResizeNearestNeighborV2` with the size given beforehand.

    >>> x = Tensor([[[[0.0, 2.0]]]])
    >>> print(ops.ResizeNearestNeighbor((1, 4))(x))
    [[[[0. 0. 2. 2.]]]]
    """

    def __init__(
        self, size: ShapeLike, align_corners: bool = False, half_pixel_centers: bool = False
    ):
        super().__init__(align_corners, half_pixel_centers)
        self.size = known_ints(size, self.name, "size")

    def __call__(self, input_x: Tensor) -> Tensor:  # type: ignore[override]
        return super().__call__(input_x, self.size)


@public()
class UpsampleTrilinear3D(Primitive):
    """Volumes [N, C, D, H, W] resized by linear interpolation; see `ops.interpolate`.

    >>> print(ops.UpsampleTrilinear3D()(ops.ones((1, 1, 1, 1, 1)), (2, 2, 2)).shape)
    (1, 1, 2, 2, 2)
    """

    def __init__(self, align_corners: bool = False):
        super().__init__()
        self.align_corners = check_bool(align_corners, self.name, "align_corners")

    def __call__(
        self,
        x: Tensor,
        output_size: Dims | None = None,
        scales: float | Sequence[float] | None = None,
    ) -> Tensor:
        return interpolate(x, output_size, scales, "trilinear", self.align_corners)


@public()
class UpsampleNearest3D(Primitive):
    """Volumes [N, C, D, H, W] resized by the nearest element; see `ops.interpolate`.

    >>> print(ops.UpsampleNearest3D()(ops.ones((1, 1, 1, 1, 1)), (2, 2, 2)).shape)
    (1, 1, 2, 2, 2)
    """

    def __call__(
        self,
        x: Tensor,
        output_size: Dims | None = None,
        scales: float | Sequence[float] | None = None,
    ) -> Tensor:
        return interpolate(x, output_size, scales, "nearest")


# --- colours ----------------------------------------------------------------------------------


def _colours(op: str, value: Any) -> Tensor:
    x = check_tensor(value, op, "images")
    if x.dtype.kind != "f" or x.ndim < 1 or x.shape[-1] != 3:
        raise error(
            ValueError,
            f"For '{op}', the last dimension must hold 3 floating-point numbers, but got "
            f"{x.dtype.title}{list(x.shape)}.",
        )
    return x


def _ends(r: Tensor, g: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """The largest and the smallest of three. Of equal ones the derivative goes to the first of the largest and the
    last of the smallest, as in MindSpore."""
    largest = gen.maximum(gen.maximum(r, g), b)
    nan = gen.isnan(largest)

    def pick(before: Any, first: Tensor, second: Tensor, third: Tensor) -> Tensor:
        ahead = gen.logical_and(before(first, second), before(first, third))
        found = select(ahead, first, select(before(second, third), second, third))
        return select(nan, r + g + b, found)

    return pick(gen.greater_equal, r, g, b), pick(gen.less_equal, b, g, r)


@operation
def _to_hsv(x: Tensor) -> Tensor:
    r, g, b = (x[..., i] for i in range(3))
    top, low = _ends(r, g, b)
    span = top - low
    flat = gen.equal(span, 0)
    safe = select(flat, 1.0, span)
    hue = select(
        gen.equal(top, r),
        (g - b) / safe,
        select(gen.equal(top, g), (b - r) / safe + 2.0, (r - g) / safe + 4.0),
    )
    hue = select(flat, 0.0, hue / 6.0)
    hue = select(gen.less(hue, 0), hue + 1.0, hue)
    black = gen.less_equal(top, 0)
    saturation = select(black, 0.0, span / select(black, 1.0, top))
    return stack([hue, saturation, top], -1)


@operation
def _to_rgb(x: Tensor) -> Tensor:
    hue, saturation, value = (x[..., i] for i in range(3))
    parts = []
    for offset in (5.0, 3.0, 1.0):
        k = hue * 6.0 + offset
        k = k - gen.floor(k / 6.0) * 6.0
        slope = gen.maximum(gen.minimum(gen.minimum(k, 4.0 - k), 1.0), 0.0)
        parts.append(value - value * saturation * slope)
    return stack(parts, -1)


@public()
class RGBToHSV(Primitive):
    """Red, green and blue in the last dimension as hue, saturation and value, all in [0, 1].

    >>> print(ops.RGBToHSV()(Tensor([0.0, 0.5, 0.0])))
    [0.33333334 1.         0.5       ]
    """

    def __call__(self, images: Tensor) -> Tensor:
        out: Tensor = _to_hsv(_colours(self.name, images))
        return out


@public()
class HSVToRGB(Primitive):
    """The inverse of `RGBToHSV`.

    >>> print(ops.HSVToRGB()(Tensor([0.25, 0.5, 0.5])))
    [0.375 0.5   0.25 ]
    """

    def __call__(self, x: Tensor) -> Tensor:
        out: Tensor = _to_rgb(_colours(self.name, x))
        return out


@operation
def _adjusted(x: Tensor, amount: Tensor, hue: bool) -> Tensor:
    h, s, v = (_to_hsv(x)[..., i] for i in range(3))
    if hue:
        h = h + amount
        h = h - gen.floor(h)
    else:
        s = gen.maximum(gen.minimum(s * amount, 1.0), 0.0)
    out: Tensor = _to_rgb(stack([h, s, v], -1))
    return out


@public()
class AdjustHue(Primitive):
    """Red, green and blue in the last dimension with `delta` added to the hue.

    >>> print(ops.AdjustHue()(Tensor([[[0.0, 0.5, 0.0]]]), Tensor(0.0)))
    [[[0.  0.5 0. ]]]
    """

    def __call__(self, image: Tensor, delta: Tensor) -> Tensor:
        x = _colours(self.name, image)
        out: Tensor = _adjusted(x, check_tensor(delta, self.name, "delta"), True)
        return out


@public()
class AdjustSaturation(Primitive):
    """Red, green and blue in the last dimension with the saturation multiplied by `scale`.

    >>> print(ops.AdjustSaturation()(Tensor([[[0.0, 0.5, 0.0]]]), Tensor(0.5)))
    [[[0.25 0.5  0.25]]]
    """

    def __call__(self, image: Tensor, scale: Tensor) -> Tensor:
        x = _colours(self.name, image)
        out: Tensor = _adjusted(x, check_tensor(scale, self.name, "scale"), False)
        return out
