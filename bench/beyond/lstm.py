"""LSTM, 64 steps, batch 16, 128 units: gradient by input and weights."""

import numpy as np

STEPS, BATCH, WIDTH = 64, 16, 128
WEIGHTS = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")


def data():
    random, rows = np.random.default_rng(1), 4 * WIDTH
    shapes = dict(zip(WEIGHTS, ((rows, WIDTH), (rows, WIDTH), (rows,), (rows,)), strict=True))
    out = {name: random.uniform(-0.09, 0.09, shape) for name, shape in shapes.items()}
    out["x"] = random.standard_normal((STEPS, BATCH, WIDTH))
    return {name: value.astype("float32") for name, value in out.items()}


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import nn, ops

    net, x = nn.LSTM(WIDTH, WIDTH), ms.Tensor(d["x"])
    parameters = {p.name.rpartition(".")[2]: p for p in net.trainable_params()}
    for name in WEIGHTS:
        parameters[name].set_data(ms.Tensor(d[name]))
    gradient = ms.value_and_grad(
        lambda x: ops.mean(ops.square(net(x)[0])), 0, [parameters[n] for n in WEIGHTS]
    )
    return lambda: gradient(x)


def jax(d):
    import jax
    import jax.numpy as jnp

    def loss(x, w_ih, w_hh, b_ih, b_hh):
        def step(state, of_input):
            h, c = state
            i, f, g, o = jnp.split(of_input + h @ w_hh.T, 4, 1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zeros = jnp.zeros((BATCH, WIDTH))
        return (jax.lax.scan(step, (zeros, zeros), x @ w_ih.T + b_ih + b_hh)[1] ** 2).mean()

    args = [jnp.asarray(d[name]) for name in ("x", *WEIGHTS)]
    gradient = jax.jit(jax.value_and_grad(loss, (0, 1, 2, 3, 4)))
    return lambda: gradient(*args)


def torch(d):
    import torch

    net = torch.nn.LSTM(WIDTH, WIDTH)
    if d["x"].dtype == "float64":
        net = net.double()
    for name in WEIGHTS:
        getattr(net, name).data.copy_(torch.from_numpy(d[name]))
    x = torch.from_numpy(d["x"]).requires_grad_()
    wanted = [x, *(getattr(net, name) for name in WEIGHTS)]

    def step():
        loss = (net(x)[0] ** 2).mean()
        return loss, torch.autograd.grad(loss, wanted)

    return step
