"""Gradients of weights that each trip of a loop multiplies by: one product behind the loop, in exact numbers."""

import itertools

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, ops

STEPS = 6


def recurrence(xs, h, w, v):
    """The sum of all states of h' = (h + x) W - (h + x) V + x; W is by input, V by output."""

    def step(t, carried):
        h, total = carried
        y = h + xs[t]
        h = ops.matmul(y, w) - ops.matmul(y, ops.transpose(v, (1, 0))) + xs[t]
        return h, total + h

    return ops.ForiLoop()(0, STEPS, step, (h, ops.zeros_like(h)))[1].sum()


def by_hand(xs, h, w, v):
    """The same and its gradients, backwards over the steps."""
    ys = []
    total = 0
    for x in xs:
        ys.append(h + x)
        h = ys[-1] @ w - ys[-1] @ v.T + x
        total += h.sum()
    by_h, by_w, by_v, by_xs = np.zeros_like(h), 0, 0, []
    for y in reversed(ys):
        by_h = by_h + 1
        by_w, by_v = by_w + y.T @ by_h, by_v - by_h.T @ y
        slope = by_h @ w.T - by_h @ v
        by_xs.append(slope + by_h)
        by_h = slope
    return total, (np.stack(by_xs[::-1]), by_h, by_w, by_v)


# Rows below and above those from which on a product stays in its trip, and widths on both sides of a vector.
@pytest.mark.parametrize("dtype", [ms.float32, ms.float64])
@pytest.mark.parametrize("batch, width", [*itertools.product((1, 3, 8, 16, 17), (5, 16, 40))])
def test_sums_of_products(batch, width, dtype):
    draw = np.random.default_rng(batch * 100 + width)
    xs = draw.integers(-1, 2, (STEPS, batch, width)).astype(float)
    h = draw.integers(-1, 2, (batch, width)).astype(float)
    # A permutation with signs and a single one: numbers stay small, and so exact.
    w = np.eye(width)[draw.permutation(width)] * draw.choice([-1, 1], width)
    v = np.zeros((width, width))
    v[width // 2, width // 3] = 1
    given = [Tensor(a, dtype) for a in (xs, h, w, v)]
    value, slopes = ms.value_and_grad(recurrence, (0, 1, 2, 3))(*given)
    want, wanted = by_hand(xs, h, w, v)
    assert value.asnumpy() == want
    for slope, expected in zip(slopes, wanted, strict=True):
        np.testing.assert_array_equal(slope.asnumpy(), expected)


@pytest.mark.parametrize("batch", [1, 3])
def test_loops_of_loops(batch):
    """The inner loop goes on from the sum of the outer one."""
    draw = np.random.default_rng(batch)
    xs = draw.integers(-1, 2, (3, STEPS, batch, 16)).astype(float)
    h = draw.integers(-1, 2, (batch, 16)).astype(float)
    w = np.eye(16)[draw.permutation(16)]
    v = np.zeros((16, 16))
    given = [Tensor(a) for a in (xs, h, w, v)]

    def all_of_them(xs, h, w, v):
        def outer(t, total):
            return total + recurrence(xs[t], h, w, v)

        return ops.ForiLoop()(0, 3, outer, ops.zeros((), h.dtype))

    value, slopes = ms.value_and_grad(all_of_them, (2, 3))(*given)
    parts = [by_hand(x, h, w, v) for x in xs]
    assert value.asnumpy() == sum(total for total, _ in parts)
    for k, slope in enumerate(slopes):
        np.testing.assert_array_equal(slope.asnumpy(), sum(own[2 + k] for _, own in parts))


@pytest.mark.parametrize("batch", [1, 4, 16])
def test_second_derivatives(batch):
    """By W, of the product of the gradient by W with a direction."""
    draw = np.random.default_rng(batch)
    xs, h = draw.uniform(-1, 1, (STEPS, batch, 16)), draw.uniform(-1, 1, (batch, 16))
    w, v, direction = (draw.uniform(-0.2, 0.2, (16, 16)) for _ in range(3))

    def along(w):
        slope = ms.grad(recurrence, 2)(Tensor(xs), Tensor(h), w, Tensor(v))
        return (slope * Tensor(direction)).sum()

    got = ms.grad(along)(Tensor(w)).asnumpy()
    step = 1e-5
    plus, minus = (by_hand(xs, h, w + s * direction, v)[1][2] for s in (step, -step))
    np.testing.assert_allclose(got, (plus - minus) / (2 * step), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("inside", ["branch", "loop"])
def test_loops_that_do_not_only_add(inside):
    """What a region inside a trip adds to may be left out, or changed afterwards: the rest is added behind the loop."""

    def trip(s, x, take):
        if inside == "loop":
            return ops.ForiLoop()(0, 2, lambda i, y: s + y * 0.5, x)
        return s + x if take > 0 else x

    @ms.jit
    def total(x, rest, take):
        step = lambda t, s: ops.tanh(trip(s, x, take))
        return ops.ForiLoop()(0, 3, step, ops.zeros_like(x)) + rest

    x, rest = np.array([0.5, -1.0, 2.0]), np.array([1.0, 2.0, 3.0])
    for take in (1.0, -1.0):
        s = np.zeros(3)
        for _ in range(3):
            within = s + (s + x * 0.5) * 0.5 if inside == "loop" else s + x
            s = np.tanh(within if inside == "loop" or take > 0 else x)
        got = total(Tensor(x), Tensor(rest), Tensor(take, ms.float64)).asnumpy()
        np.testing.assert_allclose(got, s + rest, rtol=1e-14)
