"""A layer of LSTM whose weights are one vector, as MindSpore's kernel has it."""

from __future__ import annotations

from typing import Any

from cellgrad import ops
from cellgrad.core.arguments import (
    check_bool,
    check_int,
    check_ndim,
    check_number,
    check_same_dtype,
    check_shape,
)
from cellgrad.core.errors import error
from cellgrad.core.record import check_float
from cellgrad.core.tensor import Tensor
from cellgrad.nn.recurrent_layers import _recurrence
from cellgrad.ops._elementwise import Primitive

__all__ = ["LSTM"]


class LSTM(Primitive):
    """A layer of `nn.LSTM`, of sequences with time first.

    Args:
        input_size, hidden_size: the numbers of features.
        num_layers: 1.
        has_bias: whether the weights have a bias.
        bidirectional: False.
        dropout: in [0, 1]; there is none after the last layer.
        proj_size: 0.

    Inputs:
        input: shape [time, batch, input_size].
        h, c: the state, shape [1, batch, hidden_size].
        w: a vector of the weights of the input, those of the state and the bias, one gate after another
            as in `nn.LSTM`. What follows is not read.

    Outputs:
        all outputs, [time, batch, hidden_size]; the last state; and two Tensors of one 0, which MindSpore's
        kernel keeps something in.

    Raises:
        TypeError: arguments of another type, or no Tensors of one floating-point dtype.
        ValueError: several layers, both directions, a projection, or shapes that do not fit.

    >>> layer, state = ops.LSTM(1, 1, 1, False, False, 0.0), ops.zeros((1, 1, 1))
    >>> print(layer(ops.ones((2, 1, 1)), state, state, ops.zeros(8))[0].reshape(-1))
    [0. 0.]
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int,
        has_bias: bool,
        bidirectional: bool,
        dropout: float,
        proj_size: int = 0,
    ):
        super().__init__()
        self.input_size = check_int(input_size, self.name, "input_size", at_least=1)
        self.hidden_size = check_int(hidden_size, self.name, "hidden_size", at_least=1)
        self.has_bias = check_bool(has_bias, self.name, "has_bias")
        check_number(dropout, self.name, "dropout", at_least=0, at_most=1)
        several = check_int(num_layers, self.name, "num_layers", at_least=1) > 1
        projects = check_int(proj_size, self.name, "proj_size", at_least=0) > 0
        if several or projects or check_bool(bidirectional, self.name, "bidirectional"):
            raise error(
                ValueError,
                f"For '{self.name}', there is one layer in one direction and without a projection, but got "
                f"num_layers={num_layers}, bidirectional={bidirectional}, proj_size={proj_size}.",
                "use nn.LSTM for several layers and both directions",
            )

    def __call__(self, input: Tensor, h: Tensor, c: Tensor, w: Tensor) -> tuple[Tensor, ...]:
        x = check_ndim(check_float(input, self.name, "input"), self.name, "input", 3)
        check_shape(x, self.name, "input", (*x.shape[:2], self.input_size), "features are last")
        size, batch = self.hidden_size, x.shape[1]
        named = {"h": h, "c": c}
        state = []
        for name, value in named.items():
            part = check_float(value, self.name, name)
            check_same_dtype(x, part, self.name, ("input", name))
            state.append(check_shape(part, self.name, name, (1, batch, size))[0])
        flat = ops.reshape(check_float(w, self.name, "w"), (-1,))
        counts = (4 * size * self.input_size, 4 * size * size, 4 * size * self.has_bias)
        if flat.size < sum(counts):
            raise error(
                ValueError,
                f"For '{self.name}', 'w' must have at least {sum(counts)} elements, but got {flat.size}.",
            )
        parts: list[Any] = []
        start = 0
        for count in counts:
            parts.append(flat[start : start + count])
            start += count
        w_ih = ops.reshape(parts[0], (4 * size, self.input_size))
        w_hh = ops.reshape(parts[1], (4 * size, size))
        bias = parts[2] if self.has_bias else None
        found = _recurrence("LSTM", False, x, tuple(state), None, w_ih, w_hh, bias, None)
        outputs, last_h, last_c = found
        nothing = ops.zeros((1, 1), x.dtype)
        return outputs, ops.expand_dims(last_h, 0), ops.expand_dims(last_c, 0), nothing, nothing
