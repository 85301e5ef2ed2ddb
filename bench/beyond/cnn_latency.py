"""CNN for one image 1 x 28 x 28, 8 and 16 filters, two pools, 10 classes: value."""

import numpy as np

SHAPES = {
    "w1": (8, 1, 3, 3),
    "b1": (8,),
    "w2": (16, 8, 3, 3),
    "b2": (16,),
    "w3": (10, 784),
    "b3": (10,),
}


def data():
    random = np.random.default_rng(12)
    out = {name: random.standard_normal(shape) * 0.1 for name, shape in SHAPES.items()}
    out["x"] = random.standard_normal((1, 1, 28, 28))
    return {name: value.astype("float32") for name, value in out.items()}


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import nn, ops

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            w = {name: ms.Tensor(value) for name, value in d.items()}
            self.conv1 = nn.Conv2d(1, 8, 3, has_bias=True, weight_init=w["w1"], bias_init=w["b1"])
            self.conv2 = nn.Conv2d(8, 16, 3, has_bias=True, weight_init=w["w2"], bias_init=w["b2"])
            self.fc = nn.Dense(784, 10, weight_init=w["w3"], bias_init=w["b3"])
            self.pool = nn.MaxPool2d(2, 2)

        @ms.jit
        def construct(self, x):
            x = self.pool(ops.relu(self.conv1(x)))
            x = self.pool(ops.relu(self.conv2(x)))
            return self.fc(ops.reshape(x, (1, 784)))

    net, x = Net(), ms.Tensor(d["x"])
    return lambda: net(x)


def jax(d):
    import jax
    import jax.numpy as jnp

    def block(x, w, b):
        x = jax.nn.relu(jax.lax.conv_general_dilated(x, w, (1, 1), "SAME") + b[:, None, None])
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    @jax.jit
    def net(w, x):
        x = block(block(x, w["w1"], w["b1"]), w["w2"], w["b2"])
        return x.reshape(1, 784) @ w["w3"].T + w["b3"]

    w, x = {name: jnp.asarray(d[name]) for name in SHAPES}, jnp.asarray(d["x"])
    return lambda: net(w, x)


def torch(d):
    import torch
    from torch.nn import functional

    w = {name: torch.from_numpy(value) for name, value in d.items()}

    @torch.no_grad()
    def step():
        x = functional.relu(functional.conv2d(w["x"], w["w1"], w["b1"], padding=1))
        x = functional.max_pool2d(x, 2)
        x = functional.relu(functional.conv2d(x, w["w2"], w["b2"], padding=1))
        return functional.linear(functional.max_pool2d(x, 2).reshape(1, 784), w["w3"], w["b3"])

    return step
