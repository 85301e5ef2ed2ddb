"""Arrangement of elements: repetition, reversal, rotation, grids, blocks of images."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Axis, Dims
from cellgrad.core.arguments import argument_error, check_instance, check_one_of, check_same_length
from cellgrad.core.errors import error
from cellgrad.core.record import (
    axes_of,
    axis_of,
    broadcast_to_shape,
    check_tensor,
    emit,
    operation,
    reshape_to,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops._index import gathered
from cellgrad.ops._public import public
from cellgrad.ops._static import is_int, known, known_int, known_ints
from cellgrad.ops.joining import pad_to, piece, reverse_dims, stack

# --- repetition -------------------------------------------------------------------------------


@public(
    "ops.Tile",
    "mint.tile",
)
def tile(input: Tensor, dims: Axis) -> Tensor:
    """The tensor repeated ``dims[i]`` times along dimension i; dimensions are counted from the last.

    Raises:
        TypeError: `dims` is not a tuple or list of ints.
        ValueError: a negative number in `dims`.

    >>> print(ops.tile(Tensor([1.0, 2.0]), (2,)))
    [1. 2. 1. 2.]
    """
    x = check_tensor(input, "tile", "input")
    counts = known_ints(dims, "tile", "dims")
    for i, n in enumerate(counts):
        if n < 0:
            raise error(
                ValueError,
                f"For 'tile', 'dims' cannot contain negative integer numbers, but got {n} in "
                f"{i}th.",
            )
    out: Tensor = _tile(x, counts)
    return out


def repeat_dims(input: Tensor, repeats: Any) -> Tensor:
    """`tile` with at least as many numbers as dimensions: the method `Tensor.repeat`.

    Raises:
        RuntimeError: fewer numbers than dimensions.
        TypeError: `repeats` is not a sequence of ints.
    """
    x = check_tensor(input, "repeat", "input")
    if len(known_ints(repeats, "repeat", "repeats")) < x.ndim:
        raise error(
            RuntimeError,
            f"For 'repeat', a tensor of {x.ndim} dimensions needs as many numbers at least, but "
            f"got {len(repeats)}.",
        )
    return tile(x, repeats)


@operation
def resized(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The elements in another shape, in order: the first ones, or all and zeros after them."""
    flat = reshape_to(x, (x.size,))
    count = math.prod(shape)
    kept = pad_to(flat, [0], [count - x.size]) if count > x.size else piece(flat, 0, 0, count)
    return reshape_to(kept, shape)


@operation
def _tile(x: Tensor, counts: tuple[int, ...]) -> Tensor:
    rank = max(len(counts), x.ndim)
    shape = (1,) * (rank - x.ndim) + x.shape
    counts = (1,) * (rank - len(counts)) + counts
    return repeat_blocks(reshape_to(x, shape), [(c, n, 1) for c, n in zip(counts, shape)])


def repeat_blocks(x: Tensor, repeats: list[tuple[int, int, int]]) -> Tensor:
    """Each dimension, of length n, as a whole `whole` times and each element `each` times, given as
    (whole, n, each).
    """
    kept: list[int] = []
    wide: list[int] = []
    new: list[int] = []
    for whole, n, each in repeats:
        for count, is_new in ((whole, True), (n, False), (each, True)):
            if is_new and count == 1:
                continue
            if is_new:
                new.append(len(wide))
            else:
                kept.append(n)
            wide.append(count)
    x = reshape_to(x, tuple(kept))
    if new:
        x = emit("cell.broadcast", [x], {"dims": new}, x.dtype, tuple(wide))
    return reshape_to(x, tuple(a * n * b for a, n, b in repeats))


@public(
    "ops.repeat_elements(x, rep, axis=0)",
    "Tensor.repeat_interleave(repeats, dim=None, *, output_size=None) = "
    "ops.repeat_interleave(self, repeats, dim)",
    "mint.repeat_interleave(input, repeats, dim=None, *, output_size=None) = "
    "ops.repeat_interleave(input, repeats, dim)",
)
def repeat_interleave(input: Tensor, repeats: Dims, axis: int | None = None) -> Tensor:
    """Each element of a dimension repeated `repeats` times, or as often as `repeats` lists for it;
    without an axis, of the flattened tensor.

    Raises:
        TypeError: `repeats` is neither an int nor a sequence of ints known while compiling.
        ValueError: an axis out of range, a number below 0 (an int below 1), or as many numbers as
            the dimension has elements are not given.

    >>> print(ops.repeat_interleave(Tensor([[1, 2], [3, 4]]), 2, axis=0))
    [[1 2]
     [1 2]
     [3 4]
     [3 4]]
    """
    x = check_tensor(input, "repeat_interleave", "input")
    if is_int(repeats):
        counts: tuple[int, ...] = (int(repeats),)
    else:
        counts = known_ints(repeats, "repeat_interleave", "repeats")
    if [n for n in counts if n < 0] or (is_int(repeats) and repeats == 0):
        raise argument_error(
            ValueError, "repeat_interleave", "repeats", "in the range of (0, 2147483647]", repeats
        )
    out: Tensor = _repeat_interleave(x, counts, axis)
    return out


@operation
def _repeat_interleave(x: Tensor, counts: tuple[int, ...], axis: int | None) -> Tensor:
    if axis is None:
        x, axis = reshape_to(x, (x.size,)), 0
    d = axis_of(axis, x.ndim, "repeat_interleave")
    n = x.shape[d]
    if len(counts) == 1:
        counts *= n
    if len(counts) != n:
        raise error(
            ValueError,
            f"For 'repeat_interleave', the length of 'repeats' must be that of the dimension, {n}, "
            f"but got {len(counts)}.",
        )
    if len(set(counts)) > 1:
        return gathered(x, known(np.repeat(np.arange(n), counts), mstype.int32), d)
    each = [(1, m, 1) for m in x.shape]
    each[d] = (1, n, counts[0]) if counts else (1, n, 1)
    return repeat_blocks(x, each)


# --- reversal and rotation --------------------------------------------------------------------


@public(
    "Tensor.flip",
    "Tensor.reverse(axis)",
    "mint.flip",
)
@operation
def flip(input: Tensor, dims: Axis) -> Tensor:
    """The elements in reverse order along the dimensions in `dims`.

    Raises:
        TypeError: `dims` is not a tuple or list of ints.
        ValueError: a dimension out of range or named twice.

    >>> print(ops.flip(Tensor([1.0, 2.0]), (0,)))
    [2. 1.]
    """
    x = check_tensor(input, "flip", "input")
    listed = known_ints(dims, "flip", "dims")
    return reverse_dims(x, list(axes_of(listed, x.ndim, "flip", empty_is_all=False)))


@public()
def reverse(x: Tensor, axis: Axis) -> Tensor:
    """Same as `flip`.

    >>> print(ops.reverse(Tensor([[1, 2, 3], [4, 5, 6]]), [1]))
    [[3 2 1]
     [6 5 4]]
    """
    out: Tensor = flip(x, axis)
    return out


@public("Tensor.fliplr")
def fliplr(input: Tensor) -> Tensor:
    """The elements in reverse order along the second dimension.

    Raises:
        ValueError: a tensor of less than two dimensions.

    >>> print(ops.fliplr(Tensor([[1, 2], [3, 4]])))
    [[2 1]
     [4 3]]
    """
    out: Tensor = flip(input, (1,))
    return out


@public("Tensor.flipud")
def flipud(input: Tensor) -> Tensor:
    """The elements in reverse order along the first dimension.

    >>> print(ops.flipud(Tensor([[1, 2], [3, 4]])))
    [[3 4]
     [1 2]]
    """
    out: Tensor = flip(input, (0,))
    return out


@public(
    "ops.Roll(shifts, dims)(input)",
    "Tensor.roll",
    "nn.Roll(shift, axis)(input_x)",
    "mint.roll",
)
@operation
def roll(input: Tensor, shifts: Dims, dims: Axis = None) -> Tensor:
    """The elements moved along dimensions, those that leave at the end entering at the start;
    without `dims`, of the flattened tensor.

    Raises:
        TypeError: `shifts` is neither an int nor a tuple or list of ints.
        ValueError: dimensions out of range, or as many shifts as dimensions are not given.

    >>> print(ops.roll(Tensor([1, 2, 3, 4]), 1))
    [4 1 2 3]

    >>> print(nn.Roll(shift=1, axis=0)(Tensor([1.0, 2.0, 3.0])))
    [3. 1. 2.]
    """
    x = check_tensor(input, "roll", "input")
    amounts = (int(shifts),) if is_int(shifts) else known_ints(shifts, "roll", "shifts")
    if dims is None:
        if len(amounts) != 1:
            raise error(
                ValueError, f"For 'roll', {len(amounts)} shifts need as many 'dims', but got none."
            )
        return reshape_to(_rolled(reshape_to(x, (x.size,)), amounts[0], 0), x.shape)
    listed = (dims,) if is_int(dims) else known_ints(dims, "roll", "dims")
    check_same_length(amounts, listed, "roll", ("shifts", "dims"))
    for amount, dim in zip(amounts, listed, strict=True):
        x = _rolled(x, amount, axis_of(dim, x.ndim, "roll")) if x.ndim else x
    return x


def _rolled(x: Tensor, shift: int, d: int) -> Tensor:
    n = x.shape[d]
    cut = -shift % n if n else 0
    if not cut:
        return x
    return emit("cell.concat", [piece(x, d, cut, n), piece(x, d, 0, cut)], {"dim": d})


@public("Tensor.rot90")
@operation
def rot90(input: Tensor, k: int, dims: Axis) -> Tensor:
    """The plane of two dimensions rotated `k` times by 90 degrees, from the first to the second.

    Raises:
        RuntimeError: two equal dimensions.
        TypeError: `k` is not an int, or `dims` is not a tuple or list of ints.
        ValueError: other than two dimensions, or one out of range.

    >>> print(ops.rot90(Tensor([[1, 2], [3, 4]]), 1, [0, 1]))
    [[2 4]
     [1 3]]
    """
    x = check_tensor(input, "rot90", "input")
    turns = known_int(k, "rot90", "k") % 4
    plane = known_ints(dims, "rot90", "dims")
    if len(plane) != 2:
        raise error(
            ValueError, f"For 'rot90', total rotation dims must be 2, but get {len(plane)}."
        )
    a, b = (axis_of(d, x.ndim, "rot90") for d in plane)
    if a == b:
        raise error(
            RuntimeError,
            f"For 'rot90', rotation dims must be different, but get dim0={plane[0]}, "
            f"dim1={plane[1]}.",
        )
    if turns in (0, 2):
        return reverse_dims(x, [a, b]) if turns else x
    perm = list(range(x.ndim))
    perm[a], perm[b] = b, a
    return reverse_dims(emit("cell.transpose", [x], {"perm": perm}), [a if turns == 1 else b])


# --- grids ------------------------------------------------------------------------------------


@public(
    "ops.Meshgrid(indexing)(inputs)",
    "mint.meshgrid(*tensors, indexing=None) = ops.meshgrid(*tensors, indexing=indexing or 'ij')",
)
@operation
def meshgrid(*inputs: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    """The coordinates of the points of a grid, one tensor for each of its dimensions.

    With indexing ``"ij"`` input i varies along dimension i of the results; with ``"xy"`` the first
    two change places.

    Raises:
        TypeError: an input that is not a Tensor, or an indexing that is not a string.
        ValueError: an input of more than one dimension, of another dtype than the first, or another
            indexing.

    >>> print(*ops.meshgrid(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
    [[1. 2.]
     [1. 2.]] [[3. 3.]
     [4. 4.]]

    >>> x, y = ops.Meshgrid()((Tensor([1, 2]), Tensor([3, 4])))
    >>> print(y)
    [[3 3]
     [4 4]]

    >>> x, y = mint.meshgrid(Tensor([1, 2]), Tensor([3, 4]), indexing="ij")
    >>> print(y)
    [[3 4]
     [3 4]]
    """
    check_instance(indexing, "meshgrid", "indexing", str)
    check_one_of(indexing, "meshgrid", "indexing", ("xy", "ij"))
    xs = [check_tensor(x, "meshgrid", f"inputs[{i}]") for i, x in enumerate(inputs)]
    for i, x in enumerate(xs):
        if x.ndim > 1 or x.dtype is not xs[0].dtype:
            raise error(
                ValueError,
                f"For 'meshgrid', inputs must have one dimension and the same dtype, but inputs[0] "
                f"is {xs[0].dtype.title}{list(xs[0].shape)} and inputs[{i}] "
                f"{x.dtype.title}{list(x.shape)}.",
            )
    order = list(range(len(xs)))
    if indexing == "xy" and len(xs) > 1:
        order[:2] = [1, 0]
    shape = tuple(xs[k].size for k in order)
    out = []
    for k, x in enumerate(xs):
        along = [1] * len(xs)
        along[order.index(k)] = x.size
        out.append(broadcast_to_shape(reshape_to(x, tuple(along)), shape))
    return tuple(out)


@public()
@operation
def cartesian_prod(*inputs: Tensor) -> Tensor:
    """All tuples of one element from each tensor of one dimension, a row each.

    Raises:
        TypeError: an input that is not a Tensor.
        ValueError: an input of more than one dimension, or of another dtype than the first.

    >>> print(ops.cartesian_prod(Tensor([1, 2]), Tensor([7, 8])))
    [[1 7]
     [1 8]
     [2 7]
     [2 8]]
    """
    columns = [reshape_to(x, (x.size,)) for x in meshgrid(*inputs, indexing="ij")]
    out: Tensor = stack(columns, 1)
    return out


@public()
@operation
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All combinations of `r` elements of a tensor of one dimension, a row each.

    Raises:
        TypeError: `r` is not an int.
        ValueError: a tensor of another rank, or `r` below 0.

    >>> print(ops.combinations(Tensor([1, 2, 3])))
    [[1 2]
     [1 3]
     [2 3]]
    """
    x = check_tensor(input, "combinations", "input")
    count = known_int(r, "combinations", "r")
    if x.ndim != 1 or count < 0:
        raise error(
            ValueError,
            f"For 'combinations', the input must have one dimension and 'r' be at least 0, but got "
            f"shape {list(x.shape)} and {count}.",
        )
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = np.array(list(choose(range(x.size), count)), np.int64).reshape(-1, count)
    return gathered(x, known(rows, mstype.int32), 0)


# --- blocks of images -------------------------------------------------------------------------


@public(
    "nn.PixelShuffle(upscale_factor)(input)",
    "mint.nn.PixelShuffle(upscale_factor)(input)",
    "mint.nn.functional.pixel_shuffle(input, upscale_factor)",
)
@operation
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Channels as finer pixels: (..., C r r, H, W) becomes (..., C, H r, W r).

    Raises:
        TypeError: `upscale_factor` is not an int.
        ValueError: a factor below 1, less than three dimensions, or channels that r r does not
            divide.

    >>> print(ops.pixel_shuffle(ops.arange(4).reshape(1, 4, 1, 1), 2))
    [[[[0 1]
       [2 3]]]]
    """
    x = check_tensor(input, "pixel_shuffle", "input")
    r = known_int(upscale_factor, "pixel_shuffle", "upscale_factor", at_least=1)
    if x.ndim < 3 or x.shape[-3] % (r * r):
        raise error(
            ValueError,
            f"For 'pixel_shuffle', the third to last dimension must be divisible by "
            f"'upscale_factor' squared, {r * r}, but got shape {list(x.shape)}.",
        )
    *batch, c, h, w = x.shape
    n, c = len(batch), c // (r * r)
    x = reshape_to(x, (*batch, c, r, r, h, w))
    perm = [*range(n), *(n + k for k in (0, 3, 1, 4, 2))]
    return reshape_to(emit("cell.transpose", [x], {"perm": perm}), (*batch, c, h * r, w * r))


@public("nn.PixelUnshuffle(downscale_factor)(input)")
@operation
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Pixels as channels: (..., C, H r, W r) becomes (..., C r r, H, W).

    Raises:
        TypeError: `downscale_factor` is not an int.
        ValueError: a factor below 1, less than three dimensions, or a height or width that r does
            not divide.

    >>> print(ops.pixel_unshuffle(Tensor([[[[1, 2], [3, 4]]]]), 2).shape)
    (1, 4, 1, 1)
    """
    x = check_tensor(input, "pixel_unshuffle", "input")
    r = known_int(downscale_factor, "pixel_unshuffle", "downscale_factor", at_least=1)
    if x.ndim < 3 or x.shape[-2] % r or x.shape[-1] % r:
        raise error(
            ValueError,
            f"For 'pixel_unshuffle', the last two dimensions must be divisible by "
            f"'downscale_factor', {r}, but got shape {list(x.shape)}.",
        )
    *batch, c, h, w = x.shape
    n, h, w = len(batch), h // r, w // r
    x = reshape_to(x, (*batch, c, h, r, w, r))
    perm = [*range(n), *(n + k for k in (0, 2, 4, 1, 3))]
    return reshape_to(emit("cell.transpose", [x], {"perm": perm}), (*batch, c * r * r, h, w))


@operation
def space_to_depth(x: Tensor, block: int) -> Tensor:
    """Blocks of pixels of (N, C, H, W) as channels, the place in the block outermost."""
    n, c, h, w = x.shape
    x = reshape_to(x, (n, c, h // block, block, w // block, block))
    x = emit("cell.transpose", [x], {"perm": [0, 3, 5, 1, 2, 4]})
    return reshape_to(x, (n, c * block * block, h // block, w // block))


@operation
def depth_to_space(x: Tensor, block: int) -> Tensor:
    """The inverse of `space_to_depth`."""
    n, c, h, w = x.shape
    x = reshape_to(x, (n, block, block, c // (block * block), h, w))
    x = emit("cell.transpose", [x], {"perm": [0, 3, 4, 1, 5, 2]})
    return reshape_to(x, (n, c // (block * block), h * block, w * block))
