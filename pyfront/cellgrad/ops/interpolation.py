"""Resizing: the spatial dimensions of a tensor sampled at another number of points.

Each dimension is a matrix that is known while compiling, applied to it: by the few terms of each result, or
as a product.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import argument_error, check_one_of
from cellgrad.core.errors import error
from cellgrad.core.record import (
    broadcast_to_shape,
    cast_to,
    check_float,
    operation,
    reshape_to,
    widened,
)
from cellgrad.core.scope import constant
from cellgrad.core.storage import signature
from cellgrad.core.tensor import Tensor
from cellgrad.ops import contractions, joining, shapes
from cellgrad.ops._index import gathered
from cellgrad.ops._public import public
from cellgrad.ops._static import known, known_int

# The number of spatial dimensions that a mode takes.
_MODES = {
    "nearest": (1, 2, 3),
    "nearest-exact": (1, 2, 3),
    "linear": (1,),
    "bilinear": (2,),
    "trilinear": (3,),
    "bicubic": (2,),
    "area": (1, 2, 3),
}
_ALIGNING = ("linear", "bilinear", "trilinear", "bicubic")
# Up to so many terms, a result is added up from them; else it is a product with a matrix. So many runs of points are
# slices.
_TERMS = 8


@public(
    "ops.upsample(input, size, scale_factor, mode, align_corners, recompute_scale_factor)",
    "nn.Upsample(size, scale_factor, mode, align_corners, recompute_scale_factor)(x)",
    "mint.nn.Upsample(size, scale_factor, mode, align_corners, recompute_scale_factor)(input) = "
    "F.interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)",
    "mint.nn.functional.interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor) = "
    "h.interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)",
    "mint.nn.functional.upsample(input, size, scale_factor, mode, align_corners) = "
    "h.interpolate(input, size, scale_factor, mode, align_corners, None)",
)
@operation
def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Tensor:
    """The spatial dimensions resized.

    Args:
        input: shape (N, C, L), (N, C, H, W) or (N, C, D, H, W).
        size: the new lengths, or
        scale_factor: what the lengths are multiplied by (and rounded down).
        mode: "nearest", "nearest-exact", "area" (means), "linear" (three dimensions), "bilinear" or
            "bicubic" (four), "trilinear" (five).
        align_corners: for the linear and cubic ones: whether the first and last points stay in
            place, instead of the borders of the first and last cells.
        recompute_scale_factor: whether the scale is computed anew from the rounded lengths.

    Raises:
        TypeError: `input` is not a Tensor, or numbers are none.
        ValueError: both or neither of `size` and `scale_factor`, an unknown mode, or a mode for
            another number of dimensions.

    Without `align_corners`, "bicubic" is MindSpore's on the CPU: Keys' kernel with -1/2, in which points
    beyond the ends do not count. `mint.nn.functional.interpolate` is PyTorch's, with -3/4 and the ends repeated.

    >>> x = Tensor([[[1.0, 3.0]]])
    >>> print(ops.interpolate(x, size=3, mode="linear", align_corners=True))
    [[[1. 2. 3.]]]

    >>> x = Tensor([[[1.0, 3.0]]])
    >>> print(mint.nn.functional.interpolate(x, size=3, mode="linear", align_corners=True))
    [[[1. 2. 3.]]]

    >>> x = Tensor([[[1.0, 3.0]]])
    >>> print(mint.nn.functional.upsample(x, size=3, mode="linear", align_corners=True))
    [[[1. 2. 3.]]]

    >>> x = Tensor([[[1.0, 3.0]]])
    >>> print(mint.nn.Upsample(size=3, mode="linear", align_corners=True)(x))
    [[[1. 2. 3.]]]
    """
    return resized(input, size, scale_factor, mode, align_corners, recompute_scale_factor, False)


@operation
def resized(
    input: Tensor,
    size: int | Sequence[int] | None,
    scale_factor: float | Sequence[float] | None,
    mode: str,
    align_corners: bool | None,
    recompute_scale_factor: bool | None,
    repeats_ends: bool,
) -> Tensor:
    """See `interpolate`; `repeats_ends` says which kernel "bicubic" has without `align_corners`."""
    op = "interpolate"
    x = check_float(input, op, "input")
    rank = x.ndim - 2
    check_one_of(mode, op, "mode", _MODES)
    if rank not in _MODES[mode]:
        wanted = " or ".join(str(n + 2) for n in _MODES[mode])
        raise error(
            ValueError,
            f"For '{op}', mode '{mode}' takes {wanted} dimensions, but 'input' has {x.ndim}.",
        )
    if align_corners is not None and mode not in _ALIGNING:
        raise error(
            ValueError, f"For '{op}', 'align_corners' is for {list(_ALIGNING)}, not for '{mode}'."
        )
    lengths, scales = _lengths(x.shape[2:], size, scale_factor, op)
    if recompute_scale_factor:
        scales = [None] * rank
    dtype = x.dtype
    if not mode.startswith("nearest"):
        x = widened(x)  # weights of a half are off by a part of its last digit
    for d, (length, scale) in enumerate(zip(lengths, scales), 2):
        if mode.startswith("nearest"):
            x = _pick(x, d, _nearest(x.shape[d], length, scale, mode))
        else:
            weights = _weights(x.shape[d], length, scale, mode, bool(align_corners), repeats_ends)
            x = _applied(x, d, weights)
    return cast_to(x, dtype)


def _lengths(
    shape: tuple[int, ...], size: Any, scale: Any, op: str
) -> tuple[list[int], list[float | None]]:
    if (size is None) == (scale is None):
        raise error(
            ValueError, f"For '{op}', one of 'size' and 'scale_factor' must be given, not both."
        )
    given = size if size is not None else scale
    listed = list(given) if isinstance(given, tuple | list) else [given] * len(shape)
    if size is not None:
        listed = [known_int(v, op, "size") if isinstance(v, Tensor) else v for v in listed]
    kind = int if size is not None else int | float
    if len(listed) != len(shape) or not all(
        isinstance(v, kind) and not isinstance(v, bool) and v > 0 for v in listed
    ):
        wanted = f"a positive number or {len(shape)} of them"
        raise argument_error(
            ValueError, op, "size" if size is not None else "scale_factor", wanted, given
        )
    if size is not None:
        return listed, [None] * len(shape)
    return [max(math.floor(n * s), 1) for n, s in zip(shape, listed)], [float(s) for s in listed]


def _nearest(n: int, length: int, scale: float | None, mode: str) -> list[int]:
    """The point that each new point takes its value from."""
    step = n / length if scale is None else 1 / scale
    offset = 0.5 if mode == "nearest-exact" else 0.0
    return [min(math.floor((i + offset) * step), n - 1) for i in range(length)]


def _pick(x: Tensor, dim: int, points: list[int]) -> Tensor:
    """The elements at the points along a dimension: in runs of equal distance, or each by its place where there
    are many runs."""
    n, times = x.shape[dim], len(points) // x.shape[dim]
    if points == [i // max(times, 1) for i in range(n * times)]:
        wide = broadcast_to_shape(
            reshape_to(x, (*x.shape[: dim + 1], 1, *x.shape[dim + 1 :])),
            (*x.shape[: dim + 1], times, *x.shape[dim + 1 :]),
        )
        return reshape_to(wide, (*x.shape[:dim], n * times, *x.shape[dim + 1 :]))
    runs = []
    start = 0
    while start < len(points):
        end = start + 1
        step = points[end] - points[start] if end < len(points) else 1
        while step > 0 and end < len(points) and points[end] - points[end - 1] == step:
            end += 1
        stop = end if step > 0 else start + 1
        runs.append(slice(points[start], points[stop - 1] + 1, max(step, 1)))
        start = stop
    if len(runs) > _TERMS:
        return gathered(x, known(np.array(points, np.int32), mstype.int32), dim)
    before = [slice(None)] * dim
    out: Tensor = joining.concat([x[(*before, run)] for run in runs], dim)
    return out


def _weights(
    n: int, length: int, scale: float | None, mode: str, align: bool, repeats_ends: bool
) -> np.ndarray[Any, Any]:
    """The matrix (length, n) from old to new points."""
    out = np.zeros((length, n))
    for i in range(length):
        if mode == "area":
            first, last = i * n // length, -(-(i + 1) * n // length)
            out[i, first:last] = 1 / (last - first)
            continue
        if align:
            at = i * (n - 1) / (length - 1) if length > 1 else 0.0
        else:
            at = (i + 0.5) * (n / length if scale is None else 1 / scale) - 0.5
        if mode == "bicubic":
            _add_cubic(out[i], at, align or repeats_ends)
        else:
            at = min(max(at, 0.0), n - 1)
            base = min(math.floor(at), n - 1)
            out[i, base] += 1 - (at - base)
            out[i, min(base + 1, n - 1)] += at - base
    return out


def _add_cubic(row: np.ndarray[Any, Any], at: float, repeats_ends: bool) -> None:
    """The weights of the points around `at`: those beyond the ends count for the end, or are left out, and the
    others have the sum one.
    """
    base, n = math.floor(at), len(row)
    for k in range(-1, 3):
        if repeats_ends:
            row[min(max(base + k, 0), n - 1)] += _cubic(at - base - k, -0.75)
        elif 0 <= base + k < n:
            row[base + k] += _cubic(at - base - k, -0.5)
    row /= row.sum()


def _cubic(distance: float, a: float) -> float:
    """Keys' kernel of cubic convolution."""
    d = abs(distance)
    if d <= 1:
        return ((a + 2) * d - (a + 3)) * d * d + 1
    return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a if d < 2 else 0.0


def _applied(x: Tensor, dim: int, weights: np.ndarray[Any, Any]) -> Tensor:
    """A matrix applied along a dimension: term by term where results have few, so that NaN and infinities stay with
    those they are part of.
    """
    few = int((weights != 0).sum(1).max())
    if few > _TERMS:
        return _multiplied(x, dim, weights)
    points = np.argsort(weights == 0, 1, kind="stable")[:, :few]
    shares = np.take_along_axis(weights, points, 1)
    points = np.where(shares == 0, points[:, :1], points)  # a result with fewer terms
    shape = [1] * x.ndim
    shape[dim] = len(weights)
    out: Tensor | None = None
    for at, share in zip(points.T, shares.T, strict=True):
        term = gathered(x, known(at, mstype.int32), dim) * known(share.reshape(shape), x.dtype)
        out = term if out is None else out + term
    assert out is not None
    return out


def _multiplied(x: Tensor, dim: int, weights: np.ndarray[Any, Any]) -> Tensor:
    matrix = constant(np.ascontiguousarray(weights.T), signature(x.dtype, weights.T.shape))
    last = x.ndim - 1
    moved = x if dim == last else shapes.swapaxes(x, dim, last)
    out: Tensor = contractions.matmul(moved, matrix)
    return out if dim == last else shapes.swapaxes(out, dim, last)
