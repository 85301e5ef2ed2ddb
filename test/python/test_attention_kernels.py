"""Scores of attention that are never there as a whole, beside formulas in float64 numpy: values, gradients, memory."""

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Tensor, _native, ops

HEADS, WIDTH = 8, 16


@pytest.fixture(autouse=True)
def own_threads():
    yield
    _native.set_num_threads(0)


def loss(axis):
    def of(q, k, v, t):
        weights = ops.softmax(ops.matmul(q, ops.transpose(k, (0, 2, 1))), axis)
        return ops.sum(ops.matmul(weights, v) * t)

    return of


def formula(axis, q, k, v, t):
    """The loss, and its gradient by q, k and v."""
    q, k, v, t = (x.astype(np.float64) for x in (q, k, v, t))
    scores = q @ k.transpose(0, 2, 1)
    e = np.exp(scores - scores.max(axis, keepdims=True))
    weights = e / e.sum(axis, keepdims=True)
    by_weights = t @ v.transpose(0, 2, 1)
    by_scores = weights * (by_weights - (weights * by_weights).sum(axis, keepdims=True))
    gradients = by_scores @ k, by_scores.transpose(0, 2, 1) @ q, weights.transpose(0, 2, 1) @ t
    return ((weights @ v) * t).sum(), gradients


def drawn(queries, keys):
    random = np.random.default_rng(queries + keys)
    shapes = [(HEADS, n, WIDTH) for n in (queries, keys, keys, queries)]
    return [random.standard_normal(shape).astype(np.float32) / 2 for shape in shapes]


# Tiles of the scores without a rest and with one; sums along columns, which no tile of rows has as a whole.
@pytest.mark.parametrize(
    "queries, keys, axis", [(256, 512, -1), (333, 250, -1), (1024, 272, 1), (65, 2048, -1)]
)
def test_values_and_gradients(queries, keys, axis):
    given = drawn(queries, keys)
    value, gradients = formula(axis, *given)
    step = ms.value_and_grad(loss(axis), (0, 1, 2))
    results = []
    for threads in (1, 2, 5):
        _native.set_num_threads(threads)
        out, by = step(*map(Tensor, given))
        results.append([out.asnumpy(), *(x.asnumpy() for x in by)])
    np.testing.assert_allclose(results[0][0], value, rtol=0, atol=1e-5)
    for ours, theirs in zip(results[0][1:], gradients, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1.5e-6 * np.abs(theirs).max())
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_no_scores_in_memory():
    """Of 1,024 tokens a head has 4 MiB of scores; a tile of 32 rows has 128 KiB."""
    tokens = 1024
    given = [Tensor(x) for x in drawn(tokens, tokens)]
    report = ms.memory_report(ms.value_and_grad(loss(-1), (0, 1, 2)), *given)
    assert report.peak < 4 * tokens * tokens * HEADS / 4, report
