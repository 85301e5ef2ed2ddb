"""Trains one network on several ranks, with the same bits for 1, 2 or 4 of them.

    python main.py --hash                      # one rank
    cellgrad run --ranks=2 main.py --hash      # two processes that share memory
    mpiexec -n 2 python main.py --hash         # two ranks of MPI

Every step is cut into 4 tiles of 16 rows, of which each rank has as many. The gradient of a tile is one
compiled program on all ranks; tiles are added in pairs, and `all_reduce` goes on as the same tree.
"""

import argparse
import hashlib

import numpy as np

import cellgrad as ms
from cellgrad import Tensor, communication, nn, ops

TILES, ROWS = 4, 16


def network() -> nn.SequentialCell:
    ms.set_seed(1)
    return nn.SequentialCell(nn.Dense(8, 32), nn.Tanh(), nn.Dense(32, 1))


def data(step: int) -> tuple[np.ndarray, np.ndarray]:
    """All rows of a step, the same on all ranks."""
    draw = np.random.default_rng(step)
    x = draw.uniform(-1, 1, (TILES * ROWS, 8)).astype(np.float32)
    return x, np.sin(x.sum(axis=1, keepdims=True))


def tree(parts: list[tuple[Tensor, ...]]) -> tuple[Tensor, ...]:
    """The sum of as many tuples as a power of two, in pairs."""
    while len(parts) > 1:
        parts = [tuple(ops.add(a, b) for a, b in zip(*two)) for two in zip(parts[::2], parts[1::2])]
    return parts[0]


def train(steps: int) -> tuple[nn.SequentialCell, list[Tensor]]:
    rank, ranks = communication.get_rank(), communication.get_group_size()
    if TILES % ranks:
        raise SystemExit(f"{TILES} tiles on {ranks} ranks: start 1, 2 or 4")
    net = network()
    loss_fn = nn.MSELoss()
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9)

    def error(x: Tensor, y: Tensor) -> Tensor:
        return loss_fn(net(x), y)

    gradient = ms.value_and_grad(error, None, optimizer.parameters)
    own = range(rank * TILES // ranks, (rank + 1) * TILES // ranks)
    losses: list[Tensor] = []
    for step in range(steps):
        x, y = data(step)
        parts: list[tuple[Tensor, ...]] = []
        for tile in own:
            rows = slice(tile * ROWS, (tile + 1) * ROWS)
            value, gradients = gradient(Tensor(x[rows]), Tensor(y[rows]))
            parts.append((value, *gradients))
        summed = [ops.AllReduce()(g) / TILES for g in tree(parts)]
        losses.append(summed[0])
        optimizer(tuple(summed[1:]))
    return net, losses


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--hash", action="store_true")
    options = parser.parse_args()
    communication.init()
    net, losses = train(options.steps)
    if communication.get_rank() == 0:
        print(f"loss {float(losses[-1].asnumpy()):.5f}")
        if options.hash:
            values = b"".join(p.asnumpy().tobytes() for p in net.get_parameters())
            print("hash", hashlib.sha256(values).hexdigest()[:16])


if __name__ == "__main__":
    main()
