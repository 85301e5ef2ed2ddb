"""Tensors in parts: of each tensor every rank has one part, of the same size on all.

A tensor of n elements is cut, in row-major order, into parts of ceil(n / ranks) elements; zeros fill
the last ones up. What belongs together goes in one collective: the parts of several tensors stand side
by side, an eighth of all at a time, from 1 to 25 MB, as the compiler has reductions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.record import broadcast_to_shape, cast_to, emit, operation, reshape_to, splat
from cellgrad.core.tensor import Tensor

Shape = tuple[int, ...]

# Bytes of tensors whose parts stand side by side: at most, and of how small ones.
_BUCKET, _SMALL = 25 << 20, 1 << 20


def _buckets(tensors: Sequence[Tensor]) -> list[list[int]]:
    """Which tensors go in one collective: of one dtype, of at most so many bytes, in their order, until there is
    an eighth of all.

    A larger tensor is alone, and so is one without elements.
    """
    sizes = [math.prod(x.shape) * x.dtype.itemsize for x in tensors]
    enough = max(sum(sizes) // 8, _SMALL)
    found: list[list[int]] = []
    filling: dict[Any, list[int]] = {}
    bytes_: dict[Any, int] = {}
    for i, (tensor, count) in enumerate(zip(tensors, sizes, strict=True)):
        kind = tensor.dtype
        if 0 < count <= _BUCKET - bytes_.get(kind, _BUCKET) and bytes_[kind] < enough:
            filling[kind].append(i)
            bytes_[kind] += count
        else:
            found.append([i])
            if 0 < count < _BUCKET:
                filling[kind], bytes_[kind] = found[-1], count
    return found


def width(shape: Shape, ranks: int) -> int:
    """How many elements a part of such a tensor has."""
    return -(-math.prod(shape) // ranks)


def _rows(x: Tensor, ranks: int) -> Tensor:
    """The parts of x, one a row."""
    count, size = math.prod(x.shape), width(x.shape, ranks)
    flat = reshape_to(x, (count,))
    if count < ranks * size:
        flat = emit("cell.concat", [flat, splat(0, x.dtype, (ranks * size - count,))], {"dim": 0})
    return reshape_to(flat, (ranks, size))


def _side_by_side(
    tensors: Sequence[Tensor], work: Callable[[Tensor], Tensor]
) -> list[tuple[int, Tensor]]:
    """What `work` makes of the columns of matrices, several matrices at a time: each with its number."""
    found = []
    for members in _buckets(tensors):
        parts = [tensors[i] for i in members]
        whole = work(parts[0] if len(parts) == 1 else emit("cell.concat", parts, {"dim": 1}))
        at = 0
        for i, part in zip(members, parts, strict=True):
            end = at + part.shape[1]
            limits = {"starts": [0, at], "limits": [whole.shape[0], end], "strides": [1, 1]}
            found.append((i, whole if len(parts) == 1 else emit("cell.slice", [whole], limits)))
            at = end
    return found


@operation
def own_parts(tensors: tuple[Tensor, ...], ranks: int) -> tuple[Tensor, ...]:
    """This rank's part of each tensor."""
    rank = emit("cell.rank", [], {}, mstype.int64, ())
    return tuple(
        emit("cell.gather", [_rows(x, ranks), rank], {"dim": 0, "batch_dims": 0}) for x in tensors
    )


@operation
def scattered_sums(tensors: tuple[Tensor, ...], ranks: int) -> tuple[Tensor, ...]:
    """This rank's part of the sum of each tensor over the ranks."""

    def work(whole: Tensor) -> Tensor:
        attrs = {"combine": "sum", "ranks": ranks}
        return emit("cell.reduce_scatter", [whole], attrs, whole.dtype, (1, whole.shape[1]))

    out = list(tensors)
    for i, part in _side_by_side([_rows(x, ranks) for x in tensors], work):
        out[i] = reshape_to(part, (part.shape[1],))
    return tuple(out)


@operation
def gathered(
    parts: tuple[Tensor, ...], shapes: tuple[Shape, ...], ranks: int
) -> tuple[Tensor, ...]:
    """The tensors of such shapes whose parts the ranks have, on all."""

    def work(whole: Tensor) -> Tensor:
        shape = (ranks, whole.shape[1])
        return emit("cell.all_gather", [whole], {"ranks": ranks}, whole.dtype, shape)

    out = list(parts)
    for i, rows in _side_by_side([reshape_to(p, (1, p.shape[0])) for p in parts], work):
        count, size = math.prod(shapes[i]), rows.shape[0] * rows.shape[1]
        flat = reshape_to(rows, (size,))
        if count < size:
            limits = {"starts": [0], "limits": [count], "strides": [1]}
            flat = emit("cell.slice", [flat], limits)
        out[i] = reshape_to(flat, shapes[i])
    return tuple(out)


@operation
def summed(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """The sum of each tensor over the ranks, which are combined as a balanced binary tree."""
    flat = [reshape_to(x, (1, math.prod(x.shape))) for x in tensors]
    out = list(tensors)
    attrs = {"combine": "sum", "ordered": True}
    for i, whole in _side_by_side(flat, lambda x: emit("cell.all_reduce", [x], attrs)):
        out[i] = reshape_to(whole, tensors[i].shape)
    return tuple(out)


@operation
def divided(tensors: tuple[Tensor, ...], degree: int | None) -> tuple[Tensor, ...]:
    """The tensors divided by `degree`; None: by the number of ranks."""
    out = []
    for x in tensors:
        if degree is None:
            ranks = cast_to(emit("cell.group_size", [], {}, mstype.int64, ()), x.dtype)
            by = broadcast_to_shape(ranks, x.shape)
        else:
            by = splat(degree, x.dtype, x.shape)
        out.append(emit("cell.div", [x, by]))
    return tuple(out)
