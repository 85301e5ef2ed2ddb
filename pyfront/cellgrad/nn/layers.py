"""Layers: Dense and the activations."""

from __future__ import annotations

import math
from typing import Any

from cellgrad import ops
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import Activation, InitLike
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.initializer import HeUniform, Uniform, initializer
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.nn import _forms
from cellgrad.nn.activations import ACTIVATIONS
from cellgrad.nn.cell import Cell
from cellgrad.ops._elementwise import Primitive

__all__ = ["Dense", "Linear", "Softmax2d", "get_activation"]


class Softmax2d(Cell):
    """Softmax over the channels of (N, C, H, W) or (C, H, W).

    Raises:
        ValueError: an input of another rank.

    >>> print(nn.Softmax2d()(ops.zeros((2, 1, 1))).reshape(2))
    [0.5 0.5]
    """

    def construct(self, x: Tensor) -> Tensor:
        if x.ndim not in (3, 4):
            raise error(
                ValueError,
                f"For 'Softmax2d', the input must have 3 or 4 dims, but got shape {list(x.shape)}.",
            )
        return ops.softmax(x, -3)


_ACTIVATIONS: dict[str, type[Cell]] = {
    **ACTIVATIONS,
    "relu": _forms.ReLU,
    "tanh": _forms.Tanh,
    "sigmoid": _forms.Sigmoid,
    "softmax": _forms.Softmax,
}


def get_activation(name: str | None, prim_name: str | None = None) -> Cell | None:
    """The activation Cell of a name.

    Raises:
        KeyError: an unknown name.

    >>> print(nn.get_activation("relu")(Tensor([-1.0, 2.0])))
    [0. 2.]
    """
    if name is None:
        return None
    if name not in _ACTIVATIONS:
        raise error(KeyError, f"The 'name' must be in {sorted(_ACTIVATIONS)}, but got '{name}'.")
    return _ACTIVATIONS[name]()


def _positive_int(value: Any, name: str, owner: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise error(
            TypeError, f"For '{owner}', the '{name}' must be int, but got '{type(value).__name__}'."
        )
    if value <= 0:
        raise error(
            ValueError,
            f"For '{owner}', the '{name}' must be int and must > 0, but got '{value}' with type "
            f"'int'.",
        )
    return value


class Dense(Cell):
    """A fully connected layer: ``activation(x @ weight.T + bias)``.

    Args:
        in_channels: the length of the last dimension of the input.
        out_channels: the length of the last dimension of the output.
        weight_init: a Tensor of shape (out_channels, in_channels), an initializer, its name, or a
            number; by default `HeUniform(sqrt(5))`.
        bias_init: a Tensor of shape (out_channels,), an initializer, its name, or a number; by
            default uniform on ±1/sqrt(in_channels).
        has_bias: whether there is a bias.
        activation: a name, a Cell or a primitive.
        dtype: the dtype of the Parameters.

    Inputs:
        x: shape (..., in_channels).

    Outputs:
        shape (..., out_channels).

    Raises:
        TypeError, ValueError: arguments of a wrong type, or initial values of a wrong shape.

    >>> net = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
    >>> print(net(Tensor([[1.0, 2.0, 3.0]])))
    [[6. 6.]]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: InitLike | None = None,
        bias_init: InitLike | None = None,
        has_bias: bool = True,
        activation: Activation = None,
        dtype: Type | None = None,
    ):
        super().__init__()
        dtype = mstype.or_default(dtype)
        self.in_channels = _positive_int(in_channels, "in_channels", self.cls_name)
        self.out_channels = _positive_int(out_channels, "out_channels", self.cls_name)
        if not isinstance(has_bias, bool):
            raise error(
                TypeError,
                f"For '{self.cls_name}', the 'has_bias' must be bool, but got "
                f"{type(has_bias).__name__}.",
            )
        self.has_bias = has_bias
        if isinstance(weight_init, Tensor) and weight_init.shape != (out_channels, in_channels):
            raise error(
                ValueError,
                f"For '{self.cls_name}', weight init shape error: expected "
                f"{(out_channels, in_channels)} "
                f"(out_channels, in_channels), but got {weight_init.shape}.",
            )
        if isinstance(bias_init, Tensor) and bias_init.shape != (out_channels,):
            raise error(
                ValueError,
                f"For '{self.cls_name}', bias init shape error: expected {(out_channels,)}, but "
                f"got {bias_init.shape}.",
            )
        weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(
            Tensor(initializer(weight_init, (out_channels, in_channels), dtype), dtype),
            name="weight",
        )
        self.bias: Parameter | None
        if has_bias:
            bias_init = Uniform(1 / math.sqrt(in_channels)) if bias_init is None else bias_init
            self.bias = Parameter(
                Tensor(initializer(bias_init, (out_channels,), dtype), dtype), name="bias"
            )
        else:
            self.bias = None
        if isinstance(activation, str):
            activation = get_activation(activation)
        elif activation is not None and not isinstance(activation, Cell | Primitive):
            raise error(
                TypeError,
                f"For '{self.cls_name}', the 'activation' must be str or Cell or Primitive, but "
                f"got {type(activation).__name__}.",
            )
        self.activation = activation

    def construct(self, x: Tensor) -> Tensor:
        if not isinstance(x, Tensor):
            raise error(
                TypeError,
                f"For '{self.cls_name}', the input must be a Tensor, but got {type(x).__name__}.",
            )
        if x.ndim == 0 or x.shape[-1] != self.in_channels:
            raise error(
                ValueError,
                f"For '{self.cls_name}', the last dimension of the input must be in_channels = "
                f"{self.in_channels}, "
                f"but got shape {list(x.shape)}.",
            )
        lead = x.shape[:-1]
        flat = x if x.ndim == 2 else ops.reshape(x, (-1, self.in_channels))
        out = ops.MatMul(transpose_b=True)(flat, self.weight)
        if self.bias is not None:
            out = out + self.bias
        if self.activation is not None:
            out = self.activation(out)
        return out if x.ndim == 2 else ops.reshape(out, (*lead, self.out_channels))

    def extend_repr(self) -> str:
        s = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        if self.has_bias:
            s += f", has_bias={self.has_bias}"
        if self.activation is not None:
            s += f", activation={self.activation}"
        return s


class Linear(Dense):
    """``x @ weight.T + bias``; see `nn.Dense`, whose other arguments it has not.

    >>> net = nn.Linear(3, 2, weight_init="ones", bias_init="zeros")
    >>> print(net(Tensor([[1.0, 2.0, 3.0]])))
    [[6. 6.]]
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        weight_init: InitLike | None = None,
        bias_init: InitLike | None = None,
        dtype: Type | None = None,
    ):
        super().__init__(in_features, out_features, weight_init, bias_init, bias, dtype=dtype)


def _dense(inputs: int, outputs: int, dtype: Type | None) -> Dense:
    return Dense(
        inputs,
        outputs,
        weight_init=HeUniform(math.sqrt(5)),
        bias_init=Uniform(1 / math.sqrt(inputs)),
        dtype=dtype,
    )
