"""Random sequences of uses of tensors on the CPU and two CUDA devices; see residency.py."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from device import DRIVER

# In a process of its own: the emulated driver has two devices there.
SEQUENCES = Path(__file__).with_name("residency.py")


def check(first, count):
    command = [sys.executable, SEQUENCES, str(first), str(count)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


def test_sequences():
    check(0, 100)


FULL = """
import numpy as np, cellgrad as ms
ms.set_context(device_target="GPU")
double = ms.jit(lambda x: x * 2)
small, large = np.arange(4, dtype=np.float32), np.zeros(1 << 20, np.float32)
x, y = ms.Tensor(small), ms.Tensor(large)
kept = double(x)
for _ in range(2):
    try:
        double(y)
    except MemoryError as error:
        print(error)
    assert (y.device, kept.device) == ("CPU", "GPU:0")
y.asnumpy()[0] = 3
assert y.asnumpy()[0] == 3 and (double(kept).asnumpy() == small * 4).all()
"""


def test_a_full_device_loses_nothing():
    env = {
        **os.environ,
        "CELLGRAD_CUDA_DRIVER": str(DRIVER.resolve()),
        "CELL_EMU_MEMORY": "1000000",
    }
    command = [sys.executable, "-c", FULL]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    words = "out of memory on CUDA device 0: 4194304 bytes could not be allocated"
    assert done.stdout.count(words) == 2


@pytest.mark.sweep
def test_many_sequences():
    check(100, 20000)
