"""A part of `make test-gpu`: the tests whose subject a device can change, with what they compute on the emulated one.

The rule: chosen is a file about how programs are called and what becomes of tensors and Parameters between calls, and
about what the host and kernels share (loops, branches, checks, prints, random numbers), if it takes less than half a
minute. What ops compute is compared by test_device_rules.py, test_device_programs.py and test_device_fuzz.py.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
CHOSEN = (
    # Calls, and what programs are made of.
    *("arguments", "capture", "cells", "custom_rules", "jit", "transforms", "vmap"),
    # Between the host and kernels.
    *("branch_results", "branch_updates", "changes_in_branches", "control_flow", "loop_conditions"),
    *("nested_loops", "nested_values", "random", "run_time_places"),
    # Tensors and Parameters, and what keeps them.
    *("checkpoints", "interop", "native_buffer", "optimizers", "safetensors", "state", "state_hooks"),
)  # fmt: skip


@pytest.mark.parametrize("name", CHOSEN)
def test_file(name):
    environment = {
        **os.environ,
        "CELLGRAD_TEST_DEVICE": "GPU",
        # As in tools/device/test_gpu.sh.
        "CELL_EMU_UNWRITTEN": "allow",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(
        [*command, "-m", "not sweep and not rebuild", HERE / f"test_{name}.py"],
        cwd=HERE.parents[1],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
