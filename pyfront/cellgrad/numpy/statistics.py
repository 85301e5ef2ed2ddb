"""Histograms, covariances, interpolation, convolutions and finite differences."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, Axis, DTypeLike, MaybeArray, TensorOrTensors
from cellgrad.core.arguments import argument_error, check_bool, check_int, check_one_of
from cellgrad.core.errors import error
from cellgrad.core.record import is_number
from cellgrad.core.tensor import Tensor
from cellgrad.numpy import _helpers as hn
from cellgrad.numpy.arithmetic import remainder
from cellgrad.numpy.creation import linspace
from cellgrad.numpy.logic import where
from cellgrad.ops._static import known

__all__ = [
    "bincount",
    "convolve",
    "corrcoef",
    "correlate",
    "cov",
    "diff",
    "digitize",
    "ediff1d",
    "gradient",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
    "interp",
    "searchsorted",
    "trapz",
    "unwrap",
]


# --- search and interpolation -------------------------------------------------------------------


def searchsorted(
    a: ArrayLike, v: ArrayLike, side: str = "left", sorter: ArrayLike | None = None
) -> Tensor:
    """Where values go in a sorted vector: before equal elements, or with the side "right" behind them:
    int32.

    Raises:
        ValueError: another side, or an array of another number of dimensions than 1.

    >>> print(numpy.searchsorted([1, 2, 3, 4], Tensor([2.0, 2.5])))
    [1 2]
    """
    check_one_of(side, "searchsorted", "side", ("left", "right"))
    given = hn.array(a, "searchsorted", "a")
    values = hn.array(v, "searchsorted", "v")
    if given.ndim != 1:
        raise argument_error(ValueError, "searchsorted", "a", "a vector", given)
    if sorter is not None:
        order = hn.array(sorter, "searchsorted", "sorter")
        if order.shape != given.shape:
            raise argument_error(
                ValueError, "searchsorted", "sorter", "a vector as long as 'a'", order
            )
        given = given[order]
    given, flat = hn.float_like(given, values), hn.float_like(values, given).reshape(-1)
    found = ops.searchsorted(given, flat, right=side == "right", out_int32=True)
    return found.reshape(values.shape)


def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> Tensor:
    """The number of the bin of each element, whose edges rise or fall; the upper edge belongs to the
    bin if `right` is True: int32.

    Raises:
        ValueError: edges that are no vector.

    >>> print(numpy.digitize(Tensor([0.2, 3.0]), Tensor([0.0, 1.0, 2.5])))
    [1 3]
    """
    values, edges = hn.array(x, "digitize"), hn.array(bins, "digitize", "bins")
    if edges.ndim != 1:
        raise argument_error(ValueError, "digitize", "bins", "a vector", edges)
    if edges.size == 0:
        return ops.zeros(values.shape, mstype.int32)
    side = "left" if right else "right"
    rising = searchsorted(edges, values, side)
    falling = ops.sub(edges.size, searchsorted(ops.flip(edges, (0,)), values, side))
    return where(ops.less_equal(edges[0], edges[-1]), rising, falling)


def interp(
    x: ArrayLike, xp: ArrayLike, fp: ArrayLike, left: MaybeArray = None, right: MaybeArray = None
) -> Tensor:
    """The line through points ``(xp, fp)``, of rising `xp`, at `x`; `left` and `right` outside of them,
    by default the first and last value.

    Raises:
        ValueError: `xp` and `fp` are not vectors of one length.

    >>> print(numpy.interp(Tensor([1.5, 9.0]), [1, 2, 3], [3, 2, 0]))
    [2.5 0. ]
    """
    places, knots, values = (hn.single(v) for v in (x, xp, fp))
    if knots.ndim != 1 or knots.shape != values.shape:
        raise error(ValueError, "For 'interp', 'xp' and 'fp' must be vectors of one length.")
    n = knots.size
    above = ops.clamp(searchsorted(knots, places), 0, n - 1)
    below = ops.clamp(ops.sub(above, 1), 0, n - 1)
    x0, x1, y0, y1 = knots[below], knots[above], values[below], values[above]
    apart = ops.sub(x1, x0)
    same = ops.equal(apart, 0)
    # Where both are one knot there is no slope: the division must not make NaN in the derivative.
    slope = ops.div(ops.sub(y1, y0), ops.where(same, ops.ones_like(apart), apart))
    out = ops.add(y0, ops.mul(ops.where(same, ops.zeros_like(slope), slope), ops.sub(places, x0)))
    low = values[0] if left is None else ops.cast(hn.array(left, "interp", "left"), out.dtype)
    high = values[-1] if right is None else ops.cast(hn.array(right, "interp", "right"), out.dtype)
    out = where(ops.less(places, knots[0]), low, out)
    return where(ops.greater(places, knots[-1]), high, out)


# --- counts -------------------------------------------------------------------------------------


def bincount(
    x: ArrayLike, weights: ArrayLike | None = None, minlength: int = 0, length: int | None = None
) -> Tensor:
    """How often each number from 0 on is among the elements, or the sums of their weights:
    float32, as in MindSpore. Without `length`, the largest element must be known.

    Raises:
        TypeError: lengths that are no ints.
        ValueError: no vector, or other shapes of elements and weights.

    >>> print(numpy.bincount(Tensor([0, 1, 1, 3])))
    [1. 2. 0. 1.]
    """
    given = ops.cast(hn.array(x, "bincount"), mstype.int32)
    if given.ndim != 1:
        raise argument_error(ValueError, "bincount", "x", "a vector", given)
    least = check_int(minlength, "bincount", "minlength", at_least=0)
    if length is None:
        count = int(given._concrete("the largest element of bincount").max(initial=-1)) + 1
        count = max(count, least)
    else:
        count = max(check_int(length, "bincount", "length", at_least=0), least)
    amounts = ops.ones(given.shape, mstype.float32) if weights is None else hn.single(weights)
    if amounts.shape != given.shape:
        raise argument_error(
            ValueError, "bincount", "weights", f"of the shape {given.shape}", amounts
        )
    # An element beyond the length is left out: it goes to a bin behind the last one.
    bins = ops.where(ops.less(given, count), given, ops.full_like(given, count))
    return ops.unsorted_segment_sum(amounts, bins, count + 1)[:count]


def histogram_bin_edges(
    a: ArrayLike,
    bins: ArrayLike = 10,
    range: Sequence[float] | None = None,
    weights: ArrayLike | None = None,
) -> Tensor:
    """The edges of bins of one width over the array or a range, or those that are given.

    Raises:
        ValueError: no vector of edges, a range that is no pair in order, other shapes of weights.
        NotImplementedError: names of methods as `bins`.

    >>> print(numpy.histogram_bin_edges(Tensor([0.0, 4.0]), 4))
    [0. 1. 2. 3. 4.]
    """
    x = hn.array(a, "histogram_bin_edges", "a")
    if weights is not None and hn.array(weights).shape != x.shape:
        raise argument_error(
            ValueError, "histogram_bin_edges", "weights", f"of the shape {x.shape}", weights
        )
    if isinstance(bins, str):
        raise hn.unsupported(
            "histogram_bin_edges", "a method's name as 'bins'", "give their number"
        )
    if not is_number(bins):
        edges = hn.array(bins, "histogram_bin_edges", "bins")
        if edges.ndim != 1:
            raise argument_error(ValueError, "histogram_bin_edges", "bins", "a vector", edges)
        return edges
    flat = hn.single(x).reshape(-1)
    if range is None:
        low, high = ops.amin(flat, (0,)), ops.amax(flat, (0,))
    else:
        if not isinstance(range, tuple | list) or len(range) != 2 or range[0] > range[1]:
            raise argument_error(
                ValueError, "histogram_bin_edges", "range", "a pair in order", range
            )
        low, high = (ops.cast(hn.array(v), flat.dtype) for v in range)
    empty = ops.equal(low, high)
    low, high = where(empty, ops.sub(low, 0.5), low), where(empty, ops.add(high, 0.5), high)
    count = check_int(bins, "histogram_bin_edges", "bins", at_least=1) + 1
    # Rounded edges would leave out the largest of wider elements.
    return linspace(low, high, count, dtype=flat.dtype)  # type: ignore[return-value]


def _bins(x: Tensor, edges: Tensor) -> Tensor:
    """The bin of each element: 0 below the first edge, and the number of edges above the last one,
    which belongs to the last bin.
    """
    found = searchsorted(edges, x, "right")
    return where(ops.equal(x, edges[-1]), edges.size - 1, found)


def histogram(
    a: ArrayLike,
    bins: ArrayLike = 10,
    range: Sequence[float] | None = None,
    weights: ArrayLike | None = None,
    density: bool = False,
) -> tuple[Tensor, Tensor]:
    """How many elements are in each bin, and the bins' edges: see `histogram_bin_edges`. With `density`,
    the counts are divided by the bins' widths and their sum.

    Raises:
        ValueError, NotImplementedError: as `histogram_bin_edges`.

    >>> print(*numpy.histogram(Tensor([1.0, 2.0, 1.0]), bins=[0, 1, 2, 3]))
    [0. 2. 1.] [0 1 2 3]
    """
    x = hn.array(a, "histogram", "a")
    edges = histogram_bin_edges(x, bins, range, weights)
    flat = None if weights is None else hn.array(weights, "histogram", "weights").reshape(-1)
    count = bincount(_bins(x.reshape(-1), edges), flat, length=edges.size)[1:]
    if density:
        share = ops.div(hn.single(count), diff(edges))
        count = ops.div(share, ops.cast(ops.sum(count), share.dtype))
    return count, edges


def histogramdd(
    sample: ArrayLike | Sequence[ArrayLike],
    bins: ArrayLike = 10,
    range: Sequence[Sequence[float] | None] | None = None,
    weights: ArrayLike | None = None,
    density: bool = False,
) -> tuple[Tensor, list[Tensor]]:
    """`histogram` of points: rows of a matrix, or a sequence of their coordinates.

    Raises:
        TypeError: points that are no matrix or sequence, `bins` that are neither int nor sequence.
        ValueError: not one entry of `bins` or `range` for each coordinate.

    >>> count, edges = numpy.histogramdd(Tensor([[1.0, 2.0], [0.0, 1.0]]), bins=2)
    >>> print(count)
    [[1. 0.]
     [0. 1.]]
    """
    if isinstance(sample, tuple | list):
        sample = hn.stacked(
            [hn.array(s, "histogramdd", "sample") for s in sample], -1, "histogramdd"
        )
    points = hn.only(sample, "histogramdd", "sample")
    if points.ndim != 2:
        raise argument_error(ValueError, "histogramdd", "sample", "a matrix", points)
    ndim = points.shape[1]
    listed = [bins] * ndim if is_number(bins) else bins
    if not isinstance(listed, tuple | list | Tensor):
        raise argument_error(TypeError, "histogramdd", "bins", "an int or a sequence", bins)
    ranges = [None] * ndim if range is None else range
    if len(listed) != ndim or len(ranges) != ndim:
        raise error(ValueError, f"For 'histogramdd', 'bins' and 'range' must have {ndim} entries.")
    columns = [points[:, i] for i in np.arange(ndim)]
    edges = [histogram_bin_edges(x, b, r) for x, b, r in zip(columns, listed, ranges, strict=True)]
    lengths = [e.size + 1 for e in edges]
    place = functools.reduce(
        lambda p, d: ops.add(ops.mul(p, lengths[d]), _bins(columns[d], edges[d])),
        np.arange(1, ndim).tolist(),
        _bins(columns[0], edges[0]),
    )
    count = bincount(place, weights, length=math.prod(lengths)).reshape(tuple(lengths))
    count = count[(slice(1, -1),) * ndim]
    if density:
        total = ops.sum(hn.single(count))
        for d, e in enumerate(edges):
            shape = tuple(-1 if i == d else 1 for i in np.arange(ndim))
            count = ops.div(hn.single(count), diff(e).reshape(shape))
        count = ops.div(count, total)
    return count, edges


def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: ArrayLike = 10,
    range: Sequence[Sequence[float] | None] | None = None,
    weights: ArrayLike | None = None,
    density: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """`histogramdd` of points in a plane: the counts, and the edges of both coordinates.

    Raises:
        TypeError, ValueError: as `histogramdd`.

    >>> print(numpy.histogram2d(Tensor([1.0, 0.0]), Tensor([2.0, 1.0]), bins=2)[0])
    [[1. 0.]
     [0. 1.]]
    """
    count, edges = histogramdd((x, y), bins, range, weights, density)
    return count, edges[0], edges[1]


# --- differences --------------------------------------------------------------------------------


def diff(
    a: Tensor, n: int = 1, axis: int = -1, prepend: MaybeArray = None, append: MaybeArray = None
) -> Tensor:
    """The differences of neighbours, `n` times, after numbers or arrays put before and behind.

    Raises:
        TypeError: no Tensor, `n` or `axis` no int.
        ValueError: `n` below 0 or nothing left, an axis out of range.

    >>> print(numpy.diff(Tensor([1.0, 4.0, 9.0])))
    [3. 5.]
    """
    x = hn.only(a, "diff", "a")
    d = hn.axis_of(axis, x.ndim, "diff")
    times = check_int(n, "diff", "n", at_least=0)
    if times == 0:
        return x
    added = [None if v is None else _end(hn.array(v, "diff"), x, d) for v in (prepend, append)]
    parts = [p for p in (added[0], x, added[1]) if p is not None]
    x = ops.concat(hn.of_one_dtype(parts), d) if len(parts) > 1 else x
    if times >= x.shape[d]:
        raise error(
            ValueError, f"For 'diff', nothing is left of {x.shape[d]} elements after {times} times."
        )
    kind = x.dtype
    out = hn.number(x)
    for _ in np.arange(times):
        m = out.shape[d]
        out = ops.sub(ops.narrow(out, d, 1, m - 1), ops.narrow(out, d, 0, m - 1))
    return ops.cast(out, kind)


def _end(v: Tensor, x: Tensor, d: int) -> Tensor:
    """What goes before or behind `x` along `d`: as long as it is there, or a number."""
    length = v.shape[d] if v.ndim == x.ndim else 1
    return ops.broadcast_to(v, (*x.shape[:d], length, *x.shape[d + 1 :]))  # type: ignore[no-any-return]


def ediff1d(
    ary: Tensor, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None
) -> Tensor:
    """The differences of neighbours of the flattened array, between other numbers.

    Raises:
        TypeError: no Tensor.

    >>> print(numpy.ediff1d(Tensor([1, 4, 9]), to_begin=0))
    [0 3 5]
    """
    x = hn.only(ary, "ediff1d", "ary").reshape(-1)
    around = [
        None if v is None else ops.cast(hn.array(v).reshape(-1), x.dtype)
        for v in (to_begin, to_end)
    ]
    parts = [p for p in (around[0], diff(x), around[1]) if p is not None]
    return ops.concat(parts, 0)


def gradient(
    f: ArrayLike, *varargs: ArrayLike, axis: Axis = None, edge_order: int = 1
) -> TensorOrTensors:
    """Slopes from neighbours on both sides, at the ends from one: an array for each axis. The distances
    are 1, one number, or one for each axis.

    Raises:
        TypeError: other numbers of distances and axes.
        ValueError: less than two elements, an axis out of range.
        NotImplementedError: `edge_order` is not 1, distances that are arrays.

    >>> print(numpy.gradient(Tensor([1.0, 2.0, 4.0])))
    [1.  1.5 2. ]
    """
    if edge_order != 1:
        raise hn.unsupported("gradient", "edge_order other than 1", "write edge_order=1")
    x = hn.single(hn.array(f, "gradient", "f"))
    # In the order of dimensions, whatever the order of `axis`, as in MindSpore.
    axes = tuple(sorted(hn.axes_of(axis, x.ndim, "gradient")))
    steps = varargs * len(axes) if len(varargs) == 1 else varargs or (1,) * len(axes)
    if len(steps) != len(axes):
        raise error(TypeError, f"For 'gradient', there must be one distance, or {len(axes)}.")
    out = [_slopes(x, d, h) for d, h in zip(axes, steps, strict=True)]
    return out[0] if len(out) == 1 else out


def _slopes(x: Tensor, d: int, step: Any) -> Tensor:
    n = x.shape[d]
    if n < 2:
        raise error(ValueError, "For 'gradient', there must be at least 2 elements along an axis.")
    if not is_number(step) and not (isinstance(step, Tensor) and step.ndim == 0):
        raise hn.unsupported("gradient", "an array of distances", "give one number an axis")
    apart = ops.sub(ops.narrow(x, d, 1, n - 1), ops.narrow(x, d, 0, n - 1))
    first, last = ops.narrow(apart, d, 0, 1), ops.narrow(apart, d, n - 2, 1)
    if n == 2:
        return ops.div(ops.concat((first, last), d), step)
    middle = ops.mul(ops.sub(ops.narrow(x, d, 2, n - 2), ops.narrow(x, d, 0, n - 2)), 0.5)
    return ops.div(ops.concat((first, middle, last), d), step)


def trapz(y: ArrayLike, x: ArrayLike | None = None, dx: ArrayLike = 1.0, axis: int = -1) -> Tensor:
    """The integral by the trapezoidal rule, over places `x` or at distances of `dx`.

    Raises:
        TypeError: an axis that is no int.
        ValueError: an axis out of range.

    >>> print(numpy.trapz(Tensor([1.0, 2.0, 4.0])))
    4.5
    """
    values = hn.floating(hn.array(y, "trapz", "y"))
    d = hn.axis_of(axis, values.ndim, "trapz")
    step = hn.beside(dx, values, "trapz") if x is None else diff(hn.array(x, "trapz"))
    n = values.shape[d]
    step = ops.cast(step, values.dtype).reshape((*step.shape, *(1,) * (values.ndim - d - 1)))
    count = max(n - 1, 0)
    both = ops.add(ops.narrow(values, d, 0, count), ops.narrow(values, d, n - count, count))
    return ops.sum(ops.div(ops.mul(both, step), 2), (d,))


def unwrap(p: ArrayLike, discont: float = math.pi, axis: int = -1) -> Tensor:
    """Angles without jumps: multiples of 2π are added where neighbours are more than `discont` apart.

    Raises:
        TypeError: `discont` is no number.
        ValueError: an axis out of range.

    >>> print(numpy.unwrap(Tensor([0.0, 3.0, 6.5, 1.0])))
    [0.        3.        0.216815  1.0000005]
    """
    if not is_number(discont):
        raise argument_error(TypeError, "unwrap", "discont", "a number", discont)
    given = hn.array(p, "unwrap", "p")
    d = hn.axis_of(axis, given.ndim, "unwrap") if given.ndim else hn.axis_of(axis, 0, "unwrap")
    x = hn.single(given)
    apart = diff(x, axis=d)
    turned = ops.sub(remainder(ops.add(apart, math.pi), 2 * math.pi), math.pi)
    turned = where(
        ops.logical_and(ops.equal(turned, -math.pi), ops.greater(apart, 0)), math.pi, turned
    )
    change = ops.sub(turned, apart)
    change = where(ops.less(ops.abs(apart), discont), 0, change)
    n = x.shape[d]
    rest = ops.add(ops.narrow(x, d, 1, n - 1), ops.cumsum(ops.cast(change, x.dtype), d))
    return ops.concat((ops.narrow(x, d, 0, 1), rest), d)


# --- products of shifted vectors ----------------------------------------------------------------


def _slid(a: Tensor, v: Tensor, mode: str, op: str) -> Tensor:
    """Products of `v`, from its first element on, with each part of the longer `a` of its length."""
    check_one_of(mode, op, "mode", ("full", "same", "valid"))
    n, m = a.size, v.size
    before, behind = {"full": (m - 1, m - 1), "same": (m // 2, m - m // 2 - 1), "valid": (0, 0)}[
        mode
    ]
    padded = ops.pad(a, (before, behind)) if before or behind else a
    count = n + before + behind - m + 1
    windows = np.arange(count)[:, None] + np.arange(m)
    return ops.mv(padded[known(windows, mstype.int32)], v)


def convolve(a: ArrayLike, v: ArrayLike, mode: str = "full") -> Tensor:
    """The convolution of two vectors: all places where they overlap ("full"), as many as the longer one
    has ("same"), or those where they overlap all along ("valid").

    Raises:
        ValueError: empty arrays, other numbers of dimensions than 1, another mode.

    >>> print(numpy.convolve([1, 2, 3], [0, 1, 0.5]))
    [0.  1.  2.5 4.  1.5]
    """
    x, y = (hn.seen_as(hn.array(w, "convolve"), 1) for w in (a, v))
    if x.ndim != 1 or y.ndim != 1 or not x.size or not y.size:
        raise error(ValueError, "For 'convolve', 'a' and 'v' must be vectors that are not empty.")
    kind = mstype.promote(x.dtype, y.dtype)
    x, y = (y, x) if x.size < y.size else (x, y)
    wide = mstype.int64 if kind.kind in "iu" else mstype.promote(kind, mstype.float32)
    x, y = (ops.cast(w, wide) for w in (x, y))
    return ops.cast(_slid(x, ops.flip(y, (0,)), mode, "convolve"), kind)


def correlate(a: ArrayLike, v: ArrayLike, mode: str = "valid") -> Tensor:
    """The correlation of two vectors: products of `v` with parts of `a`; the modes are those of
    `convolve`.

    Raises:
        ValueError: empty arrays, other numbers of dimensions than 1, another mode.

    >>> print(numpy.correlate(Tensor([1.0, 2.0, 3.0]), Tensor([0.0, 1.0])))
    [2. 3.]
    """
    x, y = hn.real(a, "correlate", "a"), hn.real(v, "correlate", "v")
    if x.ndim != 1 or y.ndim != 1 or not x.size or not y.size:
        raise error(ValueError, "For 'correlate', 'a' and 'v' must be vectors that are not empty.")
    x, y = (hn.float_like(*pair, of_int64=mstype.float64) for pair in ((x, y), (y, x)))
    if x.size >= y.size:
        return _slid(x, y, mode, "correlate")
    return ops.flip(_slid(y, x, mode, "correlate"), (0,))


# --- covariance ---------------------------------------------------------------------------------


def _rows(m: Any, rowvar: Any) -> Tensor:
    x = hn.single(hn.real(m, "cov", "m"))
    if x.ndim > 2:
        raise argument_error(ValueError, "cov", "m", "of at most 2 dimensions", x)
    x = hn.seen_as(x, 2)
    return x if check_bool(rowvar, "cov", "rowvar") or x.shape[0] == 1 else x.T


def _counts(weights: Any, count: int) -> Tensor:
    w = hn.array(weights, "cov", "weights")
    if w.dtype.kind not in "iu":
        raise argument_error(TypeError, "cov", "weights", "integers", weights)
    if w.ndim != 1 or w.shape[0] != count:
        raise argument_error(RuntimeError, "cov", "weights", f"a vector of {count}", w)
    return ops.abs(hn.single(w))


def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """The covariances of variables, which are rows, or columns if `rowvar` is False. They are divided by
    the number of observations less `ddof`: by default 1, or 0 with `bias`. `fweights` says how often
    each was made, `aweights` how much it counts.

    Raises:
        TypeError: weights that are no integers.
        ValueError: more than two dimensions.
        RuntimeError: weights that are not as many as observations.

    >>> print(numpy.cov(Tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])))
    [[ 1. -1.]
     [-1.  1.]]
    """
    x = _rows(m, rowvar)
    if y is not None:
        x = ops.concat(hn.of_one_dtype([x, _rows(y, rowvar)]), 0)
    less = (0 if bias else 1) if ddof is None else check_int(ddof, "cov", "ddof")
    n = x.shape[1]
    often = None if fweights is None else _counts(fweights, n)
    much = None if aweights is None else _counts(aweights, n)
    given = [v for v in (often, much) if v is not None]
    if not given:
        apart = ops.sub(x, ops.mean(x, (1,), True))
        scaled = apart
        total: Any = max(n - less, 0)
    else:
        w = ops.cast(given[0] if len(given) == 1 else ops.mul(*given), x.dtype)
        whole = ops.sum(w)
        apart = ops.sub(x, ops.div(ops.sum(ops.mul(x, w), (1,), True), whole))
        scaled = ops.mul(apart, w)
        part = less if much is None else ops.div(ops.mul(ops.sum(ops.mul(w, much)), less), whole)
        total = ops.sub(whole, part)
    return hn.cast(ops.squeeze(ops.div(ops.matmul(apart, scaled.T), total)), dtype)  # type: ignore[no-any-return]


def corrcoef(
    x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, dtype: DTypeLike | None = None
) -> Tensor:
    """The correlations of variables: `cov` over the standard deviations, within -1 and 1.

    Raises:
        TypeError, ValueError: as `cov`.

    >>> print(numpy.corrcoef(Tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])))
    [[ 1. -1.]
     [-1.  1.]]
    """
    c = cov(x, y, rowvar)
    if c.ndim == 0:
        return hn.cast(ops.div(c, c), dtype)  # type: ignore[no-any-return]
    deviation = ops.sqrt(ops.diagonal(c, 0, 0, 1))
    c = ops.div(ops.div(c, ops.expand_dims(deviation, -1)), ops.expand_dims(deviation, 0))
    return hn.cast(ops.clamp(c, -1, 1), dtype)  # type: ignore[no-any-return]
