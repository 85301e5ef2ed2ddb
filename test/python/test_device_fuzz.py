"""Random programs on the device beside the CPU: a few hundred here, thousands in the sweep."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

import on_device
from differential import Mismatch

FUZZ = Path(__file__).resolve().parents[1] / "fuzz"
FEW = {
    "forward": 80,
    "derivatives": 60,
    "rows": 60,
    "small": 60,
    "conv": 40,
    "epilogues": 40,
    "loops": 30,
    "layers": 10,
}


@pytest.mark.parametrize("kind", FEW)
def test_programs(kind):
    found = Counter(on_device.check(kind, seed) for seed in range(FEW[kind]))
    assert found["left out"] <= FEW[kind] // 8
    if kind in ("forward", "derivatives", "rows", "loops"):
        assert found[on_device.SAME] >= FEW[kind] // 6


@pytest.mark.sweep
@pytest.mark.parametrize("kind", FEW)
def test_many_programs(kind):
    command = [sys.executable, FUZZ / "on_device.py", f"--kind={kind}", "--first=1000"]
    done = subprocess.run([*command, "--count=500"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("bit", [0, 9])
def test_one_wrong_bit_is_found(monkeypatch, bit):
    """On the device, in the last element of a result: the lowest, which the CPU's bits show alone, and a higher one."""

    def wrong(program, calls, seed, **options):
        results = original(program, calls, seed, **options)
        for given in results if "chips" in options else []:
            given[0] = given[0].copy()
            if given[0].size and given[0].dtype.kind == "f":
                last = given[0].reshape(-1)[-1:]
                last.view(f"u{last.itemsize}")[0] ^= np.array(1 << bit, f"u{last.itemsize}")
        return results

    original = on_device.called
    monkeypatch.setattr(on_device, "called", wrong)
    found = 0
    for seed in range(12):
        try:
            on_device.check("loops", seed)
        except Mismatch:
            found += 1
    assert found >= 4
