"""Names of MindSpore that do not exist here for a reason, and the reason.

Asking for one is an error that gives the reason: in an ``import``, as an attribute of a module, and as
an attribute of a Tensor. docs/api-names.md lists them.
"""

from __future__ import annotations

import dis
import sys
import types
from collections.abc import Callable
from typing import Any

from cellgrad.core._absent_names import FAMILIES, INNER
from cellgrad.core.errors import nearest
from cellgrad.core.foreign import known_as

# By reason: names by the path that they have in MindSpore ("mindspore.Event" at its top). The name of
# a module stands for all in it.
REASONS: dict[str, tuple[str, ...]] = {
    "Of what ranks communicate by there is ops.AllReduce and its like, communication and mint.distributed.": (
        "mint.nn.SyncBatchNorm",
    ),
    "A kernel of Ascend of which MindSpore makes other functions; use those.": (
        "mint.batch_norm_elemt",
        "mint.batch_norm_gather_stats_with_counts",
        "mint.batch_norm_stats",
        "mint.npu_gelu",
        "mint.optim.FusedAdamW",
    ),
}


def _paths(modules: dict[str, str]) -> tuple[str, ...]:
    return tuple(f"{module}.{name}" for module, names in modules.items() for name in names.split())


for _why, _modules in FAMILIES.items():
    REASONS[_why] = REASONS.get(_why, ()) + _paths(_modules)

_BY_NAME = {name: why for why, names in REASONS.items() for name in names}
_BY_NAME |= {name: why for why, modules in INNER.items() for name in _paths(modules)}
# Modules that are looked through for a name that another one has not.
_OTHERS = (
    *("", "ops", "mint", "nn", "mint.nn", "mint.nn.functional", "numpy", "scipy.linalg"),
    *("mint.linalg", "mint.special", "random", "train", "mint.optim"),
)
_IMPORT_FROM = dis.opmap["IMPORT_FROM"]


def reason(name: str) -> str:
    """Why there is no such name, or "" if nothing is known.

    Args:
        name: its path in MindSpore: "ops.AllReduce", or "mindspore.Event" at the top.
    """
    while name:
        if name in _BY_NAME:
            return _BY_NAME[name]
        name = name.rpartition(".")[0]
    return ""


def elsewhere(module: str, name: str) -> str:
    """Where else in this package a public name is, or nothing. Only modules that are loaded are asked."""
    found = []
    for other in _OTHERS:
        path = f"cellgrad.{other}".removesuffix(".")
        public = getattr(sys.modules.get(path), "__all__", ())
        if other != module and name in public:
            short = other.startswith(("ops", "mint", "nn"))
            found.append(f"{other if short else path}.{name}" if other else f"ms.{name}")
    return ", ".join(found[:3])


def why_not(module: str, name: str) -> str:
    """Why a module has no such name of MindSpore's, or "" if nothing is known.

    Args:
        module: its path in MindSpore; "mindspore" at the top.
    """
    if module.startswith("ops."):  # ops.operations and the like list the names of ops
        module = "ops"
    return reason(f"{module}.{name}")


def hint(module: str, name: str, known: list[str]) -> str:
    """What to say of a name that a module has not: the reason, what stands for it, where else the name is, or
    the nearest names."""
    if module.startswith("ops."):
        module = "ops"
    return (
        why_not(module, name) or known_as(name) or elsewhere(module, name) or nearest(name, known)
    )


def asked_by_import(frame: types.FrameType) -> bool:
    """Whether the frame is at ``from module import name``."""
    return frame.f_code.co_code[frame.f_lasti] == _IMPORT_FROM


def attributes(full: str) -> Callable[..., Any]:
    """The ``__getattr__`` of a module of this package, for names that it has not.

    Args:
        full: the module's ``__name__``.
    """
    path = full.removeprefix("cellgrad").removeprefix(".") or "mindspore"

    def absent(name: str, asking: types.FrameType | None = None) -> Any:
        message = f"module '{full}' has no attribute '{name}'"
        if name.startswith("_"):
            raise AttributeError(message)
        what = sys.modules[full]
        text = f"{message}\n  hint: {hint(path, name, dir(what))}"
        if asked_by_import(asking or sys._getframe(1)):
            raise ImportError(text, name=full)
        raise AttributeError(text, name=name, obj=what)

    return absent
