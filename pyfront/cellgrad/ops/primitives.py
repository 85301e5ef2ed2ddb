"""Class forms of the operations: ``ops.MatMul(transpose_b=True)(x, y)``."""

from __future__ import annotations

from typing import Any

from cellgrad._errors import error
from cellgrad.common.dtype import Type
from cellgrad.common.tensor import Tensor
from cellgrad.ops import contractions, joining, reductions, selection, shapes
from cellgrad.ops._elementwise import Primitive

__all__ = [
    "Assign",
    "AssignAdd",
    "AssignSub",
    "BatchMatMul",
    "BroadcastTo",
    "Cast",
    "Concat",
    "DType",
    "Div",
    "ExpandDims",
    "Fill",
    "Flatten",
    "Identity",
    "MatMul",
    "Ones",
    "OnesLike",
    "Pow",
    "Print",
    "Rank",
    "RealDiv",
    "ReduceAll",
    "ReduceAny",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceSum",
    "Reshape",
    "Select",
    "Shape",
    "Size",
    "Softmax",
    "Squeeze",
    "Stack",
    "StopGradient",
    "Transpose",
    "Zeros",
    "ZerosLike",
]


def _flag(value: Any, name: str, owner: str) -> bool:
    if not isinstance(value, bool):
        raise error(
            TypeError,
            f"For '{owner}', the '{name}' should be bool, but got {type(value).__name__}.",
        )
    return value


class MatMul(Primitive):
    """The product of two matrices; see `ops.mat_mul`."""

    def __init__(self, transpose_a: bool = False, transpose_b: bool = False):
        super().__init__()
        self.transpose_a = _flag(transpose_a, "transpose_a", "MatMul")
        self.transpose_b = _flag(transpose_b, "transpose_b", "MatMul")

    def __call__(self, input: Tensor, mat2: Tensor) -> Tensor:
        out: Tensor = contractions.mat_mul(input, mat2, self.transpose_a, self.transpose_b)
        return out


class BatchMatMul(MatMul):
    """Products of the last two dimensions; see `ops.batch_mat_mul`."""

    def __call__(self, x: Tensor, y: Tensor) -> Tensor:
        out: Tensor = contractions.batch_mat_mul(x, y, self.transpose_a, self.transpose_b)
        return out


class Pow(Primitive):
    """See `ops.pow`."""

    def __call__(self, input: Any, exponent: Any) -> Tensor:
        return selection.pow(input, exponent)


class Div(Primitive):
    """See `ops.div`."""

    def __call__(self, input: Any, other: Any) -> Tensor:
        return selection.div(input, other)


class RealDiv(Primitive):
    """See `ops.div`."""

    def __call__(self, x: Any, y: Any) -> Tensor:
        return selection.div(x, y)


class _Reduce(Primitive):
    def __init__(self, keep_dims: bool = False):
        super().__init__()
        self.keep_dims = _flag(keep_dims, "keep_dims", type(self).__name__)


class ReduceSum(_Reduce):
    """See `ops.reduce_sum`. With `skip_mode`, an empty axis reduces nothing."""

    def __init__(self, keep_dims: bool = False, skip_mode: bool = False):
        super().__init__(keep_dims)
        self.skip_mode = _flag(skip_mode, "skip_mode", "ReduceSum")

    def __call__(self, x: Tensor, axis: Any = ()) -> Tensor:
        if self.skip_mode and axis in ((), []):
            return x
        return reductions.reduce_sum(x, axis, self.keep_dims)


class ReduceMean(_Reduce):
    """See `ops.mean`."""

    def __call__(self, x: Tensor, axis: Any = ()) -> Tensor:
        out: Tensor = reductions.mean(x, axis, self.keep_dims)
        return out


class ReduceMax(_Reduce):
    """See `ops.amax`."""

    def __call__(self, x: Tensor, axis: Any = ()) -> Tensor:
        out: Tensor = reductions.amax(x, axis, self.keep_dims)
        return out


class ReduceMin(_Reduce):
    """See `ops.amin`."""

    def __call__(self, x: Tensor, axis: Any = ()) -> Tensor:
        out: Tensor = reductions.amin(x, axis, self.keep_dims)
        return out


class ReduceAll(_Reduce):
    """See `ops.all`."""

    def __call__(self, input: Tensor, axis: Any = None) -> Tensor:
        out: Tensor = reductions.all(input, axis, self.keep_dims)
        return out


class ReduceAny(_Reduce):
    """See `ops.any`."""

    def __call__(self, x: Tensor, axis: Any = ()) -> Tensor:
        out: Tensor = reductions.any(x, axis, self.keep_dims)
        return out


class Softmax(Primitive):
    """See `ops.softmax`."""

    def __init__(self, axis: int = -1):
        super().__init__()
        self.axis = axis

    def __call__(self, input: Tensor) -> Tensor:
        out: Tensor = reductions.softmax(input, self.axis)
        return out


class Cast(Primitive):
    """See `ops.cast`."""

    def __call__(self, input_x: Any, dtype: Any) -> Tensor:
        return selection.cast(input_x, dtype)


class Select(Primitive):
    """See `ops.select`."""

    def __call__(self, condition: Tensor, input: Any, other: Any) -> Tensor:
        return selection.select(condition, input, other)


class StopGradient(Primitive):
    """See `ops.stop_gradient`."""

    def __call__(self, value: Tensor) -> Tensor:
        out: Tensor = selection.stop_gradient(value)
        return out


class Identity(Primitive):
    """The argument itself."""

    def __call__(self, input_x: Any) -> Any:
        return input_x


class Reshape(Primitive):
    """See `ops.reshape`."""

    def __call__(self, input: Tensor, shape: Any) -> Tensor:
        out: Tensor = shapes.reshape(input, shape)
        return out


class Transpose(Primitive):
    """See `ops.transpose`."""

    def __call__(self, input: Tensor, dims: Any) -> Tensor:
        out: Tensor = shapes.transpose(input, dims)
        return out


class BroadcastTo(Primitive):
    """See `ops.broadcast_to`."""

    def __init__(self, shape: Any):
        super().__init__()
        self.shape = shape

    def __call__(self, input: Tensor) -> Tensor:
        out: Tensor = shapes.broadcast_to(input, self.shape)
        return out


class Squeeze(Primitive):
    """See `ops.squeeze`."""

    def __init__(self, axis: Any = ()):
        super().__init__()
        self.axis = axis

    def __call__(self, input: Tensor) -> Tensor:
        out: Tensor = shapes.squeeze(input, self.axis)
        return out


class ExpandDims(Primitive):
    """See `ops.expand_dims`."""

    def __call__(self, input_x: Tensor, axis: int) -> Tensor:
        out: Tensor = shapes.expand_dims(input_x, axis)
        return out


class Flatten(Primitive):
    """See `ops.flatten`."""

    def __call__(self, input: Tensor) -> Tensor:
        out: Tensor = shapes.flatten(input)
        return out


class Concat(Primitive):
    """See `ops.concat`."""

    def __init__(self, axis: int = 0):
        super().__init__()
        self.axis = axis

    def __call__(self, tensors: Any) -> Tensor:
        out: Tensor = joining.concat(tensors, self.axis)
        return out


class Stack(Primitive):
    """See `ops.stack`."""

    def __init__(self, axis: int = 0):
        super().__init__()
        self.axis = axis

    def __call__(self, tensors: Any) -> Tensor:
        out: Tensor = joining.stack(tensors, self.axis)
        return out


class OnesLike(Primitive):
    """See `ops.ones_like`."""

    def __call__(self, x: Tensor) -> Tensor:
        return selection.ones_like(x)


class ZerosLike(Primitive):
    """See `ops.zeros_like`."""

    def __call__(self, x: Tensor) -> Tensor:
        return selection.zeros_like(x)


class Ones(Primitive):
    """See `ops.ones`."""

    def __call__(self, shape: Any, type: Type) -> Tensor:
        return selection.ones(shape, type)


class Zeros(Primitive):
    """See `ops.zeros`."""

    def __call__(self, shape: Any, type: Type) -> Tensor:
        return selection.zeros(shape, type)


class Fill(Primitive):
    """See `ops.fill`."""

    def __call__(self, type: Type, shape: Any, value: bool | int | float) -> Tensor:
        return selection.fill(type, shape, value)


class DType(Primitive):
    """See `ops.dtype`."""

    def __call__(self, input_x: Tensor) -> Type:
        return selection.dtype(input_x)


class Shape(Primitive):
    """See `ops.shape`."""

    def __call__(self, input_x: Tensor) -> tuple[int, ...]:
        return selection.shape(input_x)


class Rank(Primitive):
    """See `ops.rank`."""

    def __call__(self, input_x: Tensor) -> int:
        return selection.rank(input_x)


class Size(Primitive):
    """See `ops.size`."""

    def __call__(self, input_x: Tensor) -> int:
        return selection.size(input_x)


class Print(Primitive):
    """See `ops.print_`."""

    def __call__(self, *input_x: Any) -> None:
        selection.print_(*input_x)


class Assign(Primitive):
    """See `ops.assign`."""

    def __call__(self, variable: Any, value: Any) -> Any:
        return selection.assign(variable, value)


class AssignAdd(Primitive):
    """See `ops.assign_add`."""

    def __call__(self, variable: Any, value: Any) -> Any:
        return selection.assign_add(variable, value)


class AssignSub(Primitive):
    """See `ops.assign_sub`."""

    def __call__(self, variable: Any, value: Any) -> Any:
        return selection.assign_sub(variable, value)
