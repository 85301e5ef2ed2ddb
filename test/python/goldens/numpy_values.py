"""Evaluates the texts of numpy_cases.py, with MindSpore or with this package."""

import re

import numpy as np

# What MindSpore says where it lacks the operation for a dtype on the CPU.
NO_KERNEL = (
    "Select CPU operator|not support this kernel data type|returned a result with an exception set"
)


def names(ms, mnp):
    """What the texts may name."""

    def made(dtype):
        return lambda values: ms.Tensor(np.array(values, np.dtype(dtype)))

    def weighted(out):
        """The sum of all elements, each times another number."""
        parts = out if isinstance(out, (tuple, list)) else (out,)
        total = 0
        for part in parts:
            flat = part.reshape(-1).astype(ms.float32)
            total = (
                total + (flat * ms.Tensor(np.arange(1, flat.shape[0] + 1, dtype=np.float32))).sum()
            )
        return total

    dtypes = {
        "f32": "float32",
        "f16": "float16",
        "f64": "float64",
        "i32": "int32",
        "i64": "int64",
        "i8": "int8",
        "b": "bool",
    }
    values = {
        "__name__": __name__,
        "ms": ms,
        "mnp": mnp,
        "nan": np.nan,
        "inf": np.inf,
        "weighted": weighted,
    }
    return values | {name: made(dtype) for name, dtype in dtypes.items()}


def plain(value):
    """A result as JSON has it."""
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    if hasattr(value, "asnumpy"):
        array = value.asnumpy()
        numbers = array.reshape(-1)
        if numbers.dtype.kind == "c":  # real and imaginary parts in turn
            numbers = numbers.view(numbers.real.dtype)
        numbers = numbers.tolist()
        return {"dtype": str(array.dtype), "shape": list(array.shape), "values": numbers}
    if isinstance(value, (bool, int, float)):
        return value
    return str(value).replace("mindspore.", "")


def outcome(text, names):
    """What evaluating a text gives: a result, or the name of an error's class."""
    try:
        return plain(eval(text, dict(names)))
    except Exception as e:
        return {"error": "no kernel" if re.search(NO_KERNEL, str(e)) else type(e).__name__}
