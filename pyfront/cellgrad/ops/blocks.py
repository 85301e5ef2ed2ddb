"""Blocks of images and batches exchanged: `batch_to_space_nd` and `space_to_batch_nd`."""

from __future__ import annotations

import math
from typing import Any

from cellgrad.core.aliases import Dims, PaddingLike
from cellgrad.core.arguments import argument_error, check_int, check_ndim
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import elements
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops._static import is_int, known_ints
from cellgrad.ops.joining import pad_to, piece
from cellgrad.ops.shapes import transpose

Pairs = tuple[tuple[int, int], ...]


def _arguments(op: str, block: Any, around: Any, name: str) -> tuple[tuple[int, ...], Pairs]:
    if isinstance(around, Tensor):
        around = elements(around, f"'{name}' of {op}").tolist()
    if not isinstance(around, tuple | list) or not all(
        isinstance(p, tuple | list) and len(p) == 2 and all(is_int(v) and v >= 0 for v in p)
        for p in around
    ):
        raise argument_error(ValueError, op, name, "pairs of ints of at least 0", around)
    sizes = (block,) * len(around) if is_int(block) else known_ints(block, op, "block_shape")
    if len(sizes) != len(around) or any(s < 1 for s in sizes):
        raise error(
            ValueError,
            f"For '{op}', 'block_shape' must hold {len(around)} ints of at least 1, as many as "
            f"'{name}' has pairs, but got {block}.",
        )
    return tuple(int(s) for s in sizes), tuple((int(a), int(b)) for a, b in around)


@public(
    "ops.BatchToSpaceND(block_shape, crops)(input_x)",
    "ops.BatchToSpaceNDV2()(input_x, block_shape, crops)",
)
def batch_to_space_nd(input_x: Tensor, block_shape: Dims, crops: PaddingLike) -> Tensor:
    """Batches put side by side as blocks of the last dimensions, which are then cropped.

    Args:
        input_x: shape [N, ..., D1, ..., DM]; N is a multiple of the product of the block's sizes.
        block_shape: an int, or M of them.
        crops: M pairs of ints, what is cut off before and after each dimension.

    Raises:
        TypeError: `block_shape` holds something else than ints.
        ValueError: sizes that do not fit the tensor.

    >>> x = Tensor([[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]]])
    >>> print(ops.batch_to_space_nd(x, [2, 2], [[0, 0], [0, 0]]))
    [[[[1. 2.]
       [3. 4.]]]]
    """
    op = "batch_to_space_nd"
    sizes, cut = _arguments(op, block_shape, crops, "crops")
    x = check_ndim(check_tensor(input_x, op, "input_x"), op, "input_x", at_least=len(sizes) + 1)
    last = x.shape[x.ndim - len(sizes) :]
    if x.shape[0] % math.prod(sizes) or any(
        n * s < a + b for n, s, (a, b) in zip(last, sizes, cut, strict=True)
    ):
        raise error(
            ValueError,
            f"For '{op}', blocks {list(sizes)} and crops {[list(p) for p in cut]} do not fit a "
            f"tensor of shape {list(x.shape)}.",
        )
    out: Tensor = _to_space(x, sizes, cut)
    return out


@operation
def _to_space(x: Tensor, sizes: tuple[int, ...], crops: Pairs) -> Tensor:
    m = len(sizes)
    batch, middle, last = x.shape[0] // math.prod(sizes), x.shape[1:-m], x.shape[x.ndim - m :]
    x = x.reshape(*sizes, batch, *middle, *last)
    kept = list(range(m, m + 1 + len(middle)))
    first = m + 1 + len(middle)
    perm = kept + [d for i in range(m) for d in (first + i, i)]
    x = transpose(x, tuple(perm)).reshape(
        batch, *middle, *(n * s for n, s in zip(last, sizes, strict=True))
    )
    for i, (low, high) in enumerate(crops):
        d = x.ndim - m + i
        x = piece(x, d, low, x.shape[d] - high)
    return x


@public("ops.SpaceToBatchND(block_shape, paddings)(input_x)")
def space_to_batch_nd(input_x: Tensor, block_size: Dims, paddings: PaddingLike) -> Tensor:
    """Blocks of the last dimensions, padded with zeros first, moved to the batch; the inverse of
    `batch_to_space_nd`.

    Raises:
        TypeError: `block_size` holds something else than ints.
        ValueError: padded sizes that are no multiples of the block's.

    >>> x = Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> print(ops.space_to_batch_nd(x, [2, 2], [[0, 0], [0, 0]]).reshape(4))
    [1. 2. 3. 4.]
    """
    op = "space_to_batch_nd"
    sizes, pads = _arguments(op, block_size, paddings, "paddings")
    x = check_ndim(check_tensor(input_x, op, "input_x"), op, "input_x", at_least=len(sizes) + 1)
    last = x.shape[x.ndim - len(sizes) :]
    if any((n + a + b) % s for n, s, (a, b) in zip(last, sizes, pads, strict=True)):
        raise error(
            ValueError,
            f"For '{op}', the padded sizes must be multiples of the blocks {list(sizes)}, but got "
            f"shape {list(x.shape)} and paddings {[list(p) for p in pads]}.",
        )
    out: Tensor = _to_batch(x, sizes, pads)
    return out


@operation
def _to_batch(x: Tensor, sizes: tuple[int, ...], pads: Pairs) -> Tensor:
    m = len(sizes)
    none = [0] * (x.ndim - m)
    x = pad_to(x, none + [a for a, _ in pads], none + [b for _, b in pads])
    batch, middle, last = x.shape[0], x.shape[1 : x.ndim - m], x.shape[x.ndim - m :]
    parts = [v for n, s in zip(last, sizes, strict=True) for v in (n // s, s)]
    x = x.reshape(batch, *middle, *parts)
    first = 1 + len(middle)
    blocks = [first + 2 * i + 1 for i in range(m)]
    perm = blocks + list(range(first)) + [first + 2 * i for i in range(m)]
    return transpose(x, tuple(perm)).reshape(
        batch * math.prod(sizes), *middle, *(n // s for n, s in zip(last, sizes, strict=True))
    )


@public()
class BatchToSpace(Primitive):
    """`batch_to_space_nd` of images [N, C, H, W], with one size of blocks.

    >>> x = Tensor([[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]]])
    >>> print(ops.BatchToSpace(2, [[0, 0], [0, 0]])(x))
    [[[[1. 2.]
       [3. 4.]]]]
    """

    def __init__(self, block_size: int, crops: PaddingLike):
        super().__init__()
        self.block_size = check_int(block_size, self.name, "block_size", at_least=2)
        self.crops = crops

    def __call__(self, input_x: Tensor) -> Tensor:
        return batch_to_space_nd(input_x, [self.block_size] * 2, self.crops)


@public()
class SpaceToBatch(Primitive):
    """`space_to_batch_nd` of images [N, C, H, W], with one size of blocks.

    >>> x = Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> print(ops.SpaceToBatch(2, [[0, 0], [0, 0]])(x).reshape(4))
    [1. 2. 3. 4.]
    """

    def __init__(self, block_size: int, paddings: PaddingLike):
        super().__init__()
        self.block_size = check_int(block_size, self.name, "block_size", at_least=2)
        self.paddings = paddings

    def __call__(self, input_x: Tensor) -> Tensor:
        return space_to_batch_nd(input_x, [self.block_size] * 2, self.paddings)
