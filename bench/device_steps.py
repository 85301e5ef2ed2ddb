"""Training steps for bench/device.py. Each loss is written once; PyTorch, JAX and this package lend it their functions.

A step is the loss, its gradient and an update by gradient descent, all compiled where the framework compiles (PyTorch: not).
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

import cellgrad as ms
from cellgrad import ops

RATE = 1e-3
Shapes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Workload:
    """Shapes of parameters and of data, of a measurement and of a trial."""

    name: str
    loss: Callable[..., Any]  # of the functions, the list of parameters, and the data
    parameters: Callable[[bool], Shapes]
    data: Callable[[bool], Shapes]

    def arrays(self, is_small: bool) -> tuple[list[np.ndarray], list[np.ndarray]]:
        random = np.random.default_rng(1)
        weights = [
            (random.standard_normal(s) / np.sqrt(s[0])).astype(np.float32)
            for s in self.parameters(is_small)
        ]
        return weights, [random.standard_normal(s).astype(np.float32) for s in self.data(is_small)]


def layers(*sizes: int) -> Shapes:
    return tuple(s for a, b in pairwise(sizes) for s in ((a, b), (b,)))


def dense(f: Any, w: list[Any], x: Any, activation: Callable[[Any], Any]) -> Any:
    for n in range(0, len(w), 2):
        x = x @ w[n] + w[n + 1]
        if n + 2 < len(w):
            x = activation(x)
    return x


def mlp_loss(f: Any, w: list[Any], x: Any, y: Any) -> Any:
    return ((dense(f, w, x, f.relu) - y) ** 2).mean()


def attention_loss(f: Any, w: list[Any], x: Any, y: Any) -> Any:
    """A block of one head: queries, keys, values, softmax, a projection, and a dense layer."""
    q, k, v = x @ w[0], x @ w[1], x @ w[2]
    weights = f.softmax(q @ f.swapped(k) / k.shape[-1] ** 0.5)
    z = x + (weights @ v) @ w[3]
    z = z + f.tanh(z @ w[4]) @ w[5]
    return ((z - y) ** 2).mean()


def pinn_loss(f: Any, w: list[Any], x: Any, t: Any) -> Any:
    """Burgers' equation: u_t + u u_x = 0.01 u_xx."""

    def u(x: Any, t: Any) -> Any:
        return dense(f, w, f.columns(x, t), f.tanh)

    u_x = lambda x: f.grad(lambda x: u(x, t).sum())(x)
    u_t = f.grad(lambda t: u(x, t).sum())(t)
    u_xx = f.grad(lambda x: u_x(x).sum())(x)
    return ((u_t + u(x, t) * u_x(x) - 0.01 * u_xx) ** 2).mean()


def force_loss(f: Any, w: list[Any], positions: Any, forces: Any) -> Any:
    """Forces are the slope of an energy: a net of the squared distances of all pairs."""

    def energy(positions: Any) -> Any:
        apart = positions[:, :, None, :] - positions[:, None, :, :]
        squares = (apart * apart).sum(-1)
        return dense(f, w, f.reshaped(f.tanh(-squares)), f.tanh).sum()

    return ((f.grad(energy)(positions) + forces) ** 2).mean()


WORKLOADS = [
    Workload(
        "MLP 784-512-512-10, batch 128",
        mlp_loss,
        lambda small: layers(8, 4, 2) if small else layers(784, 512, 512, 10),
        lambda small: ((4, 8), (4, 2)) if small else ((128, 784), (128, 10)),
    ),
    Workload(
        "attention block, 8 x 256 x 256",
        attention_loss,
        lambda small: ((4, 4),) * 6 if small else ((256, 256),) * 4 + ((256, 1024), (1024, 256)),
        lambda small: ((1, 4, 4),) * 2 if small else ((8, 256, 256),) * 2,
    ),
    Workload(
        "PINN 2-64-64-64-1, 4096 points",
        pinn_loss,
        lambda small: layers(2, 4, 1) if small else layers(2, 64, 64, 64, 1),
        lambda small: ((4, 1),) * 2 if small else ((4096, 1),) * 2,
    ),
    Workload(
        "force matching, 64 x 32 atoms",
        force_loss,
        lambda small: layers(9, 4, 1) if small else layers(1024, 64, 64, 1),
        lambda small: ((2, 3, 3),) * 2 if small else ((64, 32, 3),) * 2,
    ),
]


@dataclass
class Step:
    """Runs a step; `loss` is that of the first one."""

    run: Callable[[], Any]
    wait: Callable[[Any], None] | None  # where the default stream has no part in it
    loss: float


class Ours:
    relu, tanh, grad = staticmethod(ops.relu), staticmethod(ops.tanh), staticmethod(ms.grad)

    @staticmethod
    def softmax(x: Any) -> Any:
        return ops.softmax(x, -1)

    @staticmethod
    def swapped(x: Any) -> Any:
        return x.swapaxes(-1, -2)

    @staticmethod
    def columns(x: Any, y: Any) -> Any:
        return ops.cat((x, y), 1)

    @staticmethod
    def reshaped(x: Any) -> Any:
        return x.reshape(x.shape[0], -1)


def our_step(ms: Any, workload: Workload, is_small: bool) -> Step:
    weights, data = ([ms.Tensor(a) for a in arrays] for arrays in workload.arrays(is_small))
    slope = ms.value_and_grad(lambda w, *d: workload.loss(Ours, w, *d))

    @ms.jit
    def step(w, *d):
        value, slopes = slope(w, *d)
        return value, [a - RATE * b for a, b in zip(w, slopes)]

    state = [weights]

    def run() -> Any:
        value, state[0] = step(state[0], *data)
        return value

    return Step(run, None, float(run().asnumpy()))


def torch_step(torch: Any, workload: Workload, is_small: bool) -> Step:
    class Functions(Ours):
        relu, tanh, grad = torch.relu, torch.tanh, torch.func.grad
        softmax = staticmethod(lambda x: torch.softmax(x, -1))
        columns = staticmethod(lambda x, y: torch.cat((x, y), 1))

    arrays = workload.arrays(is_small)
    weights, data = ([torch.from_numpy(a).cuda() for a in group] for group in arrays)
    slope = torch.func.grad_and_value(lambda w, *d: workload.loss(Functions, w, *d))
    state = [weights]

    def run() -> Any:
        slopes, value = slope(state[0], *data)
        state[0] = [a - RATE * b for a, b in zip(state[0], slopes)]
        return value

    return Step(run, None, float(run()))


def jax_step(jax: Any, workload: Workload, is_small: bool) -> Step:
    jnp = jax.numpy

    class Functions(Ours):
        relu, tanh, grad = staticmethod(jax.nn.relu), staticmethod(jnp.tanh), staticmethod(jax.grad)
        softmax = staticmethod(lambda x: jax.nn.softmax(x, -1))
        columns = staticmethod(lambda x, y: jnp.concatenate((x, y), 1))

    arrays = workload.arrays(is_small)
    weights, data = ([jnp.asarray(a) for a in group] for group in arrays)

    @jax.jit
    def step(w, *d):
        value, slopes = jax.value_and_grad(lambda w, *d: workload.loss(Functions, w, *d))(w, *d)
        return value, [a - RATE * b for a, b in zip(w, slopes)]

    state = [weights]

    def run() -> Any:
        # f32 is f32 on all sides.
        with jax.default_matmul_precision("highest"):
            value, state[0] = step(state[0], *data)
        return value

    return Step(run, jax.block_until_ready, float(run()))
