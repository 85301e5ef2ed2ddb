"""Random programs as models with CUDA kernels, called in all the ways in which calls end: a few here, many in the sweep."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import device_calls

FUZZ = Path(__file__).resolve().parents[1] / "fuzz"

OK, CANCELLED, TRIPS, STASH, CHECK = 0, 8, 9, 10, 1000


@pytest.mark.parametrize("kind", device_calls.KINDS)
def test_calls(kind):
    counts = Counter()
    for seed in range(24):
        counts += device_calls.check(kind, seed)
    assert {OK, CANCELLED, TRIPS, STASH, CHECK} <= set(counts), counts


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(1000, 1800, 100))
@pytest.mark.parametrize("kind", device_calls.KINDS)
def test_many_calls(kind, first):
    command = [sys.executable, FUZZ / "device_calls.py", f"--kind={kind}", f"--first={first}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
