"""Gradients of parts, padding and sampling of arrays and images, and of least squares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Dims
from cellgrad.core.arguments import (
    argument_error,
    check_int,
    check_ndim,
    check_one_of,
    check_sequence,
)
from cellgrad.core.errors import either
from cellgrad.core.record import axis_of, broadcast_shapes, check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._static import known, known_int, known_ints
from cellgrad.ops.classes.regions import PSROIPooling
from cellgrad.transforms.gradients.rows import by_name, of, pulled, row, transposed

# --- parts ----------------------------------------------------------------------------------------


def _slice(name: str, dout: Any, x: Any, begin: Any, size: Any) -> Any:
    shape = check_tensor(x, name, "x").shape
    return transposed(name, lambda v: ops.slice(v, begin, size), dout, shape)


def _strided_slice(
    name: str, dout: Any, shape: Any, begin: Any, end: Any, strides: Any, **masks: int
) -> Any:
    cut, given = ops.StridedSlice(**masks), check_tensor(dout, name, "dout")

    def forward(x: Tensor) -> Any:
        out = cut(x, begin, end, strides)  # a cotangent may leave out dimensions of one
        return ops.reshape(out, given.shape) if out.size == given.size else out

    return transposed(name, forward, given, known_ints(shape, name, "shape"))


def _gather(name: str, x: Any, dim: Any, index: Any, dout: Any) -> Any:
    axis, shape = known_int(dim, name, "dim"), check_tensor(x, name, "x").shape
    return transposed(name, lambda v: ops.gather_elements(v, axis, index), dout, shape)


def _trace(name: str, dout: Any, shape: Any) -> Any:
    return transposed(name, ops.trace, dout, known_ints(shape, name, "shape"))


def _trace_v2(name: str, dout: Any, shape: Any, offset: Any, axis1: Any, axis2: Any) -> Any:
    places = [
        known_int(v, name, n) for v, n in ((offset, "offset"), (axis1, "axis1"), (axis2, "axis2"))
    ]
    forward = lambda x: ops.reduce_sum(ops.diagonal(x, *places), -1)
    return transposed(name, forward, dout, known_ints(shape, name, "shape"))


def _flatten(name: str, dout: Any, shape: Any) -> Any:
    return ops.reshape(check_tensor(dout, name, "dout"), known_ints(shape, name, "shape"))


def _masked_select(name: str, x: Any, mask: Any, dout: Any) -> Any:
    """Each cotangent at the place of its True: their numbers are the counts of those before."""
    given, chosen = check_tensor(dout, name, "dout"), check_tensor(mask, name, "mask")
    if not given.size:
        return ops.zeros_like(check_tensor(x, name, "x"))
    shape = broadcast_shapes(check_tensor(x, name, "x").shape, chosen.shape, name)
    flat = ops.reshape(ops.broadcast_to(chosen, shape), (-1,))
    number = ops.maximum(ops.cumsum(ops.cast(flat, mstype.int32), 0) - 1, 0)
    spread = ops.gather(given, ops.minimum(number, given.size - 1), 0)
    whole = ops.reshape(ops.select(flat, spread, 0.0), shape)
    return transposed(name, lambda v: ops.broadcast_to(v, shape), whole, x.shape)


SliceGrad = row("SliceGrad()(dout, x, begin, size)", by_name(_slice))
StridedSliceGrad = row(
    "StridedSliceGrad(begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0,"
    " shrink_axis_mask=0)(dout, shape, begin, end, strides)",
    by_name(_strided_slice),
)
GatherDGradV2 = row("GatherDGradV2()(x, dim, index, dout)", by_name(_gather))
MaskedSelectGrad = row("MaskedSelectGrad()(x, mask, dout)", by_name(_masked_select))
TraceGrad = row("TraceGrad()(dout, shape)", by_name(_trace))
TraceV2Grad = row("TraceV2Grad()(dout, shape, offset=0, axis1=1, axis2=0)", by_name(_trace_v2))
FlattenGrad = row("FlattenGrad()(dout, shape)", by_name(_flatten))


def _einsum(name: str, operands: Any, dout: Any, equation: str) -> Any:
    found = pulled(name, lambda *v: ops.Einsum(equation)(v), dout, *operands, by=len(operands))
    return found if isinstance(found, tuple) else (found,)


EinsumGrad = row("EinsumGrad(equation)(operands, dout)", by_name(_einsum))


def _least_squares(name: str, dout: Any, a: Any, b: Any) -> Any:
    vector = check_tensor(b, name, "B").ndim == check_tensor(a, name, "A").ndim - 1

    def solution(x: Tensor, y: Tensor) -> Any:
        return ops.lstsq(x, y[..., None])[..., 0] if vector else ops.lstsq(x, y)

    return pulled(name, solution, dout, a, b, by=2)


LstsqV2Grad = row("LstsqV2Grad()(gX, A, B)", by_name(_least_squares), of_complex=True)


def _mirror_pad(name: str, dout: Any, paddings: Any, mode: str) -> Any:
    given, pads = check_tensor(dout, name, "dout"), check_tensor(paddings, name, "paddings")
    around = pads.asnumpy()
    shape = tuple([n - int(a) - int(b) for n, (a, b) in zip(given.shape, around, strict=True)])
    return transposed(name, lambda v: ops.MirrorPad(mode)(v, pads), given, shape)


MirrorPadGrad = row("MirrorPadGrad(mode='REFLECT')(dout, paddings)", by_name(_mirror_pad))


def _pad(name: str, dout: Any, paddings: Any, mode: str, paddings_contiguous: bool) -> Any:
    given, pad = check_tensor(dout, name, "dout"), ops.PadV3(mode, paddings_contiguous)
    amounts = known_ints(paddings, name, "paddings")
    half = len(amounts) // 2
    before = amounts[::2] if paddings_contiguous else amounts[:half]
    after = amounts[1::2] if paddings_contiguous else amounts[half:]
    shape = list(given.shape)
    for i, (a, b) in enumerate(zip(before, after, strict=True), 1):
        shape[-i] -= a + b
    return transposed(name, lambda v: pad(v, amounts), given, tuple(shape))


PadV3Grad = row("PadV3Grad(mode, paddings_contiguous=True)(dout, paddings)", by_name(_pad))

# --- images ---------------------------------------------------------------------------------------


def _bilinear(
    name: str, dout: Any, image: Any, align_corners: bool, half_pixel_centers: bool
) -> Any:
    given, x = check_tensor(dout, name, "dout"), check_tensor(image, name, "image")
    resize = ops.ResizeBilinearV2(align_corners, half_pixel_centers)
    found = transposed(name, lambda v: resize(v, given.shape[2:]), given, x.shape)
    return ops.cast(found, x.dtype)


def _nearest(name: str, dout: Any, size: Any, align_corners: bool, half_pixel_centers: bool) -> Any:
    given = check_tensor(dout, name, "dout")
    resize = ops.ResizeNearestNeighborV2(align_corners, half_pixel_centers)
    shape = (*given.shape[:2], *known_ints(size, name, "size"))
    return transposed(name, lambda v: resize(v, given.shape[2:]), given, shape)


ResizeBilinearGrad = row(
    "ResizeBilinearGrad(align_corners=False, half_pixel_centers=False)(dout, image)",
    by_name(_bilinear),
)
ResizeNearestNeighborGrad = row(
    "ResizeNearestNeighborGrad(align_corners=False, half_pixel_centers=False)(dout, size)",
    by_name(_nearest),
)
ResizeNearestNeighborV2Grad = row(
    "ResizeNearestNeighborV2Grad(align_corners=False, half_pixel_centers=False)(dout, size)",
    by_name(_nearest),
)


def _linear(name: str, dout: Any, x: Any, coordinate_transformation_mode: str) -> Any:
    given, shape = check_tensor(dout, name, "dout"), check_tensor(x, name, "x").shape
    resize = ops.ResizeLinear1D(coordinate_transformation_mode)
    return transposed(name, lambda v: resize(v, given.shape[2:]), given, shape)


ResizeLinear1DGrad = row(
    "ResizeLinear1DGrad(coordinate_transformation_mode='align_corners')(dout, x)", by_name(_linear)
)


def _upsampled(make: Any) -> Any:
    """The gradient of upsampling to what the cotangent's shape says, with `scales` where they are given."""

    def compute(
        name: str, dout: Any, input_size: Any, output_size: Any, scales: Any, **settings: Any
    ) -> Any:
        given, shape = (
            check_tensor(dout, name, "dout"),
            known_ints(input_size, name, "input_size"),
        )
        up = make(**settings)
        if output_size is None and scales is None:
            raise argument_error(
                ValueError, name, "output_size", "a size, as there are no scales", None
            )
        return transposed(name, lambda v: up(v, output_size, scales), given, shape)

    return by_name(compute)


UpsampleNearest3DGrad = row(
    "UpsampleNearest3DGrad()(dout, input_size, output_size=None, scales=None)",
    _upsampled(ops.UpsampleNearest3D),
)
UpsampleTrilinear3DGrad = row(
    "UpsampleTrilinear3DGrad(align_corners=False)(dout, input_size, output_size=None, scales=None)",
    _upsampled(ops.UpsampleTrilinear3D),
)


def _sampled(sampler: Any) -> Any:
    def compute(name: str, dout: Any, x: Any, grid: Any, output_mask: Any, **settings: Any) -> Any:
        return pulled(name, sampler(**settings), dout, x, grid, by=2)

    return by_name(compute)


_SAMPLER = "interpolation_mode='bilinear', padding_mode='zeros', align_corners=False"
GridSampler2DGrad = row(
    f"GridSampler2DGrad({_SAMPLER}, output_mask=(1, 1))(dout, x, grid)", _sampled(ops.GridSampler2D)
)
GridSampler3DGrad = row(
    f"GridSampler3DGrad({_SAMPLER}, output_mask=(1, 1))(dout, x, grid)", _sampled(ops.GridSampler3D)
)


def _affine(name: str, dout: Any, x_size: Any, align_corners: bool) -> Any:
    size = known_ints(x_size, name, "x_size")
    make = ops.AffineGrid(align_corners)
    dims = len(size) - 2
    return transposed(name, lambda v: make(v, size), dout, (size[0], dims, dims + 1))


AffineGridGrad = row("AffineGridGrad(align_corners=False)(dout, x_size)", by_name(_affine))


def _roi(
    name: str,
    dout: Any,
    rois: Any,
    shape: Any,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float,
    sample_num: int,
) -> Any:
    align = ops.ROIAlign(pooled_height, pooled_width, spatial_scale, sample_num)
    sizes = known_ints(shape, name, "shape")
    return transposed(name, lambda v: align(v, rois), dout, sizes)


ROIAlignGrad = row(
    "ROIAlignGrad(pooled_height, pooled_width, spatial_scale, sample_num=2)(dout, rois, shape)",
    by_name(_roi),
)


class PSROIPoolingGrad(Primitive):
    """The gradient of `PSROIPooling` by its images, of height and width `input_size`.

    Raises:
        TypeError: as `PSROIPooling`, or sizes that are no ints.
        ValueError: as `PSROIPooling`, sizes below 1, or a `dy` of another shape than the result.
    """

    def __init__(self, input_size: Dims, spatial_scale: float, group_size: int, output_dim: int):
        super().__init__()
        sizes = (input_size, input_size) if isinstance(input_size, int) else input_size
        if not isinstance(sizes, tuple) or len(sizes) != 2:
            what = "an int or a tuple of two ints"
            raise argument_error(TypeError, self.name, "input_size", what, input_size)
        self.input_size = [check_int(n, self.name, "input_size", at_least=1) for n in sizes]
        self._forward = PSROIPooling(spatial_scale, group_size, output_dim)

    def __call__(self, dy: Tensor, rois: Tensor) -> Tensor:
        regions, pool = check_tensor(rois, self.name, "rois"), self._forward
        given = check_ndim(check_tensor(dy, self.name, "dy"), self.name, "dy", 4)
        count = regions.shape[0] * regions.shape[-1]
        wanted = (count, pool.output_dim, pool.group_size, pool.group_size)
        if given.shape != wanted:
            raise argument_error(
                either(ValueError, RuntimeError), self.name, "dy", f"of shape {list(wanted)}", given
            )
        shape = (regions.shape[0], pool.output_dim * pool.group_size**2, *self.input_size)
        out: Tensor = _of_regions(given, regions, pool, shape)
        return out


@operation
def _of_regions(dy: Tensor, rois: Tensor, pool: PSROIPooling, shape: tuple[int, ...]) -> Tensor:
    out: Tensor = transposed("PSROIPoolingGrad", lambda v: pool(v, rois), dy, shape)
    return out


def _deformed(
    x: Tensor, offsets: Tensor, kernel_size: Any, data_format: str, **settings: Any
) -> Tensor:
    check_one_of(data_format, "DeformableOffsetsGrad", "data_format", ("NCHW", "NHWC"))
    read = ops.DeformableOffsets(ksize=kernel_size, **settings).of_first
    if data_format == "NCHW":
        return read(x, offsets)
    first, last = (0, 3, 1, 2), (0, 2, 3, 1)
    return ops.transpose(read(ops.transpose(x, first), ops.transpose(offsets, first)), last)


DeformableOffsetsGrad = row(
    "DeformableOffsetsGrad(strides, pads, kernel_size, dilations=(1, 1, 1, 1), data_format='NCHW',"
    " deformable_groups=1, modulated=True)(dout, x, offsets)",
    of(_deformed, by=2),
)


class ConcatOffset(Primitive):
    """Where each of `N` tensors begins in what they are joined to along `axis`: a row of indices for each.

    Raises:
        TypeError: no tuple or list of Tensors.
        ValueError: another number of them, or an `axis` out of range.
    """

    def __init__(self, N: int = 2, axis: int = 0):
        super().__init__()
        self.N, self.axis = check_int(N, self.name, "N", at_least=1), axis

    def __call__(self, input_x: Sequence[Tensor]) -> Tensor:
        given = check_sequence(input_x, self.name, "input_x", "Tensors", Tensor)
        if len(given) != self.N:
            raise argument_error(ValueError, self.name, "input_x", f"{self.N} Tensors", len(given))
        dim = axis_of(self.axis, given[0].ndim, self.name)
        out = np.zeros((self.N, given[0].ndim), np.int64)
        out[1:, dim] = np.cumsum([x.shape[dim] for x in given])[:-1]
        return known(out, mstype.int64)
