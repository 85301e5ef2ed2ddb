"""The examples of MindSpore's documentation that this project started from.

`seeds/NAME.txt` is the code of one example as printed there, and `seeds/NAME.out` the text printed
there (or, where the page
prints nothing, by MindSpore 2.10 in graph mode). Each runs with `mindspore` replaced by `cellgrad`
in a process of its
own; text must agree up to white space and commas between numbers (pages differ in both), and every
number to float32.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SEEDS = Path(__file__).parent / "seeds"
# The page prints the results of these rounded to one decimal.
ROUNDED = {"stop_gradient_ops", "stop_gradient_functional", "stop_gradient_removed"}
# Some name a GPU, which is the CPU on a machine without one.
WITHOUT_DRIVER = {k: v for k, v in os.environ.items() if k != "CELLGRAD_CUDA_DRIVER"}
NUMBER = re.compile(r"(?<![A-Za-z_\d])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![A-Za-z_])")


def split(text):
    """The words of a text with `#` for every number, and the numbers."""
    numbers = [float(n) for n in NUMBER.findall(text)]
    words = re.sub(r"[\s,]+", "", NUMBER.sub("#", text))
    return words, numbers


@pytest.mark.parametrize("name", sorted(p.stem for p in SEEDS.glob("*.txt")))
def test_seed(name, tmp_path):
    code = (SEEDS / f"{name}.txt").read_text().replace("mindspore", "cellgrad")
    script = tmp_path / f"{name}.py"
    script.write_text(code)
    run = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        timeout=300,
        env=WITHOUT_DRIVER,
    )
    wanted = (SEEDS / f"{name}.out").read_text().replace("mindspore", "cellgrad")
    printed = run.stdout
    failure = re.search(r"^(\w+Error: .*)$", wanted, re.M)
    if failure:
        assert run.returncode == 1
        assert failure.group(1) in run.stderr.splitlines()
        assert f'{name}.py", line' in run.stderr
        printed += failure.group(1)
    else:
        assert run.returncode == 0, run.stderr
    words, numbers = split(printed)
    wanted_words, wanted_numbers = split(wanted)
    assert words == wanted_words
    np.testing.assert_allclose(
        numbers, wanted_numbers, rtol=2e-6, atol=0.05 if name in ROUNDED else 1e-30
    )


def test_unknown_device_warns_once():
    code = (
        "import cellgrad.context as c\n"
        "for _ in range(3): c.set_context(mode=c.GRAPH_MODE, device_target='GPU')\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        env=WITHOUT_DRIVER,
    )
    assert run.returncode == 0
    assert run.stderr.count("the CPU is used") == 1
    assert len(run.stderr.splitlines()) == 1
