"""Class forms of the operations: ``ops.MatMul(transpose_b=True)(x, y)``."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from cellgrad.core.aliases import Axis
from cellgrad.core.errors import error
from cellgrad.core.record import fresh
from cellgrad.core.tensor import Tensor
from cellgrad.ops import contractions, reductions, selection
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._public import public

T = TypeVar("T")


def _flag(value: Any, name: str, owner: str) -> bool:
    if not isinstance(value, bool):
        raise error(
            TypeError,
            f"For '{owner}', the '{name}' should be bool, but got {type(value).__name__}.",
        )
    return value


@public()
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


@public()
class BatchMatMul(MatMul):
    """Products of the last two dimensions; see `ops.batch_mat_mul`.

    >>> print(ops.BatchMatMul(transpose_b=True)(ops.ones((2, 1, 3)), ops.ones((2, 2, 3))).shape)
    (2, 1, 2)
    """

    def __call__(self, x: Tensor, y: Tensor) -> Tensor:
        out: Tensor = contractions.batch_mat_mul(x, y, self.transpose_a, self.transpose_b)
        return out


class _Reduce(Primitive):
    def __init__(self, keep_dims: bool = False):
        super().__init__()
        self.keep_dims = _flag(keep_dims, "keep_dims", type(self).__name__)


@public()
class ReduceSum(_Reduce):
    """See `ops.reduce_sum`. With `skip_mode`, an empty axis reduces nothing.

    >>> print(ops.ReduceSum()(Tensor([[1.0, 5.0], [3.0, 2.0]]), 1))
    [6. 5.]
    """

    def __init__(self, keep_dims: bool = False, skip_mode: bool = False):
        super().__init__(keep_dims)
        self.skip_mode = _flag(skip_mode, "skip_mode", "ReduceSum")

    def __call__(self, x: Tensor, axis: Axis = ()) -> Tensor:
        if self.skip_mode and axis in ((), []):
            return fresh(x)
        return reductions.reduce_sum(x, axis, self.keep_dims)


@public()
class ReduceMean(_Reduce):
    """See `ops.mean`.

    >>> print(ops.ReduceMean(keep_dims=True)(Tensor([[1.0, 5.0], [3.0, 2.0]]), 1))
    [[3. ]
     [2.5]]
    """

    def __call__(self, x: Tensor, axis: Axis = ()) -> Tensor:
        out: Tensor = reductions.mean(x, axis, self.keep_dims)
        return out


@public()
class ReduceMax(_Reduce):
    """See `ops.amax`.

    >>> print(ops.ReduceMax()(Tensor([[1.0, 5.0], [3.0, 2.0]]), 1))
    [5. 3.]
    """

    def __call__(self, x: Tensor, axis: Axis = ()) -> Tensor:
        out: Tensor = reductions.amax(x, axis, self.keep_dims)
        return out


@public()
class ReduceMin(_Reduce):
    """See `ops.amin`.

    >>> print(ops.ReduceMin()(Tensor([[1.0, 5.0], [3.0, 2.0]]), 1))
    [1. 2.]
    """

    def __call__(self, x: Tensor, axis: Axis = ()) -> Tensor:
        out: Tensor = reductions.amin(x, axis, self.keep_dims)
        return out


@public()
class ReduceAll(_Reduce):
    """See `ops.all`.

    >>> print(ops.ReduceAll()(Tensor([[True, False], [True, True]]), 1))
    [False  True]
    """

    def __call__(self, input: Tensor, axis: Axis = None) -> Tensor:
        out: Tensor = reductions.all(input, axis, self.keep_dims)
        return out


@public()
class ReduceAny(_Reduce):
    """See `ops.any`.

    >>> print(ops.ReduceAny()(Tensor([[True, False], [False, False]]), 1))
    [ True False]
    """

    def __call__(self, x: Tensor, axis: Axis = ()) -> Tensor:
        out: Tensor = reductions.any(x, axis, self.keep_dims)
        return out


@public()
class Identity(Primitive):
    """The elements of the argument, as a tensor of its own; what is no Tensor itself.

    >>> print(ops.Identity()(Tensor([1.0, 2.0])))
    [1. 2.]
    """

    def __call__(self, input_x: T) -> T:
        return cast(T, fresh(input_x)) if isinstance(input_x, Tensor) else input_x


@public()
class Print(Primitive):
    """See `ops.print_`.

    >>> ops.Print()("x =", Tensor([1.0, 2.0]))
    x = [1. 2.]
    """

    def __call__(self, *input_x: object) -> None:
        selection.print_(*input_x)
