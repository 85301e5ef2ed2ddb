"""Sum of 16 Mi numbers."""

import numpy as np

SIZE = 16 << 20


def data():
    return {"x": np.random.default_rng(16).uniform(0, 1, SIZE).astype("float32")}


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import ops

    x, total = ms.Tensor(d["x"]), ms.jit(lambda x: ops.sum(x))
    return lambda: total(x)


def jax(d):
    import jax
    import jax.numpy as jnp

    x, total = jnp.asarray(d["x"]), jax.jit(lambda x: x.sum())
    return lambda: total(x)


def torch(d):
    import torch

    x = torch.from_numpy(d["x"])
    return lambda: x.sum()
