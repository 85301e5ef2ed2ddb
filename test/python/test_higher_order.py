"""`ops.MultitypeFuncGraph`, `HyperMap`, `Map` and `partial`: results by hand, and mistakes."""

import re

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, nn, ops

pick = ops.MultitypeFuncGraph("pick")


@pick.register("Tensor", "Tensor")
def _tensors(a, b):
    return a * ops.cast(ops.Reciprocal()(b), ops.dtype(a))


@pick.register("Tensor", "Number")
def _number(a, b):
    return a + b


@pick.register("Tensor", "Float")
def _float(a, b):
    return a - b


@pick.register("Tuple", "String")
def _words(a, b):
    return len(a), b


X, Y = Tensor([2.0, 4.0]), Tensor([4.0, 2.0])


def test_types_choose_the_function():
    assert pick(X, Y).asnumpy().tolist() == [0.5, 2.0]
    assert pick(X, 3).asnumpy().tolist() == [5.0, 7.0]
    assert pick(X, 3.0).asnumpy().tolist() == [-1.0, 1.0]
    assert pick((X, X), "two") == (2, "two")


def test_no_function_for_the_types():
    with pytest.raises(TypeError, match=r"no function for the types \(Tensor, None\)"):
        pick(X, None)
    with pytest.raises(TypeError, match=r"registered are \(Tensor, Tensor\); "):
        pick(X)
    with pytest.raises(TypeError, match="can be registered for"):
        pick.register("Matrix")


def test_hyper_map_reaches_the_leaves_and_keeps_the_structure():
    hyper_map = ops.HyperMap()
    out = hyper_map(ops.Partial()(pick, X), (Y, [Y, (Y,)]))
    assert out[0].asnumpy().tolist() == ops.partial(pick, X)(Y).asnumpy().tolist()
    assert isinstance(out, tuple) and isinstance(out[1], tuple) and isinstance(out[1][1], tuple)
    assert all(t.asnumpy().tolist() == [0.5, 2.0] for t in (out[0], out[1][0], out[1][1][0]))
    assert ops.HyperMap(pick)((X, X), (1, 2))[1].asnumpy().tolist() == [4.0, 6.0]


def test_map_reaches_the_elements():
    seen = []

    def note(value):
        seen.append(value)
        return len(seen)

    assert ops.Map()(note, [(1, 2), 3]) == (1, 2)
    assert seen == [(1, 2), 3]
    assert ops.Map(None, True)(note, (4, 5)) == (4, 3)
    assert seen[2:] == [5, 4]


def test_inside_compiled_code_the_users_functions_are_evaluated():
    def double_positive(a):
        if a.shape[0] > 1:
            return a * 2
        return a

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.hyper_map = ops.HyperMap()

        def construct(self, x, y):
            return self.hyper_map(double_positive, (x, (y, x)))

    out = Net()(X, Tensor([1.0]))
    assert out[0].asnumpy().tolist() == [4.0, 8.0] and out[1][0].asnumpy().tolist() == [1.0]
    gradient = ms.grad(lambda a: ops.HyperMap()(ops.partial(pick, X), (a,))[0])(Y)
    np.testing.assert_allclose(gradient.asnumpy(), [-2 / 16, -4 / 4])


@pytest.mark.parametrize(
    "words, call",
    [
        (
            "must be sequences of one length, but got lengths 2, 1",
            lambda: ops.Map()(pick, [1, 2], [3]),
        ),
        ("not a sequence", lambda: ops.HyperMap()(pick, (X, X), 3)),
        ("'ops' must be callable", lambda: ops.HyperMap(3)),
        ("expected a function and sequences", lambda: ops.Map()(X, X)),
        ("expected a function and sequences", lambda: ops.Map()(pick)),
        ("'func' must be callable", lambda: ops.partial(3, 4)),
    ],
)
def test_mistakes_are_named(words, call):
    with pytest.raises(TypeError) as caught:
        call()
    assert re.search(words, said(caught.value))
