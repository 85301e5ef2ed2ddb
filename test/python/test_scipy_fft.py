"""Cosine transforms against scipy.fft, and their derivatives, which are the inverse transforms."""

import numpy as np
import pytest
import scipy.fft

import cellgrad as ms
from cellgrad import Tensor, ops
from cellgrad.scipy import fft

RNG = np.random.default_rng(7)


@pytest.mark.parametrize("name", ["dct", "idct"])
@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_lines(name, n):
    x = RNG.standard_normal((2, n))
    got = getattr(fft, name)(Tensor(x)).asnumpy()
    np.testing.assert_allclose(got, getattr(scipy.fft, name)(x, norm="ortho"), 1e-12, 1e-13)


@pytest.mark.parametrize("name", ["dctn", "idctn"])
@pytest.mark.parametrize(
    "settings", [{}, {"s": (3, 6)}, {"axes": (0, 2)}, {"s": (2, 7), "axes": (-1, 0)}]
)
def test_several_dimensions(name, settings):
    x = RNG.standard_normal((3, 4, 5)) + 1j * RNG.standard_normal((3, 4, 5))
    got = getattr(fft, name)(Tensor(x), **settings).asnumpy()
    np.testing.assert_allclose(
        got, getattr(scipy.fft, name)(x, norm="ortho", **settings), 1e-12, 1e-13
    )


def test_lengths_axes_and_dtypes():
    x = np.arange(12, dtype=np.int16).reshape(3, 4)
    got = fft.dct(Tensor(x), n=5, axis=0)
    assert got.dtype == ms.float32
    wanted = scipy.fft.dct(x.astype(np.float64), n=5, axis=0, norm="ortho")
    np.testing.assert_allclose(got.asnumpy(), wanted, 1e-5, 1e-5)


def test_gradient():
    x, v = RNG.standard_normal((2, 3, 6))
    got = ms.grad(lambda y: ops.sum(fft.dct(y) * Tensor(v)))(Tensor(x))
    np.testing.assert_allclose(got.asnumpy(), scipy.fft.idct(v, norm="ortho"), 1e-12)


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda x: fft.dct(x, 3), ValueError, "'type' must be 2"),
        (lambda x: fft.idct(x, norm="backward"), ValueError, "'norm' must be 'ortho'"),
        (lambda x: fft.dct(x, n=0), ValueError, "'n' must be at least 1"),
        (lambda x: fft.dct(x, n=2.5), TypeError, "'n' must be an int"),
        (lambda x: fft.idct(x, axis=2), ValueError, r"axis value must be in \[-2,2\)"),
        (lambda x: fft.dct(x[0, 0]), ValueError, "at least one dimension"),
        (lambda x: fft.dctn(x, axes=(0, -2)), ValueError, "different dimensions"),
        (lambda x: fft.idctn(x, s=(3,), axes=(0, 1)), ValueError, "one for each axis"),
        (lambda x: fft.dct(x > 0), TypeError, "'x' must be numbers"),
        (lambda x: fft.dctn([1.0]), TypeError, "Tensor"),
    ],
)
def test_refused(call, kind, text):
    with pytest.raises(kind, match=text):
        call(ops.ones((2, 3)))
