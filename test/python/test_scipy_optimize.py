"""Minima and steps along a line, against scipy."""

import numpy as np
import pytest
import scipy.optimize

import cellgrad as ms
from cellgrad import Tensor
from cellgrad import numpy as mnp
from cellgrad.scipy.optimize import line_search, minimize


def rosenbrock(np):
    return lambda x: np.sum(100.0 * np.diff(x) ** 2 + (1.0 - x[:-1]) ** 2)


def himmelblau(np):
    return lambda p: (p[0] ** 2 + p[1] - 11.0) ** 2 + (p[0] + p[1] ** 2 - 7.0) ** 2


def matyas(np):
    return lambda p: 0.26 * (p[0] ** 2 + p[1] ** 2) - 0.48 * p[0] * p[1]


@pytest.mark.parametrize("method", ["BFGS", "LBFGS"])
@pytest.mark.parametrize(
    "func, x0",
    [
        (rosenbrock, np.zeros(2)),
        (rosenbrock, np.zeros(40)),
        (himmelblau, np.zeros(2)),
        (matyas, np.ones(2)),
    ],
)
def test_minima(method, func, x0):
    found = minimize(func(mnp), Tensor(x0), method=method, options={"gtol": 1e-6})
    expected = scipy.optimize.minimize(func(np), x0, method="BFGS")
    assert found.success and found.status == 0
    np.testing.assert_allclose(found.x.asnumpy(), expected.x, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found.fun, expected.fun, atol=1e-8)
    assert np.abs(found.jac.asnumpy()).max() < 1e-6
    assert (found.hess_inv is None) == (method == "LBFGS")


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_minimum_in_both_modes(mode, dtype):
    ms.set_context(mode=mode)
    steep = Tensor(1e4 * np.eye(2, dtype=dtype))
    found = minimize(
        lambda x: mnp.mean(mnp.dot(steep, x) ** 2), Tensor(np.ones(2, dtype)), method="bfgs"
    )
    np.testing.assert_allclose(found.x.asnumpy(), np.zeros(2), atol=1e-6)
    assert found.x.asnumpy().dtype == dtype


def test_arguments_and_gradients_of_ones_own():
    found = minimize(
        lambda x, a, b: ((x - a) ** 2).sum() + b,
        Tensor([0.0, 0.0]),
        (Tensor([1.0, 2.0]), 3.0),
        method="LBFGS",
        jac=lambda x, a, b: 2 * (x - a),
    )
    np.testing.assert_allclose(found.x.asnumpy(), [1, 2], rtol=1e-6)
    assert found.fun == pytest.approx(3)
    stopped = minimize(rosenbrock(mnp), Tensor([0.0, 0.0]), method="BFGS", options={"maxiter": 2})
    assert not stopped.success and stopped.status == 1 and stopped.nit == 2


def test_what_minimize_refuses():
    x = Tensor([1.0])
    with pytest.raises(ValueError, match="must be 'BFGS' or 'LBFGS'"):
        minimize(lambda x: x.sum(), x)
    with pytest.raises(ValueError, match="'bounds' is not supported"):
        minimize(lambda x: x.sum(), x, method="BFGS", bounds=[(0, 1)])
    with pytest.raises(ValueError, match="no option 'steps'"):
        minimize(lambda x: x.sum(), x, method="BFGS", options={"steps": 1})
    with pytest.raises(TypeError, match="'args' must be a tuple"):
        minimize(lambda x: x.sum(), x, [1], method="BFGS")


NUMBERS = [
    (lambda np: lambda x: -x - x**3 + x**4, lambda x: -1 - 3 * x**2 + 4 * x**3),
    (lambda np: lambda x: np.exp(-4 * x) + x**2, lambda x: -4 * np.exp(-4 * x) + 2 * x),
    (lambda np: lambda x: -np.sin(10 * x), lambda x: -10 * np.cos(10 * x)),
]


def scipys_line_search(f, slope, x, p):
    return scipy.optimize.line_search(f, slope, x, p, maxiter=10)


@pytest.mark.parametrize("func, slope", NUMBERS)
def test_steps_of_one_number(func, slope):
    expected = scipys_line_search(func(np), slope, np.array(0.0), np.array(1.0))
    found = line_search(func(mnp), Tensor(0.0, ms.float64), Tensor(1.0, ms.float64), maxiter=10)
    assert not found.failed and found.status == 0
    np.testing.assert_allclose([found.a_k, found.f_k], [expected[0], expected[3]], rtol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_steps_along_a_line(seed):
    random = np.random.default_rng(seed)
    a, x = random.normal(size=(5, 5)), random.normal(size=5)
    a = a @ a.T

    def func(np, a):
        return lambda x: np.dot(x, np.dot(a, x)) + 1

    p = -random.uniform(0.01, 2) * (a @ x)
    expected = scipys_line_search(func(np, a), lambda x: 2 * a @ x, x, p)
    found = line_search(func(mnp, Tensor(a)), Tensor(x), Tensor(p), maxiter=10)
    np.testing.assert_allclose([found.a_k, found.f_k], [expected[0], expected[3]], rtol=1e-7)
    np.testing.assert_allclose(found.g_k.asnumpy(), expected[5], rtol=1e-5, atol=1e-9)
    known = line_search(
        func(mnp, Tensor(a)),
        Tensor(x),
        Tensor(p),
        gfk=Tensor(2 * a @ x),
        old_fval=Tensor(x @ a @ x + 1),
        maxiter=10,
    )
    assert known.a_k == pytest.approx(found.a_k) and known.nfev < found.nfev


def test_no_step_upwards():
    found = line_search(lambda x: ms.ops.sum(x * x), Tensor([1.0]), Tensor([1.0]), maxiter=5)
    assert found.failed and found.a_k == 0
    with pytest.raises(ValueError, match="'xk'"):
        line_search(lambda x: x.sum(), Tensor([1.0]), Tensor([1.0, 2.0]))
