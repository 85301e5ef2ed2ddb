"""Reductions: sums, means, extrema over dimensions."""

from __future__ import annotations

from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Axis, TensorLike
from cellgrad.core.arguments import argument_error, check_bool, check_dtype
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import (
    axes_of,
    axis_of,
    broadcast_shapes,
    broadcast_to_shape,
    cast_back,
    cast_to,
    check_float,
    check_tensor,
    emit,
    is_number,
    operation,
    reshape_to,
    splat,
    widened,
)
from cellgrad.core.tensor import Tensor
from cellgrad.ops import _elementwise as ew
from cellgrad.ops._public import public
from cellgrad.ops.selection import select


def reduced(op: str, x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    """A reduction over `axes`, which stay with size 1 if `keep`; the tensor itself over none."""
    shape = x.shape
    out = emit(op, [x], {"dims": list(axes)}) if axes else x
    return (
        reshape_to(out, tuple(1 if i in axes else n for i, n in enumerate(shape)))
        if keep and axes
        else out
    )


def _sum(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    """The sum; halves are added in float32 and rounded once."""
    return cast_to(reduced("cell.reduce_sum", widened(x), axes, keep), x.dtype)


def _axes(x: Tensor, axis: Any, op: str) -> tuple[int, ...]:
    if x.ndim == 0:
        if axis is not None and axis != ():
            axes_of(axis, 1, op)
        return ()
    return axes_of(axis, x.ndim, op)


@public("mint.sum")
@operation
def sum(
    input: Tensor, dim: Axis = None, keepdim: bool = False, *, dtype: Type | None = None
) -> Tensor:
    """The sum over `dim` (int or tuple of ints; all dimensions by default).

    Integers and bools are summed as int64, uint16 to uint64 in their own dtype, unless `dtype` says
    otherwise. A sum of bools as bool, with ``dtype=ms.bool_``, is `any`.

    Raises:
        TypeError, ValueError: `input` is not a Tensor, or `dim` is out of range.

    >>> print(ops.sum(Tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0))
    [4. 6.]
    """
    x = check_tensor(input, "sum", "input")
    check_bool(keepdim, "sum", "keepdim")
    axes = _axes(x, dim, "sum")
    target = dtype or mstype.summed(x.dtype)
    if target is mstype.bool_:
        return any(x, axes, keepdim)
    return _sum(cast_to(x, target), axes, keepdim)


@public()
def reduce_sum(x: Tensor, axis: Axis = (), keep_dims: bool = False) -> Tensor:
    """The sum over `axis`; as `sum`, but integers keep their dtype (`ops.ReduceSum`).

    >>> print(ops.reduce_sum(Tensor([[1.0, 5.0], [3.0, 2.0]]), 0))
    [4. 7.]
    """
    kept = x.dtype if isinstance(x, Tensor) and x.dtype.kind != "b" else None
    out: Tensor = sum(x, axis, keep_dims, dtype=kept)
    return out


@public(
    "ops.reduce_mean(x, axis=(), keep_dims=False)",
    "mint.mean(input, dim=None, keepdim=False, *, dtype=None) = "
    "ops.mean(h.to(input, dtype), dim, keepdim)",
)
@operation
def mean(x: Tensor, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    """The mean over `axis` (int or tuple of ints; all dimensions by default).

    Integers give the truncated mean in their own dtype, as in MindSpore.

    Raises:
        TypeError, ValueError: `x` is not a Tensor, or `axis` is out of range.

    >>> print(ops.mean(Tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [2. 3.]
    """
    x = check_tensor(x, "mean", "x")
    check_bool(keep_dims, "mean", "keep_dims")
    axes = _axes(x, axis, "mean")
    count = 1
    for a in axes:
        count *= x.shape[a]
    own = x.dtype
    floating = widened(x) if own.kind in "fc" else cast_to(x, mstype.float64)
    total = reduced("cell.reduce_sum", floating, axes, keep_dims)
    if count != 1:
        # A division, not a product with the rounded 1/count; an empty mean is NaN, as in numpy.
        total = ew.binary("cell.div", total, float(count), True)
    return cast_back(total, own)


def _extremum(op: str, name: str, input: Tensor, axis: Any, keepdims: bool) -> Tensor:
    x = check_tensor(input, name, "input")
    check_bool(keepdims, name, "keepdims")
    axes = _axes(x, axis, name)
    for a in axes:
        if x.shape[a] == 0:
            raise error(
                ValueError,
                f"For '{name}', the dimension {a} of a tensor of shape {list(x.shape)} has no "
                f"elements to compare.",
            )
    if x.dtype.kind == "b":
        return cast_to(reduced(op, cast_to(x, mstype.int32), axes, keepdims), mstype.bool_)
    return reduced(op, x, axes, keepdims)


@public(
    "ops.reduce_max(x, axis=(), keep_dims=False)",
    "Tensor.amax",
    "mint.amax(input, dim=(), keepdim=False)",
)
@operation
def amax(
    input: Tensor,
    axis: Axis = None,
    keepdims: bool = False,
    *,
    initial: TensorLike | None = None,
    where: TensorLike | None = None,
) -> Tensor:
    """The largest element over `axis` (all dimensions by default) and `initial`; NaN where there is
    one. `initial` takes the place of elements where `where` does not hold.

    Raises:
        TypeError, ValueError: `input` is not a Tensor, `axis` is out of range, or a dimension is
            empty.

    >>> print(ops.amax(Tensor([[1.0, 2.0], [3.0, 0.0]]), axis=1))
    [2. 3.]
    """
    x = chosen("cell.maximum", "amax", check_tensor(input, "amax", "input"), initial, where)
    return _extremum("cell.reduce_max", "amax", x, axis, keepdims)


@public(
    "ops.reduce_min(x, axis=(), keep_dims=False)",
    "Tensor.amin",
    "mint.amin(input, dim=(), keepdim=False)",
)
@operation
def amin(
    input: Tensor,
    axis: Axis = None,
    keepdims: bool = False,
    *,
    initial: TensorLike | None = None,
    where: TensorLike | None = None,
) -> Tensor:
    """The smallest element over `axis` (all dimensions by default) and `initial`; NaN where there is
    one. `initial` takes the place of elements where `where` does not hold.

    Raises:
        TypeError, ValueError: `input` is not a Tensor, `axis` is out of range, or a dimension is
            empty.

    >>> print(ops.amin(Tensor([[1.0, 5.0], [3.0, 2.0]]), 1))
    [1. 2.]
    """
    x = chosen("cell.minimum", "amin", check_tensor(input, "amin", "input"), initial, where)
    return _extremum("cell.reduce_min", "amin", x, axis, keepdims)


def chosen(op: str, name: str, x: Tensor, initial: Any, where: Any) -> Tensor:
    """What an extremum is taken of: `initial` where that is more extreme, or `where` does not hold.

    Raises:
        TypeError: an `initial` that is not a number, or `where` of another kind than bools.
        ValueError: `where` without `initial`, or of a shape that does not fit.
    """
    if initial is None and (where is None or where is True):
        return x
    if initial is None:
        raise error(
            ValueError, f"For '{name}', 'initial' must be given for what 'where' leaves out."
        )
    if not is_number(initial):
        raise argument_error(TypeError, name, "initial", "a number", initial)
    start = splat(initial, x.dtype, x.shape)
    out = emit(op, [x, start])
    if where is None or where is True:
        return out
    mask = (
        check_tensor(where, name, "where") if where is not False else splat(False, mstype.bool_, ())
    )
    check_dtype(mask, name, "where", "b")
    if broadcast_shapes(mask.shape, x.shape, name) != x.shape:
        raise error(
            ValueError,
            f"For '{name}', 'where' must broadcast to the shape {list(x.shape)} of the input, but "
            f"has {list(mask.shape)}.",
        )
    return emit("cell.select", [broadcast_to_shape(mask, x.shape), out, start])


@public("mint.var(input, dim=None, *, correction=1, keepdim=False)")
@operation
def var(input: Tensor, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The variance over `axis`, divided by the count less `ddof`.

    Where that is below 0, by 0: no variance is negative.

    Raises:
        TypeError, ValueError: `input` is not a Tensor, or `axis` is out of range.

    >>> print(ops.var(Tensor([[1.0, 5.0], [3.0, 2.0]]), 1))
    [4.   0.25]

    >>> print(mint.var(Tensor([1.0, 2.0, 3.0])))
    1.0
    """
    given = check_float(input, "var", "input")
    x = widened(given)
    axes = _axes(x, axis, "var")
    count = 1
    for a in axes:
        count *= x.shape[a]
    centred = ew.binary("cell.sub", x, mean(x, axes, True) if axes else x)
    total = reduced("cell.reduce_sum", emit("cell.square", [centred]), axes, keepdims)
    return cast_to(
        ew.binary("cell.div", total, float(max(count - int(ddof), 0)), True), given.dtype
    )


def safe_root(x: Tensor) -> Tensor:
    """The square root, but with derivative 0 where it is 0."""
    absent = ew.compare("cell.equal", x, 0)
    return select(absent, 0, emit("cell.sqrt", [select(absent, 1, x)]))


@public("mint.std(input, dim=None, *, correction=1, keepdim=False)")
@operation
def std(input: Tensor, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The standard deviation over `axis`: the square root of `var`, with derivative 0 where all
    elements are equal.

    >>> print(ops.std(Tensor([1.0, 3.0])))
    1.0

    >>> print(mint.std(Tensor([1.0, 2.0, 3.0])))
    1.0
    """
    return safe_root(var(input, axis, ddof, keepdims))


@public(
    "Tensor.allclose(other, rtol=1e-05, atol=1e-08, equal_nan=False) = "
    "bool(ops.all(ops.isclose(self, other, rtol, atol, equal_nan)))",
    "mint.all(input, dim=None, keepdim=False)",
)
@operation
def all(input: Tensor, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    """Whether all elements over `axis` are true (not zero).

    >>> print(ops.all(Tensor([[True, False], [True, True]]), 1))
    [False  True]

    >>> print(Tensor([1.0]).allclose(Tensor([1.000001])))
    True
    """
    x = cast_to(check_tensor(input, "all", "input"), mstype.bool_)
    axes = _axes(x, axis, "all")
    return cast_to(
        reduced("cell.reduce_min", cast_to(x, mstype.int32), axes, keep_dims), mstype.bool_
    )


@public("mint.any(input, dim=None, keepdim=False)")
@operation
def any(input: Tensor, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    """Whether any element over `axis` is true (not zero); False over no elements.

    >>> print(ops.any(Tensor([[True, False], [False, False]]), 1))
    [ True False]
    """
    x = cast_to(check_tensor(input, "any", "input"), mstype.bool_)
    axes = _axes(x, axis, "any")
    # The maximum of no elements would be the least integer, which is not zero.
    none = cast_to(emit("cell.logical_not", [x]), mstype.int32)
    least = cast_to(reduced("cell.reduce_min", none, axes, keep_dims), mstype.bool_)
    return emit("cell.logical_not", [least])


@public(
    "ops.Softmax(axis=-1)(input) = ops.softmax(input, "
    "axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis)",
    "Tensor.softmax(axis, dtype)",
    "nn.Softmax(axis)(input)",
    "mint.nn.Softmax(dim=None)(input) = F.softmax(input, dim=dim)",
    "mint.nn.functional.softmax(input, dim=None, dtype=None) = "
    "ops.softmax(input, h.implied(input, dim), dtype=dtype)",
    "mint.softmax(input, dim, *, dtype)",
)
@operation
def softmax(input: Tensor, axis: int = -1, *, dtype: Type | None = None) -> Tensor:
    """Exponentials along `axis` divided by their sum; computed from differences to the maximum, so
    that it never overflows.

    Raises:
        TypeError, ValueError: `input` is not a Tensor, or `axis` is out of range.

    >>> print(ops.softmax(Tensor([0.0, 0.0])))
    [0.5 0.5]

    >>> print(mint.nn.Softmax(0)(Tensor([0.0, 0.0])))
    [0.5 0.5]

    >>> print(mint.softmax(Tensor([0.0, 0.0]), dim=0))
    [0.5 0.5]
    """
    given = check_float(input, "softmax", "input")
    if dtype is not None:
        given = cast_to(given, dtype)
    x = widened(given)
    dim = axis_of(axis, x.ndim, "softmax")
    dims = (dim,) if x.ndim else ()
    top = emit("cell.stop_gradient", [reduced("cell.reduce_max", x, dims, True)])
    powers = emit("cell.exp", [ew.binary("cell.sub", x, top)])
    total = reduced("cell.reduce_sum", powers, dims, True)
    return cast_to(ew.binary("cell.div", powers, total, True), given.dtype)
