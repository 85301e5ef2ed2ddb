"""Temporary folders of processes that were killed go when another one starts."""

import fcntl
import os
import subprocess
import sys
import time

from cellgrad.compile.scratch import PREFIX

KILLED = """
import os, signal
import cellgrad as ms

ms.grad(lambda x: x * x)(ms.Tensor(3.0))
os.kill(os.getpid(), {signal})
"""


def run(folder, signal):
    environment = {**os.environ, "TMPDIR": str(folder), "CELLGRAD_CACHE": "0"}
    command = [sys.executable, "-c", KILLED.format(signal=signal)]
    return subprocess.run(command, env=environment).returncode


def test_folders_of_killed_processes_are_removed(tmp_path):
    assert run(tmp_path, "signal.SIGKILL") == -9
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(PREFIX)
    used, new, other = (tmp_path / name for name in (PREFIX + "used", PREFIX + "new", "other"))
    for folder in (used, new, other):
        folder.mkdir()
    (left / "m1.so").write_bytes(b"half of a model")
    for folder in (left, used, other):
        os.utime(folder, (time.time() - 3600,) * 2)
    held = os.open(used, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert run(tmp_path, "0") == 0
    finally:
        os.close(held)
    assert set(tmp_path.iterdir()) == {used, new, other}
