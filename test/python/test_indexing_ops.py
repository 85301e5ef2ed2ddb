"""Gathering and scattering: values against numpy, derivatives against differences, refusals.

Numbers that numpy has no function for were recorded from MindSpore 2.10 on the CPU.
"""

import re

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, ops
from cellgrad.testing import check_grads

RNG = np.random.default_rng(11)
A = RNG.normal(size=(3, 4, 5))
M = RNG.normal(size=(4, 3))
V = RNG.normal(size=6)
I = np.array([[2, 0, -1], [1, 1, 2]])  # into three elements
E = RNG.integers(-3, 3, size=(2, 4, 5))  # an index of elements of A along its first dimension
T = np.array([[[0, 3], [2, 1]], [[0, 3], [1, 0]]])  # pairs into A; one of them twice
U = RNG.normal(size=(2, 2, 5))
P = RNG.permutation(60).reshape(3, 4, 5).astype(np.float64)  # no two equal


def added(a, index, values):
    out = a.copy()
    np.add.at(out, index, values)
    return out


def put(a, index, values):
    out = a.copy()
    out[index] = values
    return out


def put_along(a, index, values, axis):
    out = a.copy()
    np.put_along_axis(out, index, values, axis)
    return out


def at(ufunc, a, values):
    out = a.copy()
    ufunc.at(out, tuple(T[..., k] for k in range(2)), values)
    return out


T_INDEX = (T[..., 0], T[..., 1])

# (function of float tensors and index tensors, the same in numpy, floats, indices)
CASES = {
    "gather": (lambda x, i: ops.gather(x, i, 0), lambda a, i: a[i], (A,), (I,)),
    "gather_last": (
        lambda x, i: ops.gather(x, i, -1),
        lambda a, i: a[..., i],
        (A,),
        (I,),
    ),
    "gather_scalar": (lambda x, i: ops.gather(x, i, 1), lambda a, i: a[:, i], (A,), (np.array(2),)),
    "gather_batch": (
        lambda x, i: ops.gather(x, i, 2, 1),
        lambda a, i: np.stack([a[k][:, i[k]] for k in range(3)]),
        (A,),
        (I.T,),
    ),
    "gather_method": (lambda x, i: x.gather(i, 1), lambda a, i: a[:, i], (A,), (I,)),
    "gather_elements": (
        lambda x, i: ops.gather_elements(x, 0, i),
        lambda a, i: np.take_along_axis(a, i, 0),
        (A,),
        (E,),
    ),
    "gather_elements_cut": (
        lambda x, i: x.gather(1, i),
        lambda a, i: np.take_along_axis(a[:2, :, :3], i, 1),
        (A,),
        (E[:2, :3, :3],),
    ),
    "gather_nd": (ops.gather_nd, lambda a, i: a[i[..., 0], i[..., 1]], (A,), (T,)),
    "gather_nd_rows": (ops.gather_nd, lambda a, i: a[i[..., 0]], (A,), (T[..., :1],)),
    "gather_nd_one": (ops.gather_nd, lambda a, i: a[tuple(i)], (A,), (np.array([2, 3, 4]),)),
    "take": (ops.take, lambda a, i: a.ravel()[i], (A,), (np.array([[0, 59], [-1, -60]]),)),
    "take_clip": (
        lambda x, i: x.take(i, 1),
        lambda a, i: np.take(a, i, 1, mode="clip"),
        (A,),
        (np.array([-5, 2, 9]),),
    ),
    "take_wrap": (
        lambda x, i: x.take(i, mode="wrap"),
        lambda a, i: np.take(a, i, mode="wrap"),
        (M,),
        (np.array([-5, 2, 99]),),
    ),
    "index_select": (
        lambda x, i: ops.index_select(x, 1, i),
        lambda a, i: a[:, i],
        (A,),
        (np.array([3, 0, -2]),),
    ),
    "embedding": (lambda w, i: ops.embedding(i, w), lambda a, i: a[i], (M,), (I,)),
    "reverse_sequence": (
        lambda x, n: ops.reverse_sequence(x, n, 2, 0),
        lambda a, n: np.stack(
            [np.concatenate((r[:, :k][:, ::-1], r[:, k:]), 1) for r, k in zip(a, n)]
        ),
        (A,),
        (np.array([5, 0, 3]),),
    ),
    "reverse_sequence_back": (
        lambda x, n: x.reverse_sequence(n, 0, 2),
        lambda a, n: np.stack(
            [np.concatenate((a[:k, :, j][::-1], a[k:, :, j])) for j, k in enumerate(n)], 2
        ),
        (A,),
        (np.array([1, 2, 3, 0, 2]),),
    ),
    "scatter": (
        lambda x, v, i: ops.scatter(x, 0, i, v),
        lambda a, v, i: put_along(a, i, v[:, :, :5], 0),
        (A, RNG.normal(size=(2, 4, 6))),
        (np.stack([E[0], (E[0] + 1) % 3]),),
    ),
    "scatter_add": (
        lambda x, v, i: x.scatter_add(1, i, v),
        lambda a, v, i: added(a, (np.arange(3)[:, None, None], i, np.arange(2)), v),
        (A, RNG.normal(size=(3, 6, 2))),
        (RNG.integers(-4, 4, size=(3, 6, 2)),),
    ),
    "scatter_reduce": (
        lambda x, v, i: x.scatter(0, i, v, reduce="add"),
        lambda a, v, i: added(a, (i, np.arange(4)[:, None], np.arange(5)), v),
        (A, RNG.normal(size=(2, 4, 5))),
        (E,),
    ),
    "elements_add": (
        lambda x, v, i: ops.tensor_scatter_elements(x, i, v, 1, "add"),
        lambda a, v, i: added(a, (np.arange(4)[:, None], i), v),
        (M, RNG.normal(size=(4, 5))),
        (RNG.integers(-3, 3, size=(4, 5)),),
    ),
    "scatter_nd": (
        lambda v, i: ops.scatter_nd(i, v, (3, 4, 5)),
        lambda v, i: added(np.zeros((3, 4, 5)), T_INDEX, v),
        (U,),
        (T,),
    ),
    "tensor_scatter_update": (
        lambda x, v, i: ops.tensor_scatter_update(x, i, v),
        lambda a, v, i: put(a, T_INDEX, v),
        (A, U),
        (T,),
    ),
    "tensor_scatter_add": (
        lambda x, v, i: ops.tensor_scatter_add(x, i, v),
        lambda a, v, i: at(np.add, a, v),
        (A, U),
        (T,),
    ),
    "tensor_scatter_sub": (
        lambda x, v, i: ops.tensor_scatter_sub(x, i, v),
        lambda a, v, i: at(np.subtract, a, v),
        (A, U),
        (T,),
    ),
    "index_add": (
        lambda x, v, i: ops.index_add(x, i, v, 1),
        lambda a, v, i: added(a, (slice(None), i), v),
        (A, RNG.normal(size=(3, 3, 5))),
        (np.array([3, 0, 3]),),
    ),
    "index_add_alpha": (
        lambda x, v, i: x.index_add(0, i, v, alpha=-2),
        lambda a, v, i: added(a, i, -2 * v),
        (M, RNG.normal(size=(3, 3))),
        (np.array([3, 0, 3]),),
    ),
    "index_fill": (
        lambda x, v, i: ops.index_fill(x, 2, i, v),
        lambda a, v, i: put(a, (..., i), v),
        (A, np.array(3.0)),
        (np.array([-1, 2]),),
    ),
    "index_put": (
        lambda x, v, i: x.index_put([i, i], v),
        lambda a, v, i: put(a, (i, i), v),
        (A, RNG.normal(size=(2, 5))),
        (np.array([2, -2]),),
    ),
    "index_put_add": (
        lambda x, v, i: x.index_put((i,), v, True),
        lambda a, v, i: added(a, i, v),
        (M, RNG.normal(size=(3, 3))),
        (np.array([1, 1, -1]),),
    ),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_values(name, compiled):
    ours, theirs, floats, indices = CASES[name]
    run = ms.jit(ours) if compiled else ours
    for dtype in (np.int64, np.int32):
        typed = [i.astype(dtype) for i in indices]
        got = run(*(Tensor(a) for a in floats), *(Tensor(i) for i in typed))
        np.testing.assert_allclose(got.asnumpy(), theirs(*floats, *typed), rtol=1e-14, strict=True)


TWICE = ("gather_batch", "gather_elements", "scatter", "tensor_scatter_add")


@pytest.mark.parametrize("name", CASES)
def test_derivatives(name):
    ours, _, floats, indices = CASES[name]
    tensors = [Tensor(i) for i in indices]
    f = lambda *xs: ops.sin(ours(*(x * x + 0.1 for x in xs), *tensors) / 5)
    check_grads(f, tuple(Tensor(a) for a in floats), order=2 if name in TWICE else 1)


@pytest.mark.parametrize("name", [*TWICE, "gather", "gather_nd", "index_add"])
def test_batches(name):
    ours, _, floats, indices = CASES[name]
    batch = [np.stack([a, -a, 2 * a]) for a in floats]
    singles = [ours(*(Tensor(b[k]) for b in batch), *map(Tensor, indices)) for k in range(3)]
    axes = (0,) * len(floats) + (None,) * len(indices)
    got = ms.vmap(ours, axes)(*map(Tensor, batch), *map(Tensor, indices))
    np.testing.assert_allclose(got.asnumpy(), np.stack([s.asnumpy() for s in singles]), rtol=1e-14)
    # Indices that differ along the batch.
    many = [np.stack([i, np.flip(i, 0), i]) if i.ndim else np.stack([i] * 3) for i in indices]
    singles = [
        ours(*(Tensor(b[k]) for b in batch), *(Tensor(i[k].copy()) for i in many)) for k in range(3)
    ]
    got = ms.vmap(ours)(*map(Tensor, batch), *map(Tensor, many))
    np.testing.assert_allclose(got.asnumpy(), np.stack([s.asnumpy() for s in singles]), rtol=1e-14)


def test_padding_row_of_an_embedding_gets_no_gradient():
    f = lambda w, i: ops.embedding(i, w, padding_idx=-1).sum()
    w, i = Tensor(M), Tensor([[3, 0], [0, 1]])
    np.testing.assert_array_equal(
        ms.grad(f)(w, i).asnumpy(), np.array([[2.0], [1], [0], [0]]) * np.ones(3)
    )
    check_grads(lambda w: ops.embedding(Tensor([0, 3]), w * w), w)


def test_masks():
    x, mask = Tensor(A), Tensor(A > 0)
    np.testing.assert_array_equal(ops.masked_select(x, mask).asnumpy(), A[A > 0])
    row = Tensor([True, False, True, False, True])
    np.testing.assert_array_equal(x.masked_select(row).asnumpy(), A[..., ::2].ravel())
    np.testing.assert_array_equal(
        ops.masked_fill(x, mask, -1.5).asnumpy(), np.where(A > 0, -1.5, A)
    )
    filled = ops.masked_fill(Tensor(A[0, :, :1]), row, Tensor(2.0))
    wanted = np.where(row.asnumpy(), 2, A[0, :, :1])
    np.testing.assert_array_equal(filled.asnumpy(), wanted, strict=True)
    check_grads(lambda x, v: ops.masked_fill(x * x, mask, v * v), (x, Tensor(np.array(0.3))))
    whole = Tensor([1, 2, 3]).masked_fill(Tensor([True, False, True]), 9.7)
    np.testing.assert_array_equal(whole.asnumpy(), [9, 2, 9], strict=True)


def test_a_mask_made_in_compiled_code_selects():
    mask = A > 0.5

    def f(x):
        return ops.masked_select(x * x, Tensor(mask))

    np.testing.assert_array_equal(ms.jit(f)(Tensor(A)).asnumpy(), (A * A)[mask])
    check_grads(f, Tensor(A), order=2)


def test_nonzero():
    a = np.where(A > 0.5, A, 0)
    wanted = np.argwhere(a)
    np.testing.assert_array_equal(ops.nonzero(Tensor(a)).asnumpy(), wanted, strict=True)
    np.testing.assert_array_equal(Tensor(a).argwhere().asnumpy(), wanted, strict=True)
    for got, column in zip(Tensor(a).nonzero(as_tuple=True), wanted.T):
        np.testing.assert_array_equal(got.asnumpy(), column, strict=True)


def test_scatter_into_known_places():
    x, row = Tensor(A), Tensor(A[0, 0] * 2)
    wanted = A.copy()
    wanted[:, -1] = 2 * A[:, 0]
    got = ops.select_scatter(x, x[:, 0] * 2, 1, -1)
    np.testing.assert_array_equal(got.asnumpy(), wanted)
    for bounds in [(0, None, 1), (1, 4, 2), (-2, None, 1), (0, 1, 1), (3, 3, 1)]:
        wanted, part = A.copy(), (slice(None), slice(None), slice(*bounds))
        wanted[part] = A[part] * 3
        got = ops.slice_scatter(x, Tensor(A[part] * 3), 2, *bounds)
        np.testing.assert_array_equal(got.asnumpy(), wanted)
    check_grads(
        lambda x, v: x.slice_scatter(v * v, -1, 0, 5, 2), (x, Tensor(A[:, :, :3] + 1)), order=2
    )
    assert row.shape == (5,)


def test_class_forms():
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    i = Tensor([[0, 2], [1, 1]])
    for got, wanted in [
        (ops.Gather()(x, Tensor([0, 1]), 1), [[0, 1], [3, 4]]),
        (ops.Gather(1)(x, Tensor([0, 1]), 1), [0, 4]),
        (ops.GatherD()(x, 1, i), [[0, 2], [4, 4]]),
        (ops.GatherNd()(x, i.clip(0, 1)), [1, 4]),
        (ops.IndexAdd(1)(x, Tensor([0, 0]), x[:, :2]), [[1, 1, 2], [10, 4, 5]]),
        (ops.IndexFill()(x, 1, Tensor([0]), Tensor(5.0)), [[5, 1, 2], [5, 4, 5]]),
        (ops.MaskedFill()(x, x > 2, 0.0), [[0, 1, 2], [0, 0, 0]]),
        (ops.MaskedSelect()(x, x > 3), [4, 5]),
        (ops.NonZero()(x[0]), [[1], [2]]),
        (ops.ReverseSequence(1)(x, Tensor([1, 2])), [[0, 1, 2], [4, 3, 5]]),
        (ops.ScatterNd()(Tensor([[2], [2]]), Tensor([1.0, 2.0]), (3,)), [0, 0, 3]),
        (ops.TensorScatterUpdate()(x, Tensor([[1, 2]]), Tensor([9.0])), [[0, 1, 2], [3, 4, 9]]),
        (ops.TensorScatterAdd()(x, Tensor([[1, 2]]), Tensor([9.0])), [[0, 1, 2], [3, 4, 14]]),
        (ops.TensorScatterSub()(x, Tensor([[1, 2]]), Tensor([9.0])), [[0, 1, 2], [3, 4, -4]]),
        (
            ops.TensorScatterElements(1)(x, Tensor([[0, 2]]), Tensor([[5.0, 6.0]])),
            [[5, 1, 6], [3, 4, 5]],
        ),
        (ops.EmbeddingLookup()(x, Tensor([1, 2, 0]), 1), [[0, 1, 2], [3, 4, 5], [0, 0, 0]]),
        (ops.SearchSorted(ms.int32, True)(x[0], Tensor([1.0])), [2]),
        (ops.Unique()(Tensor([3, 3]))[0], [3]),
    ]:
        np.testing.assert_array_equal(got.asnumpy(), wanted)


def test_changes_in_place():
    x, i = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)), Tensor([[0], [2]])
    for change, wanted in [
        (lambda y: y.masked_fill_(y > 3, 0.0), [[0, 1, 2], [3, 0, 0]]),
        (lambda y: y.index_fill_(1, Tensor([0]), 7.0), [[7, 1, 2], [7, 4, 5]]),
        (lambda y: y.index_add_(0, Tensor([1, 1]), x, alpha=2), [[0, 1, 2], [9, 14, 19]]),
        (lambda y: y.index_put_((Tensor([1]),), 8.0), [[0, 1, 2], [8, 8, 8]]),
        (lambda y: y.scatter_(1, i, Tensor([[8.0], [9.0]])), [[8, 1, 2], [3, 4, 9]]),
        (lambda y: y.scatter_add_(1, i, Tensor([[8.0], [9.0]])), [[8, 1, 2], [3, 4, 14]]),
        (lambda y: y.add_(1.0), [[1, 2, 3], [4, 5, 6]]),
    ]:
        y = x.copy()
        assert change(y) is y
        np.testing.assert_array_equal(y.asnumpy(), wanted)

        @ms.jit
        def compiled(y, change=change):
            same = y
            change(y)
            return same

        np.testing.assert_array_equal(compiled(x).asnumpy(), wanted)


# --- refusals ---------------------------------------------------------------------------------

X = Tensor(np.zeros((2, 3), np.float32))
ROW = Tensor(np.zeros(3, np.float32))

REFUSED = {
    "gather(X, Tensor([0, 5]), 0)": (IndexError, "in the range"),
    "gather(X, Tensor([-3]), 0)": (IndexError, "in the range"),
    "gather(X, Tensor([0.0]), 0)": (TypeError, "must be of integers"),
    "unsorted_segment_sum(X[:, 0], Tensor([1, 3]), 3)": (
        IndexError,
        "below 'num_segments', 3, but",
    ),
    "gather(X, Tensor([0]), 3)": (ValueError, "axis value"),
    "gather(X, Tensor([0, 1]), 1, 2)": (ValueError, "'batch_dims' must be at most"),
    "gather(X, Tensor([0]), 1, 1)": (ValueError, "must agree"),
    "gather(Tensor(1.0), Tensor(0), 0)": (ValueError, "at least one dimension"),
    "gather_elements(X, 1, Tensor([[0, 3], [1, 2]]))": (IndexError, "in the range"),
    "gather_elements(X, 0, Tensor([0, 1]))": (ValueError, "rank of the tensor"),
    "gather_elements(X, 0, Tensor([[0, 0, 0, 0]]))": (ValueError, "no longer"),
    "gather_nd(X, Tensor([[0, -1]]))": (IndexError, "do not index into"),
    "gather_nd(X, Tensor([[0, 3]]))": (IndexError, "do not index into"),
    "gather_nd(X, Tensor([[0, 0, 0]]))": (ValueError, "at most the rank"),
    "take(X, Tensor([6]))": (IndexError, "in the range"),
    "gathering.take_along(X, Tensor([0]), 0, 'what')": (ValueError, "'raise', 'wrap' or 'clip'"),
    "index_select(X, 1, Tensor([3]))": (IndexError, "in the range"),
    "index_select(X, 1, Tensor([[0]]))": (ValueError, "must be 1, but got 2"),
    "embedding(Tensor([2]), X)": (IndexError, "in the range"),
    "embedding(Tensor([0]), ROW)": (ValueError, "must be a matrix"),
    "embedding(Tensor([0]), X, 2)": (ValueError, "'padding_idx' must be in"),
    "embedding(Tensor([0]), X, None, 1.0)": (ValueError, "'max_norm' must be None"),
    "reverse_sequence(X, Tensor([1, 2]), 0)": (ValueError, "must differ"),
    "masked_fill(X, ROW, 1.0)": (TypeError, "must be of bools"),
    "masked_fill(X, X > 0, Tensor([1.0]))": (ValueError, "no dimensions"),
    "masked_fill(X, X > 0, 'a')": (TypeError, "a number or a Tensor"),
    "masked_select(X, X)": (TypeError, "must be of bools"),
    "nonzero(X, as_tuple=1)": (TypeError, "must be a bool"),
    "scatter(X, 1, Tensor([[3]]), Tensor([[1.0]]))": (IndexError, "in the range"),
    "scatter(X, 1, Tensor([[0]]), Tensor([[1]]))": (TypeError, "same dtype"),
    "scatter(X, 1, Tensor([[0, 1]]), Tensor([[1.0]]))": (ValueError, "at least as long"),
    "scatter(X, 1, Tensor([0]), ROW)": (ValueError, "rank of the tensor"),
    "tensor_scatter_elements(X, Tensor([[0]]), X, 0, 'mul')": (ValueError, "'none' or 'add'"),
    "tensor_scatter_add(X, Tensor([[0, 9]]), Tensor([1.0]))": (IndexError, "do not index into"),
    "tensor_scatter_add(X, Tensor([[0]]), ROW)": (ValueError, "'updates' must have shape"),
    "tensor_scatter_add(X, Tensor([[0, 0]]), Tensor([1]))": (TypeError, "same dtype"),
    "scatter_nd(Tensor([[4]]), Tensor([1.0]), (4,))": (IndexError, "do not index into"),
    "scatter_nd(Tensor([[0]]), Tensor([1.0]), (-4,))": (RuntimeError, "must be ints of at least 0"),
    "index_add(X, Tensor([-1]), X[:, :1], 1)": (IndexError, "in the range"),
    "index_add(X, Tensor([0]), X, 1)": (ValueError, "'y' the shape"),
    "index_fill(X, 1, Tensor([7]), 1.0)": (IndexError, "in the range"),
    "index_fill(X, 1, Tensor([[0]]), 1.0)": (ValueError, "rank of 'index'"),
    "select_scatter(X, ROW, 0, 5)": (IndexError, "index 5 is out of bounds"),
    "select_scatter(X, ROW, 1, 0)": (ValueError, "'src' must have the shape"),
    "slice_scatter(X, X, 0, 0, 1)": (ValueError, "'src' must have the shape"),
    "slice_scatter(X, X, 0, 0, 2, -1)": (ValueError, "'step' must be positive"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text):
    kind, words = REFUSED[text]
    with pytest.raises(kind) as caught:
        eval(f"ops.{text}")
    assert re.search(words, said(caught.value))


UNKNOWN = {
    "masked_select(x, x > 0)": "keep all elements",
    "nonzero(x)": "compute with the mask",
    "unique(x)": "outside of compiled code",
    "unique_consecutive(x)": "outside of compiled code",
}


@pytest.mark.parametrize("text", UNKNOWN)
def test_shapes_that_depend_on_elements_are_refused_in_compiled_code(text):
    run = eval(f"lambda x: ops.{text}")
    with pytest.raises(TypeError, match="depends on the elements") as caught:
        ms.jit(run)(X)
    assert UNKNOWN[text] in str(caught.value)


@pytest.mark.parametrize(
    "index, wanted",
    [
        (lambda: [Tensor([0, 2]), Tensor([1, 3])], [1, 11]),
        (lambda: [Tensor([0, 2]), 1], [1, 9]),
        (lambda: [[0, 2], 1], [1, 9]),
        (lambda: [[0, 2], Tensor([1, 3])], [1, 11]),
        (lambda: [Tensor(0), Tensor(2)], 2),
        (lambda: [slice(0, 2), 1], [1, 5]),
        (lambda: [Tensor([0, 2]), slice(0, 2)], [[0, 1], [8, 9]]),
        (lambda: [Tensor([True, False, True]), 0], [0, 8]),
        (lambda: [0, 2], [[0, 1, 2, 3], [8, 9, 10, 11]]),
    ],
)
def test_a_list_of_parts_is_a_tuple(index, wanted):
    """Elements are MindSpore's, in both of its modes."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    x = Tensor(np.arange(12.0).reshape(3, 4))
    assert x[index()].asnumpy().tolist() == wanted
    x[index()] = -1.0
    assert (x.asnumpy() == -1).sum() == np.size(wanted)


def test_a_list_of_parts_in_compiled_code(mode):
    x = Tensor(np.arange(12.0).reshape(3, 4))
    pick = ms.jit(lambda x, i, j: x[[i, j]] * x[[i, slice(1, 3)]].sum(1))
    at = Tensor([0, 2]), Tensor([1, 3])
    assert pick(x, *at).asnumpy().tolist() == [1 * 3, 11 * 19]
    counts = ms.grad(lambda x: x[[*at]].sum())(x).asnumpy()
    assert counts.sum() == 2 and counts[0, 1] == counts[2, 3] == 1
