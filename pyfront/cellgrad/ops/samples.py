"""Counts, quantiles, differences and distances of samples."""

from __future__ import annotations

from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import (
    argument_error,
    check_dtype,
    check_ndim,
    check_number,
    check_shape,
)
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import (
    as_tensor,
    axis_of,
    broadcast_to_shape,
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
from cellgrad.ops import _index, reductions
from cellgrad.ops._public import public
from cellgrad.ops._static import known, known_int
from cellgrad.ops.gathering import index_tensor, moved, needs_elements
from cellgrad.ops.joining import concat, piece
from cellgrad.ops.selection import select
from cellgrad.ops.statistics import _power_norm

# --- counts -----------------------------------------------------------------------------------


@public(
    "Tensor.bincount",
    "mint.bincount(input, weights, minlength) = h.counts(input, weights, minlength)",
)
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each whole number from 0 on is there, or the sum of the weights where it is: float32.
    The numbers must be known while compiling, as the length of the result depends on them.

    Raises:
        TypeError: numbers that are not integers, or not known while compiling.
        ValueError: a tensor of other than one dimension, a negative number or `minlength`, or weights
            of another shape.

    >>> print(ops.bincount(Tensor([1, 1, 3])))
    [0. 2. 0. 1.]

    >>> print(mint.bincount(Tensor([1, 1, 3])))
    [0 2 0 1]
    """
    return bincount_in(mstype.float32, input, weights, minlength)


def bincount_in(dtype: Type, input: Tensor, weights: Tensor | None, minlength: int) -> Tensor:
    """`bincount` in a dtype."""
    x = index_tensor(input, "bincount", "input")
    least = known_int(minlength, "bincount", "minlength")
    values = needs_elements(x, "bincount", "use ops.unsorted_segment_sum, with a known length")
    if x.ndim != 1 or least < 0 or (values < 0).any():
        raise error(
            ValueError,
            f"For 'bincount', 'input' must be a vector of numbers of at least 0 and 'minlength' at "
            f"least 0, but got shape {list(x.shape)} and {least}.",
        )
    new = (
        splat(1.0, dtype, x.shape)
        if weights is None
        else check_tensor(weights, "bincount", "weights").astype(dtype)
    )
    check_shape(new, "bincount", "weights", x.shape, "that of 'input'")
    bins = int(values.max()) + 1 if values.size else 0
    out: Tensor = _summed(known(values, mstype.int32), new, max(least, bins))
    return out


@operation
def _summed(at: Tensor, new: Tensor, count: int) -> Tensor:
    return _index.scattered(splat(0, new.dtype, (count,)), at, new, 0, 0, "add")


@public(
    "ops.Histogram(bins, min, max)(x)",
    "Tensor.histc",
    "mint.histc(input, bins, min=0, max=0)",
)
@operation
def histc(input: Tensor, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Tensor:
    """How many elements are in each of `bins` parts of equal width of [`min`, `max`], the end included;
    where both are equal, of the range of the elements, widened by 1 if that is empty. Float32 or
    float64 for floats, else integers. NaN is in none, and leaves all parts of its own range empty.

    Raises:
        TypeError: bools, or `bins` is not an int.
        ValueError: `bins` below 1, or `max` below `min`.

    >>> print(ops.histc(Tensor([1.0, 2.0, 1.0]), bins=4, min=0.0, max=3.0))
    [0. 2. 1. 0.]
    """
    x = check_tensor(input, "histc", "input")
    count = known_int(bins, "histc", "bins")
    check_dtype(x, "histc", "input", "iuf")
    if count < 1 or max < min:
        raise error(
            ValueError,
            f"For 'histc', 'bins' must be positive and 'max' at least 'min', but got {bins}, "
            f"{min} and {max}.",
        )
    wide = mstype.float64 if x.dtype.itemsize > 4 else mstype.float32
    y = cast_to(reshape_to(x, (x.size,)), wide)
    low, high = (splat(float(v), wide, ()) for v in (min, max))
    if min == max:
        if x.size:
            low, high = reductions.amin(y), reductions.amax(y)
        alone = emit("cell.equal", [low, high])
        low, high = (
            emit("cell.select", [alone, ew.binary("cell.add", v, step), v])
            for v, step in ((low, -1.0), (high, 1.0))
        )
    inside = emit(
        "cell.logical_and",
        [ew.compare("cell.greater_equal", y, low), ew.compare("cell.less_equal", y, high)],
    )
    step = emit("cell.sub", [high, low])
    scaled = ew.binary("cell.div", ew.binary("cell.sub", y, low) * float(count), step, True)
    at = cast_to(emit("cell.floor", [select(inside, scaled, 0.0)]), mstype.int32)
    at = select(inside, ew.binary("cell.minimum", at, count - 1), count)
    kind = wide if x.dtype.kind == "f" else x.dtype if x.dtype.itemsize > 2 else mstype.int32
    found = _index.scattered(
        splat(0, kind, (count + 1,)), at, splat(1, kind, at.shape), 0, 0, "add"
    )
    return piece(found, 0, 0, count)


# --- quantiles --------------------------------------------------------------------------------


def _number_input(input: Any, op: str, kinds: str) -> Tensor:
    x = check_tensor(input, op, "input")
    if x.dtype.kind not in kinds or not x.size:
        raise error(
            TypeError if x.size else ValueError,
            f"For '{op}', the 'input' must be of {'floats' if kinds == 'f' else 'floats or integers'} "
            f"and not empty, but has dtype {x.dtype.title} and shape {list(x.shape)}.",
        )
    return x


def _rows(x: Tensor, axis: Any, op: str) -> tuple[Tensor, tuple[int, ...], int | None]:
    """A matrix with the dimension, or all of them, as rows; the other lengths, and the dimension."""
    if axis is None:
        return reshape_to(x, (1, x.size)), (), None
    d = axis_of(axis, x.ndim, op)
    if not x.ndim:
        return reshape_to(x, (1, 1)), (), d
    rest = [k for k in range(x.ndim) if k != d]
    lengths = tuple(x.shape[k] for k in rest)
    rows = reshape_to(moved(x, [*rest, d]), (x.size // x.shape[d], x.shape[d]))
    return rows, lengths, d


def _kept(shape: tuple[int, ...], lengths: tuple[int, ...], d: int | None) -> tuple[int, ...]:
    """The lengths with the dimension as 1."""
    return (1,) * len(shape) if d is None or not shape else (*lengths[:d], 1, *lengths[d:])


def _quantile(input: Any, q: Any, axis: Any, keepdims: bool, skip: bool, op: str) -> Tensor:
    x = _number_input(input, op, "f")
    if not is_number(q) and not isinstance(q, Tensor):
        raise argument_error(TypeError, op, "q", "a float or a Tensor", q)
    part = as_tensor(float(q), op, x.dtype) if is_number(q) else cast_to(q, x.dtype)
    check_ndim(part, op, "q", at_most=1)
    if is_number(q) and not 0 <= q <= 1:
        raise argument_error(ValueError, op, "q", "in [0, 1]", q)
    inside = emit(
        "cell.logical_and",
        [ew.compare("cell.greater_equal", part, 0.0), ew.compare("cell.less_equal", part, 1.0)],
    )
    rows, lengths, d = _rows(x, axis, op)
    n, many = rows.shape[1], part.size
    shape = (rows.shape[0], many)
    lost = cast_to(emit("cell.is_nan", [rows]), mstype.int32)
    missing = broadcast_to_shape(reductions.reduced("cell.reduce_sum", lost, (1,), True), shape)
    last = emit("cell.sub", [splat(n - 1, mstype.int32, shape), missing])
    last = ew.binary("cell.maximum", last, 0) if skip else splat(n - 1, mstype.int32, shape)
    row = broadcast_to_shape(reshape_to(select(inside, part, 0.0), (many,)), shape)
    at = emit("cell.mul", [row, cast_to(last, x.dtype)])
    low = cast_to(emit("cell.stop_gradient", [emit("cell.floor", [at])]), mstype.int32)
    high = emit("cell.minimum", [ew.binary("cell.add", low, 1), last])
    weight = emit("cell.sub", [at, cast_to(low, x.dtype)])
    order = _index.order_of(rows, 1, False)
    first, second = (
        _index.elements_along(rows, _index.elements_along(order, v, 1), 1) for v in (low, high)
    )
    between = emit(
        "cell.add", [first, emit("cell.mul", [emit("cell.sub", [second, first]), weight])]
    )
    out = select(ew.compare("cell.equal", weight, 0.0), first, between)
    wrong = emit("cell.logical_not", [inside])
    wrong = broadcast_to_shape(reshape_to(wrong, (many,)), shape)
    if not skip:
        wrong = emit("cell.logical_or", [wrong, ew.compare("cell.greater", missing, 0)])
    out = moved(select(wrong, float("nan"), out), [1, 0])
    own = _kept(x.shape, lengths, d) if keepdims else lengths
    return reshape_to(out, (*part.shape, *own))


@public(
    "Tensor.quantile",
    "ops.Quantile(dim=None, keep_dims=False, ignore_nan=False)(input, q) = "
    "(ops.nanquantile if ignore_nan else ops.quantile)(input, q, dim, keep_dims)",
)
@operation
def quantile(
    input: Tensor, q: TensorLike, axis: int | None = None, keepdims: bool = False
) -> Tensor:
    """The `q`-quantiles along `axis`, or of all elements, by linear interpolation between those
    beside; NaN where there is one. A vector `q` gives a first dimension. Elements of a tensor `q`
    that are not in [0, 1] give NaN.

    Raises:
        TypeError: `input` is not a Tensor of floats, or `q` neither float nor Tensor.
        ValueError: `axis` out of range, no elements, or `q` out of range or of more dimensions.

    >>> print(ops.quantile(Tensor([0.0, 1.0, 2.0, 4.0]), Tensor([0.5, 1.0])))
    [1.5 4. ]

    >>> print(ops.Quantile()(Tensor([0.0, 1.0, 2.0, 4.0]), 0.5))
    1.5
    """
    return _quantile(input, q, axis, keepdims, False, "quantile")


@public("Tensor.nanquantile")
@operation
def nanquantile(
    input: Tensor, q: TensorLike, axis: int | None = None, keepdims: bool = False
) -> Tensor:
    """As `quantile`, of the elements that are not NaN; NaN where there are none.

    Raises:
        TypeError, ValueError: as `quantile`.

    >>> print(ops.nanquantile(Tensor([1.0, float("nan"), 2.0]), 0.5))
    1.5
    """
    return _quantile(input, q, axis, keepdims, True, "nanquantile")


@public("Tensor.nanmedian")
@operation
def nanmedian(input: Tensor, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """The middle elements along `axis` (the lower one of two) of those that are not NaN, and their
    positions (int64).

    Raises:
        TypeError: `input` is not a Tensor of floats or integers.
        ValueError: `axis` out of range, or no elements.

    >>> value, index = ops.nanmedian(Tensor([3.0, float("nan"), 1.0, 2.0]))
    >>> print(value, index)
    2.0 3
    """
    x = _number_input(input, "nanmedian", "iuf")
    rows, lengths, d = _rows(x, axis, "nanmedian")
    there = cast_to(ew.compare("cell.equal", rows, rows), mstype.int32)
    count = reductions.reduced("cell.reduce_sum", there, (1,), True)
    middle = ew.binary("cell.floor_div", ew.binary("cell.maximum", count, 1) - 1, 2)
    at = _index.elements_along(_index.order_of(rows, 1, False), middle, 1)
    value = _index.elements_along(rows, at, 1)
    shape = _kept(x.shape, lengths, d) if keepdims else lengths
    return reshape_to(value, shape), reshape_to(cast_to(at, mstype.int64), shape)


# --- differences ------------------------------------------------------------------------------


@public(
    "Tensor.diff",
    "mint.diff(input, n, dim=-1, prepend=None, append=None)",
)
@operation
def diff(
    x: Tensor,
    n: int = 1,
    axis: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """The differences of neighbours along `axis`, `n` times, with elements put before and behind;
    of bools, where they differ.

    Raises:
        TypeError: `x` is not a Tensor, or `n` not an int.
        ValueError: a tensor without dimensions, `axis` out of range, or `n` below 0.

    >>> print(ops.diff(Tensor([1, 4, 9])))
    [3 5]
    """
    y = check_tensor(x, "diff", "x")
    times = known_int(n, "diff", "n")
    if not y.ndim or times < 0:
        raise error(
            ValueError,
            f"For 'diff', 'x' must have at least one dimension and 'n' be at least 0, but got shape "
            f"{list(y.shape)} and {n}.",
        )
    d = axis_of(axis, y.ndim, "diff")
    more = [None if v is None else check_tensor(v, "diff", "prepend") for v in (prepend, append)]
    parts = [v for v in (more[0], y, more[1]) if v is not None]
    if len(parts) > 1:
        y = concat(tuple(parts), d)
    for _ in range(times):
        length = y.shape[d]
        if not length:
            break
        pair = [piece(y, d, 1, length), piece(y, d, 0, length - 1)]
        y = emit("cell.not_equal" if y.dtype.kind == "b" else "cell.sub", pair)
    return y


@public()
@operation
def trapz(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """The integral along `dim` by the trapezoidal rule, at points `x` or at distances `dx`.

    Raises:
        TypeError: an argument is not a Tensor, or `dx` not a number.
        ValueError: no dimensions, `dim` out of range, or shapes that do not broadcast.

    >>> print(ops.trapz(Tensor([1.0, 2.0, 3.0])))
    4.0
    """
    values = check_float(y, "trapz", "y")
    check_ndim(values, "trapz", "y", at_least=1)
    d = axis_of(dim, values.ndim, "trapz")
    n = values.shape[d]
    sums = emit("cell.add", [piece(values, d, min(1, n), n), piece(values, d, 0, max(n - 1, 0))])
    if x is None:
        if not is_number(dx):
            raise argument_error(TypeError, "trapz", "dx", "a number", dx)
        areas = ew.binary("cell.mul", sums, dx / 2)
    else:
        points = check_float(x, "trapz", "x")
        if points.ndim == 1:
            points = reshape_to(points, (points.size, *(1,) * (values.ndim - d - 1)))
        along = points.ndim - (values.ndim - d)
        if along < 0 or points.shape[along] != n:
            raise error(
                ValueError,
                f"For 'trapz', 'x' must have the length {n} of 'y' in dimension {d}, but got shapes "
                f"{list(points.shape)} and {list(values.shape)}.",
            )
        steps = diff(points, 1, along)
        areas = ew.binary("cell.mul", ew.binary("cell.mul", sums, steps), 0.5)
    return reductions.sum(areas, d)


@public("Tensor.cov")
@operation
def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """The covariances of the rows of a matrix, or the variance of a vector or single row without
    dimensions, over n - `correction`; observations count as often as `fweights` says, and with weights `aweights`.
    Of float16 they are float32.

    Raises:
        TypeError: `input` is not a Tensor.
        ValueError: more than two dimensions, or weights of another length.

    >>> print(ops.cov(Tensor([[0.0, 2.0, 4.0], [1.0, 0.0, -1.0]])))
    [[ 4. -2.]
     [-2.  1.]]
    """
    x = check_float(input, "cov", "input")
    x = cast_to(x, mstype.float32) if x.dtype is mstype.float16 else x
    check_ndim(x, "cov", "input", at_most=2)
    rows = x if x.ndim == 2 else reshape_to(x, (1, x.size))
    n = rows.shape[1]
    weights: Tensor | None = None
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is not None:
            w = cast_to(check_tensor(given, "cov", name), rows.dtype)
            check_shape(w, "cov", name, (n,))
            weights = w if weights is None else emit("cell.mul", [weights, w])
    if weights is None:
        weights = splat(1, rows.dtype, (n,))
    total = reductions.sum(weights)
    factor = ew.binary("cell.sub", total, correction)
    if aweights is not None:
        squares = emit("cell.mul", [weights, cast_to(aweights, rows.dtype)])
        share = ew.binary("cell.div", reductions.sum(squares), total, True)
        factor = emit("cell.sub", [total, ew.binary("cell.mul", share, correction)])
    wide = broadcast_to_shape(weights, rows.shape)
    sums = reductions.sum(emit("cell.mul", [rows, wide]), 1, True)
    centred = ew.binary("cell.sub", rows, ew.binary("cell.div", sums, total, True))
    product = emit(
        "cell.matmul",
        [emit("cell.mul", [centred, wide]), emit("cell.transpose", [centred], {"perm": [1, 0]})],
    )
    out = ew.binary("cell.div", product, ew.binary("cell.maximum", factor, 0.0), True)
    return reshape_to(out, ()) if rows.shape[0] == 1 else out


@public(
    "ops.Cdist(p)(x1, x2)",
    "mint.cdist(x1, x2, p, compute_mode='use_mm_for_euclid_dist_if_necessary') = "
    "ops.cdist(x1, x2, p)",
)
@operation
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0) -> Tensor:
    """The `p`-norms of the differences of all rows of [B.., P, M] and [B.., R, M]: [B.., P, R].
    Derivatives of norms of zero vectors are zero.

    Raises:
        TypeError: an argument is not a Tensor, or `p` not a number.
        ValueError: `p` below 0, less than two dimensions, or shapes that do not fit.

    >>> print(ops.cdist(Tensor([[0.0, 0.0], [3.0, 4.0]]), Tensor([[0.0, 0.0]])))
    [[0.]
     [5.]]
    """
    a, b = check_float(x1, "cdist", "x1"), check_float(x2, "cdist", "x2")
    p = check_number(p, "cdist", "p")
    if p < 0 or a.ndim < 2 or b.ndim < 2 or a.shape[-1] != b.shape[-1]:
        raise error(
            ValueError,
            f"For 'cdist', 'p' must be at least 0 and the tensors have at least two dimensions, the "
            f"last of one length, but got {p} and shapes {list(a.shape)} and {list(b.shape)}.",
        )
    left = reshape_to(a, (*a.shape[:-1], 1, a.shape[-1]))
    right = reshape_to(b, (*b.shape[:-2], 1, *b.shape[-2:]))
    gap = ew.binary("cell.sub", left, right)
    return _power_norm(gap, float(p), (gap.ndim - 1,), False)
