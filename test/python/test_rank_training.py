"""Model.train and Model.eval on ranks: parts of the data, metrics of all rows, restarts after a rank was killed."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from rank_groups import Ended, on_ranks, values

import cellgrad as ms
from cellgrad import dataset as ds
from cellgrad import nn, train
from cellgrad.train.callback import checkpoints
from cellgrad.train.metrics import _ranks

DRAW = np.random.default_rng(5200)
X = DRAW.standard_normal((41, 4)).astype(np.float32)
Y = (X[:, 0] * X[:, 1] > 0).astype(np.int32)


def parallel(**more):
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, **more)


# --- data ---------------------------------------------------------------------------------------


def rows_of(data):
    return [int(row[0].asnumpy()) for row in data]


def test_data_sets_give_each_rank_its_part():
    numbers = np.arange(10)

    def body(rank):
        before = rows_of(ds.NumpySlicesDataset(numbers, ["n"], shuffle=False))
        parallel()
        source = ds.NumpySlicesDataset(numbers, ["n"], shuffle=False)
        found = {
            "before": before,
            "part": rows_of(source),
            "size": source.get_dataset_size(),
            "drawn": rows_of(ds.GeneratorDataset([(n,) for n in range(10)], ["n"])),
            "named": rows_of(ds.NumpySlicesDataset(numbers, ["n"], None, 1, False, None, 2, 0)),
            "all": rows_of(ds.NumpySlicesDataset(numbers, ["n"], None, 1, False, None, 1, 0)),
            "sampler": rows_of(ds.NumpySlicesDataset(numbers, ["n"], sampler=[3, 4])),
            "iterable": rows_of(ds.GeneratorDataset(iter([(1,), (2,)]), ["n"])),
        }
        parallel(shard_datasets=False)
        found["off"] = rows_of(ds.NumpySlicesDataset(numbers, ["n"], shuffle=False))
        return found

    found = values(3, body)
    whole = numbers.tolist()
    for rank, each in enumerate(found):
        # Parts of one size: the first rows fill up the last ones.
        assert each["part"] == [*whole, 0, 1][rank::3] and each["size"] == 4
        assert each["before"] == each["all"] == each["off"] == whole
        assert each["named"] == whole[::2]
        assert each["sampler"] == [3, 4] and each["iterable"] == [1, 2]
    drawn = [n for each in found for n in each["drawn"]]
    assert len(drawn) == 12 and set(drawn) == set(whole)


# --- metrics ------------------------------------------------------------------------------------


def network():
    ms.set_seed(4)
    return nn.SequentialCell(nn.Dense(4, 8, activation="tanh"), nn.Dense(8, 2))


METRICS = {
    "accuracy": train.Accuracy,
    "precision": train.Precision,
    "f1": train.F1,
    "top": lambda: train.TopKCategoricalAccuracy(1),
    "confusion": lambda: train.ConfusionMatrix(2),
    "mse": lambda: Rows(train.MSE),
    "loss": train.Loss,
    "own": lambda: Largest(),
}


class Rows(train.Metric):
    """A metric of two values of one shape, of the first column."""

    merged = ("inner",)

    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def clear(self):
        self.inner = self.kind()

    def update(self, *inputs):
        self.inner.update(inputs[0][:, 0], inputs[1].astype(ms.float32))

    def merge(self, states):
        inner = [s["inner"] for s in states]
        self.inner.merge([{k: getattr(m, k) for k in m.merged} for m in inner])

    def eval(self):
        return self.inner.eval()


class Largest(train.Metric):
    """Of one's own, which knows nothing of ranks."""

    def clear(self):
        self.value = -np.inf

    def update(self, *inputs):
        self.value = max(self.value, inputs[0].max().item())

    def eval(self):
        return self.value


def evaluated(batch=5):
    model = train.Model(
        network(), nn.CrossEntropyLoss(), metrics={k: f() for k, f in METRICS.items()}
    )
    return model.eval(ds.NumpySlicesDataset({"x": X, "y": Y}, shuffle=False).batch(batch))


def test_metrics_are_of_the_rows_of_all_ranks():
    # 41 rows: no number of ranks divides them, and no row may count twice.
    alone = evaluated(1)

    def body(rank):
        parallel()
        return evaluated(1)

    for count in (2, 3):
        found = values(count, body)
        for each in found:
            for name in METRICS:
                if name != "own":
                    np.testing.assert_allclose(each[name], alone[name], rtol=1e-6, err_msg=name)
        assert max(each["own"] for each in found) == pytest.approx(alone["own"])


def test_multilabel_counts_and_rates_are_joined():
    y = DRAW.integers(0, 2, (6, 3)).astype(np.float32)
    p = DRAW.integers(0, 2, (6, 3)).astype(np.float32)

    def made():
        found = {
            "recall": train.Recall("multilabel"),
            "rate": train.ConfusionMatrixMetric(metric_name="accuracy"),
        }
        for metric in found.values():
            metric.clear()
        return found

    def body(rank):
        found = made()
        for metric in found.values():
            if rank < 2:  # the last rank has seen nothing
                metric.update(p[3 * rank : 3 * rank + 3], y[3 * rank : 3 * rank + 3])
        _ranks.merge_over_ranks(found)
        return {name: metric.eval() for name, metric in found.items()}

    whole = made()
    for metric in whole.values():
        metric.update(p, y)
    for each in values(3, body):
        for name, metric in whole.items():
            np.testing.assert_allclose(each[name], metric.eval(), err_msg=name)


def test_a_metric_without_the_other_ranks_is_seen(monkeypatch):
    alone = evaluated(1)
    monkeypatch.setattr(_ranks, "_of_all", lambda value: [value])

    def body(rank):
        parallel()
        return evaluated(1)["accuracy"]

    assert any(found != alone["accuracy"] for found in values(2, body))


# --- ranks that are killed ----------------------------------------------------------------------


class Kill(train.Callback):
    """Ends the process shortly after a step has begun: while it computes, waits, or saves."""

    def __init__(self, step, delay):
        self.step, self.delay = step, delay

    def on_train_step_begin(self, context):
        if context.original_args().cur_step_num == self.step:
            end = lambda: (time.sleep(self.delay), os.kill(os.getpid(), signal.SIGKILL))
            threading.Thread(target=end, daemon=True).start()


def run(folder, rank, kill=None):
    """Trains as a new process would; rank `kill[0]` ends at some time."""
    parallel(enable_parallel_optimizer=True)
    ms.set_seed(5)
    net = nn.SequentialCell(nn.Dense(4, 8, activation="tanh"), nn.Dropout(p=0.3), nn.Dense(8, 2))
    ms.manual_seed(100 + rank)  # random numbers of its own
    optimizer = nn.Adam(net.trainable_params(), 0.02)
    model = train.Model(net, nn.CrossEntropyLoss(), optimizer, {"accuracy"})
    rows = ds.NumpySlicesDataset({"x": X, "y": Y}).batch(5)
    kills = Kill(*(kill[1:] if kill and rank == kill[0] else (-1, 0)))
    model.train(4, rows, callbacks=[train.BackupAndRestore(str(folder), 1), kills])
    return [p.asnumpy() for p in net.get_parameters()]


def test_training_goes_on_after_a_rank_was_killed_at_any_time(tmp_path):
    want, _ = values(2, lambda rank: run(tmp_path / "whole", rank), timeout=300)
    assert not list((tmp_path / "whole").iterdir())
    killed = 0
    for at in range(6, 20, 5):
        kill = (int(DRAW.integers(2)), at, float(DRAW.uniform(0, 0.02)))
        limit = {"CELLGRAD_COMM_TIMEOUT": "100"}
        work = lambda rank, kill=kill: run(tmp_path / "killed", rank, kill)
        found = on_ranks(2, work, timeout=300, env=limit)
        if isinstance(found[kill[0]], Ended):
            killed += 1
            other = found[1 - kill[0]]
            assert isinstance(other, RuntimeError) and f"rank {kill[0]} has ended" in str(other)
        # Whatever is there is whole.
        for path in (tmp_path / "killed").glob("*.ckpt"):
            ms.load_checkpoint(str(path), crc_check=True)
    assert killed >= 2
    for found in values(2, lambda rank: run(tmp_path / "killed", rank), timeout=300):
        for a, b in zip(found, want, strict=True):
            np.testing.assert_array_equal(a, b)


def continued(folder, *callbacks, batch=6, rows=48):
    """Two epochs of four steps, each of all ranks' rows: with 2 x 6 rows, or 3 x 4, or 12 on one rank."""
    parallel(enable_parallel_optimizer=True)
    ms.set_seed(5)
    net = network()
    optimizer = nn.Adam(net.trainable_params(), 0.02)
    model = train.Model(net, nn.CrossEntropyLoss(), optimizer)
    data = ds.NumpySlicesDataset({"x": np.tile(X, (2, 1))[:rows], "y": np.tile(Y, 2)[:rows]})
    data = data.map(lambda x: x, ["x"]).batch(batch)
    model.train(2, data, callbacks=[train.BackupAndRestore(str(folder), 1), *callbacks])
    return [p.asnumpy() for p in net.get_parameters()]


class Leave(train.Callback):
    """Ends the process in a step, whose state is not written any more."""

    def __init__(self, step=-1):
        self.step = step

    def on_train_step_end(self, context):
        if context.original_args().cur_step_num == self.step:
            os._exit(0)


@pytest.mark.parametrize("step", [3, 5, 8])
def test_another_number_of_ranks_goes_on_with_the_rows_that_are_left(tmp_path, step):
    want = values(1, lambda rank: continued(tmp_path / "whole", Leave(), batch=12))[0]
    on_ranks(2, lambda rank: continued(tmp_path / "left", Leave(step)))
    assert list((tmp_path / "left").iterdir())
    for found in values(3, lambda rank: continued(tmp_path / "left", Leave(), batch=4)):
        for a, b in zip(found, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)


def test_rows_that_are_no_whole_steps_are_refused(tmp_path):
    on_ranks(2, lambda rank: continued(tmp_path, Leave(3)))
    found = on_ranks(1, lambda rank: continued(tmp_path, Leave(), batch=7))[0]
    assert isinstance(found, ValueError)
    assert "is of 2 ranks, after step 2 of epoch 1, but got 1: those had 24 rows, which" in str(
        found
    )


def test_rows_in_an_order_of_their_own_are_for_as_many_ranks(tmp_path):
    def run(*callbacks):
        parallel()
        net = network()
        model = train.Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.1))
        data = ds.NumpySlicesDataset({"x": X[:40], "y": Y[:40]}).shuffle(40).batch(5)
        kept = train.BackupAndRestore(str(tmp_path), 1)
        model.train(2, data, callbacks=[kept, *callbacks])

    on_ranks(2, lambda rank: run(Leave(4)))
    found = on_ranks(1, lambda rank: run(Leave()))[0]
    assert isinstance(found, ValueError) and "but got 1: which rows those were" in str(found)
    (tmp_path / "backup.ckpt").unlink()
    on_ranks(2, lambda rank: run(Leave(5)))  # the end of an epoch
    assert (tmp_path / "backup.ckpt").exists()
    assert on_ranks(1, lambda rank: run(Leave())) == [None]


def test_ranks_that_were_not_there_draw_numbers_of_their_own():
    states = np.arange(32, dtype=np.uint8).reshape(2, 16)

    def body(states):
        checkpoints._draw_on(states)
        return ms.get_rng_state().asnumpy().tolist()

    found = values(4, lambda rank: body(states))
    assert found[:2] == states.tolist()
    assert len({tuple(state) for state in found}) == 4
    assert values(4, lambda rank: body(states[[0, 0]])) == [states[0].tolist()] * 4
