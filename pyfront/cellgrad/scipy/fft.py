"""Cosine transforms, with SciPy's names: ``scipy.fft``.

Those of type 2 with norm "ortho", which MindSpore has, and their inverses, which are those of type 3. By one Fourier
transform of a rearranged line (Makhoul, 1980).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Axis, Dims
from cellgrad.core.arguments import argument_error, check_int
from cellgrad.core.record import axis_of, check_tensor, complex_forms, operation, plain_ints
from cellgrad.core.tensor import Tensor

__all__ = ["dct", "dctn", "idct", "idctn"]


def _operand(op: str, x: Any, type: Any, norm: Any) -> Tensor:
    given = check_tensor(x, op, "x")
    if given.dtype is mstype.bool_ or given.dtype is mstype.bfloat16:
        raise argument_error(TypeError, op, "x", "numbers", given)
    if given.ndim == 0:
        raise argument_error(ValueError, op, "x", "a Tensor of at least one dimension", given)
    type = check_int(type, op, "type")
    if type != 2:
        raise argument_error(ValueError, op, "type", "2", type)
    if norm not in (None, "ortho"):
        raise argument_error(ValueError, op, "norm", "'ortho' or None, which means it", norm)
    wide = given.dtype is mstype.float64 or given.dtype.kind == "c"
    return given if wide else ops.cast(given, mstype.float32)


def _resized(op: str, x: Tensor, axis: int, n: Any) -> Tensor:
    """With `n` elements along an axis: cut, or with zeros after them."""
    if n is None:
        n = x.shape[axis]
    n = plain_ints(n, op, "n")
    if check_int(n, op, "n") < 1:
        raise argument_error(ValueError, op, "n", "at least 1", n)
    have = x.shape[axis]
    if n < have:
        return ops.narrow(x, axis, 0, n)
    if n == have:
        return x
    more = ops.zeros((*x.shape[:axis], n - have, *x.shape[axis + 1 :]), x.dtype)
    return ops.concat((x, more), axis)


def _constants(values: np.ndarray[Any, Any], like: Tensor) -> Tensor:
    single = like.dtype in (mstype.float32, mstype.complex64)
    kind = np.complex64 if single else np.complex128
    return Tensor(values.astype(kind if values.dtype.kind == "c" else kind().real.dtype))


def _orders(n: int) -> tuple[list[int], list[int]]:
    """Even places and then odd ones backwards; and the inverse of that order."""
    there = [*range(0, n, 2), *reversed(range(1, n, 2))]
    back = [0] * n
    for i, j in enumerate(there):
        back[j] = i
    return there, back


def _forward(x: Tensor) -> Tensor:
    """Along the last dimension, of real numbers."""
    n = x.shape[-1]
    v = ops.fft(ops.index_select(x, -1, Tensor(_orders(n)[0])))
    turn = _constants(np.exp(-0.5j * np.pi * np.arange(n) / n), x)
    scale = np.full(n, math.sqrt(2 / n))
    scale[0] = math.sqrt(1 / n)
    return ops.real(v * turn) * _constants(scale, x)


def _backward(x: Tensor) -> Tensor:
    n = x.shape[-1]
    scale = np.full(n, math.sqrt(n / 2))
    scale[0] = math.sqrt(n)
    y = x * _constants(scale, x)
    rest = ops.flip(y[..., 1:], (-1,))
    mirrored = ops.concat((ops.zeros_like(y[..., :1]), rest), -1) if n > 1 else ops.zeros_like(y)
    turn = _constants(np.exp(0.5j * np.pi * np.arange(n) / n), x)
    v = ops.real(ops.ifft(ops.Complex()(y, -mirrored) * turn))
    return ops.index_select(v, -1, Tensor(_orders(n)[1]))


def _along(transform: Any, x: Tensor, axis: int) -> Tensor:
    lines = ops.swapaxes(x, axis, -1)
    if x.dtype.kind == "c":
        found = ops.Complex()(transform(ops.real(lines)), transform(ops.imag(lines)))
    else:
        found = transform(lines)
    return ops.swapaxes(found, axis, -1)


def _over(op: str, transform: Any, x: Any, type: Any, s: Any, axes: Any, norm: Any) -> Tensor:
    out = _operand(op, x, type, norm)
    s = plain_ints(s, op, "s")
    sizes = None if s is None else [*s] if isinstance(s, tuple | list) else [s]
    if axes is None:
        places = [*range(out.ndim)] if sizes is None else [*range(-len(sizes), 0)]
    else:
        places = [*axes] if isinstance(axes, tuple | list) else [axes]
    places = [axis_of(a, out.ndim, op) for a in places]
    if len(set(places)) != len(places):
        raise argument_error(ValueError, op, "axes", "different dimensions", axes)
    if sizes is not None and len(sizes) != len(places):
        raise argument_error(ValueError, op, "s", f"{len(places)} sizes, one for each axis", s)
    for i, place in enumerate(places):
        out = _along(transform, _resized(op, out, place, sizes and sizes[i]), place)
    return out


@operation
def dct(
    x: Tensor, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None
) -> Tensor:
    """The discrete cosine transform of type 2, with norm "ortho".

    Args:
        x: integers, floats or complex numbers.
        type: 2.
        n: the length, to which `x` is cut, or filled with zeros; that of `x` by default.
        axis: the dimension.
        norm: "ortho", or None, which means it.

    Returns:
        Tensor of float32 for float32 and lower, float64, or complex as `x` is.

    Raises:
        TypeError: no Tensor of numbers, `n` or `axis` no int.
        ValueError: another type or norm, an axis out of range, an `n` below 1.

    >>> from cellgrad.scipy import fft
    >>> print(fft.dct(Tensor([1.0, 1.0, 1.0, 1.0])))
    [2. 0. 0. 0.]
    """
    given = _operand("dct", x, type, norm)
    return _over("dct", _forward, given, 2, n, axis_of(axis, given.ndim, "dct"), norm)


@operation
def idct(
    x: Tensor, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None
) -> Tensor:
    """The inverse of `dct`, which takes the same arguments.

    Raises:
        TypeError: no Tensor of numbers, `n` or `axis` no int.
        ValueError: another type or norm, an axis out of range, an `n` below 1.

    >>> from cellgrad.scipy import fft
    >>> print(fft.idct(Tensor([2.0, 0.0, 0.0, 0.0])))
    [1. 1. 1. 1.]
    """
    given = _operand("idct", x, type, norm)
    return _over("idct", _backward, given, 2, n, axis_of(axis, given.ndim, "idct"), norm)


@operation
def dctn(
    x: Tensor, type: int = 2, s: Dims | None = None, axes: Axis = None, norm: str | None = None
) -> Tensor:
    """`dct` along several dimensions.

    Args:
        x, type, norm: as of `dct`.
        s: lengths, one for each axis.
        axes: the dimensions; the last ones where only `s` is given, else all.

    Raises:
        TypeError: no Tensor of numbers, sizes or axes that are no ints.
        ValueError: as `dct`; an axis twice, or another number of sizes.

    >>> from cellgrad.scipy import fft
    >>> print(fft.dctn(ops.ones((2, 2))))
    [[2. 0.]
     [0. 0.]]
    """
    return _over("dctn", _forward, x, type, s, axes, norm)


@operation
def idctn(
    x: Tensor, type: int = 2, s: Dims | None = None, axes: Axis = None, norm: str | None = None
) -> Tensor:
    """The inverse of `dctn`, which takes the same arguments.

    Raises:
        TypeError: no Tensor of numbers, sizes or axes that are no ints.
        ValueError: as `dct`; an axis twice, or another number of sizes.

    >>> from cellgrad.scipy import fft
    >>> print(fft.idctn(Tensor([[2.0, 0.0], [0.0, 0.0]])))
    [[1. 1.]
     [1. 1.]]
    """
    return _over("idctn", _backward, x, type, s, axes, norm)


for _name in __all__:
    complex_forms[f"fft.{_name}"] = True
