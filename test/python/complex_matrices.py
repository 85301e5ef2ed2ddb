"""What the tests of complex matrices compare, and how."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cellgrad import Tensor, ops
from cellgrad.testing import check_grads


def adjoint(a: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(a, -1, -2))


def close(got: Tensor, wanted: np.ndarray, tolerance: float = 1e-12) -> None:
    """Of one shape, and equal but for a part of the largest element."""
    scale = max(1.0, float(np.abs(wanted).max(initial=0)))
    found = got.asnumpy()
    assert found.shape == np.shape(wanted)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * scale)


def check_derivatives(function: Callable[[Tensor], Tensor], base: np.ndarray, order: int) -> None:
    """By real and imaginary parts, against differences."""
    check_grads(
        lambda x, y: function(ops.Complex()(x, y)),
        (Tensor(base.real), Tensor(base.imag)),
        order=order,
    )
