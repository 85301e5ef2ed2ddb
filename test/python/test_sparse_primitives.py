"""Primitives of sparse tensors of `ops.operations.sparse_ops`. Numbers are MindSpore 2.10's, or numpy's."""

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, ops
from cellgrad.ops import operations as P

LEFT, RIGHT = [[0, 1], [1, 2]], [[0, 1], [1, 1]]


def t(values, dtype=ms.float32):
    return Tensor(values, dtype)


def i64(values):
    return Tensor(values, ms.int64)


def listed(parts):
    return [np.round(p.asnumpy(), 5).tolist() for p in parts]


def test_elements_beside_dense_ones(mode):
    at, shape, dense = i64([[0, 0], [2, 2]]), i64([3, 3]), t([1.0, 2.0, 3.0])
    given = t([4.0, 2.0])
    assert P.SparseDenseCwiseAdd()(at, given, shape, dense).asnumpy().tolist() == [5, 5]
    assert P.SparseDenseCwiseMul()(at, given, shape, dense).asnumpy().tolist() == [4, 6]
    np.testing.assert_allclose(P.SparseDenseCwiseDiv()(at, given, shape, dense), [4, 2 / 3], 1e-6)
    f = lambda v, d: P.SparseDenseCwiseMul()(at, v, (3, 3), d).sum()
    by_values, by_dense = ms.grad(f, (0, 1))(given, dense)
    assert by_values.asnumpy().tolist() == [1, 3] and by_dense.asnumpy().tolist() == [4, 0, 2]


@pytest.mark.parametrize(
    "primitive, values, wanted",
    [
        (P.SparseSparseMaximum, [-1.0, 2.0, 3.0, -4.0], [3, 0, 2]),
        (P.SparseSparseMinimum, [1.0, 2.0, 3.0, 4.0], [1, 0, 0]),
    ],
)
def test_extrema_of_two(primitive, values, wanted):
    shape = i64([3, 3])
    first, second = t(values[:2]), t(values[2:])
    out = primitive()(i64(LEFT), first, shape, i64(RIGHT), second, shape)
    assert listed(out) == [[[0, 1], [1, 1], [1, 2]], wanted]


def test_sum_and_its_gradient_by_all_operands():
    shape, add = i64([3, 4]), P.SparseAdd()
    args = (i64(LEFT), t([1.0, 2.0]), shape, i64(RIGHT), t([3.0, 4.0]), shape, t(0.0))
    assert listed(add(*args)) == [[[0, 1], [1, 1], [1, 2]], [4, 4, 2], [3, 4]]
    # Places and shapes are integers and have gradients of 0; the elements are read on the tape.
    ms.set_context(mode=ms.PYNATIVE_MODE, jit_syntax_level=ms.LAX)
    found = ops.GradOperation(get_all=True)(lambda *a: add(*a)[1] * t([1.0, 10.0, 100.0]))(*args)
    assert listed(found)[1::3] == [[1, 100], [1, 10]]
    assert not any(np.any(g) for g in (found[0], found[2], found[6]))
    few = (*args[:-1], t(3.0))
    found = ops.GradOperation(get_all=True)(lambda *a: add(*a)[1])(*few)
    assert listed(found)[1::3] == [[1, 0], [1, 1]]


def test_places():
    order = P.SparseReorder()(i64([[2, 1], [0, 1], [0, 0]]), t([1.0, 2.0, 3.0]), i64([3, 3]))
    assert listed(order) == [[[0, 0], [0, 1], [2, 1]], [3, 2, 1]]
    at = i64([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 2, 3]])
    out = P.SparseReshape()(at, i64([2, 3, 6]), i64([9, -1]))
    assert listed(out) == [[[0, 0], [0, 1], [1, 2], [4, 2], [8, 1]], [9, 4]]
    at = i64([[0, 0, 1], [0, 1, 2], [0, 1, 3], [1, 0, 1], [1, 1, 2], [1, 1, 3]])
    numbers = [1.0, 4.0, 3.0, 1.0, 4.0, 3.0]
    out = P.SparseTensorToCSRSparseMatrix()(at, t(numbers), i64([2, 2, 4]))
    wanted = [[2, 2, 4], [0, 3, 6], [0, 1, 3, 0, 1, 3], [1, 2, 3, 1, 2, 3], numbers]
    assert listed(out) == wanted
    out = P.SparseTensorToCSRSparseMatrix()(at[:3, 1:], t([1.0, 4.0, 3.0]), (2, 4))
    assert listed(out) == [[2, 4], [0, 3], [0, 1, 3], [1, 2, 3], [1, 4, 3]]


@pytest.mark.parametrize(
    "settings, at, sums, last",
    [
        ({}, [[1, 0], [1, 1], [2, 3], [2, 7], [2, 8], [3, 2]], [2, 4, 2, 2, 1, 7], 9),
        (
            {"binary_output": True},
            [[1, 0], [1, 1], [2, 3], [2, 7], [2, 8], [3, 2]],
            [1, 1, 1, 1, 1, 1],
            9,
        ),
        (
            {"minlength": 12},
            [[1, 0], [1, 1], [2, 3], [2, 7], [2, 8], [3, 2]],
            [2, 4, 2, 2, 1, 7],
            12,
        ),
        ({"minlength": 3, "maxlength": 4}, [[1, 0], [1, 1], [2, 3], [3, 2]], [2, 4, 2, 7], 4),
    ],
)
def test_counts(settings, at, sums, last):
    places = i64([[1, 2], [3, 4], [2, 1], [2, 2], [1, 0], [3, 3], [2, 0], [2, 2]])
    values, weights = i64([0, 2, 8, 8, 1, 2, 3, 7]), i64([2, 5, 1, 0, 4, 2, 2, 2])
    out = P.SparseCountSparseOutput(**settings)(places, values, i64([5, 5]), weights)
    assert listed(out) == [at, sums, [5, last]]
    row = P.SparseCountSparseOutput()(
        i64([[0], [2], [3]]), i64([1, 1, 5]), (5,), t([1.0, 2.5, 3.0])
    )
    assert listed(row) == [[[1], [5]], [3.5, 3.0], [6]]


def test_products(mode):
    alpha, beta = t([2.0]), t([3.0])
    at, values = Tensor([[0, 1], [1, 2]], ms.int32), t([1.0, 2.0])
    x2, x3 = t([[1, 1], [2, 2], [3, 3], [4, 4]]), t([[2, 2], [6, 6], [0, 0]])
    f = lambda v: P.SparseAddmm()(at, v, (3, 4), x2, x3, alpha, beta)
    assert f(values).asnumpy().tolist() == [[10, 10], [30, 30], [0, 0]]
    assert ms.grad(lambda v: f(v).sum())(values).asnumpy().tolist() == [8, 12]


def csr(dense):
    """The parts of a batch of matrices in CSR format."""
    n = len(dense)
    matrix, row, column = np.nonzero(dense)
    starts = [np.searchsorted(matrix, k) for k in range(n + 1)]
    counts = [np.concatenate([[0], np.cumsum((dense[k] != 0).sum(1))]).tolist() for k in range(n)]
    values = dense[matrix, row, column]
    parts = (dense.shape, starts, np.concatenate(counts), column)
    return (*[Tensor(np.array(p), ms.int32) for p in parts], Tensor(values))


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
@pytest.mark.parametrize(
    "settings, first, second",
    [
        ({}, (2, 3, 4), (2, 4, 5)),
        ({"transpose_x1": True}, (2, 3, 4), (2, 3, 5)),
        ({"adjoint_x1": True, "transpose_output": True}, (2, 3, 4), (2, 3, 5)),
        ({"adjoint_x2": True, "conjugate_output": True}, (2, 3, 4), (2, 5, 4)),
        ({"transpose_x2": True}, (2, 3, 4), (2, 5, 4)),
    ],
)
def test_product_of_a_matrix_in_csr_format(settings, first, second, dtype):
    draw = np.random.default_rng(1)
    i = 1j if dtype is np.complex128 else 0
    x, y = (
        (draw.standard_normal(s) + i * draw.standard_normal(s)).astype(dtype)
        for s in (first, second)
    )
    x[draw.random(first) < 0.5] = 0
    turned = {k: np.swapaxes(v, 1, 2) for k, v in (("x1", x), ("x2", y))}
    left = turned["x1"] if settings.get("transpose_x1") else x
    left = turned["x1"].conj() if settings.get("adjoint_x1") else left
    right = turned["x2"] if settings.get("transpose_x2") else y
    right = turned["x2"].conj() if settings.get("adjoint_x2") else right
    wanted = left @ right
    wanted = np.swapaxes(wanted, 1, 2) if settings.get("transpose_output") else wanted
    wanted = wanted.conj() if settings.get("conjugate_output") else wanted
    parts = csr(x)
    out = P.SparseMatrixMatMul(**settings)(*parts, Tensor(y))
    np.testing.assert_allclose(out.asnumpy(), wanted, 1e-5, 1e-5)
    if dtype is np.float32:
        f = lambda v: P.SparseMatrixMatMul(**settings)(*parts[:4], v, Tensor(y)).sum()
        dense = np.zeros_like(x)
        dense[np.nonzero(x)] = ms.grad(f)(parts[4]).asnumpy()
        by_left = np.broadcast_to(right.sum(2)[:, None, :], left.shape)
        by_x = np.swapaxes(by_left, 1, 2) if left.shape != x.shape else by_left
        np.testing.assert_allclose(dense, by_x * (x != 0), 1e-5, 1e-5)


@pytest.mark.parametrize(
    "name, rows",
    [
        ("Sum", [[8, 10, 13], [0, 0, 0], [4, 5, 6], [0, 0, 0]]),
        ("SqrtN", [[5.65685, 7.07107, 9.19239], [0, 0, 0], [4, 5, 6], [0, 0, 0]]),
        ("Mean", [[4, 5, 6.5], [0, 0, 0], [4, 5, 6], [0, 0, 0]]),
    ],
)
def test_segments(name, rows, mode):
    x = t([[1, 2, 3], [4, 5, 6], [7, 8, 10]])
    picked, ids = Tensor([0, 2, 1], ms.int32), Tensor([0, 0, 2], ms.int32)
    reduce = getattr(P, f"SparseSegment{name}WithNumSegments")()
    out = reduce(x, picked, ids, Tensor([4], ms.int32)).asnumpy()
    np.testing.assert_allclose(out, rows, 1e-5)
    share = rows[0][0] / 8
    wanted = [[share] * 3, [1] * 3, [share] * 3]
    found = ms.grad(lambda x, i: reduce(x, picked, i, 4).sum())(x, ids)
    np.testing.assert_allclose(found.asnumpy(), wanted, 1e-5)
    if name != "Mean":
        other = getattr(P, f"SparseSegment{name}")()
        out = other(x, picked, Tensor([0, 0, 1], ms.int32)).asnumpy()
        np.testing.assert_allclose(out, [rows[0], rows[2]], 1e-5)


@pytest.mark.parametrize(
    "kind, words, call",
    [
        (
            ValueError,
            "out of range",
            lambda: P.SparseDenseCwiseAdd()(i64([[0, 5]]), t([1.0]), (1, 3), t([1.0])),
        ),
        (
            ValueError,
            "shapes differ",
            lambda: P.SparseSparseMaximum()(
                i64(LEFT), t([1.0, 2.0]), (2, 3), i64(LEFT), t([1.0, 2.0]), (3, 3)
            ),
        ),
        (
            ValueError,
            "of 36 elements",
            lambda: P.SparseReshape()(i64([[0, 0, 0]]), (2, 3, 6), (7, -1)),
        ),
        (
            RuntimeError,
            "one for each of 'values'",
            lambda: P.SparseCountSparseOutput()(i64(LEFT), i64([1, 2]), (3, 3), t([1.0])),
        ),
        (
            ValueError,
            "at least 0",
            lambda: P.SparseCountSparseOutput()(i64(LEFT), i64([1, -2]), (3, 3), t([1.0, 2.0])),
        ),
        (
            ValueError,
            "one or two lengths",
            lambda: P.SparseCountSparseOutput()(i64([[0, 0, 0]]), i64([1]), (1, 1, 1), t([1.0])),
        ),
        (ValueError, "not both", lambda: P.SparseMatrixMatMul(transpose_x1=True, adjoint_x1=True)),
        (
            ValueError,
            "ascend by 1",
            lambda: P.SparseSegmentSum()(t([[1.0], [2.0]]), i64([0, 1]), i64([0, 2])),
        ),
        (
            ValueError,
            "below 'num_segments'",
            lambda: P.SparseSegmentSumWithNumSegments()(t([[1.0]]), i64([0]), i64([2]), 2),
        ),
        (
            ValueError,
            "two or three lengths",
            lambda: P.SparseTensorToCSRSparseMatrix()(i64([[0]]), t([1.0]), (2,)),
        ),
        (
            ValueError,
            "two lengths",
            lambda: P.SparseAddmm()(i64([[0]]), t([1.0]), (2,), t([[1.0]]), t([[1.0]]), 1.0, 1.0),
        ),
    ],
)
def test_mistakes_are_named(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    assert words in said(caught.value)
