"""Other names of operations, and MindSpore's functions of Python numbers, tuples and dictionaries."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from cellgrad.core.aliases import TensorLike
from cellgrad.core.errors import error

T = TypeVar("T")

# Names that mean the same object.
SAME: dict[str, str] = {
    "Gelu": "GeLU",
    "FastGelu": "FastGeLU",
    "GatherV2": "Gather",
    "Pack": "Stack",
    "Unpack": "Unstack",
    "TensorAdd": "Add",
    "AddV2": "Add",
    "SparseGatherV2": "Gather",
    "Conv2DBackpropInput": "Conv2DTranspose",
    "tensor_add": "add",
    "tensor_sub": "sub",
    "tensor_mul": "mul",
    "tensor_muls": "mul",
    "tensor_div": "div",
    "tensor_pow": "pow",
    "pows": "pow",
    "tensor_mod": "floor_mod",
    "floormod": "floor_mod",
    "floordiv": "floor_divide",
    "tensor_floordiv": "floor_divide",
    "tensor_exp": "exp",
    "tensor_expm1": "expm1",
    "tensor_gt": "gt",
    "tensor_ge": "ge",
    "tensor_lt": "less",
    "tensor_le": "le",
    "accumulate_n": "addn",
    "fills": "full_like",
    "isnan_ext": "isnan",
    "clamp_scalar": "clamp",
    "clamp_tensor": "clamp",
    "invert": "bitwise_not",
    "diff_ext": "diff",
    "einsum_ext": "einsum",
    "float_power_ext": "float_power",
    "top_k_ext": "topk",
    "augassign_add": "add",
    "augassign_sub": "sub",
    "augassign_mul": "mul",
    "augassign_div": "div",
    "augassign_mod": "floor_mod",
    "augassign_floordiv": "floor_divide",
    "hyper_add": "add",
}


def _setitem(sequence: Any, index: Any, value: Any) -> Any:
    """A copy with one element replaced."""
    if isinstance(sequence, dict):
        return {**sequence, index: value}
    items = builtins.list(sequence)
    items[index] = value
    return tuple(items) if isinstance(sequence, tuple) else items


def _not_in(key: Any, items: Any) -> bool:
    return key not in items


def _in(key: Any, items: Any) -> bool:
    return key in items


def _list_of(*items: Any) -> list[Any]:
    return builtins.list(items)


def _dict_of(keys: Any, values: Any) -> dict[Any, Any]:
    return builtins.dict(zip(keys, values, strict=True))


def _quotients(x: tuple[int, ...], y: tuple[int, ...]) -> tuple[int, ...]:
    """The quotients of ints, which must be whole.

    Raises:
        RuntimeError: tuples of two lengths, others than ints, a divisor 0, or a rest.

    >>> print(ops.functional.tuple_div((4, 9), (2, 3)))
    (2, 3)
    """
    if len(x) != len(y):
        raise error(
            RuntimeError,
            f"The size of inputs of 'tuple_div' operator must be the same, but got {len(x)} and "
            f"{len(y)}.",
        )
    for a, b in zip(x, y, strict=True):
        if any(isinstance(v, bool) or not isinstance(v, int) for v in (a, b)):
            raise error(
                RuntimeError,
                "The data type of inputs of 'tuple_div' operator should be an int64 number, but got "
                f"{a!r} and {b!r}.",
            )
        if b == 0:
            raise error(RuntimeError, "The divisor value should not be 0!")
        if a % b:
            raise error(
                RuntimeError,
                f"The inputs of 'tuple_div' operator should be divisible, but got {a} and {b}.",
            )
    return tuple(a // b for a, b in zip(x, y, strict=True))


def _tail(items: Sequence[T]) -> Sequence[T]:
    """A tuple or list without its first element.

    >>> print(ops.tail((1, 2, 3)))
    (2, 3)
    """
    return items[1:]


def _reversed(items: Any) -> Any:
    return tuple(builtins.reversed(items))


def _is_constant(x: TensorLike) -> bool:
    """Whether a value is known while compiling: everything but tensors.

    >>> print(ops.isconstant(2), ops.isconstant(Tensor(2)))
    True False
    """
    return not hasattr(x, "_sig")


# Functions of Python's values: they are evaluated while compiling.
OF_NUMBERS: dict[str, Callable[..., Any]] = {
    "scalar_add": operator.add,
    "scalar_sub": operator.sub,
    "scalar_mul": operator.mul,
    "scalar_div": operator.truediv,
    "scalar_floordiv": operator.floordiv,
    "scalar_mod": operator.mod,
    "scalar_pow": operator.pow,
    "scalar_eq": operator.eq,
    "scalar_ne": operator.ne,
    "scalar_lt": operator.lt,
    "scalar_le": operator.le,
    "scalar_gt": operator.gt,
    "scalar_ge": operator.ge,
    "scalar_uadd": operator.pos,
    "scalar_usub": operator.neg,
    "scalar_max": builtins.max,
    "scalar_min": builtins.min,
    "scalar_log": math.log,
    "bool_and": operator.and_,
    "bool_or": operator.or_,
    "bool_not": operator.not_,
    "bool_eq": operator.eq,
    "string_eq": operator.eq,
    "string_concat": operator.add,
    "is_": operator.is_,
    "is_not": operator.is_not,
    "in_dict": _in,
    "not_in_dict": _not_in,
    "isconstant": _is_constant,
    "scalar_bool": builtins.bool,
    "tuple_div": _quotients,
    "tuple_getitem": operator.getitem,
    "list_getitem": operator.getitem,
    "dict_getitem": operator.getitem,
    "tuple_setitem": _setitem,
    "list_setitem": _setitem,
    "dict_setitem": _setitem,
    "tuple_len": builtins.len,
    "list_len": builtins.len,
    "tuple_equal": operator.eq,
    "list_equal": operator.eq,
    "tuple_reversed": _reversed,
    "make_list": _list_of,
    "make_dict": _dict_of,
    "make_range": builtins.range,
    "make_slice": builtins.slice,
    "tail": _tail,
    "shape_mul": math.prod,
    "typeof": builtins.type,
}


def other_names(namespace: dict[str, Any]) -> dict[str, Any]:
    """What the names stand for; those that the namespace has itself are left out."""
    out = {new: namespace[old] for new, old in SAME.items() if old in namespace}
    out.update(OF_NUMBERS)
    return {name: value for name, value in out.items() if name not in namespace}
