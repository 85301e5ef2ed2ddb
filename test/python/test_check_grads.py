"""check_grads: on every differentiable elementwise op, and on derivatives that are wrong."""

import json
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, nn, ops
from cellgrad.testing import check_grads

RECORDS = json.loads(
    (Path(__file__).resolve().parents[2] / "build" / "dialect" / "ops.json").read_text()
)
# Points where all are smooth: inside the domains of log, sqrt, atanh and acosh at once is not
# possible, so acosh gets its own.
POINTS = {1: np.array([0.3, 0.55, 0.8]), 2: np.array([0.7, 0.45, 0.6])}
ELSEWHERE = {"cell.acosh": 1.5}
NAMES = {"cell.trunc_mod": "truncate_mod"}  # where the function has MindSpore's name
SMOOTH = [
    r
    for r in RECORDS
    if r["derivative"] not in ("zero", "none")
    and "bool" not in r["operands"]
    and r["op"] != "cell.guard"  # not a function of Python: differentiation puts it in
]


def apply(record, dtype):
    """The op as a function, and where to test it."""
    name = NAMES.get(record["op"], record["op"].removeprefix("cell."))
    function = getattr(ops, name)
    shift = ELSEWHERE.get(record["op"], 0)
    count = len(record["operands"])
    return function, tuple(Tensor(POINTS[i + 1] + shift, dtype) for i in range(count))


@pytest.mark.parametrize("record", SMOOTH, ids=lambda r: r["op"])
def test_elementwise_ops(record):
    function, args = apply(record, ms.float64)
    check_grads(function, args, order=2)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", [ms.float32, ms.float64], ids=str)
@pytest.mark.parametrize("record", SMOOTH, ids=lambda r: r["op"])
def test_elementwise_ops_to_order_three(record, dtype):
    function, args = apply(record, dtype)
    check_grads(function, args, order=3)


def test_a_network():
    net = nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 1))
    check_grads(net, Tensor(np.random.default_rng(0).normal(size=(5, 3)), ms.float32), order=2)


def test_other_families():
    x = Tensor(np.random.default_rng(1).normal(size=(3, 4)), ms.float64)
    w = Tensor(np.random.default_rng(2).normal(size=(4, 2)), ms.float64)
    check_grads(lambda a, b: ops.matmul(a, b).sum(0) * 2, (x, w), order=3)
    check_grads(lambda a: ops.concat((a[1:] * a[:-1], a[::2]), 0).max(0), x, order=2)
    check_grads(lambda a: ops.mean(a.T * a.T, 0).reshape(3, 1) * a, x, order=2)


@pytest.mark.parametrize("modes", [("fwd",), ("rev",)])
def test_a_wrong_first_derivative_is_refused(modes):
    def half(x):
        return x * ops.stop_gradient(x)

    with pytest.raises(AssertionError, match=f"the derivative {modes[0]} is"):
        check_grads(half, Tensor([1.0, 2.0]), order=1, modes=modes)


def test_a_wrong_second_derivative_is_refused():
    """Right at first order: the derivative of x*x*sg(x) + x*sg(x)*sg(x) is not 3x^2, but this is."""

    def cube(x):
        s = ops.stop_gradient(x)
        return s * s * s + 3 * s * s * (x - s)

    check_grads(cube, Tensor([1.0, 2.0], ms.float64), order=1)
    with pytest.raises(AssertionError, match="of fwd is"):
        check_grads(cube, Tensor([1.0, 2.0], ms.float64), order=2)


def test_bad_arguments():
    with pytest.raises(ValueError, match="order must be at least 1"):
        check_grads(ops.sin, Tensor(1.0), order=0)
    with pytest.raises(ValueError, match="some of 'fwd' and 'rev'"):
        check_grads(ops.sin, Tensor(1.0), modes=("back",))
    with pytest.raises(TypeError, match="must be Tensors"):
        check_grads(ops.sin, 1.0)
