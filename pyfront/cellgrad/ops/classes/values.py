"""Classes of MindSpore that have no function of their own: sums, counts, tuples and layouts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import DTypeLike, TensorLike
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_int,
    check_number,
    check_one_of,
    check_same_dtype,
    check_shape,
)
from cellgrad.core.dtype import Type
from cellgrad.core.errors import either, error
from cellgrad.core.record import (
    as_tensor,
    axis_of,
    check_float,
    check_tensor,
    fresh,
    is_number,
    operation,
    splat,
)
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import elements
from cellgrad.ops import _generated as gen
from cellgrad.ops import extrema, rounding, searching
from cellgrad.ops._elementwise import Primitive
from cellgrad.ops._index import gathered
from cellgrad.ops._public import public
from cellgrad.ops._static import known
from cellgrad.ops.joining import pad_to
from cellgrad.ops.selection import cast, select
from cellgrad.ops.sorting import sort


@operation
def _add_bias(x: Tensor, bias: Tensor, dim: int) -> Tensor:
    return x + bias.reshape(*(-1 if d == dim else 1 for d in range(x.ndim)))


def _biased(op: str, input_x: Any, bias: Any, last: bool) -> Tensor:
    x, b = check_tensor(input_x, op, "input_x"), check_tensor(bias, op, "bias")
    dim = x.ndim - 1 if last else 1
    if x.ndim < 2 or b.shape != (x.shape[dim],) or b.dtype is not x.dtype:
        raise error(
            ValueError,
            f"For '{op}', 'bias' must have one element for each channel of 'input_x' and its dtype, "
            f"but got {b.dtype.title}{list(b.shape)} for {x.dtype.title}{list(x.shape)}.",
        )
    out: Tensor = _add_bias(x, b, dim)
    return out


@public()
def bias_add(input_x: Tensor, bias: Tensor) -> Tensor:
    """A number added to each channel, the second dimension.

    Raises:
        TypeError: arguments that are not Tensors.
        ValueError: a bias of another length or dtype.

    >>> print(ops.bias_add(Tensor([[1.0, 2.0]]), Tensor([10.0, 20.0])))
    [[11. 22.]]
    """
    return _biased("bias_add", input_x, bias, False)


@public()
class BiasAdd(Primitive):
    """`bias_add`, with channels in the second ("NCHW", "NCDHW") or the last ("NHWC") dimension.

    >>> print(ops.BiasAdd("NHWC")(ops.zeros((1, 1, 1, 2)), Tensor([1.0, 2.0])))
    [[[[1. 2.]]]]
    """

    def __init__(self, data_format: str = "NCHW"):
        super().__init__()
        self.data_format = check_one_of(
            data_format, self.name, "data_format", ("NCHW", "NHWC", "NCDHW")
        )

    def __call__(self, input_x: Tensor, bias: Tensor) -> Tensor:
        return _biased(self.name, input_x, bias, self.data_format == "NHWC")


@operation
def _squares(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return gen.square(x).sum(), gen.square(y).sum()


@public()
class SquareSumAll(Primitive):
    """The sums of squares of two tensors.

    Raises:
        TypeError: no Tensors, or of two dtypes.
        ValueError: of two shapes.

    >>> print(*ops.SquareSumAll()(Tensor([1.0, 2.0]), Tensor([3.0, 0.0])))
    5.0 9.0
    """

    def __call__(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        a, b = check_tensor(x, self.name, "x"), check_tensor(y, self.name, "y")
        check_same_dtype(a, b, self.name, ("x", "y"))
        check_shape(b, self.name, "y", a.shape, "the shape of 'x'")
        out: tuple[Tensor, Tensor] = _squares(a, b)
        return out


@operation
def _equal_count(x: Tensor, y: Tensor) -> Tensor:
    return cast(cast(gen.equal(x, y), mstype.int32).sum().reshape(1), x.dtype)


@public()
class EqualCount(Primitive):
    """The number of equal elements, in the dtype of the first tensor.

    >>> print(ops.EqualCount()(Tensor([1, 2, 3]), Tensor([1, 5, 3])))
    [2]
    """

    def __call__(self, x: Tensor, y: Tensor) -> Tensor:
        a, b = check_tensor(x, self.name, "x"), check_tensor(y, self.name, "y")
        if a.shape != b.shape or a.dtype is not b.dtype:
            raise error(
                ValueError,
                f"For 'EqualCount', both tensors must have one shape and dtype, but got "
                f"{a.dtype.title}{list(a.shape)} and {b.dtype.title}{list(b.shape)}.",
            )
        out: Tensor = _equal_count(a, b)
        return out


@public()
class Median(Primitive):
    """The middle elements along `axis`, or of all, and their positions; see `ops.median`. The derivative of the one of
    all is shared by the elements equal to it.

    >>> print(*ops.Median(axis=1)(Tensor([[3.0, 1.0, 2.0]])))
    [2.] [2]
    """

    def __init__(
        self,
        global_median: bool = False,
        axis: int = 0,
        keep_dims: bool = False,
        ignore_nan: bool = False,
    ):
        super().__init__()
        self.global_median = check_bool(global_median, self.name, "global_median")
        self.axis = check_int(axis, self.name, "axis")
        self.keep_dims = check_bool(keep_dims, self.name, "keep_dims")
        self.ignore_nan = check_bool(ignore_nan, self.name, "ignore_nan")

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        given = check_tensor(x, self.name, "x")
        out: tuple[Tensor, Tensor] = _median(
            given, self.global_median, self.axis, self.keep_dims, self.ignore_nan
        )
        return out


@operation
def _median(
    x: Tensor, everywhere: bool, axis: int, keep: bool, ignore_nan: bool
) -> tuple[Tensor, Tensor]:
    if everywhere:
        x, axis, keep = x.reshape(-1), 0, False
        if x.dtype.kind == "f" and not x.size:
            return splat(math.nan, x.dtype, ()), splat(0, mstype.int64, ())
    if not ignore_nan or x.dtype.kind != "f":
        value, place = extrema.median(x, axis, keep)
        return (extrema.shared(x, value), gen.mul(place, 0)) if everywhere else (value, place)
    # NaN comes last in the order: the middle of those before it.
    d = axis_of(axis, x.ndim, "Median")
    values, order = sort(x, d)
    count = cast(gen.logical_not(gen.isnan(x)), mstype.int32).sum(d, keepdims=True)
    middle = gen.maximum(gen.floor_div(count - 1, 2), 0)
    along = known(np.arange(x.shape[d]), mstype.int32).reshape(
        *(-1 if k == d else 1 for k in range(x.ndim))
    )
    chosen = gen.equal(along, middle)
    value = select(chosen, values, 0).sum(d, keepdims=keep)
    value = extrema.shared(x, value) if everywhere else value
    return value, cast(select(chosen, order, 0).sum(d, keepdims=keep), mstype.int64)


# --- tuples and shapes ------------------------------------------------------------------------


@public()
class IdentityN(Primitive):
    """Copies of the tensors, as a tuple.

    >>> print(ops.IdentityN()([Tensor(1.0), Tensor(2.0)])[1])
    2.0
    """

    def __call__(self, x: TensorLike) -> tuple[Tensor, ...]:
        if not isinstance(x, tuple | list):
            raise argument_error(TypeError, self.name, "x", "a tuple or list of Tensors", x)
        return tuple(fresh(check_tensor(v, self.name, f"x[{i}]")) for i, v in enumerate(x))


@public()
class TensorToTuple(Primitive):
    """The elements of a vector, which are known while compiling, as a tuple of numbers. Code is compiled for those
    of an input of integers.

    >>> ops.TensorToTuple()(Tensor([1, 2, 3]))
    (1, 2, 3)
    """

    def __call__(self, input_tensor: Tensor) -> tuple[object, ...]:
        x = check_tensor(input_tensor, self.name, "input_tensor")
        return tuple(elements(x, "the input of TensorToTuple").reshape(-1).tolist())


@public("ops.ScalarToTensor()(input_x, dtype)")
def scalar_to_tensor(input_x: TensorLike, dtype: Type = mstype.float32) -> Tensor:
    """A number as a Tensor without dimensions.

    Raises:
        TypeError: something else than a number.

    >>> print(ops.scalar_to_tensor(5))
    5.0
    """
    if not is_number(input_x):
        raise argument_error(TypeError, "scalar_to_tensor", "input_x", "a number", input_x)
    return as_tensor(input_x, "scalar_to_tensor", dtype)


@public("ops.ScalarCast")
def scalar_cast(input_x: TensorLike, input_y: DTypeLike) -> bool | int | float | Tensor:
    """A number converted as a dtype says: int64, float64 or bool.

    Raises:
        TypeError: something else than a number.
        ValueError: another dtype.

    >>> ops.scalar_cast(5.7, ms.int64)
    5
    """
    if not is_number(input_x):
        raise argument_error(TypeError, "scalar_cast", "input_x", "a number", input_x)
    kinds: dict[Any, Any] = {mstype.int64: int, mstype.float64: float, mstype.bool_: bool}
    if not isinstance(input_y, Type) or input_y not in kinds:
        raise argument_error(
            ValueError, "scalar_cast", "input_y", "int64, float64 or bool", input_y
        )
    return kinds[input_y](input_x)


@public("ops.TensorShape")
def dyn_shape(input_x: Tensor) -> Tensor:
    """The shape as a Tensor of int64.

    >>> print(ops.dyn_shape(ops.ones((2, 3))))
    [2 3]
    """
    shape = check_tensor(input_x, "dyn_shape", "input_x").shape
    return known(np.array(shape, np.int64), mstype.int64)


@public()
def is_nonzero(input: Tensor) -> bool:
    """Whether the only element of a tensor, which is known while compiling, is not 0.

    Raises:
        TypeError: no Tensor.
        ValueError: a tensor of other than one element.

    >>> ops.is_nonzero(Tensor([3.0]))
    True
    """
    x = check_tensor(input, "is_nonzero", "input")
    if x.size != 1:
        raise error(
            ValueError,
            f"For 'is_nonzero', the tensor must have one element, but got shape {list(x.shape)}.",
        )
    return bool(x._concrete("the input of is_nonzero").reshape(())[()])


@public()
@operation
def deepcopy(input_x: Tensor) -> Tensor:
    """A copy of a tensor.

    >>> print(ops.deepcopy(Tensor([1.0, 2.0])))
    [1. 2.]
    """
    return check_tensor(input_x, "deepcopy", "input_x")


@public("ops.ApproximateEqual(tolerance)(x, y)", "Tensor.approximate_equal(other, tolerance)")
@operation
def approximate_equal(x: Tensor, y: Tensor, tolerance: float = 1e-5) -> Tensor:
    """Whether elements differ by less than `tolerance`.

    Raises:
        TypeError: arguments that are not Tensors, or a tolerance that is no number.
        ValueError, RuntimeError: tensors of two shapes; they are not broadcast.

    >>> print(ops.approximate_equal(Tensor([1.0, 2.0]), Tensor([1.000001, 3.0])))
    [ True False]
    """
    a = check_tensor(x, "approximate_equal", "x")
    b = check_tensor(y, "approximate_equal", "y")
    check_number(tolerance, "approximate_equal", "tolerance")
    if a.shape != b.shape:
        raise error(
            either(ValueError, RuntimeError),
            f"For 'approximate_equal', 'y' must have the same shape as 'x', {list(a.shape)}, but got {list(b.shape)}.",
        )
    return gen.less(gen.abs(a - b), float(tolerance))


@public("ops.Eps")
def eps(x: Tensor) -> Tensor:
    """The distance from 1 to the next larger number of the dtype, for each element.

    Raises:
        TypeError: a tensor that is not of floating-point numbers.

    >>> print(ops.eps(Tensor([1.0, 2.0], ms.float16)))
    [0.000977 0.000977]
    """
    given = check_tensor(x, "eps", "x")
    if given.dtype.kind != "f":
        raise argument_error(TypeError, "eps", "x", "a Tensor of floating-point numbers", x)
    steps = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}
    out: Tensor = _everywhere(given, steps[str(given.dtype).lower().rpartition(".")[2]])
    return out


@operation
def _everywhere(x: Tensor, value: float) -> Tensor:
    return select(gen.equal(x, x), value, value).astype(x.dtype)


@public()
class Rint(Primitive):
    """The nearest whole numbers, the even one of two.

    >>> print(ops.Rint()(Tensor([0.5, 1.5, -2.5])))
    [ 0.  2. -2.]
    """

    def __call__(self, input_x: Tensor) -> Tensor:
        out: Tensor = rounding.round(check_float(input_x, self.name, "input_x"))
        return out


@public()
class Reusing(Primitive):
    """The input itself.

    >>> print(ops.Reusing()(Tensor([1.0])))
    [1.]
    """

    def __call__(self, x: Tensor) -> Tensor:
        return check_tensor(x, self.name, "x")


@public()
class InvertPermutation(Primitive):
    """Where each of the numbers 0, 1, ... is in a tuple.

    >>> ops.InvertPermutation()((2, 0, 1))
    (1, 2, 0)
    """

    def __call__(self, input_x: TensorLike) -> tuple[int, ...]:
        if not isinstance(input_x, tuple | list) or sorted(input_x) != [*range(len(input_x))]:
            raise error(
                ValueError,
                f"For 'InvertPermutation', 'input_x' must be a permutation of 0, 1, ..., but got "
                f"{input_x!r}.",
            )
        return tuple(list(input_x).index(i) for i in range(len(input_x)))


# --- layouts ----------------------------------------------------------------------------------


class _Layout(Primitive):
    def __init__(self, src_format: str = "NHWC", dst_format: str = "NCHW"):
        super().__init__()
        for value, argument in ((src_format, "src_format"), (dst_format, "dst_format")):
            check_one_of(value, self.name, argument, ("NHWC", "NCHW"))
        self.src_format, self.dst_format = src_format, dst_format


@public()
class DataFormatDimMap(_Layout):
    """Where a dimension of the new layout is in the old one.

    >>> print(ops.DataFormatDimMap()(Tensor([0, 1, 2, 3, -1], ms.int32)))
    [0 3 1 2 2]
    """

    def __call__(self, input_x: Tensor) -> Tensor:
        x = check_tensor(input_x, self.name, "input_x")
        table = [self.src_format.index(c) for c in self.dst_format]
        out: Tensor = _mapped(x, tuple(table))
        return out


@operation
def _mapped(x: Tensor, table: tuple[int, ...]) -> Tensor:
    at = select(gen.less(x, 0), x + len(table), x)
    return cast(gathered(known(np.array(table), mstype.int32), cast(at, mstype.int32), 0), x.dtype)


@public()
class DataFormatVecPermute(_Layout):
    """Four numbers, or pairs of them, from the order of one layout in that of the other.

    >>> print(ops.DataFormatVecPermute()(Tensor([1, 2, 3, 4], ms.int32)))
    [1 4 2 3]
    """

    def __call__(self, input_x: Tensor) -> Tensor:
        x = check_tensor(input_x, self.name, "input_x")
        if x.shape not in ((4,), (4, 2)):
            raise error(
                ValueError,
                f"For 'DataFormatVecPermute', the shape must be [4] or [4, 2], but got "
                f"{list(x.shape)}.",
            )
        out: Tensor = _picked(x, tuple(self.src_format.index(c) for c in self.dst_format))
        return out


@operation
def _picked(x: Tensor, order: tuple[int, ...]) -> Tensor:
    return gathered(x, known(np.array(order), mstype.int32), 0)


@operation
def _widened(x: Tensor, length: int) -> Tensor:
    zeros = [0] * x.ndim
    return pad_to(x, zeros, [*zeros[:-1], length - 1])


@public()
class Padding(Primitive):
    """The last dimension, of one element, filled with zeros up to a length.

    Raises:
        ValueError: a last dimension of more than one element.

    >>> print(ops.Padding(3)(Tensor([[1.0], [2.0]])))
    [[1. 0. 0.]
     [2. 0. 0.]]
    """

    def __init__(self, pad_dim_size: int = 8):
        super().__init__()
        self.pad_dim_size = check_int(pad_dim_size, self.name, "pad_dim_size", at_least=1)

    def __call__(self, x: Tensor) -> Tensor:
        given = check_tensor(x, self.name, "x")
        if given.ndim < 2 or given.shape[-1] != 1:
            raise error(
                ValueError,
                f"For 'Padding', the last of at least two dimensions must have one element, but got "
                f"shape {list(given.shape)}.",
            )
        out: Tensor = _widened(given, self.pad_dim_size)
        return out


@public()
def padding(x: Tensor, pad_dim_size: int = 8) -> Tensor:
    """The last dimension, of one element, filled with zeros up to a length; see `ops.Padding`.

    >>> print(ops.padding(Tensor([[1.0], [2.0]]), 3))
    [[1. 0. 0.]
     [2. 0. 0.]]
    """
    return Padding(pad_dim_size)(x)


# --- order ------------------------------------------------------------------------------------


@operation
def _nth(x: Tensor, n: int, reverse: bool) -> Tensor:
    return sort(x, x.ndim - 1, reverse)[0][..., n]


@public()
class NthElement(Primitive):
    """The `n`-th smallest (or largest) element of the last dimension.

    >>> print(ops.NthElement()(Tensor([[3.0, 1.0, 2.0]]), 1))
    [2.]
    """

    def __init__(self, reverse: bool = False):
        super().__init__()
        self.reverse = check_bool(reverse, self.name, "reverse")

    def __call__(self, input: Tensor, n: int | Tensor) -> Tensor:
        x = check_tensor(input, self.name, "input")
        if isinstance(n, Tensor):
            n = int(elements(n, "'n' of NthElement").reshape(()))
        length = x.shape[-1] if x.ndim else 0
        check_int(n, self.name, "n", at_least=0, below=length)
        out: Tensor = _nth(x, n, self.reverse)
        return out


@public()
class LowerBound(Primitive):
    """Before which element of sorted rows values can stand, the first place; see `searchsorted`.

    >>> rows = Tensor([[1.0, 3.0, 5.0]])
    >>> print(ops.LowerBound()(rows, Tensor([[3.0, 4.0]])))
    [[1 2]]
    """

    right = False

    def __init__(self, out_type: Type = mstype.int32):
        super().__init__()
        if out_type not in (mstype.int32, mstype.int64):
            raise argument_error(TypeError, self.name, "out_type", "int32 or int64", out_type)
        self.out_type = out_type

    def __call__(self, sorted_x: Tensor, values: Tensor) -> Tensor:
        return cast(searching.searchsorted(sorted_x, values, right=self.right), self.out_type)


@public()
class UpperBound(LowerBound):
    """Before which element of sorted rows values can stand, the last place; see `searchsorted`.

    >>> rows = Tensor([[1.0, 3.0, 5.0]])
    >>> print(ops.UpperBound()(rows, Tensor([[3.0, 4.0]])))
    [[2 2]]
    """

    right = True
