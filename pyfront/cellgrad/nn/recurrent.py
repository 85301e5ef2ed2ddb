"""Recurrent cells: one step of a recurrent network."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad import ops
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_instance,
    check_int,
    check_one_of,
)
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.initializer import Uniform, initializer
from cellgrad.core.parameter import Parameter
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell

__all__ = ["GRUCell", "LSTMCell", "RNNCell"]


class _RecurrentCell(Cell):
    """Weights of the input and of the hidden state, `chunks` blocks of rows each."""

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool, chunks: int, dtype: Type | None
    ):
        super().__init__()
        self.input_size = check_int(input_size, self.cls_name, "input_size", at_least=1)
        self.hidden_size = check_int(hidden_size, self.cls_name, "hidden_size", at_least=1)
        self.has_bias = check_bool(has_bias, self.cls_name, "has_bias")
        rows, spread = chunks * hidden_size, Uniform(1 / math.sqrt(hidden_size))
        # As MindSpore does before it draws the weights, so that a seed gives the same ones.
        np.random.randn(rows * (input_size + hidden_size + 2 * has_bias))

        def parameter(*shape: int) -> Parameter:
            return Parameter(initializer(spread, shape, dtype))

        self.weight_ih = parameter(rows, input_size)
        self.weight_hh = parameter(rows, hidden_size)
        self.bias_ih: Parameter | None = parameter(rows) if has_bias else None
        self.bias_hh: Parameter | None = parameter(rows) if has_bias else None

    def _check(self, x: Any, states: tuple[Any, ...]) -> None:
        for name, value, size in (
            ("x", x, self.input_size),
            *(("hx", s, self.hidden_size) for s in states),
        ):
            check_instance(value, self.cls_name, name, Tensor)
            if value.ndim != 2 or value.shape != (x.shape[0], size):
                raise error(
                    ValueError,
                    f"For '{self.cls_name}', the '{name}' must have shape (batch, {size}), but got "
                    f"{list(value.shape)}.",
                )

    def _gates(self, x: Tensor, weight: Parameter, bias: Parameter | None) -> Tensor:
        out: Tensor = ops.MatMul(transpose_b=True)(x, weight)
        return out if bias is None else out + bias

    def _parts(self, gates: Tensor) -> list[Tensor]:
        n = self.hidden_size
        return [gates[:, i : i + n] for i in range(0, gates.shape[1], n)]

    def extend_repr(self) -> str:
        return f"input_size={self.input_size}, hidden_size={self.hidden_size}"


class RNNCell(_RecurrentCell):
    """``f(weight_ih x + bias_ih + weight_hh h + bias_hh)``.

    Args:
        input_size, hidden_size: positive ints.
        has_bias: whether there are biases.
        nonlinearity: "tanh" or "relu".
        dtype: of the Parameters.

    Inputs:
        x: shape (batch, input_size).
        hx: shape (batch, hidden_size).

    Outputs:
        the next hidden state.

    Raises:
        TypeError, ValueError: arguments or inputs of other types or values.

    >>> print(nn.RNNCell(3, 4)(ops.ones((2, 3)), ops.zeros((2, 4))).shape)
    (2, 4)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        nonlinearity: str = "tanh",
        dtype: Type | None = None,
    ):
        super().__init__(input_size, hidden_size, has_bias, 1, dtype)
        check_one_of(nonlinearity, "RNNCell", "nonlinearity", ("tanh", "relu"))
        self.nonlinearity = nonlinearity

    def construct(self, x: Tensor, hx: Tensor) -> Tensor:
        self._check(x, (hx,))
        total = self._gates(x, self.weight_ih, self.bias_ih)
        total = total + self._gates(hx, self.weight_hh, self.bias_hh)
        return ops.tanh(total) if self.nonlinearity == "tanh" else ops.relu(total)


class LSTMCell(_RecurrentCell):
    """Long short-term memory: with gates i, f, o and candidate g from x and h,
    ``c' = f c + i g`` and ``h' = o tanh(c')``.

    Args:
        input_size, hidden_size, has_bias, dtype: as of `RNNCell`.

    Inputs:
        x: shape (batch, input_size).
        hx: a tuple (h, c), each of shape (batch, hidden_size).

    Outputs:
        (h', c').

    Raises:
        TypeError, ValueError: arguments or inputs of other types or values.

    >>> zeros = ops.zeros((2, 4))
    >>> hidden, cell = nn.LSTMCell(3, 4)(ops.ones((2, 3)), (zeros, zeros))
    >>> print(hidden.shape, cell.shape)
    (2, 4) (2, 4)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        dtype: Type | None = None,
    ):
        super().__init__(input_size, hidden_size, has_bias, 4, dtype)

    def construct(self, x: Tensor, hx: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        if not isinstance(hx, tuple) or len(hx) != 2:
            raise argument_error(TypeError, "LSTMCell", "hx", "a tuple (h, c)", hx)
        self._check(x, hx)
        h, c = hx
        gates = self._gates(x, self.weight_ih, self.bias_ih)
        gates = gates + self._gates(h, self.weight_hh, self.bias_hh)
        i, f, g, o = self._parts(gates)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        return ops.sigmoid(o) * ops.tanh(c), c


class GRUCell(_RecurrentCell):
    """Gated recurrent unit: with gates r and z and the candidate
    ``n = tanh(W x + r (U h))``, ``h' = n + z (h - n)``.

    Args:
        input_size, hidden_size, has_bias, dtype: as of `RNNCell`.

    Inputs:
        x: shape (batch, input_size).
        hx: shape (batch, hidden_size).

    Outputs:
        the next hidden state.

    Raises:
        TypeError, ValueError: arguments or inputs of other types or values.

    >>> print(nn.GRUCell(3, 4)(ops.ones((2, 3)), ops.zeros((2, 4))).shape)
    (2, 4)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        dtype: Type | None = None,
    ):
        super().__init__(input_size, hidden_size, has_bias, 3, dtype)

    def construct(self, x: Tensor, hx: Tensor) -> Tensor:
        self._check(x, (hx,))
        of_input = self._parts(self._gates(x, self.weight_ih, self.bias_ih))
        of_state = self._parts(self._gates(hx, self.weight_hh, self.bias_hh))
        reset = ops.sigmoid(of_input[0] + of_state[0])
        update = ops.sigmoid(of_input[1] + of_state[1])
        new = ops.tanh(of_input[2] + reset * of_state[2])
        return new + update * (hx - new)  # type: ignore[no-any-return]
