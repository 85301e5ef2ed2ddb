"""Looking into a running program: `cellgrad.debug` has these names."""

from __future__ import annotations

import builtins
import contextlib
from collections.abc import Iterator

from cellgrad.capture.raises import raise_unless
from cellgrad.core import context, state
from cellgrad.core import dtype as mstype
from cellgrad.core.arguments import argument_error, check_instance
from cellgrad.core.effects import print_tensors
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.core.text import formatted
from cellgrad.ops.reductions import all as _all

__all__ = ["check", "eager", "nans", "print"]


def print(text: str, *values: object, **named: object) -> None:
    """Prints ``text.format(*values, **named)`` when the code runs: also in compiled functions, loops and
    gradients, in the order of the program.

    Args:
        text: a format as of ``str.format``; tensors of compiled code go without a format specification.
        values, named: tensors, and anything else.

    Raises:
        TypeError: `text` is no string, or has a format specification for a tensor of compiled code.
        IndexError, KeyError: `text` names a value that is not given.

    >>> @ms.jit
    ... def f(x):
    ...     ms.debug.print("x = {}, its square {square}", x, square=x * x)
    ...     return x + 1
    >>> print(f(Tensor(3.0)))
    x = 3.0, its square 9.0
    4.0
    """
    check_instance(text, "debug.print", "text", str)
    if state.current.scope is None:
        builtins.print(text.format(*values, **named))
    else:
        print_tensors(formatted(text, values, named))


def check(condition: Tensor | bool, message: str = "the check failed") -> None:
    """Raises ValueError with a message and the user's line, when the code runs, unless all elements of a
    condition are true: also in compiled functions, loops and gradients. The call then changes no Parameter.

    Args:
        condition: a bool, or a Tensor of bools of any shape.
        message: a string that is known before the code runs.

    Raises:
        TypeError: `condition` is neither, or `message` is no string.
        ValueError: an element is false.

    >>> @ms.jit
    ... def root(x):
    ...     ms.debug.check(x >= 0, "x has negative elements")
    ...     return ops.sqrt(x)
    >>> print(root(Tensor([4.0, 9.0])))
    [2. 3.]
    """
    check_instance(message, "debug.check", "message", str)
    is_truth = isinstance(condition, Tensor) and condition.dtype is mstype.bool_
    if not is_truth and not isinstance(condition, bool):
        expected = "a bool, or a Tensor of bools"
        raise argument_error(TypeError, "debug.check", "condition", expected, condition)
    if state.current.scope is not None:
        ok = condition if isinstance(condition, bool) else _all(condition)
        raise_unless(ok, ValueError(message))
        return
    if not (condition if isinstance(condition, bool) else bool(condition.asnumpy().all())):
        raise error(ValueError, f"{message}.".replace("..", "."))


@contextlib.contextmanager
def nans() -> Iterator[None]:
    """In a block, or a function it decorates: the first operation that gives NaN, forward or backward, ends the
    call with an error that names the operation and its line. Also where CELLGRAD_DEBUG_NANS=1 for a whole process.

    What was compiled before is compiled again with the checks, and used again as it was afterwards. A NaN
    of the input is no mistake of an operation; operations that hand one on give it, too.

    Raises:
        FloatingPointError: at the call in which there is a NaN.

    >>> with ms.debug.nans():
    ...     print(ops.log(Tensor(1.0)))
    0.0
    """
    before = context.noted("nans")
    context.note("nans", True)
    try:
        yield
    finally:
        context.note("nans", before)


@contextlib.contextmanager
def eager() -> Iterator[None]:
    """In a block, or a function it decorates: everything runs as ordinary Python, operation by operation, as with
    CELLGRAD_EAGER=1 for a whole process. ``breakpoint()``, stepping and the breakpoints of editors work in Cells,
    functions under `cellgrad.jit`, and what `cellgrad.grad`, `cellgrad.vjp`, `cellgrad.jvp`, `cellgrad.vmap` and
    their kind are given. `cellgrad.vmap` calls its function once for each element of the batch.

    Of functions that run compiled the numbers may differ in their last bits, as operations are not merged.

    >>> @ms.jit
    ... def f(x):
    ...     print(type(x).__name__, float(x))
    ...     return x * x
    >>> with ms.debug.eager():
    ...     print(ms.grad(f)(Tensor(3.0)))
    Tensor 3.0
    6.0
    """
    before = context.run_eagerly(True)
    try:
        yield
    finally:
        context.run_eagerly(before)
