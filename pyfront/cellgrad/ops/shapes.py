"""Shapes: reshape, transpose, broadcast, squeeze, indexing, concatenation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad._errors import error
from cellgrad.common import dtype as mstype
from cellgrad.common.tensor import Tensor
from cellgrad.ops._core import (
    axis_of,
    broadcast_to_shape,
    cast_to,
    check_tensor,
    emit,
    operation,
    reshape_to,
    shape_of,
)

__all__ = [
    "broadcast_to",
    "cat",
    "concat",
    "expand_dims",
    "flatten",
    "getitem",
    "permute",
    "reshape",
    "squeeze",
    "stack",
    "swapaxes",
    "transpose",
    "unsqueeze",
]


@operation
def reshape(input: Tensor, shape: Any) -> Tensor:
    """The same elements in row-major order under another shape; one dimension may be -1.

    Raises:
        TypeError: a shape that is not ints.
        ValueError: a shape of another size, or with more than one -1.
    """
    x = check_tensor(input, "reshape", "input")
    dims = list(shape_of(shape, "reshape"))
    unknown = [i for i, n in enumerate(dims) if n == -1]
    if len(unknown) > 1 or [n for n in dims if n < -1]:
        raise error(
            ValueError,
            f"For 'reshape', one dimension at most may be -1 and none less, but got {tuple(dims)}.",
        )
    known = 1
    for n in dims:
        known *= 1 if n == -1 else n
    if unknown and known:
        dims[unknown[0]] = x.size // known
    total = 1
    for n in dims:
        total *= n
    if total != x.size or (unknown and not known):
        raise error(
            ValueError,
            f"For 'reshape', the shape {tuple(shape_of(shape, 'reshape'))} is invalid for an "
            f"input of shape {list(x.shape)} "
            f"with {x.size} elements.",
        )
    return reshape_to(x, tuple(dims))


@operation
def flatten(input: Tensor, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Tensor:
    """Joins the dimensions from `start_dim` to `end_dim`; by default all but the first.

    Raises:
        ValueError: dimensions out of range, or an order other than ``"C"``.
    """
    x = check_tensor(input, "flatten", "input")
    if order != "C":
        raise error(
            ValueError, f"For 'flatten', the order must be 'C' in this version, but got {order!r}."
        )
    if x.ndim == 0:
        return reshape_to(x, (1,))
    if x.ndim == 1 and start_dim == 1:
        return x
    first, last = axis_of(start_dim, x.ndim, "flatten"), axis_of(end_dim, x.ndim, "flatten")
    if first > last:
        raise error(
            ValueError,
            f"For 'flatten', 'start_dim' {start_dim} must not come after 'end_dim' {end_dim}.",
        )
    joined = 1
    for n in x.shape[first : last + 1]:
        joined *= n
    return reshape_to(x, (*x.shape[:first], joined, *x.shape[last + 1 :]))


@operation
def transpose(input: Tensor, dims: Any) -> Tensor:
    """Permutes dimensions: dimension i of the result is ``dims[i]`` of the input.

    Raises:
        ValueError: `dims` is not a permutation of the dimensions.
    """
    x = check_tensor(input, "transpose", "input")
    listed = (dims,) if isinstance(dims, int) else tuple(dims)
    if len(listed) != x.ndim:
        raise error(
            ValueError,
            f"For 'transpose', {x.ndim} dimensions of shape {list(x.shape)} need as many in "
            f"'dims', but got {listed}.",
        )
    perm = [axis_of(a, x.ndim, "transpose") for a in listed]
    if sorted(perm) != list(range(x.ndim)):
        raise error(
            ValueError, f"For 'transpose', 'dims' must name each dimension once, but got {listed}."
        )
    return x if perm == sorted(perm) else emit("cell.transpose", [x], {"perm": perm})


def permute(input: Tensor, axis: Any) -> Tensor:
    """Same as `transpose`."""
    out: Tensor = transpose(input, axis)
    return out


@operation
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Exchanges two dimensions."""
    x = check_tensor(input, "swapaxes", "input")
    perm = list(range(x.ndim))
    a, b = axis_of(axis0, x.ndim, "swapaxes"), axis_of(axis1, x.ndim, "swapaxes")
    perm[a], perm[b] = perm[b], perm[a]
    return x if a == b else emit("cell.transpose", [x], {"perm": perm})


@operation
def broadcast_to(input: Tensor, shape: Any) -> Tensor:
    """Repeats the elements along dimensions of length 1, and along new leading ones; -1 keeps a
    dimension.

    Raises:
        ValueError: shapes that do not fit.
    """
    x = check_tensor(input, "broadcast_to", "input")
    dims = list(shape_of(shape, "broadcast_to"))
    offset = len(dims) - x.ndim
    fits = offset >= 0
    for i, n in enumerate(x.shape):
        if not fits:
            break
        if dims[offset + i] == -1:
            dims[offset + i] = n
        fits = n in (1, dims[offset + i])
    if not fits or -1 in dims:
        raise error(
            ValueError,
            f"For 'broadcast_to', shape {list(x.shape)} cannot be broadcast to {tuple(shape)}.",
        )
    return broadcast_to_shape(x, tuple(dims))


@operation
def squeeze(input: Tensor, axis: Any = None) -> Tensor:
    """Drops dimensions of length 1: all of them, or those in `axis`.

    Raises:
        ValueError: a dimension in `axis` that is out of range or longer than 1.
    """
    x = check_tensor(input, "squeeze", "input")
    if axis is None or axis == ():
        return reshape_to(x, tuple(n for n in x.shape if n != 1))
    listed = axis if isinstance(axis, tuple | list) else (axis,)
    dims = {axis_of(a, x.ndim, "squeeze") for a in listed}
    for d in dims:
        if x.ndim and x.shape[d] != 1:
            raise error(
                ValueError,
                f"For 'squeeze', dimension {d} of shape {list(x.shape)} has length {x.shape[d]}; "
                f"only 1 can be dropped.",
            )
    return reshape_to(x, tuple(n for i, n in enumerate(x.shape) if i not in dims))


@operation
def expand_dims(input_x: Tensor, axis: int) -> Tensor:
    """Inserts a dimension of length 1 at `axis`.

    Raises:
        ValueError: `axis` is out of range.
    """
    x = check_tensor(input_x, "expand_dims", "input_x")
    d = axis_of(axis, x.ndim + 1, "expand_dims")
    return reshape_to(x, (*x.shape[:d], 1, *x.shape[d:]))


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Same as `expand_dims`."""
    out: Tensor = expand_dims(input, dim)
    return out


@operation
def concat(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Joins tensors along an existing dimension, with a common dtype.

    Raises:
        TypeError: something that is not a sequence of Tensors.
        ValueError: no tensors, or shapes that differ outside `axis`.
    """
    if not isinstance(tensors, tuple | list):
        raise error(
            TypeError,
            f"For 'concat', 'tensors' must be a tuple or list of Tensors, but got "
            f"{type(tensors).__name__}.",
        )
    if not tensors:
        raise error(ValueError, "For 'concat', at least one tensor is needed.")
    xs = [check_tensor(t, "concat", f"tensors[{i}]") for i, t in enumerate(tensors)]
    first = xs[0]
    if first.ndim == 0:
        raise error(
            ValueError,
            "For 'concat', tensors must have at least one dimension; use ops.stack for 0-d "
            "tensors.",
        )
    d = axis_of(axis, first.ndim, "concat")
    dtype = first.dtype
    for i, x in enumerate(xs):
        if (
            x.ndim != first.ndim
            or x.shape[:d] + x.shape[d + 1 :] != first.shape[:d] + first.shape[d + 1 :]
        ):
            raise error(
                ValueError,
                f"For 'concat', shapes must agree except in dimension {d}, but tensors[0] has "
                f"{list(first.shape)} "
                f"and tensors[{i}] has {list(x.shape)}.",
            )
        dtype = mstype.promote(dtype, x.dtype)
    xs = [cast_to(x, dtype) for x in xs]
    return xs[0] if len(xs) == 1 else emit("cell.concat", xs, {"dim": d})


def cat(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Same as `concat`."""
    out: Tensor = concat(tensors, axis)
    return out


@operation
def stack(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Joins tensors of one shape along a new dimension.

    Raises:
        TypeError: something that is not a sequence of Tensors.
        ValueError: no tensors, or shapes that differ.
    """
    if not isinstance(tensors, tuple | list) or not tensors:
        raise error(
            TypeError, "For 'stack', 'tensors' must be a non-empty tuple or list of Tensors."
        )
    xs = [check_tensor(t, "stack", f"tensors[{i}]") for i, t in enumerate(tensors)]
    for i, x in enumerate(xs):
        if x.shape != xs[0].shape:
            raise error(
                ValueError,
                f"For 'stack', tensors[0] has shape {list(xs[0].shape)} but tensors[{i}] has "
                f"{list(x.shape)}.",
            )
    d = axis_of(axis, xs[0].ndim + 1, "stack")
    out: Tensor = concat([reshape_to(x, (*x.shape[:d], 1, *x.shape[d:])) for x in xs], d)
    return out


# --- indexing ---------------------------------------------------------------------------------


def getitem(x: Tensor, index: Any) -> Tensor:
    """``x[index]`` with ints, slices, None, Ellipsis and tuples of them.

    Raises:
        IndexError: an index out of range, of another kind, or too many of them.
    """
    if isinstance(index, tuple) and len(index) == 1:
        index = index[0]
    listed = index if isinstance(index, tuple) else (index,)
    spec = tuple(_index_of(i) for i in listed)
    out: Tensor = _getitem(x, spec)
    return out


def _index_of(i: Any) -> Any:
    """An index as static data: slices become tuples, so that they can be part of a signature."""
    if isinstance(i, bool):
        return _Bool(i)
    if isinstance(i, slice):
        return ("slice", *(None if p is None else _int(p) for p in (i.start, i.stop, i.step)))
    if i is None or i is Ellipsis:
        return i
    return _int(i)


class _Bool(int):
    """A bool index: adds a dimension, of length 1 or 0."""


def _int(i: Any) -> int:
    if isinstance(i, int | np.integer):
        return int(i)
    if isinstance(i, Tensor) and i.ndim == 0 and i.dtype.kind in "iu":
        return int(i)
    kind = "Tensor" if isinstance(i, Tensor) else type(i).__name__
    hint = ""
    if isinstance(i, Tensor | list | np.ndarray):
        hint = (
            "indexing by tensors and lists comes in a later version; ops.where or ops.select may do"
        )
    raise error(
        IndexError,
        f"Only support integers, slices(`:`), ellipsis(`...`) and None as index, but got {i!r} "
        f"with type {kind}.",
        hint,
    )


@operation
def _getitem(x: Tensor, spec: tuple[Any, ...]) -> Tensor:
    used = len(
        [i for i in spec if i is not None and i is not Ellipsis and not isinstance(i, _Bool)]
    )
    if used > x.ndim:
        raise error(
            IndexError,
            f"too many indices for tensor of dimension {x.ndim}: {used} given for shape "
            f"{list(x.shape)}.",
        )
    if len([i for i in spec if i is Ellipsis]) > 1:
        raise error(IndexError, "an index can only have a single ellipsis ('...')")
    if Ellipsis not in spec:
        spec = (*spec, Ellipsis)
    starts, limits, strides, shape = [], [], [], []
    flips: list[int] = []
    d = 0
    for i in spec:
        if i is None or isinstance(i, _Bool):
            if isinstance(i, _Bool) and not i:
                raise error(
                    IndexError, "indexing with False selects nothing, which is not supported."
                )
            shape.append(1)
        elif i is Ellipsis:
            for _ in range(x.ndim - used):
                starts.append(0)
                limits.append(x.shape[d])
                strides.append(1)
                shape.append(x.shape[d])
                d += 1
        elif isinstance(i, tuple):
            lo, hi, step, count = _slice_bounds(i[1:], x.shape[d])
            if step < 0 and count:
                # Read forward from the last element taken, then reverse.
                lo, hi, step = lo + (count - 1) * step, lo + 1, -step
                flips.append(d)
            starts.append(lo)
            limits.append(hi)
            strides.append(abs(step))
            shape.append(count)
            d += 1
        else:
            n = x.shape[d]
            if not -n <= i < n:
                raise error(
                    IndexError, f"index {i} is out of bounds for dimension {d} with size {n}"
                )
            starts.append(i % n)
            limits.append(i % n + 1)
            strides.append(1)
            d += 1
    if starts != [0] * x.ndim or limits != list(x.shape) or strides != [1] * x.ndim:
        x = emit("cell.slice", [x], {"starts": starts, "limits": limits, "strides": strides})
    for d in flips:
        x = _reverse(x, d)
    return reshape_to(x, tuple(shape))


def _slice_bounds(parts: tuple[Any, ...], n: int) -> tuple[int, int, int, int]:
    """Start, limit, step and count of a Python slice; an empty one reads an empty range."""
    if parts[2] == 0:
        raise error(ValueError, "slice step cannot be zero")
    lo, hi, step = slice(*parts).indices(n)
    count = len(range(lo, hi, step))
    return (0, 0, 1, 0) if count == 0 else (lo, hi, step, count)


def _reverse(x: Tensor, d: int) -> Tensor:
    """Reverses a dimension: single slices, joined in the other order."""
    n = x.shape[d]
    pieces = []
    for k in range(n - 1, -1, -1):
        starts, limits = [0] * x.ndim, list(x.shape)
        starts[d], limits[d] = k, k + 1
        pieces.append(
            emit("cell.slice", [x], {"starts": starts, "limits": limits, "strides": [1] * x.ndim})
        )
    return pieces[0] if n == 1 else emit("cell.concat", pieces, {"dim": d})
