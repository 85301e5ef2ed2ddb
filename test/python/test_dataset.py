"""Data sets: which rows, in which order, and what is refused."""

import threading

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, nn
from cellgrad import dataset as ds

X, Y = np.arange(10), np.arange(10.0) / 2


def pairs(**options):
    return ds.NumpySlicesDataset({"x": X, "y": Y}, **options)


def column(data, epoch=0, at=0):
    return [row[at].tolist() for row in data.rows(epoch)]


class Squares:
    def __getitem__(self, i):
        return i, i * i

    def __len__(self):
        return 6


def squares():
    for i in range(6):
        yield i, i * i


def test_arrays():
    assert column(pairs(shuffle=False)) == X.tolist()
    assert column(pairs(shuffle=False), at=1) == Y.tolist()
    assert pairs().get_col_names() == ["x", "y"]
    assert ds.NumpySlicesDataset((X, Y), ["a", "b"]).columns == ["a", "b"]
    assert column(ds.NumpySlicesDataset([[1, 2], [3, 4]], shuffle=False)) == [[1, 2], [3, 4]]
    assert ds.NumpySlicesDataset(X).columns == ["column_0"]


@pytest.mark.parametrize("source", [Squares(), squares, list(squares()), squares()])
def test_generators(source):
    data = ds.GeneratorDataset(source, ["i", "square"], shuffle=False if source != squares else None) \
        if hasattr(source, "__getitem__") else ds.GeneratorDataset(source, ["i", "square"])  # fmt: skip
    assert column(data, at=1) == [0, 1, 4, 9, 16, 25]
    once = iter(source) is source if not callable(source) else False
    assert data.get_dataset_size() == (-1 if once else 6)


def test_one_column_types_and_limits():
    data = ds.GeneratorDataset([1, 2, 3], "n", [ms.float32], shuffle=False, num_samples=2)
    assert data.output_types() == [np.float32] and data.output_shapes() == [[]]
    assert column(data) == [1.0, 2.0] and data.get_dataset_size() == 2
    assert column(ds.GeneratorDataset([1, 2, 3], ["n"], sampler=[2, 0])) == [3, 1]
    assert column(ds.GeneratorDataset(squares, ["i", "s"], num_samples=3)) == [0, 1, 2]


def test_shuffles_depend_on_seed_and_epoch_alone():
    ms.set_seed(3)
    orders = [column(pairs(), e) for e in range(3)]
    assert sorted(orders[0]) == X.tolist() and orders[0] != X.tolist()
    assert orders[0] != orders[1] != orders[2]
    assert orders == [column(pairs(), e) for e in range(3)]
    ds.config.set_seed(4)
    try:
        assert ds.config.get_seed() == 4
        assert column(pairs()) != orders[0]
    finally:
        ds.config._settings["seed"] = None
    data = pairs(shuffle=False).shuffle(4)
    first = column(data)
    assert sorted(first) == X.tolist()
    # With a buffer of 4, row k cannot come before row k - 3 has been read.
    assert all(value <= place + 3 for place, value in enumerate(first))
    assert first == column(data) != column(data, 1)


def test_shards_cover_the_rows_and_have_one_size():
    shards = [pairs(shuffle=False, num_shards=4, shard_id=i) for i in range(4)]
    assert [s.get_dataset_size() for s in shards] == [3] * 4
    assert [len(column(s)) for s in shards] == [3] * 4
    assert {x for s in shards for x in column(s)} == set(X.tolist())


def test_batches():
    data = pairs(shuffle=False).batch(4)
    assert column(data) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert data.get_dataset_size() == 3 and data.get_batch_size() == 4
    kept = pairs(shuffle=False).batch(4, drop_remainder=True)
    assert column(kept) == [[0, 1, 2, 3], [4, 5, 6, 7]] and kept.get_dataset_size() == 2
    one_by_one = ds.GeneratorDataset(Squares(), ["i", "s"], shuffle=False).batch(4)
    assert column(one_by_one, at=1) == [[0, 1, 4, 9], [16, 25]]
    same = pairs().batch(3), pairs().map(lambda x: x, "x").batch(3)
    assert column(same[0], 2) == column(same[1], 2)

    def padded(xs, info):
        width = max(len(x) for x in xs)
        return np.array([np.pad(x, (0, width - len(x))) for x in xs]) + info.get_batch_num()

    ragged = ds.GeneratorDataset([np.ones(n) for n in (1, 3, 2)], "x", shuffle=False)
    assert column(ragged.batch(2, per_batch_map=padded)) == [[[1, 0, 0], [1, 1, 1]], [[2, 2]]]
    with pytest.raises(ValueError, match="must have one shape"):
        list(ragged.batch(3).rows(0))


def test_a_function_says_how_many_rows_a_batch_has():
    data = pairs(shuffle=False).batch(lambda info: info.get_batch_num() + 2 + info.get_epoch_num())
    assert column(data) == [[0, 1], [2, 3, 4], [5, 6, 7, 8], [9]]
    assert [len(x) for x, _ in data.rows(1)] == [3, 4, 3]
    assert data.get_dataset_size() == 4
    with pytest.raises(ValueError, match="'batch_size' must be positive"):
        column(pairs().batch(lambda info: 0))


@pytest.mark.parametrize("workers", [1, 3])
def test_maps(workers):
    data = pairs(shuffle=False)
    assert column(data.map(lambda x: x * 2, num_parallel_workers=workers)) == (2 * X).tolist()
    both = data.map([lambda x, y: (y, x), lambda y, x: y - x], ["x", "y"], "z", workers)
    assert both.columns == ["z"] and column(both) == (Y - X).tolist()
    split = data.map(lambda x: (x, -x), "x", ["a", "b"], workers)
    assert split.columns == ["a", "b", "y"] and column(split, at=1) == (-X).tolist()
    later = data.map(lambda y: (y, -y), "y", ["a", "b"], workers)
    assert later.columns == ["a", "b", "x"] and column(later, at=2) == X.tolist()
    swapped = data.map(lambda y, x: (y, x), ["y", "x"], ["v", "u"], workers)
    assert swapped.columns == ["u", "v"] and column(swapped) == X.tolist()
    assert column(data.map(lambda x: Tensor(x), "x", num_parallel_workers=workers)) == X.tolist()
    with pytest.raises(ZeroDivisionError):
        list(data.map(lambda x: 1 // int(x), "x", num_parallel_workers=workers).rows(0))
    with pytest.raises(ValueError, match="gave 2 columns"):
        list(data.map(lambda x: (x, x), "x", num_parallel_workers=workers).rows(0))


def test_repetition_and_selection():
    data = pairs(shuffle=False)
    assert column(data.repeat(2)) == X.tolist() * 2
    assert data.repeat(2).get_dataset_size() == 20 and data.repeat(2).get_repeat_count() == 2
    shuffled = pairs()
    assert column(shuffled.repeat(2)) == column(shuffled, 0) + column(shuffled, 1)
    assert column(shuffled.repeat(2), 1) == column(shuffled, 2) + column(shuffled, 3)
    assert column(data.repeat().take(25)) == (X.tolist() * 3)[:25]
    assert column(data.skip(7)) == [7, 8, 9] and data.skip(7).get_dataset_size() == 3
    assert column(data.take(2)) == [0, 1] and data.take().get_dataset_size() == 10
    assert column(data.filter(lambda x: x % 3 == 0, "x")) == [0, 3, 6, 9]
    assert data.project(["y"]).columns == ["y"] and column(data.project("y")) == Y.tolist()
    assert data.rename("x", "w").columns == ["w", "y"]
    assert column(data.apply(lambda d: d.take(1))) == [0]


def test_combination():
    data, other = pairs(shuffle=False), ds.NumpySlicesDataset({"z": X[:4] * 10}, shuffle=False)
    zipped = data.zip(other)
    assert zipped.columns == ["x", "y", "z"] and zipped.get_dataset_size() == 4
    assert column(zipped, at=2) == [0, 10, 20, 30] and column(ds.zip((other, data)), at=1) == [
        0,
        1,
        2,
        3,
    ]
    assert column(data.take(2) + data.skip(8)) == [0, 1, 8, 9]
    assert (data + data).get_dataset_size() == 20
    parts = data.split([0.7, 0.3])
    assert [p.get_dataset_size() for p in parts] == [7, 3]
    assert sorted(column(parts[0]) + column(parts[1])) == X.tolist()
    assert column(data.split([4, 6], randomize=False)[1]) == [4, 5, 6, 7, 8, 9]


def test_iterators():
    data = pairs().batch(4)
    rows = [row[0].asnumpy().tolist() for row in data]
    assert rows == column(data, 0)
    assert [row[0].asnumpy().tolist() for row in data] == column(data, 1)
    iterator = data.create_dict_iterator(num_epochs=2)
    for epoch in range(2):
        found = list(iterator)
        assert all(isinstance(row["x"], Tensor) for row in found)
        assert [row["x"].asnumpy().tolist() for row in found] == column(data, epoch)
    with pytest.raises(RuntimeError, match="made for 2 epochs"):
        list(iterator)
    (row, *_) = pairs().create_tuple_iterator("y", output_numpy=True)
    assert len(row) == 1 and isinstance(row[0], np.ndarray)


def test_prefetch_keeps_order_and_passes_errors_on():
    data = ds.GeneratorDataset(squares, ["i", "s"])
    assert column(data.prefetch(2)) == column(data)
    bad = data.map(lambda i: 1 // (3 - int(i)), "i").prefetch()
    found = []
    with pytest.raises(ZeroDivisionError):
        for row in bad.rows(0):
            found.append(row)
    assert len(found) == 3
    endless = pairs().repeat().prefetch(3).rows(0)
    next(endless)
    endless.close()  # the thread ends


@pytest.mark.parametrize(
    "kind, words, call",
    [
        (ValueError, "'column_names' must be given", lambda: ds.GeneratorDataset([1])),
        (TypeError, "must have __getitem__", lambda: ds.GeneratorDataset(3, "x")),
        (ValueError, "need a source with", lambda: ds.GeneratorDataset(squares, "x", shuffle=True)),
        (
            ValueError,
            "has 2 columns",
            lambda: column(ds.GeneratorDataset(squares, ["a", "b", "c"])),
        ),
        (ValueError, "has 2 columns", lambda: column(ds.GeneratorDataset(squares, ["a"]))),
        (ValueError, "one length above 0", lambda: ds.NumpySlicesDataset((X, Y[:3]))),
        (ValueError, "and 1 names", lambda: ds.NumpySlicesDataset((X, Y), "x")),
        (RuntimeError, "at the same time", lambda: pairs(shuffle=True, sampler=[0])),
        (ValueError, "must be given together", lambda: pairs(num_shards=2)),
        (ValueError, "must be in [0, 2)", lambda: pairs(num_shards=2, shard_id=2)),
        (ValueError, "'num_samples' must be at least 0", lambda: pairs(num_samples=-1)),
        (ValueError, "must be positive", lambda: pairs().batch(0)),
        (TypeError, "must be an int", lambda: pairs().batch(2.0)),
        (TypeError, "unexpected argument", lambda: pairs().batch(2, pad=True)),
        (ValueError, "no column 'z'", lambda: pairs().map(abs, "z")),
        (TypeError, "must be functions", lambda: pairs().map([])),
        (ValueError, "at least 2", lambda: pairs().shuffle(1)),
        (ValueError, "different names", lambda: pairs().zip(pairs())),
        (
            TypeError,
            "must be a tuple or list of data sets, but datasets[1] is int 3",
            lambda: ds.zip([pairs(), 3]),
        ),
        (ValueError, "same columns", lambda: pairs() + pairs().project("x")),
        (ValueError, "must be positive and sum", lambda: pairs().split([4, 4])),
        (ValueError, "must be known", lambda: pairs().repeat().split([0.5, 0.5])),
        (ValueError, "2 columns and 1 names", lambda: pairs().rename(["x", "y"], "z")),
        (TypeError, "gave a int", lambda: pairs().apply(lambda d: 3)),
        (RuntimeError, "no rows", lambda: pairs().skip(10).output_shapes()),
        (TypeError, "must be an int", lambda: ds.config.set_seed("a")),
        (ValueError, "must be positive", lambda: ds.config.set_num_parallel_workers(0)),
    ],
)
def test_mistakes_are_named(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    assert words in said(caught.value)


def test_an_iterator_cannot_be_read_twice():
    data = ds.GeneratorDataset(squares(), ["i", "s"])
    assert len(column(data)) == 6
    with pytest.raises(RuntimeError, match="read once"):
        column(data, 1)


def test_in_debug_mode_all_is_one_thread():
    seen = set()

    def note(x):
        seen.add(threading.get_ident())
        return x

    rows = ds.GeneratorDataset([1, 2, 3, 4], ["x"], shuffle=False).map(note, num_parallel_workers=2)
    rows = rows.prefetch(2)
    assert not ds.config.get_debug_mode()
    ds.config.set_debug_mode(True)
    try:
        assert [int(row[0]) for row in rows] == [1, 2, 3, 4]
        assert seen == {threading.get_ident()} and ds.config.get_debug_mode()
    finally:
        ds.config.set_debug_mode(False)
    list(rows)
    assert len(seen) > 1
    for given in ((1,), (True, [print])):
        with pytest.raises(TypeError, match="set_debug_mode"):
            ds.config.set_debug_mode(*given)


def test_a_data_set_goes_on_after_a_step(monkeypatch):
    """As MindSpore's: steps count over epochs, each of which has its own order."""
    monkeypatch.setitem(ds.config._settings, "seed", 3)
    data = ds.NumpySlicesDataset(np.arange(4), ["x"], shuffle=True).map(lambda x: x + 1)
    epochs = lambda n: [
        [int(r["x"]) for r in it] for it in [data.create_dict_iterator(n, True)] * n
    ]
    wanted = epochs(3)
    assert data.get_init_step() == 0 and data.batch(2).get_init_step() == 0
    data.set_init_step(6)
    (rest, last) = (
        [int(r[0]) for r in it]
        for it in [data.create_tuple_iterator(num_epochs=3, output_numpy=True)] * 2
    )
    assert (rest, last) == (wanted[1][2:], wanted[2])
    assert data.batch(2).get_init_step() == 6 and data.get_dataset_size() == 4
    assert [int(r["x"]) for r in data.skip(1).create_dict_iterator()] == wanted[2][1:]
    with pytest.raises(RuntimeError, match="1 epochs, which are over"):
        list(data.create_tuple_iterator(num_epochs=1))
    for step, kind in ((-1, ValueError), (1.5, TypeError), ("a", TypeError)):
        with pytest.raises(kind, match="set_init_step"):
            data.set_init_step(step)


def test_training_goes_on_after_a_step():
    class Seen(ms.train.Callback):
        def on_train_step_end(self, run_context):
            args = run_context.original_args()
            seen.append((args.cur_epoch_num, int(args.net_outputs.item())))

    def trained(epochs, initial):
        seen.clear()
        model = ms.train.Model(nn.ReLU())
        model.train(epochs, data, Seen(), dataset_sink_mode=False, initial_epoch=initial)
        return list(seen)

    seen = []
    data = ds.NumpySlicesDataset(np.arange(4, dtype=np.float32), ["x"], shuffle=True)
    wanted = trained(3, 0)
    data.set_init_step(5)
    assert trained(3, 1) == wanted[5:]
    assert trained(2, 0) == [(epoch - 1, value) for epoch, value in wanted[5:]]
