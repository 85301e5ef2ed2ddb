"""Products of vectors and matrices, and polynomials."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ArrayLike, DTypeLike
from cellgrad.core.arguments import argument_error, check_int
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.numpy import _helpers as hn
from cellgrad.numpy._forms import add
from cellgrad.numpy.arithmetic import true_divide
from cellgrad.numpy.joining import moveaxis
from cellgrad.numpy.statistics import convolve
from cellgrad.ops._static import known

__all__ = [
    "cross",
    "dot",
    "inner",
    "kron",
    "matmul",
    "matrix_power",
    "multi_dot",
    "outer",
    "polyadd",
    "polyder",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "tensordot",
]


def _contracted(a: Tensor, b: Tensor, axis: int, op: str) -> Tensor:
    """The sum over the last dimension of `a` and a dimension of `b`."""
    if a.shape[-1] != b.shape[axis]:
        raise error(ValueError, f"For '{op}', the shapes {a.shape} and {b.shape} are not aligned.")
    return ops.tensordot(a, b, ((a.ndim - 1,), (axis % b.ndim,)))


def inner(a: Tensor, b: Tensor) -> Tensor:
    """The sums of products over the last dimension of both.

    Raises:
        TypeError: no Tensors.
        ValueError: last dimensions of other lengths.

    >>> print(numpy.inner(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
    11.0
    """
    x, y = hn.only(a, "inner", "a"), hn.only(b, "inner", "b")
    if x.ndim == 0 or y.ndim == 0:
        return ops.mul(x, y)
    return _contracted(hn.like(x, y), hn.like(y, x), -1, "inner")


def dot(a: Tensor, b: Tensor) -> Tensor:
    """The sums of products over the last dimension of `a` and the last but one of `b`.

    Raises:
        TypeError: no Tensors.
        ValueError: these have other lengths.

    >>> print(numpy.dot(Tensor([[1.0, 2.0]]), Tensor([3.0, 4.0])))
    [11.]
    """
    x, y = hn.only(a, "dot", "a"), hn.only(b, "dot", "b")
    if x.ndim == 0 or y.ndim == 0:
        return ops.mul(x, y)
    return _contracted(hn.like(x, y), hn.like(y, x), max(y.ndim - 2, 0), "dot")


def outer(a: Tensor, b: Tensor) -> Tensor:
    """The products of all elements of both, flattened.

    Raises:
        TypeError: no Tensors.

    >>> print(numpy.outer(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
    [[3. 4.]
     [6. 8.]]
    """
    x, y = hn.only(a, "outer", "a"), hn.only(b, "outer", "b")
    return ops.mul(x.reshape((-1, 1)), y.reshape((1, -1)))


def tensordot(
    a: Tensor, b: Tensor, axes: int | Sequence[int] | Sequence[Sequence[int]] = 2
) -> Tensor:
    """The sums of products over so many dimensions, or over those that are listed for both.

    Raises:
        TypeError: no Tensors.
        ValueError: dimensions of other lengths.

    >>> print(numpy.tensordot(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]])))
    11.0
    """
    x, y = hn.only(a, "tensordot", "a"), hn.only(b, "tensordot", "b")
    if axes == 0 and (x.ndim == 0 or y.ndim == 0):
        return ops.mul(x, y)
    return ops.tensordot(x, y, axes)


def matmul(x1: Tensor, x2: Tensor, dtype: DTypeLike | None = None) -> Tensor:
    """The product of matrices.

    Raises:
        TypeError: no Tensors.
        ValueError: shapes that do not fit.

    >>> print(numpy.matmul(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])))
    [[11.]]
    """
    return hn.cast(ops.matmul(x1, x2), dtype)  # type: ignore[no-any-return]


def kron(a: ArrayLike, b: ArrayLike) -> Tensor:
    """The array `b` times each element of `a`, side by side.

    >>> print(numpy.kron(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
    [3. 4. 6. 8.]
    """
    x, y = hn.like(a, b, "kron"), hn.like(b, a, "kron")
    ndim = max(x.ndim, y.ndim)
    x, y = hn.seen_as(x, ndim), hn.seen_as(y, ndim)
    lengths = tuple(m * n for m, n in zip(x.shape, y.shape, strict=True))
    wide = tuple(n for m in x.shape for n in (m, 1))
    high = tuple(n for m in y.shape for n in (1, m))
    return ops.mul(x.reshape(wide), y.reshape(high)).reshape(lengths)


def cross(
    a: ArrayLike,
    b: ArrayLike,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Tensor:
    """The vectors at right angles to pairs of vectors with 3 components, or 2 and 0 as the third; of two
    vectors of 2, the third component.

    Raises:
        ValueError: another number of components, an axis out of range.

    >>> print(numpy.cross(Tensor([1.0, 2.0, 3.0]), Tensor([4.0, 5.0, 6.0])))
    [-3.  6. -3.]
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = hn.like(a, b, "cross"), hn.like(b, a, "cross")
    x = moveaxis(x, hn.axis_of(axisa, x.ndim, "cross"), -1)
    y = moveaxis(y, hn.axis_of(axisb, y.ndim, "cross"), -1)
    if x.shape[-1] not in (2, 3) or y.shape[-1] not in (2, 3):
        raise error(ValueError, "For 'cross', vectors must have 2 or 3 components.")
    x0, x1, y0, y1 = x[..., 0], x[..., 1], y[..., 0], y[..., 1]
    third = ops.sub(ops.mul(x0, y1), ops.mul(x1, y0))
    if x.shape[-1] == 2 and y.shape[-1] == 2:
        hn.axis_of(axisc, third.ndim, "cross")
        return third
    x2 = x[..., 2] if x.shape[-1] == 3 else ops.zeros_like(x0)
    y2 = y[..., 2] if y.shape[-1] == 3 else ops.zeros_like(y0)
    first = ops.sub(ops.mul(x1, y2), ops.mul(x2, y1))
    second = ops.sub(ops.mul(x2, y0), ops.mul(x0, y2))
    out = ops.stack((first, second, third), -1)
    return moveaxis(out, -1, hn.axis_of(axisc, out.ndim, "cross"))


def matrix_power(a: ArrayLike, n: int) -> Tensor:
    """The product of `n` times each matrix; of floating-point matrices also of their inverse, for negative `n`.

    Raises:
        TypeError: `n` is no int.
        ValueError: matrices that are not square; a negative `n` of integers.

    >>> print(numpy.matrix_power(Tensor([[1, 1], [0, 1]]), 3))
    [[1 3]
     [0 1]]
    """
    x = hn.array(a)
    if x.dtype.kind in "fc":
        return ops.matrix_power(x, n)
    check_int(n, "matrix_power", "n", at_least=0)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise argument_error(ValueError, "matrix_power", "a", "square matrices", x)
    one = ops.broadcast_to(ops.eye(x.shape[-1], dtype=x.dtype), x.shape)
    return functools.reduce(ops.matmul, n * [x]) if n else one


def multi_dot(arrays: Sequence[ArrayLike]) -> Tensor:
    """The product of several matrices, in the order of the fewest multiplications; the first and the
    last one may be vectors.

    Raises:
        ValueError: less than two arrays, other numbers of dimensions than 2, shapes that do not fit.

    >>> print(numpy.multi_dot([Tensor([[1.0, 2.0]]), Tensor([[1.0], [0.0]]), Tensor([[3.0]])]))
    [[3.]]
    """
    parts = [hn.array(a, "multi_dot", "arrays") for a in arrays]
    if len(parts) < 2:
        raise error(ValueError, "For 'multi_dot', there must be at least 2 arrays.")
    if len(parts) == 2:
        return dot(*parts)
    shape = (*parts[0].shape[:-1], *parts[-1].shape[1:])
    parts[0] = hn.seen_as(parts[0], 2)
    parts[-1] = parts[-1] if parts[-1].ndim > 1 else ops.expand_dims(parts[-1], 1)
    if any(p.ndim != 2 for p in parts):
        raise error(ValueError, "For 'multi_dot', arrays must be matrices.")
    lengths = [parts[0].shape[0], *(p.shape[1] for p in parts)]

    @functools.cache
    def best(i: int, j: int) -> tuple[int, int]:
        """The fewest multiplications for the arrays i to j, and the last one of the left factor."""
        if i == j:
            return 0, i
        options = [
            (best(i, k)[0] + best(k + 1, j)[0] + lengths[i] * lengths[k + 1] * lengths[j + 1], k)
            for k in range(i, j)
        ]
        return min(options)

    def product(i: int, j: int) -> Tensor:
        if i == j:
            return parts[i]
        k = best(i, j)[1]
        return dot(product(i, k), product(k + 1, j))

    return product(0, len(parts) - 1).reshape(shape)


# --- polynomials: coefficients, that of the highest power first ---------------------------------


def _coefficients(p: Any, op: str) -> Tensor:
    x = hn.array(p, op, "p")
    if x.ndim > 1:
        raise argument_error(ValueError, op, "p", "a number or a vector", x)
    return hn.seen_as(x, 1)


def polyadd(a1: ArrayLike, a2: ArrayLike) -> Tensor:
    """The sum of two polynomials.

    Raises:
        ValueError: no vectors.

    >>> print(numpy.polyadd([1, 2], [9, 5, 4]))
    [9 6 6]
    """
    x, y = _coefficients(a1, "polyadd"), _coefficients(a2, "polyadd")
    if x.size == y.size:
        return add(x, y)
    short, long = (x, y) if x.size < y.size else (y, x)
    front = long.size - short.size
    return ops.concat(hn.of_one_dtype([long[:front], add(long[front:], short)]), 0)


def polysub(a1: ArrayLike, a2: ArrayLike) -> Tensor:
    """The difference of two polynomials.

    Raises:
        ValueError: no vectors.

    >>> print(numpy.polysub([2, 10, -2], [3, 10, -4]))
    [-1  0  2]
    """
    return polyadd(a1, ops.neg(hn.array(a2, "polysub", "a2")))


def polymul(a1: ArrayLike, a2: ArrayLike) -> Tensor:
    """The product of two polynomials.

    Raises:
        ValueError: no vectors.

    >>> print(numpy.polymul([3, 1], [1, 0, 1]))
    [3 1 3 1]
    """
    return convolve(_coefficients(a1, "polymul"), _coefficients(a2, "polymul"))


def polyval(p: ArrayLike, x: ArrayLike) -> Tensor:
    """The polynomial's values: by Horner's rule, in floating point.

    Raises:
        ValueError: no vector of coefficients.

    >>> print(numpy.polyval([3.0, 0.0, 1.0], 5.0))
    76.0
    """
    c, places = hn.floating(_coefficients(p, "polyval")), hn.floating(x)
    kind = mstype.promote(mstype.promote(c.dtype, places.dtype), mstype.float32)
    c, places = ops.cast(c, kind), ops.cast(places, kind)
    out = ops.zeros_like(places)
    for i in range(c.size):
        out = ops.add(ops.mul(out, places), c[i])
    return out


def polyder(p: ArrayLike, m: int = 1) -> Tensor:
    """The derivative of order `m`; without coefficients, it is empty.

    Raises:
        ValueError: no vector, or an order below 0.

    >>> print(numpy.polyder([1, 2, 3]))
    [2 2]
    """
    c = _coefficients(p, "polyder")
    for _ in range(check_int(m, "polyder", "m", at_least=0)):
        if c.size <= 1:
            return ops.zeros((0,), mstype.float32)
        c = ops.mul(c[:-1], known(np.arange(c.size - 1, 0, -1), mstype.int32))
    return c


def polyint(p: ArrayLike, m: int = 1, k: ArrayLike | None = None) -> Tensor:
    """The integral of order `m`, with constants `k`: none, one for all, or one for each.

    Raises:
        ValueError: no vector, or an order below 0.

    >>> print(numpy.polyint([1, 1, 1]))
    [0.33333334 0.5        1.         0.        ]
    """
    c = _coefficients(p, "polyint")
    times = check_int(m, "polyint", "m", at_least=0)
    if times == 0:
        return c
    constants = _coefficients(ops.zeros((times,), c.dtype) if k is None else k, "polyint")
    constants = ops.tile(constants, (times,)) if constants.size == 1 else constants
    for i in range(times):
        whole = true_divide(c, known(np.arange(c.size, 0, -1), mstype.int32))
        c = ops.concat(hn.of_one_dtype([whole, constants[i : i + 1]]), 0)
    return c
