"""Padding by a constant, by reflection, by the edge, and around."""

from __future__ import annotations

from typing import Any

from cellgrad.core.aliases import PaddingLike, TensorLike
from cellgrad.core.arguments import check_one_of
from cellgrad.core.errors import error
from cellgrad.core.record import (
    as_tensor,
    broadcast_to_shape,
    cast_to,
    check_tensor,
    emit,
    operation,
    splat,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops._public import public
from cellgrad.ops._static import known_ints
from cellgrad.ops.joining import pad_to, piece, reverse_dims


@public("mint.nn.functional.pad(input, pad, mode, value)")
def pad(
    input_x: Tensor, padding: PaddingLike, mode: str = "constant", value: TensorLike | None = None
) -> Tensor:
    """Elements before and after those of the last dimensions.

    `padding` is (before, after) of the last dimension, then of the one before it, and so on. The
    new elements are `value` (0 by default) in mode ``"constant"``, those mirrored at the edge in
    mode ``"reflect"``, the one at the edge in ``"replicate"``, and those of the other end in
    ``"circular"``. A negative padding drops elements.

    Raises:
        TypeError: `padding` is not a sequence of ints.
        ValueError: `padding` has an odd length or is longer than twice the rank, an unknown mode, a
            value in another mode than ``"constant"``, more elements than the mode can take, or more
            to drop than there are.

    >>> print(ops.pad(Tensor([1.0, 2.0]), (1, 1)))
    [0. 1. 2. 0.]
    """
    x = check_tensor(input_x, "pad", "input_x")
    amounts = known_ints(padding, "pad", "padding")
    if len(amounts) % 2:
        raise error(
            ValueError,
            f"For 'pad', the size of padding must be divisible by 2, but got {len(amounts)}.",
        )
    if len(amounts) > 2 * x.ndim:
        raise error(
            ValueError,
            f"For 'pad', 'padding' has {len(amounts)} elements, but {x.ndim} dimensions of shape "
            f"{list(x.shape)} take {2 * x.ndim} at most.",
        )
    check_one_of(mode, "pad", "mode", _MODES)
    if mode != "constant" and value is not None:
        raise error(
            ValueError,
            f"For 'pad', the padding mode '{mode}' can not set value, but got value {value}.",
        )
    pairs = list(zip(amounts[0::2], amounts[1::2], strict=True))[::-1]
    out: Tensor = padded(x, [(0, 0)] * (x.ndim - len(pairs)) + pairs, mode, value)
    return out


_MODES = ("constant", "reflect", "replicate", "circular")


@operation
def padded(x: Tensor, pairs: list[tuple[int, int]], mode: str, value: Any) -> Tensor:
    """The tensor with (before, after) more elements in each dimension; see `pad`. Mode
    ``"symmetric"`` mirrors the element at the edge as well.
    """
    for d, (low, high) in enumerate(pairs):
        n = x.shape[d]
        if n + min(low, 0) + min(high, 0) < 0:
            raise error(
                ValueError,
                f"For 'pad', padding ({low}, {high}) drops more than the {n} elements of dimension "
                f"{d} of shape {list(x.shape)}.",
            )
        x = piece(x, d, max(-low, 0), n - max(-high, 0))
    pairs = [(max(low, 0), max(high, 0)) for low, high in pairs]
    if mode == "constant" and (value is None or (not isinstance(value, Tensor) and not value)):
        return pad_to(x, [p[0] for p in pairs], [p[1] for p in pairs])
    for d, (low, high) in enumerate(pairs):
        parts = _around(x, d, low, high, mode, value)
        if len(parts) > 1:
            x = emit("cell.concat", parts, {"dim": d})
    return x


def _around(x: Tensor, d: int, low: int, high: int, mode: str, value: Any) -> list[Tensor]:
    """The pieces that make up the padded tensor along one dimension."""
    n = x.shape[d]
    room = {"reflect": n - 1, "symmetric": n, "circular": n}.get(mode, max(low, high) if n else 0)
    if mode != "constant" and max(low, high) > max(room, 0):
        raise error(
            ValueError,
            f"For 'pad', padding in '{mode}' mode must not exceed {max(room, 0)} for dimension {d} "
            f"of shape {list(x.shape)}, but got ({low}, {high}).",
        )

    def filled(count: int) -> Tensor:
        shape = (*x.shape[:d], count, *x.shape[d + 1 :])
        if isinstance(value, Tensor):
            return broadcast_to_shape(cast_to(as_tensor(value, "pad"), x.dtype), shape)
        return splat(value, x.dtype, shape)

    def edge(start: int, count: int) -> Tensor:
        one = piece(x, d, start, start + 1)
        return broadcast_to_shape(one, (*x.shape[:d], count, *x.shape[d + 1 :]))

    before = {
        "constant": lambda: filled(low),
        "reflect": lambda: reverse_dims(piece(x, d, 1, low + 1), [d]),
        "symmetric": lambda: reverse_dims(piece(x, d, 0, low), [d]),
        "replicate": lambda: edge(0, low),
        "circular": lambda: piece(x, d, n - low, n),
    }
    after = {
        "constant": lambda: filled(high),
        "reflect": lambda: reverse_dims(piece(x, d, n - 1 - high, n - 1), [d]),
        "symmetric": lambda: reverse_dims(piece(x, d, n - high, n), [d]),
        "replicate": lambda: edge(n - 1, high),
        "circular": lambda: piece(x, d, 0, high),
    }
    return [*([before[mode]()] if low else []), x, *([after[mode]()] if high else [])]
