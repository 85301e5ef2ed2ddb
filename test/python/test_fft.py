"""Fourier transforms: values against numpy.fft, derivatives of linear functions."""

from __future__ import annotations

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops

rng = np.random.default_rng(7)


def complex_data(*shape):
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


def error_of(found, expected):
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


# --- values -----------------------------------------------------------------------------------

# All small lengths; products of primes; primes of one small transform, and larger ones, which are convolutions.
LENGTHS = [*range(1, 65), 67, 96, 101, 122, 360, 1009, 1024]


@pytest.mark.parametrize("n", LENGTHS)
def test_every_length(n):
    z = complex_data(2, n)
    expected = np.fft.fft(z)
    close = 4e-16 * (2 + np.log2(n))
    assert error_of(ops.fft(Tensor(z)).asnumpy(), expected) < close
    if n in (1, 2, 9, 30, 61, 101, 360):
        assert error_of(ops.ifft(Tensor(z)).asnumpy(), np.fft.ifft(z)) < close
        x = z.real
        assert error_of(ops.rfft(Tensor(x)).asnumpy(), np.fft.rfft(x)) < close
        back = ops.irfft(Tensor(np.fft.rfft(x)), n)
        assert back.dtype is ms.float64
        assert error_of(back.asnumpy(), x) < 2 * close
        single = ops.fft(Tensor(z.astype(np.complex64)))
        assert single.dtype is ms.complex64
        assert error_of(single.asnumpy(), np.fft.fft(z.astype(np.complex64))) < 2e-7 * (
            2 + np.log2(n)
        )


def test_long_transforms():
    z = complex_data(1, 16384)
    assert error_of(ops.fft(Tensor(z)).asnumpy(), np.fft.fft(z)) < 2e-15


def test_single_frequencies_are_exact_to_the_last_digits():
    n = 4096
    for k in (1, 1023, 2048, 4095):
        wave = np.exp(2j * np.pi * ((k * np.arange(n)) % n) / n)
        found = ops.fft(Tensor(wave)).asnumpy()
        assert abs(found[k] - n) < 1e-11 and np.abs(np.delete(found, k)).max() < 1e-11


ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]


@pytest.mark.parametrize("name", ONE)
def test_lengths_dimensions_and_norms(name):
    of, expected = getattr(ops, name), getattr(np.fft, name)
    x = rng.normal(size=(3, 6, 5))
    given = x if name in ("rfft", "ihfft") else x + 1j * x[::-1]
    for n, dim, norm in [
        (None, -1, None),
        (4, 1, "ortho"),
        (9, 0, "forward"),
        (8, 2, "backward"),
        (1, 1, None),
    ]:
        found = of(Tensor(given), n, dim, norm).asnumpy()
        wanted = expected(given, n, dim, norm)
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, 1e-13, 1e-13)
    if name != "rfft" and name != "ihfft":  # of real numbers, too
        np.testing.assert_allclose(of(Tensor(x)).asnumpy(), expected(x), 1e-13, 1e-13)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_several_dimensions(name):
    x = rng.normal(size=(3, 4, 5))
    given = x if name == "rfft" else x + 1j * x[::-1]
    for suffix, cases in {
        "2": [(None, (-2, -1), None), ((6, 2), (0, 2), "ortho"), ((2, 4), (1, 0), "forward")],
        "n": [(None, None, None), ((2, 7), None, None), (None, (1,), "ortho"), ((3,), (0,), None)],
    }.items():
        for s, dim, norm in cases:
            found = getattr(ops, name + suffix)(Tensor(given), s, dim, norm).asnumpy()
            dims = dim if dim is not None or s is None else tuple(range(3 - len(s), 3))
            wanted = getattr(np.fft, name + "n")(given, s, dims, norm)
            np.testing.assert_allclose(found, wanted, 1e-13, 1e-13)


def test_hermitian_transforms_of_several_dimensions():
    z = complex_data(3, 4)
    # Those of a full array whose conjugate it is backwards, along both dimensions.
    by_hand = np.fft.hfft(np.fft.fft(z, axis=0), axis=1)
    np.testing.assert_allclose(ops.hfft2(Tensor(z)).asnumpy(), by_hand, 1e-13, 1e-13)
    np.testing.assert_allclose(ops.hfftn(Tensor(z)).asnumpy(), by_hand, 1e-13, 1e-13)
    x = rng.normal(size=(4, 6))
    for norm in (None, "ortho", "forward"):
        spectrum = ops.ihfft2(Tensor(x), norm=norm)
        by_hand = np.fft.ifft(np.fft.ihfft(x, axis=1, norm=norm), axis=0, norm=norm)
        np.testing.assert_allclose(spectrum.asnumpy(), by_hand, 1e-13, 1e-13)
        np.testing.assert_allclose(
            ops.hfftn(spectrum, x.shape, norm=norm).asnumpy(), x, 1e-12, 1e-13
        )
        np.testing.assert_allclose(
            ops.ihfftn(Tensor(x), norm=norm).asnumpy(), by_hand, 1e-13, 1e-13
        )


def test_mindspores_numbers():
    z = Tensor(np.array([1 + 2j, -0.5 + 0.3j], np.complex64))
    r = Tensor(np.array([1.0, 2.0], np.float32))
    m = Tensor(np.array([[1 + 2j, 2], [3j, 4 - 1j]], np.complex64))
    for found, expected in [  # recorded
        (ops.fft(z), [0.5 + 2.3j, 1.5 + 1.7j]),
        (ops.irfft(z), [0.25, 0.75]),
        (ops.irfft(z, 3), [0.0, 0.3267949, 0.6732051]),
        (ops.hfft(z), [0.5, 1.5]),
        (ops.ihfft(r), [1.5, -0.5]),
        (ops.rfft(r, 1), [1]),
        (ops.fft2(m), [[7 + 4j, -5 + 6j], [-1, 3 - 2j]]),
        (ops.irfft2(m), [[1.75, -1.25], [-0.25, 0.75]]),
        (ops.hfft2(m), [[7.0, -5.0], [-1.0, 3.0]]),
        (ops.ihfft2(m.real()), [[1.75, -1.25], [-0.25, 0.75]]),
        (ops.FFTWithSize(1, False, False)(z), [0.5 + 2.3j, 1.5 + 1.7j]),
        (ops.FFTWithSize(1, True, False)(z), [0.25 + 1.15j, 0.75 + 0.85j]),
        (ops.FFTWithSize(1, False, True)(r), [3, -1]),
        (ops.FFTWithSize(1, True, True)(z), [0.25, 0.75]),
        (ops.FFTWithSize(1, True, True, onesided=False)(z), [0.25, 0.75]),
        (ops.FFTWithSize(1, False, True, onesided=False)(r), [3, -1]),
        (ops.FFTWithSize(2, True, False, "ortho")(m), [[3.5 + 2j, -2.5 + 3j], [-0.5, 1.5 - 1j]]),
        (ops.fftshift(r), [2, 1]),
        (ops.fftfreq(5), [0.0, 0.2, 0.4, -0.4, -0.2]),
        (ops.rfftfreq(5, 0.5), [0.0, 0.4, 0.8]),
    ]:
        np.testing.assert_allclose(found.asnumpy(), expected, 1e-6, 1e-7)
    kinds = (ms.float16, ms.complex64), (ms.int32, ms.complex64), (ms.float64, ms.complex128)
    for dtype, result in kinds:
        assert ops.fft(r.astype(dtype)).dtype is result
    assert ops.fftfreq(4, dtype=ms.float64).dtype is ms.float64


def test_shifts_are_numpys():
    x = rng.normal(size=(4, 5))
    for dim in (None, 0, (0, 1), -1):
        for name in ("fftshift", "ifftshift"):
            found = getattr(ops, name)(Tensor(x), dim).asnumpy()
            np.testing.assert_array_equal(found, getattr(np.fft, name)(x, dim))


# --- derivatives ------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [12, 96])
def test_derivatives_are_transforms(n):
    """Parseval: the energy of a spectrum is n times that of its data, and so are derivatives."""
    z, v = complex_data(n), complex_data(n)

    def energy(z):
        return ops.real(ops.fft(z) * ops.fft(z).conj()).sum()

    np.testing.assert_allclose(energy(Tensor(z)).item(), n * (np.abs(z) ** 2).sum(), 1e-13)
    np.testing.assert_allclose(ms.grad(energy)(Tensor(z)).asnumpy(), 2 * n * z, 1e-12, 1e-12)
    _, second = ms.jvp(ms.grad(energy), Tensor(z), Tensor(v))
    np.testing.assert_allclose(second.asnumpy(), 2 * n * v, 1e-12, 1e-12)
    _, pushed = ms.jvp(ops.fft, Tensor(z), Tensor(v))
    np.testing.assert_allclose(pushed.asnumpy(), np.fft.fft(v), 1e-12, 1e-12)
    pulled = ms.ops.GradOperation(sens_param=True)(ops.fft)(Tensor(z), Tensor(v)).asnumpy()
    np.testing.assert_allclose(pulled, n * np.fft.ifft(v), 1e-12, 1e-12)


@pytest.mark.parametrize("name", ["rfft", "irfft", "hfft", "ihfft", "ifft", "rfftn", "irfftn"])
def test_adjoints(name, mode):
    of, expected = getattr(ops, name), getattr(np.fft, name)
    x = rng.normal(size=(4, 6))
    x = x if name in ("rfft", "ihfft", "rfftn") else complex_data(4, 6)
    y = np.asarray(expected(x))
    u = rng.normal(size=y.shape)
    u = u if y.dtype.kind == "f" else u + 1j * rng.normal(size=y.shape)
    v = rng.normal(size=x.shape) * (1 if x.dtype.kind == "f" else 1 + 0.5j)
    pulled = ms.ops.GradOperation(sens_param=True)(of)(Tensor(x), Tensor(u)).asnumpy()
    inner = np.sum(np.real(np.conj(u) * expected(v)))
    np.testing.assert_allclose(np.sum(np.real(np.conj(pulled) * v)), inner, 1e-11)


def test_second_derivatives_through_nonlinear_functions(mode):
    """A step of a split-step method; its Hessian along a direction against differences."""
    k = np.fft.fftfreq(8) * 2 * np.pi

    def step(z):
        spectrum = ops.fft(z) * ops.exp(Tensor(-0.5j * k * k))
        moved = ops.ifft(spectrum)
        return (ops.abs(moved) ** 4).sum()

    z, v = complex_data(8), complex_data(8)
    gradient = ms.grad(step)
    _, along = ms.jvp(gradient, Tensor(z), Tensor(v))
    h = 1e-5
    up, down = (gradient(Tensor(z + s * h * v)).asnumpy() for s in (1, -1))
    np.testing.assert_allclose(along.asnumpy(), (up - down) / (2 * h), 1e-6, 1e-6)


def test_recorded_gradients():
    r = Tensor(np.array([1.0, 2.0, 3.0], np.float32))
    np.testing.assert_allclose(ms.grad(ops.rfft)(r).asnumpy(), [2, 0.5, 0.5], 1e-6)  # MindSpore's
    z = Tensor(complex_data(3).astype(np.complex64))
    np.testing.assert_allclose(ms.grad(ops.fft)(z).asnumpy(), [3, 0, 0], 1e-6, 1e-6)


def test_adjoint_of_a_convolution():
    v = complex_data(67)
    pulled = ms.ops.GradOperation(sens_param=True)(ops.fft)(Tensor(v), Tensor(v)).asnumpy()
    np.testing.assert_allclose(pulled, 67 * np.fft.ifft(v), 1e-12, 1e-12)


# --- in programs ------------------------------------------------------------------------------


def test_maps_loops_and_compiled_code(mode):
    z = complex_data(3, 5)
    found = ms.vmap(ops.fft)(Tensor(z)).asnumpy()
    np.testing.assert_allclose(found, np.fft.fft(z), 1e-14, 1e-14)
    columns = ms.vmap(ops.ifft, in_axes=1, out_axes=1)(Tensor(z)).asnumpy()
    np.testing.assert_allclose(columns, np.fft.ifft(z, axis=0), 1e-14, 1e-14)

    @ms.jit
    def evolve(z, steps):
        i = Tensor(0)
        while i < steps:
            z = ops.ifft(ops.fft(z) * (1 - 0.5j))
            i = i + 1
        return z

    np.testing.assert_allclose(evolve(Tensor(z), Tensor(3)).asnumpy(), z * (1 - 0.5j) ** 3, 1e-13)


def test_empty_batches():
    assert ops.fft(Tensor(np.zeros((0, 4)))).shape == (0, 4)
    assert ops.rfft(Tensor(np.zeros((0, 4)))).shape == (0, 3)
    assert ops.irfft(Tensor(np.zeros((0, 3), complex))).shape == (0, 4)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda x: ops.fft(x, 0), ValueError, "'n'"),
        (lambda x: ops.fft(x, norm="x"), ValueError, "'norm' must be"),
        (lambda x: ops.fft(x, dim=3), ValueError, r"axis value must be in \[-2,2\)"),
        (lambda x: ops.fft(x > 0), TypeError, "must be a Tensor of numbers"),
        (lambda x: ops.fft(x[0, 0]), ValueError, "at least one dimension"),
        (lambda x: ops.fft2(x[0]), ValueError, "axis value must be in"),
        (lambda x: ops.fftn(x, (2, 2, 2)), ValueError, "3 sizes, but the tensor has 2"),
        (
            lambda x: ops.fftn(x, (2,), (0, 1)),
            ValueError,
            "'s' and 'dim' must have the same length",
        ),
        (lambda x: ops.fftn(x, None, (0, 0)), ValueError, "names a dimension twice"),
        (lambda x: ops.rfft(x * 1j), TypeError, "'input' must be real, but got Complex64"),
        (lambda x: ops.irfft(x[:, :1]), ValueError, "has no elements"),
        (lambda x: ops.fft([1.0]), TypeError, "must be a Tensor"),
        (lambda x: ops.fft(Tensor(np.zeros((2, 0), np.float32))), ValueError, "has no elements"),
        (lambda x: ops.fftfreq(0), ValueError, "'n'"),
        (lambda x: ops.FFTWithSize(4, False, False)(x), ValueError, "'signal_ndim'"),
    ],
)
def test_mistakes(call, kind, words):
    with pytest.raises(kind, match=words):
        call(ops.ones((2, 3)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_short_time_transforms(dtype):
    """Against sums of numpy's transforms of the parts, as MindSpore gives them."""
    rng = np.random.default_rng(7)
    x = rng.standard_normal((2, 11)).astype(dtype) * (1j if dtype == "complex128" else 1)
    w = rng.random(3).astype("float32" if dtype == "float32" else "float64")
    real = x.dtype.kind == "f"
    for n, hop, window, mode, normalized in (
        (4, None, None, "REFLECT", False),
        (4, 2, w, "CONSTANT", True),
        (5, 3, None, "", True),
        (6, 2, w, "SYMMETRIC", False),
    ):
        length = n if window is None else 3
        weights = np.ones(length) if window is None else window
        low = (n - length) // 2
        weights = np.pad(weights, (low, n - length - low))
        padded = x
        if mode:
            padded = np.pad(x, ((0, 0), (n // 2, n // 2)), mode.lower())
        starts = range(0, padded.shape[1] - n + 1, hop or n // 4)
        parts = np.stack([padded[:, i : i + n] * weights for i in starts], 1)
        expected = np.swapaxes(np.fft.fft(parts), 1, 2) / (np.sqrt(n) if normalized else 1)
        if real:
            expected = expected[:, : n // 2 + 1]
        given = {"window": None if window is None else Tensor(window), "win_length": length}
        given |= {"center": bool(mode), "normalized": normalized, "return_complex": True}
        given |= {"pad_mode": mode} if mode else {}
        out = ops.stft(Tensor(x), n, hop, **given).asnumpy()
        np.testing.assert_allclose(out, expected, atol=2e-6 if dtype == "float32" else 1e-12)
        pairs = ops.stft(Tensor(x), n, hop, **(given | {"return_complex": False})).asnumpy()
        np.testing.assert_array_equal(pairs, np.stack([out.real, out.imag], -1))


def test_short_time_energy():
    """The gradient of the energy is twice the signal times how often, and with what weight, it is read."""
    x = np.array([1.0, -2.0, 3.0, 0.5, 4.0])
    energy = lambda x: ops.square(ops.stft(x, 2, 1, center=False, onesided=False)).sum()
    counts = np.array([1, 2, 2, 2, 1]) * 2  # each part counts n_fft times, by Parseval
    np.testing.assert_allclose(ms.grad(energy)(Tensor(x)).asnumpy(), 2 * x * counts, rtol=1e-12)


@pytest.mark.parametrize(
    "call, kind, words",
    [
        (lambda x: ops.stft(x, 3), ValueError, "'hop_length' must be positive, but got 0"),
        (lambda x: ops.stft(x, 4, win_length=5), ValueError, r"'win_length' must be in \[1, 4\]"),
        (lambda x: ops.stft(x, 8, center=False), ValueError, "must have at least 8 elements"),
        (lambda x: ops.stft(x * 1j, 4, onesided=True), ValueError, "'onesided' must be False"),
        (
            lambda x: ops.stft(x, 4, window=ops.ones(3)),
            ValueError,
            r"'window' must have shape \[4\]",
        ),
        (lambda x: ops.stft(x, 4, pad_mode="zero"), ValueError, "'pad_mode' must be 'REFLECT'"),
        (lambda x: ops.stft(x, 4, onesided=1), TypeError, "'onesided' must be a bool"),
        (lambda x: ops.stft(x, 4, window=Tensor([1, 1, 1, 1])), TypeError, "of floats or complex"),
    ],
)
def test_short_time_errors(call, kind, words):
    with pytest.raises(kind, match=words):
        call(ops.ones(6))
