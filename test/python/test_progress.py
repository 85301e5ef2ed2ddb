"""Progress on a terminal: a bar of training's steps, and a note on what takes its time to compile."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

PROGRAM = """
import numpy as np
import cellgrad as ms
from cellgrad import dataset, nn, train
from cellgrad.core import progress

progress.DELAY = {delay}
x = np.random.rand(64, 3).astype(np.float32)
rows = dataset.NumpySlicesDataset((x, x[:, :1]), ["x", "y"]).batch(1)
net = nn.Dense(3, 1)
train.Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9)).train(1, rows)
with progress.waiting("thinking"):
    import time
    time.sleep({asleep})
print("end")
"""


def seen(tmp_path, delay, asleep, **variables):
    """What a program writes to standard error, which is a terminal, and to standard output, which is none."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    env = {**os.environ, "CELLGRAD_CACHE_DIR": str(tmp_path), **variables}
    program = PROGRAM.format(delay=delay, asleep=asleep)
    run = subprocess.Popen(
        [sys.executable, "-c", program], env=env, stdout=subprocess.PIPE, stderr=slave, text=True
    )
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the program has ended
            break
        if not part:
            break
        shown += part
    os.close(master)
    out, _ = run.communicate(timeout=60)
    assert run.returncode == 0 and out == "end\n", (out, shown)
    return shown.decode()


def test_a_terminal_sees_what_takes_its_time(tmp_path):
    shown = seen(tmp_path, 0.0, 0.8)
    assert re.search(r"compiling '\w+': 00:00", shown)
    assert re.search(r"\d+/64 \[", shown)
    assert "thinking: 00:00" in shown
    assert shown.endswith("\r")  # the line is left empty


def test_nothing_is_shown_where_it_is_not_wanted(tmp_path):
    assert seen(tmp_path, 0.0, 0.8, CELLGRAD_PROGRESS="0") == ""


def test_what_is_quick_says_nothing(tmp_path):
    assert "thinking" not in seen(tmp_path, 60.0, 0.1)
