"""Training steps of random layers, statistics, losses and optimizers for any batch size; elements of a sample by their
places; sums of numbers of half precision."""

import sys
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import ops

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
import any_batch_layers


@pytest.mark.parametrize("seed", [0, 3, 100])
def test_random_steps(seed):
    any_batch_layers.check(seed, (5, 1, 139))


def test_a_maximum_is_among_the_values_that_it_is_of():
    """With time first, what a recurrent layer gives cannot be kept. Computed again for one sample, it had other
    last digits than the maximum that was kept: no element was the largest, and gradients were NaN."""
    any_batch_layers.check(61008, (5, 129))


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(200, 260))
def test_more_random_steps(seed):
    draw = any_batch_layers.random.Random(seed)
    any_batch_layers.check(seed, tuple(draw.sample(any_batch_layers.SIZES, 4)))


def _picked(x, i):
    return ops.gather_elements(x, 1, i)


def _put(x, i):
    return ops.tensor_scatter_elements(x, i, ops.tanh(x[:, :2]), axis=1, reduction="add")


def _middle(x, i):
    rows = x.reshape(-1, 4, 2)
    return ops.sort(rows, axis=1)[0] * ops.gather_elements(rows, 1, i.reshape(-1, 2, 2))[:, :1]


def _extrema(x, i):
    return ops.topk(x, 3)[0], ops.median(x, 1)[0], ops.max(x, 1)[0]


@pytest.mark.parametrize("function", [_picked, _put, _middle, _extrema])
def test_elements_of_a_sample_by_their_places(function):
    """Results have the bits of a program for the size, and derivatives are as near as roundings."""

    def slope(x, i):
        def loss(x):
            made = function(x, i)
            made = made if isinstance(made, tuple) else (made,)
            return sum([(part * part).sum() for part in made])

        return function(x, i), ms.grad(loss)(x)

    any_batch, state = ms.jit(slope, dynamic_batch=True), np.random.default_rng(0)
    for n in (3, 1, 7, 133):
        x = ms.Tensor(state.standard_normal((n, 8)).astype(np.float32))
        i = ms.Tensor(state.integers(0, 4, (n, 4) if function is _middle else (n, 2)), ms.int32)
        (made, by_x), (expected, expected_by_x) = any_batch(x, i), ms.jit(slope)(x, i)
        if not isinstance(made, tuple):
            made, expected = (made,), (expected,)
        for a, b in zip(made, expected, strict=True):
            np.testing.assert_array_equal(a.asnumpy(), b.asnumpy(), f"{n}")
        np.testing.assert_allclose(by_x.asnumpy(), expected_by_x.asnumpy(), 1e-6, 1e-6)


@pytest.mark.parametrize(
    ("dtype", "n", "number"), [(ms.bfloat16, 100_000, 1.0), (ms.float16, 60_000, 0.3)]
)
def test_sums_of_half_precision_do_not_stand_still(dtype, n, number):
    """A sum of 256 equal tiles of bfloat16 stays as it is when another is added: 32,768 of 100,000 ones. Tiles are
    added in float32."""

    def products(x):
        return ops.matmul(x.transpose(1, 0), x), x.sum(axis=0)

    any_batch = ms.jit(products, dynamic_batch=True)
    any_batch(ops.ones((5, 3), dtype))
    of_products, of_numbers = any_batch(ops.full((n, 3), number, dtype=dtype))
    for found, wanted in ((of_products, n * number**2), (of_numbers, n * number)):
        expected = np.full(found.shape, wanted, np.float32)
        np.testing.assert_allclose(found.astype(ms.float32).asnumpy(), expected, 4e-3)


def test_samples_behind_others_of_their_time_are_not_kept():
    """Rows of a product have time first, then the batch: behind a sum over the batch they are computed again, as those
    of a tile are not next to each other. Tiles that add nothing up overlap, and would read rows of another tile."""
    w = ms.Tensor(np.random.default_rng(1).standard_normal((4, 4)))

    def centred(x):
        rows = ops.tanh(ops.matmul(x.transpose(1, 0, 2).reshape(-1, 4), w))
        mean = ops.matmul(rows.reshape(3, -1, 4).sum(axis=(0, 1)), w) / x.shape[0]
        return ((rows - mean) ** 3).reshape(3, -1, 4).transpose(1, 0, 2)

    any_batch, state = ms.jit(centred, dynamic_batch=True), np.random.default_rng(0)
    for n in (5, 139, 300, 7, 19):
        x = ms.Tensor(state.standard_normal((n, 3, 4)))
        found, wanted = any_batch(x), ms.jit(centred)(x)
        np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), 1e-11, 1e-11)
