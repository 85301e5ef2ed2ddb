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
from cellgrad import Tensor, nn, ops

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
