"""The examples run, in a short form, as they stand."""

import subprocess
import sys
from pathlib import Path

import matplotlib.font_manager  # noqa: F401  The first import of all says on stderr what it makes.

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_digits(tmp_path):
    command = [sys.executable, EXAMPLES / "digits/main.py", "--epochs=12", f"--out={tmp_path}"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "bit for bit" in run.stdout
    assert run.stderr == ""  # the progress bar is for terminals
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")
