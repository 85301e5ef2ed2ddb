"""Fourier transforms by settings, and the frequencies of their elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Axis, Dims, TensorLike
from cellgrad.core.arguments import check_bool, check_number
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.record import cast_to, check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.ops._public import public
from cellgrad.ops._static import known_int, known_ints
from cellgrad.ops.arrangement import roll
from cellgrad.ops.fourier import axis_in, checked_input, fftn, ifftn, irfftn, rfftn
from cellgrad.ops.selection import dtype_argument


@public(
    "ops.FFTWithSize(signal_ndim, inverse, real, norm='backward', onesided=True, signal_sizes=())(x)"
)
def fft_with_size(
    x: Tensor,
    signal_ndim: int,
    inverse: bool,
    real: bool,
    norm: str = "backward",
    onesided: bool = True,
    signal_sizes: Dims = (),
) -> Tensor:
    """A transform of the last dimensions, of the kind that the arguments say.

    Args:
        x: Tensor of numbers.
        signal_ndim: how many dimensions, 1 to 3.
        inverse: whether it is the inverse one.
        real: whether the data, or the result of an inverse transform, is real: `rfftn`, `irfftn`.
        norm: as in `fft`.
        onesided: whether only the first half of the frequencies of real data is given.
        signal_sizes: the sizes of the result of an inverse transform to real data.

    Raises:
        TypeError, ValueError: as `fftn`.
        ValueError: a result without elements: one frequency of real data, and no `signal_sizes`.

    >>> print(ops.fft_with_size(Tensor([1.0, 2.0, 3.0, 4.0]), 1, False, True))
    [10.+0.j -2.+2.j -2.+0.j]

    >>> print(ops.FFTWithSize(1, False, True)(Tensor([1.0, 2.0, 3.0, 4.0])))
    [10.+0.j -2.+2.j -2.+0.j]
    """
    op = "fft_with_size"
    count = known_int(signal_ndim, op, "signal_ndim", at_least=1, below=4)
    for value, name in ((inverse, "inverse"), (real, "real"), (onesided, "onesided")):
        check_bool(value, op, name)
    dims = tuple(range(-count, 0))
    out: Tensor
    if not real:
        out = (ifftn if inverse else fftn)(x, None, dims, norm)
    elif not inverse:
        given = checked_input(x, op, real=True)
        out = (rfftn if onesided else fftn)(given, None, dims, norm)
    else:
        sizes = known_ints(signal_sizes, op, "signal_sizes") or None
        if onesided and sizes is None and check_tensor(x, op, "x").shape[-1:] == (1,):
            raise error(
                ValueError,
                "For 'FFTWithSize', the last dimension of the input cannot be 1: the result would have no elements.",
                "say its size by signal_sizes",
            )
        out = irfftn(x, sizes, dims, norm) if onesided else ifftn(x, sizes, dims, norm).real()
    return out


# --- frequencies ------------------------------------------------------------------------------


def _shifted(input: Any, dim: Any, op: str, back: bool) -> Tensor:
    x = check_tensor(input, op, "input")
    dims = (
        range(x.ndim)
        if dim is None
        else known_ints((dim,) if isinstance(dim, int) else dim, op, "dim")
    )
    listed = tuple(axis_in(x, d, op) for d in dims)
    amounts = tuple(-(x.shape[d] // 2) if back else x.shape[d] // 2 for d in listed)
    out: Tensor = roll(x, amounts, listed)
    return out


@public()
def fftshift(input: Tensor, dim: Axis = None) -> Tensor:
    """Moves frequency 0 to the middle of dimensions (all by default).

    Raises:
        TypeError, ValueError: `input` is not a Tensor, or `dim` out of range.

    >>> print(ops.fftshift(ops.fftfreq(4, 0.25)))
    [-2. -1.  0.  1.]
    """
    return _shifted(input, dim, "fftshift", False)


@public()
def ifftshift(input: Tensor, dim: Axis = None) -> Tensor:
    """The inverse of `fftshift`.

    Raises:
        TypeError, ValueError: `input` is not a Tensor, or `dim` out of range.

    >>> print(ops.ifftshift(Tensor([-2.0, -1.0, 0.0, 1.0])))
    [ 0.  1. -2. -1.]
    """
    return _shifted(input, dim, "ifftshift", True)


def _frequencies(n: Any, d: Any, dtype: Any, op: str, of: Any) -> Tensor:
    length = known_int(n, op, "n", at_least=1)
    target: Type = mstype.float32 if dtype is None else dtype_argument(dtype, op)
    if isinstance(d, Tensor) and d.ndim == 0:  # as ``float(y)`` is while compiling
        return cast_to(Tensor(of(length), mstype.float64) / d, target)
    return Tensor(of(length, float(check_number(d, op, "d"))), target)


@public()
def fftfreq(n: int, d: TensorLike = 1.0, dtype: Type | None = None) -> Tensor:
    """The frequencies of the elements of `fft`, of samples at distance `d`: 0, 1, ..., -1, over ``n d``.

    Raises:
        TypeError: `n` is not an int, or `d` not a number.
        ValueError: `n` is below 1.

    >>> print(ops.fftfreq(4))
    [ 0.    0.25 -0.5  -0.25]
    """
    return _frequencies(n, d, dtype, "fftfreq", np.fft.fftfreq)


@public()
def rfftfreq(n: int, d: TensorLike = 1.0, dtype: Type | None = None) -> Tensor:
    """The frequencies of the elements of `rfft`.

    Raises:
        TypeError: `n` is not an int, or `d` not a number.
        ValueError: `n` is below 1.

    >>> print(ops.rfftfreq(4))
    [0.   0.25 0.5 ]
    """
    return _frequencies(n, d, dtype, "rfftfreq", np.fft.rfftfreq)
