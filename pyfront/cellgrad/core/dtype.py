"""Data types: ``cellgrad.float32`` and friends.

Every type is a singleton, compared by identity, printed as MindSpore prints it
(``str(ms.float32)`` is ``Float32``, ``repr(ms.float32)`` is ``mindspore.float32`` there and
``cellgrad.float32`` here).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from cellgrad.core.errors import error

__all__ = [
    "Type",
    "bfloat16",
    "bool_",
    "cdouble",
    "cfloat",
    "complex64",
    "complex128",
    "double",
    "dtype_to_nptype",
    "dtype_to_pytype",
    "float16",
    "float32",
    "float64",
    "float_",
    "get_py_obj_dtype",
    "half",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_",
    "intc",
    "intp",
    "list_",
    "number",
    "pytype_to_dtype",
    "single",
    "string",
    "tensor_type",
    "tuple_",
    "type_none",
    "ubyte",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uintc",
    "uintp",
    "ushort",
]


class Type:
    """A data type of tensors or, for ``number`` and ``tensor_type``, a family of them."""

    __slots__ = ("itemsize", "kind", "name", "native", "rank", "title")

    package = "cellgrad"  # what `repr` names

    name: str
    title: str
    kind: str
    itemsize: int
    native: str
    rank: int

    def __init__(self, name: str, title: str, kind: str = "", itemsize: int = 0, rank: int = 0):
        self.name = name
        self.title = title
        self.kind = kind  # "b" bool, "i" signed, "u" unsigned, "f" floating point, "c" complex, "" no tensor type
        self.itemsize = itemsize
        # The name the native module uses, where a complex number is a pair of real ones.
        self.native = {"complex64": "float32", "complex128": "float64"}.get(name, name)
        self.rank = rank  # position in the promotion order within its kind

    def __repr__(self) -> str:
        return f"{self.package}.{self.name}"

    def __str__(self) -> str:
        return self.title

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return _lookup, (self.name,)

    def __deepcopy__(self, memo: dict[int, object]) -> Type:
        return self

    @property
    def is_floating_point(self) -> bool:
        return self.kind == "f"


class TensorType(Type):
    """What `tensor_type` is of, for programs that ask whether a type is that of tensors."""

    __slots__ = ()


def _lookup(name: str) -> Type:
    return _BY_NAME[name]


bool_ = Type("bool", "Bool", "b", 1)
int8 = Type("int8", "Int8", "i", 1, 1)
int16 = Type("int16", "Int16", "i", 2, 2)
int32 = Type("int32", "Int32", "i", 4, 3)
int64 = Type("int64", "Int64", "i", 8, 4)
uint8 = Type("uint8", "UInt8", "u", 1, 1)
uint16 = Type("uint16", "UInt16", "u", 2, 2)
uint32 = Type("uint32", "UInt32", "u", 4, 3)
uint64 = Type("uint64", "UInt64", "u", 8, 4)
float16 = Type("float16", "Float16", "f", 2, 1)
bfloat16 = Type("bfloat16", "BFloat16", "f", 2, 1)
float32 = Type("float32", "Float32", "f", 4, 2)
float64 = Type("float64", "Float64", "f", 8, 3)
complex64 = Type("complex64", "Complex64", "c", 8, 2)
complex128 = Type("complex128", "Complex128", "c", 16, 3)

half, single, double = float16, float32, float64
cfloat, cdouble = complex64, complex128
intc, intp, uintc, uintp = int32, int64, uint32, uint64
ubyte, ushort = uint8, uint16

number = Type("number", "Number")
int_ = Type("int", "Int")
float_ = Type("float", "Float")
uint = Type("uint", "UInt")
tensor_type = TensorType("tensor", "Tensor")
string, type_none = Type("string_", "String"), Type("type_none", "None")
list_, tuple_ = Type("list_", "List"), Type("tuple_", "Tuple")
NUMBERS = (
    bool,
    int,
    float,
    complex,
    np.number,
    np.bool_,
)  # the classes of numbers of Python and numpy
_CLASSES: dict[Type, type] = {string: str, type_none: type(None), list_: list, tuple_: tuple}
_FAMILIES = (number, int_, uint, float_, tensor_type, string, type_none, list_, tuple_)

_REAL_TYPES = (
    *(bool_, int8, int16, int32, int64),
    *(uint8, uint16, uint32, uint64),
    *(float16, bfloat16, float32, float64),
)
TENSOR_TYPES = (*_REAL_TYPES, complex64, complex128)
_BY_NAME = {t.name: t for t in (*TENSOR_TYPES, *_FAMILIES)}
BY_NATIVE = {t.native: t for t in _REAL_TYPES}

_default = [float32]


def default_float() -> Type:
    """The type that Python floats, and tensors made without one, have: see `set_default_dtype`."""
    return _default[0]


def or_default(dtype: Type | None) -> Type:
    """A type that is given, or that of `default_float`."""
    return _default[0] if dtype is None else dtype


def use_default(dtype: Type) -> None:
    """Makes a type that of `default_float`; compiled code has to be told, see `default_dtype`."""
    _default[0] = dtype


_NUMPY: dict[Type, np.dtype[Any]] = {t: np.dtype(t.name) for t in TENSOR_TYPES if t is not bfloat16}
_FROM_NUMPY = {d: t for t, d in _NUMPY.items()}


def bfloat16_numpy() -> np.dtype[Any] | None:
    """The numpy dtype for bfloat16 where the ``ml_dtypes`` package is installed, else None."""
    try:
        import ml_dtypes
    except ImportError:
        return None
    found: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return found


def to_numpy(dtype: Type) -> np.dtype[Any]:
    """The numpy dtype of a tensor type (bfloat16 needs the ``ml_dtypes`` package)."""
    found = _NUMPY.get(dtype)
    if found is not None:
        return found
    if dtype is bfloat16:
        found = bfloat16_numpy()
        if found is not None:
            return found
        raise error(
            TypeError,
            "numpy has no bfloat16.",
            "install the ml_dtypes package, or cast to float32 first",
        )
    raise error(TypeError, f"{dtype!r} is not a tensor data type.")


def from_numpy(dtype: np.dtype[Any]) -> Type | None:
    """The tensor type for a numpy dtype of native byte order, or None."""
    found = _FROM_NUMPY.get(dtype)
    if found is None and dtype.name == "bfloat16":
        return bfloat16
    return found


def dtype_to_nptype(dtype: Type) -> type[np.generic]:
    """The numpy scalar class of a tensor type, such as ``numpy.float32``.

    >>> ms.dtype_to_nptype(ms.int32)
    <class 'numpy.int32'>
    """
    return to_numpy(dtype).type


def dtype_to_pytype(dtype: Type) -> type:
    """The Python class whose numbers a tensor type holds: bool, int, float or complex. Of `ms.string` and the like,
    theirs.

    Raises:
        KeyError: a family of types.

    >>> ms.dtype_to_pytype(ms.float32)
    <class 'float'>
    """
    if not dtype.kind:
        return {int_: int, float_: float, **_CLASSES}[dtype]
    return {"b": bool, "i": int, "u": int, "f": float, "c": complex}[dtype.kind]


def get_py_obj_dtype(obj: object) -> Type:
    """The type that MindSpore gives to a Python value, or to values of a Python class.

    Raises:
        NotImplementedError: it has none.

    >>> ms.get_py_obj_dtype(1.5), ms.get_py_obj_dtype([1])
    (cellgrad.float64, cellgrad.list_)
    """
    kind = obj if isinstance(obj, type) else type(obj)
    for found, cls in _CLASSES.items():
        if cls is kind:
            return found
    if kind not in (bool, int, float, complex) and not issubclass(kind, np.generic):
        text = f"The python type {kind} cannot be converted to a type of tensors."
        raise error(NotImplementedError, text)
    return pytype_to_dtype(kind)


def pytype_to_dtype(pytype: object) -> Type:
    """The tensor type MindSpore gives to a Python or numpy scalar class.

    >>> print(ms.pytype_to_dtype(int))
    Int64
    """
    plain = {bool: bool_, int: int64, float: float64, complex: complex128}
    if pytype in plain:
        return plain[pytype]
    found = from_numpy(np.dtype(cast(Any, pytype)))
    if found is None:
        raise error(
            NotImplementedError,
            f"There is no tensor data type for {pytype!r}.",
            "tensors hold bools, integers, floating-point and complex numbers",
        )
    return found


def coerce(dtype: Any) -> Type | None:
    """A `Type` from what users write for one: a Type, a name, a numpy or Python class."""
    if isinstance(dtype, Type):
        return dtype
    if isinstance(dtype, str):
        return _BY_NAME.get(dtype.lower().replace("bool_", "bool"))
    if dtype is float:
        return _default[0]
    if dtype is complex:
        return complex64
    if dtype in (int, bool):
        return int64 if dtype is int else bool_
    try:
        return from_numpy(np.dtype(dtype))
    except TypeError:
        return None


def promote(a: Type, b: Type) -> Type:
    """The common type of two tensors: complex numbers win over floats, and these over integers; then
    the wider one. Beside float64, a complex64 is widened.

    Raises:
        TypeError: uint16, uint32 or uint64 with another real dtype that is not bool.
    """
    if a is b:
        return a
    if "c" in (a.kind, b.kind):
        return complex128 if 3 in (_rank(a), _rank(b)) else complex64
    for one, other in ((a, b), (b, a)):
        if one.kind == "u" and one.rank > 1:
            if other.kind == "b":
                return one
            raise error(
                TypeError,
                f"Type implicit conversion between {a.title} and {b.title} is not supported.",
                f"cast one of them: x.astype({other!r})",
            )
    order = {"b": 0, "u": 1, "i": 1, "f": 2}
    if order[a.kind] != order[b.kind]:
        return a if order[a.kind] > order[b.kind] else b
    if a.kind == "f":
        if a.rank == b.rank:  # float16 with bfloat16
            return float32
        return a if a.rank > b.rank else b
    if a.kind == b.kind:
        return a if a.rank > b.rank else b
    signed = a if a.kind == "i" else b
    return signed if signed.rank > 1 else int16  # uint8 with int8


def summed(dtype: Type) -> Type:
    """The type of sums and products: int64 of bools and integers, but of uint16 to uint64 their own."""
    own = dtype.kind in "fc" or (dtype.kind == "u" and dtype.rank > 1)
    return dtype if own else int64


def _rank(t: Type) -> int:
    return t.rank if t.kind in "fc" else 0


def alike(a: Type, b: Type) -> bool:
    """Whether both are floats, both complex, or neither."""
    return a.kind == b.kind or not {a.kind, b.kind} & {"f", "c"}


def real_of(dtype: Type) -> Type:
    """The type of the parts of complex numbers; any other type itself."""
    return BY_NATIVE[dtype.native]


def complex_of(dtype: Type) -> Type:
    """The complex type whose parts hold the numbers of a type."""
    return complex128 if _rank(dtype) == 3 else complex64


@functools.cache
def limits(dtype: Type) -> tuple[int, int]:
    """The least and the largest integer of a dtype of integers."""
    bits = dtype.itemsize * 8
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype.kind == "i" else (0, (1 << bits) - 1)


def promote_number(dtype: Type, value: bool | int | float | complex) -> Type:
    """The type of `tensor op number`: the tensor's own unless the number is of a higher kind."""
    if isinstance(value, bool):
        return dtype
    if isinstance(value, int):
        return int64 if dtype.kind == "b" else dtype
    if isinstance(value, complex):
        return complex_of(dtype)
    return dtype if dtype.kind in "fc" else _default[0]
