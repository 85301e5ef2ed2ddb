"""Names of MindSpore's settings, and helpers that scripts call beside them."""

from __future__ import annotations

import sys
from typing import TypeVar

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Array
from cellgrad.core.arguments import check_bool, check_int, check_one_of
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor

T = TypeVar("T", bound=type)

# dtypes under the names of C's and numpy's types.
DTYPES = {
    "bool": mstype.bool_,
    "byte": mstype.int8,
    "float": mstype.float32,
    "int": mstype.int32,
    "long": mstype.int64,
    "short": mstype.int16,
}


class JitConfig:
    """MindSpore's settings of compiled Cells, kept for scripts: one compiler is used for all.

    Raises:
        ValueError: a value that MindSpore does not have.

    >>> nn.Dense(2, 1).set_jit_config(ms.JitConfig(jit_level="O1"))
    """

    def __init__(
        self,
        jit_level: str = "",
        exc_mode: str = "auto",
        jit_syntax_level: str = "",
        debug_level: str = "RELEASE",
        infer_boost: str = "off",
        **kwargs: object,
    ):
        check_one_of(jit_level, "JitConfig", "jit_level", ("", "O0", "O1", "O2"))
        check_one_of(exc_mode, "JitConfig", "exc_mode", ("auto", "sink", "no_sink"))
        levels = ("", "STRICT", "COMPATIBLE", "LAX")
        check_one_of(jit_syntax_level, "JitConfig", "jit_syntax_level", levels)
        check_one_of(debug_level, "JitConfig", "debug_level", ("RELEASE", "DEBUG"))
        check_one_of(infer_boost, "JitConfig", "infer_boost", ("", "on", "off"))
        self.jit_config_dict: dict[str, object] = {
            "jit_level": jit_level,
            "exc_mode": exc_mode,
            "jit_syntax_level": jit_syntax_level,
            "debug_level": debug_level,
            "infer_boost": infer_boost,
            **kwargs,
        }


def set_deterministic(deterministic: bool) -> None:
    """Nothing: results are the same bits in every run.

    Raises:
        TypeError: `deterministic` is not a bool.

    >>> ms.set_deterministic(True)
    """
    check_bool(deterministic, "set_deterministic", "deterministic")


def set_recursion_limit(recursion_limit: int = 1000) -> None:
    """How deep Python calls may nest, at least; see ``sys.setrecursionlimit``.

    Raises:
        TypeError: `recursion_limit` is not an int.

    >>> ms.set_recursion_limit(2000)
    """
    check_int(recursion_limit, "set_recursion_limit", "recursion_limit")
    sys.setrecursionlimit(max(recursion_limit, sys.getrecursionlimit()))


def from_numpy(array: Array) -> Tensor:
    """A Tensor that shares memory with a numpy array; see `Tensor.from_numpy`.

    >>> import numpy as np
    >>> array = np.zeros(2, np.float32)
    >>> x = ms.from_numpy(array)
    >>> array[0] = 7
    >>> print(x)
    [7. 0.]
    """
    return Tensor.from_numpy(array)


def frombuffer(
    buffer: bytes | bytearray | memoryview | Array, dtype: Type, count: int = -1, offset: int = 0
) -> Tensor:
    """A Tensor of one dimension with a copy of the elements in a buffer of bytes.

    Args:
        buffer: bytes, or another object of Python's buffer protocol.
        dtype: the dtype of the elements.
        count: how many; all that there are for -1.
        offset: the byte at which the first begins.

    Raises:
        TypeError: `buffer` is no buffer, or `dtype` no dtype of tensors.
        ValueError: bytes that are too few, or no whole number of elements.

    >>> print(ms.frombuffer(b"abc", ms.uint8, offset=1))
    [98 99]
    """
    check_int(count, "frombuffer", "count", at_least=-1)
    check_int(offset, "frombuffer", "offset", at_least=0)
    kind = mstype.to_numpy(dtype)
    try:
        return Tensor(np.frombuffer(buffer, kind, count, offset), dtype)
    except (TypeError, ValueError) as e:
        raise error(type(e), f"For 'frombuffer', {e}.") from None


def is_tensor(obj: object) -> bool:
    """Whether an object is a Tensor.

    >>> ms.is_tensor(Tensor(1.0)), ms.is_tensor(1.0)
    (True, False)
    """
    return isinstance(obj, Tensor)


def jit_class(cls: T) -> T:
    """The class itself: methods of any class are compiled where compiled code calls them.

    Raises:
        TypeError: `cls` is not a class, or a class of Cells, whose methods are compiled anyway.

    >>> @ms.jit_class
    ... class Scale:
    ...     def __call__(self, x):
    ...         return x * 2
    >>> print(ms.jit(lambda x: Scale()(x))(Tensor(3.0)))
    6.0
    """
    if not isinstance(cls, type):
        raise error(
            TypeError, f"Decorator jit_class can only be used for class type, but got {cls}."
        )
    if hasattr(cls, "cells_and_names"):
        raise error(
            TypeError,
            "Decorator jit_class is used for user-defined classes and cannot be used for nn.Cell: "
            f"{cls}.",
        )
    return cls
