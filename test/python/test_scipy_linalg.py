"""`cellgrad.scipy.linalg` against scipy, whose names and arguments it has (as MindSpore 2.10's has,
beside which it was tried: P is of int32, pivots count from 0).
"""

import re

import numpy as np
import pytest
import scipy.linalg as reference
from messages import said

import cellgrad as ms
from cellgrad import Tensor
from cellgrad.scipy import linalg
from cellgrad.testing import check_grads

RNG = np.random.default_rng(5)


def close(got, wanted):
    got = got.asnumpy()
    assert got.shape == np.shape(wanted)
    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n", [1, 3, 70])
def test_against_scipy(n):
    a, b = RNG.standard_normal((n, n)), RNG.standard_normal((n, 2))
    s = a @ a.T / n + np.eye(n)
    for lower in (False, True):
        close(linalg.cholesky(Tensor(s), lower), reference.cholesky(s, lower))
        factor = linalg.cho_factor(Tensor(s), lower)
        assert factor[1] is lower
        close(linalg.cho_solve(factor, Tensor(b)), reference.cho_solve((s_factor(s), True), b))
        close(linalg.cho_solve(factor, Tensor(b[:, 0])), reference.solve(s, b[:, 0]))
    close(linalg.det(Tensor(a)), reference.det(a))
    close(linalg.inv(Tensor(s)), reference.inv(s))
    for got, wanted in zip(linalg.lu(Tensor(a)), reference.lu(a), strict=True):
        close(got, wanted)
    for got, wanted in zip(linalg.lu(Tensor(a), True), reference.lu(a, True), strict=True):
        close(got, wanted)
    factors = linalg.lu_factor(Tensor(s))
    for got, wanted in zip(factors, reference.lu_factor(s), strict=True):
        close(got, wanted)
    for trans in (0, 1, 2):
        close(linalg.lu_solve(factors, Tensor(b), trans), reference.solve(s, b))
    close(linalg.lu_solve(factors, Tensor(b[:, 0])), reference.solve(s, b[:, 0]))


def s_factor(s):
    return reference.cholesky(s, lower=True)


@pytest.mark.parametrize("trans", [0, 1, "N", "T", "C"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_solve_triangular(trans, lower, unit):
    a, b = RNG.standard_normal((3, 3)) + 3 * np.eye(3), RNG.standard_normal((3, 2))
    for right in (b, b[:, 0]):
        got = linalg.solve_triangular(Tensor(a), Tensor(right), trans, lower, unit)
        close(got, reference.solve_triangular(a, right, trans, lower, unit))


def test_batches_and_integers():
    a, b = RNG.standard_normal((4, 3, 3)), RNG.standard_normal((4, 3))
    got = linalg.solve_triangular(Tensor(a), Tensor(b), lower=True)
    close(got, [reference.solve_triangular(m, v, lower=True) for m, v in zip(a, b, strict=True)])
    i = Tensor(np.array([[2, 1], [1, 3]], "int32"))
    close(linalg.inv(i), reference.inv([[2, 1], [1, 3]]))
    assert linalg.det(i).dtype == ms.float64
    assert linalg.lu(i)[0].dtype == ms.int32
    close(
        linalg.block_diag(i, Tensor(np.array([1, 2], "int32"))),
        [[2, 1, 0, 0], [1, 3, 0, 0], [0, 0, 1, 2]],
    )
    assert linalg.block_diag().shape == reference.block_diag().shape == (1, 0)


def test_derivatives():
    a = Tensor(np.array([[3.0, 0.5, -0.4], [0.3, 2.5, 0.2], [-0.6, 0.1, 2.0]]))
    b = Tensor(RNG.standard_normal((3, 2)))
    check_grads(lambda a: linalg.lu_factor(a)[0], a)
    check_grads(lambda a: linalg.lu(a, True)[0], a)
    check_grads(lambda a, b: linalg.lu_solve(linalg.lu_factor(a), b, 1), (a, b))
    check_grads(lambda a, b: linalg.solve_triangular(a, b, "T", unit_diagonal=True), (a, b))


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda m: linalg.lu_solve((m, m), m, trans=3), "'trans' must be 0, 1 or 2, but got 3"),
        (lambda m: linalg.solve_triangular(m, m, "X"), "'trans' must be one of"),
        (lambda m: linalg.inv(m[0]), "square matrices"),
        (lambda m: linalg.lu(m[:, :1]), "at most as many rows as columns"),
    ],
)
def test_errors(call, text):
    with pytest.raises(ValueError) as caught:
        call(Tensor(np.eye(2)))
    assert re.search(text, said(caught.value))


@pytest.mark.parametrize("shape", [(4, 5), (2, 3, 7)])
def test_lu_of_wide_matrices(shape):
    a = np.random.default_rng(3).standard_normal(shape)
    p, low, up = (t.asnumpy() for t in linalg.lu(Tensor(a)))
    np.testing.assert_allclose(p @ low @ up, a, atol=1e-14)
    for matrix, parts in zip(
        a.reshape(-1, *shape[-2:]), zip(*map(_listed, (p, low, up)), strict=True), strict=True
    ):
        for found, expected in zip(parts, reference.lu(matrix), strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-13)
    together = lambda a: (linalg.lu(a, permute_l=True)[0] ** 2).sum() + linalg.lu(a)[2].sum()
    check_grads(together, (Tensor(a),))


def _listed(stack):
    return stack.reshape(-1, *stack.shape[-2:])


def test_flags_are_bools():
    a = Tensor(np.eye(3))
    for name in ("cholesky", "cho_factor", "det", "inv", "lu", "lu_factor", "eigh"):
        for value in (5.0, None, 1):
            with pytest.raises(TypeError, match=f"For '{name}', 'check_finite' must be a bool"):
                getattr(linalg, name)(a, check_finite=value)
    with pytest.raises(TypeError, match="For 'solve_triangular', 'lower' must be a bool"):
        linalg.solve_triangular(a, a, lower=1)


DRIVERS = (None, "gels", "gelsy", "gelss", "gelsd")


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize(("m", "n", "right"), [(4, 3, (2,)), (3, 4, (2,)), (3, 3, ()), (5, 2, ())])
def test_least_squares(m, n, right, driver, dtype):
    """Shapes and dtypes are MindSpore 2.10's, numbers scipy's."""
    a = RNG.standard_normal((m, n)).astype(dtype)
    b = RNG.standard_normal((m, *right)).astype(dtype)
    if dtype == "complex64":
        a, b = a + 1j * a[::-1], b - 2j * b[::-1]
    wanted = reference.lstsq(a, b)
    solution, residual, rank, values = linalg.lstsq(Tensor(a), Tensor(b), driver=driver)
    tolerance = 1e-9 if dtype == "float64" else 2e-4
    real = a.real.dtype
    assert [t.asnumpy().dtype for t in (solution, residual, rank, values)] == [
        a.dtype,
        real,
        "int64",
        real,
    ]
    np.testing.assert_allclose(solution.asnumpy(), wanted[0], rtol=tolerance, atol=tolerance)
    if m > n and driver in ("gels", "gelss", "gelsd"):
        assert residual.shape == right
        np.testing.assert_allclose(residual.asnumpy(), wanted[1], rtol=tolerance, atol=tolerance)
    else:
        assert residual.shape == (0,)
    assert rank.shape == ((0,) if driver == "gels" else ())
    assert driver == "gels" or rank.asnumpy() == min(m, n)
    if driver in ("gelss", "gelsd"):
        np.testing.assert_allclose(values.asnumpy(), wanted[3], rtol=tolerance, atol=tolerance)
    else:
        assert values.shape == (0,)


def test_least_squares_of_less_than_full_rank():
    a, b = np.array([[1.0, 2], [2, 4], [3, 6]], "f"), np.array([1.0, 2, 4], "f")
    solution, residual, rank, values = linalg.lstsq(Tensor(a), Tensor(b), driver="gelsd")
    np.testing.assert_allclose(
        solution.asnumpy(), [0.24285714, 0.48571429], rtol=1e-5
    )  # MindSpore's
    np.testing.assert_allclose(residual.asnumpy(), 0.35714288, rtol=1e-5)
    assert rank.asnumpy() == 1 and values.shape == (2,)
    x = np.diag([4.0, 1.0, 0.1])
    for rcond, kept in ((None, 3), (0.05, 2), (0.5, 1)):
        solution, _, rank, _ = linalg.lstsq(Tensor(x), Tensor(np.ones(3)), rcond)
        assert rank.asnumpy() == kept
        np.testing.assert_allclose(
            solution.asnumpy(), [0.25, 1.0 * (kept > 1), 10.0 * (kept > 2)], atol=1e-9
        )


def test_least_squares_of_a_batch_and_its_derivatives():
    a, b = RNG.standard_normal((2, 4, 3)), RNG.standard_normal((2, 4, 2))
    solution, residual, rank, values = linalg.lstsq(Tensor(a), Tensor(b), driver="gelss")
    for i in range(2):
        wanted = reference.lstsq(a[i], b[i])
        np.testing.assert_allclose(solution.asnumpy()[i], wanted[0], rtol=1e-9)
        np.testing.assert_allclose(residual.asnumpy()[i], wanted[1], rtol=1e-9)
        np.testing.assert_allclose(values.asnumpy()[i], wanted[3], rtol=1e-9)
    assert rank.asnumpy().tolist() == [3, 3]
    check_grads(lambda x, y: linalg.lstsq(x, y)[0], (Tensor(a[0]), Tensor(b[0])), order=2)
    check_grads(
        lambda x, y: linalg.lstsq(x, y, driver="gels")[1], (Tensor(a[0]), Tensor(b[0])), order=1
    )
    jitted = ms.jit(lambda x, y: linalg.lstsq(x, y, driver="gelsd"))(Tensor(a), Tensor(b))
    np.testing.assert_allclose(jitted[0].asnumpy(), solution.asnumpy(), rtol=1e-12)


def test_what_least_squares_refuse():
    a, b = Tensor(np.ones((3, 2))), Tensor(np.ones(3))
    with pytest.raises(
        TypeError,
        match=said(
            "For 'lstsq', 'A' and 'B' must have the same dtype, but got Float64 and Float32."
        ),
    ):
        linalg.lstsq(a, Tensor(np.ones(3, "f")))
    with pytest.raises(ValueError, match="'A' must have"):
        linalg.lstsq(b, b)
    with pytest.raises(ValueError, match="as many rows as 'A' and the same batch"):
        linalg.lstsq(a, Tensor(np.ones(2)))
    with pytest.raises(ValueError, match="'driver' must be one of None, 'gels'"):
        linalg.lstsq(a, b, driver="gelss2")
    with pytest.raises(TypeError):
        linalg.lstsq(Tensor([[1, 2]]), Tensor([[1, 2]]))
