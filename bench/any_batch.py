"""Times of training steps for any batch size beside those compiled for the size: the tables in docs/artifact.md.

    chrt -f 10 python bench/any_batch.py [--batches 32 64 128] [--rounds 60] [--forward]

Both steps are of the same network, and run in turn, so that what else the machine does meets both alike. The table has
medians, and the ratios of medians and of the least times.
"""

import argparse
import os

os.environ.setdefault("CELLGRAD_NUM_THREADS", "1")

import time
from itertools import pairwise

import numpy as np

import cellgrad as ms
from cellgrad import nn, ops


class CNN(nn.Cell):
    """Three convolutions and a dense layer: 8x8 pixels to 10 classes, as in examples/digits_cnn."""

    def __init__(self):
        super().__init__()
        self.features = nn.SequentialCell(
            *(nn.Conv2d(1, 16, 3, has_bias=True), nn.ReLU()),
            *(nn.Conv2d(16, 32, 3, has_bias=True), nn.ReLU(), nn.MaxPool2d(2, 2)),
            *(nn.Conv2d(32, 64, 3, has_bias=True), nn.ReLU(), nn.MaxPool2d(2, 2)),
        )
        self.out = nn.Dense(256, 10)

    def construct(self, images):
        return self.out(ops.flatten(self.features(images)))


class Normalised(nn.Cell):
    """Two convolutions with batch normalisation."""

    def __init__(self):
        super().__init__()
        self.features = nn.SequentialCell(
            *(nn.Conv2d(1, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2, 2)),
            *(nn.Conv2d(16, 32, 3), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2, 2)),
        )
        self.out = nn.Dense(128, 10)

    def construct(self, images):
        return self.out(ops.flatten(self.features(images)))


class Recurrent(nn.Cell):
    """An LSTM of 64 steps, and a dense layer behind the last one."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(32, 128, batch_first=True)
        self.out = nn.Dense(128, 10)

    def construct(self, sequences):
        return self.out(self.lstm(sequences)[0][:, -1])


def perceptron(*widths):
    layers = []
    for before, after in pairwise(widths):
        layers += [nn.Dense(before, after), nn.ReLU()]
    return nn.SequentialCell(*layers[:-1])


NETWORKS = {
    "784-512-512-10, Adam": (lambda: perceptron(784, 512, 512, 10), nn.Adam, (784,)),
    "784-256-10, Adam": (lambda: perceptron(784, 256, 10), nn.Adam, (784,)),
    "digits CNN, momentum": (CNN, lambda w, rate: nn.Momentum(w, rate, 0.9), (1, 8, 8)),
    "CNN with batch normalisation": (
        *(Normalised, lambda w, rate: nn.Momentum(w, rate, 0.9)),
        (1, 8, 8),
    ),
    "LSTM, momentum": (Recurrent, lambda w, rate: nn.Momentum(w, rate, 0.9), (64, 32)),
}


def step_of(make, optimizer, dynamic):
    """A training step, and its network."""
    ms.set_seed(0)
    net = make()
    net.set_train()
    update = optimizer(net.trainable_params(), 1e-3)
    slopes = ms.value_and_grad(
        lambda x, y: ops.cross_entropy(net(x), y), None, net.trainable_params()
    )

    def step(x, y):
        loss, gradients = slopes(x, y)
        update(gradients)
        return loss

    return ms.jit(step, dynamic_batch=dynamic)


def forward_of(make, _, dynamic):
    network = make()
    network.set_train(False)
    forward = ms.jit(lambda x: network(x), dynamic_batch=dynamic)
    return lambda x, _: forward(x)


def timed(step, x, y, count):
    """Microseconds of a step, the mean of a few."""
    begun = time.perf_counter()
    for _ in range(count):
        step(x, y)
    return (time.perf_counter() - begun) / count * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batches", type=int, nargs="*", default=[32, 64, 128, 200, 256])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--networks", nargs="*", default=list(NETWORKS))
    parser.add_argument("--forward", action="store_true", help="inference instead of training")
    given = parser.parse_args()
    made = forward_of if given.forward else step_of
    print("| step | batch | its size | any size | ratio | of least times |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    state = np.random.default_rng(0)
    for name, (make, optimizer, shape) in NETWORKS.items():
        if name not in given.networks:
            continue
        for_any = made(make, optimizer, True)
        # The size of the first call has a program of its own, which is not what is measured.
        for_any(ms.Tensor(np.ones((1, *shape), np.float32)), ms.Tensor(np.zeros(1, np.int32)))
        for batch in given.batches:
            x = ms.Tensor(state.standard_normal((batch, *shape)).astype(np.float32))
            y = ms.Tensor(state.integers(0, 10, batch).astype(np.int32))
            steps = made(make, optimizer, False), for_any
            count = [1 + int(3000 / max(timed(step, x, y, 3) for _ in range(3))) for step in steps]
            times = np.array(
                [[timed(step, x, y, min(count)) for step in steps] for _ in range(given.rounds)]
            )
            fixed, open_ = np.median(times, 0)
            least = times.min(0)
            print(
                f"| {name} | {batch} | {fixed:,.0f} µs | {open_:,.0f} µs | {open_ / fixed:.2f} "
                f"| {least[1] / least[0]:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
