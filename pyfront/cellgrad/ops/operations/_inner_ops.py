"""Primitives of MindSpore's own tests: ``from cellgrad.ops.operations import _inner_ops``."""

from typing import Any

from cellgrad import nn
from cellgrad.core.aliases import Axis
from cellgrad.core.arguments import check_instance, check_same_dtype, check_same_shape
from cellgrad.core.dtype import (
    Type,
    bool_,
    float32,
    float_,
    int64,
    int_,
    list_,
    number,
    string,
    tensor_type,
    tuple_,
    type_none,
    uint,
)
from cellgrad.core.errors import error
from cellgrad.core.record import check_tensor
from cellgrad.core.tensor import Tensor
from cellgrad.ops import indexing
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._static import known_ints
from cellgrad.ops.patches import ExtractImagePatches, ExtractVolumePatches
from cellgrad.ops.selection import cast

__all__ = [
    "ClipByNorm",
    "ConvertToDynamic",
    "CopyWithSlice",
    "ExtractImagePatches",
    "ExtractVolumePatches",
    "IsInstance",
    "IsSubClass",
    "SameTypeShape",
    "TensorCopySlices",
    "TopTypeof",
]


class ClipByNorm(Primitive):
    """The primitive of `nn.ClipByNorm`: float32, as the kernel gives it.

    Raises:
        TypeError: `axis` is not an int or a tuple of them, or no Tensors.
    """

    def __init__(self, axis: Axis = None):
        super().__init__()
        self._layer = nn.ClipByNorm(axis)

    def __call__(self, x: Tensor, clip_norm: Tensor) -> Tensor:
        given = [
            cast(check_tensor(v, self.name, n), float32)
            for v, n in ((x, "x"), (clip_norm, "clip_norm"))
        ]
        out: Tensor = self._layer(*given)
        return out


class ConvertToDynamic(Primitive):
    """The tensor itself. MindSpore takes its shape as unknown from there on; here a program is compiled
    for the shapes that it is called with.

    Args:
        is_dynamic_rank: whether the number of dimensions is unknown, too.

    Raises:
        TypeError: `x` is no Tensor.
    """

    def __init__(self, is_dynamic_rank: bool = False):
        super().__init__()
        self.is_dynamic_rank = is_dynamic_rank

    def __call__(self, x: Tensor) -> Tensor:
        return check_tensor(x, self.name, "x")


class CopyWithSlice(Primitive):
    """Writes a tensor into another one, of which it may be a part: ``x.copy_(y)``.

    Raises:
        TypeError: no Tensors.
        ValueError: a `y` that does not broadcast to the shape of `x`.
    """

    def __call__(self, x: Tensor, y: Tensor) -> Tensor:
        target: Any = check_tensor(x, self.name, "x")
        out: Tensor = target.copy_(check_tensor(y, self.name, "y"))
        return out


class IsInstance(Primitive):
    """Whether a value is of a type of `common.dtype`, or of the family that this stands for: an int is of `int64`,
    `int_` and `number`, a float of `float32`, `float_` and `number`, a Tensor of `tensor_type` alone.

    Raises:
        TypeError: `type_` is no dtype.
    """

    def __call__(self, inst: object, type_: Type) -> bool:
        check_instance(type_, self.name, "type_", Type)
        own = next((found for kind, found in _TOP_TYPES if isinstance(inst, kind)), None)
        if own is None:
            return False
        own = int64 if own is int_ else own
        return own is type_ or (own.kind != "" and own.kind in _KINDS.get(type_, ""))


class IsSubClass(Primitive):
    """Whether a dtype is another one, or of the family that this stands for (`number`, `int_`, `uint`, `float_`).

    Raises:
        TypeError: no dtypes.
    """

    def __call__(self, sub_type: Type, type_: Type) -> bool:
        check_instance(sub_type, self.name, "sub_type", Type)
        check_instance(type_, self.name, "type_", Type)
        return sub_type is type_ or (sub_type.kind != "" and sub_type.kind in _KINDS.get(type_, ""))


_KINDS = {number: "biufc", int_: "i", uint: "u", float_: "f"}


class SameTypeShape(Primitive):
    """`x`, if `y` has its dtype and shape.

    Raises:
        TypeError: no Tensors, or two dtypes.
        ValueError: two shapes.
    """

    def __call__(self, x: Tensor, y: Tensor) -> Tensor:
        given, other = check_tensor(x, self.name, "x"), check_tensor(y, self.name, "y")
        check_same_dtype(given, other, self.name, ("x", "y"))
        check_same_shape(given, other, self.name, ("x", "y"))
        return given


class TensorCopySlices(Primitive):
    """`x` with the elements between `begin` and `end`, in steps, replaced by those of `value`.

    Raises:
        TypeError: no Tensors, or two dtypes.
        ValueError: a `value` that does not fit.
    """

    def __call__(self, x: Tensor, value: Tensor, begin: Any, end: Any, strides: Any) -> Tensor:
        given, new = check_tensor(x, self.name, "x"), check_tensor(value, self.name, "value")
        check_same_dtype(given, new, self.name, ("x", "value"))
        parts = ((begin, "begin"), (end, "end"), (strides, "strides"))
        bounds = [known_ints(v, self.name, n) for v, n in parts]
        index = tuple(slice(*part) for part in zip(*bounds, strict=True))
        return indexing.setitem(given, index, new)


class TopTypeof(Primitive):
    """The type of a value, as one of `common.dtype`: `tensor_type` of a Tensor, whatever its elements are.

    Raises:
        TypeError: a value of another type than a Tensor, tuple, list, str, None, bool, int or float.
    """

    def __call__(self, x: object) -> Type:
        for kind, found in _TOP_TYPES:
            if isinstance(x, kind):
                return found
        raise error(TypeError, f"For '{self.name}', there is no type for {type(x).__name__}.")


# bool before int, which it is as well.
_TOP_TYPES: tuple[tuple[type, Type], ...] = (
    (Tensor, tensor_type),
    (tuple, tuple_),
    (list, list_),
    (str, string),
    (type(None), type_none),
    (bool, bool_),
    (int, int_),
    (float, float32),
)
