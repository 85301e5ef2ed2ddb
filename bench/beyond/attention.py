"""Attention, 1,024 tokens, 8 heads of 64: gradient by queries, keys and values."""

import numpy as np

HEADS, TOKENS, WIDTH = 8, 1024, 64


def data():
    random = np.random.default_rng(7)
    return {
        name: random.standard_normal((HEADS, TOKENS, WIDTH)).astype("float32") for name in "qkvt"
    }


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import ops

    def loss(q, k, v, t):
        scores = ops.matmul(q, ops.transpose(k, (0, 2, 1))) * WIDTH**-0.5
        return ops.sum(ops.matmul(ops.softmax(scores, -1), v) * t)

    args = [ms.Tensor(d[name]) for name in "qkvt"]
    gradient = ms.value_and_grad(loss, (0, 1, 2))
    return lambda: gradient(*args)


def jax(d):
    import jax
    import jax.numpy as jnp

    def loss(q, k, v, t):
        scores = q @ k.transpose(0, 2, 1) * WIDTH**-0.5
        return (jax.nn.softmax(scores, -1) @ v * t).sum()

    args = [jnp.asarray(d[name]) for name in "qkvt"]
    gradient = jax.jit(jax.value_and_grad(loss, (0, 1, 2)))
    return lambda: gradient(*args)


def torch(d):
    import torch
    from torch.nn import functional

    args = [torch.from_numpy(d[name])[None].requires_grad_() for name in "qkv"]
    t = torch.from_numpy(d["t"])

    def step():
        loss = (functional.scaled_dot_product_attention(*args) * t).sum()
        return loss, torch.autograd.grad(loss, args)

    return step
