"""The dtype of Python floats: float32, or float64 for programs that compute in double precision."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from cellgrad.core import context, variables
from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import check_one_of
from cellgrad.core.dtype import Type

__all__ = ["default_dtype", "get_default_dtype", "set_default_dtype"]

_VARIABLE = "CELLGRAD_DEFAULT_DTYPE"


def set_default_dtype(dtype: Type) -> None:
    """Chooses the dtype of what is made of Python floats: float32 (as in MindSpore), or float64.

    It is the dtype of ``Tensor(0.1)`` and of lists of floats, of `ops.zeros`, `ops.ones`,
    `ops.linspace`, `ops.randn` and others of their kind without a `dtype`, of what floating-point
    functions make of integers, of the Parameters of Cells, and of a learning rate. Tensors that have a
    dtype keep it, also next to a Python float. The environment variable CELLGRAD_DEFAULT_DTYPE sets it
    from the start. It holds for all threads.

    Args:
        dtype: ``ms.float32`` or ``ms.float64``.

    Raises:
        ValueError: another dtype.

    >>> ms.set_default_dtype(ms.float64)
    >>> print(Tensor(0.1).dtype, ops.zeros(2).dtype, nn.Dense(2, 1).weight.dtype)
    Float64 Float64 Float64
    >>> ms.set_default_dtype(ms.float32)
    """
    check_one_of(dtype, "set_default_dtype", "dtype", (mstype.float32, mstype.float64))
    mstype.use_default(dtype)
    context.note_dtype(*(() if dtype is mstype.float32 else (dtype,)))


def get_default_dtype() -> Type:
    """The dtype of what is made of Python floats; see `set_default_dtype`.

    >>> print(ms.get_default_dtype())
    Float32
    """
    return mstype.default_float()


@contextlib.contextmanager
def default_dtype(dtype: Type) -> Iterator[None]:
    """`set_default_dtype` for the block of a ``with`` statement, or for the calls of a function that it
    decorates.

    Raises:
        ValueError: a dtype other than float32 and float64.

    >>> with ms.default_dtype(ms.float64):
    ...     x = Tensor([0.1, 0.2])
    >>> print(x.dtype, Tensor([0.1]).dtype)
    Float64 Float32
    """
    before = mstype.default_float()
    set_default_dtype(dtype)
    try:
        yield
    finally:
        set_default_dtype(before)


def _from_environment() -> None:
    name = variables.text("DEFAULT_DTYPE")
    if name:
        check_one_of(name, _VARIABLE, "value", ("float32", "float64"))
        set_default_dtype(mstype.float64 if name == "float64" else mstype.float32)


_from_environment()
