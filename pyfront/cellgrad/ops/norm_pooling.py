"""Pooling by power means, and maxima put back where they came from."""

from __future__ import annotations

import math
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Dims, OptionalDims, PaddingLike
from cellgrad.core.arguments import argument_error, check_number, check_one_of, check_same_shape
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor, emit, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops._index import is_known
from cellgrad.ops._public import public
from cellgrad.ops._sliding import check_rank, per_dim
from cellgrad.ops.pooling import avg_pool1d, avg_pool2d
from cellgrad.ops.selection import pow as power
from cellgrad.ops.selection import select, zeros
from cellgrad.ops.shapes import reshape


def _lp_pool(
    op: str, dims: int, x: Any, norm_type: Any, kernel_size: Any, stride: Any, ceil_mode: bool
) -> Tensor:
    norm_type = check_number(norm_type, op, "norm_type")
    if norm_type == 0:
        raise error(ValueError, f"For '{op}', the 'norm_type' must not be 0.")
    x = check_rank(x, (dims + 1, dims + 2), op, "x")
    kernel = per_dim(kernel_size, dims, op, "kernel_size")
    stride = kernel if stride is None else per_dim(stride, dims, op, "stride")
    pool: Any = avg_pool1d if dims == 1 else avg_pool2d
    batched = x if x.ndim == dims + 2 else reshape(x, (1, *x.shape))
    one = dims == 1
    means = pool(
        power(batched, float(norm_type)),
        kernel[0] if one else kernel,
        stride[0] if one else stride,
        0,
        ceil_mode,
    )
    sums = means * math.prod(kernel)
    out: Tensor = power(sums, 1.0 / norm_type)
    if norm_type > 0:  # as in MindSpore, no slope where a window adds up to 0, as after a relu
        out = select(gen.equal(sums, 0.0), 0.0, out)
    return out if x.ndim == dims + 2 else reshape(out, out.shape[1:])


@public()
def lp_pool1d(
    x: Tensor,
    norm_type: float,
    kernel_size: Dims,
    stride: Dims | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The power sum of each window of sequences: ``(sum x^p)^(1/p)``.

    Args:
        x: floating point, shape (N, C, L) or (C, L).
        norm_type: p, not 0. Of a negative element only whole powers are numbers.
        kernel_size: size of a window.
        stride: distance of two windows; `kernel_size` where it is None.
        ceil_mode: whether windows may end after the tensor; such a sum is scaled as if it were full.

    Returns:
        A Tensor of shape (N, C, L') or (C, L').

    Raises:
        TypeError, ValueError: arguments of other types or values.

    >>> print(ops.lp_pool1d(Tensor([[[3.0, 4.0, 6.0, 8.0]]]), norm_type=2, kernel_size=2))
    [[[ 5. 10.]]]
    """
    return _lp_pool("lp_pool1d", 1, x, norm_type, kernel_size, stride, ceil_mode)


@public()
def lp_pool2d(
    x: Tensor,
    norm_type: float,
    kernel_size: Dims,
    stride: Dims | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The power sum of each window of images (N, C, H, W) or (C, H, W); see `lp_pool1d`.

    >>> print(ops.lp_pool2d(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), norm_type=1, kernel_size=2))
    [[[[10.]]]]
    """
    return _lp_pool("lp_pool2d", 2, x, norm_type, kernel_size, stride, ceil_mode)


@operation
def _put(x: Tensor, indices: Tensor, count: int) -> Tensor:
    """Rows of `count` zeros with the elements of each row of `x` at its indices."""
    into = zeros((x.shape[0], count), x.dtype)
    attrs = {"dim": 1, "batch_dims": 1, "combine": "set"}
    return emit("cell.scatter", [into, indices, x], attrs, x.dtype, into.shape)


def _max_unpool(
    op: str, dims: int, x: Any, indices: Any, kernel: Any, stride: Any, padding: Any, output: Any
) -> Tensor:
    x = check_rank(x, (dims + 1, dims + 2), op, "x")
    indices = check_tensor(indices, op, "indices")
    check_one_of(indices.dtype, op, "indices", (mstype.int32, mstype.int64), TypeError)
    check_same_shape(x, indices, op, ("x", "indices"))
    kernel = per_dim(kernel, dims, op, "kernel_size")
    steps = kernel if stride is None else per_dim(stride, dims, op, "stride", 0)
    steps = tuple(s or k for s, k in zip(steps, kernel, strict=True))
    pads = per_dim(padding, dims, op, "padding", 0)
    spatial = x.shape[-dims:]
    wanted = tuple(
        (n - 1) * s - 2 * p + k for n, s, p, k in zip(spatial, steps, pads, kernel, strict=True)
    )
    if output:
        if not isinstance(output, tuple) or len(output) not in (dims, dims + 1, dims + 2):
            raise argument_error(
                ValueError, op, "output_size", f"a tuple of {dims} to {dims + 2} ints", output
            )
        given = tuple(int(n) for n in output[-dims:])
        if any(not w - s < g < w + s for g, w, s in zip(given, wanted, steps, strict=True)):
            raise error(
                ValueError,
                f"For '{op}', the 'output_size' must be less than a stride from {list(wanted)}, "
                f"but got {list(given)}.",
            )
        wanted = given
    count = math.prod(wanted)
    if is_known(indices) and indices.size:
        known = indices.asnumpy()
        outside = known[(known < 0) | (known >= count)]
        if outside.size:
            raise error(
                ValueError,
                f"For '{op}', the 'indices' must be in [0, {count}), but there is "
                f"{int(outside[0])}.",
            )
    rows = (math.prod(x.shape[:-dims]), math.prod(spatial))
    flat: Tensor = _put(reshape(x, rows), reshape(indices, rows), count)
    out: Tensor = reshape(flat, (*x.shape[:-dims], *wanted))
    return out


@public()
def max_unpool1d(
    x: Tensor,
    indices: Tensor,
    kernel_size: Dims,
    stride: Dims | None = None,
    padding: PaddingLike = 0,
    output_size: OptionalDims = None,
) -> Tensor:
    """Puts the maxima of windows back where they came from, with zeros elsewhere.

    Args:
        x: shape (N, C, L) or (C, L).
        indices: int32 or int64, of the shape of `x`: places in the flat result, as `max_pool1d`
            gives them; one that compiled code computes and that is out of range names the nearest.
        kernel_size, stride, padding: those of the pooling; `stride` is `kernel_size` where it is
            None or 0.
        output_size: the shape of the result, less than a stride from the smallest that fits.

    Returns:
        A Tensor of shape (N, C, L') or (C, L').

    Raises:
        TypeError, ValueError: arguments that are not; known indices out of range.

    >>> print(ops.max_unpool1d(Tensor([[[5.0, 6.0]]]), Tensor([[[1, 2]]]), kernel_size=2))
    [[[0. 5. 6. 0.]]]
    """
    return _max_unpool("max_unpool1d", 1, x, indices, kernel_size, stride, padding, output_size)


@public(
    "ops.MaxUnpool2D(ksize: Any, strides=0, pads=0, output_shape=(), data_format='NCHW')(x, argmax) = ops.max_unpool2d(x, argmax, ksize, strides or None, pads, output_shape or None)",
    "mint.nn.MaxUnpool2d(kernel_size, stride, padding)(input, indices, output_size)",
    "mint.nn.functional.max_unpool2d(input, indices, kernel_size, stride, padding, output_size)",
)
def max_unpool2d(
    x: Tensor,
    indices: Tensor,
    kernel_size: Dims,
    stride: Dims | None = None,
    padding: PaddingLike = 0,
    output_size: OptionalDims = None,
) -> Tensor:
    """`max_unpool1d` for images (N, C, H, W) or (C, H, W).

    >>> print(ops.max_unpool2d(Tensor([[[[5.0]]]]), Tensor([[[[3]]]]), kernel_size=2))
    [[[[0. 0.]
       [0. 5.]]]]
    """
    return _max_unpool("max_unpool2d", 2, x, indices, kernel_size, stride, padding, output_size)


@public(
    "ops.MaxUnpool3D(ksize: Any, strides=0, pads=0, output_shape=(), data_format='NCDHW')(x, argmax) = ops.max_unpool3d(x, argmax, ksize, strides or None, pads, output_shape or None)",
)
def max_unpool3d(
    x: Tensor,
    indices: Tensor,
    kernel_size: Dims,
    stride: Dims | None = None,
    padding: PaddingLike = 0,
    output_size: OptionalDims = None,
) -> Tensor:
    """`max_unpool1d` for volumes (N, C, D, H, W) or (C, D, H, W).

    >>> x, indices = Tensor([[[[[5.0]]]]]), Tensor([[[[[7]]]]])
    >>> print(ops.max_unpool3d(x, indices, kernel_size=2).flatten())
    [0. 0. 0. 0. 0. 0. 0. 5.]
    """
    return _max_unpool("max_unpool3d", 3, x, indices, kernel_size, stride, padding, output_size)
