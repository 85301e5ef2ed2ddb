"""``numpy.pad``: edges of several kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, PaddingLike
from cellgrad.core.arguments import argument_error, check_one_of
from cellgrad.core.tensor import Tensor
from cellgrad.numpy import _helpers as hn
from cellgrad.numpy.manipulation import apply_along_axis
from cellgrad.ops._static import known

__all__ = ["pad"]

_STATISTICS: dict[str, Callable[..., Tensor]] = {
    "maximum": ops.amax,
    "minimum": ops.amin,
    "mean": ops.mean,
}
_MODES = (
    *("constant", "maximum", "minimum", "mean", "median", "edge", "wrap"),
    *("linear_ramp", "symmetric", "reflect", "empty"),
)


def _pairs(value: Any, ndim: int, argument: str) -> list[tuple[Any, Any]]:
    """A pair for each dimension, from a number, a pair, or a pair for each."""
    if not isinstance(value, int | float | list | tuple | Tensor):
        raise argument_error(TypeError, "pad", argument, "numbers, in tuples or lists", value)
    given = value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)
    try:
        return [(a, b) for a, b in np.broadcast_to(given, (ndim, 2)).tolist()]
    except ValueError:
        wanted = f"a number, a pair, or {ndim} pairs"
        raise argument_error(ValueError, "pad", argument, wanted, value) from None


def _around(x: Tensor, d: int, before: Tensor | None, behind: Tensor | None) -> Tensor:
    parts = [ops.cast(p, x.dtype) for p in (before, x, behind) if p is not None]
    return ops.concat(parts, d) if len(parts) > 1 else x


def _edge_of(x: Tensor, d: int, count: int, value: Any) -> Tensor | None:
    shape = tuple(count if i == d else n for i, n in enumerate(x.shape))
    return ops.broadcast_to(ops.cast(hn.array(value), x.dtype), shape) if count else None


def _statistic(
    x: Tensor, d: int, widths: tuple[int, int], lengths: tuple[int, int] | None, mode: str
) -> Tensor:
    n = x.shape[d]
    ends = []
    for side in (0, 1):
        m = n if lengths is None else min(lengths[side], n)
        part = ops.narrow(x, d, 0 if side == 0 else n - m, m)
        ends.append(part if mode == "edge" else _STATISTICS[mode](part, (d,), True))
    return _around(x, d, *(_edge_of(x, d, w, e) for w, e in zip(widths, ends, strict=True)))


def _taken(x: Tensor, d: int, places: Any) -> Tensor:
    return ops.gather(x, known(np.asarray(places), mstype.int32), d)


def _mirrored(x: Tensor, d: int, widths: tuple[int, int], mode: str, odd: bool) -> Tensor:
    """The elements in reverse beyond each end, over and over; "reflect" does not repeat the end itself.

    With `odd`, what is beyond an end is twice the end less its mirror image.
    """
    n = x.shape[d]
    period = n if mode == "symmetric" else max(n - 1, 1)
    places = np.arange(-widths[0], n + widths[1])
    if n == 1 and mode == "reflect":
        return _taken(x, d, np.zeros(len(places)))
    if mode == "symmetric":
        around = places % (2 * period)
        source = np.where(around < n, around, 2 * n - 1 - around)
    else:
        around = places % (2 * period)
        source = np.where(around < n, around, 2 * period - around)
    if not odd:
        return _taken(x, d, source)
    for side in (0, 1):
        left = widths[side]
        while left > 0:
            m = min(left, period)
            now = x.shape[d]
            skip = 0 if mode == "symmetric" else 1
            first = (
                np.arange(m - 1 + skip, skip - 1, -1)
                if side == 0
                else np.arange(now - 1 - skip, now - 1 - skip - m, -1)
            )
            end = _taken(x, d, [0 if side == 0 else now - 1])
            beyond = ops.sub(ops.mul(end, 2), _taken(x, d, first))
            x = _around(x, d, *((beyond, None) if side == 0 else (None, beyond)))
            left -= m
    return x


def _ramp(x: Tensor, d: int, widths: tuple[int, int], ends: tuple[Any, Any]) -> Tensor:
    """Lines from end values to the first and last element."""
    sides: list[Tensor | None] = []
    wide = hn.floating(x)
    for side, (count, end) in enumerate(zip(widths, ends, strict=True)):
        if count == 0:
            sides.append(None)
            continue
        edge = ops.narrow(wide, d, 0 if side == 0 else x.shape[d] - 1, 1)
        steps = np.arange(count) if side == 0 else np.arange(count - 1, -1, -1)
        t = known(steps.reshape(tuple(-1 if i == d else 1 for i in range(x.ndim))), wide.dtype)
        # In this order whole numbers stay whole.
        sides.append(ops.add(ops.mul(ops.div(ops.sub(edge, end), count), t), end))
    return _around(x, d, sides[0], sides[1])


def pad(
    arr: ArrayLike,
    pad_width: PaddingLike,
    mode: str | Callable[..., ArrayLike] = "constant",
    stat_length: PaddingLike | None = None,
    constant_values: ArrayLike = 0,
    end_values: ArrayLike = 0,
    reflect_type: str = "even",
    **kwargs: object,
) -> Tensor:
    """The array with more elements at both ends of each dimension.

    `pad_width` is how many: a number, a pair for all dimensions, or a pair for each, as `constant_values`
    (of the mode "constant"), `end_values` ("linear_ramp") and `stat_length` ("maximum", "minimum",
    "mean": of how many elements). Other modes are "edge", "wrap", "reflect", "symmetric", "empty", and
    functions of a padded vector, its widths, its dimension and `kwargs`.

    Raises:
        TypeError: widths that are no numbers.
        ValueError: widths that do not fit the dimensions, another mode.
        NotImplementedError: the mode "median".

    >>> print(numpy.pad(Tensor([1, 2, 3]), (1, 2)))
    [0 1 2 3 0 0]
    """
    x = hn.array(arr, "pad", "arr")
    if x.ndim == 0:
        return x
    widths = _pairs(pad_width, x.ndim, "pad_width")
    if mode == "median":
        raise hn.unsupported("pad", "the mode 'median'", "write mode='mean', or join parts")
    if callable(mode):
        out = pad(x, pad_width, "empty")
        for d in range(x.ndim):
            out = apply_along_axis(mode, d, out, widths[d], d, kwargs)
        return out
    check_one_of(mode, "pad", "mode", _MODES)
    constants = _pairs(constant_values, x.ndim, "constant_values")
    ends = _pairs(end_values, x.ndim, "end_values")
    lengths = None if stat_length is None else _pairs(stat_length, x.ndim, "stat_length")
    for d, width in enumerate(widths):
        if mode in ("constant", "empty"):
            values = constants[d] if mode == "constant" else (0, 0)
            x = _around(x, d, *(_edge_of(x, d, w, v) for w, v in zip(width, values, strict=True)))
        elif mode == "edge":
            x = _statistic(x, d, width, (1, 1), mode)
        elif mode in _STATISTICS:
            x = _statistic(x, d, width, None if lengths is None else lengths[d], mode)
        elif mode == "wrap":
            x = _taken(x, d, np.arange(-width[0], x.shape[d] + width[1]) % x.shape[d])
        elif mode == "linear_ramp":
            x = _ramp(x, d, width, ends[d])
        else:
            x = _mirrored(x, d, width, mode, reflect_type == "odd")
    return x
