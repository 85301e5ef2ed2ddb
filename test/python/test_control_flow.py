"""Branches and loops on tensors: the same numbers as plain Python, and derivatives through them.

Oracle of values: the same function run by Python on numbers. Oracle of derivatives: mpmath's numerical
differentiation of that function with 40 digits, which is exact here to far more than float64.
"""

import re

import mpmath as mp
import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops
from cellgrad.testing import check_grads

F64 = ms.float64


def tensor(value):
    return Tensor(np.asarray(value, np.float64))


# --- the same as Python -----------------------------------------------------------------------


def early_return(x):
    if x > 3:
        return x * 2
    return x - 1


def return_in_nested_branches(x):
    if x > 0:
        if x > 10:
            return x
        y = x + 1
        if x > 5:
            return y * 2
    else:
        y = -x
    return y * 3


def loop_with_break_and_else(x):
    for i in range(3):
        x = x + i
        if x > 2:
            break
    else:
        x = x * 10
    return x


def loop_with_continue(x):
    total = 0.0
    k = 0
    while k < 6:
        k += 1
        if (x + k) % 2 < 1:
            continue
        total = total + x * k
    return total


def boolean_operators(x):
    if (x < 0 and x > -5) or not x > -10:
        return -x
    return x if 0 < x < 1 else x * x


def collatz(x):
    steps = 0
    while True:
        if x == 1:
            return steps * 1.0
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps = steps + 1


def nested_loops(x):
    total = x * 0
    while x > 0:
        y = x
        while y > 1:
            y = y / 2
            if y < 1.1 and y > 1.0:
                break
            total = total + y
        x = x - 1
    return total


def while_else(x):
    while x < 10:
        x = x + 3
        if x == 7:
            break
    else:
        x = x + 0.5
    return x


def tuples_and_dicts(x):
    pair = (x, {"a": x * 2})
    while pair[0] < 5:
        pair = (pair[0] + pair[1]["a"], {"a": pair[1]["a"] + 1})
    return pair[0] + pair[1]["a"]


def closure(x):
    count = 0.0

    def bump(by):
        nonlocal count
        count = count + by

    while count < x:
        bump(1.5)
    if x > 2:
        bump(10.0)
    return count


def total_through_nested_loops(x):
    """An inner loop goes on with what the outer one carries, and its `else` changes it."""
    total = x * 0
    i = 0
    while i < x:
        j = 0
        while j < i:
            if j == 2:
                break
            total = total + j * x
            j = j + 1
        else:
            total = total + 100
        if total > 500:
            break
        i = i + 1
    return total


def carried_truth(x):
    """The condition alone reads a truth value that is carried between others."""
    done = False
    i = 0.0
    while not done:
        x = x * 0.5
        i = i + 1
        done = abs(x) < 0.1 or i >= 5
    return x + i


def while_else_return(x):
    i = 0
    while i < 4:
        if x * i > 2:
            return x * i
        i = i + 1
    else:
        return x - i


def parts_of_a_stack(x):
    """Each branch yields another part of the cotangent, or what is computed of it."""
    out = []
    for k in range(3):
        if x > k:
            y = x * k
        else:
            y = x - k
        out.append(y)
    return out[0] * out[1] + out[2] * out[0]


FUNCTIONS = [
    total_through_nested_loops,
    carried_truth,
    while_else_return,
    parts_of_a_stack,
    early_return,
    return_in_nested_branches,
    loop_with_break_and_else,
    loop_with_continue,
    boolean_operators,
    nested_loops,
    while_else,
    tuples_and_dicts,
    closure,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [-20.0, -4.0, -0.5, 0.25, 1.0, 2.5, 4.0, 6.0, 12.0])
def test_same_as_python(function, x):
    got = ms.jit(function)(tensor(x))
    np.testing.assert_allclose(got.asnumpy(), function(x), rtol=1e-14)


@pytest.mark.parametrize("n", [1, 7, 27])
def test_unbounded_loop(n):
    assert float(ms.jit(collatz)(tensor(n))) == collatz(float(n))


def test_range_over_tensors():
    @ms.jit
    def f(n, x):
        total = ops.zeros((2,), F64)
        for i in range(n):
            if i == 2:
                continue
            total = total + i * x
        for _ in range(n, 0, -2):
            total = total + 1
        return total

    for n in (0, 1, 3, 5):
        expected = sum(i for i in range(n) if i != 2) * np.array([1.0, 2.0])
        expected = expected + len(range(n, 0, -2))
        np.testing.assert_array_equal(f(Tensor(n), tensor([1.0, 2.0])).asnumpy(), expected)


# --- derivatives ------------------------------------------------------------------------------


def power_until(x, w):
    while x < 100:
        if x > 0:
            x = x * w
        else:
            x = x + w
    return x


def sine_chain(x, w):
    for _ in range(5):
        x = ops.sin(x * w) if isinstance(x, Tensor) else mp.sin(x * w)
    return x


def inner_loop_in_branch_in_loop(x, w):
    k = 0
    y = x * 1
    while k < 3:
        if y < 2:
            j = 0
            while j < k + 1:
                y = y * w + x
                j = j + 1
        else:
            y = y - x * w
        k = k + 1
    return y * y


@pytest.mark.parametrize(
    "function, point",
    [
        (power_until, (-2.5, 1.5)),
        (power_until, (0.7, 1.1)),
        (inner_loop_in_branch_in_loop, (0.3, 0.9)),
    ],
)
@pytest.mark.parametrize("orders", [(1, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 1)])
def test_derivatives_to_order_three(function, point, orders):
    mp.mp.dps = 40
    expected = float(mp.diff(function, point, orders))
    reverse = forward = function
    for position, count in enumerate(orders):
        for _ in range(count):
            reverse = ms.grad(reverse, position)

            def derivative(x, w, inner=forward, position=position):
                one, zero = ops.ones_like(x), ops.zeros_like(x)
                directions = (one, zero) if position == 0 else (zero, one)
                return ms.jvp(inner, (x, w), directions)[1]

            forward = derivative
    args = [tensor(v) for v in point]
    np.testing.assert_allclose(float(ms.jit(reverse)(*args)), expected, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(float(ms.jit(forward)(*args)), expected, rtol=1e-11, atol=1e-11)


def test_both_modes_agree_on_tensors():
    def f(x, w):
        total = ops.zeros_like(x)
        k = 0
        while ops.sum(x * x) < 50 and k < 20:
            x = ops.tanh(x @ w) * 1.5 + x
            if ops.sum(x) > 1:
                total = total + x
            else:
                total = total - ops.sin(x)
            k = k + 1
        return total

    rng = np.random.default_rng(0)
    args = (tensor(rng.normal(size=(3,))), tensor(rng.normal(size=(3, 3))))
    check_grads(f, args, order=2)


def test_branches_that_yield_parts_of_one_cotangent():
    def f(x, n):
        out = []
        for k in range(3):
            out.append(x * k if n > k else x - k)
        return ops.stack(out)[1:].sum()

    args = (tensor([1.0, 2.0]), Tensor(2))
    np.testing.assert_array_equal(ms.grad(f)(*args).asnumpy(), [2.0, 2.0])
    value = ms.jit(lambda x, n: ops.stack([x[0] if n > k else x[1] for k in range(3)]))(*args)
    np.testing.assert_array_equal(value.asnumpy(), [1.0, 1.0, 2.0])


def test_zero_trips_and_untouched_branch_have_zero_gradients():
    def f(x, w):
        while x < 0:
            x = x * w
        return x if x < 100 else ops.log(w - 5)

    gx, gw = ms.grad(f, (0, 1))(tensor(2.0), tensor(3.0))
    assert (float(gx), float(gw)) == (1.0, 0.0)


# --- state ------------------------------------------------------------------------------------


class Counting(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(tensor([2.0, 3.0]), name="w")
        self.n = Parameter(Tensor(0, ms.int32), name="n", requires_grad=False)

    def construct(self, x, k):
        while k > 0:
            x = x * self.w
            k = k - 1
            self.n += 1
        if ops.sum(x) > 50:
            self.n += 100
        else:
            self.n = self.n - 100
        return x


@pytest.mark.parametrize("compiled", [False, True])
def test_parameters_in_loops_and_branches(compiled):
    net = Counting()
    run = ms.jit(net) if compiled else net
    np.testing.assert_array_equal(run(tensor([1.0, 1.0]), Tensor(3)).asnumpy(), [8.0, 27.0])
    assert int(net.n.asnumpy()) == -97

    def loss(x, k):
        return net(x, k).sum()

    gx, (gw,) = ms.grad(loss, 0, net.trainable_params())(tensor([1.0, 1.0]), Tensor(3))
    np.testing.assert_array_equal(gx.asnumpy(), [8.0, 27.0])
    np.testing.assert_array_equal(gw.asnumpy(), [12.0, 27.0])
    assert int(net.n.asnumpy()) == -194


# --- errors -----------------------------------------------------------------------------------


def bound_in_one_branch(x):
    if x > 0:
        y = x
    return y


def bound_in_the_loop(x):
    while x > 0:
        y = x
        x = x - 1
    return y


def two_shapes(x):
    return x if ops.sum(x) > 0 else ops.concat((x, x), axis=-1)


def growing(x):
    while ops.sum(x) < 10:
        x = ops.concat((x, x), axis=-1)
    return x


def list_in_loop(x):
    out = []
    while ops.sum(x) < 10:
        x = x + 1
        out.append(x)
    return out


def several_elements(x):
    return x if x > 0 else -x


def missing_return(x):
    if ops.sum(x) > 0:
        return x


def different_structures(x):
    return (x, x) if ops.sum(x) > 0 else x


@pytest.mark.parametrize(
    "function, shape, kind, words",
    [
        (bound_in_one_branch, (), UnboundLocalError, "'y' may have no value here: only one branch"),
        (bound_in_the_loop, (), UnboundLocalError, "may make no trip"),
        (two_shapes, (2,), TypeError, "of shape \\[2\\] in one case and \\[4\\] in the other"),
        (growing, (2,), TypeError, "'x' changes from trip to trip"),
        (list_in_loop, (2,), TypeError, "'out' is changed in place"),
        (several_elements, (2,), ValueError, "more than one element is ambiguous"),
        (missing_return, (2,), TypeError, "returns a value only where a condition"),
        (different_structures, (2,), TypeError, "a tuple of 2 in one case"),
    ],
)
def test_errors_name_the_line(function, shape, kind, words):
    with pytest.raises(kind) as caught:
        ms.jit(function)(Tensor(np.ones(shape)))
    assert re.search(words, said(caught.value))
    assert f"{__file__}:" in str(caught.value)
    assert "hint: " in str(caught.value)


# --- vmap -------------------------------------------------------------------------------------


def choose(x, w):
    if x > 1:
        return ops.sqrt(x - 1) * w
    return x * x


def doubled_until(x, w):
    trips = 0
    while x < 10:
        x = x * w
        if x > 5:
            x = x + 1
        trips = trips + 1
    return x, trips


BATCH = [0.3, 1.7, 25.0, 4.0]


def test_vmap_of_branches_and_loops_is_the_function_on_each():
    xs, w = tensor(BATCH), tensor(1.5)
    got = ms.vmap(choose, (0, None))(xs, w).asnumpy()
    np.testing.assert_allclose(got, [float(choose(tensor(x), w)) for x in BATCH], rtol=1e-15)
    value, trips = ms.vmap(doubled_until, (0, None))(xs, w)
    expected = [doubled_until(x, 1.5) for x in BATCH]
    np.testing.assert_allclose(value.asnumpy(), [e[0] for e in expected], rtol=1e-14)
    np.testing.assert_array_equal(trips.asnumpy(), [e[1] for e in expected])


@pytest.mark.parametrize("function", [choose, lambda x, w: doubled_until(x, w)[0]])
def test_gradients_of_vmap(function):
    xs, w = tensor(BATCH), tensor(1.5)
    gx, gw = ms.grad(lambda x, w: ms.vmap(function, (0, None))(x, w).sum(), (0, 1))(xs, w)
    each = [ms.grad(function, (0, 1))(tensor(x), w) for x in BATCH]
    np.testing.assert_allclose(gx.asnumpy(), [float(g[0]) for g in each], rtol=1e-13)
    np.testing.assert_allclose(float(gw), sum(float(g[1]) for g in each), rtol=1e-13)


def test_vmap_of_gradients():
    xs, w = tensor(BATCH), tensor(1.5)
    got = ms.vmap(ms.grad(choose), (0, None))(xs, w)
    np.testing.assert_allclose(
        got.asnumpy(), [float(ms.grad(choose)(tensor(x), w)) for x in BATCH], rtol=1e-14
    )

    def cubes(x, n):
        for _ in range(n):
            x = ops.sin(x) * x
        return x

    n = Tensor(3)
    got = ms.vmap(ms.grad(cubes), (0, None))(xs, n)
    np.testing.assert_allclose(
        got.asnumpy(), [float(ms.grad(cubes)(tensor(x), n)) for x in BATCH], rtol=1e-13
    )


def test_vmap_of_a_loop_in_a_branch_ends():
    """The loop would not end for elements that do not take the branch: 0 and negative numbers."""

    def f(x, n):
        if x > 0:
            while x < 10:
                x = x * 2
        else:
            while n < 3:
                n = n + 1
                x = x - n
        return x * x

    xs, n = tensor([0.0, 1.5, -2.0, 11.0]), tensor(1.0)
    expected = [25.0, 144.0, 49.0, 121.0]
    np.testing.assert_array_equal(ms.vmap(f, (0, None))(xs, n).asnumpy(), expected)
    got = ms.vmap(ms.grad(f), (0, None))(xs, n).asnumpy()
    np.testing.assert_array_equal(got, [-10.0, 192.0, -14.0, 22.0])
    # No element of this batch has the branch whose loop would not end.
    np.testing.assert_array_equal(ms.vmap(f, (0, None))(tensor([-2.0, 0.0]), n), [49.0, 25.0])


def test_a_counted_loop_that_starts_from_what_it_reads():
    def f(x):
        for _ in range(Tensor(2)):
            y = x
            for _ in range(Tensor(4)):
                y = ops.tanh(x) + y
            x = y
        return x

    def expected(x):
        for _ in range(2):
            x = x + 4 * np.tanh(x)
        return x

    xs = np.array([0.5, -1.0, 2.0])
    np.testing.assert_allclose(ms.jit(f)(Tensor(xs)).asnumpy(), expected(xs), rtol=1e-14)
    slope = (expected(xs + 1e-6) - expected(xs - 1e-6)) / 2e-6
    got = ms.grad(lambda x: f(x).sum())(Tensor(xs)).asnumpy()
    np.testing.assert_allclose(got, slope, rtol=1e-8)


def grown(x, w):
    return doubled_until(x, w)[0]


@pytest.mark.parametrize(
    "derivative",
    [
        lambda f: ms.grad(f),
        lambda f: ms.grad(f, 1),
        lambda f: ms.grad(ms.grad(f, 1)),
        lambda f: ms.grad(ms.grad(ms.grad(f, 1), 1)),
        lambda f: lambda x, w: ms.jvp(ms.grad(f), (x, w), (x, w))[1],
        lambda f: lambda x, w: ms.vmap(ms.grad(f), (None, 0))(x, ops.stack([w, 2 * w])).sum(),
        lambda f: ms.grad(lambda x, w: ms.recompute(f, x, w), 1),
    ],
)
def test_vmap_of_gradients_of_loops_of_different_lengths(derivative):
    """Each element of the batch makes its own number of trips, one of them none."""
    xs, w = tensor(BATCH), tensor(1.5)
    trips = {int(doubled_until(tensor(x), w)[1]) for x in BATCH}
    assert len(trips) > 2
    got = ms.vmap(derivative(grown), (0, None))(xs, w)
    expected = [float(derivative(grown)(tensor(x), w)) for x in BATCH]
    np.testing.assert_allclose(got.asnumpy(), expected, rtol=1e-13)


def test_a_step_that_is_taken_or_not():
    """A carried tensor that a branch leaves as it is: an adaptive solver's rejected step."""

    def f(y, end):
        t, h = ops.zeros_like(end), 0.2 * end
        while t < end:
            new = y + h * y * y
            error = ops.amax(ops.abs(h * new))
            if error <= 0.3:
                y = new
                t = t + h
            h = h * ops.clamp(0.2 / (error + 1e-6), 0.2, 2.0)
        return ops.sum(y)

    def reference(y, end):
        t, h = 0.0, 0.2 * end
        while t < end:
            new = y + h * y * y
            error = np.abs(h * new).max()
            if error <= 0.3:
                y, t = new, t + h
            h = h * np.clip(0.2 / (error + 1e-6), 0.2, 2.0)
        return y.sum()

    y = np.array([1.0, 0.5, -0.7])
    np.testing.assert_allclose(
        float(ms.jit(f)(tensor(y), tensor(0.4))), reference(y, 0.4), rtol=1e-13
    )
    gradient = ms.grad(f)(tensor(y), tensor(0.4)).asnumpy()
    for i, g in enumerate(gradient):
        step = np.zeros(3)
        step[i] = 1e-6
        numeric = (reference(y + step, 0.4) - reference(y - step, 0.4)) / 2e-6
        np.testing.assert_allclose(g, numeric, rtol=1e-7)
