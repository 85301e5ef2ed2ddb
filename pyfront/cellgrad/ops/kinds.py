"""What kind of elements tensors have; all are real."""

from __future__ import annotations

from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.record import check_tensor, operation, splat
from cellgrad.core.tensor import Tensor
from cellgrad.ops._public import public


@public()
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """The input in the dtype of another tensor.

    Raises:
        TypeError: an argument is not a Tensor.

    >>> print(ops.type_as(Tensor([1.5, 2.5]), Tensor([0])))
    [1 2]
    """
    dtype = check_tensor(other, "type_as", "other").dtype
    return check_tensor(input, "type_as", "input").astype(dtype)


@public()
def is_tensor(obj: Any) -> bool:
    """Whether an object is a Tensor.

    >>> ops.is_tensor(Tensor([1.0])), ops.is_tensor([1.0])
    (True, False)
    """
    return isinstance(obj, Tensor)


@public()
def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are of a floating-point dtype.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> ops.is_floating_point(Tensor([1.0])), ops.is_floating_point(Tensor([1]))
    (True, False)
    """
    return check_tensor(input, "is_floating_point", "input").dtype.kind == "f"


@public()
def is_complex(input: Tensor) -> bool:
    """False: there are no complex tensors.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> ops.is_complex(Tensor([1.0]))
    False
    """
    return check_tensor(input, "is_complex", "input").dtype.kind == "c"


@public("Tensor.isreal")
@operation
def isreal(input: Tensor) -> Tensor:
    """True for every element: tensors are real.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> print(ops.isreal(Tensor([1.0, -2.0])))
    [ True  True]
    """
    return splat(True, mstype.bool_, check_tensor(input, "isreal", "input").shape)


@public(
    "Tensor.real",
    "mint.real",
)
def real(input: Tensor) -> Tensor:
    """The tensor, which is real.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> print(ops.real(Tensor([1.0, -2.0])))
    [ 1. -2.]
    """
    return check_tensor(input, "real", "input").copy()


@public("Tensor.conj")
def conj(input: Tensor) -> Tensor:
    """The tensor, which is real.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> print(ops.conj(Tensor([1.0, -2.0])))
    [ 1. -2.]
    """
    return check_tensor(input, "conj", "input").copy()
