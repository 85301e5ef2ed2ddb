"""Arguments of functions of ``numpy``: arrays from numbers and lists, dtypes, axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, DTypeLike
from cellgrad.core.arguments import argument_error, check_dtype, check_int
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import as_tensor, check_tensor, is_number
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import elements

Array = Tensor | bool | int | float | list[Any] | tuple[Any, ...]
_HALF = (mstype.bool_, mstype.int8, mstype.uint8)


# --- arrays -------------------------------------------------------------------------------------


def array(value: ArrayLike, op: str = "numpy", argument: str = "x", wide: bool = False) -> Tensor:
    """A Tensor from a Tensor, array, number, or nested lists of them.

    Numbers become int32 and, by default, float32, unless `wide`.

    Raises:
        TypeError: anything else, such as a str.
        ValueError: nested lists of different lengths.
    """
    if isinstance(value, Tensor):
        return value
    if isinstance(value, np.ndarray):
        return Tensor(value)
    if is_number(value):
        made = as_tensor(value, op)
    elif isinstance(value, list | tuple):
        made = _from_list(value, op, argument)
    else:
        kinds = "a Tensor, number, list or tuple"
        raise argument_error(TypeError, op, argument, kinds, value)
    return made if wide else _narrow(made)


def _narrow(x: Tensor) -> Tensor:
    """Numbers and lists as int32, and in the default dtype of floats."""
    to = {mstype.float64: mstype.default_float(), mstype.int64: mstype.int32}
    out: Tensor = ops.cast(x, to.get(x.dtype, x.dtype))
    return out


def _from_list(values: Sequence[Any], op: str, argument: str) -> Tensor:
    if _holds_tensor(values):
        parts = [array(v, op, argument) for v in values]
        return stacked(parts, 0, op)
    try:
        made = np.asarray(values)
    except ValueError:
        made = np.asarray(None)
    if made.dtype.kind == "O":
        raise error(ValueError, f"For '{op}', the lists in '{argument}' must have one length.")
    if made.dtype.kind not in "biuf":
        raise argument_error(TypeError, op, argument, "lists of numbers", values)
    return Tensor(made)


def _holds_tensor(values: Any) -> bool:
    if isinstance(values, list | tuple):
        return any(_holds_tensor(v) for v in values)
    return isinstance(values, Tensor)


def beside(x: ArrayLike, other: ArrayLike, op: str = "numpy") -> Tensor:
    """An operand as a Tensor; a number beside a Tensor of float64 keeps all its digits."""
    made = array(x, op)
    if made.dtype is mstype.float32 and is_number(x) and isinstance(other, Tensor):
        return as_tensor(x, op, mstype.float64) if other.dtype is mstype.float64 else made
    return made


def like(x: ArrayLike, other: ArrayLike, op: str = "numpy") -> Tensor:
    """An operand in the dtype that both can have."""
    made = beside(x, other, op)
    out: Tensor = ops.cast(made, mstype.promote(made.dtype, beside(other, x, op).dtype))
    return out


def float_like(x: ArrayLike, other: ArrayLike, *, of_int64: Type = mstype.float32) -> Tensor:
    """An operand in the floating-point dtype that both can have; `of_int64` if that is of int64."""
    out = like(x, other)
    return ops.cast(out, of_int64) if out.dtype is mstype.int64 else floating(out)


def only(x: ArrayLike, op: str, argument: str = "x") -> Tensor:
    """The argument, which must be a Tensor.

    Raises:
        TypeError: another object.
    """
    return check_tensor(x, op, argument)


def of_one_dtype(arrays: Sequence[Tensor]) -> list[Tensor]:
    """Tensors in the dtype that all of them can have."""
    dtype = arrays[0].dtype
    for x in arrays:
        dtype = mstype.promote(dtype, x.dtype)
    return [ops.cast(x, dtype) for x in arrays]


def stacked(arrays: Sequence[Tensor], axis: int, op: str) -> Tensor:
    """Tensors of one shape along a new dimension."""
    if any(x.shape != arrays[0].shape for x in arrays):
        shapes = [x.shape for x in arrays]
        raise error(ValueError, f"For '{op}', all arrays must have one shape, but got {shapes}.")
    out: Tensor = ops.stack(of_one_dtype(arrays), axis)
    return out


# --- dtypes -------------------------------------------------------------------------------------


def dtype_of(dtype: DTypeLike, op: str = "numpy") -> Type:
    """A dtype from a dtype, its name, or a class of Python: int is int32, float is float32.

    Raises:
        TypeError: anything else.
    """
    if dtype in (int, "int"):
        return mstype.int32
    if dtype in (float, "float"):
        return mstype.float32
    found = mstype.coerce(dtype)
    if found is None and isinstance(dtype, str):  # numpy's short names: "i2"
        try:
            found = mstype.from_numpy(np.dtype(dtype))
        except TypeError:
            found = None
    if found is None or not found.kind:
        raise argument_error(TypeError, op, "dtype", "a dtype, or the name of one", dtype)
    return found


def cast(x: Tensor, dtype: DTypeLike | None) -> Tensor:
    """The result in a dtype, if one is given."""
    return x if dtype is None else ops.cast(x, dtype_of(dtype))


def is_float(x: Tensor) -> bool:
    """Whether it has floating-point numbers, complex ones included: no cast may take their imaginary parts."""
    return x.dtype.kind in "fc"


def floating(x: ArrayLike) -> Tensor:
    """Floats and complex numbers as they are, others in the default dtype: float32."""
    made = array(x)
    return made if is_float(made) else ops.cast(made, mstype.default_float())


def single(x: ArrayLike) -> Tensor:
    """Everything but float64 and complex numbers in the default dtype: float32."""
    made = array(x)
    wide = made.dtype is mstype.float64 or made.dtype.kind == "c"
    return made if wide else ops.cast(made, mstype.default_float())


def angle(x: ArrayLike, argument: str = "x") -> Tensor:
    """The argument of a trigonometric function: integers of one byte and bools become float16,
    wider ones float32.

    Raises:
        TypeError: no Tensor.
    """
    given = check_tensor(x, "numpy", argument)
    if is_float(given):
        return given
    return ops.cast(given, mstype.float16 if given.dtype in _HALF else mstype.float32)


def number(x: ArrayLike) -> Tensor:
    """Bools as int32, others as they are."""
    made = array(x)
    return ops.cast(made, mstype.int32) if made.dtype is mstype.bool_ else made


def whole(x: ArrayLike) -> Tensor:
    """Integers.

    Raises:
        TypeError: others.
    """
    return check_dtype(array(x), "numpy", "x", "iu")


def real(x: ArrayLike, op: str, argument: str) -> Tensor:
    """Bools, integers and floats.

    Raises:
        TypeError: complex numbers.
    """
    return check_dtype(array(x, op, argument), op, argument, "biuf")


def restored(out: Tensor, x: ArrayLike) -> Tensor:
    """A result in the dtype that the argument had."""
    return ops.cast(out, array(x).dtype)


# --- axes ---------------------------------------------------------------------------------------


def axis_of(axis: Any, ndim: int, op: str, argument: str = "axis") -> int:
    """One axis, counted from the start.

    Raises:
        TypeError: no int.
        ValueError: out of range.
    """
    return check_int(axis, op, argument, at_least=-ndim, below=ndim) % max(ndim, 1)


def axes_of(axis: Any, ndim: int, op: str) -> tuple[int, ...]:
    """Axes from an int, a tuple or list of ints, or None for all; in the order given.

    Raises:
        TypeError: no ints.
        ValueError: out of range, or one of them twice.
    """
    if axis is None:
        return tuple(range(ndim))
    found = [axis_of(a, ndim, op) for a in (axis if isinstance(axis, tuple | list) else (axis,))]
    if len(set(found)) < len(found):
        raise error(ValueError, f"For '{op}', the axis {axis} names a dimension twice.")
    return tuple(found)


def shape_of(shape: Any, op: str) -> tuple[int, ...]:
    """A shape from an int, a tuple or list of ints, or a tensor of them.

    Raises:
        TypeError: anything else.
        ValueError: a negative length.
    """
    if isinstance(shape, Tensor):
        shape = elements(shape, f"'shape' of {op}").tolist()
    listed = shape if isinstance(shape, tuple | list) else (shape,)
    return tuple(check_int(n, op, "shape", at_least=0) for n in listed)


def broadcast_shape(op: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The common shape.

    Raises:
        ValueError: there is none.
    """
    try:
        return tuple(np.broadcast_shapes(*shapes))
    except ValueError:
        raise error(ValueError, f"For '{op}', the shapes {shapes} do not broadcast.") from None


def seen_as(x: Tensor, ndim: int) -> Tensor:
    """The array with dimensions of 1 in front, so that there are at least `ndim`."""
    out: Tensor = ops.reshape(x, (1,) * (ndim - x.ndim) + x.shape)
    return out


def unsupported(op: str, what: str, hint: str) -> Exception:
    """The error of what MindSpore has not implemented either; `hint` says what to do."""
    return error(NotImplementedError, f"For '{op}', {what} is not implemented.", hint)
