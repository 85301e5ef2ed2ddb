"""The one path of every operation: into the scope under capture, or eagerly run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from cellgrad.core import dtype as mstype
from cellgrad.core import pairs, state
from cellgrad.core.arguments import check_instance
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.foreign import unknown_argument
from cellgrad.core.number import Number
from cellgrad.core.precision import wanted
from cellgrad.core.scope import Scope, ScopeGuard
from cellgrad.core.storage import signature
from cellgrad.core.tensor import Tensor
from cellgrad.core.tracer import Tracer, elements
from cellgrad.core.tree import map_tensors, plain_number, tensors

F = TypeVar("F", bound=Callable[..., Any])


def _not_yet(*given: Any) -> Any:
    raise RuntimeError("operations cannot run before cellgrad is fully imported")


# Runs an operation outside of a capture; `compile.eager` is what does.
run_eagerly: Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any] = _not_yet


# Tensors of one shape along a new dimension; `ops.joining` fills it.
stack: Callable[[list[Tensor]], Tensor] = _not_yet


# What operations do with complex operands, by module and name: True for the same as with others, or a
# function for it. Those that are not listed refuse them. `ops.complex_forms` fills it.
complex_forms: dict[str, Any] = {}


def complex_in(values: tuple[Any, ...] | list[Any]) -> Tensor | None:
    """A complex tensor among arguments, or in a tuple or list there; None if there is none."""
    for v in values:
        if isinstance(v, Tensor):
            if v._sig.dtype.kind == "c":
                return v
        elif type(v) in (tuple, list):
            found = complex_in(v)
            if found is not None:
                return found
    return None


def no_complex(name: str, dtype: Type) -> TypeError:
    """The error of an operation that has no meaning for complex numbers, or none here."""
    return error(
        TypeError,
        f"For '{name.removeprefix('cell.').lstrip('_')}', the operands must be real, but one is of "
        f"{dtype.title}.",
        "compute with the parts of x, ops.real(x) and ops.imag(x), or with its size, ops.abs(x)",
    )


def operation(function: F) -> F:
    """Makes a function of tensors an operation.

    While capturing, its body runs and appends ops, with its name kept in their locations. Otherwise
    the whole body is compiled once per signature and run, so that a composition costs one call.
    """
    name = function.__name__
    key = f"{function.__module__.rpartition('.')[2]}.{name}"

    @functools.wraps(function)
    def body(*args: Any, **kwargs: Any) -> Any:
        found = complex_in((*args, *kwargs.values()) if kwargs else args)
        if found is None:
            return function(*args, **kwargs)
        form = complex_forms.get(key)
        if form is None:
            raise no_complex(name, found.dtype)
        return function(*args, **kwargs) if form is True else form(*args, **kwargs)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        current = state.current
        if current.precision is not None and not current.composite:
            args, kwargs = in_precision(key, (args, kwargs))
        if current.scope is None:
            try:
                return run_eagerly(body, args, kwargs)
            except TypeError as e:
                raise (unknown_argument(e, function) if kwargs else e) from e.__cause__
        if current.composite:
            return body(*args, **kwargs)
        current.composite = name
        try:
            out = body(*args, **kwargs)
        except TypeError as e:
            raise (unknown_argument(e, function) if kwargs else e) from e.__cause__
        finally:
            current.composite = ""
        if isinstance(out, Tensor):
            return fresh(out) if any(out is a for a in args) else out
        if isinstance(out, tuple):
            return tuple(fresh(v) if any(v is a for a in args) else v for v in out)
        return out

    wrapper.__wrapped__ = body
    return wrapper  # type: ignore[return-value]


def in_precision(key: str, given: Any) -> Any:
    """What an operation is given, its floats in the dtype that it computes in: see `core.precision`."""
    dtype = wanted(key)
    if dtype is None:
        return given
    return map_tensors(lambda t: cast_to(t, dtype) if t.dtype.kind == "f" else t, given)


def fresh(x: Tensor) -> Tensor:
    """The same value as a tensor of its own, so that assigning to elements of one leaves the other."""
    scope = state.current.scope
    return Tensor.copy(x) if scope is None else scope.copied(x)


def emit(
    op: str,
    operands: Sequence[Any],
    attrs: dict[str, Any] | None = None,
    dtype: Type | None = None,
    shape: Sequence[int] | None = None,
) -> Tensor:
    """Appends one op; `dtype` and `shape` give a result that cannot be inferred."""
    scope = state.current.scope
    assert scope is not None
    result = None if dtype is None or shape is None else signature(dtype, tuple(shape))
    return scope.emit(op, list(operands), attrs, result)


def emit_several(
    op: str, operands: Sequence[Any], attrs: dict[str, Any] | None = None
) -> list[Tensor]:
    """Appends one op with several results, which are inferred."""
    scope = state.current.scope
    assert scope is not None
    return list(scope.emit_several(op, list(operands), attrs))


def with_jvp(
    function: Callable[[Tensor], Tensor],
    x: Tensor,
    rule: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]],
) -> Tensor:
    """``function(x)`` with a derivative of its own: `rule` gives result and tangent of ``x, dx``.

    Both are made of operations.
    """
    outer = state.current.scope
    assert outer is not None

    def captured(name: str, count: int, of: Callable[..., tuple[Tensor, ...]]) -> Scope:
        """A private function of so many tensors like `x`."""
        scope = Scope(outer.trace, name, count * [x._sig], outer, state.location())
        with ScopeGuard(scope):
            scope.fn.ret([scope.value(t) for t in of(*scope.inputs)])
        return scope

    name = function.__name__
    body = captured(name, 1, lambda given: (function(given),))
    derived = captured(f"{name}_rule", 2, rule)
    return Tracer(call_custom(outer, body, derived, [x], forward=True)[0], outer)


def call_custom(
    outer: Scope,
    body: Scope,
    rule: Scope,
    inputs: Sequence[Tensor],
    forward: bool,
    fixed: Callable[[Any], bool] = lambda what: False,
) -> list[Any]:
    """Calls the function `body` with a derivative of its own, the function `rule`: its results. Of what the
    body takes from around it, the gradients are zero where it is `fixed`, and refused elsewhere.
    """

    def taken(what: Any) -> Any:
        if not fixed(what):
            return outer.value(what)
        return outer.emit("cell.stop_gradient", [what])._value

    values: list[Any] = outer.fn.custom(
        body.fn.name,
        [outer.value(t) for t in inputs],
        [taken(what) for what, _ in body.captures],
        rule.fn.name,
        forward=forward,
        rule_captures=[outer.value(what) for what, _ in rule.captures],
        loc=state.location(),
    )
    return values


# --- arguments --------------------------------------------------------------------------------


def check_tensor(value: Any, op: str, argument: str) -> Tensor:
    """The value, if it is a Tensor; numpy arrays become one."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, np.ndarray):
        return Tensor(value)
    return check_instance(value, op, argument, Tensor)


def check_float(value: Any, op: str, argument: str) -> Tensor:
    """A Tensor of floating-point or complex elements; integers are converted to float32."""
    tensor = check_tensor(value, op, argument)
    return tensor if tensor.dtype.kind in "fc" else cast_to(tensor, mstype.default_float())


def is_number(value: Any) -> bool:
    """Whether a value is a Python or numpy scalar."""
    return isinstance(value, mstype.NUMBERS)


def as_tensor(value: Any, op: str, dtype: Type | None = None) -> Tensor:
    """A Tensor from a Tensor, number, array, list or tuple; numbers take `dtype` where given."""
    if isinstance(value, Tensor):
        return value
    if is_number(value):
        value = plain_number(value)
        if dtype is None:
            dtype = (
                mstype.bool_
                if isinstance(value, bool)
                else mstype.int64
                if isinstance(value, int)
                else mstype.complex128
                if isinstance(value, complex)
                else mstype.default_float()
            )
        return splat(value, dtype, ())
    if isinstance(value, list | tuple) and any(True for _ in tensors(value)):
        return _stacked(value, op)
    if isinstance(value, np.ndarray | list | tuple):
        return Tensor(value)
    raise error(
        TypeError,
        f"For '{op}', expected Tensor or number operands, but got {type(value).__name__}.",
    )


def _stacked(values: Sequence[Any], op: str) -> Tensor:
    """A list with tensors in it as a tensor with their derivatives; numbers count as beside a tensor."""
    parts = [v if is_number(v) else as_tensor(v, op) for v in values]
    kinds = [p.dtype for p in parts if isinstance(p, Tensor)]
    dtype = functools.reduce(mstype.promote, kinds)
    beside = [plain_number(p) for p in parts if not isinstance(p, Tensor)]
    dtype = functools.reduce(mstype.promote_number, beside, dtype)
    return stack([cast_to(as_tensor(p, op, dtype), dtype) for p in parts])


def plain_ints(value: Any, op: str, argument: str) -> Any:
    """An int, or a list of ints, from a tensor of integers that are known; other values as they are."""
    if isinstance(value, Tensor) and value.dtype.kind in "iu" and value.ndim < 2:
        return elements(value, f"'{argument}' of {op}").tolist()
    return value


def axes_of(axis: Any, rank: int, op: str, empty_is_all: bool = True) -> tuple[int, ...]:
    """Non-negative, sorted dimensions from an int, tuple, list or None (all)."""
    axis = plain_ints(axis, op, "axis")
    if axis is None or (empty_is_all and isinstance(axis, tuple | list) and not axis):
        return tuple(range(rank))
    listed = axis if isinstance(axis, tuple | list) else (axis,)
    out = []
    for a in listed:
        out.append(axis_of(a, rank, op))
    if len(set(out)) != len(out):
        raise error(ValueError, f"For '{op}', the axis {axis} names a dimension twice.")
    return tuple(sorted(out))


def axis_of(axis: Any, rank: int, op: str) -> int:
    """One non-negative dimension."""
    axis = plain_ints(axis, op, "axis")
    if isinstance(axis, list) and len(axis) == 1:  # a tensor of one element
        axis = axis[0]
    if isinstance(axis, bool) or not isinstance(axis, int | np.integer):
        raise error(
            TypeError,
            f"For '{op}', the axis must be an int or a tuple of ints, but got "
            f"{type(axis).__name__}.",
        )
    bound = max(rank, 1)
    if not -bound <= axis < bound:
        raise error(
            ValueError, f"For '{op}', the axis value must be in [{-bound},{bound}), but got {axis}."
        )
    return int(axis) % bound


def shape_of(shape: Any, op: str) -> tuple[int, ...]:
    """A shape from an int or a sequence of ints."""
    shape = plain_ints(shape, op, "shape")
    listed = (shape,) if isinstance(shape, int | np.integer) else shape
    if isinstance(listed, tuple | list):
        listed = [plain_ints(n, op, "shape") for n in listed]
    if not isinstance(listed, tuple | list) or not all(
        isinstance(n, int | np.integer) and not isinstance(n, bool) for n in listed
    ):
        raise error(
            TypeError,
            f"For '{op}', the shape must be an int or a tuple of ints, but got {shape!r}.",
        )
    return tuple(int(n) for n in listed)


# --- primitives with a little shape arithmetic ------------------------------------------------


def cast_to(x: Tensor, dtype: Type) -> Tensor:
    """The elements in another type; the tensor itself where they have it already."""
    if x.dtype is dtype:
        return x
    if not isinstance(dtype, Type):
        raise error(
            TypeError,
            f"A dtype is needed, but got {type(dtype).__name__} {dtype!r}.",
            "write it as ms.float32",
        )
    if state.current.scope is None:
        return x.astype(dtype)
    return emit("cell.cast", [x], None, dtype, x.shape)


def widened(x: Tensor) -> Tensor:
    """Halves as float32, for what loses digits or overflows early in them; others as they are."""
    return cast_to(x, mstype.float32) if x.dtype.itemsize == 2 and x.dtype.kind == "f" else x


def as_index(x: Tensor) -> Tensor:
    """Integers as positions, int32 or int64: none that is too large becomes another."""
    if x.dtype in (mstype.int32, mstype.int64):
        return x
    if x.dtype is mstype.uint64:
        x = emit("cell.minimum", [x, splat(2**63 - 1, x.dtype, x.shape)])
    return cast_to(x, mstype.int64 if x.dtype.itemsize > 2 else mstype.int32)


def cast_back(x: Tensor, dtype: Type) -> Tensor:
    """As `cast_to`, of what an operation on integers has computed in floating point: the derivative
    passes, although the elements are rounded.
    """
    if x.dtype.kind != "f" or dtype.kind not in "iu":
        return cast_to(x, dtype)
    return emit("cell.cast", [x], {"cell.straight": True}, dtype, x.shape)


def reshape_to(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The elements under another shape of the same size."""
    return x if x.shape == shape else emit("cell.reshape", [x], None, x.dtype, shape)


def broadcast_to_shape(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Numpy's broadcasting to a compatible shape; dimensions of 1 are reshaped away."""
    if x.shape == shape:
        return x
    offset = len(shape) - x.ndim
    kept = [i for i in range(x.ndim) if x.shape[i] == shape[offset + i]]
    x = reshape_to(x, tuple(x.shape[i] for i in kept))
    present = {offset + i for i in kept}
    new = [d for d in range(len(shape)) if d not in present]
    return emit("cell.broadcast", [x], {"dims": new}, x.dtype, shape) if new else x


def broadcast_shapes(a: tuple[int, ...], b: tuple[int, ...], op: str) -> tuple[int, ...]:
    """The common shape of two operands."""
    if a == b:
        return a
    out = []
    for i in range(max(len(a), len(b)), 0, -1):
        m = a[-i] if i <= len(a) else 1
        n = b[-i] if i <= len(b) else 1
        if m != n and m != 1 and n != 1:
            raise error(
                ValueError,
                f"For '{op}', the shapes of the operands must broadcast: dimension {-i} is {m} in "
                f"{list(a)} and {n} in {list(b)}.",
                "make the dimensions equal or 1, for example with ops.expand_dims",
            )
        out.append(n if m == 1 else m)
    return tuple(out)


def splat(value: Any, dtype: Any, shape: tuple[int, ...]) -> Tensor:
    """A tensor with all elements equal to a number."""
    if type(value) is Number:
        return broadcast_to_shape(value.tensor(dtype), shape)
    sig = signature(dtype, shape)
    scope = state.current.scope
    if scope is None:
        return Tensor(np.full(shape, value) if shape else value, dtype)
    if dtype.kind == "c":
        part = mstype.real_of(dtype)
        return pairs.joined(
            scope, splat(value.real, part, shape), splat(value.imag, part, shape), dtype
        )
    return Tracer(scope.number(value, sig), scope)
