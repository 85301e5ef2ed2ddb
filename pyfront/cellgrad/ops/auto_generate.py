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
from cellgrad.ops.operations._inner_ops import TensorCopySlices as TensorCopySlices
from cellgrad.ops.operations._sequence_ops import SequenceConcat as SequenceConcat


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


def _resized(mode: str) -> Callable[..., Any]:
    def resize(
        x: Any, output_size: Any = None, scales: Any = None, align_corners: Any = None
    ) -> Any:
        return ops.interpolate(x, output_size, scales, mode, align_corners)

    return resize


def _of_extreme(name: str) -> Callable[..., Any]:
    def find(input: Any, dim: int, keepdim: bool = False) -> Any:
        return tuple(getattr(importlib.import_module("cellgrad.mint"), name)(input, dim, keepdim))

    return find


def _norm(
    input: Any, p: Any = 2.0, dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> Any:
    return ops.norm(input, p, dim, keepdim, dtype=dtype)


def _group_norm(
    input: Any, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5
) -> Any:
    """What `ops.group_norm` gives, and of each group the mean and one over the deviation."""
    out = ops.group_norm(input, num_groups, weight, bias, eps)
    groups = ops.reshape(input, (input.shape[0], num_groups, -1))
    variance = ops.var(groups, -1, ddof=0)
    return out, ops.mean(groups, -1), ops.rsqrt(variance + eps)


def _least_squares(A: Any, B: Any, driver: Any = None) -> Any:
    return importlib.import_module("cellgrad.scipy.linalg").lstsq(A, B, driver=driver)


shape_ = ops.shape

# Primitives without settings that are named after no function.
_PRIMITIVES: dict[str, Callable[..., Any]] = {
    "GroupNorm": _group_norm,
    "LstsqV2": _least_squares,
    "MaxDim": _of_extreme("max"),
    "MinDim": _of_extreme("min"),
    "NewOnes": lambda input, size, dtype=None: input.new_ones(size, dtype),
    "NewZeros": lambda input, size, dtype=None: input.new_zeros(size, dtype),
    "Norm": _norm,
    "UpsampleNearest1D": _resized("nearest"),
    "UpsampleNearest2D": _resized("nearest"),
    "UpsampleLinear1D": _resized("linear"),
    "UpsampleBilinear2D": _resized("bilinear"),
}


@functools.cache
def _primitive(name: str) -> type[Primitive]:
    function = _PRIMITIVES[name]

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    members = {"__call__": __call__, "__doc__": f"MindSpore's primitive {name}, without settings."}
    return type(name, (Primitive,), members)


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
    classes += [_primitive(k) for k in _PRIMITIVES if k.lower() == wanted]
    return classes[0]() if classes else None


def __getattr__(name: str) -> Any:
    try:
        return getattr(ops, name)
    except AttributeError:
        found: Any = None
        if name in _PRIMITIVES:
            found = _primitive(name)
        elif name.endswith("Ext"):
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
