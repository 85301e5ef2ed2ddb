"""Position-sensitive pooling of regions of images."""

from __future__ import annotations

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import argument_error, check_int, check_ndim, check_same_dtype
from cellgrad.core.errors import either, error
from cellgrad.core.record import cast_to, check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._static import known
from cellgrad.ops.contractions import batch_mat_mul
from cellgrad.ops.gathering import gathered
from cellgrad.ops.selection import select

__all__ = ["PSROIPooling"]


def checked_scale(value: float, op: str) -> float:
    """A float above 0."""
    if not isinstance(value, float):
        raise argument_error(TypeError, op, "spatial_scale", "a float", value)
    if value <= 0:
        raise argument_error(ValueError, op, "spatial_scale", "above 0", value)
    return value


class PSROIPooling(Primitive):
    """Means of the cells of regions, each of its own channels: R-FCN's position-sensitive pooling.

    A region, whose scaled corners are rounded to whole numbers, is divided into `group_size` rows and columns of cells. Channel ``(c g + i) g + j`` of the image is
    averaged over cell i, j for channel c of the result; a cell outside of the image gives 0.

    Args:
        spatial_scale: from coordinates of regions to those of the image.
        group_size: g, cells in each direction.
        output_dim: channels of the result.

    The call takes images [N, output_dim g g, H, W] and regions [N, 5, R]: for each the number of an image, x and y
    of a corner, x and y of the opposite one. The result has the shape [N R, output_dim, g, g]. Gradients by the
    regions are 0.

    Raises:
        TypeError: a scale that is no float, sizes that are no ints, Tensors of two dtypes or of no floats.
        ValueError: a scale that is not above 0, sizes below 1, shapes that do not fit (also a RuntimeError).
    """

    def __init__(self, spatial_scale: float, group_size: int, output_dim: int):
        super().__init__()
        self.spatial_scale = checked_scale(spatial_scale, self.name)
        self.group_size = check_int(group_size, self.name, "group_size", at_least=1)
        self.output_dim = check_int(output_dim, self.name, "output_dim", at_least=1)

    def __call__(self, features: Tensor, rois: Tensor) -> Tensor:
        x, regions = (
            check_tensor(features, self.name, "features"),
            check_tensor(rois, self.name, "rois"),
        )
        for value, argument in ((x, "features"), (regions, "rois")):
            if value.dtype.kind != "f":
                raise argument_error(TypeError, self.name, argument, "of floats", value)
        check_same_dtype(x, regions, self.name, ("features", "rois"))
        check_ndim(x, self.name, "features", 4)
        check_ndim(regions, self.name, "rois", 3)
        channels = self.output_dim * self.group_size**2
        if x.shape[1] != channels or regions.shape[:2] != (x.shape[0], 5):
            raise error(
                either(ValueError, RuntimeError),
                f"For '{self.name}', 'features' must have {channels} channels and 'rois' the shape "
                f"[{x.shape[0]}, 5, R], but got shapes {list(x.shape)} and {list(regions.shape)}.",
            )
        out: Tensor = _pooled(x, regions, self.spatial_scale, self.group_size)
        return out


@operation
def _pooled(x: Tensor, rois: Tensor, scale: float, cells: int) -> Tensor:
    count, channels, *sizes = x.shape
    wide = mstype.float64 if x.dtype is mstype.float64 else mstype.float32
    rois = cast_to(rois, wide).transpose(0, 2, 1).reshape(-1, 5)
    scaled = rois * scale
    corners = gen.sign(scaled) * gen.floor(gen.abs(scaled) + 0.5)
    # One row of the image for each row of cells, then one column for each column of them.
    weights = []
    for low, high, n in ((2, 4, sizes[0]), (1, 3, sizes[1])):
        begin, end = (corners[:, i].reshape(-1, 1) for i in (low, high))
        step = gen.maximum(end - begin, 0.1) / cells
        at = known(np.arange(cells), mstype.int32).astype(wide)
        first = gen.maximum(gen.floor(at * step + begin), 0.0)
        last = gen.minimum(gen.ceil((at + 1) * step + begin), float(n))
        place = known(np.arange(n), mstype.int32).astype(wide)
        first, last = (v.reshape(*v.shape, 1) for v in (first, last))
        inside = gen.logical_and(gen.greater_equal(place, first), gen.less(place, last))
        one = select(inside, 1.0, 0.0).astype(wide)
        weights.append(one / gen.maximum(one.sum(-1, keepdims=True), 1.0))
    rows, columns = (v.reshape(-1, 1, cells, 1, v.shape[-1]) for v in weights)
    columns = columns.transpose(0, 1, 3, 2, 4)
    image = cast_to(rois[:, 0], mstype.int32)
    parts = gathered(cast_to(x, wide).reshape(count, -1), image, 0)
    parts = parts.reshape(-1, channels // cells**2, cells, cells, *sizes)
    rows, columns = (v.reshape(*v.shape[:4], 1, v.shape[4]) for v in (rows, columns))
    sums = batch_mat_mul(batch_mat_mul(rows, parts), columns, transpose_b=True)
    return cast_to(sums.reshape(*sums.shape[:4]), x.dtype)
