"""Layer norm, then GELU, 4,096 rows of 1,024: gradient by input, gain and bias."""

import numpy as np

ROWS, WIDTH = 4096, 1024


def data():
    random = np.random.default_rng(14)
    out = {
        "x": random.standard_normal((ROWS, WIDTH)),
        "gain": 1 + 0.1 * random.standard_normal(WIDTH),
        "bias": 0.1 * random.standard_normal(WIDTH),
    }
    return {name: value.astype("float32") for name, value in out.items()}


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import ops

    norm = ops.LayerNorm(begin_norm_axis=1, begin_params_axis=1, epsilon=1e-5)

    def loss(x, gain, bias):
        y = ops.gelu(norm(x, gain, bias)[0], approximate="tanh")
        return ops.mean(y * y)

    args = [ms.Tensor(d[name]) for name in ("x", "gain", "bias")]
    gradient = ms.value_and_grad(loss, (0, 1, 2))
    return lambda: gradient(*args)


def jax(d):
    import jax
    import jax.numpy as jnp

    def loss(x, gain, bias):
        centred = x - x.mean(-1, keepdims=True)
        y = (
            centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5) * gain
            + bias
        )
        return (jax.nn.gelu(y) ** 2).mean()

    args = [jnp.asarray(d[name]) for name in ("x", "gain", "bias")]
    gradient = jax.jit(jax.value_and_grad(loss, (0, 1, 2)))
    return lambda: gradient(*args)


def torch(d):
    import torch
    from torch.nn import functional

    args = [torch.from_numpy(d[name]).requires_grad_() for name in ("x", "gain", "bias")]

    def step():
        y = functional.gelu(
            functional.layer_norm(args[0], (WIDTH,), *args[1:], 1e-5), approximate="tanh"
        )
        loss = (y * y).mean()
        return loss, torch.autograd.grad(loss, args)

    return step
