"""Elements at small distances, which are picked from whole vectors: all bits as numpy has them."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops

DTYPES = ("float32", "float64", "float16", "int32", "int64", "int8", "bool")


def numbers(rng, shape, dtype):
    x = rng.integers(0, 2 if dtype == "bool" else 100, shape)
    return x.astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stride", [2, 3, 4, 5])
def test_slices(dtype, stride):
    rng = np.random.default_rng(stride)

    @ms.jit
    def read(x, y, at):
        part = x[..., at::stride]
        return ops.cat((part, y)) if dtype == "bool" else part + y

    for count in (1, 2, 3, 7, 8, 9, 15, 16, 17, 23, 31, 33, 50):
        at, rest = int(rng.integers(0, stride)), int(rng.integers(0, stride))
        rows = int(rng.integers(1, 4))
        x = numbers(rng, (rows, at + (count - 1) * stride + 1 + rest), dtype)
        want = x[:, at::stride]
        y = numbers(rng, want.shape, dtype)
        want = np.concatenate((want, y)) if dtype == "bool" else want + y
        assert read(Tensor(x), Tensor(y), at).asnumpy().tobytes() == want.tobytes()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("channels", [2, 3, 4])
def test_interleaved_channels(dtype, channels):
    """Sums, products and their gradients of channels that alternate in memory."""
    rng = np.random.default_rng(channels)
    for points in (1, 5, 16, 21, 40):
        x = rng.integers(-3, 4, (points, channels)).astype(dtype)
        w = rng.integers(-3, 4, points).astype(dtype)

        def loss(x, w):
            total = x[:, 0] * w
            for c in range(1, channels):
                total = total + x[:, c] * x[:, c - 1]
            return total.sum()

        value, (by_x, by_w) = ms.value_and_grad(loss, (0, 1))(Tensor(x), Tensor(w))
        want = np.zeros_like(x)
        want[:, 0] += w
        for c in range(1, channels):
            want[:, c] += x[:, c - 1]
            want[:, c - 1] += x[:, c]
        total = (x[:, 0] * w).sum() + (x[:, 1:] * x[:, :-1]).sum()
        assert value.asnumpy() == total
        np.testing.assert_array_equal(by_x.asnumpy(), want)
        np.testing.assert_array_equal(by_w.asnumpy(), x[:, 0])


@pytest.mark.parametrize("window", [2, 3])
def test_pooling(window):
    rng = np.random.default_rng(window)
    for size in (window, 7, 16, 29, 34, 70):
        x = rng.permutation(3 * size * size).reshape(1, 3, size, size).astype("float32")
        n = size // window
        cut = x[:, :, : n * window, : n * window].reshape(1, 3, n, window, n, window)
        pooled, slope = ms.value_and_grad(
            lambda x: (y := ops.max_pool2d(x, window, window), (y * y).sum())[1]
        )(Tensor(x))
        best = cut.max((3, 5), keepdims=True)
        want = np.zeros_like(x)
        want[:, :, : n * window, : n * window] = np.where(cut == best, 2 * best, 0).reshape(
            1, 3, n * window, n * window
        )
        assert pooled.asnumpy() == pytest.approx((best.astype("float64") ** 2).sum(), rel=1e-6)
        np.testing.assert_array_equal(slope.asnumpy(), want)
