"""Order and segments: values against numpy, derivatives against differences, refusals.

Numbers that numpy has no function for were recorded from MindSpore 2.10 on the CPU.
"""

import re

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, ops
from cellgrad.testing import check_grads

RNG = np.random.default_rng(12)
A = RNG.normal(size=(3, 4, 5))
M = RNG.normal(size=(4, 3))
V = RNG.normal(size=6)
T = np.array([[[0, 3], [2, 1]], [[0, 3], [1, 0]]])  # pairs into A; one of them twice
U = RNG.normal(size=(2, 2, 5))
P = RNG.permutation(60).reshape(3, 4, 5).astype(np.float64)  # no two equal


def added(a, index, values):
    out = a.copy()
    np.add.at(out, index, values)
    return out


def at(ufunc, a, values):
    out = a.copy()
    ufunc.at(out, tuple(T[..., k] for k in range(2)), values)
    return out


CASES = {
    "tensor_scatter_max": (
        lambda x, v, i: ops.tensor_scatter_max(x, i, v),
        lambda a, v, i: at(np.maximum, a, v),
        (A, U),
        (T,),
    ),
    "tensor_scatter_min": (
        lambda x, v, i: ops.tensor_scatter_min(x, i, v),
        lambda a, v, i: at(np.minimum, a, v),
        (A, U),
        (T,),
    ),
    "tensor_scatter_mul": (
        lambda x, v, i: ops.tensor_scatter_mul(x, i, v),
        lambda a, v, i: at(np.multiply, a, v),
        (A, U),
        (T,),
    ),
    "tensor_scatter_div": (
        lambda x, v, i: ops.tensor_scatter_div(x, i, v),
        lambda a, v, i: at(np.divide, a, v),
        (A, U),
        (T,),
    ),
    "segment_sum": (
        lambda x, i: ops.unsorted_segment_sum(x, i, 4),
        lambda a, i: added(np.zeros((4, 5)), (i[i >= 0],), a[i >= 0]),
        (A,),
        (np.array([[0, 2, 0, -1], [3, 3, -2, 0], [2, 0, 0, 3]]),),
    ),
    "segment_prod": (
        lambda x, i: ops.unsorted_segment_prod(x, i, 3),
        lambda a, i: np.stack([a[i == k].prod(0) for k in range(3)]),
        (M,),
        (np.array([0, 2, 2, 2]),),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_values(name):
    ours, theirs, floats, indices = CASES[name]
    for dtype in (np.int64, np.int32):
        typed = [i.astype(dtype) for i in indices]
        for run in (ours, ms.jit(ours)):
            got = run(*map(Tensor, floats), *map(Tensor, typed))
            wanted = theirs(*floats, *typed)
            np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-14, strict=True)


@pytest.mark.parametrize("name", CASES)
def test_derivatives(name):
    ours, _, floats, indices = CASES[name]
    tensors = [Tensor(i) for i in indices]
    f = lambda *xs: ops.sin(ours(*(x * x + 0.1 for x in xs), *tensors) / 5)
    check_grads(f, tuple(Tensor(a) for a in floats), order=2 if name.endswith("mul") else 1)


@pytest.mark.parametrize("name", ["tensor_scatter_mul", "segment_sum"])
def test_batches(name):
    ours, _, floats, indices = CASES[name]
    batch = [np.stack([a, -a, 2 * a]) for a in (*floats,)] + [
        np.stack([i, i[::-1], i]) for i in indices
    ]
    singles = [ours(*(Tensor(b[k].copy()) for b in batch)) for k in range(3)]
    got = ms.vmap(ours)(*map(Tensor, batch))
    np.testing.assert_allclose(got.asnumpy(), np.stack([s.asnumpy() for s in singles]), rtol=1e-14)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float16, np.float32, np.float64])
def test_segments_and_extremes(dtype):
    x = Tensor(np.array([[1, 5], [7, 2], [3, 9]]).astype(dtype))
    ids = Tensor([2, -1, 2])
    info = np.finfo(dtype) if np.issubdtype(dtype, np.floating) else np.iinfo(dtype)
    largest = ops.unsorted_segment_max(x, ids, 3).asnumpy()
    np.testing.assert_array_equal(largest, np.array([[info.min] * 2] * 2 + [[3, 9]], dtype))
    smallest = ops.unsorted_segment_min(x, ids, 3).asnumpy()
    np.testing.assert_array_equal(smallest, np.array([[info.max] * 2] * 2 + [[1, 5]], dtype))
    where, values = Tensor([[0, 0], [0, 0], [2, 1]]), Tensor(np.array([4, 2, 8]).astype(dtype))
    got = ops.tensor_scatter_max(x, where, values)
    np.testing.assert_array_equal(got.asnumpy(), np.array([[4, 5], [7, 2], [3, 9]], dtype))
    got = ops.tensor_scatter_min(x, where, values)
    np.testing.assert_array_equal(got.asnumpy(), np.array([[1, 5], [7, 2], [3, 8]], dtype))
    got = ops.tensor_scatter_mul(x, where, values)
    np.testing.assert_array_equal(got.asnumpy(), np.array([[8, 5], [7, 2], [3, 72]], dtype))


@pytest.mark.parametrize("largest", [True, False])
def test_equal_extremes_have_equal_parts_of_the_derivative(largest):
    """Numbers of MindSpore 2.10's, and those of three equal elements of a segment."""
    x, updates = Tensor([1.0, 2.0, 0.0, 3.0]), Tensor([1.0, 1.0, 0.0, 1.0])
    sign, where = Tensor(1.0 if largest else -1.0), Tensor([[0], [0], [2], [3]])
    scatter = ops.tensor_scatter_max if largest else ops.tensor_scatter_min
    got = ms.grad(lambda x, v: scatter(sign * x, where, sign * v).sum(), (0, 1))(x, updates)
    third = np.float32(1 / 3)
    np.testing.assert_allclose(got[0].asnumpy(), sign.asnumpy() * [third, 1, 0.5, 1], rtol=1e-6)
    np.testing.assert_allclose(got[1].asnumpy(), sign.asnumpy() * [third, third, 0.5, 0], rtol=1e-6)
    segment = ops.unsorted_segment_max if largest else ops.unsorted_segment_min
    ids = Tensor([0, 0, 0, 1, -1])
    x = Tensor([2.0, 2.0, 2.0, 5.0, 7.0])
    first = ms.grad(lambda x: ops.square(segment(x, ids, 2)).sum())
    np.testing.assert_allclose(first(x).asnumpy(), [4 / 3, 4 / 3, 4 / 3, 10, 0], rtol=1e-6)
    second = ms.grad(lambda x: first(x).sum())(x).asnumpy()
    np.testing.assert_allclose(second, [2 / 3, 2 / 3, 2 / 3, 2, 0], rtol=1e-6)


def test_many_updates_of_few_places():
    rng = np.random.default_rng(0)
    a, v = rng.normal(size=7), rng.normal(size=1000)
    i = rng.integers(0, 7, size=(1000, 1))
    for ours, ufunc in [(ops.tensor_scatter_max, np.maximum), (ops.tensor_scatter_min, np.minimum)]:
        wanted = a.copy()
        ufunc.at(wanted, i[:, 0], v)
        np.testing.assert_array_equal(ours(Tensor(a), Tensor(i), Tensor(v)).asnumpy(), wanted)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("descending", [False, True])
def test_sorting(axis, descending):
    a = np.round(A, 0)  # with many equal elements
    order = np.argsort(-a if descending else a, axis, kind="stable").astype(np.int32)
    values = np.take_along_axis(a, order, axis)
    got = ops.sort(Tensor(a), axis, descending)
    np.testing.assert_array_equal(got[0].asnumpy(), values, strict=True)
    np.testing.assert_array_equal(got[1].asnumpy(), order, strict=True)
    np.testing.assert_array_equal(ops.argsort(Tensor(a), axis, descending).asnumpy(), order)
    for got, wanted in zip(Tensor(a).topk(2, axis, descending), (values, order)):
        np.testing.assert_array_equal(got.asnumpy(), np.take(wanted, [0, 1], axis), strict=True)


def test_order_of_special_values():
    x = Tensor([1.0, np.nan, -np.inf, 0.0, -0.0, np.inf])
    np.testing.assert_array_equal(
        ops.sort(x)[0].asnumpy(), np.array([-np.inf, 0, -0.0, 1, np.inf, np.nan], np.float32)
    )
    np.testing.assert_array_equal(ops.argsort(x, descending=True).asnumpy(), [1, 5, 0, 3, 4, 2])


def first_in_order(a, k, largest):
    """NaN is larger than all numbers, and equal elements stay in their order."""
    nan, number = np.isnan(a), np.nan_to_num(a.astype(np.float64), nan=0, posinf=1e39, neginf=-1e39)
    sign = -1 if largest else 1
    order = np.lexsort((sign * number, sign * nan.astype(int)), axis=-1)
    return order[..., :k].astype(np.int32)


ROWS = {
    "random": lambda rng, n: rng.standard_normal((2, n)),
    "few values": lambda rng, n: rng.integers(-2, 3, (2, n)),
    "one value": lambda rng, n: np.full((2, n), 3),
    "ascending": lambda rng, n: np.stack([np.arange(n), -np.arange(n)]),
    "special": lambda rng, n: rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0], (2, n)),
    "few numbers": lambda rng, n: np.where(rng.random((2, n)) < 2 / n, 1.0, np.nan),
}


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize(
    "n, k", [(128, 1), (129, 1), (129, 64), (129, 65), (1000, 10), (4100, 7), (9001, 1500)]
)
def test_selection_is_the_beginning_of_the_order(rows, n, k):
    """Rows that are sorted, selected from at once, and in chunks with a shorter last one."""
    a = ROWS[rows](np.random.default_rng(n), n).astype(np.float32)
    for largest in (False, True):
        values, order = ops.topk(Tensor(a), k, 1, largest)
        wanted = first_in_order(a, k, largest)
        np.testing.assert_array_equal(order.asnumpy(), wanted, strict=True)
        np.testing.assert_array_equal(values.asnumpy(), np.take_along_axis(a, wanted, 1))


@pytest.mark.parametrize("run", [lambda f: f, ms.jit])
def test_all_elements_stay_in_their_places_where_no_order_is_asked_for(run):
    # As MindSpore 2.10's kernel leaves them.
    a = np.array([[3.0, 1.0, 2.0], [0.5, 7.0, 1.0]], np.float32)
    for largest in (False, True):
        for d, n in ((0, 2), (1, 3)):
            topk = run(lambda x, n=n, d=d, largest=largest: ops.topk(x, n, d, largest, False))
            values, places = topk(Tensor(a))
            np.testing.assert_array_equal(values.asnumpy(), a, strict=True)
            wanted = np.indices(a.shape, np.int32)[d]
            np.testing.assert_array_equal(places.asnumpy(), wanted, strict=True)
    some = run(lambda x: ops.TopK(False)(x, 2)[0])
    np.testing.assert_array_equal(some(Tensor(a)).asnumpy(), [[3.0, 2.0], [7.0, 1.0]])
    weighted = run(ms.grad(lambda x: (ops.topk(x, 3, sorted=False)[0] * Tensor(a)).sum()))
    np.testing.assert_array_equal(weighted(Tensor(a + 1)).asnumpy(), a)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.float16, np.float64])
def test_selection_of_each_dtype(dtype):
    a = np.random.default_rng(2).integers(-100, 100, (3000, 2)).astype(dtype)
    order = np.argsort(a.astype(np.float64), 0, kind="stable")[:20]
    got = ops.topk(Tensor(a), 20, 0, False)
    np.testing.assert_array_equal(got[1].asnumpy(), order)
    np.testing.assert_array_equal(got[0].asnumpy(), np.take_along_axis(a, order, 0), strict=True)
    gradient = ms.grad(lambda x: ops.topk(x, 20, 0)[0].sum())
    if np.issubdtype(dtype, np.floating):
        np.testing.assert_array_equal(gradient(Tensor(a)).asnumpy().sum(0), [20, 20])


def test_derivatives_of_order():
    x = Tensor(P / 7)
    check_grads(lambda x: ops.sort(x * x, 1)[0] ** 2, x, order=2)
    check_grads(lambda x: ops.topk(x * x, 3)[0], x)
    gradient = ms.grad(lambda x: (ops.sort(x)[0] * Tensor([1.0, 10.0, 100.0])).sum())
    np.testing.assert_array_equal(gradient(Tensor([3.0, 1.0, 2.0])).asnumpy(), [100, 1, 10])
    # Equal elements keep their order, and each its own weight.
    np.testing.assert_array_equal(gradient(Tensor([2.0, 1.0, 1.0])).asnumpy(), [100, 1, 10])


# Recorded from JAX 0.10 in float64, with x.at[..].set, x.at[..].add, take_along_axis and sort: the
# value of `composed`, its gradients, and those of their sum weighted by cos(0), cos(1), ...
RECORDED = (
    11.316057224154338,
    [
        [
            3.04238176086223,
            0,
            0,
            0,
            -8.12604814703183,
            -0.0639990271969054,
            1.17253972429989,
            0.106477545576842,
            0.0396200891161594,
            0,
            0,
            0,
        ],
        [
            2.03193574344628,
            5.90608907296261,
            1.75681083221318,
            -7.28567934507132,
            1.69605051183836,
            -1.37017603034874,
        ],
    ],
    [
        [
            3.79160981594695,
            0,
            0,
            0,
            -30.9167107488662,
            1.75748579903226,
            2.386369844884,
            -0.472045425755971,
            -0.101334414790124,
            0,
            0,
            0,
        ],
        [
            10.9171278806565,
            24.5425332312722,
            2.15434313493365,
            -35.8815194535496,
            10.4607640365494,
            -4.10918430461799,
        ],
    ],
)


def composed(x, v):
    i, e = Tensor([2, 0, 2]), Tensor([[1, 3, 0], [2, 2, 1]])
    y = x.copy()
    y[i[:2], 1:] = v * x[1, 0]
    rows = ops.tile(ops.sin(v[1] * y[i, 2]).reshape(3, 1), (1, 3))
    y = y.index_add(e[0], rows, 1)
    z = ops.gather_elements(y[:2], 1, e) * v
    s = ops.sort(y.reshape(-1))[0][::3]
    return ops.exp(z).sum() + (s * s * s).sum() + (y[::-1, ::2] ** 2).sum()


def test_recorded_derivatives():
    x = Tensor(np.cos(np.arange(12.0)).reshape(3, 4))
    v = Tensor(np.sin(np.arange(1.0, 7.0)).reshape(2, 3))
    gradients = ms.grad(composed, (0, 1))

    def weighted(x, v):
        return sum((Tensor(np.cos(np.arange(g.size))) * g.ravel()).sum() for g in gradients(x, v))

    value, first, second = RECORDED
    np.testing.assert_allclose(composed(x, v).asnumpy(), value, rtol=1e-14)
    for function, numbers in ((gradients, first), (ms.grad(weighted, (0, 1)), second)):
        for got, wanted in zip(function(x, v), numbers):
            np.testing.assert_allclose(got.asnumpy().ravel(), wanted, rtol=1e-12)


def test_class_forms():
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    for got, wanted in [
        (ops.TensorScatterMax()(x, Tensor([[1, 2]]), Tensor([9.0])), [[0, 1, 2], [3, 4, 9]]),
        (ops.TensorScatterMin()(x, Tensor([[1, 2]]), Tensor([1.0])), [[0, 1, 2], [3, 4, 1]]),
        (ops.TensorScatterMul()(x, Tensor([[1, 2]]), Tensor([2.0])), [[0, 1, 2], [3, 4, 10]]),
        (ops.TensorScatterDiv()(x, Tensor([[1, 2]]), Tensor([2.0])), [[0, 1, 2], [3, 4, 2.5]]),
        (ops.Sort(0, True)(x)[0], [[3, 4, 5], [0, 1, 2]]),
        (ops.TopK()(x, 2)[1], [[2, 1], [2, 1]]),
        (ops.UnsortedSegmentSum()(x, Tensor([0, 0]), 1), [[3, 5, 7]]),
        (ops.UnsortedSegmentProd()(x, Tensor([0, 0]), 1), [[0, 4, 10]]),
        (ops.UnsortedSegmentMax()(x, Tensor([0, 0]), 1), [[3, 4, 5]]),
        (ops.UnsortedSegmentMin()(x, Tensor([0, 0]), 1), [[0, 1, 2]]),
    ]:
        np.testing.assert_array_equal(got.asnumpy(), wanted)


def test_methods():
    x, where, v = Tensor(A), Tensor(T), Tensor(U)
    for name in ("sub", "max", "min", "mul", "div"):
        got = getattr(x, f"scatter_{name}")(where, v)
        wanted = getattr(ops, f"tensor_scatter_{name}")(x, where, v)
        np.testing.assert_array_equal(got.asnumpy(), wanted.asnumpy())
    ids = Tensor([1, 1, 0])
    for name in ("max", "min", "prod"):
        got = getattr(x, f"unsorted_segment_{name}")(ids, 2)
        wanted = getattr(ops, f"unsorted_segment_{name}")(x, ids, 2)
        np.testing.assert_array_equal(got.asnumpy(), wanted.asnumpy())
    np.testing.assert_array_equal(x.sort(dim=0, stable=True)[0].asnumpy(), np.sort(A, 0))
    np.testing.assert_array_equal(x.argsort(0).asnumpy(), np.argsort(A, 0))
    np.testing.assert_array_equal(x.msort().asnumpy(), np.sort(A, 0))


X = Tensor(np.zeros((2, 3), np.float32))

REFUSED = {
    "tensor_scatter_div(Tensor([True]), Tensor([[0]]), Tensor([True]))": (TypeError, "numbers"),
    "unsorted_segment_sum(X, Tensor([0, 5]), 2)": (IndexError, "must be below"),
    "unsorted_segment_sum(X, Tensor([0]), 2)": (ValueError, "first dimensions"),
    "sort(X, 5)": (ValueError, "axis value"),
    "sort(Tensor(1.0))": (ValueError, "at least one dimension"),
    "sort(X > 0)": (TypeError, "bools have no order"),
    "sort(X, 0, 1)": (TypeError, "'descending' must be a bool"),
    "topk(X, 5)": (ValueError, "'k' must be in"),
    "topk(X, 0)": (ValueError, "'k' must be in"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text):
    kind, words = REFUSED[text]
    with pytest.raises(kind) as caught:
        eval(f"ops.{text}")
    assert re.search(words, said(caught.value))


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_integers_divided_by_several_updates(dtype):
    """One after the other, each quotient rounded towards 0, as C and MindSpore divide; by 0 it is 0."""
    x = np.array([100, -100, 7, -7, 120, 5, -128], dtype)
    at = np.array([0, 1, 1, 2, 3, 4, 4, 4, 5])
    by = np.array([3, 7, -2, 2, 2, 100, 100, 100, 0], dtype)
    wanted = x.astype(np.int64)
    for i, v in zip(at, by.astype(np.int64)):
        wanted[i] = 0 if v == 0 else int(np.trunc(wanted[i] / v))
    got = ops.tensor_scatter_div(Tensor(x), Tensor(at[:, None]), Tensor(by))
    np.testing.assert_array_equal(got.asnumpy(), wanted.astype(dtype))


def test_a_product_of_updates_beyond_int64():
    got = ops.tensor_scatter_div(
        Tensor(np.array([2**62])), Tensor(np.zeros((3, 1), np.int64)), Tensor([2**33, 2**33, 2**33])
    )
    assert got.asnumpy().tolist() == [0]


def test_indices_out_of_range_are_runtime_errors_too():
    """As MindSpore's kernels raise."""
    x, at = ops.ones((4, 2)), Tensor([[0], [4]])
    with pytest.raises(RuntimeError, match="do not index into shape"):
        ops.tensor_scatter_add(x, at, ops.ones((2, 2)))
    with pytest.raises(RuntimeError, match="must be in the range"):
        ms.jit(lambda i: ops.tensor_scatter_add(x, i, ops.ones((2, 2))))(at)
