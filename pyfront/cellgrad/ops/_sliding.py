"""Where windows lie: arguments of convolutions and pooling, and the padding they ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cellgrad.core.arguments import (
    check_dtype,
    check_instance,
    check_ints,
    check_ndim,
    check_one_of,
)
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor

Ints = tuple[int, ...]
Pads = list[tuple[int, int]]


def per_dim(value: Any, count: int, op: str, argument: str, least: int = 1) -> Ints:
    """One int a dimension from an int or a sequence of one or `count` of them.

    Raises:
        TypeError: something else.
        ValueError: another length, or an int below `least`.
    """
    return check_ints(value, op, argument, count, at_least=least)


def pairs(value: Any, count: int, op: str, argument: str) -> Pads:
    """(before, after) of each dimension from an int, one int a dimension, or two a dimension.

    Raises:
        TypeError: something else.
        ValueError: another length, or a negative int.
    """
    if isinstance(value, tuple | list) and len(value) == 2 * count and count > 0:
        flat = [per_dim(v, 1, op, argument, 0)[0] for v in value]
        return list(zip(flat[::2], flat[1::2], strict=True))
    return [(p, p) for p in per_dim(value, count, op, argument, 0)]


def pad_mode_of(value: Any, op: str) -> str:
    """The mode in lower case.

    Raises:
        TypeError: no str.
        ValueError: none of 'valid', 'same' and 'pad'.
    """
    check_instance(value, op, "pad_mode", str)
    return check_one_of(value.lower(), op, "pad_mode", ("valid", "same", "pad"))


def padding_of(
    mode: str,
    given: Pads,
    sizes: Sequence[int],
    kernel: Ints,
    strides: Ints,
    dilations: Ints,
    op: str,
) -> Pads:
    """The elements before and after each dimension that a padding mode asks for.

    Mode 'same' gives ceil(size / stride) windows, with one element more after than before where the
    number is odd.

    Raises:
        ValueError: a padding in another mode than 'pad'.
    """
    if mode == "pad":
        return given
    if any(p != (0, 0) for p in given):
        raise error(
            ValueError,
            f"For '{op}', the 'padding' must be zero when 'pad_mode' is not 'pad', but got "
            f"pad_mode='{mode}'.",
            "write pad_mode='pad'",
        )
    if mode == "valid":
        return given
    out = []
    for n, k, s, d in zip(sizes, kernel, strides, dilations, strict=True):
        total = max((-(-n // s) - 1) * s + d * (k - 1) + 1 - n, 0)
        out.append((total // 2, total - total // 2))
    return out


def ceil_padding(
    pads: Pads, sizes: Sequence[int], kernel: Ints, strides: Ints, dilations: Ints
) -> Pads:
    """Padding with what windows need that start in the tensor, or before it, and end after it."""
    out = []
    for (low, high), n, k, s, d in zip(pads, sizes, kernel, strides, dilations, strict=True):
        span = d * (k - 1) + 1
        windows = -(-(n + low + high - span) // s) + 1
        if (windows - 1) * s >= n + low:
            windows -= 1
        out.append((low, max(high, (windows - 1) * s + span - n - low)))
    return out


def check_fit(
    sizes: Sequence[int], pads: Pads, kernel: Ints, dilations: Ints, x: Tensor, op: str
) -> None:
    """Refuses windows that are larger than the padded tensor."""
    for n, (low, high), k, d in zip(sizes, pads, kernel, dilations, strict=True):
        if n + low + high < d * (k - 1) + 1:
            raise error(
                ValueError,
                f"For '{op}', a window of {d * (k - 1) + 1} elements does not fit into the "
                f"{n + low + high} elements of a dimension (padding included) of the input of "
                f"shape {list(x.shape)}.",
                "make the kernel or the dilation smaller, or pad more",
            )


def check_rank(
    value: Any, ranks: tuple[int, ...], op: str, argument: str, kinds: str = "f"
) -> Tensor:
    """A tensor of one of the ranks, of floating-point numbers or the given kinds.

    Raises:
        TypeError: no Tensor, or one of another kind.
        ValueError: another rank.
    """
    x = check_tensor(value, op, argument)
    check_dtype(x, op, argument, kinds)
    return check_ndim(x, op, argument, *ranks)
