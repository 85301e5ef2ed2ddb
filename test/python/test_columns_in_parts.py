"""Sums and extrema down the columns of wide matrices, which threads share by parts of a row.

Elements are small integers, so every order of adding gives the same number: numpy's.
"""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops

COLUMNS = [1000, 1024, 1040, 1536, 2048, 4096, 4100, 8192]
DTYPES = [np.float32, np.float64, np.int32]


def whole(rows, columns, dtype):
    return np.random.default_rng(columns).integers(-9, 9, (rows, columns)).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES[:2])
@pytest.mark.parametrize("columns", COLUMNS)
def test_a_row_times_a_matrix(columns, dtype):
    x, w = whole(1, 517, dtype), whole(517, columns, dtype)
    product = ms.jit(lambda x, w: ops.matmul(x, w))(Tensor(x), Tensor(w))
    np.testing.assert_array_equal(product.asnumpy(), x @ w)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", COLUMNS)
def test_down_the_columns(columns, dtype):
    x = whole(517, columns, dtype)
    total = ms.jit(lambda x: ops.sum(x, 0))(Tensor(x))
    largest = ms.jit(lambda x: ops.amax(x, 0))(Tensor(x))
    np.testing.assert_array_equal(total.asnumpy(), x.sum(0))
    np.testing.assert_array_equal(largest.asnumpy(), x.max(0))
