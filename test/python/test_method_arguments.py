"""Methods of Tensor with arguments by their other names, and with arguments that are given twice."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor

SMALL = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.0]], np.float32)

NAMED = {
    "reshape(shape=(3, 2))": SMALL.reshape(3, 2),
    "view(shape=(3, 2))": SMALL.reshape(3, 2),
    "permute(dims=(1, 0))": SMALL.T,
    "permute(axis=(1, 0))": SMALL.T,
    "transpose(axes=(1, 0))": SMALL.T,
    "transpose(dim0=0, dim1=-1)": SMALL.T,
    "transpose(0, dim1=1)": SMALL.T,
    "broadcast_to(shape=(2, 2, 3))": np.broadcast_to(SMALL, (2, 2, 3)),
    "expand(size=(2, 2, 3))": np.broadcast_to(SMALL, (2, 2, 3)),
    "repeat(repeats=(2, 1))": np.tile(SMALL, (2, 1)),
    "take(index=Tensor([4, 0]))": SMALL.reshape(-1)[[4, 0]],
    "matmul(other=x.T)": SMALL @ SMALL.T,
    "isclose(x2=x + 1)": np.zeros((2, 3), bool),
    "approximate_equal(other=x)": np.ones((2, 3), bool),
    "sub(y=1)": SMALL - 1,
    "index_add(indices=Tensor([1], ms.int32), y=x[:1], axis=0)": SMALL + [[0], [1]] * SMALL[:1],
    "index_add(0, Tensor([1], ms.int32), source=x[:1], alpha=2)": SMALL + [[0], [2]] * SMALL[:1],
    "copy().sub_(y=1)": SMALL - 1,
    "argsort(0, True, True)": np.argsort(-SMALL, 0),
    "sort(0, True, True)[0]": -np.sort(-SMALL, 0),
    "scatter(1, Tensor([[0], [1]]), 5.0, 'add')": SMALL + 5.0 * np.eye(2, 3),
    "sum(1).addmv(x, x[0], 2, 3)": SMALL.sum(1) * 2 + SMALL @ SMALL[0] * 3,
    "to('CPU', ms.int32)": SMALL.astype(np.int32),
    "to(None, ms.int32, False)": SMALL.astype(np.int32),
    "to(device='CPU', dtype=ms.int32)": SMALL.astype(np.int32),
    "to(other=Tensor([1]), copy=True)": SMALL.astype(np.int64),
    "to(Tensor([1.0], ms.float64), False)": SMALL.astype(np.float64),
    "to(ms.int32, False, True)": SMALL.astype(np.int32),
    "to('CPU', False)": SMALL,
    "scatter_add(indices=Tensor([[1]]), updates=x[:1])": SMALL + [[0], [1]] * SMALL[:1],
}


@pytest.mark.parametrize("call", NAMED)
def test_arguments_by_name(call):
    x = Tensor(SMALL)
    method = eval(f"lambda x: x.{call}")
    for f in (method, ms.jit(method)):
        np.testing.assert_array_equal(f(x).asnumpy(), NAMED[call])


@pytest.mark.parametrize(
    "call",
    [
        "reshape()",
        "reshape(3, shape=(3, 2))",
        "permute(1, 0, dims=(1, 0))",
        "permute(axis=(1, 0), dims=(1, 0))",
        "transpose(1, 0, dim0=0, dim1=1)",
        "transpose(dim0=0)",
        "tile(2, dims=(3,))",
        "flatten('C', 1)",
        "flatten(0, 1, 1)",
        "index_add(0, Tensor([1], ms.int32))",
        "index_add(0, Tensor([1], ms.int32), Tensor(SMALL[:1]), 1)",
        "index_add(Tensor([1], ms.int32), Tensor(SMALL[:1]), 0, alpha=2)",
    ],
)
def test_arguments_that_are_given_twice_or_not_at_all_are_refused(call):
    with pytest.raises(TypeError):
        eval(f"Tensor(SMALL).{call}")


# By how much the divisor is less. Where MindSpore has no kernel for a variance it is as that of `mint.var`.
LESS = {
    "std()": 0, "std(0)": 0, "std(dim=0)": 0, "std(keepdim=True)": 0, "std(0, 1)": 1,
    "std(0, ddof=1)": 1, "std(0, keepdims=True)": 0, "std(correction=1)": 1,
    "std(correction=2)": 2, "std(0, correction=1)": 1, "std(0, correction=0)": 0,
    "std(dim=0, correction=1, keepdim=True)": 1, "std(dim=None, correction=1)": 1,
    "var()": 0, "var(0)": 0, "var(axis=0)": 0, "var(0, 1, True)": 1,
    "var(dim=0)": 1, "var(dim=None)": 1, "var(0, keepdim=True)": 1,
    "var(correction=0)": 0, "var(correction=2)": 2,
}  # fmt: skip


@pytest.mark.parametrize("call", LESS)
def test_what_the_divisor_of_a_variance_is_less_by(mode, call):
    axis = 0 if "(0" in call or "=0," in call or "(dim=0)" in call or "axis" in call else None
    wanted = SMALL.var(axis, ddof=LESS[call], keepdims="True" in call)
    wanted = np.sqrt(wanted) if "std" in call else wanted
    found = eval(f"x.{call}", {"x": Tensor(SMALL)})
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-6)
    assert found.shape == wanted.shape


@pytest.mark.parametrize("given", [{"dim": 0}, {"correction": 1}, {"keepdim": True}])
@pytest.mark.parametrize("method", ["var", "std"])
def test_ddof_beside_the_other_names_is_refused(method, given):
    with pytest.raises(TypeError, match="'ddof' does not go with 'dim'"):
        getattr(Tensor(SMALL), method)(ddof=1, **given)
