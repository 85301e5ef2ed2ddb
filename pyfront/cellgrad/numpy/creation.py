"""Arrays made from numbers, shapes and other arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, DTypeLike, Number, ShapeLike, TensorOrTensors
from cellgrad.core.arguments import argument_error, check_bool, check_int, check_ndim, check_number
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.numpy import _helpers as hn
from cellgrad.ops._static import known

__all__ = [
    "arange",
    "array",
    "asarray",
    "asfarray",
    "bartlett",
    "blackman",
    "copy",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "geomspace",
    "hamming",
    "hanning",
    "identity",
    "linspace",
    "logspace",
    "ones",
    "ones_like",
    "rand",
    "randint",
    "randn",
    "tri",
    "vander",
    "zeros",
    "zeros_like",
]


def asarray(a: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """A Tensor from a Tensor, number, or nested lists and tuples. Numbers are int32 and float32; a Tensor
    of the dtype is given back itself.

    Raises:
        TypeError: anything else, such as a str; a `dtype` that is none.
        ValueError: nested lists of different lengths.

    >>> print(numpy.asarray([[1, 2], [3, 4]]))
    [[1 2]
     [3 4]]
    """
    kind = None if dtype is None else hn.dtype_of(dtype, "asarray")
    made = hn.array(a, "asarray", "a", wide=kind is not None)
    return made if made.dtype == kind else hn.cast(made, kind)


def array(
    obj: ArrayLike, dtype: DTypeLike | None = None, copy: bool = True, ndmin: int = 0
) -> Tensor:
    """As `asarray`, a tensor of its own unless `copy` is False, with at least `ndmin` dimensions.

    Raises:
        TypeError, ValueError: as `asarray`.

    >>> print(numpy.array([1, 2], ndmin=2))
    [[1 2]]
    """
    made = asarray(obj, dtype)
    if ndmin > made.ndim:
        made = hn.seen_as(made, ndmin)
    return made.copy() if copy and made is obj else made


def copy(a: ArrayLike) -> Tensor:
    """A tensor of its own with the same elements.

    >>> print(numpy.copy([1, 2]))
    [1 2]
    """
    return asarray(a).copy()


def asfarray(a: ArrayLike, dtype: DTypeLike = mstype.float32) -> Tensor:
    """As `asarray`, in a floating-point dtype: float32, or `dtype` if that is one.

    >>> print(numpy.asfarray([1, 2]))
    [1. 2.]
    """
    if dtype is None:
        return asarray(a)
    kind = hn.dtype_of(dtype, "asfarray")
    return asarray(a, kind if kind.kind == "f" else mstype.float32)


# --- of one number ------------------------------------------------------------------------------


def full(shape: ShapeLike, fill_value: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """A number, or an array broadcast, in a shape.

    Raises:
        TypeError: a shape that is no int, tuple or list of them.
        ValueError: a negative length, or an array that does not broadcast.

    >>> print(numpy.full((2, 2), 3))
    [[3 3]
     [3 3]]
    """
    lengths = hn.shape_of(shape, "full")
    value = hn.array(fill_value, "full", "fill_value")
    if hn.broadcast_shape("full", value.shape, lengths) != lengths:
        shapes = f"{value.shape} does not broadcast to {lengths}"
        raise error(ValueError, f"For 'full', 'fill_value' of the shape {shapes}.")
    return hn.cast(ops.broadcast_to(value, lengths), dtype)  # type: ignore[no-any-return]


def ones(shape: ShapeLike, dtype: DTypeLike = mstype.float32) -> Tensor:
    """Ones.

    Raises:
        TypeError: a shape that is no int, tuple or list of them.
        ValueError: a negative length.

    >>> print(numpy.ones((2, 2)))
    [[1. 1.]
     [1. 1.]]
    """
    return ops.ones(hn.shape_of(shape, "ones"), hn.dtype_of(dtype, "ones"))


def zeros(shape: ShapeLike, dtype: DTypeLike = mstype.float32) -> Tensor:
    """Zeros.

    Raises:
        TypeError: a shape that is no int, tuple or list of them.
        ValueError: a negative length.

    >>> print(numpy.zeros((2, 2)))
    [[0. 0.]
     [0. 0.]]
    """
    return ops.zeros(hn.shape_of(shape, "zeros"), hn.dtype_of(dtype, "zeros"))


def empty(shape: ShapeLike, dtype: DTypeLike = mstype.float32) -> Tensor:
    """Zeros, as MindSpore has it.

    >>> print(numpy.empty((2,)))
    [0. 0.]
    """
    return zeros(shape, dtype)


def _shape_like(a: Any, shape: Any, op: str) -> tuple[int, ...]:
    return (
        hn.array(a, op, "a").shape if shape is None or shape in ((), []) else hn.shape_of(shape, op)
    )


def full_like(
    a: ArrayLike,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike | None = None,
) -> Tensor:
    """As `full`, with the shape and dtype of another array unless others are given.

    >>> print(numpy.full_like([[1, 2], [3, 4]], 7))
    [[7 7]
     [7 7]]
    """
    kind = hn.array(a, "full_like", "a").dtype if dtype is None else dtype
    return full(_shape_like(a, shape, "full_like"), fill_value, kind)


def ones_like(
    a: ArrayLike, dtype: DTypeLike | None = None, shape: ShapeLike | None = None
) -> Tensor:
    """As `ones`, with the shape and dtype of another array unless others are given.

    >>> print(numpy.ones_like(Tensor([1.0, 2.0])))
    [1. 1.]
    """
    kind = hn.array(a, "ones_like", "a").dtype if dtype is None else dtype
    return ones(_shape_like(a, shape, "ones_like"), kind)


def zeros_like(
    a: ArrayLike, dtype: DTypeLike | None = None, shape: ShapeLike | None = None
) -> Tensor:
    """As `zeros`, with the shape and dtype of another array unless others are given.

    >>> print(numpy.zeros_like(Tensor([1.0, 2.0])))
    [0. 0.]
    """
    kind = hn.array(a, "zeros_like", "a").dtype if dtype is None else dtype
    return zeros(_shape_like(a, shape, "zeros_like"), kind)


def empty_like(
    prototype: ArrayLike, dtype: DTypeLike | None = None, shape: ShapeLike | None = None
) -> Tensor:
    """As `zeros_like`.

    >>> print(numpy.empty_like(Tensor([1.0, 2.0])))
    [0. 0.]
    """
    return zeros_like(prototype, dtype, shape)


# --- matrices -----------------------------------------------------------------------------------


def eye(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = mstype.float32) -> Tensor:
    """A matrix of `N` rows and `M` (by default `N`) columns with ones on the diagonal `k`.

    Raises:
        TypeError: no ints.

    >>> print(numpy.eye(2, 3, k=1))
    [[0. 1. 0.]
     [0. 0. 1.]]
    """
    kind = hn.dtype_of(dtype, "eye")
    rows, offset = check_int(N, "eye", "N", at_least=0), check_int(k, "eye", "k")
    columns = rows if M is None else check_int(M, "eye", "M", at_least=0)
    return known(np.eye(rows, columns, offset), kind)


def identity(n: int, dtype: DTypeLike = mstype.float32) -> Tensor:
    """A matrix of `n` rows and columns with ones on the diagonal.

    Raises:
        TypeError: no int.

    >>> print(numpy.identity(2))
    [[1. 0.]
     [0. 1.]]
    """
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = mstype.float32) -> Tensor:
    """A matrix with ones on and below the diagonal `k`.

    Raises:
        TypeError: no ints.

    >>> print(numpy.tri(2, 3))
    [[1. 0. 0.]
     [1. 1. 0.]]
    """
    rows, offset = check_int(N, "tri", "N", at_least=0), check_int(k, "tri", "k")
    columns = rows if M is None else check_int(M, "tri", "M", at_least=0)
    return known(np.tri(rows, columns, offset), hn.dtype_of(dtype, "tri"))


def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> Tensor:
    """Powers of the elements of a vector, a row for each.

    Raises:
        TypeError: `x` is no array, `N` no int, `increasing` no bool.
        ValueError: `x` has not one dimension, or `N` is below 1.

    >>> print(numpy.vander(Tensor([1.0, 2.0, 3.0])))
    [[1. 1. 1.]
     [4. 2. 1.]
     [9. 3. 1.]]
    """
    if not isinstance(x, Tensor | list | tuple | np.ndarray):
        raise argument_error(TypeError, "vander", "x", "a Tensor, list or tuple", x)
    base = hn.array(x, "vander")
    check_ndim(base, "vander", "x", 1)
    count = check_int(N or base.size, "vander", "N", at_least=1)
    powers = (
        np.arange(count)
        if check_bool(increasing, "vander", "increasing")
        else np.arange(count)[::-1]
    )
    columns = [ops.pow(base, int(p)) if p else ops.ones_like(base) for p in powers]
    out: Tensor = ops.stack(columns, -1)
    return out


# --- ranges -------------------------------------------------------------------------------------


def arange(
    start: Number,
    stop: Number | None = None,
    step: Number | None = None,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Numbers from `start` at distances of `step`, before `stop`; with one argument from 0 before it.
    int32 if all of them are ints, float32 otherwise.

    Raises:
        TypeError: no numbers.
        ValueError: there is no such number.

    >>> print(numpy.arange(0, 5, 2))
    [0 2 4]
    """
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    for value, name in ((start, "start"), (stop, "stop"), (step, "step")):
        check_number(value, "arange", name)
    whole = all(isinstance(v, int | np.integer) for v in (start, stop, step))
    kind = mstype.int32 if whole else mstype.float32
    count = math.ceil((stop - start) / step)  # type: ignore[operator]
    if count <= 0:
        raise error(
            ValueError, f"For 'arange', there is no number from {start} to {stop} by {step}."
        )
    return known(start + step * np.arange(count), kind if dtype is None else hn.dtype_of(dtype))


def _ends(
    start: Any, stop: Any, num: Any, endpoint: Any, dtype: Any, op: str
) -> tuple[Tensor, Tensor]:
    """Both ends in floating point, broadcast; with all digits where `dtype` has them."""
    check_bool(endpoint, op, "endpoint")
    num = check_int(num, op, "num", at_least=1)
    a = hn.single(hn.real(hn.float_like(start, stop), op, "start"))
    b = hn.single(hn.real(hn.float_like(stop, start), op, "stop"))
    if dtype is not None and hn.dtype_of(dtype) is mstype.float64:
        given = zip((start, stop), (a, b), strict=True)
        wide = [x if isinstance(v, Tensor) else np.asarray(v, np.float64) for v, x in given]
        a, b = (ops.cast(x if isinstance(x, Tensor) else Tensor(x), mstype.float64) for x in wide)
    shape = hn.broadcast_shape(op, a.shape, b.shape)
    return ops.broadcast_to(a, shape), ops.broadcast_to(b, shape)


def _fractions(num: int, endpoint: bool, ndim: int, axis: int, like: Tensor) -> Tensor:
    """0 to 1 in `num` steps, along `axis` of so many dimensions."""
    places = np.arange(num) / max(num - 1 if endpoint else num, 1)
    shape = tuple(num if d == axis else 1 for d in range(ndim))
    return known(places.reshape(shape), like.dtype)


def _spaced(a: Tensor, b: Tensor, num: int, endpoint: bool, axis: Any, op: str) -> Tensor:
    d = hn.axis_of(axis, a.ndim + 1, op)
    low, high = ops.expand_dims(a, d), ops.expand_dims(b, d)
    # Whole steps from the start, so that round numbers are met exactly; and so is the last one.
    count = num - 1 if endpoint and num > 1 else num
    step = ops.div(ops.sub(high, low), max(num - 1 if endpoint else num, 1))
    shape = tuple(count if i == d else 1 for i in range(low.ndim))
    out = ops.add(low, ops.mul(step, known(np.arange(count).reshape(shape), a.dtype)))
    return out if count == num else ops.concat((out, high), d)  # type: ignore[no-any-return]


def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> TensorOrTensors:
    """`num` numbers at equal distances from `start` to `stop`, which may be arrays; the last one is
    `stop` if `endpoint` is True. With `retstep`, the distance as well.

    Raises:
        TypeError: `num` is no int, `endpoint` or `retstep` no bool.
        ValueError: `num` below 1.

    >>> print(numpy.linspace(0, 5, 6))
    [0. 1. 2. 3. 4. 5.]
    """
    a, b = _ends(start, stop, num, endpoint, dtype, "linspace")
    check_bool(retstep, "linspace", "retstep")
    out = hn.cast(_spaced(a, b, num, endpoint, axis, "linspace"), dtype or mstype.default_float())
    if not retstep:
        return out
    count = num - 1 if endpoint else num
    step = ops.div(ops.sub(b, a), count) if count else math.nan
    return out, step


def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    """`base` to the power of what `linspace` gives.

    Raises:
        TypeError: `num` is no int, `endpoint` no bool, `base` no number.
        ValueError: `num` below 1.

    >>> print(numpy.logspace(0, 2, 3))
    [  1.  10. 100.]
    """
    check_number(base, "logspace", "base")
    powers = _spaced(
        *_ends(start, stop, num, endpoint, dtype, "logspace"), num, endpoint, axis, "logspace"
    )
    return hn.cast(ops.pow(float(base), powers), dtype or mstype.default_float())  # type: ignore[no-any-return]


def geomspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    """`num` numbers from `start` to `stop`, each the same multiple of the one before.

    Raises:
        TypeError: `num` is no int, `endpoint` no bool.
        ValueError: `num` below 1.

    >>> print(numpy.geomspace(1, 8, 4))
    [1. 2. 4. 8.]
    """
    a, b = _ends(start, stop, num, endpoint, dtype, "geomspace")
    d = hn.axis_of(axis, a.ndim + 1, "geomspace")
    t = _fractions(num, endpoint, a.ndim + 1, d, a)
    out = ops.mul(ops.pow(ops.expand_dims(ops.div(b, a), d), t), ops.expand_dims(a, d))
    return hn.cast(out, dtype or mstype.default_float())  # type: ignore[no-any-return]


# --- windows ------------------------------------------------------------------------------------


def _window(values: Any, M: Any, op: str) -> Tensor:
    count = max(check_int(M, op, "M"), 0)
    return known(values(count) if count > 1 else np.ones(count), mstype.float32)


def bartlett(M: int) -> Tensor:
    """A triangle of `M` points.

    Raises:
        TypeError: no int.

    >>> print(numpy.bartlett(5))
    [0.  0.5 1.  0.5 0. ]
    """
    return _window(np.bartlett, M, "bartlett")


def blackman(M: int) -> Tensor:
    """A sum of three cosines, of `M` points.

    Raises:
        TypeError: no int.

    >>> print(numpy.blackman(3))
    [-1.3877788e-17  1.0000000e+00 -1.3877788e-17]
    """
    return _window(np.blackman, M, "blackman")


def hamming(M: int) -> Tensor:
    """A raised cosine of `M` points, not 0 at the ends.

    Raises:
        TypeError: no int.

    >>> print(numpy.hamming(3))
    [0.08 1.   0.08]
    """
    return _window(np.hamming, M, "hamming")


def hanning(M: int) -> Tensor:
    """A raised cosine of `M` points, 0 at the ends.

    Raises:
        TypeError: no int.

    >>> print(numpy.hanning(5))
    [0.  0.5 1.  0.5 0. ]
    """
    return _window(np.hanning, M, "hanning")


# --- random numbers -----------------------------------------------------------------------------


def _lengths(shape: tuple[Any, ...], op: str) -> tuple[int, ...]:
    if len(shape) == 1:
        return hn.shape_of(shape[0], op)
    return hn.shape_of(shape, op) if shape else (1,)


def _float_dtype(dtype: Any, op: str) -> Any:
    kind = hn.dtype_of(dtype, op)
    if kind.kind != "f":
        raise argument_error(ValueError, op, "dtype", "a floating-point dtype", dtype)
    return kind


def rand(*shape: ShapeLike, dtype: DTypeLike = mstype.float32) -> Tensor:
    """Numbers drawn evenly from [0, 1).

    Raises:
        TypeError: a shape that is no ints, or a tuple or list of them.
        ValueError: a `dtype` that is not floating-point.

    >>> numpy.rand(2, 3).shape
    (2, 3)
    """
    kind = _float_dtype(dtype, "rand")
    return ops.cast(ops.rand(*_lengths(shape, "rand")), kind)


def randn(*shape: ShapeLike, dtype: DTypeLike = mstype.float32) -> Tensor:
    """Numbers drawn from the normal distribution of mean 0 and variance 1.

    Raises:
        TypeError: a shape that is no ints, or a tuple or list of them.
        ValueError: a `dtype` that is not floating-point.

    >>> numpy.randn(2, 3).shape
    (2, 3)
    """
    kind = _float_dtype(dtype, "randn")
    return ops.cast(ops.randn(*_lengths(shape, "randn")), kind)


def randint(
    minval: int,
    maxval: int | None = None,
    shape: ShapeLike | None = None,
    dtype: DTypeLike = mstype.int32,
) -> Tensor:
    """Integers drawn evenly from `minval` to before `maxval`, or from 0 to before `minval`.

    Raises:
        TypeError: bounds that are no ints.
        ValueError: no number between the bounds, or a `dtype` that is no integer one.

    >>> numpy.randint(1, 10, (2, 3)).shape
    (2, 3)
    """
    low, high = (0, minval) if maxval is None else (minval, maxval)
    low = check_int(low, "randint", "minval")
    if check_int(high, "randint", "maxval") <= low:
        raise error(ValueError, f"For 'randint', there is no integer from {low} to before {high}.")
    kind = hn.dtype_of(dtype, "randint")
    if kind.kind != "i":
        raise argument_error(ValueError, "randint", "dtype", "an integer dtype", dtype)
    lengths = (1,) if shape is None else hn.shape_of(shape, "randint")
    return ops.cast(ops.randint(low, high, lengths), kind)
