"""The classes of dtypes, under the names that MindSpore's native module has for them: ``_c_expression.typing``.

There a dtype is an object of a class of its kind, here of `Type`. So these classes have no objects of their
own: calling one gives the dtype, and `isinstance` asks for its kind.
"""

from __future__ import annotations

from typing import Any

from cellgrad.core import dtype as mstype
from cellgrad.core.dtype import TensorType as TensorType
from cellgrad.core.dtype import Type as Type
from cellgrad.core.errors import error

__all__ = [
    "BFloat",
    "Bool",
    "Complex",
    "Float",
    "Int",
    "List",
    "Number",
    "String",
    "TensorType",
    "Tuple",
    "Type",
    "TypeNone",
    "UInt",
    "str_to_type",
    "type_id_to_type",
    "type_to_type_id",
]

# The numbers of dtypes in MindSpore.
_IDS = dict(
    [
        *(("type_none", 7), ("number", 11), ("string", 12), ("list_", 13), ("tuple_", 14)),
        *(("tensor_type", 17), ("bool_", 30)),
        *(("int_", 31), ("int8", 32), ("int16", 33), ("int32", 34), ("int64", 35)),
        *(("uint", 36), ("uint8", 37), ("uint16", 38), ("uint32", 39), ("uint64", 40)),
        *(("float_", 41), ("float16", 42), ("float32", 43), ("float64", 44), ("bfloat16", 45)),
        *(("complex64", 51), ("complex128", 52)),
    ]
)
_BY_ID: dict[int, Type] = {number: getattr(mstype, name) for name, number in _IDS.items()}
_ID_OF = {found: number for number, found in _BY_ID.items()}


def _of(names: str) -> tuple[Type, ...]:
    return tuple([getattr(mstype, name) for name in names.split()])


class _Kind(type):
    """The class of these classes: `family` is what one gives when it is called without a size, `sized` are
    its dtypes with one.
    """

    family: Type
    sized: tuple[Type, ...]

    def __instancecheck__(cls, value: object) -> bool:
        return value is cls.family or any(value is t for t in cls.sized)

    def __call__(cls, given: Any = 0) -> Type:
        """The dtype of a size in bits, or the family without one."""
        if not isinstance(given, int) or not given:  # of what a tuple or list holds nothing is kept
            return cls.family
        for found in cls.sized:
            if found.itemsize * 8 == given and cls.family is not mstype.number:
                return found
        raise error(TypeError, f"There is no {cls.__name__} of {given!r} bits.")


class Number(metaclass=_Kind):
    """The family of all numbers."""

    family = mstype.number
    sized = _of(
        "bool_ int_ int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float_ float16 bfloat16 float32 float64 complex64 complex128"
    )


class Bool(metaclass=_Kind):
    """`bool_`."""

    family = mstype.bool_
    sized = ()


class Int(metaclass=_Kind):
    """Signed integers.

    >>> from cellgrad.core import inner_types
    >>> inner_types.Int(64) is ms.int64, isinstance(ms.int8, inner_types.Int)
    (True, True)
    """

    family = mstype.int_
    sized = _of("int8 int16 int32 int64")


class UInt(metaclass=_Kind):
    """Unsigned integers."""

    family = mstype.uint
    sized = _of("uint8 uint16 uint32 uint64")


class Float(metaclass=_Kind):
    """Floats but bfloat16."""

    family = mstype.float_
    sized = _of("float16 float32 float64")


class BFloat(metaclass=_Kind):
    """`bfloat16`."""

    family = mstype.bfloat16
    sized = _of("bfloat16")


class Complex(metaclass=_Kind):
    """Complex numbers."""

    family = mstype.complex64
    sized = _of("complex64 complex128")


class String(metaclass=_Kind):
    """`string`."""

    family = mstype.string
    sized = ()


class TypeNone(metaclass=_Kind):
    """`type_none`."""

    family = mstype.type_none
    sized = ()


class List(metaclass=_Kind):
    """`list_`; which types it holds is not kept."""

    family = mstype.list_
    sized = ()


class Tuple(metaclass=_Kind):
    """`tuple_`; which types it holds is not kept."""

    family = mstype.tuple_
    sized = ()


def type_to_type_id(dtype: Type) -> int:
    """The number of a dtype in MindSpore.

    Raises:
        TypeError: no dtype.

    >>> from cellgrad.core import inner_types
    >>> inner_types.type_to_type_id(ms.float32)
    43
    """
    if dtype not in _ID_OF:
        raise error(TypeError, f"{dtype!r} is no dtype.")
    return _ID_OF[dtype]


def type_id_to_type(number: int) -> Type:
    """The dtype of a number of MindSpore's; a dtype itself.

    Raises:
        ValueError: no dtype here has the number.

    >>> from cellgrad.core import inner_types
    >>> print(inner_types.type_id_to_type(43))
    Float32
    """
    if isinstance(number, Type):
        return number
    if number not in _BY_ID:
        raise error(ValueError, f"There is no dtype of number {number!r}.")
    return _BY_ID[number]


def str_to_type(name: str) -> Type:
    """The dtype of a name, such as "Float32".

    Raises:
        TypeError: no dtype has the name.
    """
    found = mstype.coerce(name) if isinstance(name, str) else None
    if found is None:
        raise error(TypeError, f"There is no dtype {name!r}.")
    return found
