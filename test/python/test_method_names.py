"""Methods of Tensor under both of MindSpore's sets of argument names: (axis, keepdims) and (dim, keepdim).

The results are what MindSpore 2.10 prints for the same calls on X.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops

X = np.array([[3.0, 1.0, 2.0], [0.0, 5.0, 1.0]], np.float32)

WITH_POSITIONS: dict[str, Any] = {
    "max(0)": ([3, 5, 2], [0, 1, 0]),
    "max(-1)": ([3, 5], [0, 1]),
    "max(np.int64(1))": ([3, 5], [0, 1]),
    "max(0, True)": ([[3, 5, 2]], [[0, 1, 0]]),
    "max(dim=0)": ([3, 5, 2], [0, 1, 0]),
    "max(0, keepdim=True)": ([[3, 5, 2]], [[0, 1, 0]]),
    "max(axis=0, return_indices=True)": ([3, 5, 2], [0, 1, 0]),
    "min(0)": ([0, 1, 1], [1, 0, 1]),
    "min(dim=1, keepdim=True)": ([[1], [0]], [[1], [0]]),
    "median(dim=0)": ([0, 1, 1], [1, 0, 1]),
}

ALONE: dict[str, Any] = {
    "max()": 5,
    "max(None)": 5,
    "max((0, 1))": 5,
    "max(axis=0)": [3, 5, 2],
    "max(0, keepdims=True)": [[3, 5, 2]],
    "max(axis=0, keepdims=True)": [[3, 5, 2]],
    "max(axis=1, initial=4.0)": [4, 5],
    "min(axis=1)": [1, 0],
    "sum(0)": [3, 6, 3],
    "sum(0, True)": [[3, 6, 3]],
    "sum(dim=0)": [3, 6, 3],
    "sum(0, keepdim=True)": [[3, 6, 3]],
    "sum(axis=0, keepdims=True)": [[3, 6, 3]],
    "sum(axis=0, initial=2.0)": [5, 8, 5],
    "mean(dim=1, keepdim=True)": [[2], [2]],
    "mean(1, True)": [[2], [2]],
    "prod(dim=0)": [0, 5, 2],
    "std(dim=0)": [1.5, 2, 0.5],
    "std(dim=0, correction=1)": [4.5**0.5, 8**0.5, 0.5**0.5],
    "argmax(dim=0)": [0, 1, 0],
    "argmin(dim=1, keepdim=True)": [[1], [0]],
    "all(dim=0)": [False, True, True],
    "any(dim=1, keepdim=True)": [[True], [True]],
    "cumsum(dim=0)": [[3, 1, 2], [3, 6, 3]],
    "logsumexp(dim=0)": [3.04858732, 5.01814985, 2.31326127],
    "add(x, alpha=2)": [[9, 3, 6], [0, 15, 3]],
    "sub(1, alpha=3)": [[0, -2, -1], [-3, 2, -2]],
    "div(2, rounding_mode='floor')": [[1, 0, 1], [0, 2, 0]],
    "where(x > 1, other=-1.0)": [[3, -1, 2], [-1, 5, -1]],
    "unsqueeze(axis=0)": [[[3, 1, 2], [0, 5, 1]]],
    "to(Tensor([1]))": [[3, 1, 2], [0, 5, 1]],
    "to('CPU')": [[3, 1, 2], [0, 5, 1]],
}


def run(call: str) -> Any:
    x = Tensor(X)
    return eval("x." + call, {"x": x, "np": np, "Tensor": Tensor})


@pytest.mark.parametrize("call", WITH_POSITIONS)
def test_an_int_alone_asks_for_values_and_positions(call: str) -> None:
    values, positions = run(call)
    wanted = WITH_POSITIONS[call]
    assert values.dtype == ms.float32 and positions.dtype == ms.int64
    np.testing.assert_array_equal(values.asnumpy(), np.array(wanted[0], np.float32))
    np.testing.assert_array_equal(positions.asnumpy(), np.array(wanted[1]))


@pytest.mark.parametrize("call", ALONE)
def test_both_names_of_an_argument(call: str) -> None:
    got = run(call)
    assert isinstance(got, Tensor)
    wanted = np.array(ALONE[call])
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-6)


def test_compiled_and_differentiated() -> None:
    def f(x: Tensor) -> Tensor:
        values, positions = x.max(1)
        return (values * (positions + 1)).sum(dim=0)

    assert float(ms.jit(f)(Tensor(X))) == 13
    np.testing.assert_array_equal(ms.grad(f)(Tensor(X)).asnumpy(), [[1, 0, 0], [0, 2, 0]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("max(axis=0, dim=0)", "'axis' and 'dim' are two names of one argument"),
        ("sum(axis=0, dim=0)", "'axis' and 'dim' are two names of one argument"),
        ("min(size=1)", "For 'min', there is no argument 'size'"),
        ("sum(dim='a')", "For 'sum'"),
    ],
)
def test_mistakes(call: str, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        run(call)


def test_rounding_modes_of_div() -> None:
    a, b = Tensor([7, -7, 5]), Tensor([2, 2, -3])
    assert ops.div(a, b, rounding_mode="floor").asnumpy().tolist() == [3, -4, -2]
    trunc = ops.div(a, b, rounding_mode="trunc")
    assert trunc.dtype == ms.int64 and trunc.asnumpy().tolist() == [3, -3, -1]
    assert ops.div(a.float(), b, rounding_mode="trunc").asnumpy().tolist() == [3, -3, -1]
    x = Tensor([7.0, -7.0])
    slope = ms.grad(lambda x: ops.div(x, 2.0, rounding_mode="floor").sum())(x)
    assert slope.asnumpy().tolist() == [0, 0]
    assert x.div_(2, rounding_mode="trunc").asnumpy().tolist() == [3, -3]
    with pytest.raises(ValueError, match="must be None, 'floor' or 'trunc', but got 'up'"):
        ops.div(a, b, rounding_mode="up")


def test_a_tuple_in_an_index_is_a_list_of_indices() -> None:
    a = Tensor(np.arange(24.0).reshape(2, 3, 4))
    wanted = a.asnumpy()[:, (0, 2)]
    np.testing.assert_array_equal(a[:, (0, 2)].asnumpy(), wanted)
    np.testing.assert_array_equal(ms.jit(lambda a: a[:, (0, 2)])(a).asnumpy(), wanted)
