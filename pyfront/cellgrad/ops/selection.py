"""Choice, casts, and values made from shapes and numbers."""

from __future__ import annotations

from typing import Any, TypeVar

from cellgrad.core import dtype as mstype
from cellgrad.core import effects, state
from cellgrad.core.aliases import DTypeLike, ShapeLike, TensorLike
from cellgrad.core.arguments import argument_error
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter
from cellgrad.core.record import (
    as_tensor,
    broadcast_shapes,
    broadcast_to_shape,
    cast_to,
    check_tensor,
    emit,
    fresh,
    is_number,
    operation,
    reshape_to,
    shape_of,
    splat,
)
from cellgrad.core.tensor import Tensor
from cellgrad.core.tree import map_tensors
from cellgrad.ops import _elementwise as ew
from cellgrad.ops import _generated as gen
from cellgrad.ops._public import public
from cellgrad.ops.rounding import truncate_div

T = TypeVar("T")


def dtype_argument(dtype: Any, op: str) -> Type:
    """A tensor dtype from what users write for one."""
    found = mstype.coerce(dtype)
    if found is None or not found.kind:
        raise error(
            TypeError,
            f"For '{op}', the dtype must be one of {list(mstype.TENSOR_TYPES)}, but got {dtype!r}.",
        )
    return found


@operation
def _cast(x: Tensor, target: Type) -> Tensor:
    return cast_to(x, target)


@public("ops.Cast(input_x, dtype)")
def cast(input: TensorLike, dtype: DTypeLike) -> Tensor:
    """The elements converted to `dtype`; floats become ints by truncation. Integers and bools stop
    gradients.

    Raises:
        TypeError: `input` is neither Tensor nor number, or `dtype` is not a tensor dtype.

    >>> print(ops.cast(Tensor([1.5, -2.5]), ms.int32))
    [ 1 -2]
    """
    target = dtype_argument(dtype, "cast")
    x = (
        as_tensor(input, "cast", target)
        if is_number(input)
        else check_tensor(input, "cast", "input")
    )
    if x.dtype is target:
        return fresh(x)
    out: Tensor = _cast(x, target)
    return out


@public(
    "ops.Select",
    "mint.select(input, dim, index) = h.selected(input, dim, index)",
)
def select(condition: Tensor, input: TensorLike, other: TensorLike) -> Tensor:
    """`input` where `condition` holds, `other` elsewhere, broadcast to a common shape and dtype.

    The branch not taken gets an exactly zero gradient, also where its value is not finite.

    Raises:
        TypeError: `condition` is not a Tensor, or a branch is neither Tensor nor number.
        ValueError: shapes that do not broadcast.

    >>> print(ops.select(Tensor([True, False]), Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
    [1. 4.]

    >>> print(mint.select(Tensor([[1, 2], [3, 4]]), 1, 0))
    [1 3]
    """
    condition = check_tensor(condition, "select", "condition")
    if (not is_number(input) and not is_number(other)) or (is_number(input) and is_number(other)):
        a, b = as_tensor(input, "select"), as_tensor(other, "select")
    else:
        a, b = ew._operands(input, other, "cell.select")
    out: Tensor = _select(condition, a, b)
    return out


@operation
def _select(condition: Tensor, a: Tensor, b: Tensor) -> Tensor:
    dtype = mstype.promote(a.dtype, b.dtype)
    shape = broadcast_shapes(
        broadcast_shapes(a.shape, b.shape, "select"), condition.shape, "select"
    )
    truth = broadcast_to_shape(cast_to(condition, mstype.bool_), shape)
    return emit(
        "cell.select", [truth, *(broadcast_to_shape(cast_to(v, dtype), shape) for v in (a, b))]
    )


@public(
    "Tensor.where(condition, y=None, *, other=None) = "
    "ops.where(condition, self, y if other is None else other)",
    "mint.where(condition, input=None, other=None) = "
    "ops.nonzero(condition, as_tuple=True) if input is None else ops.where(condition, input, "
    "other)",
)
def where(condition: Tensor, input: TensorLike, other: TensorLike) -> Tensor:
    """Same as `select`.

    >>> x = Tensor([-1.0, 2.0])
    >>> print(ops.where(x > 0, x, 0.0))
    [0. 2.]
    """
    return select(condition, input, other)


@public("ops.StopGradient")
@operation
def stop_gradient(value: Tensor) -> Tensor:
    """The value, with a zero derivative at every order.

    Of a tuple, list or dict, the Tensors in it; everything else stays as it is, as a number or None by itself does.

    >>> print(ms.grad(lambda x: x * ops.stop_gradient(x))(Tensor(3.0)))
    3.0
    >>> print(ops.stop_gradient((Tensor(3.0), 2))[1])
    2
    """
    out: Tensor = map_tensors(
        lambda x: emit("cell.stop_gradient", [check_tensor(x, "stop_gradient", "value")]), value
    )
    return out


@public()
def identity(x: T) -> T:
    """The argument itself.

    >>> print(ops.identity(Tensor([1.0, 2.0])))
    [1. 2.]
    """
    return x


@public(
    "ops.Pow",
    "Tensor.pow",
    "mint.pow",
)
def pow(input: TensorLike, exponent: TensorLike) -> Tensor:
    """`input` to the power `exponent`, elementwise.

    The derivative is 0 in the base where the exponent is 0, and 0 in the exponent where the base is
    not positive.

    Raises:
        TypeError: an operand that is neither Tensor nor number.
        ValueError: shapes that do not broadcast.

    >>> print(ops.pow(Tensor([2.0, 3.0]), 2))
    [4. 9.]
    """
    return ew.power(input, exponent)


@public(
    "ops.Div(input, other)",
    "ops.RealDiv(x, y)",
    "ops.divide",
    "ops.true_divide(dividend, divisor)",
    "Tensor.div",
    "Tensor.div_",
    "Tensor.divide",
    "Tensor.true_divide(other)",
    "mint.div",
    "mint.divide",
)
def div(input: TensorLike, other: TensorLike, *, rounding_mode: str | None = None) -> Tensor:
    """`input` divided by `other`, elementwise; integers are converted to float32.

    With `rounding_mode` ``"floor"`` or ``"trunc"`` the quotient is rounded down or towards 0,
    integers stay integers, and derivatives are zero.

    Raises:
        TypeError: an operand that is neither Tensor nor number.
        ValueError: shapes that do not broadcast, or another rounding mode.

    >>> print(ops.div(Tensor([7.0, -7.0]), 2.0))
    [ 3.5 -3.5]
    >>> print(ops.div(Tensor([7, -7]), Tensor([2, 2]), rounding_mode="trunc"))
    [ 3 -3]

    >>> print(ops.Div()(Tensor([1.0, 3.0]), 2.0))
    [0.5 1.5]

    >>> print(ops.RealDiv()(Tensor([1.0, 3.0]), Tensor([2.0, 2.0])))
    [0.5 1.5]

    >>> print(ops.true_divide(Tensor([1, 3]), Tensor([2, 2])))
    [0.5 1.5]

    >>> print(Tensor([7.0, -7.0]).true_divide(2.0))
    [ 3.5 -3.5]
    """
    if rounding_mode is None:
        return ew.binary("cell.div", input, other, True)
    if rounding_mode == "floor":
        return gen.floor_div(input, other)
    if rounding_mode == "trunc":
        return truncate_div(input, other)
    raise error(
        ValueError,
        f"For 'div', 'rounding_mode' must be None, 'floor' or 'trunc', but got {rounding_mode!r}.",
    )


# --- creation ---------------------------------------------------------------------------------


@public(
    "ops.OnesLike(x)",
    "mint.ones_like",
)
def ones_like(input: Tensor, *, dtype: Type | None = None) -> Tensor:
    """Ones of the shape, and by default the dtype, of a tensor.

    >>> print(ops.ones_like(Tensor([5, 7])))
    [1 1]
    """
    x = check_tensor(input, "ones_like", "input")
    return splat(1, dtype or x.dtype, x.shape)


@public(
    "ops.ZerosLike(x)",
    "mint.zeros_like",
)
def zeros_like(input: Tensor, *, dtype: Type | None = None) -> Tensor:
    """Zeros of the shape, and by default the dtype, of a tensor.

    >>> print(ops.zeros_like(Tensor([5, 7])))
    [0 0]
    """
    x = check_tensor(input, "zeros_like", "input")
    return splat(0, dtype or x.dtype, x.shape)


@public(
    "ops.Ones(shape, type)",
    "mint.ones(size, *, dtype)",
)
def ones(shape: ShapeLike, dtype: Type | None = None) -> Tensor:
    """Ones (float32 by default).

    >>> print(ops.ones((2,), ms.int32))
    [1 1]
    """
    return splat(1, mstype.or_default(dtype), shape_of(shape, "ones"))


@public(
    "ops.Zeros(shape, type)",
    "mint.zeros",
)
def zeros(size: ShapeLike, dtype: Type | None = None) -> Tensor:
    """Zeros (float32 by default).

    >>> print(ops.zeros((2, 2)))
    [[0. 0.]
     [0. 0.]]

    >>> print(ops.Zeros()((2,), ms.float32))
    [0. 0.]
    """
    return splat(0, mstype.or_default(dtype), shape_of(size, "zeros"))


@public(
    "Tensor.fill(value) = ops.full(self.shape, value, dtype=self.dtype)",
    "Tensor.fill_(value) = self._replace(ops.full(self.shape, value, dtype=self.dtype), 'fill_')",
    "Tensor.new_full(size, fill_value, *, dtype) = "
    "ops.full(size, fill_value, dtype=dtype or self.dtype)",
    "Tensor.fills(value) = ops.full(self.shape, value, dtype=self.dtype)",
    "ops.Fills()(x, value) = ops.full(x.shape, value, dtype=x.dtype)",
    "Tensor.zero_() = self._replace(ops.full(self.shape, 0, dtype=self.dtype), 'zero_')",
    "mint.full",
)
def full(size: ShapeLike, fill_value: TensorLike, *, dtype: Type | None = None) -> Tensor:
    """A tensor with all elements equal to a number or to a Tensor of one element. The dtype is the Tensor's
    or the number's by default (int64, float32 or bool).

    Raises:
        TypeError: `fill_value` is neither.

    >>> print(ops.full((2,), 3.0))
    [3. 3.]

    >>> print(Tensor([1.0, 2.0]).fills(7.0))
    [7. 7.]

    >>> print(ops.Fills()(Tensor([1.0, 2.0]), 7.0))
    [7. 7.]

    >>> print(Tensor([1.0, 2.0]).fill(7.0))
    [7. 7.]

    >>> x = Tensor([1.0, 4.0])
    >>> _ = x.fill_(7.0)
    >>> print(x)
    [7. 7.]

    >>> print(Tensor([5, 7]).new_full((3,), 9))
    [9 9 9]

    >>> x = Tensor([1.0, 4.0])
    >>> _ = x.zero_()
    >>> print(x)
    [0. 0.]
    """
    if isinstance(fill_value, Tensor) and fill_value.size == 1:
        return _filled(fill_value, shape_of(size, "full"), dtype or fill_value.dtype)
    if not is_number(fill_value):
        expected = "a number or a Tensor of one element"
        raise argument_error(TypeError, "full", "fill_value", expected, fill_value)
    own = (
        mstype.bool_
        if isinstance(fill_value, bool)
        else mstype.int64
        if isinstance(fill_value, int)
        else mstype.complex128
        if isinstance(fill_value, complex)
        else mstype.default_float()
    )
    return splat(fill_value, dtype or own, shape_of(size, "full"))


@operation
def _filled(value: Tensor, shape: tuple[int, ...], dtype: Type) -> Tensor:
    return broadcast_to_shape(cast_to(reshape_to(value, ()), dtype), shape)


@public("mint.full_like")
def full_like(input: Tensor, fill_value: TensorLike, *, dtype: Type | None = None) -> Tensor:
    """A tensor of the shape, and by default the dtype, of another with all elements equal; see `full`.

    >>> print(ops.full_like(Tensor([1.0, 2.0]), 7.0))
    [7. 7.]
    """
    x = check_tensor(input, "full_like", "input")
    return full(x.shape, fill_value, dtype=dtype or x.dtype)


@public("ops.Fill")
def fill(type: Type, shape: ShapeLike, value: TensorLike) -> Tensor:
    """A tensor of dtype `type` with all elements equal; see `full`.

    >>> print(ops.fill(ms.float32, (2,), 3))
    [3. 3.]
    """
    return full(shape, value, dtype=type)


# --- what is known of a tensor while compiling ------------------------------------------------


@public("ops.DType")
def dtype(input_x: Tensor) -> Type:
    """The dtype of a tensor.

    >>> print(ops.dtype(Tensor([1.0])))
    Float32
    """
    found = getattr(input_x, "dtype", None)  # sparse tensors have one, too
    return found if isinstance(found, Type) else check_tensor(input_x, "dtype", "input_x").dtype


@public("ops.Shape")
def shape(input_x: Tensor) -> tuple[int, ...]:
    """The shape of a tensor, as ints.

    >>> ops.shape(Tensor([[1.0, 2.0]]))
    (1, 2)
    """
    return check_tensor(input_x, "shape", "input_x").shape


@public("ops.Rank")
def rank(input_x: Tensor) -> int:
    """The number of dimensions of a tensor.

    >>> ops.rank(Tensor([[1.0, 2.0]]))
    2
    """
    return check_tensor(input_x, "rank", "input_x").ndim


@public("ops.Size")
def size(input_x: Tensor) -> int:
    """The number of elements of a tensor.

    >>> ops.size(Tensor([[1.0, 2.0]]))
    2
    """
    return check_tensor(input_x, "size", "input_x").size


# --- effects ----------------------------------------------------------------------------------


@public()
def print_(*input_x: object) -> None:
    """Prints text and tensors: in compiled functions when the code runs, in order.

    >>> ops.print_("x =", Tensor([1.0, 2.0]))
    x = [1. 2.]
    """
    effects.print_tensors(*input_x)


@public("ops.Assign")
def assign(variable: Tensor, value: TensorLike) -> Tensor:
    """Replaces the value of a Parameter, inside compiled code as well; returns the new value, a Tensor.
    Of another Tensor it replaces the elements, as ``x[...] = value`` does, and returns it.

    Raises:
        TypeError: `variable` is not a Parameter or Tensor; a Tensor whose dtype is wider, or of another kind.
        ValueError: a value of another shape.

    >>> x = Parameter(Tensor([1.0, 2.0]), name="x")
    >>> _ = ops.assign(x, Tensor([3.0, 4.0]))
    >>> print(x.value())
    [3. 4.]
    """
    return _assign(variable, value, "assign")


def _assign(variable: Tensor, value: TensorLike, op: str) -> Tensor:
    variable = effects.whole(variable)
    held = check_tensor(variable, op, "variable").dtype
    if isinstance(value, Tensor) and mstype.promote(held, value.dtype) is not held:
        loses = ": imaginary parts would be lost" if value.dtype.kind == "c" != held.kind else ""
        raise error(
            TypeError,
            f"For '{op}', 'variable' is of {held.title} and the value of {value.dtype.title}. Data type "
            f"conversion is not supported for a 'Parameter' where the value may change{loses}.",
            "take the real parts, ops.real(value)"
            if loses
            else f"cast the value: ops.cast(value, ms.{held.native})",
        )
    return write_to(variable, value)


def _written(variable: Tensor) -> Any:
    """The Parameter that a variable of compiled code stands for; others as they are."""
    scope = state.current.scope
    return effects.whole(variable) if scope is None else scope.parameter_of(effects.whole(variable))


def assigned(variable: Tensor, value: Tensor, op: str) -> Tensor:
    """Assigns what an operation has computed of a variable: what the operation returns.

    A Parameter is a leaf from then on. The operation returns what it computed, which has derivatives by
    all that it was computed from; of another Tensor it returns that.
    """
    written = _assign(variable, value, op)
    return written if written is variable else value


def updated(variable: Tensor, value: Tensor, op: str) -> Tensor:
    """As `assigned` of a Parameter; another Tensor stays as it is."""
    return assigned(variable, value, op) if isinstance(_written(variable), Parameter) else value


def write_to(variable: Tensor, value: TensorLike) -> Tensor:
    """As `assign`, of a value of any dtype, which is rounded: so optimizers write what they computed in a wider one."""
    variable = effects.whole(variable)
    target = _written(variable)
    own = isinstance(check_tensor(target, "assign", "variable"), Parameter)
    if state.current.scope is not None and own:
        effects.assign(target, value)
        return fresh(variable)  # of an argument, if it is one: a derivative by it counts this
    given = as_tensor(value, "assign", target.dtype)
    if given.shape != target.shape:
        what = f"Parameter '{target.name}'" if own else "the Tensor"
        raise error(
            ValueError,
            f"For 'assign', the value must have the shape of {what}, {list(target.shape)}, but got "
            f"{list(given.shape)}.",
            "set_data gives a Parameter another shape" if own else "",
        )
    if not own:
        target[...] = given
        return variable
    return fresh(target.set_data(given))


@public("ops.AssignAdd")
def assign_add(variable: Tensor, value: TensorLike) -> Tensor:
    """Adds to a Parameter in place; returns the new value.

    >>> x = Parameter(Tensor([1.0, 2.0]), name="x")
    >>> print(ops.assign_add(x, Tensor([3.0, 4.0])))
    [4. 6.]
    """
    return assigned(variable, effects.whole(variable) + value, "assign_add")


@public("ops.AssignSub")
def assign_sub(variable: Tensor, value: TensorLike) -> Tensor:
    """Subtracts from a Parameter in place; returns the new value.

    >>> x = Parameter(Tensor([1.0, 2.0]), name="x")
    >>> print(ops.assign_sub(x, Tensor([3.0, 4.0])))
    [-2. -2.]
    """
    return assigned(variable, effects.whole(variable) - value, "assign_sub")
