"""Adaptive pooling: the largest or the mean element of a given number of parts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import OptionalDims, TensorOrTensors
from cellgrad.core.arguments import argument_error, check_bool
from cellgrad.core.errors import error
from cellgrad.core.record import broadcast_to_shape, emit, operation, reshape_to, splat
from cellgrad.core.tensor import Tensor
from cellgrad.ops._public import public
from cellgrad.ops._sliding import (
    Ints,
    check_rank,
    per_dim,
)
from cellgrad.ops._static import known
from cellgrad.ops.interpolation import _applied
from cellgrad.ops.joining import piece
from cellgrad.ops.pooling import (
    first_max_at,
    flat_positions,
    least,
    sliding_max,
    sliding_mean,
)

Array = np.ndarray[Any, Any]


@public(
    "nn.AdaptiveAvgPool1d(output_size)(input)",
    "mint.nn.AdaptiveAvgPool1d(output_size)(input) = F.adaptive_avg_pool1d(input, output_size)",
    "mint.nn.functional.adaptive_avg_pool1d(input, output_size) = "
    "h.adaptive_mean1d(input, output_size)",
)
def adaptive_avg_pool1d(input: Tensor, output_size: int) -> Tensor:
    """The means of `output_size` parts of sequences [N, C, L]; L must be a multiple of it.

    Raises:
        TypeError: no Tensor of floating-point numbers, or a size that is no int.
        ValueError: shapes or sizes that do not fit each other.

    >>> print(ops.adaptive_avg_pool1d(Tensor([[[1.0, 2.0, 3.0, 5.0]]]), 2))
    [[[1.5 4. ]]]

    >>> print(mint.nn.AdaptiveAvgPool1d(2)(Tensor([[1.0, 2.0, 3.0]])))
    [[1.5 2.5]]

    >>> print(mint.nn.functional.adaptive_avg_pool1d(Tensor([[1.0, 2.0, 3.0]]), 2))
    [[1.5 2.5]]
    """
    x = _check_parts("adaptive_avg_pool1d", input, output_size)
    part = x.shape[2] // output_size
    return sliding_mean("adaptive_avg_pool1d", x, (part,), (part,), [(0, 0)], False, True)


@public(
    "ops.AdaptiveAvgPool2D(output_size)(x)",
    "nn.AdaptiveAvgPool2d(output_size)(input)",
    "mint.nn.AdaptiveAvgPool2d(output_size)(input)",
    "mint.nn.functional.adaptive_avg_pool2d",
)
def adaptive_avg_pool2d(input: Tensor, output_size: OptionalDims) -> Tensor:
    """The means of ``output_size`` = (H', W') parts of images [N, C, H, W] or [C, H, W].

    Part i along a dimension of n elements is floor(i * n / n') to ceil((i + 1) * n / n'); None
    keeps a dimension.

    Raises:
        TypeError: no Tensor of floating-point numbers, or sizes that are no ints.
        ValueError: shapes or sizes that do not fit each other.

    >>> x = ops.arange(16.0).reshape(1, 1, 4, 4)
    >>> print(ops.adaptive_avg_pool2d(x, 2))
    [[[[ 2.5  4.5]
       [10.5 12.5]]]]
    """
    return adaptive_mean("adaptive_avg_pool2d", 2, input, output_size)


@public(
    "ops.AdaptiveAvgPool3D(output_size)(x)",
    "nn.AdaptiveAvgPool3d(output_size)(input)",
    "mint.nn.AdaptiveAvgPool3d(output_size)(input)",
    "mint.nn.functional.adaptive_avg_pool3d",
)
def adaptive_avg_pool3d(input: Tensor, output_size: OptionalDims) -> Tensor:
    """The means of (D', H', W') parts of volumes [N, C, D, H, W] or [C, D, H, W]; see
    `adaptive_avg_pool2d`.

    Raises:
        TypeError: no Tensor of floating-point numbers, or sizes that are no ints.
        ValueError: shapes or sizes that do not fit each other.

    >>> print(ops.adaptive_avg_pool3d(ops.ones((1, 2, 4, 4, 4)), 2).shape)
    (1, 2, 2, 2, 2)
    """
    return adaptive_mean("adaptive_avg_pool3d", 3, input, output_size)


@public(
    "nn.AdaptiveMaxPool1d(output_size)(x)",
    "mint.nn.AdaptiveMaxPool1d(output_size, return_indices=False)(input) = "
    "F.adaptive_max_pool1d(input, output_size, return_indices)",
)
def adaptive_max_pool1d(input: Tensor, output_size: int) -> Tensor:
    """The maxima of `output_size` parts of sequences [N, C, L]; L must be a multiple of it.

    Raises:
        TypeError: no Tensor of floating-point numbers, or a size that is no int.
        ValueError: shapes or sizes that do not fit each other.

    >>> print(ops.adaptive_max_pool1d(Tensor([[[1.0, 2.0, 3.0, 5.0]]]), 2))
    [[[2. 5.]]]

    >>> print(mint.nn.AdaptiveMaxPool1d(2)(Tensor([[[1.0, 2.0, 3.0, 5.0]]])))
    [[[2. 5.]]]
    """
    x = _check_parts("adaptive_max_pool1d", input, output_size)
    part = (x.shape[2] // output_size,)
    out: Tensor = sliding_max("adaptive_max_pool1d", x, part, part, (1,), [(0, 0)])
    return out


@public(
    "ops.AdaptiveMaxPool2D(output_size)(x) = ops.adaptive_max_pool2d(x, output_size, True)",
    "nn.AdaptiveMaxPool2d(output_size, return_indices)(input)",
    "mint.nn.AdaptiveMaxPool2d(output_size, return_indices)(input)",
    "mint.nn.functional.adaptive_max_pool2d",
)
def adaptive_max_pool2d(
    input: Tensor, output_size: OptionalDims, return_indices: bool = False
) -> TensorOrTensors:
    """The maxima of (H', W') parts of images [N, C, H, W] or [C, H, W], as `adaptive_avg_pool2d`
    cuts them; with `return_indices`, a tuple with their positions in H * W.

    Raises:
        TypeError: no Tensor of floating-point numbers, or sizes that are no ints.
        ValueError: shapes or sizes that do not fit each other.

    >>> x = ops.arange(16.0).reshape(1, 1, 4, 4)
    >>> print(ops.adaptive_max_pool2d(x, 2))
    [[[[ 5.  7.]
       [13. 15.]]]]

    >>> maxima, positions = ops.AdaptiveMaxPool2D((1, 1))(ops.arange(4.0).reshape(1, 1, 2, 2))
    >>> print(maxima, positions)
    [[[[3.]]]] [[[[3]]]]
    """
    check_bool(return_indices, "adaptive_max_pool2d", "return_indices")
    return adaptive_max("adaptive_max_pool2d", 2, input, output_size, return_indices)


def adaptive_mean(op: str, count: int, input: Any, output_size: Any) -> Tensor:
    """Means of parts of the last `count` dimensions; see `adaptive_avg_pool2d`.

    Raises:
        TypeError: no Tensor of floating-point numbers, or sizes that are no ints.
        ValueError: shapes or sizes that do not fit each other.
    """
    out: Tensor = _part_means(*_check_adaptive(op, count, input, output_size))
    return out


def adaptive_max(op: str, count: int, input: Any, output_size: Any, return_indices: bool) -> Any:
    """Maxima of parts of the last `count` dimensions; see `adaptive_max_pool2d`.

    Raises:
        TypeError: no Tensor of numbers, or sizes that are no ints.
        ValueError: shapes or sizes that do not fit each other.
    """
    x, sizes = _check_adaptive(op, count, input, output_size, "iuf")
    value, at = _part_maxima(x, sizes)
    return (value, at) if return_indices else value


def _check_parts(op: str, input: Any, output_size: Any) -> Tensor:
    x = check_rank(input, (3,), op, "input")
    (size,) = per_dim(output_size, 1, op, "output_size")
    if x.shape[2] % size:
        raise error(
            ValueError,
            f"For '{op}', the last dimension of the input must be a multiple of the output size "
            f"{size}, but the shape is {list(x.shape)}.",
        )
    return x


def _check_adaptive(
    op: str, count: int, input: Any, output_size: Any, kinds: str = "f"
) -> tuple[Tensor, Ints]:
    x = check_rank(input, (count + 1, count + 2), op, "input", kinds)
    spatial = x.shape[-count:]
    given = output_size if isinstance(output_size, tuple | list) else (output_size,) * count
    if len(given) != count:
        raise argument_error(
            ValueError, op, "output_size", f"an int or a tuple of {count}", output_size
        )
    sizes = tuple(n if g is None else g for g, n in zip(given, spatial, strict=True))
    sizes = per_dim(sizes, count, op, "output_size")
    if 0 in spatial:
        raise error(
            ValueError,
            f"For '{op}', there is nothing to pool in the input of shape {list(x.shape)}.",
        )
    return x, sizes


def _parts(n: int, size: int) -> tuple[Array, Array]:
    """First element of each part, and the one after its last."""
    i = np.arange(size)
    return i * n // size, -(-(i + 1) * n // size)


@operation
def _part_means(x: Tensor, sizes: Ints) -> Tensor:
    count = len(sizes)
    for i, size in enumerate(sizes):
        dim = x.ndim - count + i
        n = x.shape[dim]
        if n == size:
            continue
        start, end = _parts(n, size)
        at = np.arange(n)
        inside = (at >= start[:, None]) & (at < end[:, None])
        x = _applied(x, dim, inside / (end - start)[:, None])
    return x


@operation
def _part_maxima(x: Tensor, sizes: Ints) -> tuple[Tensor, Tensor]:
    """Parts as windows of equal size, the rest of a smaller part masked: [.., O.., K..]."""
    count, spatial = len(sizes), x.shape[-len(sizes) :]
    lead = x.ndim - count
    at: list[Array] = []
    for i, (n, size) in enumerate(zip(spatial, sizes, strict=True)):
        start, end = _parts(n, size)
        width = int((end - start).max())
        first = np.minimum(start, n - width)
        places = first[:, None] + np.arange(width)
        at.append(np.where((places >= start[:, None]) & (places < end[:, None]), places, -1))
        dim = lead + 2 * i
        pieces = [piece(x, dim, int(f), int(f) + width) for f in first]
        split = (*x.shape[:dim], 1, width, *x.shape[dim + 1 :])
        x = emit("cell.concat", [reshape_to(p, split) for p in pieces], {"dim": dim})
    perm = [*range(lead), *range(lead, x.ndim, 2), *range(lead + 1, x.ndim, 2)]
    windows = emit("cell.transpose", [x], {"perm": perm})
    places = flat_positions(at, spatial)
    inside = broadcast_to_shape(known(places < math.prod(spatial), mstype.bool_), windows.shape)
    nothing = splat(least(x.dtype), x.dtype, windows.shape)
    return first_max_at(emit("cell.select", [inside, windows, nothing]), count, places)
