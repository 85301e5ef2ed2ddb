"""Elementwise functions that are no forms of one operation."""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.capture.loop_ops import ForiLoop
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, DTypeLike
from cellgrad.core.arguments import argument_error, check_int
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.numpy import _helpers as hn
from cellgrad.numpy._forms import floor_divide

__all__ = [
    "around",
    "cbrt",
    "clip",
    "copysign",
    "divide",
    "divmod",
    "exp2",
    "float_power",
    "fmod",
    "gcd",
    "heaviside",
    "lcm",
    "maximum",
    "minimum",
    "mod",
    "positive",
    "power",
    "reciprocal",
    "remainder",
    "rint",
    "round",
    "sign",
    "signbit",
    "true_divide",
]


def positive(a: Tensor, dtype: DTypeLike | None = None) -> Tensor:
    """The elements themselves.

    Raises:
        TypeError: `a` is no Tensor.

    >>> print(numpy.positive(Tensor([1.0, -1.0])))
    [ 1. -1.]
    """
    out: Tensor = hn.cast(ops.mul(hn.number(hn.only(a, "positive", "a")), 1), dtype)
    return out


def sign(x: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """-1, 0 or 1; NaN for NaN. The signs of integers are float32.

    Raises:
        TypeError: bools.

    >>> print(numpy.sign(Tensor([-2.0, 0.0, 3.0])))
    [-1.  0.  1.]
    """
    given = hn.array(x, "sign")
    if given.dtype is mstype.bool_:
        raise argument_error(TypeError, "sign", "x", "numbers", x)
    given = hn.floating(given)
    out: Tensor = hn.cast(ops.where(ops.isnan(given), given, ops.sign(given)), dtype)
    return out


def signbit(x: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """Whether an element is below 0.

    Raises:
        TypeError: a `dtype` that is not bool.

    >>> print(numpy.signbit(Tensor([-2.0, 0.0, 3.0])))
    [ True False False]
    """
    if dtype is not None and hn.dtype_of(dtype, "signbit") is not mstype.bool_:
        raise argument_error(TypeError, "signbit", "dtype", "bool", dtype)
    return ops.less(hn.number(x), 0)


def rint(x: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """The nearest whole number, of two the even one.

    Raises:
        TypeError: no floats.

    >>> print(numpy.rint(Tensor([0.5, 1.5, 2.4])))
    [0. 2. 2.]
    """
    given = hn.array(x, "rint", wide=True)
    if not hn.is_float(given):
        raise argument_error(TypeError, "rint", "x", "floating-point numbers", x)
    out: Tensor = hn.cast(ops.round(given), dtype)
    return out


def around(a: ArrayLike, decimals: int = 0) -> Tensor:
    """The nearest numbers with so many decimals, of two the one whose last digit is even; integers as they are.

    Raises:
        TypeError: `decimals` is no int.
        ValueError: `decimals` below 0.

    >>> print(numpy.around(Tensor([0.5, 1.25, -2.75]), 1))
    [ 0.5  1.2 -2.8]
    """
    given = hn.array(a, "around", "a", wide=True)
    if isinstance(a, list | tuple) and hn.is_float(given):
        given = ops.cast(given, mstype.default_float())
    scale = 10 ** check_int(decimals, "around", "decimals", at_least=0)
    if not hn.is_float(given):
        return given
    out: Tensor = ops.round(given) if scale == 1 else ops.div(ops.round(given * scale), scale)
    return out


round = around


def exp2(x: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """2 to the power of each element; of integers an integer.

    >>> print(numpy.exp2(Tensor([2.0, 3.0])))
    [4. 8.]
    """
    given = hn.array(x, "exp2")
    out: Tensor = hn.cast(ops.exp2(given) if hn.is_float(given) else ops.pow(2, given), dtype)
    return out


def reciprocal(x: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """1 over each element; of integers without the fraction.

    >>> print(numpy.reciprocal(Tensor([2.0, 4.0])))
    [0.5  0.25]
    """
    given = hn.array(x, "reciprocal")
    if hn.is_float(given):
        out: Tensor = ops.reciprocal(given)
    else:
        wide = ops.cast(given, mstype.int64) if given.dtype is mstype.bool_ else given
        out = ops.truncate_div(ops.ones_like(wide), wide)
    return hn.cast(out, dtype)  # type: ignore[no-any-return]


def cbrt(x: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """The cube root.

    >>> print(numpy.cbrt(Tensor([8.0, -27.0])))
    [ 2. -3.]
    """
    given = hn.single(x)
    size = ops.abs(given)
    out = ops.mul(ops.sign(given), ops.pow(size, 1.0 / 3.0))
    return hn.cast(out, dtype)  # type: ignore[no-any-return]


def divide(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """The quotient; that of integers is float32.

    >>> print(numpy.divide(Tensor([1, 3]), Tensor([2, 2])))
    [0.5 1.5]
    """
    a, b = hn.beside(x1, x2, "divide"), hn.beside(x2, x1, "divide")
    if not hn.is_float(a) and not hn.is_float(b):
        a, b = hn.floating(a), hn.floating(b)
    return hn.cast(ops.div(a, b), dtype)  # type: ignore[no-any-return]


def true_divide(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """Same as `divide`.

    >>> print(numpy.true_divide(Tensor([1, 3]), Tensor([2, 2])))
    [0.5 1.5]
    """
    return divide(x1, x2, dtype)


def power(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """`x1` to the power of `x2`.

    >>> print(numpy.power(Tensor([2.0, 3.0]), 2))
    [4. 9.]
    """
    return hn.cast(ops.pow(hn.like(x1, x2), hn.like(x2, x1)), dtype)  # type: ignore[no-any-return]


def float_power(x1: Tensor, x2: Tensor, dtype: DTypeLike | None = None) -> Tensor:
    """`x1` to the power of `x2`, in floating point.

    Raises:
        TypeError: no Tensors.

    >>> print(numpy.float_power(Tensor([1, 2, 3]), Tensor([-1, 2, 0])))
    [1. 4. 1.]
    """
    a, b = hn.only(x1, "float_power", "x1"), hn.only(x2, "float_power", "x2")
    return hn.cast(ops.pow(hn.single(a), hn.single(b)), dtype)  # type: ignore[no-any-return]


def _remainder(a: Tensor, b: Tensor, floor: bool) -> Tensor:
    """What division leaves, with the sign of `b` or of `a`; that of an integer by 0 is 0."""
    kind = a.dtype
    if hn.is_float(a):
        quotient = ops.div(a, b)
        whole = ops.floor(quotient) if floor else ops.trunc(quotient)
        return ops.sub(a, ops.mul(b, whole))
    if kind is mstype.bool_:
        a, b = ops.cast(a, mstype.int32), ops.cast(b, mstype.int32)
    zero = ops.equal(b, 0)
    safe = ops.where(zero, ops.ones_like(b), b)
    whole = ops.floor_div(a, safe) if floor else ops.truncate_div(a, safe)
    left = ops.sub(a, ops.mul(whole, safe))
    return ops.cast(ops.where(zero, ops.zeros_like(left), left), kind)


def remainder(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """What floor division leaves, with the sign of `x2`. The remainder of an integer by 0 is 0.

    >>> print(numpy.remainder(Tensor([5.0, -5.0]), Tensor([3.0, 3.0])))
    [2. 1.]
    """
    return hn.cast(_remainder(hn.like(x1, x2), hn.like(x2, x1), True), dtype)  # type: ignore[no-any-return]


def mod(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """Same as `remainder`.

    >>> print(numpy.mod(Tensor([5, -5]), 3))
    [2 1]
    """
    return remainder(x1, x2, dtype)


def fmod(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """What division leaves, with the sign of `x1`.

    >>> print(numpy.fmod(Tensor([5.0, -5.0]), Tensor([3.0, 3.0])))
    [ 2. -2.]
    """
    return hn.cast(_remainder(hn.like(x1, x2), hn.like(x2, x1), False), dtype)  # type: ignore[no-any-return]


def divmod(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike | None = None) -> tuple[Tensor, Tensor]:
    """`floor_divide` and `remainder`.

    >>> print(*numpy.divmod(Tensor([5, -5]), Tensor([3, 3])))
    [ 1 -2] [2 1]
    """
    return floor_divide(x1, x2, dtype), remainder(x1, x2, dtype)


def _extremum(x1: Any, x2: Any, dtype: Any, op: str) -> Tensor:
    a, b = hn.beside(x1, x2, op), hn.beside(x2, x1, op)
    kind: Type = mstype.promote(a.dtype, b.dtype)
    left, right = (hn.number(ops.cast(x, kind)) for x in (a, b))
    out = ops.cast((ops.maximum if op == "maximum" else ops.minimum)(left, right), kind)
    if a.ndim != b.ndim and 0 in (a.ndim, b.ndim):
        dtype = b.dtype if a.ndim == 0 else a.dtype  # as MindSpore: that of the array
    return hn.cast(out, dtype)  # type: ignore[no-any-return]


def maximum(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """The larger of two elements, NaN where one is. Beside an array, a number takes its dtype.

    >>> print(numpy.maximum(Tensor([1.0, 3.0]), Tensor([2.0, 2.0])))
    [2. 3.]
    """
    return _extremum(x1, x2, dtype, "maximum")


def minimum(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """The smaller of two elements, NaN where one is. Beside an array, a number takes its dtype.

    >>> print(numpy.minimum(Tensor([1.0, 3.0]), Tensor([2.0, 2.0])))
    [1. 2.]
    """
    return _extremum(x1, x2, dtype, "minimum")


def clip(x: ArrayLike, xmin: ArrayLike, xmax: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """The elements within bounds, of which one may be None.

    Raises:
        ValueError: both bounds are None.

    >>> print(numpy.clip(Tensor([-1.0, 0.5, 2.0]), 0, 1))
    [0.  0.5 1. ]
    """
    if xmin is None and xmax is None:
        raise error(ValueError, "For 'clip', one of 'xmin' and 'xmax' must not be None.")
    out = hn.array(x, "clip")
    if xmin is not None:
        out = maximum(out, xmin, dtype)
    return out if xmax is None else minimum(out, xmax, dtype)


def heaviside(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """0 where `x1` is negative, 1 where it is positive, `x2` where it is 0.

    >>> print(numpy.heaviside(Tensor([-1.0, 0.0, 2.0]), Tensor(0.5)))
    [0.  0.5 1. ]
    """
    a, b = hn.like(x1, x2, "heaviside"), hn.like(x2, x1, "heaviside")
    signs = hn.number(a)
    step = ops.cast(ops.greater(signs, 0), b.dtype)
    unsure = ops.logical_not(ops.logical_or(ops.less(signs, 0), ops.greater(signs, 0)))
    return hn.cast(ops.where(unsure, b, step), dtype)  # type: ignore[no-any-return]


def copysign(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """The size of `x1` with the sign of `x2`, in the dtype of `x1`; 0 has the sign +.

    Raises:
        TypeError: bools.

    >>> print(numpy.copysign(Tensor([1.0, -2.0]), Tensor([-1.0, 1.0])))
    [-1.  2.]
    """
    a, b = hn.array(x1, "copysign", "x1"), hn.array(x2, "copysign", "x2")
    for x, name in ((a, "x1"), (b, "x2")):
        if x.dtype is mstype.bool_:
            raise argument_error(TypeError, "copysign", name, "numbers", x)
    size = ops.abs(a)
    out = ops.where(ops.less(b, 0), ops.neg(size), size)
    return hn.cast(out, dtype)  # type: ignore[no-any-return]


def _greatest(a: Tensor, b: Tensor) -> Tensor:
    """The greatest common divisor of the sizes: Euclid's algorithm, of which two steps halve a number."""
    kind = a.dtype
    a, b = (ops.abs(hn.number(x)) for x in (a, b))
    steps = 2 * 8 * a.dtype.itemsize

    def step(_: Any, pair: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        x, y = pair
        zero = ops.equal(y, 0)
        left = _remainder(x, ops.where(zero, ops.ones_like(y), y), True)
        return ops.where(zero, x, y), ops.where(zero, y, left)

    found: Tensor = ForiLoop()(0, steps, step, (a, b))[0]
    return ops.cast(found, kind)


def gcd(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """The greatest common divisor of the sizes.

    >>> print(numpy.gcd(Tensor([12, -8]), Tensor([20, 12])))
    [4 4]
    """
    a, b = (hn.real(x, "gcd", "x") for x in (hn.like(x1, x2, "gcd"), hn.like(x2, x1, "gcd")))
    shape = hn.broadcast_shape("gcd", a.shape, b.shape)
    a, b = (ops.broadcast_to(x, shape) for x in (a, b))
    return hn.cast(_greatest(a, b), dtype)  # type: ignore[no-any-return]


def lcm(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike | None = None) -> Tensor:
    """The least common multiple of the sizes; 0 where one is 0.

    >>> print(numpy.lcm(Tensor([4, 6]), Tensor([6, 0])))
    [12  0]
    """
    a, b = (hn.real(x, "lcm", "x") for x in (hn.like(x1, x2, "lcm"), hn.like(x2, x1, "lcm")))
    shape, kind = hn.broadcast_shape("lcm", a.shape, b.shape), a.dtype
    a, b = (ops.broadcast_to(x, shape) for x in (a, b))
    a, b = (hn.number(x) for x in (a, b))
    common = _greatest(a, b)
    zero = ops.equal(common, 0)
    safe = ops.where(zero, ops.ones_like(common), common)
    part = ops.div(a, safe) if hn.is_float(a) else ops.floor_div(a, safe)
    return hn.cast(ops.cast(ops.abs(ops.mul(part, b)), kind), dtype)  # type: ignore[no-any-return]
