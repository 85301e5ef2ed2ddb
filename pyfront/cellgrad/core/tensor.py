"""Tensor: an n-dimensional array in host memory, as MindSpore's."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core import format as _format
from cellgrad.core import hooks, html, state
from cellgrad.core.aliases import Array, TensorData
from cellgrad.core.conversion import are_rounded, converted
from cellgrad.core.dtype import Type
from cellgrad.core.errors import PACKAGES, either, error
from cellgrad.core.exchange import exchanged
from cellgrad.core.open_shape import LARGEST, OpenElements, open_dims
from cellgrad.core.storage import Signature, from_numpy, signature, to_numpy

if TYPE_CHECKING:  # operators and methods are set when operations are there: `ops.methods.install`
    from cellgrad.core.initializer import Initializer
    from cellgrad.ops.methods import TensorMethods as _Methods
else:
    _Methods = object

__all__ = ["Tensor", "tensor"]

_new = object.__new__
_INPUTS = "a number, bool, (nested) list or tuple of them, numpy.ndarray, Tensor or an object with __dlpack__"


def _check_dtype(dtype: Any, where: str) -> Type:
    if isinstance(dtype, Type) and dtype.kind:
        return dtype
    names = ", ".join(repr(t) for t in mstype.TENSOR_TYPES)
    raise error(
        TypeError, f"For '{where}', the 'dtype' should be one of [{names}], but got {dtype!r}."
    )


def _array_of(data: Any, dtype: Any = None) -> tuple[np.ndarray[Any, Any], Type]:
    """The elements of constructor input and the dtype MindSpore gives them, without `dtype`."""
    if isinstance(data, np.ndarray | np.generic):
        array = np.asarray(data)
        found = mstype.from_numpy(array.dtype.newbyteorder("="))
        if found is None:
            raise error(
                TypeError,
                f"For 'Tensor', initializing tensor by numpy array failed: none is of dtype {array.dtype}.",
                f"convert it first, for example "
                f"array.astype(numpy.{'int64' if array.dtype.kind in 'iu' else 'float32'})",
            )
        return array, found
    if isinstance(data, bool):
        return np.asarray(data), mstype.bool_
    if isinstance(data, int):
        try:
            if dtype in (None, mstype.uint64) and data >= 2**63:
                return np.asarray(data, np.uint64), mstype.uint64
            return np.asarray(data, np.int64), mstype.int64
        except OverflowError:
            what = "uint64" if data > 0 and dtype in (None, mstype.uint64) else "int64"
            kind = either(TypeError, RuntimeError)
            raise error(kind, f"For 'Tensor', the int {data} does not fit {what}.") from None
    if isinstance(data, float):
        return np.asarray(data), mstype.default_float()  # kept exact: the dtype may be another
    if isinstance(data, complex):
        return np.asarray(data), mstype.complex128
    if isinstance(data, list | tuple):
        data = _plain(data)
        try:
            array = np.asarray(data)
        except (ValueError, OverflowError):
            array = np.asarray(None)
        if array.dtype.kind not in "biufc":
            raise error(
                TypeError,
                f"For Tensor, the input_data is {data} that contain unsupported element.",
                "all rows must have the same length and hold bools or numbers",
            )
        if array.dtype == np.float64:  # as of floats, also of numpy's numbers and arrays
            return array, mstype.default_float()
        return _array_of(array.astype(np.int64) if array.dtype == np.int32 else array)
    if hasattr(data, "__dlpack__"):
        buffer, sig = exchanged(data, "from_dlpack")
        return _array_of(to_numpy(buffer, sig.dtype))
    raise error(
        TypeError,
        f"For 'Tensor', the type of 'input_data' should be {_INPUTS}, but got type "
        f"'{type(data).__name__}'.",
    )


def _plain(data: Any) -> Any:
    if isinstance(data, Tensor):
        return data.asnumpy()
    if isinstance(data, list | tuple):
        return [_plain(v) for v in data]
    return data


def _bool(const_arg: object, op: str) -> bool:
    if isinstance(const_arg, bool):
        return const_arg
    raise error(
        TypeError,
        f"For '{op}', the type of 'const_arg' should be 'bool', but got type "
        f"'{type(const_arg).__name__}'.",
    )


class Tensor(_Methods):
    """An n-dimensional array.

    Args:
        input_data: a number, bool, (nested) list or tuple of them, numpy array (copied; any
            strides), Tensor, or an object with ``__dlpack__``. Floats give float32, ints int64;
            arrays keep their dtype.
        dtype: the dtype to convert to.
        shape, init: with an initializer, `input_data` is left out (``Tensor(shape=(2, 3),
            dtype=ms.float32, init=One())``). A length of None or a `Symbol` in `shape`, or a `dtype`
            alone, gives a tensor without elements, which only says what there will be: for `export`,
            `Cell.set_inputs`.
        const_arg: whether the elements are constants where it is an argument of compiled code, as
            those of a number are: see `set_const_arg`.

    Raises:
        TypeError: input or dtype that cannot be a tensor.

    >>> Tensor([1.0, 2.0])
    Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00])
    """

    __slots__ = (
        "__dict__", "__weakref__", "_buf", "_cast_of", "_link", "_rounded", "_sig", "_views",
    )  # fmt: skip

    _is_parameter = _is_traced = False

    _buf: Any
    _sig: Signature
    _cast_of: Any  # the Parameter that is written in its place; set of what `Cell.to_float` reads
    _link: Any  # what it is a view of, and its views: see `core.views`; set where there are any
    _views: Any
    _rounded: Any  # its elements, if they are Python floats that float32 has rounded

    def __init__(
        self,
        input_data: TensorData | None = None,
        dtype: Type | None = None,
        shape: Sequence[int | None] | int | None = None,
        init: Initializer | None = None,
        const_arg: bool = False,
    ):
        if dtype is not None:
            dtype = _check_dtype(dtype, "Tensor")
        if input_data is None and dtype is not None and init is None:
            # MindSpore's -2 means that not even the number of dimensions is known.
            opened = ((-2,), LARGEST) if shape is None else open_dims(shape)
            if opened is not None:
                self.__class__ = OpenTensor
                self._buf, self._sig = OpenElements(*opened), signature(dtype, opened[0])
                return
            input_data = np.zeros(cast(Any, shape))  # MindSpore leaves the elements undefined
        if init is not None:
            if shape is None or dtype is None:
                raise error(ValueError, "For 'Tensor', 'init' needs 'shape' and 'dtype' as well.")
            dims = (shape,) if isinstance(shape, int) else tuple(shape)
            kind: Any = np.float32 if dtype is mstype.bfloat16 else mstype.to_numpy(dtype)
            input_data = init.sample(cast(Any, dims), kind)
        copied = None  # what has derivatives, which the copy has, too
        if isinstance(input_data, Tensor):
            target = dtype or input_data.dtype
            if not self._is_parameter and state.follows(input_data):
                copied = input_data.astype(target)
            array = (
                input_data._concrete("Tensor(...)") if copied is None else np.zeros(copied.shape)
            )
        else:
            array, own = _array_of(input_data, dtype)
            target = dtype or own
        self._buf = from_numpy(converted(array, target), target)
        if dtype is None and target is mstype.float32 and are_rounded(input_data, array):
            self._rounded = self._buf
        self._sig = signature(target, tuple(int(n) for n in array.shape))
        if (scope := state.current.scope) is not None:
            scope.trace.made[id(self)] = (self, scope)
        if copied is not None:
            self[...] = copied
        if _bool(const_arg, "Tensor"):
            self.set_const_arg()

    @staticmethod
    def _wrap(buffer: Any, sig: Signature) -> Tensor:
        out: Tensor = _new(Tensor)
        out._buf = buffer
        out._sig = sig
        return out

    # --- what it is ---------------------------------------------------------------------------

    @property
    def dtype(self) -> Type:
        """The data type of the elements.

        >>> print(Tensor([1.0]).dtype)
        Float32
        """
        return self._sig.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each dimension.

        >>> ops.ones((2, 3)).shape
        (2, 3)
        """
        return self._sig.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions.

        >>> Tensor([[1, 2], [3, 4]]).ndim
        2
        """
        return len(self._sig.shape)

    @property
    def size(self) -> int:
        """The number of elements.

        >>> ops.ones((2, 3)).size
        6
        """
        n = 1
        for d in self._sig.shape:
            n *= d
        return n

    @property
    def itemsize(self) -> int:
        """Bytes of one element.

        >>> Tensor([1.0]).itemsize
        4
        """
        return self._sig.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements.

        >>> Tensor([1.0, 2.0]).nbytes
        8
        """
        return self.size * self.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next along each dimension, where they lie in row-major order.

        >>> ops.ones((2, 3)).strides
        (12, 4)
        """
        out, step = [], self.itemsize
        for d in reversed(self.shape):
            out.append(step)
            step *= d
        return tuple(reversed(out))

    @property
    def const_arg(self) -> bool:
        """Whether the elements are constants where the tensor is an argument of compiled code.

        >>> Tensor([2, 1], const_arg=True).const_arg
        True
        """
        return isinstance(self, ConstantTensor)

    def set_const_arg(self, const_arg: bool = True) -> Tensor:
        """Says whether the elements are constants where the tensor is an argument of compiled code: they
        can be read there, and other elements are compiled anew. Returns the tensor itself.

        Raises:
            TypeError: `const_arg` is not a bool, or the tensor is a Parameter or computed by
                compiled code.

        >>> size = Tensor([2, 1]).set_const_arg()
        >>> print(ms.jit(lambda x, size: x.reshape(size.tolist()))(Tensor([1.0, 2.0]), size))
        [[1.]
         [2.]]
        """
        _bool(const_arg, "set_const_arg")
        if type(self) not in (Tensor, ConstantTensor):
            raise error(
                TypeError,
                f"For 'set_const_arg', expected a Tensor that is no Parameter and has elements, but "
                f"got a {type(self).__name__}.",
            )
        self.__class__ = ConstantTensor if const_arg else Tensor
        return self

    def set_dtype(self, dtype: Type) -> Type:
        """Converts the elements of the tensor itself; returns the dtype. A Parameter keeps its name.

        Raises:
            TypeError: `dtype` is no dtype, or the call is in compiled code.

        >>> w = Parameter(Tensor([1.0, 2.5]), name="w")
        >>> _ = w.set_dtype(ms.int32)
        >>> print(w.value())
        [1 2]
        """
        dtype = _check_dtype(dtype, "set_dtype")
        if state.current.scope is not None:
            raise error(
                TypeError,
                "set_dtype() changes a tensor itself, and the compiled code is for the dtype it has.",
                "call it before the compiled code runs, or compute with x.astype(dtype)",
            )
        array = self._concrete("set_dtype()")
        self._buf = from_numpy(converted(array, dtype), dtype)
        self._sig = signature(dtype, self.shape)
        return dtype

    @property
    def has_init(self) -> bool:
        """Whether the elements are yet to be initialised; never here.

        >>> Tensor([1.0]).has_init
        False
        """
        return False

    # --- elements in and out ------------------------------------------------------------------

    def _concrete(self, what: str) -> np.ndarray[Any, Any]:
        """A numpy view of the elements; tracers refuse, naming `what` needs them."""
        current = state.current
        if not current.usual:
            if current.scope is not None:
                current.scope.trace.guard_elements(self)
            elif current.tape is not None and called_by_the_package():
                current.tape.reading(self)
        return to_numpy(self._buf, self._sig.dtype)

    def asnumpy(self) -> Array:
        """The elements as a numpy array.

        The array is a view: writing to it writes to the tensor.

        >>> Tensor([1.0, 2.0]).asnumpy()
        array([1., 2.], dtype=float32)
        """
        return self._concrete("asnumpy()")

    def numpy(self) -> Array:
        """Same as `asnumpy`.

        >>> Tensor([1.0, 2.0]).numpy()
        array([1., 2.], dtype=float32)
        """
        return self._concrete("numpy()")

    def __array__(self, dtype: np.dtype | None = None, copy: bool | None = None) -> Array:
        array = self._concrete("numpy.asarray()")
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def _only(self, array: np.ndarray[Any, Any], message: str) -> Any:
        if array.size != 1:
            raise error(
                ValueError, message, f"the tensor has shape {list(array.shape)}; index it first"
            )
        return array.reshape(()).item()

    def item(self) -> Any:
        """The only element as a number of Python's. Raises ValueError for more than one element.

        >>> Tensor([2.5]).item()
        2.5
        """
        return self._only(self._concrete("item()"), self._ambiguous())

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers (a number for a 0-d tensor).

        >>> Tensor([[1, 2], [3, 4]]).tolist()
        [[1, 2], [3, 4]]
        """
        return self._concrete("tolist()").tolist()

    def __bool__(self) -> bool:
        array = self._concrete("bool()")
        return bool(self._only(array, self._ambiguous()))

    def _ambiguous(self) -> str:
        return (
            f"The tensor should have only one element, but got {self.size}, more than one element "
            "is ambiguous."
        )

    def __float__(self) -> float:
        return float(
            self._only(
                self._concrete("float()"),
                "Only one element tensors can be converted to Python scalars",
            )
        )

    def __complex__(self) -> complex:
        return complex(
            self._only(
                self._concrete("complex()"),
                "Only one element tensors can be converted to Python scalars",
            )
        )

    def __int__(self) -> int:
        return int(
            self._only(
                self._concrete("int()"),
                "Only one element tensors can be converted to Python scalars",
            )
        )

    def __index__(self) -> int:
        array = self._concrete("an index")
        if self.dtype.kind not in "iub" or array.size != 1:
            raise error(
                TypeError, "Only integer tensors of a single element can be converted to an index."
            )
        return int(array.reshape(()))

    def __len__(self) -> int:
        if not self.shape:
            raise error(TypeError, "Not support len of a 0-D tensor.")
        return self.shape[0]

    def __hash__(self) -> int:
        return id(self)

    def __contains__(self, value: object) -> bool:
        # As in MindSpore: what is no number and no Tensor is not in it, lists and arrays included.
        return isinstance(value, (Tensor, *mstype.NUMBERS)) and bool((self == value).any())

    # --- text and copies ----------------------------------------------------------------------

    def __str__(self) -> str:
        return _format.text(self._concrete("str()"), self.dtype.name)

    def __repr__(self) -> str:
        return _format.representation(self._concrete("repr()"), self.dtype.name, self.dtype.title)

    def _repr_html_(self) -> str:
        shown = _format.short_text(self._concrete("str()"), self.dtype.name)
        return html.value(f"Tensor {self.dtype.title}{list(self.shape)}", shown)

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        return format(
            self._only(self._concrete("format()"), "Only one element tensors can be formatted"),
            spec,
        )

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        array = self._concrete("pickle")
        raw = array.astype(np.float32) if self.dtype is mstype.bfloat16 else array
        return _unpickle, (raw, self.dtype)

    def copy(self) -> Tensor:
        """A Tensor with a copy of the elements.

        >>> print(Tensor([1.0, 2.0]).copy())
        [1. 2.]
        """
        scope, tape = state.current.scope, state.current.tape
        if scope is not None:
            return scope.copied(self)
        return Tensor(self) if tape is None else tape.alias(self)

    def __deepcopy__(self, memo: dict[int, object]) -> Tensor:
        return self.copy()

    __copy__ = copy

    def init_data(self, *args: object, **kwargs: object) -> Tensor:
        """The Tensor itself: values are never left uninitialised.

        >>> print(Tensor([1.0]).init_data())
        [1.]
        """
        return self

    def assign_value(self, value: Tensor) -> Tensor:
        """Replaces the elements by those of another tensor; returns the tensor itself.

        >>> x = Tensor([1.0, 2.0])
        >>> _ = x.assign_value(Tensor([3.0, 4.0]))
        >>> print(x)
        [3. 4.]
        """
        if state.current.tape is not None:
            state.current.tape.reading(self)
        self._buf, self._sig = Tensor(value)._buf, value._sig
        return self

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> hooks.TensorHookHandle:
        """Calls ``hook(gradient)`` where reverse mode has the gradient of this tensor.

        What it returns, a Tensor like the gradient, takes its place; None leaves it. Of a tensor that
        code computes, which is being differentiated, it is the gradient of all that depends on the
        tensor; of an input or a Parameter, the gradient by it. The hook is compiled, and part of the
        derivative: it acts at every order.

        Returns:
            A handle, whose `remove` takes the hook off again; in compiled code the tensor itself in
            `GRAPH_MODE`.

        Raises:
            TypeError: `hook` is not callable.
            ValueError: in compiled code, the tensor is not made there, or a hook that reads other
                tensors is registered after they and the tensor were used.

        >>> x = Tensor(3.0)
        >>> handle = x.register_hook(lambda gradient: gradient * 10)
        >>> square = ms.grad(lambda x: x * x)
        >>> print(square(x))
        60.0
        >>> handle.remove()
        >>> print(square(x))
        6.0
        """
        handle: hooks.TensorHookHandle = hooks.register(self, hook)
        return handle

    def hooks(self) -> list[Callable[[Tensor], Tensor | None]]:
        """The hooks that `register_hook` has added, in order.

        >>> x = Tensor(3.0)
        >>> handle = x.register_hook(lambda gradient: gradient * 10)
        >>> print(len(x.hooks()))
        1
        """
        return list(hooks.of(self))


def called_by_the_package() -> bool:
    """Whether elements are read by an operation, not by code of the user's, printing or a copy."""
    frame = sys._getframe(2)
    while frame.f_code.co_filename == __file__ and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_filename.startswith(PACKAGES)


class ConstantTensor(Tensor):
    """What a Tensor is after `Tensor.set_const_arg`."""

    __slots__ = ()


class OpenTensor(Tensor):
    """What ``Tensor(shape=(None, 3), dtype=ms.float32)`` is: a dtype and a shape."""

    __slots__ = ()

    def copy(self) -> Tensor:
        return self

    __copy__ = copy

    def __repr__(self) -> str:
        end = " )" if self.ndim == 1 else "\n)"
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype.title}, value={end}"

    __str__ = __repr__


def _unpickle(array: np.ndarray[Any, Any], dtype: Type) -> Tensor:
    return Tensor(array, dtype)


def tensor(
    input_data: TensorData | None = None,
    dtype: Type | None = None,
    shape: Sequence[int | None] | int | None = None,
    init: Initializer | None = None,
    const_arg: bool = False,
) -> Tensor:
    """Same as `Tensor`, as a function.

    >>> ms.tensor([1, 2], ms.float32)
    Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00])
    """
    return Tensor(input_data, dtype, shape, init, const_arg)
