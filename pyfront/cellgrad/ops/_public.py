"""Rows of the table of operations: ``@public(...)`` above a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])


def public(*forms: str) -> Callable[[_Function], _Function]:
    """Makes a function or class of a module of ``ops`` public, with its other forms.

    The build reads the decorator as text (``tools/forms``) and writes from it ``ops.__all__``, the
    forms with their docstrings and examples, the stubs for type checkers, and the reference pages.
    Nothing happens when it runs.

    Args:
        forms: literal strings, each a form as a user writes it, with its parameters:

            - ``"ops.absolute"``: another name;
            - ``"ops.Elu(alpha)(x)"``: a class, made with the first parameters and called with the
              others; ``"ops.Trace"`` is made with none, and called as the function is;
            - ``"Tensor.abs"``, ``"Tensor.clip(min, max)"``: a method, whose `self` is the function's
              first argument; ``"Tensor.abs_"`` changes the tensor itself;
            - ``"nn.ELU(alpha)(x)"``: a Cell;
            - ``"mint.softmax(input, dim)"`` and the like in ``mint.nn.functional``, ``mint.nn``,
              ``mint.linalg``, ``mint.special``;
            - ``"numpy.sin(x, dtype)"``: those of `cellgrad.numpy` stand together in
              ``numpy/_rows.py``.

            A bare parameter of the function's own name has its default and annotation. Parameters
            of other names stand for those of the function that are left, in order. After
            ``=``, an expression over the parameters, ``ops``, and for ``mint`` its helpers ``h``,
            says what the form is when that is not enough.
    """

    def same(function: _Function) -> _Function:
        return function

    return same
