"""Eigenvalues, singular values and what is computed by them, against numpy and scipy: values, residuals
and orthogonality rather than vectors, derivatives against differences and closed forms.

Names, arguments, the order of results and shapes are MindSpore 2.10's, which was tried beside, as
were the gradients at equal values.
"""

import re

import mpmath
import numpy as np
import pytest
import scipy.linalg
from messages import said

import cellgrad as ms
from cellgrad import Tensor, mint, ops
from cellgrad.scipy import linalg
from cellgrad.testing import check_grads

RNG = np.random.default_rng(23)
PRECISION = {np.float32: 6e-8, np.float64: 1.2e-16}


def draw(*shape):
    return RNG.standard_normal(shape)


def orthogonal(n):
    return np.linalg.qr(draw(n, n))[0]


def with_values(values, m=None, n=None):
    """A matrix with these singular values."""
    k = len(values)
    return orthogonal(m or k)[:, :k] * values @ orthogonal(n or k)[:, :k].T


def close(got, wanted, tolerance=1e-9):
    got = got.asnumpy()
    assert got.shape == np.shape(wanted)
    scale = max(1.0, float(np.abs(wanted).max(initial=0)))
    np.testing.assert_allclose(got, wanted, rtol=0, atol=tolerance * scale)


def first_is_positive(v):
    size = np.abs(v)
    large = size >= 0.9 * size.max(-2, keepdims=True)
    assert np.all(np.take_along_axis(v, large.argmax(-2, keepdims=True), -2) > 0)


# --- values -----------------------------------------------------------------------------------


def check_eigh(a, lower=True):
    """Backward error and orthogonality, in units of the precision."""
    n = a.shape[-1]
    got, v = (t.asnumpy() for t in linalg.eigh(Tensor(a), lower=lower))
    assert got.dtype == v.dtype == a.dtype
    wide = a.astype(np.float64)
    half = np.tril(wide) if lower else np.triu(wide).T
    symmetric = half + np.tril(half, -1).swapaxes(-1, -2)
    size = np.abs(symmetric).max(initial=1e-300) * np.sqrt(n)
    limit = 8 * np.sqrt(n) * PRECISION[a.dtype.type]
    vectors = v.astype(np.float64)
    assert np.abs(symmetric @ vectors - vectors * got).max() <= limit * size
    assert np.abs(vectors.T @ vectors - np.eye(n)).max() <= limit
    np.testing.assert_allclose(got, np.linalg.eigvalsh(symmetric), rtol=0, atol=limit * size)
    assert np.all(np.diff(got) >= 0)
    first_is_positive(v)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 33, 130])
def test_eigh(n, dtype):
    a = draw(n, n)
    check_eigh((a + a.T).astype(dtype))


@pytest.mark.parametrize(
    "values",
    [[1, 1, 1, 1], [0, 0, 0, 0], [2, 2, -2, -2], [1, 1e-8, -1e-8, 1e-16], [1e200, 1e150, 1, -1e190],
     [1e-300, 2e-300, -1e-305, 0], [3, 3, 3 + 1e-15, -3]],
    ids=str,
)  # fmt: skip
def test_eigh_of_special_matrices(values):
    q = orthogonal(4)
    check_eigh(q * values @ q.T)
    check_eigh(np.diag(np.array(values, np.float64)))


def test_eigh_reads_one_triangle():
    a = draw(5, 5)
    check_eigh(a)
    check_eigh(a, lower=False)


def test_eigenvalues_of_a_graded_matrix_have_their_own_precision():
    """Positive definite, with a condition of 1e24 that scaling takes away (Demmel, Veselić, 1992)."""
    scale = 10.0 ** -np.arange(0, 24, 4)
    core = np.eye(6) + 0.3 * with_values(np.ones(6) / 2)
    core = (core + core.T) / 2
    a = core * scale * scale[:, None]

    with mpmath.workdps(60):
        wanted = sorted(
            float(w) for w in mpmath.eigsy(mpmath.matrix(a.tolist()), eigvals_only=True)
        )
    np.testing.assert_allclose(linalg.eigh(Tensor(a))[0].asnumpy(), wanted, rtol=1e-13)


def check_svd(a):
    m, n = a.shape[-2:]
    s, u, v = (t.asnumpy() for t in ops.svd(Tensor(a)))
    k = min(m, n)
    assert s.dtype == u.dtype == v.dtype == a.dtype
    assert (s.shape, u.shape, v.shape) == ((k,), (m, k), (n, k))
    wide, us, vs = (t.astype(np.float64) for t in (a, u, v))
    size = np.abs(wide).max(initial=1e-300) * np.sqrt(max(m, n))
    limit = 8 * np.sqrt(max(m, n)) * PRECISION[a.dtype.type]
    assert np.abs(us * s @ vs.T - wide).max() <= limit * size
    assert np.abs(us.T @ us - np.eye(k)).max() <= limit
    assert np.abs(vs.T @ vs - np.eye(k)).max() <= limit
    wanted = np.linalg.svd(wide, compute_uv=False)
    np.testing.assert_allclose(s, wanted, rtol=0, atol=limit * size)
    assert np.all(np.diff(s) <= 0) and np.all(s >= 0)
    first_is_positive(v)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "shape", [(1, 1), (1, 4), (4, 1), (2, 2), (3, 2), (2, 3), (40, 17), (17, 40), (130, 97)]
)
def test_svd(shape, dtype):
    check_svd(draw(*shape).astype(dtype))


@pytest.mark.parametrize(
    "values",
    [[1, 1, 1], [0, 0, 0], [1, 0, 0], [2, 2, 0], [1, 1e-8, 1e-17], [1e200, 1, 1e-200],
     [1e-300, 1e-305, 0], [3, 3, 3 - 1e-15]],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("shape", [(3, 3), (5, 3), (3, 4)])
def test_svd_of_special_matrices(values, shape):
    check_svd(with_values(values, *shape))
    diagonal = np.zeros(shape)
    diagonal[:3, :3] = np.diag(values)
    check_svd(diagonal[::-1].copy())
    check_svd(np.ones(shape) * values[0])


def test_singular_values_of_a_graded_matrix_have_their_own_precision():

    a = draw(5, 4) * 10.0 ** -np.arange(0, 32, 8)
    with mpmath.workdps(60):
        wanted = [float(s) for s in mpmath.svd_r(mpmath.matrix(a.tolist()), compute_uv=False)]
    np.testing.assert_allclose(ops.svd(Tensor(a), compute_uv=False).asnumpy(), wanted, rtol=1e-13)
    tiny = np.diag([1.0, 1e-200, 1e-300])
    np.testing.assert_allclose(ops.svd(Tensor(tiny))[0].asnumpy(), np.diag(tiny), rtol=1e-15)


def test_hilbert_matrix():
    a = scipy.linalg.hilbert(12)
    check_svd(a)
    check_eigh(a)


@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3)])
def test_full_matrices(shape):
    a = draw(*shape)
    s, u, v = (t.asnumpy() for t in ops.svd(Tensor(a), full_matrices=True))
    whole = np.zeros(shape)
    whole[: len(s), : len(s)] = np.diag(s)
    np.testing.assert_allclose(u @ whole @ v.T, a, atol=1e-14)
    for q in (u, v):
        np.testing.assert_allclose(q.T @ q, np.eye(len(q)), atol=1e-14)
    same = ops.Svd(full_matrices=True)(Tensor(a))
    for got, wanted in zip(same, (s, u, v), strict=True):
        np.testing.assert_array_equal(got.asnumpy(), wanted)


def test_forms_without_vectors():
    a = draw(3, 2)
    wanted = np.linalg.svd(a, compute_uv=False)
    close(ops.svd(Tensor(a), compute_uv=False), wanted)
    close(Tensor(a).svd(False, False), wanted)
    s, u, v = ops.Svd(compute_uv=False)(Tensor(a))
    close(s, wanted)
    assert u.asnumpy().tolist() == v.asnumpy().tolist() == [0.0]
    close(linalg.eigh(Tensor(a.T @ a), eigvals_only=True), wanted[::-1] ** 2)


@pytest.mark.parametrize("batch", [(3,), (2, 3), (0,)])
def test_batches(batch):
    a, b = draw(*batch, 4, 3), draw(*batch, 4, 2)
    close(ops.svd(Tensor(a))[0], np.linalg.svd(a, compute_uv=False))
    symmetric = a @ a.swapaxes(-1, -2)
    close(linalg.eigh(Tensor(symmetric))[0], np.linalg.eigvalsh(symmetric))
    close(ops.pinv(Tensor(a)), np.linalg.pinv(a))
    close(
        ops.matrix_exp(Tensor(symmetric)), scipy.linalg.expm(symmetric) if batch[0] else symmetric
    )
    close(ops.cond(Tensor(a)), np.linalg.cond(a) if batch[0] else np.zeros(batch))
    close(ops.lstsq(Tensor(a), Tensor(b)), np.linalg.pinv(a) @ b)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_matrices_without_elements(shape):
    s, u, v = ops.svd(Tensor(np.zeros(shape)))
    assert (s.shape, u.shape, v.shape) == ((0,), (shape[0], 0), (shape[1], 0))
    if shape == (0, 0):
        assert linalg.eigh(Tensor(np.zeros(shape)))[1].shape == (0, 0)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_is_not_finite_gives_nan(bad, dtype):
    a = draw(4, 4).astype(dtype)
    a[2, 1] = bad
    for result in (*ops.svd(Tensor(a)), *linalg.eigh(Tensor(a)), ops.pinv(Tensor(a))):
        assert np.isnan(result.asnumpy()).all()
    # The other triangle is not read.
    assert np.isfinite(linalg.eigh(Tensor(a), lower=False)[0].asnumpy()).all()
    good = np.stack([a, np.eye(4, dtype=dtype)])
    s = ops.svd(Tensor(good))[0].asnumpy()
    assert np.isnan(s[0]).all()
    np.testing.assert_array_equal(s[1], 1)


def test_half_precision_and_integers():
    a = np.array([[2.0, 1.0], [1.0, 3.0]], np.float16)
    s, _, _ = ops.svd(Tensor(a))
    assert s.dtype == ms.float16
    close(s, np.linalg.svd(a.astype(float), compute_uv=False), 1e-3)
    w, _ = linalg.eigh(Tensor(a.astype(np.int32)))
    assert w.dtype == ms.float64
    close(w, np.linalg.eigvalsh(a.astype(float)))


# --- what is computed by them -----------------------------------------------------------------

RANK_TWO = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [1.0, 0.0, -1.0]])
DEFICIENT = [
    RANK_TWO,
    RANK_TWO.T,
    np.array([[1.0, 2.0], [2.0, 4.0]]),
    np.ones((3, 3)),
    np.zeros((3, 2)),
]


@pytest.mark.parametrize("a", DEFICIENT, ids=lambda a: str(a.shape))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pseudo_inverse_and_least_squares_without_full_rank(a, dtype):
    tolerance = 1e-5 if dtype == np.float32 else 1e-13
    x, b = Tensor(a.astype(dtype)), draw(len(a), 2).astype(dtype)
    for pinv in (ops.pinv, ms.jit(ops.pinv)):
        close(pinv(x), np.linalg.pinv(a), tolerance)
    close(ops.lstsq(x, Tensor(b)), np.linalg.lstsq(a, b.astype(float), rcond=1e-6)[0], tolerance)
    # The derivative of Golub and Pereyra.
    w = draw(*a.T.shape).astype(dtype)
    got = ms.grad(lambda x: (ops.pinv(x) * Tensor(w)).sum())(x)
    close(got, pinv_adjoint(a, w), 10 * tolerance)


def pinv_adjoint(a, w):
    p = np.linalg.pinv(a)
    m, n = np.eye(a.shape[0]) - a @ p, np.eye(a.shape[1]) - p @ a
    return -p.T @ w @ p.T + m @ w.T @ p @ p.T + p.T @ p @ w.T @ n


@pytest.mark.parametrize("shape", [(4, 4), (6, 3), (3, 6), (80, 30)])
def test_pseudo_inverse_of_full_rank(shape):
    a, b = draw(*shape), draw(shape[0], 2)
    close(ops.pinv(Tensor(a)), np.linalg.pinv(a), 1e-12)
    close(ops.lstsq(Tensor(a), Tensor(b)), np.linalg.lstsq(a, b, rcond=None)[0], 1e-12)
    close(Tensor(a).lstsq(Tensor(b[:, 0])), np.linalg.lstsq(a, b[:, :1], rcond=None)[0], 1e-12)
    w = draw(*shape[::-1])
    got = ms.grad(lambda x: (ops.pinv(x) * Tensor(w)).sum())(Tensor(a))
    close(got, pinv_adjoint(a, w), 1e-11)


def test_matrices_that_are_nearly_singular_are_inverted():
    a = np.array([[1.0, 1.0], [1.0, 1.0 + 1e-4]], np.float32)
    want = np.linalg.inv(a.astype(np.float64))
    np.testing.assert_allclose(ops.pinv(Tensor(a)).asnumpy(), want, rtol=2e-3)
    hilbert = scipy.linalg.hilbert(8)
    got = ops.pinv(Tensor(hilbert)).asnumpy()
    np.testing.assert_allclose(got, scipy.linalg.invhilbert(8), rtol=1e-5)


def test_tolerances_of_the_pseudo_inverse():
    """As in MindSpore: the larger of both counts, and one alone sets the other to zero."""
    q, p = orthogonal(4)[:, :3], orthogonal(3)
    values = np.array([4.0, 2.0, 0.5])
    a = Tensor(q * values @ p.T)

    def wanted(count):
        return p[:, :count] / values[:count] @ q[:, :count].T

    for kwargs, count in [
        ({"atol": 1.0}, 2),
        ({"rtol": 0.2}, 2),
        ({"atol": 3.0, "rtol": 0.2}, 1),
        ({"atol": 0.1, "rtol": 0.7}, 1),
        ({"atol": Tensor(1.0)}, 2),
        ({"rtol": Tensor(0.6), "atol": 0.1}, 1),
        ({"atol": 0.0}, 3),
    ]:
        close(ops.pinv(a, **kwargs), wanted(count), 1e-13)
    many = ops.stack([a, a])
    got = ops.pinv(many, atol=Tensor([1.0, 3.0])).asnumpy()
    np.testing.assert_allclose(got, [wanted(2), wanted(1)], atol=1e-13)


ORDERS = ["nuc", 2, -2]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shape", [(3, 3), (5, 2), (2, 4)])
def test_norms(order, shape):
    a = draw(*shape)
    wanted = np.linalg.norm(a, order)
    for norm in (ops.norm, ops.matrix_norm, mint.linalg.norm, mint.linalg.matrix_norm):
        close(norm(Tensor(a), order), wanted)
    close(Tensor(a).norm(order), wanted)
    if order == "nuc":
        close(ops.NuclearNorm()(Tensor(a)), wanted)
        close(mint.norm(Tensor(a), "nuc"), wanted)


def test_dimensions_of_norms():
    a = draw(2, 3, 4)
    close(ops.norm(Tensor(a), "nuc", (0, 2)), np.linalg.norm(a, "nuc", (0, 2)))
    close(ops.norm(Tensor(a), 2, (2, 0), True), np.linalg.norm(a, 2, (2, 0), keepdims=True))
    close(ops.NuclearNorm((0, 2), True)(Tensor(a)), np.linalg.norm(a, "nuc", (0, 2), keepdims=True))
    close(ops.matrix_norm(Tensor(a), -2), np.linalg.norm(a, -2, (1, 2)))


@pytest.mark.parametrize("p", [None, 2, -2, "fro", "nuc", 1, -1, np.inf, -np.inf])
def test_cond(p):
    a = draw(3, 3)
    close(ops.cond(Tensor(a), p), np.linalg.cond(a, p))
    if p in (None, 2, -2):
        close(ops.cond(Tensor(a[:2]), p), np.linalg.cond(a[:2], p))


def test_equal_singular_values_share_the_slope_of_cond():
    """Values of MindSpore's: the two largest singular values are equal."""
    a = Tensor([[1.0, 0, -1], [0, 1, 0], [1, 0, 1]])
    by = ms.grad(ops.cond)(a).asnumpy()
    wanted = [[0.35355339, 0, -0.35355339], [0, -1.41421356, 0], [0.35355339, 0, 0.35355339]]
    np.testing.assert_allclose(by, wanted, rtol=1e-5, atol=1e-6)
    by = ms.grad(lambda a: ops.real(ops.cond(a)))(a.astype(ms.complex64)).asnumpy()
    np.testing.assert_allclose(by, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [0.0, 1e-3, 1.0, 30.0])
def test_matrix_exp(size, dtype):
    a = (draw(5, 5) * size).astype(dtype)
    wanted = scipy.linalg.expm(a.astype(float))
    for exp in (ops.matrix_exp, ops.MatrixExp()):
        close(exp(Tensor(a)), wanted, 3e-4 if dtype == np.float32 else 1e-12)


def test_matrix_exp_of_large_matrices():
    decay = -np.diag([1e3, 2e5, 0.0])
    close(ops.matrix_exp(Tensor(decay)), np.diag([0.0, 0.0, 1.0]))
    nilpotent = np.triu(np.full((3, 3), 1e5), 1)
    close(ops.matrix_exp(Tensor(nilpotent)), scipy.linalg.expm(nilpotent))
    assert np.isnan(ops.matrix_exp(Tensor(decay * 10)).asnumpy()).any()


# --- derivatives ------------------------------------------------------------------------------


def symmetric(x):
    return (x + x.swapaxes(-1, -2)) / 2


APART = np.diag([3.0, 7.0, 12.0])
DIFFERENTIABLE = {
    "eigenvalues": (lambda x: linalg.eigh(x)[0], APART),
    "eigenvectors": (lambda x: linalg.eigh(x)[1], APART),
    "upper": (lambda x: linalg.eigh(x, lower=False)[1], APART),
    "svd, s": (lambda x: ops.svd(x)[0], APART),
    "svd, u, tall": (lambda x: ops.svd(x)[1], np.eye(4, 2) * [3.0, 7.0]),
    "svd, v, tall": (lambda x: ops.svd(x)[2], np.eye(4, 2) * [3.0, 7.0]),
    "svd, u, wide": (lambda x: ops.svd(x)[1], np.eye(2, 4) * [3.0, 7.0, 0, 0]),
    "svd, v, wide": (lambda x: ops.svd(x)[2], np.eye(2, 4) * [3.0, 7.0, 0, 0]),
    "svd, full": (lambda x: ops.svd(x, True)[1], np.eye(3, 2) * [3.0, 7.0]),
    "pinv, tall": (ops.pinv, np.eye(4, 2) * 2),
    "pinv, wide": (ops.pinv, np.eye(2, 4) * 2),
    "lstsq": (lambda x: ops.lstsq(x, x[:, :1] ** 2), np.eye(4, 2) * 2),
    "pinv, square": (ops.pinv, APART / 4),
    "nuclear norm": (lambda x: ops.norm(x, "nuc"), APART),
    "largest": (lambda x: ops.norm(x, 2), APART),
    "condition": (ops.cond, APART),
    "condition, nuc": (lambda x: ops.cond(x, "nuc"), APART),
}


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_derivatives(name):
    function, base = DIFFERENTIABLE[name]
    check_grads(function, Tensor(base + RNG.uniform(-0.3, 0.3, base.shape)), order=2)


def test_second_derivative_of_the_exponential():
    """Of sum(exp(h a)), at h = 3, where it is scaled: sum(a a exp(h a))."""
    a = np.array([[1.0, 2.0], [-0.5, 0.3]])
    second = ms.grad(ms.grad(lambda h: ops.matrix_exp(h * Tensor(a)).sum()))
    close(second(Tensor(3.0, ms.float64)), (a @ a @ scipy.linalg.expm(3 * a)).sum())


def test_third_derivatives():
    check_grads(lambda x: linalg.eigh(x)[1][0], Tensor(APART[:2, :2] + draw(2, 2) / 8), order=3)


@pytest.mark.parametrize("n", [2, 20])
def test_gradients_in_closed_form(n):
    a, w = draw(n, n), draw(n, n)
    s = a @ a.T + np.eye(n)
    # log det by eigenvalues; of the triangle that is read.
    got = ms.grad(lambda x: ops.log(linalg.eigh(x)[0]).sum())(Tensor(s))
    inverse = np.linalg.inv(s)
    close(got, np.tril(inverse) + np.tril(inverse, -1))

    # A root by eigenvectors: X S + S X = C has the adjoint (Higham, "Functions of matrices").
    def root(x):
        values, v = linalg.eigh(symmetric(x))
        return ((v * ops.sqrt(values)) @ v.T * Tensor(w)).sum()

    y = scipy.linalg.sqrtm(s).real
    adjoint = scipy.linalg.solve_sylvester(y, y, (w + w.T) / 2)
    close(ms.grad(root)(Tensor(s)), adjoint, 1e-8)

    # The orthogonal factor of the polar decomposition, by singular vectors.
    def polar(x):
        _, u, v = ops.svd(x)
        return (u @ v.T * Tensor(w)).sum()

    u, p = scipy.linalg.polar(a)
    inner = u.T @ w
    z = scipy.linalg.solve_sylvester(p, p, inner - inner.T)
    close(ms.grad(polar)(Tensor(a)), u @ z, 1e-6)
    # The exponential: Frechet derivative in the direction of w at the transposed matrix.
    got = ms.grad(lambda x: (ops.matrix_exp(x) * Tensor(w)).sum())(Tensor(a))
    close(got, scipy.linalg.expm_frechet(a.T, w, compute_expm=False), 1e-10)


def test_hessian_of_the_largest_eigenvalue():
    """In closed form: twice the sum of squared couplings over the gaps."""
    a = np.diag([1.0, 2.0, 4.0])
    t = draw(3, 3)
    t = t + t.T
    value = lambda h: linalg.eigh(Tensor(a) + h * Tensor(t))[0][2]
    second = ms.grad(ms.grad(value))(Tensor(0.0, ms.float64))
    close(second, 2 * (t[2, 0] ** 2 / 3 + t[2, 1] ** 2 / 2), 1e-12)


EQUAL = {
    "identity": np.eye(3),
    "pairs": np.diag([2.0, 2.0, 5.0]),
    "rank one": np.ones((3, 3)),
    "zero": np.zeros((3, 3)),
}


@pytest.mark.parametrize("name", EQUAL)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_values(name, dtype):
    """What does not depend on the choice of vectors has a finite and right gradient."""
    x = Tensor(EQUAL[name].astype(dtype))
    a = EQUAL[name]
    tolerance = 1e-5 if dtype == np.float32 else 1e-13
    squares = ms.grad(lambda x: (linalg.eigh(symmetric(x))[0] ** 2).sum())(x)
    close(squares, 2 * a, tolerance)
    close(ms.grad(lambda x: (ops.svd(x)[0] ** 2).sum())(x), 2 * a, tolerance)
    close(ms.grad(lambda x: linalg.eigh(symmetric(x))[0].sum())(x), np.eye(3), tolerance)


OF_VECTORS = {
    "1": ops.ones_like,
    "w": lambda w: w,
    "sqrt": lambda w: ops.sqrt(w + 1),
    "log": lambda w: ops.log(w + 1),
}


@pytest.mark.parametrize("name", EQUAL)
@pytest.mark.parametrize("function", OF_VECTORS)
def test_functions_of_equal_values_have_nan(name, function):
    """V f(w) V^T has the slope f'(w) between equal values, which the vectors do not tell; 0 is wrong."""
    f, w = OF_VECTORS[function], Tensor(draw(3, 3))

    def by_eigh(x):
        values, v = linalg.eigh(symmetric(x))
        return ((v * f(values)) @ v.T * w).sum()

    def by_svd(x):
        s, u, v = ops.svd(x)
        return ((u * f(s)) @ v.T * w).sum()

    x, direction = Tensor(EQUAL[name]), Tensor(draw(3, 3))
    for computed in (by_eigh, by_svd):
        assert np.isnan(ms.grad(computed)(x).asnumpy()).any()
        assert np.isnan(ms.jvp(computed, (x,), (direction,))[1].asnumpy())


@pytest.mark.parametrize("a", [np.ones((3, 3)), np.diag([2.0, 2.0, 5.0])], ids=["ones", "diagonal"])
def test_columns_beside_equal_values(a):
    """A slice of the vectors does not see equal values among the others: v v^T of the largest value
    has the derivative of v by (w_n I - A)^+."""
    w = draw(3, 3)
    w = w + w.T
    v = np.linalg.eigh(a)[1][:, 2]
    resolvent = np.linalg.pinv(np.linalg.eigvalsh(a)[2] * np.eye(3) - a)
    slope = np.outer(resolvent @ w @ v, v)
    for vector in (lambda v: v[:, 2], lambda v: v[..., -1:][:, 0], lambda v: v[:, 1:][:, 1]):

        def value(x, vector=vector):
            u = vector(linalg.eigh(symmetric(x))[1])
            return (ops.outer(u, u) * Tensor(w)).sum()

        close(ms.grad(value)(Tensor(a)), slope + slope.T, 1e-12)


def test_vmap_and_jit(mode):
    a = draw(4, 3, 3) + 3 * APART
    close(ms.vmap(lambda x: ops.svd(x)[0])(Tensor(a)), np.linalg.svd(a, compute_uv=False))
    got = ms.vmap(ms.grad(lambda x: linalg.eigh(symmetric(x))[0][2]))(Tensor(a))
    for one, matrix in zip(got.asnumpy(), a, strict=True):
        v = np.linalg.eigh((matrix + matrix.T) / 2)[1][:, 2]
        np.testing.assert_allclose(one, np.outer(v, v), atol=1e-12)
    close(ms.jit(ops.pinv)(Tensor(a)), np.linalg.pinv(a))
    close(ms.vmap(ops.pinv)(Tensor(a)), np.linalg.pinv(a))


def test_in_a_loop():
    """Roots of singular values."""

    @ms.jit
    def power(x):
        total = ops.zeros((), ms.float64)
        for _ in range(3):
            s, u, v = ops.svd(x)
            x = (u * ops.sqrt(s)) @ v.T
            total = total + s[0]
        return total

    a = np.diag([16.0, 2.0]) @ np.array([[0.6, 0.8], [-0.8, 0.6]])
    close(power(Tensor(a)), 16.0 + 4.0 + 2.0)
    slope = 1 + 16**-0.5 / 2 + 16**-0.75 / 4
    _, u, v = (t.asnumpy() for t in ops.svd(Tensor(a)))
    close(ms.grad(power)(Tensor(a)), slope * np.outer(u[:, 0], v[:, 0]))


# --- refusals ---------------------------------------------------------------------------------


def T(*shape, dtype="float32"):
    return Tensor(np.ones(shape, dtype))


ERRORS = [
    (lambda: ops.svd(3.0), TypeError, "'input' must be a Tensor"),
    (lambda: ops.svd(T(3)), ValueError, "'input' must hold matrices"),
    (lambda: ops.svd(T(3, 2, dtype="int32")), TypeError, "must be of floating-point numbers"),
    (lambda: ops.svd(T(3, 2), 1), TypeError, "'full_matrices' must be a bool"),
    (lambda: ops.svd(T(3, 2), False, "no"), TypeError, "'compute_uv' must be a bool"),
    (lambda: linalg.eigh(T(2, 3)), ValueError, "square matrices"),
    (lambda: linalg.eigh(T(2, 2), T(2, 2)), ValueError, "'b' must be None"),
    (lambda: linalg.eigh(T(2, 2), eigvals=(0, 1)), ValueError, "'eigvals' must be None"),
    (lambda: ops.pinv(T(3, 2), hermitian=True), ValueError, "square matrices"),
    (lambda: ops.pinv(T(3, 2), rtol="small"), TypeError, "'rtol' must be a number or a Tensor"),
    (lambda: ops.lstsq(T(3, 2), T(2)), ValueError, "'A' must have as many rows"),
    (lambda: ops.cond(T(3, 2), 1), ValueError, "square matrices"),
    (lambda: ops.cond(T(3, 3), 3), ValueError, "the ord mode must be in"),
    (lambda: ops.matrix_exp(T(3, 2)), ValueError, "square matrices"),
    (lambda: ops.norm(T(2, 2, 2), "nuc"), ValueError, "needs 'dim'"),
]


@pytest.mark.parametrize("call, kind, text", ERRORS, ids=[e[2] for e in ERRORS])
def test_errors(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert re.search(text, said(caught.value))
