"""Axes, shapes and the like that are tensors, outside of compiled code and known inside of it."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops

X = np.arange(24).reshape(2, 3, 4).astype(np.float32)


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (lambda x, i: ops.ReduceSum()(x, i([0, 2])), X.sum((0, 2))),
        (lambda x, i: ops.mean(x, i(1)), X.mean(1)),
        (lambda x, i: ops.amin(x, i([0])), X.min(0)),
        (lambda x, i: ops.cumsum(x, i(-1)), X.cumsum(-1)),
        (lambda x, i: ops.expand_dims(x, i(0)), X[None]),
        (lambda x, i: ops.concat((x, x), i(1)), np.concatenate((X, X), 1)),
        (lambda x, i: ops.reshape(x, i([4, -1])), X.reshape(4, -1)),
        (lambda x, i: ops.reshape(x, (i(4), -1)), X.reshape(4, -1)),
        (lambda x, i: ops.broadcast_to(x, i([5, 2, 3, 4])), np.broadcast_to(X, (5, 2, 3, 4))),
        (lambda x, i: x * ops.ones(i([3, 1]), ms.float32), X),
        (lambda x, i: ops.topk(x, i(1))[0], X[..., -1:]),
    ],
)
def test_arguments_that_are_tensors(compute, expected):
    class Net(nn.Cell):
        def construct(self, x):
            return compute(x, Tensor)

    assert compute(Tensor(X), Tensor).asnumpy().tolist() == expected.tolist()
    ms.set_context(mode=ms.GRAPH_MODE)
    assert Net()(Tensor(X)).asnumpy().tolist() == expected.tolist()


def test_each_element_counts():
    for axis in (0, 1, 2, -1, 0):  # compiled once for each, not for the first
        assert ops.sum(Tensor(X), Tensor(axis)).asnumpy().tolist() == X.sum(axis).tolist()
    x, axis = Tensor(X), Tensor(0)
    assert ops.sum(x, axis).shape == (3, 4)
    axis.assign_value(Tensor(1))
    assert ops.sum(x, axis).shape == (2, 4)


@pytest.mark.parametrize("axis", [Tensor(3), Tensor([0, 0])])
def test_wrong_axes(axis):
    with pytest.raises(ValueError, match="For 'sum', the axis"):
        ops.sum(Tensor(X), axis)


def test_axes_are_integers_and_known():
    with pytest.raises(TypeError, match="must be an int"):
        ops.sum(Tensor(X), Tensor(1.0))
    with pytest.raises(TypeError, match="must be an int"):
        ops.cumsum(Tensor(X), Tensor([0, 1]))
    ms.set_context(mode=ms.GRAPH_MODE, jit_syntax_level=ms.STRICT)
    with pytest.raises(TypeError, match="'axis' of sum needs the elements"):
        ms.jit(lambda x, axis: ops.sum(x, axis + 1))(Tensor(X), Tensor(0))


class Sized(nn.Cell):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def construct(self, *args, **kwargs):
        return self.function(*args, **kwargs)


SIX = Tensor(np.arange(6.0, dtype=np.float32))


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("wrap", [Sized, ms.jit])
def test_code_is_compiled_for_the_inputs_that_say_how(mode, wrap):
    ms.set_context(mode=mode, jit_syntax_level=ms.STRICT)
    reshape = wrap(lambda x, size: ops.reshape(x, size) * 2)
    for size in ([2, 3], [3, 2], [2, 3], [6]):
        out = reshape(SIX, Tensor(size))
        np.testing.assert_array_equal(out.asnumpy(), 2 * np.arange(6).reshape(size))
    nested = wrap(lambda x, sizes: ops.reshape(x, sizes[1]))
    assert nested(SIX, (Tensor([2, 3]), Tensor([1, 6]))).shape == (1, 6)
    keyed = wrap(lambda x, sizes: ops.reshape(x, sizes["size"][0]))
    assert keyed(SIX, {"size": [Tensor([3, 2])]}).shape == (3, 2)
    assert reshape(SIX, np.array([3, 2])).shape == (3, 2)
    named = wrap(lambda x, axis: ops.sum(x, axis))
    grid = SIX.reshape(2, 3)
    assert named(grid, axis=Tensor(0)).asnumpy().tolist() == [3, 5, 7]
    assert named(grid, axis=Tensor(1)).asnumpy().tolist() == [3, 12]
    kept = wrap(lambda x, sizes: sizes.append(ops.reshape(x, sizes[0]) * 2))
    for size in ([2, 3], [3, 2]):
        sizes = [Tensor(size)]
        kept(SIX, sizes)
        np.testing.assert_array_equal(sizes[1].asnumpy(), 2 * np.arange(6).reshape(size))
    # As data, too; and a weight of integers stays a weight.
    both = wrap(lambda n, x: ops.ones(n) * n.sum() * x)
    assert both(Tensor([2]), Tensor(3.0)).asnumpy().tolist() == [6, 6]
    assert both(Tensor([3]), Tensor(3.0)).asnumpy().tolist() == [9, 9, 9]
    if wrap is ms.jit:
        size = Parameter(Tensor([2, 3]), name="size")
        with pytest.raises(TypeError, match="needs the elements of a tensor"):
            wrap(lambda x, size: ops.reshape(x, size))(SIX, size)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_gradients_by_and_beside_sizes(mode):
    ms.set_context(mode=mode, jit_syntax_level=ms.STRICT)

    def total(size, x):
        return (ops.ones(size) * x.sum()).sum()

    inner = Sized(total)
    outer = Sized(lambda size, x: ms.grad(inner, (0, 1))(size, x))
    for gradient in (ms.grad(total, (0, 1)), outer):
        for size, count in (([2, 3], 6), ([4], 4)):
            by_size, by_x = gradient(Tensor(size), SIX)
            # golden: a gradient of zero in int64
            assert by_size.asnumpy().tolist() == [0] * len(size) and by_size.dtype is ms.int64
            assert by_x.asnumpy().tolist() == [count] * 6
    value, gradient = ms.value_and_grad(total, 1)(Tensor([2, 2]), SIX)
    assert float(value) == 60 and gradient.asnumpy().tolist() == [4] * 6
    second = ms.grad(lambda x: ms.grad(total, 1)(Tensor([3]), x * x).sum())(SIX)
    assert second.asnumpy().tolist() == [0] * 6
    pull = ms.vjp(lambda size, x: ops.reshape(x, size), Tensor([2, 3]), SIX)[1]
    assert pull(SIX.reshape(2, 3))[1].asnumpy().tolist() == [0, 1, 2, 3, 4, 5]
    mapped = ms.vmap(lambda x, n: ops.tile(x, n), (0, None))
    assert mapped(SIX.reshape(2, 3), Tensor([2])).shape == (2, 6)
    each = ms.vmap(lambda x, n: ops.tile(x, n))
    rows = SIX.reshape(2, 3)
    if mode == ms.GRAPH_MODE:
        with pytest.raises(TypeError, match="needs the elements of a tensor"):
            each(rows, Tensor([[2], [2]]))
    else:
        assert (
            each(rows, Tensor([[2], [2]])).asnumpy().tolist() == np.tile(rows.asnumpy(), 2).tolist()
        )


@pytest.mark.parametrize(
    "index",
    [
        (True, [1, 0]),
        ([1, 0], True),
        (True, slice(None), [1, 2]),
        (slice(None), [0, 1], True),
        ([0, 1], True, [1, 2]),
        (True, np.array([True, False])),
        (..., True, [1, 0]),
        (True, None, [0, 1]),
        (True, 1),
        (True, True),
        (1, slice(None), True),
        (slice(None), 1, True),
    ],
)
def test_true_beside_arrays(index):
    """In an index with arrays True is an array of one element, and not a new dimension."""
    expected, x = X[index], Tensor(X)
    for read in (lambda x: x[index], ms.jit(lambda x: x[index])):
        assert read(x).shape == expected.shape
        assert read(x).asnumpy().tolist() == expected.tolist()
    value = -np.arange(expected.size).reshape(expected.shape).astype(np.float32)
    want = X.copy()
    want[index] = value
    x[index] = Tensor(value)
    assert x.asnumpy().tolist() == want.tolist()


def test_what_assign_gives_is_the_parameter():
    """As MindSpore's: gradient 1 by the Parameter that is an argument, 0 by what is assigned."""

    def assigned(w, x):
        return ops.assign(w, x * 3)

    w = ms.Parameter(Tensor([1.0]), name="w")
    by_w, by_x = ms.grad(assigned, (0, 1))(w, Tensor([2.0]))
    assert (by_w.asnumpy(), by_x.asnumpy(), w.asnumpy()) == (1, 0, 6)


def test_methods_by_the_names_of_both_signatures():
    x = Tensor(X)
    assert x.sum(0, True).shape == (1, 3, 4) and x.sum(0, ms.float64).dtype == ms.float64
    assert x.sum(1, True, dtype=ms.float16).asnumpy().tolist() == X.sum(1, keepdims=True).tolist()
    assert x.sum(dtype=ms.bool_).asnumpy() == np.True_ and x.sum(initial=0.5).asnumpy() == 276.5
    assert not (x * 0).sum(dtype=ms.bool_)
    assert [p.shape for p in x.split(split_size_or_sections=[1, 2], axis=1)] == [
        (2, 1, 4),
        (2, 2, 4),
    ]
    rows = X[:, [2, 0]].tolist()
    assert x.gather(Tensor([2, 0]), axis=1).asnumpy().tolist() == rows
    assert x.gather(input_indices=Tensor([2, 0]), axis=1).asnumpy().tolist() == rows
    assert x.gather(index=Tensor([[[1]]]), dim=0).asnumpy().tolist() == [[[12]]]
    assert x.remainder(divisor=5.0).asnumpy().tolist() == (X % 5).tolist()
    assert x.expand_as(x=ops.ones((5, 2, 3, 4))).shape == (5, 2, 3, 4)
    assert x.repeat_interleave(2, 0, output_size=4).shape == (4, 3, 4)
    with pytest.raises(TypeError, match="return_indices"):
        x.max(axis=0, return_indices=1)


def test_masked_scatter_by_a_mask_that_is_computed():
    put = ms.jit(lambda x, source: x.masked_scatter(x > 1, source))
    x = Tensor([1.0, 2.0, 0.0, 4.0])
    assert put(x, Tensor([8.0, 9.0])).asnumpy().tolist() == [1, 8, 0, 9]
    with pytest.raises(ValueError, match="holds for more than the 1 elements"):
        put(x, Tensor([8.0]))
    assert put(-x, ops.zeros((0,))).asnumpy().tolist() == [-1, -2, 0, -4]


def test_randperm_of_a_tensor_of_one_element():
    assert sorted(ops.randperm(Tensor([4])).asnumpy()) == [0, 1, 2, 3]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_dimensions_as_tensors_and_slices(mode):
    ms.set_context(mode=mode, jit_syntax_level=ms.STRICT)
    grid = SIX.reshape(3, 2)
    every = Sized(lambda x: x[1 : ops.dyn_shape(x)[0] : 2] * ops.dyn_shape(x)[-1])
    assert every(grid).asnumpy().tolist() == [[4.0, 6.0]]
    assert ms.grad(lambda x: every(x).sum())(grid).asnumpy().tolist() == [[0, 0], [2, 2], [0, 0]]
    shaped = ms.jit(lambda x: ops.reshape(x, ops.dyn_shape(x)[:1]))
    assert shaped(SIX).shape == (6,)
    first = Sized(lambda x, n: x[:n].sum())
    for n, expected in ((Tensor(2), [1, 1, 0, 0, 0, 0]), (ms.mutable(3), [1, 1, 1, 0, 0, 0])):
        assert ms.grad(first)(SIX, n).asnumpy().tolist() == expected
    with pytest.raises(IndexError):
        ms.jit(lambda x: ops.dyn_shape(x)[1])(SIX)


def test_integers_beside_what_is_mapped_or_differentiated_say_how():
    ms.set_context(mode=ms.GRAPH_MODE, jit_syntax_level=ms.STRICT)
    diagonals = ms.vmap(lambda x, k: ops.matrix_diag_part(x, k, Tensor(0.0)), (0, None))
    found = diagonals(Tensor(X[:, :3, :3]), Tensor([0, 1], ms.int32))
    one = ops.matrix_diag_part(Tensor(X[:, :3, :3]), Tensor([0, 1], ms.int32), Tensor(0.0))
    assert found.asnumpy().tolist() == one.asnumpy().tolist()
    turned = Sized(lambda x, d: ops.ifftshift(x, d))

    class Pulled(nn.Cell):
        def construct(self, x, d, dout):
            return ops.GradOperation(sens_param=True)(turned)(x, d, dout)

    for d in (0, 1):
        out = Pulled()(Tensor(X[0]), ms.mutable(d), Tensor(X[1]))
        assert out.asnumpy().tolist() == np.fft.fftshift(X[1], d).tolist()


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_numbers_that_python_makes_of_integers_say_how(mode):
    """`int(n)` and the like of an input: code is compiled for its value, as for `n` itself."""
    ms.set_context(mode=mode, jit_syntax_level=ms.STRICT)
    rows = Tensor(X[0])
    joined = Sized(lambda x, n: ops.concat((x, x), int(n)))
    assert [joined(rows, Tensor(n)).shape for n in (0, 1, 0)] == [(6, 4), (3, 8), (6, 4)]
    shaped = Sized(lambda x, s: ops.reshape(x, ops.TensorToTuple()(s)) * x.size)
    assert [shaped(rows, Tensor(s)).shape for s in ([4, 3], [12])] == [(4, 3), (12,)]
    upper = ms.grad(Sized(lambda x, n: ops.triu(x, n.item()) * float(n)))
    assert upper(rows, Tensor(2)).asnumpy().tolist() == np.triu(np.full((3, 4), 2.0), 2).tolist()
    spaced = Sized(lambda n, d: ops.rfftfreq(int(n), float(d)))
    for n in (4, 7):
        found = spaced(Tensor(n), Tensor(3.3, ms.float64)).asnumpy()
        np.testing.assert_allclose(found, np.fft.rfftfreq(n, 3.3), rtol=1e-6)
    less = Sized(lambda x, y, a: ops.subtract(x, y, alpha=float(a)))
    assert less(rows, rows, Tensor(3, ms.float64)).asnumpy().tolist() == (-2 * X[0]).tolist()
    assert less(rows, rows, Tensor(3, ms.float64)).dtype == rows.dtype
    assert Sized(lambda x, n: x.trace(int(n)))(rows, Tensor(1)) == np.trace(X[0], 1)
    wider = Sized(lambda x, n: ops.interpolate(x, (n.item(),), mode="nearest"))
    assert [wider(Tensor(X), Tensor(n)).shape[2] for n in (8, 2)] == [8, 2]
    kept = Sized(lambda x, k: (x.sum(0, bool(k)), ops.prod(x, 0, bool(k)), x.mean(1, k.item())))
    for k in (True, False, True):
        given = [f(X[0], axis=a, keepdims=k) for f, a in ((np.sum, 0), (np.prod, 0), (np.mean, 1))]
        assert [v.asnumpy().tolist() for v in kept(rows, Tensor(k))] == [v.tolist() for v in given]
    if mode == ms.GRAPH_MODE:
        with pytest.raises(TypeError, match="'axis' of concat needs the elements"):
            Sized(lambda x, n: ops.concat((x, x), int(n) - 1))(rows, Tensor(1))
