"""Tensor: elements in and out, dtypes, indexing, text."""

import copy
import itertools
import pickle

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops

DTYPES = [
    ms.bool_,
    ms.int8,
    ms.int16,
    ms.int32,
    ms.int64,
    ms.uint8,
    ms.float16,
    ms.bfloat16,
    ms.float32,
    ms.float64,
]
NUMPY = [d for d in DTYPES if d is not ms.bfloat16]

# The dtype of `a * b` in MindSpore 2.10, graph mode, row a, column b, in the order of DTYPES.
PROMOTION = """
bool int8 int16 int32 int64 uint8 float16 bfloat16 float32 float64
int8 int8 int16 int32 int64 int16 float16 bfloat16 float32 float64
int16 int16 int16 int32 int64 int16 float16 bfloat16 float32 float64
int32 int32 int32 int32 int64 int32 float16 bfloat16 float32 float64
int64 int64 int64 int64 int64 int64 float16 bfloat16 float32 float64
uint8 int16 int16 int32 int64 uint8 float16 bfloat16 float32 float64
float16 float16 float16 float16 float16 float16 float16 float32 float32 float64
bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 float32 bfloat16 float32 float64
float32 float32 float32 float32 float32 float32 float32 float32 float32 float64
float64 float64 float64 float64 float64 float64 float64 float64 float64 float64
"""
ROWS = [line.split() for line in PROMOTION.split("\n") if line]


@pytest.mark.parametrize("a, b", list(itertools.product(range(10), range(10))))
def test_promotion(a, b):
    from cellgrad.common.dtype import promote

    assert promote(DTYPES[a], DTYPES[b]).name == ROWS[a][b]


@pytest.mark.parametrize("dtype", [d for d in NUMPY if d is not ms.uint8], ids=str)
def test_sum_of_two_tensors_of_every_dtype(dtype):
    x = Tensor([1, 0, 3], dtype)
    wanted = x.asnumpy() + x.asnumpy()
    got = x + x
    assert got.dtype is dtype
    np.testing.assert_array_equal(got.asnumpy(), wanted)


@pytest.mark.parametrize("dtype", NUMPY, ids=str)
def test_numpy_in_and_out(dtype):
    a = np.arange(6).reshape(2, 3).astype(ms.dtype_to_nptype(dtype))
    t = Tensor(a)
    assert t.dtype is dtype and t.shape == (2, 3)
    np.testing.assert_array_equal(t.asnumpy(), a)
    assert t.asnumpy().dtype == a.dtype
    a[...] = 0
    assert t.asnumpy().any()
    np.testing.assert_array_equal(np.asarray(t), t.asnumpy())


def test_dlpack_both_ways_without_a_copy():
    t = Tensor([1.0, 2.0, 3.0])
    a = np.from_dlpack(t)
    assert a.ctypes.data == t.asnumpy().ctypes.data

    class Producer:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **kwargs):
            return self.array.__dlpack__(**kwargs)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    np.testing.assert_array_equal(Tensor(Producer(np.arange(3))).asnumpy(), [0, 1, 2])


def test_bfloat16_is_rounded_to_nearest_even():
    values = np.array([1.0, 1.00390625, 1.01171875, -3.14159, 1e38, np.inf, np.nan], np.float32)
    got = (Tensor(values).astype(ms.bfloat16)).astype(ms.float32).asnumpy()
    direct = Tensor(values, ms.bfloat16).astype(ms.float32).asnumpy()
    np.testing.assert_array_equal(got, direct)
    np.testing.assert_array_equal(got[:3], [1.0, 1.0, 1.015625])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_pickle_and_copies(dtype):
    t = Tensor([1, 0, 2], dtype)
    for other in (pickle.loads(pickle.dumps(t)), copy.copy(t), copy.deepcopy(t), t.copy()):
        assert other.dtype is dtype
        assert other is not t
        np.testing.assert_array_equal(other.float().asnumpy(), t.float().asnumpy())
    assert pickle.loads(pickle.dumps(dtype)) is dtype


def test_parameters_pickle_with_their_names():
    p = ms.Parameter(Tensor([1.0]), name="w", requires_grad=False)
    q = pickle.loads(pickle.dumps(p))
    assert (q.name, q.requires_grad, float(q)) == ("w", False, 1.0)


A = np.arange(60.0).reshape(3, 4, 5)
INDICES = [
    0,
    -1,
    (1, 2),
    (1, 2, 3),
    slice(1, None),
    slice(None, None, 2),
    slice(None, None, -1),
    slice(2, 0, -1),
    slice(5, 9),
    slice(2, 1),
    (slice(None), 1),
    (Ellipsis, 0),
    (0, Ellipsis, slice(1, 4, 2)),
    None,
    (None, 1, None, slice(3, 0, -2)),
    (slice(-2, None), slice(None, -1), slice(-1, -6, -3)),
    Ellipsis,
    (),
    True,
    np.int64(1),
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indexing(index):
    np.testing.assert_array_equal(Tensor(A)[index].asnumpy(), A[index])
    got = ms.grad(lambda x: (x[index] * 2).sum())(Tensor(A)).asnumpy()
    wanted = np.zeros_like(A)
    wanted[index] = 2
    np.testing.assert_array_equal(got, wanted)


def test_element_assignment_outside_of_compiled_code():
    t = Tensor(A)
    t[1, :, 2] = 7
    t[0] = Tensor(np.ones((4, 5)))
    wanted = A.copy()
    wanted[1, :, 2] = 7
    wanted[0] = 1
    np.testing.assert_array_equal(t.asnumpy(), wanted)


def test_operators_beside_numpy():
    a, x = np.ones((2, 3), np.float32), Tensor(np.full((2, 3), 2.0, np.float32))
    for got, wanted in (
        (a + x, 3),
        (x + a, 3),
        (a - x, -1),
        (a / x, 0.5),
        (np.float32(3) * x, 6),
        (x**2 * a, 4),
    ):
        assert isinstance(got, Tensor)
        np.testing.assert_array_equal(got.asnumpy(), np.full((2, 3), wanted))
    assert isinstance(np.sqrt(x), np.ndarray)


def test_membership_hash_and_equality():
    x = Tensor([1.0, 2.0])
    assert 2.0 in x and 3.0 not in x
    assert len({x, x}) == 1
    assert (x == None) is False and (x != None) is True  # noqa: E711


def test_text_of_formats():
    x = Tensor(3.14159)
    assert f"{x:.2f} {x}" == "3.14 3.14159"
    assert str(ms.float32) == "Float32"
    assert repr(ms.bool_) == "cellgrad.bool"


FORWARD = {
    "add": lambda m, a, b: a + b,
    "sub": lambda m, a, b: a - b,
    "mul": lambda m, a, b: a * b,
    "div": lambda m, a, b: a / b,
    "maximum": lambda m, a, b: m.maximum(a, b),
    "minimum": lambda m, a, b: m.minimum(a, b),
    "less": lambda m, a, b: a < b,
    "less_equal": lambda m, a, b: a <= b,
    "greater": lambda m, a, b: a > b,
    "greater_equal": lambda m, a, b: a >= b,
    "equal": lambda m, a, b: a == b,
    "not_equal": lambda m, a, b: a != b,
    "where": lambda m, a, b: m.where(a > b, a, b),
    "matmul": lambda m, a, b: m.matmul(a, b.T),
    "sum": lambda m, a, b: (a * b).sum(1),
    "mean": lambda m, a, b: (a * b).mean(0),
    "max": lambda m, a, b: (a * b).max(1),
    "min": lambda m, a, b: (a * b).min(),
    "argmax": lambda m, a, b: (a * b).argmax(1),
    "var": lambda m, a, b: (a * b).var(0),
    "transpose": lambda m, a, b: a.T,
    "reshape": lambda m, a, b: b.reshape(5, -1),
    "concatenate": lambda m, a, b: (ops.concat if m is ops else np.concatenate)((a, b)),
    "stack": lambda m, a, b: m.stack((a, b), 1),
    "expand": lambda m, a, b: m.expand_dims(a, 1) + b,
}


@pytest.mark.parametrize("name", FORWARD)
@pytest.mark.parametrize(
    "dtype", [np.float32, np.float64, np.int32, np.int64], ids=lambda d: d.__name__
)
def test_values_against_numpy(name, dtype):
    rng = np.random.default_rng(1)
    a, b = (rng.integers(1, 9, (4, 5)).astype(dtype) for _ in range(2))
    if np.dtype(dtype).kind == "f":
        a, b = a * dtype(0.37), b * dtype(0.53)
    f = FORWARD[name]
    got, wanted = f(ops, Tensor(a), Tensor(b)), np.asarray(f(np, a, b))
    if name == "mean" and np.dtype(dtype).kind == "i":
        wanted = np.trunc(wanted)
    tolerance = 1e-6 if got.dtype is ms.float32 else 1e-13
    np.testing.assert_allclose(got.asnumpy(), wanted, rtol=tolerance)


MATRICES = [
    "3 3",
    "23 3",
    "3 32",
    "23 34",
    "523 34",
    "523 534",
    "523 3",
    "3 534",
    "23 534",
    "5123 634",
]


@pytest.mark.parametrize("shapes", MATRICES)
def test_matmul_of_all_ranks(shapes):
    rng = np.random.default_rng(2)
    a, b = (rng.normal(size=tuple(map(int, s))) for s in shapes.split())
    np.testing.assert_allclose(
        ops.matmul(Tensor(a), Tensor(b)).asnumpy(), np.matmul(a, b), rtol=1e-12
    )
