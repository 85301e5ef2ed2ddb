"""Gradient of sin(x) exp(x) of one number."""

import numpy as np


def data():
    return {"x": np.array(0.7, "float32")}


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import ops

    x, gradient = ms.Tensor(d["x"]), ms.grad(lambda x: ops.sin(x) * ops.exp(x))
    return lambda: gradient(x)


def jax(d):
    import jax
    import jax.numpy as jnp

    x, gradient = jnp.asarray(d["x"]), jax.jit(jax.grad(lambda x: jnp.sin(x) * jnp.exp(x)))
    return lambda: gradient(x)


def torch(d):
    import torch

    x = torch.from_numpy(d["x"]).requires_grad_()
    return lambda: torch.autograd.grad(torch.sin(x) * torch.exp(x), x)
