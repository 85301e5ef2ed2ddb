"""The examples run, in a short form, as they stand."""

import re
import subprocess
import sys
from pathlib import Path

import matplotlib.font_manager  # noqa: F401  The first import of all says on stderr what it makes.
from on_gpu import ON_GPU

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_digits(tmp_path):
    command = [sys.executable, EXAMPLES / "digits/main.py", "--epochs=12", f"--out={tmp_path}"]
    run = subprocess.run(command, capture_output=True, text=True)
    # C computes with the CPU's code: not with the bits of sums on a device.
    assert ON_GPU or (run.returncode == 0 and "bit for bit" in run.stdout), run.stdout + run.stderr
    assert float(re.search(r"held-out accuracy ([\d.]+) %", run.stdout)[1]) >= 95
    assert run.stderr == ""  # the progress bar is for terminals
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")
