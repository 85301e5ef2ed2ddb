"""Recurrent layers over sequences: `RNN`, `LSTM`, `GRU`.

What the input contributes to all steps is one matrix product before the loop; the loop over time is one
loop of the compiled code, whatever the length of the sequence.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellgrad import ops
from cellgrad.capture.loop_ops import Rows
from cellgrad.capture.repeat import repeat
from cellgrad.core import dtype as mstype
from cellgrad.core.aliases import TensorOrTensors
from cellgrad.core.arguments import (
    argument_error,
    check_bool,
    check_dtype,
    check_instance,
    check_int,
    check_number,
    check_one_of,
    check_shape,
)
from cellgrad.core.dtype import Type
from cellgrad.core.errors import error
from cellgrad.core.parameter import Parameter, ParameterTuple
from cellgrad.core.record import operation
from cellgrad.core.tensor import Tensor
from cellgrad.nn.cell import Cell
from cellgrad.nn.dropout import Dropout

__all__ = ["GRU", "LSTM", "RNN"]

_CHUNKS = {"RNN_TANH": 1, "RNN_RELU": 1, "GRU": 3, "LSTM": 4}


def _split(gates: Tensor, size: int) -> list[Tensor]:
    return [gates[:, i : i + size] for i in range(0, gates.shape[1], size)]


def _step(mode: str, of_input: Tensor, of_state: Tensor, state: tuple[Tensor, ...]) -> Any:
    """The next state from the sums of the gates: those of the input, and those of the state."""
    size = state[-1].shape[1]
    if mode == "RNN_TANH":
        return (ops.tanh(of_input + of_state),)
    if mode == "RNN_RELU":
        return (ops.relu(of_input + of_state),)
    if mode == "LSTM":
        i, f, g, o = _split(of_input + of_state, size)
        c = ops.sigmoid(f) * state[1] + ops.sigmoid(i) * ops.tanh(g)
        return ops.sigmoid(o) * ops.tanh(c), c
    (reset_x, update_x, new_x), (reset_h, update_h, new_h) = (
        _split(of_input, size),
        _split(of_state, size),
    )
    new = ops.tanh(new_x + ops.sigmoid(reset_x + reset_h) * new_h)
    return (new + ops.sigmoid(update_x + update_h) * (state[0] - new),)


@operation
def _recurrence(
    mode: str,
    backward: bool,
    x: Tensor,
    state: tuple[Tensor, ...],
    lengths: Tensor | None,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None,
    b_hh: Tensor | None,
    projection: Tensor | None = None,
) -> tuple[Tensor, ...]:
    """All outputs (time, batch, hidden) of one direction of one layer, then its last state.

    `projection`, shape (outputs, hidden), multiplies each output before it is the next state.

    Backward, time runs from its end to its beginning: a sequence that is shorter keeps its first
    state until its own last element.
    """
    steps, batch, features = x.shape
    w_ih, w_hh = w_ih.astype(x.dtype), w_hh.astype(x.dtype)
    of_input = ops.matmul(x.reshape(steps * batch, features), ops.transpose(w_ih, (1, 0)))
    if b_ih is not None:
        of_input = of_input + b_ih.astype(x.dtype)
    rows, size = w_ih.shape[0], w_hh.shape[1]
    of_input = of_input.reshape(steps, batch * rows)
    w_hh = ops.transpose(w_hh, (1, 0))
    if projection is not None:
        projection = ops.transpose(projection.astype(x.dtype), (1, 0))

    def of_state(state: tuple[Tensor, ...]) -> Tensor:
        product = ops.matmul(state[0], w_hh)
        return product if b_hh is None else product + b_hh.astype(x.dtype)

    def step(i: Tensor, sums: Tensor, before: tuple[Tensor, ...], outputs: Tensor) -> Any:
        t = steps - 1 - i if backward else i
        after = _step(mode, Rows.read(of_input, t, (batch, rows)), sums, before)
        if projection is not None:
            after = (ops.matmul(after[0], projection), *after[1:])
        output = after[0]
        if lengths is not None:
            within = (lengths > t.astype(lengths.dtype)).reshape(batch, 1)
            output = ops.where(within, output, ops.zeros_like(output))
            after = tuple(ops.where(within, a, b) for a, b in zip(after, before))
        return after, Rows.write(outputs, t, output)

    # A trip ends with the product that the next one reads. So the product is carried, and the loop of the
    # derivative reads it, where it would compute it again if a trip began with it.
    def trip(i: Tensor, carried: Any) -> Any:
        after, outputs = step(i, *carried)
        return of_state(after), after, outputs

    outputs = ops.zeros((steps, batch * size), x.dtype)
    carried = of_state(state), state, outputs
    carried = repeat(0, steps - 1, trip, carried, mode.split("_")[0], "the step")
    state, outputs = step(Tensor(steps - 1), *carried)
    return (Rows.slices(outputs, (batch, size)), *state)


class _RecurrentLayers(Cell):
    """Stacked layers, each in one or two directions."""

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: Type | None = None,
    ):
        super().__init__()
        owner = self.cls_name
        self.hidden_size = check_int(hidden_size, owner, "hidden_size", at_least=1)
        self.input_size = check_int(input_size, owner, "input_size", at_least=1)
        self.num_layers = check_int(num_layers, owner, "num_layers", at_least=1)
        check_instance(dropout, owner, "dropout", float)
        check_number(dropout, owner, "dropout", at_least=0, below=1)
        self.has_bias = check_bool(has_bias, owner, "has_bias")
        self.batch_first = check_bool(batch_first, owner, "batch_first")
        self.bidirectional = check_bool(bidirectional, owner, "bidirectional")
        self.mode = mode
        self.is_lstm = mode == "LSTM"
        self.dropout = dropout
        self.dropout_op = Dropout(p=dropout)

        dtype = mstype.or_default(dtype)
        rows, bound = _CHUNKS[mode] * hidden_size, 1 / math.sqrt(hidden_size)
        found: dict[str, list[Parameter]] = {
            k: [] for k in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        }

        def add(kind: str, suffix: str, *shape: int) -> None:
            values = np.random.uniform(-bound, bound, shape).astype(mstype.to_numpy(dtype))
            found[kind].append(Parameter(Tensor(values, dtype), name=f"{kind}_{suffix}"))

        for layer in range(num_layers):
            for reverse in ("", "_reverse")[: 1 + bidirectional]:
                suffix = f"l{layer}{reverse}"
                add(
                    "weight_ih",
                    suffix,
                    rows,
                    hidden_size * (1 + bidirectional) if layer else input_size,
                )
                add("weight_hh", suffix, rows, hidden_size)
                if has_bias:
                    add("bias_ih", suffix, rows)
                    add("bias_hh", suffix, rows)
        self.w_ih_list = ParameterTuple(found["weight_ih"])
        self.w_hh_list = ParameterTuple(found["weight_hh"])
        self.b_ih_list = ParameterTuple(found["bias_ih"])
        self.b_hh_list = ParameterTuple(found["bias_hh"])

    def _check(self, x: Any, hx: Any, seq_length: Any) -> tuple[Tensor, ...]:
        """Refuses inputs that do not fit; gives the first states."""
        owner = self.cls_name
        check_dtype(check_instance(x, owner, "x", Tensor), owner, "x", "f")
        if x.ndim != 3 or x.shape[2] != self.input_size:
            order = "batch, time" if self.batch_first else "time, batch"
            raise error(
                ValueError,
                f"For '{owner}', the 'x' must have shape ({order}, {self.input_size}), but got "
                f"{list(x.shape)}.",
            )
        batch = x.shape[0 if self.batch_first else 1]
        wanted = (self.num_layers * (1 + self.bidirectional), batch, self.hidden_size)
        count = 1 + self.is_lstm
        if hx is None:
            states = tuple(ops.zeros(wanted, x.dtype) for _ in range(count))
        elif self.is_lstm:
            if not isinstance(hx, tuple) or len(hx) != 2:
                raise argument_error(TypeError, owner, "hx", "a tuple (h, c)", hx)
            states = hx
        else:
            states = (hx,)
        for s in states:
            if not isinstance(s, Tensor) or s.dtype is not x.dtype:
                given = s.dtype.title if isinstance(s, Tensor) else type(s).__name__
                raise error(
                    TypeError,
                    f"For '{owner}', the 'hx' must be of {x.dtype.title} Tensors, as 'x' is, but "
                    f"got {given}.",
                )
            check_shape(s, owner, "hx", wanted, "(num_layers * directions, batch, hidden_size)")
        if seq_length is not None:
            check_instance(seq_length, owner, "seq_length", Tensor)
            integers = (mstype.int32, mstype.int64)
            check_one_of(seq_length.dtype, owner, "seq_length", integers, TypeError)
            check_shape(seq_length, owner, "seq_length", (batch,), "one element for each sequence")
        return states

    def construct(
        self,
        x: Tensor,
        hx: Tensor | tuple[Tensor, Tensor] | None = None,
        seq_length: Tensor | None = None,
    ) -> tuple[Tensor, TensorOrTensors]:
        states = self._check(x, hx, seq_length)
        if self.batch_first:
            x = ops.transpose(x, (1, 0, 2))
        last: list[tuple[Tensor, ...]] = []
        for layer in range(self.num_layers):
            directions = []
            for backward in (False, True)[: 1 + self.bidirectional]:
                k = len(last)
                biases = (self.b_ih_list[k], self.b_hh_list[k]) if self.has_bias else (None, None)
                outputs, *state = _recurrence(
                    self.mode,
                    backward,
                    x,
                    tuple(s[k] for s in states),
                    seq_length,
                    self.w_ih_list[k],
                    self.w_hh_list[k],
                    *biases,
                )
                directions.append(outputs)
                last.append(tuple(state))
            x = ops.concat(directions, 2) if self.bidirectional else directions[0]
            if self.dropout and layer < self.num_layers - 1:
                x = self.dropout_op(x)
        if self.batch_first:
            x = ops.transpose(x, (1, 0, 2))
        final = tuple(ops.stack(list(column)) for column in zip(*last))
        return x, final if self.is_lstm else final[0]

    def extend_repr(self) -> str:
        return (
            f"input_size={self.input_size}, hidden_size={self.hidden_size}, "
            f"num_layers={self.num_layers}"
        )


class RNN(_RecurrentLayers):
    """Elman layers: ``h' = f(W_ih x + b_ih + W_hh h + b_hh)`` along a sequence.

    Args:
        input_size, hidden_size: positive ints.
        num_layers: how many are stacked.
        nonlinearity: f, "tanh" or "relu"; a keyword only.
        has_bias: whether there are biases.
        batch_first: whether `x` and the outputs are (batch, time, ...) and not (time, batch, ...).
        dropout: the probability of a zero in the outputs of all layers but the last, in training.
        bidirectional: whether each layer also goes from the end to the beginning, with Parameters
            of its own; the outputs of both are one after the other.
        dtype: of the Parameters; the computation is in that of `x`.

    Inputs:
        x: shape (time, batch, input_size), floating point.
        hx: the first states, shape (num_layers * directions, batch, hidden_size), of the dtype of
            `x`; zeros where it is None.
        seq_length: shape (batch,), int32 or int64: how many elements of each sequence count.
            Outputs behind them are zero, and the last state is the one after them.

    Outputs:
        (all outputs of the last layer, shape (time, batch, directions * hidden_size); the last
        states of all layers, of the shape of `hx`).

    Raises:
        TypeError, ValueError: arguments or inputs of other types or values.

    >>> net = nn.RNN(10, 16, 2, batch_first=True)
    >>> output, last = net(ops.ones((3, 5, 10), ms.float32))
    >>> print(output.shape, last.shape)
    (3, 5, 16) (2, 3, 16)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: Type | None = None,
        *,
        nonlinearity: str = "tanh",
    ):
        check_one_of(nonlinearity, "RNN", "nonlinearity", ("tanh", "relu"))
        super().__init__(
            "RNN_" + nonlinearity.upper(),
            input_size,
            hidden_size,
            num_layers,
            has_bias,
            batch_first,
            dropout,
            bidirectional,
            dtype,
        )


class LSTM(_RecurrentLayers):
    """Long short-term memory layers along a sequence; one step is `LSTMCell`.

    Args:
        input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype:
            as of `RNN`.

    Inputs:
        x, seq_length: as of `RNN`.
        hx: the first states, a tuple (h, c).

    Outputs:
        (all outputs of the last layer, (h, c)).

    Raises:
        TypeError, ValueError: arguments or inputs of other types or values.

    >>> layer = nn.LSTM(3, 4, batch_first=True)
    >>> zeros = ops.zeros((1, 2, 4))
    >>> output, (hidden, cell) = layer(ops.ones((2, 5, 3)), (zeros, zeros))
    >>> print(output.shape, hidden.shape, cell.shape)
    (2, 5, 4) (1, 2, 4) (1, 2, 4)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: Type | None = None,
    ):
        super().__init__(
            "LSTM",
            input_size,
            hidden_size,
            num_layers,
            has_bias,
            batch_first,
            dropout,
            bidirectional,
            dtype,
        )


class GRU(_RecurrentLayers):
    """Gated recurrent layers along a sequence; one step is `GRUCell`.

    Args, inputs, outputs and errors are those of `RNN`, without `nonlinearity`.

    >>> layer = nn.GRU(3, 4, batch_first=True)
    >>> output, state = layer(ops.ones((2, 5, 3)), ops.zeros((1, 2, 4)))
    >>> print(output.shape, state.shape)
    (2, 5, 4) (1, 2, 4)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: Type | None = None,
    ):
        super().__init__(
            "GRU",
            input_size,
            hidden_size,
            num_layers,
            has_bias,
            batch_first,
            dropout,
            bidirectional,
            dtype,
        )
