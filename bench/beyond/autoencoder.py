"""Variational autoencoder 784-400-20, 64 samples, weights as they are transposed: gradients by the weights."""

import numpy as np

BATCH, WIDTH, HIDDEN, CODE = 64, 784, 400, 20
SHAPES = {
    "w1": (HIDDEN, WIDTH),
    "b1": (HIDDEN,),
    "w2": (2 * CODE, HIDDEN),
    "b2": (2 * CODE,),
    "w3": (HIDDEN, CODE),
    "b3": (HIDDEN,),
    "w4": (WIDTH, HIDDEN),
    "b4": (WIDTH,),
}


def data():
    random = np.random.default_rng(22)
    out = {name: random.standard_normal(shape) * 0.05 for name, shape in SHAPES.items()}
    out["x"] = random.random((BATCH, WIDTH))
    out["noise"] = random.standard_normal((BATCH, CODE))
    return {name: value.astype("float32") for name, value in out.items()}


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import ops

    def loss(x, noise, w1, b1, w2, b2, w3, b3, w4, b4):
        code = ops.relu(x @ w1.T + b1) @ w2.T + b2
        mean, log_variance = code[:, :CODE], code[:, CODE:]
        sample = mean + ops.exp(log_variance * 0.5) * noise
        y = ops.relu(sample @ w3.T + b3) @ w4.T + b4
        divergence = ops.mean(1 + log_variance - mean * mean - ops.exp(log_variance))
        return ops.mean(ops.softplus(y) - x * y) - 0.5 * divergence

    args = [ms.Tensor(d[name]) for name in ("x", "noise", *SHAPES)]
    gradient = ms.value_and_grad(loss, tuple(range(2, 2 + len(SHAPES))))
    return lambda: gradient(*args)


def jax(d):
    import jax
    import jax.numpy as jnp

    def loss(x, noise, w1, b1, w2, b2, w3, b3, w4, b4):
        code = jax.nn.relu(x @ w1.T + b1) @ w2.T + b2
        mean, log_variance = code[:, :CODE], code[:, CODE:]
        sample = mean + jnp.exp(log_variance * 0.5) * noise
        y = jax.nn.relu(sample @ w3.T + b3) @ w4.T + b4
        divergence = (1 + log_variance - mean * mean - jnp.exp(log_variance)).mean()
        return (jax.nn.softplus(y) - x * y).mean() - 0.5 * divergence

    args = [jnp.asarray(d[name]) for name in ("x", "noise", *SHAPES)]
    gradient = jax.jit(jax.value_and_grad(loss, tuple(range(2, 2 + len(SHAPES)))))
    return lambda: gradient(*args)


def torch(d):
    import torch
    from torch.nn import functional

    x, noise = (torch.from_numpy(d[name]) for name in ("x", "noise"))
    weights = [torch.from_numpy(d[name]).requires_grad_() for name in SHAPES]

    def step():
        w1, b1, w2, b2, w3, b3, w4, b4 = weights
        code = functional.relu(x @ w1.T + b1) @ w2.T + b2
        mean, log_variance = code[:, :CODE], code[:, CODE:]
        sample = mean + torch.exp(log_variance * 0.5) * noise
        y = functional.relu(sample @ w3.T + b3) @ w4.T + b4
        divergence = (1 + log_variance - mean * mean - torch.exp(log_variance)).mean()
        loss = (functional.softplus(y) - x * y).mean() - 0.5 * divergence
        return loss, torch.autograd.grad(loss, weights)

    return step
