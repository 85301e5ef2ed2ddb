"""Functions under MindSpore's other names whose arguments have other names, defaults or meanings."""

from __future__ import annotations

from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor, is_number, operation, splat
from cellgrad.core.tensor import Tensor
from cellgrad.ops import (
    _generated,
    activations,
    arrangement,
    determinants,
    interpolation,
    joining,
    reductions,
    selection,
    sorting,
)

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

    >>> print(ops.relu(Tensor([-1.0, 0.0, 2.0])))
    [0. 0. 2.]
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

    >>> print(ops.subtract(Tensor([5.0, 6.0]), Tensor([1.0, 2.0]), alpha=2))
    [3. 2.]
    """
    if not is_number(alpha):
        raise error(
            TypeError, f"For 'subtract', 'alpha' must be a number, but got {type(alpha).__name__}."
        )
    return _generated.sub(input, other if alpha == 1 else _generated.mul(other, alpha))


def true_divide(dividend: Any, divisor: Any) -> Tensor:
    """The quotient; of integers as float32. See `ops.div`.

    >>> print(ops.true_divide(Tensor([1, 3]), Tensor([2, 2])))
    [0.5 1.5]
    """
    out: Tensor = selection.div(dividend, divisor)
    return out


def arcsin(x: Tensor) -> Tensor:
    """Same as `ops.asin`.

    >>> print(ops.arcsin(Tensor([0.0, 0.5, 1.0])))
    [0.        0.5235988 1.5707964]
    """
    return _generated.asin(x)


def _extremum(function: Any, x: Tensor, axis: Any, keep_dims: bool) -> Tensor:
    out: Tensor = function(x, axis, keep_dims)
    return out


def reduce_max(x: Tensor, axis: Any = (), keep_dims: bool = False) -> Tensor:
    """Same as `ops.amax`.

    >>> print(ops.reduce_max(Tensor([[1.0, 5.0], [3.0, 2.0]]), 1))
    [5. 3.]
    """
    return _extremum(reductions.amax, x, axis, keep_dims)


def reduce_min(x: Tensor, axis: Any = (), keep_dims: bool = False) -> Tensor:
    """Same as `ops.amin`.

    >>> print(ops.reduce_min(Tensor([[1.0, 5.0], [3.0, 2.0]]), 1))
    [1. 2.]
    """
    return _extremum(reductions.amin, x, axis, keep_dims)


def reduce_mean(x: Tensor, axis: Any = (), keep_dims: bool = False) -> Tensor:
    """Same as `ops.mean`.

    >>> print(ops.reduce_mean(Tensor([[1.0, 5.0], [3.0, 2.0]]), 0))
    [2.  3.5]
    """
    return _extremum(reductions.mean, x, axis, keep_dims)


def row_stack(tensors: Any) -> Tensor:
    """Same as `ops.vstack`.

    >>> print(ops.row_stack([Tensor([1, 2]), Tensor([[3, 4]])]))
    [[1 2]
     [3 4]]
    """
    out: Tensor = joining.vstack(tensors)
    return out


def repeat_elements(x: Tensor, rep: int, axis: int = 0) -> Tensor:
    """Each element `rep` times along a dimension; see `ops.repeat_interleave`.

    >>> print(ops.repeat_elements(Tensor([[1, 2], [3, 4]]), 2, axis=1))
    [[1 1 2 2]
     [3 3 4 4]]
    """
    out: Tensor = arrangement.repeat_interleave(x, rep, axis)
    return out


def soft_shrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Same as `ops.softshrink`.

    >>> print(ops.soft_shrink(Tensor([-1.0, 0.25, 2.0])))
    [-0.5  0.   1.5]
    """
    out: Tensor = activations.softshrink(input, lambd)
    return out


def top_k(input_x: Tensor, k: int, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """The largest elements along the last dimension; see `ops.topk`.

    >>> values, indices = ops.top_k(Tensor([1.0, 4.0, 2.0, 3.0]), 2)
    >>> print(values, indices)
    [4. 3.] [1 3]
    """
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
    """Same as `ops.interpolate`.

    >>> print(ops.upsample(Tensor([[[[1.0, 2.0]]]]), size=(2, 4)))
    [[[[1. 1. 2. 2.]
       [1. 1. 2. 2.]]]]
    """
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

    >>> print(ops.adjoint(Tensor([[1.0, 2.0], [3.0, 4.0]])))
    [[1. 3.]
     [2. 4.]]
    """
    given = check_tensor(x, "adjoint", "x")
    if given.ndim < 2:
        raise error(
            ValueError, f"For 'adjoint', 'x' must have at least 2 dimensions, but has {given.ndim}."
        )
    return given.swapaxes(-1, -2)


def matrix_determinant(input: Tensor) -> Tensor:
    """Same as `ops.det`.

    >>> print(ops.matrix_determinant(Tensor([[2.0, 1.0], [1.0, 2.0]])))
    3.0
    """
    out: Tensor = determinants.det(input)
    return out


def log_matrix_determinant(input: Tensor) -> tuple[Tensor, Tensor]:
    """Same as `ops.slogdet`.

    >>> sign, log = ops.log_matrix_determinant(Tensor([[2.0, 0.0], [0.0, -4.0]]))
    >>> print(sign, log)
    -1.0 2.0794415
    """
    out: tuple[Tensor, Tensor] = determinants.slogdet(input)
    return out


# --- kinds ------------------------------------------------------------------------------------


def type_as(input: Tensor, other: Tensor) -> Tensor:
    """The input in the dtype of another tensor.

    Raises:
        TypeError: an argument is not a Tensor.

    >>> print(ops.type_as(Tensor([1.5, 2.5]), Tensor([0])))
    [1 2]
    """
    dtype = check_tensor(other, "type_as", "other").dtype
    return check_tensor(input, "type_as", "input").astype(dtype)


def is_tensor(obj: Any) -> bool:
    """Whether an object is a Tensor.

    >>> ops.is_tensor(Tensor([1.0])), ops.is_tensor([1.0])
    (True, False)
    """
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are of a floating-point dtype.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> ops.is_floating_point(Tensor([1.0])), ops.is_floating_point(Tensor([1]))
    (True, False)
    """
    return check_tensor(input, "is_floating_point", "input").dtype.kind == "f"


def is_complex(input: Tensor) -> bool:
    """False: there are no complex tensors.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> ops.is_complex(Tensor([1.0]))
    False
    """
    return check_tensor(input, "is_complex", "input").dtype.kind == "c"


@operation
def isreal(input: Tensor) -> Tensor:
    """True for every element: tensors are real.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> print(ops.isreal(Tensor([1.0, -2.0])))
    [ True  True]
    """
    return splat(True, mstype.bool_, check_tensor(input, "isreal", "input").shape)


def real(input: Tensor) -> Tensor:
    """The tensor, which is real.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> print(ops.real(Tensor([1.0, -2.0])))
    [ 1. -2.]
    """
    return check_tensor(input, "real", "input").copy()


def conj(input: Tensor) -> Tensor:
    """The tensor, which is real.

    Raises:
        TypeError: `input` is not a Tensor.

    >>> print(ops.conj(Tensor([1.0, -2.0])))
    [ 1. -2.]
    """
    return check_tensor(input, "conj", "input").copy()
