"""`ops.interpolate` and `nn.Upsample`: values and gradients against the record
(`goldens/record_interpolation.py`), and what is refused.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, mint, nn, ops

GOLDENS = Path(__file__).parent / "goldens"
sys.path.insert(0, str(GOLDENS))
import record_interpolation as cases  # noqa: E402

RECORDED = json.loads((GOLDENS / "interpolation.json").read_text())


@pytest.mark.parametrize("number", range(len(cases.CASES)))
def test_values_and_gradients(number):
    rank, mode, options = cases.CASES[number]
    shape, values, gradient = RECORDED[number]
    cell = nn.Upsample(mode=mode, **options)
    x = Tensor(cases.data(rank))
    y = cell(x)
    assert list(y.shape) == shape
    np.testing.assert_allclose(y.asnumpy().ravel(), values, rtol=1e-12, atol=1e-14)
    found = ms.grad(lambda x: ops.sum(ops.square(cell(x))))(x)
    np.testing.assert_allclose(found.asnumpy().ravel(), gradient, rtol=1e-11, atol=1e-13)


def test_nearest_passes_what_is_not_finite_on_to_its_points_alone():
    x = Tensor([[[1.0, np.nan, np.inf]]])
    for size, wanted in ((6, [1, 1, np.nan, np.nan, np.inf, np.inf]), (2, [1, np.nan])):
        np.testing.assert_array_equal(ops.interpolate(x, size).asnumpy()[0, 0], wanted)


@pytest.mark.parametrize("length", [70, 23])
def test_nearest_by_places_with_many_runs(length):
    rng = np.random.RandomState(0)
    x, w = rng.randn(2, 3, 30, 2), rng.randn(2, 3, length, 3)
    rows, columns = (np.arange(n) * m // n for n, m in ((length, 30), (3, 2)))
    found = ops.interpolate(Tensor(x), (length, 3)).asnumpy()
    np.testing.assert_array_equal(found, x[:, :, rows][..., columns])
    slopes = np.zeros_like(x)
    np.add.at(slopes, (slice(None), slice(None), rows[:, None], columns), w)
    by_x = ms.grad(lambda x: ops.interpolate(x, (length, 3)) * Tensor(w))(Tensor(x))
    np.testing.assert_allclose(by_x.asnumpy(), slopes, rtol=1e-12, atol=1e-14)


X = Tensor(cases.data(4))


@pytest.mark.parametrize(
    "kind, words, call",
    [
        (ValueError, "'mode' must be one of", lambda: ops.interpolate(X, 3, mode="best")),
        (ValueError, "takes 3 dimensions", lambda: ops.interpolate(X, 3, mode="linear")),
        (ValueError, "not both", lambda: ops.interpolate(X)),
        (ValueError, "not both", lambda: ops.interpolate(X, 3, 2.0)),
        (ValueError, "or 2 of them", lambda: ops.interpolate(X, [3])),
        (ValueError, "or 2 of them", lambda: ops.interpolate(X, scale_factor=-1.0)),
        (ValueError, "'align_corners' is for", lambda: ops.interpolate(X, 3, align_corners=True)),
        (TypeError, "must be a Tensor", lambda: ops.interpolate(3.0, 3)),
    ],
)
def test_mistakes_are_named(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    assert words in said(caught.value)


def cubic_weights(n, length, scale):
    """Keys' kernel with -1/2 at the old points, each row with the sum one: in plain numpy."""
    at = (np.arange(length) + 0.5) / scale - 0.5
    d = np.abs(at[:, None] - np.arange(n))
    near, far = 1.5 * d**3 - 2.5 * d**2 + 1, -0.5 * d**3 + 2.5 * d**2 - 4 * d + 2
    rows = np.where(d < 1, near, np.where(d < 2, far, 0.0))
    return rows / rows.sum(1, keepdims=True)


@pytest.mark.parametrize("size", [(2, 2), (7, 8), (4, 5), (1, 9)])
def test_bicubic(size):
    x = np.sin(np.arange(20)).reshape(1, 1, 4, 5)
    rows, columns = (cubic_weights(n, m, m / n) for n, m in zip((4, 5), size))
    want = rows @ x @ columns.T
    y, g = ms.value_and_grad(lambda x: ops.interpolate(x, size, mode="bicubic"))(Tensor(x))
    np.testing.assert_allclose(y.asnumpy(), want, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(g.asnumpy()[0, 0], np.outer(rows.sum(0), columns.sum(0)), rtol=1e-12)


# Of PyTorch 2.13 in float64: the result for (2, 7), and the first row of the slope of the sum of its squares.
PYTORCH = [-0.5866024726117196, -0.07273596237752375, 0.5996345901466813, 0.8950382174646626]
PYTORCH += [0.8078385296754591, 0.23476082933383924, -0.29310523686328327, 0.1552822615214698]
PYTORCH += [-0.35847965759835865, -0.8668447313742539, -0.8608814096324232, -0.48691583411809836]
PYTORCH += [0.20263804867134558, 0.6908536891227285]
SLOPE = [-0.7288722757411087, 0.4679934950414117, 1.310943520469935, 0.8407034724269496]
SLOPE += [-0.30593971742907256]


def test_bicubic_of_mint_is_pytorch_s():
    functional = mint.nn.functional
    resize = lambda x: functional.interpolate(x, (2, 7), mode="bicubic", align_corners=False)
    x = Tensor(np.sin(np.arange(20)).reshape(1, 1, 4, 5))
    y, g = resize(x), ms.grad(lambda x: (resize(x) ** 2).sum())(x)
    np.testing.assert_allclose(y.asnumpy().ravel(), PYTORCH, rtol=1e-12)
    np.testing.assert_allclose(g.asnumpy().ravel()[:5], SLOPE, rtol=1e-12)
    for other in (mint.nn.Upsample((2, 7), mode="bicubic"), functional.upsample):
        more = () if isinstance(other, mint.nn.Upsample) else ((2, 7), None, "bicubic")
        np.testing.assert_array_equal(other(x, *more).asnumpy(), y.asnumpy())
    bigger = functional.interpolate(x, scale_factor=1.5, mode="bicubic").asnumpy()
    assert bigger.shape == (1, 1, 6, 7)
    np.testing.assert_allclose(
        bigger[0, 0, 0, :2], [0.008975179720569755, 0.5117148143746635], 1e-12
    )


def test_bicubic_is_mindspore_s():
    """The numbers are those of MindSpore 2.10 on the CPU, which reads its weights from a table."""
    x = Tensor(np.sin(np.arange(20)).reshape(1, 1, 4, 5).astype(np.float32))
    half = ops.interpolate(x, (2, 2), mode="bicubic").asnumpy()
    np.testing.assert_allclose(half.ravel(), [0.1375, 0.3737, -0.4817, -0.0123], atol=6e-5)
    wide = ops.interpolate(x, (7, 8), mode="bicubic").asnumpy()[0, 0]
    first = [0.0145, 0.4133, 0.9553, 1.0214, 0.7274, 0.1308, -0.5279, -0.9158]
    np.testing.assert_allclose(wide[0], first, atol=5e-4)
    last = [0.8152, 0.3979, -0.2867, -0.8311, -1.0414, -0.8762, -0.2751, 0.15]
    np.testing.assert_allclose(wide[6], last, atol=5e-4)


@pytest.mark.parametrize(
    "settings, rows, columns",
    [
        ({"size": (9, 11), "align_corners": False}, (1, 4), (3, 6)),
        ({"size": (9, 11), "align_corners": True}, (1, 4), (3, 6)),
        ({"size": (3, 4)}, (0, 1), (1, 2)),
    ],
)
def test_nan_stays_with_its_neighbours(settings, rows, columns, mode):
    """As MindSpore: results that a NaN is part of are NaN, and those of an infinity not finite."""
    for value in (np.nan, np.inf):
        x = np.arange(30.0).reshape(1, 1, 5, 6)
        x[0, 0, 1, 2] = value
        out = ops.interpolate(Tensor(x), mode="bilinear", **settings).asnumpy()[0, 0]
        wanted = np.zeros(out.shape, bool)
        wanted[slice(*rows), slice(*columns)] = True
        assert np.array_equal(~np.isfinite(out), wanted)
    pooled = ops.adaptive_avg_pool2d(Tensor(np.where(x > 1e9, np.nan, x)), (3, 4)).asnumpy()
    assert np.argwhere(np.isnan(pooled)).tolist() == [[0, 0, 0, 1], [0, 0, 1, 1]]
