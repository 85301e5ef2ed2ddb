"""On PYTHONPATH of `make test-gpu`: programs that tests start compute on the CUDA device, too (on_gpu.py)."""

import importlib.util
import os
import sys


class _Finder:
    """Finds cellgrad, once, and names the device when it has been imported."""

    def find_spec(self, name, path=None, target=None):
        if name != "cellgrad":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def exec_module(module):
                run(module)
                module.set_context(device_target="GPU")

            spec.loader.exec_module = exec_module
        return spec


if os.environ.get("CELLGRAD_TEST_DEVICE") == "GPU" and os.environ.get("CELLGRAD_CUDA_DRIVER"):
    sys.meta_path.insert(0, _Finder())
