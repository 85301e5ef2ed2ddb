"""Sums of what is nearly a product, and products of sliced matrices, against numpy in float64."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops

RNG = np.random.default_rng(11)
UNARY = {
    "abs": np.abs,
    "exp": np.exp,
    "tanh": np.tanh,
    "neg": np.negative,
    "floor": np.floor,
    "square": np.square,
    "relu": lambda x: np.maximum(x, 0),
}


def outer(a, b):
    return ops.expand_dims(a, 2) * ops.expand_dims(b, 0)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_a_unary_op_stands_between_product_and_sum(name, dtype):
    a, b = (RNG.normal(size=s).astype(dtype) for s in [(17, 40), (40, 33)])
    got = ms.jit(lambda a, b: ops.sum(getattr(ops, name)(outer(a, b)), 1))(Tensor(a), Tensor(b))
    wide = (a[:, :, None] * b[None]).astype(np.float64)
    wanted = UNARY[name](wide).sum(1)
    tolerance = {"float32": 1e-5, "float64": 1e-12, "float16": 2e-2}[dtype]
    size = np.abs(UNARY[name](wide)).sum(1)
    assert np.all(np.abs(got.asnumpy() - wanted) <= tolerance * (1 + size))


@pytest.mark.parametrize("name", UNARY)
def test_a_unary_op_stands_on_a_factor(name):
    a, b = (RNG.normal(size=s).astype(np.float32) for s in [(17, 40), (40, 33)])
    got = ms.jit(lambda a, b: ops.sum(outer(getattr(ops, name)(a), b), 1))(Tensor(a), Tensor(b))
    wanted = UNARY[name](a.astype(np.float64)) @ b
    np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-4, atol=1e-4)


def test_the_sum_of_negated_products_has_the_right_sign():
    a, b = (RNG.normal(size=s).astype(np.float32) for s in [(17, 40), (40, 33)])
    f = ms.jit(lambda a, b: ops.sum(-outer(a, b), 1))
    np.testing.assert_allclose(f(Tensor(a), Tensor(b)).asnumpy(), -(a @ b), rtol=1e-4, atol=1e-4)
    df = ms.grad(lambda a, b: ops.sum(f(a, b)))(Tensor(a), Tensor(b)).asnumpy()
    np.testing.assert_allclose(df, np.broadcast_to(-b.sum(1), a.shape), rtol=1e-4, atol=1e-4)


SLICES = [
    ((64, 64, 16), np.s_[:, :, 1], (64, 256)),
    ((64, 600, 3), np.s_[:, ::2, 2], (300, 512)),
    ((67, 70, 2), np.s_[::2, :, 0], (70, 257)),
    ((100, 128), np.s_[::3, ::2], (64, 320)),
]


@pytest.mark.parametrize("shape, at, right", SLICES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_product_reads_matrices_sliced_in_both_dimensions(shape, at, right, dtype):
    x, w = RNG.normal(size=shape).astype(dtype), RNG.normal(size=right).astype(dtype)
    left = x[at].astype(np.float64)
    tolerance = 1e-3 if dtype == "float32" else 1e-11
    f = ms.jit(lambda x, w: ops.matmul(x[at], w))
    np.testing.assert_allclose(f(Tensor(x), Tensor(w)).asnumpy(), left @ w, atol=tolerance)
    # The same matrices on the other side, and both transposed.
    g = ms.jit(lambda w, x: ops.matmul(w.T, x[at].T))
    np.testing.assert_allclose(g(Tensor(w), Tensor(x)).asnumpy(), w.T @ left.T, atol=tolerance)


def test_a_convolution_of_one_position_reads_a_sliced_filter():
    x = RNG.normal(size=(2, 64, 8, 8)).astype(np.float32)
    w = RNG.normal(size=(256, 64, 3, 3)).astype(np.float32)
    f = ms.jit(lambda x, w: ops.conv2d(x, w[:, :, 1:2, 1:2]))
    wanted = np.einsum("nchw,oc->nohw", x.astype(np.float64), w[:, :, 1, 1])
    np.testing.assert_allclose(f(Tensor(x), Tensor(w)).asnumpy(), wanted, atol=1e-3)
