"""Checkpoints written in another thread: a failure is told, with the path, the line and the reason."""

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import dataset as ds
from cellgrad import nn, train
from cellgrad.checkpoints import ckpt as _checkpoint
from cellgrad.checkpoints import serialization


@contextlib.contextmanager
def no_room():
    """Files can have 100 bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)


def ended():
    """Waits for the thread without asking how it went."""
    for thread in threading.enumerate():
        if thread.name == "asyn_save_ckpt":
            thread.join()


def fail(folder, way, format="ckpt"):
    """Begins to write a file that cannot be written; gives its path."""
    net = nn.Dense(20, 20)
    if way == "the folder is gone":
        path = f"{folder}/gone/a.{format}"
    elif way == "not writable":
        path = f"/proc/self/a.{format}"  # for root, too
    else:
        path = f"{folder}/a.{format}"
    with no_room() if way == "no room" else contextlib.nullcontext():
        ms.save_checkpoint(net, path, async_save=True, format=format)  # the line
        ended()
    return os.path.realpath(path)


WAYS = {
    "the folder is gone": "No such file or directory",
    "not writable": "No such file or directory|Permission denied",
    "no room": "File too large",
}


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
@pytest.mark.parametrize("way", WAYS)
def test_the_next_save_tells(tmp_path, way, format):
    path = fail(tmp_path, way, format)
    with pytest.raises(OSError, match=rf"was not written: .*({WAYS[way]})(.|\n)*again") as caught:
        ms.save_checkpoint(nn.Dense(1, 1), str(tmp_path / "b.ckpt"))
    words = str(caught.value)
    assert f"'{path}'" in words and "# the line" in words and __file__ in words
    assert caught.value.__cause__.filename == path
    assert os.listdir(tmp_path) == []
    ms.save_checkpoint(nn.Dense(1, 1), str(tmp_path / "b.ckpt"), async_save=True)  # told once
    assert len(ms.load_checkpoint(str(tmp_path / "b.ckpt"))) == 2


def test_the_next_load_tells(tmp_path):
    ms.save_checkpoint(nn.Dense(1, 1), str(tmp_path / "b.ckpt"))
    path = fail(tmp_path, "no room")
    with pytest.raises(OSError, match=rf"'{path}'.* was not written"):
        ms.load_checkpoint(str(tmp_path / "b.ckpt"))
    assert len(ms.load_checkpoint(str(tmp_path / "b.ckpt"))) == 2


def test_other_failures_are_told_too(tmp_path, monkeypatch):
    def broken(*args):
        raise MemoryError("no memory for it")

    with monkeypatch.context() as m:
        m.setattr(_checkpoint, "write", broken)
        ms.save_checkpoint(nn.Dense(1, 1), str(tmp_path / "a"), async_save=True)
        ended()
    with pytest.raises(RuntimeError, match=r"a\.ckpt'.*was not written: no memory for it"):
        serialization.finish_saving()
    serialization.finish_saving()


def test_texts_in_safetensors_are_refused_at_once(tmp_path):
    with pytest.raises(TypeError, match="cannot hold strings"):
        ms.save_checkpoint({"a": "b"}, str(tmp_path / "a"), async_save=True, format="safetensors")


def test_threads_that_save_lose_no_failure(tmp_path):
    told = []

    def work(i):
        for k in range(5):
            try:
                ms.save_checkpoint(
                    {"a": ms.Tensor(1.0)}, f"{tmp_path}/gone/{i}-{k}.ckpt", async_save=True
                )
            except FileNotFoundError as e:
                told.append(str(e))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    serialization.finish_saving()
    # Each error stands for one file that was begun, and a call that raises begins none.
    assert len(set(told)) == len(told) == 10


SCRIPT = """
import sys
import cellgrad as ms
from cellgrad import nn
ms.save_checkpoint(nn.Dense(1, 1), sys.argv[1], async_save=True)
print("the end of the script")
if len(sys.argv) > 2:
    raise SystemExit(3)
"""


@pytest.mark.parametrize("leaves", [False, True])
def test_the_end_of_the_process_tells(tmp_path, leaves):
    path = str(tmp_path / "gone" / "a.ckpt")
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, path, *["leave"] * leaves], capture_output=True, text=True
    )
    assert run.stdout == "the end of the script\n" and run.returncode == 3 * leaves
    words = f"[cellgrad] FileNotFoundError: The checkpoint file '{path}'"
    assert run.stderr.startswith(words) and "No such file or directory" in run.stderr
    assert "Traceback" not in run.stderr


def test_the_end_of_the_process_waits(tmp_path):
    path = tmp_path / "a.ckpt"
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, path], capture_output=True, text=True, check=True
    )
    assert run.stderr == "" and len(ms.load_checkpoint(str(path))) == 2


# --- training ---------------------------------------------------------------------------------


def training(callback):
    net = nn.Dense(2, 1)
    rows = ds.NumpySlicesDataset(
        {"x": np.ones((6, 2), np.float32), "y": np.ones((6, 1), np.float32)}
    )
    model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    model.train(1, rows.batch(2), callbacks=callback)


def saver(folder, **options):
    config = train.CheckpointConfig(async_save=True, **options)
    return train.ModelCheckpoint("net", str(folder), config)


class Remove(train.Callback):
    """Takes the folder away after a step."""

    def __init__(self, folder, step):
        self.folder, self.step = folder, step

    def on_train_step_begin(self, run_context):
        if run_context.original_args().cur_step_num == self.step:
            ended()
            shutil.rmtree(self.folder)


@pytest.mark.parametrize("step", [2, 3])
@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_training_tells(tmp_path, step, format):
    """At the next save or, if it was the last one, at the end."""
    folder = tmp_path / "files"
    with pytest.raises(FileNotFoundError, match=rf"net-1_{step}\.{format}'.*was not written"):
        training([saver(folder, format=format), Remove(folder, step)])


def test_an_old_file_stays_until_the_new_one_is_complete(tmp_path, monkeypatch):
    original, names = _checkpoint.write, []

    def slow(entries, path):
        time.sleep(0.05)
        names.append((Path(path).name, sorted(os.listdir(tmp_path))))
        original(entries, path)

    monkeypatch.setattr(_checkpoint, "write", slow)
    training([saver(tmp_path, keep_checkpoint_max=1)])
    assert names == [
        ("net-1_1.ckpt", []),
        ("net-1_2.ckpt", ["net-1_1.ckpt"]),
        ("net-1_3.ckpt", ["net-1_2.ckpt"]),
    ]
    assert os.listdir(tmp_path) == ["net-1_3.ckpt"]


def test_the_last_good_file_stays_if_the_new_one_fails(tmp_path, monkeypatch):
    original = _checkpoint.write

    def failing(entries, path):
        if path.endswith("1_2.ckpt"):
            raise OSError(28, "No space left on device", path)
        original(entries, path)

    monkeypatch.setattr(_checkpoint, "write", failing)
    with pytest.raises(OSError, match=r"net-1_2\.ckpt.*No space left"):
        training([saver(tmp_path, keep_checkpoint_max=1)])
    assert os.listdir(tmp_path) == ["net-1_1.ckpt"]
    assert len(ms.load_checkpoint(str(tmp_path / "net-1_1.ckpt"))) > 1
