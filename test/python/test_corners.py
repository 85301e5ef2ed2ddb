"""Corners that `test/oracles/corners.py` found: dtypes, forms of arguments and classes of errors are
MindSpore 2.10's."""

import pickle

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, mint, numpy, ops
from cellgrad.scipy import linalg


def i32(values):
    return Tensor(values, ms.int32)


ONE_TWO = [1, 2]
X = Tensor([[1.0, 2.0, 3.0]])
HALF = Tensor([1.5, 2.5], ms.float16)
TRUE = Tensor([[True, True], [True, True]])
ONE_TWO_THREE = i32([1, 2, 3])
DIAGONAL_HALF = Tensor([[4.0, 0.0], [0.0, 2.0]], ms.float16)
LARGE = Tensor([2**24 + 1, 2])  # more digits than float32 has
CLIPPED = np.array([0.5999999, 0.79999983], np.float32)
DIAGONAL = [[1.5, 1], [1, 2.5]]
RAMP, RAMP_UP = [10, 7, 4, 1, 2, 8, 8, 9, 9, 10], [-10, -7, -5, -3, -1, 2]
REGION = Tensor([[0.0, 0.0, 0.0, 1.0, 1.0]])


@pytest.mark.parametrize(
    "function, wanted, dtype",
    [
        (lambda: X[0].searchsorted(i32([2, 3]), side="right"), [2, 3], ms.int32),
        (
            lambda: numpy.correlate(LARGE, Tensor([1, 2]), "same"),
            [2**25 + 2, 2**24 + 5],
            ms.float64,
        ),
        (lambda: numpy.convolve(LARGE, Tensor([1])), [2**24 + 1, 2], ms.int64),
        (lambda: numpy.norm(HALF, numpy.inf), 2.5, ms.float16),
        (lambda: numpy.norm(HALF.reshape(1, 2), 1), 2.5, ms.float16),
        (lambda: numpy.norm(HALF, 1), 4, ms.float32),
        (lambda: ops.norm(DIAGONAL_HALF, "nuc"), 6, ms.float32),
        (lambda: ops.matrix_norm(DIAGONAL_HALF, 2), 4, ms.float32),
        (lambda: ops.matrix_norm(HALF.reshape(1, 2), 1), 2.5, ms.float16),
        (lambda: ops.matrix_norm(DIAGONAL_HALF, -2, dtype=ms.float16), 2, ms.float16),
        (lambda: HALF.reshape(1, 2).geqrf()[0], [[1.5, 2.5]], ms.float16),
        (lambda: ops.full((2,), HALF[:1]), [1.5, 1.5], ms.float16),
        (lambda: mint.full((2,), HALF[0], dtype=ms.int32), [1, 1], ms.int32),
        (lambda: ops.full_like(ONE_TWO_THREE, Tensor(2.5)), [2, 2, 2], ms.int32),
        (lambda: ms.grad(HALF.fill)(Tensor(2.0)), 2, ms.float32),
        (
            lambda: ms.grad(lambda v: ops.fill(ms.float64, (3,), v) * X[0])(Tensor(2.0)),
            6,
            ms.float32,
        ),
        (lambda: ops.vecdot(i32([1, 2]), i32([3, 4])), 11, ms.int64),
        (lambda: ops.cov(HALF), 0.5, ms.float32),
        (lambda: ops.matrix_band_part(TRUE, 0, 0), [[True, False], [False, True]], ms.bool_),
        (lambda: ops.matrix_band_part(TRUE, i32(0), i32(0))[1], [False, True], ms.bool_),
        (lambda: ops.scatter_nd(i32([[1], [1]]), TRUE[0], (3,)), [False, True, False], ms.bool_),
        (lambda: numpy.sum(Tensor([1.75, 0.5, -0.75]), dtype=ms.int32), 1, ms.int32),
        (lambda: ops.squeeze(X, 1), [[1, 2, 3]], ms.float32),
        (lambda: ops.squeeze(X, (0, 1)), [1, 2, 3], ms.float32),
        (lambda: X.permute(), [[1], [2], [3]], ms.float32),
        (lambda: X.transpose(None), [[1], [2], [3]], ms.float32),
        (lambda: X.to(), [[1, 2, 3]], ms.float32),
        (lambda: X.to(None), [[1, 2, 3]], ms.float32),
        (lambda: X.take(i32([-1, -3, 5, -9])), [3, 1, 3, 1], ms.float32),
        (lambda: X.take(i32([-1, 4]), mode="wrap"), [3, 2], ms.float32),
        (lambda: i32([1, 2]) + ONE_TWO, [2, 4], ms.int32),
        (lambda: (3, 4) - i32([1, 2]), [2, 2], ms.int32),
        (lambda: i32([1, 2]) * [1.5, 2], [1.5, 4], ms.float32),
        (lambda: Tensor([1, 2], ms.float16) * [1.5, 2], [1.5, 4], ms.float16),
        (lambda: ops.nansum(i32([1, 2])), 3, ms.int32),
        (lambda: ops.clip_by_value(i32([1, 5]), 0.5, 3.7), [1, 3], ms.int32),
        (lambda: ops.clip_by_value(i32([-3, 5]), -2.5, None), [-2, 5], ms.int32),
        (lambda: ops.clip_by_value(HALF, Tensor(1.75), None), [1.75, 2.5], ms.float16),
        (lambda: mint.add(HALF, i32([1, 2]), alpha=0.5), [2, 3.5], ms.float16),
        (lambda: mint.add(i32([1, 2]), HALF, alpha=2), [4, 7], ms.float16),
        (lambda: mint.sub(HALF, i32([1, 2]), alpha=0.5), [1, 1.5], ms.float16),
        (lambda: HALF.add(i32([1, 2]), alpha=2), [3.5, 6.5], ms.float16),
        (lambda: i32([1, 2]).add(3, alpha=2), [7, 8], ms.int32),
        (lambda: mint.sub(Tensor([1, 2], ms.uint8), True, alpha=2), [255, 0], ms.uint8),
        (lambda: HALF.sub(0.5, alpha=3), [0, 1], ms.float16),
        (
            lambda: mint.add(Tensor([True, False]), Tensor([False, True]), alpha=2),
            [True, True],
            ms.bool_,
        ),
        (lambda: Tensor([True, False]).add(True, alpha=0), [True, False], ms.bool_),
        (lambda: ops.clip_by_norm(i32([3, 4]), 1.0), CLIPPED, ms.float32),
        (
            lambda: ops.diagonal_scatter(i32([[4, 1], [1, 3]]), Tensor([1.5, 2.5])),
            DIAGONAL,
            ms.float32,
        ),
        (lambda: numpy.pad(i32([1, 2, 8]), (3, 4), "linear_ramp", end_values=10), RAMP, ms.int32),
        (lambda: numpy.pad(i32([-1, 2]), (4, 0), "linear_ramp", end_values=-10), RAMP_UP, ms.int32),
        (lambda: linalg.det(i32([[4, 1], [1, 3]])), 11, ms.float64),
        (lambda: linalg.cholesky(i32([[4, 0], [0, 9]])), [[2, 0], [0, 3]], ms.float64),
        (lambda: linalg.lu_factor(i32([[4, 1], [1, 3]]))[0], [[4, 1], [0.25, 2.75]], ms.float64),
        (
            lambda: ops.ROIAlign(1, 1, 1.0)(HALF.reshape(1, 1, 1, 2), REGION),
            [[[[1.125]]]],
            ms.float16,
        ),
        (lambda: i32([[1, 2], [3, 4]]).trace(), 5, ms.int64),
        (lambda: Tensor([[200, 2], [3, 100]], ms.uint8).trace(), 300, ms.int64),
        (lambda: Tensor([0.5, 0.5, 1.5]).cumsum(0, ms.int32), [0, 1, 2], ms.int32),
        (lambda: ops.nansum(Tensor([0.5, 0.5, 1.5]), dtype=ms.int32), 2, ms.int32),
        (lambda: Tensor([[True, False], [False, True]]).trace(), True, ms.bool_),
        (lambda: Tensor([True, True]).cumsum(), [1, 2], ms.int32),
        (lambda: ops.abs(Tensor([True, False])), [True, False], ms.bool_),
        (lambda: ops.relu(Tensor([True, False])), [True, False], ms.bool_),
        (lambda: ops.trunc(Tensor([True, False])), [True, False], ms.bool_),
        (lambda: ops.ldexp(Tensor([1.0, 2.0]), 3), [8, 16], ms.float32),
        (lambda: ops.ldexp(3, Tensor([1.0, 2.0])), [6, 12], ms.float32),
        (
            lambda: ops.cross(Tensor([1, 0, 0], ms.float16), Tensor([[0.0, 1, 0], [1, 1, 1]])),
            [[0, 0, 1], [0, -1, 1]],
            ms.float16,
        ),
    ],
)
def test_results(mode, function, wanted, dtype):
    for f in (function, ms.jit(function)):
        out = f()
        assert out.dtype is dtype
        np.testing.assert_array_equal(out.asnumpy(), wanted)


@pytest.mark.parametrize(
    "function, kinds, text",
    [
        (lambda: ops.matmul(X, X), (ValueError, RuntimeError), "dimensions must be equal"),
        (lambda: ms.grad(lambda x: x, 1)(X), (IndexError, RuntimeError), "Position index 1"),
        (lambda: ms.grad(lambda x: x, 0, 3)(X), (TypeError, ValueError), "'weights' must be"),
        (lambda: ms.vmap(lambda x: x)(3), (ValueError, RuntimeError), "no input is mapped"),
        (lambda: ms.vmap(lambda x: x, 3)(X), (ValueError, RuntimeError), "axis 3"),
        (
            lambda: ms.vmap(lambda x, y: x)(X, Tensor([1.0, 2.0])),
            (ValueError, RuntimeError),
            "should be equal",
        ),
        (lambda: ms.jit(lambda x: {"a": x}["b"])(X), (KeyError, ValueError), "b"),
        (lambda: ms.jit(lambda x: x * (1 / 0))(X), (ZeroDivisionError, ValueError), "by zero"),
        (lambda: ms.jit(lambda x: x(1))(X), (TypeError, ValueError), "not callable"),
        (lambda: ops.stack(()), (TypeError, ValueError), "non-empty tuple or list"),
        (lambda: ops.transpose(X, 1), (ValueError, TypeError), "as many in 'dims'"),
        (lambda: X.transpose("x"), (TypeError,), "as many in 'dims'"),
        (lambda: X.sum(X), (TypeError,), "'axis' must be an int"),
        (lambda: ops.softmax(X, 0, dtype=3), (TypeError,), "dtype is needed"),
        (lambda: ops.split(Tensor(2.0), 1), (ValueError,), "at least one dimension"),
        (lambda: ops.chunk(Tensor(2.0), 1), (ValueError,), "at least one dimension"),
    ],
)
def test_errors(function, kinds, text):
    for kind in kinds:
        with pytest.raises(kind, match=text) as caught:
            function()
        assert type(caught.value).__name__ == kinds[0].__name__


def test_unpacking_in_compiled_code():
    def f(x):
        a, b, c = (x, x)
        return a + b + c

    with pytest.raises(IndexError, match="values to unpack"):
        ms.jit(f)(X)
    with pytest.raises(ValueError, match="values to unpack"):
        ms.jit(f)(X)


def test_an_error_of_two_classes_is_pickled_as_python_s():
    with pytest.raises(ValueError) as caught:
        ops.matmul(X, X)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is ValueError and str(again) == str(caught.value)
