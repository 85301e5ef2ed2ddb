"""Training that was ended anywhere goes on to the same numbers, with all that callbacks know."""

import os

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import dataset as ds
from cellgrad import nn, train

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((48, 4)).astype(np.float32)
CLASSES = (X[:, 0] * X[:, 1] > 0).astype(np.int32)
PER_EPOCH = 6


class Killed(Exception):
    pass


class Kill(train.Callback):
    """Ends the process, as far as the rest can tell, at an event of a step."""

    def __init__(self, event, step):
        def die(context):
            if context.original_args().cur_step_num == step:
                raise Killed

        if event:
            setattr(self, event, die)


def run(folder, freq, event=None, step=0, others=()):
    """Trains as a new process would, and gives all there is to compare."""
    ms.set_seed(5)
    net = nn.SequentialCell(
        nn.Dense(4, 8, activation="tanh"), nn.BatchNorm1d(8), nn.Dropout(p=0.3), nn.Dense(8, 2)
    )
    optimizer = nn.Adam(net.trainable_params(), 0.02)
    model = train.Model(net, nn.CrossEntropyLoss(), optimizer, {"acc", "loss"})
    rows = ds.NumpySlicesDataset({"x": X[:36], "y": CLASSES[:36]}).shuffle(10).batch(PER_EPOCH)
    held_out = ds.NumpySlicesDataset({"x": X[36:], "y": CLASSES[36:]}, shuffle=False).batch(12)
    history = train.History()
    # The first one stands before those whose changes it keeps.
    callbacks = [
        train.BackupAndRestore(str(folder), freq),
        train.LearningRateScheduler(lambda rate, step: rate * 0.999),
        train.ReduceLROnPlateau("eval_loss", 0.5, patience=2, cooldown=1),
        train.EarlyStopping("eval_loss", patience=6, restore_best_weights=True),
        history,
        *others,
        Kill(event, step),
    ]
    model.fit(20, rows, held_out, callbacks=callbacks)
    state = {p.name: p.asnumpy().copy() for p in optimizer.get_parameters()}
    state |= {p.name: p.asnumpy().copy() for p in net.get_parameters()}
    return state, history.history, history.epoch


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    found = run(tmp_path_factory.mktemp("whole"), "epoch")
    assert 6 < len(found[2]["epoch"]) < 20  # stopped early
    return found


@pytest.mark.parametrize(
    "freq, event, step",
    [
        (1, "on_eval_begin", 3 * PER_EPOCH),  # all steps of the epoch are in the file
        (1, "on_train_epoch_end", 4 * PER_EPOCH),
        (4, "on_train_step_begin", 15),
        (4, "on_train_step_end", 26),
        ("epoch", "on_train_step_end", 21),
        ("epoch", "on_train_epoch_begin", 5 * PER_EPOCH),
    ],
)
def test_all_goes_on_where_it_was(tmp_path, whole, capsys, freq, event, step):
    state, history, epochs = whole
    with pytest.raises(Killed):
        run(tmp_path, freq, event, step)
    found = run(tmp_path, freq)
    assert "Continuing from" in capsys.readouterr().out
    assert os.listdir(tmp_path) == []
    assert found[1:] == (history, epochs)
    for name, value in state.items():
        np.testing.assert_array_equal(found[0][name], value, err_msg=name)


@pytest.mark.parametrize("freq", ["epoch", 1])
def test_an_end_that_was_asked_for_is_not_passed(tmp_path, whole, freq):
    state, history, epochs = whole
    with pytest.raises(Killed):
        run(tmp_path, freq, "on_train_end", len(epochs["epoch"]) * PER_EPOCH)
    found = run(tmp_path, freq)
    assert found[1:] == (history, epochs)
    for name, value in state.items():
        np.testing.assert_array_equal(found[0][name], value, err_msg=name)


def test_checkpoints_go_on_with_their_names(tmp_path):
    def files(folder, event=None, step=0):
        config = train.CheckpointConfig(save_checkpoint_steps=4, keep_checkpoint_max=3)
        saving = train.ModelCheckpoint("net", str(folder), config)
        run(tmp_path / "state", 1, event, step, (saving,))
        return sorted(os.listdir(folder))

    wanted = files(tmp_path / "whole")
    with pytest.raises(Killed):
        files(tmp_path / "killed", "on_train_step_end", 17)
    assert files(tmp_path / "killed") == wanted and len(wanted) == 3


def test_callbacks_of_ones_own_are_kept(tmp_path):
    class Count(train.Callback):
        def __init__(self):
            self.steps = 0

        def on_train_step_end(self, run_context):
            self.steps += 1

        def state_dict(self):
            return {"steps": self.steps}

        def load_state_dict(self, state):
            self.steps = state["steps"]

    with pytest.raises(Killed):
        run(tmp_path, 5, "on_train_step_end", 13, (Count(),))
    count = Count()
    _, _, epochs = run(tmp_path, 5, others=(count,))
    assert count.steps == len(epochs["epoch"]) * PER_EPOCH


def test_other_callbacks_are_refused(tmp_path):
    with pytest.raises(Killed):
        run(tmp_path, 5, "on_train_step_end", 13)
    with pytest.raises(ValueError, match=r"written with other callbacks: (.|\n)*same order"):
        run(tmp_path, 5, others=(train.TimeMonitor(),))


def test_states_that_do_not_fit_are_refused_and_change_nothing(tmp_path):
    def go_on(width):
        net = nn.Dense(4, width)
        model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
        rows = ds.NumpySlicesDataset({"x": X, "y": X[:, :width]}).batch(16)
        before = net.weight.asnumpy().copy()
        backup = train.BackupAndRestore(str(tmp_path), delete_checkpoint=False)
        try:
            model.train(1, rows, callbacks=[backup])
        except ValueError:
            assert net.weight.shape == (width, 4)
            np.testing.assert_array_equal(net.weight.asnumpy(), before)
            raise

    go_on(2)
    with pytest.raises(
        ValueError, match=r"another network or optimizer: they differ in \['weight'"
    ):
        go_on(3)
    ms.save_checkpoint(nn.Dense(4, 3), str(tmp_path / "backup.ckpt"))
    with pytest.raises(ValueError, match=r"backup\.ckpt' was not written by 'BackupAndRestore'"):
        go_on(3)
