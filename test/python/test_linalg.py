"""Factorizations and what is computed by them: against numpy and scipy, by residuals where the
matrix is nearly singular, derivatives against differences and closed forms.

Names, arguments, shapes and the base of the pivots are MindSpore 2.10's, which was tried beside
(`ops.lu_solve` counts pivots from 1; `ops.lstsq` gives a column for a vector).
"""

import re

import numpy as np
import pytest
import scipy.linalg
from messages import said

import cellgrad as ms
from cellgrad import Tensor, ops
from cellgrad.testing import check_grads

RNG = np.random.default_rng(11)
SIZES = [1, 2, 3, 4, 7, 16, 33, 65, 130]


def draw(*shape):
    return RNG.standard_normal(shape)


def definite(*shape):
    x = draw(*shape)
    return x @ x.swapaxes(-1, -2) / shape[-1] + np.eye(shape[-1])


def close(got, wanted, tolerance=1e-9):
    got = got.asnumpy()
    assert got.shape == np.shape(wanted)
    scale = max(1.0, float(np.abs(wanted).max(initial=0)))
    np.testing.assert_allclose(got, wanted, rtol=0, atol=tolerance * scale)


# --- values -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
def test_cholesky(n):
    a, b = definite(n, n), draw(n, 3)
    factor = np.linalg.cholesky(a)
    close(ops.cholesky(Tensor(a)), factor)
    close(ops.cholesky(Tensor(a), upper=True), factor.T)
    close(ops.Cholesky(True)(Tensor(a)), factor.T)
    close(Tensor(a).cholesky(), factor)
    # The other triangle of a factor is not read.
    noisy = factor + np.triu(draw(n, n), 1)
    close(ops.cholesky_inverse(Tensor(noisy)), np.linalg.inv(a))
    close(ops.cholesky_inverse(Tensor(noisy.T.copy()), upper=True), np.linalg.inv(a))
    close(ops.cholesky_solve(Tensor(b), Tensor(noisy)), np.linalg.solve(a, b))
    close(Tensor(b).cholesky_solve(Tensor(noisy.T.copy()), True), np.linalg.solve(a, b))
    close(ops.CholeskySolve()(Tensor(b), Tensor(noisy)), np.linalg.solve(a, b))
    close(ops.CholeskyInverse()(Tensor(noisy)), np.linalg.inv(a))


@pytest.mark.parametrize("n", SIZES)
def test_solve_inverse_and_determinant(n):
    a, b = draw(n, n) + 3 * np.sqrt(n) * np.eye(n)[::-1], draw(n, 2)
    close(ops.matrix_solve(Tensor(a), Tensor(b)), np.linalg.solve(a, b))
    close(ops.matrix_solve(Tensor(a), Tensor(b), adjoint=True), np.linalg.solve(a.T, b))
    close(ops.MatrixSolve(adjoint=True)(Tensor(a), Tensor(b)), np.linalg.solve(a.T, b))
    close(ops.inverse(Tensor(a)), np.linalg.inv(a))
    close(Tensor(a).inverse(), np.linalg.inv(a))
    close(ops.MatrixInverse(adjoint=True)(Tensor(a)), np.linalg.inv(a).T)
    sign, logarithm = np.linalg.slogdet(a)
    got = ops.slogdet(Tensor(a))
    close(got[0], sign)
    close(got[1], logarithm)
    close(ops.LogMatrixDeterminant()(Tensor(a))[0], sign)
    with np.errstate(invalid="ignore"):
        close(ops.logdet(Tensor(a @ a.T)), 2 * logarithm)
    np.testing.assert_allclose(ops.det(Tensor(a)).asnumpy(), np.linalg.det(a), rtol=1e-10)
    np.testing.assert_allclose(ops.MatrixDeterminant()(Tensor(a)).asnumpy(), np.linalg.det(a))


@pytest.mark.parametrize("n", SIZES)
def test_lu_solve_and_unpack(n):
    a, b = draw(n, n), draw(n, 2)
    packed, pivots = scipy.linalg.lu_factor(a)
    pivots = (pivots + 1).astype("int32")
    for solve in (ops.lu_solve, ops.LuSolve(), lambda b, d, p: b.lu_solve(d, p)):
        got = solve(Tensor(b), Tensor(packed), Tensor(pivots))
        np.testing.assert_allclose(a @ got.asnumpy(), b, rtol=0, atol=1e-8)
    for got, wanted in zip(
        ops.lu_unpack(Tensor(packed), Tensor(pivots)), scipy.linalg.lu(a), strict=True
    ):
        close(got, wanted)
    assert ops.lu_unpack(Tensor(packed), Tensor(pivots), unpack_pivots=False)[0] is None
    assert ops.LuUnpack(unpack_data=False)(Tensor(packed), Tensor(pivots))[1] is None


@pytest.mark.parametrize(
    "shape", [(1, 1), (3, 2), (2, 3), (5, 5), (40, 17), (17, 40), (150, 97), (97, 150)]
)
@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_qr(shape, mode):
    a = draw(*shape)
    wanted = np.linalg.qr(a, mode)
    for got in (ops.qr(Tensor(a), mode), Tensor(a).qr(mode == "reduced")):
        close(got[0], wanted[0])
        close(got[1], wanted[1])
    close(ops.Qr(mode == "complete")(Tensor(a))[1], wanted[1])


def test_qr_of_zeros_and_of_huge_and_tiny_elements():
    q, r = ops.qr(Tensor(np.zeros((3, 2))))
    close(q, np.eye(3, 2))
    close(r, np.zeros((2, 2)))
    for scale in (1e200, 1e-200):
        a = draw(4, 3) * scale
        for got, wanted in zip(ops.qr(Tensor(a)), np.linalg.qr(a), strict=True):
            np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 8, -1, -3])
def test_matrix_power(n):
    a = draw(2, 3, 3)
    close(ops.matrix_power(Tensor(a), n), np.linalg.matrix_power(a, n))
    close(ops.MatrixPower(n)(Tensor(a)), np.linalg.matrix_power(a, n))
    close(Tensor(a).matrix_power(n), np.linalg.matrix_power(a, n))


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
@pytest.mark.parametrize("n", [3, 65, 100])
def test_triangular_solve(lower, adjoint, n):
    a, b = draw(n, n) / n + np.eye(n), draw(n, 5)
    got = ops.MatrixTriangularSolve(lower, adjoint)(Tensor(a), Tensor(b))
    close(got, scipy.linalg.solve_triangular(a, b, lower=lower, trans=int(adjoint)))


@pytest.mark.parametrize("batch", [(3,), (2, 3), (0,), (2, 1, 2)])
def test_batches(batch):
    a, b, s = draw(*batch, 4, 4), draw(*batch, 4, 2), definite(*batch, 4, 4)
    close(ops.inverse(Tensor(a)), np.linalg.inv(a))
    close(ops.det(Tensor(a)), np.linalg.det(a))
    close(ops.det(Tensor(a[..., :3, :3])), np.linalg.det(a[..., :3, :3]))
    close(ops.matrix_solve(Tensor(a), Tensor(b)), np.linalg.solve(a, b))
    close(ops.matrix_solve(Tensor(a), Tensor(b[..., :1, :, :] if len(batch) > 1 else b)),
          np.linalg.solve(a, b[..., :1, :, :] if len(batch) > 1 else b))  # fmt: skip
    close(ops.cholesky(Tensor(s)), np.linalg.cholesky(s))
    for got, wanted in zip(ops.slogdet(Tensor(a)), np.linalg.slogdet(a), strict=True):
        close(got, wanted)
    for got, wanted in zip(ops.qr(Tensor(a)), np.linalg.qr(a), strict=True):
        close(got, wanted)


def test_no_rows():
    a = Tensor(np.zeros((2, 0, 0)))
    assert ops.inverse(a).shape == ops.cholesky(a).shape == (2, 0, 0)
    close(ops.det(a), [1.0, 1.0])
    close(ops.slogdet(a)[1], [0.0, 0.0])
    assert ops.qr(Tensor(np.zeros((3, 0))))[0].shape == (3, 0)
    close(ops.qr(Tensor(np.zeros((3, 0))), "complete")[0], np.eye(3))


@pytest.mark.parametrize("dtype, tolerance", [("float32", 1e-5), ("float16", 4e-3)])
def test_single_and_half_precision(dtype, tolerance):
    a, b = definite(5, 5).astype(dtype), draw(5, 2).astype(dtype)
    wide = a.astype("float64")
    results = {
        "cholesky": (ops.cholesky(Tensor(a)), np.linalg.cholesky(wide)),
        "solve": (
            ops.matrix_solve(Tensor(a), Tensor(b)),
            np.linalg.solve(wide, b.astype("float64")),
        ),
        "inverse": (ops.inverse(Tensor(a)), np.linalg.inv(wide)),
        "det": (ops.det(Tensor(a)), np.linalg.det(wide)),
        "q": (ops.qr(Tensor(a))[0], np.linalg.qr(wide)[0]),
    }
    for name, (got, wanted) in results.items():
        assert str(got.dtype).lower() == dtype, name
        close(got, wanted, tolerance)


# --- accuracy and failure ---------------------------------------------------------------------


def conditioned(n, condition):
    u, _, v = np.linalg.svd(draw(n, n))
    return u * np.geomspace(1, 1 / condition, n) @ v


@pytest.mark.parametrize("condition", [1e2, 1e4, 1e6])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [10, 100])
def test_backward_errors(condition, dtype, n):
    """Residuals in units of rounding, which do not grow with the condition number."""
    eps = np.finfo(dtype).eps
    a, b = conditioned(n, condition).astype(dtype), draw(n, 2).astype(dtype)
    wide = a.astype("float64")
    y = ops.matrix_solve(Tensor(a), Tensor(b)).asnumpy().astype("float64")
    residual = np.linalg.norm(wide @ y - b) / (np.linalg.norm(wide) * np.linalg.norm(y))
    assert residual < 10 * eps
    q, r = (x.asnumpy().astype("float64") for x in ops.qr(Tensor(a)))
    assert np.linalg.norm(q @ r - wide) / np.linalg.norm(wide) < 20 * eps
    assert np.linalg.norm(q.T @ q - np.eye(n)) < 20 * np.sqrt(n) * eps
    if condition <= 1e4 or dtype == "float64":
        s = (wide @ wide.T + 1e-3 / condition * np.eye(n)).astype(dtype)
        if dtype == "float64":
            factor = ops.cholesky(Tensor(s)).asnumpy()
            assert np.linalg.norm(factor @ factor.T - s) / np.linalg.norm(s) < 10 * eps


@pytest.mark.parametrize("n", [3, 100])
@pytest.mark.parametrize("where", [0, -1])
def test_cholesky_of_a_matrix_that_is_not_positive_definite(n, where):
    a = definite(n, n)
    a[where, where] = -1.0
    got = ops.cholesky(Tensor(a)).asnumpy()
    lower = np.tril(np.ones((n, n), bool))
    assert np.isnan(got[lower]).all() and (got[~lower] == 0).all()


def test_only_the_bad_matrix_of_a_batch_is_nan():
    a = definite(3, 4, 4)
    a[1, 2, 2] = -5.0
    got = ops.cholesky(Tensor(a)).asnumpy()
    close(Tensor(got[[0, 2]]), np.linalg.cholesky(a[[0, 2]]))
    assert np.isnan(got[1, 0, 0])


def test_singular_matrices():
    ones = Tensor(np.ones((4, 4)))
    assert ops.det(ones) == 0
    assert [float(x) for x in ops.slogdet(ones)] == [0.0, -np.inf]
    assert not np.isfinite(ops.inverse(ones).asnumpy()).all()
    assert np.isnan(float(ops.logdet(Tensor(np.diag([1.0, -2.0])))))


# --- derivatives ------------------------------------------------------------------------------


def spd(x):
    return ops.matmul(x, x.swapaxes(-1, -2)) + 2.0 * Tensor(np.eye(x.shape[-1]))


DIFFERENTIABLE = {
    "cholesky": (lambda x: ops.cholesky(spd(x)), (3, 3)),
    "cholesky of a batch": (lambda x: ops.cholesky(spd(x), True), (2, 2, 2)),
    "cholesky_inverse": (lambda x: ops.cholesky_inverse(x), None),
    "cholesky_solve": (lambda x, b: ops.cholesky_solve(b, x), None, (3, 2)),
    "matrix_solve": (ops.matrix_solve, None, (3, 2)),
    "adjoint solve": (lambda x, b: ops.matrix_solve(x, b, True), None, (3, 2)),
    "inverse": (ops.inverse, None),
    "det of 3": (ops.det, None),
    "det of 4": (lambda x: ops.det(spd(x)), (4, 4)),
    "slogdet": (lambda x: ops.slogdet(x)[1], None),
    "qr, q": (lambda x: ops.qr(x)[0], (4, 3)),
    "qr, r": (lambda x: ops.qr(x)[1], (4, 3)),
    "qr, wide": (lambda x: ops.qr(x)[0].sum() * ops.qr(x)[1], (3, 5)),
    "qr, square": (lambda x: ops.qr(x)[0] * ops.qr(x)[1], None),
    "matrix_power": (lambda x: ops.matrix_power(x, -2), None),
    "lu_solve": (
        lambda x, b: ops.lu_solve(b, x, Tensor(np.array([2, 3, 3], "int32"))),
        None,
        (3, 2),
    ),
    "triangular_solve": (ops.MatrixTriangularSolve(False, True), None, (3, 2)),
}


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_derivatives(name):
    function, *shapes = DIFFERENTIABLE[name]
    regular = np.array([[3.0, 0.5, -0.4], [0.3, 2.5, 0.2], [-0.6, 0.1, 2.0]])
    # Pivots and singular values far from 0: near it, differences are no derivatives.
    args = tuple(
        Tensor(regular if s is None else 2 * np.eye(*s[-2:]) + draw(*s) / 4) for s in shapes
    )
    check_grads(function, args, order=2)


@pytest.mark.parametrize("name", ["cholesky", "inverse", "slogdet", "qr, q", "det of 4"])
def test_third_derivatives(name):
    function, shape = DIFFERENTIABLE[name]
    n = 2 if shape is None else shape[0]
    x = np.eye(n) * 2 + draw(n, n) / 4
    check_grads(function, Tensor(x[:, : shape[1]] if shape else x), order=3)


@pytest.mark.parametrize("n", [5, 100])
def test_gradients_in_closed_form(n):
    a, s = draw(n, n) + 2 * np.sqrt(n) * np.eye(n), definite(n, n)
    inverse = np.linalg.inv(a)
    close(ms.grad(lambda x: ops.slogdet(x)[1])(Tensor(a)), inverse.T)
    scaled = ms.grad(lambda x: ops.det(x) / np.linalg.det(a))(Tensor(a))
    close(scaled, inverse.T, 1e-8)
    # log det by the Cholesky factor; the gradient is symmetric.
    by_factor = ms.grad(lambda x: 2 * ops.log(ops.cholesky(x).diagonal()).sum())(Tensor(s))
    close(by_factor, np.linalg.inv(s))
    w = draw(n, n)
    close(ms.grad(lambda x: (ops.inverse(x) * Tensor(w)).sum())(Tensor(a)),
          -inverse.T @ w @ inverse.T)  # fmt: skip


def test_the_gradient_of_a_small_determinant_is_finite_where_it_is_zero():
    singular = Tensor(np.array([[1.0, 2.0], [2.0, 4.0]]))
    close(ms.grad(ops.det)(singular), [[4.0, -2.0], [-2.0, 1.0]])


def test_gradients_in_half_precision():
    a = definite(3, 3).astype("float16")
    got = ms.grad(lambda x: ops.cholesky(x).sum())(Tensor(a))
    wanted = ms.grad(lambda x: ops.cholesky(x).sum())(Tensor(a.astype("float64")))
    assert got.dtype == ms.float16
    close(got, wanted.asnumpy(), 4e-3)


def test_vmap_of_factorizations():
    a, b = definite(5, 3, 3), draw(3, 2)
    close(ms.vmap(ops.cholesky)(Tensor(a)), np.linalg.cholesky(a))
    close(ms.vmap(ops.matrix_solve, (0, None))(Tensor(a), Tensor(b)), np.linalg.solve(a, b[None]))
    close(ms.vmap(lambda x: ops.qr(x)[1])(Tensor(a)), np.linalg.qr(a)[1])
    gradient = ms.vmap(ms.grad(lambda x: ops.slogdet(x)[1]))(Tensor(a))
    close(gradient, np.linalg.inv(a))


# --- refusals ---------------------------------------------------------------------------------


def T(*shape, dtype="float32"):
    return Tensor(np.ones(shape, dtype))


ERRORS = [
    (lambda: ops.cholesky(3.0), TypeError, "'input_x' must be a Tensor"),
    (lambda: ops.cholesky(T(2, 2, dtype="int32")), TypeError, "must be of floating-point numbers"),
    (lambda: ops.cholesky(T(3)), ValueError, "square matrices in its last two .* shape .3."),
    (lambda: ops.cholesky(T(2, 3)), ValueError, "square matrices .* shape .2, 3."),
    (lambda: ops.cholesky_inverse(T(2, 3)), ValueError, "square matrices"),
    (lambda: ops.cholesky_solve(T(3), T(3, 3)), ValueError, "'input' must hold matrices"),
    (lambda: ops.matrix_solve(T(2, 2), T(3, 2)), ValueError, "'rhs' must have as many rows"),
    (lambda: ops.matrix_solve(T(4, 2, 2), T(3, 2, 2)), ValueError, "must broadcast"),
    (lambda: ops.inverse(T(2, 3)), ValueError, "square matrices"),
    (lambda: ops.det(T(2, 3)), ValueError, "square matrices"),
    (lambda: ops.slogdet(T(3)), ValueError, "square matrices"),
    (lambda: ops.qr(T(3)), ValueError, "must hold matrices"),
    (lambda: ops.qr(T(3, 2), "r"), TypeError, "'mode' must be 'reduced' or 'complete'"),
    (lambda: ops.matrix_power(T(2, 2), 1.5), TypeError, "'n' must be an int, but got float"),
    (lambda: ops.lu_solve(T(2, 2), T(2, 2), T(2)), TypeError, "'LU_pivots' must be of integers"),
    (
        lambda: ops.lu_solve(T(2, 2), T(2, 2), T(3, dtype="int32")),
        ValueError,
        "a pivot for each row of 'LU_data'",
    ),
]


@pytest.mark.parametrize("call, kind, text", ERRORS, ids=[e[2] for e in ERRORS])
def test_errors(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert re.search(text, said(caught.value))


def test_derivatives_that_qr_does_not_have():
    with pytest.raises(Exception) as caught:
        ms.grad(lambda x: ops.qr(x, "complete")[0].sum())(T(3, 2))
    assert re.search("reduced form only", said(caught.value))
    assert "test_linalg.py" in str(caught.value)
