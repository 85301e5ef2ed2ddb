"""Eigenvalues of general matrices: against numpy; derivatives against formulas of numpy's factors and differences."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops
from cellgrad.testing import check_grads

RNG = np.random.default_rng(54)
REAL = RNG.standard_normal((4, 4))
COMPLEX = REAL + 1j * RNG.standard_normal((4, 4))


def nearest(got, wanted):
    """The largest distance of a number to the other ones, both ways."""
    apart = np.abs(got[..., :, None] - wanted[..., None, :])
    return max(apart.min(-1).max(), apart.min(-2).max())


@pytest.mark.parametrize(("n", "dtype"), [(1, "f8"), (2, "c16"), (3, "f4"), (8, "c8"), (8, "f8")])
def test_values_and_vectors(n, dtype):
    a = RNG.standard_normal((2, n, n)) + 1j * RNG.standard_normal((2, n, n))
    a = (a if dtype[0] == "c" else a.real).astype(dtype)
    w, v = ops.eig(Tensor(a))
    single = dtype in ("f4", "c8")
    assert w.dtype == v.dtype == (ms.complex64 if single else ms.complex128)
    w, v = w.asnumpy(), v.asnumpy()
    tolerance = 2e-5 if single else 1e-12
    assert nearest(w, np.linalg.eigvals(a)) < tolerance
    assert np.abs(a @ v - v * w[:, None]).max() < tolerance
    np.testing.assert_allclose(np.linalg.norm(v, axis=-2), 1, 1e-5)


SPECIAL = {
    "identity": np.eye(3),
    "turn": np.array([[0.0, 1.0], [-1.0, 0.0]]),
    "shift": np.roll(np.eye(5), 1, 0),
    "triangle": np.diag([3.0, 1.0, 2.0]) + np.triu(np.ones((3, 3)), 1),
    "scales": np.array([[1e200, 1.0], [1.0, 1e-200]]),
    "graded": np.diag([1e8, 1.0, 1e-8]) + np.diag([1.0, 1.0], 1) + np.diag([1e-3, 1e-3], -1),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_matrices(name):
    a = SPECIAL[name]
    w, v = (t.asnumpy() for t in ops.eig(Tensor(a)))
    size = np.abs(a).max() or 1
    assert nearest(w / size, np.linalg.eigvals(a / size)) < 1e-14
    assert np.abs(a / size @ v - v * (w / size)).max() < 1e-14


def test_without_all_vectors():
    """Of a Jordan block both vectors are the one that there is."""
    w, v = (t.asnumpy() for t in ops.eig(Tensor([[1.0, 1.0], [0.0, 1.0]])))
    np.testing.assert_allclose(w, 1)
    np.testing.assert_allclose(np.abs(v), [[1, 1], [0, 0]], atol=1e-6)


def test_infinite_elements_give_nan():
    assert np.isnan(ops.eigvals(Tensor([[1.0, np.inf], [0.0, 1.0]])).asnumpy()).all()


@pytest.mark.parametrize("a", [REAL, COMPLEX], ids=["real", "complex"])
def test_gradient_of_values(a):
    """Of the sum of Re(w^3): 3 Re(w^2) weighs the products of left and right vectors (Magnus, 1985)."""
    got = ms.grad(lambda x: ops.sum(ops.real(ops.eigvals(x) ** 3)))(Tensor(a)).asnumpy()
    # trace(a^3) has the gradient 3 (a^2)^T; conjugated, as gradients of real functions by complex matrices are.
    wanted = 3 * (a @ a).T
    np.testing.assert_allclose(got, np.conj(wanted), 1e-10, 1e-10)


def test_gradient_of_single_values():
    w, v = np.linalg.eig(REAL)
    left = np.linalg.inv(v)
    wanted = sum(2 * np.real(w[i] * 0 + w[i].real * np.outer(left[i], v[:, i])) for i in range(4))
    got = ms.grad(lambda x: ops.sum(ops.real(ops.eigvals(x)) ** 2))(Tensor(REAL))
    np.testing.assert_allclose(got.asnumpy(), wanted, 1e-10, 1e-10)


def test_derivatives_of_vectors():
    def f(x):
        w, v = ops.eig(x)
        return ops.sum(ops.abs(v) ** 4) + ops.sum(ops.real(v * w) ** 3) + ops.sum(ops.imag(w) ** 2)

    check_grads(f, (Tensor(REAL),), order=2)


def test_third_derivative_of_values():
    """Of the sum of w^4 along a line, the trace of a power."""
    step = RNG.standard_normal((4, 4))

    def along(t):
        return ops.sum(ops.real(ops.eigvals(Tensor(REAL) + t * Tensor(step)) ** 4))

    third = ms.grad(ms.grad(ms.grad(along)))(Tensor(np.array(0.0))).asnumpy()
    ts = np.arange(5.0)  # five points determine the polynomial of degree 4
    values = [np.trace(np.linalg.matrix_power(REAL + t * step, 4)) for t in ts]
    np.testing.assert_allclose(third, 6 * np.polyfit(ts, values, 4)[1], 1e-8)


def test_both_modes_agree():
    wanted = ms.grad(lambda x: ops.sum(ops.real(ops.eigvals(x)) ** 2))(Tensor(REAL)).asnumpy()
    step = RNG.standard_normal((4, 4))
    f = lambda x: ops.sum(ops.real(ops.eigvals(x)) ** 2)
    _, tangent = ms.jvp(f, Tensor(REAL), Tensor(step))
    np.testing.assert_allclose(tangent.asnumpy(), (wanted * step).sum(), 1e-10)


def test_equal_values_have_no_derivative():
    got = ms.grad(lambda x: ops.sum(ops.real(ops.eigvals(x))))(Tensor(np.eye(2)))
    assert not np.isfinite(got.asnumpy()).any()


def test_vmap():
    a = RNG.standard_normal((3, 4, 4))
    got = ms.vmap(ops.eigvals)(Tensor(a)).asnumpy()
    assert nearest(got, np.linalg.eigvals(a)) < 1e-12


def test_class():
    w, v = ops.Eig(compute_v=True)(Tensor(REAL))
    np.testing.assert_allclose(REAL @ v.asnumpy(), v.asnumpy() * w.asnumpy(), atol=1e-12)
    assert nearest(ops.Eig()(Tensor(REAL))[0].asnumpy(), np.linalg.eigvals(REAL)) < 1e-12


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (Tensor([[1, 2], [3, 4]]), TypeError, "float32, float64, complex64 or complex128"),
        (Tensor([[1.0, 2.0]], ms.float16), TypeError, "float32, float64"),
        (ops.ones((2, 3)), ValueError, "square matrices"),
        (ops.ones(3), ValueError, "dimension"),
        ([[1.0]], TypeError, "Tensor"),
    ],
)
@pytest.mark.parametrize("op", [ops.eig, ops.eigvals])
def test_refused(op, value, kind, text):
    with pytest.raises(kind, match=text):
        op(value)
