"""Residual block, 16 images 28 x 28, 64 channels, batch norm: gradient by input and weights."""

import numpy as np

BATCH, CHANNELS, SIZE = 16, 64, 28
SHAPES = {
    "w1": (CHANNELS, CHANNELS, 3, 3),
    "w2": (CHANNELS, CHANNELS, 3, 3),
    "g1": (CHANNELS,),
    "b1": (CHANNELS,),
    "g2": (CHANNELS,),
    "b2": (CHANNELS,),
}
TOLERANCE = 5e-4


def data():
    random = np.random.default_rng(4)
    out = {name: random.standard_normal(shape) * 0.06 for name, shape in SHAPES.items()}
    out["g1"], out["g2"] = out["g1"] + 1, out["g2"] + 1
    out["x"] = random.standard_normal((BATCH, CHANNELS, SIZE, SIZE))
    return {name: value.astype("float32") for name, value in out.items()}


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import nn, ops

    class Block(nn.Cell):
        def __init__(self):
            super().__init__()
            weights = [ms.Tensor(d[name]) for name in ("w1", "w2")]
            self.conv1 = nn.Conv2d(CHANNELS, CHANNELS, 3, weight_init=weights[0])
            self.conv2 = nn.Conv2d(CHANNELS, CHANNELS, 3, weight_init=weights[1])
            gains = [ms.Tensor(d[name]) for name in ("g1", "b1", "g2", "b2")]
            self.norm1 = nn.BatchNorm2d(CHANNELS, gamma_init=gains[0], beta_init=gains[1])
            self.norm2 = nn.BatchNorm2d(CHANNELS, gamma_init=gains[2], beta_init=gains[3])

        def construct(self, x):
            y = ops.relu(self.norm1(self.conv1(x)))
            return ops.mean(ops.square(ops.relu(x + self.norm2(self.conv2(y)))))

    net, x = Block().set_train(), ms.Tensor(d["x"])
    weights = [net.conv1.weight, net.conv2.weight]
    weights += [net.norm1.gamma, net.norm1.beta, net.norm2.gamma, net.norm2.beta]
    gradient = ms.value_and_grad(net, 0, weights)
    return lambda: gradient(x)


def jax(d):
    import jax
    import jax.numpy as jnp

    def norm(x, gain, bias):
        mean = x.mean((0, 2, 3), keepdims=True)
        variance = ((x - mean) ** 2).mean((0, 2, 3), keepdims=True)
        scale = jax.lax.rsqrt(variance + 1e-5) * gain[:, None, None]
        moving = (0.9 + 0.1 * mean, 0.9 + 0.1 * variance)
        return (x - mean) * scale + bias[:, None, None], moving

    def conv(x, w):
        return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME")

    def loss(x, w1, w2, g1, b1, g2, b2):
        y, moving1 = norm(conv(x, w1), g1, b1)
        y, moving2 = norm(conv(jax.nn.relu(y), w2), g2, b2)
        return (jax.nn.relu(x + y) ** 2).mean(), (moving1, moving2)

    args = [jnp.asarray(d[name]) for name in ("x", *SHAPES)]
    gradient = jax.jit(jax.value_and_grad(loss, tuple(range(7)), has_aux=True))

    def step():
        (value, _), gradients = gradient(*args)
        return value, gradients

    return step


def torch(d):
    import torch
    from torch.nn import functional

    args = [torch.from_numpy(d[name]).requires_grad_() for name in ("x", *SHAPES)]
    moving = [torch.zeros(CHANNELS, dtype=args[0].dtype) for _ in range(4)]

    def step():
        x, w1, w2, g1, b1, g2, b2 = args
        y = functional.conv2d(x, w1, padding=1)
        y = functional.relu(functional.batch_norm(y, *moving[:2], g1, b1, True, 0.1, 1e-5))
        y = functional.conv2d(y, w2, padding=1)
        y = functional.batch_norm(y, *moving[2:], g2, b2, True, 0.1, 1e-5)
        loss = (functional.relu(x + y) ** 2).mean()
        return loss, torch.autograd.grad(loss, args)

    return step
