"""The device that tests run on: `make test-gpu` names a CUDA device, the emulated one or a real one.

Importing this puts the process there, and all programs that it starts (on_device/sitecustomize.py).
"""

import os
from pathlib import Path

import numpy as np
import pytest

ON_GPU = os.environ.get("CELLGRAD_TEST_DEVICE") == "GPU"

if ON_GPU:
    _build = os.environ.get("CELLGRAD_BUILD_DIR", Path(__file__).resolve().parents[2] / "build")
    os.environ.setdefault(
        "CELLGRAD_CUDA_DRIVER", str(Path(_build) / "test" / "emulator" / "libcuda.so.1")
    )
    os.environ["PYTHONPATH"] = os.pathsep.join(
        p for p in (str(Path(__file__).parent / "on_device"), os.environ.get("PYTHONPATH")) if p
    )
    import cellgrad

    cellgrad.set_context(device_target="GPU")

cpu_only = pytest.mark.skipif(ON_GPU, reason="about the code of the CPU")


def assert_same_sums(given, wanted, rtol, atol=0.0):
    """What the CPU computes is what the device under test computes: the same bits on the CPU. Sums and
    products of a GPU have another order, so that their last digits differ."""
    if ON_GPU:
        np.testing.assert_allclose(given, wanted, rtol, atol)
    else:
        np.testing.assert_array_equal(given, wanted)
