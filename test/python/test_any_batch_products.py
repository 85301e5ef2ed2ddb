"""Products that sum over a batch of any size: gradients of dense layers, exact."""

import sys
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import nn, ops

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
import any_batch_products


@pytest.mark.parametrize("seed", [0, 3, 5, 8])
def test_random_layers(seed):
    any_batch_products.check(seed, (5, 1, 9, 64, 65, 300, 1024, 1025))


@pytest.mark.parametrize("seed", range(9))
def test_files_in_guarded_memory(seed):
    any_batch_products.check_file(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(200, 260))
def test_more_random_layers(seed):
    draw = any_batch_products.random.Random(seed)
    sizes = draw.sample(any_batch_products.SIZES + any_batch_products.LARGE, 6)
    any_batch_products.check(seed, tuple(sizes))
    any_batch_products.check_file(seed)


def test_gradients_have_the_bits_of_a_step_for_the_size():
    """Up to 64 rows are added up in one chain, as in a program for the size."""
    net = nn.SequentialCell(nn.Dense(40, 70), nn.Tanh(), nn.Dense(70, 33))

    def loss(x, y):
        return ops.mean(ops.square(net(x) - y))

    weights = [p for p in net.trainable_params() if p.name.endswith("weight")]
    gradient = ms.grad(loss, None, weights)
    any_batch, fixed = ms.jit(gradient, dynamic_batch=True), ms.jit(gradient)
    state = np.random.default_rng(0)
    for n in (6, 2, 10, 20, 30, 46, 62):  # no tile of one sample
        x = ms.Tensor(state.standard_normal((n, 40)).astype(np.float32))
        y = ms.Tensor(state.standard_normal((n, 33)).astype(np.float32))
        for a, b in zip(any_batch(x, y), fixed(x, y), strict=True):
            np.testing.assert_array_equal(a.asnumpy(), b.asnumpy(), f"batch {n}")


@pytest.mark.parametrize("samples", [65520, 65521, 70001])
def test_products_of_inputs_alone_have_any_number_of_rows(samples):
    """Nothing is kept for these, so there is no other program for large batches; 65521 stands in for the batch."""
    product = ms.jit(lambda x, y: ops.matmul(x.T, y), dynamic_batch=True)
    state = np.random.default_rng(0)
    for n in (3, samples):
        x, y = (state.integers(-1, 2, (n, width)) for width in (40, 17))
        found = product(ms.Tensor(x.astype(np.float32)), ms.Tensor(y.astype(np.float32)))
        np.testing.assert_array_equal(found.asnumpy(), x.T @ y)


# Products between each other, of weights that the program computes, and results that are nothing but products.
LAYERS = {
    "alone": lambda x, w, v: ops.matmul(x, w.T),
    "twice": lambda x, w, v: (ops.matmul(x, w.T), ops.matmul(x, w.T)),
    "input": lambda x, w, v: (x, ops.matmul(x, w.T)),
    "chain": lambda x, w, v: ops.matmul(ops.matmul(x, w.T), v),
    "chain of computed": lambda x, w, v: ops.matmul(ops.matmul(x, ops.abs(w).T), v + 1),
    "both": lambda x, w, v: (lambda y: (y, ops.matmul(y, v)))(ops.matmul(x, w.T)),
    "doubled": lambda x, w, v: (ops.matmul(x + x, w.T), ops.matmul(x + x, w.T * 2)),
    "reshaped": lambda x, w, v: ops.matmul(ops.abs(x), w.reshape(8, 10, 64).reshape(80, 64).T),
    "one row": lambda x, w, v: ops.matmul(ops.abs(x), ops.broadcast_to(w[0], (70, 64)).T),
    "part": lambda x, w, v: (ops.matmul(ops.abs(x), w[3:73].T), ops.matmul(x, w.T[:, 5:])),
    "turned": lambda x, w, v: ops.matmul(x, ops.flip(w, (0,)).T),
    "wide": lambda x, w, v: ops.matmul(ops.abs(x), ops.concat((w, w)).T),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_beside_each_other(name):
    layers = LAYERS[name]
    state = np.random.default_rng(0)
    w, v = (ms.Tensor(state.integers(-2, 3, s).astype(np.float32)) for s in ((80, 64), (80, 70)))

    def loss(x, w, v):
        found = layers(x, w, v)
        return sum(ops.sum(y) for y in (found if isinstance(found, tuple) else (found,)))

    forward = ms.jit(lambda x: layers(x, w, v), dynamic_batch=True)
    weights = [ms.Parameter(t, name=f"p{k}") for k, t in enumerate((w, v))]
    gradient = ms.grad(loss, (0, 1, 2))
    any_batch = ms.jit(lambda x: gradient(x, *weights), dynamic_batch=True)
    for n in (1, 2, 3, 9, 33, 300, 1025):
        x = ms.Tensor(state.integers(-2, 3, (n, 64)).astype(np.float32))
        found, wanted = forward(x), layers(x, w, v)
        if not isinstance(found, tuple):
            found, wanted = (found,), (wanted,)
        for a, b in zip((*found, *any_batch(x)), (*wanted, *gradient(x, *weights)), strict=True):
            np.testing.assert_array_equal(a.asnumpy(), b.asnumpy(), f"batch {n}")
