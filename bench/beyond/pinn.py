"""Wave equation in 3 + 1 dimensions by a network 4-64-64-1, 512 points: gradient of its loss."""

import numpy as np

POINTS = 512
SHAPES = {"w1": (4, 64), "b1": (64,), "w2": (64, 64), "b2": (64,), "w3": (64, 1)}
TOLERANCE = 5e-4


def data():
    random = np.random.default_rng(13)
    out = {name: random.standard_normal(shape) * shape[0] ** -0.5 for name, shape in SHAPES.items()}
    out["x"] = random.uniform(-1, 1, (POINTS, 4))
    return {name: value.astype("float32") for name, value in out.items()}


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import ops

    def loss(x, w1, b1, w2, b2, w3):
        def net(x):
            h = ops.tanh(ops.matmul(x, w1) + b1)
            return ops.sum(ops.matmul(ops.tanh(ops.matmul(h, w2) + b2), w3))

        def second(i):
            return ms.grad(lambda x: ops.sum(ms.grad(net)(x)[:, i]))(x)[:, i]

        return ops.mean(ops.square(second(3) - second(0) - second(1) - second(2)))

    args = [ms.Tensor(d[name]) for name in ("x", *SHAPES)]
    gradient = ms.value_and_grad(loss, (1, 2, 3, 4, 5))
    return lambda: gradient(*args)


def jax(d):
    import jax
    import jax.numpy as jnp

    def loss(x, w1, b1, w2, b2, w3):
        def net(x):
            return (jnp.tanh(jnp.tanh(x @ w1 + b1) @ w2 + b2) @ w3).sum()

        def second(i):
            return jax.grad(lambda x: jax.grad(net)(x)[:, i].sum())(x)[:, i]

        return ((second(3) - second(0) - second(1) - second(2)) ** 2).mean()

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
        (first,) = torch.autograd.grad(u.sum(), x, create_graph=True)
        second = [
            torch.autograd.grad(first[:, i].sum(), x, create_graph=True)[0][:, i] for i in range(4)
        ]
        loss = ((second[3] - second[0] - second[1] - second[2]) ** 2).mean()
        return loss, torch.autograd.grad(loss, weights)

    return step
