"""`Model` and its callbacks: the same numbers as the loop written out, what callbacks see and do,
and training that goes on after a kill.
"""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from messages import said

import cellgrad as ms
from cellgrad import Tensor, nn, train
from cellgrad import dataset as ds

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((50, 4)).astype(np.float32)
CLASSES = (X @ RANDOM.standard_normal((4, 3))).argmax(1).astype(np.int32)


def rows(batch=16):
    return ds.NumpySlicesDataset({"x": X, "y": CLASSES}).batch(batch)


def parts(rate=0.05, kind=nn.Adam):
    ms.set_seed(7)
    net = nn.SequentialCell(nn.Dense(4, 8, activation="tanh"), nn.Dense(8, 3))
    return net, nn.CrossEntropyLoss(), kind(net.trainable_params(), rate)


def model(metrics=("acc", "loss"), rate=0.05, kind=nn.Adam, **options):
    net, loss, optimizer = parts(rate, kind)
    return train.Model(net, loss, optimizer, set(metrics), **options)


def weights(m):
    return [p.asnumpy().copy() for p in m.predict_network.get_parameters()]


def test_training_is_the_loop_written_out():
    m = model()
    m.train(3, rows())
    net, loss, optimizer = parts()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
    for epoch in range(3):
        for x, y in rows().epoch_rows(epoch):
            step(x, y)
    for got, wanted in zip(weights(m), net.get_parameters()):
        np.testing.assert_array_equal(got, wanted.asnumpy())


def test_any_iterable_of_batches_will_do():
    torch_like = [(memoryview(X[:16]), CLASSES[:16].tolist()), (X[16:32], CLASSES[16:32])]
    batches = {
        "tuples": [(np.asarray(x), np.asarray(y, np.int32)) for x, y in torch_like],
        "dicts": [{"x": Tensor(X[:16]), "y": CLASSES[:16]}, {"x": X[16:32], "y": CLASSES[16:32]}],
    }

    class Loader:
        def __iter__(self):
            return iter(batches["tuples"])

    found = []
    for data in (*batches.values(), Loader()):
        m = model()
        m.train(2, data)
        found.append(weights(m))
    for other in found[1:]:
        for a, b in zip(found[0], other):
            np.testing.assert_array_equal(a, b)
    m = model()
    with pytest.raises(ValueError, match=r"no batches in epoch 2(.|\n)*read once"):
        m.train(2, iter(batches["tuples"]))
    with pytest.raises(TypeError, match="iterable of batches"):
        m.train(2, 3)


def test_evaluation_and_prediction():
    m = model()
    history = train.History()
    m.fit(8, rows(), rows(50), 2, callbacks=[history])
    results = m.eval(rows())
    logits = m.predict(X).asnumpy()
    shifted = logits - logits.max(1, keepdims=True)
    losses = np.log(np.exp(shifted).sum(1)) - shifted[np.arange(50), CLASSES]
    with pytest.raises(ValueError, match="'backend' must be"):
        m.predict(X, backend="gpu")
    assert results["acc"] == pytest.approx((logits.argmax(1) == CLASSES).mean())
    assert m.eval(rows(50))["loss"] == pytest.approx(losses.mean(), rel=1e-5)
    assert results["acc"] > 0.9
    assert history.epoch["epoch"] == list(range(1, 9))
    assert len(history.history["net_output"]) == 8
    assert len(history.history["acc"]) == len(history.history["eval_loss"]) == 4
    assert history.history["net_output"][-1] < history.history["net_output"][0]


def test_fit_compiles_training_and_evaluation_once():
    m = model()
    m.fit(4, rows(25), rows(25))
    assert len(m.train_network._jit_program.variants) == 1
    assert len(m.eval_network._jit_program.variants) == 1


@pytest.mark.parametrize("level", ["O0", "O2", "O3"])
def test_mixed_precision(level):
    m = model(amp_level=level)
    m.train(30, rows())
    assert isinstance(m.train_network, nn.TrainOneStepWithLossScaleCell) == (level == "O2")
    assert m.eval(rows())["acc"] > 0.9
    assert m.predict(X).dtype is ms.float32


def test_a_network_that_is_its_own_step():
    net, loss, optimizer = parts()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer)
    evaluation = nn.WithEvalCell(net, loss)
    m = train.Model(
        step, metrics={"acc": train.Accuracy().set_indexes([1, 2])}, eval_network=evaluation
    )
    m.train(20, rows())
    assert m.eval(rows())["acc"] > 0.9
    m = train.Model(step, metrics={"acc"}, eval_network=evaluation, eval_indexes=[0, 1, 2])
    assert m.eval(rows())["acc"] > 0.9


class Recorder(train.Callback):
    def __init__(self):
        self.events = []

    def __enter__(self):
        self.events.append("enter")
        return self

    def __exit__(self, *error):
        self.events.append("exit")

    def note(self, name, run_context):
        args = run_context.original_args()
        self.events.append((name, args.mode, args.cur_epoch_num, args.cur_step_num))

    def begin(self, run_context):
        self.note("begin", run_context)

    def epoch_begin(self, run_context):
        self.note("epoch_begin", run_context)

    def epoch_end(self, run_context):
        self.note("epoch_end", run_context)

    def step_begin(self, run_context):
        self.note("step_begin", run_context)

    def step_end(self, run_context):
        args = run_context.original_args()
        self.note("step_end", run_context)
        assert args["batch_num"] == args.get("batch_num") == 2
        assert args.no_such_thing is None

    def end(self, run_context):
        self.note("end", run_context)


def test_events_come_in_order():
    recorder = Recorder()
    model().train(2, rows(25), [recorder])
    assert recorder.events == [
        "enter",
        ("begin", "train", 0, 0),
        ("epoch_begin", "train", 1, 0),
        ("step_begin", "train", 1, 1),
        ("step_end", "train", 1, 1),
        ("step_begin", "train", 1, 2),
        ("step_end", "train", 1, 2),
        ("epoch_end", "train", 1, 2),
        ("epoch_begin", "train", 2, 2),
        ("step_begin", "train", 2, 3),
        ("step_end", "train", 2, 3),
        ("step_begin", "train", 2, 4),
        ("step_end", "train", 2, 4),
        ("epoch_end", "train", 2, 4),
        ("end", "train", 2, 4),
        "exit",
    ]
    recorder = Recorder()
    model().eval(rows(25), recorder)
    assert [e[0] for e in recorder.events[1:-1]] == [
        *("begin", "epoch_begin", "step_begin", "step_end", "step_begin", "step_end"),
        *("epoch_end", "end"),
    ]
    seen = []
    stop = train.LambdaCallback(
        on_train_step_end=lambda c: c.request_stop(), on_eval_end=lambda c: seen.append("eval")
    )
    m = model()
    m.fit(5, rows(25), rows(25), callbacks=stop)
    assert int(m._optimizer.global_step) == 1 and seen == ["eval"]


def test_reports(capsys):
    m = model(rate=0.01, kind=nn.SGD)
    m.fit(
        2, rows(25), rows(25), callbacks=[train.LossMonitor(2), train.TimeMonitor(data_time=True)]
    )
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert err == ""  # the progress bar is for terminals
    assert [line.rpartition(" ")[0] for line in lines if line.startswith("epoch")] == [
        "epoch: 1 step: 2, loss is",
        "epoch: 2 step: 2, loss is",
    ]
    assert sum("Eval result: epoch " in line and "'acc'" in line for line in lines) == 2
    times = [line for line in lines if "epoch time:" in line and "per step time:" in line]
    assert [t.split()[0] for t in times] == ["Eval", "Train"] * 2
    assert all("(data time:" in t for t in times)


def test_a_loss_that_is_not_finite_ends_training():
    bad = [(np.full((2, 4), np.nan, np.float32), CLASSES[:2])]
    with pytest.raises(ValueError, match="epoch: 1 step: 1, loss is NAN or INF"):
        model().train(1, bad, train.LossMonitor(0))


class Scripted(train.Metric):
    """A metric that gives numbers from a list, one an evaluation."""

    def __init__(self, values):
        super().__init__()
        self.values = list(values)

    def clear(self):
        pass

    def update(self, *inputs):
        pass

    def eval(self):
        return self.values.pop(0)


def scripted(values, kind=nn.SGD):
    net, loss, optimizer = parts(0.5, kind)
    return train.Model(net, loss, optimizer, {"score": Scripted(values)})


def test_early_stopping_puts_the_best_weights_back(capsys):
    m = scripted([1.0, 3.0, 2.0, 2.5, 9.0])
    kept = []
    stop = train.EarlyStopping("score", patience=2, verbose=True, restore_best_weights=True)
    note = train.LambdaCallback(on_train_epoch_end=lambda c: kept.append(weights(m)))
    m.fit(5, rows(25), rows(25), callbacks=[note, stop])
    assert stop.stopped_epoch == 4 and len(kept) == 4
    for got, wanted in zip(weights(m), kept[1]):
        np.testing.assert_array_equal(got, wanted)
    out = capsys.readouterr().out
    assert "Epoch 00004: early stopping" in out and "Restoring model weights" in out


@pytest.mark.parametrize(
    "options, values, stopped",
    [
        ({"mode": "min"}, [3.0, 2.0, 2.5, 1.0], 3),
        ({"mode": "max", "min_delta": 0.5}, [1.0, 1.4, 2.0, 3.0], 2),
        ({"mode": "max", "patience": 3, "baseline": 5.0}, [1.0, 2.0, 3.0, 6.0], 3),
        ({"mode": "max", "patience": 9}, [1.0, 1.0, 1.0, 1.0], 0),
    ],
)
def test_when_early_stopping_stops(options, values, stopped):
    stop = train.EarlyStopping("score", **{"patience": 1, **options})
    scripted(values).fit(4, rows(25), rows(25), callbacks=stop)
    assert stop.stopped_epoch == stopped


def test_the_learning_rate_falls_on_a_plateau(capsys):
    m = scripted([1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    rates = []
    plateau = train.ReduceLROnPlateau(
        "score", factor=0.1, patience=1, verbose=True, cooldown=1, min_lr=0.004
    )
    note = train.LambdaCallback(
        on_train_epoch_end=lambda c: rates.append(float(m._optimizer.learning_rate))
    )
    m.fit(6, rows(25), rows(25), callbacks=[plateau, note])
    np.testing.assert_allclose(rates, [0.5, 0.05, 0.005, 0.004, 0.004, 0.004], rtol=1e-6)
    assert "reducing learning rate to 0.05" in capsys.readouterr().out


def test_a_learning_rate_set_by_a_function():
    m = model(rate=1.0, kind=nn.SGD)
    seen = []

    def halved(rate, step):
        seen.append((rate, step))
        return rate / 2 if step % 2 == 0 else rate

    m.train(2, rows(25), train.LearningRateScheduler(halved))
    assert seen == [(1.0, 1), (1.0, 2), (0.5, 3), (0.5, 4)]
    assert float(m._optimizer.learning_rate) == 0.25


def test_watching_what_is_not_there(capsys):
    m = model()
    m.train(1, rows(), [train.EarlyStopping("speed"), train.ReduceLROnPlateau("eval_loss")])
    out = capsys.readouterr().out
    assert "EarlyStopping watches 'speed', which is not available" in out
    assert "ReduceLROnPlateau watches 'eval_loss'" in out
    grouped = model(rate=[0.1, 0.2], kind=nn.SGD)
    with pytest.raises(ValueError, match="does not support dynamic learning rate"):
        grouped.train(1, rows(), train.ReduceLROnPlateau("loss"))


def test_checkpoints(tmp_path):
    m = model()
    config = train.CheckpointConfig(
        3, keep_checkpoint_max=2, append_info=["epoch_num", "step_num", {"note": "x"}]
    )
    saver = train.ModelCheckpoint("net", str(tmp_path), config)
    m.train(2, rows(10), saver)  # ten steps
    assert sorted(os.listdir(tmp_path)) == ["net-2_4.ckpt", "net-2_5.ckpt"]
    assert saver.latest_ckpt_file_name == str(tmp_path / "net-2_5.ckpt")
    state = ms.load_checkpoint(saver.latest_ckpt_file_name)
    assert int(state["epoch_num"]) == 2 and int(state["step_num"]) == 10
    assert "moment1.0.weight" in state
    np.testing.assert_array_equal(state["0.weight"].asnumpy(), weights(m)[0])
    again = train.ModelCheckpoint(
        "net", str(tmp_path), train.CheckpointConfig(format="safetensors")
    )
    m.train(1, rows(25), again)
    assert {f for f in os.listdir(tmp_path) if f.startswith("net_1")} == {
        "net_1-1_1.safetensors",
        "net_1-1_2.safetensors",
    }
    small = train.CheckpointConfig(saved_network=m.predict_network)
    m.train(1, rows(50), train.ModelCheckpoint("small", str(tmp_path / "new"), small))
    assert len(ms.load_checkpoint(str(tmp_path / "new" / "small-1_1.ckpt"))) == 4
    assert small.get_checkpoint_policy()["keep_checkpoint_max"] == 5
    assert small.save_checkpoint_seconds is None and small.keep_checkpoint_per_n_minutes is None


KILLED = """
import os, signal, sys
sys.path.insert(0, {tests!r})
import numpy as np
from test_model import model, rows, train, weights, nn
import cellgrad as ms

m = model(rate=nn.CosineDecayLR(0.001, 0.05, 40), amp_level="O2")
def die(context):
    if context.original_args().cur_step_num == {step}:
        os.kill(os.getpid(), signal.SIGKILL)
callbacks = [train.BackupAndRestore({folder!r}, {freq!r}), train.LambdaCallback(on_train_step_end=die)]
m.train(6, rows(), callbacks)
np.savez({out!r}, *weights(m), step=m._optimizer.global_step.asnumpy())
"""


@pytest.mark.parametrize("freq, kills", [("epoch", (7, 18)), (3, (2, 11))])
def test_training_goes_on_after_a_kill_to_the_same_numbers(tmp_path, freq, kills):
    def run(name, steps):
        folder, out = str(tmp_path / name), str(tmp_path / f"{name}.npz")
        for step in (*steps, -1):
            code = KILLED.format(
                tests=os.path.dirname(__file__), folder=folder, out=out, freq=freq, step=step
            )
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            assert done.returncode == (-signal.SIGKILL if step > 0 else 0), done.stderr
        assert os.listdir(folder) == []  # removed at the end
        return np.load(out)

    whole, killed = run("whole", ()), run("killed", kills)
    for name in whole.files:
        np.testing.assert_array_equal(whole[name], killed[name])
    assert 12 < killed["step"] < 24  # the first steps overflow float16 and are left out


SLOW = """
import sys, time
sys.path.insert(0, {tests!r})
import numpy as np
from test_model import model, rows, train, weights

m = model()
wait = train.LambdaCallback(on_train_step_end=lambda context: time.sleep(0.004))
print("starts", flush=True)
m.train(60, rows(), [train.BackupAndRestore({folder!r}, 1), wait])
np.savez({out!r}, *weights(m))
"""


def test_kills_at_any_moment_change_no_number(tmp_path):
    """The state is written after every step, and the process is killed from outside, wherever it is."""
    random, whole = np.random.default_rng(0), model()
    whole.train(60, rows())
    out = tmp_path / "killed.npz"
    text = SLOW.format(
        tests=os.path.dirname(__file__), folder=str(tmp_path / "state"), out=str(out)
    )
    killed = 0
    for attempt in range(20):
        command = [sys.executable, "-c", text]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "starts\n"
            if attempt < 4:
                time.sleep(random.uniform(0.1, 0.6))
                process.send_signal(signal.SIGKILL)
            process.stdout.read()  # to its end: a closed pipe would stop the process, too
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL
        killed += 1
    assert killed > 1
    found = np.load(out)
    for name, value in zip(found.files, weights(whole), strict=True):
        np.testing.assert_array_equal(found[name], value)


def test_a_backup_of_something_else_is_refused(tmp_path):
    keep = train.BackupAndRestore(str(tmp_path), delete_checkpoint=False)
    model().train(1, rows(), keep)
    with pytest.raises(ValueError, match="of another network or optimizer"):
        model(kind=nn.SGD).train(1, rows(), keep)


NET = nn.Dense(4, 3)


@pytest.mark.parametrize(
    "kind, words, call",
    [
        (TypeError, "'network' must be a Cell", lambda: train.Model(abs)),
        (TypeError, "'eval_network' must be a Cell", lambda: train.Model(NET, eval_network=3)),
        (ValueError, "'speed' is not supported", lambda: train.Model(NET, speed=1)),
        (ValueError, "list of three ints", lambda: train.Model(NET, eval_indexes=[1])),
        (TypeError, "should be None, dict", lambda: train.Model(NET, metrics="acc")),
        (TypeError, "must map names to metrics", lambda: train.Model(NET, metrics={"acc": 3})),
        (ValueError, "'epoch' must be positive", lambda: model().train(0, rows())),
        (
            ValueError,
            "'initial_epoch' must be in",
            lambda: model().train(2, rows(), initial_epoch=2),
        ),
        (
            TypeError,
            "must have two columns, inputs and labels, but got 3",
            lambda: model().train(1, [(X, CLASSES, CLASSES)]),
        ),
        (TypeError, "but got 1.", lambda: model().train(1, [X])),
        (ValueError, "'metrics' can not be None", lambda: model(()).eval(rows())),
        (ValueError, "needs 'loss_fn'", lambda: train.Model(NET, metrics={"acc"})),
        (TypeError, "'initial_epoch'", lambda: model().train(2, rows(), initial_epoch="1")),
        (TypeError, "'dataset_sink_mode'", lambda: model().train(2, rows(), dataset_sink_mode=1)),
        (TypeError, "must be 'Callback'", lambda: model().train(1, rows(), [print])),
        (TypeError, "must be an int", lambda: train.LossMonitor("2")),
        (TypeError, "'monitor' must be a str", lambda: train.EarlyStopping(3)),
        (
            ValueError,
            "'mode' must be 'auto', 'min' or 'max'",
            lambda: train.EarlyStopping(mode="best"),
        ),
        (ValueError, "'patience' must be", lambda: train.EarlyStopping(patience=-1)),
        (ValueError, "'factor' must be in", lambda: train.ReduceLROnPlateau(factor=1.0)),
        (TypeError, "must be a function", lambda: train.LearningRateScheduler(0.1)),
        (ValueError, "can't both be None", lambda: train.CheckpointConfig(0)),
        (ValueError, "non-negative int", lambda: train.CheckpointConfig(-1)),
        (TypeError, "non-negative int", lambda: train.CheckpointConfig("abc")),
        (TypeError, "must be a Cell or None", lambda: train.CheckpointConfig(saved_network=3)),
        (ValueError, "'format' must be", lambda: train.CheckpointConfig(format="zip")),
        (TypeError, "'append_info' must hold", lambda: train.CheckpointConfig(append_info=["x"])),
        (ValueError, "does not contain '/'", lambda: train.ModelCheckpoint("a/b")),
        (TypeError, "must be a CheckpointConfig or None", lambda: train.ModelCheckpoint(config=3)),
        (TypeError, "'backup_dir' must be a str", lambda: train.BackupAndRestore(3)),
        (ValueError, "'save_freq'", lambda: train.BackupAndRestore("/tmp", 0)),
    ],
)
def test_mistakes_are_named(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    assert words in said(caught.value)


def test_data_that_counts_its_batches_begins_anew():
    """As MindSpore's `Model`, which calls ``reset`` after each epoch."""

    class Counting:
        left = 2

        def reset(self):
            self.left = 2

        def __iter__(self):
            return self

        def __next__(self):
            if not self.left:
                raise StopIteration
            self.left -= 1
            return X, CLASSES

    data, seen = Counting(), []
    m = model()
    m.train(3, data, train.LambdaCallback(on_train_step_end=lambda c: seen.append(1)))
    assert len(seen) == 6 and m.eval(data) == m.eval(data)


# --- loops of one's own ---------------------------------------------------------------------------


def test_older_events_of_callbacks(tmp_path, capsys):
    """A loop of one's own calls them, as programs for MindSpore do, and derived classes have them in place."""

    class Loud(train.LossMonitor):
        def step_end(self, run_context):
            print("a step")

    net = nn.Dense(1, 1)
    params = train.callback._InternalCallbackParam()
    params.train_network, params.epoch_num, params.batch_num = net, 2, 3
    params.optimizer = nn.SGD(net.trainable_params(), 0.5)
    config = train.CheckpointConfig(save_checkpoint_steps=2)
    saver = train.ModelCheckpoint("own", str(tmp_path), config)
    history = train.History()
    rate = train.LearningRateScheduler(lambda rate, step: rate / 2)
    with train.callback._CallbackManager(
        [saver, history, rate, train.LossMonitor(2), Loud()]
    ) as called:
        run = train.RunContext(params)
        called.begin(run)
        for step in range(1, 7):
            params.cur_step_num, params.cur_epoch_num = step, (step - 1) // 3 + 1
            params.net_outputs = Tensor(float(step))
            called.step_begin(run)
            called.step_end(run)
            if step % 3 == 0:
                called.epoch_end(run)
        called.end(run)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "own-1_2.ckpt",
        "own-2_1.ckpt",
        "own-2_3.ckpt",
    ]
    assert history.history == {"net_output": [3.0, 6.0]} and history.epoch == {"epoch": [1, 2]}
    assert params.optimizer.learning_rate.item() == 0.5 / 2**6
    lines = capsys.readouterr().out.splitlines()
    assert lines.count("a step") == 6
    assert [s for s in lines if s != "a step"] == [
        "epoch: 1 step: 2, loss is 2.0",
        "epoch: 2 step: 1, loss is 4.0",
        "epoch: 2 step: 3, loss is 6.0",
    ]
    with pytest.raises(TypeError, match="RunContext"):
        train.RunContext(666)


def test_names_of_checkpoints_by_functions(tmp_path):
    m = model()
    where = lambda run: str(tmp_path / f"epoch{run.cur_epoch_num}")
    saver = train.ModelCheckpoint(lambda run: f"{run.cur_step_num}_steps", where)
    m.train(2, rows(50), saver)
    assert sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*.ckpt")) == [
        "epoch1/1_steps.ckpt",
        "epoch2/2_steps.ckpt",
    ]
    with pytest.raises(ValueError, match="does not contain '/'"):
        m.train(1, rows(50), train.ModelCheckpoint(lambda run: "a/b", str(tmp_path)))
