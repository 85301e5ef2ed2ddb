"""Windows as channels, dilation, resizing by area and by cubics, pooling by random windows: against formulas in
numpy, with their derivatives against finite differences, in both modes, in a batch and with bad input.
"""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, nn, ops
from cellgrad.testing import check_grads

RNG = np.random.RandomState(0)
X = RNG.rand(2, 3, 5, 6).astype(np.float32)
WINDOW = RNG.rand(3, 2, 3).astype(np.float32)


def windows(x, kernel, strides, rates, outside):
    """Windows that cover ``ceil(n / stride)`` places, or those inside of the image for `outside` None."""
    counts, pads = [], []
    for n, k, s, r in zip(x.shape[2:], kernel, strides, rates):
        span = (k - 1) * r + 1
        count = (n - span) // s + 1 if outside is None else -(-n // s)
        total = max((count - 1) * s + span - n, 0)
        counts.append(count)
        pads.append((total // 2, total - total // 2))
    padded = np.pad(x, [(0, 0), (0, 0), *pads], constant_values=outside or 0)
    out = np.empty((*x.shape[:2], *counts, *kernel), x.dtype)
    for i in range(counts[0]):
        for k in range(counts[1]):
            y, z = i * strides[0], k * strides[1]
            part = padded[:, :, y : y + (kernel[0] - 1) * rates[0] + 1 : rates[0]]
            out[:, :, i, k] = part[..., z : z + (kernel[1] - 1) * rates[1] + 1 : rates[1]]
    return out


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("padding", ["valid", "SAME"])
@pytest.mark.parametrize("rates", [(1, 1), (2, 1)])
def test_windows_of_images_become_channels(mode, padding, rates):
    ms.set_context(mode=mode)
    settings = [2, 3], [2, 1], list(rates)
    seen = windows(X, *settings, None if padding == "valid" else 0)
    wanted = seen.transpose(0, 4, 5, 1, 2, 3).reshape(2, -1, *seen.shape[2:4])
    layer = nn.Unfold(*([1, *v, 1] for v in settings), padding)
    np.testing.assert_array_equal(layer(Tensor(X)).asnumpy(), wanted)
    op = ops.ExtractImagePatches(*([1, 1, *v] for v in settings), padding)
    batch = ms.vmap(op)(Tensor(X[:, None])).asnumpy()
    np.testing.assert_array_equal(batch[:, 0], wanted)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("pad_mode", ["VALID", "same"])
def test_dilation_takes_the_largest_sum(mode, pad_mode):
    ms.set_context(mode=mode)
    seen = windows(X, (2, 3), (2, 1), (1, 2), None if pad_mode == "VALID" else -np.inf)
    wanted = (seen + WINDOW[:, None, None]).max((-2, -1))
    op = ops.Dilation2D((2, 1), (1, 1, 1, 2), pad_mode)
    np.testing.assert_allclose(op(Tensor(X), Tensor(WINDOW)).asnumpy(), wanted, rtol=1e-6)
    x, window = (RNG.permutation(n).astype(float) for n in (X.size, WINDOW.size))  # no ties
    given = Tensor(x.reshape(X.shape)), Tensor(window.reshape(WINDOW.shape) * 0.037)
    check_grads(op, given, order=1)


def test_resizing_has_derivatives_and_takes_a_batch():
    x = Tensor(RNG.rand(1, 2, 3, 4))
    check_grads(lambda x: ops.ResizeBicubic(True)(x, (4, 3)), (x,), order=2)
    check_grads(lambda x: ops.ResizeArea()(x, (2, 5)), (x,), order=1, tolerance=1e-3)
    several = Tensor(RNG.rand(3, 1, 2, 3, 4).astype(np.float32))
    batch = ms.vmap(lambda x: ops.ResizeBicubic()(x, (4, 3)))(several).asnumpy()
    one = ops.ResizeBicubic()(several[2], (4, 3)).asnumpy()
    np.testing.assert_allclose(batch[2], one, rtol=1e-6)


def pooled(x, rows, columns, overlap, reduce):
    out = np.empty((x.shape[0], len(rows) - 1, len(columns) - 1, x.shape[3]), x.dtype)
    for i in range(len(rows) - 1):
        for k in range(len(columns) - 1):
            part = x[:, rows[i] : rows[i + 1] + overlap, columns[k] : columns[k + 1] + overlap]
            out[:, i, k] = reduce(part, (1, 2))
    return out


@pytest.mark.parametrize("pseudo", [False, True])
@pytest.mark.parametrize("overlap", [False, True])
def test_random_windows_are_pooled(pseudo, overlap):
    x = RNG.rand(2, 11, 9, 3).astype(np.float32)
    for op, reduce in ((ops.FractionalMaxPool, np.max), (ops.FractionalAvgPool, np.mean)):
        pool = op([1.0, 1.6, 2.4, 1.0], pseudo, overlap)
        out, rows, columns = (v.asnumpy() for v in pool(Tensor(x)))
        for borders, n, count in ((rows, 11, 6), (columns, 9, 3)):
            assert borders[0] == 0 and borders[-1] == n and len(borders) == count + 1
            assert set(np.diff(borders)) <= {n // count, n // count + 1}
        np.testing.assert_allclose(out, pooled(x, rows, columns, overlap, reduce), rtol=1e-6)
    whole = pool(Tensor((x * 100).astype(np.int32)))
    assert whole[0].dtype == ms.int32
    fixed = ops.FractionalMaxPool([1.0, 1.6, 2.4, 1.0], deterministic=True)
    np.testing.assert_array_equal(fixed(Tensor(x))[1].asnumpy(), fixed(Tensor(x))[1].asnumpy())


def test_the_gradient_of_random_windows_goes_to_their_largest_elements():
    pool = ops.FractionalMaxPool([1.0, 2.0, 2.0, 1.0])
    slopes = ms.grad(lambda x: pool(x)[0].sum())(Tensor(np.arange(16.0).reshape(1, 4, 4, 1)))
    np.testing.assert_array_equal(np.flatnonzero(slopes.asnumpy()), [5, 7, 13, 15])


BAD = {
    "ops.ExtractImagePatches([1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1])": (
        ValueError,
        "ksizes.*1, 1, H, W",
    ),
    "ops.ExtractImagePatches([1, 1, 9, 9], *[[1, 1, 1, 1]] * 2)(Tensor(X))": (
        ValueError,
        "does not fit",
    ),
    "nn.Unfold([1, 1, 2, 2], [1, 1, 1, 1], [1, 1, 1, 1])": (ValueError, r"ksizes.*\[1, H, W, 1\]"),
    "ops.ExtractVolumePatches(2, 0, 'valid')": (ValueError, "'strides'"),
    "ops.ExtractVolumePatches(2, 1, 'full')": (ValueError, "'padding'"),
    "ops.Dilation2D(1, 1, data_format='NHWC')": (ValueError, "'data_format'"),
    "ops.Dilation2D(1, 1)(Tensor(X), ops.ones((2, 2, 2)))": (ValueError, "as many channels"),
    "ops.FractionalMaxPool([1.0, 2.0])": (ValueError, "four numbers"),
    "ops.FractionalAvgPool([2.0, 2.0, 2.0, 1.0])": (ValueError, "1.0 for the batch"),
    "ops.FractionalAvgPool([1.0, 9.0, 1.0, 1.0])(Tensor(X))": (ValueError, "leaves nothing"),
    "ops.ResizeArea()(Tensor(X), (0, 1))": (ValueError, "positive"),
    "ops.ResizeBicubic(1)": (TypeError, "'align_corners'"),
}


@pytest.mark.parametrize("text", BAD)
def test_bad_input_is_an_error(text):
    kind, words = BAD[text]
    with pytest.raises(kind, match=words):
        eval(text)
