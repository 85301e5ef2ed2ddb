"""Pooling: the largest or the mean element of sliding windows.

The gradient of a maximum goes to the first element of the window, in row-major order, that attains
it; NaN counts as the largest.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Dims, PaddingLike, TensorOrTensors
from cellgrad.core.arguments import check_bool, check_int
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import broadcast_to_shape, cast_to, emit, operation, splat, with_jvp
from cellgrad.core.tensor import Tensor
from cellgrad.ops._public import public
from cellgrad.ops._sliding import (
    Ints,
    Pads,
    ceil_padding,
    check_fit,
    check_rank,
    pairs,
    per_dim,
)
from cellgrad.ops._static import known
from cellgrad.ops.joining import pad_to
from cellgrad.ops.padding import padded
from cellgrad.ops.segments import extreme

Array = np.ndarray[Any, Any]


# --- maximum ----------------------------------------------------------------------------------


@public(
    "mint.nn.MaxPool2d(kernel_size=1, stride, padding, dilation, return_indices, ceil_mode)(input) = "
    "F.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)",
    "mint.nn.functional.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, "
    "return_indices) = h.max_pool2d(input, kernel_size, stride, padding, dilation, return_indices, "
    "ceil_mode)",
)
def max_pool2d(
    x: Tensor,
    kernel_size: Dims,
    stride: Dims | None = None,
    padding: PaddingLike = 0,
    dilation: Dims = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> TensorOrTensors:
    """The largest element of each window of images [N, C, H, W].

    Args:
        x: a floating-point Tensor of shape [N, C, H, W].
        kernel_size: size of a window, an int or (height, width).
        stride: distance of two windows; by default the kernel size.
        padding: elements before and after that are smaller than all others, at most half a window.
        dilation: distance of two elements of a window.
        return_indices: whether to return the position of each element in its H * W as well.
        ceil_mode: whether windows may end after the tensor.

    Returns:
        A Tensor of shape [N, C, H', W'], or a tuple of it and an int64 Tensor of positions.

    Raises:
        TypeError: no Tensor of numbers, or arguments that are no ints or bools.
        ValueError: shapes or arguments that do not fit each other.

    >>> x = ops.arange(16.0).reshape(1, 1, 4, 4)
    >>> print(ops.max_pool2d(x, 2))
    [[[[ 5.  7.]
       [13. 15.]]]]

    >>> print(mint.nn.MaxPool2d(2)(ops.ones((3, 4, 4))).shape)
    (3, 2, 2)

    >>> print(mint.nn.functional.max_pool2d(ops.ones((3, 4, 4)), 2).shape)
    (3, 2, 2)
    """
    return max_pool(
        "max_pool2d", 2, x, kernel_size, stride, padding, dilation, return_indices, ceil_mode
    )


@public()
def max_pool3d(
    x: Tensor,
    kernel_size: Dims,
    stride: Dims | None = None,
    padding: PaddingLike = 0,
    dilation: Dims = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> TensorOrTensors:
    """The largest element of each window of volumes [N, C, D, H, W]; see `max_pool2d`.

    Raises:
        TypeError: no Tensor of numbers, or arguments that are no ints or bools.
        ValueError: shapes or arguments that do not fit each other.

    >>> print(ops.max_pool3d(ops.ones((1, 2, 4, 4, 4)), 2).shape)
    (1, 2, 2, 2, 2)
    """
    return max_pool(
        "max_pool3d", 3, x, kernel_size, stride, padding, dilation, return_indices, ceil_mode
    )


def max_pool(
    op: str,
    count: int,
    x: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    return_indices: bool,
    ceil_mode: bool,
) -> Any:
    """Maximum over windows of the last `count` dimensions; see `max_pool2d`.

    Raises:
        TypeError: no Tensor of numbers, or arguments that are no ints or bools.
        ValueError: shapes or arguments that do not fit each other.
    """
    x = check_rank(x, (count + 2,), op, "x", "iuf")
    kernel = per_dim(kernel_size, count, op, "kernel_size")
    strides = kernel if stride is None else per_dim(stride, count, op, "stride")
    dilations = per_dim(dilation, count, op, "dilation")
    pads = pairs(padding, count, op, "padding")
    check_bool(return_indices, op, "return_indices")
    check_bool(ceil_mode, op, "ceil_mode")
    for (low, high), k in zip(pads, kernel, strict=True):
        if 2 * max(low, high) > k:
            raise error(
                ValueError,
                f"For '{op}', the padding must be at most half of the kernel size, but got "
                f"padding {padding!r} and kernel size {kernel_size!r}.",
            )
    if ceil_mode:
        pads = ceil_padding(pads, x.shape[2:], kernel, strides, dilations)
    return sliding_max(op, x, kernel, strides, dilations, pads, return_indices)


def sliding_max(
    op: str,
    x: Tensor,
    kernel: Ints,
    strides: Ints,
    dilations: Ints,
    pads: Pads,
    return_indices: bool = False,
) -> Any:
    """Maximum over windows of checked arguments.

    Raises:
        ValueError: windows that do not fit.
    """
    check_fit(x.shape[-len(kernel) :], pads, kernel, dilations, x, op)
    value, at = _sliding_max(x, kernel, strides, dilations, pads, return_indices)
    return (value, at) if return_indices else value


@operation
def _sliding_max(
    x: Tensor, kernel: Ints, strides: Ints, dilations: Ints, pads: Pads, positions: bool
) -> tuple[Tensor, Tensor | None]:
    count = len(kernel)
    spatial = x.shape[-count:]
    lead = x.ndim - count
    around = [(0, 0)] * lead + list(pads)
    if any(p != (0, 0) for p in pads):
        x = padded(x, around, "constant", least(x.dtype))
    attrs = {"sizes": list(kernel), "strides": list(strides), "dilations": list(dilations)}
    windows = emit("cell.windows", [x], attrs)
    if not positions:
        places = np.arange(math.prod(kernel), dtype=np.int32).reshape(kernel)
        return _first_max(windows, count, places), None
    counts = windows.shape[lead : lead + count]
    at = [
        np.arange(n)[:, None] * s + np.arange(k)[None, :] * d - p[0]
        for n, s, k, d, p in zip(counts, strides, kernel, dilations, pads, strict=True)
    ]
    return first_max_at(windows, count, flat_positions(at, spatial))


def flat_positions(at: list[Array], spatial: Ints) -> Array:
    """Row-major position of each element of each window [O.., K..] in the tensor, from the position
    along each dimension [O, K]; a large number outside.
    """
    count = len(at)
    flat: Array = np.zeros((1,) * (2 * count), np.int64)
    inside: Array = np.ones((1,) * (2 * count), bool)
    for i, (p, n) in enumerate(zip(at, spatial, strict=True)):
        shape = [1] * (2 * count)
        shape[i], shape[count + i] = p.shape
        flat = flat * n + p.reshape(shape)
        inside = inside & ((p >= 0) & (p < n)).reshape(shape)
    return np.where(inside, flat, math.prod(spatial)).astype(np.int32)


def _attained(windows: Tensor, count: int) -> Tensor:
    """Whether each element is the largest of its window; of a window with NaN, whether it is NaN."""
    dims = list(range(windows.ndim - count, windows.ndim))
    largest = emit("cell.reduce_max", [windows], {"dims": dims})
    spread = emit("cell.broadcast", [largest], {"dims": dims}, windows.dtype, windows.shape)
    equal = emit("cell.equal", [windows, spread])
    if windows.dtype.kind != "f":
        return equal
    return emit("cell.logical_or", [equal, emit("cell.is_nan", [windows])])


def least(dtype: Type) -> Any:
    """What no maximum is less than."""
    return -math.inf if dtype.kind == "f" else extreme(dtype, True)


def _first(windows: Tensor, count: int, places: Array) -> tuple[Tensor, Tensor]:
    """Where the maximum of each window is first, and the least of `places` (of shape K.. or O..,
    K..) where it is.
    """
    dims = list(range(windows.ndim - count, windows.ndim))
    numbers = broadcast_to_shape(known(places, mstype.int32), windows.shape)
    nowhere = splat(int(places.max(initial=0)) + 1, mstype.int32, windows.shape)
    at = emit(
        "cell.reduce_min",
        [emit("cell.select", [_attained(windows, count), numbers, nowhere])],
        {"dims": dims},
    )
    spread = emit("cell.broadcast", [at], {"dims": dims}, mstype.int32, windows.shape)
    return emit("cell.equal", [numbers, spread]), at


def _chosen(where: Tensor, windows: Tensor, count: int) -> Tensor:
    """Of each window the one element where that holds."""
    dims = list(range(windows.ndim - count, windows.ndim))
    nothing = splat(0, windows.dtype, windows.shape)
    return emit("cell.reduce_sum", [emit("cell.select", [where, windows, nothing])], {"dims": dims})


def _first_max(windows: Tensor, count: int, places: Array) -> Tensor:
    """The maximum of each window. Which element it is, only derivatives ask."""
    dims = list(range(windows.ndim - count, windows.ndim))

    def largest(x: Tensor) -> Tensor:
        return emit("cell.reduce_max", [x], {"dims": dims})

    def rule(x: Tensor, dx: Tensor) -> tuple[Tensor, Tensor]:
        where, _ = _first(x, count, places)
        return _chosen(where, x, count), _chosen(where, dx, count)

    return with_jvp(largest, windows, rule)


def first_max_at(windows: Tensor, count: int, places: Array) -> tuple[Tensor, Tensor]:
    where, at = _first(windows, count, places)
    return _chosen(where, windows, count), cast_to(at, mstype.int64)


# --- mean -------------------------------------------------------------------------------------


@public(
    "mint.nn.AvgPool1d(kernel_size: Any, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True)(input) = "
    "F.avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad)",
    "mint.nn.functional.avg_pool1d(input, kernel_size: Any, stride=None, padding=0, "
    "ceil_mode=False, count_include_pad=True) = "
    "h.unbatched(1, ops.avg_pool1d, input, kernel_size, kernel_size if stride is None else stride, padding, "
    "ceil_mode, count_include_pad)",
)
def avg_pool1d(
    input_x: Tensor,
    kernel_size: int = 1,
    stride: Dims = 1,
    padding: PaddingLike = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window of sequences [N, C, L]; see `avg_pool2d`.

    Raises:
        TypeError: no Tensor of numbers, or arguments that are no ints or bools.
        ValueError: shapes or arguments that do not fit each other.

    >>> print(ops.avg_pool1d(Tensor([[[1.0, 2.0, 3.0]]]), kernel_size=2))
    [[[1.5 2.5]]]

    >>> print(mint.nn.AvgPool1d(2)(Tensor([[[1.0, 2.0, 3.0, 5.0]]])))
    [[[1.5 4. ]]]

    >>> print(mint.nn.functional.avg_pool1d(Tensor([[[1.0, 2.0, 3.0, 5.0]]]), 2))
    [[[1.5 4. ]]]
    """
    return avg_pool(
        "avg_pool1d", 1, input_x, kernel_size, stride, padding, ceil_mode, count_include_pad, 0
    )


@public(
    "mint.nn.AvgPool2d(kernel_size: Any, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=None)(input) = "
    "F.avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, "
    "divisor_override)",
    "mint.nn.functional.avg_pool2d(input, kernel_size: Any, stride=None, padding=0, "
    "ceil_mode=False, count_include_pad=True, divisor_override=None) = "
    "h.unbatched(2, ops.avg_pool2d, input, kernel_size, kernel_size if stride is None else stride, padding, "
    "ceil_mode, count_include_pad, divisor_override or 0)",
)
def avg_pool2d(
    input_x: Tensor,
    kernel_size: Dims = 1,
    stride: Dims = 1,
    padding: PaddingLike = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Tensor:
    """The mean of each window of images [N, C, H, W].

    Args:
        input_x: a floating-point Tensor of shape [N, C, H, W].
        kernel_size: size of a window, an int or (height, width).
        stride: distance of two windows.
        padding: zeros before and after.
        ceil_mode: whether windows may end after the tensor.
        count_include_pad: whether the padding counts as elements.
        divisor_override: what sums are divided by, if not 0.

    Returns:
        A Tensor of shape [N, C, H', W'].

    Raises:
        TypeError: no Tensor of numbers, or arguments that are no ints or bools.
        ValueError: shapes or arguments that do not fit each other.

    >>> x = ops.arange(9.0).reshape(1, 1, 3, 3)
    >>> print(ops.avg_pool2d(x, kernel_size=2))
    [[[[2. 3.]
       [5. 6.]]]]

    >>> print(mint.nn.AvgPool2d(2)(ops.ones((1, 2, 4, 4))).shape)
    (1, 2, 2, 2)

    >>> print(mint.nn.functional.avg_pool2d(ops.ones((1, 2, 4, 4)), 2).shape)
    (1, 2, 2, 2)
    """
    return avg_pool(
        "avg_pool2d",
        2,
        input_x,
        kernel_size,
        stride,
        padding,
        ceil_mode,
        count_include_pad,
        divisor_override,
    )


@public(
    "mint.nn.AvgPool3d(kernel_size: Any, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=None)(input) = "
    "F.avg_pool3d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, "
    "divisor_override)",
    "mint.nn.functional.avg_pool3d(input, kernel_size: Any, stride=None, padding=0, "
    "ceil_mode=False, count_include_pad=True, divisor_override=None) = "
    "h.unbatched(3, ops.avg_pool3d, input, kernel_size, kernel_size if stride is None else stride, padding, "
    "ceil_mode, count_include_pad, divisor_override or 0)",
)
def avg_pool3d(
    input_x: Tensor,
    kernel_size: Dims = 1,
    stride: Dims = 1,
    padding: PaddingLike = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Tensor:
    """The mean of each window of volumes [N, C, D, H, W]; see `avg_pool2d`.

    Raises:
        TypeError: no Tensor of numbers, or arguments that are no ints or bools.
        ValueError: shapes or arguments that do not fit each other.

    >>> print(ops.avg_pool3d(ops.ones((1, 2, 3, 3, 3)), kernel_size=2).shape)
    (1, 2, 2, 2, 2)

    >>> print(mint.nn.AvgPool3d(2)(ops.ones((1, 2, 4, 4, 4))).shape)
    (1, 2, 2, 2, 2)

    >>> print(mint.nn.functional.avg_pool3d(ops.ones((1, 2, 4, 4, 4)), 2).shape)
    (1, 2, 2, 2, 2)
    """
    return avg_pool(
        "avg_pool3d",
        3,
        input_x,
        kernel_size,
        stride,
        padding,
        ceil_mode,
        count_include_pad,
        divisor_override,
    )


def avg_pool(
    op: str,
    count: int,
    x: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Any,
) -> Tensor:
    """Mean over windows of the last `count` dimensions; see `avg_pool2d`.

    Raises:
        TypeError: no Tensor of numbers, or arguments that are no ints or bools.
        ValueError: shapes or arguments that do not fit each other.
    """
    x = check_rank(x, (count + 2,), op, "input_x")
    kernel = per_dim(kernel_size, count, op, "kernel_size")
    strides = per_dim(stride, count, op, "stride")
    pads = pairs(padding, count, op, "padding")
    check_bool(ceil_mode, op, "ceil_mode")
    check_bool(count_include_pad, op, "count_include_pad")
    divisor_override = check_int(divisor_override, op, "divisor_override", at_least=0)
    return sliding_mean(
        op, x, kernel, strides, pads, ceil_mode, count_include_pad, divisor_override
    )


def sliding_mean(
    op: str,
    x: Tensor,
    kernel: Ints,
    strides: Ints,
    pads: Pads,
    ceil_mode: bool,
    count_padding: bool,
    divisor: int = 0,
) -> Tensor:
    """Mean over windows of checked arguments.

    Raises:
        ValueError: windows that do not fit.
    """
    count = len(kernel)
    ones = (1,) * count
    spatial = x.shape[-count:]
    around = ceil_padding(pads, spatial, kernel, strides, ones) if ceil_mode else pads
    check_fit(spatial, around, kernel, ones, x, op)
    # Elements of a window that count, along each dimension: never those that only ceil_mode adds.
    sizes = []
    for n, k, s, (low, high), (_, more) in zip(spatial, kernel, strides, pads, around, strict=True):
        starts = np.arange((n + low + more - k) // s + 1) * s - low
        first, last = (-low, n + high) if count_padding else (0, n)
        sizes.append(np.minimum(starts + k, last) - np.maximum(starts, first))
    counted: Array = np.ones((), np.int64)
    for along in sizes:
        counted = counted[..., None] * along
    if divisor:
        counted = np.full_like(counted, divisor)
    out: Tensor = _sliding_mean(x, kernel, strides, around, counted.shape, counted.ravel().tolist())
    return out


@operation
def _sliding_mean(
    x: Tensor, kernel: Ints, strides: Ints, pads: Pads, shape: Ints, counted: list[int]
) -> Tensor:
    count = len(kernel)
    lead = [0] * (x.ndim - count)
    x = pad_to(x, [*lead, *(p[0] for p in pads)], [*lead, *(p[1] for p in pads)])
    attrs = {"sizes": list(kernel), "strides": list(strides), "dilations": [1] * count}
    windows = emit("cell.windows", [x], attrs)
    dims = list(range(windows.ndim - count, windows.ndim))
    total = emit("cell.reduce_sum", [windows], {"dims": dims})
    if len(set(counted)) == 1:
        divisor = splat(float(counted[0]), x.dtype, total.shape)
    else:
        numbers = known(np.array(counted, np.float64).reshape(shape), mstype.float64)
        divisor = broadcast_to_shape(cast_to(numbers, x.dtype), total.shape)
    return emit("cell.div", [total, divisor])
