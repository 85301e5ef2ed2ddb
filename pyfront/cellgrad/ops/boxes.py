"""Boxes in images: overlaps, encodings, suppression, and parts of images cut out and resized.

A box is (x0, y0, x1, y1). Overlaps and encodings count pixels: a box is ``x1 - x0 + 1`` wide, as in
Ren et al. 2015 (Faster R-CNN).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, Dims, ShapeLike
from cellgrad.core.arguments import check_int, check_number, check_one_of
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._index import elements_along, gathered
from cellgrad.ops._public import public
from cellgrad.ops._static import known, known_ints
from cellgrad.ops.gathering import needs_elements
from cellgrad.ops.joining import stack
from cellgrad.ops.selection import cast, select, stop_gradient


def checked_boxes(value: Any, op: str, argument: str, columns: int = 4) -> Tensor:
    x = check_tensor(value, op, argument)
    if x.ndim != 2 or x.shape[1] != columns:
        raise error(
            ValueError,
            f"For '{op}', '{argument}' must have the shape [N, {columns}], but got {list(x.shape)}.",
        )
    return x


def _parts(x: Tensor) -> list[Tensor]:
    return [x[:, i] for i in range(4)]


@public("ops.IOU(mode)(anchor_boxes, gt_boxes)")
def iou(anchor_boxes: Tensor, gt_boxes: Tensor, mode: str = "iou") -> Tensor:
    """Overlaps of boxes: their intersection over their union, or over the box of `gt_boxes` ("iof").

    Args:
        anchor_boxes: shape [N, 4].
        gt_boxes: shape [M, 4].
        mode: "iou" or "iof".

    Returns:
        shape [M, N].

    Raises:
        TypeError: boxes that are not Tensors.
        ValueError: other shapes or another mode.

    >>> a, b = Tensor([[0.0, 0.0, 9.0, 9.0]]), Tensor([[0.0, 0.0, 9.0, 4.0]])
    >>> print(ops.iou(a, b))
    [[0.5]]
    """
    a, b = (
        checked_boxes(anchor_boxes, "iou", "anchor_boxes"),
        checked_boxes(gt_boxes, "iou", "gt_boxes"),
    )
    check_one_of(mode, "iou", "mode", ("iou", "iof"))
    out: Tensor = _overlap(a, b, mode == "iof")
    return out


@operation
def _overlap(a: Tensor, b: Tensor, over_second: bool) -> Tensor:
    ax0, ay0, ax1, ay1 = _parts(a)
    bx0, by0, bx1, by1 = (v.reshape(-1, 1) for v in _parts(b))
    width = gen.maximum(gen.minimum(ax1, bx1) - gen.maximum(ax0, bx0) + 1, 0)
    height = gen.maximum(gen.minimum(ay1, by1) - gen.maximum(ay0, by0) + 1, 0)
    shared = width * height
    area_a = (ax1 - ax0 + 1) * (ay1 - ay0 + 1)
    area_b = (bx1 - bx0 + 1) * (by1 - by0 + 1)
    whole = area_b + gen.mul(shared, 0) if over_second else area_a + area_b - shared
    # Boxes whose ends are before their beginnings may have no area together.
    empty = gen.equal(whole, 0)
    return select(empty, 0.0, shared / select(empty, 1.0, whole))


def _four(value: Any, op: str, argument: str) -> tuple[float, ...]:
    listed = (value,) * 4 if isinstance(value, float | int) else value
    if not isinstance(listed, tuple | list) or len(listed) != 4:
        raise error(TypeError, f"For '{op}', '{argument}' must be 4 numbers, but got {value!r}.")
    return tuple(float(check_number(v, op, argument)) for v in listed)


@public("ops.BoundingBoxEncode(means, stds)(anchor_box, groundtruth_box)")
def bounding_box_encode(
    anchor_box: Tensor,
    groundtruth_box: Tensor,
    means: ArrayLike = (0.0, 0.0, 0.0, 0.0),
    stds: ArrayLike = (1.0, 1.0, 1.0, 1.0),
) -> Tensor:
    """Offsets of boxes from anchors: of the centre, over the anchor's size, and logarithms of sizes;
    minus `means`, over `stds`.

    Raises:
        TypeError: `means` or `stds` is not four numbers.
        ValueError: boxes of another shape than [N, 4].

    >>> a, b = Tensor([[0.0, 0.0, 9.0, 9.0]]), Tensor([[1.0, 0.0, 10.0, 9.0]])
    >>> print(ops.bounding_box_encode(a, b))
    [[0.1 0.  0.  0. ]]
    """
    op = "bounding_box_encode"
    a, b = (
        checked_boxes(anchor_box, op, "anchor_box"),
        checked_boxes(groundtruth_box, op, "groundtruth_box"),
    )
    out: Tensor = _encoded(a, b, _four(means, op, "means"), _four(stds, op, "stds"))
    return out


def _centres(x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    x0, y0, x1, y1 = _parts(x)
    return (x0 + x1) * 0.5, (y0 + y1) * 0.5, x1 - x0 + 1.0, y1 - y0 + 1.0


@operation
def _encoded(a: Tensor, b: Tensor, means: tuple[float, ...], stds: tuple[float, ...]) -> Tensor:
    ax, ay, aw, ah = _centres(a)
    bx, by, bw, bh = _centres(b)
    parts = [(bx - ax) / aw, (by - ay) / ah, gen.log(bw / aw), gen.log(bh / ah)]
    return stack([(p - m) / s for p, m, s in zip(parts, means, stds, strict=True)], -1)


@public(
    "ops.BoundingBoxDecode(max_shape, means, stds, wh_ratio_clip)(anchor_box, deltas)",
)
def bounding_box_decode(
    anchor_box: Tensor,
    deltas: Tensor,
    max_shape: ShapeLike,
    means: ArrayLike = (0.0, 0.0, 0.0, 0.0),
    stds: ArrayLike = (1.0, 1.0, 1.0, 1.0),
    wh_ratio_clip: float = 0.016,
) -> Tensor:
    """The boxes that `bounding_box_encode` has encoded, within an image of `max_shape` (height, width).
    Ratios of sizes stay in [`wh_ratio_clip`, 1 / `wh_ratio_clip`].

    Raises:
        TypeError: arguments of another kind.
        ValueError: boxes of another shape than [N, 4].

    >>> a, d = Tensor([[0.0, 0.0, 9.0, 9.0]]), Tensor([[0.1, 0.0, 0.0, 0.0]])
    >>> print(ops.bounding_box_decode(a, d, (20, 20)))
    [[ 1.  0. 10.  9.]]
    """
    op = "bounding_box_decode"
    a, d = checked_boxes(anchor_box, op, "anchor_box"), checked_boxes(deltas, op, "deltas")
    sizes = known_ints(max_shape, op, "max_shape")
    if len(sizes) != 2:
        raise error(ValueError, f"For '{op}', 'max_shape' must be two ints, but got {max_shape}.")
    limit = abs(math.log(check_number(wh_ratio_clip, op, "wh_ratio_clip")))
    out: Tensor = _decoded(a, d, sizes, _four(means, op, "means"), _four(stds, op, "stds"), limit)
    return out


@operation
def _decoded(
    a: Tensor,
    d: Tensor,
    sizes: tuple[int, ...],
    means: tuple[float, ...],
    stds: tuple[float, ...],
    limit: float,
) -> Tensor:
    ax, ay, aw, ah = _centres(a)
    dx, dy, dw, dh = (v * s + m for v, m, s in zip(_parts(d), means, stds, strict=True))
    w, h = (
        n * gen.exp(gen.maximum(gen.minimum(v, limit), -limit)) for n, v in ((aw, dw), (ah, dh))
    )
    x, y = ax + aw * dx, ay + ah * dy
    edges = [x - (w - 1) * 0.5, y - (h - 1) * 0.5, x + (w - 1) * 0.5, y + (h - 1) * 0.5]
    limits = (sizes[1], sizes[0]) * 2
    return stack([gen.maximum(gen.minimum(e, float(n)), 0.0) for e, n in zip(edges, limits)], -1)


@public("ops.CheckValid")
@operation
def check_valid(bboxes: Tensor, img_metas: Tensor) -> Tensor:
    """Whether boxes [N, 4] lie in an image, given as (height, width, ratio): its size is that times the
    ratio.

    Raises:
        ValueError: other shapes.

    >>> boxes = Tensor([[0.0, 0.0, 5.0, 5.0], [0.0, 0.0, 50.0, 5.0]])
    >>> print(ops.check_valid(boxes, Tensor([10.0, 10.0, 1.0])))
    [ True False]
    """
    x = checked_boxes(bboxes, "check_valid", "bboxes")
    image = check_tensor(img_metas, "check_valid", "img_metas")
    if image.shape != (3,):
        raise error(
            ValueError,
            f"For 'check_valid', 'img_metas' must have 3 elements, but got shape "
            f"{list(image.shape)}.",
        )
    x0, y0, x1, y1 = _parts(x)
    height, width = image[0] * image[2] - 1, image[1] * image[2] - 1
    out = gen.logical_and(gen.greater_equal(x0, 0), gen.greater_equal(y0, 0))
    out = gen.logical_and(out, gen.less_equal(x1, width))
    return gen.logical_and(out, gen.less_equal(y1, height))


# --- parts of images --------------------------------------------------------------------------


@public(
    "ops.CropAndResize(method, extrapolation_value)(x, boxes, box_index, crop_size) = "
    "ops.crop_and_resize(x, boxes, box_index, crop_size, method, extrapolation_value)",
)
def crop_and_resize(
    image: Tensor,
    boxes: Tensor,
    box_indices: Tensor,
    crop_size: Dims,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Tensor:
    """Parts of images, resized. Boxes are (y0, x0, y1, x1) in units of the image, and one that is
    turned around is cut out mirrored. Derivatives flow to the images, and to boxes where the method
    is bilinear.

    Args:
        image: shape [N, H, W, C].
        boxes: shape [B, 4], float32.
        box_indices: the image of each box, int32 of shape [B].
        crop_size: (height, width) of the results.
        method: "bilinear"; "nearest"; or "bilinear_v2", which samples the centres of pixels.
        extrapolation_value: the number outside of an image; "bilinear_v2" takes the nearest place in it
            instead.

    Raises:
        TypeError: arguments of another kind.
        ValueError: other shapes, or another method.

    >>> x = ops.arange(9.0).reshape(1, 3, 3, 1)
    >>> box, of = Tensor([[0.0, 0.0, 1.0, 1.0]]), Tensor([0], ms.int32)
    >>> print(ops.crop_and_resize(x, box, of, (2, 2)).reshape(2, 2))
    [[0. 2.]
     [6. 8.]]
    """
    op = "crop_and_resize"
    x, b = check_tensor(image, op, "image"), checked_boxes(boxes, op, "boxes")
    at = check_tensor(box_indices, op, "box_indices")
    check_one_of(method, op, "method", ("bilinear", "nearest", "bilinear_v2"))
    sizes = known_ints(crop_size, op, "crop_size")
    if x.ndim != 4 or at.shape != b.shape[:1] or len(sizes) != 2:
        raise error(
            ValueError,
            f"For '{op}', 'image' must have 4 dimensions, 'box_indices' one element a box and "
            f"'crop_size' two ints, but got {list(x.shape)}, {list(at.shape)} and {crop_size}.",
        )
    outside = float(check_number(extrapolation_value, op, "extrapolation_value"))
    out: Tensor = _cropped(x, b, at, sizes, method, outside)
    return out


def _lines(low: Tensor, high: Tensor, n: int, count: int, centred: bool) -> Tensor:
    """Where lines of the results are in the images: shape [B, count]."""
    k = known(np.arange(count, dtype=np.float32), mstype.float32).reshape(1, -1)
    low, high = low.reshape(-1, 1), high.reshape(-1, 1)
    if centred:  # the centres of pixels, of boxes that are whole pixels
        first, last = gen.trunc(low * n), gen.trunc(high * n)
        length = gen.maximum(last - first + 1, 1)
        place = (k + 0.5) * (length / count) - 0.5
        place = first + gen.maximum(gen.minimum(place, length - 1), 0)
        return gen.maximum(gen.minimum(place, n - 1), 0)
    if count == 1:
        return (low + high) * (0.5 * (n - 1)) + k
    return low * (n - 1) + k * ((high - low) * (n - 1) / (count - 1))


@operation
def _cropped(
    x: Tensor, boxes: Tensor, at: Tensor, sizes: tuple[int, ...], method: str, outside: float
) -> Tensor:
    _, height, width, _ = x.shape
    y0, x0, y1, x1 = _parts(boxes)
    centred = method == "bilinear_v2"
    rows = _lines(y0, y1, height, sizes[0], centred)
    columns = _lines(x0, x1, width, sizes[1], centred)
    flat = x.reshape(-1, x.shape[3]).astype(mstype.float32)
    batch = cast(at, mstype.int32).reshape(-1, 1, 1)

    def taken(r: Tensor, c: Tensor) -> Tensor:
        r, c = (cast(v, mstype.int32) for v in (r, c))
        r, c = (gen.maximum(gen.minimum(v, n - 1), 0) for v, n in ((r, height), (c, width)))
        index = (batch * height + r.reshape(*r.shape, 1)) * width + c.reshape(
            c.shape[0], 1, c.shape[1]
        )
        return gathered(flat, index, 0)

    if method == "nearest":
        out = taken(gen.floor(rows + 0.5), gen.floor(columns + 0.5))
    else:
        up, left = gen.floor(rows), gen.floor(columns)
        v = (rows - up).reshape(*rows.shape, 1, 1)
        h = (columns - left).reshape(columns.shape[0], 1, columns.shape[1], 1)
        top = taken(up, left) * (1 - h) + taken(up, left + 1) * h
        bottom = taken(up + 1, left) * (1 - h) + taken(up + 1, left + 1) * h
        out = top * (1 - v) + bottom * v
    inside = [
        gen.logical_and(gen.greater_equal(v, 0), gen.less_equal(v, n - 1))
        for v, n in ((rows, height), (columns, width))
    ]
    mask = gen.logical_and(
        inside[0].reshape(*rows.shape, 1, 1),
        inside[1].reshape(columns.shape[0], 1, columns.shape[1], 1),
    )
    return select(mask, out, outside)


@public()
class ROIAlign(Primitive):
    """Means of samples in a grid of parts of regions (He et al. 2017, Mask R-CNN).

    Args:
        pooled_height, pooled_width: the number of parts.
        spatial_scale: what coordinates of regions are multiplied by.
        sample_num: samples a part, in each direction; below 1, as many as whole elements are in it, and at least
            one. Regions are then known while compiling.
        roi_end_mode: whether a region's end counts, too. Without it regions are at least 1 long.

    Inputs:
        features: shape [N, C, H, W].
        rois: regions (number of the image, x0, y0, x1, y1), shape [R, 5].

    Outputs:
        shape [R, C, pooled_height, pooled_width].

    Raises:
        TypeError: with a `sample_num` below 1, regions that are not known while compiling.
        ValueError: other shapes.

    >>> x, region = ops.ones((1, 1, 4, 4)), Tensor([[0.0, 0.0, 0.0, 3.0, 3.0]])
    >>> print(ops.ROIAlign(1, 1, 1.0)(x, region))
    [[[[1.]]]]
    """

    def __init__(
        self,
        pooled_height: int,
        pooled_width: int,
        spatial_scale: float,
        sample_num: int = 2,
        roi_end_mode: int = 1,
    ):
        super().__init__()
        self.sizes = tuple(
            check_int(v, self.name, n, at_least=1)
            for v, n in ((pooled_height, "pooled_height"), (pooled_width, "pooled_width"))
        )
        self.spatial_scale = float(check_number(spatial_scale, self.name, "spatial_scale"))
        self.sample_num = check_int(sample_num, self.name, "sample_num")
        self.roi_end_mode = check_int(roi_end_mode, self.name, "roi_end_mode", at_least=0)

    def __call__(self, features: Tensor, rois: Tensor) -> Tensor:
        x, regions = (
            check_tensor(features, self.name, "features"),
            checked_boxes(rois, self.name, "rois", 5),
        )
        counts: tuple[tuple[int, ...], ...] = ((self.sample_num,), (self.sample_num,))
        if self.sample_num < 1:
            counts = self._whole(regions)
        out: Tensor = _aligned(
            x, regions, self.sizes, self.spatial_scale, counts, self.roi_end_mode
        )
        return out

    def _whole(self, rois: Tensor) -> tuple[tuple[int, ...], ...]:
        """How many samples a part of each region has in each direction."""
        hint = "give a 'sample_num' of at least 1"
        # A number of samples has no derivative.
        known_rois = needs_elements(stop_gradient(rois), self.name, hint).astype(np.float32)
        edges = known_rois[:, 1:] * np.float32(self.spatial_scale)
        out = []
        for low, high, size in ((1, 3, self.sizes[0]), (0, 2, self.sizes[1])):
            ended = self.roi_end_mode
            length = edges[:, high] + np.float32(ended * self.spatial_scale) - edges[:, low]
            length = length if ended else np.maximum(length, np.float32(1))
            found = np.maximum(np.floor(length / np.float32(size)), 1).astype(int)
            out.append(tuple(found.tolist()))
        return tuple(out)


@operation
def _aligned(
    x: Tensor,
    rois: Tensor,
    sizes: tuple[int, ...],
    scale: float,
    samples: tuple[tuple[int, ...], ...],
    ended: int,
) -> Tensor:
    """`samples`: of each direction, the number for all regions or for each."""
    _, channels, height, width = x.shape
    batch = cast(rois[:, 0], mstype.int32).reshape(-1, 1, 1)
    rois = rois * scale
    weights, lines = [], []
    most = [max(numbers, default=1) for numbers in samples]
    for low, high, n, count, numbers in (
        (rois[:, 2], rois[:, 4], height, sizes[0], samples[0]),
        (rois[:, 1], rois[:, 3], width, sizes[1], samples[1]),
    ):
        length = high + ended * scale - low if ended else gen.maximum(high - low, 1.0)
        several = np.array(numbers)[:, None]
        longest = max(numbers, default=1)
        part, sample = np.divmod(np.arange(count * longest), longest)
        k = known(part + (sample + 0.5) / several, mstype.float32)
        place = low.reshape(-1, 1) + k * (length / count).reshape(-1, 1)
        inside = gen.logical_and(gen.greater_equal(place, -1.0), gen.less_equal(place, float(n)))
        place = gen.maximum(place, 0.0)
        first = gen.minimum(gen.floor(place), float(n - 1))
        second = gen.minimum(first + 1, float(n - 1))
        share = select(gen.greater_equal(place, float(n - 1)), 0.0, place - first)
        # The mean over the samples that a region has, as a sum over as many as any has.
        one = select(
            inside, known(np.where(sample < several, 1 / several, 0.0), mstype.float32), 0.0
        )
        weights.append((one * (1 - share), one * share))
        lines.append((cast(first, mstype.int32), cast(second, mstype.int32)))
    flat = x.transpose(0, 2, 3, 1).reshape(-1, channels)
    out: Any = 0.0
    for r in range(2):
        for c in range(2):
            rows, columns = lines[0][r], lines[1][c]
            index = (batch * height + rows.reshape(*rows.shape, 1)) * width + columns.reshape(
                columns.shape[0], 1, columns.shape[1]
            )
            weight = weights[0][r].reshape(*rows.shape, 1, 1) * weights[1][c].reshape(
                columns.shape[0], 1, columns.shape[1], 1
            )
            out = gathered(flat, index, 0) * weight + out
    count = out.shape[0]
    parts = out.reshape(count, sizes[0], most[0], sizes[1], most[1], channels)
    return cast(parts.sum((2, 4)).transpose(0, 3, 1, 2), x.dtype)


# --- ranks ------------------------------------------------------------------------------------


@public("ops.InTopK(k)(x1, x2) = ops.intopk(x1, x2, k)")
def intopk(x1: Tensor, x2: Tensor, k: int) -> Tensor:
    """Whether the class `x2` is among the `k` largest of each row of `x1`.

    Raises:
        TypeError: `k` is not an int.
        ValueError: `x1` is no matrix, or `x2` has not one element a row.

    >>> print(ops.intopk(Tensor([[0.1, 0.9, 0.3]]), Tensor([2], ms.int32), 2))
    [ True]
    """
    x, classes = check_tensor(x1, "intopk", "x1"), check_tensor(x2, "intopk", "x2")
    k = check_int(k, "intopk", "k")
    if x.ndim != 2 or classes.shape != x.shape[:1]:
        raise error(
            ValueError,
            f"For 'intopk', 'x1' must be a matrix and 'x2' have one element a row, but got shapes "
            f"{list(x.shape)} and {list(classes.shape)}.",
        )
    out: Tensor = _in_top(x, classes, k)
    return out


@operation
def _in_top(x: Tensor, classes: Tensor, k: int) -> Tensor:
    own = elements_along(x, cast(classes, mstype.int32).reshape(-1, 1), 1)
    larger = cast(gen.greater(x, own), mstype.int32).sum(1)
    return gen.less(larger, k)
