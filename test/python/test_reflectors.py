"""QR decompositions as reflections: against LAPACK, and derivatives against differences."""

import numpy as np
import pytest
import scipy.linalg

import cellgrad as ms
from cellgrad import Tensor, ops
from cellgrad.testing import check_grads

RNG = np.random.default_rng(11)
TALL, WIDE = RNG.standard_normal((5, 3)), RNG.standard_normal((3, 4))
SQUARE = RNG.standard_normal((4, 4))
COMPLEX = TALL + 1j * RNG.standard_normal((5, 3))


@pytest.mark.parametrize(
    "a",
    [TALL, WIDE, SQUARE, COMPLEX, np.triu(SQUARE), np.zeros((3, 2)), SQUARE.astype("f4")],
    ids=["tall", "wide", "square", "complex", "triangle", "zeros", "single"],
)
def test_as_lapack(a):
    y, tau = (t.asnumpy() for t in ops.geqrf(Tensor(a)))
    (wanted, factors), _ = scipy.linalg.qr(a, mode="raw")
    tolerance = 1e-5 if a.dtype == np.float32 else 1e-12
    near = {"rtol": tolerance, "atol": tolerance}
    np.testing.assert_allclose(y, wanted, **near)
    np.testing.assert_allclose(tau, factors, **near)
    if a.shape[0] >= a.shape[1]:
        q = ops.orgqr(Tensor(y), Tensor(tau)).asnumpy()
        np.testing.assert_allclose(q, scipy.linalg.qr(a, mode="economic")[0], **near)


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("transpose", [True, False])
@pytest.mark.parametrize("a", [TALL, COMPLEX], ids=["real", "complex"])
def test_products(a, left, transpose):
    y, tau = ops.geqrf(Tensor(a))
    q = scipy.linalg.qr(a)[0]
    q = q.conj().T if transpose else q
    c = RNG.standard_normal((5, 2) if left else (2, 5)).astype(a.dtype)
    c = c * (1 + 2j) if a.dtype.kind == "c" else c
    got = ops.ormqr(y, tau, Tensor(c), left, transpose).asnumpy()
    np.testing.assert_allclose(got, q @ c if left else c @ q, 1e-12, 1e-12)


def test_batches_classes_and_methods():
    a = RNG.standard_normal((2, 3, 4, 3))
    y, tau = ops.Geqrf()(Tensor(a))
    q = ops.Orgqr()(y, tau)
    np.testing.assert_allclose(q.asnumpy() @ np.triu(y.asnumpy()[..., :3, :]), a, 1e-12, 1e-12)
    c = Tensor(RNG.standard_normal((2, 3, 4, 1)))
    wanted = np.swapaxes(q.asnumpy(), -1, -2) @ c.asnumpy()
    got = ops.Ormqr(transpose=True)(y, tau, c).asnumpy()
    np.testing.assert_allclose(got[..., :3, :], wanted, 1e-12, 1e-12)
    other, factors = Tensor(a).geqrf()
    np.testing.assert_array_equal(y.asnumpy(), other.asnumpy())
    np.testing.assert_array_equal(other.orgqr(factors).asnumpy(), q.asnumpy())


def test_derivatives():
    def f(a, c):
        y, tau = ops.geqrf(a)
        q = ops.orgqr(y, tau)
        return ops.sum(y**3) + ops.sum(tau**2) + ops.sum(q**3) + ops.sum(ops.ormqr(y, tau, c) ** 3)

    check_grads(f, (Tensor(TALL), Tensor(RNG.standard_normal((5, 2)))), order=2)


def test_gradient_through_q_is_that_of_qr():
    v = RNG.standard_normal((5, 3))
    one = ms.grad(lambda a: ops.sum(ops.orgqr(*ops.geqrf(a)) * Tensor(v)))(Tensor(TALL))
    other = ms.grad(lambda a: ops.sum(ops.qr(a)[0] * Tensor(v)))(Tensor(TALL))
    np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), 1e-10, 1e-10)


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda x: ops.geqrf(x.astype(ms.int32)), TypeError, "float32, float64"),
        (lambda x: ops.geqrf(x[0]), ValueError, "dimension"),
        (lambda x: ops.orgqr(x, ops.ones(2)), ValueError, "at least as many rows as columns"),
        (lambda x: ops.orgqr(x.T, ops.ones(3)), ValueError, "at most one factor for each column"),
        (lambda x: ops.orgqr(x.T, ops.ones(2, ms.float64)), TypeError, "'input2' must be of the"),
        (lambda x: ops.ormqr(x.T, ops.ones(2), ops.ones((2, 2))), ValueError, "3 rows"),
        (lambda x: ops.ormqr(x.T, ops.ones(2), x, False, 1), TypeError, "'transpose'"),
        (
            lambda x: ops.ormqr(x.T, ops.ones(2), ops.ones((3, 2), ms.float64)),
            TypeError,
            "'other' must be of the dtype Float32",
        ),
    ],
)
def test_refused(call, kind, text):
    with pytest.raises(kind, match=text):
        call(ops.ones((2, 3)))
