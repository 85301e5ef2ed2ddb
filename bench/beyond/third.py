"""Third derivative of a network 1-32-32-1 by nesting, 512 points, and the gradient of its square."""

import numpy as np

POINTS = 512
SHAPES = {"w1": (1, 32), "b1": (32,), "w2": (32, 32), "b2": (32,), "w3": (32, 1)}
TOLERANCE = 5e-4


def data():
    random = np.random.default_rng(9)
    out = {name: random.standard_normal(shape) * shape[0] ** -0.5 for name, shape in SHAPES.items()}
    out["x"] = random.uniform(-1, 1, (POINTS, 1))
    return {name: value.astype("float32") for name, value in out.items()}


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import ops

    def loss(x, w1, b1, w2, b2, w3):
        def net(x):
            h = ops.tanh(ops.matmul(x, w1) + b1)
            return ops.matmul(ops.tanh(ops.matmul(h, w2) + b2), w3)

        def derivative(f):
            return ms.grad(lambda x: ops.sum(f(x)))

        third = derivative(derivative(derivative(net)))(x)
        return ops.mean(ops.square(third + net(x)))

    args = [ms.Tensor(d[name]) for name in ("x", *SHAPES)]
    gradient = ms.value_and_grad(loss, (1, 2, 3, 4, 5))
    return lambda: gradient(*args)


def jax(d):
    import jax
    import jax.numpy as jnp

    def loss(x, w1, b1, w2, b2, w3):
        def net(x):
            return jnp.tanh(jnp.tanh(x @ w1 + b1) @ w2 + b2) @ w3

        def derivative(f):
            return jax.grad(lambda x: f(x).sum())

        third = derivative(derivative(derivative(net)))(x)
        return ((third + net(x)) ** 2).mean()

    args = [jnp.asarray(d[name]) for name in ("x", *SHAPES)]
    gradient = jax.jit(jax.value_and_grad(loss, (1, 2, 3, 4, 5)))
    return lambda: gradient(*args)


def torch(d):
    import torch

    x = torch.from_numpy(d["x"]).requires_grad_()
    weights = [torch.from_numpy(d[name]).requires_grad_() for name in SHAPES]

    def step():
        w1, b1, w2, b2, w3 = weights
        u = torch.tanh(torch.addmm(b2, torch.tanh(torch.addmm(b1, x, w1)), w2)) @ w3
        third = u
        for _ in range(3):
            (third,) = torch.autograd.grad(third.sum(), x, create_graph=True)
        loss = ((third + u) ** 2).mean()
        return loss, torch.autograd.grad(loss, weights)

    return step
