"""Parameters updated at indices, as functions and classes: ``ops.scatter_add(parameter, i, v)``.

The Parameter (or Tensor) gets the new value, in compiled code as part of it, and the function returns
it.
"""

from __future__ import annotations

from collections.abc import Callable

from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.ops import scattering, segments
from cellgrad.ops._elementwise import Primitive, class_examples
from cellgrad.ops.gathering import index_tensor

__all__ = [
    "ScatterAdd",
    "ScatterDiv",
    "ScatterMax",
    "ScatterMin",
    "ScatterMul",
    "ScatterNdAdd",
    "ScatterNdDiv",
    "ScatterNdMax",
    "ScatterNdMin",
    "ScatterNdMul",
    "ScatterNdSub",
    "ScatterNdUpdate",
    "ScatterSub",
    "ScatterUpdate",
    "scatter_add",
    "scatter_div",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_nd_add",
    "scatter_nd_div",
    "scatter_nd_max",
    "scatter_nd_min",
    "scatter_nd_mul",
    "scatter_nd_sub",
    "scatter_nd_update",
    "scatter_update",
]

_Update = Callable[[Tensor, Tensor, Tensor], Tensor]

_RAISES = """

    Raises:
        IndexError: an index that is not in [0, n).
        TypeError: indices that are not a Tensor of integers, or updates of another dtype.
        ValueError: updates of another shape than the parts they update.
    """


def _example(name: str, indices: str, first: str) -> str:
    """An example, and what it makes of the first element."""
    return f"""
    >>> x = Parameter(Tensor([6.0, 2.0]), name="x")
    >>> print(ops.{name}(x, Tensor({indices}, ms.int32), Tensor([3.0])))
    [{first} 2.]
    """


def _rows(name: str, update: _Update, what: str, first: str) -> _Update:
    def function(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        x = check_tensor(input_x, name, "input_x")
        at = index_tensor(indices, name, "indices")
        out = update(x, at.reshape(*at.shape, 1), updates)
        x[...] = out
        return out

    function.__name__ = function.__qualname__ = name
    example = _example(name, "[0]", first)
    function.__doc__ = f"The rows of `input_x` that the indices name, {what}.{_RAISES}{example}"
    return function


def _parts(name: str, update: _Update, what: str, first: str) -> Callable[..., Tensor]:
    def function(
        input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = False
    ) -> Tensor:
        x = check_tensor(input_x, name, "input_x")
        out = update(x, indices, updates)
        x[...] = out
        return out

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The parts of `input_x` that the tuples along the last dimension of `indices` name, {what}."
        f"{_RAISES}{_example(name, '[[0]]', first)}"
    )
    return function


def _class_of(name: str, function: Callable[..., Tensor], locking: bool = False) -> type[Primitive]:
    def init(self: Primitive, use_locking: bool = locking) -> None:
        Primitive.__init__(self)

    def call(self: Primitive, input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        return function(input_x, indices, updates)

    doc = f"The class form of `{function.__name__}`.{class_examples(function, name)}"
    body = {"__init__": init, "__call__": call, "__doc__": doc, "__module__": __name__}
    return type(name, (Primitive,), body)


_add, _sub = scattering.tensor_scatter_add, scattering.tensor_scatter_sub
_update = scattering.tensor_scatter_update
_max, _min = segments.tensor_scatter_max, segments.tensor_scatter_min
_mul, _div = segments.tensor_scatter_mul, segments.tensor_scatter_div

scatter_add = _rows("scatter_add", _add, "with `updates` added", "9.")
scatter_update = _rows("scatter_update", _update, "replaced by `updates`", "3.")
scatter_max = _rows("scatter_max", _max, "each the larger of itself and `updates`", "6.")
scatter_min = _rows("scatter_min", _min, "each the smaller of itself and `updates`", "3.")
scatter_mul = _rows("scatter_mul", _mul, "multiplied by `updates`", "18.")
scatter_div = _rows("scatter_div", _div, "divided by `updates`", "2.")
scatter_nd_add = _parts("scatter_nd_add", _add, "with `updates` added", "9.")
scatter_nd_sub = _parts("scatter_nd_sub", _sub, "with `updates` subtracted", "3.")
scatter_nd_update = _parts("scatter_nd_update", _update, "replaced by `updates`", "3.")
scatter_nd_max = _parts("scatter_nd_max", _max, "each the larger of itself and `updates`", "6.")
scatter_nd_min = _parts("scatter_nd_min", _min, "each the smaller of itself and `updates`", "3.")
scatter_nd_mul = _parts("scatter_nd_mul", _mul, "multiplied by `updates`", "18.")
scatter_nd_div = _parts("scatter_nd_div", _div, "divided by `updates`", "2.")

ScatterAdd = _class_of("ScatterAdd", scatter_add)
ScatterSub = _class_of("ScatterSub", _rows("scatter_sub", _sub, "with `updates` subtracted", "3."))
ScatterUpdate = _class_of("ScatterUpdate", scatter_update, True)
ScatterMax = _class_of("ScatterMax", scatter_max)
ScatterMin = _class_of("ScatterMin", scatter_min)
ScatterMul = _class_of("ScatterMul", scatter_mul)
ScatterDiv = _class_of("ScatterDiv", scatter_div)
ScatterNdAdd = _class_of("ScatterNdAdd", scatter_nd_add)
ScatterNdSub = _class_of("ScatterNdSub", scatter_nd_sub)
ScatterNdUpdate = _class_of("ScatterNdUpdate", scatter_nd_update, True)
ScatterNdMax = _class_of("ScatterNdMax", scatter_nd_max)
ScatterNdMin = _class_of("ScatterNdMin", scatter_nd_min)
ScatterNdMul = _class_of("ScatterNdMul", scatter_nd_mul)
ScatterNdDiv = _class_of("ScatterNdDiv", scatter_nd_div)
