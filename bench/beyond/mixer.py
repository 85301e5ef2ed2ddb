"""Mixer block, 16 images of 64 patches, 128 channels: gradient by input and weights."""

import numpy as np

BATCH, PATCHES, CHANNELS, HIDDEN = 16, 64, 128, 256
SHAPES = {
    "t1": (PATCHES, HIDDEN),
    "t2": (HIDDEN, PATCHES),
    "c1": (CHANNELS, 2 * HIDDEN),
    "c2": (2 * HIDDEN, CHANNELS),
    "g1": (CHANNELS,),
    "g2": (CHANNELS,),
}


def data():
    random = np.random.default_rng(3)
    out = {name: random.standard_normal(shape) * shape[0] ** -0.5 for name, shape in SHAPES.items()}
    out["x"] = random.standard_normal((BATCH, PATCHES, CHANNELS))
    return {name: value.astype("float32") for name, value in out.items()}


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import ops

    def norm(x, gain):
        centred = x - ops.mean(x, -1, True)
        return centred * ops.rsqrt(ops.mean(centred * centred, -1, True) + 1e-5) * gain

    def loss(x, t1, t2, c1, c2, g1, g2):
        y = ops.transpose(norm(x, g1), (0, 2, 1))
        y = ops.matmul(ops.gelu(ops.matmul(y, t1), approximate="tanh"), t2)
        x = x + ops.transpose(y, (0, 2, 1))
        x = x + ops.matmul(ops.gelu(ops.matmul(norm(x, g2), c1), approximate="tanh"), c2)
        return ops.mean(x * x)

    args = [ms.Tensor(d[name]) for name in ("x", *SHAPES)]
    gradient = ms.value_and_grad(loss, tuple(range(7)))
    return lambda: gradient(*args)


def jax(d):
    import jax
    import jax.numpy as jnp

    def norm(x, gain):
        centred = x - x.mean(-1, keepdims=True)
        return centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5) * gain

    def loss(x, t1, t2, c1, c2, g1, g2):
        y = norm(x, g1).transpose(0, 2, 1)
        x = x + (jax.nn.gelu(y @ t1) @ t2).transpose(0, 2, 1)
        x = x + jax.nn.gelu(norm(x, g2) @ c1) @ c2
        return (x * x).mean()

    args = [jnp.asarray(d[name]) for name in ("x", *SHAPES)]
    gradient = jax.jit(jax.value_and_grad(loss, tuple(range(7))))
    return lambda: gradient(*args)


def torch(d):
    import torch
    from torch.nn import functional

    args = [torch.from_numpy(d[name]).requires_grad_() for name in ("x", *SHAPES)]

    def step():
        x, t1, t2, c1, c2, g1, g2 = args
        y = functional.layer_norm(x, (CHANNELS,), g1, None, 1e-5).transpose(1, 2)
        x = x + (functional.gelu(y @ t1, approximate="tanh") @ t2).transpose(1, 2)
        y = functional.layer_norm(x, (CHANNELS,), g2, None, 1e-5)
        x = x + functional.gelu(y @ c1, approximate="tanh") @ c2
        loss = (x * x).mean()
        return loss, torch.autograd.grad(loss, args)

    return step
