"""Operations under the name that scripts import from: ``cellgrad.ops.function``.

In its files, as ``mindspore.ops.function.array_func``, MindSpore has functions that it gives only as methods
(``new_ones``) or in `mint` (``min_ext`` is ``mint.min``): these are found there.
"""

import importlib
from typing import Any

from cellgrad import ops
from cellgrad.core.tensor import Tensor
from cellgrad.ops import *  # noqa: F403


def __getattr__(name: str) -> Any:
    try:
        return getattr(ops, name)
    except AttributeError:
        if not name.startswith("_"):
            if name.endswith("_ext"):
                short = name.removesuffix("_ext")
                modules = map(
                    importlib.import_module, ("cellgrad.mint", "cellgrad.mint.nn.functional")
                )
                found = next((vars(m)[short] for m in modules if short in vars(m)), None)
            else:
                found = vars(Tensor).get(name)
            if callable(found):
                return found
        raise
