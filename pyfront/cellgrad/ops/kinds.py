"""What kind of elements tensors have, and the parts of complex ones."""

from __future__ import annotations

import math
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike
from cellgrad.core.arguments import check_dtype
from cellgrad.core.errors import error
from cellgrad.core.record import (
    broadcast_shapes,
    broadcast_to_shape,
    cast_to,
    check_tensor,
    emit,
    operation,
    splat,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _generated as gen
from cellgrad.ops import complex_functions as functions
from cellgrad.ops._public import public
from cellgrad.ops.complex_rules import both_parts, complex_tensor
from cellgrad.ops.joining import stack


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
def is_tensor(obj: ArrayLike) -> bool:
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
    """Whether the elements are complex numbers.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> ops.is_complex(Tensor([1.0])), ops.is_complex(Tensor([1j]))
    (False, True)
    """
    return check_tensor(input, "is_complex", "input").dtype.kind == "c"


@public("Tensor.isreal")
@operation
def isreal(input: Tensor) -> Tensor:
    """True for elements whose imaginary part is zero: all of a real tensor.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> print(ops.isreal(Tensor([1.0, -2j])))
    [ True False]
    """
    x = check_tensor(input, "isreal", "input")
    if x.dtype.kind != "c":
        return splat(True, mstype.bool_, x.shape)
    return gen.equal(both_parts(x)[1], 0.0)


# --- from and to parts ------------------------------------------------------------------------


def _parts(real: Any, imag: Any, op: str, names: tuple[str, str]) -> tuple[Tensor, Tensor]:
    """Two tensors of float32 or float64, of one dtype and shape."""
    found = []
    for value, name in zip((real, imag), names, strict=True):
        x = check_dtype(check_tensor(value, op, name), op, name, "f")
        found.append(cast_to(x, mstype.float32) if x.dtype.itemsize == 2 else x)
    a, b = found
    dtype = mstype.promote(a.dtype, b.dtype)
    shape = broadcast_shapes(a.shape, b.shape, op)
    a, b = (broadcast_to_shape(cast_to(x, dtype), shape) for x in (a, b))
    return a, b


@public("ops.Complex")
@operation
def complex(real: Tensor, imag: Tensor) -> Tensor:
    """The complex numbers with these real and imaginary parts, broadcast.

    float32 parts give complex64, float64 parts complex128; 16-bit floats are converted to float32.

    Raises:
        TypeError: an argument is not a Tensor of floating-point numbers.
        ValueError: shapes that do not broadcast.

    >>> print(ops.complex(Tensor([1.0, 2.0]), Tensor([0.0, -1.0])))
    [1.+0.j 2.-1.j]
    """
    return complex_tensor(*_parts(real, imag, "complex", ("real", "imag")))


@public("ops.Polar", "mint.polar")
@operation
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """``abs * (cos(angle) + 1j * sin(angle))``, broadcast.

    Raises:
        TypeError: an argument is not a Tensor of floating-point numbers.
        ValueError: shapes that do not broadcast.

    >>> print(ops.polar(Tensor([1.0, 2.0]), Tensor([0.0, 0.0])))
    [1.+0.j 2.+0.j]
    """
    size, turn = _parts(abs, angle, "polar", ("abs", "angle"))
    return complex_tensor(gen.mul(size, gen.cos(turn)), gen.mul(size, gen.sin(turn)))


@public(
    "ops.Real",
    "Tensor.real",
    "mint.real",
)
@operation
def real(input: Tensor) -> Tensor:
    """The real parts; of a real tensor, the tensor.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> print(ops.real(Tensor([1.0, -2j])))
    [1. 0.]
    """
    x = check_tensor(input, "real", "input")
    return both_parts(x)[0] if x.dtype.kind == "c" else x


@public(
    "ops.Imag",
    "Tensor.imag",
    "mint.imag",
)
@operation
def imag(input: Tensor) -> Tensor:
    """The imaginary parts: zeros for a real tensor.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> print(ops.imag(Tensor([1.0, -2j])))
    [ 0. -2.]
    """
    x = check_tensor(input, "imag", "input")
    return both_parts(x)[1] if x.dtype.kind == "c" else splat(0, x.dtype, x.shape)


@public(
    "ops.Conj",
    "Tensor.conj",
)
@operation
def conj(input: Tensor) -> Tensor:
    """The complex conjugates; of a real tensor, the tensor.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> print(ops.conj(Tensor([1.0, -2j])))
    [1.-0.j 0.+2.j]
    """
    x = check_tensor(input, "conj", "input")
    if x.dtype.kind != "c":
        return x
    a, b = both_parts(x)
    return complex_tensor(a, gen.neg(b))


@public(
    "ops.Angle",
    "Tensor.angle",
)
@operation
def angle(input: Tensor) -> Tensor:
    """The angles of complex numbers in [-pi, pi]; of real ones, 0 or pi. The derivative at 0 is 0.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> print(ops.angle(Tensor([1.0, -2j])))
    [ 0.        -1.5707964]
    """
    x = check_tensor(input, "angle", "input")
    if x.dtype.kind == "c":
        return functions.angle(both_parts(x))
    x = x if x.dtype.kind == "f" else cast_to(x, mstype.float32)
    flat = emit("cell.stop_gradient", [x])
    turned = emit(
        "cell.select", [gen.less(flat, 0.0), splat(math.pi, x.dtype, x.shape), gen.mul(flat, 0.0)]
    )
    # Infinities have an angle, NaN has none.
    return emit("cell.select", [gen.greater(flat, 0.0), splat(0, x.dtype, x.shape), turned])


@public("ops.ComplexAbs(x)")
def complex_abs(x: Tensor) -> Tensor:
    """Distances from zero: `abs` of a complex tensor.

    Raises:
        TypeError: `x` is not a complex Tensor.

    >>> print(ops.complex_abs(Tensor([3 + 4j])))
    [5.]
    """
    return gen.abs(_complex_operand(x, "complex_abs", "x"))


def _complex_operand(value: Any, op: str, argument: str) -> Tensor:
    x = check_tensor(value, op, argument)
    if x.dtype.kind == "c":
        return x
    raise error(
        TypeError,
        f"For '{op}', '{argument}' must be of complex numbers, but got {x.dtype.title}.",
        f"convert it first: {argument}.astype(ms.complex64)",
    )


@public()
@operation
def view_as_real(input: Tensor) -> Tensor:
    """Complex numbers as pairs of real ones: a tensor with a last dimension of 2 more, a copy.

    Raises:
        TypeError: `input` is not a complex Tensor.

    >>> print(ops.view_as_real(Tensor([1 + 2j, 3 - 4j])))
    [[ 1.  2.]
     [ 3. -4.]]
    """
    x = _complex_operand(input, "view_as_real", "input")
    out: Tensor = stack(both_parts(x), -1)
    return out
