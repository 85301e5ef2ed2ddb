"""CNN for one image 8 x 8, 16, 32 and 64 filters, two pools: value and gradients by the weights."""

import numpy as np

SHAPES = {
    "w1": (16, 1, 3, 3),
    "b1": (16,),
    "w2": (32, 16, 3, 3),
    "b2": (32,),
    "w3": (64, 32, 3, 3),
    "b3": (64,),
    "w4": (10, 256),
    "b4": (10,),
}


def data():
    random = np.random.default_rng(21)
    out = {name: random.standard_normal(shape) * 0.1 for name, shape in SHAPES.items()}
    out["x"] = random.standard_normal((1, 1, 8, 8))
    return {name: value.astype("float32") for name, value in out.items()}


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import ops

    def block(x, w, b):
        return ops.relu(ops.conv2d(x, w, b, pad_mode="pad", padding=1))

    def loss(x, w1, b1, w2, b2, w3, b3, w4, b4):
        x = ops.max_pool2d(block(block(x, w1, b1), w2, b2), 2, 2)
        x = ops.max_pool2d(block(x, w3, b3), 2, 2)
        logits = ops.dense(ops.flatten(x), w4, b4)
        return -ops.log_softmax(logits, 1)[0, 3]

    args = [ms.Tensor(d[name]) for name in ("x", *SHAPES)]
    gradient = ms.value_and_grad(loss, tuple(range(1, 1 + len(SHAPES))))
    return lambda: gradient(*args)


def jax(d):
    import jax
    import jax.numpy as jnp

    def block(x, w, b):
        return jax.nn.relu(jax.lax.conv_general_dilated(x, w, (1, 1), "SAME") + b[:, None, None])

    def pool(x):
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    def loss(x, w1, b1, w2, b2, w3, b3, w4, b4):
        x = pool(block(pool(block(block(x, w1, b1), w2, b2)), w3, b3))
        return -jax.nn.log_softmax(x.reshape(1, 256) @ w4.T + b4)[0, 3]

    args = [jnp.asarray(d[name]) for name in ("x", *SHAPES)]
    gradient = jax.jit(jax.value_and_grad(loss, tuple(range(1, 1 + len(SHAPES)))))
    return lambda: gradient(*args)


def torch(d):
    import torch
    from torch.nn import functional

    x = torch.from_numpy(d["x"])
    weights = [torch.from_numpy(d[name]).requires_grad_() for name in SHAPES]

    def block(x, w, b):
        return functional.relu(functional.conv2d(x, w, b, padding=1))

    def step():
        w1, b1, w2, b2, w3, b3, w4, b4 = weights
        h = functional.max_pool2d(block(block(x, w1, b1), w2, b2), 2)
        h = functional.max_pool2d(block(h, w3, b3), 2)
        logits = functional.linear(h.reshape(1, 256), w4, b4)
        loss = -functional.log_softmax(logits, 1)[0, 3]
        return loss, torch.autograd.grad(loss, weights)

    return step
