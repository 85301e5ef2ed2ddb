"""Class forms of the operations: ``ops.MatMul(transpose_b=True)(x, y)``."""

from __future__ import annotations

from typing import Any

from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
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
    """The product of two matrices; see `ops.mat_mul`.

    >>> x = Tensor([[1.0, 2.0]])
    >>> print(ops.MatMul(transpose_b=True)(x, x))
    [[5.]]
    """

    def __init__(self, transpose_a: bool = False, transpose_b: bool = False):
        super().__init__()
        self.transpose_a = _flag(transpose_a, "transpose_a", "MatMul")
        self.transpose_b = _flag(transpose_b, "transpose_b", "MatMul")

    def __call__(self, input: Tensor, mat2: Tensor) -> Tensor:
        out: Tensor = contractions.mat_mul(input, mat2, self.transpose_a, self.transpose_b)
        return out


class BatchMatMul(MatMul):
    """Products of the last two dimensions; see `ops.batch_mat_mul`.

    >>> print(ops.BatchMatMul(transpose_b=True)(ops.ones((2, 1, 3)), ops.ones((2, 2, 3))).shape)
    (2, 1, 2)
    """

    def __call__(self, x: Tensor, y: Tensor) -> Tensor:
        out: Tensor = contractions.batch_mat_mul(x, y, self.transpose_a, self.transpose_b)
        return out


class Pow(Primitive):
    """See `ops.pow`.

    >>> print(ops.Pow()(Tensor([2.0, 3.0]), 2.0))
    [4. 9.]
    """

    def __call__(self, input: Any, exponent: Any) -> Tensor:
        return selection.pow(input, exponent)


class Div(Primitive):
    """See `ops.div`.

    >>> print(ops.Div()(Tensor([1.0, 3.0]), 2.0))
    [0.5 1.5]
    """

    def __call__(self, input: Any, other: Any) -> Tensor:
        return selection.div(input, other)


class RealDiv(Primitive):
    """See `ops.div`.

    >>> print(ops.RealDiv()(Tensor([1.0, 3.0]), Tensor([2.0, 2.0])))
    [0.5 1.5]
    """

    def __call__(self, x: Any, y: Any) -> Tensor:
        return selection.div(x, y)


class _Reduce(Primitive):
    def __init__(self, keep_dims: bool = False):
        super().__init__()
        self.keep_dims = _flag(keep_dims, "keep_dims", type(self).__name__)


class ReduceSum(_Reduce):
    """See `ops.reduce_sum`. With `skip_mode`, an empty axis reduces nothing.

    >>> print(ops.ReduceSum()(Tensor([[1.0, 5.0], [3.0, 2.0]]), 1))
    [6. 5.]
    """

    def __init__(self, keep_dims: bool = False, skip_mode: bool = False):
        super().__init__(keep_dims)
        self.skip_mode = _flag(skip_mode, "skip_mode", "ReduceSum")

    def __call__(self, x: Tensor, axis: Any = ()) -> Tensor:
        if self.skip_mode and axis in ((), []):
            return x
        return reductions.reduce_sum(x, axis, self.keep_dims)


class ReduceMean(_Reduce):
    """See `ops.mean`.

    >>> print(ops.ReduceMean(keep_dims=True)(Tensor([[1.0, 5.0], [3.0, 2.0]]), 1))
    [[3. ]
     [2.5]]
    """

    def __call__(self, x: Tensor, axis: Any = ()) -> Tensor:
        out: Tensor = reductions.mean(x, axis, self.keep_dims)
        return out


class ReduceMax(_Reduce):
    """See `ops.amax`.

    >>> print(ops.ReduceMax()(Tensor([[1.0, 5.0], [3.0, 2.0]]), 1))
    [5. 3.]
    """

    def __call__(self, x: Tensor, axis: Any = ()) -> Tensor:
        out: Tensor = reductions.amax(x, axis, self.keep_dims)
        return out


class ReduceMin(_Reduce):
    """See `ops.amin`.

    >>> print(ops.ReduceMin()(Tensor([[1.0, 5.0], [3.0, 2.0]]), 1))
    [1. 2.]
    """

    def __call__(self, x: Tensor, axis: Any = ()) -> Tensor:
        out: Tensor = reductions.amin(x, axis, self.keep_dims)
        return out


class ReduceAll(_Reduce):
    """See `ops.all`.

    >>> print(ops.ReduceAll()(Tensor([[True, False], [True, True]]), 1))
    [False  True]
    """

    def __call__(self, input: Tensor, axis: Any = None) -> Tensor:
        out: Tensor = reductions.all(input, axis, self.keep_dims)
        return out


class ReduceAny(_Reduce):
    """See `ops.any`.

    >>> print(ops.ReduceAny()(Tensor([[True, False], [False, False]]), 1))
    [ True False]
    """

    def __call__(self, x: Tensor, axis: Any = ()) -> Tensor:
        out: Tensor = reductions.any(x, axis, self.keep_dims)
        return out


class Softmax(Primitive):
    """See `ops.softmax`.

    >>> print(ops.Softmax()(Tensor([0.0, 0.0])))
    [0.5 0.5]
    """

    def __init__(self, axis: int = -1):
        super().__init__()
        self.axis = axis

    def __call__(self, input: Tensor) -> Tensor:
        out: Tensor = reductions.softmax(input, self.axis)
        return out


class Cast(Primitive):
    """See `ops.cast`.

    >>> print(ops.Cast()(Tensor([1.5, -2.5]), ms.int32))
    [ 1 -2]
    """

    def __call__(self, input_x: Any, dtype: Any) -> Tensor:
        return selection.cast(input_x, dtype)


class Select(Primitive):
    """See `ops.select`.

    >>> print(ops.Select()(Tensor([True, False]), Tensor([1, 2]), Tensor([3, 4])))
    [1 4]
    """

    def __call__(self, condition: Tensor, input: Any, other: Any) -> Tensor:
        return selection.select(condition, input, other)


class StopGradient(Primitive):
    """See `ops.stop_gradient`.

    >>> print(ms.grad(lambda x: x * ops.StopGradient()(x))(Tensor(3.0)))
    3.0
    """

    def __call__(self, value: Tensor) -> Tensor:
        out: Tensor = selection.stop_gradient(value)
        return out


class Identity(Primitive):
    """The argument itself.

    >>> print(ops.Identity()(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    def __call__(self, input_x: Any) -> Any:
        return input_x


class Reshape(Primitive):
    """See `ops.reshape`.

    >>> print(ops.Reshape()(Tensor([1, 2, 3, 4]), (2, 2)))
    [[1 2]
     [3 4]]
    """

    def __call__(self, input: Tensor, shape: Any) -> Tensor:
        out: Tensor = shapes.reshape(input, shape)
        return out


class Transpose(Primitive):
    """See `ops.transpose`.

    >>> print(ops.Transpose()(Tensor([[1, 2], [3, 4]]), (1, 0)))
    [[1 3]
     [2 4]]
    """

    def __call__(self, input: Tensor, dims: Any) -> Tensor:
        out: Tensor = shapes.transpose(input, dims)
        return out


class BroadcastTo(Primitive):
    """See `ops.broadcast_to`.

    >>> print(ops.BroadcastTo((2, 2))(Tensor([1, 2])))
    [[1 2]
     [1 2]]
    """

    def __init__(self, shape: Any):
        super().__init__()
        self.shape = shape

    def __call__(self, input: Tensor) -> Tensor:
        out: Tensor = shapes.broadcast_to(input, self.shape)
        return out


class Squeeze(Primitive):
    """See `ops.squeeze`.

    >>> print(ops.Squeeze(0)(Tensor([[1, 2]])))
    [1 2]
    """

    def __init__(self, axis: Any = ()):
        super().__init__()
        self.axis = axis

    def __call__(self, input: Tensor) -> Tensor:
        out: Tensor = shapes.squeeze(input, self.axis)
        return out


class ExpandDims(Primitive):
    """See `ops.expand_dims`.

    >>> print(ops.ExpandDims()(Tensor([1, 2]), 0))
    [[1 2]]
    """

    def __call__(self, input_x: Tensor, axis: int) -> Tensor:
        out: Tensor = shapes.expand_dims(input_x, axis)
        return out


class Flatten(Primitive):
    """See `ops.flatten`.

    >>> print(ops.Flatten()(ops.ones((2, 3, 4))).shape)
    (2, 12)
    """

    def __call__(self, input: Tensor) -> Tensor:
        out: Tensor = shapes.flatten(input)
        return out


class Concat(Primitive):
    """See `ops.concat`.

    >>> print(ops.Concat(axis=1)((Tensor([[1], [2]]), Tensor([[3], [4]]))))
    [[1 3]
     [2 4]]
    """

    def __init__(self, axis: int = 0):
        super().__init__()
        self.axis = axis

    def __call__(self, tensors: Any) -> Tensor:
        out: Tensor = joining.concat(tensors, self.axis)
        return out


class Stack(Primitive):
    """See `ops.stack`.

    >>> print(ops.Stack(axis=1)([Tensor([1, 2]), Tensor([3, 4])]))
    [[1 3]
     [2 4]]
    """

    def __init__(self, axis: int = 0):
        super().__init__()
        self.axis = axis

    def __call__(self, tensors: Any) -> Tensor:
        out: Tensor = joining.stack(tensors, self.axis)
        return out


class OnesLike(Primitive):
    """See `ops.ones_like`.

    >>> print(ops.OnesLike()(Tensor([5, 7])))
    [1 1]
    """

    def __call__(self, x: Tensor) -> Tensor:
        return selection.ones_like(x)


class ZerosLike(Primitive):
    """See `ops.zeros_like`.

    >>> print(ops.ZerosLike()(Tensor([5, 7])))
    [0 0]
    """

    def __call__(self, x: Tensor) -> Tensor:
        return selection.zeros_like(x)


class Ones(Primitive):
    """See `ops.ones`.

    >>> print(ops.Ones()((2,), ms.float32))
    [1. 1.]
    """

    def __call__(self, shape: Any, type: Type) -> Tensor:
        return selection.ones(shape, type)


class Zeros(Primitive):
    """See `ops.zeros`.

    >>> print(ops.Zeros()((2,), ms.float32))
    [0. 0.]
    """

    def __call__(self, shape: Any, type: Type) -> Tensor:
        return selection.zeros(shape, type)


class Fill(Primitive):
    """See `ops.fill`.

    >>> print(ops.Fill()(ms.float32, (2,), 3))
    [3. 3.]
    """

    def __call__(self, type: Type, shape: Any, value: bool | int | float) -> Tensor:
        return selection.fill(type, shape, value)


class DType(Primitive):
    """See `ops.dtype`.

    >>> print(ops.DType()(Tensor([1.0])))
    Float32
    """

    def __call__(self, input_x: Tensor) -> Type:
        return selection.dtype(input_x)


class Shape(Primitive):
    """See `ops.shape`.

    >>> ops.Shape()(Tensor([[1.0, 2.0]]))
    (1, 2)
    """

    def __call__(self, input_x: Tensor) -> tuple[int, ...]:
        return selection.shape(input_x)


class Rank(Primitive):
    """See `ops.rank`.

    >>> ops.Rank()(Tensor([[1.0, 2.0]]))
    2
    """

    def __call__(self, input_x: Tensor) -> int:
        return selection.rank(input_x)


class Size(Primitive):
    """See `ops.size`.

    >>> ops.Size()(Tensor([[1.0, 2.0]]))
    2
    """

    def __call__(self, input_x: Tensor) -> int:
        return selection.size(input_x)


class Print(Primitive):
    """See `ops.print_`.

    >>> ops.Print()("x =", Tensor([1.0, 2.0]))
    x = [1. 2.]
    """

    def __call__(self, *input_x: Any) -> None:
        selection.print_(*input_x)


class Assign(Primitive):
    """See `ops.assign`.

    >>> x = Parameter(Tensor([1.0, 2.0]), name="x")
    >>> print(ops.Assign()(x, Tensor([3.0, 4.0])))
    [3. 4.]
    """

    def __call__(self, variable: Any, value: Any) -> Any:
        return selection.assign(variable, value)


class AssignAdd(Primitive):
    """See `ops.assign_add`.

    >>> x = Parameter(Tensor([1.0, 2.0]), name="x")
    >>> _ = ops.AssignAdd()(x, Tensor([3.0, 4.0]))
    >>> print(x.value())
    [4. 6.]
    """

    def __call__(self, variable: Any, value: Any) -> Any:
        return selection.assign_add(variable, value)


class AssignSub(Primitive):
    """See `ops.assign_sub`.

    >>> x = Parameter(Tensor([1.0, 2.0]), name="x")
    >>> _ = ops.AssignSub()(x, Tensor([3.0, 4.0]))
    >>> print(x.value())
    [-2. -2.]
    """

    def __call__(self, variable: Any, value: Any) -> Any:
        return selection.assign_sub(variable, value)
