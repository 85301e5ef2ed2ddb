"""Products, norms and statistics over dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Axis
from cellgrad.core.arguments import argument_error, check_ndim
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import (
    axes_of,
    axis_of,
    cast_to,
    check_float,
    check_tensor,
    emit,
    is_number,
    operation,
    reshape_to,
    splat,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import extrema, reductions
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public
from cellgrad.ops.linalg import singular_values
from cellgrad.ops.reductions import reduced, safe_root
from cellgrad.ops.selection import select


def _part(x: Tensor, dim: int, start: int, limit: int) -> Tensor:
    """The elements from `start` to before `limit` of a dimension."""
    starts, limits = [0] * x.ndim, list(x.shape)
    starts[dim], limits[dim] = start, limit
    return emit("cell.slice", [x], {"starts": starts, "limits": limits, "strides": [1] * x.ndim})


# --- products ---------------------------------------------------------------------------------


def product_over(x: Tensor, dim: int) -> Tensor:
    """The product over a dimension, which stays with size 1: halves are multiplied until one is
    left, so that the derivative is a product, too, and never a quotient by an element.
    """
    if x.shape[dim] == 0:
        shape = tuple(1 if i == dim else n for i, n in enumerate(x.shape))
        return splat(1, x.dtype, shape)
    while x.shape[dim] > 1:
        n = x.shape[dim]
        half = n // 2
        pairs = emit("cell.mul", [_part(x, dim, 0, half), _part(x, dim, half, 2 * half)])
        if n % 2:
            pairs = emit("cell.concat", [pairs, _part(x, dim, n - 1, n)], {"dim": dim})
        x = pairs
    return x


@public("mint.prod(input, dim=None, keepdim=False, *, dtype)")
@operation
def prod(
    input: Tensor, axis: Axis = None, keep_dims: bool = False, dtype: Type | None = None
) -> Tensor:
    """The product over `axis` (int or tuple of ints; all dimensions by default).

    Integers and bools are multiplied as int64, uint16 to uint64 in their own dtype, unless `dtype`
    says otherwise. Derivatives of every
    order are exact where elements are zero.

    Raises:
        TypeError, ValueError: `input` is not a Tensor, or `axis` is out of range.

    >>> print(ops.prod(Tensor([[1.0, 5.0], [3.0, 2.0]]), 1))
    [5. 6.]
    """
    x = check_tensor(input, "prod", "input")
    target = dtype or mstype.summed(x.dtype)
    axes = axes_of(axis, x.ndim, "prod") if x.ndim else ()
    y = cast_to(x, target)
    for dim in axes:
        y = product_over(y, dim)
    kept = tuple(n for i, n in enumerate(y.shape) if keep_dims or i not in axes)
    return reshape_to(y, kept)


# --- norms --------------------------------------------------------------------------------------


def _power_norm(x: Tensor, order: float, axes: tuple[int, ...], keep: bool) -> Tensor:
    """The root of the sum of powers of absolute values; with derivative 0 where that is 0."""
    if order == 2:
        return safe_root(reduced("cell.reduce_sum", emit("cell.square", [x]), axes, keep))
    size = emit("cell.abs", [x])
    if order == 1:
        return reduced("cell.reduce_sum", size, axes, keep)
    if order == 0:
        return reduced("cell.reduce_sum", cast_to(_nonzero(x), x.dtype), axes, keep)
    if math.isinf(order):
        return reduced("cell.reduce_max" if order > 0 else "cell.reduce_min", size, axes, keep)
    # Zeros are kept from the powers, whose derivatives may be infinite there.
    absent = ew.compare("cell.equal", size, 0)
    powers = ew.power(select(absent, 1, size), order)
    of_zero = 0 if order > 0 else math.inf
    total = reduced("cell.reduce_sum", select(absent, of_zero, powers), axes, keep)
    none = ew.compare("cell.equal", total, 0)
    return select(none, total, ew.power(select(none, 1, total), 1 / order))


def _nonzero(x: Tensor) -> Tensor:
    return ew.compare("cell.not_equal", x, 0)


def _of_singular_values(x: Tensor, order: Any, axes: tuple[int, int]) -> Tensor:
    """Their sum for 'nuc', otherwise the largest or the smallest."""
    others = [i for i in range(x.ndim) if i not in axes]
    s = singular_values(emit("cell.transpose", [x], {"perm": [*others, *axes]}))
    kind = "sum" if order == "nuc" else "max" if order == 2 else "min"
    return emit(f"cell.reduce_{kind}", [s], {"dims": [s.ndim - 1]})


def _matrix_norm(x: Tensor, order: Any, axes: tuple[int, int], keep: bool, op: str) -> Tensor:
    """A norm of matrices in two dimensions, rows first."""
    if order == "fro":
        return _power_norm(x, 2, tuple(sorted(axes)), keep)
    if order in ("nuc", 2, -2):
        out = _of_singular_values(x, order, axes)
        kept = tuple(1 if i in axes else n for i, n in enumerate(x.shape))
        return reshape_to(out, kept) if keep else out
    if not is_number(order) or abs(order) not in (1, math.inf):
        raise error(
            ValueError,
            f"For '{op}', the ord mode must be in [2, -2, 1, -1, float('inf'), -float('inf'), "
            f"'fro', 'nuc', None] for matrices, but got {order}.",
        )
    rows, columns = axes
    first, second = (rows, columns) if abs(order) == 1 else (columns, rows)
    sums = reduced("cell.reduce_sum", emit("cell.abs", [x]), (first,), True)
    extremum = "cell.reduce_max" if order > 0 else "cell.reduce_min"
    out = reduced(extremum, sums, (second,), True)
    if keep:
        return out
    return reshape_to(out, tuple(n for i, n in enumerate(out.shape) if i not in axes))


def _spectral(order: Any, dtype: Type) -> Type:
    """The dtype of a norm of matrices of `dtype`: of float16 those by singular values are float32."""
    single = dtype is mstype.float16 and order in ("nuc", 2, -2)
    return mstype.float32 if single else dtype


def _order_of_vectors(order: Any, op: str) -> float:
    if not is_number(order) or isinstance(order, bool):
        raise error(
            ValueError,
            f"For '{op}', the ord mode must be a number for vectors, but got {order!r}.",
        )
    return float(order)


def _norm_input(x: Any, dtype: Type | None, op: str, name: str) -> tuple[Tensor, Type]:
    """What to compute with, and the dtype of the result."""
    given = check_float(x, op, name)
    target = dtype or given.dtype
    if target.kind != "f":
        raise argument_error(ValueError, op, "dtype", "a float type", target)
    wide = cast_to(given, target)
    return (cast_to(wide, mstype.float32) if target.itemsize == 2 else wide), target


@public(
    "Tensor.norm",
    "mint.linalg.norm",
    "ops.NuclearNorm(dim=None, keepdim=False)(x) = ops.norm(x, 'nuc', dim, keepdim)",
)
@operation
def norm(
    A: Tensor,
    ord: float | str | None = None,
    dim: Axis = None,
    keepdim: bool = False,
    *,
    dtype: Type | None = None,
) -> Tensor:
    """Norms of vectors or matrices; derivatives of norms of zero vectors are zero.

    Args:
        A: floating point (integers are converted to float32).
        ord: for vectors a number: ``sum(abs(A)**ord)**(1/ord)``, the number of elements that are
            not zero for 0, the extreme absolute values for ±inf. For matrices 'fro', ±1 (sums of
            columns), ±inf (sums of rows), 'nuc' (the sum of the singular values), 2 or -2 (the
            largest or smallest one). None: the square root of the sum of all squares.
        dim: an int for vectors, a tuple of two ints for matrices (with `ord`), None for all of a
            tensor, which then has at most two dimensions if `ord` is given.
        keepdim: whether dimensions stay with size 1.
        dtype: the dtype to compute in.

    Raises:
        TypeError: `A` is not a Tensor.
        ValueError: `ord` or `dim` do not fit.

    >>> print(ops.norm(Tensor([3.0, 4.0])))
    5.0

    >>> print(ops.NuclearNorm()(Tensor([[0.0, 2.0], [3.0, 0.0]])))
    5.0
    """
    x, target = _norm_input(A, dtype, "norm", "A")
    if ord is None or (dim is None and x.ndim == 0):
        axes = axes_of(dim, x.ndim, "norm") if x.ndim else ()
        return cast_to(_power_norm(x, 2, axes, keepdim), target)
    if dim is None:
        if x.ndim > 2:
            raise error(
                ValueError,
                f"For 'norm', a tensor of {x.ndim} dimensions needs 'dim' where 'ord' is given.",
            )
        dim = 0 if x.ndim == 1 else (0, 1)
    if not isinstance(dim, tuple | list) or len(dim) == 1:
        axes = axes_of(dim, x.ndim, "norm")
        order = _order_of_vectors(ord, "norm")
        return cast_to(_power_norm(x, order, axes, keepdim), target)
    pair = pair_of_axes(dim, x, "norm")
    target = target if dtype else _spectral(ord, target)
    return cast_to(_matrix_norm(x, ord, pair, keepdim, "norm"), target)


def pair_of_axes(dim: Any, x: Tensor, op: str) -> tuple[int, int]:
    listed = [axis_of(d, x.ndim, op) for d in dim]
    if len(listed) != 2 or listed[0] == listed[1]:
        raise error(
            ValueError, f"For '{op}', a matrix is in two different dimensions, but got {dim}."
        )
    return listed[0], listed[1]


@public(
    "mint.linalg.vector_norm(x, ord, dim=None, keepdim=False, *, dtype)",
    "mint.norm(input, p='fro', dim=None, keepdim=False, *, dtype) = "
    "ops.norm(input, p, dim, keepdim, dtype=dtype) if p == 'nuc' else "
    "ops.vector_norm(input, 2 if p == 'fro' else p, dim, keepdim, dtype=dtype)",
)
@operation
def vector_norm(
    x: Tensor,
    ord: float | str | None = 2,
    axis: Axis = None,
    keepdims: bool = False,
    *,
    dtype: Type | None = None,
) -> Tensor:
    """Norms of vectors in `axis` (int or tuple; all dimensions by default); see `norm`.

    Raises:
        TypeError, ValueError: as `norm`.

    >>> print(ops.vector_norm(Tensor([3.0, 4.0])))
    5.0
    """
    y, target = _norm_input(x, dtype, "vector_norm", "x")
    axes = axes_of(axis, y.ndim, "vector_norm") if y.ndim else ()
    order = _order_of_vectors(ord, "vector_norm")
    return cast_to(_power_norm(y, order, axes, keepdims), target)


@public("mint.linalg.matrix_norm(A, ord, dim=(-2, -1), keepdim=False, *, dtype)")
@operation
def matrix_norm(
    A: Tensor,
    ord: float | str | None = "fro",
    axis: Axis = (-2, -1),
    keepdims: bool = False,
    *,
    dtype: Type | None = None,
) -> Tensor:
    """Norms of matrices in two dimensions; see `norm`.

    Raises:
        TypeError, ValueError: as `norm`.

    >>> print(ops.matrix_norm(Tensor([[3.0, 0.0], [0.0, 4.0]])))
    5.0
    """
    x, target = _norm_input(A, dtype, "matrix_norm", "A")
    check_ndim(x, "matrix_norm", "input", at_least=2)
    pair = pair_of_axes(axis, x, "matrix_norm")
    target = target if dtype else _spectral(ord, target)
    return cast_to(_matrix_norm(x, ord, pair, keepdims, "matrix_norm"), target)


@public()
@operation
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The `p`-norm of the difference of two tensors, broadcast.

    Raises:
        TypeError: an argument is not a Tensor.
        ValueError: the shapes do not broadcast, or `p` is not a number.

    >>> print(ops.dist(Tensor([0.0, 0.0]), Tensor([3.0, 4.0])))
    5.0
    """
    difference = ew.binary(
        "cell.sub", check_float(input, "dist", "input"), check_float(other, "dist", "other")
    )
    axes = tuple(range(difference.ndim))
    return _power_norm(difference, _order_of_vectors(p, "dist"), axes, False)


# --- moments and counts -------------------------------------------------------------------------


@public(
    "ops.ReduceStd(axis=(), unbiased=True, keep_dims=False)(x) = "
    "ops.std_mean(x, axis, int(unbiased), keep_dims)",
    "mint.std_mean(input, dim=None, *, correction=1, keepdim=False)",
)
@operation
def std_mean(
    input: Tensor, axis: Axis = None, ddof: int = 0, keepdims: bool = False
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean over `axis`; see `std`.

    >>> std, mean = ops.std_mean(Tensor([1.0, 3.0]))
    >>> print(std, mean)
    1.0 2.0

    >>> std, mean = ops.ReduceStd(axis=1)(Tensor([[1.0, 2.0, 3.0]]))
    >>> print(std, mean)
    [1.] [2.]

    >>> std, mean = mint.std_mean(Tensor([1.0, 2.0, 3.0]))
    >>> print(std, mean)
    1.0 2.0
    """
    x = check_float(input, "std_mean", "input")
    return reductions.std(x, axis, ddof, keepdims), reductions.mean(x, axis, keepdims)


@public("mint.var_mean(input, dim=None, *, correction=1, keepdim=False)")
@operation
def var_mean(
    input: Tensor, axis: Axis = None, ddof: int = 0, keepdims: bool = False
) -> tuple[Tensor, Tensor]:
    """The variance and the mean over `axis`; see `var`.

    >>> var, mean = ops.var_mean(Tensor([1.0, 3.0]))
    >>> print(var, mean)
    1.0 2.0

    >>> var, mean = mint.var_mean(Tensor([1.0, 2.0, 3.0]))
    >>> print(var, mean)
    1.0 2.0
    """
    x = check_float(input, "var_mean", "input")
    return reductions.var(x, axis, ddof, keepdims), reductions.mean(x, axis, keepdims)


def _without_nan(x: Tensor) -> Tensor:
    return x if x.dtype.kind != "f" else select(ew.predicate("cell.is_nan", x), 0, x)


@public("mint.nansum(input, dim=None, keepdim=False, *, dtype)")
@operation
def nansum(
    input: Tensor, axis: Axis = None, keepdims: bool = False, *, dtype: Type | None = None
) -> Tensor:
    """The sum over `axis` (all dimensions by default) of the elements that are not NaN,
    in their dtype, or cast to `dtype`.

    Raises:
        TypeError, ValueError: `input` is not a Tensor, or `axis` is out of range.

    >>> print(ops.nansum(Tensor([1.0, float("nan"), 3.0])))
    4.0
    """
    x = check_tensor(input, "nansum", "input")
    if dtype is None and x.dtype.kind != "b":
        dtype = x.dtype
    kind = x.dtype if dtype is not None and dtype.kind in "biu" and x.dtype.kind == "f" else dtype
    out: Tensor = reductions.sum(_without_nan(x), axis, keepdims, dtype=kind)
    return out if dtype is None or dtype is kind else cast_to(out, dtype)


@public("Tensor.nanmean")
@operation
def nanmean(
    input: Tensor, axis: Axis = None, keepdims: bool = False, *, dtype: Type | None = None
) -> Tensor:
    """The mean over `axis` (all dimensions by default) of the elements that are not NaN; NaN where
    there is none.

    Raises:
        TypeError, ValueError: `input` is not a Tensor, or `axis` is out of range.

    >>> print(ops.nanmean(Tensor([1.0, float("nan"), 3.0])))
    2.0
    """
    x = check_float(input, "nanmean", "input")
    there = ew.logical("cell.logical_not", ew.predicate("cell.is_nan", x))
    wide = mstype.float32 if x.dtype.itemsize == 2 else x.dtype
    count = reductions.sum(cast_to(there, wide), axis, keepdims)
    total = reductions.sum(cast_to(_without_nan(x), wide), axis, keepdims)
    return cast_to(ew.binary("cell.div", total, count, True), dtype or x.dtype)


@public(
    "ops.CountNonZero(dims=None)(x) = ops.count_nonzero(x, () if dims is None else dims)",
    "mint.count_nonzero(input, dim=None) = "
    "ops.count_nonzero(input, () if dim is None else dim).astype(mstype.int64)",
)
@operation
def count_nonzero(
    x: Tensor, axis: Axis = (), keep_dims: bool = False, dtype: Type = mstype.int32
) -> Tensor:
    """How many elements over `axis` (all dimensions by default) are not zero.

    Raises:
        TypeError, ValueError: `x` is not a Tensor, or `axis` is out of range.

    >>> print(ops.count_nonzero(Tensor([[0, 1], [2, 3]]), 1))
    [1 2]

    >>> print(ops.CountNonZero(1)(Tensor([[0, 1], [2, 3]])))
    [1 2]
    """
    given = check_tensor(x, "count_nonzero", "x")
    truths = given if given.dtype.kind == "b" else _nonzero(given)
    return cast_to(reductions.sum(cast_to(truths, mstype.int32), axis, keep_dims), dtype)


@public("Tensor.aminmax")
@operation
def aminmax(input: Tensor, *, axis: Axis = 0, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """The smallest and the largest elements over `axis`.

    Along one axis the first of several gets the whole derivative, as in `min` and `max`; else all of them have
    equal parts, as in `amin` and `amax`.

    >>> low, high = ops.aminmax(Tensor([3.0, 1.0, 2.0]))
    >>> print(low, high)
    1.0 3.0
    """
    if isinstance(axis, Sequence):
        return reductions.amin(input, axis, keepdims), reductions.amax(input, axis, keepdims)
    return extrema.min(input, axis, keepdims)[0], extrema.max(input, axis, keepdims)[0]


# --- classes ------------------------------------------------------------------------------------


@public()
class ReduceProd(Primitive):
    """The class form of `prod`, in which integers keep their dtype.

    >>> print(ops.ReduceProd()(Tensor([[1.0, 5.0], [3.0, 2.0]]), 1))
    [5. 6.]
    """

    def __init__(self, keep_dims: bool = False):
        super().__init__()
        self.keep_dims = keep_dims

    def __call__(self, x: Tensor, axis: Axis = ()) -> Tensor:
        dtype = x.dtype if isinstance(x, Tensor) and x.dtype.kind != "b" else None
        out: Tensor = prod(x, axis, self.keep_dims, dtype)
        return out
