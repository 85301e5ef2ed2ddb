"""The science examples run in a short form, as they stand, and reach the numbers they are for."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from device import DRIVER
from on_gpu import ON_GPU, cpu_only

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@cpu_only  # in this length; below with few steps
@pytest.mark.parametrize(
    "name, options, picture, number",
    [
        # What is printed before a number that must be below the tolerance given to the script.
        ("burgers", ["--adam=400", "--lbfgs=300", "--tolerance=0.7"], "burgers", "error of u: "),
        (
            "kovasznay",
            ["--adam=150", "--lbfgs=200", "--tolerance=0.3"],
            "kovasznay",
            "error of u, v, p: ",
        ),
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
        ("gaussian_process", [], "gaussian_process", "closed form of the gradient: "),
        ("kalman", [], "kalman", "density of all measurements: "),
        ("hartree_fock", [], "hartree_fock", "least energy at "),
        (
            "variational_monte_carlo",
            ["--steps=500", "--tolerance=1e-3"],
            "variational_monte_carlo",
            "error of the energy: ",
        ),
        ("filter", [], "filter", "difference to the formula: "),
        # As lit does with what needs node.
        *([("browser", [], "browser", "complex steps: ")] if shutil.which("node") else []),
        (
            "digits_cnn",
            ["--epochs=3", "--c-epochs=1", "--accuracy=0.5"],
            "digits_cnn",
            "held-out accuracy ",
        ),
    ],
)
def test_example(name, options, picture, number, tmp_path):
    run = started(name, options, tmp_path)
    assert re.search(re.escape(number) + r"\d", run.stdout)
    assert name != "digits_cnn" or "are the same, bit for bit" in run.stdout
    assert (tmp_path / f"{picture}.png").read_bytes().startswith(b"\x89PNG")


def started(name, options, out, **environment):
    command = [sys.executable, EXAMPLES / name / "main.py", *options, f"--out={out}"]
    run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stderr == ""  # progress bars are for terminals
    return run


# An emulated device takes seconds for a step. The steps of digits_cnn are in test_compiled_step.py, transformers in
# test_attention.py: chars writes texts, which takes an hour.
FEW = {
    "burgers": ["--adam=6", "--lbfgs=4", "--tolerance=10"],
    "lennard_jones": ["--frames=64", "--epochs=2", "--tolerance=10"],
    "least_squares": [],
    "maml": ["--meta-steps=10", "--tolerance=10"],
    "diabetes": ["--epochs=5"],
    "neural_ode": ["--steps=5", "--tolerance=10"],
    "poisson": ["--adam=6", "--lbfgs=4", "--tolerance=10"],
}


# `make test-gpu` runs all of them, `make test` the quick one.
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[] if ON_GPU or n == "diabetes" else pytest.mark.sweep) for n in FEW],
)
def test_the_cpu_and_the_device_print_the_same_numbers(name, tmp_path):
    """Losses and errors after a few steps; the time that they took is another one."""
    both = []
    for device in ("GPU", "CPU"):
        (tmp_path / device).mkdir()
        place = {"CELLGRAD_TEST_DEVICE": device, "CELLGRAD_CUDA_DRIVER": str(DRIVER)}
        place["PYTHONPATH"] = str(Path(__file__).parent / "on_device")
        text = started(name, FEW[name], tmp_path / device, **place).stdout
        text = re.sub(
            r"[\d.]+ (s|ms|seconds)\b|[\d.,]+ (steps|frames) (a|per) second|/\S+", "", text
        )
        both.append(re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", text))
    found, wanted = (np.array(numbers, float) for numbers in both)
    assert len(found) == len(wanted) > 2
    np.testing.assert_allclose(found, wanted, rtol=2e-3, atol=2e-3)
