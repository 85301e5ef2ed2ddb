"""Functions under MindSpore's other names whose arguments have other names, defaults or meanings."""

from __future__ import annotations

from typing import Any

from cellgrad._errors import error
from cellgrad.capture.scope import splat
from cellgrad.common import dtype as mstype
from cellgrad.common.tensor import Tensor
from cellgrad.ops import (
    _generated,
    activations,
    arrangement,
    interpolation,
    joining,
    linalg,
    reductions,
    selection,
    sorting,
)
from cellgrad.ops._core import check_tensor, is_number, operation

__all__ = [
    "adjoint",
    "arcsin",
    "conj",
    "is_complex",
    "is_floating_point",
    "is_tensor",
    "isreal",
    "log_matrix_determinant",
    "matrix_determinant",
    "real",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "relu",
    "repeat_elements",
    "row_stack",
    "soft_shrink",
    "subtract",
    "top_k",
    "true_divide",
    "type_as",
    "upsample",
]


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """``max(input, 0)``; NaN for NaN, and derivative 0 at 0. With `inplace` the input takes the result.

    Raises:
        TypeError: `input` is not a Tensor or number, or `inplace` not a bool.
    """
    if not isinstance(inplace, bool):
        raise error(
            TypeError, f"For 'relu', 'inplace' must be a bool, but got {type(inplace).__name__}."
        )
    out = _generated.relu(input)
    return check_tensor(input, "relu", "input").copy_(out) if inplace else out


def subtract(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """``input - alpha * other``.

    Raises:
        TypeError: no argument is a Tensor, or `alpha` is not a number.
    """
    if not is_number(alpha):
        raise error(
            TypeError, f"For 'subtract', 'alpha' must be a number, but got {type(alpha).__name__}."
        )
    return _generated.sub(input, other if alpha == 1 else _generated.mul(other, alpha))


def true_divide(dividend: Any, divisor: Any) -> Tensor:
    """The quotient; of integers as float32. See `ops.div`."""
    out: Tensor = selection.div(dividend, divisor)
    return out


def arcsin(x: Tensor) -> Tensor:
    """Same as `ops.asin`."""
    return _generated.asin(x)


def _extremum(function: Any, x: Tensor, axis: Any, keep_dims: bool) -> Tensor:
    out: Tensor = function(x, axis, keep_dims)
    return out


def reduce_max(x: Tensor, axis: Any = (), keep_dims: bool = False) -> Tensor:
    """Same as `ops.amax`."""
    return _extremum(reductions.amax, x, axis, keep_dims)


def reduce_min(x: Tensor, axis: Any = (), keep_dims: bool = False) -> Tensor:
    """Same as `ops.amin`."""
    return _extremum(reductions.amin, x, axis, keep_dims)


def reduce_mean(x: Tensor, axis: Any = (), keep_dims: bool = False) -> Tensor:
    """Same as `ops.mean`."""
    return _extremum(reductions.mean, x, axis, keep_dims)


def row_stack(tensors: Any) -> Tensor:
    """Same as `ops.vstack`."""
    out: Tensor = joining.vstack(tensors)
    return out


def repeat_elements(x: Tensor, rep: int, axis: int = 0) -> Tensor:
    """Each element `rep` times along a dimension; see `ops.repeat_interleave`."""
    out: Tensor = arrangement.repeat_interleave(x, rep, axis)
    return out


def soft_shrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Same as `ops.softshrink`."""
    out: Tensor = activations.softshrink(input, lambd)
    return out


def top_k(input_x: Tensor, k: int, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """The largest elements along the last dimension; see `ops.topk`."""
    out: tuple[Tensor, Tensor] = sorting.topk(input_x, k, None, True, sorted)
    return out


def upsample(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Tensor:
    """Same as `ops.interpolate`."""
    out: Tensor = interpolation.interpolate(
        input, size, scale_factor, mode, align_corners, recompute_scale_factor
    )
    return out


# --- matrices ---------------------------------------------------------------------------------


def adjoint(x: Tensor) -> Tensor:
    """Matrices transposed: tensors are real.

    Raises:
        TypeError: `x` is not a Tensor.
        ValueError: less than two dimensions.
    """
    given = check_tensor(x, "adjoint", "x")
    if given.ndim < 2:
        raise error(
            ValueError, f"For 'adjoint', 'x' must have at least 2 dimensions, but has {given.ndim}."
        )
    return given.swapaxes(-1, -2)


def matrix_determinant(input: Tensor) -> Tensor:
    """Same as `ops.det`."""
    out: Tensor = linalg.det(input)
    return out


def log_matrix_determinant(input: Tensor) -> tuple[Tensor, Tensor]:
    """Same as `ops.slogdet`."""
    out: tuple[Tensor, Tensor] = linalg.slogdet(input)
    return out


# --- kinds ------------------------------------------------------------------------------------


def type_as(input: Tensor, other: Tensor) -> Tensor:
    """The input in the dtype of another tensor.

    Raises:
        TypeError: an argument is not a Tensor.
    """
    dtype = check_tensor(other, "type_as", "other").dtype
    return check_tensor(input, "type_as", "input").astype(dtype)


def is_tensor(obj: Any) -> bool:
    """Whether an object is a Tensor."""
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are of a floating-point dtype.

    Raises:
        TypeError: `input` is not a Tensor.
    """
    return check_tensor(input, "is_floating_point", "input").dtype.kind == "f"


def is_complex(input: Tensor) -> bool:
    """False: there are no complex tensors.

    Raises:
        TypeError: `input` is not a Tensor.
    """
    return check_tensor(input, "is_complex", "input").dtype.kind == "c"


@operation
def isreal(input: Tensor) -> Tensor:
    """True for every element: tensors are real.

    Raises:
        TypeError: `input` is not a Tensor.
    """
    return splat(True, mstype.bool_, check_tensor(input, "isreal", "input").shape)


def real(input: Tensor) -> Tensor:
    """The tensor, which is real.

    Raises:
        TypeError: `input` is not a Tensor.
    """
    return check_tensor(input, "real", "input").copy()


def conj(input: Tensor) -> Tensor:
    """The tensor, which is real.

    Raises:
        TypeError: `input` is not a Tensor.
    """
    return check_tensor(input, "conj", "input").copy()
