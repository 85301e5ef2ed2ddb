"""The science examples run in a short form, as they stand, and reach the numbers they are for."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize(
    "name, options, picture, number",
    [
        # What is printed before a number that must be below the tolerance given to the script.
        ("burgers", ["--adam=400", "--lbfgs=300", "--tolerance=0.7"], "burgers", "error of u: "),
        (
            "lennard_jones",
            ["--frames=320", "--epochs=25", "--tolerance=0.15"],
            "forces",
            "forces held out: ",
        ),
        ("least_squares", [], "least_squares", "scipy's parameters: "),
        ("maml", ["--meta-steps=400", "--tolerance=0.8"], "maml", "after 3 steps: "),
        ("diabetes", [], "diabetes", "mean square error "),
        ("neural_ode", ["--steps=400", "--tolerance=0.5"], "neural_ode", "to t = 10: "),
        ("poisson", ["--adam=100", "--lbfgs=200", "--tolerance=0.05"], "poisson", "error of u: "),
        ("chars", ["--steps=100", "--tolerance=2.8"], "chars", "cross entropy held out: "),
        (
            "digits_cnn",
            ["--epochs=3", "--c-epochs=1", "--accuracy=0.5"],
            "digits_cnn",
            "held-out accuracy ",
        ),
    ],
)
def test_example(name, options, picture, number, tmp_path):
    command = [sys.executable, EXAMPLES / name / "main.py", *options, f"--out={tmp_path}"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(re.escape(number) + r"\d", run.stdout)
    assert run.stderr == ""  # progress bars are for terminals
    assert name != "digits_cnn" or "are the same, bit for bit" in run.stdout
    assert (tmp_path / f"{picture}.png").read_bytes().startswith(b"\x89PNG")
