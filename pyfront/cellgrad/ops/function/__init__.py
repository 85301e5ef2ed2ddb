"""Operations under the name that scripts import from: ``cellgrad.ops.function``.

In its files, as ``mindspore.ops.function.array_func``, MindSpore has functions that it gives only as methods
(``new_ones``) or in `mint` (``min_ext`` is ``mint.min``): these are found there. ``split_view`` and the like are
the functions without ``view``, whose results are views already. `F` and `P`, the modules that these files
import, are found there, too.
"""

import contextlib
import importlib
from collections.abc import Callable
from typing import Any

from cellgrad import ops
from cellgrad.core.tensor import Tensor
from cellgrad.ops import *  # noqa: F403


def of_mint(name: str) -> Callable[..., Any] | None:
    """The function of `mint.nn.functional` or `mint` of a name, if there is one."""
    modules = map(importlib.import_module, ("cellgrad.mint.nn.functional", "cellgrad.mint"))
    return next((vars(m)[name] for m in modules if name in vars(m)), None)


_IMPORTED = {"F": "cellgrad.ops.functional", "P": "cellgrad.ops.operations"}


def __getattr__(name: str) -> Any:
    if name in _IMPORTED:
        return importlib.import_module(_IMPORTED[name])
    try:
        return getattr(ops, name)
    except AttributeError:
        if not name.startswith("_"):
            found = None
            if name.endswith("_view"):
                with contextlib.suppress(AttributeError):
                    found = __getattr__(name.removesuffix("_view"))
            elif name.endswith("_ext"):
                found = of_mint(name.removesuffix("_ext"))
            else:
                found = vars(Tensor).get(name)
            if callable(found):
                return found
        raise
