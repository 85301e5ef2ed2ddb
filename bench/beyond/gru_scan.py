"""GRU written as a scan of 1,000 steps, batch 4, 32 units: gradient by weights."""

import numpy as np

STEPS, BATCH, WIDTH = 1000, 4, 32
WEIGHTS = ("wx", "wh", "b")


def data():
    random, wide = np.random.default_rng(2), 3 * WIDTH
    out = {
        "x": random.standard_normal((STEPS, BATCH, WIDTH)),
        "wx": random.standard_normal((WIDTH, wide)) * WIDTH**-0.5,
        "wh": random.standard_normal((WIDTH, wide)) * WIDTH**-0.5,
        "b": 0.1 * random.standard_normal(wide),
    }
    return {name: value.astype("float32") for name, value in out.items()}


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import ops

    def loss(x, wx, wh, b):
        def step(h, now):
            a, c = ops.matmul(now, wx) + b, ops.matmul(h, wh)
            r = ops.sigmoid(a[:, :WIDTH] + c[:, :WIDTH])
            z = ops.sigmoid(a[:, WIDTH : 2 * WIDTH] + c[:, WIDTH : 2 * WIDTH])
            n = ops.tanh(a[:, 2 * WIDTH :] + r * c[:, 2 * WIDTH :])
            h = n + z * (h - n)
            return h, h

        return ops.mean(ops.square(ops.Scan()(step, ops.zeros((BATCH, WIDTH)), x)[1]))

    args = [ms.Tensor(d[name]) for name in ("x", *WEIGHTS)]
    gradient = ms.value_and_grad(loss, (1, 2, 3))
    return lambda: gradient(*args)


def jax(d):
    import jax
    import jax.numpy as jnp

    def loss(x, wx, wh, b):
        def step(h, now):
            a, c = now @ wx + b, h @ wh
            r = jax.nn.sigmoid(a[:, :WIDTH] + c[:, :WIDTH])
            z = jax.nn.sigmoid(a[:, WIDTH : 2 * WIDTH] + c[:, WIDTH : 2 * WIDTH])
            n = jnp.tanh(a[:, 2 * WIDTH :] + r * c[:, 2 * WIDTH :])
            h = n + z * (h - n)
            return h, h

        return (jax.lax.scan(step, jnp.zeros((BATCH, WIDTH)), x)[1] ** 2).mean()

    args = [jnp.asarray(d[name]) for name in ("x", *WEIGHTS)]
    gradient = jax.jit(jax.value_and_grad(loss, (1, 2, 3)))
    return lambda: gradient(*args)


def torch(d):
    import torch

    x = torch.from_numpy(d["x"])
    weights = [torch.from_numpy(d[name]).requires_grad_() for name in WEIGHTS]

    def step():
        wx, wh, b = weights
        h, all_of_it = torch.zeros(BATCH, WIDTH, dtype=x.dtype), []
        for a in torch.matmul(x, wx) + b:
            c = h @ wh
            r, z = torch.sigmoid(a[:, : 2 * WIDTH] + c[:, : 2 * WIDTH]).chunk(2, 1)
            n = torch.tanh(a[:, 2 * WIDTH :] + r * c[:, 2 * WIDTH :])
            h = n + z * (h - n)
            all_of_it.append(h)
        loss = (torch.stack(all_of_it) ** 2).mean()
        return loss, torch.autograd.grad(loss, weights)

    return step
