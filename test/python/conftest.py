"""Tests compile what they test: the cache on disk is off unless a test switches it on."""

import os

os.environ.setdefault("CELLGRAD_CACHE", "0")

# `make test-gpu`: the same tests, with what they compute on a CUDA device, the emulated one or a real one.
if os.environ.get("CELLGRAD_TEST_DEVICE") == "GPU":
    from pathlib import Path

    _build = os.environ.get("CELLGRAD_BUILD_DIR", Path(__file__).resolve().parents[2] / "build")
    os.environ.setdefault(
        "CELLGRAD_CUDA_DRIVER", str(Path(_build) / "test" / "emulator" / "libcuda.so.1")
    )
    import cellgrad

    cellgrad.set_context(device_target="GPU")
