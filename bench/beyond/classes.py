"""Embedding of 256 tokens, 10,000 classes, softmax cross entropy: gradient by table and weights."""

import numpy as np

CLASSES, WIDTH, TOKENS = 10000, 64, 256


def data():
    random = np.random.default_rng(15)
    return {
        "table": random.standard_normal((CLASSES, WIDTH)).astype("float32"),
        "w": (0.1 * random.standard_normal((WIDTH, CLASSES))).astype("float32"),
        "tokens": random.integers(0, CLASSES, TOKENS).astype("int32"),
        "labels": random.integers(0, CLASSES, TOKENS).astype("int32"),
    }


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import ops

    def loss(table, w, tokens, labels):
        return ops.cross_entropy(ops.matmul(ops.gather(table, tokens, 0), w), labels)

    args = [ms.Tensor(d[name]) for name in ("table", "w", "tokens", "labels")]
    gradient = ms.value_and_grad(loss, (0, 1))
    return lambda: gradient(*args)


def jax(d):
    import jax
    import jax.numpy as jnp

    def loss(table, w, tokens, labels):
        scores = jax.nn.log_softmax(table[tokens] @ w)
        return -jnp.take_along_axis(scores, labels[:, None], 1).mean()

    args = [jnp.asarray(d[name]) for name in ("table", "w", "tokens", "labels")]
    gradient = jax.jit(jax.value_and_grad(loss, (0, 1)))
    return lambda: gradient(*args)


def torch(d):
    import torch
    from torch.nn import functional

    table, w = (torch.from_numpy(d[name]).requires_grad_() for name in ("table", "w"))
    tokens, labels = (torch.from_numpy(d[name]).long() for name in ("tokens", "labels"))

    def step():
        loss = functional.cross_entropy(functional.embedding(tokens, table) @ w, labels)
        return loss, torch.autograd.grad(loss, (table, w))

    return step
