"""Sums that take their terms in order: running sums, what scatters add to one element, windows that overlap. Against
exact sums of integers, with the bound of docs/math-accuracy.md, which does not grow with the number of terms."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops

DIGITS = {"float16": 11, "float32": 24, "float64": 53}
# Terms are multiples of a unit, and so are their rounded sums. Those of float16 stay below its largest number.
UNIT = {"float16": 2.0**-17, "float32": 2.0**-24, "float64": 2.0**-53}
TYPES = list(DIGITS)


def terms(kind, shape, dtype):
    """Numbers that are positive, and as many units as they are."""
    most = 2 ** DIGITS[dtype]
    units = {
        "ones": lambda: np.full(shape, most),
        "equal": lambda: np.full(shape, round(0.7 * most)),
        "uniform": lambda: np.random.default_rng(5).integers(0, most, shape),
    }[kind]()
    return (units * UNIT[dtype]).astype(dtype), units.astype(object)


def agrees(got, exact, chain=0):
    """The sums are rounded once, after `chain` additions in the accumulator of the type, float32 or float64."""
    got = got.asnumpy()
    dtype = got.dtype.name
    assert got.shape == exact.shape
    units = [int(x) for x in (got.astype(np.float64) / UNIT[dtype]).flat]
    error = np.abs(np.array(units, object).reshape(got.shape) - exact)
    roundings = 2 if dtype == "float64" else 1.01
    roundings += chain * 2.0 ** (DIGITS[dtype] - max(DIGITS[dtype], 24))
    assert np.all(error <= exact * roundings / 2 ** DIGITS[dtype])


def added(exact, indices, size, start=0):
    """What a scatter along the first dimension of zeros makes."""
    out = np.full((size, *exact.shape[1:]), start, object)
    np.add.at(out, indices, exact)
    return out


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", ["ones", "equal", "uniform"])
@pytest.mark.parametrize(
    "shape, axis", [((64,), 0), ((65,), 0), ((20_000,), 0), ((3000, 7), 0), ((2, 3000), 1)]
)
def test_running_sums(shape, axis, kind, dtype):
    x, exact = terms(kind, shape, dtype)
    chain = 64 if shape == (64,) else 0
    agrees(ms.jit(lambda x: ops.cumsum(x, axis))(Tensor(x)), exact.cumsum(axis), chain)
    rest = np.flip(np.flip(exact, axis).cumsum(axis), axis) - exact
    backwards = ops.CumSum(exclusive=True, reverse=True)
    agrees(ms.jit(lambda x: backwards(x, axis))(Tensor(x)), rest, chain)


def test_more_ones_than_float32_counts():
    x = Tensor(np.ones(2**24 + 100, np.float32))
    last = ms.jit(lambda x: ops.cumsum(x, 0)[-1])(x)
    assert last.asnumpy() == 2**24 + 100


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradients_are_running_sums(dtype):
    ct, exact = terms("equal", (20_000,), dtype)
    x = Tensor(np.zeros(20_000, dtype))
    gradient = ms.jit(ms.grad(lambda x, ct: ops.sum(ops.cumsum(x, 0) * ct)))
    agrees(gradient(x, Tensor(ct)), exact[::-1].cumsum()[::-1])
    # All of the extrema are the first element.
    falling = Tensor(-np.arange(20_000, dtype=dtype))
    gradient = ms.jit(ms.grad(lambda x, ct: ops.sum(ops.cummax(x, 0)[0] * ct)))
    agrees(gradient(falling, Tensor(ct)), added(exact, np.zeros(20_000, int), 20_000))


@pytest.mark.parametrize("dtype", TYPES)
def test_infinities_and_nans_stay(dtype):
    x = np.ones(300, dtype)
    x[100], x[200] = np.inf, -np.inf
    sums = ms.jit(lambda x: ops.cumsum(x, 0))(Tensor(x)).asnumpy()
    with np.errstate(invalid="ignore"):
        wanted = x.astype(np.float64).cumsum()
    np.testing.assert_array_equal(sums, wanted)
    index = Tensor(np.repeat(np.arange(3, dtype=np.int32), 100))
    x[200] = np.nan
    parts = ms.jit(lambda x: ops.unsorted_segment_sum(x, index, 3))(Tensor(x)).asnumpy()
    np.testing.assert_array_equal(parts, [100, np.inf, np.nan])


def test_terms_of_both_signs():
    # The large ones cancel; what they are added to must not get lost, nor where a term is larger than the sum.
    rng = np.random.default_rng(2)
    units = rng.integers(-(2**52), 2**52, 20_000)
    units[::7] >>= 40
    units[5:] -= units[:-5] & ~0xFF
    x = units * UNIT["float64"]
    exact, size = units.astype(object).cumsum(), np.abs(units.astype(object)).cumsum()
    got = ms.jit(lambda x: ops.cumsum(x, 0))(Tensor(x)).asnumpy() / UNIT["float64"]
    assert np.all(np.abs(np.array([int(g) for g in got], object) - exact) <= size * 2 / 2**53)


# Few elements have wide sums; of many, those that come more than 64 times are added up one after the other.
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", ["equal", "uniform"])
@pytest.mark.parametrize(
    "count, size", [(40, 3), (40, 1000), (65, 3), (65, 1000), (5000, 10), (5000, 20_000)]
)
@pytest.mark.parametrize("row", [(), (1,), (21,), (2, 3)])
def test_sums_over_indices(count, size, row, kind, dtype):
    x, exact = terms(kind, (count, *row), dtype)
    rng = np.random.default_rng(1)
    index = rng.integers(0, size, count).astype(np.int32)
    index[: count * 9 // 10] = rng.permutation(np.arange(count * 9 // 10) % 3 * (size - 1) // 2)
    total = ms.jit(lambda x, i: ops.unsorted_segment_sum(x, i, size))
    agrees(total(Tensor(x), Tensor(index)), added(exact, index, size), 64 if count <= 65 else 0)


@pytest.mark.parametrize("most", [64, 65])
@pytest.mark.parametrize("size", [200, 3000, 100_000])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_index_that_comes_often(size, most, dtype):
    x, exact = terms("equal", (200, 5), dtype)
    index = np.concatenate([np.full(most, size - 1), np.arange(200 - most)]).astype(np.int32)
    index = np.random.default_rng(3).permutation(index)
    total = ms.jit(lambda x, i: ops.unsorted_segment_sum(x, i, size))
    agrees(
        total(Tensor(x), Tensor(index)),
        added(exact, index, size),
        chain=64 if most == 64 else 0,
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(40_000,), (40_000, 12)])
def test_gradients_of_gathers(shape, dtype):
    ct, exact = terms("equal", (3000, *shape[1:]), dtype)
    index = np.full(3000, 777, np.int32)
    index[::3] = np.arange(1000)
    x = Tensor(np.zeros(shape, dtype))
    gradient = ms.jit(ms.grad(lambda x, i, ct: ops.sum(ops.gather(x, i, 0) * ct)))
    agrees(gradient(x, Tensor(index), Tensor(ct)), added(exact, index, shape[0]))


@pytest.mark.parametrize("size", [30, 2000])
@pytest.mark.parametrize("batch_dims", [0, 1])
@pytest.mark.parametrize("rest", [(), (9,)])
def test_batches_and_dimensions_before(size, batch_dims, rest):
    """Whole batches have indices of their own; without, all rows share them, and each is a sum."""
    rng = np.random.default_rng(4)
    index = rng.integers(0, 3, (4, 500) if batch_dims else 500).astype(np.int32) * (size // 3)
    index[..., ::9] = rng.integers(0, size, index[..., ::9].shape)
    ct, exact = terms("equal", (4, 500, *rest), "float32")
    x = Tensor(np.zeros((4, size, *rest), np.float32))
    gradient = ms.grad(lambda x, i, ct: ops.sum(ops.gather(x, i, 1, batch_dims) * ct))
    rows = index if batch_dims else np.broadcast_to(index, (4, 500))
    wanted = np.stack([added(e, i, size) for e, i in zip(exact, rows, strict=True)])
    agrees(ms.jit(gradient)(x, Tensor(index), Tensor(ct)), wanted)


@pytest.mark.parametrize("size", [30, 2000])
def test_a_dimension_between_batches_and_indices(size):
    index = np.random.default_rng(6).integers(0, 3, (2, 500)).astype(np.int32)
    ct, exact = terms("uniform", (2, 3, 500, 4), "float32")
    x = Tensor(np.zeros((2, 3, size, 4), np.float32))
    gradient = ms.jit(ms.grad(lambda x, i, ct: ops.sum(ops.gather(x, i, 2, 1) * ct)))
    wanted = [[added(row, i, size) for row in e] for e, i in zip(exact, index, strict=True)]
    agrees(gradient(x, Tensor(index), Tensor(ct)), np.array(wanted, object))


@pytest.mark.parametrize("size", [10, 5000])
@pytest.mark.parametrize("dtype", TYPES)
def test_sums_begin_with_what_is_there(size, dtype):
    x, exact = terms("equal", (1000, 9), dtype)
    index = np.zeros((1000, 1), np.int32)
    index[::2] = size - 1
    start = Tensor(np.ones((size, 9), dtype))
    add = ms.jit(lambda y, i, x: ops.tensor_scatter_add(y, i, x))
    wanted = added(exact, index[:, 0], size, round(1 / UNIT[dtype]))
    agrees(add(start, Tensor(index), Tensor(x)), wanted)


def test_integers_are_exact():
    x = np.random.default_rng(0).integers(-(2**62), 2**62, 5000)
    index = (np.arange(5000) % 7).astype(np.int32)
    total = ms.jit(lambda x, i: ops.unsorted_segment_sum(x, i, 7))
    wanted = np.zeros(7, np.int64)
    np.add.at(wanted, index, x)
    assert np.array_equal(total(Tensor(x), Tensor(index)).asnumpy(), wanted)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    "kernel, stride", [((40, 3), 1), ((3, 40), 1), ((60, 60), 6), ((70, 1), 1)]
)
def test_windows_that_overlap(kernel, stride, dtype):
    x = Tensor(np.zeros((1, 1, 90, 70), dtype))
    unfold = ms.jit(lambda x: ops.unfold(x, kernel, stride=stride))
    y = unfold(x)
    ct, exact = terms("uniform", y.shape, dtype)
    gradient = ms.jit(ms.grad(lambda x, ct: ops.sum(ops.unfold(x, kernel, stride=stride) * ct)))
    at = np.arange(90 * 70).reshape(90, 70)
    at = np.lib.stride_tricks.sliding_window_view(at, kernel)[::stride, ::stride]
    at = at.transpose(2, 3, 0, 1).reshape(-1)
    wanted = added(exact.reshape(-1), at, 90 * 70).reshape(1, 1, 90, 70)
    agrees(gradient(x, Tensor(ct)), wanted)


@pytest.mark.sweep
@pytest.mark.parametrize("value", [1.0, 0.1, 0.7])
def test_a_hundred_million(value):
    x = np.full(10**8, value, np.float32)
    got = ms.jit(lambda x: ops.cumsum(x, 0))(Tensor(x)).asnumpy()
    exact = np.arange(1, 10**8 + 1) * np.float64(x[0])
    assert np.max(np.abs(got - exact) / exact) <= 1e-7
    index = Tensor(np.zeros(10**8, np.int32))
    got = ms.jit(lambda x, i: ops.unsorted_segment_sum(x, i, 2))(Tensor(x), index).asnumpy()
    assert abs(got[0] - exact[-1]) <= 1e-7 * exact[-1] and got[1] == 0
