"""Depthwise 3 x 3, then 64 to 128 channels 1 x 1, 16 images 28 x 28: gradient by input and weights."""

import numpy as np

BATCH, CHANNELS, SIZE = 16, 64, 28
SHAPES = {
    "w1": (CHANNELS, 1, 3, 3),
    "b1": (CHANNELS,),
    "w2": (2 * CHANNELS, CHANNELS, 1, 1),
    "b2": (2 * CHANNELS,),
}


def data():
    random = np.random.default_rng(5)
    out = {name: random.standard_normal(shape) * 0.2 for name, shape in SHAPES.items()}
    out["x"] = random.standard_normal((BATCH, CHANNELS, SIZE, SIZE))
    return {name: value.astype("float32") for name, value in out.items()}


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import ops

    def loss(x, w1, b1, w2, b2):
        y = ops.conv2d(x, w1, b1, pad_mode="pad", padding=1, groups=CHANNELS)
        y = ops.clamp(y, 0, 6)
        y = ops.clamp(ops.conv2d(y, w2, b2), 0, 6)
        return ops.mean(y * y)

    args = [ms.Tensor(d[name]) for name in ("x", *SHAPES)]
    gradient = ms.value_and_grad(loss, tuple(range(5)))
    return lambda: gradient(*args)


def jax(d):
    import jax
    import jax.numpy as jnp

    def loss(x, w1, b1, w2, b2):
        y = jax.lax.conv_general_dilated(x, w1, (1, 1), "SAME", feature_group_count=CHANNELS)
        y = jnp.clip(y + b1[:, None, None], 0, 6)
        y = jnp.clip(jax.lax.conv_general_dilated(y, w2, (1, 1), "SAME") + b2[:, None, None], 0, 6)
        return (y * y).mean()

    args = [jnp.asarray(d[name]) for name in ("x", *SHAPES)]
    gradient = jax.jit(jax.value_and_grad(loss, tuple(range(5))))
    return lambda: gradient(*args)


def torch(d):
    import torch
    from torch.nn import functional

    args = [torch.from_numpy(d[name]).requires_grad_() for name in ("x", *SHAPES)]

    def step():
        x, w1, b1, w2, b2 = args
        y = functional.relu6(functional.conv2d(x, w1, b1, padding=1, groups=CHANNELS))
        y = functional.relu6(functional.conv2d(y, w2, b2))
        loss = (y * y).mean()
        return loss, torch.autograd.grad(loss, args)

    return step
