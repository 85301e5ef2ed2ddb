"""Recurrent layers whose weights are one vector, as MindSpore's kernels have it."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import Any

from cellgrad import ops
from cellgrad.capture.loop_ops import Rows
from cellgrad.capture.repeat import repeat
from cellgrad.core.arguments import (
    check_bool,
    check_dtype,
    check_int,
    check_ndim,
    check_number,
    check_same_dtype,
    check_shape,
)
from cellgrad.core.errors import error
from cellgrad.core.record import check_float, check_tensor, operation
from cellgrad.core.tensor import Tensor
from cellgrad.nn.recurrent_layers import _recurrence
from cellgrad.ops._elementwise import Primitive
from cellgrad.transforms.gradients.rows import pulled, row

__all__ = ["LSTM"]


class _Packed(Primitive):
    """One layer in one direction, of sequences with time first."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int,
        has_bias: bool,
        bidirectional: bool,
        dropout: float,
    ):
        super().__init__()
        self.input_size = check_int(input_size, self.name, "input_size", at_least=1)
        self.hidden_size = check_int(hidden_size, self.name, "hidden_size", at_least=1)
        self.has_bias = check_bool(has_bias, self.name, "has_bias")
        check_number(dropout, self.name, "dropout", at_least=0, at_most=1)
        several = check_int(num_layers, self.name, "num_layers", at_least=1) > 1
        if check_bool(bidirectional, self.name, "bidirectional") or several:
            raise error(
                ValueError,
                f"For '{self.name}', there is one layer in one direction, but got "
                f"num_layers={num_layers}, bidirectional={bidirectional}.",
                "use nn.LSTM or nn.GRU for several layers and both directions",
            )

    def _input(self, input: Any) -> Tensor:
        x = check_ndim(check_float(input, self.name, "input"), self.name, "input", 3)
        return check_shape(
            x, self.name, "input", (*x.shape[:2], self.input_size), "features are last"
        )

    def _state(self, x: Tensor, value: Any, name: str, size: int) -> Tensor:
        part = check_float(value, self.name, name)
        check_same_dtype(x, part, self.name, ("input", name))
        wanted = (1, x.shape[1], size)
        first: Tensor = check_shape(part, self.name, name, wanted)[0]
        return first

    def _weights(self, w: Any, gates: int, projected: int = 0) -> tuple[Any, Any, Any, Any]:
        """The weights of the input, those of the state, the projection of so many outputs, and the bias, of so
        many gates."""
        rows, size = gates * self.hidden_size, projected or self.hidden_size
        shapes = ((rows, self.input_size), (rows, size), (projected, self.hidden_size), (rows,))
        present = (True, True, projected > 0, self.has_bias)
        flat = ops.reshape(check_float(w, self.name, "w"), (-1,))
        counts = [math.prod(shape) * there for shape, there in zip(shapes, present)]
        if flat.size < sum(counts):
            raise error(
                ValueError,
                f"For '{self.name}', 'w' must have at least {sum(counts)} elements, but got {flat.size}.",
            )
        ends = list(accumulate(counts))
        w_ih, w_hh, w_hr, bias = (
            ops.reshape(flat[end - count : end], shape) if count else None
            for end, count, shape in zip(ends, counts, shapes)
        )
        return w_ih, w_hh, w_hr, bias


class LSTM(_Packed):
    """A layer of `nn.LSTM`, of sequences with time first.

    Args:
        input_size, hidden_size: the numbers of features.
        num_layers: 1.
        has_bias: whether the weights have a bias.
        bidirectional: False.
        dropout: in [0, 1]; there is none after the last layer.
        proj_size: the number of outputs, below `hidden_size`, that a matrix makes of the hidden features;
            0 for no such matrix.

    Inputs:
        input: shape [time, batch, input_size].
        h, c: the state, shape [1, batch, hidden_size]; that of `h` ends with proj_size if it is not 0.
        w: a vector of the weights of the input, those of the state, the matrix [proj_size, hidden_size] and
            the bias, one gate after another as in `nn.LSTM`. What follows is not read.

    Outputs:
        all outputs, [time, batch, hidden_size or proj_size]; the last state; and two Tensors of one 0, which MindSpore's
        kernel keeps something in.

    Raises:
        TypeError: arguments of another type, or no Tensors of one floating-point dtype.
        ValueError: several layers, both directions, a `proj_size` out of range, or shapes that do not fit.

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
        super().__init__(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout)
        self.proj_size = check_int(
            proj_size, self.name, "proj_size", at_least=0, at_most=hidden_size - 1
        )

    def __call__(self, input: Tensor, h: Tensor, c: Tensor, w: Tensor) -> tuple[Tensor, ...]:
        x = self._input(input)
        width = self.proj_size or self.hidden_size
        state = (self._state(x, h, "h", width), self._state(x, c, "c", self.hidden_size))
        w_ih, w_hh, w_hr, bias = self._weights(w, 4, self.proj_size)
        found = _recurrence("LSTM", False, x, state, None, w_ih, w_hh, bias, None, w_hr)
        outputs, last_h, last_c = found
        nothing = ops.zeros((1, 1), x.dtype)
        return outputs, ops.expand_dims(last_h, 0), ops.expand_dims(last_c, 0), nothing, nothing


class GRUV2(_Packed):
    """A layer of gated recurrent units (Cho et al. 2014), of sequences with time first. Unlike `nn.GRU` it resets
    the state before its product with the weights.

    Args:
        input_size, hidden_size: the numbers of features.
        num_layers: 1.
        has_bias: whether the weights have a bias.
        bidirectional: False.
        dropout: in [0, 1]; there is none after the last layer.
        is_train: kept for scripts.

    Inputs:
        input: shape [time, batch, input_size].
        h: the state, shape [1, batch, hidden_size].
        w: a vector of the weights of the input, those of the state and the bias, each of the update gate, the
            reset gate and the new state. What follows is not read.
        seq_lengths: int32, one for each sequence. They are not read, as by MindSpore on the CPU.

    Outputs:
        all outputs, [time, batch, hidden_size]; the last state; and two Tensors of one 0, which MindSpore's
        kernel keeps something in.

    Raises:
        TypeError: arguments of another type, or no Tensors of one floating-point dtype.
        ValueError: several layers, both directions, or shapes that do not fit.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int,
        has_bias: bool,
        bidirectional: bool,
        dropout: float,
        is_train: bool = True,
    ):
        super().__init__(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout)
        check_bool(is_train, self.name, "is_train")

    def __call__(
        self, input: Tensor, h: Tensor, w: Tensor, seq_lengths: Tensor
    ) -> tuple[Tensor, ...]:
        x = self._input(input)
        state = self._state(x, h, "h", self.hidden_size)
        lengths = check_tensor(seq_lengths, self.name, "seq_lengths")
        check_shape(
            check_dtype(lengths, self.name, "seq_lengths", "i"),
            self.name,
            "seq_lengths",
            (x.shape[1],),
        )
        w_ih, w_hh, _, bias = self._weights(w, 3)
        outputs, last = _reset_first(x, state, w_ih, w_hh, bias)
        nothing = ops.zeros((1, 1), x.dtype)
        return outputs, ops.expand_dims(last, 0), nothing, nothing


@operation
def _reset_first(
    x: Tensor, state: Tensor, w_ih: Tensor, w_hh: Tensor, bias: Tensor | None
) -> tuple[Tensor, Tensor]:
    steps, batch, features = x.shape
    size = w_hh.shape[1]
    flat = ops.reshape(x, (steps * batch, features))
    sums = ops.matmul(flat, ops.transpose(w_ih.astype(x.dtype), (1, 0)))
    if bias is not None:
        sums = sums + bias.astype(x.dtype)
    sums = ops.reshape(sums, (steps, batch * 3 * size))
    turned = ops.transpose(w_hh.astype(x.dtype), (1, 0))
    gates, new = turned[:, : 2 * size], turned[:, 2 * size :]

    def trip(t: Tensor, carried: Any) -> Any:
        before, outputs = carried
        of_input = Rows.read(sums, t, (batch, 3 * size))
        both = ops.sigmoid(of_input[:, : 2 * size] + ops.matmul(before, gates))
        update, reset = both[:, :size], both[:, size:]
        found = ops.tanh(of_input[:, 2 * size :] + ops.matmul(reset * before, new))
        after = found + update * (before - found)
        return after, Rows.write(outputs, t, after)

    outputs = ops.zeros((steps, batch * size), x.dtype)
    last, outputs = repeat(0, steps, trip, (state, outputs), "GRUV2", "the step")
    return Rows.slices(outputs, (batch, size)), last


def _gru(
    name: str,
    settings: dict[str, Any],
    operands: dict[str, Any],
) -> Any:
    layer = GRUV2(**settings)
    x, h, w, lengths, _, _, dy, dh, _ = operands.values()

    def product(x: Tensor, h: Tensor, w: Tensor) -> Tensor:
        outputs, last, _, _ = layer(x, h, w, lengths)
        return ops.reduce_sum(outputs * dy) + ops.reduce_sum(last * dh)

    return pulled(name, product, ops.ones((), x.dtype), x, h, w, by=3)


GRUV2Grad = row(
    "GRUV2Grad(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout)"
    "(input, h, w, seq_lengths, y, hy, dy, dhy, reserve)",
    _gru,
)
