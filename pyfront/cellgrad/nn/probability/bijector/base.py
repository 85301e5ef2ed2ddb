"""Bijector: a function of a tensor with its inverse and their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from cellgrad import ops
from cellgrad.core.aliases import State
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_dtype,
    check_instance,
    check_one_of,
)
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell
from cellgrad.nn.probability._parameters import broadcast

_METHODS = ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian")


class Bijector(Cell):
    """A function of one number with an inverse, element by element.

    A subclass has ``_forward(x)``, ``_inverse(y)``, ``_forward_log_jacobian(x)`` and
    ``_inverse_log_jacobian(y)``. Methods are called as ``bijector.forward(x)`` or as
    ``bijector("forward", x)``; called on a Distribution, it gives a `TransformedDistribution`.

    Args:
        is_constant_jacobian: whether it is linear.
        is_injective: whether no two numbers have the same image.
        name: in messages.
        dtype: of its parameters, of values and results; None takes that of each value.
        param: ``{"param_dict": {"scale": scale}}``, the parameters by their names.

    Raises:
        TypeError: arguments of other types.

    >>> class Cube(nn.probability.bijector.Bijector):
    ...     def __init__(self):
    ...         super().__init__(name="Cube")
    ...     def _forward(self, x):
    ...         return x * x * x
    >>> print(Cube().forward(Tensor([2.0])))
    [8.]
    """

    # Made by a call with a distribution: what `distribution.transformed` puts here.
    transformed: ClassVar[Callable[..., Any]]

    def __init__(
        self,
        is_constant_jacobian: bool = False,
        is_injective: bool = True,
        name: str = "Bijector",
        dtype: Type | None = None,
        param: State | None = None,
    ):
        super().__init__()
        owner = type(self).__name__
        self._name = check_instance(name, owner, "name", str)
        self._is_constant_jacobian = check_bool(is_constant_jacobian, owner, "is_constant_jacobian")
        self._is_injective = check_bool(is_injective, owner, "is_injective")
        if dtype is not None and not (isinstance(dtype, Type) and dtype.kind == "f"):
            raise argument_error(TypeError, owner, "dtype", "a floating-point type", dtype)
        self._dtype = dtype
        self._parameters = dict(param or {})
        self.parameter_names: list[str] = []
        values = self._parameters.get("param_dict", {})
        self._is_scalar_batch = bool(values) and all(
            isinstance(v, int | float) for v in values.values()
        )
        self._batch_shape: tuple[int, ...] | None = None

    @property
    def name(self) -> str:
        """The name in messages."""
        return self._name

    @property
    def dtype(self) -> Type | None:
        """The dtype of parameters and values, None where it is that of each value."""
        return self._dtype

    @property
    def parameters(self) -> State:
        """What the bijector was made with."""
        return self._parameters

    @property
    def is_constant_jacobian(self) -> bool:
        """Whether it is linear."""
        return self._is_constant_jacobian

    @property
    def is_injective(self) -> bool:
        """Whether no two numbers have the same image."""
        return self._is_injective

    @property
    def batch_shape(self) -> tuple[int, ...] | None:
        """The shape that the parameters have together."""
        return self._batch_shape

    @property
    def is_scalar_batch(self) -> bool:
        """Whether all parameters are plain numbers."""
        return self._is_scalar_batch

    def _add_parameter(self, value: Any, name: str) -> Tensor:
        """A parameter as a Tensor of floating-point numbers."""
        owner = type(self).__name__
        if value is None or isinstance(value, bool | str):
            raise argument_error(TypeError, owner, name, "a floating-point number or Tensor", value)
        made = value if isinstance(value, Tensor) else Tensor(value)
        check_dtype(made, owner, name, "f")
        before = [getattr(self, f"_{n}_value").dtype for n in self.parameter_names]
        wanted = self._dtype or (before[0] if before else made.dtype)
        if made.dtype is not wanted:
            raise error(
                TypeError,
                f"For '{owner}', '{name}' must be of {wanted.title}, as the bijector or its other "
                f"parameters, but got {made.dtype.title}.",
            )
        setattr(self, f"_{name}_value", made)
        self.parameter_names.append(name)
        made_before = [getattr(self, f"_{n}_value") for n in self.parameter_names]
        self._batch_shape = broadcast(made_before)[0].shape
        return made

    def _check_value_dtype(self, value: Any) -> Tensor:
        """A value, if it is a Tensor of floating-point numbers, of the bijector's dtype where it has one."""
        x = check_instance(value, self._name, "value", Tensor)
        if self._dtype is not None and x.dtype is not self._dtype:
            raise error(
                TypeError,
                f"For '{self._name}', 'value' must be of {self._dtype.title}, but got {x.dtype.title}.",
            )
        return check_dtype(x, self._name, "value", "f")

    def _check_value(self, value: Any, name: str) -> Tensor:
        return check_instance(value, self._name, name, Tensor)

    def cast_param_by_value(self, value: Tensor, para: Tensor) -> Tensor:
        """A parameter in the dtype of a value, for bijectors of programs.

        >>> nn.probability.bijector.Exp().cast_param_by_value(ops.ones(2, ms.float16), Tensor(0.5)).dtype
        cellgrad.float16
        """
        return para if para.dtype is value.dtype else ops.cast(para, value.dtype)

    def _given(self, value: Any) -> tuple[Tensor, ...]:
        """A value, checked, and the parameters in its dtype."""
        x = self._check_value_dtype(value)
        own = [getattr(self, f"_{n}_value") for n in self.parameter_names]
        return (x, *[self.cast_param_by_value(x, p) for p in own])

    def _decreasing(self, value: Tensor) -> Tensor | None:
        """Where larger numbers have smaller images; None: nowhere."""
        return None

    def extend_repr(self) -> str:
        """The parameters, or the shape of the batch."""
        if not self.is_scalar_batch:
            return f"batch_shape = {self.batch_shape}"
        return ", ".join(f"{n} = {getattr(self, f'_{n}_value')}" for n in self.parameter_names)

    def _call(self, what: str, value: Any, args: Any, kwargs: Any) -> Any:
        formula = getattr(self, f"_{what}", None)
        if formula is None:
            raise error(
                NotImplementedError, f"{what} is not implemented for {self._name} bijector."
            )
        return formula(value, *args, **kwargs)

    def forward(self, value: Tensor, *args: object, **kwargs: object) -> Tensor:
        """The image of a Tensor.

        Raises:
            TypeError: a value that is no Tensor of floating-point numbers.

        >>> print(nn.probability.bijector.ScalarAffine(2.0, 1.0).forward(Tensor([3.0])))
        [7.]
        """
        return self._call("forward", value, args, kwargs)

    def inverse(self, value: Tensor, *args: object, **kwargs: object) -> Tensor:
        """What `value` is the image of; errors as of `forward`."""
        return self._call("inverse", value, args, kwargs)

    def forward_log_jacobian(self, value: Tensor, *args: object, **kwargs: object) -> Tensor:
        """The logarithm of the size of `forward`'s derivative; errors as of `forward`."""
        return self._call("forward_log_jacobian", value, args, kwargs)

    def inverse_log_jacobian(self, value: Tensor, *args: object, **kwargs: object) -> Tensor:
        """The logarithm of the size of `inverse`'s derivative; errors as of `forward`."""
        return self._call("inverse_log_jacobian", value, args, kwargs)

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Tensor:
        """The method of that name.

        Raises:
            ValueError: there is no such method.
        """
        check_one_of(name, self._name, "name", _METHODS)
        return getattr(self, name)(*args, **kwargs)

    if not TYPE_CHECKING:

        def __call__(self, *args: object, **kwargs: object) -> object:
            if args and isinstance(args[0], Cell) and hasattr(args[0], "log_prob"):
                return Bijector.transformed(self, args[0])
            return super().__call__(*args, **kwargs)
