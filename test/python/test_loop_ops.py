"""`ops.WhileLoop`, `ops.ForiLoop`, `ops.Scan`: values against loops of Python, also where those are
MindSpore's examples; programs that do not grow with the trips; derivatives; mistakes."""

import re
from pathlib import Path

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops
from cellgrad.interop import mlir
from cellgrad.testing import check_grads

while_loop, fori_loop, scan = ops.WhileLoop(), ops.ForiLoop(), ops.Scan()


def number(x):
    return np.asarray(x.asnumpy() if isinstance(x, Tensor) else x)


def test_examples_of_mindspore():
    def add_one(value):
        return value + 1

    def cumsum(index, value):
        return index + value

    def running(value, el):
        value = value + el
        return value, value

    for run in (lambda f: f, ms.jit):
        assert number(run(lambda: while_loop(lambda x: x < 100, add_one, 10))()) == 100
        assert number(run(lambda: fori_loop(0, 4, cumsum, 0))()) == 6
        last, sums = run(lambda: scan(running, 0, [1, 2, 3, 4]))()
        assert number(last) == 10
        assert [int(number(s)) for s in sums] == [1, 3, 6, 10]


def same_everywhere(f, *args):
    """Runs a function as Python and compiled; both must agree with each other."""
    plain, compiled = f(*args), ms.jit(f)(*args)
    for a, b in zip(leaves(plain), leaves(compiled), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
    return compiled


def leaves(value):
    if isinstance(value, Tensor | int | float):
        return [number(value)]
    return [x for v in (value.values() if isinstance(value, dict) else value) for x in leaves(v)]


def test_nested_values():
    x = Tensor([1.0, 2.0])

    def grow(v):
        return {"n": v["n"] + 1, "x": (v["x"][0] * 1.5, [v["x"][1][0] + v["x"][0]])}

    def f(x):
        return while_loop(lambda v: v["n"] < 4, grow, {"n": 0, "x": (x, [x * 0])})

    found = same_everywhere(f, x)
    np.testing.assert_allclose(number(found["x"][0]), [1.5**4, 2 * 1.5**4])

    def pairs(x):
        return scan(
            lambda c, p: (c + p[0] * p[1], {"sum": c, "one": p[1]}), x, [(x, 1.0), (x * 2, 2.0)]
        )

    carry, results = same_everywhere(pairs, x)
    np.testing.assert_allclose(number(carry), [6, 12])
    assert len(results) == 2 and set(results[0]) == {"sum", "one"}


def test_scan_of_a_tensor_and_of_none():
    x = Tensor(np.arange(12.0).reshape(4, 3), ms.float32)

    def sums(x):
        return scan(lambda c, row: (c + row, (c + row, row.sum())), ops.zeros(3, ms.float32), x)

    carry, (rows, totals) = same_everywhere(sums, x)
    np.testing.assert_array_equal(number(rows), np.cumsum(x.asnumpy(), 0))
    np.testing.assert_array_equal(number(totals), x.asnumpy().sum(1))
    np.testing.assert_array_equal(number(carry), x.asnumpy().sum(0))
    carry, powers = same_everywhere(
        lambda x: scan(lambda c, _: (c * 2, c), x, None, 5), Tensor(1.0)
    )
    assert [float(p) for p in powers] == [1, 2, 4, 8, 16] and float(carry) == 32
    for f in (lambda v: v, ms.jit):
        assert f(lambda x: scan(lambda c, e: (c, e), x, []))(Tensor(2.0))[1] == []


def test_a_carry_that_becomes_wider():
    """A number takes the dtype that it has after a trip, in the results as well."""
    carry, seen = ms.jit(lambda x: scan(lambda c, e: (c + e, c), 0, x))(Tensor([0.5, 0.25]))
    assert float(carry) == 0.75
    np.testing.assert_array_equal(number(seen), [0, 0.5])


@pytest.mark.parametrize("bounds, wanted", [((0, 0), 7), ((3, 1), 7), ((2, 5), 7 + 2 + 3 + 4)])
def test_bounds(bounds, wanted):
    def f(a, b):
        return fori_loop(a, b, lambda i, v: v + i, Tensor(7))

    assert int(f(*bounds)) == int(ms.jit(f)(*bounds)) == wanted
    assert int(ms.jit(f)(*map(Tensor, bounds))) == wanted


def test_parameters_are_read_and_variables_around_written():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(2.0), name="w")

        def construct(self, x):
            return ops.ForiLoop()(0, 3, lambda i, v: v * self.w, x)

    net = Net()
    assert float(net(Tensor(1.5))) == 12
    assert float(ms.grad(net, None, net.trainable_params())(Tensor(1.5))[0]) == 1.5 * 3 * 4


def ops_of(function, x, folder):
    name = str(folder / "program")
    ms.export(function, x, file_name=name, file_format="MLIR", value_and_grad=False)
    return re.findall(r"= ([a-z]+\.[a-z_]+)", Path(name + ".mlir").read_text())


@pytest.mark.parametrize("unroll", [True, False])
def test_the_program_does_not_grow(unroll, tmp_path):
    def counted(n):
        return lambda x: ops.ForiLoop()(0, n, lambda i, v: ops.sin(v) + i, x, unroll)

    few, many = (ops_of(counted(n), Tensor(1.0), tmp_path) for n in (2, 10_000))
    assert few == many and many.count("scf.while") == 1 and many.count("cell.sin") == 1

    def scanned(x):
        return ops.Scan()(
            lambda c, e: (ops.sin(c + e), c), ops.zeros((), ms.float32), x, None, unroll
        )

    few, many = (ops_of(scanned, Tensor(np.ones(n), ms.float32), tmp_path) for n in (2, 10_000))
    assert few == many and many.count("scf.while") == 1 and many.count("cell.sin") == 1


def test_derivatives_in_both_modes():
    a, x = Tensor(np.array([0.4, 0.7])), Tensor(np.array([[0.3, 0.2], [0.5, -0.1], [0.9, 1.1]]))

    def newton(a):
        return while_loop(
            lambda v: v[0] < 5, lambda v: (v[0] + 1, 0.5 * (v[1] + a / v[1])), (0, a)
        )[1]

    check_grads(lambda a: ops.sum(newton(a)), (a,), order=2)
    check_grads(
        lambda a: ops.sum(fori_loop(0, 4, lambda i, v: ops.sin(v * a) + i, a)), (a,), order=2
    )

    def recurrence(a, x):
        carry, kept = scan(lambda c, e: (ops.tanh(c * e + a), (c * c, ops.sum(e * c))), a, x)
        return ops.sum(carry) + ops.sum(kept[0]) + ops.sum(ops.square(kept[1]))

    check_grads(recurrence, (a, x), order=2)


def test_against_numpy_in_a_gradient():
    """d/dx of x -> x^(2^n) by repeated squaring is 2^n x^(2^n - 1)."""
    x = np.array([0.9, 1.1])
    found = ms.grad(lambda x: ops.sum(fori_loop(0, 5, lambda i, v: v * v, x)))(Tensor(x))
    np.testing.assert_allclose(number(found), 32 * x**31, rtol=1e-13)


@pytest.mark.parametrize(
    "kind, words, call",
    [
        (TypeError, "'cond_func' must be a function", lambda x: while_loop(True, ops.sin, x)),
        (TypeError, "'loop_func' must be a function", lambda x: fori_loop(0, 3, x, x)),
        (TypeError, "'lower' must be an int or a Tensor", lambda x: fori_loop(0.5, 3, ops.add, x)),
        (TypeError, "'unroll' must be a bool", lambda x: fori_loop(0, 3, ops.add, x, 1)),
        (TypeError, "'xs' must be a list", lambda x: scan(ops.add, x, 3.0)),
        (TypeError, "'length' must be an int", lambda x: scan(ops.add, x, None)),
        (ValueError, "a dimension to go along", lambda x: scan(ops.add, x, x.sum())),
        (ValueError, "a tuple (carry, result)", lambda x: scan(lambda c, e: c, x, [1, 2])),
    ],
)
def test_mistakes_are_named(kind, words, call):
    for f in (call, ms.jit(call)):
        with pytest.raises(kind) as caught:
            f(Tensor([1.0, 2.0]))
        assert words in said(caught.value)


@pytest.mark.parametrize(
    "words, call",
    [
        (
            "of shape [2] in one case and [4] in the other",
            lambda x: fori_loop(0, 3, lambda i, v: ops.concat((v, v)), x),
        ),
        (
            "of shape [2] in one case and [] in the other",
            lambda x: while_loop(lambda v: v.sum() < 9, lambda v: v.sum(), x),
        ),
        ("a tuple of 2", lambda x: fori_loop(0, 3, lambda i, v: (v, v), x)),
        (
            "of shape [2] in one case and [4] in the other",
            lambda x: scan(lambda c, e: (ops.concat((c, c)), e), x, [1, 2]),
        ),
        ("must have one structure", lambda x: scan(lambda c, e: (c, e), x, [x, x.sum()])),
    ],
)
@pytest.mark.parametrize("mode", [ms.jit, lambda f: f], ids=["compiled", "eager"])
def test_shapes_that_change_are_refused(mode, words, call):
    """In both modes, so that what runs outside of compiled code also compiles."""
    with pytest.raises(ValueError) as caught:
        mode(call)(Tensor([1.0, 2.0]))
    assert words in said(caught.value)
    assert "test_loop_ops.py" in str(caught.value)


def test_batches():
    """Under vmap each element of the batch makes its own number of trips."""

    def doubled(x, n):
        return fori_loop(0, n, lambda i, v: v * 2, x)

    found = ms.vmap(doubled)(Tensor([1.0, 3.0, 5.0]), Tensor([1, 2, 5]))
    np.testing.assert_array_equal(number(found), [2, 12, 160])
    net = nn.LSTM(2, 3, 2, bidirectional=True)
    x = Tensor(np.random.default_rng(0).standard_normal((4, 5, 3, 2)), ms.float32)
    one_by_one = np.stack([net(row)[0].asnumpy() for row in x])
    mapped = ms.vmap(lambda row: net(row)[0])(x)
    np.testing.assert_allclose(number(mapped), one_by_one, rtol=1e-6, atol=1e-7)


# --- for statements over the rows of a tensor ---------------------------------------------------

ROWS = Tensor(np.random.default_rng(3).uniform(0.5, 1.5, (300, 3)), ms.float32)


def recurrence(x):
    s = x
    for row in ROWS:
        d = row * s
        if row.sum() > 3:
            s = s - (d.sum() - 3) * 0.01
        for _ in range(2):
            s = s + ops.tanh(d) * 0.01
    return s + d + row  # variables of a trip have their last values


def collected(x):
    out = []
    for row in ROWS[:40]:
        out.append(row * x)
    return ops.stack(out)


def counted(x):
    n = 0
    for row in ROWS[:40]:
        n = n + 1
        x = x + row * n
    return x * n


def widened(x):
    y = x.astype(ms.float16)
    for row in ROWS[:40]:
        y = y + row
    return y


def longer(x):
    for row in ROWS[:40]:
        x = ops.concat([x, row])
    return x


@pytest.mark.parametrize(
    "function, most", [(recurrence, 130), (collected, 0), (counted, 0), (widened, 0), (longer, 0)]
)
def test_rows_are_gone_over_in_a_loop_where_only_elements_change(function, most):
    """Against the same statements outside of compiled code; others are copied for each row."""
    x = Tensor([1.0, 2.0, 3.0])
    got, wanted = ms.jit(function)(x), function(x)
    assert got.dtype is wanted.dtype
    np.testing.assert_allclose(number(got), number(wanted), rtol=1e-5)
    lines = len(mlir.text(function, x).splitlines())
    assert lines <= most if most else lines > 130


def test_derivatives_of_loops_over_rows():
    check_grads(recurrence, (Tensor([0.1, 0.2, 0.3], ms.float64),), order=1)
    batch = Tensor([[1.0, 2.0, 3.0], [0.1, 0.2, 0.3]])
    mapped = ms.vmap(recurrence)(batch)
    one_by_one = np.stack([number(recurrence(row)) for row in batch])
    np.testing.assert_allclose(number(mapped), one_by_one, rtol=1e-5)


def test_rows_of_a_surrounding_tensor_are_read_at_each_call():
    rows = Tensor(np.ones((64, 1), np.float32))

    @ms.jit
    def f(x):
        for row in rows:
            x = x + row
        return x

    assert number(f(Tensor([1.0])))[0] == 65
    rows.asnumpy()[...] = 2
    assert number(f(Tensor([1.0])))[0] == 129


def suppressed(boxes, threshold):
    """Boxes by their scores, and those that no kept one before overlaps by more."""
    boxes = boxes[np.argsort(-boxes[:, 4], kind="stable")]
    x0, y0, x1, y1 = boxes[:, :4].T
    area, keep = (x1 - x0) * (y1 - y0), np.ones(len(boxes), bool)
    for i in np.arange(len(boxes)):
        width = np.maximum(np.minimum(x1, x1[i]) - np.maximum(x0, x0[i]), 0)
        shared = width * np.maximum(np.minimum(y1, y1[i]) - np.maximum(y0, y0[i]), 0)
        close = shared > threshold * (area + area[i] - shared)
        keep[i + 1 :] &= ~(keep[i] & close[i + 1 :])
    return boxes, keep


@pytest.mark.parametrize("count", [0, 1, 2000])
def test_suppression_of_boxes_is_a_loop(count):
    rng = np.random.default_rng(count)
    boxes = rng.integers(1, 100, (count, 5)).astype(np.float32)
    boxes[:, 2:4] += boxes[:, :2]
    boxes[:, 4] = rng.permutation(count)
    ordered, numbers, keep = ops.NMSWithMask(0.375)(Tensor(boxes))
    expected, kept = suppressed(boxes, 0.375)
    np.testing.assert_array_equal(ordered.asnumpy(), expected)
    np.testing.assert_array_equal(numbers.asnumpy(), np.arange(count))
    np.testing.assert_array_equal(keep.asnumpy(), kept)
