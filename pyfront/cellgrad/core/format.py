"""Text of tensors: MindSpore's ``str`` (numpy's) and ``repr``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_DIGITS = {"float16": 4, "float32": 8, "float64": 8}
_THRESHOLD = 1000  # a vector longer than this shows its ends only
_EDGE = 3  # elements shown at each end; rows of matrices longer than two of them are cut, too


def text(array: np.ndarray[Any, Any], dtype: str) -> str:
    """What ``print(tensor)`` shows."""
    if dtype == "bfloat16":
        single = array.astype(np.float32)
        if not array.ndim:
            return f"{single:.6f}"
        return np.array2string(single, formatter={"float_kind": lambda v: f"{v:.6f}"})
    if not array.ndim and dtype.startswith("float"):
        return _number(array[()])
    return str(array)


def short_text(array: np.ndarray[Any, Any], dtype: str) -> str:
    """The same for a notebook: more than 200 elements show their ends, as more than 1000 do in ``print``, unless
    the program has set another limit with ``np.set_printoptions``."""
    limit = np.get_printoptions()["threshold"]
    with np.printoptions(threshold=200 if limit == _THRESHOLD else limit):
        return text(array, dtype)


def _number(value: Any) -> str:
    """A floating-point number as numpy 1.26 shows it; later ones differ in the exponents."""
    size = abs(float(value))
    if value == 0 or 1e-4 <= size < 1e16:
        return np.format_float_positional(value, unique=True, trim="0")
    if np.isfinite(value):
        return np.format_float_scientific(value, unique=True, trim=".").replace(".e", "e")
    return str(value)


def _scalar(value: Any, dtype: str) -> str:
    if dtype == "bool":
        return str(bool(value))
    if dtype.startswith(("int", "uint")):
        return str(int(value))
    if dtype.startswith("complex"):
        return _complex(value)
    # The C++ stream format MindSpore uses for a single number: six significant digits.
    return f"{float(value):g}"


def _complex(value: Any) -> str:
    number = complex(value)
    return f"{number.real:g}{number.imag:+g}j"


def _shown(size: int, vector: bool) -> list[int | None]:
    """Indices shown of a dimension; None stands for the part left out."""
    if size > (_THRESHOLD if vector else 2 * _EDGE):
        return [*range(_EDGE), None, *range(size - _EDGE, size)]
    return list(range(size))


def _elements(array: np.ndarray[Any, Any], vector: bool) -> list[Any]:
    keep = [[i for i in _shown(n, vector) if i is not None] for n in array.shape]
    return list(array[np.ix_(*keep)].ravel())


def _element_format(array: np.ndarray[Any, Any], dtype: str, vector: bool) -> Callable[[Any], str]:
    if dtype in _DIGITS:
        digits = _DIGITS[dtype]
        return lambda v: f"{float(v):{digits + 7}.{digits}e}"
    if dtype == "bool":
        return lambda v: f"{bool(v)!s:>5}"
    if dtype.startswith("complex"):
        return _complex
    if dtype == "bfloat16":
        width = max(len(f"{float(v):g}") for v in _elements(array, vector))
        return lambda v: f"{float(v):{width}g}"
    width = max(len(str(int(v))) for v in _elements(array, vector))
    return lambda v: f"{int(v):{width}}"


def _rows(
    array: np.ndarray[Any, Any], depth: int, fmt: Callable[[Any], str], per_line: int, vector: bool
) -> str:
    shown = _shown(array.shape[0], vector)
    out = "["
    last = len(shown) - 1
    if array.ndim == 1:
        for k, i in enumerate(shown):
            if i is None:
                out += " ... "
                continue
            out += fmt(array[i])
            if k != last and shown[k + 1] is not None:
                out += ", "
            if vector and len(shown) == array.shape[0] and (k + 1) % per_line == 0:
                out += "\n" + " " * (depth + 1)
        return out + "]"
    for k, i in enumerate(shown):
        if k:
            out += "\n" + " " * (depth + 1)
        if i is None:
            out += "..."
            continue
        out += _rows(array[i], depth + 1, fmt, per_line, vector)
        if k != last:
            out += ","
    return out + "]"


def representation(array: np.ndarray[Any, Any], dtype_name: str, title: str) -> str:
    """What ``repr(tensor)`` shows: ``Tensor(shape=[2], dtype=Float32, value= [...])``."""
    head = f"Tensor(shape={list(array.shape)}, dtype={title}, value="
    if array.ndim == 0:
        return f"{head} {_scalar(array, dtype_name)})"
    vector = array.ndim == 1
    if array.size == 0:
        return f"{head} )" if vector else f"{head}\n)"
    fmt = _element_format(array, dtype_name, vector)
    per_line = 24 if dtype_name.startswith(("int", "uint")) else 12
    body = _rows(array, 0, fmt, per_line, vector)
    return f"{head} {body})" if vector else f"{head}\n{body})"
