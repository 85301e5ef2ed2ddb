"""Convolutions in groups and with holes, 8 images 40 x 40, 32 channels: gradient by input and weights."""

import numpy as np

BATCH, CHANNELS, SIZE, GROUPS = 8, 32, 40, 4
SHAPES = {"w1": (CHANNELS, CHANNELS // GROUPS, 3, 3), "w2": (2 * CHANNELS, CHANNELS, 3, 3)}


def data():
    random = np.random.default_rng(6)
    out = {name: random.standard_normal(shape) * 0.1 for name, shape in SHAPES.items()}
    out["x"] = random.standard_normal((BATCH, CHANNELS, SIZE, SIZE))
    return {name: value.astype("float32") for name, value in out.items()}


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import ops

    def loss(x, w1, w2):
        y = ops.tanh(ops.conv2d(x, w1, pad_mode="pad", padding=2, dilation=2, groups=GROUPS))
        y = ops.conv2d(y, w2, stride=2, pad_mode="pad", padding=1)
        return ops.mean(y * y)

    args = [ms.Tensor(d[name]) for name in ("x", *SHAPES)]
    gradient = ms.value_and_grad(loss, (0, 1, 2))
    return lambda: gradient(*args)


def jax(d):
    import jax
    import jax.numpy as jnp

    conv = jax.lax.conv_general_dilated

    def loss(x, w1, w2):
        y = conv(x, w1, (1, 1), ((2, 2), (2, 2)), rhs_dilation=(2, 2), feature_group_count=GROUPS)
        y = conv(jnp.tanh(y), w2, (2, 2), ((1, 1), (1, 1)))
        return (y * y).mean()

    args = [jnp.asarray(d[name]) for name in ("x", *SHAPES)]
    gradient = jax.jit(jax.value_and_grad(loss, (0, 1, 2)))
    return lambda: gradient(*args)


def torch(d):
    import torch
    from torch.nn import functional

    args = [torch.from_numpy(d[name]).requires_grad_() for name in ("x", *SHAPES)]

    def step():
        x, w1, w2 = args
        y = torch.tanh(functional.conv2d(x, w1, padding=2, dilation=2, groups=GROUPS))
        y = functional.conv2d(y, w2, stride=2, padding=1)
        loss = (y * y).mean()
        return loss, torch.autograd.grad(loss, args)

    return step
