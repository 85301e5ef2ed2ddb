"""Operators and methods of Tensor, in terms of ``cellgrad.ops``; tracers inherit them."""

from __future__ import annotations

__path__ = __import__("pkgutil").extend_path(__path__, __name__)

import types
from typing import TYPE_CHECKING, Any

from cellgrad import ops as _ops
from cellgrad.core import absent
from cellgrad.core.aliases import DTypeLike, ShapeLike, TensorLike
from cellgrad.core.context import check_placed
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.ops.methods._forms import FormMethods
from cellgrad.ops.methods.arithmetic import ArithmeticMethods
from cellgrad.ops.methods.index import IndexMethods
from cellgrad.ops.methods.memory import MemoryMethods
from cellgrad.ops.methods.operators import Operators
from cellgrad.ops.methods.reduction import ReductionMethods
from cellgrad.ops.methods.shape import ShapeMethods

# The `self` of these classes is no Tensor to type checkers.
ops: Any = _ops


def _shown(tensor: Any) -> str:
    """The class a user knows a tensor by."""
    name = type(tensor).__name__
    return "Tensor" if name == "Tracer" else name


# Attributes of other libraries' tensors, and what stands for them.
_ELSEWHERE = {
    "backward": "gradients are functions: ms.grad(f)(x), or ms.value_and_grad(f)(x) for both",
    "grad": "gradients are functions: ms.grad(f)(x) returns the gradient",
    "requires_grad": "ms.grad(f, grad_position=0) says what to differentiate by",
    "requires_grad_": "ms.grad(f, grad_position=0) says what to differentiate by",
    "detach": "ops.stop_gradient(x)",
    "cuda": "ms.set_device('GPU') has programs compute on an NVIDIA GPU; tensors move as they are needed",
    "cpu": "x.to('CPU'); tensors move as they are needed",
    "permute_": "x.permute(...) returns a new tensor",
    "unsqueeze": "x.expand_dims(axis)",
}


class TensorMethods(
    Operators,
    ArithmeticMethods,
    ReductionMethods,
    ShapeMethods,
    IndexMethods,
    MemoryMethods,
    FormMethods,
):
    """Operators and methods."""

    __slots__ = ()

    if not TYPE_CHECKING:  # type checkers know which attributes there are

        def __getattr__(self, name: str) -> object:
            message = f"'{_shown(self)}' object has no attribute '{name}'"
            if name.startswith("_"):
                raise AttributeError(message)
            hint = _ELSEWHERE.get(name) or absent.hint("Tensor", name, dir(type(self)))
            raise AttributeError(f"{message}\n  hint: {hint}")

    # --- types --------------------------------------------------------------------------------

    def astype(self, dtype: DTypeLike, copy: bool = True) -> Tensor:
        """The elements as `dtype` (also ``"float32"`` or a numpy dtype); see `ops.cast`.

        >>> Tensor([1.5, 2.5]).astype(ms.int32)
        Tensor(shape=[2], dtype=Int32, value= [1, 2])
        """
        return ops.cast(self, ops.selection.dtype_argument(dtype, "astype"))

    def to(
        self,
        first: DTypeLike | Tensor | None = None,
        /,
        *others: object,
        device: str | None = None,
        dtype: DTypeLike | None = None,
        other: Tensor | None = None,
        non_blocking: object = False,
        copy: object = False,
    ) -> Tensor:
        """The elements as another dtype, see `astype`, or on another device, or both.

        Args:
            first: a dtype, a Tensor that has it, or the name of a device, after which a dtype may follow. None changes
                nothing.
            others: a dtype, and what `non_blocking` and `copy` are, which have no effect.
            device: ``"CPU"``, ``"GPU"`` or ``"GPU:1"``: the elements are copied there now, and not when a program
                needs them; in compiled code, nothing moves. It has to be the one on which programs compute
                (`set_device`), or the CPU.
            dtype: a dtype.
            other: a Tensor that has it.

        Raises:
            RuntimeError: there is no such device, programs compute on another one, or another library
                shares the elements on a device.
            ValueError: a name of a device without a number.

        >>> print(Tensor([1.5, 2.5]).to(ms.int32), Tensor([1.5, 2.5]).to("CPU", ms.int32))
        [1 2] [1 2]
        """
        if isinstance(first, str) and first.split(":")[0] in ("CPU", "GPU", "Ascend", "cpu"):
            device = first
        elif first is not None:
            dtype = first  # type: ignore[assignment]
        if others and not isinstance(others[0], int):
            dtype = others[0]  # type: ignore[assignment]
        dtype = dtype if other is None else other.dtype
        out: Any = self if device is None else self._moved_to(check_placed(device, "to"))
        if dtype is None:
            return out  # type: ignore[no-any-return]
        wanted = dtype.dtype if isinstance(dtype, Tensor) else dtype
        return ops.cast(out, ops.selection.dtype_argument(wanted, "to"))

    def type_as(self, other: Tensor) -> Tensor:
        """The elements converted to the dtype of another tensor.

        >>> print(Tensor([1.5, 2.5]).type_as(Tensor([0])))
        [1 2]
        """
        return ops.cast(self, other.dtype)

    def float(self) -> Tensor:
        """The elements as float32.

        >>> print(Tensor([1]).float().dtype)
        Float32
        """
        return ops.cast(self, ops.selection.dtype_argument("float32", "float"))

    def half(self) -> Tensor:
        """The elements as float16.

        >>> print(Tensor([1.5]).half().dtype)
        Float16
        """
        return ops.cast(self, ops.selection.dtype_argument("float16", "half"))

    def double(self) -> Tensor:
        """The elements as float64.

        >>> print(Tensor([1.5]).double().dtype)
        Float64
        """
        return ops.cast(self, ops.selection.dtype_argument("float64", "double"))

    def int(self) -> Tensor:
        """The elements as int32.

        >>> print(Tensor([1.5]).int().dtype)
        Int32
        """
        return ops.cast(self, ops.selection.dtype_argument("int32", "int"))

    def long(self) -> Tensor:
        """The elements as int64.

        >>> print(Tensor([1.5]).long().dtype)
        Int64
        """
        return ops.cast(self, ops.selection.dtype_argument("int64", "long"))

    def short(self) -> Tensor:
        """The elements as int16.

        >>> print(Tensor([1.5]).short().dtype)
        Int16
        """
        return ops.cast(self, ops.selection.dtype_argument("int16", "short"))

    def byte(self) -> Tensor:
        """The elements as uint8.

        >>> print(Tensor([1.5]).byte().dtype)
        UInt8
        """
        return ops.cast(self, ops.selection.dtype_argument("uint8", "byte"))

    def bfloat16(self) -> Tensor:
        """The elements as bfloat16.

        >>> print(Tensor([1.5]).bfloat16().dtype)
        BFloat16
        """
        return ops.cast(self, ops.selection.dtype_argument("bfloat16", "bfloat16"))

    def bool(self) -> Tensor:
        """Whether elements differ from zero.

        >>> print(Tensor([0.0]).bool().dtype)
        Bool
        """
        return ops.cast(self, ops.selection.dtype_argument("bool", "bool"))

    # --- others -------------------------------------------------------------------------------

    def new_zeros(self, size: ShapeLike, dtype: Type | None = None) -> Tensor:
        """Zeros of another shape, of the tensor's dtype by default.

        >>> print(Tensor([5, 7]).new_zeros((3,)))
        [0 0 0]
        """
        return ops.zeros(size, dtype or self.dtype)  # type: ignore[attr-defined]

    def new_ones(self, size: ShapeLike, dtype: Type | None = None) -> Tensor:
        """Ones of another shape, of the tensor's dtype by default.

        >>> print(Tensor([5, 7]).new_ones((3,)))
        [1 1 1]
        """
        return ops.ones(size, dtype or self.dtype)  # type: ignore[attr-defined]

    def uniform(
        self, from_: TensorLike = 0.0, to: TensorLike = 1.0, generator: object = None
    ) -> Tensor:
        """Uniform numbers in [from_, to), of the tensor's shape and dtype; see `ops.uniform`.

        Raises:
            TypeError: `from_` is larger than `to`.

        >>> x = ops.ones(3).uniform(4.0, 5.0)
        >>> print(x.min() >= 4, x.max() < 5)
        True True
        """
        if from_ > to:
            raise error(TypeError, f"For 'uniform', 'from_' = {from_} is larger than 'to' = {to}.")
        limits = [
            ops.full((), limit, dtype=ops.selection.dtype_argument("float32", "uniform"))
            for limit in (from_, to)
        ]
        return ops.uniform(self.shape, *limits).astype(self.dtype)  # type: ignore[attr-defined]

    def log_normal(self, mean: TensorLike = 1.0, std: TensorLike = 2.0) -> Tensor:
        """Numbers whose logarithms are normal; see `ops.LogNormalReverse`.

        >>> print(Tensor([5.0, 6.0]).log_normal(0.0, 0.0))
        [1. 1.]
        """
        return ops.LogNormalReverse(mean, std)(self)

    def cauchy(self, median: TensorLike = 0.0, sigma: TensorLike = 1.0) -> Tensor:
        """Numbers of the Cauchy distribution in the tensor's shape and dtype; see `ops.Cauchy`.

        >>> Tensor([5.0, 6.0]).cauchy().shape
        (2,)
        """
        drawn = ops.Cauchy(self.shape, median, sigma)()  # type: ignore[attr-defined]
        return drawn.astype(self.dtype)  # type: ignore[attr-defined, no-any-return]

    def value(self) -> Tensor:
        """The tensor's value; a Parameter gives its current one.

        >>> print(Parameter(Tensor([1.0, 2.0]), name="w").value())
        [1. 2.]
        """
        return self  # type: ignore[return-value]


def install() -> None:
    """Gives Tensor its operators and methods, but those that it has itself."""
    found: dict[str, Any] = {}
    for kind in reversed(TensorMethods.__mro__[:-1]):
        found.update(vars(kind))
    for name, method in found.items():
        if name not in vars(Tensor):  # which has __module__, __doc__ and the like itself
            if isinstance(method, types.FunctionType):
                method.__qualname__ = f"Tensor.{name}"
            setattr(Tensor, name, method)
