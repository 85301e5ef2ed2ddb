"""What the generated elementwise wrappers call: dtype promotion, broadcasting, one op."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core import record, state
from cellgrad.core.aliases import TensorLike as TensorLike
from cellgrad.core.arguments import argument_error, check_bool
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.lost_digits import beside
from cellgrad.core.record import (
    as_tensor,
    broadcast_shapes,
    broadcast_to_shape,
    cast_back,
    cast_to,
    check_tensor,
    emit,
    is_number,
    splat,
)
from cellgrad.core.tensor import Tensor
from cellgrad.core.tree import plain_number, tensors

_LOGICAL_HINT = "use ops.logical_and, ops.logical_or, ops.logical_not, or x.astype(ms.int32)"

# bool op bool stays bool: addition and maximum are "or", product and minimum are "and".
_OF_BOOLS = {
    "cell.add": "cell.logical_or",
    "cell.maximum": "cell.logical_or",
    "cell.mul": "cell.logical_and",
    "cell.minimum": "cell.logical_and",
    "cell.bitwise_and": "cell.logical_and",
    "cell.bitwise_or": "cell.logical_or",
    "cell.bitwise_xor": "cell.logical_xor",
}
_EXTREMA = {"cell.maximum", "cell.minimum"}
# What comparisons of numbers are.
_HOLDS: dict[str, Callable[[int, int], bool]] = {
    "cell.equal": operator.eq,
    "cell.not_equal": operator.ne,
    "cell.less": operator.lt,
    "cell.less_equal": operator.le,
    "cell.greater": operator.gt,
    "cell.greater_equal": operator.ge,
}
# A bool is its own magnitude, and is neither below 0 nor between integers.
_KEEP_BOOLS = {"cell.abs", "cell.relu", "cell.trunc"}


class Primitive:
    """Base of the class forms of operations: ``ops.Tanh()(x)`` is ``ops.tanh(x)``.

    >>> tanh = ops.Tanh()
    >>> print(isinstance(tanh, ops.Primitive), tanh.name)
    True Tanh
    """

    name: str
    attrs: dict[str, object]
    instance_name: str

    def __init__(self, name: str = ""):
        self.name = name or type(self).__name__

    def set_device(self, device_target: str) -> Primitive:
        """Kept for scripts: where the operation runs, which the context says here.

        >>> print(ops.Tanh().set_device("CPU").name)
        Tanh
        """
        return self

    def add_prim_attr(self, name: str, value: object) -> Primitive:
        """Keeps a value under a name in `attrs`; it changes nothing.

        >>> print(ops.Tanh().add_prim_attr("label", 1).attrs)
        {'label': 1}
        """
        self.attrs = {**getattr(self, "attrs", {}), name: value}
        return self

    def del_prim_attr(self, name: str) -> Primitive:
        """Removes what `add_prim_attr` keeps under a name, if it does.

        >>> print(ops.Tanh().add_prim_attr("label", 1).del_prim_attr("label").attrs)
        {}
        """
        self.attrs = {k: v for k, v in getattr(self, "attrs", {}).items() if k != name}
        return self

    def recompute(self, mode: bool = True) -> Primitive:
        """Kept in `attrs`: which values are computed again for a derivative is chosen while compiling; `ms.recompute`
        and `Cell.recompute` say so of functions and Cells.

        Raises:
            TypeError: `mode` is no bool.

        >>> print(ops.Tanh().recompute().attrs)
        {'recompute': True}
        """
        return self.add_prim_attr("recompute", check_bool(mode, self.name, "mode"))

    def set_stage(self, stage: int) -> Primitive:
        """Kept in `attrs`: the stage of a pipeline of devices, which there is none of here.

        >>> print(ops.Tanh().set_stage(0).attrs)
        {'stage': 0}
        """
        return self.add_prim_attr("stage", stage)

    def set_prim_instance_name(self, instance_name: str) -> Primitive:
        """Gives the Primitive an `instance_name`, which changes nothing.

        >>> print(ops.Tanh().set_prim_instance_name("last").instance_name)
        last
        """
        self.instance_name = instance_name
        return self

    def init_prim_io_names(self, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        """Keeps names of inputs and outputs in `attrs`; they change nothing.

        >>> tanh = ops.Tanh()
        >>> tanh.init_prim_io_names(inputs=["x"], outputs=["y"])
        >>> print(tanh.attrs)
        {'input_names': ['x'], 'output_names': ['y']}
        """
        self.add_prim_attr("input_names", list(inputs))
        self.add_prim_attr("output_names", list(outputs))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def _run(function: Any, *args: Any) -> Tensor:
    if state.current.precision is not None and not state.current.composite:
        op = args[0] if type(args[0]) is str else "cell.pow"
        args = record.in_precision(op, args)
    if state.current.scope is None:
        out: Tensor = record.run_eagerly(function, args, {})
        return out
    result: Tensor = function(*args)
    return result


# --- entry points of the generated module -----------------------------------------------------


def unary(op: str, x: TensorLike, floating: bool = False) -> Tensor:
    """An elementwise function of one tensor; `floating` converts integers to float32 first."""
    return _run(_unary, op, _operand(x, op), floating)


def predicate(op: str, x: TensorLike) -> Tensor:
    """An elementwise test of one floating-point tensor."""
    return _run(_predicate, op, _operand(x, op))


def binary(op: str, x: TensorLike, y: TensorLike, floating: bool = False) -> Tensor:
    """An elementwise function of two operands, promoted to a common dtype and broadcast."""
    of_number = floating and not (isinstance(x, Tensor) and isinstance(y, Tensor))
    if op in _EXTREMA and not (isinstance(x, Tensor) and isinstance(y, Tensor)):
        x, y = within(x, y), within(y, x)
    x, y = _operands(x, y, op, floating)
    return _run(_binary_of_number if of_number else _binary, op, x, y, floating)


def compare(op: str, x: TensorLike, y: TensorLike) -> Tensor:
    """An elementwise comparison: a bool tensor. Integers are compared as they are, also with a number that
    their dtype does not hold."""
    if not (isinstance(x, Tensor) and isinstance(y, Tensor)):
        side = _side(plain_number(y), x) or -_side(plain_number(x), y)
        if side:
            return _run(_always, x if isinstance(x, Tensor) else y, _HOLDS[op](0, side))
        x, y = _operands(x, y, op)
    elif not _of_integers(x) or not _of_integers(y):
        x, y = _operands(x, y, op)
    return _run(_compare, op, x, y)


def logical(op: str, *operands: TensorLike) -> Tensor:
    """An elementwise function of truth values; numbers are true where they are not zero."""
    if len(operands) == 1:
        return _run(_logical, op, _operand(operands[0], op))
    return _run(_logical, op, *_operands(operands[0], operands[1], op))


# --- operands ---------------------------------------------------------------------------------


def _name(op: str) -> str:
    return op.removeprefix("cell.")


def _side(value: Any, x: Any) -> int:
    """1 for an int above all integers that the dtype of `x` holds, -1 for one below them, else 0."""
    if type(value) is not int or not isinstance(x, Tensor) or x.dtype.kind not in "iu":
        return 0
    least, most = mstype.limits(x.dtype)
    return (value > most) - (value < least)


def _of_integers(x: Tensor) -> bool:
    """Whether int64 holds all integers that the dtype of `x` does."""
    return x.dtype.kind in "iu" and x.dtype is not mstype.uint64


def within(value: Any, x: Any) -> Any:
    """A number, where the dtype of `x` does not hold it the end of the range, which is as large or small."""
    side = _side(plain_number(value), x)
    return mstype.limits(x.dtype)[side > 0] if side else value


def _operand(x: Any, op: str) -> Tensor:
    return x if isinstance(x, Tensor) else check_tensor(x, _name(op), "input")


def _operands(x: Any, y: Any, op: str, floating: bool = False) -> tuple[Tensor, Tensor]:
    """Both operands as tensors; a number takes the dtype it has beside the other operand, which counts
    as one of floats where the function is `floating`: -1 does not wrap beside unsigned integers."""
    tx, ty = isinstance(x, Tensor), isinstance(y, Tensor)
    if tx and ty:
        return _beside_computed(x, y, floating) if state.current.scope is not None else (x, y)
    if tx and is_number(y):
        return x, _number(y, _beside(x, floating), op)
    if ty and is_number(x):
        return _number(x, _beside(y, floating), op), y
    if tx and isinstance(y, tuple | list):
        return x, _listed(y, _beside(x, floating), op)
    if ty and isinstance(x, tuple | list):
        return _listed(x, _beside(y, floating), op), y
    for value, argument in ((x, "input"), (y, "other")):
        if not isinstance(value, Tensor | np.ndarray | list | tuple) and not is_number(value):
            raise argument_error(TypeError, _name(op), argument, "a Tensor or a number", value)
    return as_tensor(x, _name(op)), as_tensor(y, _name(op))


_KINDS: dict[str, bool | int | float] = {"b": True, "i": 1, "u": 1, "f": 1.0}


def _beside_computed(x: Tensor, y: Tensor, floating: bool) -> tuple[Tensor, Tensor]:
    """Both operands, where a number that code computes of elements has the dtype that one of Python's has."""
    assert state.current.scope is not None
    numbers = state.current.scope.trace.numbers
    if not numbers or (id(x) in numbers) is (id(y) in numbers):
        return x, y
    if id(x) in numbers:
        return cast_to(x, mstype.promote_number(_beside(y, floating), _KINDS[x.dtype.kind])), y
    return x, cast_to(y, mstype.promote_number(_beside(x, floating), _KINDS[y.dtype.kind]))


def _beside(x: Tensor, floating: bool) -> Type:
    return mstype.default_float() if floating and x.dtype.kind not in "fc" else x.dtype


def _listed(values: Any, beside: Type, op: str) -> Tensor:
    """A list beside a tensor: a tensor whose numbers count as one number does."""
    out = as_tensor(values, _name(op))
    if any(True for _ in tensors(values)):
        return out
    return out.astype(mstype.promote_number(beside, _KINDS[out.dtype.kind]))


def _number(value: Any, beside: Type, op: str) -> Tensor:
    value = plain_number(value)
    dtype = mstype.promote_number(beside, value)
    if state.current.scope is None and value:  # a key for zero would not tell its sign
        return _concrete_number(value, dtype)
    return as_tensor(value, _name(op), dtype)


@functools.lru_cache(4096)
def _concrete_number(value: bool | int | float, dtype: Type) -> Tensor:
    """A number as an operand of an eager operation; operands are never written to."""
    return splat(value, dtype, ())


def _broadcast(x: Tensor, y: Tensor, op: str) -> tuple[Tensor, Tensor]:
    if x.shape == y.shape:
        return x, y
    shape = broadcast_shapes(x.shape, y.shape, _name(op))
    return broadcast_to_shape(x, shape), broadcast_to_shape(y, shape)


# --- bodies, run while capturing --------------------------------------------------------------


def _unary(op: str, x: Tensor, floating: bool) -> Tensor:
    if floating:
        x = as_float(x)
    elif x.dtype.kind == "b" and op in _KEEP_BOOLS:
        return emit("cell.reshape", [x], None, x.dtype, x.shape)
    elif x.dtype.kind == "b":
        raise error(TypeError, f"For '{_name(op)}', the operand must not be Bool.", _LOGICAL_HINT)
    return emit(op, [x])


def _predicate(op: str, x: Tensor) -> Tensor:
    return emit(op, [as_float(x)])


def _binary(op: str, x: Tensor, y: Tensor, floating: bool) -> Tensor:
    beside(x, y)
    dtype = mstype.promote(x.dtype, y.dtype)
    if dtype.kind == "c":  # a real operand stays real
        part = mstype.real_of(dtype)
        x, y = (cast_to(v, dtype if v.dtype.kind == "c" else part) for v in (x, y))
        return emit(op, [*_broadcast(x, y, op)])
    if floating and dtype.kind != "f":
        dtype = mstype.default_float()
    elif dtype.kind == "b":
        of_bools = _OF_BOOLS.get(op)
        if of_bools is None:
            raise error(
                TypeError, f"For '{_name(op)}', the operands cannot both be Bool.", _LOGICAL_HINT
            )
        op = of_bools
    elif dtype.kind == "f" and op.startswith("cell.bitwise_"):
        raise error(
            TypeError,
            f"For '{_name(op)}', the operands must be of integers or bools, but got {dtype.title}.",
            "convert them first, for example x.astype(ms.int32)",
        )
    x, y = _broadcast(cast_to(x, dtype), cast_to(y, dtype), op)
    if op == "cell.floor_div" and dtype.kind == "f" and dtype.itemsize == 2:
        # A quotient rounded to half precision may be the next whole number.
        wide = emit(op, [cast_to(v, mstype.float32) for v in (x, y)])
        return cast_to(wide, dtype)
    return emit(op, [x, y])


def _binary_of_number(op: str, x: Tensor, y: Tensor, floating: bool) -> Tensor:
    """In the dtype of the number, also beside integers that have none in common with a tensor of it."""
    return _binary(op, as_float(x), as_float(y), floating)


def as_float(x: Tensor) -> Tensor:
    """Floats as they are, integers and bools in the default dtype of floats."""
    return x if x.dtype.kind in "fc" else cast_to(x, mstype.default_float())


def _compare(op: str, x: Tensor, y: Tensor) -> Tensor:
    beside(x, y)
    dtype = mstype.promote(x.dtype, y.dtype)
    x, y = _broadcast(cast_to(x, dtype), cast_to(y, dtype), op)
    return emit(op, [x, y])


def _always(x: Tensor, truth: bool) -> Tensor:
    """One truth value for each integer of `x`."""
    return emit("cell.equal" if truth else "cell.not_equal", [x, x])


def _logical(op: str, *operands: Tensor) -> Tensor:
    truths = [cast_to(x, mstype.bool_) for x in operands]
    if len(truths) == 2:
        truths = list(_broadcast(truths[0], truths[1], op))
    return emit(op, truths)


# --- written by hand: power -------------------------------------------------------------------


def power(x: TensorLike, y: TensorLike) -> Tensor:
    """`x ** y` elementwise: exponents 1 to 4, and all of integers, become products, integers stay
    integers."""
    if isinstance(x, Tensor) and _is_small_whole(y, x.dtype):
        return _run(_whole_power, x, int(y))  # type: ignore[arg-type]
    if type(y) is int and y < 0 and isinstance(x, Tensor) and x.dtype.kind == "u":
        return _run(_inverse_power, x, y)  # the exponent would wrap
    a, b = _operands(x, y, "cell.pow")
    return _run(_power, a, b, not (type(y) is int and y <= 0))


def _is_small_whole(y: Any, beside: Type) -> bool:
    if type(y) is int:
        return (y in (1, 2, 3, 4) and beside.kind != "b") or (y > 4 and beside.kind in "iu")
    return type(y) is float and y in (1.0, 2.0, 3.0, 4.0) and beside.kind in "fc"


def _whole_power(x: Tensor, n: int) -> Tensor:
    if n == 1:
        return emit("cell.reshape", [x], None, x.dtype, x.shape)
    square = emit("cell.square", [x])
    even = square if n < 4 else _whole_power(square, n // 2)
    return emit("cell.mul", [even, x]) if n % 2 else even


def _power(x: Tensor, y: Tensor, any_exponent: bool) -> Tensor:
    dtype = mstype.promote(x.dtype, y.dtype)
    if dtype.kind in "fc":
        return _binary("cell.pow", x, y, False)
    # The derivative, and negative exponents, go through float64: exact to 2**53, then truncated.
    whole = mstype.int64 if dtype.kind == "b" else dtype
    out = _binary("cell.pow", cast_to(x, mstype.float64), cast_to(y, mstype.float64), False)
    rough = cast_back(out, whole)
    if dtype.kind == "b" or not any_exponent:
        return rough
    return _wrapped_power(*_broadcast(cast_to(x, dtype), cast_to(y, dtype), "cell.pow"), rough)


def _inverse_power(x: Tensor, n: int) -> Tensor:
    """Of integers, without the fraction."""
    exponent = splat(float(n), mstype.float64, x.shape)
    return cast_back(emit("cell.pow", [cast_to(x, mstype.float64), exponent]), x.dtype)


def _wrapped_power(x: Tensor, y: Tensor, rough: Tensor) -> Tensor:
    """`rough`, with the elements that powers have whose products wrap: for each bit of `y` a square."""

    def like(value: int) -> Tensor:
        return splat(value, y.dtype, y.shape)

    exponent, rest = (emit("cell.stop_gradient", [t]) for t in (y, rough))
    square, out = emit("cell.stop_gradient", [x]), like(1)
    for k in range(y.dtype.itemsize * 8 - (y.dtype.kind == "i")):
        square = emit("cell.square", [square]) if k else square
        bit = emit("cell.bitwise_and", [exponent, like(1 << k)])
        factor = emit("cell.select", [emit("cell.equal", [bit, like(0)]), like(1), square])
        out = emit("cell.mul", [out, factor])
    if y.dtype.kind == "i":
        out = emit("cell.select", [emit("cell.less", [exponent, like(0)]), rest, out])
    return emit("cell.add", [rough, emit("cell.sub", [out, rest])])
