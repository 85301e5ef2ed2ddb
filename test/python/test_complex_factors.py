"""Factors, determinants and exponentials of complex matrices, and moments: values against numpy, derivatives against
closed forms and differences."""

import numpy as np
import pytest
from complex_matrices import adjoint, check_derivatives, close

import cellgrad as ms
from cellgrad import Tensor, mint, ops
from cellgrad import numpy as cnp
from cellgrad.scipy import linalg
from cellgrad.testing import check_grads

RNG = np.random.default_rng(31)


def draw(*shape):
    return RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)


# --- Cholesky ---------------------------------------------------------------------------------------


def positive(*shape):
    a = draw(*shape)
    return a @ adjoint(a) + np.eye(shape[-1])


@pytest.mark.parametrize(
    "a", [positive(1, 1), positive(4, 4), positive(2, 3, 3)], ids=["1", "4", "batch"]
)
def test_cholesky(a):
    factor = np.linalg.cholesky(a)
    close(ops.cholesky(Tensor(a)), factor)
    close(ops.cholesky(Tensor(a), upper=True), adjoint(factor))
    close(linalg.cholesky(Tensor(a), lower=True), factor)
    close(linalg.cholesky(Tensor(a)), adjoint(factor))
    single = ops.cholesky(Tensor(a.astype(np.complex64)))
    assert single.dtype == ms.complex64
    close(single, factor, 1e-5)
    skew = np.tril(draw(*a.shape), -1)
    close(ops.cholesky(Tensor(a + skew - adjoint(skew))), factor)  # the Hermitian part counts
    assert np.isnan(ops.cholesky(Tensor(-a)).asnumpy()).any()


# --- QR ---------------------------------------------------------------------------------------------

MATRICES = {
    "1 x 1": draw(1, 1),
    "square": draw(4, 4),
    "tall": draw(5, 3),
    "wide": draw(3, 5),
    "batch": draw(2, 3, 4, 3),
    "real": draw(3, 3).real + 0j,
    "identity": np.eye(3) + 0j,
    "triangle": np.triu(draw(3, 3)),
    "rank one": draw(4, 1) @ draw(1, 3),
    "zero": np.zeros((3, 2), complex),
    "ill-conditioned": draw(6, 4) * np.logspace(0, -12, 4),
    "large": draw(3, 3) * 1e150,
}


@pytest.mark.parametrize("mode", ["reduced", "complete"])
@pytest.mark.parametrize("name", MATRICES)
def test_qr(name, mode):
    a = MATRICES[name]
    q, r = ops.qr(Tensor(a), mode)
    wanted = np.linalg.qr(a, mode)
    if name != "rank one":  # numbers behind the rank are those of rounding
        close(q, wanted[0], 1e-12 if name != "ill-conditioned" else 1e-3)
        close(r, wanted[1], 1e-14)
    q, r = q.asnumpy(), r.asnumpy()
    assert np.abs(q @ r - a).max() <= 1e-14 * np.abs(a).max(initial=0)
    assert np.abs(adjoint(q) @ q - np.eye(q.shape[-1])).max() < 1e-14
    assert np.all(np.tril(r, -1) == 0)
    assert np.all(np.diagonal(r, axis1=-2, axis2=-1).imag == 0)


def test_qr_of_other_names_and_types():
    a = draw(3, 2).astype(np.complex64)
    for q, r in (ops.Qr()(Tensor(a)), Tensor(a).qr(), mint.linalg.qr(Tensor(a))):
        assert (q.dtype, r.dtype) == (ms.complex64, ms.complex64)
        close(ops.matmul(q, r), a, 1e-6)
    for shape in ((0, 2), (2, 0)):
        q, r = ops.qr(Tensor(np.zeros(shape, complex)))
        assert (q.shape, r.shape) == ((shape[0], 0), (0, shape[1]))


# --- determinants -----------------------------------------------------------------------------------

SQUARE = {
    "0": np.zeros((0, 0), complex),
    "1": draw(1, 1),
    "2": draw(2, 2),
    "5": draw(5, 5),
    "batch": draw(2, 3, 4, 4),
    "real": draw(4, 4).real + 0j,
    "permutation": np.eye(5)[[2, 0, 1, 4, 3]] * 1j,
    "small": draw(3, 3) * 1e-90,
}


@pytest.mark.parametrize("name", SQUARE)
def test_determinants(name):
    a = SQUARE[name]
    value = np.linalg.det(a)
    got = ops.det(Tensor(a))
    np.testing.assert_allclose(got.asnumpy(), value, rtol=1e-12)
    np.testing.assert_allclose(linalg.det(Tensor(a)).asnumpy(), value, rtol=1e-12)
    sign, logarithm = ops.slogdet(Tensor(a))
    assert (sign.dtype, logarithm.dtype) == (ms.complex128, ms.float64)
    wanted = np.linalg.slogdet(a)
    close(sign, wanted[0])
    close(logarithm, wanted[1])
    close(Tensor(a).logdet(), wanted[1] + 1j * np.angle(wanted[0]))


def test_singular_matrices():
    for a in (np.zeros((3, 3), complex), np.ones((4, 4)) * 1j, np.diag([1j, 0, 2, 0])):
        assert abs(ops.det(Tensor(a)).item()) == 0
        sign, logarithm = ops.slogdet(Tensor(a))
        assert sign.item() == 0 and logarithm.item() == -np.inf
    # The cofactors, where the rank is n - 1, and zeros below.
    a = np.array([[0, 1 + 1j, 0], [0, 2, 1j], [0, 1, 3]])
    wanted = np.zeros((3, 3), complex)
    for i in range(3):
        rest = np.delete(np.delete(a, i, 0), 0, 1)
        wanted[i, 0] = (-1) ** i * np.linalg.det(rest)
    got = ms.grad(lambda z: ops.real(ops.det(z)))(Tensor(a))
    close(got, wanted.conj())
    assert not ms.grad(lambda z: ops.real(ops.det(z)))(Tensor(np.diag([1j, 0, 0]))).asnumpy().any()


# --- exponential ------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0])
def test_matrix_exp(scale):
    h = draw(2, 4, 4)
    h = (h + adjoint(h)) * scale
    w, v = np.linalg.eigh(h)
    wanted = (v * np.exp(1j * w)[..., None, :]) @ adjoint(v)
    close(ops.matrix_exp(Tensor(1j * h)), wanted, 1e-11)
    assert ops.matrix_exp(Tensor((1j * h).astype(np.complex64))).dtype == ms.complex64
    assert ops.matrix_exp(Tensor(np.zeros((0, 0), complex))).shape == (0, 0)


# --- derivatives ------------------------------------------------------------------------------------

WEIGHTS = draw(4, 4)
APART = np.diag([2.0, 5.0, 9.0]) + 0.3 * draw(3, 3)


def weighed(z):
    return ops.sum(ops.real(z * Tensor(WEIGHTS[: z.shape[-2], : z.shape[-1]])))


DIFFERENTIABLE = {
    "cholesky": (lambda z: weighed(ops.cholesky(ops.matmul(z, ops.conj(z).T))), APART[:2, :2], 2),
    "cholesky, upper": (lambda z: weighed(ops.cholesky(z, True)), positive(2, 2), 1),
    "q": (lambda z: weighed(ops.qr(z)[0]), APART[:2, :2], 2),
    "r": (lambda z: weighed(ops.qr(z)[1]), APART[:2, :2], 1),
    "q, tall": (lambda z: weighed(ops.qr(z)[0]), APART[:, :2], 1),
    "r, wide": (lambda z: weighed(ops.qr(z)[1]), APART[:2], 1),
    "q of a triangle": (lambda z: weighed(ops.qr(z)[0]), np.triu(APART), 1),
    "q, complete": (lambda z: weighed(ops.qr(z, "complete")[0]), APART[:, :2], 1),
    "det": (lambda z: ops.real(ops.det(z) * (1 + 2j)), APART, 2),
    "sign": (lambda z: ops.real(ops.slogdet(z)[0] * (1 + 2j)), APART[:2, :2], 1),
    "logarithm": (lambda z: ops.slogdet(z)[1], APART[:2, :2], 1),
    "logdet": (lambda z: ops.real(ops.logdet(z) * (1 + 2j)), APART[:2, :2], 1),
    "exponential": (lambda z: weighed(ops.matrix_exp(z)), APART[:2, :2] * 0.3, 1),
}


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_derivatives(name):
    check_derivatives(*DIFFERENTIABLE[name])


def test_gradients_in_closed_form(mode):
    """By x plus i times that by y, as of all complex gradients here."""
    a = draw(5, 5)
    inverse = np.linalg.inv(a)
    close(ms.grad(lambda z: ops.slogdet(z)[1])(Tensor(a)), adjoint(inverse))
    wanted = adjoint(np.linalg.det(a) * inverse)
    close(ms.grad(lambda z: ops.real(ops.det(z)))(Tensor(a)), wanted)
    both = ms.vmap(ms.grad(lambda z: ops.real(ops.det(z))))(Tensor(np.stack([a, a])))
    close(both, np.stack([wanted, wanted]))


# --- moments and others -----------------------------------------------------------------------------


def test_variances():
    z = draw(3, 4)
    for axis, ddof in ((None, 0), (0, 1), ((0, 1), 2)):
        close(ops.var(Tensor(z), axis, ddof), np.var(z, axis, ddof=ddof))
        close(ops.std(Tensor(z), axis, ddof), np.std(z, axis, ddof=ddof))
    close(mint.var(Tensor(z), 1), np.var(z, 1, ddof=1))
    variance, mean = ops.var_mean(Tensor(z), 1)
    close(variance, z.var(1))
    close(mean, z.mean(1))
    close(ops.std_mean(Tensor(z), 1)[0], z.std(1))
    close(cnp.var(Tensor(z), 1), z.var(1))
    close(cnp.std(Tensor(z), 1), z.std(1))
    close(ms.grad(ops.var)(Tensor(z)), 2 * (z - z.mean()) / z.size)


def test_xlogy_sinc_and_float_power():
    z = np.concatenate([draw(6), [0.2 + 0.1j, 1e-3j]])
    zero = np.array([0, 0, 1j])
    close(ops.xlogy(Tensor(z), Tensor(z[::-1].copy())), z * np.log(z[::-1]))
    close(ops.xlogy(Tensor(zero), Tensor(np.array([0j, 1, 1]))), np.array([0, 0, 0j]))
    assert np.isnan(ops.xlogy(Tensor(zero), Tensor(np.array([np.nan + 0j, 1, 1])))[0].asnumpy())
    close(ops.sinc(Tensor(z)), np.sinc(z))
    assert ops.sinc(Tensor(zero))[0].item() == 1
    close(ops.float_power(Tensor(z.astype(np.complex64)), 2), z.astype(np.complex64) ** 2.0, 1e-6)
    assert ops.float_power(Tensor(z.astype(np.complex64)), 2).dtype == ms.complex128
    for f in (
        lambda z: ops.real(ops.sinc(z) * (1 + 2j)).sum(),
        lambda z: ops.abs(ops.xlogy(z, z)).sum(),
    ):
        check_grads(
            lambda x, y, f=f: f(ops.Complex()(x, y)),
            (Tensor(z[:7].real), Tensor(z[:7].imag)),
            order=1,
        )
