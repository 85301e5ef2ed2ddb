"""Functions of ``mint`` that are no forms of one operation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ShapeLike, TensorLike
from cellgrad.core.arguments import check_ndim
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import check_float, check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.mint import _helpers as h
from cellgrad.ops.sorting import kth

__all__ = [
    "add",
    "clone",
    "conv_tbc",
    "empty",
    "empty_like",
    "item",
    "kthvalue",
    "normal",
    "randint",
    "randint_like",
]


def add(input: TensorLike, other: TensorLike, *, alpha: TensorLike = 1) -> Tensor:
    """``input + alpha * other`` in the common dtype; see `ops.add`.

    Raises:
        TypeError: an argument is neither Tensor nor number.
        ValueError: shapes that cannot be broadcast.

    >>> print(mint.add(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), alpha=2))
    [ 7. 10.]
    """
    return ops.add(input, h.scaled(input, other, alpha))


def clone(input: Tensor) -> Tensor:
    """A copy of the tensor, through which gradients flow.

    >>> print(mint.clone(Tensor([1.0, 2.0])))
    [1. 2.]
    """
    return input.copy()


def item(input: Tensor) -> bool | int | float | complex:
    """The only element as a number of Python's; see `Tensor.item`.

    Raises:
        TypeError: `input` is not a Tensor.
        ValueError: more than one element.

    >>> print(mint.item(Tensor([2.5])))
    2.5
    """
    out: bool | int | float | complex = check_tensor(input, "item", "input").item()
    return out


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Convolution of sequences with time first: input [L, N, C], weight [K, C, O]; see `ops.conv1d`.

    Args:
        pad: zeros before and after.

    Returns:
        shape [L', N, O].

    Raises:
        TypeError: no Tensors of one floating-point dtype.
        ValueError: shapes that do not fit each other.

    >>> x, window = Tensor([[[1.0]], [[2.0]], [[3.0]]]), Tensor([[[1.0]], [[10.0]]])
    >>> print(mint.conv_tbc(x, window, Tensor([0.5])).reshape(-1))
    [21.5 32.5]
    """
    x, w = check_float(input, "conv_tbc", "input"), check_float(weight, "conv_tbc", "weight")
    check_ndim(x, "conv_tbc", "input", 3)
    check_ndim(w, "conv_tbc", "weight", 3)
    turned = ops.permute(x, (1, 2, 0)), ops.permute(w, (2, 1, 0))
    return ops.permute(ops.conv1d(*turned, bias, 1, "pad", pad), (2, 0, 1))


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The k-th smallest elements along a dimension, and their positions.

    >>> values, positions = mint.kthvalue(Tensor([3.0, 1.0, 2.0]), 2)
    >>> print(values, positions)
    2.0 2
    """
    return kth(input, k, dim, keepdim)


def empty(
    *size: int | Sequence[int],
    dtype: Type | None = None,
    device: str | None = None,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of a shape; its elements are 0.

    Raises:
        TypeError, ValueError: sizes that are no ints, or negative.

    >>> mint.empty(2, 3).shape
    (2, 3)
    """
    shape: Any = size[0] if len(size) == 1 and isinstance(size[0], tuple | list) else size
    h.on_cpu("empty", device)
    return ops.zeros(tuple(shape), dtype or mstype.float32)


def empty_like(
    input: Tensor, *, dtype: Type | None = None, device: str | None = None, pin_memory: bool = False
) -> Tensor:
    """A tensor of another one's shape and, unless `dtype` says otherwise, dtype; its elements are 0.

    >>> mint.empty_like(Tensor([1.0, 2.0])).shape
    (2,)
    """
    h.on_cpu("empty_like", device)
    return ops.zeros_like(input, dtype=dtype)


def normal(
    mean: TensorLike = 0.0,
    std: TensorLike = 1.0,
    size: ShapeLike | None = None,
    *,
    generator: object = None,
) -> Tensor:
    """Normal numbers of means and deviations that are Tensors of one shape, or numbers; of two numbers
    in the shape `size`.

    Raises:
        TypeError: two numbers without a size.

    >>> print(mint.normal(Tensor([1.0, 2.0]), 0.0))
    [1. 2.]
    """
    return h.normal(mean, std, size, h.key(generator, "normal"))


def randint(
    *args: object, generator: object = None, dtype: Type | None = None, device: str | None = None
) -> Tensor:
    """Integers drawn evenly: ``randint(high, size)`` or ``randint(low, high, size)``; int64 by default.

    Raises:
        TypeError: other arguments.
        ValueError: there is no integer between the bounds.

    >>> print(mint.randint(5, 6, (3,)))
    [5 5 5]
    """
    if len(args) not in (2, 3):
        raise error(
            TypeError, f"For 'randint', expected (low, high, size), but got {len(args)} arguments."
        )
    low, high = (args[0], None) if len(args) == 2 else args[:2]
    return h.integers(low, high, args[-1], dtype, h.key(generator, "randint", device))


def randint_like(
    input: Tensor,
    low: int,
    high: int | None = None,
    *,
    dtype: Type | None = None,
    device: str | None = None,
) -> Tensor:
    """As `randint`, in the shape and, unless `dtype` says otherwise, dtype of a tensor.

    >>> print(mint.randint_like(Tensor([1, 2]), 5, 6))
    [5 5]
    """
    drawn = h.integers(low, high, input.shape, None, h.key(None, "randint_like", device))
    return ops.cast(drawn, dtype or input.dtype)
