"""Places in sorted sequences and distinct elements, against numpy."""

import re

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, ops

A = np.random.default_rng(12).normal(size=(3, 4, 5))
V = A[0, 0]


def test_places_in_sorted_sequences():
    rng = np.random.default_rng(2)
    for n in (1, 2, 7, 8, 9):
        s = np.sort(rng.integers(0, 9, size=n)).astype(np.float64)
        v = np.concatenate((rng.uniform(-1, 10, size=20), s))
        for side in ("left", "right"):
            wanted = np.searchsorted(s, v, side).astype(np.int64)
            got = ops.searchsorted(Tensor(s), Tensor(v), side=side)
            np.testing.assert_array_equal(got.asnumpy(), wanted, strict=True)
    rows, values = np.sort(A, -1), A[:, :, ::2]
    got = ops.searchsorted(Tensor(rows), Tensor(values), out_int32=True, right=True)
    wanted = (rows[..., None, :] <= values[..., None]).sum(-1).astype(np.int32)
    np.testing.assert_array_equal(got.asnumpy(), wanted, strict=True)
    order = np.argsort(V)
    got = ops.searchsorted(Tensor(V), 0.1, sorter=Tensor(order))
    assert got.item() == np.searchsorted(V, 0.1, sorter=order)
    got = ops.bucketize(Tensor([0.5, 1.0, 3.0]), [1.0, 3.0])
    np.testing.assert_array_equal(got.asnumpy(), np.array([0, 0, 1], np.int32), strict=True)


def test_distinct_elements():
    values, inverse = ops.unique(Tensor([[3, 1], [3, 2]]))
    assert values.asnumpy().tolist() == [3, 1, 2] and inverse.dtype is ms.int64
    assert inverse.asnumpy().tolist() == [[0, 1], [0, 2]]
    assert ops.unique(Tensor([3.0, 1.0]))[1].dtype is ms.int32
    parts = ops.unique_consecutive(Tensor([1, 1, 2, 2, 1]), True, True)
    assert [p.asnumpy().tolist() for p in parts] == [[1, 2, 1], [0, 0, 1, 1, 2], [2, 2, 1]]
    parts = ops.unique_consecutive(Tensor([[1, 1], [1, 1], [2, 2]]), True, True, 0)
    assert [p.asnumpy().tolist() for p in parts] == [[[1, 1], [2, 2]], [0, 0, 1], [2, 1]]
    assert ops.unique_consecutive(Tensor([1, 1])).asnumpy().tolist() == [1]


def test_distinct_elements_in_order():
    a = np.array([[3, 1, 3], [2, 1, 2], [3, 1, 3]])
    assert Tensor(a).unique().asnumpy().tolist() == [1, 2, 3]
    parts = Tensor(a).unique(return_inverse=True, return_counts=True)
    inverse = [[2, 0, 2], [1, 0, 1], [2, 0, 2]]
    assert [p.asnumpy().tolist() for p in parts] == [[1, 2, 3], inverse, [3, 2, 4]]
    parts = Tensor(a).unique(True, True, True, 0)
    assert [p.asnumpy().tolist() for p in parts] == [[[2, 1, 2], [3, 1, 3]], [1, 0, 1], [1, 2]]


X = Tensor(np.zeros((2, 3), np.float32))
ROW = Tensor(np.zeros(3, np.float32))

REFUSED = {
    "searchsorted(ROW, ROW, side='foo')": (ValueError, "'side' must be"),
    "searchsorted(X, ROW)": (ValueError, "one dimension, or all but the last"),
    "bucketize(X, [1.0], right=1)": (TypeError, "'right' must be a bool"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text):
    kind, words = REFUSED[text]
    with pytest.raises(kind) as caught:
        eval(f"ops.{text}")
    assert re.search(words, said(caught.value))
