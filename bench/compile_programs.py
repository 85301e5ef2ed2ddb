"""Programs whose size is a number, for compile_time.py: in cellgrad and in JAX.

Each function gives a callable without arguments; its first call compiles. JAX and cellgrad compute the
same from weights of the same shapes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Run = Callable[[], Any]


@dataclass
class Program:
    sizes: list[int]
    cellgrad: Callable[[int], Run]
    jax: Callable[[int], Run]


def draw(*shape: int) -> np.ndarray:
    values = np.random.default_rng(0).standard_normal(shape) * shape[0] ** -0.5
    return values.astype(np.float32)


# --- recurrent layers, unrolled -----------------------------------------------------------------


def unrolled(cell: Any, carry: tuple[int, ...], arrays: list[np.ndarray]) -> Any:
    """The gradient by all weights of the sum of squares of what `cell` gives after all steps.

    `cell(lib, x, states, weights)` gives the next states; `lib` has matmul, tanh, sigmoid.
    """

    def build(size: int) -> tuple[list[np.ndarray], Any]:
        x = draw(size, *carry)

        def loss(lib: Any, x: Any, weights: Any) -> Any:
            states = (x[0] * 0.0, x[0] * 0.0)
            for t in range(size):
                states = cell(lib, x[t], states, weights)
            return (states[0] * states[0]).sum()

        return [x, *arrays], loss

    return build


class OfCellgrad:
    def __init__(self) -> None:
        from cellgrad import ops

        self.matmul, self.tanh, self.sigmoid = ops.matmul, ops.tanh, ops.sigmoid
        self.exp, self.sin, self.softmax, self.gelu = ops.exp, ops.sin, ops.softmax, ops.gelu
        self.sqrt, self.rsqrt = ops.sqrt, ops.rsqrt


class OfJax:
    def __init__(self) -> None:
        import jax
        import jax.numpy as jnp

        self.matmul, self.tanh, self.sigmoid = jnp.matmul, jnp.tanh, jax.nn.sigmoid
        self.exp, self.sin, self.softmax, self.gelu = jnp.exp, jnp.sin, jax.nn.softmax, jax.nn.gelu
        self.sqrt, self.rsqrt = jnp.sqrt, jax.lax.rsqrt


def gradient(build: Any) -> tuple[Any, Any]:
    """The gradient by all but the first array, in both."""

    def of_cellgrad(size: int) -> Run:
        import cellgrad as ms

        arrays, loss = build(size)
        lib, tensors = OfCellgrad(), [ms.Tensor(a) for a in arrays]
        places = tuple(range(1, len(tensors)))
        run = ms.value_and_grad(lambda x, *w: loss(lib, x, w), places)
        return lambda: run(*tensors)

    def of_jax(size: int) -> Run:
        import jax
        import jax.numpy as jnp

        arrays, loss = build(size)
        lib, tensors = OfJax(), [jnp.asarray(a) for a in arrays]
        places = tuple(range(1, len(tensors)))
        run = jax.jit(jax.value_and_grad(lambda x, *w: loss(lib, x, w), places))
        return lambda: run(*tensors)

    return of_cellgrad, of_jax


def lstm_cell(lib: Any, x: Any, states: Any, weights: Any) -> Any:
    h, c = states
    wi, wf, wg, wo, ui, uf, ug, uo, b = weights
    i = lib.sigmoid(lib.matmul(x, wi) + lib.matmul(h, ui) + b)
    f = lib.sigmoid(lib.matmul(x, wf) + lib.matmul(h, uf) + b)
    g = lib.tanh(lib.matmul(x, wg) + lib.matmul(h, ug) + b)
    o = lib.sigmoid(lib.matmul(x, wo) + lib.matmul(h, uo) + b)
    c = f * c + i * g
    return o * lib.tanh(c), c


def rnn_cell(lib: Any, x: Any, states: Any, weights: Any) -> Any:
    w, u, b = weights
    return lib.tanh(lib.matmul(x, w) + lib.matmul(states[0], u) + b), states[1]


lstm = unrolled(lstm_cell, (32, 64), [draw(64, 64) for _ in range(8)] + [draw(64)])
rnn = unrolled(rnn_cell, (8, 16), [draw(16, 16), draw(16, 16), draw(16)])


# --- layers -------------------------------------------------------------------------------------


def mlp(shared: bool) -> Any:
    def build(size: int) -> tuple[list[np.ndarray], Any]:
        arrays = [draw(8, 16)]
        for _ in range(1 if shared else size):
            arrays += [draw(16, 16), draw(16)]

        def loss(lib: Any, x: Any, weights: Any) -> Any:
            for k in range(size):
                w, b = weights[:2] if shared else weights[2 * k : 2 * k + 2]
                x = lib.tanh(lib.matmul(x, w) + b)
            return (x * x).sum()

        return arrays, loss

    return build


BATCH, LENGTH, WIDTH, HEADS = 4, 64, 128, 4


def norm(lib: Any, x: Any, g: Any, b: Any) -> Any:
    c = x - x.mean(-1)[..., None]
    return c * lib.rsqrt((c * c).mean(-1)[..., None] + 1e-5) * g + b


def heads(x: Any) -> Any:
    return x.reshape((BATCH, LENGTH, HEADS, WIDTH // HEADS)).transpose((0, 2, 1, 3))


def block(lib: Any, x: Any, w: Any) -> Any:
    h = norm(lib, x, w[0], w[1]).reshape((BATCH * LENGTH, WIDTH))
    q, k, v = (heads(lib.matmul(h, w[i]) + w[i + 1]) for i in (2, 4, 6))
    scores = lib.matmul(q, k.transpose((0, 1, 3, 2))) * (WIDTH // HEADS) ** -0.5
    o = lib.matmul(lib.softmax(scores, -1), v).transpose((0, 2, 1, 3))
    o = o.reshape((BATCH * LENGTH, WIDTH))
    x = x + (lib.matmul(o, w[8]) + w[9]).reshape((BATCH, LENGTH, WIDTH))
    h = norm(lib, x, w[10], w[11]).reshape((BATCH * LENGTH, WIDTH))
    h = lib.matmul(lib.gelu(lib.matmul(h, w[12]) + w[13]), w[14]) + w[15]
    return x + h.reshape((BATCH, LENGTH, WIDTH))


def transformer_arrays(size: int) -> list[np.ndarray]:
    vector, square = (WIDTH,), (WIDTH, WIDTH)
    shapes = [vector, vector, square, vector, square, vector, square, vector, square, vector]
    shapes += [vector, vector, (WIDTH, 4 * WIDTH), (4 * WIDTH,), (4 * WIDTH, WIDTH), vector]
    return [draw(*s) for _ in range(size) for s in shapes]


def transformer_loss(lib: Any, x: Any, weights: Any) -> Any:
    for k in range(0, len(weights), 16):
        x = block(lib, x, weights[k : k + 16])
    return (x * x).mean()


def transformer_of_cellgrad(size: int) -> Run:
    """A training step with Adam."""
    import cellgrad as ms
    from cellgrad import nn

    lib, x = OfCellgrad(), ms.Tensor(draw(BATCH, LENGTH, WIDTH))
    weights = ms.ParameterTuple(
        [ms.Parameter(ms.Tensor(a), name=f"w{i}") for i, a in enumerate(transformer_arrays(size))]
    )
    adam = nn.Adam(weights, 1e-3)
    step = ms.value_and_grad(lambda x: transformer_loss(lib, x, weights), None, weights)

    @ms.jit
    def train(x: Any) -> Any:
        loss, gradients = step(x)
        adam(gradients)
        return loss

    return lambda: train(x)


def transformer_of_jax(size: int) -> Run:
    import jax
    import jax.numpy as jnp

    lib, x = OfJax(), jnp.asarray(draw(BATCH, LENGTH, WIDTH))
    weights = [jnp.asarray(a) for a in transformer_arrays(size)]
    moments = [jnp.zeros_like(w) for w in weights]

    def train(x: Any, weights: Any, ms: Any, vs: Any, t: Any) -> Any:
        loss, gradients = jax.value_and_grad(lambda w: transformer_loss(lib, x, w))(weights)
        t = t + 1.0
        rate = 1e-3 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        ms = [0.9 * m + 0.1 * g for m, g in zip(ms, gradients, strict=True)]
        vs = [0.999 * v + 0.001 * g * g for v, g in zip(vs, gradients, strict=True)]
        new = [w - rate * m / (jnp.sqrt(v) + 1e-8) for w, m, v in zip(weights, ms, vs, strict=True)]
        return loss, new, ms, vs, t

    step = jax.jit(train, donate_argnums=(1, 2, 3))
    return lambda: step(x, weights, moments, [m + 0 for m in moments], jnp.zeros(()))


# --- others -------------------------------------------------------------------------------------


def process_of_cellgrad(size: int) -> Run:
    """The gradient of a Gaussian process's negative log likelihood by its three parameters."""
    import cellgrad as ms
    from cellgrad import ops
    from cellgrad.scipy.linalg import solve_triangular

    x, y = ms.Tensor(draw(size, 2)), ms.Tensor(draw(size, 1))
    identity = ms.Tensor(np.eye(size, dtype=np.float32))

    def loss(p: Any) -> Any:
        d = x[:, None, :] - x[None, :, :]
        k = ops.exp(p[0] - (d * d).sum(-1) * ops.exp(p[1])) + (ops.exp(p[2]) + 1.0) * identity
        factor = ops.cholesky(k)
        a = solve_triangular(factor, y, lower=True)
        return (a * a).sum() / 2 + ops.log(ops.diagonal(factor)).sum()

    run, p = ms.value_and_grad(loss), ms.Tensor(np.zeros(3, np.float32))
    return lambda: run(p)


def process_of_jax(size: int) -> Run:
    import jax
    import jax.numpy as jnp

    x, y = jnp.asarray(draw(size, 2)), jnp.asarray(draw(size, 1))

    def loss(p: Any) -> Any:
        d = x[:, None, :] - x[None, :, :]
        k = jnp.exp(p[0] - (d * d).sum(-1) * jnp.exp(p[1]))
        factor = jnp.linalg.cholesky(k + (jnp.exp(p[2]) + 1.0) * jnp.eye(size))
        a = jax.scipy.linalg.solve_triangular(factor, y, lower=True)
        return (a * a).sum() / 2 + jnp.log(jnp.diagonal(factor)).sum()

    run, p = jax.jit(jax.value_and_grad(loss)), jnp.zeros(3)
    return lambda: run(p)


def scalars(size: int) -> tuple[list[np.ndarray], Any]:
    """Steps of an explicit method whose state has one element."""

    def loss(lib: Any, x: Any, weights: Any) -> Any:
        s, w = x, weights[0]
        for _ in range(size // 4):
            s = s + 0.01 * lib.sin(w * s)
        return s.sum()

    return [draw(1), draw(1)], loss


def chain(size: int) -> tuple[list[np.ndarray], Any]:
    """Elementwise operations on vectors."""

    def loss(lib: Any, x: Any, weights: Any) -> Any:
        s, w = x, weights[0]
        for _ in range(size // 4):
            s = s + 0.01 * lib.sin(w * s)
        return s.sum()

    return [draw(1024), draw(1024)], loss


def functions_of_cellgrad(size: int) -> Run:
    """Small Cells of their own kinds of sizes, each called twice."""
    import cellgrad as ms
    from cellgrad import nn, ops

    class Small(nn.Cell):
        def __init__(self, k: int) -> None:
            super().__init__()
            self.k = k
            self.w = ms.Parameter(ms.Tensor(draw(8 + k % 8)), name=f"w{k}")

        def construct(self, x: Any) -> Any:
            return (ops.tanh(self.w * x) * (1.0 + self.k)).mean()

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.parts = nn.CellList([Small(k) for k in range(size)])

        def construct(self, x: Any) -> Any:
            for part in self.parts:
                x = x + part(part(x))
            return x

    net, x = Net(), ms.Tensor(np.float32(0.5))
    run = ms.value_and_grad(net, None, net.trainable_params())
    return lambda: run(x)


def functions_of_jax(size: int) -> Run:
    import jax
    import jax.numpy as jnp

    def make(k: int) -> Any:
        return jax.jit(lambda w, x: (jnp.tanh(w * x) * (1.0 + k)).mean())

    parts, weights = (
        [make(k) for k in range(size)],
        [jnp.asarray(draw(8 + k % 8)) for k in range(size)],
    )

    def loss(weights: Any, x: Any) -> Any:
        for part, w in zip(parts, weights, strict=True):
            x = x + part(w, part(w, x))
        return x

    run, x = jax.jit(jax.value_and_grad(loss)), jnp.float32(0.5)
    return lambda: run(weights, x)


PROGRAMS = {
    "lstm": Program([8, 16, 32], *gradient(lstm)),
    "rnn": Program([100, 200, 400], *gradient(rnn)),
    "mlp": Program([200, 400, 800], *gradient(mlp(shared=False))),
    "mlp-shared": Program([200, 400, 800], *gradient(mlp(shared=True))),
    "transformer": Program([3, 6, 12], transformer_of_cellgrad, transformer_of_jax),
    "process": Program([250, 500, 1000], process_of_cellgrad, process_of_jax),
    "scalars": Program([1250, 2500, 5000], *gradient(scalars)),
    "chain": Program([3200, 6400, 12800], *gradient(chain)),
    "cells": Program([100, 200, 400], functions_of_cellgrad, functions_of_jax),
}
