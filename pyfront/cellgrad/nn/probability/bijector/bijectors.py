"""The bijectors of MindSpore."""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.core.aliases import TensorLike
from cellgrad.core.arguments import check_instance
from cellgrad.core.tensor import Tensor
from cellgrad.nn.probability._parameters import check_elements, check_positive
from cellgrad.nn.probability.bijector.base import Bijector


def _attribute(name: str, doc: str) -> property:
    return property(lambda self: getattr(self, f"_{name}_value"), doc=doc)


class PowerTransform(Bijector):
    """``(1 + x c) ** (1 / c)``, and ``exp(x)`` where the power c is 0.

    Args:
        power: c, at least 0, a floating-point number or Tensor.
        name: in messages.

    Raises:
        TypeError: a `power` of another type.
        ValueError: a `power` below 0.

    >>> print(nn.probability.bijector.PowerTransform(0.5).forward(Tensor([2.0])))
    [4.]
    """

    def __init__(self, power: TensorLike = 0.0, name: str = "PowerTransform"):
        super().__init__(name=name, param={"param_dict": {"power": power}})
        made = self._add_parameter(power, "power")
        check_elements(made, name, "power", "at least zero", lambda v: v >= 0)

    power = _attribute("power", "The power c.")

    def _parts(self, value: Any) -> tuple[Tensor, Tensor, Tensor]:
        """The value, whether the power is 0, and a power that is not."""
        x, power = self._given(value)
        zero = power == 0
        return x, zero, ops.where(zero, 1.0, power)

    def _forward(self, x: Any) -> Tensor:
        x, zero, power = self._parts(x)
        inner = ops.where(zero, 0.0, x * power)
        return ops.where(zero, ops.exp(ops.where(zero, x, 0.0)), ops.exp(ops.log1p(inner) / power))

    def _inverse(self, y: Any) -> Tensor:
        y, zero, power = self._parts(y)
        return ops.where(zero, ops.log(y), ops.expm1(ops.log(y) * power) / power)

    def _forward_log_jacobian(self, x: Any) -> Tensor:
        x, zero, power = self._parts(x)
        inner = ops.where(zero, 0.0, x * power)
        return ops.where(zero, x, (1 / power - 1) * ops.log1p(inner))

    def _inverse_log_jacobian(self, y: Any) -> Tensor:
        y, power = self._given(y)
        return (power - 1) * ops.log(y)


class Exp(PowerTransform):
    """The exponential function.

    >>> print(nn.probability.bijector.Exp().inverse(Tensor([1.0])))
    [0.]
    """

    def __init__(self, name: str = "Exp"):
        super().__init__(name=name)


class ScalarAffine(Bijector):
    """``scale * x + shift``.

    Args:
        scale, shift: floating-point numbers or Tensors.
        name: in messages.

    Raises:
        TypeError: parameters of other types, or of two dtypes.

    >>> print(nn.probability.bijector.ScalarAffine(2.0, 1.0).inverse(Tensor([7.0])))
    [3.]
    """

    def __init__(
        self, scale: TensorLike = 1.0, shift: TensorLike = 0.0, name: str = "ScalarAffine"
    ):
        super().__init__(True, True, name, None, {"param_dict": {"scale": scale, "shift": shift}})
        self._add_parameter(scale, "scale")
        self._add_parameter(shift, "shift")

    scale = _attribute("scale", "The factor.")
    shift = _attribute("shift", "What is added.")

    def _decreasing(self, value: Tensor) -> Tensor:
        return self._given(value)[1] < 0

    def _forward(self, x: Any) -> Tensor:
        x, scale, shift = self._given(x)
        return scale * x + shift

    def _inverse(self, y: Any) -> Tensor:
        y, scale, shift = self._given(y)
        return (y - shift) / scale

    def _forward_log_jacobian(self, x: Any) -> Tensor:
        return ops.log(ops.abs(self._given(x)[1]))

    def _inverse_log_jacobian(self, y: Any) -> Tensor:
        return -ops.log(ops.abs(self._given(y)[1]))


class Softplus(Bijector):
    """``log(1 + exp(k x)) / k``.

    Args:
        sharpness: k, a floating-point number or Tensor.
        name: in messages.

    Raises:
        TypeError: a `sharpness` of another type.

    >>> print(nn.probability.bijector.Softplus().forward(Tensor([0.0])))
    [0.6931472]
    """

    def __init__(self, sharpness: TensorLike = 1.0, name: str = "Softplus"):
        super().__init__(name=name, param={"param_dict": {"sharpness": sharpness}})
        self._add_parameter(sharpness, "sharpness")

    sharpness = _attribute("sharpness", "The factor k.")

    def _forward(self, x: Any) -> Tensor:
        x, k = self._given(x)
        return -ops.logsigmoid(-k * x) / k

    def _unscaled(self, y: Tensor) -> Tensor:
        """``log(exp(y) - 1)``."""
        return y + ops.log(-ops.expm1(-y))

    def _inverse(self, y: Any) -> Tensor:
        y, k = self._given(y)
        return self._unscaled(k * y) / k

    def _forward_log_jacobian(self, x: Any) -> Tensor:
        x, k = self._given(x)
        return ops.logsigmoid(k * x)

    def _inverse_log_jacobian(self, y: Any) -> Tensor:
        y, k = self._given(y)
        return -ops.log(-ops.expm1(-k * y))


class GumbelCDF(Bijector):
    """``exp(-exp(-(x - loc) / scale))``.

    Args:
        loc, scale: floating-point numbers or Tensors, `scale` above 0.
        name: in messages.

    Raises:
        TypeError: parameters of other types, or of two dtypes.
        ValueError: a `scale` that is not above 0.

    >>> print(nn.probability.bijector.GumbelCDF().forward(Tensor([0.0])))
    [0.36787945]
    """

    def __init__(self, loc: TensorLike = 0.0, scale: TensorLike = 1.0, name: str = "GumbelCDF"):
        super().__init__(name=name, param={"param_dict": {"loc": loc, "scale": scale}})
        self._add_parameter(loc, "loc")
        check_positive(self._add_parameter(scale, "scale"), name, "scale")

    loc = _attribute("loc", "What is subtracted.")
    scale = _attribute("scale", "What it is divided by.")

    def _forward(self, x: Any) -> Tensor:
        x, loc, scale = self._given(x)
        return ops.exp(-ops.exp((loc - x) / scale))

    def _inverse(self, y: Any) -> Tensor:
        y, loc, scale = self._given(y)
        return loc - scale * ops.log(-ops.log(y))

    def _forward_log_jacobian(self, x: Any) -> Tensor:
        x, loc, scale = self._given(x)
        z = (x - loc) / scale
        return -z - ops.exp(-z) - ops.log(scale)

    def _inverse_log_jacobian(self, y: Any) -> Tensor:
        y, _, scale = self._given(y)
        return ops.log(scale / (-y * ops.log(y)))


class Invert(Bijector):
    """The inverse of a bijector.

    Args:
        bijector: a Bijector.
        name: in messages; "Invert" and the name of the bijector by default.

    Raises:
        TypeError: `bijector` is no Bijector.

    >>> print(nn.probability.bijector.Invert(nn.probability.bijector.Exp()).forward(Tensor([1.0])))
    [0.]
    """

    def __init__(self, bijector: Bijector, name: str = ""):
        check_instance(bijector, "Invert", "bijector", Bijector)
        super().__init__(
            bijector.is_constant_jacobian,
            bijector.is_injective,
            name or "Invert" + bijector.name,
            bijector.dtype,
            {"bijector": bijector},
        )
        self._inner = bijector
        self._batch_shape = bijector.batch_shape
        self._is_scalar_batch = bijector.is_scalar_batch

    @property
    def bijector(self) -> Bijector:
        """The bijector that this is the inverse of."""
        return self._inner

    def extend_repr(self) -> str:
        """The bijector."""
        return self._inner.name

    def _decreasing(self, value: Tensor) -> Tensor | None:
        return self._inner._decreasing(value)

    def _forward(self, x: Any) -> Any:
        return self._inner.inverse(x)

    def _inverse(self, y: Any) -> Any:
        return self._inner.forward(y)

    def _forward_log_jacobian(self, x: Any) -> Any:
        return self._inner.inverse_log_jacobian(x)

    def _inverse_log_jacobian(self, y: Any) -> Any:
        return self._inner.forward_log_jacobian(y)
