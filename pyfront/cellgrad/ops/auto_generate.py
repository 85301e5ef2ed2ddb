"""Under the name scripts use: ``ops.auto_generate.HSigmoidGrad``, and all operations of `ops`.

Methods of Tensor that no operation has the name of are functions, as ``contiguous``.
``SumExt`` and the like are the operations of `mint` as classes, ``sum_ext`` these operations, ``InplaceAddExt``
the method of Tensor ``add_``. ``tanh_grad_op`` and the like are classes without settings that are made already,
as in MindSpore. ``narrow_view`` and ``ExpandDimsView`` are ``narrow`` and ``ExpandDims``, whose results are views already.
"""

import contextlib
import functools
import importlib
import inspect
import re
from collections.abc import Callable
from typing import Any

from cellgrad import ops
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops.function import of_mint
from cellgrad.ops.operations._grad_ops import *  # noqa: F403


@functools.cache
def _placed(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function in which what is given by name only has a place, too, as in MindSpore's inner functions."""
    kinds = inspect.signature(function).parameters.values()
    named = [p.name for p in kinds if p.kind is p.KEYWORD_ONLY]
    count = sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in kinds)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) <= count or len(args) > count + len(named):
            return function(*args, **kwargs)
        by_place = dict(zip(named, args[count:], strict=False))
        twice = by_place.keys() & kwargs.keys()
        if twice:
            raise error(
                TypeError,
                f"{function.__name__}() got multiple values for argument '{twice.pop()}'",
            )
        return function(*args[:count], **by_place, **kwargs)

    return call


@functools.cache
def _of_mint(name: str) -> type[Primitive] | None:
    """The class ``NameExt`` of the function ``mint.name``."""
    function = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.removesuffix("Ext")).lower()
    inplace = function.startswith("inplace_")
    if inplace:  # ``InplaceAddExt`` is the method ``add_``
        found = getattr(Tensor, function.removeprefix("inplace_") + "_", None)
    else:
        found = getattr(importlib.import_module("cellgrad.mint"), function, None)
    if found is None:
        return None

    placed = _placed(found)

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        return placed(*args, **kwargs)

    what = f"`Tensor.{found.__name__}`" if inplace else f"`mint.{function}`"
    members = {"__call__": __call__, "__doc__": f"{what} as a class without settings."}
    return type(name, (Primitive,), members)


@functools.cache
def _made(name: str) -> Any:
    """The class whose name in small letters this is, made without settings."""
    wanted = name.removesuffix("_op").replace("_", "")
    listed = {**vars(ops), **globals()}
    classes = [v for k, v in listed.items() if isinstance(v, type) and k.lower() == wanted]
    return classes[0]() if classes else None


def __getattr__(name: str) -> Any:
    try:
        return getattr(ops, name)
    except AttributeError:
        found: Any = None
        if name.endswith("Ext"):
            found = _of_mint(name)
        elif name.endswith("_ext_op"):
            kind = _of_mint("".join(p.capitalize() for p in name.removesuffix("_op").split("_")))
            found = None if kind is None else kind()
        elif name.endswith("_op"):
            found = _made(name)
        elif name.endswith("_ext"):
            found = of_mint(name.removesuffix("_ext"))
            found = None if found is None else _placed(found)
        elif name.endswith(("_view", "View")):
            with contextlib.suppress(AttributeError):
                found = __getattr__(re.sub("_?[vV]iew$", "", name))
        elif not name.startswith("_"):  # a method of Tensor is a function there
            method = getattr(Tensor, name, None)
            found = method if inspect.isfunction(method) else None
        if found is None:
            raise
        return found
