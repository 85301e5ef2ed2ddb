"""Runs the programs of ``front/*.txt``: what is written in compiled code, and how it is compiled.

Each program is a module; ``out`` is its result. They say `mindspore`, and run with it or, by `dropin`,
with this package.
"""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "front"
HEADER = """import numpy as np
import mindspore as ms
from mindspore import Tensor, Parameter, ParameterTuple, nn, ops, jit, mutable, grad, value_and_grad
"""


def programs():
    """The text of each program by its name."""
    found = {}
    for path in sorted(FOLDER.glob("*.txt")):
        parts = re.split(r"^### (\w+)\n", path.read_text(), flags=re.MULTILINE)
        found |= dict(zip(parts[1::2], parts[2::2], strict=True))
    return found


def plain(value, tensor_class):
    """A result as nested lists of texts and numbers."""
    if isinstance(value, tensor_class):
        numbers = value.asnumpy().astype(np.float64).reshape(-1)
        return ["tensor", str(value.dtype), list(value.shape), numbers.round(5).tolist()]
    if isinstance(value, tuple | list):
        name = "list" if isinstance(value, list) else "tuple"
        return [name, [plain(v, tensor_class) for v in value]]
    if isinstance(value, dict):
        return [
            "dict",
            [[plain(k, tensor_class), plain(v, tensor_class)] for k, v in value.items()],
        ]
    if isinstance(value, float):
        return ["float", float(f"{value:.6g}")]
    if isinstance(value, bool | int | str) or value is None:
        return [type(value).__name__, value]
    return [type(value).__name__]


def run(name, text, folder, tensor_class):
    """What a program gives, or the class of the exception that ends it."""
    path = Path(folder) / f"front_{name}.py"
    path.write_text(HEADER + text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
        return plain(module.out, tensor_class)
    except Exception as e:
        return ["error", type(e).__name__]
    finally:
        del sys.modules[path.stem]
