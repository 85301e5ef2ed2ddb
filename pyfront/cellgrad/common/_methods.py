"""Operators and methods of Tensor, in terms of ``cellgrad.ops``; tracers inherit them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cellgrad._errors import error, nearest
from cellgrad.common._index_methods import IndexMethods
from cellgrad.common._linalg_methods import LinalgMethods
from cellgrad.common._memory_methods import MemoryMethods
from cellgrad.common._pointwise_methods import PointwiseMethods
from cellgrad.common._reduction_methods import ReductionMethods
from cellgrad.common._sample_methods import SampleMethods
from cellgrad.common._shape_methods import ShapeMethods
from cellgrad.common._statistics_methods import StatisticsMethods
from cellgrad.common._window_methods import WindowMethods

if TYPE_CHECKING:
    from cellgrad.common.dtype import Type
    from cellgrad.common.tensor import Tensor


_UFUNCS = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "power": "pow",
    "matmul": "matmul",
    "remainder": "floor_mod",
    "floor_divide": "floor_div",
    "bitwise_and": "bitwise_and",
    "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor",
    "equal": "equal",
    "not_equal": "not_equal",
    "less": "less",
    "less_equal": "less_equal",
    "greater": "greater",
    "greater_equal": "greater_equal",
}


def _shown(tensor: Any) -> str:
    """The class a user knows a tensor by."""
    name = type(tensor).__name__
    return "Tensor" if name == "Tracer" else name


class _LazyOps:
    """``cellgrad.ops``, imported on first use: it is built on Tensor."""

    def __getattr__(self, name: str) -> Any:
        global ops
        from cellgrad import ops as loaded

        ops = loaded
        return getattr(loaded, name)


ops: Any = _LazyOps()


def _is_one(factor: Any) -> bool:
    return isinstance(factor, int) and factor == 1


# Attributes of other libraries' tensors, and what stands for them.
_ELSEWHERE = {
    "backward": "gradients are functions: ms.grad(f)(x), or ms.value_and_grad(f)(x) for both",
    "grad": "gradients are functions: ms.grad(f)(x) returns the gradient",
    "requires_grad": "ms.grad(f, grad_position=0) says what to differentiate by",
    "detach": "ops.stop_gradient(x)",
    "cuda": "tensors are in host memory; leave it out",
    "cpu": "tensors are in host memory; leave it out",
    "permute_": "x.permute(...) returns a new tensor",
    "unsqueeze": "x.expand_dims(axis)",
}


class TensorMethods(
    PointwiseMethods,
    ReductionMethods,
    LinalgMethods,
    ShapeMethods,
    StatisticsMethods,
    SampleMethods,
    IndexMethods,
    MemoryMethods,
    WindowMethods,
):
    """Operators and methods."""

    __slots__ = ()

    if not TYPE_CHECKING:  # type checkers know which attributes there are

        def __getattr__(self, name: str) -> Any:
            message = f"'{_shown(self)}' object has no attribute '{name}'"
            if name.startswith("_"):
                raise AttributeError(message)
            hint = _ELSEWHERE.get(name) or nearest(name, dir(type(self)))
            raise AttributeError(f"{message}\n  hint: {hint}")

    # --- operators ----------------------------------------------------------------------------

    def __neg__(self) -> Tensor:
        return ops.neg(self)

    def __pos__(self) -> Tensor:
        return self  # type: ignore[return-value]

    def __abs__(self) -> Tensor:
        return ops.abs(self)

    def __invert__(self) -> Tensor:
        return ops.logical_not(self)

    def __add__(self, other: Any) -> Tensor:
        return ops.add(self, other)

    def __radd__(self, other: Any) -> Tensor:
        return ops.add(other, self)

    def __sub__(self, other: Any) -> Tensor:
        return ops.sub(self, other)

    def __rsub__(self, other: Any) -> Tensor:
        return ops.sub(other, self)

    def __mul__(self, other: Any) -> Tensor:
        return ops.mul(self, other)

    def __rmul__(self, other: Any) -> Tensor:
        return ops.mul(other, self)

    def __truediv__(self, other: Any) -> Tensor:
        return ops.div(self, other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return ops.div(other, self)

    def __pow__(self, other: Any) -> Tensor:
        return ops.pow(self, other)

    def __rpow__(self, other: Any) -> Tensor:
        return ops.pow(other, self)

    def __matmul__(self, other: Any) -> Tensor:
        return ops.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Tensor:
        return ops.matmul(other, self)

    def __eq__(self, other: Any) -> Any:
        if other is None or isinstance(other, str):
            return False
        return ops.equal(self, other)

    def __ne__(self, other: Any) -> Any:
        if other is None or isinstance(other, str):
            return True
        return ops.not_equal(self, other)

    def __lt__(self, other: Any) -> Tensor:
        return ops.less(self, other)

    def __le__(self, other: Any) -> Tensor:
        return ops.less_equal(self, other)

    def __gt__(self, other: Any) -> Tensor:
        return ops.greater(self, other)

    def __ge__(self, other: Any) -> Tensor:
        return ops.greater_equal(self, other)

    def __getitem__(self, index: Any) -> Tensor:
        return ops.getitem(self, index)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Numpy's operators beside a Tensor give a Tensor; other numpy functions give arrays."""
        import numpy as np

        name = _UFUNCS.get(ufunc.__name__)
        if name is not None and method == "__call__" and len(inputs) == 2 and not kwargs:
            return getattr(ops, name)(*inputs)
        arrays = [np.asarray(v) if isinstance(v, TensorMethods) else v for v in inputs]
        return getattr(ufunc, method)(*arrays, **kwargs)

    # --- elementwise --------------------------------------------------------------------------

    def abs(self) -> Tensor:
        """See `ops.abs`."""
        return ops.abs(self)

    absolute = abs

    def neg(self) -> Tensor:
        """See `ops.neg`."""
        return ops.neg(self)

    def negative(self) -> Tensor:
        """See `ops.neg`."""
        return ops.neg(self)

    def exp(self) -> Tensor:
        """See `ops.exp`."""
        return ops.exp(self)

    def log(self) -> Tensor:
        """See `ops.log`."""
        return ops.log(self)

    def sqrt(self) -> Tensor:
        """See `ops.sqrt`."""
        return ops.sqrt(self)

    def rsqrt(self) -> Tensor:
        """See `ops.rsqrt`."""
        return ops.rsqrt(self)

    def square(self) -> Tensor:
        """See `ops.square`."""
        return ops.square(self)

    def reciprocal(self) -> Tensor:
        """See `ops.reciprocal`."""
        return ops.reciprocal(self)

    def sign(self) -> Tensor:
        """See `ops.sign`."""
        return ops.sign(self)

    def sin(self) -> Tensor:
        """See `ops.sin`."""
        return ops.sin(self)

    def cos(self) -> Tensor:
        """See `ops.cos`."""
        return ops.cos(self)

    def tan(self) -> Tensor:
        """See `ops.tan`."""
        return ops.tan(self)

    def sinh(self) -> Tensor:
        """See `ops.sinh`."""
        return ops.sinh(self)

    def cosh(self) -> Tensor:
        """See `ops.cosh`."""
        return ops.cosh(self)

    def tanh(self) -> Tensor:
        """See `ops.tanh`."""
        return ops.tanh(self)

    def atanh(self) -> Tensor:
        """See `ops.atanh`."""
        return ops.atanh(self)

    arctanh = atanh

    def sigmoid(self) -> Tensor:
        """See `ops.sigmoid`."""
        return ops.sigmoid(self)

    def isfinite(self) -> Tensor:
        """See `ops.isfinite`."""
        return ops.isfinite(self)

    def softmax(self, axis: int = -1, dtype: Type | None = None) -> Tensor:
        """See `ops.softmax`."""
        return ops.softmax(self, axis, dtype=dtype)

    def add(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """The tensor plus `alpha` times `other`; see `ops.add`."""
        return ops.add(self, other if _is_one(alpha) else ops.mul(alpha, other))

    def sub(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """The tensor minus `alpha` times `other`; see `ops.sub`."""
        return ops.sub(self, other if _is_one(alpha) else ops.mul(alpha, other))

    subtract = sub

    def mul(self, other: Any) -> Tensor:
        """See `ops.mul`."""
        return ops.mul(self, other)

    def multiply(self, value: Any) -> Tensor:
        """See `ops.mul`."""
        return ops.mul(self, value)

    def div(self, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """See `ops.div`."""
        return ops.div(self, other, rounding_mode=rounding_mode)

    divide = div

    def true_divide(self, other: Any) -> Tensor:
        """See `ops.true_divide`."""
        return ops.div(self, other)

    def pow(self, exponent: Any) -> Tensor:
        """See `ops.pow`."""
        return ops.pow(self, exponent)

    def maximum(self, other: Any) -> Tensor:
        """See `ops.maximum`."""
        return ops.maximum(self, other)

    def minimum(self, other: Any) -> Tensor:
        """See `ops.minimum`."""
        return ops.minimum(self, other)

    def clip(self, min: Any = None, max: Any = None) -> Tensor:
        """See `ops.clip`."""
        return ops.clip(self, min, max)

    clamp = clip

    def equal(self, other: Any) -> Tensor:
        """See `ops.equal`."""
        return ops.equal(self, other)

    eq = equal

    def not_equal(self, other: Any) -> Tensor:
        """See `ops.not_equal`."""
        return ops.not_equal(self, other)

    ne = not_equal

    def less(self, other: Any) -> Tensor:
        """See `ops.less`."""
        return ops.less(self, other)

    lt = less

    def less_equal(self, other: Any) -> Tensor:
        """See `ops.less_equal`."""
        return ops.less_equal(self, other)

    le = less_equal

    def greater(self, other: Any) -> Tensor:
        """See `ops.greater`."""
        return ops.greater(self, other)

    gt = greater

    def greater_equal(self, other: Any) -> Tensor:
        """See `ops.greater_equal`."""
        return ops.greater_equal(self, other)

    ge = greater_equal

    def logical_and(self, other: Any) -> Tensor:
        """See `ops.logical_and`."""
        return ops.logical_and(self, other)

    def logical_or(self, other: Any) -> Tensor:
        """See `ops.logical_or`."""
        return ops.logical_or(self, other)

    def logical_not(self) -> Tensor:
        """See `ops.logical_not`."""
        return ops.logical_not(self)

    def where(self, condition: Any, y: Any = None, *, other: Any = None) -> Tensor:
        """The tensor's elements where `condition` holds, those of `y` (or `other`) elsewhere."""
        return ops.where(condition, self, y if other is None else other)

    def select(self, condition: Any, y: Any) -> Tensor:
        """``select(condition, y)``: the tensor's elements where `condition` holds, `y`'s elsewhere;
        ``select(dim, index)``: the part at `index` along dimension `dim`."""
        if not isinstance(condition, int):
            return ops.select(condition, self, y)
        where = condition % max(self.ndim, 1)  # type: ignore[attr-defined]
        return ops.getitem(self, (slice(None),) * where + (y,))

    # --- types --------------------------------------------------------------------------------

    def astype(self, dtype: Any, copy: bool = True) -> Tensor:
        """The elements as `dtype` (also ``"float32"`` or a numpy dtype); see `ops.cast`.

        >>> Tensor([1.5, 2.5]).astype(ms.int32)
        Tensor(shape=[2], dtype=Int32, value= [1, 2])
        """
        return ops.cast(self, ops.selection.dtype_argument(dtype, "astype"))

    def to(self, dtype: Any, non_blocking: Any = False, copy: Any = False) -> Tensor:
        """See `astype`; instead of a dtype also a Tensor that has it, or a device's name, which changes
        nothing: tensors are in host memory.
        """
        if isinstance(dtype, str) and dtype.split(":")[0] in ("CPU", "GPU", "Ascend", "cpu"):
            return self  # type: ignore[return-value]
        wanted = dtype.dtype if isinstance(dtype, TensorMethods) else dtype  # type: ignore[attr-defined]
        return ops.cast(self, ops.selection.dtype_argument(wanted, "to"))

    def type_as(self, other: Tensor) -> Tensor:
        """The elements converted to the dtype of another tensor."""
        return ops.cast(self, other.dtype)

    def float(self) -> Tensor:
        """The elements as float32."""
        return ops.cast(self, ops.selection.dtype_argument("float32", "float"))

    def half(self) -> Tensor:
        """The elements as float16."""
        return ops.cast(self, ops.selection.dtype_argument("float16", "half"))

    def double(self) -> Tensor:
        """The elements as float64."""
        return ops.cast(self, ops.selection.dtype_argument("float64", "double"))

    def int(self) -> Tensor:
        """The elements as int32."""
        return ops.cast(self, ops.selection.dtype_argument("int32", "int"))

    def long(self) -> Tensor:
        """The elements as int64."""
        return ops.cast(self, ops.selection.dtype_argument("int64", "long"))

    def short(self) -> Tensor:
        """The elements as int16."""
        return ops.cast(self, ops.selection.dtype_argument("int16", "short"))

    def byte(self) -> Tensor:
        """The elements as uint8."""
        return ops.cast(self, ops.selection.dtype_argument("uint8", "byte"))

    def bfloat16(self) -> Tensor:
        """The elements as bfloat16."""
        return ops.cast(self, ops.selection.dtype_argument("bfloat16", "bfloat16"))

    def bool(self) -> Tensor:
        """Whether elements differ from zero."""
        return ops.cast(self, ops.selection.dtype_argument("bool", "bool"))

    # --- others -------------------------------------------------------------------------------

    def new_zeros(self, size: Any, dtype: Type | None = None) -> Tensor:
        """Zeros of another shape, of the tensor's dtype by default."""
        return ops.zeros(size, dtype or self.dtype)  # type: ignore[attr-defined]

    def new_ones(self, size: Any, dtype: Type | None = None) -> Tensor:
        """Ones of another shape, of the tensor's dtype by default."""
        return ops.ones(size, dtype or self.dtype)  # type: ignore[attr-defined]

    def uniform(self, from_: Any = 0.0, to: Any = 1.0, generator: Any = None) -> Tensor:
        """Uniform numbers in [from_, to), of the tensor's shape and dtype; see `ops.uniform`.

        Raises:
            TypeError: `from_` is larger than `to`.
        """
        if from_ > to:
            raise error(TypeError, f"For 'uniform', 'from_' = {from_} is larger than 'to' = {to}.")
        limits = [
            ops.full((), limit, dtype=ops.selection.dtype_argument("float32", "uniform"))
            for limit in (from_, to)
        ]
        return ops.uniform(self.shape, *limits).astype(self.dtype)  # type: ignore[attr-defined]

    def value(self) -> Tensor:
        """The tensor's value; a Parameter gives its current one."""
        return self  # type: ignore[return-value]
