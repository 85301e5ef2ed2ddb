"""Methods of Tensor about its memory: description, sharing with other libraries, changes in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np

from cellgrad import _native
from cellgrad import ops as _ops
from cellgrad.core import context, partial, state, views
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Array, Dims, DTypeLike, ShapeLike, TensorLike
from cellgrad.core.arguments import argument_error
from cellgrad.core.dtype import Type
from cellgrad.core.errors import NotCompilable, error
from cellgrad.core.exchange import exchanged, shared
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor

# The `self` of these classes is no Tensor to type checkers.
ops: Any = _ops


class MemoryMethods:
    """What the elements' memory is, and how it is shared and changed.

    Methods whose name ends with an underscore change the tensor itself; in compiled code they give it
    another value, as an assignment to all its elements does.
    """

    __slots__ = ()

    _buf: Any
    _sig: Any

    if TYPE_CHECKING:

        @property
        def dtype(self) -> Type: ...
        @property
        def shape(self) -> tuple[int, ...]: ...
        def _concrete(self, what: str) -> np.ndarray[Any, Any]: ...

    # --- description --------------------------------------------------------------------------

    @property
    def device(self) -> str:
        """Where its elements are: ``"CPU"``, or ``"GPU:0"`` while that device has them. In compiled code
        the device that the code is for.

        >>> Tensor([1.0]).device
        'CPU'
        """
        if state.current.scope is not None:
            return str(context.current[0])
        number = self._buf.device
        return "CPU" if number is None else f"GPU:{number}"

    def _moved_to(self, device: int | None) -> Tensor:
        """The tensor itself, with its elements on a device, or on the host for None."""
        try:
            if state.current.scope is None:
                self._buf.move(device)
        except _native.DeviceError as e:
            raise error(RuntimeError, f"For 'to': {e}.", "x.copy() has memory of its own") from None
        return self  # type: ignore[return-value]

    @property
    def data(self) -> Tensor:
        """The tensor without its derivative: what is computed of it has none by the tensor. Writing to it
        writes to the tensor. Where no derivatives are taken it is the tensor itself. A Tensor that is assigned gives it a copy of
        its elements, its dtype and its shape, outside of compiled code and of gradients; views of the tensor keep
        what they had.

        Raises:
            TypeError: what is assigned is no Tensor, or the assignment is in compiled code or in a gradient.

        >>> x = Tensor([1.0, 2.0])
        >>> print(x.data, ms.grad(lambda x: x * x.data)(x))
        [1. 2.] [1. 2.]
        """
        tape: Any = state.current.tape
        if state.current.scope is not None:
            return partial.read(ops.stop_gradient(self), self, ...)  # type: ignore[no-any-return]
        return self if tape is None else tape.detached(self)  # type: ignore[no-any-return, return-value]

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise argument_error(TypeError, "data", "value", "a Tensor", value)
        if state.current.scope is not None or state.current.tape is not None:
            raise error(
                NotCompilable if state.current.scope is not None else TypeError,
                "`x.data = value` gives a tensor other elements, without a derivative, which neither compiled code nor "
                "code that is differentiated does.",
                "assign to its elements, x[...] = value, or call ops.assign(x, value)",
            )
        x: Any = self
        views.parted(x)
        x.assign_value(value.copy())

    def is_contiguous(self) -> bool:
        """Whether elements lie in row-major order, one after the other: False of views alone that skip or
        exchange some.

        >>> x = ops.ones((2, 3))
        >>> x.is_contiguous(), x.T.is_contiguous()
        (True, False)
        """
        x: Any = self
        return views.places(x) is None and not partial.skips(x)

    def contiguous(self) -> Tensor:
        """The tensor itself, or a copy of a view whose elements do not lie one after the other.

        >>> print(Tensor([1.0, 2.0]).contiguous())
        [1. 2.]
        """
        x: Any = self
        out: Tensor = x if self.is_contiguous() else x.copy()
        return out

    def stride(self, dim: int | None = None) -> list[int] | int:
        """Elements from one to the next along each dimension, or along `dim`; of views in their tensor.

        Raises:
            IndexError: there is no dimension `dim`.

        >>> ops.ones((2, 3)).stride()
        [3, 1]
        """
        out: list[int] = []
        step = 1
        for n in reversed(self.shape):
            out.insert(0, step)
            step *= n
        at = views.places(self)  # type: ignore[arg-type]
        if at is not None:
            first = at[(slice(0, 1),) * at.ndim].reshape(-1)
            for i, n in enumerate(self.shape):
                if n > 1:
                    out[i] = int((np.take(at, 1, i).reshape(-1)[:1] - first)[0])
        if dim is None:
            return out
        if not -len(out) <= dim < len(out):
            raise error(
                IndexError,
                f"For 'stride', dim must be in [{-len(out)}, {len(out)}), but got {dim}.",
            )
        return out[dim]

    def storage_offset(self) -> int:
        """The place of the first element in the tensor that it is a view of; else 0.

        >>> ops.ones((2, 3))[1].storage_offset()
        3
        """
        own: Any = getattr(self, "_link", None)
        at = None if own is None else own.positions()
        return 0 if at is None or not at.size else int(at.reshape(-1)[0])

    def data_ptr(self) -> int:
        """The address of the first element.

        >>> x = Tensor([1.0, 2.0])
        >>> x.data_ptr() == x.data_ptr()
        True
        """
        self._concrete("data_ptr()")
        return int(self._buf.address)

    def get_bytes(self) -> bytes:
        """The elements' bytes, row by row.

        >>> Tensor([65, 66], ms.uint8).get_bytes()
        b'AB'
        """
        return self._concrete("get_bytes()").tobytes()

    @property
    def is_meta(self) -> bool:
        """Always False: tensors have elements.

        >>> Tensor([1.0]).is_meta
        False
        """
        return False

    def nelement(self) -> int:
        """The number of elements.

        >>> Tensor([[1, 2], [3, 4]]).nelement()
        4
        """
        return self.size  # type: ignore[attr-defined, no-any-return]

    def ndimension(self) -> int:
        """The number of dimensions.

        >>> Tensor([[1, 2], [3, 4]]).ndimension()
        2
        """
        return len(self.shape)

    def is_floating_point(self) -> bool:
        """Whether the elements are floating-point numbers.

        >>> Tensor([1.0]).is_floating_point(), Tensor([1]).is_floating_point()
        (True, False)
        """
        return self.dtype.kind == "f"

    def is_signed(self) -> bool:
        """Whether the elements can be negative.

        >>> Tensor([1]).is_signed()
        True
        """
        return self.dtype.kind in "ifc"

    def is_complex(self) -> bool:
        """Whether the elements are complex numbers.

        >>> Tensor([1.0]).is_complex(), Tensor([1j]).is_complex()
        (False, True)
        """
        return self.dtype.kind == "c"

    @overload
    def type(self, dtype: None = None) -> str: ...

    @overload
    def type(self, dtype: DTypeLike) -> Tensor: ...

    def type(self, dtype: DTypeLike | None = None) -> Any:
        """The name of the dtype or, with `dtype`, the elements converted to it.

        >>> Tensor([1.0]).type()
        'Float32'
        """
        return str(self.dtype) if dtype is None else self.astype(dtype)  # type: ignore[attr-defined]

    # --- sharing ------------------------------------------------------------------------------

    def __dlpack__(self, **kwargs: object) -> object:
        if state.current.scope is not None:
            self._concrete("__dlpack__()")  # which says why not
        if self.dtype.kind == "c":  # numpy says that they are complex
            elements: Any = self._concrete("__dlpack__()")
            return elements.__dlpack__(**kwargs)
        return self._buf.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        buffer = getattr(self, "_buf", None)  # a value that is captured has none
        device: tuple[int, int] = (1, 0) if buffer is None else buffer.__dlpack_device__()
        return device

    def to_dlpack(self) -> object:
        """A DLPack capsule that shares the elements, where they are: see `device`.

        >>> print(Tensor.from_dlpack(Tensor([1, 2]).to_dlpack()))
        [1 2]
        """
        return self.__dlpack__()

    @staticmethod
    def from_dlpack(source: Dims) -> Tensor:
        """A Tensor that shares the elements of an object with ``__dlpack__``, or of a capsule.

        Elements on the host that are not in row-major order are copied. Those of a CUDA device
        stay there: programs on that device compute with them.

        Raises:
            TypeError: another object, or elements no Tensor can have.
            ValueError: the elements are in memory of another kind of device, or on a CUDA device
                and not in row-major order.
            RuntimeError: they are on a CUDA device, which cannot be used.

        >>> import numpy as np
        >>> print(Tensor.from_dlpack(np.array([1, 2])))
        [1 2]
        """
        return Tensor._wrap(*exchanged(source, "from_dlpack"))

    @staticmethod
    def from_numpy(array: Array) -> Tensor:
        """A Tensor that shares the elements of a numpy array; others than row-major are copied.

        Raises:
            TypeError: another object, or elements no Tensor can have.

        >>> import numpy as np
        >>> print(Tensor.from_numpy(np.array([1, 2])))
        [1 2]
        """
        if not isinstance(array, np.ndarray):
            raise error(
                TypeError,
                f"For 'Tensor.from_numpy', expected a numpy.ndarray, but got "
                f"{type(array).__name__}.",
            )
        if array.dtype.kind != "c" and array.dtype.name not in mstype.BY_NATIVE:
            return Tensor(array)
        if array.dtype.name == "bfloat16":
            return Tensor._wrap(*shared(array.view(np.uint16), "from_numpy", mstype.bfloat16))
        rows = np.ascontiguousarray(array).reshape(array.shape)
        return Tensor._wrap(*shared(rows, "from_numpy"))

    # --- copies -------------------------------------------------------------------------------

    def clone(self) -> Tensor:
        """A tensor with a copy of the elements.

        >>> print(Tensor([1.0, 2.0]).clone())
        [1. 2.]
        """
        return self.copy()  # type: ignore[attr-defined]

    def new_empty(
        self, size: ShapeLike, *, dtype: Type | None = None, device: str | None = None
    ) -> Tensor:
        """Zeros of another shape, of the tensor's dtype by default.

        >>> print(Tensor([5, 7]).new_empty((3,)).shape)
        (3,)
        """
        return self.new_zeros(size, dtype)  # type: ignore[attr-defined, no-any-return]

    # --- in place -----------------------------------------------------------------------------

    def _replace(self, value: Any, name: str) -> Any:
        """Stores new elements in this tensor, and gives it. Where there are derivatives, a Parameter is a leaf
        from then on: the result is a view of it, which has the derivative of `value`.
        """
        whole: Any = getattr(self, "_cast_of", None)
        if whole is not None:
            return whole._replace(value, name)
        scope, tape = state.current.scope, state.current.tape
        if scope is not None:
            out = self
            if isinstance(scope.parameter_of(self), Parameter):  # type: ignore[arg-type]
                out = partial.read(self[...], self, ...)  # type: ignore[index]
            out[...] = value  # type: ignore[index]
            return out
        if tape is not None and tape.follows((self, value)):
            out = self[...] if isinstance(self, Parameter) else self
            tape.write(out, value)
            return out
        if self._buf.readonly:
            raise error(
                ValueError,
                f"{name}() would write to memory that is read-only.",
                "copy the tensor first: x = x.copy()",
            )
        result = Tensor(value, self.dtype)
        if result.shape != self.shape:
            raise error(
                ValueError,
                f"For '{name}', the result has shape {list(result.shape)}, but the tensor has "
                f"{list(self.shape)}.",
            )
        self._buf.view()[...] = result._buf.view()
        views.written(self)  # type: ignore[arg-type]
        return self

    def add_(self, other: TensorLike, *, alpha: TensorLike = 1) -> Tensor:
        """Adds ``alpha * other``.

        >>> x = Tensor([1.0, 4.0])
        >>> _ = x.add_(Tensor([1.0, 2.0]))
        >>> print(x)
        [2. 6.]
        """
        return self._replace(self + other * alpha, "add_")  # type: ignore[operator]

    def sub_(
        self,
        other: TensorLike | None = None,
        *,
        alpha: TensorLike = 1,
        y: TensorLike | None = None,
    ) -> Tensor:
        """Subtracts ``alpha * other``; `other` is also called `y`.

        >>> x = Tensor([1.0, 4.0])
        >>> _ = x.sub_(Tensor([1.0, 2.0]))
        >>> print(x)
        [0. 2.]
        """
        return self._replace(self - (other if y is None else y) * alpha, "sub_")  # type: ignore[operator]

    def mul_(self, other: TensorLike) -> Tensor:
        """Multiplies by `other`.

        >>> x = Tensor([1.0, 4.0])
        >>> _ = x.mul_(2.0)
        >>> print(x)
        [2. 8.]
        """
        return self._replace(self * other, "mul_")  # type: ignore[operator]

    def floor_divide_(self, other: TensorLike) -> Tensor:
        """Divides by `other` and rounds down.

        >>> x = Tensor([1.0, 4.0])
        >>> _ = x.floor_divide_(2.0)
        >>> print(x)
        [0. 2.]
        """
        return self._replace(self // other, "floor_divide_")  # type: ignore[operator]

    def remainder_(self, other: TensorLike) -> Tensor:
        """The remainder of the division by `other`, with its sign.

        >>> x = Tensor([1.0, 4.0])
        >>> _ = x.remainder_(3.0)
        >>> print(x)
        [1. 1.]
        """
        return self._replace(self % other, "remainder_")  # type: ignore[operator]

    def clamp_(self, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
        """Limits the elements to [min, max].

        >>> x = Tensor([1.0, 4.0])
        >>> _ = x.clamp_(2.0, 3.0)
        >>> print(x)
        [2. 3.]
        """
        return self._replace(self.clamp(min, max), "clamp_")  # type: ignore[attr-defined]

    def itemset(self, *args: object) -> Tensor:
        """A copy with one element replaced: ``itemset(value)``, ``itemset(index, value)``.

        The index is a number, which counts rows one after another, or a tuple of one for each dimension.

        Raises:
            IndexError: no or a wrong index.

        >>> print(Tensor([1, 2]).itemset(0, 9))
        [9 2]
        """
        x: Any = self
        if not args or (len(args) == 1 and x.size != 1):
            raise error(IndexError, "For 'itemset', give the index and the value.")
        where: Any = 0 if len(args) == 1 else args[0]
        if not isinstance(where, tuple):
            return ops.indexing.setitem(x.reshape(-1), where, args[-1]).reshape(x.shape)  # type: ignore[no-any-return]
        if len(where) != x.ndim:
            raise error(
                IndexError, f"For 'itemset', {x.ndim} indices are needed, but got {len(where)}."
            )
        return ops.indexing.setitem(x, where, args[-1])  # type: ignore[no-any-return]
