"""check_grads: on every differentiable op, and on derivatives that are wrong.

Further checks without differences: <J v, w> = <v, J'w>, and the symmetry of second derivatives.
"""

import json
from pathlib import Path

import numpy as np
import op_examples
import pytest

import cellgrad as ms
from cellgrad import Tensor, nn, ops
from cellgrad.testing import check_grads
from cellgrad.transforms.check_grads import TOLERANCES, _largest_errors

ROOT = Path(__file__).resolve().parents[2]

OPS = op_examples.differentiable()
CASES = [
    pytest.param(f, args, id=f"{op}-{i}" if i else op)
    for op in OPS
    for i, (f, args) in enumerate(op_examples.examples(op))
]
WITH_DTYPES = [
    pytest.param(op, dtype, id=f"{op}-{dtype}")
    for op in OPS
    for dtype in (ms.float16, ms.bfloat16, ms.float32, ms.float64)
    if op not in op_examples.WIDE or dtype in (ms.float32, ms.float64)
]


def tensors(args, dtype):
    return tuple(Tensor(a, dtype) for a in args)


@pytest.mark.parametrize("f, args", CASES)
def test_every_op(f, args):
    check_grads(f, tensors(args, ms.float64), order=2)


@pytest.mark.sweep
@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("op, dtype", WITH_DTYPES)
def test_every_op_dtype_and_order(op, dtype, order):
    for f, args in op_examples.examples(op):
        check_grads(f, tensors(args, dtype), order=order)


def inner(a, b):
    return sum(float((x.asnumpy() * y.asnumpy()).sum()) for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("f, args", CASES)
def test_forward_is_the_transpose_of_reverse(f, args):
    """<J v, w> = <v, J'w>, up to rounding."""
    rng, xs = np.random.default_rng(1), tensors(args, ms.float64)
    v = tensors([rng.normal(size=a.shape) for a in args], ms.float64)
    out, tangent = ms.jvp(f, xs, v)
    w = Tensor(rng.normal(size=out.shape), ms.float64)
    left, right = inner([tangent], [w]), inner(ms.vjp(f, *xs)[1](w), v)
    assert left == pytest.approx(right, rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("f, args", CASES)
def test_second_derivatives_are_symmetric(f, args):
    """<H u, v> = <H v, u>, with H u by forward over reverse, and by reverse over reverse."""
    rng, xs = np.random.default_rng(2), tensors(args, ms.float64)
    u, v = (tensors([rng.normal(size=a.shape) for a in args], ms.float64) for _ in range(2))
    w = Tensor(rng.normal(size=f(*xs).shape), ms.float64)
    gradient = lambda *x: ms.vjp(f, *x)[1](w)
    forward = lambda t: ms.jvp(gradient, xs, t)[1]
    reverse = ms.vjp(gradient, *xs)[1](*u)
    one, other = inner(forward(u), v), inner(forward(v), u)
    assert one == pytest.approx(other, rel=1e-9, abs=1e-10)
    assert inner(reverse, v) == pytest.approx(one, rel=1e-9, abs=1e-10)


def test_every_op_has_an_example():
    missing = [
        op
        for op in OPS
        if op not in op_examples.OTHERS
        and not next(r for r in op_examples.RECORDS if r["op"] == f"cell.{op}")["elementwise"]
    ]
    assert missing == [], "say in test/python/op_examples.py how to call them"


def test_recorded_errors():
    """Those that docs/op-status.md shows: of every op, and below the tolerance."""
    record = json.loads((ROOT / "tools" / "docs" / "derivative_errors.json").read_text())
    assert set(record) == set(OPS)
    assert all(len(e) == 3 and max(e) <= TOLERANCES["float64"] for e in record.values())
    f, args = next(iter(op_examples.examples("tanh")))
    errors = _largest_errors(f, tensors(args, ms.float64), 2)
    np.testing.assert_allclose(errors, record["tanh"][:2], rtol=0, atol=1e-10)
    wrong = _largest_errors(lambda x: x * ops.stop_gradient(x), (Tensor([1.0], ms.float64),), 1)
    assert wrong[0] > 0.1


def test_a_network():
    net = nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 1))
    check_grads(net, Tensor(np.random.default_rng(0).normal(size=(5, 3)), ms.float32), order=2)


def test_other_families():
    x = Tensor(np.random.default_rng(1).normal(size=(3, 4)), ms.float64)
    w = Tensor(np.random.default_rng(2).normal(size=(4, 2)), ms.float64)
    check_grads(lambda a, b: ops.matmul(a, b).sum(0) * 2, (x, w), order=3)
    check_grads(lambda a: ops.concat((a[1:] * a[:-1], a[::2]), 0).max(axis=0), x, order=2)
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
    for f, kind in ((lambda x: (x, x), "tuple"), (lambda x: x > 0, "Bool")):
        with pytest.raises(TypeError, match=f"must return a Tensor .* but it returns .*{kind}"):
            check_grads(f, Tensor(1.0))
