"""Eigenvalues and singular values of complex matrices: values against numpy, derivatives against closed forms and
differences. MindSpore 2.10 has values of `svd` and `eigh` alone."""

import numpy as np
import pytest
from complex_matrices import adjoint, check_derivatives, close

import cellgrad as ms
from cellgrad import Tensor, mint, ops
from cellgrad.scipy import linalg

RNG = np.random.default_rng(29)


def draw(*shape):
    return RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)


def unitary(n):
    return np.linalg.qr(draw(n, n))[0]


def check_phases(v):
    """Of the elements of a column of at least 0.9 of the largest magnitude the first is positive."""
    large = np.abs(v) >= 0.9 * np.abs(v).max(-2, keepdims=True)
    first = np.take_along_axis(v, large.argmax(-2)[..., None, :], -2)
    np.testing.assert_allclose(first.imag, 0, atol=1e-6)
    assert np.all(first.real > 0)


def matrices_of(values, m, n):
    k = len(values)
    return unitary(m)[:, :k] * values @ adjoint(unitary(n)[:, :k])


MATRICES = {
    "1 x 1": draw(1, 1),
    "square": draw(4, 4),
    "tall": draw(5, 3),
    "wide": draw(2, 4),
    "batch": draw(2, 3, 4, 3),
    "equal": matrices_of([2.0, 2.0, 1.0, 1.0], 5, 4),
    "all equal": unitary(3),
    "rank one": matrices_of([3.0], 4, 4),
    "rank two": matrices_of([3.0, 3.0], 3, 5),
    "zero": np.zeros((3, 2), complex),
    "large": draw(3, 3) * 1e150,
    "real": draw(3, 3).real + 0j,
}


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", MATRICES)
def test_svd(name, full):
    a = MATRICES[name]
    s, u, v = (t.asnumpy() for t in ops.svd(Tensor(a), full))
    m, n = a.shape[-2:]
    k = min(m, n)
    assert (s.dtype, u.dtype, v.dtype) == (np.float64, np.complex128, np.complex128)
    assert u.shape[-2:] == (m, m if full else k) and v.shape[-2:] == (n, n if full else k)
    size = np.abs(a).max(initial=1e-300)
    np.testing.assert_allclose(s, np.linalg.svd(a, compute_uv=False), rtol=0, atol=3e-14 * size)
    assert np.abs((u[..., :k] * s[..., None, :]) @ adjoint(v[..., :k]) - a).max() < 3e-14 * size
    for x in (u, v):
        assert np.abs(adjoint(x) @ x - np.eye(x.shape[-1])).max() < 1e-14
    check_phases(v)
    check_phases(u[..., k:])


@pytest.mark.parametrize(
    "a",
    [
        draw(4, 4),
        draw(2, 3, 3),
        np.eye(3) + 0j,
        unitary(4) * [1, 1, 1, -2],
        np.zeros((2, 2), complex),
    ],
    ids=["any", "batch", "identity", "equal", "zero"],
)
@pytest.mark.parametrize("lower", [True, False])
def test_eigh(a, lower):
    if a.shape == (4, 4):
        a = a @ np.diag([1, 1, 1, -2]) @ adjoint(a)
    half = np.tril(a, -1) if lower else adjoint(np.triu(a, 1))
    whole = half + adjoint(half) + np.einsum("...ii,ij->...ij", a, np.eye(a.shape[-1])).real
    w, v = (t.asnumpy() for t in linalg.eigh(Tensor(a), lower=lower))
    assert (w.dtype, v.dtype) == (np.float64, np.complex128)
    size = np.abs(whole).max(initial=1e-300)
    np.testing.assert_allclose(w, np.linalg.eigvalsh(whole), rtol=0, atol=3e-14 * size)
    assert np.abs(whole @ v - v * w[..., None, :]).max() < 3e-14 * size
    assert np.abs(adjoint(v) @ v - np.eye(a.shape[-1])).max() < 1e-14
    check_phases(v)


def test_single_precision_and_classes():
    a = draw(3, 2).astype(np.complex64)
    s, u, v = ops.Svd()(Tensor(a))
    assert (s.dtype, u.dtype, v.dtype) == (ms.float32, ms.complex64, ms.complex64)
    close((u * s) @ ops.conj(v).T, a, 1e-6)
    w, v = linalg.eigh(Tensor(a @ adjoint(a)))
    assert (w.dtype, v.dtype) == (ms.float32, ms.complex64)
    assert linalg.eigh(Tensor(a @ adjoint(a)), eigvals_only=True).dtype == ms.float32
    assert ops.svd(Tensor(np.zeros((0, 2), np.complex64)))[2].shape == (2, 0)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_gives_nan(bad):
    a = np.stack([draw(3, 3), np.eye(3) + 0j])
    a[0, 1, 0] = 1j * bad
    for f in (lambda x: ops.svd(x), lambda x: linalg.eigh(x)):
        for t in f(Tensor(a)):
            assert np.isnan(t.asnumpy()[0]).any()
            assert np.isfinite(t.asnumpy()[1]).all()


# --- what is computed by them -----------------------------------------------------------------


@pytest.mark.parametrize("order", ["nuc", 2, -2])
def test_norms(order):
    a = draw(3, 4)
    wanted = np.linalg.norm(a, order)
    for norm in (ops.norm, ops.matrix_norm, mint.linalg.matrix_norm):
        got = norm(Tensor(a), order)
        assert got.dtype == ms.float64
        close(got, wanted)
    b = draw(2, 3, 4)
    close(ops.norm(Tensor(b), order, (0, 2)), np.linalg.norm(b, order, (0, 2)))
    kept = ops.matrix_norm(Tensor(b), order, (2, 0), True)
    close(kept, np.linalg.norm(b, order, (2, 0), keepdims=True))
    assert ops.norm(Tensor(a), order, dtype=ms.float32).dtype == ms.float32


@pytest.mark.parametrize("p", [None, 2, -2, "nuc", "fro", 1, -1, np.inf])
def test_cond(p):
    a = draw(3, 3)
    close(ops.cond(Tensor(a), p), np.linalg.cond(a, p))


@pytest.mark.parametrize("name", ["square", "tall", "wide", "batch", "rank two", "zero"])
def test_pinv_and_lstsq(name):
    a = MATRICES[name]
    inverse = np.linalg.pinv(a, 1e-13)
    close(ops.pinv(Tensor(a)), inverse)
    if a.ndim == 2:
        b = draw(len(a), 2)
        close(ops.lstsq(Tensor(a), Tensor(b)), inverse @ b)
        close(ops.lstsq(Tensor(a), Tensor(b[:, 0])), inverse @ b[:, :1])
        close(ops.lstsq(Tensor(a.real), Tensor(b)), np.linalg.pinv(a.real, 1e-13) @ b)
    values = np.array([4.0, 2.0, 0.5])
    some = matrices_of(values, 4, 3)
    close(ops.pinv(Tensor(some), atol=1.0), np.linalg.pinv(some, 0.3))
    close(ops.pinv(Tensor(some), rtol=0.2), np.linalg.pinv(some, 0.2))


# --- derivatives ------------------------------------------------------------------------------

WEIGHTS = draw(4, 4)


def weighed(z):
    return ops.sum(ops.real(z * Tensor(WEIGHTS[: z.shape[-2], : z.shape[-1]])))


APART = np.diag([2.0, 5.0, 9.0]) + 0.3 * draw(3, 3)
DIFFERENTIABLE = {
    "eigenvalues": (lambda z: (linalg.eigh(z)[0] ** 3).sum(), APART, 1),
    "eigenvectors": (lambda z: weighed(linalg.eigh(z)[1]), APART[:2, :2], 2),
    "upper": (lambda z: weighed(linalg.eigh(z, lower=False)[1]), APART, 1),
    "u": (lambda z: weighed(ops.svd(z)[1]), APART, 1),
    "u, tall": (lambda z: weighed(ops.svd(z)[1]), APART[:, :2], 1),
    "v, wide": (lambda z: weighed(ops.svd(z)[2]), APART[:1, :2], 2),
    "u, full": (lambda z: weighed(ops.svd(z, True)[1]), APART[:2, :1], 1),
    "condition": (ops.cond, APART[:2, :2], 2),
    "pinv": (lambda z: weighed(ops.pinv(z)), APART[:, :2], 1),
}


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_derivatives(name):
    check_derivatives(*DIFFERENTIABLE[name])


def test_gradients_in_closed_form(mode):
    """By x plus i times that by y, as of all complex gradients here."""
    a = draw(3, 3)
    u, _, vh = np.linalg.svd(a)
    close(ms.grad(lambda z: ops.norm(z, "nuc"))(Tensor(a)), u @ vh)
    close(ms.grad(lambda z: ops.norm(z, 2))(Tensor(a)), np.outer(u[:, 0], vh[0]))
    h = a @ adjoint(a)
    got = ms.grad(lambda z: ops.log(linalg.eigh(z @ ops.conj(z).T)[0]).sum())(Tensor(a))
    close(got, 2 * np.linalg.solve(h, a), 1e-9)
    _, v = np.linalg.eigh(h)
    got = ms.vmap(ms.grad(lambda z: linalg.eigh(z)[0][1]))(Tensor(np.stack([h, h])))
    one = np.outer(v[:, 1], v[:, 1].conj())
    close(got, np.stack([2 * np.tril(one, -1) + np.diag(np.diag(one))] * 2), 1e-11)


@pytest.mark.parametrize("a", [np.eye(3) + 0j, unitary(3)], ids=["identity", "unitary"])
def test_equal_values(a):
    """As of real matrices: what does not depend on the vectors has a gradient, what does has NaN."""
    close(ms.grad(lambda z: (ops.svd(z)[0] ** 2).sum())(Tensor(a)), 2 * a)
    close(ms.grad(lambda z: (linalg.eigh(z @ ops.conj(z).T)[0] ** 2).sum())(Tensor(a)), 4 * a)
    assert np.isnan(ms.grad(lambda z: weighed(ops.svd(z)[1]))(Tensor(a)).asnumpy()).any()


ERRORS = [
    (lambda: ops.svd(Tensor([1j, 2])), ValueError, "'input' must hold matrices"),
    (lambda: ops.svd(Tensor([[1j]]), 1), TypeError, "'full_matrices' must be a bool"),
    (lambda: ops.pinv(Tensor([[1j, 2]]), hermitian=True), ValueError, "square matrices"),
    (lambda: ops.cond(Tensor([[1j, 2]]), 1), ValueError, "square matrices"),
    (lambda: linalg.eigh(Tensor([[1j, 2]])), ValueError, "square matrices"),
]


@pytest.mark.parametrize("call, kind, text", ERRORS, ids=range(len(ERRORS)))
def test_refused(call, kind, text):
    with pytest.raises(kind, match=text):
        call()
