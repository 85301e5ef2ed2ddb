"""Short-time Fourier transforms: the spectra of parts of signals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_int,
    check_ndim,
    check_one_of,
    check_shape,
)
from cellgrad.core.errors import error
from cellgrad.core.record import cast_to, check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.ops import fourier
from cellgrad.ops._index import gathered
from cellgrad.ops._public import public
from cellgrad.ops._static import known
from cellgrad.ops.kinds import view_as_real
from cellgrad.ops.padding import padded
from cellgrad.ops.selection import ones
from cellgrad.ops.shapes import swapaxes

_MODES = {"REFLECT": "reflect", "CONSTANT": "constant", "SYMMETRIC": "symmetric"}


@public(
    "ops.STFT(n_fft, hop_length: int, win_length: int, normalized: bool, onesided: bool, "
    "return_complex: bool)(x, window: Tensor) = ops.stft(x, n_fft, hop_length, win_length, window, False, "
    "'REFLECT', normalized, onesided, return_complex)",
)
def stft(
    x: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "REFLECT",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
) -> Tensor:
    """Short-time Fourier transforms: the spectrum of each part of `n_fft` elements of a signal, times a
    window.

    Args:
        x: float32, float64 or complex numbers, shape (length,) or (batch, length).
        n_fft: the length of a part.
        hop_length: how far the next part is away, ``n_fft // 4`` by default.
        win_length: the length of the window, at most `n_fft`, which is the default.
        window: shape (win_length,), ones by default; zeros are added at both ends up to `n_fft` elements.
        center: whether the signal is padded by ``n_fft // 2`` elements at both ends, so that part k has its
            middle at element ``k * hop_length``.
        pad_mode: "REFLECT", "CONSTANT" (zeros) or "SYMMETRIC".
        normalized: whether spectra are divided by the root of `n_fft`.
        onesided: whether frequencies above the half are left out; by default for real `x` and `window`,
            and for no others.
        return_complex: whether the result is complex; by default if `x` or `window` is.

    Returns:
        A complex tensor of shape (..., frequencies, parts), or a real one of shape (..., frequencies, parts,
        2): ``n_fft`` frequencies, or ``n_fft // 2 + 1``.

    Raises:
        TypeError: arguments of another kind.
        ValueError: numbers of elements that do not fit, another `pad_mode`, or `onesided` with complex numbers.

    >>> print(ops.stft(ops.ones(6), 4, 1, center=False, return_complex=True))
    [[4.+0.j 4.+0.j 4.+0.j]
     [0.+0.j 0.+0.j 0.+0.j]
     [0.+0.j 0.+0.j 0.+0.j]]

    >>> print(ops.STFT(4, 1, 4, False, True, True)(ops.ones(5), ops.ones(4)))
    [[4.+0.j 4.+0.j]
     [0.+0.j 0.+0.j]
     [0.+0.j 0.+0.j]]
    """
    op = "stft"
    given = check_ndim(fourier.checked_input(x, op), op, "x", 1, 2)
    n = check_int(n_fft, op, "n_fft", at_least=1)
    hop = check_int(n // 4 if hop_length is None else hop_length, op, "hop_length", at_least=1)
    length = check_int(
        n if win_length is None else win_length, op, "win_length", at_least=1, at_most=n
    )
    mode = _MODES[check_one_of(pad_mode, op, "pad_mode", tuple(_MODES))]
    check_bool(center, op, "center")
    check_bool(normalized, op, "normalized")
    weights = None if window is None else check_tensor(window, op, "window")
    if weights is not None:
        check_shape(weights, op, "window", (length,), "that of 'win_length'")
        if weights.dtype.kind not in "fc":
            raise argument_error(TypeError, op, "window", "of floats or complex numbers", weights)
    complex_ = "c" in (given.dtype.kind, "" if weights is None else weights.dtype.kind)
    half = check_bool(not complex_ if onesided is None else onesided, op, "onesided")
    if half and complex_:
        raise error(
            ValueError, f"For '{op}', 'onesided' must be False for complex numbers, but got True."
        )
    pairs = check_bool(complex_ if return_complex is None else return_complex, op, "return_complex")
    out: Tensor = _spectra(given, weights, n, hop, length, mode if center else "", normalized, half)
    return out if pairs else view_as_real(out)


@operation
def _spectra(
    x: Tensor, window: Any, n: int, hop: int, length: int, mode: str, normalized: bool, half: bool
) -> Tensor:
    if mode:
        x = padded(x, [(0, 0)] * (x.ndim - 1) + [(n // 2, n // 2)], mode, None)
    if x.shape[-1] < n:
        raise error(
            ValueError,
            f"For 'stft', 'x' must have at least {n} elements, 'n_fft', but got {x.shape[-1]}.",
        )
    first = np.arange(0, x.shape[-1] - n + 1, hop)
    parts = gathered(x, known(first[:, None] + np.arange(n), mstype.int32), x.ndim - 1)
    if window is not None or length < n:
        window = ones((length,), mstype.real_of(x.dtype)) if window is None else window
        low = (n - length) // 2
        window = padded(window, [(low, n - length - low)], "constant", None)
        dtype = mstype.promote(parts.dtype, window.dtype)
        parts = parts * (window if dtype.kind == "c" else cast_to(window, dtype))
    spectrum = (fourier.rfft if half else fourier.fft)(parts)
    out: Tensor = swapaxes(spectrum, -1, -2)
    return out * (1 / math.sqrt(n)) if normalized else out
