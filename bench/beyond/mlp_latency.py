"""Network 64-128-128-10 for one sample: value."""

import numpy as np

SHAPES = {
    "w1": (64, 128),
    "b1": (128,),
    "w2": (128, 128),
    "b2": (128,),
    "w3": (128, 10),
    "b3": (10,),
}


def data():
    random = np.random.default_rng(11)
    out = {name: random.standard_normal(shape) * shape[0] ** -0.5 for name, shape in SHAPES.items()}
    out["x"] = random.standard_normal((1, 64))
    return {name: value.astype("float32") for name, value in out.items()}


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import nn, ops

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            w = {name: ms.Tensor(value) for name, value in d.items()}
            self.fc1 = nn.Dense(64, 128, weight_init=w["w1"].T, bias_init=w["b1"])
            self.fc2 = nn.Dense(128, 128, weight_init=w["w2"].T, bias_init=w["b2"])
            self.fc3 = nn.Dense(128, 10, weight_init=w["w3"].T, bias_init=w["b3"])

        @ms.jit
        def construct(self, x):
            return ops.softmax(self.fc3(ops.relu(self.fc2(ops.relu(self.fc1(x))))), -1)

    net, x = Net(), ms.Tensor(d["x"])
    return lambda: net(x)


def jax(d):
    import jax
    import jax.numpy as jnp

    @jax.jit
    def net(w, x):
        h = jax.nn.relu(x @ w["w1"] + w["b1"])
        h = jax.nn.relu(h @ w["w2"] + w["b2"])
        return jax.nn.softmax(h @ w["w3"] + w["b3"], -1)

    w, x = {name: jnp.asarray(d[name]) for name in SHAPES}, jnp.asarray(d["x"])
    return lambda: net(w, x)


def torch(d):
    import torch
    from torch.nn import functional

    w = {name: torch.from_numpy(value) for name, value in d.items()}
    transposed = {name: w[name].T.contiguous() for name in ("w1", "w2", "w3")}

    @torch.no_grad()
    def step():
        h = functional.relu(functional.linear(w["x"], transposed["w1"], w["b1"]))
        h = functional.relu(functional.linear(h, transposed["w2"], w["b2"]))
        return functional.softmax(functional.linear(h, transposed["w3"], w["b3"]), -1)

    return step
