"""Sums, means, extrema and the like, of all elements or along dimensions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, Axis, DTypeLike, TensorLike, TensorOrTensors
from cellgrad.core.arguments import argument_error, check_dtype, check_int
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import fresh, is_number, operation
from cellgrad.core.tensor import Tensor
from cellgrad.numpy import _helpers as hn
from cellgrad.numpy.logic import where as select
from cellgrad.ops.reductions import safe_root

__all__ = [
    "amax",
    "amin",
    "argmax",
    "argmin",
    "average",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "max",
    "mean",
    "min",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanstd",
    "nansum",
    "nanvar",
    "norm",
    "ptp",
    "sometrue",
    "std",
    "sum",
    "var",
]

_deviation = operation(safe_root)


def _numbers(a: Any, op: str) -> Tensor:
    """An array that is not of bools, of which MindSpore has no extrema, means and deviations."""
    return check_dtype(hn.array(a, op, "a"), op, "a", "iuf")


def sum(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    initial: TensorLike | None = None,
) -> Tensor:
    """The sum, plus `initial`; that of integers is int64, but of uint16 to uint64 in their own dtype. With a
    `dtype` of integers each element is converted, as in numpy.

    Raises:
        ValueError: an axis out of range.

    >>> print(numpy.sum(Tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [4. 6.]
    """
    x = hn.array(a, "sum", "a")
    if dtype is not None and hn.dtype_of(dtype, "sum").kind in "iu":
        x = hn.cast(x, dtype)
    axes = hn.axes_of(axis, x.ndim, "sum")
    wide = x if hn.is_float(x) else ops.cast(x, mstype.summed(x.dtype))
    out = ops.sum(wide, axes, keepdims) if axes else fresh(wide)
    return hn.cast(out if initial is None else ops.add(out, initial), dtype)  # type: ignore[no-any-return]


def _mean(x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    return ops.mean(x, axes, keepdims) if axes else fresh(x)


def mean(
    a: ArrayLike, axis: Axis = None, keepdims: bool = False, dtype: DTypeLike | None = None
) -> Tensor:
    """The mean, in the dtype of the array: that of integers is rounded towards 0.

    Raises:
        TypeError: bools.
        ValueError: an axis out of range.

    >>> print(numpy.mean(Tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [2. 3.]
    """
    x = _numbers(a, "mean")
    out = _mean(hn.floating(x), hn.axes_of(axis, x.ndim, "mean"), keepdims)
    return hn.cast(out, dtype or x.dtype)  # type: ignore[no-any-return]


def _var(x: Tensor, axes: tuple[int, ...], ddof: int, keepdims: bool) -> Tensor:
    apart = ops.sub(x, _mean(x, axes, True))
    apart = ops.real(ops.mul(apart, ops.conj(apart))) if x.dtype.kind == "c" else ops.square(apart)
    count = functools.reduce(lambda n, d: n * x.shape[d], axes, 1)
    total = ops.sum(apart, axes, keepdims) if axes else apart
    return ops.div(total, count - ddof if count > ddof else 0)


def var(x: ArrayLike, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The variance, by the number of elements less `ddof`; that of integers is float32, and that of complex numbers the
    mean square of their distances from the mean.

    Raises:
        TypeError: bools.
        ValueError: an axis out of range.

    >>> print(numpy.var(Tensor([[1.0, 2.0], [3.0, 5.0]]), axis=0))
    [1.   2.25]
    """
    given = hn.floating(check_dtype(hn.array(x, "var", "x"), "var", "x", "iufc"))
    return _var(
        given, hn.axes_of(axis, given.ndim, "var"), check_int(ddof, "var", "ddof"), keepdims
    )


def std(x: ArrayLike, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The standard deviation: the root of `var`, with derivative 0 where all elements are equal.

    Raises:
        TypeError: bools.
        ValueError: an axis out of range.

    >>> print(numpy.std(Tensor([[1.0, 2.0], [3.0, 5.0]]), axis=0))
    [1.  1.5]
    """
    return _deviation(var(x, axis, ddof, keepdims))


def average(
    x: Tensor, axis: Axis = None, weights: ArrayLike | None = None, returned: bool = False
) -> TensorOrTensors:
    """The mean, or the sum of `weights` times the elements over the sum of the weights, which is the
    second result if `returned` is True.

    Raises:
        TypeError: no Tensor, or weights of another shape without an axis.
        ValueError: an axis out of range.

    >>> print(numpy.average(Tensor([1.0, 2.0, 4.0]), weights=Tensor([1.0, 1.0, 2.0])))
    2.75
    """
    given = hn.only(x, "average")
    axes = hn.axes_of(axis, given.ndim, "average")
    if weights is None:
        out = mean(given, axis)
        count = functools.reduce(lambda n, d: n * given.shape[d], axes, 1)
        total = ops.full_like(out, count)
    else:
        w = hn.only(weights, "average", "weights")
        if w.shape != given.shape:
            if w.ndim != 1 or not is_number(axis):
                raise argument_error(
                    TypeError, "average", "axis", "an int beside weights of another shape", axis
                )
            w = ops.reshape(w, tuple(-1 if d == axes[0] else 1 for d in range(given.ndim)))
        total = ops.sum(w, axes)
        out = ops.div(ops.sum(ops.mul(given, w), axes), total)
    return (out, ops.broadcast_to(total, out.shape)) if returned else out


# --- extrema ------------------------------------------------------------------------------------


def _extremum(a: Any, axis: Any, keepdims: bool, initial: Any, where: Any, op: str) -> Tensor:
    x = _numbers(hn.only(a, op, "a"), op)
    axes = hn.axes_of(axis, x.ndim, op)
    if isinstance(where, Tensor):
        if initial is None:
            raise error(ValueError, f"For '{op}', 'where' needs an 'initial' value.")
        x = ops.cast(select(where, x, initial), x.dtype)
    high = op in ("amax", "max")
    if initial is not None:
        if not is_number(initial) and not (isinstance(initial, Tensor) and initial.ndim == 0):
            raise argument_error(TypeError, op, "initial", "a number", initial)
        x = (ops.maximum if high else ops.minimum)(x, ops.full_like(x, initial))
    return ((ops.amax if high else ops.amin)(x, axes, keepdims)) if axes else fresh(x)


def amax(
    a: Tensor,
    axis: Axis = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> Tensor:
    """The maximum of the elements where `where` is True, and of `initial`.

    Raises:
        TypeError: no Tensor, or bools.
        ValueError: an axis out of range, `where` without `initial`.

    >>> print(numpy.amax(Tensor([[1.0, 2.0], [3.0, 0.0]]), axis=0))
    [3. 2.]
    """
    return _extremum(a, axis, keepdims, initial, where, "amax")


def amin(
    a: Tensor,
    axis: Axis = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike = True,
) -> Tensor:
    """The minimum of the elements where `where` is True, and of `initial`.

    Raises:
        TypeError: no Tensor, or bools.
        ValueError: an axis out of range, `where` without `initial`.

    >>> print(numpy.amin(Tensor([[1.0, 2.0], [3.0, 0.0]]), axis=0))
    [1. 0.]
    """
    return _extremum(a, axis, keepdims, initial, where, "amin")


max = amax
min = amin


def ptp(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The maximum less the minimum.

    Raises:
        TypeError: no Tensor, or bools.
        ValueError: an axis out of range.

    >>> print(numpy.ptp(Tensor([[1.0, 2.0], [3.0, 0.0]]), axis=0))
    [2. 2.]
    """
    given = hn.only(x, "ptp")
    return ops.sub(amax(given, axis, keepdims), amin(given, axis, keepdims))


def argmax(a: ArrayLike, axis: int | None = None) -> Tensor:
    """The place of the maximum, in the flattened array if `axis` is None: int64.

    Raises:
        TypeError: an axis that is no int.
        ValueError: an axis out of range.

    >>> print(numpy.argmax(Tensor([1.0, 3.0, 2.0])))
    1
    """
    x = hn.number(a)
    d = None if axis is None else hn.axis_of(axis, x.ndim, "argmax")
    return ops.cast(ops.argmax(x, d), mstype.int64)


def argmin(a: ArrayLike, axis: int | None = None) -> Tensor:
    """The place of the minimum, in the flattened array if `axis` is None: int32.

    Raises:
        TypeError: an axis that is no int.
        ValueError: an axis out of range.

    >>> print(numpy.argmin(Tensor([1.0, 3.0, 0.0])))
    2
    """
    x = hn.number(a)
    d = None if axis is None else hn.axis_of(axis, x.ndim, "argmin")
    return ops.cast(ops.argmin(x, d), mstype.int32)


# --- without NaN --------------------------------------------------------------------------------


def _reduced(
    function: Callable[..., Tensor], x: Tensor, axis: Any, keepdims: Any, op: str
) -> Tensor:
    if not isinstance(keepdims, int):
        raise argument_error(TypeError, op, "keepdims", "a bool", keepdims)
    axes = hn.axes_of(axis, x.ndim, op)
    return function(x, axes, bool(keepdims)) if axes else fresh(x)


def _without(x: Tensor, value: float) -> Tensor:
    """The elements, with a number where they are NaN."""
    if not hn.is_float(x):
        return x
    return ops.where(ops.isnan(x), ops.full_like(x, value), x)


def nanmax(
    a: ArrayLike, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool = False
) -> Tensor:
    """The maximum of the elements that are not NaN; of none, -2⁶³ as in MindSpore.

    Raises:
        TypeError: bools.
        ValueError: an axis out of range.

    >>> print(numpy.nanmax(Tensor([1.0, float("nan"), 3.0])))
    3.0
    """
    x = _numbers(a, "nanmax")
    return hn.cast(_reduced(ops.amax, _without(x, -(2.0**63)), axis, keepdims, "nanmax"), dtype)  # type: ignore[no-any-return]


def nanmin(
    a: ArrayLike, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool = False
) -> Tensor:
    """The minimum of the elements that are not NaN; of none, 2⁶³ as in MindSpore.

    Raises:
        TypeError: bools.
        ValueError: an axis out of range.

    >>> print(numpy.nanmin(Tensor([1.0, float("nan"), 3.0])))
    1.0
    """
    x = _numbers(a, "nanmin")
    return hn.cast(_reduced(ops.amin, _without(x, 2.0**63), axis, keepdims, "nanmin"), dtype)  # type: ignore[no-any-return]


def nansum(
    a: ArrayLike, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool = False
) -> Tensor:
    """The sum of the elements that are not NaN, in the array's dtype.

    Raises:
        ValueError: an axis out of range.

    >>> print(numpy.nansum(Tensor([1.0, float("nan"), 3.0])))
    4.0
    """
    x = hn.array(a, "nansum", "a")
    wide = x if hn.is_float(x) else ops.cast(x, mstype.int64)
    out = _reduced(ops.sum, _without(wide, 0.0), axis, keepdims, "nansum")
    return hn.cast(out, dtype or x.dtype)  # type: ignore[no-any-return]


def _count(x: Tensor, axis: Any, keepdims: Any, op: str) -> Tensor:
    there = ops.cast(ops.logical_not(ops.isnan(x)), x.dtype)
    return _reduced(ops.sum, there, axis, keepdims, op)


def _wanted(x: Tensor, dtype: Any) -> Type:
    """The dtype of a mean: float32, or float64 of float64, unless another is given."""
    if dtype is not None:
        return hn.dtype_of(dtype)
    return mstype.float64 if x.dtype is mstype.float64 else mstype.float32


def nanmean(
    a: ArrayLike, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool = False
) -> Tensor:
    """The mean of the elements that are not NaN.

    Raises:
        ValueError: an axis out of range.

    >>> print(numpy.nanmean(Tensor([1.0, float("nan"), 3.0])))
    2.0
    """
    x = hn.single(hn.real(a, "nanmean", "a"))
    total = _reduced(ops.sum, _without(x, 0.0), axis, keepdims, "nanmean")
    return ops.cast(ops.div(total, _count(x, axis, keepdims, "nanmean")), _wanted(x, dtype))


def nanvar(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> Tensor:
    """The variance of the elements that are not NaN.

    Raises:
        ValueError: an axis out of range.

    >>> print(numpy.nanvar(Tensor([1.0, float("nan"), 3.0])))
    1.0
    """
    x = hn.single(hn.real(a, "nanvar", "a"))
    apart = ops.square(ops.sub(x, nanmean(x, axis, None, True)))
    total = _reduced(ops.sum, _without(apart, 0.0), axis, keepdims, "nanvar")
    count = ops.sub(_count(x, axis, keepdims, "nanvar"), check_int(ddof, "nanvar", "ddof"))
    return ops.cast(ops.div(total, ops.maximum(count, 0)), _wanted(x, dtype))


def nanstd(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> Tensor:
    """The standard deviation of the elements that are not NaN: the root of `nanvar`.

    Raises:
        ValueError: an axis out of range.

    >>> print(numpy.nanstd(Tensor([1.0, float("nan"), 3.0])))
    1.0
    """
    return _deviation(nanvar(a, axis, dtype, ddof, keepdims))


# --- counts and running sums --------------------------------------------------------------------


def count_nonzero(x: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """How many elements are not 0: int32.

    Raises:
        ValueError: an axis out of range.

    >>> print(numpy.count_nonzero(Tensor([[1, 0], [2, 3]]), axis=0))
    [2 1]
    """
    there = ops.cast(ops.not_equal(hn.number(x), 0), mstype.int32)
    return ops.cast(_reduced(ops.sum, there, axis, keepdims, "count_nonzero"), mstype.int32)


def sometrue(a: ArrayLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Whether any element is not 0.

    Raises:
        TypeError: `keepdims` is no bool.
        ValueError: an axis out of range.

    >>> print(numpy.sometrue(Tensor([[0, 0], [0, 3]]), axis=1))
    [False  True]
    """
    return ops.greater(count_nonzero(a, axis, keepdims), 0)


def _running(x: Tensor, axis: Any, dtype: Any, op: str) -> tuple[Tensor, int, Type]:
    """The array, the dimension, and the dtype of the result: small integers become int32, or of
    products of unsigned ones uint32."""
    kind = x.dtype
    narrow = 2 if kind.kind == "u" and op == "cumsum" else 4
    if kind.kind in "biu" and kind.itemsize < narrow:
        kind = mstype.uint32 if kind.kind == "u" and op == "cumprod" else mstype.int32
    given = x.reshape(-1) if axis is None else x
    d = 0 if axis is None else hn.axis_of(axis, x.ndim, op)
    return given, d, kind if dtype is None else hn.dtype_of(dtype)


def cumsum(a: Tensor, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """The sums of all elements up to each one.

    Raises:
        TypeError: no Tensor, an axis that is no int.
        ValueError: an axis out of range.

    >>> print(numpy.cumsum(Tensor([1.0, 2.0, 3.0])))
    [1. 3. 6.]
    """
    return _run(ops.cumsum, *_running(hn.only(a, "cumsum", "a"), axis, dtype, "cumsum"))


def _run(op: Any, x: Tensor, d: int, kind: Type) -> Tensor:
    """Sums and products of floats become integers at the end, as in `sum`."""
    rounded = kind.kind in "biu" and hn.is_float(x)
    return ops.cast(op(x if rounded else ops.cast(x, kind), d), kind)  # type: ignore[no-any-return]


def nancumsum(a: Tensor, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """As `cumsum`, with 0 for NaN.

    Raises:
        TypeError: no Tensor, an axis that is no int.
        ValueError: an axis out of range.

    >>> print(numpy.nancumsum(Tensor([1.0, float("nan"), 3.0])))
    [1. 1. 4.]
    """
    return cumsum(_without(hn.only(a, "nancumsum", "a"), 0.0), axis, dtype)


def cumprod(a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """The products of all elements up to each one.

    Raises:
        TypeError: an axis that is no int.
        ValueError: an axis out of range.

    >>> print(numpy.cumprod(Tensor([1.0, 2.0, 3.0])))
    [1. 2. 6.]
    """
    x = hn.array(a, "cumprod", "a", wide=True)
    return _run(ops.cumprod, *_running(x, axis, dtype, "cumprod"))


# --- norms --------------------------------------------------------------------------------------

_inf = float("inf")


def norm(
    x: ArrayLike, ord: float | str | None = None, axis: Axis = None, keepdims: bool = False
) -> Tensor:
    """The norm of a vector or of matrices: `ord` is None for the root of the sum of squares, inf and
    -inf for the largest and smallest size, or a number; of matrices one of `ops.matrix_norm`. Of
    float16 the norms of vectors are float32, but for the sizes.

    Raises:
        ValueError: another `ord`, an axis out of range, or not one or two of them.

    >>> print(numpy.norm(Tensor([3.0, 4.0])))
    5.0
    """
    if not is_number(ord) and ord not in (None, "fro", "nuc"):
        raise argument_error(ValueError, "norm", "ord", 'a number, None, "fro" or "nuc"', ord)
    given = hn.floating(x)
    half = given.dtype is mstype.float16
    given = ops.cast(given, mstype.float32) if half else given
    ndim = given.ndim
    if axis is None and ord is None:
        given = given.reshape(-1)
    axes = hn.axes_of(axis, given.ndim, "norm")
    if axis is None and given.ndim not in (1, 2):
        raise argument_error(
            ValueError, "norm", "x", "a vector or a matrix if there is no axis", given
        )
    if len(axes) == 1:
        out = _vector_norm(given, ord, axes, keepdims)
    elif len(axes) == 2:
        out = _matrix_norm(given, ord, (axes[0], axes[1]), keepdims)
    else:
        raise argument_error(ValueError, "norm", "axis", "one or two axes", axis)
    if half and (len(axes) == 2 or ord in (_inf, -_inf)):
        out = ops.cast(out, mstype.float16)
    return hn.seen_as(out, ndim) if keepdims and out.ndim < ndim else out


def _vector_norm(x: Tensor, order: Any, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    if isinstance(order, str):
        raise argument_error(ValueError, "norm", "ord", "a number for vectors", order)
    return ops.vector_norm(x, 2 if order is None else order, axes, keepdims)


def _matrix_norm(x: Tensor, order: Any, axes: tuple[int, int], keepdims: bool) -> Tensor:
    if order not in (None, "fro", "nuc", 1, -1, 2, -2, _inf, -_inf):
        raise argument_error(
            ValueError, "norm", "ord", '1, -1, 2, -2, inf, -inf, "fro" or "nuc" for matrices', order
        )
    return ops.matrix_norm(x, "fro" if order is None else order, axes, keepdims)
