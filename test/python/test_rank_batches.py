"""Programs for any batch size on ranks, whose batches may differ."""

import numpy as np
import pytest
from rank_groups import on_ranks, values

import cellgrad as ms
from cellgrad import nn, ops

# A program that is refused is compiled for each size, with a warning.
pytestmark = pytest.mark.filterwarnings("error:(?s).*with known sizes")
DRAW = np.random.default_rng(1800)
# Of two ranks: of one sample, of a size that has a program of its own, kept between sums and not.
BATCHES = [(4, 4), (1, 1), (1, 2), (32, 32), (32, 33), (64, 7), (600, 3), (520, 700)]


class Spread(nn.Cell):
    """x by its mean and variance over all ranks, as nn.SyncBatchNorm has them, and their sum."""

    def __init__(self):
        super().__init__()
        self.weight = ms.Parameter(ms.Tensor(DRAW.normal(size=(3,)).astype(np.float32)))
        self.together = ops.AllReduce()

    def construct(self, x):
        x = x @ ops.diag(self.weight)
        count = self.together(ops.ones_like(x).sum(0))
        mean = self.together(x.sum(0)) / count
        moved = x - mean
        return moved / ops.sqrt(self.together((moved * moved).sum(0)) / count), mean


def test_ranks_with_other_batches_compute_together():
    net = Spread()
    weight = net.weight.asnumpy().astype(np.float64)
    given = [[DRAW.normal(1, 2, (n, 3)).astype(np.float32) for n in pair] for pair in BATCHES]

    def body(rank):
        net.set_inputs(ms.Tensor(shape=[None, 3], dtype=ms.float32))
        return [[y.asnumpy() for y in net(ms.Tensor(pair[rank]))] for pair in given]

    found = values(2, body)
    for i, pair in enumerate(given):
        x = np.concatenate(pair) * weight
        want = (x - x.mean(0)) / x.std(0)
        got = np.concatenate([found[0][i][0], found[1][i][0]])
        np.testing.assert_allclose(got, want, atol=2e-5, err_msg=str(BATCHES[i]))
        for each in found:
            np.testing.assert_allclose(each[i][1], x.mean(0), rtol=1e-5)


class Scaled(nn.Cell):
    def __init__(self, rank):
        super().__init__()
        self.weight = ms.Parameter(ms.Tensor([1.0 + rank, 2.0]))

    def construct(self, x):
        return x * ops.AllReduce()(self.weight)


def test_one_rank_alone_has_its_own_batch():
    net = Spread()
    net.set_inputs(ms.Tensor(shape=[None, 3], dtype=ms.float32))
    for n in (4, 32, 33, 600):
        given = DRAW.normal(1, 2, (n, 3)).astype(np.float32)
        x = given * net.weight.asnumpy().astype(np.float64)
        got, mean = net(ms.Tensor(given))
        np.testing.assert_allclose(mean.asnumpy(), x.mean(0), rtol=1e-5)
        np.testing.assert_allclose(got.asnumpy(), (x - x.mean(0)) / x.std(0), atol=2e-5)
    scaled = Scaled(0)
    scaled.set_inputs(ms.Tensor(shape=[None, 2], dtype=ms.float32))
    assert (scaled(ops.ones((40, 2))).asnumpy() == [1, 2]).all()


def test_what_no_sample_needs_is_reduced_once_for_all_tiles():
    def body(rank):
        net = Scaled(rank)
        net.set_inputs(ms.Tensor(shape=[None, 2], dtype=ms.float32))
        found = []
        for pair in BATCHES:
            found.append(net(ops.ones((pair[rank], 2))).asnumpy())
            ops.Barrier()()  # not as many collectives would be seen here
        return found

    for rank, found in enumerate(values(2, body)):
        for pair, y in zip(BATCHES, found, strict=True):
            np.testing.assert_array_equal(y, np.tile(np.float32([3, 4]), (pair[rank], 1)))


def test_a_step_for_any_batch_has_the_gradients_of_all_rows():
    rows = [(5, 5), (32, 32), (33, 32), (1, 6)]
    given = [
        [(x := DRAW.normal(size=(n, 3)).astype(np.float32), x.sum(1, keepdims=True)) for n in pair]
        for pair in rows
    ]
    start = DRAW.normal(size=(1, 3)).astype(np.float32)

    def body(rank):
        ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
        net = nn.Dense(3, 1, ms.Tensor(start), has_bias=False)
        loss = nn.WithLossCell(net, nn.MSELoss())
        step = nn.TrainOneStepCell(loss, nn.SGD(net.trainable_params(), 0.05))
        step.set_inputs(*(ms.Tensor(shape=[None, n], dtype=ms.float32) for n in (3, 1)))
        for pair in given:
            step(*(ms.Tensor(each) for each in pair[rank]))
        return net.weight.asnumpy()

    w = start.astype(np.float64)
    for pair in given:
        slopes = [2 * ((x @ w.T - y) * x).mean(0) for x, y in pair]
        w -= 0.05 * np.mean(slopes, 0)
    for found in values(2, body):
        np.testing.assert_allclose(found, w, rtol=2e-5)


def test_ranks_take_the_same_of_the_programs():
    """Each has its collectives in an order of its own: statistics, and the gradients' buckets."""

    def body(rank):
        ms.set_seed(4)
        ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
        net = nn.SequentialCell(nn.Dense(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dense(8, 1))
        loss = nn.WithLossCell(net, nn.MSELoss())
        step = nn.TrainOneStepCell(loss, nn.SGD(net.trainable_params(), 0.05))
        step.set_train()
        step.set_inputs(*(ms.Tensor(shape=[None, n], dtype=ms.float32) for n in (3, 1)))
        for n in ((4, 4), (32, 33), (64, 7), (600, 3)):
            x = ms.Tensor(np.linspace(-1, 1, 3 * n[rank], dtype=np.float32).reshape(-1, 3))
            step(x, x.sum(1, keepdims=True))
        return [p.asnumpy() for p in net.trainable_params()]

    first, second = values(2, body)
    for a, b in zip(first, second, strict=True):
        assert np.isfinite(a).all()
        np.testing.assert_array_equal(a, b)


def test_rows_are_not_reduced():
    def body(rank):
        total = ms.jit(lambda x: ops.AllReduce()(x), dynamic_batch=True)
        total(ops.ones((2, 2)))

    line = (
        r"test_rank_batches.py:\d+:\d+: error: 'cell.all_reduce' op is not known to treat samples"
    )
    for found in on_ranks(2, body):
        with pytest.raises(ms.CompileError, match=line):
            raise found
