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
    assert linalg.det(i).dtype == ms.float32
    assert linalg.lu(i)[0].dtype == ms.int32
    close(
        linalg.block_diag(i, Tensor(np.array([1, 2], "int32"))),
        [[2, 1, 0, 0], [1, 3, 0, 0], [0, 0, 1, 2]],
    )


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
