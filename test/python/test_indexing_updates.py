"""Parameters updated at indices: ``ops.scatter_add`` and the like, against numpy."""

import re

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops

A = np.arange(1.0, 7.0, dtype=np.float32).reshape(2, 3)
V = np.array([[3, 5, 7], [0.5, 2, 4]], np.float32)
UFUNCS = {
    "add": np.add,
    "sub": np.subtract,
    "max": np.maximum,
    "min": np.minimum,
    "mul": np.multiply,
    "div": np.divide,
}


@pytest.mark.parametrize("name", [*UFUNCS, "update"])
def test_updates(name):
    rows, parts = np.array([1, 1]), np.array([[0, 2], [0, 2]])
    wanted = [A.copy(), A.copy()]
    if name == "update":
        wanted[0][1], wanted[1][0, 2] = V[1], V[1, 0]
    else:
        UFUNCS[name].at(wanted[0], rows, V)
        UFUNCS[name].at(wanted[1], (parts[:, 0], parts[:, 1]), V[:, 0])
    title = name.title()
    by_rows = [getattr(ops, f"Scatter{title}")()]
    if name != "sub":  # which MindSpore has as a class only
        by_rows.append(getattr(ops, f"scatter_{name}"))
    by_parts = [getattr(ops, f"ScatterNd{title}")(), getattr(ops, f"scatter_nd_{name}")]
    for functions, index, values, result in [
        (by_rows, rows, V, wanted[0]),
        (by_parts, parts, V[:, 0].copy(), wanted[1]),
    ]:
        for function in functions:
            p = Parameter(Tensor(A), name="p")
            out = function(p, Tensor(index), Tensor(values))
            np.testing.assert_allclose(out.asnumpy(), result, rtol=1e-6)
            np.testing.assert_array_equal(p.asnumpy(), out.asnumpy())


def test_in_compiled_code():
    class Counter(nn.Cell):
        def __init__(self):
            super().__init__()
            self.counts = Parameter(Tensor(np.zeros(3, np.float32)), name="counts")

        def construct(self, i):
            ops.scatter_add(self.counts, i, ops.ones(i.shape))
            return self.counts * 10

    net = Counter()
    np.testing.assert_array_equal(net(Tensor([[0, 2], [2, 2]])).asnumpy(), [10, 0, 30])
    np.testing.assert_array_equal(net.counts.asnumpy(), [1, 0, 3])

    def f(x, v):
        y = x * 1
        ops.scatter_nd_update(y, Tensor([[1]]), v)
        return y.sum()

    for position, wanted in ((0, [1, 0, 1]), (1, [1])):
        gradient = ms.grad(f, position)(Tensor([1.0, 2.0, 3.0]), Tensor([5.0]))
        np.testing.assert_array_equal(gradient.asnumpy(), wanted)


def test_refused():
    p = Parameter(Tensor(A), name="p")
    for index, values, kind, words in [
        ([2], V[:1], IndexError, "do not index into"),
        ([0], V, ValueError, "'updates' must have shape"),
        ([0.0], V[:1], TypeError, "must be of integers"),
        ([0], V[:1].astype(np.float64), TypeError, "same dtype"),
    ]:
        with pytest.raises(kind) as caught:
            ops.scatter_add(p, Tensor(index), Tensor(values))
        assert re.search(words, said(caught.value))


# MindSpore's results for a Parameter of ones and updates of 2 and 3, which it casts.
NARROWER = {
    "ScatterUpdate": [2, 3],
    "ScatterAdd": [3, 4],
    "ScatterSub": [-1, -2],
    "ScatterMul": [2, 3],
    "ScatterDiv": [1 / 2, 1 / 3],
    "ScatterMax": [2, 3],
    "ScatterMin": [1, 1],
    "ScatterNdUpdate": [2, 3],
    "ScatterNdAdd": [3, 4],
    "ScatterNdSub": [-1, -2],
    "ScatterNdMul": [2, 3],
    "ScatterNdMax": [2, 3],
}


@pytest.mark.parametrize("run", [lambda f: f, ms.jit])
@pytest.mark.parametrize("name", NARROWER)
def test_updates_of_a_narrower_dtype(name, run):
    at = Tensor([[1]] if "Nd" in name else [1], ms.int32)
    p = Parameter(ops.ones((3, 2)), name="p")
    update = run(lambda given: getattr(ops, name)()(p, at, given))
    for dtype in (ms.float16, ms.int32):
        p.set_data(ops.ones((3, 2)))
        out = update(Tensor([[2, 3]], dtype))
        np.testing.assert_allclose(p.asnumpy(), [[1, 1], NARROWER[name], [1, 1]])
        assert out.dtype == ms.float32
    with pytest.raises(TypeError):
        update(Tensor([[2, 3]], ms.float64))
