"""Product of the Hessian of a network 64-256-256-1, batch 256, with a vector."""

import numpy as np

BATCH = 256
SHAPES = {"w1": (64, 256), "b1": (256,), "w2": (256, 256), "b2": (256,), "w3": (256, 1)}


def data():
    random = np.random.default_rng(8)
    out = {name: random.standard_normal(shape) * shape[0] ** -0.5 for name, shape in SHAPES.items()}
    out |= {f"v_{name}": random.standard_normal(shape) for name, shape in SHAPES.items()}
    out["x"], out["y"] = random.standard_normal((BATCH, 64)), random.standard_normal((BATCH, 1))
    return {name: value.astype("float32") for name, value in out.items()}


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import ops

    x, y = ms.Tensor(d["x"]), ms.Tensor(d["y"])

    def product(weights, vector, x, y):
        def loss(w1, b1, w2, b2, w3):
            h = ops.tanh(ops.matmul(x, w1) + b1)
            h = ops.tanh(ops.matmul(h, w2) + b2)
            return ops.mean(ops.square(ops.matmul(h, w3) - y))

        return ms.jvp(ms.grad(loss, (0, 1, 2, 3, 4)), weights, vector)

    compiled = ms.jit(product)
    weights = tuple(ms.Tensor(d[name]) for name in SHAPES)
    vector = tuple(ms.Tensor(d[f"v_{name}"]) for name in SHAPES)
    return lambda: compiled(weights, vector, x, y)


def jax(d):
    import jax
    import jax.numpy as jnp

    def product(weights, vector, x, y):
        def loss(w1, b1, w2, b2, w3):
            h = jnp.tanh(jnp.tanh(x @ w1 + b1) @ w2 + b2)
            return ((h @ w3 - y) ** 2).mean()

        return jax.jvp(jax.grad(loss, (0, 1, 2, 3, 4)), weights, vector)

    compiled, x, y = jax.jit(product), jnp.asarray(d["x"]), jnp.asarray(d["y"])
    weights = tuple(jnp.asarray(d[name]) for name in SHAPES)
    vector = tuple(jnp.asarray(d[f"v_{name}"]) for name in SHAPES)
    return lambda: compiled(weights, vector, x, y)


def torch(d):
    import torch

    x, y = torch.from_numpy(d["x"]), torch.from_numpy(d["y"])
    weights = [torch.from_numpy(d[name]).requires_grad_() for name in SHAPES]
    vector = [torch.from_numpy(d[f"v_{name}"]) for name in SHAPES]

    def step():
        w1, b1, w2, b2, w3 = weights
        h = torch.tanh(torch.addmm(b2, torch.tanh(torch.addmm(b1, x, w1)), w2))
        loss = ((h @ w3 - y) ** 2).mean()
        gradient = torch.autograd.grad(loss, weights, create_graph=True)
        return gradient, torch.autograd.grad(gradient, weights, vector)

    return step
