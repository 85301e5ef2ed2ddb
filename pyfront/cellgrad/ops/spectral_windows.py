"""Windows of signals: bartlett, blackman, hamming, hann and kaiser.

A periodic window of n elements is the symmetric one of n + 1 without its last element. They are
computed in float64 while compiling, and are constants of the compiled code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import ShapeLike
from cellgrad.core.arguments import argument_error, check_bool, check_number
from cellgrad.core.dtype import Type
from cellgrad.core.record import operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops._public import public
from cellgrad.ops._static import known, known_int

Array = np.ndarray[Any, Any]


def _window(
    op: str,
    length: Any,
    periodic: Any,
    dtype: Type | None,
    shape: Callable[[Array, int], Array],
    default: Type = mstype.float32,
) -> Tensor:
    n = known_int(length, op, "window_length", at_least=0)
    check_bool(periodic, op, "periodic")
    target = default if dtype is None else dtype
    if not isinstance(target, Type) or target.kind != "f":
        raise argument_error(TypeError, op, "dtype", "a dtype of floating-point numbers", dtype)
    last = n if periodic else n - 1
    values = np.ones(n) if n == 1 else shape(np.arange(n, dtype=np.float64), last)
    return _made(values, target)


def _made(values: Array, target: Type) -> Tensor:
    out: Tensor = _constant(tuple(values.tolist()), target)
    return out


@operation
def _constant(values: tuple[float, ...], target: Type) -> Tensor:
    return known(np.array(values, np.float64), mstype.float64).astype(target)


@public(
    "ops.BartlettWindow(periodic, dtype: Any = mstype.float32)(window_length)",
)
def bartlett_window(
    window_length: ShapeLike, periodic: bool = True, *, dtype: Type | None = None
) -> Tensor:
    """A triangle: ``1 - |2 n / N - 1|``.

    Raises:
        TypeError: `window_length` is not an int, `periodic` not a bool, or `dtype` not of floats.
        ValueError: `window_length` below 0.

    >>> print(ops.bartlett_window(5, False))
    [0.  0.5 1.  0.5 0. ]
    """
    return _window(
        "bartlett_window",
        window_length,
        periodic,
        dtype,
        lambda k, last: 1 - np.abs(2 * k / last - 1),
    )


def _cosines(k: Array, last: int, *coefficients: float) -> Array:
    angle = 2 * np.pi * k / last
    even = sum(c * np.cos(2 * j * angle) for j, c in enumerate(coefficients[::2]))
    # The terms that are positive at the ends come first: these are exactly 0.
    out: Array = even + coefficients[1] * np.cos(angle)
    return out


@public(
    "ops.BlackmanWindow(periodic, dtype: Any = mstype.float32)(window_length)",
)
def blackman_window(
    window_length: ShapeLike, periodic: bool = True, *, dtype: Type | None = None
) -> Tensor:
    """``0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N)``; see `bartlett_window`.

    >>> print(ops.blackman_window(3, False).round(decimals=4))
    [0. 1. 0.]
    """
    return _window(
        "blackman_window",
        window_length,
        periodic,
        dtype,
        lambda k, last: _cosines(k, last, 0.42, -0.5, 0.08),
    )


@public(
    "ops.HammingWindow(periodic, alpha, beta, dtype: Any = mstype.float32)(length)",
)
def hamming_window(
    window_length: ShapeLike,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: Type | None = None,
) -> Tensor:
    """``alpha - beta cos(2 pi n / N)``; see `bartlett_window`.

    >>> print(ops.hamming_window(3, False))
    [0.08 1.   0.08]
    """
    check_number(alpha, "hamming_window", "alpha")
    check_number(beta, "hamming_window", "beta")
    return _window(
        "hamming_window",
        window_length,
        periodic,
        dtype,
        lambda k, last: _cosines(k, last, alpha, -beta),
    )


@public()
def hann_window(
    window_length: ShapeLike, periodic: bool = True, *, dtype: Type | None = None
) -> Tensor:
    """``(1 - cos(2 pi n / N)) / 2``, float64 by default; see `bartlett_window`.

    >>> print(ops.hann_window(3, False))
    [0. 1. 0.]
    """
    return _window(
        "hann_window",
        window_length,
        periodic,
        dtype,
        lambda k, last: _cosines(k, last, 0.5, -0.5),
        mstype.float64,
    )


@public()
def kaiser_window(
    window_length: ShapeLike,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: Type | None = None,
) -> Tensor:
    """The Kaiser-Bessel window: ``I0(beta sqrt(1 - (2 n / N - 1)**2)) / I0(beta)``, float64 by default; see
    `bartlett_window`.

    >>> print(ops.kaiser_window(3, False, 0.0))
    [1. 1. 1.]
    """
    check_number(beta, "kaiser_window", "beta")
    return _window(
        "kaiser_window",
        window_length,
        periodic,
        dtype,
        lambda k, last: np.i0(beta * np.sqrt(1 - (2 * k / last - 1) ** 2)) / np.i0(beta),
        mstype.float64,
    )
