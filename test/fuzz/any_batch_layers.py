"""Checks training steps of random models for any batch size: layers, losses and optimizers drawn by a seed.

A model is blocks of layers, integers, masks and statistics of the batch. Its step is compiled once for any batch,
and compared with steps compiled for sizes, in double precision: the loss, other results, and all Parameters and
states afterwards. Results of integers and bools must be equal.

    python test/fuzz/any_batch_layers.py --first=0 --count=20
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from typing import Any

import numpy as np

import cellgrad as ms
from cellgrad import nn, ops

TIME, WIDTH, CLASSES = 3, 4, 5  # of a sample, which all blocks keep
SIZES = (1, 2, 3, 5, 9, 17, 33, 100, 129, 255, 257, 513, 1030)


class _Dense(nn.Cell):
    """Rows of time and batch, in one of the orders that layers make of them."""

    def __init__(self, draw: random.Random):
        super().__init__()
        self.layer = nn.Dense(WIDTH, WIDTH)
        self.order = draw.choice(("batch", "time", "columns"))

    def construct(self, x, ids):
        if self.order == "time":
            rows = ops.tanh(self.layer(x.transpose(1, 0, 2).reshape(-1, WIDTH)))
            return rows.reshape(TIME, -1, WIDTH).transpose(1, 0, 2)
        if self.order == "columns":
            columns = x.transpose(2, 1, 0).reshape(WIDTH, -1)
            columns = ops.tanh(ops.matmul(self.layer.weight, columns))
            return columns.reshape(WIDTH, TIME, -1).transpose(2, 1, 0)
        return ops.gelu(self.layer(x)) + x


class _Wide(nn.Cell):
    """Layers that multiply all samples at once, with what may stand between and behind them."""

    def __init__(self, draw: random.Random):
        super().__init__()
        flat, wide = TIME * WIDTH, 345
        self.first = nn.Dense(flat, wide, has_bias=draw.random() < 0.6)
        self.second = nn.Dense(wide, flat, has_bias=draw.random() < 0.6)
        self.between = draw.choice((ops.tanh, ops.gelu, lambda h: h, nn.BatchNorm1d(wide)))
        self.computed = draw.random() < 0.4

    def construct(self, x, ids):
        h = self.between(self.first(x.reshape(-1, TIME * WIDTH)))
        if self.computed:
            h = ops.matmul(h, ops.sin(self.first.weight) + 0.01 * self.second.weight.T)
        else:
            h = self.second(h)
        return x + 0.3 * h.reshape(-1, TIME, WIDTH)


class _Image(nn.Cell):
    def __init__(self, draw: random.Random):
        super().__init__()
        self.first = nn.Conv2d(1, 4, (2, 3), pad_mode="same")
        self.second = nn.Conv2d(4, 2, 3, group=draw.choice((1, 2)), padding=1, pad_mode="pad")
        self.norm = nn.BatchNorm2d(4)
        self.pool = draw.choice((nn.MaxPool2d, nn.AvgPool2d))(2, 1, "same")

    def construct(self, x, ids):
        h = ops.relu(self.norm(self.first(x.reshape(-1, 1, TIME, WIDTH))))
        h = self.pool(self.second(h))
        return x + h[:, 0] * ops.sigmoid(h[:, 1])


class _Normed(nn.Cell):
    def __init__(self, draw: random.Random):
        super().__init__()
        self.rows = draw.random() < 0.5
        self.batch = nn.BatchNorm1d(WIDTH if self.rows else TIME * WIDTH)
        self.own = nn.LayerNorm((WIDTH,))

    def construct(self, x, ids):
        flat = x.reshape(-1, WIDTH) if self.rows else x.reshape(-1, TIME * WIDTH)
        return self.own(ops.sin(self.batch(flat)).reshape(-1, TIME, WIDTH)) + 0.5 * x


class _Recurrent(nn.Cell):
    def __init__(self, draw: random.Random):
        super().__init__()
        kind = draw.choice((nn.LSTM, nn.GRU, nn.RNN))
        self.first = draw.random() < 0.5
        self.layer = kind(WIDTH, WIDTH, batch_first=self.first)

    def construct(self, x, ids):
        if self.first:
            return self.layer(x)[0] + x
        return self.layer(x.transpose(1, 0, 2))[0].transpose(1, 0, 2) + x


class _Attention(nn.Cell):
    def __init__(self, draw: random.Random):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(WIDTH, 2, 6, 0.0, batch_first=True)
        self.masks = draw.random() < 0.5

    def construct(self, x, ids):
        if not self.masks:
            return self.layer(x)
        hidden = ops.concat([ops.zeros_like(ids[:, :1]).bool(), ids[:, 1:] % 3 == 0], 1)
        return self.layer(x, None, hidden)


class _Words(nn.Cell):
    def __init__(self, draw: random.Random):
        super().__init__()
        self.table = nn.Embedding(7, WIDTH, padding_idx=draw.choice((None, 2)))

    def construct(self, x, ids):
        return x + self.table(ids % 7)


class _Dropped(nn.Cell):
    def __init__(self, draw: random.Random):
        super().__init__()
        self.layer = draw.choice((nn.Dropout, nn.Dropout1d))(p=0.3)

    def construct(self, x, ids):
        return self.layer(x) * 1.5 + 0.1 * x


def _split(x: Any, ids: Any) -> Any:
    a, b = ops.split(x, WIDTH // 2, axis=2)
    first, second, third = ops.chunk(ops.concat([b, a * b], 2), TIME, 1)
    return ops.concat([third, first, second], 1)


def _stacked(x: Any, ids: Any) -> Any:
    both = ops.stack([x, ops.flip(x, (2,))], 0)  # the batch second
    return (both * both.sum(axis=(2, 3), keepdims=True).tanh()).sum(axis=0)


def _selected(x: Any, ids: Any) -> Any:
    picked = ops.gather_elements(x, 2, ids.expand_dims(-1) % WIDTH)
    put = ops.tensor_scatter_elements(
        x, ids.expand_dims(-1) % WIDTH, picked * 0.5, axis=2, reduction="add"
    )
    return ops.roll(put, 1, 2) + picked


def _ordered(x: Any, ids: Any) -> Any:
    values, places = ops.topk(x, 2, dim=2)
    best = ops.one_hot(ops.argmax(x, 2), WIDTH).astype(x.dtype)
    return ops.cumsum(x, 2) * 0.3 + best * values[..., 1:] + (places[..., :1] % 2) * 0.1


def _reduced(x: Any, ids: Any) -> Any:
    largest = x.max(axis=2, keepdims=True) - ops.logsumexp(x, 1, keepdim=True)
    return x * 0.5 + largest + ops.norm(x + 2, dim=2, keepdim=True) + x.std(axis=1, keepdims=True)


def _masked(x: Any, ids: Any) -> Any:
    kept = (ids % 4 != 0).expand_dims(-1)
    x = ops.where(kept & (x > -1), x, x * 0.1)
    return ops.masked_fill(x, ids.expand_dims(-1) % 5 == 1, 0.25)


def _padded(x: Any, ids: Any) -> Any:
    wide = ops.pad(x, (1, 2, 1, 0), "constant", 0.5)
    return wide[:, :TIME, 1:-2] + wide[:, 1:, :WIDTH] - wide[:, ::1, -WIDTH:][:, 1:]


def _centred(x: Any, ids: Any) -> Any:
    scale = ops.sqrt(x.var(axis=(0, 1), ddof=1, keepdims=True) + 0.1)
    return (x - x.mean(axis=0, keep_dims=True)) / scale


def _ranged(x: Any, ids: Any) -> Any:
    span = ops.stop_gradient(x.max(axis=(0, 1)) - x.min(axis=(0, 1)))
    return x / (span + 1) + (ids.max() % 3) * 0.01 + ids.min(axis=0).reshape(TIME, 1) * 0.001


def _counted(x: Any, ids: Any) -> Any:
    """How often there are classes, and means of those of a class."""
    classes = ids[:, 0] % CLASSES
    count = ops.one_hot(classes, CLASSES).astype(x.dtype).sum(axis=0)
    sums = ops.unsorted_segment_sum(x.sum(axis=1), classes, CLASSES)
    means = sums / (count.expand_dims(-1) + 1)
    most = (ids > 30).sum() % 7 + ops.all(ids >= 0).astype(ids.dtype)
    return x + ops.gather(means, classes, 0).expand_dims(1) + 0.01 * most


def _correlated(x: Any, ids: Any) -> Any:
    flat = x.reshape(-1, TIME * WIDTH)
    products = ops.tanh(ops.matmul(flat.T, flat) / x.shape[0])
    return ops.matmul(flat, products).reshape(-1, TIME, WIDTH)


def _contracted(x: Any, ids: Any) -> Any:
    scores = ops.softmax(ops.einsum("nti,nsi->nts", x, x), -1)
    energy = ops.einsum("nti,nti->t", x, x).tanh().reshape(TIME, 1)
    return ops.einsum("nts,nsi->nti", scores, x) + energy * 0.1


def _small(x: Any, ids: Any) -> Any:
    """Integers of few bits: extrema and sums over the batch that wrap."""
    small = (ids * 5).astype(ms.int8)
    unsigned = (ids * 5).astype(ms.uint8)
    spans = small.max(axis=0).astype(x.dtype) - unsigned.min(axis=0).astype(x.dtype)
    return x + 0.001 * spans.reshape(TIME, 1) + 0.001 * unsigned.max().astype(x.dtype)


LAYERS: tuple[Any, ...] = (
    *(_Dense, _Wide, _Wide, _Image, _Normed, _Recurrent, _Attention, _Words, _Dropped),
)
STEPS: tuple[Callable[..., Any], ...] = (
    *(_split, _stacked, _selected, _ordered, _reduced, _masked, _padded),
    *(_centred, _ranged, _counted, _correlated, _contracted, _small),
)
OPTIMIZERS = ("sgd", "momentum", "adam", "decay", "rms", "adagrad", "clipped")


def _optimizer(kind: str, weights: Any) -> Any:
    if kind == "sgd":
        return nn.SGD(weights, 0.1, momentum=0.9, nesterov=True)
    if kind in ("momentum", "clipped"):
        return nn.Momentum(weights, 0.1, 0.9, weight_decay=0.01)
    if kind == "adam":
        return nn.Adam(weights, 0.01, eps=0.1)
    if kind == "decay":
        return nn.AdamWeightDecay(weights, 0.01, eps=0.1)
    if kind == "rms":
        return nn.RMSProp(weights, 0.01, epsilon=0.1)
    return nn.Adagrad(weights, learning_rate=0.01)


def _losses() -> dict[str, Callable[..., Any]]:
    def soft(y: Any) -> Any:
        return ops.softmax(ops.cos(y), 1)

    def joined(y: Any, k: Any) -> Any:
        return ops.concat([y, y[:, :1]], 1), k % CLASSES

    weights = ms.Tensor([1.0, 2.0, 0.5, 1.0, 3.0])
    return {
        "classes": lambda y, k: nn.CrossEntropyLoss()(*joined(y, k)),
        "weighted": lambda y, k: nn.CrossEntropyLoss(weights, ignore_index=2)(*joined(y, k)),
        "smooth": lambda y, k: nn.CrossEntropyLoss(label_smoothing=0.1)(*joined(y, k)),
        "squares": lambda y, k: nn.MSELoss()(y, ops.cos(y) * (k % 3).expand_dims(1)),
        "absolute": lambda y, k: nn.L1Loss("sum")(y, (k % 3).expand_dims(1) + 0 * y) * 0.1,
        "huber": lambda y, k: nn.HuberLoss(delta=0.5)(y, 0 * y + (k % 3).expand_dims(1)),
        "bits": lambda y, k: ops.binary_cross_entropy_with_logits(
            y, ops.zeros_like(y) + (k % 2).expand_dims(1), ops.ones_like(y), ops.ones_like(y)
        ),
        "divergence": lambda y, k: nn.KLDivLoss("batchmean")(ops.log_softmax(y, 1), soft(y)),
    }


class Model(nn.Cell):
    """Blocks drawn by a seed, a loss and results beside it."""

    def __init__(self, draw: random.Random, only: str = ""):
        super().__init__()
        kinds = [k for k in LAYERS + STEPS if only in k.__name__] or [*LAYERS, *STEPS]
        count = draw.randint(1, 4)
        chosen = [draw.choice(kinds if only else (LAYERS, STEPS)[i % 2]) for i in range(count)]
        self.what = [kind.__name__ for kind in chosen]
        self.blocks = nn.CellList([kind(draw) for kind in chosen if kind in LAYERS])
        self.steps = [None if kind in LAYERS else kind for kind in chosen]
        self.last = nn.Dense(TIME * WIDTH, CLASSES - 1)
        self.loss = draw.choice(sorted(_losses()))
        self.results = draw.choice(("none", "samples", "shared", "both"))

    def construct(self, x, ids):
        blocks = iter(self.blocks)
        for step in self.steps:
            x = next(blocks)(x, ids) if step is None else step(x, ids)
        y = self.last(x.reshape(-1, TIME * WIDTH))
        loss = _losses()[self.loss](y, ids[:, 1])
        more = []
        if self.results in ("samples", "both"):
            more += [ops.argmax(y, 1), ops.softmax(y, 1), y[:, 0] > y[:, 1], x]
        if self.results in ("shared", "both"):
            right = (ops.argmax(y, 1) == ids[:, 2] % 4).sum()
            more += [right, ops.mean(x, axis=(0, 2)), x.max()]
        return loss, *(more or [loss * 0])


def _set(parameters: Any, values: Any) -> None:
    for p, value in zip(parameters, values, strict=True):
        p.set_data(ms.Tensor(value))


def check(seed: int, sizes: tuple[int, ...], only: str = "") -> None:
    """Raises AssertionError where a step for any batch gives other numbers than one for a size."""
    draw = random.Random(seed)
    ms.set_seed(seed)
    with ms.default_dtype(ms.float64):
        net = Model(draw, only)
        net.set_train(draw.random() < 0.9)
        kind = draw.choice(OPTIMIZERS)
        optimizer = _optimizer(kind, net.trainable_params())
        gradient = ms.value_and_grad(net, None, net.trainable_params(), has_aux=True)
        what = f"{seed}: {net.what}, {net.loss}, {kind}, {net.results}"

        def step(x: Any, ids: Any) -> Any:
            values, slopes = gradient(x, ids)
            if kind == "clipped":
                slopes = ops.clip_by_global_norm(slopes, 0.5)
            optimizer(slopes)
            return values

        any_batch = ms.jit(step, dynamic_batch=True)
        state = np.random.default_rng(seed)
        changed = [*net.get_parameters(), *optimizer.get_parameters()]
        changed = list({id(p): p for p in changed}.values())
        before = [p.asnumpy().copy() for p in changed]
        for n in sizes:
            x = ms.Tensor(state.standard_normal((n, TIME, WIDTH)))
            ids = ms.Tensor(state.integers(0, 60, (n, TIME)).astype(np.int32))
            found = []
            for run in (any_batch, ms.jit(step)):
                _set(changed, before)
                ms.set_seed(n)
                loss, *more = run(x, ids)
                results = [loss, *(more[0] if isinstance(more[0], tuple) else more)]
                found.append([v.asnumpy().copy() for v in (*results, *changed)])
            names = [f"result {k}" for k in range(len(results))] + [p.name for p in changed]
            for name, a, b in zip(names, *found, strict=True):
                _compare(a, b, f"{what}: {n}, {name}", exact=n in (1, 32, 64, 128, sizes[0]))


def _compare(a: Any, b: Any, what: str, exact: bool) -> None:
    if exact or b.dtype.kind in "biu":
        np.testing.assert_array_equal(a, b, what)
    bound = 1e-9 * max(1.0, float(np.abs(b).max(initial=0)))
    np.testing.assert_allclose(a, b, 1e-9, bound, err_msg=what)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--only", default="", help="blocks with these letters in their names")
    given = parser.parse_args()
    for seed in range(given.first, given.first + given.count):
        draw = random.Random(-seed)
        check(seed, (draw.choice(SIZES[:6]), *draw.sample(SIZES, 3)), given.only)
    print(f"{given.count} steps")


if __name__ == "__main__":
    main()
