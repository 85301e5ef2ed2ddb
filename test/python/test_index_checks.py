"""Indices that compiled code computes are checked when it runs; what is indexed is never compared with
every position.
"""

import inspect
import re
import time

import numpy as np
import pytest
from on_gpu import ON_GPU

import cellgrad as ms
from cellgrad import Tensor, mint, ops
from cellgrad.testing import check_grads

X = Tensor(np.arange(12.0, dtype=np.float32).reshape(3, 4))
V = Tensor(np.ones((2, 4), np.float32))
P = Tensor(np.ones(2, np.float32))


def assigned(x, i):
    x = x.copy()
    x[i] = 7.0
    return x


# Functions of X and two indices along its first dimension, and the lowest index each takes.
ROWS = {
    "x[i]": (lambda x, i: x[i], -3),
    "x[i, j]": (lambda x, i: x[i, i], -3),
    "x[i] = v": (assigned, -3),
    "gather": (lambda x, i: ops.gather(x, i, 0), -3),
    "gather_elements": (lambda x, i: ops.gather_elements(x, 0, ops.tile(i[:, None], (1, 4))), -3),
    "gather_nd": (lambda x, i: ops.gather_nd(x, i[:, None]), 0),
    "index_select": (lambda x, i: ops.index_select(x, 0, i), -3),
    "take": (lambda x, i: x.take(i, 0, "raise"), -3),
    "embedding": (lambda x, i: ops.embedding(i, x), -3),
    "scatter": (lambda x, i: ops.scatter(x, 0, i[:, None], ops.ones((2, 1))), -3),
    "tensor_scatter_update": (lambda x, i: ops.tensor_scatter_update(x, i[:, None], V), 0),
    "tensor_scatter_add": (lambda x, i: ops.tensor_scatter_add(x, i[:, None], V), 0),
    "tensor_scatter_max": (lambda x, i: ops.tensor_scatter_max(x, i[:, None], V), 0),
    "tensor_scatter_elements": (
        lambda x, i: ops.tensor_scatter_elements(x, i[:, None], ops.ones((2, 1))),
        -3,
    ),
    "index_add": (lambda x, i: ops.index_add(x, i, V, 0), 0),
    "index_fill": (lambda x, i: ops.index_fill(x, 0, i, 1.0), -3),
    "scatter_nd": (lambda x, i: ops.scatter_nd(i[:, None], V, (3, 4)) + x, 0),
    "unsorted_segment_sum": (lambda x, i: ops.unsorted_segment_sum(P, i, 3), None),
}


def rows(*numbers):
    return Tensor(np.array(numbers, np.int32))


@pytest.mark.parametrize("name", ROWS)
def test_an_index_out_of_range_ends_the_call(name):
    function, low = ROWS[name]
    compiled = ms.jit(lambda x, i: function(x, i))
    eager = function(X, rows(2, 0))
    np.testing.assert_array_equal(compiled(X, rows(2, 0)).asnumpy(), eager.asnumpy())
    for bad in (3, 100, *([] if low is None else [low - 1, -100])):
        with pytest.raises(IndexError, match=r"\n  at .*test_index_checks.py:\d+:\d+, in "):
            compiled(X, rows(1, bad))
        with pytest.raises(IndexError):
            function(X, rows(1, bad))
    # The same code is fine afterwards.
    np.testing.assert_array_equal(compiled(X, rows(2, 0)).asnumpy(), eager.asnumpy())


def squared(x, i):
    return (x[i] ** 2).sum()


LINE = inspect.getsourcelines(squared)[1] + 1
PLACE = rf"out of bounds .* size 3\.\n  at .*test_index_checks.py:{LINE}:\d+, in squared\n"


def looped(x, i):
    total = x[0].sum()
    k = ops.zeros((), ms.int32)
    while k < 2:
        total = total + squared(x, i[k])
        k = k + 1
    return total


TRANSFORMS = {
    "grad": ms.grad(squared),
    "value_and_grad": ms.value_and_grad(squared),
    "jitted grad": ms.jit(ms.grad(squared)),
    "second derivative": ms.jacrev(ms.grad(squared)),
    "forward mode": ms.jacfwd(squared),
    "loop": ms.jit(looped),
    "grad of a loop": ms.grad(looped),
    "recomputed": ms.grad(lambda x, i: ms.recompute(squared, x, i)),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_indices_are_checked_inside_transforms(name):
    TRANSFORMS[name](X, rows(1, -3))
    for bad in (3, -4):
        with pytest.raises(IndexError, match=PLACE):
            TRANSFORMS[name](X, rows(1, bad))


@pytest.mark.parametrize("function", [squared, ms.grad(squared), looped, ms.grad(looped)])
def test_indices_are_checked_on_batches(function):
    mapped = ms.vmap(function, (None, 0))
    good = np.array([[0, 2], [-1, 1], [-3, 0]], np.int32)
    want = np.stack([function(X, Tensor(i)).asnumpy() for i in good])
    np.testing.assert_allclose(mapped(X, Tensor(good)).asnumpy(), want, rtol=1e-6)
    bad = good.copy()
    bad[2, 1] = 3
    with pytest.raises(IndexError, match=PLACE):
        mapped(X, Tensor(bad))


def test_a_branch_that_is_not_taken_checks_nothing():
    def guarded(x, i):
        if i < 3:
            return x[i].sum()
        return x[0].sum()

    for function in (ms.jit(guarded), ms.value_and_grad(guarded)):
        function(X, Tensor(7, ms.int32))
        with pytest.raises(IndexError, match="size 3"):
            function(X, Tensor(-7, ms.int32))


def test_elements_of_a_batch_are_checked_where_they_take_a_branch_or_a_trip():
    def guarded(x, i):
        if i < 3:
            return x[i].sum()
        return x[0].sum()

    def rest(x, i):
        total = x[0].sum()
        while i < 3:
            total = total + x[i].sum()
            i = i + 1
        return total

    sums = X.asnumpy().sum(1)
    for function, want in (
        (guarded, sums[[2, 0, 0]]),
        (rest, sums[[0, 0, 0]] + [sums[2], 0, sums.sum()]),
    ):
        for f in (function, ms.value_and_grad(function)):
            out = ms.vmap(f, (None, 0))(X, rows(2, 7, 0))
            value = out if f is function else out[0]
            np.testing.assert_array_equal(value.asnumpy(), want)
            with pytest.raises(IndexError, match="size 3"):
                ms.vmap(f, (None, 0))(X, rows(2, 7, -4))


def test_an_index_of_no_elements_names_nothing():
    nothing = Tensor(np.zeros((0, 2), np.float32))
    take = ms.jit(lambda x, i: ops.gather(x, i, 0))
    with pytest.raises(IndexError, match="no index is in range of a dimension without elements"):
        take(nothing, rows(0))
    assert take(nothing, Tensor(np.zeros((0,), np.int32))).shape == (0, 2)
    assert take(X, Tensor(np.zeros((0, 5), np.int32))).shape == (0, 5, 4)


# --- sizes ------------------------------------------------------------------------------------

N = 20_000 if ON_GPU else 200_000  # an emulated device takes minutes for more
LONG = np.random.default_rng(3).normal(size=N).astype(np.float32)
PLACES = np.random.default_rng(4).permutation(N).astype(np.int32)

# Each would take minutes if it compared every element with every other, or an op for each.
LARGE = {
    "sort": (lambda x, i: ops.sort(x)[0], lambda a, i: np.sort(a)),
    "argsort": (
        lambda x, i: ops.argsort(x, 0, True),
        lambda a, i: np.argsort(-a, kind="stable"),
    ),
    "topk": (lambda x, i: ops.topk(x, 5)[0], lambda a, i: np.sort(a)[:-6:-1]),
    "median": (lambda x, i: ops.median(x)[0], lambda a, i: np.sort(a)[(N - 1) // 2]),
    "gather": (lambda x, i: x[i], lambda a, i: a[i]),
    "gather_elements": (lambda x, i: ops.gather_elements(x, 0, i), lambda a, i: a[i]),
    "scatter": (lambda x, i: ops.scatter(x, 0, i, x), lambda a, i: a[np.argsort(i)]),
    "scatter_add": (
        lambda x, i: ops.index_add(x, i, x, 0),
        lambda a, i: a + a[np.argsort(i)],
    ),
    "segments": (
        lambda x, i: ops.unsorted_segment_max(x, i // 2, N // 2),
        lambda a, i: a[np.argsort(i)].reshape(-1, 2).max(1),
    ),
    "searchsorted": (
        lambda x, i: ops.searchsorted(ops.sort(x)[0], x),
        lambda a, i: np.searchsorted(np.sort(a), a),
    ),
    "reverse": (lambda x, i: x[::-3], lambda a, i: a[::-3]),
    "flip": (lambda x, i: ops.flip(x, (0,)), lambda a, i: a[::-1]),
    "argmax": (lambda x, i: ops.argmax(x), lambda a, i: np.argmax(a)),
    "max": (lambda x, i: ops.max(x, 0)[1], lambda a, i: np.argmax(a)),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_tensors(name):
    function, expected = LARGE[name]
    compiled = ms.jit(lambda x, i: function(x, i))
    x, i = Tensor(LONG), Tensor(PLACES)
    np.testing.assert_array_equal(compiled(x, i).asnumpy(), expected(LONG, PLACES))
    start = time.perf_counter()
    compiled(x, i)
    assert time.perf_counter() - start < 1


def test_cumsum_of_a_large_tensor():
    whole = np.round(LONG * 8)  # sums of these are exact
    got = ms.jit(lambda x: ops.cumsum(x, 0))(Tensor(whole))
    np.testing.assert_array_equal(got.asnumpy(), np.cumsum(whole))


# --- derivatives ------------------------------------------------------------------------------

RNG = np.random.default_rng(5)
A = RNG.permutation(24).reshape(2, 3, 4) / 5.0
I = RNG.integers(-3, 3, (2, 2, 4)).astype(np.int32)
SMOOTH = {
    "sort": lambda x: ops.sort(x, 1)[0],
    "sort down": lambda x: ops.sort(x, -2, True)[0],
    "topk": lambda x: ops.topk(x, 2, 0)[0],
    "median": lambda x: ops.median(x, 1)[0],
    "max": lambda x: ops.max(x, -2)[0],
    "min": lambda x: ops.min(x, 2, True)[0],
    "cumsum": lambda x: ops.cumsum(x, -1),
    "cumsum from the end": lambda x: ops.CumSum(exclusive=True, reverse=True)(x, 0),
    "gather_elements": lambda x: ops.gather_elements(x, 1, Tensor(I)),
    "scatter": lambda x: ops.scatter(x, 1, Tensor(I), ops.exp(x[:, :2] / 5)),
    "scatter_add": lambda x: ops.tensor_scatter_elements(
        x, Tensor(I), ops.exp(x[:, :2] / 5), 1, "add"
    ),
    "flip": lambda x: ops.flip(x, (0, 2)),
    "step": lambda x: x[::-1, ::-2, 3:0:-1],
}


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_on_batches_and_alone(name):
    function = lambda x: ops.sin(SMOOTH[name](x))
    check_grads(function, (Tensor(A),), order=2, modes=("fwd", "rev"))
    mapped = ms.vmap(ms.grad(lambda x: function(x).sum()))(Tensor(np.stack([A, A[:, ::-1]])))
    for got, a in zip(mapped.asnumpy(), (A, A[:, ::-1].copy()), strict=True):
        want = ms.grad(lambda x: function(x).sum())(Tensor(a)).asnumpy()
        np.testing.assert_allclose(got, want, rtol=1e-12)


def test_the_message_of_a_failed_check_says_what_was_asked():
    take = ms.jit(lambda x, i: ops.gather(x, i, 1))
    with pytest.raises(IndexError, match=re.escape("the indices must be in the range [-4, 4)")):
        take(X, rows(4))


@pytest.mark.parametrize("name", ["update", "add", "sub", "mul", "div", "max", "min"])
@pytest.mark.parametrize("dtype", [ms.int8, ms.int16, ms.uint8, ms.uint64])
def test_tuples_are_of_int32_or_int64(name, dtype):
    scatter = getattr(ops, f"tensor_scatter_{name}")
    with pytest.raises(TypeError, match="'indices' must be of dtype int32 or int64"):
        scatter(X, Tensor([[0, 1]], dtype), Tensor([1.0]))


@pytest.mark.parametrize(
    ("take", "int16"),
    [
        (lambda i: ops.gather(X, i[0], 0), True),
        (lambda i: ops.index_select(X, 0, i[0]), True),
        (lambda i: ops.gather_nd(X, i), True),
        (lambda i: ops.scatter(X, 0, i, X[:1]), True),
        (lambda i: ops.unsorted_segment_sum(X[:2], i[0], 2), True),
        (lambda i: ops.unsorted_segment_max(X[:2], i[0], 2), False),
        (lambda i: ops.gather_elements(X, 0, i), False),
        (lambda i: ops.tensor_scatter_elements(X, i, X[:1]), False),
        (lambda i: X.take(i[0], 0), False),
        (lambda i: ops.index_fill(X, 0, i[0], 2.0), False),
        (lambda i: mint.index_add(X, 0, i[0], X[:2]), False),
    ],
)
def test_indices_have_the_dtypes_that_mindspore_has_kernels_for(take, int16):
    """Which do was found by calls of MindSpore 2.10's."""
    for dtype in (ms.int16, ms.int8, ms.uint8, ms.uint16, ms.uint32, ms.uint64):
        at = Tensor([[0, 1]], dtype)
        if int16 and dtype is ms.int16:
            np.testing.assert_array_equal(take(at).asnumpy(), take(at.astype(ms.int32)).asnumpy())
            continue
        with pytest.raises(TypeError, match=r"of dtype (int16, )?int32 or int64"):
            take(at)


@pytest.mark.parametrize("name", ["tensor_scatter_add", "tensor_scatter_max", "scatter_nd_update"])
def test_tuples_stand_along_a_second_dimension(name):
    with pytest.raises(ValueError, match="'indices' must have at least 2 dimensions"):
        getattr(ops, name)(X.copy(), Tensor([1], ms.int32), X[0])
    with pytest.raises(ValueError, match="'indices' must have at least 2 dimensions"):
        ops.scatter_nd(Tensor([1], ms.int32), Tensor(2.0), (3,))


def test_a_row_is_updated_at_a_number():
    x = ms.Parameter(X, name="x")
    want = X.asnumpy().copy()
    want[1] += X.asnumpy()[0]
    np.testing.assert_array_equal(ops.scatter_add(x, Tensor(1), X[0]).asnumpy(), want)
    np.testing.assert_array_equal(x.asnumpy(), want)
