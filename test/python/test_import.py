"""The package imports from the project's own environment, and its version is CMake's."""

import re
import subprocess
import sys
from pathlib import Path

import cellgrad

ROOT = Path(__file__).resolve().parents[2]


def test_version_is_the_one_of_cmake():
    text = (ROOT / "CMakeLists.txt").read_text()
    assert cellgrad.__version__ == re.search(r"project\(cellgrad VERSION ([0-9.]+)", text).group(1)


def test_public_modules_are_attributes_of_the_package():
    """In a process of its own: imports of other tests leave attributes behind."""
    names = "common.dtype common.generator common.initializer.One common.parameter common.tensor"
    more = "context dtype random.key serialization.load_checkpoint ops.grad ops.Scan ops.ctc_loss"
    script = "import cellgrad\n" + "\n".join(f"cellgrad.{n}" for n in f"{names} {more}".split())
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.stderr == ""
